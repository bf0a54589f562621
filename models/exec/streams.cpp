// SPDX-License-Identifier: Apache-2.0
//
// The streams of <stdio.h>. The C library reads and writes their descriptors by functions of its own, so a stream of the device is one with own functions.
#include <fcntl.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "exec/device.h"
#include "exec/interpose.h"
#include "exec/session.h"

extern "C" int platter_close(int fd) __asm__("close");

namespace {

using platter::exec::is_device;
using platter::exec::is_ours;
using platter::exec::kAtPosition;

struct Stream {
  int fd;
  FILE* file;
  Stream* next;
};
Stream* streams = nullptr;

ssize_t move(void* stream, bool write, void* data, size_t bytes) {
  const iovec piece{data, bytes};
  return platter::exec::transfer(static_cast<Stream*>(stream)->fd, write, &piece, 1, kAtPosition, false);
}
ssize_t read_stream(void* stream, char* data, size_t bytes) { return move(stream, false, data, bytes); }
ssize_t write_stream(void* stream, const char* data, size_t bytes) {
  const ssize_t written = move(stream, true, const_cast<char*>(data), bytes);
  return written < 0 ? 0 : written;  // 0 is the error of such a function
}
int seek_stream(void* stream, off64_t* offset, int whence) {
  const off_t at = platter::exec::seek(static_cast<Stream*>(stream)->fd, *offset, whence);
  if (at < 0) return -1;
  *offset = at;
  return 0;
}
int close_stream(void* stream) {
  auto* const closed = static_cast<Stream*>(stream);
  for (Stream** at = &streams; *at != nullptr; at = &(*at)->next) {
    if (*at != closed) continue;
    *at = closed->next;
    break;
  }
  const int result = platter_close(closed->fd);
  free(closed);
  return result;
}

FILE* open_stream(int fd, const char* mode) {
  constexpr cookie_io_functions_t kFunctions{read_stream, write_stream, seek_stream, close_stream};
  auto* const stream = static_cast<Stream*>(malloc(sizeof(Stream)));
  if (stream == nullptr) return nullptr;
  *stream = {fd, nullptr, streams};
  FILE* const file = fopencookie(stream, mode, kFunctions);
  if (file == nullptr) {
    free(stream);
    return nullptr;
  }
  stream->file = file;
  streams = stream;
  return file;
}

FILE* open_path(const char* mode) {
  const bool plus = strchr(mode, '+') != nullptr;
  int flags = 0;
  switch (mode[0]) {
    case 'r': flags = plus ? O_RDWR : O_RDONLY; break;
    case 'w': flags = (plus ? O_RDWR : O_WRONLY) | O_TRUNC; break;
    case 'a': flags = (plus ? O_RDWR : O_WRONLY) | O_APPEND; break;
    default: errno = EINVAL; return nullptr;
  }
  if (strchr(mode, 'e') != nullptr) flags |= O_CLOEXEC;
  const int fd = platter::exec::open_device(flags);
  if (fd < 0) return nullptr;
  FILE* const file = open_stream(fd, mode);
  if (file == nullptr) platter_close(fd);
  return file;
}

const Stream* stream_of(const FILE* file) {
  for (const Stream* at = streams; at != nullptr; at = at->next)
    if (at->file == file) return at;
  return nullptr;
}

/// After the descriptors that were inherited are known.
__attribute__((constructor(65000))) void begin_streams() {
  if (platter::exec::channel() == nullptr) return;
  platter::exec::find_inherited();
  if (is_ours(0)) stdin = open_stream(0, "r");
  if (is_ours(1)) stdout = open_stream(1, "w");
}

}  // namespace

PLATTER_INTERPOSE(FILE*, fopen, const char* path, const char* mode) {
  return is_device(AT_FDCWD, path) ? open_path(mode) : PLATTER_NEXT(fopen)(path, mode);
}
PLATTER_ALSO(fopen, fopen64)
PLATTER_INTERPOSE(FILE*, fdopen, int fd, const char* mode) {
  return is_ours(fd) ? open_stream(fd, mode) : PLATTER_NEXT(fdopen)(fd, mode);
}
// A stream of another kind is another object, so only the standard streams, which are variables, can become one.
PLATTER_INTERPOSE(FILE*, freopen, const char* path, const char* mode, FILE* file) {
  const bool to_device = is_device(AT_FDCWD, path);
  if (!to_device && stream_of(file) == nullptr) return PLATTER_NEXT(freopen)(path, mode, file);
  FILE** const standard = file == stdin ? &stdin : file == stdout ? &stdout : file == stderr ? &stderr : nullptr;
  if (standard == nullptr || path == nullptr) {
    platter::exec::say("freopen() of the device is supported for standard streams only");
    errno = EOPNOTSUPP;
    return nullptr;
  }
  fclose(file);  // before, so that the new stream gets its descriptor
  return *standard = to_device ? open_path(mode) : PLATTER_NEXT(fopen)(path, mode);
}
PLATTER_ALSO(freopen, freopen64)
PLATTER_INTERPOSE(int, fileno, FILE* file) {
  const Stream* const stream = streams != nullptr ? stream_of(file) : nullptr;
  return stream != nullptr ? stream->fd : PLATTER_NEXT(fileno)(file);
}
PLATTER_ALSO(fileno, fileno_unlocked)
