// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace platter::params {

/// How a statistic stands in the table on the screen: not at all without a heading.
struct Column {
  std::string_view heading;
  int decimals = 0;
};

/// What is said of one statistic, or of a group of them. The rows make the result, its schema, its page and the table on the screen.
struct StatisticRow {
  enum class Kind {
    Value,   ///< a number or a text, or an array of them
    Group,   ///< an object
    ByName,  ///< an object of objects
    List,    ///< an array of objects
  };

  Kind kind = Kind::Value;
  std::string name;
  std::string unit;
  std::string description;
  std::string reduction;  ///< what is done with the samples: sum, mean, p99, the last one
  Column column;
  bool optional = false;  ///< left out where it has no meaning
  nlohmann::json type;    ///< schema of a value
  const std::vector<StatisticRow>* rows = nullptr;  ///< of what has some
};

namespace detail {

template <typename T>
struct SchemaOfValue {
  static nlohmann::json get() {
    if constexpr (std::is_same_v<T, bool>)
      return {{"type", "boolean"}};
    else if constexpr (std::is_integral_v<T> && std::is_unsigned_v<T>)
      return {{"type", "integer"}, {"minimum", 0}};
    else if constexpr (std::is_integral_v<T>)
      return {{"type", "integer"}};
    else if constexpr (std::is_floating_point_v<T>)
      return {{"type", "number"}};
    else if constexpr (std::is_same_v<T, nlohmann::json>)
      return nlohmann::json::object();
    else
      return {{"type", "string"}};
  }
};
template <typename T>
struct SchemaOfValue<std::vector<T>> {
  static nlohmann::json get() { return {{"type", "array"}, {"items", SchemaOfValue<T>::get()}}; }
};
template <typename T, std::size_t N>
struct SchemaOfValue<std::array<T, N>> {
  static nlohmann::json get() { return {{"type", "array"}, {"items", SchemaOfValue<T>::get()}, {"minItems", N}, {"maxItems", N}}; }
};
template <typename T>
struct SchemaOfValue<std::optional<T>> {  // null where there is none
  static nlohmann::json get() {
    nlohmann::json schema = SchemaOfValue<T>::get();
    schema["type"] = {schema["type"], "null"};
    return schema;
  }
};

template <typename T>
nlohmann::json json_of(const T& value) {
  return value;
}
template <typename T>
nlohmann::json json_of(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}
template <typename T>
nlohmann::json json_of(const std::vector<std::optional<T>>& values) {
  nlohmann::json array = nlohmann::json::array();
  for (const std::optional<T>& value : values) array.push_back(json_of(value));
  return array;
}

}  // namespace detail

namespace detail {

/// What a function gives that may give nothing: a pointer or an optional.
template <typename T>
struct Maybe : std::is_pointer<T> {};
template <typename T>
struct Maybe<std::optional<T>> : std::true_type {};

/// Calls `use` with what was given, unless nothing was.
template <typename Given, typename Use>
void with(const Given& given, Use use) {
  if constexpr (Maybe<Given>::value) {
    if (given) use(*given);
  } else {
    use(given);
  }
}

}  // namespace detail

/// The statistics of an object of a room: one row each, with the function that finds its value. A function that gives a pointer or an optional, and
/// it is empty, leaves the row out.
template <typename Object>
class Statistics {
 public:
  /// An optional is null here where it is empty.
  template <typename Get>
  Statistics& value(std::string_view name, std::string_view unit, std::string_view description, std::string_view reduction, Get get, Column column = {}) {
    StatisticRow& row = add<Get>(StatisticRow::Kind::Value, name, description);
    row.unit = unit;
    row.reduction = reduction;
    row.column = column;
    row.optional = false;
    row.type = detail::SchemaOfValue<Given<Get>>::get();
    fills_.push_back([get](const Object& object, nlohmann::json& out) { out = detail::json_of(get(object)); });
    return *this;
  }
  /// An optional is left out where it is empty.
  template <typename Get>
  Statistics& value_if(std::string_view name, std::string_view unit, std::string_view description, std::string_view reduction, Get get,
                       Column column = {}) {
    StatisticRow& row = add<Get>(StatisticRow::Kind::Value, name, description);
    row.unit = unit;
    row.reduction = reduction;
    row.column = column;
    row.type = detail::SchemaOfValue<typename Given<Get>::value_type>::get();
    fills_.push_back([get](const Object& object, nlohmann::json& out) {
      if (const auto given = get(object)) out = detail::json_of(*given);
    });
    return *this;
  }
  /// `column`: its rows stand in a table of their own on the screen, under this heading.
  template <typename Inner, typename Get>
  Statistics& group(std::string_view name, std::string_view description, const Statistics<Inner>& inner, Get get, Column column = {}) {
    StatisticRow& row = add<Get>(StatisticRow::Kind::Group, name, description);
    row.rows = &inner.rows();
    row.column = column;
    fills_.push_back([get, &inner](const Object& object, nlohmann::json& out) {
      detail::with(get(object), [&](const Inner& given) { out = inner.to_json(given); });
    });
    return *this;
  }
  /// `get` gives pairs of a name and an object.
  template <typename Inner, typename Get>
  Statistics& by_name(std::string_view name, std::string_view description, const Statistics<Inner>& inner, Get get) {
    add<Get>(StatisticRow::Kind::ByName, name, description).rows = &inner.rows();
    fills_.push_back([get, &inner](const Object& object, nlohmann::json& out) {
      detail::with(get(object), [&](const auto& given) {
        out = nlohmann::json::object();
        for (const auto& [key, element] : given) out[std::string(key)] = inner.to_json(element);
      });
    });
    return *this;
  }
  /// `get` gives a range of objects.
  template <typename Inner, typename Get>
  Statistics& list(std::string_view name, std::string_view description, const Statistics<Inner>& inner, Get get) {
    add<Get>(StatisticRow::Kind::List, name, description).rows = &inner.rows();
    fills_.push_back([get, &inner](const Object& object, nlohmann::json& out) {
      detail::with(get(object), [&](const auto& given) {
        out = nlohmann::json::array();
        for (const Inner& element : given) out.push_back(inner.to_json(element));
      });
    });
    return *this;
  }
  /// All rows of a part of the object, as if they were its own.
  template <typename Inner, typename Get>
  Statistics& all_of(const Statistics<Inner>& inner, Get get) {
    for (std::size_t i = 0; i < inner.rows().size(); ++i) {
      rows_.push_back(inner.rows()[i]);
      fills_.push_back([get, fill = inner.fill(i)](const Object& object, nlohmann::json& out) { fill(get(object), out); });
    }
    return *this;
  }

  nlohmann::json to_json(const Object& object) const {
    nlohmann::json out = nlohmann::json::object();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      nlohmann::json value;
      fills_[i](object, value);
      if (!value.is_null() || !rows_[i].optional) out[rows_[i].name] = std::move(value);
    }
    return out;
  }

  using Fill = std::function<void(const Object&, nlohmann::json&)>;
  const std::vector<StatisticRow>& rows() const { return rows_; }
  const Fill& fill(std::size_t row) const { return fills_[row]; }

 private:
  template <typename Get>
  using Given = std::decay_t<std::invoke_result_t<Get, const Object&>>;

  template <typename Get>
  StatisticRow& add(StatisticRow::Kind kind, std::string_view name, std::string_view description) {
    StatisticRow& row = rows_.emplace_back();
    row.kind = kind;
    row.name = name;
    row.description = description;
    row.optional = detail::Maybe<Given<Get>>::value;
    return row;
  }

  std::vector<StatisticRow> rows_;
  std::vector<Fill> fills_;
};

/// JSON Schema (draft 2020-12) of an object with these rows.
nlohmann::json schema(const std::vector<StatisticRow>& rows);
/// A table of the rows for a page, groups as dotted names.
std::string page_table(const std::vector<StatisticRow>& rows);
/// What the rows with a heading say of a result: a table for each group by name and each list, a line for each value.
std::string screen_table(const std::vector<StatisticRow>& rows, const nlohmann::json& result);

}  // namespace platter::params
