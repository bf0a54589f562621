// SPDX-License-Identifier: Apache-2.0
#include "platter/workload/text_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "platter/core/error.h"

namespace platter::workload {
bool TextFile::next(SourceLine& line) {
  std::size_t searched = 0;
  while (true) {
    const std::string_view rest = source_.rest();
    const std::size_t newline = rest.find('\n', searched);
    const std::size_t length = std::min(newline, rest.size());
    if (length > kLongestLine)
      throw core::InputError(name(), number_ + 1, 0,
                             fmt::format("found a line of more than {} bytes, expected a text file", kLongestLine));
    const bool ended = newline != std::string_view::npos;
    if (ended || (at_end_ && !rest.empty())) {
      source_.consume(length + (ended ? 1 : 0));
      std::string_view text = rest.substr(0, length);
      if (number_ == 0) text = without_mark(text);
      if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
      line = {name(), ++number_, text, ended};
      return true;
    }
    if (at_end_) return false;
    searched = rest.size();
    at_end_ = !source_.more(number_ + 1);
  }
}

}  // namespace platter::workload
