// SPDX-License-Identifier: Apache-2.0
#include "platter/mechanics/reach.h"

#include <gtest/gtest.h>

#include <cmath>

#include "platter/system/drives.h"

namespace platter::mechanics {
namespace {

TEST(Reach, RandomReadsTakeOverheadSeekHalfATurnAndTransfer) {
  for (const system::ShippedDrive& shipped : system::shipped_drives()) {
    profile::DriveProfile profile = system::load_drive(shipped.name);
    const AccessPlanner planner(profile);
    const Reach found = reach(planner);
    EXPECT_GT(found.sptf_per_s, 1.2 * found.fcfs_per_s) << shipped.name;
    EXPECT_GE(found.outer_bytes_per_s, 0.999 * found.inner_bytes_per_s) << shipped.name;
    // Bits of the media cannot come faster than the outermost track passes.
    const ZoneSummary outermost = planner.geometry().zone(0);
    EXPECT_LT(found.outer_bytes_per_s, outermost.most_sectors * planner.geometry().sector_bytes() * profile.rpm / 60)
        << shipped.name;
    // The parts of a mean access, each by its own formula.
    const double transfer_ms = 4096 / std::min(found.inner_bytes_per_s, found.bus_bytes_per_s) * 1e3;
    const double parts_ms =
        core::to_milliseconds(planner.command_overhead(false, false)) + found.mean_seek_ms + found.mean_rotation_ms;
    EXPECT_LT(1e3 / found.fcfs_per_s, 1.1 * (parts_ms + 2 * transfer_ms)) << shipped.name;
    EXPECT_GT(1e3 / found.fcfs_per_s, 0.85 * parts_ms) << shipped.name;
  }
}

TEST(Reach, AFasterSpindleAndASlowerBusShow) {
  profile::DriveProfile profile = system::load_drive("atlas10k");
  const Reach before = reach(AccessPlanner(profile));
  profile.rpm *= 2;
  const Reach fast = reach(AccessPlanner(profile));
  EXPECT_DOUBLE_EQ(fast.mean_rotation_ms, before.mean_rotation_ms / 2);
  EXPECT_GT(fast.outer_bytes_per_s, 1.2 * before.outer_bytes_per_s);
  EXPECT_GT(fast.fcfs_per_s, before.fcfs_per_s);
  EXPECT_EQ(fast.mean_seek_ms, before.mean_seek_ms);
}

TEST(Reach, ASpreadOfArrivalsCostsTurns) {
  profile::DriveProfile profile = system::load_drive("exos_x18_18tb");
  const Reach spread = reach(AccessPlanner(profile));
  profile.arrival_spread_us.clear();
  const Reach exact = reach(AccessPlanner(profile));
  EXPECT_LT(spread.sptf_per_s, 0.95 * exact.sptf_per_s);
  EXPECT_EQ(spread.outer_bytes_per_s, exact.outer_bytes_per_s);
}

TEST(Reach, TheSequentialRateIsOfEverySurface) {  // whose tracks differ in length
  const profile::DriveProfile profile = system::load_drive("exos_x18_18tb");
  const AccessPlanner planner(profile);
  const std::uint32_t whole = 20'000'000;  // blocks, more than the bands of all surfaces once
  const Extent extent = planner.resolve(core::Lba(0), whole, false);
  EXPECT_NEAR(reach(planner).outer_bytes_per_s, whole * 512e12 / static_cast<double>(extent.media), 5e5);
}

}  // namespace
}  // namespace platter::mechanics
