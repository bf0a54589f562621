// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace platter::host::array {

/// Blocks kept by least recent use. Memory grows with the blocks that it holds up to its size, and a block's bytes are kept from
/// block to block: once full, nothing is allocated.
class BlockCache {
 public:
  /// `blocks`: that it holds at most; 0: none, ever.
  BlockCache(std::uint32_t blocks, std::uint32_t block_bytes);

  std::uint32_t block_bytes() const { return block_bytes_; }
  std::uint32_t size() const { return size_; }
  bool holds(std::uint64_t block) const { return find(block) != kNone; }

  /// Makes the block the most recent one, copies `length` bytes of it from `offset` on to `data` (null: none), and says whether it is
  /// there. A block that came without bytes is no hit for who wants them.
  bool read(std::uint64_t block, std::uint32_t offset, std::uint8_t* data, std::uint32_t length);
  /// Puts a whole block in front, in the place of the least recent one where there is no room. `data` null: without bytes.
  void insert(std::uint64_t block, const std::uint8_t* data);
  /// Changes a block that is there and puts it in front. `data` null: its bytes are not known any more.
  void update(std::uint64_t block, std::uint32_t offset, const std::uint8_t* data, std::uint32_t length);
  void erase(std::uint64_t block);

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Entry {
    std::uint64_t block = 0;
    std::uint32_t newer = kNone;
    std::uint32_t older = kNone;
    std::uint32_t next = kNone;  ///< in its bucket, or of those that are free
    bool has_bytes = false;
    std::unique_ptr<std::uint8_t[]> bytes;
  };

  std::size_t bucket(std::uint64_t block) const;
  std::uint32_t find(std::uint64_t block) const;
  void unlink(std::uint32_t at);
  void link_in_front(std::uint32_t at);
  void forget(std::uint32_t at);  ///< from its bucket

  std::uint32_t most_;
  std::uint32_t block_bytes_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> buckets_;  ///< a power of two
  std::uint32_t free_ = kNone;
  std::uint32_t newest_ = kNone;
  std::uint32_t oldest_ = kNone;
  std::uint32_t size_ = 0;
};

}  // namespace platter::host::array
