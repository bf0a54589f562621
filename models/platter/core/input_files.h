// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace platter::core {

/// Looks a file up that is to be read, and notes that it is an input of this process, so that no output replaces it. Returns why it
/// cannot be read, "" if it may be: a regular file, a pipe or a device.
std::string note_input(const std::filesystem::path& file);

/// Whether the file of this name has been noted, under whatever name.
bool is_input(const std::filesystem::path& file);

/// The folder that names inside `file` count from: the file's own. Names in a pipe or a device count from the working directory.
std::filesystem::path folder_of_input(const std::filesystem::path& file);

/// The whole text of a file, which may be a pipe. Throws core::InputError where it cannot be read or is longer than 64 MiB.
std::string read_input(const std::filesystem::path& file);

}  // namespace platter::core
