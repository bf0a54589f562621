// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace platter::system {

/// A key or a section of a scenario, or a value of a result, that has another name now. The old name is refused, with the new one in the message.
struct RenamedKey {
  std::string_view old_name;
  std::string_view name;
};

inline constexpr RenamedKey kRenamedKeys[] = {
    {"fault.fails_at_s", "failure.fails_at_s"},
    {"fault.revives_at_s", "failure.revives_at_s"},
    {"fault.replaced", "failure.replaced"},
};

inline constexpr RenamedKey kRenamedStatistics[] = {
    {"scheduler.decisions_compared", "scheduler.operations_compared"},
    {"host.requests_per_cpu_s", "host.decisions_per_cpu_s"},
};

/// The name that a key or section has now, or "" if it was never renamed.
inline std::string new_name(const std::string& key) {
  for (const RenamedKey& renamed : kRenamedKeys) {
    const std::string old_name(renamed.old_name);
    if (key == old_name || key.rfind(old_name + ".", 0) == 0) return std::string(renamed.name) + key.substr(old_name.size());
  }
  return "";
}

}  // namespace platter::system
