// SPDX-License-Identifier: Apache-2.0
#include "platter/system/crash_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "platter/core/error.h"
#include "platter/core/random.h"
#include "platter/core/sc_time.h"
#include "platter/scheduling/own_policies.h"
#include "platter/system/simulated_drives.h"
#include "platter/system/timeline.h"

namespace platter::system {

using core::Picoseconds;

namespace {

/// How long the power is off.
constexpr Picoseconds kOff = 100 * core::kPicosecondsPerMillisecond;
/// The recovery must be over after this simulated time.
constexpr Picoseconds kPatience = Picoseconds{100'000} * core::kPicosecondsPerSecond;
/// So must the rebuild of an array, after all blocks have been read. Each logical sector of a torn physical one costs the whole retry ladder.
constexpr Picoseconds kRebuild = 300 * core::kPicosecondsPerSecond;
/// After the drives are ready, a second loss of power comes within this time.
constexpr Picoseconds kRecovery = 100 * core::kPicosecondsPerMillisecond;
constexpr std::uint32_t kOutstanding = 4;  ///< commands while all blocks are read back

/// Refuses what the explorer cannot run.
void check(const Scenario& s) {
  if (!s.host->takes_clients || (s.host->several_drives && !s.array.striped()))
    s.refuse("host.kind", fmt::format("found {}{}, expected a load on a drive or a striped array", s.host->name,
                                      s.host->takes_clients ? " of drives that write eagerly" : ""));
  const auto none = [&s](const char* key, double value) {
    if (value > 0)
      s.refuse(key, fmt::format("found {:g}, expected 0: `platter crash` itself decides when the power fails", value));
  };
  none("power_cut.at_s", s.power_cut.at_s);
  none("power_cut.at_write", static_cast<double>(s.power_cut.at_write));
  none("power_cut.at_flush", static_cast<double>(s.power_cut.at_flush));
  if (s.drive.zones.model == profile::ZoneModel::Managed)
    s.refuse("drive.zones.model",
             "found managed, expected a drive that is written anywhere, as the load of `platter crash` writes");
  if (s.zone_load.on())
    s.refuse("workload.zones.source", "expected none: `platter crash` knows nothing of zones that are reset");
  if (scheduling::has_process(s.policy))
    s.refuse("policy",
             fmt::format("found {}, expected a policy of this process: `platter crash` copies it", s.policy.notation));
  if (s.failure.fails_at_s > 0)
    s.refuse("failure.fails_at_s", fmt::format("found {:g}, expected 0 for `platter crash`", s.failure.fails_at_s));
  if (s.run.as_long_as_load()) s.refuse("sim.measure_s", "found 0, expected the time of the load in which the power may fail");
}

drive::DriveConfig crash_config(const Scenario& s) {
  check(s);
  drive::DriveConfig config = drive_config(s);
  config.holds_data = true;
  return config;
}

crash::Promises promises_of(const Scenario& s) {
  const bool mirrored = s.host->several_drives && s.redundancy.copies > 1;
  const bool caches = s.drive.cache.segments > 0 && s.drive.cache.write_back != profile::WriteBack::Off;
  crash::Promises promises;
  // The writes to an area with copies carry FUA.
  promises.answered_is_durable = !caches || mirrored || s.drive.power_loss.cache == profile::LostCache::Saved;
  promises.torn_together = s.drive.geometry.blocks_per_physical_sector();
  // An eager write goes to a free place. A drive that saves its cache finishes its sector.
  const bool torn = !s.eager.enabled && s.drive.power_loss.cache == profile::LostCache::Volatile;
  promises.may_be_unreadable = torn && s.drive.power_loss.torn_sector == profile::TornSector::Unreadable;
  promises.may_be_mixed = torn && s.drive.power_loss.torn_sector == profile::TornSector::Mixed;
  promises.most_torn_sectors = (s.host->several_drives ? s.array.drives : 1) * s.drive.geometry.actuators;
  return promises;
}

}  // namespace

CrashSimulation::CrashSimulation(const Scenario& s, const crash::PortOptions& port, const RunOptions& options)
    : s_(s),
      begin_(seconds(s.run.warmup_s)),
      end_(begin_ + seconds(s.run.measure_s)),
      disks_(s, crash_config(s), engine_factory(engine_options(s, s.policy, options))),
      host_(s, end_),
      port_("crash_port", crash::History(s.drive.geometry.sector_bytes, promises_of(s)), port),
      waves_(s, options, disks_) {
  if (disks_.striped() != nullptr) port_.set_other_copies([this](std::uint64_t block) { return copy_readable(block); });
  host_.initiator().disk_init_socket.bind(port_.host_tgt_socket);
  disks_.bind(port_.disk_init_socket);
  disks_.bind(port_.own_init_socket);
  const std::uint32_t sector_bytes = s.drive.geometry.sector_bytes;
  host_.produce({disks_.capacity_bytes() / sector_bytes, sector_bytes});
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
}

// --- the load ----------------------------------------------------------------------------------------------------------

/// Simulates everything up to this time.
void CrashSimulation::advance(Picoseconds time) {
  if (time > core::now_ps()) sc_core::sc_start(core::to_sc_time(time - core::now_ps()), sc_core::SC_RUN_TO_TIME);
  while (sc_core::sc_pending_activity_at_current_time() && sc_core::sc_get_status() != sc_core::SC_STOPPED)
    sc_core::sc_start(sc_core::SC_ZERO_TIME, sc_core::SC_RUN_TO_TIME);
  host_.initiator().rethrow_failure();
}

std::vector<Picoseconds> CrashSimulation::instants() {
  std::vector<Picoseconds> instants;
  advance(0);
  while (core::now_ps() < end_ && sc_core::sc_pending_activity_at_future_time()) {
    advance(core::now_ps() + core::to_ps(sc_core::sc_time_to_pending_activity()));
    if (core::now_ps() >= begin_ && core::now_ps() < end_) instants.push_back(core::now_ps());
  }
  return instants;
}

void CrashSimulation::run_to(Picoseconds time) { advance(time); }

// --- losses of power -----------------------------------------------------------------------------------------------------

Picoseconds CrashSimulation::start_time() const {
  return seconds(s_.drive.spin_up_s) + std::max(disks_.first().power().start().scan, disks_.first().power().start().ready);
}

void CrashSimulation::lose_power() {
  host_.initiator().set_end(core::now_ps());
  port_.power_lost();
  disks_.supply().cut();
  advance(core::now_ps() + kOff);
}

void CrashSimulation::restore_power() { disks_.supply().restore(); }

void CrashSimulation::read_back() {
  const Picoseconds latest = core::now_ps() + kPatience;
  bool done = false;
  port_.read_back(kOutstanding, [&done] {
    done = true;
    sc_core::sc_pause();
  });
  while (!done && core::now_ps() < latest && sc_core::sc_pending_activity())
    advance(std::min(latest, core::now_ps() + kPatience / 100));
  if (!done)
    port_.note(
        fmt::format("the blocks have not all been read {} s after the restart", kPatience / core::kPicosecondsPerSecond));
}

bool CrashSimulation::copy_readable(std::uint64_t block) const {
  const host::array::Array& array = *disks_.striped();
  const std::uint64_t address = block * s_.drive.geometry.sector_bytes;
  const auto& area = array.map().area_at(address);
  for (std::uint32_t copy = 0; copy < area.copies(); ++copy) {
    const host::array::UnitPlace place = array.map().place(area, array.map().unit_at(area, address), copy);
    const std::uint64_t within = (address - area.begin) % area.unit_bytes;
    if (array.lacks(place, within, s_.drive.geometry.sector_bytes)) continue;
    if (!disks_.drives()[place.drive]->media().unreadable(place.address + within, s_.drive.geometry.sector_bytes)) return true;
  }
  return false;
}

void CrashSimulation::compare_copies() {
  const host::array::Array* const array = disks_.striped();
  if (array == nullptr) return;
  const auto stale = [&] {
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; i < array->drives(); ++i) sum += array->stale_units(i);
    return sum;
  };
  const Picoseconds latest = core::now_ps() + kRebuild;
  while (stale() > 0 && core::now_ps() < latest && sc_core::sc_pending_activity())
    advance(core::now_ps() + 10 * core::kPicosecondsPerMillisecond);
  if (stale() > 0) {
    port_.note(
        fmt::format("{} units of the array are stale {} s after the restart", stale(), kRebuild / core::kPicosecondsPerSecond));
    return;
  }
  const std::uint32_t block_bytes = s_.drive.geometry.sector_bytes;
  std::vector<std::uint8_t> first(block_bytes);
  std::vector<std::uint8_t> other(block_bytes);
  for (const std::uint64_t block : port_.history().touched()) {
    const std::uint64_t address = block * block_bytes;
    const auto& area = array->map().area_at(address);
    if (area.copies() < 2) return;
    const std::uint64_t within = (address - area.begin) % area.unit_bytes;
    bool readable = true;
    for (std::uint32_t copy = 0; copy < area.copies(); ++copy) {
      const host::array::UnitPlace place = array->map().place(area, array->map().unit_at(area, address), copy);
      const drive::Drive& drive = *disks_.drives()[place.drive];
      const std::uint64_t at = place.address + within;
      readable = readable && !drive.media().unreadable(at, block_bytes) && !array->lacks(place, within, block_bytes);
      drive.media().read(at, copy == 0 ? first.data() : other.data(), block_bytes);
    }
    if (readable && first != other) {
      port_.note(fmt::format("the copies of block {} differ, although no unit is stale", block));
      return;
    }
  }
}

CrashOutcome CrashSimulation::crash(std::uint64_t seed) {
  CrashOutcome outcome;
  core::RandomStream random(seed, "crash");
  outcome.open_writes = port_.history().open_writes();
  if (port_.violation()) {
    outcome.violation = fmt::format("in the load, before any loss of power: {}", *port_.violation());
    return outcome;
  }
  const auto check = [this] {
    read_back();
    if (!port_.violation()) read_back();  // what has been read once stays
    if (!port_.violation()) compare_copies();
    if (const auto wrong = port_.history().summed_up()) port_.note(*wrong);
  };
  try {
    lose_power();
    restore_power();
    const std::uint64_t kind = random.below(4);
    if (kind < 2) {  // during the start, or during what follows it, with or without new writes
      outcome.second = true;
      const bool within_start = random.below(3) == 0;
      const Picoseconds start = start_time();
      const Picoseconds wait = within_start && start > 0
                                   ? static_cast<Picoseconds>(random.below(static_cast<std::uint64_t>(start)))
                                   : start + static_cast<Picoseconds>(random.below(static_cast<std::uint64_t>(kRecovery)));
      const Picoseconds until = core::now_ps() + wait;
      if (kind == 1) port_.write_more(16);
      port_.read_back(kOutstanding, nullptr);
      advance(until);
      if (!port_.violation()) {
        lose_power();
        restore_power();
      }
    }
    if (!port_.violation()) check();
    if (kind == 3 && !port_.violation()) {  // the drive works as before
      port_.write_more(16);
      const Picoseconds latest = core::now_ps() + kPatience;
      while (!port_.idle() && core::now_ps() < latest && sc_core::sc_pending_activity())
        advance(core::now_ps() + 100 * core::kPicosecondsPerMillisecond);
      check();
    }
  } catch (const std::exception& error) {
    port_.note(fmt::format("the restart failed: {}", error.what()));
  }
  outcome.violation = port_.violation();
  outcome.lost = port_.history().old();
  outcome.torn = port_.history().torn();
  outcome.blocks = port_.history().touched().size();
  return outcome;
}

}  // namespace platter::system
