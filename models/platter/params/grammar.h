// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "platter/params/row.h"

namespace platter::params {

/// A row, and the field of one object that it describes.
struct BoundRow {
  std::string key;  ///< with the row's prefix
  const Row* row;
  Field field;
};

/// An array of tables of one kind, each written as `[[key]]`; if it is given, it has at least one element.
struct BoundArray {
  std::string key;
  std::string_view one;                            ///< what one element is
  std::function<std::vector<BoundRow>()> append;   ///< adds an element
  std::function<std::vector<BoundRow>()> example;  ///< an element with the defaults, outside any array
  std::function<std::vector<std::vector<BoundRow>>()> elements;
  bool required = true;  ///< a configuration without it is refused
};

/// A section that cannot be left out.
struct RequiredSection {
  std::string key;
  std::string_view meaning;
};

/// A section of which a file may have only what differs from another such file. Its key `base` names that one. The n-th table of an array
/// of tables changes the base's n-th.
struct SectionWithBase {
  std::string key;  ///< empty: the whole configuration
  std::string_view meaning;
};

/// All keys that a configuration may have, bound to the objects that they set: the rows of several modules, each below a prefix. The
/// objects must keep their addresses as long as the grammar is in use.
class Grammar {
 public:
  /// `table` must exist until the program ends.
  template <typename Object>
  void add(const Table<Object>& table, Object& object, const std::string& prefix = {}) {
    std::vector<BoundRow> bound = bind(table, object, prefix);
    rows_.insert(rows_.end(), std::make_move_iterator(bound.begin()), std::make_move_iterator(bound.end()));
  }
  template <typename Element>
  void add_array(const std::string& key, std::string_view one, const Table<Element>& table, std::vector<Element>& elements,
                 bool required = true) {
    arrays_.push_back({key, one, [&table, &elements, key] { return bind(table, elements.emplace_back(), key); },
                       [&table, key, element = std::make_shared<Element>()] { return bind(table, *element, key); },
                       [&table, &elements, key] {
                         std::vector<std::vector<BoundRow>> bound;
                         bound.reserve(elements.size());
                         for (Element& element : elements) bound.push_back(bind(table, element, key));
                         return bound;
                       },
                       required});
  }
  void require(std::string section, std::string_view meaning) { required_.push_back({std::move(section), meaning}); }
  void allow_base(std::string section, std::string_view meaning) { with_base_.push_back({std::move(section), meaning}); }

  const std::vector<BoundRow>& rows() const { return rows_; }
  const std::vector<BoundArray>& arrays() const { return arrays_; }
  const std::vector<RequiredSection>& required() const { return required_; }
  const std::vector<SectionWithBase>& with_base() const { return with_base_; }

  /// Null if there is no such key.
  const BoundRow* find(std::string_view key) const {
    for (const BoundRow& row : rows_)
      if (row.key == key) return &row;
    return nullptr;
  }

 private:
  template <typename Object>
  static std::vector<BoundRow> bind(const Table<Object>& table, Object& object, const std::string& prefix) {
    std::vector<BoundRow> rows;
    rows.reserve(table.size());
    for (const Parameter<Object>& parameter : table)
      rows.push_back({prefix.empty() ? std::string(parameter.key) : prefix + "." + std::string(parameter.key), &parameter,
                      parameter.field(object)});
    return rows;
  }

  std::vector<BoundRow> rows_;
  std::vector<BoundArray> arrays_;
  std::vector<RequiredSection> required_;
  std::vector<SectionWithBase> with_base_;
};

}  // namespace platter::params
