// SPDX-License-Identifier: Apache-2.0
#include "platter/mechanics/geometry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

#include "drives.h"
#include "platter/config/loader.h"

namespace platter::mechanics {

void PrintTo(const PhysicalAddress& place, std::ostream* out) {
  *out << place.cylinder.value << "/" << place.head.value << "/" << place.sector.value;
}

namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr std::uint64_t kStride = 97;  // sectors of a whole drive that are looked at
#else
constexpr std::uint64_t kStride = 1;
#endif

PhysicalAddress place(std::uint32_t cylinder, std::uint32_t head, std::uint32_t sector) {
  return {Cylinder(cylinder), Head(head), SectorIndex(sector)};
}

/// Every physical sector in mapping order, with the block that it holds (-1: none): the definition, step by step.
template <typename Visit>
void enumerate(const GeometryProfile& profile, const Visit& visit) {
  std::int64_t next = 0;
  for (const ZoneProfile& zone : profile.zones) {
    std::vector<std::uint32_t> slips = zone.slips;
    std::sort(slips.begin(), slips.end());
    const std::uint64_t tracks = std::uint64_t{zone.last_cylinder - zone.first_cylinder + 1} * profile.surfaces;
    std::uint64_t blocks_left = tracks * zone.sectors_per_track - zone.spare_sectors;
    std::size_t slip = 0;
    std::uint32_t physical = 0;
    for (std::uint32_t cylinder = zone.first_cylinder; cylinder <= zone.last_cylinder; ++cylinder) {
      bool descending = false;
      if (profile.mapping == Mapping::Serpentine) descending = (cylinder - zone.first_cylinder) % 2 == 1;
      if (profile.mapping == Mapping::SerpentineAbsolute) descending = cylinder % 2 == 1;
      for (std::uint32_t order = 0; order < profile.surfaces; ++order) {
        const std::uint32_t head = descending ? profile.surfaces - 1 - order : order;
        for (std::uint32_t sector = 0; sector < zone.sectors_per_track; ++sector, ++physical) {
          const bool slipped = slip < slips.size() && slips[slip] == physical;
          if (slipped) ++slip;
          const bool used = !slipped && blocks_left > 0;
          if (used) --blocks_left;
          visit(zone, place(cylinder, head, sector), order, used ? next : -1);
          if (used) ++next;
        }
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
      {0, place(0, 0, 1), place(0, 0, 1), place(0, 0, 1)},     // sector 0 is slipped
      {2, place(0, 0, 3), place(0, 0, 3), place(0, 0, 3)},
      {3, place(0, 1, 0), place(0, 1, 0), place(0, 1, 0)},
      {4, place(0, 1, 3), place(0, 1, 3), place(0, 1, 3)},     // two slips in a row
      {5, place(1, 0, 0), place(1, 1, 0), place(1, 1, 0)},     // cylinder 1: odd in the zone and on the drive
      {9, place(1, 1, 0), place(1, 0, 0), place(1, 0, 0)},
      {13, place(2, 0, 0), place(2, 0, 0), place(2, 0, 0)},
      {20, place(2, 1, 3), place(2, 1, 3), place(2, 1, 3)},    // the slips have used up all spares
      {21, place(3, 0, 0), place(3, 0, 0), place(3, 1, 0)},    // cylinder 3: even in the zone, odd on the drive
      {22, place(3, 0, 1), place(3, 0, 1), place(3, 1, 1)},
      {23, place(3, 1, 0), place(3, 1, 0), place(3, 0, 0)},    // the track's last sector is slipped
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
        place(5, 0, 0), place(0, 2, 0), place(0, 0, 4), place(3, 0, 3)})                  // outside
    EXPECT_FALSE(geometry.to_logical(empty).has_value()) << ::testing::PrintToString(empty);
  EXPECT_EQ(geometry.to_logical(place(2, 1, 3)), Lba(20));
}

TEST(Geometry, EqualsTheEnumerationOnSmallDrives) {
  for (const Mapping mapping : {Mapping::Plain, Mapping::Serpentine, Mapping::SerpentineAbsolute}) {
    EXPECT_EQ(check_whole_drive(tiny(mapping), 1), 36u);
    EXPECT_EQ(check_whole_drive(testing::small_drive(mapping).geometry, 1), 330u + 189u);
  }
}

TEST(Geometry, EqualsTheEnumerationOnRandomDrives) {
  std::mt19937 random(7);
  const auto below = [&random](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  for (int drive = 0; drive < 300; ++drive) {
    GeometryProfile profile;
    profile.surfaces = 1 + below(4);
    profile.mapping = static_cast<Mapping>(below(3));
    for (std::uint32_t zone = 0, zones = 1 + below(4); zone < zones; ++zone) {
      ZoneProfile z;
      z.first_cylinder = profile.cylinders;
      z.last_cylinder = profile.cylinders + below(5);
      profile.cylinders = z.last_cylinder + 1;
      z.sectors_per_track = 1 + below(9);
      const std::uint32_t physical =
          (z.last_cylinder - z.first_cylinder + 1) * profile.surfaces * z.sectors_per_track;
      z.spare_sectors = below(std::min(physical, 12u));
      for (std::uint32_t s = 0; s < physical && z.slips.size() < z.spare_sectors; ++s)
        if (below(4) == 0) z.slips.push_back(s);
      profile.zones.push_back(z);
    }
    check_whole_drive(profile, 1);
  }
}

TEST(Geometry, IsAnExactInverseOverTheWholeAtlas10K) {
  check_whole_drive(config::load_drive("atlas10k").geometry, kStride);
}

TEST(Geometry, IsAnExactInverseOverTheWholeCheetah9LP) {
  check_whole_drive(config::load_drive("cheetah9lp").geometry, kStride);
}

/// The documented formula, in turns.
long double documented_angle(const GeometryProfile& profile, const ZoneProfile& zone, const PhysicalAddress& at,
                             std::uint32_t order) {
  const long double c = at.cylinder.value - zone.first_cylinder;
  const long double sectors =
      static_cast<long double>(zone.offset_sectors) +
      static_cast<long double>(zone.track_skew_sectors) * (order + (profile.surfaces - 1) * c) +
      static_cast<long double>(zone.cylinder_skew_sectors) * c + at.sector.value;
  const long double turns = sectors / zone.sectors_per_track;
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
  for (const config::ShippedDrive& drive : config::shipped_drives())
    profiles.push_back(config::load_drive(drive.name).geometry);
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
  expect_error("zone 1 starts at cylinder 4, expected 3", [](auto& p) { p.zones[1].first_cylinder = 4; });
  expect_error("zone 1 starts at cylinder 2, expected 3", [](auto& p) { p.zones[1].first_cylinder = 2; });
  expect_error("zone 0 starts at cylinder 1, expected 0", [](auto& p) { p.zones[0].first_cylinder = 1; });
  expect_error("zone 1 ends at cylinder 5, expected 3 to 4", [](auto& p) { p.zones[1].last_cylinder = 5; });
  expect_error("zone 1 ends at cylinder 2", [](auto& p) { p.zones[1].last_cylinder = 2; });
  expect_error("the zones cover 4 of 5 cylinders", [](auto& p) { p.zones[1].last_cylinder = 3; });
  expect_error("the zones cover 0 of 5 cylinders", [](auto& p) { p.zones.clear(); });
  expect_error("zone 0 has 3 slips but only 2 spare", [](auto& p) { p.zones[0].spare_sectors = 2; });
  expect_error("slip 12 is past the zone's 12", [](auto& p) { p.zones[1].slips = {12}; });
  expect_error("slip 5 is listed twice", [](auto& p) { p.zones[1].slips = {5, 5}; });
  expect_error("12 spare sectors of 12", [](auto& p) { p.zones[1].spare_sectors = 12; });
  expect_error("zone 0 has 3 spare sectors of 0", [](auto& p) { p.zones[0].sectors_per_track = 0; });
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
