// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <filesystem>
#include <string_view>

namespace platter::observe {

/// A file that appears whole or not at all: written beside its name, renamed by `commit`, removed otherwise.
class OutputFile {
 public:
  /// Makes the folder; throws core::InputError where the file cannot be written.
  explicit OutputFile(const std::filesystem::path& file);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view text);
  void commit();

 private:
  std::filesystem::path file_;
  std::filesystem::path partial_;
  std::FILE* stream_ = nullptr;
};

}  // namespace platter::observe
