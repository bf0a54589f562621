// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/core/types.h"
#include "platter/mechanics/drive_profile.h"
#include "platter/mechanics/geometry.h"
#include "platter/mechanics/rotation.h"
#include "platter/mechanics/seek_curve.h"

namespace platter::mechanics {

/// The drive between two accesses: where arm and heads stand, what they did last, and what the host bus still carries.
struct HeadState {
  Cylinder cylinder;
  Head head;
  bool last_was_write = false;
  Picoseconds bus_free = 0;  ///< when the last block read so far has left; a planner does not look at it
};

/// A request as the mechanics see it: everything that does not depend on when it is served, computed once.
struct Extent {
  Lba first;
  std::uint32_t blocks = 0;
  bool write = false;
  Cylinder cylinder;  ///< of the first sector
  Head head;
  Cylinder end_cylinder;  ///< of the last sector
  Head end_head;
  Angle start_angle = 0;  ///< where the first sector starts
  Angle end_angle = 0;    ///< where the last sector ends
  Picoseconds start_phase = 0;  ///< the same as phases
  Picoseconds end_phase = 0;
  Picoseconds transfer = 0;     ///< from the first sector's start to the last one's end, crossings included
  Picoseconds bus_finish = 0;   ///< the same until the last block has left over a free bus (reads)
  std::uint32_t tracks = 0;
};

/// Parts of one access, in the order in which they pass.
struct AccessTime {
  Picoseconds overhead = 0;
  Picoseconds seek = 0;  ///< arm, or head switch where that takes longer
  Picoseconds settle = 0;
  Picoseconds data_wait = 0;  ///< write data still on the bus
  Picoseconds rotation = 0;
  Picoseconds transfer = 0;

  Picoseconds positioning() const { return overhead + seek + settle + data_wait + rotation; }
  Picoseconds total() const { return positioning() + transfer; }
};

/// The one timing truth: scheduler, guard, controller, admission and tests all ask it. In-order transfer at constant speed;
/// the end of an access, and so the cost from it to the next, does not depend on when it ran.
class AccessPlanner {
 public:
  /// Throws std::invalid_argument for a profile that describes no drive.
  explicit AccessPlanner(const DriveProfile& profile);

  const Geometry& geometry() const { return geometry_; }
  const SeekCurve& seek_curve() const { return seek_curve_; }
  const Rotation& rotation() const { return rotation_; }
  Picoseconds head_switch() const { return head_switch_; }
  Picoseconds write_settle() const { return write_settle_; }
  Picoseconds bus_block_time() const { return bus_block_time_; }
  Picoseconds overhead(bool write, bool last_was_write) const { return overhead_[write][last_was_write]; }

  /// Geometry of a request. Precondition: it lies on the drive and has at least one block.
  Extent resolve(Lba first, std::uint32_t blocks, bool write) const;

  /// How long the access would take if it began at `now` (>= 0); write data is in the buffer from `data_ready` on.
  AccessTime estimate(const HeadState& head, const Extent& extent, Picoseconds now, Picoseconds data_ready = 0) const {
    return plan(head, extent, rotation_.phase(now), data_ready - now);
  }

  /// The same from a phase instead of a time; `data_wait` is the time from then until write data is in the buffer.
  AccessTime plan(const HeadState& head, const Extent& extent, Picoseconds phase, Picoseconds data_wait) const {
    AccessTime time;
    time.overhead = overhead_[extent.write][head.last_was_write];
    move(head.cylinder, head.head, extent.cylinder, extent.head, extent.write, time.seek, time.settle);
    const Picoseconds before = time.overhead + time.seek + time.settle;
    if (extent.write && data_wait > before) time.data_wait = data_wait - before;
    time.rotation = rotation_.wait(rotation_.phase(phase + before + time.data_wait), extent.start_phase);
    time.transfer = extent.transfer;
    return time;
  }

  /// Carries the access out: as `estimate`, and leaves `head` where the access ends.
  AccessTime commit(HeadState& head, const Extent& extent, Picoseconds now, Picoseconds data_ready = 0) const {
    const AccessTime time = estimate(head, extent, now, data_ready);
    head = end_of(extent);
    return time;
  }

  static HeadState end_of(const Extent& extent) { return {extent.end_cylinder, extent.end_head, extent.write, 0}; }

  /// Time from the end of `from` to the start of `to`'s transfer when `to` begins `delay` after that end. It does not
  /// depend on when `from` ran.
  Picoseconds onward(const Extent& from, const Extent& to, Picoseconds delay) const {
    return delay + plan(end_of(from), to, rotation_.phase(from.end_phase + delay), 0).positioning();
  }

  /// Positioning without the rotational wait: the longer of seek and head switch, and the write settle if anything moved.
  void move(Cylinder cylinder, Head head, Cylinder to_cylinder, Head to_head, bool write, Picoseconds& seek,
            Picoseconds& settle) const {
    const std::uint32_t distance = cylinder > to_cylinder ? cylinder.value - to_cylinder.value
                                                          : to_cylinder.value - cylinder.value;
    seek = seek_curve_(distance);
    settle = 0;
    if (head != to_head && seek < head_switch_) seek = head_switch_;
    if (write && (distance != 0 || head != to_head)) settle = write_settle_ < -seek ? -seek : write_settle_;
  }

 private:
  Geometry geometry_;
  SeekCurve seek_curve_;
  Rotation rotation_;
  Picoseconds head_switch_;
  Picoseconds write_settle_;
  Picoseconds bus_block_time_;
  std::array<std::array<Picoseconds, 2>, 2> overhead_;
};

}  // namespace platter::mechanics
