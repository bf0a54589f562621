// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <vector>

#include "platter/mapping/eager/block_map.h"

namespace platter::testing {

/// A drive for pencil and paper: two surfaces, 64 sectors a track in 8 blocks of 4 KB, 100 us a sector (6.4 ms a turn), no skew. A
/// seek over d cylinders takes 1,000 + 10 (d - 1) us, a head switch 500 us, a write's settling 200 us; no overhead. Block i of every
/// track begins at the phase of i * 800 us.
inline profile::DriveProfile paper_drive(std::uint32_t cylinders = 32) {
  profile::DriveProfile p;
  p.name = "paper";
  p.source = "made up";
  p.geometry.cylinders = cylinders;
  p.geometry.surfaces = 2;
  profile::ZoneProfile zone;
  zone.last_cylinder = cylinders - 1;
  zone.sectors_per_track = 64;
  p.geometry.zones = {zone};
  p.seek.points_us = {{1, 1000.0}, {cylinders - 1, 1000.0 + 10 * (cylinders - 2)}};
  p.rpm = 9375;
  p.head_switch_us = 500;
  p.write_settle_us = 200;
  return p;
}

/// The place of block `index` of a track of the drive above.
inline eager::Place paper_place(std::uint32_t cylinder, std::uint32_t head, std::uint32_t index) {
  return eager::Place((cylinder * 2 + head) * 8 + index);
}

/// Every place but these holds a block.
inline eager::BlockMap map_with_free(const eager::BlockLayout& layout, const std::vector<eager::Place>& free) {
  const double blocks = static_cast<double>(layout.places() - free.size());
  eager::BlockMap map(layout, layout.places() / (blocks + 0.5));
  std::set<std::uint32_t> left_out;
  for (const eager::Place place : free) left_out.insert(place.value);
  std::uint32_t block = 0;
  for (std::uint32_t place = 0; place < layout.places(); ++place)
    if (left_out.count(place) == 0) map.put(eager::Block(block++), eager::Place(place));
  return map;
}

}  // namespace platter::testing
