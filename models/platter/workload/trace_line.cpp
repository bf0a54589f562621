// SPDX-License-Identifier: Apache-2.0
#include "platter/workload/trace_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "platter/core/error.h"

namespace platter::workload {
namespace {

constexpr std::string_view kBlanks = " \t";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  return text;
}

}  // namespace

void SourceLine::fail(std::size_t column, const std::string& message) const {
  throw core::InputError(std::string(file), number, column,
                         offset < 0 ? message : fmt::format("at byte {}: {}", offset, message));
}

void SourceLine::require_end() const {
  if (!ended)
    fail(0, "the last line has no end of line, so the file seems to be cut short; if it is complete, add an end of line");
}

Fields split_blanks(std::string_view text) {
  Fields fields;
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  for (std::size_t at = 0; at < text.size();) {
    if (blank(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at + 1;
    while (end < text.size() && !blank(text[end])) ++end;
    fields.add(text.substr(at, end - at), at + 1);
    at = end;
  }
  return fields;
}

Fields split_commas(std::string_view text) {
  Fields fields;
  for (std::size_t at = 0;;) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string_view piece = trimmed(text.substr(at, end - at));
    fields.add(piece, static_cast<std::size_t>(piece.data() - text.data()) + 1);
    if (end == text.size()) return fields;
    at = end + 1;
  }
}

Fields expect_fields(const SourceLine& line, std::string_view form) {
  const Fields fields = split_blanks(line.text);
  const std::size_t wanted = split_blanks(form).size();
  if (fields.size() != wanted)
    line.fail(0, fmt::format("expected {} blank-separated fields ({}), found {}", wanted, form, fields.size()));
  return fields;
}

Fields expect_columns(const SourceLine& line, std::string_view form, bool more) {
  const Fields fields = split_commas(line.text);
  const auto wanted = static_cast<std::size_t>(std::count(form.begin(), form.end(), ',')) + 1;
  if (fields.size() < wanted || (fields.size() > wanted && !more))
    line.fail(0, fmt::format("expected {}{} comma-separated fields ({}), found {}", more ? "at least " : "", wanted, form,
                             fields.size()));
  return fields;
}

bool is_header(std::string_view text, std::string_view form) {
  const auto next = [](std::string_view& rest) {
    const std::size_t at = rest.find_first_not_of(kBlanks);
    rest.remove_prefix(std::min(at, rest.size()));
    if (rest.empty()) return '\0';
    const char c = rest.front();
    rest.remove_prefix(1);
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  for (;;) {
    const char c = next(text);
    if (c != next(form)) return false;
    if (c == '\0') return text.empty() && form.empty();
  }
}

bool is_blank(std::string_view text) { return text.find_first_not_of(kBlanks) == std::string_view::npos; }

bool is_comment(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  return first != std::string_view::npos && text[first] == '#';
}

bool all_digits(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_digit); }

bool is_decimal(std::string_view text) {
  const std::size_t dot = text.find('.');
  return all_digits(text.substr(0, dot)) && (dot == std::string_view::npos || all_digits(text.substr(dot + 1)));
}

std::string option_text(std::string_view option, std::string_view key) {
  return fmt::format("{} (in a scenario workload.discrete.{})", option, key);
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string shown(text.substr(0, kLongest));
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) c = '?';
  }
  return fmt::format("\"{}{}\"", shown, text.size() > kLongest ? "..." : "");
}

std::uint64_t parse_unsigned(const SourceLine& line, const Field& field, std::string_view what) {
  std::uint64_t value = 0;
  const char* const first = field.text.data();
  const char* const last = first + field.text.size();
  const auto [end, error] = std::from_chars(first, last, value);
  if (end == last && error == std::errc()) return value;
  if (!all_digits(field.text))
    line.fail(field.column, fmt::format("{} is {}, expected a whole number without a sign", what, in_quotes(field.text)));
  line.fail(field.column, fmt::format("{} is {}, expected a number that fits in 64 bits", what, in_quotes(field.text)));
}

TraceTime parse_time(const SourceLine& line, const Field& field, const TimeUnit& unit) {
  const std::string_view text = field.text;
  const char* const first = text.data();
  const char* const last = first + text.size();
  std::uint64_t whole = 0;
  const auto [dot, error] = std::from_chars(first, last, whole);
  bool good = error == std::errc();
  const bool too_large = error == std::errc::result_out_of_range;
  std::int64_t part = 0;
  if (dot != last) {
    good = good && *dot == '.' && dot + 1 != last;
    std::int64_t weight = unit.ps;
    for (const char* c = dot + 1; good && c < last; ++c) {
      good = is_digit(*c);
      weight /= 10;
      part += (*c - '0') * weight;
    }
  }
  if (good) return static_cast<TraceTime>(whole) * static_cast<TraceTime>(unit.ps) + static_cast<TraceTime>(part);
  if (text.size() > 1 && text.front() == '-')
    line.fail(field.column, fmt::format("time is {}, expected {} from 0 on: the time is before the start of the trace",
                                        in_quotes(text), unit.plural));
  if (too_large)
    line.fail(field.column, fmt::format("time is {} {}, expected a number that fits in 64 bits", in_quotes(text), unit.plural));
  line.fail(field.column,
            fmt::format("time is {}, expected {} as a decimal number such as 12.345", in_quotes(text), unit.plural));
}

std::int64_t parse_time_ps(const SourceLine& line, const Field& field, const TimeUnit& unit) {
  const TraceTime time = parse_time(line, field, unit);
  if (time > static_cast<TraceTime>(std::numeric_limits<std::int64_t>::max()))
    line.fail(field.column, fmt::format("time is {} {}, which is more than 106 days and does not fit in 64 bits of picoseconds",
                                        in_quotes(field.text), unit.plural));
  return static_cast<std::int64_t>(time);
}

bool is_read_or_write(std::string_view text) {
  constexpr std::array<std::string_view, 8> kNames = {"R", "W", "r", "w", "Read", "Write", "read", "write"};
  return std::find(kNames.begin(), kNames.end(), text) != kNames.end();
}

bool parse_write(const SourceLine& line, const Field& field, std::string_view what) {
  if (!is_read_or_write(field.text))
    line.fail(field.column, fmt::format("{} is {}, expected R or W, or Read or Write", what, in_quotes(field.text)));
  return field.text.front() == 'W' || field.text.front() == 'w';
}

std::uint64_t scaled(const SourceLine& line, const Field& field, std::uint64_t value, std::uint64_t scale,
                     std::string_view what) {
  if (value > std::numeric_limits<std::uint64_t>::max() / scale) {
    line.fail(field.column,
              fmt::format("{} {} of {} bytes each is past the last byte that a 64-bit address can name", what, value, scale));
  }
  return value * scale;
}

std::uint64_t parse_scaled(const SourceLine& line, const Field& field, std::uint64_t scale, std::string_view what) {
  return scaled(line, field, parse_unsigned(line, field, what), scale, what);
}

}  // namespace platter::workload
