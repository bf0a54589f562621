// SPDX-License-Identifier: Apache-2.0
#include "platter/scheduling/fixed_point.h"

#include <algorithm>

namespace platter::scheduling {

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
  SeekTable table;
  table.segments.resize(format.segments());
  const auto exact = [&](std::uint32_t distance) { return scale.ceil(curve(distance)); };

  for (std::uint32_t start = 0; start < curve.cylinders();) {
    const std::uint32_t index = seek_index(format, start).segment;
    std::uint32_t end = start + 1;  // one past the segment's last distance on this drive
    while (end < curve.cylinders() && seek_index(format, end).segment == index) ++end;
    Segment& segment = table.segments[index];
    const std::uint32_t last = end - 1;
    const std::uint32_t last_frac = seek_index(format, last).frac;
    segment.base = static_cast<std::uint32_t>(std::min<std::int64_t>(exact(start), format.time_max()));
    if (last_frac != 0) {
      // Through the two ends, extended to a full segment; rounded up.
      const std::int64_t rise = exact(last) - segment.base;
      const std::int64_t unit = std::int64_t{1} << format.frac_w();
      std::int64_t delta = rise * unit / last_frac;
      if (delta * last_frac < rise * unit) ++delta;
      const std::int64_t limit = std::int64_t{1} << (format.time_w() - 1);
      segment.delta = static_cast<std::int32_t>(std::clamp(delta, -limit, limit - 1));
    }
    // Lift the line until it lies nowhere below the curve.
    std::int64_t lift = 0;
    for (std::uint32_t distance = start; distance < end; ++distance)
      lift = std::max(lift, exact(distance) - table.ticks(format, distance));
    segment.base = static_cast<std::uint32_t>(std::min<std::int64_t>(segment.base + lift, format.time_max()));
    start = end;
  }

  double total = 0;
  for (std::uint32_t distance = 1; distance < curve.cylinders(); ++distance) {
    const double excess_us = (table.ticks(format, distance) * scale.picoseconds_per_tick() -
                              static_cast<double>(curve(distance))) * 1e-6;
    table.max_error_us = std::max(table.max_error_us, excess_us);
    total += excess_us;
  }
  table.mean_error_us = total / (curve.cylinders() - 1);
  return table;
}

}  // namespace platter::scheduling
