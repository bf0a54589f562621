// SPDX-License-Identifier: Apache-2.0
//
// The calls that open the device and move its data.
#include <fcntl.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdlib>

#include "exec/device.h"
#include "exec/interpose.h"
#include "exec/streams.h"

namespace {

using platter::exec::fail;
using platter::exec::is_device;
using platter::exec::is_ours;
using platter::exec::kAtPosition;
using platter::exec::transfer;

ssize_t move(int fd, bool write, const void* data, size_t bytes, off_t offset) {
  const iovec piece{const_cast<void*>(data), bytes};
  return transfer(fd, write, &piece, 1, offset, false);
}

unsigned mode_of(int flags, va_list arguments) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(arguments, unsigned) : 0;
}

/// Whether the flags of preadv2() and pwritev2() are ones that Linux has.
bool are_known(int flags) {
  if ((flags & ~(RWF_HIPRI | RWF_DSYNC | RWF_SYNC | RWF_NOWAIT | RWF_APPEND)) == 0) return true;
  errno = EOPNOTSUPP;
  return false;
}

/// For the fortified functions: as the C library ends a program that would write behind its buffer.
void check_room(size_t bytes, size_t room) {
  if (bytes > room) abort();
}

}  // namespace

PLATTER_INTERPOSE(int, open, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const unsigned mode = mode_of(flags, arguments);
  va_end(arguments);
  return is_device(AT_FDCWD, path) ? platter::exec::open_and_follow(flags) : PLATTER_NEXT(open)(path, flags, mode);
}
PLATTER_ALSO(open, open64)

PLATTER_INTERPOSE(int, openat, int folder, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const unsigned mode = mode_of(flags, arguments);
  va_end(arguments);
  return is_device(folder, path) ? platter::exec::open_and_follow(flags) : PLATTER_NEXT(openat)(folder, path, flags, mode);
}
PLATTER_ALSO(openat, openat64)

PLATTER_INTERPOSE(int, __open_2, const char* path, int flags) {
  return is_device(AT_FDCWD, path) ? platter::exec::open_and_follow(flags) : PLATTER_NEXT(__open_2)(path, flags);
}
PLATTER_ALSO(__open_2, __open64_2)
PLATTER_INTERPOSE(int, __openat_2, int folder, const char* path, int flags) {
  return is_device(folder, path) ? platter::exec::open_and_follow(flags) : PLATTER_NEXT(__openat_2)(folder, path, flags);
}
PLATTER_ALSO(__openat_2, __openat64_2)
PLATTER_INTERPOSE(int, creat, const char* path, mode_t mode) {
  return is_device(AT_FDCWD, path) ? platter::exec::open_and_follow(O_CREAT | O_WRONLY | O_TRUNC)
                                   : PLATTER_NEXT(creat)(path, mode);
}
PLATTER_ALSO(creat, creat64)

PLATTER_INTERPOSE(ssize_t, read, int fd, void* data, size_t bytes) {
  return is_ours(fd) ? move(fd, false, data, bytes, kAtPosition) : PLATTER_NEXT(read)(fd, data, bytes);
}
PLATTER_INTERPOSE(ssize_t, __read_chk, int fd, void* data, size_t bytes, size_t room) {
  check_room(bytes, room);
  return platter_read(fd, data, bytes);
}
PLATTER_INTERPOSE(ssize_t, write, int fd, const void* data, size_t bytes) {
  return is_ours(fd) ? move(fd, true, data, bytes, kAtPosition) : PLATTER_NEXT(write)(fd, data, bytes);
}
PLATTER_INTERPOSE(ssize_t, pread, int fd, void* data, size_t bytes, off_t offset) {
  if (!is_ours(fd)) return PLATTER_NEXT(pread)(fd, data, bytes, offset);
  return offset < 0 ? fail(EINVAL) : move(fd, false, data, bytes, offset);
}
PLATTER_ALSO(pread, pread64)
PLATTER_INTERPOSE(ssize_t, __pread_chk, int fd, void* data, size_t bytes, off_t offset, size_t room) {
  check_room(bytes, room);
  return platter_pread(fd, data, bytes, offset);
}
PLATTER_ALSO(__pread_chk, __pread64_chk)
PLATTER_INTERPOSE(ssize_t, pwrite, int fd, const void* data, size_t bytes, off_t offset) {
  if (!is_ours(fd)) return PLATTER_NEXT(pwrite)(fd, data, bytes, offset);
  return offset < 0 ? fail(EINVAL) : move(fd, true, data, bytes, offset);
}
PLATTER_ALSO(pwrite, pwrite64)

PLATTER_INTERPOSE(ssize_t, readv, int fd, const iovec* pieces, int count) {
  return is_ours(fd) ? transfer(fd, false, pieces, count, kAtPosition, false) : PLATTER_NEXT(readv)(fd, pieces, count);
}
PLATTER_INTERPOSE(ssize_t, writev, int fd, const iovec* pieces, int count) {
  return is_ours(fd) ? transfer(fd, true, pieces, count, kAtPosition, false) : PLATTER_NEXT(writev)(fd, pieces, count);
}
PLATTER_INTERPOSE(ssize_t, preadv, int fd, const iovec* pieces, int count, off_t offset) {
  if (!is_ours(fd)) return PLATTER_NEXT(preadv)(fd, pieces, count, offset);
  return offset < 0 ? fail(EINVAL) : transfer(fd, false, pieces, count, offset, false);
}
PLATTER_ALSO(preadv, preadv64)
PLATTER_INTERPOSE(ssize_t, pwritev, int fd, const iovec* pieces, int count, off_t offset) {
  if (!is_ours(fd)) return PLATTER_NEXT(pwritev)(fd, pieces, count, offset);
  return offset < 0 ? fail(EINVAL) : transfer(fd, true, pieces, count, offset, false);
}
PLATTER_ALSO(pwritev, pwritev64)
// Their offset -1 is the position.
PLATTER_INTERPOSE(ssize_t, preadv2, int fd, const iovec* pieces, int count, off_t offset, int flags) {
  if (!is_ours(fd)) return PLATTER_NEXT(preadv2)(fd, pieces, count, offset, flags);
  if (!are_known(flags)) return -1;
  return offset < kAtPosition ? fail(EINVAL) : transfer(fd, false, pieces, count, offset, false);
}
PLATTER_ALSO(preadv2, preadv64v2)
PLATTER_INTERPOSE(ssize_t, pwritev2, int fd, const iovec* pieces, int count, off_t offset, int flags) {
  if (!is_ours(fd)) return PLATTER_NEXT(pwritev2)(fd, pieces, count, offset, flags);
  if (!are_known(flags)) return -1;
  return offset < kAtPosition ? fail(EINVAL) : transfer(fd, true, pieces, count, offset, (flags & (RWF_DSYNC | RWF_SYNC)) != 0);
}
PLATTER_ALSO(pwritev2, pwritev64v2)

PLATTER_INTERPOSE(off_t, lseek, int fd, off_t offset, int whence) {
  return is_ours(fd) ? platter::exec::seek(fd, offset, whence) : PLATTER_NEXT(lseek)(fd, offset, whence);
}
PLATTER_ALSO(lseek, lseek64)
PLATTER_ALSO(lseek, llseek)

PLATTER_INTERPOSE(int, fsync, int fd) { return is_ours(fd) ? platter::exec::flush(fd) : PLATTER_NEXT(fsync)(fd); }
PLATTER_INTERPOSE(int, fdatasync, int fd) { return is_ours(fd) ? platter::exec::flush(fd) : PLATTER_NEXT(fdatasync)(fd); }
PLATTER_INTERPOSE(int, syncfs, int fd) { return is_ours(fd) ? platter::exec::flush(fd) : PLATTER_NEXT(syncfs)(fd); }
PLATTER_INTERPOSE(int, sync_file_range, int fd, off_t from, off_t bytes, unsigned flags) {
  return is_ours(fd) ? 0 : PLATTER_NEXT(sync_file_range)(fd, from, bytes, flags);
}
