// SPDX-License-Identifier: Apache-2.0
#include "platter/accelerator/cluster_program.h"

#include <algorithm>

namespace platter::accelerator {

using scheduling::Command;

ClusterProgram::ClusterProgram(const ProgramContext& context)
    : PartProgram(context),
      reach_(context.policy.parameters.cylinders > 0 ? context.policy.parameters.cylinders : context.cylinders) {}

std::uint32_t ClusterProgram::begin(RegisterPortIf& port, const DecisionContext& context) {
  plan();
  planned_upward_ = upward_;
  turned_ = false;
  from_ = context.head.cylinder.value;
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
    planned_upward_ = !planned_upward_;
    collect(port);
    return {std::nullopt, kCluster};
  }
  collecting_ = false;
  clusters_.order(port, count, planned_);
  return serve_part(port);
}

void ClusterProgram::collect(RegisterPortIf& port) {
  ClusterPort::Collect next;
  next.from = from_;
  next.span = reach_;
  next.most = most_;
  next.down = !planned_upward_;
  next.take_continuous = true;
  next.order = true;
  clusters_.collect(port, next);
}

bool ClusterProgram::came(ProgramHostIf& host, const Command& command) {
  if (scheduling::in_sweep(command)) recall(host, true);
  return true;
}

void ClusterProgram::gone(ProgramHostIf& host, const Command& /*command*/, bool /*of_part*/) {
  upward_ = planned_upward_;
  if (sweep().empty()) recall(host, true);
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
