// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "platter/mechanics/layout.h"
#include "platter/profile/drive_profile.h"

namespace platter::mechanics {

/// The share of one actuator of a drive with several: its surfaces, and the blocks on them. The result is a drive of its own, with one
/// actuator. Throws LayoutError if the surfaces, the blocks or the lists by surface cannot be divided.
profile::GeometryProfile share_of(const profile::GeometryProfile& profile, std::uint32_t actuator);

/// The layout of a drive with several actuators. Each actuator has its own surfaces with a layout of their own, and the layouts follow one
/// another in the order of the blocks: the first actuator has the first blocks and the first surfaces. A run ends at the end of its layout.
class ActuatorLayout : public Layout {
 public:
  using Make = std::shared_ptr<const Layout> (*)(const profile::GeometryProfile& profile);
  /// `make`: makes the layout of one actuator. Throws LayoutError as `share_of` and `make` do.
  ActuatorLayout(const profile::GeometryProfile& profile, Make make);

  std::uint64_t block_count() const override { return share_ * parts_.size(); }
  std::size_t zone_count() const override { return zones_ * parts_.size(); }
  ZoneSummary zone(std::size_t index) const override;
  std::size_t zone_of(Lba block) const override {
    return part_of(block) * zones_ + parts_[part_of(block)]->zone_of(within(block));
  }
  PhysicalAddress to_physical(Lba block) const override;
  std::uint32_t order_of(Lba block) const override { return parts_[part_of(block)]->order_of(within(block)); }
  std::optional<Lba> to_logical(const PhysicalAddress& place) const override;
  Angle angle_of(const PhysicalAddress& place) const override;
  TrackRun track_run(Lba first, std::uint32_t blocks) const override;
  std::uint64_t most_runs(std::uint64_t blocks) const override { return parts_.front()->most_runs(blocks) + 1; }

 private:
  std::size_t part_of(Lba block) const { return static_cast<std::size_t>(block.value / share_); }
  Lba within(Lba block) const { return Lba(block.value % share_); }

  std::uint32_t surfaces_;  ///< of an actuator
  std::vector<std::shared_ptr<const Layout>> parts_;
  std::uint64_t share_;  ///< blocks of an actuator
  std::size_t zones_;    ///< of an actuator
};

}  // namespace platter::mechanics
