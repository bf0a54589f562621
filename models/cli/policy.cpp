// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "commands.h"
#include "platter/core/error.h"
#include "platter/mechanics/access_planner.h"
#include "platter/scheduling/own_policies.h"
#include "platter/scheduling/own_policy.h"
#include "platter/scheduling/policy_check.h"
#include "platter/system/drives.h"
#include "signals.h"

namespace platter::cli {

namespace fs = std::filesystem;

namespace {

/// The folders of the headers: those beside an installed program, or those that it was made from.
std::vector<std::string> header_folders() {
  std::error_code ignored;
  const fs::path installed = fs::read_symlink("/proc/self/exe", ignored).parent_path() / PLATTER_HEADERS_FROM_PROGRAM;
  if (fs::exists(installed / "platter/scheduling/own_policy.h", ignored)) return {installed.lexically_normal().string()};
  std::vector<std::string> folders;
  std::string all = PLATTER_HEADERS;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find(':', at), all.size());
    folders.push_back(all.substr(at, end - at));
    at = end + 1;
  }
  for (const std::string& folder : folders)
    if (!fs::exists(folder, ignored))
      throw core::SimulationError(
          fmt::format("{}: there are no headers; expected those of the installed package or of the source tree", folder));
  return folders;
}

/// The exit status of a program that writes to the present outputs; 127: it cannot be started.
int status_of(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  std::vector<std::string> copy = words;
  for (std::string& word : copy) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::fflush(nullptr);
  const pid_t pid = fork_child();
  if (pid == 0) {
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  forget_child(pid);
  return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

}  // namespace

int policy_build(const PolicyBuildOptions& options) {
  const fs::path source = options.file;
  if (!fs::is_regular_file(source)) throw core::InputError(options.file, 0, 0, "there is no such file; expected a C++ source");
  if (source.extension() == ".py")
    throw core::InputError(options.file, 0, 0,
                           fmt::format("found a Python file, expected a C++ source: own:{} needs no building", options.file));
  const fs::path object = options.output.empty() ? fs::path(source).replace_extension(".so") : fs::path(options.output);
  if (object.has_parent_path() && !fs::is_directory(object.parent_path()))
    throw core::InputError("--output", 0, 0,
                           fmt::format("found {}, expected a file in a folder that there is", object.string()));
  const fs::path partial = object.string() + fmt::format(".{}.partial", getpid());
  std::vector<std::string> words{options.compiler.empty() ? PLATTER_CXX : options.compiler,
                                 "-std=c++17",
                                 "-O2",
                                 "-DNDEBUG",
                                 "-ffp-contract=off",
                                 "-fPIC",
                                 "-shared",
                                 "-fvisibility=hidden",
                                 "-Wall"};
  for (const std::string& folder : header_folders()) words.insert(words.end(), {"-isystem", folder});
  words.insert(words.end(), options.compiler_options.begin(), options.compiler_options.end());
  words.insert(words.end(), {source.string(), "-o", partial.string()});
  const int status = status_of(words);
  std::error_code error;
  if (status != 0) {
    fs::remove(partial, error);
    if (status == 127)
      throw core::SimulationError(fmt::format("{}: there is no such compiler; expected one by --compiler", words[0]));
    throw core::InputError(options.file, 0, 0, "it does not compile");
  }
  fs::rename(partial, object, error);
  if (error) {
    fs::remove(partial, error);
    throw core::SimulationError(fmt::format("{}: it cannot be written", object.string()));
  }
  const std::string notation = "own:" + (object.has_parent_path() ? object : fs::path(".") / object).string();
  fmt::print("{}\n", notation);
  return kGood;
}

int policy_check(const PolicyCheckOptions& options) {
  const std::string objection = scheduling::policy_objection(options.policy);
  if (!objection.empty()) throw core::InputError("policy", 0, 0, objection);
  const scheduling::PolicySpec policy = *scheduling::find_policy(options.policy);
  if (policy.row->places) throw core::InputError("policy", 0, 0, "it decides where writes go, which this check does not try");
  const mechanics::AccessPlanner planner(system::load_drive(options.drive));
  const scheduling::PolicyCheck found = scheduling::check_policy(policy, planner, options.situations, options.seed);
  if (!found.violation.empty()) {
    fmt::print(stderr, "{}: {} (seed {})\n", policy.name(), found.violation, options.seed);
    return kFailed;
  }
  fmt::print("{}: {} decisions, {} commands served, {} withdrawn, {} of a sweep; no violation\n", policy.name(),
             found.decisions, found.served, found.withdrawn, found.deadlines);
  return kGood;
}

int list_own(const std::string& file) {
  std::string objection;
  const scheduling::OwnPolicy* const policy = scheduling::own_policy_of(file, objection);
  if (policy == nullptr) throw core::InputError("--own", 0, 0, objection);
  std::vector<std::string> names;
  names.reserve(policy->parameter_count);
  for (std::uint32_t i = 0; i < policy->parameter_count; ++i) names.emplace_back(policy->parameters[i].name);
  fmt::print("own:{}{}  {} [firmware]\n", file, names.empty() ? "" : fmt::format("({})", fmt::join(names, "|")),
             policy->description);
  for (std::uint32_t i = 0; i < policy->parameter_count; ++i) {
    const scheduling::OwnParameter& parameter = policy->parameters[i];
    fmt::print("  {}  {:g} to {:g}: {}\n", parameter.name, parameter.least, parameter.most, parameter.meaning);
  }
  return kGood;
}

}  // namespace platter::cli
