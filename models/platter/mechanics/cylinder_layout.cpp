// SPDX-License-Identifier: Apache-2.0
#include "platter/mechanics/cylinder_layout.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace platter::mechanics {

namespace {

[[noreturn]] void invalid(const std::string& message) { throw LayoutError(message); }

}  // namespace

CylinderLayout::CylinderLayout(const profile::GeometryProfile& profile)
    : cylinders_(profile.cylinders),
      surfaces_(profile.surfaces),
      mapping_(profile.mapping),
      spare_unit_(profile.spare_unit),
      range_cylinders_(profile.range_cylinders),
      spares_at_front_(profile.spares_at_front),
      slip_to_zone_end_(profile.slip_to_zone_end) {
  if (profile.zones.empty()) invalid("the drive has no zones");
  if (range_cylinders_ == 0) invalid("a range has no cylinders");
  if ((spares_at_front_ || slip_to_zone_end_) && spare_unit_ != profile::SpareUnit::Cylinder)
    invalid("spares at the front, and slips up to the zone's end, go with spares by cylinder");
  if (!profile.head_offsets_turns.empty() && profile.head_offsets_turns.size() != surfaces_)
    invalid("there are " + std::to_string(profile.head_offsets_turns.size()) + " head offsets, expected none or " +
            std::to_string(surfaces_));
  for (const double turns : profile.head_offsets_turns) head_offsets_.push_back(to_fraction(turns));
  const std::uint32_t whole = profile.blocks_per_physical_sector();
  std::uint32_t next_cylinder = 0;
  for (std::size_t i = 0; i < profile.zones.size(); ++i) {
    const profile::ZoneProfile& in = profile.zones[i];
    const std::string where = "zone " + std::to_string(i);
    if (in.first_cylinder < next_cylinder)
      invalid(where + " starts at cylinder " + std::to_string(in.first_cylinder) + ", expected " +
              std::to_string(next_cylinder) + " or more");
    if (in.last_cylinder < in.first_cylinder || in.last_cylinder >= cylinders_)
      invalid(where + " ends at cylinder " + std::to_string(in.last_cylinder) + ", expected " +
              std::to_string(in.first_cylinder) + " to " + std::to_string(cylinders_ - 1));
    Zone zone{};
    zone.first_block = block_count_;
    zone.first_cylinder = in.first_cylinder;
    zone.cylinders = in.last_cylinder - in.first_cylinder + 1;
    zone.sectors_per_track = in.sectors_per_track;
    zone.offset = to_fraction(in.offset_sectors / in.sectors_per_track);
    zone.track_skew = to_fraction(in.track_skew_sectors / in.sectors_per_track);
    zone.cylinder_skew = to_fraction(in.cylinder_skew_sectors / in.sectors_per_track);
    zone.range_skew = to_fraction(in.range_skew_sectors / in.sectors_per_track);
    const std::uint64_t physical = std::uint64_t{zone.cylinders} * surfaces_ * in.sectors_per_track;
    if (physical > 0xFFFF'FFFFu) invalid(where + " has more than 2^32 sectors");
    zone.sectors = static_cast<std::uint32_t>(physical);
    lay_out(zone, with_places(profile, i), whole, where);
    block_count_ += zone.blocks;
    next_cylinder = in.last_cylinder + 1;
    zones_.push_back(std::move(zone));
  }
  const auto expect_zone = [this](const char* key, std::size_t row, std::uint32_t cylinder) {
    if (zone_of_cylinder(cylinder) == nullptr)
      throw LayoutError("row " + std::to_string(row) + ": no zone has cylinder " + std::to_string(cylinder), key);
  };
  for (std::size_t row = 0; row < profile.slips.size(); ++row)
    expect_zone("geometry.slips", row, profile.slips[row].place.cylinder);
  for (std::size_t row = 0; row < profile.remaps.size(); ++row)
    expect_zone("geometry.remaps", row, profile.remaps[row].bad.cylinder);
  limit_to(profile.blocks);
}

/// The zone's profile with the slips and remaps that are given by place.
profile::ZoneProfile CylinderLayout::with_places(const profile::GeometryProfile& profile, std::size_t index) const {
  profile::ZoneProfile zone = profile.zones[index];
  const auto holds = [&zone](std::uint32_t cylinder) {
    return cylinder >= zone.first_cylinder && cylinder <= zone.last_cylinder;
  };
  const auto number = [&](std::uint32_t cylinder, std::uint32_t head, std::uint32_t sector) {
    Zone only{};
    only.first_cylinder = zone.first_cylinder;
    const std::uint32_t in_zone = cylinder - zone.first_cylinder;
    return (in_zone * surfaces_ + head_of(only, in_zone, head)) * zone.sectors_per_track + sector;
  };
  const auto check = [&](const char* key, std::size_t row, const profile::SectorPlace& at, std::uint32_t count) {
    if (at.head < surfaces_ && at.sector < zone.sectors_per_track && count <= zone.sectors_per_track - at.sector) return;
    throw LayoutError("row " + std::to_string(row) + " is not on a track of " + std::to_string(zone.sectors_per_track) +
                          " sectors of " + std::to_string(surfaces_) + " surfaces",
                      key);
  };
  for (std::size_t row = 0; row < profile.slips.size(); ++row) {
    const profile::PlacedSlip& slip = profile.slips[row];
    if (!holds(slip.place.cylinder)) continue;
    check("geometry.slips", row, slip.place, slip.count);
    const std::uint32_t first = number(slip.place.cylinder, slip.place.head, slip.place.sector);
    for (std::uint32_t i = 0; i < slip.count; ++i) zone.slips.push_back(first + i);
  }
  for (std::size_t row = 0; row < profile.remaps.size(); ++row) {
    const profile::PlacedRemap& remap = profile.remaps[row];
    if (!holds(remap.bad.cylinder)) continue;
    if (!holds(remap.spare.cylinder))
      throw LayoutError("row " + std::to_string(row) + " moves a block to another zone", "geometry.remaps");
    check("geometry.remaps", row, remap.bad, remap.count);
    check("geometry.remaps", row, remap.spare, remap.count);
    const std::uint32_t bad = number(remap.bad.cylinder, remap.bad.head, remap.bad.sector);
    const std::uint32_t spare = number(remap.spare.cylinder, remap.spare.head, remap.spare.sector);
    for (std::uint32_t i = 0; i < remap.count; ++i) zone.remaps.emplace_back(bad + i, spare + i);
  }
  return zone;
}

/// Leaves the blocks of the last zones that exceed the stated number without use.
void CylinderLayout::limit_to(std::int64_t blocks) {
  if (blocks == 0) return;
  const auto stated = static_cast<std::uint64_t>(blocks);
  if (stated > block_count_)
    throw LayoutError(
        "found " + std::to_string(stated) + ", but the tracks hold only " + std::to_string(block_count_) + " blocks",
        "geometry.blocks");
  for (Zone& zone : zones_) {
    const std::uint64_t left = stated > zone.first_block ? stated - zone.first_block : 0;
    zone.blocks = static_cast<std::uint32_t>(std::min<std::uint64_t>(zone.blocks, left));
    zone.first_block = std::min(zone.first_block, stated);
  }
  block_count_ = stated;
}

ZoneSummary CylinderLayout::zone(std::size_t index) const {
  const Zone& zone = zones_[index];
  return {zone.first_block,       zone.blocks,           zone.first_cylinder, zone.first_cylinder + zone.cylinders - 1,
          zone.sectors_per_track, zone.sectors_per_track};
}

void CylinderLayout::lay_out(Zone& zone, const profile::ZoneProfile& profile, std::uint32_t whole, const std::string& where) {
  zone.slips = profile.slips;
  for (const std::uint32_t track : profile.slipped_tracks) {
    if (track >= zone.cylinders * surfaces_)
      invalid(where + ": slipped track " + std::to_string(track) + " is past the zone's " +
              std::to_string(zone.cylinders * surfaces_) + " tracks");
    for (std::uint32_t sector = 0; sector < zone.sectors_per_track; ++sector)
      zone.slips.push_back(track * zone.sectors_per_track + sector);
  }
  std::sort(zone.slips.begin(), zone.slips.end());
  for (std::size_t j = 0; j < zone.slips.size(); ++j) {
    if (zone.slips[j] >= zone.sectors)
      invalid(where + ": slip " + std::to_string(zone.slips[j]) + " is past the zone's " + std::to_string(zone.sectors) +
              " sectors");
    if (j > 0 && zone.slips[j] == zone.slips[j - 1])
      invalid(where + ": slip " + std::to_string(zone.slips[j]) + " is listed twice");
  }

  if (whole > 1) {  // the sectors of a physical sector stay together
    const auto refuse = [&](const std::string& what, std::uint64_t found) {
      if (found % whole != 0)
        invalid(where + ": " + what + " " + std::to_string(found) + ", expected a multiple of " + std::to_string(whole) +
                ", the blocks of a physical sector");
    };
    refuse("sectors_per_track is", profile.sectors_per_track);
    refuse("spare_sectors is", profile.spare_sectors);
    refuse("front_sectors is", profile.front_sectors);
    for (std::size_t j = 0; j < zone.slips.size(); ++j)
      if (zone.slips[j] != zone.slips[j - j % whole] + j % whole || (j % whole == 0 && zone.slips[j] % whole != 0) ||
          zone.slips.size() % whole != 0)
        invalid(where + ": slip " + std::to_string(zone.slips[j]) + " is a part of a physical sector of " +
                std::to_string(whole) + " blocks");
    for (const auto& [bad, spare] : profile.remaps)
      if (bad % whole != spare % whole)
        invalid(where + ": sector " + std::to_string(bad) + " is remapped to " + std::to_string(spare) +
                ", another part of a physical sector");
  }

  const std::uint32_t cylinder_sectors = surfaces_ * zone.sectors_per_track;
  switch (spare_unit_) {
    case profile::SpareUnit::Zone: zone.unit_sectors = zone.sectors; break;
    case profile::SpareUnit::Range: {
      const std::uint64_t range = std::uint64_t{cylinder_sectors} * range_cylinders_;
      zone.unit_sectors = static_cast<std::uint32_t>(std::min<std::uint64_t>(zone.sectors, range));
      break;
    }
    case profile::SpareUnit::Cylinder: zone.unit_sectors = cylinder_sectors; break;
    case profile::SpareUnit::Track: zone.unit_sectors = zone.sectors_per_track; break;
  }
  if (profile.spare_sectors >= zone.unit_sectors)
    invalid(where + " has " + std::to_string(profile.spare_sectors) + " spare sectors of " + std::to_string(zone.unit_sectors));
  zone.unit_blocks = zone.unit_sectors - profile.spare_sectors;
  zone.front = profile.front_sectors;
  const std::uint32_t units = zone.sectors / zone.unit_sectors;  // a range that the zone's end cuts off has no spares
  std::uint64_t held = std::uint64_t{units} * profile.spare_sectors + zone.front;
  if (slip_to_zone_end_) held += zone.slips.size();
  if (held >= zone.sectors) invalid(where + " holds no block");
  zone.blocks = static_cast<std::uint32_t>(zone.sectors - held);

  if (slip_to_zone_end_) {
    const std::uint32_t first = spares_at_front_ ? profile.spare_sectors : 0;
    for (std::size_t j = 0; j < zone.slips.size(); ++j) {
      const std::uint32_t unit = zone.slips[j] / zone.unit_sectors;
      const std::uint32_t in_unit = zone.slips[j] % zone.unit_sectors;
      if (in_unit < first || in_unit - first >= zone.unit_blocks)
        invalid(where + ": slip " + std::to_string(zone.slips[j]) + " is a spare sector");
      zone.slip_keys.push_back(unit * zone.unit_blocks + in_unit - first - static_cast<std::uint32_t>(j));
    }
  } else {
    for (std::uint32_t unit = 0; unit <= units && unit * std::uint64_t{zone.unit_sectors} < zone.sectors; ++unit) {
      const std::uint32_t base = unit * zone.unit_sectors;
      const std::uint32_t end = std::min(zone.sectors, base + zone.unit_sectors);
      const std::uint32_t spares = unit < units ? profile.spare_sectors : 0;
      const std::uint32_t slips = slips_between(zone, base, end);
      if (slips > spares)
        invalid(where + " has " + std::to_string(slips) + " slips from sector " + std::to_string(base) + " on but only " +
                std::to_string(spares) + " spare sectors there");
      std::uint32_t front = 0;
      if (spares_at_front_) {  // the sectors for blocks end with the unit
        front = spares;
        while (end - base - front - slips_between(zone, base + front, end) < zone.unit_blocks) --front;
        zone.unit_fronts.push_back(front);
      } else if (slips == 0) {
        continue;
      }
      std::uint32_t before = 0;
      for (auto slip = std::lower_bound(zone.slips.begin(), zone.slips.end(), base); slip != zone.slips.end() && *slip < end;
           ++slip) {
        const bool counts = *slip >= base + front;  // a slip before the first used sector shifts nothing
        zone.slip_keys.push_back(counts ? unit * zone.unit_blocks + (*slip - base - front - before) : 0xFFFF'FFFFu);
        if (counts) ++before;
      }
      // Keys ascend within a unit; keys of slips that shift nothing are at its end.
      std::sort(zone.slip_keys.end() - slips, zone.slip_keys.end());
    }
  }

  for (const auto& [bad, spare] : profile.remaps) {
    if (bad >= zone.sectors || spare >= zone.sectors)
      invalid(where + ": remapped sector " + std::to_string(bad) + " to " + std::to_string(spare) + " is past the zone's " +
              std::to_string(zone.sectors) + " sectors");
    if (bad == spare) continue;
    zone.remaps.emplace_back(bad, spare);
    zone.remapped.emplace_back(spare, bad);
  }
  std::sort(zone.remaps.begin(), zone.remaps.end());
  std::sort(zone.remapped.begin(), zone.remapped.end());
  // Two blocks must not share a sector.
  const auto refuse_twice = [&where](const auto& table, const char* what) {
    for (std::size_t j = 1; j < table.size(); ++j)
      if (table[j].first == table[j - 1].first) invalid(where + ": sector " + std::to_string(table[j].first) + what);
  };
  refuse_twice(zone.remaps, " is remapped twice");
  refuse_twice(zone.remapped, " holds the blocks of two remapped sectors");
  for (const auto& [spare, bad] : zone.remapped)
    if (remap(zone.remaps, spare) == spare && block_at(zone, bad) && block_at(zone, spare))
      invalid(where + ": sector " + std::to_string(bad) + " is remapped to " + std::to_string(spare) +
              ", which holds a block of its own");
}

const CylinderLayout::Zone& CylinderLayout::zone_of_block(std::uint64_t block) const {
  const auto after = std::upper_bound(zones_.begin(), zones_.end(), block,
                                      [](std::uint64_t b, const Zone& zone) { return b < zone.first_block; });
  return *(after - 1);
}

std::size_t CylinderLayout::zone_of(Lba block) const {
  return static_cast<std::size_t>(&zone_of_block(block.value) - zones_.data());
}

const CylinderLayout::Zone* CylinderLayout::zone_of_cylinder(std::uint32_t cylinder) const {
  const auto after = std::upper_bound(zones_.begin(), zones_.end(), cylinder,
                                      [](std::uint32_t c, const Zone& zone) { return c < zone.first_cylinder; });
  if (after == zones_.begin()) return nullptr;
  const Zone& zone = *(after - 1);
  return cylinder - zone.first_cylinder < zone.cylinders ? &zone : nullptr;
}

std::uint32_t CylinderLayout::remap(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& table, std::uint32_t sector) {
  const auto at = std::lower_bound(table.begin(), table.end(), std::pair<std::uint32_t, std::uint32_t>(sector, 0));
  return at != table.end() && at->first == sector ? at->second : sector;
}

std::uint32_t CylinderLayout::slips_between(const Zone& zone, std::uint32_t from, std::uint32_t to) {
  return static_cast<std::uint32_t>(std::lower_bound(zone.slips.begin(), zone.slips.end(), to) -
                                    std::lower_bound(zone.slips.begin(), zone.slips.end(), from));
}

std::uint32_t CylinderLayout::place_of(const Zone& zone, std::uint32_t in_zone) const {
  std::uint32_t usable = in_zone + zone.front;
  if (slip_to_zone_end_) {
    usable += static_cast<std::uint32_t>(std::upper_bound(zone.slip_keys.begin(), zone.slip_keys.end(), usable) -
                                         zone.slip_keys.begin());
    const std::uint32_t first = spares_at_front_ ? zone.unit_sectors - zone.unit_blocks : 0;
    return usable / zone.unit_blocks * zone.unit_sectors + first + usable % zone.unit_blocks;
  }
  std::uint32_t unit = 0;
  auto first = zone.slip_keys.begin();
  auto last = zone.slip_keys.end();
  if (spare_unit_ != profile::SpareUnit::Zone) {
    unit = std::min(usable / zone.unit_blocks, (zone.sectors - 1) / zone.unit_sectors);
    if (first != last) {
      const auto slips = [&zone](std::uint32_t unit_number) {
        return std::lower_bound(zone.slips.begin(), zone.slips.end(), std::uint64_t{unit_number} * zone.unit_sectors) -
               zone.slips.begin();
      };
      last = first + slips(unit + 1);
      first += slips(unit);
    }
  }
  const auto slipped = static_cast<std::uint32_t>(std::upper_bound(first, last, usable) - first);
  const std::uint32_t front = zone.unit_fronts.empty() ? 0 : zone.unit_fronts[unit];
  return unit * zone.unit_sectors + front + (usable - unit * zone.unit_blocks) + slipped;
}

CylinderLayout::Position CylinderLayout::position(const Zone& zone, std::uint32_t physical) const {
  Position position{};
  position.zone = &zone;
  position.physical = physical;
  const std::uint32_t track = physical / zone.sectors_per_track;
  position.sector = physical % zone.sectors_per_track;
  position.cylinder = track / surfaces_;
  position.order = track % surfaces_;
  return position;
}

CylinderLayout::Position CylinderLayout::locate(std::uint64_t block) const {
  const Zone& zone = zone_of_block(block);
  std::uint32_t physical = place_of(zone, static_cast<std::uint32_t>(block - zone.first_block));
  if (!zone.remaps.empty()) physical = remap(zone.remaps, physical);
  return position(zone, physical);
}

std::uint32_t CylinderLayout::head_of(const Zone& zone, std::uint32_t cylinder, std::uint32_t order) const {
  const bool odd = mapping_ == profile::Mapping::Serpentine           ? (cylinder & 1) != 0
                   : mapping_ == profile::Mapping::SerpentineAbsolute ? ((zone.first_cylinder + cylinder) & 1) != 0
                                                                      : false;
  return odd ? surfaces_ - 1 - order : order;
}

Angle CylinderLayout::track_angle(const Zone& zone, std::uint32_t cylinder, std::uint32_t order) const {
  const std::uint64_t tracks = order + std::uint64_t{surfaces_ - 1} * cylinder;
  std::uint64_t fraction = zone.offset + zone.track_skew * tracks + zone.cylinder_skew * cylinder;
  if (zone.range_skew != 0) fraction += zone.range_skew * (cylinder / range_cylinders_);
  if (!head_offsets_.empty()) fraction += head_offsets_[head_of(zone, cylinder, order)];
  Angle angle = to_angle(fraction);
  if (!zone.slips.empty() && (spare_unit_ == profile::SpareUnit::Cylinder || spare_unit_ == profile::SpareUnit::Track)) {
    const std::uint32_t track = cylinder * surfaces_ + (spare_unit_ == profile::SpareUnit::Track ? order : 0);
    angle +=
        sector_offset(slips_between(zone, 0, track * zone.sectors_per_track) % zone.sectors_per_track, zone.sectors_per_track);
  }
  return angle;
}

PhysicalAddress CylinderLayout::to_physical(Lba block) const {
  const Position at = locate(block.value);
  return {Cylinder(at.zone->first_cylinder + at.cylinder), Head(head_of(*at.zone, at.cylinder, at.order)),
          SectorIndex(at.sector)};
}

std::optional<Lba> CylinderLayout::to_logical(const PhysicalAddress& place) const {
  const Zone* zone = zone_of_cylinder(place.cylinder.value);
  if (zone == nullptr || place.head.value >= surfaces_ || place.sector.value >= zone->sectors_per_track) return std::nullopt;
  const std::uint32_t cylinder = place.cylinder.value - zone->first_cylinder;
  const std::uint32_t order = head_of(*zone, cylinder, place.head.value);  // the reversal is its own inverse
  std::uint32_t physical = (cylinder * surfaces_ + order) * zone->sectors_per_track + place.sector.value;
  if (!zone->remaps.empty()) {
    if (remap(zone->remaps, physical) != physical) return std::nullopt;
    physical = remap(zone->remapped, physical);
  }
  const std::optional<std::uint32_t> in_zone = block_at(*zone, physical);
  if (!in_zone) return std::nullopt;
  return Lba(zone->first_block + *in_zone);
}

std::optional<std::uint32_t> CylinderLayout::block_at(const Zone& zone, std::uint32_t physical) const {
  // The only block that can be there: its number is the count of usable sectors before the place. This is verified below.
  const std::uint32_t unit = std::min(physical / zone.unit_sectors, (zone.sectors - 1) / zone.unit_sectors);
  const std::uint32_t base = unit * zone.unit_sectors;
  std::uint32_t first = zone.unit_fronts.empty() ? 0 : zone.unit_fronts[unit];
  if (slip_to_zone_end_ && spares_at_front_) first = zone.unit_sectors - zone.unit_blocks;
  if (physical < base + first) return std::nullopt;
  const std::uint32_t slipped = slips_between(zone, slip_to_zone_end_ ? 0 : base + first, physical);
  const std::uint64_t usable = std::uint64_t{unit} * zone.unit_blocks + (physical - base - first) - slipped;
  if (usable < zone.front || usable - zone.front >= zone.blocks) return std::nullopt;
  const auto in_zone = static_cast<std::uint32_t>(usable - zone.front);
  if (place_of(zone, in_zone) != physical) return std::nullopt;  // a slip or a spare
  return in_zone;
}

Angle CylinderLayout::angle_of(const PhysicalAddress& place) const {
  const Zone& zone = *zone_of_cylinder(place.cylinder.value);
  const std::uint32_t cylinder = place.cylinder.value - zone.first_cylinder;
  const std::uint32_t order = head_of(zone, cylinder, place.head.value);
  return track_angle(zone, cylinder, order) + sector_offset(place.sector.value, zone.sectors_per_track);
}

TrackRun CylinderLayout::track_run(Lba first, std::uint32_t blocks) const {
  const Zone& zone = zone_of_block(first.value);
  const auto in_zone = static_cast<std::uint32_t>(first.value - zone.first_block);
  std::uint32_t physical = place_of(zone, in_zone);
  std::uint32_t wanted = std::min(blocks, zone.blocks - in_zone);
  if (spare_unit_ != profile::SpareUnit::Zone && !slip_to_zone_end_) {  // the next unit begins after the spares
    const std::uint32_t usable = in_zone + zone.front;
    const bool last_unit = usable / zone.unit_blocks >= (zone.sectors - 1) / zone.unit_sectors;  // perhaps cut off
    if (!last_unit) wanted = std::min(wanted, zone.unit_blocks - usable % zone.unit_blocks);
  }
  bool remapped = false;
  if (!zone.remaps.empty()) {
    const auto next =
        std::lower_bound(zone.remaps.begin(), zone.remaps.end(), std::pair<std::uint32_t, std::uint32_t>(physical, 0));
    if (next != zone.remaps.end()) {
      if (next->first == physical) {
        physical = next->second;
        wanted = 1;
        remapped = true;
      } else {
        wanted = std::min(wanted, next->first - physical - slips_between(zone, physical, next->first));
      }
    }
  }
  const Position at = position(zone, physical);
  const std::uint32_t track_end = at.physical - at.sector + zone.sectors_per_track;
  std::uint32_t covered = std::min(wanted, track_end - at.physical);
  std::uint32_t last = at.physical + covered - 1;  // last sector that holds a wanted block
  if (!zone.slips.empty() && !remapped) {          // a remapped block may be on a slip
    auto slip = std::lower_bound(zone.slips.begin(), zone.slips.end(), at.physical);
    for (; slip != zone.slips.end() && *slip <= last; ++slip) {
      if (last + 1 < track_end)
        ++last;
      else
        --covered;
    }
    // Slips at the end of the run hold none of its blocks.
    while (slip != zone.slips.begin() && *(slip - 1) == last) {
      --slip;
      --last;
    }
  }
  if (slip_to_zone_end_) {  // spares between two cylinders
    const std::uint32_t spare_begin = at.physical / zone.unit_sectors * zone.unit_sectors + zone.unit_blocks;
    if (!spares_at_front_ && !remapped && at.physical < spare_begin && last >= spare_begin) {
      last = spare_begin - 1;
      while (std::binary_search(zone.slips.begin(), zone.slips.end(), last)) --last;
      covered = last - at.physical + 1 - slips_between(zone, at.physical, last + 1);
    }
  }
  TrackRun run{};
  run.cylinder = Cylinder(zone.first_cylinder + at.cylinder);
  run.head = Head(head_of(zone, at.cylinder, at.order));
  run.sector = at.sector;
  run.blocks = covered;
  run.sectors = last - at.physical + 1;
  run.track_sectors = zone.sectors_per_track;
  const Angle track = track_angle(zone, at.cylinder, at.order);
  run.start_angle = track + sector_offset(at.sector, zone.sectors_per_track);
  run.full_turn = run.sectors == zone.sectors_per_track;
  run.end_angle = track + sector_offset(at.sector + run.sectors, zone.sectors_per_track);  // wraps at the track's end
  return run;
}

}  // namespace platter::mechanics
