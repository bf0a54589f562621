// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/mechanics/access_planner.h"

namespace platter::scheduling {

/// A place on the media where a write may go, by a number of the mapping's.
using Place = core::Strong<std::uint32_t, struct PlaceMarker>;
inline constexpr Place kNoPlace{~std::uint32_t{0}};

/// The head and what a write that leaves from there waits for; times from the departure on.
struct Departure {
  mechanics::HeadState head;
  core::Picoseconds phase = 0;      ///< at the departure
  core::Picoseconds overhead = 0;   ///< before the arm moves
  core::Picoseconds data_wait = 0;  ///< until the data is in the buffer
};

/// A free block as the target of a write.
struct FreeBlock {
  Place place = kNoPlace;
  core::Cylinder cylinder;
  core::Head head;
  core::Picoseconds end = 0;        ///< from the departure until it is written
  core::Picoseconds end_phase = 0;  ///< where that is

  explicit operator bool() const { return place != kNoPlace; }
};

/// Where free blocks are, to a policy that decides where a write goes; the mapping's of a drive that has them.
class FreeSpaceIf {
 public:
  virtual ~FreeSpaceIf() = default;

  /// Tracks that a search for a gap looks at.
  virtual std::uint32_t gap_tracks() const = 0;
  virtual std::uint32_t surfaces() const = 0;

  virtual Departure departure(const mechanics::HeadState& head, core::Picoseconds now, core::Picoseconds data_ready,
                              core::Picoseconds overhead_end) const = 0;
  /// Right after a write to `block`, with the next one's data in the buffer.
  virtual Departure departure_after(const FreeBlock& block) const = 0;
  /// No write from there takes less, wherever it goes.
  virtual core::Picoseconds shortest_write(const Departure& from) const = 0;

  /// The free block that is complete first, of those on the arm's cylinder and beyond it in one direction; the direction is
  /// turned where there is none up to the edge.
  virtual FreeBlock closest(const Departure& from, bool& upward) const = 0;
  /// The free block that is complete first, of those after which `read` still ends `direct` after the departure, as if the head
  /// had gone there at once. `overhead_left`: of the read, where overheads run from the arrival.
  virtual FreeBlock in_gap(const Departure& from, const mechanics::Extent& read, core::Picoseconds direct,
                           core::Picoseconds overhead_left) const = 0;
};

}  // namespace platter::scheduling
