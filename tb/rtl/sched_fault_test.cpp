// SPDX-License-Identifier: Apache-2.0
//
// A test of the tests: linked with the design that has a seeded fault, the bench must find it.
#include <gtest/gtest.h>

#include "sched_bench.h"

namespace platter::testing {
namespace {

TEST(SchedFault, TheBenchFindsTheSeededFault) {
  SchedBench bench{1};
  bench.run_random(200);
  EXPECT_FALSE(bench.differences().empty());
}

}  // namespace
}  // namespace platter::testing
