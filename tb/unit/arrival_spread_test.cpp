// SPDX-License-Identifier: Apache-2.0
#include "platter/mechanics/arrival_spread.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "drives.h"
#include "platter/mechanics/access_planner.h"

namespace platter::mechanics {
namespace {

using profile::DriveProfile;

constexpr Picoseconds kMicrosecond = core::kPicosecondsPerMicrosecond;
constexpr double kSpread_us = 200;

/// A share of `count` samples may differ this far from its probability.
double four_errors(double probability, double count) { return 4 * std::sqrt(probability * (1 - probability) / count); }

DriveProfile spread_drive(double deviation_us = kSpread_us) {
  DriveProfile profile = testing::small_drive();
  profile.arrival_spread_us = {{0, deviation_us}};
  return profile;
}

TEST(Normal, ExponentialAndTailAreThoseOfTheLibrary) {
  for (double x = -30; x <= 30; x += 0.37) EXPECT_NEAR(core::portable_exp(x) / std::exp(x), 1, 1e-14) << x;
  for (double z = -5; z <= 5; z += 0.01) EXPECT_NEAR(core::normal_tail(z), 0.5 * std::erfc(z / std::sqrt(2.0)), 1e-15) << z;
}

TEST(ArrivalSpread, DeviationIsOnLinesBetweenThePointsAndAtMostAQuarterOfTheTime) {
  DriveProfile profile = testing::small_drive();
  profile.arrival_spread_us = {{1, 100}, {11, 200}, {15, 120}};
  profile.arrival_spread_write_us = {{0, 50}};
  const ArrivalSpread spread(profile, kGuardQuantile);
  const Picoseconds far = 1000 * kMicrosecond;
  const auto of = [&](std::uint32_t distance) { return spread.deviation(distance, false, far) / kMicrosecond; };
  EXPECT_EQ(of(0), 100);
  EXPECT_EQ(of(1), 100);
  EXPECT_EQ(of(6), 150);
  EXPECT_EQ(of(11), 200);
  EXPECT_EQ(of(13), 160);
  EXPECT_EQ(of(19), 120);
  EXPECT_EQ(spread.deviation(7, true, far), 50 * kMicrosecond);
  EXPECT_EQ(spread.deviation(11, false, 400 * kMicrosecond), 100 * kMicrosecond);
  EXPECT_EQ(spread.deviation(11, false, 0), 0);
  EXPECT_EQ(spread.largest(), 200 * kMicrosecond);
}

TEST(ArrivalSpread, PointsThatGiveNoneAreRefused) {
  EXPECT_EQ(ArrivalSpread::objection({{0, 0}, {5, 100}}), "");
  EXPECT_NE(ArrivalSpread::objection({{5, 100}, {5, 100}}).find("ascending"), std::string::npos);
  EXPECT_NE(ArrivalSpread::objection({{0, -1}}).find("found a deviation of -1 us"), std::string::npos);
  EXPECT_NE(ArrivalSpread::objection({{0, std::nan("")}}), "");
  EXPECT_THROW(AccessPlanner(spread_drive(-1)), std::invalid_argument);
  EXPECT_THROW(AccessPlanner(spread_drive(), 1.5), std::invalid_argument);
}

TEST(ArrivalSpread, DrawsAreNormalAndCut) {
  ArrivalDraws draws(1, "test");
  constexpr int kDraws = 200'000;
  const Picoseconds deviation = 200 * kMicrosecond;
  double sum = 0;
  double squares = 0;
  int late = 0;
  for (int i = 0; i < kDraws; ++i) {
    const Picoseconds next = draws.next(deviation);
    ASSERT_LE(std::abs(next), ArrivalSpread::kCut * deviation);
    const double z = static_cast<double>(next) / static_cast<double>(deviation);
    sum += z;
    squares += z * z;
    late += z > 1;
  }
  EXPECT_NEAR(sum / kDraws, 0, 4 / std::sqrt(kDraws));
  EXPECT_NEAR(squares / kDraws, 1, 4 * std::sqrt(2.0 / kDraws) + 0.002);  // cut at four deviations: 0.9990
  const double beyond = ArrivalSpread::beyond(1, 1);
  EXPECT_NEAR(beyond, 0.1586, 1e-4);
  EXPECT_NEAR(static_cast<double>(late) / kDraws, beyond, four_errors(beyond, kDraws));
}

TEST(ArrivalSpread, SharesBeyondAreThoseOfTheDistribution) {
  const Picoseconds deviation = 123 * kMicrosecond;
  const Picoseconds period = 6000 * kMicrosecond;
  for (Picoseconds late = 0; late < 5 * deviation; late += kMicrosecond) {
    const double exact = ArrivalSpread::beyond(static_cast<double>(late), static_cast<double>(deviation));
    EXPECT_NEAR(static_cast<double>(ArrivalSpread::share_beyond(late, deviation, period)) / static_cast<double>(period), exact,
                3e-6);
  }
}

TEST(ArrivalSpread, TheGuardsQuantileLeavesItsProbability) {
  for (const double quantile : {0.6, 0.9, 0.99, 0.999, kGuardQuantile, 1.0}) {
    const ArrivalSpread spread(spread_drive(), quantile);
    const Picoseconds deviation = 200 * kMicrosecond;
    const double left = ArrivalSpread::beyond(static_cast<double>(spread.guarded(deviation)), static_cast<double>(deviation));
    EXPECT_LE(left, 1 - quantile);
    EXPECT_GE(left, (1 - quantile) * 0.999 - 1e-8);
  }
  EXPECT_EQ(ArrivalSpread(spread_drive(), 0.3).guarded(200 * kMicrosecond), 0);  // never earlier than the mean
}

/// Random accesses of a drive.
class Accesses {
 public:
  explicit Accesses(const AccessPlanner& planner) : planner_(planner) {}
  Extent extent() {
    const std::uint64_t capacity = planner_.geometry().block_count();
    const std::uint32_t blocks = 1 + static_cast<std::uint32_t>(random_() % 4);
    return planner_.resolve(Lba(random_() % (capacity - blocks)), blocks, random_() % 2 == 0);
  }
  Picoseconds now() { return static_cast<Picoseconds>(random_() % 1'000'000'000'000u); }

 private:
  const AccessPlanner& planner_;
  std::mt19937_64 random_{7};
};

TEST(SpreadPlanner, AnArrivalMovesAnAccessByWholeTurnsOnly) {
  for (const bool zero_latency : {false, true}) {
    DriveProfile profile = spread_drive();
    profile.same_track_us = 300;
    profile.write_settle_us = -400;
    profile.zero_latency_read = profile.zero_latency_write = zero_latency;
    const AccessPlanner planner(profile);
    const Picoseconds turn = planner.rotation().period();
    Accesses accesses(planner);
    ArrivalDraws draws(1, "test");
    HeadState head;
    int missed = 0;
    int gained = 0;
    for (int i = 0; i < 20'000; ++i) {
      const Extent extent = accesses.extent();
      const Picoseconds now = accesses.now();
      const Picoseconds data_ready = extent.write && i % 3 == 0 ? now + accesses.now() % turn : 0;
      const AccessTime mean = planner.estimate(head, extent, now, data_ready);
      const CommittedAccess access = planner.commit(head, extent, now, data_ready, 0, &draws);
      EXPECT_EQ(access.settle, mean.settle);
      EXPECT_GE(access.overhead, 0);
      EXPECT_GE(access.seek + std::min<Picoseconds>(access.settle, 0), 0);
      const Picoseconds late = access.overhead + access.seek - mean.overhead - mean.seek;
      EXPECT_LE(std::abs(late), ArrivalSpread::kCut * mean.deviation);
      if (late >= 0) {
        EXPECT_EQ(access.overhead, mean.overhead);
      }
      EXPECT_EQ(access.to_first() - mean.to_first(), access.missed * turn);
      EXPECT_EQ(head, AccessPlanner::end_of(extent));
      EXPECT_LE(access.total(), access.to_first() + extent.transfer);  // no later than in order
      if (access.missed > 0) {
        ++missed;
        EXPECT_EQ(access.behind, late - mean.leeway() - (access.missed - 1) * turn);
        EXPECT_GT(access.behind, 0);
      } else {
        EXPECT_EQ(access.behind, 0);
      }
      gained += access.missed < 0;
      if (!zero_latency && access.missed == 0) {
        EXPECT_EQ(access.positioning(), mean.positioning());
        EXPECT_EQ(access.total(), mean.total());
      }
    }
    EXPECT_GT(missed, 100);
    EXPECT_GT(gained, 100);
  }
}

TEST(SpreadPlanner, AnEstimateDrawsNothingAndIsThatOfADriveWithoutSpread) {
  const AccessPlanner without(testing::small_drive());
  const AccessPlanner zero(spread_drive(0));
  const AccessPlanner with(spread_drive());
  EXPECT_FALSE(without.arrival_spread().any());
  EXPECT_FALSE(zero.arrival_spread().any());
  Accesses accesses(without);
  ArrivalDraws draws(1, "test");
  ArrivalDraws untouched(1, "test");
  for (int i = 0; i < 1000; ++i) {
    const Extent extent = accesses.extent();
    const Picoseconds now = accesses.now();
    HeadState head;
    const AccessTime plain = without.estimate(head, extent, now);
    const AccessTime mean = with.estimate(head, extent, now);
    EXPECT_EQ(plain.total(), mean.total());
    EXPECT_EQ(plain.to_first(), mean.to_first());
    EXPECT_EQ(plain.deviation, 0);
    EXPECT_GT(mean.deviation, 0);
    EXPECT_EQ(zero.commit(head, extent, now, 0, 0, &draws).total(), plain.total());
    EXPECT_EQ(without.guarded(plain), plain.to_first());
    EXPECT_EQ(without.expected(plain), plain.positioning());
  }
  EXPECT_EQ(draws.next(kMicrosecond), untouched.next(kMicrosecond));
}

TEST(SpreadPlanner, ExpectedTimeIsTheMeanOverArrivals) {
  DriveProfile profile = spread_drive();
  const AccessPlanner planner(profile);
  const Picoseconds turn = planner.rotation().period();
  const Extent extent = planner.resolve(Lba(200), 3, false);
  ArrivalDraws draws(3, "test");
  constexpr int kDraws = 4000;
  const double few = 4 * static_cast<double>(turn) / kDraws;  // a turn so rare that it need not come
  for (Picoseconds now = 0; now < turn; now += turn / 61) {
    const AccessTime mean = planner.estimate({}, extent, now);
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < kDraws; ++i) {
      HeadState head;
      const auto time = static_cast<double>(planner.commit(head, extent, now, 0, 0, &draws).positioning());
      sum += time;
      squares += time * time;
    }
    const double found = sum / kDraws;
    const double error = std::sqrt(std::max(0.0, squares / kDraws - found * found) / kDraws);
    EXPECT_NEAR(static_cast<double>(planner.expected(mean)), found, 4 * error + few) << now;
    EXPECT_GE(planner.expected(mean), mean.overhead + mean.seek + mean.settle);
  }
}

TEST(SpreadPlanner, AMarginChargesOneTurn) {
  const AccessPlanner planner(spread_drive());
  const Picoseconds turn = planner.rotation().period();
  const Extent extent = planner.resolve(Lba(200), 3, false);
  int charged = 0;
  for (Picoseconds now = 0; now < turn; now += turn / 997) {
    const AccessTime mean = planner.estimate({}, extent, now);
    const bool near = mean.rotation < mean.deviation * 3 / 2;
    EXPECT_EQ(planner.with_margin(mean, 3 * 65'536 / 2), mean.positioning() + (near ? turn : 0));
    EXPECT_EQ(planner.with_margin(mean, 0), mean.positioning());
    charged += near;
  }
  EXPECT_GT(charged, 10);
}

TEST(SpreadPlanner, TheGuardIsExceededWithAtMostItsProbability) {
  for (const double quantile : {0.9, 0.99, 1.0}) {
    const AccessPlanner planner(spread_drive(), quantile);
    Accesses accesses(planner);
    ArrivalDraws draws(5, "test");
    HeadState head;
    constexpr int kAccesses = 50'000;
    int exceeded = 0;
    Extent last = accesses.extent();
    for (int i = 0; i < kAccesses; ++i) {
      const Extent extent = accesses.extent();
      const Picoseconds now = accesses.now();
      const AccessTime mean = planner.estimate(head, extent, now);
      EXPECT_GE(planner.guarded(mean), mean.to_first());
      EXPECT_GE(planner.most_onward(last, extent, 0), planner.onward(last, extent, 0));
      exceeded += planner.commit(head, extent, now, 0, 0, &draws).to_first() > planner.guarded(mean);
      last = extent;
    }
    EXPECT_LE(exceeded, kAccesses * (1 - quantile + four_errors(1 - quantile, kAccesses))) << quantile;
  }
}

/// Lateness of more than a turn: the access waits as many turns.
TEST(SpreadPlanner, ALateHeadMayMissSeveralTurns) {
  DriveProfile profile = spread_drive(3000);
  profile.seek.points_us = {{1, 20'000}, {19, 20'000}};
  const AccessPlanner planner(profile, 1);
  const Picoseconds turn = planner.rotation().period();
  Accesses accesses(planner);
  ArrivalDraws draws(1, "test");
  HeadState head;
  int several = 0;
  for (int i = 0; i < 5000; ++i) {
    const Extent extent = accesses.extent();
    const Picoseconds now = accesses.now();
    const AccessTime mean = planner.estimate(head, extent, now);
    const CommittedAccess access = planner.commit(head, extent, now, 0, 0, &draws);
    EXPECT_EQ(access.to_first() - mean.to_first(), access.missed * turn);
    EXPECT_LE(access.to_first(), planner.guarded(mean));
    several += access.missed > 1;
    if (access.missed > 0) {
      EXPECT_GT(access.behind, 0);
      EXPECT_LE(access.behind, turn);
    }
  }
  EXPECT_GT(several, 10);
}

}  // namespace
}  // namespace platter::mechanics
