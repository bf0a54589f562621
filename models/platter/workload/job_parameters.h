// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platter/params/row.h"
#include "platter/params/source.h"
#include "platter/workload/fio_notation.h"
#include "platter/workload/generators.h"

namespace platter::workload {

/// A job: requests of one kind, described in fio's words.
struct JobParameters {
  enum class Kind : std::uint8_t { Read, Write, Randread, Randwrite, Rw, Readwrite, Randrw };
  enum class Arrivals : std::uint8_t { Linear, Poisson };
  enum class Class : std::uint8_t { Discrete, Continuous, Background };
  enum class PriorityClass : std::uint8_t { Same, Discrete, Continuous, Background };

  std::string name;
  Kind rw = Kind::Read;
  double rwmixread = 50;
  BlockSize bs;
  BlockRange bsrange;
  BlockSplit bssplit;
  Amount blockalign;
  double rate_iops = 0;
  Arrivals rate_process = Arrivals::Linear;
  std::int64_t iodepth = 0;
  double thinktime_us = 0;
  Amount offset;
  Amount size;
  Amount io_size;
  Distribution random_distribution;
  bool norandommap = false;
  double startdelay_s = 0;
  double runtime_s = 0;
  Class cls = Class::Discrete;
  double deadline_ms = 0;
  Percentages cmdprio_percentage;
  PriorityClass cmdprio_class = PriorityClass::Same;
  double cmdprio_deadline_ms = 0;
  std::uint32_t hint = 0;
  std::uint32_t cmdprio_hint = 0;
  bool high_priority = false;
  bool cmdprio_high_priority = false;

  bool is_random() const { return rw == Kind::Randread || rw == Kind::Randwrite || rw == Kind::Randrw; }
  /// Requests that are kept outstanding, or the most of them beside a rate; 0: no limit.
  std::uint32_t depth() const { return iodepth == 0 && rate_iops == 0 ? 1 : static_cast<std::uint32_t>(iodepth); }
  /// Whether the job ends by itself.
  bool ends() const { return runtime_s > 0 || io_size.bytes > 0 || io_size.percent; }
  double share_of_reads() const;
  std::uint64_t least_block() const;
  std::uint64_t most_block() const;
  core::RequestClass usual_class() const { return static_cast<core::RequestClass>(cls); }
  core::RequestClass priority_class() const {
    return cmdprio_class == PriorityClass::Same ? usual_class()
                                                : static_cast<core::RequestClass>(static_cast<int>(cmdprio_class) - 1);
  }
};

/// Keys of one `[[workload.job]]`.
const params::Table<JobParameters>& job_parameters();

/// `sector_bytes`: sector size of the drive or array that gets the load.
void check(const std::vector<JobParameters>& jobs, std::uint32_t sector_bytes, params::Findings& findings);
/// Finds jobs that name a duration descriptor that the drive does not have. `reads`, `writes`: how many it has.
void check_hints(const std::vector<JobParameters>& jobs, std::size_t reads, std::size_t writes, params::Findings& findings);

/// The part of a drive that a job uses, in blocks of the drive.
struct JobRegion {
  JobRegion(const JobParameters& job, const Target& target);

  std::uint64_t first = 0;
  std::uint64_t blocks = 0;
  std::uint64_t align = 1;   ///< random requests begin at multiples of this, counted from `first`
  std::uint64_t places = 0;  ///< number of these; 0: the largest block does not fit
};

/// A zone of a distribution over a number of places.
struct PlacedZone {
  double share_until = 0;  ///< of the accesses, this zone's and those of the zones before it
  std::uint64_t first = 0;
  std::uint64_t places = 0;
};
/// Zones that get no accesses are left out. The last zone's `share_until` is 1.
std::vector<PlacedZone> zones_of(const Distribution& distribution, std::uint64_t places);

/// What is wrong with the region of a job on this drive, and with which key of the job; nothing if it is good.
std::optional<std::pair<std::string, std::string>> region_objection(const JobParameters& job, const Target& target);

}  // namespace platter::workload
