// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "platter/scheduling/guarded_scheduler.h"

namespace platter::scheduling {

namespace {

/// FAMISH (Balafoutis et al., section 2.3): one sweep a round. At the round's start it holds the continuous commands. The others are
/// inserted at their places in the order of their arrival, until one of them would make the round too short. docs/reference/policies.md has
/// the rules.
class FamishScheduler : public GuardedScheduler {
 public:
  FamishScheduler(const SchedulerContext& context, bool late)
      : GuardedScheduler(context), late_(late), planned_(context.capacity, false) {
    plan_.reserve(context.capacity);
  }

  void insert(const Command& command) override {
    FlatScheduler::insert(command);
    if (!in_sweep(command)) return;
    if (sweep_.empty()) round_until(command.deadline);
    round_end_ = std::min(round_end_, command.deadline);
    sweep_.insert(command);
    plan_anew_ = true;
  }

  void remove(Tag tag) override {
    begun_ = true;
    withdraw(tag);
  }

  void withdraw(Tag tag) override {
    FlatScheduler::remove(tag);
    sweep_.remove(tag);
    drop(tag);
    if (!sweep_.empty() && sweep_.deadline() > round_end_)
      round_until(sweep_.deadline());  // only the next round's commands are left
  }

  DecisionWork work(const HeadState& head) override {
    if (plan_anew_ || late_ || plan_.empty()) return FlatScheduler::work(head);
    std::size_t candidates = 0;  // each command before the plan's next continuous one may turn out not to fit
    for (const Command* command : plan_) {
      ++candidates;
      if (sweep_.empty() || sweep_.contains(command->tag)) break;
    }
    return {candidates, 0};
  }

  Decision next_of_sweep(const HeadState& head, Picoseconds now) override {
    while (!plan_anew_ && !plan_.empty() && !sweep_.contains(plan_.front()->tag)) drop(plan_.front()->tag);
    return GuardedScheduler::next_of_sweep(head, now);
  }

  Decision pick(const HeadState& head, Picoseconds now) override {
    if (plan_anew_) {
      sweep_.prepare(head);
      upward_ = sweep_.upward();
      plan(false);
      extend(head, now, begun_);
      plan_anew_ = false;
    } else if (late_ && now <= round_end_) {
      extend(head, now, true);
    }
    while (!commands().empty()) {
      // The command that begins a round arrives at the end of the previous one, possibly after this call.
      if (plan_.empty() && now > round_end_) {
        turn_to_nearer_end(head);
        plan(true);
      }
      if (plan_.empty()) return Decision::wait(round_end_ + 1);
      const Command& next = *plan_.front();
      if (endless_ || fits(positioning(next, head, now), now, head.bus_free)) return Decision::serve(next.tag);
      if (sweep_.contains(next.tag)) return GuardedScheduler::next_of_sweep(head, now);
      drop(next.tag);  // the plan takes longer than expected: back to the queue, where the command is among the oldest
    }
    return {};
  }

 private:
  void round_until(Picoseconds end) {
    round_end_ = end;
    begun_ = false;
    plan_anew_ = true;
  }

  Picoseconds positioning(const Command& command, const HeadState& head, Picoseconds now) const {
    return planner_.guarded(estimate(command, head, now));
  }
  Picoseconds hop(const Command& from, const Command& to) const {
    return planner_.most_onward(from.extent, to.extent, sweep_.decision_bound());
  }
  /// True if the plan ends within the round when its first command comes under the head after `positioning`.
  bool fits(Picoseconds positioning, Picoseconds now, Picoseconds bus_free) const {
    return positioning + rest_ <= round_end_ - std::max(now, bus_free) - planner_.bus_block_time(false);
  }

  bool before(const Command& a, const Command& b) const {
    const core::Cylinder x = a.extent.cylinder;
    const core::Cylinder y = b.extent.cylinder;
    if (x != y) return upward_ ? x < y : y < x;
    return older(a, b);
  }

  /// Plans the round's continuous commands, or (`all`) all waiting commands, without an end.
  void plan(bool all) {
    endless_ = all;
    plan_.clear();
    std::fill(planned_.begin(), planned_.end(), false);
    for (const Command* command : commands())
      if (all || sweep_.contains(command->tag)) plan_.push_back(command);
    std::sort(plan_.begin(), plan_.end(), [this](const Command* a, const Command* b) { return before(*a, *b); });
    rest_ = 0;
    for (std::size_t i = 0; i < plan_.size(); ++i) {
      planned_[plan_[i]->tag.value] = true;
      rest_ += planner_.hold(plan_[i]->extent) + (i > 0 ? hop(*plan_[i - 1], *plan_[i]) : 0);
    }
  }

  /// Inserts the oldest of the other commands, as long as they fit. A sweep that has begun does not go back.
  void extend(const HeadState& head, Picoseconds now, bool begun) {
    for (const Command* command : commands()) {  // in order of age
      if (planned_[command->tag.value]) continue;
      if (begun && (upward_ ? command->extent.cylinder < head.cylinder : command->extent.cylinder > head.cylinder)) return;
      const auto at = std::find_if(plan_.begin(), plan_.end(), [&](const Command* c) { return before(*command, *c); });
      const Picoseconds without = rest_;
      rest_ += planner_.hold(command->extent);
      if (at != plan_.begin()) rest_ += hop(**(at - 1), *command);
      if (at != plan_.end()) rest_ += hop(*command, **at);
      if (at != plan_.begin() && at != plan_.end()) rest_ -= hop(**(at - 1), **at);
      const Command& first = at == plan_.begin() ? *command : *plan_.front();
      if (!fits(positioning(first, head, now), now, head.bus_free)) {
        rest_ = without;
        return;
      }
      plan_.insert(at, command);
      planned_[command->tag.value] = true;
    }
  }

  void turn_to_nearer_end(const HeadState& head) {
    core::Cylinder low = commands().oldest().extent.cylinder;
    core::Cylinder high = low;
    for (const Command* command : commands()) {
      low = std::min(low, command->extent.cylinder);
      high = std::max(high, command->extent.cylinder);
    }
    upward_ = distance(low, head.cylinder) <= distance(high, head.cylinder);
  }

  /// Removes the command from the plan, if it is there.
  void drop(Tag tag) {
    const auto at = std::find_if(plan_.begin(), plan_.end(), [tag](const Command* c) { return c->tag == tag; });
    if (at == plan_.end()) return;
    rest_ -= planner_.hold((*at)->extent);
    if (at != plan_.begin()) rest_ -= hop(**(at - 1), **at);
    if (at + 1 != plan_.end()) rest_ -= hop(**at, **(at + 1));
    if (at != plan_.begin() && at + 1 != plan_.end()) rest_ += hop(**(at - 1), **(at + 1));
    plan_.erase(at);
    planned_[tag.value] = false;
  }

  bool late_;
  bool plan_anew_ = false;
  bool begun_ = false;  ///< a command of the round has been served
  bool endless_ = false;
  bool upward_ = true;
  Picoseconds round_end_ = -1;
  std::vector<const Command*> plan_;  ///< what is left of the sweep
  std::vector<bool> planned_;         ///< by tag
  Picoseconds rest_ = 0;              ///< from the start of the plan's first transfer to the end of its last
};

}  // namespace

std::unique_ptr<SchedulerIf> create_famish(const SchedulerContext& context) {
  return std::make_unique<FamishScheduler>(context, false);
}
std::unique_ptr<SchedulerIf> create_famish_late(const SchedulerContext& context) {
  return std::make_unique<FamishScheduler>(context, true);
}

}  // namespace platter::scheduling
