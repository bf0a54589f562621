// SPDX-License-Identifier: Apache-2.0
#include "platter/mechanics/band_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace platter::mechanics {

using profile::BandDirection;
using profile::GeometryProfile;
using profile::LayoutKind;
using profile::Mapping;
using profile::PatternRun;
using profile::ZoneProfile;

namespace {

std::string zone_key(std::size_t zone, const char* key) { return fmt::format("geometry.zone.{}.{}", zone, key); }

/// Throws if `given` and the layout is not of the kind that uses the key.
void only_with(bool given, const std::string& key, bool used, const char* user) {
  if (given && !used) throw LayoutError(fmt::format("is for geometry.layout = \"{}\" only", user), key);
}

/// The zones of all surfaces, cut at every boundary.
class ZonesBySurface {
 public:
  explicit ZonesBySurface(const GeometryProfile& profile);

  /// Cylinders from one boundary to the next.
  struct Piece {
    std::uint32_t first_cylinder = 0;
    std::uint32_t cylinders = 0;
    std::uint32_t zone = 0;              ///< the profile's, of the first surface that has tracks here
    std::vector<std::uint32_t> sectors;  ///< of a track, by surface; 0: the surface has no track here
    std::uint64_t spares = 0;            ///< sectors at the end that hold no block
  };
  const std::vector<Piece>& pieces() const { return pieces_; }

 private:
  struct Part {
    std::uint32_t first;
    std::uint32_t last;
    std::uint32_t zone;
  };
  std::vector<std::vector<Part>> surfaces_;
  std::vector<Piece> pieces_;
};

ZonesBySurface::ZonesBySurface(const GeometryProfile& profile) : surfaces_(profile.surfaces) {
  std::set<std::uint32_t> boundaries;
  for (std::size_t i = 0; i < profile.zones.size(); ++i) {
    const ZoneProfile& zone = profile.zones[i];
    if (zone.last_cylinder < zone.first_cylinder || zone.last_cylinder >= profile.cylinders)
      throw LayoutError(
          fmt::format("found {}, expected {} to {}", zone.last_cylinder, zone.first_cylinder, profile.cylinders - 1),
          zone_key(i, "last_cylinder"));
    if (zone.spare_sectors > 0 && !zone.surfaces.empty())
      throw LayoutError("is for zones of all surfaces", zone_key(i, "spare_sectors"));
    std::vector<std::uint32_t> on = zone.surfaces;
    if (on.empty())
      for (std::uint32_t surface = 0; surface < profile.surfaces; ++surface) on.push_back(surface);
    for (const std::uint32_t surface : on) {
      if (surface >= profile.surfaces)
        throw LayoutError(fmt::format("found surface {}, expected 0 to {}", surface, profile.surfaces - 1),
                          zone_key(i, "surfaces"));
      std::vector<Part>& parts = surfaces_[surface];
      if (!parts.empty() && zone.first_cylinder <= parts.back().last)
        throw LayoutError(fmt::format("found {}, expected more than {}, where the zone before ends on surface {}",
                                      zone.first_cylinder, parts.back().last, surface),
                          zone_key(i, "first_cylinder"));
      parts.push_back({zone.first_cylinder, zone.last_cylinder, static_cast<std::uint32_t>(i)});
    }
    boundaries.insert(zone.first_cylinder);
    boundaries.insert(zone.last_cylinder + 1);
  }
  const std::uint32_t whole = profile.blocks_per_physical_sector();
  std::vector<std::size_t> at(profile.surfaces, 0);
  for (auto from = boundaries.begin(); from != boundaries.end() && std::next(from) != boundaries.end(); ++from) {
    Piece piece;
    piece.first_cylinder = *from;
    piece.cylinders = *std::next(from) - *from;
    bool any = false;
    for (std::uint32_t surface = 0; surface < profile.surfaces; ++surface) {
      const std::vector<Part>& parts = surfaces_[surface];
      while (at[surface] < parts.size() && parts[at[surface]].last < *from) ++at[surface];
      piece.sectors.push_back(0);
      if (at[surface] == parts.size() || parts[at[surface]].first > *from) continue;
      const std::uint32_t index = parts[at[surface]].zone;
      const ZoneProfile& zone = profile.zones[index];
      const double density = profile.surface_densities.empty() ? 1 : profile.surface_densities[surface];
      const double sectors = std::floor(zone.sectors_per_track * density / whole + 0.5) * whole;
      if (!(sectors >= 1 && sectors <= profile::kMaxTrackSectors))
        throw LayoutError(fmt::format("surface {} would have {:g} sectors per track, expected {} to {}", surface, sectors,
                                      whole, profile::kMaxTrackSectors),
                          zone_key(index, "sectors_per_track"));
      piece.sectors.back() = density == 1 ? zone.sectors_per_track : static_cast<std::uint32_t>(sectors);
      if (piece.sectors.back() % whole != 0)
        throw LayoutError(
            fmt::format("found {}, expected a multiple of {}, the blocks of a physical sector", zone.sectors_per_track, whole),
            zone_key(index, "sectors_per_track"));
      if (!any) piece.zone = index;
      any = true;
      if (zone.last_cylinder + 1 == piece.first_cylinder + piece.cylinders) piece.spares = zone.spare_sectors;
    }
    if (any) pieces_.push_back(std::move(piece));
  }
}

/// Adds tracks one after the other, and keeps the angle at which the next one begins.
class BandWriter {
 public:
  explicit BandWriter(const GeometryProfile& profile) : profile_(profile) {}

  /// The runs of one group of bands, relative to its own first cylinder and first track. `turns`: from its start to that of its last track.
  std::vector<PatternRun> group(const ZonesBySurface::Piece& piece, std::uint32_t cylinders, bool reversed,
                                double& turns) const {
    std::vector<PatternRun> runs;
    turns = 0;
    bool inward = true;
    for (std::uint32_t i = 0; i < profile_.surfaces; ++i) {
      const std::uint32_t head = reversed ? profile_.surfaces - 1 - i : i;
      if (piece.sectors[head] == 0) continue;
      if (!runs.empty()) turns += profile_.head_skew_turns;
      PatternRun run;
      run.count = cylinders;
      run.cylinder = inward ? 0 : cylinders - 1;
      run.step = inward ? 1 : -1;
      run.angle = turns;
      run.angle_step = profile_.track_skew_turns;
      run.head = head;
      run.sectors_per_track = run.sectors = piece.sectors[head];
      runs.push_back(run);
      turns += (cylinders - 1) * profile_.track_skew_turns;
      if (profile_.band_direction == BandDirection::Alternating) inward = !inward;
    }
    return runs;
  }

 private:
  const GeometryProfile& profile_;
};

}  // namespace

void check_keys(const GeometryProfile& profile) {
  const bool bands = profile.layout == LayoutKind::Bands;
  const bool cylinders = profile.layout == LayoutKind::Cylinders;
  const bool tree = profile.layout == LayoutKind::Tree;
  only_with(!profile.nodes.empty(), "geometry.node", tree, "tree");
  only_with(profile.band_tracks != 0, "geometry.band_tracks", bands, "bands");
  only_with(!profile.surface_densities.empty(), "geometry.surface_densities", bands, "bands");
  only_with(profile.band_direction != BandDirection::Alternating, "geometry.band_direction", bands, "bands");
  only_with(profile.track_skew_turns != 0, "geometry.track_skew_turns", bands, "bands");
  only_with(profile.head_skew_turns != 0, "geometry.head_skew_turns", bands, "bands");
  only_with(profile.band_skew_turns != 0, "geometry.band_skew_turns", bands, "bands");
  only_with(profile.zone_skew_turns != 0, "geometry.zone_skew_turns", bands, "bands");
  only_with(profile.spare_unit != profile::SpareUnit::Zone, "geometry.spare_unit", cylinders, "cylinders");
  only_with(profile.range_cylinders != 1, "geometry.range_cylinders", cylinders, "cylinders");
  only_with(profile.spares_at_front, "geometry.spares_at_front", cylinders, "cylinders");
  only_with(profile.slip_to_zone_end, "geometry.slip_to_zone_end", cylinders, "cylinders");
  if (tree && !profile.zones.empty()) throw LayoutError("is for geometry.layout = \"cylinders\" or \"bands\"", "geometry.zone");
  if (tree && profile.mapping != Mapping::Plain)
    throw LayoutError("is for geometry.layout = \"cylinders\" or \"bands\"", "geometry.mapping");
  if (!tree && profile.zones.empty()) throw LayoutError("is missing: at least one zone", "geometry.zone");
  for (std::size_t i = 0; i < profile.zones.size(); ++i) {
    const ZoneProfile& zone = profile.zones[i];
    const auto refuse = [&](bool given, const char* key) { only_with(given, zone_key(i, key), cylinders, "cylinders"); };
    refuse(zone.offset_sectors != 0, "offset_sectors");
    refuse(zone.track_skew_sectors != 0, "track_skew_sectors");
    refuse(zone.cylinder_skew_sectors != 0, "cylinder_skew_sectors");
    refuse(zone.range_skew_sectors != 0, "range_skew_sectors");
    refuse(zone.front_sectors != 0, "front_sectors");
    refuse(!zone.slips.empty(), "slips");
    refuse(!zone.slipped_tracks.empty(), "slipped_tracks");
    refuse(!zone.remaps.empty(), "remaps");
    only_with(!zone.surfaces.empty(), zone_key(i, "surfaces"), bands, "bands");
  }
}

LayoutTree band_tree(const GeometryProfile& profile) {
  if (profile.band_tracks == 0) throw LayoutError("found 0, expected the tracks of a band", "geometry.band_tracks");
  if (!profile.surface_densities.empty() && profile.surface_densities.size() != profile.surfaces)
    throw LayoutError(fmt::format("found {} numbers, expected none or {}", profile.surface_densities.size(), profile.surfaces),
                      "geometry.surface_densities");
  constexpr std::size_t kMaxZones = 4096;
  if (profile.zones.size() > kMaxZones)
    throw LayoutError(fmt::format("found {} zones, expected at most {}", profile.zones.size(), kMaxZones), "geometry.zone");
  const ZonesBySurface zones(profile);
  const BandWriter writer(profile);
  LayoutTree tree;
  profile::PatternNode root;
  double angle = 0;  // of the next group's first track
  std::uint64_t groups_before = 0;
  std::uint64_t sectors = 0;
  for (const ZonesBySurface::Piece& piece : zones.pieces()) {
    const std::uint32_t whole_groups = piece.cylinders / profile.band_tracks;
    const std::uint32_t rest = piece.cylinders % profile.band_tracks;
    const auto reversed = [&](std::uint32_t group) {
      return profile.mapping == Mapping::Serpentine           ? group % 2 == 1
             : profile.mapping == Mapping::SerpentineAbsolute ? (groups_before + group) % 2 == 1
                                                              : false;
    };
    if (!root.runs.empty()) angle += profile.zone_skew_turns - profile.band_skew_turns;
    // Adds `count` instances of `groups` groups from group number `first` on.
    const auto add = [&](std::uint32_t first, std::uint32_t groups, std::uint32_t cylinders, std::uint32_t count) {
      if (count == 0) return;
      profile::PatternNode node;
      double start = 0;
      for (std::uint32_t g = 0; g < groups; ++g) {
        double turns = 0;
        for (PatternRun run : writer.group(piece, cylinders, reversed(first + g), turns)) {
          run.cylinder += std::int64_t{g} * cylinders;
          run.angle += start;
          run.angle -= std::floor(run.angle);
          node.runs.push_back(run);
        }
        start += turns + profile.band_skew_turns;
      }
      PatternRun all;
      all.track = false;
      all.node = static_cast<std::uint32_t>(tree.nodes.size());
      all.count = count;
      all.cylinder = std::int64_t{piece.first_cylinder} + std::int64_t{first} * profile.band_tracks;
      all.step = std::int64_t{groups} * cylinders;
      all.angle = angle - std::floor(angle);
      all.angle_step = start - std::floor(start);
      angle += count * start;
      angle -= std::floor(angle);
      for (const PatternRun& run : node.runs) sectors += std::uint64_t{count} * run.count * run.sectors;
      tree.nodes.push_back(std::move(node));
      root.runs.push_back(all);
      tree.zones.push_back(piece.zone);
    };
    const std::uint32_t period = profile.mapping == Mapping::Plain ? 1 : 2;
    const std::uint32_t odd = whole_groups % period;
    add(0, period, profile.band_tracks, whole_groups / period);
    if (odd != 0) add(whole_groups - 1, 1, profile.band_tracks, 1);
    if (rest != 0) add(whole_groups, 1, rest, 1);
    groups_before += whole_groups + (rest != 0 ? 1 : 0);
    if (piece.spares >= sectors)
      throw LayoutError(fmt::format("found {}, but the tracks up to there have {} sectors", piece.spares, sectors),
                        zone_key(piece.zone, "spare_sectors"));
    if (piece.spares > 0) tree.spares.emplace_back(sectors - piece.spares, piece.spares);
  }
  tree.nodes.push_back(std::move(root));
  return tree;
}

}  // namespace platter::mechanics
