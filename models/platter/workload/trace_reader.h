// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "platter/workload/text_file.h"
#include "platter/workload/trace_formats.h"
#include "platter/workload/trace_order.h"
#include "platter/workload/trace_record.h"

namespace platter::workload {

/// Reads a trace, plain or compressed, request by request, in bounded memory.
///
/// If there is no file of the name NAME, but files NAME.blktrace.0, .1 and so on, plain or compressed, they are merged by time. The name - is the
/// standard input.
///
/// Policies. Requests are delivered in the order of their times, those of equal times in the order of their lines. Lines may be out of order
/// as far as TraceOptions::sort_window reaches; a request that comes later than that is refused. So is a last line without an end of line, unless
/// TraceOptions::last_line says otherwise, and a request of size 0, unless TraceOptions::skip_empty does. An address that does
/// not fit in 64 bits, a request of 4 GiB or more, and a time of more than 106 days are refused. A trace without a request is refused too.
class TraceReader {
 public:
  /// Opens the file and determines the format. Throws core::InputError, as next() does.
  explicit TraceReader(const std::filesystem::path& path, TraceOptions options = {});

  /// False after the last request.
  bool next(TraceRecord& record);

  const TraceFormat& format() const { return *format_; }
  bool binary() const { return sources_.front().parser->head_bytes() > 0; }
  const TraceCounts& counts() const { return counts_; }

 private:
  /// One file, with its next request.
  struct Source {
    std::string name;
    std::unique_ptr<TraceParserIf> parser;
    std::unique_ptr<LineSourceIf> lines;
    SourceLine line;
    ParsedRequest request;
    bool ready = false;  ///< line and request hold the next one
    bool ended = false;
  };

  void check_options(const std::filesystem::path& path) const;
  void open(const std::filesystem::path& path);
  void settle_format(const ByteSource& file, const TraceHead& head, std::size_t skipped);
  TraceUnits units() const;
  void advance(Source& source);
  bool left_out(const Source& source);
  bool arrive(PendingRequest& pending);
  bool accept(const Source& source, PendingRequest& pending);
  bool wanted_device(const SourceLine& line, std::string_view device);
  bool fit(const SourceLine& line, std::uint64_t& offset, std::uint64_t& length, bool write);
  bool scale(const SourceLine& line, std::uint64_t& offset, std::uint64_t length, bool write);
  [[noreturn]] void fail_past_end(const SourceLine& line, std::uint64_t offset, std::uint64_t length, bool write) const;
  std::string late_by(TraceTime time) const;
  void sort(const PendingRequest& pending);
  void deliver(const PendingRequest& pending, TraceRecord& record);
  void finish();
  [[noreturn]] void fail(const PendingRequest& at, const std::string& message) const;

  TraceOptions options_;
  std::string name_;
  const TraceFormat* format_ = nullptr;
  std::vector<Source> sources_;
  TraceSorter sorter_{0};
  TraceSpreader spreader_{0};
  TraceCounts counts_;
  std::string only_device_;
  std::uint64_t* device_count_ = nullptr;  ///< of the device `last_device_`
  std::string last_device_;
  std::uint64_t arrived_ = 0;
  TraceTime latest_arrival_ = kBeforeAll;
  TraceTime first_time_ = 0;
  bool at_end_ = false;
  bool done_ = false;
};

std::vector<TraceRecord> read_all(const std::filesystem::path& path, const TraceOptions& options = {});

/// `each` is called with every request.
TraceSummary summarize_trace(const std::filesystem::path& path, const TraceOptions& options = {},
                             const std::function<void(const TraceRecord&)>& each = {});

}  // namespace platter::workload
