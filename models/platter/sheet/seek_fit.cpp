// SPDX-License-Identifier: Apache-2.0
#include "platter/sheet/seek_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "platter/core/random.h"

namespace platter::sheet {

namespace {

constexpr double kSettled = 1000;  // cylinders from which on the settling is the longest
constexpr int kSteps = 100;        // of a bisection

/// The distances at which a curve with this knee has points.
std::vector<std::uint32_t> distances(double last, double knee) {
  std::vector<std::uint32_t> at;
  const double bent = std::min(std::max(knee + 1, kSettled), last);
  double distance = 1;
  while (distance < bent) {
    at.push_back(static_cast<std::uint32_t>(distance));
    distance = std::max(distance + 1, std::floor(distance * 1.2));
  }
  for (const double d : {kSettled, std::floor(knee + 1), last})
    if (d <= last) at.push_back(static_cast<std::uint32_t>(d));
  std::sort(at.begin(), at.end());
  at.erase(std::unique(at.begin(), at.end()), at.end());
  return at;
}

SeekPoints curve(const SeekNumbers& numbers, std::uint32_t cylinders, double delta, double knee) {
  const double last = cylinders - 1.0;
  const double speed = (last + knee) / (numbers.full_us - numbers.single_us - delta);
  const double acceleration = speed * speed / knee;
  SeekPoints points;
  for (const std::uint32_t d : distances(last, knee)) {
    const double move = d - 1 <= knee ? 2 * std::sqrt((d - 1) / acceleration) : (d - 1) / speed + speed / acceleration;
    const double settle = std::min(1.0, core::portable_log(d) / core::portable_log(kSettled));
    points.emplace_back(d, numbers.single_us + delta * settle + move);
  }
  return points;
}

double knee_of(std::uint32_t cylinders) { return kKneeShare * (cylinders - 1.0); }
constexpr double kLeastKnee = 1;  // cylinders
/// The largest delta, with which the arm needs almost no time to move.
double most_delta(const SeekNumbers& numbers) { return (numbers.full_us - numbers.single_us) * 0.999; }

}  // namespace

double mean_seek_us(const SeekPoints& points, std::uint32_t cylinders) {
  const double last = cylinders - 1.0;
  double sum = last * points.front().second;  // the distance 1
  for (std::size_t i = 1; i < points.size(); ++i) {
    const auto& [x, y] = points[i - 1];
    const double length = double(points[i].first) - x;
    const double slope = (points[i].second - y) / length;
    const double weight = last + 1 - x;  // of the distance x; one less with each cylinder
    sum += weight * y * length + (weight * slope - y) * length * (length + 1) / 2 -
           slope * length * (length + 1) * (2 * length + 1) / 6;
  }
  return 2 * sum / ((last + 1) * last);
}

std::string seek_objection(const SeekNumbers& n, std::uint32_t cylinders) {
  if (!(n.full_us > n.average_us && n.average_us > n.single_us))
    return fmt::format(
        "found {:g} ms for one cylinder, {:g} ms as the average and {:g} ms for the full stroke, expected each longer than the "
        "one before",
        n.single_us * 1e-3, n.average_us * 1e-3, n.full_us * 1e-3);
  const double least = mean_seek_us(curve(n, cylinders, 0, kLeastKnee), cylinders);
  const double most = mean_seek_us(curve(n, cylinders, most_delta(n), knee_of(cylinders)), cylinders);
  if (n.average_us >= least && n.average_us <= most) return {};
  return fmt::format(
      "found an average of {:g} ms, expected {:.3f} to {:.3f} ms beside {:g} ms for one cylinder and {:g} ms for the full "
      "stroke: "
      "no arm that accelerates, coasts and brakes has another average",
      n.average_us * 1e-3, least * 1e-3, most * 1e-3, n.single_us * 1e-3, n.full_us * 1e-3);
}

SeekFit fit_seek(const SeekNumbers& numbers, std::uint32_t cylinders) {
  const auto mean = [&](double delta, double knee) { return mean_seek_us(curve(numbers, cylinders, delta, knee), cylinders); };
  SeekFit fit;
  fit.knee = knee_of(cylinders);
  const bool settles = mean(0, fit.knee) <= numbers.average_us;
  double low = settles ? 0 : kLeastKnee;
  double high = settles ? most_delta(numbers) : fit.knee;
  for (int i = 0; i < kSteps; ++i) {
    const double middle = (low + high) / 2;
    const double average = settles ? mean(middle, fit.knee) : mean(0, middle);
    (average < numbers.average_us ? low : high) = middle;
  }
  (settles ? fit.delta_us : fit.knee) = low;
  fit.points = curve(numbers, cylinders, fit.delta_us, fit.knee);
  for (auto& [distance, us] : fit.points) us = std::floor(us * 10 + 0.5) / 10;
  return fit;
}

double seek_us(const SeekPoints& points, std::uint32_t distance) {
  auto next = std::find_if(points.begin(), points.end(), [distance](const auto& point) { return point.first >= distance; });
  if (next == points.begin()) return next->second;
  if (next == points.end()) --next;
  const auto& [x0, y0] = *(next - 1);
  const auto& [x1, y1] = *next;
  return y0 + (y1 - y0) * (double(distance) - x0) / (double(x1) - x0);
}

}  // namespace platter::sheet
