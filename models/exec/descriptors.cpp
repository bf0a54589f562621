// SPDX-License-Identifier: Apache-2.0
//
// The calls that make, end and control descriptors.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>

#include "exec/device.h"
#include "exec/interpose.h"
#include "exec/session.h"
#include "exec/streams.h"

namespace {

using platter::exec::after_replaced;
using platter::exec::before_replaced;
using platter::exec::fail;
using platter::exec::is_ours;
using platter::exec::set_ours;

/// `made`: a copy of `fd`, or -1.
int copied(int fd, int made) {
  if (made >= 0) {
    set_ours(made, is_ours(fd));
    after_replaced(made);
  }
  return made;
}

void forget(unsigned first, unsigned last) {
  for (unsigned fd = first; fd <= std::min(last, (1U << 16) - 1); ++fd) {
    set_ours(static_cast<int>(fd), false);
    after_replaced(static_cast<int>(fd));
  }
}

}  // namespace

PLATTER_INTERPOSE(int, close, int fd) {
  set_ours(fd, false);
  const int result = PLATTER_NEXT(close)(fd);
  after_replaced(fd);
  return result;
}
PLATTER_INTERPOSE(int, close_range, unsigned first, unsigned last, int flags) {
  constexpr int kOnExec = 1 << 2;  // CLOSE_RANGE_CLOEXEC
  if ((flags & kOnExec) == 0) forget(first, last);
  return PLATTER_NEXT(close_range)(first, last, flags);
}
PLATTER_INTERPOSE(void, closefrom, int first) {
  forget(static_cast<unsigned>(std::max(first, 0)), ~0U);
  PLATTER_NEXT(closefrom)(first);
}
// The child of a real vfork() shares this library's memory with its parent. So the descriptors that it closes would be lost to the parent. The parent
// waits all the same until the child has ended or become another program, because that closes its end of a pipe.
PLATTER_INTERPOSE(pid_t, vfork, void) {
  constexpr int kAboveThoseOfPrograms = 1000;
  int ends[2];
  if (syscall(SYS_pipe2, ends, O_CLOEXEC) != 0) return fork();
  const pid_t child = fork();
  const int error = errno;
  if (child == 0) syscall(SYS_fcntl, ends[1], F_DUPFD_CLOEXEC, kAboveThoseOfPrograms);
  syscall(SYS_close, ends[1]);
  char nothing = 0;
  while (child > 0 && syscall(SYS_read, ends[0], &nothing, 1) < 0 && errno == EINTR) continue;
  syscall(SYS_close, ends[0]);
  errno = error;
  return child;
}
PLATTER_INTERPOSE(int, dup, int fd) { return copied(fd, PLATTER_NEXT(dup)(fd)); }
PLATTER_INTERPOSE(int, dup2, int fd, int to) {
  if (to == fd) return PLATTER_NEXT(dup2)(fd, to);
  before_replaced(to);
  return copied(fd, PLATTER_NEXT(dup2)(fd, to));
}
PLATTER_INTERPOSE(int, dup3, int fd, int to, int flags) {
  before_replaced(to);
  return copied(fd, PLATTER_NEXT(dup3)(fd, to, flags));
}

PLATTER_INTERPOSE(int, fcntl, int fd, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  if (is_ours(fd)) {
    constexpr int kChangeable = O_APPEND | O_NONBLOCK | O_DIRECT | O_NOATIME;
    const int flags = platter::exec::flags_of(fd);
    switch (command) {
      case F_GETFL: return flags;
      case F_SETFL:
        platter::exec::set_flags(fd,
                                 (flags & ~kChangeable) | (static_cast<int>(reinterpret_cast<long>(argument)) & kChangeable));
        return 0;
      // The kernel would refuse a lock for reading, because it has the file open for writing only.
      case F_SETLK:
      case F_SETLKW:
      case F_OFD_SETLK:
      case F_OFD_SETLKW: return 0;
      default: break;
    }
  }
  const int result = PLATTER_NEXT(fcntl)(fd, command, argument);
  return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? copied(fd, result) : result;
}
PLATTER_ALSO(fcntl, fcntl64)

PLATTER_INTERPOSE(int, ioctl, int fd, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  const bool of_every_file = request == FIOCLEX || request == FIONCLEX || request == FIONBIO;
  return is_ours(fd) && !of_every_file ? platter::exec::control(request, argument) : PLATTER_NEXT(ioctl)(fd, request, argument);
}

// What a block device refuses, and what has no effect without a page cache.
PLATTER_INTERPOSE(int, ftruncate, int fd, off_t length) {
  return is_ours(fd) ? fail(EINVAL) : PLATTER_NEXT(ftruncate)(fd, length);
}
PLATTER_ALSO(ftruncate, ftruncate64)
PLATTER_INTERPOSE(int, fallocate, int fd, int mode, off_t offset, off_t bytes) {
  return is_ours(fd) ? fail(EOPNOTSUPP) : PLATTER_NEXT(fallocate)(fd, mode, offset, bytes);
}
PLATTER_ALSO(fallocate, fallocate64)
PLATTER_INTERPOSE(int, posix_fallocate, int fd, off_t offset, off_t bytes) {
  return is_ours(fd) ? ENODEV : PLATTER_NEXT(posix_fallocate)(fd, offset, bytes);
}
PLATTER_ALSO(posix_fallocate, posix_fallocate64)
PLATTER_INTERPOSE(int, posix_fadvise, int fd, off_t offset, off_t bytes, int advice) {
  return is_ours(fd) ? 0 : PLATTER_NEXT(posix_fadvise)(fd, offset, bytes, advice);
}
PLATTER_ALSO(posix_fadvise, posix_fadvise64)
PLATTER_INTERPOSE(ssize_t, readahead, int fd, off_t offset, size_t bytes) {
  return is_ours(fd) ? 0 : PLATTER_NEXT(readahead)(fd, offset, bytes);
}
