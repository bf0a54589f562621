// SPDX-License-Identifier: Apache-2.0
//
// What a program in simulated time cannot have: a second thread, another time of the machine, data that moves without a call of read() or write().
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <threads.h>
#include <unistd.h>

#include <cerrno>

#include "exec/device.h"
#include "exec/interpose.h"
#include "exec/session.h"

namespace {

using platter::exec::channel;
using platter::exec::fail;
using platter::exec::is_ours;

void refuse_thread() {
  static bool said = false;
  if (!said)
    platter::exec::say("the program asks for a second thread and does not get it, because simulated time has one thread only");
  said = true;
}

}  // namespace

PLATTER_INTERPOSE(int, pthread_create, pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                  void* argument) {
  if (channel() == nullptr) return PLATTER_NEXT(pthread_create)(thread, attributes, start, argument);
  refuse_thread();
  return EAGAIN;
}
PLATTER_INTERPOSE(int, thrd_create, thrd_t* thread, thrd_start_t start, void* argument) {
  if (channel() == nullptr) return PLATTER_NEXT(thrd_create)(thread, start, argument);
  refuse_thread();
  return thrd_error;
}

// A program that asks for the number of processors makes no thread for a single one.
PLATTER_INTERPOSE(long, sysconf, int name) {
  if (channel() != nullptr && (name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF)) return 1;
  return PLATTER_NEXT(sysconf)(name);
}
PLATTER_INTERPOSE(int, get_nprocs, void) { return channel() != nullptr ? 1 : PLATTER_NEXT(get_nprocs)(); }
PLATTER_INTERPOSE(int, get_nprocs_conf, void) { return channel() != nullptr ? 1 : PLATTER_NEXT(get_nprocs_conf)(); }
PLATTER_INTERPOSE(int, sched_getaffinity, pid_t pid, size_t bytes, cpu_set_t* set) {
  const int result = PLATTER_NEXT(sched_getaffinity)(pid, bytes, set);
  if (result != 0 || channel() == nullptr) return result;
  bool found = false;
  for (size_t i = 0; i < 8 * bytes; ++i) {
    if (!CPU_ISSET_S(i, bytes, set)) continue;
    if (found) CPU_CLR_S(i, bytes, set);
    found = true;
  }
  return result;
}

// The time of the machine stays as it is.
PLATTER_INTERPOSE(int, clock_settime, clockid_t clock, const timespec* time) {
  return channel() != nullptr ? fail(EPERM) : PLATTER_NEXT(clock_settime)(clock, time);
}
PLATTER_INTERPOSE(int, settimeofday, const timeval* time, const void* zone) {
  return channel() != nullptr ? fail(EPERM) : PLATTER_NEXT(settimeofday)(time, zone);
}

// Programs continue with read() and write().
PLATTER_INTERPOSE(ssize_t, copy_file_range, int from, off_t* from_at, int to, off_t* to_at, size_t bytes, unsigned flags) {
  return is_ours(from) || is_ours(to) ? fail(EINVAL) : PLATTER_NEXT(copy_file_range)(from, from_at, to, to_at, bytes, flags);
}
PLATTER_INTERPOSE(ssize_t, sendfile, int to, int from, off_t* at, size_t bytes) {
  return is_ours(from) || is_ours(to) ? fail(EINVAL) : PLATTER_NEXT(sendfile)(to, from, at, bytes);
}
PLATTER_ALSO(sendfile, sendfile64)
PLATTER_INTERPOSE(ssize_t, splice, int from, off_t* from_at, int to, off_t* to_at, size_t bytes, unsigned flags) {
  return is_ours(from) || is_ours(to) ? fail(EINVAL) : PLATTER_NEXT(splice)(from, from_at, to, to_at, bytes, flags);
}
PLATTER_INTERPOSE(void*, mmap, void* at, size_t bytes, int protection, int flags, int fd, off_t offset) {
  if (!is_ours(fd)) return PLATTER_NEXT(mmap)(at, bytes, protection, flags, fd, offset);
  static bool said = false;
  if (!said) platter::exec::say("the program maps the device into memory, which is not supported");
  said = true;
  errno = ENODEV;
  return MAP_FAILED;  // NOLINT(performance-no-int-to-ptr)
}
PLATTER_ALSO(mmap, mmap64)
