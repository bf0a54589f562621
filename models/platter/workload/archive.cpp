// SPDX-License-Identifier: Apache-2.0
#include "platter/workload/archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "platter/workload/blktrace_event.h"
#include "platter/workload/trace_line.h"

namespace platter::workload {
namespace {

bool has_magic(std::string_view bytes, std::string_view magic) { return bytes.substr(0, magic.size()) == magic; }

std::string archive_named(std::string_view what, std::string_view first_file) {
  return first_file.empty() ? std::string(what) : fmt::format("{}, whose first file is {}", what, in_quotes(first_file));
}

}  // namespace

std::string archive_text(std::string_view bytes, std::string_view file_name) {
  constexpr std::size_t kTarMagicAt = 257;
  constexpr std::string_view kTarMagic = "ustar";
  constexpr std::size_t kTarName = 100;
  constexpr std::size_t kZipHead = 30;
  constexpr std::size_t kZipNameLengthAt = 26;
  if (bytes.size() > kTarMagicAt && has_magic(bytes.substr(kTarMagicAt), kTarMagic)) {
    const std::string_view name = bytes.substr(0, kTarName);
    return archive_named("a tar archive", name.substr(0, name.find('\0')));
  }
  if (has_magic(bytes, "PK\x03\x04") && bytes.size() > kZipHead)
    return archive_named("a zip archive", bytes.substr(kZipHead, number_at<std::uint16_t>(bytes, kZipNameLengthAt)));
  if (has_magic(bytes, "7z\xBC\xAF\x27\x1C")) return "a 7z archive";
  if (has_magic(bytes, "Rar!\x1A\x07")) return "a RAR archive";
  std::string name(file_name);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto ends = [&name](std::string_view end) {
    return name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
  };
  constexpr std::array<std::string_view, 8> kTars = {".tar",     ".tar.gz", ".tar.xz", ".tar.bz2",
                                                     ".tar.zst", ".tgz",    ".txz",    ".tbz2"};
  if (std::any_of(kTars.begin(), kTars.end(), ends)) return "a tar archive by its name";
  constexpr std::array<std::string_view, 3> kOthers = {".zip", ".7z", ".rar"};
  if (std::any_of(kOthers.begin(), kOthers.end(), ends)) return "an archive by its name";
  return {};
}

}  // namespace platter::workload
