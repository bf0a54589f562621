// SPDX-License-Identifier: Apache-2.0
// The log that fio writes with write_iolog and reads with read_iolog.
//
//   fio version 3 iolog                     fio version 2 iolog
//   TIMESTAMP FILE add|open|close           FILE add|open|close
//   TIMESTAMP FILE ACTION OFFSET LENGTH     FILE ACTION OFFSET LENGTH
//
// Offsets and lengths are bytes in the file, taken as bytes on the drive. Files are the trace's devices: a log of
// several files needs the device option.
//
// Version 3 timestamps are MICROSECONDS since the log was begun. fio's manual does not name the unit; fio 3.33 with
// thinktime=50ms writes steps of 50,000.
//
// Version 2 has no timestamps: requests arrive together, as soon as the `wait` lines before them let them. The
// manual gives a wait in microseconds after the previous wait; fio 3.33's replay takes it as milliseconds since the
// start of the job (waits of 1000 and 3000 let it run for 3 s). TraceOptions::fio_wait chooses.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "platter/workload/trace_formats.h"

namespace platter::workload {
namespace {

constexpr std::string_view kVersion2 = "fio version 2 iolog";
constexpr std::string_view kVersion3 = "fio version 3 iolog";
constexpr std::array<std::string_view, 3> kFileActions = {"add", "open", "close"};
constexpr std::array<std::string_view, 3> kFlushActions = {"sync", "datasync", "sync_file_range"};

template <typename Names>
bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class FioIologParser : public TraceParserIf {
 public:
  FioIologParser(FioWait wait, const TraceUnits& units) : wait_(wait), units_(units) {}

  LineKind parse(const SourceLine& line, ParsedRequest& request) override {
    if (version_ == 0) return parse_header(line);
    const Fields fields = split_blanks(line.text);
    const std::size_t first = version_ == 3 ? 1 : 0;
    const bool file_action = fields.size() == first + 2;
    if (!file_action && fields.size() != first + 4) {
      const std::string_view stamp = version_ == 3 ? "timestamp_us " : "";
      line.fail(0, fmt::format("expected {} or {} blank-separated fields ({}file action, or {}file action offset "
                               "length), found {}",
                               first + 2, first + 4, stamp, stamp, fields.size()));
    }
    if (version_ == 3) {
      time_ = parse_time(line, fields[0], units_.time);
    }
    const Field& file = fields[first];
    const Field& action = fields[first + 1];
    if (file_action) return parse_file_action(line, file, action);
    if (action.text == "wait") {
      parse_unsigned(line, fields[first + 3], "length");
      return parse_wait(line, action, fields[first + 2]);
    }
    const bool write = action.text == "write";
    const bool trim = action.text == "trim";
    const bool flush = contains(kFlushActions, action.text);
    if (action.text != "read" && !write && !trim && !flush) {
      line.fail(action.column, fmt::format("unknown operation {}, expected read, write, sync, datasync, "
                                           "sync_file_range, trim{}",
                                           in_quotes(action.text), version_ == 2 ? " or wait" : ""));
    }
    check_added(line, file);
    const std::uint64_t offset = parse_scaled(line, fields[first + 2], units_.address_bytes, "offset");
    const std::uint64_t length = parse_scaled(line, fields[first + 3], units_.size_bytes, "length");
    if (flush) return LineKind::Flush;
    if (trim) return LineKind::Discard;
    request.time = time_;
    request.offset_bytes = offset;
    request.length_bytes = length;
    request.write = write;
    request.device = file.text;
    return LineKind::Request;
  }

 private:
  LineKind parse_header(const SourceLine& line) {
    if (line.text == kVersion2) {
      version_ = 2;
    } else if (line.text == kVersion3) {
      version_ = 3;
    } else {
      line.fail(1, fmt::format("first line is {}, expected \"{}\" or \"{}\"", in_quotes(line.text), kVersion2, kVersion3));
    }
    return LineKind::OtherLine;
  }

  LineKind parse_file_action(const SourceLine& line, const Field& file, const Field& action) {
    if (!contains(kFileActions, action.text)) {
      line.fail(
          action.column,
          fmt::format("unknown file action {}, expected add, open or close (all other operations have an offset and a length)",
                      in_quotes(action.text)));
    }
    if (action.text == "add") {
      files_.emplace(file.text);
    } else {
      check_added(line, file);
    }
    return LineKind::OtherLine;
  }

  /// Most lines use the file of the line before.
  void check_added(const SourceLine& line, const Field& file) {
    if (file.text == last_file_) return;
    if (files_.find(file.text) == files_.end())
      line.fail(file.column, fmt::format("file {} is used, but no line before adds it", in_quotes(file.text)));
    last_file_ = file.text;
  }

  LineKind parse_wait(const SourceLine& line, const Field& action, const Field& amount) {
    if (version_ == 3) line.fail(action.column, "found wait, expected none in version 3, in which every line has a timestamp");
    if (wait_ == FioWait::AsReplayed) {
      time_ = std::max(time_, parse_time(line, amount, kMilliseconds));
      return LineKind::OtherLine;
    }
    time_ += parse_time(line, amount, units_.time);
    if (time_ > static_cast<TraceTime>(std::numeric_limits<std::int64_t>::max()))
      line.fail(amount.column, "the waits add up to more than 106 days, expected a time that fits in 64 bits of picoseconds");
    return LineKind::OtherLine;
  }

  FioWait wait_;
  TraceUnits units_;
  int version_ = 0;
  TraceTime time_ = 0;
  std::set<std::string, std::less<>> files_;
  std::string last_file_;
};

}  // namespace

bool detect_fio_iolog(const TraceHead& head) { return !head.lines.empty() && head.lines.front().rfind("fio version ", 0) == 0; }

std::unique_ptr<TraceParserIf> read_fio_iolog(const TraceOptions& options, const TraceUnits& units) {
  return std::make_unique<FioIologParser>(options.fio_wait, units);
}

}  // namespace platter::workload
