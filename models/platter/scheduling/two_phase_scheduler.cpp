// SPDX-License-Identifier: Apache-2.0
#include "platter/scheduling/continuous_sweep.h"
#include "platter/scheduling/policies.h"

namespace platter::scheduling {

namespace {

/// Two-phase scheduling (Balafoutis et al., section 2.2): all of a round's continuous commands by SCAN, then the others by a policy of
/// their own until the next round begins. Its lists are rebuilt in each round.
class TwoPhaseScheduler : public SchedulerIf {
 public:
  TwoPhaseScheduler(const SchedulerContext& context, std::unique_ptr<SchedulerIf> second)
      : sweep_(context.planner, context.capacity, context.decision_bound, context.interpretations.sweep_start),
        second_(std::move(second)) {}

  void insert(const Command& command) override {
    if (!in_sweep(command)) {
      second_->insert(command);
      return;
    }
    if (sweep_.empty()) second_->begin_round();
    sweep_.insert(command);
  }
  void remove(Tag tag) override {
    if (sweep_.contains(tag))
      sweep_.remove(tag);
    else
      second_->remove(tag);
  }
  void withdraw(Tag tag) override {
    if (sweep_.contains(tag))
      sweep_.remove(tag);
    else
      second_->withdraw(tag);
  }
  bool empty() const override { return sweep_.empty() && second_->empty(); }
  bool knows_deadlines() const override { return true; }
  /// The first phase goes before the second.
  bool leaves_time(const Command& command, const HeadState& /*head*/, Picoseconds /*now*/) override {
    return sweep_.empty() || in_sweep(command);
  }
  DecisionWork work(const HeadState& head) override {
    return sweep_.empty() ? second_->work(head) : DecisionWork{sweep_.size(), 0};
  }
  Decision pick(const HeadState& head, Picoseconds now) override {
    if (sweep_.empty()) return second_->pick(head, now);
    sweep_.prepare(head);
    return Decision::serve(sweep_.first().tag);
  }

 private:
  ContinuousSweep sweep_;
  std::unique_ptr<SchedulerIf> second_;
};

}  // namespace

std::unique_ptr<SchedulerIf> create_tps_scan(const SchedulerContext& context) {
  return std::make_unique<TwoPhaseScheduler>(context, create_look(context));
}

std::unique_ptr<SchedulerIf> create_tps_opt(const SchedulerContext& context) {
  return std::make_unique<TwoPhaseScheduler>(context, create_second_phase(context));
}

}  // namespace platter::scheduling
