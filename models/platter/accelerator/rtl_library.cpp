// SPDX-License-Identifier: Apache-2.0
#include "platter/accelerator/rtl_library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string_view>
#include <system_error>

#include "platter/accelerator/rtl_build.h"
#include "platter/accelerator/rtl_recipe.h"
#include "platter/core/error.h"

namespace platter::accelerator {

namespace fs = std::filesystem;

namespace {

constexpr const char* kObject = "sched.so";
constexpr const char* kComplete = "complete";  ///< holds the size and the digest of the object

/// FNV-1a, 64 bits.
class Digest {
 public:
  void add(std::string_view text) {
    for (const char c : text) value_ = (value_ ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
    value_ = (value_ ^ 0x100u) * 0x100000001B3u;  // so that the border between two texts counts
  }
  std::string text() const { return fmt::format("{:016x}", value_); }

 private:
  std::uint64_t value_ = 0xCBF29CE484222325u;
};

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

std::string entry_name(const RtlBuild& build, const AcceleratorParameters& parameters, RtlCopy copy) {
  Digest digest;
  digest.add(build.options());
  digest.add(recipe::kVerilatorVersion);
  for (const fs::path& file : build.files()) {
    digest.add(file.filename().string());
    digest.add(text_of(file));
  }
  for (const char* file : {"platter/accelerator/rtl_shim.cpp", "platter/accelerator/rtl_master.h",
                           "platter/accelerator/rtl_design.h", "platter/accelerator/bus_access.h", "platter/core/types.h"})
    digest.add(text_of(places().sources / "shim" / file));
  return name_of(parameters, copy) + "-" + digest.text();
}

std::string seal_of(const fs::path& object) {
  const std::string bytes = text_of(object);
  Digest digest;
  digest.add(bytes);
  return fmt::format("{} {}\n", bytes.size(), digest.text());
}

enum class State { Absent, Damaged, Whole };

State state_of(const fs::path& entry) {
  std::error_code ignored;
  if (!fs::exists(entry, ignored)) return State::Absent;
  const std::string seal = text_of(entry / kComplete);
  return !seal.empty() && seal == seal_of(entry / kObject) ? State::Whole : State::Damaged;
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

/// Holds an entry's lock file while it lives.
class Lock {
 public:
  Lock(const fs::path& file, const std::function<void(const std::string&)>& say) : file_(file) {
    descriptor_ = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0) throw std::system_error(errno, std::generic_category());
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      usleep(20'000);  // the owner writes its number at once
      std::string owner = text_of(file);
      while (!owner.empty() && owner.back() == '\n') owner.pop_back();
      say(fmt::format("waiting for {}, which makes it", owner.empty() ? "another process" : "process " + owner));
      while (flock(descriptor_, LOCK_EX) != 0)
        if (errno != EINTR) throw std::system_error(errno, std::generic_category());
    }
    const std::string owner = fmt::format("{}\n", getpid());
    if (ftruncate(descriptor_, 0) != 0 || pwrite(descriptor_, owner.data(), owner.size(), 0) < 0)
      throw std::system_error(errno, std::generic_category());
  }
  ~Lock() { close(descriptor_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  fs::path file_;
  int descriptor_ = -1;
};

/// Makes the entry; the lock is held.
void make_entry(const RtlBuild& build, const fs::path& entry, const std::function<void(const std::string&)>& say) {
  const fs::path folder = entry.string() + ".part";
  fs::remove_all(folder);  // of a process that was killed
  fs::create_directories(folder / "work");
  try {
    build.make(folder / "work" / kObject, say);
    fs::rename(folder / "work" / kObject, folder / kObject);
    std::ofstream(folder / kComplete) << seal_of(folder / kObject);
    fs::remove_all(folder / "work");
    fs::remove_all(entry);
    fs::rename(folder, entry);
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    throw;
  }
}

}  // namespace

RtlLibrary& RtlLibrary::instance() {
  static RtlLibrary library;
  return library;
}

void RtlLibrary::set_package(fs::path folder) { package() = std::move(folder); }

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
  const Places& at = places();
  if (at.sources.empty())
    throw core::SimulationError(fmt::format(
        "the sources of the RTL were not found in {}/rtl_sources or {}/rtl_sources, which sizes need that are not part of "
        "the program; use engine model",
        recipe::kInstalledData, recipe::kBuildFolder));
  std::string problem;
  if (const fs::path finished = at.designs / (name_of(parameters, copy) + ".so"); fs::exists(finished)) {
    if (RtlDesignFunction* found = open_object(finished, problem)) return found;
    throw core::SimulationError(problem);
  }

  const std::string size =
      fmt::format("the RTL of {} entries x {} lane{}", parameters.entries, parameters.lanes, parameters.lanes == 1 ? "" : "s");
  const auto tell = [&size](const std::string& line) { fmt::print(stderr, "platter: {}: {}\n", size, line); };
  const RtlBuild build(parameters, copy, at.sources);
  const fs::path folder = cache_folder();
  if (folder.empty())
    throw core::SimulationError("there is no folder for " + size + "; set PLATTER_RTL_CACHE to one that can be written");
  const fs::path entry = folder / entry_name(build, parameters, copy);
  if (state_of(entry) == State::Whole)
    if (RtlDesignFunction* found = open_object(entry / kObject, problem)) return found;
  try {
    fs::create_directories(folder);
    const Lock lock(entry.string() + ".lock", tell);
    State state = state_of(entry);
    if (state == State::Whole && !problem.empty()) state = State::Damaged;  // as it was before, if nobody else has made it
    if (state != State::Whole) {
      if (state == State::Damaged) tell("its entry in the cache is damaged");
      tell(fmt::format("is made once, in about {} s, and kept in {}", build.expected_seconds(), entry.string()));
      make_entry(build, entry, tell);
    }
  } catch (const std::system_error& error) {  // also fs::filesystem_error
    throw core::SimulationError(
        fmt::format("{} cannot be kept in {}: {}; set PLATTER_RTL_CACHE to a folder that can be written", size, folder.string(),
                    error.code().message()));
  }
  if (RtlDesignFunction* found = open_object(entry / kObject, problem)) return found;
  throw core::SimulationError(fmt::format("{} cannot be loaded: {}", size, problem));
}

std::unique_ptr<RtlDesign> RtlLibrary::design(const AcceleratorParameters& parameters, RtlCopy copy, VerilatedContext& context,
                                              core::Picoseconds clock_period, const std::string& name) {
  copy = available(copy);
  RtlDesignFunction*& make = loaded_[name_of(parameters, copy)];
  if (make == nullptr) make = load(parameters, copy);
  return std::unique_ptr<RtlDesign>(make(&context, clock_period, name.c_str()));
}

}  // namespace platter::accelerator
