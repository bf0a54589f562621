// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/mechanics/access_planner.h"

namespace platter::scheduling {

/// How a drive's scheduling counts with the spread of the arrivals. No effect on a drive whose arrivals have none.
struct ArrivalParameters {
  double guard_quantile = mechanics::kGuardQuantile;  ///< of the arrival that the deadline guard counts on
  double margin_deviations = 1;                       ///< of SPTF(margin)

  /// The margin in units of 1 / 65,536 deviation.
  core::Picoseconds margin() const { return static_cast<core::Picoseconds>(margin_deviations * 65'536); }
};

}  // namespace platter::scheduling
