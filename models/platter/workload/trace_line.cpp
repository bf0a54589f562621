// SPDX-License-Identifier: Apache-2.0
#include "platter/workload/trace_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "platter/core/error.h"

namespace platter::workload {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool multiply_add(std::uint64_t& value, std::uint64_t factor, std::uint64_t addend, std::uint64_t limit) {
  if (value > (limit - addend) / factor) return false;
  value = value * factor + addend;
  return true;
}

}  // namespace

void SourceLine::fail(std::size_t column, const std::string& message) const {
  throw core::InputError(std::string(file), number, column, message);
}

void SourceLine::require_end() const {
  if (!ended) fail(0, "the last line has no end of line: the file is cut short (if it is whole, add one)");
}

std::vector<Field> split_blanks(std::string_view text) {
  std::vector<Field> fields;
  std::size_t at = 0;
  while ((at = text.find_first_not_of(" \t", at)) != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(" \t", at), text.size());
    fields.push_back({text.substr(at, end - at), at + 1});
    at = end;
  }
  return fields;
}

std::vector<Field> split_commas(std::string_view text) {
  std::vector<Field> fields;
  std::size_t at = 0;
  while (true) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    fields.push_back({text.substr(at, end - at), at + 1});
    if (end == text.size()) return fields;
    at = end + 1;
  }
}

std::vector<Field> expect_fields(const SourceLine& line, std::string_view form) {
  std::vector<Field> fields = split_blanks(line.text);
  const std::size_t wanted = split_blanks(form).size();
  if (fields.size() != wanted) {
    line.fail(0, fmt::format("expected {} blank-separated fields ({}), found {}", wanted, form, fields.size()));
  }
  return fields;
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t") == std::string_view::npos; }

bool all_digits(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_digit); }

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string shown(text.substr(0, kLongest));
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) c = '?';
  }
  return fmt::format("\"{}{}\"", shown, text.size() > kLongest ? "..." : "");
}

std::uint64_t parse_unsigned(const SourceLine& line, const Field& field, std::string_view what) {
  if (!all_digits(field.text)) {
    line.fail(field.column, fmt::format("{} is {}, expected a whole number without sign", what, in_quotes(field.text)));
  }
  std::uint64_t value = 0;
  for (const char c : field.text) {
    if (!multiply_add(value, 10, static_cast<std::uint64_t>(c - '0'), std::numeric_limits<std::uint64_t>::max())) {
      line.fail(field.column, fmt::format("{} is {}, more than 64 bits hold", what, in_quotes(field.text)));
    }
  }
  return value;
}

std::int64_t parse_time_ps(const SourceLine& line, const Field& field, std::int64_t unit_ps, std::string_view unit) {
  std::string_view text = field.text;
  if (text.size() > 1 && text.front() == '-') {
    line.fail(field.column,
              fmt::format("time is {}, expected {} from 0 on: a time before the start of the trace", in_quotes(text), unit));
  }
  const std::size_t dot = text.find('.');
  const std::string_view whole = text.substr(0, dot);
  const std::string_view fraction = dot == std::string_view::npos ? std::string_view() : text.substr(dot + 1);
  if (!all_digits(whole) || (dot != std::string_view::npos && !all_digits(fraction))) {
    line.fail(field.column, fmt::format("time is {}, expected {} as a decimal number such as 12.345", in_quotes(text), unit));
  }
  constexpr auto kLimit = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  std::uint64_t value = 0;
  bool fits = true;
  for (const char c : whole) fits = fits && multiply_add(value, 10, static_cast<std::uint64_t>(c - '0'), kLimit);
  std::uint64_t sub = 0;
  std::int64_t weight = unit_ps;
  for (const char c : fraction) {
    weight /= 10;
    sub += static_cast<std::uint64_t>(c - '0') * static_cast<std::uint64_t>(weight);
  }
  fits = fits && multiply_add(value, static_cast<std::uint64_t>(unit_ps), sub, kLimit);
  if (!fits) {
    line.fail(field.column, fmt::format("time is {} {}, more than 106 days: it does not fit in 64 bits of picoseconds",
                                        in_quotes(text), unit));
  }
  return static_cast<std::int64_t>(value);
}

std::uint64_t scaled(const SourceLine& line, const Field& field, std::uint64_t value, std::uint64_t scale,
                     std::string_view what) {
  if (value > std::numeric_limits<std::uint64_t>::max() / scale) {
    line.fail(field.column,
              fmt::format("{} {} of {} bytes each is past the last byte a 64-bit address can name", what, value, scale));
  }
  return value * scale;
}

}  // namespace platter::workload
