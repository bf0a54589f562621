// SPDX-License-Identifier: Apache-2.0
//
// The copies of the RTL among themselves, and the sampled lock-step with the RTL.
#include "../unit/accelerator_work.h"
#include "mixed_load.h"

#include <cctype>

namespace platter::testing {
namespace {

using accelerator::BusResponse;
using accelerator::LockstepCore;
using accelerator::ReferenceCore;
using accelerator::RtlCore;
using accelerator::Sampling;

constexpr Picoseconds kClock = 5'000;

TEST(RtlCopies, GiveTheSameResponsesAndCycles) {
  for (const RtlCore::Copy kind : {RtlCore::Copy::Waves, RtlCore::Copy::Checked, RtlCore::Copy::Fast}) {
    LockstepCore pair(std::make_unique<ReferenceCore>(RtlCore::built_parameters()),
                      std::make_unique<RtlCore>(kClock, nullptr, "sched", kind));
    Work work(17);
    const auto send = [&](const BusRequest& request) { return pair.access(request); };
    for (int reset = 0; reset < 2; ++reset) {
      work.set_up(send);
      for (int i = 0; i < 1500; ++i) {
        work.step(send);
        if (i % 50 == 0)
          for (const reg::RegisterInfo& info : reg::kRegisters) send(read(info.offset));  // some may not be read
        if (i % 70 == 0) send(write(0x7F0, 1));                                           // no register
      }
      pair.reset();
      work = Work(18);
    }
    EXPECT_EQ(pair.statistics().mismatches, 0u);
    EXPECT_GT(pair.statistics().operations_compared, 1000u);
  }
}

TEST(SampledLockstep, TheRtlIsLoadedCompletely) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const std::uint64_t compared = 1 + seed * 3;
    LockstepCore pair(std::make_unique<ReferenceCore>(RtlCore::built_parameters()), std::make_unique<RtlCore>(kClock),
                      Sampling{compared, compared + 5 + seed, seed, "disk"});
    Work work(40 + seed);
    const auto send = [&](const BusRequest& request) { return pair.access(request); };
    work.set_up(send);
    for (int i = 0; i < 1200; ++i) {
      work.step(send);
      if (i % 5 == 0)
        for (const reg::RegisterInfo& info : reg::kRegisters) send(read(info.offset));
    }
    EXPECT_GT(pair.statistics().windows.value(), 8u);
    EXPECT_EQ(pair.statistics().mismatches, 0u);
  }
}

class SampledDrive : public ::testing::TestWithParam<const char*> {};

TEST_P(SampledDrive, RunsAsTheModelDoes) {
  const Picoseconds end = 60 * core::kPicosecondsPerSecond;
  MixedRig model("model", GetParam(), "model", MixedLoad{}, end);
  MixedRig sampled("sampled", GetParam(), "lockstep:sample=20/200", MixedLoad{}, end);
  run_until(end);
  model.close();
  sampled.close();
  ASSERT_EQ(model.finished.rows.size(), sampled.finished.rows.size());
  for (std::size_t i = 0; i < model.finished.rows.size(); ++i)
    ASSERT_TRUE(same_times(model.finished.rows[i].timing, sampled.finished.rows[i].timing)) << i;
  const engine::EngineStatistics m = model.disk->engine().statistics();
  const engine::EngineStatistics s = sampled.disk->engine().statistics();
  EXPECT_EQ(m.cycles, s.cycles);
  EXPECT_EQ(m.access_cycles, s.access_cycles);
  EXPECT_EQ(s.mismatches, 0u);
  EXPECT_FALSE(m.windows.has_value());
  EXPECT_GT(s.windows.value(), 5u);
  EXPECT_LE(s.operations_compared, 20 * s.windows.value());
  EXPECT_GT(s.operations_compared, 20 * (s.windows.value() - 1));
}

INSTANTIATE_TEST_SUITE_P(Policies, SampledDrive,
                         ::testing::Values("SPTF", "SPTF(next-C)", "SPTF(unguarded)", "ASPTF(0.2)", "LOOK", "OPS:SCAN/CI-SPTF",
                                           "OPS:SCAN/CI-OPT(5)", "OPS:SCAN/CLUST-REQ(6)", "OPS:SCAN/CLUST-CYL(4|20)",
                                           "OPS:SLACK(3.4|0.46)"),
                         [](const auto& given) {
                           std::string name(given.param);
                           for (char& c : name)
                             if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                           return name;
                         });

}  // namespace
}  // namespace platter::testing
