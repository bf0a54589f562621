// SPDX-License-Identifier: Apache-2.0
#include "platter/mechanics/actuator_layout.h"

#include <string>

namespace platter::mechanics {

namespace {

/// The actuator's share of a list with an element for each surface.
std::vector<double> share_of(const std::vector<double>& all, const profile::GeometryProfile& profile, std::uint32_t actuator,
                             const char* key) {
  if (all.empty()) return {};
  if (all.size() != profile.surfaces)
    throw LayoutError("found " + std::to_string(all.size()) + " numbers, expected none or one for each of " +
                          std::to_string(profile.surfaces) + " surfaces",
                      key);
  const auto count = static_cast<std::ptrdiff_t>(profile.surfaces / profile.actuators);
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(actuator) * count;
  return {first, first + count};
}

void refuse_places(bool given, const char* key) {
  if (given) throw LayoutError("is given, expected none for a drive with several actuators", key);
}

}  // namespace

profile::GeometryProfile share_of(const profile::GeometryProfile& profile, std::uint32_t actuator) {
  if (profile.actuators == 0 || profile.surfaces % profile.actuators != 0)
    throw LayoutError("found " + std::to_string(profile.actuators) + ", expected a number that divides the " +
                          std::to_string(profile.surfaces) + " surfaces",
                      "actuators.count");
  if (profile.blocks % std::int64_t{profile.actuators} != 0)
    throw LayoutError("found " + std::to_string(profile.blocks) + ", expected a multiple of the " +
                          std::to_string(profile.actuators) + " actuators",
                      "geometry.blocks");
  if (profile.layout == profile::LayoutKind::Tree)
    throw LayoutError("found tree, expected cylinders or bands for a drive with several actuators", "geometry.layout");
  // Their numbers of surfaces and sectors count over the whole drive.
  refuse_places(!profile.slips.empty(), "geometry.slips");
  refuse_places(!profile.remaps.empty(), "geometry.remaps");
  for (std::size_t i = 0; i < profile.zones.size(); ++i) {
    const profile::ZoneProfile& zone = profile.zones[i];
    const std::string key = "geometry.zone." + std::to_string(i);
    refuse_places(!zone.surfaces.empty(), (key + ".surfaces").c_str());
    refuse_places(!zone.slips.empty() || !zone.slipped_tracks.empty(), (key + ".slips").c_str());
    refuse_places(!zone.remaps.empty(), (key + ".remaps").c_str());
  }
  profile::GeometryProfile share = profile;
  share.actuators = 1;
  share.surfaces = profile.surfaces / profile.actuators;
  share.blocks = profile.blocks / profile.actuators;
  share.head_offsets_turns = share_of(profile.head_offsets_turns, profile, actuator, "geometry.head_offsets_turns");
  share.surface_shifts_tracks = share_of(profile.surface_shifts_tracks, profile, actuator, "geometry.surface_shifts_tracks");
  share.surface_densities = share_of(profile.surface_densities, profile, actuator, "geometry.surface_densities");
  return share;
}

ActuatorLayout::ActuatorLayout(const profile::GeometryProfile& profile, Make make)
    : surfaces_(profile.surfaces / profile.actuators) {
  for (std::uint32_t i = 0; i < profile.actuators; ++i) parts_.push_back(make(share_of(profile, i)));
  share_ = parts_.front()->block_count();
  zones_ = parts_.front()->zone_count();
  if (share_ % profile.blocks_per_physical_sector() != 0)
    throw LayoutError("an actuator has " + std::to_string(share_) + " blocks, expected a multiple of " +
                          std::to_string(profile.blocks_per_physical_sector()) + ", the blocks of a physical sector",
                      "geometry.blocks");
  for (const auto& part : parts_)
    if (part->block_count() != share_ || part->zone_count() != zones_)
      throw LayoutError("the actuators have " + std::to_string(share_) + " and " + std::to_string(part->block_count()) +
                            " blocks, expected the same number",
                        "geometry.surface_densities");
}

ZoneSummary ActuatorLayout::zone(std::size_t index) const {
  ZoneSummary zone = parts_[index / zones_]->zone(index % zones_);
  zone.first_block += index / zones_ * share_;
  return zone;
}

PhysicalAddress ActuatorLayout::to_physical(Lba block) const {
  PhysicalAddress place = parts_[part_of(block)]->to_physical(within(block));
  place.head.value += static_cast<std::uint32_t>(part_of(block)) * surfaces_;
  return place;
}

std::optional<Lba> ActuatorLayout::to_logical(const PhysicalAddress& place) const {
  const std::uint32_t part = place.head.value / surfaces_;
  if (part >= parts_.size()) return std::nullopt;
  PhysicalAddress own = place;
  own.head.value %= surfaces_;
  std::optional<Lba> block = parts_[part]->to_logical(own);
  if (block) block->value += part * share_;
  return block;
}

Angle ActuatorLayout::angle_of(const PhysicalAddress& place) const {
  PhysicalAddress own = place;
  own.head.value %= surfaces_;
  return parts_[place.head.value / surfaces_]->angle_of(own);
}

TrackRun ActuatorLayout::track_run(Lba first, std::uint32_t blocks) const {
  TrackRun run = parts_[part_of(first)]->track_run(within(first), blocks);
  run.head.value += static_cast<std::uint32_t>(part_of(first)) * surfaces_;
  return run;
}

}  // namespace platter::mechanics
