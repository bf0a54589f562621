// SPDX-License-Identifier: Apache-2.0
//
// Statistics, request log and output files, compared with numbers calculated by hand.
#include "testing.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "platter/core/error.h"
#include "platter/core/input_files.h"
#include "platter/observe/output_file.h"
#include "platter/observe/request_log.h"
#include "platter/observe/statistics.h"

// Replaces the C library's function, so that a test sees which inodes are synchronised, in which order.
static std::vector<ino_t>& synced_files() {
  static std::vector<ino_t> inodes;
  return inodes;
}
extern "C" int fsync(int descriptor) {
  struct stat found{};
  if (fstat(descriptor, &found) == 0) synced_files().push_back(found.st_ino);
  return static_cast<int>(syscall(SYS_fsync, descriptor));
}

namespace platter::testing {
namespace {

namespace fs = std::filesystem;
using observe::OutputFile;
using observe::RequestLog;
using observe::Samples;
using observe::Statistics;
using workload::Request;

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

Request request(Picoseconds time, RequestClass cls, Picoseconds deadline = core::kNoDeadline) {
  Request r;
  r.issued = time;
  r.address = 4096;
  r.length = 1024;
  r.cls = cls;
  r.deadline = deadline;
  return r;
}

/// Parts 1, 2, … 7 ms in the order queue to bus, stretched to `response` by the queue's part.
CommandTiming timing(Picoseconds issued, Picoseconds response) {
  CommandTiming t;
  t.issued = issued;
  t.accepted = issued + 1;
  t.completed = issued + response;
  t.overhead = 2 * kMs;
  t.seek = 3 * kMs;
  t.settle = 4 * kMs;
  t.rotation = 5 * kMs;
  t.transfer = 6 * kMs;
  t.bus = 7 * kMs;
  t.queue = response - 27 * kMs;
  t.started = issued + t.queue;
  return t;
}

void finish(workload::RequestObserverIf& observer, const Request& r, const CommandTiming& t,
            CommandStatus status = CommandStatus::Good) {
  observer.finished({r, 0, status, t});
}

TEST(Samples, NearestRankPercentiles) {
  Samples samples;
  for (const int ms : {20, 15, 50, 35, 40}) samples.add(ms * kMs);
  EXPECT_EQ(samples.count(), 5u);
  EXPECT_DOUBLE_EQ(*samples.mean_ms(), 32);
  EXPECT_DOUBLE_EQ(*samples.max_ms(), 50);
  EXPECT_DOUBLE_EQ(*samples.percentile_ms(5), 15);
  EXPECT_DOUBLE_EQ(*samples.percentile_ms(20), 15);
  EXPECT_DOUBLE_EQ(*samples.percentile_ms(20.1), 20);
  EXPECT_DOUBLE_EQ(*samples.percentile_ms(30), 20);
  EXPECT_DOUBLE_EQ(*samples.percentile_ms(40), 20);
  EXPECT_DOUBLE_EQ(*samples.percentile_ms(50), 35);
  EXPECT_DOUBLE_EQ(*samples.percentile_ms(100), 50);
  samples.add(1 * kMs);  // after a percentile was asked for
  EXPECT_DOUBLE_EQ(*samples.percentile_ms(5), 1);
  EXPECT_DOUBLE_EQ(*samples.percentile_ms(50), 20);
}

TEST(Samples, PercentilesOfAHundred) {
  Samples samples;
  for (int ms = 100; ms >= 1; --ms) samples.add(ms * kMs);
  for (const double p : {1.0, 50.0, 90.0, 95.0, 99.0, 100.0}) EXPECT_DOUBLE_EQ(*samples.percentile_ms(p), p);
  EXPECT_DOUBLE_EQ(*samples.percentile_ms(99.9), 100);
  for (int ms = 101; ms <= 1'000; ++ms) samples.add(ms * kMs);
  EXPECT_DOUBLE_EQ(*samples.percentile_ms(99.9), 999);
}

TEST(Samples, BeyondWhatIsKeptAThousandthIsTold) {
  Samples exact;
  Samples many;
  constexpr std::size_t kCount = Samples::kMaxKept / 4;
  for (std::size_t i = 1; i <= kCount; ++i) exact.add(static_cast<Picoseconds>(i * i) * 1'000);
  for (int times = 0; times < 5; ++times)
    for (std::size_t i = 1; i <= kCount; ++i) many.add(static_cast<Picoseconds>(i * i) * 1'000);
  EXPECT_EQ(many.count(), 5 * kCount);
  EXPECT_EQ(*many.max_ms(), *exact.max_ms());
  EXPECT_NEAR(*many.mean_ms() / *exact.mean_ms(), 1, 1e-9);
  EXPECT_NEAR(*many.fairness_index(), *exact.fairness_index(), 1e-9);
  for (const double p : {0.1, 1.0, 50.0, 95.0, 99.9, 100.0}) {
    EXPECT_LE(*many.percentile_ms(p), *exact.percentile_ms(p)) << p;
    EXPECT_GT(*many.percentile_ms(p), *exact.percentile_ms(p) * (1 - 1.0 / 1024)) << p;
  }
}

TEST(Samples, OfNothing) {
  const Samples samples;
  EXPECT_FALSE(samples.percentile_ms(50));
  EXPECT_FALSE(samples.mean_ms());
  EXPECT_FALSE(samples.max_ms());
  EXPECT_FALSE(samples.fairness_index());
}

TEST(Samples, FairnessIndex) {
  Samples equal;
  for (int i = 0; i < 4; ++i) equal.add(7 * kMs);
  EXPECT_DOUBLE_EQ(*equal.fairness_index(), 1);
  Samples spread;  // (1 + 2 + 3)^2 / (3 (1 + 4 + 9))
  for (const int ms : {1, 2, 3}) spread.add(ms * kMs);
  EXPECT_DOUBLE_EQ(*spread.fairness_index(), 36.0 / 42.0);
  Samples one_waits;
  one_waits.add(9 * kMs);
  for (int i = 0; i < 3; ++i) one_waits.add(0);
  EXPECT_DOUBLE_EQ(*one_waits.fairness_index(), 0.25);
}

TEST(Statistics, TheAccountIsByIssueAndTheTimesByCompletion) {
  Statistics statistics(10 * kMs);
  const Request early = request(1 * kMs, RequestClass::Discrete);  // completes as the measured time begins
  const Request before = request(10 * kMs - 1, RequestClass::Discrete);
  const Request at = request(10 * kMs, RequestClass::Discrete);
  const Request background = request(20 * kMs, RequestClass::Background);
  const Request left = request(2 * kMs, RequestClass::Discrete);
  for (const Request* r : {&early, &before, &at, &background, &left}) statistics.issued(*r);
  finish(statistics, early, timing(early.issued, 9 * kMs));
  finish(statistics, before, timing(before.issued, 100 * kMs));
  finish(statistics, at, timing(at.issued, 30 * kMs));
  finish(statistics, background, timing(background.issued, 40 * kMs), CommandStatus::BadAddress);
  statistics.outstanding(left, 200 * kMs);
  const observe::ClassStatistics& discrete = statistics.of(RequestClass::Discrete);
  EXPECT_EQ(discrete.issued, 1u);
  EXPECT_EQ(discrete.completed, 1u);
  EXPECT_EQ(discrete.failed, 0u);
  EXPECT_EQ(discrete.outstanding, 0u);
  EXPECT_EQ(discrete.response.count(), 2u);
  EXPECT_EQ(discrete.bytes, 2 * 1024u);
  EXPECT_DOUBLE_EQ(*discrete.response.mean_ms(), 65);
  EXPECT_EQ(discrete.waiting, 1u);
  EXPECT_EQ(discrete.oldest, 198 * kMs);
  const CommandTiming one = timing(0, 100 * kMs), other = timing(0, 30 * kMs);
  EXPECT_DOUBLE_EQ(discrete.parts_ms[0], core::to_milliseconds(one.queue + other.queue));
  EXPECT_DOUBLE_EQ(discrete.parts_ms[6], core::to_milliseconds(one.bus + other.bus));
  EXPECT_EQ(statistics.of(RequestClass::Background).issued, 1u);
  EXPECT_EQ(statistics.of(RequestClass::Background).failed, 1u);
  EXPECT_EQ(statistics.of(RequestClass::Background).response.count(), 0u);
  EXPECT_EQ(statistics.of(RequestClass::Continuous).issued, 0u);
  EXPECT_NO_THROW(statistics.check_conservation());
}

TEST(Statistics, WhatWasNotMeasuredIsNull) {
  Statistics statistics(0);
  const Request waits = request(5 * kMs, RequestClass::Discrete);
  statistics.issued(waits);
  statistics.outstanding(waits, 9 * kMs);
  const auto classes = observe::measured_classes(statistics, 1.0);
  ASSERT_EQ(classes.size(), 1u) << "a class without a completion is there";
  const nlohmann::json of = params::to_json(observe::class_rows(), &classes[0].second);
  for (const auto& [name, value] : of["response_ms"].items()) EXPECT_TRUE(value.is_null()) << name;
  for (const auto& [name, value] : of["parts_ms"].items()) EXPECT_TRUE(value.is_null()) << name;
  EXPECT_TRUE(of["fairness_index"].is_null());
  EXPECT_EQ(of["throughput"]["requests_per_s"], 0.0) << "none in a second is a measured rate";
  EXPECT_EQ(of["completions"], 0);
  EXPECT_EQ(of["waiting"]["requests"], 1);
  EXPECT_EQ(of["waiting"]["oldest_ms"], 4.0);
  const observe::MeasuredClass no_time{&statistics.of(RequestClass::Discrete), 0.0};
  EXPECT_TRUE(params::to_json(observe::class_rows(), &no_time)["throughput"]["requests_per_s"].is_null());
}

TEST(Statistics, ReadsAndWritesApart) {
  Statistics statistics(0);
  const Request read = request(0, RequestClass::Discrete);
  Request write = request(0, RequestClass::Discrete, 35 * kMs);
  write.operation = command::read_or_write(true);
  Request failed = write;
  Request left = write;
  Request flush = read;
  flush.operation = command::Operation::Flush;
  Request reset = read;
  reset.operation = command::Operation::Zone;
  for (const Request& r : {read, write, failed, left, flush, reset}) statistics.issued(r);
  finish(statistics, read, timing(0, 30 * kMs));
  finish(statistics, write, timing(0, 40 * kMs));
  finish(statistics, failed, timing(0, 50 * kMs), CommandStatus::BadAddress);
  finish(statistics, flush, timing(0, 35 * kMs));
  statistics.outstanding(left, 60 * kMs);
  statistics.outstanding(reset, 60 * kMs);
  const observe::ClassStatistics& c = statistics.of(RequestClass::Discrete);
  EXPECT_EQ(c.issued, 6u) << "flushes and zone commands are neither";
  EXPECT_EQ(c.reads.issued, 1u);
  EXPECT_EQ(c.reads.completed, 1u);
  EXPECT_EQ(c.reads.late, 0u);
  EXPECT_EQ(c.reads.bytes, 1024u);
  EXPECT_DOUBLE_EQ(*c.reads.response.percentile_ms(99), 30);
  EXPECT_DOUBLE_EQ(c.reads.parts_ms[0], 3);
  EXPECT_EQ(c.writes.issued, 3u);
  EXPECT_EQ(c.writes.completed, 1u);
  EXPECT_EQ(c.writes.failed, 1u);
  EXPECT_EQ(c.writes.outstanding, 1u);
  EXPECT_EQ(c.writes.late, 2u);
  EXPECT_DOUBLE_EQ(*c.writes.response.mean_ms(), 40);
  EXPECT_DOUBLE_EQ(*c.response.mean_ms(), 35);
  EXPECT_NO_THROW(statistics.check_conservation());
}

TEST(Statistics, TheJobsOfAClassAddUpToIt) {
  Statistics statistics(0, core::kNoDeadline, {"a", "b"});
  statistics.count_misses();
  const auto add = [&](std::int32_t job, std::uint32_t missed, std::uint32_t gained, CommandStatus status) {
    Request r = request(0, RequestClass::Discrete);
    r.job = job;
    CommandTiming t = timing(0, 30 * kMs);
    t.missed = missed;
    t.gained = gained;
    statistics.issued(r);
    finish(statistics, r, t, status);
  };
  add(0, 2, 0, CommandStatus::Good);
  add(0, 0, 1, CommandStatus::Good);
  add(1, 3, 0, CommandStatus::Good);
  add(1, 5, 0, CommandStatus::BadAddress);
  add(1, 0, 0, CommandStatus::Good);
  const observe::ClassStatistics& all = statistics.of(RequestClass::Discrete);
  EXPECT_EQ(all.missed_turns, 5u);
  const auto expect_sum = [&](auto member) {
    EXPECT_EQ(statistics.jobs()[0].second.*member + statistics.jobs()[1].second.*member, all.*member);
  };
  for (const auto member :
       {&observe::RequestStatistics::missed, &observe::RequestStatistics::missed_turns,
        &observe::RequestStatistics::gained_turns, &observe::RequestStatistics::issued, &observe::RequestStatistics::completed,
        &observe::RequestStatistics::failed, &observe::RequestStatistics::bytes})
    expect_sum(member);
  for (const auto& [name, job] : observe::measured_jobs(statistics, 1))
    EXPECT_TRUE(params::to_json(observe::class_rows(), &job).contains("misses")) << name;
}

TEST(Statistics, LateIsAfterTheDeadline) {
  Statistics statistics(0);
  for (const Picoseconds response : {1'000 * kMs - 1, 1'000 * kMs, 1'000 * kMs + 1}) {
    const Request r = request(0, RequestClass::Continuous, 1'000 * kMs);
    statistics.issued(r);
    finish(statistics, r, timing(0, response));
  }
  EXPECT_EQ(statistics.of(RequestClass::Continuous).late, 1u);
  EXPECT_EQ(statistics.hiccups(), 1u);
  const Request best_effort = request(0, RequestClass::Discrete);
  statistics.issued(best_effort);
  finish(statistics, best_effort, timing(0, 100'000 * kMs));
  EXPECT_EQ(statistics.of(RequestClass::Discrete).late, 0u);
}

TEST(Statistics, AnOutstandingRequestIsLateOnceItsDeadlineIsOver) {
  // A run ends at 1,000 ms, after all events of that instant: a request due by then that is not done is late.
  Statistics statistics(0);
  for (const Picoseconds deadline : {999 * kMs, 1'000 * kMs, 1'001 * kMs, core::kNoDeadline}) {
    const Request r = request(0, RequestClass::Continuous, deadline);
    statistics.issued(r);
    statistics.outstanding(r, 1'000 * kMs);
  }
  const observe::ClassStatistics& c = statistics.of(RequestClass::Continuous);
  EXPECT_EQ(c.issued, 4u);
  EXPECT_EQ(c.outstanding, 4u);
  EXPECT_EQ(c.late, 2u);
  EXPECT_NO_THROW(statistics.check_conservation());
}

TEST(Backlog, MeansOverEqualPartsOfTheTime) {
  observe::Backlog backlog(100 * kMs, 300 * kMs);  // parts of 10 ms
  backlog.add(0, 100 * kMs);                       // gone when the time begins
  backlog.add(0, 115 * kMs);                       // the first part and half of the second
  backlog.add(122 * kMs, 124 * kMs);               // a fifth of the third
  backlog.add(135 * kMs, 162 * kMs);               // half a part, two whole ones, a fifth
  backlog.add(295 * kMs, 1'000 * kMs);             // beyond the end
  backlog.add(300 * kMs, 400 * kMs);
  const auto means = backlog.means();
  const std::vector<double> first = {1, 0.5, 0.2, 0.5, 1, 1, 0.2};
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_NEAR(means[i], first[i], 1e-12) << i;
  for (std::size_t i = first.size(); i < 19; ++i) EXPECT_EQ(means[i], 0) << i;
  EXPECT_NEAR(means[19], 0.5, 1e-12);
  EXPECT_NEAR(backlog.mean(), (10 + 5 + 2 + 27 + 5) / 200.0, 1e-12);
}

TEST(Backlog, IsTheOneCountedInstantByInstant) {
  // Any order, a time that is no multiple of the parts, requests of all lengths: against counting at each instant.
  constexpr Picoseconds kFrom = 17, kTo = 17 + 20 * 7 + 6;
  observe::Backlog backlog(kFrom, kTo);
  std::vector<int> at(300, 0);
  std::uint32_t state = 1;
  for (int n = 0; n < 500; ++n) {
    const auto next = [&state] { return (state = state * 1664525u + 1013904223u) >> 16; };
    const Picoseconds issued = next() % 250;
    const Picoseconds gone = issued + next() % (n % 2 == 0 ? 9 : 250);
    backlog.add(issued, gone);
    for (Picoseconds t = issued; t < std::min<Picoseconds>(gone, 300); ++t) ++at[static_cast<std::size_t>(t)];
  }
  const auto means = backlog.means();
  double all = 0;
  for (std::size_t part = 0; part < means.size(); ++part) {
    const std::size_t begin = kFrom + 7 * part, end = part == 19 ? kTo : begin + 7;
    double sum = 0;
    for (std::size_t t = begin; t < end; ++t) sum += at[t];
    EXPECT_NEAR(means[part], sum / static_cast<double>(end - begin), 1e-9) << part;
    all += sum;
  }
  EXPECT_NEAR(backlog.mean(), all / static_cast<double>(kTo - kFrom), 1e-9);
}

TEST(Backlog, LongOverloadsDoNotOverflow) {
  constexpr Picoseconds kHour = 3'600'000 * kMs;
  observe::Backlog backlog(0, 10 * kHour);
  for (int n = 0; n < 20'000; ++n) backlog.add(0, kHour / 4);  // sums to 1.8e19 ps
  EXPECT_NEAR(backlog.means()[0], 10'000, 1e-6);
  observe::Backlog none(5, 5);
  none.add(0, 10);
  EXPECT_EQ(none.mean(), 0);
}

TEST(Statistics, TheBacklogHasAllRequestsThatAreThere) {
  Statistics statistics(100 * kMs, 300 * kMs);
  const Request before = request(50 * kMs, RequestClass::Discrete), failed = request(120 * kMs, RequestClass::Discrete),
                left = request(200 * kMs, RequestClass::Discrete);
  for (const Request& r : {before, failed, left}) statistics.issued(r);
  finish(statistics, before, timing(50 * kMs, 60 * kMs));                              // 10 ms of the time measured
  finish(statistics, failed, timing(120 * kMs, 30 * kMs), CommandStatus::BadAddress);  // 30 ms
  statistics.outstanding(left, 300 * kMs);                                             // 100 ms
  const observe::ClassStatistics& c = statistics.of(RequestClass::Discrete);
  EXPECT_EQ(c.issued, 2u);
  EXPECT_NEAR(c.backlog.mean(), 0.7, 1e-12);
  EXPECT_EQ(statistics.of(RequestClass::Continuous).backlog.mean(), 0);
}

TEST(Statistics, ABrokenBalanceThrows) {
  Statistics lost(0);
  lost.issued(request(0, RequestClass::Discrete));
  EXPECT_THROW(lost.check_conservation(), core::SimulationError);
  Statistics doubled(0);
  const Request r = request(0, RequestClass::Continuous);
  doubled.issued(r);
  finish(doubled, r, timing(0, 30 * kMs));
  EXPECT_NO_THROW(doubled.check_conservation());
  finish(doubled, r, timing(0, 30 * kMs));
  try {
    doubled.check_conservation();
    ADD_FAILURE() << "no error";
  } catch (const core::SimulationError& error) {
    EXPECT_NE(std::string(error.what()).find("continuous: issued 1 is not completed 2"), std::string::npos) << error.what();
  }
}

TEST(Statistics, PartsThatDoNotSumThrow) {
  Statistics statistics(0);
  const Request r = request(0, RequestClass::Discrete);
  statistics.issued(r);
  CommandTiming t = timing(0, 30 * kMs);
  t.seek += 1;
  finish(statistics, r, t);
  EXPECT_THROW(statistics.check_conservation(), core::SimulationError);
}

TEST(RequestLog, OneRowForEachRequestInIntegers) {
  const TemporaryFile file(".csv");
  {
    RequestLog log(file.path());
    Request r = request(5, RequestClass::Continuous, 30 * kMs + 4);
    r.stream = 17;
    log.issued(r);
    finish(log, r, timing(5, 30 * kMs));
    Request d = request(7, RequestClass::Discrete);
    d.operation = command::read_or_write(true);
    log.finished({d, 12, CommandStatus::QueueFull, timing(7, 27 * kMs)});
    EXPECT_FALSE(fs::exists(file.path())) << "not before it is whole";
    log.commit();
  }
  EXPECT_EQ(contents(file.path()),
            "number,class,stream,op,offset_bytes,length_bytes,issued_ps,accepted_ps,started_ps,completed_ps,queue_ps,"
            "overhead_ps,seek_ps,settle_ps,rotation_ps,transfer_ps,bus_ps,deadline_ps,late,status\n"
            "0,continuous,17,R,4096,1024,5,6,3000000005,30000000005,3000000000,2000000000,3000000000,4000000000,"
            "5000000000,6000000000,7000000000,30000000004,1,good\n"
            "12,discrete,0,W,4096,1024,7,8,7,27000000007,0,2000000000,3000000000,4000000000,5000000000,6000000000,"
            "7000000000,,0,queue full\n");
  EXPECT_EQ(file.partials(), 0u);
}

TEST(RequestLog, NoStatusBreaksTheTable) {
  for (int i = 0; i <= static_cast<int>(CommandStatus::QueueFull); ++i) {
    const std::string text(command::to_string(static_cast<CommandStatus>(i)));
    EXPECT_EQ(text.find_first_of(",\"\n"), std::string::npos) << text;
    EXPECT_NE(text, "?");
  }
}

TEST(RequestLog, LeavesNothingWithoutCommit) {
  const TemporaryFile file(".csv");
  {
    RequestLog log(file.path());
    finish(log, request(0, RequestClass::Discrete), timing(0, 30 * kMs));
    EXPECT_EQ(file.partials(), 1u);
  }
  EXPECT_FALSE(fs::exists(file.path()));
  EXPECT_EQ(file.partials(), 0u);
}

TEST(OutputFile, AppearsWholeAndReplacesTheOldOne) {
  const TemporaryFile folder("");
  const fs::path path = folder.path() / "deep" / "result.json";
  {
    OutputFile file(path);
    file.write("old");
    file.commit();
  }
  EXPECT_EQ(contents(path), "old");
  {
    OutputFile file(path);
    file.write("new ");
    file.write("text");
    EXPECT_EQ(contents(path), "old");
    file.commit();
  }
  EXPECT_EQ(contents(path), "new text");
  EXPECT_EQ(std::distance(fs::directory_iterator(path.parent_path()), {}), 1);
}

struct stat status_of(const fs::path& path) {
  struct stat found{};
  EXPECT_EQ(stat(path.c_str(), &found), 0);
  return found;
}

TEST(OutputFile, KeepsModeOwnerAndGroupOfTheOldOne) {
  const TemporaryFile file(".json");
  std::ofstream(file.path()) << "old";
  for (const mode_t mode : {0600u, 0644u, 0664u, 0440u, 0751u}) {
    ASSERT_EQ(chmod(file.path().c_str(), mode), 0);
    const bool root = geteuid() == 0;
    constexpr uid_t kOther = 12345;
    if (root) {
      ASSERT_EQ(chown(file.path().c_str(), kOther, kOther + 1), 0);
    }
    const struct stat before = status_of(file.path());
    {
      OutputFile next(file.path());
      EXPECT_EQ(status_of(next.partial_path()).st_mode & 0777 & ~(mode | S_IRUSR | S_IWUSR), 0u) << "while it is written";
      next.write("new");
      next.commit();
    }
    const struct stat after = status_of(file.path());
    EXPECT_EQ(after.st_mode, before.st_mode);
    EXPECT_EQ(after.st_uid, before.st_uid);
    EXPECT_EQ(after.st_gid, before.st_gid);
    EXPECT_NE(after.st_ino, before.st_ino) << "it is another file";
    EXPECT_EQ(contents(file.path()), "new");
  }
}

TEST(OutputFile, IsOnTheDiskBeforeItHasItsName) {
  const TemporaryFile file(".json");
  OutputFile next(file.path());
  next.write("text");
  const std::size_t before = synced_files().size();
  next.finish();
  ASSERT_EQ(synced_files().size(), before + 1);
  EXPECT_EQ(synced_files().back(), status_of(next.partial_path()).st_ino);
  EXPECT_FALSE(fs::exists(file.path()));
  next.commit();
  EXPECT_EQ(synced_files().back(), status_of(file.path()).st_ino);
}

TEST(OutputFile, TheFolderOfAFileThatIsDroppedGoesToo) {
  const TemporaryFile folder("");
  {
    OutputFile file(folder.path() / "deep" / "deeper" / "result.json");
  }
  EXPECT_FALSE(fs::exists(folder.path()));
}

TEST(OutputFile, SaysWhyItCannotBeWritten) {
  const TemporaryFile folder("");
  std::ofstream(folder.path()) << "a file where a folder is wanted";
  try {
    OutputFile file(folder.path() / "result.json");
    ADD_FAILURE() << "no error";
  } catch (const core::InputError& error) {
    EXPECT_NE(std::string(error.what()).find("result.json: cannot be written"), std::string::npos) << error.what();
  }
}

TEST(OutputFile, AFullDiskLeavesNothing) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const TemporaryFile other(".csv");
  {
    OutputFile full("/dev/full");
    OutputFile good(other.path());
    good.write("text");
    full.write("short enough to be buffered");
    EXPECT_THROW(observe::commit_all({&good, nullptr, &full}), core::SimulationError);
  }
  EXPECT_FALSE(fs::exists(other.path())) << "all or none";
  EXPECT_EQ(other.partials(), 0u);
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST(OutputFile, AnInputOrAnotherOutputIsRefused) {
  const TemporaryFile input(".toml");
  std::ofstream(input.path()) << "text";
  EXPECT_EQ(core::note_input(input.path()), "");
  const TemporaryFile link(".json");
  fs::create_symlink(input.path(), link.path());
  EXPECT_THROW(OutputFile{link.path()}, core::InputError);
  EXPECT_EQ(contents(input.path()), "text");
  const TemporaryFile target(".csv");
  const OutputFile file(target.path());
  EXPECT_THROW(OutputFile{target.path().parent_path() / "." / target.path().filename()}, core::InputError);
}

TEST(OutputFile, LinksInACircleAndNamesTooLongAreRefused) {
  const TemporaryFile link(".json");
  fs::create_symlink(link.path().filename(), link.path());
  EXPECT_THROW(OutputFile{link.path()}, core::InputError);
  EXPECT_THROW(OutputFile{std::string(300, 'x')}, core::InputError);
  EXPECT_EQ(link.partials(), 0u);
}

TEST(OutputFile, AFolderIsRefusedBeforeAnythingIsWritten) {
  const TemporaryFile target(".json");
  fs::create_directories(target.path() / "in the way");
  EXPECT_THROW(OutputFile{target.path()}, core::InputError);
  EXPECT_EQ(target.partials(), 0u);
}

TEST(OutputFile, ALinkStaysALink) {
  const TemporaryFile folder("");
  fs::create_directories(folder.path() / "there");
  const fs::path link = folder.path() / "link.json";
  fs::create_symlink("there/result.json", link);
  for (const char* const text : {"new", "again"}) {  // the target of the link is created, and then replaced
    OutputFile file(link);
    file.write(text);
    file.commit();
    EXPECT_TRUE(fs::is_symlink(fs::symlink_status(link)));
    EXPECT_EQ(contents(folder.path() / "there" / "result.json"), text);
  }
}

TEST(OutputFile, ADeviceStaysADevice) {
  if (!fs::exists("/dev/null")) GTEST_SKIP() << "no /dev/null here";
  const TemporaryFile link(".json");
  fs::create_symlink("/dev/null", link.path());  // if a file were replaced, it would be the link
  {
    OutputFile file(link.path());
    file.write("text");
    file.commit();
  }
  {
    OutputFile dropped(link.path());
  }
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_TRUE(fs::is_symlink(fs::symlink_status(link.path())));
  EXPECT_EQ(link.partials(), 0u);
}

}  // namespace
}  // namespace platter::testing
