// SPDX-License-Identifier: Apache-2.0
#include "platter/mapping/eager/free_search.h"

#include <algorithm>

namespace platter::eager {

FreeSearch::FreeSearch(const mechanics::AccessPlanner& planner, const BlockMap& map, std::uint32_t way_cylinders)
    : planner_(planner),
      map_(map),
      way_cylinders_(way_cylinders),
      shortest_transfer_(planner.rotation().period()),
      shortest_travel_(map.layout().cylinders() + 1, core::kNoDeadline) {
  const BlockLayout& layout = map.layout();
  std::uint32_t most = 1;
  for (std::size_t i = 0; i < std::size_t{layout.cylinders()} * layout.surfaces(); ++i)
    most = std::max(most, layout.track(i).sectors);
  shortest_transfer_ = planner.rotation().period() * Picoseconds{layout.sectors_per_block()} / most;
  for (std::uint32_t distance = layout.cylinders() - 1; distance > 0; --distance) {
    Picoseconds seek = 0;
    Picoseconds settle = 0;
    planner.move(Cylinder(0), Head(0), Cylinder(distance), Head(0), true, seek, settle);
    shortest_travel_[distance] = std::min(shortest_travel_[distance + 1], seek + settle);
  }
}

Departure FreeSearch::departure(const mechanics::HeadState& head, Picoseconds now, Picoseconds data_ready,
                                Picoseconds overhead_end) const {
  Departure from;
  from.head = head;
  from.phase = planner_.rotation().phase(now);
  from.overhead = planner_.overhead_overlap() ? std::max<Picoseconds>(0, overhead_end - now)
                                              : planner_.command_overhead(true, head.last_was_write);
  from.data_wait = data_ready - now;
  return from;
}

FreeBlock FreeSearch::first_free(const Departure& from, Cylinder cylinder, Head head, Picoseconds travel) const {
  ++tracks_examined_;
  const BlockLayout& layout = map_.layout();
  const BlockLayout::Track& track = layout.track(layout.track_index(cylinder, head));
  if (track.places == 0) return {};
  const mechanics::Rotation& rotation = planner_.rotation();
  const Picoseconds arrival = rotation.phase(from.phase + travel);
  const Place place = map_.next_free(track, layout.index_after(track, arrival));
  if (place == BlockMap::kNoPlace) return {};
  const std::uint32_t index = place.value - track.first_place;
  FreeBlock block;
  block.place = place;
  block.cylinder = cylinder;
  block.head = head;
  const Picoseconds start = layout.start_phase(track, index);
  block.end_phase = layout.end_phase(track, index);
  const bool whole_turn = layout.sectors_per_block() == track.sectors;
  block.end = travel + rotation.wait(arrival, start) + (whole_turn ? rotation.period() : rotation.wait(start, block.end_phase));
  return block;
}

FreeBlock FreeSearch::on_track(const Departure& from, Cylinder cylinder, Head head) const {
  return first_free(from, cylinder, head, travel(from, cylinder, head));
}

void FreeSearch::improve(const Departure& from, Cylinder cylinder, FreeBlock& best) const {
  if (map_.free_on_cylinder(cylinder) == 0) return;
  const std::uint32_t surfaces = map_.layout().surfaces();
  const Head same = from.head.head;
  const Picoseconds there = travel(from, cylinder, same);
  // All other heads take the same time.
  const Picoseconds other = surfaces > 1 ? travel(from, cylinder, Head(same.value == 0 ? 1 : 0)) : 0;
  for (std::uint32_t h = 0; h < surfaces; ++h) {
    const FreeBlock block = first_free(from, cylinder, Head(h), h == same.value ? there : other);
    if (block && (!best || block.end < best.end)) best = block;
  }
}

FreeBlock FreeSearch::closest(const Departure& from, bool& upward) const {
  FreeBlock best;
  improve(from, from.head.cylinder, best);
  for (int turns = 0; turns < 2; ++turns, upward = !upward) {
    const std::uint32_t at = from.head.cylinder.value;
    const std::uint32_t room = upward ? map_.layout().cylinders() - 1 - at : at;
    for (std::uint32_t distance = 1; distance <= room; ++distance) {
      if (best && std::max(from.overhead + shortest_travel_[distance], from.data_wait) + shortest_transfer_ >= best.end) break;
      improve(from, Cylinder(upward ? at + distance : at - distance), best);
    }
    if (best) break;
  }
  return best;
}

FreeBlock FreeSearch::in_gap(const Departure& from, const mechanics::Extent& read, Picoseconds direct,
                             Picoseconds overhead_left) const {
  FreeBlock best;
  const auto look_at = [&](std::uint32_t cylinder) {
    if (map_.free_on_cylinder(Cylinder(cylinder)) == 0) return;
    for (std::uint32_t h = 0; h < map_.layout().surfaces(); ++h) {
      const FreeBlock block = on_track(from, Cylinder(cylinder), Head(h));
      if (!block || (best && block.end >= best.end) || block.end >= direct) continue;
      if (block.end + onward(block, read, overhead_left) <= direct) best = block;
    }
  };
  const std::int64_t at = from.head.cylinder.value;
  const std::int64_t target = read.cylinder.value;
  look_at(from.head.cylinder.value);
  std::int64_t last = at;
  for (std::int64_t i = 1; i <= way_cylinders_ + 1; ++i) {  // the last one is the read's
    const std::int64_t cylinder = at + (target - at) * i / (std::int64_t{way_cylinders_} + 1);
    if (cylinder != last) look_at(static_cast<std::uint32_t>(cylinder));
    last = cylinder;
  }
  return best;
}

}  // namespace platter::eager
