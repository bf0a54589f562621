// SPDX-License-Identifier: Apache-2.0
#include "platter/observe/svg_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace platter::observe {

namespace {

constexpr double kLeft = 60;
constexpr double kTop = 40;
constexpr double kWidth = 560;
constexpr double kHeight = 320;
constexpr const char* kColours[] = {"#1b1b1b", "#c1272d", "#0061a8", "#4d8b31"};

/// A step of 1, 2 or 5 times a power of ten, with about `count` steps in `range`.
double tick_step(double range, int count) {
  const double raw = range / count;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  const double share = raw / power;
  return power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
}

struct Point {
  double x = 0;
  double y = 0;
};

/// Whether a point lies so near to the line between two others that it is not seen.
bool on_line(const Point& from, const Point& point, const Point& to) {
  const double dx = to.x - from.x;
  const double dy = to.y - from.y;
  const double length = std::hypot(dx, dy);
  return std::abs((point.x - from.x) * dy - (point.y - from.y) * dx) <= 0.2 * length;
}

/// A path along ascending points, by those at which it bends.
std::string path_along(const std::vector<Point>& points) {
  std::string path;
  const auto add = [&path](const Point& p) { path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : " ", p.x, p.y); };
  std::size_t last = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    bool bends = i == 0 || i + 1 == points.size();
    for (std::size_t k = last + 1; k <= i && !bends; ++k) bends = !on_line(points[last], points[k], points[i + 1]);
    if (!bends) continue;
    add(points[i]);
    last = i;
  }
  return path;
}

}  // namespace

std::string cdf_svg(const std::string& title, const std::string& axis, const std::vector<CdfSeries>& series) {
  double end = 0;
  std::vector<std::vector<double>> sorted;
  for (const CdfSeries& s : series) {
    sorted.push_back(s.values);
    std::sort(sorted.back().begin(), sorted.back().end());
    const auto n = static_cast<double>(sorted.back().size());
    if (!sorted.back().empty()) end = std::max(end, sorted.back()[static_cast<std::size_t>((n - 1) * 0.999)]);
  }
  if (end <= 0) end = 1;
  const auto x = [end](double value) { return kLeft + kWidth * std::min(value, end) / end; };
  const auto y = [](double share) { return kTop + kHeight * (1 - share); };
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      "<text x=\"{2:.0f}\" y=\"24\" font-size=\"14\">{3}</text>\n",
      kLeft + kWidth + 30, kTop + kHeight + 50, kLeft, title);
  for (int i = 0; i <= 5; ++i) {
    const double share = 0.2 * i;
    svg += fmt::format(
        "<path d=\"M{0:.1f} {1:.1f}H{2:.1f}\" stroke=\"#ddd\"/><text x=\"{3:.1f}\" y=\"{4:.1f}\" "
        "text-anchor=\"end\">{5:.1f}</text>\n",
        kLeft, y(share), kLeft + kWidth, kLeft - 6, y(share) + 4, share);
  }
  const double step = tick_step(end, 8);
  for (int i = 0; step * i <= end; ++i) {
    const double value = step * i;
    svg += fmt::format(
        "<path d=\"M{0:.1f} {1:.1f}V{2:.1f}\" stroke=\"#ddd\"/><text x=\"{0:.1f}\" y=\"{3:.1f}\" "
        "text-anchor=\"middle\">{4:g}</text>\n",
        x(value), kTop, kTop + kHeight, kTop + kHeight + 16, value);
  }
  svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", kLeft + kWidth / 2,
                     kTop + kHeight + 38, axis);
  for (std::size_t i = 0; i < series.size(); ++i) {
    const char* colour = kColours[i % std::size(kColours)];
    std::vector<Point> path;
    const std::size_t n = sorted[i].size();
    const std::size_t points = std::min<std::size_t>(n, 500);
    for (std::size_t k = 0; k < points; ++k) {
      const std::size_t at = points > 1 ? k * (n - 1) / (points - 1) : 0;
      path.push_back({x(sorted[i][at]), y(static_cast<double>(at + 1) / static_cast<double>(n))});
    }
    svg += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"/>\n", path_along(path), colour);
    const double row = kTop + kHeight - 16 * static_cast<double>(series.size() - i);
    svg += fmt::format(
        "<path d=\"M{0:.1f} {1:.1f}h24\" stroke=\"{2}\" stroke-width=\"2\"/><text x=\"{3:.1f}\" "
        "y=\"{4:.1f}\">{5}</text>\n",
        kLeft + kWidth - 170, row - 4, colour, kLeft + kWidth - 140, row, series[i].name);
  }
  return svg + "</svg>\n";
}

}  // namespace platter::observe
