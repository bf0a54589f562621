// SPDX-License-Identifier: Apache-2.0
//
// What sched_order computes, written from docs/reference/cluster_order.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace platter::testing {

constexpr unsigned kMaxCluster = 12;

/// Costs of the hops: from the head's place to a slot, and from the end of a slot's request to another slot.
struct ClusterCosts {
  std::array<std::uint32_t, kMaxCluster> head{};
  std::array<std::array<std::uint32_t, kMaxCluster>, kMaxCluster> between{};  ///< [from][to]
};

struct ClusterOrder {
  std::vector<unsigned> order;  ///< slots, the one served first in front
  std::uint32_t total = 0;
  unsigned cycles = 0;  ///< for which the hardware is busy

  bool operator==(const ClusterOrder& other) const {
    return order == other.order && total == other.total && cycles == other.cycles;
  }
};

inline unsigned cluster_cycles(unsigned n) { return n < 2 ? 9 : (1U << n) + 8 * n - 8; }

/// The order of slots 0 to n - 1 (1 <= n <= kMaxCluster) with the least sum of costs; among several, the one whose
/// sequence read from the last backwards has the lowest slot at each position in turn.
inline ClusterOrder cluster_order(unsigned n, const ClusterCosts& costs) {
  struct Entry {
    std::uint32_t cost;
    unsigned previous;
  };
  // Of each set, and each slot in it as the last: the least cost, and the lowest slot before it that attains it.
  std::vector<std::array<Entry, kMaxCluster>> best(std::size_t{1} << n);
  for (unsigned set = 1; set < best.size(); ++set) {
    for (unsigned last = 0; last < n; ++last) {
      if ((set >> last & 1U) == 0) continue;
      const unsigned rest = set & ~(1U << last);
      Entry& entry = best[set][last];
      entry = {rest == 0 ? costs.head[last] : ~0U, n};
      for (unsigned previous = 0; previous < n; ++previous) {
        if ((rest >> previous & 1U) == 0) continue;
        const std::uint32_t cost = best[rest][previous].cost + costs.between[previous][last];
        if (cost < entry.cost) entry = {cost, previous};
      }
    }
  }
  unsigned set = static_cast<unsigned>(best.size()) - 1;
  unsigned slot = 0;
  for (unsigned last = 1; last < n; ++last) {
    if (best[set][last].cost < best[set][slot].cost) slot = last;
  }
  ClusterOrder result;
  result.total = best[set][slot].cost;
  result.cycles = cluster_cycles(n);
  result.order.resize(n);
  for (unsigned place = n; place-- > 0;) {
    result.order[place] = slot;
    const unsigned previous = best[set][slot].previous;
    set &= ~(1U << slot);
    slot = previous;
  }
  return result;
}

}  // namespace platter::testing
