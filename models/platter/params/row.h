// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace platter::params {

/// A file that a configuration names: the name as written there, and its path.
struct FileName {
  std::string text;
  std::filesystem::path path;
  std::string_view
      first_part;  ///< not empty: the name may stand for several files, of which the first is the path and this behind it, perhaps compressed
  bool standard_input = false;  ///< whether the name - is allowed, which is the standard input

  bool empty() const { return text.empty(); }
  bool is_standard_input() const { return standard_input && text == "-"; }
};

/// A field of enumeration type. Its value is the index of the value's name among the choices of its row.
class Choice {
 public:
  template <typename Enum>
  explicit Choice(Enum* field)
      : field_(field),
        get_([](const void* from) { return static_cast<std::size_t>(*static_cast<const Enum*>(from)); }),
        set_([](void* to, std::size_t index) { *static_cast<Enum*>(to) = static_cast<Enum>(index); }) {}

  std::size_t get() const { return get_(field_); }
  void set(std::size_t index) const { set_(field_, index); }

 private:
  void* field_;
  std::size_t (*get_)(const void*);
  void (*set_)(void*, std::size_t);
};

/// A set of names, as a sum of powers of two: 2^i stands for the i-th of the row's choices.
struct Names {
  std::int64_t* sum;
};

/// A field of any other type, whose value is written as a text.
struct Notated {
  std::function<std::string()> text;  ///< the value as a text
  /// Takes the value from a text; returns what is wrong with the text, "" if nothing is.
  std::function<std::string(std::string_view)> read;
  bool numbers = false;  ///< a whole number may stand for the text of its digits
  bool reals = false;    ///< so may any other number
};

/// A field that is a list of rows of numbers.
struct NumberRows {
  std::function<std::vector<std::vector<double>>()> rows;
  /// Takes the value from the rows; returns what is wrong with them, "" if nothing is.
  std::function<std::string(const std::vector<std::vector<double>>&)> take;
};

/// The field of an object that a parameter sets and reads.
using Field = std::variant<bool*, std::int64_t*, std::uint32_t*, double*, std::string*, FileName*, std::vector<FileName>*,
                           std::vector<std::uint32_t>*, std::vector<double>*, std::vector<std::pair<std::uint32_t, double>>*,
                           std::vector<std::pair<std::uint32_t, std::uint32_t>>*, Choice, Names, Notated, NumberRows>;

template <typename Member>
Field field(Member* member) {
  if constexpr (std::is_enum_v<Member>)
    return Choice(member);
  else
    return member;
}

/// The least and the largest allowed value.
struct Range {
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
};
inline Range from(double minimum) { return {minimum, Range{}.maximum}; }

/// The allowed texts, or the names of an enumeration in the order of its values.
struct OneOf {
  std::vector<std::string_view> names;
};

/// Texts of a form: a regular expression of JSON Schema.
struct Pattern {
  std::string_view expression;
};

/// The description of a configuration key, independent of the object that has its field.
struct Row {
  std::string_view key;  ///< dotted path
  std::string_view unit;
  std::string_view description;
  Range range;
  std::vector<std::string_view> choices;  ///< empty: any text
  bool required = false;
  Pattern pattern = {};
};

/// One configuration key, and its field in an object of a module. The tables of these rows feed the loader, `config dump`, the reference
/// page and the JSON Schema.
template <typename Object>
struct Parameter : Row {
  using Access = std::function<Field(Object&)>;

  Parameter(std::string_view name, std::string_view of_unit, std::string_view meaning, Access access, Range allowed = {})
      : Row{name, of_unit, meaning, allowed, {}, false, {}}, field(std::move(access)) {}
  Parameter(std::string_view name, std::string_view of_unit, std::string_view meaning, Access access, OneOf allowed)
      : Row{name, of_unit, meaning, {}, std::move(allowed.names), false, {}}, field(std::move(access)) {}
  Parameter(std::string_view name, std::string_view of_unit, std::string_view meaning, Access access, Pattern allowed)
      : Row{name, of_unit, meaning, {}, {}, false, allowed}, field(std::move(access)) {}

  Access field;
};

template <typename Object>
using Table = std::vector<Parameter<Object>>;

/// A key without a default.
template <typename Object>
Parameter<Object> required(Parameter<Object> parameter) {
  parameter.required = true;
  return parameter;
}

/// The field of a member, or of a member's member.
template <typename Object, typename Member>
auto at(Member Object::* member) {
  return [member](Object& object) { return field(&(object.*member)); };
}
template <typename Object, typename Inner, typename Member>
auto at(Inner Object::* inner, Member Inner::* member) {
  return [inner, member](Object& object) { return field(&(object.*inner.*member)); };
}

/// A member that holds a set of names.
template <typename Object>
auto names_at(std::int64_t Object::* member) {
  return [member](Object& object) -> Field { return Names{&(object.*member)}; };
}

/// A member whose value is made from a text, which the value keeps as its `notation`. `find` gives nothing for a wrong text, and `objection`
/// says what is wrong with it.
template <typename Object, typename Value>
auto notated(Value Object::* member, std::optional<Value> (*find)(std::string_view), std::string (*objection)(std::string_view),
             bool numbers = false) {
  return [=](Object& object) -> Field {
    Value& value = object.*member;
    return Notated{[&value] { return value.notation; },
                   [&value, find, objection](std::string_view text) {
                     std::optional<Value> found = find(text);
                     if (!found) return objection(text);
                     value = std::move(*found);
                     return std::string();
                   },
                   numbers};
  };
}

/// A member that points to a row of `table`. Its text is the row's name. The key's allowed values are names_of(table).
template <typename Object, typename Info>
auto row_of(const Info* Object::* member, const std::vector<Info>& table) {
  return [member, &table](Object& object) -> Field {
    const Info*& row = object.*member;
    return Notated{[&row] { return std::string(row->name); },
                   [&row, &table](std::string_view name) {
                     for (const Info& one : table)
                       if (one.name == name) row = &one;
                     return std::string();
                   },
                   false};
  };
}

/// The allowed values of a key that selects a row of another table: the names in `before`, then the names of the rows.
template <typename Rows>
OneOf names_of(const Rows& rows, std::vector<std::string_view> before = {}) {
  for (const auto& row : rows) before.push_back(row.name);
  return {std::move(before)};
}

}  // namespace platter::params
