// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "platter/workload/trace_line.h"

struct gzFile_s;

namespace platter::workload {

/// The lines of a text file, plain or gzip-compressed (recognised by content), read piece by piece. Throws core::InputError for a damaged
/// file: a compressed stream that is cut short or has a wrong checksum, or a line of more than 64 KiB. A last line without its end of line
/// is delivered as it is.
class TextFile {
 public:
  explicit TextFile(const std::filesystem::path& path);

  /// False after the last line. `line` is valid until the next call.
  bool next(SourceLine& line);

  const std::string& name() const { return name_; }

 private:
  struct Close {
    void operator()(gzFile_s* file) const;
  };

  void fill();

  std::string name_;
  std::unique_ptr<gzFile_s, Close> file_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  ///< first byte of the buffer not yet delivered
  std::size_t end_ = 0;    ///< past the last byte read
  std::size_t number_ = 0;
  bool at_end_ = false;
};

}  // namespace platter::workload
