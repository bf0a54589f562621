// SPDX-License-Identifier: Apache-2.0
//
// An array above drives with unreadable sectors: it reads the other copy, repairs from it, and rebuilds around bad sectors of the source.
#include "array_rig.h"

namespace platter::testing {
namespace {

using media::Fault;
using media::FaultKind;

constexpr std::uint64_t kUnit = 4096;

Fault unreadable(std::uint64_t first, std::uint64_t blocks = 1) {
  Fault fault;
  fault.first = first;
  fault.blocks = blocks;
  return fault;
}

profile::DriveProfile short_ladder() {
  profile::DriveProfile p = toy_profile();
  p.recovery.read_ms = {12.8, 20};
  return p;
}

ArrayConfig mirrored(std::uint32_t drives = 2) {
  ArrayConfig config;
  config.drives = drives;
  config.areas = {area_of(64, kUnit, true)};
  return config;
}

/// Submits requests one after the other, each with its own bytes.
class Client : public ArrayClientIf {
 public:
  explicit Client(Array& array) : array_(array) {}

  /// In less than two seconds the request may not have ended.
  ArrayRequest& go(bool write, std::uint64_t address, std::uint32_t length, std::uint8_t fill = 0,
                   Picoseconds time = 2'000 * kMs) {
    requests_.push_back(std::make_unique<Request>());
    Request& r = *requests_.back();
    r.bytes.assign(length, write ? fill : std::uint8_t{0xEE});
    r.data = r.bytes.data();
    r.operation = command::read_or_write(write);
    r.address = address;
    r.length = length;
    r.client = this;
    array_.submit(r);
    run_until(core::now_ps() + time);
    EXPECT_TRUE(r.done || time < 2'000 * kMs) << "a request has no end";
    return r;
  }
  void finished(ArrayRequest& request) override { static_cast<Request&>(request).done = true; }

 private:
  struct Request : ArrayRequest {
    std::vector<std::uint8_t> bytes;
    bool done = false;
  };
  Array& array_;
  std::vector<std::unique_ptr<Request>> requests_;
};

/// The place of a copy of the unit at `address`.
UnitPlace place_of(const Array& array, std::uint64_t address, std::uint32_t copy) {
  const StripeMap::Area& area = array.map().area_at(address);
  return array.map().place(area, array.map().unit_at(area, address), copy);
}

TEST(ArrayFault, AReadOfABadSectorGoesToTheOtherCopyWhichRepairsIt) {
  ArrayRig rig(mirrored(), short_ladder());
  run_until(1);
  Client client(*rig.array);
  client.go(true, 0, 4 * kUnit, 0x5A);
  const UnitPlace bad = place_of(*rig.array, kUnit, 0);
  rig.drives[bad.drive]->add_fault(unreadable(bad.address / 512 + 3));
  const ArrayRequest& read = client.go(false, 0, 4 * kUnit);
  EXPECT_EQ(read.status, CommandStatus::Good);
  for (std::uint32_t i = 0; i < read.length; ++i) ASSERT_EQ(read.data[i], 0x5A) << i;
  EXPECT_EQ(rig.array->errors().redirected, 1u);
  EXPECT_EQ(rig.array->errors().repaired, 1u);
  EXPECT_EQ(rig.drives[bad.drive]->media_errors().uncorrectable, 1u);
  EXPECT_EQ(rig.drives[bad.drive]->media_errors().pending, 0u) << "it has been written again";
  client.go(false, 0, 4 * kUnit);
  EXPECT_EQ(rig.array->errors().redirected, 1u);
  EXPECT_EQ(rig.array->stale_units(bad.drive), 0u);
}

TEST(ArrayFault, BothCopiesBadIsAnErrorOfThatSector) {
  ArrayRig rig(mirrored(), short_ladder());
  run_until(1);
  Client client(*rig.array);
  client.go(true, 0, 2 * kUnit, 0x5A);
  for (const std::uint32_t copy : {0u, 1u}) {
    const UnitPlace bad = place_of(*rig.array, 0, copy);
    rig.drives[bad.drive]->add_fault(unreadable(bad.address / 512 + 5));
  }
  const ArrayRequest& read = client.go(false, 0, kUnit);
  EXPECT_EQ(read.status, CommandStatus::Unreadable);
  EXPECT_EQ(read.first_bad, 5u);
  EXPECT_EQ(rig.array->errors().unreadable, 1u);
  EXPECT_EQ(client.go(false, 0, 5 * 512).status, CommandStatus::Good);
  EXPECT_EQ(client.go(true, 0, kUnit, 0x11).status, CommandStatus::Good);
  EXPECT_EQ(client.go(false, 0, kUnit).status, CommandStatus::Good);
}

TEST(ArrayFault, DifferentSectorsOfTheTwoCopiesLoseNothing) {
  ArrayRig rig(mirrored(), short_ladder());
  run_until(1);
  Client client(*rig.array);
  client.go(true, 0, kUnit, 0x77);
  for (const std::uint32_t copy : {0u, 1u}) {
    const UnitPlace bad = place_of(*rig.array, 0, copy);
    rig.drives[bad.drive]->add_fault(unreadable(bad.address / 512 + 2 + copy * 3));
  }
  const ArrayRequest& first = client.go(false, 2 * 512, 512);
  EXPECT_EQ(first.status, CommandStatus::Good);
  EXPECT_EQ(first.data[0], 0x77);
  const ArrayRequest& whole = client.go(false, 0, kUnit);  // the first copy has been repaired
  EXPECT_EQ(whole.status, CommandStatus::Good);
}

/// Keeps both drives busy: a new read follows each one that has ended.
class Saturation : public ArrayClientIf {
 public:
  Saturation(Array& array, std::uint32_t requests) : array_(array), requests_(requests) {
    for (ArrayRequest& request : requests_) {
      request.operation = command::Operation::Read;
      request.length = kUnit;
      request.client = this;
      finished(request);
    }
  }
  void finished(ArrayRequest& request) override {
    if (held_) {
      waiting_.push_back(&request);
      return;
    }
    request.address = ++count_ * 7 % 60 * kUnit;  // not the last units
    array_.submit(request);
  }
  /// No further read begins until `go_on`.
  void hold() { held_ = true; }
  void go_on() {
    held_ = false;
    for (ArrayRequest* request : std::exchange(waiting_, {})) finished(*request);
  }
  std::uint64_t count() const { return count_; }

 private:
  Array& array_;
  std::vector<ArrayRequest> requests_;
  std::vector<ArrayRequest*> waiting_;
  bool held_ = false;
  std::uint64_t count_ = 0;
};

TEST(ArrayFault, RepairsGoOnUnderALoadThatLeavesNoTime) {
  ArrayConfig config = mirrored();
  config.tags = 2;
  ArrayRig rig(config, short_ladder());
  run_until(1);
  Client client(*rig.array);
  client.go(true, 0, 64 * kUnit, 0x5A);
  const UnitPlace bad = place_of(*rig.array, 62 * kUnit, 0);
  rig.drives[bad.drive]->add_fault(unreadable(bad.address / 512 + 3));
  Saturation load(*rig.array, 64);
  const ArrayRequest& read = client.go(false, 62 * kUnit, kUnit);
  EXPECT_EQ(read.status, CommandStatus::Good);
  EXPECT_EQ(rig.array->errors().redirected, 1u);
  const std::uint64_t before = load.count();
  run_until(core::now_ps() + 5'000 * kMs);
  EXPECT_GT(load.count() - before, 500u);
  EXPECT_EQ(rig.array->errors().repaired, 1u);
  EXPECT_EQ(rig.drives[bad.drive]->media_errors().pending, 0u);
}

TEST(ArrayFault, RepairsGoOnWhereThePolicyAlwaysPrefersOthers) {
  ArrayConfig config;
  config.drives = 2;
  config.areas = {area_of(1'900, kUnit, true)};
  config.tags = 8;
  ArrayRig rig(config, short_ladder(), "SPTF");
  run_until(1);
  Client client(*rig.array);
  client.go(true, 1'800 * kUnit, kUnit, 0x5A);
  const UnitPlace bad = place_of(*rig.array, 1'800 * kUnit, 0);
  rig.drives[bad.drive]->add_fault(unreadable(bad.address / 512 + 3));
  ArrayRequest read;
  read.operation = command::Operation::Read;
  read.address = 1'800 * kUnit;
  read.length = kUnit;
  struct : ArrayClientIf {
    void finished(ArrayRequest&) override {}
  } nobody;
  read.client = &nobody;
  rig.array->submit(read);
  while (rig.array->errors().redirected == 0 && core::now_ps() < 10'000 * kMs) run_until(core::now_ps() + kMs);
  Saturation load(*rig.array, 64);  // far from there
  const std::uint64_t before = load.count();
  run_until(core::now_ps() + 5'000 * kMs);
  EXPECT_GT(load.count() - before, 500u);
  EXPECT_EQ(read.status, CommandStatus::Good);
  EXPECT_EQ(rig.array->errors().repaired, 1u);
  EXPECT_EQ(rig.drives[bad.drive]->media_errors().pending, 0u);
}

/// Other repairs of the drive end again and again. The time of the one that its policy puts off counts all the same.
TEST(ArrayFault, ARepairGoesOnBesideOthersThatThePolicyPrefers) {
  ArrayConfig config;
  config.drives = 2;
  config.areas = {area_of(1'900, kUnit, true)};
  config.tags = 28;
  config.rebuild.outstanding = 4;
  ArrayRig rig(config, short_ladder(), "SPTF");
  run_until(1);
  Client client(*rig.array);
  client.go(true, 0, 60 * kUnit, 0x5A);
  client.go(true, 1'800 * kUnit, kUnit, 0x5A);
  const UnitPlace bad = place_of(*rig.array, 1'800 * kUnit, 0);
  const std::uint64_t far = bad.address / 512 + 3;
  drive::Drive& disk = *rig.drives[bad.drive];
  Saturation load(*rig.array, 64);  // far from there
  std::uint64_t step = 0;
  const auto repair_others = [&](std::uint64_t steps) {
    for (; steps > 0; --steps, ++step) {
      const UnitPlace near = place_of(*rig.array, step * 13 % 60 * kUnit, 0);
      if (near.drive == bad.drive) disk.add_fault(unreadable(near.address / 512 + 2));
      run_until(core::now_ps() + 25 * kMs);
    }
  };
  repair_others(80);  // more than the array repairs meanwhile
  load.hold();
  disk.add_fault(unreadable(far));
  struct : ArrayClientIf {
    void finished(ArrayRequest&) override { done = true; }
    bool done = true;
  } reader;
  ArrayRequest read;
  read.operation = command::Operation::Read;
  read.address = 1'800 * kUnit;
  read.length = kUnit;
  read.client = &reader;
  for (int i = 0; i < 3'000 && !disk.faults().is_pending(far); ++i) {
    if (std::exchange(reader.done, false)) rig.array->submit(read);  // of the two copies, until it reads the bad one
    run_until(core::now_ps() + kMs);
  }
  ASSERT_TRUE(disk.faults().is_pending(far));
  load.go_on();
  const std::uint64_t before = rig.array->errors().repaired;
  repair_others(100);
  EXPECT_GT(rig.array->errors().repaired - before, 10u);
  EXPECT_FALSE(disk.faults().is_pending(far));
}

TEST(ArrayFault, WithoutACopyTheRequestFails) {
  ArrayConfig config;
  config.drives = 2;
  config.areas = {area_of(64, kUnit, false)};
  ArrayRig rig(config, short_ladder());
  run_until(1);
  Client client(*rig.array);
  const UnitPlace bad = place_of(*rig.array, 0, 0);
  rig.drives[bad.drive]->add_fault(unreadable(bad.address / 512));
  EXPECT_EQ(client.go(false, 0, 2 * kUnit).status, CommandStatus::Unreadable);
  EXPECT_EQ(client.go(false, kUnit, kUnit).status, CommandStatus::Good);
}

TEST(ArrayFault, ARebuildGoesAroundBadSectorsOfTheSource) {
  ArrayRig rig(mirrored(), short_ladder());
  run_until(1);
  Client client(*rig.array);
  client.go(true, 0, 64 * kUnit, 0x33);
  const UnitPlace source = place_of(*rig.array, 3 * kUnit, 1);
  const UnitPlace target = place_of(*rig.array, 3 * kUnit, 0);
  rig.drives[source.drive]->add_fault(unreadable(source.address / 512 + 2, 2));
  rig.array->fail(target.drive);
  run_until(core::now_ps() + 100 * kMs);
  rig.array->replace(target.drive);
  run_until(core::now_ps() + 60'000 * kMs);
  EXPECT_EQ(rig.array->stale_units(target.drive), 0u) << "the rebuild ends";
  EXPECT_EQ(rig.array->errors().lost_sectors, 2u);
  const ArrayRequest& lost = client.go(false, 3 * kUnit, kUnit);
  EXPECT_EQ(lost.status, CommandStatus::Unreadable) << "no copy has these sectors, and no wrong bytes are returned";
  EXPECT_EQ(lost.first_bad, 3 * kUnit / 512 + 2);
  const ArrayRequest& before = client.go(false, 3 * kUnit, 2 * 512);
  EXPECT_EQ(before.status, CommandStatus::Good);
  EXPECT_EQ(before.data[0], 0x33);
  const ArrayRequest& behind = client.go(false, 3 * kUnit + 4 * 512, 4 * 512);
  EXPECT_EQ(behind.status, CommandStatus::Good);
  EXPECT_EQ(behind.data[0], 0x33);
  EXPECT_EQ(client.go(true, 3 * kUnit + 2 * 512, 1024, 0x44).status, CommandStatus::Good);
  const ArrayRequest& again = client.go(false, 3 * kUnit, kUnit);
  EXPECT_EQ(again.status, CommandStatus::Good);
  EXPECT_EQ(again.data[2 * 512], 0x44);
}

/// Accesses a sector by transport_dbg. Returns its first byte, or -1 where nothing was moved.
int look(AtHost& host, bool write, std::uint64_t sector, std::uint8_t fill = 0) {
  Transaction t(nullptr);
  t.set(write, sector, 1, fill);
  return host.disk_init_socket->transport_dbg(t.payload) == 512 ? t.data[0] : -1;
}

/// A sector is lost on one copy, and cannot be read on the other one. This has a second bad sector, and then is replaced.
TEST(ArrayFault, WhatIsLostIsLostForRepairsAndRebuildsToo) {
  ArrayRig rig(mirrored(), short_ladder());
  AtHost host("host", *rig.array);
  run_until(1);
  Client client(*rig.array);
  client.go(true, 0, 64 * kUnit, 0x33);
  const UnitPlace first = place_of(*rig.array, 3 * kUnit, 0);
  const UnitPlace second = place_of(*rig.array, 3 * kUnit, 1);
  const auto sector = [&](std::uint64_t number) -> const ArrayRequest& {
    return client.go(false, 3 * kUnit + number * 512, 512);
  };
  const auto fill = [&](const UnitPlace& place) {
    rig.array->replace(place.drive);
    run_until(core::now_ps() + 20'000 * kMs);
    ASSERT_EQ(rig.array->stale_units(place.drive), 0u);
  };
  rig.drives[first.drive]->add_fault(unreadable(first.address / 512 + 2));
  fill(second);
  rig.drives[first.drive]->add_fault(unreadable(first.address / 512 + 5));
  EXPECT_EQ(sector(5).data[0], 0x33);
  EXPECT_EQ(rig.array->errors().repaired, 1u);
  EXPECT_EQ(rig.drives[first.drive]->media_errors().pending, 1u) << "the other one is repaired";
  EXPECT_EQ(sector(2).status, CommandStatus::Unreadable) << "after the repair";
  fill(first);
  EXPECT_EQ(sector(2).status, CommandStatus::Unreadable) << "after the rebuild";
  EXPECT_EQ(sector(2).first_bad, 3 * kUnit / 512 + 2);
  EXPECT_EQ(sector(5).data[0], 0x33);
  EXPECT_EQ(rig.array->errors().lost_sectors, 2u);
  EXPECT_EQ(look(host, false, 3 * kUnit / 512 + 2), -1) << "no copy has it";
  EXPECT_EQ(look(host, true, 3 * kUnit / 512 + 2, 0x44), 0x44);
  EXPECT_EQ(look(host, false, 3 * kUnit / 512 + 2), 0x44);
  EXPECT_EQ(sector(2).status, CommandStatus::Good) << "one copy has no bad sector";
}

/// The source of a rebuild cannot be read for a time. What is lost is then repaired by the first read.
TEST(ArrayFault, ARepairPutsAnEndToALoss) {
  ArrayRig rig(mirrored(), short_ladder());
  run_until(1);
  Client client(*rig.array);
  client.go(true, 0, 64 * kUnit, 0x33);
  const UnitPlace source = place_of(*rig.array, 3 * kUnit, 1);
  Fault passing = unreadable(source.address / 512 + 2);
  passing.at = core::now_ps();
  passing.lasts = 20'000 * kMs;
  rig.drives[source.drive]->add_fault(passing);
  rig.array->replace(place_of(*rig.array, 3 * kUnit, 0).drive);
  run_until(core::now_ps() + 30'000 * kMs);
  ASSERT_EQ(rig.array->errors().lost_sectors, 1u);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(client.go(false, 3 * kUnit, kUnit).data[2 * 512], 0x33);
  EXPECT_EQ(rig.array->errors().redirected, 1u);
  EXPECT_EQ(rig.array->errors().repaired, 1u);
}

TEST(ArrayFault, TransportDbgDuringARepairReachesBothCopies) {
  ArrayRig rig(mirrored(), short_ladder());
  AtHost host("host", *rig.array);
  run_until(1);
  Client client(*rig.array);
  client.go(true, 0, kUnit, 0x33);
  for (std::uint8_t k = 0; k < 60; ++k) {  // at any time
    const UnitPlace bad = place_of(*rig.array, 0, 0);
    rig.drives[bad.drive]->add_fault(unreadable(bad.address / 512 + 3));
    client.go(false, 0, kUnit, 0, k * 2 * kMs);
    EXPECT_EQ(look(host, true, 1, k), k);
    client.go(false, 0, kUnit);
    EXPECT_EQ(rig.array->stale_units(bad.drive), 0u);
    for (const std::uint32_t copy : {0u, 1u}) {
      const UnitPlace place = place_of(*rig.array, 0, copy);
      std::uint8_t byte = 0;
      rig.drives[place.drive]->media().read(place.address + 512, &byte, 1);
      EXPECT_EQ(byte, k) << "copy " << copy;
    }
  }
  EXPECT_GE(rig.array->errors().repaired, 60u);
}

}  // namespace
}  // namespace platter::testing
