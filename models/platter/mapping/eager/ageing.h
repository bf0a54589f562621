// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/mapping/eager/block_map.h"

namespace platter::eager {

/// Brings free space to what use makes of it: blocks drawn at random, `turnovers` times as many as the map has, are each written to the
/// free block closest to the head, as the policies write them. Before each write the head reads a block drawn at random. Only the order of
/// the accesses counts, not their times. Precondition: every block has a place.
void age(BlockMap& map, const mechanics::AccessPlanner& planner, double turnovers, std::uint64_t seed);

}  // namespace platter::eager
