// SPDX-License-Identifier: Apache-2.0
#include "platter/media/media.h"

#include <algorithm>
#include <cstring>

namespace platter::media {

void Bytes::read(std::uint64_t offset, std::uint8_t* data, std::size_t length) const {
  while (length > 0) {
    const std::size_t within = offset % kChunkBytes;
    const std::size_t take = std::min(length, kChunkBytes - within);
    const auto chunk = chunks_.find(offset / kChunkBytes);
    if (chunk != chunks_.end())
      std::memcpy(data, chunk->second->data() + within, take);
    else
      std::memset(data, 0, take);
    offset += take;
    data += take;
    length -= take;
  }
}

void Bytes::write(std::uint64_t offset, const std::uint8_t* data, std::size_t length) {
  while (length > 0) {
    const std::size_t within = offset % kChunkBytes;
    const std::size_t take = std::min(length, kChunkBytes - within);
    std::unique_ptr<Chunk>& chunk = chunks_[offset / kChunkBytes];
    if (!chunk) chunk = std::make_unique<Chunk>();
    std::memcpy(chunk->data() + within, data, take);
    offset += take;
    data += take;
    length -= take;
  }
}

Bytes Bytes::copy() const {
  Bytes copy;
  for (const auto& [number, chunk] : chunks_) copy.chunks_.emplace(number, std::make_unique<Chunk>(*chunk));
  return copy;
}

std::optional<std::uint64_t> Media::unreadable(std::uint64_t offset, std::uint64_t length) const {
  if (unreadable_.empty()) return std::nullopt;
  for (std::uint64_t sector = offset / sector_bytes_; sector * sector_bytes_ < offset + length; ++sector)
    if (unreadable_.count(sector) > 0) return sector * sector_bytes_;
  return std::nullopt;
}

void Media::write(std::uint64_t offset, const std::uint8_t* data, std::size_t length) {
  if (keeps_bytes_) bytes_.write(offset, data, length);
  written(offset, length);
}

void Media::written(std::uint64_t offset, std::uint64_t length) {
  if (unreadable_.empty()) return;
  const std::uint64_t end = (offset + length) / sector_bytes_;
  for (std::uint64_t sector = (offset + sector_bytes_ - 1) / sector_bytes_; sector < end; ++sector) unreadable_.erase(sector);
}

Media Media::copy() const {
  Media copy(sector_bytes_, keeps_bytes_);
  copy.bytes_ = bytes_.copy();
  copy.unreadable_ = unreadable_;
  return copy;
}

}  // namespace platter::media
