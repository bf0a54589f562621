// SPDX-License-Identifier: Apache-2.0
#include "platter/accelerator/accelerator_program.h"

#include <stdexcept>

#include "platter/accelerator/cluster_program.h"
#include "platter/accelerator/elevator_program.h"
#include "platter/accelerator/interval_program.h"
#include "platter/accelerator/limited_program.h"
#include "platter/accelerator/registers.h"
#include "platter/accelerator/slack_program.h"

namespace platter::accelerator {

using scheduling::Decision;

Decision decision_of(std::uint32_t result) {
  if ((result >> reg::kResultValidLsb & 1) == 0) return {};
  Decision decision = Decision::serve(core::Tag(static_cast<std::uint16_t>(result & ((1u << reg::kResultTagWidth) - 1))));
  decision.forced = (result >> reg::kResultForcedLsb & 1) != 0;
  return decision;
}

std::uint32_t SptfProgram::control() const {
  return (static_cast<std::uint32_t>(guarded()) << reg::kCtrlGuardEnLsb) |
         (static_cast<std::uint32_t>(guard_ == scheduling::GuardMode::NextContinuous) << reg::kCtrlNextCOnlyLsb);
}

void SptfProgram::stage(RegisterPortIf& port, const scheduling::Command& command) {
  if (aged()) port.set(reg::kEAge, scale_.time_of_day(weight_.of(command.arrival)));
}

std::uint32_t SptfProgram::begin(RegisterPortIf& port, const DecisionContext& context) {
  if (aged()) port.set(reg::kAgeNow, scale_.time_of_day(weight_.of(context.instant)));
  return kDecide;
}

AcceleratorProgram::Step SptfProgram::ended(RegisterPortIf& port) { return {decision_of(port.read(reg::kResult)), kDecide}; }

std::unique_ptr<AcceleratorProgram> make_program(const ProgramContext& context) {
  const scheduling::PolicySpec& policy = context.policy;
  switch (policy.row->accelerated) {
    case scheduling::Accelerated::Elevator: return std::make_unique<ElevatorProgram>(context);
    case scheduling::Accelerated::Sptf:
      return std::make_unique<SptfProgram>(policy.row->guard, policy.parameters.weight, context.scale);
    case scheduling::Accelerated::Intervals: return std::make_unique<IntervalProgram>(context);
    case scheduling::Accelerated::Clusters: return std::make_unique<ClusterProgram>(context);
    case scheduling::Accelerated::Limited: return std::make_unique<LimitedProgram>(context);
    case scheduling::Accelerated::Slack: return std::make_unique<SlackProgram>(context);
    case scheduling::Accelerated::No: break;
  }
  throw std::invalid_argument("the accelerator does not support policy " + policy.name());
}

}  // namespace platter::accelerator
