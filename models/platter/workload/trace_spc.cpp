// SPDX-License-Identifier: Apache-2.0
// The trace format of the Storage Performance Council, revision 1.0.1, as the UMass Trace Repository has it (Financial, WebSearch): application
// storage unit, first block, size in bytes, r or w, seconds since the start. Blanks behind commas are allowed, and any number of fields behind
// the five. Each unit has blocks from 0 on, of a size that the trace's description gives: 512 bytes in practice. Units are the trace's devices.
#include "platter/workload/trace_formats.h"

namespace platter::workload {
namespace {

constexpr std::string_view kSpcForm = "ASU,LBA,size,opcode,time";

class SpcParser : public TraceParserIf {
 public:
  explicit SpcParser(const TraceUnits& units) : units_(units) {}

  LineKind parse(const SourceLine& line, ParsedRequest& request) override {
    const Fields fields = expect_columns(line, kSpcForm, true);
    parse_unsigned(line, fields[0], "ASU");
    request.device = fields[0].text;
    request.offset_bytes = parse_scaled(line, fields[1], units_.address_bytes, "LBA");
    request.length_bytes = parse_scaled(line, fields[2], units_.size_bytes, "size");
    request.write = parse_write(line, fields[3], "opcode");
    request.time = parse_time(line, fields[4], units_.time);
    return LineKind::Request;
  }

 private:
  TraceUnits units_;
};

}  // namespace

bool detect_spc(const TraceHead& head) {
  if (head.lines.empty()) return false;
  const Fields fields = split_commas(head.lines.front());
  return fields.size() >= 5 && all_digits(fields[0].text) && all_digits(fields[1].text) && all_digits(fields[2].text) &&
         is_read_or_write(fields[3].text) && is_decimal(fields[4].text);
}

std::unique_ptr<TraceParserIf> read_spc(const TraceOptions& /*options*/, const TraceUnits& units) {
  return std::make_unique<SpcParser>(units);
}

}  // namespace platter::workload
