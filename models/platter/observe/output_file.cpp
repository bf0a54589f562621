// SPDX-License-Identifier: Apache-2.0
#include "platter/observe/output_file.h"

#include <cerrno>
#include <cstring>

#include "platter/core/error.h"

namespace platter::observe {

OutputFile::OutputFile(const std::filesystem::path& file) : file_(file) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  for (fs::path folder = file_.parent_path(); !folder.empty() && !fs::exists(folder, ignored); folder = folder.parent_path())
    made_.push_back(folder);
  if (file_.has_parent_path()) fs::create_directories(file_.parent_path(), ignored);
  // A device or a pipe is written to, not replaced; a link stays a link.
  const fs::file_status status = fs::status(file_, ignored);
  if (fs::is_directory(status)) throw core::InputError(file.string(), 0, 0, "cannot be written: it is a folder");
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    partial_ = file_;
  } else {
    for (int links = 0; links < 40 && fs::is_symlink(fs::symlink_status(file_, ignored)); ++links)
      file_ = file_.parent_path() / fs::read_symlink(file_, ignored);
    partial_ = file_;
    partial_ += ".partial";
  }
  stream_ = std::fopen(partial_.c_str(), "wb");
  if (stream_ != nullptr) return;
  const std::string why = std::strerror(errno);
  discard();
  throw core::InputError(file.string(), 0, 0, "cannot be written: " + why);
}

OutputFile::~OutputFile() {
  if (stream_ == nullptr) return;
  std::fclose(stream_);
  discard();
}

void OutputFile::discard() {
  std::error_code ignored;
  if (partial_ != file_) std::filesystem::remove(partial_, ignored);
  for (const std::filesystem::path& folder : made_) std::filesystem::remove(folder, ignored);  // if nothing else is in it
}

void OutputFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stream_) != text.size())
    throw core::SimulationError(file_.string() + ": " + std::strerror(errno));
}

void OutputFile::commit() {
  std::error_code error;
  if (std::fclose(stream_) != 0)
    error.assign(errno, std::generic_category());
  else if (partial_ != file_)
    std::filesystem::rename(partial_, file_, error);
  stream_ = nullptr;
  if (!error) return;
  discard();
  throw core::SimulationError(file_.string() + ": " + error.message());
}

std::unique_ptr<OutputFile> open_output(const std::filesystem::path& file) {
  return file.empty() ? nullptr : std::make_unique<OutputFile>(file);
}

}  // namespace platter::observe
