// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "policy_rig.h"

namespace platter::scheduling {
namespace {

using testing::kSectors;
using testing::Rig;

constexpr Picoseconds kUs = core::kPicosecondsPerMicrosecond;

FirmwareRules aged(Picoseconds limit) { return {limit, false, 0}; }
FirmwareRules streams(Picoseconds limit, std::uint32_t reach = 0) { return {limit, true, reach}; }

TEST(FirmwareRules, TheOldestCommandBeyondTheLimitGoesFirst) {
  const auto order = [](const FirmwareRules& rules) {
    Rig rig("SPTF(unguarded)", 0, {}, rules);
    rig.add('z', 90).add('a', 0, 1).add('b', 0, 3).add('c', 0, 5).add('d', 0, 20).add('e', 0, 18);
    return rig.serve();
  };
  EXPECT_EQ(order({}), "abcedz");
  EXPECT_EQ(order(aged(1'000 * kUs)), "abcezd");  // after e 1.9 ms have passed, and all are beyond the limit
  EXPECT_EQ(order(aged(1'000'000 * kUs)), "abcedz");
  EXPECT_EQ(order(aged(1)), "azbcde");
}

TEST(FirmwareRules, TheGuardKeepsTheSweepsTime) {
  Rig rig("SPTF", 0, {}, aged(1));
  rig.now = 1'000 * kUs;
  rig.add('z', 99).add('A', 0, 30, 3'200 * kUs);
  rig.now = 1'200 * kUs;
  EXPECT_EQ(rig.serve().back(), 'z');
}

TEST(FirmwareRules, AStreamGoesFirst) {
  const auto order = [](const FirmwareRules& rules) {
    Rig rig("FCFS", 0, {}, rules);
    rig.add('p', 10, 0).add('q', 10, 1).add('a', 50).add('b', 50, 9).add('r', 10, 2).add('s', 10, 3).add('t', 10, 4);
    return rig.serve();
  };
  EXPECT_EQ(order({}), "pqabrst");
  EXPECT_EQ(order(streams(1'000'000 * kUs)), "pqrstab");
  EXPECT_EQ(order(streams(6'250 * kUs)), "pqrabst");
}

TEST(FirmwareRules, ABatchOfTheOthersHoldsTheStreamBack) {
  const auto order = [](const FirmwareRules& rules) {
    Rig rig("SPTF(unguarded)", 0, {}, rules);
    rig.add('a', 50);
    rig.now = 20'000 * kUs;
    rig.add('p', 10, 0).add('q', 10, 1).add('b', 99, 30).add('r', 10, 2).add('s', 10, 3).add('t', 10, 4);
    return rig.serve();
  };
  EXPECT_EQ(order(aged(24'250 * kUs)), "pqrastb");
  EXPECT_EQ(order(streams(24'250 * kUs)), "pqrabst");
}

TEST(FirmwareRules, AStreamMayLeaveOutWhatTheBufferHas) {
  const auto order = [](std::uint32_t reach) {
    Rig rig("FCFS", 0, {}, streams(1'000'000 * kUs, reach));
    rig.add('p', 10, 0).add('q', 10, 1).add('a', 50).add('r', 10, 9).add('b', 50, 9);
    return rig.serve();
  };
  EXPECT_EQ(order(6), "pqarb");
  EXPECT_EQ(order(7), "pqrab");
}

/// Under every policy that needs no free space, streams, random commands and withdrawals at random times: each command leaves once, and none
/// waits much longer than the limit.
TEST(FirmwareRules, EveryCommandIsServed) {
  constexpr Picoseconds kLimit = 200'000 * kUs;
  for (const char* notation : {"FCFS", "SSTF", "LOOK", "C-LOOK", "SPTF", "SPTF(unguarded)", "ASPTF(0.1)", "OPS:SCAN/CI-SPTF",
                               "OPS:SCAN/CI-OPT(6)", "OPS:SCAN/CLUST-REQ(6)", "OPS:SLACK(1|0.2)", "CELLO(1|1|1)", "SFQ(1|1|1)"})
    for (const bool stream_first : {false, true}) {
      SCOPED_TRACE(notation);
      Rig rig(notation, 0, {}, {kLimit, stream_first, 4});
      std::mt19937 random(7);
      const auto below = [&random](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
      std::vector<scheduling::Command> commands(64);
      std::vector<bool> used(64, false);
      std::size_t there = 0;
      std::uint64_t sequence = 0;
      std::uint32_t next = 0;
      for (int step = 0; step < 3000; ++step) {
        while (step < 2900 && there < 1 + below(24)) {
          std::size_t tag = 0;
          while (used[tag]) ++tag;
          scheduling::Command& command = commands[tag] = {};
          command.tag = core::Tag(static_cast<std::uint16_t>(tag));
          command.sequence = sequence++;
          command.arrival = rig.now;
          const bool stream = below(2) == 0;
          const std::uint32_t first = stream ? next : below(90 * kSectors);
          if (stream) next = (next + 3 + below(3)) % (90 * kSectors);
          command.extent = rig.planner.resolve(core::Lba(first), 3, !stream && below(3) == 0);
          used[tag] = true;
          ++there;
          rig.scheduler->insert(command);
        }
        if (there == 0) break;
        if (below(10) == 0) {
          std::size_t tag = below(64);
          while (!used[tag]) tag = (tag + 1) % 64;
          rig.scheduler->withdraw(commands[tag].tag);
          used[tag] = false;
          --there;
          continue;
        }
        const Decision decision = testing::settled(*rig.scheduler, rig.head, rig.now);
        if (decision.kind == Decision::Kind::Move) {
          rig.head.cylinder = decision.cylinder;
          continue;
        }
        ASSERT_EQ(decision.kind, Decision::Kind::Serve);
        ASSERT_TRUE(used[decision.tag.value]);
        const scheduling::Command& command = commands[decision.tag.value];
        EXPECT_LT(rig.now - command.arrival, kLimit + 64 * 25'000 * kUs);
        rig.now += rig.planner.commit(rig.head, command.extent, rig.now).total();
        rig.scheduler->remove(decision.tag);
        used[decision.tag.value] = false;
        --there;
      }
      EXPECT_EQ(rig.scheduler->empty(), there == 0);
    }
}

}  // namespace
}  // namespace platter::scheduling
