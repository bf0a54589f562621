// SPDX-License-Identifier: Apache-2.0
// Text that blkparse prints by default:
//
//   8,0    0        1     0.000000000   138  Q  RA 524160 + 8 [mkfs.ext4]
//   device cpu  sequence    seconds     pid action rwbs sector + sectors [process]
//
// Events of one action are requests (Q: queued, by default); events of other actions are counted. RWBS holds one
// letter for the operation (R, W, D discard, N none), an F before it for a flush that comes first, and after it F
// (force unit access), A (read-ahead), S (synchronous), M (metadata), E (secure erase), B (barrier). Flushes
// without data and discards are counted, not delivered; commands that do not come from the block layer are counted as
// other actions. The trailer ("CPU0 (8,0):" or "Total (8,0):") ends the data.
#include <fmt/format.h>

#include <algorithm>

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

bool is_trailer(const Fields& fields) {
  const std::string_view first = fields[0].text;
  const bool named = first == "Total" || (starts_with(first, "CPU") && all_digits(first.substr(3)));
  return named && fields.size() >= 2 && fields[1].text.front() == '(';
}

bool is_banner(std::string_view text) { return starts_with(text, "Input file "); }

/// The meaning of the letters of RWBS.
struct Operation {
  bool preflush = false;
  char kind = 'N';  ///< R, W, D or N
};

Operation parse_operation(const SourceLine& line, const Field& field) {
  std::string_view rest = field.text;
  Operation operation;
  while (!rest.empty() && rest.front() == 'F') {
    operation.preflush = true;
    rest.remove_prefix(1);
  }
  if (rest.empty()) return operation;
  operation.kind = rest.front();
  rest.remove_prefix(1);
  constexpr std::string_view kKinds = "RWDN";
  constexpr std::string_view kFlags = "FASMEB";
  if (kKinds.find(operation.kind) == std::string_view::npos || rest.find_first_not_of(kFlags) != std::string_view::npos) {
    line.fail(field.column, fmt::format("unknown operation {}, expected R, W, D or N with the flags F, A, S, M, E, B",
                                        in_quotes(field.text)));
  }
  return operation;
}

class BlkparseParser : public TraceParserIf {
 public:
  BlkparseParser(char action, const TraceUnits& units) : action_(1, action), units_(units) {}

  LineKind parse(const SourceLine& line, ParsedRequest& request) override {
    const Fields fields = split_blanks(line.text);
    if (is_trailer(fields)) return LineKind::EndOfData;
    if (is_banner(line.text)) return LineKind::OtherLine;
    if (fields.size() < kFixedFields) {
      line.fail(0, fmt::format("expected at least {} blank-separated fields ({}), found {}: not a blkparse event, or "
                               "cut short",
                               kFixedFields, kBlkparseForm, fields.size()));
    }
    if (!is_device(fields[0].text)) {
      line.fail(fields[0].column, fmt::format("device is {}, expected MAJOR,MINOR", in_quotes(fields[0].text)));
    }
    parse_unsigned(line, fields[1], "cpu");
    parse_unsigned(line, fields[2], "sequence number");
    request.time = parse_time(line, fields[3], units_.time);
    parse_unsigned(line, fields[4], "pid");
    const std::string_view action = fields[5].text;
    check_ending(line, action);
    if (action != action_) return LineKind::OtherAction;

    const Operation operation = parse_operation(line, fields[6]);
    if (!operation.preflush && is_pass_through(fields)) return LineKind::OtherAction;
    if (operation.kind == 'D') return LineKind::Discard;
    if (operation.kind == 'N') return LineKind::Flush;
    request.device = fields[0].text;
    request.write = operation.kind == 'W';
    return parse_extent(line, fields, operation, request);
  }

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

  LineKind parse_extent(const SourceLine& line, const Fields& fields, const Operation& operation,
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
};

}  // namespace

bool detect_blkparse(const TraceHead& head) {
  for (const std::string_view line : head.lines) {
    if (is_banner(line)) continue;
    const Fields fields = split_blanks(line);
    return fields.size() >= kFixedFields && is_device(fields[0].text) && all_digits(fields[1].text) &&
           all_digits(fields[2].text) && fields[3].text.find('.') != std::string_view::npos && all_digits(fields[4].text);
  }
  return false;
}

std::unique_ptr<TraceParserIf> read_blkparse(const TraceOptions& options, const TraceUnits& units) {
  return std::make_unique<BlkparseParser>(options.action, units);
}

}  // namespace platter::workload
