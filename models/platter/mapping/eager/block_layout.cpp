// SPDX-License-Identifier: Apache-2.0
#include "platter/mapping/eager/block_layout.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

namespace platter::eager {

namespace {

std::string count_objection(std::uint64_t blocks, std::uint32_t block_bytes) {
  if (blocks >= 1 && blocks < std::numeric_limits<std::uint32_t>::max()) return {};
  return "a drive of " + std::to_string(blocks) + " blocks of " + std::to_string(block_bytes) +
         " bytes, expected 1 to 2^32 - 2";
}

}  // namespace

std::string BlockLayout::objection(const mechanics::Geometry& geometry, std::uint32_t block_bytes) {
  const std::uint32_t sector = geometry.sector_bytes();
  const std::uint32_t whole = geometry.blocks_per_physical_sector() * sector;
  const auto wrong = [&](const std::string& expected) {
    return "a block of " + std::to_string(block_bytes) + " bytes, expected " + expected;
  };
  if (block_bytes % sector != 0 || block_bytes / sector < 2)
    return wrong("a multiple of the sector's " + std::to_string(sector) + ", two sectors at least");
  if (block_bytes % whole != 0) return wrong("a multiple of the physical sector's " + std::to_string(whole));
  std::uint32_t longest = 0;
  for (std::size_t i = 0; i < geometry.zone_count(); ++i) longest = std::max(longest, geometry.zone(i).most_sectors);
  if (block_bytes / sector > longest)
    return wrong("at most the " + std::to_string(std::uint64_t{longest} * sector) + " of the longest track");
  return count_objection(geometry.block_count() / (block_bytes / sector), block_bytes);
}

BlockLayout::BlockLayout(const mechanics::AccessPlanner& planner, std::uint32_t block_bytes)
    : planner_(planner),
      surfaces_(planner.geometry().surfaces()),
      sectors_per_block_(block_bytes / planner.geometry().sector_bytes()) {
  const mechanics::Geometry& geometry = planner.geometry();
  if (const std::string wrong = objection(geometry, block_bytes); !wrong.empty()) throw std::invalid_argument(wrong);
  tracks_.resize(std::size_t{geometry.cylinders()} * surfaces_);
  constexpr std::uint32_t kWholeTrack = 65535;
  for (std::uint64_t at = 0; at < geometry.block_count();) {
    const Lba first(at);
    const auto left = static_cast<std::uint32_t>(std::min<std::uint64_t>(kWholeTrack, geometry.block_count() - at));
    mechanics::TrackRun run = geometry.track_run(first, left);
    if (run.blocks != run.sectors) {  // up to the first slip
      std::uint32_t clean = 1;
      for (std::uint32_t beyond = run.blocks; beyond - clean > 1;) {
        const std::uint32_t middle = clean + (beyond - clean) / 2;
        (geometry.track_run(first, middle).sectors == middle ? clean : beyond) = middle;
      }
      run = geometry.track_run(first, clean);
    }
    add(run, first);
    at += run.blocks;
  }
  std::uint64_t places = 0;
  for (Track& track : tracks_) {
    track.first_place = static_cast<std::uint32_t>(places);
    places += track.places;
  }
  if (const std::string wrong = count_objection(places, block_bytes); !wrong.empty()) throw std::invalid_argument(wrong);
  places_ = static_cast<std::uint32_t>(places);
  track_at_.resize(places_ / kStride + 1);
  std::uint32_t on = 0;
  for (std::uint32_t i = 0; i < track_at_.size(); ++i) {
    while (on + 1 < tracks_.size() && tracks_[on + 1].first_place <= i * kStride) ++on;
    track_at_[i] = on;
  }
}

void BlockLayout::add(const mechanics::TrackRun& run, Lba first) {
  Track& track = tracks_[track_index(run.cylinder, run.head)];
  const std::uint32_t whole = planner_.geometry().blocks_per_physical_sector();
  const std::uint32_t cut = (whole - run.sector % whole) % whole;  // of a physical sector that has other blocks too
  const std::uint32_t places = (run.blocks - std::min(run.blocks, cut)) / sectors_per_block_;
  if (places <= track.places) return;
  track.places = places;
  track.first_sector = run.sector + cut;
  track.sectors = run.track_sectors;
  track.angle = run.start_angle - mechanics::sector_offset(run.sector, run.track_sectors);
  track.first = Lba(first.value + cut);
}

std::size_t BlockLayout::track_of(Place place) const {
  std::size_t track = track_at_[place.value / kStride];
  while (track + 1 < tracks_.size() && tracks_[track + 1].first_place <= place.value) ++track;
  return track;
}

Place BlockLayout::place_at(Lba sector) const {
  const mechanics::PhysicalAddress at = planner_.geometry().to_physical(sector);
  const Track& on = tracks_[track_index(planner_.geometry().arm_at(at.cylinder, at.head), at.head)];
  return Place(on.first_place + static_cast<std::uint32_t>(sector.value - on.first.value) / sectors_per_block_);
}

std::uint32_t BlockLayout::index_after(const Track& track, Picoseconds arrival) const {
  const mechanics::Rotation& rotation = planner_.rotation();
  // A little early, so that rounding cannot hide a block that starts at this very instant.
  constexpr Angle kEarly = 64;
  const Angle angle = rotation.angle_at(arrival) - track.angle;
  const Angle early = angle < kEarly ? 0 : angle - kEarly;
  const auto sector = static_cast<std::uint32_t>((std::uint64_t{early} * track.sectors + 0xFFFF'FFFFu) >> 32);
  std::uint32_t index = 0;
  if (sector > track.first_sector) index = (sector - track.first_sector + sectors_per_block_ - 1) / sectors_per_block_;
  if (index >= track.places) index = 0;
  const Picoseconds past = rotation.wait(start_phase(track, index), arrival);  // since it began
  if (past > 0 && past < rotation.period() / (2 * Picoseconds{track.sectors})) ++index;
  return index < track.places ? index : 0;
}

}  // namespace platter::eager
