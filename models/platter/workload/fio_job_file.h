// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace platter::workload {

/// A scenario that has the load of a fio job file.
struct FioImport {
  std::string scenario;              ///< the text of the scenario's file
  std::vector<std::string> remarks;  ///< "FILE:LINE: KEY: text": what has no effect here, or a different one
};

/// Reads a fio job file. `drive`: the name of a profile. Throws core::InputError for a file that cannot be read or is no job file,
/// core::ConfigError with every option that has no equivalent in a scenario.
FioImport import_fio(const std::filesystem::path& file, const std::string& drive);

}  // namespace platter::workload
