// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "platter/workload/trace_line.h"
#include "platter/workload/trace_record.h"
#include "platter/workload/trace_units.h"

namespace platter::workload {

// A trace format is one file `trace_<name>.cpp`, its two declarations here, and one line in the table of trace_formats.cpp.

/// What a parser found in a line or a record.
enum class LineKind {
  Request,      ///< ParsedRequest is filled in
  OtherLine,    ///< header, file action, wait, message
  OtherAction,  ///< an event, but not of the action that was asked for
  Flush,        ///< flush or sync without data
  Discard,      ///< discard or trim
  Ignored,      ///< a request that the format's description says to leave out
};

/// A request as the file gives it: not filtered, not rebased, not fitted to a drive.
struct ParsedRequest {
  TraceTime time = 0;
  std::uint64_t offset_bytes = 0;
  std::uint64_t length_bytes = 0;
  std::int64_t response_ps = -1;  ///< recorded response time; -1: none
  bool write = false;
  std::string_view device;  ///< that the line names, valid until the next line is parsed; empty if the format has none
  char action = '\0';       ///< of LineKind::OtherAction: its letter in blkparse's output; 0: none
};

/// Parses the lines of one text file, without the blank ones, or the records of one binary file, in order. Errors throw core::InputError.
class TraceParserIf {
 public:
  virtual ~TraceParserIf() = default;
  virtual LineKind parse(const SourceLine& line, ParsedRequest& request) = 0;
  /// Whether the text of a line shows that the line is whole although it has no end of line.
  virtual bool is_whole(std::string_view /*text*/) const { return false; }
  /// Whether this line, which begins with #, is data: it is then given to parse(). Otherwise it is skipped as a comment.
  virtual bool reads(std::string_view /*comment*/) const { return false; }
  /// Of a binary format: bytes of a record that must be there to know its length. 0: a text format.
  virtual std::size_t head_bytes() const { return 0; }
  /// Length of the record whose first head_bytes() these are.
  virtual std::size_t record_bytes(const SourceLine& /*head*/) { return head_bytes(); }
};

/// The beginning of a file, by which its format is recognised.
struct TraceHead {
  std::string_view bytes;
  std::vector<std::string_view> lines;     ///< the first of them, without the blank ones and comments
  std::vector<std::string_view> comments;  ///< those before and between these lines, which begin with #
};

struct TraceFormat {
  std::string_view name;
  std::string_view description;
  TraceUnits units;           ///< unless TraceOptions says otherwise
  std::uint32_t sort_window;  ///< requests that are held back to sort them, likewise; 0: a file is sorted
  bool responses;             ///< whether response times are recorded
  bool (*detect)(const TraceHead& head);
  /// A reader of the format.
  std::unique_ptr<TraceParserIf> (*read)(const TraceOptions& options, const TraceUnits& units);
};

/// "time in seconds, address and size in units of 512 bytes".
std::string to_string(const TraceUnits& units);

/// All formats, in the order in which "auto" tries them.
const std::vector<TraceFormat>& trace_formats();

/// nullptr if no format has that name.
const TraceFormat* find_trace_format(std::string_view name);

/// Says that no format has that name, and which there are.
std::string unknown_trace_format(const std::string& name);

bool detect_blkparse(const TraceHead& head);
std::unique_ptr<TraceParserIf> read_blkparse(const TraceOptions& options, const TraceUnits& units);

bool detect_fio_iolog(const TraceHead& head);
std::unique_ptr<TraceParserIf> read_fio_iolog(const TraceOptions& options, const TraceUnits& units);

bool detect_disksim_ascii(const TraceHead& head);
std::unique_ptr<TraceParserIf> read_disksim_ascii(const TraceOptions& options, const TraceUnits& units);

bool detect_mqsim(const TraceHead& head);
std::unique_ptr<TraceParserIf> read_mqsim(const TraceOptions& options, const TraceUnits& units);

bool detect_blktrace(const TraceHead& head);
std::unique_ptr<TraceParserIf> read_blktrace(const TraceOptions& options, const TraceUnits& units);

bool detect_msr(const TraceHead& head);
std::unique_ptr<TraceParserIf> read_msr(const TraceOptions& options, const TraceUnits& units);

bool detect_spc(const TraceHead& head);
std::unique_ptr<TraceParserIf> read_spc(const TraceOptions& options, const TraceUnits& units);

bool detect_systor(const TraceHead& head);
std::unique_ptr<TraceParserIf> read_systor(const TraceOptions& options, const TraceUnits& units);

bool detect_alibaba(const TraceHead& head);
std::unique_ptr<TraceParserIf> read_alibaba(const TraceOptions& options, const TraceUnits& units);

bool detect_tencent(const TraceHead& head);
std::unique_ptr<TraceParserIf> read_tencent(const TraceOptions& options, const TraceUnits& units);

bool detect_vscsi(const TraceHead& head);
std::unique_ptr<TraceParserIf> read_vscsi(const TraceOptions& options, const TraceUnits& units);

bool detect_biosnoop(const TraceHead& head);
std::unique_ptr<TraceParserIf> read_biosnoop(const TraceOptions& options, const TraceUnits& units);

bool detect_iosnoop(const TraceHead& head);
std::unique_ptr<TraceParserIf> read_iosnoop(const TraceOptions& options, const TraceUnits& units);

bool detect_ftrace(const TraceHead& head);
std::unique_ptr<TraceParserIf> read_ftrace(const TraceOptions& options, const TraceUnits& units);

bool detect_libcachesim(const TraceHead& head);
std::unique_ptr<TraceParserIf> read_libcachesim(const TraceOptions& options, const TraceUnits& units);

bool detect_fiu(const TraceHead& head);
std::unique_ptr<TraceParserIf> read_fiu(const TraceOptions& options, const TraceUnits& units);

}  // namespace platter::workload
