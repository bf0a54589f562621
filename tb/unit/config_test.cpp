// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "platter/core/error.h"
#include "platter/core/nearest.h"
#include "platter/mechanics/access_planner.h"
#include "platter/profile/parameters.h"
#include "platter/system/drives.h"
#include "platter/system/scenario.h"

namespace platter::system {
namespace {

namespace fs = std::filesystem;
using core::ConfigError;
using core::ConfigProblem;

const fs::path kSource = PLATTER_SOURCE_DIR;

std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  EXPECT_FALSE(text.str().empty()) << path;
  return text.str();
}

class ConfigTest : public ::testing::Test {
 protected:
  void SetUp() override {
    unsetenv("PLATTER_CONFIG_DIR");
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    dir_ = fs::path(::testing::TempDir()) / (std::string("platter_config_") + info->name());
    fs::remove_all(dir_);
    fs::create_directories(dir_);
  }
  void TearDown() override {
    unsetenv("PLATTER_CONFIG_DIR");
    fs::remove_all(dir_);
  }

  fs::path file(const std::string& name, const std::string& text) const {
    fs::create_directories((dir_ / name).parent_path());
    std::ofstream(dir_ / name, std::ios::binary) << text;
    return dir_ / name;
  }
  Scenario load(const std::string& text, const std::vector<std::string>& overrides = {}) const {
    return load_scenario(file("scenario.toml", text), overrides);
  }
  std::vector<ConfigProblem> problems_of(const std::string& text, const std::vector<std::string>& overrides = {}) const {
    try {
      load(text, overrides);
    } catch (const ConfigError& error) {
      return error.problems();
    }
    ADD_FAILURE() << "no error for\n" << text;
    return {};
  }
  /// The only problem: its key, a part of its message, its line and column.
  void expect_problem(const std::string& text, const std::string& key, const std::string& part, std::size_t line,
                      std::size_t column, const std::vector<std::string>& overrides = {}) const {
    const std::vector<ConfigProblem> problems = problems_of(text, overrides);
    ASSERT_EQ(problems.size(), 1u) << text;
    EXPECT_EQ(problems[0].key, key);
    EXPECT_NE(problems[0].message.find(part), std::string::npos) << problems[0].message;
    EXPECT_EQ(problems[0].line, line) << problems[0].message;
    EXPECT_EQ(problems[0].column, column) << problems[0].message;
  }

  fs::path dir_;
};

const std::string kHead = "format = 1\ndrive = \"atlas10k\"\n";

// --- good input ----------------------------------------------------------------------------------------------------

TEST_F(ConfigTest, ReadsAScenarioAndLeavesTheRestAtItsDefaults) {
  const Scenario s = load(kHead +
                          "engine = \"model\"\npolicy = \"C-LOOK\"\n[workload.discrete]\nsource = \"poisson\"\n"
                          "rate_per_s = 65\nmean_bytes = 70_000\nread_fraction = 0.25\n[sim]\nseed = 7\n");
  EXPECT_EQ(s.drive_name, "atlas10k");
  EXPECT_EQ(s.drive.name, "Quantum Atlas 10K");
  EXPECT_EQ(s.drive.geometry.zones.size(), 24u);
  EXPECT_EQ(s.engine.row->name, "model");
  EXPECT_EQ(s.policy.name(), "C-LOOK");
  EXPECT_EQ(s.discrete.source, "poisson");
  EXPECT_EQ(s.discrete.generated.rate_per_s, 65.0);  // a whole number serves as a number
  EXPECT_EQ(s.discrete.generated.mean_bytes, 70000);
  EXPECT_EQ(s.discrete.generated.read_fraction, 0.25);
  EXPECT_EQ(s.run.seed, 7);
  const Scenario defaults;
  EXPECT_EQ(s.run.measure_s, defaults.run.measure_s);
  EXPECT_EQ(s.continuous.streams, 0);
  EXPECT_EQ(s.positions.at("sim.seed").line, 11u);
}

TEST_F(ConfigTest, EveryShippedDriveAndScenarioLoads) {
  const std::vector<ShippedDrive> drives = shipped_drives();
  EXPECT_GE(drives.size(), 5u);
  for (const ShippedDrive& drive : drives) {
    SCOPED_TRACE(drive.name);
    const profile::DriveProfile by_name = load_drive(drive.name);
    EXPECT_EQ(profile::configuration(by_name), profile::configuration(load_drive(drive.path.string())));
    EXPECT_FALSE(by_name.source.empty());
    EXPECT_GT(mechanics::AccessPlanner(by_name).geometry().block_count(), 1'000'000u);
  }
  int scenarios = 0;
  for (const auto& entry : fs::directory_iterator(config_directory() / "scenarios")) {
    if (entry.path().extension() != ".toml") continue;
    EXPECT_NO_THROW(load_scenario(entry.path())) << entry.path();
    ++scenarios;
  }
  EXPECT_GE(scenarios, 2);
}

TEST_F(ConfigTest, ThePackageThatAProgramWasBuiltAgainstSaysWhereItsConfigsAre) {
  fs::create_directories(dir_ / "drives");
  EXPECT_TRUE(use_packaged_configs(dir_.c_str()));
  EXPECT_EQ(config_directory(), dir_);
  use_packaged_configs((dir_ / "none").c_str());
  EXPECT_EQ(config_directory(), kSource / "models" / "configs");
  use_packaged_configs("");
  EXPECT_EQ(config_directory(), kSource / "models" / "configs");
}

TEST_F(ConfigTest, ANameBesideKeysOfTheSectionIsExplained) {
  const std::string part = "found the name of a file, \"atlas10k\", and also ";
  const std::string rest = "; expected a section [drive] with file = \"atlas10k\" and the keys that differ";
  for (const auto& [text, beside] : std::vector<std::pair<std::string, std::string>>{
           {kHead + "[drive.queue]\ndepth = 8\n", "drive.queue"},
           {kHead + "[sim]\nseed = 2\n[ drive . queue ]\ndepth = 8\n", "drive.queue"},
           {kHead + "drive.queue.depth = 8\n", "drive.queue.depth"},
           {"format = 1\ndrive = 'atlas10k'  # a remark\n[drive]\nname = \"mine\"\n", "drive"},
           {kHead + "[[drive.geometry.zone]]\nfirst_cylinder = 0\n", "drive.geometry.zone"}})
    expect_problem(text, "drive", part + beside + rest, 2, 1);
  expect_problem("drive.queue.depth = 8\ndrive = \"atlas10k\"\n", "drive", part + "drive.queue.depth" + rest, 2, 1);
  // Anything else that is given twice is still the parser's to say.
  expect_problem(kHead + "policy = \"SPTF\"\npolicy = \"FCFS\"\n", "", "not valid TOML", 4, 10);
}

TEST_F(ConfigTest, SeekTimesThatContradictEachOtherAreSaidWhereTheyStand) {
  const std::string seek = "format = 1\n[drive]\nfile = \"atlas10k\"\n[drive.seek]\nmodel = \"three-point\"\npoints_us = []\n";
  expect_problem(seek + "single_us = 1000\naverage_us = 9000\nfull_us = 5000\n", "drive.seek.average_us",
                 "found 9000 us for a third of the stroke, expected 2334 to", 8, 14);
  EXPECT_NO_THROW(load(seek + "single_us = 1000\naverage_us = 5000\nfull_us = 9000\n"));
}

TEST_F(ConfigTest, ConfigDirectoryCanBeSet) {
  EXPECT_EQ(config_directory(), kSource / "models" / "configs");
  fs::create_directories(dir_ / "drives");
  fs::copy(kSource / "models" / "configs" / "drives" / "elite3.toml", dir_ / "drives" / "mine.toml");
  setenv("PLATTER_CONFIG_DIR", dir_.c_str(), 1);
  ASSERT_EQ(shipped_drives().size(), 1u);
  EXPECT_EQ(shipped_drives()[0].name, "mine");
  EXPECT_EQ(load_drive("mine").name, "Seagate Elite3");
  EXPECT_THROW(load_drive("atlas10k"), ConfigError);
}

// --- bad input -----------------------------------------------------------------------------------------------------

TEST_F(ConfigTest, UnknownKeyIsNamedWithItsPlaceAndTheNearestKey) {
  expect_problem(kHead + "polic = \"SPTF\"\n", "polic", "did you mean policy?", 3, 9);
  expect_problem(kHead + "[workload.discrete]\nmean_byte = 1\n", "workload.discrete.mean_byte",
                 "did you mean workload.discrete.mean_bytes?", 4, 13);
  expect_problem(kHead + "[sim]\nxyzzy_frobnicate_everything = 1\n", "sim.xyzzy_frobnicate_everything", "there is no such key",
                 4, 31);
  expect_problem("format = 1\ndrive = { file = \"atlas10k\", buss = { read_block_us = 1.0 } }\n", "drive.buss",
                 "did you mean drive.bus?", 2, 37);
  try {
    load(kHead + "polic = \"SPTF\"\n");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.what(), (dir_ / "scenario.toml").string() + ":3:9: polic: there is no such key (did you mean policy?)");
  }
}

TEST_F(ConfigTest, AnOldNameIsAnsweredWithTheNewOne) {
  expect_problem(kHead + "[fault]\nfails_at_s = 1.0\n", "fault", "is [failure] now", 3, 1);
  try {
    load(kHead, {"fault.fails_at_s=1"});
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.what(),
              std::string("--set fault.fails_at_s=1: fault.fails_at_s: expected the number of a fault, from 0 on, "
                          "and its key: fault.0.fails_at_s; of a drive's failure it is failure.fails_at_s now"));
  }
}

TEST_F(ConfigTest, UnknownSectionIsNamedWithTheNearestSection) {
  expect_problem(kHead + "[workload.discret]\nsource = \"closed\"\n", "workload.discret", "did you mean workload.discrete?", 3,
                 1);
  expect_problem(kHead + "[observ]\n", "observ", "did you mean observe?", 3, 1);
}

TEST_F(ConfigTest, AllProblemsAreReportedTogether) {
  const std::vector<ConfigProblem> problems = problems_of(
      "format = 2\ndrive = \"atlas10k\"\nengin = \"rtl\"\n[sim]\nseed = \"one\"\nmeasure_s = -1\n"
      "[observ]\nwave_to_s = 1\n");
  std::vector<std::string> keys;
  for (const ConfigProblem& problem : problems) keys.push_back(problem.key);
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(keys, (std::vector<std::string>{"engin", "format", "observ", "sim.measure_s", "sim.seed"}));
  const ConfigError error(problems);
  const std::string text = error.what();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
}

TEST_F(ConfigTest, MissingDriveIsReportedWithTheRest) {
  const std::vector<ConfigProblem> problems = problems_of("engin = \"rtl\"\n");
  ASSERT_EQ(problems.size(), 3u);
  EXPECT_EQ(problems[0].key, "format");
  EXPECT_NE(problems[0].message.find("is missing"), std::string::npos);
  EXPECT_EQ(problems[1].key, "drive");
  EXPECT_NE(problems[1].message.find("is missing"), std::string::npos);
  EXPECT_EQ(problems[2].key, "engin");
}

TEST_F(ConfigTest, WrongTypesSayWhatWasFoundAndExpected) {
  expect_problem(kHead + "policy = 5\n", "policy", "found 5, expected a text", 3, 10);
  expect_problem(kHead + "[sim]\nseed = 1.5\n", "sim.seed", "found 1.5, expected a whole number", 4, 8);
  expect_problem(kHead + "[sim]\nmeasure_s = true\n", "sim.measure_s", "found true, expected a number", 4, 13);
  expect_problem(kHead + "[sim]\nmeasure_s = inf\n", "sim.measure_s", "expected a number", 4, 13);
  expect_problem(kHead + "[sim]\nseed = [1]\n", "sim.seed", "found an array", 4, 8);
  expect_problem(kHead + "[policy]\nname = \"SPTF\"\n", "policy", "found a table, expected a text", 3, 1);
  expect_problem(kHead + "[workload.continuous]\ntables = [1]\n", "workload.continuous.tables",
                 "expected an array of file names", 4, 10);
  expect_problem("format = 1\n[drive]\nfile = \"atlas10k\"\nqueue.reject_when_full = 1\n", "drive.queue.reject_when_full",
                 "found 1, expected true or false", 4, 26);
  expect_problem("format = 1\n[drive]\nfile = \"atlas10k\"\nseek.points_us = [[1, 2.0], [3]]\n", "drive.seek.points_us",
                 "found an array as element 1, expected an array of pairs [distance, number], each a whole number from 0 and a "
                 "finite number",
                 4, 18);
}

TEST_F(ConfigTest, AValueInPlaceOfASectionIsNoUnknownKey) {
  expect_problem(kHead + "workload = 5\n", "workload", "found 5, expected a section or the name of its file", 3, 12);
  expect_problem(kHead + "[[sim]]\nseed = 1\n", "sim", "found an array, expected a section", 3, 1);
  expect_problem("format = 1\ndrive = 5\n", "drive", "found 5, expected", 2, 9);
}

TEST_F(ConfigTest, FilesOfTheCommandLineCountFromTheWorkingDirectory) {
  file("sub/t.csv", "");
  const fs::path before = fs::current_path();
  fs::current_path(dir_ / "sub");
  const Scenario s = load(kHead, {"workload.discrete.trace=t.csv"});
  EXPECT_TRUE(fs::equivalent(s.discrete.trace.file.path, dir_ / "sub" / "t.csv"));
  fs::current_path(before);
  expect_problem(kHead, "workload.discrete.trace", "there is no file \"t.csv\"", 0, 0, {"workload.discrete.trace=t.csv"});
}

TEST_F(ConfigTest, GammaStreamsNeedNoTablesAndSpansAreWholeSectors) {
  const std::string streams = kHead + "[workload.continuous]\nstreams = 5\n";
  EXPECT_NO_THROW(load(streams + "size = \"gamma\"\n"));
  expect_problem(streams + "size = \"gamma\"\nmean_bytes = 10\ndeviation_bytes = 11\n", "workload.continuous.deviation_bytes",
                 "expected no more than workload.continuous.mean_bytes", 7, 19);
  expect_problem(kHead + "[workload.discrete]\nspan_bytes = 1000\n", "workload.discrete.span_bytes",
                 "found 1000, expected whole sectors of 512 bytes", 4, 14);
}

TEST_F(ConfigTest, ValuesOutOfRangeSayTheRange) {
  expect_problem(kHead + "[workload.discrete]\nread_fraction = 1.1\n", "workload.discrete.read_fraction",
                 "found 1.1, expected 0 to 1", 4, 17);
  expect_problem(kHead + "[workload.continuous]\nround_s = 0\n", "workload.continuous.round_s",
                 "found 0, expected 0.001 to 3600 s", 4, 11);
  expect_problem(kHead + "[workload.discrete]\nsource = \"posson\"\n", "workload.discrete.source",
                 "found \"posson\", expected one of none, poisson, trace, closed (did you mean poisson?)", 4, 10);
  expect_problem("format = 1\n[drive]\nfile = \"atlas10k\"\nqueue.depth = 1025\n", "drive.queue.depth",
                 "found 1025, expected 1 to 1024", 4, 15);
  expect_problem("format = 1\n[drive]\nfile = \"atlas10k\"\ncontroller.firmware_base_cycles = -1\n",
                 "drive.controller.firmware_base_cycles", "expected 0 to 1e+09 cycles", 4, 35);
  expect_problem("format = 1\n[drive]\nfile = \"atlas10k\"\ngeometry.mapping = \"serpentin\"\n", "drive.geometry.mapping",
                 "did you mean serpentine?", 4, 20);
}

TEST_F(ConfigTest, KeysThatNeedEachOther) {
  expect_problem(kHead + "policy = \"SPTFF\"\n", "policy", "there is no policy \"SPTFF\" (did you mean SPTF?)", 3, 10);
  expect_problem(kHead + "[workload.continuous]\nstreams = 3\n", "workload.continuous.tables", "is missing", 4, 11);
  expect_problem(kHead + "[workload.discrete]\nsource = \"trace\"\n", "workload.discrete.trace", "is missing", 4, 10);
  expect_problem(kHead + "[workload.discrete]\nsource = \"poisson\"\n", "workload.discrete.rate_per_s", "is missing", 4, 10);
  expect_problem(kHead + "[observe]\nwave_from_s = 3\nwave_to_s = 2\n", "observe.wave_from_s",
                 "expected a time that is not after observe.wave_to_s", 4, 15);
  expect_problem(kHead + "[workload.discrete]\ntrace_format = \"disksim\"\n", "workload.discrete.trace_format",
                 "there is no trace format \"disksim\"", 4, 16);
}

TEST_F(ConfigTest, EagerWritingNeedsItsPolicyAndADriveThatCanDoIt) {
  const std::string head = "format = 1\ndrive = \"st39133lwv\"\n";
  const Scenario s = load(head + "policy = \"SATF-EW\"\n[eager]\nenabled = true\ndilution = 3\nblock_bytes = 8192\n");
  EXPECT_TRUE(s.eager.enabled);
  EXPECT_EQ(s.eager.dilution, 3);
  EXPECT_EQ(s.eager.block_bytes, 8192u);
  EXPECT_EQ(s.eager.way_cylinders, 3u);
  EXPECT_FALSE(s.eager.bind_reads);
  EXPECT_FALSE(load(head).eager.enabled);
  expect_problem(head + "policy = \"SATF-EW\"\n", "policy", "expected eager.enabled = true", 3, 10);
  expect_problem(head + "[eager]\nenabled = true\n", "policy", "policy SPTF writes in place", 0, 0);
  expect_problem(head + "policy = \"SATF-EW\"\n[eager]\nenabled = true\nblock_bytes = 5000\n", "eager.block_bytes",
                 "found 5000, expected a multiple of the sector's 512 bytes", 6, 15);
  expect_problem(head + "policy = \"SATF-EW\"\n[eager]\nenabled = true\n", "eager.enabled", "expected cache.segments = 0", 5,
                 11, {"drive.cache.segments=2", "drive.cache.segment_blocks=64"});
  expect_problem(head + "[workload.discrete]\nalign_bytes = 4096\nspan_bytes = 6144\n", "workload.discrete.align_bytes",
                 "found 4096, expected a divisor of workload.discrete.span_bytes, which is 6144", 4, 15);
  expect_problem(head + "[workload.discrete]\nalign_bytes = 1000\n", "workload.discrete.align_bytes",
                 "expected a multiple of the sector's 512 bytes", 4, 15);
}

TEST_F(ConfigTest, MissingFilesAreNamed) {
  expect_problem("format = 1\ndrive = \"atlas11k\"\n", "drive", "there is no drive \"atlas11k\" (did you mean atlas10k?)", 2,
                 9);
  expect_problem("format = 1\ndrive = \"nowhere/x.toml\"\n", "drive", "there is no file", 2, 9);
  expect_problem(kHead + "sim = \"nowhere.toml\"\n", "sim", "nowhere.toml", 3, 7);
  expect_problem(kHead + "[workload.discrete]\ntrace = \"nowhere.trace\"\n", "workload.discrete.trace", "nowhere.trace", 4, 9);
  EXPECT_THROW(load_scenario(dir_ / "none.toml"), ConfigError);
  EXPECT_THROW(load_drive("nowhere.toml"), ConfigError);
}

TEST_F(ConfigTest, TextThatIsNoTomlIsPointedAt) { expect_problem(kHead + "policy = = 3\n", "", "not valid TOML", 3, 10); }

TEST_F(ConfigTest, AProfileThatAProgramHasChangedIsCheckedAsText) {
  profile::DriveProfile profile = load_drive("elite3");
  EXPECT_EQ(check(profile), "");
  profile.age_limit_s = 0;
  profile.stream_first = true;
  const std::string stream = check(profile);
  EXPECT_EQ(stream.rfind("profile: controller.stream_first: found true, expected false", 0), 0u) << stream;
  profile.cache.segments = 0;
  profile.cache.destage_entries = 3;
  const std::string both = check(profile);
  EXPECT_EQ(both.rfind("profile: cache.destage_entries: found 3, expected 0", 0), 0u) << both;
  EXPECT_NE(both.find('\n' + stream), std::string::npos) << both;
}

TEST_F(ConfigTest, AProfileThatDescribesNoDriveSaysWhy) {
  std::string profile = contents(kSource / "models" / "configs" / "drives" / "elite3.toml");
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = profile;
    const std::size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos);
    return changed.replace(at, from.size(), to);
  };
  const auto error_of = [&](const std::string& text) -> std::string {
    try {
      load_drive(file("drive.toml", text).string());
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(error_of(profile), "");
  EXPECT_NE(error_of(with("last_cylinder = 2626", "last_cylinder = 2627")).find("ends at cylinder 2627, expected 0 to 2626"),
            std::string::npos);
  EXPECT_NE(error_of(with("sectors_per_track = 99", "sectors_per_trak = 99")).find("sectors_per_track: is missing"),
            std::string::npos);
  EXPECT_NE(error_of(with("sectors_per_track = 99", "sectors_per_trak = 99")).find("did you mean geometry.zone.sectors_per"),
            std::string::npos);
  EXPECT_NE(error_of(with("rpm = 5405.405405", "")).find("mechanics.rpm: is missing"), std::string::npos);
  EXPECT_NE(error_of(with("[[geometry.zone]]", "[geometry.zone]")).find("expected one [[geometry.zone]] table"),
            std::string::npos);
  EXPECT_NE(error_of(with("format = 1", "format = 2")).find("format: found 2, expected 1 to 1"), std::string::npos);
  EXPECT_NE(error_of(with("average_us = 11000.0", "average_us = 99999999.0")).find("longer seeks would be shorter"),
            std::string::npos);
}

// --- jobs, an optional array of tables -------------------------------------------------------------------------------

const std::string kJobs =
    kHead + "[[workload.job]]\nname = \"a\"\nrw = \"randread\"\nbs = 8192\niodepth = 4\n[[workload.job]]\nname = \"b\"\n";

TEST_F(ConfigTest, JobsHaveTheirKeysAndDefaults) {
  EXPECT_TRUE(load(kHead).jobs.empty());
  EXPECT_FALSE(configuration(load(kHead))["workload"].contains("job"));
  const Scenario s = load(kJobs);
  ASSERT_EQ(s.jobs.size(), 2u);
  EXPECT_EQ(s.jobs[0].name, "a");
  EXPECT_EQ(s.jobs[0].bs.bytes[0], 8192u);
  EXPECT_EQ(s.jobs[0].depth(), 4u);
  EXPECT_EQ(s.jobs[1].bs.notation, "4k");
  EXPECT_EQ(s.jobs[1].depth(), 1u);
  EXPECT_EQ(s.positions.at("workload.job.0.bs").line, 6u);
  EXPECT_EQ(s.positions.at("workload.job.1").line, 8u);
  const nlohmann::json dumped = configuration(s)["workload"]["job"];
  EXPECT_EQ(dumped[0]["bs"], "8192");
  EXPECT_EQ(dumped[1]["rw"], "read");
  EXPECT_EQ(configuration(load(to_toml(s))), configuration(s));
}

TEST_F(ConfigTest, AnOverrideNamesAJobByItsNumber) {
  const Scenario s = load(kJobs, {"workload.job.1.iodepth=7", "workload.job.0.bs=64k", "workload.job.1.rate_iops=3.5"});
  EXPECT_EQ(s.jobs[0].bs.notation, "64k");
  EXPECT_EQ(s.jobs[0].iodepth, 4);
  EXPECT_EQ(s.jobs[1].iodepth, 7);
  EXPECT_EQ(s.jobs[1].rate_iops, 3.5);
  // So can other arrays of tables.
  const Scenario zones = load(kHead, {"drive.geometry.zone.3.track_skew_sectors=11"});
  EXPECT_EQ(zones.drive.geometry.zones[3].track_skew_sectors, 11);
  EXPECT_EQ(zones.drive.geometry.zones[2].track_skew_sectors, load(kHead).drive.geometry.zones[2].track_skew_sectors);
  for (const auto& [override, part] : std::vector<std::pair<std::string, std::string>>{
           {"workload.job.2.bs=4k", "there is no job 2, expected 0 to 1"},
           {"workload.job.iodepth=4", "expected the number of a job, from 0 on, and its key: workload.job.0.iodepth"},
           {"workload.job.a.iodepth=4", "workload.job.0.iodepth"},
           {"workload.job.0.iodepht=4", "did you mean workload.job.iodepth?"},
           {"workload.job.0.iodepth=-1", "expected 0 to 100000"},
           {"workload.job.0.bs=4kib", "powers of 1024"}}) {
    const std::vector<ConfigProblem> problems = problems_of(kJobs, {override});
    ASSERT_EQ(problems.size(), 1u) << override;
    EXPECT_NE(problems[0].message.find(part), std::string::npos) << problems[0].message;
    EXPECT_EQ(problems[0].file, "--set " + override);
  }
  EXPECT_NE(problems_of(kHead, {"workload.job.0.bs=4k"})[0].message.find("there is no [[workload.job]]"), std::string::npos);
}

TEST_F(ConfigTest, JobsThatCannotBeAreRefusedWithTheirPlace) {
  expect_problem(kHead + "[[workload.job]]\nrw = \"read\"\n", "workload.job.0.name", "is missing", 3, 1);
  expect_problem(kJobs + "rw = \"trim\"\n", "workload.job.1.rw", "expected one of read, write", 10, 6);
  expect_problem(kJobs + "bs = 4.5\n", "workload.job.1.bs", "expected a text or a whole number", 10, 6);
  expect_problem(kJobs + "[[workload.job]]\nname = \"a\"\n", "workload.job.2.name", "expected a name that no other job has", 11,
                 8);
  expect_problem(kJobs + "[[workload.job]]\nname = \"a b\"\n", "workload.job.2.name", "letters, digits", 11, 8);
  for (const auto& [keys, key, part] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {"bs = \"1000\"", "bs", "whole sectors of 512 bytes"},
           {"bssplit = \"4k/50:100/50\"", "bssplit", "whole sectors"},
           {"bs = \"4g\"", "bs", "less than 4 GiB"},
           {"offset = 100", "offset", "whole sectors"},
           {"blockalign = \"5%\"", "blockalign", "expected bytes"},
           {"rate_iops = 1e-9", "rate_iops", "expected 0, or at least"},
           {"rate_iops = 5.0\nthinktime = 1.0", "thinktime", "expected iodepth above 0"},
           {"class = \"continuous\"", "deadline_ms", "continuous requests have deadlines"},
           {"cmdprio_percentage = 5\ncmdprio_class = \"continuous\"", "cmdprio_deadline_ms",
            "continuous requests have deadlines"}}) {
    const std::vector<ConfigProblem> problems = problems_of(kJobs + keys + "\n");
    ASSERT_EQ(problems.size(), 1u) << keys;
    EXPECT_EQ(problems[0].key, "workload.job.1." + key);
    EXPECT_NE(problems[0].message.find(part), std::string::npos) << problems[0].message;
    EXPECT_GE(problems[0].line, 10u);
  }
  expect_problem(kJobs + "[sim]\nmeasure_s = 0\n", "sim.measure_s", "0 is allowed with a trace, or with a job that ends, only",
                 11, 13);
  EXPECT_EQ(load(kJobs + "runtime = 3.0\n[sim]\nmeasure_s = 0\n").run.measure_s, 0);
  expect_problem(kHead + "[workload]\npace = \"closed\"\n", "workload.pace", "workload.discrete.source = \"trace\"", 4, 8);
}

// --- sections in files of their own ----------------------------------------------------------------------------------

TEST_F(ConfigTest, ASectionMayBeAFileRelativeToTheFileThatNamesIt) {
  file("parts/load.toml", "discrete = \"deeper/random.toml\"\n[continuous]\nstreams = 2\ntables = [\"t.csv\"]\n");
  file("parts/deeper/random.toml", "source = \"closed\"\noutstanding = 9\n");
  file("parts/t.csv", "x");
  const Scenario s = load(kHead + "workload = \"parts/load.toml\"\n");
  EXPECT_EQ(s.discrete.generated.outstanding, 9);
  EXPECT_EQ(s.continuous.streams, 2);
  ASSERT_EQ(s.continuous.tables.size(), 1u);
  EXPECT_EQ(s.continuous.tables[0].path, dir_ / "parts" / "t.csv");
  EXPECT_EQ(s.positions.at("workload.discrete.outstanding").file, (dir_ / "parts" / "deeper" / "random.toml").string());
}

TEST_F(ConfigTest, AProblemInASectionsFileNamesThatFile) {
  file("load.toml", "[discrete]\nsourc = \"closed\"\n");
  const std::vector<ConfigProblem> problems = problems_of(kHead + "workload = \"load.toml\"\n");
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].file, (dir_ / "load.toml").string());
  EXPECT_EQ(problems[0].line, 2u);
  EXPECT_EQ(problems[0].key, "workload.discrete.sourc");
}

TEST_F(ConfigTest, ASectionWithFileStartsFromItAndOverridesIt) {
  file("load.toml", "source = \"poisson\"\nrate_per_s = 10\nmean_bytes = 512\n");
  const Scenario s = load(
      "format = 1\n[drive]\nfile = \"atlas10k\"\nbus.read_block_us = 6.4\n"
      "[workload.discrete]\nfile = \"load.toml\"\nrate_per_s = 20.0\n");
  EXPECT_EQ(s.drive_name, "atlas10k");
  EXPECT_EQ(s.drive.bus_read_block_us, 6.4);
  EXPECT_EQ(s.drive.head_switch_us, load_drive("atlas10k").head_switch_us);
  EXPECT_EQ(s.discrete.generated.rate_per_s, 20.0);
  EXPECT_EQ(s.discrete.generated.mean_bytes, 512);
  EXPECT_EQ(s.positions.at("workload.discrete.rate_per_s").file, (dir_ / "scenario.toml").string());
  EXPECT_EQ(s.positions.at("workload.discrete.rate_per_s").line, 7u);
  EXPECT_EQ(s.positions.at("workload.discrete.mean_bytes").file, (dir_ / "load.toml").string());
}

TEST_F(ConfigTest, AFileMayStartFromAnotherOne) {
  file("base.toml", "source = \"poisson\"\nrate_per_s = 10\nmean_bytes = 512\n");
  file("more.toml", "file = \"base.toml\"\nrate_per_s = 20\n");
  const std::string scenario = kHead + "[workload]\ndiscrete = { file = \"more.toml\", read_fraction = 0.5 }\n";
  const Scenario s = load(scenario);
  EXPECT_EQ(s.discrete.generated.read_fraction, 0.5);
  EXPECT_EQ(s.discrete.generated.rate_per_s, 20);
  EXPECT_EQ(s.discrete.generated.mean_bytes, 512);
  const Scenario named = load(kHead + "[workload]\ndiscrete = \"more.toml\"\n");
  EXPECT_EQ(named.discrete.generated.mean_bytes, 512);
  file("base.toml", "file = \"more.toml\"\n");
  const std::vector<ConfigProblem> problems = problems_of(scenario);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems[0].message.find("circle"), std::string::npos) << problems[0].message;
}

TEST_F(ConfigTest, ALongChainOfFilesIsNoCircle) {
  file("0.toml", "source = \"poisson\"\nrate_per_s = 10\nmean_bytes = 512\n");
  for (int i = 1; i <= 20; ++i)
    file(std::to_string(i) + ".toml",
         "file = \"" + std::to_string(i - 1) + ".toml\"\nrate_per_s = " + std::to_string(10 + i) + "\n");
  const Scenario s = load(kHead + "[workload]\ndiscrete = \"20.toml\"\n");
  EXPECT_EQ(s.discrete.generated.rate_per_s, 30);
  EXPECT_EQ(s.discrete.generated.mean_bytes, 512);
}

TEST_F(ConfigTest, AProfileMayHaveOnlyWhatDiffersFromItsBase) {
  file("faster.toml",
       "base = \"elite3\"\nname = \"faster\"\n[mechanics]\nrpm = 6000.0\n[[geometry.zone]]\noffset_sectors = 2.5\n");
  const fs::path mine = file("mine.toml", "base = \"faster.toml\"\nmechanics.head_switch_us = 900.0\nseek.points_us = []\n");
  nlohmann::json expected = profile::configuration(load_drive("elite3"));
  expected["name"] = "faster";
  expected["mechanics"]["rpm"] = 6000.0;
  expected["mechanics"]["head_switch_us"] = 900.0;
  expected["geometry"]["zone"][0]["offset_sectors"] = 2.5;
  EXPECT_EQ(profile::configuration(load_drive(mine.string())), expected);

  const Scenario named = load("format = 1\ndrive = \"mine.toml\"\n");
  EXPECT_EQ(profile::configuration(named.drive), expected);
  EXPECT_EQ(named.drive_name, "mine.toml");
  EXPECT_EQ(named.positions.at("drive.mechanics.head_switch_us").file, (dir_ / "mine.toml").string());
  EXPECT_EQ(named.positions.at("drive.mechanics.rpm").file, (dir_ / "faster.toml").string());
  EXPECT_EQ(named.positions.at("drive.mechanics.rpm").line, 4u);
  const Scenario changed =
      load("format = 1\n[drive]\nfile = \"mine.toml\"\nmechanics.head_switch_us = 800.0\n", {"drive.mechanics.rpm=5000"});
  expected["mechanics"]["head_switch_us"] = 800.0;
  expected["mechanics"]["rpm"] = 5000.0;
  EXPECT_EQ(profile::configuration(changed.drive), expected);
}

TEST_F(ConfigTest, AProfilesBaseIsFoundAndIsNotItself) {
  const auto expect_in = [this](const std::string& text, const std::string& where, std::size_t line, const std::string& part) {
    const fs::path mine = file("mine.toml", text);
    for (const bool alone : {true, false}) {
      std::vector<ConfigProblem> problems;
      try {
        if (alone)
          load_drive(mine.string());
        else
          problems = problems_of("format = 1\ndrive = \"mine.toml\"\n");
      } catch (const ConfigError& error) {
        problems = error.problems();
      }
      ASSERT_EQ(problems.size(), 1u) << text;
      EXPECT_EQ(problems[0].file, (dir_ / where).string());
      EXPECT_EQ(problems[0].line, line) << problems[0].message;
      EXPECT_NE((problems[0].key + ": " + problems[0].message).find(part), std::string::npos)
          << problems[0].key << ": " << problems[0].message;
    }
  };
  file("circle.toml", "# a comment\nbase = \"mine.toml\"\n");
  file("broken.toml", "base = \"elite3\"\n[mechanics]\nrpn = 1\n");
  expect_in("base = \"circle.toml\"\n", "circle.toml", 2, "base: the files start from each other in a circle");
  expect_in("base = \"mine.toml\"\n", "mine.toml", 1, "base: the files start from each other in a circle");
  expect_in("\nbase = \"elite33\"\n", "mine.toml", 2, "base: there is no drive \"elite33\" (did you mean elite3?)");
  expect_in("base = \"nowhere.toml\"\n", "mine.toml", 1, "base: there is no file");
  expect_in("base = 3\n", "mine.toml", 1, "base: expected the name of a file");
  expect_in("base = \"broken.toml\"\nname = \"mine\"\n", "broken.toml", 3, "mechanics.rpn: there is no such key");
  expect_in("base = \"elite3\"\n[[geometry.zone]]\n[[geometry.zone]]\n", "mine.toml", 2, "geometry.zone: found 2 [[");
  expect_in("base = \"elite3\"\n[mechanics]\nrpm = 1.0\n", "mine.toml", 3, "mechanics.rpm: found 1");
  expect_problem("format = 1\n[drive]\nfile = \"elite3\"\nbase = \"elite3\"\n", "drive.base", "there is no such key", 4, 8);
}

TEST_F(ConfigTest, EverySectionMayBeAFileAtOnce) {
  const nlohmann::json drive = profile::configuration(load_drive("elite3"));
  std::string profile = "format = 1\nname = \"x\"\nsource = \"y\"\n";
  for (const char* section : {"geometry", "seek", "mechanics", "overhead", "bus", "controller", "queue"}) {
    std::string text;
    for (const auto& [key, value] : drive[section].items()) {
      if (key == "zone") continue;
      text += key + " = " + value.dump() + "\n";
    }
    if (std::string(section) == "geometry") {
      text += "[[zone]]\n";
      for (const auto& [key, value] : drive["geometry"]["zone"][0].items()) text += key + " = " + value.dump() + "\n";
    }
    file(std::string(section) + ".toml", text);
    profile += std::string(section) + " = \"" + section + ".toml\"\n";
  }
  file("drive.toml", profile);
  file("sim.toml", "seed = 4\n");
  file("observe.toml", "wave_to_s = 5\n");
  file("accelerator.toml", "margin_ticks = 6\n");
  file("workload.toml", "discrete = \"discrete.toml\"\ncontinuous = \"continuous.toml\"\n");
  file("discrete.toml", "outstanding = 7\n");
  file("continuous.toml", "round_s = 2\n");
  const Scenario s = load(
      "format = 1\ndrive = \"drive.toml\"\nsim = \"sim.toml\"\nobserve = \"observe.toml\"\n"
      "accelerator = \"accelerator.toml\"\nworkload = \"workload.toml\"\n");
  EXPECT_EQ(s.drive.name, "x");
  EXPECT_EQ(s.drive.seek.full_us, 22500.0);
  EXPECT_EQ(s.run.seed, 4);
  EXPECT_EQ(s.discrete.generated.outstanding, 7);
  EXPECT_EQ(s.continuous.round_s, 2.0);
}

// --- overrides -----------------------------------------------------------------------------------------------------

TEST_F(ConfigTest, OverridesTakeTomlValuesAndBareWords) {
  const Scenario s = load(kHead + "policy = \"LOOK\"\n[sim]\nseed = 3\n",
                          {"policy=SPTF(next-C)", "engine = \"model\"", "sim.seed=5", "sim.measure_s=2.5",
                           "drive.queue.depth=8", "drive.queue.reject_when_full=true", "drive.geometry.mapping=plain"});
  EXPECT_EQ(s.policy.name(), "SPTF(next-C)");
  EXPECT_EQ(s.engine.row->name, "model");
  EXPECT_EQ(s.run.seed, 5);
  EXPECT_EQ(s.run.measure_s, 2.5);
  EXPECT_EQ(s.drive.queue_depth, 8u);
  EXPECT_TRUE(s.drive.reject_when_full);
  EXPECT_EQ(s.drive.geometry.mapping, profile::Mapping::Plain);
}

TEST_F(ConfigTest, AnOverrideExchangesTheDriveOrAWholeSection) {
  file("other.toml", "source = \"closed\"\noutstanding = 9\n");
  file("load.toml", "discrete = \"other.toml\"\n");
  const std::string text =
      "format = 1\n[drive]\nfile = \"atlas10k\"\nbus.read_block_us = 6.4\n"
      "[workload.discrete]\nsource = \"poisson\"\nrate_per_s = 10\nmean_bytes = 512\n";
  const Scenario drive = load(text, {"drive=cheetah9lp"});
  EXPECT_EQ(drive.drive.name, "Seagate Cheetah 9LP");
  EXPECT_EQ(drive.drive_name, "cheetah9lp");
  EXPECT_EQ(drive.drive.bus_read_block_us, 105.0);
  const Scenario section = load(text, {"workload.discrete=other.toml"});
  EXPECT_EQ(section.discrete.generated.outstanding, 9);
  EXPECT_EQ(section.discrete.generated.mean_bytes, workload::GeneratedLoad().mean_bytes);  // nothing of the section is left
  const Scenario above = load(text, {"workload=load.toml", "workload.discrete.outstanding=11"});
  EXPECT_EQ(above.discrete.generated.outstanding, 11);
  EXPECT_EQ(above.discrete.generated.mean_bytes, workload::GeneratedLoad().mean_bytes);
  EXPECT_EQ(load(kHead, {"workload.discrete=other.toml"}).discrete.generated.outstanding, 9);
}

TEST_F(ConfigTest, ProblemsOfOverridesNameThem) {
  const auto problem = [&](const std::string& set) {
    const std::vector<ConfigProblem> problems = problems_of(kHead, {set});
    EXPECT_EQ(problems.size(), 1u) << set;
    return problems.empty() ? ConfigProblem{} : problems[0];
  };
  EXPECT_EQ(problem("sim.sed=1").file, "--set sim.sed=1");
  EXPECT_NE(problem("sim.sed=1").message.find("did you mean sim.seed?"), std::string::npos);
  EXPECT_EQ(problem("sim.seed=one").key, "sim.seed");
  EXPECT_NE(problem("sim.seed=one").message.find("found 'one', expected a whole number"), std::string::npos);
  EXPECT_NE(problem("sim.seed").message.find("expected KEY=VALUE"), std::string::npos);
  EXPECT_NE(problem("=5").message.find("expected KEY=VALUE"), std::string::npos);
  EXPECT_NE(problem("drive=atlas10").message.find("did you mean atlas10k?"), std::string::npos);
  EXPECT_NE(problem("sim=5").message.find("expected a section"), std::string::npos);
}

// --- what comes out ------------------------------------------------------------------------------------------------

TEST_F(ConfigTest, EffectiveConfigurationHoldsEveryKeyOfTheTables) {
  const nlohmann::json out = configuration(load(kHead + "[sim]\nseed = 9\n"));
  const auto at = [](const nlohmann::json& object, std::string_view key) {
    std::string path = "/" + std::string(key);
    std::replace(path.begin(), path.end(), '.', '/');
    return object.contains(nlohmann::json::json_pointer(path));
  };
  Scenario defaults;
  const params::Grammar keys = grammar(defaults);
  EXPECT_GT(keys.rows().size(), 100u);
  for (const params::BoundRow& row : keys.rows()) EXPECT_TRUE(at(out, row.key)) << row.key;
  for (const auto& parameter : profile::zone_parameters())
    EXPECT_TRUE(out["drive"]["geometry"]["zone"][0].contains(parameter.key)) << parameter.key;
  EXPECT_EQ(out["sim"]["seed"], 9);
  EXPECT_EQ(out["drive"]["geometry"]["zone"].size(), 24u);
}

/// The configuration with file names by what they point to.
nlohmann::json comparable(const Scenario& s) {
  nlohmann::json out = configuration(s);
  const auto target = [](const params::FileName& name) {
    return name.empty() ? std::string() : fs::weakly_canonical(name.path).string();
  };
  out["workload"]["discrete"]["trace"] = target(s.discrete.trace.file);
  out["workload"]["continuous"]["tables"] = nlohmann::json::array();
  for (const params::FileName& name : s.continuous.tables) out["workload"]["continuous"]["tables"].push_back(target(name));
  return out;
}

TEST_F(ConfigTest, ADumpedScenarioLoadsAgainToTheSameConfiguration) {
  std::vector<Scenario> scenarios;
  for (const auto& entry : fs::directory_iterator(config_directory() / "scenarios"))
    if (entry.path().extension() == ".toml") scenarios.push_back(load_scenario(entry.path()));
  for (const ShippedDrive& drive : shipped_drives()) scenarios.push_back(load("format = 1\ndrive = \"" + drive.name + "\"\n"));
  scenarios.push_back(load(kHead, {"sim.measure_s=0.1", "workload.discrete.trace_speed=1e-6", "sim.seed=9000000000000000000",
                                   "workload.discrete.trace_device='a \"quoted\" \\ back\tslash'"}));
  for (const Scenario& scenario : scenarios) {
    const Scenario again = load_scenario(file("elsewhere/dump.toml", to_toml(scenario)));
    EXPECT_EQ(comparable(again), comparable(scenario));
  }
}

TEST_F(ConfigTest, ADumpNamesFilesSoThatTheyAreFoundFromAnywhere) {
  file("t.csv", "x");
  file("scenario.toml", kHead + "[workload.continuous]\ntables = [\"t.csv\"]\n");
  const fs::path before = fs::current_path();
  fs::current_path(dir_);
  const Scenario relative = load_scenario("scenario.toml");
  const std::string dump = to_toml(relative);
  fs::current_path(before);
  const Scenario again = load_scenario(file("elsewhere/dump.toml", dump));
  ASSERT_EQ(again.continuous.tables.size(), 1u);
  EXPECT_TRUE(fs::equivalent(again.continuous.tables[0].path, dir_ / "t.csv"));
}

TEST_F(ConfigTest, KeysOfAnotherHostAreNamedWithIt) {
  expect_problem(kHead + "[array]\ndrives = 3\n", "array",
                 "there is no such section with host.kind = \"drive\"; it exists with \"array\"", 3, 1);
  expect_problem(kHead + "[host]\nkind = \"autoqos\"\n[workload.discrete]\nsource = \"closed\"\n[[stream]]\nname = \"a\"\n",
                 "workload", "with host.kind = \"autoqos\"; it exists with \"drive\" or \"array\"", 5, 1);
  expect_problem(kHead + "[host]\nkind = \"arrray\"\n[array]\ndrives = 3\n", "host.kind",
                 "found \"arrray\", expected one of drive, array, media_server, mixed_server, autoqos (did you mean array?)", 4,
                 8);
  const Scenario s = load(kHead + "[array]\ndrives = 3\n", {"host.kind=array"});
  EXPECT_EQ(s.host->name, "array");
  EXPECT_EQ(s.array.drives, 3u);
}

TEST_F(ConfigTest, HostsHaveDefaultsOfTheirOwn) {
  for (const char* kind : {"drive", "array", "media_server", "mixed_server"}) {
    const Scenario s = load(kHead, {std::string("host.kind=") + kind});
    EXPECT_EQ(s.host->name, kind);
    const Scenario defaults(*s.host);
    EXPECT_EQ(s.policy.name(), defaults.policy.name());
    EXPECT_EQ(s.run.measure_s, defaults.run.measure_s);
  }
  EXPECT_NE(load(kHead, {"host.kind=media_server"}).policy.name(), Scenario().policy.name());
}

TEST_F(ConfigTest, ASetOfNamesHasEachOnce) {
  EXPECT_EQ(load(kHead).accelerator.features, 15);
  EXPECT_EQ(load(kHead + "[accelerator]\nfeatures = []\n").accelerator.features, 0);
  EXPECT_EQ(load(kHead + "[accelerator]\nfeatures = [\"limits\", \"ageing\"]\n").accelerator.features, 5);
  const auto refused = [this](const std::string& value, const std::string& part) {
    expect_problem(kHead + "[accelerator]\nfeatures = " + value + "\n", "accelerator.features", part, 4, 12);
  };
  refused("15", "found 15, expected an array of names of ageing, look_ahead, limits, zero_latency");
  refused("[1, 2]", "expected an array of names of ageing");
  refused("[\"ageing\", \"limit\"]", "expected one of ageing, look_ahead, limits, zero_latency (did you mean limits?)");
  refused("[\"ageing\", \"ageing\"]", "found \"ageing\" twice");
}

// --- nearest names -------------------------------------------------------------------------------------------------

TEST(Nearest, FindsTheLeastEditsAndNothingFarAway) {
  EXPECT_EQ(core::nearest_name("polcy", {"engine", "policy", "sim"}), "policy");
  EXPECT_EQ(core::nearest_name("POLICY", {"police", "policy"}), "policy");  // case does not count
  EXPECT_EQ(core::nearest_name("kitten", {"sitting", "mitten"}), "mitten");
  EXPECT_EQ(core::nearest_name("ab", {"ac", "ad"}), "ac");  // the first of equals
  EXPECT_EQ(core::nearest_name("seed", {"workload"}), "");
  EXPECT_EQ(core::nearest_name("abcdef", {"abcxyz"}), "abcxyz");  // 3 edits of 6 letters are near enough
  EXPECT_EQ(core::nearest_name("abcdef", {"abwxyz"}), "");        // 4 are not
  EXPECT_EQ(core::nearest_name("x", {}), "");
  // A long name costs no time: comparing it with each of many would take seconds.
  const std::string longest(20'000'000, 'x');
  EXPECT_EQ(core::nearest_name(longest, std::vector<std::string_view>(1000, "workload.discrete.source")), "");
  EXPECT_EQ(core::did_you_mean("polcy", {"policy"}), " (did you mean policy?)");
  EXPECT_EQ(core::did_you_mean("zzzzzz", {"policy"}), "");
}

}  // namespace
}  // namespace platter::system
