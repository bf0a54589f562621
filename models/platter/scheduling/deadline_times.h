// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "platter/scheduling/command.h"

namespace platter::scheduling {

/// Times of commands whose deadlines are checked one by one.
class DeadlineTimes {
 public:
  explicit DeadlineTimes(const AccessPlanner& planner) : planner_(planner) {}

  /// From `now` until the first sector of the command comes under the head, at the guard's quantile of the arrivals.
  Picoseconds to_first(const Command& command, const HeadState& head, Picoseconds now) const {
    return planner_.guarded(planner_.estimate(head, command.extent, now, command.data_ready, command.overhead_end));
  }
  /// Time from `now` until the host must have the command's last block.
  Picoseconds left(const Command& command, const HeadState& head, Picoseconds now) const {
    return command.deadline - std::max(now, head.bus_free) - planner_.bus_block_time(false);
  }
  /// The command would be late even if it were served now.
  bool late(const Command& command, const HeadState& head, Picoseconds now) const {
    return to_first(command, head, now) + planner_.hold(command.extent) > left(command, head, now);
  }

 private:
  const AccessPlanner& planner_;
};

}  // namespace platter::scheduling
