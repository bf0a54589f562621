// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "platter/mapping/eager/block_map.h"

namespace platter::eager {

/// What every sector carries beside its data: whose it is, and how new.
struct SectorHeader {
  Block block = BlockMap::kNoBlock;  ///< kNoBlock: nothing readable
  std::uint64_t sequence = 0;        ///< of the write, ascending over the whole drive

  friend bool operator==(const SectorHeader& a, const SectorHeader& b) {
    return a.block == b.block && a.sequence == b.sequence;
  }
};

/// The sector headers on the media. They are all that is left of the map after a power loss.
class BlockHeaders {
 public:
  explicit BlockHeaders(const BlockLayout& layout) : layout_(&layout), whole_(layout.places()) {}

  /// A drive fresh from the factory: the blocks of `map` are where it says, with sequence 0.
  void format(const BlockMap& map);
  /// All sectors of a place.
  void write(Place place, const SectorHeader& header);
  /// The first `sectors` of a place, as a write that is cut off leaves them; the sector after them is unreadable.
  void tear(Place place, std::uint32_t sectors, const SectorHeader& header);

  /// One sector of a place.
  void set(Place place, std::uint32_t index, const SectorHeader& header);
  SectorHeader sector(Place place, std::uint32_t index) const;
  /// Calls `visit` with every place whose sectors differ.
  template <typename Visit>
  void for_each_torn(Visit visit) const {
    for (const auto& [place, sectors] : torn_) visit(Place(place));
  }

  /// Rebuilds the map from the headers alone: a place counts if all of its sectors agree, and of a block's copies the one with the
  /// highest sequence. Returns the sequence of the next write, above any that the media have seen, torn ones too: otherwise two torn
  /// writes could together look like a whole one. Throws std::runtime_error where a block has no copy.
  std::uint64_t recover(BlockMap& map) const;

 private:
  const BlockLayout* layout_;
  std::vector<SectorHeader> whole_;  ///< by place, of all its sectors; where they differ `torn_` goes before it
  std::map<std::uint32_t, std::vector<SectorHeader>> torn_;
};

}  // namespace platter::eager
