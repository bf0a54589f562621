// SPDX-License-Identifier: Apache-2.0
// The traces of Microsoft Research in Cambridge (SNIA IOTTA): time in Windows' units of 100 ns since 1601, host, disk, Read or Write, first byte,
// bytes, response time in units of 100 ns. Host and disk are the trace's device ("hm,0"). An empty response time means that it is not known.
#include "platter/workload/trace_formats.h"

namespace platter::workload {
namespace {

constexpr std::string_view kMsrForm = "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime";

class MsrParser : public TraceParserIf {
 public:
  explicit MsrParser(const TraceUnits& units) : units_(units) {}

  LineKind parse(const SourceLine& line, ParsedRequest& request) override {
    if (is_header(line.text, kMsrForm)) return LineKind::OtherLine;
    const Fields fields = expect_columns(line, kMsrForm);
    request.time = parse_time(line, fields[0], units_.time);
    const std::string_view host = fields[1].text;
    const std::string_view disk = fields[2].text;
    request.device = line.text.substr(fields[1].column - 1, static_cast<std::size_t>(disk.data() + disk.size() - host.data()));
    request.write = parse_write(line, fields[3], "type");
    request.offset_bytes = parse_scaled(line, fields[4], units_.address_bytes, "offset");
    request.length_bytes = parse_scaled(line, fields[5], units_.size_bytes, "size");
    if (!fields[6].text.empty()) request.response_ps = parse_time_ps(line, fields[6], units_.time);
    return LineKind::Request;
  }

 private:
  TraceUnits units_;
};

}  // namespace

bool detect_msr(const TraceHead& head) {
  if (head.lines.empty()) return false;
  if (is_header(head.lines.front(), kMsrForm)) return true;
  const Fields fields = split_commas(head.lines.front());
  return fields.size() == 7 && all_digits(fields[0].text) && all_digits(fields[2].text) && is_read_or_write(fields[3].text) &&
         all_digits(fields[4].text) && all_digits(fields[5].text);
}

std::unique_ptr<TraceParserIf> read_msr(const TraceOptions& /*options*/, const TraceUnits& units) {
  return std::make_unique<MsrParser>(units);
}

}  // namespace platter::workload
