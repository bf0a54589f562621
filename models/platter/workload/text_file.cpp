// SPDX-License-Identifier: Apache-2.0
#include "platter/workload/text_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "platter/core/error.h"
#include "platter/core/input_files.h"

namespace platter::workload {
namespace {

constexpr std::size_t kLongestLine = std::size_t{64} * 1024;
constexpr std::size_t kBufferBytes = 4 * kLongestLine;

}  // namespace

void TextFile::Close::operator()(gzFile_s* file) const { gzclose_r(file); }

TextFile::TextFile(const std::filesystem::path& path) : name_(path.string()), buffer_(kBufferBytes) {
  if (const std::string objection = core::note_input(path); !objection.empty()) throw core::InputError(name_, 0, 0, objection);
  errno = 0;
  file_.reset(gzopen(path.c_str(), "rb"));
  if (!file_) {
    const int reason = errno;
    throw core::InputError(name_, 0, 0, fmt::format("cannot be opened: {}", std::generic_category().message(reason)));
  }
}

/// Moves the remaining bytes to the front and reads more after them.
void TextFile::fill() {
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), buffer_.begin() + static_cast<std::ptrdiff_t>(end_),
            buffer_.begin());
  end_ -= begin_;
  begin_ = 0;
  const int got = gzread(file_.get(), buffer_.data() + end_, static_cast<unsigned>(buffer_.size() - end_));
  int code = Z_OK;
  const char* text = gzerror(file_.get(), &code);
  if (got < 0) {
    const std::string reason = code == Z_ERRNO ? std::generic_category().message(errno) : std::string(text);
    throw core::InputError(name_, number_ + 1, 0, fmt::format("cannot be read on: {}", reason));
  }
  end_ += static_cast<std::size_t>(got);
  if (got > 0) return;
  if (code == Z_BUF_ERROR) {
    throw core::InputError(name_, number_ + 1, 0, "the gzip stream is cut short here");
  }
  at_end_ = true;
}

bool TextFile::next(SourceLine& line) {
  std::size_t searched = 0;
  while (true) {
    const std::string_view rest(buffer_.data() + begin_, end_ - begin_);
    const std::size_t newline = rest.find('\n', searched);
    const std::size_t length = std::min(newline, rest.size());
    if (length > kLongestLine) {
      throw core::InputError(name_, number_ + 1, 0, fmt::format("line of more than {} bytes: not a text file", kLongestLine));
    }
    const bool ended = newline != std::string_view::npos;
    if (ended || (at_end_ && !rest.empty())) {
      begin_ += length + (ended ? 1 : 0);
      std::string_view text = rest.substr(0, length);
      if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
      line = {name_, ++number_, text, ended};
      return true;
    }
    if (at_end_) return false;
    searched = rest.size();
    fill();
  }
}

}  // namespace platter::workload
