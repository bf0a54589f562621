// SPDX-License-Identifier: Apache-2.0
#include "exec/session.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace platter::exec {

namespace {

Channel* mapped = nullptr;
bool sought = false;
bool gone = false;  ///< the process with the drive has ended

constexpr std::int64_t kMaskBytes = 8;  // of the kernel's set of signals

Channel* map() {
  const char* const path = getenv(kChannelVariable);
  if (path == nullptr) return nullptr;
  errno = 0;
  const auto fd = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0));
  void* const at = fd < 0 ? MAP_FAILED : mmap(nullptr, sizeof(Channel), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (fd >= 0) syscall(SYS_close, fd);
  auto* const found = static_cast<Channel*>(at);
  if (at != MAP_FAILED && found->magic == Channel::kMagic) return found;
  // A process that a program has left behind finds no drive and has the machine's clocks again.
  if (fd >= 0 || errno != ENOENT) say("the memory of the drive cannot be used: ", path);
  return nullptr;
}

/// Whether the process with the drive is alive: it holds the mutex.
bool is_alive(Channel& channel) {
  const int found = pthread_mutex_trylock(&channel.alive);
  if (found == EBUSY) return true;
  if (found == EOWNERDEAD) pthread_mutex_consistent(&channel.alive);
  if (found == 0 || found == EOWNERDEAD) pthread_mutex_unlock(&channel.alive);
  return false;
}

/// Waits for the answer to the last call. False: it does not come.
bool wait_for_answer(Channel& channel) {
  const std::uint32_t posted = channel.posted.load();
  while (!gone) {
    const std::uint32_t answered = channel.answered.load(std::memory_order_acquire);
    if (answered == posted) return true;
    const timespec longest{0, 200'000'000};
    wait_for_change(channel.answered, answered, &longest);
    if (channel.answered.load(std::memory_order_acquire) != posted && !is_alive(channel)) {
      gone = true;
      say("the simulation of the drive has ended; from now on every access fails");
    }
  }
  return false;
}

}  // namespace

void say(const char* first, const char* second) {
  const char* const parts[] = {"platter exec: ", first, second, "\n"};
  iovec pieces[4];
  for (int i = 0; i < 4; ++i) pieces[i] = {const_cast<char*>(parts[i]), strlen(parts[i])};
  syscall(SYS_writev, STDERR_FILENO, pieces, 4);
}

Channel* channel() {
  if (!sought) {
    sought = true;
    const int before = errno;
    mapped = map();
    errno = before;
  }
  return mapped;
}

void pass_time(std::int64_t picoseconds) {
  Channel& to = *mapped;
  std::int64_t now = to.now.load();
  std::int64_t then = 0;
  do {
    if (picoseconds >= Channel::kLatest - now) {
      say("the program has reached the end of simulated time, 53 days");
      syscall(SYS_exit_group, 1);
    }
    then = now + picoseconds;
  } while (!to.now.compare_exchange_weak(now, then));
}

std::int64_t read_clock() {
  const std::int64_t now = mapped->now.load();
  pass_time(mapped->clock_cost);
  mapped->charged.fetch_add(mapped->clock_cost);
  return now;
}

Turn::Turn() {
  const std::uint64_t all = ~std::uint64_t{0};
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &mask_, kMaskBytes);
  if (gone) return;
  const int locked = pthread_mutex_lock(&mapped->turn);
  taken_ = locked == 0 || locked == EOWNERDEAD;
  if (locked == EOWNERDEAD) {  // its owner was killed, perhaps during a call
    pthread_mutex_consistent(&mapped->turn);
    wait_for_answer(*mapped);
  }
}

Turn::~Turn() {
  if (taken_) pthread_mutex_unlock(&mapped->turn);
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask_, nullptr, kMaskBytes);
}

int Turn::call(CallKind kind, std::uint64_t offset, std::uint64_t length, bool fua) {
  if (!taken_ || gone) return EIO;
  Channel& to = *mapped;
  to.call = {kind, fua ? 1U : 0U, offset, length};
  to.posted.fetch_add(1);
  ring(to);
  return wait_for_answer(to) ? to.error : EIO;
}

}  // namespace platter::exec
