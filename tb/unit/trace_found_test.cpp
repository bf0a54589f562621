// SPDX-License-Identifier: Apache-2.0
// What traces that people have are like: text of running recordings, times before the first event, requests without data, archives, cut files.
#include <unistd.h>

#include <algorithm>

#include "platter/workload/archive.h"
#include "platter/workload/blktrace_event.h"
#include "trace_fixture.h"

namespace platter::workload {
namespace {

constexpr std::int64_t kUs = 1'000'000;  // in ps

std::string event(const std::string& seconds, const std::string& action, int sector, const std::string& size = "8") {
  return "  8,0    1        1 " + seconds + "   138  " + action + "   R " + std::to_string(sector) + " + " + size + " [fio]\n";
}

TraceOptions with_last_line(LastLine last) {
  TraceOptions options;
  options.last_line = last;
  return options;
}

TraceOptions with_action(char action) {
  TraceOptions options;
  options.action = action;
  return options;
}

TEST_F(TraceTest, SystorRequestsWithoutATypeAreLeftOut) {
  const std::string text = "1455592800.5,0.1,R,0,0,512\n1455592800.7,,,0,512,4096\n1455592800.6,0.1,W,0,512,4096\n";
  TraceReader reader(file(text));
  std::vector<std::uint32_t> lines;
  for (TraceRecord record; reader.next(record);) lines.push_back(record.line);
  EXPECT_EQ(lines, (std::vector<std::uint32_t>{1, 3}));
  EXPECT_EQ(reader.counts().ignored, 1U);
  EXPECT_EQ(reader.counts().devices.at("0"), 2U);
  // Also where such a request is the first line.
  EXPECT_EQ(read_all(file("1455592800.7,,,0,512,4096\n1455592800.8,0.1,W,0,512,4096\n")).size(), 1U);
  expect_error(error("1455592800.5,0.1,X,0,0,512\n", with_format("systor")), 1, "type is \"X\"");
}

TEST_F(TraceTest, BlkparseTextOfARunningRecordingIsSorted) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += event(std::to_string(100 + i) + ".000000000", "Q", 8 * i);
  for (int i = 0; i < 100; ++i) text += event(std::to_string(1900 + i) + ".500000000", "Q", 8 * i);  // 199 s back
  TraceReader reader(file(text));
  std::int64_t before = -1;
  std::size_t records = 0;
  for (TraceRecord record; reader.next(record); ++records) {
    EXPECT_LE(before, record.time_ps);
    before = record.time_ps;
  }
  EXPECT_EQ(records, 2100U);
  EXPECT_EQ(reader.counts().out_of_order, 100U);
  TraceOptions none;
  none.sort_window = 0;
  expect_error(error(text, none), 2001,
               "set a longer window by --sort-window (in a scenario workload.discrete.trace_sort_window)");
}

// blkparse cuts the seconds of a negative 64-bit time to 32 bits.
TEST_F(TraceTest, BlkparseTimesBeforeTheFirstEvent) {
  const std::string text =
      event("1266874889.709551516", "Q", 8) + event("0.000000000", "Q", 16) + event("0.000000100", "Q", 24);
  std::vector<TraceRecord> records = read_all(file(text));
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0].time_ps, 0);
  EXPECT_EQ(records[1].time_ps, 100'000);
  EXPECT_EQ(records[2].time_ps, 200'000);
  // In any order: the window sorts them before the first.
  records = read_all(file(event("0.000000000", "Q", 16) + event("1266874889.709551615", "Q", 8)));
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].offset_bytes, 8U * 512);
  EXPECT_EQ(records[1].time_ps, 1000);
  // Such times reach back for a day; other large times stay.
  records = read_all(file(event("0.000000000", "Q", 16) + event("1000000.000000000", "Q", 8)));
  EXPECT_EQ(records.at(1).time_ps, 1'000'000'000'000'000'000);
  TraceOptions absolute;
  absolute.rebase = false;
  EXPECT_EQ(read_all(file(event("1266874889.709551516", "Q", 8)), absolute).at(0).time_ps, -100'000);
}

TEST_F(TraceTest, RecordingsWithoutTheActionSayWhichThereAre) {
  const std::string text = event("0.000000000", "D", 8) + event("0.100000000", "C", 8) + event("0.200000000", "D", 16);
  expect_error(error(text), 0,
               "the other actions are 1 C, 2 D; choose those that count as requests by --action D (in a scenario "
               "workload.discrete.trace_action = \"issued\")");
  EXPECT_EQ(read_all(file(text), with_action('D')).size(), 2U);
  expect_error(error(event("0.000000000", "Q", 8), with_action('D')), 0, "--action Q");
  expect_error(error(event("0.000000000", "G", 8)), 0, "the other actions are 1 G");
  std::string binary;
  for (const std::uint32_t action : {BlktraceEvent::kIssue, BlktraceEvent::kIssue, BlktraceEvent::kComplete}) {
    BlktraceEvent one;
    one.bytes = 512;
    one.action = action | 1U << 16;
    const auto bytes = encode_blktrace(one);
    binary.append(bytes.data(), bytes.size());
  }
  expect_error(error(binary), 0, "the other actions are 1 C, 2 D; choose those that count as requests by --action D");
}

TEST_F(TraceTest, BlkparseTablesStandAnywhere) {
  const std::string table =
      "mkfs.ext4 (138)\n Reads Queued:        3918,    32287KiB\t Writes Queued:         753,   287760KiB\n"
      " Read depth:            32        \t Write depth:            24\n\nkworker/0:1 (12)\n Reads Queued:  1, 4KiB\n"
      "CPU0 (8,0):\n IO unplugs:           493        \t Timer unplugs:         101\n\n"
      "Throughput (R/W): 1998KiB/s / 17815KiB/s\nEvents (8,0): 24621 entries\nSkips: 0 forward (0 -   0.0%)\n";
  const std::string events = event("0.000000000", "Q", 8) + event("0.100000000", "Q", 16);
  EXPECT_EQ(read_all(file(events)).size(), 2U);
  EXPECT_EQ(read_all(file(table + events)).size(), 2U);
  EXPECT_EQ(read_all(file(events + table)).size(), 2U);
  EXPECT_EQ(read_all(file(table + table + events + table)).size(), 2U);
  TraceReader reader(file(events + table + event("0.200000000", "Q", 24)));
  std::size_t records = 0;
  for (TraceRecord record; reader.next(record);) ++records;
  EXPECT_EQ(records, 3U) << "events behind a table are read";
  EXPECT_EQ(reader.counts().lines, 3U + 12);
}

TEST_F(TraceTest, CommentsAreNoRequests) {
  EXPECT_EQ(read_all(file("# recorded on a Monday\n" + kDiskSim + "  # and on\n" + kDiskSim)).size(), 2U);
  EXPECT_EQ(read_all(file("#\n" + event("0.000000000", "Q", 8))).size(), 1U);
  EXPECT_EQ(read_all(file("# x\nTimestamp,Response,IOType,LUN,Offset,Size\n1.0,0.1,R,0,0,512\n")).size(), 1U);
  expect_error(error("# nothing\n# else\n"), 0, "has no line except comments");
  expect_error(error("# a\n\nhello\n"), 3, "the first line is \"hello\"");
}

// Any cut of a text is seen: it never reads as a smaller number.
TEST_F(TraceTest, ACutLastLineIsSeen) {
  const std::vector<const char*> names = {
      "small.blkparse.txt", "small_v2.iolog",     "small_v3.iolog",    "small.disksim.txt", "small.mqsim.txt",
      "small.spc.csv",      "small.msr.csv",      "small.systor.csv",  "small.alibaba.csv", "small.tencent.csv",
      "small.fiu.txt",      "small.biosnoop.txt", "small.iosnoop.txt", "small.ftrace.txt",  "small.libcachesim.csv"};
  for (const char* name : names) {
    TraceOptions options;
    options.device = "*";
    options.format = TraceReader(golden(name)).format().name;
    options.action = options.format == "ftrace" ? 'C' : 'Q';
    const std::string whole = slurp(golden(name));
    const std::vector<TraceRecord> all = read_all(golden(name), options);
    for (std::size_t size = whole.size() - 1; size > whole.size() - 40; --size) {
      if (whole[size - 1] == '\n') continue;
      const fs::path cut = file(whole.substr(0, size));
      std::vector<TraceRecord> records;
      try {
        records = read_all(cut, options);
      } catch (const core::InputError&) {
        continue;
      }
      for (const TraceRecord& record : records)
        EXPECT_TRUE(std::any_of(all.begin(), all.end(),
                                [&](const TraceRecord& one) {
                                  return one.line == record.line && one.offset_bytes == record.offset_bytes &&
                                         one.length_bytes == record.length_bytes;
                                }))
            << name << ", cut at byte " << size;
    }
  }
}

TEST_F(TraceTest, TheLastLineIsReadOrLeftOutOnRequest) {
  const std::string cut = kDiskSim + "1.0 0 100 8 1";
  expect_error(error(cut), 2,
               "has no end of line, so it may be cut short; read it as it is, or leave it out, by --last-line keep|drop");
  EXPECT_EQ(read_all(file(cut), with_last_line(LastLine::Keep)).size(), 2U);
  TraceReader reader(file(cut), with_last_line(LastLine::Drop));
  std::size_t records = 0;
  for (TraceRecord record; reader.next(record);) ++records;
  EXPECT_EQ(records, 1U);
  EXPECT_EQ(reader.counts().cut_short, 1U);
  EXPECT_EQ(reader.counts().lines, 2U);
  // The end of an event shows that it is whole.
  const std::string text = event("0.000000000", "Q", 8) + event("0.100000000", "Q", 16);
  EXPECT_EQ(read_all(file(text.substr(0, text.size() - 1))).size(), 2U);
  EXPECT_EQ(read_all(file(text.substr(0, text.size() - 5)), with_last_line(LastLine::Drop)).size(), 1U);
}

TEST_F(TraceTest, RequestsOfSizeZeroAreLeftOutOnRequest) {
  const std::string text = kDiskSim + "1.0 0 100 0 1\n2.0 0 108 8 1\n";
  expect_error(error(text), 2, "leave out such requests by --skip-empty (in a scenario workload.discrete.trace_skip_empty)");
  TraceOptions options;
  options.skip_empty = true;
  TraceReader reader(file(text), options);
  std::size_t records = 0;
  for (TraceRecord record; reader.next(record);) ++records;
  EXPECT_EQ(records, 2U);
  EXPECT_EQ(reader.counts().empty, 1U);
}

TEST_F(TraceTest, LikelyFormatsAreNamed) {
  // As SSDsim's files begin.
  const auto [line, message] = error("0 0 1000 8 1\n132 0 1008 8 0\n");
  EXPECT_EQ(line, 1U);
  EXPECT_NE(message.find(
                "it could be disksim-ascii (time in milliseconds, address and size in units of 512 bytes), or mqsim (time in "
                "nanoseconds, address and size in units of 512 bytes); choose by --format"),
            std::string::npos)
      << message;
  const std::string of_any = error("hello\n").second;
  EXPECT_NE(of_any.find("choose one by --format (in a scenario workload.discrete.trace_format): auto, blkparse"),
            std::string::npos)
      << of_any;
  EXPECT_EQ(of_any.find("it could be"), std::string::npos);
}

TEST_F(TraceTest, OptionsAreNamed) {
  TraceOptions options;
  options.capacity_bytes = 1000;
  expect_error(error("0.0 0 100 1 1\n", options), 1, "by --past-end (in a scenario workload.discrete.past_end)");
  const std::string too_long = error("0.0 0 100 8 1\n", options).second;
  EXPECT_EQ(too_long.find("--past-end"), std::string::npos) << "no policy helps: " << too_long;
  expect_error(error("0.0 7 0 8 1\n1.0 9 8 8 1\n"), 2, "by --device (in a scenario workload.discrete.trace_device)");
  options.past_end = PastEnd::Scale;
  options.span_bytes = 512;
  expect_error(error("0.0 0 100 1 1\n", options), 1, "--span (in a scenario workload.discrete.trace_span_bytes)");
}

TEST_F(TraceTest, ArchivesAreNamed) {
  std::string tar(1024, '\0');
  tar.replace(0, 9, "trace.csv");
  tar.replace(257, 5, "ustar");
  for (const std::string& format : {std::string("auto"), std::string("msr")}) {
    expect_error(error_of(compressed(tar), with_format(format)), 0, "is a tar archive, whose first file is \"trace.csv\"");
    std::string zip("PK\x03\x04", 4);
    zip += std::string(22, '\0') + std::string("\x05\0", 2) + std::string(2, '\0') + "a.csv" + std::string(100, '\0');
    expect_error(error_of(file(zip, "t.bin"), with_format(format)), 0, "is a zip archive, whose first file is \"a.csv\"");
  }
  EXPECT_EQ(archive_text("some text", "/data/T.TAR.GZ"), "a tar archive by its name");
  EXPECT_EQ(archive_text("some text", "/data/t.csv.gz"), "");
  // A trace that merely has such a name is read.
  EXPECT_EQ(read_all(file(kDiskSim, "t.tar")).size(), 1U);
  expect_error(error_of(file("hello\n", "t.zip")), 0, "is an archive by its name");
}

TEST_F(TraceTest, CompressedFilesOfProcessorsAreFoundByTheirName) {
  const auto recorded = [](std::uint64_t ns, std::uint64_t sector) {
    BlktraceEvent one;
    one.time_ns = ns;
    one.sector = sector;
    one.bytes = 512;
    one.action = BlktraceEvent::kQueue | 17U << 16;
    const auto bytes = encode_blktrace(one);
    return std::string(bytes.data(), bytes.size());
  };
  fs::rename(compressed(recorded(100, 8)), folder_ / "sda.blktrace.0.gz");
  file(recorded(50, 24), "sda.blktrace.1");
  fs::rename(compressed(recorded(70, 32)), folder_ / "sda.blktrace.1.gz");  // the plain file is taken
  const std::vector<TraceRecord> records = read_all(folder_ / "sda");
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].offset_bytes, 24U * 512);
  EXPECT_EQ(records[1].offset_bytes, 8U * 512);
}

TEST_F(TraceTest, TheStandardInputIsReadOnce) {
  const fs::path from = file(kDiskSim + kDiskSim);
  ASSERT_NE(std::freopen(from.c_str(), "rb", stdin), nullptr);
  TraceOptions scaled;
  scaled.past_end = PastEnd::Scale;
  scaled.capacity_bytes = 1'000'000;
  EXPECT_THROW(TraceReader("-", scaled), core::InputError);  // would be read twice
  EXPECT_EQ(read_all("-").size(), 2U);
  try {
    read_all("-");
    FAIL();
  } catch (const core::InputError& e) {
    EXPECT_EQ(e.file(), "standard input");
    EXPECT_NE(std::string(e.what()).find("can be read only once"), std::string::npos);
  }
}

TEST_F(TraceTest, Biosnoop) {
  TraceReader reader(golden("small.biosnoop.txt"));
  TraceRecord record;
  ASSERT_TRUE(reader.next(record));  // completed at 178 us after 1240 us
  expect_record(record, 0, std::uint64_t{13'092'432} * 512, 512, false, 3);
  EXPECT_EQ(record.response_ps, 1240 * kUs);
  ASSERT_TRUE(reader.next(record));
  expect_record(record, (1240 - 178 - 740) * kUs, std::uint64_t{13'092'560} * 512, 4096, true, 2);
  ASSERT_TRUE(reader.next(record));
  EXPECT_EQ(record.line, 5U);
  EXPECT_FALSE(reader.next(record));
  EXPECT_EQ(reader.counts().flushes, 1U);
  EXPECT_EQ(reader.counts().devices.at("xvda"), 3U);
  // With -Q: the time in the queue comes before; -1 is unknown.
  const std::string queued = "TIME(s)     COMM           PID     DISK    T    SECTOR     BYTES   QUE(ms) LAT(ms)\n";
  const std::vector<TraceRecord> records =
      read_all(file(queued + "1.000000    a b c          7       sda     WS   8          512       0.500   2.000\n" +
                    "1.000000    x              7       sda     RA   8          512      -1.000   1.000\n" +
                    "2.000000    x              7       sda     FF   0          0        -1.000   1.000\n"));
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].response_ps, 2500 * kUs);
  EXPECT_EQ(records[1].response_ps, 1000 * kUs);
  EXPECT_EQ(records[1].time_ps, 1500 * kUs);
  expect_error(error(queued + "1.0 x 7 sda W 8 512 2.0\n"), 2, "expected 9 blank-separated fields (TIME(s) COMM PID DISK");
  expect_error(error(queued + "1.0 x 7 sda X 8 512 0.0 2.0\n"), 2, "unknown operation \"X\"");
  expect_error(error(queued + "1.0 x 7 sda R 8 512 9000000000.0 9000000000.0\n"), 2, "more than 106 days");
}

TEST_F(TraceTest, Iosnoop) {
  TraceReader reader(golden("small.iosnoop.txt"));
  TraceRecord record;
  ASSERT_TRUE(reader.next(record));
  expect_record(record, 0, std::uint64_t{17'039'600} * 512, 4096, true, 3);
  EXPECT_EQ(record.response_ps, 1320 * kUs);
  ASSERT_TRUE(reader.next(record));
  expect_record(record, 618 * kUs, std::uint64_t{17'039'608} * 512, 8192, false, 4);
  EXPECT_FALSE(reader.next(record));
  EXPECT_EQ(reader.counts().flushes, 1U);
  const std::string ends =
      "ENDs COMM PID TYPE DEV BLOCK BYTES LATms\n10.5 a 1 R 8,0 8 512 100.00\n10.5 a 1 R 8,0 8 512 200.00\n";
  const std::vector<TraceRecord> records = read_all(file(ends));
  EXPECT_EQ(records.at(0).line, 3U);
  EXPECT_EQ(records.at(1).time_ps, 100'000 * kUs);
  expect_error(error("COMM PID TYPE DEV BLOCK BYTES LATms\na 1 R 8,0 8 512 1.00\n"), 1, "record the trace with iosnoop -s");
}

TEST_F(TraceTest, Ftrace) {
  std::vector<TraceRecord> records = read_all(golden("small.ftrace.txt"));
  ASSERT_EQ(records.size(), 2U);
  expect_record(records[0], 0, 1000 * 512, 4096, false, 7);
  expect_record(records[1], 150 * kUs, 2000 * 512, 8192, true, 9);
  TraceReader reader(golden("small.ftrace.txt"), with_action('D'));
  TraceRecord record;
  ASSERT_TRUE(reader.next(record));
  expect_record(record, 0, 1000 * 512, 4096, false, 8);
  ASSERT_TRUE(reader.next(record));
  expect_record(record, 100 * kUs, 2000 * 512, 8192, true, 10);
  EXPECT_FALSE(reader.next(record));
  EXPECT_EQ(reader.counts().flushes, 1U);
  EXPECT_EQ(reader.counts().other_actions, 5U);  // two queued, two completed, a SCSI command
  EXPECT_EQ(reader.counts().other_lines, 7U);    // six comments, an event of the scheduler
  records = read_all(golden("small.ftrace.txt"), with_action('C'));
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[1].time_ps, 2100 * kUs);
  // As perf script prints them, and trace-cmd.
  const std::string issued =
      "cp  1234 [000] 5.000001: block:block_rq_issue: 8,0 R 4096 () 8 + 8 [cp]\n"
      "cp-1234  [000]  5.000002: block_rq_issue:       8,0 R 4096 () 16 + 8 [cp]\n";
  EXPECT_EQ(read_all(file(issued), with_action('D')).size(), 2U);
  // A flush, as it completes.
  EXPECT_EQ(read_all(file("<idle>-0 [7] ..s. 5.0: block_rq_complete: 8,0 FF () 18446744073709551615 + 0 [0]\n"
                          "<idle>-0 [7] d.s. 5.1: block_rq_complete: 8,0 WS () 0 + 0 [-5]\n"
                          "<idle>-0 [7] d.s. 5.2: block_rq_complete: 8,0 WS () 8 + 8 [0]\n"),
                     with_action('C'))
                .size(),
            1U);
  expect_error(error(issued), 0, "the other actions are 2 D; choose those that count as requests by --action D");
  expect_error(error("cp-1 [000] 5.0: block_rq_issue: 8,0 R 4096 () 8\n", with_action('D')), 1, "SECTOR + SECTORS");
}

TEST_F(TraceTest, Libcachesim) {
  TraceReader reader(golden("small.libcachesim.csv"));
  TraceRecord record;
  ASSERT_TRUE(reader.next(record));
  expect_record(record, 0, std::uint64_t{42'932'745} * 512, 512, true, 2);
  ASSERT_TRUE(reader.next(record));
  expect_record(record, 0, std::uint64_t{40'409'911} * 512, 6656, false, 3);
  ASSERT_TRUE(reader.next(record));
  expect_record(record, 3'000'000 * kUs, std::uint64_t{1'313'767} * 512, 4096, true, 5);
  EXPECT_FALSE(reader.next(record));
  EXPECT_EQ(reader.counts().flushes, 1U);
  EXPECT_EQ(read_all(file("# time, object, size, next_access_vtime\n5,7,512,-1\n6,8,512,9\n")).at(1).offset_bytes, 8U * 512);
  EXPECT_TRUE(read_all(file("time,obj_id,size,op\n5,7,512,Set\n")).at(0).write);
  EXPECT_EQ(read_all(file("5,7,512\n6,8,512\n"), with_format("libcachesim")).size(), 2U);
  expect_error(error("time,obj_id,size,op\n5,7,512,what\n"), 2, "operation is \"what\"");
  expect_error(error("time,obj_id,size,op\n5,x,512,read\n"), 2, "object is \"x\"");
  expect_error(error("time,obj_id,size,op\n5,7,512\n"), 2,
               "expected 4 comma-separated fields as in the line of names, found 3");
}

}  // namespace
}  // namespace platter::workload
