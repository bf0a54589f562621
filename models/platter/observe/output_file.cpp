// SPDX-License-Identifier: Apache-2.0
#include "platter/observe/output_file.h"

#include <cerrno>
#include <cstring>

#include "platter/core/error.h"

namespace platter::observe {

OutputFile::OutputFile(const std::filesystem::path& file) : file_(file), partial_(file) {
  partial_ += ".partial";
  std::error_code ignored;
  if (file_.has_parent_path()) std::filesystem::create_directories(file_.parent_path(), ignored);
  stream_ = std::fopen(partial_.c_str(), "wb");
  if (stream_ == nullptr)
    throw core::InputError(file_.string(), 0, 0, std::string("cannot be written: ") + std::strerror(errno));
}

OutputFile::~OutputFile() {
  if (stream_ == nullptr) return;
  std::fclose(stream_);
  std::error_code ignored;
  std::filesystem::remove(partial_, ignored);
}

void OutputFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stream_) != text.size())
    throw core::SimulationError(file_.string() + ": " + std::strerror(errno));
}

void OutputFile::commit() {
  std::error_code error;
  if (std::fclose(stream_) == 0)
    std::filesystem::rename(partial_, file_, error);
  else
    error.assign(errno, std::generic_category());
  stream_ = nullptr;
  if (!error) return;
  std::error_code ignored;
  std::filesystem::remove(partial_, ignored);
  throw core::SimulationError(file_.string() + ": " + error.message());
}

}  // namespace platter::observe
