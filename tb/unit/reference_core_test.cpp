// SPDX-License-Identifier: Apache-2.0
//
// The accelerator's reference model against docs/reference/scheduler_accelerator.md: cases worked by hand, one or more
// for each sentence, and random programs against the page over plain wide integers.
#include "platter/accelerator/reference_core.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "accelerator_bus.h"
#include "platter/accelerator/registers.h"

namespace platter::accelerator {
namespace {

using scheduling::FixedPointFormat;
using scheduling::SeekTable;
using testing::AcceleratorBus;

FixedPointFormat format(unsigned angle_w, unsigned cyl_w, unsigned seg_m, unsigned seg_w = 9) {
  FixedPointFormat f;
  f.angle_w = angle_w;
  f.cyl_w = cyl_w;
  f.seg_m = seg_m;
  f.seg_w = seg_w;
  return f;
}

AcceleratorParameters parameters(std::uint32_t entries, std::uint32_t lanes, std::uint32_t order_m, const FixedPointFormat& f) {
  AcceleratorParameters p;
  p.entries = entries;
  p.lanes = lanes;
  p.order_m = order_m;
  p.format = f;
  return p;
}

// --- cases worked by hand ------------------------------------------------------------------------------------------

constexpr std::uint32_t kTurn = 1u << 16;
constexpr std::uint32_t kTimeMax = (1u << 20) - 1;
constexpr std::uint32_t kSumMask = (1u << 28) - 1;

constexpr std::uint32_t kGuard = 1u << reg::kCtrlGuardEnLsb;
constexpr std::uint32_t kNextOnly = 1u << reg::kCtrlNextCOnlyLsb;
constexpr std::uint32_t kDown = 1u << reg::kCtrlSweepDownLsb;
constexpr std::uint32_t kMasked = 1u << reg::kCtrlMaskEnLsb;
constexpr std::uint32_t kIrq = 1u << reg::kCtrlIrqEnLsb;

constexpr std::uint32_t kTakeC = 1u << reg::kClusterTakeCLsb;
constexpr std::uint32_t kTakeD = 1u << reg::kClusterTakeDLsb;
constexpr std::uint32_t kStopAtC = 1u << reg::kClusterStopAtCLsb;
constexpr std::uint32_t kDownwards = 1u << reg::kClusterDownLsb;
constexpr std::uint32_t kOrder = 1u << reg::kClusterOrderLsb;

constexpr std::uint32_t kValid = 1u << reg::kResultValidLsb;
constexpr std::uint32_t kForced = 1u << reg::kResultForcedLsb;

/// A command on one cylinder and head.
struct Command {
  std::uint32_t cylinder = 0;
  std::uint32_t angle = 0;
  std::uint32_t length = 0;  ///< of the transfer, in ticks
  std::uint32_t head = 0;
  bool write = false;
  std::uint32_t cls = 0;
  std::uint32_t deadline = 0;
  std::uint32_t age = 0;
};

Command continuous(std::uint32_t cylinder, std::uint32_t angle, std::uint32_t length, std::uint32_t deadline) {
  Command command;
  command.cylinder = cylinder;
  command.angle = angle;
  command.length = length;
  command.cls = 1;
  command.deadline = deadline;
  return command;
}

/// Cycles of docs/reference/cluster_order.md, written by hand: the description of the contract may be wrong.
constexpr std::uint32_t order_cycles(std::uint32_t count) { return count < 2 ? 9 : (1u << count) + 8 * count - 8; }

/// 32 entries, 4 lanes; a seek of d cylinders takes 10 d ticks.
class Machine : public AcceleratorBus {
 public:
  explicit Machine(const AcceleratorParameters& p = {}) : AcceleratorBus(p) {
    SeekTable table;
    for (std::uint32_t cell = 0, distance = 0; cell < p.format.cells(); ++cell) {
      const unsigned low = cell < (1u << p.format.seg_m) ? 0 : (cell >> p.format.seg_m) - 1;
      table.segments.push_back({static_cast<std::int32_t>(10 * distance), static_cast<std::int32_t>(10u << low)});
      table.cells.push_back({cell, {p.format.place_max(), p.format.place_max(), p.format.place_max()}});
      distance += 1u << low;
    }
    load(table);
  }

  std::uint32_t enter(std::uint32_t tag, const Command& c) {
    put(reg::kEPos, c.cylinder | (c.head << 21) | (static_cast<std::uint32_t>(c.write) << 27) | (c.cls << 28));
    put(reg::kEAngle, c.angle);
    put(reg::kEEndPos, c.cylinder | (c.head << 21));
    put(reg::kEEndAngle, (c.angle + c.length) % kTurn);
    put(reg::kETransfer, c.length);
    put(reg::kEDeadline, c.deadline);
    put(reg::kEAge, c.age);
    return put(reg::kInsert, tag);
  }
  std::uint32_t decide() { return put(reg::kOp, 0); }
  std::uint32_t cluster(std::uint32_t control) {
    put(reg::kCluster, control);
    return put(reg::kOp, 1);
  }
  /// Decides; the key of the only entry.
  std::int32_t key() {
    decide();
    EXPECT_EQ(get(reg::kResult), kValid);
    return static_cast<std::int32_t>(get(reg::kResultKey));
  }
};

TEST(ReferenceCoreHop, ArrivesThenWaits) {
  Machine m;
  m.put(reg::kOverheadRr, 500);
  m.enter(0, {100, 2000});
  EXPECT_EQ(m.key(), 500 + 1000 + 500);
  m.put(reg::kHeadTime, 0x7'0001);  // the angle is 1
  EXPECT_EQ(m.key(), 1999);
  m.put(reg::kHeadPos, 300);  // from the other side: 2,500 is beyond 2,000
  EXPECT_EQ(m.key(), 1999 + static_cast<std::int32_t>(kTurn));
}

TEST(ReferenceCoreHop, AWaitBelowMarginIsOneTurnMore) {
  Machine m;
  m.put(reg::kOverheadRr, 500);
  m.enter(0, {100, 2000});  // waits 500
  m.put(reg::kMargin, 500);
  EXPECT_EQ(m.key(), 2000);
  m.put(reg::kMargin, 501);
  EXPECT_EQ(m.key(), 2000 + static_cast<std::int32_t>(kTurn));
}

TEST(ReferenceCoreHop, AWaitBelowRiskIsCharged) {
  Machine m;
  m.put(reg::kOverheadRr, 500);
  m.put(reg::kRiskCharge, 321);
  m.enter(0, {100, 2000});  // waits 500
  m.put(reg::kRisk, 500);
  EXPECT_EQ(m.key(), 2000);
  m.put(reg::kRisk, 501);
  EXPECT_EQ(m.key(), 2321);
  m.put(reg::kMargin, 501);  // late is late, not risky
  EXPECT_EQ(m.key(), 2000 + static_cast<std::int32_t>(kTurn));
}

TEST(ReferenceCoreHop, TheGuardReckonsARiskyHopWithTheTurn) {
  Machine m;
  m.put(reg::kOverheadRr, 500);
  m.put(reg::kRiskCharge, 321);
  m.put(reg::kRisk, 501);
  m.put(reg::kCtrl, kGuard);
  m.enter(0, continuous(100, 2000, 70, 2000 + kTurn + 70));  // worst 2,000 and a turn, SWEEP 70
  EXPECT_EQ(m.key(), 2321);
  m.put(reg::kHeadTime, kTurn);
  m.decide();
  EXPECT_EQ(m.get(reg::kResult), kValid | kForced);
}

TEST(ReferenceCoreHop, AHeadSwitchTakesItsTimeUnlessTheSeekTakesLonger) {
  Machine m;
  Command c{100, 5000};
  c.head = 3;
  m.enter(0, c);
  m.put(reg::kMargin, 4000 - 200);  // 5,000 less what positioning takes shows whether it is 1,000 or 1,201
  m.put(reg::kHeadSwitch, 1200);
  EXPECT_EQ(m.key(), 5000);
  m.put(reg::kHeadSwitch, 1201);
  EXPECT_EQ(m.key(), 5000 + static_cast<std::int32_t>(kTurn));
  m.put(reg::kHeadPos, 3u << 21);  // no switch
  EXPECT_EQ(m.key(), 5000);
  m.put(reg::kMargin, 4001);
  EXPECT_EQ(m.key(), 5000 + static_cast<std::int32_t>(kTurn));
}

TEST(ReferenceCoreHop, AWriteSettlesWhereArmOrHeadMove) {
  const auto wait = [](Machine& m) {  // how long positioning took: found by the margin at which a turn is added
    std::uint32_t low = 0;
    std::uint32_t high = kTurn - 1;
    while (low < high) {
      const std::uint32_t middle = (low + high) / 2;
      m.put(reg::kMargin, middle);
      if (m.key() >= static_cast<std::int32_t>(kTurn))
        high = middle;
      else
        low = middle + 1;
    }
    return low - 1;
  };
  const auto positioning = [&](std::uint32_t cylinder, std::uint32_t head, bool write, std::uint32_t settle) {
    Machine m;
    Command c{cylinder, 50'000};
    c.head = head;
    c.write = write;
    m.put(reg::kWriteSettle, settle);
    m.put(reg::kHeadSwitch, 700);
    m.enter(0, c);
    return 50'000 - wait(m);
  };
  const std::uint32_t less = 0u - 300;
  EXPECT_EQ(positioning(100, 0, true, 300), 1300u);
  EXPECT_EQ(positioning(100, 0, true, less), 700u);
  EXPECT_EQ(positioning(20, 0, true, less), 0u);  // not below nothing
  EXPECT_EQ(positioning(0, 1, true, 300), 1000u);
  EXPECT_EQ(positioning(0, 0, true, 300), 0u);
  EXPECT_EQ(positioning(100, 0, false, 300), 1000u);
}

TEST(ReferenceCoreHop, TimesSaturateAtSixteenTurns) {
  Machine m;
  m.put(reg::kOverheadRr, kTimeMax);
  m.enter(0, {100, 0});
  // t = 2^20 - 1 is angle 65,535: one tick of waiting, which no longer shows.
  EXPECT_EQ(m.key(), static_cast<std::int32_t>(kTimeMax));
  m.put(reg::kRisk, 2);
  m.put(reg::kRiskCharge, 9);
  EXPECT_EQ(m.key(), static_cast<std::int32_t>(kTimeMax) + 9);
  m.put(reg::kWriteSettle, 0xF'FFFF);  // -1; a read settles nothing
  EXPECT_EQ(m.key(), static_cast<std::int32_t>(kTimeMax) + 9);
}

TEST(ReferenceCoreHop, TheOverheadDependsOnThisAccessAndTheLast) {
  const auto late_at = [&](bool write, bool last, std::uint32_t margin) {
    Machine m;
    m.put(reg::kOverheadRr, 1000);
    m.put(reg::kOverheadRw, 2000);
    m.put(reg::kOverheadWr, 3000);
    m.put(reg::kOverheadWw, 4000);
    Command c{0, 10'000};
    c.write = write;
    m.enter(0, c);
    m.put(reg::kHeadPos, static_cast<std::uint32_t>(last) << 27);
    m.put(reg::kMargin, margin);
    return m.key() >= static_cast<std::int32_t>(kTurn);
  };
  const std::uint32_t expected[2][2] = {{1000, 2000}, {3000, 4000}};
  for (const bool write : {false, true})
    for (const bool last : {false, true}) {
      EXPECT_FALSE(late_at(write, last, 10'000 - expected[write][last]));
      EXPECT_TRUE(late_at(write, last, 10'001 - expected[write][last]));
    }
}

TEST(ReferenceCoreSeek, PlacesSelectTheSegmentByOr) {
  Machine m;
  // Distances 64 to 65 are one cell (two cylinders wide): places 0 and 256.
  const std::uint32_t cell = 2u << 5;
  m.put(reg::kSeekCell, cell);
  m.put(reg::kSeekLast, 255);                   // the first segment ends with place 255, the second with 0
  m.put(reg::kSeekGroup, 500u | (511u << 16));  // 500 = ...100: two passed select 502
  m.put(reg::kSeekIndex, 502);
  m.put(reg::kSeekBase, 7000);
  m.put(reg::kSeekDelta, 0u - 3);  // half the way: -1.5, towards minus infinity -2
  m.enter(0, {65, 6998});
  EXPECT_EQ(m.key(), 6998);
  m.put(reg::kMargin, 1);
  EXPECT_EQ(m.key(), 6998 + static_cast<std::int32_t>(kTurn));
}

TEST(ReferenceCoreSeek, FillsBeyondTheTableAreDroppedAndTheIndexWraps) {
  Machine m;
  m.put(reg::kSeekIndex, 511);
  m.put(reg::kSeekDelta, 1);
  EXPECT_EQ(m.get(reg::kSeekIndex), 512u);
  m.put(reg::kSeekDelta, 1);
  EXPECT_EQ(m.get(reg::kSeekIndex), 513u);
  m.put(reg::kSeekIndex, 1023);
  m.put(reg::kSeekDelta, 1);
  EXPECT_EQ(m.get(reg::kSeekIndex), 0u);
  m.put(reg::kSeekCell, 1023);
  m.put(reg::kSeekGroup, 1);
  EXPECT_EQ(m.get(reg::kSeekCell), 0u);
}

TEST(ReferenceCoreKey, WhatHasWaitedIsTakenOff) {
  Machine m;
  Command c{0, 3000};
  c.age = 100;
  m.enter(0, c);
  m.put(reg::kAgeNow, 1100);
  EXPECT_EQ(m.key(), 2000);
  m.put(reg::kAgeNow, 5100);
  EXPECT_EQ(m.key(), -2000);
  m.put(reg::kAgeNow, 50);  // a wait of nearly 2^28, clamped
  EXPECT_EQ(m.key(), 3000 - static_cast<std::int32_t>(kTimeMax));
  m.put(reg::kAgeNow, 100);
  EXPECT_EQ(m.key(), 3000);
  Command wrapped{0, 3000};
  wrapped.age = kSumMask;
  m.put(reg::kRemove, 0);
  m.enter(0, wrapped);
  EXPECT_EQ(m.key(), 3000 - 101);
}

TEST(ReferenceCoreKey, TheLeastKeyThenTheOldest) {
  Machine m;
  Command waited{0, 9000};
  waited.age = (0u - 1000) & kSumMask;
  m.enter(5, {0, 8000});
  m.enter(7, waited);
  m.enter(2, {0, 8000});
  m.decide();  // 8,000 three times
  EXPECT_EQ(m.get(reg::kResult), kValid | 5u);
  m.put(reg::kRemove, 5);
  m.decide();
  EXPECT_EQ(m.get(reg::kResult), kValid | 7u);
  m.enter(5, {0, 7999});
  m.decide();
  EXPECT_EQ(m.get(reg::kResult), kValid | 5u);
  EXPECT_EQ(m.get(reg::kResultKey), 7999u);
  EXPECT_EQ(m.get(reg::kStatus) >> 8, 3u) << "the decision takes nothing out";
}

TEST(ReferenceCoreKey, AgeSurvivesTheWrapOfItsCounter) {
  AcceleratorParameters p;
  p.entries = 4;
  AcceleratorBus bus(p);
  const auto insert_often = [&bus](std::uint32_t tag, std::uint32_t times) {
    for (std::uint32_t i = 0; i < times; ++i) {
      bus.write(reg::kRemove, tag);
      bus.write(reg::kInsert, tag);
    }
  };
  const auto expect_order = [&bus](std::initializer_list<std::uint32_t> order) {
    for (const std::uint32_t expected : order) {
      bus.put(reg::kOp, 0);
      EXPECT_EQ(bus.get(reg::kResult), expected | kValid);
      bus.put(reg::kRemove, expected);
    }
  };
  bus.put(reg::kInsert, 3);
  bus.put(reg::kInsert, 0);
  insert_often(0, 1u << 23);  // more than half the numbers lie between the two
  bus.put(reg::kInsert, 2);
  expect_order({3, 0, 2});
  bus.put(reg::kInsert, 3);
  insert_often(3, (1u << 23) - 5);  // up to the last number before the wrap
  bus.put(reg::kInsert, 2);         // the last number
  bus.put(reg::kInsert, 1);         // 0 again
  expect_order({3, 2, 1});
}

TEST(ReferenceCoreKey, AnEmptyTableDecidesNothing) {
  Machine m;
  m.enter(3, {0, 5});
  m.decide();
  m.put(reg::kRemove, 3);
  m.put(reg::kCtrl, kGuard);
  m.decide();
  for (const std::uint32_t address : {reg::kResult, reg::kResultKey, reg::kRefused, reg::kNext, reg::kSweep, reg::kDue})
    EXPECT_EQ(m.get(address), 0u) << address;
}

TEST(ReferenceCoreMask, OnlyEntriesInTheMaskCompete) {
  Machine m(parameters(64, 4, 6, {}));
  m.enter(1, {0, 100});
  m.enter(40, {0, 200});
  m.enter(63, {0, 300});
  m.put(reg::kMask1, 1u << 8);
  m.decide();
  EXPECT_EQ(m.get(reg::kResult), kValid | 1u);
  m.put(reg::kCtrl, kMasked);
  m.decide();
  EXPECT_EQ(m.get(reg::kResult), kValid | 40u);
  m.put(reg::kMask1, 1u << 31);
  m.decide();
  EXPECT_EQ(m.get(reg::kResult), kValid | 63u);
  m.put(reg::kMask1, 0);
  m.decide();
  EXPECT_EQ(m.get(reg::kResult), 0u);
  m.put(reg::kMask2, ~0u);
  EXPECT_EQ(m.get(reg::kMask2), 0u) << "beyond the table";
}

/// Three continuous entries and a discrete one, with hops that wait for the angle, never for the arm:
/// A, B, C begin at angles 2,000, 10,000, 20,000 and take 1,000, 1,000, 500; D begins at 5,000 and takes 1,000.
class Sweeping : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kA = 10, kB = 4, kC = 31, kD = 0;
  static constexpr std::uint32_t kDue = 900'000;

  Sweeping() {
    m.put(reg::kDelay, 50);
    m.put(reg::kOverheadRr, 100);
    m.enter(kD, {150, 5000, 1000});
    m.enter(kB, continuous(200, 10'000, 1000, kDue + 7));
    m.enter(kC, continuous(400, 20'000, 500, kDue));
    m.enter(kA, continuous(100, 2000, 1000, kDue + 9));
    m.put(reg::kCtrl, kGuard);
  }
  /// Leaves `left` ticks until the earliest deadline; the angle stays.
  void leave(std::int64_t left) {
    m.put(reg::kHeadTime, 8 * kTurn);
    m.put(reg::kReserve, std::int64_t{kDue} - m.get(reg::kHeadTime) - left);
  }
  std::uint32_t refused() {
    m.decide();
    return m.get(reg::kRefused);
  }

  Machine m;
};

TEST_F(Sweeping, SumsUpward) {
  m.decide();
  EXPECT_EQ(m.get(reg::kNext), kA | 0x100u);
  EXPECT_EQ(m.get(reg::kSweep), 1000u + 7000 + 1000 + 9000 + 500);
  EXPECT_EQ(m.get(reg::kDue), kDue);
}

TEST_F(Sweeping, SumsDownward) {
  m.put(reg::kCtrl, kGuard | kDown);
  m.decide();
  EXPECT_EQ(m.get(reg::kNext), kC | 0x100u);
  EXPECT_EQ(m.get(reg::kSweep), 500 + (kTurn - 10'500) + 1000 + (kTurn - 9000) + 1000);
  EXPECT_EQ(m.get(reg::kDue), kDue);
}

TEST_F(Sweeping, AHopBetweenEntriesTakesTheDelayAndTheOverhead) {
  // From A's end to B: 7,000 less 50 + 100 + 1,000 is a wait of 5,850.
  m.put(reg::kMargin, 5850);
  m.decide();
  EXPECT_EQ(m.get(reg::kSweep), 18'500u);
  m.put(reg::kMargin, 5851);
  m.decide();
  EXPECT_EQ(m.get(reg::kSweep), 18'500u + kTurn);
  m.put(reg::kMargin, 0);
  m.put(reg::kRisk, 5851);
  m.decide();
  EXPECT_EQ(m.get(reg::kSweep), 18'500u + kTurn) << "the sums are of the worst";
  m.put(reg::kDelay, kTimeMax - 50);  // with the overhead: saturated; 16 turns of hop, B and C each
  m.put(reg::kRisk, 0);
  m.decide();
  EXPECT_EQ(m.get(reg::kSweep), 2500u + 2 * kTimeMax);
}

TEST_F(Sweeping, EntriesOfOneCylinderAreSweptByAge) {
  m.enter(1, continuous(100, 3500, 100, kDue));
  m.decide();
  EXPECT_EQ(m.get(reg::kNext), kA | 0x100u);
  EXPECT_EQ(m.get(reg::kSweep), 1000u + 500 + 100 + 6400 + 1000 + 9000 + 500);
  m.put(reg::kCtrl, kGuard | kDown);
  m.put(reg::kRemove, kC);
  m.put(reg::kRemove, kB);
  m.decide();
  EXPECT_EQ(m.get(reg::kNext), 0x101u);
}

TEST_F(Sweeping, TheNeedIsExactToTheTick) {
  // From time 0: A is reached at 2,000, then the whole sweep. D: 5,000, then A one turn later. B or C first: A one turn
  // later, and the sweep without it.
  const std::int64_t a = 2000 + 18'500;
  const std::int64_t d = kTurn + 2000 + 18'500;
  const std::int64_t b = kTurn + 2000 + (1000 + 17'000 + 500);
  const std::int64_t c = kTurn + 2000 + (1000 + 7000 + 1000);
  ASSERT_EQ(b, d);
  leave(d);
  EXPECT_EQ(refused(), 0u);
  EXPECT_EQ(m.get(reg::kResult), kValid | kA);
  leave(d - 1);
  EXPECT_EQ(refused(), 2u);
  leave(c);
  EXPECT_EQ(refused(), 2u);
  leave(c - 1);
  EXPECT_EQ(refused(), 3u);
  leave(a);
  EXPECT_EQ(refused(), 3u);
  EXPECT_EQ(m.get(reg::kResult), kValid | kA);
  EXPECT_EQ(m.get(reg::kResultKey), 2000u);
  leave(a - 1);
  EXPECT_EQ(refused(), 4u);
  EXPECT_EQ(m.get(reg::kResult), kValid | kForced | kA);
  EXPECT_EQ(m.get(reg::kResultKey), 0u);
  leave(-5000);
  EXPECT_EQ(refused(), 4u);
  EXPECT_EQ(m.get(reg::kRefusedCount), 2u + 2 + 3 + 3 + 4 + 4);
  EXPECT_EQ(m.get(reg::kForcedCount), 2u);
  EXPECT_EQ(m.get(reg::kDecisions), 7u);
}

TEST_F(Sweeping, NextOnlyOfTheContinuousEntries) {
  m.put(reg::kCtrl, kGuard | kNextOnly);
  leave(0);
  EXPECT_EQ(refused(), 2u) << "A and D; B and C do not compete";
  m.put(reg::kCtrl, kNextOnly);  // without the guard all do
  m.put(reg::kHeadTime, 9000);
  m.decide();
  EXPECT_EQ(m.get(reg::kResult), kValid | kC) << "B is too far to be reached in 1,000";
}

TEST_F(Sweeping, ForcedIsNextEvenBeyondTheMask) {
  m.put(reg::kCtrl, kGuard | kMasked);
  m.put(reg::kMask0, 1u << kD);
  leave(0);
  EXPECT_EQ(refused(), 1u);
  EXPECT_EQ(m.get(reg::kResult), kValid | kForced | kA);
  m.put(reg::kMask0, 0);
  EXPECT_EQ(refused(), 0u);
  EXPECT_EQ(m.get(reg::kResult), kValid | kForced | kA) << "no candidate, and the guard applies";
}

TEST_F(Sweeping, WithoutTheGuardNothingIsWorkedOut) {
  m.put(reg::kCtrl, 0);
  m.decide();
  EXPECT_EQ(m.get(reg::kNext), 0u);
  m.put(reg::kCtrl, kGuard);
  m.decide();
  m.put(reg::kCtrl, 0);
  m.put(reg::kServe, kA);
  m.decide();
  EXPECT_EQ(m.get(reg::kNext), kA | 0x100u) << "as of the last time";
  EXPECT_EQ(m.get(reg::kRefused), 0u);
  m.put(reg::kCtrl, kGuard);
  m.decide();
  EXPECT_EQ(m.get(reg::kNext), kB | 0x100u);
  EXPECT_EQ(m.get(reg::kSweep), 1000u + 9000 + 500);
}

TEST(ReferenceCoreSweep, DeadlinesCompareAcrossTheirWrap) {
  Machine m;
  m.put(reg::kCtrl, kGuard);
  m.enter(0, continuous(1, 0, 10, 5));
  m.enter(1, continuous(2, 0, 10, kSumMask - 4));  // ten ticks earlier
  m.enter(2, continuous(3, 0, 10, 6));
  m.decide();
  EXPECT_EQ(m.get(reg::kDue), kSumMask - 4);
  m.put(reg::kRemove, 1);
  m.decide();
  EXPECT_EQ(m.get(reg::kDue), 5u);
}

TEST(ReferenceCoreSweep, SumsAreClamped) {
  Machine m;
  m.put(reg::kCtrl, kGuard);
  m.enter(0, continuous(1, 0, kSumMask, 0));
  m.decide();
  EXPECT_EQ(m.get(reg::kSweep), kSumMask);
  m.enter(1, continuous(2, 0, 10, 0));
  m.decide();
  EXPECT_EQ(m.get(reg::kSweep), kSumMask);
}

TEST(ReferenceCoreSweep, ASingleContinuousEntryIsTheSweep) {
  Machine m;
  m.put(reg::kCtrl, kGuard);
  m.enter(9, continuous(0, 1000, 300, 1300));
  m.decide();
  EXPECT_EQ(m.get(reg::kNext), 0x109u);
  EXPECT_EQ(m.get(reg::kSweep), 300u);
  EXPECT_EQ(m.get(reg::kResult), 0x109u) << "1,000 and 300 are 1,300";
}

// --- clusters ------------------------------------------------------------------------------------------------------

/// Tags in ascending order of cylinder; 2 and 5 are continuous.
class Clusters : public ::testing::Test {
 protected:
  Clusters() {
    const std::uint32_t cylinders[] = {100, 200, 200, 300, 400, 500, 600};
    for (std::uint32_t tag = 0; tag < 7; ++tag) {
      Command c{cylinders[tag], 0};
      c.cls = tag == 2 || tag == 5 ? 1 : tag % 2 * 2;
      m.enter(tag, c);
    }
    m.put(reg::kClusterSpan, 0x3'FFFF);
  }
  /// Mask and cycles of a CLUSTER.
  std::pair<std::uint32_t, std::uint32_t> collect(std::uint32_t control, std::uint32_t from) {
    m.put(reg::kClusterFrom, from);
    const std::uint32_t cycles = m.cluster(control);
    EXPECT_EQ(m.get(reg::kClusterCount), static_cast<std::uint32_t>(__builtin_popcount(m.get(reg::kMask0))));
    EXPECT_EQ(m.get(reg::kCycles), cycles);
    return {m.get(reg::kMask0), cycles};
  }
  using Outcome = std::pair<std::uint32_t, std::uint32_t>;

  Machine m;
};

TEST_F(Clusters, BeginsWhereItIsTold) {
  EXPECT_EQ(collect(kTakeC | kTakeD, 0), Outcome(0x7F, 9));
  EXPECT_EQ(collect(kTakeC | kTakeD, 200), Outcome(0x7E, 9));
  EXPECT_EQ(collect(kTakeC | kTakeD, 201), Outcome(0x78, 9));
  EXPECT_EQ(collect(kTakeC | kTakeD, 601), Outcome(0, 9));
  EXPECT_EQ(collect(kTakeC | kTakeD | kDownwards, 200), Outcome(0x07, 9));
  EXPECT_EQ(collect(kTakeC | kTakeD | kDownwards, 199), Outcome(0x01, 9));
  EXPECT_EQ(collect(kTakeC | kTakeD | kDownwards, 99), Outcome(0, 9));
}

TEST_F(Clusters, StopsBeforeAContinuousEntry) {
  EXPECT_EQ(collect(kTakeC | kTakeD | kStopAtC, 0), Outcome(0x03, 5));
  EXPECT_EQ(collect(kTakeD | kStopAtC, 201), Outcome(0x18, 8));
  EXPECT_EQ(collect(kTakeD | kStopAtC | kDownwards, 0x3'FFFF), Outcome(0x40, 4));
  EXPECT_EQ(collect(kTakeD | kStopAtC | kDownwards, 450), Outcome(0x18, 7)) << "one that lies before does not stop it";
}

TEST_F(Clusters, TakesTheClassesItIsTold) {
  EXPECT_EQ(collect(kTakeC, 0), Outcome(0x24, 9));
  EXPECT_EQ(collect(kTakeD, 0), Outcome(0x5B, 9));
  EXPECT_EQ(collect(0, 0), Outcome(0, 9));
}

TEST_F(Clusters, EndsBeyondItsSpan) {
  m.put(reg::kClusterSpan, 200);
  EXPECT_EQ(collect(kTakeC | kTakeD, 0), Outcome(0x0F, 7));
  EXPECT_EQ(collect(kTakeD, 250), Outcome(0x18, 9)) << "500 is continuous: passed over, farther or not; 600 ends it";
  m.put(reg::kClusterSpan, 199);
  EXPECT_EQ(collect(kTakeC | kTakeD, 0), Outcome(0x07, 6));
  EXPECT_EQ(collect(kTakeC | kTakeD | kDownwards, 600), Outcome(0x60, 5));
  m.put(reg::kClusterSpan, 0);
  EXPECT_EQ(collect(kTakeC | kTakeD, 200), Outcome(0x06, 6));
}

TEST_F(Clusters, EndsWithTheLargestNumber) {
  EXPECT_EQ(collect(kTakeC | kTakeD | 3, 0), Outcome(0x07, 5));
  EXPECT_EQ(collect(kTakeD | 1, 150), Outcome(0x02, 4));
  EXPECT_EQ(collect(kTakeC | kTakeD | kDownwards | 1, 200), Outcome(0x04, 7)) << "of one cylinder the younger first";
  EXPECT_EQ(collect(kTakeC | kTakeD | kDownwards | 2, 200), Outcome(0x06, 8));
  EXPECT_EQ(collect(kTakeC | kTakeD | 7, 0), Outcome(0x7F, 9));
}

TEST_F(Clusters, AnEmptyListTakesTwoCycles) {
  Machine empty;
  EXPECT_EQ(empty.cluster(kTakeC | kTakeD | kOrder), 2u);
  EXPECT_EQ(empty.get(reg::kClusterCount), 0u);
  EXPECT_EQ(empty.get(reg::kStatus), 2u);
}

TEST_F(Clusters, TheMaskServesTheNextDecision) {
  m.put(reg::kCtrl, kMasked);
  m.put(reg::kClusterFrom, 300);
  m.cluster(kTakeD | 2);
  m.decide();
  EXPECT_EQ(m.get(reg::kResult), kValid | 3u);
  m.put(reg::kServe, 3);
  m.decide();
  EXPECT_EQ(m.get(reg::kResult), kValid | 4u);
  m.put(reg::kServe, 4);
  m.decide();
  EXPECT_EQ(m.get(reg::kResult), 0u);
}

TEST_F(Clusters, DecisionsCountDecideOnlyAndAClusterLeavesItsResult) {
  m.decide();
  const std::uint32_t result = m.get(reg::kResult);
  const std::uint32_t key = m.get(reg::kResultKey);
  m.cluster(kTakeD);
  EXPECT_EQ(m.get(reg::kDecisions), 1u);
  EXPECT_EQ(m.get(reg::kResult), result);
  EXPECT_EQ(m.get(reg::kResultKey), key);
}

/// Where only the angle counts: three commands on one cylinder that follow each other on the track.
TEST(ReferenceCoreOrder, FollowsTheAngles) {
  Machine m;
  m.put(reg::kHeadTime, 1000);
  m.enter(20, {50, 30'000, 1000});
  m.enter(21, {50, 10'000, 1000});
  m.enter(22, {50, 20'000, 1000});
  EXPECT_EQ(m.cluster(kTakeD | kOrder), 3u + 2 + 9 + 13 + order_cycles(3));
  EXPECT_EQ(m.get(reg::kClusterCount), 3u | 1u << reg::kClusterCountOrderedLsb);
  EXPECT_EQ(m.get(reg::kOrderTags0), 21u | 22u << 8 | 20u << 16);
  EXPECT_EQ(m.get(reg::kOrderTags1), 0u);
  EXPECT_EQ(m.get(reg::kOrderCost), 9000u + 9000 + 9000);
  m.put(reg::kHeadTime, 15'000);
  m.cluster(kTakeD | kOrder);
  EXPECT_EQ(m.get(reg::kOrderTags0), 22u | 20u << 8 | 21u << 16);
  EXPECT_EQ(m.get(reg::kOrderCost), 5000u + 9000 + (kTurn - 21'000));
}

TEST(ReferenceCoreOrder, OfEqualOrdersTheFirstReadFromTheEnd) {
  Machine m;
  for (const std::uint32_t tag : {9u, 3u, 7u, 5u}) m.enter(tag, {10, 500});  // all alike
  m.cluster(kTakeD | kOrder);
  EXPECT_EQ(m.get(reg::kOrderTags0), 5u | 7u << 8 | 3u << 16 | 9u << 24);
  m.cluster(kTakeD | kOrder | kDownwards);
  EXPECT_EQ(m.get(reg::kOrderTags0), 0u) << "nothing at or below cylinder 0";
  m.put(reg::kClusterFrom, 10);
  m.cluster(kTakeD | kOrder | kDownwards);
  EXPECT_EQ(m.get(reg::kOrderTags0), 9u | 3u << 8 | 7u << 16 | 5u << 24);
}

TEST(ReferenceCoreOrder, ChargesRiskButNotTheWorstAndClampsAHop) {
  Machine m;
  m.put(reg::kRisk, 100);
  m.put(reg::kRiskCharge, 40);
  m.enter(1, {0, 50});
  m.cluster(kTakeD | kOrder);
  EXPECT_EQ(m.get(reg::kOrderCost), 90u);
  m.put(reg::kOverheadRr, kTimeMax);
  m.put(reg::kHeadTime, kTurn - 50);  // arrives at 65,485 again; waits 101
  m.put(reg::kRisk, 200);
  m.cluster(kTakeD | kOrder);
  EXPECT_EQ(m.get(reg::kOrderCost), kTimeMax);
}

TEST(ReferenceCoreOrder, OnlyWhatTheOrdererHolds) {
  Machine m(parameters(32, 4, 3, {}));
  for (std::uint32_t tag = 0; tag < 4; ++tag) m.enter(tag, {tag, 0});
  m.put(reg::kClusterSpan, 3);
  EXPECT_EQ(m.get(reg::kOrderer), 3u);
  m.cluster(kTakeD | kOrder | 3);
  EXPECT_EQ(m.get(reg::kClusterCount), 3u | 1u << 9);
  EXPECT_NE(m.get(reg::kOrderTags0), 0u);
  EXPECT_EQ(m.cluster(kTakeD | kOrder), 6u);
  EXPECT_EQ(m.get(reg::kClusterCount), 4u);
  EXPECT_EQ(m.get(reg::kOrderTags0), 0u);
  EXPECT_EQ(m.get(reg::kOrderCost), 0u);
  m.cluster(kTakeD | kOrder | 3);
  EXPECT_EQ(m.cluster(kTakeD | 3), 5u);  // not asked for
  EXPECT_EQ(m.get(reg::kClusterCount), 3u);
  EXPECT_EQ(m.get(reg::kOrderTags0), 0u);

  Machine without(parameters(32, 4, 0, {}));
  without.enter(4, {0, 0});
  EXPECT_EQ(without.cluster(kTakeD | kOrder), 3u);
  EXPECT_EQ(without.get(reg::kClusterCount), 1u);
}

TEST(ReferenceCoreOrder, TwelveFillThreeRegisters) {
  Machine m(parameters(32, 4, 12, {}));
  for (std::uint32_t i = 0; i < 12; ++i) m.enter(31 - i, {0, 1000 * (i + 1), 10});
  EXPECT_EQ(m.cluster(kTakeD | kOrder), 12u + 2 + 144 + 13 + order_cycles(12));
  EXPECT_EQ(m.get(reg::kOrderTags0), 0x1C1D'1E1Fu);
  EXPECT_EQ(m.get(reg::kOrderTags1), 0x1819'1A1Bu);
  EXPECT_EQ(m.get(reg::kOrderTags2), 0x1415'1617u);
  EXPECT_EQ(m.get(reg::kOrderCost), 1000u + 11 * 990);
}

// --- cycles --------------------------------------------------------------------------------------------------------

constexpr std::uint32_t kPass = 8 + reg::kDecisionLatency;

TEST(ReferenceCoreCycles, OfTheList) {
  Machine m;
  EXPECT_EQ(m.enter(0, {100, 0}), 2u);
  EXPECT_EQ(m.enter(1, {100, 0}), 2u) << "behind what is on the same cylinder";
  EXPECT_EQ(m.enter(2, {99, 0}), 4u);
  EXPECT_EQ(m.enter(3, {101, 0}), 2u);
  EXPECT_EQ(m.enter(4, {100, 0}), 3u);
  EXPECT_EQ(m.put(reg::kRemove, 3), 6u);
  EXPECT_EQ(m.put(reg::kServe, 2), 5u);
  EXPECT_EQ(m.put(reg::kRemove, 0), 4u);
  EXPECT_EQ(m.put(reg::kRemove, 1), 3u);
  EXPECT_EQ(m.put(reg::kRemove, 4), 2u);
  EXPECT_EQ(m.get(reg::kBusyCycles), 2u + 2 + 4 + 2 + 3 + 6 + 5 + 4 + 3 + 2);
  EXPECT_EQ(m.get(reg::kCycles), 0u) << "no operation";
  EXPECT_EQ(m.get(reg::kStatus), 0u) << "not DONE";
}

TEST(ReferenceCore, IsZeroAfterResetExceptForConstants) {
  for (const std::uint32_t features : {0u, std::uint32_t{kAllFeatures}}) {
    AcceleratorParameters p = parameters(64, 4, 12, format(16, 18, 5));
    p.features = features;
    AcceleratorBus bus(p);
    const auto check = [&] {
      for (const reg::RegisterInfo& r : reg::kRegisters) {
        if (r.access == reg::Access::WriteOnly) continue;
        EXPECT_EQ(bus.get(r.offset), reg::constant(r.offset, p.built())) << r.name;
      }
    };
    check();
    for (const reg::RegisterInfo& r : reg::kRegisters)
      if (r.access == reg::Access::ReadWrite) bus.put(r.offset, ~0u);
    bus.core().reset();
    check();
  }
}

TEST(ReferenceCoreCycles, OfADecision) {
  Machine m;
  EXPECT_EQ(m.decide(), kPass);
  m.put(reg::kCtrl, kGuard);
  EXPECT_EQ(m.decide(), kPass + 2 + 13) << "stale after reset";
  m.enter(0, {5, 0});
  m.put(reg::kCtrl, kGuard);
  EXPECT_EQ(m.decide(), kPass + 2 + (1 + 13));
  m.enter(1, continuous(6, 0, 0, 0));
  EXPECT_EQ(m.decide(), kPass + 2 + (2 + 13) + (kPass + 2));
  EXPECT_EQ(m.get(reg::kCycles), 2 * kPass + 4 + 15);
  EXPECT_EQ(m.decide(), kPass) << "nothing is stale";
  m.enter(2, {7, 0});
  EXPECT_EQ(m.decide(), kPass + 2 + (kPass + 2)) << "the debts are";
  EXPECT_EQ(m.decide(), kPass);
  m.put(reg::kServe, 2);
  EXPECT_EQ(m.decide(), kPass) << "one that is not continuous left";
  for (std::uint32_t tag = 10; tag < 14; ++tag) m.enter(tag, continuous(tag, 0, 0, 0));
  EXPECT_EQ(m.decide(), kPass + 2 + (6 + 3 + 13) + (kPass + 2));
  m.put(reg::kServe, 12);
  EXPECT_EQ(m.decide(), kPass + 2 + (5 + 2 + 13) + (kPass + 2));
  m.put(reg::kRemove, 13);
  m.put(reg::kCtrl, 0);
  EXPECT_EQ(m.decide(), kPass) << "the guard is off";
}

TEST(ReferenceCoreCycles, WithoutASweepThereAreNoDebts) {
  Machine m;
  m.put(reg::kCtrl, kGuard);
  m.decide();
  EXPECT_EQ(m.decide(), kPass);
  m.enter(3, {0, 0});
  EXPECT_EQ(m.decide(), kPass) << "none that could be stale";
}

TEST(ReferenceCoreCycles, WhatMakesTheSumsStale) {
  Machine m;
  m.put(reg::kCtrl, kGuard);
  m.enter(0, continuous(5, 0, 0, 0));
  m.enter(1, continuous(6, 0, 0, 0));
  const std::uint32_t stale = kPass + 2 + (2 + 13) + (kPass + 2);
  EXPECT_EQ(m.decide(), stale);
  for (const reg::RegisterInfo& info : reg::kRegisters) {
    if (info.access == reg::Access::ReadOnly || info.offset == reg::kClear || info.offset == reg::kOp ||
        info.offset == reg::kInsert || info.offset == reg::kRemove || info.offset == reg::kServe)
      continue;
    m.put(info.offset, info.offset == reg::kCtrl ? kGuard : 0);
    const std::uint32_t makers[] = {reg::kCtrl,        reg::kMargin,     reg::kRisk,       reg::kHeadSwitch,
                                    reg::kWriteSettle, reg::kOverheadRr, reg::kOverheadRw, reg::kOverheadWr,
                                    reg::kOverheadWw,  reg::kDelay,      reg::kSeekDelta,  reg::kSeekGroup};
    const bool expected = std::count(std::begin(makers), std::end(makers), info.offset) != 0;
    EXPECT_EQ(m.decide(), expected ? stale : kPass) << info.name;
    EXPECT_EQ(m.decide(), kPass) << info.name;
  }
  m.write(reg::kRemove, 7);  // refused
  m.write(reg::kInsert, 0);
  EXPECT_EQ(m.decide(), kPass);
  m.put(reg::kRemove, 0);
  EXPECT_EQ(m.decide(), stale - 1);
  m.cluster(kTakeC);
  EXPECT_EQ(m.decide(), kPass);
}

TEST(ReferenceCoreCycles, ResponsesSayWhenTheWorkHasEnded) {
  Machine m;
  BusResponse response = m.write(reg::kHeadTime, 1);
  EXPECT_EQ(response.cycles, 2u);
  EXPECT_EQ(response.busy_cycles, 0u);
  response = m.write(reg::kInsert, 1);
  EXPECT_EQ(response.cycles, 2u);
  EXPECT_EQ(response.busy_cycles, 3u) << "set in cycles 1 and 2";
  EXPECT_EQ(response.irq_cycles, 0u);
  m.put(reg::kCtrl, kIrq);
  response = m.write(reg::kOp, 0);
  EXPECT_EQ(response.busy_cycles, kPass + 1);
  EXPECT_EQ(response.irq_cycles, kPass + 1);
  EXPECT_TRUE(response.irq);
  response = m.write(reg::kOp, 1);
  EXPECT_EQ(response.irq_cycles, 0u) << "high already";
  m.put(reg::kClear, 1);
  response = m.write(reg::kOp, 1);
  EXPECT_EQ(response.busy_cycles, 4u);
  EXPECT_EQ(response.irq_cycles, 4u);
  m.put(reg::kRemove, 1);
  m.put(reg::kClear, 1);
  response = m.write(reg::kOp, 1);
  EXPECT_EQ(response.busy_cycles, 3u) << "a cycle longer than the access";
  response = m.write(reg::kRemove, 1);
  EXPECT_FALSE(response.ok);
  EXPECT_EQ(response.cycles, 2u);
  EXPECT_EQ(response.busy_cycles, 0u);
}

// --- registers -----------------------------------------------------------------------------------------------------

TEST(ReferenceCoreTable, ServeMovesTheHead) {
  Machine m;
  m.put(reg::kEPos, 1 | 1u << 27);
  m.put(reg::kEEndPos, 0x1234 | 5u << 21);
  m.put(reg::kInsert, 6);
  m.put(reg::kInsert, 7);
  m.put(reg::kHeadPos, 77);
  m.put(reg::kRemove, 6);
  EXPECT_EQ(m.get(reg::kHeadPos), 77u);
  m.put(reg::kServe, 7);
  EXPECT_EQ(m.get(reg::kHeadPos), 0x1234 | 5u << 21 | 1u << 27);
  m.put(reg::kEPos, 1);
  m.put(reg::kInsert, 7);
  m.put(reg::kServe, 7);
  EXPECT_EQ(m.get(reg::kHeadPos), 0x1234 | 5u << 21);
}

TEST(ReferenceCoreTable, RefusedCommandsChangeNothingButTheErrorFlag) {
  AcceleratorParameters p;
  p.entries = 8;
  Machine m(p);
  m.put(reg::kInsert, 5);
  m.put(reg::kHeadPos, 99);
  const std::uint32_t busy = m.get(reg::kBusyCycles);
  const auto refused = [&](std::uint32_t address, std::uint32_t tag) {
    const bool ok = m.write(address, tag).ok;
    EXPECT_EQ(m.get(reg::kStatus), 4u | (1u << 8)) << address;  // ERROR, one entry
    m.put(reg::kClear, 2);
    EXPECT_EQ(m.get(reg::kStatus), 1u << 8);
    EXPECT_EQ(m.get(reg::kBusyCycles), busy);
    return !ok;
  };
  EXPECT_TRUE(refused(reg::kInsert, 5));      // in use
  EXPECT_TRUE(refused(reg::kInsert, 8));      // out of range
  EXPECT_TRUE(refused(reg::kInsert, 0x105));  // not cut to 8 bits
  for (const std::uint32_t address : {reg::kRemove, reg::kServe}) {
    EXPECT_TRUE(refused(address, 4));  // free
    EXPECT_TRUE(refused(address, 8));
    EXPECT_TRUE(refused(address, 0x8005));
  }
  EXPECT_EQ(m.get(reg::kHeadPos), 99u);
  m.put(reg::kInsert, 0x1'0004);  // bits that no field names are ignored
  EXPECT_EQ(m.get(reg::kStatus), 2u << 8);
}

TEST(ReferenceCoreRegisters, AnswerWrongAccessesByAnErrorOnly) {
  AcceleratorBus bus({});
  bus.put(reg::kReserve, 77);
  for (const reg::RegisterInfo& info : reg::kRegisters) {
    if (info.access == reg::Access::ReadOnly) {
      EXPECT_FALSE(bus.write(info.offset, 0xFFFF'FFFFu).ok) << info.name;
    }
    EXPECT_EQ(bus.readable(info.offset), info.access != reg::Access::WriteOnly) << info.name;
  }
  for (const std::uint32_t nowhere : {0x0FCu, 0x134u, 0xFFCu, 0x021u, 0x102u}) {
    EXPECT_FALSE(bus.write(nowhere, 1).ok);
    EXPECT_FALSE(bus.readable(nowhere));
  }
  EXPECT_EQ(bus.get(reg::kStatus), 0u);  // not even ERROR
  EXPECT_EQ(bus.get(reg::kReserve), 77u);
  EXPECT_EQ(bus.get(reg::kId), 0x504C5453u);
  EXPECT_EQ(bus.get(reg::kVersion), 0x0400u);
}

TEST(ReferenceCoreRegisters, KeepTheirDocumentedWidthsUntilASoftReset) {
  AcceleratorParameters p;
  p.format = format(12, 10, 3);  // angles 12, times 16, sums 24 bits
  p.entries = 40;
  p.features = kAllFeatures;
  Machine m(p);
  const std::map<std::uint32_t, std::uint32_t> kept = {{reg::kCtrl, 0x7F},
                                                       {reg::kHeadPos, 0xFE0'03FF},
                                                       {reg::kHeadTime, 0xFF'FFFF},
                                                       {reg::kReserve, 0xFF'FFFF},
                                                       {reg::kAgeNow, 0xFF'FFFF},
                                                       {reg::kMargin, 0xFFF},
                                                       {reg::kRisk, 0xFFF},
                                                       {reg::kRiskCharge, 0xFFF},
                                                       {reg::kHeadSwitch, 0xFFFF},
                                                       {reg::kWriteSettle, 0xFFFF},
                                                       {reg::kOverheadRr, 0xFFFF},
                                                       {reg::kOverheadRw, 0xFFFF},
                                                       {reg::kOverheadWr, 0xFFFF},
                                                       {reg::kOverheadWw, 0xFFFF},
                                                       {reg::kDelay, 0xFFFF},
                                                       {reg::kCluster, 0x3FFF},
                                                       {reg::kClusterFrom, 0x3FF},
                                                       {reg::kClusterSpan, 0x3FF},
                                                       {reg::kEPos, 0xFFE0'03FF},
                                                       {reg::kEAngle, 0xFFF},
                                                       {reg::kEEndPos, 0x7E0'03FF},
                                                       {reg::kEEndAngle, 0xFFF},
                                                       {reg::kETransfer, 0xFF'FFFF},
                                                       {reg::kEDeadline, 0xFF'FFFF},
                                                       {reg::kEAge, 0xFF'FFFF},
                                                       {reg::kSeekIndex, 0x3FF},
                                                       {reg::kSeekBase, 0x3'FFFF},
                                                       {reg::kSeekCell, 0x3FF},
                                                       {reg::kSeekLast, 0x3F'003F},
                                                       {reg::kDefer, 0x7FFF},
                                                       {reg::kGrace, 0xFF'FFFF},
                                                       {reg::kAgeCap, 0x1'FFFF},
                                                       {reg::kAgeScale, 0x3'FFFF},
                                                       {reg::kAhead, 0x7'01FF},
                                                       {reg::kAheadShare, 0xFFFF'FFFF},
                                                       {reg::kELimit, 0xFF'FFFF},
                                                       {reg::kERest, 0xFFF},
                                                       {reg::kMask0, 0xFFFF'FFFF},
                                                       {reg::kMask1, 0xFF},
                                                       {reg::kMask2, 0},
                                                       {reg::kMask3, 0},
                                                       {reg::kMask4, 0},
                                                       {reg::kMask5, 0},
                                                       {reg::kMask6, 0},
                                                       {reg::kMask7, 0}};
  for (const reg::RegisterInfo& info : reg::kRegisters) {
    if (info.access != reg::Access::ReadWrite) continue;
    ASSERT_EQ(kept.count(info.offset), 1u) << info.name;
    m.put(info.offset, 0xFFFF'FFFFu);
    EXPECT_EQ(m.get(info.offset), kept.at(info.offset)) << info.name;
  }
  EXPECT_EQ(m.get(reg::kParams), 40u | (4u << 9) | (12u << 14) | (10u << 19) | (3u << 24) | (9u << 27));
  EXPECT_EQ(m.get(reg::kOrderer), 6u);
  m.put(reg::kHeadPos, 0);
  m.put(reg::kInsert, 3);
  m.put(reg::kOp, 1);
  m.put(reg::kOp, 0);
  m.write(reg::kInsert, 3);
  const SeekTable before = m.core().state().seek;
  m.put(reg::kClear, 0x100);
  for (const reg::RegisterInfo& info : reg::kRegisters)
    if (info.access != reg::Access::WriteOnly && info.offset > reg::kOrderer && info.offset != reg::kFeatures) {
      EXPECT_EQ(m.get(info.offset), 0u) << info.name;
    }
  for (std::size_t i = 0; i < before.segments.size(); ++i)
    ASSERT_EQ(m.core().state().seek.segments[i].base, before.segments[i].base) << "the seek table stays";
  // And the sums are stale again.
  m.put(reg::kCtrl, kGuard);
  EXPECT_EQ(m.decide(), 10u + reg::kDecisionLatency + 2 + 13);
}

TEST(ReferenceCoreRegisters, ClearTakesWhatItIsTold) {
  Machine m;
  m.put(reg::kCtrl, kGuard);
  m.enter(0, continuous(0, 5000, 1, 1));
  m.decide();
  m.write(reg::kInsert, 0);
  EXPECT_EQ(m.get(reg::kStatus), 0x106u);
  m.put(reg::kClear, 0);
  EXPECT_EQ(m.get(reg::kStatus), 0x106u);
  m.put(reg::kClear, 1);
  EXPECT_EQ(m.get(reg::kStatus), 0x104u);
  m.put(reg::kClear, 2);
  EXPECT_EQ(m.get(reg::kStatus), 0x100u);
  EXPECT_EQ(m.get(reg::kDecisions), 1u);
  EXPECT_EQ(m.get(reg::kRefusedCount), 1u);
  EXPECT_EQ(m.get(reg::kForcedCount), 1u);
  EXPECT_NE(m.get(reg::kBusyCycles), 0u);
  EXPECT_EQ(m.get(reg::kStallCycles), 0u);
  const std::uint32_t cycles = m.get(reg::kCycles);
  m.put(reg::kClear, 4);
  for (std::uint32_t address = reg::kDecisions; address <= reg::kForcedCount; address += 4)
    EXPECT_EQ(m.get(address), 0u) << address;
  EXPECT_EQ(m.get(reg::kCycles), cycles);
  EXPECT_EQ(m.get(reg::kRefused), 1u);
}

TEST(ReferenceCoreRegisters, TheInterruptFollowsDoneAndItsEnable) {
  AcceleratorBus bus({});
  const BusResponse off = bus.write(reg::kOp, 0);
  EXPECT_FALSE(off.irq);
  EXPECT_EQ(off.irq_cycles, 0u);
  EXPECT_TRUE(bus.write(reg::kCtrl, kIrq).irq);  // DONE is set already
  const BusResponse high = bus.write(reg::kOp, 0);
  EXPECT_TRUE(high.irq);
  EXPECT_EQ(high.irq_cycles, 0u);  // no edge
  EXPECT_FALSE(bus.write(reg::kClear, 1).irq);
  EXPECT_EQ(bus.write(reg::kOp, 0).irq_cycles, kPass + 1);
}

// --- optional parts ------------------------------------------------------------------------------------------------

AcceleratorParameters with(std::uint32_t features) {
  AcceleratorParameters p;
  p.features = features;
  return p;
}

constexpr std::uint32_t kDefer = 1u << reg::kCtrlDeferCLsb;
constexpr std::uint32_t kRestCost = 1u << reg::kCtrlRestCostLsb;

TEST(ReferenceCoreParts, AnAbsentPartReadsZeroAndIgnoresWrites) {
  Machine m;
  EXPECT_EQ(m.get(reg::kFeatures), 0u);
  for (const std::uint32_t address :
       {reg::kDefer, reg::kGrace, reg::kAgeCap, reg::kAgeScale, reg::kAhead, reg::kAheadShare, reg::kELimit, reg::kERest}) {
    m.put(address, ~0u);
    EXPECT_EQ(m.get(address), 0u) << address;
  }
  m.put(reg::kCtrl, kDefer | kRestCost);
  EXPECT_EQ(m.get(reg::kCtrl), 0u);
  EXPECT_EQ(Machine(with(kAllFeatures)).get(reg::kFeatures), 15u);
}

TEST(ReferenceCoreParts, AgesUnderACapWithAWeight) {
  Machine m(with(kAgeing));
  Command c{100, 2000};
  c.age = 1000;
  m.enter(0, c);
  m.put(reg::kAgeNow, 1300);
  EXPECT_EQ(m.key(), 2000 - 300);  // no weight: a tick a unit
  m.put(reg::kAgeScale, 640);      // ten ticks a unit
  m.put(reg::kAgeCap, 300);
  EXPECT_EQ(m.key(), 2000 - 3000);
  m.put(reg::kAgeCap, 299);
  EXPECT_EQ(m.key(), 2000 - 2990);
  m.put(reg::kAgeScale, 1);
  EXPECT_EQ(m.key(), 2000 - 299 / 64);
  m.put(reg::kAgeScale, (1u << 18) - 1);  // 300 * 4,096 - 300 / 64 exceed a time
  m.put(reg::kAgeCap, 300);
  EXPECT_EQ(m.key(), 2000 - static_cast<std::int32_t>(kTimeMax));
}

TEST(ReferenceCoreParts, ContinuousEntriesArePutOff) {
  Machine m(with(kAgeing));
  Command c = continuous(100, 2000, 70, 1 << 20);
  c.age = kSumMask;  // it would have aged by one
  m.enter(0, c);
  EXPECT_EQ(m.key(), 2000 - 1);
  m.put(reg::kDefer, 5000);
  EXPECT_EQ(m.key(), 2000 - 1);
  m.put(reg::kCtrl, kDefer);
  EXPECT_EQ(m.key(), 2000 + 5000);
  m.enter(1, {100, 3000});
  m.decide();
  EXPECT_EQ(m.get(reg::kResult), kValid | 1);
}

TEST(ReferenceCoreParts, LimitsPutFirstOrWithdraw) {
  Machine m(with(kLimits));
  const auto enter = [&m](std::uint32_t tag, std::uint32_t angle, std::uint32_t kind, std::uint32_t limit) {
    m.put(reg::kELimit, limit);
    m.put(reg::kEPos, 100 | kind << reg::kEPosLimitLsb);
    m.put(reg::kEAngle, angle);
    m.put(reg::kInsert, tag);
  };
  const auto result = [&m] {
    m.decide();
    return m.get(reg::kResult);
  };
  enter(3, 2000, 0, 0);
  enter(4, 9000, 1, 9000);  // reached at 9,000: not missed
  EXPECT_EQ(result(), kValid | 3);
  m.put(reg::kRemove, 4);
  enter(4, 9000, 1, 8999);
  EXPECT_EQ(result(), kValid | 4);
  EXPECT_EQ(m.get(reg::kResultKey), 9000u);
  enter(5, 8000, 1, kSumMask);  // a limit of a moment ago
  EXPECT_EQ(result(), kValid | 5) << "of two that go first the one with the lower key";
  m.put(reg::kRemove, 4);
  m.put(reg::kRemove, 5);

  enter(6, 1500, 2, 1500);
  EXPECT_EQ(result(), kValid | 6);
  EXPECT_EQ(m.get(reg::kExpired), 0u);
  m.put(reg::kRemove, 6);
  enter(6, 1500, 2, 1499);
  enter(2, 1400, 2, 0);
  EXPECT_EQ(result(), kValid | 3);
  EXPECT_EQ(m.get(reg::kExpired), kValid | 2);
  m.put(reg::kRemove, 2);
  m.put(reg::kRemove, 6);

  enter(7, 9000, 3, 9000);
  EXPECT_EQ(result(), kValid | 3) << "there is grace";
  m.put(reg::kGrace, 9000);
  EXPECT_EQ(result(), kValid | 3);
  m.put(reg::kGrace, 9001);
  EXPECT_EQ(result(), kValid | 7);
  m.put(reg::kRemove, 7);
  enter(7, 9000, 3, 8999);
  EXPECT_EQ(result(), kValid | 3) << "too late in any case";
}

TEST(ReferenceCoreParts, AnAccessMayBeginInTheMiddleOfItsSectors) {
  Machine m(with(kZeroLatency));
  m.put(reg::kRisk, 1500);
  m.put(reg::kRiskCharge, 100);
  m.put(reg::kERest, 900);
  m.enter(0, {100, 1899});  // positioned at 1,000, waits 899
  EXPECT_EQ(m.key(), 1899) << "no risk";
  m.put(reg::kRemove, 0);
  m.enter(0, {100, 1900});
  EXPECT_EQ(m.key(), 1000);
  m.put(reg::kCtrl, kRestCost);
  EXPECT_EQ(m.key(), 1900);
  m.put(reg::kHeadTime, 64);
  EXPECT_EQ(m.key(), 1836) << "waits 836";
  m.put(reg::kMargin, 1000);
  EXPECT_EQ(m.key(), 1836) << "not late";
  m.put(reg::kHeadTime, kTurn - 300);
  EXPECT_EQ(m.key(), 1900) << "waits 1,200";
  m.put(reg::kRemove, 0);
  m.put(reg::kERest, 0);
  m.enter(0, {100, 1900});
  EXPECT_EQ(m.key(), 2200 + 100) << "in order";
}

TEST(ReferenceCoreParts, LooksAheadToTheLeastTotal) {
  // From the head: a (tag 0) at 1,000, b at 1,200. After a the next is far, after b it is near.
  Machine m(with(kLookAhead));
  m.enter(0, {0, 1000, 100});   // ends at 1,100
  m.enter(1, {10, 1200, 100});  // ends at 1,300
  m.enter(2, {20, 1400, 100});  // ends at 1,500: 100 after the end of b, 300 after that of a
  const std::uint32_t pass = 32 / 4 + reg::kDecisionLatency;
  EXPECT_EQ(m.decide(), pass);
  EXPECT_EQ(m.get(reg::kResult), kValid | 0);
  m.put(reg::kAheadShare, 255 | 128 << 8);
  m.put(reg::kAhead, 3 | 1 << reg::kAheadDepthLsb);
  // a: 1,000 + 100 * 255 / 256 (b after a: a hop of 10 cylinders is over at 1,200). b cannot be less.
  EXPECT_EQ(m.decide(), pass + 1 + (2 + pass + 5) + (pass + 1) + 1);
  EXPECT_EQ(m.get(reg::kResult), kValid | 0);
  EXPECT_EQ(m.get(reg::kResultKey), 1099u);

  Machine far(with(kLookAhead));
  far.enter(0, {0, 1000, 30'000});  // ends at 31,000: b comes after 35,736, c after 35,936
  far.enter(1, {10, 1200, 100});
  far.enter(2, {20, 1400, 100});
  far.put(reg::kAheadShare, 255 | 128 << 8);
  far.put(reg::kAhead, 3 | 1 << reg::kAheadDepthLsb);
  // a: 1,000 + 35,736 * 255 / 256; b: 1,200 + 100 * 255 / 256; c: its key exceeds b's total.
  EXPECT_EQ(far.decide(), pass + 1 + 2 * (2 + pass + 5) + 2 * (pass + 1) + 1);
  EXPECT_EQ(far.get(reg::kResult), kValid | 1);
  EXPECT_EQ(far.get(reg::kResultKey), 1299u);
  far.put(reg::kAhead, 3 | 2 << reg::kAheadDepthLsb);
  // b, c, a: from 1,500 to 1,000 of the next turn, half of it.
  far.decide();
  EXPECT_EQ(far.get(reg::kResultKey), 1299u + (kTurn - 500) / 2);
  far.put(reg::kAhead, 1 | 1 << reg::kAheadDepthLsb);
  EXPECT_EQ(far.decide(), pass + 1 + 2 + pass + 5);
  EXPECT_EQ(far.get(reg::kResult), kValid | 0);
}

// --- random programs against the page ------------------------------------------------------------------------------

/// docs/reference/scheduler_accelerator.md, "What is computed" and the table of cycles, over plain wide integers and as
/// simply as it is written. Everything is worked out when it is asked for; only what the page calls stale is kept.
struct Documented {
  struct Entry {
    std::int64_t cylinder, head, angle, write, cls, end_cylinder, end_head, end_angle, transfer, deadline, age;
    std::uint64_t number;
  };
  struct Hop {
    std::int64_t cost, worst;
  };
  struct Outcome {
    bool valid = false, forced = false;
    std::uint32_t tag = 0;
    std::int64_t key = 0;
    std::uint32_t refused = 0;
  };
  struct Cluster {
    std::vector<std::uint32_t> tags;
    std::uint32_t looked_at = 0;
    bool ordered = false;
    std::vector<std::uint32_t> order;
    std::int64_t cost = 0;
  };

  AcceleratorParameters p;
  std::vector<std::int64_t> base, delta;                    // of the segments
  std::vector<std::int64_t> group, last_1, last_2, last_3;  // of the cells
  std::map<std::uint32_t, Entry> entries;
  std::map<std::uint32_t, std::int64_t> config;  // by address
  bool sums_stale = true, debts_stale = true;
  bool next_valid = false;
  std::uint32_t next_tag = 0;
  std::int64_t sweep = 0, due = 0;
  std::vector<bool> mask = std::vector<bool>(256);
  std::uint64_t insertions = 0;

  std::int64_t operator[](std::uint32_t address) const {
    const auto found = config.find(address);
    return found == config.end() ? 0 : found->second;
  }
  std::int64_t turn() const { return std::int64_t{1} << p.format.angle_w; }
  std::int64_t time_max() const { return turn() * 16 - 1; }
  std::int64_t sum_range() const { return turn() * 4096; }
  std::int64_t sat(std::int64_t x) const { return x < 0 ? 0 : x > time_max() ? time_max() : x; }
  static std::int64_t mod(std::int64_t x, std::int64_t m) { return ((x % m) + m) % m; }
  bool bit(std::uint32_t address, unsigned lsb) const { return ((*this)[address] >> lsb & 1) != 0; }

  std::int64_t seek(std::int64_t d) const {
    const unsigned m = p.format.seg_m;
    const unsigned frac_w = p.format.cyl_w - 1 - m;
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

  Hop hop(std::int64_t cylinder, std::int64_t head, std::int64_t angle, const Entry& to, std::int64_t ov) const {
    const std::int64_t d = std::abs(to.cylinder - cylinder);
    const bool switches = to.head != head;
    std::int64_t pos = std::max(seek(d), switches ? (*this)[reg::kHeadSwitch] : 0);
    std::int64_t settle = (*this)[reg::kWriteSettle];
    if (settle >= (time_max() + 1) / 2) settle -= time_max() + 1;
    if (to.write != 0 && (d != 0 || switches)) pos = sat(pos + settle);
    const std::int64_t t = sat(ov + pos);
    const std::int64_t wait = mod(to.angle - (angle + t), turn());
    const bool late = wait < (*this)[reg::kMargin];
    const bool risky = !late && wait < (*this)[reg::kRisk];
    const std::int64_t reach = sat(t + wait + (late ? turn() : 0));
    return {reach + (risky ? (*this)[reg::kRiskCharge] : 0), risky ? sat(reach + turn()) : reach};
  }
  std::int64_t overhead(bool write, bool after) const {
    return (*this)[write ? after ? reg::kOverheadWw : reg::kOverheadWr : after ? reg::kOverheadRw : reg::kOverheadRr];
  }
  Hop from_head(const Entry& to) const {
    const std::int64_t pos = (*this)[reg::kHeadPos];
    return hop(pos & 0x1F'FFFF, pos >> 21 & 63, (*this)[reg::kHeadTime] % turn(), to,
               overhead(to.write != 0, (pos >> 27 & 1) != 0));
  }
  Hop between(std::uint32_t from, std::uint32_t to) const {
    const Entry& e = entries.at(from);
    const Entry& f = entries.at(to);
    return hop(e.end_cylinder, e.end_head, e.end_angle, f, sat((*this)[reg::kDelay] + overhead(f.write != 0, e.write != 0)));
  }

  std::vector<std::uint32_t> list() const {
    std::vector<std::uint32_t> tags;
    for (const auto& [tag, e] : entries) tags.push_back(tag);
    std::sort(tags.begin(), tags.end(), [this](std::uint32_t a, std::uint32_t b) {
      const Entry& e = entries.at(a);
      const Entry& f = entries.at(b);
      return e.cylinder != f.cylinder ? e.cylinder < f.cylinder : e.number < f.number;
    });
    return tags;
  }
  std::vector<std::uint32_t> sweep_tags() const {
    std::vector<std::uint32_t> tags;
    for (const std::uint32_t tag : list())
      if (entries.at(tag).cls == 1) tags.push_back(tag);
    if (bit(reg::kCtrl, reg::kCtrlSweepDownLsb)) std::reverse(tags.begin(), tags.end());
    return tags;
  }
  bool earlier(std::int64_t a, std::int64_t b) const { return mod(a - b, sum_range()) >= sum_range() / 2; }

  void work_out_sums() {
    const std::vector<std::uint32_t> s = sweep_tags();
    sweep = due = 0;
    next_valid = !s.empty();
    next_tag = s.empty() ? 0 : s.front();
    for (std::size_t i = s.size(); i-- > 0;) {
      const Entry& e = entries.at(s[i]);
      const bool last = i + 1 == s.size();
      sweep = last ? e.transfer : std::min(e.transfer + between(s[i], s[i + 1]).worst + sweep, sum_range() - 1);
      if (last || earlier(e.deadline, due)) due = e.deadline;
    }
  }
  std::int64_t debt(std::uint32_t tag) const {
    const std::vector<std::uint32_t> s = sweep_tags();
    const auto at = static_cast<std::size_t>(std::find(s.begin(), s.end(), tag) - s.begin());
    std::int64_t part = entries.at(tag).transfer;
    if (at < s.size()) {
      part = -between(s[at - 1], tag).worst;
      if (at + 1 < s.size()) part += between(s[at - 1], s[at + 1]).worst - between(tag, s[at + 1]).worst;
    }
    return part + between(tag, next_tag).worst;
  }
  std::int64_t left() const {
    const std::int64_t until = mod(due - (*this)[reg::kHeadTime], sum_range());
    return (until >= sum_range() / 2 ? until - sum_range() : until) - (*this)[reg::kReserve];
  }
  std::int64_t need(std::uint32_t tag) const {
    return from_head(entries.at(tag)).worst + sweep + (tag == next_tag ? 0 : debt(tag));
  }

  std::uint32_t cycles_to_decide() const {
    const std::uint32_t pass = p.entries / p.lanes + reg::kDecisionLatency;
    const auto n = static_cast<std::uint32_t>(entries.size());
    const auto c = static_cast<std::uint32_t>(sweep_tags().size());
    if (!bit(reg::kCtrl, 0) || (!sums_stale && !(debts_stale && c > 0))) return pass;
    return pass + 2 + (sums_stale ? n + (c > 2 ? c - 2 : 0) + 13 : 0) + (c > 0 ? pass + 2 : 0);
  }
  Outcome decide() {
    const bool guard = bit(reg::kCtrl, 0);
    if (guard && sums_stale) {
      work_out_sums();
      sums_stale = false;
      debts_stale = true;
    }
    if (guard && next_valid) debts_stale = false;
    const bool active = guard && next_valid;
    Outcome out;
    for (const auto& [tag, e] : entries) {
      const bool is_next = next_valid && next_tag == tag;
      if (bit(reg::kCtrl, 3) && !mask[tag]) continue;
      if (active && bit(reg::kCtrl, 1) && e.cls == 1 && !is_next) continue;
      if (active && need(tag) > left()) {
        ++out.refused;
        continue;
      }
      const std::int64_t aged = std::min(mod((*this)[reg::kAgeNow] - e.age, sum_range()), time_max());
      const std::int64_t key = from_head(e).cost - aged;
      if (out.valid && (key > out.key || (key == out.key && e.number > entries.at(out.tag).number))) continue;
      out.valid = true;
      out.tag = tag;
      out.key = key;
    }
    if (!out.valid && active) {
      out.valid = out.forced = true;
      out.tag = next_tag;
    }
    return out;
  }

  Cluster cluster() {
    Cluster out;
    const std::int64_t control = (*this)[reg::kCluster];
    std::vector<std::uint32_t> tags = list();
    const bool down = (control >> 12 & 1) != 0;
    if (down) std::reverse(tags.begin(), tags.end());
    for (const std::uint32_t tag : tags) {
      const Entry& e = entries.at(tag);
      ++out.looked_at;
      const std::int64_t beyond = (down ? -1 : 1) * (e.cylinder - (*this)[reg::kClusterFrom]);
      if (beyond < 0) continue;
      if ((control >> 11 & 1) != 0 && e.cls == 1) break;
      if ((control >> (e.cls == 1 ? 9 : 10) & 1) == 0) continue;
      if (!out.tags.empty() && std::abs(e.cylinder - entries.at(out.tags[0]).cylinder) > (*this)[reg::kClusterSpan]) break;
      out.tags.push_back(tag);
      if (static_cast<std::int64_t>(out.tags.size()) == (control & 0x1FF)) break;
    }
    std::fill(mask.begin(), mask.end(), false);
    for (const std::uint32_t tag : out.tags) mask[tag] = true;
    out.ordered = (control >> 13 & 1) != 0 && !out.tags.empty() && out.tags.size() <= p.order_m;
    if (!out.ordered) return out;
    std::vector<std::uint32_t> slots(out.tags.size());
    std::iota(slots.begin(), slots.end(), 0u);
    std::vector<std::uint32_t> best;
    do {  // every order there is
      std::int64_t cost = 0;
      for (std::size_t i = 0; i < slots.size(); ++i)
        cost += std::min(
            i == 0 ? from_head(entries.at(out.tags[slots[0]])).cost : between(out.tags[slots[i - 1]], out.tags[slots[i]]).cost,
            time_max());
      if (!best.empty() && (cost > out.cost || (cost == out.cost && !std::lexicographical_compare(slots.rbegin(), slots.rend(),
                                                                                                  best.rbegin(), best.rend()))))
        continue;
      best = slots;
      out.cost = cost;
    } while (std::next_permutation(slots.begin(), slots.end()));
    for (const std::uint32_t slot : best) out.order.push_back(out.tags[slot]);
    return out;
  }
};

struct Coverage {
  int picked = 0, forced = 0, none = 0, refused = 0, ties = 0, kept = 0, at_limit = 0, clusters = 0, ordered = 0;
};

/// Random tables and registers, and every operation compared. Values are drawn from few or from all, so that equal
/// keys, saturation and the guard's limit all occur; configuration changes seldom, so that sums and debts are kept.
class Program {
 public:
  Program(const AcceleratorParameters& parameters, std::uint64_t seed, Coverage& coverage)
      : p_(parameters), f_(parameters.format), bus_(parameters), random_(seed), coverage_(coverage) {
    doc_.p = p_;
    turn_ = static_cast<std::uint64_t>(doc_.turn());
    coarse_ = below(2) == 0;
    set(reg::kSeekIndex, 0);
    for (std::uint32_t i = 0; i < f_.segments(); ++i) {
      doc_.base.push_back(time() - (below(4) == 0 ? below(16 * turn_) : 0));
      doc_.delta.push_back(below(turn_) - static_cast<std::int64_t>(turn_ / 4));
      bus_.put(reg::kSeekBase, doc_.base.back());
      bus_.put(reg::kSeekDelta, doc_.delta.back());
    }
    set(reg::kSeekCell, 0);
    const std::uint64_t places = std::uint64_t{1} << f_.place_w();
    for (std::uint32_t i = 0; i < f_.cells(); ++i) {
      doc_.group.push_back(below(f_.segments()));
      doc_.last_1.push_back(below(places));
      doc_.last_2.push_back(below(places));
      doc_.last_3.push_back(below(4) == 0 ? static_cast<std::int64_t>(places) - 1 : below(places));
      bus_.put(reg::kSeekLast, doc_.last_1.back() | (doc_.last_2.back() << 16));
      bus_.put(reg::kSeekGroup, doc_.group.back() | (doc_.last_3.back() << 16));
    }
    configure();
  }

  void step() {
    const auto tag = static_cast<std::uint32_t>(below(p_.entries));
    const bool used = doc_.entries.count(tag) != 0;
    switch (below(12)) {
      case 0:
      case 1:
      case 2:
        if (!used) insert(tag);
        return;
      case 3:
        if (used) take_out(tag, below(2) == 0);
        return;
      case 4:
        if (below(6) == 0) configure();
        return;
      case 5: return cluster();
      default: return decide();
    }
  }

 private:
  std::int64_t below(std::uint64_t n) { return static_cast<std::int64_t>(random_() % n); }
  std::int64_t angle() { return coarse_ ? below(4) * static_cast<std::int64_t>(turn_ / 4) : below(turn_); }
  std::int64_t cylinder() { return coarse_ ? below(4) : below(std::uint64_t{1} << f_.cyl_w); }
  std::int64_t head() { return coarse_ ? below(2) : below(64); }
  std::int64_t time() { return below(below(8) == 0 ? 16 * turn_ : turn_); }
  std::int64_t sum() { return below(4096 * turn_); }

  void set(std::uint32_t address, std::int64_t data) {
    bus_.put(address, data);
    doc_.config[address] = data;
  }

  void configure() {
    set(reg::kMargin, below(3) == 0 ? 0 : below(turn_ / 8));
    set(reg::kRisk, below(2) * below(turn_ / 4));
    set(reg::kRiskCharge, below(turn_));
    set(reg::kHeadSwitch, time());
    set(reg::kWriteSettle, Documented::mod(below(turn_) - static_cast<std::int64_t>(turn_ / 2), 16 * doc_.turn()));
    for (const std::uint32_t address : {reg::kOverheadRr, reg::kOverheadRw, reg::kOverheadWr, reg::kOverheadWw, reg::kDelay})
      set(address, time());
    set(reg::kCtrl, (below(4) != 0 ? 1 : 0) | below(8) << 1 | 16);
    doc_.sums_stale = true;
  }

  void insert(std::uint32_t tag) {
    const std::int64_t due = below(3) == 0 ? sum() : (doc_[reg::kHeadTime] + below(turn_ * 64)) % doc_.sum_range();
    const Documented::Entry e{cylinder(),
                              head(),
                              angle(),
                              below(2),
                              below(3),
                              cylinder(),
                              head(),
                              angle(),
                              below(10) == 0 ? sum() : below(turn_ * 2),
                              due,
                              coarse_ ? below(3) : sum(),
                              doc_.insertions++};
    std::uint32_t higher = 0;
    for (const auto& [other, f] : doc_.entries) higher += f.cylinder > e.cylinder;
    bus_.put(reg::kEPos, e.cylinder | (e.head << 21) | (e.write << 27) | (e.cls << 28));
    bus_.put(reg::kEAngle, e.angle);
    bus_.put(reg::kEEndPos, e.end_cylinder | (e.end_head << 21));
    bus_.put(reg::kEEndAngle, e.end_angle);
    bus_.put(reg::kETransfer, e.transfer);
    bus_.put(reg::kEDeadline, e.deadline);
    bus_.put(reg::kEAge, e.age);
    ASSERT_EQ(bus_.put(reg::kInsert, tag), higher + 2);
    doc_.entries[tag] = e;
    doc_.debts_stale = true;
    if (e.cls == 1) doc_.sums_stale = true;
  }

  void take_out(std::uint32_t tag, bool serve) {
    const auto n = static_cast<std::uint32_t>(doc_.entries.size());
    ASSERT_EQ(bus_.put(serve ? reg::kServe : reg::kRemove, tag), n + 1);
    const Documented::Entry e = doc_.entries.at(tag);
    if (serve) doc_.config[reg::kHeadPos] = e.end_cylinder | (e.end_head << 21) | (e.write << 27);
    ASSERT_EQ(bus_.get(reg::kHeadPos), doc_[reg::kHeadPos]);
    if (e.cls == 1) doc_.sums_stale = true;
    doc_.entries.erase(tag);
  }

  void decide() {
    if (below(4) != 0) set(reg::kHeadPos, cylinder() | (head() << 21) | (below(2) << 27));
    set(reg::kHeadTime, coarse_ ? angle() + doc_.turn() * below(4096) : sum());
    set(reg::kReserve, below(2) * below(turn_ * 8));
    set(reg::kAgeNow, coarse_ ? below(3) : sum());
    if (below(8) == 0) {
      for (std::uint32_t first = 0; first < p_.entries; first += 32) {
        const auto word = static_cast<std::uint32_t>(random_());
        bus_.put(reg::kMask0 + first / 8, word);
        for (std::uint32_t i = 0; i < 32 && first + i < p_.entries; ++i) doc_.mask[first + i] = (word >> i & 1) != 0;
      }
    }
    const std::uint32_t cycles = doc_.cycles_to_decide();
    coverage_.kept += doc_.bit(reg::kCtrl, 0) && doc_.next_valid && !doc_.sums_stale;
    if (doc_.bit(reg::kCtrl, 0) && below(2) == 0 && !doc_.entries.empty()) {
      // An entry that has just what it needs, or one tick less: put the deadline there by the reserve.
      Documented ahead = doc_;
      ahead.decide();
      if (ahead.next_valid) {
        auto at = doc_.entries.begin();
        std::advance(at, below(doc_.entries.size()));
        const std::int64_t reserve = ahead.left() + doc_[reg::kReserve] - ahead.need(at->first) + below(2);
        if (reserve >= 0 && reserve < doc_.sum_range()) {
          set(reg::kReserve, reserve);
          ++coverage_.at_limit;
        }
      }
    }
    const Documented::Outcome expected = doc_.decide();
    const BusResponse response = bus_.write(reg::kOp, 0);
    ASSERT_TRUE(response.ok);
    ASSERT_EQ(response.irq_cycles, cycles + 1);
    ASSERT_EQ(response.busy_cycles, cycles + 1);
    ASSERT_EQ(bus_.get(reg::kResult), expected.valid ? expected.tag | 0x100u | (expected.forced ? 0x200u : 0u) : 0u);
    ASSERT_EQ(static_cast<std::int32_t>(bus_.get(reg::kResultKey)), expected.key);
    ASSERT_EQ(bus_.get(reg::kRefused), expected.refused);
    ASSERT_EQ(bus_.get(reg::kCycles), cycles);
    ASSERT_EQ(bus_.get(reg::kNext), doc_.next_valid ? doc_.next_tag | 0x100u : 0u);
    ASSERT_EQ(bus_.get(reg::kSweep), doc_.sweep);
    ASSERT_EQ(bus_.get(reg::kDue), doc_.due);
    ASSERT_EQ(bus_.get(reg::kStatus), 2u | (static_cast<std::uint32_t>(doc_.entries.size()) << 8));
    bus_.put(reg::kClear, 1);
    coverage_.picked += expected.valid && !expected.forced;
    coverage_.forced += expected.forced;
    coverage_.none += !expected.valid;
    coverage_.refused += expected.refused > 0;
    if (!expected.valid || expected.forced) return;
    const auto key = [this](const Documented::Entry& e) {
      return doc_.from_head(e).cost - std::min(Documented::mod(doc_[reg::kAgeNow] - e.age, doc_.sum_range()), doc_.time_max());
    };
    int equal = 0;
    for (const auto& [tag, e] : doc_.entries) equal += key(e) == expected.key;
    coverage_.ties += equal > 1;
    if (below(3) == 0) take_out(expected.tag, true);
  }

  void cluster() {
    set(reg::kCluster, below(2) * below(8) | below(32) << 9);
    set(reg::kClusterFrom, cylinder());
    set(reg::kClusterSpan, below(2) == 0 ? cylinder() : (1 << f_.cyl_w) - 1);
    const Documented::Cluster expected = doc_.cluster();
    const auto c = static_cast<std::uint32_t>(expected.tags.size());
    ASSERT_EQ(bus_.put(reg::kOp, 1), expected.looked_at + 2 + (expected.ordered ? c * c + 13 + order_cycles(c) : 0));
    ASSERT_EQ(bus_.get(reg::kClusterCount), c | (expected.ordered ? 0x200u : 0u));
    ASSERT_EQ(bus_.get(reg::kOrderCost), expected.cost);
    for (std::uint32_t i = 0; i < 12; ++i)
      ASSERT_EQ(bus_.get(reg::kOrderTags0 + i / 4 * 4) >> (8 * (i % 4)) & 0xFF,
                i < expected.order.size() ? expected.order[i] : 0u);
    for (std::uint32_t tag = 0; tag < 256; ++tag)
      ASSERT_EQ((bus_.get(reg::kMask0 + tag / 32 * 4) >> (tag % 32) & 1) != 0, doc_.mask[tag]);
    bus_.put(reg::kClear, 1);
    ++coverage_.clusters;
    coverage_.ordered += expected.ordered && c > 2;
  }

  AcceleratorParameters p_;
  FixedPointFormat f_;
  AcceleratorBus bus_;
  Documented doc_;
  std::mt19937_64 random_;
  std::uint64_t turn_ = 0;
  bool coarse_ = false;
  Coverage& coverage_;
};

void compare(const AcceleratorParameters& p, int programs, int steps, std::uint64_t seed, Coverage& coverage) {
  for (int i = 0; i < programs; ++i) {
    Program program(p, seed * 1000 + static_cast<std::uint64_t>(i), coverage);
    for (int step = 0; step < steps; ++step) {
      program.step();
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(ReferenceCore, WorksAsDocumented) {
  Coverage coverage;
  compare(parameters(32, 4, 6, format(16, 18, 4)), 100, 200, 51, coverage);
  compare(parameters(8, 1, 5, format(12, 8, 2, 5)), 150, 200, 52, coverage);
  compare(parameters(16, 16, 4, format(20, 21, 5, 10)), 100, 200, 53, coverage);
  compare(parameters(256, 8, 3, format(14, 14, 3, 7)), 5, 600, 54, coverage);
  EXPECT_GT(coverage.picked, 5000);
  EXPECT_GT(coverage.forced, 500);
  EXPECT_GT(coverage.none, 500);
  EXPECT_GT(coverage.refused, 3000);
  EXPECT_GT(coverage.ties, 500);
  EXPECT_GT(coverage.kept, 2000);
  EXPECT_GT(coverage.at_limit, 1000);
  EXPECT_GT(coverage.clusters, 3000);
  EXPECT_GT(coverage.ordered, 300);
}

}  // namespace
}  // namespace platter::accelerator
