// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace platter::system {

/// A key or a section of a scenario that has another name now. The old name is refused, with the new one in the message.
struct RenamedKey {
  std::string_view old_name;
  std::string_view name;
};

inline constexpr RenamedKey kRenamedKeys[] = {
    {"fault", "failure"},
};

}  // namespace platter::system
