// SPDX-License-Identifier: Apache-2.0
#include "platter/workload/stream_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include "platter/core/error.h"
#include "platter/workload/text_file.h"

namespace platter::workload {
namespace {

constexpr std::string_view kColumns = "frame,pts_us,type,bytes";
constexpr std::string_view kDurationKey = "# duration_us:";
constexpr std::string_view kPictureTypes = "IPB";
constexpr double kMicrosecondsPerSecond = 1e6;
/// Limit of times, 285 years: far inside 64 bits, so that sums cannot overflow.
constexpr std::uint64_t kLatestUs = std::uint64_t{9'000'000'000'000'000};

std::int64_t parse_us(const SourceLine& line, const Field& field, std::string_view what) {
  const std::uint64_t value = parse_unsigned(line, field, what);
  if (value > kLatestUs) line.fail(field.column, fmt::format("{} is {}, expected at most {}", what, value, kLatestUs));
  return static_cast<std::int64_t>(value);
}

std::int64_t parse_duration(const SourceLine& line) {
  const Fields fields = split_blanks(line.text);  // "#", "duration_us:", number
  if (fields.size() != 3) line.fail(0, fmt::format("expected \"{} MICROSECONDS\"", kDurationKey));
  return parse_us(line, fields[2], "duration_us");
}

/// Division that rounds down, also below 0.
std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

}  // namespace

StreamTable StreamTable::load(const std::filesystem::path& path) {
  TextFile file(path);
  StreamTable table;
  std::optional<std::int64_t> duration;
  std::size_t duration_line = 0;
  bool columns_seen = false;
  SourceLine line;
  while (file.next(line)) {
    line.require_end();
    if (!columns_seen) {
      if (line.text.substr(0, kDurationKey.size()) == kDurationKey) {
        if (duration) line.fail(0, fmt::format("duration_us is given twice, the first time in line {}", duration_line));
        duration = parse_duration(line);
        duration_line = line.number;
      } else if (line.text.substr(0, 1) != "#") {
        if (line.text != kColumns) {
          line.fail(1,
                    fmt::format("found {}, expected a comment (#) or the column names \"{}\"", in_quotes(line.text), kColumns));
        }
        columns_seen = true;
      }
      continue;
    }
    const Fields fields = split_commas(line.text);
    if (fields.size() != 4) {
      line.fail(0, fmt::format("expected 4 comma-separated fields ({}), found {}", kColumns, fields.size()));
    }
    const std::uint64_t frame = parse_unsigned(line, fields[0], "frame");
    if (frame != table.frames()) {
      line.fail(fields[0].column,
                fmt::format("frame is {}, expected {}: frames are numbered from 0 without a gap", frame, table.frames()));
    }
    const std::int64_t pts = parse_us(line, fields[1], "pts_us");
    if (table.pts_us_.empty() && pts != 0) {
      line.fail(fields[1].column, fmt::format("pts_us is {}, expected 0 for the first frame", pts));
    }
    if (!table.pts_us_.empty() && pts <= table.pts_us_.back()) {
      line.fail(fields[1].column,
                fmt::format("pts_us is {}, expected more than the {} of the frame before", pts, table.pts_us_.back()));
    }
    if (fields[2].text.size() != 1 || kPictureTypes.find(fields[2].text) == std::string_view::npos) {
      line.fail(fields[2].column, fmt::format("type is {}, expected I, P or B", in_quotes(fields[2].text)));
    }
    const std::uint64_t bytes = parse_unsigned(line, fields[3], "bytes");
    if (bytes == 0 || bytes > std::numeric_limits<std::uint32_t>::max()) {
      line.fail(fields[3].column,
                fmt::format("bytes is {}, expected 1 to {}", bytes, std::numeric_limits<std::uint32_t>::max()));
    }
    table.pts_us_.push_back(pts);
    table.prefix_.push_back(table.prefix_.back() + bytes);
    table.largest_frame_bytes_ = std::max(table.largest_frame_bytes_, static_cast<std::uint32_t>(bytes));
  }
  if (!columns_seen) {
    throw core::InputError(file.name(), 0, 0, fmt::format("has no line of column names \"{}\"", kColumns));
  }
  if (table.pts_us_.empty())
    throw core::InputError(file.name(), 0, 0, "has no frame, expected at least one line after the column names");
  if (!duration) {
    throw core::InputError(file.name(), 0, 0, fmt::format("has no line \"{} MICROSECONDS\" before the columns", kDurationKey));
  }
  if (*duration <= table.pts_us_.back()) {
    throw core::InputError(
        file.name(), duration_line, 0,
        fmt::format("duration_us is {}, expected more than the last frame's {}", *duration, table.pts_us_.back()));
  }
  table.duration_us_ = *duration;
  return table;
}

std::uint64_t StreamTable::bytes_between(std::int64_t from_us, std::int64_t to_us) const {
  if (to_us <= from_us) return 0;
  // Unsigned arithmetic: sums of cycles below 0 wrap, but the difference of the two sums is correct.
  const auto until = [this](std::int64_t time) {
    const std::int64_t cycle = floor_div(time, duration_us_);
    const std::int64_t rest = time - cycle * duration_us_;
    const auto frame = std::lower_bound(pts_us_.begin(), pts_us_.end(), rest) - pts_us_.begin();
    return static_cast<std::uint64_t>(cycle) * prefix_.back() + prefix_[static_cast<std::size_t>(frame)];
  };
  return until(to_us) - until(from_us);
}

double StreamTable::mean_rate_bytes_per_s() const {
  return static_cast<double>(bytes_per_cycle()) * kMicrosecondsPerSecond / static_cast<double>(duration_us_);
}

std::uint64_t StreamTable::peak_bytes(std::int64_t window_us) const {
  // A fullest window can be moved until it begins with a frame.
  std::uint64_t peak = 0;
  for (const std::int64_t pts : pts_us_) peak = std::max(peak, bytes_between(pts, pts + window_us));
  return peak;
}

double StreamTable::peak_rate_bytes_per_s(std::int64_t window_us) const {
  return static_cast<double>(peak_bytes(window_us)) * kMicrosecondsPerSecond / static_cast<double>(window_us);
}

}  // namespace platter::workload
