// SPDX-License-Identifier: Apache-2.0
#include "platter/system/engines.h"

#include <fmt/format.h>

#include <stdexcept>

#include "platter/accelerator/accelerator_engine.h"

namespace platter::system {

namespace {

accelerator::AcceleratorParameters parameters_for(std::string_view engine, std::uint32_t queue_depth) {
  accelerator::AcceleratorParameters parameters = accelerator::RtlCore::built_parameters();
  if (engine == "model" && queue_depth > parameters.entries)
    parameters.entries = (queue_depth + parameters.lanes - 1) / parameters.lanes * parameters.lanes;
  return parameters;
}

}  // namespace

std::string engine_objection(std::string_view engine, const scheduling::PolicySpec& policy, std::uint32_t queue_depth,
                             const scheduling::Interpretations& interpretations) {
  const std::optional<EngineChoice> choice = find_engine(engine);
  if (!choice || !choice->row->accelerated) return {};
  if (policy.row->accelerated == scheduling::Accelerated::No)
    return fmt::format("engine {} does not support policy {}; use engine firmware", engine, policy.name());
  scheduling::Interpretations carried = interpretations;  // the accelerator supports any interpretation of these
  carried.cluster_from = {};
  carried.cluster_round = {};
  carried.postponed = {};
  if (!(carried == scheduling::Interpretations{}))
    return fmt::format(
        "engine {} supports the default interpretation of policies only, but for scheduling.cluster_from, "
        "scheduling.cluster_round and "
        "scheduling.postponed; "
        "use engine firmware for other values of scheduling.*",
        engine);
  return accelerator_objection(parameters_for(engine, queue_depth), policy, queue_depth);
}

std::string accelerator_objection(const accelerator::AcceleratorParameters& parameters, const scheduling::PolicySpec& policy,
                                  std::uint32_t queue_depth) {
  if (queue_depth > accelerator::AcceleratorParameters::kMostEntries)
    return fmt::format("the accelerator has at most {} entries, the queue has {}",
                       accelerator::AcceleratorParameters::kMostEntries, queue_depth);
  if (queue_depth > parameters.entries)
    return fmt::format(
        "the RTL is built with a table of {} entries, drive.queue.depth is {}; expected at most as many, or engine model",
        parameters.entries, queue_depth);
  if (policy.parameters.requests > parameters.order_m)
    return fmt::format("the accelerator is built for exact orders of at most {} requests, policy {} makes orders of {}",
                       parameters.order_m, policy.name(), policy.parameters.requests);
  return {};
}

engine::EngineFactory engine_factory(const EngineOptions& options) {
  return [options](const engine::EngineContext& context) -> std::unique_ptr<engine::EngineIf> {
    std::string objection = engine_objection(options.engine, *options.policy, context.queue_depth, options.interpretations);
    if (objection.empty()) objection = scheduling::placing_objection(*options.policy, context.free_space != nullptr);
    if (!objection.empty()) throw std::invalid_argument(objection);
    const EngineChoice choice = find_engine(options.engine).value();
    if (!choice.row->accelerated) {
      const engine::FirmwareCost cost{context.clock_period, options.firmware_base_cycles, options.firmware_candidate_cycles,
                                      options.firmware_order_cycles};
      const scheduling::SchedulerContext scheduler{
          context.planner,    context.queue_depth, cost.longest_wait(), options.interpretations, {},
          context.free_space, context.bind_reads};
      return std::make_unique<engine::FirmwareEngine>(
          "engine", [policy = *options.policy, scheduler] { return policy.create(scheduler); }, cost);
    }
    const accelerator::AcceleratorParameters parameters = parameters_for(options.engine, context.queue_depth);
    accelerator::AcceleratorEngine::Options engine;
    engine.policy = *options.policy;
    engine.interpretations = options.interpretations;
    engine.margin_ticks = static_cast<std::uint32_t>(options.accelerator.margin_ticks);
    engine.risk_ticks = static_cast<std::uint32_t>(options.accelerator.risk_ticks);
    engine.risk_probability = options.accelerator.risk_probability;
    engine.clock_period = core::to_picoseconds(1.0 / options.accelerator.clock_mhz, core::kPicosecondsPerMicrosecond);
    const std::string scope = context.drive == "disk" ? "sched" : context.drive + "_sched";  // scope of its RTL in waves
    std::unique_ptr<accelerator::BusCoreIf> core;
    if (options.engine == "model") {
      core = std::make_unique<accelerator::ReferenceCore>(parameters);
    } else if (choice.row->name == "rtl") {
      core =
          std::make_unique<accelerator::RtlCore>(engine.clock_period, options.tracing, scope, accelerator::RtlCore::Copy::Fast);
    } else {
      auto pair = std::make_unique<accelerator::LockstepCore>(
          std::make_unique<accelerator::ReferenceCore>(parameters),
          std::make_unique<accelerator::RtlCore>(engine.clock_period, options.tracing, scope,
                                                 accelerator::RtlCore::Copy::Checked),
          accelerator::Sampling{choice.compared, choice.interval, options.seed, context.drive});
      if (options.on_mismatch)
        pair->on_mismatch([tell = options.on_mismatch, drive = context.drive](
                              const accelerator::LockstepCore& of, const std::string& report) { tell(of, report, drive); });
      core = std::move(pair);
    }
    return std::make_unique<accelerator::AcceleratorEngine>("engine", context.planner, context.queue_depth, parameters, engine,
                                                            std::move(core));
  };
}

accelerator::RtlCore* rtl_of(engine::EngineIf& engine) {
  auto* accelerated = dynamic_cast<accelerator::AcceleratorEngine*>(&engine);
  if (accelerated == nullptr) return nullptr;
  if (auto* pair = dynamic_cast<accelerator::LockstepCore*>(&accelerated->target.core()))
    return dynamic_cast<accelerator::RtlCore*>(&pair->rtl());
  return dynamic_cast<accelerator::RtlCore*>(&accelerated->target.core());
}

}  // namespace platter::system
