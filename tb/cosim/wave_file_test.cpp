// SPDX-License-Identifier: Apache-2.0
//
// Wave files: complete or not written at all, limited to their window, without any effect on the run. The tests of the command
// read back their contents.
#include "mixed_load.h"

#include <fstream>
#include <sstream>

#include "platter/core/error.h"
#include "platter/observe/fst_file.h"
#include "platter/observe/wave_probe.h"

namespace platter::testing {
namespace {

namespace fs = std::filesystem;
using observe::WaveFile;
using observe::WaveProbe;

constexpr Picoseconds kEnd = 500 * kMs;

/// Signals that a test defines.
std::vector<params::SignalRow> two_rows() { return {{"mech", "head", "", 6}, {"mech", "cylinder", "", 18}}; }
constexpr std::size_t kHead = 0;
constexpr std::size_t kCylinder = 1;

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// First and last time in the file, from the header block that every FST file begins with (type 0, length, start and end time, all big-endian).
std::pair<Picoseconds, Picoseconds> times(const fs::path& file) {
  const std::string bytes = contents(file);
  if (bytes.size() < 25) return {-1, -1};
  EXPECT_EQ(bytes[0], '\0');
  const auto number = [&](std::size_t at) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 8; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return static_cast<Picoseconds>(value);
  };
  return {number(9), number(17)};
}

class Waves : public ::testing::TestWithParam<const char*> {
 protected:
  std::unique_ptr<MixedRig> make_rig(const std::string& name, bool traced) const {
    drive::DriveConfig config;
    config.profile = atlas_profile();
    config.holds_data = false;
    system::EngineOptions options = engine_options("SPTF", GetParam(), config.profile);
    if (traced) options.tracing = accelerator::RtlCore::traced();
    return std::make_unique<MixedRig>(
        name, std::make_unique<drive::Drive>((name + "_disk").c_str(), config, system::engine_factory(options)), MixedLoad{},
        kEnd);
  }
};

TEST_P(Waves, AreWrittenWholeWithinTheirWindowAndChangeNothing) {
  const TemporaryFile target(".fst");
  const auto rig = make_rig("watched", true);
  const auto plain = make_rig("plain", false);
  accelerator::RtlCore* rtl = system::rtl_of(rig->disk->engine());
  EXPECT_EQ(rtl != nullptr, std::string(GetParam()) == "lockstep" || std::string(GetParam()) == "rtl");
  constexpr Picoseconds kFrom = 100 * kMs;
  constexpr Picoseconds kTo = 140 * kMs;
  WaveFile file(target.path(), kFrom, kTo);
  EXPECT_EQ(target.partials(), 1u);
  WaveProbe probe("probe", *rig->disk, file, "disk", 64);
  if (rtl != nullptr) file.add(*rtl);
  run_until(kEnd);
  EXPECT_FALSE(fs::exists(target.path()));
  file.commit();
  EXPECT_EQ(target.partials(), 0u);
  EXPECT_GT(fs::file_size(target.path()), 1'000u);
  const auto [first, last] = times(target.path());
  EXPECT_GE(first, kFrom);
  EXPECT_LE(first, kFrom + 6 * kMs / 64) << "arm and spindle are sampled from its beginning on";
  EXPECT_LE(last, kTo);
  EXPECT_GE(last, kTo - 6 * kMs / 64);
  ASSERT_EQ(rig->finished.rows.size(), plain->finished.rows.size());
  ASSERT_GT(rig->finished.rows.size(), 20u);
  for (std::size_t i = 0; i < plain->finished.rows.size(); ++i)
    ASSERT_TRUE(same_times(rig->finished.rows[i].timing, plain->finished.rows[i].timing)) << "row " << i;
}

TEST_P(Waves, LeaveNothingWithoutCommit) {
  const TemporaryFile target(".fst");
  const auto rig = make_rig("rig", true);
  accelerator::RtlCore* rtl = system::rtl_of(rig->disk->engine());
  {
    WaveFile file(target.path(), 0, kEnd);
    WaveProbe probe("probe", *rig->disk, file, "disk", 64);
    if (rtl != nullptr) file.add(*rtl);
    run_until(20 * kMs);
    EXPECT_EQ(target.partials(), 1u);
  }
  EXPECT_FALSE(fs::exists(target.path()));
  EXPECT_EQ(target.partials(), 0u);
}

TEST(WaveFile, SeveralProbesSeeTheSameDrive) {
  const TemporaryFile one(".fst"), other(".other.fst");
  drive::DriveConfig config;
  config.profile = atlas_profile();
  config.holds_data = false;
  MixedRig rig("rig",
               std::make_unique<drive::Drive>("disk", config,
                                              system::engine_factory(engine_options("SPTF", "firmware", config.profile))),
               MixedLoad{}, kEnd);
  WaveFile first(one.path(), 0, kEnd), second(other.path(), 0, kEnd);
  WaveProbe a("a", *rig.disk, first, "disk", 16), b("b", *rig.disk, second, "disk", 16);
  DriveWatch watch;
  rig.disk->add_probe(watch);
  run_until(50 * kMs);
  first.commit();
  second.commit();
  EXPECT_GT(watch.tags.size(), 3u);
  EXPECT_EQ(contents(one.path()), contents(other.path()));
  rig.disk->remove_probe(watch);
}

INSTANTIATE_TEST_SUITE_P(Engines, Waves, ::testing::Values("firmware", "model", "rtl", "lockstep"));

TEST(WaveFile, TheRtlOutlivesItsFile) {
  // A run that ends with an error removes the file first; the design may be clocked once more after that.
  const TemporaryFile target(".fst");
  accelerator::RtlCore rtl(5'000, accelerator::RtlCore::traced());
  {
    WaveFile file(target.path(), 0, kEnd);
    file.add(rtl);
    file.arm();
    rtl.access({false, 0, 0, kUs});
  }
  EXPECT_TRUE(rtl.access({false, 0, 0, 2 * kUs}).ok);
  EXPECT_FALSE(fs::exists(target.path()));
}

TEST(WaveFile, ChangesOfOneInstantAreOneSampleAndTimesNeverGoBack) {
  const TemporaryFile target(".fst");
  {
    WaveFile file(target.path(), 1'000, 2'000);
    const WaveFile::Signals disk = file.add("disk", two_rows());
    file.set(disk, kHead, std::uint64_t{9}, 1'100);  // not armed yet
    file.arm();
    file.set(disk, kHead, std::uint64_t{1}, 500);  // before the window: a starting value
    file.set(disk, kHead, std::uint64_t{2}, 1'200);
    file.set(disk, kCylinder, std::uint64_t{77}, 1'200);
    file.sample(1'500);                              // the RTL ran ahead
    file.set(disk, kHead, std::uint64_t{3}, 1'300);  // and the drive follows
    file.set(disk, kHead, std::uint64_t{4}, 2'001);  // after the window
    file.commit();
  }
  const auto [first, last] = times(target.path());
  EXPECT_EQ(first, 1'200);
  EXPECT_EQ(last, 1'501);
}

TEST(WaveFile, ClocksOfTwoCoresThatRunAheadTogetherKeepTheirPeriod) {
  const TemporaryFile target(".fst");
  {
    WaveFile file(target.path(), 0, kEnd);
    const WaveFile::Signals disk = file.add("disk", two_rows());
    file.arm();
    for (int core = 0; core < 2; ++core)
      for (Picoseconds edge = 1'000; edge <= 9'000; edge += 1'000) file.sample(edge);
    file.commit();
    EXPECT_EQ(disk.scope, 0u);
  }
  // The second begins right after the first, and is as long.
  EXPECT_EQ(times(target.path()), (std::pair<Picoseconds, Picoseconds>{1'000, 17'001}));
}

TEST(WaveFile, RefusesWhatComesTooLateOrHasNoWaves) {
  const TemporaryFile target(".fst");
  accelerator::RtlCore plain(5'000);
  WaveFile file(target.path(), 0, kEnd);
  EXPECT_THROW(file.add(plain), std::invalid_argument);
  const auto disk = make_drive("disk", "SPTF", "firmware", atlas_profile(), false);
  EXPECT_THROW(WaveProbe("probe", *disk, file, "disk", 0), std::invalid_argument) << "no samples";
  file.arm();
  EXPECT_THROW(file.add("late", two_rows()), std::logic_error);
  accelerator::RtlCore late(5'000, accelerator::RtlCore::traced());
  EXPECT_THROW(file.add(late), std::logic_error);
}

TEST(WaveFile, SaysWhyItCannotBeWritten) {
  const TemporaryFile blocked("");
  std::ofstream(blocked.path()) << "a file where a folder is wanted";
  try {
    WaveFile file(blocked.path() / "waves.fst", 0, kEnd);
    ADD_FAILURE() << "no error";
  } catch (const core::InputError& error) {
    EXPECT_NE(std::string(error.what()).find("waves.fst: cannot be written"), std::string::npos) << error.what();
  }
}

TEST(WaveFile, ATargetThatCannotBeReplacedLeavesNothing) {
  const TemporaryFile target(".fst");
  WaveFile file(target.path(), 0, kEnd);
  const WaveFile::Signals disk = file.add("disk", two_rows());
  file.arm();
  file.set(disk, kHead, std::uint64_t{1}, 5);
  fs::create_directories(target.path() / "in the way");
  EXPECT_THROW(file.commit(), core::SimulationError);
  EXPECT_EQ(target.partials(), 0u);
}

// The writer does not report a full disk.
TEST(WaveFile, WhatIsCutShortIsNotWhole) {
  const TemporaryFile target(".fst");
  const auto write = [&target](std::uint64_t changes) {
    WaveFile file(target.path(), 0, kEnd);
    const WaveFile::Signals disk = file.add("disk", two_rows());
    file.arm();
    for (std::uint64_t i = 1; i <= changes; ++i) file.set(disk, kCylinder, i, static_cast<Picoseconds>(i * 1'000));
    file.commit();
  };
  write(1'000);
  EXPECT_EQ(observe::complete_fst(target.path(), 1'000, 1'000'000), "");
  EXPECT_NE(observe::complete_fst(target.path(), 998, 1'000'000), "");
  EXPECT_NE(observe::complete_fst(target.path(), 1'000, 999'000), "");
  const std::uintmax_t size = fs::file_size(target.path());
  for (const std::uintmax_t cut : {size - 1, size / 2, std::uintmax_t{100}, std::uintmax_t{0}}) {
    fs::resize_file(target.path(), cut);
    EXPECT_NE(observe::complete_fst(target.path(), 1'000, 1'000'000), "") << cut;
  }
}

}  // namespace
}  // namespace platter::testing
