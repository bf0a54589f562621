// SPDX-License-Identifier: Apache-2.0
#include "platter/mechanics/access_planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "drives.h"
#include "platter/config/loader.h"

namespace platter::mechanics {
namespace {

using Real = long double;

/// An access done sector by sector on a drive that is known only by its profile, the seek curve and where the blocks are.
/// Times are real numbers, angles follow the documented formula.
class SectorWalk {
 public:
  SectorWalk(const DriveProfile& profile, const AccessPlanner& planner)
      : profile_(profile), planner_(planner), period_(static_cast<Real>(planner.rotation().period())) {}

  /// A sector's start is within 2 units of 2^-32 turn of the formula (its track and its place on it are rounded apart)
  /// and then rounded up to a picosecond; a wait has two such ends. Errors do not add up over tracks, since every wait ends
  /// at such a start.
  Real tolerance() const { return 4 * period_ / 0x1p32L + 2; }

  struct Result {
    Real start = 0;  ///< transfer's start
    Real end = 0;
    Real data_wait = 0;
    std::vector<Real> media_end;  ///< of each block
    HeadState head;
  };

  Result access(HeadState head, Lba first, std::uint32_t blocks, bool write, Real now, Real data_ready = 0) const {
    Result result;
    Real time = now + us(profile_.overhead_us[write][head.last_was_write]);
    for (std::uint32_t i = 0; i < blocks; ++i) {
      const PhysicalAddress at = planner_.geometry().to_physical(Lba(first.value + i));
      time += move(head, at, write);
      head = {at.cylinder, at.head, write};
      if (i == 0 && write && data_ready > time) {
        result.data_wait = data_ready - time;
        time = data_ready;
      }
      const ZoneProfile& zone = zone_of(at);
      Real wait = turns(at) - time / period_;
      wait -= std::floor(wait);
      wait *= period_;
      if (wait > period_ - tolerance()) wait -= period_;  // it comes just now
      time += wait;
      if (i == 0) result.start = time;
      time += period_ / zone.sectors_per_track;
      result.media_end.push_back(time);
    }
    result.end = time;
    result.head = head;
    return result;
  }

  Real move(const HeadState& from, const PhysicalAddress& to, bool write) const {
    const auto distance = static_cast<std::uint32_t>(
        std::abs(static_cast<std::int64_t>(from.cylinder.value) - static_cast<std::int64_t>(to.cylinder.value)));
    const bool switches = from.head != to.head;
    Real time = static_cast<Real>(planner_.seek_curve()(distance));
    if (switches) time = std::max(time, us(profile_.head_switch_us));
    if (write && (distance > 0 || switches)) time = std::max<Real>(0, time + us(profile_.write_settle_us));
    return time;
  }

  static Real us(double value) { return std::round(static_cast<Real>(value) * 1e6L); }

 private:
  const ZoneProfile& zone_of(const PhysicalAddress& at) const {
    for (const ZoneProfile& zone : profile_.geometry.zones)
      if (at.cylinder.value <= zone.last_cylinder) return zone;
    throw std::logic_error("no such cylinder");
  }

  Real turns(const PhysicalAddress& at) const {
    const ZoneProfile& zone = zone_of(at);
    const std::uint32_t c = at.cylinder.value - zone.first_cylinder;
    const bool descending = (profile_.geometry.mapping == Mapping::Serpentine && c % 2 == 1) ||
                            (profile_.geometry.mapping == Mapping::SerpentineAbsolute && at.cylinder.value % 2 == 1);
    const std::uint32_t surfaces = profile_.geometry.surfaces;
    const std::uint32_t order = descending ? surfaces - 1 - at.head.value : at.head.value;
    return (static_cast<Real>(zone.offset_sectors) +
            static_cast<Real>(zone.track_skew_sectors) * (order + (surfaces - 1) * c) +
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
    return {Cylinder(static_cast<std::uint32_t>(below(g.cylinders()))),
            Head(static_cast<std::uint32_t>(below(g.surfaces()))), coin()};
  }

 private:
  std::mt19937_64 engine_;
};

#define EXPECT_CLOSE(integer, real, tolerance) \
  EXPECT_NEAR(static_cast<double>(static_cast<Real>(integer) - (real)), 0.0, static_cast<double>(tolerance))

struct Coverage {
  int several_tracks = 0, several_cylinders = 0, several_zones = 0, slips = 0;
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
    EXPECT_CLOSE(time.overhead, SectorWalk::us(profile.overhead_us[write][head.last_was_write]), 0);
    EXPECT_CLOSE(time.positioning(), exact.start - static_cast<Real>(now), walk.tolerance());
    EXPECT_CLOSE(time.transfer, exact.end - exact.start, walk.tolerance());
    EXPECT_CLOSE(time.total(), exact.end - static_cast<Real>(now), walk.tolerance());
    EXPECT_EQ(time.transfer, extent.transfer);
    EXPECT_EQ(extent.start_phase, planner.rotation().phase(now + time.positioning()));
    EXPECT_EQ(extent.end_phase, planner.rotation().phase(now + time.total()));

    const AccessTime committed = planner.commit(head, extent, now, data_ready);
    EXPECT_EQ(committed.total(), time.total());
    EXPECT_EQ(committed.rotation, time.rotation);
    EXPECT_EQ(head.cylinder, exact.head.cylinder);
    EXPECT_EQ(head.head, exact.head.head);
    EXPECT_EQ(head.last_was_write, write);

    // The last block leaves at d(n), d(i) = max(d(i - 1), end of block i on the media) + block time.
    Real done = exact.start;
    for (const Real media_end : exact.media_end)
      done = std::max(done, media_end) + SectorWalk::us(profile.bus_block_time_us);
    EXPECT_CLOSE(extent.bus_finish, done - exact.start, walk.tolerance());

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
      drive.bus_block_time_us = bus_us;
      const Coverage coverage = compare_random_accesses(drive, 400, 200, 11);
      EXPECT_GT(coverage.several_tracks, 100);
      EXPECT_GT(coverage.several_cylinders, 100);
      EXPECT_GT(coverage.several_zones, 20);
      EXPECT_GT(coverage.slips, 5);
    }
  }
}

TEST(AccessPlanner, EqualsAWalkSectorBySectorOnTheAtlas10K) {
  DriveProfile drive = config::load_drive("atlas10k");
  EXPECT_GT(compare_random_accesses(drive, 300, 6000, 12).several_cylinders, 50);
  drive.bus_block_time_us = 6.4;
  compare_random_accesses(drive, 300, 6000, 13);
}

TEST(AccessPlanner, EqualsAWalkSectorBySectorAmongTheSlipsOfTheCheetah9LP) {
  DriveProfile drive = config::load_drive("cheetah9lp");
  const std::uint32_t slipped_from = drive.geometry.zones[0].last_cylinder + 1;
  drive.geometry.zones = {drive.geometry.zones[1]};  // 8 slips in a row on a track, many times
  drive.geometry.cylinders = 30;
  ZoneProfile& zone = drive.geometry.zones[0];
  ASSERT_EQ(zone.first_cylinder, slipped_from);
  zone.first_cylinder = 0;
  zone.last_cylinder = 29;
  zone.slips.erase(std::lower_bound(zone.slips.begin(), zone.slips.end(), 30u * 12 * zone.sectors_per_track),
                   zone.slips.end());
  for (const double bus_us : {105.0, 30.0, 24.0}) {  // a sector takes 24.4 us
    drive.bus_block_time_us = bus_us;
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
    const DriveProfile drive = std::string(name) == "small" ? testing::small_drive() : config::load_drive(name);
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

TEST(AccessPlanner, TheNextBlockFollowsWithoutAWait) {
  DriveProfile drive = testing::small_drive(Mapping::Serpentine);
  drive.overhead_us = {};
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
