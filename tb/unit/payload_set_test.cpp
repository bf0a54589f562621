// SPDX-License-Identifier: Apache-2.0
#include "platter/command/tlm/payload_set.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <set>

namespace platter::command {
namespace {

TEST(PayloadSet, HoldsAddressesAsAStandardSetDoes) {
  std::mt19937_64 random(5);
  for (const std::uint64_t stride : {8u, 64u, 4096u, 1u << 20}) {
    PayloadSet set;
    std::set<std::uint64_t> expected;
    set.erase(reinterpret_cast<const void*>(stride));
    for (int i = 0; i < 20'000; ++i) {
      const std::uint64_t address = (1 + random() % 300) * stride;
      const void* payload = reinterpret_cast<const void*>(address);
      if (random() % 2 == 0) {
        ASSERT_EQ(set.insert(payload), expected.insert(address).second);
      } else {
        set.erase(payload);
        expected.erase(address);
      }
      ASSERT_EQ(set.size(), expected.size());
    }
    for (std::uint64_t k = 1; k <= 300; ++k)
      ASSERT_EQ(set.insert(reinterpret_cast<const void*>(k * stride)), expected.insert(k * stride).second);
  }
}

}  // namespace
}  // namespace platter::command
