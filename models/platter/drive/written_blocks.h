// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace platter::drive {

/// Progress of a write in progress, in blocks relative to its first: the blocks of both runs are on the media, block `torn` is partly written (kNone:
/// no block is), all others are unchanged. There are two runs because a write may begin in the middle of its sectors.
struct WrittenBlocks {
  struct Run {
    std::uint32_t from = 0;
    std::uint32_t end = 0;
  };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  Run first;
  Run second;
  std::uint32_t torn = kNone;
  double torn_share = 0;  ///< of block `torn`: the part that has been written, from its front
};

}  // namespace platter::drive
