// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "platter/host/mixed_server/workload.h"

namespace platter::host::mixed_server {
namespace {

using core::kPicosecondsPerSecond;
using core::RequestClass;
using workload::Request;

std::vector<workload::StreamTable> tables() {
  return {workload::StreamTable::load(PLATTER_SOURCE_DIR "/models/configs/streams/bikes_mpeg1_1150k.csv")};
}

std::vector<Request> drain(Workload& work) {
  std::vector<Request> all;
  Request request;
  while (work.next(request, 0)) all.push_back(request);
  return all;
}

Workload make(const TextOptions& text, const VideoOptions& video, std::int64_t seconds, std::uint64_t seed = 1,
              std::int64_t begin = 0) {
  return Workload(text, video, tables(), begin * kPicosecondsPerSecond, seconds * kPicosecondsPerSecond, seed);
}

/// Bursty text of single units, past the cache.
TextOptions bursts(double load_bytes_per_s, double interval_s) {
  TextOptions text;
  text.bursty = true;
  text.load_bytes_per_s = load_bytes_per_s;
  text.burst_interval_s = interval_s;
  text.mean_bytes = 8192;
  text.deviation_bytes = 0;
  text.set_bytes = 100'000 * 8192;
  return text;
}

TEST(Cascade, HasItsPeakAndItsMean) {
  core::RandomStream random(7, "test");
  const std::vector<double> rates = cascade(8, 10, 12.51, random);
  EXPECT_EQ(rates.size(), 256u);
  EXPECT_NEAR(std::accumulate(rates.begin(), rates.end(), 0.0) / 256, 10, 1e-9);
  EXPECT_NEAR(*std::max_element(rates.begin(), rates.end()), 125.1, 1e-6);
}

TEST(Cascade, HasThePowerOfTwoNearestToItsIntervals) {
  EXPECT_EQ(cascade_levels(512, 1), 9u);
  EXPECT_EQ(cascade_levels(310, 1), 8u);
  EXPECT_EQ(cascade_levels(363, 1), 9u);  // 256 times the square root of 2 is 362.04
  EXPECT_EQ(cascade_levels(362, 1), 8u);
  EXPECT_EQ(cascade_levels(57, 83.91 / 3000), 11u);
  EXPECT_EQ(cascade_levels(1, 1), 0u);
  EXPECT_GT(cascade_levels(1e6, 1e-7), kMaxLevels);
}

/// The largest share of the load in any piece of so many milliseconds, times their number.
double peak_to_mean(const std::vector<Request>& all, Picoseconds begin, Picoseconds length, std::size_t pieces) {
  std::vector<double> counts(pieces);
  for (const Request& request : all)
    if (request.issued >= begin) ++counts.at(static_cast<std::size_t>((request.issued - begin) / length));
  return *std::max_element(counts.begin(), counts.end()) * static_cast<double>(pieces) /
         std::accumulate(counts.begin(), counts.end(), 0.0);
}

TEST(Bursts, ARunHoldsAWholeCascadeBehindItsWarmUp) {
  // 310 s hold 256 intervals, whose mean is the load and whose peak the one that was asked for; seeds do not matter.
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    Workload work = make(bursts(8192 * 1000, 1), {}, 310, seed, 10);
    EXPECT_EQ(work.text().arrivals().burst_intervals(), 256u);
    EXPECT_DOUBLE_EQ(work.text().arrivals().burst_interval_s(), 300.0 / 256);
    const auto all = drain(work);
    std::size_t before = 0;
    std::size_t count = 0;
    for (const Request& request : all) ++(request.issued < 10 * kPicosecondsPerSecond ? before : count);
    EXPECT_NEAR(static_cast<double>(before), 10'000, 400);  // four deviations
    EXPECT_NEAR(static_cast<double>(count), 300'000, 2'200);
    EXPECT_NEAR(peak_to_mean(all, 10 * kPicosecondsPerSecond, 300 * kPicosecondsPerSecond / 256, 256), 12.51, 0.5);
    EXPECT_EQ(work.text().offered_bytes().size(), 300u);
    EXPECT_DOUBLE_EQ(std::accumulate(work.text().offered_bytes().begin(), work.text().offered_bytes().end(), 0.0),
                     8192.0 * static_cast<double>(count));
  }
}

TEST(Bursts, TimeStampsKeepTheBurstsAndMakeThemShorter) {
  // The same trace of 2,048 intervals at two loads: as many requests, the same in each interval but for chance.
  std::vector<std::vector<double>> shapes;
  for (const auto& [load, seconds] : {std::pair{8192.0 * 1000, 128}, {8192.0 * 4000, 32}}) {
    Workload work = make(bursts(load, seconds / 2048.0), {}, seconds);
    EXPECT_EQ(work.text().arrivals().burst_intervals(), 2048u);
    std::vector<double> counts(64);
    for (const Request& request : drain(work))
      ++counts[static_cast<std::size_t>(request.issued * 64 / (seconds * kPicosecondsPerSecond))];
    shapes.push_back(counts);
  }
  for (std::size_t i = 0; i < 64; ++i) EXPECT_NEAR(shapes[0][i], shapes[1][i], 4 * std::sqrt(shapes[0][i] + shapes[1][i]) + 4);
}

TEST(Workload, TextRequestsAreWholeUnitsOfTheStripe) {
  TextOptions text;
  text.clients = 50;
  text.set_bytes = 1000 * 8192;
  Workload work = make(text, {}, 200);
  const auto all = drain(work);
  const auto& jobs = work.text().requests().all();
  EXPECT_NEAR(static_cast<double>(jobs.size()), 50 * 200, 400);  // four deviations
  std::map<std::uint32_t, std::set<std::uint64_t>> units;
  std::uint64_t count = 0;
  for (const Request& request : all) {
    EXPECT_EQ(request.length, 8192u);
    EXPECT_EQ(request.address % 8192, 0u);
    EXPECT_EQ(request.issued, jobs[request.stream].issued);
    EXPECT_EQ(request.cls, RequestClass::Discrete);
    units[request.stream].insert(request.address / 8192);
    ++count;
  }
  for (const auto& [job, set] : units) {  // side by side, and all of them
    ASSERT_EQ(set.size(), jobs[job].units);
    ASSERT_EQ(*set.rbegin() - *set.begin() + 1, set.size());
    ASSERT_LT(*set.rbegin(), 1000u);
  }
  EXPECT_NEAR(static_cast<double>(count) / static_cast<double>(jobs.size()), 4.5, 0.1);  // mean of ceil(normal(4, 1))
}

TEST(Workload, VideoClientsFetchWhatTheyPlayAndNoUnitTwice) {
  VideoOptions video;
  video.clients = 3;
  video.file_s = 1000;  // longer than the run
  TextOptions text;
  text.set_bytes = 1001 * 8192;
  Workload work = make(text, video, 300);
  const auto all = drain(work);
  std::map<std::uint32_t, std::map<Picoseconds, std::uint64_t>> rounds;
  std::map<std::uint32_t, std::set<std::uint64_t>> units;
  for (const Request& request : all) {
    EXPECT_EQ(request.length, 65536u);
    EXPECT_EQ(request.issued % kPicosecondsPerSecond, 0);
    EXPECT_EQ(request.deadline, request.issued + kPicosecondsPerSecond);
    EXPECT_EQ(request.cls, RequestClass::Continuous);
    EXPECT_EQ(request.address % 65536, text.set_bytes % 65536);
    EXPECT_GE(request.address, text.set_bytes);
    EXPECT_LT(request.address, text.set_bytes + work.video().units() * 65536);
    EXPECT_TRUE(units[request.stream].insert(request.address).second);
    ++rounds[request.stream][request.issued];
  }
  const double rate = tables()[0].mean_rate_bytes_per_s();
  for (const auto& [client, fetched] : units) EXPECT_NEAR(static_cast<double>(fetched.size()) * 65536, rate * 300, rate * 3);
  for (const auto& [client, by_round] : rounds)
    for (const auto& [time, count] : by_round) EXPECT_LE(count, 5u);  // the peak is 1,589 kbit/s
  EXPECT_EQ(units.size(), 3u);
}

TEST(Workload, ScaledFilesHaveTheirRate) {
  VideoOptions video;
  video.clients = 1;
  video.bits_per_s = {4e6};
  Workload work = make({}, video, 200);
  EXPECT_NEAR(static_cast<double>(drain(work).size()) * 65536, 5e5 * 200, 2e6);
}

TEST(Workload, StaggeredRoundsAreTheSameRoundsInEqualDistances) {
  TextOptions text;
  text.clients = 20;
  text.set_bytes = 1000 * 8192;
  VideoOptions video;
  video.clients = 8;
  std::map<std::pair<std::uint32_t, Picoseconds>, std::vector<std::uint64_t>> fetched[2];  // by client and round
  for (const bool staggered : {false, true}) {
    video.staggered = staggered;
    Workload work = make(text, video, 50);
    Picoseconds before = 0;
    for (const Request& request : drain(work)) {
      ASSERT_GE(request.issued, before);
      before = request.issued;
      if (request.cls != RequestClass::Continuous) continue;
      const Picoseconds offset = staggered ? kPicosecondsPerSecond / 8 * request.stream : 0;
      ASSERT_EQ(request.issued % kPicosecondsPerSecond, offset);
      ASSERT_EQ(request.deadline, request.issued + kPicosecondsPerSecond);
      fetched[staggered ? 1 : 0][{request.stream, request.issued / kPicosecondsPerSecond}].push_back(request.address);
    }
  }
  EXPECT_GT(fetched[0].size(), 8u * 49);
  EXPECT_EQ(fetched[0], fetched[1]);
}

TEST(Workload, ComesInOrderOfTimeAndIsTheSameForTheSameSeed) {
  TextOptions text;
  text.bursty = true;
  text.load_bytes_per_s = 1e6;
  text.set_bytes = 1000 * 8192;
  text.cache_bytes = 100 * 8192;
  VideoOptions video;
  video.clients = 5;
  Workload one = make(text, video, 60);
  Workload same = make(text, video, 60);
  Workload other = make(text, video, 60, 2);
  const auto a = drain(one);
  const auto b = drain(same);
  ASSERT_EQ(a.size(), b.size());
  EXPECT_NE(a.size(), drain(other).size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].issued, b[i].issued);
    ASSERT_EQ(a[i].address, b[i].address);
    ASSERT_TRUE(i == 0 || a[i - 1].issued <= a[i].issued);
  }
  EXPECT_GT(one.text().cache().hits(), 0u);
}

TEST(Workload, AUnitThatCouldNotBeReadIsNotInTheCache) {
  TextOptions text;  // two units, of which the cache has one
  text.clients = 1;
  text.mean_bytes = 8192;
  text.deviation_bytes = 0;
  text.set_bytes = 2 * 8192;
  text.cache_bytes = 8192;
  for (const bool failed : {false, true}) {
    Workload work = make(text, {}, 1000);
    Request request;
    int again = 0;
    for (std::uint64_t last = 1; work.next(request, 0); last = request.address) {
      again += request.address == last ? 1 : 0;
      work.text().unit_ended(request, request.issued, failed);
    }
    EXPECT_EQ(again > 0, failed) << again;
  }
}

TEST(Workload, ARequestFailsWithOneOfItsUnits) {
  TextOptions text;
  text.clients = 1;
  text.set_bytes = 1000 * 8192;
  Workload work = make(text, {}, 100);
  const auto all = drain(work);
  std::map<bool, int> ended;
  work.text().requests().on_ended([&](const TextRequest& request) { ++ended[request.failed]; });
  const std::uint32_t failing = all.front().stream;
  for (const Request& request : all)
    work.text().requests().unit_ended(request.stream, request.issued, &request == &all.front());
  EXPECT_EQ(ended[true], 1);
  EXPECT_EQ(ended[false], static_cast<int>(work.text().requests().all().size()) - 1);
  EXPECT_TRUE(work.text().requests().all()[failing].failed);
}

}  // namespace
}  // namespace platter::host::mixed_server
