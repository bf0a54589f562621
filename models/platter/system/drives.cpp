// SPDX-License-Identifier: Apache-2.0
#include "platter/system/drives.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "platter/buffer/segment_buffer.h"
#include "platter/core/nearest.h"
#include "platter/mapping/zones/zones.h"
#include "platter/mechanics/access_planner.h"
#include "platter/mechanics/seek_curve.h"
#include "platter/profile/parameters.h"

namespace platter::system {

namespace fs = std::filesystem;

namespace {

/// As the package that a program was built against says.
std::string& packaged_directory() {
  static std::string directory;
  return directory;
}

/// The file that this code was loaded from: the program, or a shared object. Empty if it has no such path.
fs::path shared_object() {
  Dl_info found{};
  if (dladdr(reinterpret_cast<void*>(&packaged_directory), &found) == 0 || found.dli_fname == nullptr) return {};
  std::error_code ignored;
  return fs::canonical(found.dli_fname, ignored);
}

}  // namespace

bool use_packaged_configs(const char* directory) {
  packaged_directory() = directory;
  return true;
}

bool use_configs_of_headers(const char* header) {
  packaged_directory() = (fs::path(header).parent_path() / PLATTER_CONFIGS_FROM_HEADERS).lexically_normal();
  return true;
}

fs::path config_directory() {
  if (const char* set = std::getenv("PLATTER_CONFIG_DIR")) return set;
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  // An installed command belongs to the files beside it, wherever both were put, and so does an installed libplatter.
  const fs::path beside = (program.parent_path() / PLATTER_CONFIGS_FROM_PROGRAM).lexically_normal();
  fs::path beside_library;
  fs::path in_package;
  if (const fs::path library = shared_object(); !library.empty() && library != program) {
    beside_library = (library.parent_path() / PLATTER_CONFIGS_FROM_LIBRARY).lexically_normal();
    in_package = library.parent_path() / "configs";
  }
  for (const fs::path& directory :
       {in_package, beside_library, beside, fs::path(packaged_directory()), fs::path(PLATTER_SOURCE_CONFIG_DIR)})
    if (!directory.empty() && fs::is_directory(directory / "drives", ignored)) return directory;
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

namespace {

bool is_path(const std::string& name) { return name.find('/') != std::string::npos || fs::path(name).extension() == ".toml"; }

}  // namespace

fs::path find_section(const std::string& name, const std::string& section, const params::Position& at) {
  if (section != "drive" || is_path(name)) return params::file_beside(name, section, at);
  const std::vector<ShippedDrive> drives = shipped_drives();
  std::vector<std::string_view> names;
  for (const ShippedDrive& drive : drives) {
    if (drive.name == name) return drive.path;
    names.emplace_back(drive.name);
  }
  throw core::ConfigError({{at.file, at.line, at.column, section,
                            fmt::format("there is no drive \"{}\"{}; `platter list drives` shows those that ship", name,
                                        core::did_you_mean(name, names))}});
}

void check(const profile::DriveProfile& profile, const std::string& prefix, const params::Source& source,
           const params::Position& where, std::vector<core::ConfigProblem>& problems) {
  const auto key = [&prefix](const char* name) { return prefix.empty() ? std::string(name) : prefix + "." + name; };
  const std::size_t before = problems.size();
  const auto object = [&](const char* name, const std::string& objection) {  // where the key, or what it belongs to, is given
    params::Position at = where;
    for (std::string outer = key(name); !outer.empty();) {
      const auto given = source.positions.find(outer);
      if (given != source.positions.end()) {
        at = given->second;
        break;
      }
      const std::size_t dot = outer.find_last_of('.');
      outer.resize(dot == std::string::npos ? 0 : dot);
    }
    problems.push_back({at.file, at.line, at.column, key(name), objection});
  };
  const auto check_by_making = [&](const char* name, const auto& make) {
    try {
      make();
    } catch (const std::invalid_argument& error) {
      problems.push_back({where.file, where.line, where.column, key(name), error.what()});
    }
  };
  if (const std::string objection = mechanics::SeekCurve::objection(profile.seek, profile.geometry.cylinders);
      !objection.empty())
    object("seek.average_us", objection);
  else
    check_by_making("seek", [&profile] { mechanics::SeekCurve(profile.seek, profile.geometry.cylinders); });
  for (const auto& [name, points] : {std::pair{"mechanics.arrival_spread_us", &profile.arrival_spread_us},
                                     std::pair{"mechanics.arrival_spread_write_us", &profile.arrival_spread_write_us}})
    if (const std::string objection = mechanics::ArrivalSpread::objection(*points); !objection.empty()) object(name, objection);
  try {
    const mechanics::Geometry geometry(profile.geometry);
    if (const auto [name, objection] = zones::objection(profile, geometry.block_count()); !objection.empty())
      object(name, objection);
  } catch (const mechanics::LayoutError& error) {
    if (error.key().empty())
      problems.push_back({where.file, where.line, where.column, key("geometry"), error.what()});
    else
      object(error.key().c_str(), error.what());
  }
  if (problems.size() == before) check_by_making("mechanics", [&profile] { const mechanics::AccessPlanner planner(profile); });
  if (const std::string objection = buffer::SegmentBuffer::objection(profile.cache); !objection.empty())
    object(profile.cache.segment_blocks == 0 ? "cache.segment_blocks" : "cache.write_segments", objection);
  if (profile.cache.destage_entries > 0 && (profile.cache.segments == 0 || profile.cache.write_back == profile::WriteBack::Off))
    object("cache.destage_entries",
           fmt::format("found {}, expected 0 for a drive that caches no writes", profile.cache.destage_entries));
  if (profile.stream_first && profile.age_limit_s <= 0)
    object("controller.stream_first",
           "found true, expected false without `controller.age_limit_s`: the other commands would never have their turn");
  if (const auto [name, objection] = profile::actuators_objection(profile); !objection.empty()) object(name, objection);
  if (const auto [name, objection] = profile::power_objection(profile.power); !objection.empty()) object(name, objection);
  if (const auto [name, objection] = profile::recovery_objection(profile.recovery); !objection.empty()) object(name, objection);
  if (const auto [name, objection] = profile::limits_objection(profile.limits); !objection.empty())
    object(name.c_str(), objection);
}

std::string check(const profile::DriveProfile& profile) {
  std::vector<core::ConfigProblem> problems;
  check(profile, "", {}, {"profile", 0, 0}, problems);
  return problems.empty() ? "" : core::ConfigError(problems).what();
}

profile::DriveProfile load_drive(const std::string& name) {
  const fs::path file = is_path(name) ? fs::path(name) : find_section(name, "drive", {"drive", 0, 0});
  profile::DriveProfile profile;
  params::Grammar grammar;
  profile::add_to(grammar, profile);
  params::KeySpace no_files;  // but for the base
  no_files.add_base("");
  params::Source source;
  std::vector<core::ConfigProblem> problems;
  const auto lookup = [](const std::string& base, const std::string&, const params::Position& at) {
    return find_section(base, "drive", at);
  };
  params::Document(file, {}, no_files, lookup).read(grammar, source, problems);
  if (problems.empty()) check(profile, "", source, {file.string(), 0, 0}, problems);
  if (!problems.empty()) throw core::ConfigError(problems);
  return profile;
}

}  // namespace platter::system
