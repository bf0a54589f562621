// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platter/mechanics/access_planner.h"
#include "platter/scheduling/free_space_if.h"

namespace platter::eager {

using core::Angle;
using core::Cylinder;
using core::Head;
using core::Lba;
using core::Picoseconds;

using Block = core::Strong<std::uint32_t, struct BlockMarker>;  ///< logical block, as the host counts them
using scheduling::Place;                                        ///< physical block, by cylinder, then head, then angle

/// The physical blocks of a drive. Each lies on one track, its sectors in a row; what is left of a track is not used, and of a track
/// with slipped or remapped sectors the longest row without one is.
class BlockLayout {
 public:
  struct Track {
    std::uint32_t first_place = 0;
    std::uint32_t places = 0;
    std::uint32_t first_sector = 0;  ///< of the first place
    std::uint32_t sectors = 0;       ///< of the whole track
    Angle angle = 0;                 ///< of the track's sector 0
    Lba first;                       ///< of the first place
  };

  /// Why no drive of this geometry has blocks of this size; empty if one may. Slips and remaps are not looked at.
  static std::string objection(const mechanics::Geometry& geometry, std::uint32_t block_bytes);

  /// Throws std::invalid_argument with that objection, or where no track holds a block.
  BlockLayout(const mechanics::AccessPlanner& planner, std::uint32_t block_bytes);

  std::uint32_t places() const { return places_; }
  std::uint32_t sectors_per_block() const { return sectors_per_block_; }
  std::uint32_t cylinders() const { return static_cast<std::uint32_t>(tracks_.size() / surfaces_); }
  std::uint32_t surfaces() const { return surfaces_; }

  std::size_t track_index(Cylinder cylinder, Head head) const { return std::size_t{cylinder.value} * surfaces_ + head.value; }
  const Track& track(std::size_t index) const { return tracks_[index]; }
  /// Precondition: place < places().
  std::size_t track_of(Place place) const;
  /// First sector of a place.
  Lba first_sector(Place place) const {
    const Track& on = tracks_[track_of(place)];
    return Lba(on.first.value + std::uint64_t{place.value - on.first_place} * sectors_per_block_);
  }
  /// The place of which `sector` is the first. Precondition: there is one.
  Place place_at(Lba sector) const;

  /// Where block `index` of a track starts and ends; the same phases as AccessPlanner's.
  Picoseconds start_phase(const Track& track, std::uint32_t index) const {
    return phase(track, track.first_sector + index * sectors_per_block_);
  }
  Picoseconds end_phase(const Track& track, std::uint32_t index) const {
    return phase(track, track.first_sector + (index + 1) * sectors_per_block_);
  }
  /// The block of a track with places that comes first at or after a phase.
  std::uint32_t index_after(const Track& track, Picoseconds arrival) const;

 private:
  Picoseconds phase(const Track& track, std::uint32_t sector) const {
    return planner_.rotation().phase_of(track.angle + static_cast<Angle>((std::uint64_t{sector} << 32) / track.sectors));
  }
  void add(const mechanics::TrackRun& run, Lba first);

  static constexpr std::uint32_t kStride = 32;

  const mechanics::AccessPlanner& planner_;
  std::uint32_t surfaces_;
  std::uint32_t sectors_per_block_;
  std::uint32_t places_ = 0;
  std::vector<Track> tracks_;            ///< by cylinder, then head
  std::vector<std::uint32_t> track_at_;  ///< of every `kStride`-th place
};

}  // namespace platter::eager
