// SPDX-License-Identifier: Apache-2.0
#include "platter/mapping/zones/zones.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace platter::zones {

namespace {

constexpr double kMib = 0x1p20;
/// Zones of a drive: their numbers and the length of a report fit into 32 bits.
constexpr std::uint64_t kMaxZones = std::uint64_t{1} << 24;

std::uint32_t conventional_of(const profile::ZonesProfile& profile, std::uint64_t zones) {
  const double wanted = profile.conventional;
  return static_cast<std::uint32_t>(wanted < 1 ? std::round(wanted * static_cast<double>(zones)) : wanted);
}

}  // namespace

std::pair<const char*, std::string> objection(const profile::DriveProfile& profile, std::uint64_t blocks) {
  const profile::ZonesProfile& z = profile.zones;
  if (z.model == ZoneModel::None) return {"zones", ""};
  const std::uint32_t physical_bytes = profile.geometry.blocks_per_physical_sector() * profile.geometry.sector_bytes;
  const double zone_bytes = z.zone_mib * kMib;
  if (zone_bytes < physical_bytes || std::fmod(zone_bytes, physical_bytes) != 0)
    return {"zones.zone_mib", fmt::format("found {:g} MiB, expected a multiple of a physical sector, which has {} bytes",
                                          z.zone_mib, physical_bytes)};
  if (blocks % profile.geometry.blocks_per_physical_sector() != 0)
    return {"geometry.blocks",
            fmt::format("found {} blocks, expected whole physical sectors of {} blocks, because the last zone "
                        "ends with the drive",
                        blocks, profile.geometry.blocks_per_physical_sector())};
  const auto zone_blocks = static_cast<std::uint64_t>(zone_bytes) / profile.geometry.sector_bytes;
  const std::uint64_t zones = (blocks + zone_blocks - 1) / zone_blocks;
  if (zones > kMaxZones)
    return {"zones.zone_mib",
            fmt::format("found {:g} MiB, which makes {} zones; expected at most {}", z.zone_mib, zones, kMaxZones)};
  if (z.conventional >= 1 && z.conventional != std::floor(z.conventional))
    return {"zones.conventional",
            fmt::format("found {:g}, expected a share below 1 or a whole number of zones", z.conventional)};
  if (z.conventional >= static_cast<double>(zones) || conventional_of(z, zones) >= zones)
    return {"zones.conventional",
            fmt::format("found {:g}, which leaves none of the {} zones of the drive to be written in order", z.conventional,
                        zones)};
  return {"zones", ""};
}

ZoneOptions options_of(const profile::DriveProfile& profile, std::uint64_t blocks) {
  const profile::ZonesProfile& z = profile.zones;
  ZoneOptions options;
  options.model = z.model;
  options.blocks = blocks;
  options.zone_blocks = static_cast<std::uint64_t>(z.zone_mib * kMib) / profile.geometry.sector_bytes;
  options.conventional = conventional_of(z, (blocks + options.zone_blocks - 1) / options.zone_blocks);
  options.max_open = z.max_open;
  options.unrestricted_reads = z.unrestricted_reads;
  options.physical_blocks = profile.geometry.blocks_per_physical_sector();
  return options;
}

ZoneCounts& ZoneCounts::operator+=(const ZoneCounts& other) {
  opens += other.opens;
  closes += other.closes;
  finishes += other.finishes;
  resets += other.resets;
  zones_finished += other.zones_finished;
  zones_reset += other.zones_reset;
  zones_filled += other.zones_filled;
  implicit_opens += other.implicit_opens;
  implicit_closes += other.implicit_closes;
  out_of_order += other.out_of_order;
  refused_reads += other.refused_reads;
  refused_writes += other.refused_writes;
  refused_actions += other.refused_actions;
  retracted += other.retracted;
  return *this;
}

Zones::Zones(const ZoneOptions& options)
    : options_(options), zones_((options.blocks + options.zone_blocks - 1) / options.zone_blocks) {
  for (std::uint32_t zone = 0; zone < options_.conventional; ++zone) zones_[zone].condition = ZoneCondition::NoPointer;
}

ZoneDescriptor Zones::descriptor(std::uint32_t zone) const {
  const Zone& z = zones_[zone];
  ZoneDescriptor d;
  d.type = conventional(zone) ? ZoneType::Conventional
           : managed()        ? ZoneType::SequentialRequired
                              : ZoneType::SequentialPreferred;
  d.condition = z.condition;
  d.non_sequential = z.non_sequential;
  d.start = start_of(zone);
  d.blocks = size_of(zone);
  if (open(z) || z.condition == ZoneCondition::Empty || z.condition == ZoneCondition::Closed)
    d.write_pointer = d.start + z.pointer;
  return d;
}

// --- open zones ------------------------------------------------------------------------------------------------------

void Zones::link(std::uint32_t zone) {
  zones_[zone].older = newest_;
  zones_[zone].newer = kNone;
  (newest_ == kNone ? oldest_ : zones_[newest_].newer) = zone;
  newest_ = zone;
}

void Zones::unlink(std::uint32_t zone) {
  Zone& z = zones_[zone];
  (z.older == kNone ? oldest_ : zones_[z.older].newer) = z.newer;
  (z.newer == kNone ? newest_ : zones_[z.newer].older) = z.older;
  z.older = z.newer = kNone;
}

void Zones::use(std::uint32_t zone) {
  if (zone == newest_) return;
  unlink(zone);
  link(zone);
}

bool Zones::room_for(std::uint32_t more) const {
  return !managed() || std::uint64_t{explicit_open_} + more <= options_.max_open;
}

void Zones::make_room() {
  while (open() >= options_.max_open && implicit_open_ > 0) {
    ++counts_.implicit_closes;
    close(oldest_);
  }
}

void Zones::leave_open(std::uint32_t zone) {
  const ZoneCondition condition = zones_[zone].condition;
  if (condition == ZoneCondition::ImplicitOpen) {
    --implicit_open_;
    unlink(zone);
  } else if (condition == ZoneCondition::ExplicitOpen) {
    --explicit_open_;
  }
}

void Zones::enter_implicit(std::uint32_t zone) {
  make_room();
  zones_[zone].condition = ZoneCondition::ImplicitOpen;
  ++implicit_open_;
  ++counts_.implicit_opens;
  link(zone);
}

void Zones::enter_explicit(std::uint32_t zone) {
  leave_open(zone);
  make_room();
  zones_[zone].condition = ZoneCondition::ExplicitOpen;
  ++explicit_open_;
}

void Zones::close(std::uint32_t zone) {
  leave_open(zone);
  zones_[zone].condition = zones_[zone].pointer == 0 ? ZoneCondition::Empty : ZoneCondition::Closed;
}

void Zones::finish(std::uint32_t zone) {
  leave_open(zone);
  zones_[zone].condition = ZoneCondition::Full;
  zones_[zone].pointer = size_of(zone);
}

void Zones::reset(std::uint32_t zone, ZoneChange& change) {
  leave_open(zone);
  Zone& z = zones_[zone];
  z.condition = ZoneCondition::Empty;
  z.pointer = 0;
  z.non_sequential = false;
  ++change.zones;
  ++counts_.zones_reset;
  const BlockRange range{start_of(zone), size_of(zone)};
  if (!change.dropped.empty() && change.dropped.back().first + change.dropped.back().blocks == range.first)
    change.dropped.back().blocks += range.blocks;
  else
    change.dropped.push_back(range);
}

// --- reads and writes ------------------------------------------------------------------------------------------------

CommandStatus Zones::may_read(std::uint64_t first, std::uint32_t blocks) const {
  const std::uint32_t begin = zone_of(first);
  const std::uint32_t end = zone_of(first + blocks - 1);
  for (std::uint32_t zone = begin; zone <= end; ++zone)
    if (zones_[zone].condition == ZoneCondition::Offline) return CommandStatus::ZoneOffline;
  if (conventional(begin) != conventional(end)) return CommandStatus::ReadBoundary;
  if (options_.unrestricted_reads || !managed() || conventional(begin)) return CommandStatus::Good;
  if (begin != end) return CommandStatus::ReadBoundary;
  if (first + blocks > start_of(begin) + zones_[begin].pointer) return CommandStatus::ReadInvalid;
  return CommandStatus::Good;
}

CommandStatus Zones::may_write(std::uint64_t first, std::uint32_t blocks) const {
  const std::uint32_t begin = zone_of(first);
  const std::uint32_t end = zone_of(first + blocks - 1);
  for (std::uint32_t zone = begin; zone <= end; ++zone) {
    if (zones_[zone].condition == ZoneCondition::Offline) return CommandStatus::ZoneOffline;
    if (zones_[zone].condition == ZoneCondition::ReadOnly) return CommandStatus::ZoneReadOnly;
  }
  if (conventional(begin) || !managed())
    return conventional(begin) == conventional(end) ? CommandStatus::Good : CommandStatus::WriteBoundary;
  const Zone& z = zones_[begin];
  if (z.condition == ZoneCondition::Full) return CommandStatus::BadZone;
  if (begin != end) return CommandStatus::WriteBoundary;
  if (first != start_of(begin) + z.pointer || blocks % options_.physical_blocks != 0) return CommandStatus::UnalignedWrite;
  if (!open(z) && !room_for(1)) return CommandStatus::NoOpenZone;
  return CommandStatus::Good;
}

CommandStatus Zones::read(std::uint64_t first, std::uint32_t blocks) {
  const CommandStatus status = may_read(first, blocks);
  if (status != CommandStatus::Good) ++counts_.refused_reads;
  return status;
}

CommandStatus Zones::write(std::uint64_t first, std::uint32_t blocks) {
  if (const CommandStatus status = may_write(first, blocks); status != CommandStatus::Good) {
    ++counts_.refused_writes;
    return status;
  }
  const std::uint64_t last = first + blocks;
  for (std::uint64_t at = first; at < last && !conventional(zone_of(at));) {
    const std::uint32_t zone = zone_of(at);
    Zone& z = zones_[zone];
    const std::uint64_t begin = at - start_of(zone);
    const std::uint64_t end = std::min(last - start_of(zone), size_of(zone));
    if (begin != z.pointer) {
      z.non_sequential = true;
      ++counts_.out_of_order;
    }
    if (z.condition == ZoneCondition::Empty || z.condition == ZoneCondition::Closed)
      enter_implicit(zone);
    else if (z.condition == ZoneCondition::ImplicitOpen)
      use(zone);
    z.pointer = std::max(z.pointer, end);
    if (z.pointer == size_of(zone) && z.condition != ZoneCondition::Full) {
      ++counts_.zones_filled;
      finish(zone);
    }
    at = start_of(zone) + end;
  }
  return CommandStatus::Good;
}

// --- zone management -------------------------------------------------------------------------------------------------

CommandStatus Zones::manage(ZoneAction action, std::uint64_t first, bool all, ZoneChange& change) {
  const CommandStatus status = all ? manage_all(action, change) : manage_one(action, first, change);
  if (status != CommandStatus::Good) {
    ++counts_.refused_actions;
    return status;
  }
  switch (action) {
    case ZoneAction::Open: ++counts_.opens; break;
    case ZoneAction::Close: ++counts_.closes; break;
    case ZoneAction::Finish:
      ++counts_.finishes;
      counts_.zones_finished += change.zones;
      break;
    default: ++counts_.resets; break;
  }
  return status;
}

CommandStatus Zones::manage_one(ZoneAction action, std::uint64_t first, ZoneChange& change) {
  if (first >= options_.blocks) return CommandStatus::BadAddress;
  const std::uint32_t zone = zone_of(first);
  if (first != start_of(zone) || conventional(zone)) return CommandStatus::BadZone;
  const Zone& z = zones_[zone];
  if (z.condition == ZoneCondition::Offline) return CommandStatus::ZoneOffline;
  if (z.condition == ZoneCondition::ReadOnly) return CommandStatus::ZoneReadOnly;
  const bool full = z.condition == ZoneCondition::Full;
  switch (action) {
    case ZoneAction::Open:
      if (full || z.condition == ZoneCondition::ExplicitOpen) break;
      if (!room_for(1)) return CommandStatus::NoOpenZone;
      enter_explicit(zone);
      ++change.zones;
      break;
    case ZoneAction::Close:
      if (!open(z)) break;
      close(zone);
      ++change.zones;
      break;
    case ZoneAction::Finish:
      if (full) break;
      if (!open(z)) {  // it is open for a moment
        if (!room_for(1)) return CommandStatus::NoOpenZone;
        make_room();
      }
      finish(zone);
      ++change.zones;
      break;
    case ZoneAction::Reset:
      if (z.condition != ZoneCondition::Empty) reset(zone, change);
      break;
    case ZoneAction::None: return CommandStatus::BadCommand;
  }
  return CommandStatus::Good;
}

CommandStatus Zones::manage_all(ZoneAction action, ZoneChange& change) {
  if (action == ZoneAction::None) return CommandStatus::BadCommand;
  std::vector<std::uint32_t> closed;  // now: to open one may close another
  for (std::uint32_t zone = options_.conventional; zone < count(); ++zone) {
    const Zone& z = zones_[zone];
    const bool is_closed = z.condition == ZoneCondition::Closed;
    switch (action) {
      case ZoneAction::Open:
        if (is_closed) closed.push_back(zone);
        break;
      case ZoneAction::Close:
        if (!open(z)) break;
        close(zone);
        ++change.zones;
        break;
      case ZoneAction::Finish:
        if (!open(z) && !is_closed) break;
        finish(zone);
        ++change.zones;
        break;
      default:
        if (open(z) || is_closed || z.condition == ZoneCondition::Full) reset(zone, change);
        break;
    }
  }
  if (!room_for(static_cast<std::uint32_t>(closed.size()))) return CommandStatus::NoOpenZone;
  for (const std::uint32_t zone : closed) enter_explicit(zone);
  change.zones += static_cast<std::uint32_t>(closed.size());
  return CommandStatus::Good;
}

// --- reports ---------------------------------------------------------------------------------------------------------

bool Zones::selected(const Zone& zone, ReportOption option) const {
  switch (option) {
    case ReportOption::All: return true;
    case ReportOption::Empty: return zone.condition == ZoneCondition::Empty;
    case ReportOption::ImplicitOpen: return zone.condition == ZoneCondition::ImplicitOpen;
    case ReportOption::ExplicitOpen: return zone.condition == ZoneCondition::ExplicitOpen;
    case ReportOption::Closed: return zone.condition == ZoneCondition::Closed;
    case ReportOption::Full: return zone.condition == ZoneCondition::Full;
    case ReportOption::ReadOnly: return zone.condition == ZoneCondition::ReadOnly;
    case ReportOption::Offline: return zone.condition == ZoneCondition::Offline;
    case ReportOption::ResetRecommended: return false;
    case ReportOption::NonSequential: return zone.non_sequential;
    case ReportOption::NoPointer: return zone.condition == ZoneCondition::NoPointer;
  }
  return false;
}

CommandStatus Zones::report(std::uint64_t start, std::uint8_t option, bool partial, std::size_t fitting,
                            ZoneReport& report) const {
  const bool known = option <= static_cast<std::uint8_t>(ReportOption::Offline) ||
                     option == static_cast<std::uint8_t>(ReportOption::ResetRecommended) ||
                     option == static_cast<std::uint8_t>(ReportOption::NonSequential) ||
                     option == static_cast<std::uint8_t>(ReportOption::NoPointer);
  if (!known) return CommandStatus::BadZone;
  if (start >= options_.blocks) return CommandStatus::BadAddress;
  report = {};
  report.last_block = options_.blocks - 1;
  bool types_equal = true;
  bool lengths_equal = true;  // but for the last one
  std::uint32_t before = kNone;
  std::uint32_t first = kNone;
  for (std::uint32_t zone = zone_of(start); zone < count(); ++zone) {
    if (!selected(zones_[zone], static_cast<ReportOption>(option))) continue;
    if (report.zones.size() < fitting)
      report.zones.push_back(descriptor(zone));
    else if (partial)
      break;
    ++report.listed;
    if (first == kNone) first = zone;
    types_equal = types_equal && conventional(zone) == conventional(first);
    lengths_equal = lengths_equal && (before == kNone || size_of(before) == size_of(first));
    before = zone;
  }
  if (first == kNone || !lengths_equal) return CommandStatus::Good;
  const bool last_equal = size_of(before) == size_of(first);
  if (types_equal)
    report.same = last_equal ? 1 : 2;
  else
    report.same = last_equal ? 3 : 0;
  return CommandStatus::Good;
}

// --- what befalls the drive ------------------------------------------------------------------------------------------

bool Zones::retract(std::uint64_t block) {
  const std::uint32_t zone = zone_of(block);
  Zone& z = zones_[zone];
  const std::uint64_t within = block - start_of(zone);
  if (conventional(zone) || !managed() || within >= z.pointer || z.condition == ZoneCondition::ReadOnly ||
      z.condition == ZoneCondition::Offline)
    return false;
  z.pointer = within;
  if (z.condition == ZoneCondition::Full || z.condition == ZoneCondition::Closed)
    z.condition = within == 0 ? ZoneCondition::Empty : ZoneCondition::Closed;
  ++counts_.retracted;
  return true;
}

void Zones::close_all() {
  for (std::uint32_t zone = options_.conventional; open() > 0 && zone < count(); ++zone)
    if (open(zones_[zone])) close(zone);
}

void Zones::wear_out(std::uint32_t zone, ZoneCondition condition) {
  leave_open(zone);
  zones_[zone].condition = condition;
}

Zones::Durable Zones::durable(std::uint32_t zone, std::uint64_t lost) const {
  const Zone& z = zones_[zone];
  Durable state{z.pointer, z.condition, z.non_sequential};
  if (conventional(zone) || z.condition == ZoneCondition::ReadOnly || z.condition == ZoneCondition::Offline) return state;
  if (managed()) state.written = std::min(state.written, std::max(lost, start_of(zone)) - start_of(zone));
  state.condition = state.written == 0               ? ZoneCondition::Empty
                    : state.written == size_of(zone) ? ZoneCondition::Full
                                                     : ZoneCondition::Closed;
  return state;
}

std::string Zones::objection(std::uint32_t zone, const Durable& state) const {
  const std::uint64_t size = size_of(zone);
  const auto written = [&](std::uint64_t least, std::uint64_t most) {
    if (state.written >= least && state.written <= most) return std::string();
    const std::string expected = least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
    return fmt::format("found {} blocks below the write pointer, expected {}", state.written, expected);
  };
  const auto condition = [&](const char* expected) {
    return fmt::format("found condition {:X}h, expected {}", static_cast<unsigned>(state.condition), expected);
  };
  if (state.condition == ZoneCondition::ReadOnly || state.condition == ZoneCondition::Offline) return written(0, size);
  if (conventional(zone)) return condition("0h, Dh or Fh, because the zone is conventional");
  switch (state.condition) {
    case ZoneCondition::Empty: return written(0, 0);
    case ZoneCondition::Closed: return written(1, size - 1);
    case ZoneCondition::Full: return written(size, size);
    default: return condition("1h, 4h, Dh, Eh or Fh");
  }
}

void Zones::restore(std::uint32_t zone, const Durable& state) {
  zones_[zone].pointer = state.written;
  zones_[zone].condition = state.condition;
  zones_[zone].non_sequential = state.non_sequential;
}

}  // namespace platter::zones
