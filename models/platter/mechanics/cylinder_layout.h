// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "platter/mechanics/layout.h"
#include "platter/profile/drive_profile.h"

namespace platter::mechanics {

/// The layout by cylinders (DiskSim's "G1"): zones, skews, spare sectors, slips and remapped sectors.
///
/// Angle of a sector: zone offset + track skew * (h + (S - 1) c) + cylinder skew * c + range skew * floor(c / range) + sector + slips before it, all
/// in sectors of the zone, for head order h and zone cylinder c on a drive with S surfaces. Slips count only where spares are kept for each cylinder
/// or track, and only those of earlier cylinders or tracks (the convention of DiskSim 4.0's layout, diskmodel reference, "G1 layout").
class CylinderLayout : public Layout {
 public:
  /// Throws LayoutError where zones overlap, or slips exceed the spares they use.
  explicit CylinderLayout(const profile::GeometryProfile& profile);

  std::uint64_t block_count() const override { return block_count_; }
  std::size_t zone_count() const override { return zones_.size(); }
  ZoneSummary zone(std::size_t index) const override;
  std::size_t zone_of(Lba block) const override;
  PhysicalAddress to_physical(Lba block) const override;
  std::uint32_t order_of(Lba block) const override { return locate(block.value).order; }
  std::optional<Lba> to_logical(const PhysicalAddress& place) const override;
  Angle angle_of(const PhysicalAddress& place) const override;
  TrackRun track_run(Lba first, std::uint32_t blocks) const override;
  std::uint64_t most_runs(std::uint64_t blocks) const override {
    return std::min(blocks, std::uint64_t{cylinders_} * surfaces_);
  }

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

  void lay_out(Zone& zone, const profile::ZoneProfile& profile, std::uint32_t whole, const std::string& where);
  profile::ZoneProfile with_places(const profile::GeometryProfile& profile, std::size_t index) const;
  void limit_to(std::int64_t blocks);
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

  std::uint32_t cylinders_;
  std::uint32_t surfaces_;
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
