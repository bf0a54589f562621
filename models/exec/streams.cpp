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
#include "exec/streams.h"

extern "C" {
int platter_close(int fd) __asm__("close");
int platter_dup2(int fd, int to) __asm__("dup2");
}

namespace {

using platter::exec::is_device;
using platter::exec::is_ours;
using platter::exec::kAtPosition;

struct Stream {
  int fd;
  bool owns;  ///< closes the descriptor with it
  FILE* file;
  Stream* next;
};
Stream* streams = nullptr;

/// A standard stream as the program had it, while a stream of the device has its place.
FILE* saved[3] = {nullptr, nullptr, nullptr};
FILE*& standard_stream(int fd) { return fd == 0 ? stdin : fd == 1 ? stdout : stderr; }

/// Gives a standard stream back, and returns the one of the device.
FILE* put_back(int fd) {
  FILE* const file = standard_stream(fd);
  standard_stream(fd) = saved[fd];
  saved[fd] = nullptr;
  return file;
}

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
  // If a standard stream still has its place, the program closes it.
  const bool standard = !closed->owns && closed->fd <= 2 && standard_stream(closed->fd) == closed->file;
  if (standard) put_back(closed->fd);
  const int result = closed->owns || standard ? platter_close(closed->fd) : 0;
  free(closed);
  return result;
}

FILE* open_stream(int fd, const char* mode, bool owns = true) {
  constexpr cookie_io_functions_t kFunctions{read_stream, write_stream, seek_stream, close_stream};
  auto* const stream = static_cast<Stream*>(malloc(sizeof(Stream)));
  if (stream == nullptr) return nullptr;
  *stream = {fd, owns, nullptr, streams};
  FILE* const file = fopencookie(stream, mode, kFunctions);
  if (file == nullptr) {
    free(stream);
    return nullptr;
  }
  stream->file = file;
  streams = stream;
  return file;
}

/// Whether the C library moves a stream of this mode to the end. The device itself ignores O_APPEND.
bool appends(const char* mode) { return mode[0] == 'a' && strchr(mode, '+') == nullptr; }

/// Opens the device in a mode of fopen().
int open_path(const char* mode) {
  const bool plus = strchr(mode, '+') != nullptr;
  int flags = strchr(mode, 'e') != nullptr ? O_CLOEXEC : 0;
  switch (mode[0]) {
    case 'r': flags |= plus ? O_RDWR : O_RDONLY; break;
    case 'w': flags |= (plus ? O_RDWR : O_WRONLY) | O_TRUNC; break;
    case 'a': flags |= (plus ? O_RDWR : O_WRONLY) | O_APPEND; break;
    default: errno = EINVAL; return -1;
  }
  const int fd = platter::exec::open_and_follow(flags);
  if (fd >= 0 && appends(mode)) platter::exec::seek(fd, 0, SEEK_END);
  return fd;
}

const Stream* stream_of(const FILE* file) {
  for (const Stream* at = streams; at != nullptr; at = at->next)
    if (at->file == file) return at;
  return nullptr;
}

__attribute__((constructor)) void begin() {
  if (platter::exec::channel() == nullptr) return;
  platter::exec::find_inherited();
  for (int fd = 0; fd <= 2; ++fd) platter::exec::after_replaced(fd);
}

}  // namespace

namespace platter::exec {

void before_replaced(int fd) {
  if (fd >= 0 && fd <= 2 && saved[fd] != nullptr) fflush(standard_stream(fd));
}

void after_replaced(int fd) {
  if (fd < 0 || fd > 2) return;
  if (saved[fd] != nullptr) fclose(put_back(fd));
  if (!is_ours(fd)) return;
  FILE* const made = open_stream(fd, fd == 0 ? "r" : "w", false);
  if (made == nullptr) return;
  if (fd == 2) setvbuf(made, nullptr, _IONBF, 0);
  saved[fd] = standard_stream(fd);
  standard_stream(fd) = made;
}

int open_and_follow(int flags) {
  const int fd = open_device(flags);
  after_replaced(fd);
  return fd;
}

}  // namespace platter::exec

PLATTER_INTERPOSE(FILE*, fopen, const char* path, const char* mode) {
  if (!is_device(AT_FDCWD, path)) return PLATTER_NEXT(fopen)(path, mode);
  const int fd = open_path(mode);
  FILE* const file = fd < 0 ? nullptr : open_stream(fd, mode);
  if (fd >= 0 && file == nullptr) platter_close(fd);
  return file;
}
PLATTER_ALSO(fopen, fopen64)
PLATTER_INTERPOSE(FILE*, fdopen, int fd, const char* mode) {
  if (!is_ours(fd)) return PLATTER_NEXT(fdopen)(fd, mode);
  const int flags = platter::exec::flags_of(fd);
  if (appends(mode) && (flags & O_APPEND) == 0) {
    platter::exec::set_flags(fd, flags | O_APPEND);
    platter::exec::seek(fd, 0, SEEK_END);
  }
  return open_stream(fd, mode);
}
// A stream of another kind is another object, so only the standard streams, which are variables, can become one.
PLATTER_INTERPOSE(FILE*, freopen, const char* path, const char* mode, FILE* file) {
  const bool to_device = is_device(AT_FDCWD, path);
  if (!to_device && stream_of(file) == nullptr) return PLATTER_NEXT(freopen)(path, mode, file);
  if ((file != stdin && file != stdout && file != stderr) || path == nullptr) {
    platter::exec::say("freopen() of the device is supported for standard streams only");
    errno = EOPNOTSUPP;
    return nullptr;
  }
  const int standard = file == stdin ? 0 : file == stdout ? 1 : 2;
  if (!to_device) {
    fflush(file);
    platter::exec::set_ours(standard, false);
    platter::exec::after_replaced(standard);
    return PLATTER_NEXT(freopen)(path, mode, standard_stream(standard));
  }
  fflush(file);
  const int made = open_path(mode);
  if (made < 0) return nullptr;
  const bool placed = platter_dup2(made, standard) >= 0;
  platter_close(made);
  return placed ? standard_stream(standard) : nullptr;
}
PLATTER_ALSO(freopen, freopen64)
PLATTER_INTERPOSE(int, fileno, FILE* file) {
  const Stream* const stream = streams != nullptr ? stream_of(file) : nullptr;
  return stream != nullptr ? stream->fd : PLATTER_NEXT(fileno)(file);
}
PLATTER_ALSO(fileno, fileno_unlocked)
