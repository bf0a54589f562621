// SPDX-License-Identifier: Apache-2.0
#include "platter/workload/trace_writers.h"

#include "trace_fixture.h"

namespace platter::workload {
namespace {

std::vector<TraceRecord> some_requests() {
  std::vector<TraceRecord> records(4);
  records[0] = {0, 4096, 512, false, 1, 2'000'000'000};
  records[1] = {1'234'567'800, 0, 4096, true, 2, 100'000};
  records[2] = {1'234'567'800, 512, 1024, false, 3, -1};
  records[3] = {3'600'000'000'000'000, 9'007'199'254'741'504u, 512, true, 4, 5'000'000};
  return records;
}

class TraceWriters : public TraceTest {
 protected:
  std::string written(const std::string& format, const std::vector<TraceRecord>& records) {
    std::string bytes;
    const auto writer = find_trace_output_format(format)->create({"in", "disk"}, [&](std::string_view more) { bytes += more; });
    for (const TraceRecord& record : records) writer->write(record);
    writer->finish();
    return bytes;
  }
};

TEST_F(TraceWriters, WhatIsWrittenIsReadAgain) {
  EXPECT_EQ(find_trace_output_format("tencent"), nullptr);
  for (const TraceOutputFormat& format : trace_output_formats()) {
    const std::int64_t grain = format.name == "fio-iolog"  ? 1'000'000
                               : format.name == "msr"      ? 100'000
                               : format.name == "blktrace" ? 1000
                                                           : 1;
    TraceReader reader(file(written(std::string(format.name), some_requests())));
    EXPECT_EQ(reader.format().name, format.name);
    TraceRecord record;
    for (const TraceRecord& expected : some_requests()) {
      ASSERT_TRUE(reader.next(record)) << format.name;
      expect_record(record, expected.time_ps / grain * grain, expected.offset_bytes, expected.length_bytes, expected.write,
                    record.line);
      EXPECT_EQ(record.response_ps, format.name == "msr" ? expected.response_ps : -1) << format.name;
    }
    EXPECT_FALSE(reader.next(record)) << format.name;
  }
}

TEST_F(TraceWriters, Texts) {
  EXPECT_EQ(written("disksim-ascii", some_requests()),
            "0.000000000 0 8 1 1\n1.234567800 0 0 8 0\n1.234567800 0 1 2 1\n3600000.000000000 0 17592186044417 1 0\n");
  EXPECT_EQ(written("msr", some_requests()),
            "0,disk,0,Read,4096,512,20000\n12345,disk,0,Write,0,4096,1\n12345,disk,0,Read,512,1024,\n"
            "36000000000,disk,0,Write,9007199254741504,512,50\n");
  EXPECT_EQ(
      written("fio-iolog", some_requests()),
      "fio version 3 iolog\n0 disk add\n0 disk open\n0 disk read 4096 512\n1234 disk write 0 4096\n1234 disk read 512 1024\n"
      "3600000000 disk write 9007199254741504 512\n3600000000 disk close\n");
}

TEST_F(TraceWriters, BlktraceCompletesAfterTheRecordedTime) {
  const std::string bytes = written("blktrace", some_requests());
  ASSERT_EQ(bytes.size(), 48U * 11);  // Q and D of four, C of three
  TraceOptions options;
  options.rebase = false;
  options.action = 'C';
  const std::vector<TraceRecord> completed = read_all(file(bytes), options);
  ASSERT_EQ(completed.size(), 3U);
  EXPECT_EQ(completed[0].time_ps, 1'234'667'000);  // the second, to a nanosecond
  EXPECT_EQ(completed[1].time_ps, 2'000'000'000);
  EXPECT_EQ(completed[2].time_ps, 3'600'000'005'000'000);
  options.action = 'D';
  EXPECT_EQ(read_all(file(bytes), options).size(), 4U);
}

TEST_F(TraceWriters, PartsOfSectorsNeedAFormatOfBytes) {
  std::vector<TraceRecord> records = some_requests();
  records[1].offset_bytes = 100;
  EXPECT_NO_THROW(written("fio-iolog", records));
  EXPECT_NO_THROW(written("msr", records));
  for (const char* format : {"disksim-ascii", "blktrace"}) {
    try {
      written(format, records);
      ADD_FAILURE() << format;
    } catch (const core::InputError& e) {
      EXPECT_EQ(e.line(), 2U);
      EXPECT_NE(std::string(e.what()).find("expected whole sectors of 512 bytes"), std::string::npos) << e.what();
    }
  }
}

}  // namespace
}  // namespace platter::workload
