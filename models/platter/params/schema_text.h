// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace platter::params {

/// A JSON Schema as text. What stands in it several times is written once, under `$defs`, by the name of the key that has it first. A
/// value that fits into a line has one.
std::string schema_text(const nlohmann::json& schema);

}  // namespace platter::params
