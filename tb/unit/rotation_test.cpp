// SPDX-License-Identifier: Apache-2.0
#include "platter/mechanics/rotation.h"

#include <gtest/gtest.h>

#include <random>

namespace platter::mechanics {
namespace {

TEST(Rotation, TakesItsPeriodFromTheSpeed) {
  EXPECT_EQ(Rotation::from_rpm(10000).period(), 6'000'000'000);
  EXPECT_EQ(Rotation::from_rpm(7200).period(), 8'333'333'333);
  EXPECT_EQ(Rotation::from_rpm(10025).period(), 5'985'037'406);  // 5985037406.48
}

TEST(Rotation, AngleZeroPassesAtTimeZeroAndOnceATurn) {
  const Rotation rotation(6'000'000'000);
  EXPECT_EQ(rotation.angle_at(0), 0u);
  EXPECT_EQ(rotation.angle_at(1'500'000'000), 0x4000'0000u);
  EXPECT_EQ(rotation.angle_at(6'000'000'000), 0u);
  EXPECT_EQ(rotation.angle_at(6'000'000'000 * 1000 + 3'000'000'000), 0x8000'0000u);
  EXPECT_EQ(rotation.phase_of(0), 0);
  EXPECT_EQ(rotation.phase_of(0xC000'0000u), 4'500'000'000);
}

// Periods shorter and longer than 2^32 ps, the range where one picosecond is more or less than one unit of angle.
const Picoseconds kPeriods[] = {4'000'000'000, 4'294'967'295, 4'294'967'296, 5'985'037'406, 11'100'000'000, 600'000'000};

TEST(Rotation, PhaseOfIsTheFirstPicosecondAtWhichTheAngleIsReached) {
  std::mt19937_64 random(3);
  for (const Picoseconds period : kPeriods) {
    const Rotation rotation(period);
    for (int i = 0; i < 20'000; ++i) {
      const auto angle = i < 50 ? static_cast<Angle>(0) - static_cast<Angle>(i) : static_cast<Angle>(random());
      const Picoseconds phase = rotation.phase_of(angle);
      ASSERT_GE(phase, 0);
      ASSERT_LT(phase, period) << angle;
      if (phase == 0) {  // reached at angle 0 itself, or only when the turn is over
        ASSERT_TRUE(angle == 0 || rotation.angle_at(period - 1) < angle) << angle;
      } else {
        ASSERT_GE(rotation.angle_at(phase), angle);
        ASSERT_LT(rotation.angle_at(phase - 1), angle);
      }
    }
  }
}

TEST(Rotation, WaitIsTheTimeUntilThePhaseComesRoundNext) {
  const Rotation rotation(10);
  for (Picoseconds from = 0; from < 10; ++from)
    for (Picoseconds to = 0; to < 10; ++to) {
      Picoseconds steps = 0;
      while ((from + steps) % 10 != to) ++steps;
      EXPECT_EQ(rotation.wait(from, to), steps);
    }
}

TEST(Rotation, NoAngleIsAWholeTurnAway) {
  for (const Picoseconds period : kPeriods) {
    const Rotation rotation(period);
    for (Angle before = 0; before < 1000; ++before) {
      const Picoseconds wait = rotation.wait(0, rotation.phase_of(Angle{0} - before));
      EXPECT_GE(wait, 0);
      EXPECT_LT(wait, period) << period << " " << before;
    }
  }
}

}  // namespace
}  // namespace platter::mechanics
