// SPDX-License-Identifier: Apache-2.0
#include "platter/mechanics/access_planner.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace platter::mechanics {

namespace {

Picoseconds microseconds(double time) { return core::to_picoseconds(time, core::kPicosecondsPerMicrosecond); }

}  // namespace

AccessPlanner::AccessPlanner(const DriveProfile& profile)
    : geometry_(profile.geometry),
      seek_curve_(profile.seek, profile.geometry.cylinders, std::max(profile.same_track_us, profile.same_track_write_us)),
      rotation_(Rotation::from_rpm(profile.rpm)),
      head_switch_(microseconds(profile.head_switch_us)),
      write_settle_(microseconds(profile.write_settle_us)),
      bus_block_time_{microseconds(profile.bus_read_block_us), microseconds(profile.bus_write_block_us)},
      same_track_{microseconds(profile.same_track_us), microseconds(profile.same_track_write_us)},
      overhead_overlap_(profile.overhead_overlap),
      zero_latency_{profile.zero_latency_read, profile.zero_latency_write},
      bus_read_watermark_(profile.bus_read_watermark),
      bus_begin_(microseconds(profile.bus_reselect_us + profile.bus_preparation_us)),
      bus_overlap_(profile.bus_overlap) {
  for (std::size_t last = 0; last < 2; ++last) {
    command_overhead_[0][last] = microseconds(profile.overhead.read_miss_us[last]);
    command_overhead_[1][last] = microseconds(profile.overhead.write_us[last]);
    read_hit_overhead_[last] = microseconds(profile.overhead.read_hit_us[last]);
  }
  // The longest request, of 4 GiB: each of its tracks a seek and two turns, each sector over the bus. Sums of it over a queue must fit.
  const Picoseconds hop = std::max(head_switch_, seek_curve_(std::min(1u, profile.geometry.cylinders - 1)));
  const double blocks = std::min(static_cast<double>(geometry_.block_count()), 0x1p32 / profile.geometry.sector_bytes);
  const double tracks = std::min(blocks, static_cast<double>(profile.geometry.cylinders) * profile.geometry.surfaces);
  const double longest = tracks * static_cast<double>(hop + 2 * rotation_.period()) +
                         blocks * static_cast<double>(std::max(bus_block_time_[0], bus_block_time_[1]));
  constexpr double kLongestAccess = 1e5 * static_cast<double>(core::kPicosecondsPerSecond);
  if (longest > kLongestAccess)
    throw std::invalid_argument("the longest request, of 4 GiB or the whole drive, would take " + std::to_string(longest * 1e-12) +
                                " s, expected at most " + std::to_string(kLongestAccess * 1e-12));
  if (profile.cache.segments == 0 || overhead_overlap_) return;
  for (std::size_t write = 0; write < 2; ++write) {
    const auto& overhead = command_overhead_[write];
    for (std::size_t last = 0; last < 2; ++last) more_overhead_[write][last] = std::max(overhead[0], overhead[1]) - overhead[last];
  }
}

void AccessPlanner::take_as_they_come(const Extent& extent, Picoseconds arrival, AccessTime& time) const {
  const Picoseconds past = rotation_.wait(extent.start_phase, arrival);  // since the first sector began
  if (past == 0 || past >= extent.media) return;
  // Under way in sector k: from the next one to the end, then round to the end of sector k.
  const Picoseconds sector = extent.media / extent.sectors;
  const Picoseconds skipped = past / sector + 1;
  const Picoseconds whole = skipped * sector;
  if (skipped >= extent.sectors) return;  // only the last one is left, and it has begun: as good as nothing
  time.rotation = whole - past;
  time.early = rotation_.period() - whole;
  time.transfer = time.media = rotation_.period();
  if (extent.write) return;
  // The bus sends in order: it begins with the first block, when that has come round, and block i (from 1) of those that came
  // late is there at first_in + (i - 1) * sector. Blocks skipped, at the most, are as many as sectors.
  const Picoseconds first_in = time.early + sector;
  const Picoseconds late = std::min<Picoseconds>(skipped, extent.blocks);
  const Picoseconds early = extent.blocks - late;
  const Picoseconds block_time = bus_block_time_[0];
  const Picoseconds begins = std::max<Picoseconds>(1, std::min(late, watermark(extent.blocks) - early));
  const Picoseconds finish =
      std::max(first_in + (begins - 1) * sector + bus_begin_ + block_time * Picoseconds{extent.blocks},
               first_in + (late - 1) * sector + block_time * (early + 1));
  // Never later than in order from the first sector on.
  time.bus_finish = std::min(finish, time.early + extent.bus_finish);
  if (!bus_overlap_) time.transfer = std::max(time.transfer, time.bus_finish);
}

Extent AccessPlanner::resolve(Lba first, std::uint32_t blocks, bool write) const {
  Extent extent;
  extent.first = first;
  extent.blocks = blocks;
  extent.write = write;
  Picoseconds elapsed = 0;  // since the first sector came under the head
  Picoseconds phase = 0;    // where the last run ended
  // Block i (from 1) is in the buffer at t(i). Over a free bus the last block has left at the latest of t(i) + (blocks - i +
  // 1) * block time over all i, and of t(watermark) + blocks * block time. Within a run t is linear, so its ends decide.
  const Picoseconds block_time = bus_block_time_[write];
  const std::uint32_t begins = watermark(blocks);
  Picoseconds bus_done = 0;
  const auto arrived = [&](std::uint32_t block, Picoseconds in, Picoseconds sector) {
    if (write) {
      extent.data_lead = std::max(extent.data_lead, block_time * Picoseconds{block} - (in - sector));
      return;
    }
    bus_done = std::max(bus_done, in + block_time * Picoseconds{blocks - block + 1});
    if (block == begins) bus_done = std::max(bus_done, in + bus_begin_ + block_time * Picoseconds{blocks});
  };
  for (std::uint32_t done = 0; done < blocks;) {
    const TrackRun run = geometry_.track_run(Lba(first.value + done), blocks - done);
    const Picoseconds start = rotation_.phase_of(run.start_angle);
    if (extent.tracks == 0) {
      extent.cylinder = run.cylinder;
      extent.head = run.head;
      extent.start_angle = run.start_angle;
      extent.start_phase = start;
      extent.start_sector = run.sector;
    } else if (run.cylinder != extent.end_cylinder || run.head != extent.end_head) {
      Picoseconds seek = 0;
      Picoseconds settle = 0;
      move(extent.end_cylinder, extent.end_head, run.cylinder, run.head, write, seek, settle);
      elapsed += seek + settle;
      elapsed += rotation_.wait(rotation_.phase(phase + seek + settle), start);
    } else {  // a remapped sector, or spares between two groups
      elapsed += rotation_.wait(phase, start);
    }
    const Picoseconds end = rotation_.phase_of(run.end_angle);
    const Picoseconds duration = run.full_turn ? rotation_.period() : rotation_.wait(start, end);
    if (run.blocks == run.sectors) {
      const Picoseconds sector = duration / run.sectors;
      arrived(done + 1, elapsed + sector, sector);
      if (begins > done + 1 && begins < done + run.blocks)
        arrived(begins, elapsed + duration * Picoseconds{begins - done} / run.sectors, sector);
      arrived(done + run.blocks, elapsed + duration, sector);
    } else {  // slipped sectors leave gaps
      const std::uint32_t sector = geometry_.to_physical(Lba(first.value + done)).sector.value;
      for (std::uint32_t i = 0; i < run.blocks; ++i) {
        const std::uint32_t passed = geometry_.to_physical(Lba(first.value + done + i)).sector.value - sector + 1;
        arrived(done + i + 1, elapsed + duration * Picoseconds{passed} / run.sectors, duration / run.sectors);
      }
    }
    elapsed += duration;
    phase = end;
    extent.end_cylinder = run.cylinder;
    extent.end_head = run.head;
    extent.end_angle = run.end_angle;
    extent.end_phase = end;
    extent.sectors += run.sectors;
    ++extent.tracks;
    done += run.blocks;
  }
  extent.media = elapsed;
  extent.transfer = elapsed;
  extent.bus_finish = bus_done;
  if (!bus_overlap_ && !write && bus_done > elapsed) {  // the spindle turns on while the arm waits for the bus
    extent.transfer = bus_done;
    extent.end_phase = rotation_.phase(phase + (bus_done - elapsed));
    extent.end_angle = rotation_.angle_at(extent.end_phase);
  }
  return extent;
}

}  // namespace platter::mechanics
