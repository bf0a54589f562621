// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace platter::params {

/// How the table on the screen shows a statistic. Without a heading the table leaves it out.
struct Column {
  std::string_view heading;
  int decimals = 0;
};

/// A value of a statistic; std::monostate is null. (JSON is for values that are described elsewhere.)
using StatisticValue =
    std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, std::vector<std::uint64_t>,
                 std::vector<double>, std::vector<std::optional<double>>, std::shared_ptr<const nlohmann::json>>;

/// The type of a value, for the schema.
struct ValueType {
  StatisticValue example;  ///< of the type
  bool nullable = false;
  std::size_t length = 0;  ///< of an array of fixed length
};

class StatisticTable;

/// The description of one statistic, or of a group of them. The rows generate the result, its schema, its reference page and the table on
/// the screen.
struct StatisticRow {
  enum class Kind {
    Value,   ///< a number or a text, or an array of them
    Group,   ///< an object
    ByName,  ///< an object of objects
    List,    ///< an array of objects
  };

  Kind kind = Kind::Value;
  std::string_view name;
  std::string_view unit;
  std::string_view description;
  std::string_view reduction;  ///< how the samples are combined: sum, mean, p99, last
  Column column;
  bool optional = false;  ///< left out of a result where it has no meaning
  ValueType type;
  const StatisticTable* table = nullptr;  ///< the inner rows of a group or list
};

/// Receives the values of a row.
class StatisticSinkIf {
 public:
  virtual ~StatisticSinkIf() = default;
  virtual void value(StatisticValue value) = 0;
  /// A group by name or a list exists, even if it is empty.
  virtual void present() = 0;
  /// A group, or an element of a list or of a group by name.
  virtual void object(std::string_view name, const StatisticTable& table, const void* object) = 0;
};

/// Rows, and for each the function that gives its values.
class StatisticTable {
 public:
  using Fill = std::function<void(const void* object, StatisticSinkIf& sink)>;

  const std::vector<StatisticRow>& rows() const { return rows_; }
  void fill(std::size_t row, const void* object, StatisticSinkIf& sink) const { fills_[row](object, sink); }

 protected:
  StatisticRow& add(const StatisticRow& row, Fill fill) {
    fills_.push_back(std::move(fill));
    return rows_.emplace_back(row);
  }
  /// Adds all rows of another table; `find` gives the object that they describe.
  void add_all(const StatisticTable& other,
               const std::function<void(const void* object, const std::function<void(const void*)>& use)>& find) {
    for (std::size_t i = 0; i < other.rows_.size(); ++i)
      add(other.rows_[i], [find, fill = other.fills_[i]](const void* object, StatisticSinkIf& sink) {
        find(object, [&](const void* found) { fill(found, sink); });
      });
  }

 private:
  std::vector<StatisticRow> rows_;
  std::vector<Fill> fills_;
};

namespace detail {

/// True for types that may hold no value: a pointer or an optional.
template <typename T>
struct Maybe : std::is_pointer<T> {};
template <typename T>
struct Maybe<std::optional<T>> : std::true_type {};

/// Calls `use` with the given value, if there is one.
template <typename Given, typename Use>
void with(const Given& given, Use use) {
  if constexpr (Maybe<Given>::value) {
    if (given) use(*given);
  } else {
    use(given);
  }
}

template <typename T>
StatisticValue value_of(const T& value) {
  if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::vector<std::optional<double>>> ||
                std::is_same_v<T, std::shared_ptr<const nlohmann::json>>)
    return value;
  else if constexpr (std::is_floating_point_v<T>)
    return double{value};
  else if constexpr (std::is_integral_v<T> && std::is_unsigned_v<T>)
    return std::uint64_t{value};
  else if constexpr (std::is_integral_v<T>)
    return std::int64_t{value};
  else
    return std::string(value);
}
template <typename Array>
StatisticValue array_of(const Array& values) {
  using Element = std::conditional_t<std::is_floating_point_v<typename Array::value_type>, double, std::uint64_t>;
  return std::vector<Element>(values.begin(), values.end());
}
template <typename T>
std::enable_if_t<std::is_arithmetic_v<T>, StatisticValue> value_of(const std::vector<T>& values) {
  return array_of(values);
}
template <typename T, std::size_t N>
StatisticValue value_of(const std::array<T, N>& values) {
  return array_of(values);
}

template <typename T>
struct TypeOf {
  static ValueType get() { return {value_of(T{}), false, 0}; }
};
template <typename T, std::size_t N>
struct TypeOf<std::array<T, N>> {
  static ValueType get() { return {value_of(std::array<T, N>{}), false, N}; }
};
template <typename T>
struct TypeOf<std::optional<T>> {
  static ValueType get() { return {value_of(T{}), true, 0}; }
};

}  // namespace detail

/// The statistics of an object of a module: one row each, with the function that finds its value. Where the function returns an empty
/// pointer or an empty optional, the row is left out.
template <typename Object>
class Statistics : public StatisticTable {
 public:
  /// An empty optional is written as null.
  template <typename Get>
  Statistics& value(std::string_view name, std::string_view unit, std::string_view description, std::string_view reduction,
                    Get get, Column column = {}) {
    StatisticRow row{StatisticRow::Kind::Value,         name,   unit, description, reduction, column, false,
                     detail::TypeOf<Given<Get>>::get(), nullptr};
    add(row, [get](const void* object, StatisticSinkIf& sink) {
      if constexpr (detail::Maybe<Given<Get>>::value) {
        const auto given = get(of(object));
        sink.value(given ? detail::value_of(*given) : StatisticValue{});
      } else {
        sink.value(detail::value_of(get(of(object))));
      }
    });
    return *this;
  }
  /// An empty optional leaves the row out.
  template <typename Get>
  Statistics& value_if(std::string_view name, std::string_view unit, std::string_view description, std::string_view reduction,
                       Get get, Column column = {}) {
    using Value = typename Given<Get>::value_type;
    StatisticRow row{StatisticRow::Kind::Value,    name,   unit, description, reduction, column, true,
                     detail::TypeOf<Value>::get(), nullptr};
    add(row, [get](const void* object, StatisticSinkIf& sink) {
      detail::with(get(of(object)), [&](const Value& given) { sink.value(detail::value_of(given)); });
    });
    return *this;
  }
  /// `column`: on the screen its rows form a table of their own, under this heading.
  template <typename Inner, typename Get>
  Statistics& group(std::string_view name, std::string_view description, const Statistics<Inner>& inner, Get get,
                    Column column = {}) {
    add(row_of<Get>(StatisticRow::Kind::Group, name, description, inner, column),
        [get, &inner](const void* object, StatisticSinkIf& sink) {
          detail::with(get(of(object)), [&](const Inner& given) { sink.object({}, inner, &given); });
        });
    return *this;
  }
  /// A group of rows of the object itself.
  Statistics& section(std::string_view name, std::string_view description, const Statistics& inner) {
    add({StatisticRow::Kind::Group, name, {}, description, {}, {}, false, {}, &inner},
        [&inner](const void* object, StatisticSinkIf& sink) { sink.object({}, inner, object); });
    return *this;
  }
  /// `get` gives pairs of a name and an object.
  template <typename Inner, typename Get>
  Statistics& by_name(std::string_view name, std::string_view description, const Statistics<Inner>& inner, Get get) {
    add(row_of<Get>(StatisticRow::Kind::ByName, name, description, inner),
        [get, &inner](const void* object, StatisticSinkIf& sink) {
          detail::with(get(of(object)), [&](const auto& given) {
            sink.present();
            for (const auto& [key, element] : given) sink.object(key, inner, &element);
          });
        });
    return *this;
  }
  /// `get` gives a range of objects.
  template <typename Inner, typename Get>
  Statistics& list(std::string_view name, std::string_view description, const Statistics<Inner>& inner, Get get) {
    add(row_of<Get>(StatisticRow::Kind::List, name, description, inner),
        [get, &inner](const void* object, StatisticSinkIf& sink) {
          detail::with(get(of(object)), [&](const auto& given) {
            sink.present();
            for (const Inner& element : given) sink.object({}, inner, &element);
          });
        });
    return *this;
  }
  /// Adds all rows of a part of the object at the level of the object's own rows.
  template <typename Inner, typename Get>
  Statistics& all_of(const Statistics<Inner>& inner, Get get) {
    add_all(inner, [get](const void* object, const std::function<void(const void*)>& use) {
      const Inner& found = get(of(object));
      use(&found);
    });
    return *this;
  }

 private:
  template <typename Get>
  using Given = std::decay_t<std::invoke_result_t<Get, const Object&>>;

  static const Object& of(const void* object) { return *static_cast<const Object*>(object); }
  template <typename Get>
  static StatisticRow row_of(StatisticRow::Kind kind, std::string_view name, std::string_view description,
                             const StatisticTable& inner, Column column = {}) {
    return {kind, name, {}, description, {}, column, detail::Maybe<Given<Get>>::value, {}, &inner};
  }
};

/// A sum over samples as their mean; no value without samples.
inline std::optional<double> mean(double sum, std::uint64_t count) {
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

/// A count as a rate; no value without time.
inline std::optional<double> per_time(std::uint64_t count, double seconds) {
  if (seconds <= 0) return std::nullopt;
  return static_cast<double>(count) / seconds;
}

/// The values of the rows for an object.
nlohmann::json to_json(const StatisticTable& table, const void* object);

/// JSON Schema (draft 2020-12) of an object with these rows.
nlohmann::json schema(const StatisticTable& table);
/// A table of the rows for a reference page; groups become dotted names.
std::string page_table(const StatisticTable& table);
/// Shows the rows with a heading for a result: a table for each group by name and each list, a line for each value.
std::string screen_table(const StatisticTable& table, const nlohmann::json& result);

}  // namespace platter::params
