// SPDX-License-Identifier: Apache-2.0
// The traces of SYSTOR '17 (SNIA IOTTA; a virtual desktop storage): seconds, response time in seconds, R or W, logical unit, first byte, bytes. The
// logical unit is the trace's device. The lines are not in the order of their times. An empty response time means that it is not known. A request
// without a type is one whose response was not seen; the data set's description says to ignore it.
#include "platter/workload/trace_formats.h"

namespace platter::workload {
namespace {

constexpr std::string_view kSystorForm = "Timestamp,Response,IOType,LUN,Offset,Size";

class SystorParser : public TraceParserIf {
 public:
  explicit SystorParser(const TraceUnits& units) : units_(units) {}

  LineKind parse(const SourceLine& line, ParsedRequest& request) override {
    if (is_header(line.text, kSystorForm)) return LineKind::OtherLine;
    const Fields fields = expect_columns(line, kSystorForm);
    request.time = parse_time(line, fields[0], units_.time);
    if (!fields[1].text.empty()) request.response_ps = parse_time_ps(line, fields[1], units_.time);
    if (fields[2].text.empty()) return LineKind::Ignored;
    request.write = parse_write(line, fields[2], "type");
    request.device = fields[3].text;
    request.offset_bytes = parse_scaled(line, fields[4], units_.address_bytes, "offset");
    request.length_bytes = parse_scaled(line, fields[5], units_.size_bytes, "size");
    return LineKind::Request;
  }

 private:
  TraceUnits units_;
};

}  // namespace

bool detect_systor(const TraceHead& head) {
  if (head.lines.empty()) return false;
  if (is_header(head.lines.front(), kSystorForm)) return true;
  const Fields fields = split_commas(head.lines.front());
  return fields.size() == 6 && is_decimal(fields[0].text) && (fields[1].text.empty() || is_decimal(fields[1].text)) &&
         (fields[2].text.empty() || is_read_or_write(fields[2].text)) && all_digits(fields[4].text) &&
         all_digits(fields[5].text);
}

std::unique_ptr<TraceParserIf> read_systor(const TraceOptions& /*options*/, const TraceUnits& units) {
  return std::make_unique<SystorParser>(units);
}

}  // namespace platter::workload
