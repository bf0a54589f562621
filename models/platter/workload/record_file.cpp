// SPDX-License-Identifier: Apache-2.0
#include "platter/workload/record_file.h"

#include <fmt/format.h>

namespace platter::workload {

bool RecordFile::have(std::size_t bytes) {
  while (source_.rest().size() < bytes)
    if (!source_.more(number_)) return false;
  return true;
}

bool RecordFile::next(SourceLine& record) {
  record = {source_.name(), ++number_, {}, true, static_cast<std::int64_t>(source_.offset())};
  const auto take = [&](std::size_t bytes) {
    if (!have(bytes))
      record.fail(0, fmt::format("{} bytes are left, expected a record of {} bytes{}: the file is cut short",
                                 source_.rest().size(), bytes, bytes == parser_.head_bytes() ? " or more" : ""));
    record.text = source_.rest().substr(0, bytes);
  };
  if (!have(1)) return false;
  take(parser_.head_bytes());
  take(parser_.record_bytes(record));
  source_.consume(record.text.size());
  return true;
}

}  // namespace platter::workload
