// SPDX-License-Identifier: Apache-2.0
#include "platter/mechanics/seek_curve.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "platter/system/drives.h"

namespace platter::mechanics {
namespace {

using profile::DriveProfile;
using profile::SeekModel;
using profile::SeekProfile;

constexpr Picoseconds kUs = core::kPicosecondsPerMicrosecond;

TEST(SeekCurve, ReproducesEveryMeasuredPoint) {
  for (const char* name : {"atlas10k", "cheetah9lp"}) {
    const DriveProfile drive = system::load_drive(name);
    const SeekCurve curve(drive.seek, drive.geometry.cylinders);
    ASSERT_GT(drive.seek.points_us.size(), 50u);
    for (const auto& [distance, us] : drive.seek.points_us)
      EXPECT_EQ(curve(distance), std::llround(us * 1e6)) << name << " " << distance;
    EXPECT_EQ(curve(0), 0);
    EXPECT_EQ(curve.cylinders(), drive.geometry.cylinders);
  }
}

TEST(SeekCurve, IsLinearBetweenMeasuredPointsAndBeyondTheLast) {
  SeekProfile profile;
  profile.points_us = {{2, 1000.0}, {4, 1400.0}, {14, 1300.0}, {24, 1800.0}};
  const SeekCurve curve(profile, 100);
  EXPECT_EQ(curve(0), 0);
  EXPECT_EQ(curve(1), 1000 * kUs);  // shorter than the first point
  EXPECT_EQ(curve(3), 1200 * kUs);
  EXPECT_EQ(curve(9), 1350 * kUs);  // measured curves may fall
  EXPECT_EQ(curve(19), 1550 * kUs);
  EXPECT_EQ(curve(34), 2300 * kUs);  // the last slope, 50 us a cylinder, goes on
  EXPECT_EQ(curve(99), (1800 + 75 * 50) * kUs);
}

TEST(SeekCurve, RoundsToTheNearestNanosecond) {
  SeekProfile profile;
  profile.points_us = {{1, 1000.0}, {4, 1001.0}};
  const SeekCurve curve(profile, 5);
  EXPECT_EQ(curve(2), 1'000'333'000);
  EXPECT_EQ(curve(3), 1'000'667'000);
}

TEST(SeekCurve, FollowsEquation1OfBalafoutis) {
  const DriveProfile drive = system::load_drive("balafoutis_table1");
  const SeekCurve curve(drive.seek, drive.geometry.cylinders);
  // 1867 + 131.5 sqrt(d) us up to 1344 cylinders, 3863.5 + 2.1 d beyond.
  EXPECT_EQ(curve(1), 1'998'500'000);
  EXPECT_EQ(curve(4), 2'130'000'000);
  EXPECT_EQ(curve(100), 3'182'000'000);
  EXPECT_EQ(curve(1296), 6'601'000'000);
  EXPECT_EQ(curve(1344), 6'687'870'000);  // 1867 + 131.5 * 36.660606 = 6687.8696
  EXPECT_EQ(curve(1345), 6'688'000'000);
  EXPECT_EQ(curve(6719), 17'973'400'000);
}

TEST(SeekCurve, PassesThroughTheThreePoints) {
  SeekProfile profile;
  profile.model = SeekModel::ThreePoint;
  profile.single_us = 1700;
  profile.average_us = 11000;
  profile.full_us = 22500;
  const SeekCurve curve(profile, 3001);  // a third of the stroke is 1000 cylinders
  EXPECT_EQ(curve(1), 1700 * kUs);
  EXPECT_EQ(curve(1000), 11000 * kUs);
  EXPECT_EQ(curve(3000), 22500 * kUs);
  // Between them a + b sqrt(x) + c x with x = d - 1 (Lee and Katz 1991), a square in sqrt(x): its third differences are 0.
  const auto at = [&curve](double root) { return core::to_milliseconds(curve(static_cast<std::uint32_t>(root * root) + 1)); };
  EXPECT_NEAR(at(40) - 3 * at(30) + 3 * at(20) - at(10), 0.0, 1e-5);
}

TEST(SeekCurve, ThreePointsThatContradictEachOtherAreRefused) {
  // What is accepted rises everywhere, and of what is refused the formula falls somewhere.
  for (const std::uint32_t cylinders : {5u, 6u, 100u, 3001u})
    for (const double single : {0.5, 1700.0, 9000.0})
      for (int average = 500; average <= 24'000; average += 500) {
        SeekProfile profile;
        profile.model = SeekModel::ThreePoint;
        profile.single_us = single;
        profile.average_us = average;
        profile.full_us = 22'000;
        const double x1 = (cylinders - 1) / 3.0 - 1;
        const double x2 = cylinders - 2.0;
        // a + b r + c r^2 in r = sqrt(x) through the three points, by divided differences.
        const double c =
            ((22'000 - average) / (std::sqrt(x2) - std::sqrt(x1)) - (average - single) / std::sqrt(x1)) / std::sqrt(x2);
        const double b = (average - single) / std::sqrt(x1) - c * std::sqrt(x1);
        const bool rises = b >= 0 && b + 2 * c * std::sqrt(x2) >= 0;
        EXPECT_EQ(SeekCurve::objection(profile, cylinders).empty(), rises) << cylinders << ' ' << single << ' ' << average;
        if (!rises) {
          EXPECT_THROW(SeekCurve(profile, cylinders), std::invalid_argument);
          continue;
        }
        const SeekCurve curve(profile, cylinders);
        for (std::uint32_t distance = 2; distance < cylinders; ++distance) ASSERT_LE(curve(distance - 1), curve(distance));
      }
}

TEST(SeekCurve, MeasuredDistancesGoBeforeAFormula) {
  SeekProfile profile;
  profile.model = SeekModel::SqrtLinear;
  profile.knee_cylinders = 50;
  profile.a_us = 1000;
  profile.b_us = 100;
  profile.c_us = 1500;
  profile.d_us = 10;
  profile.points_us = {{4, 777.0}, {60, 888.0}};
  const SeekCurve curve(profile, 100);
  EXPECT_EQ(curve(3), std::llround((1000 + 100 * std::sqrt(3.0)) * 1e3) * 1000);
  EXPECT_EQ(curve(4), 777 * kUs);
  EXPECT_EQ(curve(25), 1500 * kUs);
  EXPECT_EQ(curve(60), 888 * kUs);
  EXPECT_EQ(curve(61), 2110 * kUs);
}

TEST(SeekCurve, DistanceZeroIsTheTimeToSettleOnTheTrack) {
  SeekProfile profile;
  profile.points_us = {{1, 1000.0}, {4, 1400.0}};
  EXPECT_EQ(SeekCurve(profile, 5)(0), 0);
  EXPECT_EQ(SeekCurve(profile, 5, 123.5)(0), 123'500'000);
}

TEST(SeekCurve, RefusesProfilesThatGiveNoCurve) {
  const auto expect_error = [](const SeekProfile& profile, const std::string& part, std::uint32_t cylinders = 100) {
    try {
      const SeekCurve curve(profile, cylinders);
      ADD_FAILURE() << "no error; expected: " << part;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  SeekProfile table;
  expect_error(table, "at least two points");
  table.points_us = {{1, 1000.0}};
  expect_error(table, "at least two points");
  table.points_us = {{0, 0.0}, {2, 1000.0}};
  expect_error(table, "point 0 is at 0");
  table.points_us = {{1, 1000.0}, {3, 1200.0}, {3, 1300.0}};
  expect_error(table, "point 2 is at 3");
  table.points_us = {{1, 1000.0}, {50, 10.0}};  // falls below zero before the stroke's end
  expect_error(table, "expected 0 to 4,000,000");
  table.points_us = {{1, 1000.0}, {2, 4.1e6}};
  expect_error(table, "for 2 cylinders");
  table.points_us = {{1, 1000.0}, {2, std::nan("")}};
  expect_error(table, "nan");
  SeekProfile line;
  line.model = SeekModel::SqrtLinear;
  line.knee_cylinders = 50;
  line.a_us = -10;
  expect_error(line, "for 1 cylinders");
  line.model = SeekModel::ThreePoint;
  expect_error(line, "found 4 cylinders, expected 5 or more", 4);
}

}  // namespace
}  // namespace platter::mechanics
