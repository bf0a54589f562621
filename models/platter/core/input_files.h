// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace platter::core {

/// Checks a file that is to be read, and records it as an input of this process, so that no output replaces it. Returns why it cannot be
/// read; "" for a regular file, a pipe or a device.
std::string note_input(const std::filesystem::path& file);

/// True if this file has been recorded as an input, under any of its names.
bool is_input(const std::filesystem::path& file);

/// The folder to which relative names inside `file` refer: the file's own folder, or the working directory if `file` is a pipe or a device.
std::filesystem::path folder_of_input(const std::filesystem::path& file);

/// The whole text of a file, which may be a pipe. Throws core::InputError where it cannot be read or is longer than 64 MiB.
std::string read_input(const std::filesystem::path& file);

}  // namespace platter::core
