// SPDX-License-Identifier: Apache-2.0
#include "platter/mechanics/access_planner.h"

#include <algorithm>

namespace platter::mechanics {

namespace {

/// Blocks arrive in the buffer at a steady rate, with nothing between them, and leave over the bus one by one; returns
/// when the last has left. `done` is when the bus is free, `start` and `duration` those of the media transfer of the blocks.
Picoseconds drain(Picoseconds done, Picoseconds start, Picoseconds duration, std::uint32_t blocks,
                  Picoseconds block_time) {
  const Picoseconds first_in = start + duration / blocks;
  // Either the bus never runs dry after the first block, or the last block is the one it waits for.
  return std::max(std::max(done, first_in) + block_time * Picoseconds{blocks}, start + duration + block_time);
}

}  // namespace

AccessPlanner::AccessPlanner(const DriveProfile& profile)
    : geometry_(profile.geometry),
      seek_curve_(profile.seek, profile.geometry.cylinders),
      rotation_(Rotation::from_rpm(profile.rpm)),
      head_switch_(core::to_picoseconds(profile.head_switch_us, core::kPicosecondsPerMicrosecond)),
      write_settle_(core::to_picoseconds(profile.write_settle_us, core::kPicosecondsPerMicrosecond)),
      bus_block_time_(core::to_picoseconds(profile.bus_block_time_us, core::kPicosecondsPerMicrosecond)) {
  for (std::size_t write = 0; write < 2; ++write)
    for (std::size_t last = 0; last < 2; ++last)
      overhead_[write][last] =
          core::to_picoseconds(profile.overhead_us[write][last], core::kPicosecondsPerMicrosecond);
}

Extent AccessPlanner::resolve(Lba first, std::uint32_t blocks, bool write) const {
  Extent extent;
  extent.first = first;
  extent.blocks = blocks;
  extent.write = write;
  Picoseconds elapsed = 0;  // since the first sector came under the head
  Picoseconds phase = 0;    // where the last run ended
  Picoseconds bus_done = 0;
  for (std::uint32_t left = blocks; left > 0;) {
    const TrackRun run = geometry_.track_run(Lba(first.value + (blocks - left)), left);
    const Picoseconds start = rotation_.phase_of(run.start_angle);
    if (extent.tracks == 0) {
      extent.cylinder = run.cylinder;
      extent.head = run.head;
      extent.start_angle = run.start_angle;
      extent.start_phase = start;
    } else {
      Picoseconds seek = 0;
      Picoseconds settle = 0;
      move(extent.end_cylinder, extent.end_head, run.cylinder, run.head, write, seek, settle);
      elapsed += seek + settle;
      elapsed += rotation_.wait(rotation_.phase(phase + seek + settle), start);
    }
    const Picoseconds end = rotation_.phase_of(run.end_angle);
    const Picoseconds duration = run.full_turn ? rotation_.period() : rotation_.wait(start, end);
    if (run.blocks == run.sectors) {
      bus_done = drain(bus_done, elapsed, duration, run.blocks, bus_block_time_);
    } else {  // slipped sectors leave gaps
      const std::uint64_t base = first.value + (blocks - left);
      const std::uint32_t sector = geometry_.to_physical(Lba(base)).sector.value;
      for (std::uint32_t i = 0; i < run.blocks; ++i) {
        const std::uint32_t passed = geometry_.to_physical(Lba(base + i)).sector.value - sector + 1;
        bus_done = std::max(bus_done, elapsed + duration * Picoseconds{passed} / run.sectors) + bus_block_time_;
      }
    }
    elapsed += duration;
    phase = end;
    extent.end_cylinder = run.cylinder;
    extent.end_head = run.head;
    extent.end_angle = run.end_angle;
    extent.end_phase = end;
    ++extent.tracks;
    left -= run.blocks;
  }
  extent.transfer = elapsed;
  extent.bus_finish = bus_done;
  return extent;
}

}  // namespace platter::mechanics
