// SPDX-License-Identifier: Apache-2.0
//
// Loads on zones, held against the rules of zones and against a record of what was written where. Requests end in any order, as a drive ends them.
#include "platter/workload/zone_load.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

namespace platter::workload {
namespace {

using command::CommandStatus;
using command::Operation;

constexpr std::uint32_t kBlock = 512;

zones::ZoneOptions drive_of(std::uint32_t zones, std::uint32_t max_open) {
  zones::ZoneOptions options;
  options.zone_blocks = 256;
  options.conventional = 2;
  options.blocks = (options.conventional + zones) * options.zone_blocks + 8;  // the last zone is a small one
  options.max_open = max_open;
  options.physical_blocks = 8;
  return options;
}

/// A drive that accepts requests in their order, and ends them in any order but for the rules of ordered commands and of overlapping ones.
class Rig {
 public:
  Rig(const ZoneLoadParameters& parameters, const zones::ZoneOptions& options, std::uint64_t seed)
      : zones(options), load(make_zone_load(parameters, ZoneSpace(parameters, options, kBlock), 0, seed)), draws_(seed, "rig") {
    unit_blocks_ = static_cast<std::uint32_t>(parameters.bytes) / kBlock;
    for (std::uint32_t i = 0; i < load->closed_depth(); ++i) take();
  }

  /// Ends one request. False if there is none, so the load is stuck.
  bool step() {
    if (flying_.empty()) return false;
    // A reset waits for all older requests, and all younger ones for it.
    std::size_t ready = 0;
    while (ready < flying_.size() && flying_[ready].operation != Operation::Zone) ++ready;
    const std::size_t at = ready == 0 ? 0 : draws_.below(ready);
    const Request request = flying_[at];
    flying_.erase(flying_.begin() + static_cast<std::ptrdiff_t>(at));
    load->ended(request);
    take();
    while (load->more()) take();
    return true;
  }

  std::size_t of_host() const {  // outstanding
    return static_cast<std::size_t>(std::count_if(flying_.begin(), flying_.end(), [](const Request& r) { return r.job == 0; }));
  }

  zones::Zones zones;
  std::unique_ptr<ZoneLoad> load;
  std::uint64_t requests = 0;
  std::map<Operation, std::uint64_t> accepted;

 private:
  void take() {
    Request request;
    if (!load->next(request, 0)) return;
    ++requests;
    ++accepted[request.operation];
    const std::uint64_t first = request.address / kBlock;
    CommandStatus status = CommandStatus::Good;
    zones::ZoneChange change;
    switch (request.operation) {
      case Operation::Read:
        status = zones.read(first, unit_blocks_);
        EXPECT_TRUE(written_.count(first)) << "request " << requests << " reads block " << first << ", which was not written";
        break;
      case Operation::Write:
        status = zones.write(first, unit_blocks_);
        written_.insert(first);
        break;
      case Operation::Zone:
        status = zones.manage(request.zone_action, first, request.all_zones, change);
        EXPECT_EQ(change.zones, 1u) << "an empty zone is reset";
        written_.erase(written_.lower_bound(first), written_.lower_bound(first + zones.options().zone_blocks));
        break;
      case Operation::Flush: FAIL();
    }
    EXPECT_EQ(status, CommandStatus::Good) << "request " << requests << " at block " << first << ": "
                                           << command::to_string(status);
    flying_.push_back(request);
  }

  core::RandomStream draws_;
  std::uint32_t unit_blocks_;
  std::vector<Request> flying_;
  std::set<std::uint64_t> written_;  ///< first blocks of units
};

ZoneLoadParameters ring(std::int64_t writers, double reads) {
  ZoneLoadParameters p;
  p.source = ZoneLoadParameters::Source::Ring;
  p.bytes = 8192;  // 16 in a zone
  p.outstanding = 24;
  p.writers = writers;
  p.read_fraction = reads;
  return p;
}

ZoneLoadParameters log(double utilisation, double reads, std::int64_t cleaners) {
  ZoneLoadParameters p = ring(1, reads);
  p.source = ZoneLoadParameters::Source::Log;
  p.utilisation = utilisation;
  p.cleaner_outstanding = cleaners;
  return p;
}

TEST(ZoneLoad, ARingWritesAtTheWritePointersAndReadsWhatIsThere) {
  for (const std::int64_t writers : {1, 5, 12})
    for (const double reads : {0.0, 0.5}) {
      SCOPED_TRACE(::testing::Message() << writers << " writers, " << reads << " reads");
      Rig rig(ring(writers, reads), drive_of(20, 12), 7);
      while (rig.requests < 30'000) ASSERT_TRUE(rig.step());
      EXPECT_EQ(rig.zones.counts().refused_writes, 0u);
      EXPECT_EQ(rig.zones.counts().implicit_closes, 0u);
      EXPECT_EQ(rig.load->counts().written_bytes, rig.accepted[Operation::Write] * 8192);
      EXPECT_EQ(rig.load->counts().resets, rig.accepted[Operation::Zone]);
      // Each zone but the first 20 was full before, and was reset once for each time that it was filled again.
      EXPECT_NEAR(static_cast<double>(rig.load->counts().resets), static_cast<double>(rig.accepted[Operation::Write]) / 16 - 20,
                  12);
      EXPECT_NEAR(static_cast<double>(rig.accepted[Operation::Read]), reads * 30'000, 600);
    }
}

TEST(ZoneLoad, ALogKeepsEveryLiveUnit) {
  for (const double utilisation : {0.3, 0.7, 0.8})
    for (const std::int64_t cleaners : {1, 8}) {
      SCOPED_TRACE(::testing::Message() << "utilisation " << utilisation << ", " << cleaners << " requests of the cleaner");
      const ZoneLoadParameters parameters = log(utilisation, 0.25, cleaners);
      const auto unit_bytes = static_cast<std::uint64_t>(parameters.bytes);
      Rig rig(parameters, drive_of(40, 2), 11);
      auto& load = dynamic_cast<ZoneLog&>(*rig.load);
      while (rig.requests < 100'000) {
        ASSERT_TRUE(rig.step()) << "stuck after " << rig.requests << " requests";
        ASSERT_EQ(rig.of_host() + load.waiting(), 24u) << "each place is outstanding, or its write waits";
        if (rig.requests % 97 != 0) continue;
        std::set<ZoneLog::Place> places;
        for (std::uint32_t logical = 0; logical < load.logical_units(); ++logical) {
          const ZoneLog::Place place = load.place_of(logical);
          if (place == ZoneLog::kNowhere) continue;
          ASSERT_EQ(load.written_at(place), logical) << "its place has the data of another one";
          ASSERT_TRUE(places.insert(place).second) << "two live units at one place";
        }
      }
      EXPECT_EQ(load.logical_units(), static_cast<std::uint32_t>(utilisation * 40 * 16));
      const ZoneLoadCounts& counts = load.counts();
      EXPECT_GT(counts.cleaned_zones, 100u);
      EXPECT_EQ(counts.written_bytes + counts.copied_bytes, rig.accepted[Operation::Write] * unit_bytes);
      EXPECT_GE((counts.live_units + 16) * unit_bytes, counts.copied_bytes);
      const double live = static_cast<double>(counts.live_units) / static_cast<double>(counts.cleaned_units);
      EXPECT_LT(live, utilisation) << "the emptiest zone has less live data than the mean";
    }
}

TEST(ZoneLoad, ALogCopiesMoreTheFullerItIs) {
  std::vector<double> amplification;
  for (const double utilisation : {0.1, 0.4, 0.6, 0.8}) {
    Rig rig(log(utilisation, 0, 2), drive_of(64, 2), 3);
    while (rig.requests < 40'000) ASSERT_TRUE(rig.step());
    const ZoneLoadCounts& counts = rig.load->counts();
    amplification.push_back(1 + static_cast<double>(counts.copied_bytes) / static_cast<double>(counts.written_bytes));
  }
  EXPECT_LT(amplification[0], 1.05);
  for (std::size_t i = 1; i < amplification.size(); ++i) EXPECT_GT(amplification[i], amplification[i - 1]);
}

TEST(ZoneLoad, TheSameSeedGivesTheSameRequests) {
  for (const ZoneLoadParameters& parameters : {ring(3, 0.5), log(0.6, 0.5, 2)}) {
    Rig one(parameters, drive_of(30, 3), 5);
    Rig other(parameters, drive_of(30, 3), 5);
    Rig another(parameters, drive_of(30, 3), 6);
    for (int i = 0; i < 3000; ++i) ASSERT_TRUE(one.step() && other.step() && another.step());
    EXPECT_EQ(one.accepted, other.accepted);
    EXPECT_NE(one.accepted, another.accepted);
  }
}

TEST(ZoneLoad, WhatDoesNotFitIsRefused) {
  const auto key = [](const ZoneLoadParameters& p, const zones::ZoneOptions& options) {
    const auto objection = zone_load_objection(p, options, kBlock);
    return objection ? objection->first : "";
  };
  EXPECT_EQ(key(ring(12, 0), drive_of(20, 12)), "");
  EXPECT_EQ(key(ring(13, 0), drive_of(20, 12)), "workload.zones.writers") << "more than the drive can open";
  EXPECT_EQ(key(ring(12, 0), drive_of(11, 12)), "workload.zones.writers") << "more than zones";
  ZoneLoadParameters p = ring(1, 0);
  p.bytes = 3 * 4096;
  EXPECT_EQ(key(p, drive_of(20, 12)), "workload.zones.bytes");
  p = ring(1, 0);
  p.zones = 21;
  EXPECT_EQ(key(p, drive_of(20, 12)), "workload.zones.zones");
  EXPECT_EQ(key(log(0.7, 0, 1), drive_of(20, 1)), "workload.zones.source");
  EXPECT_EQ(key(log(0.75, 0, 1), drive_of(20, 2)), "");
  EXPECT_EQ(key(log(0.8, 0, 1), drive_of(20, 2)), "workload.zones.utilisation") << "2 zones in reserve, and 3 in use";
  EXPECT_EQ(key(log(0.1, 0, 1), drive_of(5, 2)), "workload.zones.utilisation");
  zones::ZoneOptions large = drive_of(20, 2);
  large.zone_blocks = std::uint64_t{1} << 27;
  large.blocks = 22 * large.zone_blocks;
  EXPECT_EQ(key(log(0.5, 0, 1), large), "workload.zones.zones") << "a unit for each of 160 million requests";
}

}  // namespace
}  // namespace platter::workload
