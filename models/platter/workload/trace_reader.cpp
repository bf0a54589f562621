// SPDX-License-Identifier: Apache-2.0
#include "platter/workload/trace_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "platter/core/error.h"
#include "platter/core/types.h"
#include "platter/workload/archive.h"
#include "platter/workload/record_file.h"

namespace platter::workload {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLinesToRecognise = 16;
constexpr std::size_t kBytesToRecognise = ByteSource::kMaxHeld / 2;
constexpr std::size_t kMaxDevices = std::size_t{1} << 20;
__extension__ using Product = unsigned __int128;
constexpr auto kLongestTime = static_cast<TraceTime>(std::numeric_limits<std::int64_t>::max());

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

/// The number of the processor in the end of such a name, perhaps behind it how the file is compressed: "12", "0.gz"; nothing for any other end.
std::optional<std::uint64_t> processor_of(std::string_view end) {
  constexpr std::array<std::string_view, 4> kCompressed = {".gz", ".xz", ".zst", ".bz2"};
  for (const std::string_view compressed : kCompressed)
    if (end.size() > compressed.size() && end.substr(end.size() - compressed.size()) == compressed) {
      end.remove_suffix(compressed.size());
      break;
    }
  constexpr std::size_t kMaxDigits = 9;
  if (!all_digits(end) || end.size() > kMaxDigits) return std::nullopt;
  return std::stoull(std::string(end));
}

/// The files of a recording by blktrace, in the order of the processors, the plain one where there is also a compressed one; the path itself if it is
/// a file or the standard input, or if there are none.
std::vector<fs::path> files_of(const fs::path& path) {
  std::error_code error;
  if (path == ByteSource::kStandardInput || (fs::exists(path, error) && !fs::is_directory(path, error))) return {path};
  const std::string stem = path.filename().string() + ".blktrace.";
  std::vector<std::pair<std::uint64_t, fs::path>> files;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.compare(0, stem.size(), stem) != 0) continue;
    if (const auto processor = processor_of(std::string_view(name).substr(stem.size())))
      files.emplace_back(*processor, path.parent_path() / name);
  }
  if (files.empty()) return {path};
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.first == b.first; }),
              files.end());
  std::vector<fs::path> sorted;
  sorted.reserve(files.size());
  for (auto& [processor, file] : files) sorted.push_back(std::move(file));
  return sorted;
}

/// The beginning of a file: whole lines, and the last one where the file ends with it. `skipped`: the blank lines and comments before them.
TraceHead head_of(ByteSource& file, std::size_t& skipped) {
  bool ended = false;
  while (!ended && file.rest().size() < kBytesToRecognise) ended = !file.more(1);
  TraceHead head{file.rest(), {}, {}};
  std::string_view rest = without_mark(head.bytes);
  while (head.lines.size() < kLinesToRecognise && !rest.empty()) {
    const std::size_t newline = rest.find('\n');
    if (newline == std::string_view::npos && !ended) break;
    std::string_view line = rest.substr(0, newline);
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    const bool comment = is_comment(line);
    if (comment) head.comments.push_back(line);
    if (!comment && !is_blank(line))
      head.lines.push_back(line);
    else if (head.lines.empty())
      ++skipped;
  }
  return head;
}

/// Whether all lines can be read in this format, and one of them has a request or another event.
bool could_be(const TraceFormat& format, const TraceHead& head, const TraceOptions& options) {
  const std::unique_ptr<TraceParserIf> parser = format.read(options, format.units);
  if (parser->head_bytes() > 0) return false;
  bool event = false;
  try {
    for (const std::string_view line : head.lines) {
      ParsedRequest request;
      event = parser->parse({{}, 1, line}, request) != LineKind::OtherLine || event;
    }
  } catch (const core::InputError&) {
    return false;
  }
  return event;
}

/// How to choose the format by hand: the likely ones, or all.
std::string format_advice(const TraceHead& head, const TraceOptions& options) {
  std::string likely;
  for (const TraceFormat& format : trace_formats())
    if (could_be(format, head, options))
      likely += fmt::format("{}{} ({})", likely.empty() ? "" : ", or ", format.name, to_string(format.units));
  const std::string option = option_text("--format", "trace_format");
  if (!likely.empty()) return fmt::format("it could be {}; choose by {}", likely, option);
  return fmt::format("choose one by {}: {}", option, format_names());
}

/// What else can be counted as a request, where none was found; "" if nothing.
std::string action_advice(const TraceCounts& counts) {
  std::string found;
  for (std::size_t letter = 0; letter < counts.actions.size(); ++letter)
    if (counts.actions[letter] > 0)
      found += fmt::format("{}{} {}", found.empty() ? "" : ", ", counts.actions[letter], static_cast<char>(letter));
  if (found.empty()) return "";
  constexpr std::array<std::pair<char, std::string_view>, 3> kActions = {
      {{'D', "issued"}, {'C', "completed"}, {'Q', "queued"}}};
  for (const auto& [letter, name] : kActions)
    if (counts.actions[static_cast<unsigned char>(letter)] > 0)
      return fmt::format("; the other actions are {}; choose those that count as requests by {}", found,
                         option_text(fmt::format("--action {}", letter), fmt::format("trace_action = \"{}\"", name)));
  return fmt::format("; the other actions are {}", found);
}

}  // namespace

TraceReader::TraceReader(const fs::path& path, TraceOptions options)
    : options_(std::move(options)), name_(ByteSource::name_of(path)) {
  check_options(path);
  if (options_.past_end == PastEnd::Scale && options_.capacity_bytes > 0 && options_.span_bytes == 0) {
    if (!ByteSource::rereadable(path))
      throw core::InputError(
          name_, 0, 0,
          "is not a regular file and cannot be read twice, so that scaling its addresses needs the span in bytes, " +
              option_text("--span", "trace_span_bytes"));
    TraceOptions first = options_;
    first.capacity_bytes = 0;
    TraceReader reader(path, std::move(first));
    for (TraceRecord record; reader.next(record);)
      options_.span_bytes = std::max(options_.span_bytes, record.offset_bytes + record.length_bytes);
  }
  open(path);
  sorter_ = TraceSorter(options_.sort_window.value_or(format_->sort_window));
  spreader_ = TraceSpreader(options_.spread_ps);
}

void TraceReader::check_options(const fs::path& path) const {
  const auto refuse = [&path](const std::string& why) { throw core::InputError(path.string(), 0, 0, why); };
  constexpr std::string_view kActions = "QDC";
  if (kActions.find(options_.action) == std::string_view::npos)
    refuse(fmt::format("found action {}, expected Q, D or C", in_quotes(std::string(1, options_.action))));
  if (options_.format != "auto" && find_trace_format(options_.format) == nullptr)
    refuse(fmt::format("unknown trace format {}, expected one of {}", in_quotes(options_.format), format_names()));
  if (!options_.time_unit.empty() && find_time_unit(options_.time_unit) == nullptr)
    refuse(fmt::format("unknown unit of time {}, expected s, ms, us, 100ns, ns or ps", in_quotes(options_.time_unit)));
  if (options_.sort_window.value_or(0) > TraceOptions::kMaxSorted)
    refuse(fmt::format("found a sort window of {} requests, expected at most {}", *options_.sort_window,
                       TraceOptions::kMaxSorted));
  if (options_.spread_ps < 0) refuse("found a negative time over which requests are spread, expected 0 or more");
}

void TraceReader::open(const fs::path& path) {
  std::vector<ByteSource> files;
  for (const fs::path& name : files_of(path)) {
    files.emplace_back(name);
    std::size_t skipped = 0;
    const TraceHead head = head_of(files.back(), skipped);
    if (format_ == nullptr && !head.bytes.empty()) settle_format(files.back(), head, skipped);
  }
  // Of several files, those of processors that recorded nothing are empty.
  if (format_ == nullptr) throw core::InputError(name_, 0, 0, "the file is empty, expected a trace");
  for (ByteSource& file : files) {
    Source source;
    source.name = file.name();
    source.parser = format_->read(options_, units());
    if (source.parser->head_bytes() > 0)
      source.lines = std::make_unique<RecordFile>(std::move(file), *source.parser);
    else
      source.lines = std::make_unique<TextFile>(std::move(file));
    sources_.push_back(std::move(source));
  }
}

void TraceReader::settle_format(const ByteSource& file, const TraceHead& head, std::size_t skipped) {
  const auto refuse_archive = [&file](const std::string& archive) {
    if (!archive.empty())
      throw core::InputError(
          file.name(), 0, 0,
          fmt::format("is {}; unpack it and name one of its files, or pass one on the standard input (-)", archive));
  };
  refuse_archive(archive_text(head.bytes, {}));
  if (options_.format != "auto") {
    format_ = find_trace_format(options_.format);
    return;
  }
  const std::vector<TraceFormat>& formats = trace_formats();
  const auto found =
      std::find_if(formats.begin(), formats.end(), [&](const TraceFormat& format) { return format.detect(head); });
  if (found != formats.end()) {
    format_ = &*found;
    return;
  }
  if (head.bytes.find_first_not_of(" \t\r\n") == std::string_view::npos)
    throw core::InputError(file.name(), 0, 0, "the file is empty, expected a trace");
  refuse_archive(archive_text({}, file.name()));
  if (head.lines.empty() && !head.comments.empty())
    throw core::InputError(file.name(), 0, 0, fmt::format("has no line except comments; {}", format_advice(head, options_)));
  if (head.lines.empty() || head.lines.front().size() > TextFile::kLongestLine)
    throw core::InputError(
        file.name(), skipped + 1, 0,
        fmt::format("found a line of more than {} bytes, expected a text file or a binary trace of a known format",
                    TextFile::kLongestLine));
  throw core::InputError(file.name(), skipped + 1, 0,
                         fmt::format("the first line is {}, which fits no trace format; {}", in_quotes(head.lines.front()),
                                     format_advice(head, options_)));
}

/// What the options leave to the format is as the format has it.
TraceUnits TraceReader::units() const {
  TraceUnits units = format_->units;
  if (!options_.time_unit.empty()) units.time = *find_time_unit(options_.time_unit);
  if (options_.address_unit_bytes == 0) return units;
  if (units.size_bytes == units.address_bytes) units.size_bytes = options_.address_unit_bytes;
  units.address_bytes = options_.address_unit_bytes;
  return units;
}

bool TraceReader::next(TraceRecord& record) {
  PendingRequest pending;
  const bool spread = options_.spread_ps > 0;
  while (!done_) {
    if (spread ? spreader_.pop(pending, at_end_ && sorter_.empty()) : sorter_.pop(pending, at_end_)) {
      deliver(pending, record);
      return true;
    }
    if (spread && sorter_.pop(pending, at_end_)) {
      if (!spreader_.push(pending))
        fail(pending, fmt::format("found more than {} requests with the same time, which is too many to spread",
                                  TraceSpreader::kMaxEqual));
    } else if (at_end_) {
      finish();
    } else if (arrive(pending)) {
      sort(pending);
    } else {
      at_end_ = true;
    }
  }
  return false;
}

/// Reads on until the source's next request is there.
void TraceReader::advance(Source& source) {
  while (!source.ready && !source.ended) {
    if (!source.lines->next(source.line)) {
      source.ended = true;
      return;
    }
    ++counts_.lines;
    if (source.line.offset < 0 && left_out(source)) continue;
    source.request = {};
    switch (source.parser->parse(source.line, source.request)) {
      case LineKind::Request: source.ready = true; break;
      case LineKind::OtherLine: ++counts_.other_lines; break;
      case LineKind::OtherAction:
        ++counts_.other_actions;
        if (source.request.action > 0) ++counts_.actions[static_cast<unsigned char>(source.request.action)];
        break;
      case LineKind::Flush: ++counts_.flushes; break;
      case LineKind::Discard: ++counts_.discards; break;
      case LineKind::Ignored: ++counts_.ignored; break;
    }
  }
}

/// Counts a line of text that is not to be parsed; false: it is to be.
bool TraceReader::left_out(const Source& source) {
  const SourceLine& line = source.line;
  const std::size_t first = line.text.find_first_not_of(" \t");
  if (first == std::string_view::npos || (line.text[first] == '#' && !source.parser->reads(line.text))) {
    ++counts_.other_lines;
    return true;
  }
  if (line.ended || options_.last_line == LastLine::Keep || source.parser->is_whole(line.text)) return false;
  if (options_.last_line == LastLine::Error)
    line.fail(0,
              fmt::format("the last line has no end of line, so it may be cut short; read it as it is, or leave it out, by {}",
                          option_text("--last-line keep|drop", "trace_last_line")));
  ++counts_.cut_short;
  return true;
}

/// The next request of all files that is wanted; false after the last.
bool TraceReader::arrive(PendingRequest& pending) {
  for (;;) {
    Source* earliest = nullptr;
    for (Source& source : sources_) {
      advance(source);
      if (source.ready && (earliest == nullptr || source.request.time < earliest->request.time)) earliest = &source;
    }
    if (earliest == nullptr) return false;
    earliest->ready = false;
    if (!accept(*earliest, pending)) continue;
    pending.source = static_cast<std::uint32_t>(earliest - sources_.data());
    pending.order = arrived_++;
    return true;
  }
}

/// Checks a request and fits it into the drive; false: it is left out.
bool TraceReader::accept(const Source& source, PendingRequest& pending) {
  const SourceLine& line = source.line;
  const ParsedRequest& request = source.request;
  if (!wanted_device(line, request.device)) {
    ++counts_.other_device;
    return false;
  }
  std::uint64_t offset = request.offset_bytes;
  std::uint64_t length = request.length_bytes;
  if (length == 0 && options_.skip_empty) {
    ++counts_.empty;
    return false;
  }
  if (length == 0)
    line.fail(0, fmt::format("size is 0, expected a request for some data; leave out such requests by {}",
                             option_text("--skip-empty", "trace_skip_empty")));
  if (length > std::numeric_limits<std::uint64_t>::max() - offset) {
    line.fail(0, fmt::format("the request of {} bytes from byte {} on ends past the last byte that a 64-bit address can name",
                             length, offset));
  }
  if (length > std::numeric_limits<std::uint32_t>::max()) {
    line.fail(0, fmt::format("found a request of {} bytes, expected less than 4 GiB", length));
  }
  if (request.time < sorter_.latest().time) line.fail(0, late_by(request.time));
  if (!fit(line, offset, length, request.write)) {
    ++counts_.dropped;
    return false;
  }
  pending.time = request.time;
  pending.line = line.number;
  pending.offset_bytes = offset;
  pending.response_ps = request.response_ps;
  pending.length_bytes = static_cast<std::uint32_t>(length);
  pending.write = request.write;
  return true;
}

bool TraceReader::wanted_device(const SourceLine& line, std::string_view device) {
  if (device_count_ == nullptr || device != last_device_) {
    if (counts_.devices.size() == kMaxDevices && counts_.devices.find(device) == counts_.devices.end())
      line.fail(0, fmt::format("found more than {} devices, expected at most as many", kMaxDevices));
    last_device_ = device;
    device_count_ = &counts_.devices[last_device_];
  }
  ++*device_count_;
  if (options_.device == "*") return true;
  if (!options_.device.empty()) return device == options_.device;
  if (counts_.devices.size() > 1) {
    line.fail(0, fmt::format("found a request to device {}, but the requests before it are to {}; choose one of the devices, "
                             "or \"*\" for all of them on one drive, by {}",
                             in_quotes(device), in_quotes(only_device_), option_text("--device", "trace_device")));
  }
  if (only_device_.empty()) only_device_ = std::string(device);
  return true;
}

/// Fits the request into the drive by the `past_end` policy; false: drop it.
bool TraceReader::fit(const SourceLine& line, std::uint64_t& offset, std::uint64_t& length, bool write) {
  const std::uint64_t capacity = options_.capacity_bytes;
  if (options_.past_end == PastEnd::Scale && capacity > 0) return scale(line, offset, length, write);
  if (capacity == 0 || offset + length <= capacity) return true;
  switch (options_.past_end) {
    case PastEnd::Error:
    case PastEnd::Scale: break;
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
  fail_past_end(line, offset, length, write);
}

/// Moves the request to the same share of the drive as it had of the trace's span.
bool TraceReader::scale(const SourceLine& line, std::uint64_t& offset, std::uint64_t length, bool write) {
  const std::uint64_t span = options_.span_bytes;
  const std::uint64_t capacity = options_.capacity_bytes;
  if (offset + length > span)
    line.fail(
        0, fmt::format("found a {} of bytes {} to {}, expected none past the trace's span of {} bytes, {}",
                       write ? "write" : "read", offset, offset + length - 1, span, option_text("--span", "trace_span_bytes")));
  if (length > capacity) fail_past_end(line, offset, length, write);
  const auto place = static_cast<std::uint64_t>(static_cast<Product>(offset) * capacity / span);
  offset = std::min(place, capacity - length) / options_.sector_bytes * options_.sector_bytes;
  ++counts_.scaled;
  return true;
}

void TraceReader::fail_past_end(const SourceLine& line, std::uint64_t offset, std::uint64_t length, bool write) const {
  const bool too_long = length > options_.capacity_bytes;
  line.fail(0, fmt::format("found a {} of bytes {} to {}, but the drive has {} bytes, the last of them {}{}",
                           write ? "write" : "read", offset, offset + length - 1, options_.capacity_bytes,
                           options_.capacity_bytes - 1,
                           too_long ? std::string(", and is smaller than the request")
                                    : "; wrap, clip or scale such addresses by " + option_text("--past-end", "past_end")));
}

/// What is wrong with a request that comes so late.
std::string TraceReader::late_by(TraceTime time) const {
  const PendingRequest& before = sorter_.latest();
  const std::uint32_t window = options_.sort_window.value_or(format_->sort_window);
  return fmt::format("time goes back by {:.3f} us from the request of line {}; {}",
                     static_cast<double>(before.time - time) * 1e-6, before.line,
                     fmt::format("{}; set a longer window by {}",
                                 window == 0 ? "requests must be in the order of their times, or a window must sort them"
                                             : fmt::format("this is further than a window of {} requests can sort", window),
                                 option_text("--sort-window", "trace_sort_window")));
}

void TraceReader::sort(const PendingRequest& pending) {
  if (pending.time < latest_arrival_) ++counts_.out_of_order;
  latest_arrival_ = std::max(latest_arrival_, pending.time);
  sorter_.push(pending);
}

void TraceReader::deliver(const PendingRequest& pending, TraceRecord& record) {
  if (counts_.records == 0) first_time_ = options_.rebase ? pending.time : 0;
  const TraceTime time = pending.time - first_time_;
  if (time > kLongestTime)
    fail(pending, fmt::format("time is more than 106 days after {} and does not fit in 64 bits of picoseconds",
                              options_.rebase ? "that of the first request" : "0"));
  record.time_ps = static_cast<std::int64_t>(time);
  record.offset_bytes = pending.offset_bytes;
  record.length_bytes = pending.length_bytes;
  record.write = pending.write;
  record.line = static_cast<std::uint32_t>(std::min<std::uint64_t>(pending.line, std::numeric_limits<std::uint32_t>::max()));
  record.response_ps = pending.response_ps;
  ++counts_.records;
}

void TraceReader::fail(const PendingRequest& at, const std::string& message) const {
  throw core::InputError(sources_[at.source].name, static_cast<std::size_t>(at.line), 0, message);
}

void TraceReader::finish() {
  done_ = true;
  if (counts_.records > 0) return;
  std::string why;
  if (counts_.lines == 0) {
    why = "the file is empty, expected a trace";
  } else if (counts_.other_device > 0) {
    why = fmt::format("found no request to device {}; the trace has {}", in_quotes(options_.device), device_list(counts_));
  } else if (counts_.dropped > 0) {
    why = fmt::format("no request is left, because all {} begin past the drive's end", counts_.dropped);
  } else {
    why = fmt::format(
        "found no read or write: the trace has {} lines, {} of them with other actions, {} flushes and {} discards{}",
        counts_.lines, counts_.other_actions, counts_.flushes, counts_.discards, action_advice(counts_));
  }
  throw core::InputError(name_, 0, 0, why);
}

std::vector<TraceRecord> read_all(const std::filesystem::path& path, const TraceOptions& options) {
  TraceReader reader(path, options);
  std::vector<TraceRecord> records;
  TraceRecord record;
  while (reader.next(record)) records.push_back(record);
  return records;
}

TraceSummary summarize_trace(const std::filesystem::path& path, const TraceOptions& options,
                             const std::function<void(const TraceRecord&)>& each) {
  TraceReader reader(path, options);
  TraceSummary summary;
  summary.min_bytes = std::numeric_limits<std::uint32_t>::max();
  std::int64_t first_ps = 0;
  std::uint64_t end_before = 0;
  std::array<std::uint64_t, 32> sizes{};  // by their power of two
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
    std::size_t power = 0;
    while (record.length_bytes >> power > 1) ++power;
    ++sizes[power];
    if (each) each(record);
  }
  for (std::size_t power = 0; power < sizes.size(); ++power)
    if (sizes[power] > 0) summary.size_histogram[std::uint32_t{1} << power] = sizes[power];
  summary.format = reader.format().name;
  summary.binary = reader.binary();
  summary.counts = reader.counts();
  const auto records = static_cast<double>(summary.records);
  const double span_s = static_cast<double>(summary.span_ps) / static_cast<double>(core::kPicosecondsPerSecond);
  summary.rate_per_s = summary.span_ps > 0 ? (records - 1) / span_s : 0;
  summary.mean_bytes = static_cast<double>(summary.read_bytes + summary.written_bytes) / records;
  summary.sequential_share = static_cast<double>(summary.sequential) / records;
  return summary;
}

}  // namespace platter::workload
