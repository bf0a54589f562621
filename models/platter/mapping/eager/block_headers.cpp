// SPDX-License-Identifier: Apache-2.0
#include "platter/mapping/eager/block_headers.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "platter/core/seeded_bug.h"

namespace platter::eager {

void BlockHeaders::format(const BlockMap& map) {
  torn_.clear();
  for (std::uint32_t place = 0; place < layout_->places(); ++place) whole_[place] = {map.block_at(Place(place)), 0};
}

void BlockHeaders::write(Place place, const SectorHeader& header) {
  whole_[place.value] = header;
  if (!torn_.empty()) torn_.erase(place.value);
}

void BlockHeaders::tear(Place place, std::uint32_t sectors, const SectorHeader& header) {
  std::vector<SectorHeader> mixed(layout_->sectors_per_block());
  for (std::uint32_t i = 0; i < mixed.size(); ++i) mixed[i] = i < sectors ? header : sector(place, i);
  if (sectors < mixed.size()) mixed[sectors] = {};
  torn_[place.value] = std::move(mixed);
}

void BlockHeaders::set(Place place, std::uint32_t index, const SectorHeader& header) {
  std::vector<SectorHeader> all(layout_->sectors_per_block());
  for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i == index ? header : sector(place, i);
  if (std::all_of(all.begin(), all.end(), [&](const SectorHeader& each) { return each == all.front(); }))
    write(place, all.front());
  else
    torn_[place.value] = std::move(all);
}

SectorHeader BlockHeaders::sector(Place place, std::uint32_t index) const {
  const auto found = torn_.find(place.value);
  return found != torn_.end() ? found->second[index] : whole_[place.value];
}

std::uint64_t BlockHeaders::recover(BlockMap& map) const {
  std::vector<std::uint64_t> newest(map.blocks());
  std::vector<Place> where(map.blocks(), BlockMap::kNoPlace);
  std::uint64_t next = 1;
  for (std::uint32_t p = 0; p < layout_->places(); ++p) {
    const Place place(p);
    const SectorHeader first = sector(place, 0);
    bool complete = first.block.value < map.blocks();
    const std::uint32_t sectors = torn_.count(p) > 0 ? layout_->sectors_per_block() : 1;
    for (std::uint32_t i = 0; i < sectors; ++i) {
      const SectorHeader header = sector(place, i);
      next = std::max(next, header.sequence + 1);
      complete = complete && header == first;
    }
    if (!complete) continue;
    const std::uint32_t block = first.block.value;
    const bool older = core::seeded("oldest_copy") ? newest[block] <= first.sequence : newest[block] >= first.sequence;
    if (where[block] != BlockMap::kNoPlace && older) continue;
    where[block] = place;
    newest[block] = first.sequence;
  }
  map.clear();
  for (std::uint32_t block = 0; block < map.blocks(); ++block) {
    if (where[block] == BlockMap::kNoPlace)
      throw std::runtime_error("no complete copy of block " + std::to_string(block) + " is on the media");
    map.put(Block(block), where[block]);
  }
  return next;
}

}  // namespace platter::eager
