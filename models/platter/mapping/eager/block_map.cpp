// SPDX-License-Identifier: Apache-2.0
#include "platter/mapping/eager/block_map.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

#include "platter/core/random.h"

namespace platter::eager {

BlockMap::BlockMap(const BlockLayout& layout, double dilution) : layout_(layout) {
  const double blocks = dilution > 0 ? static_cast<double>(layout.places()) / dilution : 0;
  if (!(blocks >= 1 && blocks < layout.places()))
    throw std::invalid_argument("a dilution of " + std::to_string(dilution) + " on a drive of " +
                                std::to_string(layout.places()) + " blocks leaves the host none, or none free");
  places_.resize(static_cast<std::size_t>(blocks));
  blocks_.resize(layout.places());
  free_.resize(layout.places() / 64 + 1);
  free_on_cylinder_.resize(layout.cylinders());
  clear();
}

void BlockMap::clear() {
  std::fill(places_.begin(), places_.end(), kNoPlace);
  std::fill(blocks_.begin(), blocks_.end(), kNoBlock);
  std::fill(free_.begin(), free_.end(), std::uint64_t{0});
  std::fill(free_on_cylinder_.begin(), free_on_cylinder_.end(), 0u);
  free_count_ = 0;
  for (std::uint32_t cylinder = 0; cylinder < layout_.cylinders(); ++cylinder) {
    for (std::uint32_t head = 0; head < layout_.surfaces(); ++head) {
      const BlockLayout::Track& track = layout_.track(layout_.track_index(Cylinder(cylinder), Head(head)));
      for (std::uint32_t i = 0; i < track.places; ++i) {
        const std::uint32_t place = track.first_place + i;
        free_[place / 64] |= std::uint64_t{1} << (place % 64);
      }
      free_on_cylinder_[cylinder] += track.places;
      free_count_ += track.places;
    }
  }
}

void BlockMap::place_at_random(std::uint64_t seed) {
  clear();
  core::RandomStream random(seed, "eager.places");
  std::vector<std::uint32_t> order(layout_.places());
  std::iota(order.begin(), order.end(), 0u);
  for (std::uint32_t block = 0; block < blocks(); ++block) {
    const auto chosen = block + static_cast<std::uint32_t>(random.below(order.size() - block));
    std::swap(order[block], order[chosen]);
    put(Block(block), Place(order[block]));
  }
}

void BlockMap::set_free(Place place, bool free) {
  free_[place.value / 64] ^= std::uint64_t{1} << (place.value % 64);
  std::uint32_t& count = free_on_cylinder_[layout_.track_of(place) / layout_.surfaces()];
  count += free ? 1 : -1u;
  free_count_ += free ? 1 : -1u;
}

void BlockMap::put(Block block, Place place) {
  places_[block.value] = place;
  blocks_[place.value] = block;
  set_free(place, false);
}

void BlockMap::move(Block block, Place place) {
  const Place old = places_[block.value];
  blocks_[old.value] = kNoBlock;
  set_free(old, true);
  put(block, place);
}

}  // namespace platter::eager
