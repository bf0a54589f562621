// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "platter/mechanics/access_planner.h"

namespace platter::mechanics {
namespace {

using core::kPicosecondsPerMicrosecond;
using profile::DriveProfile;
using profile::LayoutKind;

/// Two surfaces of 40 cylinders in bands of 8; 64 sectors per track; 6,000 rpm, so that a turn takes 10 ms.
DriveProfile banded_drive() {
  DriveProfile drive;
  drive.name = "bands";
  drive.geometry.layout = LayoutKind::Bands;
  drive.geometry.cylinders = 40;
  drive.geometry.surfaces = 2;
  drive.geometry.band_tracks = 8;
  drive.geometry.mapping = profile::Mapping::Serpentine;
  drive.geometry.track_skew_turns = 0.125;
  drive.geometry.head_skew_turns = 0.25;
  drive.geometry.band_skew_turns = 0.375;
  profile::ZoneProfile zone;
  zone.last_cylinder = 39;
  zone.sectors_per_track = 64;
  drive.geometry.zones = {zone};
  drive.seek.points_us = {{1, 1000.0}, {40, 4900.0}};  // 100 us more for each cylinder
  drive.rpm = 6000;
  drive.head_switch_us = 500;
  drive.write_settle_us = 200;
  return drive;
}

constexpr Picoseconds kTurn = 10'000 * kPicosecondsPerMicrosecond;

void expect_time(Picoseconds found, double us) {
  EXPECT_NEAR(static_cast<double>(found) / kPicosecondsPerMicrosecond, us, 0.01);
}

TEST(ModernDrives, AccessesCrossTracksHeadsAndBandsWithTheirSkews) {
  const AccessPlanner planner(banded_drive());
  expect_time(planner.resolve(Lba(0), 64, false).media, 10'000);
  expect_time(planner.resolve(Lba(0), 128, false).media, 21'250);
  expect_time(planner.resolve(Lba(7 * 64), 128, false).media, 22'500);  // head 0 to head 1 at cylinder 7
  const Extent turn = planner.resolve(Lba(15 * 64), 128, false);        // head 1, cylinder 0 to cylinder 8
  expect_time(turn.media, 23'750);
  EXPECT_EQ(turn.cylinder, Cylinder(0));
  EXPECT_EQ(turn.end_cylinder, Cylinder(8));
  EXPECT_EQ(turn.head, Head(1));
  EXPECT_EQ(turn.end_head, Head(1));
}

TEST(ModernDrives, AHeadSwitchOfMisalignedSurfacesIsASeek) {
  DriveProfile drive = banded_drive();
  drive.geometry.surface_shifts_tracks = {0, 20};
  const AccessPlanner planner(drive);
  Picoseconds seek = 0;
  Picoseconds settle = 0;
  const Extent a = planner.resolve(Lba(7 * 64), 1, false);
  const Extent b = planner.resolve(Lba(8 * 64), 1, false);
  EXPECT_EQ(planner.geometry().to_physical(Lba(7 * 64)).cylinder, planner.geometry().to_physical(Lba(8 * 64)).cylinder);
  planner.move(a.cylinder, a.head, b.cylinder, b.head, false, seek, settle);
  expect_time(seek, 2900);
  EXPECT_EQ(planner.geometry().cylinders(), 60u);
  expect_time(planner.resolve(Lba(7 * 64), 128, false).media, 10'000 + 10'000 + 12'500);  // too late: it waits a turn
}

TEST(ModernDrives, AWriteOfAPartOfAPhysicalSectorTakesATurn) {
  DriveProfile drive = banded_drive();
  drive.geometry.physical_sector_bytes = 4096;
  const AccessPlanner planner(drive);
  EXPECT_EQ(planner.geometry().blocks_per_physical_sector(), 8u);
  const double sector = 10'000.0 / 64;
  // Whole ones, and reads, take the time of their blocks.
  expect_time(planner.resolve(Lba(8), 16, true).media, 16 * sector);
  expect_time(planner.resolve(Lba(9), 3, false).media, 3 * sector);
  // A part: from the physical sector's start, a turn for the read, then all of the physical sector is written.
  const Extent part = planner.resolve(Lba(9), 3, true);
  expect_time(part.media, 10'000 + 8 * sector);
  EXPECT_EQ(part.start_angle, planner.geometry().angle_of({Cylinder(0), Head(0), core::SectorIndex(8)}));
  EXPECT_EQ(part.end_angle, planner.geometry().angle_of({Cylinder(0), Head(0), core::SectorIndex(16)}));
  EXPECT_EQ(part.blocks, 3u);
  // Both ends of a write on one track are read in the same turn.
  expect_time(planner.resolve(Lba(9), 16, true).media, 10'000 + 24 * sector);
  // On two tracks each takes a turn; the skew to the second track is 1/8 turn.
  expect_time(planner.resolve(Lba(60), 8, true).media, (10'000 + 8 * sector) + 1250 + (10'000 + 8 * sector));
  expect_time(planner.resolve(Lba(56), 12, true).media, 8 * sector + 1250 + (10'000 + 8 * sector));
  // Data that comes late is waited for at the second pass only.
  DriveProfile slow = drive;
  slow.bus_write_block_us = 1000;
  expect_time(AccessPlanner(slow).resolve(Lba(9), 3, true).data_lead, 0);
}

TEST(ModernDrives, BlocksOfAReadModifyWriteAreOnTheMediaInTheSecondTurn) {
  DriveProfile drive = banded_drive();
  drive.geometry.physical_sector_bytes = 4096;
  const AccessPlanner planner(drive);
  const double sector = 10'000.0 / 64;
  const Extent extent = planner.resolve(Lba(8), 12, true);  // the second physical sector is written in part
  expect_time(planner.written_after(extent, 0, 8), 10'000 + 8 * sector);
  expect_time(planner.written_after(extent, 0, 12), 10'000 + 16 * sector);
  const Extent whole = planner.resolve(Lba(8), 16, true);
  expect_time(planner.written_after(whole, 0, 8), 8 * sector);
  expect_time(planner.written_after(whole, 0, 3), 3 * sector);
}

TEST(ModernDrives, ZeroLatencyDoesNotSplitAReadModifyWrite) {
  DriveProfile drive = banded_drive();
  drive.geometry.physical_sector_bytes = 4096;
  drive.zero_latency_write = true;
  const AccessPlanner planner(drive);
  const Extent part = planner.resolve(Lba(1), 40, true);
  EXPECT_EQ(planner.least_wait_replaced(part), 0);
  for (int i = 0; i < 64; ++i) {
    const AccessTime time = planner.estimate({Cylinder(0), Head(0)}, part, i * kTurn / 64);
    EXPECT_EQ(time.media, part.media);
    EXPECT_EQ(time.early, 0);
  }
}

TEST(ModernDrives, WritesMayHaveASeekCurveOfTheirOwn) {
  DriveProfile drive = banded_drive();
  drive.write_settle_us = 0;
  drive.seek.write_points_us = {{1, 1300.0}, {11, 2000.0}, {40, 8000.0}};
  const AccessPlanner planner(drive);
  const auto move = [&](std::uint32_t distance, bool write) {
    Picoseconds seek = 0;
    Picoseconds settle = 0;
    planner.move(Cylinder(0), Head(0), Cylinder(distance), Head(0), write, seek, settle);
    return seek + settle;
  };
  expect_time(move(1, false), 1000);
  expect_time(move(1, true), 1300);
  expect_time(move(11, false), 2000);
  expect_time(move(11, true), 2000);
  expect_time(move(6, true), 1650);
  expect_time(move(39, true), 2000 + 6000.0 * 28 / 29);
  expect_time(planner.most_write_settle(), 2000 + 6000.0 * 28 / 29 - 4800);
  EXPECT_GE(planner.longest_hop(), move(39, true) + 2 * kTurn);
  Picoseconds seek = 0;
  Picoseconds settle = 0;
  planner.move(Cylinder(3), Head(0), Cylinder(3), Head(1), true, seek, settle);
  expect_time(seek + settle, 500);
}

}  // namespace
}  // namespace platter::mechanics
