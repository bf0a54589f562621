// SPDX-License-Identifier: Apache-2.0
#include "platter/accelerator/rtl_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "platter/accelerator/object_entry.h"
#include "platter/accelerator/rtl_build.h"
#include "platter/accelerator/rtl_core.h"
#include "platter/accelerator/rtl_recipe.h"
#include "platter/core/error.h"

namespace platter::accelerator {

namespace fs = std::filesystem;

namespace {

RtlCopy available(RtlCopy copy) { return recipe::kFast ? copy : RtlCopy::Waves; }

std::string_view name_of(RtlCopy copy) {
  return copy == RtlCopy::Waves ? "waves" : copy == RtlCopy::Checked ? "checked" : "fast";
}

/// The file name of a design that comes with the build (rtl/CMakeLists.txt), and the beginning of an entry's name.
std::string name_of(const AcceleratorParameters& p, RtlCopy copy) {
  return fmt::format("{}x{}-order{}-angle{}-cylinder{}-segments{}.{}-features{}-{}", p.entries, p.lanes, p.order_m,
                     p.format.angle_w, p.format.cyl_w, p.format.seg_m, p.format.seg_w, p.features, name_of(copy));
}

/// Where sources and finished designs are.
struct Places {
  fs::path sources;
  fs::path designs;
  bool of_build = false;
};

fs::path& package() {
  static fs::path folder;
  return folder;
}

/// An installed program belongs to the files beside it.
const Places& places() {
  static const Places found = [] {
    std::error_code ignored;
    const auto installed = [](const fs::path& data) {
      return Places{(data / "rtl_sources").lexically_normal(),
                    (data / recipe::kObjectsFromData / "rtl_designs").lexically_normal()};
    };
    const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path();
    const fs::path build = recipe::kBuildFolder;
    for (const Places& one : {installed(program / recipe::kDataFromProgram), installed(package()),
                              Places{build / "rtl_sources", build / "rtl_designs", true}, installed(recipe::kInstalledData)})
      if (one.sources.is_absolute() && fs::exists(one.sources / "plain/files.f", ignored)) return one;
    return Places{};
  }();
  return found;
}

/// `needed`: ends the sentence of the message.
const fs::path& require_sources(const std::string& needed) {
  if (places().sources.empty())
    throw core::SimulationError(
        fmt::format("the sources of the RTL were not found in {}/rtl_sources or {}/rtl_sources, which {}",
                    recipe::kInstalledData, recipe::kBuildFolder, needed));
  return places().sources;
}

std::string entry_name(const RtlBuild& build, const AcceleratorParameters& parameters, RtlCopy copy) {
  Digest digest;
  digest.add(build.options());
  digest.add(recipe::kVerilatorVersion);
  for (const fs::path& file : build.files()) {
    digest.add(file.filename().string());
    digest.add(text_of(file));
  }
  for (const char* file :
       {"platter/accelerator/rtl_shim.cpp", "platter/accelerator/rtl_master.h", "platter/accelerator/rtl_design.h",
        "platter/accelerator/bus_access.h", "platter/core/types.h", kVerilatedNames})
    digest.add(text_of(places().sources / "shim" / file));
  return name_of(parameters, copy) + "-" + digest.text();
}

/// The design's function; null if it is not such an object.
RtlDesignFunction* open_object(const fs::path& object, std::string& problem) {
  void* handle = dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    problem = dlerror();
    return nullptr;
  }
  auto* interface = reinterpret_cast<RtlInterfaceFunction*>(dlsym(handle, kRtlInterfaceSymbol));
  auto* design = reinterpret_cast<RtlDesignFunction*>(dlsym(handle, kRtlDesignSymbol));
  if (interface == nullptr || design == nullptr || interface() != kRtlInterface) {
    problem = object.string() + ": is of another version of Platter";
    return nullptr;
  }
  return design;
}

}  // namespace

RtlLibrary& RtlLibrary::instance() {
  static RtlLibrary library;
  return library;
}

void RtlLibrary::set_package(fs::path folder) { package() = std::move(folder); }

fs::path RtlLibrary::sources_folder() { return require_sources("an engine of your own needs"); }

void RtlLibrary::require_run_time(const std::string& what) {
  if (dlsym(RTLD_DEFAULT, "_ZTI22platter_VerilatedModel") != nullptr) return;
  const AcceleratorParameters built = RtlCore::built_parameters();
  throw core::SimulationError(
      fmt::format("{} cannot be loaded, because this program or library does not export the run-time of Verilator; expected "
                  "the RTL that is "
                  "built in ({} entries, {} lanes, cylinder numbers of {} bits), or engine model or firmware",
                  what, built.entries, built.lanes, built.format.cyl_w));
}

fs::path RtlLibrary::cache_folder() {
  const auto set = [](const char* name) -> fs::path {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : "";
  };
  if (const fs::path given = set("PLATTER_RTL_CACHE"); !given.empty()) return given;
  if (places().of_build) return fs::path(recipe::kBuildFolder) / "rtl_cache";
  if (const fs::path caches = set("XDG_CACHE_HOME"); !caches.empty()) return caches / "platter";
  if (const fs::path home = set("HOME"); !home.empty()) return home / ".cache/platter";
  return {};
}

RtlDesignFunction* RtlLibrary::load(const AcceleratorParameters& parameters, RtlCopy copy) {
  const std::string size =
      fmt::format("the RTL of {} entries x {} lane{}", parameters.entries, parameters.lanes, parameters.lanes == 1 ? "" : "s");
  require_run_time(size);
  const Places& at = places();
  require_sources("sizes need that are not part of the program; use engine model");
  std::string problem;
  if (const fs::path finished = at.designs / (name_of(parameters, copy) + ".so"); fs::exists(finished)) {
    if (RtlDesignFunction* found = open_object(finished, problem)) return found;
    throw core::SimulationError(problem);
  }

  const auto tell = [&size](const std::string& line) { fmt::print(stderr, "platter: {}: {}\n", size, line); };
  const RtlBuild build(parameters, copy, at.sources);
  const fs::path folder = cache_folder();
  if (folder.empty())
    throw core::SimulationError("there is no folder for " + size + "; set PLATTER_RTL_CACHE to one that can be written");
  const ObjectEntry entry(folder / entry_name(build, parameters, copy));
  if (entry.state() == ObjectEntry::State::Whole)
    if (RtlDesignFunction* found = open_object(entry.object(), problem)) return found;
  try {
    entry.ensure(
        !problem.empty(), tell,
        [&](ObjectEntry::State state) {
          if (state == ObjectEntry::State::Damaged) tell("its entry in the cache is damaged");
          tell(fmt::format("is made once, in about {} s, and kept in {}", build.expected_seconds(), entry.folder().string()));
        },
        [&](const fs::path& object) { build.make(object, tell); });
  } catch (const std::system_error& error) {  // also fs::filesystem_error
    throw core::SimulationError(
        fmt::format("{} cannot be kept in {}: {}; set PLATTER_RTL_CACHE to a folder that can be written", size, folder.string(),
                    error.code().message()));
  }
  if (RtlDesignFunction* found = open_object(entry.object(), problem)) return found;
  throw core::SimulationError(fmt::format("{} cannot be loaded: {}", size, problem));
}

std::unique_ptr<RtlDesign> RtlLibrary::design(const AcceleratorParameters& parameters, RtlCopy copy, RtlContext& context,
                                              core::Picoseconds clock_period, const std::string& name) {
  copy = available(copy);
  RtlDesignFunction*& make = loaded_[name_of(parameters, copy)];
  if (make == nullptr) make = load(parameters, copy);
  return std::unique_ptr<RtlDesign>(make(&context, clock_period, name.c_str()));
}

}  // namespace platter::accelerator
