// SPDX-License-Identifier: Apache-2.0
// What iosnoop of perf-tools prints: a row for each request when it has completed.
//
//   Tracing block I/O. Ctrl-C to end.
//   STARTs         COMM             PID    TYPE DEV      BLOCK        BYTES     LATms
//   5982800.302061 supervise        1809   W    202,1    17039600     4096       1.32
//
// The times are there only with -s (STARTs: issued to the drive, with -Q queued) or -t (ENDs: completed; the request arrives LATms before). Blocks are of
// 512 bytes. TYPE has the letters of the block layer. A row of 0 bytes is a flush.
#include <fmt/format.h>

#include "platter/workload/rwbs.h"
#include "platter/workload/snoop_table.h"
#include "platter/workload/trace_formats.h"

namespace platter::workload {
namespace {

class IosnoopParser : public TraceParserIf {
 public:
  explicit IosnoopParser(const TraceUnits& units) : units_(units) {}

  LineKind parse(const SourceLine& line, ParsedRequest& request) override {
    if (SnoopTable::is_header(line.text)) return parse_header(line);
    if (is_snoop_notice(line.text)) return LineKind::OtherLine;
    if (!table_.has_header()) line.fail(0, "expected the names of the columns before the first row (STARTs COMM PID ...)");
    const Fields row = table_.row(line);
    const std::uint64_t bytes = parse_scaled(line, table_.at(row, bytes_), units_.size_bytes, "size");
    const BlockOperation operation = parse_rwbs(line, table_.at(row, type_));
    request.response_ps = parse_time_ps(line, table_.at(row, latency_), kMilliseconds);
    const bool started = start_ != SnoopTable::kNone;
    request.time = parse_time(line, table_.at(row, started ? start_ : end_), units_.time);
    if (!started) request.time -= request.response_ps;
    if (operation.kind == 'D') return LineKind::Discard;
    if (bytes == 0 || operation.kind == 'N') return LineKind::Flush;
    request.device = table_.at(row, device_).text;
    request.write = operation.kind == 'W';
    request.offset_bytes = parse_scaled(line, table_.at(row, block_), units_.address_bytes, "block");
    request.length_bytes = bytes;
    return LineKind::Request;
  }

 private:
  LineKind parse_header(const SourceLine& line) {
    table_.set_header(line.text);
    start_ = table_.find("STARTs");
    end_ = table_.find("ENDs");
    type_ = table_.find("TYPE");
    device_ = table_.find("DEV");
    block_ = table_.find("BLOCK");
    bytes_ = table_.find("BYTES");
    latency_ = table_.find("LATms");
    for (const std::size_t place : {type_, device_, block_, bytes_, latency_})
      if (place == SnoopTable::kNone)
        line.fail(0,
                  fmt::format("the columns are {}, expected STARTs COMM PID TYPE DEV BLOCK BYTES LATms", in_quotes(line.text)));
    if (start_ == SnoopTable::kNone && end_ == SnoopTable::kNone)
      line.fail(0, "found no column STARTs or ENDs, so the requests have no times; record the trace with iosnoop -s");
    return LineKind::OtherLine;
  }

  TraceUnits units_;
  SnoopTable table_;
  std::size_t start_ = 0, end_ = 0, type_ = 0, device_ = 0, block_ = 0, bytes_ = 0, latency_ = 0;  ///< places of columns
};

}  // namespace

bool detect_iosnoop(const TraceHead& head) {
  for (const std::string_view line : head.lines) {
    if (is_snoop_notice(line)) continue;
    return SnoopTable::is_header(line) && line.find("LATms") != std::string_view::npos;
  }
  return false;
}

std::unique_ptr<TraceParserIf> read_iosnoop(const TraceOptions& /*options*/, const TraceUnits& units) {
  return std::make_unique<IosnoopParser>(units);
}

}  // namespace platter::workload
