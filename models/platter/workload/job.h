// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "platter/core/random.h"
#include "platter/workload/job_parameters.h"
#include "platter/workload/places.h"
#include "platter/workload/request.h"

namespace platter::workload {

/// The requests of a job. The k-th request of a job has the same place, size, direction, class and relative deadline whatever the drive does: only
/// its time depends on the drive. All random numbers come from streams that have the job's name.
class JobProducer : public ProducerIf {
 public:
  /// `number`: the job's, from 0. `stream`: of its continuous requests. Precondition: region_objection() has nothing to say.
  JobProducer(const JobParameters& job, std::int32_t number, std::uint32_t stream, const Target& target, std::uint64_t seed);

  bool next(Request& request, core::Picoseconds now) override;
  std::uint32_t closed_depth() const override { return depth_; }

 private:
  struct Share {
    double until = 0;  ///< the share of this size and those before it
    std::uint64_t blocks = 0;
  };
  /// Sizes in blocks of the drive.
  struct Sizes {
    std::vector<Share> shares;  ///< of sizes that occur; empty: from `least` on, in steps of `least`, evenly
    std::uint64_t least = 0;
    std::uint64_t steps = 1;
  };
  struct Urgency {
    core::RequestClass cls = core::RequestClass::Discrete;
    core::Picoseconds deadline = core::kNoDeadline;  ///< relative to the issue
    std::uint8_t duration = 0;                       ///< number of a duration descriptor
    bool high_priority = false;
  };

  core::Picoseconds issue_time(core::Picoseconds now);
  std::uint64_t blocks_of_next(bool write);
  std::uint64_t random_place();

  Target target_;
  JobRegion region_;
  std::int32_t number_;
  std::uint32_t stream_;
  std::uint32_t depth_;
  bool is_random_;
  double share_of_reads_;
  std::array<Sizes, 2> sizes_of_;
  double rate_per_s_;
  bool poisson_;
  core::Picoseconds think_;
  core::Picoseconds begin_;
  core::Picoseconds end_ = core::kNoDeadline;
  std::uint64_t bytes_left_;
  Urgency usual_;
  Urgency urgent_;
  std::array<double, 2> urgent_share_;
  Distribution::Kind law_;
  double law_parameter_;
  std::vector<PlacedZone> zones_;
  core::RandomStream arrivals_;
  core::RandomStream kinds_;
  core::RandomStream places_;
  core::RandomStream sizes_;
  core::RandomStream priorities_;
  std::optional<ZipfLaw> zipf_;
  std::optional<Permutation> order_;   ///< of the places: by rank, or of a pass over all of them
  bool every_place_once_ = false;      ///< in each pass
  std::uint64_t in_pass_ = 0;          ///< places used in this pass
  std::array<std::uint64_t, 2> at_{};  ///< next sequential block of reads, of writes
  std::uint64_t issued_ = 0;
  double time_s_ = 0;  ///< of the last arrival, after begin_
};

}  // namespace platter::workload
