// SPDX-License-Identifier: Apache-2.0
#include "platter/params/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "platter/core/json_text.h"

namespace platter::params {

using nlohmann::json;

namespace {

json value_of(const BoundRow& bound) {
  return std::visit(
      [&bound](const auto& field) -> json {
        using Type = std::decay_t<decltype(field)>;
        if constexpr (std::is_same_v<Type, Choice>) {
          return bound.row->choices[field.get()];
        } else if constexpr (std::is_same_v<Type, Names>) {
          json names = json::array();
          for (std::size_t i = 0; i < bound.row->choices.size(); ++i)
            if ((*field.sum >> i & 1) != 0) names.push_back(bound.row->choices[i]);
          return names;
        } else if constexpr (std::is_same_v<Type, Notated>) {
          return field.text();
        } else if constexpr (std::is_same_v<Type, NumberRows>) {
          json rows = json::array();
          for (const std::vector<double>& row : field.rows()) {
            json numbers = json::array();
            for (const double value : row) {
              if (value == std::trunc(value) && std::abs(value) < 0x1p53)
                numbers.push_back(static_cast<std::int64_t>(value));
              else
                numbers.push_back(value);
            }
            rows.push_back(std::move(numbers));
          }
          return rows;
        } else if constexpr (std::is_same_v<Type, FileName*>) {
          return field->text;
        } else if constexpr (std::is_same_v<Type, std::vector<FileName>*>) {
          json names = json::array();
          for (const FileName& name : *field) names.push_back(name.text);
          return names;
        } else {
          return *field;
        }
      },
      bound.field);
}

json::json_pointer pointer(const std::string& key) {
  std::string path = "/";
  for (const char c : key) path += c == '.' ? '/' : c;
  return json::json_pointer(path);
}

/// A key's section and its name within it.
std::pair<std::string, std::string> section_and_name(const std::string& key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string::npos ? std::pair{std::string(), key} : std::pair{key.substr(0, dot), key.substr(dot + 1)};
}

/// A row's key relative to the array of its element.
std::string own_key(const BoundArray& array, const BoundRow& bound) { return bound.key.substr(array.key.size() + 1); }

// --- schema ----------------------------------------------------------------------------------------------------------

struct SchemaOf {
  json operator()(const bool*) const { return {{"type", "boolean"}}; }
  json operator()(const std::int64_t*) const { return {{"type", "integer"}}; }
  json operator()(const std::uint32_t*) const { return {{"type", "integer"}, {"minimum", 0}}; }
  json operator()(const double*) const { return {{"type", "number"}}; }
  json operator()(const std::vector<FileName>*) const { return {{"type", "array"}, {"items", {{"type", "string"}}}}; }
  json operator()(const std::vector<std::uint32_t>*) const {
    return {{"type", "array"}, {"items", {{"type", "integer"}, {"minimum", 0}}}};
  }
  json operator()(const std::vector<double>*) const { return {{"type", "array"}, {"items", {{"type", "number"}}}}; }
  template <typename T>
  json operator()(const std::vector<std::pair<std::uint32_t, T>>*) const {
    return {{"type", "array"},
            {"items", {{"type", "array"}, {"items", {{"type", "number"}}}, {"minItems", 2}, {"maxItems", 2}}}};
  }
  json operator()(const std::string*) const { return {{"type", "string"}}; }
  json operator()(const FileName*) const { return {{"type", "string"}}; }
  json operator()(const Choice&) const { return {{"type", "string"}}; }
  json operator()(const Names&) const { return {{"type", "array"}, {"items", {{"type", "string"}}}, {"uniqueItems", true}}; }
  json operator()(const Notated& field) const {
    if (field.numbers) return {{"type", {"string", "integer"}}};
    return {{"type", "string"}};
  }
  json operator()(const NumberRows&) const {
    return {{"type", "array"}, {"items", {{"type", "array"}, {"items", {{"type", "number"}}}}}};
  }
};

json closed_object() { return {{"type", "object"}, {"additionalProperties", false}}; }

/// The object that holds the last part of a key; created if necessary.
json* parent_of(json& root, const std::string& key, std::string& last) {
  json* level = &root;
  std::size_t begin = 0;
  for (std::size_t dot = key.find('.'); dot != std::string::npos; dot = key.find('.', begin)) {
    json& below = (*level)["properties"][key.substr(begin, dot - begin)];
    if (below.is_null()) below = closed_object();
    level = &below;
    begin = dot + 1;
  }
  last = key.substr(begin);
  return level;
}

void add_to_schema(json& root, const std::string& key, const BoundRow& bound) {
  const Row& row = *bound.row;
  std::string last;
  json& level = *parent_of(root, key, last);
  json entry = std::visit(SchemaOf{}, bound.field);
  entry["description"] = std::string(row.description) + (row.unit.empty() ? "" : " [" + std::string(row.unit) + "]");
  if (!std::isinf(row.range.minimum)) entry["minimum"] = row.range.minimum;
  if (!std::isinf(row.range.maximum)) entry["maximum"] = row.range.maximum;
  if (!row.choices.empty()) (entry.contains("items") ? entry["items"] : entry)["enum"] = row.choices;
  if (!row.pattern.expression.empty()) entry["pattern"] = row.pattern.expression;
  if (row.required)
    level["required"].push_back(last);
  else
    entry["default"] = value_of(bound);
  level["properties"][last] = entry;
}

/// Takes out of a schema which keys are required, and gives it as a schema of its own; null if there are none.
json take_required(json& schema) {
  json taken;
  if (schema.contains("required")) {
    taken["required"] = schema["required"];
    schema.erase("required");
  }
  if (schema.contains("properties"))
    for (auto& [key, value] : schema["properties"].items())
      if (json below = take_required(value); !below.is_null()) taken["properties"][key] = below;
  if (schema.contains("items"))
    if (json below = take_required(schema["items"]); !below.is_null()) taken["items"] = below;
  return taken;
}

// --- TOML ------------------------------------------------------------------------------------------------------------

/// An absolute file name, valid wherever the dump is stored.
std::string whole_path(const FileName& name) {
  if (name.is_standard_input()) return name.text;
  return name.empty() ? "" : std::filesystem::absolute(name.path).lexically_normal().string();
}

json dumped_value(const BoundRow& bound) {
  if (const auto* file = std::get_if<FileName*>(&bound.field)) return whole_path(**file);
  if (const auto* files = std::get_if<std::vector<FileName>*>(&bound.field)) {
    json names = json::array();
    for (const FileName& name : **files) names.push_back(whole_path(name));
    return names;
  }
  return value_of(bound);
}

void add_line(std::string& text, const std::string& key, const BoundRow& bound, bool explained) {
  const Row& row = *bound.row;
  const std::string comment = !explained         ? ""
                              : row.unit.empty() ? fmt::format("  # {}", row.description)
                                                 : fmt::format("  # [{}] {}", row.unit, row.description);
  const json value = dumped_value(bound);
  if (std::holds_alternative<NumberRows>(bound.field) && !value.empty()) {  // a line for each row
    text += fmt::format("{} = [{}\n", key, comment);
    for (const json& numbers : value) text += fmt::format("  {},\n", core::json_text(numbers, -1));
    text += "]\n";
    return;
  }
  text += fmt::format("{} = {}{}\n", key, core::json_text(value, -1), comment);
}

constexpr std::size_t kProfileColumns = 150;

/// Lines of comment, wrapped at spaces.
std::string commented(const std::string& comment) {
  std::string text;
  std::string line = "#";
  for (std::size_t begin = 0; begin < comment.size();) {
    const std::size_t end = std::min(comment.find(' ', begin), comment.size());
    if (line.size() + 1 + (end - begin) > kProfileColumns) {
      text += line + "\n";
      line = "#";
    }
    line += " " + comment.substr(begin, end - begin);
    begin = end + 1;
  }
  return text + line + "\n";
}

/// A key and its value; the elements of a long array are on several lines.
std::string wrapped_value(const std::string& key, const json& value) {
  std::string line = fmt::format("{} = {}\n", key, core::json_text(value, -1));
  if (!value.is_array() || line.size() <= kProfileColumns) return line;
  std::string text = key + " = [\n";
  std::string row = " ";
  for (const json& element : value) {
    const std::string shown = core::json_text(element, -1) + ",";
    if (row.size() + 1 + shown.size() > kProfileColumns) {
      text += row + "\n";
      row = " ";
    }
    row += " " + shown;
  }
  return text + row + "\n]\n";
}

/// The sections of a file. `add` appends a key to a text. A section without a key is left out; `further` has more text for sections.
template <typename Add>
std::string sections_text(const Grammar& grammar, const Add& add, const std::map<std::string, std::string>& further = {}) {
  // A section's keys may come from several modules, and those at the top of the file come first.
  std::vector<std::string> sections{""};
  std::map<std::string, std::string> text;
  for (const BoundRow& bound : grammar.rows()) {
    const auto [section, name] = section_and_name(bound.key);
    if (text.count(section) == 0 && !section.empty()) sections.push_back(section);
    add(text[section], name, bound);
  }
  for (const auto& [section, more] : further) text[section] += more;
  std::string whole;
  for (const std::string& section : sections)
    if (!text[section].empty()) whole += (section.empty() ? "" : "\n[" + section + "]\n") + text[section];
  return whole;
}

// --- page ------------------------------------------------------------------------------------------------------------

constexpr const char* kPageHead = "| key | unit | default | range | meaning |\n| --- | --- | --- | --- | --- |\n";

std::string page_line(const std::string& key, const BoundRow& bound) {
  const Row& row = *bound.row;
  std::string range;
  for (const std::string_view choice : row.choices) range += (range.empty() ? "" : ", ") + std::string(choice);
  if (!std::isinf(row.range.minimum) && !std::isinf(row.range.maximum))
    range = fmt::format("{:.10g} to {:.10g}", row.range.minimum, row.range.maximum);
  else if (!std::isinf(row.range.minimum))
    range = fmt::format("from {:.10g}", row.range.minimum);
  return fmt::format("| `{}` | {} | {} | {} | {} |\n", key, row.unit,
                     row.required ? "required" : "`" + core::json_text(value_of(bound), -1) + "`", range, row.description);
}

}  // namespace

json to_json(const Grammar& grammar) {
  json out = json::object();
  for (const BoundRow& bound : grammar.rows()) out[pointer(bound.key)] = value_of(bound);
  for (const BoundArray& array : grammar.arrays())
    for (const std::vector<BoundRow>& element : array.elements()) {
      json one = json::object();
      for (const BoundRow& bound : element) one[pointer(own_key(array, bound))] = value_of(bound);
      out[pointer(array.key)].push_back(one);
    }
  return out;
}

std::string to_toml(const Grammar& grammar, bool short_tables) {
  std::string whole = sections_text(
      grammar, [](std::string& text, const std::string& key, const BoundRow& bound) { add_line(text, key, bound, true); });
  for (const BoundArray& array : grammar.arrays()) {
    const std::vector<BoundRow> defaults = array.example();
    bool first = true;
    for (const std::vector<BoundRow>& element : array.elements()) {
      whole += fmt::format("\n[[{}]]\n", array.key);
      for (std::size_t i = 0; i < element.size(); ++i)
        if (first || !short_tables || element[i].row->required || value_of(element[i]) != value_of(defaults[i]))
          add_line(whole, own_key(array, element[i]), element[i], first);
      first = false;
    }
  }
  return whole;
}

std::string commented_toml(const Grammar& grammar, const std::map<std::string, std::string>& comments) {
  std::string last;  // comment
  const auto add_comment = [&last](std::string& text, const std::string& comment) {
    if (!comment.empty() && comment != last) text += commented(comment);
    last = comment;
  };
  std::map<std::string, std::string> arrays;  // by the section of their key
  for (const BoundArray& array : grammar.arrays()) {
    std::string head, tables;
    for (const std::vector<BoundRow>& element : array.elements()) {
      std::string keys;
      for (const BoundRow& bound : element) {
        const auto comment = comments.find(bound.key);
        if (comment == comments.end()) continue;
        if (tables.empty()) add_comment(head, comment->second);
        keys +=
            fmt::format("{}{} = {}", keys.empty() ? "" : ", ", own_key(array, bound), core::json_text(dumped_value(bound), -1));
      }
      tables += fmt::format("  {{ {} }},\n", keys);
    }
    const auto [section, name] = section_and_name(array.key);
    if (!tables.empty()) arrays[section] += fmt::format("{}{} = [\n{}]\n", head, name, tables);
  }
  last.clear();
  return sections_text(
      grammar,
      [&](std::string& text, const std::string& key, const BoundRow& bound) {
        const auto comment = comments.find(bound.key);
        if (comment == comments.end()) return;
        add_comment(text, comment->second);
        text += wrapped_value(key, dumped_value(bound));
      },
      arrays);
}

json schema(const Grammar& grammar) {
  json root = closed_object();
  for (const BoundRow& bound : grammar.rows()) add_to_schema(root, bound.key, bound);
  for (const BoundArray& array : grammar.arrays()) {
    json one = closed_object();
    for (const BoundRow& bound : array.example()) add_to_schema(one, own_key(array, bound), bound);
    std::string last;
    json& level = *parent_of(root, array.key, last);
    level["properties"][last] = {{"type", "array"}, {"items", one}, {"minItems", 1}};
    if (array.required) level["required"].push_back(last);
  }
  for (const RequiredSection& section : grammar.required()) root["required"].push_back(section.key);
  for (const SectionWithBase& section : grammar.with_base())
    if (section.key.empty()) {  // a section of a larger configuration has a base in its own file only
      const json otherwise = take_required(root);
      root["properties"]["base"] = {{"type", "string"}, {"description", section.meaning}};
      root["if"] = {{"required", {"base"}}};
      root["else"] = otherwise;
    }
  return root;
}

void allow_files(json& schema, const std::map<std::string, std::string>& meaning) {
  for (auto& [key, section] : schema["properties"].items()) {
    if (section.value("type", "") != "object") continue;
    allow_files(section);
    section.erase("required");
    section["properties"]["file"] = {{"type", "string"}, {"description", "file to start from"}};
    const auto said = meaning.find(key);
    section =
        json{{"oneOf",
              {{{"type", "string"}, {"description", said != meaning.end() ? said->second : "file that holds the section"}},
               section}}};
  }
}

std::string page_table(const Grammar& grammar) {
  std::string text = kPageHead;
  for (const SectionWithBase& section : grammar.with_base())
    if (section.key.empty()) text += fmt::format("| `base` |  | `\"\"` |  | {} |\n", section.meaning);
  for (const BoundRow& bound : grammar.rows()) text += page_line(bound.key, bound);
  return text;
}

std::string page_table(const BoundArray& array) {
  std::string text = kPageHead;
  for (const BoundRow& bound : array.example()) text += page_line(own_key(array, bound), bound);
  return text;
}

}  // namespace platter::params
