// SPDX-License-Identifier: Apache-2.0
// The traces of Tencent's cloud block storage (SNIA IOTTA): seconds since 1970, first sector, sectors, 0 (read) or 1 (write), volume. Times are
// whole seconds, which TraceOptions::spread_ps can spread, and not quite in order.
#include <fmt/format.h>

#include <algorithm>

#include "platter/workload/trace_formats.h"

namespace platter::workload {
namespace {

constexpr std::string_view kTencentForm = "Timestamp,Offset,Size,IOType,VolumeID";

class TencentParser : public TraceParserIf {
 public:
  explicit TencentParser(const TraceUnits& units) : units_(units) {}

  LineKind parse(const SourceLine& line, ParsedRequest& request) override {
    if (is_header(line.text, kTencentForm)) return LineKind::OtherLine;
    const Fields fields = expect_columns(line, kTencentForm);
    request.time = parse_time(line, fields[0], units_.time);
    request.offset_bytes = parse_scaled(line, fields[1], units_.address_bytes, "offset");
    request.length_bytes = parse_scaled(line, fields[2], units_.size_bytes, "size");
    if (fields[3].text != "0" && fields[3].text != "1")
      line.fail(fields[3].column, fmt::format("type is {}, expected 0 (read) or 1 (write)", in_quotes(fields[3].text)));
    request.write = fields[3].text == "1";
    request.device = fields[4].text;
    return LineKind::Request;
  }

 private:
  TraceUnits units_;
};

}  // namespace

// Five whole numbers, the first of them a time of day since 2001, the fourth 0 or 1, in all of the lines.
bool detect_tencent(const TraceHead& head) {
  constexpr std::size_t kDigits = 10;  // seconds from 2001 to 2286
  const auto good = [](std::string_view line) {
    const Fields fields = split_commas(line);
    return fields.size() == 5 && fields[0].text.size() == kDigits && (fields[3].text == "0" || fields[3].text == "1") &&
           std::all_of(fields.begin(), fields.end(), [](const Field& field) { return all_digits(field.text); });
  };
  if (head.lines.empty()) return false;
  return is_header(head.lines.front(), kTencentForm) || std::all_of(head.lines.begin(), head.lines.end(), good);
}

std::unique_ptr<TraceParserIf> read_tencent(const TraceOptions& /*options*/, const TraceUnits& units) {
  return std::make_unique<TencentParser>(units);
}

}  // namespace platter::workload
