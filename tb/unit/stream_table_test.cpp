// SPDX-License-Identifier: Apache-2.0
#include "platter/workload/stream_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "platter/core/error.h"

namespace platter::workload {
namespace {

namespace fs = std::filesystem;

fs::path source_dir() {
#ifdef PLATTER_SOURCE_DIR
  return PLATTER_SOURCE_DIR;
#else
  return fs::absolute(__FILE__).parent_path().parent_path().parent_path();
#endif
}

std::vector<fs::path> shipped_tables() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(source_dir() / "models" / "configs" / "streams")) {
    if (entry.path().extension() == ".csv") paths.push_back(entry.path());
  }
  return paths;
}

const std::string kHeader = "# three frames\n# duration_us: 120000\nframe,pts_us,type,bytes\n";
const std::string kThree = kHeader + "0,0,I,9000\n1,40000,B,1000\n2,80000,P,3000\n";

class StreamTableTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = fs::path(::testing::TempDir()) / (std::string("platter_stream_") + info->name() + ".csv");
  }
  void TearDown() override { fs::remove(path_); }

  StreamTable table(const std::string& text) const {
    std::ofstream(path_, std::ios::binary) << text;
    return StreamTable::load(path_);
  }

  void expect_error(const std::string& text, std::size_t line, const std::string& part) const {
    try {
      table(text);
      ADD_FAILURE() << "no error for " << text;
    } catch (const core::InputError& e) {
      EXPECT_EQ(e.line(), line) << e.what();
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
  }

  fs::path path_;
};

TEST_F(StreamTableTest, HandWorked) {
  const StreamTable t = table(kThree);
  EXPECT_EQ(t.frames(), 3U);
  EXPECT_EQ(t.duration_us(), 120'000);
  EXPECT_EQ(t.bytes_per_cycle(), 13'000U);
  EXPECT_EQ(t.largest_frame_bytes(), 9'000U);
  EXPECT_DOUBLE_EQ(t.mean_rate_bytes_per_s(), 13'000 / 0.12);
  // Half-open: a frame at the window's start is in, one at its end is not.
  EXPECT_EQ(t.bytes_between(0, 40'000), 9'000U);
  EXPECT_EQ(t.bytes_between(0, 40'001), 10'000U);
  EXPECT_EQ(t.bytes_between(1, 40'000), 0U);
  EXPECT_EQ(t.bytes_between(40'000, 120'000), 4'000U);
  EXPECT_EQ(t.bytes_between(0, 120'000), 13'000U);
  // The clip starts again at 120 ms.
  EXPECT_EQ(t.bytes_between(80'000, 121'000), 12'000U);
  EXPECT_EQ(t.bytes_between(0, 1'000'000), 8 * 13'000U + 9'000U);
  EXPECT_EQ(t.bytes_between(120'000, 160'000), 9'000U);
  EXPECT_EQ(t.bytes_between(-40'000, 0), 3'000U);
  EXPECT_EQ(t.bytes_between(-120'000, 120'000), 26'000U);
  EXPECT_EQ(t.bytes_between(-1, 1), 9'000U);
  EXPECT_EQ(t.bytes_between(50'000, 50'000), 0U);
  EXPECT_EQ(t.bytes_between(50'000, 10'000), 0U);
  // Rounds of 100 ms from 40 ms on: 1000 + 3000 + 9000, then (140 ms …) 1000 + 3000.
  EXPECT_EQ(t.bytes_in_round(40'000, 100'000, 0), 13'000U);
  EXPECT_EQ(t.bytes_in_round(40'000, 100'000, 1), 4'000U);
  EXPECT_EQ(t.peak_bytes(1), 9'000U);
  EXPECT_EQ(t.peak_bytes(41'000), 12'000U);
  EXPECT_EQ(t.peak_bytes(120'000), 13'000U);
  EXPECT_DOUBLE_EQ(t.peak_rate_bytes_per_s(), static_cast<double>(t.peak_bytes(1'000'000)));
}

TEST_F(StreamTableTest, RoundsAddUpOnShippedTables) {
  const std::vector<fs::path> paths = shipped_tables();
  EXPECT_GE(paths.size(), 9U);
  for (const fs::path& path : paths) {
    SCOPED_TRACE(path.filename().string());
    const StreamTable t = StreamTable::load(path);
    EXPECT_GT(t.frames(), 100U);
    for (const std::int64_t round : {std::int64_t{1'000'000}, std::int64_t{333'333}, t.duration_us()}) {
      for (const std::int64_t start : {std::int64_t{0}, std::int64_t{1'234'567}, std::int64_t{-1'234'567}}) {
        std::uint64_t sum = 0;
        constexpr std::int64_t kRounds = 200;
        for (std::int64_t k = 0; k < kRounds; ++k) sum += t.bytes_in_round(start, round, k);
        EXPECT_EQ(sum, t.bytes_between(start, start + kRounds * round));
      }
    }
    EXPECT_EQ(t.bytes_between(777, 777 + 50 * t.duration_us()), 50 * t.bytes_per_cycle());
    EXPECT_GE(t.peak_rate_bytes_per_s(), t.mean_rate_bytes_per_s());
  }
}

TEST_F(StreamTableTest, CyclicSumEqualsFrameByFrame) {
  const StreamTable t = table(kThree);
  const std::vector<std::int64_t> pts = {0, 40'000, 80'000};
  const std::vector<std::uint64_t> bytes = {9'000, 1'000, 3'000};
  for (std::int64_t from = -250'000; from <= 250'000; from += 9'999) {
    for (std::int64_t to = from; to <= 260'000; to += 10'001) {
      std::uint64_t sum = 0;
      for (std::int64_t cycle = -4; cycle <= 4; ++cycle) {
        for (std::size_t k = 0; k < pts.size(); ++k) {
          const std::int64_t time = cycle * 120'000 + pts[k];
          if (from <= time && time < to) sum += bytes[k];
        }
      }
      ASSERT_EQ(t.bytes_between(from, to), sum) << from << " " << to;
    }
  }
}

TEST_F(StreamTableTest, Errors) {
  EXPECT_THROW(StreamTable::load(path_), core::InputError);  // not there
  expect_error("", 0, "no line of column names");
  expect_error("# only comments\n", 0, "no line of column names");
  expect_error("frame,pts,type,bytes\n", 1, "expected a comment (#) or the column names");
  expect_error(kHeader, 0, "has no frame");
  expect_error("frame,pts_us,type,bytes\n0,0,I,9\n", 0, "duration_us: MICROSECONDS");
  expect_error("# duration_us: 5\n# duration_us: 6\n", 2, "is given twice, the first time in line 1");
  expect_error("# duration_us: long\n", 1, "duration_us is \"long\"");
  expect_error("# duration_us:\n", 1, "MICROSECONDS");
  expect_error("# duration_us: 80000\nframe,pts_us,type,bytes\n0,0,I,9\n1,80000,P,9\n", 1,
               "expected more than the last frame's 80000");
  expect_error(kHeader + "0,0,I\n", 4, "expected 4 comma-separated fields (frame,pts_us,type,bytes), found 3");
  expect_error(kHeader + "0,0,I,9,1\n", 4, "found 5");
  expect_error(kHeader + "# late comment\n", 4, "found 1");
  expect_error(kHeader + "1,0,I,9\n", 4, "frame is 1, expected 0");
  expect_error(kHeader + "0,5,I,9\n", 4, "expected 0 for the first frame");
  expect_error(kHeader + "0,0,I,9\n1,0,P,9\n", 5, "expected more than the 0 of the frame before");
  expect_error(kHeader + "0,0,X,9\n", 4, "type is \"X\", expected I, P or B");
  expect_error(kHeader + "0,0,I,0\n", 4, "bytes is 0, expected 1 to");
  expect_error(kHeader + "0,0,I,-9\n", 4, "bytes is \"-9\"");
  expect_error(kHeader + "0,0,I,9", 4, "no end of line");
  expect_error("# duration_us: 99999999999999999\n", 1, "expected at most");
}

}  // namespace
}  // namespace platter::workload
