// SPDX-License-Identifier: Apache-2.0
//
// Cycles of BUSY of each kind of work, counted at the pin of the Verilated design, beside what the formulas of
// docs/reference/scheduler_accelerator.md and cluster_order.md say. Prints lines of CSV; fails if one differs.
#include <cstdio>
#include <string>

#include "sched_bench.h"

namespace platter::testing {
namespace {

namespace reg = accelerator::reg;

constexpr std::uint32_t kGuard = 1, kTakeC = 1U << 9, kTakeD = 1U << 10, kOrder = 1U << 13;
constexpr std::uint32_t kSoftReset = 0x100;

class Measurement {
 public:
  int run() {
    std::printf("entries,lanes,order_m,work,n,c,cycles,formula\n");
    decisions();
    table();
    clusters();
    for (const auto& difference : bench_.differences()) std::fprintf(stderr, "%s\n", difference.c_str());
    return good_ && bench_.differences().empty() ? 0 : 1;
  }

 private:
  unsigned pass() const { return bench_.duration(); }
  unsigned entries() const { return bench_.parameters().entries; }

  unsigned insert(unsigned tag, unsigned cylinder, bool continuous) {
    bench_.write(reg::kEPos, cylinder | std::uint32_t{continuous} << 28);
    bench_.write(reg::kEAngle, 7 * tag);
    bench_.write(reg::kEEndPos, cylinder);
    bench_.write(reg::kEEndAngle, 7 * tag + 5);
    bench_.write(reg::kETransfer, 5);
    bench_.write(reg::kEDeadline, 1000000);
    return bench_.work(reg::kInsert, tag);
  }

  void report(const char* work, unsigned n, unsigned c, unsigned cycles, unsigned formula) {
    const auto& p = bench_.parameters();
    std::printf("%u,%u,%u,%s,%u,%u,%u,%u\n", p.entries, p.lanes, p.order_m, work, n, c, cycles, formula);
    if (cycles != formula) good_ = false;
  }

  /// Over a full table, a quarter of it continuous.
  void decisions() {
    const unsigned n = entries(), c = n / 4;
    for (unsigned tag = 0; tag < n; ++tag) insert(tag, 3 * tag + 1, tag % 4 == 1);
    report("decide", n, c, bench_.decide(), pass());
    bench_.write(reg::kCtrl, kGuard);
    const unsigned sums = n + (c > 2 ? c - 2 : 0) + 13;
    report("decide; guard; sums stale", n, c, bench_.decide(), 2 * (pass() + 2) + sums);
    report("decide; guard", n, c, bench_.decide(), pass());
    bench_.work(reg::kServe, 0);
    insert(0, 1, false);
    report("decide; guard; debts stale", n, c, bench_.decide(), 2 * (pass() + 2));
  }

  /// At both ends of the list, in a table that is full but for one entry.
  void table() {
    const unsigned n = entries();
    report("serve", n, n / 4, bench_.work(reg::kServe, n - 1), n + 1);
    report("insert last", n - 1, n / 4, insert(n - 1, 3 * n + 1, false), 2);
    bench_.work(reg::kRemove, n - 1);
    report("insert first", n - 1, n / 4, insert(n - 1, 0, false), n - 1 + 2);
  }

  void clusters() {
    for (unsigned c = 1; c <= bench_.parameters().order_m; ++c) {
      bench_.write(reg::kClear, kSoftReset);
      for (unsigned tag = 0; tag < c; ++tag) insert(tag, 3 * tag + 1, false);
      bench_.write(reg::kClusterSpan, 0xFFFFFFFF);
      if (c == 1) {
        bench_.write(reg::kCluster, kTakeC | kTakeD);
        report("cluster", c, c, bench_.cluster(), c + 2);
      }
      bench_.write(reg::kCluster, kTakeC | kTakeD | kOrder);
      const unsigned order = c > 1 ? (1U << c) + 8 * c - 8 : 9;
      report("cluster; ordered", c, c, bench_.cluster(), c + 2 + c * c + 13 + order);
    }
  }

  SchedBench bench_{1};
  bool good_ = true;
};

}  // namespace
}  // namespace platter::testing

int main() { return platter::testing::Measurement().run(); }
