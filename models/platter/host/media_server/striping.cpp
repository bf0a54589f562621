// SPDX-License-Identifier: Apache-2.0
#include "platter/host/media_server/striping.h"

#include <algorithm>

namespace platter::host::media_server {

std::vector<std::uint32_t> blocks_per_round(const std::vector<std::uint32_t>& bytes, std::uint32_t block_bytes) {
  std::vector<std::uint32_t> blocks;
  blocks.reserve(bytes.size());
  std::uint64_t sum = 0;
  std::uint64_t held = 0;  // blocks of all earlier rounds
  for (const std::uint32_t round : bytes) {
    sum += round;
    const std::uint64_t needed = (sum + block_bytes - 1) / block_bytes;
    blocks.push_back(static_cast<std::uint32_t>(needed - held));
    held = needed;
  }
  return blocks;
}

StoredStream::StoredStream(const std::vector<std::uint32_t>& blocks, const StripingOptions& options,
                           ReplicaPlacementIf* placement) {
  for (auto& area : area_blocks_) area.assign(options.disks, 0);
  std::vector<std::uint32_t> share(options.disks, 0);  // blocks of the round's backup on each disk
  backup_begin_.push_back(0);
  for (std::size_t round = 0; round < blocks.size(); ++round) {
    const std::uint32_t disk = disk_of_round(static_cast<Round>(round), options.first_disk, options.disks);
    primary_.push_back({disk, blocks[round], area_blocks_[0][disk]});
    area_blocks_[0][disk] += blocks[round];
    if (placement != nullptr) {
      placement->begin_unit(disk);
      const std::size_t first = backups_.size();
      const std::uint32_t whole = options.decluster_blocks == 0 ? blocks[round] : options.decluster_blocks;
      for (std::uint32_t left = blocks[round]; left > 0;) {
        const std::uint32_t size = std::min(whole, left);
        const std::uint32_t target = placement->next();
        if (share[target] == 0) backups_.push_back({target, 0, area_blocks_[1][target]});
        share[target] += size;
        left -= size;
      }
      for (std::size_t i = first; i < backups_.size(); ++i) {
        Fragment& fragment = backups_[i];
        fragment.blocks = share[fragment.disk];
        area_blocks_[1][fragment.disk] += fragment.blocks;
        share[fragment.disk] = 0;
      }
    }
    backup_begin_.push_back(backups_.size());
  }
}

}  // namespace platter::host::media_server
