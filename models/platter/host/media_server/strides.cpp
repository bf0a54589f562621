// SPDX-License-Identifier: Apache-2.0
#include "platter/host/media_server/strides.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace platter::host::media_server {

std::uint64_t StrideAllocator::take(std::uint32_t disk) {
  if (used_[disk] == per_disk_) throw std::length_error("the disk has no stride left");
  return used_[disk]++;
}

bool StrideAllocator::take_all_of(const StoredStream& stream) {
  std::vector<std::uint64_t> used = used_;
  for (std::uint32_t disk = 0; disk < used.size(); ++disk) {
    for (const Copy copy : {Copy::Primary, Copy::Backup})
      used[disk] += (stream.area_blocks(copy, disk) + stride_blocks_ - 1) / stride_blocks_;
    if (used[disk] > per_disk_) return false;
  }
  used_ = std::move(used);
  return true;
}

StrideMap::StrideMap(const StoredStream& stream, StrideAllocator& allocator) : stride_blocks_(allocator.stride_blocks()) {
  for (auto& disks : strides_) disks.resize(stream.disks());
  for (Round round = 0; round < stream.rounds(); ++round)
    for (const Copy copy : {Copy::Primary, Copy::Backup})
      for (const Fragment& fragment : stream.fragments(copy, round)) {
        if (fragment.blocks > stride_blocks_) throw std::invalid_argument("a round's data on a disk is larger than a stride");
        std::vector<std::uint64_t>& own = strides_[static_cast<std::size_t>(copy)][fragment.disk];
        while (own.size() * stride_blocks_ < fragment.first_block + fragment.blocks)
          own.push_back(allocator.take(fragment.disk));
      }
}

StrideMap::Place StrideMap::locate(Copy copy, const Fragment& fragment) const {
  const std::vector<std::uint64_t>& own = strides_[static_cast<std::size_t>(copy)][fragment.disk];
  Place place;
  std::uint64_t block = fragment.first_block;
  for (std::uint32_t left = fragment.blocks; left > 0;) {
    const std::uint64_t within = block % stride_blocks_;
    const auto blocks = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, stride_blocks_ - within));
    place.extents[place.count++] = {own[block / stride_blocks_] * stride_blocks_ + within, blocks};
    block += blocks;
    left -= blocks;
  }
  return place;
}

}  // namespace platter::host::media_server
