// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "platter/scheduling/command_set.h"
#include "platter/scheduling/deadline_times.h"
#include "platter/scheduling/limit_window.h"
#include "platter/scheduling/policies.h"
#include "platter/scheduling/wrapped_scheduler.h"

namespace platter::scheduling {

namespace {

/// SPTF, plain or aged, for commands with duration limits and with priority. A limited command is held back until its time comes
/// (LimitWindow), and then competes with all others. One that is late goes first, and so does a command with priority. A guideline may put a
/// command first only as far as its share of the throughput allows (CostAccount). OwnDeadlines around this policy puts a command first that
/// would otherwise be late.
class LimitedScheduler : public WrappedScheduler {
 public:
  explicit LimitedScheduler(const SchedulerContext& context)
      : WrappedScheduler(create_sptf(context)),
        planner_(context.planner),
        times_(context.planner),
        account_(context.planner.longest_hop()),
        commands_(context.capacity),
        held_(context.capacity),
        admitted_(context.capacity),
        urgent_(context.capacity) {
    moved_.reserve(context.capacity);
  }

  void insert(const Command& command) override {
    commands_[command.tag.value] = &command;
    ++count_;
    if (command.guideline) account_.set_share(command.guideline_cost_permille);
    const bool guarded = in_sweep(command);  // such a command is not held back, because the guard has to know it
    if (command.high_priority)
      urgent_.insert(command);
    else if (command.limited)
      (guarded ? admitted_ : held_).insert(command);
    if (guarded || !(command.high_priority || command.limited)) policy_->insert(command);
  }

  void remove(Tag tag) override {
    if (picked_.known && picked_.tag == tag) {
      window_.served(picked_.instant, count_ - 1);
      account_.charge(picked_.extra);
    }
    leave(tag, [this](Tag left) { policy_->remove(left); });
  }

  void withdraw(Tag tag) override {
    leave(tag, [this](Tag left) { policy_->withdraw(left); });
  }

  bool empty() const override { return count_ == 0; }

  /// A limited command may be examined twice: for its time, and as a candidate.
  DecisionWork work(const HeadState& head) override {
    DecisionWork work = policy_->work(head);
    work.candidates += 2 * held_.size() + admitted_.size() + urgent_.size();
    return work;
  }

  Decision pick(const HeadState& head, Picoseconds now) override {
    account_.passed(now);
    picked_ = {};
    admit(now);
    Decision decision = policy_->pick(head, now);
    if (decision.forced) return decision;
    const Command* const cheapest = decision.kind == Decision::Kind::Serve ? commands_[decision.tag.value] : nullptr;
    choice_ = cheapest != nullptr ? positioning(*cheapest, head, now) : kNoDeadline;
    const Command* chosen = nullptr;
    Picoseconds time = 0;
    const auto consider = [&](const Command& command) {
      const Picoseconds own = positioning(command, head, now);
      if (chosen != nullptr && (own > time || (own == time && older(*chosen, command)))) return;
      if (&command != cheapest && !leaves_time(command, head, now)) return;
      chosen = &command;
      time = own;
    };
    for (const Command* command : urgent_) consider(*command);
    for (const Command* command : admitted_)
      if (times_.late(*command, head, now)) consider(*command);
    if (chosen == nullptr && cheapest == nullptr)
      for (const Command* command : held_) consider(*command);  // there is nothing else to do
    if (chosen == nullptr) {
      if (cheapest != nullptr) picked_ = {cheapest->tag, now, 0, true};
      return decision;
    }
    picked_ = {chosen->tag, now, extra(*chosen, time), true};
    return Decision::serve(chosen->tag, chosen == cheapest ? Rule::Policy : Rule::Deadline);
  }

  Decision next_of_sweep(const HeadState& head, Picoseconds now) override {
    picked_ = {};
    return policy_->next_of_sweep(head, now);
  }

  bool leaves_time(const Command& command, const HeadState& head, Picoseconds now) override {
    return policy_->leaves_time(command, head, now) &&
           (!command.guideline || account_.allows(extra(command, positioning(command, head, now))));
  }

  void put_first(const Command& command, const HeadState& head, Picoseconds now) override {
    picked_ = {command.tag, now, extra(command, positioning(command, head, now)), true};
  }

 private:
  /// The command that the last decision has picked, or that a rule has put first instead.
  struct Picked {
    Tag tag;
    Picoseconds instant = 0;  ///< at which its access begins
    Picoseconds extra = 0;    ///< what a guideline costs
    bool known = false;
  };

  Picoseconds positioning(const Command& command, const HeadState& head, Picoseconds now) const {
    return planner_.estimate(head, command.extent, now, command.data_ready, command.overhead_end).positioning();
  }
  /// By how much the positioning of a command with a guideline is longer than that of the policy's choice.
  Picoseconds extra(const Command& command, Picoseconds time) const {
    return command.guideline && choice_ != kNoDeadline ? std::max<Picoseconds>(time - choice_, 0) : 0;
  }

  /// Lets the commands compete whose time has come.
  void admit(Picoseconds now) {
    if (held_.empty()) return;
    moved_.clear();
    for (const Command* command : held_)
      if (window_.reached(*command, count_, now)) moved_.push_back(command);
    for (const Command* command : moved_) {
      held_.remove(command->tag);
      admitted_.insert(*command);
      policy_->insert(*command);
    }
  }

  template <typename Take>
  void leave(Tag tag, const Take& take) {
    const Command& command = *commands_[tag.value];
    commands_[tag.value] = nullptr;
    --count_;
    urgent_.remove(tag);
    const std::size_t held = held_.size();
    held_.remove(tag);
    const bool was_held = held_.size() < held;
    admitted_.remove(tag);
    if (!was_held && (!command.high_priority || in_sweep(command))) take(tag);
  }

  const AccessPlanner& planner_;
  DeadlineTimes times_;
  LimitWindow window_;
  CostAccount account_;
  std::vector<const Command*> commands_;  ///< by tag
  CommandSet held_;                       ///< limited, their time has not come
  CommandSet admitted_;                   ///< limited, they compete
  CommandSet urgent_;                     ///< with priority
  std::vector<const Command*> moved_;     ///< scratch space of `admit`
  std::size_t count_ = 0;
  Picoseconds choice_ = kNoDeadline;  ///< positioning time of the inner policy's last choice; kNoDeadline: it had none
  Picked picked_;
};

}  // namespace

std::unique_ptr<SchedulerIf> create_limited_sptf(const SchedulerContext& context) {
  return std::make_unique<LimitedScheduler>(context);
}

}  // namespace platter::scheduling
