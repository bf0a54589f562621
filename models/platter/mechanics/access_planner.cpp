// SPDX-License-Identifier: Apache-2.0
#include "platter/mechanics/access_planner.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace platter::mechanics {

namespace {

constexpr std::uint32_t kNoLimit = ~std::uint32_t{0};

Picoseconds microseconds(double time) { return core::to_picoseconds(time, core::kPicosecondsPerMicrosecond); }

/// Bus times of a drive that releases the bus when it has nothing to send, or no room.
struct Reconnection {
  Picoseconds block_time;
  Picoseconds begin;  ///< to get the bus again
  Picoseconds leave;
};

/// A read of `blocks` blocks that releases the bus in between. It requests the bus when `watermark` blocks, or all that are left, wait.
class LeavingRead {
 public:
  LeavingRead(const Reconnection& bus, std::uint32_t watermark, std::uint32_t blocks)
      : bus_(bus), watermark_(watermark), left_(blocks) {}

  /// The next block is in the buffer. Calls are in ascending order of time.
  void arrived(Picoseconds at) {
    --left_;
    if (connected_ && at > free_) {
      connected_ = false;
      free_ += bus_.leave;
    }
    if (connected_) {
      free_ += bus_.block_time;
    } else if (++waiting_ >= watermark_ || left_ == 0) {
      free_ = std::max(free_, at) + bus_.begin + bus_.block_time * Picoseconds{waiting_};
      waiting_ = 0;
      connected_ = true;
    }
  }
  /// When all blocks that have arrived have left.
  Picoseconds done() const { return free_; }

 private:
  Reconnection bus_;
  std::uint32_t watermark_;
  std::uint32_t left_;
  std::uint32_t waiting_ = 0;
  bool connected_ = false;
  Picoseconds free_ = 0;  ///< connected: when the blocks that are there have left; else: when the bus may be requested
};

/// A write larger than its segment, which is full when the first sector comes. It requests the bus when `low` blocks are left in the segment.
class LeavingWrite {
 public:
  LeavingWrite(const Reconnection& bus, std::uint32_t segment, std::uint32_t low, std::uint32_t blocks)
      : bus_(bus), segment_(segment), low_(low), blocks_(blocks), sent_(std::min(segment, blocks)) {}

  /// The next block's sector comes at `start` and again after every `period`. Returns when it can first be written.
  Picoseconds begins(Picoseconds start, Picoseconds period) {
    run_until(start);
    if (sent_ > written_ + 1) return start;
    const Picoseconds in = sent_ > written_ ? in_ : free_ + bus_.block_time;
    if (in <= start) return start;
    return start + (in - start + period - 1) / period * period;
  }
  /// The block has been written.
  void written(Picoseconds end) {
    run_until(end);
    ++written_;
    if (connected_ || sent_ == blocks_ || sent_ - written_ > low_) return;
    free_ = std::max(free_, end) + bus_.begin;
    connected_ = true;
  }

 private:
  void run_until(Picoseconds time) {
    while (connected_ && free_ <= time && sent_ < blocks_) {
      if (sent_ - written_ < segment_) {
        ++sent_;
        in_ = free_ += bus_.block_time;
      } else {
        connected_ = false;
        free_ += bus_.leave;
      }
    }
  }

  Reconnection bus_;
  std::uint32_t segment_;
  std::uint32_t low_;
  std::uint32_t blocks_;
  std::uint32_t sent_;  ///< blocks in the buffer, the one on the bus included
  std::uint32_t written_ = 0;
  bool connected_ = false;
  Picoseconds in_ = 0;    ///< when the last block sent is in the buffer
  Picoseconds free_ = 0;  ///< connected: when the next block may begin; else: when the bus may be requested
};

}  // namespace

AccessPlanner::AccessPlanner(const profile::DriveProfile& profile, double guard_quantile)
    : geometry_(profile.geometry),
      seek_curve_(profile.seek, geometry_.cylinders(), std::max(profile.same_track_us, profile.same_track_write_us)),
      rotation_(Rotation::from_rpm(profile.rpm)),
      spread_(profile, guard_quantile),
      head_switch_(microseconds(profile.head_switch_us)),
      write_settle_(microseconds(profile.write_settle_us)),
      most_write_settle_(write_settle_),
      bus_block_time_{microseconds(profile.bus_read_block_us), microseconds(profile.bus_write_block_us)},
      same_track_{microseconds(profile.same_track_us), microseconds(profile.same_track_write_us)},
      overhead_overlap_(profile.overhead_overlap),
      zero_latency_{profile.zero_latency_read, profile.zero_latency_write},
      bus_read_watermark_(profile.bus_read_watermark),
      bus_begin_(microseconds(profile.bus_reselect_us + profile.bus_preparation_us)),
      bus_leave_{microseconds(profile.bus_read_disconnect_us), microseconds(profile.bus_write_disconnect_us)},
      bus_hold_read_(profile.bus_hold_read || profile.bus_never_disconnect),
      bus_never_disconnect_(profile.bus_never_disconnect),
      read_leaves_bus_(!bus_hold_read_ && (bus_begin_ > 0 || bus_leave_[0] > 0 || bus_read_watermark_ > 0)),
      write_segment_blocks_(profile.bus_hold_write || profile.bus_never_disconnect || profile.cache.segment_blocks == 0
                                ? kNoLimit
                                : profile.cache.segment_blocks),
      write_low_blocks_(
          std::max(1u, static_cast<std::uint32_t>(profile.bus_write_low_watermark * profile.cache.segment_blocks))),
      bus_overlap_(profile.bus_overlap) {
  if (bus_never_disconnect_ && profile.queue_depth != 1)
    throw std::invalid_argument("with bus.never_disconnect a command waits for the one before it: queue.depth is " +
                                std::to_string(profile.queue_depth) + ", expected 1");
  for (std::size_t last = 0; last < 2; ++last) {
    command_overhead_[0][last] = microseconds(profile.overhead.read_miss_us[last]);
    command_overhead_[1][last] = microseconds(profile.overhead.write_us[last]);
    read_hit_overhead_[last] = microseconds(profile.overhead.read_hit_us[last]);
  }
  if (!profile.seek.write_points_us.empty()) {
    const SeekCurve writes = SeekCurve::of_writes(profile.seek, geometry_.cylinders());
    write_settles_.assign(geometry_.cylinders(), 0);
    for (std::uint32_t distance = 1; distance < geometry_.cylinders(); ++distance) {
      const Picoseconds settle = writes(distance) - seek_curve_(distance);
      if (std::abs(settle) > 2 * core::kPicosecondsPerSecond)
        throw std::invalid_argument("seek.write_points_us and seek.points_us differ by more than 2 s at " +
                                    std::to_string(distance) + " cylinders");
      write_settles_[distance] = static_cast<std::int32_t>(settle / core::kPicosecondsPerNanosecond);
      most_write_settle_ = std::max(most_write_settle_, settle);
    }
  }
  // Bound of the longest request, of 4 GiB: a seek and two turns for each track, and each sector over the bus. Sums of it over a queue must fit.
  const Picoseconds hop = std::max(head_switch_, seek_curve_(std::min(1u, geometry_.cylinders() - 1)));
  const double blocks = std::min(static_cast<double>(geometry_.block_count()), 0x1p32 / profile.geometry.sector_bytes);
  const auto tracks = static_cast<double>(geometry_.layout().most_runs(static_cast<std::uint64_t>(blocks)));
  const Picoseconds turns = geometry_.blocks_per_physical_sector() > 1 ? 3 : 2;
  double longest = tracks * static_cast<double>(hop + turns * rotation_.period()) +
                   blocks * static_cast<double>(std::max(bus_block_time_[0], bus_block_time_[1]));
  if (read_leaves_bus_) longest += blocks * static_cast<double>(bus_begin_ + bus_leave_[0]);
  if (write_segment_blocks_ != kNoLimit) {
    // A sector that waits for its block waits whole turns. In each of these turns the bus brings `brought` more blocks.
    const auto again = static_cast<double>(bus_begin_ + bus_leave_[1]);
    const auto turn = static_cast<double>(rotation_.period());
    const auto block_time = static_cast<double>(std::max<Picoseconds>(1, bus_block_time_[1]));
    const double brought = std::min<double>(write_segment_blocks_, std::max(1.0, (turn - again) / block_time));
    longest += blocks * block_time + (blocks / brought + 1) * (again + turn);
  }
  constexpr double kLongestAccess = 1e5 * static_cast<double>(core::kPicosecondsPerSecond);
  if (longest > kLongestAccess)
    throw std::invalid_argument("the longest request, of 4 GiB or the whole drive, would take " +
                                std::to_string(longest * 1e-12) + " s, expected at most " +
                                std::to_string(kLongestAccess * 1e-12));
  if (profile.cache.segments == 0 || overhead_overlap_) return;
  for (std::size_t write = 0; write < 2; ++write) {
    const auto& overhead = command_overhead_[write];
    for (std::size_t last = 0; last < 2; ++last)
      more_overhead_[write][last] = std::max(overhead[0], overhead[1]) - overhead[last];
  }
}

Picoseconds AccessPlanner::longest_hop() const {
  Picoseconds move = std::max({head_switch_, same_track_[0], same_track_[1]});
  for (std::uint32_t distance = 1; distance < geometry_.cylinders(); ++distance) move = std::max(move, seek_curve_(distance));
  Picoseconds overhead = 0;
  for (const auto& of : command_overhead_) overhead = std::max({overhead, of[0], of[1]});
  const Picoseconds late = spread_.any() ? ArrivalSpread::kCut * spread_.largest() : 0;
  return overhead + move + late + std::max<Picoseconds>(most_write_settle_, 0) + 2 * rotation_.period();
}

Picoseconds AccessPlanner::deviation(const HeadState& head, const Extent& extent, const AccessTime& time) const {
  return spread_.deviation(distance(head.cylinder, extent.cylinder), extent.write,
                           time.overhead + time.seek - shortest_seek(time));
}

CommittedAccess AccessPlanner::commit(HeadState& head, const Extent& extent, Picoseconds now, Picoseconds data_ready,
                                      Picoseconds overhead_end, ArrivalDraws* draws) const {
  const AccessTime mean = estimate(head, extent, now, data_ready, overhead_end);
  head = end_of(extent);
  const Picoseconds late = draws != nullptr && spread_.any() ? draws->next(mean.deviation) : 0;
  if (late == 0) return {mean, 0, 0};
  // The lateness is part of the seek. What is earlier than a seek of no time is part of the overhead.
  AccessTime real;
  real.seek = std::max(mean.seek + late, shortest_seek(mean));
  real.overhead = mean.overhead + mean.seek + late - real.seek;
  real.settle = mean.settle;
  real.deviation = mean.deviation;
  plan_arrived(extent, rotation_.phase(now), data_ready - now, real);
  const Picoseconds turns = (real.to_first() - mean.to_first()) / rotation_.period();
  const Picoseconds behind = turns > 0 ? late - mean.leeway() - (turns - 1) * rotation_.period() : 0;
  return {real, static_cast<std::int32_t>(turns), behind};
}

Picoseconds AccessPlanner::expected(const AccessTime& access) const {
  const Picoseconds period = rotation_.period();
  const Picoseconds longest = access.deviation * ArrivalSpread::kCut;
  Picoseconds time = access.positioning();
  for (Picoseconds late = access.leeway(); late < longest; late += period)
    time += ArrivalSpread::share_beyond(late, access.deviation, period);
  // An access that waits for its data, or begins in the middle of its sectors, gains no turn.
  if (access.data_wait > 0 || access.early > 0) return time;
  for (Picoseconds early = period - access.rotation; early < longest; early += period)
    time -= ArrivalSpread::share_beyond(early, access.deviation, period);
  return std::max(time, access.overhead + access.seek + access.settle);  // the mean arrival; what is below is rounding
}

void AccessPlanner::take_as_they_come(const Extent& extent, Picoseconds arrival, AccessTime& time) const {
  const Picoseconds past = rotation_.wait(extent.start_phase, arrival);  // since the first sector began
  if (past == 0 || past >= extent.media) return;
  // The head arrives within sector k. It takes the sectors from the next one to the last, then from the first to the end of sector k.
  const Picoseconds sector = extent.media / extent.sectors;
  const Picoseconds skipped = past / sector + 1;
  const Picoseconds whole = skipped * sector;
  if (skipped >= extent.sectors) return;  // only the last sector is left, and it has begun: no gain
  time.rotation = whole - past;
  time.early = rotation_.period() - whole;
  time.transfer = time.media = rotation_.period();
  if (extent.write || extent.inside) return;
  // The bus sends in order. It begins with the first block, when that has come round. Block i (from 1) of the late blocks is there at
  // first_in + (i - 1) * sector. At most as many blocks are skipped as sectors.
  const Picoseconds first_in = time.early + sector;
  const Picoseconds late = std::min<Picoseconds>(skipped, extent.blocks);
  const Picoseconds early = extent.blocks - late;
  const Picoseconds block_time = bus_block_time_[0];
  Picoseconds finish;
  if (read_leaves_bus_) {
    LeavingRead transfer({block_time, bus_begin_, bus_leave_[0]}, watermark(extent.blocks), extent.blocks);
    for (Picoseconds block = 0; block < late; ++block) transfer.arrived(first_in + block * sector);
    for (Picoseconds block = 0; block < early; ++block) transfer.arrived(first_in + (late - 1) * sector);
    finish = transfer.done();
  } else {
    const Picoseconds wanted = extent.connected ? 1 : watermark(extent.blocks);
    const Picoseconds begins = std::max<Picoseconds>(1, std::min(late, wanted - early));
    finish = std::max(
        first_in + (begins - 1) * sector + (extent.connected ? 0 : bus_begin_) + block_time * Picoseconds{extent.blocks},
        first_in + (late - 1) * sector + block_time * (early + 1));
  }
  // Never later than in order from the first sector on.
  time.bus_finish = std::min(finish, time.early + extent.bus_finish);
  if (!bus_overlap_) time.transfer = std::max(time.transfer, time.bus_finish);
}

bool AccessPlanner::reads_first_on(TrackRun run, std::uint64_t first, std::uint32_t rest) const {
  if (rest > run.blocks) run = geometry_.track_run(Lba(first), rest);
  const std::uint32_t whole = geometry_.blocks_per_physical_sector();
  return run.sector % whole != 0 || (run.sector + run.sectors) % whole != 0;
}

TrackRun AccessPlanner::whole_physical_sectors(TrackRun run) const {
  const std::uint32_t whole = geometry_.blocks_per_physical_sector();
  const std::uint32_t before = run.sector % whole;
  const std::uint32_t after = (whole - (run.sector + run.sectors) % whole) % whole;
  run.start_angle -= sector_offset(before, run.track_sectors);
  run.end_angle += sector_offset(after, run.track_sectors);
  run.sector -= before;
  run.sectors += before + after;
  run.full_turn = run.sectors == run.track_sectors;
  return run;
}

Picoseconds AccessPlanner::written_after(const Extent& extent, std::uint32_t from, std::uint32_t blocks) const {
  return resolve_part(Lba(extent.first.value + from), blocks, extent.blocks - from, true, false).media;
}

Extent AccessPlanner::resolve_part(Lba first, std::uint32_t blocks, std::uint32_t rest, bool write, bool continues) const {
  Extent extent;
  extent.first = first;
  extent.blocks = blocks;
  extent.write = write;
  Picoseconds elapsed = 0;  // since the first sector came under the head
  Picoseconds phase = 0;    // where the last run ended
  // Block i (from 1) is in the buffer at t(i). Over a free bus the last block has left at the latest of t(i) + (blocks - i +
  // 1) * block time over all i, and of t(watermark) + blocks * block time. Within a run t is linear, so its ends decide.
  const Picoseconds block_time = bus_block_time_[write];
  extent.connected = !write && (bus_never_disconnect_ || (continues && bus_hold_read_));
  const std::uint32_t begins = extent.connected ? 1 : watermark(blocks);
  const Picoseconds bus_begin = extent.connected ? 0 : bus_begin_;
  Picoseconds bus_done = 0;
  // If the bus is released in between, each block is computed.
  const bool leaves = write ? blocks > write_segment_blocks_ : read_leaves_bus_;
  LeavingRead read({block_time, bus_begin_, bus_leave_[0]}, begins, blocks);
  LeavingWrite in_pieces({block_time, bus_begin_, bus_leave_[1]}, write_segment_blocks_, write_low_blocks_, blocks);
  const auto arrived = [&](std::uint32_t block, Picoseconds in, Picoseconds sector) {
    if (write) {
      if (block > write_segment_blocks_) return;
      extent.data_lead = std::max(extent.data_lead, block_time * Picoseconds{block} - (in - sector));
      return;
    }
    if (leaves) {
      read.arrived(in);
      bus_done = read.done();
      return;
    }
    bus_done = std::max(bus_done, in + block_time * Picoseconds{blocks - block + 1});
    if (block == begins) bus_done = std::max(bus_done, in + bus_begin + block_time * Picoseconds{blocks});
  };
  for (std::uint32_t done = 0; done < blocks;) {
    TrackRun run = geometry_.track_run(Lba(first.value + done), blocks - done);
    const bool reads_first =
        write && geometry_.blocks_per_physical_sector() > 1 && reads_first_on(run, first.value + done, rest - done);
    if (reads_first) run = whole_physical_sectors(run);
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
    if (reads_first) {
      elapsed += rotation_.period();
      ++extent.tracks;
    }
    if (run.blocks == run.sectors && !leaves) {
      const Picoseconds sector = duration / run.sectors;
      arrived(done + 1, elapsed + sector, sector);
      if (begins > done + 1 && begins < done + run.blocks)
        arrived(begins, elapsed + duration * Picoseconds{begins - done} / run.sectors, sector);
      arrived(done + run.blocks, elapsed + duration, sector);
    } else {
      const bool gaps = run.blocks != run.sectors;  // of slipped sectors, or of a physical sector's other blocks
      const Picoseconds sector = duration / run.sectors;
      for (std::uint32_t i = 0; i < run.blocks; ++i) {
        const std::uint32_t passed =
            (gaps ? geometry_.to_physical(Lba(first.value + done + i)).sector.value - run.sector : i) + 1;
        Picoseconds in = elapsed + duration * Picoseconds{passed} / run.sectors;
        if (write && leaves) {  // a sector whose data is not there is written in a later turn
          const Picoseconds late = in_pieces.begins(in - sector, rotation_.period()) - (in - sector);
          elapsed += late;
          in += late;
          in_pieces.written(in);
        }
        arrived(done + i + 1, in, sector);
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
