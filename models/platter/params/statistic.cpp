// SPDX-License-Identifier: Apache-2.0
#include "platter/params/statistic.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "platter/core/json_text.h"

namespace platter::params {

using nlohmann::json;

namespace {

json json_of(const StatisticValue& value) {
  return std::visit(
      [](const auto& held) -> json {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::monostate>) {
          return nullptr;
        } else if constexpr (std::is_same_v<Held, std::shared_ptr<const json>>) {
          return *held;
        } else if constexpr (std::is_same_v<Held, std::vector<std::optional<double>>>) {
          json array = json::array();
          for (const std::optional<double>& element : held) array.push_back(element ? json(*element) : json());
          return array;
        } else {
          return held;
        }
      },
      value);
}

/// The values of one row as JSON.
class JsonSink : public StatisticSinkIf {
 public:
  explicit JsonSink(StatisticRow::Kind kind) : kind_(kind) {}

  void value(StatisticValue value) override {
    out_ = json_of(value);
    given_ = true;
  }
  void present() override {
    out_ = kind_ == StatisticRow::Kind::List ? json::array() : json::object();
    given_ = true;
  }
  void object(std::string_view name, const StatisticTable& table, const void* object) override {
    json inner = to_json(table, object);
    given_ = true;
    switch (kind_) {
      case StatisticRow::Kind::List: out_.push_back(std::move(inner)); break;
      case StatisticRow::Kind::ByName: out_[std::string(name)] = std::move(inner); break;
      default: out_ = std::move(inner); break;
    }
  }
  bool given() const { return given_; }
  json take() { return std::move(out_); }

 private:
  StatisticRow::Kind kind_;
  json out_;
  bool given_ = false;
};

json schema_of(const ValueType& type) {
  json schema = std::visit(
      [](const auto& example) -> json {
        using Held = std::decay_t<decltype(example)>;
        json whole = {{"type", "integer"}, {"minimum", 0}};
        if constexpr (std::is_same_v<Held, bool>) return {{"type", "boolean"}};
        if constexpr (std::is_same_v<Held, std::int64_t>) return {{"type", "integer"}};
        if constexpr (std::is_same_v<Held, std::uint64_t>) return whole;
        if constexpr (std::is_same_v<Held, double>) return {{"type", "number"}};
        if constexpr (std::is_same_v<Held, std::string>) return {{"type", "string"}};
        if constexpr (std::is_same_v<Held, std::vector<std::uint64_t>>) return {{"type", "array"}, {"items", whole}};
        if constexpr (std::is_same_v<Held, std::vector<double>>) return {{"type", "array"}, {"items", {{"type", "number"}}}};
        if constexpr (std::is_same_v<Held, std::vector<std::optional<double>>>)
          return {{"type", "array"}, {"items", {{"type", {"number", "null"}}}}};
        return json::object();
      },
      type.example);
  if (type.nullable) schema["type"] = {schema["type"], "null"};
  if (type.length > 0) schema["minItems"] = schema["maxItems"] = type.length;
  return schema;
}

}  // namespace

json to_json(const StatisticTable& table, const void* object) {
  json out = json::object();
  for (std::size_t i = 0; i < table.rows().size(); ++i) {
    JsonSink sink(table.rows()[i].kind);
    table.fill(i, object, sink);
    if (sink.given()) out[std::string(table.rows()[i].name)] = sink.take();
  }
  return out;
}

json schema(const StatisticTable& table) {
  json object = {
      {"type", "object"}, {"additionalProperties", false}, {"properties", json::object()}, {"required", json::array()}};
  for (const StatisticRow& row : table.rows()) {
    json entry;
    switch (row.kind) {
      case StatisticRow::Kind::Value: entry = schema_of(row.type); break;
      case StatisticRow::Kind::Group: entry = schema(*row.table); break;
      case StatisticRow::Kind::ByName: entry = {{"type", "object"}, {"additionalProperties", schema(*row.table)}}; break;
      case StatisticRow::Kind::List: entry = {{"type", "array"}, {"items", schema(*row.table)}}; break;
    }
    std::string said(row.description);
    if (!row.reduction.empty()) said += (said.empty() ? "" : "; ") + std::string(row.reduction);
    if (!row.unit.empty()) said += (said.empty() ? "[" : " [") + std::string(row.unit) + "]";
    if (!said.empty()) entry["description"] = said;
    object["properties"][std::string(row.name)] = std::move(entry);
    if (!row.optional) object["required"].push_back(row.name);
  }
  return object;
}

namespace {

void add_to_page(const StatisticTable& table, const std::string& prefix, std::string& text) {
  for (const StatisticRow& row : table.rows()) {
    std::string name = prefix + std::string(row.name);
    if (row.kind == StatisticRow::Kind::ByName) name += ".NAME";
    if (row.kind == StatisticRow::Kind::List) name += "[]";
    text += fmt::format("| `{}` | {} | {} | {} |\n", name, row.unit, row.reduction, row.description);
    if (row.table != nullptr) add_to_page(*row.table, name + ".", text);
  }
}

/// A row with a heading, and the path to its value.
struct Shown {
  const StatisticRow* row;
  json::json_pointer where;
};
/// Finds the rows of one table; a group with a heading of its own has another table.
void find_shown(const StatisticTable& table, const json::json_pointer& prefix, std::vector<Shown>& found) {
  for (const StatisticRow& row : table.rows()) {
    const json::json_pointer where = prefix / std::string(row.name);
    if (row.kind == StatisticRow::Kind::Value && !row.column.heading.empty()) found.push_back({&row, where});
    if (row.kind == StatisticRow::Kind::Group && !row.optional && row.column.heading.empty())
      find_shown(*row.table, where, found);
  }
}

/// What the screen shows for null.
constexpr std::string_view kNone = "–";

/// Columns that a text takes on the screen; it is UTF-8.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string number(const json& value, const StatisticRow& row) {
  if (value.is_null()) return std::string(kNone);
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{:.{}f}", value.get<double>(), row.column.decimals);
  return core::json_text(value, -1);
}

/// A table with a line for each of several objects with the same rows: its name, and the values of the rows with a heading.
class ScreenTable {
 public:
  /// `where`: path of the rows in each object.
  ScreenTable(std::string_view heading, const StatisticTable& table, const json::json_pointer& where) {
    find_shown(table, where, shown_);
    std::vector<std::string> head{std::string(heading)};
    for (const Shown& column : shown_)
      head.push_back(std::string(column.row->column.heading) +
                     (column.row->unit.empty() ? "" : " " + std::string(column.row->unit)));
    lines_.push_back(std::move(head));
  }

  /// Nothing where the object has none of the values.
  void add(const std::string& name, const json& object) {
    if (std::none_of(shown_.begin(), shown_.end(), [&](const Shown& column) { return object.contains(column.where); })) return;
    std::vector<std::string> line{name};
    for (const Shown& column : shown_)
      line.push_back(object.contains(column.where) ? number(object.at(column.where), *column.row) : "");
    lines_.push_back(std::move(line));
  }
  std::string text() const {
    if (shown_.empty() || lines_.size() == 1) return {};
    std::vector<std::size_t> width(lines_[0].size());
    for (const auto& line : lines_)
      for (std::size_t i = 0; i < line.size(); ++i) width[i] = std::max(width[i], width_of(line[i]));
    std::string text;
    for (const auto& line : lines_) {
      text += fmt::format("{:<{}}", line[0], width[0]);
      for (std::size_t i = 1; i < line.size(); ++i) text += fmt::format("  {:>{}}", line[i], width[i]);
      text += '\n';
    }
    return text + "\n";
  }

 private:
  std::vector<Shown> shown_;
  std::vector<std::vector<std::string>> lines_;
};

/// The objects of a group by name or of a list, each followed by its optional parts (`reads`, `writes`).
std::string object_tables(const StatisticRow& group, const json& objects) {
  const auto fill = [&](ScreenTable& table, bool with_parts) {
    for (const auto& [key, object] : objects.items()) {
      table.add(object.contains("name") && object["name"].is_string() ? object["name"].get<std::string>() : key, object);
      std::vector<std::string> parts;
      for (const StatisticRow& part : group.table->rows())
        if (part.kind == StatisticRow::Kind::Group && part.optional && object.contains(part.name))
          parts.emplace_back(part.name);
      if (!with_parts || parts.size() < 2) continue;  // a single part equals the whole
      for (const std::string& part : parts) table.add("  " + part, object.at(part));
    }
    return table.text();
  };
  ScreenTable table(group.name, *group.table, json::json_pointer());
  std::string text = fill(table, true);
  for (const StatisticRow& row : group.table->rows()) {
    if (row.kind != StatisticRow::Kind::Group || row.column.heading.empty()) continue;
    ScreenTable own(row.column.heading, *row.table, json::json_pointer() / std::string(row.name));
    text += fill(own, false);
  }
  return text;
}

void add_to_screen(const StatisticTable& table, const json& result, std::vector<std::pair<std::string, std::string>>& lines,
                   std::string& tables) {
  for (const StatisticRow& row : table.rows()) {
    if (!result.contains(row.name)) continue;
    const json& value = result.at(std::string(row.name));
    switch (row.kind) {
      case StatisticRow::Kind::Value:
        if (!row.column.heading.empty())
          lines.emplace_back(row.column.heading,
                             number(value, row) + (row.unit.empty() || value.is_null() ? "" : " " + std::string(row.unit)));
        break;
      case StatisticRow::Kind::Group: add_to_screen(*row.table, value, lines, tables); break;
      case StatisticRow::Kind::ByName:
      case StatisticRow::Kind::List: tables += object_tables(row, value); break;
    }
  }
}

}  // namespace

std::string page_table(const StatisticTable& table) {
  std::string text = "| name | unit | reduction | meaning |\n| --- | --- | --- | --- |\n";
  add_to_page(table, "", text);
  return text;
}

std::string screen_table(const StatisticTable& table, const json& result) {
  std::vector<std::pair<std::string, std::string>> lines;
  std::string tables;
  add_to_screen(table, result, lines, tables);
  std::size_t width = 0;
  for (const auto& line : lines) width = std::max(width, line.first.size());
  std::string text = tables;
  for (const auto& [name, value] : lines) text += fmt::format("{:<{}}  {}\n", name, width, value);
  return text;
}

}  // namespace platter::params
