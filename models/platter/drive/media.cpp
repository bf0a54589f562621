// SPDX-License-Identifier: Apache-2.0
#include "platter/drive/media.h"

#include <algorithm>
#include <cstring>

namespace platter::drive {

void Media::Bytes::read(std::uint64_t offset, std::uint8_t* data, std::size_t length) const {
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

void Media::Bytes::write(std::uint64_t offset, const std::uint8_t* data, std::size_t length) {
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

Media::Bytes Media::Bytes::copy() const {
  Bytes copy;
  for (const auto& [number, chunk] : chunks_) copy.chunks_.emplace(number, std::make_unique<Chunk>(*chunk));
  return copy;
}

}  // namespace platter::drive
