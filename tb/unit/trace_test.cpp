// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>

#include "trace_fixture.h"

namespace platter::workload {
namespace {

TEST_F(TraceTest, TableNamesAreUniqueAndFound) {
  std::set<std::string_view> names;
  for (const TraceFormat& format : trace_formats()) {
    EXPECT_TRUE(names.insert(format.name).second);
    EXPECT_FALSE(format.description.empty());
    EXPECT_FALSE(to_string(format.units).empty());
    EXPECT_EQ(find_trace_format(format.name), &format);
  }
  EXPECT_EQ(find_trace_format("auto"), nullptr);
  EXPECT_EQ(find_trace_format("blktrac"), nullptr);
}

TEST_F(TraceTest, EveryFormatIsRecognised) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"small.blkparse.txt", "blkparse"}, {"small_v2.iolog", "fio-iolog"},
      {"small_v3.iolog", "fio-iolog"},    {"small.disksim.txt", "disksim-ascii"},
      {"small.mqsim.txt", "mqsim"},       {"small.blktrace", "blktrace"},
      {"small.vscsi1", "vscsi"},          {"small.vscsi2", "vscsi"},
      {"small.spc.csv", "spc"},           {"small.msr.csv", "msr"},
      {"small.systor.csv", "systor"},     {"small.alibaba.csv", "alibaba"},
      {"small.tencent.csv", "tencent"},   {"small.fiu.txt", "fiu"},
      {"small.biosnoop.txt", "biosnoop"}, {"small.iosnoop.txt", "iosnoop"},
      {"small.ftrace.txt", "ftrace"},     {"small.libcachesim.csv", "libcachesim"}};
  std::set<std::string_view> shown;
  for (const auto& row : cases) shown.insert(row.second);
  for (const TraceFormat& format : trace_formats()) EXPECT_EQ(shown.count(format.name), 1u) << format.name << " has no sample";
  for (const auto& [name, format] : cases) EXPECT_EQ(TraceReader(golden(name)).format().name, format) << name;
}

TEST_F(TraceTest, Blkparse) {
  TraceReader reader(golden("small.blkparse.txt"));
  TraceRecord record;
  ASSERT_TRUE(reader.next(record));
  expect_record(record, 0, 2048 * 512, 8 * 512, false, 2);
  ASSERT_TRUE(reader.next(record));
  expect_record(record, 500'000'000, 2056 * 512, 16 * 512, true, 7);
  ASSERT_TRUE(reader.next(record));
  expect_record(record, 900'123'000, 2072 * 512, 2 * 512, true, 11);
  EXPECT_FALSE(reader.next(record));
  EXPECT_FALSE(reader.next(record));
  const TraceCounts& counts = reader.counts();
  EXPECT_EQ(counts.records, 3U);
  EXPECT_EQ(counts.flushes, 1U);
  EXPECT_EQ(counts.discards, 1U);
  EXPECT_EQ(counts.other_actions, 8U);
  EXPECT_EQ(counts.other_lines, 4U);  // one banner, three lines from the trailer on
  EXPECT_EQ(counts.lines, 17U);
}

TEST_F(TraceTest, BlkparseOtherActions) {
  TraceOptions options;
  options.rebase = false;
  options.action = 'D';
  std::vector<TraceRecord> records = read_all(golden("small.blkparse.txt"), options);
  ASSERT_EQ(records.size(), 1U);
  expect_record(records[0], 1'501'000'000'000, 2048 * 512, 4096, false, 12);
  options.action = 'C';
  records = read_all(golden("small.blkparse.txt"), options);
  ASSERT_EQ(records.size(), 1U);
  expect_record(records[0], 1'509'000'000'000, 2048 * 512, 4096, false, 14);
  options.action = 'G';
  expect_error(error_of(golden("small.blkparse.txt"), options), 0, "expected Q, D or C");
}

TEST_F(TraceTest, BlkparseCommandsThatDoNotComeFromTheBlockLayer) {
  const std::string begin = "  8,0    0        1     0.000000000   138  ";
  const std::string text = begin + "Q   R 524160 + 8 [hald]\n" +                 //
                           begin + "Q   R 36 (12 00 00 00 24 00 ..) [hald]\n" +  //
                           begin + "D   N 0 (00 ..) [hald]\n" +                  //
                           begin + "D   R 524160 + 8 [hald]\n" +                 //
                           begin + "C   R (12 00 00 00 24 00 ..) [0]\n" +        //
                           begin + "C   R 524160 + 8 [0]\n";
  for (const char action : {'Q', 'D', 'C'}) {
    TraceOptions options;
    options.action = action;
    TraceReader reader(file(text), options);
    TraceRecord record;
    EXPECT_TRUE(reader.next(record));
    expect_record(record, 0, 524160 * 512, 4096, false, record.line);
    EXPECT_FALSE(reader.next(record));
    EXPECT_EQ(reader.counts().other_actions, 5U) << action;
    EXPECT_EQ(reader.counts().flushes, 0U);
  }
}

TEST_F(TraceTest, FioVersion2WaitsAsDocumented) {
  const std::vector<TraceRecord> records = read_all(golden("small_v2.iolog"));
  ASSERT_EQ(records.size(), 3U);
  expect_record(records[0], 0, 0, 4096, false, 4);
  expect_record(records[1], 1'000'000'000, 8192, 512, true, 6);
  expect_record(records[2], 1'250'000'000, 4096, 4096, false, 10);
}

TEST_F(TraceTest, FioVersion2WaitsAsReplayed) {
  TraceOptions options;
  options.fio_wait = FioWait::AsReplayed;
  const std::vector<TraceRecord> records = read_all(golden("small_v2.iolog"), options);
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[1].time_ps, 1'000'000'000'000);
  EXPECT_EQ(records[2].time_ps, 1'000'000'000'000);  // 250 ms after the start are over by then
}

TEST_F(TraceTest, FioVersion3) {
  TraceOptions options;
  options.device = "/data/a";
  TraceReader reader(golden("small_v3.iolog"), options);
  TraceRecord record;
  ASSERT_TRUE(reader.next(record));
  expect_record(record, 0, 0, 4096, false, 6);
  ASSERT_TRUE(reader.next(record));
  expect_record(record, 1'000'000'000, 4096, 512, true, 9);
  EXPECT_FALSE(reader.next(record));
  EXPECT_EQ(reader.counts().flushes, 1U);
  EXPECT_EQ(reader.counts().other_device, 1U);
  EXPECT_EQ(reader.counts().devices.at("/data/b"), 1U);
}

TEST_F(TraceTest, DiskSimAscii) {
  const std::vector<TraceRecord> records = read_all(golden("small.disksim.txt"));
  ASSERT_EQ(records.size(), 4U);
  expect_record(records[0], 0, 100 * 512, 8 * 512, false, 1);
  expect_record(records[1], 0, 108 * 512, 16 * 512, true, 2);
  expect_record(records[2], 11'750'001'000, 50 * 512, 512, false, 3);
  expect_record(records[3], 19'500'000'000, 51 * 512, 1024, false, 4);  // flags 3: read, time-critical
}

TEST_F(TraceTest, DiskSimFlagsAreHexadecimal) {
  const std::vector<TraceRecord> records = read_all(file("0.0 0 1 1 a\n0.0 0 1 1 1F\n0.0 0 1 1 0x1\n"));
  ASSERT_EQ(records.size(), 3U);
  EXPECT_TRUE(records[0].write);
  EXPECT_FALSE(records[1].write);
  EXPECT_FALSE(records[2].write);
  expect_error(error("0.0 0 1 1 R\n"), 1, "flags are \"R\"");
}

TEST_F(TraceTest, Mqsim) {
  const std::vector<TraceRecord> records = read_all(golden("small.mqsim.txt"));
  ASSERT_EQ(records.size(), 3U);
  expect_record(records[0], 0, 1000 * 512, 16 * 512, true, 1);
  expect_record(records[1], 250'000'000, 1016 * 512, 16 * 512, false, 2);
  expect_record(records[2], 1'000'001'000, 0, 8 * 512, false, 3);
  expect_error(error("5000000 0 1 1 1\n5000001 0 1 1 2\n"), 2, "type is \"2\", expected 1 (read) or 0 (write)");
}

TEST_F(TraceTest, Summary) {
  const TraceSummary summary = summarize_trace(golden("small.disksim.txt"));
  EXPECT_EQ(summary.format, "disksim-ascii");
  EXPECT_EQ(summary.records, 4U);
  EXPECT_EQ(summary.reads, 3U);
  EXPECT_EQ(summary.writes, 1U);
  EXPECT_EQ(summary.span_ps, 19'500'000'000);
  EXPECT_NEAR(summary.rate_per_s, 3 / 0.0195, 1e-9);
  EXPECT_EQ(summary.read_bytes, 11U * 512);
  EXPECT_EQ(summary.written_bytes, 16U * 512);
  EXPECT_EQ(summary.min_bytes, 512U);
  EXPECT_EQ(summary.max_bytes, 8192U);
  EXPECT_DOUBLE_EQ(summary.mean_bytes, 27.0 * 512 / 4);
  EXPECT_EQ(summary.largest_end_bytes, 124U * 512);
  EXPECT_EQ(summary.sequential, 2U);
  EXPECT_DOUBLE_EQ(summary.sequential_share, 0.5);
  EXPECT_EQ(summary.unaligned, 0U);
  const std::map<std::uint32_t, std::uint64_t> histogram = {{512, 1}, {1024, 1}, {4096, 1}, {8192, 1}};
  EXPECT_EQ(summary.size_histogram, histogram);
}

TEST_F(TraceTest, SummaryCountsRequestsOfPartialSectors) {
  const TraceSummary summary =
      summarize_trace(file("fio version 3 iolog\n0 /x add\n1 /x read 0 512\n2 /x read 100 512\n3 /x write 512 700\n"));
  EXPECT_EQ(summary.unaligned, 2U);
  EXPECT_EQ(summary.size_histogram.at(512), 3U);
}

// The trailer of the shipped recording counts what was queued: reads 3918 (32287 KiB), writes 753 (287760 KiB), the latter with flushes and discards.
TEST_F(TraceTest, ShippedBlkparseAgreesWithItsTrailer) {
  const TraceSummary summary = summarize_trace(shipped("guest_ext4.blkparse.txt.xz"));
  EXPECT_EQ(summary.format, "blkparse");
  EXPECT_EQ(summary.records, 4656U);
  EXPECT_EQ(summary.reads, 3918U);
  EXPECT_EQ(summary.read_bytes / 1024, 32287U);
  EXPECT_EQ(summary.writes + summary.counts.flushes + summary.counts.discards, 753U);
  EXPECT_EQ(summary.counts.flushes, 13U);
  EXPECT_EQ(summary.counts.discards, 2U);
  constexpr std::uint64_t kDiscardedKib = (524288 + 2) / 2;
  EXPECT_EQ(summary.written_bytes / 1024 + kDiscardedKib, 287760U);
  EXPECT_EQ(summary.span_ps, 16'067'907'088'000);
  EXPECT_EQ(summary.largest_end_bytes, 268'435'456U);
  EXPECT_EQ(summary.sequential, 593U);
  EXPECT_EQ(summary.max_bytes, 2'097'152U);
  EXPECT_EQ(summary.size_histogram.at(4096), 3824U);
  TraceOptions completed;
  completed.action = 'C';
  const TraceSummary done = summarize_trace(shipped("guest_ext4.blkparse.txt.xz"), completed);
  EXPECT_EQ(done.read_bytes, summary.read_bytes);
  EXPECT_EQ(done.written_bytes, summary.written_bytes);
}

TEST_F(TraceTest, ShippedFioLog) {
  const TraceSummary summary = summarize_trace(shipped("fio_randrw.iolog"));
  EXPECT_EQ(summary.format, "fio-iolog");
  EXPECT_EQ(summary.reads, 99U);
  EXPECT_EQ(summary.writes, 101U);
  EXPECT_EQ(summary.counts.flushes, 9U);
  EXPECT_EQ(summary.span_ps, 262'084'000'000);
  EXPECT_EQ(summary.min_bytes, 4096U);
  EXPECT_EQ(summary.max_bytes, 4096U);
  EXPECT_EQ(summary.largest_end_bytes, 8'343'552U);
}

TEST_F(TraceTest, GzipReadsAsThePlainFile) {
  const std::string text = slurp(golden("small.blkparse.txt"));
  EXPECT_EQ(read_all(compressed(text)).size(), 3U);
}

TEST_F(TraceTest, TruncatedGzip) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += std::to_string(i) + ".25 0 " + std::to_string(i * 7919 % 100003) + " 8 1\n";
  const fs::path path = compressed(text);
  EXPECT_EQ(read_all(path).size(), 2000U);
  const auto whole = fs::file_size(path);
  for (const std::uintmax_t size : {whole - 1, whole - 8, whole / 2, std::uintmax_t{30}}) {
    fs::resize_file(path, size);
    const auto [line, message] = error_of(path);
    EXPECT_NE(message.find("gzip stream is cut short"), std::string::npos) << message;
  }
}

TEST_F(TraceTest, DamagedGzip) {
  const fs::path path = compressed(slurp(golden("small.blkparse.txt")));
  std::fstream damage(path, std::ios::binary | std::ios::in | std::ios::out);
  damage.seekp(-6, std::ios::end);
  damage.put('x');
  damage.close();
  EXPECT_NE(error_of(path).second.find("cannot be read any further"), std::string::npos);
}

TEST_F(TraceTest, FilesThatAreNoTrace) {
  expect_error(error_of(folder_ / "missing"), 0, "no such file");
  expect_error(error_of(folder_), 0, "is a folder");
  expect_error(error(""), 0, "the file is empty");
  expect_error(error("\n  \n"), 0, "the file is empty");
  expect_error(error("", with_format("blkparse")), 0, "the file is empty");
  expect_error(error("hello\n"), 1, "\"hello\", which fits no trace format; choose one by --format");
  expect_error(error(std::string("\0\x01\x02 binary\n", 11)), 1, "which fits no trace format");
  expect_error(error(std::string(70'000, 'x')), 1, "expected a text file");
  expect_error(error(kDiskSim, with_format("disksim")), 0,
               "unknown trace format \"disksim\", expected one of auto, blkparse, fio-iolog, disksim-ascii, mqsim");
}

TEST_F(TraceTest, FilesWithoutARequest) {
  expect_error(error("fio version 3 iolog\n0 /x add\n5 /x sync 0 0\n"), 0,
               "found no read or write: the trace has 3 lines, 0 of them with other actions, 1 flushes and 0 discards");
  expect_error(error("8,0 0 1 0.000000000 1 G R 8 + 8 [p]\n"), 0, "1 of them with other actions");
}

TEST_F(TraceTest, TruncatedLines) {
  expect_error(error(kDiskSim + "1.0 0 100\n"), 2,
               "expected 5 blank-separated fields (time_ms device block blocks flags), found 3");
  expect_error(error(kDiskSim + "1.0 0 100 8"), 2, "no end of line");
  const std::string event = "8,0 0 1 0.000000000 1 Q R 8 + 8 [p]\n";
  expect_error(error(event + "8,0 0 2 0.1\n"), 2, "found 4: the line is no blkparse event, or it is cut short");
  expect_error(error(event + "8,0 0 2 0.100000000 1 Q R 8 + 8 [na"), 2, "cut short");
  expect_error(error(event + "8,0 0 2 0.100000000 1 G R 8 + 8"), 2, "cut short");
  expect_error(error(event + "8,0 0 2 0.100000000 1 Q R 8 [p]\n"), 2, "SECTOR + SECTORS");
  expect_error(error(event + "8,0 0 2 0.100000000 1 Q R [p]\n"), 2, "SECTOR + SECTORS");
  const std::string log = "fio version 3 iolog\n0 /x add\n1 /x read 0 4096\n";
  expect_error(error(log + "2 /x read 0 4"), 4, "no end of line");
  expect_error(error(log + "2 /x\n"), 4, "expected 3 or 5 blank-separated fields");
  expect_error(error(log + "2 /x read 0\n"), 4, "found 4");
  expect_error(error("fio version 2 iolog\n/x add\n/x read 0\n"), 3, "expected 2 or 4 blank-separated fields");
}

TEST_F(TraceTest, BadNumbers) {
  expect_error(error(kDiskSim + "1.x 0 100 8 1\n"), 2, "time is \"1.x\", expected milliseconds as a decimal number");
  expect_error(error(kDiskSim + "1e3 0 100 8 1\n"), 2, "time is \"1e3\"");
  expect_error(error(kDiskSim + "1. 0 100 8 1\n"), 2, "time is \"1.\"");
  expect_error(error(kDiskSim + "-1.0 0 100 8 1\n"), 2, "the time is before the start of the trace");
  expect_error(error(kDiskSim + "9223372037.0 0 100 8 1\n"), 2, "more than 106 days");
  expect_error(error(kDiskSim + "1.0 a 100 8 1\n"), 2, "device is \"a\", expected a whole number without a sign");
  expect_error(error(kDiskSim + "1.0 0 -5 8 1\n"), 2, "block is \"-5\"");
  expect_error(error(kDiskSim + "1.0 0 100 8.5 1\n"), 2, "size is \"8.5\"");
  expect_error(error(kDiskSim + "1.0 0 18446744073709551616 8 1\n"), 2, "expected a number that fits in 64 bits");
  expect_error(error("8,0 0 1 0.000000000 1 Q R 8 + 8 [p]\n8 0 2 0.1 1 Q R 8 + 8 [p]\n"), 2,
               "device is \"8\", expected MAJOR,MINOR");
  expect_error(error("8,0 0 1 0.000000000 1 Q R 8 + x [p]\n"), 1, "size is \"x\"");
}

TEST_F(TraceTest, ColumnsAreGiven) {
  try {
    read_all(file(kDiskSim + "1.0 0 100 8.5 1\n"));
    FAIL();
  } catch (const core::InputError& e) {
    EXPECT_EQ(e.line(), 2U);
    EXPECT_EQ(e.column(), 11U);
  }
}

TEST_F(TraceTest, SizesAndAddressesThatDoNotFit) {
  expect_error(error(kDiskSim + "1.0 0 100 0 1\n"), 2, "size is 0");
  expect_error(error("fio version 3 iolog\n0 /x add\n1 /x read 0 0\n"), 3, "size is 0");
  expect_error(error("8,0 0 1 0.000000000 1 Q R 8 + 0 [p]\n"), 1, "size is 0");
  expect_error(error(kDiskSim + "1.0 0 36028797018963968 8 1\n"), 2, "past the last byte that a 64-bit address can name");
  expect_error(error(kDiskSim + "1.0 0 36028797018963967 8 1\n"), 2, "past the last byte that a 64-bit address can name");
  expect_error(error(kDiskSim + "1.0 0 0 8388608 1\n"), 2, "request of 4294967296 bytes, expected less than 4 GiB");
}

TEST_F(TraceTest, TimeGoesBack) {
  expect_error(error("1.0 0 100 8 1\n\n0.75 0 100 8 1\n"), 3, "time goes back by 250.000 us from the request of line 1");
  EXPECT_EQ(read_all(file("1.0 0 100 8 1\n1.0 0 100 8 1\n")).size(), 2U);
}

TEST_F(TraceTest, UnknownOperations) {
  expect_error(error("8,0 0 1 0.000000000 1 Q XS 8 + 8 [p]\n"), 1, "unknown operation \"XS\"");
  expect_error(error("8,0 0 1 0.000000000 1 Q RQ 8 + 8 [p]\n"), 1, "unknown operation \"RQ\"");
  const std::string log = "fio version 3 iolog\n0 /x add\n";
  expect_error(error(log + "1 /x append 0 512\n"), 3, "unknown operation \"append\", expected read, write, sync");
  expect_error(error(log + "1 /x unlink\n"), 3, "unknown file action \"unlink\"");
  expect_error(error(log + "1 /x wait 100 0\n"), 3, "found wait, expected none in version 3");
  expect_error(error(log + "1 /y read 0 512\n"), 3, "file \"/y\" is used, but no line before adds it");
  expect_error(error("fio version 1 iolog\n"), 1, "expected \"fio version 2 iolog\" or \"fio version 3 iolog\"");
}

TEST_F(TraceTest, SeveralDevices) {
  const std::string text = "0.0 7 0 8 1\n1.0 9 8 8 1\n2.0 7 16 8 1\n";
  expect_error(error(text), 2, "request to device \"9\", but the requests before it are to \"7\"");
  TraceOptions options;
  options.device = "7";
  EXPECT_EQ(read_all(file(text), options).size(), 2U);
  options.device = "*";
  EXPECT_EQ(read_all(file(text), options).size(), 3U);
  options.device = "8";
  expect_error(error(text, options), 0, "no request to device \"8\"; the trace has \"7\" (2 requests), \"9\" (1 requests)");
}

TEST_F(TraceTest, PastTheEndIsAnError) {
  TraceOptions options;
  options.capacity_bytes = 108 * 512;
  EXPECT_EQ(read_all(file(kDiskSim), options).size(), 1U);  // ends with the drive
  options.capacity_bytes -= 512;
  expect_error(error(kDiskSim, options), 1,
               "read of bytes 51200 to 55295, but the drive has 54784 bytes, the last of them 54783");
}

TEST_F(TraceTest, PastTheEndWraps) {
  TraceOptions options;
  options.capacity_bytes = 100 * 512;
  options.past_end = PastEnd::Wrap;
  TraceReader reader(file("0.0 0 90 10 1\n1.0 0 95 10 1\n2.0 0 205 10 0\n3.0 0 100 100 1\n"), options);
  TraceRecord record;
  ASSERT_TRUE(reader.next(record));
  expect_record(record, 0, 90 * 512, 5120, false, 1);
  ASSERT_TRUE(reader.next(record));
  expect_record(record, 1'000'000'000, 90 * 512, 5120, false, 2);  // back from the end
  ASSERT_TRUE(reader.next(record));
  expect_record(record, 2'000'000'000, 5 * 512, 5120, true, 3);  // modulo
  ASSERT_TRUE(reader.next(record));
  expect_record(record, 3'000'000'000, 0, 51200, false, 4);
  EXPECT_FALSE(reader.next(record));
  EXPECT_EQ(reader.counts().wrapped, 3U);
  expect_error(error("0.0 0 0 101 1\n", options), 1, "but the drive has 51200 bytes");
}

TEST_F(TraceTest, PastTheEndIsClipped) {
  TraceOptions options;
  options.capacity_bytes = 100 * 512;
  options.past_end = PastEnd::Clip;
  TraceReader reader(file("0.0 0 100 1 1\n1.0 0 95 10 1\n2.0 0 205 10 0\n3.0 0 0 100 0\n"), options);
  TraceRecord record;
  ASSERT_TRUE(reader.next(record));
  expect_record(record, 0, 95 * 512, 5 * 512, false, 2);  // the first request kept is at 0
  ASSERT_TRUE(reader.next(record));
  expect_record(record, 2'000'000'000, 0, 51200, true, 4);
  EXPECT_FALSE(reader.next(record));
  EXPECT_EQ(reader.counts().dropped, 2U);
  EXPECT_EQ(reader.counts().clipped, 1U);
  EXPECT_EQ(reader.counts().records, 2U);
  expect_error(error("0.0 0 100 1 1\n", options), 0, "no request is left, because all 1 begin past the drive's end");
}

TEST_F(TraceTest, EveryLineIsCountedOnce) {
  TraceOptions options;
  options.device = "*";
  for (const char* name :
       {"small.blkparse.txt", "small_v2.iolog", "small_v3.iolog", "small.disksim.txt", "small.blktrace", "small.vscsi1",
        "small.vscsi2", "small.spc.csv", "small.msr.csv", "small.systor.csv", "small.alibaba.csv", "small.tencent.csv",
        "small.fiu.txt", "small.biosnoop.txt", "small.iosnoop.txt", "small.ftrace.txt", "small.libcachesim.csv"}) {
    const TraceCounts c = summarize_trace(golden(name), options).counts;
    const std::uint64_t delivered_or_not = c.records + c.dropped + c.other_device + c.flushes + c.discards;
    EXPECT_EQ(c.lines, delivered_or_not + c.other_lines + c.other_actions) << name;
  }
}

TEST_F(TraceTest, CarriageReturnsAndBlankLinesAreTolerated) {
  EXPECT_EQ(read_all(file("0.0 0 1 1 1\r\n\r\n1.0 0 1 1 1\r\n")).size(), 2U);
}

TEST_F(TraceTest, LongFilesCrossTheReadBuffer) {
  std::string text;
  for (int i = 0; i < 60'000; ++i) text += std::to_string(i) + ".000001 0 " + std::to_string(i) + " 1 1\n";
  const std::vector<TraceRecord> records = read_all(file(text));
  ASSERT_EQ(records.size(), 60'000U);
  for (std::size_t i = 0; i < records.size(); ++i) {
    ASSERT_EQ(records[i].offset_bytes, i * 512);
    ASSERT_EQ(records[i].line, i + 1);
  }
}

}  // namespace
}  // namespace platter::workload
