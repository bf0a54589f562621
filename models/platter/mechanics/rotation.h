// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/core/types.h"

namespace platter::mechanics {

using core::Angle;
using core::Picoseconds;

__extension__ using Wide = unsigned __int128;  ///< for products of two 64-bit numbers

/// A spindle at constant speed: angle 0 passes the heads at time 0 and every `period()` after it.
/// A *phase* is the time within the turn, 0 … period() - 1.
class Rotation {
 public:
  /// `period`: ps, more than 0.
  explicit Rotation(Picoseconds period) : period_(period) {}
  /// Of a speed in turns a minute, to the nearest picosecond. Precondition: more than 0.
  static Rotation from_rpm(double rpm) {
    return Rotation(static_cast<Picoseconds>(60.0 * static_cast<double>(core::kPicosecondsPerSecond) / rpm + 0.5));
  }

  Picoseconds period() const { return period_; }  ///< time of one turn, ps

  /// Time in ps since angle 0 passed the heads last. `now`: absolute, ps, from 0.
  Picoseconds phase(Picoseconds now) const { return now % period_; }

  /// First picosecond of the turn at which `angle` has been reached; 0 (of the next turn) if the turn ends before that.
  Picoseconds phase_of(Angle angle) const {
    const auto phase = static_cast<Picoseconds>((Wide{angle} * static_cast<Wide>(period_) + 0xFFFF'FFFFu) >> 32);
    return phase < period_ ? phase : 0;
  }

  /// The angle under the heads. `now`: absolute, ps, from 0.
  Angle angle_at(Picoseconds now) const {
    return static_cast<Angle>((static_cast<Wide>(phase(now)) << 32) / static_cast<Wide>(period_));
  }

  /// From phase `from` until phase `to` comes round, 0 … period() - 1.
  Picoseconds wait(Picoseconds from, Picoseconds to) const {
    const Picoseconds difference = to - from;
    return difference < 0 ? difference + period_ : difference;
  }

 private:
  Picoseconds period_;
};

}  // namespace platter::mechanics
