// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "platter/core/random.h"
#include "platter/workload/request.h"

namespace platter::host::autoqos {

using core::Picoseconds;

/// From this time on a stream wants so much.
struct RateChange {
  Picoseconds at = 0;
  std::uint64_t bytes_per_s = 0;  ///< 0: as much as it gets
};

struct RateStreamOptions {
  std::uint32_t stream = 0;
  core::RequestClass cls = core::RequestClass::Discrete;
  Picoseconds enters = 0;                  ///< its first period begins
  Picoseconds leaves = core::kNoDeadline;  ///< no command from this time on
  std::vector<RateChange> rates;           ///< in order of time, at least one; the first holds from the beginning
  std::uint32_t command_bytes = 262'144;
  std::uint32_t commands_per_period = 1;
  std::uint32_t late_periods = 4;  ///< a stream that falls behind further than this gives the rest up
  double jitter = 0;               ///< of the host's clock: a period begins late by up to this part of it
  bool periodic = true;            ///< false: periods are exponential around their length
  bool sequential = true;          ///< false: every command lies anywhere in the file
  std::uint64_t file_offset = 0;   ///< bytes
  std::uint64_t file_bytes = 0;    ///< at least one command; read from the front again when it ends
  std::uint64_t seed = 1;
};

/// The paper's test application: periodic streaming reads, one command outstanding (AutoQoS, section 4). In each period it reads
/// `commands_per_period` commands, the next one when the last has ended. A period that begins before the one before it is served waits
/// for it, and the stream reads on without pause until it has caught up, at most `late_periods`.
class RateStream : public workload::ProducerIf {
 public:
  explicit RateStream(RateStreamOptions options);

  bool next(workload::Request& request, Picoseconds now) override;
  std::uint32_t closed_depth() const override { return 1; }

  const RateStreamOptions& options() const { return options_; }
  /// Periods that had begun and ended by then, and how many of them were missed: not read whole by their end, or given up.
  struct Periods {
    std::uint64_t all = 0;
    std::uint64_t missed = 0;
  };
  Periods periods(Picoseconds now) const;

  /// What the stream wants at that time; 0 before it enters and after it has left.
  std::uint64_t wanted(Picoseconds time) const;

 private:
  std::uint64_t rate_at(Picoseconds time) const;
  /// Length of a period that begins at that time; 0: none.
  Picoseconds period_at(Picoseconds time);

  RateStreamOptions options_;
  core::RandomStream random_;
  core::RandomStream clock_;
  Picoseconds period_start_;
  Picoseconds period_;
  std::uint32_t command_ = 0;    ///< the next one's place in its period
  std::uint64_t place_ = 0;      ///< the next one's offset in the file
  std::uint64_t read_ = 0;       ///< periods read whole
  std::uint64_t read_late_ = 0;  ///< of these, after their end
  double given_up_ = 0;          ///< periods
};

}  // namespace platter::host::autoqos
