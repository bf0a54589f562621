// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "platter/scheduling/command_set.h"
#include "platter/scheduling/deadline_times.h"
#include "platter/scheduling/wrapped_scheduler.h"

namespace platter::scheduling {

/// Guards the deadlines of commands outside the sweep, under a policy that guards those of the sweep. Such a command replaces the policy's pick if it
/// would be late after the pick, is in time if it is served now, and leaves the sweep the time that the sweep needs. Each command is checked alone,
/// so a conflict between two such deadlines is not resolved. The deadline of a command that is already late no longer counts.
///
/// This guard is our own; Balafoutis et al. have deadlines of rounds only.
class OwnDeadlines : public WrappedScheduler {
 public:
  /// `decision_bound`: see SchedulerContext.
  OwnDeadlines(std::unique_ptr<SchedulerIf> policy, const AccessPlanner& planner, std::size_t capacity,
               Picoseconds decision_bound)
      : WrappedScheduler(std::move(policy)),
        planner_(planner),
        times_(planner),
        decision_bound_(decision_bound),
        commands_(capacity),
        own_(capacity) {}

  void insert(const Command& command) override;
  void remove(Tag tag) override;
  void withdraw(Tag tag) override;
  Decision pick(const HeadState& head, Picoseconds now) override;
  DecisionWork work(const HeadState& head) override;
  /// True also only if no deadline outside the sweep that can be kept now would be lost behind the command.
  bool leaves_time(const Command& command, const HeadState& head, Picoseconds now) override {
    return policy_->leaves_time(command, head, now) &&
           (own_.empty() || due(Decision::serve(command.tag), head, now) == nullptr);
  }

 private:
  /// The command that must be served now; null if the decision may stand.
  const Command* due(const Decision& decision, const HeadState& head, Picoseconds now);

  const AccessPlanner& planner_;
  DeadlineTimes times_;
  Picoseconds decision_bound_;
  std::vector<const Command*> commands_;  ///< by tag
  CommandSet own_;                        ///< those with a deadline outside the sweep that may still be met
  std::vector<Tag> lost_;
};

}  // namespace platter::scheduling
