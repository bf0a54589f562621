// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "platter/workload/decoder.h"

namespace platter::workload {

/// The contents of a file, read piece by piece: plain, or compressed by gzip, xz, zstd or bzip2, which its first bytes say. Throws
/// core::InputError for a file that cannot be read, and for a compressed stream that is damaged or cut short.
class ByteSource {
 public:
  /// The name of the standard input, which can be read once.
  static constexpr const char* kStandardInput = "-";
  /// How messages name a file.
  static std::string name_of(const std::filesystem::path& path);

  /// Whether it can be read twice: it is a regular file, or there is none of this name, but perhaps several of a recording.
  static bool rereadable(const std::filesystem::path& path);

  explicit ByteSource(const std::filesystem::path& path);

  /// What was read and not yet consumed; valid until more().
  std::string_view rest() const { return {buffer_.data() + begin_, end_ - begin_}; }
  /// Bytes of the contents before rest().
  std::uint64_t offset() const { return offset_; }
  void consume(std::size_t bytes) {
    begin_ += bytes;
    offset_ += bytes;
  }
  /// Reads more behind rest(), which moves; false at the end of the contents. At most kMaxHeld bytes can be held. `line`: of what the caller
  /// reads, for messages; 0: unknown.
  bool more(std::size_t line = 0);

  const std::string& name() const { return name_; }

  static constexpr std::size_t kMaxHeld = std::size_t{256} * 1024;

 private:
  std::size_t read_packed(char* to, std::size_t size);
  std::size_t unpack(char* to, std::size_t size, std::size_t line);
  [[noreturn]] void fail(std::size_t line, const std::string& why) const;

  std::string name_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{nullptr, nullptr};
  const Compression* compression_ = nullptr;
  std::unique_ptr<DecoderIf> decoder_;  ///< null: the file is plain
  std::vector<char> packed_;            ///< read, not yet expanded
  std::string_view packed_rest_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  ///< first byte of the buffer that is not consumed
  std::size_t end_ = 0;    ///< past the last byte read
  std::uint64_t offset_ = 0;
};

}  // namespace platter::workload
