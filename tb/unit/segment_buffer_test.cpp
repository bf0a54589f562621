// SPDX-License-Identifier: Apache-2.0
#include "platter/buffer/segment_buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "drives.h"

namespace platter::buffer {
namespace {

using core::Cylinder;
using core::Head;
using mechanics::PhysicalAddress;
using profile::CacheProfile;
using profile::DriveProfile;
using profile::ReadAhead;
using profile::WriteBack;

constexpr Picoseconds kUs = core::kPicosecondsPerMicrosecond;
constexpr Picoseconds kSector = 100 * kUs;
constexpr Picoseconds kTurn = 20 * kSector;
constexpr std::uint64_t kTrack = 20;

/// By default 8 cylinders; 2 surfaces, 20 sectors a track, 100 us a sector, no skew; 300 us for a head switch, 500 us for a seek of one cylinder.
DriveProfile drive(std::uint32_t cylinders = 8) {
  DriveProfile p;
  p.name = "round";
  p.source = "made up";
  p.geometry.cylinders = cylinders;
  p.geometry.surfaces = 2;
  profile::ZoneProfile zone;
  zone.last_cylinder = cylinders - 1;
  zone.sectors_per_track = kTrack;
  p.geometry.zones = {zone};
  p.seek.points_us = {{1, 500.0}, {2, 600.0}};
  p.rpm = 30'000;
  p.head_switch_us = 300;
  return p;
}

CacheProfile cache(ReadAhead read_ahead = ReadAhead::None) {
  CacheProfile c;
  c.segments = 4;
  c.segment_blocks = 50;
  c.read_ahead = read_ahead;
  c.keep_read_blocks = true;
  c.write_segments = 2;
  c.write_back = WriteBack::Interleaved;
  return c;
}

/// When each block from `next` on is in the buffer if the arm reads on from `place` at `now`: sector by sector.
std::map<std::uint64_t, Picoseconds> walk(const AccessPlanner& planner, HeadState place, std::uint64_t next,
                                          std::uint64_t limit, Picoseconds now) {
  std::map<std::uint64_t, Picoseconds> arrival;
  for (std::uint64_t block = next; block < limit; ++block) {
    const PhysicalAddress at = planner.geometry().to_physical(Lba(block));
    const auto distance = static_cast<std::uint32_t>(
        std::abs(static_cast<std::int64_t>(at.cylinder.value) - static_cast<std::int64_t>(place.cylinder.value)));
    Picoseconds move = distance > 0 ? planner.seek_curve()(distance) : 0;
    if (at.head != place.head) move = std::max(move, planner.head_switch());
    now += move;
    place = {at.cylinder, at.head, false, 0};
    const mechanics::Angle angle = planner.geometry().angle_of(at);
    now += planner.rotation().wait(planner.rotation().phase(now), planner.rotation().phase_of(angle));
    now += planner.rotation().period() / static_cast<Picoseconds>(kTrack);
    arrival[block] = now;
  }
  return arrival;
}

Hit::Kind kind_of(SegmentBuffer& buffer, std::uint64_t first, std::uint32_t blocks, Picoseconds now = 0) {
  return buffer.find(Lba(first), blocks, now).kind;
}

TEST(SegmentBuffer, FindsWholePartAndNothing) {
  const AccessPlanner planner(drive());
  SegmentBuffer buffer(planner, cache());
  EXPECT_EQ(kind_of(buffer, 10, 5), Hit::Kind::Miss);
  buffer.read_done(Lba(10), 10, 0, nullptr);
  EXPECT_EQ(kind_of(buffer, 10, 10), Hit::Kind::Whole);
  EXPECT_EQ(kind_of(buffer, 19, 1), Hit::Kind::Whole);
  EXPECT_EQ(kind_of(buffer, 20, 1), Hit::Kind::Miss);
  EXPECT_EQ(kind_of(buffer, 9, 3), Hit::Kind::Miss) << "its first block is not there";
  const Hit part = buffer.find(Lba(15), 10, 0);
  EXPECT_EQ(part.kind, Hit::Kind::Partial);
  EXPECT_EQ(part.blocks, 5u);
  // The rest comes behind it, into the same segment.
  buffer.use(part, Lba(15), part.blocks);
  EXPECT_EQ(buffer.read_done(Lba(20), 5, 0, &part), part.segment);
  EXPECT_EQ(kind_of(buffer, 10, 15), Hit::Kind::Whole);
  // The longest of several.
  buffer.read_done(Lba(22), 20, 0, nullptr);
  EXPECT_EQ(buffer.find(Lba(23), 10, 0).blocks, 10u);
}

TEST(SegmentBuffer, SegmentsAreCircularAndReusedInTheOrderOfTheirUse) {
  const AccessPlanner planner(drive());
  CacheProfile profile = cache();
  profile.segments = 3;
  profile.segment_blocks = 10;
  SegmentBuffer buffer(planner, profile);
  buffer.read_done(Lba(100), 25, 0, nullptr);
  EXPECT_EQ(kind_of(buffer, 114, 2), Hit::Kind::Miss);
  EXPECT_EQ(kind_of(buffer, 115, 10), Hit::Kind::Whole) << "the last ten stay";
  buffer.read_done(Lba(0), 5, 0, nullptr);
  buffer.read_done(Lba(50), 5, 0, nullptr);
  buffer.use(buffer.find(Lba(120), 1, 0), Lba(120), 1);
  buffer.read_done(Lba(200), 5, 0, nullptr);  // instead of 0
  EXPECT_EQ(kind_of(buffer, 0, 1), Hit::Kind::Miss);
  EXPECT_EQ(kind_of(buffer, 50, 1), Hit::Kind::Whole);
  EXPECT_EQ(kind_of(buffer, 120, 1), Hit::Kind::Whole);
  buffer.invalidate(Lba(202), 1);
  EXPECT_EQ(kind_of(buffer, 200, 1), Hit::Kind::Miss);
  buffer.read_done(Lba(250), 5, 0, nullptr);  // an empty one first
  EXPECT_EQ(kind_of(buffer, 50, 1), Hit::Kind::Whole);
  EXPECT_EQ(kind_of(buffer, 120, 1), Hit::Kind::Whole);
}

TEST(SegmentBuffer, EmptySegmentsAreReusedBeforeOthers) {
  const AccessPlanner planner(drive());
  SegmentBuffer buffer(planner, cache());
  const auto holds = [&](std::uint64_t first) { return kind_of(buffer, first, 5) == Hit::Kind::Whole; };
  for (const std::uint64_t first : {0u, 20u, 40u, 60u, 80u}) buffer.read_done(Lba(first), 5, 0, nullptr);  // 80 replaces 0
  EXPECT_FALSE(holds(0));
  buffer.invalidate(Lba(60), 1);
  buffer.invalidate(Lba(40), 1);
  buffer.read_done(Lba(100), 5, 0, nullptr);
  buffer.read_done(Lba(120), 5, 0, nullptr);
  for (const std::uint64_t first : {20u, 80u, 100u, 120u}) EXPECT_TRUE(holds(first)) << first;
  buffer.read_done(Lba(140), 5, 0, nullptr);  // no segment is empty: the oldest one
  EXPECT_FALSE(holds(20));
  for (const std::uint64_t first : {80u, 100u, 120u, 140u}) EXPECT_TRUE(holds(first)) << first;
  buffer.clear();
  for (const std::uint64_t first : {0u, 20u, 40u, 60u}) buffer.read_done(Lba(first), 5, 0, nullptr);
  for (const std::uint64_t first : {0u, 20u, 40u, 60u}) EXPECT_TRUE(holds(first)) << first;
}

TEST(SegmentBuffer, WhatTheHostHasGotIsKeptOrDropped) {
  const AccessPlanner planner(drive());
  CacheProfile profile = cache(ReadAhead::Segment);
  profile.keep_read_blocks = false;
  SegmentBuffer buffer(planner, profile);
  const std::size_t segment = buffer.read_done(Lba(0), 5, 0, nullptr);
  EXPECT_EQ(kind_of(buffer, 0, 1), Hit::Kind::Miss);
  buffer.start_read_ahead(segment, Lba(0), 5, {}, 5 * kSector);
  EXPECT_EQ(kind_of(buffer, 5, 5, 30 * kSector), Hit::Kind::Whole);
  buffer.use(buffer.find(Lba(5), 5, 30 * kSector), Lba(5), 5);
  EXPECT_EQ(kind_of(buffer, 5, 5, 30 * kSector), Hit::Kind::Miss);
  EXPECT_EQ(kind_of(buffer, 10, 5, 30 * kSector), Hit::Kind::Whole);
}

TEST(SegmentBuffer, KeepsWhatPassesBeforeTheFirstSector) {
  const AccessPlanner planner(drive());
  CacheProfile profile = cache();
  const Extent extent = planner.resolve(Lba(10), 4, false);
  EXPECT_EQ(SegmentBuffer(planner, profile).passing(extent, 5 * kSector), 0u);
  profile.keep_passing_sectors = true;
  SegmentBuffer buffer(planner, profile);
  EXPECT_EQ(buffer.passing(extent, 0), 0u);
  EXPECT_EQ(buffer.passing(extent, 5 * kSector + kSector / 2), 5u) << "whole sectors";
  EXPECT_EQ(buffer.passing(extent, 15 * kSector), 10u) << "of this track";
  EXPECT_EQ(buffer.passing(planner.resolve(Lba(10), 15, false), 5 * kSector), 0u) << "not across tracks";
  EXPECT_EQ(buffer.passing(planner.resolve(Lba(30), 4, false), 15 * kSector), 10u);
  buffer.read_done(Lba(10), 4, 5, nullptr);
  EXPECT_EQ(kind_of(buffer, 5, 9), Hit::Kind::Whole);
  EXPECT_EQ(kind_of(buffer, 4, 1), Hit::Kind::Miss);
  profile.segment_blocks = 6;
  EXPECT_EQ(SegmentBuffer(planner, profile).passing(extent, 15 * kSector), 2u) << "as many as the segment takes";
}

struct Limit {
  const char* name;
  std::function<void(CacheProfile&)> change;
  std::uint64_t first;
  std::uint32_t blocks;
  std::uint64_t limit;  ///< worked out by hand: 20 blocks a track, 40 a cylinder, segments of 50, 320 in all
};

TEST(SegmentBuffer, EveryReadAheadComesWhenTheWalkSaysAndEndsAtItsLimit) {
  const AccessPlanner planner(drive());
  const auto kind = [](ReadAhead k) { return [k](CacheProfile& c) { c.read_ahead = k; }; };
  const Limit limits[] = {
      {"none", kind(ReadAhead::None), 5, 5, 10},
      {"track", kind(ReadAhead::Track), 5, 5, 20},
      {"track, at its end", kind(ReadAhead::Track), 15, 5, 20},
      {"track, over its end", kind(ReadAhead::Track), 15, 10, 40},
      {"cylinder", kind(ReadAhead::Cylinder), 5, 5, 40},
      {"cylinder, second track", kind(ReadAhead::Cylinder), 25, 5, 40},
      {"segment", kind(ReadAhead::Segment), 5, 5, 55},
      {"segment, over the drive's end", kind(ReadAhead::Segment), 300, 5, 320},
      {"next track, begun on the same", kind(ReadAhead::NextTrack), 5, 5, 20},
      {"next track, begun on the one before", kind(ReadAhead::NextTrack), 15, 10, 60},
      {"at most so many",
       [](CacheProfile& c) {
         c.read_ahead = ReadAhead::Segment;
         c.read_ahead_blocks = 7;
       },
       5, 5, 17},
      {"at most so many, but the track ends",
       [](CacheProfile& c) {
         c.read_ahead = ReadAhead::Track;
         c.read_ahead_blocks = 17;
       },
       5, 5, 20},
      {"beside the request",
       [](CacheProfile& c) {
         c.read_ahead = ReadAhead::Segment;
         c.read_ahead_from_request_start = true;
         c.keep_read_blocks = false;
       },
       5, 5, 60},
  };
  std::mt19937 random(5);
  for (const Limit& l : limits) {
    SCOPED_TRACE(l.name);
    CacheProfile profile = cache();
    l.change(profile);
    profile.almost_read_hits = false;  // what has come, and not what will
    SegmentBuffer buffer(planner, profile);
    const Extent extent = planner.resolve(Lba(l.first), l.blocks, false);
    const Picoseconds now = extent.end_phase + 7 * kTurn;
    const HeadState place = AccessPlanner::end_of(extent);
    const std::uint64_t end = l.first + l.blocks;
    const auto arrival = walk(planner, place, end, l.limit, now);
    buffer.start_read_ahead(buffer.read_done(Lba(l.first), l.blocks, 0, nullptr), Lba(l.first), l.blocks, place, now);
    EXPECT_EQ(buffer.reading_ahead(now), l.limit > end);
    Picoseconds time = now;
    while (time < now + 20 * kTurn && !::testing::Test::HasFailure()) {
      time += static_cast<Picoseconds>(random() % 300) * kUs + 1;
      for (const auto& [block, when] : arrival) {
        if (std::abs(when - time) > 100) {
          EXPECT_EQ(kind_of(buffer, block, 1, time), when <= time ? Hit::Kind::Whole : Hit::Kind::Miss) << block;
        }
      }
      if (!arrival.empty() && std::abs(arrival.rbegin()->second - time) > 100) {
        EXPECT_EQ(buffer.reading_ahead(time), time < arrival.rbegin()->second);
      }
    }
    if (l.limit < 320) {
      EXPECT_EQ(kind_of(buffer, l.limit, 1, time), Hit::Kind::Miss);
    }
    // Afterwards the arm stands where the last block is.
    HeadState stopped = place;
    EXPECT_EQ(buffer.stop(time, stopped), time);
    const PhysicalAddress last = planner.geometry().to_physical(Lba(l.limit - 1));
    EXPECT_EQ(stopped.cylinder, last.cylinder);
    EXPECT_EQ(stopped.head, last.head);
  }
}

TEST(SegmentBuffer, AReadOfWhatIsOnItsWayWaitsForEachBlock) {
  const AccessPlanner planner(drive());
  std::mt19937 random(6);
  for (int i = 0; i < 500 && !::testing::Test::HasFailure(); ++i) {
    CacheProfile profile = cache(ReadAhead::Segment);
    SegmentBuffer buffer(planner, profile);
    const std::uint64_t first = random() % 200;
    const Extent extent = planner.resolve(Lba(first), 5, false);
    const Picoseconds start = extent.end_phase;
    const HeadState place = AccessPlanner::end_of(extent);
    const auto arrival = walk(planner, place, first + 5, first + 80, start);
    buffer.start_read_ahead(buffer.read_done(Lba(first), 5, 0, nullptr), Lba(first), 5, place, start);
    const Picoseconds now = start + static_cast<Picoseconds>(random() % 6'000) * kUs;
    std::uint64_t there = first + 5;  // first block that is not there
    while (arrival.count(there) != 0 && arrival.at(there) <= now - 100) ++there;
    const std::uint64_t wanted = first + random() % (there - first);
    const auto blocks = static_cast<std::uint32_t>(1 + random() % 30);
    const Hit hit = buffer.find(Lba(wanted), blocks, now);
    ASSERT_TRUE(hit.kind == Hit::Kind::Whole || there >= first + 50) << "the read-ahead goes on for it";
    if (hit.kind != Hit::Kind::Whole) continue;
    const Picoseconds block_time = static_cast<Picoseconds>(random() % 200) * kUs;
    Picoseconds expected = now;
    for (std::uint64_t block = wanted; block < wanted + blocks; ++block)
      if (const auto at = arrival.find(block); at != arrival.end())
        expected = std::max(expected, at->second - block_time * static_cast<Picoseconds>(block - wanted));
    EXPECT_NEAR(static_cast<double>(buffer.bus_start(hit, Lba(wanted), blocks, block_time, now)), static_cast<double>(expected),
                100)
        << "blocks " << wanted << " + " << blocks;
    buffer.use(hit, Lba(wanted), blocks);
    // The arm stays until the read has what it was promised.
    HeadState stopped = place;
    const Picoseconds free = buffer.stop(now, stopped);
    const auto last = arrival.find(wanted + blocks - 1);
    if (last != arrival.end()) {
      EXPECT_GE(free + 100, last->second);
    }
    EXPECT_EQ(kind_of(buffer, wanted + blocks - 1, 1, free), Hit::Kind::Whole);
    EXPECT_FALSE(buffer.reading_ahead(free));
  }
}

TEST(SegmentBuffer, BlocksThatTheReadAheadHasYetToFetchCountAsPresent) {
  const AccessPlanner planner(drive());
  for (const bool almost : {true, false}) {
    CacheProfile profile = cache(ReadAhead::Segment);  // up to block 50
    profile.almost_read_hits = almost;
    SegmentBuffer buffer(planner, profile);
    const HeadState place;
    buffer.start_read_ahead(buffer.read_done(Lba(0), 5, 0, nullptr), Lba(0), 5, place, 5 * kSector);
    const auto arrival = walk(planner, place, 5, 60, 5 * kSector);
    const Picoseconds now = 7 * kSector + 30;
    const auto hit = [&](std::uint64_t first) { return kind_of(buffer, first, 4, now) == Hit::Kind::Whole; };
    EXPECT_TRUE(hit(6));
    EXPECT_EQ(hit(7), almost) << "under the head";
    EXPECT_EQ(hit(9), almost);
    EXPECT_EQ(hit(50), almost) << "where it would end";
    EXPECT_FALSE(hit(51));
    if (!almost) continue;
    const Hit ahead = buffer.find(Lba(9), 4, now);
    EXPECT_NEAR(static_cast<double>(buffer.bus_start(ahead, Lba(9), 4, 0, now)), static_cast<double>(arrival.at(12)), 100);
    // Another access waits for the arm: it gets it when the read has its blocks, and no other read keeps it longer.
    buffer.use(ahead, Lba(9), 4);
    HeadState stopped = place;
    const Picoseconds free = buffer.stop(now, stopped);
    EXPECT_NEAR(static_cast<double>(free), static_cast<double>(arrival.at(12)), 100);
    EXPECT_FALSE(hit(13));
    EXPECT_TRUE(hit(9)) << "these come";
    EXPECT_EQ(buffer.stop(now + kSector, stopped), free);
    EXPECT_FALSE(buffer.reading_ahead(free));
  }
}

TEST(SegmentBuffer, AWholeTrackComesWithItsFrontAndGivesWayToWhatLiesBehindIt) {
  const AccessPlanner planner(drive());
  CacheProfile profile = cache(ReadAhead::WholeTrack);
  profile.almost_read_hits = false;  // what has come, and not what will
  const Extent extent = planner.resolve(Lba(10), 10, false);
  const HeadState place = AccessPlanner::end_of(extent);
  const Picoseconds now = extent.end_phase + 3 * kTurn;
  {
    SegmentBuffer buffer(planner, profile);
    buffer.start_read_ahead(buffer.read_done(Lba(10), 10, 0, nullptr), Lba(10), 10, place, now);
    // The front, sectors 0 to 9, passes within half a turn.
    EXPECT_EQ(kind_of(buffer, 0, 20, now + kTurn / 2 - kUs), Hit::Kind::Miss);
    EXPECT_EQ(kind_of(buffer, 0, 20, now + kTurn / 2 + kUs), Hit::Kind::Whole);
    EXPECT_FALSE(buffer.reading_ahead(now + kTurn / 2 + kUs));
  }
  SegmentBuffer buffer(planner, profile);
  buffer.start_read_ahead(buffer.read_done(Lba(10), 10, 0, nullptr), Lba(10), 10, place, now);
  const Picoseconds later = now + 3 * kSector + 50 * kUs;
  const Hit hit = buffer.find(Lba(15), 10, later);
  ASSERT_EQ(hit.kind, Hit::Kind::Whole);
  // The arm leaves for the next track now, and not when the request had ended.
  const auto arrival = walk(planner, place, 20, 25, later);
  EXPECT_NEAR(static_cast<double>(buffer.bus_start(hit, Lba(15), 10, 0, later)), static_cast<double>(arrival.at(24)), 100);
  buffer.use(hit, Lba(15), 10);
  EXPECT_EQ(kind_of(buffer, 24, 1, arrival.at(24) - kUs), Hit::Kind::Miss);
  EXPECT_EQ(kind_of(buffer, 24, 1, arrival.at(24) + kUs), Hit::Kind::Whole);
}

TEST(SegmentBuffer, StopsAtTheSectorsEndOrAtOnceOrAfterAMove) {
  const AccessPlanner planner(drive());
  for (const bool at_once : {false, true}) {
    CacheProfile profile = cache(ReadAhead::Segment);
    profile.stop_in_sector = at_once;
    const auto stopped_at = [&](Picoseconds now, HeadState& place) {
      SegmentBuffer buffer(planner, profile);
      place = HeadState{};
      buffer.start_read_ahead(buffer.read_done(Lba(0), 5, 0, nullptr), Lba(0), 5, place, 5 * kSector);
      return buffer.stop(now, place);
    };
    HeadState place;
    EXPECT_EQ(stopped_at(7 * kSector + 30, place), at_once ? 7 * kSector + 30 : 8 * kSector);
    EXPECT_EQ(place.head, Head(0));
    // At the track's end, 2 ms, the head is switched for 300 us; sector 0 of the next track comes a turn later.
    EXPECT_EQ(stopped_at(kTurn + 100 * kUs, place), kTurn + 300 * kUs);
    EXPECT_EQ(place.head, Head(1));
    EXPECT_EQ(stopped_at(kTurn + 400 * kUs, place), kTurn + 400 * kUs) << "waiting for the sector";
    EXPECT_EQ(place.head, Head(1));
  }
}

TEST(SegmentBuffer, ReadsAheadOnlyWhereTheProfileSaysSo) {
  const AccessPlanner planner(drive());
  CacheProfile profile = cache(ReadAhead::Segment);
  EXPECT_TRUE(SegmentBuffer(planner, profile).reads_ahead(Lba(10), Lba(99)));
  profile.read_ahead_sequential = true;
  EXPECT_FALSE(SegmentBuffer(planner, profile).reads_ahead(Lba(10), Lba(99)));
  EXPECT_TRUE(SegmentBuffer(planner, profile).reads_ahead(Lba(10), Lba(10)));
}

TEST(SegmentBuffer, AReadAheadAfterAHitThatHasNotBegunLeavesTheArmAlone) {
  const AccessPlanner planner(drive());
  SegmentBuffer buffer(planner, cache(ReadAhead::Segment));
  const std::size_t segment = buffer.read_done(Lba(0), 5, 0, nullptr);
  HeadState place{Cylinder(5), Head(1), false, 0};
  buffer.start_read_ahead(segment, Lba(0), 5, place, 50 * kSector, true);  // from 5 ms on
  EXPECT_EQ(buffer.stop(40 * kSector, place), 40 * kSector);
  EXPECT_EQ(place.cylinder, Cylinder(5));
}

TEST(SegmentBuffer, SeparateWriteSegmentsServeNoReads) {
  const AccessPlanner planner(drive());
  CacheProfile profile = cache();
  profile.segments = 3;
  profile.write_segments = 2;
  profile.separate_write_segments = true;
  SegmentBuffer buffer(planner, profile);
  ASSERT_TRUE(buffer.accept_write(Lba(100), 5));
  EXPECT_EQ(kind_of(buffer, 100, 5), Hit::Kind::Miss);
  EXPECT_TRUE(buffer.dirty(Lba(104), 3));
  buffer.read_done(Lba(0), 5, 0, nullptr);
  buffer.read_done(Lba(50), 5, 0, nullptr);
  EXPECT_EQ(kind_of(buffer, 0, 1), Hit::Kind::Miss) << "one segment is for reads";
  EXPECT_EQ(kind_of(buffer, 50, 1), Hit::Kind::Whole);
  ASSERT_TRUE(buffer.accept_write(Lba(150), 5));
  EXPECT_EQ(kind_of(buffer, 50, 1), Hit::Kind::Whole);
  EXPECT_FALSE(buffer.accept_write(Lba(200), 5));
  profile.segments = 1;
  EXPECT_THROW(SegmentBuffer(planner, profile), std::invalid_argument);
  profile.separate_write_segments = false;
  profile.write_segments = 0;
  EXPECT_THROW(SegmentBuffer(planner, profile), std::invalid_argument);
  profile = cache();
  profile.segment_blocks = 0;
  EXPECT_THROW(SegmentBuffer(planner, profile), std::invalid_argument);
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> dirty_ranges(const SegmentBuffer& buffer) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  buffer.for_each_dirty(Lba(0), 320, [&](Lba from, Lba to) { ranges.emplace_back(from.value, to.value); });
  std::sort(ranges.begin(), ranges.end());
  return ranges;
}

TEST(SegmentBuffer, WritesAppendReplaceOrWait) {
  using Ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  const AccessPlanner planner(drive());
  CacheProfile profile = cache();
  profile.segment_blocks = 20;
  SegmentBuffer buffer(planner, profile);
  EXPECT_FALSE(buffer.any_dirty());
  EXPECT_TRUE(buffer.accept_write(Lba(100), 10));
  EXPECT_TRUE(buffer.accept_write(Lba(110), 5)) << "appends";
  EXPECT_TRUE(buffer.accept_write(Lba(105), 10)) << "replaces what waits";
  EXPECT_FALSE(buffer.accept_write(Lba(112), 5)) << "half of each";
  EXPECT_FALSE(buffer.accept_write(Lba(95), 6));
  EXPECT_EQ(dirty_ranges(buffer), (Ranges{{100, 115}}));
  EXPECT_TRUE(buffer.dirty(Lba(114), 10));
  EXPECT_FALSE(buffer.dirty(Lba(115), 10));
  EXPECT_TRUE(buffer.accept_write(Lba(115), 6)) << "one more than fits behind the others: a segment of its own";
  EXPECT_EQ(dirty_ranges(buffer), (Ranges{{100, 115}, {115, 121}}));
  EXPECT_FALSE(buffer.accept_write(Lba(200), 1)) << "two write segments";
  EXPECT_EQ(kind_of(buffer, 100, 15), Hit::Kind::Whole);
  // The oldest goes first; what comes meanwhile waits for its own access.
  DirtyBlocks destage{};
  ASSERT_TRUE(buffer.next_destage(destage));
  EXPECT_EQ(destage.first, Lba(100));
  EXPECT_EQ(destage.blocks, 15u);
  EXPECT_FALSE(buffer.accept_write(Lba(103), 2)) << "on its way to the media";
  DirtyBlocks second{};
  ASSERT_TRUE(buffer.next_destage(second));
  EXPECT_EQ(second.first, Lba(115));
  EXPECT_TRUE(buffer.accept_write(Lba(121), 4));
  DirtyBlocks none{};
  EXPECT_FALSE(buffer.next_destage(none));
  buffer.destaged(destage);
  EXPECT_FALSE(buffer.dirty(Lba(100), 15));
  EXPECT_EQ(kind_of(buffer, 100, 15), Hit::Kind::Whole) << "still there, but clean";
  buffer.destaged(second);
  EXPECT_EQ(dirty_ranges(buffer), (Ranges{{121, 125}}));
  ASSERT_TRUE(buffer.next_destage(second));
  EXPECT_EQ(second.first, Lba(121));
  EXPECT_EQ(second.blocks, 4u);
  buffer.destaged(second);
  EXPECT_FALSE(buffer.any_dirty());
  profile.write_back = WriteBack::Append;
  SegmentBuffer append(planner, profile);
  EXPECT_TRUE(append.accept_write(Lba(100), 10));
  EXPECT_FALSE(append.accept_write(Lba(200), 10)) << "appends only";
  EXPECT_TRUE(append.accept_write(Lba(110), 10));
  EXPECT_FALSE(append.accept_write(Lba(120), 1)) << "the segment is full";
}

TEST(SegmentBuffer, ABlockWaitsInOneSegmentOnly) {
  const AccessPlanner planner(drive());
  SegmentBuffer buffer(planner, cache());
  ASSERT_TRUE(buffer.accept_write(Lba(110), 10));
  ASSERT_TRUE(buffer.accept_write(Lba(100), 10));  // ends where the other begins
  ASSERT_TRUE(buffer.accept_write(Lba(110), 5));   // replaces there, and would append here
  std::uint64_t total = 0;
  for (const auto& [from, to] : dirty_ranges(buffer)) total += to - from;
  EXPECT_EQ(total, 20u);
}

TEST(SegmentBuffer, WritesMakeOlderCopiesStale) {
  const AccessPlanner planner(drive());
  SegmentBuffer buffer(planner, cache());
  buffer.read_done(Lba(100), 20, 0, nullptr);
  ASSERT_TRUE(buffer.accept_write(Lba(105), 3));
  EXPECT_EQ(kind_of(buffer, 100, 2), Hit::Kind::Miss);
  EXPECT_EQ(kind_of(buffer, 105, 3), Hit::Kind::Whole);
  CacheProfile profile = cache();
  profile.read_hits_on_writes = false;
  SegmentBuffer blind(planner, profile);
  ASSERT_TRUE(blind.accept_write(Lba(105), 3));
  EXPECT_EQ(kind_of(blind, 105, 3), Hit::Kind::Miss);
  buffer.invalidate(Lba(105), 1);
  EXPECT_TRUE(buffer.dirty(Lba(105), 1)) << "what waits for the media is not stale";
}

TEST(SegmentBuffer, AWriteLeavesReadSegmentsAsTheProfileSays) {
  const AccessPlanner planner(drive());
  struct Case {
    bool discards;
    bool updates;
    bool through;    // past the buffer instead of into it
    bool over_kept;  // the segment that the write touches
    bool other_kept;
  };
  for (const Case& c :
       {Case{false, false, false, false, true}, Case{false, true, false, true, true}, Case{true, false, false, false, false},
        Case{true, true, false, false, false}, Case{false, false, true, false, true}, Case{false, true, true, true, true},
        Case{true, false, true, false, false}}) {
    CacheProfile profile = cache();
    profile.write_discards_reads = c.discards;
    profile.write_updates_reads = c.updates;
    SegmentBuffer buffer(planner, profile);
    buffer.read_done(Lba(10), 10, 0, nullptr);
    buffer.read_done(Lba(100), 10, 0, nullptr);
    if (c.through)
      buffer.invalidate(Lba(12), 2);
    else
      ASSERT_TRUE(buffer.accept_write(Lba(12), 2));
    EXPECT_EQ(buffer.find(Lba(15), 4, 0).kind == Hit::Kind::Whole, c.over_kept);
    EXPECT_EQ(buffer.find(Lba(102), 4, 0).kind == Hit::Kind::Whole, c.other_kept);
  }
}

TEST(SegmentBuffer, NoWrittenBlockIsLostOnItsWay) {
  const AccessPlanner planner(drive());
  for (int drive_number = 0; drive_number < 60; ++drive_number) {
    std::mt19937 random(static_cast<unsigned>(drive_number));
    CacheProfile profile = cache(ReadAhead::Segment);
    profile.segments = 1 + static_cast<std::uint32_t>(random() % 5);
    profile.write_segments = 1 + static_cast<std::uint32_t>(random() % 6);
    profile.segment_blocks = 5 + static_cast<std::uint32_t>(random() % 30);
    profile.write_back = random() % 3 == 0 ? WriteBack::Append : WriteBack::Interleaved;
    profile.keep_read_blocks = random() % 2 == 0;
    SegmentBuffer buffer(planner, profile);
    std::set<std::uint64_t> dirty;  // waits, or is on its way
    std::vector<DirtyBlocks> under_way;
    const auto check = [&] {
      std::uint64_t total = 0;
      for (const auto& [from, to] : dirty_ranges(buffer)) {
        total += to - from;
        for (std::uint64_t b = from; b < to; ++b) ASSERT_TRUE(dirty.count(b) != 0) << b;
      }
      ASSERT_EQ(total, dirty.size()) << "each block once";
      ASSERT_EQ(buffer.any_dirty(), !dirty.empty());
    };
    for (int step = 0; step < 400 && !::testing::Test::HasFailure(); ++step) {
      const std::uint64_t first = random() % 120;
      const auto blocks = static_cast<std::uint32_t>(1 + random() % 8);
      const Picoseconds now = step * 5 * kSector;
      switch (random() % 4) {
        case 0:
          if (blocks <= profile.segment_blocks && buffer.accept_write(Lba(first), blocks))
            for (std::uint64_t b = first; b < first + blocks; ++b) dirty.insert(b);
          break;
        case 1:
          if (DirtyBlocks next{}; buffer.next_destage(next)) {
            for (std::uint64_t b = 0; b < next.blocks; ++b) ASSERT_TRUE(dirty.count(next.first.value + b) != 0);
            under_way.push_back(next);
          }
          break;
        case 2:
          if (!under_way.empty()) {
            const DirtyBlocks done = under_way.front();
            under_way.erase(under_way.begin());
            buffer.destaged(done);
            for (std::uint64_t b = 0; b < done.blocks; ++b) dirty.erase(done.first.value + b);
          }
          break;
        default: {
          const Hit hit = buffer.find(Lba(first), blocks, now);
          HeadState place;
          if (hit.kind != Hit::Kind::Miss) buffer.use(hit, Lba(first), hit.blocks);
          if (hit.kind == Hit::Kind::Whole) break;
          buffer.stop(now, place);
          const bool part = hit.kind == Hit::Kind::Partial;
          const std::size_t segment = buffer.read_done(Lba(first + hit.blocks), blocks - hit.blocks, 0, part ? &hit : nullptr);
          buffer.start_read_ahead(segment, Lba(first), blocks, place, now);
        }
      }
      check();
    }
    while (!::testing::Test::HasFailure() && buffer.any_dirty()) {
      if (DirtyBlocks next{}; buffer.next_destage(next)) under_way.push_back(next);
      ASSERT_FALSE(under_way.empty());
      const DirtyBlocks done = under_way.front();
      under_way.erase(under_way.begin());
      buffer.destaged(done);
      for (std::uint64_t b = 0; b < done.blocks; ++b) dirty.erase(done.first.value + b);
      check();
    }
  }
}

/// Two buffers of the same drive with the same accesses. One of them is asked again and again how far its read-ahead is.
TEST(SegmentBuffer, AskingHowFarTheReadAheadIsChangesNothing) {
  const AccessPlanner planner(drive(8192));
  for (int drive_number = 0; drive_number < 12; ++drive_number) {
    std::mt19937 random(static_cast<unsigned>(drive_number));
    CacheProfile profile = cache(drive_number % 3 == 0   ? ReadAhead::WholeTrack
                                 : drive_number % 3 == 1 ? ReadAhead::Segment
                                                         : ReadAhead::NextTrack);
    profile.segments = 3 + static_cast<std::uint32_t>(random() % 4);
    profile.segment_blocks = 10 + static_cast<std::uint32_t>(random() % 20);
    profile.read_ahead_from_request_start = true;
    profile.almost_read_hits = drive_number % 2 == 0;
    SegmentBuffer asked(planner, profile);
    SegmentBuffer plain(planner, profile);
    Picoseconds now = 0;
    const auto pass = [&](std::uint32_t sectors) {
      now += static_cast<Picoseconds>(random() % sectors) * kSector;
      const Picoseconds until = asked.read_ahead_until(now);
      EXPECT_EQ(asked.read_ahead_until(now), until);
    };
    std::array<std::uint64_t, 6> places{};
    for (int step = 0; step < 20'000 && !::testing::Test::HasFailure(); ++step) {
      pass(12);
      std::uint64_t& place = places[random() % places.size()];
      place = random() % 3 != 0 ? place + random() % 12 : random() % 300'000;
      const Lba first(place);
      const auto blocks = static_cast<std::uint32_t>(1 + random() % 8);
      if (random() % 8 == 0) {
        asked.invalidate(first, blocks);
        plain.invalidate(first, blocks);
        continue;
      }
      const Hit hit = asked.find(first, blocks, now);
      const Hit same = plain.find(first, blocks, now);
      ASSERT_EQ(std::tie(hit.kind, hit.blocks, hit.segment), std::tie(same.kind, same.blocks, same.segment)) << step;
      for (SegmentBuffer* buffer : {&asked, &plain})
        if (hit.kind != Hit::Kind::Miss) buffer->use(hit, first, hit.blocks);
      if (hit.kind == Hit::Kind::Whole) continue;
      HeadState at;
      HeadState same_at;
      ASSERT_EQ(asked.stop(now, at), plain.stop(now, same_at));
      pass(40);  // the access
      for (SegmentBuffer* buffer : {&asked, &plain}) {
        const std::size_t segment = buffer->read_done(Lba(first.value + hit.blocks), blocks - hit.blocks, 0,
                                                      hit.kind == Hit::Kind::Partial ? &hit : nullptr);
        buffer->start_read_ahead(segment, first, blocks, at, now);
      }
    }
  }
}

/// The same where a read-ahead is replaced before it has dropped the first blocks of its segment, after any number of other reads.
TEST(SegmentBuffer, AskingHowFarTheReadAheadIsLosesNoBlock) {
  const AccessPlanner planner(drive(1024));
  CacheProfile profile = cache(ReadAhead::Segment);
  profile.segment_blocks = 20;
  profile.read_ahead_from_request_start = true;
  profile.almost_read_hits = true;
  for (std::uint64_t others = 0; others < 1100; ++others) {
    SegmentBuffer buffer(planner, profile);
    for (std::uint64_t i = 0; i < others; ++i) buffer.read_done(Lba(20 * (i + 10)), 1, 0, nullptr);
    const std::uint64_t first = 96;
    const std::size_t segment = buffer.read_done(Lba(first), 8, 0, nullptr);
    HeadState at;
    buffer.start_read_ahead(segment, Lba(first), 8, at, 0);
    for (const std::uint64_t next : {first + 8, first + 16, first + 24}) {
      const Hit hit = buffer.find(Lba(next), 4, 0);
      ASSERT_EQ(hit.kind, Hit::Kind::Whole);
      buffer.use(hit, Lba(next), 4);
    }
    buffer.stop(0, at);
    buffer.read_ahead_until(1000 * kTurn);
    const std::size_t another = buffer.read_done(Lba(60), 1, 0, nullptr);
    buffer.start_read_ahead(another, Lba(60), 1, at, 1000 * kTurn);
    ASSERT_EQ(buffer.find(Lba(first), 1, 1000 * kTurn).kind, Hit::Kind::Whole) << others;
  }
}

}  // namespace
}  // namespace platter::buffer
