// SPDX-License-Identifier: Apache-2.0
#include "platter/accelerator/object_entry.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#include "platter/accelerator/rtl_build.h"

namespace platter::accelerator {

namespace fs = std::filesystem;

namespace {

constexpr const char* kObject = "sched.so";
constexpr const char* kComplete = "complete";  ///< the seal

std::string seal_of(const fs::path& object) {
  const std::string bytes = text_of(object);
  Digest digest;
  digest.add(bytes);
  return fmt::format("{} {}\n", bytes.size(), digest.text());
}

/// Holds an entry's lock file while it lives.
class Lock {
 public:
  Lock(const fs::path& file, const ObjectEntry::Say& say) : file_(file) {
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

}  // namespace

std::string Digest::text() const { return fmt::format("{:016x}", value_); }

fs::path ObjectEntry::object() const { return folder_ / kObject; }

ObjectEntry::State ObjectEntry::state() const {
  std::error_code ignored;
  if (!fs::exists(folder_, ignored)) return State::Absent;
  const std::string seal = text_of(folder_ / kComplete);
  return !seal.empty() && seal == seal_of(object()) ? State::Whole : State::Damaged;
}

void ObjectEntry::ensure(bool replace, const Say& say, const std::function<void(State)>& announce,
                         const std::function<void(const fs::path& object)>& make) const {
  fs::create_directories(folder_.parent_path());
  const Lock lock(folder_.string() + ".lock", say);
  State found = state();
  if (found == State::Whole && replace) found = State::Damaged;  // as it was before, if nobody else has made it
  if (found == State::Whole) return;
  announce(found);
  const fs::path part = folder_.string() + ".part";
  fs::remove_all(part);  // of a process that was killed
  fs::create_directories(part / "work");
  try {
    make(part / "work" / kObject);
    fs::rename(part / "work" / kObject, part / kObject);
    std::ofstream(part / kComplete) << seal_of(part / kObject);
    fs::remove_all(part / "work");
    fs::remove_all(folder_);
    fs::rename(part, folder_);
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(part, ignored);
    throw;
  }
}

}  // namespace platter::accelerator
