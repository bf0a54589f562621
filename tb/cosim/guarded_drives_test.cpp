// SPDX-License-Identifier: Apache-2.0
//
// The deadline guard on whole drives with the timing of measured drives. Their buffers cache writes and write them back during rounds for which the
// drive has hardly enough time. Effects that the guard does not include are excluded (docs/reference/policies.md): no read is served from a buffer,
// and the bus is so fast that no read waits for data of an older write.
#include <algorithm>

#include "mixed_load.h"

namespace platter::testing {
namespace {

struct Guarded {
  const char* drive;
  const char* policy;

  friend std::ostream& operator<<(std::ostream& out, const Guarded& g) { return out << g.policy << " on " << g.drive; }
};

class GuardedDrives : public ::testing::TestWithParam<Guarded> {};

TEST_P(GuardedDrives, KeepEveryRoundWhateverTheirBuffersDo) {
  const Picoseconds end = 300 * core::kPicosecondsPerSecond;
  std::vector<std::unique_ptr<MixedRig>> rigs;
  for (const double reads : {0.2, 0.6})
    for (const std::uint32_t depth : {40u, 400u}) {
      profile::DriveProfile profile = system::load_drive(GetParam().drive);
      profile.firmware_base_cycles = 120;
      profile.firmware_candidate_cycles = 60;
      profile.firmware_order_cycles = 12;
      profile.queue_depth = depth;
      profile.bus_read_block_us = profile.bus_write_block_us = 0.001;  // 200 blocks of a write in 0.2 us
      profile.cache.read_ahead = profile::ReadAhead::None;
      profile.cache.keep_read_blocks = profile.cache.keep_passing_sectors = profile.cache.read_hits_on_writes = false;
      MixedLoad load;
      load.tables = {"bigbuckbunny_mpeg1_1150k", "bikes_mpeg1_1150k", "carphone_mpeg1_1150k"};
      load.streams = 14;
      load.round = 450 * kMs;
      load.rate_per_s = 150;
      load.read_fraction = reads;
      load.seed = rigs.size() + 1;
      const std::string name = "rig" + std::to_string(rigs.size());
      rigs.push_back(std::make_unique<MixedRig>(
          name, make_drive((name + "_disk").c_str(), GetParam().policy, "firmware", profile, false), load, end));
    }
  run_until(end);
  std::uint64_t destages = 0;
  for (const auto& rig : rigs) {
    rig->close();
    EXPECT_EQ(rig->statistics.hiccups(), 0u) << rig->disk->name();
    EXPECT_GT(rig->statistics.of(RequestClass::Continuous).completed, 2'000u) << rig->disk->name();
    EXPECT_GT(rig->statistics.of(RequestClass::Discrete).completed, 500u) << rig->disk->name();
    destages += rig->disk->cache_statistics().destages;
  }
  EXPECT_GT(destages, 500u);
}

std::vector<Guarded> guarded() {
  std::vector<Guarded> all;
  for (const char* drive : {"cheetah9lp", "ibm18es", "barracuda", "atlas_iii", "atlas10k"})
    for (const char* policy : {"SPTF", "SPTF(next-C)", "OPS:SCAN/CI-SPTF", "OPS:SCAN/CI-OPT(6)", "OPS:SCAN/CLUST-REQ(6)",
                               "OPS:FAMISH", "OPS:SLACK(4|0.5)"})
      all.push_back({drive, policy});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Measured, GuardedDrives, ::testing::ValuesIn(guarded()), [](const auto& test) {
  std::string name = std::string(test.param.drive) + "_" + test.param.policy;
  name.erase(std::remove_if(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; }),
             name.end());
  return name;
});

class DiscreteDeadlines : public ::testing::TestWithParam<const char*> {};

/// Discrete requests due 20 ms after their issue among the streams of a round of one second.
TEST_P(DiscreteDeadlines, OfTwentyMillisecondsCostNoStreamAnything) {
  const Picoseconds end = Picoseconds{std::max(scaled(200), 40U)} * core::kPicosecondsPerSecond;
  MixedLoad load;
  load.rate_per_s = 15;
  load.read_fraction = 1;
  MixedRig without("without", GetParam(), "firmware", load, end);
  load.deadline = 20 * kMs;
  MixedRig with("with", GetParam(), "firmware", load, end);
  run_until(end);
  for (MixedRig* rig : {&without, &with}) {
    rig->close();
    EXPECT_EQ(rig->statistics.hiccups(), 0u) << rig->disk->name();
  }
  std::uint64_t late = 0;  // of those without a deadline, by the same limit
  for (const Finished::Row& row : without.finished.rows)
    late += row.request.cls == RequestClass::Discrete && row.timing.response() > load.deadline ? 1u : 0u;
  const drive::PortCounters& counters = with.disk->host_port().counters(RequestClass::Discrete);
  EXPECT_LT(counters.late, late) << "of " << counters.reads;
  EXPECT_EQ(without.disk->engine().statistics().forced, 0u);
  EXPECT_GT(with.disk->engine().statistics().forced, 0u);
  EXPECT_LE(with.disk->engine().statistics().forced, counters.reads) << "one decision for each of them at the most";
}

INSTANTIATE_TEST_SUITE_P(
    All, DiscreteDeadlines,
    ::testing::Values("SPTF", "OPS:SCAN/CI-OPT(6)", "OPS:SCAN/CLUST-REQ(6)", "OPS:SLACK(4|0.5)", "OPS:FAMISH(late)"),
    [](const auto& test) {
      std::string name = test.param;
      name.erase(std::remove_if(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }), name.end());
      return name;
    });

TEST(DiscreteDeadlines, AreIgnoredByAnAcceleratorWithoutLimitsWhichSaysSoOnce) {
  const Picoseconds end = 20 * core::kPicosecondsPerSecond;
  const auto disk = [](const char* name) {
    drive::DriveConfig config;
    config.profile = atlas_profile();
    config.holds_data = false;
    system::EngineOptions options = engine_options("SPTF", "model", config.profile);
    options.accelerator.features = 0;
    return std::make_unique<drive::Drive>(name, config, system::engine_factory(options));
  };
  MixedLoad load;
  MixedRig without("without", disk("without_disk"), load, end);
  load.deadline = 20 * kMs;
  MixedRig with("with", disk("with_disk"), load, end);
  static int told = 0;
  const auto others = sc_core::sc_report_handler::get_handler();
  sc_core::sc_report_handler::set_handler([](const sc_core::sc_report& report, const sc_core::sc_actions& /*actions*/) {
    told += std::string(report.get_msg_type()) == "/platter/accelerator/deadline" ? 1 : 0;
  });
  run_until(end);
  sc_core::sc_report_handler::set_handler(others);
  EXPECT_EQ(told, 1);
  ASSERT_EQ(with.finished.rows.size(), without.finished.rows.size());
  for (std::size_t i = 0; i < with.finished.rows.size(); ++i)
    ASSERT_TRUE(same_times(with.finished.rows[i].timing, without.finished.rows[i].timing)) << "request " << i;
}

}  // namespace
}  // namespace platter::testing
