// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "platter/mechanics/rotation.h"

namespace platter::drive {

/// The spindle motor: turns at constant speed, angle 0 at time 0.
class Spindle : public sc_core::sc_module {
 public:
  Spindle(const sc_core::sc_module_name& name, const mechanics::Rotation& rotation) : sc_module(name), rotation_(rotation) {}

  const mechanics::Rotation& rotation() const { return rotation_; }
  core::Angle angle_at(core::Picoseconds now) const { return rotation_.angle_at(now); }

 private:
  const mechanics::Rotation& rotation_;
};

}  // namespace platter::drive
