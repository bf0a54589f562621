// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "platter/core/error.h"
#include "platter/import/disksim_import.h"
#include "platter/mechanics/access_planner.h"
#include "platter/profile/parameters.h"
#include "platter/system/drives.h"
#include "temporary_files.h"

namespace platter::disksim {
namespace {

namespace fs = std::filesystem;
using core::ConfigError;
using core::ConfigProblem;
using core::InputError;
using Pairs = std::vector<std::pair<std::string, std::string>>;

/// "key = value" lines with some values exchanged, left out (no value) or added.
std::string assignments(Pairs pairs, const Pairs& changes) {
  for (const auto& [key, value] : changes) {
    const auto found = std::find_if(pairs.begin(), pairs.end(), [&k = key](const auto& p) { return p.first == k; });
    if (found != pairs.end())
      found->second = value;
    else
      pairs.emplace_back(key, value);
  }
  std::string text;
  for (const auto& [key, value] : pairs)
    if (!value.empty()) text += (text.empty() ? "" : ",\n") + ("  " + key + " = " + value);
  return text;
}

struct Zone {
  int first = 0;
  int last = 9;
  int sectors = 10;
  int spares = 0;
  std::string slips;
  std::string defects;
  Pairs more = {};
};

/// A made-up disk: what it is built of can be exchanged.
struct Disk {
  Pairs disk;
  Pairs mechanics;
  Pairs layout;
  Pairs model;
  std::vector<Zone> zones = {{0, 9, 10, 0, "", "", {}}, {10, 19, 8, 0, "", "", {}}};
  std::string name = "MADE_UP";

  std::string model_text() const {
    std::string list;
    for (const Zone& z : zones) {
      list += (list.empty() ? "" : ",\n") + ("dm_layout_g1_zone {\n" +
                                             assignments({{"First cylinder number", std::to_string(z.first)},
                                                          {"Last cylinder number", std::to_string(z.last)},
                                                          {"Blocks per track", std::to_string(z.sectors)},
                                                          {"Offset of first block", "0.0"},
                                                          {"Empty space at zone front", "0"},
                                                          {"Skew for track switch", "2.0"},
                                                          {"Skew for cylinder switch", "3.0"},
                                                          {"Number of spares", std::to_string(z.spares)},
                                                          {"slips", "[ " + z.slips + " ]"},
                                                          {"defects", "[ " + z.defects + " ]"}},
                                                         z.more) +
                                             " }");
    }
    const std::string layout_text = assignments({{"LBN-to-PBN mapping scheme", "0"},
                                                 {"Sparing scheme used", "9"},
                                                 {"Rangesize for sparing", "1"},
                                                 {"Zones", "[ " + list + " ]"}},
                                                layout);
    const std::string mechanics_text = assignments({{"Access time type", "trackSwitchPlusRotation"},
                                                    {"Seek type", "hpl"},
                                                    {"HPL seek equation values", "[ 10, 1.5, 0.25, 2.0, 0.01, 1.1 ]"},
                                                    {"Add. write settling delay", "0.3"},
                                                    {"Head switch time", "0.9"},
                                                    {"Rotation speed (in rpms)", "7200"},
                                                    {"Percent error in rpms", "0.0"}},
                                                   mechanics);
    return "dm_disk " + name + "_model {\n" +
           assignments({{"Block count", "540"},
                        {"Number of data surfaces", "3"},
                        {"Number of cylinders", "20"},
                        {"Mechanical Model", "dm_mech_g1 {\n" + mechanics_text + " }"},
                        {"Layout Model", "dm_layout_g1 {\n" + layout_text + " }"}},
                       model) +
           "\n}\n";
  }

  std::string text() const {
    return "disksim_disk " + name + " {\n" +
           assignments({{"Model", model_text()},
                        {"Scheduler", "disksim_ioqueue { Scheduling policy = 1 }"},
                        {"Max queue length", "1"},
                        {"Bulk sector transfer time", "0.05"},
                        {"Segment size (in blks)", "64"},
                        {"Number of buffer segments", "4"},
                        {"Print stats", "1"},
                        {"Per-request overhead time", "0.0"},
                        {"Time scale for overheads", "1.0"},
                        {"Allow read hits on write data", "1"},
                        {"Preseeking level", "0"},
                        {"Maximum number of write segments", "2"},
                        {"Use separate write segment", "0"},
                        {"Low (write) water mark", "0.0"},
                        {"High (read) water mark", "0.0"},
                        {"Set watermark by reqsize", "1"},
                        {"Enable caching in buffer", "1"},
                        {"Buffer continuous read", "3"},
                        {"Minimum read-ahead (blks)", "0"},
                        {"Maximum read-ahead (blks)", "48"},
                        {"Read-ahead over requested", "0"},
                        {"Read-ahead on idle hit", "0"},
                        {"Read any free blocks", "0"},
                        {"Fast write level", "0"},
                        {"Immediate buffer read", "0"},
                        {"Immediate buffer write", "0"},
                        {"Combine seq writes", "1"},
                        {"Stop prefetch in sector", "0"},
                        {"Write hit stop prefetch", "1"},
                        {"Read directly to buffer", "1"},
                        {"Immed transfer partial hit", "1"},
                        {"Read hit over. after read", "0.1"},
                        {"Read hit over. after write", "0.2"},
                        {"Read miss over. after read", "0.3"},
                        {"Read miss over. after write", "0.4"},
                        {"Write hit over. after read", "0.5"},
                        {"Write hit over. after write", "0.6"},
                        {"Write miss over. after read", "0.7"},
                        {"Write miss over. after write", "0.8"},
                        {"Read completion overhead", "0.0"},
                        {"Write completion overhead", "0.0"},
                        {"Data preparation overhead", "0.0"},
                        {"First reselect overhead", "0.0"},
                        {"Extra write disconnect", "0"},
                        {"Extradisc command overhead", "0.0"},
                        {"Extradisc disconnect overhead", "0.0"},
                        {"Extradisc inter-disconnect delay", "0.0"},
                        {"Extradisc 2nd disconnect overhead", "0.0"},
                        {"Extradisc seek delta", "0.0"},
                        {"Minimum seek delay", "0.0"}},
                       disk) +
           "\n}\n";
  }
};

std::string bus(const std::string& name, double read, double write, const std::string& more = "") {
  return "disksim_bus " + name +
         " { type = 1, Arbitration type = 1, Arbitration time = 0.0, Read block transfer time = " + std::to_string(read) +
         ", Write block transfer time = " + std::to_string(write) + ", Print stats = 0" + more + " }\n";
}

std::string controller(double block) {
  return "disksim_ctlr CTLR { type = 1, Scale for delays = 0.0, Bulk sector transfer time = " + std::to_string(block) +
         ", Maximum queue length = 0, Print stats = 0 }\n";
}

class DisksimImportTest : public platter::testing::TemporaryFiles {
 protected:
  Import import(const std::string& text, const ImportOptions& options = {}) const {
    return import_drive(file("a.parv", text), options);
  }
  Import import(const Disk& disk) const { return import(disk.text()); }
  std::vector<ConfigProblem> problems_of(const Disk& disk) const {
    try {
      import(disk);
    } catch (const ConfigError& error) {
      return error.problems();
    } catch (const InputError& error) {
      return {{error.file(), error.line(), error.column(), "", error.what()}};
    }
    ADD_FAILURE() << "no error";
    return {};
  }
  void expect_problem(const Disk& disk, const std::string& key, const std::string& part) const {
    const std::vector<ConfigProblem> problems = problems_of(disk);
    ASSERT_EQ(problems.size(), 1u) << (problems.size() > 1 ? problems[1].key + problems[1].message : "");
    EXPECT_EQ(problems[0].key, key) << problems[0].message;
    EXPECT_NE(problems[0].message.find(part), std::string::npos) << problems[0].message;
    EXPECT_GT(problems[0].line, 0u);
  }
  static const Remark* remark_on(const Import& import, const std::string& key) {
    for (const Remark& entry : import.remarks)
      if (entry.key == key) return &entry;
    return nullptr;
  }
  static void expect_remark(const Import& import, const std::string& key, Remark::Kind kind, const std::string& part = "") {
    const Remark* entry = remark_on(import, key);
    ASSERT_NE(entry, nullptr) << key << "\n" << remarks_text(import);
    EXPECT_EQ(entry->kind, kind) << entry->why;
    EXPECT_NE(entry->why.find(part), std::string::npos) << entry->why;
    EXPECT_GT(entry->line, 0u);
  }
};

TEST_F(DisksimImportTest, ADiskAlone) {
  const Import i = import(Disk{});
  const profile::DriveProfile& p = i.profile;
  EXPECT_EQ(p.name, "MADE_UP");
  EXPECT_EQ(i.blocks, 540u);
  EXPECT_EQ(p.geometry.cylinders, 20u);
  EXPECT_EQ(p.geometry.surfaces, 3u);
  ASSERT_EQ(p.geometry.zones.size(), 2u);
  EXPECT_EQ(p.geometry.zones[1].first_cylinder, 10u);
  EXPECT_EQ(p.geometry.zones[1].sectors_per_track, 8u);
  EXPECT_EQ(p.geometry.zones[1].track_skew_sectors, 2);
  EXPECT_EQ(p.geometry.zones[1].cylinder_skew_sectors, 3);
  EXPECT_EQ(p.rpm, 7200);
  EXPECT_EQ(p.head_switch_us, 900);
  EXPECT_EQ(p.write_settle_us, 300);
  EXPECT_EQ(p.overhead.read_hit_us[1], 200);
  EXPECT_EQ(p.overhead.read_miss_us[0], 300);
  EXPECT_EQ(p.overhead.write_us[0], 700);  // without write caching: those of a miss
  EXPECT_EQ(p.overhead.write_us[1], 800);
  EXPECT_EQ(p.bus_read_block_us, 50);
  EXPECT_EQ(p.bus_write_block_us, 50);
  EXPECT_FALSE(p.bus_overlap);
  EXPECT_EQ(p.cache.segments, 4u);
  EXPECT_EQ(p.cache.segment_blocks, 64u);
  EXPECT_EQ(p.cache.write_segments, 2u);
  EXPECT_EQ(p.cache.read_ahead, profile::ReadAhead::Segment);
  EXPECT_EQ(p.cache.read_ahead_blocks, 48u);
  EXPECT_EQ(p.firmware_base_cycles, 0u);
  EXPECT_EQ(p.firmware_candidate_cycles, 0u);
  EXPECT_EQ(p.firmware_order_cycles, profile::DriveProfile{}.firmware_order_cycles);
  EXPECT_EQ(p.queue_depth, 32u);
  EXPECT_EQ(p.source, "DiskSim 4.0 parameters: a.parv");
  EXPECT_EQ(remark_on(i, "Block count"), nullptr);
  // Only the write overheads that are not taken are left to tell.
  EXPECT_EQ(i.remarks.size(), 2u) << remarks_text(i);
}

TEST_F(DisksimImportTest, TheProfileIsReadBackAsItIs) {
  Disk disk;
  disk.layout = {{"Sparing scheme used", "2"}};
  disk.zones = {{0, 9, 10, 2, "3, 31", "5, 29", {}}, {12, 19, 8, 1, "", "", {{"Offset of first block", "1.5"}}}};
  const Import i = import(disk);
  const fs::path out = file("out.toml", profile_file(i));
  const profile::DriveProfile back = system::load_drive(out.string());
  EXPECT_EQ(profile::configuration(back), profile::configuration(i.profile));
  EXPECT_EQ(profile_file(i).find(dir_.string()), std::string::npos);  // the same wherever the sources lie
  EXPECT_NE(profile_file(i).find("#   a.parv:"), std::string::npos);
  EXPECT_NE(remarks_text(i).find((dir_ / "a.parv").string() + ":"), std::string::npos);
  const nlohmann::json json = remarks_json(i);
  EXPECT_EQ(json["blocks"], i.blocks);
  EXPECT_EQ(json["remarks"].size(), i.remarks.size());
  EXPECT_EQ(json["remarks"][0]["kind"], to_string(i.remarks[0].kind));
}

TEST_F(DisksimImportTest, ASystemOfSourcedFiles) {
  Disk disk;
  disk.disk = {{"Model", "source m/made_up.model"}, {"Max queue length", "16"}};
  disk.mechanics = {{"Seek type", "extracted"}, {"Full seek curve", "made_up.seek"}, {"HPL seek equation values", ""}};
  file("specs/made_up.diskspecs", disk.text());
  file("specs/m/made_up.model", disk.model_text());
  file("specs/m/made_up.seek", "Seek distances measured: 2\n1, 0.8\n19, 4.4\n");
  const Import i =
      import("disksim_global Global { Init Seed = 42 }\n" + bus("BUS0", 0.4, 0) + bus("BUS1", 0.07, 0.02) + controller(0.06) +
             "source specs/made_up.diskspecs\n"
             "disksim_disk UNUSED { Max queue length = 1 }\n"
             "instantiate [ bus0 ] as BUS0 instantiate [ bus1 ] as BUS1 instantiate [ ctlr0 ] as CTLR\n"
             "instantiate [ disk0 .. disk3 ] as MADE_UP\n"
             "topology disksim_iodriver driver0 [ disksim_bus bus0 [ disksim_ctlr ctlr0 [ disksim_bus bus1 [\n"
             "  disksim_disk disk0 [], disksim_disk disk1 [] ] ] ] ]\n");
  EXPECT_EQ(i.files.size(), 4u);
  EXPECT_EQ(i.profile.source,
            "DiskSim 4.0 parameters: a.parv, specs/made_up.diskspecs, specs/m/made_up.model, specs/m/made_up.seek");
  EXPECT_EQ(i.profile.bus_read_block_us, 70);   // the bus is the slowest
  EXPECT_EQ(i.profile.bus_write_block_us, 60);  // the controller
  EXPECT_EQ(i.profile.queue_depth, 16u);
  expect_remark(i, "Read block transfer time", Remark::Kind::NotCarriedOver, "further from the drive");
  EXPECT_EQ(i.profile.seek.model, profile::SeekModel::Table);
  ASSERT_EQ(i.profile.seek.points_us.size(), 2u);
  EXPECT_EQ(i.profile.seek.points_us[1], (std::pair<std::uint32_t, double>(19, 4400.0)));
}

TEST_F(DisksimImportTest, SeveralDisks) {
  Disk a;
  Disk b;
  b.name = "OTHER";
  b.mechanics = {{"Rotation speed (in rpms)", "5400"}};
  const std::string both = a.text() + b.text();
  const auto rpm = [&](const std::string& text, const std::string& disk) { return import(text, {disk, "NAME"}).profile.rpm; };
  EXPECT_EQ(rpm(both, "OTHER"), 5400);
  EXPECT_EQ(rpm(both, "MADE_UP"), 7200);
  EXPECT_EQ(import(both, {"OTHER", "NAME"}).profile.name, "NAME");
  EXPECT_THROW(import(both), InputError);
  try {
    import(both, {"OTHRE", ""});
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean OTHER?"), std::string::npos) << error.what();
  }
  const std::string system = both + "instantiate [ d0 ] as MADE_UP instantiate [ d1 ] as OTHER\n";
  EXPECT_THROW(import(system), InputError);
  EXPECT_EQ(rpm(both + "instantiate [ d1 ] as OTHER\n", ""), 5400);
  EXPECT_EQ(rpm(system + "topology disksim_bus b [ disksim_disk d0 [], disksim_disk d1 [] ] instantiate [ b ] as B\n" +
                    bus("B", 0.1, 0.1),
                "d1"),
            5400);
  EXPECT_THROW(import(both + "topology disksim_iodriver d [ disksim_disk d0 [] ]"), InputError);  // nothing instantiates it
  EXPECT_THROW(import(both + "instantiate [ d0 ] as NONE topology disksim_iodriver d [ disksim_disk d0 [] ]"), InputError);
  EXPECT_THROW(import(bus("B", 0, 0)), InputError);
  EXPECT_THROW(import(""), InputError);
}

TEST_F(DisksimImportTest, ADiskMayStartFromAnother) {
  EXPECT_EQ(import(Disk{}.text() + "MADE_UP FASTER { Fast write level = 2 }\n", {"FASTER", ""}).profile.cache.write_back,
            profile::WriteBack::Interleaved);
}

TEST_F(DisksimImportTest, LayoutAndMechanicsAlone) {
  const Import i = import(Disk{}.model_text());
  EXPECT_EQ(i.blocks, 540u);
  EXPECT_EQ(i.profile.cache.segments, 0u);
  expect_remark(i, "dm_disk", Remark::Kind::NotCarriedOver, "layout and mechanics only");
}

// --- overheads, bus, cache -------------------------------------------------------------------------------------------

TEST_F(DisksimImportTest, OverheadsAreScaled) {
  Disk disk;
  disk.disk = {
      {"Per-request overhead time", "0.05"}, {"Time scale for overheads", "2.0"}, {"Fast write level", "1"},
      {"Read completion overhead", "0.01"},  {"First reselect overhead", "0.02"}, {"Data preparation overhead", "0.03"},
      {"Write completion overhead", "0.04"}, {"Minimum seek delay", "0.6"}};
  const Import i = import(disk);
  EXPECT_DOUBLE_EQ(i.profile.overhead.read_hit_us[0], 300);
  EXPECT_DOUBLE_EQ(i.profile.overhead.read_miss_us[1], 900);
  EXPECT_DOUBLE_EQ(i.profile.overhead.write_us[0], 1100);  // with write caching: those of a hit
  EXPECT_DOUBLE_EQ(i.profile.overhead.write_us[1], 1300);
  EXPECT_EQ(i.profile.cache.write_back, profile::WriteBack::Append);
  EXPECT_EQ(i.profile.bus_read_completion_us, 20);
  EXPECT_EQ(i.profile.bus_reselect_us, 40);
  EXPECT_EQ(i.profile.bus_preparation_us, 60);
  EXPECT_EQ(i.profile.bus_write_completion_us, 80);
  EXPECT_EQ(i.profile.same_track_write_us, 600);
  expect_remark(i, "Write miss over. after read", Remark::Kind::NoEffect);
}

TEST_F(DisksimImportTest, TheExtraDisconnect) {
  Disk disk;
  disk.disk = {{"Extra write disconnect", "1"},
               {"Extradisc command overhead", "0.6"},
               {"Extradisc seek delta", "0.25"},
               {"Extradisc inter-disconnect delay", "0.4"}};
  Import i = import(disk);
  EXPECT_EQ(i.profile.bus_write_watermark_blocks, 10u);
  expect_remark(i, "Extradisc inter-disconnect delay", Remark::Kind::NotCarriedOver);
  expect_remark(i, "Extra write disconnect", Remark::Kind::Changed);
  disk.disk[0].second = "0";
  i = import(disk);
  EXPECT_EQ(i.profile.bus_write_watermark_blocks, 0u);
  expect_remark(i, "Extradisc seek delta", Remark::Kind::NoEffect);
}

TEST_F(DisksimImportTest, ZonesPastTheModelsCylindersMakeItLarger) {
  Disk disk;
  disk.model = {{"Number of cylinders", "15"}};  // the zones go to 19; DiskSim does not mind
  const Import i = import(disk);
  EXPECT_EQ(i.profile.geometry.cylinders, 20u);
  EXPECT_EQ(i.profile.geometry.zones.back().last_cylinder, 19u);
  expect_remark(i, "Last cylinder number", Remark::Kind::Changed);
  disk.zones[1].last = 3'000'000;
  expect_problem(disk, "Last cylinder number", "expected 10 to 2097151");
}

TEST_F(DisksimImportTest, Cache) {
  Disk disk;
  disk.disk = {{"Buffer continuous read", "4"},       {"Read-ahead over requested", "-1"}, {"Read-ahead on idle hit", "1"},
               {"Read any free blocks", "1"},         {"Fast write level", "2"},           {"Immediate buffer read", "1"},
               {"Immediate buffer write", "2"},       {"Stop prefetch in sector", "1"},    {"Use separate write segment", "1"},
               {"Allow read hits on write data", "0"}};
  Import i = import(disk);
  EXPECT_EQ(i.profile.cache.read_ahead, profile::ReadAhead::NextTrack);
  EXPECT_TRUE(i.profile.cache.read_ahead_from_request_start);
  EXPECT_TRUE(i.profile.cache.read_ahead_on_hit);
  EXPECT_TRUE(i.profile.cache.keep_passing_sectors);
  EXPECT_EQ(i.profile.cache.write_back, profile::WriteBack::Interleaved);
  EXPECT_TRUE(i.profile.zero_latency_read);
  EXPECT_TRUE(i.profile.zero_latency_write);
  EXPECT_TRUE(i.profile.cache.stop_in_sector);
  EXPECT_TRUE(i.profile.cache.separate_write_segments);
  EXPECT_FALSE(i.profile.cache.read_hits_on_writes);
  expect_remark(i, "Read-ahead over requested", Remark::Kind::Changed);
  expect_remark(i, "Maximum read-ahead (blks)", Remark::Kind::NoEffect);
  disk.disk = {{"Enable caching in buffer", "0"}, {"Minimum read-ahead (blks)", "60"}};
  i = import(disk);
  EXPECT_EQ(i.profile.cache.segments, 0u);
  EXPECT_EQ(i.profile.cache.read_ahead_blocks, 60u);
  expect_remark(i, "Minimum read-ahead (blks)", Remark::Kind::NotCarriedOver);
  static constexpr std::array<profile::ReadAhead, 3> kinds = {profile::ReadAhead::None, profile::ReadAhead::Track,
                                                              profile::ReadAhead::Cylinder};
  for (std::size_t level = 0; level < kinds.size(); ++level) {
    disk.disk = {{"Buffer continuous read", std::to_string(level)}};
    EXPECT_EQ(import(disk).profile.cache.read_ahead, kinds[level]);
  }
}

TEST_F(DisksimImportTest, WaterMarksAndPreseeking) {
  Disk disk;
  disk.disk = {{"High (read) water mark", "0.75"}, {"Low (write) water mark", "0.5"}, {"Preseeking level", "2"}};
  Import i = import(disk);
  EXPECT_EQ(i.profile.bus_read_watermark, 0.75);
  EXPECT_TRUE(i.profile.bus_overlap);
  EXPECT_EQ(i.profile.bus_write_low_watermark, 0.5);
  disk.disk = {{"High (read) water mark", "0.5"}, {"Set watermark by reqsize", "0"}, {"Preseeking level", "1"}};
  i = import(disk);
  EXPECT_EQ(i.profile.bus_read_watermark, 1);
  EXPECT_FALSE(i.profile.bus_overlap);
  expect_remark(i, "High (read) water mark", Remark::Kind::Changed, "up to 32 blocks");
  expect_remark(i, "Preseeking level", Remark::Kind::Changed);
}

TEST_F(DisksimImportTest, WhoHoldsTheBusIsCarriedOver) {
  Disk disk;
  for (const bool read : {false, true}) {
    for (const bool write : {false, true}) {
      disk.disk = {{"Hold bus entire read xfer", read ? "1" : "0"},
                   {"Hold bus entire write xfer", write ? "1" : "0"},
                   {"Never disconnect", "0"},
                   {"Time scale for overheads", "2.0"},
                   {"Read disconnect afterread", "0.02"},
                   {"Read disconnect afterwrite", "0.04"},
                   {"Write disconnect overhead", "0.03"},
                   {"Max queue length", "8"}};
      const Import i = import(disk);
      EXPECT_EQ(i.profile.bus_hold_read, read);
      EXPECT_EQ(i.profile.bus_hold_write, write);
      EXPECT_FALSE(i.profile.bus_never_disconnect);
      EXPECT_EQ(i.profile.bus_read_disconnect_us, 40);
      EXPECT_EQ(i.profile.bus_write_disconnect_us, 60);
      EXPECT_EQ(i.profile.queue_depth, 8u);
      expect_remark(i, "Read disconnect afterwrite", Remark::Kind::Changed);
      for (const char* key : {"Hold bus entire read xfer", "Hold bus entire write xfer", "Never disconnect",
                              "Read disconnect afterread", "Write disconnect overhead", "Max queue length"})
        EXPECT_EQ(remark_on(i, key), nullptr);
    }
  }
  disk.disk = {{"Never disconnect", "1"}, {"Max queue length", "8"}};
  const Import i = import(disk);
  EXPECT_TRUE(i.profile.bus_never_disconnect);
  EXPECT_EQ(i.profile.queue_depth, 1u);
  expect_remark(i, "Max queue length", Remark::Kind::Changed);
  EXPECT_EQ(remark_on(i, "Never disconnect"), nullptr);
}

TEST_F(DisksimImportTest, WhatHasNoPlaceIsNamed) {
  Disk disk;
  disk.disk = {{"Allow write prebuffering", "1"},
               {"Allow sneaky full read hits", "1"},
               {"Other reselect overhead", "0.1"},
               {"Combine seq writes", "0"},
               {"Scheduler", "disksim_ioqueue { Scheduling policy = 21, Print = 0 }"},
               {"Max queue length", "999"}};
  disk.mechanics = {
      {"Percent error in rpms", "0.5"}, {"Access time type", "averageRotation"}, {"Full strobe seek time", "9.0"}};
  disk.model = {{"Block count", "541"}};
  const std::vector<ConfigProblem> problems = problems_of(disk);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].key, "Print");
  disk.disk[4].second = "disksim_ioqueue { Scheduling policy = 21 }";
  const Import i = import(disk);
  for (const char* key : {"Allow write prebuffering", "Allow sneaky full read hits", "Combine seq writes", "Scheduling policy"})
    expect_remark(i, key, Remark::Kind::NotCarriedOver);
  expect_remark(i, "Other reselect overhead", Remark::Kind::NoEffect, "Extra write disconnect");
  expect_remark(i, "Percent error in rpms", Remark::Kind::NoEffect);
  expect_remark(i, "Access time type", Remark::Kind::NoEffect);
  expect_remark(i, "Full strobe seek time", Remark::Kind::NoEffect, "hpl");
  expect_remark(i, "Block count", Remark::Kind::NoEffect, "540");
  expect_remark(i, "Max queue length", Remark::Kind::Changed);
  EXPECT_EQ(i.profile.queue_depth, 256u);
  EXPECT_TRUE(
      std::is_sorted(i.remarks.begin(), i.remarks.end(), [](const Remark& a, const Remark& b) { return a.kind < b.kind; }));
}

// --- sparing ---------------------------------------------------------------------------------------------------------

/// Capacity of one zone of 12 cylinders, 3 surfaces, 10 sectors (360 in all), in every scheme.
TEST_F(DisksimImportTest, SparingSchemes) {
  struct Case {
    int scheme;
    std::string slips;
    std::uint64_t blocks;
    profile::SpareUnit unit;
  };
  using U = profile::SpareUnit;
  const std::vector<Case> cases = {
      {0, "", 360, U::Zone},
      {1, "0, 5", 360 - 20, U::Zone},  // whole tracks
      {2, "7, 31, 32", 360 - 24, U::Cylinder},
      {3, "7, 12, 13", 360 - 72, U::Track},
      {4, "7, 31, 32", 360 - 24 - 3, U::Cylinder},
      {5, "7, 31, 32", 360 - 24, U::Cylinder},
      {6, "7, 35, 36", 360 - 24 - 3, U::Cylinder},
      {7, "7, 31, 32", 360 - 3, U::Zone},
      {8, "7, 155", 360 - 4, U::Range},  // two ranges of 5 cylinders; the last two cylinders have none
      {9, "7, 31", 360 - 2, U::Zone},
      {10, "7, 31, 32", 360 - 2 - 3, U::Zone},
  };
  for (const Case& c : cases) {
    Disk disk;
    disk.layout = {{"Sparing scheme used", std::to_string(c.scheme)}, {"Rangesize for sparing", "5"}};
    disk.zones = {{4, 15, 10, 2, c.slips, "", {}}};
    const Import i = import(disk);
    EXPECT_EQ(i.blocks, c.blocks) << "scheme " << c.scheme << "\n" << remarks_text(i);
    EXPECT_EQ(i.profile.geometry.spare_unit, c.unit) << c.scheme;
    EXPECT_EQ(i.profile.geometry.spares_at_front, c.scheme == 5 || c.scheme == 6);
    EXPECT_EQ(i.profile.geometry.slip_to_zone_end, c.scheme == 4 || c.scheme == 6);
    EXPECT_EQ(i.profile.geometry.range_cylinders, c.scheme == 8 ? 5u : 1u);
    EXPECT_EQ(remark_on(i, "slips"), nullptr) << c.scheme << remarks_text(i);
    // None of the slipped places holds a block, and every block is found again.
    const mechanics::Geometry geometry(i.profile.geometry);
    const std::uint32_t width = c.scheme == 1 ? 10 : 1;
    const auto& zone = i.profile.geometry.zones[0];
    for (const std::uint32_t slip : c.scheme == 1 ? zone.slipped_tracks : zone.slips) {
      const std::uint32_t sector = slip * width;
      EXPECT_FALSE(
          geometry.to_logical({core::Cylinder(4 + sector / 30), core::Head(sector / 10 % 3), core::SectorIndex(sector % 10)}))
          << c.scheme << " " << slip;
    }
    for (std::uint64_t block = 0; block < i.blocks; ++block)
      EXPECT_EQ(geometry.to_logical(geometry.to_physical(core::Lba(block))), core::Lba(block)) << c.scheme;
  }
}

TEST_F(DisksimImportTest, SlipsThatDoNotFit) {
  Disk disk;
  const auto slips = [&](const std::string& scheme, int spares, const std::string& list) {
    disk.layout = {{"Sparing scheme used", scheme}, {"Rangesize for sparing", "30"}};
    disk.zones = {{0, 11, 10, spares, list, "", {}}};
    const Import i = import(disk);
    expect_remark(i, "slips", Remark::Kind::NotCarriedOver);
    const auto& zone = i.profile.geometry.zones[0];
    return scheme == "1" ? zone.slipped_tracks : zone.slips;
  };
  using V = std::vector<std::uint32_t>;
  EXPECT_EQ(slips("0", 0, "1, 2"), (V{}));
  EXPECT_EQ(slips("1", 2, "3, 9, 20"), (V{3, 9}));
  EXPECT_EQ(slips("2", 1, "3, 9, 40"), (V{3, 40}));
  EXPECT_EQ(slips("3", 1, "3, 9, 10"), (V{3, 10}));
  EXPECT_EQ(slips("4", 2, "27, 28, 30"), (V{27, 30}));  // 28 and 29 are spares
  EXPECT_EQ(slips("6", 2, "1, 2, 30"), (V{2}));         // 0, 1, 30, 31 are
  EXPECT_EQ(slips("8", 2, "1, 2"), (V{}));              // the zone is shorter than a range
  EXPECT_EQ(slips("9", 2, "1, 2, 3"), (V{1, 2}));
  EXPECT_EQ(slips("9", 3, "1, 360, 2"), (V{1, 2}));  // past the end
  EXPECT_EQ(slips("7", 0, "4, 4"), (V{4}));          // named twice
  disk.zones = {{0, 11, 10, 5, "7, 3", "", {}}};
  disk.layout = {{"Sparing scheme used", "9"}};
  const Import sorted = import(disk);
  EXPECT_EQ(sorted.profile.geometry.zones[0].slips, (V{3, 7}));
  expect_remark(sorted, "slips", Remark::Kind::Changed, "ascending");
}

TEST_F(DisksimImportTest, Defects) {
  Disk disk;
  disk.zones = {{0, 11, 10, 5, "", "3, 355, 4, 356, 5, 5", {}}};  // the last five sectors are spares
  Import i = import(disk);
  using Remaps = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  EXPECT_EQ(i.profile.geometry.zones[0].remaps, (Remaps{{3, 355}, {4, 356}}));
  EXPECT_EQ(remark_on(i, "defects"), nullptr);
  const mechanics::Geometry geometry(i.profile.geometry);
  EXPECT_EQ(geometry.to_physical(core::Lba(4)).cylinder.value, 11u);
  for (std::uint64_t block = 0; block < i.blocks; ++block)
    EXPECT_EQ(geometry.to_logical(geometry.to_physical(core::Lba(block))), core::Lba(block));

  disk.zones[0].defects = "3, 355, 3, 356, 6, 355, 7, 99, 8, 360";
  i = import(disk);
  EXPECT_EQ(i.profile.geometry.zones[0].remaps, (Remaps{{3, 355}}));
  EXPECT_EQ(std::count_if(i.remarks.begin(), i.remarks.end(), [](const Remark& r) { return r.key == "defects"; }), 3);

  disk.layout = {{"Sparing scheme used", "1"}, {"LBN-to-PBN mapping scheme", "1"}};
  disk.zones = {{0, 11, 10, 2, "", "3, 35", {}}};  // tracks
  i = import(disk);
  ASSERT_EQ(i.profile.geometry.zones[0].remaps.size(), 10u);
  EXPECT_EQ(i.profile.geometry.zones[0].remaps[9], (std::pair<std::uint32_t, std::uint32_t>(39, 359)));
  EXPECT_EQ(i.profile.geometry.mapping, profile::Mapping::Serpentine);
}

TEST_F(DisksimImportTest, LayoutDetails) {
  Disk disk;
  disk.layout = {{"LBN-to-PBN mapping scheme", "2"}, {"Skew units", "revolutions"}};
  const Pairs first = {
      {"Empty space at zone front", "30"}, {"Skew for track switch", "0.25"}, {"Skew for cylinder switch", ""}};
  disk.zones = {{0, 9, 10, 0, "", "", first},
                {12, 19, 8, 0, "", "", {{"Skew units", "sectors"}, {"Offset of first block", "1.5"}}}};
  const Import i = import(disk);
  EXPECT_EQ(i.profile.geometry.mapping, profile::Mapping::SerpentineAbsolute);
  EXPECT_EQ(i.profile.geometry.zones[0].front_sectors, 30u);
  EXPECT_EQ(i.profile.geometry.zones[0].track_skew_sectors, 2.5);
  EXPECT_EQ(i.profile.geometry.zones[0].cylinder_skew_sectors, 0);
  EXPECT_EQ(i.profile.geometry.zones[1].offset_sectors, 1.5);
  EXPECT_EQ(i.profile.geometry.zones[1].track_skew_sectors, 2);
  EXPECT_EQ(i.blocks, 300u - 30 + 192);
  expect_remark(i, "Offset of first block", Remark::Kind::Changed, "fraction");
}

// --- seek curves -------------------------------------------------------------------------------------------------------

class DisksimSeekTest : public DisksimImportTest {
 protected:
  Import with(const Pairs& mechanics, int cylinders = 20) const {
    Disk disk;
    disk.mechanics = mechanics;
    disk.mechanics.emplace_back("HPL seek equation values", "");
    for (const auto& [key, value] : mechanics)
      if (key == "HPL seek equation values") disk.mechanics.pop_back();
    disk.model = {{"Number of cylinders", std::to_string(cylinders)}};
    return import(disk);
  }
  static double us(const Import& i, std::uint32_t distance) {
    const mechanics::SeekCurve curve(i.profile.seek, i.profile.geometry.cylinders);
    return static_cast<double>(curve(distance)) * 1e-6;
  }
};

TEST_F(DisksimSeekTest, Constant) {
  const Import i = with({{"Seek type", "constant"}, {"Constant seek time", "4.5"}});
  for (const std::uint32_t d : {1u, 2u, 19u}) EXPECT_EQ(us(i, d), 4500);
}

TEST_F(DisksimSeekTest, APointFarOffAllItsNeighboursIsDoubtful) {
  // A curve with the scatter of measured ones, and two wrong values.
  const auto seek = [](std::uint32_t d) { return 1.0 + 0.3 * std::sqrt(d) + (d % 3 == 0 ? 0.06 : 0.0) * std::sqrt(d); };
  std::string lines = "Seek distances measured: 14\n";
  for (std::uint32_t d = 1; d <= 14; ++d) lines += fmt::format("{}, {}\n", d, d == 5 ? 0.7 : d == 10 ? 1.3 * seek(d) : seek(d));
  file("scattered.seek", lines);
  const Import i = with({{"Seek type", "extracted"}, {"Full seek curve", "scattered.seek"}});
  std::vector<std::string> doubtful;
  for (const Remark& remark : i.remarks)
    if (remark.kind == Remark::Kind::Doubtful && remark.key == "seek distance") doubtful.push_back(remark.value);
  EXPECT_EQ(doubtful, (std::vector<std::string>{"5", "10"}));
  EXPECT_EQ(i.profile.seek.points_us.size(), 14u) << "they stay";
  EXPECT_DOUBLE_EQ(i.profile.seek.points_us[4].second, 700);
  EXPECT_NE(profile_file(i).find("scattered.seek:6: seek distance = 5: takes 700 us, less than all its neighbours"),
            std::string::npos)
      << profile_file(i);
}

TEST_F(DisksimSeekTest, Linear) {
  const Import i = with({{"Seek type", "linear"},
                         {"Single cylinder seek time", "1.0"},
                         {"Average seek time", "7.0"},
                         {"Full strobe seek time", "10.0"}},
                        300);
  EXPECT_NEAR(us(i, 1), 1000, 1e-3);
  EXPECT_NEAR(us(i, 51), 4000, 1e-3);   // half of the way to the third
  EXPECT_NEAR(us(i, 200), 8500, 1e-3);  // half of the way to the end
  EXPECT_NEAR(us(i, 299), 9985, 1e-3);
  expect_remark(i, "Seek type", Remark::Kind::Changed);
}

TEST_F(DisksimSeekTest, CurveOfLee) {
  const int n = 900;
  const Import i = with({{"Seek type", "curve"},
                         {"Single cylinder seek time", "1.0"},
                         {"Average seek time", "6.0"},
                         {"Full strobe seek time", "12.0"}},
                        n);
  EXPECT_EQ(i.profile.seek.model, profile::SeekModel::ThreePoint);
  const double root = (-10 * 1000. + 15 * 6000 - 5 * 12000) / (3 * std::sqrt(n));
  const double slope = (7 * 1000. - 15 * 6000 + 8 * 12000) / (3 * n);
  double mean = 0;  // over all pairs of cylinders: the average time
  for (std::uint32_t d = 1; d < n; ++d) mean += (1000 + root * std::sqrt(d - 1.0) + slope * (d - 1.0)) * 2 * (n - d) / (n * n);
  EXPECT_NEAR(mean, 6000, 30);
  for (const std::uint32_t d : {1u, 2u, 7u, 60u, 299u, 300u, 301u, 550u, 899u})
    EXPECT_NEAR(us(i, d), 1000 + root * std::sqrt(d - 1.0) + slope * (d - 1.0), 2e-3) << d;
  // No such curve rises everywhere through these.
  const Import line = with({{"Seek type", "curve"},
                            {"Single cylinder seek time", "1.0"},
                            {"Average seek time", "7.0"},
                            {"Full strobe seek time", "12.0"}},
                           n);
  EXPECT_EQ(line.profile.seek.model, profile::SeekModel::Table);
  expect_remark(line, "Seek type", Remark::Kind::Changed, "straight lines");
}

TEST_F(DisksimSeekTest, RootAndLine) {
  const std::string values = "[ 10, 1.5, 0.25, 2.0, 0.01, 1.1 ]";
  const Import i = with({{"Seek type", "hpl"}, {"HPL seek equation values", values}});
  EXPECT_EQ(us(i, 1), 1100);
  EXPECT_NEAR(us(i, 4), 2000, 1e-3);
  EXPECT_NEAR(us(i, 9), 2250, 1e-3);   // still the root
  EXPECT_NEAR(us(i, 10), 2100, 1e-3);  // the line
  const Import without = with({{"Seek type", "hpl"}, {"HPL seek equation values", "[ 10, 1.5, 0.25, 2, 0.01, -1.0 ]"}});
  EXPECT_NEAR(us(without, 1), 1750, 1e-3);
  const Import ten = with({{"Seek type", "hplplus10"},
                           {"HPL seek equation values", values},
                           {"First ten seek times", "[ 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0 ]"}});
  EXPECT_EQ(us(ten, 1), 100);
  EXPECT_EQ(us(ten, 10), 1000);
  EXPECT_NEAR(us(ten, 11), 2110, 1e-3);
}

TEST_F(DisksimSeekTest, Extracted) {
  const auto points = [this](const std::string& text) {
    file("x.seek", text);
    return with({{"Seek type", "extracted"}, {"Full seek curve", "x.seek"}});
  };
  Import i = points("5, 2.0\n3, 1.0\n5, 9.0\n0, 0.0\n");
  EXPECT_EQ(us(i, 1), 1000);
  EXPECT_EQ(us(i, 4), 1500);
  EXPECT_EQ(us(i, 6), 2500);
  EXPECT_EQ(std::count_if(i.remarks.begin(), i.remarks.end(), [](const Remark& r) { return r.key == "seek distance"; }), 3);
  EXPECT_EQ(us(points("7, 2.0\n"), 19), 2000);
  Disk disk;
  disk.mechanics = {{"Seek type", "extracted"}, {"HPL seek equation values", ""}, {"Full seek curve", "none.seek"}};
  expect_problem(disk, "", "no such file");
  disk.mechanics[2].second = "";
  expect_problem(disk, "Full seek curve", "Seek type extracted needs it");
}

// --- errors ------------------------------------------------------------------------------------------------------------

TEST_F(DisksimImportTest, MisspeltKeys) {
  Disk disk;
  disk.disk = {{"Fast write level", ""}, {"Fast wirte level", "1"}};
  expect_problem(disk, "Fast wirte level", "did you mean Fast write level?");  // and not that it is missing as well
  disk.disk = {{"Fast write level", ""}};
  expect_problem(disk, "Fast write level", "is missing in the disksim_disk MADE_UP");
  disk = {};
  disk.mechanics = {{"Rotation sped (in rpms)", "7200"}};
  expect_problem(disk, "Rotation sped (in rpms)", "did you mean Rotation speed (in rpms)?");
  disk = {};
  disk.zones[1].more = {{"slipz", "[]"}};
  expect_problem(disk, "slipz", "did you mean slips?");
  EXPECT_THROW(import("disksim_dsk A { x = 1 }"), ConfigError);
}

TEST_F(DisksimImportTest, AllProblemsTogether) {
  Disk disk;
  disk.disk = {{"Fast write level", "3"},
               {"Use separate write segment", "2"},
               {"Segment size (in blks)", "64.0"},
               {"Read hit over. after read", "-0.1"},
               {"Scheduler", "1"},
               {"Bulk sector transfer time", "fast"}};
  disk.layout = {{"LBN-to-PBN mapping scheme", "7"}, {"Sparing scheme used", "11"}};
  disk.mechanics = {{"Seek type", "[]"}};
  const std::vector<ConfigProblem> problems = problems_of(disk);
  EXPECT_EQ(problems.size(), 9u);
  for (const ConfigProblem& problem : problems) {
    EXPECT_GT(problem.line, 0u);
    EXPECT_GT(problem.column, 0u);
    EXPECT_NE(problem.message.find("found "), std::string::npos) << problem.message;
    EXPECT_NE(problem.message.find("expected "), std::string::npos) << problem.message;
  }
}

// --- layouts of patterns ---------------------------------------------------------------------------------------------

/// Three surfaces in bands of four cylinders: head 0 inward, head 1 outward, head 2 inward; a turn; the same backwards. 10 sectors per
/// track, inside 8.
struct Patterns {
  std::string tracks = "0, 9, 10, 0, 7, 8";
  std::string outer =
      "0, 0, 0.0, 10, 1, 0.14, 40, 4, TRACK, 0, 0,  40, 3, 0.6, 10, 1, 0.14, 40, -4, TRACK, 0, 1,"
      "80, 0, 0.2, 10, 1, 0.14, 40, 4, TRACK, 0, 2,  120, 7, 0.9, 10, 1, 0.14, 40, -4, TRACK, 0, 2,"
      "160, 4, 0.5, 10, 1, 0.14, 40, 4, TRACK, 0, 1,  200, 7, 0.1, 10, 1, 0.14, 40, -4, TRACK, 0, 0";
  std::string inner =
      "0, 0, 0.0, 8, 1, 0.14, 16, 2, TRACK, 1, 0,  16, 1, 0.4, 8, 1, 0.14, 16, -2, TRACK, 1, 1,"
      "32, 0, 0.8, 8, 1, 0.14, 16, 2, TRACK, 1, 2";
  std::string root = "0, 0, 0.0, 240, 8, 0.3, 480, 16, IDX, 0,  480, 16, 0.7, 48, 2, 0.0, 96, 4, IDX, 1";
  std::string slips = "12, 1, 245, 3";
  std::string remaps;
  std::string text() const {
    return "dm_layout_g4 { TP = [ " + tracks + " ], IDX = [ [ " + outer + " ],\n [ " + inner + " ],\n [ " + root +
           " ] ],\n Slips = [ " + slips + " ],\n Remaps = [ " + remaps + " ] }";
  }
  Disk disk(const std::string& cylinders = "19", const std::string& blocks = "571") const {
    Disk d;
    d.model = {{"Layout Model", text()}, {"Number of cylinders", cylinders}, {"Block count", blocks}};
    return d;
  }
};

TEST_F(DisksimImportTest, LayoutOfPatterns) {
  const Import i = import(Patterns{}.disk());
  EXPECT_EQ(i.blocks, 572u) << "the runs' blocks without those that are slipped";
  EXPECT_EQ(i.profile.geometry.cylinders, 20u) << "DiskSim names the last one";
  EXPECT_EQ(remark_on(i, "Block count"), nullptr);
  EXPECT_EQ(remark_on(i, "Number of cylinders"), nullptr);
  const mechanics::Geometry geometry(i.profile.geometry);
  const auto at = [&geometry](std::uint64_t block) {
    const mechanics::PhysicalAddress place = geometry.to_physical(core::Lba(block));
    return std::array<std::uint32_t, 3>{place.cylinder.value, place.head.value, place.sector.value};
  };
  using A = std::array<std::uint32_t, 3>;
  EXPECT_EQ(at(0), (A{0, 0, 0}));
  EXPECT_EQ(at(11), (A{1, 0, 1}));
  EXPECT_EQ(at(12), (A{1, 0, 3})) << "a sector is passed over";
  EXPECT_EQ(at(39), (A{3, 1, 0})) << "a run that descends begins on its highest cylinder";
  EXPECT_EQ(at(238), (A{4, 0, 9}));
  EXPECT_EQ(at(243), (A{8, 0, 4}));
  EXPECT_EQ(at(244), (A{8, 0, 8})) << "the offset counts sectors of the runs, slipped ones included";
  EXPECT_EQ(at(476), (A{16, 0, 0}));
  EXPECT_EQ(at(571), (A{19, 2, 7}));
  const auto turns = [&geometry](std::uint32_t cylinder, std::uint32_t head) {
    return geometry.angle_of({core::Cylinder(cylinder), core::Head(head), core::SectorIndex(0)}) * 0x1p-32;
  };
  EXPECT_NEAR(turns(3, 1), 0.6, 1e-9);
  EXPECT_NEAR(turns(1, 1), 0.6 + 0.28, 1e-9) << "the angle ascends in both directions";
  EXPECT_NEAR(turns(11, 1), 0.9, 1e-9);
  EXPECT_NEAR(turns(18, 1), std::fmod(0.7 + 0.4 + 0.14, 1), 1e-9);
  const fs::path out = file("out.toml", profile_file(i));
  EXPECT_EQ(profile::configuration(system::load_drive(out.string())), profile::configuration(i.profile));
}

TEST_F(DisksimImportTest, LayoutOfPatternsWithRemarks) {
  Patterns patterns;
  patterns.root = "0, 0, 0.0, 240, 8, 0.3, 480, 16, IDX, 0,  480, 16, 0.7, 60, 2, 0.0, 60, 2, IDX, 1";
  patterns.slips = "245, 3, 12, 1, 1000, 1";
  const Import i = import(patterns.disk("40", "600"));
  EXPECT_EQ(i.blocks, 524u);
  expect_remark(i, "IDX", Remark::Kind::Changed, "which holds 48 blocks");
  expect_remark(i, "Number of cylinders", Remark::Kind::Changed, "which has 18 cylinders");
  expect_remark(i, "Block count", Remark::Kind::NoEffect, "the layout holds 524 blocks");
  EXPECT_EQ(i.profile.geometry.cylinders, 18u);
  const Remark* slips = remark_on(i, "Slips");
  ASSERT_NE(slips, nullptr);
  EXPECT_NE(remarks_text(i).find("1000: past the layout's end"), std::string::npos);
  EXPECT_NE(remarks_text(i).find("not in ascending order"), std::string::npos);

  Patterns skews;  // one band's skew was not measured
  skews.outer.replace(skews.outer.find("80, 0, 0.2, 10, 1, 0.14"), 23, "80, 0, 0.2, 10, 1, 0.00");
  expect_remark(import(skews.disk()), "IDX", Remark::Kind::Doubtful, "3 are 0 and 0 differ from the usual 0.140000 turns");

  Disk disk = Patterns{}.disk();
  disk.disk = {{"Bulk sector transfer time", "-0.015"}};
  const Import negative = import(disk);
  EXPECT_EQ(negative.profile.bus_read_block_us, 0);
  expect_remark(negative, "Bulk sector transfer time", Remark::Kind::Changed, "read as 0");
}

TEST_F(DisksimImportTest, RemapsOfPatterns) {
  Patterns patterns;
  patterns.tracks = "0, 7, 10, 0, 7, 8";  // the last two sectors of each outer track are spares
  for (const auto& [from, to] :
       Pairs{{"40, 3,", "32, 3,"}, {"80, 0,", "64, 0,"}, {"120, 7,", "96, 7,"}, {"160, 4,", "128, 4,"}, {"200, 7,", "160, 7,"}})
    patterns.outer.replace(patterns.outer.find(from), from.size(), to);
  for (std::size_t at; (at = patterns.outer.find("10, 1, 0.14, 40")) != std::string::npos;)
    patterns.outer.replace(at, 15, "8, 1, 0.14, 32");
  patterns.root = "0, 0, 0.0, 192, 8, 0.3, 384, 16, IDX, 0,  384, 16, 0.7, 48, 2, 0.0, 96, 4, IDX, 1";
  patterns.slips = "";
  patterns.remaps = "10, 2, 1, 0, 8, 10,  100, 1, 0, 0, 3, 10,  50, 1, 77, 0, 0, 10";
  const Import i = import(patterns.disk("20", "480"));
  EXPECT_EQ(i.blocks, 480u);
  const mechanics::Geometry geometry(i.profile.geometry);
  EXPECT_EQ(geometry.to_physical(core::Lba(10)),
            (mechanics::PhysicalAddress{core::Cylinder(1), core::Head(0), core::SectorIndex(8)}));
  EXPECT_EQ(geometry.to_physical(core::Lba(11)),
            (mechanics::PhysicalAddress{core::Cylinder(1), core::Head(0), core::SectorIndex(9)}));
  EXPECT_NE(remarks_text(i).find("Remaps = 50, 100"), std::string::npos) << remarks_text(i);
}

TEST_F(DisksimImportTest, PatternsThatDoNotClose) {
  const auto expect = [this](Patterns patterns, std::string Patterns::* part, const std::string& from, const std::string& to,
                             const std::string& key, const std::string& text) {
    std::string& changed = patterns.*part;
    changed.replace(changed.find(from), from.size(), to);
    expect_problem(patterns.disk(), key, text);
  };
  using P = Patterns;
  expect({}, &P::outer, "80, 0, 0.2", "81, 0, 0.2", "IDX", "lbn is 81, expected 80, where the entry before ends: a gap");
  expect({}, &P::outer, "80, 0, 0.2", "79, 0, 0.2", "IDX", "lbn is 79, expected 80, where the entry before ends: an overlap");
  expect({}, &P::outer, "80, 0, 0.2, 10, 1, 0.14, 40", "80, 0, 0.2, 10, 1, 0.14, 45", "IDX",
         "runlen 45 is no multiple of len 10");
  expect({}, &P::outer, "40, 4, TRACK", "40, 5, TRACK", "IDX", "cylrunlen is 5, expected 4 or -4");
  expect({}, &P::root, "240, 8, 0.3, 480, 16, IDX, 0", "241, 8, 0.3, 482, 16, IDX, 0", "IDX",
         "len is 241, but its child holds 240 blocks: a gap");
  expect({}, &P::root, "16, IDX, 0", "16, IDX, 2", "IDX", "node 2 is a part of itself");
  expect({}, &P::root, "16, IDX, 0", "16, IDX, 3", "IDX", "child is 3, expected a node from 0 to 2");
  expect({}, &P::outer, "TRACK, 0, 1", "TRACK, 2, 1", "IDX", "child is 2, expected a track pattern from 0 to 1");
  expect({}, &P::outer, "TRACK, 0, 1", "TRACK, 0, 3", "IDX", "found 3 as head, expected a whole number from 0 to 2");
  expect({}, &P::outer, "TRACK, 0, 1", "TRAC, 0, 1", "IDX", "expected an entry: lbn, cyl, off");
  expect({}, &P::root, "480, 16, 0.7", "480, 14, 0.7", "IDX", "two runs have the same sectors");
  expect({}, &P::tracks, "0, 9, 10", "0, 10, 10", "TP", "found sectors 0 to 10 of a track of 10");
  expect({}, &P::tracks, "0, 9, 10", "0, 9", "TP", "has 5 values, expected threes");
  expect({}, &P::slips, "245, 3", "245", "Slips", "odd number of values");
  expect({}, &P::slips, "245, 3", "245, -3", "Slips", "found -3");
  expect({}, &P::slips, "245, 3", "245, 3000", "Slips", "past the layout's end");
}

TEST_F(DisksimImportTest, SeekCurvesOfReadsAndWrites) {
  Disk disk;
  disk.mechanics = {{"Seek type", "extracted"}, {"Full seek curve", "a.seek"}};
  file("a.seek", "1, 0.5, 0.01, 0.7\n10, 1.0, 0.01, 1.5\n19, 2.0, 0.0, 2.5\n");
  const Import i = import(disk);
  EXPECT_EQ(i.profile.seek.points_us, (std::vector<std::pair<std::uint32_t, double>>{{1, 500}, {10, 1000}, {19, 2000}}));
  EXPECT_EQ(i.profile.seek.write_points_us, (std::vector<std::pair<std::uint32_t, double>>{{1, 700}, {10, 1500}, {19, 2500}}));
  EXPECT_EQ(i.profile.write_settle_us, 0) << "the times of writes contain it";
  expect_remark(i, "Add. write settling delay", Remark::Kind::Changed, "contain it");
  file("a.seek", "1, 0.5, 0.01, 0.7\n10, 1.0, 0.01\n");
  EXPECT_NE(problems_of(disk)[0].message.find("on every line or on none"), std::string::npos);
  file("a.seek", "1, 0.5, 0.01, 0.7, 3\n");
  EXPECT_NE(problems_of(disk)[0].message.find("expected nothing more"), std::string::npos);
}

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The layouts of real drives: capacities and cylinders. `tb/cli/drives_test.py` compares a map that was read from one of them.
TEST_F(DisksimImportTest, MeasuredLayouts) {
  const char* set = std::getenv("PLATTER_LAYOUTS_DIR");
  if (set == nullptr) GTEST_SKIP() << "PLATTER_LAYOUTS_DIR names no folder of layouts";
  const fs::path folder(set);
  const Import cheetah = import_drive(folder / "cheetah15k5" / "Seagate-Cheetah15k5.parv");
  EXPECT_EQ(cheetah.blocks, 286749488u);
  EXPECT_EQ(cheetah.profile.geometry.cylinders, 72171u);
  EXPECT_EQ(mechanics::Geometry(cheetah.profile.geometry).zone_count(), 14u);
  // The model names a seek curve that does not come with it; another one does.
  for (const char* name : {"maxtor300g.diskspecs", "maxtor300g.parv", "maxtor300g-layout.model", "maxtor300g.model"})
    file(name, text_of(folder / "maxtor300" / name));
  file("maxtor300g_dual.seek", text_of(folder / "maxtor300" / "maxtor300g.seek"));
  const Import maxtor = import_drive(dir_ / "maxtor300g.parv");
  EXPECT_EQ(maxtor.blocks, 585937500u);
  EXPECT_EQ(maxtor.profile.geometry.cylinders, 80513u);
  EXPECT_EQ(mechanics::Geometry(maxtor.profile.geometry).zone_count(), 15u);
  const Import wd = import_drive(folder / "wd4t" / "G4_LBA_64bit_4T.parv");
  EXPECT_EQ(wd.blocks, 7542225920u);
  EXPECT_EQ(wd.profile.geometry.cylinders, 303104u);
}

TEST_F(DisksimImportTest, WrongContents) {
  const auto with = [](const Pairs& disk, const Pairs& mechanics, const Pairs& layout, const Pairs& model) {
    Disk d;
    d.disk = disk;
    d.mechanics = mechanics;
    d.layout = layout;
    d.model = model;
    return d;
  };
  expect_problem(with({}, {{"Seek type", "extractet"}}, {}, {}), "Seek type", "did you mean extracted?");
  expect_problem(with({}, {{"Access time type", "none"}}, {}, {}), "Access time type", "found none");
  expect_problem(with({}, {{"HPL seek equation values", "[ 1, 2.0 ]"}}, {}, {}), "HPL seek equation values", "has 2 values");
  expect_problem(with({}, {{"HPL seek equation values", "[ 1, 2.0, a, 1.0, 1.0, 1.0 ]"}}, {}, {}), "HPL seek equation values",
                 "found the word a");
  expect_problem(with({}, {{"Rotation speed (in rpms)", "7"}}, {}, {}), "Rotation speed (in rpms)", "mechanics.rpm = 7");
  expect_problem(with({}, {}, {{"Zones", "[ 1 ]"}}, {}), "Zones", "found 1, expected a block dm_layout_g1_zone");
  expect_problem(with({}, {}, {{"Zones", "[ ]"}}, {}), "Zones", "has no zone");
  expect_problem(with({}, {}, {}, {{"Layout Model", "dm_layout_g2 { x = 1 }"}}), "Layout Model",
                 "found a block dm_layout_g2, expected a block dm_layout_g1 or dm_layout_g4");
  expect_problem(with({}, {}, {}, {{"Mechanical Model", ""}}), "Mechanical Model", "is missing");
  expect_problem(with({{"Model", "MADE_UP_model"}}, {}, {}, {}), "Model", "found the word MADE_UP_model, expected a block");
  expect_problem(with({{"Number of buffer segments", "5000"}}, {}, {}, {}), "Number of buffer segments", "0 to 4096");
  expect_problem(with({}, {}, {}, {{"Number of cylinders", "99999999"}}), "Number of cylinders", "geometry.cylinders");

  Disk disk;
  disk.zones[1].more = {{"Skew units", "degrees"}};
  expect_problem(disk, "Skew units", "expected sectors or revolutions");
  disk.zones[1].more.clear();
  disk.zones[1].first = 9;
  expect_problem(disk, "First cylinder number", "expected more than 9");
  disk.zones[1].first = 10;
  disk.zones[1].slips = "1, two";
  expect_problem(disk, "slips", "found the word two");
  disk.zones[1].slips = "-1";
  expect_problem(disk, "slips", "found -1");
  disk.zones[1].slips = "";
  disk.zones[1].defects = "1";
  expect_problem(disk, "defects", "odd number");
  disk.zones[1].defects = "1, 2.0";
  expect_problem(disk, "defects", "found 2.0");
  disk.zones[1].defects = "";
  disk.zones[1].spares = 1000;
  expect_problem(disk, "Number of spares", "the zone has 240 sectors in all");
  disk.zones[1].spares = 240;
  expect_problem(disk, "Zones", "spare sectors of 240");
  disk.zones[1] = {10, 19, 8, 0, "", "", {{"Empty space at zone front", "240"}}};
  expect_problem(disk, "Zones", "holds no block");
}

TEST_F(DisksimImportTest, ABusThatIsNone) {
  const std::string system = Disk{}.text() + "instantiate [ d ] as MADE_UP topology disksim_bus b [ disksim_disk d [] ]\n";
  EXPECT_THROW(import(system), InputError);
  EXPECT_THROW(import(system + "instantiate [ b ] as MADE_UP"), ConfigError);
  EXPECT_THROW(import(system + "instantiate [ b ] as B\n" + bus("B", 0, 0, ", Colour = red")), ConfigError);
  EXPECT_NO_THROW(import(system + "instantiate [ b ] as B\n" + bus("B", 0, 0)));
}

TEST_F(DisksimImportTest, CutOffAnywhere) {
  const std::string text = Disk{}.text();
  for (std::size_t length = 0; length + 3 < text.size(); length += 7) {
    try {
      import(text.substr(0, length));
      ADD_FAILURE() << length;
    } catch (const InputError&) {
    } catch (const ConfigError&) {
    }
  }
}

// --- measured drives -------------------------------------------------------------------------------------------------
//
// DiskSim's own files of real drives, with the facts they hold taken down by somebody else; they are not part of the project.

class MeasuredDrives : public ::testing::TestWithParam<const char*> {};

void expect_facts(const Import& import, const nlohmann::json& facts) {
  const profile::DriveProfile& p = import.profile;
  const auto us = [](const nlohmann::json& value) { return value.get<double>() * 1e3; };
  const nlohmann::json& geometry = facts["geometry"];
  EXPECT_EQ(import.blocks, geometry["lbn_count_from_zones"]);
  EXPECT_EQ(p.geometry.surfaces, geometry["surfaces"]);
  EXPECT_EQ(p.geometry.cylinders, geometry["cylinders"]);
  EXPECT_EQ(static_cast<int>(p.geometry.mapping), geometry["lbn_mapping_scheme"]);
  ASSERT_EQ(p.geometry.zones.size(), facts["zones"].size());
  std::uint64_t first_block = 0;
  for (std::size_t i = 0; i < p.geometry.zones.size(); ++i) {
    const profile::ZoneProfile& zone = p.geometry.zones[i];
    const nlohmann::json& fact = facts["zones"][i];
    EXPECT_EQ(zone.first_cylinder, fact["first_cyl"]);
    EXPECT_EQ(zone.last_cylinder, fact["last_cyl"]);
    EXPECT_EQ(zone.sectors_per_track, fact["spt"]);
    EXPECT_EQ(zone.offset_sectors, fact["first_block_offset"]);
    EXPECT_EQ(zone.front_sectors, fact["dead_blocks_at_front"]);
    EXPECT_EQ(zone.track_skew_sectors, fact["track_skew"]);
    EXPECT_EQ(zone.cylinder_skew_sectors, fact["cyl_skew"]);
    auto slips = fact["slips"].get<std::vector<std::uint32_t>>();
    std::sort(slips.begin(), slips.end());
    EXPECT_EQ(geometry["sparing_scheme"] == 1 ? zone.slipped_tracks : zone.slips, slips) << "zone " << i;
    EXPECT_EQ(first_block, fact["first_lbn"]) << "zone " << i;
    profile::GeometryProfile alone = p.geometry;
    alone.zones = {zone};
    const std::uint64_t blocks = mechanics::Geometry(alone).block_count();
    EXPECT_EQ(blocks, fact["lbns"]) << "zone " << i;
    first_block += blocks;
  }
  const nlohmann::json& mechanics = facts["mechanics"];
  EXPECT_EQ(p.rpm, mechanics["rpm"]);
  EXPECT_DOUBLE_EQ(p.head_switch_us, us(mechanics["head_switch_ms"]));
  EXPECT_DOUBLE_EQ(p.write_settle_us, us(mechanics["write_settle_ms"]));
  if (mechanics["seek_type"] == "extracted") {
    const nlohmann::json& curve = mechanics["seek_curve_cyl_ms"];
    ASSERT_EQ(p.seek.points_us.size(), curve.size());
    for (std::size_t i = 0; i < curve.size(); ++i) {
      EXPECT_EQ(p.seek.points_us[i].first, curve[i][0]);
      EXPECT_DOUBLE_EQ(p.seek.points_us[i].second, us(curve[i][1]));
    }
  }
  const nlohmann::json& interface = facts["interface"];
  const double disk = us(interface["disk_block_xfer_ms"]);
  EXPECT_DOUBLE_EQ(p.bus_read_block_us, std::max(disk, us(interface["bus_read_block_ms"])));
  EXPECT_DOUBLE_EQ(p.bus_write_block_us, std::max(disk, us(interface["bus_write_block_ms"])));
  const nlohmann::json& cache = facts["cache"];
  EXPECT_EQ(p.cache.segments, cache["number_of_buffer_segments"]);
  EXPECT_EQ(p.cache.segment_blocks, cache["segment_size_in_blks"]);
  EXPECT_EQ(p.cache.write_segments, cache["maximum_number_of_write_segments"]);
  EXPECT_EQ(p.cache.separate_write_segments, cache["use_separate_write_segment"] != 0);
  EXPECT_EQ(p.cache.read_hits_on_writes, cache["allow_read_hits_on_write_data"] != 0);
  EXPECT_EQ(static_cast<int>(p.cache.read_ahead), cache["buffer_continuous_read"]);
  EXPECT_EQ(p.cache.read_ahead_blocks, cache["maximum_read_ahead_blks"]);
  EXPECT_EQ(p.cache.read_ahead_on_hit, cache["read_ahead_on_idle_hit"] != 0);
  EXPECT_EQ(p.cache.keep_passing_sectors, cache["read_any_free_blocks"] != 0);
  EXPECT_EQ(p.cache.stop_in_sector, cache["stop_prefetch_in_sector"] != 0);
  EXPECT_EQ(static_cast<int>(p.cache.write_back), cache["fast_write_level"]);
  EXPECT_EQ(p.zero_latency_read, cache["immediate_buffer_read"] != 0);
  EXPECT_EQ(p.zero_latency_write, cache["immediate_buffer_write"] != 0);
  EXPECT_EQ(p.bus_read_watermark, cache["high_read_water_mark"]);
  EXPECT_EQ(p.bus_write_low_watermark, cache["low_write_water_mark"]);
  EXPECT_EQ(p.bus_hold_read, interface["hold_bus_entire_read_xfer"] != 0);
  EXPECT_EQ(p.bus_hold_write, interface["hold_bus_entire_write_xfer"] != 0);
  EXPECT_EQ(p.bus_never_disconnect, interface["never_disconnect"] != 0);
  const nlohmann::json& overhead = facts["overheads_ms"];
  const std::string write = cache["fast_write_level"] == 0 ? "write_miss" : "write_hit";
  for (std::size_t last = 0; last < 2; ++last) {
    const std::string after = last == 0 ? "_over_after_read" : "_over_after_write";
    EXPECT_DOUBLE_EQ(p.overhead.read_hit_us[last], us(overhead["read_hit" + after]));
    EXPECT_DOUBLE_EQ(p.overhead.read_miss_us[last], us(overhead["read_miss" + after]));
    EXPECT_DOUBLE_EQ(p.overhead.write_us[last], us(overhead[write + after]));
  }
}

TEST_P(MeasuredDrives, HoldWhatTheirFactsSay) {
  const char* set = std::getenv("PLATTER_VALIDATION_DIR");
  if (set == nullptr) GTEST_SKIP() << "PLATTER_VALIDATION_DIR names no folder of measured drives";
  const fs::path folder = fs::path(set) / GetParam();
  if (!fs::is_directory(folder)) GTEST_SKIP() << folder << " is not there";
  const Import import = import_drive(folder / (std::string(GetParam()) + ".parv"));
  std::ifstream in(folder / "facts.json");
  expect_facts(import, nlohmann::json::parse(in));
  const fs::path out = fs::path(::testing::TempDir()) / (std::string("platter_measured_") + GetParam() + ".toml");
  std::ofstream(out) << profile_file(import);
  EXPECT_EQ(profile::configuration(system::load_drive(out.string())), profile::configuration(import.profile));
  fs::remove(out);
}

INSTANTIATE_TEST_SUITE_P(DisksimImport, MeasuredDrives,
                         ::testing::Values("atlas10k", "atlas_III", "barracuda", "cheetah9LP", "hp_c2247a", "hp_c3323a",
                                           "ibm18es"),
                         [](const auto& drive) { return std::string(drive.param); });

}  // namespace
}  // namespace platter::disksim
