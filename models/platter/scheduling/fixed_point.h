// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
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
  unsigned seg_m = 5;
  unsigned seg_w = 9;

  static constexpr unsigned kMinCylW = 8;
  static constexpr unsigned kMaxCylW = 21;
  /// A time has fewer turns than that.
  static constexpr unsigned kMaxTurns = 16;

  unsigned time_w() const { return angle_w + 4; }
  unsigned sum_w() const { return angle_w + 12; }
  unsigned frac_w() const { return cyl_w - 1 - seg_m; }
  unsigned place_w() const { return std::min(frac_w(), 9u); }
  unsigned base_w() const { return time_w() + 2; }
  unsigned delta_w() const { return time_w() - 2; }
  std::uint32_t cells() const { return (cyl_w - seg_m + 1) << seg_m; }
  std::uint32_t segments() const { return 1u << seg_w; }
  std::uint32_t place_max() const { return (1u << place_w()) - 1; }
  std::uint32_t angle_mask() const { return (1u << angle_w) - 1; }
  std::uint32_t turn() const { return 1u << angle_w; }
  std::uint32_t time_max() const { return (1u << time_w()) - 1; }
  std::uint32_t sum_max() const { return static_cast<std::uint32_t>((std::uint64_t{1} << sum_w()) - 1); }

  /// With more segments, if the seek table then has more cells than segments.
  void set_cylinder_bits(unsigned bits) {
    cyl_w = bits;
    while (segments() < cells()) ++seg_w;
  }

  friend bool operator==(const FixedPointFormat& a, const FixedPointFormat& b) {
    return a.angle_w == b.angle_w && a.cyl_w == b.cyl_w && a.seg_m == b.seg_m && a.seg_w == b.seg_w;
  }
};

/// Ticks of `format` on a spindle with this period.
class TickScale {
 public:
  TickScale(const FixedPointFormat& format, Picoseconds period) : format_(format), period_(period) {}

  const FixedPointFormat& format() const { return format_; }
  Picoseconds period() const { return period_; }  ///< of a turn
  std::uint32_t angle(Angle angle) const { return angle >> (32 - format_.angle_w); }
  /// Rounded down / up; times may be negative.
  std::int64_t floor(Picoseconds time) const;
  std::int64_t ceil(Picoseconds time) const { return -floor(-time); }
  /// Rounded up and clamped to what a sum register holds.
  std::uint32_t sum(Picoseconds time) const;
  /// Rounded up and clamped to what a time register holds.
  std::uint32_t time(Picoseconds time) const;
  /// A time in whole ticks, modulo what a sum register holds; the low bits are the spindle's angle.
  std::uint32_t time_of_day(Picoseconds time) const { return static_cast<std::uint32_t>(floor(time)) & format_.sum_max(); }
  double picoseconds_per_tick() const { return static_cast<double>(period_) / format_.turn(); }

 private:
  FixedPointFormat format_;
  Picoseconds period_;
};

/// Where a seek distance falls in the accelerator's table.
struct SeekPlace {
  std::uint32_t cell;
  std::uint32_t frac;
  unsigned width_log2;  ///< the cell covers 2^width_log2 cylinders
};

inline SeekPlace seek_place(const FixedPointFormat& format, std::uint32_t distance) {
  if (distance < (1u << format.seg_m)) return {distance, 0, 0};
  const unsigned lead = 31 - static_cast<unsigned>(__builtin_clz(distance));
  const unsigned low = lead - format.seg_m;
  const std::uint32_t mantissa = (distance >> low) & ((1u << format.seg_m) - 1);
  return {((low + 1) << format.seg_m) + mantissa, (distance & ((1u << low) - 1)) << (format.frac_w() - low), low};
}

/// Seek time as the accelerator holds it. The leading one of the distance and the bits after it select a cell. The cell selects up to four
/// straight lines and says where the first three end. The lines are on or above the drive's curve everywhere, so an access is never charged
/// less than it takes and the deadline guard stays safe.
struct SeekTable {
  struct Segment {
    std::int32_t base = 0;   ///< ticks where the cell begins
    std::int32_t delta = 0;  ///< rise over the whole cell
  };
  struct Cell {
    std::uint32_t group = 0;                 ///< number of its first segment
    std::array<std::uint32_t, 3> last = {};  ///< last place of the first, second and third segment
  };
  static constexpr std::uint32_t kSegmentsPerCell = 4;

  std::vector<Cell> cells;
  std::vector<Segment> segments;  ///< as many as are in use
  std::uint32_t lift_ticks = 0;   ///< bound of the excess over the curve, in whole ticks: the least that the segments allow
  double max_error_us = 0;        ///< largest excess over the exact curve
  double mean_error_us = 0;       ///< mean excess over all distances

  /// The table with the least excess, to the tick, that the format's number of segments allows.
  static SeekTable fit(const mechanics::SeekCurve& curve, const TickScale& scale);

  std::uint32_t ticks(const FixedPointFormat& format, std::uint32_t distance) const {
    const SeekPlace at = seek_place(format, distance);
    const Cell& cell = cells[at.cell];
    const std::uint32_t place = at.frac >> (format.frac_w() - format.place_w());
    std::uint32_t beyond = 0;
    for (const std::uint32_t last : cell.last) beyond += place > last ? 1 : 0;
    const Segment& segment = segments[cell.group | beyond];
    const std::int64_t value = std::int64_t{segment.base} + ((std::int64_t{segment.delta} * at.frac) >> format.frac_w());
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(value, 0, format.time_max()));
  }
};

}  // namespace platter::scheduling
