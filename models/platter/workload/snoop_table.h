// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "platter/workload/trace_line.h"

namespace platter::workload {

/// The table that biosnoop or iosnoop prints: a header of names, then rows. The name of a process (column COMM) may have blanks, so the columns behind it
/// are found from the right.
class SnoopTable {
 public:
  /// Whether a line is a header: it has these columns, among others.
  static bool is_header(std::string_view text);

  bool has_header() const { return columns_ > 0; }
  /// Takes the names of a header.
  void set_header(std::string_view text);
  /// The pieces of a row; fails where they are too few or too many.
  Fields row(const SourceLine& line) const;

  static constexpr std::size_t kNone = ~std::size_t{0};
  /// The place of a column in the header; kNone: there is none of that name.
  std::size_t find(std::string_view name) const;
  /// The piece of a row in the column at this place.
  const Field& at(const Fields& row, std::size_t place) const {
    return row[place <= process_ ? place : place + row.size() - columns_];
  }

 private:
  std::array<std::string_view, Fields::kKept> names_{};  ///< parts of header_
  std::string header_;
  std::size_t columns_ = 0;
  std::size_t process_ = 0;  ///< place of COMM
};

/// Whether a line is what these tools say besides their table: "Tracing ...", "Ending ...", "lost ...", "WARNING: ...".
bool is_snoop_notice(std::string_view text);

}  // namespace platter::workload
