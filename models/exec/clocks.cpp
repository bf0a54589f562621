// SPDX-License-Identifier: Apache-2.0
//
// Clocks and sleeps.
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/times.h>
#include <threads.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>

#include "exec/device.h"
#include "exec/interpose.h"
#include "exec/session.h"

namespace {

using platter::exec::channel;
using platter::exec::pass_time;
using platter::exec::read_clock;

constexpr std::int64_t kSecond = 1'000'000'000'000;  // in picoseconds
constexpr std::int64_t kNanosecond = 1000;
constexpr std::int64_t kLongestSleep_s = INT64_MAX / kSecond - 1;

timespec to_timespec(std::int64_t picoseconds, std::int64_t epoch_s) {
  return {epoch_s + picoseconds / kSecond, picoseconds % kSecond / kNanosecond};
}

bool is_wall_clock(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_REALTIME_ALARM || clock == CLOCK_TAI;
}
/// A clock of a process or a thread. Those of other processes have negative numbers.
bool is_cpu_clock(clockid_t clock) {
  return clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID || clock < 0;
}
bool is_known(clockid_t clock) { return clock <= CLOCK_TAI && clock != 10; }

/// The part of simulated time that reads of clocks have taken: all the CPU time that there is.
std::int64_t cpu_time() {
  read_clock();
  return channel()->charged.load();
}

bool is_valid(const timespec& time) { return time.tv_sec >= 0 && time.tv_nsec >= 0 && time.tv_nsec < 1'000'000'000; }

void sleep_for(std::int64_t seconds, std::int64_t nanoseconds) {
  pass_time(seconds > kLongestSleep_s ? INT64_MAX : seconds * kSecond + nanoseconds * kNanosecond);
}

/// From now to a time of a clock; 0 if it has passed.
std::int64_t time_until(clockid_t clock, const timespec& time) {
  const std::int64_t seconds = time.tv_sec - (is_wall_clock(clock) ? channel()->epoch_s : 0);
  if (seconds < 0) return 0;
  if (seconds > kLongestSleep_s) return INT64_MAX;
  return std::max<std::int64_t>(seconds * kSecond + time.tv_nsec * kNanosecond - channel()->now.load(), 0);
}

/// Returns 0 or a number of errno.
int sleep_on(clockid_t clock, int flags, const timespec* time) {
  if (!is_known(clock)) return EINVAL;
  if (!is_valid(*time)) return EINVAL;
  if ((flags & TIMER_ABSTIME) == 0) {
    sleep_for(time->tv_sec, time->tv_nsec);
    return 0;
  }
  pass_time(time_until(clock, *time));
  return 0;
}

int as_result(int error) { return error == 0 ? 0 : platter::exec::fail(error); }

/// Waits for other files take real time. One that ends without any has taken its time in simulation.
int after_wait(int found, std::int64_t seconds, std::int64_t nanoseconds) {
  if (found == 0) sleep_for(seconds, nanoseconds);
  return found;
}
int after_wait_ms(int found, int milliseconds) {
  return milliseconds < 0 ? found : after_wait(found, milliseconds / 1000, milliseconds % 1000 * std::int64_t{1'000'000});
}
int after_wait(int found, const timespec* time) {
  return time == nullptr ? found : after_wait(found, time->tv_sec, time->tv_nsec);
}

/// The wait for a lock, as `wait(clock, deadline)`, which returns 0 or a number of errno. The lock may be shared with another process, which works
/// in real time. So the wait takes what is left to its deadline in real time, too.
template <typename Wait>
int wait_until(clockid_t clock, const timespec* deadline, Wait wait) {
  if (channel() == nullptr || deadline == nullptr || !is_valid(*deadline) ||
      (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC))
    return wait(clock, deadline);
  const std::int64_t end = platter::exec::real_time() + time_until(clock, *deadline) / kNanosecond;
  const timespec real{end / 1'000'000'000, end % 1'000'000'000};
  const int error = wait(CLOCK_MONOTONIC, &real);
  if (error == ETIMEDOUT) pass_time(time_until(clock, *deadline));
  return error;
}

}  // namespace

PLATTER_INTERPOSE(int, clock_gettime, clockid_t clock, timespec* time) {
  if (channel() == nullptr || !is_known(clock)) return PLATTER_NEXT(clock_gettime)(clock, time);
  *time = is_cpu_clock(clock) ? to_timespec(cpu_time(), 0)
                              : to_timespec(read_clock(), is_wall_clock(clock) ? channel()->epoch_s : 0);
  return 0;
}
PLATTER_INTERPOSE(int, gettimeofday, timeval* time, void* zone) {
  if (channel() == nullptr) return PLATTER_NEXT(gettimeofday)(time, zone);
  const timespec now = to_timespec(read_clock(), channel()->epoch_s);
  if (time != nullptr) *time = {now.tv_sec, now.tv_nsec / 1000};
  return 0;
}
PLATTER_INTERPOSE(time_t, time, time_t* to) {
  if (channel() == nullptr) return PLATTER_NEXT(time)(to);
  const time_t now = to_timespec(read_clock(), channel()->epoch_s).tv_sec;
  if (to != nullptr) *to = now;
  return now;
}
PLATTER_INTERPOSE(int, timespec_get, timespec* time, int base) {
  if (channel() == nullptr || base != TIME_UTC) return PLATTER_NEXT(timespec_get)(time, base);
  *time = to_timespec(read_clock(), channel()->epoch_s);
  return base;
}
PLATTER_INTERPOSE(clock_t, clock, void) {
  return channel() == nullptr ? PLATTER_NEXT(clock)() : cpu_time() / (kSecond / CLOCKS_PER_SEC);
}
PLATTER_INTERPOSE(clock_t, times, tms* to) {
  if (channel() == nullptr) return PLATTER_NEXT(times)(to);
  constexpr std::int64_t kTick = kSecond / 100;
  const std::int64_t now = read_clock();
  if (to != nullptr) *to = {channel()->charged.load() / kTick, 0, 0, 0};
  return now / kTick;
}

PLATTER_INTERPOSE(int, nanosleep, const timespec* time, timespec* left) {
  return channel() == nullptr ? PLATTER_NEXT(nanosleep)(time, left) : as_result(sleep_on(CLOCK_MONOTONIC, 0, time));
}
PLATTER_INTERPOSE(int, clock_nanosleep, clockid_t clock, int flags, const timespec* time, timespec* left) {
  return channel() == nullptr ? PLATTER_NEXT(clock_nanosleep)(clock, flags, time, left) : sleep_on(clock, flags, time);
}
PLATTER_INTERPOSE(int, usleep, useconds_t time) {
  if (channel() == nullptr) return PLATTER_NEXT(usleep)(time);
  sleep_for(0, std::int64_t{time} * 1000);
  return 0;
}
PLATTER_INTERPOSE(unsigned, sleep, unsigned seconds) {
  if (channel() == nullptr) return PLATTER_NEXT(sleep)(seconds);
  sleep_for(seconds, 0);
  return 0;
}
PLATTER_INTERPOSE(int, thrd_sleep, const timespec* time, timespec* left) {
  if (channel() == nullptr) return PLATTER_NEXT(thrd_sleep)(time, left);
  return sleep_on(CLOCK_MONOTONIC, 0, time) == 0 ? 0 : -2;
}

PLATTER_INTERPOSE(int, poll, pollfd* files, nfds_t count, int milliseconds) {
  if (channel() == nullptr) return PLATTER_NEXT(poll)(files, count, milliseconds);
  if (count == 0 && milliseconds >= 0) return after_wait_ms(0, milliseconds);
  return after_wait_ms(PLATTER_NEXT(poll)(files, count, milliseconds), milliseconds);
}
PLATTER_INTERPOSE(int, __poll_chk, pollfd* files, nfds_t count, int milliseconds, size_t /*room*/) {
  return platter_poll(files, count, milliseconds);
}
PLATTER_INTERPOSE(int, ppoll, pollfd* files, nfds_t count, const timespec* time, const sigset_t* mask) {
  if (channel() == nullptr) return PLATTER_NEXT(ppoll)(files, count, time, mask);
  if (count == 0 && time != nullptr && is_valid(*time)) return after_wait(0, time);
  return after_wait(PLATTER_NEXT(ppoll)(files, count, time, mask), time);
}
PLATTER_INTERPOSE(int, __ppoll_chk, pollfd* files, nfds_t count, const timespec* time, const sigset_t* mask, size_t /*room*/) {
  return platter_ppoll(files, count, time, mask);
}
PLATTER_INTERPOSE(int, select, int count, fd_set* in, fd_set* out, fd_set* special, timeval* time) {
  if (channel() == nullptr || time == nullptr) return PLATTER_NEXT(select)(count, in, out, special, time);
  const timeval asked = *time;
  if (count == 0 && asked.tv_sec >= 0 && asked.tv_usec >= 0) {
    *time = {0, 0};  // as Linux has it
    return after_wait(0, asked.tv_sec, asked.tv_usec * 1000);
  }
  return after_wait(PLATTER_NEXT(select)(count, in, out, special, time), asked.tv_sec, asked.tv_usec * 1000);
}
PLATTER_INTERPOSE(int, pselect, int count, fd_set* in, fd_set* out, fd_set* special, const timespec* time,
                  const sigset_t* mask) {
  if (channel() == nullptr) return PLATTER_NEXT(pselect)(count, in, out, special, time, mask);
  if (count == 0 && time != nullptr && is_valid(*time)) return after_wait(0, time);
  return after_wait(PLATTER_NEXT(pselect)(count, in, out, special, time, mask), time);
}
PLATTER_INTERPOSE(int, epoll_wait, int poll, epoll_event* events, int count, int milliseconds) {
  const int found = PLATTER_NEXT(epoll_wait)(poll, events, count, milliseconds);
  return channel() == nullptr ? found : after_wait_ms(found, milliseconds);
}
PLATTER_INTERPOSE(int, epoll_pwait, int poll, epoll_event* events, int count, int milliseconds, const sigset_t* mask) {
  const int found = PLATTER_NEXT(epoll_pwait)(poll, events, count, milliseconds, mask);
  return channel() == nullptr ? found : after_wait_ms(found, milliseconds);
}
PLATTER_INTERPOSE(int, epoll_pwait2, int poll, epoll_event* events, int count, const timespec* time, const sigset_t* mask) {
  const int found = PLATTER_NEXT(epoll_pwait2)(poll, events, count, time, mask);
  return channel() == nullptr ? found : after_wait(found, time);
}
PLATTER_INTERPOSE(int, sigtimedwait, const sigset_t* signals, siginfo_t* facts, const timespec* time) {
  const int found = PLATTER_NEXT(sigtimedwait)(signals, facts, time);
  if (channel() == nullptr || time == nullptr || found >= 0 || errno != EAGAIN) return found;
  sleep_for(time->tv_sec, time->tv_nsec);
  return found;
}

PLATTER_INTERPOSE(int, sem_clockwait, sem_t* semaphore, clockid_t clock, const timespec* deadline) {
  return as_result(wait_until(clock, deadline, [semaphore](clockid_t real_clock, const timespec* until) {
    return PLATTER_NEXT(sem_clockwait)(semaphore, real_clock, until) == 0 ? 0 : errno;
  }));
}
PLATTER_INTERPOSE(int, sem_timedwait, sem_t* semaphore, const timespec* deadline) {
  return platter_sem_clockwait(semaphore, CLOCK_REALTIME, deadline);
}
PLATTER_INTERPOSE(int, pthread_mutex_clocklock, pthread_mutex_t* mutex, clockid_t clock, const timespec* deadline) {
  return wait_until(clock, deadline, [mutex](clockid_t real_clock, const timespec* until) {
    return PLATTER_NEXT(pthread_mutex_clocklock)(mutex, real_clock, until);
  });
}
PLATTER_INTERPOSE(int, pthread_rwlock_clockrdlock, pthread_rwlock_t* lock, clockid_t clock, const timespec* deadline) {
  return wait_until(clock, deadline, [lock](clockid_t real_clock, const timespec* until) {
    return PLATTER_NEXT(pthread_rwlock_clockrdlock)(lock, real_clock, until);
  });
}
PLATTER_INTERPOSE(int, pthread_rwlock_clockwrlock, pthread_rwlock_t* lock, clockid_t clock, const timespec* deadline) {
  return wait_until(clock, deadline, [lock](clockid_t real_clock, const timespec* until) {
    return PLATTER_NEXT(pthread_rwlock_clockwrlock)(lock, real_clock, until);
  });
}
PLATTER_INTERPOSE(int, pthread_rwlock_timedrdlock, pthread_rwlock_t* lock, const timespec* deadline) {
  return platter_pthread_rwlock_clockrdlock(lock, CLOCK_REALTIME, deadline);
}
PLATTER_INTERPOSE(int, pthread_rwlock_timedwrlock, pthread_rwlock_t* lock, const timespec* deadline) {
  return platter_pthread_rwlock_clockwrlock(lock, CLOCK_REALTIME, deadline);
}
PLATTER_INTERPOSE(int, pthread_mutex_timedlock, pthread_mutex_t* mutex, const timespec* deadline) {
  return platter_pthread_mutex_clocklock(mutex, CLOCK_REALTIME, deadline);
}
PLATTER_INTERPOSE(int, pthread_cond_clockwait, pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                  const timespec* deadline) {
  return wait_until(clock, deadline, [condition, mutex](clockid_t real_clock, const timespec* until) {
    return PLATTER_NEXT(pthread_cond_clockwait)(condition, mutex, real_clock, until);
  });
}
