// SPDX-License-Identifier: Apache-2.0
#include "platter/scheduling/path_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace platter::scheduling {
namespace {

template <typename Cost>
struct Costs {
  std::vector<Cost> start;
  std::vector<std::vector<Cost>> hop;

  Cost of(const std::vector<std::size_t>& order) const {
    Cost sum = start[order[0]];
    for (std::size_t i = 1; i < order.size(); ++i) sum += hop[order[i - 1]][order[i]];
    return sum;
  }
};

template <typename Cost>
Costs<Cost> random_costs(std::size_t n, std::uint64_t most, std::mt19937_64& random) {
  const auto cost = [&] { return static_cast<Cost>(random() % (most + 1)); };
  Costs<Cost> costs{std::vector<Cost>(n), std::vector<std::vector<Cost>>(n, std::vector<Cost>(n))};
  for (Cost& c : costs.start) c = cost();
  for (auto& row : costs.hop)
    for (Cost& c : row) c = cost();
  return costs;
}

/// Of all orders, by the rule: least cost, then the lowest slot at each position from the last backwards.
template <typename Cost>
std::vector<std::size_t> brute_force(const Costs<Cost>& costs) {
  std::vector<std::size_t> order(costs.start.size());
  std::iota(order.begin(), order.end(), 0u);
  std::vector<std::size_t> best = order;
  do {
    const Cost cost = costs.of(order);
    const Cost least = costs.of(best);
    if (cost < least ||
        (cost == least && std::lexicographical_compare(order.rbegin(), order.rend(), best.rbegin(), best.rend())))
      best = order;
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

template <typename Cost>
std::vector<std::size_t> solved(PathOrder<Cost>& path, const Costs<Cost>& costs, Cost& total) {
  const std::size_t n = costs.start.size();
  for (std::size_t i = 0; i < n; ++i) {
    path.set_start(i, costs.start[i]);
    for (std::size_t k = 0; k < n; ++k)
      if (k != i) path.set_hop(i, k, costs.hop[i][k]);
  }
  total = path.solve(n);
  std::vector<std::size_t> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = path[i];
  return order;
}

template <typename Cost>
class PathOrderOf : public ::testing::Test {};
using CostTypes = ::testing::Types<std::int64_t, std::uint32_t>;
TYPED_TEST_SUITE(PathOrderOf, CostTypes, );

TYPED_TEST(PathOrderOf, IsWhatTryingAllOrdersFinds) {
  std::mt19937_64 random(41);
  PathOrder<TypeParam> path(8);
  // Few different costs: ties in most cases.
  for (const std::uint64_t most : {0u, 1u, 2u, 5u, 100'000'000u})
    for (std::size_t n = 1; n <= 8; ++n)
      for (int i = 0; i < (n < 7 ? 60 : 6); ++i) {
        const Costs<TypeParam> costs = random_costs<TypeParam>(n, most, random);
        TypeParam total = 0;
        const std::vector<std::size_t> order = solved(path, costs, total);
        ASSERT_EQ(order, brute_force(costs)) << n << " slots, costs up to " << most;
        ASSERT_EQ(total, costs.of(order));
      }
}

TYPED_TEST(PathOrderOf, IsThePlantedOneAmongTwelve) {
  std::mt19937_64 random(42);
  PathOrder<TypeParam> path(PathOrder<TypeParam>::kMax);
  for (int i = 0; i < 20; ++i) {
    Costs<TypeParam> costs = random_costs<TypeParam>(12, 1000, random);
    std::vector<std::size_t> planted(12);
    std::iota(planted.begin(), planted.end(), 0u);
    std::shuffle(planted.begin(), planted.end(), random);
    for (TypeParam& c : costs.start) c += 100'000;
    for (auto& row : costs.hop)
      for (TypeParam& c : row) c += 100'000;
    costs.start[planted[0]] = 1;
    for (std::size_t k = 1; k < 12; ++k) costs.hop[planted[k - 1]][planted[k]] = 1;
    TypeParam total = 0;
    ASSERT_EQ(solved(path, costs, total), planted);
    ASSERT_EQ(total, TypeParam{12});
  }
}

TEST(PathOrder, AllEqualEndsWithTheLowestSlot) {
  PathOrder<std::int64_t> path(4);
  std::mt19937_64 random(1);
  std::int64_t total = -1;
  EXPECT_EQ(solved(path, random_costs<std::int64_t>(4, 0, random), total), (std::vector<std::size_t>{3, 2, 1, 0}));
  EXPECT_EQ(total, 0);
}

TEST(PathOrder, StepsAreThoseOfTheWholeTable) {
  EXPECT_EQ(PathOrder<std::int64_t>::steps(0), 0u);
  EXPECT_EQ(PathOrder<std::int64_t>::steps(1), 2u);
  EXPECT_EQ(PathOrder<std::int64_t>::steps(6), 36u * 64u);
  EXPECT_EQ(PathOrder<std::int64_t>::steps(12), 144u * 4096u);
}

}  // namespace
}  // namespace platter::scheduling
