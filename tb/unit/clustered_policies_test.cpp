// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "drives.h"
#include "platter/scheduling/path_order.h"
#include "platter/scheduling/policies.h"
#include "policy_rig.h"

namespace {
std::size_t allocations = 0;
}

[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace platter::scheduling {
namespace {

using core::Cylinder;
using core::Head;
using core::Lba;
using testing::kSectors;
using testing::Rig;
using testing::ruler;

// --- C-intervals -----------------------------------------------------------------------------------------------------

TEST(CiSptf, ServesEachIntervalByPositioningTimeAndThenItsContinuousRequest) {
  Rig rig("OPS:SCAN/CI-SPTF", 20);
  rig.add('B', 60).add('A', 30);  // 10 and 40 cylinders away: upward, from cylinder 0 on
  rig.add('x', 10, 30);           // 19 sectors to seek, there at 30
  rig.add('y', 25, 10);           // 14 to seek, there at 10 of the next turn: 70
  rig.add('z', 40, 0);
  rig.add('w', 80, 20);  // from B's end at 1: 29 to seek, there after 79
  rig.add('v', 90, 45);  // 39 to seek, there after 44
  EXPECT_EQ(rig.serve(), "xyAzBvw");
}

TEST(CiSptf, SweepsDownwardFromTheOtherEdge) {
  Rig rig("OPS:SCAN/CI-SPTF", 70);
  rig.add('A', 30).add('B', 60);
  rig.add('d', 10).add('c', 40).add('b', 65).add('a', 95);
  const std::string order = rig.serve();
  EXPECT_TRUE(order == "abBcAd" || order == "baBcAd") << order;
}

TEST(CiSptf, BothEndsOfAnIntervalBelongToIt) {
  Rig rig("OPS:SCAN/CI-SPTF", 0);
  rig.add('A', 30, 20).add('B', 60).add('e', 30, 50);
  EXPECT_EQ(rig.serve(2), "eA");  // although A comes first under the head
  rig.add('f', 30, 10);           // now at the next interval's beginning
  EXPECT_EQ(rig.serve(), "fB");
}

TEST(CiSptf, TakesWhatComesForThePresentIntervalAtOnceAndComesBackForTheRest) {
  Rig rig("OPS:SCAN/CI-SPTF", 0);
  rig.add('A', 30).add('B', 60).add('x', 10, 30).add('y', 25, 0);
  EXPECT_EQ(rig.serve(1), "x");  // ends at 31 of cylinder 10
  rig.add('u', 12, 45);          // 11 to seek: there after 14
  EXPECT_EQ(rig.serve(3), "uyA");
  rig.add('q', 5).add('r', 29);
  rig.add('s', 59).add('t', 70);
  EXPECT_EQ(rig.serve(3), "sBt");
  EXPECT_EQ(rig.serve(1), "r");  // from 71 on downward: nothing in [30, 60], q and r in [0, 30]
  rig.add('o', 45);
  EXPECT_EQ(rig.serve(), "qo");  // the present interval first
}

TEST(CiSptf, IntervalsOfTheLastRoundStayUntilContinuousRequestsCome) {
  Rig rig("OPS:SCAN/CI-SPTF", 0);
  rig.add('A', 30).add('B', 60);
  EXPECT_EQ(rig.serve(), "AB");
  rig.add('k', 65, 0).add('l', 31, 0).add('m', 59, 0).add('n', 2, 0);
  EXPECT_EQ(rig.serve(1), "k");   // [60, 99] lies ahead; then down
  rig.add('C', 68).add('D', 20);  // a new round: downward, in the intervals of C and D alone
  const std::string rest = rig.serve();
  EXPECT_TRUE(rest == "ClmDn" || rest == "CmlDn") << rest;
}

TEST(CiSptf, WithoutContinuousRequestsItIsSptf) {
  std::mt19937_64 random(51);
  for (int i = 0; i < 50; ++i) {
    Rig interval("OPS:SCAN/CI-SPTF", 50);
    Rig flat("SPTF", 50);
    for (int k = 0; k < 12; ++k) {
      const auto cylinder = static_cast<std::uint32_t>(random() % 100);
      const auto sector = static_cast<std::uint32_t>(random() % kSectors);
      interval.add(static_cast<char>('a' + k), cylinder, sector);
      flat.add(static_cast<char>('a' + k), cylinder, sector);
    }
    ASSERT_EQ(interval.serve(), flat.serve());
  }
}

TEST(CiOpt, PartsAreHalvesAndGoInTheOrderOfTheSweep) {
  Rig rig("OPS:SCAN/CI-OPT(2)", 0);
  rig.add('A', 90);
  // Five: 3 and 2; the three: 2 and 1. Within a part the second is there before the first.
  rig.add('a', 10, 40).add('b', 11, 20);  // b 20, a 40: a seek of 1 takes 10, from 21 to 31, wait to 40
  rig.add('c', 20, 0);
  rig.add('d', 40, 50).add('e', 45, 30);  // from c's end (1): e 34 to seek: 35, there at 90; d 29: 30, there at 50
  EXPECT_EQ(rig.serve(2), "ba");
  EXPECT_EQ(rig.serve(1), "c");
  EXPECT_EQ(rig.serve(), "deA");
  EXPECT_EQ(rig.order_steps, 8u * 4u + 2u * 1u);  // PathOrder::steps(2) is 16
}

TEST(CiOpt, WhatComesMeanwhileIsListedWhenTheListIsServed) {
  Rig rig("OPS:SCAN/CI-OPT(1)", 0);
  rig.add('A', 50).add('B', 80).add('a', 10).add('b', 20).add('c', 30);
  EXPECT_EQ(rig.serve(1), "a");
  rig.add('x', 25).add('y', 5).add('z', 60);
  EXPECT_EQ(rig.serve(), "bcyxAzB");
}

TEST(CiOpt, AListEndsWhenOneGoesFirstOutOfTurnOrOneOfThePartIsWithdrawn) {
  const auto rest = [](const char* policy, std::size_t tag, void (SchedulerIf::*leave)(Tag)) {
    Rig rig(policy, 0);
    rig.add('a', 10).add('b', 20).add('c', 30).serve(1);
    rig.add('x', 40).add('y', 25);
    (*rig.scheduler.*leave)(rig.commands[tag].tag);
    return rig.serve();
  };
  EXPECT_EQ(rest("OPS:SCAN/CI-OPT(1)", 2, &SchedulerIf::remove), "byx") << "c was of the list";
  EXPECT_EQ(rest("OPS:SCAN/CI-OPT(1)", 3, &SchedulerIf::remove), "byc") << "x has come later";
  EXPECT_EQ(rest("OPS:SCAN/CI-OPT(1)", 3, &SchedulerIf::withdraw), "bcy");
  EXPECT_EQ(rest("OPS:SCAN/CI-OPT(3)", 1, &SchedulerIf::withdraw), "xya") << "of equal orders the last one's slot is the least";
}

TEST(CiOpt, AfterTheRoundAnIntervalIsLeftWhenItsListIsServed) {
  Rig rig("OPS:SCAN/CI-OPT(1)", 0);
  rig.add('A', 50).add('B', 80).add('g', 85).add('h', 82);
  EXPECT_EQ(rig.serve(3), "ABh");
  rig.add('i', 81).add('j', 70).add('k', 60).add('l', 10);
  EXPECT_EQ(rig.serve(1), "g");  // the end of the list; nothing above, so it turns, and i is in the present interval
  EXPECT_EQ(rig.serve(2), "ij");
  rig.add('m', 90).add('n', 75);
  EXPECT_EQ(rig.serve(2), "kl");  // n waits in the interval [50, 80] that was served
  EXPECT_EQ(rig.serve(), "nm");
}

TEST(CiOpt, WithoutContinuousRequestsTheWholeDiskIsOneIntervalForAnElevator) {
  Rig rig("OPS:SCAN/CI-OPT(1)", 50);
  rig.add('a', 60).add('b', 40).add('c', 80);
  EXPECT_EQ(rig.serve(1), "b");
  rig.add('d', 30).add('e', 90);
  EXPECT_EQ(rig.serve(2), "ac");
  EXPECT_EQ(rig.serve(), "ed");  // the next list the other way
}

TEST(CiOpt, NewContinuousRequestsEndThePlan) {
  Rig rig("OPS:SCAN/CI-OPT(2)", 0);
  rig.add('a', 10).add('b', 20).add('c', 30).add('d', 40);
  EXPECT_EQ(rig.serve(2).size(), 2u);
  rig.add('A', 35);  // c lies before it, d behind
  EXPECT_EQ(rig.serve(), "cAd");
}

// --- clusters of both classes ----------------------------------------------------------------------------------------

/// Clusters from where the arm stands, whatever the rounds do.
Interpretations plain_elevator() {
  Interpretations interpretations;
  interpretations.cluster_from = ClusterFrom::Arm;
  interpretations.cluster_round = ClusterRound::Continue;
  return interpretations;
}

TEST(ClustReq, TakesTheNextRequestsOfTheElevator) {
  Rig rig("OPS:SCAN/CLUST-REQ(2)", 50, plain_elevator());
  rig.add('a', 60, 40).add('A', 61, 25);  // 19 and 20 to seek: A at 25, from 26 to a 10: 36, there at 40
  rig.add('b', 70, 0).add('c', 40, 0);
  EXPECT_EQ(rig.serve(1), "A");
  rig.add('d', 62, 0);  // comes too late for the cluster
  EXPECT_EQ(rig.serve(1), "a");
  EXPECT_EQ(rig.serve(2).size(), 2u);  // b and d
  rig.add('B', 10, 0);
  const std::string rest = rig.serve();
  EXPECT_TRUE(rest == "cB" || rest == "Bc") << rest;
}

TEST(ClustReq, OfOneIsLook) {
  std::mt19937_64 random(52);
  for (int i = 0; i < 200; ++i) {
    Rig cluster("OPS:SCAN/CLUST-REQ(1)", 50);
    Rig look("LOOK", 50);
    const auto count = 1 + random() % 20;
    for (std::size_t k = 0; k < count; ++k) {
      const auto cylinder = static_cast<std::uint32_t>(random() % 100);
      cluster.add(static_cast<char>('a' + k), cylinder, 0);
      look.add(static_cast<char>('a' + k), cylinder, 0);
    }
    ASSERT_EQ(cluster.serve(), look.serve());
  }
}

TEST(ClustCyl, ReachesSoManyCylindersBeyondTheFirst) {
  Rig rig("OPS:SCAN/CLUST-CYL(4|10)", 0);
  rig.add('a', 20, 40).add('b', 30, 30).add('c', 31, 0);  // a 29 to seek: 40; b 39: 90. From a's end 41 to b 19: 60, 90
  rig.serve(1);
  EXPECT_EQ(rig.order_steps, 16u);  // two
  rig.serve(1);
  EXPECT_EQ(rig.serve(), "c");
  EXPECT_EQ(rig.order_steps, 16u + 2u);

  Rig down("OPS:SCAN/CLUST-CYL(2|10)", 99);
  down.add('a', 90).add('b', 85).add('c', 80).add('d', 69);
  down.serve(2);
  EXPECT_EQ(down.order_steps, 16u);  // the first two of three in reach
  EXPECT_EQ(down.serve(2), "cd");
  EXPECT_EQ(down.order_steps, 16u + 2u + 2u);
}

// --- the guard -------------------------------------------------------------------------------------------------------

Interpretations until_last_continuous() {
  Interpretations interpretations;
  interpretations.postponed = Postponed::LastContinuous;
  return interpretations;
}

TEST(PostponedRequests, ALongRequestGivesWayAloneAndComesBackWhenTheLastContinuousOneIsServed) {
  for (const char* notation : {"OPS:SCAN/CI-SPTF", "OPS:SCAN/CI-OPT(3)", "OPS:SCAN/CLUST-REQ(4)", "OPS:SCAN/CLUST-CYL(4|50)"}) {
    SCOPED_TRACE(notation);
    Rig rig(notation, 0, until_last_continuous());
    rig.add('A', 40, 0, 40'000'000'000);                                                // in 40 ms
    rig.add_extent('l', rig.planner.resolve(Lba(10 * kSectors), 5 * kSectors, false));  // 30 ms
    rig.add('s', 20, 50);
    const std::string order = rig.serve();
    EXPECT_LT(order.find('A'), order.find('l')) << order;
    if (std::string_view(notation).find("CI-") != std::string_view::npos) {
      EXPECT_EQ(order, "sAl");
    }
  }
}

constexpr const char* kGuarded[] = {"OPS:SCAN/CI-SPTF", "OPS:SCAN/CI-OPT(1)", "OPS:SCAN/CI-OPT(3)", "OPS:SCAN/CLUST-REQ(1)",
                                    "OPS:SCAN/CLUST-CYL(1|50)"};
constexpr Picoseconds kDue = 40'000'000'000;

/// Served up to A, without l, of which the transfer takes 30 ms.
Rig with_postponed(const char* notation, const Interpretations& interpretations) {
  Rig rig(notation, 0, interpretations);
  rig.add('A', 40, 0, kDue);
  rig.add_extent('l', rig.planner.resolve(Lba(10 * kSectors), 5 * kSectors, false));
  rig.add('s', 20, 50);
  std::string order = rig.serve(1);
  if (order != "A") order += rig.serve(1);
  EXPECT_EQ(order.back(), 'A') << order;
  EXPECT_EQ(order.find('l'), std::string::npos) << order;
  EXPECT_LT(rig.now, kDue);
  return rig;
}

bool has(const std::string& order, char name) { return order.find(name) != std::string::npos; }

TEST(PostponedRequests, WaitForTheNextRoundOrForItsLastContinuousRequest) {
  for (const char* notation : kGuarded) {
    SCOPED_TRACE(notation);
    Rig last = with_postponed(notation, until_last_continuous());
    EXPECT_TRUE(has(last.serve(), 'l'));
    Rig over = with_postponed(notation, {});
    over.add('t', 50);
    const std::string others = over.serve();
    EXPECT_TRUE(has(others, 't') && !has(others, 'l')) << others;
    EXPECT_EQ(over.scheduler->pick(over.head, over.now).until, kDue + 1);
    over.now = kDue + 1;
    EXPECT_EQ(over.serve(), "l") << "no continuous request has come: the round is over when it was due";
    Rig next = with_postponed(notation, {});
    next.add('B', 60);
    const std::string both = next.serve();
    EXPECT_TRUE(has(both, 'B') && has(both, 'l')) << both << ": the next round has begun";
    Rig same = with_postponed(notation, {});
    same.add('B', 60, 0, kDue + 1);  // a later deadline, too: another round, but without time for l
    EXPECT_FALSE(has(same.serve(), 'l'));
    EXPECT_EQ(same.scheduler->pick(same.head, same.now).until, kDue + 2);
  }
}

TEST(PostponedRequests, AnotherContinuousRequestOfTheRoundDoesNotBringThemBack) {
  for (const char* notation : kGuarded) {
    SCOPED_TRACE(notation);
    for (const bool last : {false, true}) {
      Rig rig(notation, 0, last ? until_last_continuous() : Interpretations{});
      rig.add('A', 40, 0, kDue).add('C', 90, 0, kDue);
      rig.add_extent('l', rig.planner.resolve(Lba(10 * kSectors), 5 * kSectors, false));
      EXPECT_EQ(rig.serve(1), "A");  // l has been refused
      rig.add('B', 60, 0, kDue);
      EXPECT_EQ(rig.serve(2), "BC");
      EXPECT_EQ(rig.serve(), last ? "l" : "");
    }
  }
}

TEST(CiOpt, WhenTheGuardRefusesAWholePartTheNextOneIsChecked) {
  Rig rig("OPS:SCAN/CI-OPT(1)", 0);
  rig.add('A', 40, 0, kDue).add('B', 60, 0, kDue);
  rig.add_extent('l', rig.planner.resolve(Lba(10 * kSectors), 5 * kSectors, false));
  rig.add('s', 20, 50);
  EXPECT_EQ(rig.serve(), "sAB");
  EXPECT_EQ(rig.order_steps, 2u + 2u);
  // Also what has come for the interval meanwhile, when nothing of its list passes.
  Rig later("OPS:SCAN/CI-OPT(1)", 0);
  later.add('A', 40, 0, kDue).add('s', 5, 20);
  later.add_extent('l', later.planner.resolve(Lba(10 * kSectors), 5 * kSectors, false));
  EXPECT_EQ(later.serve(1), "s");
  later.add('t', 20, 50);
  EXPECT_EQ(later.serve(), "tA");
}

TEST(PostponedRequests, UntilTheLastContinuousRequestOrANewOne) {
  // No time for l before A; once A is served there is time enough.
  for (const bool another : {false, true}) {
    Interpretations interpretations = plain_elevator();
    interpretations.postponed = Postponed::LastContinuous;
    Rig rig("OPS:SCAN/CLUST-REQ(1)", 85, interpretations);
    rig.add_extent('l', rig.planner.resolve(Lba(86 * kSectors), 5 * kSectors, false));
    rig.add('A', 80, 0, 20'000'000'000).add('B', 95);
    EXPECT_EQ(rig.serve(1), "A");  // l was the cluster, and nothing of it passed
    if (another) rig.add('C', 97);
    EXPECT_EQ(rig.serve(), another ? "lBC" : "Bl");
  }
}

TEST(PostponedRequests, WithoutTimeTheSweepIsForced) {
  for (const char* notation : {"OPS:SCAN/CI-SPTF", "OPS:SCAN/CI-OPT(6)", "OPS:SCAN/CLUST-REQ(6)", "OPS:SCAN/CLUST-CYL(6|50)"}) {
    SCOPED_TRACE(notation);
    Rig rig(notation, 55);
    rig.add('B', 60, 0, 1).add('A', 30, 0, 1).add('x', 50).add('y', 10);
    const std::string order = rig.serve(2);
    EXPECT_EQ(order, "!B!A");  // B is the nearer extreme
    EXPECT_EQ(rig.serve().size(), 2u);
  }
}

TEST(PostponedRequests, AContinuousRequestOfAClusterMayNotEndangerTheSweep) {
  // Upward from 50 the cluster begins with B, but the sweep with A: there is time for A, B, C and not for B first.
  Rig rig("OPS:SCAN/CLUST-REQ(2)", 40);
  rig.add('A', 38, 0).add('B', 50, 0).add('C', 90, 0);
  Rig sweep("OPS:SCAN/CI-SPTF", 40);
  sweep.add('A', 38, 0).add('B', 50, 0).add('C', 90, 0);
  EXPECT_EQ(sweep.serve(), "ABC");
  for (Command& command : rig.commands) {
    rig.scheduler->remove(command.tag);
    command.deadline = sweep.now;
  }
  for (const Command& command : rig.commands) rig.scheduler->insert(command);
  EXPECT_EQ(rig.serve(), "ABC");
  EXPECT_LE(rig.now, sweep.now);
}

// --- exact orders ----------------------------------------------------------------------------------------------------

/// The rule of docs/reference/policies.md, by trying all orders.
std::vector<std::size_t> best_order(const AccessPlanner& planner, const HeadState& head, Picoseconds now,
                                    const std::vector<const Command*>& slots) {
  std::vector<std::size_t> order(slots.size());
  std::iota(order.begin(), order.end(), 0u);
  std::vector<std::size_t> best;
  Picoseconds least = 0;
  do {
    Picoseconds cost = planner.estimate(head, slots[order[0]]->extent, now, slots[order[0]]->data_ready).positioning();
    for (std::size_t i = 1; i < order.size(); ++i)
      cost += planner.onward(slots[order[i - 1]]->extent, slots[order[i]]->extent, 0);
    if (best.empty() || cost < least ||
        (cost == least && std::lexicographical_compare(order.rbegin(), order.rend(), best.rbegin(), best.rend()))) {
      best = order;
      least = cost;
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

class ExactOrders : public ::testing::TestWithParam<const char*> {};

TEST_P(ExactOrders, AreTheCheapestOfAll) {
  const AccessPlanner planner(testing::small_drive());
  const std::uint64_t blocks = planner.geometry().block_count();
  std::mt19937_64 random(53);
  for (int batch = 0; batch < 200; ++batch) {
    const auto scheduler = find_policy(GetParam())->create({planner, 64, 0});
    std::vector<Command> commands(1 + random() % 7);
    std::vector<const Command*> slots;
    for (std::size_t i = 0; i < commands.size(); ++i) {
      Command& command = commands[i];
      command.tag = Tag(static_cast<std::uint16_t>(i));
      command.sequence = i;
      command.extent =
          planner.resolve(Lba(random() % (blocks - 12)), static_cast<std::uint32_t>(1 + random() % 12), random() % 3 == 0);
      if (random() % 2 == 0) command.data_ready = static_cast<Picoseconds>(random() % 30'000'000'000);
      if (std::string_view(GetParam()).find("CLUST") != std::string_view::npos && random() % 4 == 0) {
        command.cls = RequestClass::Continuous;
        command.deadline = 100 * core::kPicosecondsPerSecond;
      }
      scheduler->insert(command);
      slots.push_back(&command);
    }
    std::stable_sort(slots.begin(), slots.end(),
                     [](const Command* a, const Command* b) { return a->extent.cylinder < b->extent.cylinder; });
    HeadState head{Cylinder(0), Head(static_cast<std::uint32_t>(random() % 3)), random() % 2 == 0};
    auto now = static_cast<Picoseconds>(random() % 20'000'000'000);
    ASSERT_EQ(scheduler->work(head).order_steps, PathOrder<Picoseconds>::steps(slots.size()));
    const std::vector<std::size_t> expected = best_order(planner, head, now, slots);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const Decision decision = scheduler->pick(head, now);
      ASSERT_EQ(decision.tag, slots[expected[i]]->tag) << "position " << i << " of " << slots.size();
      now += planner.commit(head, slots[expected[i]]->extent, now, slots[expected[i]]->data_ready).total();
      scheduler->remove(decision.tag);
      ASSERT_EQ(scheduler->work(head).order_steps, 0u);
    }
    ASSERT_TRUE(scheduler->empty());
  }
}
INSTANTIATE_TEST_SUITE_P(Clustered, ExactOrders,
                         ::testing::Values("OPS:SCAN/CI-OPT(7)", "OPS:SCAN/CI-OPT(12)", "OPS:SCAN/CLUST-REQ(7)",
                                           "OPS:SCAN/CLUST-CYL(7|20)", "TPS:SCAN/(SCAN/CI-OPT(7))"));

TEST(ExactOrder, ADecisionMakesOneAtMostAndLooksAtNoMoreThanThereIs) {
  std::mt19937_64 random(54);
  for (const char* notation : {"SPTF", "ASPTF(0.5)", "OPS:SCAN/CI-SPTF", "OPS:SCAN/CI-OPT(5)", "OPS:SCAN/CLUST-REQ(5)",
                               "OPS:SCAN/CLUST-CYL(5|30)", "OPS:SLACK(4|0.5)", "OPS:FAMISH"}) {
    const std::size_t most = std::string_view(notation).find("SLACK") != std::string_view::npos ? 296u : 40u;
    const std::uint64_t most_steps = std::string_view(notation).find("(5") != std::string_view::npos ? 25u * 32u : 0u;
    Rig rig(notation, 50);
    for (int i = 0; i < 40; ++i)
      rig.add(random() % 4 == 0 ? 'A' : 'a', static_cast<std::uint32_t>(random() % 100),
              static_cast<std::uint32_t>(random() % kSectors), static_cast<Picoseconds>(random() % 600) * 1'000'000'000);
    for (int served = 0; served < 40; ++served) {
      const DecisionWork work = rig.scheduler->work(rig.head);
      ASSERT_GE(work.candidates, 1u) << notation;
      ASSERT_LE(work.candidates, most) << notation;
      ASSERT_LE(work.order_steps, most_steps) << notation;
      if (rig.serve(1).empty()) break;  // what FAMISH has not planned waits for the round's end
    }
  }
}

TEST(ExactOrder, WithoutTimeTheSweepGoesOnAndNothingElseIsLookedAt) {
  for (const char* notation :
       {"SPTF", "SPTF(next-C)", "ASPTF(0.5)", "OPS:SCAN/CI-SPTF", "OPS:SCAN/CI-OPT(5)", "OPS:SCAN/CLUST-REQ(5)",
        "OPS:SCAN/CLUST-CYL(5|30)", "OPS:SLACK(4|0.5)", "OPS:FAMISH", "OPS:FAMISH(late)", "CELLO(1|1|0)"}) {
    SCOPED_TRACE(notation);
    Rig rig(notation, 0);
    EXPECT_TRUE(rig.scheduler->has_time(rig.head, 0)) << "there is no sweep";
    constexpr Picoseconds kDeadline = 100 * core::kPicosecondsPerMillisecond;
    rig.add('x', 5, 30).add('A', 20, 30, kDeadline).add('y', 30, 45).add('B', 40, 0, kDeadline);
    rig.scheduler->work(rig.head);
    Picoseconds last = 0;
    for (Picoseconds now = 0; now < kDeadline; now += 10 * core::kPicosecondsPerMicrosecond) {
      HeadState head = rig.head;
      Picoseconds end = now;
      for (const std::size_t i : {1u, 3u}) end += rig.planner.commit(head, rig.commands[i].extent, end).total();
      ASSERT_EQ(rig.scheduler->has_time(rig.head, now), end <= kDeadline) << now;
      if (end <= kDeadline) last = now;
    }
    EXPECT_GT(last, kDeadline / 2);
    const Decision decision = rig.scheduler->next_of_sweep(rig.head, last);
    EXPECT_EQ(rig.names[decision.tag.value], 'A');
    EXPECT_FALSE(decision.forced);
    rig.scheduler->remove(decision.tag);
    rig.now = last + rig.planner.commit(rig.head, rig.commands[decision.tag.value].extent, last).total();
    std::string rest = rig.serve(1);
    EXPECT_EQ(rest, "B");
    EXPECT_LE(rig.now, kDeadline);
    rig.now = kDeadline + 1;
    rest = rig.serve();
    EXPECT_TRUE(rest == "xy" || rest == "yx") << rest;
  }
}

TEST(Clustered, EveryRequestIsServedOnceWhateverComesAndGoes) {
  const AccessPlanner planner(testing::small_drive());
  const std::uint64_t blocks = planner.geometry().block_count();
  for (const char* notation : {"ASPTF(0.01)", "OPS:SCAN/CI-SPTF", "OPS:SCAN/CI-OPT(1)", "OPS:SCAN/CI-OPT(3)",
                               "OPS:SCAN/CLUST-REQ(1)", "OPS:SCAN/CLUST-REQ(4)", "OPS:SCAN/CLUST-CYL(4|3)", "V(0.2)", "EDF",
                               "SCAN-EDF", "RR", "GSS(3)", "TPS:SCAN/SCAN", "TPS:SCAN/(SCAN/CI-OPT(3))", "OPS:SLACK(4|0.5)"}) {
    SCOPED_TRACE(notation);
    std::mt19937_64 random(55);
    const auto scheduler = find_policy(notation)->create({planner, 24, 0});
    std::vector<Command> commands(24);
    std::vector<bool> present(24, false);
    HeadState head{};
    Picoseconds now = 0;
    std::uint64_t sequence = 0;
    std::size_t waiting = 0;
    std::size_t allocated = 0;
    const auto counted = [&allocated](const auto& act) {
      const std::size_t before = allocations;
      act();
      allocated += allocations - before;
    };
    for (int step = 0; step < 20'000; ++step) {
      const bool draining = step / 500 % 2 == 1;
      for (std::size_t tag = 0; tag < 24; ++tag) {
        if (present[tag] || draining || random() % 3 != 0) continue;
        Command& command = commands[tag];
        command = Command{};
        command.tag = Tag(static_cast<std::uint16_t>(tag));
        command.sequence = sequence++;
        command.arrival = now;
        if (random() % 3 == 0) {
          command.cls = RequestClass::Continuous;
          command.deadline = now + static_cast<Picoseconds>(random() % 400) * core::kPicosecondsPerMillisecond;
        }
        command.extent =
            planner.resolve(Lba(random() % (blocks - 40)), static_cast<std::uint32_t>(1 + random() % 40), random() % 3 == 0);
        counted([&] { scheduler->insert(command); });
        present[tag] = true;
        ++waiting;
      }
      if (random() % 50 == 0 && waiting > 0) {  // some leave another way
        std::size_t tag = random() % 24;
        while (!present[tag]) tag = (tag + 1) % 24;
        counted([&] { scheduler->remove(Tag(static_cast<std::uint16_t>(tag))); });
        present[tag] = false;
        --waiting;
      }
      if (random() % 40 == 0) head.cylinder = Cylinder(static_cast<std::uint32_t>(random() % 20));
      ASSERT_EQ(scheduler->empty(), waiting == 0);
      Decision decision;
      counted([&] {
        scheduler->work(head);
        decision = testing::settled(*scheduler, head, now);
      });
      if (decision.kind == Decision::Kind::Idle) {
        ASSERT_EQ(decision.until == core::kNoDeadline, waiting == 0) << "step " << step;
        if (waiting > 0) now = decision.until;  // all of them have been postponed
        continue;
      }
      ASSERT_TRUE(present[decision.tag.value]);
      now += planner.commit(head, commands[decision.tag.value].extent, now).total();
      counted([&] { scheduler->remove(decision.tag); });
      present[decision.tag.value] = false;
      --waiting;
    }
    EXPECT_EQ(allocated, 0u) << "after construction nothing is allocated";
  }
}

// --- aged SPTF -------------------------------------------------------------------------------------------------------

TEST(Aged, WithoutWeightItDecidesAsSptf) {
  const AccessPlanner planner(testing::small_drive());
  const std::uint64_t blocks = planner.geometry().block_count();
  std::mt19937_64 random(56);
  int forced = 0;
  for (int batch = 0; batch < 2000; ++batch) {
    const auto aged = find_policy("ASPTF(0)")->create({planner, 32, 1'000'000});
    const auto plain = find_policy("SPTF")->create({planner, 32, 1'000'000});
    std::vector<Command> commands(1 + random() % 32);
    const auto now = static_cast<Picoseconds>(random() % 5'000'000'000'000);
    for (std::size_t i = 0; i < commands.size(); ++i) {
      Command& command = commands[i];
      command.tag = Tag(static_cast<std::uint16_t>(i));
      command.sequence = i;
      command.arrival = static_cast<Picoseconds>(random() % static_cast<std::uint64_t>(now + 1));
      if (random() % 3 == 0) {
        command.cls = RequestClass::Continuous;
        command.deadline = now + static_cast<Picoseconds>(random() % 300'000'000'000);
      }
      command.extent =
          planner.resolve(Lba(random() % (blocks - 12)), static_cast<std::uint32_t>(1 + random() % 12), random() % 2 == 0);
      aged->insert(command);
      plain->insert(command);
    }
    const HeadState head{Cylinder(static_cast<std::uint32_t>(random() % 20)), Head(1), random() % 2 == 0};
    const Decision a = aged->pick(head, now);
    const Decision b = plain->pick(head, now);
    ASSERT_EQ(a.kind, b.kind);
    ASSERT_EQ(a.tag, b.tag);
    ASSERT_EQ(a.forced, b.forced);
    forced += a.forced;
  }
  EXPECT_GT(forced, 50);
}

TEST(Aged, AWaitOutweighsADistance) {
  const AccessPlanner planner(ruler());
  std::vector<Command> commands(2);
  commands[0].extent = planner.resolve(Lba(90 * kSectors), 1, false);
  commands[1].extent = planner.resolve(Lba(51 * kSectors + 15), 1, false);
  commands[1].tag = Tag(1);
  commands[1].sequence = 1;
  const HeadState head{Cylinder(50), Head(0), false};
  const auto aged = find_policy("ASPTF(0.01)")->create({planner, 2, 0});
  for (const Command& command : commands) aged->insert(command);
  // 60 sectors against 15, at every full turn: 1 % of a wait of 450 ms.
  Picoseconds turned = 0;
  for (Picoseconds now = 0; now < 1'200'000'000'000; now += 6'000'000'000) {
    commands[1].arrival = now;
    if (aged->pick(head, now).tag == Tag(0) && turned == 0) turned = now;
  }
  const Picoseconds apart =
      planner.estimate(head, commands[0].extent, 0).positioning() - planner.estimate(head, commands[1].extent, 0).positioning();
  EXPECT_EQ(apart, 4'500'000'000);
  EXPECT_EQ(turned, 100 * apart);  // at equal sums the older one
}

TEST(Aged, WeightsAreExact) {
  const Weight third{333'333};
  EXPECT_EQ(third.of(3'000'000), 999'999);
  EXPECT_EQ(third.of(1), 0);
  EXPECT_EQ(Weight{1'000'000}.of(123'456'789'012'345), 123'456'789'012'345);
  EXPECT_EQ(Weight{100'000'000}.of(86'400'000'000'000'000), 8'640'000'000'000'000'000);  // a day, at the highest weight
  EXPECT_EQ(Weight{}.of(86'400'000'000'000'000), 0);
}

}  // namespace
}  // namespace platter::scheduling
