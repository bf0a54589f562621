// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "platter/core/nearest.h"
#include "platter/import/disksim_model.h"

namespace platter::disksim {

using profile::SpareUnit;
using profile::ZoneProfile;

void LayoutReader::read_layout(const Reader& layout) {
  profile::GeometryProfile& geometry = carrier_.import.profile.geometry;
  scheme_ = layout.whole("Sparing scheme used");
  range_ = layout.whole("Rangesize for sparing");
  static constexpr std::array<SpareUnit, 11> units = {
      SpareUnit::Zone,     SpareUnit::Zone, SpareUnit::Cylinder, SpareUnit::Track, SpareUnit::Cylinder, SpareUnit::Cylinder,
      SpareUnit::Cylinder, SpareUnit::Zone, SpareUnit::Range,    SpareUnit::Zone,  SpareUnit::Zone};
  geometry.spare_unit = units[scheme_];
  geometry.spares_at_front = scheme_ == 5 || scheme_ == 6;
  geometry.slip_to_zone_end = scheme_ == 4 || scheme_ == 6;
  if (scheme_ == 8 && range_ == 0) {
    report(carrier_.problems, layout.place("Rangesize for sparing"), "Rangesize for sparing", "found 0, expected at least 1");
    return;
  }
  const std::string units_name = layout.word("Skew units");
  const Value& zones = layout.find("Zones")->value;
  if (zones.items.empty()) report(carrier_.problems, zones.place, "Zones", "has no zone, expected at least one");
  if (scheme_ == 8) {  // a range longer than every zone is never complete and has no spares: its length is irrelevant
    std::uint32_t longest = 1;
    for (const Value& value : zones.items)
      if (value.block) {
        Problems later;
        const Reader zone(*value.block, zone_table(), later);
        if (later.empty() && zone.whole("Last cylinder number") >= zone.whole("First cylinder number"))
          longest = std::max(longest, zone.whole("Last cylinder number") - zone.whole("First cylinder number") + 1);
      }
    geometry.range_cylinders = std::min({range_, longest, geometry.cylinders});
  }
  for (const Value& value : zones.items) {
    if (!value.block || value.block->type != "dm_layout_g1_zone") {
      report(carrier_.problems, value.place, "Zones",
             fmt::format("found {}, expected a block dm_layout_g1_zone", value.what()));
      continue;
    }
    const std::size_t before = carrier_.problems.size();
    const Reader zone(*value.block, zone_table(), carrier_.problems);
    if (carrier_.problems.size() == before) read_zone(zone, units_name);
  }
}

void LayoutReader::read_zone(const Reader& zone, const std::string& layout_units) {
  profile::GeometryProfile& geometry = carrier_.import.profile.geometry;
  ZoneProfile profile;
  const std::size_t before = carrier_.problems.size();
  carrier_.carry(zone, profile);
  if (carrier_.problems.size() != before) return;
  constexpr std::uint32_t kMax = profile::kMaxCylinders;
  if (profile.last_cylinder < profile.first_cylinder || profile.last_cylinder >= kMax)
    return report(carrier_.problems, zone.place("Last cylinder number"), "Last cylinder number",
                  fmt::format("found {}, expected {} to {}", profile.last_cylinder, profile.first_cylinder, kMax - 1));
  if (profile.last_cylinder >= geometry.cylinders) {  // DiskSim never compares the two; a published file is off by one
    carrier_.remark_on(Remark::Kind::Changed, zone, "Last cylinder number",
                       fmt::format("is past the {} cylinders of the model, which has {} cylinders here", geometry.cylinders,
                                   profile.last_cylinder + 1));
    geometry.cylinders = profile.last_cylinder + 1;
  }
  if (!geometry.zones.empty() && profile.first_cylinder <= geometry.zones.back().last_cylinder)
    return report(carrier_.problems, zone.place("First cylinder number"), "First cylinder number",
                  fmt::format("found {}, expected more than {}, where the zone before ends", profile.first_cylinder,
                              geometry.zones.back().last_cylinder));
  const std::uint64_t sectors =
      std::uint64_t{profile.last_cylinder - profile.first_cylinder + 1} * geometry.surfaces * profile.sectors_per_track;
  if (sectors > 0xFFFF'FFFFu)
    return report(carrier_.problems, zone.place("Blocks per track"), "Blocks per track",
                  fmt::format("makes a zone of {} sectors, expected fewer than 2^32", sectors));

  const Assignment* own_units = zone.find("Skew units");
  const std::string units = own_units != nullptr ? own_units->value.text : layout_units.empty() ? "sectors" : layout_units;
  if (units != "sectors" && units != "revolutions")
    return report(carrier_.problems, zone.place("Skew units"), "Skew units",
                  fmt::format("found {}, expected sectors or revolutions", units));
  const auto skew = [&](std::string_view key) {
    const Assignment* found = zone.find(key);
    if (found == nullptr) return 0.0;
    const double value = found->value.real;
    if (units == "revolutions") return value * profile.sectors_per_track;
    if (value != std::trunc(value))
      carrier_.remark_on(Remark::Kind::Changed, zone, key, "DiskSim drops the fraction of a sector");
    return value;
  };
  profile.offset_sectors = skew("Offset of first block");
  profile.track_skew_sectors = skew("Skew for track switch");
  profile.cylinder_skew_sectors = skew("Skew for cylinder switch");
  read_sparing(zone, profile);
  if (carrier_.problems.size() != before) return;
  geometry.zones.push_back(std::move(profile));
}

/// Slips of a zone that has `places` sectors or tracks.
std::vector<std::uint32_t> LayoutReader::read_slips(const Reader& zone, std::uint32_t places) {
  const Value& list = zone.find("slips")->value;
  std::vector<std::uint32_t> slips;
  std::vector<std::int64_t> outside;
  std::vector<std::int64_t> twice;
  for (const Value& value : list.items) {
    if (value.kind != Value::Kind::Whole || value.whole < 0) {
      report(carrier_.problems, value.place, "slips", fmt::format("found {}, expected a whole number from 0", value.what()));
      return {};
    }
    if (value.whole >= places)
      outside.push_back(value.whole);
    else
      slips.push_back(static_cast<std::uint32_t>(value.whole));
  }
  if (!std::is_sorted(slips.begin(), slips.end())) {
    std::sort(slips.begin(), slips.end());
    remark(carrier_.import.remarks, Remark::Kind::Changed, zone.place("slips"), "slips",
           fmt::format("a list of {}", slips.size()),
           "is not in ascending order; it is sorted here, while DiskSim does not sort it and misses some of the slips");
  }
  for (std::size_t i = 1; i < slips.size(); ++i)
    if (slips[i] == slips[i - 1]) twice.push_back(slips[i]);
  slips.erase(std::unique(slips.begin(), slips.end()), slips.end());
  carrier_.remark_dropped(zone, "slips", outside, "past the zone's end");
  carrier_.remark_dropped(zone, "slips", twice, "given twice; used once");
  return slips;
}

void LayoutReader::read_sparing(const Reader& zone, ZoneProfile& profile) {
  const profile::GeometryProfile& geometry = carrier_.import.profile.geometry;
  const std::uint32_t cylinders = profile.last_cylinder - profile.first_cylinder + 1;
  const std::uint32_t tracks = cylinders * geometry.surfaces;
  const std::uint32_t sectors = tracks * profile.sectors_per_track;
  const std::uint32_t spares = zone.whole("Number of spares");
  const bool by_track = scheme_ == 1;
  std::vector<std::uint32_t> slips = read_slips(zone, by_track ? tracks : sectors);
  const auto listed = static_cast<std::uint32_t>(zone.find("slips")->value.items.size());
  std::uint64_t held = spares;
  switch (scheme_) {
    case 0:
      held = 0;
      carrier_.remark_dropped(zone, "slips", {slips.begin(), slips.end()}, "sparing scheme 0 has no slips");
      slips.clear();
      break;
    case 1: held = std::uint64_t{spares} * profile.sectors_per_track; break;
    case 7: held = listed; break;                            // the disk's end takes these blocks: this zone has that many fewer
    case 8: held = cylinders >= range_ ? spares : 0; break;  // a zone shorter than a range has none
    case 10: held = std::uint64_t{spares} + listed; break;
    default: break;
  }
  if ((scheme_ == 0 || scheme_ == 7) && spares != 0)
    carrier_.remark_on(Remark::Kind::NoEffect, zone, "Number of spares",
                       fmt::format("sparing scheme {} does not use it", scheme_));
  if (held > sectors)
    return report(carrier_.problems, zone.place("Number of spares"), "Number of spares",
                  fmt::format("found {}, but the zone has {} sectors in all", spares, sectors));
  profile.spare_sectors = static_cast<std::uint32_t>(held);
  if (by_track) {
    std::vector<std::int64_t> excess;
    while (slips.size() > spares) {
      excess.push_back(slips.back());
      slips.pop_back();
    }
    carrier_.remark_dropped(zone, "slips", excess, "more slips than spare tracks of the zone");
    profile.slipped_tracks = std::move(slips);
  } else {
    profile.slips = std::move(slips);
    drop_slips_without_spares(zone, profile);
  }
  try {
    const mechanics::Geometry alone(with_only(profile));
  } catch (const std::invalid_argument& error) {
    return report(carrier_.problems, zone.place(), "Zones", error.what());
  }
  read_defects(zone, profile);
}

/// Drops slips, in the order of the zone: keeps of each unit's slips only as many as it has spares, and none of the spares themselves where
/// slips do not use the spares.
void LayoutReader::drop_slips_without_spares(const Reader& zone, ZoneProfile& profile) {
  const profile::GeometryProfile& geometry = carrier_.import.profile.geometry;
  const std::uint64_t cylinder_sectors = std::uint64_t{geometry.surfaces} * profile.sectors_per_track;
  const std::uint64_t sectors = cylinder_sectors * (profile.last_cylinder - profile.first_cylinder + 1);
  const std::uint64_t unit_sectors = geometry.spare_unit == SpareUnit::Zone       ? sectors
                                     : geometry.spare_unit == SpareUnit::Range    ? cylinder_sectors * range_
                                     : geometry.spare_unit == SpareUnit::Cylinder ? cylinder_sectors
                                                                                  : profile.sectors_per_track;
  std::vector<std::uint32_t> kept;
  std::vector<std::int64_t> dropped;
  std::uint64_t unit = 0;
  std::uint32_t in_unit = 0;  // slips kept so far
  for (const std::uint32_t slip : profile.slips) {
    if (slip / unit_sectors != unit) in_unit = 0;
    unit = slip / unit_sectors;
    const std::uint64_t place = slip % unit_sectors;
    bool keep = false;
    if (geometry.slip_to_zone_end)
      keep = geometry.spares_at_front ? place >= profile.spare_sectors : place + profile.spare_sectors < unit_sectors;
    else
      keep = in_unit < profile.spare_sectors && (unit + 1) * unit_sectors <= sectors;
    if (keep) {
      kept.push_back(slip);
      ++in_unit;
    } else {
      dropped.push_back(slip);
    }
  }
  carrier_.remark_dropped(zone, "slips", dropped,
                          geometry.slip_to_zone_end ? "a spare sector" : "more slips than spare sectors");
  profile.slips = std::move(kept);
}

profile::GeometryProfile LayoutReader::with_only(const ZoneProfile& zone) const {
  profile::GeometryProfile alone = carrier_.import.profile.geometry;
  alone.zones = {zone};
  return alone;
}

bool LayoutReader::holds_block(const mechanics::Geometry& geometry, const ZoneProfile& zone, std::uint32_t physical) const {
  const profile::GeometryProfile& profile = carrier_.import.profile.geometry;
  const std::uint32_t track = physical / zone.sectors_per_track;
  const std::uint32_t cylinder = track / profile.surfaces;
  const std::uint32_t order = track % profile.surfaces;
  const bool reversed = profile.mapping == profile::Mapping::Serpentine           ? cylinder % 2 != 0
                        : profile.mapping == profile::Mapping::SerpentineAbsolute ? (zone.first_cylinder + cylinder) % 2 != 0
                                                                                  : false;
  return geometry
      .to_logical({core::Cylinder(zone.first_cylinder + cylinder), core::Head(reversed ? profile.surfaces - 1 - order : order),
                   core::SectorIndex(physical % zone.sectors_per_track)})
      .has_value();
}

/// Pairs of a defective place and its replacement: sectors, or tracks where whole tracks are spared.
void LayoutReader::read_defects(const Reader& zone, ZoneProfile& profile) {
  const Value& list = zone.find("defects")->value;
  if (list.items.size() % 2 != 0)
    return report(carrier_.problems, list.place, "defects",
                  "has an odd number of values, expected pairs of a place and its replacement");
  for (const Value& value : list.items)
    if (value.kind != Value::Kind::Whole || value.whole < 0)
      return report(carrier_.problems, value.place, "defects",
                    fmt::format("found {}, expected a whole number from 0", value.what()));
  const std::int64_t width = scheme_ == 1 ? profile.sectors_per_track : 1;
  const std::int64_t places = std::int64_t{profile.last_cylinder - profile.first_cylinder + 1} *
                              carrier_.import.profile.geometry.surfaces * profile.sectors_per_track / width;
  constexpr std::int64_t kMaxRemaps = 1 << 22;  // a table of tracks, written out as sectors
  if (static_cast<std::int64_t>(list.items.size() / 2) * width > kMaxRemaps)
    return report(carrier_.problems, list.place, "defects", fmt::format("has more than {} sectors", kMaxRemaps));
  const mechanics::Geometry geometry(with_only(profile));
  std::vector<std::int64_t> outside;
  std::vector<std::int64_t> twice;
  std::vector<std::int64_t> in_use;
  std::set<std::int64_t> bad_places;
  std::set<std::int64_t> replacements;
  for (std::size_t i = 0; i < list.items.size(); i += 2) {
    const std::int64_t bad = list.items[i].whole;
    const std::int64_t replacement = list.items[i + 1].whole;
    if (bad == replacement) continue;
    if (bad >= places || replacement >= places) {
      outside.push_back(bad);
      continue;
    }
    if (holds_block(geometry, profile, static_cast<std::uint32_t>(replacement * width))) {
      in_use.push_back(bad);
      continue;
    }
    if (bad_places.count(bad) != 0 || replacements.count(replacement) != 0) {
      twice.push_back(bad);
      continue;
    }
    bad_places.insert(bad);
    replacements.insert(replacement);
    for (std::int64_t sector = 0; sector < width; ++sector)
      profile.remaps.emplace_back(static_cast<std::uint32_t>(bad * width + sector),
                                  static_cast<std::uint32_t>(replacement * width + sector));
  }
  carrier_.remark_dropped(zone, "defects", outside, "past the zone's end");
  carrier_.remark_dropped(zone, "defects", twice, "the place or its replacement is given twice");
  carrier_.remark_dropped(zone, "defects", in_use, "the replacement holds a block of its own");
}

}  // namespace platter::disksim
