// SPDX-License-Identifier: Apache-2.0
#include "platter/workload/snoop_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace platter::workload {

namespace {

constexpr std::string_view kProcessColumn = "COMM";

}  // namespace

bool SnoopTable::is_header(std::string_view text) {
  const Fields fields = split_blanks(text);
  const auto has = [&fields](std::string_view name) {
    return std::any_of(fields.begin(), fields.end(), [name](const Field& field) { return field.text == name; });
  };
  return has(kProcessColumn) && has("PID") && has("BYTES");
}

void SnoopTable::set_header(std::string_view text) {
  header_ = text;
  const Fields fields = split_blanks(header_);
  columns_ = std::min(fields.size(), Fields::kKept);
  for (std::size_t i = 0; i < columns_; ++i) names_[i] = fields[i].text;
  process_ = find(kProcessColumn);
}

std::size_t SnoopTable::find(std::string_view name) const {
  const auto end = names_.begin() + static_cast<std::ptrdiff_t>(columns_);
  const auto found = std::find(names_.begin(), end, name);
  return found == end ? kNone : static_cast<std::size_t>(found - names_.begin());
}

Fields SnoopTable::row(const SourceLine& line) const {
  const Fields fields = split_blanks(line.text);
  if (fields.size() < columns_ || fields.size() > Fields::kKept)
    line.fail(
        0, fmt::format("expected {} blank-separated fields ({}), found {}", columns_,
                       fmt::join(names_.begin(), names_.begin() + static_cast<std::ptrdiff_t>(columns_), " "), fields.size()));
  return fields;
}

bool is_snoop_notice(std::string_view text) {
  constexpr std::array<std::string_view, 5> kNotices = {"Tracing ", "Ending ", "lost ", "Possibly lost ", "WARNING: "};
  return std::any_of(kNotices.begin(), kNotices.end(),
                     [text](std::string_view notice) { return text.substr(0, notice.size()) == notice; });
}

}  // namespace platter::workload
