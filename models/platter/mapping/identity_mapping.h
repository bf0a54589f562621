// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/mapping/mapping_if.h"

namespace platter::mapping {

/// Maps every block to the sector of the same address.
class IdentityMapping : public MappingIf {
 public:
  explicit IdentityMapping(const mechanics::AccessPlanner& planner) : MappingIf(nullptr), planner_(planner) {}

  std::uint64_t capacity_sectors() const override { return planner_.geometry().block_count(); }
  std::uint32_t granule() const override { return 1; }
  /// The command's only access.
  Extent arrived(Walk& walk) const override {
    walk.sectors = walk.blocks;
    return planner_.resolve(Lba(walk.first), walk.blocks, walk.write);
  }
  WriteTarget target(const Walk& walk) const override {
    const std::uint64_t address = walk.first * planner_.geometry().sector_bytes();
    return {address, address, std::uint64_t{walk.blocks} * planner_.geometry().sector_bytes()};
  }
  void locate(std::uint64_t address, std::uint64_t length, const VisitPiece& visit) const override {
    visit(address, 0, length);
  }

 private:
  const mechanics::AccessPlanner& planner_;
};

}  // namespace platter::mapping
