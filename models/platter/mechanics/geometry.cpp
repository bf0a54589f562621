// SPDX-License-Identifier: Apache-2.0
#include "platter/mechanics/geometry.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace platter::mechanics {

namespace {

/// A number of sectors as a fraction of a turn, in units of 2^-64: thousands of skews add up without an error that shows.
std::uint64_t sectors_to_fraction(double sectors, std::uint32_t sectors_per_track) {
  double turns = sectors / sectors_per_track;
  turns -= std::floor(turns);
  return turns < 1 ? static_cast<std::uint64_t>(turns * 0x1p64) : 0;
}

[[noreturn]] void invalid(const std::string& message) { throw std::invalid_argument(message); }

}  // namespace

Geometry::Geometry(const GeometryProfile& profile)
    : cylinders_(profile.cylinders),
      surfaces_(profile.surfaces),
      sector_bytes_(profile.sector_bytes),
      mapping_(profile.mapping) {
  std::uint32_t next_cylinder = 0;
  for (std::size_t i = 0; i < profile.zones.size(); ++i) {
    const ZoneProfile& in = profile.zones[i];
    const std::string where = "zone " + std::to_string(i);
    if (in.first_cylinder != next_cylinder)
      invalid(where + " starts at cylinder " + std::to_string(in.first_cylinder) + ", expected " +
              std::to_string(next_cylinder));
    if (in.last_cylinder < in.first_cylinder || in.last_cylinder >= cylinders_)
      invalid(where + " ends at cylinder " + std::to_string(in.last_cylinder) + ", expected " +
              std::to_string(in.first_cylinder) + " to " + std::to_string(cylinders_ - 1));
    Zone zone{};
    zone.first_block = block_count_;
    zone.first_cylinder = in.first_cylinder;
    zone.cylinders = in.last_cylinder - in.first_cylinder + 1;
    zone.sectors_per_track = in.sectors_per_track;
    const std::uint64_t physical = std::uint64_t{zone.cylinders} * surfaces_ * in.sectors_per_track;
    if (physical > 0xFFFF'FFFFu) invalid(where + " has more than 2^32 sectors");
    if (in.spare_sectors >= physical)
      invalid(where + " has " + std::to_string(in.spare_sectors) + " spare sectors of " + std::to_string(physical));
    if (in.slips.size() > in.spare_sectors)
      invalid(where + " has " + std::to_string(in.slips.size()) + " slips but only " +
              std::to_string(in.spare_sectors) + " spare sectors");
    zone.blocks = static_cast<std::uint32_t>(physical - in.spare_sectors);
    zone.offset = sectors_to_fraction(in.offset_sectors, in.sectors_per_track);
    zone.track_skew = sectors_to_fraction(in.track_skew_sectors, in.sectors_per_track);
    zone.cylinder_skew = sectors_to_fraction(in.cylinder_skew_sectors, in.sectors_per_track);
    zone.slips = in.slips;
    std::sort(zone.slips.begin(), zone.slips.end());
    for (std::size_t j = 0; j < zone.slips.size(); ++j) {
      if (zone.slips[j] >= physical)
        invalid(where + ": slip " + std::to_string(zone.slips[j]) + " is past the zone's " + std::to_string(physical) +
                " sectors");
      if (j > 0 && zone.slips[j] == zone.slips[j - 1])
        invalid(where + ": slip " + std::to_string(zone.slips[j]) + " is listed twice");
      zone.slip_keys.push_back(zone.slips[j] - static_cast<std::uint32_t>(j));
    }
    block_count_ += zone.blocks;
    next_cylinder = in.last_cylinder + 1;
    zones_.push_back(std::move(zone));
  }
  if (next_cylinder != cylinders_)
    invalid("the zones cover " + std::to_string(next_cylinder) + " of " + std::to_string(cylinders_) + " cylinders");
}

const Geometry::Zone& Geometry::zone_of_block(std::uint64_t block) const {
  const auto after = std::upper_bound(zones_.begin(), zones_.end(), block,
                                      [](std::uint64_t b, const Zone& zone) { return b < zone.first_block; });
  return *(after - 1);
}

const Geometry::Zone* Geometry::zone_of_cylinder(std::uint32_t cylinder) const {
  if (cylinder >= cylinders_) return nullptr;
  const auto after = std::upper_bound(zones_.begin(), zones_.end(), cylinder,
                                      [](std::uint32_t c, const Zone& zone) { return c < zone.first_cylinder; });
  return &*(after - 1);
}

Geometry::Position Geometry::locate(std::uint64_t block) const {
  const Zone& zone = zone_of_block(block);
  const auto in_zone = static_cast<std::uint32_t>(block - zone.first_block);
  const auto slipped = std::upper_bound(zone.slip_keys.begin(), zone.slip_keys.end(), in_zone) - zone.slip_keys.begin();
  Position position{};
  position.zone = &zone;
  position.physical = in_zone + static_cast<std::uint32_t>(slipped);
  const std::uint32_t track = position.physical / zone.sectors_per_track;
  position.sector = position.physical % zone.sectors_per_track;
  position.cylinder = track / surfaces_;
  position.order = track % surfaces_;
  return position;
}

std::uint32_t Geometry::head_of(const Zone& zone, std::uint32_t cylinder, std::uint32_t order) const {
  const bool odd = mapping_ == Mapping::Serpentine           ? (cylinder & 1) != 0
                   : mapping_ == Mapping::SerpentineAbsolute ? ((zone.first_cylinder + cylinder) & 1) != 0
                                                             : false;
  return odd ? surfaces_ - 1 - order : order;
}

Angle Geometry::track_angle(const Zone& zone, std::uint32_t cylinder, std::uint32_t order) const {
  const std::uint64_t tracks = order + std::uint64_t{surfaces_ - 1} * cylinder;
  const std::uint64_t fraction = zone.offset + zone.track_skew * tracks + zone.cylinder_skew * cylinder;
  return static_cast<Angle>((fraction + 0x8000'0000u) >> 32);
}

Angle Geometry::sector_offset(const Zone& zone, std::uint32_t sector) {
  return static_cast<Angle>((std::uint64_t{sector} << 32) / zone.sectors_per_track);
}

PhysicalAddress Geometry::to_physical(Lba block) const {
  const Position at = locate(block.value);
  return {Cylinder(at.zone->first_cylinder + at.cylinder), Head(head_of(*at.zone, at.cylinder, at.order)),
          SectorIndex(at.sector)};
}

std::optional<Lba> Geometry::to_logical(const PhysicalAddress& place) const {
  const Zone* zone = zone_of_cylinder(place.cylinder.value);
  if (zone == nullptr || place.head.value >= surfaces_ || place.sector.value >= zone->sectors_per_track)
    return std::nullopt;
  const std::uint32_t cylinder = place.cylinder.value - zone->first_cylinder;
  const std::uint32_t order = head_of(*zone, cylinder, place.head.value);  // the reversal is its own inverse
  const std::uint32_t physical = (cylinder * surfaces_ + order) * zone->sectors_per_track + place.sector.value;
  const auto slip = std::lower_bound(zone->slips.begin(), zone->slips.end(), physical);
  if (slip != zone->slips.end() && *slip == physical) return std::nullopt;
  const std::uint32_t in_zone = physical - static_cast<std::uint32_t>(slip - zone->slips.begin());
  if (in_zone >= zone->blocks) return std::nullopt;
  return Lba(zone->first_block + in_zone);
}

Angle Geometry::angle_of(const PhysicalAddress& place) const {
  const Zone& zone = *zone_of_cylinder(place.cylinder.value);
  const std::uint32_t cylinder = place.cylinder.value - zone.first_cylinder;
  const std::uint32_t order = head_of(zone, cylinder, place.head.value);
  return track_angle(zone, cylinder, order) + sector_offset(zone, place.sector.value);
}

TrackRun Geometry::track_run(Lba first, std::uint32_t blocks) const {
  const Position at = locate(first.value);
  const Zone& zone = *at.zone;
  const std::uint32_t track_end = at.physical - at.sector + zone.sectors_per_track;
  const auto zone_left = static_cast<std::uint32_t>(zone.first_block + zone.blocks - first.value);
  // Walk the slips that lie between the first sector and the end of the track.
  std::uint32_t covered = 0;
  std::uint32_t next = at.physical;  // first physical sector not yet walked
  std::uint32_t last = at.physical;  // last sector that holds a wanted block
  const std::uint32_t wanted = std::min(blocks, zone_left);
  auto slip = std::lower_bound(zone.slips.begin(), zone.slips.end(), at.physical);
  while (covered < wanted && next < track_end) {
    const std::uint32_t stop = slip != zone.slips.end() ? std::min(*slip, track_end) : track_end;
    const std::uint32_t take = std::min(stop - next, wanted - covered);
    if (take > 0) last = next + take - 1;
    covered += take;
    next = stop;
    if (slip != zone.slips.end() && *slip == stop) {
      ++slip;
      ++next;
    }
  }
  TrackRun run{};
  run.cylinder = Cylinder(zone.first_cylinder + at.cylinder);
  run.head = Head(head_of(zone, at.cylinder, at.order));
  run.blocks = covered;
  run.sectors = last - at.physical + 1;
  const Angle track = track_angle(zone, at.cylinder, at.order);
  run.start_angle = track + sector_offset(zone, at.sector);
  run.full_turn = run.sectors == zone.sectors_per_track;
  run.end_angle = track + sector_offset(zone, at.sector + run.sectors);  // wraps at the track's end
  return run;
}

}  // namespace platter::mechanics
