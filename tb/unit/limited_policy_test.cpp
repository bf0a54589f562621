// SPDX-License-Identifier: Apache-2.0
//
// LSPTF decision by decision: which commands compete, which goes first, and what the account of guidelines allows.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "platter/scheduling/limit_window.h"
#include "platter/scheduling/policies.h"
#include "platter/system/drives.h"

namespace platter::scheduling {
namespace {

using core::kPicosecondsPerMillisecond;
using core::Lba;

constexpr Picoseconds kMs = kPicosecondsPerMillisecond;
constexpr std::size_t kTags = 16;

class Desk {
 public:
  explicit Desk(const std::string& policy = "LSPTF(0)", Picoseconds age_limit = 0) : planner(system::load_drive("cheetah9lp")) {
    SchedulerContext context{planner, kTags, 50'000'000};
    context.rules.age_limit = age_limit;
    scheduler = find_policy(policy)->create(context);
  }

  Command& add(std::uint16_t tag, std::uint64_t lba, Picoseconds arrival = 0, std::uint32_t blocks = 8) {
    Command& c = commands[tag];
    c = Command{};
    c.tag = Tag(tag);
    c.sequence = sequence_++;
    c.arrival = arrival;
    c.extent = planner.resolve(Lba(lba), blocks, false);
    return c;
  }
  void enter(const Command& c) { scheduler->insert(c); }
  void limited(std::uint16_t tag, std::uint64_t lba, Picoseconds deadline, bool guideline = false, std::uint16_t cost = 0) {
    Command& c = add(tag, lba);
    c.deadline = deadline;
    c.limited = true;
    c.guideline = guideline;
    c.guideline_cost_permille = cost;
    enter(c);
  }
  Tag pick() {
    scheduler->work(head);
    const Decision decision = scheduler->pick(head, now);
    rule = decision.rule;
    return decision.tag;
  }
  /// Serves the choice, and moves on to the end of its access.
  Tag serve() {
    const Tag tag = pick();
    scheduler->remove(tag);
    const Command& c = commands[tag.value];
    now += planner.commit(head, c.extent, now, c.data_ready, c.overhead_end).total();
    return tag;
  }

  AccessPlanner planner;
  std::unique_ptr<SchedulerIf> scheduler;
  std::vector<Command> commands{kTags};
  HeadState head{};
  Picoseconds now = 0;
  Rule rule = Rule::Policy;  ///< of the last decision

 private:
  std::uint64_t sequence_ = 0;
};

TEST(LimitedPolicy, ALimitedCommandWaitsWhileOthersDo) {
  Desk desk;
  desk.limited(1, 0, 10'000 * kMs);  // under the head
  desk.enter(desk.add(2, 8'000'000));
  EXPECT_EQ(desk.serve(), Tag(2));
  EXPECT_EQ(desk.rule, Rule::Policy);
  EXPECT_TRUE(desk.scheduler->held_back(Tag(1)));
  desk.limited(3, 8'000'000, 10'000 * kMs);
  EXPECT_EQ(desk.serve(), Tag(3)) << "nothing else is left, and it is near";
  EXPECT_EQ(desk.rule, Rule::Policy);
  EXPECT_FALSE(desk.scheduler->held_back(Tag(1))) << "it competed";
  EXPECT_EQ(desk.serve(), Tag(1));
  EXPECT_TRUE(desk.scheduler->empty());
}

TEST(LimitedPolicy, ItGoesFirstBeforeItWouldBeLate) {
  Desk desk;
  desk.limited(1, 8'000'000, 40 * kMs);
  for (std::uint16_t tag = 2; tag < 8; ++tag) desk.enter(desk.add(tag, 100u * tag));
  std::vector<Tag> order;
  Picoseconds started = 0;
  while (order.empty() || order.back() != Tag(1)) {
    started = desk.now;
    order.push_back(desk.serve());
  }
  EXPECT_GT(order.size(), 1u) << "not at once";
  EXPECT_LE(desk.now, 40 * kMs);
  EXPECT_GT(started, 5 * kMs);
}

/// Long accesses take far more than the mean time of an access, so a policy that held them back would find out too late.
TEST(LimitedPolicy, TheGuardKnowsContinuousCommandsFromTheirArrival) {
  for (const bool priority : {false, true}) {
    Desk desk;
    std::size_t left = 0;
    for (std::uint16_t tag = 0; tag < 6; ++tag, ++left) {
      Command& c = desk.add(tag, 2'000'000u * tag + 100'000, 0, 512);
      c.cls = RequestClass::Continuous;
      c.deadline = 700 * kMs;
      c.limited = true;
      c.high_priority = priority;
      desk.enter(c);
    }
    for (std::uint16_t tag = 6; tag < kTags; ++tag) desk.enter(desk.add(tag, 100u * tag));
    while (left > 0) {
      const Tag tag = desk.serve();
      if (tag.value < 6)
        --left;
      else
        desk.enter(desk.add(tag.value, 100u * tag.value));
    }
    EXPECT_LE(desk.now, 700 * kMs);
    while (!desk.scheduler->empty()) desk.serve();
  }
}

TEST(LimitedPolicy, ALateCommandGoesFirst) {
  Desk desk;
  desk.now = 500 * kMs;
  desk.limited(1, 8'000'000, 400 * kMs);
  for (std::uint16_t tag = 2; tag < 8; ++tag) desk.enter(desk.add(tag, 100u * tag));
  EXPECT_EQ(desk.pick(), Tag(1));
}

TEST(LimitedPolicy, OfLateCommandsTheNearestGoesFirst) {
  Desk desk;
  desk.now = 500 * kMs;
  desk.limited(1, 8'000'000, 300 * kMs);
  desk.limited(2, 100, 400 * kMs);
  EXPECT_EQ(desk.pick(), Tag(2));
}

TEST(LimitedPolicy, PriorityGoesBeforeAll) {
  Desk desk;
  desk.enter(desk.add(1, 100));
  Command& urgent = desk.add(2, 8'000'000);
  urgent.high_priority = true;
  desk.enter(urgent);
  EXPECT_EQ(desk.pick(), Tag(2));
  EXPECT_EQ(desk.rule, Rule::Priority);
  desk.scheduler->withdraw(Tag(2));
  EXPECT_EQ(desk.pick(), Tag(1));
}

TEST(LimitedPolicy, PriorityHasNoAccount) {
  Desk desk;
  desk.enter(desk.add(1, 100));
  Command& urgent = desk.add(2, 8'000'000);
  urgent.high_priority = urgent.limited = urgent.guideline = true;
  urgent.deadline = 300 * kMs;
  desk.enter(urgent);
  EXPECT_EQ(desk.pick(), Tag(2)) << "its guideline may cost nothing";
}

TEST(LimitedPolicy, AGuidelinePaysForWhatItTakesFromCommandsWithPriority) {
  Desk desk;
  for (std::uint16_t tag = 2; tag < 5; ++tag) {
    Command& urgent = desk.add(tag, 100u * tag);
    urgent.high_priority = true;
    desk.enter(urgent);
  }
  desk.limited(1, 8'000'000, 25 * kMs, true);  // would be late behind any of them, and may cost nothing
  EXPECT_NE(desk.pick(), Tag(1));
}

TEST(LimitedPolicy, ALateCommandWithAPlainDeadlineGoesFirst) {
  Desk desk;
  desk.now = 500 * kMs;
  Command& late = desk.add(1, 8'000'000);
  late.deadline = 400 * kMs;
  desk.enter(late);
  for (std::uint16_t tag = 2; tag < 8; ++tag) desk.enter(desk.add(tag, 100u * tag));
  EXPECT_EQ(desk.pick(), Tag(1));
}

TEST(LimitedPolicy, TheAgeLimitHoldsBesideAGuidelineThatMayCostNothing) {
  Desk desk("LSPTF(0)", 200 * kMs);
  desk.limited(1, 8'000'000, 10 * kMs, true);
  desk.enter(desk.add(2, 9'000'000));
  for (std::uint16_t tag = 3; tag < kTags; ++tag) desk.enter(desk.add(tag, 100u * tag));
  std::vector<Tag> far;
  while (desk.now < 1'000 * kMs && far.size() < 2) {
    const Tag tag = desk.serve();
    if (tag.value < 3)
      far.push_back(tag);
    else
      desk.enter(desk.add(tag.value, 100u * tag.value, desk.now));
  }
  EXPECT_EQ(far, (std::vector<Tag>{Tag(1), Tag(2)}));
  EXPECT_GT(desk.now, 200 * kMs);
  EXPECT_LT(desk.now, 300 * kMs);
}

TEST(LimitedPolicy, AGuidelineCostsNoMoreThanItsShare) {
  for (const std::uint16_t permille : {std::uint16_t{0}, std::uint16_t{10}, std::uint16_t{200}}) {
    Desk desk;
    desk.now = 1;
    Picoseconds lost = 0;
    std::uint32_t first = 0;
    std::uint32_t random = 3;
    const auto place = [&] {
      random = random * 1'664'525u + 1'013'904'223u;
      return std::uint64_t{random >> 8} % 17'000'000;
    };
    for (std::uint16_t tag = 2; tag < kTags; ++tag) desk.enter(desk.add(tag, place()));
    desk.limited(1, place(), 1, true, permille);  // always late
    constexpr int kDecisions = 3'000;
    for (int i = 0; i < kDecisions; ++i) {
      const Tag tag = desk.pick();
      const auto cost = [&](Tag of) {
        const Command& c = desk.commands[of.value];
        return desk.planner.estimate(desk.head, c.extent, desk.now, 0, 0).positioning();
      };
      if (tag == Tag(1)) {
        Picoseconds least = cost(tag);
        for (std::uint16_t other = 2; other < kTags; ++other) least = std::min(least, cost(Tag(other)));
        lost += cost(tag) - least;
        ++first;
      }
      desk.serve();
      if (tag == Tag(1))
        desk.limited(1, place(), 1, true, permille);
      else
        desk.enter(desk.add(tag.value, place(), desk.now));
    }
    const Picoseconds longest = desk.planner.longest_hop();
    EXPECT_LE(lost, desk.now / 1000 * permille + longest) << permille;
    if (permille == 200) {
      EXPECT_GT(lost, desk.now / 10) << "the share is used";
      EXPECT_GT(first, 500u);
    }
  }
}

TEST(LimitedPolicy, DecisionsAreChargedForEveryCommand) {
  Desk desk;
  desk.limited(1, 100, 10'000 * kMs);
  desk.limited(2, 200, 10'000 * kMs);
  desk.enter(desk.add(3, 300));
  // Each limited one twice here, and twice as a deadline of its own (OwnDeadlines).
  EXPECT_EQ(desk.scheduler->work(desk.head).candidates, 1u + 2 * 2 + 2 * 2);
}

TEST(LimitWindow, ItIsAsWideAsTheQueueTakes) {
  LimitWindow window;
  Command command;
  command.deadline = 100 * kMs;
  EXPECT_FALSE(window.reached(command, 8, 50 * kMs)) << "no access is known yet";
  window.served(0, 4);
  window.served(10 * kMs, 4);
  EXPECT_EQ(window.width(5), 50 * kMs);
  EXPECT_TRUE(window.reached(command, 5, 50 * kMs));
  EXPECT_FALSE(window.reached(command, 5, 49 * kMs));
  window.served(20 * kMs, 0);
  window.served(900 * kMs, 4);  // the queue was empty in between
  EXPECT_EQ(window.width(1), 10 * kMs);
  window.withdrawn(0);
  window.served(9'000 * kMs, 4);  // and again, because the last command was withdrawn
  EXPECT_EQ(window.width(1), 10 * kMs);
}

}  // namespace
}  // namespace platter::scheduling
