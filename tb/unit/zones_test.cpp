// SPDX-License-Identifier: Apache-2.0
#include "platter/mapping/zones/zones.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <vector>

namespace platter::zones {
namespace {

using Status = CommandStatus;
using Condition = ZoneCondition;
using Action = ZoneAction;

constexpr std::uint64_t kZone = 64;  // blocks
constexpr std::uint32_t kZones = 12;
constexpr std::uint64_t kRunt = 24;  // blocks of the last zone
constexpr std::uint64_t kBlocks = (kZones - 1) * kZone + kRunt;
constexpr std::uint32_t kConventional = 2;
constexpr std::uint64_t kFirst = kConventional * kZone;  // the first zone with a write pointer

ZoneOptions small(ZoneModel model = ZoneModel::Managed) { return {model, kBlocks, kZone, kConventional, 3, true, 8}; }

Status act(Zones& zones, Action action, std::uint64_t first) {
  ZoneChange change;
  return zones.manage(action, first, false, change);
}
Status all(Zones& zones, Action action) {
  ZoneChange change;
  return zones.manage(action, 0, true, change);
}
Condition condition(const Zones& zones, std::uint32_t zone) { return zones.descriptor(zone).condition; }
std::uint64_t pointer(const Zones& zones, std::uint32_t zone) { return zones.descriptor(zone).write_pointer; }

TEST(Zones, ANewDriveHasConventionalAndEmptyZones) {
  const Zones zones(small());
  ASSERT_EQ(zones.count(), kZones);
  EXPECT_EQ(zones.descriptor(0).type, ZoneType::Conventional);
  EXPECT_EQ(condition(zones, 1), Condition::NoPointer);
  EXPECT_EQ(pointer(zones, 1), ZoneDescriptor::kNoPointer);
  EXPECT_EQ(zones.descriptor(2).type, ZoneType::SequentialRequired);
  EXPECT_EQ(condition(zones, 2), Condition::Empty);
  EXPECT_EQ(pointer(zones, 2), kFirst);
  EXPECT_EQ(zones.descriptor(kZones - 1).blocks, kRunt);
  EXPECT_EQ(Zones(small(ZoneModel::Aware)).descriptor(2).type, ZoneType::SequentialPreferred);
}

struct Write {
  const char* what;
  std::uint64_t first;
  std::uint32_t blocks;
  Status expected;
};

TEST(Zones, WritesOfAHostManagedDrive) {
  for (const Write& w :
       {Write{"at the pointer", kFirst, 8, Status::Good}, Write{"a whole zone", kFirst, kZone, Status::Good},
        Write{"the whole last zone", (kZones - 1) * kZone, kRunt, Status::Good},
        Write{"behind the pointer", kFirst + 8, 8, Status::UnalignedWrite},
        Write{"no whole physical sector", kFirst, 7, Status::UnalignedWrite},
        Write{"past the end of the zone", kFirst, kZone + 8, Status::WriteBoundary},
        Write{"past the end, and not at the pointer", kFirst + 8, kZone, Status::WriteBoundary},
        Write{"in a conventional zone", 5, 3, Status::Good}, Write{"across conventional zones", kZone - 1, 2, Status::Good},
        Write{"from a conventional zone on", kFirst - 8, 16, Status::WriteBoundary}}) {
    Zones zones(small());
    EXPECT_EQ(zones.write(w.first, w.blocks), w.expected) << w.what;
    EXPECT_EQ(zones.counts().refused_writes, w.expected == Status::Good ? 0u : 1u) << w.what;
    if (w.expected != Status::Good) {
      EXPECT_EQ(condition(zones, kConventional), Condition::Empty) << w.what;
    }
  }
}

TEST(Zones, AWriteOpensItsZoneAndFillsIt) {
  Zones zones(small());
  EXPECT_EQ(zones.write(kFirst, 8), Status::Good);
  EXPECT_EQ(condition(zones, 2), Condition::ImplicitOpen);
  EXPECT_EQ(pointer(zones, 2), kFirst + 8);
  EXPECT_EQ(zones.write(kFirst, 8), Status::UnalignedWrite);  // before the pointer
  EXPECT_EQ(zones.write(kFirst + 8, kZone - 8), Status::Good);
  EXPECT_EQ(condition(zones, 2), Condition::Full);
  EXPECT_EQ(pointer(zones, 2), ZoneDescriptor::kNoPointer);
  EXPECT_EQ(zones.open(), 0u);
  EXPECT_EQ(zones.write(kFirst, 8), Status::BadZone);               // full
  EXPECT_EQ(zones.write(kFirst + kZone - 8, 16), Status::BadZone);  // full, which is checked before the boundary
}

TEST(Zones, ReadsWithoutRestriction) {
  Zones zones(small());
  EXPECT_EQ(zones.read(kFirst, 8), Status::Good);  // nothing is written
  EXPECT_EQ(zones.read(kFirst + kZone - 8, 16), Status::Good);
  EXPECT_EQ(zones.read(0, kFirst), Status::Good);
  EXPECT_EQ(zones.read(kFirst - 8, 16), Status::ReadBoundary);
}

TEST(Zones, ReadsWithRestriction) {
  ZoneOptions options = small();
  options.unrestricted_reads = false;
  Zones zones(options);
  EXPECT_EQ(zones.write(kFirst, 16), Status::Good);
  EXPECT_EQ(zones.read(kFirst, 16), Status::Good);
  EXPECT_EQ(zones.read(kFirst + 8, 16), Status::ReadInvalid);
  EXPECT_EQ(zones.read(kFirst + kZone - 8, 16), Status::ReadBoundary);
  EXPECT_EQ(zones.read(kZone - 8, 16), Status::Good);  // conventional zones
  EXPECT_EQ(act(zones, Action::Finish, kFirst), Status::Good);
  EXPECT_EQ(zones.read(kFirst, kZone), Status::Good);
  EXPECT_EQ(zones.counts().refused_reads, 2u);
}

TEST(Zones, WhichZoneAnActionNames) {
  Zones zones(small());
  for (const Action action : {Action::Open, Action::Close, Action::Finish, Action::Reset}) {
    EXPECT_EQ(act(zones, action, 0), Status::BadZone);           // conventional
    EXPECT_EQ(act(zones, action, kFirst + 8), Status::BadZone);  // no start of a zone
    EXPECT_EQ(act(zones, action, kBlocks), Status::BadAddress);
    EXPECT_EQ(act(zones, action, kFirst), Status::Good);
  }
  EXPECT_EQ(act(zones, Action::None, kFirst), Status::BadCommand);
}

struct Transition {
  Condition from;
  bool written;
  Action action;
  Condition to;
};

TEST(Zones, ActionsByCondition) {
  using C = Condition;
  for (const Transition& t : {Transition{C::Empty, false, Action::Open, C::ExplicitOpen},
                              {C::Empty, false, Action::Close, C::Empty},
                              {C::Empty, false, Action::Finish, C::Full},
                              {C::Empty, false, Action::Reset, C::Empty},
                              {C::ImplicitOpen, true, Action::Open, C::ExplicitOpen},
                              {C::ImplicitOpen, true, Action::Close, C::Closed},
                              {C::ImplicitOpen, true, Action::Finish, C::Full},
                              {C::ImplicitOpen, true, Action::Reset, C::Empty},
                              {C::ExplicitOpen, false, Action::Open, C::ExplicitOpen},
                              {C::ExplicitOpen, false, Action::Close, C::Empty},
                              {C::ExplicitOpen, true, Action::Close, C::Closed},
                              {C::ExplicitOpen, true, Action::Finish, C::Full},
                              {C::ExplicitOpen, true, Action::Reset, C::Empty},
                              {C::Closed, true, Action::Open, C::ExplicitOpen},
                              {C::Closed, true, Action::Close, C::Closed},
                              {C::Closed, true, Action::Finish, C::Full},
                              {C::Closed, true, Action::Reset, C::Empty},
                              {C::Full, true, Action::Open, C::Full},
                              {C::Full, true, Action::Close, C::Full},
                              {C::Full, true, Action::Finish, C::Full},
                              {C::Full, true, Action::Reset, C::Empty}}) {
    Zones zones(small());
    if (t.from == C::ExplicitOpen) act(zones, Action::Open, kFirst);
    if (t.written) zones.write(kFirst, 8);
    if (t.from == C::Closed) act(zones, Action::Close, kFirst);
    if (t.from == C::Full) act(zones, Action::Finish, kFirst);
    ASSERT_EQ(condition(zones, 2), t.from);
    const std::uint64_t before = pointer(zones, 2);
    ZoneChange change;
    EXPECT_EQ(zones.manage(t.action, kFirst, false, change), Status::Good);
    EXPECT_EQ(condition(zones, 2), t.to);
    EXPECT_EQ(change.zones, t.from == t.to ? 0u : 1u);
    const bool drops = t.action == Action::Reset && t.from != C::Empty;
    EXPECT_EQ(change.dropped.size(), drops ? 1u : 0u);
    if (t.to == C::Full)
      EXPECT_EQ(pointer(zones, 2), ZoneDescriptor::kNoPointer);
    else
      EXPECT_EQ(pointer(zones, 2), t.to == C::Empty ? kFirst : before);
  }
}

TEST(Zones, TheDriveClosesTheZoneThatWasWrittenLeastRecently) {
  Zones zones(small());
  for (const std::uint32_t zone : {2u, 3u, 4u}) EXPECT_EQ(zones.write(zone * kZone, 8), Status::Good);
  EXPECT_EQ(zones.write(2 * kZone + 8, 8), Status::Good);  // zone 3 is now the one
  EXPECT_EQ(zones.write(5 * kZone, 8), Status::Good);
  EXPECT_EQ(condition(zones, 3), Condition::Closed);
  EXPECT_EQ(zones.open(), 3u);
  EXPECT_EQ(act(zones, Action::Open, 6 * kZone), Status::Good);
  EXPECT_EQ(condition(zones, 4), Condition::Closed);
  EXPECT_EQ(zones.counts().implicit_opens, 4u);
  EXPECT_EQ(zones.counts().implicit_closes, 2u);
}

TEST(Zones, TheDriveNeverClosesWhatTheHostHasOpened) {
  Zones zones(small());
  for (const std::uint32_t zone : {2u, 3u, 4u}) EXPECT_EQ(act(zones, Action::Open, zone * kZone), Status::Good);
  EXPECT_EQ(act(zones, Action::Open, 5 * kZone), Status::NoOpenZone);
  EXPECT_EQ(zones.write(5 * kZone, 8), Status::NoOpenZone);
  EXPECT_EQ(act(zones, Action::Finish, 5 * kZone), Status::NoOpenZone);  // it is empty, and would be open for a moment
  EXPECT_EQ(act(zones, Action::Finish, 4 * kZone), Status::Good);
  EXPECT_EQ(act(zones, Action::Open, 5 * kZone), Status::Good);
  EXPECT_EQ(zones.open(), 3u);
}

TEST(Zones, AllZones) {
  Zones zones(small());
  for (const std::uint32_t zone : {2u, 3u, 4u, 5u}) zones.write(zone * kZone, 8);  // 2 is closed
  act(zones, Action::Open, 6 * kZone);                                             // 3 is closed
  EXPECT_EQ(all(zones, Action::Open), Status::Good);
  EXPECT_EQ(condition(zones, 2), Condition::ExplicitOpen);
  EXPECT_EQ(condition(zones, 3), Condition::ExplicitOpen);
  EXPECT_EQ(condition(zones, 4), Condition::Closed);  // made room
  EXPECT_EQ(condition(zones, 5), Condition::Closed);
  EXPECT_EQ(all(zones, Action::Open), Status::NoOpenZone);  // 4 and 5 do not fit: nothing changes
  EXPECT_EQ(condition(zones, 4), Condition::Closed);
  EXPECT_EQ(all(zones, Action::Close), Status::Good);
  EXPECT_EQ(condition(zones, 6), Condition::Empty);
  EXPECT_EQ(condition(zones, 2), Condition::Closed);
  for (const std::uint32_t zone : {7u, 8u, 9u}) act(zones, Action::Open, zone * kZone);
  EXPECT_EQ(all(zones, Action::Finish), Status::Good);  // needs no open zone
  for (const std::uint32_t zone : {2u, 3u, 4u, 5u, 7u, 8u, 9u}) EXPECT_EQ(condition(zones, zone), Condition::Full);
  EXPECT_EQ(condition(zones, 6), Condition::Empty);
  ZoneChange change;
  EXPECT_EQ(zones.manage(Action::Reset, 0, true, change), Status::Good);
  EXPECT_EQ(change.zones, 7u);
  ASSERT_EQ(change.dropped.size(), 2u);  // neighbours are joined
  EXPECT_EQ(change.dropped[0].first, 2 * kZone);
  EXPECT_EQ(change.dropped[0].blocks, 4 * kZone);
  EXPECT_EQ(change.dropped[1].first, 7 * kZone);
  EXPECT_EQ(zones.open(), 0u);
}

TEST(Zones, ZonesThatAreWornOut) {
  Zones zones(small());
  zones.write(kFirst, 8);
  zones.wear_out(2, Condition::ReadOnly);
  zones.wear_out(3, Condition::Offline);
  EXPECT_EQ(zones.open(), 0u);
  EXPECT_EQ(zones.read(kFirst, 8), Status::Good);
  EXPECT_EQ(zones.write(kFirst + 8, 8), Status::ZoneReadOnly);
  EXPECT_EQ(zones.read(3 * kZone, 8), Status::ZoneOffline);
  EXPECT_EQ(zones.read(kFirst, kZone + 8), Status::ZoneOffline);
  EXPECT_EQ(zones.write(3 * kZone, 8), Status::ZoneOffline);
  EXPECT_EQ(act(zones, Action::Reset, kFirst), Status::ZoneReadOnly);
  EXPECT_EQ(act(zones, Action::Open, 3 * kZone), Status::ZoneOffline);
  EXPECT_EQ(all(zones, Action::Reset), Status::Good);
  EXPECT_EQ(condition(zones, 2), Condition::ReadOnly);
}

/// The order of the table of errors in docs/reference/zones.md.
TEST(Zones, TheFirstOfSeveralErrors) {
  ZoneOptions options = small();
  options.unrestricted_reads = false;
  Zones zones(options);
  zones.write(3 * kZone, 8);
  zones.wear_out(2, Condition::Offline);
  zones.wear_out(5, Condition::ReadOnly);
  EXPECT_EQ(zones.read(kFirst - 8, 16), Status::ZoneOffline) << "before the types";
  EXPECT_EQ(zones.read(kFirst, 2 * kZone), Status::ZoneOffline) << "before the boundary";
  EXPECT_EQ(zones.write(kFirst - 8, 16), Status::ZoneOffline);
  EXPECT_EQ(zones.write(4 * kZone + 8, kZone), Status::ZoneReadOnly) << "before the boundary and the pointer";
  EXPECT_EQ(zones.read(3 * kZone, kZone + 8), Status::ReadBoundary) << "before the pointer";
  EXPECT_EQ(act(zones, Action::Reset, kBlocks + 1), Status::BadAddress) << "before the start of a zone";
  EXPECT_EQ(act(zones, Action::Reset, kFirst + 1), Status::BadZone) << "before the condition";
  EXPECT_EQ(act(zones, Action::Open, kFirst), Status::ZoneOffline);
  ZoneReport report;
  EXPECT_EQ(zones.report(kBlocks, 0x55, false, 9, report), Status::BadZone) << "the option before the place";
}

TEST(Zones, SenseData) {
  const std::map<Status, command::Sense> expected = {
      {Status::BadZone, {0x5, 0x24, 0x00}},        {Status::BadAddress, {0x5, 0x21, 0x00}},
      {Status::UnalignedWrite, {0x5, 0x21, 0x04}}, {Status::WriteBoundary, {0x5, 0x21, 0x05}},
      {Status::ReadInvalid, {0x5, 0x21, 0x06}},    {Status::ReadBoundary, {0x5, 0x21, 0x07}},
      {Status::NoOpenZone, {0x7, 0x55, 0x0E}},     {Status::ZoneReadOnly, {0x7, 0x27, 0x08}},
      {Status::ZoneOffline, {0x7, 0x2C, 0x0E}}};
  for (const auto& [status, sense] : expected) {
    EXPECT_EQ(command::sense_of(status), sense) << command::to_string(status);
    EXPECT_EQ(command::to_string(status).find(','), std::string_view::npos) << "a log has it as a value between commas";
  }
}

TEST(Zones, AHostAwareDriveTakesWritesAnywhere) {
  Zones zones(small(ZoneModel::Aware));
  EXPECT_EQ(zones.write(kFirst + 16, 3), Status::Good);
  EXPECT_EQ(pointer(zones, 2), kFirst + 19);
  EXPECT_TRUE(zones.descriptor(2).non_sequential);
  EXPECT_EQ(zones.write(kFirst + 19, 2), Status::Good);
  EXPECT_EQ(zones.write(kFirst, 4), Status::Good);
  EXPECT_EQ(pointer(zones, 2), kFirst + 21);
  EXPECT_EQ(zones.counts().out_of_order, 2u);
  EXPECT_EQ(zones.write(kFirst + kZone - 8, 16), Status::Good);  // into the next zone
  EXPECT_EQ(condition(zones, 2), Condition::Full);
  EXPECT_EQ(condition(zones, 3), Condition::ImplicitOpen);
  EXPECT_FALSE(zones.descriptor(3).non_sequential);
  EXPECT_EQ(zones.write(kFirst, 8), Status::Good);  // although it is full
  EXPECT_EQ(zones.write(kFirst - 8, 16), Status::WriteBoundary);
  EXPECT_EQ(zones.read(kFirst - 8, 16), Status::ReadBoundary);
  ZoneReport report;
  EXPECT_EQ(zones.report(0, static_cast<std::uint8_t>(ReportOption::NonSequential), false, 9, report), Status::Good);
  ASSERT_EQ(report.zones.size(), 1u);
  EXPECT_EQ(report.zones[0].start, kFirst);
  EXPECT_EQ(act(zones, Action::Reset, kFirst), Status::Good);
  EXPECT_FALSE(zones.descriptor(2).non_sequential);
  for (std::uint32_t zone = 2; zone < 8; ++zone) EXPECT_EQ(act(zones, Action::Open, zone * kZone), Status::Good);  // no limit
}

// --- reports ---------------------------------------------------------------------------------------------------------

TEST(Zones, ReportsByOption) {
  Zones zones(small());
  act(zones, Action::Open, 2 * kZone);
  zones.write(3 * kZone, 8);
  zones.write(4 * kZone, 8);
  act(zones, Action::Close, 4 * kZone);
  act(zones, Action::Finish, 5 * kZone);
  zones.wear_out(6, Condition::ReadOnly);
  zones.wear_out(7, Condition::Offline);
  const std::map<int, std::vector<std::uint32_t>> expected = {{0x00, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
                                                              {0x01, {8, 9, 10, 11}},
                                                              {0x02, {3}},
                                                              {0x03, {2}},
                                                              {0x04, {4}},
                                                              {0x05, {5}},
                                                              {0x06, {6}},
                                                              {0x07, {7}},
                                                              {0x10, {}},
                                                              {0x11, {}},
                                                              {0x3F, {0, 1}}};
  for (int option = 0; option < 64; ++option) {
    ZoneReport report;
    const Status status = zones.report(0, static_cast<std::uint8_t>(option), false, 100, report);
    const auto found = expected.find(option);
    EXPECT_EQ(status, found == expected.end() ? Status::BadZone : Status::Good) << option;
    if (found == expected.end()) continue;
    std::vector<std::uint32_t> numbers;
    for (const ZoneDescriptor& d : report.zones) numbers.push_back(zones.zone_of(d.start));
    EXPECT_EQ(numbers, found->second) << option;
    EXPECT_EQ(report.listed, numbers.size());
    EXPECT_EQ(report.last_block, kBlocks - 1);
  }
}

TEST(Zones, ReportsFromAZoneOnAndInPart) {
  const Zones zones(small());
  ZoneReport report;
  EXPECT_EQ(zones.report(kBlocks, 0, false, 9, report), Status::BadAddress);
  EXPECT_EQ(zones.report(kBlocks - 1, 0, false, 9, report), Status::Good);
  EXPECT_EQ(report.listed, 1u);
  EXPECT_EQ(report.same, 1);
  EXPECT_EQ(zones.report(kFirst + 5, 0, false, 3, report), Status::Good);  // within a zone: that zone is the first one
  ASSERT_EQ(report.zones.size(), 3u);
  EXPECT_EQ(report.zones[0].start, kFirst);
  EXPECT_EQ(report.listed, kZones - kConventional);
  EXPECT_EQ(report.same, 2);  // the last one is smaller
  EXPECT_EQ(zones.report(kFirst, 0, true, 3, report), Status::Good);
  EXPECT_EQ(report.listed, 3u);
  EXPECT_EQ(report.same, 1);
  EXPECT_EQ(zones.report(0, 0, true, 5, report), Status::Good);
  EXPECT_EQ(report.same, 3);  // types differ, lengths do not
  EXPECT_EQ(zones.report(0, 0, false, 5, report), Status::Good);
  EXPECT_EQ(report.same, 0);
  EXPECT_EQ(zones.report(0, 0, false, 0, report), Status::Good);
  EXPECT_EQ(report.listed, kZones);
  EXPECT_TRUE(report.zones.empty());
  EXPECT_EQ(zones.report(0, 0, true, 0, report), Status::Good);
  EXPECT_EQ(report.listed, 0u);
}

// --- losses ----------------------------------------------------------------------------------------------------------

TEST(Zones, APointerGoesBackToWhatIsLost) {
  Zones zones(small());
  zones.write(2 * kZone, 32);
  zones.write(3 * kZone, kZone);
  zones.retract(2 * kZone + 32);  // behind the pointer
  EXPECT_EQ(pointer(zones, 2), 2 * kZone + 32);
  zones.retract(2 * kZone + 16);
  zones.retract(3 * kZone + 8);
  EXPECT_EQ(pointer(zones, 2), 2 * kZone + 16);
  EXPECT_EQ(condition(zones, 2), Condition::ImplicitOpen);
  EXPECT_EQ(condition(zones, 3), Condition::Closed);
  zones.retract(3 * kZone);
  EXPECT_EQ(condition(zones, 3), Condition::Empty);
  EXPECT_EQ(zones.counts().retracted, 3u);
  zones.retract(5);  // conventional
  act(zones, Action::Open, 4 * kZone);
  zones.close_all();
  EXPECT_EQ(condition(zones, 2), Condition::Closed);
  EXPECT_EQ(condition(zones, 4), Condition::Empty);
  EXPECT_EQ(zones.open(), 0u);
}

TEST(Zones, TheDurableStateIsRestored) {
  Zones zones(small());
  zones.write(2 * kZone, 32);
  act(zones, Action::Open, 3 * kZone);
  zones.write(4 * kZone, kZone);
  zones.wear_out(5, Condition::ReadOnly);
  Zones after(small());
  for (std::uint32_t zone = 0; zone < kZones; ++zone) after.restore(zone, zones.durable(zone, kBlocks));
  EXPECT_EQ(condition(after, 2), Condition::Closed);
  EXPECT_EQ(pointer(after, 2), 2 * kZone + 32);
  EXPECT_EQ(condition(after, 3), Condition::Empty);
  EXPECT_EQ(condition(after, 4), Condition::Full);
  EXPECT_EQ(condition(after, 5), Condition::ReadOnly);
  EXPECT_EQ(condition(after, 0), Condition::NoPointer);
  EXPECT_EQ(zones.durable(4, 4 * kZone + 8).condition, Condition::Closed);
  EXPECT_EQ(zones.durable(2, 2 * kZone + 8).written, 8u);
}

struct Kept {
  std::uint32_t zone;
  std::uint64_t written;
  Condition condition;
  const char* objection;
};

TEST(Zones, ADurableStateThatNoZoneCanHave) {
  using C = Condition;
  const Zones zones(small());
  for (const Kept& k :
       {Kept{2, 0, C::Empty, ""},
        {2, 1, C::Closed, ""},
        {2, kZone - 1, C::Closed, ""},
        {2, kZone, C::Full, ""},
        {kZones - 1, kRunt, C::Full, ""},
        {2, kZone, C::ReadOnly, ""},
        {0, 0, C::Offline, ""},
        {2, 1, C::Empty, "found 1 blocks below the write pointer, expected 0"},
        {2, 0, C::Closed, "found 0 blocks below the write pointer, expected 1 to 63"},
        {2, kZone, C::Closed, "found 64 blocks below the write pointer, expected 1 to 63"},
        {kZones - 1, kZone, C::Full, "found 64 blocks below the write pointer, expected 24"},
        {2, ~std::uint64_t{0}, C::Offline, "found 18446744073709551615 blocks below the write pointer, expected 0 to 64"},
        {2, 8, C::ExplicitOpen, "found condition 3h, expected 1h, 4h, Dh, Eh or Fh"},
        {2, 8, static_cast<C>(9), "found condition 9h, expected 1h, 4h, Dh, Eh or Fh"},
        {1, 0, C::Empty, "found condition 1h, expected 0h, Dh or Fh, because the zone is conventional"}})
    EXPECT_EQ(zones.objection(k.zone, {k.written, k.condition, false}), k.objection);
}

// --- profiles --------------------------------------------------------------------------------------------------------

profile::DriveProfile drive_with_zones() {
  profile::DriveProfile drive;
  drive.geometry.sector_bytes = 512;
  drive.geometry.physical_sector_bytes = 4096;
  drive.zones.model = ZoneModel::Managed;
  drive.zones.zone_mib = 1;
  drive.zones.conventional = 0.25;
  return drive;
}

TEST(Zones, OfAProfile) {
  profile::DriveProfile drive = drive_with_zones();
  EXPECT_EQ(objection(drive, 20'000).second, "");  // the last zone is smaller
  const ZoneOptions options = options_of(drive, 20'000);
  EXPECT_EQ(options.zone_blocks, 2048u);
  EXPECT_EQ(options.conventional, 3u);  // a quarter of 10 zones, rounded
  EXPECT_EQ(options.physical_blocks, 8u);
  drive.zones.conventional = 4;
  EXPECT_EQ(options_of(drive, 20'000).conventional, 4u);
}

TEST(Zones, ObjectionsToAProfile) {
  struct Case {
    const char* key;
    void (*spoil)(profile::ZonesProfile&);
    std::uint64_t blocks;
  };
  for (const Case& c : {Case{"zones.zone_mib", [](profile::ZonesProfile& z) { z.zone_mib = 0x1p-11; }, 20'000},
                        {"zones.zone_mib", [](profile::ZonesProfile& z) { z.zone_mib = 1 + 0x1p-10; }, 20'000},
                        {"zones.zone_mib", [](profile::ZonesProfile& z) { z.zone_mib = 0x1p-8; }, std::uint64_t{1} << 40},
                        {"geometry.blocks", [](profile::ZonesProfile&) {}, 20'001},
                        {"zones.conventional", [](profile::ZonesProfile& z) { z.conventional = 2.5; }, 20'000},
                        {"zones.conventional", [](profile::ZonesProfile& z) { z.conventional = 10; }, 20'000},
                        {"zones.conventional", [](profile::ZonesProfile& z) { z.conventional = 0.99; }, 20'000}}) {
    profile::DriveProfile drive = drive_with_zones();
    c.spoil(drive.zones);
    const auto [key, text] = objection(drive, c.blocks);
    EXPECT_STREQ(key, c.key);
    EXPECT_NE(text, "");
    drive.zones.model = ZoneModel::None;
    EXPECT_EQ(objection(drive, c.blocks).second, "");
  }
}

// --- against a model of its own --------------------------------------------------------------------------------------

/// The rules again, in the plainest form: no counters, no lists, every question by looking at all zones.
class Plain {
 public:
  explicit Plain(const ZoneOptions& o) : o_(o), zones_(kZones) {}

  Status write(std::uint64_t lba, std::uint64_t n) {
    const std::uint64_t a = lba / kZone;
    const std::uint64_t b = (lba + n - 1) / kZone;
    if (a < kConventional || b < kConventional) return b < kConventional ? Status::Good : Status::WriteBoundary;
    One& z = zones_[a];
    if (o_.model == ZoneModel::Managed) {
      if (z.condition == 0xE) return Status::BadZone;
      if (a != b) return Status::WriteBoundary;
      if (lba != a * kZone + z.written || n % 8 != 0) return Status::UnalignedWrite;
      if (z.condition != 2 && z.condition != 3 && of(3) == o_.max_open) return Status::NoOpenZone;
    }
    for (std::uint64_t at = lba; at < lba + n; ++at) {
      One& each = zones_[at / kZone];
      const std::uint64_t within = at % kZone;
      if (at == lba || within == 0) {
        each.disorder |= within != each.written;
        if (each.condition == 1 || each.condition == 4) {
          evict();
          each.condition = 2;
        }
        each.last = ++clock_;
      }
      each.written = std::max(each.written, within + 1);
      if (each.written == size(at / kZone)) each.condition = 0xE;
    }
    return Status::Good;
  }
  Status read(std::uint64_t lba, std::uint64_t n) const {
    const bool a = lba / kZone < kConventional;
    const bool b = (lba + n - 1) / kZone < kConventional;
    if (a != b) return Status::ReadBoundary;
    if (a || o_.unrestricted_reads || o_.model == ZoneModel::Aware) return Status::Good;
    if (lba / kZone != (lba + n - 1) / kZone) return Status::ReadBoundary;
    return lba % kZone + n > zones_[lba / kZone].written ? Status::ReadInvalid : Status::Good;
  }
  Status act(Action action, std::uint64_t lba) {
    if (lba >= kBlocks) return Status::BadAddress;
    if (lba % kZone != 0 || lba / kZone < kConventional) return Status::BadZone;
    One& z = zones_[lba / kZone];
    const bool none_left = o_.model == ZoneModel::Managed && of(3) == o_.max_open;
    switch (action) {
      case Action::Open:
        if (z.condition == 3 || z.condition == 0xE) return Status::Good;
        if (z.condition != 2 && none_left) return Status::NoOpenZone;
        open(z);
        return Status::Good;
      case Action::Finish:
        if (z.condition == 0xE) return Status::Good;
        if (z.condition != 2 && z.condition != 3) {
          if (none_left) return Status::NoOpenZone;
          evict();
        }
        z.condition = 0xE;
        z.written = size(lba / kZone);
        return Status::Good;
      case Action::Close: close(z); return Status::Good;
      default: z = One{}; return Status::Good;
    }
  }
  Status act_all(Action action) {
    std::vector<One*> closed;
    for (std::uint64_t i = kConventional; i < kZones; ++i)
      if (zones_[i].condition == 4) closed.push_back(&zones_[i]);
    if (action == Action::Open) {
      if (o_.model == ZoneModel::Managed && of(3) + closed.size() > o_.max_open) return Status::NoOpenZone;
      for (One* z : closed) open(*z);
      return Status::Good;
    }
    for (std::uint64_t i = kConventional; i < kZones; ++i) {
      One& z = zones_[i];
      if (action == Action::Close) close(z);
      if (action == Action::Reset) z = One{};
      if (action == Action::Finish && z.condition >= 2 && z.condition <= 4) {
        z.condition = 0xE;
        z.written = size(i);
      }
    }
    return Status::Good;
  }
  void compare(const Zones& zones) const {
    for (std::uint32_t i = 0; i < kZones; ++i) {
      const ZoneDescriptor d = zones.descriptor(i);
      if (i < kConventional) {
        ASSERT_EQ(d.condition, Condition::NoPointer);
        continue;
      }
      ASSERT_EQ(static_cast<int>(d.condition), zones_[i].condition) << i;
      ASSERT_EQ(d.non_sequential, zones_[i].disorder) << i;
      if (zones_[i].condition != 0xE) {
        ASSERT_EQ(d.write_pointer, i * kZone + zones_[i].written) << i;
      }
    }
    ASSERT_EQ(zones.open(), of(2) + of(3));
  }

 private:
  struct One {
    int condition = 1;
    std::uint64_t written = 0;
    bool disorder = false;
    std::uint64_t last = 0;
  };
  static std::uint64_t size(std::uint64_t zone) { return zone == kZones - 1 ? kRunt : kZone; }
  std::size_t of(int condition) const {
    return static_cast<std::size_t>(std::count_if(zones_.begin() + kConventional, zones_.end(),
                                                  [condition](const One& z) { return z.condition == condition; }));
  }
  static void close(One& z) {
    if (z.condition == 2 || z.condition == 3) z.condition = z.written == 0 ? 1 : 4;
  }
  void evict() {
    while (of(2) + of(3) >= o_.max_open && of(2) > 0) {
      One* oldest = nullptr;
      for (One& z : zones_)
        if (z.condition == 2 && (oldest == nullptr || z.last < oldest->last)) oldest = &z;
      close(*oldest);
    }
  }
  void open(One& z) {
    if (z.condition == 2) z.condition = 4;  // it gives its place back first
    evict();
    z.condition = 3;
  }

  ZoneOptions o_;
  std::vector<One> zones_;
  std::uint64_t clock_ = 0;
};

void compare_with_plain_model(ZoneModel model, bool unrestricted, std::uint32_t seed, int commands) {
  ZoneOptions options = small(model);
  options.unrestricted_reads = unrestricted;
  Zones zones(options);
  Plain plain(options);
  std::mt19937 random(seed);
  const auto below = [&random](std::uint64_t n) { return random() % n; };
  std::map<Status, int> seen;
  for (int i = 0; i < commands; ++i) {
    Status got = Status::Good;
    Status expected = Status::Good;
    const std::uint64_t zone = below(kZones);
    const std::uint64_t what = below(100);
    if (what < 55) {
      std::uint64_t first = below(kBlocks);
      const ZoneDescriptor d = zones.descriptor(static_cast<std::uint32_t>(zone));
      if (what < 50 && d.write_pointer != ZoneDescriptor::kNoPointer) first = d.write_pointer;
      std::uint64_t blocks = below(8) == 0 ? 1 + below(40) : 8 * (1 + below(5));
      if (first == kBlocks) first = 0;
      blocks = std::min(blocks, kBlocks - first);
      got = zones.write(first, static_cast<std::uint32_t>(blocks));
      expected = plain.write(first, blocks);
    } else if (what < 70) {
      const std::uint64_t first = below(kBlocks);
      const std::uint64_t blocks = std::min(1 + below(20), kBlocks - first);
      got = zones.read(first, static_cast<std::uint32_t>(blocks));
      expected = plain.read(first, blocks);
    } else {
      const auto action = static_cast<Action>(1 + below(4));
      if (below(40) == 0) {
        got = all(zones, action);
        expected = plain.act_all(action);
      } else {
        const std::uint64_t first = below(20) == 0 ? below(kBlocks + 100) : zone * kZone;
        got = act(zones, action, first);
        expected = plain.act(action, first);
      }
    }
    ASSERT_EQ(got, expected) << "command " << i << ": " << command::to_string(got) << ", expected "
                             << command::to_string(expected);
    ++seen[got];
    plain.compare(zones);
    if (testing::Test::HasFatalFailure()) return;
  }
  for (const Status status : {Status::Good, Status::BadZone, Status::WriteBoundary, Status::ReadBoundary})
    EXPECT_GT(seen[status], commands / 5000) << command::to_string(status);
  if (model == ZoneModel::Managed) {
    for (const Status status : {Status::UnalignedWrite, Status::NoOpenZone})
      EXPECT_GT(seen[status], commands / 5000) << command::to_string(status);
  }
}

TEST(Zones, RandomCommandsOfAHostManagedDrive) { compare_with_plain_model(ZoneModel::Managed, true, 1, 100'000); }
TEST(Zones, RandomCommandsWithRestrictedReads) { compare_with_plain_model(ZoneModel::Managed, false, 2, 20'000); }
TEST(Zones, RandomCommandsOfAHostAwareDrive) { compare_with_plain_model(ZoneModel::Aware, true, 3, 20'000); }

}  // namespace
}  // namespace platter::zones
