// SPDX-License-Identifier: Apache-2.0
// The text of Linux's ftrace, of `trace-cmd report` and of `perf script`, with events of the block layer:
//
//   cp-1234    [000] d..1.  1234.567890: block_rq_issue: 8,0 R 4096 () 1000 + 8 none,0,0 [cp]
//   <idle>-0   [000] ..s1.  1234.568890: block_rq_complete: 8,0 R () 1000 + 8 [0]
//   cp-1234    [000] .....  1234.567880: block_bio_queue: 8,0 R 1000 + 8 [cp]
//
// Events of one action are requests: block_bio_queue (Q, by default), block_rq_issue (D) or block_rq_complete (C). Other events of the block layer are
// counted as other actions, all other lines as other lines. Sectors are of 512 bytes. Commands that do not come from the block layer have their bytes
// in the brackets; they are counted as other actions. An event of no sectors is a flush.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "platter/workload/rwbs.h"
#include "platter/workload/trace_formats.h"

namespace platter::workload {
namespace {

struct FtraceEvent {
  std::string_view time;  ///< "": the line has no event of the block layer
  std::string_view name;
  std::string_view rest;
};

FtraceEvent ftrace_event(std::string_view text) {
  constexpr std::string_view kPrefix = "block_";
  constexpr std::string_view kSystem = "block:";
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  for (std::size_t at = text.find(kPrefix); at != std::string_view::npos; at = text.find(kPrefix, at + 1)) {
    const std::size_t colon = text.find(':', at);
    if (colon == std::string_view::npos) break;
    std::string_view before = text.substr(0, at);
    if (before.size() >= kSystem.size() && before.substr(before.size() - kSystem.size()) == kSystem)
      before.remove_suffix(kSystem.size());
    if (before.empty() || !blank(before.back())) continue;
    while (!before.empty() && blank(before.back())) before.remove_suffix(1);
    if (before.empty() || before.back() != ':') continue;
    before.remove_suffix(1);
    const std::size_t begin = before.find_last_of(" \t");
    const std::string_view time = before.substr(begin == std::string_view::npos ? 0 : begin + 1);
    if (is_decimal(time)) return {time, text.substr(at, colon - at), text.substr(colon + 1)};
  }
  return {};
}

constexpr std::array<std::pair<std::string_view, char>, 6> kFtraceActions{{{"block_bio_queue", 'Q'},
                                                                           {"block_rq_issue", 'D'},
                                                                           {"block_rq_complete", 'C'},
                                                                           {"block_rq_insert", 'I'},
                                                                           {"block_getrq", 'G'},
                                                                           {"block_rq_requeue", 'R'}}};

char ftrace_action(std::string_view name) {
  const auto found =
      std::find_if(kFtraceActions.begin(), kFtraceActions.end(), [name](const auto& row) { return row.first == name; });
  return found == kFtraceActions.end() ? '\0' : found->second;
}

class FtraceParser : public TraceParserIf {
 public:
  FtraceParser(char action, const TraceUnits& units) : action_(action), units_(units) {}

  LineKind parse(const SourceLine& line, ParsedRequest& request) override {
    const FtraceEvent event = ftrace_event(line.text);
    if (event.time.empty()) return LineKind::OtherLine;
    const char action = ftrace_action(event.name);
    if (action != action_) {
      request.action = action;
      return LineKind::OtherAction;
    }
    const auto column = [&line](std::string_view text) { return static_cast<std::size_t>(text.data() - line.text.data()) + 1; };
    request.time = parse_time(line, {event.time, column(event.time)}, units_.time);
    // The command in its brackets may have blanks, so the address is found by the sign before the size.
    const std::size_t plus = event.rest.find(" + ");
    const Fields head = split_blanks(event.rest.substr(0, plus));
    const Fields tail = split_blanks(plus == std::string_view::npos ? std::string_view() : event.rest.substr(plus + 3));
    constexpr std::size_t kFewest = 3;
    if (head.size() < kFewest || tail.size() == 0)
      line.fail(0, fmt::format("expected \"{}: MAJOR,MINOR RWBS ... SECTOR + SECTORS [process]\"", event.name));
    const std::size_t open = event.rest.find('(');
    if (open < plus && event.rest.substr(open, 2) != "()") return LineKind::OtherAction;
    const BlockOperation operation = parse_rwbs(line, {head[1].text, column(head[1].text)});
    const Field size{tail[0].text, column(tail[0].text)};
    request.length_bytes = parse_scaled(line, size, units_.size_bytes, "size");
    if (operation.kind == 'D') return LineKind::Discard;
    if (operation.kind == 'N' || request.length_bytes == 0) return LineKind::Flush;
    const std::size_t space = event.rest.find_last_of(" \t", plus - 1);
    const std::string_view sector = event.rest.substr(space + 1, plus - space - 1);
    request.offset_bytes = parse_scaled(line, {sector, column(sector)}, units_.address_bytes, "sector");
    request.device = head[0].text;
    request.write = operation.kind == 'W';
    return LineKind::Request;
  }

  bool is_whole(std::string_view text) const override { return text.back() == ']'; }

 private:
  char action_;
  TraceUnits units_;
};

}  // namespace

bool detect_ftrace(const TraceHead& head) {
  constexpr std::string_view kTracer = "# tracer:";
  return std::any_of(head.comments.begin(), head.comments.end(),
                     [&](std::string_view line) { return line.substr(0, kTracer.size()) == kTracer; }) ||
         std::any_of(head.lines.begin(), head.lines.end(),
                     [](std::string_view line) { return !ftrace_event(line).time.empty(); });
}

std::unique_ptr<TraceParserIf> read_ftrace(const TraceOptions& options, const TraceUnits& units) {
  return std::make_unique<FtraceParser>(options.action, units);
}

}  // namespace platter::workload
