// SPDX-License-Identifier: Apache-2.0
#include "platter/mechanics/geometry.h"

#include <algorithm>
#include <cmath>

#include "platter/mechanics/actuator_layout.h"
#include "platter/mechanics/band_tree.h"
#include "platter/mechanics/cylinder_layout.h"
#include "platter/mechanics/tree_layout.h"

namespace platter::mechanics {

std::uint64_t to_fraction(double turns) {
  turns -= std::floor(turns);
  return turns < 1 ? static_cast<std::uint64_t>(turns * 0x1p64) : 0;
}

namespace {

std::shared_ptr<const Layout> make_of_kind(const profile::GeometryProfile& profile) {
  switch (profile.layout) {
    case profile::LayoutKind::Bands: return std::make_shared<TreeLayout>(profile, band_tree(profile));
    case profile::LayoutKind::Tree: return std::make_shared<TreeLayout>(profile, given_tree(profile));
    case profile::LayoutKind::Cylinders: break;
  }
  return std::make_shared<CylinderLayout>(profile);
}

std::shared_ptr<const Layout> make_layout(const profile::GeometryProfile& profile) {
  const std::uint32_t whole = profile.blocks_per_physical_sector();
  if (profile.physical_sector_bytes != 0 &&
      (profile.physical_sector_bytes != whole * profile.sector_bytes || (whole & (whole - 1)) != 0))
    throw LayoutError("found " + std::to_string(profile.physical_sector_bytes) +
                          ", expected sector_bytes = " + std::to_string(profile.sector_bytes) + " times a power of two, or 0",
                      "geometry.physical_sector_bytes");
  if (profile.blocks < 0 || static_cast<std::uint64_t>(profile.blocks) > kMaxBlocks)
    throw LayoutError("found " + std::to_string(profile.blocks) + ", expected at most 2^48", "geometry.blocks");
  check_keys(profile);
  if (profile.actuators != 1) return std::make_shared<ActuatorLayout>(profile, make_of_kind);
  return make_of_kind(profile);
}

}  // namespace

Geometry::Geometry(const profile::GeometryProfile& profile)
    : cylinders_(profile.cylinders),
      surfaces_(profile.surfaces),
      sector_bytes_(profile.sector_bytes),
      blocks_per_physical_sector_(1),
      layout_(make_layout(profile)),
      actuators_(profile.actuators),
      actuator_blocks_(layout_->block_count() / profile.actuators) {
  blocks_per_physical_sector_ = profile.blocks_per_physical_sector();
  if (profile.surface_shifts_tracks.empty()) return;
  if (profile.surface_shifts_tracks.size() != surfaces_)
    throw LayoutError("found " + std::to_string(profile.surface_shifts_tracks.size()) + " numbers, expected one for each of " +
                          std::to_string(surfaces_) + " surfaces",
                      "geometry.surface_shifts_tracks");
  const auto [least, most] = std::minmax_element(profile.surface_shifts_tracks.begin(), profile.surface_shifts_tracks.end());
  constexpr double kMaxShift = 4096;
  if (!(*least >= -kMaxShift && *most <= kMaxShift))
    throw LayoutError("found shifts of more than 4096 tracks", "geometry.surface_shifts_tracks");
  for (const double shift : profile.surface_shifts_tracks) {
    if (shift != std::floor(shift))
      throw LayoutError("found " + std::to_string(shift) + ", expected whole tracks", "geometry.surface_shifts_tracks");
    shifts_.push_back(static_cast<std::uint32_t>(shift - *least));
  }
  cylinders_ += static_cast<std::uint32_t>(*most - *least);
  if (cylinders_ > profile::kMaxCylinders)
    throw LayoutError("the arm would have " + std::to_string(cylinders_) + " positions, expected at most " +
                          std::to_string(profile::kMaxCylinders),
                      "geometry.surface_shifts_tracks");
}

}  // namespace platter::mechanics
