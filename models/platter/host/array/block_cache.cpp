// SPDX-License-Identifier: Apache-2.0
#include "platter/host/array/block_cache.h"

#include <algorithm>

namespace platter::host::array {

BlockCache::BlockCache(std::uint32_t blocks, std::uint32_t block_bytes) : most_(blocks), block_bytes_(block_bytes) {
  std::size_t buckets = 1;
  while (buckets < blocks) buckets *= 2;
  buckets_.assign(buckets, kNone);
}

std::size_t BlockCache::bucket(std::uint64_t block) const {
  return static_cast<std::size_t>((block * 0x9E37'79B9'7F4A'7C15ull) >> 20) & (buckets_.size() - 1);
}

std::uint32_t BlockCache::find(std::uint64_t block) const {
  std::uint32_t at = buckets_[bucket(block)];
  while (at != kNone && entries_[at].block != block) at = entries_[at].next;
  return at;
}

void BlockCache::unlink(std::uint32_t at) {
  const Entry& entry = entries_[at];
  (entry.newer != kNone ? entries_[entry.newer].older : newest_) = entry.older;
  (entry.older != kNone ? entries_[entry.older].newer : oldest_) = entry.newer;
}

void BlockCache::link_in_front(std::uint32_t at) {
  Entry& entry = entries_[at];
  entry.newer = kNone;
  entry.older = newest_;
  (newest_ != kNone ? entries_[newest_].newer : oldest_) = at;
  newest_ = at;
}

void BlockCache::forget(std::uint32_t at) {
  std::uint32_t* link = &buckets_[bucket(entries_[at].block)];
  while (*link != at) link = &entries_[*link].next;
  *link = entries_[at].next;
}

bool BlockCache::read(std::uint64_t block, std::uint32_t offset, std::uint8_t* data, std::uint32_t length) {
  const std::uint32_t at = find(block);
  if (at == kNone || (data != nullptr && !entries_[at].has_bytes)) return false;
  unlink(at);
  link_in_front(at);
  if (data != nullptr) std::copy_n(entries_[at].bytes.get() + offset, length, data);
  return true;
}

void BlockCache::insert(std::uint64_t block, const std::uint8_t* data) {
  if (most_ == 0) return;
  std::uint32_t at = find(block);
  if (at != kNone) {
    unlink(at);
  } else {
    if (free_ != kNone) {
      at = free_;
      free_ = entries_[at].next;
      ++size_;
    } else if (size_ < most_) {
      at = size_++;
      entries_.emplace_back();
    } else {
      at = oldest_;
      unlink(at);
      forget(at);
    }
    Entry& entry = entries_[at];
    entry.block = block;
    entry.next = buckets_[bucket(block)];
    buckets_[bucket(block)] = at;
  }
  link_in_front(at);
  Entry& entry = entries_[at];
  entry.has_bytes = data != nullptr;
  if (data == nullptr) return;
  if (!entry.bytes) entry.bytes = std::make_unique<std::uint8_t[]>(block_bytes_);
  std::copy_n(data, block_bytes_, entry.bytes.get());
}

void BlockCache::update(std::uint64_t block, std::uint32_t offset, const std::uint8_t* data, std::uint32_t length) {
  const std::uint32_t at = find(block);
  if (at == kNone) return;
  unlink(at);
  link_in_front(at);
  Entry& entry = entries_[at];
  if (data == nullptr) entry.has_bytes = false;
  if (entry.has_bytes) std::copy_n(data, length, entry.bytes.get() + offset);
}

void BlockCache::erase(std::uint64_t block) {
  const std::uint32_t at = find(block);
  if (at == kNone) return;
  unlink(at);
  forget(at);
  entries_[at].next = free_;
  free_ = at;
  --size_;
}

}  // namespace platter::host::array
