// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "platter/core/types.h"
#include "platter/host/array/stripe_map.h"

namespace platter::host::array {

using core::Picoseconds;

struct CacheOptions {
  std::uint64_t bytes = 0;  ///< 0: none
  std::uint32_t block_bytes = 8192;
};

struct RebuildOptions {
  std::uint32_t outstanding = 1;  ///< units on their way at once, over all drives; 0: no rebuild
  std::uint32_t bytes_per_s = 0;  ///< at most; 0: as fast as `outstanding` allows
};

/// Double buffers for streams that read on and on.
struct StreamBufferOptions {
  std::uint32_t units = 0;  ///< of the stripe map, in each half; 0: no buffers
  Picoseconds idle =
      10 * core::kPicosecondsPerSecond;  ///< a stream that has not read for so long gives its buffer to the next one
};

struct ArrayConfig {
  std::uint32_t drives = 1;  ///< at most kMostDrives
  std::uint64_t drive_bytes = 0;
  std::uint32_t sector_bytes = 512;
  std::vector<StripeArea> areas;
  std::uint32_t tags = 32;  ///< commands in a drive at once; what is more waits in the drive's host queue
  std::array<std::uint32_t, core::kRequestClasses> class_tags{~0u, ~0u, ~0u};  ///< the same for each class
  std::uint32_t most_command_bytes = 1u << 20;                                 ///< units are not joined beyond it
  bool holds_data = true;                                                      ///< false: the drives are timing only
  CacheOptions cache;
  StreamBufferOptions stream_buffers;
  RebuildOptions rebuild;
  Picoseconds poll = 0;  ///< how often the STATE of a dead drive is read; 0: never, its return is told
};

inline constexpr std::uint32_t kMostDrives = 32;

/// What the array has done for one class of requests.
struct ArrayCounters {
  std::uint64_t submitted = 0;
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  std::uint64_t late = 0;        ///< completed after their deadline
  std::uint64_t cache_hits = 0;  ///< reads that took no drive, nor a stream's buffer
  std::uint64_t redirected = 0;  ///< commands whose reads went on to the other copy, their drive having died under them
  Picoseconds response = 0;      ///< sum over the completed
  Picoseconds host_queue = 0;    ///< the part of it in the host: see ArrayRequest
};

/// What the streams' buffers have done for reads that went on from the one before, and ended well.
struct StreamBufferCounters {
  std::uint64_t hits = 0;       ///< all of it was there
  std::uint64_t underruns = 0;  ///< all of it came from the buffer, but had to be waited for
  std::uint64_t misses = 0;     ///< some of it was asked of a drive
  std::uint64_t fetched_bytes = 0;
};

}  // namespace platter::host::array
