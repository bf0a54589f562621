// SPDX-License-Identifier: Apache-2.0
#include "platter/core/input_files.h"

#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

#include "platter/core/error.h"

namespace platter::core {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLongestInput = std::size_t{64} << 20;

using Identity = std::pair<dev_t, ino_t>;

std::set<Identity>& inputs() {
  static std::set<Identity> files;
  return files;
}

std::string reason(int error) { return std::generic_category().message(error); }

}  // namespace

std::string note_input(const fs::path& file) {
  struct stat found{};
  if (stat(file.c_str(), &found) != 0)
    return errno == ENOENT || errno == ENOTDIR ? "no such file" : "cannot be read: " + reason(errno);
  if (S_ISDIR(found.st_mode)) return "is a folder, expected a file";
  if (S_ISREG(found.st_mode)) inputs().insert({found.st_dev, found.st_ino});
  return {};
}

bool is_input(const fs::path& file) {
  struct stat found{};
  return stat(file.c_str(), &found) == 0 && inputs().count({found.st_dev, found.st_ino}) != 0;
}

fs::path folder_of_input(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) ? file.parent_path() : fs::path();
}

std::string read_input(const fs::path& file) {
  const auto refuse = [&file](const std::string& why) { throw InputError(file.string(), 0, 0, why); };
  if (const std::string objection = note_input(file); !objection.empty()) refuse(objection);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(file.c_str(), "rb"), &std::fclose);
  if (!stream) refuse("cannot be read: " + reason(errno));
  std::string text;
  std::array<char, 65536> piece{};
  while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), stream.get())) {
    text.append(piece.data(), got);
    if (text.size() > kLongestInput) refuse("is longer than " + std::to_string(kLongestInput >> 20) + " MiB");
  }
  if (std::ferror(stream.get()) != 0) refuse("cannot be read: " + reason(errno));
  return text;
}

}  // namespace platter::core
