// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace platter::scheduling {

/// The cheapest order in which to serve a few requests: an open path over constant costs, found by dynamic programming
/// over the sets of requests served (Held and Karp 1962).
///
/// Requests are numbered *slots* 0 … n - 1. Among orders of equal cost the result is the one that, read from its last request backwards,
/// has the lowest slot number at each position. `Cost` is a signed time or an unsigned number of ticks; the sum of n costs must fit. All
/// memory is allocated at construction.
template <typename Cost>
class PathOrder {
 public:
  static constexpr std::size_t kMax = 12;

  /// For at most `most` (<= kMax) slots.
  explicit PathOrder(std::size_t most);

  /// Steps of the algorithm for n slots, the table of costs included; the firmware's decision time is computed from it.
  static constexpr std::uint64_t steps(std::size_t n) { return n == 0 ? 0 : std::uint64_t{n} * n << n; }

  /// Cost from the head's present position to slot `to`.
  void set_start(std::size_t to, Cost cost) { start_[to] = cost; }
  /// Cost from the end of slot `from` to slot `to`.
  void set_hop(std::size_t from, std::size_t to, Cost cost) { hop_[from][to] = cost; }

  /// Finds the order of slots 0 … n - 1, whose costs have all been set; returns its total cost.
  Cost solve(std::size_t n);
  /// The slot at this position of the order found.
  std::size_t operator[](std::size_t position) const { return order_[position]; }

 private:
  Cost& best(std::size_t set, std::size_t last) { return best_[set * most_ + last]; }

  std::size_t most_;
  std::array<Cost, kMax> start_{};
  std::array<std::array<Cost, kMax>, kMax> hop_{};
  std::array<std::uint8_t, kMax> order_{};
  std::vector<Cost> best_;  ///< by set and last slot: least cost of serving the set and ending there
};

extern template class PathOrder<std::int64_t>;
extern template class PathOrder<std::uint32_t>;

}  // namespace platter::scheduling
