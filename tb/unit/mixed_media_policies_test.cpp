// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "platter/scheduling/continuous_sweep.h"
#include "platter/scheduling/policies.h"
#include "policy_rig.h"

namespace platter::scheduling {
namespace {

using core::Cylinder;
using core::Head;
using core::kPicosecondsPerMillisecond;
using core::kPicosecondsPerSecond;
using core::Lba;
using testing::kSectors;
using testing::Rig;

// --- deadlines, streams and groups -----------------------------------------------------------------------------------

TEST(Edf, EarliestDeadlineThenAgeAndThoseWithoutOneLast) {
  Rig rig("EDF", 50);
  rig.add('x', 51).add('A', 10, 0, 3000).add('B', 60, 0, 2000).add('C', 40, 0, 2000).add('y', 52).add('D', 99, 0, 1000);
  EXPECT_EQ(rig.serve(), "DBCAxy");
}

TEST(ScanEdf, OneDeadlineByAnElevatorAndThoseWithoutOneLikewise) {
  Rig rig("SCAN-EDF", 50);
  rig.add('x', 20).add('y', 90).add('A', 45, 0, 2000).add('B', 60, 0, 2000).add('C', 80, 0, 2000).add('D', 30, 0, 3000);
  EXPECT_EQ(rig.serve(), "BCADxy");  // up to C, down over A and D to x, up again
}

TEST(RoundRobin, StreamsInTheirOrderWhateverTheirPlaceAndAge) {
  Rig rig("RR", 0);
  rig.add('C', 10).add('A', 90).add('B', 20);
  EXPECT_EQ(rig.serve(), "ABC");
}

TEST(RoundRobin, ClassesTakeTurnsWhileBothHaveCommands) {
  Rig rig("RR", 0);
  rig.add('z', 1).add('C', 10).add('A', 90).add('B', 20).add('y', 2).add('D', 5);
  EXPECT_EQ(rig.serve(3), "zAy");
  rig.add('x', 3).add('w', 4);
  EXPECT_EQ(rig.serve(), "BxCwD");
}

TEST(RoundRobin, ADecisionThatIsMadeAnewUsesUpNoTurn) {
  Rig rig("RR", 0);
  rig.add('A', 10);
  EXPECT_EQ(rig.names[rig.scheduler->pick(rig.head, 0).tag.value], 'A');
  rig.add('z', 20);
  EXPECT_EQ(rig.names[rig.scheduler->pick(rig.head, 0).tag.value], 'z');
  EXPECT_EQ(rig.names[rig.scheduler->pick(rig.head, 0).tag.value], 'z');
  EXPECT_EQ(rig.serve(), "zA");
}

TEST(GroupSweep, GroupsTakeTurnsEachByAnElevator) {
  Rig rig("GSS(2)", 0);  // A, C, E are one group, B, D the other
  rig.add('A', 50).add('B', 60).add('C', 20).add('D', 10).add('E', 80).add('x', 5);
  EXPECT_EQ(rig.serve(), "CAEBDx");
  Rig one("GSS(1)", 0);
  one.add('A', 50).add('B', 60).add('C', 20).add('D', 10);
  EXPECT_EQ(one.serve(), "DCAB");
  Rig each("GSS(100)", 0);
  each.add('A', 50).add('B', 60).add('C', 20).add('D', 10);
  EXPECT_EQ(each.serve(), "ABCD");
}

// --- two phases ------------------------------------------------------------------------------------------------------

TEST(TwoPhases, ContinuousRequestsByScanThenTheOthersByAnElevator) {
  Rig rig("TPS:SCAN/SCAN", 20);
  rig.add('B', 60).add('A', 30).add('x', 25).add('y', 90).add('z', 40);
  EXPECT_EQ(rig.serve(3), "ABy");
  rig.add('C', 80);  // the next round
  EXPECT_EQ(rig.serve(), "Czx");
}

TEST(TwoPhases, TheElevatorBeginsAnewWithEachRoundAtTheNearerEnd) {
  Rig rig("TPS:SCAN/SCAN", 0);
  rig.add('x', 20).add('y', 60);
  EXPECT_EQ(rig.serve(1), "x");  // upward
  rig.add('A', 85).add('z', 30).add('w', 95);
  EXPECT_EQ(rig.serve(), "Awyz");  // from the upper end, which is nearer, downward
  Rig behind("TPS:SCAN/SCAN", 0);
  behind.add('A', 30).add('x', 20).add('y', 40).add('z', 70);
  EXPECT_EQ(behind.serve(2), "Ax");  // the lower end is nearer: from there upward
  behind.add('w', 10);
  EXPECT_EQ(behind.serve(), "yzw");
}

TEST(TwoPhases, ExactOrdersOverTheWholeDiskBeginAtTheNearerEnd) {
  Rig rig("TPS:SCAN/(SCAN/CI-OPT(1))", 20);
  rig.add('B', 60).add('A', 30).add('x', 55).add('y', 90).add('z', 95);
  EXPECT_EQ(rig.serve(3), "ABx");  // an elevator that goes on upward would take y
  rig.add('w', 91);
  EXPECT_EQ(rig.serve(), "yzw");  // w waits for the next list
}

TEST(TwoPhases, AListEndsWithItsRound) {
  Rig rig("TPS:SCAN/(SCAN/CI-OPT(2))", 0);
  rig.add('a', 10).add('b', 30).add('c', 60).add('d', 90);
  EXPECT_NE(std::string("ab").find(rig.serve(1)), std::string::npos);  // of the part a, b
  rig.add('e', 12).add('A', 80);
  EXPECT_EQ(rig.serve(1), "A");
  const std::string rest = rig.serve();  // d is at the end nearer to the arm: d and c, then b and e
  EXPECT_TRUE(rest.substr(0, 2) == "dc" || rest.substr(0, 2) == "cd") << rest;
  EXPECT_EQ(rest.size(), 4u);
}

TEST(TwoPhases, WhatComesWithinARoundWaitsForTheNextList) {
  Rig rig("TPS:SCAN/(SCAN/CI-OPT(1))", 0);
  rig.add('a', 10).add('b', 30);
  EXPECT_EQ(rig.serve(1), "a");
  rig.add('c', 20);
  EXPECT_EQ(rig.serve(), "bc");
}

Rig listed_anew(const char* notation, std::uint32_t cylinder) {
  Interpretations interpretations;
  interpretations.phase_list = PhaseList::Part;
  return Rig(notation, cylinder, interpretations);
}

TEST(TwoPhases, AListThatIsMadeAnewAfterEachPartTakesInWhatHasComeAhead) {
  Rig rig = listed_anew("TPS:SCAN/(SCAN/CI-OPT(1))", 0);
  rig.add('a', 10).add('b', 30).add('c', 60);
  EXPECT_EQ(rig.serve(1), "a");
  rig.add('d', 20).add('e', 5);
  EXPECT_EQ(rig.serve(), "dbce");  // e is behind: the sweep turns for it
}

TEST(TwoPhases, APartIsServedAsAWholeWhateverComes) {
  Rig rig = listed_anew("TPS:SCAN/(SCAN/CI-OPT(2))", 0);
  rig.add('a', 10).add('b', 30).add('c', 60).add('d', 90);
  std::string order = rig.serve(1);
  EXPECT_NE(std::string("ab").find(order), std::string::npos);
  rig.add('e', 12).add('f', 30).add('g', 50);
  order += rig.serve();
  // f is where the part has ended, so it is ahead: f and g, then c and d; on the way back e.
  const auto part = [&order](std::size_t from, std::size_t n) {
    std::string found = order.substr(from, n);
    std::sort(found.begin(), found.end());
    return found;
  };
  EXPECT_EQ(part(0, 2) + part(2, 2) + part(4, 2) + part(6, 1), "abfgcde") << order;
}

TEST(TwoPhases, AListThatIsMadeAnewBeginsWithARoundAtTheNearerEnd) {
  Rig rig = listed_anew("TPS:SCAN/(SCAN/CI-OPT(1))", 0);
  rig.add('a', 10).add('b', 30).add('c', 90);
  EXPECT_EQ(rig.serve(1), "a");
  rig.add('A', 85).add('d', 20);
  EXPECT_EQ(rig.serve(), "Acbd");  // from the upper end, which is nearer, downward
}

TEST(TwoPhases, WithoutArrivalsBothKindsOfListServeAllOnce) {
  std::mt19937_64 random(56);
  for (int turn = 0; turn < 50; ++turn)
    for (const PhaseList list : {PhaseList::Whole, PhaseList::Part}) {
      Interpretations interpretations;
      interpretations.phase_list = list;
      Rig rig("TPS:SCAN/(SCAN/CI-OPT(3))", 50, interpretations);
      for (int i = 0; i < 24; ++i)
        rig.add(random() % 4 == 0 ? static_cast<char>('A' + i) : static_cast<char>('a' + i),
                static_cast<std::uint32_t>(random() % 100));
      const std::string order = rig.serve();
      ASSERT_EQ(order.size(), 24u);
      ASSERT_EQ(std::set<char>(order.begin(), order.end()).size(), 24u) << order;
    }
}

TEST(TwoPhases, HowLongAListLastsIsNothingToOtherPolicies) {
  for (const char* notation : {"OPS:SCAN/CI-OPT(1)", "TPS:SCAN/SCAN", "OPS:SCAN/CLUST-REQ(1)"}) {
    const auto order = [](Rig rig) {
      rig.add('a', 10).add('b', 30).add('c', 60);
      std::string served = rig.serve(1);
      rig.add('d', 20).add('e', 5);
      return served + rig.serve();
    };
    EXPECT_EQ(order(listed_anew(notation, 0)), order(Rig(notation, 0))) << notation;
  }
}

// --- FAMISH ----------------------------------------------------------------------------------------------------------

TEST(Famish, OneSweepOverAllThatFits) {
  Rig rig("OPS:FAMISH", 20);
  rig.add('A', 30).add('B', 60).add('x', 70).add('y', 10).add('z', 45);
  EXPECT_EQ(rig.serve(2), "yA");  // upward, as A is the nearer extreme; from the first of the sweep on
  rig.add('w', 50);               // comes after the plan
  EXPECT_EQ(rig.serve(), "zBx");
  EXPECT_EQ(rig.scheduler->pick(rig.head, rig.now).until, 100 * kPicosecondsPerSecond + 1);
  rig.now = 100 * kPicosecondsPerSecond + 1;
  rig.add('v', 55);
  EXPECT_EQ(rig.serve(), "vw");  // no round began: what waits, from its nearer end on
}

TEST(Famish, LateTakesInWhatLiesAheadAndStopsAtTheFirstThatDoesNot) {
  Rig rig("OPS:FAMISH(late)", 20);
  rig.add('A', 30).add('B', 60).add('x', 70).add('y', 10);
  EXPECT_EQ(rig.serve(2), "yA");
  rig.add('w', 50);
  EXPECT_EQ(rig.serve(1), "w");
  rig.add('u', 40).add('v', 65);  // u is behind the arm, and v younger than u
  EXPECT_EQ(rig.serve(), "Bx");
}

TEST(Famish, WhatLiesBehindTheLastContinuousRequestMustBeOverInTimeToo) {
  const Picoseconds end = 60 * kPicosecondsPerMillisecond;
  Rig rig("OPS:FAMISH", 20);
  rig.add('A', 30, 0, end).add('x', 40);
  EXPECT_EQ(rig.serve(1), "A");
  rig.now = end - kPicosecondsPerMillisecond;  // its data was late
  EXPECT_EQ(rig.serve(), "");
  EXPECT_EQ(rig.scheduler->pick(rig.head, rig.now).until, end + 1);
  rig.now = end + 1;
  EXPECT_EQ(rig.serve(), "x");
}

TEST(Famish, AContinuousRequestThatComesLateDoesNotTurnTheSweepBack) {
  Rig rig("OPS:FAMISH", 20);
  rig.add('A', 30).add('B', 60);
  EXPECT_EQ(rig.serve(1), "A");
  rig.add('x', 10).add('C', 70);
  EXPECT_EQ(rig.serve(), "BC");
}

TEST(Famish, ALateRoundEndsWithItsLastContinuousRequest) {
  Rig rig("OPS:FAMISH", 20);
  rig.add('A', 30, 0, 10 * kPicosecondsPerMillisecond);
  rig.now = 20 * kPicosecondsPerMillisecond;
  rig.add('B', 60, 0, 500 * kPicosecondsPerMillisecond).add('x', 45).add('y', 50);
  EXPECT_EQ(rig.serve(), "!AxyB");
}

/// From `head` the requests of the round in the order of a sweep; when the last one's data is there.
Picoseconds swept(const AccessPlanner& planner, HeadState head, Picoseconds now, std::vector<const Command*> commands,
                  bool upward) {
  std::stable_sort(commands.begin(), commands.end(), [upward](const Command* a, const Command* b) {
    return upward ? a->extent.cylinder < b->extent.cylinder : a->extent.cylinder > b->extent.cylinder;
  });
  for (const Command* command : commands) now += planner.commit(head, command->extent, now).total();
  return now;
}

TEST(Famish, TakesTheLongestQueueThatTheRoundHolds) {
  std::mt19937_64 random(61);
  std::map<std::size_t, int> taken;
  for (int batch = 0; batch < 500; ++batch) {
    Rig rig("OPS:FAMISH", static_cast<std::uint32_t>(random() % 100));
    rig.now = static_cast<Picoseconds>(random() % 6'000) * 1'000'000;
    std::vector<const Command*> round;
    std::vector<const Command*> others;
    std::uint32_t low = 100;
    std::uint32_t high = 0;
    std::vector<Lba> places;
    for (int i = 0; i < 14; ++i) places.emplace_back(random() % rig.planner.geometry().block_count());
    std::vector<Command> alone(4);
    for (std::size_t i = 0; i < 4; ++i) {
      alone[i].extent = rig.planner.resolve(places[i], 1, false);
      round.push_back(&alone[i]);
      low = std::min(low, alone[i].extent.cylinder.value);
      high = std::max(high, alone[i].extent.cylinder.value);
    }
    const auto far = [&](std::uint32_t c) { return std::abs(static_cast<int>(c) - static_cast<int>(rig.head.cylinder.value)); };
    const bool upward = far(low) <= far(high);
    const Picoseconds end = swept(rig.planner, rig.head, rig.now, round, upward) +
                            static_cast<Picoseconds>(random() % 120) * kPicosecondsPerMillisecond;
    round.clear();
    for (int i = 0; i < 14; ++i) {
      rig.add_extent(static_cast<char>((i < 4 ? 'A' : 'a') + i),
                     rig.planner.resolve(places[static_cast<std::size_t>(i)], 1, false), end);
      (i < 4 ? round : others).push_back(&rig.commands.back());
    }
    std::size_t fit = 0;
    while (fit < others.size()) {
      round.push_back(others[fit]);
      if (swept(rig.planner, rig.head, rig.now, round, upward) > end) break;
      ++fit;
    }
    const std::string order = rig.serve(static_cast<int>(4 + fit));
    ASSERT_LE(rig.now, end) << order;
    for (const char name : std::string("ABCD")) ASSERT_NE(order.find(name), std::string::npos) << order;
    for (std::size_t i = 0; i < fit; ++i) ASSERT_NE(order.find(static_cast<char>('a' + 4 + i)), std::string::npos) << order;
    ASSERT_EQ(rig.scheduler->pick(rig.head, rig.now).kind, Decision::Kind::Idle) << order;
    ++taken[fit];
  }
  EXPECT_GT(taken.size(), 8u);  // none, some and all
}

// --- slack stealing --------------------------------------------------------------------------------------------------

TEST(Slack, ContinuousRequestsAreLeftUntilTheyMustGo) {
  Rig rig("OPS:SLACK(100|0)", 50);
  rig.add('A', 50, 10, kPicosecondsPerSecond).add('x', 99, 0).add('y', 0, 0);
  const std::string order = rig.serve();
  EXPECT_EQ(order.back(), 'A') << order;
  Rig tight("OPS:SLACK(100|0)", 50);
  tight.add('A', 50, 10, 12 * kPicosecondsPerMillisecond).add('x', 99, 0).add('y', 0, 0);
  EXPECT_EQ(tight.serve(1), "A");  // the guard lets nothing else pass
}

TEST(Slack, WithoutDelayAndAgeingItIsSptfWithALookAhead) {
  std::mt19937_64 random(63);
  int different = 0;
  for (int i = 0; i < 300; ++i) {
    Rig slack("OPS:SLACK(0|0)", 50);
    Rig sptf("SPTF", 50);
    const auto count = static_cast<int>(2 + random() % 6);
    for (int k = 0; k < count; ++k) {
      const auto cylinder = static_cast<std::uint32_t>(random() % 100);
      const auto sector = static_cast<std::uint32_t>(random() % kSectors);
      slack.add(static_cast<char>('a' + k), cylinder, sector);
      sptf.add(static_cast<char>('a' + k), cylinder, sector);
    }
    // Least of: positioning, and a share of the cheapest hop from there.
    std::string expected;
    std::int64_t least = 0;
    for (int k = 0; k < count; ++k) {
      const Extent& from = slack.commands[static_cast<std::size_t>(k)].extent;
      Picoseconds next = core::kNoDeadline;
      for (int j = 0; j < count; ++j)
        if (j != k) next = std::min(next, slack.planner.onward(from, slack.commands[static_cast<std::size_t>(j)].extent, 0));
      const std::int64_t score = slack.planner.estimate(slack.head, from, 0).positioning() + next / 1024 * 225;
      if (expected.empty() || score < least) {
        expected = static_cast<char>('a' + k);
        least = score;
      }
    }
    const std::string first = slack.serve(1);
    ASSERT_EQ(first, expected);
    different += first != sptf.serve(1);
  }
  EXPECT_GT(different, 10);  // the look ahead matters
}

TEST(Slack, OneThatHasWaitedThreeTimesTheMeanOutweighsADistance) {
  Rig rig("OPS:SLACK(0|1)", 50);
  rig.add('a', 95, 0).add('b', 52, 10).add('c', 51, 40);
  for (std::size_t i = 1; i < 3; ++i) rig.commands[i].arrival = 990 * kPicosecondsPerMillisecond;
  rig.now = kPicosecondsPerSecond;
  EXPECT_EQ(rig.serve(1), "a");
  Rig young("OPS:SLACK(0|1)", 50);
  young.add('a', 95, 0).add('b', 52, 10).add('c', 51, 40);
  EXPECT_NE(young.serve(1), "a");
}

// --- interpretations --------------------------------------------------------------------------------------------------------

std::string two_rounds(SweepStart start) {
  Interpretations interpretations;
  interpretations.sweep_start = start;
  Rig rig("TPS:SCAN/SCAN", 55, interpretations);
  rig.add('A', 30).add('B', 60);
  std::string order = rig.serve();
  rig.head.cylinder = Cylinder(55);
  rig.add('C', 30).add('D', 60);
  return order + " " + rig.serve();
}

TEST(Interpretations, WhereASweepStarts) {
  EXPECT_EQ(two_rounds(SweepStart::Nearer), "BA DC");
  EXPECT_EQ(two_rounds(SweepStart::Alternating), "AB DC");
  EXPECT_EQ(two_rounds(SweepStart::Upward), "AB CD");
}

TEST(Interpretations, AfterTheLastContinuousRequest) {
  const auto after = [](AfterSweep interpretation) {
    Interpretations interpretations;
    interpretations.after_sweep = interpretation;
    Rig rig("OPS:SCAN/CI-OPT(1)", 0, interpretations);
    rig.add('A', 30, 0, kPicosecondsPerSecond).add('B', 60, 0, kPicosecondsPerSecond);
    std::string order = rig.serve();
    rig.add('x', 20).add('y', 70).add('z', 55).add('w', 45);
    order += rig.serve();
    rig.now = kPicosecondsPerSecond + 1;
    return order + " " + rig.serve();
  };
  EXPECT_EQ(after(AfterSweep::Intervals), "AByzwx ");  // [60, 99], then down
  EXPECT_EQ(after(AfterSweep::Disk), "AByzwx ");       // the end at 70 is the nearer one
  EXPECT_EQ(after(AfterSweep::Idle).substr(0, 3), "AB ");
  EXPECT_EQ(after(AfterSweep::Idle).size(), 7u);  // and the others once the round is over
}

TEST(Interpretations, AfterTheSweepTheWholeDiskIsOneListAndIntervalsAreNot) {
  for (const AfterSweep interpretation : {AfterSweep::Intervals, AfterSweep::Disk}) {
    Interpretations interpretations;
    interpretations.after_sweep = interpretation;
    Rig rig("OPS:SCAN/CI-OPT(1)", 0, interpretations);
    rig.add('A', 30).add('B', 60);
    EXPECT_EQ(rig.serve(), "AB");
    rig.add('x', 58).add('y', 70).add('z', 90);
    EXPECT_EQ(rig.serve(), interpretation == AfterSweep::Intervals ? "yzx" : "xyz");
  }
}

TEST(Interpretations, ClustersOfDiscreteRequestsEndAtTheNextContinuousOne) {
  for (const ClusterContents contents : {ClusterContents::Mixed, ClusterContents::Discrete}) {
    Interpretations interpretations;
    interpretations.clusters = contents;
    Rig rig("OPS:SCAN/CLUST-REQ(4)", 0, interpretations);
    rig.add('a', 10, 40).add('A', 11, 20).add('b', 12, 0).add('c', 13, 30);
    const std::string order = rig.serve();
    if (contents == ClusterContents::Discrete) {
      EXPECT_EQ(order.substr(0, 2), "aA");
      EXPECT_EQ(rig.order_steps, 2u + 2u + 16u);
    } else {
      EXPECT_EQ(order.front(), 'A');  // there at 20, a at 40
      EXPECT_EQ(rig.order_steps, 16u * 16u);
    }
  }
}

/// A cluster of b and a, in this order, of which a lies nearer to the edge: then the arm stands at a, the front at b.
Rig behind_a_cluster(ClusterFrom from, ClusterRound round) {
  Interpretations interpretations;
  interpretations.cluster_from = from;
  interpretations.cluster_round = round;
  Rig rig("OPS:SCAN/CLUST-REQ(2)", 0, interpretations);
  rig.add('a', 10, 35).add('b', 12, 22);  // b after 21 sectors, a from there after 11
  return rig;
}

TEST(Interpretations, AClusterBeginsAtTheFrontOrAtTheArm) {
  for (const ClusterFrom from : {ClusterFrom::Front, ClusterFrom::Arm}) {
    Rig rig = behind_a_cluster(from, ClusterRound::Continue);
    EXPECT_EQ(rig.serve(1), "b");
    rig.add('x', 11, 0).add('y', 20, 50).add('z', 40, 0);
    EXPECT_EQ(rig.serve(1), "a");
    const std::string rest = rig.serve();
    if (from == ClusterFrom::Front) {
      EXPECT_EQ(rest.back(), 'x') << rest;  // y and z, then back
      EXPECT_EQ(rig.order_steps, 16u + 16u + 2u);
    } else {
      EXPECT_EQ(rest.back(), 'z') << rest;  // x and y
    }
  }
}

TEST(Interpretations, ARoundRestartsTheElevatorOrNot) {
  for (const ClusterRound round : {ClusterRound::Restart, ClusterRound::Continue}) {
    Rig rig = behind_a_cluster(ClusterFrom::Front, round);
    EXPECT_EQ(rig.serve(2), "ba");
    rig.add('y', 20).add('z', 5).add('A', 8);  // one continuous request: its sweep goes upward, from the edge
    const std::string order = rig.serve();
    if (round == ClusterRound::Restart) {
      EXPECT_EQ(order.back(), 'y') << order;
    } else {
      EXPECT_EQ(order.front(), 'y') << order;
    }
  }
}

TEST(Interpretations, ARoundEndsTheClusterThatItFinds) {
  for (const ClusterRound round : {ClusterRound::Restart, ClusterRound::Continue}) {
    Rig rig = behind_a_cluster(ClusterFrom::Front, round);
    EXPECT_EQ(rig.serve(1), "b");
    rig.add('A', 60).add('c', 70);
    const std::string order = rig.serve();
    EXPECT_EQ(order.size(), 3u);
    EXPECT_EQ(rig.order_steps, round == ClusterRound::Restart ? 16u + 16u + 2u : 16u + 16u);  // A and c; or c and A, then a
  }
}

TEST(Interpretations, AClusterThatEndsEarlyLeavesTheFrontWhereItWas) {
  // Time for the sweep only: A is due before the exact order, which begins with B, allows.
  Interpretations interpretations;
  interpretations.postponed = Postponed::LastContinuous;
  interpretations.cluster_round = ClusterRound::Continue;
  Rig rig("OPS:SCAN/CLUST-REQ(2)", 0, interpretations);
  rig.add('x', 4, 0);
  EXPECT_EQ(rig.serve(1), "x");  // a cluster of one: the front is at 4
  rig.add('d', 30, 0).add('B', 40, 0).add('A', 90, 0);
  Rig sweep("OPS:SCAN/CI-SPTF", 4);
  sweep.now = rig.now;
  sweep.add('B', 40, 0).add('A', 90, 0);
  sweep.serve();
  for (Command& command : rig.commands) {
    if (command.tag.value == 0) continue;
    rig.scheduler->remove(command.tag);
    if (in_sweep(command)) command.deadline = sweep.now;
    rig.scheduler->insert(command);
  }
  EXPECT_EQ(rig.serve(), "BAd");
}

// --- properties ------------------------------------------------------------------------------------------------------

/// Rounds of continuous requests and Poisson-like others on a drive of its own; the policy is asked as a drive would ask it.
class Rounds : public ::testing::TestWithParam<const char*> {};

TEST_P(Rounds, EveryRequestOnceContinuousOnesInTimeAndNobodyForEver) {
  constexpr int kRounds = 400;
  constexpr Picoseconds kRound = kPicosecondsPerSecond / 2;
  constexpr std::size_t kTags = 128;
  const AccessPlanner planner(testing::ruler());
  const std::uint64_t blocks = planner.geometry().block_count();
  const auto scheduler = find_policy(GetParam())->create({planner, kTags, 0});
  std::mt19937_64 random(62);
  std::vector<Command> commands(kTags);
  std::vector<int> free;
  for (int tag = kTags; tag-- > 0;) free.push_back(tag);
  HeadState head{};
  Picoseconds now = 0;
  Picoseconds next_round = 0;
  Picoseconds next_other = 0;
  std::uint64_t sequence = 0;
  std::size_t arrived = 0;
  std::size_t served = 0;
  Picoseconds longest = 0;
  std::uint64_t round = 0;
  std::map<std::uint64_t, std::uint64_t> round_of;  // discrete requests, by age
  const auto insert = [&](bool continuous, Picoseconds when) {
    ASSERT_FALSE(free.empty());
    Command& command = commands[static_cast<std::size_t>(free.back())];
    command = Command{};
    command.tag = Tag(static_cast<std::uint16_t>(free.back()));
    free.pop_back();
    command.sequence = sequence++;
    command.arrival = when;
    if (continuous) {
      command.cls = RequestClass::Continuous;
      command.deadline = when + kRound;
    }
    command.extent = planner.resolve(Lba(random() % (blocks - 20)), static_cast<std::uint32_t>(1 + random() % 20), false);
    scheduler->insert(command);
    ++arrived;
  };
  while (round < kRounds || !scheduler->empty()) {
    while (round < kRounds && std::min(next_round, next_other) <= now) {
      if (next_round <= next_other) {
        for (int i = 0; i < 8; ++i) insert(true, next_round);
        next_round += kRound;
        ++round;
      } else {
        insert(false, next_other);
        next_other += static_cast<Picoseconds>(1 + random() % 80) * kPicosecondsPerMillisecond;  // about 12 a round
      }
    }
    const Decision decision = testing::settled(*scheduler, head, now);
    if (decision.kind == Decision::Kind::Idle) {
      const Picoseconds wake = round < kRounds ? std::min({next_round, next_other, decision.until}) : decision.until;
      ASSERT_NE(wake, core::kNoDeadline) << "it waits for ever";
      ASSERT_GT(wake, now);
      now = wake;
      continue;
    }
    const Command& command = commands[decision.tag.value];
    EXPECT_FALSE(decision.forced);
    now += planner.commit(head, command.extent, now).total();
    if (in_sweep(command)) {
      ASSERT_LE(now, command.deadline);
    }
    longest = std::max(longest, now - command.arrival);
    if (!in_sweep(command)) round_of[command.sequence] = round;
    scheduler->remove(decision.tag);
    free.push_back(decision.tag.value);
    ++served;
  }
  EXPECT_EQ(served, arrived);
  EXPECT_EQ(free.size(), kTags);
  EXPECT_LT(longest, 4 * kRound);
  if (std::string_view(GetParam()).find("FAMISH") != std::string_view::npos) {
    std::uint64_t latest = 0;  // no request in an earlier round than an older one (section 2.3)
    for (const auto& [age, in_round] : round_of) {
      ASSERT_GE(in_round, latest);
      latest = in_round;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(MixedMedia, Rounds,
                         ::testing::Values("TPS:SCAN/SCAN", "TPS:SCAN/(SCAN/CI-OPT(6))", "OPS:FAMISH", "OPS:FAMISH(late)",
                                           "OPS:SCAN/CI-SPTF", "OPS:SCAN/CI-OPT(6)", "OPS:SCAN/CLUST-REQ(6)",
                                           "OPS:SCAN/CLUST-CYL(6|20)", "SPTF", "SPTF(next-C)", "OPS:SLACK(4|0.5)",
                                           "CELLO(1|1|0)", "CELLO(3|1|1)"));

}  // namespace
}  // namespace platter::scheduling
