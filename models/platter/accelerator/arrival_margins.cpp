// SPDX-License-Identifier: Apache-2.0
#include "platter/accelerator/arrival_margins.h"

#include <algorithm>

namespace platter::accelerator {

using core::Picoseconds;

namespace {

/// SATF-risk has the probability of a miss as two steps: 1 up to a margin of so many deviations, then this up to the guard's quantile. The
/// second step is the mean of the normal distribution's tail from the margin to 4 deviations, 0.040, rounded up. The margin is a round
/// number without a derivation; a wait of this length misses with probability 0.23. docs/reference/policies.md has other pairs.
constexpr double kExpectedMargin = 0.75;
constexpr double kExpectedRisk = 0.05;

}  // namespace

ArrivalMargins margins_for(const mechanics::AccessPlanner& planner, const scheduling::FixedPointFormat& format,
                           scheduling::ArrivalCost cost, double margin_deviations, const ArrivalMargins& asked,
                           const GivenMargins& given) {
  const mechanics::ArrivalSpread& spread = planner.arrival_spread();
  if (!spread.any()) return asked;
  const scheduling::TickScale scale(format, planner.rotation().period());
  const auto ticks = [&](double time) {
    return static_cast<std::uint32_t>(std::min<std::int64_t>(scale.ceil(static_cast<Picoseconds>(time)), format.angle_mask()));
  };
  // A register holds one value. The guard needs the largest deviation; the cost takes that of reads over an eighth of the cylinders.
  const auto typical = static_cast<double>(spread.deviation(planner.geometry().cylinders() / 8, false));
  const bool expected = cost == scheduling::ArrivalCost::Expected;
  const double margin = typical * (expected                                  ? kExpectedMargin
                                   : cost == scheduling::ArrivalCost::Margin ? margin_deviations
                                                                             : 0);
  ArrivalMargins margins = asked;
  if (!given.margin_ticks) margins.margin_ticks = ticks(margin);
  const std::uint32_t guarded = ticks(static_cast<double>(spread.guarded(spread.largest()))) + 1;
  if (!given.risk_ticks) margins.risk_ticks = guarded > margins.margin_ticks ? guarded - margins.margin_ticks : 0;
  if (!given.risk_probability) margins.risk_probability = expected ? kExpectedRisk : 0;
  return margins;
}

}  // namespace platter::accelerator
