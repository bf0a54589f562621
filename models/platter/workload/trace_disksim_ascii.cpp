// SPDX-License-Identifier: Apache-2.0
// DiskSim's default ("ascii") trace format, as its reference manual gives it: arrival time in milliseconds, device
// number, block number, size in blocks, and hexadecimal flags whose bit 0 is set for a read and clear for a write.
// Blocks are of 512 bytes. The other flags (time-critical and so on) are not used here.
#include <fmt/format.h>

#include <algorithm>

#include "platter/workload/trace_formats.h"

namespace platter::workload {
namespace {

constexpr std::string_view kDisksimForm = "time_ms device block blocks flags";

std::uint32_t parse_flags(const SourceLine& line, const Field& field) {
  std::string_view text = field.text;
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) text.remove_prefix(2);
  const auto value_of = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  const bool hexadecimal = text.size() <= 8 && std::all_of(text.begin(), text.end(), [&](char c) { return value_of(c) >= 0; });
  if (!hexadecimal) {
    line.fail(field.column, fmt::format("flags are {}, expected a hexadecimal number of at most 32 bits "
                                        "(bit 0 set: read, clear: write)",
                                        in_quotes(field.text)));
  }
  std::uint32_t flags = 0;
  for (const char c : text) flags = flags * 16 + static_cast<std::uint32_t>(value_of(c));
  return flags;
}

class DiskSimAsciiParser : public TraceParserIf {
 public:
  explicit DiskSimAsciiParser(const TraceUnits& units) : units_(units) {}

  LineKind parse(const SourceLine& line, ParsedRequest& request) override {
    const Fields fields = expect_fields(line, kDisksimForm);
    request.time = parse_time(line, fields[0], units_.time);
    parse_unsigned(line, fields[1], "device");
    request.device = fields[1].text;
    request.offset_bytes = parse_scaled(line, fields[2], units_.address_bytes, "block");
    request.length_bytes = parse_scaled(line, fields[3], units_.size_bytes, "size");
    request.write = (parse_flags(line, fields[4]) & 1U) == 0;
    return LineKind::Request;
  }

 private:
  TraceUnits units_;
};

}  // namespace

// Five numbers of which only the first has a decimal point: MQSim's format has whole nanoseconds there.
bool detect_disksim_ascii(const TraceHead& head) {
  if (head.lines.empty()) return false;
  const Fields fields = split_blanks(head.lines.front());
  return fields.size() == 5 && is_decimal(fields[0].text) && !all_digits(fields[0].text) && all_digits(fields[1].text) &&
         all_digits(fields[2].text) && all_digits(fields[3].text);
}

std::unique_ptr<TraceParserIf> read_disksim_ascii(const TraceOptions& /*options*/, const TraceUnits& units) {
  return std::make_unique<DiskSimAsciiParser>(units);
}

}  // namespace platter::workload
