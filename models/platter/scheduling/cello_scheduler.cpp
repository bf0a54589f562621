// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "platter/scheduling/class_budgets.h"
#include "platter/scheduling/policies.h"
#include "platter/scheduling/scan_edf_sweep.h"

namespace platter::scheduling {

namespace {

/// Cello (Shenoy and Vin 1998): budgets of disk time by class at the coarse grain; at the fine one continuous commands in the order of
/// SCAN-EDF, discrete ones in the slack before their deadlines, by an elevator, and background ones behind both.
/// docs/reference/policies.md has the rule.
class CelloScheduler : public SchedulerIf {
 public:
  explicit CelloScheduler(const SchedulerContext& context)
      : planner_(context.planner),
        budgets_(core::to_picoseconds(context.readings.budget_interval_s, core::kPicosecondsPerSecond),
                 context.parameters.shares),
        sweep_(context.planner, context.capacity, context.decision_bound),
        discrete_(create_look(context)),
        background_(create_look(context)),
        commands_(context.capacity) {}

  void insert(const Command& command) override {
    commands_[command.tag.value] = &command;
    ++count_;
    if (command.cls == RequestClass::Continuous)
      sweep_.insert(command);
    else
      best_effort(command.cls).insert(command);
  }

  void remove(Tag tag) override {
    const RequestClass cls = commands_[tag.value]->cls;
    if (cls == RequestClass::Continuous)
      sweep_.remove(tag);
    else
      best_effort(cls).remove(tag);
    --count_;
    if (picked_ != commands_[tag.value]) return;
    budgets_.charge(cls, picked_time_);
    picked_ = nullptr;
  }

  bool empty() const override { return count_ == 0; }
  DecisionWork work(const HeadState& /*head*/) override { return {count_, 0}; }
  const ClassBudgets* class_budgets() const override { return &budgets_; }

  Decision pick(const HeadState& head, Picoseconds now) override {
    if (count_ == 0) return {};
    look(head, now);
    return serve(next_class(head, now), head, now);
  }

  bool has_time(const HeadState& head, Picoseconds effective) override {
    if (sweep_.empty() || !budgets_.covers(RequestClass::Continuous, effective)) return true;
    sweep_.prepare(head);
    return sweep_.slack(head, effective) >= 0;
  }
  Decision next_of_sweep(const HeadState& head, Picoseconds now) override {
    look(head, now);
    return serve(RequestClass::Continuous, head, now);
  }

 private:
  /// Brings budgets and slack up to date.
  void look(const HeadState& head, Picoseconds now) {
    budgets_.begin(now);
    if (!sweep_.empty()) sweep_.prepare(head);
    budgets_.slack = sweep_.empty() ? core::kNoDeadline : sweep_.slack(head, now);
    budgets_.sweep = sweep_.empty() ? 0 : sweep_.duration();
  }
  /// The next command of a class that has one.
  Decision serve(RequestClass cls, const HeadState& head, Picoseconds now) {
    picked_ = cls == RequestClass::Continuous ? &sweep_.first() : &next_of(cls, head, now);
    picked_time_ = planner_.estimate(head, picked_->extent, now, picked_->data_ready, picked_->overhead_end).total();
    Decision decision = Decision::serve(picked_->tag);
    decision.forced = cls == RequestClass::Continuous && budgets_.slack < 0;
    return decision;
  }

  SchedulerIf& best_effort(RequestClass cls) { return cls == RequestClass::Discrete ? *discrete_ : *background_; }
  const Command& next_of(RequestClass cls, const HeadState& head, Picoseconds now) {
    return *commands_[best_effort(cls).pick(head, now).tag.value];
  }
  bool waits(RequestClass cls) const {
    switch (cls) {
      case RequestClass::Continuous: return !sweep_.empty();
      case RequestClass::Discrete: return !discrete_->empty();
      case RequestClass::Background: return !background_->empty();
    }
    return false;
  }

  RequestClass next_class(const HeadState& head, Picoseconds now) {
    constexpr auto kC = RequestClass::Continuous;
    constexpr auto kD = RequestClass::Discrete;
    constexpr auto kB = RequestClass::Background;
    const auto may = [this](RequestClass cls) { return waits(cls) && budgets_.covers(cls); };
    if (may(kD) && (!may(kC) || sweep_.slack_after(next_of(kD, head, now), head, now) >= 0)) return kD;
    if (may(kC)) return kC;
    if (may(kB)) return kB;
    // All that wait have used up their budgets: what others leave over goes to them.
    RequestClass best = kC;
    for (const RequestClass cls : {kD, kB})
      if (waits(cls) && (!waits(best) || budgets_.before(cls, best))) best = cls;
    return best;
  }

  const AccessPlanner& planner_;
  ClassBudgets budgets_;
  ScanEdfSweep sweep_;
  std::unique_ptr<SchedulerIf> discrete_;
  std::unique_ptr<SchedulerIf> background_;
  std::vector<const Command*> commands_;  ///< by tag
  std::size_t count_ = 0;
  const Command* picked_ = nullptr;
  Picoseconds picked_time_ = 0;
};

}  // namespace

std::unique_ptr<SchedulerIf> create_cello(const SchedulerContext& context) {
  return std::make_unique<CelloScheduler>(context);
}

}  // namespace platter::scheduling
