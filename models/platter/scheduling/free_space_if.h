// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/mechanics/access_planner.h"

namespace platter::scheduling {

/// A place on the media where a write may go, numbered by the mapping.
using Place = core::Strong<std::uint32_t, struct PlaceMarker>;
inline constexpr Place kNoPlace{~std::uint32_t{0}};  ///< none

/// The head's state at a departure, and what a write that leaves from there waits for. Times count from the departure.
struct Departure {
  mechanics::HeadState head;        ///< state at the departure
  core::Picoseconds phase = 0;      ///< at the departure
  core::Picoseconds overhead = 0;   ///< before the arm moves
  core::Picoseconds data_wait = 0;  ///< until the data is in the buffer
};

/// A free block as the target of a write.
struct FreeBlock {
  Place place = kNoPlace;           ///< for Decision::write(); kNoPlace: there is no such block
  core::Cylinder cylinder;          ///< of the block
  core::Head head;                  ///< of the block
  core::Picoseconds end = 0;        ///< from the departure until it is written
  core::Picoseconds end_phase = 0;  ///< at that time

  /// Is there such a block?
  explicit operator bool() const { return place != kNoPlace; }
};

/// The free blocks, as a policy sees them that decides where writes go. The mapping of a drive with free blocks implements it.
class FreeSpaceIf {
 public:
  virtual ~FreeSpaceIf() = default;

  /// Number of tracks that a search for a gap examines.
  virtual std::uint32_t gap_tracks() const = 0;
  /// Data surfaces of the drive.
  virtual std::uint32_t surfaces() const = 0;

  /// The departure at `now` from the state `head`. `data_ready`, `overhead_end`: of the write (see Command).
  virtual Departure departure(const mechanics::HeadState& head, core::Picoseconds now, core::Picoseconds data_ready,
                              core::Picoseconds overhead_end) const = 0;
  /// The departure right after a write to `block`, with the next write's data in the buffer.
  virtual Departure departure_after(const FreeBlock& block) const = 0;
  /// Lower bound of the time of a write from there, wherever it goes.
  virtual core::Picoseconds shortest_write(const Departure& from) const = 0;

  /// The free block whose write ends first, among those on the arm's cylinder and beyond it in the direction `upward`. If there is none up
  /// to the edge, the function inverts `upward` and looks in the other direction.
  virtual FreeBlock closest(const Departure& from, bool& upward) const = 0;
  /// The free block whose write ends first, among those whose write does not delay `read`; none if there is no such block. `direct`: time from
  /// the departure until the read ends, if the head goes to it at once. `overhead_left`: what is left of the read's overhead, where
  /// overheads run from the arrival.
  virtual FreeBlock in_gap(const Departure& from, const mechanics::Extent& read, core::Picoseconds direct,
                           core::Picoseconds overhead_left) const = 0;
};

}  // namespace platter::scheduling
