// SPDX-License-Identifier: Apache-2.0
#include "platter/scheduling/fixed_point.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "accelerator_bus.h"
#include "platter/accelerator/registers.h"
#include "platter/system/drives.h"

namespace platter::scheduling {
namespace {

__extension__ using Int128 = __int128;

FixedPointFormat format(unsigned angle_w, unsigned cyl_w, unsigned seg_m, unsigned seg_w = 9) {
  FixedPointFormat f;
  f.angle_w = angle_w;
  f.cyl_w = cyl_w;
  f.seg_m = seg_m;
  f.seg_w = seg_w;
  return f;
}

/// The default, with as many bits as the drive's cylinders need.
FixedPointFormat format_for(const mechanics::SeekCurve& curve) {
  FixedPointFormat f;
  while (curve.cylinders() > 1u << f.cyl_w) f.set_cylinder_bits(f.cyl_w + 1);
  return f;
}

TEST(FixedPoint, DerivedWidthsAreTheDocumentedOnes) {
  const FixedPointFormat f = format(16, 18, 4);
  EXPECT_EQ(f.time_w(), 20u);
  EXPECT_EQ(f.sum_w(), 28u);
  EXPECT_EQ(f.frac_w(), 13u);
  EXPECT_EQ(f.cells(), 240u);
  EXPECT_EQ(f.segments(), 512u);
  EXPECT_EQ(f.place_w(), 9u);
  EXPECT_EQ(f.base_w(), 22u);
  EXPECT_EQ(f.delta_w(), 18u);
  EXPECT_EQ(format(16, 10, 5).place_w(), 4u);
  EXPECT_EQ(f.turn(), 65536u);
  EXPECT_EQ(f.time_max(), 0xF'FFFFu);
  EXPECT_EQ(f.sum_max(), 0xFFF'FFFFu);
  EXPECT_EQ(format(20, 18, 4).sum_max(), 0xFFFF'FFFFu);
}

TEST(FixedPoint, SeekPlaceAndDistanceDetermineEachOther) {
  for (const FixedPointFormat& f :
       {format(16, 18, 4), format(16, 18, 2), format(16, 18, 5), format(12, 8, 5), format(12, 8, 2), format(20, 13, 3)}) {
    for (std::uint32_t distance = 0; distance < (1u << f.cyl_w); ++distance) {
      const SeekPlace at = seek_place(f, distance);
      ASSERT_LT(at.cell, f.cells());
      ASSERT_LT(at.frac, 1u << f.frac_w());
      std::uint32_t back = at.cell;
      if (at.cell < (1u << f.seg_m)) {
        ASSERT_EQ(at.frac, 0u);
        ASSERT_EQ(at.width_log2, 0u);
      } else {
        const std::uint32_t below_mantissa = (at.cell >> f.seg_m) - 1;  // k - SegM
        ASSERT_EQ(at.width_log2, below_mantissa);
        const std::uint32_t leading = (1u << f.seg_m) | (at.cell & ((1u << f.seg_m) - 1));
        const std::uint32_t rest = at.frac >> (f.frac_w() - below_mantissa);
        ASSERT_EQ(rest << (f.frac_w() - below_mantissa), at.frac);
        back = (leading << below_mantissa) | rest;
      }
      ASSERT_EQ(back, distance);
    }
  }
}

TEST(FixedPoint, TickScaleRoundsDownAndUpExactly) {
  std::mt19937_64 random(41);
  for (const unsigned angle_w : {12u, 16u, 20u})
    for (const Picoseconds period : {Picoseconds{5'985'037'406}, Picoseconds{6'000'000'000}, Picoseconds{3}}) {
      const TickScale scale(format(angle_w, 18, 4), period);
      for (int i = 0; i < 20'000; ++i) {
        Picoseconds time = static_cast<Picoseconds>(random()) >> (random() % 30 + (period < 10 ? 24 : 0));
        if (i % 4 == 0) time = time / period * period;  // whole turns: nothing to round
        // floor is the largest f with f * period <= time * 2^w, ceil the smallest c with c * period >= time * 2^w.
        const Int128 scaled = static_cast<Int128>(time) * (Int128{1} << angle_w);
        const auto floor = static_cast<Int128>(scale.floor(time));
        const auto ceil = static_cast<Int128>(scale.ceil(time));
        ASSERT_TRUE(floor * period <= scaled && (floor + 1) * period > scaled) << time;
        ASSERT_TRUE(ceil * period >= scaled && (ceil - 1) * period < scaled) << time;
      }
      EXPECT_EQ(scale.floor(period), std::int64_t{1} << angle_w);
      EXPECT_EQ(scale.floor(-1), -1 - (std::int64_t{1} << angle_w) / (period == 3 ? 3 : period + 1));
      EXPECT_EQ(scale.ceil(-1), period == 3 ? -((std::int64_t{1} << angle_w) / 3) : 0);
    }
}

TEST(FixedPoint, TickScaleClampsToTheRegisters) {
  const TickScale scale(format(16, 18, 4), 6'000'000'000);
  EXPECT_EQ(scale.time(-5), 0u);
  EXPECT_EQ(scale.time(1), 1u);
  EXPECT_EQ(scale.time(Picoseconds{6'000'000'000} * 15), 15u << 16);
  EXPECT_EQ(scale.time(Picoseconds{6'000'000'000} * 16), 0xF'FFFFu);
  EXPECT_EQ(scale.sum(Picoseconds{6'000'000'000} * 16), 16u << 16);
  EXPECT_EQ(scale.sum(Picoseconds{6'000'000'000} * 5000), 0xFFF'FFFFu);
  EXPECT_EQ(scale.sum(-1'000'000'000), 0u);
  EXPECT_EQ(scale.angle(0xFFFF'FFFFu), 0xFFFFu);
  EXPECT_EQ(scale.angle(0x0001'0000u), 1u);
  EXPECT_EQ(scale.angle(0x0000'FFFFu), 0u);
}

// --- seek table ----------------------------------------------------------------------------------------------------

/// Largest and mean excess over the curve in microseconds; fails where the table lies below it.
struct Excess {
  double max_us = 0;
  double mean_us = 0;
};

Excess excess_over(const mechanics::SeekCurve& curve, const SeekTable& table, const FixedPointFormat& f, Picoseconds period) {
  Excess excess;
  double total_us = 0;
  for (std::uint32_t distance = 1; distance < curve.cylinders(); ++distance) {
    const Int128 ticks = static_cast<Int128>(table.ticks(f, distance)) * period -
                         static_cast<Int128>(curve(distance)) * (Int128{1} << f.angle_w);
    if (ticks < 0) ADD_FAILURE() << "below the curve at " << distance;
    const double us = static_cast<double>(ticks) / static_cast<double>(f.turn()) * 1e-6;
    excess.max_us = std::max(excess.max_us, us);
    total_us += us;
  }
  excess.mean_us = total_us / (curve.cylinders() - 1);
  return excess;
}

/// Least height of a strip between two parallel lines that holds these times from `first` to `last`: by so much a line that is nowhere below
/// them exceeds them somewhere.
double strip(const std::vector<double>& times, std::uint32_t first, std::uint32_t last) {
  const auto height = [&](double slope) {
    double low = times[first];
    double high = low;
    for (std::uint32_t distance = first + 1; distance <= last; ++distance) {
      const double time = times[distance] - slope * (distance - first);
      low = std::min(low, time);
      high = std::max(high, time);
    }
    return high - low;
  };
  double least = 0;
  double most = 0;
  for (std::uint32_t distance = first; distance < last; ++distance) {
    least = std::min(least, times[distance + 1] - times[distance]);
    most = std::max(most, times[distance + 1] - times[distance]);
  }
  while (most - least > 1e-5 / (1 + last - first)) {  // the height is convex
    const double third = (most - least) / 3;
    if (height(least + third) <= height(most - third))
      most -= third;
    else
      least += third;
  }
  return height((least + most) / 2);
}

/// True if the lines of a table could follow the curve with at most this excess if nothing were rounded: up to four in a cell, each as long
/// as possible up to the end of a place, in groups of 1, 2 or 4.
bool lines_could_follow(const mechanics::SeekCurve& curve, const FixedPointFormat& f, double excess_us) {
  std::vector<double> times_us;
  for (std::uint32_t distance = 0; distance < curve.cylinders(); ++distance)
    times_us.push_back(static_cast<double>(curve(distance)) * 1e-6);
  std::uint32_t segments = 0;
  for (std::uint32_t begin = 0; begin < curve.cylinders();) {
    const std::uint32_t width = 1u << seek_place(f, begin).width_log2;
    const std::uint32_t end = std::min(begin + width, curve.cylinders());
    const std::uint32_t place = std::max(1u, width >> f.place_w());  // cylinders
    std::uint32_t lines = 0;
    for (std::uint32_t first = begin; first < end; ++lines) {
      if (lines == SeekTable::kSegmentsPerCell) return false;
      std::uint32_t fits = 0;
      std::uint32_t fails = (end - first + place - 1) / place + 1;  // in places
      while (fails - fits > 1) {
        const std::uint32_t middle = (fits + fails) / 2;
        (strip(times_us, first, std::min(first + middle * place, end) - 1) <= excess_us ? fits : fails) = middle;
      }
      if (fits == 0) return false;
      first += fits * place;
    }
    segments += lines == 3 ? 4 : lines;
    begin = end;
  }
  return segments <= f.segments();
}

/// What a loader must keep to: every segment named is there, groups lie at multiples of their size and do not overlap.
void check_layout(const SeekTable& table, const FixedPointFormat& f, std::uint32_t cylinders) {
  ASSERT_EQ(table.cells.size(), f.cells());
  ASSERT_LE(table.segments.size(), f.segments());
  std::vector<bool> taken(table.segments.size());
  const std::uint32_t used_cells = seek_place(f, cylinders - 1).cell + 1;
  for (std::uint32_t i = 0; i < used_cells; ++i) {
    const SeekTable::Cell& cell = table.cells[i];
    std::uint32_t count = 1;
    for (std::uint32_t k = 0; k < 3; ++k) {
      ASSERT_LE(cell.last[k], f.place_max());
      if (cell.last[k] != f.place_max()) {
        ASSERT_EQ(count, k + 1);
        ASSERT_TRUE(k == 0 || cell.last[k] > cell.last[k - 1]);
        ++count;
      }
    }
    ASSERT_EQ(cell.group % (count > 2 ? 4 : count), 0u);
    for (std::uint32_t k = 0; k < count; ++k) {
      ASSERT_LT(cell.group + k, table.segments.size());
      ASSERT_FALSE(taken[cell.group + k]);
      taken[cell.group + k] = true;
      const SeekTable::Segment& segment = table.segments[cell.group + k];
      ASSERT_LT(std::abs(std::int64_t{segment.base}), std::int64_t{1} << (f.base_w() - 1));
      ASSERT_LE(std::abs(std::int64_t{segment.delta}), std::int64_t{1} << (f.delta_w() - 1));
    }
  }
}

TEST(FixedPoint, SeekTableFollowsTheCurveOfEveryShippedDrive) {
  for (const system::ShippedDrive& shipped : system::shipped_drives()) {
    const mechanics::AccessPlanner planner(system::load_drive(shipped.name));
    const mechanics::SeekCurve& curve = planner.seek_curve();
    const Picoseconds period = planner.rotation().period();
    for (const FixedPointFormat& f : {format_for(curve), format(12, 18, 2), format(20, 14, 5), format(18, 16, 3)}) {
      if (curve.cylinders() > 1u << f.cyl_w) continue;  // too many for it
      SCOPED_TRACE(shipped.name + " with " + std::to_string(f.angle_w) + " bits");
      const TickScale scale(f, period);
      const SeekTable table = SeekTable::fit(curve, scale);
      ASSERT_NO_FATAL_FAILURE(check_layout(table, f, curve.cylinders()));
      EXPECT_EQ(table.ticks(f, 0), scale.ceil(curve(0)));
      const Excess excess = excess_over(curve, table, f, period);
      EXPECT_GT(table.mean_error_us, 0);
      EXPECT_NEAR(table.max_error_us, excess.max_us, 1e-6);
      EXPECT_NEAR(table.mean_error_us, excess.mean_us, 1e-6);
      EXPECT_LT(excess.max_us, (table.lift_ticks + 1) * scale.picoseconds_per_tick() * 1e-6);
      if (f.angle_w != 16) continue;
      // At most 2 us. Only a curve that no lines follow so closely has more, and then no more than rounding adds to what lines can do.
      constexpr double kRounding = 4;  // ticks
      if (excess.max_us > 2.0) {
        EXPECT_TRUE(lines_could_follow(curve, f, excess.max_us));
        EXPECT_FALSE(lines_could_follow(curve, f, excess.max_us - kRounding * scale.picoseconds_per_tick() * 1e-6));
      }
      RecordProperty(shipped.name + "_max_us", std::to_string(excess.max_us));
      RecordProperty(shipped.name + "_mean_us", std::to_string(excess.mean_us));
      RecordProperty(shipped.name + "_segments", std::to_string(table.segments.size()));
    }
  }
}

TEST(FixedPoint, SeekTableIsExactWhereEachDistanceHasItsSegment) {
  profile::SeekProfile profile;
  profile.points_us = {{1, 900.0}, {7, 1500.0}, {31, 1000.0}};
  const mechanics::SeekCurve curve(profile, 32);
  const FixedPointFormat f = format(16, 8, 5);
  const TickScale scale(f, 6'000'000'000);
  const SeekTable table = SeekTable::fit(curve, scale);
  for (std::uint32_t distance = 0; distance < 32; ++distance) EXPECT_EQ(table.ticks(f, distance), scale.ceil(curve(distance)));
  EXPECT_LT(table.max_error_us, scale.picoseconds_per_tick() * 1e-6);
}

TEST(FixedPoint, SeekTableFollowsPeaksThatLieAnywhere) {
  // Up and down by milliseconds within a few cylinders, steeper than the drive turns, at no round numbers.
  profile::SeekProfile profile;
  profile.points_us = {{1, 900},      {700, 4000},   {701, 9000},     {703, 3000},   {4'600, 6490},   {4'699, 9460},
                       {4'801, 6710}, {9'000, 8000}, {9'001, 60'000}, {9'002, 8100}, {16'383, 12'000}};
  const Picoseconds period = 6'000'000'000;
  const mechanics::SeekCurve curve(profile, 16'384);
  for (const FixedPointFormat& f : {format(16, 14, 5), format(16, 18, 5), format(20, 18, 5)}) {
    const SeekTable table = SeekTable::fit(curve, TickScale(f, period));
    ASSERT_NO_FATAL_FAILURE(check_layout(table, f, curve.cylinders()));
    EXPECT_LE(excess_over(curve, table, f, period).max_us, 0.5);
  }
}

TEST(FixedPoint, WhereTheTableIsTooSmallTheExcessIsTheLeastThatFits) {
  profile::SeekProfile profile;
  std::mt19937_64 random(7);
  const auto cylinders = 11'000u;
  for (std::uint32_t distance = 1; distance < cylinders; ++distance)
    profile.points_us.emplace_back(distance, 1000 + 0.5 * distance + static_cast<double>(random() % 800));
  const Picoseconds period = 6'000'000'000;
  const mechanics::SeekCurve curve(profile, cylinders);
  double before_us = 1e9;
  for (const unsigned seg_w : {9u, 10u}) {
    const FixedPointFormat f = format(16, 18, 5, seg_w);
    const SeekTable table = SeekTable::fit(curve, TickScale(f, period));
    ASSERT_NO_FATAL_FAILURE(check_layout(table, f, cylinders));
    const Excess excess = excess_over(curve, table, f, period);
    EXPECT_NEAR(excess.max_us, table.max_error_us, 1e-6);
    EXPECT_GT(excess.max_us, 100);  // noise that no line follows
    EXPECT_LE(excess.max_us, 802);  // and that one line a cell stays above
    EXPECT_LE(excess.max_us, before_us);
    before_us = excess.max_us;
  }
  const FixedPointFormat narrow = format(16, 18, 2, 7);  // 68 wide cells, 128 segments
  const SeekTable table = SeekTable::fit(curve, TickScale(narrow, period));
  ASSERT_NO_FATAL_FAILURE(check_layout(table, narrow, cylinders));
  excess_over(curve, table, narrow, period);
}

TEST(FixedPoint, PlacesCoarserThanACylinderAreEnoughForTheWidestDrive) {
  // From 32,768 cylinders on a segment ends at a multiple of two, four, and so on up to 64.
  profile::SeekProfile profile;
  profile.model = profile::SeekModel::ThreePoint;
  profile.single_us = 600;
  profile.average_us = 8000;
  profile.full_us = 15'000;
  const Picoseconds period = 8'333'333'333;
  for (const unsigned bits : {18u, 21u}) {
    const mechanics::SeekCurve curve(profile, 1u << bits);
    FixedPointFormat f;
    f.set_cylinder_bits(bits);
    EXPECT_EQ(f.seg_w, bits == 21 ? 10u : 9u);
    const SeekTable table = SeekTable::fit(curve, TickScale(f, period));
    ASSERT_NO_FATAL_FAILURE(check_layout(table, f, curve.cylinders()));
    EXPECT_LE(excess_over(curve, table, f, period).max_us, 1.0);
  }
}

// --- decisions in fixed point against exact arithmetic -------------------------------------------------------------

namespace reg = accelerator::reg;

/// Programs the core as the accelerator's engine does, so far as a decision without a guard needs it.
class FixedPointSptf {
 public:
  FixedPointSptf(const mechanics::AccessPlanner& planner, const accelerator::AcceleratorParameters& parameters)
      : planner_(planner), scale_(parameters.format, planner.rotation().period()), bus_(parameters) {
    bus_.load(SeekTable::fit(planner.seek_curve(), scale_));
    bus_.put(reg::kMargin, 2);
    bus_.put(reg::kHeadSwitch, scale_.time(planner.head_switch()));
    bus_.put(reg::kWriteSettle, scale_.ceil(planner.write_settle()));
    bus_.put(reg::kOverheadRr, scale_.time(planner.overhead(false, false)));
    bus_.put(reg::kOverheadRw, scale_.time(planner.overhead(false, true)));
    bus_.put(reg::kOverheadWr, scale_.time(planner.overhead(true, false)));
    bus_.put(reg::kOverheadWw, scale_.time(planner.overhead(true, true)));
  }

  void insert(std::uint32_t tag, const mechanics::Extent& extent) {
    bus_.put(reg::kEPos, extent.cylinder.value | (extent.head.value << 21) | (extent.write ? 1u << 27 : 0u));
    bus_.put(reg::kEAngle, scale_.angle(extent.start_angle));
    bus_.put(reg::kInsert, tag);
  }
  void remove(std::uint32_t tag) { bus_.put(reg::kRemove, tag); }

  std::uint32_t pick(const mechanics::HeadState& head, Picoseconds now) {
    bus_.put(reg::kHeadPos, head.cylinder.value | (head.head.value << 21) | (head.last_was_write ? 1u << 27 : 0u));
    bus_.put(reg::kHeadTime, scale_.angle(planner_.rotation().angle_at(now)));
    bus_.put(reg::kOp, 0);
    return bus_.get(reg::kResult) & 0xFF;
  }

 private:
  const mechanics::AccessPlanner& planner_;
  TickScale scale_;
  testing::AcceleratorBus bus_;
};

TEST(FixedPoint, RoundingCostsNextToNoServiceTime) {
  // At each decision both choose from the same queue at the same instant; what the choice in fixed point takes longer than
  // the exact one is its regret. The exact one is served, so that the regrets of different tables compare.
  constexpr std::uint32_t kDepth = 32;
  constexpr int kDecisions = 10'000;
  for (const system::ShippedDrive& shipped : system::shipped_drives()) {
    profile::DriveProfile profile = system::load_drive(shipped.name);
    // Rounding alone: the accelerator knows one rest of a zero-latency access, one time for all that stays on a cylinder, and one settle of
    // all writes.
    profile.seek.write_points_us.clear();
    profile.zero_latency_read = profile.zero_latency_write = false;
    profile.same_track_us = profile.same_track_write_us = 0;
    const mechanics::AccessPlanner planner(profile);
    accelerator::AcceleratorParameters parameters;
    parameters.format = format_for(planner.seek_curve());
    FixedPointSptf fixed(planner, parameters);
    std::mt19937_64 random(61);
    std::vector<mechanics::Extent> queue(kDepth);
    const auto renew = [&](std::uint32_t tag) {
      queue[tag] = planner.resolve(core::Lba(random() % (planner.geometry().block_count() - 64)), 16, random() % 3 == 0);
      fixed.insert(tag, queue[tag]);
    };
    for (std::uint32_t tag = 0; tag < kDepth; ++tag) renew(tag);
    mechanics::HeadState head;
    Picoseconds now = 0;
    Picoseconds service_time = 0;
    Picoseconds regret_time = 0;
    int different = 0;
    for (int decision = 0; decision < kDecisions; ++decision) {
      now += static_cast<Picoseconds>(random() % 1'000'000'000);
      const auto positioning = [&](std::uint32_t tag) { return planner.estimate(head, queue[tag], now).positioning(); };
      std::uint32_t best = 0;
      for (std::uint32_t tag = 1; tag < kDepth; ++tag)
        if (positioning(tag) < positioning(best)) best = tag;
      const std::uint32_t picked = fixed.pick(head, now);
      regret_time += positioning(picked) - positioning(best);
      different += picked != best ? 1 : 0;
      const Picoseconds time = planner.estimate(head, queue[best], now).total();
      service_time += time;
      now += time;
      head = mechanics::AccessPlanner::end_of(queue[best]);
      fixed.remove(best);
      renew(best);
    }
    const double regret = static_cast<double>(regret_time) / static_cast<double>(service_time);
    EXPECT_GE(regret, 0) << shipped.name;
    EXPECT_LE(regret, 0.0005) << shipped.name << ", " << different << " decisions differ";
    RecordProperty(shipped.name + "_regret_percent", std::to_string(100 * regret));
    RecordProperty(shipped.name + "_different", std::to_string(different));
  }
}

}  // namespace
}  // namespace platter::scheduling
