// SPDX-License-Identifier: Apache-2.0
//
// sched_order against the reference, and the reference against all permutations. Compiled for each variant:
// PLATTER_DUT_HEADER and PLATTER_DUT_CLASS name the Verilated class, PLATTER_DUT_M its most requests.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>

#include PLATTER_DUT_HEADER
#include "order_reference.h"

namespace platter::testing {

static void PrintTo(const ClusterOrder& result, std::ostream* stream) {
  *stream << "order";
  for (const unsigned slot : result.order) *stream << ' ' << slot;
  *stream << ", total " << result.total << ", " << result.cycles << " cycles";
}

namespace {

constexpr unsigned kM = PLATTER_DUT_M;
constexpr unsigned kCostW = 20;
constexpr std::uint32_t kMaxCost = (1U << kCostW) - 1;
constexpr unsigned kSlotW = kM < 4 ? 2 : kM < 8 ? 3 : 4;

/// All permutations, by the definition.
ClusterOrder by_permutations(unsigned n, const ClusterCosts& costs) {
  std::vector<unsigned> backwards(n);
  std::iota(backwards.begin(), backwards.end(), 0U);
  ClusterOrder best;
  best.total = ~0U;
  best.cycles = cluster_cycles(n);
  do {  // in the order of the tie rule
    std::uint32_t total = costs.head[backwards[n - 1]];
    for (unsigned i = 0; i + 1 < n; ++i) total += costs.between[backwards[i + 1]][backwards[i]];
    if (total < best.total) {
      best.total = total;
      best.order.assign(backwards.rbegin(), backwards.rend());
    }
  } while (std::next_permutation(backwards.begin(), backwards.end()));
  return best;
}

class Order : public ::testing::Test {
 protected:
  Order() {
    context_.randReset(2);  // nothing may depend on what registers and memories hold at first
    context_.randSeed(7);
    top_ = std::make_unique<PLATTER_DUT_CLASS>(&context_);
    reset();
  }

  void reset() {
    top_->clear_i = top_->start_i = top_->count_i = 0;
    top_->cost_we_i = top_->cost_from_i = top_->cost_to_i = 0;
    top_->cost_i = 0;
    top_->clk_i = 0;
    top_->rst_ni = 1;
    top_->eval();
    top_->rst_ni = 0;
    top_->eval();
    tick();
    top_->rst_ni = 1;
    top_->eval();
  }

  void tick() {
    top_->clk_i = 1;
    top_->eval();
    top_->clk_i = 0;
    top_->eval();
  }

  void write(unsigned from, unsigned to, std::uint32_t cost) {
    put(from, to, cost);
    tick();
    top_->cost_we_i = 0;
  }

  void put(unsigned from, unsigned to, std::uint32_t cost) {
    top_->cost_we_i = 1;
    top_->cost_from_i = static_cast<std::uint8_t>(from);
    top_->cost_to_i = static_cast<std::uint8_t>(to);
    top_->cost_i = cost;
    top_->eval();
  }

  void load(unsigned n, const ClusterCosts& costs) {
    for (unsigned to = 0; to < n; ++to) {
      write(kM, to, costs.head[to]);
      for (unsigned from = 0; from < n; ++from) {
        if (from != to) write(from, to, costs.between[from][to]);
      }
    }
  }

  /// Up to the first busy cycle.
  void start(unsigned n) {
    EXPECT_FALSE(top_->busy_o);
    top_->start_i = 1;
    top_->count_i = static_cast<std::uint8_t>(n);
    top_->eval();
    tick();
    top_->start_i = 0;
    top_->cost_we_i = 0;
    top_->count_i = static_cast<std::uint8_t>(below(16) % (1U << kSlotW));  // is taken with start_i only
    top_->eval();
  }

  /// Up to the first cycle after: the busy cycles, of which the last and no other has done_o.
  unsigned wait() {
    unsigned cycles = 0;
    bool done = false;
    while (top_->busy_o && cycles < 5000) {
      EXPECT_FALSE(done);
      done = top_->done_o;
      ++cycles;
      tick();
    }
    EXPECT_TRUE(done);
    EXPECT_FALSE(top_->done_o);
    return cycles;
  }

  ClusterOrder result(unsigned n, unsigned cycles) {
    ClusterOrder result;
    result.total = top_->total_o;
    result.cycles = cycles;
    for (unsigned i = 0; i < kM; ++i) {
      const auto all = static_cast<std::uint64_t>(top_->order_o);
      const auto slot = static_cast<unsigned>(all >> (i * kSlotW) & ((1U << kSlotW) - 1));
      if (i < n) {
        result.order.push_back(slot);
      } else {
        EXPECT_EQ(slot, 0U) << "entry " << i;
      }
    }
    return result;
  }

  ClusterOrder run(unsigned n) {
    start(n);
    return result(n, wait());
  }

  void expect_zero() {
    EXPECT_FALSE(top_->busy_o);
    EXPECT_FALSE(top_->done_o);
    EXPECT_EQ(static_cast<std::uint64_t>(top_->order_o), 0U);
    EXPECT_EQ(top_->total_o, 0U);
  }

  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

  /// One value of a kind: any, small with ties, two values, near the limit, zero, the limit.
  std::uint32_t random_cost(unsigned kind) {
    switch (kind) {
      case 0: return below(kMaxCost + 1);
      case 1: return below(3);
      case 2: return below(2) != 0 ? kMaxCost : 0;
      case 3: return kMaxCost - below(2);
      case 4: return 0;
      case 5: return kMaxCost;
      case 6: return below(1U << 16) + 3000;
      default: return below(8) << 16;
    }
  }
  static constexpr unsigned kKinds = 8;

  ClusterCosts random_costs(unsigned kind) {
    ClusterCosts costs;
    for (auto& cost : costs.head) cost = random_cost(kind);
    for (auto& row : costs.between) {
      for (auto& cost : row) cost = random_cost(kind);
    }
    return costs;
  }

  void expect_random(unsigned n, unsigned runs) {
    for (unsigned i = 0; i < runs && !HasFailure(); ++i) {
      // Uniform and tied costs most of the time
      const ClusterCosts costs = random_costs(below(2) != 0 ? below(2) : below(kKinds));
      const ClusterOrder expected = cluster_order(n, costs);
      if (n <= 5 || (n <= 7 && i < 300)) {
        EXPECT_EQ(expected, by_permutations(n, costs));
      }
      load(n, costs);
      EXPECT_EQ(run(n), expected) << "n = " << n << ", matrix " << i;
    }
  }

  VerilatedContext context_;
  std::unique_ptr<PLATTER_DUT_CLASS> top_;
  std::mt19937_64 random_{20260101};
};

/// Runs of random tests with n slots.
constexpr unsigned runs_of(unsigned n) { return n > 10 ? 150 : kM > 10 ? 300 : n > 8 ? 1000 : 3000; }

TEST_F(Order, ReferenceIsByDefinition) {
  for (unsigned n = 1; n <= 8; ++n) {
    for (unsigned i = 0; i < (n < 8 ? 200 : 10); ++i) {
      const ClusterCosts costs = random_costs(i % kKinds);
      EXPECT_EQ(cluster_order(n, costs), by_permutations(n, costs)) << "n = " << n << ", matrix " << i;
    }
  }
}

TEST_F(Order, Cycles) {
  load(kM, random_costs(0));
  const unsigned cycles[] = {9, 12, 24, 40, 64, 104, 176, 312, 576, 1096, 2128, 4184};
  for (unsigned n = 1; n <= kM; ++n) {
    start(n);
    EXPECT_EQ(wait(), cycles[n - 1]) << "n = " << n;
    EXPECT_EQ(cluster_cycles(n), cycles[n - 1]);
  }
}

TEST_F(Order, ResetValues) {
  expect_zero();
  load(kM, random_costs(0));
  start(kM);
  for (unsigned i = 0; i < 20; ++i) tick();
  reset();
  expect_zero();
}

TEST_F(Order, EqualCostsGiveDescendingSlots) {
  for (const std::uint32_t cost : {0U, 1U, kMaxCost}) {
    ClusterCosts costs;
    costs.head.fill(cost);
    for (auto& row : costs.between) row.fill(cost);
    load(kM, costs);
    for (unsigned n = 1; n <= kM; ++n) {
      ClusterOrder expected;
      for (unsigned slot = n; slot-- > 0;) expected.order.push_back(slot);
      expected.total = n * cost;
      expected.cycles = cluster_cycles(n);
      EXPECT_EQ(run(n), expected);
    }
  }
}

TEST_F(Order, RandomMatrices) {
  // What the unused slots hold is arbitrary: at first nothing was written there, then all that other runs left.
  for (unsigned n = 1; n <= kM; ++n) expect_random(n, runs_of(n));
}

TEST_F(Order, RandomCounts) {
  load(kM, random_costs(0));
  for (unsigned i = 0; i < (kM > 10 ? 100 : 500); ++i) expect_random(1 + below(kM), 1);
}

TEST_F(Order, BackToBack) {
  // start_i in the first cycle in which busy_o is low; the costs stay.
  const ClusterCosts costs = random_costs(0);
  load(kM, costs);
  for (unsigned i = 0; i < (kM > 10 ? 60 : 300); ++i) {
    const unsigned n = 1 + below(kM);
    EXPECT_EQ(run(n), cluster_order(n, costs)) << "run " << i << ", n = " << n;
  }
}

TEST_F(Order, LastCostIsWrittenWithTheStart) {
  for (unsigned i = 0; i < (kM > 10 ? 40 : 200); ++i) {
    ClusterCosts costs = random_costs(i % 2);
    const unsigned n = 2 + below(kM - 1);
    load(n, costs);
    const unsigned to = below(n);
    const unsigned from = (to + 1 + below(n - 1)) % n;
    const std::uint32_t cost = below(100);
    if (i % 3 == 0) {
      costs.head[to] = cost;
      put(kM, to, cost);
    } else {
      costs.between[from][to] = cost;
      put(from, to, cost);
    }
    EXPECT_EQ(run(n), cluster_order(n, costs));
  }
}

TEST_F(Order, ResultHolds) {
  const ClusterCosts costs = random_costs(0);
  load(kM, costs);
  for (unsigned n = 1; n <= kM; ++n) {
    const ClusterOrder expected = cluster_order(n, costs);
    EXPECT_EQ(run(n), expected);
    for (unsigned i = 0; i < 30; ++i) tick();
    EXPECT_EQ(result(n, expected.cycles), expected);
    load(kM, random_costs(0));  // the next costs do not disturb it
    EXPECT_EQ(result(n, expected.cycles), expected);
    load(kM, costs);
  }
}

TEST_F(Order, ClearInEveryCycle) {
  for (unsigned n = 1; n <= kM; ++n) {
    const unsigned step = n < 7 ? 1 : n == 7 ? 3 : n < 10 ? 17 : 331;
    for (unsigned after = 0; after <= cluster_cycles(n) && !HasFailure(); after += step) {
      const ClusterCosts costs = random_costs(0);
      load(n, costs);
      const ClusterOrder expected = cluster_order(n, costs);
      start(n);
      for (unsigned i = 0; i < after; ++i) tick();
      top_->clear_i = 1;
      top_->eval();
      tick();
      top_->clear_i = 0;
      top_->eval();
      expect_zero();
      // At once with the same costs, and later with those of other slots; nothing of the run is left.
      if (after % 2 == 0) {
        EXPECT_EQ(run(n), expected) << "n = " << n << ", cleared after " << after;
      } else {
        const unsigned other = 1 + below(std::min(kM, 8U));
        const ClusterCosts next = random_costs(1);
        load(other, next);
        expect_zero();
        EXPECT_EQ(run(other), cluster_order(other, next)) << "n = " << n << ", cleared after " << after;
      }
    }
  }
}

TEST_F(Order, ClearWinsOverStart) {
  const ClusterCosts costs = random_costs(0);
  load(kM, costs);
  top_->clear_i = 1;
  start(kM);
  top_->clear_i = 0;
  top_->eval();
  for (unsigned i = 0; i < 20; ++i) {
    expect_zero();
    tick();
  }
  EXPECT_EQ(run(kM), cluster_order(kM, costs));
}

}  // namespace
}  // namespace platter::testing
