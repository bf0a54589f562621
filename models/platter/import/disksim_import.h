// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "platter/profile/drive_profile.h"

namespace platter::disksim {

/// A value of the parameter files that the profile does not hold unchanged.
struct Remark {
  enum class Kind : std::uint8_t {
    NotCarriedOver,  ///< it has an effect in DiskSim, but the profile has no key for it
    Changed,         ///< the profile holds an approximation
    Doubtful,        ///< carried over as it stands, but hardly what the drive does
    NoEffect,        ///< DiskSim itself does not use it, or not with this drive's other values
  };

  Kind kind = Kind::NotCarriedOver;
  std::string file;
  std::size_t line = 0;
  std::size_t column = 0;
  std::string key;
  std::string value;
  std::string why;
};

std::string_view to_string(Remark::Kind kind);

struct ImportOptions {
  std::string disk;  ///< name of the disk's block or component; empty: the file has only one disk
  std::string name;  ///< of the profile; empty: the block's name
};

struct Import {
  profile::DriveProfile profile;
  std::vector<Remark> remarks;     ///< by kind, then in the order of the files
  std::vector<std::string> files;  ///< all files read, the first one first
  std::uint64_t blocks = 0;        ///< capacity
};

/// Makes a drive profile from parameter files of DiskSim 4.0. `file` may be the description of a whole system (.parv), of a disk (.diskspecs) or of a
/// disk's layout and mechanics (.model). Throws core::InputError if it is no such file, core::ConfigError with every problem of its contents.
Import import_drive(const std::filesystem::path& file, const ImportOptions& options = {});

/// The text of a profile file: `profile::to_toml` below a comment that names the sources and lists all remarks.
std::string profile_file(const Import& import);
/// "FILE:LINE: key = value: why", one a line, below a heading for each kind.
std::string remarks_text(const Import& import);
nlohmann::json remarks_json(const Import& import);

}  // namespace platter::disksim
