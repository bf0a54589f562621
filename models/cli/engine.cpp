// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <system_error>
#include <vector>

#include "commands.h"
#include "platter/accelerator/own_rtl.h"
#include "platter/accelerator/rtl_library.h"
#include "platter/core/error.h"
#include "platter/system/drives.h"

namespace platter::cli {

namespace fs = std::filesystem;

namespace {

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(in), {});
  if (!in) throw core::SimulationError(fmt::format("{}: it cannot be read", file.string()));
  return text;
}

/// The engine of the template; a new one's name takes its place in names of files and in texts.
constexpr const char* kTemplate = "fcfs_engine";
constexpr std::array kFiles = {"fcfs_engine.sv",
                               "fcfs_engine_policy.sv",
                               "platter_candidates.sv",
                               "platter_candidates_checks.sv",
                               "adapter.cpp",
                               "files.f",
                               "lockstep.toml",
                               "CMakeLists.txt",
                               "README.md"};

std::string named(const std::string& text, const std::string& name) {
  return std::regex_replace(text, std::regex(kTemplate), name);
}

void write_from(const fs::path& from, const fs::path& folder, const std::string& name) {
  std::ofstream out(folder / named(from.filename().string(), name), std::ios::binary);
  out << named(contents(from), name);
  out.close();
  if (!out) throw std::system_error(errno, std::generic_category());
}

}  // namespace

int engine_new(const EngineNewOptions& options) {
  fs::path folder = fs::path(options.folder).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();  // it ended with a slash
  const std::string name = folder.filename().string();
  if (!std::regex_match(name, std::regex("[A-Za-z][A-Za-z0-9_]*")) || name == "platter_candidates")
    throw core::InputError(options.folder, 0, 0,
                           "it is no name of a module; expected letters, digits and underscores, a letter first");
  std::error_code ignored;
  if (fs::exists(folder, ignored) || fs::is_symlink(folder, ignored))
    throw core::InputError(options.folder, 0, 0, "it is there already; expected the name of a new folder");
  accelerator::RtlLibrary::set_package(system::config_directory().parent_path());
  const fs::path from = accelerator::OwnRtl::template_folder();
  const fs::path partial = folder.string() + fmt::format(".{}.partial", getpid());
  try {
    if (folder.has_parent_path()) fs::create_directories(folder.parent_path());
    fs::create_directory(partial);
    for (const char* file : kFiles) write_from(from / file, partial, name);
    fs::rename(partial, folder);
  } catch (const std::system_error& error) {  // also fs::filesystem_error
    fs::remove_all(partial, ignored);
    throw core::SimulationError(fmt::format("{}: it cannot be written: {}", options.folder, error.code().message()));
  } catch (...) {
    fs::remove_all(partial, ignored);
    throw;
  }
  fmt::print("own:{}\n", folder.string());
  return kGood;
}

int engine_build(const EngineBuildOptions& options) {
  accelerator::RtlLibrary::set_package(system::config_directory().parent_path());
  const std::string module = accelerator::OwnRtl::build(options.folder);
  std::vector<std::string> warnings;
  try {
    warnings = accelerator::OwnRtl::lint(options.folder);
  } catch (const core::SimulationError& error) {
    if (options.strict) throw;
    fmt::print(stderr, "platter: the sources were not looked through for warnings: {}\n", error.what());
  }
  for (const std::string& warning : warnings) fmt::print(stderr, "{}\n", warning);
  if (options.strict && !warnings.empty())
    throw core::InputError(options.folder, 0, 0,
                           fmt::format("found {} warning{}, expected none", warnings.size(), warnings.size() == 1 ? "" : "s"));
  const accelerator::OwnRtl rtl(options.folder, core::kPicosecondsPerMicrosecond);
  fmt::print("own:{}  module {}, {} entries\n", options.folder, module, rtl.depth());
  return kGood;
}

}  // namespace platter::cli
