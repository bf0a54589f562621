// SPDX-License-Identifier: Apache-2.0
#include "platter/observe/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <list>
#include <set>

#include "platter/core/error.h"
#include "platter/core/input_files.h"

namespace platter::observe {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kBuffer = 256 << 10;  // of a stream: a log of a million requests has 170 MB
constexpr int kMaxLinks = 40;               // as many as Linux follows

// Files and folders to remove when a signal ends the process. A handler may read the table at any time, so it holds pointers that are set
// last and cleared first. A path that finds no room in it is removed in every other case.
std::array<std::atomic<const char*>, 256> leftovers{};

void note(const char* path) {
  for (auto& entry : leftovers) {
    const char* free = nullptr;
    if (entry.compare_exchange_strong(free, path)) return;
  }
}

void forget(const char* path) {
  for (auto& entry : leftovers) {
    const char* noted = path;
    if (entry.compare_exchange_strong(noted, nullptr)) return;
  }
}

/// The targets that are being written.
std::set<std::string>& targets() {
  static std::set<std::string> names;
  return names;
}

/// Folders that were created for files, the outermost first. An empty one is removed when a file is not committed.
std::list<fs::path>& made_folders() {
  static std::list<fs::path> folders;
  return folders;
}

void remove_empty_folders() {
  std::list<fs::path>& folders = made_folders();
  for (auto folder = folders.end(); folder != folders.begin();) {
    --folder;
    std::error_code ignored;
    if (!fs::remove(*folder, ignored)) continue;
    forget(folder->c_str());
    folder = folders.erase(folder);
  }
}

std::string reason(int error) { return std::generic_category().message(error); }

bool is_full(int error) { return error == ENOSPC || error == EDQUOT || error == EFBIG; }

/// Follows a chain of links to its target, which need not exist. Returns why there is no target, "" if there is one.
std::string follow_links(fs::path& file) {
  std::error_code error;
  for (int links = 0; fs::is_symlink(fs::symlink_status(file, error)); ++links) {
    if (links == kMaxLinks) return reason(ELOOP);
    const fs::path next = fs::read_symlink(file, error);
    if (error) return error.message();
    file = file.parent_path() / next;
  }
  return {};
}

}  // namespace

OutputFile::OutputFile(const fs::path& file, Access access) : name_(file), file_(file) {
  std::error_code error;
  const fs::file_status status = fs::status(file_, error);
  if (status.type() == fs::file_type::none) fail(error.message());  // name too long, links in a circle, no access to a folder
  if (fs::is_directory(status) || !file_.has_filename()) fail("it is a folder");
  in_place_ = fs::exists(status) && !fs::is_regular_file(status);
  if (fs::is_fifo(status)) claim(fs::canonical(file_, error).string());
  if (!in_place_) {
    if (const std::string why = follow_links(file_); !why.empty()) fail(why);
    if (core::is_input(file_)) fail("it is an input of this run");
    make_folder();
    fs::path place = fs::canonical(file_.has_parent_path() ? file_.parent_path() : fs::path("."), error);
    if (error) fail(error.message());
    // The partial file has another name, so whether this name is allowed must be checked here.
    const long longest = pathconf(place.c_str(), _PC_NAME_MAX);
    if (longest > 0 && file_.filename().native().size() > static_cast<std::size_t>(longest)) fail(reason(ENAMETOOLONG));
    claim((place / file_.filename()).string());
    make_partial(place);
  } else if (access == Access::Rewritten) {
    const fs::path folder = fs::temp_directory_path(error);
    if (error) fail("for a device or a pipe it is put together in the folder for temporary files: " + error.message());
    make_partial(folder);
  }
  if (!in_place_ || access == Access::Stream) {
    const fs::path& opened = in_place_ ? file_ : partial_;
    stream_ = std::fopen(opened.c_str(), in_place_ ? "wb" : "r+b");
    if (stream_ == nullptr) fail(errno);
    std::setvbuf(stream_, nullptr, _IOFBF, kBuffer);
  } else if (::access(file_.c_str(), W_OK) != 0) {
    fail(errno);
  }
}

OutputFile::~OutputFile() { discard(); }

void OutputFile::fail(const std::string& why) {
  discard();
  throw core::InputError(name_.string(), 0, 0, "cannot be written: " + why);
}

void OutputFile::fail(int error) {
  if (!is_full(error)) fail(reason(error));
  discard();
  throw core::SimulationError(name_.string() + ": " + reason(error));
}

void OutputFile::claim(std::string identity) {
  if (!targets().insert(identity).second) fail("it is another output of this run, expected a file of its own");
  identity_ = std::move(identity);
}

void OutputFile::make_folder() {
  std::error_code ignored;
  std::list<fs::path> made;
  for (fs::path folder = file_.parent_path(); !folder.empty() && !fs::exists(folder, ignored); folder = folder.parent_path())
    made.push_front(folder);
  for (const fs::path& folder : made) note(folder.c_str());
  made_folders().splice(made_folders().end(), made);
  std::error_code error;
  if (file_.has_parent_path()) fs::create_directories(file_.parent_path(), error);
  if (error && is_full(error.value())) fail(error.value());
}

void OutputFile::make_partial(const fs::path& folder) {
  static unsigned number = 0;
  for (;;) {
    partial_ = folder / fmt::format(".platter-{}-{}.partial", getpid(), number++);
    beside_ = partial_.string() + ".hier";
    note(beside_.c_str());
    note(partial_.c_str());
    // Nobody may read the file before it has the mode of the one that it replaces. This process must write it, whatever that mode is.
    struct stat replaced{};
    const bool replaces = !in_place_ && stat(file_.c_str(), &replaced) == 0;
    const mode_t mode = replaces ? (replaced.st_mode & 0666) | S_IRUSR | S_IWUSR : 0666;
    const int descriptor = open(partial_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor >= 0) {
      close(descriptor);
      return;
    }
    const int error = errno;
    forget(beside_.c_str());
    forget(partial_.c_str());
    partial_.clear();
    if (error != EEXIST) fail(error);
  }
}

void OutputFile::discard() {
  std::error_code ignored;
  if (stream_ != nullptr) std::fclose(stream_);
  stream_ = nullptr;
  if (!partial_.empty()) {
    fs::remove(partial_, ignored);
    fs::remove(beside_, ignored);
    forget(beside_.c_str());
    forget(partial_.c_str());
    partial_.clear();
  }
  remove_empty_folders();
  targets().erase(identity_);
}

void OutputFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stream_) != text.size())
    throw core::SimulationError(name_.string() + ": " + reason(errno));
}

/// Copies the temporary file to the device or the pipe.
void OutputFile::copy_to_target() {
  std::FILE* from = std::fopen(partial_.c_str(), "rb");
  if (from == nullptr) throw core::SimulationError(partial_.string() + ": " + reason(errno));
  stream_ = std::fopen(file_.c_str(), "wb");
  const bool opened = stream_ != nullptr;
  std::array<char, 65536> piece{};
  bool good = opened;
  while (const std::size_t got = good ? std::fread(piece.data(), 1, piece.size(), from) : 0)
    good = std::fwrite(piece.data(), 1, got, stream_) == got;
  const int error = errno;
  std::fclose(from);
  if (!good) throw core::SimulationError(name_.string() + ": " + reason(error));
}

/// The mode of the file that this one replaces, and its owner and group as far as this process may give them.
void OutputFile::take_mode() {
  struct stat replaced{};
  struct stat own{};
  const int descriptor = fileno(stream_);
  if (stat(file_.c_str(), &replaced) != 0 || fstat(descriptor, &own) != 0) return;
  mode_t mode = replaced.st_mode & 07777;
  if (own.st_uid != replaced.st_uid && fchown(descriptor, replaced.st_uid, static_cast<gid_t>(-1)) != 0)
    mode &= ~mode_t{S_ISUID};
  // The rights of one group are not another's.
  if (own.st_gid != replaced.st_gid && fchown(descriptor, static_cast<uid_t>(-1), replaced.st_gid) != 0)
    mode &= ~mode_t{S_ISGID | S_IRWXG};
  if (fchmod(descriptor, mode) != 0) return;  // a file system without modes
}

void OutputFile::finish() {
  if (finished_) return;
  finished_ = true;
  if (in_place_ && stream_ == nullptr) copy_to_target();
  const auto check = [this](bool good) {
    if (!good) throw core::SimulationError(name_.string() + ": " + reason(errno));
  };
  if (!in_place_) {
    check(std::fflush(stream_) == 0);
    take_mode();
    // The file has its name only when its contents are on the disk; a file system may have no such call.
    check(fsync(fileno(stream_)) == 0 || errno == EINVAL || errno == ENOTSUP);
  }
  const bool good = std::fclose(stream_) == 0;
  stream_ = nullptr;
  check(good);
}

void OutputFile::commit() {
  finish();
  if (!in_place_) {
    std::error_code error;
    fs::rename(partial_, file_, error);
    if (error) {
      discard();
      throw core::SimulationError(name_.string() + ": " + error.message());
    }
  }
  discard();  // forgets the temporary name, which no longer exists
}

void OutputFile::discard_all() noexcept {
  for (auto& entry : leftovers)
    if (const char* path = entry.load(); path != nullptr) unlink(path);
  for (bool more = true; more;) {  // then the folders that are empty now, inner ones before outer ones
    more = false;
    for (auto& entry : leftovers)
      if (const char* path = entry.load(); path != nullptr && rmdir(path) == 0) {
        entry.store(nullptr);
        more = true;
      }
  }
}

void OutputFile::forget_all() noexcept {
  for (auto& entry : leftovers) entry.store(nullptr);
}

std::unique_ptr<OutputFile> open_output(const fs::path& file) {
  return file.empty() ? nullptr : std::make_unique<OutputFile>(file);
}

void commit_all(const std::vector<OutputFile*>& files) {
  for (OutputFile* file : files)
    if (file != nullptr) file->finish();
  for (OutputFile* file : files)
    if (file != nullptr) file->commit();
}

}  // namespace platter::observe
