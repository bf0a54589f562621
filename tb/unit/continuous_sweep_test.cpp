// SPDX-License-Identifier: Apache-2.0
#include "platter/scheduling/continuous_sweep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "drives.h"
#include "platter/scheduling/policies.h"
#include "platter/system/drives.h"
#include "policy_rig.h"

namespace platter::scheduling {
namespace {

using core::Cylinder;
using core::Head;
using core::kPicosecondsPerMillisecond;
using core::kPicosecondsPerSecond;
using core::Lba;

constexpr Picoseconds kBound = 13'000'000;

profile::DriveProfile atlas(double bus_block_us = 6.4) {
  profile::DriveProfile drive = system::load_drive("atlas10k");
  drive.bus_read_block_us = drive.bus_write_block_us = bus_block_us;
  return drive;
}

/// The cost of a sweep, added up one command after the other.
class Explicit {
 public:
  explicit Explicit(const AccessPlanner& planner) : planner_(planner) {}

  /// From the first transfer's start until the mechanics, and but for one block the bus, are done with the last.
  Picoseconds sweep(const std::vector<const Command*>& order) const {
    Picoseconds sum = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i > 0) sum += planner_.onward(order[i - 1]->extent, order[i]->extent, kBound);
      sum += node(*order[i]);
    }
    return sum;
  }

  /// Candidate first, then what is left of the sweep.
  Picoseconds need(const Command& candidate, Picoseconds positioning, std::vector<const Command*> order) const {
    order.erase(std::remove(order.begin(), order.end(), &candidate), order.end());
    order.insert(order.begin(), &candidate);
    return positioning + sweep(order);
  }

  Picoseconds node(const Command& command) const {
    Picoseconds time = command.extent.transfer;
    if (planner_.bus_block_time(false) > 0) time = std::max(time, command.extent.bus_finish - planner_.bus_block_time(false));
    return time;
  }

 private:
  const AccessPlanner& planner_;
};

struct Fixture {
  explicit Fixture(const profile::DriveProfile& profile, std::uint64_t seed)
      : planner(profile), random(seed), explicit_sum(planner) {
    commands.reserve(256);
  }

  Command& add(RequestClass cls, std::uint32_t longest, Picoseconds deadline, bool write = false) {
    Command command;
    command.tag = Tag(static_cast<std::uint16_t>(commands.size()));
    command.sequence = commands.size();
    command.cls = cls;
    command.deadline = deadline;
    const auto blocks = static_cast<std::uint32_t>(1 + random() % longest);
    command.extent = planner.resolve(Lba(random() % (planner.geometry().block_count() - blocks + 1)), blocks, write);
    commands.push_back(command);
    return commands.back();
  }

  HeadState random_head() {
    return {Cylinder(static_cast<std::uint32_t>(random() % planner.geometry().cylinders())),
            Head(static_cast<std::uint32_t>(random() % planner.geometry().surfaces())), random() % 2 == 0};
  }

  static void sort(std::vector<const Command*>& order, bool upward) {
    std::stable_sort(order.begin(), order.end(), [upward](const Command* a, const Command* b) {
      const auto x = a->extent.cylinder;
      const auto y = b->extent.cylinder;
      if (x != y) return upward ? x < y : y < x;
      return a->sequence < b->sequence;
    });
  }

  static bool starts_low(const std::vector<const Command*>& set, const HeadState& head) {
    std::uint32_t low = ~0u;
    std::uint32_t high = 0;
    for (const Command* c : set) {
      low = std::min(low, c->extent.cylinder.value);
      high = std::max(high, c->extent.cylinder.value);
    }
    const auto distance = [&head](std::uint32_t c) {
      return std::abs(static_cast<std::int64_t>(c) - static_cast<std::int64_t>(head.cylinder.value));
    };
    return distance(low) <= distance(high);
  }

  AccessPlanner planner;
  std::mt19937_64 random;
  Explicit explicit_sum;
  std::vector<Command> commands;
};

struct GuardCoverage {
  int exact = 0;
  int with_shortfall = 0;
};

/// Random rounds with random removals and late arrivals; after each step every candidate's answer is compared with the explicit sum.
GuardCoverage compare_guard(const profile::DriveProfile& profile, int rounds, std::uint32_t longest, bool writes,
                            std::uint64_t seed) {
  GuardCoverage coverage;
  Fixture f(profile, seed);
  for (int round = 0; round < rounds && !::testing::Test::HasFailure(); ++round) {
    f.commands.clear();
    ContinuousSweep sweep(f.planner, 256, kBound);
    std::vector<const Command*> set;
    const Picoseconds deadline = kPicosecondsPerSecond;
    const auto insert = [&] {
      const bool write = writes && f.random() % 3 == 0;
      const Command& command = f.add(RequestClass::Continuous, longest, deadline, write);
      sweep.insert(command);
      set.push_back(&command);
    };
    const std::size_t count = 1 + f.random() % 20;
    for (std::size_t i = 0; i < count; ++i) insert();
    const HeadState head = f.random_head();
    const bool upward = Fixture::starts_low(set, head);
    bool first = true;
    while (!set.empty()) {
      Fixture::sort(set, upward);
      sweep.prepare(first ? head : f.random_head());  // the first settles the direction
      first = false;
      std::vector<Tag> tags;
      for (const Command* c : set) tags.push_back(c->tag);
      EXPECT_EQ(sweep.order(), tags);
      EXPECT_EQ(sweep.size(), set.size());
      EXPECT_EQ(&sweep.first(), set.front());

      // Taking a command out may make the sweep longer: then the sums may only be too large.
      const Picoseconds whole = f.explicit_sum.sweep(set);
      bool shortfall = false;
      for (std::size_t i = 1; i < set.size(); ++i) {
        std::vector<const Command*> without = set;
        without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
        shortfall |= f.explicit_sum.sweep(without) > whole;
      }
      EXPECT_GE(sweep.sweep(), whole);
      EXPECT_TRUE(shortfall || sweep.sweep() == whole);

      std::vector<const Command*> candidates = set;
      const std::size_t kept = f.commands.size();
      for (int i = 0; i < 3; ++i) candidates.push_back(&f.add(RequestClass::Discrete, longest, kNoDeadline, i == 0));
      for (const Command* c : candidates) {
        const auto positioning = static_cast<Picoseconds>(f.random() % 15'000'000'000);
        const Picoseconds need = f.explicit_sum.need(*c, positioning, set);
        const Picoseconds last = deadline - f.planner.bus_block_time(false) - need;  // latest time at which it still fits
        EXPECT_FALSE(sweep.allows(*c, positioning, last + 1, 0)) << "more permissive than the explicit sum";
        EXPECT_TRUE(shortfall || sweep.allows(*c, positioning, last, 0));
        ++(shortfall ? coverage.with_shortfall : coverage.exact);
      }
      f.commands.resize(kept);
      const std::size_t victim = f.random() % 3 == 0 ? 0 : f.random() % set.size();
      sweep.remove(set[victim]->tag);
      EXPECT_FALSE(sweep.contains(set[victim]->tag));
      set.erase(set.begin() + static_cast<std::ptrdiff_t>(victim));
      if (!set.empty() && f.commands.size() < 30 && f.random() % 5 == 0) insert();
    }
    EXPECT_TRUE(sweep.empty());
    EXPECT_EQ(sweep.deadline(), kNoDeadline);
  }
  return coverage;
}

TEST(ContinuousSweep, GuardEqualsTheExplicitSumOnTheAtlas10K) {
  EXPECT_GT(compare_guard(atlas(), 1200, 600, false, 31).exact, 100'000);
}

TEST(ContinuousSweep, GuardEqualsTheExplicitSumWhereTheBusIsSlow) {
  EXPECT_GT(compare_guard(atlas(99.0), 100, 600, false, 32).exact, 3000);
}

TEST(ContinuousSweep, GuardIsNeverMorePermissiveWhereATakenOutCommandMakesTheSweepLonger) {
  // Reads after writes cost less than reads after reads here, and short accesses lie close together.
  profile::DriveProfile drive = testing::small_drive();
  drive.overhead.read_miss_us = {3000, 0};
  drive.overhead.write_us = {0, 0};
  drive.write_settle_us = -800;
  const GuardCoverage coverage = compare_guard(drive, 300, 3, true, 33);
  EXPECT_GT(coverage.with_shortfall, 1000);
  EXPECT_GT(coverage.exact, 1000);
}

TEST(ContinuousSweep, StartsAtTheNearerExtremeAndKeepsItsDirection) {
  const AccessPlanner planner(testing::line_drive(100));
  std::vector<Command> commands(100);
  const auto command = [&](std::uint32_t cylinder) -> const Command& {
    Command& c = commands[cylinder];
    c.tag = Tag(static_cast<std::uint16_t>(cylinder));
    c.sequence = cylinder;
    c.cls = RequestClass::Continuous;
    c.deadline = 1000;
    c.extent = planner.resolve(Lba(cylinder), 1, false);
    return c;
  };
  const auto order = [](const ContinuousSweep& sweep) {
    std::vector<int> tags;
    for (const Tag tag : sweep.order()) tags.push_back(tag.value);
    return tags;
  };
  const auto head = [](std::uint32_t cylinder) { return HeadState{Cylinder(cylinder), Head(0), false}; };
  ContinuousSweep sweep(planner, 100, kBound);
  for (const unsigned cylinder : {50u, 20u, 70u}) sweep.insert(command(cylinder));
  sweep.prepare(head(46));
  EXPECT_EQ(order(sweep), (std::vector{70, 50, 20}));  // 24 away from 70, 26 from 20
  sweep.insert(command(10));
  sweep.insert(command(90));
  sweep.prepare(head(12));
  EXPECT_EQ(order(sweep), (std::vector{90, 70, 50, 20, 10}));
  for (const unsigned cylinder : {90u, 50u, 10u, 20u, 70u}) sweep.remove(commands[cylinder].tag);
  EXPECT_TRUE(sweep.empty());
  for (const unsigned cylinder : {50u, 20u, 70u}) sweep.insert(command(cylinder));
  sweep.prepare(head(45));  // equally near: upward
  EXPECT_EQ(order(sweep), (std::vector{20, 50, 70}));
}

TEST(ContinuousSweep, DeadlineIsTheEarliest) {
  Fixture f(testing::small_drive(), 34);
  ContinuousSweep sweep(f.planner, 256, kBound);
  EXPECT_EQ(sweep.deadline(), kNoDeadline);
  const Picoseconds deadlines[] = {500, 300, 700, 300};
  for (const Picoseconds deadline : deadlines) sweep.insert(f.add(RequestClass::Continuous, 5, deadline));
  EXPECT_EQ(sweep.deadline(), 300);
  EXPECT_EQ(sweep.slack(100, 0), 200 - f.planner.bus_block_time(false));
  EXPECT_LT(sweep.slack(1000, 0), 0);
  sweep.remove(Tag(1));
  EXPECT_EQ(sweep.deadline(), 300);
  sweep.remove(Tag(3));
  EXPECT_EQ(sweep.deadline(), 500);
  sweep.prepare(f.random_head());
  sweep.remove(Tag(0));
  EXPECT_EQ(sweep.deadline(), 700);
  sweep.remove(Tag(0));  // is not there
  EXPECT_EQ(sweep.size(), 1u);
  sweep.remove(Tag(2));
  EXPECT_EQ(sweep.deadline(), kNoDeadline);
}

// --- a busy round under guarded SPTF -------------------------------------------------------------------------------

struct Round {
  int late = 0;
  int forced = 0;
  int discrete_before_the_last = 0;  ///< discrete commands served before the last continuous one
  Picoseconds spare = kNoDeadline;   ///< least time between a completion and its deadline
  std::vector<Tag> continuous_order;
};

/// 25 continuous reads and always 7 discrete reads waiting, a random decision time before each access. Time left to the
/// deadline when the round starts: what the sweep needs by the explicit sum, and `extra`.
Round run_round(const char* policy, const profile::DriveProfile& profile, Picoseconds extra, std::uint64_t seed) {
  Fixture f(profile, seed);
  const auto scheduler = find_policy(policy)->create({f.planner, 32, kBound});
  std::vector<Command> slots(32);
  const auto fill = [&](std::size_t tag, RequestClass cls) {
    f.commands.clear();
    slots[tag] = f.add(cls, cls == RequestClass::Continuous ? 600 : 300, kNoDeadline);
    slots[tag].tag = Tag(static_cast<std::uint16_t>(tag));
  };
  std::vector<const Command*> set;
  for (std::size_t i = 0; i < 32; ++i) {
    fill(i, i < 25 ? RequestClass::Continuous : RequestClass::Discrete);
    slots[i].sequence = i;
    if (i < 25) set.push_back(&slots[i]);
  }
  HeadState head = f.random_head();
  Picoseconds now = static_cast<Picoseconds>(f.random() % kPicosecondsPerSecond) + kBound;
  Fixture::sort(set, Fixture::starts_low(set, head));
  const Picoseconds deadline = now + f.planner.estimate(head, set.front()->extent, now).to_first() + f.explicit_sum.sweep(set) +
                               f.planner.bus_block_time(false) + extra;
  for (std::size_t i = 0; i < 25; ++i) slots[i].deadline = deadline;
  for (const Command& command : slots) scheduler->insert(command);

  Round round;
  Picoseconds bus_free = 0;
  std::uint64_t sequence = 32;
  for (int left = 25; left > 0;) {
    const Decision decision = testing::settled(*scheduler, head, now);
    EXPECT_EQ(decision.kind, Decision::Kind::Serve);
    Command& command = slots[decision.tag.value];
    round.forced += decision.forced;
    const AccessTime time = f.planner.commit(head, command.extent, now);
    // Blocks follow the media over the bus.
    bus_free = std::max(bus_free + f.planner.bus_block_time(false) * command.extent.blocks,
                        now + time.positioning() + time.bus_finish);
    head.bus_free = bus_free;
    now += time.total();
    scheduler->remove(decision.tag);
    if (command.cls == RequestClass::Continuous) {
      --left;
      const Picoseconds completed = std::max(now, bus_free);
      round.late += completed > deadline;
      round.spare = std::min(round.spare, deadline - completed);
      round.continuous_order.push_back(decision.tag);
      EXPECT_GE(left, 0);
    } else {
      ++round.discrete_before_the_last;
      fill(decision.tag.value, RequestClass::Discrete);
      command.sequence = sequence++;
      scheduler->insert(command);
    }
    now += static_cast<Picoseconds>(f.random() % (kBound + 1));
  }
  return round;
}

/// Late completions in 40 rounds for each of these times left over.
int late_rounds(const char* policy, const profile::DriveProfile& profile) {
  int late = 0;
  for (const Picoseconds extra : {Picoseconds{0}, kPicosecondsPerMillisecond, 100 * kPicosecondsPerMillisecond})
    for (std::uint64_t seed = 1; seed <= 40; ++seed) late += run_round(policy, profile, extra, seed).late;
  return late;
}

class BusyRound : public ::testing::TestWithParam<const char*> {};

TEST_P(BusyRound, MissesNoDeadlineHoweverTight) {
  for (const Picoseconds extra : {Picoseconds{0}, kPicosecondsPerMillisecond, 10 * kPicosecondsPerMillisecond,
                                  100 * kPicosecondsPerMillisecond, 600 * kPicosecondsPerMillisecond}) {
    Round all;
    Picoseconds spare = kNoDeadline;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      const Round round = run_round(GetParam(), atlas(), extra, seed);
      all.late += round.late;
      all.discrete_before_the_last += round.discrete_before_the_last;
      spare = std::min(spare, round.spare);
    }
    EXPECT_EQ(all.late, 0) << extra;
    EXPECT_GE(spare, 0) << extra;
    // Hardly any discrete command fits where nothing is left; what is left goes to them.
    if (extra == 0) {
      EXPECT_LT(all.discrete_before_the_last, 40 * 5);
    }
    if (extra >= 100 * kPicosecondsPerMillisecond) {
      EXPECT_GT(all.discrete_before_the_last, 40 * 10);
    }
  }
}

TEST_P(BusyRound, MissesNoDeadlineBehindASlowBus) {
  // A little slower than the media, and the bus of the rig on which the drive was measured: blocks pile up before it.
  for (const double block_time_us : {25.0, 31.0, 40.0, 99.0}) EXPECT_EQ(late_rounds(GetParam(), atlas(block_time_us)), 0);
}

TEST_P(BusyRound, WithoutEnoughTimeTheSweepIsForcedInOrder) {
  const Round round = run_round(GetParam(), atlas(), -50 * kPicosecondsPerMillisecond, 1);
  EXPECT_EQ(round.forced, 25);
  EXPECT_EQ(round.discrete_before_the_last, 0);
  // The same round under the sweep alone.
  Fixture f(atlas(), 1);
  std::vector<Command> slots;
  for (std::size_t i = 0; i < 32; ++i) {
    f.commands.clear();
    slots.push_back(f.add(i < 25 ? RequestClass::Continuous : RequestClass::Discrete, i < 25 ? 600 : 300, kNoDeadline));
    slots.back().tag = Tag(static_cast<std::uint16_t>(i));
    slots.back().sequence = i;
  }
  std::vector<const Command*> set;
  for (std::size_t i = 0; i < 25; ++i) set.push_back(&slots[i]);
  Fixture::sort(set, Fixture::starts_low(set, f.random_head()));
  std::vector<Tag> sweep;
  for (const Command* c : set) sweep.push_back(c->tag);
  EXPECT_EQ(round.continuous_order, sweep);
}

TEST(ContinuousSweep, WithoutTheGuardTheseRoundsMissDeadlines) {
  int late = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    late += run_round("SPTF(unguarded)", atlas(), kPicosecondsPerMillisecond, seed).late;
  EXPECT_GT(late, 0);  // so the rounds above are hard enough to need the guard
}

INSTANTIATE_TEST_SUITE_P(ContinuousSweep, BusyRound,
                         ::testing::Values("SPTF", "SPTF(next-C)", "ASPTF(0.01)", "OPS:SCAN/CI-SPTF", "OPS:SCAN/CI-OPT(6)",
                                           "OPS:SCAN/CLUST-REQ(6)", "OPS:SCAN/CLUST-CYL(6|1000)"));

TEST(ContinuousSweep, NextContinuousServesTheSweepInOrder) {
  const Round round = run_round("SPTF(next-C)", atlas(), 300 * kPicosecondsPerMillisecond, 5);
  const Round forced = run_round("SPTF(next-C)", atlas(), -50 * kPicosecondsPerMillisecond, 5);
  EXPECT_EQ(round.continuous_order, forced.continuous_order);
  EXPECT_GT(round.discrete_before_the_last, 0);
  const Round pooled = run_round("SPTF", atlas(), 300 * kPicosecondsPerMillisecond, 5);
  EXPECT_NE(pooled.continuous_order, forced.continuous_order);
}

}  // namespace
}  // namespace platter::scheduling
