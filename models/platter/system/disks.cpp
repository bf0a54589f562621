// SPDX-License-Identifier: Apache-2.0
#include "platter/system/disks.h"

#include <fmt/format.h>

#include <stdexcept>

#include "platter/core/random.h"
#include "platter/core/sc_time.h"
#include "platter/mapping/eager/block_layout.h"
#include "platter/mechanics/geometry.h"

namespace platter::system {

using core::Picoseconds;
using host::array::Array;

namespace {

/// An array writes its units anywhere.
void refuse_zones(const Scenario& s) {
  if (s.drive.zones.model == profile::ZoneModel::Managed)
    s.refuse("drive.zones.model", "found managed, expected a drive that is written anywhere, as an array writes");
}

/// A drive that does not suit eager writing (for example too small for its dilution) is an error of the scenario.
std::unique_ptr<drive::Drive> make_drive(const Scenario& s, const std::string& name, const drive::DriveConfig& config,
                                         const engine::EngineFactory& engine) {
  if (!s.eager.enabled) return std::make_unique<drive::Drive>(name.c_str(), config, engine);
  try {
    return std::make_unique<drive::Drive>(name.c_str(), config, engine);
  } catch (const std::invalid_argument& error) {
    const std::string of_block = eager::BlockLayout::objection(mechanics::Geometry(s.drive.geometry), s.eager.block_bytes);
    s.refuse(of_block.empty() ? "eager.enabled" : "eager.block_bytes", error.what());
  }
}

std::uint64_t bytes_of(const drive::Drive& drive) {
  return drive.capacity_sectors() * drive.planner().geometry().sector_bytes();
}

drive::PowerSupply::Plan power_plan(const drive::PowerCutParameters& cut) {
  drive::PowerSupply::Plan plan;
  if (cut.at_s > 0) plan.at = core::to_picoseconds(cut.at_s, core::kPicosecondsPerSecond);
  plan.at_write = static_cast<std::uint64_t>(cut.at_write);
  plan.at_flush = static_cast<std::uint64_t>(cut.at_flush);
  plan.off = core::to_picoseconds(cut.off_s, core::kPicosecondsPerSecond);
  return plan;
}

/// One area over all drives, as large as they are.
host::array::ArrayConfig striped_config(const Scenario& s, std::uint64_t drive_bytes) {
  host::array::ArrayConfig config;
  config.drives = s.array.drives;
  config.tags = s.array.tags > 0 ? s.array.tags : s.drive.queue_depth;
  config.cache = {static_cast<std::uint64_t>(s.array.cache_bytes), s.array.cache_block_bytes};
  config.stream_buffers.units = s.array.stream_buffer_units;
  host::array::StripeArea area;
  area.unit_bytes = s.array.unit_bytes;
  area.mirrored = s.redundancy.copies > 1;
  area.cached = s.array.cache_bytes > 0;
  area.bytes = drive_bytes / area.unit_bytes / s.redundancy.copies * s.array.drives * area.unit_bytes;
  config.areas = {area};
  return config;
}

}  // namespace

Disks::Disks(const Scenario& s, const drive::DriveConfig& config, const engine::EngineFactory& engine, Layer layer,
             const std::vector<std::unique_ptr<media::DiskFile>>& files)
    : supply_(power_plan(s.power_cut)) {
  if (!s.host->several_drives) {
    drive::DriveConfig own = config;
    if (!files.empty()) own.disk_file = files.front().get();
    if (s.plans_faults()) own.faults = s.fault_plan(mechanics::Geometry(s.drive.geometry)).of(0);
    drives_.push_back(make_drive(s, "disk", own, engine));
    drives_.back()->connect(supply_);
    return;
  }
  make_drives(s, config, s.array.drives, [&engine](std::uint32_t) { return engine; }, files);
  if (layer == Layer::Apart) {
    fail_apart(s);
    return;
  }
  if (!s.array.striped()) {
    make_ew(s);
    return;
  }
  try {
    host::array::ArrayConfig striped = striped_config(s, bytes_of(first()));
    striped.holds_data = config.holds_data;
    make_striped(s, std::move(striped));
  } catch (const std::invalid_argument& error) {
    s.refuse("array.unit_bytes", error.what());
  }
}

Disks::Disks(const Scenario& s, const drive::DriveConfig& config,
             const std::function<engine::EngineFactory(std::uint32_t)>& engine_of, host::array::ArrayConfig layer)
    : supply_(power_plan(s.power_cut)) {
  make_drives(s, config, layer.drives, engine_of);
  layer.holds_data = config.holds_data;
  make_striped(s, std::move(layer));
}

void Disks::make_drives(const Scenario& s, drive::DriveConfig config, std::uint32_t count,
                        const std::function<engine::EngineFactory(std::uint32_t)>& engine_of,
                        const std::vector<std::unique_ptr<media::DiskFile>>& files) {
  config.fails_at = core::kNoDeadline;  // the array triggers the failure
  std::optional<media::FaultPlan> plan;
  if (s.plans_faults()) plan = s.fault_plan(mechanics::Geometry(s.drive.geometry));
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::string name = fmt::format("disk{}", i);
    config.seed = core::RandomStream(static_cast<std::uint64_t>(s.run.seed), name).bits();
    if (i < files.size()) config.disk_file = files[i].get();
    if (plan) config.faults = plan->of(i);
    drives_.push_back(make_drive(s, name, config, engine_of(i)));
    drives_.back()->connect(supply_);
  }
}

/// Without an array above them: the drive itself fails and is revived.
void Disks::fail_apart(const Scenario& s) {
  if (s.failure.fails_at_s <= 0 || !s.array.striped()) return;
  if (s.redundancy.replaced)
    s.refuse("failure.replaced",
             "found true, expected false: drives that are served without an array have no copies for a rebuild");
  drive::Drive* const drive = drives_.at(s.redundancy.failing_drive).get();
  call_at(s.failure.fails_at_s, [drive] { drive->set_alive(false); });
  if (s.redundancy.revives_at_s > 0) call_at(s.redundancy.revives_at_s, [drive] { drive->set_alive(true); });
}

void Disks::call_at(double seconds, std::function<void()> call) {
  events_.push_back(std::make_unique<core::TimedCall>(core::Rank::Failure, std::move(call)));
  events_.back()->at(core::to_picoseconds(seconds, core::kPicosecondsPerSecond));
}

void Disks::make_ew(const Scenario& s) {
  refuse_zones(s);
  const host::EwArrayOptions options{s.array.drives, s.redundancy.copies, s.eager.block_bytes,
                                     s.array.answer == "first" ? host::WriteAnswer::First : host::WriteAnswer::All,
                                     s.drive.geometry.sector_bytes};
  const std::uint64_t drive_bytes = bytes_of(first());
  if (drive_bytes / options.block_bytes < options.copies)
    s.refuse("array.copies", "the drives are too small: they do not hold a block of each copy");
  ew_ = std::make_unique<host::EwArray>("array", options, drive_bytes);
  for (std::size_t i = 0; i < drives_.size(); ++i) ew_->disk_init_sockets[i].bind(drives_[i]->host_tgt_socket);
}

void Disks::make_striped(const Scenario& s, host::array::ArrayConfig layer) {
  refuse_zones(s);
  layer.drive_bytes = bytes_of(first());
  layer.sector_bytes = s.drive.geometry.sector_bytes;
  layer.rebuild = s.redundancy.rebuild;
  striped_ = std::make_unique<Array>("array", layer);
  for (std::size_t i = 0; i < drives_.size(); ++i) {
    striped_->disk_init_sockets[i].bind(drives_[i]->host_tgt_socket);
    if (s.drive.token_rate_bytes_per_s > 0) striped_->best_effort_init_sockets[i].bind(drives_[i]->host_tgt_socket);
    striped_->register_init_sockets[i].bind(drives_[i]->register_tgt_socket);
  }
  Array* const array = striped_.get();
  supply_.on_change([this, array](bool on) {
    for (std::uint32_t i = 0; on && i < drives_.size(); ++i)
      if (drives_[i]->power().alive()) array->drive_revived(i);
  });
  if (s.failure.fails_at_s <= 0) return;
  const std::uint32_t drive = s.redundancy.failing_drive;
  call_at(s.failure.fails_at_s, [array, drive] { array->fail(drive); });
  if (s.redundancy.revives_at_s <= 0) return;
  call_at(s.redundancy.revives_at_s, [array, drive, replaced = s.redundancy.replaced] {
    if (replaced)
      array->replace(drive);
    else
      array->revive(drive);
  });
}

std::uint64_t Disks::capacity_bytes() const {
  return striped_ ? striped_->capacity_bytes() : ew_ ? ew_->capacity_bytes() : bytes_of(first());
}

std::vector<Picoseconds> Disks::busy() const {
  std::vector<Picoseconds> busy;
  busy.reserve(drives_.size());
  for (const auto& drive : drives_) busy.push_back(drive->busy(core::now_ps()));
  return busy;
}

std::vector<double> Disks::utilisation(const std::vector<Picoseconds>& before, Picoseconds measured) const {
  if (measured <= 0) return {};
  const std::vector<Picoseconds> now = busy();
  std::vector<double> shares;
  shares.reserve(now.size());
  for (std::size_t i = 0; i < now.size(); ++i)
    shares.push_back(static_cast<double>(now[i] - before[i]) / static_cast<double>(measured));
  return shares;
}

std::vector<drive::PowerTimes> Disks::power_times() const {
  std::vector<drive::PowerTimes> times;
  for (const auto& drive : drives_)
    if (drive->energy() != nullptr) times.push_back(drive->energy()->times(core::now_ps()));
  return times;
}

std::optional<drive::EnergyStatistics> Disks::energy(const std::vector<drive::PowerTimes>& before, Picoseconds measured,
                                                     std::uint64_t completions) const {
  if (first().energy() == nullptr) return std::nullopt;
  drive::EnergyStatistics energy{first().energy()->watts(), core::to_milliseconds(measured) * 1e-3, completions, power_times()};
  for (std::size_t i = 0; i < energy.drives.size(); ++i) energy.drives[i] = drive::difference(energy.drives[i], before[i]);
  return energy;
}

std::optional<host::array::ArrayResult> Disks::array_result(std::vector<double> utilisation) const {
  if (!striped_ && !ew_) return std::nullopt;
  host::array::ArrayResult result;
  result.utilisation = std::move(utilisation);
  for (std::uint32_t i = 0; i < drives_.size(); ++i) result.commands.push_back(striped_ ? striped_->sent(i) : ew_->sent(i));
  result.striped = striped_.get();
  result.errors = striped_ ? striped_->errors() : ew_->errors();
  return result;
}

}  // namespace platter::system
