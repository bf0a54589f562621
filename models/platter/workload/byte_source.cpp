// SPDX-License-Identifier: Apache-2.0
#include "platter/workload/byte_source.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "platter/core/error.h"
#include "platter/core/input_files.h"

namespace platter::workload {
namespace {

constexpr std::size_t kPackedBytes = std::size_t{64} * 1024;
constexpr std::size_t kMagicBytes = 6;

}  // namespace

std::string ByteSource::name_of(const std::filesystem::path& path) {
  return path == kStandardInput ? "standard input" : path.string();
}

bool ByteSource::rereadable(const std::filesystem::path& path) {
  std::error_code error;
  return path != kStandardInput && (std::filesystem::is_regular_file(path, error) || !std::filesystem::exists(path, error));
}

ByteSource::ByteSource(const std::filesystem::path& path) : name_(name_of(path)), buffer_(kMaxHeld) {
  const bool standard = path == kStandardInput;
  static bool taken = false;
  if (standard && taken) fail(0, "can be read only once, but is needed twice: write it to a file first");
  taken = taken || standard;
  if (const std::string objection = core::note_input(standard ? "/dev/stdin" : path); !objection.empty()) fail(0, objection);
  errno = 0;
  file_ = {standard ? fdopen(dup(STDIN_FILENO), "rb") : std::fopen(path.c_str(), "rb"), &std::fclose};
  if (!file_) fail(0, fmt::format("cannot be opened: {}", std::generic_category().message(errno)));
  std::setvbuf(file_.get(), nullptr, _IONBF, 0);
  packed_.resize(kPackedBytes);
  std::size_t read = 0;
  for (std::size_t got = 1; read < kMagicBytes && got > 0; read += got)
    got = read_packed(packed_.data() + read, packed_.size() - read);
  packed_rest_ = {packed_.data(), read};
  compression_ = compression_of(packed_rest_);
  if (compression_ != nullptr) decoder_ = compression_->create();
}

void ByteSource::fail(std::size_t line, const std::string& why) const { throw core::InputError(name_, line, 0, why); }

std::size_t ByteSource::read_packed(char* to, std::size_t size) {
  errno = 0;
  const std::size_t got = std::fread(to, 1, size, file_.get());
  if (got == 0 && std::ferror(file_.get()) != 0) throw std::runtime_error(std::generic_category().message(errno));
  return got;
}

/// The next bytes of the contents of a compressed file; 0 at its end.
std::size_t ByteSource::unpack(char* to, std::size_t size, std::size_t line) {
  for (;;) {
    if (const std::size_t got = decoder_->decode(packed_rest_, to, size); got > 0) return got;
    if (!packed_rest_.empty()) continue;
    const std::size_t read = read_packed(packed_.data(), packed_.size());
    packed_rest_ = {packed_.data(), read};
    if (read > 0) continue;
    if (decoder_->complete()) return 0;
    fail(line, fmt::format("the {} stream is cut short here", compression_->name));
  }
}

bool ByteSource::more(std::size_t line) {
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), buffer_.begin() + static_cast<std::ptrdiff_t>(end_),
            buffer_.begin());
  end_ -= begin_;
  begin_ = 0;
  char* const to = buffer_.data() + end_;
  const std::size_t room = buffer_.size() - end_;
  std::size_t got = 0;
  try {
    if (decoder_) {
      got = unpack(to, room, line);
    } else if (!packed_rest_.empty()) {  // what was read to recognise the compression
      got = packed_rest_.copy(to, room);
      packed_rest_.remove_prefix(got);
    } else {
      got = read_packed(to, room);
    }
  } catch (const core::InputError&) {
    throw;
  } catch (const std::runtime_error& error) {
    fail(line, fmt::format("cannot be read any further: {}", error.what()));
  }
  end_ += got;
  return got > 0;
}

}  // namespace platter::workload
