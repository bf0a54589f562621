// SPDX-License-Identifier: Apache-2.0
// What biosnoop prints, of BCC or of libbpf-tools: a row for each request when it has completed.
//
//   TIME(s)     COMM           PID    DISK    T SECTOR     BYTES   LAT(ms)
//   0.000004    supervise      1950   xvda1   W 13092560   4096       0.74
//
// TIME is when the request completed, LAT the time since it was issued to the drive, and QUE (with -Q) the time that it was queued before. A request
// arrives LAT and QUE before TIME, so the rows are not in the order of the arrivals. T is R or W, or the letters of the block layer. Sectors are of
// 512 bytes. A row of 0 bytes is a flush.
#include <fmt/format.h>

#include <limits>

#include "platter/workload/rwbs.h"
#include "platter/workload/snoop_table.h"
#include "platter/workload/trace_formats.h"

namespace platter::workload {
namespace {

constexpr std::string_view kBiosnoopHeader = "TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)";

class BiosnoopParser : public TraceParserIf {
 public:
  explicit BiosnoopParser(const TraceUnits& units) : units_(units) { set_header(kBiosnoopHeader); }

  LineKind parse(const SourceLine& line, ParsedRequest& request) override {
    if (SnoopTable::is_header(line.text)) {
      set_header(line.text);
      for (const std::size_t place : {time_, disk_, type_, sector_, bytes_, latency_})
        if (place == SnoopTable::kNone)
          line.fail(0, fmt::format("the columns are {}, expected {}", in_quotes(line.text), kBiosnoopHeader));
      return LineKind::OtherLine;
    }
    if (is_snoop_notice(line.text)) return LineKind::OtherLine;
    const Fields row = table_.row(line);
    const std::uint64_t bytes = parse_scaled(line, table_.at(row, bytes_), units_.size_bytes, "size");
    const BlockOperation operation = parse_rwbs(line, table_.at(row, type_));
    const TraceTime completed = parse_time(line, table_.at(row, time_), units_.time);
    TraceTime response = parse_time_ps(line, table_.at(row, latency_), kMilliseconds);
    if (queued_ != SnoopTable::kNone && table_.at(row, queued_).text.front() != '-')
      response += parse_time_ps(line, table_.at(row, queued_), kMilliseconds);
    if (response > std::numeric_limits<std::int64_t>::max())
      line.fail(
          0,
          "latency and time in the queue together are more than 106 days, expected a time that fits in 64 bits of picoseconds");
    request.response_ps = static_cast<std::int64_t>(response);
    if (operation.kind == 'D') return LineKind::Discard;
    if (bytes == 0 || operation.kind == 'N') return LineKind::Flush;
    request.time = completed - request.response_ps;
    request.device = table_.at(row, disk_).text;
    request.write = operation.kind == 'W';
    request.offset_bytes = parse_scaled(line, table_.at(row, sector_), units_.address_bytes, "sector");
    request.length_bytes = bytes;
    return LineKind::Request;
  }

 private:
  void set_header(std::string_view text) {
    table_.set_header(text);
    time_ = table_.find("TIME(s)");
    disk_ = table_.find("DISK");
    type_ = table_.find("T");
    sector_ = table_.find("SECTOR");
    bytes_ = table_.find("BYTES");
    queued_ = table_.find("QUE(ms)");
    latency_ = table_.find("LAT(ms)");
  }

  TraceUnits units_;
  SnoopTable table_;
  std::size_t time_, disk_, type_, sector_, bytes_, queued_, latency_;  ///< places of columns
};

}  // namespace

bool detect_biosnoop(const TraceHead& head) {
  for (const std::string_view line : head.lines) {
    if (is_snoop_notice(line)) continue;
    return SnoopTable::is_header(line) && line.find("TIME(s)") != std::string_view::npos;
  }
  return false;
}

std::unique_ptr<TraceParserIf> read_biosnoop(const TraceOptions& /*options*/, const TraceUnits& units) {
  return std::make_unique<BiosnoopParser>(units);
}

}  // namespace platter::workload
