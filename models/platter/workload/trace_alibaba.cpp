// SPDX-License-Identifier: Apache-2.0
// The block traces that Alibaba published in 2020: device, R or W, first byte, bytes, microseconds since 1970.
#include "platter/workload/trace_formats.h"

namespace platter::workload {
namespace {

constexpr std::string_view kAlibabaForm = "device_id,opcode,offset,length,timestamp";

class AlibabaParser : public TraceParserIf {
 public:
  explicit AlibabaParser(const TraceUnits& units) : units_(units) {}

  LineKind parse(const SourceLine& line, ParsedRequest& request) override {
    if (is_header(line.text, kAlibabaForm)) return LineKind::OtherLine;
    const Fields fields = expect_columns(line, kAlibabaForm);
    request.device = fields[0].text;
    request.write = parse_write(line, fields[1], "opcode");
    request.offset_bytes = parse_scaled(line, fields[2], units_.address_bytes, "offset");
    request.length_bytes = parse_scaled(line, fields[3], units_.size_bytes, "length");
    request.time = parse_time(line, fields[4], units_.time);
    return LineKind::Request;
  }

 private:
  TraceUnits units_;
};

}  // namespace

bool detect_alibaba(const TraceHead& head) {
  if (head.lines.empty()) return false;
  if (is_header(head.lines.front(), kAlibabaForm)) return true;
  const Fields fields = split_commas(head.lines.front());
  return fields.size() == 5 && is_read_or_write(fields[1].text) && all_digits(fields[2].text) && all_digits(fields[3].text) &&
         is_decimal(fields[4].text);
}

std::unique_ptr<TraceParserIf> read_alibaba(const TraceOptions& /*options*/, const TraceUnits& units) {
  return std::make_unique<AlibabaParser>(units);
}

}  // namespace platter::workload
