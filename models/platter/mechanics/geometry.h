// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "platter/core/types.h"
#include "platter/mechanics/drive_profile.h"

namespace platter::mechanics {

using core::Angle;
using core::Cylinder;
using core::Head;
using core::Lba;
using core::SectorIndex;

/// Where a sector is.
struct PhysicalAddress {
  Cylinder cylinder;
  Head head;
  SectorIndex sector;

  friend bool operator==(const PhysicalAddress& a, const PhysicalAddress& b) {
    return a.cylinder == b.cylinder && a.head == b.head && a.sector == b.sector;
  }
};

/// Sectors that follow each other on one track without a gap.
struct TrackRun {
  Cylinder cylinder;
  Head head;
  std::uint32_t blocks;    ///< logical blocks covered
  std::uint32_t sectors;   ///< physical sectors passed: the blocks and the slipped ones between them
  Angle start_angle;       ///< where the first sector starts
  Angle end_angle;         ///< where the last sector ends
  bool full_turn;          ///< the run is a whole track: start and end angle are equal
};

/// Layout of the logical blocks: zones, skews, spare sectors and slips. Block number to place and back are
/// exact inverses over the whole drive.
///
/// Angle of a sector: zone offset + track skew * (h + (S - 1) c) + cylinder skew * c + sector, all in sectors of the
/// zone, for head order h and zone cylinder c on a drive with S surfaces (the convention of DiskSim 4.0's layout).
class Geometry {
 public:
  /// Throws std::invalid_argument where zones do not tile the cylinders, or slips exceed the spares they use.
  explicit Geometry(const GeometryProfile& profile);

  std::uint64_t block_count() const { return block_count_; }
  std::uint32_t sector_bytes() const { return sector_bytes_; }
  std::uint64_t capacity_bytes() const { return block_count_ * sector_bytes_; }
  std::uint32_t cylinders() const { return cylinders_; }
  std::uint32_t surfaces() const { return surfaces_; }
  std::size_t zone_count() const { return zones_.size(); }

  PhysicalAddress to_physical(Lba block) const;
  /// Nothing for a place that holds no logical block (a spare or slipped sector, or outside the drive).
  std::optional<Lba> to_logical(const PhysicalAddress& place) const;

  /// Angle at which a sector starts.
  Angle angle_of(const PhysicalAddress& place) const;

  /// The longest run from `first` on one track, of at most `blocks` blocks. Precondition: first < block_count().
  TrackRun track_run(Lba first, std::uint32_t blocks) const;

 private:
  struct Zone {
    std::uint64_t first_block;
    std::uint32_t blocks;
    std::uint32_t first_cylinder;
    std::uint32_t cylinders;
    std::uint32_t sectors_per_track;
    std::uint64_t offset;  ///< this and the skews in 2^-64 of a turn
    std::uint64_t track_skew;
    std::uint64_t cylinder_skew;
    std::vector<std::uint32_t> slips;      ///< physical, ascending
    std::vector<std::uint32_t> slip_keys;  ///< slips[j] - j: the block from which slip j counts
  };
  struct Position {  ///< within a zone
    const Zone* zone;
    std::uint32_t physical;
    std::uint32_t cylinder;
    std::uint32_t order;  ///< head order
    std::uint32_t sector;
  };

  const Zone& zone_of_block(std::uint64_t block) const;
  const Zone* zone_of_cylinder(std::uint32_t cylinder) const;
  Position locate(std::uint64_t block) const;
  std::uint32_t head_of(const Zone& zone, std::uint32_t cylinder, std::uint32_t order) const;
  Angle track_angle(const Zone& zone, std::uint32_t cylinder, std::uint32_t order) const;
  static Angle sector_offset(const Zone& zone, std::uint32_t sector);

  std::uint32_t cylinders_;
  std::uint32_t surfaces_;
  std::uint32_t sector_bytes_;
  Mapping mapping_;
  std::uint64_t block_count_ = 0;
  std::vector<Zone> zones_;
};

}  // namespace platter::mechanics
