// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <ctime>

namespace platter::exec {

/// The environment variable with the path by which a program finds its channel, and the kernel's name of a descriptor of the device.
inline constexpr const char* kChannelVariable = "PLATTER_EXEC";
inline constexpr const char* kDescriptorName = "platter_device";
inline constexpr const char* kDescriptorTarget = "/memfd:platter_device (deleted)";  ///< where /proc/self/fd/N leads

enum class CallKind : std::uint32_t { Read = 1, Write = 2, Flush = 3 };

/// A call of the program to the drive. Its data is in Channel::data.
struct Call {
  CallKind kind;
  std::uint32_t fua;     ///< of a write: it is durable when it has ended
  std::uint64_t offset;  ///< bytes from the start of the drive; a multiple of the block, as `length`
  std::uint64_t length;  ///< at most Channel::kDataBytes; 0 for a flush
};

/// The memory that a program in simulated time shares with the process that has the drive. The program's process has no SystemC, so this header has
/// none. A call is under way while `posted` differs from `answered`.
///
/// All times are picoseconds of simulated time. `now` never decreases.
struct Channel {
  static constexpr std::uint64_t kMagic = 0x31304345584c50;  // "PLXEC01"
  static constexpr std::size_t kDataBytes = std::size_t{4} << 20;
  static constexpr std::size_t kMaxPath = 1024;
  /// A longer call becomes several requests, as with Linux's default of max_sectors_kb.
  static constexpr std::uint64_t kMaxRequestBytes = std::uint64_t{1280} << 10;
  /// The latest simulated time. A drive adds times to it.
  static constexpr std::int64_t kLatest = std::int64_t{1} << 62;

  // Set before the program starts.
  std::uint64_t magic;
  std::uint64_t capacity_bytes;
  std::uint32_t block_bytes;
  std::uint32_t physical_bytes;
  std::int64_t clock_cost;  ///< of each read of a clock
  std::int64_t epoch_s;     ///< CLOCK_REALTIME at the simulated time 0: seconds since 1970
  char device[kMaxPath];    ///< path of the device

  pthread_mutex_t alive;  ///< robust; the process with the drive holds it as long as it serves
  pthread_mutex_t turn;   ///< robust; held during a call, because a program may have child processes

  std::atomic<std::int64_t> now;
  std::atomic<std::int64_t> charged;    ///< the part of `now` that reads of clocks have taken
  std::atomic<std::uint32_t> bell;      ///< a futex: changes when there is something to do for the process with the drive
  std::atomic<std::uint32_t> posted;    ///< number of the last call
  std::atomic<std::uint32_t> answered;  ///< a futex: number of the last call that has been answered
  Call call;
  std::int32_t error;  ///< of the call: 0 or a number of errno
  alignas(4096) std::uint8_t data[kDataBytes];
};

static_assert(std::atomic<std::int64_t>::is_always_lock_free && std::atomic<std::uint32_t>::is_always_lock_free);

inline void wake(std::atomic<std::uint32_t>& word) { syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0); }
/// The machine's time, ns. A program's own clock is simulated.
inline std::int64_t real_time() {
  timespec now{};
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}
/// A yield that takes longer has given the processor to a program that computes.
inline constexpr std::int64_t kLongYield_ns = 200'000;
inline constexpr std::uint32_t kSleepsAfterIt = 1000;  ///< waits without a yield
/// Waits until the word has another value; may return earlier. Async-signal-safe, as the two functions beside it.
inline void wait_for_change(std::atomic<std::uint32_t>& word, std::uint32_t value, const timespec* longest) {
  // The other process often answers within microseconds. To sleep and to be woken takes longer. But on a busy machine another program takes the
  // processor at a yield, for milliseconds; one that wakes gets it back soon. So after a long yield the next waits sleep at once.
  static std::uint32_t sleeps = 0;
  if (word.load(std::memory_order_acquire) != value) return;
  if (sleeps > 0) {
    --sleeps;
  } else {
    std::int64_t before = real_time();
    for (int i = 0; i < 100; ++i) {
      sched_yield();
      const std::int64_t after = real_time();
      if (after - before > kLongYield_ns) sleeps = kSleepsAfterIt;
      if (word.load(std::memory_order_acquire) != value) return;
      if (sleeps > 0) break;
      before = after;
    }
  }
  syscall(SYS_futex, &word, FUTEX_WAIT, value, longest, nullptr, 0);
}
inline void ring(Channel& channel) {
  channel.bell.fetch_add(1);
  wake(channel.bell);
}

/// Moves the present time forward to `time`, if it is not later already.
inline void advance_to(Channel& channel, std::int64_t time) {
  std::int64_t now = channel.now.load();
  while (now < time && !channel.now.compare_exchange_weak(now, time)) {
  }
}

}  // namespace platter::exec
