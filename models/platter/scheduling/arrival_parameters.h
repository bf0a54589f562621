// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/mechanics/access_planner.h"

namespace platter::scheduling {

/// How a drive's scheduling counts with the spread of the arrivals. No effect on a drive whose arrivals have none.
struct ArrivalParameters {
  /// Quantile of the arrival for which the deadline guard computes, 0 to 1. It is the key of a scenario, and engines do not read it: a program
  /// sets drive::DriveConfig::guard_quantile instead.
  double guard_quantile = mechanics::kGuardQuantile;
  /// SPTF(margin): an arrival less than this many standard deviations before its sector is charged one more turn.
  double margin_deviations = 1;

  /// The margin in units of 1 / 65,536 deviation.
  core::Picoseconds margin() const { return static_cast<core::Picoseconds>(margin_deviations * 65'536); }
};

}  // namespace platter::scheduling
