// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "platter/scheduling/class_budgets.h"
#include "platter/scheduling/policies.h"
#include "platter/scheduling/scan_edf_sweep.h"

namespace platter::scheduling {

namespace {

std::unique_ptr<SchedulerIf> create_elevator(const SchedulerContext& context) {
  switch (context.interpretations.cello_elevator) {
    case CelloElevator::Look: return create_look(context);
    case CelloElevator::Scan: return create_scan(context);
    case CelloElevator::CLook: break;
  }
  return create_c_look(context);
}

/// Cello (Shenoy and Vin 1998). At the coarse grain: budgets of disk time by class. At the fine grain: continuous commands in the order of
/// SCAN-EDF; discrete ones by an elevator, in the slack before the continuous deadlines; background ones after both.
/// docs/reference/policies.md has the rule.
class CelloScheduler : public SchedulerIf {
 public:
  explicit CelloScheduler(const SchedulerContext& context)
      : planner_(context.planner),
        after_run_(context.decision_bound == 0 ? 0 : context.decision_bound + context.planner.rotation().period()),
        budgets_(core::to_picoseconds(context.interpretations.budget_interval_s, core::kPicosecondsPerSecond),
                 context.parameters.shares),
        sweep_(context.planner, context.capacity, context.decision_bound, context.interpretations.cello_rotation),
        discrete_(create_elevator(context)),
        background_(create_elevator(context)),
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

  void withdraw(Tag tag) override {
    if (picked_ == commands_[tag.value]) picked_ = nullptr;  // it takes no disk time
    remove(tag);
  }

  bool empty() const override { return count_ == 0; }
  DecisionWork work(const HeadState& /*head*/) override { return {count_, 0}; }
  const ClassBudgets* class_budgets() const override { return &budgets_; }

  Decision pick(const HeadState& head, Picoseconds now) override {
    account_for_run(head);
    if (count_ == 0) return {};
    look(head, now);
    return serve(next_class(head, now), head, now);
  }

  void put_first(const Command& command, const HeadState& head, Picoseconds now, Rule /*rule*/) override {
    run_time_ = 0;
    choose(command, head, now);
  }

  bool knows_deadlines() const override { return true; }
  bool leaves_time(const Command& command, const HeadState& head, Picoseconds now) override {
    if (sweep_.empty() || in_sweep(command) || !budgets_.covers(RequestClass::Continuous, now)) return true;
    sweep_.prepare(head);
    return sweep_.slack_after(command, head, now) >= 0;
  }
  bool has_time(const HeadState& head, Picoseconds effective) override {
    if (sweep_.empty() || !budgets_.covers(RequestClass::Continuous, effective)) return true;
    sweep_.prepare(head);
    return sweep_.slack(head, effective) >= 0;
  }
  Decision next_of_sweep(const HeadState& head, Picoseconds now) override {
    account_for_run(head);
    look(head, now);
    return serve(RequestClass::Continuous, head, now);
  }

 private:
  /// Updates budgets and slack.
  void look(const HeadState& head, Picoseconds now) {
    budgets_.begin(now);
    if (!sweep_.empty()) sweep_.prepare(head);
    budgets_.slack = sweep_.empty() ? core::kNoDeadline : sweep_.slack(head, now);
    budgets_.sweep = sweep_.empty() ? 0 : sweep_.duration();
  }
  /// Charges a completed run to the edge to its class. If the decision was withdrawn, the arm is elsewhere and nothing is charged.
  void account_for_run(const HeadState& head) {
    if (run_time_ > 0 && head.cylinder == run_to_) budgets_.charge(run_class_, run_time_);
    run_time_ = 0;
  }
  /// The command to charge when it is served.
  void choose(const Command& command, const HeadState& head, Picoseconds now) {
    picked_ = &command;
    picked_time_ = planner_.estimate(head, command.extent, now, command.data_ready, command.overhead_end).total();
  }
  /// Serves the next command of a class that has one, or makes the run to the edge before it.
  Decision serve(RequestClass cls, const HeadState& head, Picoseconds now) {
    if (cls == RequestClass::Continuous) {
      choose(sweep_.first(), head, now);
    } else {
      const Decision next = best_effort(cls).pick(head, now);
      if (next.kind == Decision::Kind::Move) {
        picked_ = nullptr;
        run_class_ = cls;
        run_to_ = next.cylinder;
        run_time_ = travel(head, next.cylinder);
        return next;
      }
      choose(*commands_[next.tag.value], head, now);
    }
    Decision decision = Decision::serve(picked_->tag);
    decision.forced = cls == RequestClass::Continuous && budgets_.slack < 0;
    return decision;
  }

  SchedulerIf& best_effort(RequestClass cls) { return cls == RequestClass::Discrete ? *discrete_ : *background_; }
  Picoseconds travel(const HeadState& head, core::Cylinder to) const {
    Picoseconds seek = 0;
    Picoseconds settle = 0;
    planner_.move(head.cylinder, head.head, to, head.head, false, seek, settle);
    return seek;
  }
  /// True if the continuous commands meet their deadlines after the next discrete access, or after the run to the edge before it.
  bool slack_allows_discrete(const HeadState& head, Picoseconds now) {
    const Decision next = discrete_->pick(head, now);
    if (next.kind != Decision::Kind::Move) return sweep_.slack_after(*commands_[next.tag.value], head, now) >= 0;
    HeadState at_edge = head;
    at_edge.cylinder = next.cylinder;
    return sweep_.slack(at_edge, now + travel(head, next.cylinder)) >= after_run_;
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
    if (may(kD) && (!may(kC) || slack_allows_discrete(head, now))) return kD;
    if (may(kC)) return kC;
    if (may(kB)) return kB;
    // All waiting classes have used up their budgets. They share what the others leave over.
    RequestClass best = kC;
    for (const RequestClass cls : {kD, kB})
      if (waits(cls) && (!waits(best) || budgets_.before(cls, best))) best = cls;
    return best;
  }

  const AccessPlanner& planner_;
  Picoseconds after_run_;  ///< most that the decision at the edge delays the next transfer: a missed sector comes a turn later
  ClassBudgets budgets_;
  ScanEdfSweep sweep_;
  std::unique_ptr<SchedulerIf> discrete_;
  std::unique_ptr<SchedulerIf> background_;
  std::vector<const Command*> commands_;  ///< by tag
  std::size_t count_ = 0;
  const Command* picked_ = nullptr;
  Picoseconds picked_time_ = 0;
  RequestClass run_class_ = RequestClass::Discrete;
  core::Cylinder run_to_;
  Picoseconds run_time_ = 0;  ///< of the run to the edge that was decided; 0: none
};

}  // namespace

std::unique_ptr<SchedulerIf> create_cello(const SchedulerContext& context) { return std::make_unique<CelloScheduler>(context); }

}  // namespace platter::scheduling
