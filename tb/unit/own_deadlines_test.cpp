// SPDX-License-Identifier: Apache-2.0
//
// Discrete deadlines of 20 ms among the streams of a round of one second, policy by policy: no stream hiccups, no deadline that could be kept alone is
// missed, and none takes a decision that it did not need.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "../sanitized.h"
#include "drives.h"
#include "platter/scheduling/own_deadlines.h"
#include "platter/scheduling/policies.h"
#include "platter/system/drives.h"

namespace platter::scheduling {
namespace {

using core::kPicosecondsPerMillisecond;
using core::kPicosecondsPerSecond;
using core::Lba;

constexpr std::size_t kTags = 256;
constexpr Picoseconds kBound = 50'000'000;
constexpr Picoseconds kOwn = 20 * kPicosecondsPerMillisecond;

/// A drive that is asked and served, without a simulation.
class Disk {
 public:
  struct Outcome {
    std::uint32_t hiccups = 0;
    std::uint32_t own =
        0;  ///< discrete commands with a deadline that would be in time if they were served when they are first seen
    std::uint32_t own_late = 0;       ///< of them
    std::uint32_t with_deadline = 0;  ///< discrete commands served that have one
    std::uint32_t forced = 0;
    std::uint32_t needless =
        0;  ///< decisions that were forced although the policy's own choice would have left the command in time
  };

  Disk(const std::string& policy, std::uint32_t own_every, std::uint64_t seed)
      : planner_(system::load_drive("atlas10k")),
        scheduler_(find_policy(policy)->create({planner_, kTags, kBound})),
        random_(seed),
        own_every_(own_every) {
    for (std::uint16_t tag = 0; tag < kTags; ++tag) free_.push_back(tag);
  }

  Outcome run(std::uint32_t rounds) {
    Outcome outcome;
    const Picoseconds end = rounds * kPicosecondsPerSecond;
    while (now_ < end) {
      arrive();
      see();
      Decision decision;
      do {
        scheduler_->work(head_);
        decision = scheduler_->pick(head_, now_);
      } while (decision.kind == Decision::Kind::Again);
      if (decision.kind == Decision::Kind::Idle) {
        now_ = std::min({next_round_, next_discrete_, std::max(decision.until, now_ + 1)});
        continue;
      }
      serve(decision, outcome);
    }
    return outcome;
  }

 private:
  void arrive() {
    for (; next_round_ <= now_; next_round_ += kPicosecondsPerSecond)
      for (std::uint32_t stream = 0; stream < 15; ++stream) {
        Command command = make(next_round_, 100 + random_() % 200, false);
        command.cls = RequestClass::Continuous;
        command.stream = stream;
        command.deadline = next_round_ + kPicosecondsPerSecond;
        insert(command);
      }
    while (next_discrete_ <= now_ && free_.size() > 40) {
      Command command = make(next_discrete_, 1 + random_() % 60, random_() % 4 == 0);
      if (own_every_ > 0 && ++discrete_ % own_every_ == 0) command.deadline = next_discrete_ + kOwn;
      insert(command);
      next_discrete_ += static_cast<Picoseconds>(5 + random_() % 55) * kPicosecondsPerMillisecond;
    }
  }

  /// Which of the deadlines that are new can be met?
  void see() {
    const Picoseconds bounds = planner_.rotation().period() + kBound;
    for (const Tag tag : new_) {
      HeadState head = head_;
      possible_[tag.value] = finish(head, commands_[tag.value], now_) + bounds <= commands_[tag.value].deadline;
    }
    new_.clear();
  }

  Command make(Picoseconds arrival, std::uint64_t blocks, bool write) {
    Command command;
    command.sequence = sequence_++;
    command.arrival = arrival;
    command.extent = planner_.resolve(Lba(random_() % (planner_.geometry().block_count() - blocks)),
                                      static_cast<std::uint32_t>(blocks), write);
    return command;
  }
  void insert(Command command) {
    command.tag = Tag(free_.back());
    free_.pop_back();
    commands_[command.tag.value] = command;
    waiting_.push_back(command.tag);
    new_.push_back(command.tag);
    scheduler_->insert(commands_[command.tag.value]);
  }

  Picoseconds finish(HeadState& head, const Command& command, Picoseconds now) const {
    return now + planner_.commit(head, command.extent, now, command.data_ready, command.overhead_end).total();
  }

  void serve(const Decision& decision, Outcome& outcome) {
    const Command command = commands_[decision.tag.value];
    if (decision.forced) {
      ++outcome.forced;
      // Behind whatever else waits it would have been late, but for the bounds: a turn, a decision, the last block on the bus.
      const Picoseconds bounds =
          planner_.rotation().period() + kBound + planner_.bus_block_time(false) * Picoseconds{command.extent.blocks + 1};
      const auto late_behind = [&](Tag other) {
        if (other == decision.tag) return false;
        HeadState head = head_;
        const Picoseconds then = finish(head, commands_[other.value], now_);
        return finish(head, command, then) + bounds > command.deadline;
      };
      HeadState head = head_;
      const bool late_next_round = finish(head, command, next_round_) + bounds > command.deadline;  // a policy may wait so long
      const bool needed =
          has_own_deadline(command) && (late_next_round || std::any_of(waiting_.begin(), waiting_.end(), late_behind));
      if (!needed) ++outcome.needless;
    }
    now_ = finish(head_, command, now_);
    const bool late = now_ > command.deadline;
    if (command.cls == RequestClass::Continuous) {
      outcome.hiccups += late ? 1 : 0;
    } else if (command.deadline != kNoDeadline && possible_[command.tag.value]) {
      ++outcome.own;
      outcome.own_late += late ? 1 : 0;
    }
    outcome.with_deadline += has_own_deadline(command) ? 1u : 0u;
    scheduler_->remove(decision.tag);
    waiting_.erase(std::find(waiting_.begin(), waiting_.end(), decision.tag));
    free_.push_back(decision.tag.value);
  }

  AccessPlanner planner_;
  std::unique_ptr<SchedulerIf> scheduler_;
  std::mt19937_64 random_;
  std::uint32_t own_every_;
  std::uint32_t discrete_ = 0;
  std::vector<std::uint16_t> free_;
  std::vector<Tag> waiting_;
  std::vector<Tag> new_;
  std::vector<bool> possible_ = std::vector<bool>(kTags);
  std::vector<Command> commands_ = std::vector<Command>(kTags);
  HeadState head_;
  Picoseconds now_ = 0;
  Picoseconds next_round_ = 0;
  Picoseconds next_discrete_ = 0;
  std::uint64_t sequence_ = 0;
};

class OwnDeadlinesOf : public ::testing::TestWithParam<const char*> {};

TEST_P(OwnDeadlinesOf, AreKeptAndNoStreamHiccups) {
  const std::uint32_t rounds = testing::kSanitized ? 60 : 200;
  for (const std::uint32_t every : {1u, 4u}) {
    const Disk::Outcome kept = Disk(GetParam(), every, 3).run(rounds);
    EXPECT_EQ(kept.hiccups, 0u) << "every " << every;
    EXPECT_GT(kept.own, rounds * 10 / every);
    EXPECT_LE(kept.own_late, kept.own / (every == 1 ? 10 : 50))
        << "of " << kept.own << ": two that cannot both be met are not both kept";
    EXPECT_LE(kept.forced, kept.with_deadline);
    EXPECT_EQ(kept.needless, 0u) << "of " << kept.forced;
  }
  const Disk::Outcome without = Disk(GetParam(), 0, 3).run(rounds);
  EXPECT_EQ(without.hiccups, 0u);
  EXPECT_EQ(without.forced, 0u) << "it was the discrete deadlines that took them";
}

INSTANTIATE_TEST_SUITE_P(
    All, OwnDeadlinesOf,
    ::testing::Values("SPTF", "SPTF(next-C)", "ASPTF(0.01)", "OPS:SCAN/CI-SPTF", "OPS:SCAN/CI-OPT(6)", "OPS:SCAN/CLUST-REQ(6)",
                      "OPS:SCAN/CLUST-CYL(6|1000)", "OPS:SLACK(3|1)", "OPS:FAMISH", "OPS:FAMISH(late)"),
    [](const auto& test) {
      std::string name = test.param;
      name.erase(std::remove_if(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }), name.end());
      return name;
    });

TEST(OwnDeadlines, AreOfNoConcernToAPolicyWithoutAGuard) {
  const AccessPlanner planner(testing::small_drive());
  for (const char* policy : {"FCFS", "LOOK", "SPTF(unguarded)", "EDF"}) {
    const auto scheduler = find_policy(policy)->create({planner, 8, 0});
    EXPECT_FALSE(scheduler->keeps_deadlines()) << policy;
    EXPECT_EQ(dynamic_cast<OwnDeadlines*>(scheduler.get()), nullptr) << policy;
  }
}

}  // namespace
}  // namespace platter::scheduling
