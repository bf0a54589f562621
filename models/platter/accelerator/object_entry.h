// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace platter::accelerator {

/// FNV-1a, 64 bits.
class Digest {
 public:
  void add(std::string_view text) {
    for (const char c : text) value_ = (value_ ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
    value_ = (value_ ^ 0x100u) * 0x100000001B3u;  // so that the border between two texts counts
  }
  std::string text() const;

 private:
  std::uint64_t value_ = 0xCBF29CE484222325u;
};

/// A shared object that is made once and kept: a folder with the object and a seal, which has its size and its digest. It appears under its name when it is
/// complete. The name has a digest of all that the object is made of.
class ObjectEntry {
 public:
  using Say = std::function<void(const std::string&)>;
  enum class State { Absent, Damaged, Whole };

  explicit ObjectEntry(std::filesystem::path folder) : folder_(std::move(folder)) {}

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path object() const;
  State state() const;
  /// Waits for another process that makes the same entry. Where the object then is not whole, or `replace` is set and nobody else has made it, calls
  /// `announce` and then `make` with the name of the object that it must write. What `make` throws leaves no entry. Throws std::system_error where the
  /// folder cannot be written.
  void ensure(bool replace, const Say& say, const std::function<void(State)>& announce,
              const std::function<void(const std::filesystem::path& object)>& make) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace platter::accelerator
