// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace platter::observe {

/// A file that appears complete or not at all. It is written under a temporary name in the target's folder. `commit` renames it when it is on the
/// disk; otherwise it is removed. A file that is replaced gives its mode to the new one, and its owner and group as far as this process may do that. If the target is a link, the file that the link points to is replaced, not the link. A device or a pipe is written to,
/// not replaced. Two runs with the same target do not interfere: the last complete file remains.
class OutputFile {
 public:
  enum class Access {
    Stream,    ///< `write` only
    Rewritten  ///< another writer opens `partial_path` by name and seeks in it; `commit` copies it to a device or a pipe
  };

  /// Creates the folder, which is removed again if the file is not committed. Throws core::InputError where the file cannot be written, is
  /// an input of this process (core::note_input), or is another output of it; core::SimulationError where there is no room, as all do that write.
  explicit OutputFile(const std::filesystem::path& file, Access access = Access::Stream);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view text);
  /// Makes sure that everything is in the file system; throws core::SimulationError if there is no room. Nothing may be written afterwards.
  void finish();
  /// Finishes, and renames the file to its target.
  void commit();

  /// As it was given.
  const std::filesystem::path& name() const { return name_; }
  /// The temporary file.
  const std::filesystem::path& partial_path() const { return partial_; }

  /// Removes all uncommitted files of the process. A signal handler calls it before it ends the process.
  static void discard_all() noexcept;
  /// For a child process: forgets the files that its parent is writing, so that the child does not remove them.
  static void forget_all() noexcept;

 private:
  /// Reserves the target for this file.
  void claim(std::string identity);
  void make_folder();
  void make_partial(const std::filesystem::path& folder);
  void discard();
  void copy_to_target();
  void take_mode();
  [[noreturn]] void fail(const std::string& why);
  /// The error number tells whether it is the input, or a disk without room.
  [[noreturn]] void fail(int error);

  std::filesystem::path name_;  ///< as it was given
  std::filesystem::path file_;  ///< with links followed
  std::filesystem::path partial_;
  std::string beside_;    ///< a second file that the wave writer creates
  std::string identity_;  ///< key among the targets of the process; empty: a device
  std::FILE* stream_ = nullptr;
  bool in_place_ = false;  ///< the target is a device or a pipe
  bool finished_ = false;
};

/// Opens the file; null if the name is empty. Called before a run, so that an output that cannot be written is refused before the
/// simulation.
std::unique_ptr<OutputFile> open_output(const std::filesystem::path& file);

/// Commits all files, or none if there is no room for one of them; null pointers are skipped.
void commit_all(const std::vector<OutputFile*>& files);

}  // namespace platter::observe
