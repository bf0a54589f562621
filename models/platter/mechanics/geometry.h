// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "platter/mechanics/layout.h"
#include "platter/profile/drive_profile.h"

namespace platter::mechanics {

/// A drive's cylinders and surfaces, and where its blocks are: the layout that the profile asks for, made once.
///
/// Cylinders of a layout are counted on each surface. Surfaces may be misaligned (`surface_shifts_tracks`): then the arm has to move by a
/// few tracks to bring another head onto the same cylinder. `TrackRun` and all that follows from it hold the position of the arm, so every
/// distance between two of them is one that the arm travels. `PhysicalAddress` holds the cylinder of the layout.
class Geometry {
 public:
  /// Throws LayoutError for a profile that describes no layout.
  explicit Geometry(const profile::GeometryProfile& profile);

  std::uint64_t block_count() const { return layout_->block_count(); }  ///< blocks of the media; a block is a logical sector
  std::uint32_t sector_bytes() const { return sector_bytes_; }          ///< bytes of a block
  std::uint64_t capacity_bytes() const { return block_count() * sector_bytes_; }  ///< bytes of all blocks
  /// Blocks of a physical sector, which is written as a whole.
  std::uint32_t blocks_per_physical_sector() const { return blocks_per_physical_sector_; }
  /// Positions of the arm.
  std::uint32_t cylinders() const { return cylinders_; }
  std::uint32_t surfaces() const { return surfaces_; }  ///< data surfaces, each with a head
  /// @cond of the implementation
  const Layout& layout() const { return *layout_; }
  /// @endcond
  /// Actuators, each with its own surfaces and its own range of blocks, all of the same size.
  std::uint32_t actuators() const { return actuators_; }
  std::uint64_t actuator_blocks() const { return actuator_blocks_; }  ///< blocks of an actuator
  /// The actuator that reaches a block.
  std::uint32_t actuator_of(Lba block) const {
    return actuators_ == 1 ? 0 : static_cast<std::uint32_t>(block.value / actuator_blocks_);
  }
  /// The first block behind those of an actuator.
  std::uint64_t actuator_end(std::uint32_t actuator) const { return (actuator + 1) * actuator_blocks_; }
  std::uint32_t actuator_surfaces() const { return surfaces_ / actuators_; }  ///< surfaces of an actuator

  /// @cond of the implementation, as Layout's
  std::size_t zone_count() const { return layout_->zone_count(); }
  ZoneSummary zone(std::size_t index) const { return layout_->zone(index); }
  std::size_t zone_of(Lba block) const { return layout_->zone_of(block); }
  PhysicalAddress to_physical(Lba block) const { return layout_->to_physical(block); }
  std::uint32_t order_of(Lba block) const { return layout_->order_of(block); }
  std::optional<Lba> to_logical(const PhysicalAddress& place) const { return layout_->to_logical(place); }
  Angle angle_of(const PhysicalAddress& place) const { return layout_->angle_of(place); }
  TrackRun track_run(Lba first, std::uint32_t blocks) const {
    TrackRun run = layout_->track_run(first, blocks);
    if (!shifts_.empty()) run.cylinder.value += shifts_[run.head.value];
    return run;
  }
  /// @endcond
  /// Position of the arm when a head is on a cylinder of the layout.
  Cylinder arm_at(Cylinder cylinder, Head head) const {
    return shifts_.empty() ? cylinder : Cylinder(cylinder.value + shifts_[head.value]);
  }

 private:
  std::uint32_t cylinders_;
  std::uint32_t surfaces_;
  std::uint32_t sector_bytes_;
  std::uint32_t blocks_per_physical_sector_;
  std::vector<std::uint32_t> shifts_;  ///< by surface; the least is 0
  std::shared_ptr<const Layout> layout_;
  std::uint32_t actuators_;
  std::uint64_t actuator_blocks_;
};

}  // namespace platter::mechanics
