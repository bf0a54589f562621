// SPDX-License-Identifier: Apache-2.0
// From a data sheet to a drive: units, curve, tracks, and the whole profile.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "platter/core/error.h"
#include "platter/mechanics/access_planner.h"
#include "platter/mechanics/seek_curve.h"
#include "platter/sheet/make_drive.h"
#include "platter/sheet/quantity.h"
#include "platter/sheet/seek_fit.h"
#include "platter/sheet/sheet.h"
#include "platter/sheet/track_plan.h"

namespace platter::sheet {
namespace {

double read(const std::string& text, Measure measure) {
  double value = -1;
  EXPECT_EQ(read_quantity(text, measure, value), "") << text;
  return value;
}
std::string objection(const std::string& text, Measure measure) {
  double value = 0;
  return read_quantity(text, measure, value);
}

TEST(Quantity, ReadsUnits) {
  EXPECT_EQ(read("22TB", Measure::Size), 22e12);
  EXPECT_EQ(read("512 MiB", Measure::Size), 512.0 * 1024 * 1024);
  EXPECT_EQ(read("291MB/s", Measure::Rate), 291e6);
  EXPECT_EQ(read("291", Measure::Rate), 291e6);
  EXPECT_EQ(read("0.5", Measure::Time), 500);
  EXPECT_EQ(read("230us", Measure::Time), 230);
  EXPECT_EQ(read("3/29", Measure::Turns), 3.0 / 29);
  EXPECT_EQ(read("7200 rpm", Measure::Speed), 7200);
  EXPECT_EQ(read(" 20 ", Measure::Count), 20);
}

TEST(Quantity, RefusesWhatItDoesNotKnow) {
  EXPECT_NE(objection("22TBit", Measure::Size).find("found the unit \"TBit\", expected one of B, kB"), std::string::npos);
  EXPECT_NE(objection("22", Measure::Size).find("a number with a unit"), std::string::npos);
  EXPECT_NE(objection("291Mb/s", Measure::Rate).find("unit"), std::string::npos);
  EXPECT_NE(objection("fast", Measure::Rate).find("expected a number [MB/s]"), std::string::npos);
  EXPECT_NE(objection("2.5", Measure::Count).find("a whole number"), std::string::npos);
  EXPECT_NE(objection("3/0", Measure::Turns).find("fraction"), std::string::npos);
  EXPECT_NE(objection("20 heads", Measure::Count), "");
  EXPECT_NE(objection("inf", Measure::Time), "");
  EXPECT_NE(objection("", Measure::Time), "");
}

// 22 TB: 560,000 cylinders, 0.23, 7.4, 14.3 ms.
TEST(SeekFit, GivesTheWorkedExample) {
  constexpr std::uint32_t kCylinders = 560'000;
  const SeekFit fit = fit_seek({230, 7400, 14'300}, kCylinders);
  EXPECT_NEAR(mean_seek_us(fit.points, kCylinders), 7400, 0.1);
  const std::pair<std::uint32_t, double> known[] = {{1, 230},       {10, 620},       {100, 1070},      {1000, 1740},
                                                    {10'000, 2760}, {186'666, 7720}, {559'999, 14'300}};
  for (const auto& [distance, us] : known) EXPECT_NEAR(seek_us(fit.points, distance), us, 5.1) << distance;
  EXPECT_GT(fit.delta_us, 0);
}

TEST(SeekFit, AverageIsThatOfTheManualsForEveryCurve) {
  for (const std::uint32_t cylinders : {1200u, 7000u, 147'620u})
    for (const double average : {3.2, 4.0, 5.5, 6.5}) {
      const SeekNumbers numbers{300, average * 1e3, 8000};
      ASSERT_EQ(seek_objection(numbers, cylinders), "") << average;
      const SeekFit fit = fit_seek(numbers, cylinders);
      EXPECT_NEAR(mean_seek_us(fit.points, cylinders), average * 1e3, 0.1);
      EXPECT_NEAR(fit.points.back().second, 8000, 8000.0 / cylinders);  // less one cylinder
      double sum = 0;                                                   // by the definition, one distance after the other
      const double last = cylinders - 1;
      for (std::uint32_t n = 1; n < cylinders; ++n) sum += (last + 1 - n) * 2 * seek_us(fit.points, n);
      EXPECT_NEAR(sum / ((last + 1) * last), mean_seek_us(fit.points, cylinders), 1e-6);
      for (std::size_t i = 1; i < fit.points.size(); ++i) EXPECT_GE(fit.points[i].second, fit.points[i - 1].second);
    }
}

TEST(SeekFit, TheSettlingIsNeverNegative) {
  const SeekFit fit = fit_seek({300, 3200, 8000}, 50'000);
  EXPECT_EQ(fit.delta_us, 0);
  EXPECT_LT(fit.knee, kKneeShare * 49'999);
}

TEST(SeekFit, RefusesAveragesThatNoArmHas) {
  EXPECT_NE(seek_objection({300, 8000, 7000}, 50'000), "");
  EXPECT_NE(seek_objection({300, 200, 7000}, 50'000), "");
  EXPECT_NE(seek_objection({300, 2500, 8000}, 50'000).find("no arm"), std::string::npos);  // below single + (full - single) / 3
  EXPECT_NE(seek_objection({300, 7999, 8000}, 50'000).find("no arm"), std::string::npos);
}

TEST(TrackPlan, MeanIsThatOfTheRule) {
  const TrackNumbers numbers{5068, 2382, 50, 1, std::vector<double>(20, 1.0)};
  const std::vector<std::uint32_t> sectors = zone_sectors(numbers);
  EXPECT_EQ(sectors.front(), 5068u);
  EXPECT_EQ(sectors.back(), 2382u);
  double mean = 0;
  for (const std::uint32_t one : sectors) mean += one / 50.0;
  EXPECT_NEAR(mean, 1.03 * (5068 + 2382) / 2, 0.5);
  const std::uint32_t cylinders = cylinders_for(numbers, 42'970'644'480, 1u << 21);
  EXPECT_NEAR(cylinders, 560'000, 100);
  EXPECT_GE(blocks_on(numbers, cylinders), 42'970'644'480u);
  EXPECT_LT(blocks_on(numbers, cylinders - 1), 42'970'644'480u);
  EXPECT_EQ(cylinders_for(numbers, 42'970'644'480, 100'000), 100'001u);
}

Sheet worked_example() {
  Sheet sheet;
  for (const auto& [key, text] : {std::pair{"name", "22 TB"},
                                  {"capacity", "22TB"},
                                  {"rpm", "7200"},
                                  {"heads", "20"},
                                  {"seek_single", "0.23"},
                                  {"seek_average", "7.4"},
                                  {"seek_full", "14.3"},
                                  {"rate_outer", "291MB/s"},
                                  {"cache", "512MiB"}})
    set_option(sheet, key, key, text);
  return sheet;
}

TEST(MakeDrive, HoldsWhatTheSheetSays) {
  const NewDrive made = make_drive(worked_example());
  const mechanics::AccessPlanner planner(made.profile);
  EXPECT_EQ(planner.geometry().block_count(), 42'970'644'480u);
  EXPECT_NEAR(planner.geometry().cylinders(), 560'000, 2000);
  EXPECT_EQ(planner.geometry().surfaces(), 20u);
  EXPECT_EQ(made.profile.geometry.zones.size(), 50u);
  EXPECT_NEAR(made.profile.geometry.zones.front().sectors_per_track, 5068, 4);
  EXPECT_NEAR(made.profile.geometry.zones.back().sectors_per_track, 2382, 4);
  EXPECT_EQ(made.profile.geometry.track_skew_turns, 0.07);
  double densities = 0;
  for (const double density : made.profile.geometry.surface_densities) densities += density;
  EXPECT_NEAR(densities, 20, 1e-9);
  EXPECT_EQ(core::to_milliseconds(planner.seek_curve()(1)), 0.23);
  // A skew covers the switch that it is for, of a write too.
  const double turn_us = 60e6 / 7200;
  const auto& shifts = made.profile.geometry.surface_shifts_tracks;
  const mechanics::SeekCurve writes = mechanics::SeekCurve::of_writes(made.profile.seek, made.profile.geometry.cylinders);
  for (std::size_t i = 1; i < shifts.size(); ++i) {
    const auto tracks = static_cast<std::uint32_t>(std::abs(shifts[i] - shifts[i - 1]));
    EXPECT_GE(made.profile.geometry.head_skew_turns * turn_us, core::to_milliseconds(writes(tracks)) * 1e3);
  }
  EXPECT_GE(made.profile.geometry.track_skew_turns * turn_us, core::to_milliseconds(writes(1)) * 1e3);
  EXPECT_GE(made.profile.geometry.band_skew_turns * turn_us, core::to_milliseconds(writes(128)) * 1e3);
}

TEST(MakeDrive, EveryValueHasItsReason) {
  const Sheet sheet = worked_example();
  const std::string text = profile_text(make_drive(sheet), sheet);
  for (const char* reason : {"rate_outer 291 MB/s (of the command line)", "assumed: 45 to 60 on drives since 2012", "SFF-8447",
                             "assumed: 115 to 315", "seek_average 7.4 ms (of the command line)"})
    EXPECT_NE(text.find(reason), std::string::npos) << reason;
}

TEST(MakeDrive, AgreedNumbersOfBlocks) {
  const auto blocks = [](const char* capacity, const char* heads) {
    Sheet sheet;
    for (const auto& [key, text] : {std::pair{"name", "x"}, {"capacity", capacity}, {"rpm", "7200"}, {"heads", heads}})
      set_option(sheet, key, key, text);
    return make_drive(sheet).profile.geometry.blocks;
  };
  EXPECT_EQ(blocks("2TB", "4"), 3'907'029'168);
  EXPECT_EQ(blocks("4TB", "10"), 7'814'037'168);
  EXPECT_EQ(blocks("18TB", "18"), 35'156'656'128);
}

/// Turns in which a block's track and the next one pass, from this block on.
double turns_of_two_tracks(const mechanics::AccessPlanner& planner, std::uint64_t block, bool write) {
  const auto blocks_from = [&](std::uint64_t first) {
    return planner.geometry().track_run(core::Lba(first), 0xFFFF'FFFFu).blocks;
  };
  const std::uint32_t one = blocks_from(block);
  const mechanics::Extent both = planner.resolve(core::Lba(block), one + blocks_from(block + one), write);
  return static_cast<double>(both.media) / static_cast<double>(planner.rotation().period());
}

/// Goes over the tracks from a block on: two neighbouring ones pass in two turns and the longest skew, if skews cover the switches.
void expect_no_lost_turn(const profile::DriveProfile& profile, const mechanics::AccessPlanner& planner, std::uint64_t block,
                         std::uint32_t tracks) {
  const profile::GeometryProfile& g = profile.geometry;
  const double skew = std::max({g.track_skew_turns, g.head_skew_turns, g.band_skew_turns, g.zone_skew_turns});
  for (std::uint32_t i = 0; i < tracks; ++i) {
    for (const bool write : {false, true}) ASSERT_LE(turns_of_two_tracks(planner, block, write), 2 + skew + 1e-6) << block;
    block += planner.geometry().track_run(core::Lba(block), 0xFFFF'FFFFu).blocks;
  }
}

TEST(MakeDrive, ASkewThatIsTooSmallCostsATurn) {
  Sheet sheet = worked_example();
  set_option(sheet, "track_skew", "track_skew", "0.02");
  const mechanics::AccessPlanner planner(make_drive(sheet).profile);
  EXPECT_NEAR(turns_of_two_tracks(planner, 0, false), 3.02, 1e-6);
}

TEST(MakeDrive, EveryDriveHasItsCapacityItsSeeksAndItsSkews) {
  std::size_t made = 0;
  for (const char* capacity : {"500GB", "4TB", "18TB"})
    for (const char* heads : {"2", "5", "18"})
      for (const auto& [rpm, average] : {std::pair{"5400", "9"}, {"7200", "8"}, {"15000", "3"}})
        for (const char* single : {"0.2", "0.9"}) {
          SCOPED_TRACE(fmt::format("{} on {} surfaces, {} rpm, {} ms to the next track", capacity, heads, rpm, single));
          Sheet sheet;
          for (const auto& [key, text] : {std::pair{"name", "x"},
                                          {"capacity", capacity},
                                          {"heads", heads},
                                          {"rpm", rpm},
                                          {"seek_average", average},
                                          {"seek_single", single}})
            set_option(sheet, key, key, text);
          std::optional<NewDrive> drive;
          try {
            drive = make_drive(sheet);
          } catch (const core::ConfigError&) {
            continue;  // too much for so few surfaces
          }
          ++made;
          const mechanics::AccessPlanner planner(drive->profile);
          const mechanics::Geometry& geometry = planner.geometry();
          EXPECT_EQ(geometry.block_count(), static_cast<std::uint64_t>(drive->profile.geometry.blocks));
          EXPECT_NEAR(mean_seek_us(drive->profile.seek.points_us, drive->profile.geometry.cylinders), *sheet.seek_average, 0.1);
          for (std::uint32_t distance = 1; distance < geometry.cylinders(); distance += 1 + distance / 8) {
            ASSERT_LE(planner.seek_curve()(distance), planner.seek_curve()(distance + 1));
            ASSERT_LE(seek_us(drive->profile.seek.points_us, distance), seek_us(drive->profile.seek.write_points_us, distance));
          }
          const std::uint32_t group = geometry.surfaces() * drive->profile.geometry.band_tracks;
          ASSERT_NO_FATAL_FAILURE(expect_no_lost_turn(drive->profile, planner, 0, 2 * group + 2));
          const mechanics::ZoneSummary second = geometry.zone(1);
          ASSERT_NO_FATAL_FAILURE(
              expect_no_lost_turn(drive->profile, planner, second.first_block - 3 * second.most_sectors, 6));
        }
  EXPECT_GT(made, 40u);
}

std::string refusal(const std::string& key, const std::string& text) {
  Sheet sheet = worked_example();
  try {
    set_option(sheet, key, key, text);
    make_drive(sheet);
  } catch (const core::ConfigError& error) {
    return error.what();
  }
  return {};
}

TEST(MakeDrive, RefusesContradictions) {
  EXPECT_NE(refusal("seek_full", "5").find("expected a full stroke that takes longer"), std::string::npos);
  EXPECT_NE(refusal("seek_average", "4").find("no arm"), std::string::npos);
  EXPECT_NE(refusal("rate_outer", "20MB/s").find("rate x turn x tracks is the capacity"), std::string::npos);
  EXPECT_NE(refusal("rate_inner", "400MB/s").find("expected no more inside"), std::string::npos);
  EXPECT_NE(refusal("tracks", "400000").find("expected at least 42970644480, the stated capacity"), std::string::npos);
  EXPECT_EQ(refusal("tracks", "600000"), "");  // the rest is spare
  EXPECT_NE(refusal("sectors_outer", "4000").find("found 291 MB/s, expected at most 245.8 MB/s"), std::string::npos);
  EXPECT_NE(refusal("sectors", "39062500000").find("is the capacity"), std::string::npos);
  EXPECT_NE(refusal("seek_single", "-0.2").find("found -0.2 ms"), std::string::npos);
  EXPECT_NE(refusal("physical_sector", "1000").find("multiple"), std::string::npos);
  EXPECT_NE(refusal("interface", "scsi").find("one of sata, sas"), std::string::npos);
}

}  // namespace
}  // namespace platter::sheet
