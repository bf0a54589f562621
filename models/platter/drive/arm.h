// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/mechanics/access_planner.h"

namespace platter::drive {

/// Position of the arm and the selected head, and the arm's position while it moves.
class Arm {
 public:
  /// `home`: the head in use at power-on.
  explicit Arm(core::Head home = core::Head(0)) : home_(home) { state_.head = home; }

  const mechanics::HeadState& state() const { return state_; }

  /// The arm leaves for `target` at `start` and arrives `duration` later.
  void travel(const mechanics::HeadState& target, core::Picoseconds start, core::Picoseconds duration) {
    from_ = state_.cylinder;
    start_ = start;
    duration_ = duration;
    travel_to_ = target.cylinder;
    state_ = target;
  }
  /// The access ended on another track than the one on which it began; the arm has followed the data.
  void follow(const mechanics::HeadState& end) {
    state_ = end;
    travel_to_ = end.cylinder;
  }

  /// The arm parks at cylinder 0.
  void park(core::Picoseconds now) {
    mechanics::HeadState parked;
    parked.head = home_;
    travel(parked, now, 0);
  }

  /// Type of the last command; the overhead of the next one depends on it.
  void set_last_was_write(bool write) { state_.last_was_write = write; }

  /// Cylinder under the heads at `now`, interpolated during a seek (constant acceleration, then constant braking).
  std::uint32_t cylinder_at(core::Picoseconds now) const {
    if (now <= start_) return from_.value;
    if (now >= start_ + duration_) return travel_to_.value;
    const double x = static_cast<double>(now - start_) / static_cast<double>(duration_);
    const double share = x < 0.5 ? 2 * x * x : 1 - 2 * (1 - x) * (1 - x);
    return static_cast<std::uint32_t>(from_.value + share * (static_cast<double>(travel_to_.value) - from_.value) + 0.5);
  }

 private:
  core::Head home_;
  mechanics::HeadState state_;
  core::Cylinder from_;
  core::Cylinder travel_to_;
  core::Picoseconds start_ = 0;
  core::Picoseconds duration_ = 0;
};

}  // namespace platter::drive
