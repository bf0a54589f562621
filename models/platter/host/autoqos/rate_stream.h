// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "platter/core/random.h"
#include "platter/workload/request.h"

namespace platter::host::autoqos {

using core::Picoseconds;

/// A change of a stream's rate.
struct RateChange {
  Picoseconds at = 0;
  std::uint64_t bytes_per_s = 0;  ///< 0: as fast as it is served
};

struct RateStreamOptions {
  std::uint32_t stream = 0;
  core::RequestClass cls = core::RequestClass::Discrete;
  Picoseconds enters = 0;                  ///< when its first period begins
  Picoseconds leaves = core::kNoDeadline;  ///< no command from this time on
  std::vector<RateChange> rates;           ///< in order of time, at least one; the first holds from the beginning
  std::uint32_t command_bytes = 262'144;
  std::uint32_t commands_per_period = 1;
  std::uint32_t late_periods = 4;  ///< a stream that falls further behind skips the periods beyond this
  double jitter = 0;               ///< of the host's clock: a period begins late by up to this part of its length
  bool periodic = true;            ///< false: period lengths are exponential with this mean
  bool sequential = true;          ///< false: each command reads a random place in the file
  std::uint64_t file_offset = 0;   ///< bytes
  std::uint64_t file_bytes = 0;    ///< at least one command; reading restarts at the front when the file ends
  std::uint64_t seed = 1;
};

/// The paper's test application: periodic streaming reads with one command outstanding (AutoQoS, section 4). In each period it
/// reads `commands_per_period` commands, each after the end of the one before. A period that begins before the previous one has
/// been served waits for it; the stream then reads without pause until it has caught up, by at most `late_periods`.
class RateStream : public workload::ProducerIf {
 public:
  explicit RateStream(RateStreamOptions options);

  bool next(workload::Request& request, Picoseconds now) override;
  std::uint32_t closed_depth() const override { return 1; }

  const RateStreamOptions& options() const { return options_; }
  /// Periods that had begun and ended by `now`, and how many of them were missed: not read completely by their end, or given up.
  struct Periods {
    std::uint64_t all = 0;
    std::uint64_t missed = 0;
  };
  Periods periods(Picoseconds now) const;

  /// The rate that the stream wants at `time`; 0 before it enters and after it has left.
  std::uint64_t wanted(Picoseconds time) const;

 private:
  std::uint64_t rate_at(Picoseconds time) const;
  /// Length of a period that begins at `time`; 0: the stream has no rate.
  Picoseconds period_at(Picoseconds time);

  RateStreamOptions options_;
  core::RandomStream random_;
  core::RandomStream clock_;
  Picoseconds period_start_;
  Picoseconds period_;
  std::uint32_t command_ = 0;    ///< index of the next command in its period
  std::uint64_t place_ = 0;      ///< offset of the next command in the file
  std::uint64_t read_ = 0;       ///< periods read completely
  std::uint64_t read_late_ = 0;  ///< of these, those read after their end
  double given_up_ = 0;          ///< periods
};

}  // namespace platter::host::autoqos
