// SPDX-License-Identifier: Apache-2.0
#include "platter/params/document.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "platter/core/error.h"
#include "platter/core/input_files.h"
#include "platter/core/nearest.h"

namespace platter::params {

namespace fs = std::filesystem;
using core::ConfigError;
using core::ConfigProblem;

namespace {

using Problems = std::vector<ConfigProblem>;

struct Leaf {
  const toml::node* node = nullptr;
  Position position;
  bool used = false;
};
using Leaves = std::map<std::string, Leaf>;

Position position_of(const toml::node& node, const std::string& fallback) {
  const toml::source_region& source = node.source();
  return {source.path ? *source.path : fallback, source.begin.line, source.begin.column};
}

void report(Problems& problems, const Position& at, const std::string& key, const std::string& message) {
  problems.push_back({at.file, at.line, at.column, key, message});
}

[[noreturn]] void fail(const Position& at, const std::string& key, const std::string& message) {
  throw ConfigError({{at.file, at.line, at.column, key, message}});
}

/// The parser limits the depth of values, but not of keys. A key of a hundred thousand parts would use up the stack.
void check_depth(const std::string& text, const std::string& file) {
  constexpr std::ptrdiff_t kMaxParts = 256;
  std::uint32_t line = 1;
  for (std::size_t begin = 0; begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view whole(text.data() + begin, end - begin);
    const std::string_view key = whole.substr(0, whole.find_first_of("=,#{"));
    if (std::count(key.begin(), key.end(), '.') >= kMaxParts)
      fail({file, line, 1}, "", fmt::format("found a key of more than {0} parts, expected at most {0}", kMaxParts));
    begin = end + 1;
  }
}

/// Throws where a section is given as the name of a file and has keys of its own too. The parser only says that something is given twice.
void explain_name_beside_section(const std::string& text, const std::string& file) {
  static const std::regex kNamed(R"re(\s*([\w.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')\s*(?:#.*)?)re");
  static const std::regex kBegin(R"re(\s*(?:\[\[?\s*)?([\w-]+(?:\s*\.\s*[\w-]+)*)\s*[\]=].*)re");
  static const std::regex kSpace(R"re(\s)re");
  struct Line {
    std::uint32_t number;
    std::string key, name;
  };
  std::vector<Line> named;       // those of the file's own keys whose value is a text
  std::set<std::string> others;  // tables and keys
  std::istringstream lines(text);
  std::string line;
  bool within = false;
  for (std::uint32_t number = 1; std::getline(lines, line); ++number) {
    std::smatch found;
    if (line.size() > 1000) continue;  // no key and name that a person has written
    const bool head = line.find_first_not_of(" \t") != std::string::npos && line[line.find_first_not_of(" \t")] == '[';
    within = within || head;
    if (!within && std::regex_match(line, found, kNamed))
      named.push_back({number, found[1].str(), found[2].matched ? found[2].str() : found[3].str()});
    else if ((head || !within) && std::regex_match(line, found, kBegin))
      others.insert(std::regex_replace(found[1].str(), kSpace, ""));
  }
  for (const Line& one : named)
    for (const std::string& other : others)
      if (other == one.key || other.rfind(one.key + ".", 0) == 0)
        fail({file, one.number, 1}, one.key,
             fmt::format("found the name of a file, \"{0}\", and also {1}; expected a section [{2}] with file = \"{0}\" and "
                         "the keys that differ",
                         one.name, other, one.key));
}

toml::table parse_text(const fs::path& file, const std::string& text) {
  check_depth(text, file.string());
  try {
    return toml::parse(text, file.string());
  } catch (const toml::parse_error& error) {
    if (error.description().find("cannot redefine existing") != std::string_view::npos)
      explain_name_beside_section(text, file.string());
    fail({file.string(), error.source().begin.line, error.source().begin.column}, "",
         fmt::format("not valid TOML: {}", error.description()));
  }
}

toml::table parse_file(const fs::path& file) {
  if (const std::string objection = core::note_input(file); !objection.empty()) fail({file.string(), 0, 0}, "", objection);
  return parse_text(file, core::read_input(file));  // toml::parse_file needs the file's size, which a pipe does not have
}

std::string join(const std::string& prefix, std::string_view key) {
  return prefix.empty() ? std::string(key) : prefix + "." + std::string(key);
}

// --- sections in files of their own ---------------------------------------------------------------------------------

bool holds_tables(const toml::array& array) { return !array.empty() && array.is_homogeneous(toml::node_type::table); }

/// What becomes of an array of tables that both have: it is replaced, or each table changes the one of its number.
enum class Arrays { Replace, Change };

void merge(toml::table& base, toml::table&& over, Arrays arrays, const std::string& prefix = {}) {
  for (auto&& [key, node] : over) {
    const std::string path = join(prefix, key.str());
    if (toml::table* inner = node.as_table())
      if (toml::table* below = base.get_as<toml::table>(key)) {
        merge(*below, std::move(*inner), arrays, path);
        continue;
      }
    toml::array* ones = node.as_array();
    toml::array* others = base.get_as<toml::array>(key);
    if (arrays == Arrays::Change && ones != nullptr && others != nullptr && holds_tables(*ones) && holds_tables(*others)) {
      if (ones->size() != others->size())
        fail(position_of(node, ""), path,
             fmt::format("found {} [[{}]] tables, expected {}, as many as the base has: each changes the one of its number",
                         ones->size(), path, others->size()));
      for (std::size_t i = 0; i < ones->size(); ++i)
        merge(*(*others)[i].as_table(), std::move(*(*ones)[i].as_table()), arrays, path);
      continue;
    }
    node.visit([&base, &name = key](auto& value) { base.insert_or_assign(name, std::move(value)); });
  }
}

/// Why a file that a key names cannot be read, "" if it can.
std::string file_objection(const fs::path& path) {
  const std::string objection = core::note_input(path);
  if (objection.empty()) return {};
  return objection == "no such file" ? fmt::format("there is no file \"{}\"", path.string())
                                     : fmt::format("\"{}\" {}", path.string(), objection);
}

/// A section that was read from `file`, on top of the files that it starts from by `base`.
toml::table on_its_base(toml::table table, const fs::path& file, const std::string& section, const KeySpace& space,
                        const FileLookup& lookup) {
  if (!space.may_have_base(section)) return table;
  std::error_code ignored;  // a pipe has no such name
  std::set<fs::path> files{fs::weakly_canonical(file, ignored)};
  while (const toml::node* given = table.get("base")) {
    const Position at = position_of(*given, file.string());
    const std::string key = join(section, "base");
    const auto* name = given->as_string();
    if (name == nullptr) fail(at, key, "expected the name of a file");
    fs::path path;
    try {
      path = lookup(name->get(), section, at);
    } catch (const ConfigError& error) {
      fail(at, key, error.problems().front().message);
    }
    if (!files.insert(fs::weakly_canonical(path, ignored)).second) fail(at, key, "the files start from each other in a circle");
    toml::table base = parse_file(path);
    table.erase("base");
    merge(base, std::move(table), Arrays::Change, section);
    table = std::move(base);
  }
  return table;
}

toml::table parse_section(const fs::path& file, const std::string& section, const KeySpace& space, const FileLookup& lookup) {
  return on_its_base(parse_file(file), file, section, space, lookup);
}

void resolve_includes(toml::table& table, const std::string& prefix, const KeySpace& space, const FileLookup& lookup,
                      const std::string& file) {
  std::vector<std::string> keys;  // copies of the names, because the loop replaces sections
  for (auto&& [key, node] : table) keys.emplace_back(key.str());
  for (const std::string& key : keys) {
    const std::string path = join(prefix, key);
    if (!space.has_section(path)) continue;
    const toml::node& node = *table.get(key);
    if (const auto* name = node.as_string())
      table.insert_or_assign(key, parse_section(lookup(name->get(), path, position_of(node, file)), path, space, lookup));
    toml::table* section = table.get_as<toml::table>(key);
    if (section == nullptr) continue;
    std::set<fs::path> files;
    while (const auto* name = section->get_as<std::string>("file")) {
      const Position at = position_of(*name, file);
      const fs::path from = lookup(name->get(), path, at);
      std::error_code ignored;
      if (!files.insert(fs::weakly_canonical(from, ignored)).second)
        fail(at, path, "the files start from each other in a circle");
      toml::table base = parse_section(from, path, space, lookup);
      section->erase("file");
      merge(base, std::move(*section), Arrays::Replace);
      *section = std::move(base);
    }
    resolve_includes(*section, path, space, lookup, file);
  }
}

/// Replaces a whole section by the name of a file.
void name_section(toml::table& table, const std::string& key, const std::string& name) {
  toml::table* level = &table;
  std::size_t begin = 0;
  for (std::size_t dot = key.find('.'); dot != std::string::npos; dot = key.find('.', begin)) {
    const std::string part = key.substr(begin, dot - begin);
    if (const auto* file = level->get_as<std::string>(part))
      level->insert_or_assign(part, toml::table{{"file", file->get()}});
    else if (level->get_as<toml::table>(part) == nullptr)
      level->insert_or_assign(part, toml::table{});
    level = level->get_as<toml::table>(part);
    begin = dot + 1;
  }
  level->insert_or_assign(key.substr(begin), name);
}

// --- leaves ----------------------------------------------------------------------------------------------------------

std::string said_of(const std::string& key, const KeySpace& space, const Document::Elsewhere& elsewhere) {
  const std::string said = elsewhere ? elsewhere(key) : "";
  return said.empty() ? space.suggestion(key) : said;
}

void flatten(const toml::table& table, const std::string& prefix, const KeySpace& space, const Document::Elsewhere& elsewhere,
             const std::string& file, Leaves& leaves, Problems& problems) {
  for (auto&& [key, node] : table) {
    const std::string path = join(prefix, key.str());
    const Position at = position_of(node, file);
    if (key.str().find('.') != std::string_view::npos) {
      report(problems, at, path, "found a dot in the quoted name, expected a dotted key or a section");
      continue;
    }
    if (node.is_table() && !space.has_key(path)) {
      if (!space.has_section(path))
        report(problems, at, path, "there is no such section" + said_of(path, space, elsewhere));
      else
        flatten(*node.as_table(), path, space, elsewhere, file, leaves, problems);
      continue;
    }
    leaves[path] = {&node, at, false};
  }
}

// --- values ----------------------------------------------------------------------------------------------------------

std::string show(const toml::node& node) {
  if (node.is_table()) return "a table";
  if (node.is_array()) return "an array";
  std::string text;
  node.visit([&text](const auto& value) {
    if constexpr (toml::is_floating_point<decltype(value)>) {
      text = fmt::format("{}", value.get());
    } else if constexpr (toml::is_value<decltype(value)>) {
      std::ostringstream out;
      out << value;
      text = out.str();
    }
  });
  return text;
}

std::string range_of(const Row& p) {
  const std::string unit = p.unit.empty() ? "" : " " + std::string(p.unit);
  if (std::isinf(p.range.minimum) && std::isinf(p.range.maximum)) return "a number" + unit;
  if (std::isinf(p.range.maximum)) return fmt::format("at least {:g}{}", p.range.minimum, unit);
  return fmt::format("{:g} to {:g}{}", p.range.minimum, p.range.maximum, unit);
}

std::optional<std::size_t> choice_index(const std::vector<std::string_view>& choices, const std::string& text) {
  const auto found = std::find(choices.begin(), choices.end(), text);
  if (found == choices.end()) return std::nullopt;
  return static_cast<std::size_t>(found - choices.begin());
}

/// Sets one field from its node; returns the problem, "" if there is none.
class Setter {
 public:
  Setter(const Row& row, const Leaf& leaf) : p_(row), leaf_(leaf) {}

  std::string operator()(bool* field) const {
    const auto value = leaf_.node->value<bool>();
    if (!leaf_.node->is_boolean()) return expected("true or false");
    *field = *value;
    return {};
  }
  std::string operator()(std::int64_t* field) const {
    if (!leaf_.node->is_integer()) return expected("a whole number");
    const std::int64_t value = **leaf_.node->as_integer();
    if (outside(static_cast<double>(value))) return expected(range_of(p_));
    *field = value;
    return {};
  }
  std::string operator()(std::uint32_t* field) const {
    if (!leaf_.node->is_integer()) return expected("a whole number");
    const std::int64_t value = **leaf_.node->as_integer();
    if (value < 0 || value > 0xFFFF'FFFF || outside(static_cast<double>(value)))
      return expected(std::isinf(p_.range.maximum) ? "a whole number from 0" : range_of(p_));
    *field = static_cast<std::uint32_t>(value);
    return {};
  }
  std::string operator()(double* field) const {
    double value = 0;
    if (!number(*leaf_.node, value)) return expected(leaf_.node->is_integer() ? kExactNumber : "a number");
    if (outside(value)) return expected(range_of(p_));
    *field = value;
    return {};
  }
  std::string operator()(std::string* field) const {
    if (!leaf_.node->is_string()) return expected("a text");
    const std::string value = **leaf_.node->as_string();
    if (!p_.choices.empty() && !choice_index(p_.choices, value)) return expected_choice(value);
    *field = value;
    return {};
  }
  std::string operator()(const Choice& field) const {
    if (!leaf_.node->is_string()) return expected("a text");
    const std::string value = **leaf_.node->as_string();
    const auto index = choice_index(p_.choices, value);
    if (!index) return expected_choice(value);
    field.set(*index);
    return {};
  }
  std::string operator()(const Names& field) const {
    const toml::array* array = leaf_.node->as_array();
    if (array == nullptr || (!array->empty() && !array->is_homogeneous(toml::node_type::string)))
      return expected("an array of names of " + names_of_choices());
    std::int64_t sum = 0;
    for (const toml::node& element : *array) {
      const std::string value = **element.as_string();
      const auto index = choice_index(p_.choices, value);
      if (!index) return expected_choice(value);
      if ((sum >> *index & 1) != 0) return fmt::format("found \"{}\" twice", value);
      sum |= std::int64_t{1} << *index;
    }
    *field.sum = sum;
    return {};
  }
  std::string operator()(const Notated& field) const {
    if (field.numbers && leaf_.node->is_integer()) return field.read(std::to_string(**leaf_.node->as_integer()));
    if (field.reals && leaf_.node->is_floating_point()) return field.read(show(*leaf_.node));
    if (!leaf_.node->is_string())
      return expected(field.reals ? "a number or a text" : field.numbers ? "a text or a whole number" : "a text");
    const std::string value = **leaf_.node->as_string();
    if (!p_.choices.empty() && !choice_index(p_.choices, value)) return expected_choice(value);
    return field.read(value);
  }
  std::string operator()(FileName* field) const {
    if (!leaf_.node->is_string()) return expected("the name of a file");
    return file(**leaf_.node->as_string(), *field);
  }
  std::string operator()(std::vector<FileName>* field) const {
    const toml::array* array = leaf_.node->as_array();
    if (array == nullptr || (!array->empty() && !array->is_homogeneous(toml::node_type::string)))
      return expected("an array of file names");
    field->clear();
    for (const toml::node& element : *array) {
      FileName name;
      if (std::string problem = file(**element.as_string(), name); !problem.empty()) return problem;
      field->push_back(std::move(name));
    }
    return {};
  }
  std::string operator()(std::vector<std::uint32_t>* field) const {
    return array(field, "an array of whole numbers from 0", whole);
  }
  std::string operator()(std::vector<double>* field) const { return array(field, "an array of numbers", number); }
  std::string operator()(std::vector<std::pair<std::uint32_t, double>>* field) const {
    return array(field, "an array of pairs [distance, number], each a whole number from 0 and a finite number",
                 [](const toml::node& node, auto& value) {
                   const toml::array* pair = node.as_array();
                   return pair != nullptr && pair->size() == 2 && whole((*pair)[0], value.first) &&
                          number((*pair)[1], value.second);
                 });
  }
  std::string operator()(std::vector<std::pair<std::uint32_t, std::uint32_t>>* field) const {
    return array(field, "an array of pairs of whole numbers", [](const toml::node& node, auto& value) {
      const toml::array* pair = node.as_array();
      return pair != nullptr && pair->size() == 2 && whole((*pair)[0], value.first) && whole((*pair)[1], value.second);
    });
  }
  std::string operator()(const NumberRows& field) const {
    std::vector<std::vector<double>> rows;
    const std::string problem = array(&rows, "an array of rows of numbers", [](const toml::node& node, auto& row) {
      const toml::array* numbers = node.as_array();
      if (numbers == nullptr) return false;
      row.resize(numbers->size());
      for (std::size_t i = 0; i < row.size(); ++i)
        if (!number((*numbers)[i], row[i])) return false;
      return true;
    });
    return problem.empty() ? field.take(rows) : problem;
  }

 private:
  static bool whole(const toml::node& node, std::uint32_t& value) {
    const toml::value<std::int64_t>* found = node.as_integer();
    if (found == nullptr || **found < 0 || **found > 0xFFFF'FFFF) return false;
    value = static_cast<std::uint32_t>(**found);
    return true;
  }
  static constexpr const char* kExactNumber = "a number (a whole one of at most 2^53)";

  /// Reads every real number. An integer that a double does not hold exactly is refused.
  static bool number(const toml::node& node, double& value) {
    if (const toml::value<std::int64_t>* whole = node.as_integer()) {
      constexpr std::int64_t kLargest = std::int64_t{1} << std::numeric_limits<double>::digits;
      value = static_cast<double>(**whole);
      return **whole >= -kLargest && **whole <= kLargest;
    }
    const toml::value<double>* real = node.as_floating_point();
    if (real == nullptr) return false;
    value = **real;
    return std::isfinite(value);
  }
  template <typename Value, typename Read>
  std::string array(std::vector<Value>* field, const char* what, const Read& read) const {
    const toml::array* elements = leaf_.node->as_array();
    if (elements == nullptr) return expected(what);
    field->clear();
    for (const toml::node& element : *elements) {
      Value value{};
      if (!read(element, value)) return fmt::format("found {} as element {}, expected {}", show(element), field->size(), what);
      field->push_back(value);
    }
    return {};
  }
  bool outside(double value) const { return value < p_.range.minimum || value > p_.range.maximum; }
  std::string expected(const std::string& what) const { return fmt::format("found {}, expected {}", show(*leaf_.node), what); }
  std::string expected_choice(const std::string& value) const {
    return fmt::format("found \"{}\", expected one of {}{}", value, names_of_choices(), core::did_you_mean(value, p_.choices));
  }
  std::string names_of_choices() const { return fmt::format("{}", fmt::join(p_.choices, ", ")); }
  std::string file(const std::string& text, FileName& name) const {
    name.text = text;
    // File names in a file are relative to its folder, those of the command line (no line number) to the working directory.
    const fs::path base = leaf_.position.line > 0 ? core::folder_of_input(leaf_.position.file) : fs::path();
    name.path = text.empty() ? fs::path() : base / text;
    if (name.is_standard_input()) name.path = text;
    if (text.empty() || name.is_standard_input()) return {};
    std::error_code ignored;
    if (!name.first_part.empty() && !fs::exists(name.path, ignored))
      for (const char* compressed : {"", ".gz", ".xz", ".zst", ".bz2"}) {
        const fs::path first_part = name.path.string() + std::string(name.first_part) + compressed;
        if (fs::exists(first_part, ignored)) return file_objection(first_part);
      }
    return file_objection(name.path);
  }

  const Row& p_;
  const Leaf& leaf_;
};

/// Sets the rows. `where` gives the position to report for a missing required key.
void apply(const std::vector<BoundRow>& rows, Leaves& leaves, const std::function<Position(const std::string& key)>& where,
           Problems& problems) {
  for (const BoundRow& bound : rows) {
    const auto found = leaves.find(bound.key);
    if (found == leaves.end()) {
      if (bound.row->required)
        report(problems, where(bound.key), bound.key, "is missing: " + std::string(bound.row->description));
      continue;
    }
    found->second.used = true;
    const std::string problem = std::visit(Setter(*bound.row, found->second), bound.field);
    if (!problem.empty()) report(problems, found->second.position, bound.key, problem);
  }
}

void report_unused(const Leaves& leaves, const KeySpace& space, const Document::Elsewhere& elsewhere, Problems& problems) {
  for (const auto& [path, leaf] : leaves) {
    if (leaf.used) continue;
    if (space.has_section(path))
      report(problems, leaf.position, path,
             fmt::format("found {}, expected a section or the name of its file", show(*leaf.node)));
    else
      report(problems, leaf.position, path, "there is no such key" + said_of(path, space, elsewhere));
  }
}

/// An override of a key of one table of an array.
struct ElementOverride {
  std::string whole;  ///< the key as it was given: ARRAY.N.KEY
  std::size_t element = 0;
  std::string key;  ///< ARRAY.KEY
  Leaf leaf;
};

/// The override, if it is one of this array. Reports one without the number of a table.
std::optional<ElementOverride> override_of(const BoundArray& array, const std::string& key, const Leaf& leaf,
                                           Problems& problems) {
  const std::string begin = array.key + ".";
  if (key.rfind(begin, 0) != 0) return std::nullopt;
  const std::string rest = key.substr(begin.size());
  const std::size_t dot = rest.find('.');
  const std::string number = rest.substr(0, dot);
  constexpr std::size_t kMaxDigits = 9;
  if (dot == std::string::npos || number.empty() || number.size() > kMaxDigits ||
      number.find_first_not_of("0123456789") != std::string::npos) {
    report(problems, leaf.position, key,
           fmt::format("expected the number of a {0}, from 0 on, and its key: {1}.0.{2}", array.one, array.key,
                       dot == std::string::npos || number.empty() ? rest : rest.substr(dot + 1)));
    return std::nullopt;
  }
  return ElementOverride{key, std::stoul(number), begin + rest.substr(dot + 1), leaf};
}

bool below(const std::string& key, const std::string& section) {
  return key.size() > section.size() && key.compare(0, section.size(), section) == 0 && key[section.size()] == '.';
}

/// The tables of an array of them, `[[key]]`; at least one, if the array is required.
void apply_array(const BoundArray& bound, Leaves& leaves, const std::vector<ElementOverride>& overrides, const Position& where,
                 Source& source, Problems& problems) {
  const auto found = leaves.find(bound.key);
  if (found == leaves.end()) {
    if (bound.required) report(problems, where, bound.key, fmt::format("is missing: at least one {}", bound.one));
    for (const ElementOverride& set : overrides)
      report(problems, set.leaf.position, set.whole, fmt::format("there is no [[{}]]", bound.key));
    return;
  }
  found->second.used = true;
  const toml::array* array = found->second.node->as_array();
  if (array == nullptr || array->empty() || !array->is_homogeneous(toml::node_type::table)) {
    report(problems, found->second.position, bound.key,
           fmt::format("expected one [[{}]] table for each {}", bound.key, bound.one));
    return;
  }
  KeySpace space;
  for (const BoundRow& row : bound.example()) space.add(row.key);
  for (const ElementOverride& set : overrides)
    if (set.element >= array->size())
      report(problems, set.leaf.position, set.whole,
             fmt::format("there is no {0} {1}, expected 0 to {2}", bound.one, set.element, array->size() - 1));
  for (std::size_t i = 0; i < array->size(); ++i) {
    const toml::node& node = (*array)[i];
    Position at = position_of(node, found->second.position.file);
    Leaves leaves_of_one;
    const std::size_t first_problem = problems.size();
    flatten(*node.as_table(), bound.key, space, {}, at.file, leaves_of_one, problems);
    for (const ElementOverride& set : overrides)
      if (set.element == i) leaves_of_one[set.key] = set.leaf;
    apply(bound.append(), leaves_of_one, [&at](const std::string& /*key*/) { return at; }, problems);
    report_unused(leaves_of_one, space, {}, problems);
    const std::string name = fmt::format("{}.{}", bound.key, i);
    for (std::size_t k = first_problem; k < problems.size(); ++k)
      if (below(problems[k].key, bound.key)) problems[k].key.replace(0, bound.key.size(), name);
    source.positions[name] = at;
    for (const auto& [key, leaf] : leaves_of_one) source.positions[name + key.substr(bound.key.size())] = leaf.position;
  }
}

Leaf override_leaf(const std::string& text, std::vector<toml::table>& owners, std::string& key) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) fail({"--set " + text, 0, 0}, "", "expected KEY=VALUE");
  key = text.substr(0, equals);
  key.erase(std::remove(key.begin(), key.end(), ' '), key.end());
  const std::string value = text.substr(equals + 1);
  try {
    owners.push_back(toml::parse("v = " + value));
  } catch (const toml::parse_error&) {
    toml::table table;
    table.insert("v", value);
    owners.push_back(std::move(table));
  }
  if (owners.back().size() != 1) fail({"--set " + key, 0, 0}, key, "found more lines after the value, expected one KEY=VALUE");
  return {owners.back().get("v"), {"--set " + text, 0, 0}, false};
}

}  // namespace

void KeySpace::add(const std::string& key) {
  keys_.insert(key);
  for (std::size_t dot = key.find('.'); dot != std::string::npos; dot = key.find('.', dot + 1))
    sections_.insert(key.substr(0, dot));
}

void KeySpace::add(const Grammar& grammar) {
  for (const BoundRow& row : grammar.rows()) add(row.key);
  for (const BoundArray& array : grammar.arrays()) add(array.key);
  for (const SectionWithBase& section : grammar.with_base()) add_base(section.key);
}

std::string KeySpace::suggestion(const std::string& key) const {
  std::vector<std::string_view> names(keys_.begin(), keys_.end());
  names.insert(names.end(), sections_.begin(), sections_.end());
  return core::did_you_mean(key, names);
}

fs::path file_beside(const std::string& name, const std::string& section, const Position& at) {
  fs::path path = core::folder_of_input(at.file) / name;
  if (const std::string objection = file_objection(path); !objection.empty()) fail(at, section, objection);
  return path;
}

struct Document::Tables {
  std::string file;
  toml::table table;
  std::vector<toml::table> owners;  // keep the nodes of the overrides' values
  std::vector<std::pair<std::string, Leaf>> set_keys;
  std::map<std::string, std::pair<std::string, Position>>
      names;  // by top section: the name that it starts from, and that name's position
};

Document::Document(const fs::path& file, const std::vector<std::string>& overrides, const KeySpace& space,
                   const FileLookup& lookup, const std::string* text)
    : tables_(std::make_unique<Tables>()) {
  Tables& t = *tables_;
  t.file = file.string();
  t.owners.reserve(overrides.size());
  t.table = on_its_base(text != nullptr ? parse_text(file, *text) : parse_file(file), file, "", space, lookup);
  for (const std::string& given : overrides) {
    std::string key;
    const Leaf leaf = override_leaf(given, t.owners, key);
    if (space.has_section(key) && leaf.node->is_string()) {  // another file for a whole section
      try {
        lookup(**leaf.node->as_string(), key, {t.file, 0, 0});
      } catch (const ConfigError& error) {
        fail(leaf.position, key, error.problems().front().message);
      }
      name_section(t.table, key, **leaf.node->as_string());
    } else {
      t.set_keys.emplace_back(key, leaf);
    }
  }
  for (auto&& [key, node] : t.table) {
    std::string name;
    if (const auto* named = node.as_string()) name = named->get();
    if (const toml::table* section = node.as_table())
      if (const auto* start = section->get_as<std::string>("file")) name = start->get();
    t.names[std::string(key.str())] = {name, position_of(node, t.file)};
  }
  resolve_includes(t.table, "", space, lookup, t.file);
}

Document::~Document() = default;

std::optional<std::string> Document::text(const std::string& key) const {
  for (auto set = tables_->set_keys.rbegin(); set != tables_->set_keys.rend(); ++set)
    if (set->first == key) return set->second.node->value<std::string>();
  const toml::node_view<const toml::node> node = std::as_const(tables_->table).at_path(key);
  return node.is_string() ? node.value<std::string>() : std::nullopt;
}

std::string Document::name_of(const std::string& section) const {
  const auto found = tables_->names.find(section);
  return found != tables_->names.end() ? found->second.first : std::string();
}

void Document::read(const Grammar& grammar, Source& source, Problems& problems, const Elsewhere& elsewhere) const {
  const Tables& t = *tables_;
  source.file = t.file;
  KeySpace space;
  space.add(grammar);
  Leaves leaves;
  flatten(t.table, "", space, elsewhere, t.file, leaves, problems);
  std::vector<std::vector<ElementOverride>> of_elements(grammar.arrays().size());
  for (const auto& [key, leaf] : t.set_keys) {
    bool own = true;
    for (std::size_t i = 0; i < of_elements.size(); ++i) {
      const BoundArray& array = grammar.arrays()[i];
      if (!below(key, array.key)) continue;
      own = false;
      if (auto set = override_of(array, key, leaf, problems)) of_elements[i].push_back(std::move(*set));
    }
    if (own) leaves[key] = leaf;
  }

  // A missing required section is one problem, not one for each of its keys. Overrides of it are no further problem.
  std::vector<std::string> absent;
  for (const RequiredSection& section : grammar.required()) {
    if (t.names.count(section.key) == 0 || leaves.count(section.key) != 0) absent.push_back(section.key);
  }
  const auto is_absent = [&absent](const std::string& key) {
    return std::any_of(absent.begin(), absent.end(), [&key](const std::string& section) { return below(key, section); });
  };
  const auto where = [&](const std::string& key) {
    for (const RequiredSection& section : grammar.required())
      if (below(key, section.key)) return t.names.at(section.key).second;
    return Position{t.file, 0, 0};
  };
  std::vector<BoundRow> rows;
  for (const BoundRow& row : grammar.rows())
    if (!is_absent(row.key)) rows.push_back(row);
  apply(rows, leaves, where, problems);
  for (std::size_t i = 0; i < of_elements.size(); ++i) {
    const BoundArray& array = grammar.arrays()[i];
    if (!is_absent(array.key)) apply_array(array, leaves, of_elements[i], where(array.key), source, problems);
  }
  for (const RequiredSection& section : grammar.required())
    if (t.names.count(section.key) == 0)
      report(problems, {t.file, 0, 0}, section.key, "is missing: " + std::string(section.meaning));
  for (auto& [key, leaf] : leaves)
    if (is_absent(key)) leaf.used = true;
  report_unused(leaves, space, elsewhere, problems);
  for (const auto& [key, leaf] : leaves) source.positions[key] = leaf.position;
  for (const RequiredSection& section : grammar.required())
    if (const auto given = t.names.find(section.key); given != t.names.end())
      source.positions[section.key] = given->second.second;
}

}  // namespace platter::params
