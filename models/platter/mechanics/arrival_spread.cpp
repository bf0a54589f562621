// SPDX-License-Identifier: Apache-2.0
#include "platter/mechanics/arrival_spread.h"

#include <fmt/format.h>

#include <stdexcept>

namespace platter::mechanics {

namespace {

constexpr double kLongest_us = 1e5;
constexpr double kEnd = ArrivalSpread::kCut;

/// Probability that a value of the cut distribution exceeds z deviations.
double tail(double z) {
  if (z >= kEnd) return 0;
  if (z <= -kEnd) return 1;
  const double cut_off = core::normal_tail(kEnd);
  return (core::normal_tail(z) - cut_off) / (1 - 2 * cut_off);
}

/// The same in units of 2^-22 at z = 0, 1/128, ..., as the schedulers look it up.
constexpr Picoseconds kSteps = 128;
constexpr int kTailBits = 22;
const std::array<std::uint32_t, kSteps * ArrivalSpread::kCut + 1>& tails() {
  static const auto table = [] {
    std::array<std::uint32_t, kSteps * ArrivalSpread::kCut + 1> values{};
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<std::uint32_t>(tail(static_cast<double>(i) / kSteps) * (1 << kTailBits) + 0.5);
    return values;
  }();
  return table;
}

/// The number of deviations that an arrival exceeds with the probability 1 - `quantile`.
double deviations_of(double quantile) {
  double low = -kEnd;
  double high = kEnd;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (tail(middle) > 1 - quantile ? low : high) = middle;
  }
  return high;
}

}  // namespace

std::string ArrivalSpread::objection(const std::vector<std::pair<std::uint32_t, double>>& points_us) {
  for (std::size_t i = 0; i < points_us.size(); ++i) {
    const auto& [distance, deviation] = points_us[i];
    if (i > 0 && distance <= points_us[i - 1].first)
      return fmt::format("found distance {} behind {}, expected ascending distances", distance, points_us[i - 1].first);
    if (!(deviation >= 0 && deviation <= kLongest_us))
      return fmt::format("found a deviation of {:g} us at {} cylinders, expected 0 to {:.0f}", deviation, distance,
                         kLongest_us);
  }
  return {};
}

ArrivalSpread::ArrivalSpread(const profile::DriveProfile& profile, double guard_quantile) {
  if (!(guard_quantile >= 0 && guard_quantile <= 1))
    throw std::invalid_argument(fmt::format("the guard's quantile is {:g}, expected 0 to 1", guard_quantile));
  const auto& reads = profile.arrival_spread_us;
  const auto& writes = profile.arrival_spread_write_us.empty() ? reads : profile.arrival_spread_write_us;
  for (const auto* points : {&reads, &writes}) {
    if (const std::string why = objection(*points); !why.empty()) throw std::invalid_argument("the arrival's spread: " + why);
    any_ = any_ || std::any_of(points->begin(), points->end(), [](const auto& point) { return point.second > 0; });
  }
  if (!any_) return;
  const auto converted = [](const auto& points) {
    Points exact;
    for (const auto& [distance, us] : points)
      exact.push_back({distance, core::to_picoseconds(us, core::kPicosecondsPerMicrosecond)});
    if (exact.empty()) exact.push_back({0, 0});
    return exact;
  };
  points_ = {converted(reads), converted(writes)};
  guard_deviations_ = static_cast<Picoseconds>(std::max(0.0, deviations_of(guard_quantile)) * kOneDeviation + 0.999);
}

Picoseconds ArrivalSpread::between(const Points& points, std::uint32_t distance) {
  if (distance <= points.front().first) return points.front().second;
  const auto above = std::upper_bound(points.begin(), points.end(), distance,
                                      [](std::uint32_t wanted, const auto& point) { return wanted < point.first; });
  const auto& [x0, y0] = above[-1];
  const auto& [x1, y1] = *above;
  return y0 + (y1 - y0) * Picoseconds{distance - x0} / Picoseconds{x1 - x0};
}

Picoseconds ArrivalSpread::largest() const {
  Picoseconds largest = 0;
  for (const Points& points : points_)
    for (const auto& [distance, deviation] : points) largest = std::max(largest, deviation);
  return largest;
}

Picoseconds ArrivalSpread::share_beyond(Picoseconds late, Picoseconds deviation, Picoseconds period) {
  if (late >= deviation * kCut) return 0;
  const Picoseconds place = late * kSteps;
  const auto step = static_cast<std::size_t>(place / deviation);
  const Picoseconds begin = tails()[step];
  const Picoseconds fall = begin - Picoseconds{tails()[step + 1]};
  const Picoseconds probability = begin - fall * (place % deviation) / deviation;
  return (period * probability) >> kTailBits;
}

double ArrivalSpread::beyond(double late, double deviation) {
  return deviation > 0 ? tail(late / deviation) : late < 0 ? 1 : 0;
}

}  // namespace platter::mechanics
