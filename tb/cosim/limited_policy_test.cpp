// SPDX-License-Identifier: Apache-2.0
//
// LSPTF on the accelerator: model and RTL decide alike, limited commands are held back and kept as in firmware, and guidelines cost their share.
#include <algorithm>

#include "testing.h"

namespace platter::testing {
namespace {

using command::LimitPolicy;

profile::DriveProfile deep_toy() {
  profile::DriveProfile p = toy_profile();
  p.firmware_base_cycles = p.firmware_candidate_cycles = 0;
  return p;
}

/// Random reads, sixteen at a time. Of ten one has a guideline, one an inactive limit, and one priority.
class ClosedRig {
 public:
  ClosedRig(const std::string& name, const char* engine, std::uint32_t cost_permille)
      : disk(make_drive((name + "_disk").c_str(), "LSPTF(0)", engine, deep_toy(), false)), host_((name + "_host").c_str()) {
    table_.cost_permille = cost_permille;
    table_.descriptors[0][0].guideline = {250 * kMs, LimitPolicy::CompleteEarliest};
    table_.descriptors[0][1].inactive = {150 * kMs, LimitPolicy::CompleteEarliest};
    host_.disk_init_socket.bind(disk->host_tgt_socket);
    host_.on_finished = [this](const Transaction& t) {
      const std::size_t kind = t.extension.high_priority ? 3 : t.extension.duration;
      responses[kind].push_back(static_cast<double>(t.begin_resp - t.begin_req) * 1e-9);
      next();
    };
    for (int i = 0; i < 16; ++i) next();
  }

  double at_share(std::size_t kind, double share) {
    std::vector<double>& values = responses[kind];
    std::sort(values.begin(), values.end());
    return values.at(static_cast<std::size_t>(static_cast<double>(values.size() - 1) * share));
  }
  std::size_t finished() const {
    std::size_t all = 0;
    for (const auto& one : responses) all += one.size();
    return all;
  }

  std::unique_ptr<drive::Drive> disk;
  std::array<std::vector<double>, 4>
      responses;  ///< ms: without a limit, with a guideline, with an inactive limit, with priority

 private:
  void next() {
    random_ = random_ * 1'664'525u + 1'013'904'223u;
    Transaction& t = host_.reuse();
    t.set(false, (random_ >> 8) % (kToyBlocks - 8), 8);
    const std::uint32_t kind = number_++ % 10;
    t.extension.duration = static_cast<std::uint8_t>(kind == 3 ? 1 : kind == 6 ? 2 : 0);
    t.extension.durations = &table_;
    t.extension.high_priority = kind == 9;
    host_.submit(t);
  }

  AtHost host_;
  command::DurationTable table_;
  std::uint32_t random_ = 5;
  std::uint32_t number_ = 0;
};

TEST(LimitedAccelerator, DecidesAsTheModelAndKeepsTheLimits) {
  const Picoseconds end = scaled(30) * core::kPicosecondsPerSecond;
  ClosedRig firmware("firmware", "firmware", 200);
  ClosedRig both("both", "lockstep", 200);
  run_until(end);
  const engine::EngineStatistics statistics = both.disk->engine().statistics();
  EXPECT_EQ(statistics.mismatches, 0u);
  EXPECT_GT(statistics.decisions, scaled(2'000));
  EXPECT_GE(statistics.operations_compared, statistics.decisions);
  for (ClosedRig* rig : {&firmware, &both}) {
    EXPECT_GT(rig->at_share(1, 0.1), 120) << "held back";
    EXPECT_LT(rig->at_share(1, 0.95), 260);
    EXPECT_GT(rig->at_share(2, 0.1), 60);
    EXPECT_LT(rig->at_share(2, 0.95), 160);
    EXPECT_LT(rig->at_share(3, 0.9), 50) << "priority";
  }
  EXPECT_NEAR(static_cast<double>(both.finished()) / static_cast<double>(firmware.finished()), 1, 0.08)
      << "the accelerator counts on two longest hops, so its commands go first earlier";
}

TEST(LimitedAccelerator, WithoutAShareGuidelinesNeverGoFirst) {
  ClosedRig none("none", "model", 0);
  ClosedRig some("some", "model", 200);
  run_until(scaled(30) * core::kPicosecondsPerSecond);
  EXPECT_GT(none.at_share(1, 0.99), some.at_share(1, 0.99));
  EXPECT_LT(none.at_share(2, 0.95), 160) << "an inactive limit has no share";
}

/// Four continuous long reads with a limit, beside twelve short ones at a time.
class GuardedRig {
 public:
  GuardedRig(const std::string& name, const char* engine)
      : disk_(make_drive((name + "_disk").c_str(), "LSPTF(0)", engine, deep_toy(), false)), host_((name + "_host").c_str()) {
    table_.descriptors[0][0].inactive = {550 * kMs, LimitPolicy::CompleteEarliest};
    host_.disk_init_socket.bind(disk_->host_tgt_socket);
    host_.on_finished = [this](const Transaction& t) {
      if (t.extension.duration == 0)
        read(8);
      else
        long_ends.push_back(t.begin_resp);
    };
    for (int i = 0; i < 4; ++i) read(512);
    for (int i = 0; i < 12; ++i) read(8);
  }

  static constexpr Picoseconds kDeadline = 600 * kMs;
  std::vector<Picoseconds> long_ends;

 private:
  void read(std::uint32_t blocks) {
    random_ = random_ * 1'664'525u + 1'013'904'223u;
    Transaction& t = host_.make();
    t.set(false, (random_ >> 8) % (kToyBlocks - blocks), blocks);
    if (blocks > 8) {
      t.extension.cls = RequestClass::Continuous;
      t.extension.deadline = kDeadline;
      t.extension.duration = 1;
      t.extension.durations = &table_;
    }
    host_.submit(t);
  }

  std::unique_ptr<drive::Drive> disk_;
  AtHost host_;
  command::DurationTable table_;
  std::uint32_t random_ = 7;
};

/// Long reads take far more than the mean time of an access, so a policy that held them back would find out too late.
TEST(LimitedAccelerator, TheGuardKnowsContinuousCommandsFromTheirArrival) {
  GuardedRig firmware("firmware", "firmware");
  GuardedRig both("both", "lockstep");
  run_until(core::kPicosecondsPerSecond);
  for (const GuardedRig* rig : {&firmware, &both}) {
    ASSERT_EQ(rig->long_ends.size(), 4u);
    EXPECT_LE(rig->long_ends.back(), GuardedRig::kDeadline);
  }
}

}  // namespace
}  // namespace platter::testing
