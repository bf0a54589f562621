// SPDX-License-Identifier: Apache-2.0
//
// Engines of a user's own, as RTL behind the port platter_candidates.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "platter/accelerator/candidates_engine.h"
#include "platter/accelerator/rtl_library.h"
#include "platter/core/error.h"
#include "platter/engine/firmware_engine.h"
#include "platter/system/drives.h"
#include "platter/system/engines.h"

namespace platter::system {

namespace {

core::Picoseconds own_clock_period(const accelerator::AcceleratorOptions& options) {
  return core::to_picoseconds(1.0 / options.clock_mhz, core::kPicosecondsPerMicrosecond);
}

Objection own_objection_of(const EngineChoice& engine, const EngineDemand& demand) {
  if (!engine.row->is_built)
    return {"engine",
            fmt::format("found \"{}\", but this build of Platter is without RTL (PLATTER_BUILD_RTL=OFF), expected firmware or "
                        "model",
                        engine.notation)};
  if (demand.policy.row->places)
    return {"engine", fmt::format("engine {} does not decide where writes go, as policy {} does; use engine firmware",
                                  engine.notation, demand.policy.name())};
  accelerator::RtlLibrary::set_package(config_directory().parent_path());
  try {
    const accelerator::OwnRtl rtl(engine.folder, own_clock_period(demand.accelerator));
    if (demand.queue_depth > rtl.depth())
      return {"drive.queue.depth", fmt::format("found {}, expected at most {}, the entries of engine {} (depth_o)",
                                               demand.queue_depth, rtl.depth(), engine.notation)};
  } catch (const core::InputError& error) {
    return {"engine", fmt::format("found \"{}\": {}", engine.notation, error.what())};
  }
  return {};
}

Objection own_drive_objection_of(const EngineChoice& engine, const mechanics::AccessPlanner& planner,
                                 const accelerator::AcceleratorOptions& /*accelerator*/) {
  constexpr std::uint32_t kMaxCylinders = 1u << 24;
  constexpr std::uint32_t kMaxHeads = 1u << 8;
  const mechanics::Geometry& geometry = planner.geometry();
  if (geometry.cylinders() > kMaxCylinders || geometry.surfaces() > kMaxHeads)
    return {"engine", fmt::format("engine {} can count {} cylinders and {} surfaces, but the drive has {} and {}; use engine "
                                  "firmware",
                                  engine.notation, kMaxCylinders, kMaxHeads, geometry.cylinders(), geometry.surfaces())};
  return {};
}

template <bool kCompared>
std::unique_ptr<engine::EngineIf> make_own_engine(const EngineOptions& options, const engine::EngineContext& context) {
  accelerator::RtlLibrary::set_package(config_directory().parent_path());
  const std::string scope = context.drive == "disk" ? "own" : context.drive + "_own";  // scope of its RTL in waves
  auto rtl = std::make_unique<accelerator::OwnRtl>(options.engine.folder, own_clock_period(options.accelerator),
                                                   options.tracing, scope);
  accelerator::CandidatesEngine::Options engine;
  engine.notation = options.engine.notation;
  engine.policy = options.policy->notation;
  if (kCompared) {
    const engine::FirmwareCost cost{context.clock_period, options.firmware_base_cycles, options.firmware_candidate_cycles,
                                    options.firmware_order_cycles};
    const scheduling::SchedulerContext scheduler{
        context.planner, context.queue_depth, cost.longest_wait(), options.interpretations, {}, nullptr, false, {},
        options.arrivals};
    engine.reference = [policy = *options.policy, scheduler] { return policy.create(scheduler); };
  }
  if (options.on_own_fault)
    engine.on_fault = [tell = options.on_own_fault, drive = context.drive](
                          const accelerator::OwnRtl& failed, const std::string& report) { tell(failed, report, drive); };
  return std::make_unique<accelerator::CandidatesEngine>(context.module.c_str(), context.planner, context.queue_depth,
                                                         std::move(engine), std::move(rtl));
}

EngineInfo own_row(std::string_view name, std::string_view description) {
  EngineInfo engine;
  engine.name = name;
  engine.description = description;
  engine.objection = own_objection_of;
  engine.drive_objection = own_drive_objection_of;
  engine.has_folder = true;
  engine.is_built = accelerator::RtlCore::is_built();
  return engine;
}

}  // namespace

EngineInfo own_engine() {
  EngineInfo engine =
      own_row("own", "RTL of your own behind the port platter_candidates: own:DIR, a folder as `platter engine new` makes it");
  engine.make = make_own_engine<false>;
  return engine;
}

EngineInfo lockstep_own_engine() {
  EngineInfo engine = own_row("lockstep:own", "the same with every decision held against the policy: lockstep:own:DIR");
  engine.make = make_own_engine<true>;
  return engine;
}

}  // namespace platter::system
