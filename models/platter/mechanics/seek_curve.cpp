// SPDX-License-Identifier: Apache-2.0
#include "platter/mechanics/seek_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>

namespace platter::mechanics {

namespace {

using Curve = std::function<double(std::uint32_t)>;  // microseconds; used while loading only

Curve table_curve(const profile::SeekProfile& profile) {
  const auto& points = profile.points_us;
  if (points.size() < 2) throw std::invalid_argument("a seek table needs at least two points");
  for (std::size_t i = 0; i < points.size(); ++i)
    if (points[i].first == 0 || (i > 0 && points[i].first <= points[i - 1].first))
      throw std::invalid_argument("seek points must be at ascending distances from 1; point " + std::to_string(i) + " is at " +
                                  std::to_string(points[i].first));
  return [points](std::uint32_t distance) {
    if (distance <= points.front().first) return points.front().second;
    const auto at = std::lower_bound(points.begin() + 1, points.end() - 1, distance,
                                     [](const auto& point, std::uint32_t wanted) { return point.first < wanted; });
    const auto i = static_cast<std::size_t>(at - points.begin());
    const auto& [x0, y0] = points[i - 1];
    const auto& [x1, y1] = points[i];
    return y0 + (y1 - y0) * (static_cast<double>(distance) - x0) / (static_cast<double>(x1) - x0);
  };
}

Curve sqrt_linear_curve(const profile::SeekProfile& p) {
  return [p](std::uint32_t distance) {
    return distance <= p.knee_cylinders ? p.a_us + p.b_us * std::sqrt(distance) : p.c_us + p.d_us * distance;
  };
}

Curve three_point_curve(const profile::SeekProfile& p, std::uint32_t cylinders) {
  // Lee and Katz (1991): a + b sqrt(d - 1) + c (d - 1) through the three points.
  const std::array<double, 3> x{0.0, (cylinders - 1) / 3.0 - 1, cylinders - 2.0};
  const std::array<double, 3> y{p.single_us, p.average_us, p.full_us};
  const double r1 = std::sqrt(x[1]) - std::sqrt(x[0]);
  const double r2 = std::sqrt(x[2]) - std::sqrt(x[0]);
  const double s1 = x[1] - x[0];
  const double s2 = x[2] - x[0];
  const double determinant = r1 * s2 - r2 * s1;
  const double b = ((y[1] - y[0]) * s2 - (y[2] - y[0]) * s1) / determinant;
  const double c = (r1 * (y[2] - y[0]) - r2 * (y[1] - y[0])) / determinant;
  const double a = y[0] - b * std::sqrt(x[0]) - c * x[0];
  return [a, b, c](std::uint32_t distance) { return a + b * std::sqrt(distance - 1.0) + c * (distance - 1.0); };
}

}  // namespace

std::string SeekCurve::objection(const profile::SeekProfile& p, std::uint32_t cylinders) {
  if (p.model != profile::SeekModel::ThreePoint || cylinders < 2) return {};
  if (cylinders < 5) return fmt::format("found {} cylinders, expected 5 or more for three different distances", cylinders);
  if (p.full_us < p.single_us)
    return fmt::format("found full_us = {:g}, less than single_us = {:g}, expected a full stroke that takes longer", p.full_us,
                       p.single_us);
  // With less, b is below 0 and the curve falls at its begin; with more, it falls before the full stroke.
  const double share = ((cylinders - 1) / 3.0 - 1) / (cylinders - 2.0);
  const double least = p.single_us + (p.full_us - p.single_us) * share;
  const double most = p.single_us + (p.full_us - p.single_us) * (2 * std::sqrt(share) - share);
  constexpr double kRounding = 0.01;  // us, of times that are written with few digits
  if (p.average_us >= least - kRounding && p.average_us <= most + kRounding) return {};
  return fmt::format(
      "found {:g} us for a third of the stroke, expected {:.0f} to {:.0f} beside single_us = {:g} and full_us = {:g}: longer "
      "seeks would be shorter",
      p.average_us, std::ceil(least), std::floor(most), p.single_us, p.full_us);
}

SeekCurve SeekCurve::of_writes(const profile::SeekProfile& profile, std::uint32_t cylinders) {
  profile::SeekProfile writes;
  writes.points_us = profile.write_points_us;
  return {writes, cylinders};
}

SeekCurve::SeekCurve(const profile::SeekProfile& profile, std::uint32_t cylinders, double same_track_us) {
  if (const std::string contradiction = objection(profile, cylinders); !contradiction.empty())
    throw std::invalid_argument("average_us: " + contradiction);
  Curve curve;
  switch (profile.model) {
    case profile::SeekModel::Table: curve = table_curve(profile); break;
    case profile::SeekModel::SqrtLinear: curve = sqrt_linear_curve(profile); break;
    case profile::SeekModel::ThreePoint: curve = three_point_curve(profile, cylinders); break;
  }
  // Measured distances replace the formula.
  if (profile.model != profile::SeekModel::Table)
    curve = [formula = std::move(curve), &profile](std::uint32_t distance) {
      const auto point = std::find_if(profile.points_us.begin(), profile.points_us.end(),
                                      [distance](const auto& p) { return p.first == distance; });
      return point != profile.points_us.end() ? point->second : formula(distance);
    };
  nanoseconds_.assign(cylinders, 0);
  nanoseconds_[0] = static_cast<std::uint32_t>(same_track_us * 1e3 + 0.5);
  for (std::uint32_t distance = 1; distance < cylinders; ++distance) {
    const double us = curve(distance);
    if (us == 0 && profile.model != profile::SeekModel::Table)
      throw std::invalid_argument("the formula gives no time for " + std::to_string(distance) +
                                  " cylinders, expected more than 0 us: are the model's times given?");
    if (!(us >= 0 && us < 4e6))
      throw std::invalid_argument("the seek curve gives " + std::to_string(us) + " us for " + std::to_string(distance) +
                                  " cylinders, expected 0 to 4,000,000");
    nanoseconds_[distance] = static_cast<std::uint32_t>(us * 1e3 + 0.5);
  }
}

}  // namespace platter::mechanics
