// SPDX-License-Identifier: Apache-2.0
// Text that blkparse prints by default:
//
//   8,0    0        1     0.000000000   138  Q  RA 524160 + 8 [mkfs.ext4]
//   device cpu  sequence    seconds     pid action rwbs sector + sectors [process]
//
// Events of one action are requests (Q: queued, by default); events of other actions are counted. Flushes without data and discards are counted, not
// delivered; commands that do not come from the block layer are counted as other actions. Tables of statistics may stand before, behind and
// between the events. Each processor's events are in order, those of all of them only nearly so in the output of a running recording.
#include <fmt/format.h>

#include <algorithm>

#include "platter/workload/rwbs.h"
#include "platter/workload/trace_formats.h"

namespace platter::workload {
namespace {

constexpr std::string_view kBlkparseForm = "device cpu sequence seconds pid action rwbs";
constexpr std::size_t kFixedFields = 7;

bool is_device(std::string_view text) {
  const std::size_t comma = text.find(',');
  return comma != std::string_view::npos && all_digits(text.substr(0, comma)) && all_digits(text.substr(comma + 1));
}

bool starts_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

bool is_banner(std::string_view text) { return starts_with(text, "Input file "); }

bool is_event(const Fields& fields) {
  return fields.size() >= kFixedFields && is_device(fields[0].text) && all_digits(fields[1].text) &&
         all_digits(fields[2].text) && fields[3].text.find('.') != std::string_view::npos && all_digits(fields[4].text);
}

/// A line of the tables of statistics: "mkfs.ext4 (138)", "CPU0 (8,0):", " Reads Queued: ...", "Skips: ...". Events begin with a device.
bool is_statistic(std::string_view text) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  constexpr std::string_view kOthers = " 0123456789./(),-_";
  const auto is_one_of = [](std::string_view set, char c) { return set.find(c) != std::string_view::npos; };
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (text.empty()) return false;
  const bool heading = text.front() != ' ' && text.find(" (") != std::string_view::npos;
  if (heading && (text.back() == ')' || text.substr(text.size() - 2) == "):")) return true;
  const std::size_t first = text.find_first_not_of(' ');
  const std::size_t colon = text.find(':');
  return colon != std::string_view::npos && is_one_of(kLetters, text[first]) &&
         std::all_of(text.begin() + static_cast<std::ptrdiff_t>(first), text.begin() + static_cast<std::ptrdiff_t>(colon),
                     [&](char c) { return is_one_of(kLetters, c) || is_one_of(kOthers, c); });
}

/// blkparse cuts the seconds of a time before the first event to 32 bits: 2^64 ns less the time, less 4 times 2^32 s. Such times reach back for a
/// day at most here; later times of that size are no recording's.
constexpr TraceTime kWrapAround = static_cast<TraceTime>(1'266'874'889'709'551'616) * core::kPicosecondsPerNanosecond;
constexpr TraceTime kFarthestBack = static_cast<TraceTime>(86'400) * core::kPicosecondsPerSecond;

TraceTime unwrapped(TraceTime time) {
  return time < kWrapAround && time >= kWrapAround - kFarthestBack ? time - kWrapAround : time;
}

class BlkparseParser : public TraceParserIf {
 public:
  BlkparseParser(char action, const TraceUnits& units) : action_(1, action), units_(units) {}

  LineKind parse(const SourceLine& line, ParsedRequest& request) override {
    const Fields fields = split_blanks(line.text);
    if (in_table_ ? !is_event(fields) : !is_device(fields[0].text)) {
      in_table_ = in_table_ || is_statistic(line.text);
      if (in_table_ || is_banner(line.text)) return LineKind::OtherLine;
    } else {
      in_table_ = false;
    }
    if (fields.size() < kFixedFields) {
      line.fail(
          0,
          fmt::format(
              "expected at least {} blank-separated fields ({}), found {}: the line is no blkparse event, or it is cut short",
              kFixedFields, kBlkparseForm, fields.size()));
    }
    if (!is_device(fields[0].text)) {
      line.fail(fields[0].column, fmt::format("device is {}, expected MAJOR,MINOR", in_quotes(fields[0].text)));
    }
    parse_unsigned(line, fields[1], "cpu");
    parse_unsigned(line, fields[2], "sequence number");
    request.time = parse_time(line, fields[3], units_.time);
    if (units_.time.ps == kSeconds.ps) request.time = unwrapped(request.time);
    parse_unsigned(line, fields[4], "pid");
    const std::string_view action = fields[5].text;
    check_ending(line, action);
    if (action != action_) {
      if (action.size() == 1) request.action = action.front();
      return LineKind::OtherAction;
    }

    const BlockOperation operation = parse_rwbs(line, fields[6]);
    if (!operation.preflush && is_pass_through(fields)) return LineKind::OtherAction;
    if (operation.kind == 'D') return LineKind::Discard;
    if (operation.kind == 'N') return LineKind::Flush;
    request.device = fields[0].text;
    request.write = operation.kind == 'W';
    return parse_extent(line, fields, operation, request);
  }

  bool is_whole(std::string_view text) const override { return text.back() == ']'; }

 private:
  /// A command that does not come from the block layer: "BYTES (COMMAND) [process]", completed "(COMMAND) [error]".
  static bool is_pass_through(const Fields& fields) {
    const auto begins_command = [&fields](std::size_t i) { return fields.size() > i && fields[i].text.front() == '('; };
    return begins_command(kFixedFields) || begins_command(kFixedFields + 1);
  }

  /// All but remaps (A) and messages (m) end with a process or an error number in brackets.
  static void check_ending(const SourceLine& line, std::string_view action) {
    if (action == "A" || action == "m") return;
    const std::size_t open = line.text.find('[');
    if (open == std::string_view::npos || line.text.find(']', open) == std::string_view::npos) {
      line.fail(0, "expected a process or an error number in [brackets] at the end: the line is cut short");
    }
  }

  LineKind parse_extent(const SourceLine& line, const Fields& fields, const BlockOperation& operation,
                        ParsedRequest& request) const {
    const bool without_size = fields.size() > kFixedFields && fields[kFixedFields].text.front() == '[';
    const bool completed_without_size = action_ == "C" && fields.size() > kFixedFields + 1 &&
                                        all_digits(fields[kFixedFields].text) && fields[kFixedFields + 1].text.front() == '[';
    if ((without_size && operation.preflush) || completed_without_size) return LineKind::Flush;
    if (fields.size() < kFixedFields + 4 || fields[kFixedFields + 1].text != "+") {
      line.fail(0, "expected \"SECTOR + SECTORS [process]\" after the operation");
    }
    request.offset_bytes = parse_scaled(line, fields[kFixedFields], units_.address_bytes, "sector");
    request.length_bytes = parse_scaled(line, fields[kFixedFields + 2], units_.size_bytes, "size");
    if (request.length_bytes == 0 && operation.preflush) return LineKind::Flush;
    return LineKind::Request;
  }

  std::string action_;
  TraceUnits units_;
  bool in_table_ = false;  ///< the lines from the table's first line up to the next event
};

}  // namespace

bool detect_blkparse(const TraceHead& head) {
  bool table = false;
  for (const std::string_view line : head.lines) {
    table = table || (is_statistic(line) && line.find("Reads Queued:") != std::string_view::npos);
    if (is_banner(line) || table || is_statistic(line)) continue;
    const Fields fields = split_blanks(line);
    return is_event(fields);
  }
  return table;
}

std::unique_ptr<TraceParserIf> read_blkparse(const TraceOptions& options, const TraceUnits& units) {
  return std::make_unique<BlkparseParser>(options.action, units);
}

}  // namespace platter::workload
