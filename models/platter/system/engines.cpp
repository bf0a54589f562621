// SPDX-License-Identifier: Apache-2.0
#include "platter/system/engines.h"

#include <fmt/format.h>

#include <stdexcept>

#include "platter/accelerator/accelerator_engine.h"

namespace platter::system {

namespace {

/// An accelerator whose accesses somebody is told of.
class ObservedCore : public accelerator::BusCoreIf {
 public:
  using Observer = std::function<void(const accelerator::BusRequest&, const accelerator::BusResponse&)>;
  ObservedCore(std::unique_ptr<accelerator::BusCoreIf> core, Observer observer)
      : core_(std::move(core)), observer_(std::move(observer)) {}

  accelerator::BusResponse access(const accelerator::BusRequest& request) override {
    const accelerator::BusResponse response = core_->access(request);
    observer_(request, response);
    return response;
  }
  void reset() override { core_->reset(); }
  engine::EngineStatistics statistics() const override { return core_->statistics(); }
  accelerator::RtlCore* rtl() override { return core_->rtl(); }

 private:
  std::unique_ptr<accelerator::BusCoreIf> core_;
  Observer observer_;
};

/// The whole table of these options. Precondition: `lanes` is not 0.
accelerator::AcceleratorParameters parameters_for(const accelerator::AcceleratorOptions& options, std::uint32_t queue_depth) {
  accelerator::AcceleratorParameters parameters = accelerator::RtlCore::built_parameters();
  parameters.lanes = static_cast<std::uint32_t>(options.lanes);
  parameters.order_m = static_cast<std::uint32_t>(options.order_m);
  parameters.format.angle_w = static_cast<unsigned>(options.angle_bits);
  parameters.features = static_cast<std::uint32_t>(options.features);
  if (options.entries != 0)
    parameters.entries = static_cast<std::uint32_t>(options.entries);
  else if (queue_depth > parameters.entries)
    parameters.entries = (queue_depth + parameters.lanes - 1) / parameters.lanes * parameters.lanes;
  return parameters;
}

/// Why no accelerator can have these sizes; empty if one can.
Objection size_objection(const accelerator::AcceleratorOptions& options) {
  const std::int64_t lanes = options.lanes;
  if ((lanes & (lanes - 1)) != 0) return {"accelerator.lanes", fmt::format("found {}, expected 1, 2, 4, 8 or 16", lanes)};
  if (options.order_m == 1) return {"accelerator.order_m", "found 1, expected 0 (no orderer) or 2 to 12"};
  const std::int64_t entries = options.entries;
  if (entries == 0) return {};
  if (entries < 4 || entries % lanes != 0)
    return {"accelerator.entries",
            fmt::format("found {}, expected a multiple of the {} lanes from 4 to 256, or 0", entries, lanes)};
  if (options.order_m > entries)
    return {"accelerator.order_m",
            fmt::format("found {}, expected at most the {} entries of the table", options.order_m, entries)};
  return {};
}

/// Why the RTL as it is built is not this accelerator; empty if it is.
Objection built_objection(const accelerator::AcceleratorParameters& wanted) {
  const accelerator::AcceleratorParameters built = accelerator::RtlCore::built_parameters();
  const auto differs = [](std::string_view key, const auto& found, const auto& expected) -> Objection {
    return {fmt::format("accelerator.{}", key),
            fmt::format("found {0}, expected {1}, with which the RTL is built, or engine model", found, expected)};
  };
  if (wanted.lanes != built.lanes) return differs("lanes", wanted.lanes, built.lanes);
  if (wanted.order_m != built.order_m) return differs("order_m", wanted.order_m, built.order_m);
  if (wanted.format.angle_w != built.format.angle_w) return differs("angle_bits", wanted.format.angle_w, built.format.angle_w);
  if (wanted.features != built.features)
    return differs("features", accelerator::feature_names(wanted.features), accelerator::feature_names(built.features));
  if (wanted.entries != built.entries) return differs("entries", wanted.entries, built.entries);
  return {};
}

}  // namespace

Objection engine_objection(std::string_view engine, const scheduling::PolicySpec& policy, std::uint32_t queue_depth,
                           const scheduling::Interpretations& interpretations,
                           const accelerator::AcceleratorOptions& accelerator) {
  if (!is_accelerated(engine)) return {};
  if (find_engine(engine)->row->has_rtl && !accelerator::RtlCore::is_built())
    return {"engine",
            fmt::format("found \"{}\", but this build of Platter is without the accelerator's RTL (PLATTER_BUILD_RTL=OFF), "
                        "expected firmware or model",
                        engine)};
  if (policy.row->accelerated == scheduling::Accelerated::No)
    return {"engine", fmt::format("engine {} does not support policy {}; use engine firmware", engine, policy.name())};
  scheduling::Interpretations carried = interpretations;  // the accelerator supports any interpretation of these
  carried.cluster_from = {};
  carried.cluster_round = {};
  carried.postponed = {};
  if (!(carried == scheduling::Interpretations{}))
    return {"engine",
            fmt::format("engine {} supports only the default values of scheduling.*, except for scheduling.cluster_from, "
                        "scheduling.cluster_round and scheduling.postponed; use engine firmware for other values",
                        engine)};
  if (Objection objection = size_objection(accelerator); !objection.empty()) return objection;
  const accelerator::AcceleratorParameters wanted = parameters_for(accelerator, queue_depth);
  if (accelerator.entries != 0 && queue_depth > wanted.entries)
    return {"accelerator.entries",
            fmt::format("found {}, expected at least the {} of drive.queue.depth, or 0", wanted.entries, queue_depth)};
  if (engine == "model") return accelerator_objection(wanted, policy, queue_depth);
  const accelerator::AcceleratorParameters built = accelerator::RtlCore::built_parameters();
  if (accelerator.entries == 0 && queue_depth > built.entries) return accelerator_objection(built, policy, queue_depth);
  if (Objection objection = built_objection(wanted); !objection.empty()) return objection;
  return accelerator_objection(built, policy, queue_depth);
}

Objection accelerator_objection(const accelerator::AcceleratorParameters& parameters, const scheduling::PolicySpec& policy,
                                std::uint32_t queue_depth) {
  if (queue_depth > accelerator::AcceleratorParameters::kMostEntries)
    return {"drive.queue.depth",
            fmt::format("found {}, expected at most {}, the largest number of queue entries of the accelerator", queue_depth,
                        accelerator::AcceleratorParameters::kMostEntries)};
  if (queue_depth > parameters.entries)
    return {
        "drive.queue.depth",
        fmt::format("found {}, expected at most {}, the number of queue entries with which the RTL is built, or engine model",
                    queue_depth, parameters.entries)};
  if (policy.row->accelerated == scheduling::Accelerated::Slack && !parameters.has(accelerator::kAgeing))
    return {"accelerator.features", fmt::format("found {}, expected \"ageing\" among them, which policy {} needs",
                                                accelerator::feature_names(parameters.features), policy.name())};
  if (policy.parameters.requests > parameters.order_m)
    return {"accelerator.order_m",
            fmt::format("found {0}, expected at least {2}: policy {1} makes exact orders of {2} requests", parameters.order_m,
                        policy.name(), policy.parameters.requests)};
  return {};
}

Objection drive_objection(std::string_view engine, const mechanics::AccessPlanner& planner) {
  if (!is_accelerated(engine)) return {};
  const double turns = static_cast<double>(planner.longest_hop()) / static_cast<double>(planner.rotation().period());
  const unsigned most = scheduling::FixedPointFormat::kMostTurns;
  if (turns < most) return {};
  return {"engine", fmt::format("engine {} can count less than {} turns of the spindle from one access to the next, but the "
                                "drive takes up to {:.1f} (seek, settle, overhead and two turns); use engine firmware",
                                engine, most, turns)};
}

engine::EngineFactory engine_factory(const EngineOptions& options) {
  return [options](const engine::EngineContext& context) -> std::unique_ptr<engine::EngineIf> {
    Objection of_engine =
        engine_objection(options.engine, *options.policy, context.queue_depth, options.interpretations, options.accelerator);
    if (of_engine.empty()) of_engine = drive_objection(options.engine, context.planner);
    std::string objection = of_engine.message();
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
    const accelerator::AcceleratorParameters parameters = parameters_for(options.accelerator, context.queue_depth);
    accelerator::AcceleratorEngine::Options engine;
    engine.policy = *options.policy;
    engine.interpretations = options.interpretations;
    engine.margins = {static_cast<std::uint32_t>(options.accelerator.margin_ticks),
                      static_cast<std::uint32_t>(options.accelerator.risk_ticks), options.accelerator.risk_probability};
    engine.ahead_candidates = static_cast<std::uint32_t>(options.accelerator.ahead_candidates);
    engine.ahead_accesses = (options.accelerator.features & accelerator::kLookAhead) != 0
                                ? static_cast<std::uint32_t>(options.accelerator.ahead_accesses)
                                : 0;
    engine.clock_period = core::to_picoseconds(1.0 / options.accelerator.clock_mhz, core::kPicosecondsPerMicrosecond);
    const std::string scope = context.drive == "disk" ? "sched" : context.drive + "_sched";  // scope of its RTL in waves
    std::unique_ptr<accelerator::BusCoreIf> core;
    if (options.engine == "model") {
      core = std::make_unique<accelerator::ReferenceCore>(parameters);
      if (options.on_access) core = std::make_unique<ObservedCore>(std::move(core), options.on_access);
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
  return accelerated != nullptr ? accelerated->core().rtl() : nullptr;
}

}  // namespace platter::system
