// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace platter::workload {

/// A piece of a line between blanks; the column counts from 1.
struct Field {
  std::string_view text;
  std::size_t column = 0;
};

/// One line of an input file, with what an error message about it needs.
struct SourceLine {
  std::string_view file;
  std::size_t number = 0;
  std::string_view text;
  bool ended = true;  ///< false: the file stops here, without an end of line

  /// Throws core::InputError.
  [[noreturn]] void fail(std::size_t column, const std::string& message) const;

  /// For lines whose last field could be cut short unnoticed: fails unless the line has its end of line.
  void require_end() const;
};

/// The pieces between blanks and tabs.
std::vector<Field> split_blanks(std::string_view text);
/// The pieces between commas, empty ones too.
std::vector<Field> split_commas(std::string_view text);
/// The pieces between blanks. Fails with a message that shows `form` unless there are as many pieces as in `form`.
std::vector<Field> expect_fields(const SourceLine& line, std::string_view form);
bool is_blank(std::string_view text);
bool all_digits(std::string_view text);

/// The text in quotes for a message: shortened, and in printable ASCII.
std::string in_quotes(std::string_view text);

/// A whole number without sign; `what` names it in the message.
std::uint64_t parse_unsigned(const SourceLine& line, const Field& field, std::string_view what);

/// A decimal number times `unit_ps` picoseconds, exact: digits finer than a picosecond are dropped. No sign, no
/// exponent. `unit` names the unit in the message.
std::int64_t parse_time_ps(const SourceLine& line, const Field& field, std::int64_t unit_ps, std::string_view unit);

/// value * scale; fails with a message about `what` if that does not fit in 64 bits.
std::uint64_t scaled(const SourceLine& line, const Field& field, std::uint64_t value, std::uint64_t scale,
                     std::string_view what);

}  // namespace platter::workload
