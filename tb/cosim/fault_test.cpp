// SPDX-License-Identifier: Apache-2.0
//
// Checks the tests: linked with RTL that has a seeded one-bit fault, the lock-step must stop the run and report the cause.
#include "mixed_load.h"

namespace platter::testing {
namespace {

TEST(SeededFault, LockstepStopsTheRunWithBothStates) {
  const profile::DriveProfile profile = atlas_profile();
  system::EngineOptions options = engine_options("SPTF", "lockstep", profile);
  std::string handed_over;
  std::string replayed;
  std::uint64_t mismatches = 0;
  options.on_mismatch = [&](const accelerator::LockstepCore& pair, const std::string& report, const std::string&) {
    handed_over = report;
    mismatches = pair.statistics().mismatches;
    accelerator::ReferenceCore again(accelerator::RtlCore::built_parameters());
    pair.replay(again);
    replayed = accelerator::dump_registers(again);
  };
  drive::DriveConfig config;
  config.profile = profile;
  config.holds_data = false;
  const Picoseconds end = 10 * core::kPicosecondsPerSecond;
  MixedRig rig("rig", std::make_unique<drive::Drive>("disk", config, system::engine_factory(options)), MixedLoad{}, end);
  try {
    run_until(end);
    FAIL() << "the fault went by";
  } catch (const sc_core::sc_report& report) {
    EXPECT_STREQ(report.get_msg_type(), "/platter/accelerator");
    EXPECT_EQ(report.get_severity(), sc_core::SC_ERROR);
    const std::string text = report.get_msg();
    EXPECT_EQ(text, handed_over);
    EXPECT_EQ(text.find("model and RTL differ at response "), 0u) << text;
    for (const char* part : {"\n  model: data 0x", "\n  RTL:   data 0x", "\nmodel's registers:\n", "RTL's registers:\n",
                             "  RESULT_KEY = 0x", "\nmodel's table:\n", "occupancy"})
      EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
    // Replaying the recorded accesses brings a fresh core to the same registers; the counters start at the checkpoint.
    ASSERT_FALSE(replayed.empty());
    const auto without_count = [](std::string dump) {
      for (const char* counter :
           {"  DECISIONS = ", "  BUSY_CYCLES = ", "  STALL_CYCLES = ", "  REFUSED_COUNT = ", "  FORCED_COUNT = "})
        for (std::size_t at; (at = dump.find(counter)) != std::string::npos;) dump.erase(at, dump.find('\n', at) + 1 - at);
      return dump;
    };
    const std::string told = without_count(text);
    const std::string again = without_count(replayed);
    EXPECT_NE(told.find("model's registers:\n" + again + "RTL's registers:\n"), std::string::npos) << told << again;
    EXPECT_EQ(told.find("RTL's registers:\n" + again), std::string::npos) << "the RTL's are others";
  }
  EXPECT_EQ(mismatches, 1u);
  EXPECT_LT(core::now_ps(), end);
}

TEST(SeededFault, ASampledLockstepStopsTheRunInAWindow) {
  const profile::DriveProfile profile = atlas_profile();
  system::EngineOptions options = engine_options("SPTF", "lockstep:sample=50/200", profile);
  std::uint64_t windows = 0;
  options.on_mismatch = [&](const accelerator::LockstepCore& pair, const std::string&, const std::string&) {
    windows = pair.statistics().windows.value();
  };
  drive::DriveConfig config;
  config.profile = profile;
  config.holds_data = false;
  const Picoseconds end = 100 * core::kPicosecondsPerSecond;  // a wrong key shows where two are a tick apart
  MixedRig rig("rig", std::make_unique<drive::Drive>("disk", config, system::engine_factory(options)), MixedLoad{}, end);
  try {
    run_until(end);
    FAIL() << "the fault went by";
  } catch (const sc_core::sc_report& report) {
    EXPECT_NE(std::string(report.get_msg()).find("model and RTL differ"), std::string::npos) << report.get_msg();
    EXPECT_NE(std::string(report.get_msg()).find("in window"), std::string::npos) << report.get_msg();
  }
  EXPECT_GE(windows, 1u);
}

TEST(SeededFault, TheFaultyRtlAloneGoesItsOwnWay) {
  const Picoseconds end = 10 * core::kPicosecondsPerSecond;
  MixedRig model("model", "SPTF", "model", MixedLoad{}, end);
  MixedRig rtl("rtl", "SPTF", "rtl", MixedLoad{}, end);
  run_until(end);
  model.close();
  rtl.close();  // a wrong choice costs time but loses no request
  EXPECT_EQ(model.finished.issues, rtl.finished.issues);
}

}  // namespace
}  // namespace platter::testing
