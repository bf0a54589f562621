// SPDX-License-Identifier: Apache-2.0
#include "platter/mechanics/tree_layout.h"

#include <gtest/gtest.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <tuple>

#include "../sanitized.h"
#include "platter/mechanics/access_planner.h"
#include "platter/mechanics/band_tree.h"
#include "platter/mechanics/geometry.h"

namespace platter::mechanics {

static void PrintTo(const PhysicalAddress& place, std::ostream* out) {
  *out << place.cylinder.value << "/" << place.head.value << "/" << place.sector.value;
}

namespace {

using profile::BandDirection;
using profile::GeometryProfile;
using profile::LayoutKind;
using profile::Mapping;
using profile::PatternNode;
using profile::PatternRun;
using profile::ZoneProfile;

/// A sector in the order of the mapping, as the definition says.
struct Sector {
  std::uint32_t cylinder;
  std::uint32_t head;
  std::uint32_t sector;
  std::uint32_t track_sectors;
  double turns;  ///< angle
};

PhysicalAddress place(std::uint32_t cylinder, std::uint32_t head, std::uint32_t sector) {
  return {Cylinder(cylinder), Head(head), SectorIndex(sector)};
}

/// The places of a pattern's instances.
PatternRun instances(std::uint32_t count, std::int64_t cylinder, std::int64_t step, double angle, double angle_step) {
  PatternRun run;
  run.count = count;
  run.cylinder = cylinder;
  run.step = step;
  run.angle = angle;
  run.angle_step = angle_step;
  return run;
}

PatternRun tracks(std::uint32_t count, std::int64_t cylinder, std::int64_t step, std::uint32_t head, std::uint32_t sectors,
                  double angle = 0, double angle_step = 0) {
  PatternRun run = instances(count, cylinder, step, angle, angle_step);
  run.head = head;
  run.sectors = run.sectors_per_track = sectors;
  return run;
}

PatternRun part(PatternRun run, std::uint32_t first, std::uint32_t sectors) {
  run.first_sector = first;
  run.sectors = sectors;
  return run;
}

PatternRun node(std::uint32_t number, std::uint32_t count, std::int64_t cylinder, std::int64_t step, double angle = 0,
                double angle_step = 0) {
  PatternRun run = instances(count, cylinder, step, angle, angle_step);
  run.track = false;
  run.node = number;
  return run;
}

GeometryProfile tree_of(std::vector<std::vector<PatternRun>> nodes, std::uint32_t cylinders, std::uint32_t surfaces) {
  GeometryProfile profile;
  profile.layout = LayoutKind::Tree;
  profile.cylinders = cylinders;
  profile.surfaces = surfaces;
  for (std::vector<PatternRun>& runs : nodes) profile.nodes.push_back({std::move(runs)});
  return profile;
}

/// All sectors of a tree in the order of the mapping: the patterns written out.
std::vector<Sector> expand(const GeometryProfile& profile) {
  std::vector<Sector> all;
  const std::function<void(std::size_t, std::int64_t, double)> write = [&](std::size_t index, std::int64_t cylinder,
                                                                           double turns) {
    for (const PatternRun& run : profile.nodes[index].runs)
      for (std::uint32_t i = 0; i < run.count; ++i) {
        const std::int64_t at = cylinder + run.cylinder + i * run.step;
        const double start = turns + run.angle + i * run.angle_step;
        if (!run.track) {
          write(run.node, at, start);
          continue;
        }
        for (std::uint32_t s = 0; s < run.sectors; ++s)
          all.push_back({static_cast<std::uint32_t>(at), run.head, run.first_sector + s, run.sectors_per_track,
                         start + static_cast<double>(s) / run.sectors_per_track});
      }
  };
  write(profile.nodes.size() - 1, 0, 0);
  return all;
}

/// All sectors of a layout of bands in the order of the mapping, track after track.
std::vector<Sector> walk_bands(const GeometryProfile& profile) {
  std::vector<Sector> all;
  std::map<std::uint32_t, std::vector<std::uint32_t>> sectors_at;  // from this cylinder on: by surface
  for (std::uint32_t cylinder = 0; cylinder < profile.cylinders; ++cylinder) {
    std::vector<std::uint32_t> here(profile.surfaces, 0);
    bool boundary = false;
    for (const ZoneProfile& zone : profile.zones) {
      boundary = boundary || zone.first_cylinder == cylinder || zone.last_cylinder + 1 == cylinder;
      if (cylinder < zone.first_cylinder || cylinder > zone.last_cylinder) continue;
      for (std::uint32_t h = 0; h < profile.surfaces; ++h) {
        if (!zone.surfaces.empty() && std::find(zone.surfaces.begin(), zone.surfaces.end(), h) == zone.surfaces.end()) continue;
        const double density = profile.surface_densities.empty() ? 1 : profile.surface_densities[h];
        here[h] = static_cast<std::uint32_t>(std::floor(zone.sectors_per_track * density + 0.5));
      }
    }
    if (boundary) sectors_at[cylinder] = here;
  }
  double turns = 0;
  bool first = true;
  std::uint32_t groups = 0;
  for (auto piece = sectors_at.begin(); piece != sectors_at.end(); ++piece) {
    if (std::all_of(piece->second.begin(), piece->second.end(), [](std::uint32_t s) { return s == 0; })) continue;
    const auto next = std::next(piece);
    const std::uint32_t end = next != sectors_at.end() ? next->first : profile.cylinders;
    bool zone_starts = true;
    std::uint32_t of_zone = 0;
    for (std::uint32_t from = piece->first; from < end; from += profile.band_tracks, ++of_zone, ++groups) {
      const std::uint32_t to = std::min(end, from + profile.band_tracks);
      bool group_starts = true;
      bool inward = true;
      for (std::uint32_t i = 0; i < profile.surfaces; ++i) {
        const bool reversed = (profile.mapping == Mapping::Serpentine && of_zone % 2 == 1) ||
                              (profile.mapping == Mapping::SerpentineAbsolute && groups % 2 == 1);
        const std::uint32_t head = reversed ? profile.surfaces - 1 - i : i;
        const std::uint32_t sectors = piece->second[head];
        if (sectors == 0) continue;
        for (std::uint32_t t = 0; t < to - from; ++t) {
          if (first)
            first = false;
          else if (zone_starts)
            turns += profile.zone_skew_turns;
          else if (group_starts)
            turns += profile.band_skew_turns;
          else if (t == 0)
            turns += profile.head_skew_turns;
          else
            turns += profile.track_skew_turns;
          zone_starts = group_starts = false;
          for (std::uint32_t s = 0; s < sectors; ++s)
            all.push_back({inward ? from + t : to - 1 - t, head, s, sectors, turns + static_cast<double>(s) / sectors});
        }
        if (profile.band_direction == BandDirection::Alternating) inward = !inward;
      }
    }
  }
  return all;
}

double turns_apart(Angle angle, double turns) { return std::abs(std::remainder(angle * 0x1p-32 - turns, 1.0)); }

/// Compares all of a layout with the sectors of its definition. Slips and remaps of the profile are applied here, sector by sector.
void check_all(const GeometryProfile& profile, std::vector<Sector> sectors) {
  SCOPED_TRACE("cylinders " + std::to_string(profile.cylinders));
  const Geometry geometry(profile);
  for (Sector& s : sectors)
    if (!profile.head_offsets_turns.empty()) s.turns += profile.head_offsets_turns[s.head];
  const auto find = [&](const profile::SectorPlace& at) {
    return static_cast<std::size_t>(std::find_if(sectors.begin(), sectors.end(),
                                                 [&at](const Sector& s) {
                                                   return s.cylinder == at.cylinder && s.head == at.head &&
                                                          s.sector == at.sector;
                                                 }) -
                                    sectors.begin());
  };
  std::vector<bool> slipped(sectors.size(), false);
  for (const profile::PlacedSlip& slip : profile.slips)
    for (std::uint32_t i = 0; i < slip.count; ++i) slipped[find(slip.place) + i] = true;
  std::size_t done = 0;
  for (const ZoneProfile& zone : profile.zones) {  // spares of zones of all surfaces
    std::size_t end = done;
    while (end < sectors.size() && sectors[end].cylinder <= zone.last_cylinder) ++end;
    for (std::size_t i = 0; i < zone.spare_sectors; ++i) slipped[end - 1 - i] = true;
    done = end;
  }
  std::vector<std::size_t> blocks;  // sector of each block
  for (std::size_t i = 0; i < sectors.size(); ++i)
    if (!slipped[i]) blocks.push_back(i);
  if (profile.blocks != 0) blocks.resize(static_cast<std::size_t>(profile.blocks));
  for (const profile::PlacedRemap& remap : profile.remaps)
    for (std::uint32_t i = 0; i < remap.count; ++i)
      *std::find(blocks.begin(), blocks.end(), find(remap.bad) + i) = find(remap.spare) + i;
  ASSERT_EQ(geometry.block_count(), blocks.size());
  std::vector<bool> holds(sectors.size(), false);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const Sector& s = sectors[blocks[b]];
    holds[blocks[b]] = true;
    ASSERT_EQ(geometry.to_physical(Lba(b)), place(s.cylinder, s.head, s.sector)) << b;
    ASSERT_EQ(geometry.to_logical(place(s.cylinder, s.head, s.sector)), Lba(b)) << b;
    ASSERT_LT(turns_apart(geometry.angle_of(place(s.cylinder, s.head, s.sector)), s.turns), 2e-9) << b;
  }
  for (std::size_t i = 0; i < sectors.size(); ++i)
    if (!holds[i]) {
      const Sector& s = sectors[i];
      ASSERT_EQ(geometry.to_logical(place(s.cylinder, s.head, s.sector)), std::nullopt) << i;
    }
  EXPECT_EQ(geometry.to_logical(place(profile.cylinders, 0, 0)), std::nullopt);
  EXPECT_EQ(geometry.to_logical(place(0, profile.surfaces, 0)), std::nullopt);
  // Zones partition the blocks.
  std::uint64_t counted = 0;
  for (std::size_t z = 0; z < geometry.zone_count(); ++z) {
    EXPECT_EQ(geometry.zone(z).first_block, counted);
    counted += geometry.zone(z).blocks;
  }
  EXPECT_EQ(counted, blocks.size());
  // Runs: as long as possible, and what they say about their sectors.
  for (const std::uint32_t wanted : {1u, 3u, 7u, 1000u})
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const TrackRun run = geometry.track_run(Lba(b), wanted);
      const Sector& s = sectors[blocks[b]];
      std::size_t end = b + 1;
      while (end < blocks.size() && end - b < wanted) {
        const Sector& next = sectors[blocks[end]];
        const std::size_t passed = blocks[end] - blocks[b];
        const bool remapped = !profile.remaps.empty() && blocks[end] != blocks[end - 1] + 1;
        if (remapped || blocks[end] < blocks[end - 1] || next.cylinder != s.cylinder || next.head != s.head ||
            next.sector != s.sector + passed)
          break;
        ++end;
      }
      // A run may end early only where the layout has a piece of its own.
      ASSERT_LE(run.blocks, end - b) << b;
      if (profile.layout == LayoutKind::Bands) {
        ASSERT_EQ(run.blocks, end - b) << b;
      }
      const std::size_t last = blocks[b + run.blocks - 1];
      ASSERT_EQ(run.sectors, last - blocks[b] + 1) << b;
      ASSERT_EQ(run.sector, s.sector);
      ASSERT_EQ(run.track_sectors, s.track_sectors);
      ASSERT_EQ(run.head.value, s.head);
      ASSERT_LT(turns_apart(run.start_angle, s.turns), 2e-9);
      ASSERT_LT(turns_apart(run.end_angle, sectors[last].turns + 1.0 / s.track_sectors), 2e-9);
      ASSERT_EQ(run.full_turn, run.sectors == s.track_sectors);
    }
}

ZoneProfile zone(std::uint32_t first, std::uint32_t last, std::uint32_t sectors, std::vector<std::uint32_t> surfaces = {}) {
  ZoneProfile out;
  out.first_cylinder = first;
  out.last_cylinder = last;
  out.sectors_per_track = sectors;
  out.surfaces = std::move(surfaces);
  return out;
}

GeometryProfile banded(std::uint32_t surfaces, std::uint32_t band, Mapping mapping) {
  GeometryProfile profile;
  profile.layout = LayoutKind::Bands;
  profile.cylinders = 24;
  profile.surfaces = surfaces;
  profile.band_tracks = band;
  profile.mapping = mapping;
  profile.track_skew_turns = 0.141667;
  profile.head_skew_turns = 0.1894;
  profile.band_skew_turns = 0.3707;
  profile.zone_skew_turns = 0.55;
  profile.zones = {zone(0, 12, 12), zone(13, 22, 9)};
  return profile;
}

std::string error_of(const GeometryProfile& profile, std::string* key = nullptr) {
  try {
    const Geometry geometry(profile);
  } catch (const LayoutError& error) {
    if (key != nullptr) *key = error.key();
    return error.what();
  }
  return "";
}

void expect_refused(const GeometryProfile& profile, const std::string& key, const std::string& text) {
  std::string found;
  EXPECT_NE(error_of(profile, &found).find(text), std::string::npos) << error_of(profile);
  EXPECT_EQ(found, key) << text;
}

// --- bands -----------------------------------------------------------------------------------------------------------

TEST(BandLayout, AHandMadeDriveIsWhereItsRulesSay) {
  // Two surfaces, bands of two tracks, three sectors per track: surface 0 inward, surface 1 outward; the next group begins on surface 1.
  GeometryProfile profile = banded(2, 2, Mapping::Serpentine);
  profile.cylinders = 4;
  profile.zones = {zone(0, 3, 3)};
  const Geometry geometry(profile);
  EXPECT_EQ(geometry.block_count(), 24u);
  const std::vector<std::pair<std::uint32_t, std::uint32_t>> tracks = {{0, 0}, {1, 0}, {1, 1}, {0, 1},
                                                                       {2, 1}, {3, 1}, {3, 0}, {2, 0}};
  for (std::uint32_t t = 0; t < 8; ++t)
    EXPECT_EQ(geometry.to_physical(Lba(3 * t + 2)), place(tracks[t].first, tracks[t].second, 2)) << t;
  const auto angle = [&](std::uint32_t t) { return geometry.angle_of(place(tracks[t].first, tracks[t].second, 0)); };
  EXPECT_LT(turns_apart(angle(1), 0.141667), 1e-9);
  EXPECT_LT(turns_apart(angle(2), 0.141667 + 0.1894), 1e-9) << "another head";
  EXPECT_LT(turns_apart(angle(3), 0.141667 * 2 + 0.1894), 1e-9) << "the sign of the skew is the same on the way back";
  EXPECT_LT(turns_apart(angle(4), 0.141667 * 2 + 0.1894 + 0.3707), 1e-9) << "the next group";
}

TEST(BandLayout, EveryBlockOfSmallDrivesIsWhereTheWalkFindsIt) {
  for (const Mapping mapping : {Mapping::Plain, Mapping::Serpentine, Mapping::SerpentineAbsolute})
    for (const BandDirection direction : {BandDirection::Alternating, BandDirection::Inward})
      for (const std::uint32_t surfaces : {1u, 2u, 3u})
        for (const std::uint32_t band : {1u, 2u, 3u, 5u, 13u, 40u}) {
          GeometryProfile profile = banded(surfaces, band, mapping);
          profile.band_direction = direction;
          SCOPED_TRACE("mapping " + std::to_string(static_cast<int>(mapping)) + ", surfaces " + std::to_string(surfaces) +
                       ", band " + std::to_string(band));
          check_all(profile, walk_bands(profile));
        }
}

TEST(BandLayout, SurfacesMayHaveZonesAndDensitiesOfTheirOwn) {
  GeometryProfile profile = banded(3, 3, Mapping::Serpentine);
  profile.zones = {zone(0, 9, 12, {0, 2}), zone(0, 5, 11, {1}), zone(6, 20, 8, {1}), zone(10, 23, 7, {0, 2})};
  check_all(profile, walk_bands(profile));
  profile.surface_densities = {1.0, 1.05, 0.9};
  profile.head_offsets_turns = {0, 0.25, 0.7};
  check_all(profile, walk_bands(profile));
  EXPECT_EQ(Geometry(profile).zone(0).least_sectors, 8u);
  EXPECT_EQ(Geometry(profile).zone(0).most_sectors, 12u);
}

TEST(BandLayout, SparesSlipsAndRemaps) {
  GeometryProfile profile = banded(2, 4, Mapping::Serpentine);
  profile.zones[0].spare_sectors = 30;
  profile.zones[1].spare_sectors = 5;
  check_all(profile, walk_bands(profile));
  profile.slips = {{{0, 0, 0}, 1}, {{2, 0, 11}, 2}, {{9, 1, 3}, 12}, {{14, 0, 5}, 1}, {{20, 1, 8}, 1}};
  check_all(profile, walk_bands(profile));
  profile.slips.clear();
  profile.remaps = {{{1, 0, 4}, 3, {12, 0, 1}}, {{15, 1, 2}, 1, {12, 0, 8}}};
  ASSERT_EQ(Geometry(profile).to_logical(place(12, 0, 1)), Lba(16));
  check_all(profile, walk_bands(profile));
  profile.remaps.clear();
  profile.blocks = 300;
  check_all(profile, walk_bands(profile));
}

TEST(BandLayout, WhatDoesNotFitIsRefused) {
  const GeometryProfile good = banded(2, 4, Mapping::Plain);
  const auto with = [&good](const std::function<void(GeometryProfile&)>& change) {
    GeometryProfile profile = good;
    change(profile);
    return profile;
  };
  expect_refused(with([](auto& p) { p.band_tracks = 0; }), "geometry.band_tracks", "found 0, expected the tracks of a band");
  expect_refused(with([](auto& p) { p.zones[1].first_cylinder = 12; }), "geometry.zone.1.first_cylinder",
                 "found 12, expected more than 12, where the zone before ends on surface 0");
  expect_refused(with([](auto& p) { p.zones[1].last_cylinder = 24; }), "geometry.zone.1.last_cylinder", "expected 13 to 23");
  expect_refused(with([](auto& p) { p.zones[1].surfaces = {2}; }), "geometry.zone.1.surfaces",
                 "found surface 2, expected 0 to 1");
  expect_refused(with([](auto& p) { p.zones[1].offset_sectors = 2; }), "geometry.zone.1.offset_sectors",
                 "is for geometry.layout = \"cylinders\" only");
  expect_refused(with([](auto& p) { p.range_cylinders = 6; }), "geometry.range_cylinders",
                 "is for geometry.layout = \"cylinders\" only");
  expect_refused(with([](auto& p) { p.surface_densities = {1}; }), "geometry.surface_densities", "found 1 numbers");
  expect_refused(with([](auto& p) { p.surface_densities = {1, 0}; }), "geometry.zone.0.sectors_per_track",
                 "surface 1 would have 0 sectors per track");
  expect_refused(with([](auto& p) { p.blocks = 493; }), "geometry.blocks", "found 493, but the tracks hold only 492 blocks");
  expect_refused(with([](auto& p) { p.zones[0].spare_sectors = 400; }), "geometry.zone.0.spare_sectors", "have 312 sectors");
  expect_refused(with([](auto& p) { p.physical_sector_bytes = 4096; }), "geometry.zone.0.sectors_per_track",
                 "found 12, expected a multiple of 8");
  expect_refused(with([](auto& p) { p.physical_sector_bytes = 1000; }), "geometry.physical_sector_bytes", "found 1000");
  expect_refused(with([](auto& p) { p.slips = {{{23, 0, 0}, 1}}; }), "geometry.slips", "row 0: no track of the layout");
  expect_refused(with([](auto& p) { p.slips = {{{0, 0, 1}, 2}, {{0, 0, 2}, 1}}; }), "geometry.slips",
                 "cylinder 0, head 0, sector 2 is slipped twice");
  expect_refused(with([](auto& p) { p.slips = {{{0, 0, 0}, 492}}; }), "geometry.slips", "the tracks hold no block");
  expect_refused(with([](auto& p) { p.remaps = {{{0, 0, 1}, 1, {3, 1, 2}}}; }), "geometry.remaps", "which holds block");
  expect_refused(with([](auto& p) { p.surface_shifts_tracks = {0, 0.5}; }), "geometry.surface_shifts_tracks", "whole tracks");
  GeometryProfile cylinders = with([](auto& p) {
    p.layout = LayoutKind::Cylinders;
    p.band_tracks = 0;
  });
  expect_refused(cylinders, "geometry.track_skew_turns", "is for geometry.layout = \"bands\" only");
}

TEST(BandLayout, MisalignedSurfacesMoveTheArm) {
  GeometryProfile profile = banded(2, 4, Mapping::Serpentine);
  profile.surface_shifts_tracks = {0, -3};
  const Geometry geometry(profile);
  EXPECT_EQ(geometry.cylinders(), 27u);
  EXPECT_EQ(geometry.to_physical(Lba(0)), place(0, 0, 0));
  EXPECT_EQ(geometry.track_run(Lba(0), 1).cylinder, Cylinder(3));
  EXPECT_EQ(geometry.to_physical(Lba(4 * 12)), place(3, 1, 0));
  EXPECT_EQ(geometry.track_run(Lba(4 * 12), 1).cylinder, Cylinder(3));
  EXPECT_EQ(geometry.arm_at(Cylinder(5), Head(0)), Cylinder(8));
}

// --- trees -----------------------------------------------------------------------------------------------------------

TEST(TreeLayout, NestedPatternsInBothDirections) {
  const GeometryProfile profile =
      tree_of({{tracks(3, 0, 1, 0, 5, 0, 0.1), tracks(3, 2, -1, 1, 7, 0.3, 0.2)},
               {node(0, 2, 0, 3, 0.05, 0.6), tracks(6, 5, -1, 2, 4, 0.9, 0.15)},
               {node(1, 2, 6, -6, 0.01, 0.33), node(0, 1, 12, 1, 0.5), tracks(3, 12, 1, 2, 6, 0.2, 0.1)}},
              16, 3);
  check_all(profile, expand(profile));
  EXPECT_EQ(Geometry(profile).zone_count(), 2u) << "the last run has no track of 7 sectors";
}

TEST(TreeLayout, PartsOfTracks) {
  GeometryProfile profile = tree_of(
      {{part(tracks(2, 0, 1, 0, 10, 0.2, 0.1), 2, 5), part(tracks(2, 1, -1, 0, 10, 0.9, 0.9), 7, 3), tracks(2, 0, 1, 1, 8)}}, 2,
      2);
  // The second half of each track is at the angle that follows from the first.
  profile.nodes[0].runs[1].angle = 0.2 + 0.1 + 0.5;
  profile.nodes[0].runs[1].angle_step = -0.1;
  check_all(profile, expand(profile));
  profile.remaps = {{{0, 1, 2}, 2, {1, 0, 0}}};  // onto the front of a track that no pattern uses
  const Geometry geometry(profile);
  EXPECT_EQ(geometry.to_physical(Lba(18)), place(1, 0, 0));
  EXPECT_EQ(geometry.to_logical(place(1, 0, 1)), Lba(19));
  EXPECT_EQ(geometry.to_logical(place(0, 1, 2)), std::nullopt);
  EXPECT_LT(turns_apart(geometry.angle_of(place(1, 0, 0)), 0.3 - 0.2), 1e-9);
  EXPECT_LT(turns_apart(geometry.track_run(Lba(18), 5).end_angle, 0.3), 1e-9);
  EXPECT_EQ(geometry.track_run(Lba(18), 5).blocks, 2u);
  EXPECT_EQ(geometry.track_run(Lba(16), 8).blocks, 2u) << "up to the remapped sectors";
}

TEST(TreeLayout, RandomTrees) {
  std::mt19937 random(3);
  const auto below = [&random](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  for (int i = 0; i < (testing::kSanitized ? 20 : 100); ++i) {
    // Bands of random widths; then the same again and again.
    std::vector<std::vector<PatternRun>> nodes;
    std::uint32_t width = 1 + below(4);
    nodes.emplace_back();
    const std::uint32_t surfaces = 1 + below(4);
    for (std::uint32_t h = 0; h < surfaces; ++h) {
      const bool down = below(2) == 1;
      nodes.back().push_back(
          tracks(width, down ? width - 1 : 0, down ? -1 : 1, h, 3 + below(9), below(1000) / 1e3, below(1000) / 1e3));
    }
    for (std::uint32_t level = 0; level < 3; ++level) {
      const std::uint32_t count = 1 + below(3);
      const bool down = below(2) == 1;
      const std::int64_t step = width + below(2);
      nodes.push_back(
          {node(level, count, down ? step * (count - 1) : 0, down ? -step : step, below(1000) / 1e3, below(1000) / 1e3)});
      width = static_cast<std::uint32_t>(step) * count;
    }
    GeometryProfile profile = tree_of(nodes, width + 1, surfaces);
    const std::vector<Sector> sectors = expand(profile);
    for (std::uint32_t n = below(6), at = 0; n > 0 && sectors.size() > 100; --n) {
      at += 1 + below(static_cast<std::uint32_t>(sectors.size() / 12));
      const std::uint32_t count = 1 + below(7);
      const Sector& s = sectors[at];
      profile.slips.push_back({{s.cylinder, s.head, s.sector}, count});
      at += count;
    }
    SCOPED_TRACE(i);
    check_all(profile, sectors);
  }
}

TEST(TreeLayout, WhatDoesNotCloseIsRefused) {
  const auto refused = [](std::vector<std::vector<PatternRun>> nodes, const std::string& key, const std::string& text) {
    expect_refused(tree_of(std::move(nodes), 10, 2), key, text);
  };
  refused({}, "geometry.node", "is missing: at least one node");
  refused({{}}, "geometry.node.0.runs", "found no run");
  refused({{tracks(11, 0, 1, 0, 5)}}, "geometry.node.0.runs", "has tracks on cylinders 0 to 10, expected 0 to 9");
  refused({{tracks(3, 1, -1, 0, 5)}}, "geometry.node.0.runs", "has tracks on cylinders -1 to 1");
  refused({{tracks(1, 0, 1, 2, 5)}}, "geometry.node.0.runs", "run 0: found head 2, expected 0 to 1");
  refused({{part(tracks(1, 0, 1, 0, 5), 3, 3)}}, "geometry.node.0.runs",
          "run 0: found 3 sectors from sector 3 on, but the track has 5");
  refused({{node(0, 1, 0, 1)}}, "geometry.node.0.runs", "run 0: found node 0, expected an earlier one");
  refused({{tracks(1, 0, 1, 0, 5)}, {tracks(1, 1, 1, 0, 5), node(2, 1, 0, 1)}, {node(1, 1, 0, 1)}}, "geometry.node.1.runs",
          "run 1: found node 2, expected an earlier one: 0 to 0");
  refused({{tracks(4, 0, 1, 0, 5), tracks(2, 3, 1, 0, 5)}}, "geometry.node.0.runs", "on surface 0, cylinder 3 of the node");
  refused({{tracks(4, 0, 1, 0, 5)}, {node(0, 2, 0, 3)}}, "geometry.node.1.runs",
          "instances of 4 cylinders follow each other after 3");
  refused({{tracks(2, 0, 0, 0, 5)}}, "geometry.node.0.runs", "instances of 1 cylinders follow each other after 0");
  refused({{part(tracks(1, 0, 1, 0, 9), 0, 5), part(tracks(1, 0, 1, 0, 9), 4, 3)}}, "geometry.node.0.runs",
          "two runs have the same sectors");
  refused({{tracks(2, 0, 4, 0, 5)}, {node(0, 1, 0, 1), tracks(2, 3, 1, 0, 5)}}, "geometry.node.1.runs",
          "cylinder 4 of the node");
  std::vector<std::vector<PatternRun>> deep(1, {tracks(1, 0, 1, 0, 5)});
  for (std::uint32_t i = 0; i < 16; ++i) deep.push_back({node(i, 1, 0, 1)});
  refused(deep, "geometry.node.16.runs", "nested more than 16 deep");
  std::vector<std::vector<PatternRun>> huge(1, {tracks(10, 0, 1, 0, 65535)});
  for (std::uint32_t i = 0; i < 8; ++i) huge.push_back({node(i, 0xFFFF'FFFF, 0, 2)});
  refused(huge, "geometry.node.1.runs", "more than 2^48 sectors");
  GeometryProfile many;
  many.layout = LayoutKind::Tree;
  many.cylinders = 10;
  many.surfaces = 2;
  many.nodes.resize(kMaxPatternNodes + 1, {{tracks(1, 0, 1, 0, 5)}});
  expect_refused(many, "geometry.node", "found 65537 nodes, expected at most 65536");
}

/// A drive of 22 TB: 20 surfaces of different density, 60 zones, bands of 128 tracks.
GeometryProfile large_drive() {
  GeometryProfile profile = banded(20, 128, Mapping::Serpentine);
  profile.cylinders = 560000;
  profile.physical_sector_bytes = 4096;
  profile.zones.clear();
  for (std::uint32_t z = 0; z < 60; ++z) profile.zones.push_back(zone(z * 9333, z * 9333 + 9332, (5068 - z * 45) / 8 * 8));
  for (std::uint32_t h = 0; h < 20; ++h) profile.surface_densities.push_back(0.97 + 0.003 * h);
  return profile;
}

TEST(TreeLayout, ALargeDrive) {
  const GeometryProfile profile = large_drive();
  const Geometry geometry(profile);
  EXPECT_GT(geometry.capacity_bytes(), 21'000'000'000'000u);
  EXPECT_EQ(geometry.zone_count(), 60u);
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    const Lba block(random() % geometry.block_count());
    const PhysicalAddress at = geometry.to_physical(block);
    ASSERT_EQ(geometry.to_logical(at), block);
    const TrackRun run = geometry.track_run(block, 1u << 20);
    ASSERT_EQ(run.sector, at.sector.value);
    ASSERT_EQ(run.start_angle, geometry.angle_of(at));
    ASSERT_EQ(run.sector + run.blocks, run.track_sectors) << "to the track's end";
  }
}

#ifdef __GLIBC__
TEST(TreeLayout, ALargeDriveTakesLittleMemory) {
  if (testing::kSanitized) GTEST_SKIP() << "allocations are larger there";
  profile::DriveProfile drive;
  drive.geometry = large_drive();
  drive.geometry.surface_shifts_tracks.assign(20, 0);
  drive.seek.points_us = {{1, 230.0}, {560000, 14300.0}};
  drive.seek.write_points_us = {{1, 320.0}, {560000, 15300.0}};
  drive.rpm = 7200;
  const auto used = [] {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  const std::size_t before = used();
  const AccessPlanner planner(drive);
  EXPECT_LT(used() - before, std::size_t{16} << 20);
}
#endif

}  // namespace
}  // namespace platter::mechanics
