// SPDX-License-Identifier: Apache-2.0
//
// Decisions are calculated while the mechanics work: when the actuator waits for one, and for how long.
#include "testing.h"

#include <algorithm>

#include "platter/core/random.h"

namespace platter::testing {
namespace {

constexpr Picoseconds us(double value) { return core::to_picoseconds(value, kUs); }

/// Time that the toy drive's firmware needs to choose among this many commands.
constexpr Picoseconds decision(std::uint32_t candidates) { return (120 + 60 * Picoseconds{candidates}) * 5'000; }

/// A drive with its host, and commands at given times.
class Rig {
 public:
  Rig(const std::string& policy, const profile::DriveProfile& profile) : disk(make_drive("disk", policy, "firmware", profile)) {
    host.disk_init_socket.bind(disk->host_tgt_socket);
  }

  Transaction& at(Picoseconds time, bool write, std::uint64_t lba, std::uint32_t blocks) {
    Transaction& transaction = host.make();
    transaction.set(write, lba, blocks);
    sc_core::sc_spawn([this, time, &transaction] {
      if (time > 0) sc_core::wait(core::to_sc_time(time));
      host.submit(transaction);
    });
    return transaction;
  }
  void run() { sc_core::sc_start(); }
  drive::StallStatistics stall() const { return disk->dispatcher().statistics(); }
  engine::EngineStatistics engine() const { return disk->engine().statistics(); }

  std::unique_ptr<drive::Drive> disk;
  AtHost host{"host"};
};

Picoseconds access_end(const Transaction& t) {
  const CommandTiming& time = t.timing();
  return time.started + time.overhead + time.seek + time.settle + time.rotation + time.transfer;
}

/// The toy drive with a buffer of four segments of half a track, which it fills by reading ahead.
profile::DriveProfile buffered_profile() {
  profile::DriveProfile p = cached_toy_profile(profile::WriteBack::Off);
  p.overhead.read_hit_us = {50, 50};
  p.cache.segments = 4;
  p.cache.write_segments = 0;
  p.task_attributes = true;
  return p;
}

std::string name_of_policy(const ::testing::TestParamInfo<const char*>& test) {
  std::string name = test.param;
  name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
  return name;
}

class OverlapPolicies : public ::testing::TestWithParam<const char*> {};

TEST_P(OverlapPolicies, TheArmNeverWaitsWhileTheQueueHoldsTwo) {
  Rig rig(GetParam(), toy_profile());
  core::RandomStream random(5, "places");
  std::uint64_t left = scaled(2'000);
  std::vector<Transaction*> all;
  const auto issue = [&] {
    if (left == 0) return;
    --left;
    all.push_back(&rig.host.submit(false, random.below(kToyBlocks - 8), 8));
  };
  // A read completes during the next access, so the queue holds two commands at the end of each access.
  for (int i = 0; i < 3; ++i) issue();
  rig.host.on_finished = [&](Transaction&) { issue(); };
  rig.run();
  ASSERT_EQ(rig.host.finished(), scaled(2'000));
  EXPECT_EQ(rig.stall().stalls, 0u);
  EXPECT_EQ(rig.stall().stall, 0);
  EXPECT_EQ(rig.stall().idle_decisions, 1u);
  EXPECT_EQ(rig.engine().decisions, all.size());
  std::sort(all.begin(), all.end(), [](auto* a, auto* b) { return a->timing().started < b->timing().started; });
  for (std::size_t i = 1; i < all.size(); ++i) ASSERT_EQ(all[i]->timing().started, access_end(*all[i - 1])) << "access " << i;
}

INSTANTIATE_TEST_SUITE_P(Policies, OverlapPolicies, ::testing::Values("FCFS", "SSTF", "LOOK", "SPTF"), name_of_policy);

TEST(Overlap, ACommandThatFindsTheArmAtRestWaitsForItsDecision) {
  Rig rig("SSTF", toy_profile());
  const std::vector<Transaction*> all = {&rig.at(0, false, 0, 8), &rig.at(20 * kMs, false, 1'280, 8),
                                         &rig.at(40 * kMs, true, 0, 1)};
  rig.run();
  for (const Transaction* t : all) EXPECT_EQ(t->timing().queue, decision(1));
  EXPECT_EQ(rig.stall().idle_decisions, 3u);
  EXPECT_EQ(rig.stall().stalls, 0u);
  EXPECT_EQ(rig.stall().stall, 0);
  EXPECT_EQ(rig.engine().decisions, 3u);
  EXPECT_EQ(rig.engine().latency, 3 * decision(1)) << "latency it has";
}

struct Late {
  const char* name;
  Picoseconds before_end;  ///< of the current access
  Picoseconds stall;

  friend std::ostream& operator<<(std::ostream& out, const Late& late) { return out << late.name; }
};

class OverlapLate : public ::testing::TestWithParam<Late> {};

TEST_P(OverlapLate, AnArrivalDelaysByTheRestOfItsRecomputation) {
  Rig rig("SSTF", toy_profile());
  const Transaction& first = rig.at(0, false, 0, 8);  // ends at 7,200
  const Transaction& second = rig.at(us(1), false, 1'280, 4);
  const Transaction& third = rig.at(us(7'200) - GetParam().before_end, false, 2'560, 4);
  rig.run();
  ASSERT_EQ(access_end(first), us(7'200));
  EXPECT_EQ(second.timing().started, us(7'200) + GetParam().stall);
  EXPECT_EQ(third.timing().started, access_end(second)) << "decided meanwhile";
  EXPECT_EQ(rig.stall().idle_decisions, 1u);
  EXPECT_EQ(rig.stall().stalls, GetParam().stall > 0 ? 1u : 0u);
  EXPECT_EQ(rig.stall().stall, GetParam().stall);
  EXPECT_EQ(rig.engine().latency, 2 * decision(1) + decision(2));
}

INSTANTIATE_TEST_SUITE_P(Times, OverlapLate,
                         ::testing::Values(Late{"long_before", us(1'000), 0}, Late{"just_in_time", decision(2), 0},
                                           Late{"a_cycle_late", decision(2) - 5'000, 5'000},
                                           Late{"at_the_last_moment", 1, decision(2) - 1}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Overlap, TheOnlyCommandMayComeLateToo) {
  Rig rig("SSTF", toy_profile());
  rig.at(0, false, 0, 8);
  const Transaction& second = rig.at(us(7'199.5), false, 1'280, 4);
  rig.run();
  EXPECT_EQ(second.timing().started, us(7'199.5) + decision(1));
  EXPECT_EQ(rig.stall().stalls, 1u);
  EXPECT_EQ(rig.stall().stall, decision(1) - us(0.5));
}

TEST(Overlap, AMoveIsTimeToDecideIn) {
  Rig rig("SCAN", toy_profile());
  rig.at(0, false, 128 * 20, 1);
  const Transaction& behind = rig.at(20 * kMs, false, 128 * 7, 1);
  rig.run();
  // To cylinder 127 first: 2,060 us.
  EXPECT_EQ(behind.timing().started, 20 * kMs + decision(1) + us(2'060));
  EXPECT_EQ(rig.stall().stalls, 0u);
  EXPECT_EQ(rig.stall().idle_decisions, 2u);
}

TEST_P(OverlapLate, AHitThatTakesTheBusMeansDecidingAnew) {
  // When the access ends, the hit occupies the bus for longer than had been expected.
  profile::DriveProfile profile = buffered_profile();
  profile.bus_overlap = true;
  Rig rig("FCFS", profile);
  rig.at(0, false, 0, 8);
  const Transaction& current = rig.at(30 * kMs, false, 1'280, 8);  // 30,000.9 + 300 + 1,090, sector 0 at 32,000
  const Transaction& next = rig.at(31 * kMs, false, 2'560, 8);
  const Picoseconds asked = us(32'800) - std::max<Picoseconds>(GetParam().before_end - decision(2) + decision(1), 1);
  const Transaction& hit = rig.at(asked, false, 0, 4);
  rig.run();
  ASSERT_EQ(access_end(current), us(32'800));
  EXPECT_EQ(hit.timing().parts(), hit.timing().queue + hit.timing().overhead + hit.timing().bus) << "from the buffer";
  const Picoseconds started = std::max(us(32'800), asked + decision(1));
  EXPECT_EQ(next.timing().started, started);
  EXPECT_EQ(rig.stall().stall, started - us(32'800));
  EXPECT_EQ(rig.stall().stalls, started > us(32'800) ? 1u : 0u);
}

TEST(Overlap, AnUrgentCommandGoesFirstAndTheNextIsDecidedAgain) {
  Rig rig("SSTF", buffered_profile());
  const Transaction& first = rig.at(0, false, 0, 8);
  const Transaction& second = rig.at(us(1), false, 1'280, 4);
  Transaction& urgent = rig.at(us(7'199.9), false, 2'560, 4);
  urgent.extension.attribute = command::TaskAttribute::HeadOfQueue;
  rig.run();
  EXPECT_EQ(urgent.timing().started, access_end(first)) << "needs no decision";
  EXPECT_EQ(second.timing().started, access_end(urgent));
  EXPECT_EQ(rig.stall().stalls, 0u);
  EXPECT_EQ(rig.engine().decisions, 2u);
}

TEST(Overlap, AReadAheadThatGivesWayIsTimeToDecideIn) {
  // It reads ahead from 7,200 on, a sector every 100 us, and stops at a sector's end.
  Rig rig("SSTF", buffered_profile());
  rig.at(0, false, 0, 8);
  const Transaction& early = rig.at(us(7'450), false, 1'280, 8);
  const Transaction& late = rig.at(us(12'800 + 800 + 399.8), false, 2'560, 8);
  rig.run();
  EXPECT_EQ(early.timing().started, us(7'500));
  ASSERT_EQ(access_end(early), us(13'600));
  EXPECT_EQ(late.timing().started, us(13'999.8) + decision(1));
  EXPECT_EQ(rig.stall().idle_decisions, 1u);
  EXPECT_EQ(rig.stall().stalls, 1u);
  EXPECT_EQ(rig.stall().stall, decision(1) - us(0.2));
}

/// Does not prepare the engine for the next decision.
class Unprepared : public engine::EngineIf {
 public:
  explicit Unprepared(std::unique_ptr<engine::EngineIf> engine) : engine_(std::move(engine)) {}
  void bind_sink(engine::DecisionSinkIf& sink) override { engine_->bind_sink(sink); }
  void insert(const scheduling::Command& command) override { engine_->insert(command); }
  bool withdraw(const scheduling::Command& command) override { return engine_->withdraw(command); }
  void moved(const scheduling::Command& command) override { engine_->moved(command); }
  bool empty() const override { return engine_->empty(); }
  void reset() override { engine_->reset(); }
  void prepare(const scheduling::HeadState& /*at*/, Picoseconds /*when*/) override {}
  void decide(const scheduling::HeadState& head, Picoseconds now) override { engine_->decide(head, now); }
  Picoseconds prepared_from() const override { return core::kNoDeadline; }
  engine::EngineStatistics statistics() const override { return engine_->statistics(); }

 private:
  std::unique_ptr<engine::EngineIf> engine_;
};

TEST_P(OverlapPolicies, ChangesNothingWhereADecisionTakesNoTime) {
  profile::DriveProfile profile = buffered_profile();
  profile.cache.write_back = profile::WriteBack::Interleaved;
  profile.cache.write_segments = 2;
  profile.firmware_base_cycles = profile.firmware_candidate_cycles = 0;
  const auto factory = system::engine_factory(engine_options(GetParam(), "firmware", profile));
  std::array<std::unique_ptr<drive::Drive>, 2> disks = {
      make_drive("prepared", GetParam(), "firmware", profile),
      std::make_unique<drive::Drive>("unprepared", drive::DriveConfig{profile},
                                     [&](const engine::EngineContext& c) { return std::make_unique<Unprepared>(factory(c)); })};
  std::array<AtHost, 2> hosts{AtHost("host_a"), AtHost("host_b")};
  std::array<std::vector<CommandTiming>, 2> timings;
  std::array<core::RandomStream, 2> random{core::RandomStream(11, "traffic"), core::RandomStream(11, "traffic")};
  std::array<std::uint32_t, 2> left{scaled(3'000), scaled(3'000)};
  const auto issue = [&](std::size_t i) {
    if (left[i] == 0) return;
    --left[i];
    const std::uint64_t lba = random[i].below(random[i].below(2) == 0 ? 300 : kToyBlocks - 16);
    const auto blocks = static_cast<std::uint32_t>(1 + random[i].below(16));
    hosts[i].submit(random[i].below(3) == 0, lba, blocks);
  };
  for (std::size_t i = 0; i < 2; ++i) {
    hosts[i].disk_init_socket.bind(disks[i]->host_tgt_socket);
    hosts[i].on_finished = [&, i](Transaction& t) {
      timings[i].push_back(t.timing());
      issue(i);
    };
    for (int k = 0; k < 12; ++k) issue(i);
  }
  sc_core::sc_start();
  ASSERT_EQ(timings[0].size(), scaled(3'000));
  ASSERT_EQ(timings[1].size(), scaled(3'000));
  for (std::size_t i = 0; i < timings[0].size(); ++i) ASSERT_TRUE(same_times(timings[0][i], timings[1][i])) << i;
  EXPECT_GT(disks[0]->cache_statistics().read_hits, 0u);
  EXPECT_GT(disks[0]->cache_statistics().destages, 0u);
  for (const auto& disk : disks) EXPECT_EQ(disk->dispatcher().statistics().stalls, 0u);
}

}  // namespace
}  // namespace platter::testing
