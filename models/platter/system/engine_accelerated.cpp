// SPDX-License-Identifier: Apache-2.0
//
// The engines with the scheduling accelerator.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "platter/accelerator/accelerator_engine.h"
#include "platter/accelerator/rtl_library.h"
#include "platter/params/row.h"
#include "platter/system/drives.h"
#include "platter/system/engines.h"

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

/// Bits of a cylinder number that a drive needs, which is at least as many as an accelerator can have.
unsigned cylinder_bits(std::uint32_t cylinders) {
  unsigned bits = scheduling::FixedPointFormat::kMinCylW;
  while (bits < 32 && (cylinders - 1) >> bits != 0) ++bits;
  return bits;
}

/// The accelerator that these options describe, for a drive of so many cylinders. Precondition: no option is outside its range.
accelerator::AcceleratorParameters parameters_for(const accelerator::AcceleratorOptions& options, std::uint32_t queue_depth,
                                                  std::uint32_t cylinders = 1) {
  accelerator::AcceleratorParameters parameters = accelerator::RtlCore::built_parameters();
  parameters.lanes = static_cast<std::uint32_t>(options.lanes);
  parameters.order_m = static_cast<std::uint32_t>(options.order_m);
  parameters.format.angle_w = static_cast<unsigned>(options.angle_bits);
  parameters.features = static_cast<std::uint32_t>(options.features);
  parameters.format.set_cylinder_bits(options.cylinder_bits != 0 ? static_cast<unsigned>(options.cylinder_bits)
                                                                 : std::max(parameters.format.cyl_w, cylinder_bits(cylinders)));
  if (options.entries != 0)
    parameters.entries = static_cast<std::uint32_t>(options.entries);
  else if (queue_depth > parameters.entries)
    parameters.entries = (queue_depth + parameters.lanes - 1) / parameters.lanes * parameters.lanes;
  return parameters;
}

/// Why an option is outside the range of its key; empty if none is.
Objection range_objection(accelerator::AcceleratorOptions options) {
  for (const params::Parameter<accelerator::AcceleratorOptions>& parameter : accelerator::accelerator_parameters()) {
    const params::Field field = parameter.field(options);
    if (const auto* names = std::get_if<params::Names>(&field)) {
      const std::int64_t all = (std::int64_t{1} << parameter.choices.size()) - 1;
      if (*names->sum < 0 || *names->sum > all)
        return {std::string(parameter.key), fmt::format("found {}, expected a sum of Feature, at most {}", *names->sum, all)};
      continue;
    }
    const auto* real = std::get_if<double*>(&field);
    const double value = real != nullptr ? **real : static_cast<double>(*std::get<std::int64_t*>(field));
    if (!(value >= parameter.range.minimum && value <= parameter.range.maximum))
      return {std::string(parameter.key),
              fmt::format("found {}, expected {} to {}", value, parameter.range.minimum, parameter.range.maximum)};
  }
  return {};
}

/// Why no accelerator can have these sizes; empty if one can.
Objection size_objection(const accelerator::AcceleratorOptions& options) {
  const std::int64_t lanes = options.lanes;
  if ((lanes & (lanes - 1)) != 0) return {"accelerator.lanes", fmt::format("found {}, expected 1, 2, 4, 8 or 16", lanes)};
  if (options.order_m == 1) return {"accelerator.order_m", "found 1, expected 0 (no orderer) or 2 to 12"};
  const std::int64_t bits = options.cylinder_bits;
  if (bits != 0 && bits < scheduling::FixedPointFormat::kMinCylW)
    return {"accelerator.cylinder_bits",
            fmt::format("found {}, expected {} to {}, or 0", bits, scheduling::FixedPointFormat::kMinCylW,
                        scheduling::FixedPointFormat::kMaxCylW)};
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

Objection objection_of(const EngineChoice& engine, const EngineDemand& demand) {
  const auto& [policy, queue_depth, interpretations, accelerator] = demand;
  if (!engine.row->is_built)
    return {"engine",
            fmt::format("found \"{}\", but this build of Platter is without the accelerator's RTL (PLATTER_BUILD_RTL=OFF), "
                        "expected firmware or model",
                        engine.notation)};
  if (!engine.row->runs(*policy.row))
    return {"engine", fmt::format("engine {} does not support policy {}; use engine firmware", engine.notation, policy.name())};
  scheduling::Interpretations carried = interpretations;  // the accelerator supports any interpretation of these
  carried.cluster_from = {};
  carried.cluster_round = {};
  carried.postponed = {};
  if (!(carried == scheduling::Interpretations{}))
    return {"engine",
            fmt::format("engine {} supports only the default values of scheduling.*, except for scheduling.cluster_from, "
                        "scheduling.cluster_round and scheduling.postponed; use engine firmware for other values",
                        engine.notation)};
  if (Objection objection = range_objection(accelerator); !objection.empty()) return objection;
  if (Objection objection = size_objection(accelerator); !objection.empty()) return objection;
  const accelerator::AcceleratorParameters wanted = parameters_for(accelerator, queue_depth);
  if (accelerator.entries != 0 && queue_depth > wanted.entries)
    return {"accelerator.entries",
            fmt::format("found {}, expected at least the {} of drive.queue.depth, or 0", wanted.entries, queue_depth)};
  return accelerator_objection(wanted, policy, queue_depth);
}

Objection drive_objection_of(const EngineChoice& engine, const mechanics::AccessPlanner& planner,
                             const accelerator::AcceleratorOptions& accelerator) {
  const std::uint32_t cylinders = planner.geometry().cylinders();
  const std::int64_t bits = cylinder_bits(cylinders);
  if (accelerator.cylinder_bits != 0 && accelerator.cylinder_bits < bits)
    return {"accelerator.cylinder_bits", fmt::format("found {}, expected at least {} for the drive's {} cylinders, or 0",
                                                     accelerator.cylinder_bits, bits, cylinders)};
  if (bits > scheduling::FixedPointFormat::kMaxCylW)
    return {"engine", fmt::format("engine {} can count 2^{} cylinders, but the drive has {}; use engine firmware",
                                  engine.notation, scheduling::FixedPointFormat::kMaxCylW, cylinders)};
  const double turns = static_cast<double>(planner.longest_hop()) / static_cast<double>(planner.rotation().period());
  const unsigned most = scheduling::FixedPointFormat::kMaxTurns;
  const mechanics::ArrivalSpread& spread = planner.arrival_spread();
  if (spread.any() && spread.guarded(spread.largest()) >= planner.rotation().period())
    return {"engine", fmt::format("engine {} counts at most one turn that the head misses, but arrivals may be {:.2f} ms late, "
                                  "more than a turn; use engine firmware",
                                  engine.notation, core::to_milliseconds(spread.guarded(spread.largest())))};
  if (turns < most) return {};
  return {"engine", fmt::format("engine {} can count less than {} turns of the spindle from one access to the next, but the "
                                "drive takes up to {:.1f} (seek, settle, overhead and two turns); use engine firmware",
                                engine.notation, most, turns)};
}

/// What the core of an engine is built with.
struct CoreContext {
  const EngineOptions& options;
  const accelerator::AcceleratorParameters& parameters;
  core::Picoseconds clock_period;
  const std::string& drive;

  std::unique_ptr<accelerator::RtlCore> rtl(accelerator::RtlCore::Copy copy) const {
    const std::string scope = drive == "disk" ? "sched" : drive + "_sched";  // scope of its RTL in waves
    accelerator::RtlLibrary::set_package(config_directory().parent_path());
    return std::make_unique<accelerator::RtlCore>(clock_period, options.tracing, scope, copy, parameters);
  }
};

std::unique_ptr<accelerator::BusCoreIf> model_core(const CoreContext& of) {
  auto core = std::make_unique<accelerator::ReferenceCore>(of.parameters);
  if (!of.options.on_access) return core;
  return std::make_unique<ObservedCore>(std::move(core), of.options.on_access);
}

std::unique_ptr<accelerator::BusCoreIf> rtl_core(const CoreContext& of) { return of.rtl(accelerator::RtlCore::Copy::Fast); }

/// `lockstep:sample=K` compares K successive operations of every K times this number.
constexpr std::uint64_t kSampledInterval = 20;

std::unique_ptr<accelerator::BusCoreIf> lockstep_core(const CoreContext& of) {
  const std::vector<std::uint64_t>& numbers = of.options.engine.numbers;
  const std::uint64_t compared = numbers.empty() ? 0 : numbers[0];
  const std::uint64_t interval = numbers.size() < 2 ? kSampledInterval * compared : numbers[1];
  auto pair = std::make_unique<accelerator::LockstepCore>(std::make_unique<accelerator::ReferenceCore>(of.parameters),
                                                          of.rtl(accelerator::RtlCore::Copy::Checked),
                                                          accelerator::Sampling{compared, interval, of.options.seed, of.drive});
  if (of.options.on_mismatch)
    pair->on_mismatch([tell = of.options.on_mismatch, drive = of.drive](
                          const accelerator::LockstepCore& core, const std::string& report) { tell(core, report, drive); });
  return pair;
}

template <std::unique_ptr<accelerator::BusCoreIf> (*make_core)(const CoreContext&)>
std::unique_ptr<engine::EngineIf> make_accelerated_engine(const EngineOptions& options, const engine::EngineContext& context) {
  const accelerator::AcceleratorParameters parameters =
      parameters_for(options.accelerator, context.queue_depth, context.planner.geometry().cylinders());
  accelerator::AcceleratorEngine::Options engine;
  engine.policy = *options.policy;
  engine.interpretations = options.interpretations;
  engine.margins = accelerator::margins_for(
      context.planner, parameters.format, options.policy->row->cost, options.arrivals.margin_deviations,
      {static_cast<std::uint32_t>(options.accelerator.margin_ticks), static_cast<std::uint32_t>(options.accelerator.risk_ticks),
       options.accelerator.risk_probability},
      options.margins);
  engine.ahead_candidates = static_cast<std::uint32_t>(options.accelerator.ahead_candidates);
  engine.ahead_accesses = (options.accelerator.features & accelerator::kLookAhead) != 0
                              ? static_cast<std::uint32_t>(options.accelerator.ahead_accesses)
                              : 0;
  engine.clock_period = core::to_picoseconds(1.0 / options.accelerator.clock_mhz, core::kPicosecondsPerMicrosecond);
  return std::make_unique<accelerator::AcceleratorEngine>(context.module.c_str(), context.planner, context.queue_depth,
                                                          parameters, engine,
                                                          make_core({options, parameters, engine.clock_period, context.drive}));
}

EngineInfo accelerated(std::string_view name, std::string_view description) {
  EngineInfo engine;
  engine.name = name;
  engine.description = description;
  engine.accelerated = true;
  engine.objection = objection_of;
  engine.drive_objection = drive_objection_of;
  return engine;
}

}  // namespace

Objection accelerator_objection(const accelerator::AcceleratorParameters& parameters, const scheduling::PolicySpec& policy,
                                std::uint32_t queue_depth) {
  if (queue_depth > accelerator::AcceleratorParameters::kMaxEntries)
    return {"drive.queue.depth",
            fmt::format("found {}, expected at most {}, the largest number of queue entries of the accelerator", queue_depth,
                        accelerator::AcceleratorParameters::kMaxEntries)};
  if (queue_depth > parameters.entries)
    return {"drive.queue.depth", fmt::format("found {}, expected at most {}, the number of queue entries of the accelerator",
                                             queue_depth, parameters.entries)};
  if (policy.row->accelerated == scheduling::Accelerated::Slack && !parameters.has(accelerator::kAgeing))
    return {"accelerator.features", fmt::format("found {}, expected \"ageing\" among them, which policy {} needs",
                                                accelerator::feature_names(parameters.features), policy.name())};
  if (policy.row->accelerated == scheduling::Accelerated::Limited && !parameters.has(accelerator::kLimits))
    return {"accelerator.features", fmt::format("found {}, expected \"limits\" among them, which policy {} needs",
                                                accelerator::feature_names(parameters.features), policy.name())};
  if (policy.parameters.requests > parameters.order_m)
    return {"accelerator.order_m",
            fmt::format("found {0}, expected at least {2}: policy {1} makes exact orders of {2} requests", parameters.order_m,
                        policy.name(), policy.parameters.requests)};
  return {};
}

EngineInfo model_engine() {
  EngineInfo engine =
      accelerated("model", "reference model of the scheduling accelerator, with fixed-point arithmetic and cycle counts");
  engine.make = make_accelerated_engine<model_core>;
  return engine;
}

EngineInfo rtl_engine() {
  EngineInfo engine = accelerated("rtl", "the accelerator's Verilated RTL behind its bus port");
  engine.make = make_accelerated_engine<rtl_core>;
  engine.has_rtl = true;
  engine.is_built = accelerator::RtlCore::is_built();
  return engine;
}

EngineInfo lockstep_engine() {
  EngineInfo engine =
      accelerated("lockstep",
                  "model and rtl side by side with every response compared; lockstep:sample=K[/N] compares K successive "
                  "operations of every N (20 K if N is not given)");
  engine.make = make_accelerated_engine<lockstep_core>;
  engine.has_rtl = true;
  engine.is_built = accelerator::RtlCore::is_built();
  engine.numbers = {"sample=K[/N]", "0 < K < N", [](const std::vector<std::uint64_t>& numbers) {
                      return numbers[0] > 0 && (numbers.size() == 1 || numbers[0] < numbers[1]);
                    }};
  return engine;
}

}  // namespace platter::system
