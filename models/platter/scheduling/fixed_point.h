// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "platter/mechanics/access_planner.h"

namespace platter::scheduling {

using core::Angle;
using core::Picoseconds;

/// Widths of the scheduling accelerator's arithmetic (docs/reference/scheduler_accelerator.md). Time counts in *ticks*:
/// 2^angle_w ticks are one turn.
struct FixedPointFormat {
  unsigned angle_w = 16;
  unsigned cyl_w = 18;
  unsigned seg_m = 4;

  unsigned time_w() const { return angle_w + 4; }
  unsigned sum_w() const { return angle_w + 12; }
  unsigned frac_w() const { return cyl_w - 1 - seg_m; }
  std::uint32_t segments() const { return (cyl_w - seg_m + 1) << seg_m; }
  std::uint32_t angle_mask() const { return (1u << angle_w) - 1; }
  std::uint32_t turn() const { return 1u << angle_w; }
  std::uint32_t time_max() const { return (1u << time_w()) - 1; }
  std::uint32_t sum_max() const { return static_cast<std::uint32_t>((std::uint64_t{1} << sum_w()) - 1); }
};

/// Ticks of `format` on a spindle with this period.
class TickScale {
 public:
  TickScale(const FixedPointFormat& format, Picoseconds period) : format_(format), period_(period) {}

  const FixedPointFormat& format() const { return format_; }
  std::uint32_t angle(Angle angle) const { return angle >> (32 - format_.angle_w); }
  /// Rounded down / up; times may be negative.
  std::int64_t floor(Picoseconds time) const;
  std::int64_t ceil(Picoseconds time) const { return -floor(-time); }
  /// Rounded up and clamped to what a sum register holds.
  std::uint32_t sum(Picoseconds time) const;
  /// Rounded up and clamped to what a time register holds.
  std::uint32_t time(Picoseconds time) const;
  double picoseconds_per_tick() const { return static_cast<double>(period_) / format_.turn(); }

 private:
  FixedPointFormat format_;
  Picoseconds period_;
};

/// Where a seek distance falls in the accelerator's table.
struct SeekIndex {
  std::uint32_t segment;
  std::uint32_t frac;
};

inline SeekIndex seek_index(const FixedPointFormat& format, std::uint32_t distance) {
  if (distance < (1u << format.seg_m)) return {distance, 0};
  const unsigned lead = 31 - static_cast<unsigned>(__builtin_clz(distance));
  const unsigned low = lead - format.seg_m;
  const std::uint32_t mantissa = (distance >> low) & ((1u << format.seg_m) - 1);
  return {((low + 1) << format.seg_m) + mantissa, (distance & ((1u << low) - 1)) << (format.frac_w() - low)};
}

/// Seek time as the accelerator holds it: straight lines over segments that the leading one and the next bits of the distance
/// select. The lines lie on or above the drive's curve everywhere, so an access is never charged less than it takes
/// and the deadline guard stays safe.
struct SeekTable {
  struct Segment {
    std::uint32_t base = 0;
    std::int32_t delta = 0;
  };
  std::vector<Segment> segments;
  double max_error_us = 0;   ///< largest excess over the exact curve
  double mean_error_us = 0;  ///< mean excess over all distances

  static SeekTable fit(const mechanics::SeekCurve& curve, const TickScale& scale);

  std::uint32_t ticks(const FixedPointFormat& format, std::uint32_t distance) const {
    const SeekIndex at = seek_index(format, distance);
    const Segment& segment = segments[at.segment];
    const std::int64_t value =
        std::int64_t{segment.base} + ((std::int64_t{segment.delta} * at.frac) >> format.frac_w());
    if (value < 0) return 0;
    return value > format.time_max() ? format.time_max() : static_cast<std::uint32_t>(value);
  }
};

}  // namespace platter::scheduling
