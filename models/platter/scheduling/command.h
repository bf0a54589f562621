// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platter/command/command.h"
#include "platter/core/types.h"
#include "platter/mechanics/access_planner.h"

namespace platter::scheduling {

using core::kNoDeadline;
using core::Picoseconds;
using core::RequestClass;
using core::Tag;
using mechanics::AccessPlanner;
using mechanics::AccessTime;
using mechanics::Extent;
using mechanics::HeadState;

/// A queued command, as a scheduler sees it. Times are absolute, in ps.
struct Command {
  Tag tag;                                    ///< its number in the engine, below SchedulerContext::capacity
  std::uint64_t sequence = 0;                 ///< age: smaller is older
  Picoseconds arrival = 0;                    ///< when it entered the drive
  RequestClass cls = RequestClass::Discrete;  ///< service class
  Picoseconds deadline = kNoDeadline;         ///< kNoDeadline: none
  /// Of a write: before this time its first sector must not pass under the head, because its data would come too late.
  /// AccessPlanner::estimate() takes it.
  Picoseconds data_ready = 0;
  Picoseconds overhead_end = 0;  ///< where overheads run from the arrival: the end of this command's overhead
  std::uint32_t stream = 0;      ///< number of the stream of a continuous command
  bool destage = false;          ///< a write of buffered blocks, for which no host waits
  bool high_priority = false;    ///< it goes before commands without priority, under policies that know priorities
  /// It has a duration limit. `deadline` is the time of that limit, or the host's deadline if that is earlier.
  bool limited = false;
  bool guideline = false;                     ///< that limit is a guideline, which may cost only a share of the throughput
  std::uint16_t guideline_cost_permille = 0;  ///< this share, in 1/1000
  Extent extent;                              ///< where it begins and ends on the media

  /// Takes class, deadline and stream over from a host's command.
  void take(const command::Attributes& asked) {
    cls = asked.cls;
    deadline = asked.deadline;
    stream = asked.stream;
    high_priority = asked.high_priority;
  }
};

/// Since when commands of hosts wait for destages: the arrival of the oldest one that waits; kNoDeadline: none waits.
struct AwaitedDestages {
  Picoseconds any = kNoDeadline;      ///< for room in the buffer
  Picoseconds certain = kNoDeadline;  ///< for the destages of its own blocks

  /// Both are equal.
  friend constexpr bool operator==(const AwaitedDestages& a, const AwaitedDestages& b) {
    return a.any == b.any && a.certain == b.certain;
  }
};

/// The tie rule of every policy: the older command first, then the lower tag.
inline bool older(const Command& a, const Command& b) {
  return a.sequence != b.sequence ? a.sequence < b.sequence : a.tag < b.tag;
}

}  // namespace platter::scheduling
