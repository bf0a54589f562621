// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "platter/mapping/eager/block_layout.h"

namespace platter::eager {

/// Where each logical block is, and which physical blocks are free: a bitmap by cylinder, head and angle with counts for tracks and
/// cylinders, so that looking round a cylinder touches a word or two for each head.
class BlockMap {
 public:
  static constexpr Block kNoBlock{~std::uint32_t{0}};
  static constexpr Place kNoPlace = scheduling::kNoPlace;

  /// `places / dilution` logical blocks, rounded down, none of them placed. Throws std::invalid_argument where no block is left
  /// free, or none is left to the host.
  BlockMap(const BlockLayout& layout, double dilution);

  /// Puts every logical block at a random place; the same seed, the same places.
  void place_at_random(std::uint64_t seed);
  /// Takes every block off its place.
  void clear();
  /// Puts a block that has no place at a free one.
  void put(Block block, Place place);
  /// The block goes to a free place; the one that it had is free.
  void move(Block block, Place place);

  const BlockLayout& layout() const { return layout_; }
  std::uint32_t blocks() const { return static_cast<std::uint32_t>(places_.size()); }
  Place place_of(Block block) const { return places_[block.value]; }
  /// kNoBlock for a free place.
  Block block_at(Place place) const { return blocks_[place.value]; }
  bool free(Place place) const { return (free_[place.value / 64] >> (place.value % 64) & 1) != 0; }
  std::uint32_t free_count() const { return free_count_; }
  std::uint32_t free_on_cylinder(Cylinder cylinder) const { return free_on_cylinder_[cylinder.value]; }

  /// The free place of a track that comes first from block `index` on, round the track; kNoPlace if there is none.
  Place next_free(const BlockLayout::Track& track, std::uint32_t index) const {
    const std::uint32_t from = track.first_place + index;
    const std::uint32_t found = first_free(from, track.first_place + track.places);
    return Place(found != kNoPlace.value ? found : first_free(track.first_place, from));
  }

 private:
  /// In [from, to).
  std::uint32_t first_free(std::uint32_t from, std::uint32_t to) const {
    while (from < to) {
      const std::uint64_t word = free_[from / 64] >> (from % 64);
      if (word != 0) {
        const std::uint32_t found = from + static_cast<std::uint32_t>(__builtin_ctzll(word));
        return found < to ? found : kNoPlace.value;
      }
      from = (from / 64 + 1) * 64;
    }
    return kNoPlace.value;
  }
  void set_free(Place place, bool free);

  const BlockLayout& layout_;
  std::vector<Place> places_;  ///< by logical block
  std::vector<Block> blocks_;  ///< by place
  std::vector<std::uint64_t> free_;
  std::vector<std::uint32_t> free_on_cylinder_;
  std::uint32_t free_count_ = 0;
};

}  // namespace platter::eager
