// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/scheduling/command_set.h"
#include "platter/scheduling/scheduler_if.h"

namespace platter::scheduling {

/// Common base of the flat policies: one set of commands, all of which compete. A policy that derives from it defines `pick`.
class FlatScheduler : public SchedulerIf {
 public:
  /// `capacity`: most commands at once (SchedulerContext::capacity).
  explicit FlatScheduler(std::size_t capacity) : commands_(capacity) {}

  void insert(const Command& command) override { commands_.insert(command); }
  void remove(Tag tag) override { commands_.remove(tag); }
  bool empty() const override { return commands_.empty(); }
  DecisionWork work(const HeadState& /*head*/) override { return {commands_.size(), 0}; }

 protected:
  /// The commands that wait, as pointers, the oldest first. It has begin(), end(), size(), empty() and oldest().
  const CommandSet& commands() const { return commands_; }

 private:
  CommandSet commands_;
};

/// Distance between two cylinders.
inline std::uint32_t distance(core::Cylinder a, core::Cylinder b) { return a > b ? a.value - b.value : b.value - a.value; }

}  // namespace platter::scheduling
