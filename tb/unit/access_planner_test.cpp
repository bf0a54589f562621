// SPDX-License-Identifier: Apache-2.0
#include "platter/mechanics/access_planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "drives.h"
#include "platter/system/drives.h"

namespace platter::mechanics {
namespace {

using profile::DriveProfile;
using profile::Mapping;
using profile::ZoneProfile;

using Real = long double;

/// An access done sector by sector on a drive that is known only by its profile, the seek curve and where the blocks are.
/// Times are real numbers, angles follow the documented formula.
class SectorWalk {
 public:
  SectorWalk(const DriveProfile& profile, const AccessPlanner& planner)
      : profile_(profile), planner_(planner), period_(static_cast<Real>(planner.rotation().period())) {}

  /// A sector's start is within 2 units of 2^-32 turn of the formula (its track and its place on it are rounded apart) and then rounded up to a
  /// picosecond; a wait has two such ends. Errors do not add up over tracks, since every wait ends at such a start.
  Real tolerance() const { return 4 * period_ / 0x1p32L + 2; }

  struct Result {
    Real start = 0;  ///< transfer's start
    Real first = 0;  ///< when the first sector comes
    Real end = 0;    ///< when the last sector has passed
    Real data_wait = 0;
    std::vector<Real> media_start;  ///< of each block
    std::vector<Real> media_end;
    Real bus_done = 0;  ///< reads: when the last block has left over a free bus
    HeadState head;
    bool in_order = true;
  };

  Result access(const HeadState& head, Lba first, std::uint32_t blocks, bool write, Real now, Real data_ready = 0) const {
    std::vector<Real> in(blocks, 0);
    Result result = access(head, first, blocks, write, now, data_ready, in);
    const bool holds = profile_.bus_hold_write || profile_.bus_never_disconnect;
    if (!write || holds || blocks <= profile_.cache.segment_blocks) return result;
    // What comes late moves what is written behind it, and that what comes.
    for (std::vector<Real> later = write_in_pieces(result); later != in; later = write_in_pieces(result)) {
      in = later;
      result = access(head, first, blocks, write, now, data_ready, in);
    }
    return result;
  }

  /// `in`: since the transfer's start, when a write's blocks are in the buffer.
  Result access(HeadState head, Lba first, std::uint32_t blocks, bool write, Real now, Real data_ready,
                const std::vector<Real>& in) const {
    Result result;
    Real time = now + us((write ? profile_.overhead.write_us : profile_.overhead.read_miss_us)[head.last_was_write]);
    const bool one_track = on_one_track(first, blocks);
    Real arrival = 0;
    for (std::uint32_t i = 0; i < blocks; ++i) {
      const PhysicalAddress at = planner_.geometry().to_physical(Lba(first.value + i));
      if (i == 0 || at.cylinder != head.cylinder || at.head != head.head) time += move(head, at, write);
      head = {at.cylinder, at.head, write};
      if (i == 0 && write && data_ready > time) {
        result.data_wait = data_ready - time;
        time = data_ready;
      }
      if (i == 0) arrival = time;
      time += wait_for(at, time);
      if (i == 0) result.start = time;
      while (in[i] > time - result.start) time += period_;
      result.media_start.push_back(time);
      time += period_ / zone_of(at).sectors_per_track;
      result.media_end.push_back(time);
    }
    result.first = result.media_start.front();
    result.end = time;
    result.head = head;
    const std::vector<Real> in_order = result.media_end;
    if (one_track && (write ? profile_.zero_latency_write : profile_.zero_latency_read)) {  // each sector when it comes
      for (std::uint32_t i = 0; i < blocks; ++i) {
        const PhysicalAddress at = planner_.geometry().to_physical(Lba(first.value + i));
        const Real begin = arrival + wait_for(at, arrival);
        result.in_order = result.in_order && begin == result.media_start[i];
        result.media_start[i] = begin;
        result.media_end[i] = begin + period_ / zone_of(at).sectors_per_track;
      }
      result.start = *std::min_element(result.media_start.begin(), result.media_start.end());
      result.end = *std::max_element(result.media_end.begin(), result.media_end.end());
      result.in_order = result.start > result.first - period_ / 1e6L;
    }
    // A drive is never done later than it would be in order.
    result.bus_done = std::min(bus_done(result.media_end), bus_done(in_order));
    return result;
  }

  /// When the last block of a read has left over a free bus: as a host sees it, chunk by chunk.
  Real bus_done(const std::vector<Real>& media_end) const {
    std::vector<Real> in;  // a block leaves behind those before it
    for (const Real end : media_end) in.push_back(in.empty() ? end : std::max(in.back(), end));
    std::vector<Real> any = media_end;
    std::sort(any.begin(), any.end());
    const std::size_t blocks = in.size();
    const auto enough =
        std::max<std::size_t>(1, static_cast<std::size_t>(profile_.bus_read_watermark * static_cast<double>(blocks)));
    const bool holds = profile_.bus_hold_read || profile_.bus_never_disconnect;
    const Real begin = us(profile_.bus_reselect_us + profile_.bus_preparation_us);
    Real time = profile_.bus_never_disconnect ? in.front() : std::max(any[enough - 1], in.front()) + begin;
    if (!holds) time = in[enough - 1] + begin;
    for (std::size_t sent = 0;;) {
      std::size_t there = sent;
      while (there < blocks && in[there] <= time) ++there;
      time += static_cast<Real>(there - sent) * us(profile_.bus_read_block_us);
      sent = there;
      if (sent == blocks) return time;
      if (in[sent] <= time) continue;
      if (holds)
        time = in[sent];
      else
        time = std::max(time + us(profile_.bus_read_disconnect_us), in[std::min(sent + enough, blocks) - 1]) + begin;
    }
  }

  /// When the blocks of a write that does not hold the bus are in the buffer, since its first sector began, if its blocks are written at `media_end`.
  std::vector<Real> write_in_pieces(const Result& media) const {
    const std::size_t blocks = media.media_end.size();
    const std::size_t segment = profile_.cache.segment_blocks;
    const auto low =
        std::max<std::size_t>(1, static_cast<std::size_t>(profile_.bus_write_low_watermark * static_cast<double>(segment)));
    const Real block_time = us(profile_.bus_write_block_us);
    std::vector<Real> in(blocks, 0);
    Real left = 0;
    for (std::size_t sent = segment; sent < blocks;) {
      Real time = std::max(left, media.media_end[sent - low - 1] - media.start) +
                  us(profile_.bus_reselect_us + profile_.bus_preparation_us);
      while (sent < blocks) {
        std::size_t written = 0;
        while (written < blocks && media.media_end[written] - media.start <= time) ++written;
        const std::size_t chunk = std::min(segment - (sent - std::min(written, sent)), blocks - sent);
        if (chunk == 0) break;
        for (std::size_t i = 0; i < chunk; ++i) in[sent++] = time += block_time;
      }
      left = time + us(profile_.bus_write_disconnect_us);
    }
    return in;
  }

  Real move(const HeadState& from, const PhysicalAddress& to, bool write) const {
    const auto distance = static_cast<std::uint32_t>(
        std::abs(static_cast<std::int64_t>(from.cylinder.value) - static_cast<std::int64_t>(to.cylinder.value)));
    const bool switches = from.head != to.head;
    if (distance == 0 && !switches) return us(write ? profile_.same_track_write_us : profile_.same_track_us);
    Real time = distance > 0 ? static_cast<Real>(planner_.seek_curve()(distance)) : 0;
    if (switches) time = std::max(time, us(profile_.head_switch_us));
    if (write) time = std::max<Real>(0, time + us(profile_.write_settle_us));
    return time;
  }

  bool on_one_track(Lba first, std::uint32_t blocks) const {
    const PhysicalAddress a = planner_.geometry().to_physical(first);
    const PhysicalAddress b = planner_.geometry().to_physical(Lba(first.value + blocks - 1));
    return a.cylinder == b.cylinder && a.head == b.head;
  }

  static Real us(double value) { return std::round(static_cast<Real>(value) * 1e6L); }

 private:
  const ZoneProfile& zone_of(const PhysicalAddress& at) const {
    for (const ZoneProfile& zone : profile_.geometry.zones)
      if (at.cylinder.value <= zone.last_cylinder) return zone;
    throw std::logic_error("no such cylinder");
  }

  Real wait_for(const PhysicalAddress& at, Real time) const {
    Real wait = turns(at) - time / period_;
    wait -= std::floor(wait);
    wait *= period_;
    return wait > period_ - tolerance() ? wait - period_ : wait;  // it comes just now
  }

  Real turns(const PhysicalAddress& at) const {
    const ZoneProfile& zone = zone_of(at);
    const std::uint32_t c = at.cylinder.value - zone.first_cylinder;
    const bool descending = (profile_.geometry.mapping == Mapping::Serpentine && c % 2 == 1) ||
                            (profile_.geometry.mapping == Mapping::SerpentineAbsolute && at.cylinder.value % 2 == 1);
    const std::uint32_t surfaces = profile_.geometry.surfaces;
    const std::uint32_t order = descending ? surfaces - 1 - at.head.value : at.head.value;
    return (static_cast<Real>(zone.offset_sectors) + static_cast<Real>(zone.track_skew_sectors) * (order + (surfaces - 1) * c) +
            static_cast<Real>(zone.cylinder_skew_sectors) * c + at.sector.value) /
           zone.sectors_per_track;
  }

  const DriveProfile& profile_;
  const AccessPlanner& planner_;
  Real period_;
};

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t below(std::uint64_t n) { return engine_() % n; }
  bool coin() { return below(2) == 0; }
  HeadState head(const Geometry& g) {
    return {Cylinder(static_cast<std::uint32_t>(below(g.cylinders()))), Head(static_cast<std::uint32_t>(below(g.surfaces()))),
            coin()};
  }

 private:
  std::mt19937_64 engine_;
};

#define EXPECT_CLOSE(integer, real, tolerance) \
  EXPECT_NEAR(static_cast<double>(static_cast<Real>(integer) - (real)), 0.0, static_cast<double>(tolerance))

struct Coverage {
  int several_tracks = 0, several_cylinders = 0, several_zones = 0, slips = 0, in_the_middle = 0;
};

Coverage compare_random_accesses(const DriveProfile& profile, int count, std::uint32_t longest, std::uint64_t seed) {
  const AccessPlanner planner(profile);
  const Geometry& geometry = planner.geometry();
  const SectorWalk walk(profile, planner);
  Draw draw(seed);
  Coverage coverage;
  const auto zone_of = [&profile](Cylinder cylinder) {
    std::size_t zone = 0;
    while (profile.geometry.zones[zone].last_cylinder < cylinder.value) ++zone;
    return zone;
  };
  const bool failed_before = ::testing::Test::HasFailure();
  for (int i = 0; i < count && (failed_before || !::testing::Test::HasFailure()); ++i) {
    const auto blocks = static_cast<std::uint32_t>(1 + draw.below(draw.coin() ? 10 : longest));
    const Lba first(draw.below(geometry.block_count() - blocks + 1));
    const bool write = draw.coin();
    HeadState head = draw.head(geometry);
    const auto now = static_cast<Picoseconds>(draw.below(1'000'000'000'000));
    const Picoseconds data_ready = draw.coin() ? 0 : now + static_cast<Picoseconds>(draw.below(30'000'000'000));

    const Extent extent = planner.resolve(first, blocks, write);
    const AccessTime time = planner.estimate(head, extent, now, data_ready);
    const SectorWalk::Result exact =
        walk.access(head, first, blocks, write, static_cast<Real>(now), static_cast<Real>(data_ready));
    SCOPED_TRACE(::testing::Message() << "access " << i << ": " << blocks << " blocks at " << first.value
                                      << (write ? " write" : " read"));
    const PhysicalAddress begin = geometry.to_physical(first);
    EXPECT_EQ(extent.cylinder, begin.cylinder);
    EXPECT_EQ(extent.head, begin.head);
    EXPECT_EQ(extent.end_cylinder, exact.head.cylinder);
    EXPECT_EQ(extent.end_head, exact.head.head);
    const auto move = time.seek + time.settle;
    EXPECT_CLOSE(move, walk.move(head, begin, write), 0);
    EXPECT_CLOSE(time.data_wait, exact.data_wait, 0);
    EXPECT_CLOSE(time.overhead,
                 SectorWalk::us((write ? profile.overhead.write_us : profile.overhead.read_miss_us)[head.last_was_write]), 0);
    EXPECT_CLOSE(time.positioning(), exact.start - static_cast<Real>(now), walk.tolerance() + (exact.in_order ? 0 : 400));
    // A drive whose bus does not overlap with the next access is busy until the last block has left.
    const Real busy = !write && !profile.bus_overlap ? std::max(exact.end, exact.bus_done) : exact.end;
    // Many sectors' rounded lengths make up the front that a zero-latency access leaves for the next turn.
    const Real tolerance = walk.tolerance() + (exact.in_order ? 0 : 400);
    EXPECT_CLOSE(time.media, exact.end - exact.start, tolerance);
    EXPECT_CLOSE(time.transfer, busy - exact.start, tolerance);
    EXPECT_CLOSE(time.total(), busy - static_cast<Real>(now), tolerance);
    EXPECT_CLOSE(time.to_first(), exact.first - static_cast<Real>(now), walk.tolerance());
    EXPECT_LE(time.total(), time.to_first() + extent.transfer) << "never later than in order";
    EXPECT_EQ(time.early > 0, !exact.in_order);
    if (exact.in_order) {
      EXPECT_EQ(time.transfer, extent.transfer);
      EXPECT_EQ(extent.start_phase, planner.rotation().phase(now + time.positioning()));
      EXPECT_EQ(extent.end_phase, planner.rotation().phase(now + time.total()));
    }

    const AccessTime committed = planner.commit(head, extent, now, data_ready);
    EXPECT_EQ(committed.total(), time.total());
    EXPECT_EQ(committed.rotation, time.rotation);
    EXPECT_EQ(head.cylinder, exact.head.cylinder);
    EXPECT_EQ(head.head, exact.head.head);
    EXPECT_EQ(head.last_was_write, write);

    if (!write) {
      EXPECT_CLOSE(time.bus_finish, exact.bus_done - exact.start, tolerance);
      if (exact.in_order) {
        EXPECT_EQ(time.bus_finish, extent.bus_finish);
      }
    } else if (exact.in_order) {
      // Block i has come i block times after the first began to, and before its own sector does.
      Real lead = 0;
      const bool pieces = !profile.bus_hold_write && !profile.bus_never_disconnect && profile.cache.segment_blocks > 0;
      const std::uint32_t ahead = pieces ? std::min(blocks, profile.cache.segment_blocks) : blocks;
      for (std::uint32_t k = 0; k < ahead; ++k)
        lead = std::max(lead, (k + 1) * SectorWalk::us(profile.bus_write_block_us) - (exact.media_start[k] - exact.start));
      EXPECT_CLOSE(extent.data_lead, lead, walk.tolerance());
    }
    coverage.in_the_middle += !exact.in_order;

    coverage.several_tracks += extent.tracks > 1;
    coverage.several_cylinders += extent.cylinder != extent.end_cylinder;
    coverage.several_zones += zone_of(extent.cylinder) != zone_of(extent.end_cylinder);
    for (std::uint64_t left = blocks; left > 0;) {
      const TrackRun run = geometry.track_run(Lba(first.value + blocks - left), static_cast<std::uint32_t>(left));
      coverage.slips += run.blocks != run.sectors;
      left -= run.blocks;
    }
  }
  return coverage;
}

TEST(AccessPlanner, EqualsAWalkSectorBySectorOnASmallDrive) {
  for (const Mapping mapping : {Mapping::Plain, Mapping::Serpentine, Mapping::SerpentineAbsolute}) {
    for (const double bus_us : {0.0, 50.0, 600.0, 700.0, 2000.0}) {  // a sector takes 600 us or 857 us
      DriveProfile drive = testing::small_drive(mapping);
      drive.bus_read_block_us = drive.bus_write_block_us = bus_us;
      const Coverage coverage = compare_random_accesses(drive, 400, 200, 11);
      EXPECT_GT(coverage.several_tracks, 100);
      EXPECT_GT(coverage.several_cylinders, 100);
      EXPECT_GT(coverage.several_zones, 20);
      EXPECT_GT(coverage.slips, 5);
    }
  }
}

/// The small drive without slips, which a zero-latency access counts as wanted sectors.
DriveProfile small_drive_without_slips() {
  DriveProfile drive = testing::small_drive();
  for (ZoneProfile& zone : drive.geometry.zones) zone.slips.clear();
  return drive;
}

TEST(AccessPlanner, ZeroLatencyEqualsAWalkThatTakesEachSectorWhenItComes) {
  for (const double bus_us : {0.0, 50.0, 600.0, 2000.0}) {
    for (const double watermark : {0.0, 0.4, 1.0}) {
      DriveProfile drive = small_drive_without_slips();
      drive.zero_latency_read = drive.zero_latency_write = true;
      drive.bus_read_block_us = drive.bus_write_block_us = bus_us;
      drive.bus_read_watermark = watermark;
      for (const bool overlap : {true, false}) {
        drive.bus_overlap = overlap;
        EXPECT_GT(compare_random_accesses(drive, 600, 12, 21).in_the_middle, 50);
      }
    }
  }
}

TEST(AccessPlanner, ZeroLatencyReadsAWholeTrackInATurn) {
  DriveProfile drive = small_drive_without_slips();
  drive.zero_latency_read = true;
  drive.overhead = {};
  drive.bus_read_block_us = 10;
  const AccessPlanner planner(drive);
  const Extent track = planner.resolve(Lba(0), 10, false);
  ASSERT_EQ(track.tracks, 1u);
  const Picoseconds period = planner.rotation().period();
  const HeadState head{track.cylinder, track.head, false, 0};
  // Half a sector into sector 3: sectors 4 to 9, then 0 to 3.
  const AccessTime time = planner.estimate(head, track, track.start_phase + period * 35 / 100);
  EXPECT_NEAR(static_cast<double>(time.rotation), static_cast<double>(period) / 20, 100);
  EXPECT_EQ(time.transfer, period);
  // Block 4 comes last; it and the six behind it cross the bus then.
  EXPECT_NEAR(static_cast<double>(time.bus_finish), static_cast<double>(period + 7 * 10'000'000), 100);
}

TEST(AccessPlanner, TheBusBeginsAtTheWatermarkBehindReselectAndPreparation) {
  for (const double watermark : {0.0, 0.25, 0.75, 1.0}) {
    for (const double bus_us : {30.0, 900.0}) {
      DriveProfile drive = testing::small_drive();
      drive.bus_read_watermark = watermark;
      drive.bus_read_block_us = bus_us;
      drive.bus_write_block_us = 700;
      drive.bus_reselect_us = 45;
      drive.bus_preparation_us = 33;
      compare_random_accesses(drive, 300, 60, 22);
      drive.bus_overlap = false;
      compare_random_accesses(drive, 300, 60, 23);
    }
  }
}

TEST(AccessPlanner, AReadThatLeavesTheBusGetsItAgain) {
  for (const bool zero_latency : {false, true}) {
    for (const double watermark : {0.0, 0.25, 0.75}) {
      for (const double bus_us : {30.0, 590.0, 900.0}) {
        DriveProfile drive = small_drive_without_slips();
        drive.bus_hold_read = false;
        drive.zero_latency_read = zero_latency;
        drive.bus_read_watermark = watermark;
        drive.bus_read_block_us = bus_us;
        drive.bus_reselect_us = 45;
        drive.bus_preparation_us = 33;
        drive.bus_read_disconnect_us = 70;
        compare_random_accesses(drive, 300, 60, 24);
        drive.bus_overlap = false;
        compare_random_accesses(drive, 300, 60, 25);
      }
    }
  }
  DriveProfile drive = testing::small_drive();
  drive.bus_read_block_us = 30;  // a sector takes 600
  drive.bus_reselect_us = 45;
  const Picoseconds held = AccessPlanner(drive).resolve(Lba(0), 4, false).bus_finish;
  drive.bus_hold_read = false;
  drive.bus_read_disconnect_us = 700;
  // Each block: out of the bus, and on it again.
  const Extent read = AccessPlanner(drive).resolve(Lba(0), 4, false);
  EXPECT_GT(read.bus_finish, held);
  // Without times to leave and to come back, and without a watermark, nobody sees who holds the bus.
  drive.bus_reselect_us = drive.bus_read_disconnect_us = 0;
  const AccessPlanner leaves(drive);
  drive.bus_hold_read = true;
  const AccessPlanner holds(drive);
  for (std::uint32_t blocks = 1; blocks < 60; ++blocks)
    EXPECT_EQ(leaves.resolve(Lba(3), blocks, false).bus_finish, holds.resolve(Lba(3), blocks, false).bus_finish);
}

TEST(AccessPlanner, AReadThatNeverDisconnectsSendsItsFirstSectorAtOnce) {
  for (const bool zero_latency : {false, true}) {
    for (const double bus_us : {30.0, 900.0}) {
      DriveProfile drive = small_drive_without_slips();
      drive.bus_never_disconnect = true;
      drive.bus_hold_read = false;  // the other flag says more
      drive.queue_depth = 1;
      drive.zero_latency_read = zero_latency;
      drive.bus_read_watermark = 0.75;
      drive.bus_read_block_us = bus_us;
      drive.bus_reselect_us = 45;
      drive.bus_preparation_us = 33;
      compare_random_accesses(drive, 300, 60, 26);
    }
  }
  DriveProfile drive = testing::small_drive();
  drive.bus_read_block_us = 30;
  drive.bus_reselect_us = 45;
  drive.bus_preparation_us = 33;
  const Picoseconds reselects = AccessPlanner(drive).resolve(Lba(1), 1, false).bus_finish;
  drive.bus_never_disconnect = true;
  EXPECT_THROW(AccessPlanner{drive}, std::invalid_argument) << "no command can come while another one has the bus";
  drive.queue_depth = 1;
  EXPECT_EQ(AccessPlanner(drive).resolve(Lba(1), 1, false).bus_finish, reselects - 78'000'000);
}

TEST(AccessPlanner, WhatTheHostAlreadyReadsFromTheBufferIsNotReselected) {
  DriveProfile drive = testing::small_drive();
  drive.bus_read_block_us = 30;
  drive.bus_reselect_us = 45;
  drive.bus_read_watermark = 1;
  const AccessPlanner holds(drive);
  const Picoseconds sector = holds.resolve(Lba(1), 1, false).media;
  EXPECT_CLOSE(holds.resolve(Lba(1), 4, false, true).bus_finish, static_cast<Real>(4 * sector + 30'000'000), 20);
  EXPECT_CLOSE(holds.resolve(Lba(1), 4, false).bus_finish, static_cast<Real>(4 * sector + 165'000'000), 20);
  drive.bus_hold_read = false;
  const AccessPlanner leaves(drive);
  EXPECT_EQ(leaves.resolve(Lba(1), 4, false, true).bus_finish, holds.resolve(Lba(1), 4, false).bus_finish);
}

TEST(AccessPlanner, AWriteLargerThanASegmentThatLeavesTheBusMayMissItsSectors) {
  for (const double low : {0.0, 0.4, 0.9}) {
    for (const double bus_us : {30.0, 410.0, 900.0, 2000.0}) {
      DriveProfile drive = testing::small_drive();
      drive.cache.segment_blocks = 8;
      drive.bus_hold_write = false;
      drive.bus_write_low_watermark = low;
      drive.bus_write_block_us = bus_us;
      drive.bus_reselect_us = 45;
      drive.bus_write_disconnect_us = 70;
      compare_random_accesses(drive, 300, 60, 27);
    }
  }
  DriveProfile drive = testing::small_drive();
  drive.cache.segment_blocks = 4;
  drive.bus_write_block_us = 30;
  drive.bus_reselect_us = 580;  // with the block more than the 600 of a sector
  const AccessPlanner holds(drive);
  drive.bus_hold_write = false;
  const AccessPlanner leaves(drive);
  EXPECT_EQ(leaves.resolve(Lba(1), 4, true).media, holds.resolve(Lba(1), 4, true).media) << "it fits";
  EXPECT_EQ(leaves.resolve(Lba(1), 5, true).media, holds.resolve(Lba(1), 5, true).media + leaves.rotation().period())
      << "the drive asks for the fifth block when one is left";
  drive.bus_write_low_watermark = 0.5;
  EXPECT_EQ(AccessPlanner(drive).resolve(Lba(1), 5, true).media, holds.resolve(Lba(1), 5, true).media) << "when two are";
  drive.bus_write_low_watermark = 0;
  drive.bus_never_disconnect = true;
  drive.queue_depth = 1;
  EXPECT_EQ(AccessPlanner(drive).resolve(Lba(1), 5, true).media, holds.resolve(Lba(1), 5, true).media);
}

TEST(AccessPlanner, AccessesThatWouldNotFitATimeAreRefused) {
  DriveProfile drive = testing::small_drive();
  drive.geometry.cylinders = 200'000;
  drive.geometry.zones.resize(1);
  drive.geometry.zones[0].last_cylinder = 199'999;
  drive.seek.points_us = {{1, 800.0}, {199'999, 2100.0}};
  drive.bus_reselect_us = 100'000;
  drive.cache.segment_blocks = 1;
  EXPECT_NO_THROW(AccessPlanner{drive});
  drive.bus_hold_read = false;
  EXPECT_THROW(AccessPlanner{drive}, std::invalid_argument);
  drive.bus_hold_read = true;
  drive.bus_hold_write = false;
  EXPECT_THROW(AccessPlanner{drive}, std::invalid_argument);
}

TEST(AccessPlanner, TheNextAccessBeginsWhenTheBusIsDoneWhereTheyDoNotOverlap) {
  DriveProfile drive = testing::small_drive();
  drive.bus_read_block_us = 2000;
  drive.bus_overlap = false;
  const AccessPlanner planner(drive);
  const Extent read = planner.resolve(Lba(0), 5, false);
  EXPECT_EQ(read.transfer, read.bus_finish);
  EXPECT_GT(read.transfer, read.media);
  EXPECT_EQ(read.end_phase, planner.rotation().phase(read.start_phase + read.transfer));
  EXPECT_EQ(planner.rotation().phase_of(read.end_angle), read.end_phase);
  EXPECT_EQ(planner.resolve(Lba(0), 5, true).transfer, read.media) << "a write's data has come before";
}

TEST(AccessPlanner, OnTheTrackItselfTheHeadsSettleAgain) {
  DriveProfile drive = testing::small_drive();
  drive.same_track_us = 250;
  drive.same_track_write_us = 400;
  compare_random_accesses(drive, 400, 30, 24);
  const AccessPlanner planner(drive);
  const Extent extent = planner.resolve(Lba(50), 2, true);
  const HeadState there{extent.cylinder, extent.head, false, 0};
  EXPECT_EQ(planner.estimate(there, extent, 0).seek, 400'000'000);
  EXPECT_EQ(planner.estimate(there, extent, 0).settle, 0);
  EXPECT_EQ(planner.estimate(there, planner.resolve(Lba(50), 2, false), 0).seek, 250'000'000);
  EXPECT_EQ(planner.seek_curve()(0), 400'000'000) << "what is known of no direction counts as the longer";
}

TEST(AccessPlanner, OverheadsThatRunFromTheArrivalAreOverSooner) {
  DriveProfile drive = testing::small_drive();
  const AccessPlanner series(drive);
  drive.overhead_overlap = true;
  const AccessPlanner beside(drive);
  const Extent extent = beside.resolve(Lba(100), 3, false);
  const HeadState head{Cylinder(9), Head(0), true, 0};
  const Picoseconds now = 50'000'000'000;
  EXPECT_EQ(series.estimate(head, extent, now, 0, now + 5'000'000).overhead, 40'000'000);
  EXPECT_EQ(beside.estimate(head, extent, now, 0, now + 5'000'000).overhead, 5'000'000);
  EXPECT_EQ(beside.estimate(head, extent, now, 0, now).overhead, 0);
  EXPECT_EQ(beside.estimate(head, extent, now, 0, now - 7).overhead, 0);
  EXPECT_EQ(beside.overhead(false, true), 0);
  EXPECT_EQ(beside.command_overhead(false, true), 40'000'000);
  EXPECT_EQ(beside.estimate(head, extent, now).total(), series.estimate(head, extent, now - 40'000'000).total() - 40'000'000);
}

TEST(AccessPlanner, EqualsAWalkSectorBySectorOnTheAtlas10K) {
  DriveProfile drive = system::load_drive("atlas10k");
  EXPECT_GT(compare_random_accesses(drive, 300, 6000, 12).several_cylinders, 50);
  drive.bus_read_block_us = drive.bus_write_block_us = 6.4;
  compare_random_accesses(drive, 300, 6000, 13);
}

TEST(AccessPlanner, EqualsAWalkSectorBySectorAmongTheSlipsOfTheCheetah9LP) {
  DriveProfile drive = system::load_drive("cheetah9lp");
  const std::uint32_t slipped_from = drive.geometry.zones[0].last_cylinder + 1;
  drive.geometry.zones = {drive.geometry.zones[1]};  // 8 slips in a row on a track, many times
  drive.geometry.cylinders = 30;
  ZoneProfile& zone = drive.geometry.zones[0];
  ASSERT_GE(zone.first_cylinder, slipped_from);  // cylinders between the zones hold nothing
  zone.first_cylinder = 0;
  zone.last_cylinder = 29;
  zone.slips.erase(std::lower_bound(zone.slips.begin(), zone.slips.end(), 30u * 12 * zone.sectors_per_track), zone.slips.end());
  for (const double bus_us : {105.0, 30.0, 24.0}) {  // a sector takes 24.4 us
    drive.bus_read_block_us = drive.bus_write_block_us = bus_us;
    EXPECT_GT(compare_random_accesses(drive, 200, 2000, 14).slips, 30);
  }
}

TEST(AccessPlanner, NegativeWriteSettleShortensPositioningToNoLessThanNothing) {
  DriveProfile drive = testing::small_drive();
  drive.write_settle_us = -850;  // longer than the seek of one cylinder, shorter than a head switch
  compare_random_accesses(drive, 400, 60, 15);
  const AccessPlanner planner(drive);
  Picoseconds seek = 0;
  Picoseconds settle = 0;
  planner.move(Cylinder(3), Head(0), Cylinder(4), Head(0), true, seek, settle);
  EXPECT_EQ(seek, 800'000'000);
  EXPECT_EQ(settle, -800'000'000);
  planner.move(Cylinder(3), Head(0), Cylinder(3), Head(1), true, seek, settle);
  EXPECT_EQ(seek, 900'000'000);
  EXPECT_EQ(settle, -850'000'000);
  planner.move(Cylinder(3), Head(0), Cylinder(3), Head(0), true, seek, settle);  // nothing moves: nothing settles
  EXPECT_EQ(seek, 0);
  EXPECT_EQ(settle, 0);
  planner.move(Cylinder(3), Head(0), Cylinder(4), Head(0), false, seek, settle);
  EXPECT_EQ(settle, 0);
}

TEST(AccessPlanner, WriteWaitsForItsData) {
  const DriveProfile drive = testing::small_drive();
  const AccessPlanner planner(drive);
  const Extent write = planner.resolve(Lba(100), 4, true);
  const Extent read = planner.resolve(Lba(100), 4, false);
  const HeadState head{Cylinder(9), Head(1), false};
  const Picoseconds now = 123'456'789'012;
  const AccessTime ready = planner.estimate(head, write, now);
  const Picoseconds in_place = ready.overhead + ready.seek + ready.settle;
  EXPECT_EQ(planner.estimate(head, write, now, now + in_place).data_wait, 0);
  EXPECT_EQ(planner.estimate(head, write, now, now + in_place).total(), ready.total());
  const AccessTime late = planner.estimate(head, write, now, now + in_place + 7);
  EXPECT_EQ(late.data_wait, 7);
  EXPECT_EQ(late.total(), ready.total() + (ready.rotation < 7 ? planner.rotation().period() : 0));
  const AccessTime too_late = planner.estimate(head, write, now, now + in_place + ready.rotation + 1);
  EXPECT_EQ(too_late.total(), ready.total() + planner.rotation().period());
  EXPECT_EQ(planner.estimate(head, read, now, now + 1'000'000'000'000).data_wait, 0);
}

TEST(AccessPlanner, OnwardIsTheSameWheneverTheFirstAccessRan) {
  for (const char* name : {"small", "atlas10k"}) {
    DriveProfile drive = std::string(name) == "small" ? testing::small_drive() : system::load_drive(name);
    drive.zero_latency_read = drive.zero_latency_write = false;
    const AccessPlanner planner(drive);
    Draw draw(16);
    for (int i = 0; i < 500; ++i) {
      const auto extent = [&] {
        const auto blocks = static_cast<std::uint32_t>(1 + draw.below(60));
        return planner.resolve(Lba(draw.below(planner.geometry().block_count() - blocks + 1)), blocks, draw.coin());
      };
      const Extent from = extent();
      const Extent to = extent();
      const auto delay = static_cast<Picoseconds>(draw.below(20'000'000'000));
      const Picoseconds onward = planner.onward(from, to, delay);
      for (int run = 0; run < 3; ++run) {
        HeadState head = draw.head(planner.geometry());
        const auto now = static_cast<Picoseconds>(draw.below(5'000'000'000'000));
        const Picoseconds end = now + planner.commit(head, from, now).total();
        ASSERT_EQ(onward, delay + planner.estimate(head, to, end + delay).positioning());
      }
    }
  }
}

TEST(AccessPlanner, OnwardBoundsTheNextAccessOfAZeroLatencyDrive) {
  for (const bool overlap : {true, false}) {
    DriveProfile drive = small_drive_without_slips();
    drive.zero_latency_read = drive.zero_latency_write = true;
    drive.bus_overlap = overlap;
    drive.bus_read_block_us = 400;
    const AccessPlanner planner(drive);
    Draw draw(17);
    int earlier = 0;
    for (int i = 0; i < 3000; ++i) {
      const auto extent = [&] {
        const auto blocks = static_cast<std::uint32_t>(1 + draw.below(12));
        return planner.resolve(Lba(draw.below(planner.geometry().block_count() - blocks + 1)), blocks, draw.coin());
      };
      const Extent from = extent();
      const Extent to = extent();
      const auto delay = static_cast<Picoseconds>(draw.below(20'000'000'000));
      HeadState head = draw.head(planner.geometry());
      const auto now = static_cast<Picoseconds>(draw.below(5'000'000'000'000));
      const AccessTime first = planner.commit(head, from, now);
      const Picoseconds in_order = now + first.to_first() + from.transfer;
      const Picoseconds end = now + first.total();
      ASSERT_LE(end, in_order);
      // The next one after any time up to `delay`.
      const Picoseconds begin = end + static_cast<Picoseconds>(draw.below(static_cast<std::uint64_t>(delay) + 1));
      const AccessTime second = planner.estimate(head, to, begin);
      ASSERT_LE(begin + second.to_first() + to.transfer, in_order + planner.onward(from, to, delay) + to.transfer);
      ASSERT_LE(begin + second.total(), in_order + planner.onward(from, to, delay) + to.transfer);
      earlier += end < in_order;
    }
    EXPECT_GT(earlier, 300);
  }
}

TEST(AccessPlanner, MostOnwardHoldsWhateverTheHostDidLast) {
  // The buffer answers, or a write of the drive's own ends, and the next command's overhead is not the one that follows this access.
  DriveProfile drive = testing::small_drive();
  drive.overhead.read_miss_us = {1'000, 100};
  drive.overhead.write_us = {500, 2'500};
  const AccessPlanner without(drive);
  drive.cache.segments = 4;
  const AccessPlanner planner(drive);
  std::mt19937_64 random(27);
  int longer = 0;
  for (int i = 0; i < 3'000; ++i) {
    const Extent from = planner.resolve(Lba(random() % planner.geometry().block_count()), 1, random() % 2 == 0);
    const Extent to = planner.resolve(Lba(random() % planner.geometry().block_count()), 1, random() % 2 == 0);
    const auto delay = static_cast<Picoseconds>(random() % 1'000'000'000);
    const Picoseconds most = planner.most_onward(from, to, delay);
    const Picoseconds end = from.end_phase + 7 * planner.rotation().period();
    for (const bool last_was_write : {false, true})
      for (const Picoseconds waited : {Picoseconds{0}, delay / 2, delay}) {
        HeadState head = AccessPlanner::end_of(from);
        head.last_was_write = last_was_write;
        ASSERT_LE(waited + planner.estimate(head, to, end + waited).to_first(), most);
      }
    longer += most > planner.onward(from, to, delay);
    ASSERT_EQ(without.most_onward(from, to, delay), without.onward(from, to, delay))
        << "without a buffer nothing comes between";
  }
  EXPECT_GT(longer, 200) << "a turn";
}

TEST(AccessPlanner, TheNextBlockFollowsWithoutAWait) {
  DriveProfile drive = testing::small_drive(Mapping::Serpentine);
  drive.overhead = {};
  const AccessPlanner planner(drive);
  int next_sectors = 0;
  for (std::uint64_t first = 0; first + 5 < planner.geometry().block_count(); ++first) {
    const PhysicalAddress a = planner.geometry().to_physical(Lba(first));
    const PhysicalAddress b = planner.geometry().to_physical(Lba(first + 1));
    if (!(b == PhysicalAddress{a.cylinder, a.head, SectorIndex(a.sector.value + 1)})) continue;
    ++next_sectors;
    EXPECT_EQ(planner.onward(planner.resolve(Lba(first), 1, false), planner.resolve(Lba(first + 1), 5, false), 0), 0);
    EXPECT_EQ(planner.onward(planner.resolve(Lba(first), 1, true), planner.resolve(Lba(first + 1), 1, true), 0), 0);
    // One picosecond later the sector has just gone.
    EXPECT_EQ(planner.onward(planner.resolve(Lba(first), 1, false), planner.resolve(Lba(first + 1), 1, false), 1),
              planner.rotation().period());
  }
  EXPECT_GT(next_sectors, 350);
}

TEST(AccessPlanner, AWholeTrackTakesATurn) {
  DriveProfile drive = testing::line_drive(50);
  drive.geometry.surfaces = 2;
  drive.geometry.zones[0].sectors_per_track = 9;
  const AccessPlanner planner(drive);
  for (const std::uint64_t first : {0u, 1u, 8u, 9u}) {
    const Extent extent = planner.resolve(Lba(first), 9, false);  // no skew, and a head switch takes no time
    EXPECT_EQ(extent.transfer, planner.rotation().period());
    EXPECT_EQ(extent.start_phase, extent.end_phase);
    EXPECT_EQ(extent.tracks, first % 9 == 0 ? 1u : 2u);
  }
}

}  // namespace
}  // namespace platter::mechanics
