// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "platter/core/types.h"
#include "platter/host/array/stripe_map.h"

namespace platter::host::array {

using core::Picoseconds;

/// The array's block cache in the host.
struct CacheOptions {
  std::uint64_t bytes = 0;           ///< 0: none
  std::uint32_t block_bytes = 8192;  ///< of a block
};

/// The rebuild of stale units, and the repair of units with bad sectors, in the background.
struct RebuildOptions {
  std::uint32_t outstanding = 1;  ///< units that are rebuilt or repaired at once, over all drives; 0: neither
  std::uint32_t bytes_per_s = 0;  ///< limit of the rate of both; 0: as fast as `outstanding` allows
};

/// Double buffers for streams that read sequentially.
struct StreamBufferOptions {
  std::uint32_t units = 0;                              ///< of the stripe map, in each half; 0: no buffers
  Picoseconds idle = 10 * core::kPicosecondsPerSecond;  ///< a stream without a read for so long gives its buffer to another
};

/// What an array is constructed with. `drives`, `drive_bytes` and `areas` must be set.
struct ArrayConfig {
  std::uint32_t drives = 1;  ///< number of drives, at most kMaxDrives
  /// Capacity of each drive in bytes, `Drive::capacity_sectors()` times the sector size. Must be set.
  std::uint64_t drive_bytes = 0;
  std::uint32_t sector_bytes = 512;  ///< of the drives
  std::vector<StripeArea> areas;     ///< the layout, from the first byte on; at least one area
  /// Most commands in a drive, at least 1; more wait in the host. Beyond the depth of the drive's queue, commands wait at its port.
  std::uint32_t tags = 32;
  /// The same for each class, by core::index_of(); at least 1.
  std::array<std::uint32_t, core::kRequestClasses> class_tags{~0u, ~0u, ~0u};
  std::uint32_t most_command_bytes =
      1u << 20;                        ///< adjacent parts become one command up to this length; a single part may be longer
  bool holds_data = true;              ///< false: the drives are timing only
  CacheOptions cache;                  ///< none unless set
  StreamBufferOptions stream_buffers;  ///< none unless set
  RebuildOptions rebuild;              ///< one unit at a time unless set
  Picoseconds poll = 0;  ///< interval of reading STATE of a failed drive; 0: never, the program calls Array::drive_revived()
};

inline constexpr std::uint32_t kMaxDrives = 32;                         ///< of an array
inline constexpr std::uint64_t kMaxHalfBytes = std::uint64_t{1} << 30;  ///< of a half of a stream's buffer

/// Counters of the array for one class of requests.
struct ArrayCounters {
  std::uint64_t submitted = 0;   ///< requests
  std::uint64_t completed = 0;   ///< ended well
  std::uint64_t failed = 0;      ///< ended with an error
  std::uint64_t late = 0;        ///< completed after their deadline
  std::uint64_t cache_hits = 0;  ///< reads that needed neither a drive nor a stream buffer
  std::uint64_t redirected = 0;  ///< read commands repeated on the other copy because their drive failed
  Picoseconds response = 0;      ///< sum over the completed requests
  Picoseconds host_queue = 0;    ///< part of `response` spent in the host
};

/// What the array does about sectors that its drives cannot read.
struct ArrayErrors {
  std::uint64_t redirected = 0;    ///< reads that were repeated on the other copy because a sector could not be read
  std::uint64_t unreadable = 0;    ///< reads that no copy could answer
  std::uint64_t repaired = 0;      ///< units whose bad sectors were written again from the other copy
  std::uint64_t lost_sectors = 0;  ///< sectors that a rebuild could not read on its source: unreadable until they are written

  /// Is one of them above 0?
  bool any() const { return redirected + unreadable + repaired + lost_sectors > 0; }
};

/// Counters of the stream buffers, for sequential reads that ended well.
struct StreamBufferCounters {
  std::uint64_t hits = 0;           ///< reads found complete in the buffer
  std::uint64_t underruns = 0;      ///< reads served from the buffer that had to wait for it
  std::uint64_t misses = 0;         ///< reads of which a part came from a drive
  std::uint64_t fetched_bytes = 0;  ///< read into the buffers
};

}  // namespace platter::host::array
