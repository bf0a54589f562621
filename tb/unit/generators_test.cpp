// SPDX-License-Identifier: Apache-2.0
#include "platter/workload/generators.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "platter/core/error.h"
#include "platter/core/ring_buffer.h"

namespace platter::workload {
namespace {

namespace fs = std::filesystem;
using core::kPicosecondsPerSecond;
using core::Picoseconds;
using core::RequestClass;

class GeneratorsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    base_ = ::testing::TempDir() + "/platter_generators_" + info->name();
  }
  void TearDown() override {
    for (const fs::path& path : files_) fs::remove(path);
  }
  fs::path file(const std::string& suffix, const std::string& text) {
    files_.emplace_back(base_ + suffix);
    std::ofstream(files_.back(), std::ios::binary) << text;
    return files_.back();
  }
  /// A clip of 200 ms: 9,000 bytes at 0, 1,000 at 40 ms, 3,000 at 80 ms, nothing from 120 ms on.
  StreamTable table() {
    return StreamTable::load(
        file(".csv", "# duration_us: 200000\nframe,pts_us,type,bytes\n0,0,I,9000\n1,40000,B,1000\n2,80000,P,3000\n"));
  }

 private:
  std::string base_;
  std::vector<fs::path> files_;
};

Target target(std::uint64_t blocks, std::uint32_t block_bytes = 512) {
  Target t;
  t.blocks = blocks;
  t.block_bytes = block_bytes;
  return t;
}

bool same(const Request& a, const Request& b) {
  return a.issued == b.issued && a.address == b.address && a.length == b.length && a.operation == b.operation &&
         a.cls == b.cls && a.stream == b.stream && a.deadline == b.deadline;
}

// --- random requests -----------------------------------------------------------------------------------------------

TEST_F(GeneratorsTest, ArrivalsAfterTheEndOfAllTimeAreNone) {
  EXPECT_EQ(core::to_picoseconds(1e10, kPicosecondsPerSecond), core::kNoDeadline);
  EXPECT_EQ(core::to_picoseconds(-1e10, kPicosecondsPerSecond), std::numeric_limits<Picoseconds>::min());
  EXPECT_EQ(core::to_picoseconds(1.5, 1), 2);
  RandomProducer::Options options;
  options.rate_per_s = 1e-7;
  RandomProducer producer({1'000'000, 512}, options);
  Request request;
  Picoseconds last = 0;
  int count = 0;
  while (producer.next(request, 0) && count < 100) {
    EXPECT_GE(request.issued, last);
    last = request.issued;
    ++count;
  }
  EXPECT_LT(count, 100);
}

TEST_F(GeneratorsTest, ATraceThatIsTooSlowIsRefusedWithItsLine) {
  TraceOptions options;
  options.format = "disksim-ascii";
  options.rebase = false;
  TraceProducer producer(file(".txt", "0.0 0 8 8 1\n1000000.0 0 16 8 1\n"), options, {1'000'000, 512}, {1e-9, 0, 0});
  Request request;
  ASSERT_TRUE(producer.next(request, 0));
  try {
    producer.next(request, 0);
    ADD_FAILURE() << "no error";
  } catch (const core::InputError& error) {
    EXPECT_EQ(error.line(), 2u);
    EXPECT_NE(std::string(error.what()).find("workload.discrete.trace_speed"), std::string::npos) << error.what();
  }
}

TEST_F(GeneratorsTest, AlignedRequestsBeginAtMultiplesOverTheWholeDrive) {
  RandomProducer::Options options;
  options.closed_depth = 1;
  options.mean_bytes = 4096;
  options.placement.align_blocks = 8;
  RandomProducer producer(target(83), options);  // ten whole blocks of 4 KB, and three sectors
  std::array<int, 10> hits{};
  Request request;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(producer.next(request, 0));
    ASSERT_EQ(request.address % 4096, 0u);
    ASSERT_LE(request.address + request.length, 83u * 512);
    ++hits.at(request.address / 4096);
  }
  for (const int count : hits) EXPECT_GT(count, 50);
}

TEST_F(GeneratorsTest, RandomRequestsArriveAtTheRateWithTheShareAndTheSizesAskedFor) {
  RandomProducer::Options options;
  options.rate_per_s = 65;
  options.read_fraction = 0.8;
  options.mean_bytes = 70'000;
  options.deviation_bytes = 20'000;
  const Target drive = target(17'000'000);
  RandomProducer producer(drive, options);
  EXPECT_EQ(producer.closed_depth(), 0u);
  const int n = 200'000;
  Request request;
  Picoseconds before = 0;
  double gaps_squared = 0, sizes = 0, sizes_squared = 0, places = 0;
  int reads = 0;
  for (int i = 0; i < n; ++i) {
    ASSERT_TRUE(producer.next(request, 0));
    ASSERT_GE(request.issued, before);
    const double gap = static_cast<double>(request.issued - before) * 1e-12;
    gaps_squared += gap * gap;
    before = request.issued;
    ASSERT_EQ(request.address % 512, 0u);
    ASSERT_EQ(request.length % 512, 0u);
    ASSERT_GE(request.length, 512u);
    ASSERT_LE(request.address + request.length, drive.blocks * 512);
    ASSERT_EQ(request.cls, RequestClass::Discrete);
    ASSERT_EQ(request.deadline, core::kNoDeadline);
    reads += !request.write();
    sizes += request.length;
    sizes_squared += static_cast<double>(request.length) * request.length;
    places += static_cast<double>(request.address) / (17e6 * 512);
  }
  const double rate = n / (static_cast<double>(before) * 1e-12);
  EXPECT_NEAR(rate, 65, 5 * 65 / std::sqrt(n));
  EXPECT_NEAR(gaps_squared / n * 65 * 65, 2, 0.08);  // exponential gaps: second moment 2 / rate^2
  EXPECT_NEAR(reads, 0.8 * n, 5 * std::sqrt(0.16 * n));
  const double mean = sizes / n;
  EXPECT_NEAR(mean, 70'000, 5 * 20'000 / std::sqrt(n) + 10);
  EXPECT_NEAR(std::sqrt(sizes_squared / n - mean * mean), 20'000, 200);
  EXPECT_NEAR(places / n, 0.5, 0.005);
}

TEST_F(GeneratorsTest, RandomRequestsReachBothEndsOfTheDriveAndNoFurther) {
  RandomProducer::Options options;
  options.closed_depth = 4;
  options.mean_bytes = 1024;
  RandomProducer producer(target(10), options);
  EXPECT_EQ(producer.closed_depth(), 4u);
  std::vector<int> starts(10);
  Request request;
  for (int i = 0; i < 9000; ++i) {
    ASSERT_TRUE(producer.next(request, 77));
    ASSERT_EQ(request.issued, 77);  // closed: when asked
    ASSERT_EQ(request.length, 1024u);
    ASSERT_FALSE(request.write());
    ++starts[request.address / 512];
  }
  EXPECT_EQ(starts[9], 0);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(starts[i], 1000, 150) << i;
}

TEST_F(GeneratorsTest, SizesAreWholeSectorsBetweenOneAndTheDrive) {
  const auto length = [](double mean_bytes, std::uint64_t blocks, std::uint32_t block_bytes) {
    RandomProducer::Options options;
    options.closed_depth = 1;
    options.mean_bytes = mean_bytes;
    RandomProducer producer(target(blocks, block_bytes), options);
    Request request;
    producer.next(request, 0);
    EXPECT_LE(request.address + request.length, blocks * block_bytes);
    return request.length;
  };
  EXPECT_EQ(length(1, 100, 512), 512u);
  EXPECT_EQ(length(767, 100, 512), 512u);
  EXPECT_EQ(length(768, 100, 512), 1024u);
  EXPECT_EQ(length(4096, 100, 4096), 4096u);
  EXPECT_EQ(length(1e9, 100, 512), 51'200u);
  EXPECT_EQ(length(6e9, std::uint64_t{1} << 40, 512), 0xFFFF'FE00u);  // the most that a length holds
  RandomProducer::Options wide;
  wide.closed_depth = 1;
  wide.mean_bytes = 5000;
  wide.deviation_bytes = 5000;
  RandomProducer producer(target(1000), wide);
  Request request;
  int least = 0;
  for (int i = 0; i < 20'000; ++i) {
    ASSERT_TRUE(producer.next(request, 0));
    ASSERT_EQ(request.length % 512, 0u);
    ASSERT_GE(request.length, 512u);
    least += request.length == 512;
  }
  EXPECT_NEAR(least, 0.1985 * 20'000, 300);  // all of the normal curve below 768 bytes, -0.846 deviations
}

TEST_F(GeneratorsTest, OneSeedGivesOneSequenceAndSizesMoveNothingElse) {
  RandomProducer::Options options;
  options.rate_per_s = 100;
  options.read_fraction = 0.5;
  options.seed = 3;
  RandomProducer a(target(1'000'000), options), b(target(1'000'000), options);
  options.deviation_bytes = 10;  // draws sizes, all of which round to 4096 again
  RandomProducer sized(target(1'000'000), options);
  options.seed = 4;
  RandomProducer other(target(1'000'000), options);
  Request ra, rb, rs, ro;
  int differ = 0;
  for (int i = 0; i < 1000; ++i) {
    a.next(ra, 0);
    b.next(rb, 0);
    sized.next(rs, 0);
    other.next(ro, 0);
    ASSERT_TRUE(same(ra, rb));
    ASSERT_TRUE(same(ra, rs));
    differ += !same(ra, ro);
  }
  EXPECT_EQ(differ, 1000);
}

// --- rounds --------------------------------------------------------------------------------------------------------

TEST_F(GeneratorsTest, EachRoundAsksForItsBytesOfEveryStreamAndIsDueAtItsEnd) {
  RoundsProducer::Options options;
  options.streams = 5;
  options.round = kPicosecondsPerSecond;  // 5 cycles of the clip: 65,000 bytes wherever a stream entered it
  RoundsProducer producer(target(1'000'000), options, {table()});
  Request request;
  for (std::int64_t round = 0; round < 20; ++round)
    for (std::uint32_t stream = 0; stream < 5; ++stream) {
      ASSERT_TRUE(producer.next(request, 0));
      EXPECT_EQ(request.issued, round * kPicosecondsPerSecond);
      EXPECT_EQ(request.deadline, (round + 1) * kPicosecondsPerSecond);
      EXPECT_EQ(request.stream, stream);
      EXPECT_EQ(request.cls, RequestClass::Continuous);
      EXPECT_FALSE(request.write());
      EXPECT_EQ(request.length, 127u * 512);  // 65,000 bytes in whole sectors
      EXPECT_LE(request.address + request.length, 1'000'000u * 512);
    }
}

TEST_F(GeneratorsTest, BytesOfARoundAreThoseOfTheTableAtTheStreamsPlace) {
  // Rounds of 40 ms hold one frame each at most: a stream's sizes are the clip's 18, 2, 6 and 0 sectors from some place on,
  // summed where its rounds do not begin with a frame (they always hold exactly one 40 ms slot).
  RoundsProducer::Options options;
  options.streams = 1;
  options.round = kPicosecondsPerSecond / 25;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    options.seed = seed;
    RoundsProducer producer(target(1'000'000), options, {table()});
    const std::vector<std::uint32_t> cycle = {18, 2, 6, 0, 0};  // 9,000, 1,000 and 3,000 bytes
    std::vector<std::uint32_t> sectors(50);
    Request request;
    for (int i = 0; i < 30; ++i) {
      ASSERT_TRUE(producer.next(request, 0));
      const auto round = static_cast<std::size_t>(request.issued / options.round);
      ASSERT_EQ(request.issued % options.round, 0);
      if (round >= sectors.size()) break;
      ASSERT_EQ(sectors[round], 0u);  // once a round
      sectors[round] = request.length / 512;
    }
    bool found = false;
    for (std::size_t shift = 0; shift < 5 && !found; ++shift) {
      found = true;
      for (std::size_t round = 0; round < sectors.size(); ++round) found &= sectors[round] == cycle[(round + shift) % 5];
    }
    EXPECT_TRUE(found) << seed;
  }
}

TEST_F(GeneratorsTest, StreamsTakeTheTablesInTurn) {
  const StreamTable small =
      StreamTable::load(file(".small.csv", "# duration_us: 100000\nframe,pts_us,type,bytes\n0,0,I,512\n"));
  RoundsProducer::Options options;
  options.streams = 5;
  RoundsProducer producer(target(1'000'000), options, {table(), small});
  Request request;
  for (std::uint32_t stream = 0; stream < 5; ++stream) {
    ASSERT_TRUE(producer.next(request, 0));
    EXPECT_EQ(request.length, stream % 2 == 0 ? 127u * 512 : 10u * 512) << stream;
  }
}

TEST_F(GeneratorsTest, ContiguousFragmentsFollowEachOtherAndStartAgainAtTheEnd) {
  RoundsProducer::Options options;
  options.streams = 2;
  options.contiguous = true;
  RoundsProducer producer(target(1000), options, {table()});  // 127 sectors a round
  std::vector<std::vector<std::uint64_t>> first(2);
  Request request;
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(producer.next(request, 0));
    ASSERT_LE(request.address + request.length, 1000u * 512);
    first[request.stream].push_back(request.address / 512);
  }
  EXPECT_EQ(first[0], (std::vector<std::uint64_t>{0, 127, 254, 381, 508, 635, 762, 0, 127, 254}));
  EXPECT_EQ(first[1], (std::vector<std::uint64_t>{500, 627, 754, 0, 127, 254, 381, 508, 635, 762}));
}

TEST_F(GeneratorsTest, EmptyRoundsAskForNothing) {
  // One frame every ten days, rounds of an hour: each stream asks once in 240 rounds.
  RoundsProducer::Options options;
  options.streams = 2;
  options.round = 3600 * kPicosecondsPerSecond;
  const StreamTable rare =
      StreamTable::load(file(".rare.csv", "# duration_us: 864000000000\nframe,pts_us,type,bytes\n0,0,I,512\n"));
  RoundsProducer producer(target(1000), options, {rare});
  std::array<std::vector<Picoseconds>, 2> times;
  Request request;
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(producer.next(request, 0));
    EXPECT_EQ(request.length, 512u);
    times.at(request.stream).push_back(request.issued);
  }
  for (const std::vector<Picoseconds>& own : times) {
    ASSERT_EQ(own.size(), 4u);
    EXPECT_LT(own[0], 240 * options.round);
    for (std::size_t i = 1; i < own.size(); ++i) EXPECT_EQ(own[i] - own[i - 1], 240 * options.round);
  }
}

TEST_F(GeneratorsTest, RandomPlacementIsDeterministicAndCoversTheDrive) {
  RoundsProducer::Options options;
  options.streams = 3;
  options.seed = 8;
  RoundsProducer a(target(100'000), options, {table()}), b(target(100'000), options, {table()});
  Request ra, rb;
  std::uint64_t low = ~std::uint64_t{0}, high = 0;
  for (int i = 0; i < 600; ++i) {
    a.next(ra, 0);
    b.next(rb, 0);
    ASSERT_TRUE(same(ra, rb));
    low = std::min(low, ra.address / 512);
    high = std::max(high, ra.address / 512);
  }
  EXPECT_LT(low, 2000u);
  EXPECT_GT(high, 97'000u);
  EXPECT_LE(high, 100'000u - 127);
}

// --- traces --------------------------------------------------------------------------------------------------------

TEST_F(GeneratorsTest, TracedRequestsComeAtTheirTimesDividedByTheSpeed) {
  const fs::path trace = file(".txt", "0.5\t0\t100\t8\t1\n10.5\t0\t108\t16\t0\n12.5\t0\t50\t1\t1\n");
  TraceOptions options;
  options.format = "disksim-ascii";
  for (const auto& [speed, times] : {std::pair{1.0, std::vector<Picoseconds>{0, 10'000'000'000, 12'000'000'000}},
                                     {4.0, {0, 2'500'000'000, 3'000'000'000}},
                                     {0.5, {0, 20'000'000'000, 24'000'000'000}}}) {
    TraceProducer producer(trace, options, target(1000), {speed, 0, 0});
    Request request;
    const std::uint64_t offsets[] = {100 * 512, 108 * 512, 50 * 512};
    const std::uint32_t lengths[] = {8 * 512, 16 * 512, 512};
    for (std::size_t i = 0; i < 3; ++i) {
      ASSERT_TRUE(producer.next(request, 0));
      EXPECT_EQ(request.issued, times[i]) << speed;
      EXPECT_EQ(request.address, offsets[i]);
      EXPECT_EQ(request.length, lengths[i]);
      EXPECT_EQ(request.write(), i == 1);
      EXPECT_EQ(request.cls, RequestClass::Discrete);
      EXPECT_EQ(request.deadline, core::kNoDeadline);
    }
    EXPECT_FALSE(producer.next(request, 0));
  }
}

TEST_F(GeneratorsTest, WhatTheHostDropsAndWhatFollowsIsTheRestOfATrace) {
  const fs::path trace = file(".txt", "0.5\t0\t100\t8\t1\n10.5\t0\t108\t16\t0\n12.5\t0\t50\t1\t1\n");
  TraceOptions options;
  options.format = "disksim-ascii";
  for (const std::uint64_t dropped : {0u, 1u, 2u}) {
    TraceProducer producer(trace, options, target(1000), {1, 2, 0});
    Request request;
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(producer.next(request, 0));
    for (std::uint64_t i = 0; i < dropped; ++i) producer.dropped();
    EXPECT_EQ(producer.issued(), 2 - dropped);
    const TraceRest rest = producer.rest(10);
    EXPECT_EQ(rest.requests, dropped + 1);
    EXPECT_TRUE(rest.all);
  }
}

TEST_F(GeneratorsTest, ATracedRequestThatIsNoWholeSectorsIsRefusedByItsLine) {
  const fs::path trace = file(".txt", "0.5\t0\t104\t8\t1\n10.5\t0\t108\t8\t0\n12.5\t0\t112\t8\t1\n");
  TraceOptions options;
  options.format = "disksim-ascii";
  TraceProducer producer(trace, options, target(1000, 4096), {});
  Request request;
  ASSERT_TRUE(producer.next(request, 0));
  EXPECT_EQ(request.address, 104u * 512);
  try {
    producer.next(request, 0);
    FAIL() << "no error";
  } catch (const core::InputError& error) {
    EXPECT_EQ(error.file(), trace.string());
    EXPECT_EQ(error.line(), 2u);
    EXPECT_EQ(error.what(),
              trace.string() + ":2: found a request of 4096 bytes at byte 55296, expected whole sectors of 4096 bytes");
  }
}

// --- ring buffer ---------------------------------------------------------------------------------------------------

TEST(RingBuffer, IsAQueueWhateverItsSize) {
  core::RingBuffer<int> ring;
  std::deque<int> queue;
  std::mt19937 random(91);
  EXPECT_TRUE(ring.empty());
  std::size_t largest = 0;
  for (int i = 0; i < 100'000; ++i) {
    const bool fill = i / 5000 % 2 == 0;
    if (queue.empty() || random() % 4 < (fill ? 3u : 1u)) {
      ring.push_back(i);
      queue.push_back(i);
    } else {
      ASSERT_EQ(ring.front(), queue.front());
      ring.pop_front();
      queue.pop_front();
    }
    largest = std::max(largest, queue.size());
    ASSERT_EQ(ring.size(), queue.size());
    ASSERT_EQ(ring.empty(), queue.empty());
  }
  EXPECT_GT(largest, 1000u);
}

// --- spans and gamma-distributed streams ------------------------------------------------------------------------------

TEST(Spans, ARequestLiesWithinOneOfThemAndEveryOneIsUsed) {
  constexpr std::uint64_t kSpan = 100;
  RandomProducer::Options options;
  options.closed_depth = 1;
  options.mean_bytes = 40 * 512;
  options.deviation_bytes = 30 * 512;
  options.placement.span_blocks = kSpan;
  RandomProducer producer(target(1050), options);  // ten spans, and half of one that is not used
  std::array<int, 10> used{};
  std::array<bool, kSpan> starts{};
  for (int i = 0; i < 20'000; ++i) {
    Request request;
    ASSERT_TRUE(producer.next(request, 0));
    const std::uint64_t first = request.address / 512;
    const std::uint64_t last = first + request.length / 512 - 1;
    ASSERT_EQ(first / kSpan, last / kSpan);
    ASSERT_LT(first / kSpan, used.size());
    ++used[first / kSpan];
    starts[first % kSpan] = true;
  }
  for (const int count : used) EXPECT_NEAR(count, 2000, 200);
  EXPECT_TRUE(std::all_of(starts.begin(), starts.end(), [](bool start) { return start; }));
}

TEST(Spans, ARequestLongerThanOneIsCutToIt) {
  RandomProducer::Options options;
  options.closed_depth = 1;
  options.mean_bytes = 500 * 512;
  options.placement.span_blocks = 100;
  RandomProducer producer(target(1000), options);
  Request request;
  ASSERT_TRUE(producer.next(request, 0));
  EXPECT_EQ(request.length, 100u * 512);
  EXPECT_EQ(request.address % (100 * 512), 0u);
}

TEST(GammaStreams, HaveMeanAndDeviationAndThePlaceOfASpan) {
  RoundsProducer::Options options;
  options.streams = 4;
  options.mean_bytes = 200'000;
  options.deviation_bytes = 100'000;
  options.placement.span_blocks = 3344;
  RoundsProducer producer(target(6720 * 3344), options, {});
  double sum = 0;
  double squares = 0;
  constexpr int kRequests = 40'000;
  for (int i = 0; i < kRequests; ++i) {
    Request request;
    ASSERT_TRUE(producer.next(request, 0));
    ASSERT_EQ(request.issued, i / 4 * kPicosecondsPerSecond);
    ASSERT_EQ(request.deadline, request.issued + kPicosecondsPerSecond);
    ASSERT_EQ(request.stream, static_cast<std::uint32_t>(i % 4));
    ASSERT_EQ(request.address / 512 / 3344, (request.address + request.length - 1) / 512 / 3344);
    sum += request.length;
    squares += static_cast<double>(request.length) * request.length;
  }
  const double mean = sum / kRequests;
  EXPECT_NEAR(mean, 200'256, 2'000);  // rounded up to whole sectors
  EXPECT_NEAR(std::sqrt(squares / kRequests - mean * mean), 100'000, 2'000);
}

TEST(GammaStreams, WithoutDeviationAllAreEqual) {
  RoundsProducer::Options options;
  options.streams = 1;
  options.mean_bytes = 5'000;
  RoundsProducer producer(target(1000), options, {});
  for (int i = 0; i < 10; ++i) {
    Request request;
    ASSERT_TRUE(producer.next(request, 0));
    ASSERT_EQ(request.length, 10u * 512);
  }
}

}  // namespace
}  // namespace platter::workload
