// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "platter/workload/text_file.h"
#include "platter/workload/trace_formats.h"
#include "platter/workload/trace_record.h"

namespace platter::workload {

/// Reads a trace, plain or gzip-compressed, request by request; the whole file is never in memory.
///
/// Policies. Times must not go back from one delivered request to the next (equal times are allowed): a trace whose times go back is
/// refused, not sorted. A request of size 0, an address that does not fit in 64 bits, and a request of 4 GiB or more are refused. A trace
/// without a request is refused too.
class TraceReader {
 public:
  /// Opens the file and determines the format. Throws core::InputError, as next() does.
  explicit TraceReader(const std::filesystem::path& path, TraceOptions options = {});

  /// False after the last request.
  bool next(TraceRecord& record);

  const TraceFormat& format() const { return *format_; }
  const TraceCounts& counts() const { return counts_; }

 private:
  struct KeptLine {
    std::size_t number;
    std::string text;
    bool ended;
  };

  void settle_format();
  bool next_line(SourceLine& line);
  bool deliver(const SourceLine& line, const ParsedRequest& request, TraceRecord& record);
  bool wanted_device(const SourceLine& line, std::string_view device);
  bool fit(const SourceLine& line, std::uint64_t& offset, std::uint64_t& length, bool write);
  void finish();

  TraceOptions options_;
  TextFile file_;
  const TraceFormat* format_ = nullptr;
  std::unique_ptr<TraceParserIf> parser_;
  std::deque<KeptLine> ahead_;  ///< read to recognise the format, not yet parsed
  KeptLine current_{};
  TraceCounts counts_;
  std::string only_device_;
  bool any_request_ = false;
  std::int64_t first_time_ps_ = 0;
  std::int64_t last_time_ps_ = 0;
  std::size_t last_line_ = 0;
  bool done_ = false;
};

std::vector<TraceRecord> read_all(const std::filesystem::path& path, const TraceOptions& options = {});

TraceSummary summarize_trace(const std::filesystem::path& path, const TraceOptions& options = {});

}  // namespace platter::workload
