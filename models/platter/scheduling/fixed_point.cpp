// SPDX-License-Identifier: Apache-2.0
#include "platter/scheduling/fixed_point.h"

#include <algorithm>
#include <cstddef>

namespace platter::scheduling {

namespace {

/// Keeps the lower hull of points in ascending x, to find the steepest line from any of them to a point further right.
class SteepestLine {
 public:
  void clear() { hull_.clear(); }

  void add(std::int64_t x, std::int64_t y) {
    const Point point{x, y};
    while (hull_.size() >= 2 && !is_above(point, hull_[hull_.size() - 2], hull_.back())) hull_.pop_back();
    hull_.push_back(point);
  }

  /// The rise of that line over `unit` of x, rounded up.
  std::int64_t to(std::int64_t x, std::int64_t y, std::int64_t unit) const {
    const Point point{x, y};
    std::size_t low = 0;
    std::size_t high = hull_.size() - 1;
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (is_above(point, hull_[middle], hull_[middle + 1]))
        low = middle + 1;
      else
        high = middle;
    }
    const std::int64_t rise = (y - hull_[low].y) * unit;
    const std::int64_t run = x - hull_[low].x;
    return rise / run + (rise % run > 0 ? 1 : 0);
  }

 private:
  struct Point {
    std::int64_t x, y;
  };
  static bool is_above(const Point& point, const Point& a, const Point& b) {
    return (b.x - a.x) * (point.y - a.y) > (b.y - a.y) * (point.x - a.x);
  }
  std::vector<Point> hull_;
};

/// Lines of one cell, and where they end.
struct CellFit {
  std::uint32_t count = 0;
  std::array<SeekTable::Segment, SeekTable::kSegmentsPerCell> segments;
  std::array<std::uint32_t, SeekTable::kSegmentsPerCell> last_places;
};

class Fitter {
 public:
  Fitter(const mechanics::SeekCurve& curve, const TickScale& scale) : format_(scale.format()), exact_(curve.cylinders()) {
    for (std::uint32_t distance = 0; distance < exact_.size(); ++distance)
      exact_[distance] = std::min<std::int64_t>(scale.ceil(curve(distance)), format_.time_max());
  }

  /// Fits a table that is nowhere more than `lift` ticks above the curve; false if the table has too few segments.
  bool fit(std::int64_t lift, SeekTable& table) {
    std::vector<CellFit> fits;
    const auto end = static_cast<std::uint32_t>(exact_.size());
    for (std::uint32_t begin = 0; begin < end;) {
      const std::uint32_t next = std::min(end, begin + (1u << seek_place(format_, begin).width_log2));
      fits.emplace_back();
      if (!fit_cell(begin, next, lift, fits.back())) return false;
      begin = next;
    }
    return place(fits, table);
  }

 private:
  std::uint32_t place_of(std::uint32_t distance) const {
    return seek_place(format_, distance).frac >> (format_.frac_w() - format_.place_w());
  }

  /// Fits as few lines as possible, each as long as possible.
  bool fit_cell(std::uint32_t begin, std::uint32_t end, std::int64_t lift, CellFit& fit) {
    const std::int64_t width = std::int64_t{1} << seek_place(format_, begin).width_log2;
    const std::int64_t limit = std::int64_t{1} << (format_.delta_w() - 1);
    for (std::uint32_t first = begin; first < end; ++fit.count) {
      if (fit.count == SeekTable::kSegmentsPerCell) return false;
      // Deltas with which a line can stay between the curve and `lift` above it.
      std::int64_t least = -limit;
      std::int64_t most = limit - 1;
      std::int64_t delta = 0;
      std::uint32_t next = first;  // one past the line's last distance
      from_lifted_.clear();
      from_curve_.clear();
      for (std::uint32_t distance = first; distance < end; ++distance) {
        const std::int64_t x = distance - begin;
        const std::int64_t y = exact_[distance];
        if (distance != first) {
          least = std::max(least, from_lifted_.to(x, y, width));
          most = std::min(most, -from_curve_.to(x, -(y + lift), width));
        }
        if (least > most) break;
        from_lifted_.add(x, y + lift);
        from_curve_.add(x, -y);
        if (distance + 1 == end || place_of(distance + 1) != place_of(distance)) {
          next = distance + 1;
          delta = next - first == 1 ? 0 : least + (most - least) / 2;
        }
      }
      if (next == first) return false;  // not even one place
      const auto rise = [&](std::uint32_t distance) {
        return delta * static_cast<std::int64_t>(seek_place(format_, distance).frac) >> format_.frac_w();
      };
      std::int64_t base = exact_[first] - rise(first);
      for (std::uint32_t distance = first; distance < next; ++distance)
        base = std::max(base, exact_[distance] - rise(distance));
      fit.segments[fit.count] = {static_cast<std::int32_t>(base), static_cast<std::int32_t>(delta)};
      fit.last_places[fit.count] = place_of(next - 1);
      first = next;
    }
    return true;
  }

  /// Gives each cell a group of 1, 2 or 4 segments at a multiple of its size; the large ones first, so that no gap remains.
  bool place(const std::vector<CellFit>& fits, SeekTable& table) const {
    const auto size_of = [](const CellFit& fit) { return fit.count > 2 ? 4u : fit.count; };
    std::uint32_t used = 0;
    for (const CellFit& fit : fits) used += size_of(fit);
    if (used > format_.segments()) return false;
    table.segments.assign(used, {});
    table.cells.assign(format_.cells(), {0, {format_.place_max(), format_.place_max(), format_.place_max()}});
    std::uint32_t next = 0;
    for (const std::uint32_t size : {4u, 2u, 1u})
      for (std::size_t i = 0; i < fits.size(); ++i) {
        const CellFit& fit = fits[i];
        if (size_of(fit) != size) continue;
        table.cells[i].group = next;
        for (std::uint32_t k = 0; k < fit.count; ++k) {
          table.segments[next + k] = fit.segments[k];
          if (k + 1 < fit.count) table.cells[i].last[k] = fit.last_places[k];
        }
        next += size;
      }
    return true;
  }

  FixedPointFormat format_;
  std::vector<std::int64_t> exact_;  ///< ticks, rounded up, by distance
  SteepestLine from_lifted_, from_curve_;
};

}  // namespace

std::int64_t TickScale::floor(Picoseconds time) const {
  __extension__ using SignedWide = __int128;
  const SignedWide scaled = static_cast<SignedWide>(time) * format_.turn();
  const SignedWide quotient = scaled / period_;
  return static_cast<std::int64_t>(scaled % period_ < 0 ? quotient - 1 : quotient);
}

std::uint32_t TickScale::sum(Picoseconds time) const {
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(ceil(time), 0, format_.sum_max()));
}

std::uint32_t TickScale::time(Picoseconds time) const {
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(ceil(time), 0, format_.time_max()));
}

SeekTable SeekTable::fit(const mechanics::SeekCurve& curve, const TickScale& scale) {
  const FixedPointFormat& format = scale.format();
  Fitter fitter(curve, scale);
  SeekTable table;
  // One level line at the highest point of each cell always fits, so this ends.
  std::int64_t bad = -1;
  std::int64_t good = 1;
  while (!fitter.fit(good, table)) {
    bad = good;
    good *= 2;
  }
  while (bad >= 0 && good - bad > 1) {
    const std::int64_t middle = (bad + good) / 2;
    (fitter.fit(middle, table) ? good : bad) = middle;
  }
  fitter.fit(good, table);
  table.lift_ticks = static_cast<std::uint32_t>(good);

  double total = 0;
  for (std::uint32_t distance = 1; distance < curve.cylinders(); ++distance) {
    const double excess_us =
        (table.ticks(format, distance) * scale.picoseconds_per_tick() - static_cast<double>(curve(distance))) * 1e-6;
    table.max_error_us = std::max(table.max_error_us, excess_us);
    total += excess_us;
  }
  table.mean_error_us = total / (curve.cylinders() - 1);
  return table;
}

}  // namespace platter::scheduling
