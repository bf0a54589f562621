// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>

#include "platter/core/random.h"
#include "platter/host/array/block_cache.h"
#include "platter/host/array/stale_units.h"
#include "platter/host/array/stream_buffer.h"
#include "platter/host/array/stripe_map.h"

namespace platter::host::array {
namespace {

StripeArea area(std::uint64_t units, std::uint64_t unit_bytes, bool mirrored, std::uint32_t first = 0,
                std::uint32_t drives = 0) {
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

TEST(StripeMap, AnAreaBeginsBehindThoseOfItsOwnDrives) {
  // Text on drives 0 and 1, video on 2 and 3: both begin at the outer edge. What is on 1 and 2 lies behind the longer of them.
  const StripeMap map(4, 1 << 20, 512, {area(10, 8192, false, 0, 2), area(4, 65536, false, 2, 2), area(2, 512, false, 1, 2)});
  EXPECT_EQ(map.areas()[0].drive_begin, 0u);
  EXPECT_EQ(map.areas()[1].drive_begin, 0u);
  EXPECT_EQ(map.areas()[2].drive_begin, 2u * 65536);
  EXPECT_THROW(StripeMap(2, 1 << 20, 512, {area(100, 8192, false, 0, 1), area(129, 8192, false, 1, 1)}), std::invalid_argument);
}

TEST(StripeMap, AnAreaMayBeginAtAGivenAddress) {
  const auto at = [](StripeArea placed, std::int64_t address) {
    placed.at = address;
    return placed;
  };
  // One row of the second area ends with the drive; the third lies between it and the first, in the array behind both.
  const StripeMap map(4, 1 << 20, 512,
                      {area(4, 8192, false), at(area(4, 65536, false), (1 << 20) - 65536), at(area(8, 4096, true), 512'000)});
  EXPECT_EQ(map.areas()[1].drive_begin, (1u << 20) - 65536);
  EXPECT_EQ(map.areas()[2].drive_begin, 512'000u);
  EXPECT_EQ(map.areas()[2].begin, 4u * 8192 + 4 * 65536);
  EXPECT_EQ(map.place(map.areas()[2], map.areas()[2].first_unit + 4, 0).address, 512'000u + 4096);
  for (const StripeMap::Area& a : map.areas())
    for (std::uint64_t unit = a.first_unit; unit < a.first_unit + a.bytes / a.unit_bytes; ++unit) {
      UnitCopy back;
      const UnitPlace place = map.place(a, unit, 0);
      ASSERT_TRUE(map.unit_of(place.drive, place.physical, back));
      EXPECT_EQ(back.unit, unit);
    }
  const auto make = [](std::vector<StripeArea> areas) { return StripeMap(4, 1 << 20, 512, std::move(areas)); };
  EXPECT_THROW(make({area(4, 8192, false), at(area(4, 512, false), 8192 - 512)}), std::invalid_argument);  // overlaps
  EXPECT_THROW(make({at(area(4, 512, false), 8192), area(4, 8192, false, 0, 1), at(area(1, 512, false), 8192)}),
               std::invalid_argument);
  EXPECT_NO_THROW(make({area(2, 8192, false, 0, 2), at(area(2, 8192, false, 2, 2), 4096)}));  // other drives
  EXPECT_THROW(make({at(area(4, 512, false), 100)}), std::invalid_argument);                  // no whole sector
  EXPECT_THROW(make({at(area(4, 512, false), 1 << 20)}), std::invalid_argument);              // nothing is left
  EXPECT_THROW(make({at(area(4, 512, false), 1 << 21)}), std::invalid_argument);
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
  for (const bool mirrored : {false, true}) {
    try {
      make({area(0, 65536 + 512, mirrored)});  // as of an array whose drives hold no unit
      ADD_FAILURE();
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(mirrored ? "expected at most 32768," : "expected at most 65536,"),
                std::string::npos);
    }
  }
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
  cache.update(48, 4, bytes(9).data(), 8);   // 3 4 1
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
  const auto draw = [&](std::uint64_t n) {
    return (state = state * 6364136223846793005ull + 1442695040888963407ull) / 65536 % n;
  };
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

TEST(StreamBuffer, HalvesTakeTurnsByHand) {
  StreamBuffer buffer;
  std::uint32_t half = 9;
  EXPECT_FALSE(buffer.read(100, 150));
  EXPECT_EQ(buffer.wanted(), StreamBuffer::kNowhere);
  EXPECT_TRUE(buffer.read(150, 200));
  ASSERT_EQ(buffer.wanted(), 200u);
  const std::uint32_t first = buffer.fetch(200, 300, 5);
  EXPECT_EQ(buffer.wanted(), StreamBuffer::kNowhere) << "the stream has not touched it";
  EXPECT_EQ(buffer.find(200, 250, 6, half), StreamBuffer::Found::Awaited);
  EXPECT_EQ(half, first);
  EXPECT_EQ(buffer.find(200, 250, 5, half), StreamBuffer::Found::No) << "asked for before the fetch was";
  EXPECT_EQ(buffer.find(190, 250, 6, half), StreamBuffer::Found::No);
  EXPECT_TRUE(buffer.read(200, 250));
  ASSERT_EQ(buffer.wanted(), 300u) << "touched: the next one, into the other half";
  const std::uint32_t second = buffer.fetch(300, 400, 7);
  EXPECT_NE(second, first);
  buffer.bytes(first).assign(100, 1);
  buffer.bytes(second).assign(100, 2);
  buffer.fetched(second, true);
  EXPECT_EQ(buffer.find(250, 350, 9, half), StreamBuffer::Found::Awaited);
  EXPECT_EQ(half, first);
  EXPECT_TRUE(buffer.read(250, 350));
  EXPECT_EQ(buffer.wanted(), StreamBuffer::kNowhere) << "the first half is on its way";
  buffer.fetched(first, true);
  EXPECT_EQ(buffer.wanted(), 400u);
  ASSERT_EQ(buffer.find(250, 350, 9, half), StreamBuffer::Found::Filled);
  std::vector<std::uint8_t> bytes(100);
  buffer.copy(250, 350, bytes.data());
  for (std::size_t i = 0; i < bytes.size(); ++i) EXPECT_EQ(bytes[i], i < 50 ? 1 : 2);
  // Written: that half is gone, the other is the one to go on from.
  buffer.invalidate(399, 500);
  EXPECT_EQ(buffer.find(300, 350, 9, half), StreamBuffer::Found::No);
  EXPECT_EQ(buffer.find(250, 300, 9, half), StreamBuffer::Found::Filled);
  // Overtaken: anew from where the stream is.
  EXPECT_TRUE(buffer.read(350, 1000));
  ASSERT_EQ(buffer.wanted(), 1000u);
  const std::uint32_t third = buffer.fetch(1000, 1100, 11);
  buffer.invalidate(1050, 1051);
  buffer.fetched(third, true);
  EXPECT_EQ(buffer.find(1000, 1010, 12, half), StreamBuffer::Found::No) << "written while it was fetched";
  ASSERT_EQ(buffer.wanted(), 1000u);
  buffer.fetched(buffer.fetch(1000, 1100, 12), false);
  EXPECT_EQ(buffer.find(1000, 1010, 13, half), StreamBuffer::Found::No);
  EXPECT_FALSE(buffer.read(5000, 5010));
  EXPECT_EQ(buffer.wanted(), StreamBuffer::kNowhere);
}

TEST(StreamBuffer, ReadsNoLargerThanAHalfAreFetchedARoundAhead) {
  // Reads of any size up to a half, each after the fetches of the round before have ended: from the third on all is there.
  core::RandomStream random(1, "reads");
  constexpr std::uint64_t kHalf = 64;
  StreamBuffer buffer;
  std::uint64_t at = 1000, order = 0, fetches = 0;
  for (int round = 0; round < 10'000; ++round) {
    const std::uint64_t end = at + 1 + random.below(kHalf);
    std::uint32_t half = 0;
    EXPECT_EQ(buffer.read(at, end), round > 0);
    ASSERT_EQ(buffer.find(at, end, ++order, half), round < 2 ? StreamBuffer::Found::No : StreamBuffer::Found::Filled) << round;
    if (round >= 2) {
      std::vector<std::uint8_t> bytes(end - at);
      buffer.copy(at, end, bytes.data());
      for (std::uint64_t i = at; i < end; ++i) ASSERT_EQ(bytes[i - at], static_cast<std::uint8_t>(i * 37));
    }
    for (std::uint64_t begin = buffer.wanted(); begin != StreamBuffer::kNowhere; begin = buffer.wanted()) {
      const std::uint32_t filled = buffer.fetch(begin, begin + kHalf, ++order);
      buffer.bytes(filled).resize(kHalf);
      for (std::uint64_t i = 0; i < kHalf; ++i) buffer.bytes(filled)[i] = static_cast<std::uint8_t>((begin + i) * 37);
      buffer.fetched(filled, true);
      ++fetches;
    }
    at = end;
  }
  EXPECT_LE(fetches, (at - 1000) / kHalf + 2) << "nothing is fetched twice";
}

}  // namespace
}  // namespace platter::host::array
