// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "platter/mapping/mapping_if.h"

namespace platter::mapping {

/// Maps every block to the sector of the same address.
class IdentityMapping : public MappingIf {
 public:
  explicit IdentityMapping(const mechanics::AccessPlanner& planner) : MappingIf(nullptr), planner_(planner) {}

  std::uint64_t capacity_sectors() const override { return planner_.geometry().block_count(); }
  std::uint32_t granule() const override { return 1; }
  /// The command's only access, or its part on the first actuator.
  Extent arrived(Walk& walk) const override {
    walk.sectors = walk.blocks;
    if (planner_.geometry().actuators() > 1) walk.sectors = of_one_actuator(walk.first, walk.blocks);
    return planner_.resolve(Lba(walk.first), walk.sectors, walk.write);
  }
  /// The part on the next actuator.
  Extent continued(Walk& walk) const override {
    walk.done += walk.sectors;
    walk.sectors = of_one_actuator(walk.first + walk.done, walk.blocks - walk.done);
    return planner_.resolve(Lba(walk.first + walk.done), walk.sectors, walk.write);
  }
  WriteTarget target(const Walk& walk) const override {
    const std::uint64_t address = (walk.first + walk.done) * planner_.geometry().sector_bytes();
    return {address, address, std::uint64_t{walk.sectors} * planner_.geometry().sector_bytes()};
  }
  void locate(std::uint64_t address, std::uint64_t length, const VisitPiece& visit) const override {
    visit(address, 0, length);
  }

 private:
  /// How many of these blocks belong to the actuator of the first one.
  std::uint32_t of_one_actuator(std::uint64_t first, std::uint32_t blocks) const {
    const mechanics::Geometry& geometry = planner_.geometry();
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(blocks, geometry.actuator_end(geometry.actuator_of(Lba(first))) - first));
  }

  const mechanics::AccessPlanner& planner_;
};

}  // namespace platter::mapping
