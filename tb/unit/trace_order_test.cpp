// SPDX-License-Identifier: Apache-2.0
// The order of a trace's requests, and their places on a drive.
#include "platter/workload/trace_order.h"

#include "trace_fixture.h"

namespace platter::workload {
namespace {

TraceOptions with_window(std::uint32_t window) {
  TraceOptions options;
  options.sort_window = window;
  return options;
}

std::vector<std::uint32_t> lines_of(const std::vector<TraceRecord>& records) {
  std::vector<std::uint32_t> lines;
  for (const TraceRecord& record : records) lines.push_back(record.line);
  return lines;
}

TEST_F(TraceTest, AWindowSortsWhatItHolds) {
  const std::string text = "3.0 0 8 8 1\n2.0 0 8 8 1\n1.0 0 8 8 1\n4.0 0 8 8 1\n2.0 0 8 8 1\n";
  const std::vector<TraceRecord> records = read_all(file(text), with_window(3));
  EXPECT_EQ(lines_of(records), (std::vector<std::uint32_t>{3, 2, 5, 1, 4}));  // of equal times the earlier line first
  EXPECT_EQ(records.front().time_ps, 0);
  EXPECT_EQ(records.back().time_ps, 3'000'000'000);
  TraceReader reader(file(text), with_window(3));
  for (TraceRecord record; reader.next(record);) continue;
  EXPECT_EQ(reader.counts().out_of_order, 3U);
  expect_error(error(text), 2, "requests must be in the order of their times");
  expect_error(error(text, with_window(1)), 3,
               "time goes back by 1000.000 us from the request of line 2; this is further than a window of 1 requests");
  expect_error(error(text, with_window(5'000'000)), 0, "found a sort window of 5000000 requests, expected at most 4000000");
}

TEST_F(TraceTest, AWindowAsLongAsTheTrace) {
  std::string text;
  for (int i = 999; i >= 0; --i) text += std::to_string(i) + ".0 0 8 8 1\n";
  EXPECT_EQ(read_all(file(text), with_window(999)).size(), 1000U);
  EXPECT_EQ(read_all(file(text), with_window(4'000'000)).front().line, 1000U);
  expect_error(error(text, with_window(998)), 1000, "time goes back");
}

TEST_F(TraceTest, EqualTimesAreSpreadUpToTheNext) {
  TraceOptions options;
  options.spread_ps = 9'000'000'000;
  const std::vector<TraceRecord> records =
      read_all(file("0.0 0 8 8 1\n0.0 0 8 8 1\n0.0 0 8 8 1\n3.0 0 8 8 1\n100.0 0 8 8 1\n100.0 0 8 8 1\n"), options);
  std::vector<std::int64_t> us;
  for (const TraceRecord& record : records) us.push_back(record.time_ps / 1'000'000);
  EXPECT_EQ(us, (std::vector<std::int64_t>{0, 1000, 2000, 3000, 100'000, 104'500}));
  options.spread_ps = -1;
  expect_error(error(kDiskSim, options), 0, "negative time over which requests are spread");
}

TEST_F(TraceTest, ScaleFillsTheDrive) {
  const std::string text = "0.0 0 0 8 1\n1.0 0 500 8 1\n2.0 0 992 8 0\n";
  TraceOptions options;
  options.past_end = PastEnd::Scale;
  options.capacity_bytes = 100 * 512;
  std::vector<TraceRecord> records = read_all(file(text), options);  // the largest end: 1000 sectors
  ASSERT_EQ(records.size(), 3U);
  expect_record(records[0], 0, 0, 4096, false, 1);
  expect_record(records[1], 1'000'000'000, 50 * 512, 4096, false, 2);
  expect_record(records[2], 2'000'000'000, 92 * 512, 4096, true, 3);  // 99 would cross the end
  options.span_bytes = 2000 * 512;
  records = read_all(file(text), options);
  expect_record(records[1], 1'000'000'000, 25 * 512, 4096, false, 2);
  options.span_bytes = 999 * 512;
  expect_error(error(text, options), 3, "write of bytes 507904 to 511999, expected none past the trace's span of 511488 bytes");
  options.span_bytes = 0;
  options.capacity_bytes = 7 * 512;
  expect_error(error(text, options), 1, "but the drive has 3584 bytes");
  options.capacity_bytes = std::uint64_t{1} << 63;  // larger than the trace: everything moves out
  records = read_all(file(text), options);
  EXPECT_EQ(records[1].offset_bytes, std::uint64_t{1} << 62);
  expect_error(error_of("/dev/null", options), 0, "cannot be read twice");
}

TEST_F(TraceTest, ScaleOfTheLargestAddresses) {
  TraceOptions options;
  options.past_end = PastEnd::Scale;
  options.capacity_bytes = 1'000'000 * 512;
  const std::vector<TraceRecord> records =
      read_all(file("1,R,9223372036854775808,512,1\n1,R,18446744073709551103,512,2\n"), options);
  EXPECT_EQ(records.at(0).offset_bytes, std::uint64_t{500'000} * 512);
  EXPECT_EQ(records.at(1).offset_bytes, std::uint64_t{999'999} * 512);
}

TEST(TraceSorter, IsStableAndRefusesWhatIsLate) {
  TraceSorter sorter(1);
  PendingRequest request;
  const auto push = [&](TraceTime time, std::uint64_t order) {
    request.time = time;
    request.order = order;
    return sorter.push(request);
  };
  EXPECT_TRUE(push(5, 0));
  EXPECT_FALSE(sorter.pop(request, false));
  EXPECT_TRUE(push(5, 1));
  ASSERT_TRUE(sorter.pop(request, false));
  EXPECT_EQ(request.order, 0U);
  EXPECT_FALSE(push(4, 2));
  ASSERT_TRUE(sorter.pop(request, true));
  EXPECT_EQ(request.order, 1U);
  EXPECT_FALSE(sorter.pop(request, true));
}

}  // namespace
}  // namespace platter::workload
