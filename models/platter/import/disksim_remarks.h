// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "platter/core/error.h"
#include "platter/import/disksim_import.h"
#include "platter/import/disksim_syntax.h"

namespace platter::disksim {

using Problems = std::vector<core::ConfigProblem>;
using Remarks = std::vector<Remark>;

inline void report(Problems& problems, const Place& place, std::string_view key, const std::string& message) {
  problems.push_back({*place.file, place.line, place.column, std::string(key), message});
}

inline void remark(Remarks& remarks, Remark::Kind kind, const Place& place, std::string_view key, const std::string& value,
                   const std::string& why) {
  remarks.push_back({kind, *place.file, place.line, place.column, std::string(key), value, why});
}

/// Makes text safe for a comment in a profile: replaces invalid UTF-8 and control characters. File names may hold any bytes, but a profile
/// is UTF-8 text and a comment ends with its line.
std::string plain(const std::string& text);
/// A file's name relative to the folder of the first file, so that the profile does not depend on where its sources are stored.
std::string relative_name(const std::string& file, const Import& import);

}  // namespace platter::disksim
