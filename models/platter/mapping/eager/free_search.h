// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "platter/mapping/eager/block_map.h"
#include "platter/scheduling/free_space_if.h"

namespace platter::eager {

using scheduling::Departure;
using scheduling::FreeBlock;

/// Finds free blocks by when a write to them would be complete (Zhang et al. 2002, section "Eager-writing-based free bandwidth
/// scheduling"). Of a track only the free block that comes first counts: no other one there can be complete earlier.
class FreeSearch : public scheduling::FreeSpaceIf {
 public:
  FreeSearch(const mechanics::AccessPlanner& planner, const BlockMap& map, std::uint32_t way_cylinders);

  const BlockMap& map() const { return map_; }
  /// Tracks on which searches so far have looked for a free block.
  std::uint64_t tracks_examined() const { return tracks_examined_; }
  std::uint32_t gap_tracks() const override { return (2 + way_cylinders_) * map_.layout().surfaces(); }
  std::uint32_t surfaces() const override { return map_.layout().surfaces(); }

  Departure departure(const mechanics::HeadState& head, Picoseconds now, Picoseconds data_ready,
                      Picoseconds overhead_end) const override;

  /// At `phase`, with the data of the write in the buffer.
  Departure departure_at(const mechanics::HeadState& head, Picoseconds phase) const {
    return {head, phase, planner_.overhead(true, head.last_was_write), 0};
  }
  Departure departure_after(const FreeBlock& block) const override { return departure_at(after(block), block.end_phase); }
  Picoseconds shortest_write(const Departure& from) const override { return from.overhead + shortest_transfer_; }

  /// The free block of a track that is complete first; nothing if it has none.
  FreeBlock on_track(const Departure& from, Cylinder cylinder, Head head) const;

  FreeBlock closest(const Departure& from, bool& upward) const override;

  /// Looked at: the arm's cylinder, the read's, and `way_cylinders` between them.
  FreeBlock in_gap(const Departure& from, const mechanics::Extent& read, Picoseconds direct,
                   Picoseconds overhead_left) const override;

  /// The head after a write to `block`.
  static mechanics::HeadState after(const FreeBlock& block) { return {block.cylinder, block.head, true, 0}; }

  /// How long an access to `to` takes that begins when `block` has been written; as `direct` above.
  Picoseconds onward(const FreeBlock& block, const mechanics::Extent& to, Picoseconds overhead_left) const {
    return planner_.plan(after(block), to, block.end_phase, 0, overhead_left - block.end).total();
  }

 private:
  /// Where it ends earlier than `best` does.
  void improve(const Departure& from, Cylinder cylinder, FreeBlock& best) const;
  FreeBlock first_free(const Departure& from, Cylinder cylinder, Head head, Picoseconds travel) const;
  /// From the departure until the head may write on a track.
  Picoseconds travel(const Departure& from, Cylinder cylinder, Head head) const {
    Picoseconds seek = 0;
    Picoseconds settle = 0;
    planner_.move(from.head.cylinder, from.head.head, cylinder, head, true, seek, settle);
    return std::max(from.overhead + seek + settle, from.data_wait);
  }

  const mechanics::AccessPlanner& planner_;
  const BlockMap& map_;
  std::uint32_t way_cylinders_;
  Picoseconds shortest_transfer_;
  mutable std::uint64_t tracks_examined_ = 0;
  std::vector<Picoseconds> shortest_travel_;  ///< by distance: least seek and settling over so many cylinders or more
};

}  // namespace platter::eager
