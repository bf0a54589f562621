// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "platter/scheduling/scheduler_if.h"

namespace platter::scheduling {

/// Base of what stands around a policy and changes some of its decisions. The policy answers everything that a derived class does not.
class WrappedScheduler : public SchedulerIf {
 public:
  explicit WrappedScheduler(std::unique_ptr<SchedulerIf> policy) : policy_(std::move(policy)) {}

  void moved(Tag tag) override { policy_->moved(tag); }
  bool empty() const override { return policy_->empty(); }
  void begin_round() override { policy_->begin_round(); }
  void put_first(const Command& command, const HeadState& head, Picoseconds now, Rule rule) override {
    policy_->put_first(command, head, now, rule);
  }
  bool keeps_deadlines() const override { return policy_->keeps_deadlines(); }
  bool knows_deadlines() const override { return policy_->knows_deadlines(); }
  bool leaves_time(const Command& command, const HeadState& head, Picoseconds now) override {
    return policy_->leaves_time(command, head, now);
  }
  bool affords(const Command& command, const HeadState& head, Picoseconds now) override {
    return policy_->affords(command, head, now);
  }
  bool awaited(const AwaitedDestages& since) override { return policy_->awaited(since); }
  bool held_back(Tag tag) const override { return policy_->held_back(tag); }
  bool has_time(const HeadState& head, Picoseconds effective) override { return policy_->has_time(head, effective); }
  Decision next_of_sweep(const HeadState& head, Picoseconds now) override { return policy_->next_of_sweep(head, now); }
  const ClassBudgets* class_budgets() const override { return policy_->class_budgets(); }
  const GapStatistics* gaps() const override { return policy_->gaps(); }

 protected:
  std::unique_ptr<SchedulerIf> policy_;
};

}  // namespace platter::scheduling
