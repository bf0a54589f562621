// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platter/mechanics/access_planner.h"
#include "platter/scheduling/fixed_point.h"
#include "platter/scheduling/policies.h"

namespace platter::accelerator {

/// How much the accelerator is to charge for late arrivals, in ticks.
struct ArrivalMargins {
  std::uint32_t margin_ticks = 0;  ///< in addition to the least margin, which covers rounding
  std::uint32_t risk_ticks = 0;    ///< a rotational wait of less than this beyond the margin may miss the sector ...
  double risk_probability = 0.5;   ///< ... with this probability
};

/// Which of the margins the caller has set. The others follow from the spread of the drive's arrivals.
struct GivenMargins {
  bool margin_ticks = false;      ///< ArrivalMargins::margin_ticks
  bool risk_ticks = false;        ///< ArrivalMargins::risk_ticks
  bool risk_probability = false;  ///< ArrivalMargins::risk_probability
};

/// The margins for a policy on a drive: `asked`, and what is not given by the spread of the arrivals. A drive without one has `asked`.
/// The guard counts on the arrival at its quantile, whatever the policy's cost is.
ArrivalMargins margins_for(const mechanics::AccessPlanner& planner, const scheduling::FixedPointFormat& format,
                           scheduling::ArrivalCost cost, double margin_deviations, const ArrivalMargins& asked,
                           const GivenMargins& given);

}  // namespace platter::accelerator
