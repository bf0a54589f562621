// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "platter/core/types.h"
#include "platter/profile/drive_profile.h"

namespace platter::mechanics {

using core::Angle;
using core::Cylinder;
using core::Head;
using core::Lba;
using core::SectorIndex;

/// The physical place of a sector.
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
  std::uint32_t sector;         ///< the first one, on its track
  std::uint32_t blocks;         ///< logical blocks covered
  std::uint32_t sectors;        ///< physical sectors passed: the blocks and the slipped ones between them
  std::uint32_t track_sectors;  ///< sectors of the whole track
  Angle start_angle;            ///< where the first sector starts
  Angle end_angle;              ///< where the last sector ends
  bool full_turn;               ///< the run is a whole track: start and end angle are equal
};

/// Layout of the logical blocks: zones, skews, spare sectors, slips and remapped sectors. The mapping from block number to place and the
/// mapping back are exact inverses over the whole drive.
///
/// Angle of a sector: zone offset + track skew * (h + (S - 1) c) + cylinder skew * c + range skew * floor(c / range) + sector + slips
/// before it, all in sectors of the zone, for head order h and zone cylinder c on a drive with S surfaces. Slips count only where spares
/// are kept for each cylinder or track, and only those of earlier cylinders or tracks (the convention of DiskSim 4.0's layout, diskmodel
/// reference, "G1 layout").
class Geometry {
 public:
  /// Throws std::invalid_argument where zones overlap, or slips exceed the spares they use.
  explicit Geometry(const profile::GeometryProfile& profile);

  std::uint64_t block_count() const { return block_count_; }
  std::uint32_t sector_bytes() const { return sector_bytes_; }
  std::uint64_t capacity_bytes() const { return block_count_ * sector_bytes_; }
  std::uint32_t cylinders() const { return cylinders_; }
  std::uint32_t surfaces() const { return surfaces_; }
  std::size_t zone_count() const { return zones_.size(); }

  /// Index of the zone that holds a block. Precondition: block < block_count().
  std::size_t zone_of(Lba block) const;
  PhysicalAddress to_physical(Lba block) const;
  /// Which track of its cylinder holds a block, in the order of the mapping. Precondition as above.
  std::uint32_t order_of(Lba block) const { return locate(block.value).order; }
  /// Nothing for a place that holds no logical block (a spare or slipped sector, or outside the zones).
  std::optional<Lba> to_logical(const PhysicalAddress& place) const;

  /// Angle at which a sector starts. Precondition: a zone holds its cylinder.
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
    std::uint32_t sectors;       ///< physical
    std::uint32_t front;         ///< usable sectors at the front that hold no block
    std::uint32_t unit_sectors;  ///< physical sectors of a spare unit
    std::uint32_t unit_blocks;   ///< usable sectors of a unit; with slips inside their unit, those that hold blocks
    std::uint64_t offset;        ///< this and the skews in 2^-64 of a turn
    std::uint64_t track_skew;
    std::uint64_t cylinder_skew;
    std::uint64_t range_skew;
    std::vector<std::uint32_t> slips;        ///< physical, ascending
    std::vector<std::uint32_t> slip_keys;    ///< number of the usable sector, slips not subtracted, from which slip j counts
    std::vector<std::uint32_t> unit_fronts;  ///< spares at the front: by unit, its first sector that is used
    std::vector<std::pair<std::uint32_t, std::uint32_t>> remaps;    ///< (sector, what holds its block), ascending
    std::vector<std::pair<std::uint32_t, std::uint32_t>> remapped;  ///< the other way round
  };
  struct Position {  ///< within a zone
    const Zone* zone;
    std::uint32_t physical;
    std::uint32_t cylinder;
    std::uint32_t order;  ///< head order
    std::uint32_t sector;
  };

  void lay_out(Zone& zone, const profile::ZoneProfile& profile, const std::string& where);
  const Zone& zone_of_block(std::uint64_t block) const;
  const Zone* zone_of_cylinder(std::uint32_t cylinder) const;
  /// The block of the zone that the layout puts on a physical sector, without remaps; none on a slip or a spare.
  std::optional<std::uint32_t> block_at(const Zone& zone, std::uint32_t physical) const;
  static std::uint32_t remap(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& table, std::uint32_t sector);
  /// Slips in [from, to).
  static std::uint32_t slips_between(const Zone& zone, std::uint32_t from, std::uint32_t to);
  /// The physical sector of a block of the zone, without remaps.
  std::uint32_t place_of(const Zone& zone, std::uint32_t in_zone) const;
  Position locate(std::uint64_t block) const;
  Position position(const Zone& zone, std::uint32_t physical) const;
  std::uint32_t head_of(const Zone& zone, std::uint32_t cylinder, std::uint32_t order) const;
  Angle track_angle(const Zone& zone, std::uint32_t cylinder, std::uint32_t order) const;
  static Angle sector_offset(const Zone& zone, std::uint32_t sector);

  std::uint32_t cylinders_;
  std::uint32_t surfaces_;
  std::uint32_t sector_bytes_;
  profile::Mapping mapping_;
  profile::SpareUnit spare_unit_;
  std::uint32_t range_cylinders_;
  bool spares_at_front_;
  bool slip_to_zone_end_;
  std::vector<std::uint64_t> head_offsets_;
  std::uint64_t block_count_ = 0;
  std::vector<Zone> zones_;
};

}  // namespace platter::mechanics
