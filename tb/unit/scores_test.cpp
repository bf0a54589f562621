// SPDX-License-Identifier: Apache-2.0
#include "platter/validation/scores.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <vector>

#include "drives.h"
#include "platter/core/error.h"
#include "platter/validation/measured_trace.h"

namespace platter::validation {
namespace {

using core::kPicosecondsPerMicrosecond;
using core::kPicosecondsPerMillisecond;
using core::Lba;

/// A made-up pair of samples in milliseconds, half a microsecond away from whole ones.
std::vector<double> made_up_measured() {
  std::vector<double> sample;
  for (int i = 0; i < 200; ++i) sample.push_back((1000 + i * 37 % 101 * 113 + i % 7 * 5 + 0.5) / 1000);
  return sample;
}
std::vector<double> made_up_simulated() {
  std::vector<double> sample;
  for (int j = 0; j < 150; ++j) sample.push_back((1040 + j * 53 % 97 * 119 + j % 5 * 11 + 0.5) / 1000);
  return sample;
}

TEST(Demerit, OfAShiftIsTheShift) {
  std::vector<double> sample = made_up_measured();
  std::vector<double> shifted;
  for (const double value : sample) shifted.push_back(value + 0.25);
  EXPECT_EQ(demerit_exact(sample, sample), 0.0);
  EXPECT_NEAR(demerit_exact(sample, shifted), 0.25, 1e-12);
  EXPECT_NEAR(demerit_exact(shifted, sample), 0.25, 1e-12);
  std::shuffle(shifted.begin(), shifted.end(), std::mt19937(1));
  EXPECT_NEAR(demerit_exact(sample, shifted), 0.25, 1e-12) << "it compares distributions";
}

TEST(Demerit, OfSamplesOfDifferentSizesByHand) {
  EXPECT_NEAR(demerit_exact({1, 2}, {1, 1, 2, 2}), 0.0, 1e-15);
  EXPECT_NEAR(demerit_exact({4}, {1, 3, 8}), std::sqrt((9 + 1 + 16) / 3.0), 1e-15);
  // Quantiles: 0 to 1/3: 1 and 0; to 1/2: 2 and 0; to 2/3: 2 and 4; to 1: 6 and 4.
  EXPECT_NEAR(demerit_exact({6, 1, 2}, {4, 0}), std::sqrt(1.0 / 3 + 4.0 / 6 + 4.0 / 6 + 4.0 / 3), 1e-15);
}

TEST(Demerit, EqualsTheReferenceCalculation) {
  // Both numbers are what the stand-alone reference script of the measured traces (demerit.py, modes exact and binned) gives for
  // the two samples above, written with four digits behind the point.
  EXPECT_NEAR(demerit_exact(made_up_measured(), made_up_simulated()), 0.06845632427565285, 1e-9);
  EXPECT_NEAR(demerit_binned(made_up_measured(), made_up_simulated()), 0.05865981142734465, 1e-9);
  EXPECT_EQ(demerit_binned(made_up_measured(), made_up_measured()), 0.0);
}

// --- request by request ------------------------------------------------------------------------------------------------

struct Replay {
  std::vector<MeasuredRequest> measured;
  std::vector<ReplayedRequest> simulated;

  void add(bool write, std::uint64_t block, double measured_ms, double simulated_ms, bool media = true) {
    MeasuredRequest request;
    request.write = write;
    request.first = Lba(block);
    request.blocks = 1;
    request.response = core::to_picoseconds(measured_ms, kPicosecondsPerMillisecond);
    measured.push_back(request);
    simulated.push_back({core::to_picoseconds(simulated_ms, kPicosecondsPerMillisecond), media});
  }
  ReplayScore score(const mechanics::Geometry& geometry, Picoseconds period, std::size_t first = 0) const {
    return score_replay(measured, simulated, geometry, period, 100 * core::kPicosecondsPerMicrosecond, first, measured.size());
  }
};

constexpr Picoseconds kPeriod = 6 * kPicosecondsPerMillisecond;

TEST(ReplayScore, CountsRequestsByHand) {
  const mechanics::Geometry geometry(testing::small_drive().geometry);
  Replay replay;
  replay.add(false, 0, 5, 5.05);
  replay.add(true, 10, 2, 2.4);
  replay.add(false, 20, 6, 5.2);
  replay.add(true, 30, 1, 3);
  const ReplayScore score = replay.score(geometry, kPeriod);
  EXPECT_EQ(score.all.requests, 4u);
  EXPECT_DOUBLE_EQ(score.all.measured_mean_ms, 3.5);
  EXPECT_DOUBLE_EQ(score.all.simulated_mean_ms, (5.05 + 2.4 + 5.2 + 3) / 4);
  EXPECT_DOUBLE_EQ(score.all.within_0_1_ms, 0.25);
  EXPECT_DOUBLE_EQ(score.all.within_0_5_ms, 0.5);
  EXPECT_DOUBLE_EQ(score.all.within_1_ms, 0.75);
  EXPECT_NEAR(score.all.rms_error_ms, std::sqrt((0.05 * 0.05 + 0.4 * 0.4 + 0.8 * 0.8 + 4) / 4), 1e-12);
  // Sorted: 1, 2, 5, 6 and 2.4, 3, 5.05, 5.2.
  EXPECT_NEAR(score.all.demerit_exact_ms, std::sqrt((1.4 * 1.4 + 1 + 0.05 * 0.05 + 0.8 * 0.8) / 4), 1e-12);
  EXPECT_NEAR(score.all.demerit_exact_percent, 100 * score.all.demerit_exact_ms / 3.5, 1e-12);
  EXPECT_EQ(score.reads.requests, 2u);
  EXPECT_EQ(score.writes.requests, 2u);
  EXPECT_DOUBLE_EQ(score.writes.measured_mean_ms, 1.5);
  EXPECT_EQ(score.near_reads.requests + score.far_reads.requests, 1u) << "the first one follows no other";
  EXPECT_EQ(replay.score(geometry, kPeriod, 2).all.requests, 2u);
}

TEST(ReplayScore, CoherenceIsOneForTheSamePhaseAndNearNoneForAnyPhase) {
  const mechanics::Geometry geometry(testing::small_drive().geometry);
  const std::uint64_t inner = geometry.block_count() - 1;  // another zone
  std::mt19937 random(3);
  Replay same;
  Replay any;
  for (int i = 0; i < 400; ++i) {
    const std::uint64_t block = i % 4 < 2 ? static_cast<std::uint64_t>(i % 50) : inner - static_cast<std::uint64_t>(i % 50);
    const double turns = static_cast<double>(random() % 3);
    same.add(false, block, 12, 12 + 6 * turns);
    any.add(false, block, 12, 12 + 6 * turns + static_cast<double>(random() % 6000) / 1000);
    if (i % 5 == 0) {  // writes come between, and their errors count
      same.add(true, block, 3, 1);
      same.add(true, block, 1, 3);
    }
  }
  const ReplayScore one = same.score(geometry, kPeriod);
  EXPECT_NEAR(one.coherence_near, 1, 1e-9);
  EXPECT_NEAR(one.coherence_far, 1, 1e-9);
  EXPECT_EQ(one.pairs_near, 200u);
  EXPECT_EQ(one.pairs_far, 199u);
  EXPECT_EQ(one.near_reads.requests, 200u);
  EXPECT_EQ(one.far_reads.requests, 199u);
  const ReplayScore none = any.score(geometry, kPeriod);
  EXPECT_LT(none.coherence_near, 0.2);
  EXPECT_LT(none.coherence_far, 0.2);
}

TEST(ReplayScore, OnlyReadsOfTheMediaHaveAPhase) {
  const mechanics::Geometry geometry(testing::small_drive().geometry);
  Replay replay;
  replay.add(false, 0, 12, 12);
  replay.add(false, 1, 0.3, 0.3, false);  // from the buffer on both drives: the reads beside it still make a pair
  replay.add(false, 2, 12, 18);
  replay.add(false, 3, 0.3, 12);  // one drive only: nothing can be said until the next read of the media
  replay.add(false, 4, 12, 12);
  replay.add(false, 5, 12, 12);
  const ReplayScore score = replay.score(geometry, kPeriod);
  EXPECT_EQ(score.pairs_near, 2u);
  EXPECT_EQ(score.pairs_far, 0u);
  EXPECT_NEAR(score.coherence_near, 1, 1e-9);
}

// --- measured traces ---------------------------------------------------------------------------------------------------

class MeasuredTrace : public ::testing::Test {
 protected:
  ~MeasuredTrace() override {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }

  const std::filesystem::path& file(const std::string& text) {
    std::ofstream(path_, std::ios::binary) << text;
    return path_;
  }
  void expect_error(const std::string& text, std::uint64_t line, std::uint64_t column, const std::string& part) {
    try {
      read_measured_trace(file(text));
      ADD_FAILURE() << "no error; expected: " << part;
    } catch (const core::InputError& error) {
      const std::string what = error.what();
      const std::string place =
          path_.string() + (line > 0 ? ":" + std::to_string(line) : "") + (column > 0 ? ":" + std::to_string(column) : "");
      EXPECT_NE(what.find(place), std::string::npos) << what;
      EXPECT_NE(what.find(part), std::string::npos) << what;
    }
  }

  std::filesystem::path path_ =
      std::filesystem::path(::testing::TempDir()) /
      (std::string("platter_measured_") + ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".trace");
};

TEST_F(MeasuredTrace, IsRead) {
  const auto requests = read_measured_trace(file("# measured\nR Hit 1000 8 5123.5 40000\n\n #\nW Miss 0 1 700 0\r\n"));
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_FALSE(requests[0].write);
  EXPECT_EQ(requests[0].first, Lba(1000));
  EXPECT_EQ(requests[0].blocks, 8u);
  EXPECT_EQ(requests[0].response, 5'123'500'000);
  EXPECT_EQ(requests[0].pause, 40'000 * kPicosecondsPerMicrosecond);
  EXPECT_TRUE(requests[1].write);
}

TEST_F(MeasuredTrace, ErrorsNameLineAndColumn) {
  const std::string good = "R Hit 1000 8 5123 40000\n";
  expect_error(good + "R Hit 1000 8 5123\n", 2, 0, "R|W word block blocks response_us pause_us");
  expect_error(good + good + "X Hit 1000 8 5123 40000\n", 3, 1, "found \"X\", expected R or W");
  expect_error("RW Hit 1000 8 5123 40000\n", 1, 1, "expected R or W");
  expect_error(good + "R Hit 1000 0 5123 40000\n", 2, 12, "size is 0, expected 1 to 65535");
  expect_error(good + "R Hit 1000 65536 5123 40000\n", 2, 12, "size is 65536");
  expect_error(good + "R Hit -5 8 5123 40000\n", 2, 7, "block");
  expect_error(good + "R Hit 1000 8 fast 40000\n", 2, 14, "fast");
  expect_error(good + "R Hit 1000 8 5123 40000 7\n", 2, 0, "found 7");
  expect_error("\n", 0, 0, "there are no requests in it");
  EXPECT_THROW(read_measured_trace("/nowhere/at.all"), core::InputError);
}

TEST_F(MeasuredTrace, ReplayPausesBeforeOrAfter) {
  const auto requests = read_measured_trace(file("R Hit 10 8 1 100\nW Hit 20 1 1 200\nR Hit 30 2 1 300\n"));
  for (const Reading reading : {Reading::Follows, Reading::Precedes}) {
    ReplayProducer producer(requests, reading, {1000, 512}, path_);
    EXPECT_EQ(producer.closed_depth(), 1u);
    workload::Request request;
    const Picoseconds pauses[] = {0, reading == Reading::Follows ? 100 : 200, reading == Reading::Follows ? 200 : 300};
    for (std::size_t i = 0; i < 3; ++i) {
      const Picoseconds now = static_cast<Picoseconds>(i) * 7 * kPicosecondsPerMillisecond;
      ASSERT_TRUE(producer.next(request, now));
      EXPECT_EQ(request.issued, now + pauses[i] * kPicosecondsPerMicrosecond);
      EXPECT_EQ(request.address, requests[i].first.value * 512);
      EXPECT_EQ(request.length, requests[i].blocks * 512);
      EXPECT_EQ(request.write(), requests[i].write);
    }
    EXPECT_FALSE(producer.next(request, 0));
  }
}

TEST_F(MeasuredTrace, PastTheDrivesEnd) {
  const auto requests = read_measured_trace(file("R Hit 10 8 1 100\nW Hit 98 2 1 200\n"));
  EXPECT_NO_THROW(ReplayProducer(requests, Reading::Follows, {100, 512}, path_));
  try {
    ReplayProducer(requests, Reading::Follows, {99, 512}, path_);
    ADD_FAILURE() << "no error";
  } catch (const core::InputError& error) {
    EXPECT_NE(std::string(error.what()).find("request 2 goes to blocks 98 to 99, but the drive has 99"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace platter::validation
