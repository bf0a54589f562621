// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace platter::observe {

/// A sample and its name in the legend.
struct CdfSeries {
  std::string name;
  std::vector<double> values;
};

/// Cumulative distributions of several samples as an SVG image; the axis ends where it covers 99.9 % of every sample.
std::string cdf_svg(const std::string& title, const std::string& axis, const std::vector<CdfSeries>& series);

}  // namespace platter::observe
