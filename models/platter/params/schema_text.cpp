// SPDX-License-Identifier: Apache-2.0
#include "platter/params/schema_text.h"

#include <fmt/format.h>

#include <map>

#include "platter/core/json_text.h"

namespace platter::params {

using nlohmann::json;

namespace {

constexpr std::size_t kSchemaColumns = 240;
constexpr std::size_t kMinLength = 80;  ///< what is shorter is repeated

/// Calls `visit` with the name and the value of each schema that is part of this one.
template <typename Schema, typename Visit>
void for_each_part(Schema& schema, Visit visit) {
  if (!schema.is_object()) return;
  if (const auto found = schema.find("properties"); found != schema.end())
    for (auto& [key, value] : found->items()) visit(key, value);
  for (const char* key : {"items", "additionalProperties", "if", "then", "else"})
    if (const auto found = schema.find(key); found != schema.end() && found->is_object()) visit(key, *found);
  for (const char* key : {"oneOf", "anyOf", "allOf"})
    if (const auto found = schema.find(key); found != schema.end())
      for (auto& value : *found) visit(key, value);
}

class Definitions {
 public:
  /// Precondition: `schema` is an object.
  explicit Definitions(json& schema) {
    json given = schema.value("$defs", json::object());
    count(schema);
    for (const auto& [name, definition] : given.items()) {
      count(definition);
      numbers_[name] = 1;
    }
    share(schema);
    for (auto& [name, definition] : given.items()) share(definition);
    all.update(given);
  }

  json all = json::object();  ///< by name

 private:
  void share(json& schema) {
    for_each_part(schema, [this](const std::string& key, json& part) {
      const std::string text = core::json_text(part, -1);
      if (uses_.at(text) < 2 || text.size() < kMinLength) {
        share(part);
        return;
      }
      const auto [name, is_new] = names_.try_emplace(text);
      if (is_new) {
        const unsigned number = ++numbers_[key];
        name->second = number == 1 ? key : fmt::format("{}_{}", key, number);
        share(part);
        all[name->second] = std::move(part);
      }
      part = {{"$ref", "#/$defs/" + name->second}};
    });
  }

  void count(const json& schema) {
    for_each_part(schema, [this](const std::string&, const json& part) {
      if (++uses_[core::json_text(part, -1)] == 1) count(part);
    });
  }

  std::map<std::string, unsigned> uses_;  // by text
  std::map<std::string, std::string> names_;
  std::map<std::string, unsigned> numbers_;  // of definitions, by key
};

void append(std::string& out, const json& value, std::size_t indent, std::size_t used) {
  const std::string line = core::json_text(value, -1);
  if (!value.is_structured() || value.empty() || used + line.size() <= kSchemaColumns) {
    out += line;
    return;
  }
  const bool object = value.is_object();
  out += object ? '{' : '[';
  const char* separator = "\n";
  for (const auto& [key, inner] : value.items()) {
    const std::string begin = std::string(indent + 1, ' ') + (object ? json(key).dump() + ": " : "");
    out += separator + begin;
    append(out, inner, indent + 1, begin.size());
    separator = ",\n";
  }
  out += "\n" + std::string(indent, ' ') + (object ? '}' : ']');
}

}  // namespace

std::string schema_text(const json& schema) {
  json shared = schema;
  Definitions definitions(shared);
  if (!definitions.all.empty()) shared["$defs"] = std::move(definitions.all);
  std::string text;
  append(text, shared, 0, 0);
  return text;
}

}  // namespace platter::params
