// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "platter/host/media_server/striping.h"

namespace platter::host::media_server {

/// A contiguous run of logical blocks of a disk.
struct Extent {
  std::uint64_t first_block = 0;
  std::uint32_t blocks = 0;
};

/// Allocates disk space in strides of one size (section 2.2), in ascending order.
class StrideAllocator {
 public:
  StrideAllocator(std::uint32_t disks, std::uint32_t stride_blocks, std::uint64_t strides_per_disk)
      : used_(disks, 0), stride_blocks_(stride_blocks), per_disk_(strides_per_disk) {}

  /// The next free stride of the disk. Throws std::length_error if the disk is full.
  std::uint64_t take(std::uint32_t disk);
  /// Takes as many strides as a StrideMap of the stream would, if every disk has that many. Otherwise takes none and returns false.
  bool take_all_of(const StoredStream& stream);
  std::uint64_t used(std::uint32_t disk) const { return used_[disk]; }
  std::uint32_t stride_blocks() const { return stride_blocks_; }

 private:
  std::vector<std::uint64_t> used_;
  std::uint32_t stride_blocks_;
  std::uint64_t per_disk_;
};

/// A stored stream's strides, of both copies on every disk. A copy fills its strides without gaps, independent of the rounds that
/// they hold, so a fragment no larger than a stride is in at most two strides.
class StrideMap {
 public:
  /// Takes strides as the stream is written, round by round. Throws std::invalid_argument if a fragment is larger than a stride,
  /// std::length_error if a disk is full.
  StrideMap(const StoredStream& stream, StrideAllocator& allocator);

  struct Place {
    std::array<Extent, 2> extents;
    std::uint32_t count = 0;  ///< 0 for a fragment without blocks
  };
  Place locate(Copy copy, const Fragment& fragment) const;

 private:
  std::uint32_t stride_blocks_;
  std::array<std::vector<std::vector<std::uint64_t>>, 2> strides_;  ///< by copy and disk
};

}  // namespace platter::host::media_server
