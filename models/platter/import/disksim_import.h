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

/// Something of the parameter files that does not stand in the profile as it stands there.
struct Remark {
  enum class Kind : std::uint8_t {
    NotCarriedOver,  ///< it has an effect in DiskSim, and the profile has no place for it
    Changed,         ///< the profile holds something near it
    NoEffect,        ///< DiskSim itself does nothing with it, or not beside this drive's other values
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
  std::string disk;  ///< name of the disk's block or of its component; empty: there is only one
  std::string name;  ///< of the profile; empty: the block's name
};

struct Import {
  profile::DriveProfile profile;
  std::vector<Remark> remarks;     ///< by kind, then in the order of the files
  std::vector<std::string> files;  ///< all that were read, the first one first
  std::uint64_t blocks = 0;        ///< capacity
};

/// Makes a drive profile of parameter files of DiskSim 4.0. `file` may be the description of a whole system (.parv), of a disk
/// (.diskspecs) or of a disk's layout and mechanics (.model).
/// Throws core::InputError for what is no such file, core::ConfigError with every problem of its contents.
Import import_drive(const std::filesystem::path& file, const ImportOptions& options = {});

/// The profile as a file: `profile::to_toml` below a comment that names the sources and has all remarks.
std::string profile_file(const Import& import);
/// "FILE:LINE: key = value: why", one a line, below a heading for each kind.
std::string remarks_text(const Import& import);
nlohmann::json remarks_json(const Import& import);

}  // namespace platter::disksim
