// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "platter/workload/trace_line.h"
#include "platter/workload/trace_record.h"

namespace platter::workload {

// A trace format is one file `trace_<name>.cpp`, its two declarations here, and one line in the table of trace_formats.cpp.

/// What a parser found in a line.
enum class LineKind {
  Request,      ///< ParsedRequest is filled in
  OtherLine,    ///< header, file action, wait
  OtherAction,  ///< an event, but not of the action that was asked for
  Flush,        ///< flush or sync without data
  Discard,      ///< discard or trim
  EndOfData,    ///< this line and all that follow hold no requests
};

/// A request as the file gives it: not filtered, not rebased, not fitted to a drive.
struct ParsedRequest {
  std::int64_t time_ps = 0;
  std::uint64_t offset_bytes = 0;
  std::uint64_t length_bytes = 0;
  bool write = false;
  std::string_view device;  ///< points into the line
};

/// Parses the lines of one file, in order, without the blank lines. Errors throw core::InputError.
class TraceParserIf {
 public:
  virtual ~TraceParserIf() = default;
  virtual LineKind parse(const SourceLine& line, ParsedRequest& request) = 0;
};

struct TraceFormat {
  std::string_view name;
  std::string_view description;
  std::string_view units;
  /// Whether the first lines of a file (blank ones left out) look like this format.
  bool (*detect)(const std::vector<std::string>& first_lines);
  /// A reader of the format.
  std::unique_ptr<TraceParserIf> (*read)(const TraceOptions& options);
};

/// All formats, in the order in which "auto" tries them.
const std::vector<TraceFormat>& trace_formats();

/// nullptr if no format has that name.
const TraceFormat* find_trace_format(std::string_view name);

/// Says that no format has that name, and which there are.
std::string unknown_trace_format(const std::string& name);

bool detect_blkparse(const std::vector<std::string>& first_lines);
std::unique_ptr<TraceParserIf> read_blkparse(const TraceOptions& options);

bool detect_fio_iolog(const std::vector<std::string>& first_lines);
std::unique_ptr<TraceParserIf> read_fio_iolog(const TraceOptions& options);

bool detect_disksim_ascii(const std::vector<std::string>& first_lines);
std::unique_ptr<TraceParserIf> read_disksim_ascii(const TraceOptions& options);

bool detect_mqsim(const std::vector<std::string>& first_lines);
std::unique_ptr<TraceParserIf> read_mqsim(const TraceOptions& options);

/// Sectors of the formats that count in them.
inline constexpr std::uint64_t kTraceSectorBytes = 512;

}  // namespace platter::workload
