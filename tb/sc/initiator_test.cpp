// SPDX-License-Identifier: Apache-2.0
//
// The host: producers, classes, limits and the end of a run, with a drive behind the base-protocol checker.
#include "testing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include "base_protocol_checker.h"
#include "platter/observe/statistics.h"
#include "platter/workload/generators.h"
#include "platter/workload/job.h"

namespace platter::testing {
namespace {

using workload::Initiator;
using workload::RandomProducer;
using workload::Request;
using workload::RoundsProducer;
using workload::StreamTable;

TEST(SetCommand, NeedsTheExtensionAtItsPayload) {
  command::CommandExtension extension;
  tlm::tlm_generic_payload payload;
  command::Command flush;
  flush.operation = command::Operation::Flush;
  EXPECT_THROW(command::set_command(payload, extension, flush), std::invalid_argument);
  payload.set_extension(&extension);
  command::set_command(payload, extension, flush);
  EXPECT_TRUE(command::command_of(payload).flush());
  payload.clear_extension(&extension);
}

/// Requests from a list.
class ListProducer : public workload::ProducerIf {
 public:
  explicit ListProducer(std::vector<Request> requests) : requests_(std::move(requests)) {}
  bool next(Request& request, Picoseconds /*now*/) override {
    if (next_ == requests_.size()) return false;
    request = requests_[next_++];
    return true;
  }

 private:
  std::vector<Request> requests_;
  std::size_t next_ = 0;
};

/// A host, the checker and a drive.
struct Rig {
  Rig(const std::string& name, const std::string& policy, const profile::DriveProfile& profile)
      : disk(make_drive((name + "_disk").c_str(), policy, "firmware", profile, false)),
        checker((name + "_checker").c_str()),
        host((name + "_host").c_str()),
        target{disk->planner().geometry().block_count(), disk->planner().geometry().sector_bytes()} {
    host.disk_init_socket.bind(checker.checked_tgt_socket);
    checker.checked_init_socket.bind(disk->host_tgt_socket);
    host.add_observer(finished);
    host.add_observer(statistics);
  }

  std::size_t outstanding() const {
    std::size_t count = 0;
    host.for_each_outstanding([&](const Request&) { ++count; });
    return count;
  }
  void check_conservation() {
    host.for_each_outstanding([&](const Request& r) { statistics.outstanding(r, core::now_ps()); });
    EXPECT_NO_THROW(statistics.check_conservation());
    EXPECT_EQ(finished.issues, finished.rows.size() + outstanding());
  }

  std::unique_ptr<drive::Drive> disk;
  BaseProtocolChecker checker;
  Initiator host;
  workload::Target target;
  Finished finished;
  observe::Statistics statistics{0};
};

/// The largest number of overlapping intervals [accepted, completed).
std::uint32_t most_in_drive(const std::vector<Finished::Row>& rows, std::optional<RequestClass> cls) {
  std::map<Picoseconds, int> changes;
  for (const Finished::Row& row : rows) {
    if (cls && row.request.cls != *cls) continue;
    ++changes[row.timing.accepted];
    --changes[row.timing.completed];
  }
  int now = 0;
  int most = 0;
  for (const auto& [time, change] : changes) most = std::max(most, now += change);
  return static_cast<std::uint32_t>(most);
}

std::vector<StreamTable> tables() {
  std::vector<StreamTable> result;
  for (const char* name : {"bigbuckbunny_mpeg1_1150k", "bikes_mpeg1_1150k", "carphone_mpeg2_2000k"})
    result.push_back(
        StreamTable::load(std::filesystem::path(PLATTER_SOURCE_DIR) / "models/configs/streams" / (std::string(name) + ".csv")));
  return result;
}

Request request(Picoseconds time, std::uint64_t lba, RequestClass cls) {
  Request r;
  r.issued = time;
  r.address = lba * 512;
  r.length = 512;
  r.cls = cls;
  return r;
}

/// The number of requests outstanding, integrated over a window, as the host's own calls show it.
class OutstandingIntegral : public workload::RequestObserverIf {
 public:
  OutstandingIntegral(Picoseconds from, Picoseconds to) : from_(from), to_(to) {}
  void issued(const Request& request) override {
    EXPECT_EQ(request.issued, core::now_ps());
    change(1);
  }
  void finished(const workload::FinishedRequest& finished) override {
    EXPECT_EQ(finished.timing.completed, core::now_ps());
    change(-1);
  }
  Picoseconds until_the_end() {
    change(0);
    return area_;
  }

 private:
  void change(std::int64_t by) {
    const Picoseconds now = std::clamp(core::now_ps(), from_, to_);
    area_ += count_ * (now - last_);
    last_ = now;
    count_ += by;
  }

  Picoseconds from_;
  Picoseconds to_;
  Picoseconds last_ = from_;
  Picoseconds area_ = 0;
  std::int64_t count_ = 0;
};

/// Statistics of a window of time, and the integral to hold them against.
struct Window {
  Window(Picoseconds begin, Picoseconds end) : from(begin), to(end), statistics(begin, end), integral(begin, end) {}

  Picoseconds from;
  Picoseconds to;
  observe::Statistics statistics;
  OutstandingIntegral integral;

  /// To be called at the window's end.
  void check(const Rig& rig) {
    std::uint64_t waiting = 0;
    Picoseconds parts = 0;
    Picoseconds oldest = 0;
    rig.host.for_each_outstanding([&](const Request& r) {
      statistics.outstanding(r, to);
      ++waiting;
      parts += to - std::max(r.issued, from);
      oldest = std::max(oldest, to - r.issued);
    });
    std::uint64_t completions = 0;
    std::uint64_t bytes = 0;
    double sum_ms = 0;
    for (const Finished::Row& row : rig.finished.rows) {
      if (row.timing.completed <= from) continue;
      parts += row.timing.completed - std::max(row.request.issued, from);
      if (row.status != CommandStatus::Good) continue;
      ++completions;
      bytes += row.request.length;
      sum_ms += core::to_milliseconds(row.timing.response());
    }
    const observe::ClassStatistics& of = statistics.of(RequestClass::Discrete);
    EXPECT_NO_THROW(statistics.check_conservation());
    EXPECT_EQ(parts, integral.until_the_end());
    EXPECT_EQ(of.backlog.integral(), static_cast<double>(parts));
    EXPECT_EQ(of.response.count(), completions);
    EXPECT_EQ(of.bytes, bytes);
    EXPECT_EQ(of.waiting, waiting);
    EXPECT_EQ(of.oldest, oldest);
    EXPECT_EQ(of.response.mean_ms().has_value(), completions > 0);
    if (completions > 0) {
      EXPECT_NEAR(*of.response.mean_ms(), sum_ms / static_cast<double>(completions), 1e-9 * sum_ms);
    }
  }
};

constexpr std::array<std::pair<Picoseconds, Picoseconds>, 7> kWindows = {{{0, 1},
                                                                          {0, 30 * kMs},
                                                                          {200 * kMs, 200 * kMs + 1},
                                                                          {200 * kMs, 230 * kMs},
                                                                          {0, 1'000 * kMs},
                                                                          {500 * kMs, 1'000 * kMs},
                                                                          {1'000 * kMs, 2'000 * kMs}}};

/// A closed load, or an open one (depth 0), with one request that fails, and the windows.
struct WatchedLoad {
  WatchedLoad(std::uint32_t depth, double rate_per_s)
      : name(fmt::format("depth_{}_rate_{}", depth, rate_per_s)),
        rig(name, "SPTF", toy_profile()),
        bad({request(700 * kMs, rig.target.blocks, RequestClass::Discrete)}) {
    RandomProducer::Options options;
    options.closed_depth = depth;
    if (depth == 0) options.rate_per_s = rate_per_s;
    options.read_fraction = 0.5;
    random.emplace(rig.target, options);
    rig.host.add_producer(*random);
    rig.host.add_producer(bad);
    for (const auto& [from, to] : kWindows) {
      windows.push_back(std::make_unique<Window>(from, to));
      rig.host.add_observer(windows.back()->statistics);
      rig.host.add_observer(windows.back()->integral);
    }
  }

  std::string name;
  Rig rig;
  ListProducer bad;
  std::optional<RandomProducer> random;
  std::vector<std::unique_ptr<Window>> windows;
};

TEST(Statistics, TheAccountOfEveryWindowIsExactAtEveryDepth) {
  // Open loads below and above what the drive does; windows from a picosecond to a second, from the first instant on and later.
  std::vector<std::unique_ptr<WatchedLoad>> loads;
  for (const std::uint32_t depth : {1u, 2u, 7u, 32u, 256u}) loads.push_back(std::make_unique<WatchedLoad>(depth, 0));
  for (const double rate : {40, 400}) loads.push_back(std::make_unique<WatchedLoad>(0, rate));
  for (std::size_t i = 0; i < kWindows.size(); ++i) {
    run_until(kWindows[i].second);
    for (const auto& load : loads) {
      SCOPED_TRACE(fmt::format("{}, window {}", load->name, i));
      load->windows[i]->check(load->rig);
    }
  }
}

TEST(Statistics, ThroughputTimesResponseTimeIsTheDepth) {
  // Little's law, in a closed load; the window's ends weigh less than 1 % of it.
  constexpr Picoseconds kFrom = 5 * core::kPicosecondsPerSecond;
  constexpr Picoseconds kTo = 105 * core::kPicosecondsPerSecond;
  std::vector<std::unique_ptr<Rig>> rigs;
  std::vector<std::unique_ptr<RandomProducer>> producers;
  std::vector<std::unique_ptr<observe::Statistics>> statistics;
  const std::vector<std::pair<std::uint32_t, const char*>> loads = {{1, "FCFS"},  {8, "FCFS"},   {8, "SPTF"},
                                                                    {32, "SPTF"}, {200, "LOOK"}, {256, "SPTF"}};
  for (const auto& [depth, policy] : loads) {
    rigs.push_back(std::make_unique<Rig>(fmt::format("{}_{}", policy, depth), policy, toy_profile()));
    RandomProducer::Options options;
    options.closed_depth = depth;
    producers.push_back(std::make_unique<RandomProducer>(rigs.back()->target, options));
    rigs.back()->host.add_producer(*producers.back());
    statistics.push_back(std::make_unique<observe::Statistics>(kFrom, kTo));
    rigs.back()->host.add_observer(*statistics.back());
  }
  run_until(kTo);
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const observe::ClassStatistics& of = statistics[i]->of(RequestClass::Discrete);
    const double sum_s = *of.response.mean_ms() * 1e-3 * static_cast<double>(of.response.count());
    const double depth = loads[i].first;
    EXPECT_NEAR(sum_s / 100, depth, 0.01 * depth) << rigs[i]->host.name();
  }
}

TEST(Initiator, PoissonArrivalsKeepTheirTimesAndNoneIsLost) {
  Rig rig("rig", "SPTF", toy_profile());
  RandomProducer::Options options;
  options.rate_per_s = 100;
  options.read_fraction = 0.5;
  RandomProducer producer(rig.target, options);
  rig.host.add_producer(producer);
  const Picoseconds end = Picoseconds{scaled(20)} * core::kPicosecondsPerSecond;
  rig.host.set_end(end);
  run_until(end);
  rig.check_conservation();
  EXPECT_EQ(rig.statistics.of(RequestClass::Discrete).issued, rig.finished.issues);
  run_until(end + core::kPicosecondsPerSecond);
  EXPECT_EQ(rig.outstanding(), 0u) << "what was issued ends, what was not issued does not begin";
  EXPECT_EQ(rig.checker.outstanding(), 0u);
  EXPECT_EQ(rig.checker.completed(), rig.finished.issues);
  // A second producer of the same kind gives the expected requests.
  RandomProducer again(rig.target, options);
  std::map<std::uint64_t, Finished::Row> by_number;
  for (const Finished::Row& row : rig.finished.rows) EXPECT_TRUE(by_number.emplace(row.number, row).second);
  Request expected;
  for (std::uint64_t number = 0; number < rig.finished.rows.size(); ++number) {
    again.next(expected, 0);
    const Finished::Row& row = by_number.at(number);
    ASSERT_EQ(row.request.issued, expected.issued);
    ASSERT_EQ(row.request.address, expected.address);
    ASSERT_EQ(row.request.length, expected.length);
    ASSERT_EQ(row.request.write(), expected.write());
    ASSERT_EQ(row.timing.issued, expected.issued);
    ASSERT_GE(row.timing.accepted, expected.issued);
    ASSERT_EQ(row.timing.parts(), row.timing.response());
    ASSERT_EQ(row.status, CommandStatus::Good);
  }
  again.next(expected, 0);
  EXPECT_GE(expected.issued, end);
}

TEST(Initiator, OverloadWaitsInTheHostAndCountsAsQueueTime) {
  Rig rig("rig", "FCFS", toy_profile());
  std::vector<Request> requests;
  for (std::uint64_t i = 0; i < 200; ++i) requests.push_back(request(kMs, 128 * (i % 128), RequestClass::Discrete));
  ListProducer producer(requests);
  rig.host.add_producer(producer);
  run_until(kMs + kUs);
  EXPECT_EQ(rig.finished.issues, 200u);
  EXPECT_EQ(rig.outstanding(), 200u);
  EXPECT_EQ(rig.disk->queue().occupancy(), 32u);
  rig.check_conservation();
  sc_core::sc_start();
  ASSERT_EQ(rig.finished.rows.size(), 200u);
  EXPECT_EQ(most_in_drive(rig.finished.rows, std::nullopt), 32u);
  for (const Finished::Row& row : rig.finished.rows) {
    EXPECT_EQ(row.timing.issued, kMs);
    EXPECT_EQ(row.timing.queue, row.timing.started - kMs);
  }
}

TEST(Initiator, ClosedProducerKeepsItsDepth) {
  Rig rig("rig", "SPTF", toy_profile());
  RandomProducer::Options options;
  options.closed_depth = 12;
  options.read_fraction = 0.7;
  RandomProducer producer(rig.target, options);
  rig.host.add_producer(producer);
  const Picoseconds end = 2 * core::kPicosecondsPerSecond;
  rig.host.set_end(end);
  for (Picoseconds now = 0; now < end; now += 37 * kMs) {
    run_until(now + 1);
    ASSERT_EQ(rig.outstanding(), 12u) << "at " << now;
    ASSERT_EQ(rig.disk->queue().occupancy(), 12u);
  }
  run_until(end);
  rig.check_conservation();
  run_until(2 * end);
  EXPECT_EQ(rig.outstanding(), 0u);
  EXPECT_GT(rig.finished.rows.size(), 200u);
  // Each request but the first twelve begins where one ended.
  std::multiset<Picoseconds> ends;
  for (const Finished::Row& row : rig.finished.rows) ends.insert(row.timing.completed);
  std::size_t at_start = 0;
  for (const Finished::Row& row : rig.finished.rows) {
    EXPECT_LT(row.request.issued, end);
    if (row.request.issued == 0)
      ++at_start;
    else
      EXPECT_EQ(ends.erase(row.request.issued) > 0, true) << row.request.issued;
  }
  EXPECT_EQ(at_start, 12u);
}

/// If the response comes with the end of the access, a queue of two always leaves a choice of two.
TEST(Initiator, AReplacementTakesPartInTheNextDecision) {
  profile::DriveProfile profile = toy_profile();
  profile.bus_read_block_us = profile.bus_write_block_us = 0;
  std::array<std::unique_ptr<Rig>, 2> rigs;
  std::vector<std::unique_ptr<RandomProducer>> producers;
  for (std::uint32_t depth = 1; depth <= 2; ++depth) {
    rigs[depth - 1] = std::make_unique<Rig>("rig" + std::to_string(depth), "SPTF", profile);
    Rig& rig = *rigs[depth - 1];
    RandomProducer::Options options;
    options.closed_depth = depth;
    producers.push_back(std::make_unique<RandomProducer>(rig.target, options));
    rig.host.add_producer(*producers.back());
    rig.host.set_end(20 * core::kPicosecondsPerSecond);
  }
  run_until(20 * core::kPicosecondsPerSecond);
  const auto served = [&](std::size_t i) { return static_cast<double>(rigs[i]->finished.rows.size()); };
  EXPECT_GT(served(1), 1.1 * served(0));
}

/// A closed producer with think times: request i is issued `think[i]` after the completion that caused it.
class ThinkingProducer : public workload::ProducerIf {
 public:
  ThinkingProducer(std::uint32_t depth, std::vector<Picoseconds> think) : depth_(depth), think_(std::move(think)) {}
  bool next(Request& request, Picoseconds now) override {
    if (next_ == think_.size()) return false;
    request = testing::request(now + think_[next_], 100 * next_ % kToyBlocks, RequestClass::Discrete);
    asked.push_back(now);
    ++next_;
    return true;
  }
  std::uint32_t closed_depth() const override { return depth_; }

  std::vector<Picoseconds> asked;  ///< when each request was asked for

 private:
  std::uint32_t depth_;
  std::vector<Picoseconds> think_;
  std::size_t next_ = 0;
};

TEST(Initiator, AClosedProducerThinksBetweenItsRequests) {
  Rig rig("rig", "FCFS", toy_profile());
  core::RandomStream random(5, "think");
  std::vector<Picoseconds> think{0};
  for (int i = 1; i < 300; ++i) think.push_back(i % 5 == 0 ? 0 : static_cast<Picoseconds>(random.below(50'000'000'000)));
  ThinkingProducer producer(1, think);
  rig.host.add_producer(producer);
  sc_core::sc_start();
  ASSERT_EQ(rig.finished.rows.size(), 300u);
  Picoseconds last = 0;
  for (std::size_t i = 0; i < 300; ++i) {
    const Finished::Row& row = rig.finished.rows[i];
    ASSERT_EQ(row.number, i);
    ASSERT_EQ(producer.asked[i], last) << "at the completion of the one before";
    ASSERT_EQ(row.request.issued, last + think[i]);
    ASSERT_EQ(row.timing.issued, row.request.issued);
    ASSERT_EQ(row.timing.accepted, row.request.issued) << "thinking is no part of the response";
    last = row.timing.completed;
  }
  rig.check_conservation();
}

TEST(Initiator, SeveralThinkAtATimeAndBesideAnOpenProducer) {
  Rig rig("rig", "SPTF", toy_profile());
  core::RandomStream random(6, "think");
  std::vector<Picoseconds> think;
  for (int i = 0; i < 400; ++i) think.push_back(static_cast<Picoseconds>(random.below(100)) * kMs);
  ThinkingProducer closed(7, think);
  std::vector<Request> requests;
  for (std::uint64_t i = 0; i < 100; ++i)
    requests.push_back(request(static_cast<Picoseconds>(i) * 11 * kMs, i, RequestClass::Background));
  ListProducer open(requests);
  rig.host.add_producer(closed);
  rig.host.add_producer(open);
  std::size_t thinkers = 0;
  for (Picoseconds now = 0; now < 600 * kMs; now += 7 * kMs) {
    run_until(now);
    std::size_t waiting = 0;
    rig.host.for_each_outstanding([&](const Request& r) { waiting += r.cls == RequestClass::Discrete; });
    ASSERT_LE(waiting, 7u);
    thinkers += 7 - waiting;
  }
  EXPECT_GT(thinkers, 100u);
  sc_core::sc_start();
  ASSERT_EQ(rig.finished.rows.size(), 500u) << "nobody falls asleep over it";
  std::size_t at = 0;
  std::map<Picoseconds, int> issues;
  for (const Finished::Row& row : rig.finished.rows) {
    ASSERT_EQ(row.timing.issued, row.request.issued);
    if (row.request.cls == RequestClass::Discrete) ++issues[row.request.issued];
  }
  std::map<Picoseconds, int> expected;
  for (; at < 400; ++at) ++expected[closed.asked[at] + think[at]];
  EXPECT_EQ(issues, expected);
  rig.check_conservation();
}

TEST(Initiator, WhoThinksPastTheEndIssuesNothingMore) {
  Rig rig("rig", "FCFS", toy_profile());
  ThinkingProducer producer(1, {0, 10 * kMs, 100 * kMs, 0});
  rig.host.add_producer(producer);
  rig.host.set_end(60 * kMs);
  sc_core::sc_start();
  EXPECT_EQ(rig.finished.rows.size(), 2u);
  EXPECT_EQ(rig.finished.issues, 2u);
  rig.check_conservation();
}

TEST(Initiator, ClassesGoByPriority) {
  profile::DriveProfile profile = toy_profile();
  profile.queue_depth = 1;
  Rig rig("rig", "FCFS", profile);
  // One request occupies the drive, another one the request phase. Requests that arrive meanwhile, the least important first,
  // leave the host by class, then by age.
  std::vector<Request> requests = {request(0, 0, RequestClass::Discrete), request(kMs / 2, 200, RequestClass::Background)};
  const RequestClass classes[] = {RequestClass::Background, RequestClass::Discrete, RequestClass::Continuous};
  for (const RequestClass cls : classes)
    for (std::uint64_t i = 0; i < 3; ++i) requests.push_back(request(kMs, 100 + 10 * static_cast<std::uint64_t>(cls) + i, cls));
  ListProducer producer(requests);
  rig.host.add_producer(producer);
  sc_core::sc_start();
  ASSERT_EQ(rig.finished.rows.size(), 11u);
  std::vector<std::uint64_t> order;
  for (const Finished::Row& row : rig.finished.rows) order.push_back(row.request.address / 512);
  EXPECT_EQ(order, (std::vector<std::uint64_t>{0, 200, 110, 111, 112, 100, 101, 102, 120, 121, 122}));
}

TEST(Initiator, LimitsHoldPerClass) {
  Rig rig("rig", "SPTF", toy_profile());
  std::vector<Request> requests;
  for (std::uint64_t i = 0; i < 100; ++i)
    for (const RequestClass cls : {RequestClass::Discrete, RequestClass::Background, RequestClass::Continuous})
      requests.push_back(request(static_cast<Picoseconds>(i) * kMs, (i * 611) % 16'000, cls));
  ListProducer producer(requests);
  rig.host.add_producer(producer);
  rig.host.set_limit(RequestClass::Discrete, 5);
  rig.host.set_limit(RequestClass::Background, 1);
  sc_core::sc_start();
  ASSERT_EQ(rig.finished.rows.size(), 300u);
  EXPECT_EQ(most_in_drive(rig.finished.rows, RequestClass::Discrete), 5u);
  EXPECT_EQ(most_in_drive(rig.finished.rows, RequestClass::Background), 1u);
  EXPECT_EQ(most_in_drive(rig.finished.rows, std::nullopt), 32u) << "the class without a limit fills the queue";
  rig.check_conservation();
}

TEST(Initiator, NothingIsIssuedAtOrAfterTheEnd) {
  Rig rig("rig", "FCFS", toy_profile());
  ListProducer producer({request(0, 0, RequestClass::Discrete), request(10 * kMs - 1, 0, RequestClass::Discrete),
                         request(10 * kMs, 0, RequestClass::Discrete), request(11 * kMs, 0, RequestClass::Discrete)});
  rig.host.add_producer(producer);
  rig.host.set_end(10 * kMs);
  sc_core::sc_start();
  EXPECT_EQ(rig.finished.issues, 2u);
  EXPECT_EQ(rig.finished.rows.size(), 2u);
}

TEST(Initiator, RoundsComeTogetherAndCarryTheirDeadline) {
  Rig rig("rig", "SPTF", atlas_profile());
  RoundsProducer::Options options;
  options.streams = 9;
  options.round = 500 * kMs;
  RoundsProducer producer(rig.target, options, tables());
  rig.host.add_producer(producer);
  const std::uint32_t rounds = scaled(40);
  rig.host.set_end(Picoseconds{rounds} * options.round);
  run_until(Picoseconds{rounds + 1} * options.round);
  rig.check_conservation();
  ASSERT_EQ(rig.finished.rows.size(), std::size_t{9} * rounds);
  EXPECT_EQ(rig.statistics.hiccups(), 0u);
  std::map<Picoseconds, std::set<std::uint32_t>> streams;
  for (const Finished::Row& row : rig.finished.rows) {
    EXPECT_EQ(row.request.issued % options.round, 0);
    EXPECT_EQ(row.request.deadline, row.request.issued + options.round);
    EXPECT_EQ(row.request.cls, RequestClass::Continuous);
    EXPECT_EQ(row.timing.accepted, row.request.issued);
    EXPECT_TRUE(streams[row.request.issued].insert(row.request.stream).second);
  }
  EXPECT_EQ(streams.size(), rounds);
}

TEST(Initiator, ARefusedRequestIsCountedAndNotReplacedInAClosedLoop) {
  /// The first `bad` requests lie past the drive's end.
  class Sloppy : public workload::ProducerIf {
   public:
    explicit Sloppy(std::uint64_t bad) : bad_(bad) {}
    bool next(Request& r, Picoseconds now) override {
      if (count_ == 30) return false;
      r = request(now, count_ < bad_ ? kToyBlocks : 7 * count_, RequestClass::Discrete);
      ++count_;
      return true;
    }
    std::uint32_t closed_depth() const override { return 4; }

   private:
    std::uint64_t bad_;
    std::uint64_t count_ = 0;
  };
  Rig some("some", "FCFS", toy_profile());
  Rig all("all", "FCFS", toy_profile());
  Sloppy some_bad(1);
  Sloppy all_bad(30);
  some.host.add_producer(some_bad);
  all.host.add_producer(all_bad);
  run_until(kMs);
  EXPECT_EQ(some.outstanding(), 3u) << "the loop goes on without the refused one";
  EXPECT_EQ(all.outstanding(), 0u) << "and does not spin where all are refused";
  sc_core::sc_start();
  EXPECT_EQ(some.finished.rows.size(), 30u);
  EXPECT_EQ(some.statistics.of(RequestClass::Discrete).failed, 1u);
  EXPECT_EQ(some.statistics.of(RequestClass::Discrete).completed, 29u);
  EXPECT_EQ(some.disk->host_port().rejected(), 1u);
  EXPECT_EQ(all.statistics.of(RequestClass::Discrete).failed, 4u);
  some.check_conservation();
  all.check_conservation();
}

TEST(Initiator, PoliciesReorderButLoseNothing) {
  std::vector<std::unique_ptr<Rig>> rigs;
  std::vector<std::unique_ptr<RandomProducer>> producers;
  std::vector<std::unique_ptr<RoundsProducer>> rounds;
  for (const char* policy : {"FCFS", "SSTF", "SPTF", "SCAN", "C-LOOK"}) {
    rigs.push_back(std::make_unique<Rig>(policy == std::string("C-LOOK") ? "CLOOK" : policy, policy, atlas_profile()));
    Rig& rig = *rigs.back();
    RandomProducer::Options options;
    options.rate_per_s = 90;  // FCFS barely keeps up
    options.mean_bytes = 8192;
    producers.push_back(std::make_unique<RandomProducer>(rig.target, options));
    RoundsProducer::Options continuous;
    continuous.streams = 5;
    rounds.push_back(std::make_unique<RoundsProducer>(rig.target, continuous, tables()));
    rig.host.add_producer(*producers.back());
    rig.host.add_producer(*rounds.back());
    rig.host.set_end(Picoseconds{scaled(20)} * core::kPicosecondsPerSecond);
  }
  sc_core::sc_start();
  const auto key = [](const Finished::Row& r) {
    return std::make_tuple(r.number, r.request.issued, r.request.address, r.request.length, r.request.cls);
  };
  std::set<std::tuple<std::uint64_t, Picoseconds, std::uint64_t, std::uint32_t, RequestClass>> first;
  for (const Finished::Row& row : rigs[0]->finished.rows) first.insert(key(row));
  ASSERT_EQ(first.size(), rigs[0]->finished.rows.size());
  std::set<std::vector<std::uint64_t>> orders;
  for (const auto& rig : rigs) {
    EXPECT_EQ(rig->outstanding(), 0u);
    decltype(first) these;
    std::vector<std::uint64_t> order;
    for (const Finished::Row& row : rig->finished.rows) {
      these.insert(key(row));
      order.push_back(row.number);
    }
    EXPECT_EQ(these, first);
    orders.insert(order);
    rig->check_conservation();
  }
  EXPECT_EQ(orders.size(), rigs.size()) << "five policies, five orders";
  EXPECT_LT(rigs[2]->statistics.of(RequestClass::Discrete).response.mean_ms().value(),
            rigs[0]->statistics.of(RequestClass::Discrete).response.mean_ms().value());
}

// --- jobs and closed replays -----------------------------------------------------------------------------------------

workload::JobParameters job(const std::string& name, std::int64_t iodepth) {
  workload::JobParameters made;
  made.name = name;
  made.rw = workload::JobParameters::Kind::Randread;
  made.iodepth = iodepth;
  return made;
}

/// Jobs on a drive, with their accounts.
struct JobRig : Rig {
  JobRig(const std::string& name, const std::string& policy, const std::vector<workload::JobParameters>& jobs, Picoseconds from,
         Picoseconds to)
      : Rig(name, policy, toy_profile()), accounts(from, to, names_of(jobs)) {
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      producers.push_back(std::make_unique<workload::JobProducer>(jobs[i], static_cast<std::int32_t>(i), 0, target, 1));
      host.add_producer(*producers.back(), jobs[i].ends());
    }
    host.add_observer(accounts);
  }
  static std::vector<std::string> names_of(const std::vector<workload::JobParameters>& jobs) {
    std::vector<std::string> names;
    for (const workload::JobParameters& one : jobs) names.push_back(one.name);
    return names;
  }

  observe::Statistics accounts;
  std::vector<std::unique_ptr<workload::JobProducer>> producers;
};

TEST(Jobs, EachHasAnAccountThatAddsUpAndObeysLittlesLaw) {
  constexpr Picoseconds kFrom = 5 * core::kPicosecondsPerSecond;
  constexpr Picoseconds kTo = 105 * core::kPicosecondsPerSecond;
  workload::JobParameters thinking = job("thinking", 4);
  thinking.thinktime_us = 50'000;
  workload::JobParameters rated = job("rated", 0);
  rated.rate_iops = 20;
  rated.rate_process = workload::JobParameters::Arrivals::Poisson;
  rated.cmdprio_percentage = *workload::find_percentages("20");
  rated.cmdprio_deadline_ms = 100;
  JobRig rig("rig", "SPTF", {job("deep", 6), thinking, rated}, kFrom, kTo);
  run_until(kTo);
  rig.host.for_each_outstanding([&](const Request& r) { rig.accounts.outstanding(r, core::now_ps()); });
  EXPECT_NO_THROW(rig.accounts.check_conservation());
  std::uint64_t issued = 0;
  std::uint64_t completions = 0;
  double backlog = 0;
  for (const auto& [name, account] : rig.accounts.jobs()) {
    SCOPED_TRACE(name);
    EXPECT_GT(account.issued, 100u);
    issued += account.issued;
    completions += account.response.count();
    backlog += account.backlog.integral();
    const double sum_s = *account.response.mean_ms() * 1e-3 * static_cast<double>(account.response.count());
    EXPECT_NEAR(sum_s / 100, account.backlog.mean(), 0.01 * account.backlog.mean());
  }
  const observe::ClassStatistics& all = rig.accounts.of(RequestClass::Discrete);
  EXPECT_EQ(issued, all.issued);
  EXPECT_EQ(completions, all.response.count());
  EXPECT_NEAR(backlog, all.backlog.integral(), 1e-6 * backlog);
  EXPECT_NEAR(rig.accounts.jobs()[0].second.backlog.mean(), 6, 1e-9);
  EXPECT_LT(rig.accounts.jobs()[1].second.backlog.mean(), 4);
  // A job that thinks: its depth times its share of time outstanding (the response law of interactive systems).
  const observe::ClassStatistics& thinks = rig.accounts.jobs()[1].second;
  const double rate = static_cast<double>(thinks.response.count()) / 100;
  EXPECT_NEAR(rate, 4 / (*thinks.response.mean_ms() * 1e-3 + 0.05), 0.01 * rate);
}

TEST(Jobs, AnotherJobChangesNoRequestOfAJob) {
  JobRig alone("alone", "SPTF", {job("a", 1)}, 0, core::kNoDeadline);
  JobRig beside("beside", "SPTF", {job("a", 1), job("b", 3)}, 0, core::kNoDeadline);
  run_until(2 * core::kPicosecondsPerSecond);
  const auto addresses_of = [](const JobRig& rig) {  // a depth of one: in the order of issue
    std::vector<std::uint64_t> addresses;
    for (const Finished::Row& row : rig.finished.rows)
      if (row.request.job == 0) addresses.push_back(row.request.address);
    return addresses;
  };
  const std::vector<std::uint64_t> one = addresses_of(alone);
  const std::vector<std::uint64_t> two = addresses_of(beside);
  ASSERT_GT(two.size(), 20u);
  ASSERT_GT(one.size(), two.size());
  EXPECT_TRUE(std::equal(two.begin(), two.end(), one.begin()));
}

TEST(Jobs, ThoseOfOneInstantIssueInTheirOrder) {
  workload::JobParameters large = job("large", 4);
  large.rate_iops = 20;
  large.bs = *workload::find_block_size("256k");
  workload::JobParameters small = job("small", 4);
  small.rate_iops = 20;
  JobRig rig("rig", "SPTF", {large, small}, 0, core::kNoDeadline);
  run_until(4 * core::kPicosecondsPerSecond);
  std::map<std::uint64_t, const Request*> in_order;
  for (const Finished::Row& row : rig.finished.rows) in_order[row.number] = &row.request;
  std::size_t together = 0;
  const Request* before = nullptr;
  for (const auto& [number, request] : in_order) {
    if (before != nullptr && before->issued == request->issued) {
      ++together;
      EXPECT_LE(before->job, request->job) << number;
    }
    before = request;
  }
  EXPECT_GT(together, 5u);
}

TEST(Jobs, ADeeperQueueIsNeverSlowerOnRandomReads) {
  constexpr Picoseconds kTo = 60 * core::kPicosecondsPerSecond;
  std::vector<std::unique_ptr<JobRig>> rigs;
  for (const std::int64_t depth : {1, 2, 4, 8, 16, 32})
    rigs.push_back(std::make_unique<JobRig>(fmt::format("depth_{}", depth), "SPTF", std::vector{job("a", depth)}, 0, kTo));
  run_until(kTo);
  for (std::size_t i = 1; i < rigs.size(); ++i)
    EXPECT_GT(rigs[i]->finished.rows.size(), rigs[i - 1]->finished.rows.size()) << rigs[i]->host.name();
}

TEST(Jobs, TheHostTellsWhenAllThatEndsHasEnded) {
  workload::JobParameters finite = job("finite", 2);
  finite.io_size = workload::Amount(10 * 4096);
  workload::JobParameters timed = job("timed", 0);
  timed.rate_iops = 100;
  timed.startdelay_s = 1;
  timed.runtime_s = 0.1;
  JobRig rig("rig", "SPTF", {job("endless", 1), finite, timed}, 0, core::kNoDeadline);
  Picoseconds ended = -1;
  rig.host.set_all_ended([&] { ended = core::now_ps(); });
  run_until(3 * core::kPicosecondsPerSecond);
  std::array<Picoseconds, 3> last{};
  std::array<std::uint64_t, 3> count{};
  for (const Finished::Row& row : rig.finished.rows) {
    const auto number = static_cast<std::size_t>(row.request.job);
    last[number] = std::max(last[number], row.timing.completed);
    ++count[number];
  }
  EXPECT_EQ(count[1], 10u);
  EXPECT_EQ(count[2], 10u);
  EXPECT_EQ(ended, std::max(last[1], last[2]));
  EXPECT_GT(last[0], ended);
}

/// A trace of requests every 3 ms, and its replays.
class Replay : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ofstream out(file_);
    for (std::uint64_t i = 0; i < kRequests; ++i) out << fmt::format("{}.0 0 {} 8 {}\n", 3 * i, i * 7919 % 16'000, i % 2);
  }
  void TearDown() override { std::filesystem::remove(file_); }
  std::vector<Finished::Row> rows(const char* name, const workload::TraceProducer::Pace& pace) const {
    Rig rig(name, "SPTF", toy_profile());
    workload::TraceOptions options;
    options.format = "disksim-ascii";
    options.capacity_bytes = kToyBlocks * 512;
    options.sector_bytes = 512;
    workload::TraceProducer producer(file_, options, rig.target, pace);
    rig.host.add_producer(producer, true);
    begin_ = core::now_ps();
    sc_core::sc_start();
    EXPECT_EQ(rig.outstanding(), 0u);
    rig.check_conservation();
    EXPECT_EQ(rig.finished.rows.size(), kRequests);
    std::vector<Finished::Row> in_order = rig.finished.rows;
    std::sort(in_order.begin(), in_order.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
    return in_order;
  }

  static constexpr std::uint32_t kRequests = 200;
  std::filesystem::path file_ = std::filesystem::path(::testing::TempDir()) / fmt::format("replay_{}.trace", getpid());
  mutable Picoseconds begin_ = 0;
};

TEST_F(Replay, AClosedPaceOfOneIsServiceBackToBack) {
  workload::TraceProducer::Pace pace;
  pace.closed_depth = 1;
  const std::vector<Finished::Row> one = rows("one", pace);
  EXPECT_EQ(one[0].timing.issued, begin_);
  for (std::size_t i = 1; i < one.size(); ++i) {
    EXPECT_EQ(one[i].request.address, i * 7919 % 16'000 * 512) << "in the order of the trace";
    EXPECT_EQ(one[i].timing.issued, one[i - 1].timing.completed);
  }
}

TEST_F(Replay, EachRequestThinksBeforeTheOneInItsPlace) {
  workload::TraceProducer::Pace pace;
  pace.closed_depth = 1;
  pace.think = 5 * kMs;
  const std::vector<Finished::Row> one = rows("one", pace);
  for (std::size_t i = 1; i < one.size(); ++i) EXPECT_EQ(one[i].timing.issued, one[i - 1].timing.completed + 5 * kMs);
}

TEST_F(Replay, AClosedPaceKeepsItsNumberOutstanding) {
  workload::TraceProducer::Pace pace;
  pace.closed_depth = 8;
  const std::vector<Finished::Row> eight = rows("eight", pace);
  std::vector<Picoseconds> completions;
  for (const Finished::Row& row : eight) completions.push_back(row.timing.completed);
  std::sort(completions.begin(), completions.end());
  for (std::size_t i = 0; i < eight.size(); ++i)
    EXPECT_EQ(eight[i].timing.issued, i < 8 ? begin_ : completions[i - 8]) << "request " << i;
}

TEST_F(Replay, AClosedPaceAsDeepAsTheTraceIsTheOpenOneAtTimeZero) {
  Rig open("open", "SPTF", toy_profile());
  std::vector<Request> requests;
  for (std::uint64_t i = 0; i < kRequests; ++i) {
    requests.push_back(request(0, i * 7919 % 16'000, RequestClass::Discrete));
    requests.back().length = 8 * 512;
    requests.back().operation = command::read_or_write(i % 2 == 0);
  }
  ListProducer producer(requests);
  open.host.add_producer(producer);
  workload::TraceProducer::Pace pace;
  pace.closed_depth = kRequests;
  const std::vector<Finished::Row> closed = rows("closed", pace);
  ASSERT_EQ(open.finished.rows.size(), closed.size());
  for (const Finished::Row& row : open.finished.rows) {
    EXPECT_EQ(row.timing.issued, 0);
    EXPECT_EQ(row.timing.completed, closed[row.number].timing.completed) << row.number;
  }
}

}  // namespace
}  // namespace platter::testing
