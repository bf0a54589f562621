// SPDX-License-Identifier: Apache-2.0
#include "platter/drive/wait_reader.h"

#include <algorithm>

#include "platter/core/sc_time.h"

namespace platter::drive {

WaitReader::WaitReader(const mechanics::AccessPlanner& planner, Recovery& recovery, bool on)
    : planner_(planner), recovery_(recovery) {
  const mechanics::Geometry& geometry = planner.geometry();
  if (on) read_.resize(std::size_t{geometry.cylinders()} * geometry.surfaces());
}

WaitReader::Track WaitReader::track_of(core::Lba block) const {
  const mechanics::Geometry& geometry = planner_.geometry();
  Track track;
  track.place = geometry.to_physical(block);
  track.place.sector.value = 0;
  track.number = std::size_t{track.place.cylinder.value} * geometry.surfaces() + track.place.head.value;
  track.sectors = geometry.track_run(block, 1).track_sectors;
  return track;
}

std::uint64_t WaitReader::unread(const Track& track, Picoseconds from, Picoseconds time) const {
  const mechanics::Rotation& rotation = planner_.rotation();
  const auto period = static_cast<std::uint64_t>(rotation.period());
  const Picoseconds start = rotation.phase_of(planner_.geometry().angle_of(track.place));
  // Sectors are counted from the track's first one, on into its next turn.
  const auto since = static_cast<std::uint64_t>(rotation.wait(start, rotation.phase(from)));
  const auto until = since + static_cast<std::uint64_t>(std::min(time, rotation.period()));
  const std::uint64_t first = (since * track.sectors + period - 1) / period;
  const std::uint64_t end = until * track.sectors / period;
  std::uint64_t pieces = 0;
  for (std::uint32_t turn = 0; turn < 2; ++turn)
    for (std::uint32_t piece = 0; piece < kPieces; ++piece) {
      const std::uint64_t passed = std::uint64_t{turn} * track.sectors;
      if (passed + begin_of(track, piece) >= first && passed + begin_of(track, piece + 1) <= end)
        pieces |= std::uint64_t{1} << piece;
    }
  return pieces & ~read_[track.number];
}

std::uint32_t WaitReader::sectors_of(const Track& track, std::uint64_t pieces) {
  std::uint32_t sectors = 0;
  for (std::uint32_t piece = 0; piece < kPieces; ++piece)
    if ((pieces >> piece & 1) != 0) sectors += begin_of(track, piece + 1) - begin_of(track, piece);
  return sectors;
}

void WaitReader::access(const mechanics::HeadState& from, const mechanics::Extent& extent, Picoseconds leaves,
                        Picoseconds arrives, Picoseconds wait) {
  if (wait > 0) {
    const Track there = track_of(extent.first);
    const std::uint64_t on_arrival = unread(there, arrives, wait);
    bool stays = false;
    if (last_ && !planner_.arrival_spread().any()) {
      const mechanics::TrackRun run = planner_.geometry().track_run(*last_, 1);
      if (run.cylinder == from.cylinder && run.head == from.head) {
        const Track here = track_of(*last_);
        const std::uint64_t before = unread(here, leaves, wait);
        stays = sectors_of(here, before) > sectors_of(there, on_arrival);
        if (stays) read(here, before);
      }
    }
    if (!stays) read(there, on_arrival);
  }
  last_ = core::Lba(extent.first.value + extent.blocks - 1);
}

void WaitReader::read(const Track& track, std::uint64_t pieces) {
  if (pieces == 0) return;
  const mechanics::Geometry& geometry = planner_.geometry();
  read_[track.number] |= pieces;
  std::uint64_t blocks = 0;
  mechanics::PhysicalAddress place = track.place;
  for (std::uint32_t piece = 0; piece < kPieces; ++piece) {
    if ((pieces >> piece & 1) == 0) continue;
    for (place.sector.value = begin_of(track, piece); place.sector.value < begin_of(track, piece + 1); ++place.sector.value)
      if (const std::optional<core::Lba> block = geometry.to_logical(place)) {
        ++blocks;
        if (recovery_.on()) look_at(block->value);
      }
  }
  recovery_.faults().errors().wait_blocks += blocks;
  blocks_ += blocks;
  if (blocks_ < geometry.block_count()) return;
  std::fill(read_.begin(), read_.end(), 0);
  blocks_ = 0;
  ++rounds_;
}

void WaitReader::look_at(std::uint64_t block) {
  media::Faults& faults = recovery_.faults();
  if (faults.is_pending(block) || faults.spare_of(block)) return;
  if (recovery_.next_bad(block, block + 1, core::now_ps()) == block && faults.found(block)) ++faults.errors().scrub_errors;
}

}  // namespace platter::drive
