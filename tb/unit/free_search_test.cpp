// SPDX-License-Identifier: Apache-2.0
#include "platter/mapping/eager/free_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "drives.h"
#include "eager_drives.h"

namespace platter::eager {
namespace {

using mechanics::AccessPlanner;
using mechanics::Extent;
using mechanics::HeadState;

/// A free block by the planner's own times, from its extent.
struct Candidate {
  Place place;
  Extent extent;
  Picoseconds end;
};

class FreeSearchTest : public ::testing::Test {
 protected:
  struct Case {
    HeadState head;
    Picoseconds now = 0;
    Picoseconds data_ready = 0;
    Extent read;
  };

  FreeSearchTest() : planner_(profile()), layout_(planner_, 1024) {}

  static profile::DriveProfile profile() {
    profile::DriveProfile drive = testing::small_drive(profile::Mapping::Serpentine);
    drive.seek.points_us = {{1, 800.0}, {2, 1000.0}, {5, 900.0}, {19, 2100.0}};  // farther may be faster, as measured
    drive.same_track_write_us = 120;
    return drive;
  }

  Case draw(const BlockMap& map) {
    Case c;
    c.head.cylinder = Cylinder(static_cast<std::uint32_t>(random_() % planner_.geometry().cylinders()));
    c.head.head = Head(static_cast<std::uint32_t>(random_() % planner_.geometry().surfaces()));
    c.head.last_was_write = random_() % 2 != 0;
    c.now = static_cast<Picoseconds>(random_() % 1'000'000'000'000);
    if (random_() % 4 == 0) c.data_ready = c.now + static_cast<Picoseconds>(random_() % 5'000'000'000);
    const Block block(static_cast<std::uint32_t>(random_() % map.blocks()));
    c.read = planner_.resolve(layout_.first_sector(map.place_of(block)), 2, false);
    return c;
  }

  std::vector<Candidate> all_free(const BlockMap& map, const Case& c) const {
    std::vector<Candidate> free;
    for (std::uint32_t p = 0; p < layout_.places(); ++p) {
      if (!map.free(Place(p))) continue;
      const Extent extent = planner_.resolve(layout_.first_sector(Place(p)), 2, true);
      free.push_back({Place(p), extent, planner_.estimate(c.head, extent, c.now, c.data_ready).total()});
    }
    return free;
  }

  AccessPlanner planner_;
  BlockLayout layout_;
  std::mt19937_64 random_{11};
};

TEST_F(FreeSearchTest, TheClosestIsTheOneThatIsCompleteFirstInTheDirection) {
  for (const double dilution : {1.005, 1.05, 1.3, 2.0}) {
    BlockMap map(layout_, dilution);
    map.place_at_random(1);
    const FreeSearch search(planner_, map, 3);
    int turned = 0;
    for (int i = 0; i < 1000; ++i) {
      const Case c = draw(map);
      const bool up = random_() % 2 != 0;
      bool upward = up;
      const FreeBlock found = search.closest(search.departure(c.head, c.now, c.data_ready, 0), upward);
      const std::vector<Candidate> free = all_free(map, c);
      const auto ahead = [&](const Candidate& f, bool direction) {
        return direction ? f.extent.cylinder >= c.head.cylinder : f.extent.cylinder <= c.head.cylinder;
      };
      const bool none = std::none_of(free.begin(), free.end(), [&](const Candidate& f) { return ahead(f, up); });
      ASSERT_EQ(upward, none ? !up : up);
      turned += none;
      Picoseconds best = core::kNoDeadline;
      for (const Candidate& f : free)
        if (ahead(f, upward)) best = std::min(best, f.end);
      ASSERT_TRUE(found);
      ASSERT_TRUE(map.free(found.place));
      ASSERT_EQ(found.end, best);
      const Extent extent = planner_.resolve(layout_.first_sector(found.place), 2, true);
      ASSERT_EQ(found.end, planner_.estimate(c.head, extent, c.now, c.data_ready).total());
      ASSERT_EQ(found.cylinder, extent.cylinder);
      ASSERT_EQ(found.head, extent.head);
      ASSERT_EQ(found.end_phase, extent.end_phase);
    }
    if (dilution < 1.01) {
      EXPECT_GT(turned, 100);
    }
  }
}

TEST_F(FreeSearchTest, AGapTakesTheBlockThatIsCompleteFirstAndDelaysNoRead) {
  for (const std::uint32_t way : {0u, 3u, 40u}) {
    BlockMap map(layout_, 1.5);
    map.place_at_random(2);
    const FreeSearch search(planner_, map, way);
    int filled = 0;
    for (int i = 0; i < 2000; ++i) {
      const Case c = draw(map);
      const Picoseconds direct = planner_.estimate(c.head, c.read, c.now).total();
      const FreeBlock found = search.in_gap(search.departure(c.head, c.now, c.data_ready, 0), c.read, direct, 0);
      Picoseconds best = core::kNoDeadline;
      const std::int64_t at = c.head.cylinder.value;
      const std::int64_t target = c.read.cylinder.value;
      std::set<std::int64_t> cylinders = {at, target};
      for (std::int64_t k = 1; k <= way; ++k) cylinders.insert(at + (target - at) * k / (way + 1));
      for (const Candidate& f : all_free(map, c)) {
        if (cylinders.count(f.extent.cylinder.value) == 0) continue;
        HeadState head = c.head;
        const Picoseconds written = planner_.commit(head, f.extent, c.now, c.data_ready).total();
        if (written + planner_.estimate(head, c.read, c.now + written).total() <= direct) best = std::min(best, f.end);
      }
      ASSERT_EQ(static_cast<bool>(found), best != core::kNoDeadline);
      if (!found) continue;
      ++filled;
      ASSERT_EQ(found.end, best);
      HeadState head = c.head;
      const Extent extent = planner_.resolve(layout_.first_sector(found.place), 2, true);
      const Picoseconds written = planner_.commit(head, extent, c.now, c.data_ready).total();
      ASSERT_EQ(written + planner_.estimate(head, c.read, c.now + written).total(), direct)
          << "the read ends exactly as early as without the write";
      ASSERT_EQ(search.onward(found, c.read, 0), direct - written);
    }
    EXPECT_GT(filled, 200);
  }
}

TEST_F(FreeSearchTest, TheOnlyFreeBlockIsFoundFromEverywhere) {
  for (const std::uint32_t only : {0u, layout_.places() / 2, layout_.places() - 1}) {
    const BlockMap map = testing::map_with_free(layout_, {Place(only)});
    const FreeSearch search(planner_, map, 3);
    for (int i = 0; i < 100; ++i) {
      const Case c = draw(map);
      bool upward = random_() % 2 != 0;
      ASSERT_EQ(search.closest(search.departure(c.head, c.now, c.data_ready, 0), upward).place, Place(only));
    }
  }
}

TEST_F(FreeSearchTest, NoWriteIsShorterThanTheShortest) {
  BlockMap map(layout_, 2);
  map.place_at_random(9);
  const FreeSearch search(planner_, map, 3);
  for (int i = 0; i < 200; ++i) {
    const Case c = draw(map);
    const Departure from = search.departure(c.head, c.now, c.data_ready, 0);
    for (const Candidate& f : all_free(map, c)) ASSERT_GE(f.end, search.shortest_write(from));
  }
}

}  // namespace
}  // namespace platter::eager
