// SPDX-License-Identifier: Apache-2.0
#include "platter/accelerator/interval_program.h"

#include <algorithm>

namespace platter::accelerator {

using scheduling::Command;

IntervalProgram::IntervalProgram(const ProgramContext& context)
    : PartProgram(context), last_cylinder_(context.cylinders - 1), capacity_(context.queue_depth) {
  bounds_.reserve(capacity_);
  state_.high = last_cylinder_;
  state_.parts.reserve(capacity_);
  plan_.parts.reserve(capacity_);
}

// --- a decision ------------------------------------------------------------------------------------------------------

std::uint32_t IntervalProgram::begin(RegisterPortIf& port, const DecisionContext& context) {
  plan(context);
  plan_ = state_;
  turned_ = false;
  if (!sweep().empty()) {
    plan_.upward = !context.sweep_down;
    const std::uint32_t from = !from_edge_ ? from_ : plan_.upward ? 0 : last_cylinder_;
    std::uint32_t next = sweep().front()->extent.cylinder.value;
    for (const Command* command : sweep()) {
      const std::uint32_t cylinder = command->extent.cylinder.value;
      next = plan_.upward ? std::min(next, cylinder) : std::max(next, cylinder);
    }
    plan_.low = std::min(from, next);
    plan_.high = std::max(from, next);
  }
  if (!planned_.empty()) return decide(serve_part(port)).operation;
  if (!plan_.parts.empty()) return order_part(port).operation;
  if (orders() && plan_.listed && sweep().empty()) return find_beyond(port).operation;
  return find(port, plan_.first(), Phase::Present).operation;
}

AcceleratorProgram::Step IntervalProgram::ended(RegisterPortIf& port) {
  if (phase_ == Phase::Decide) return checked(port);
  const std::uint32_t count = clusters_.count(port);
  switch (phase_) {
    case Phase::Present: {
      if (count == 0) return none_in_interval(port);
      const std::uint32_t cylinder = command(clusters_.first(port)).extent.cylinder.value;
      return plan_.covers(cylinder) ? take_interval(port, cylinder) : none_in_interval(port);
    }
    case Phase::Beyond: {
      if (count == 0) return none_beyond(port);
      const std::uint32_t cylinder = command(clusters_.first(port)).extent.cylinder.value;
      enter_interval_of(plan_, cylinder);
      return take_interval(port, cylinder);
    }
    case Phase::Count:
      plan_.listed = true;
      if (!orders()) return decide(serve_collected(port));
      halve(count);
      return order_part(port);
    default:
      clusters_.order(port, count, planned_);
      plan_.parts.erase(plan_.parts.begin());
      return decide(serve_part(port));
  }
}

/// Finds the first D-request from cylinder `from` on in the elevator's direction.
AcceleratorProgram::Step IntervalProgram::find(RegisterPortIf& port, std::uint32_t from, Phase phase) {
  ClusterPort::Collect one;
  one.from = from;
  one.most = 1;
  one.down = !plan_.upward;
  clusters_.collect(port, one);
  phase_ = phase;
  return {std::nullopt, kCluster};
}

AcceleratorProgram::Step IntervalProgram::none_in_interval(RegisterPortIf& port) {
  plan_.listed = false;
  return sweep().empty() ? find_beyond(port) : decide(serve_sweep(port));
}

AcceleratorProgram::Step IntervalProgram::find_beyond(RegisterPortIf& port) {
  if (plan_.last() == (plan_.upward ? last_cylinder_ : 0)) return none_beyond(port);
  return find(port, plan_.upward ? plan_.high + 1 : plan_.low - 1, Phase::Beyond);
}

AcceleratorProgram::Step IntervalProgram::none_beyond(RegisterPortIf& port) {
  if (turned_) return decide(serve_sweep(port));  // there is no D-request in either direction
  turned_ = true;
  const bool may_be_in_interval = orders() && plan_.listed;
  plan_.upward = !plan_.upward;
  return may_be_in_interval ? find(port, plan_.first(), Phase::Present) : find_beyond(port);
}

AcceleratorProgram::Step IntervalProgram::take_interval(RegisterPortIf& port, std::uint32_t from) {
  ClusterPort::Collect all;
  all.from = from;
  all.span = plan_.upward ? plan_.high - from : from - plan_.low;
  all.down = !plan_.upward;
  clusters_.collect(port, all);
  phase_ = Phase::Count;
  return {std::nullopt, kCluster};
}

AcceleratorProgram::Step IntervalProgram::order_part(RegisterPortIf& port) {
  ClusterPort::Collect part;
  part.from = plan_.first();
  part.most = plan_.parts.front();
  part.down = !plan_.upward;
  part.order = true;
  clusters_.collect(port, part);
  phase_ = Phase::Order;
  return {std::nullopt, kCluster};
}

void IntervalProgram::halve(std::uint32_t count) {
  if (count > most_) {
    halve((count + 1) / 2);
    halve(count / 2);
    return;
  }
  plan_.parts.push_back(count);
}

/// Adds the DECIDE operations of a part or, for CI-SPTF, of an interval.
void IntervalProgram::add_refusals(Effort& effort, std::uint32_t commands, bool any_refused) const {
  add_checks(effort, commands, any_refused);
  if (!any_refused) return;
  if (orders()) {  // the check whether the sweep's first command would pass later, too
    effort.decides += 1;
    effort.accesses += 5;
  } else {  // turning the guard off, and saving and restoring the mask
    effort.accesses += 2 + 2 * clusters_.mask_words();
  }
}

Effort IntervalProgram::effort_to_begin(std::uint32_t entries, bool any_refused) const {
  Effort effort;
  effort.clusters = orders() ? 6 : 4;
  effort.ordered = std::min(most_, entries);
  effort.accesses =
      effort.clusters * (1 + ClusterPort::kCollectAccesses) + 4 * clusters_.mask_words() + ClusterPort::kOrderAccesses;
  add_refusals(effort, orders() ? effort.ordered : entries, any_refused);
  return effort;
}

Effort IntervalProgram::effort(std::uint32_t entries) const {
  if (part_.empty()) return effort_to_begin(entries, orders() || !sweep().empty());
  Effort effort;
  effort.accesses = 0;
  add_refusals(effort, static_cast<std::uint32_t>(part_.size()), !sweep().empty());
  return effort;
}

// --- commands --------------------------------------------------------------------------------------------------------

bool IntervalProgram::came(ProgramHostIf& host, const Command& command) {
  const std::uint32_t cylinder = command.extent.cylinder.value;
  if (!scheduling::in_sweep(command))  // a command for the list's interval waits until the list has been served
    return (part_.empty() && state_.parts.empty()) || !state_.covers(cylinder);
  if (sweep().empty()) {  // a new round
    bounds_.clear();
    from_edge_ = true;
  }
  if (bounds_.size() == capacity_) bounds_.erase(bounds_.begin());
  bounds_.push_back(cylinder);
  plan_anew(host, until_.came(sweep().empty(), command.deadline));
  return true;
}

void IntervalProgram::gone(ProgramHostIf& host, const Command& command, bool of_part, bool /*whole*/) {
  state_ = plan_;
  if (!of_part) end_list();
  if (scheduling::in_sweep(command)) {
    from_edge_ = false;
    from_ = command.extent.cylinder.value;
    if (sweep().empty()) {
      plan_anew(host, until_.last_served());
      enter_interval_beyond(from_);
      return;
    }
  }
  if (part_.empty() && state_.parts.empty()) recall(host, false);
}

void IntervalProgram::given_up(ProgramHostIf& host) { plan_anew(host, sweep().empty() && until_.last_served()); }

void IntervalProgram::end_list() {
  part_.clear();
  state_.parts.clear();
}

void IntervalProgram::gone_on(ProgramHostIf& host) {
  state_ = plan_;
  if (state_.parts.empty()) recall(host, false);
}

void IntervalProgram::plan_anew(ProgramHostIf& host, bool postponed_too) {
  end_list();
  state_.listed = false;
  recall(host, postponed_too);
}

/// After the round's last continuous request: enters the interval that begins at that request.
void IntervalProgram::enter_interval_beyond(std::uint32_t cylinder) {
  state_.low = state_.upward ? cylinder : 0;
  state_.high = state_.upward ? last_cylinder_ : cylinder;
  for (const std::uint32_t bound : bounds_) {
    if (bound > cylinder && state_.upward) state_.high = std::min(state_.high, bound);
    if (bound < cylinder && !state_.upward) state_.low = std::max(state_.low, bound);
  }
}

/// Enters the interval that contains `cylinder`; at a bound, the one that the elevator meets first.
void IntervalProgram::enter_interval_of(State& state, std::uint32_t cylinder) const {
  state.low = 0;
  state.high = last_cylinder_;
  for (const std::uint32_t bound : bounds_) {
    if (state.upward ? bound < cylinder : bound <= cylinder) state.low = std::max(state.low, bound);
    if (state.upward ? bound >= cylinder : bound > cylinder) state.high = std::min(state.high, bound);
  }
}

}  // namespace platter::accelerator
