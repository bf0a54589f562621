// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <systemc>

#include "platter/mechanics/rotation.h"

namespace platter::drive {

/// The spindle motor: turns at constant speed, angle 0 at time 0. It may be stopped, and starts again for the next access. Its angle is
/// always that of a motor that has never stopped.
class Spindle : public sc_core::sc_module {
 public:
  /// `spin_up`: from rest to full speed.
  Spindle(const sc_core::sc_module_name& name, const mechanics::Rotation& rotation, core::Picoseconds spin_up)
      : sc_module(name), rotation_(rotation), spin_up_(spin_up) {}

  const mechanics::Rotation& rotation() const { return rotation_; }
  core::Angle angle_at(core::Picoseconds now) const { return rotation_.angle_at(now); }

  bool stopped() const { return stopped_; }
  /// Number of starts so far, the one at time 0 included.
  std::uint32_t starts() const { return starts_; }
  /// An access that runs goes on to its end.
  void stop() { stopped_ = true; }
  /// An access is wanted at `now`. Returns when the spindle has its speed: `now` or later.
  core::Picoseconds at_speed(core::Picoseconds now) {
    if (stopped_) {
      stopped_ = false;
      ++starts_;
      ready_ = now + spin_up_;
    }
    return std::max(ready_, now);
  }

 private:
  const mechanics::Rotation& rotation_;
  core::Picoseconds spin_up_;
  core::Picoseconds ready_ = 0;
  std::uint32_t starts_ = 1;
  bool stopped_ = false;
};

}  // namespace platter::drive
