// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/scheduling/continuous_sweep.h"
#include "platter/scheduling/flat_scheduler.h"
#include "platter/scheduling/policies.h"

namespace platter::scheduling {

/// Common base of the policies under the deadline guard: the sweep of the continuous commands, which the policy fills, and the decision
/// that considers only the sweep's next command.
///
/// A policy that derives from it
/// - replaces `insert` and `remove`: they call those of FlatScheduler, and `sweep_.insert(command)` if in_sweep() of policies.h is true, and
///   `sweep_.remove(tag)`;
/// - calls `sweep_.prepare(head)` once at the start of each `pick`, unless the sweep is empty;
/// - skips each candidate for which `allowed` is false, and returns `next_of_sweep` if none is left. Without a sweep it does neither.
class GuardedScheduler : public FlatScheduler {
 public:
  /// Takes planner, capacity, decision bound and sweep start of `context`. The planner must outlive the policy.
  explicit GuardedScheduler(const SchedulerContext& context)
      : FlatScheduler(context.capacity),
        planner_(context.planner),
        sweep_(context.planner, context.capacity, context.decision_bound, context.interpretations.sweep_start) {}

  bool keeps_deadlines() const override { return true; }
  bool leaves_time(const Command& command, const HeadState& head, Picoseconds now) override {
    if (sweep_.empty()) return true;
    sweep_.prepare(head);
    return allowed(command, head, now);
  }
  bool has_time(const HeadState& head, Picoseconds effective) override {
    return sweep_.empty() || leaves_time(first_of_sweep(head), head, effective);
  }
  Decision next_of_sweep(const HeadState& head, Picoseconds now) override {
    Decision decision = Decision::serve(sweep_.first().tag);
    decision.forced = !allowed(sweep_.first(), head, now);
    return decision;
  }

 protected:
  /// How long the access to a command would take if it began at `now` (absolute, ps).
  [[gnu::always_inline]] AccessTime estimate(const Command& command, const HeadState& head, Picoseconds now) const {
    return planner_.estimate(head, command.extent, now, command.data_ready, command.overhead_end);
  }
  /// Prepares the sweep, and returns its first command. Precondition: the sweep is not empty.
  const Command& first_of_sweep(const HeadState& head) {
    sweep_.prepare(head);
    return sweep_.first();
  }
  /// True if the command passes the guard. Precondition: the sweep is not empty, and it is prepared.
  bool allowed(const Command& command, const HeadState& head, Picoseconds now) const {
    return sweep_.allows(command, planner_.guarded(estimate(command, head, now)), now, head.bus_free);
  }

  const AccessPlanner& planner_;  ///< the drive's mechanics
  ContinuousSweep sweep_;         ///< the continuous commands with a deadline
};

}  // namespace platter::scheduling
