// SPDX-License-Identifier: Apache-2.0
//
// The whole drive under a mixed load, scheduled by the reference model, by the RTL and by both in lock-step.
#include "mixed_load.h"

namespace platter::testing {
namespace {

constexpr Picoseconds seconds(std::uint32_t s) { return Picoseconds{s} * core::kPicosecondsPerSecond; }

class LockstepDrive : public ::testing::TestWithParam<const char*> {};

void expect_same_run(const MixedRig& a, const MixedRig& b) {
  ASSERT_EQ(a.finished.rows.size(), b.finished.rows.size());
  for (std::size_t i = 0; i < a.finished.rows.size(); ++i) {
    ASSERT_EQ(a.finished.rows[i].number, b.finished.rows[i].number) << "row " << i;
    ASSERT_TRUE(same_times(a.finished.rows[i].timing, b.finished.rows[i].timing)) << "request " << a.finished.rows[i].number;
  }
}

TEST_P(LockstepDrive, ModelRtlAndBothGiveOneRun) {
  const Picoseconds end = seconds(scaled(100));
  MixedRig model("model", GetParam(), "model", MixedLoad{}, end);
  MixedRig rtl("rtl", GetParam(), "rtl", MixedLoad{}, end);
  MixedRig both("both", GetParam(), "lockstep", MixedLoad{}, end);
  run_until(end);
  for (MixedRig* rig : {&model, &rtl, &both}) rig->close();
  expect_same_run(model, rtl);
  expect_same_run(model, both);
  EXPECT_EQ(both.statistics.hiccups(), 0u);
  const engine::EngineStatistics m = model.disk->engine().statistics();
  const engine::EngineStatistics l = both.disk->engine().statistics();
  EXPECT_EQ(l.mismatches, 0u);
  EXPECT_GT(l.decisions, scaled(5'000));
  EXPECT_GT(l.compared, 5 * l.decisions) << "every register access is compared";
  EXPECT_EQ(m.compared, 0u);
  EXPECT_EQ(m.decisions, l.decisions);
  EXPECT_EQ(m.cycles, l.cycles);
  // A pass takes 32 / 4 + 12 cycles. A decision takes two passes and the sums if the sweep has changed, and again when a
  // command arrives. LOOK needs no sums.
  const bool passes = scheduling::find_policy(GetParam())->row->accelerated != scheduling::Accelerated::Elevator;
  EXPECT_GE(m.cycles, m.decisions * (passes ? 20 : 5));
  EXPECT_LT(m.cycles, m.decisions * 200);
  EXPECT_EQ(m.access_cycles, l.access_cycles);
  EXPECT_EQ(m.latency, l.latency);
  EXPECT_EQ(m.forced, l.forced);
}

TEST_P(LockstepDrive, TightRoundsAreKeptByTheGuard) {
  const Picoseconds end = seconds(scaled(300));
  MixedRig rig("rig", GetParam(), "lockstep", tight_load(), end);
  run_until(end);
  rig.close();
  const engine::EngineStatistics e = rig.disk->engine().statistics();
  EXPECT_EQ(e.mismatches, 0u);
  EXPECT_GT(rig.statistics.of(RequestClass::Continuous).completed, scaled(9'000));
  if (!keeps_deadlines(GetParam())) {
    EXPECT_GT(rig.statistics.hiccups(), scaled(600)) << "the load must be one that needs a guard";
    EXPECT_EQ(e.forced, 0u);
  } else {
    EXPECT_EQ(rig.statistics.hiccups(), 0u);
    EXPECT_GT(rig.statistics.of(RequestClass::Continuous).response.max_ms(), 249) << "the guard uses the round to its end";
    // A command that the guard passes leaves time for the next continuous command, except for one block: when a read ends, its
    // last block is still on the bus, and the remaining time is counted from there.
    EXPECT_LE(e.forced, e.decisions / 1'000);
  }
}

TEST_P(LockstepDrive, WhatTheGuardLetsPassLeavesTimeForTheSweep) {
  if (!keeps_deadlines(GetParam())) return;
  const Picoseconds end = seconds(scaled(150));
  profile::DriveProfile profile = atlas_profile();
  profile.bus_read_block_us = 0;  // the bus is free when the arm is
  MixedRig rig("rig", make_drive("rig_disk", GetParam(), "lockstep", profile, false), tight_load(), end);
  run_until(end);
  rig.close();
  const engine::EngineStatistics e = rig.disk->engine().statistics();
  EXPECT_EQ(e.mismatches, 0u);
  EXPECT_EQ(rig.statistics.hiccups(), 0u);
  EXPECT_EQ(e.forced, 0u);
  EXPECT_GT(e.decisions, scaled(10'000));
}

TEST_P(LockstepDrive, RoundsThatCannotBeKeptAreForced) {
  const Picoseconds end = seconds(scaled(30));
  MixedLoad load = tight_load();
  load.round = 50 * kMs;
  load.rate_per_s = 30;
  MixedRig rig("rig", GetParam(), "lockstep", load, end);
  run_until(end);
  rig.close();
  const engine::EngineStatistics e = rig.disk->engine().statistics();
  EXPECT_EQ(e.mismatches, 0u);
  EXPECT_GT(rig.statistics.hiccups(), scaled(100));
  if (!keeps_deadlines(GetParam())) {
    EXPECT_EQ(e.forced, 0u);
  } else {
    EXPECT_GT(e.forced, scaled(100));
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, LockstepDrive,
                         ::testing::Values("LOOK", "SPTF", "SPTF(next-C)", "SPTF(unguarded)", "ASPTF(0.01)", "OPS:SCAN/CI-SPTF",
                                           "OPS:SCAN/CI-OPT(6)", "OPS:SCAN/CLUST-REQ(6)", "OPS:SCAN/CLUST-CYL(6|1000)"));

class GuardedEngines : public ::testing::TestWithParam<Engine> {};

TEST_P(GuardedEngines, NoHiccupsWhateverTheWritesDo) {
  // Nearly saturated by writes alone: rounds end just before their deadline while write data crosses the bus.
  const Picoseconds end = seconds(scaled(1'000));
  MixedLoad load = tight_load();
  load.rate_per_s = 70;
  load.read_fraction = 0;
  MixedRig rig("rig", GetParam().policy, GetParam().engine, load, end);
  run_until(end);
  rig.close();
  EXPECT_EQ(rig.statistics.hiccups(), 0u);
  EXPECT_EQ(rig.statistics.of(RequestClass::Continuous).completed, scaled(1'000) * 4u * 8u);
  EXPECT_GT(rig.statistics.of(RequestClass::Continuous).response.max_ms(), 249);
}

std::unique_ptr<drive::Drive> buffered_drive(const std::string& name, const Engine& engine) {
  return make_drive(name.c_str(), engine.policy, engine.engine, buffered_atlas_profile(), false);
}

TEST_P(GuardedEngines, NoHiccupsWhateverTheBufferWritesBack) {
  // All tags are in use nearly all the time: internal writes find an entry only when a host's command has just left it.
  const Picoseconds end = seconds(scaled(300));
  std::vector<std::unique_ptr<MixedRig>> rigs;
  for (const double reads : {0.0, 0.2, 0.8})
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      MixedLoad load;
      load.rate_per_s = reads < 0.5 ? 60 : 120;
      load.read_fraction = reads;
      load.seed = seed;
      const std::string name = "rig" + std::to_string(rigs.size());
      rigs.push_back(std::make_unique<MixedRig>(name, buffered_drive(name + "_disk", GetParam()), load, end));
    }
  run_until(end);
  for (std::size_t i = 0; i < rigs.size(); ++i) {
    MixedRig& rig = *rigs[i];
    rig.close();
    EXPECT_EQ(rig.statistics.hiccups(), 0u) << "rig " << i;
    EXPECT_EQ(rig.statistics.of(RequestClass::Continuous).completed, scaled(300) * 25u) << "rig " << i;
    const std::uint64_t destages = rig.disk->cache_statistics().destages;
    EXPECT_GT(destages, scaled(1'000)) << "rig " << i;
    // The actuator waits for a decision only if a command arrives as an access ends: the write that follows an internal one of the buffer.
    EXPECT_LE(rig.disk->dispatcher().statistics().stalls, destages + destages / 100 + 10) << "rig " << i;
  }
}

TEST(LockstepBuffer, ABufferThatWritesBackLeavesModelAndRtlInStep) {
  const Picoseconds end = seconds(scaled(100));
  MixedLoad load;
  load.rate_per_s = 60;
  load.read_fraction = 0.3;
  MixedRig model("model", buffered_drive("model_disk", {"SPTF", "model"}), load, end);
  MixedRig both("both", buffered_drive("both_disk", {"SPTF", "lockstep"}), load, end);
  run_until(end);
  model.close();
  both.close();
  expect_same_run(model, both);
  EXPECT_EQ(both.disk->engine().statistics().mismatches, 0u);
  EXPECT_GT(both.disk->cache_statistics().destages, scaled(1'000));
}

INSTANTIATE_TEST_SUITE_P(
    Engines, GuardedEngines,
    ::testing::Values(Engine{"SPTF", "firmware"}, Engine{"SPTF(next-C)", "firmware"}, Engine{"SPTF", "model"},
                      Engine{"SPTF(next-C)", "model"}, Engine{"ASPTF(0.01)", "firmware"}, Engine{"ASPTF(0.01)", "model"},
                      Engine{"OPS:SCAN/CI-SPTF", "firmware"}, Engine{"OPS:SCAN/CI-OPT(6)", "firmware"},
                      Engine{"OPS:SCAN/CLUST-REQ(6)", "firmware"}, Engine{"OPS:SCAN/CLUST-CYL(6|1000)", "firmware"},
                      Engine{"OPS:SCAN/CI-SPTF", "model"}, Engine{"OPS:SCAN/CI-OPT(6)", "model"},
                      Engine{"OPS:SCAN/CLUST-REQ(6)", "model"}, Engine{"OPS:SCAN/CLUST-CYL(6|1000)", "model"}),
    name_of_engine);

TEST(FirmwareAndModel, AgreeOnTheMeans) {
  const Picoseconds end = seconds(scaled(500));
  MixedRig firmware("firmware", "SPTF", "firmware", MixedLoad{}, end);
  MixedRig model("model", "SPTF", "model", MixedLoad{}, end);
  run_until(end);
  for (MixedRig* rig : {&firmware, &model}) {
    rig->close();
    EXPECT_EQ(rig->statistics.hiccups(), 0u);
  }
  const double tolerance = kScale == 1 ? 0.02 : 0.05;
  for (const RequestClass cls : {RequestClass::Continuous, RequestClass::Discrete})
    EXPECT_NEAR(model.mean_ms(cls) / firmware.mean_ms(cls), 1, tolerance) << core::to_string(cls);
  // Its decisions are much faster.
  const auto latency = [](MixedRig& rig) {
    const engine::EngineStatistics e = rig.disk->engine().statistics();
    return e.latency / static_cast<Picoseconds>(e.decisions);
  };
  EXPECT_LT(latency(model), latency(firmware));
}

}  // namespace
}  // namespace platter::testing
