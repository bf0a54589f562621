// SPDX-License-Identifier: Apache-2.0
//
// Policies that share disk time between classes, on queues worked by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "platter/scheduling/class_budgets.h"
#include "platter/scheduling/policies.h"
#include "policy_rig.h"

namespace platter::scheduling {
namespace {

using core::kPicosecondsPerMicrosecond;
using core::kPicosecondsPerMillisecond;
using core::kPicosecondsPerSecond;
using core::Lba;
using testing::kSectors;
using testing::Rig;

constexpr auto kC = RequestClass::Continuous;
constexpr auto kD = RequestClass::Discrete;
constexpr auto kB = RequestClass::Background;
constexpr Picoseconds kUs = kPicosecondsPerMicrosecond;
constexpr Picoseconds kMs = kPicosecondsPerMillisecond;
constexpr Picoseconds kTurn = kSectors * 100 * kUs;

ClassWeights weights(std::int64_t continuous, std::int64_t discrete, std::int64_t background) {
  ClassWeights w;
  w[static_cast<std::size_t>(kC)].millionths = continuous * Weight::kOne;
  w[static_cast<std::size_t>(kD)].millionths = discrete * Weight::kOne;
  w[static_cast<std::size_t>(kB)].millionths = background * Weight::kOne;
  return w;
}

Interpretations interval_of(double seconds) {
  Interpretations interpretations;
  interpretations.budget_interval_s = seconds;
  return interpretations;
}

/// Requests for the first sector, at time 0 under the head: the first takes 100 us, every other one a turn of 6 ms.
Rig& on_one_sector(Rig& rig, const std::string& names) {
  for (const char name : names) rig.add(name, 0);
  return rig;
}

/// Puts a request of class background into the rig.
void add_background(Rig& rig, char name, std::uint32_t cylinder) {
  Command command;
  command.tag = Tag(static_cast<std::uint16_t>(rig.commands.size()));
  command.sequence = rig.commands.size();
  command.arrival = rig.now;
  command.cls = kB;
  command.extent = rig.planner.resolve(Lba(cylinder * kSectors), 1, false);
  rig.commands.push_back(command);
  rig.names.push_back(name);
  rig.scheduler->insert(rig.commands.back());
}

// --- accounts --------------------------------------------------------------------------------------------------------

TEST(ClassBudgets, AreTheWeightsPartsOfTheInterval) {
  const ClassBudgets halves(2 * kPicosecondsPerSecond, weights(1, 1, 0));
  EXPECT_EQ(halves.budget(kC), kPicosecondsPerSecond);
  EXPECT_EQ(halves.budget(kD), kPicosecondsPerSecond);
  EXPECT_EQ(halves.budget(kB), 0);
  EXPECT_FALSE(halves.covers(kB));
  const ClassBudgets thirds(2 * kPicosecondsPerSecond, weights(1, 1, 1));
  EXPECT_EQ(thirds.budget(kC), 666'666'666'666);
  EXPECT_EQ(ClassBudgets(2 * kPicosecondsPerSecond, weights(50, 30, 20)).budget(kD), 600 * kMs);
}

TEST(ClassBudgets, AnAccessIsWithinTheBudgetWholeOrBeyondIt) {
  ClassBudgets budgets(20 * kMs, weights(1, 1, 0));
  budgets.begin(3 * kMs);
  budgets.charge(kD, 9 * kMs);
  EXPECT_TRUE(budgets.covers(kD));
  budgets.charge(kD, 4 * kMs);
  EXPECT_FALSE(budgets.covers(kD));
  EXPECT_EQ(budgets.used(kD, 3 * kMs), 13 * kMs);
  EXPECT_EQ(budgets.reassigned(kD, 3 * kMs), 0);
  budgets.charge(kD, 2 * kMs);
  EXPECT_EQ(budgets.used(kD, 19 * kMs), 13 * kMs);
  EXPECT_EQ(budgets.reassigned(kD, 19 * kMs), 2 * kMs);
  EXPECT_TRUE(budgets.covers(kC));
  // What is read after the interval's end is not the last one's, though no decision has begun the next.
  EXPECT_EQ(budgets.used(kD, 20 * kMs), 0);
  budgets.begin(20 * kMs);
  EXPECT_TRUE(budgets.covers(kD));
  EXPECT_EQ(budgets.reassigned(kD, 20 * kMs), 0);
  EXPECT_EQ(budgets.total(kD), 15 * kMs);
}

// --- Cello -----------------------------------------------------------------------------------------------------------

TEST(Cello, DiscreteRequestsInTheSlackByAnElevatorThenScanEdf) {
  Rig rig("CELLO(1|1|0)", 50);
  rig.add('x', 20).add('y', 90).add('A', 45, 0, 10 * kPicosecondsPerSecond).add('B', 60, 0, 10 * kPicosecondsPerSecond);
  rig.add('C', 80, 0, 10 * kPicosecondsPerSecond).add('D', 30, 0, 20 * kPicosecondsPerSecond);
  EXPECT_EQ(rig.serve(), "yxBCAD");
}

TEST(Cello, DiscreteRequestsGoByTheElevatorThatIsAskedFor) {
  const auto order = [](CelloElevator elevator) {
    Interpretations interpretations;
    interpretations.cello_elevator = elevator;
    Rig rig("CELLO(1|1|0)", 50, interpretations);
    rig.add('w', 40).add('x', 20).add('y', 60).add('z', 90);
    return rig.serve();
  };
  EXPECT_EQ(order(CelloElevator::Look), "yzwx");
  EXPECT_EQ(order(CelloElevator::Scan), "yz>wx");
  EXPECT_EQ(order(CelloElevator::CLook), "yzxw");
}

TEST(Cello, ARunToTheEdgeIsMadeInTheSlackAndCharged) {
  Interpretations interpretations = interval_of(10);
  interpretations.cello_elevator = CelloElevator::Scan;
  // From 50 to the edge 99: 5.8 ms; from there to A at 50 as long again, and a turn of 6 ms at most.
  for (const auto& [deadline, order] : {std::pair<Picoseconds, const char*>{100 * kMs, ">xA"}, {12 * kMs, "A>x"}}) {
    Rig rig("CELLO(1|1|0)", 50, interpretations);
    rig.add('x', 20).add('A', 50, 0, deadline);
    EXPECT_EQ(rig.serve(), order);
    const Picoseconds access = 5'800 * kUs;
    EXPECT_GT(rig.scheduler->class_budgets()->total(kD), access);
  }
  Rig rig("CELLO(1|1|0)", 50, interpretations);
  rig.add('x', 20);
  rig.serve(1);
  EXPECT_EQ(rig.now, 5'800 * kUs);
  rig.serve(1);
  EXPECT_EQ(rig.scheduler->class_budgets()->total(kD), rig.now);
}

TEST(Cello, BackgroundRequestsComeBehindBoth) {
  Rig rig("CELLO(1|1|1)", 0);
  add_background(rig, 'p', 10);
  rig.add('A', 20).add('x', 30);
  add_background(rig, 'q', 5);
  EXPECT_EQ(rig.serve(), "xApq");  // from 20 on both lie below
}

TEST(Cello, ADiscreteRequestGoesFirstUpToTheLastPicosecond) {
  // x at cylinder 10 begins after a turn, at 6.0 ms, and ends at 6.1; back at cylinder 0, A begins at 12.0 and ends at 12.1 ms.
  for (const Picoseconds late : {0, 1}) {
    Rig rig("CELLO(1|1|0)", 0);
    rig.add('A', 0, 0, 12'100 * kUs - late).add('x', 10);
    const Decision decision = rig.scheduler->pick(rig.head, rig.now);
    EXPECT_EQ(rig.names[decision.tag.value], late != 0 ? 'A' : 'x');
    EXPECT_EQ(rig.scheduler->class_budgets()->slack, 12'000 * kUs - late);
    EXPECT_EQ(rig.scheduler->class_budgets()->sweep, 100 * kUs);
    EXPECT_EQ(rig.serve(), late != 0 ? "Ax" : "xA");
  }
}

TEST(Cello, TheTightestDeadlineOfTheSweepCounts) {
  // B, due last, follows A within its turn: sector 40 of cylinder 10, 19 sectors away; it begins at 4.0 ms and ends at 4.1.
  // With x first A begins at 12.0, B at 16.0.
  for (const Picoseconds late : {0, 1'000}) {
    Rig rig("CELLO(1|1|0)", 0);
    rig.add('A', 0, 0, 15 * kMs).add('B', 10, 40, 16'100 * kUs - late).add('x', 10);
    EXPECT_EQ(rig.serve(1), late != 0 ? "A" : "x");
  }
}

TEST(Cello, SlackIsExactOnRandomQueues) {
  std::mt19937_64 random(71);
  std::array<int, 2> outcomes{};
  for (int i = 0; i < 2000; ++i) {
    const auto cylinder = static_cast<std::uint32_t>(random() % 100);
    Rig cello("CELLO(1|1|0)", cylinder);
    Rig edf("SCAN-EDF", cylinder);
    for (int k = 0; k < 5; ++k) {
      const auto at = static_cast<std::uint32_t>(random() % 100);
      const auto sector = static_cast<std::uint32_t>(random() % kSectors);
      const Picoseconds deadline = static_cast<Picoseconds>(10 + 20 * (random() % 4)) * kMs;
      cello.add(static_cast<char>('A' + k), at, sector, deadline);
      edf.add(static_cast<char>('A' + k), at, sector, deadline);
    }
    cello.add('x', static_cast<std::uint32_t>(random() % 100), static_cast<std::uint32_t>(random() % kSectors));
    // x, then the others in the order of SCAN-EDF as it is from here.
    HeadState head = cello.head;
    Picoseconds now = cello.planner.commit(head, cello.commands.back().extent, 0).total();
    bool in_time = true;
    for (const char name : edf.serve()) {
      const Command& command = cello.commands[static_cast<std::size_t>(name - 'A')];
      now += cello.planner.commit(head, command.extent, now).total();
      in_time = in_time && now <= command.deadline;
    }
    ++outcomes[in_time ? 1 : 0];
    const Decision first = cello.scheduler->pick(cello.head, 0);
    ASSERT_EQ(cello.names[first.tag.value] == 'x', in_time);
  }
  EXPECT_GT(std::min(outcomes[0], outcomes[1]), 100);
}

TEST(Cello, HalfATurnCountsForEveryRotationalWait) {
  // x at cylinder 10: 1.9 ms away and 3 ms of wait, ends at 5.0; back at cylinder 0, A begins at 9.9 and ends at 10.0 ms, as is estimated.
  // In fact it would end at 12.1 ms. A alone would begin at 3.0 ms.
  Interpretations interpretations;
  interpretations.cello_rotation = CelloRotation::HalfTurn;
  for (const Picoseconds late : {0, 1}) {
    Rig rig("CELLO(1|1|0)", 0, interpretations);
    rig.add('A', 0, 0, 10'000 * kUs - late).add('x', 10);
    const Decision decision = rig.scheduler->pick(rig.head, rig.now);
    EXPECT_EQ(rig.names[decision.tag.value], late != 0 ? 'A' : 'x');
    EXPECT_EQ(rig.scheduler->class_budgets()->slack, 6'900 * kUs - late);
    EXPECT_EQ(rig.scheduler->class_budgets()->sweep, 100 * kUs);
  }
  // Behind A comes B, 4.9 ms after its end. A sector is 100 us long to the picosecond.
  Rig rig("CELLO(1|1|0)", 0, interpretations);
  rig.add('A', 0, 0, 20 * kMs).add('B', 10, 40, 20 * kMs).add('x', 20);
  rig.scheduler->pick(rig.head, rig.now);
  const Picoseconds sweep = (100 + 4'900 + 100) * kUs;
  EXPECT_LE(std::abs(rig.scheduler->class_budgets()->sweep - sweep), 2);
  EXPECT_LE(std::abs(rig.scheduler->class_budgets()->slack - (20 * kMs - 3'000 * kUs - sweep)), 2);
}

TEST(Cello, AnEstimateOfTheRotationDoesNotKnowTheSectors) {
  std::mt19937_64 random(72);
  std::array<int, 2> agree{};
  for (int i = 0; i < 1000; ++i) {
    std::array<std::uint32_t, 6> cylinders{};
    std::array<Picoseconds, 6> deadlines{};
    for (auto& cylinder : cylinders) cylinder = static_cast<std::uint32_t>(random() % 100);
    for (auto& deadline : deadlines) deadline = static_cast<Picoseconds>(10 + 10 * (random() % 6)) * kMs + 50 * kUs;  // no tie
    for (const CelloRotation rotation : {CelloRotation::Known, CelloRotation::HalfTurn}) {
      Interpretations interpretations;
      interpretations.cello_rotation = rotation;
      std::array<std::pair<Picoseconds, std::uint16_t>, 2> found;
      for (auto& one : found) {
        Rig rig("CELLO(1|1|0)", 50, interpretations);
        for (std::size_t k = 0; k < cylinders.size(); ++k)
          rig.add(static_cast<char>((k < 5 ? 'A' : 's') + k), cylinders[k], static_cast<std::uint32_t>(random() % kSectors),
                  deadlines[k]);
        const Decision decision = rig.scheduler->pick(rig.head, 0);
        one = {rig.scheduler->class_budgets()->slack, decision.tag.value};
      }
      const bool same = std::abs(found[0].first - found[1].first) <= 10 && found[0].second == found[1].second;
      agree[rotation == CelloRotation::HalfTurn ? 1 : 0] += same ? 1 : 0;
    }
  }
  EXPECT_EQ(agree[1], 1000);
  EXPECT_LT(agree[0], 200);
}

TEST(Cello, AloneContinuousRequestsGoAsByScanEdf) {
  std::mt19937_64 random(72);
  for (int i = 0; i < 500; ++i) {
    const auto cylinder = static_cast<std::uint32_t>(random() % 100);
    Rig cello("CELLO(1|1|0)", cylinder);
    Rig edf("SCAN-EDF", cylinder);
    std::string orders[2];
    for (int k = 0; k < 12; ++k) {
      const auto at = static_cast<std::uint32_t>(random() % 100);
      const Picoseconds deadline = static_cast<Picoseconds>(1 + random() % 2) * kPicosecondsPerSecond;
      cello.add(static_cast<char>('A' + k), at, 0, deadline);
      edf.add(static_cast<char>('A' + k), at, 0, deadline);
      if (k < 6) continue;  // the others come while these are served
      orders[0] += cello.serve(1);
      orders[1] += edf.serve(1);
    }
    ASSERT_EQ(orders[0] + cello.serve(), orders[1] + edf.serve());
  }
}

TEST(Cello, WhoseBudgetIsUsedUpComesAfterThoseWhoHaveSome) {
  // 10 ms for each of the two in every 20. x takes 0.1 ms, all others 6.
  Rig rig("CELLO(1|1|0)", 0, interval_of(0.02));
  on_one_sector(rig, "ABxyzwv");
  EXPECT_EQ(rig.serve(3), "xyz");
  const ClassBudgets& budgets = *rig.scheduler->class_budgets();
  EXPECT_EQ(budgets.budget(kD), 10 * kMs);
  EXPECT_EQ(budgets.used(kD, rig.now), 100 * kUs + 2 * kTurn);  // y left 3.9 ms: z is within the budget, whole
  EXPECT_EQ(rig.serve(2), "AB");                                // begin at 12.1 and 18.1 ms
  EXPECT_EQ(budgets.used(kC, 19 * kMs), 2 * kTurn);
  EXPECT_EQ(rig.serve(), "wv");  // from 24.1 ms on, the next interval
  EXPECT_EQ(budgets.used(kD, rig.now), 2 * kTurn);
  EXPECT_EQ(budgets.used(kC, rig.now), 0);
  EXPECT_EQ(budgets.total(kC), 2 * kTurn);
  EXPECT_EQ(budgets.total(kD), 100 * kUs + 4 * kTurn);
}

TEST(Cello, ContinuousRequestsBeyondTheirBudgetDoNotHoldUpTheOthers) {
  Rig rig("CELLO(1|1|0)", 0, interval_of(0.04));
  for (const char name : std::string("ABCDEF")) rig.add(name, 0, 0, kMs);  // B and on will be late
  EXPECT_EQ(rig.serve(4), "!A!B!C!D");                                     // 18.1 of 20 ms that are theirs, so one more
  EXPECT_EQ(rig.serve(1), "!E");
  on_one_sector(rig, "x");
  EXPECT_EQ(rig.serve(), "x!F");
}

TEST(Cello, WhatIsLeftOverGoesToThoseThatWait) {
  Rig rig("CELLO(1|1|0)", 0, interval_of(1));
  std::string names(40, 'x');
  on_one_sector(rig, names);
  while (rig.now < 200 * kMs) rig.serve(1);
  const ClassBudgets& budgets = *rig.scheduler->class_budgets();
  EXPECT_EQ(budgets.used(kD, rig.now), rig.now);
  Rig small("CELLO(9|1|0)", 0, interval_of(1));
  on_one_sector(small, names);
  while (small.now < 200 * kMs) small.serve(1);  // 100 ms are the budget, 17 accesses
  EXPECT_EQ(small.scheduler->class_budgets()->used(kD, small.now), 100 * kUs + 17 * kTurn);
  EXPECT_EQ(small.scheduler->class_budgets()->reassigned(kD, small.now), small.now - 100 * kUs - 17 * kTurn);
}

TEST(Cello, WhatIsLeftOverIsDividedByTheWeights) {
  // Budgets of 1 and 2 ms, and 97 that nobody wants.
  Rig rig("CELLO(1|2|97)", 0, interval_of(0.1));
  on_one_sector(rig, "xyzuvwsABCDE");
  EXPECT_EQ(rig.serve(3), "xyA");       // these are within
  EXPECT_EQ(rig.serve(), "BzuCvwDsE");  // for one of C two of D
}

TEST(Cello, AClassWithoutWeightGetsWhatTheOthersLeave) {
  Rig rig("CELLO(1|1|0)", 0, interval_of(0.02));
  add_background(rig, 'p', 0);
  on_one_sector(rig, "Axyz");
  EXPECT_EQ(rig.serve(4), "xyzA");
  EXPECT_EQ(rig.serve(), "p");
}

/// Each class always has four requests waiting at random places; the shares of disk time after a hundred intervals.
std::array<double, core::kRequestClasses> shares(const char* policy, bool continuous = true) {
  constexpr std::size_t kTags = 12;
  constexpr Picoseconds kEnd = 100 * kPicosecondsPerSecond;
  const AccessPlanner planner(testing::ruler());
  const auto scheduler = find_policy(policy)->create({planner, kTags, 0, interval_of(1)});
  std::mt19937_64 random(73);
  std::vector<Command> commands(kTags);
  std::array<Picoseconds, core::kRequestClasses> spent{};
  HeadState head{};
  Picoseconds now = 0;
  std::uint64_t sequence = 0;
  const auto insert = [&](std::size_t tag, RequestClass cls) {
    Command& command = commands[tag];
    command = Command{};
    command.tag = Tag(static_cast<std::uint16_t>(tag));
    command.sequence = sequence++;
    command.arrival = now;
    command.cls = cls;
    if (cls == kC) command.deadline = now + kPicosecondsPerSecond;
    command.extent = planner.resolve(Lba(random() % planner.geometry().block_count()), 1, false);
    scheduler->insert(command);
  };
  for (std::size_t tag = 0; tag < kTags; ++tag)
    if (const auto cls = static_cast<RequestClass>(tag % core::kRequestClasses); continuous || cls != kC) insert(tag, cls);
  while (now < kEnd) {
    const Decision decision = scheduler->pick(head, now);
    const RequestClass cls = commands[decision.tag.value].cls;
    const Picoseconds time = planner.commit(head, commands[decision.tag.value].extent, now).total();
    scheduler->remove(decision.tag);
    spent[static_cast<std::size_t>(cls)] += time;
    now += time;
    insert(decision.tag.value, cls);
  }
  std::array<double, core::kRequestClasses> result{};
  for (std::size_t c = 0; c < result.size(); ++c) result[c] = static_cast<double>(spent[c]) / static_cast<double>(now);
  return result;
}

TEST(Cello, NobodyStarvesUnderOverloadOfAll) {
  // An interval's last access may be half a turn and a seek longer than the budget: 16 ms of 1 s at most.
  const auto even = shares("CELLO(1|1|1)");
  for (const double share : even) EXPECT_NEAR(share, 1.0 / 3, 0.016);
  const auto weighted = shares("CELLO(2|1|1)");
  EXPECT_NEAR(weighted[static_cast<std::size_t>(kC)], 0.5, 0.016);
  EXPECT_NEAR(weighted[static_cast<std::size_t>(kD)], 0.25, 0.016);
  EXPECT_NEAR(weighted[static_cast<std::size_t>(kB)], 0.25, 0.016);
  const auto reassigned = shares("CELLO(2|1|1)", false);  // nobody wants half of it
  EXPECT_NEAR(reassigned[static_cast<std::size_t>(kD)], 0.5, 0.016);
  EXPECT_NEAR(reassigned[static_cast<std::size_t>(kB)], 0.5, 0.016);
}

// --- fair queueing ---------------------------------------------------------------------------------------------------

TEST(FairQueue, TheLeastStartTagFirstWhateverThePlace) {
  Rig rig("SFQ(1|1|0)", 0);
  on_one_sector(rig, "xyzABC");
  EXPECT_EQ(rig.serve(), "xAyBzC");  // start tags 0, 0, 0.1, 6, 6.1, 12 ms
  Rig weighted("SFQ(1|2|0)", 0);
  on_one_sector(weighted, "xyzwuABC");
  EXPECT_EQ(weighted.serve(), "xAyzBwuC");  // discrete ones: 0, 0.05, 3.05, 6.05, 9.05 ms
}

TEST(FairQueue, WhoComesBackIsOwedNothing) {
  Rig rig("SFQ(1|1|0)", 0);
  on_one_sector(rig, "xyzw");
  EXPECT_EQ(rig.serve(3), "xyz");
  on_one_sector(rig, "ABuv");
  EXPECT_EQ(rig.serve(), "AwBuv");  // A's tag is that of z, 6.1 ms, w's 12.1, B's 12.1 and younger
}

TEST(FairQueue, AClassWithoutWeightComesLast) {
  Rig rig("SFQ(1|1|0)", 0);
  add_background(rig, 'p', 0);
  on_one_sector(rig, "xyA");
  EXPECT_EQ(rig.serve(), "xAyp");
}

TEST(FairQueue, TheLeastWeightTakesNoTurnOfOthersInALongRun) {
  Rig rig("SFQ(1|1|0.000001)", 0);
  Command whole_disk;
  whole_disk.cls = kB;
  whole_disk.extent = rig.planner.resolve(Lba(0), 100 * kSectors, false);
  for (int i = 0; i < 20; ++i) rig.add_command('p', whole_disk);
  rig.serve(18);
  ASSERT_GT(rig.now, 10 * kPicosecondsPerSecond);  // tags beyond 64 bits
  on_one_sector(rig, "xy");
  EXPECT_EQ(rig.serve(), "xypp");
}

TEST(FairQueue, SharesAreTheWeights) {
  const auto weighted = shares("SFQ(2|1|1)");
  EXPECT_NEAR(weighted[static_cast<std::size_t>(kC)], 0.5, 0.001);
  EXPECT_NEAR(weighted[static_cast<std::size_t>(kD)], 0.25, 0.001);
  EXPECT_NEAR(weighted[static_cast<std::size_t>(kB)], 0.25, 0.001);
}

}  // namespace
}  // namespace platter::scheduling
