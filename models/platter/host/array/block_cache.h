// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace platter::host::array {

/// A cache of blocks with least-recently-used replacement. Memory grows with the number of blocks up to the size of the cache. A
/// replaced block's memory is reused: a full cache allocates nothing.
class BlockCache {
 public:
  /// `blocks`: maximum number of blocks; 0: the cache holds none.
  BlockCache(std::uint32_t blocks, std::uint32_t block_bytes);

  std::uint32_t block_bytes() const { return block_bytes_; }
  std::uint32_t size() const { return size_; }
  std::uint32_t capacity() const { return most_; }
  bool holds(std::uint64_t block) const { return find(block) != kNone; }

  /// Makes the block the most recent one, and copies `length` bytes of it from `offset` on to `data` (null: no copy). Returns
  /// false if the block is not there, or if bytes are requested and it has none.
  bool read(std::uint64_t block, std::uint32_t offset, std::uint8_t* data, std::uint32_t length);
  /// Inserts a whole block as the most recent one; in a full cache it replaces the least recent one. `data` null: without bytes.
  void insert(std::uint64_t block, const std::uint8_t* data);
  /// If the block is in the cache, changes it and makes it the most recent one. `data` null: its bytes become unknown.
  void update(std::uint64_t block, std::uint32_t offset, const std::uint8_t* data, std::uint32_t length);
  void erase(std::uint64_t block);

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Entry {
    std::uint64_t block = 0;
    std::uint32_t newer = kNone;
    std::uint32_t older = kNone;
    std::uint32_t next = kNone;  ///< in its hash bucket, or in the list of free entries
    bool has_bytes = false;
    std::unique_ptr<std::uint8_t[]> bytes;
  };

  std::size_t bucket(std::uint64_t block) const;
  std::uint32_t find(std::uint64_t block) const;
  void unlink(std::uint32_t at);
  void link_in_front(std::uint32_t at);
  void forget(std::uint32_t at);  ///< removes it from its bucket

  std::uint32_t most_;
  std::uint32_t block_bytes_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> buckets_;  ///< size: a power of two
  std::uint32_t free_ = kNone;
  std::uint32_t newest_ = kNone;
  std::uint32_t oldest_ = kNone;
  std::uint32_t size_ = 0;
};

}  // namespace platter::host::array
