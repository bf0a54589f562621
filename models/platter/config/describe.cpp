// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "platter/config/loader.h"
#include "platter/config/parameter.h"
#include "platter/core/json_text.h"

namespace platter::config {

using nlohmann::json;

namespace {

/// A field as JSON; file names as they stand in the configuration.
struct ToJson {
  const std::vector<std::string_view>& choices;

  json operator()(const FileName* field) const { return field->text; }
  json operator()(const std::vector<FileName>* field) const {
    json array = json::array();
    for (const FileName& name : *field) array.push_back(name.text);
    return array;
  }
  template <typename T>
  json operator()(const T* field) const {
    if constexpr (std::is_enum_v<T>)
      return choices[static_cast<std::size_t>(*field)];
    else
      return *field;
  }
};

template <typename Object>
json value_of(const Parameter<Object>& parameter, Object& object) {
  return std::visit(ToJson{parameter.choices}, parameter.field(object));
}

json::json_pointer pointer(std::string_view key) {
  std::string path = "/";
  for (const char c : key) path += c == '.' ? '/' : c;
  return json::json_pointer(path);
}

template <typename Object>
json object_to_json(const std::vector<Parameter<Object>>& table, const Object& object) {
  Object copy = object;
  json out = json::object();
  for (const Parameter<Object>& parameter : table) out[pointer(parameter.key)] = value_of(parameter, copy);
  return out;
}

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
  template <typename T>
  json operator()(const T*) const { return {{"type", "string"}}; }  // texts, file names, enumerations
};

template <typename Object>
void add_schema(json& root, const std::vector<Parameter<Object>>& table) {
  Object defaults{};
  for (const Parameter<Object>& parameter : table) {
    json* level = &root;
    std::string_view rest = parameter.key;
    for (std::size_t dot = rest.find('.'); dot != std::string_view::npos; dot = rest.find('.')) {
      json& below = (*level)["properties"][std::string(rest.substr(0, dot))];
      if (below.is_null()) below = {{"type", "object"}, {"additionalProperties", false}};
      level = &below;
      rest.remove_prefix(dot + 1);
    }
    json entry = std::visit(SchemaOf{}, parameter.field(defaults));
    entry["description"] = std::string(parameter.description) +
                           (parameter.unit.empty() ? "" : " [" + std::string(parameter.unit) + "]");
    if (!std::isinf(parameter.minimum)) entry["minimum"] = parameter.minimum;
    if (!std::isinf(parameter.maximum)) entry["maximum"] = parameter.maximum;
    if (!parameter.choices.empty()) entry["enum"] = parameter.choices;
    if (parameter.required)
      (*level)["required"].push_back(rest);
    else
      entry["default"] = value_of(parameter, defaults);
    (*level)["properties"][std::string(rest)] = entry;
  }
}

/// A section may be the name of its file, or start from a file, which then may hold what is required.
void allow_files(json& schema) {
  for (auto& [key, section] : schema["properties"].items()) {
    if (section.value("type", "") != "object") continue;
    allow_files(section);
    section.erase("required");
    section["properties"]["file"] = {{"type", "string"}, {"description", "file to start from"}};
    const std::string what = key == "drive" ? "name or file of a profile" : "file that holds the section";
    section = json{{"oneOf", {{{"type", "string"}, {"description", what}}, section}}};
  }
}

json schema_head(const std::string& title) {
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
          {"title", title},
          {"type", "object"},
          {"additionalProperties", false}};
}

// --- page ------------------------------------------------------------------------------------------------------------

template <typename Object>
std::string page_table(const std::vector<Parameter<Object>>& table) {
  std::string text = "| key | unit | default | range | meaning |\n| --- | --- | --- | --- | --- |\n";
  Object defaults{};
  for (const Parameter<Object>& p : table) {
    std::string range;
    for (const std::string_view choice : p.choices) range += (range.empty() ? "" : ", ") + std::string(choice);
    if (!std::isinf(p.minimum) && !std::isinf(p.maximum))
      range = fmt::format("{:g} to {:g}", p.minimum, p.maximum);
    else if (!std::isinf(p.minimum))
      range = fmt::format("from {:g}", p.minimum);
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", p.key, p.unit,
                        p.required ? "required" : "`" + core::json_text(value_of(p, defaults), -1) + "`", range, p.description);
  }
  return text;
}

// --- TOML ------------------------------------------------------------------------------------------------------------

/// A file name that holds wherever the dump is put.
std::string whole_path(const FileName& name) {
  return name.empty() ? "" : std::filesystem::absolute(name.path).lexically_normal().string();
}

template <typename Object>
void dump_table(const std::vector<Parameter<Object>>& table, const std::string& prefix, Object& object,
                std::string& text) {
  std::string section = "?";
  for (const Parameter<Object>& p : table) {
    const std::size_t dot = p.key.rfind('.');
    std::string own = prefix;
    if (dot != std::string_view::npos) own += (own.empty() ? "" : ".") + std::string(p.key.substr(0, dot));
    if (own != section) {
      if (!own.empty()) text += fmt::format("\n[{}]\n", own);
      section = own;
    }
    json value = value_of(p, object);
    const Field field = p.field(object);
    if (const auto* file = std::get_if<FileName*>(&field)) value = whole_path(**file);
    if (const auto* files = std::get_if<std::vector<FileName>*>(&field)) {
      value = json::array();
      for (const FileName& name : **files) value.push_back(whole_path(name));
    }
    text += fmt::format("{} = {}  # {}{}\n", p.key.substr(dot == std::string_view::npos ? 0 : dot + 1), core::json_text(value, -1),
                        p.unit.empty() ? "" : "[" + std::string(p.unit) + "] ", p.description);
  }
}

}  // namespace

json drive_configuration(const mechanics::DriveProfile& profile) {
  json out = object_to_json(drive_parameters(), profile);
  for (const mechanics::ZoneProfile& zone : profile.geometry.zones)
    out["geometry"]["zone"].push_back(object_to_json(zone_parameters(), zone));
  return out;
}

namespace {

template <typename Object>
json with_drive(const std::vector<Parameter<Object>>& table, const Object& object) {
  json out = object_to_json(table, object);
  out["drive"] = drive_configuration(object.drive);
  return out;
}

/// An array of tables as TOML, `[[key]]` each.
template <typename Element>
std::string dump_tables(const std::string& key, const std::vector<Parameter<Element>>& table, std::vector<Element> elements) {
  std::string text;
  for (Element& element : elements) {
    std::string lines;
    dump_table(table, "element", element, lines);
    text += fmt::format("\n[[{}]]\n{}", key, lines.substr(lines.find("]\n") + 2));
  }
  return text;
}

template <typename Object>
std::string dump_with_drive(const std::vector<Parameter<Object>>& table, const Object& object) {
  Object copy = object;
  std::string text;
  dump_table(table, "", copy, text);
  text += "\n[drive]\nformat = 1\n";
  std::string drive;
  dump_table(drive_parameters(), "drive", copy.drive, drive);
  text += drive.substr(drive.find("]\n") + 2);
  return text + dump_tables("drive.geometry.zone", zone_parameters(), copy.drive.geometry.zones);
}

}  // namespace

json effective_configuration(const Scenario& scenario) { return with_drive(scenario_parameters(), scenario); }
json effective_configuration(const ServerScenario& scenario) { return with_drive(server_parameters(), scenario); }
json effective_configuration(const MixedServerScenario& scenario) { return with_drive(mixed_server_parameters(), scenario); }
json effective_configuration(const QosScenario& scenario) {
  json out = with_drive(qos_parameters(), scenario);
  for (const QosStream& stream : scenario.streams) out["stream"].push_back(object_to_json(qos_stream_parameters(), stream));
  return out;
}

std::string dump_scenario(const Scenario& scenario) { return dump_with_drive(scenario_parameters(), scenario); }
std::string dump_scenario(const ServerScenario& scenario) { return dump_with_drive(server_parameters(), scenario); }
std::string dump_scenario(const MixedServerScenario& scenario) { return dump_with_drive(mixed_server_parameters(), scenario); }
std::string dump_scenario(const QosScenario& scenario) {
  return dump_with_drive(qos_parameters(), scenario) + dump_tables("stream", qos_stream_parameters(), scenario.streams);
}

std::string dump_drive(const mechanics::DriveProfile& profile) {
  mechanics::DriveProfile copy = profile;
  std::string text = "format = 1\n";
  dump_table(drive_parameters(), "", copy, text);
  return text + dump_tables("geometry.zone", zone_parameters(), copy.geometry.zones);
}

namespace {

/// Of an array of at least one table.
template <typename Element>
json schema_of_tables(const std::vector<Parameter<Element>>& table) {
  json one = {{"type", "object"}, {"additionalProperties", false}};
  add_schema(one, table);
  return {{"type", "array"}, {"items", one}, {"minItems", 1}};
}

}  // namespace

json drive_schema() {
  json schema = schema_head("Platter drive profile");
  add_schema(schema, drive_parameters());
  schema["properties"]["format"] = {{"const", 1}};
  schema["properties"]["geometry"]["properties"]["zone"] = schema_of_tables(zone_parameters());
  schema["properties"]["geometry"]["required"].push_back("zone");
  schema["required"].push_back("format");
  return schema;
}

namespace {

template <typename Object>
json schema_with_drive(const std::string& title, const std::vector<Parameter<Object>>& table) {
  json schema = schema_head(title);
  add_schema(schema, table);
  json drive = drive_schema();
  drive.erase("$schema");
  drive.erase("title");
  schema["properties"]["drive"] = drive;
  allow_files(schema);
  schema["required"].push_back("drive");
  return schema;
}

}  // namespace

json scenario_schema() { return schema_with_drive("Platter scenario", scenario_parameters()); }
json server_schema() { return schema_with_drive("Platter media server", server_parameters()); }
json mixed_server_schema() { return schema_with_drive("Platter server of text and video", mixed_server_parameters()); }
json qos_schema() {
  json schema = schema_with_drive("Platter AutoQoS scenario", qos_parameters());
  schema["properties"]["stream"] = schema_of_tables(qos_stream_parameters());
  schema["required"].push_back("stream");
  return schema;
}

std::string reference_page() {
  std::string text =
      "# Configuration\n\n"
      "Made by `platter config reference` from the tables that the loader itself uses; a test holds the two together. "
      "The same tables give the JSON Schemas in `models/configs/schema/`.\n\n"
      "A scenario is a TOML file. A section stands inline or is the name of a file, relative to the file that names it; a "
      "section with a key `file` starts from that file and overrides it. `drive` is the name of a shipped profile "
      "(`platter list drives`), a file, or a table with `file`. `--set KEY=VALUE` overrides any key. An unknown key is an "
      "error with file, line, column and the nearest valid name.\n\n## Scenario\n\n";
  text += page_table(scenario_parameters());
  text += "\n## Media server\n\nFor `platter server`, by the same rules; rounds last 1 s ([rules](media_server.md)).\n\n";
  text += page_table(server_parameters());
  text += "\n## Server of text and video\n\nFor `platter server mixed`, by the same rules ([rules](mixed_server.md)).\n\n";
  text += page_table(mixed_server_parameters());
  text += "\n## AutoQoS\n\nFor `platter qos`, by the same rules ([rules](autoqos.md)).\n\n";
  text += page_table(qos_parameters());
  text += "\n### `[[stream]]`, one for each stream\n\n";
  text += page_table(qos_stream_parameters());
  text += "\n## Drive profile\n\nIn a profile as they stand, in a scenario or a server below `drive.`; a profile also has `format = 1`.\n\n";
  text += page_table(drive_parameters());
  text += "\n### `[[geometry.zone]]`, one for each zone\n\n";
  text += page_table(zone_parameters());
  return text;
}

}  // namespace platter::config
