// SPDX-License-Identifier: Apache-2.0
#include "platter/accelerator/cluster_program.h"

#include <algorithm>

namespace platter::accelerator {

using scheduling::Command;

ClusterProgram::ClusterProgram(const ProgramContext& context)
    : PartProgram(context),
      reach_(context.policy.parameters.cylinders > 0 ? context.policy.parameters.cylinders : context.cylinders),
      last_cylinder_(context.cylinders - 1),
      from_arm_(context.interpretations.cluster_from == scheduling::ClusterFrom::Arm),
      restarts_(context.interpretations.cluster_round == scheduling::ClusterRound::Restart) {}

std::uint32_t ClusterProgram::begin(RegisterPortIf& port, const DecisionContext& context) {
  plan(context);
  plan_ = state_;
  turned_ = false;
  if (restart_) {
    plan_.upward = !context.sweep_down;
    plan_.front = plan_.upward ? 0 : last_cylinder_;
    plan_.at_front = true;
  }
  from_ = plan_.at_front ? plan_.front : context.head.cylinder.value;
  collecting_ = planned_.empty();
  if (!collecting_) return serve_part(port).operation;
  collect(port);
  return kCluster;
}

AcceleratorProgram::Step ClusterProgram::ended(RegisterPortIf& port) {
  if (!collecting_) return checked(port);
  const std::uint32_t count = clusters_.count(port);
  if (count == 0 && !turned_) {
    turned_ = true;
    plan_.upward = !plan_.upward;
    collect(port);
    return {std::nullopt, kCluster};
  }
  collecting_ = false;
  clusters_.order(port, count, planned_);
  plan_.end = from_;
  for (const core::Tag tag : planned_) {
    const std::uint32_t cylinder = command(tag).extent.cylinder.value;
    plan_.end = plan_.upward ? std::max(plan_.end, cylinder) : std::min(plan_.end, cylinder);
  }
  return serve_part(port);
}

void ClusterProgram::collect(RegisterPortIf& port) {
  ClusterPort::Collect next;
  next.from = from_;
  next.span = reach_;
  next.most = most_;
  next.down = !plan_.upward;
  next.take_continuous = true;
  next.order = true;
  clusters_.collect(port, next);
}

bool ClusterProgram::came(ProgramHostIf& host, const Command& command) {
  if (!scheduling::in_sweep(command)) return true;
  if (sweep().empty() && restarts_) {
    restart_ = true;
    part_.clear();
  }
  recall(host, until_.came(sweep().empty(), command.deadline));
  return true;
}

void ClusterProgram::gone(ProgramHostIf& host, const Command& /*command*/, bool /*of_part*/, bool whole) {
  restart_ = false;
  state_ = plan_;
  if (whole) {
    state_.front = state_.end;
    state_.at_front = !from_arm_;
  }
  if (sweep().empty()) recall(host, until_.last_served());
}

void ClusterProgram::given_up(ProgramHostIf& host) {
  part_.clear();
  if (sweep().empty()) recall(host, until_.last_served());
}

Effort ClusterProgram::most_effort(std::uint32_t entries) const {
  Effort effort;
  effort.clusters = 2;
  effort.ordered = std::min(most_, entries);
  effort.accesses = 2 + ClusterPort::kCollectAccesses + ClusterPort::kOrderAccesses;
  add_checks(effort, effort.ordered, true);
  return effort;
}

Effort ClusterProgram::effort(std::uint32_t entries) const {
  if (part_.empty()) return most_effort(entries);
  Effort effort;
  effort.accesses = 0;
  add_checks(effort, static_cast<std::uint32_t>(part_.size()), !sweep().empty());
  return effort;
}

}  // namespace platter::accelerator
