// SPDX-License-Identifier: Apache-2.0
// The formats that others publish, by small samples (tb/golden/traces) and by bytes made here.
#include <bzlib.h>
#include <lzma.h>
#include <zstd.h>

#include <cctype>

#include "platter/workload/blktrace_event.h"
#include "trace_fixture.h"

namespace platter::workload {
namespace {

constexpr std::int64_t kUs = 1'000'000;  // in ps

template <typename Number>
void append(std::string& bytes, Number value) {
  for (std::size_t i = 0; i < sizeof value; ++i) bytes += static_cast<char>(static_cast<unsigned char>(value >> (8 * i)));
}

struct Event {
  std::uint64_t ns;
  std::uint64_t sector;
  std::uint32_t bytes;
  std::uint32_t action;
  std::uint32_t categories;
  std::string extra = {};
  std::uint32_t device = 8u << 20;
};

std::string blktrace(const std::vector<Event>& events) {
  std::string bytes;
  std::uint32_t number = 0;
  for (const Event& event : events) {
    append(bytes, std::uint32_t{0x65617407});
    append(bytes, ++number);
    append(bytes, event.ns);
    append(bytes, event.sector);
    append(bytes, event.bytes);
    append(bytes, event.action | event.categories << 16);
    append(bytes, std::uint32_t{42});
    append(bytes, event.device);
    append(bytes, std::uint32_t{0});
    append(bytes, std::uint16_t{0});
    append(bytes, static_cast<std::uint16_t>(event.extra.size()));
    bytes += event.extra;
  }
  return bytes;
}

std::string vscsi(unsigned version, std::uint16_t opcode, std::uint32_t length, std::uint64_t block, std::uint64_t us,
                  std::uint64_t response = 0) {
  std::string bytes;
  const auto tag = static_cast<std::uint16_t>(version << 8);
  if (version == 2) {
    append(bytes, opcode);
    append(bytes, tag);
  }
  append(bytes, std::uint32_t{7});
  append(bytes, length);
  append(bytes, std::uint32_t{1});
  if (version == 1) {
    append(bytes, opcode);
    append(bytes, tag);
  }
  append(bytes, block);
  append(bytes, us);
  if (version == 2) append(bytes, response);
  return bytes;
}

TEST_F(TraceTest, Blktrace) {
  TraceReader reader(golden("small.blktrace"));
  EXPECT_TRUE(reader.binary());
  TraceRecord record;
  ASSERT_TRUE(reader.next(record));
  expect_record(record, 0, 2048 * 512, 4096, false, 2);
  ASSERT_TRUE(reader.next(record));
  expect_record(record, 1 * kUs, 4096 * 512, 8192, true, 4);
  ASSERT_TRUE(reader.next(record));
  expect_record(record, 4999 * kUs, std::uint64_t{36'028'797'018'963'000} * 512, 512, false,
                9);  // with the bytes of a cgroup behind it
  EXPECT_FALSE(reader.next(record));
  EXPECT_EQ(reader.counts().lines, 9U);
  EXPECT_EQ(reader.counts().other_lines, 1U);    // the name of a process
  EXPECT_EQ(reader.counts().other_actions, 3U);  // D, C, a SCSI command
  EXPECT_EQ(reader.counts().flushes, 1U);
  EXPECT_EQ(reader.counts().discards, 1U);
  EXPECT_EQ(reader.counts().devices.at("8,0"), 3U);
  TraceOptions options;
  options.rebase = false;
  options.action = 'D';
  const std::vector<TraceRecord> issued = read_all(golden("small.blktrace"), options);
  ASSERT_EQ(issued.size(), 1U);
  EXPECT_EQ(issued[0].time_ps, 1'500'000);
  options.action = 'C';
  EXPECT_EQ(read_all(golden("small.blktrace"), options).at(0).time_ps, 3'000'000);
}

// The names of a device and of a file of each processor; the digits of the last number count, not their letters.
TEST_F(TraceTest, BlktraceFilesOfProcessorsAreMergedByTime) {
  constexpr std::uint32_t kRead = 1 | 16;
  file(blktrace({{100, 8, 512, 1, kRead}, {400, 16, 512, 1, kRead}}), "sda.blktrace.0");
  file(blktrace({{50, 24, 512, 1, kRead}, {400, 32, 512, 1, kRead}}), "sda.blktrace.2");
  file(blktrace({{300, 40, 512, 1, kRead}}), "sda.blktrace.10");
  file("not one of them", "sda.blktrace.0.txt");
  std::vector<std::uint64_t> sectors;
  std::vector<std::int64_t> times;
  TraceReader reader(folder_ / "sda");
  for (TraceRecord record; reader.next(record);) {
    sectors.push_back(record.offset_bytes / 512);
    times.push_back(record.time_ps / 1000);
  }
  EXPECT_EQ(sectors, (std::vector<std::uint64_t>{24, 8, 40, 16, 32}));
  EXPECT_EQ(times, (std::vector<std::int64_t>{0, 50, 250, 350, 350}));
  EXPECT_EQ(reader.counts().lines, 5U);
  EXPECT_EQ(read_all(folder_ / "sda.blktrace.2").size(), 2U);
  expect_error(error_of(folder_ / "sdb"), 0, "no such file");
  file(blktrace({{300, 40, 512, 1, kRead}}).substr(0, 47), "sda.blktrace.10");
  try {
    read_all(folder_ / "sda");
    FAIL();
  } catch (const core::InputError& e) {
    EXPECT_EQ(e.file(), (folder_ / "sda.blktrace.10").string());
  }
}

TEST_F(TraceTest, BlktraceFilesOfProcessorsThatRecordedNothingAreEmpty) {
  file("", "sda.blktrace.0");
  file("", "sda.blktrace.2");
  expect_error(error_of(folder_ / "sda"), 0, "the file is empty");
  file(blktrace({{100, 8, 512, 1, 17}, {400, 16, 512, 1, 17}}), "sda.blktrace.1");
  EXPECT_EQ(read_all(folder_ / "sda").size(), 2U);
  EXPECT_EQ(read_all(folder_ / "sda", with_format("blktrace")).size(), 2U);
}

TEST_F(TraceTest, BlktraceOfAnotherOrderOrVersionSaysSo) {
  const std::string events = blktrace({{100, 8, 512, 1, 17}});
  expect_error(error(std::string("\x65\x61\x74\x07") + events.substr(4)), 1,
               "an event begins with 0x07746165, expected 0x65617407");
  expect_error(error("\x08" + events.substr(1)), 1,
               "an event begins with 0x65617408, expected 0x65617407 (blktrace, version 7");
  expect_error(error("eat my words\n"), 1, "which fits no trace format");
}

TEST_F(TraceTest, BlktraceIsCutShortAtAnyByte) {
  const std::string whole = blktrace({{100, 8, 512, 1, 17, "12345678"}, {200, 16, 512, 1, 18, "abcd"}});
  ASSERT_EQ(whole.size(), 108U);
  for (std::size_t size = 4; size < whole.size(); ++size) {
    if (size == 56) continue;  // the first event alone is whole
    const std::size_t begin = size < 56 ? 0 : 56;
    const std::size_t expected = size < begin + 48 ? 48 : begin == 0 ? 56 : 52;
    expect_error(error(whole.substr(0, size)), begin == 0 ? 1 : 2,
                 "at byte " + std::to_string(begin) + ": " + std::to_string(size - begin) +
                     " bytes are left, expected a record of " + std::to_string(expected));
  }
  EXPECT_EQ(read_all(file(whole.substr(0, 56))).size(), 1U);
  EXPECT_EQ(read_all(file(whole)).size(), 2U);
  for (std::size_t size = 1; size < 4; ++size)
    expect_error(error(whole.substr(0, size), with_format("blktrace")), 1, "bytes are left");
}

TEST_F(TraceTest, BlktraceIsDamaged) {
  std::string bytes = blktrace({{100, 8, 512, 1, 17}, {200, 16, 512, 1, 18}});
  bytes[48] = 'x';
  expect_error(error(bytes), 2, "at byte 48: an event begins with 0x65617478, expected 0x65617407");
  expect_error(error(blktrace({{1, ~std::uint64_t{0}, 512, 1, 17}})), 1, "past the last byte that a 64-bit address can name");
  expect_error(error(blktrace({{2, 8, 512, 1, 17}, {1, 8, 512, 1, 17}})), 2,
               "time goes back by 0.001 us from the request of line 1");
  expect_error(error(blktrace({{2, 8, 512, 1, 17, {}, 1}, {3, 8, 512, 1, 17, {}, 8u << 20 | 17}})), 2,
               "request to device \"8,17\", but the requests before it are to \"0,1\"");
}

TEST_F(TraceTest, Vscsi) {
  std::vector<TraceRecord> records = read_all(golden("small.vscsi1"));
  ASSERT_EQ(records.size(), 2U);
  expect_record(records[0], 0, 1000 * 512, 4096, false, 1);
  expect_record(records[1], 250 * kUs, std::uint64_t{36'028'797'018'963'000} * 512, 512, true, 3);
  EXPECT_EQ(records[0].response_ps, -1);
  records = read_all(golden("small.vscsi2"));
  ASSERT_EQ(records.size(), 2U);
  expect_record(records[0], 0, 1000 * 512, 4096, false, 1);
  expect_record(records[1], 250 * kUs, 2000 * 512, 512, true, 3);
  EXPECT_EQ(records[0].response_ps, 530 * kUs);
  EXPECT_EQ(records[1].response_ps, 1200 * kUs);
}

TEST_F(TraceTest, VscsiIsCutShortAtAnyByte) {
  for (const unsigned version : {1u, 2u}) {
    const std::size_t length = version == 1 ? 32 : 40;
    const std::string whole = vscsi(version, 0x28, 512, 1, 5) + vscsi(version, 0x2A, 512, 2, 6);
    ASSERT_EQ(whole.size(), 2 * length);
    for (std::size_t size = 1; size < whole.size(); ++size) {
      if (size == length) continue;
      const std::size_t begin = size < length ? 0 : length;
      expect_error(error(whole.substr(0, size), with_format("vscsi")), begin == 0 ? 1 : 2,
                   "at byte " + std::to_string(begin) + ": " + std::to_string(size - begin) +
                       " bytes are left, expected a record of " + std::to_string(size - begin < 32 ? 32 : 40));
    }
  }
}

TEST_F(TraceTest, VscsiCommandsWithoutDataAreNoRequests) {
  const std::string bytes = vscsi(2, 0x28, 512, 1, 5, 1) + vscsi(2, 0x2A, 0, 1, 6, 1) + vscsi(2, 0x88, 0, 1, 7, 1);
  TraceReader reader(file(bytes));
  TraceRecord record;
  EXPECT_TRUE(reader.next(record));
  EXPECT_FALSE(reader.next(record));
  EXPECT_EQ(reader.counts().other_actions, 2U);
}

TEST_F(TraceTest, VscsiIsRecognisedBehindManyOtherCommands) {
  for (const unsigned version : {1u, 2u}) {
    std::string bytes;
    for (int i = 0; i < 40; ++i) bytes += vscsi(version, 0x12, 36, 0, 1);
    EXPECT_EQ(read_all(file(bytes + vscsi(version, 0x28, 512, 1, 5))).size(), 1U) << version;
  }
}

TEST_F(TraceTest, VscsiIsDamaged) {
  const std::string first = vscsi(1, 0x28, 512, 1, 5);
  expect_error(error(first + vscsi(3, 0x28, 512, 1, 5) + first), 2, "at byte 32: the record's version is ");
  const std::string second = vscsi(2, 0x28, 512, 1, 5);
  expect_error(error(second + std::string(40, '\0')), 2,
               "at byte 40: the record's version is 0, expected 2, as in the records before");
  expect_error(error(vscsi(2, 0x28, 512, 1, 5, ~std::uint64_t{0})), 1, "response time is more than 106 days");
  expect_error(error(vscsi(1, 0x00, 0, 1, 5), with_format("vscsi")), 0,
               "found no read or write: the trace has 1 lines, 1 of them with other actions");
}

TEST_F(TraceTest, Spc) {
  const std::vector<TraceRecord> records = read_all(golden("small.spc.csv"));
  ASSERT_EQ(records.size(), 4U);
  expect_record(records[0], 0, std::uint64_t{20'941'264} * 512, 8192, true, 1);
  expect_record(records[1], 2335 * kUs, std::uint64_t{20'939'840} * 512, 8192, true, 2);  // blanks behind the commas
  expect_record(records[2], 2335 * kUs, 3072 * 512, 512, false, 3);                       // more fields, the same time
  expect_record(records[3], 448'294'000'001, std::uint64_t{18'446'744'073'709'551} * 512, 1024, false, 4);
  const std::string first = "0,8,512,r,0.5\n";
  expect_error(error(first + "0,8,512,r\n"), 2,
               "expected at least 5 comma-separated fields (ASU,LBA,size,opcode,time), found 4");
  expect_error(error(first + "0,8,512,x,0.5\n"), 2, "opcode is \"x\", expected R or W");
  expect_error(error(first + "0,-8,512,r,0.5\n"), 2, "LBA is \"-8\"");
  expect_error(error(first + "0,8,512,r,1e3\n"), 2, "time is \"1e3\", expected seconds as a decimal number");
  expect_error(error(first + "1,8,512,r,0.5\n"), 2, "request to device \"1\"");
  TraceOptions options;
  options.address_unit_bytes = 4096;  // the sizes are still bytes
  expect_record(read_all(file(first), options).at(0), 0, 8 * 4096, 512, false, 1);
}

TEST_F(TraceTest, SpcColumnOfAFieldWithBlanks) {
  try {
    read_all(file("0, 8,   5x, r, 1.0\n"), with_format("spc"));
    FAIL();
  } catch (const core::InputError& e) {
    EXPECT_EQ(e.column(), 9U);
  }
}

TEST_F(TraceTest, Msr) {
  const std::vector<TraceRecord> records = read_all(golden("small.msr.csv"));
  ASSERT_EQ(records.size(), 3U);
  expect_record(records[0], 0, 383'496'192, 32768, false, 1);
  EXPECT_EQ(records[0].response_ps, 133'100'000);
  expect_record(records[1], 0, 9'007'199'254'741'504u, 512, true, 2);
  EXPECT_EQ(records[1].response_ps, -1);
  expect_record(records[2], 1'000'001'000'000, 2'822'144'000u, 4096, true, 3);
  TraceReader reader(golden("small.msr.csv"));
  for (TraceRecord record; reader.next(record);) continue;
  EXPECT_EQ(reader.counts().devices.at("hm,0"), 3U);
  const std::string first = "128166372003061629,hm,0,Read,0,512,1\n";
  EXPECT_EQ(read_all(file("Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\r\n" + first)).size(), 1U);
  expect_error(error(first + "128166372003061629,hm,0,Read,0,512\n"), 2, "expected 7 comma-separated fields");
  expect_error(error(first + "128166372003061629,hm,0,Erase,0,512,1\n"), 2, "type is \"Erase\"");
  expect_error(error(first + "128166372003061629,hm,0,Read,0,512,x\n"), 2, "time is \"x\", expected units of 100 ns");
  expect_error(error(first + "128166372003061628,hm,0,Read,0,512,1\n"), 2,
               "time goes back by 0.100 us from the request of line 1");
  expect_error(error(first + "18446744073709551615,hm,0,Read,0,512,1\n"), 2,
               "more than 106 days after that of the first request");
  expect_error(error(first + "18446744073709551616,hm,0,Read,0,512,1\n"), 2, "expected a number that fits in 64 bits");
  TraceOptions absolute;
  absolute.rebase = false;
  expect_error(error(first, absolute), 1, "more than 106 days after 0");
}

TEST_F(TraceTest, Systor) {
  TraceReader reader(golden("small.systor.csv"));
  TraceRecord record;
  ASSERT_TRUE(reader.next(record));
  expect_record(record, 0, 5120, 512, true, 3);
  EXPECT_EQ(record.response_ps, 1'000'000'000);
  ASSERT_TRUE(reader.next(record));
  expect_record(record, 100'000'000'000, 1024, 4096, false, 2);
  EXPECT_EQ(record.response_ps, 226'999'000);
  ASSERT_TRUE(reader.next(record));
  expect_record(record, 600'000'001'000, 0, 65536, false, 4);
  EXPECT_EQ(record.response_ps, -1);
  EXPECT_EQ(reader.counts().out_of_order, 1U);
  EXPECT_EQ(reader.format().sort_window, 1u << 16);
}

TEST_F(TraceTest, AlibabaWithAddressesUpTo64Bits) {
  const std::vector<TraceRecord> records = read_all(golden("small.alibaba.csv"));
  ASSERT_EQ(records.size(), 3U);
  expect_record(records[0], 0, 8'792'731'648u, 16384, true, 1);
  expect_record(records[1], 420 * kUs, 18'446'744'073'709'550'592u, 512, false, 2);
  expect_record(records[2], 420 * kUs, 0, 4096, false, 3);
  EXPECT_EQ(read_all(file("1,R,18446744073709551103,512,1\n")).at(0).offset_bytes, 18'446'744'073'709'551'103u);
  expect_error(error("1,R,18446744073709551104,512,1\n"), 1, "past the last byte that a 64-bit address can name");
  EXPECT_EQ(read_all(file("1,R,9007199254740993,512,9007199254740993\n2,W,0,1,9007199254740994\n"),
                     [] {
                       TraceOptions all;
                       all.device = "*";
                       return all;
                     }())
                .at(1)
                .time_ps,
            kUs);
}

TEST_F(TraceTest, TencentIsSortedAndSpread) {
  TraceReader reader(golden("small.tencent.csv"));
  TraceRecord record;
  std::vector<std::uint32_t> lines;
  while (reader.next(record)) lines.push_back(record.line);
  EXPECT_EQ(lines, (std::vector<std::uint32_t>{2, 1, 3, 4}));
  EXPECT_EQ(reader.counts().out_of_order, 1U);
  TraceOptions options;
  options.spread_ps = 1'000'000'000'000;
  const std::vector<TraceRecord> records = read_all(golden("small.tencent.csv"), options);
  ASSERT_EQ(records.size(), 4U);
  expect_record(records[0], 0, std::uint64_t{6'338'688} * 512, 4096, true, 2);
  expect_record(records[1], 1'000'000'000'000, std::uint64_t{12'910'952} * 512, 65536, false, 1);
  expect_record(records[2], 1'500'000'000'000, std::uint64_t{1'904'106'400} * 512, 196'608, false, 3);
  expect_record(records[3], 2'000'000'000'000, 0, 4096, true, 4);
  expect_error(error("1538323200,0,8,2,1\n", with_format("tencent")), 1, "type is \"2\", expected 0 (read) or 1 (write)");
}

TEST_F(TraceTest, Fiu) {
  const std::vector<TraceRecord> records = read_all(golden("small.fiu.txt"));
  ASSERT_EQ(records.size(), 2U);
  expect_record(records[0], 0, std::uint64_t{904'265'560} * 512, 4096, true, 1);
  expect_record(records[1], kUs, 7890 * 512, 8192, false, 2);
  expect_error(error("1 2 p 3 8 W 6 0\n", with_format("fiu")), 1, "expected 9 blank-separated fields");
  expect_error(error("1 2 p 3 8 X 6 0 00\n", with_format("fiu")), 1, "operation is \"X\"");
}

TEST_F(TraceTest, UnitsAreSaid) {
  TraceOptions options;
  options.time_unit = "ps";
  std::vector<TraceRecord> records = read_all(file("5000000 0 1 1 1\n5000007 0 2 1 1\n"), options);
  EXPECT_EQ(records.at(1).time_ps, 7);
  options.time_unit = "ms";
  options.address_unit_bytes = 4096;  // sizes too, which MQSim counts alike
  records = read_all(file("5000000 0 1 1 1\n5000007 0 2 3 1\n"), options);
  expect_record(records.at(1), 7'000'000'000, 2 * 4096, 3 * 4096, false, 2);
  options.time_unit = "weeks";
  expect_error(error(kDiskSim, options), 0, "unknown unit of time \"weeks\", expected s, ms");
}

TEST_F(TraceTest, CarriageReturnsInEveryTextFormat) {
  TraceOptions options;
  options.device = "*";
  for (const char* name :
       {"small.blkparse.txt", "small_v2.iolog", "small_v3.iolog", "small.disksim.txt", "small.mqsim.txt", "small.spc.csv",
        "small.msr.csv", "small.systor.csv", "small.alibaba.csv", "small.tencent.csv", "small.fiu.txt", "small.biosnoop.txt",
        "small.iosnoop.txt", "small.ftrace.txt", "small.libcachesim.csv"}) {
    std::string text;
    for (const char c : slurp(golden(name))) text += c == '\n' ? "\r\n" : std::string(1, c);
    const std::vector<TraceRecord> plain = read_all(golden(name), options);
    const std::vector<TraceRecord> other = read_all(file(text), options);
    ASSERT_EQ(plain.size(), other.size()) << name;
    for (std::size_t i = 0; i < plain.size(); ++i) {
      expect_record(other[i], plain[i].time_ps, plain[i].offset_bytes, plain[i].length_bytes, plain[i].write, plain[i].line);
      EXPECT_EQ(other[i].response_ps, plain[i].response_ps);
    }
  }
}

// --- compression -----------------------------------------------------------------------------------------------------

std::string xz(const std::string& text) {
  std::string out(lzma_stream_buffer_bound(text.size()), '\0');
  std::size_t size = 0;
  EXPECT_EQ(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const std::uint8_t*>(text.data()),
                                    text.size(), reinterpret_cast<std::uint8_t*>(out.data()), &size, out.size()),
            LZMA_OK);
  return out.substr(0, size);
}

std::string zstd(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  return out.substr(0, ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
}

std::string bzip2(const std::string& text) {
  std::string from = text;
  std::string out(text.size() + text.size() / 100 + 600, '\0');
  auto size = static_cast<unsigned>(out.size());
  EXPECT_EQ(BZ2_bzBuffToBuffCompress(out.data(), &size, from.data(), static_cast<unsigned>(from.size()), 9, 0, 0), BZ_OK);
  return out.substr(0, size);
}

TEST_F(TraceTest, HeadersMayBeWrittenOtherwise) {
  const std::vector<std::pair<std::string, std::string>> formats = {
      {"Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime", "128166372003061629,hm,0,Read,512,512,9"},
      {"Timestamp,Response,IOType,LUN,Offset,Size", "1455592792.5,0.1,R,0,512,512"},
      {"device_id,opcode,offset,length,timestamp", "3,R,512,512,1577808000000177"},
      {"Timestamp,Offset,Size,IOType,VolumeID", "1538323200,1,1,0,1063"}};
  for (const auto& [header, line] : formats) {
    std::string low = header;
    std::string blanks;
    for (char& c : low) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    for (const char c : header) blanks += c == ',' ? std::string(" , ") : std::string(1, c);
    for (const std::string& text :
         {header + "\n" + line + "\n", low + "\n" + line + "\n", blanks + "\r\n" + line + "\n",
          "\n \n" + header + "\n" + line + "\n", "\xEF\xBB\xBF" + header + "\n" + line + "\n", "\xEF\xBB\xBF" + line + "\n"}) {
      EXPECT_EQ(read_all(file(text)).size(), 1U) << text;
      EXPECT_EQ(read_all(file(text + text.substr(text[0] == '\xEF' ? 3 : 0))).size(), 2U)
          << "files behind each other: " << text;
    }
    expect_error(error(header + "\n" + header.substr(0, header.size() - 1) + "\n" + line + "\n"), 2, "expected ");
  }
}

TEST_F(TraceTest, CompressedFiles) {
  std::string text;
  for (int i = 0; i < 40'000; ++i) text += std::to_string(i) + ".25 0 " + std::to_string(i * 7919 % 100003) + " 8 1\n";
  const std::string events = blktrace({{100, 8, 512, 1, 17}, {200, 16, 512, 1, 18}});
  const std::vector<std::pair<std::string, std::string (*)(const std::string&)>> ways = {
      {"gzip", [](const std::string& t) { return slurp(TraceTest::compressed_in(::testing::TempDir(), t)); }},
      {"xz", xz},
      {"zstd", zstd},
      {"bzip2", bzip2}};
  for (const auto& [name, pack] : ways) {
    const std::string packed = pack(text);
    EXPECT_EQ(read_all(file(packed, "t.anything")).size(), 40'000U) << name;
    EXPECT_EQ(read_all(file(pack(events))).size(), 2U) << name;
    EXPECT_EQ(read_all(file(pack(text.substr(0, 17)) + pack(text.substr(17)))).size(), 40'000U) << name << ", two streams";
    if (name != "zstd") {
      EXPECT_EQ(read_all(file(pack(text.substr(0, 17)) + std::string(512, '\0') + pack(text.substr(17)))).size(), 40'000U)
          << name << ", padded";
      EXPECT_EQ(read_all(file(packed + std::string(100'000, '\0'))).size(), 40'000U) << name << ", padded";
    }
    for (const std::size_t size : {packed.size() - 1, packed.size() - 3, packed.size() / 2, std::size_t{20}})
      EXPECT_NE(error(packed.substr(0, size)).second.find("the " + name + " stream is cut short here"), std::string::npos)
          << name << size;
    std::string damaged = packed;
    for (std::size_t i = packed.size() / 2; i < packed.size() / 2 + 8; ++i) damaged[i] = static_cast<char>(~damaged[i]);
    EXPECT_NE(error(damaged).second.find(": "), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace platter::workload
