// SPDX-License-Identifier: Apache-2.0
#include "platter/mechanics/access_costs.h"

#include <gtest/gtest.h>

#include "drives.h"
#include "platter/core/random.h"

namespace platter::mechanics {
namespace {

using core::Lba;
using core::RandomStream;
using profile::DriveProfile;

std::vector<Extent> random_requests(const AccessPlanner& planner, std::size_t count, double writes) {
  RandomStream random(1, "access_costs_test");
  std::vector<Extent> requests;
  while (requests.size() < count) {
    const auto blocks = static_cast<std::uint32_t>(1 + random.below(6));
    const Lba first(random.below(planner.geometry().block_count() - blocks));
    requests.push_back(planner.resolve(first, blocks, random.uniform() < writes));
  }
  return requests;
}

/// When the next access may begin. A zero-latency access may hold the bus beyond the end that AccessCosts means.
Picoseconds end_of_media(const AccessPlanner& planner, const Extent& extent, const AccessTime& time) {
  return time.positioning() + (planner.least_wait_replaced(extent) > 0 ? time.media : time.transfer);
}

struct Longest {
  Picoseconds saved = 0;  ///< most by which an access took longer than its cost
  bool equal = false;     ///< some access took no longer
};

/// Runs accesses in a random order with random pauses. None may take less time than its cost.
Longest run_random(const DriveProfile& profile, double writes, bool pauses) {
  const AccessPlanner planner(profile);
  const std::vector<Extent> requests = random_requests(planner, 40, writes);
  const AccessCosts costs(planner, requests);
  RandomStream random(2, "access_costs_test");
  Longest longest;
  HeadState head;
  const Extent* from = nullptr;
  Picoseconds end = 0;
  Picoseconds free = 0;
  for (int i = 0; i < 4000; ++i) {
    const Extent& to = requests[random.below(requests.size())];
    const Picoseconds now = free + (pauses ? static_cast<Picoseconds>(random.below(2'000'000'000)) : 0);
    if (writes > 0 && pauses) head.last_was_write = random.uniform() < 0.5;
    const AccessTime time = planner.commit(head, to, now);
    const Picoseconds cost = from != nullptr ? costs.onward(*from, to) : costs.first(to);
    const Picoseconds took = now + end_of_media(planner, to, time) - end;
    EXPECT_GE(took, cost);
    longest.saved = std::max(longest.saved, took - cost);
    longest.equal = longest.equal || took == cost;
    end += took;
    free = now + time.total();
    const Picoseconds response = time.positioning() + std::max(time.media, to.write ? 0 : time.bus_finish);  // or later
    EXPECT_LE(end - costs.lead(to), now + response);
    from = &to;
  }
  return longest;
}

TEST(AccessCosts, OfReadsThatFollowAtOnceAreTheirTimes) {
  const Longest longest = run_random(testing::small_drive(), 0, false);
  EXPECT_EQ(longest.saved, 0);
}

TEST(AccessCosts, NoAccessTakesLess) {
  for (const bool overlap : {false, true}) {
    DriveProfile drive = testing::small_drive();
    drive.bus_overlap = overlap;
    EXPECT_TRUE(run_random(drive, 0.4, true).equal);
    drive.zero_latency_read = drive.zero_latency_write = true;
    EXPECT_TRUE(run_random(drive, 0.4, false).equal);
    EXPECT_TRUE(run_random(drive, 0.4, true).equal);
    drive.overhead_overlap = true;
    run_random(drive, 0.4, true);
  }
}

TEST(AccessCosts, ASpreadIsRefused) {
  DriveProfile drive = testing::small_drive();
  drive.arrival_spread_us = {{0, 50.0}};
  const AccessPlanner planner(drive);
  EXPECT_THROW(AccessCosts(planner, {}), std::invalid_argument);
}

}  // namespace
}  // namespace platter::mechanics
