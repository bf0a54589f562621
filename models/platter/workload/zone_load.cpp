// SPDX-License-Identifier: Apache-2.0
#include "platter/workload/zone_load.h"

#include <algorithm>

namespace platter::workload {

using command::Operation;

ZoneLoadCounts ZoneLoadCounts::since(const ZoneLoadCounts& begin) const {
  ZoneLoadCounts counts = *this;
  counts.written_bytes -= begin.written_bytes;
  counts.copied_bytes -= begin.copied_bytes;
  counts.resets -= begin.resets;
  counts.cleaned_zones -= begin.cleaned_zones;
  counts.cleaned_units -= begin.cleaned_units;
  counts.live_units -= begin.live_units;
  counts.waits -= begin.waits;
  counts.waited -= begin.waited;
  return counts;
}

const params::Statistics<ZoneLoadCounts>& zone_load_rows() {
  using Z = ZoneLoadCounts;
  const auto share = [](std::uint64_t part, std::uint64_t whole) {
    return whole > 0 ? std::optional(static_cast<double>(part) / static_cast<double>(whole)) : std::nullopt;
  };
  static const auto rows =
      params::Statistics<Z>()
          .value("written_bytes", "bytes", "writes of the host that were issued", "sum",
                 [](const Z& z) { return z.written_bytes; })
          .value("copied_bytes", "bytes", "writes of the cleaner that were issued", "sum",
                 [](const Z& z) { return z.copied_bytes; })
          .value("write_amplification", "", "bytes that the host and the cleaner have written, for each byte of the host",
                 "ratio", [share](const Z& z) { return share(z.written_bytes + z.copied_bytes, z.written_bytes); },
                 {"write amplification", 3})
          .value("resets", "", "zones that were reset", "count", [](const Z& z) { return z.resets; })
          .value("cleaned_zones", "", "zones that the cleaner has begun with", "count",
                 [](const Z& z) { return z.cleaned_zones; })
          .value("live_share", "", "live data of these zones when the cleaner began with them, as a share of the zones", "mean",
                 [share](const Z& z) { return share(z.live_units, z.cleaned_units); }, {"live share", 3})
          .value("waits", "", "writes of the host that waited for an empty zone", "count", [](const Z& z) { return z.waits; })
          .value("waited_ms", "ms", "sum of these waits, as far as they have ended; they are in no response time", "sum",
                 [](const Z& z) { return core::to_milliseconds(z.waited); })
          .value("empty_zones", "", "zones that are empty, at the end", "count", [](const Z& z) { return z.empty_zones; });
  return rows;
}

ZoneLoad::ZoneLoad(const ZoneLoadParameters& load, const ZoneSpace& space, std::int32_t first_job, std::uint64_t seed)
    : space_(space),
      unit_bytes_(static_cast<std::uint64_t>(load.bytes)),
      depth_(static_cast<std::uint32_t>(load.outstanding)),
      read_fraction_(load.read_fraction),
      job_(first_job),
      kinds_(seed, "zones.kinds"),
      places_(seed, "zones.places") {
  counts_.empty_zones = space.zones;
}

void ZoneLoad::fill(Request& request, Operation operation, Unit unit, core::Picoseconds now) const {
  request = {};
  request.operation = operation;
  request.address = space_.first_byte + unit * unit_bytes_;
  request.length = static_cast<std::uint32_t>(unit_bytes_);
  request.cls = core::RequestClass::Discrete;
  request.issued = now;
  request.job = job_;
}

void ZoneLoad::fill_reset(Request& request, std::uint32_t zone, core::Picoseconds now) const {
  fill(request, Operation::Zone, Unit{zone} * space_.units, now);
  request.length = 0;
  request.zone_action = command::ZoneAction::Reset;
}

// --- ring ------------------------------------------------------------------------------------------------------------

ZoneRing::ZoneRing(const ZoneLoadParameters& load, const ZoneSpace& space, std::int32_t first_job, std::uint64_t seed)
    : ZoneLoad(load, space, first_job, seed), writers_(static_cast<std::size_t>(load.writers)) {
  for (Writer& writer : writers_) writer.zone = fresh_++;
  counts_.empty_zones -= fresh_;
}

ZoneLoad::Unit ZoneRing::some_unit(std::uint64_t of) {
  std::uint64_t at = places_.below(of);
  if (at < full_.size() * space_.units) return Unit{full_[at / space_.units]} * space_.units + at % space_.units;
  at -= full_.size() * space_.units;
  auto writer = writers_.begin();
  for (; at >= writer->written; ++writer) at -= writer->written;
  return Unit{writer->zone} * space_.units + at;
}

bool ZoneRing::next(Request& request, core::Picoseconds now) {
  std::uint64_t written = full_.size() * space_.units;
  for (const Writer& writer : writers_) written += writer.written;
  if (written > 0 && read_fraction_ > 0 && kinds_.uniform() <= read_fraction_) {
    fill(request, Operation::Read, some_unit(written), now);
    return true;
  }
  Writer& writer = writers_[turn_];
  if (writer.written == space_.units) {
    full_.push_back(writer.zone);
    writer.written = 0;
    if (fresh_ < space_.zones) {
      writer.zone = fresh_++;
      --counts_.empty_zones;
    } else {
      writer.zone = full_.front();
      full_.pop_front();
      ++counts_.resets;
      fill_reset(request, writer.zone, now);
      return true;
    }
  }
  fill(request, Operation::Write, Unit{writer.zone} * space_.units + writer.written++, now);
  counts_.written_bytes += unit_bytes_;
  turn_ = (turn_ + 1) % writers_.size();
  return true;
}

// --- log -------------------------------------------------------------------------------------------------------------

ZoneLog::ZoneLog(const ZoneLoadParameters& load, const ZoneSpace& space, std::int32_t first_job, std::uint64_t seed)
    : ZoneLoad(load, space, first_job, seed),
      cleaner_depth_(static_cast<std::uint32_t>(load.cleaner_outstanding)),
      reserve_(static_cast<std::uint32_t>(load.reserve_zones)),
      cleaner_class_(load.cleaner_class == ZoneLoadParameters::CleanerClass::Background ? core::RequestClass::Background
                                                                                        : core::RequestClass::Discrete),
      places_of_(space.logical_units, kNowhere),
      owners_(std::size_t{space.zones} * space.units, kNowhere),
      zones_(space.zones) {
  for (std::uint32_t zone = 0; zone < space.zones; ++zone) empty_.push_back(zone);
}

ZoneLog::Place ZoneLog::append(End& end, std::uint32_t logical) {
  if (end.zone == kNone) {
    end = {empty_.front(), 0};
    empty_.pop_front();
    counts_.empty_zones = empty_.size();
  }
  const Place unit = end.zone * space_.units + end.written++;
  owners_[unit] = logical;
  ++zones_[end.zone].writes;
  if (end.written == space_.units) {
    zones_[end.zone].full = true;
    end.zone = kNone;
  }
  return unit;
}

void ZoneLog::move(std::uint32_t logical, Place unit) {
  if (places_of_[logical] != kNowhere) --zones_[zone_of(places_of_[logical])].live;
  places_of_[logical] = unit;
  ++zones_[zone_of(unit)].live;
}

void ZoneLog::choose_victim() {
  if (empty_.size() > reserve_) return;
  for (std::uint32_t zone = 0; zone < space_.zones; ++zone) {
    const Zone& z = zones_[zone];
    if (z.full && z.writes == 0 && z.live < space_.units && (victim_ == kNone || z.live < zones_[victim_].live)) victim_ = zone;
  }
  if (victim_ == kNone) return;
  looked_at_ = 0;
  ++counts_.cleaned_zones;
  counts_.cleaned_units += space_.units;
  counts_.live_units += zones_[victim_].live;
}

void ZoneLog::advance_cleaner() {
  if (victim_ == kNone) choose_victim();
  if (victim_ == kNone) return;
  while (!copies_.empty() && !live(copies_.front().from)) copies_.pop_front();
  while (looked_at_ < space_.units && !live(victim_ * space_.units + looked_at_)) ++looked_at_;
}

bool ZoneLog::cleaner_can() const {
  if (victim_ == kNone || resetting_ || cleaner_outstanding_ >= cleaner_depth_) return false;
  if (!copies_.empty() || looked_at_ < space_.units) return true;
  return cleaner_outstanding_ == 0 && zones_[victim_].live == 0 && zones_[victim_].reads == 0;  // the reset
}

void ZoneLog::cleaner_request(Request& request, core::Picoseconds now) {
  if (!copies_.empty()) {
    const Copy copy = copies_.front();
    copies_.pop_front();
    const Place to = append(cleaner_, copy.logical);
    copying_.emplace_back(to, copy);
    fill(request, Operation::Write, to, now);
    counts_.copied_bytes += unit_bytes_;
  } else if (looked_at_ < space_.units) {
    fill(request, Operation::Read, victim_ * space_.units + looked_at_++, now);
  } else {
    resetting_ = true;
    ++counts_.resets;
    fill_reset(request, victim_, now);
  }
  request.job = job_ + 1;
  request.cls = cleaner_class_;
  ++cleaner_outstanding_;
}

void ZoneLog::host_write(Request& request, core::Picoseconds now) {
  const bool first = filled_ < space_.logical_units;
  const auto logical = first ? filled_++ : static_cast<std::uint32_t>(places_.below(space_.logical_units));
  const Place unit = append(host_, logical);
  move(logical, unit);
  fill(request, Operation::Write, unit, now);
  counts_.written_bytes += unit_bytes_;
  ++host_outstanding_;
}

bool ZoneLog::host_request(Request& request, core::Picoseconds now) {
  if (!waiting_.empty() && host_has_room()) {
    counts_.waited += now - waiting_.front();
    waiting_.pop_front();
    host_write(request, now);
    return true;
  }
  while (host_outstanding_ + waiting_.size() < depth_) {
    if (filled_ > 0 && read_fraction_ > 0 && kinds_.uniform() <= read_fraction_) {
      const Place unit = places_of_[places_.below(filled_)];
      ++zones_[zone_of(unit)].reads;
      fill(request, Operation::Read, unit, now);
      ++host_outstanding_;
      return true;
    }
    if (host_has_room()) {
      host_write(request, now);
      return true;
    }
    waiting_.push_back(now);
    ++counts_.waits;
  }
  return false;
}

bool ZoneLog::next(Request& request, core::Picoseconds now) {
  advance_cleaner();
  if (cleaner_can()) {
    cleaner_request(request, now);
    return true;
  }
  return host_can() && host_request(request, now);
}

void ZoneLog::ended(const Request& request) {
  const bool cleaner = request.job != job_;
  --(cleaner ? cleaner_outstanding_ : host_outstanding_);
  const auto unit = static_cast<Place>(unit_of(request));
  Zone& zone = zones_[zone_of(unit)];
  switch (request.operation) {
    case Operation::Write: {
      --zone.writes;
      if (!cleaner) break;
      const auto copy = std::find_if(copying_.begin(), copying_.end(), [unit](const auto& each) { return each.first == unit; });
      // The host may have written the logical unit meanwhile. The copy is dead then.
      if (places_of_[copy->second.logical] == copy->second.from) move(copy->second.logical, unit);
      copying_.erase(copy);
      break;
    }
    case Operation::Read:
      if (!cleaner)
        --zone.reads;
      else
        copies_.push_back({owners_[unit], unit});
      break;
    case Operation::Zone:
      std::fill_n(owners_.begin() + static_cast<std::ptrdiff_t>(unit), space_.units, kNowhere);
      zone.full = false;
      empty_.push_back(victim_);
      counts_.empty_zones = empty_.size();
      victim_ = kNone;
      resetting_ = false;
      break;
    case Operation::Flush: break;
  }
  advance_cleaner();
}

std::unique_ptr<ZoneLoad> make_zone_load(const ZoneLoadParameters& load, const ZoneSpace& space, std::int32_t first_job,
                                         std::uint64_t seed) {
  if (load.source == ZoneLoadParameters::Source::Log) return std::make_unique<ZoneLog>(load, space, first_job, seed);
  return std::make_unique<ZoneRing>(load, space, first_job, seed);
}

}  // namespace platter::workload
