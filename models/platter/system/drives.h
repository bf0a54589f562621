// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "platter/params/document.h"
#include "platter/profile/drive_profile.h"
#include "platter/system/packaged_configs.h"

namespace platter::system {

/// Where the shipped drive profiles and scenarios are: $PLATTER_CONFIG_DIR if it is set, whether or not the folder exists. Otherwise the first
/// of these that has a folder `drives`: `configs` beside the shared object that has this code (such as libplatter.so), if one has it; the folder
/// installed with that object; the one installed with the program; that of the CMake package that the program was built against; that of the
/// source tree. Otherwise the folder under CMAKE_INSTALL_PREFIX of the build, whether or not it exists.
std::filesystem::path config_directory();

/// A shipped drive profile: its short name and its file.
struct ShippedDrive {
  std::string name;            ///< as load_drive() takes it
  std::filesystem::path path;  ///< the profile
};
/// All in config_directory(), by name.
std::vector<ShippedDrive> shipped_drives();

/// Reads a drive profile. `name` with a `/` in it, or ending in `.toml`, is a path, relative to the working directory. Any other is the name of
/// a profile in config_directory(). Throws core::ConfigError with every problem found, and core::InputError if the file cannot be read.
profile::DriveProfile load_drive(const std::string& name);

/// For params::Document: `drive` may be the name of a shipped profile, every other section is a file.
std::filesystem::path find_section(const std::string& name, const std::string& section, const params::Position& at);

/// Checks a profile that the program has changed: do its values describe a drive together? Returns the problems, one a line ("profile: KEY: what was
/// found and what was expected"), and "" if there is none. The range of each value alone is not checked: load_drive() does it.
std::string check(const profile::DriveProfile& profile);
/// The same for a profile that was read. Adds every problem, with keys below `prefix`, at the key's place in `source` or, without one, at `where`.
void check(const profile::DriveProfile& profile, const std::string& prefix, const params::Source& source,
           const params::Position& where, std::vector<core::ConfigProblem>& problems);

}  // namespace platter::system
