// SPDX-License-Identifier: Apache-2.0
#include "platter/scheduling/path_order.h"

namespace platter::scheduling {

template <typename Cost>
PathOrder<Cost>::PathOrder(std::size_t most) : most_(most), best_(most << most) {}

template <typename Cost>
Cost PathOrder<Cost>::solve(std::size_t n) {
  if (n == 0) return 0;
  const std::size_t all = (std::size_t{1} << n) - 1;
  for (std::size_t set = 1; set <= all; ++set)
    for (std::size_t last = 0; last < n; ++last) {
      if ((set >> last & 1) == 0) continue;
      const std::size_t before = set & ~(std::size_t{1} << last);
      if (before == 0) {
        best(set, last) = start_[last];
        continue;
      }
      bool found = false;
      Cost least = 0;
      for (std::size_t k = 0; k < n; ++k) {
        if ((before >> k & 1) == 0) continue;
        const Cost cost = best(before, k) + hop_[k][last];
        if (found && cost >= least) continue;
        found = true;
        least = cost;
      }
      best(set, last) = least;
    }

  std::size_t last = 0;
  for (std::size_t k = 1; k < n; ++k)
    if (best(all, k) < best(all, last)) last = k;
  const Cost total = best(all, last);
  std::size_t set = all;
  for (std::size_t position = n; position-- > 0;) {
    order_[position] = static_cast<std::uint8_t>(last);
    const Cost cost = best(set, last);
    set &= ~(std::size_t{1} << last);
    for (std::size_t k = 0; k < n; ++k)  // the lowest slot that gives the least cost
      if ((set >> k & 1) != 0 && best(set, k) + hop_[k][last] == cost) {
        last = k;
        break;
      }
  }
  return total;
}

template class PathOrder<std::int64_t>;
template class PathOrder<std::uint32_t>;

}  // namespace platter::scheduling
