// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

#include "platter/host/array/block_cache.h"
#include "platter/host/array/stale_units.h"
#include "platter/host/array/stripe_map.h"

namespace platter::host::array {
namespace {

StripeArea area(std::uint64_t units, std::uint64_t unit_bytes, bool mirrored, std::uint32_t first = 0, std::uint32_t drives = 0) {
  StripeArea a;
  a.bytes = units * unit_bytes;
  a.unit_bytes = unit_bytes;
  a.mirrored = mirrored;
  a.first_drive = first;
  a.drives = drives;
  return a;
}

TEST(StripeMap, PlacesByHand) {
  // Four drives. Area 0: 10 units of 8 KB on all, mirrored: rows 0 to 2, 24 KB of primary and 24 KB of backup copies a drive.
  // Area 1: 5 units of 64 KB on drives 1 to 3, behind it.
  const StripeMap map(4, 1 << 20, 512, {area(10, 8192, true), area(5, 65536, false, 1)});
  EXPECT_EQ(map.capacity_bytes(), 10u * 8192 + 5 * 65536);
  EXPECT_EQ(map.units(), 15u);
  EXPECT_EQ(map.physical_units(), 3u + 3 + 2);
  const StripeMap::Area& text = map.area_at(0);
  struct Row {
    std::uint64_t unit;
    std::uint32_t copy, drive;
    std::uint64_t address, physical;
  };
  // Backups of row 0 one drive on, of row 1 two, of row 2 three.
  for (const Row& row : {Row{0, 0, 0, 0, 0}, Row{1, 0, 1, 0, 0}, Row{4, 0, 0, 8192, 1}, Row{9, 0, 1, 16384, 2},
                         Row{0, 1, 1, 24576, 3}, Row{3, 1, 0, 24576, 3}, Row{4, 1, 2, 32768, 4}, Row{7, 1, 1, 32768, 4},
                         Row{8, 1, 3, 40960, 5}, Row{9, 1, 0, 40960, 5}}) {
    const UnitPlace place = map.place(text, row.unit, row.copy);
    EXPECT_EQ(place.drive, row.drive) << row.unit;
    EXPECT_EQ(place.address, row.address) << row.unit;
    EXPECT_EQ(place.physical, row.physical) << row.unit;
  }
  const StripeMap::Area& video = map.area_at(81920);
  EXPECT_EQ(&video, &map.areas()[1]);
  EXPECT_EQ(&map.area_at(81919), &text);
  EXPECT_EQ(map.unit_at(video, 81920 + 65536), 11u);
  const UnitPlace last = map.place(video, 14, 0);
  EXPECT_EQ(std::make_tuple(last.drive, last.address, last.physical), std::make_tuple(2u, 49152ull + 65536, 7ull));
}

TEST(StripeMap, CopiesNeverMeetAndTheInverseAgrees) {
  for (const std::uint32_t drives : {2u, 3u, 5u, 16u, 32u}) {
    const StripeMap map(drives, 64 << 20, 512,
                        {area(3 * drives + 1, 512, true), area(70, 4096, true, drives / 3), area(9, 1024, false, 0, 1)});
    std::set<std::pair<std::uint32_t, std::uint64_t>> taken;
    std::map<std::uint32_t, std::map<std::uint32_t, int>> backups;
    for (const StripeMap::Area& a : map.areas())
      for (std::uint64_t unit = a.first_unit; unit < a.first_unit + a.bytes / a.unit_bytes; ++unit) {
        EXPECT_EQ(&map.area_of_unit(unit), &a);
        EXPECT_EQ(map.unit_at(a, map.address_of(a, unit)), unit);
        for (std::uint32_t copy = 0; copy < a.copies(); ++copy) {
          const UnitPlace place = map.place(a, unit, copy);
          EXPECT_GE(place.drive, a.first_drive);
          EXPECT_LT(place.drive, a.first_drive + a.drives);
          for (std::uint64_t at = 0; at < a.unit_bytes; at += 512)
            EXPECT_TRUE(taken.insert({place.drive, place.address + at}).second) << "two units in one place";
          UnitCopy back;
          ASSERT_TRUE(map.unit_of(place.drive, place.physical, back));
          EXPECT_EQ(back.unit, unit);
          EXPECT_EQ(back.copy, copy);
        }
        if (a.mirrored) {
          const std::uint32_t primary = map.place(a, unit, 0).drive;
          EXPECT_NE(primary, map.place(a, unit, 1).drive);
          if (&a == &map.areas()[0]) ++backups[primary][map.place(a, unit, 1).drive];
        }
      }
    // A row's backups lie on different drives, and D - 1 rows of a drive on all the others.
    for (const auto& [primary, others] : backups)
      for (const auto& [drive, count] : others)
        EXPECT_LE(count, static_cast<int>((3 + drives - 1) / (drives - 1))) << primary << " on " << drive;
  }
}

TEST(StripeMap, RefusesWhatDoesNotFit) {
  const auto make = [](std::vector<StripeArea> areas) { return StripeMap(4, 65536, 512, std::move(areas)); };
  EXPECT_NO_THROW(make({area(16, 8192, true)}));
  EXPECT_THROW(make({area(17, 8192, true)}), std::invalid_argument);
  EXPECT_THROW(make({area(32, 8192, false), area(1, 512, false)}), std::invalid_argument);
  EXPECT_THROW(make({area(4, 700, false)}), std::invalid_argument);
  EXPECT_THROW(make({area(4, 512, true, 3)}), std::invalid_argument);
  EXPECT_THROW(make({area(4, 512, false, 4)}), std::invalid_argument);
  EXPECT_THROW(make({area(4, 512, false, 2, 3)}), std::invalid_argument);
  EXPECT_THROW(make({}), std::invalid_argument);
  StripeArea odd = area(4, 1024, false);
  odd.bytes -= 512;
  EXPECT_THROW(make({odd}), std::invalid_argument);
}

std::vector<std::uint8_t> bytes(std::uint8_t fill) { return std::vector<std::uint8_t>(16, fill); }

TEST(BlockCache, DropsTheLeastRecentlyUsedByHand) {
  BlockCache cache(3, 16);
  std::vector<std::uint8_t> out(16);
  EXPECT_FALSE(cache.read(0, 0, out.data(), 16));
  for (const std::uint8_t b : std::array<std::uint8_t, 3>{1, 2, 3}) cache.insert(b * 16, bytes(b).data());
  EXPECT_TRUE(cache.read(16, 0, out.data(), 16));  // 1 3 2
  EXPECT_EQ(out, bytes(1));
  cache.insert(64, bytes(4).data());  // 4 1 3
  EXPECT_FALSE(cache.holds(32));
  cache.update(48, 4, bytes(9).data(), 8);  // 3 4 1
  cache.update(32, 0, bytes(9).data(), 16);  // not there: stays away
  EXPECT_FALSE(cache.holds(32));
  cache.insert(80, bytes(5).data());  // 5 3 4
  EXPECT_FALSE(cache.holds(16));
  EXPECT_TRUE(cache.read(48, 2, out.data(), 6));
  EXPECT_EQ((std::vector<std::uint8_t>(out.begin(), out.begin() + 6)), (std::vector<std::uint8_t>{3, 3, 9, 9, 9, 9}));
  cache.erase(80);  // 3 4
  EXPECT_EQ(cache.size(), 2u);
  cache.insert(96, bytes(6).data());   // 6 3 4
  cache.insert(112, bytes(7).data());  // 7 6 3
  EXPECT_FALSE(cache.holds(64));
  EXPECT_TRUE(cache.holds(48) && cache.holds(96) && cache.holds(112));
}

TEST(BlockCache, ABlockWithoutBytesIsNoHitForWhoWantsThem) {
  BlockCache cache(2, 16);
  cache.insert(0, nullptr);
  std::uint8_t out = 0;
  EXPECT_TRUE(cache.read(0, 0, nullptr, 16));
  EXPECT_FALSE(cache.read(0, 0, &out, 1));
  cache.insert(0, bytes(1).data());
  cache.update(0, 0, nullptr, 4);
  EXPECT_FALSE(cache.read(0, 8, &out, 1));
  BlockCache none(0, 16);
  none.insert(0, nullptr);
  EXPECT_FALSE(none.holds(0));
}

TEST(BlockCache, AgreesWithAListOnRandomUse) {
  BlockCache cache(7, 16);
  std::vector<std::uint64_t> list;  // the most recent first
  std::uint64_t state = 1;
  const auto draw = [&](std::uint64_t n) { return (state = state * 6364136223846793005ull + 1442695040888963407ull) / 65536 % n; };
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t block = draw(20) * 16;
    const auto at = std::find(list.begin(), list.end(), block);
    const bool there = at != list.end();
    ASSERT_EQ(cache.holds(block), there);
    switch (draw(3)) {
      case 0:
        ASSERT_EQ(cache.read(block, 0, nullptr, 16), there);
        if (there) std::rotate(list.begin(), at, at + 1);
        break;
      case 1:
        cache.insert(block, nullptr);
        if (there) list.erase(at);
        list.insert(list.begin(), block);
        if (list.size() > 7) list.pop_back();
        break;
      default:
        if (draw(4) != 0) break;
        cache.erase(block);
        if (there) list.erase(at);
    }
    ASSERT_EQ(cache.size(), list.size());
  }
}

TEST(StaleUnits, CountAndFindThem) {
  StaleUnits stale(200);
  EXPECT_EQ(stale.next(0), 200u);
  for (const std::uint64_t unit : {3u, 63u, 64u, 199u, 64u}) stale.set(unit);
  EXPECT_EQ(stale.count(), 4u);
  EXPECT_EQ(stale.next(0), 3u);
  EXPECT_EQ(stale.next(4), 63u);
  EXPECT_EQ(stale.next(64), 64u);
  EXPECT_EQ(stale.next(65), 199u);
  EXPECT_EQ(stale.next(200), 200u);
  stale.clear(64);
  stale.clear(64);
  EXPECT_EQ(stale.next(64), 199u);
  for (const std::uint64_t unit : {3u, 63u, 199u}) stale.clear(unit);
  EXPECT_EQ(stale.count(), 0u);
  EXPECT_FALSE(stale.test(199));
}

}  // namespace
}  // namespace platter::host::array
