// SPDX-License-Identifier: Apache-2.0
#include "platter/mechanics/geometry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

#include "../sanitized.h"
#include "drives.h"
#include "platter/system/drives.h"

namespace platter::mechanics {

void PrintTo(const PhysicalAddress& place, std::ostream* out) {
  *out << place.cylinder.value << "/" << place.head.value << "/" << place.sector.value;
}

namespace {

using profile::GeometryProfile;
using profile::Mapping;
using profile::SpareUnit;
using profile::ZoneProfile;

constexpr std::uint64_t kStride = testing::kSanitized ? 7 : 1;  // sectors of a whole drive that are looked at
constexpr std::uint64_t kLargestWalk =
    testing::kSanitized ? 5'000'000 : 20'000'000;  // blocks; a larger drive's walk takes too long

PhysicalAddress place(std::uint32_t cylinder, std::uint32_t head, std::uint32_t sector) {
  return {Cylinder(cylinder), Head(head), SectorIndex(sector)};
}

/// The zone's slips, whole tracks among them, as a bit for each sector.
std::vector<bool> slipped_sectors(const GeometryProfile& profile, const ZoneProfile& zone) {
  const std::size_t tracks = std::size_t{zone.last_cylinder - zone.first_cylinder + 1} * profile.surfaces;
  std::vector<bool> slipped(tracks * zone.sectors_per_track, false);
  for (const std::uint32_t sector : zone.slips) slipped[sector] = true;
  for (const std::uint32_t track : zone.slipped_tracks)
    for (std::uint32_t s = 0; s < zone.sectors_per_track; ++s) slipped[track * zone.sectors_per_track + s] = true;
  return slipped;
}

std::size_t unit_sectors(const GeometryProfile& profile, const ZoneProfile& zone) {
  const std::size_t cylinder = std::size_t{profile.surfaces} * zone.sectors_per_track;
  const std::size_t all = (zone.last_cylinder - zone.first_cylinder + 1) * cylinder;
  switch (profile.spare_unit) {
    case SpareUnit::Zone: return all;
    case SpareUnit::Range: return std::min(all, cylinder * profile.range_cylinders);
    case SpareUnit::Cylinder: return cylinder;
    case SpareUnit::Track: return zone.sectors_per_track;
  }
  return all;
}

/// Which block each sector of the zone holds, in mapping order (-1: none): the definition, unit by unit.
std::vector<std::int64_t> lay_out(const GeometryProfile& profile, const ZoneProfile& zone, std::int64_t& next) {
  const std::vector<bool> slipped = slipped_sectors(profile, zone);
  const std::size_t unit = unit_sectors(profile, zone);
  std::vector<std::int64_t> holds(slipped.size(), -1);
  std::size_t front = zone.front_sectors;
  for (std::size_t base = 0; base < holds.size(); base += unit) {
    const std::size_t end = std::min(base + unit, holds.size());
    const std::size_t spares = end - base == unit ? zone.spare_sectors : 0;  // none in a range that is cut off
    std::vector<std::size_t> usable;
    for (std::size_t sector = base; sector < end; ++sector) {
      const bool spare = profile.spares_at_front ? sector - base < spares : end - sector <= spares;
      if (!slipped[sector] && !(profile.slip_to_zone_end && spare)) usable.push_back(sector);
    }
    if (!profile.slip_to_zone_end) {  // the slips use up spares
      const std::size_t surplus = usable.size() - (end - base - spares);
      if (profile.spares_at_front)
        usable.erase(usable.begin(), usable.begin() + static_cast<std::ptrdiff_t>(surplus));
      else
        usable.resize(usable.size() - surplus);
    }
    for (const std::size_t sector : usable) {
      if (front > 0)
        --front;
      else
        holds[sector] = next++;
    }
  }
  const std::vector<std::int64_t> before = holds;
  for (const auto& [bad, spare] : zone.remaps) {
    holds[bad] = -1;
    holds[spare] = before[bad];
  }
  return holds;
}

/// Every physical sector in mapping order, with the block that it holds (-1: none).
template <typename Visit>
void enumerate(const GeometryProfile& profile, const Visit& visit) {
  std::int64_t next = 0;
  for (const ZoneProfile& zone : profile.zones) {
    const std::vector<std::int64_t> holds = lay_out(profile, zone, next);
    std::size_t physical = 0;
    for (std::uint32_t cylinder = zone.first_cylinder; cylinder <= zone.last_cylinder; ++cylinder) {
      bool descending = false;
      if (profile.mapping == Mapping::Serpentine) descending = (cylinder - zone.first_cylinder) % 2 == 1;
      if (profile.mapping == Mapping::SerpentineAbsolute) descending = cylinder % 2 == 1;
      for (std::uint32_t order = 0; order < profile.surfaces; ++order) {
        const std::uint32_t head = descending ? profile.surfaces - 1 - order : order;
        for (std::uint32_t sector = 0; sector < zone.sectors_per_track; ++sector, ++physical)
          visit(zone, place(cylinder, head, sector), order, holds[physical]);
      }
    }
  }
}

std::uint64_t check_whole_drive(const GeometryProfile& profile, std::uint64_t stride) {
  const Geometry geometry(profile);
  std::uint64_t mapped = 0;
  std::uint64_t visited = 0;
  std::uint64_t wrong = 0;
  enumerate(profile, [&](const ZoneProfile&, const PhysicalAddress& at, std::uint32_t, std::int64_t block) {
    if (block >= 0) ++mapped;
    if (visited++ % stride != 0) return;
    const std::optional<Lba> found = geometry.to_logical(at);
    if (block < 0) {
      wrong += found.has_value();
      return;
    }
    const Lba lba(static_cast<std::uint64_t>(block));
    wrong += !found.has_value() || *found != lba || !(geometry.to_physical(lba) == at);
  });
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(mapped, geometry.block_count());
  EXPECT_EQ(geometry.capacity_bytes(), mapped * profile.sector_bytes);
  return visited;
}

/// Zone 0: cylinders 0-2, two tracks of 4 each, 24 sectors, 3 spares, sectors 0, 5 and 6 slipped: 21 blocks.
/// Zone 1: cylinders 3-4, two tracks of 3 each, 12 sectors, 2 spares, sector 2 (a track's end) slipped: 10 blocks.
GeometryProfile tiny(Mapping mapping) {
  GeometryProfile profile;
  profile.cylinders = 5;
  profile.surfaces = 2;
  profile.mapping = mapping;
  ZoneProfile outer;
  outer.last_cylinder = 2;
  outer.sectors_per_track = 4;
  outer.spare_sectors = 3;
  outer.slips = {6, 0, 5};
  ZoneProfile inner;
  inner.first_cylinder = 3;
  inner.last_cylinder = 4;
  inner.sectors_per_track = 3;
  inner.spare_sectors = 2;
  inner.slips = {2};
  profile.zones = {outer, inner};
  return profile;
}

TEST(Geometry, PlacesBlocksOfATinyDriveAsWorkedOutByHand) {
  struct Row {
    std::uint64_t block;
    PhysicalAddress plain, serpentine, absolute;
  };
  const Row rows[] = {
      {0, place(0, 0, 1), place(0, 0, 1), place(0, 0, 1)},  // sector 0 is slipped
      {2, place(0, 0, 3), place(0, 0, 3), place(0, 0, 3)},
      {3, place(0, 1, 0), place(0, 1, 0), place(0, 1, 0)},
      {4, place(0, 1, 3), place(0, 1, 3), place(0, 1, 3)},  // two slips in a row
      {5, place(1, 0, 0), place(1, 1, 0), place(1, 1, 0)},  // cylinder 1: odd in the zone and on the drive
      {9, place(1, 1, 0), place(1, 0, 0), place(1, 0, 0)},
      {13, place(2, 0, 0), place(2, 0, 0), place(2, 0, 0)},
      {20, place(2, 1, 3), place(2, 1, 3), place(2, 1, 3)},  // the slips have used up all spares
      {21, place(3, 0, 0), place(3, 0, 0), place(3, 1, 0)},  // cylinder 3: even in the zone, odd on the drive
      {22, place(3, 0, 1), place(3, 0, 1), place(3, 1, 1)},
      {23, place(3, 1, 0), place(3, 1, 0), place(3, 0, 0)},  // the track's last sector is slipped
      {26, place(4, 0, 0), place(4, 1, 0), place(4, 0, 0)},
      {30, place(4, 1, 1), place(4, 0, 1), place(4, 1, 1)},
  };
  const Geometry plain(tiny(Mapping::Plain));
  const Geometry serpentine(tiny(Mapping::Serpentine));
  const Geometry absolute(tiny(Mapping::SerpentineAbsolute));
  EXPECT_EQ(plain.block_count(), 31u);
  EXPECT_EQ(plain.zone_count(), 2u);
  for (const Row& row : rows) {
    EXPECT_EQ(plain.to_physical(Lba(row.block)), row.plain) << row.block;
    EXPECT_EQ(serpentine.to_physical(Lba(row.block)), row.serpentine) << row.block;
    EXPECT_EQ(absolute.to_physical(Lba(row.block)), row.absolute) << row.block;
  }
}

TEST(Geometry, HoldsNoBlockInSlipsSparesAndOutside) {
  const Geometry geometry(tiny(Mapping::Plain));
  for (const PhysicalAddress& empty :
       {place(0, 0, 0), place(0, 1, 1), place(0, 1, 2), place(3, 0, 2), place(4, 1, 2),  // slips and the spare
        place(5, 0, 0), place(0, 2, 0), place(0, 0, 4), place(3, 0, 3)})                 // outside
    EXPECT_FALSE(geometry.to_logical(empty).has_value()) << ::testing::PrintToString(empty);
  EXPECT_EQ(geometry.to_logical(place(2, 1, 3)), Lba(20));
}

TEST(Geometry, EqualsTheEnumerationOnSmallDrives) {
  for (const Mapping mapping : {Mapping::Plain, Mapping::Serpentine, Mapping::SerpentineAbsolute}) {
    EXPECT_EQ(check_whole_drive(tiny(mapping), 1), 36u);
    EXPECT_EQ(check_whole_drive(testing::small_drive(mapping).geometry, 1), 330u + 189u);
  }
}

/// A made-up drive with all that a layout can have. `remaps`: some sectors are remapped to spares and slips.
GeometryProfile random_drive(std::mt19937& random, bool remaps) {
  const auto below = [&random](std::size_t n) { return static_cast<std::uint32_t>(random() % n); };
  GeometryProfile profile;
  profile.surfaces = 1 + below(4);
  profile.mapping = static_cast<Mapping>(below(3));
  profile.spare_unit = static_cast<SpareUnit>(below(4));
  profile.range_cylinders = 1 + below(4);
  if (profile.spare_unit == SpareUnit::Cylinder) {
    profile.spares_at_front = below(2) == 0;
    profile.slip_to_zone_end = below(2) == 0;
  }
  if (below(2) == 0)
    for (std::uint32_t head = 0; head < profile.surfaces; ++head) profile.head_offsets_turns.push_back(below(1000) / 1000.0);
  std::uint32_t cylinder = below(3);
  for (std::uint32_t zone = 0, zones = 1 + below(4); zone < zones; ++zone) {
    ZoneProfile z;
    z.first_cylinder = cylinder;
    z.last_cylinder = cylinder + below(7);
    cylinder = z.last_cylinder + 1 + (below(3) == 0 ? below(3) : 0);  // gaps between zones
    profile.cylinders = cylinder + below(2);
    z.sectors_per_track = 2 + below(9);
    z.offset_sectors = below(100) / 10.0 - 5;
    z.track_skew_sectors = below(100) / 10.0;
    z.cylinder_skew_sectors = below(100) / 10.0;
    z.range_skew_sectors = below(3) == 0 ? below(100) / 10.0 : 0;
    const std::size_t unit = unit_sectors(profile, z);
    z.spare_sectors = below(std::min<std::size_t>(unit, 6));
    const std::size_t tracks = std::size_t{z.last_cylinder - z.first_cylinder + 1} * profile.surfaces;
    const std::size_t sectors = tracks * z.sectors_per_track;
    for (std::size_t base = 0; base + unit <= sectors; base += unit) {
      std::uint32_t left = profile.slip_to_zone_end ? below(3) : z.spare_sectors;
      const std::size_t first = profile.slip_to_zone_end && profile.spares_at_front ? base + z.spare_sectors : base;
      const std::size_t end =
          profile.slip_to_zone_end && !profile.spares_at_front ? base + unit - z.spare_sectors : base + unit;
      for (std::size_t s = first; s < end && left > 0; ++s) {
        if (profile.spare_unit == SpareUnit::Zone && s % z.sectors_per_track == 0 && left >= z.sectors_per_track &&
            below(20) == 0) {
          z.slipped_tracks.push_back(static_cast<std::uint32_t>(s / z.sectors_per_track));
          left -= z.sectors_per_track;
          s += z.sectors_per_track - 1;
        } else if (below(8) == 0) {
          z.slips.push_back(static_cast<std::uint32_t>(s));
          --left;
        }
      }
    }
    std::shuffle(z.slips.begin(), z.slips.end(), random);
    z.front_sectors = below(4) == 0 ? below(3) : 0;
    std::int64_t next = 0;
    const std::vector<std::int64_t> holds = lay_out(profile, z, next);
    if (next <= 0) {  // nothing is left for blocks
      z.slips.clear();
      z.slipped_tracks.clear();
      z.spare_sectors = z.front_sectors = 0;
    } else if (remaps) {
      for (std::size_t s = 0; s < holds.size(); ++s)
        if (holds[s] < 0 && below(2) == 0) {  // a spare, or a slip
          std::size_t bad = below(holds.size());
          while (holds[bad] < 0) bad = (bad + 1) % holds.size();
          const bool listed = std::any_of(z.remaps.begin(), z.remaps.end(), [bad](const auto& r) { return r.first == bad; });
          if (!listed) z.remaps.emplace_back(static_cast<std::uint32_t>(bad), static_cast<std::uint32_t>(s));
        }
    }
    profile.zones.push_back(z);
  }
  return profile;
}

TEST(Geometry, EqualsTheEnumerationOnRandomDrives) {
  std::mt19937 random(7);
  for (int drive = 0; drive < 2000 && !::testing::Test::HasFailure(); ++drive) {
    const GeometryProfile profile = random_drive(random, drive % 2 == 1);
    SCOPED_TRACE(::testing::Message() << "drive " << drive << ", spares by " << static_cast<int>(profile.spare_unit)
                                      << (profile.spares_at_front ? ", at front" : "")
                                      << (profile.slip_to_zone_end ? ", slips to the zone's end" : ""));
    check_whole_drive(profile, 1);
  }
}

TEST(Geometry, HoldsNothingInTheGapsBetweenZones) {
  GeometryProfile profile = tiny(Mapping::Plain);
  profile.cylinders = 9;
  profile.zones[0].first_cylinder = 1;  // cylinders 1 to 3 and 6 to 7
  profile.zones[0].last_cylinder = 3;
  profile.zones[1].first_cylinder = 6;
  profile.zones[1].last_cylinder = 7;
  const Geometry geometry(profile);
  EXPECT_EQ(geometry.block_count(), 31u);
  EXPECT_EQ(geometry.to_physical(Lba(0)), place(1, 0, 1));
  EXPECT_EQ(geometry.to_physical(Lba(21)), place(6, 0, 0));
  for (const std::uint32_t cylinder : {0u, 4u, 5u, 8u})
    EXPECT_FALSE(geometry.to_logical(place(cylinder, 0, 0)).has_value()) << cylinder;
}

TEST(Geometry, SpareUnitsByHand) {
  // One zone, 5 cylinders of two tracks of 4, one spare in each unit; the second sector of cylinder 1 is slipped.
  GeometryProfile profile;
  profile.cylinders = 5;
  profile.surfaces = 2;
  ZoneProfile zone;
  zone.last_cylinder = 4;
  zone.sectors_per_track = 4;
  zone.spare_sectors = 1;
  zone.slips = {9};
  profile.zones = {zone};
  profile.spare_unit = SpareUnit::Range;
  profile.range_cylinders = 2;  // cylinders 0-1, 2-3, and 4, which is half a range and has no spare
  const Geometry range(profile);
  EXPECT_EQ(range.block_count(), 15u + 15 + 8);
  EXPECT_EQ(range.to_physical(Lba(8)), place(1, 0, 0));
  EXPECT_EQ(range.to_physical(Lba(9)), place(1, 0, 2));
  EXPECT_EQ(range.to_physical(Lba(14)), place(1, 1, 3)) << "the slip has used the spare";
  EXPECT_EQ(range.to_physical(Lba(15)), place(2, 0, 0));
  EXPECT_EQ(range.to_physical(Lba(29)), place(3, 1, 2)) << "its last sector is spare";
  EXPECT_EQ(range.to_physical(Lba(30)), place(4, 0, 0));
  EXPECT_EQ(range.to_physical(Lba(37)), place(4, 1, 3));
  profile.spare_unit = SpareUnit::Cylinder;
  const Geometry cylinder(profile);
  EXPECT_EQ(cylinder.block_count(), 35u);
  EXPECT_EQ(cylinder.to_physical(Lba(6)), place(0, 1, 2));
  EXPECT_EQ(cylinder.to_physical(Lba(7)), place(1, 0, 0));
  EXPECT_EQ(cylinder.to_physical(Lba(13)), place(1, 1, 3));
  profile.spares_at_front = true;
  const Geometry front(profile);
  EXPECT_EQ(front.block_count(), 35u);
  EXPECT_EQ(front.to_physical(Lba(0)), place(0, 0, 1));
  EXPECT_EQ(front.to_physical(Lba(7)), place(1, 0, 0)) << "the blocks end with the cylinder: the spare in front is used";
  EXPECT_EQ(front.to_physical(Lba(8)), place(1, 0, 2));
  EXPECT_EQ(front.to_physical(Lba(14)), place(2, 0, 1));
  profile.spares_at_front = false;
  profile.slip_to_zone_end = true;
  const Geometry to_end(profile);
  EXPECT_EQ(to_end.block_count(), 34u);
  EXPECT_EQ(to_end.to_physical(Lba(7)), place(1, 0, 0));
  EXPECT_EQ(to_end.to_physical(Lba(8)), place(1, 0, 2));
  EXPECT_EQ(to_end.to_physical(Lba(12)), place(1, 1, 2));
  EXPECT_EQ(to_end.to_physical(Lba(13)), place(2, 0, 0)) << "the spare stays";
  profile.slip_to_zone_end = false;
  profile.spare_unit = SpareUnit::Track;
  const Geometry track(profile);
  EXPECT_EQ(track.block_count(), 30u);
  EXPECT_EQ(track.to_physical(Lba(3)), place(0, 1, 0));
  EXPECT_EQ(track.to_physical(Lba(8)), place(1, 0, 3));
  EXPECT_EQ(track.to_physical(Lba(9)), place(1, 1, 0));
}

TEST(Geometry, IsAnExactInverseOverTheWholeAtlas10K) { check_whole_drive(system::load_drive("atlas10k").geometry, kStride); }

TEST(Geometry, IsAnExactInverseOverTheWholeCheetah9LP) {
  check_whole_drive(system::load_drive("cheetah9lp").geometry, kStride);
}

/// The documented formula, in turns.
long double documented_angle(const GeometryProfile& profile, const ZoneProfile& zone, const PhysicalAddress& at,
                             std::uint32_t order) {
  const std::uint32_t cylinder = at.cylinder.value - zone.first_cylinder;
  const long double c = cylinder;
  // Slips of earlier cylinders or tracks, where spares are kept by cylinder or track.
  std::size_t earlier = 0;
  if (profile.spare_unit == SpareUnit::Cylinder) earlier = std::size_t{cylinder} * profile.surfaces;
  if (profile.spare_unit == SpareUnit::Track) earlier = std::size_t{cylinder} * profile.surfaces + order;
  long double slips = 0;
  if (earlier > 0 && (!zone.slips.empty() || !zone.slipped_tracks.empty())) {
    const std::vector<bool> slipped = slipped_sectors(profile, zone);
    slips = static_cast<long double>(
        std::count(slipped.begin(), slipped.begin() + static_cast<std::ptrdiff_t>(earlier * zone.sectors_per_track), true));
  }
  const long double sectors = static_cast<long double>(zone.offset_sectors) +
                              static_cast<long double>(zone.track_skew_sectors) * (order + (profile.surfaces - 1) * c) +
                              static_cast<long double>(zone.cylinder_skew_sectors) * c +
                              static_cast<long double>(zone.range_skew_sectors) * (cylinder / profile.range_cylinders) +
                              at.sector.value + slips;
  long double turns = sectors / zone.sectors_per_track;
  if (!profile.head_offsets_turns.empty()) turns += static_cast<long double>(profile.head_offsets_turns[at.head.value]);
  return turns - std::floor(turns);
}

double turns_apart(Angle angle, long double turns) {
  const long double difference = static_cast<long double>(angle) / 0x1p32L - turns;
  return static_cast<double>(std::abs(difference - std::round(difference)));
}

TEST(Geometry, AnglesFollowTheDocumentedFormula) {
  std::vector<GeometryProfile> profiles;
  for (const Mapping mapping : {Mapping::Plain, Mapping::Serpentine, Mapping::SerpentineAbsolute})
    profiles.push_back(testing::small_drive(mapping).geometry);
  for (const system::ShippedDrive& drive : system::shipped_drives()) {
    const GeometryProfile profile = system::load_drive(drive.name).geometry;
    if (Geometry(profile).block_count() < kLargestWalk) profiles.push_back(profile);
  }
  std::mt19937 random(8);
  for (int drive = 0; drive < 200; ++drive) profiles.push_back(random_drive(random, false));
  for (const GeometryProfile& profile : profiles) {
    const Geometry geometry(profile);
    const std::uint64_t stride = geometry.block_count() < 10000 ? 1 : 499 * kStride;
    std::uint64_t visited = 0;
    double worst = 0;
    enumerate(profile, [&](const ZoneProfile& zone, const PhysicalAddress& at, std::uint32_t order, std::int64_t) {
      if (visited++ % stride == 0)
        worst = std::max(worst, turns_apart(geometry.angle_of(at), documented_angle(profile, zone, at, order)));
    });
    EXPECT_LT(worst, 1e-9);
  }
}

TEST(Geometry, TrackRunEqualsAWalkBlockByBlock) {
  for (const Mapping mapping : {Mapping::Plain, Mapping::Serpentine}) {
    const GeometryProfile profile = testing::small_drive(mapping).geometry;
    const Geometry geometry(profile);
    for (std::uint64_t first = 0; first < geometry.block_count(); ++first) {
      for (const std::uint32_t wanted : {1u, 2u, 3u, 5u, 9u, 10u, 11u, 600u}) {
        const PhysicalAddress start = geometry.to_physical(Lba(first));
        PhysicalAddress last = start;
        std::uint32_t blocks = 1;
        while (blocks < wanted && first + blocks < geometry.block_count()) {
          const PhysicalAddress next = geometry.to_physical(Lba(first + blocks));
          if (next.cylinder != start.cylinder || next.head != start.head) break;
          last = next;
          ++blocks;
        }
        const TrackRun run = geometry.track_run(Lba(first), wanted);
        ASSERT_EQ(run.cylinder, start.cylinder);
        ASSERT_EQ(run.head, start.head);
        ASSERT_EQ(run.blocks, blocks) << first << " " << wanted;
        ASSERT_EQ(run.sectors, last.sector.value - start.sector.value + 1);
        ASSERT_EQ(run.start_angle, geometry.angle_of(start));
        // The end is the start of the sector behind, which behind the last one of a track is its first.
        const std::uint32_t on_track = start.cylinder.value <= 10 ? 10 : 7;
        const PhysicalAddress behind{start.cylinder, start.head, SectorIndex((last.sector.value + 1) % on_track)};
        ASSERT_EQ(run.end_angle, geometry.angle_of(behind));
        ASSERT_EQ(run.full_turn, run.sectors == on_track);
      }
    }
  }
}

TEST(Geometry, TrackRunsOnRandomDrivesEqualAWalkBlockByBlock) {
  std::mt19937 random(9);
  std::uint64_t several = 0;
  for (int drive = 0; drive < 4000; ++drive) {
    const bool remaps = drive % 3 == 2;
    const GeometryProfile profile = random_drive(random, remaps);
    const Geometry geometry(profile);
    const auto on_track = [&](Cylinder cylinder) {
      for (const ZoneProfile& zone : profile.zones)
        if (zone.first_cylinder <= cylinder.value && cylinder.value <= zone.last_cylinder) return zone.sectors_per_track;
      return 0u;
    };
    for (std::uint64_t first = 0; first < geometry.block_count(); ++first) {
      const std::uint32_t wanted = 1 + static_cast<std::uint32_t>(random() % 12);
      const PhysicalAddress start = geometry.to_physical(Lba(first));
      const TrackRun run = geometry.track_run(Lba(first), wanted);
      ASSERT_GE(run.blocks, 1u);
      ASSERT_LE(run.blocks, std::min<std::uint64_t>(wanted, geometry.block_count() - first));
      PhysicalAddress last = start;
      for (std::uint32_t k = 1; k < run.blocks; ++k) {
        const PhysicalAddress next = geometry.to_physical(Lba(first + k));
        ASSERT_EQ(next.cylinder, start.cylinder);
        ASSERT_EQ(next.head, start.head);
        ASSERT_LT(last.sector.value, next.sector.value);
        for (std::uint32_t gap = last.sector.value + 1; gap < next.sector.value && !remaps; ++gap)
          ASSERT_FALSE(geometry.to_logical({start.cylinder, start.head, SectorIndex(gap)}).has_value());
        last = next;
      }
      several += run.blocks > 1;
      if (!remaps && run.blocks < wanted && first + run.blocks < geometry.block_count()) {
        const PhysicalAddress next = geometry.to_physical(Lba(first + run.blocks));
        ASSERT_FALSE(next.cylinder == start.cylinder && next.head == start.head)
            << "drive " << drive << ": the run from " << first << " could be longer than " << run.blocks << " blocks";
      }
      ASSERT_EQ(run.cylinder, start.cylinder);
      ASSERT_EQ(run.head, start.head);
      ASSERT_EQ(run.sector, start.sector.value);
      ASSERT_EQ(run.sectors, last.sector.value - start.sector.value + 1);
      ASSERT_EQ(run.track_sectors, on_track(start.cylinder));
      ASSERT_EQ(run.start_angle, geometry.angle_of(start));
      const PhysicalAddress behind{start.cylinder, start.head, SectorIndex((last.sector.value + 1) % run.track_sectors)};
      ASSERT_EQ(run.end_angle, geometry.angle_of(behind));
      ASSERT_EQ(run.full_turn, run.sectors == run.track_sectors);
    }
  }
  EXPECT_GT(several, 10'000u);
}

TEST(Geometry, RefusesProfilesThatDescribeNoDrive) {
  const auto expect_error = [](const std::string& part, auto change) {
    GeometryProfile profile = tiny(Mapping::Plain);
    change(profile);
    try {
      const Geometry geometry(profile);
      ADD_FAILURE() << "no error; expected: " << part;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  expect_error("zone 1 starts at cylinder 2, expected 3 or more", [](auto& p) { p.zones[1].first_cylinder = 2; });
  expect_error("zone 1 ends at cylinder 5, expected 3 to 4", [](auto& p) { p.zones[1].last_cylinder = 5; });
  expect_error("zone 1 ends at cylinder 2", [](auto& p) { p.zones[1].last_cylinder = 2; });
  expect_error("at least one zone", [](auto& p) { p.zones.clear(); });
  expect_error("zone 0 has 3 slips from sector 0 on but only 2 spare", [](auto& p) { p.zones[0].spare_sectors = 2; });
  expect_error("slip 12 is past the zone's 12", [](auto& p) { p.zones[1].slips = {12}; });
  expect_error("slip 5 is listed twice", [](auto& p) { p.zones[1].slips = {5, 5}; });
  expect_error("12 spare sectors of 12", [](auto& p) { p.zones[1].spare_sectors = 12; });
  expect_error("zone 0: slip 0 is past the zone's 0 sectors", [](auto& p) { p.zones[0].sectors_per_track = 0; });
  expect_error("zone 0 has 3 spare sectors of 0", [](auto& p) {
    p.zones[0].sectors_per_track = 0;
    p.zones[0].slips.clear();
  });
  expect_error("zone 0 holds no block", [](auto& p) { p.zones[0].front_sectors = 21; });
  expect_error("slipped track 6 is past the zone's 6 tracks", [](auto& p) { p.zones[0].slipped_tracks = {6}; });
  expect_error("remapped sector 24 to 1 is past the zone's 24", [](auto& p) { p.zones[0].remaps = {{24, 1}}; });
  expect_error("remapped sector 1 to 24 is past the zone's 24", [](auto& p) { p.zones[0].remaps = {{1, 24}}; });
  expect_error("sector 1 is remapped twice", [](auto& p) { p.zones[0].remaps = {{1, 2}, {1, 3}}; });
  expect_error("sector 3 holds the blocks of two remapped sectors", [](auto& p) { p.zones[0].remaps = {{1, 3}, {2, 3}}; });
  expect_error("sector 1 is remapped to 2, which holds a block of its own", [](auto& p) { p.zones[0].remaps = {{1, 2}}; });
  expect_error("row 0: no zone has cylinder 3", [](auto& p) {
    p.zones[1].first_cylinder = 4;
    p.slips = {{{3, 0, 0}, 1}};
  });
  expect_error("row 0: no zone has cylinder 5", [](auto& p) { p.remaps = {{{5, 0, 1}, 1, {0, 0, 2}}}; });
  expect_error("a range has no cylinders", [](auto& p) { p.range_cylinders = 0; });
  expect_error("go with spares by cylinder", [](auto& p) { p.spares_at_front = true; });
  expect_error("go with spares by cylinder", [](auto& p) { p.slip_to_zone_end = true; });
  expect_error("1 head offsets, expected none or 2", [](auto& p) { p.head_offsets_turns = {0.5}; });
  expect_error("zone 0 has 2 slips from sector 0 on but only 1 spare", [](auto& p) {  // 5 and 6 are on the next track
    p.spare_unit = SpareUnit::Track;
    p.zones[0].spare_sectors = 1;
    p.zones[0].slips = {0, 1, 5};
  });
  expect_error("more than 2^32 sectors", [](auto& p) {
    p.cylinders = 1u << 18;
    p.surfaces = 64;
    p.zones.resize(1);
    p.zones[0].last_cylinder = p.cylinders - 1;
    p.zones[0].sectors_per_track = 65535;
  });
}

}  // namespace
}  // namespace platter::mechanics
