// SPDX-License-Identifier: Apache-2.0
#include "platter/workload/trace_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "platter/core/error.h"
#include "platter/core/types.h"

namespace platter::workload {
namespace {

constexpr std::size_t kLinesToRecognise = 16;

std::string format_names() {
  std::string names = "auto";
  for (const TraceFormat& format : trace_formats()) names += fmt::format(", {}", format.name);
  return names;
}

std::string device_list(const TraceCounts& counts) {
  std::string names;
  for (const auto& [name, requests] : counts.devices) {
    names += fmt::format("{}{} ({} requests)", names.empty() ? "" : ", ", in_quotes(name), requests);
  }
  return names;
}

}  // namespace

TraceReader::TraceReader(const std::filesystem::path& path, TraceOptions options) : options_(std::move(options)), file_(path) {
  constexpr std::string_view kActions = "QDC";
  if (kActions.find(options_.blkparse_action) == std::string_view::npos) {
    throw core::InputError(
        file_.name(), 0, 0,
        fmt::format("blkparse action {}, expected Q, D or C", in_quotes(std::string(1, options_.blkparse_action))));
  }
  settle_format();
  parser_ = format_->read(options_);
}

void TraceReader::settle_format() {
  if (options_.format != "auto") {
    format_ = find_trace_format(options_.format);
    if (format_ == nullptr) {
      throw core::InputError(
          file_.name(), 0, 0,
          fmt::format("unknown trace format {}, expected one of {}", in_quotes(options_.format), format_names()));
    }
    return;
  }
  std::vector<std::string> first_lines;
  SourceLine line;
  bool ended = false;
  while (first_lines.size() < kLinesToRecognise) {
    if (!file_.next(line)) {
      ended = true;
      break;
    }
    if (is_blank(line.text)) {  // there may be any number of them
      ++counts_.lines;
      ++counts_.other_lines;
      continue;
    }
    ahead_.push_back({line.number, std::string(line.text), line.ended});
    first_lines.emplace_back(line.text);
  }
  if (ended && first_lines.empty()) {
    throw core::InputError(file_.name(), 0, 0, "the file is empty, expected a trace");
  }
  for (const TraceFormat& format : trace_formats()) {
    if (format.detect(first_lines)) {
      format_ = &format;
      return;
    }
  }
  throw core::InputError(file_.name(), ahead_.front().number, 0,
                         fmt::format("the first line is {}, which no trace format begins with; name one of {}",
                                     in_quotes(first_lines.front()), format_names()));
}

bool TraceReader::next_line(SourceLine& line) {
  if (!ahead_.empty()) {
    current_ = std::move(ahead_.front());
    ahead_.pop_front();
    line = {file_.name(), current_.number, current_.text, current_.ended};
  } else if (!file_.next(line)) {
    return false;
  }
  ++counts_.lines;
  return true;
}

bool TraceReader::next(TraceRecord& record) {
  SourceLine line;
  while (!done_) {
    if (!next_line(line)) {
      finish();
      return false;
    }
    if (is_blank(line.text)) {
      ++counts_.other_lines;
      continue;
    }
    ParsedRequest request;
    switch (parser_->parse(line, request)) {
      case LineKind::Request:
        if (deliver(line, request, record)) return true;
        break;
      case LineKind::OtherLine: ++counts_.other_lines; break;
      case LineKind::OtherAction: ++counts_.other_actions; break;
      case LineKind::Flush: ++counts_.flushes; break;
      case LineKind::Discard: ++counts_.discards; break;
      case LineKind::EndOfData: do { ++counts_.other_lines;
        } while (next_line(line));
        finish();
        return false;
    }
  }
  return false;
}

bool TraceReader::deliver(const SourceLine& line, const ParsedRequest& request, TraceRecord& record) {
  if (!wanted_device(line, request.device)) {
    ++counts_.other_device;
    return false;
  }
  std::uint64_t offset = request.offset_bytes;
  std::uint64_t length = request.length_bytes;
  if (length == 0) line.fail(0, "size is 0, expected a request for some data");
  if (length > std::numeric_limits<std::uint64_t>::max() - offset) {
    line.fail(0, fmt::format("request of {} bytes from byte {} on ends past the last byte a 64-bit address can name", length,
                             offset));
  }
  if (length > std::numeric_limits<std::uint32_t>::max()) {
    line.fail(0, fmt::format("request of {} bytes, expected less than 4 GiB", length));
  }
  if (any_request_ && request.time_ps < last_time_ps_) {
    line.fail(0, fmt::format("time goes back by {:.3f} us from the request of line {}: requests must be in the order "
                             "of their times",
                             static_cast<double>(last_time_ps_ - request.time_ps) * 1e-6, last_line_));
  }
  if (!fit(line, offset, length, request.write)) {
    ++counts_.dropped;
    return false;
  }
  if (!any_request_) first_time_ps_ = request.time_ps;
  any_request_ = true;
  last_time_ps_ = request.time_ps;
  last_line_ = line.number;

  record.time_ps = options_.rebase ? request.time_ps - first_time_ps_ : request.time_ps;
  record.offset_bytes = offset;
  record.length_bytes = static_cast<std::uint32_t>(length);
  record.write = request.write;
  record.line = static_cast<std::uint32_t>(std::min<std::size_t>(line.number, std::numeric_limits<std::uint32_t>::max()));
  ++counts_.records;
  return true;
}

bool TraceReader::wanted_device(const SourceLine& line, std::string_view device) {
  const auto known = counts_.devices.find(device);
  if (known != counts_.devices.end()) {
    ++known->second;
  } else {
    counts_.devices.emplace(device, 1);
  }
  if (options_.device == "*") return true;
  if (!options_.device.empty()) return device == options_.device;
  if (counts_.devices.size() > 1) {
    line.fail(0, fmt::format("request to device {}, but those before are to {}: name one of the devices, or \"*\" to "
                             "lay all of them over one drive",
                             in_quotes(device), in_quotes(only_device_)));
  }
  if (only_device_.empty()) only_device_ = std::string(device);
  return true;
}

/// Fits the request into the drive by the `past_end` policy; false: drop it.
bool TraceReader::fit(const SourceLine& line, std::uint64_t& offset, std::uint64_t& length, bool write) {
  const std::uint64_t capacity = options_.capacity_bytes;
  if (capacity == 0 || offset + length <= capacity) return true;
  switch (options_.past_end) {
    case PastEnd::Error: break;
    case PastEnd::Wrap:
      if (length > capacity) break;
      offset = std::min(offset % capacity, capacity - length);
      ++counts_.wrapped;
      return true;
    case PastEnd::Clip:
      if (offset >= capacity) return false;
      length = capacity - offset;
      ++counts_.clipped;
      return true;
  }
  line.fail(0, fmt::format("{} of bytes {} to {}, but the drive has {} bytes, the last of them {}", write ? "write" : "read",
                           offset, offset + length - 1, capacity, capacity - 1));
}

void TraceReader::finish() {
  done_ = true;
  if (counts_.records > 0) return;
  std::string why;
  if (counts_.lines == 0) {
    why = "the file is empty, expected a trace";
  } else if (counts_.other_device > 0) {
    why = fmt::format("no request to device {}; the trace has {}", in_quotes(options_.device), device_list(counts_));
  } else if (counts_.dropped > 0) {
    why = fmt::format("no request is left: all {} begin past the drive's end", counts_.dropped);
  } else {
    why = fmt::format("no read or write in the trace: {} lines, of them {} of other actions, {} flushes, {} discards",
                      counts_.lines, counts_.other_actions, counts_.flushes, counts_.discards);
  }
  throw core::InputError(file_.name(), 0, 0, why);
}

std::vector<TraceRecord> read_all(const std::filesystem::path& path, const TraceOptions& options) {
  TraceReader reader(path, options);
  std::vector<TraceRecord> records;
  TraceRecord record;
  while (reader.next(record)) records.push_back(record);
  return records;
}

TraceSummary summarize_trace(const std::filesystem::path& path, const TraceOptions& options) {
  TraceReader reader(path, options);
  TraceSummary summary;
  summary.min_bytes = std::numeric_limits<std::uint32_t>::max();
  std::int64_t first_ps = 0;
  std::uint64_t end_before = 0;
  TraceRecord record;
  while (reader.next(record)) {
    if (summary.records == 0) first_ps = record.time_ps;
    if (summary.records > 0 && record.offset_bytes == end_before) ++summary.sequential;
    end_before = record.offset_bytes + record.length_bytes;
    ++summary.records;
    ++(record.write ? summary.writes : summary.reads);
    (record.write ? summary.written_bytes : summary.read_bytes) += record.length_bytes;
    summary.span_ps = record.time_ps - first_ps;
    summary.min_bytes = std::min(summary.min_bytes, record.length_bytes);
    summary.max_bytes = std::max(summary.max_bytes, record.length_bytes);
    summary.largest_end_bytes = std::max(summary.largest_end_bytes, end_before);
    if (record.offset_bytes % kTraceSectorBytes != 0 || record.length_bytes % kTraceSectorBytes != 0) {
      ++summary.unaligned;
    }
    std::uint32_t bucket = 1;
    while (bucket <= record.length_bytes / 2) bucket *= 2;
    ++summary.size_histogram[bucket];
  }
  summary.format = reader.format().name;
  summary.counts = reader.counts();
  const auto records = static_cast<double>(summary.records);
  const double span_s = static_cast<double>(summary.span_ps) / static_cast<double>(core::kPicosecondsPerSecond);
  summary.rate_per_s = summary.span_ps > 0 ? (records - 1) / span_s : 0;
  summary.mean_bytes = static_cast<double>(summary.read_bytes + summary.written_bytes) / records;
  summary.sequential_share = static_cast<double>(summary.sequential) / records;
  return summary;
}

}  // namespace platter::workload
