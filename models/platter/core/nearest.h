// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace platter::core {

/// The candidate with the least edit distance to `name` (case ignored), "" if no candidate is close enough.
std::string nearest_name(std::string_view name, const std::vector<std::string_view>& candidates);

/// " (did you mean X?)", or "" if no candidate is close enough.
std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& candidates);

}  // namespace platter::core
