// SPDX-License-Identifier: Apache-2.0
//
// The search of SPTF, which goes outward from the arm, against one through all commands in the order of their age.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "drives.h"
#include "platter/scheduling/continuous_sweep.h"
#include "platter/scheduling/cylinder_index.h"
#include "platter/scheduling/policies.h"
#include "platter/scheduling/weight.h"
#include "platter/system/drives.h"

namespace platter::scheduling {
namespace {

using core::kPicosecondsPerMillisecond;
using core::Lba;

constexpr std::size_t kTags = 256;
constexpr Picoseconds kBound = 20'000'000;

/// Every command is looked at; of equals the oldest is taken.
class FullSearch {
 public:
  FullSearch(const AccessPlanner& planner, const PolicySpec& policy)
      : planner_(planner), mode_(policy.row->guard), weight_(policy.parameters.weight), sweep_(planner, kTags, kBound) {}

  void insert(const Command& command) {
    commands_.insert(std::upper_bound(commands_.begin(), commands_.end(), &command,
                                      [](const Command* a, const Command* b) { return older(*a, *b); }),
                     &command);
    if (mode_ != GuardMode::None && command.cls == RequestClass::Continuous) sweep_.insert(command);
  }
  void remove(Tag tag) {
    commands_.erase(std::find_if(commands_.begin(), commands_.end(), [tag](const Command* c) { return c->tag == tag; }));
    sweep_.remove(tag);
  }
  /// The command, and whether it is forced.
  std::pair<Tag, bool> pick(const HeadState& head, Picoseconds now) {
    const bool guarded = !sweep_.empty();
    if (guarded) sweep_.prepare(head);
    const Command* best = nullptr;
    Picoseconds best_time = 0;
    for (const Command* command : commands_) {
      if (guarded && mode_ == GuardMode::NextContinuous && sweep_.contains(command->tag) && command != &sweep_.first())
        continue;
      const AccessTime access = planner_.estimate(head, command->extent, now, command->data_ready, command->overhead_end);
      const Picoseconds time = access.positioning() - weight_.of(now - command->arrival);
      if (best != nullptr && time >= best_time) continue;
      if (guarded && !sweep_.allows(*command, access.to_first(), now, head.bus_free)) continue;
      best = command;
      best_time = time;
    }
    if (best != nullptr) return {best->tag, false};
    const Command& first = sweep_.first();
    const AccessTime access = planner_.estimate(head, first.extent, now, first.data_ready, first.overhead_end);
    return {first.tag, !sweep_.allows(first, access.to_first(), now, head.bus_free)};
  }

 private:
  const AccessPlanner& planner_;
  GuardMode mode_;
  Weight weight_;
  ContinuousSweep sweep_;
  std::vector<const Command*> commands_;
};

struct Case {
  const char* policy;
  const char* drive;
  std::size_t depth;
  std::uint64_t span;  ///< sectors; 0: the whole drive

  friend std::ostream& operator<<(std::ostream& out, const Case& c) {
    return out << c.policy << " on " << c.drive << ", " << c.depth;
  }
};

class SptfSearch : public ::testing::TestWithParam<Case> {};

TEST_P(SptfSearch, DecidesAsASearchThroughAll) {
  profile::DriveProfile profile =
      std::string(GetParam().drive) == "small" ? testing::small_drive() : system::load_drive(GetParam().drive);
  const AccessPlanner planner(profile);
  const PolicySpec policy = *find_policy(GetParam().policy);
  const auto scheduler = policy.create({planner, kTags, kBound});
  FullSearch full(planner, policy);
  std::mt19937_64 random(GetParam().depth);
  std::vector<Command> commands(kTags);
  std::vector<std::uint16_t> used;
  std::vector<std::uint16_t> free;
  for (std::uint16_t tag = 0; tag < kTags; ++tag) free.push_back(tag);
  const std::uint64_t span = GetParam().span != 0 ? GetParam().span : planner.geometry().block_count();
  HeadState head{core::Cylinder(0), core::Head(0), false};
  Picoseconds now = 0;
  std::uint64_t sequence = 0;
  std::uint64_t forced = 0;
  const int decisions = 100'000;  // a case; a million over the ten cases
  for (int i = 0; i < decisions; ++i) {
    while (used.size() < GetParam().depth) {
      const std::size_t at = random() % free.size();
      Command& command = commands[free[at]];
      command = {};
      command.tag = Tag(free[at]);
      command.sequence = sequence++;
      command.arrival = now;
      const bool write = random() % 3 == 0;
      const std::uint32_t blocks = 1 + static_cast<std::uint32_t>(random() % std::min<std::uint64_t>(16, span / 2));
      command.extent = planner.resolve(Lba(random() % (span - blocks + 1)), blocks, write);
      if (write && random() % 2 == 0)
        command.data_ready = now + static_cast<Picoseconds>(random() % 3) * kPicosecondsPerMillisecond;
      command.overhead_end = now + static_cast<Picoseconds>(random() % 1000) * 1'000'000;
      if (random() % 8 == 0) {
        command.cls = RequestClass::Continuous;
        command.deadline = now + static_cast<Picoseconds>(1 + random() % 400) * kPicosecondsPerMillisecond;
      }
      scheduler->insert(command);
      full.insert(command);
      used.push_back(free[at]);
      free.erase(free.begin() + static_cast<std::ptrdiff_t>(at));
    }
    ASSERT_FALSE(scheduler->empty());
    ASSERT_EQ(scheduler->work(head).candidates, used.size()) << "the firmware looks at all of them";
    const Decision decision = scheduler->pick(head, now);
    const auto [tag, is_forced] = full.pick(head, now);
    ASSERT_EQ(decision.tag, tag) << "decision " << i;
    ASSERT_EQ(decision.forced, is_forced) << "decision " << i;
    forced += is_forced;
    // Nearly always carried out; sometimes the arm is taken elsewhere.
    now +=
        planner.commit(head, commands[tag.value].extent, now, commands[tag.value].data_ready, commands[tag.value].overhead_end)
            .total();
    if (random() % 50 == 0)
      head.cylinder = core::Cylinder(static_cast<std::uint32_t>(random() % planner.geometry().cylinders()));
    scheduler->remove(tag);
    full.remove(tag);
    used.erase(std::find(used.begin(), used.end(), tag.value));
    free.push_back(tag.value);
  }
  RecordProperty("forced", std::to_string(forced));
}

INSTANTIATE_TEST_SUITE_P(All, SptfSearch,
                         ::testing::Values(Case{"SPTF", "cheetah9lp", 32, 0}, Case{"SPTF", "cheetah9lp", 256, 0},
                                           Case{"SPTF", "atlas10k", 128, 0}, Case{"SPTF", "atlas10k", 64, 20'000},
                                           Case{"SPTF", "small", 32, 0}, Case{"SPTF(next-C)", "cheetah9lp", 64, 0},
                                           Case{"SPTF(next-C)", "small", 200, 0}, Case{"SPTF(unguarded)", "atlas10k", 250, 0},
                                           Case{"ASPTF(0.02)", "cheetah9lp", 64, 0}, Case{"SPTF", "hp_c2247a", 100, 0}));

TEST(SptfSearch, LeastMovesHoldForEveryDrive) {
  std::mt19937_64 random(5);
  for (const system::ShippedDrive& shipped : system::shipped_drives()) {
    const AccessPlanner planner(system::load_drive(shipped.name));
    const LeastMoves least(planner);
    const std::uint32_t cylinders = planner.geometry().cylinders();
    Picoseconds before = 0;
    for (std::uint32_t distance = 0; distance < cylinders; ++distance) {
      ASSERT_GE(least(distance), before) << shipped.name << ", " << distance;
      before = least(distance);
      for (const bool write : {false, true}) {
        Picoseconds seek = 0;
        Picoseconds settle = 0;
        const core::Head head(static_cast<std::uint32_t>(random() % 2));
        planner.move(core::Cylinder(0), core::Head(0), core::Cylinder(distance), head, write, seek, settle);
        ASSERT_LE(least(distance), seek + settle) << shipped.name << ", " << distance;
      }
    }
  }
}

}  // namespace
}  // namespace platter::scheduling
