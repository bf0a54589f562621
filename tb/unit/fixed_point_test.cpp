// SPDX-License-Identifier: Apache-2.0
#include "platter/scheduling/fixed_point.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "platter/accelerator/reference_core.h"
#include "platter/accelerator/registers.h"
#include "platter/config/loader.h"

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
  for (const FixedPointFormat& f : {format(16, 18, 4), format(16, 18, 2), format(16, 18, 5), format(12, 8, 5),
                                    format(12, 8, 2), format(20, 13, 3)}) {
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

Excess excess_over(const mechanics::SeekCurve& curve, const SeekTable& table, const FixedPointFormat& f,
                   Picoseconds period) {
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
  for (const config::ShippedDrive& shipped : config::shipped_drives()) {
    const mechanics::AccessPlanner planner(config::load_drive(shipped.name));
    const mechanics::SeekCurve& curve = planner.seek_curve();
    const Picoseconds period = planner.rotation().period();
    for (const FixedPointFormat& f : {FixedPointFormat{}, format(12, 18, 2), format(20, 14, 5), format(18, 16, 3)}) {
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
      EXPECT_LE(excess.max_us, 2.0);
      RecordProperty(shipped.name + "_max_us", std::to_string(excess.max_us));
      RecordProperty(shipped.name + "_mean_us", std::to_string(excess.mean_us));
      RecordProperty(shipped.name + "_segments", std::to_string(table.segments.size()));
    }
  }
}

TEST(FixedPoint, SeekTableIsExactWhereEachDistanceHasItsSegment) {
  mechanics::SeekProfile profile;
  profile.points_us = {{1, 900.0}, {7, 1500.0}, {31, 1000.0}};
  const mechanics::SeekCurve curve(profile, 32);
  const FixedPointFormat f = format(16, 8, 5);
  const TickScale scale(f, 6'000'000'000);
  const SeekTable table = SeekTable::fit(curve, scale);
  for (std::uint32_t distance = 0; distance < 32; ++distance)
    EXPECT_EQ(table.ticks(f, distance), scale.ceil(curve(distance)));
  EXPECT_LT(table.max_error_us, scale.picoseconds_per_tick() * 1e-6);
}

TEST(FixedPoint, SeekTableFollowsPeaksThatLieAnywhere) {
  // Up and down by milliseconds within a few cylinders, steeper than the drive turns, at no round numbers.
  mechanics::SeekProfile profile;
  profile.points_us = {{1, 900},     {700, 4000},   {701, 9000},   {703, 3000},    {4'600, 6490},    {4'699, 9460},
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
  mechanics::SeekProfile profile;
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
  // From 32,768 cylinders on a segment ends at a multiple of two, four or eight.
  mechanics::SeekProfile profile;
  profile.model = mechanics::SeekModel::ThreePoint;
  profile.single_us = 600;
  profile.average_us = 8000;
  profile.full_us = 15'000;
  const Picoseconds period = 8'333'333'333;
  const mechanics::SeekCurve curve(profile, 1u << 18);
  const FixedPointFormat f;
  const SeekTable table = SeekTable::fit(curve, TickScale(f, period));
  ASSERT_NO_FATAL_FAILURE(check_layout(table, f, curve.cylinders()));
  EXPECT_LE(excess_over(curve, table, f, period).max_us, 1.0);
}

// --- the reference core against its documentation --------------------------------------------------------------------

namespace reg = accelerator::reg;
using accelerator::AcceleratorParameters;
using accelerator::BusResponse;
using accelerator::ReferenceCore;

/// docs/reference/scheduler_accelerator.md, "What a decision computes", over plain wide integers.
struct Documented {
  struct Entry {
    std::int64_t cylinder, head, angle, write, cls, end_cylinder, end_head, end_angle, transfer, credit;
    std::uint64_t age;
  };
  struct Outcome {
    bool valid = false, forced = false;
    std::uint32_t tag = 0;
    std::int64_t cost = 0;
    std::uint32_t refused = 0;
  };

  AcceleratorParameters parameters;
  std::vector<std::int64_t> base, delta;                        // of the segments
  std::vector<std::int64_t> group, last_1, last_2, last_3;      // of the cells
  std::map<std::uint32_t, Entry> entries;
  std::int64_t head_cylinder = 0, head_head = 0, head_angle = 0;
  std::int64_t next_cylinder = 0, next_head = 0, next_angle = 0, next_write = 0, next_tag = 0, next_valid = 0;
  std::int64_t slack = 0, sweep = 0, margin = 0, head_switch = 0, write_settle = 0;
  std::int64_t overhead_read = 0, overhead_write = 0, next_overhead_ar = 0, next_overhead_aw = 0;
  std::int64_t guard_en = 0, next_c_only = 0;

  std::int64_t sat(std::int64_t x) const {
    const std::int64_t top = (std::int64_t{1} << (parameters.format.angle_w + 4)) - 1;
    return x < 0 ? 0 : x > top ? top : x;
  }

  std::int64_t seek(std::int64_t d) const {
    const unsigned m = parameters.format.seg_m;
    const unsigned frac_w = parameters.format.cyl_w - 1 - m;
    std::int64_t index = d;
    std::int64_t frac = 0;
    if (d >= (1 << m)) {
      unsigned k = 0;
      while ((d >> (k + 1)) != 0) ++k;
      const std::int64_t mantissa = (d >> (k - m)) % (1 << m);
      index = (std::int64_t{k} - m + 1) * (1 << m) + mantissa;
      frac = (d % (std::int64_t{1} << (k - m))) << (frac_w - (k - m));
    }
    const auto cell = static_cast<std::size_t>(index);
    const unsigned place_w = frac_w < 9 ? frac_w : 9;
    const std::int64_t place = frac / (std::int64_t{1} << (frac_w - place_w));
    std::int64_t passed = 0;
    for (const auto* last : {&last_1, &last_2, &last_3})
      if (place > (*last)[cell]) ++passed;
    const auto segment = static_cast<std::size_t>(group[cell] | passed);
    const std::int64_t product = delta[segment] * frac;
    const std::int64_t unit = std::int64_t{1} << frac_w;
    std::int64_t shifted = product / unit;
    if (product % unit < 0) --shifted;  // towards minus infinity
    return sat(base[segment] + shifted);
  }

  std::int64_t hop(std::int64_t cylinder, std::int64_t head, std::int64_t angle, std::int64_t to_cylinder,
                   std::int64_t to_head, std::int64_t to_angle, bool write, std::int64_t ov) const {
    const std::int64_t d = std::abs(to_cylinder - cylinder);
    const bool switches = to_head != head;
    std::int64_t pos = std::max(seek(d), switches ? head_switch : 0);
    if (write && (d != 0 || switches)) pos = sat(pos + write_settle);
    const std::int64_t t = sat(ov + pos);
    const std::int64_t turn = std::int64_t{1} << parameters.format.angle_w;
    std::int64_t wait = (to_angle - angle - t) % turn;
    if (wait < 0) wait += turn;
    if (wait < margin) wait += turn;
    return sat(t + wait);
  }

  Outcome decide() const {
    const bool active = guard_en != 0 && next_valid != 0;
    Outcome out;
    std::uint64_t best_age = 0;
    for (const auto& [tag, e] : entries) {
      const bool is_next = next_tag == tag;
      const std::int64_t cost = hop(head_cylinder, head_head, head_angle, e.cylinder, e.head, e.angle, e.write != 0,
                                    e.write != 0 ? overhead_write : overhead_read);
      const std::int64_t onward = hop(e.end_cylinder, e.end_head, e.end_angle, next_cylinder, next_head, next_angle,
                                      next_write != 0, e.write != 0 ? next_overhead_aw : next_overhead_ar);
      const std::int64_t need = is_next ? cost + sweep : cost + e.transfer + onward + sweep - e.credit;
      if (active && next_c_only != 0 && e.cls == 1 && !is_next) continue;
      if (active && need > slack) {
        ++out.refused;
        continue;
      }
      if (out.valid && (cost > out.cost || (cost == out.cost && e.age > best_age))) continue;
      out.valid = true;
      out.tag = tag;
      out.cost = cost;
      best_age = e.age;
    }
    const auto next = entries.find(static_cast<std::uint32_t>(next_tag));
    if (!out.valid && active && next != entries.end()) {
      const Entry& e = next->second;
      out.valid = out.forced = true;
      out.tag = next->first;
      out.cost = hop(head_cylinder, head_head, head_angle, e.cylinder, e.head, e.angle, e.write != 0,
                     e.write != 0 ? overhead_write : overhead_read);
    }
    return out;
  }
};

class Bus {
 public:
  explicit Bus(const AcceleratorParameters& parameters) : core_(parameters) {}

  BusResponse write(std::uint32_t address, std::int64_t data) {
    return core_.access({true, address, static_cast<std::uint32_t>(data), 0});
  }
  void put(std::uint32_t address, std::int64_t data) { ASSERT_TRUE(write(address, data).ok) << address; }
  std::uint32_t get(std::uint32_t address) {
    const BusResponse response = core_.access({false, address, 0, 0});
    EXPECT_TRUE(response.ok) << address;
    return response.data;
  }
  bool readable(std::uint32_t address) { return core_.access({false, address, 0, 0}).ok; }

 private:
  ReferenceCore core_;
};

struct DecisionCoverage {
  int picked = 0, forced = 0, none = 0, refused = 0, ties = 0;
};

/// Random tables and registers, programmed as the engine does, and every decision compared. Values are drawn from few or from
/// all, so that equal costs, saturation and the guard's limit all occur.
void compare_decisions(const AcceleratorParameters& parameters, int tables, std::uint64_t seed,
                       DecisionCoverage& coverage) {
  std::mt19937_64 random(seed);
  const auto below = [&random](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  const FixedPointFormat& f = parameters.format;
  const std::uint64_t turn = std::uint64_t{1} << f.angle_w;
  const std::uint64_t time_top = turn << 4;
  for (int table = 0; table < tables; ++table) {
    Bus bus(parameters);
    Documented doc;
    doc.parameters = parameters;
    const bool coarse = below(2) == 0;  // few different values
    const auto angle = [&] { return coarse ? below(4) * static_cast<std::int64_t>(turn / 4) : below(turn); };
    const auto cylinder = [&] { return coarse ? below(3) : below(std::uint64_t{1} << f.cyl_w); };
    const auto head = [&] { return coarse ? below(2) : below(64); };
    const auto time = [&] { return below(below(8) == 0 ? time_top : turn); };
    bus.put(reg::kSeekIndex, 0);
    for (std::uint32_t i = 0; i < f.segments(); ++i) {
      doc.base.push_back(time() - (below(4) == 0 ? below(time_top) : 0));
      doc.delta.push_back(below(turn) - static_cast<std::int64_t>(turn / 4));
      bus.put(reg::kSeekBase, doc.base.back());
      bus.put(reg::kSeekDelta, doc.delta.back());
    }
    bus.put(reg::kSeekCell, 0);
    const std::uint64_t places = std::uint64_t{1} << f.place_w();
    for (std::uint32_t i = 0; i < f.cells(); ++i) {
      doc.group.push_back(below(f.segments()));
      doc.last_1.push_back(below(places));
      doc.last_2.push_back(below(places));
      doc.last_3.push_back(below(4) == 0 ? static_cast<std::int64_t>(places) - 1 : below(places));
      bus.put(reg::kSeekLast, doc.last_1.back() | (doc.last_2.back() << 16));
      bus.put(reg::kSeekGroup, doc.group.back() | (doc.last_3.back() << 16));
    }
    doc.margin = below(3) == 0 ? 0 : below(turn / 8);
    doc.head_switch = time();
    doc.write_settle = below(turn) - static_cast<std::int64_t>(turn / 2);
    doc.guard_en = below(4) != 0;
    doc.next_c_only = below(2);
    const std::int64_t auto_remove = below(2);
    bus.put(reg::kMargin, doc.margin);
    bus.put(reg::kHeadSwitch, doc.head_switch);
    bus.put(reg::kWriteSettle, doc.write_settle);
    bus.put(reg::kCtrl, doc.guard_en | (doc.next_c_only << 1) | (auto_remove << 2) | 8);
    std::uint64_t age = 0;
    std::uint32_t decisions = 0;
    for (int step = 0; step < 60; ++step) {
      const auto tag = static_cast<std::uint32_t>(below(parameters.entries));
      if (below(3) != 0 && doc.entries.count(tag) == 0) {
        const Documented::Entry e{cylinder(), head(), angle(), below(2), below(3), cylinder(), head(), angle(),
                                  below(turn * 4), below(2) * below(turn * 8), age++};
        bus.put(reg::kEPos, e.cylinder | (e.head << 18) | (e.write << 24) | (e.cls << 25));
        bus.put(reg::kEAngle, e.angle);
        bus.put(reg::kEEndPos, e.end_cylinder | (e.end_head << 18));
        bus.put(reg::kEEndAngle, e.end_angle);
        bus.put(reg::kETransfer, e.transfer);
        bus.put(reg::kECredit, e.credit);
        bus.put(reg::kInsert, tag);
        doc.entries[tag] = e;
        continue;
      }
      if (below(6) == 0 && doc.entries.count(tag) != 0) {
        if (below(2) == 0) {
          bus.put(reg::kRemove, tag);
          doc.entries.erase(tag);
        } else {
          doc.entries[tag].credit = below(turn * 8);
          bus.put(reg::kECredit, doc.entries[tag].credit);
          bus.put(reg::kSetCredit, tag);
        }
        continue;
      }
      doc.head_cylinder = cylinder();
      doc.head_head = head();
      doc.head_angle = angle();
      doc.next_cylinder = cylinder();
      doc.next_head = head();
      doc.next_angle = angle();
      doc.next_write = below(2);
      doc.next_tag = below(parameters.entries);
      doc.next_valid = below(4) != 0;
      doc.sweep = below(turn * 64);
      doc.slack = below(3) == 0 ? 0 : doc.sweep + below(turn * 8);
      doc.overhead_read = time();
      doc.overhead_write = time();
      doc.next_overhead_ar = time();
      doc.next_overhead_aw = time();
      bus.put(reg::kHeadPos, doc.head_cylinder | (doc.head_head << 18));
      bus.put(reg::kHeadAngle, doc.head_angle);
      bus.put(reg::kNextPos, doc.next_cylinder | (doc.next_head << 18) | (doc.next_write << 24));
      bus.put(reg::kNextAngle, doc.next_angle);
      bus.put(reg::kNextTag, doc.next_tag | (doc.next_valid << 8));
      bus.put(reg::kSweep, doc.sweep);
      bus.put(reg::kSlack, doc.slack);
      bus.put(reg::kOverheadRead, doc.overhead_read);
      bus.put(reg::kOverheadWrite, doc.overhead_write);
      bus.put(reg::kNextOverheadAr, doc.next_overhead_ar);
      bus.put(reg::kNextOverheadAw, doc.next_overhead_aw);
      Documented::Outcome expected = doc.decide();
      if (below(4) == 0 && expected.valid && !expected.forced && doc.guard_en != 0 && doc.next_valid != 0) {
        // At its need a candidate passes, one tick below it does not: put the slack right there.
        const std::int64_t top = doc.slack;
        std::int64_t low = 0;
        std::int64_t high = top;
        while (low < high) {
          doc.slack = (low + high) / 2;
          const Documented::Outcome at = doc.decide();
          if (at.valid && !at.forced && at.tag == expected.tag) high = doc.slack;
          else low = doc.slack + 1;
        }
        doc.slack = below(2) == 0 || high == 0 ? high : high - 1;
        bus.put(reg::kSlack, doc.slack);
        expected = doc.decide();
      }
      const BusResponse start = bus.write(reg::kStart, 1);
      ASSERT_TRUE(start.ok);
      const std::uint32_t cycles = parameters.entries / parameters.lanes + reg::kDecisionLatency;
      ASSERT_EQ(start.irq_cycles, cycles + 1);
      ASSERT_TRUE(start.irq);
      ASSERT_EQ(bus.get(reg::kResult),
                expected.valid ? expected.tag | 0x100u | (expected.forced ? 0x200u : 0u) : 0u);
      ASSERT_EQ(bus.get(reg::kResultCost), expected.cost);
      ASSERT_EQ(bus.get(reg::kRefused), expected.refused);
      ASSERT_EQ(bus.get(reg::kCycles), cycles);
      ASSERT_EQ(bus.get(reg::kDecisions), ++decisions);
      if (auto_remove != 0 && expected.valid) doc.entries.erase(expected.tag);
      ASSERT_EQ(bus.get(reg::kStatus), 2u | (static_cast<std::uint32_t>(doc.entries.size()) << 8));
      bus.put(reg::kClear, 1);
      ASSERT_EQ(bus.get(reg::kStatus), static_cast<std::uint32_t>(doc.entries.size()) << 8);
      coverage.picked += expected.valid && !expected.forced;
      coverage.forced += expected.forced;
      coverage.none += !expected.valid;
      coverage.refused += expected.refused > 0;
      int equal = 0;
      for (const auto& [other_tag, e] : doc.entries)
        equal += other_tag != expected.tag && expected.valid &&
                 doc.hop(doc.head_cylinder, doc.head_head, doc.head_angle, e.cylinder, e.head, e.angle, e.write != 0,
                         e.write != 0 ? doc.overhead_write : doc.overhead_read) == expected.cost;
      coverage.ties += equal > 0;
    }
  }
}

TEST(ReferenceCore, DecidesAsDocumented) {
  const auto parameters = [](std::uint32_t entries, std::uint32_t lanes, const FixedPointFormat& f) {
    AcceleratorParameters p;
    p.entries = entries;
    p.lanes = lanes;
    p.format = f;
    return p;
  };
  DecisionCoverage coverage;
  compare_decisions(parameters(32, 4, format(16, 18, 4)), 300, 51, coverage);
  compare_decisions(parameters(8, 1, format(12, 8, 2, 5)), 300, 52, coverage);
  compare_decisions(parameters(16, 16, format(20, 18, 5)), 300, 53, coverage);
  compare_decisions(parameters(256, 8, format(14, 14, 3, 7)), 100, 54, coverage);
  EXPECT_GT(coverage.picked, 1000);
  EXPECT_GT(coverage.forced, 300);
  EXPECT_GT(coverage.none, 300);
  EXPECT_GT(coverage.refused, 1000);
  EXPECT_GT(coverage.ties, 300);
}

TEST(ReferenceCore, AgeSurvivesTheWrapOfItsCounter) {
  AcceleratorParameters parameters;
  parameters.entries = 4;
  Bus bus(parameters);
  bus.put(reg::kInsert, 3);
  for (std::uint32_t i = 0; i < (1u << 24) - 2; ++i) {  // up to the last number before the wrap
    bus.write(reg::kRemove, 3);
    bus.write(reg::kInsert, 3);
  }
  bus.put(reg::kInsert, 2);  // the last number
  bus.put(reg::kInsert, 1);  // 0 again
  for (const std::uint32_t expected : {3u, 2u, 1u}) {
    bus.put(reg::kStart, 0);
    EXPECT_EQ(bus.get(reg::kResult), expected | 0x100u);
    bus.put(reg::kRemove, expected);
  }
}

TEST(ReferenceCore, RefusedCommandsChangeNothingButTheErrorFlag) {
  AcceleratorParameters parameters;
  parameters.entries = 8;
  Bus bus(parameters);
  bus.put(reg::kInsert, 5);
  const auto refused = [&bus](std::uint32_t address, std::uint32_t tag) {
    const bool ok = bus.write(address, tag).ok;
    const std::uint32_t status = bus.get(reg::kStatus);
    EXPECT_EQ(status, 4u | (1u << 8)) << address;  // ERROR, one entry
    bus.put(reg::kClear, 2);
    EXPECT_EQ(bus.get(reg::kStatus), 1u << 8);
    return !ok;
  };
  EXPECT_TRUE(refused(reg::kInsert, 5));      // in use
  EXPECT_TRUE(refused(reg::kInsert, 8));      // out of range
  EXPECT_TRUE(refused(reg::kInsert, 0x105));  // not cut to 8 bits
  EXPECT_TRUE(refused(reg::kRemove, 4));      // free
  EXPECT_TRUE(refused(reg::kRemove, 8));
  EXPECT_TRUE(refused(reg::kSetCredit, 4));
  EXPECT_TRUE(refused(reg::kSetCredit, 0xFFFF));
  bus.put(reg::kInsert, 0x1'0004);  // bits that no field names are ignored
  EXPECT_EQ(bus.get(reg::kStatus), 2u << 8);
}

TEST(ReferenceCore, AnswersWrongAccessesByAnErrorOnly) {
  Bus bus({});
  bus.put(reg::kSweep, 77);
  for (const reg::RegisterInfo& info : reg::kRegisters) {
    if (info.access == reg::Access::ReadOnly) {
      EXPECT_FALSE(bus.write(info.offset, 0xFFFF'FFFFu).ok) << info.name;
    }
    EXPECT_EQ(bus.readable(info.offset), info.access != reg::Access::WriteOnly) << info.name;
  }
  for (const std::uint32_t nowhere : {0x018u, 0x070u, 0x0A4u, 0x0BCu, 0xFFCu}) {
    EXPECT_FALSE(bus.write(nowhere, 1).ok);
    EXPECT_FALSE(bus.readable(nowhere));
  }
  EXPECT_EQ(bus.get(reg::kStatus), 0u);  // not even ERROR
  EXPECT_EQ(bus.get(reg::kSweep), 77u);
  EXPECT_EQ(bus.get(reg::kId), 0x504C5453u);
}

TEST(ReferenceCore, RegistersKeepTheirDocumentedWidths) {
  AcceleratorParameters parameters;
  parameters.format = format(12, 10, 3);  // angles 12, times 16, sums 24 bits
  Bus bus(parameters);
  const std::pair<std::uint32_t, std::uint32_t> kept[] = {
      {reg::kCtrl, 0xF},           {reg::kHeadPos, 0xFC'03FF},  {reg::kHeadAngle, 0xFFF},   {reg::kSlack, 0xFF'FFFF},
      {reg::kNextPos, 0x1FC'03FF}, {reg::kNextAngle, 0xFFF},    {reg::kNextTag, 0x1FF},     {reg::kSweep, 0xFF'FFFF},
      {reg::kMargin, 0xFFF},       {reg::kHeadSwitch, 0xFFFF},  {reg::kWriteSettle, 0xFFFF}, {reg::kOverheadRead, 0xFFFF},
      {reg::kEPos, 0x7FC'03FF},    {reg::kEAngle, 0xFFF},       {reg::kEEndPos, 0xFC'03FF}, {reg::kEEndAngle, 0xFFF},
      {reg::kETransfer, 0xFF'FFFF}, {reg::kECredit, 0xFF'FFFF}, {reg::kSeekIndex, 0x3FF},   {reg::kSeekBase, 0x3'FFFF},
      {reg::kSeekCell, 0x3FF},     {reg::kSeekLast, 0x3F'003F}};
  for (const auto& [address, bits] : kept) {
    bus.put(address, 0xFFFF'FFFFu);
    EXPECT_EQ(bus.get(address), bits) << address;
  }
  EXPECT_EQ(bus.get(reg::kParams), 32u | (4u << 9) | (12u << 14) | (10u << 19) | (3u << 24) | (9u << 27));
  bus.put(reg::kClear, 0x100);  // soft reset
  for (const auto& [address, bits] : kept) EXPECT_EQ(bus.get(address), 0u) << address << " " << bits;
}

TEST(ReferenceCore, TheInterruptFollowsDoneAndItsEnable) {
  Bus bus({});
  const BusResponse off = bus.write(reg::kStart, 1);
  EXPECT_FALSE(off.irq);
  EXPECT_EQ(off.irq_cycles, 0u);
  EXPECT_TRUE(bus.write(reg::kCtrl, 8).irq);  // DONE is set already
  const BusResponse high = bus.write(reg::kStart, 1);
  EXPECT_TRUE(high.irq);
  EXPECT_EQ(high.irq_cycles, 0u);  // no edge
  EXPECT_FALSE(bus.write(reg::kClear, 1).irq);
  EXPECT_EQ(bus.write(reg::kStart, 1).irq_cycles, 32u / 4 + reg::kDecisionLatency + 1);
}

// --- decisions in fixed point against exact arithmetic -------------------------------------------------------------

/// Programs the core as the accelerator's engine does, so far as a decision without a guard needs it.
class FixedPointSptf {
 public:
  FixedPointSptf(const mechanics::AccessPlanner& planner, const AcceleratorParameters& parameters)
      : planner_(planner), scale_(parameters.format, planner.rotation().period()), bus_(parameters) {
    const SeekTable table = SeekTable::fit(planner.seek_curve(), scale_);
    bus_.put(reg::kSeekIndex, 0);
    for (const SeekTable::Segment& segment : table.segments) {
      bus_.put(reg::kSeekBase, segment.base);
      bus_.put(reg::kSeekDelta, segment.delta);
    }
    bus_.put(reg::kSeekCell, 0);
    for (const SeekTable::Cell& cell : table.cells) {
      bus_.put(reg::kSeekLast, cell.last[0] | (cell.last[1] << 16));
      bus_.put(reg::kSeekGroup, cell.group | (cell.last[2] << 16));
    }
    bus_.put(reg::kMargin, 2);
    bus_.put(reg::kHeadSwitch, scale_.time(planner.head_switch()));
    bus_.put(reg::kWriteSettle, scale_.ceil(planner.write_settle()));
  }

  void insert(std::uint32_t tag, const mechanics::Extent& extent) {
    bus_.put(reg::kEPos, extent.cylinder.value | (extent.head.value << 18) | (extent.write ? 1u << 24 : 0u));
    bus_.put(reg::kEAngle, scale_.angle(extent.start_angle));
    bus_.put(reg::kInsert, tag);
  }
  void remove(std::uint32_t tag) { bus_.put(reg::kRemove, tag); }

  std::uint32_t pick(const mechanics::HeadState& head, Picoseconds now) {
    bus_.put(reg::kHeadPos, head.cylinder.value | (head.head.value << 18));
    bus_.put(reg::kHeadAngle, scale_.angle(planner_.rotation().angle_at(now)));
    bus_.put(reg::kOverheadRead, scale_.time(planner_.overhead(false, head.last_was_write)));
    bus_.put(reg::kOverheadWrite, scale_.time(planner_.overhead(true, head.last_was_write)));
    bus_.put(reg::kStart, 0);
    return bus_.get(reg::kResult) & 0xFF;
  }

 private:
  const mechanics::AccessPlanner& planner_;
  TickScale scale_;
  Bus bus_;
};

TEST(FixedPoint, RoundingCostsNextToNoServiceTime) {
  // At each decision both choose from the same queue at the same instant; what the choice in fixed point takes longer than
  // the exact one is its regret. The exact one is served, so that the regrets of different tables compare.
  constexpr std::uint32_t kDepth = 32;
  constexpr int kDecisions = 10'000;
  for (const config::ShippedDrive& shipped : config::shipped_drives()) {
    mechanics::DriveProfile profile = config::load_drive(shipped.name);
    // Rounding alone: the accelerator knows sectors in order only, and one time for all that stays on a cylinder.
    profile.zero_latency_read = profile.zero_latency_write = false;
    profile.same_track_us = profile.same_track_write_us = 0;
    const mechanics::AccessPlanner planner(profile);
    FixedPointSptf fixed(planner, {});
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
