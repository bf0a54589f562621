// SPDX-License-Identifier: Apache-2.0
#include "platter/params/statistic.h"

#include <fmt/format.h>

#include <algorithm>

#include "platter/core/json_text.h"

namespace platter::params {

using nlohmann::json;

json schema(const std::vector<StatisticRow>& rows) {
  json object = {{"type", "object"}, {"additionalProperties", false}, {"properties", json::object()}, {"required", json::array()}};
  for (const StatisticRow& row : rows) {
    json entry;
    switch (row.kind) {
      case StatisticRow::Kind::Value: entry = row.type; break;
      case StatisticRow::Kind::Group: entry = schema(*row.rows); break;
      case StatisticRow::Kind::ByName: entry = {{"type", "object"}, {"additionalProperties", schema(*row.rows)}}; break;
      case StatisticRow::Kind::List: entry = {{"type", "array"}, {"items", schema(*row.rows)}}; break;
    }
    std::string said = row.description;
    if (!row.reduction.empty()) said += (said.empty() ? "" : "; ") + row.reduction;
    if (!row.unit.empty()) said += (said.empty() ? "[" : " [") + row.unit + "]";
    if (!said.empty()) entry["description"] = said;
    object["properties"][row.name] = std::move(entry);
    if (!row.optional) object["required"].push_back(row.name);
  }
  return object;
}

namespace {

void add_to_page(const std::vector<StatisticRow>& rows, const std::string& prefix, std::string& text) {
  for (const StatisticRow& row : rows) {
    std::string name = prefix + row.name;
    if (row.kind == StatisticRow::Kind::ByName) name += ".NAME";
    if (row.kind == StatisticRow::Kind::List) name += "[]";
    text += fmt::format("| `{}` | {} | {} | {} |\n", name, row.unit, row.reduction, row.description);
    if (row.rows != nullptr) add_to_page(*row.rows, name + ".", text);
  }
}

/// The rows with a heading, and by which keys they are reached.
struct Shown {
  const StatisticRow* row;
  json::json_pointer where;
};
/// Those that stand in one table; a group with a heading of its own has another.
void find_shown(const std::vector<StatisticRow>& rows, const json::json_pointer& prefix, std::vector<Shown>& found) {
  for (const StatisticRow& row : rows) {
    if (row.kind == StatisticRow::Kind::Value && !row.column.heading.empty()) found.push_back({&row, prefix / row.name});
    if (row.kind == StatisticRow::Kind::Group && !row.optional && row.column.heading.empty()) find_shown(*row.rows, prefix / row.name, found);
  }
}

std::string number(const json& value, const StatisticRow& row) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{:.{}f}", value.get<double>(), row.column.decimals);
  return core::json_text(value, -1);
}

/// A line for each of several objects with the same rows: its name, and what of it has a heading.
class ScreenTable {
 public:
  /// `where`: of the rows in each object.
  ScreenTable(std::string heading, const std::vector<StatisticRow>& rows, const json::json_pointer& where) {
    find_shown(rows, where, shown_);
    std::vector<std::string> head{std::move(heading)};
    for (const Shown& column : shown_) head.push_back(std::string(column.row->column.heading) + (column.row->unit.empty() ? "" : " " + column.row->unit));
    lines_.push_back(std::move(head));
  }

  void add(const std::string& name, const json& object) {
    std::vector<std::string> line{name};
    for (const Shown& column : shown_) line.push_back(object.contains(column.where) ? number(object.at(column.where), *column.row) : "");
    lines_.push_back(std::move(line));
  }
  std::string text() const {
    if (shown_.empty() || lines_.size() == 1) return {};
    std::vector<std::size_t> width(lines_[0].size());
    for (const auto& line : lines_)
      for (std::size_t i = 0; i < line.size(); ++i) width[i] = std::max(width[i], line[i].size());
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

/// The objects of a group by name or of a list, each followed by its parts that it may lack (`reads`, `writes`).
std::string object_tables(const StatisticRow& group, const json& objects) {
  const auto fill = [&](ScreenTable& table, bool with_parts) {
    for (const auto& [key, object] : objects.items()) {
      table.add(object.contains("name") && object["name"].is_string() ? object["name"].get<std::string>() : key, object);
      if (!with_parts) continue;
      for (const StatisticRow& part : *group.rows)
        if (part.kind == StatisticRow::Kind::Group && part.optional && object.contains(part.name)) table.add("  " + part.name, object.at(part.name));
    }
    return table.text();
  };
  ScreenTable table(group.name, *group.rows, json::json_pointer());
  std::string text = fill(table, true);
  for (const StatisticRow& row : *group.rows) {
    if (row.kind != StatisticRow::Kind::Group || row.column.heading.empty()) continue;
    ScreenTable own(std::string(row.column.heading), *row.rows, json::json_pointer() / row.name);
    text += fill(own, false);
  }
  return text;
}

void add_to_screen(const std::vector<StatisticRow>& rows, const json& result, std::vector<std::pair<std::string, std::string>>& lines, std::string& tables) {
  for (const StatisticRow& row : rows) {
    if (!result.contains(row.name)) continue;
    const json& value = result.at(row.name);
    switch (row.kind) {
      case StatisticRow::Kind::Value:
        if (!row.column.heading.empty())
          lines.emplace_back(row.column.heading, number(value, row) + (row.unit.empty() ? "" : " " + row.unit));
        break;
      case StatisticRow::Kind::Group: add_to_screen(*row.rows, value, lines, tables); break;
      case StatisticRow::Kind::ByName:
      case StatisticRow::Kind::List: tables += object_tables(row, value); break;
    }
  }
}

}  // namespace

std::string page_table(const std::vector<StatisticRow>& rows) {
  std::string text = "| name | unit | reduction | meaning |\n| --- | --- | --- | --- |\n";
  add_to_page(rows, "", text);
  return text;
}

std::string screen_table(const std::vector<StatisticRow>& rows, const json& result) {
  std::vector<std::pair<std::string, std::string>> lines;
  std::string tables;
  add_to_screen(rows, result, lines, tables);
  std::size_t width = 0;
  for (const auto& line : lines) width = std::max(width, line.first.size());
  std::string text = tables;
  for (const auto& [name, value] : lines) text += fmt::format("{:<{}}  {}\n", name, width, value);
  return text;
}

}  // namespace platter::params
