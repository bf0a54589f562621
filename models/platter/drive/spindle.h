// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <systemc>

#include "platter/core/sc_time.h"
#include "platter/drive/energy_account.h"
#include "platter/mechanics/rotation.h"

namespace platter::drive {

/// The spindle motor: turns at constant speed, angle 0 at time 0. It may be stopped, and starts again for the next access. A profile may
/// have it stopped, or slowed down, after a time without an access. Its angle is always that of a motor that has never stopped.
class Spindle : public sc_core::sc_module {
 public:
  /// `spin_up`: from rest to full speed.
  Spindle(const sc_core::sc_module_name& name, const mechanics::Rotation& rotation, core::Picoseconds spin_up)
      : sc_module(name), rotation_(rotation), spin_up_(spin_up) {}

  const mechanics::Rotation& rotation() const { return rotation_; }
  core::Angle angle_at(core::Picoseconds now) const { return rotation_.angle_at(now); }

  /// Null: no energy is accounted, and the drive never rests by itself.
  void set_energy(EnergyAccount* energy) { energy_ = energy; }

  bool stopped() const { return energy_ != nullptr ? energy_->stopped(core::now_ps()) : stopped_; }
  /// An access would have to wait for the spindle, or until the heads are loaded.
  bool rests() const { return energy_ != nullptr ? energy_->rests(core::now_ps()) : stopped_; }
  /// Number of starts so far, the one at time 0 included.
  std::uint32_t starts() const { return starts_; }
  /// An access that runs goes on to its end.
  void stop() {
    if (energy_ != nullptr) return energy_->stop(core::now_ps());
    stopped_ = true;
  }
  /// An access is wanted at `now`. Returns when the spindle has its speed and the heads are loaded: `now` or later.
  core::Picoseconds at_speed(core::Picoseconds now) {
    if (energy_ != nullptr) {
      if (const auto waking = energy_->wake(now)) {
        if (waking->starts) ++starts_;
        ready_ = waking->ready;
      }
    } else if (stopped_) {
      ++starts_;
      ready_ = now + spin_up_;
      stopped_ = false;
    }
    return std::max(ready_, now);
  }

 private:
  const mechanics::Rotation& rotation_;
  EnergyAccount* energy_ = nullptr;
  core::Picoseconds spin_up_;
  core::Picoseconds ready_ = 0;
  std::uint32_t starts_ = 1;
  bool stopped_ = false;  ///< without an account of energy, which knows it otherwise
};

}  // namespace platter::drive
