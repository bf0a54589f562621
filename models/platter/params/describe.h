// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "platter/params/grammar.h"

namespace platter::params {

/// The effective configuration: every key with its value; file names as they stand there.
nlohmann::json to_json(const Grammar& grammar);
/// The same as TOML, each key with its unit and meaning; file names as absolute paths, so that it may stand anywhere.
std::string to_toml(const Grammar& grammar);

/// JSON Schema (draft 2020-12) of an object with these keys, of which the values in the bound object are the defaults.
nlohmann::json schema(const Grammar& grammar);
/// In a schema of a whole configuration: each section may be the name of its file, or start from a file, which then may hold what is required.
/// `meaning` says what such a name is, by section.
void allow_files(nlohmann::json& schema, const std::map<std::string, std::string>& meaning = {});

/// A table of the keys for a page, arrays left out.
std::string page_table(const Grammar& grammar);
/// The same of the keys of one element.
std::string page_table(const BoundArray& array);

}  // namespace platter::params
