// SPDX-License-Identifier: Apache-2.0
#include "program_file.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>

#include "platter/core/error.h"

namespace platter::cli {

namespace {

using Header = ElfW(Ehdr);
using Segment = ElfW(Phdr);

[[noreturn]] void refuse(const std::string& file, const std::string& message) { throw core::InputError(file, 0, 0, message); }

bool is_program(const std::string& file) {
  struct stat facts{};
  return stat(file.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) && access(file.c_str(), X_OK) == 0;
}

template <typename Value>
bool read_at(std::ifstream& file, std::uint64_t at, Value& value) {
  return file.seekg(static_cast<std::streamoff>(at)) && file.read(reinterpret_cast<char*>(&value), sizeof value);
}

Header own_header() {
  Header header{};
  std::ifstream file("/proc/self/exe", std::ios::binary);
  read_at(file, 0, header);
  return header;
}

/// The dynamic loader that an ELF file names; empty: none.
std::string loader_of(std::ifstream& file, const Header& header) {
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Segment segment{};
    if (!read_at(file, header.e_phoff + std::uint64_t{i} * header.e_phentsize, segment)) return {};
    if (segment.p_type != PT_INTERP || segment.p_filesz == 0 || segment.p_filesz > 4096) continue;
    std::string name(segment.p_filesz, '\0');
    if (!file.seekg(static_cast<std::streamoff>(segment.p_offset)) ||
        !file.read(name.data(), static_cast<std::streamsize>(name.size())))
      return {};
    return name.substr(0, name.find('\0'));
  }
  return {};
}

void check_elf(const std::string& name, std::ifstream& file) {
  Header header{};
  const Header own = own_header();
  if (!read_at(file, 0, header) || header.e_ident[EI_CLASS] != own.e_ident[EI_CLASS] || header.e_machine != own.e_machine)
    refuse(name, "found a program of another machine or word size, expected one as platter itself");
  const std::string loader = loader_of(file, header);
  if (loader.empty())
    refuse(name,
           "found a static program, expected one with shared libraries: its calls cannot be taken by a preloaded library");
  if (loader.find("musl") != std::string::npos)
    refuse(name, fmt::format("found a program of the loader {}, expected one of the GNU C library", loader));
}

/// `depth`: number of scripts that have led here.
void check_program(const std::string& name, int depth) {
  struct stat facts{};
  if (stat(name.c_str(), &facts) != 0) refuse(name, std::strerror(errno));
  if (!S_ISREG(facts.st_mode)) refuse(name, "found no regular file, expected a program");
  if (access(name.c_str(), X_OK) != 0) refuse(name, "found a file that must not be executed, expected a program");
  if ((facts.st_mode & (S_ISUID | S_ISGID)) != 0 || getxattr(name.c_str(), "security.capability", nullptr, 0) > 0)
    refuse(
        name,
        "found a program with set-uid, set-gid or capabilities, expected one without: the system preloads no library into it");
  std::ifstream file(name, std::ios::binary);
  std::string start(4, '\0');
  if (!file.read(start.data(), 4)) refuse(name, "found a file that cannot be read, expected an ELF program or a script");
  if (start == ELFMAG) return check_elf(name, file);
  if (start.substr(0, 2) != "#!") refuse(name, "found no ELF program and no script that begins with #!, expected one of them");
  file.seekg(2);
  std::string line;
  std::getline(file, line);
  const std::size_t from = line.find_first_not_of(" \t");
  if (from == std::string::npos || depth == 4) refuse(name, "found a script without an interpreter, expected #! and its path");
  check_program(line.substr(from, line.find_first_of(" \t", from) - from), depth + 1);
}

std::string search_path(const std::string& name) {
  const char* const variable = std::getenv("PATH");
  std::string_view folders = variable != nullptr ? variable : "/usr/local/bin:/usr/bin:/bin";
  for (;;) {
    const std::size_t end = folders.find(':');
    const std::string_view folder = end == 0 ? "." : folders.substr(0, end);
    const std::string file = fmt::format("{}/{}", folder, name);
    if (is_program(file)) return file;
    if (end == std::string_view::npos) break;
    folders.remove_prefix(end + 1);
  }
  refuse(name, "found no such program in the folders of PATH");
}

}  // namespace

std::string find_program(const std::string& name) {
  const std::string file = name.find('/') == std::string::npos ? search_path(name) : name;
  check_program(file, 0);
  return file;
}

}  // namespace platter::cli
