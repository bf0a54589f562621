// SPDX-License-Identifier: Apache-2.0
//
// The deadline guard in firmware, whose decisions take time. The guard meets the deadlines to which it has committed, however many commands arrive
// and however late; and which commands it holds back depends on the contents of the queue, not on its size.
#include <random>

#include "testing.h"

namespace platter::testing {
namespace {

using core::Tag;
using scheduling::Command;
using scheduling::Decision;

/// The toy drive with a bus that takes no time.
profile::DriveProfile bare_profile() {
  profile::DriveProfile profile = toy_profile();
  profile.bus_read_block_us = profile.bus_write_block_us = 0;
  return profile;
}

/// An engine with the arm of a drive: rounds of continuous commands, and other commands that arrive at unfavourable times.
class Arm : public sc_core::sc_module, private engine::DecisionSinkIf {
 public:
  SC_HAS_PROCESS(Arm);
  struct Load {
    std::uint32_t depth = 1'100;
    std::uint32_t most = 1'000;  ///< most discrete commands that wait at a time
    std::uint32_t streams = 12;
    Picoseconds round = 120 * kMs;
    int rounds = 200;
    std::uint64_t seed = 1;
  };
  struct Account {
    int promised = 0;  ///< rounds that the guard found time for
    int missed = 0;    ///< continuous commands of these that were late
    int forced = 0;    ///< decisions in these without time even for the sweep
    std::uint64_t continuous = 0;
    std::uint64_t discrete = 0;
    std::uint64_t stalls = 0;
    Picoseconds longest_stall = 0;
  };

  Arm(const sc_core::sc_module_name& name, const std::string& policy, const Load& load)
      : sc_module(name), load_(load), planner_(bare_profile()), random_(load.seed) {
    profile::DriveProfile profile = bare_profile();
    profile.queue_depth = load.depth;
    engine_ = system::engine_factory(engine_options(policy, "firmware", profile))(
        {planner_, load.depth, core::to_picoseconds(1.0 / profile.controller_clock_mhz, kUs)});
    engine_->bind_sink(*this);
    commands_.resize(load.depth);
    for (std::uint32_t tag = load.depth; tag-- > 0;) free_.push_back(static_cast<std::uint16_t>(tag));
    SC_THREAD(run);
  }

  const Account& account() const { return account_; }

 private:
  void run() {
    while (round_ < load_.rounds || open_ > 0) {
      if (engine_->empty()) {
        advance(next_round_);
        continue;
      }
      decision_ = {};
      const Picoseconds asked = now_;
      engine_->decide(head_, now_);
      if (decision_.kind == Decision::Kind::Idle) {
        advance(std::min(decision_.until, next_round_));
        continue;
      }
      judge(effective_ - asked);
      carry_out();
    }
  }

  void decided(const Decision& decision, Picoseconds effective) override {
    decision_ = decision;
    effective_ = effective;
  }

  void judge(Picoseconds stall) {
    if (stall > 0) ++account_.stalls;
    account_.longest_stall = std::max(account_.longest_stall, stall);
    if (open_ == 0) return;
    if (!promised_ && !decision_.forced && clean_) {
      promised_ = true;
      ++account_.promised;
    }
    clean_ = clean_ && !decision_.forced;
    if (promised_) account_.forced += decision_.forced;
  }

  void carry_out() {
    const Command& command = commands_[decision_.tag.value];
    const bool continuous = command.cls == RequestClass::Continuous;
    const Picoseconds end = effective_ + planner_.estimate(head_, command.extent, effective_).total();
    head_ = mechanics::AccessPlanner::end_of(command.extent);
    head_.bus_free = end;
    if (pick(10) != 0) engine_->prepare(head_, end);
    if (pick(2) == 0) {
      // One long decision time before the end, exactly at the end, or at any time.
      const Picoseconds before = pick(8) == 0 ? 0 : pick(8) == 0 ? 1 : pick(2) == 0 ? pick(400) * kUs : pick(6'000) * kUs;
      const Picoseconds when = std::max(effective_, end - before);
      advance(when);
      const std::uint64_t many = pick(40) == 0 ? load_.most : 1 + random_() % 4;
      for (std::uint64_t i = 0; i < many; ++i) insert(false, when);
    }
    advance(end);
    if (continuous) {
      --open_;
      ++account_.continuous;
      if (promised_ && end > command.deadline) ++account_.missed;
    } else {
      --waiting_;
      ++account_.discrete;
    }
    free_.push_back(decision_.tag.value);
  }

  /// Advances to `time`, and begins rounds as they are due.
  void advance(Picoseconds time) {
    while (round_ < load_.rounds && next_round_ <= time) {
      wait_until(next_round_);
      promised_ = false;
      clean_ = open_ == 0;  // a round is left out while commands of the last one remain
      for (std::uint32_t i = 0; i < load_.streams && clean_; ++i) insert(true, now_);
      next_round_ = ++round_ < load_.rounds ? next_round_ + load_.round : core::kNoDeadline;
    }
    ASSERT_NE(time, core::kNoDeadline);
    wait_until(time);
  }

  void wait_until(Picoseconds time) {
    if (time > now_) wait(core::to_sc_time(time - now_));
    now_ = core::now_ps();
  }

  void insert(bool continuous, Picoseconds when) {
    if (!continuous && waiting_ >= load_.most) return;
    ASSERT_FALSE(free_.empty());
    Command& command = commands_[free_.back()];
    command = Command{};
    command.tag = Tag(free_.back());
    free_.pop_back();
    command.sequence = sequence_++;
    command.arrival = when;
    if (continuous) {
      command.cls = RequestClass::Continuous;
      command.deadline = when + load_.round;
      ++open_;
    } else {
      ++waiting_;
    }
    const auto blocks = static_cast<std::uint32_t>(continuous ? 8 + pick(12) : 1 + pick(10));
    command.extent = planner_.resolve(core::Lba(random_() % (kToyBlocks - 20)), blocks, pick(4) == 0);
    engine_->insert(command);
  }

  Picoseconds pick(std::uint64_t below) { return static_cast<Picoseconds>(random_() % below); }

  Load load_;
  mechanics::AccessPlanner planner_;
  std::mt19937_64 random_;
  std::unique_ptr<engine::EngineIf> engine_;
  std::vector<Command> commands_;
  std::vector<std::uint16_t> free_;
  mechanics::HeadState head_{};
  Picoseconds now_ = 0;
  Picoseconds next_round_ = 0;
  Picoseconds effective_ = 0;
  Decision decision_;
  std::uint64_t sequence_ = 0;
  std::uint32_t open_ = 0;     ///< continuous commands
  std::uint32_t waiting_ = 0;  ///< the others
  int round_ = 0;
  bool promised_ = false;
  bool clean_ = true;
  Account account_;
};

std::string name_of_policy(const ::testing::TestParamInfo<const char*>& test) {
  std::string name = test.param;
  name.erase(std::remove_if(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }), name.end());
  return name;
}

class FirmwareGuard : public ::testing::TestWithParam<const char*> {};

TEST_P(FirmwareGuard, AQueueThatFillsUpInTheMiddleOfASweepMissesNoPromisedDeadline) {
  std::vector<std::unique_ptr<Arm>> arms;
  for (const Picoseconds round : {85, 100, 130, 220}) {
    Arm::Load load;
    load.round = round * kMs;
    load.rounds = static_cast<int>(scaled(250));
    load.seed = static_cast<std::uint64_t>(round);
    arms.push_back(std::make_unique<Arm>(("rounds_of_" + std::to_string(round)).c_str(), GetParam(), load));
  }
  sc_core::sc_start();
  Arm::Account sum;
  for (const auto& arm : arms) {
    const Arm::Account& account = arm->account();
    EXPECT_EQ(account.missed, 0) << arm->name();
    EXPECT_EQ(account.forced, 0) << arm->name();
    sum.promised += account.promised;
    sum.discrete += account.discrete;
    sum.stalls += account.stalls;
  }
  EXPECT_GT(sum.promised, static_cast<int>(scaled(400)));
  EXPECT_GT(sum.discrete, scaled(2'000));
  EXPECT_GT(sum.stalls, scaled(2'000)) << "decisions for which the arm waited";
}

TEST_P(FirmwareGuard, HoldsBackNothingForCommandsThatAreNotThere) {
  Arm::Load load;
  load.most = 40;
  load.rounds = static_cast<int>(scaled(100));
  load.seed = 7;
  load.depth = 64;
  Arm of_64("of_64", GetParam(), load);
  load.depth = 1'024;
  Arm of_1024("of_1024", GetParam(), load);
  sc_core::sc_start();
  const Arm::Account& shallow = of_64.account();
  const Arm::Account& deep = of_1024.account();
  EXPECT_EQ(shallow.discrete, deep.discrete);
  EXPECT_EQ(shallow.promised, deep.promised);
  EXPECT_EQ(shallow.stalls, deep.stalls);
  EXPECT_EQ(shallow.longest_stall, deep.longest_stall);
}

INSTANTIATE_TEST_SUITE_P(Policies, FirmwareGuard,
                         ::testing::Values("SPTF", "SPTF(next-C)", "ASPTF(0.05)", "OPS:SCAN/CI-SPTF", "OPS:SCAN/CI-OPT(6)",
                                           "OPS:SCAN/CI-OPT(9)", "OPS:SCAN/CLUST-REQ(6)", "OPS:SCAN/CLUST-REQ(9)",
                                           "OPS:SCAN/CLUST-CYL(6|20)", "OPS:FAMISH", "OPS:FAMISH(late)", "OPS:SLACK(4|0.5)"),
                         name_of_policy);

}  // namespace
}  // namespace platter::testing
