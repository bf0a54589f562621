// SPDX-License-Identifier: Apache-2.0
// MQSim's ASCII trace format, as its README gives it: arrival time, device number, first sector, size in sectors,
// type (1 read, 0 write). Times are taken as nanoseconds, MQSim's usual Time_Unit; sectors are of 512 bytes.
#include <fmt/format.h>

#include <algorithm>

#include "platter/workload/trace_formats.h"

namespace platter::workload {
namespace {

constexpr std::string_view kMqsimForm = "time_ns device sector sectors type";

class MqsimParser : public TraceParserIf {
 public:
  explicit MqsimParser(const TraceUnits& units) : units_(units) {}

  LineKind parse(const SourceLine& line, ParsedRequest& request) override {
    const Fields fields = expect_fields(line, kMqsimForm);
    request.time = parse_time(line, fields[0], units_.time);
    parse_unsigned(line, fields[1], "device");
    request.device = fields[1].text;
    request.offset_bytes = parse_scaled(line, fields[2], units_.address_bytes, "sector");
    request.length_bytes = parse_scaled(line, fields[3], units_.size_bytes, "size");
    if (fields[4].text != "0" && fields[4].text != "1") {
      line.fail(fields[4].column, fmt::format("type is {}, expected 1 (read) or 0 (write)", in_quotes(fields[4].text)));
    }
    request.write = fields[4].text == "0";
    return LineKind::Request;
  }

 private:
  TraceUnits units_;
};

}  // namespace

// Five whole numbers, the last of them 0 or 1, and a time so large that it must be in nanoseconds. DiskSim's format has milliseconds, so a
// file of five small whole numbers could be of either format and is not recognised.
bool detect_mqsim(const TraceHead& head) {
  if (head.lines.empty()) return false;
  constexpr std::size_t kFewestDigits = 7;  // from 1 ms on
  const Fields fields = split_blanks(head.lines.front());
  return fields.size() == 5 && fields[0].text.size() >= kFewestDigits &&
         std::all_of(fields.begin(), fields.end(), [](const Field& field) { return all_digits(field.text); }) &&
         (fields[4].text == "0" || fields[4].text == "1");
}

std::unique_ptr<TraceParserIf> read_mqsim(const TraceOptions& /*options*/, const TraceUnits& units) {
  return std::make_unique<MqsimParser>(units);
}

}  // namespace platter::workload
