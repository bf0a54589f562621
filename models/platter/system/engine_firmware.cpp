// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "platter/engine/firmware_engine.h"
#include "platter/system/engines.h"

namespace platter::system {

namespace {

std::unique_ptr<engine::EngineIf> make_firmware_engine(const EngineOptions& options, const engine::EngineContext& context) {
  const engine::FirmwareCost cost{context.clock_period, options.firmware_base_cycles, options.firmware_candidate_cycles,
                                  options.firmware_order_cycles};
  const scheduling::SchedulerContext scheduler{
      context.planner,    context.queue_depth, cost.longest_wait(), options.interpretations, {},
      context.free_space, context.bind_reads,  options.rules,       options.arrivals};
  return std::make_unique<engine::FirmwareEngine>(
      context.module.c_str(), [policy = *options.policy, scheduler] { return policy.create(scheduler); }, cost);
}

}  // namespace

EngineInfo firmware_engine() {
  EngineInfo engine;
  engine.name = "firmware";
  engine.description = "the policy in exact arithmetic on the controller's processor";
  engine.make = make_firmware_engine;
  return engine;
}

}  // namespace platter::system
