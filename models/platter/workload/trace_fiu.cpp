// SPDX-License-Identifier: Apache-2.0
// The traces of Florida International University (SNIA IOTTA): nanoseconds, number and name of a process, first block, blocks, W or R, the device's
// major and minor number, and a checksum of the data. Blocks are of 512 bytes. Major and minor number are the trace's device.
#include "platter/workload/trace_formats.h"

namespace platter::workload {
namespace {

constexpr std::string_view kFiuForm = "time_ns pid process block blocks W|R major minor md5";

class FiuParser : public TraceParserIf {
 public:
  explicit FiuParser(const TraceUnits& units) : units_(units) {}

  LineKind parse(const SourceLine& line, ParsedRequest& request) override {
    const Fields fields = expect_fields(line, kFiuForm);
    request.time = parse_time(line, fields[0], units_.time);
    parse_unsigned(line, fields[1], "pid");
    request.offset_bytes = parse_scaled(line, fields[3], units_.address_bytes, "block");
    request.length_bytes = parse_scaled(line, fields[4], units_.size_bytes, "size");
    request.write = parse_write(line, fields[5], "operation");
    const std::string_view major = fields[6].text;
    const std::string_view minor = fields[7].text;
    request.device =
        line.text.substr(fields[6].column - 1, static_cast<std::size_t>(minor.data() + minor.size() - major.data()));
    return LineKind::Request;
  }

 private:
  TraceUnits units_;
};

}  // namespace

bool detect_fiu(const TraceHead& head) {
  if (head.lines.empty()) return false;
  const Fields fields = split_blanks(head.lines.front());
  return fields.size() == 9 && all_digits(fields[0].text) && all_digits(fields[1].text) && all_digits(fields[3].text) &&
         all_digits(fields[4].text) && is_read_or_write(fields[5].text) && all_digits(fields[6].text) &&
         all_digits(fields[7].text);
}

std::unique_ptr<TraceParserIf> read_fiu(const TraceOptions& /*options*/, const TraceUnits& units) {
  return std::make_unique<FiuParser>(units);
}

}  // namespace platter::workload
