// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace platter::sheet {

/// Seek times of a data sheet, settling included; microseconds.
struct SeekNumbers {
  double single_us = 0;   ///< to the next cylinder
  double average_us = 0;  ///< by the manuals' definition (mean_seek())
  double full_us = 0;     ///< over all cylinders
};

using SeekPoints = std::vector<std::pair<std::uint32_t, double>>;  ///< (cylinders, us)

/// The curve t(d) = single + delta min(1, ln d / ln 1000) + m(d). m(d) is 2 sqrt((d - 1) / a) up to the knee, where the arm has its full
/// speed v, and (d - 1) / v + v / a beyond it.
struct SeekFit {
  double delta_us = 0;
  double knee = 0;    ///< cylinders
  SeekPoints points;  ///< of the curve, so close that straight lines between them follow it
};

/// The largest distance that a seek can have, as a share of which the knee lies.
inline constexpr double kKneeShare = 0.32;

/// The mean over all seeks by the manuals' definition: the sum of (N + 1 - n) (t_in(n) + t_out(n)) over n = 1 ... N, divided by (N + 1) N, with
/// N = `cylinders` - 1. The times lie on straight lines between the points; first and last distance are 1 and N.
double mean_seek_us(const SeekPoints& points, std::uint32_t cylinders);

/// Why no curve has these numbers, "" if one has.
std::string seek_objection(const SeekNumbers& numbers, std::uint32_t cylinders);

/// The knee is at 0.32 N, and delta is such that the average is met. If delta would be below 0, it is 0, and the knee is such that the average
/// is met. The same points on every machine. Precondition: seek_objection() has nothing to say.
SeekFit fit_seek(const SeekNumbers& numbers, std::uint32_t cylinders);

/// The time on straight lines between the points.
double seek_us(const SeekPoints& points, std::uint32_t distance);

}  // namespace platter::sheet
