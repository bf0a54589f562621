// SPDX-License-Identifier: Apache-2.0
#include "platter/config/loader.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>

#include "platter/buffer/segment_buffer.h"
#include "platter/config/parameter.h"
#include "platter/core/error.h"
#include "platter/core/input_files.h"
#include "platter/core/nearest.h"
#include "platter/host/media_server/reservation.h"
#include "platter/host/mixed_server/workload.h"
#include "platter/mechanics/access_planner.h"
#include "platter/scheduling/policies.h"
#include "platter/workload/trace_formats.h"

namespace platter::config {

namespace fs = std::filesystem;
using core::ConfigError;
using core::ConfigProblem;

namespace {

using Problems = std::vector<ConfigProblem>;
using Position = Scenario::Position;

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

/// The parser bounds the depth of values, not that of keys: one of a hundred thousand parts would take the whole stack.
void check_depth(const std::string& text, const std::string& file) {
  constexpr std::ptrdiff_t kMostParts = 256;
  std::uint32_t line = 1;
  for (std::size_t begin = 0; begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view whole(text.data() + begin, end - begin);
    const std::string_view key = whole.substr(0, whole.find_first_of("=,#{"));
    if (std::count(key.begin(), key.end(), '.') >= kMostParts)
      fail({file, line, 1}, "", fmt::format("found a key of more than {} parts", kMostParts));
    begin = end + 1;
  }
}

toml::table parse_file(const fs::path& file) {
  if (const std::string objection = core::note_input(file); !objection.empty()) fail({file.string(), 0, 0}, "", objection);
  const std::string text = core::read_input(file);  // a pipe has no size, which toml::parse_file asks for
  check_depth(text, file.string());
  try {
    return toml::parse(text, file.string());
  } catch (const toml::parse_error& error) {
    fail({file.string(), error.source().begin.line, error.source().begin.column}, "",
         fmt::format("not valid TOML: {}", error.description()));
  }
}

std::string join(const std::string& prefix, std::string_view key) {
  return prefix.empty() ? std::string(key) : prefix + "." + std::string(key);
}

// --- sections in files of their own ---------------------------------------------------------------------------------

/// All keys of a configuration, and the sections above them.
struct KeySpace {
  std::set<std::string> keys;
  std::set<std::string> sections;

  void add(const std::string& key) {
    keys.insert(key);
    for (std::size_t dot = key.find('.'); dot != std::string::npos; dot = key.find('.', dot + 1))
      sections.insert(key.substr(0, dot));
  }
  std::string suggestion(const std::string& key) const {
    std::vector<std::string_view> names(keys.begin(), keys.end());
    names.insert(names.end(), sections.begin(), sections.end());
    return core::did_you_mean(key, names);
  }
};

void merge(toml::table& base, toml::table&& over) {
  for (auto&& [key, node] : over) {
    if (toml::table* inner = node.as_table())
      if (toml::table* below = base.get_as<toml::table>(key)) {
        merge(*below, std::move(*inner));
        continue;
      }
    node.visit([&base, &key = key](auto& value) { base.insert_or_assign(key, std::move(value)); });
  }
}

std::vector<std::string_view> drive_names(const std::vector<ShippedDrive>& drives) {
  std::vector<std::string_view> names;
  names.reserve(drives.size());
  for (const ShippedDrive& drive : drives) names.emplace_back(drive.name);
  return names;
}

/// Why a file that a key names cannot be read, "" if it can.
std::string file_objection(const fs::path& path) {
  const std::string objection = core::note_input(path);
  if (objection.empty()) return {};
  return objection == "no such file" ? fmt::format("there is no file \"{}\"", path.string()) : fmt::format("\"{}\" {}", path.string(), objection);
}

/// The file that a section or a drive is named by.
fs::path named_file(const std::string& name, const std::string& section, const Position& at) {
  const bool is_path = name.find('/') != std::string::npos || fs::path(name).extension() == ".toml";
  if (section == "drive" && !is_path) {
    const std::vector<ShippedDrive> drives = shipped_drives();
    for (const ShippedDrive& drive : drives)
      if (drive.name == name) return drive.path;
    fail(at, section, fmt::format("there is no drive \"{}\"{}; `platter list drives` shows those that ship", name,
                                  core::did_you_mean(name, drive_names(drives))));
  }
  fs::path path = core::folder_of_input(at.file) / name;
  if (const std::string objection = file_objection(path); !objection.empty()) fail(at, section, objection);
  return path;
}

void resolve_includes(toml::table& table, const std::string& prefix, const KeySpace& space, const std::string& file) {
  std::vector<std::string> keys;  // names, since sections are exchanged on the way
  for (auto&& [key, node] : table) keys.emplace_back(key.str());
  for (const std::string& key : keys) {
    const std::string path = join(prefix, key);
    if (space.sections.count(path) == 0) continue;
    const toml::node& node = *table.get(key);
    if (const auto* name = node.as_string())
      table.insert_or_assign(key, parse_file(named_file(name->get(), path, position_of(node, file))));
    toml::table* section = table.get_as<toml::table>(key);
    if (section == nullptr) continue;
    int files = 0;
    while (const auto* name = section->get_as<std::string>("file")) {
      const Position at = position_of(*name, file);
      if (++files > 8) fail(at, path, "the files start from each other in a circle");
      toml::table base = parse_file(named_file(name->get(), path, at));
      section->erase("file");
      merge(base, std::move(*section));
      *section = std::move(base);
    }
    resolve_includes(*section, path, space, file);
  }
}

/// Puts the name of a file in place of a whole section.
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

void flatten(const toml::table& table, const std::string& prefix, const KeySpace& space, const std::string& file,
             Leaves& leaves, Problems& problems) {
  for (auto&& [key, node] : table) {
    const std::string path = join(prefix, key.str());
    const Position at = position_of(node, file);
    if (node.is_table() && space.keys.count(path) == 0) {
      if (space.sections.count(path) == 0)
        report(problems, at, path, "there is no such section" + space.suggestion(path));
      else
        flatten(*node.as_table(), path, space, file, leaves, problems);
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

template <typename Object>
std::string range_of(const Parameter<Object>& p) {
  const std::string unit = p.unit.empty() ? "" : " " + std::string(p.unit);
  if (std::isinf(p.minimum) && std::isinf(p.maximum)) return "a number" + unit;
  if (std::isinf(p.maximum)) return fmt::format("at least {:g}{}", p.minimum, unit);
  return fmt::format("{:g} to {:g}{}", p.minimum, p.maximum, unit);
}

std::optional<std::size_t> choice_index(const std::vector<std::string_view>& choices, const std::string& text) {
  const auto found = std::find(choices.begin(), choices.end(), text);
  if (found == choices.end()) return std::nullopt;
  return static_cast<std::size_t>(found - choices.begin());
}

/// Sets one field from its node; returns what is wrong, "" if nothing is.
template <typename Object>
class Setter {
 public:
  Setter(const Parameter<Object>& parameter, const Leaf& leaf) : p_(parameter), leaf_(leaf) {}

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
      return expected(std::isinf(p_.maximum) ? "a whole number from 0" : range_of(p_));
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
  template <typename Enum, typename = std::enable_if_t<std::is_enum_v<Enum>>>
  std::string operator()(Enum* field) const {
    if (!leaf_.node->is_string()) return expected("a text");
    const std::string value = **leaf_.node->as_string();
    const auto index = choice_index(p_.choices, value);
    if (!index) return expected_choice(value);
    *field = static_cast<Enum>(*index);
    return {};
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
    return array(field, "an array of [distance, time] pairs", [](const toml::node& node, auto& value) {
      const toml::array* pair = node.as_array();
      return pair != nullptr && pair->size() == 2 && whole((*pair)[0], value.first) && number((*pair)[1], value.second);
    });
  }
  std::string operator()(std::vector<std::pair<std::uint32_t, std::uint32_t>>* field) const {
    return array(field, "an array of pairs of whole numbers", [](const toml::node& node, auto& value) {
      const toml::array* pair = node.as_array();
      return pair != nullptr && pair->size() == 2 && whole((*pair)[0], value.first) && whole((*pair)[1], value.second);
    });
  }

 private:
  static bool whole(const toml::node& node, std::uint32_t& value) {
    const toml::value<std::int64_t>* found = node.as_integer();
    if (found == nullptr || **found < 0 || **found > 0xFFFF'FFFF) return false;
    value = static_cast<std::uint32_t>(**found);
    return true;
  }
  static constexpr const char* kExactNumber = "a number (a whole one of at most 2^53)";

  /// The one place where a real is read: an integer that a double does not hold exactly is none.
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
      if (!read(element, value))
        return fmt::format("found {} as element {}, expected {}", show(element), field->size(), what);
      field->push_back(value);
    }
    return {};
  }
  bool outside(double value) const { return value < p_.minimum || value > p_.maximum; }
  std::string expected(const std::string& what) const {
    return fmt::format("found {}, expected {}", show(*leaf_.node), what);
  }
  std::string expected_choice(const std::string& value) const {
    std::string names;
    for (const std::string_view choice : p_.choices) names += (names.empty() ? "" : ", ") + std::string(choice);
    return fmt::format("found \"{}\", expected one of {}{}", value, names, core::did_you_mean(value, p_.choices));
  }
  std::string file(const std::string& text, FileName& name) const {
    name.text = text;
    // A file's own names count from where it stands, those of the command line (no line) from the working directory.
    const fs::path base = leaf_.position.line > 0 ? core::folder_of_input(leaf_.position.file) : fs::path();
    name.path = text.empty() ? fs::path() : base / text;
    return text.empty() ? std::string() : file_objection(name.path);
  }

  const Parameter<Object>& p_;
  const Leaf& leaf_;
};

template <typename Object>
void apply(const std::vector<Parameter<Object>>& table, const std::string& prefix, Leaves& leaves, Object& object,
           const Position& where, Problems& problems) {
  for (const Parameter<Object>& parameter : table) {
    const std::string key = join(prefix, parameter.key);
    const auto found = leaves.find(key);
    if (found == leaves.end()) {
      if (parameter.required) report(problems, where, key, "is missing: " + std::string(parameter.description));
      continue;
    }
    found->second.used = true;
    const std::string problem = std::visit(Setter<Object>(parameter, found->second), parameter.field(object));
    if (!problem.empty()) report(problems, found->second.position, key, problem);
  }
}

void report_unused(const Leaves& leaves, const KeySpace& space, Problems& problems) {
  for (const auto& [path, leaf] : leaves) {
    if (leaf.used) continue;
    if (space.sections.count(path) != 0)
      report(problems, leaf.position, path,
             fmt::format("found {}, expected a section or the name of its file", show(*leaf.node)));
    else
      report(problems, leaf.position, path, "there is no such key" + space.suggestion(path));
  }
}

template <typename Object>
void add_keys(KeySpace& space, const std::vector<Parameter<Object>>& table, const std::string& prefix) {
  for (const Parameter<Object>& parameter : table) space.add(join(prefix, parameter.key));
}

constexpr const char* kZones = "geometry.zone";

KeySpace drive_keys(const std::string& prefix) {
  KeySpace space;
  add_keys(space, drive_parameters(), prefix);
  space.add(join(prefix, kZones));
  space.add(join(prefix, "format"));
  return space;
}

/// The tables of an array of them, `[[key]]`; at least one.
template <typename Element>
void apply_tables(const std::string& key, const char* one, const std::vector<Parameter<Element>>& table, Leaves& leaves,
                  std::vector<Element>& elements, const Position& where, Problems& problems) {
  const auto found = leaves.find(key);
  if (found == leaves.end()) {
    report(problems, where, key, fmt::format("is missing: at least one {}", one));
    return;
  }
  found->second.used = true;
  const toml::array* array = found->second.node->as_array();
  if (array == nullptr || array->empty() || !array->is_homogeneous(toml::node_type::table)) {
    report(problems, found->second.position, key, fmt::format("expected one [[{}]] table for each {}", key, one));
    return;
  }
  KeySpace space;
  add_keys(space, table, key);
  for (const toml::node& node : *array) {
    const Position at = position_of(node, found->second.position.file);
    Leaves own_leaves;
    flatten(*node.as_table(), key, space, at.file, own_leaves, problems);
    Element element;
    apply(table, key, own_leaves, element, at, problems);
    report_unused(own_leaves, space, problems);
    elements.push_back(std::move(element));
  }
}

/// The drive's part of the leaves below `prefix`; checks that the profile describes a drive.
void apply_drive(const std::string& prefix, Leaves& leaves, mechanics::DriveProfile& profile, const Position& where,
                 Problems& problems) {
  const std::size_t before = problems.size();
  apply(drive_parameters(), prefix, leaves, profile, where, problems);
  apply_tables(join(prefix, kZones), "zone", zone_parameters(), leaves, profile.geometry.zones, where, problems);
  const auto format = leaves.find(join(prefix, "format"));
  if (format == leaves.end()) {
    report(problems, where, join(prefix, "format"), "is missing, expected 1");
  } else {
    format->second.used = true;
    if (format->second.node->value<std::int64_t>() != 1)
      report(problems, format->second.position, format->first, "expected 1");
  }
  if (problems.size() != before) return;
  const auto check = [&](const char* key, const auto& make) {
    try {
      make();
    } catch (const std::invalid_argument& error) {
      report(problems, where, join(prefix, key), error.what());
    }
  };
  check("seek", [&profile] { mechanics::SeekCurve(profile.seek, profile.geometry.cylinders); });
  check("geometry", [&profile] { const mechanics::Geometry geometry(profile.geometry); });
  if (problems.size() == before) check("mechanics", [&profile] { const mechanics::AccessPlanner planner(profile); });
  if (const std::string objection = buffer::SegmentBuffer::objection(profile.cache); !objection.empty()) {
    const std::string key = join(prefix, "cache.write_segments");
    const auto given = leaves.find(key);
    report(problems, given != leaves.end() ? given->second.position : where, key, objection);
  }
}

// --- checks between keys ---------------------------------------------------------------------------------------------

/// A host's block cache is there from the beginning, each of its blocks with an entry.
constexpr std::int64_t kMostCacheBlocks = 1 << 24;

void check_array(const Scenario& s, Problems& problems) {
  const ArrayLayout& a = s.array;
  const auto refuse = [&s, &problems](const char* key, const std::string& what) { report(problems, s.at(key), key, what); };
  const std::uint32_t sector = s.drive.geometry.sector_bytes;
  const auto whole = [&refuse](const char* key, std::uint64_t bytes, std::uint32_t of, const char* what) {
    if (bytes % of != 0) refuse(key, fmt::format("found {}, expected a multiple of the {} bytes of {}", bytes, of, what));
  };
  if (a.copies > a.drives) refuse("array.copies", fmt::format("found {}, expected at most array.drives, which is {}", a.copies, a.drives));
  if (s.returns_at_s > 0 && s.dies_at_s <= 0) {
    refuse("fault.returns_at_s", "found a drive that returns, expected fault.dies_at_s before it");
  } else if (s.returns_at_s > 0) {
    if (s.returns_at_s <= s.dies_at_s)
      refuse("fault.returns_at_s", fmt::format("found {:g}, expected a time after fault.dies_at_s, which is {:g}", s.returns_at_s, s.dies_at_s));
    if (!a.striped()) refuse("fault.returns_at_s", "found a drive that returns, expected array.kind = \"striped\"");
  }
  if (s.dying_drive >= a.drives)
    refuse("fault.drive", fmt::format("found {}, expected one of the array's {} drives, from 0", s.dying_drive, a.drives));
  if (!a.striped()) {
    const ArrayLayout unset;
    const std::pair<const char*, bool> striped_only[] = {{"array.unit_bytes", a.unit_bytes != unset.unit_bytes},
                                                         {"array.tags", a.tags != unset.tags},
                                                         {"array.cache_bytes", a.cache_bytes != unset.cache_bytes},
                                                         {"array.cache_block_bytes", a.cache_block_bytes != unset.cache_block_bytes},
                                                         {"array.stream_buffer_units", a.stream_buffer_units != unset.stream_buffer_units},
                                                         {"array.rebuild_outstanding", a.rebuild_outstanding != unset.rebuild_outstanding},
                                                         {"array.rebuild_bytes_per_s", a.rebuild_bytes_per_s != unset.rebuild_bytes_per_s}};
    for (const auto& [key, set] : striped_only)
      if (set) refuse(key, "is of a striped array, expected array.kind = \"striped\"");
  }
  if (!a.present()) return;
  if (s.drive.token_rate_bytes_per_s > 0)
    refuse("drive.port.token_rate_bytes_per_s", "found a token bucket, expected none on the drives of an array");
  if (!a.striped()) {
    if (s.dies_at_s > 0) refuse("fault.dies_at_s", "found a drive that dies, expected none in an EW-Array");
    if (!s.eager.enabled) whole("eager.block_bytes", s.eager.block_bytes, sector, "a sector");
    return;
  }
  if (s.eager.enabled) refuse("array.kind", "found striped, expected ew for drives that write eagerly");
  if (a.copies > 2) refuse("array.copies", fmt::format("found {}, expected 1 or 2 in a striped array", a.copies));
  if (a.answer != "all") refuse("array.answer", fmt::format("found {}, expected all in a striped array", a.answer));
  if (a.tags > s.drive.queue_depth)
    refuse("array.tags", fmt::format("found {}, expected at most drive.queue.depth, which is {}", a.tags, s.drive.queue_depth));
  whole("array.unit_bytes", a.unit_bytes, sector, "a sector");
  if (a.cache_bytes > 0) {
    whole("array.cache_block_bytes", a.cache_block_bytes, sector, "a sector");
    whole("array.unit_bytes", a.unit_bytes, a.cache_block_bytes, "a block of the cache");
    if (a.cache_bytes < a.cache_block_bytes)
      refuse("array.cache_bytes", fmt::format("found {}, expected 0 or at least array.cache_block_bytes, which is {}", a.cache_bytes, a.cache_block_bytes));
    if (a.cache_bytes / a.cache_block_bytes > kMostCacheBlocks)
      refuse("array.cache_bytes", fmt::format("found {}, expected at most {} blocks of array.cache_block_bytes, which is {}", a.cache_bytes,
                                              kMostCacheBlocks, a.cache_block_bytes));
    if (a.stream_buffer_units > 0) refuse("array.stream_buffer_units", "found buffers for streams, expected none beside array.cache_bytes");
  }
}

/// Simulated time ends at 2^63 ps, which is 9.2e6 s. A run ends within 2e6 s, and the draw that passes its end adds less than 54 means.
constexpr double kLongestMean_s = 1e5;
constexpr double kLeastRate = 1 / kLongestMean_s;
constexpr double kLatest_s = 1e6;  // as for each key that is an instant

void check_scenario(const Scenario& s, Problems& problems) {
  const auto at = [&s](const std::string& key) { return s.at(key); };
  if (const std::string objection = scheduling::policy_objection(s.policy); !objection.empty())
    report(problems, at("policy"), "policy", objection);
  if (const auto policy = scheduling::find_policy(s.policy)) {
    if (const std::string objection = scheduling::placing_objection(*policy, s.eager.enabled); !objection.empty())
      report(problems, at("policy"), "policy", objection);
  }
  if (s.eager.enabled) {
    if (const std::string objection = eager::objection(s.drive); !objection.empty())
      report(problems, at("eager.enabled"), "eager.enabled", objection);
    const std::uint32_t sector = s.drive.geometry.sector_bytes;
    if (s.eager.block_bytes % sector != 0 || s.eager.block_bytes < 2 * sector)
      report(problems, at("eager.block_bytes"), "eager.block_bytes",
             fmt::format("found {}, expected a multiple of the sector's {} bytes, two sectors at least", s.eager.block_bytes,
                         sector));
  }
  check_array(s, problems);
  if (s.discrete.align_bytes % s.drive.geometry.sector_bytes != 0)
    report(problems, at("workload.discrete.align_bytes"), "workload.discrete.align_bytes",
           fmt::format("found {}, expected a multiple of the sector's {} bytes", s.discrete.align_bytes,
                       s.drive.geometry.sector_bytes));
  if (s.discrete.align_bytes > 0 && s.discrete.span_bytes % s.discrete.align_bytes != 0)
    report(problems, at("workload.discrete.align_bytes"), "workload.discrete.align_bytes",
           fmt::format("found {}, expected a divisor of workload.discrete.span_bytes, which is {}", s.discrete.align_bytes,
                       s.discrete.span_bytes));
  if (s.discrete.trace_format != "auto" && workload::find_trace_format(s.discrete.trace_format) == nullptr) {
    std::vector<std::string_view> names;
    for (const workload::TraceFormat& row : workload::trace_formats()) names.push_back(row.name);
    report(problems, at("workload.discrete.trace_format"), "workload.discrete.trace_format",
           fmt::format("there is no trace format \"{}\"{}", s.discrete.trace_format,
                       core::did_you_mean(s.discrete.trace_format, names)));
  }
  if (s.continuous.streams > 0 && s.continuous.size == "tables" && s.continuous.tables.empty())
    report(problems, at("workload.continuous.streams"), "workload.continuous.tables",
           "is missing: streams need at least one frame-size table");
  if (s.continuous.size == "gamma" && s.continuous.deviation_bytes > s.continuous.mean_bytes)
    report(problems, at("workload.continuous.deviation_bytes"), "workload.continuous.deviation_bytes",
           "expected no more than workload.continuous.mean_bytes");
  const auto check_span = [&](const std::string& key, std::int64_t bytes) {
    const std::int64_t sector = s.drive.geometry.sector_bytes;
    if (bytes % sector != 0)
      report(problems, at(key), key, fmt::format("found {}, expected whole sectors of {} bytes", bytes, sector));
  };
  check_span("workload.continuous.span_bytes", s.continuous.span_bytes);
  check_span("workload.discrete.span_bytes", s.discrete.span_bytes);
  if (s.discrete.source == "trace" && s.discrete.trace.empty())
    report(problems, at("workload.discrete.source"), "workload.discrete.trace", "is missing: the trace file");
  if (s.discrete.source == "poisson" && s.discrete.rate_per_s <= 0)
    report(problems, at("workload.discrete.source"), "workload.discrete.rate_per_s",
           "is missing: a rate above 0 for Poisson arrivals");
  else if (s.discrete.source == "poisson" && s.discrete.rate_per_s < kLeastRate)
    report(problems, at("workload.discrete.rate_per_s"), "workload.discrete.rate_per_s",
           fmt::format("found {:g}, expected at least {:g} 1/s: arrivals lie further apart than simulated time lasts", s.discrete.rate_per_s,
                       kLeastRate));
  if (s.wave_from_s > s.wave_to_s)
    report(problems, at("observe.wave_from_s"), "observe.wave_from_s", "expected no more than observe.wave_to_s");
}

void check_server(const ServerScenario& s, Problems& problems) {
  const auto object = [&](const std::string& key, const std::string& message) { report(problems, s.at(key), key, message); };
  const auto multiple = [&](const std::string& key, std::int64_t bytes, std::int64_t unit, const char* of) {
    if (bytes % unit != 0) object(key, fmt::format("found {}, expected whole {} of {} bytes", bytes, of, unit));
  };
  multiple("server.block_bytes", s.block_bytes, s.drive.geometry.sector_bytes, "sectors");
  multiple("server.stride_bytes", s.stride_bytes, s.block_bytes, "logical blocks");
  multiple("replication.decluster_bytes", s.decluster_bytes, s.block_bytes, "logical blocks");
  const auto whole = [&](const std::string& key, double rounds) {
    if (rounds != std::floor(rounds)) object(key, fmt::format("found {:g}, expected whole rounds of 1 s", rounds));
  };
  whole("sim.warmup_s", s.warmup_s);
  whole("sim.measure_s", s.measure_s);
  whole("failure.at_s", s.failure_s);

  if (const std::string objection = scheduling::policy_objection(s.policy); !objection.empty()) object("disks.policy", objection);
  if (const auto policy = scheduling::find_policy(s.policy)) {
    if (const std::string objection = scheduling::placing_objection(*policy, false); !objection.empty()) object("disks.policy", objection);
  }

  const bool replicated = s.placement != "none";
  if (replicated && s.disks < 2) object("server.disks", "found 1, expected at least 2 disks for two copies");
  if (host::media_server::find_reservation(s.reservation)->needs_replicas && !replicated)
    object("reservation.scheme", fmt::format("\"{}\" needs backup copies, and replication.placement is \"none\"", s.reservation));
  if (s.decluster_bytes > 0 && !replicated)
    object("replication.decluster_bytes", "there are no backup copies: replication.placement is \"none\"");
  if (s.decluster_bytes > 0 && s.reservation == "dynamic-balancing")
    object("replication.decluster_bytes", "dynamic balancing chooses between two whole copies, expected 0");
  if (s.correlation > 0 && s.scene_rounds > 1)
    object("streams.correlation", fmt::format("found {:g}, expected 0 with scenes of {} rounds", s.correlation, s.scene_rounds));
  if (s.failed_disk >= s.disks) object("failure.disk", fmt::format("found {}, expected a disk below {}", s.failed_disk, s.disks));
  if (s.failed_disk >= 0 && s.failure_s + 1 >= s.measure_s)
    object("failure.at_s", fmt::format("found {:g}, expected at least one of the {:g} measured rounds after it", s.failure_s, s.measure_s));
}

void check_qos(const QosScenario& s, Problems& problems) {
  const auto object = [&](const std::string& key, const std::string& message) { report(problems, s.at(key), key, message); };
  if (const std::string objection = scheduling::policy_objection(s.policy); !objection.empty()) object("policy", objection);
  if (const auto policy = scheduling::find_policy(s.policy)) {
    if (const std::string objection = scheduling::placing_objection(*policy, false); !objection.empty()) object("policy", objection);
  }
  if (s.command_bytes % s.drive.geometry.sector_bytes != 0)
    object("application.command_bytes",
           fmt::format("found {}, expected whole sectors of {} bytes", s.command_bytes, s.drive.geometry.sector_bytes));
  if (s.file_bytes < s.command_bytes)
    object("files.bytes", fmt::format("found {}, expected at least a command of {} bytes", s.file_bytes, s.command_bytes));
  for (std::size_t i = 0; i < s.streams.size(); ++i) {
    const QosStream& stream = s.streams[i];
    const auto wrong = [&](const char* key, const std::string& message) {
      object("stream", fmt::format("{} of \"{}\": {}", key, stream.name, message));
    };
    for (std::size_t before = 0; before < i; ++before)
      if (s.streams[before].name == stream.name) wrong("name", "another stream has it");
    if (stream.leaves_s != 0 && stream.leaves_s <= stream.enters_s)
      wrong("leaves_s", fmt::format("found {:g}, expected 0 or more than enters_s, which is {:g}", stream.leaves_s, stream.enters_s));
    if (stream.change_at_s.size() != stream.change_to_bytes_per_s.size())
      wrong("change_to_bytes_per_s", fmt::format("found {} rates, expected one for each of the {} times of change_at_s",
                                                 stream.change_to_bytes_per_s.size(), stream.change_at_s.size()));
    if (!std::is_sorted(stream.change_at_s.begin(), stream.change_at_s.end()) || (!stream.change_at_s.empty() && stream.change_at_s.front() < 0))
      wrong("change_at_s", "expected ascending times from 0");
    for (const double rate : stream.change_to_bytes_per_s)
      if (rate < 0 || rate > 1e10) wrong("change_to_bytes_per_s", fmt::format("found {:g}, expected 0 to 1e+10 bytes/s", rate));
    if (stream.pace == "exponential" && stream.rate_bytes_per_s == 0) wrong("pace", "exponential periods need a rate_bytes_per_s above 0");
    const auto check_period = [&](const char* key, double rate) {
      const double period_s = static_cast<double>(s.command_bytes) * static_cast<double>(s.commands_per_period) / rate;
      if (rate > 0 && period_s > kLongestMean_s)
        wrong(key, fmt::format("found {:g}, which makes a period of {:g} s, expected one of at most {:g} s", rate, period_s, kLongestMean_s));
      else if (rate > 0 && period_s * static_cast<double>(s.late_periods) > kLongestMean_s)
        object("application.late_periods", fmt::format("found {}, with periods of {:g} s more than {:g} s", s.late_periods, period_s, kLongestMean_s));
    };
    if (stream.rate_bytes_per_s > 0) check_period("rate_bytes_per_s", static_cast<double>(stream.rate_bytes_per_s));
    for (const double rate : stream.change_to_bytes_per_s)
      if (rate >= 1) check_period("change_to_bytes_per_s", std::floor(rate));
    if (!stream.change_at_s.empty() && stream.change_at_s.back() > kLatest_s)
      wrong("change_at_s", fmt::format("found {:g}, expected times up to {:g} s", stream.change_at_s.back(), kLatest_s));
  }
}

void check_mixed_server(const MixedServerScenario& s, Problems& problems) {
  const auto object = [&](const std::string& key, const std::string& message) { report(problems, s.at(key), key, message); };
  const auto multiple = [&](const std::string& key, std::int64_t bytes, std::int64_t unit, const char* of) {
    if (bytes % unit != 0) object(key, fmt::format("found {}, expected whole {} of {} bytes", bytes, of, unit));
  };
  const auto policy = [&](const std::string& key, const std::string& notation) {
    const std::string objection = scheduling::policy_objection(notation);
    if (!objection.empty())
      object(key, objection);
    else if (const auto found = scheduling::find_policy(notation); found->row->places)
      object(key, scheduling::placing_objection(*found, false));
  };
  policy("server.policy", s.policy);
  policy("server.text_policy", s.text_policy);
  policy("server.video_policy", s.video_policy);
  if (s.arrivals == "poisson" && s.text_clients > 0 && s.interval_s / static_cast<double>(s.text_clients) > kLongestMean_s)
    object("text.interval_s", fmt::format("found {:g}, which makes {:g} s from a request to the next, expected at most {:g} s", s.interval_s,
                                          s.interval_s / static_cast<double>(s.text_clients), kLongestMean_s));
  multiple("text.unit_bytes", s.text_unit_bytes, s.drive.geometry.sector_bytes, "sectors");
  multiple("text.set_bytes", s.set_bytes, s.text_unit_bytes, "units");
  multiple("video.unit_bytes", s.video_unit_bytes, s.drive.geometry.sector_bytes, "sectors");
  if (s.drive.queue_depth < 2) object("drive.queue.depth", "found 1, expected at least 2 tags: one for each class");
  if (s.video_clients > 0 && s.tables.empty()) object("video.tables", "is missing: video clients need at least one frame-size table");
  if (!s.bits_per_s.empty() && s.bits_per_s.size() != s.tables.size())
    object("video.bits_per_s", fmt::format("found {} rates, expected one for each of the {} tables", s.bits_per_s.size(), s.tables.size()));
  for (const double rate : s.bits_per_s)
    if (!(rate > 0) || rate > 1e12) object("video.bits_per_s", fmt::format("found {:g}, expected rates above 0, at most 1e+12 bit/s", rate));
  if (s.arrivals == "bursty") {
    const std::uint32_t levels = host::mixed_server::cascade_levels(s.measure_s, s.burst_interval_s());
    const double intervals = static_cast<double>(std::uint64_t{1} << levels);
    if (levels > host::mixed_server::kMostLevels)
      object("text.load_bytes_per_s", fmt::format("found {:g}, with intervals of {:g} s the cascade would have more than the 2^{} allowed", s.load_bytes_per_s,
                                                  s.burst_interval_s(), host::mixed_server::kMostLevels));
    else if (s.peak_to_mean > intervals)
      object("text.peak_to_mean", fmt::format("found {:g}, expected at most {:g}, the number of intervals of the cascade", s.peak_to_mean, intervals));
  }
  for (const auto& [key, seconds] : {std::pair<const char*, double>{"sim.warmup_s", s.warmup_s}, {"sim.measure_s", s.measure_s}})
    if (seconds != std::floor(seconds)) object(key, fmt::format("found {:g}, expected whole rounds of 1 s", seconds));
}

Leaf override_leaf(const std::string& text, std::vector<toml::table>& owners, std::string& key) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    fail({"--set " + text, 0, 0}, "", "expected KEY=VALUE");
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
  if (owners.back().size() != 1) fail({"--set " + key, 0, 0}, key, "found more lines behind the value, expected one KEY=VALUE");
  return {owners.back().get("v"), {"--set " + text, 0, 0}, false};
}

}  // namespace

// --- the loader ------------------------------------------------------------------------------------------------------

fs::path config_directory() {
  if (const char* set = std::getenv("PLATTER_CONFIG_DIR")) return set;
  if (fs::is_directory(PLATTER_SOURCE_CONFIG_DIR)) return PLATTER_SOURCE_CONFIG_DIR;
  return PLATTER_INSTALL_CONFIG_DIR;
}

std::vector<ShippedDrive> shipped_drives() {
  std::vector<ShippedDrive> drives;
  const fs::path directory = config_directory() / "drives";
  if (fs::is_directory(directory))
    for (const fs::directory_entry& entry : fs::directory_iterator(directory))
      if (entry.path().extension() == ".toml") drives.push_back({entry.path().stem().string(), entry.path()});
  std::sort(drives.begin(), drives.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return drives;
}

mechanics::DriveProfile load_drive(const std::string& name) {
  const bool is_path = name.find('/') != std::string::npos || fs::path(name).extension() == ".toml";
  const fs::path file = is_path ? fs::path(name) : named_file(name, "drive", {"drive", 0, 0});
  const toml::table table = parse_file(file);
  const KeySpace space = drive_keys("");
  Problems problems;
  Leaves leaves;
  flatten(table, "", space, file.string(), leaves, problems);
  mechanics::DriveProfile profile;
  apply_drive("", leaves, profile, {file.string(), 0, 0}, problems);
  report_unused(leaves, space, problems);
  if (!problems.empty()) throw ConfigError(problems);
  return profile;
}

namespace {

// Arrays of tables beside the table of keys.
template <typename Object>
void add_arrays(KeySpace& /*space*/, const Object& /*object*/) {}
void add_arrays(KeySpace& space, const QosScenario& /*object*/) { space.add("stream"); }
template <typename Object>
void apply_arrays(Leaves& /*leaves*/, Object& /*object*/, const Position& /*where*/, Problems& /*problems*/) {}
void apply_arrays(Leaves& leaves, QosScenario& object, const Position& where, Problems& problems) {
  apply_tables("stream", "stream", qos_stream_parameters(), leaves, object.streams, where, problems);
}

/// A configuration with a drive. `check` is asked if all keys are good by themselves.
template <typename Object>
Object load_with_drive(const fs::path& file, const std::vector<std::string>& overrides, const std::vector<Parameter<Object>>& table_of_keys,
                       void (*check)(const Object&, Problems&)) {
  KeySpace space = drive_keys("drive");
  add_keys(space, table_of_keys, "");
  Object scenario;
  add_arrays(space, scenario);

  std::vector<toml::table> owners;  // of the overrides' values
  owners.reserve(overrides.size());
  std::vector<std::pair<std::string, Leaf>> set_keys;
  toml::table table = parse_file(file);
  for (const std::string& text : overrides) {
    std::string key;
    const Leaf leaf = override_leaf(text, owners, key);
    if (space.sections.count(key) != 0 && leaf.node->is_string()) {  // another file for a whole section
      try {
        named_file(**leaf.node->as_string(), key, {file.string(), 0, 0});
      } catch (const ConfigError& error) {
        fail(leaf.position, key, error.problems().front().message);
      }
      name_section(table, key, **leaf.node->as_string());
    } else {
      set_keys.emplace_back(key, leaf);
    }
  }

  scenario.file = file.string();
  Problems problems;
  const Position top{file.string(), 0, 0};
  const toml::node* drive_node = table.get("drive");
  const bool has_drive = drive_node != nullptr && (drive_node->is_string() || drive_node->is_table());
  const bool lacks_drive = drive_node == nullptr;
  const Position drive_position = lacks_drive ? top : position_of(*drive_node, file.string());
  if (has_drive) {
    if (const auto* name = drive_node->as_string()) scenario.drive_name = name->get();
    if (const toml::table* drive = drive_node->as_table())
      if (const auto* name = drive->get_as<std::string>("file")) scenario.drive_name = name->get();
  }

  resolve_includes(table, "", space, file.string());
  Leaves leaves;
  flatten(table, "", space, file.string(), leaves, problems);
  for (auto& [key, leaf] : set_keys) leaves[key] = leaf;

  apply(table_of_keys, "", leaves, scenario, top, problems);
  apply_arrays(leaves, scenario, top, problems);
  if (lacks_drive) report(problems, top, "drive", "is missing: the name of a drive profile");
  if (has_drive)
    apply_drive("drive", leaves, scenario.drive, drive_position, problems);
  else  // nothing that these could override
    for (auto& [key, leaf] : leaves)
      if (key.rfind("drive.", 0) == 0) leaf.used = true;
  report_unused(leaves, space, problems);
  for (const auto& [key, leaf] : leaves) scenario.positions[key] = leaf.position;
  scenario.positions["drive"] = drive_position;
  if (scenario.drive_name.empty()) scenario.drive_name = scenario.drive.name;
  if (problems.empty()) check(scenario, problems);
  if (!problems.empty()) throw ConfigError(problems);
  return scenario;
}

}  // namespace

Scenario load_scenario(const fs::path& file, const std::vector<std::string>& overrides) {
  return load_with_drive(file, overrides, scenario_parameters(), check_scenario);
}

ServerScenario load_server(const fs::path& file, const std::vector<std::string>& overrides) {
  return load_with_drive(file, overrides, server_parameters(), check_server);
}

QosScenario load_qos(const fs::path& file, const std::vector<std::string>& overrides) {
  return load_with_drive(file, overrides, qos_parameters(), check_qos);
}

MixedServerScenario load_mixed_server(const fs::path& file, const std::vector<std::string>& overrides) {
  return load_with_drive(file, overrides, mixed_server_parameters(), check_mixed_server);
}

}  // namespace platter::config
