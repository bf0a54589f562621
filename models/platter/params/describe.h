// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "platter/params/grammar.h"

namespace platter::params {

/// The effective configuration: every key with its value; file names as the configuration gives them.
nlohmann::json to_json(const Grammar& grammar);
/// The same as TOML, each key with its unit and meaning, those of an array at its first table; file names as absolute paths, so that the file may be
/// stored anywhere. `short_tables`: the other tables of an array have only keys that are not at their defaults.
std::string to_toml(const Grammar& grammar, bool short_tables = false);
/// Only the keys that have a comment, each below its comment. A comment that is also that of the key before is not repeated, and in an array of
/// tables only the first one has comments.
std::string commented_toml(const Grammar& grammar, const std::map<std::string, std::string>& comments);

/// JSON Schema (draft 2020-12) of an object with these keys. The values in the bound object are the defaults.
nlohmann::json schema(const Grammar& grammar);
/// Extends the schema of a whole configuration: each section may also be the name of its file, or start from a file, which may then hold
/// the required keys. `meaning` describes such a name, by section.
void allow_files(nlohmann::json& schema, const std::map<std::string, std::string>& meaning = {});

/// A table of the keys for a reference page, without the arrays.
std::string page_table(const Grammar& grammar);
/// The same for the keys of one element of an array.
std::string page_table(const BoundArray& array);

}  // namespace platter::params
