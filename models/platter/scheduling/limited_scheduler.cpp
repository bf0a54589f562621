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
        dated_(context.capacity),
        urgent_(context.capacity) {
    moved_.reserve(context.capacity);
  }

  void insert(const Command& command) override {
    commands_[command.tag.value] = &command;
    ++count_;
    if (command.guideline) account_.set_share(command.guideline_cost_permille);
    if (LimitWindow::holds_back(command)) {
      held_.insert(command);
      return;
    }
    if (command.high_priority)
      urgent_.insert(command);
    else if (command.limited || has_own_deadline(command))
      dated_.insert(command);
    policy_->insert(command);
  }

  void remove(Tag tag) override {
    window_.served(picked_.instant, count_ - 1);
    account_.charge(picked_.extra);
    picked_ = {};
    leave(tag, [this](Tag left) { policy_->remove(left); });
  }

  void withdraw(Tag tag) override {
    leave(tag, [this](Tag left) { policy_->withdraw(left); });
    window_.withdrawn(count_);
  }

  bool empty() const override { return count_ == 0; }

  /// A command with a limit, a deadline or priority may be examined twice: for that, and as a candidate.
  DecisionWork work(const HeadState& head) override {
    DecisionWork work = policy_->work(head);
    work.candidates += 2 * held_.size() + dated_.size() + urgent_.size();
    return work;
  }

  Decision pick(const HeadState& head, Picoseconds now) override {
    account_.passed(now);
    admit(now);
    Decision decision = policy_->pick(head, now);
    picked_ = {now, 0};
    only_held_ = false;
    if (decision.forced) return decision;
    const Command* const cheapest = decision.kind == Decision::Kind::Serve ? commands_[decision.tag.value] : nullptr;
    choice_ = cheapest != nullptr ? positioning(*cheapest, head, now) : kNoDeadline;
    const Command* chosen = nullptr;
    Picoseconds time = 0;
    const auto consider = [&](const Command& command) {
      const Picoseconds own = positioning(command, head, now);
      if (chosen != nullptr && (own > time || (own == time && older(*chosen, command)))) return;
      if (&command != cheapest && !leaves_time(command, head, now)) return;
      if (pays(command) && !account_.allows(extra(command, own))) return;
      chosen = &command;
      time = own;
    };
    for (const Command* command : urgent_) consider(*command);
    for (const Command* command : dated_)
      if (!pays(*command) && times_.late(*command, head, now)) consider(*command);
    if (chosen != nullptr) choice_ = time;  // what a guideline would change
    for (const Command* command : dated_)
      if (pays(*command) && times_.late(*command, head, now)) consider(*command);
    only_held_ = chosen == nullptr && cheapest == nullptr;
    if (only_held_)
      for (const Command* command : held_) consider(*command);  // there is nothing else to do
    if (chosen == nullptr) return decision;
    picked_.extra = extra(*chosen, time);
    const Rule rule = chosen->high_priority ? Rule::Priority : Rule::Deadline;
    return Decision::serve(chosen->tag, chosen == cheapest || only_held_ ? Rule::Policy : rule);
  }

  Decision next_of_sweep(const HeadState& head, Picoseconds now) override {
    account_.passed(now);
    picked_ = {now, 0};
    only_held_ = false;
    return policy_->next_of_sweep(head, now);
  }

  bool held_back(Tag tag) const override {
    return !only_held_ && std::any_of(held_.begin(), held_.end(), [tag](const Command* held) { return held->tag == tag; });
  }

  bool affords(const Command& command, const HeadState& head, Picoseconds now) override {
    return !pays(command) || account_.allows(extra(command, positioning(command, head, now)));
  }

  void put_first(const Command& command, const HeadState& head, Picoseconds now, Rule rule) override {
    picked_ = {now, rule == Rule::Deadline ? extra(command, positioning(command, head, now)) : 0};
  }

 private:
  /// The access that the last decision begins.
  struct Picked {
    Picoseconds instant = 0;
    Picoseconds extra = 0;  ///< what a guideline costs
  };

  /// A guideline that puts the command first has to be paid for. Priority has no account.
  static bool pays(const Command& command) { return command.guideline && !command.high_priority; }
  Picoseconds positioning(const Command& command, const HeadState& head, Picoseconds now) const {
    return planner_.estimate(head, command.extent, now, command.data_ready, command.overhead_end).positioning();
  }
  /// By how much the positioning of a command with a guideline is longer than that of the choice without guidelines.
  Picoseconds extra(const Command& command, Picoseconds time) const {
    return pays(command) && choice_ != kNoDeadline ? std::max<Picoseconds>(time - choice_, 0) : 0;
  }

  /// Lets the commands compete whose time has come.
  void admit(Picoseconds now) {
    if (held_.empty()) return;
    moved_.clear();
    for (const Command* command : held_)
      if (window_.reached(*command, count_, now)) moved_.push_back(command);
    for (const Command* command : moved_) {
      held_.remove(command->tag);
      dated_.insert(*command);
      policy_->insert(*command);
    }
  }

  template <typename Take>
  void leave(Tag tag, const Take& take) {
    commands_[tag.value] = nullptr;
    --count_;
    if (urgent_.remove(tag) || dated_.remove(tag) || !held_.remove(tag)) take(tag);
  }

  const AccessPlanner& planner_;
  DeadlineTimes times_;
  LimitWindow window_;
  CostAccount account_;
  std::vector<const Command*> commands_;  ///< by tag
  CommandSet held_;                       ///< limited, their time has not come
  CommandSet dated_;                      ///< with a limit or deadline; they compete
  CommandSet urgent_;                     ///< with priority
  std::vector<const Command*> moved_;     ///< scratch space of `admit`
  std::size_t count_ = 0;
  Picoseconds choice_ = kNoDeadline;  ///< positioning time of the inner policy's last choice; kNoDeadline: it had none
  Picked picked_;
  bool only_held_ = false;  ///< at the last decision only commands held back waited, so they competed
};

}  // namespace

std::unique_ptr<SchedulerIf> create_limited_sptf(const SchedulerContext& context) {
  return std::make_unique<LimitedScheduler>(context);
}

}  // namespace platter::scheduling
