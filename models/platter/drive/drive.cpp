// SPDX-License-Identifier: Apache-2.0
#include "platter/drive/drive.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "platter/core/sc_time.h"
#include "platter/mapping/eager/eager_mapping.h"
#include "platter/mapping/zones/zones.h"
#include "platter/profile/parameters.h"

namespace platter::drive {

namespace {

std::uint32_t checked_depth(std::uint32_t depth) {
  if (depth == 0 || depth > profile::kMaxTags)
    throw std::invalid_argument("queue depth must be 1 to " + std::to_string(profile::kMaxTags));
  return depth;
}

std::unique_ptr<eager::EagerMapping> make_eager_mapping(const DriveConfig& config, const mechanics::AccessPlanner& planner) {
  if (!config.eager.enabled) return nullptr;
  const std::string objection = eager::objection(config.profile);
  if (!objection.empty()) throw std::invalid_argument(objection);
  return std::make_unique<eager::EagerMapping>(planner, config.eager, config.seed, config.holds_data, config.disk_file);
}

/// Refuses a disk file that is not of this drive.
void expect(const char* what, std::uint64_t found, std::uint64_t expected) {
  if (found != expected) throw std::invalid_argument(fmt::format("disk_file: found {} {}, expected {}", what, found, expected));
}

/// The disk file; null: there is none.
media::DiskFile* checked_file(const DriveConfig& config, const mechanics::Geometry& geometry) {
  if (config.disk_file == nullptr) return nullptr;
  const media::DiskIdentity& file = config.disk_file->identity();
  expect("sectors", file.sectors, geometry.block_count());
  expect("sector_bytes", file.sector_bytes, geometry.sector_bytes());
  expect("torn_together", file.torn_together, geometry.blocks_per_physical_sector());
  expect("block_bytes", file.block_bytes, config.eager.enabled ? config.eager.block_bytes : 0);
  expect("headers", file.headers, config.eager.enabled ? geometry.block_count() : 0);
  if (config.profile.zones.model == profile::ZoneModel::None) expect("zones", file.zones, 0);
  return config.disk_file;
}

/// The engine of each actuator.
std::vector<std::unique_ptr<engine::EngineIf>> make_engines(const DriveConfig& config, const mechanics::AccessPlanner& planner,
                                                            const eager::EagerMapping* eager, const std::string& name,
                                                            const engine::EngineFactory& create) {
  const profile::DriveProfile& profile = config.profile;
  if (const auto [key, objection] = profile::actuators_objection(profile); !objection.empty())
    throw std::invalid_argument(std::string(key) + ": " + objection);
  std::vector<std::unique_ptr<engine::EngineIf>> engines;
  engines.reserve(profile.geometry.actuators);
  for (std::uint32_t i = 0; i < profile.geometry.actuators; ++i)
    engines.push_back(create({planner, checked_depth(profile.queue_depth) + profile.cache.destage_entries,
                              core::to_picoseconds(1.0 / profile.controller_clock_mhz, core::kPicosecondsPerMicrosecond),
                              eager != nullptr ? &eager->free_space() : nullptr, config.eager.bind_reads, numbered(name, i),
                              numbered("engine", i)}));
  return engines;
}

std::vector<std::unique_ptr<ActuatorUnit>> make_actuators(const DriveConfig& config, const mechanics::AccessPlanner& planner) {
  std::vector<std::unique_ptr<ActuatorUnit>> units;
  units.reserve(config.profile.geometry.actuators);
  for (std::uint32_t i = 0; i < config.profile.geometry.actuators; ++i)
    units.push_back(std::make_unique<ActuatorUnit>(numbered("actuator", i).c_str(), planner, config.seed + i, i));
  return units;
}

/// Time to read all blocks in their order, which finds all that the mapping keeps on the media.
Picoseconds whole_read(const mechanics::AccessPlanner& planner) {
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
  Picoseconds sum = 0;
  for (std::uint64_t first = 0; first < planner.geometry().block_count(); first += kPiece) {
    const std::uint64_t blocks = std::min(kPiece, planner.geometry().block_count() - first);
    sum += planner.resolve(core::Lba(first), static_cast<std::uint32_t>(blocks), false).media;
  }
  return sum;
}

std::unique_ptr<ZoneKeeper> make_zones(const DriveConfig& config, std::uint64_t blocks, media::Media& media,
                                       const HazardQueue& queue) {
  if (config.profile.zones.model == profile::ZoneModel::None) return nullptr;
  if (const auto [key, objection] = zones::objection(config.profile, blocks); !objection.empty())
    throw std::invalid_argument(std::string(key) + ": " + objection);
  const std::uint64_t zone = zones::options_of(config.profile, blocks).zone_blocks;
  if (config.disk_file != nullptr) expect("zones", config.disk_file->identity().zones, (blocks + zone - 1) / zone);
  return std::make_unique<ZoneKeeper>(config.profile, blocks, media, queue);
}

std::unique_ptr<EnergyAccount> make_energy(const profile::DriveProfile& profile, const mechanics::AccessPlanner& planner) {
  if (!profile.power.given()) return nullptr;
  return std::make_unique<EnergyAccount>(planner, profile.power,
                                         core::to_picoseconds(profile.spin_up_s, core::kPicosecondsPerSecond));
}

}  // namespace

Drive::Drive(const sc_core::sc_module_name& name, const DriveConfig& config, const engine::EngineFactory& create_engine)
    : sc_module(name),
      local_(config.loosely_timed ? std::make_unique<core::LocalTime>() : nullptr),
      planner_(config.profile, config.guard_quantile),
      media_(planner_.geometry().sector_bytes(), config.holds_data, planner_.geometry().blocks_per_physical_sector(),
             checked_file(config, planner_.geometry())),
      faults_(planner_.geometry().sector_bytes(), planner_.geometry().blocks_per_physical_sector(), config.disk_file),
      identity_mapping_(planner_),
      eager_mapping_(make_eager_mapping(config, planner_)),
      mapping_(eager_mapping_ ? *eager_mapping_ : static_cast<mapping::MappingIf&>(identity_mapping_)),
      engines_(make_engines(config, planner_, eager_mapping_.get(), basename(), create_engine)),
      energy_(make_energy(config.profile, planner_)),
      queue_("queue", config.profile.queue_depth, planner_.geometry().sector_bytes(), mapping_.granule()),
      zones_(make_zones(config, planner_.geometry().block_count(), media_, queue_)),
      actuators_(make_actuators(config, planner_)),
      spindle_("spindle", planner_.rotation(), core::to_picoseconds(config.profile.spin_up_s, core::kPicosecondsPerSecond)),
      controller_(planner_, config.profile, queue_, media_, faults_, mapping_, actuators_, spindle_, engines_),
      power_("power", controller_, spindle_,
             {eager_mapping_ && config.holds_data ? whole_read(planner_) : 0,
              core::to_picoseconds(config.profile.power_loss.ready_s, core::kPicosecondsPerSecond)},
             config.fails_at),
      host_port_("host_port", queue_, controller_, power_,
                 {capacity_sectors() * planner_.geometry().sector_bytes(), planner_.geometry().sector_bytes(),
                  config.profile.reject_when_full, config.profile.task_attributes, config.profile.token_rate_bytes_per_s,
                  config.profile.token_depth_bytes},
                 local_.get()),
      fault_events_(faults_, power_, host_port_),
      registers_("registers", host_port_, power_, queue_, controller_, spindle_, *engines_.front(), local_.get()),
      host_tgt_socket(host_port_.host_tgt_socket),
      register_tgt_socket(registers_.register_tgt_socket) {
  if (sc_core::sc_get_time_resolution() != sc_core::sc_time(1, sc_core::SC_PS))
    throw std::invalid_argument("the SystemC time resolution must be 1 ps");
  for (const auto& actuator : actuators_) {
    actuator->set_probes(probes_);
    actuator->set_energy(energy_.get());
  }
  controller_.bus().set_probes(probes_);
  for (std::size_t i = 0; i < actuators(); ++i) controller_.dispatcher(i).set_decision_probes(decision_probes_);
  host_port_.set_probes(probes_);
  queue_.set_probes(probes_);
  spindle_.set_energy(energy_.get());
  power_.set_energy(energy_.get());
  if (controller_.cache() != nullptr) controller_.cache()->set_energy(energy_.get());
  controller_.bind_event_sink(fault_events_);
  if (zones_) {
    queue_.set_zone_blocks(zones_->zones().options().zone_blocks);
    controller_.bind_zones(*zones_);
    host_port_.admission().bind_zones(*zones_);
  }
  for (const media::Fault& fault : config.faults) check(fault);
  faults_.add(config.faults);
  fault_events_.changed();
  if (local_) local_->constructed();
}

void Drive::check(const media::Fault& fault) const {
  const mechanics::Geometry& geometry = planner_.geometry();
  const media::FaultObjection objection =
      media::objection(fault, geometry.block_count(), geometry.surfaces(), geometry.sector_bytes(), geometry.actuators());
  if (!objection.empty()) throw std::invalid_argument(objection.key + ": " + objection.text);
  if (loosely_timed() && fault.kind == media::FaultKind::Stuck)
    throw std::invalid_argument("kind: found stuck, expected a fault after which commands end: the drive is loosely timed");
}

std::uint64_t Drive::add_fault(const media::Fault& fault) {
  check(fault);
  const core::LocalTime::Scope at(local_.get());
  media::Fault own = fault;
  own.at = std::max(own.at, core::now_ps());
  const std::uint64_t number = faults_.add(own);
  fault_events_.changed();
  return number;
}

Drive::~Drive() = default;

}  // namespace platter::drive
