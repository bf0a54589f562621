// SPDX-License-Identifier: Apache-2.0
//
// Job files of fio become scenarios, or every option that cannot is told.
#include "platter/workload/fio_job_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "platter/core/error.h"

namespace platter::workload {
namespace {

namespace fs = std::filesystem;

class FioJobFile : public ::testing::Test {
 protected:
  void TearDown() override { fs::remove(path_); }

  FioImport import(const std::string& text) {
    std::ofstream(path_) << text;
    return import_fio(path_, "cheetah9lp");
  }
  std::string scenario(const std::string& text) { return import(text).scenario; }
  std::vector<core::ConfigProblem> problems_of(const std::string& text) {
    try {
      import(text);
    } catch (const core::ConfigError& error) {
      return error.problems();
    }
    ADD_FAILURE() << "no error for\n" << text;
    return {};
  }
  void expect_refused(const std::string& text, const std::string& key, std::size_t line, const std::string& part = "") {
    const std::vector<core::ConfigProblem> problems = problems_of(text);
    ASSERT_EQ(problems.size(), 1u) << text;
    EXPECT_EQ(problems[0].key, key);
    EXPECT_EQ(problems[0].line, line);
    EXPECT_NE(problems[0].message.find(part), std::string::npos) << problems[0].message;
  }

  fs::path path_ = fs::path(::testing::TempDir()) /
                   (std::string("platter_") + ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".fio");
};

void expect_has(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << "expected " << part << " in\n" << text;
}

TEST_F(FioJobFile, TakesGlobalOptionsCommentsAndSeveralJobs) {
  const FioImport made = import(
      "; a comment\n[global]\nioengine=libaio\ndirect=1\nfilename=/dev/sdb\nruntime=2m\ntime_based\nbs=8k # of all\n\n"
      "[random reads]\nrw=randread\niodepth=32\nrandom_distribution=zipf\n"
      "[mixed]\nreadwrite = randrw\nrwmixwrite=30\nbssplit=4k/50:64k/\nrate_iops=70,30\nrate_process=poisson\nstartdelay=10\n"
      "thinktime=5ms\nsize=10%\noffset=1g\n");
  expect_has(made.scenario, {"measure_s = 130.0", "name = \"random-reads\"", "rw = \"randread\"", "bs = \"8k\"", "iodepth = 32",
                             "runtime = 120.0", "random_distribution = \"zipf:1.1\"", "rwmixread = 70.0",
                             "bssplit = \"4k/50:64k/\"", "rate_iops = 100.0", "rate_process = \"poisson\"", "iodepth = 1\n",
                             "startdelay = 10.0", "thinktime = 5000.0", "size = \"10%\"", "offset = \"1g\""});
  EXPECT_EQ(made.remarks, std::vector<std::string>());
}

TEST_F(FioJobFile, AJobWithoutATimeEndsWithItsSize) {
  const FioImport made = import("[a]\nrw=write\nsize=64m\n[b]\nio_size=1g\nsize=2g\n[c]\n");
  expect_has(made.scenario, {"measure_s = 0", "io_size = \"100%\"", "size = \"64m\"", "io_size = \"1g\"", "io_size = \"100%\"",
                             "rw = \"read\""});
  ASSERT_EQ(made.remarks.size(), 6u);  // page cache and file of each job
  EXPECT_NE(made.remarks[0].find(".fio:1: direct: "), std::string::npos) << made.remarks[0];
}

TEST_F(FioJobFile, CopiesHaveTheirOffsets) {
  const std::string text =
      scenario("[w]\nrw=write\nnumjobs=3\nsize=1m\noffset=4k\noffset_increment=1m\nfilename=x\ndirect=1\n");
  expect_has(text, {"name = \"w\"", "name = \"w-1\"", "name = \"w-2\"", "offset = \"4096\"", "offset = \"1052672\"",
                    "offset = \"2101248\""});
}

TEST_F(FioJobFile, AStonewallStartsWhenTheJobsBeforeHaveEnded) {
  const std::string text =
      scenario("[global]\ntime_based\nruntime=10\n[a]\n[b]\nruntime=20\n[c]\nstonewall\nstartdelay=1\n[d]\nstonewall\n");
  expect_has(text, {"startdelay = 21.0", "startdelay = 31.0", "measure_s = 41.0"});
  expect_refused("[a]\nsize=1m\n[c]\nstonewall\n", "stonewall", 4, "the end of job a is not known");
}

TEST_F(FioJobFile, TheRampIsTheWarmUp) {
  const std::string text = scenario("[global]\ntime_based\nruntime=10\nramp_time=5\n[a]\n[b]\n");
  expect_has(text, {"warmup_s = 5.0", "measure_s = 10.0", "runtime = 15.0"});
  expect_refused("[a]\ntime_based\nruntime=10\nramp_time=5\n[b]\ntime_based\nruntime=10\n", "ramp_time", 5);
}

TEST_F(FioJobFile, ASynchronousEngineHasADepthOfOne) {
  const FioImport made = import("[a]\niodepth=16\nfilename=x\ndirect=1\n");
  expect_has(made.scenario, {"iodepth = 1\n"});
  ASSERT_EQ(made.remarks.size(), 1u);
  EXPECT_NE(made.remarks[0].find("iodepth: 1 instead of 16"), std::string::npos) << made.remarks[0];
}

TEST_F(FioJobFile, WhatHasNoEquivalentIsRefusedWithItsLine) {
  const std::string head = "[a]\nfilename=x\ndirect=1\n";
  for (const auto& [line, part] : std::vector<std::pair<std::string, std::string>>{{"rw=trim", "expected read"},
                                                                                   {"rw=randread:8", "expected read"},
                                                                                   {"bs=4kib", "powers of 1024"},
                                                                                   {"bs=4k,8k,16k", ""},
                                                                                   {"random_distribution=normal:50", "zipf"},
                                                                                   {"random_distribution=zipf:1.1:0.5", "zipf"},
                                                                                   {"thinktime_blocks=4", "after each request"},
                                                                                   {"verify=md5", "no equivalent"},
                                                                                   {"fsync=32", "expected 0"},
                                                                                   {"ioengine=net", "block device"},
                                                                                   {"rate=10m", "no equivalent"},
                                                                                   {"latency_target=10ms", "no equivalent"},
                                                                                   {"cmdprio_percentage=5", "no equivalent"},
                                                                                   {"read_iolog=trace.log", "no equivalent"},
                                                                                   {"startdelay=1-5", "expected a time"},
                                                                                   {"loops=2", "expected 1"},
                                                                                   {"numjobs=0", "expected 1 to 1000"},
                                                                                   {"time_based", "expected runtime"},
                                                                                   {"numjobs=1.5", "a whole number"},
                                                                                   {"iodepth=2.5", "a whole number"},
                                                                                   {"kb_base=1000", "powers of 1024"},
                                                                                   {"create_only=1", "expected 0"},
                                                                                   {"file_append=1", "expected 0"},
                                                                                   {"iodepth=x", "expected a number"},
                                                                                   {"iodepth=1000000", "expected at most"},
                                                                                   {"rate_iops=1e12", "expected at most"},
                                                                                   {"startdelay=20d", "at most 1e+06 s"},
                                                                                   {"offset_increment=2p", "at most 1 PiB"},
                                                                                   {"nosuchoption=1", "no equivalent"}})
    expect_refused(head + line + "\n", line.substr(0, line.find('=')), 4, part);
  expect_refused(head + "ioengine=libaio\niodepth=4\nthinktime=10\n", "thinktime", 6, "each request outstanding thinks alone");
  expect_refused(head + "runtime=0\ntime_based\n", "time_based", 5, "expected runtime");
  expect_refused(head + "rw=randrw\nrate_iops=100,10\n", "rate_iops", 5, "the same share");
  expect_refused("[a]\nfilename=x\ndirect=1\n[b]\nfilename=y\ndirect=1\n", "filename", 5, "one file");
  EXPECT_EQ(problems_of("[a]\nverify=md5\nrate=1m\nzonemode=zbd\n").size(), 3u) << "all are told together";
  EXPECT_EQ(problems_of("[global]\nverify=md5\n[a]\n[b]\n").size(), 1u) << "of a global section, once";
}

TEST_F(FioJobFile, OtherFilesAreRefused) {
  for (const char* text : {"", "rw=read\n", "[global]\nrw=read\n", "[\nrw=read\n", "[a]\ninclude x.fio\n"})
    EXPECT_THROW(import(text), core::InputError) << text;
}

}  // namespace
}  // namespace platter::workload
