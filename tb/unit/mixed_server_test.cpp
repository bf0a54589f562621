// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "platter/host/mixed_server/workload.h"

namespace platter::host::mixed_server {
namespace {

using core::kPicosecondsPerSecond;
using core::RequestClass;
using workload::Request;

constexpr std::uint32_t kDisks = 4;

std::vector<workload::StreamTable> tables() {
  return {workload::StreamTable::load(PLATTER_SOURCE_DIR "/models/configs/streams/bikes_mpeg1_1150k.csv")};
}

std::vector<std::vector<Request>> drain(Workload& work, bool backwards = false) {
  std::vector<std::vector<Request>> all(kDisks);
  for (std::uint32_t i = 0; i < kDisks; ++i) {
    const std::uint32_t disk = backwards ? kDisks - 1 - i : i;
    Request request;
    while (work.next(disk, request)) all[disk].push_back(request);
  }
  return all;
}

Workload make(const TextOptions& text, const VideoOptions& video, std::int64_t seconds, std::uint64_t seed = 1) {
  return Workload(text, {0, kDisks, 8192, 0}, video, {0, kDisks, 65536, 1 << 20}, tables(), kDisks, seconds * kPicosecondsPerSecond, seed);
}

TEST(Cascade, HasItsPeakAndItsMean) {
  core::RandomStream random(7, "test");
  const std::vector<double> rates = cascade(256, 10, 12.51, random);
  EXPECT_EQ(rates.size(), 256u);
  EXPECT_NEAR(std::accumulate(rates.begin(), rates.end(), 0.0) / 256, 10, 1e-9);
  EXPECT_NEAR(*std::max_element(rates.begin(), rates.end()), 125.1, 1e-6);
  core::RandomStream again(7, "test");
  EXPECT_EQ(cascade(100, 10, 12.51, again).size(), 100u);
}

TEST(Workload, TextRequestsAreWholeUnitsOfTheStripe) {
  TextOptions text;
  text.clients = 50;
  text.set_bytes = 1000 * 8192;
  Workload work = make(text, {}, 200);
  const auto all = drain(work);
  const auto& jobs = work.text_requests();
  EXPECT_NEAR(static_cast<double>(jobs.size()), 50 * 200, 400);  // four deviations
  std::map<std::uint32_t, std::set<std::uint64_t>> units;
  std::uint64_t count = 0;
  for (std::uint32_t disk = 0; disk < kDisks; ++disk)
    for (const Request& request : all[disk]) {
      EXPECT_EQ(request.length, 8192u);
      EXPECT_EQ(request.offset % 8192, 0u);
      EXPECT_EQ(request.time, jobs[request.stream].issued);
      EXPECT_EQ(request.cls, RequestClass::Discrete);
      units[request.stream].insert(request.offset / 8192 * kDisks + disk);
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
  Workload work = make({}, video, 300);
  const auto all = drain(work);
  std::map<std::uint32_t, std::map<Picoseconds, std::uint64_t>> rounds;
  std::map<std::uint32_t, std::set<std::uint64_t>> units;
  for (std::uint32_t disk = 0; disk < kDisks; ++disk)
    for (const Request& request : all[disk]) {
      EXPECT_EQ(request.length, 65536u);
      EXPECT_EQ(request.time % kPicosecondsPerSecond, 0);
      EXPECT_EQ(request.deadline, request.time + kPicosecondsPerSecond);
      EXPECT_EQ(request.cls, RequestClass::Continuous);
      EXPECT_TRUE(units[request.stream].insert((request.offset - (1 << 20)) / 65536 * kDisks + disk).second);
      ++rounds[request.stream][request.time];
    }
  const double rate = tables()[0].mean_rate_bytes_per_s();
  for (const auto& [client, fetched] : units)
    EXPECT_NEAR(static_cast<double>(fetched.size()) * 65536, rate * 300, rate * 3);
  for (const auto& [client, by_round] : rounds)
    for (const auto& [time, count] : by_round) EXPECT_LE(count, 5u);  // the peak is 1,589 kbit/s
  EXPECT_EQ(units.size(), 3u);
}

TEST(Workload, ScaledFilesHaveTheirRate) {
  VideoOptions video;
  video.clients = 1;
  video.bits_per_s = {4e6};
  Workload work = make({}, video, 200);
  std::size_t count = 0;
  for (const auto& disk : drain(work)) count += disk.size();
  EXPECT_NEAR(static_cast<double>(count) * 65536, 5e5 * 200, 2e6);
}

TEST(Workload, IsTheSameWhateverTheOrderInWhichDisksAsk) {
  TextOptions text;
  text.bursty = true;
  text.load_bytes_per_s = 1e6;
  text.set_bytes = 1000 * 8192;
  text.cache_bytes = 100 * 8192;
  VideoOptions video;
  video.clients = 5;
  Workload one = make(text, video, 60);
  Workload other = make(text, video, 60);
  Workload third = make(text, video, 60, 2);
  const auto a = drain(one);
  const auto b = drain(other, true);
  const auto c = drain(third);
  bool different = false;
  for (std::uint32_t disk = 0; disk < kDisks; ++disk) {
    ASSERT_EQ(a[disk].size(), b[disk].size());
    different = different || a[disk].size() != c[disk].size();
    for (std::size_t i = 0; i < a[disk].size(); ++i) {
      ASSERT_EQ(a[disk][i].time, b[disk][i].time);
      ASSERT_EQ(a[disk][i].offset, b[disk][i].offset);
      ASSERT_TRUE(i == 0 || a[disk][i - 1].time <= a[disk][i].time);
    }
  }
  EXPECT_TRUE(different);
  EXPECT_GT(one.cache_hits(), 0u);
}

}  // namespace
}  // namespace platter::host::mixed_server
