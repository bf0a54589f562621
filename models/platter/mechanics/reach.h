// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platter/mechanics/access_planner.h"

namespace platter::mechanics {

/// What a drive reaches by its mechanics and its bus alone: no buffer, no host, decisions without time.
struct Reach {
  double mean_seek_ms = 0;       ///< between two uniform, independent places
  double mean_rotation_ms = 0;   ///< wait for a sector at a random angle: half a turn
  double outer_bytes_per_s = 0;  ///< long transfer at the first block, with all crossings of tracks and cylinders
  double inner_bytes_per_s = 0;  ///< the same up to the last block
  double bus_bytes_per_s = 0;    ///< of reads; infinite for a bus without time
  double fcfs_per_s = 0;         ///< reads of `kRandomBytes` at uniform places, in their order
  double sptf_per_s = 0;         ///< the same with `kWaiting` of them waiting, the one that can begin first next

  static constexpr std::uint32_t kRandomBytes = 4096;
  static constexpr std::uint32_t kWaiting = 32;
};

/// The random rates are those of a few thousand accesses of a fixed stream of places, one after the other; each takes overhead, positioning,
/// and the longer of media and bus. The same numbers on every machine.
Reach reach(const AccessPlanner& planner);

}  // namespace platter::mechanics
