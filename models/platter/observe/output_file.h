// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace platter::observe {

/// A file that appears whole or not at all. It is written under a name of its own in the target's folder, renamed by `commit`, and removed
/// otherwise. A link's target is replaced, not the link; a device or a pipe is written to, not replaced. Two runs with the same
/// target do not meet: the last whole file stays.
class OutputFile {
 public:
  enum class Access {
    Stream,    ///< `write` only
    Rewritten  ///< somebody else writes the file `partial_path` by its name, with seeks: `commit` copies it to a device or a pipe
  };

  /// Makes the folder, which goes again with a file that is not committed. Throws core::InputError where the file cannot be written, is an
  /// input of this process (core::note_input), or is another output of it.
  explicit OutputFile(const std::filesystem::path& file, Access access = Access::Stream);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view text);
  /// Everything is in the file system; throws core::SimulationError where it has no room. Nothing is written from now on.
  void finish();
  /// Finishes, and gives the file its name.
  void commit();

  /// As it was given.
  const std::filesystem::path& name() const { return name_; }
  /// The file that is being written.
  const std::filesystem::path& partial_path() const { return partial_; }

  /// What is not committed, of all files of the process, is removed: for a signal's handler, which ends the process behind it.
  static void discard_all() noexcept;
  /// In a child process: the files that its parent is writing are not its own.
  static void forget_all() noexcept;

 private:
  /// The target is this one's alone.
  void claim(std::string identity);
  void make_folder();
  void make_partial(const std::filesystem::path& folder);
  void discard();
  void copy_to_target();
  [[noreturn]] void fail(const std::string& why);

  std::filesystem::path name_;  ///< as it was given
  std::filesystem::path file_;  ///< with links followed
  std::filesystem::path partial_;
  std::string beside_;    ///< `partial_` + ".hier", a second file that the writer of waves has
  std::string identity_;  ///< among the targets of the process; empty: a device
  std::FILE* stream_ = nullptr;
  bool in_place_ = false;  ///< the target is a device or a pipe
  bool finished_ = false;
};

/// Opens it, if it has a name: before a run, so that results that have no place are refused without one.
std::unique_ptr<OutputFile> open_output(const std::filesystem::path& file);

/// Commits all, or none where one of them has no room; null ones are left out.
void commit_all(const std::vector<OutputFile*>& files);

}  // namespace platter::observe
