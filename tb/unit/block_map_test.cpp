// SPDX-License-Identifier: Apache-2.0
#include "platter/mapping/eager/block_map.h"

#include <gtest/gtest.h>

#include <random>

#include "drives.h"
#include "eager_drives.h"
#include "platter/mapping/eager/ageing.h"

namespace platter::eager {
namespace {

using mechanics::AccessPlanner;
using profile::Mapping;

/// Two zones whose tracks are no whole number of blocks, slips, skews that are no whole sectors.
profile::DriveProfile uneven_drive(Mapping mapping) {
  profile::DriveProfile drive = testing::small_drive(mapping);
  drive.geometry.zones[1].remaps = {{20, 187}};
  return drive;
}

class LayoutTest : public ::testing::TestWithParam<Mapping> {};

TEST_P(LayoutTest, PlacesAreWholeRowsOfSectorsInTheirOrderAndNoneIsTwice) {
  const AccessPlanner planner(uneven_drive(GetParam()));
  const BlockLayout layout(planner, 1024);
  ASSERT_GT(layout.places(), 200u);
  std::set<std::uint64_t> sectors;
  std::uint32_t last_track = 0;
  std::uint32_t last_sector = 0;
  for (std::uint32_t p = 0; p < layout.places(); ++p) {
    const Place place(p);
    const Lba first = layout.first_sector(place);
    const mechanics::Extent extent = planner.resolve(first, 2, true);
    ASSERT_EQ(extent.tracks, 1u) << p;
    ASSERT_EQ(extent.sectors, 2u) << p;
    const std::size_t index = layout.track_of(place);
    ASSERT_EQ(index, layout.track_index(extent.cylinder, extent.head)) << p;
    const BlockLayout::Track& track = layout.track(index);
    ASSERT_EQ(layout.start_phase(track, p - track.first_place), extent.start_phase) << p;
    ASSERT_EQ(layout.end_phase(track, p - track.first_place), extent.end_phase) << p;
    ASSERT_EQ(layout.place_at(first), place);
    for (std::uint64_t i = 0; i < 2; ++i) ASSERT_TRUE(sectors.insert(first.value + i).second) << p;
    const auto number = static_cast<std::uint32_t>(index);
    if (p > 0) {
      ASSERT_TRUE(number > last_track || (number == last_track && extent.start_sector > last_sector)) << p;
    }
    last_track = number;
    last_sector = extent.start_sector;
  }
}

TEST_P(LayoutTest, TheNextBlockOfATrackIsTheOneThatComesFirst) {
  const AccessPlanner planner(uneven_drive(GetParam()));
  const BlockLayout layout(planner, 1024);
  const mechanics::Rotation& rotation = planner.rotation();
  std::mt19937_64 random(1);
  for (std::size_t t = 0; t < std::size_t{layout.cylinders()} * layout.surfaces(); ++t) {
    const BlockLayout::Track& track = layout.track(t);
    if (track.places == 0) continue;
    std::vector<Picoseconds> phases;
    for (int i = 0; i < 50; ++i)
      phases.push_back(static_cast<Picoseconds>(random() % static_cast<std::uint64_t>(rotation.period())));
    for (std::uint32_t i = 0; i < track.places; ++i)
      for (const Picoseconds off : {-1, 0, 1})
        phases.push_back(rotation.phase(layout.start_phase(track, i) + rotation.period() + off));
    for (const Picoseconds phase : phases) {
      std::uint32_t best = 0;
      for (std::uint32_t i = 1; i < track.places; ++i)
        if (rotation.wait(phase, layout.start_phase(track, i)) < rotation.wait(phase, layout.start_phase(track, best)))
          best = i;
      ASSERT_EQ(layout.index_after(track, phase), best) << "track " << t << " phase " << phase;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Mappings, LayoutTest, ::testing::Values(Mapping::Plain, Mapping::Serpentine));

TEST(BlockLayout, OfAPaperDriveHasEveryBlock) {
  const AccessPlanner planner(testing::paper_drive());
  const BlockLayout layout(planner, 4096);
  EXPECT_EQ(layout.places(), 32u * 2 * 8);
  EXPECT_EQ(layout.sectors_per_block(), 8u);
  EXPECT_EQ(layout.first_sector(testing::paper_place(3, 1, 2)), Lba((3 * 2 + 1) * 64 + 16));
}

TEST(BlockLayout, PlacesAreWholePhysicalSectors) {
  profile::DriveProfile drive = testing::paper_drive();
  drive.geometry.physical_sector_bytes = 4096;
  drive.geometry.zones[0].spare_sectors = 64;
  drive.geometry.zones[0].remaps = {{3, 32 * 2 * 64 - 61}};  // the first physical sector of a track has a block less
  const AccessPlanner planner(drive);
  const BlockLayout layout(planner, 4096);
  ASSERT_EQ(layout.places(), 32u * 2 * 8 - 9);
  EXPECT_EQ(layout.first_sector(Place(0)), Lba(8));
  for (std::uint32_t p = 0; p < layout.places(); ++p)
    ASSERT_EQ(planner.resolve(layout.first_sector(Place(p)), 8, true).tracks, 1u)
        << "place " << p << " is read before it is written";
  EXPECT_EQ(layout.start_phase(layout.track(0), 0), planner.resolve(Lba(8), 8, true).start_phase);
}

TEST(BlockLayout, RefusesBlocksThatAreNoneOfItsSectors) {
  const AccessPlanner planner(testing::paper_drive());
  EXPECT_THROW(BlockLayout(planner, 512), std::invalid_argument);
  EXPECT_THROW(BlockLayout(planner, 4100), std::invalid_argument);
  EXPECT_THROW(BlockLayout(planner, 65 * 512), std::invalid_argument);  // no track is as long
  EXPECT_EQ(BlockLayout::objection(planner.geometry(), 64 * 512), "");
  EXPECT_NE(BlockLayout::objection(planner.geometry(), 65 * 512).find("at most the 32768 of"), std::string::npos);
}

/// Each block has a place, each place at most one block; bitmap and counts say the same.
void expect_sound(const BlockMap& map) {
  const BlockLayout& layout = map.layout();
  std::vector<int> used(layout.places());
  for (std::uint32_t b = 0; b < map.blocks(); ++b) {
    const Place place = map.place_of(Block(b));
    ASSERT_LT(place.value, layout.places());
    ASSERT_EQ(used[place.value]++, 0) << "two blocks at one place";
    ASSERT_EQ(map.block_at(place), Block(b));
  }
  std::vector<std::uint32_t> on_cylinder(layout.cylinders());
  for (std::uint32_t p = 0; p < layout.places(); ++p) {
    ASSERT_EQ(map.free(Place(p)), used[p] == 0);
    if (used[p] == 0) {
      ASSERT_EQ(map.block_at(Place(p)), BlockMap::kNoBlock);
      ++on_cylinder[layout.track_of(Place(p)) / layout.surfaces()];
    }
  }
  for (std::uint32_t c = 0; c < layout.cylinders(); ++c) ASSERT_EQ(map.free_on_cylinder(Cylinder(c)), on_cylinder[c]);
  ASSERT_EQ(map.free_count(), layout.places() - map.blocks());
}

TEST(BlockMap, StaysABijectionAndKeepsItsFreeCount) {
  const AccessPlanner planner(uneven_drive(Mapping::Plain));
  const BlockLayout layout(planner, 1024);
  for (const double dilution : {1.05, 2.0, 3.7}) {
    BlockMap map(layout, dilution);
    EXPECT_EQ(map.blocks(), static_cast<std::uint32_t>(layout.places() / dilution));
    map.place_at_random(5);
    expect_sound(map);
    std::mt19937 random(7);
    for (int step = 0; step < 3000; ++step) {
      Place to(static_cast<std::uint32_t>(random() % layout.places()));
      while (!map.free(to)) to = Place((to.value + 1) % layout.places());
      const Block block(static_cast<std::uint32_t>(random() % map.blocks()));
      const Place from = map.place_of(block);
      map.move(block, to);
      EXPECT_TRUE(map.free(from)) << "the old copy is free at once";
      EXPECT_EQ(map.place_of(block), to);
    }
    expect_sound(map);
    map.clear();
    EXPECT_EQ(map.free_count(), layout.places());
  }
}

TEST(Ageing, WritesBlocksAsOftenAsItIsTold) {
  const AccessPlanner planner(testing::paper_drive(200));
  const BlockLayout layout(planner, 4096);
  BlockMap fresh(layout, 2);
  fresh.place_at_random(1);
  const auto moved = [&](double turnovers, std::uint64_t seed) {
    BlockMap map(layout, 2);
    map.place_at_random(1);
    age(map, planner, turnovers, seed);
    expect_sound(map);
    std::vector<std::uint32_t> places;
    std::uint32_t count = 0;
    for (std::uint32_t b = 0; b < map.blocks(); ++b) {
      places.push_back(map.place_of(Block(b)).value);
      count += map.place_of(Block(b)) != fresh.place_of(Block(b));
    }
    return std::make_pair(count / static_cast<double>(map.blocks()), places);
  };
  EXPECT_EQ(moved(0, 1).first, 0);
  // Of blocks drawn at random a share of exp(-turnovers) is never drawn.
  EXPECT_NEAR(moved(0.5, 1).first, 0.393, 0.03);
  EXPECT_NEAR(moved(1, 1).first, 0.632, 0.03);
  EXPECT_NEAR(moved(3, 1).first, 0.950, 0.02);
  EXPECT_EQ(moved(1, 1).second, moved(1, 1).second);
  EXPECT_NE(moved(1, 1).second, moved(1, 2).second);
}

TEST(BlockMap, FindsTheNextFreePlaceRoundTheTrack) {
  const AccessPlanner planner(uneven_drive(Mapping::Plain));
  const BlockLayout layout(planner, 1024);
  for (const double dilution : {1.02, 2.0}) {
    BlockMap map(layout, dilution);
    map.place_at_random(3);
    for (std::size_t t = 0; t < std::size_t{layout.cylinders()} * layout.surfaces(); ++t) {
      const BlockLayout::Track& track = layout.track(t);
      for (std::uint32_t from = 0; from < track.places; ++from) {
        Place expected = BlockMap::kNoPlace;
        for (std::uint32_t i = 0; i < track.places && expected == BlockMap::kNoPlace; ++i) {
          const Place place(track.first_place + (from + i) % track.places);
          if (map.free(place)) expected = place;
        }
        ASSERT_EQ(map.next_free(track, from), expected);
      }
    }
  }
}

TEST(BlockMap, StartsAtRandomOverTheWholeDriveFromTheSeed) {
  const AccessPlanner planner(testing::paper_drive(200));
  const BlockLayout layout(planner, 4096);
  BlockMap map(layout, 2);
  BlockMap same(layout, 2);
  BlockMap other(layout, 2);
  map.place_at_random(1);
  same.place_at_random(1);
  other.place_at_random(2);
  std::uint32_t moved = 0;
  for (std::uint32_t b = 0; b < map.blocks(); ++b) {
    ASSERT_EQ(map.place_of(Block(b)), same.place_of(Block(b)));
    moved += map.place_of(Block(b)) != other.place_of(Block(b));
  }
  EXPECT_GT(moved, map.blocks() * 9 / 10);
  std::uint32_t outer = 0;  // of 1,600 blocks on each half 800 are free, give or take six deviations (of about 14)
  for (std::uint32_t c = 0; c < 100; ++c) outer += map.free_on_cylinder(Cylinder(c));
  EXPECT_NEAR(outer, 800, 90);
}

TEST(BlockMap, RefusesADilutionThatLeavesNothing) {
  const AccessPlanner planner(testing::paper_drive());
  const BlockLayout layout(planner, 4096);
  EXPECT_THROW(BlockMap(layout, 1), std::invalid_argument);
  EXPECT_THROW(BlockMap(layout, 0), std::invalid_argument);
  EXPECT_THROW(BlockMap(layout, 1e9), std::invalid_argument);
}

}  // namespace
}  // namespace platter::eager
