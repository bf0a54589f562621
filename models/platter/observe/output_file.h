// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

namespace platter::observe {

/// A file that appears whole or not at all: written beside its name, renamed by `commit`, removed otherwise. A link's target is replaced, not the
/// link; to a device or a pipe it is written as it comes.
class OutputFile {
 public:
  /// Makes the folder, which goes again with a file that is not committed; throws core::InputError where the file cannot be written.
  explicit OutputFile(const std::filesystem::path& file);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view text);
  void commit();

 private:
  void discard();

  std::vector<std::filesystem::path> made_;  ///< folders, the innermost first
  std::filesystem::path file_;
  std::filesystem::path partial_;  ///< `file_` where it cannot be renamed
  std::FILE* stream_ = nullptr;
};

/// Opens it, if it has a name: before a run, so that results that have no place are refused without one.
std::unique_ptr<OutputFile> open_output(const std::filesystem::path& file);

}  // namespace platter::observe
