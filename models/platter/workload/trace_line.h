// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "platter/workload/trace_units.h"

namespace platter::workload {

/// A piece of a line between blanks or commas; the column counts from 1.
struct Field {
  std::string_view text;
  std::size_t column = 0;
};

/// The pieces of a line. All are counted; the first kKept of them can be looked at.
class Fields {
 public:
  static constexpr std::size_t kKept = 16;

  void add(std::string_view text, std::size_t column) {
    if (size_ < kKept) kept_[size_] = {text, column};
    ++size_;
  }
  std::size_t size() const { return size_; }
  const Field& operator[](std::size_t i) const { return kept_[i]; }
  const Field* begin() const { return kept_.data(); }
  const Field* end() const { return kept_.data() + (size_ < kKept ? size_ : kKept); }

 private:
  std::size_t size_ = 0;
  std::array<Field, kKept> kept_;
};

/// One line of a text file, or one record of a binary one, with what an error message about it needs.
struct SourceLine {
  std::string_view file;
  std::size_t number = 0;
  std::string_view text;
  bool ended = true;         ///< false: the file stops here, without an end of line
  std::int64_t offset = -1;  ///< of a binary record: its first byte in the file; a line has none

  /// Throws core::InputError; the message about a binary record names its offset.
  [[noreturn]] void fail(std::size_t column, const std::string& message) const;

  /// For lines whose last field could be cut short unnoticed: fails unless the line has its end of line.
  void require_end() const;
};

/// The pieces between blanks and tabs.
Fields split_blanks(std::string_view text);
/// The pieces between commas, empty ones too, without the blanks around them.
Fields split_commas(std::string_view text);
/// The pieces between blanks. Fails with a message that shows `form` unless there are as many pieces as in `form`.
Fields expect_fields(const SourceLine& line, std::string_view form);
/// The pieces between commas; `more`: there may be more of them than in `form`.
Fields expect_columns(const SourceLine& line, std::string_view form, bool more = false);
/// Whether a line has the names of the columns, as in `form` but for blanks and upper or lower case.
bool is_header(std::string_view text, std::string_view form);
bool is_blank(std::string_view text);
/// Whether the text begins with #, perhaps behind blanks.
bool is_comment(std::string_view text);
bool all_digits(std::string_view text);
/// Digits, perhaps with a point and more digits.
bool is_decimal(std::string_view text);

/// How a message names an option: `--option`, and its key in a scenario, without "workload.discrete.".
std::string option_text(std::string_view option, std::string_view key);

/// The text in quotes for a message: shortened, and in printable ASCII.
std::string in_quotes(std::string_view text);

/// A whole number without sign; `what` names it in the message.
std::uint64_t parse_unsigned(const SourceLine& line, const Field& field, std::string_view what);

/// A decimal number in units of time, exact: digits finer than a picosecond are dropped. No sign, no exponent.
TraceTime parse_time(const SourceLine& line, const Field& field, const TimeUnit& unit);
/// The same in picoseconds; fails where that does not fit in 64 bits.
std::int64_t parse_time_ps(const SourceLine& line, const Field& field, const TimeUnit& unit);

/// R, W, r, w, Read, Write, read or write.
bool is_read_or_write(std::string_view text);
/// Whether such a text means a write.
bool parse_write(const SourceLine& line, const Field& field, std::string_view what);

/// value * scale; fails with a message about `what` if that does not fit in 64 bits.
std::uint64_t scaled(const SourceLine& line, const Field& field, std::uint64_t value, std::uint64_t scale,
                     std::string_view what);
/// parse_unsigned() and scaled().
std::uint64_t parse_scaled(const SourceLine& line, const Field& field, std::uint64_t scale, std::string_view what);

}  // namespace platter::workload
