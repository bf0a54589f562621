// SPDX-License-Identifier: Apache-2.0
#include "platter/system/image_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "platter/core/error.h"
#include "platter/core/input_files.h"
#include "platter/front/serving/file_descriptor.h"

namespace platter::system {

namespace {

bool readable(int fd) {
  pollfd waiting{fd, POLLIN, 0};
  return poll(&waiting, 1, 0) > 0;
}

}  // namespace

void load_image(const std::filesystem::path& file, std::uint64_t capacity, std::uint32_t sector_bytes, int stop_fd,
                const PutSectors& put) {
  if (const std::string objection = core::note_input(file); !objection.empty()) throw core::InputError(file, 0, 0, objection);
  const serving::FileDescriptor from(
      open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // a FIFO would wait for its writer
  const auto fail = [&file] { throw core::InputError(file, 0, 0, std::strerror(errno)); };
  struct stat kind{};
  if (!from || fstat(from.get(), &kind) != 0) fail();
  if (!S_ISREG(kind.st_mode) && !S_ISBLK(kind.st_mode))
    throw core::InputError(file, 0, 0, "expected a regular file or a block device");
  const auto refuse_size = [&] {
    throw core::InputError(file, 0, 0, fmt::format("larger than the drive, which has {} bytes", capacity));
  };
  if (static_cast<std::uint64_t>(kind.st_size) > capacity) refuse_size();  // its end may be a hole, which is not read
  // Whole sectors, whatever their size: the last one is filled up in the chunk.
  std::vector<std::uint8_t> chunk((std::size_t{1} << 20) / sector_bytes * sector_bytes);
  std::uint64_t at = 0;
  for (std::size_t filled = 0; !readable(stop_fd);) {
    if (filled == 0) {  // a hole reads as zero, as the drive does
      const off_t data = lseek(from.get(), static_cast<off_t>(at), SEEK_DATA);
      if (data < 0 && errno == ENXIO) break;
      if (data >= 0) {
        at = static_cast<std::uint64_t>(data) / sector_bytes * sector_bytes;
        lseek(from.get(), static_cast<off_t>(at), SEEK_SET);
      }
    }
    const ssize_t bytes = read(from.get(), chunk.data() + filled, chunk.size() - filled);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) fail();
    filled += static_cast<std::size_t>(bytes);
    if (bytes > 0 && filled < chunk.size()) continue;
    if (filled == 0) break;
    const std::size_t whole = (filled + sector_bytes - 1) / sector_bytes * sector_bytes;
    const auto end = chunk.begin() + static_cast<std::ptrdiff_t>(filled);
    std::fill(end, chunk.begin() + static_cast<std::ptrdiff_t>(whole), std::uint8_t{0});
    if (at > capacity || whole > capacity - at) refuse_size();
    if (std::any_of(chunk.begin(), end, [](std::uint8_t b) { return b != 0; })) put(at, chunk.data(), whole);
    at += whole;
    filled = 0;
    if (bytes == 0) break;
  }
}

}  // namespace platter::system
