// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "platter/workload/byte_source.h"
#include "platter/workload/trace_line.h"

namespace platter::workload {

/// A file as a sequence of lines, or of binary records.
class LineSourceIf {
 public:
  virtual ~LineSourceIf() = default;
  LineSourceIf() = default;
  LineSourceIf(const LineSourceIf&) = delete;
  LineSourceIf& operator=(const LineSourceIf&) = delete;

  /// False after the last line. `line` is valid until the next call.
  virtual bool next(SourceLine& line) = 0;
};

/// Text without the byte order mark (UTF-8) that some programs write in front of it.
inline std::string_view without_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.substr(text.substr(0, kMark.size()) == kMark ? kMark.size() : 0);
}

/// The lines of a text file, plain or compressed, without a byte order mark. Throws core::InputError for a damaged file: what ByteSource refuses, or a line of more
/// than 64 KiB. A last line without its end of line is delivered as it is.
class TextFile : public LineSourceIf {
 public:
  static constexpr std::size_t kLongestLine = std::size_t{64} * 1024;

  explicit TextFile(const std::filesystem::path& path) : TextFile(ByteSource(path)) {}
  explicit TextFile(ByteSource source) : source_(std::move(source)) {}

  bool next(SourceLine& line) override;

  const std::string& name() const { return source_.name(); }

 private:
  ByteSource source_;
  std::size_t number_ = 0;
  bool at_end_ = false;

  static_assert(kLongestLine < ByteSource::kMaxHeld);
};

}  // namespace platter::workload
