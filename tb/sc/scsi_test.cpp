// SPDX-License-Identifier: Apache-2.0
//
// The SCSI target: which status, sense and data each command gets (SPC-4, SBC-3), and task management.
#include <sys/eventfd.h>

#include "platter/front/serving/kernel_loop.h"
#include "scsi_rig.h"

namespace platter::testing {
namespace {

using command::Sense;
using command::TaskAttribute;
using core::big_endian::get;
using core::big_endian::put;
using scsi::Management;
using scsi::Status;
namespace sense = scsi::sense;

constexpr Status kGood = Status::Good;
constexpr Status kCheck = Status::CheckCondition;

class Scsi : public ::testing::Test {
 protected:
  Scsi() { port.settle(); }

  std::uint32_t cache_switches() { return rig.target->unit(0).control().read(drive::reg::kCache); }
  bool turns() { return (rig.target->unit(0).control().read(drive::reg::kSpindle) & drive::reg::kSpindleTurns) != 0; }
  /// Writes a block that is then in the cache, but not yet on the media.
  void write_to_cache(std::uint32_t lba, const Bytes& data) {
    const std::uint64_t before = rig.ends;
    const scsi::Task& task = port.begin(cdb10(0x2A, lba, 1), data);
    for (int turn = 0; turn < 1'000 && rig.ends == before; ++turn) sc_core::sc_start(sc_core::sc_time(20, sc_core::SC_US));
    EXPECT_EQ(task.status, kGood);
    ASSERT_NE(media(lba, 1), data);
  }
  /// What is on the media.
  Bytes media(std::uint64_t first, std::size_t blocks) {
    Bytes bytes(blocks * kScsiSector);
    rig.drives[0]->media().read(first * kScsiSector, bytes.data(), bytes.size());
    return bytes;
  }

  ScsiRig rig;
  Port port{rig, "iqn.2026-01.test:one,i,0x000000000001"};
};

TEST_F(Scsi, EachCommandHasItsStatusAndSense) {
  struct Row {
    const char* what;
    Bytes cdb;
    Bytes out;
    std::uint32_t limit;
    Status status;
    Sense sense;
    std::size_t bytes;  ///< of a command that ends well: what the host gets, or what the command takes from it
  };
  const auto last = static_cast<std::uint32_t>(kToyBlocks - 1);
  const Bytes block = some_bytes(kScsiSector);
  const Row rows[] = {
      {"TEST UNIT READY", {0x00}, {}, 0, kGood, {}, 0},
      {"INQUIRY", {0x12, 0, 0, 0, 96}, {}, 96, kGood, {}, 96},
      {"INQUIRY, cut", {0x12, 0, 0, 0, 5}, {}, 96, kGood, {}, 5},
      {"INQUIRY, page code without EVPD", {0x12, 0, 0x80, 0, 96}, {}, 96, kCheck, sense::kInvalidField, 0},
      {"INQUIRY, no such page", {0x12, 1, 0xC7, 0, 96}, {}, 96, kCheck, sense::kInvalidField, 0},
      {"block limits", {0x12, 1, 0xB0, 0, 255}, {}, 255, kGood, {}, 64},
      {"a reserved bit", {0x00, 0, 0, 1}, {}, 0, kCheck, sense::kInvalidField, 0},
      {"NACA", {0x00, 0, 0, 0, 0, 4}, {}, 0, kCheck, sense::kInvalidField, 0},
      {"an unknown code", {0x42}, {}, 0, kCheck, sense::kInvalidOpcode, 0},
      {"SANITIZE", {0x48, 0x03}, {}, 0, kCheck, sense::kInvalidOpcode, 0},
      {"an unknown service action", {0x9E, 0x1F}, {}, 0, kCheck, sense::kInvalidField, 0},
      {"READ CAPACITY (10)", {0x25}, {}, 8, kGood, {}, 8},
      {"READ CAPACITY (16)", {0x9E, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32}, {}, 32, kGood, {}, 32},
      {"REPORT LUNS", {0xA0, 0, 0, 0, 0, 0, 0, 0, 0, 16}, {}, 16, kGood, {}, 16},
      {"REPORT LUNS, too short", {0xA0, 0, 0, 0, 0, 0, 0, 0, 0, 8}, {}, 16, kCheck, sense::kInvalidField, 0},
      {"READ (6)", {0x08, 0, 0, 3, 1}, {}, 512, kGood, {}, 512},
      {"READ (6) of 256 blocks", {0x08, 0, 0, 3, 0}, {}, 131'072, kGood, {}, 131'072},
      {"READ (10)", cdb10(0x28, 5, 2), {}, 1024, kGood, {}, 1024},
      {"READ (10), last block", cdb10(0x28, last, 1), {}, 512, kGood, {}, 512},
      {"READ (10), past the end", cdb10(0x28, last, 2), {}, 1024, kCheck, sense::kOutOfRange, 0},
      {"READ (10) of nothing", cdb10(0x28, 5, 0), {}, 0, kGood, {}, 0},
      {"READ (10) of nothing past the end", cdb10(0x28, last + 2, 0), {}, 0, kCheck, sense::kOutOfRange, 0},
      {"READ (10), host takes less", cdb10(0x28, 5, 2), {}, 700, kGood, {}, 700},
      {"READ (10), RDPROTECT", cdb10(0x28, 5, 1, 0x20), {}, 512, kCheck, sense::kInvalidField, 0},
      {"READ (10), FUA and DPO", cdb10(0x28, 5, 1, 0x18), {}, 512, kGood, {}, 512},
      {"READ (16)", cdb16(0x88, 5, 2), {}, 1024, kGood, {}, 1024},
      {"READ (16), address of 64 bits", cdb16(0x88, ~std::uint64_t{0}, 2), {}, 1024, kCheck, sense::kOutOfRange, 0},
      {"WRITE (10)", cdb10(0x2A, 9, 1), block, 0, kGood, {}, 512},
      {"WRITE (10), past the end", cdb10(0x2A, last, 2), block, 0, kCheck, sense::kOutOfRange, 0},
      {"VERIFY (10)", cdb10(0x2F, 9, 1), {}, 0, kGood, {}, 0},
      {"VERIFY (10), equal", cdb10(0x2F, 9, 1, 0x02), block, 0, kGood, {}, 512},
      {"VERIFY (10), different", cdb10(0x2F, 9, 1, 0x02), Bytes(512), 0, kCheck, sense::kMiscompare, 0},
      {"VERIFY (10), BYTCHK 10b", cdb10(0x2F, 9, 1, 0x04), {}, 0, kCheck, sense::kInvalidField, 0},
      {"VERIFY (10), BYTCHK 00b takes no data", cdb10(0x2F, 9, 1), Bytes(512), 0, kGood, {}, 0},
      {"VERIFY (10), BYTCHK 01b without data", cdb10(0x2F, 9, 1, 0x02), {}, 0, kCheck, sense::kInvalidUnit, 0},
      {"VERIFY (10), BYTCHK 01b, one block of two", cdb10(0x2F, 9, 2, 0x02), block, 0, kCheck, sense::kInvalidUnit, 0},
      {"VERIFY (10), BYTCHK 01b, part of a block", cdb10(0x2F, 9, 1, 0x02), Bytes(300), 0, kCheck, sense::kInvalidUnit, 0},
      {"VERIFY (10), BYTCHK 01b of no blocks", cdb10(0x2F, 9, 0, 0x02), {}, 0, kGood, {}, 0},
      {"VERIFY (10), BYTCHK 11b of no blocks", cdb10(0x2F, 9, 0, 0x06), {}, 0, kGood, {}, 0},
      {"VERIFY (10), BYTCHK 11b, part of a block", cdb10(0x2F, 9, 4, 0x06), Bytes(300), 0, kCheck, sense::kInvalidUnit, 0},
      {"WRITE SAME (10)", cdb10(0x41, 20, 700), block, 0, kGood, {}, 512},
      {"VERIFY (10) with one block", cdb10(0x2F, 20, 700, 0x06), block, 0, kGood, {}, 512},
      {"WRITE SAME (10) of 0 blocks", cdb10(0x41, 20, 0), block, 0, kCheck, sense::kInvalidField, 0},
      {"WRITE SAME (10) with UNMAP", cdb10(0x41, 20, 7, 0x08), block, 0, kCheck, sense::kInvalidField, 0},
      {"WRITE SAME (16) without data", cdb16(0x93, 21, 2, 0x01), {}, 0, kGood, {}, 0},
      {"READ (10) of them", cdb10(0x28, 21, 2), {}, 1024, kGood, {}, 1024},
      {"WRITE AND VERIFY (16)", cdb16(0x8E, 40, 1, 0x02), block, 0, kGood, {}, 512},
      {"WRITE AND VERIFY (10), BYTCHK 00b", cdb10(0x2E, 40, 1), block, 0, kGood, {}, 512},
      {"WRITE AND VERIFY (10) of no blocks", cdb10(0x2E, 40, 0, 0x02), {}, 0, kGood, {}, 0},
      {"WRITE AND VERIFY (10), BYTCHK 10b", cdb10(0x2E, 40, 1, 0x04), block, 0, kCheck, sense::kInvalidField, 0},
      {"WRITE AND VERIFY (10), BYTCHK 11b", cdb10(0x2E, 40, 1, 0x06), block, 0, kCheck, sense::kInvalidField, 0},
      {"WRITE AND VERIFY (10), part of a block", cdb10(0x2E, 40, 2), Bytes(700), 0, kCheck, sense::kInvalidUnit, 0},
      {"ORWRITE (16), part of a block", cdb16(0x8B, 40, 2), Bytes(700, 0xFF), 0, kCheck, sense::kInvalidUnit, 0},
      {"ORWRITE (16) of no blocks", cdb16(0x8B, 40, 0), {}, 0, kGood, {}, 0},
      {"VERIFY (16) of what is unchanged", cdb16(0x8F, 40, 1, 0x02), block, 0, kGood, {}, 512},
      {"ORWRITE (16)", cdb16(0x8B, 40, 1), Bytes(512, 0xFF), 0, kGood, {}, 512},
      {"VERIFY (16) of ones", cdb16(0x8F, 40, 1, 0x02), Bytes(512, 0xFF), 0, kGood, {}, 512},
      {"PRE-FETCH (10)", cdb10(0x34, 40, 8), {}, 0, Status::ConditionMet, {}, 0},
      {"PRE-FETCH (16) of more than there is room for", cdb16(0x90, 40, 5000), {}, 0, kGood, {}, 0},
      {"PRE-FETCH (10), IMMED", cdb10(0x34, 40, 8, 0x02), {}, 0, Status::ConditionMet, {}, 0},
      {"SYNCHRONIZE CACHE (10)", cdb10(0x35, 0, 0), {}, 0, kGood, {}, 0},
      {"SYNCHRONIZE CACHE (16), IMMED", cdb16(0x91, 0, 0, 0x02), {}, 0, kGood, {}, 0},
      {"MODE SENSE (6), all pages", {0x1A, 0, 0x3F, 0, 255}, {}, 255, kGood, {}, 4 + 8 + 12 + 20 + 12 + 12},
      {"MODE SENSE (10), long descriptor", {0x5A, 0x10, 0x08, 0, 0, 0, 0, 0, 255}, {}, 255, kGood, {}, 8 + 16 + 20},
      {"MODE SENSE (6), no such page", {0x1A, 0, 0x2A, 0, 255}, {}, 255, kCheck, sense::kInvalidField, 0},
      {"MODE SENSE (6), saved values", {0x1A, 0, 0xC8, 0, 255}, {}, 255, kCheck, sense::kSavingUnsupported, 0},
      {"MODE SELECT (6), SP", {0x15, 0x11, 0, 0, 4}, Bytes(4), 0, kCheck, sense::kInvalidField, 0},
      {"MODE SELECT (6), a cut list", {0x15, 0x10, 0, 0, 9}, Bytes(4), 0, kCheck, sense::kListLength, 0},
      {"LOG SENSE, all pages", {0x4D, 0, 0x40, 0, 0, 0, 0, 0, 255}, {}, 255, kGood, {}, 4 + 9},
      {"LOG SENSE, read errors", {0x4D, 0, 0x43, 0, 0, 0, 0, 0, 255}, {}, 255, kGood, {}, 4 + 7 * 12},
      {"LOG SENSE, no such page", {0x4D, 0, 0x7E, 0, 0, 0, 0, 0, 255}, {}, 255, kCheck, sense::kInvalidField, 0},
      {"REQUEST SENSE", {0x03, 0, 0, 0, 18}, {}, 18, kGood, {}, 18},
      {"REPORT SUPPORTED TASK MANAGEMENT FUNCTIONS", {0xA3, 0x0D, 0, 0, 0, 0, 0, 0, 0, 4}, {}, 4, kGood, {}, 4},
      {"a code's usage", {0xA3, 0x0C, 1, 0x28, 0, 0, 0, 0, 0, 64}, {}, 64, kGood, {}, 14},
      {"a code with service actions as one without",
       {0xA3, 0x0C, 1, 0x9E, 0, 0, 0, 0, 0, 64},
       {},
       64,
       kCheck,
       sense::kInvalidField,
       0},
      {"READ DEFECT DATA (10)", {0x37, 0, 0x18, 0, 0, 0, 0, 0, 8}, {}, 8, kGood, {}, 4},
      {"READ DEFECT DATA (12)", {0xB7, 0x1B, 0, 0, 0, 0, 0, 0, 0, 8}, {}, 8, kGood, {}, 8},
      {"SEND DIAGNOSTIC", {0x1D, 0x04}, {}, 0, kGood, {}, 0},
      {"START STOP UNIT, power condition 9", {0x1B, 0, 0, 0, 0x90}, {}, 0, kCheck, sense::kInvalidField, 0},
      {"PERSISTENT RESERVE IN, keys", {0x5E, 0, 0, 0, 0, 0, 0, 0, 8}, {}, 8, kGood, {}, 8},
      {"PERSISTENT RESERVE OUT, a cut list", {0x5F, 0, 0, 0, 0, 0, 0, 0, 23}, Bytes(23), 0, kCheck, sense::kListLength, 0},
  };
  for (const Row& row : rows) {
    const std::uint64_t before = rig.registers[0]->accesses;
    const scsi::Task& task = port.run(row.cdb, row.out, row.limit);
    EXPECT_EQ(task.status, row.status) << row.what;
    EXPECT_TRUE(task.sense == row.sense) << row.what << ": " << int{task.sense.key} << '/' << int{task.sense.code};
    if (task.status == kCheck) {
      EXPECT_TRUE(row.limit == 0 || task.data.empty()) << row.what << ": no data of a command that has failed";
    } else {
      EXPECT_EQ(row.limit > 0 ? task.data.size() : task.wanted, row.bytes) << row.what;
    }
    if (row.cdb[0] != 0x4D) {  // LOG SENSE reads counters
      EXPECT_LE(rig.registers[0]->accesses - before, 5u) << row.what;
    }
  }
}

TEST_F(Scsi, ReadsWhatWasWritten) {
  const Bytes data = some_bytes(8 * kScsiSector);
  EXPECT_EQ(port.run(cdb10(0x2A, 100, 8), data).status, kGood);
  EXPECT_EQ(port.run(cdb16(0x88, 100, 8), {}, 8 * kScsiSector).data, data);
  const Bytes forced = some_bytes(kScsiSector, 2);
  EXPECT_EQ(port.run(cdb10(0x2A, 100, 1, 0x08), forced).status, kGood);
  EXPECT_EQ(media(100, 1), forced) << "FUA: on the media when it is answered";
}

TEST_F(Scsi, SynchronizeCacheWaitsForTheMediaUnlessItIsImmediate) {
  for (const bool immediate : {false, true}) {
    const Bytes data = some_bytes(kScsiSector, immediate ? 2 : 1);
    write_to_cache(3'000, data);
    const scsi::Task& task = port.begin(cdb10(0x35, 0, 0, immediate ? 0x02 : 0));
    const std::uint64_t before = rig.ends - (immediate ? 1 : 0);
    for (int i = 0; i < 1'000 && rig.ends == before; ++i) sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_US));
    EXPECT_EQ(rig.ends, before + 1);
    EXPECT_EQ(task.status, kGood);
    EXPECT_EQ(media(3'000, 1) == data, !immediate);
    sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
    EXPECT_EQ(media(3'000, 1), data);
  }
}

TEST_F(Scsi, WriteSameWritesEachBlockAndOrwriteTheOr) {
  const Bytes block = some_bytes(kScsiSector);
  EXPECT_EQ(port.run(cdb10(0x41, 20, 700), block).status, kGood);
  Bytes expected;
  for (int i = 0; i < 700; ++i) expected.insert(expected.end(), block.begin(), block.end());
  EXPECT_EQ(port.run(cdb10(0x28, 20, 700), {}, 700 * kScsiSector).data, expected);
  EXPECT_EQ(port.run(cdb10(0x28, 720, 1), {}, kScsiSector).data, Bytes(kScsiSector)) << "the block behind them";
  EXPECT_EQ(port.run(cdb16(0x93, 21, 2, 0x01)).status, kGood);
  EXPECT_EQ(port.run(cdb10(0x28, 21, 2), {}, 1024).data, Bytes(1024)) << "NDOB: zeroes";
  const Bytes more = some_bytes(kScsiSector, 2);
  EXPECT_EQ(port.run(cdb16(0x8B, 30, 1), more).status, kGood);
  Bytes both = block;
  for (std::size_t i = 0; i < both.size(); ++i) both[i] |= more[i];
  EXPECT_EQ(port.run(cdb10(0x28, 30, 1), {}, kScsiSector).data, both);
}

TEST_F(Scsi, WriteAndVerifyReadsTheMedia) {
  const Bytes data = some_bytes(2 * kScsiSector);
  EXPECT_EQ(port.run(cdb10(0x2E, 500, 2, 0x02), data).status, kGood);
  EXPECT_EQ(media(500, 2), data);
  media::Fault fault;
  fault.kind = media::FaultKind::SilentStale;
  fault.first = 501;
  fault.blocks = 1;
  rig.drives[0]->add_fault(fault);
  const Bytes lost = some_bytes(2 * kScsiSector, 2);
  const scsi::Task& same = port.run(cdb10(0x2E, 500, 2, 0x02), lost);
  EXPECT_TRUE(same.sense == sense::kMiscompare) << "BYTCHK 01b compares";
  EXPECT_GE(same.sense.information.value_or(0), kScsiSector);
  EXPECT_EQ(port.run(cdb10(0x2E, 500, 2), lost).status, kGood) << "BYTCHK 00b does not";
}

TEST_F(Scsi, AWriteOfFewerBytesWritesWholeBlocksOnly) {
  const scsi::Task& task = port.run(cdb10(0x2A, 50, 2), Bytes(512, 0x55));
  EXPECT_EQ(task.status, kGood);
  EXPECT_EQ(task.wanted, 1024u);
  EXPECT_TRUE(port.run(cdb10(0x2A, 50, 2), Bytes(700, 0x66)).sense == sense::kInvalidUnit);
  Bytes expected(1024);
  std::fill_n(expected.begin(), 512, std::uint8_t{0x55});
  EXPECT_EQ(port.run(cdb10(0x28, 50, 2), {}, 1024).data, expected);
}

TEST_F(Scsi, ComparesAndWritesAsOne) {
  const Bytes before = some_bytes(kScsiSector, 3);
  const Bytes after = some_bytes(kScsiSector, 4);
  Bytes both = before;
  both.insert(both.end(), after.begin(), after.end());
  const Bytes cdb = {0x89, 0, 0, 0, 0, 0, 0, 0, 0, 60, 0, 0, 0, 1};
  port.run(cdb10(0x2A, 60, 1), before);
  // A write that comes in between waits.
  scsi::Task& first = port.begin(cdb, both);
  scsi::Task& second = port.begin(cdb10(0x2A, 60, 1), some_bytes(kScsiSector, 5));
  scsi::Task& third = port.begin(cdb, both);
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
  EXPECT_EQ(first.status, kGood);
  EXPECT_EQ(second.status, kGood);
  EXPECT_TRUE(third.sense == sense::kMiscompare);
  const Bytes found = some_bytes(kScsiSector, 5);
  const auto differs = std::mismatch(found.begin(), found.end(), before.begin()).first - found.begin();
  EXPECT_EQ(third.sense.information.value_or(~0u), static_cast<std::uint64_t>(differs));
  EXPECT_EQ(port.run(cdb10(0x28, 60, 1), {}, 512).data, some_bytes(kScsiSector, 5));
}

TEST_F(Scsi, ANewPortHearsOfThePowerOnOnce) {
  Port other(rig, "iqn.2026-01.test:two,i,0x000000000002");
  EXPECT_EQ(other.run({0x12, 0, 0, 0, 96}, {}, 96).status, kGood) << "INQUIRY does not report it";
  EXPECT_TRUE(other.run({0x00}).sense == sense::kPowerOn);
  EXPECT_EQ(other.run({0x00}).status, kGood);
}

TEST(ScsiStart, ADriveThatStartsIsNotReady) {
  profile::DriveProfile profile = scsi_profile();
  profile.spin_up_s = 5;
  ScsiRig rig(1, profile);
  SettledPort port(rig, "iqn.2026-01.test:one,i,0x000000000001");
  rig.drives[0]->cut_power();
  EXPECT_TRUE(port.run({0x00}).sense == sense::kPowerOn);
  EXPECT_TRUE(port.run(cdb10(0x28, 0, 1), {}, 512).sense == sense::kNotReady);
  rig.drives[0]->restore_power();
  for (const char* when : {"at once", "after 4 s"}) {
    EXPECT_TRUE(port.run({0x00}).sense == sense::kBecomingReady) << when;
    EXPECT_TRUE(port.run(cdb10(0x28, 0, 1), {}, 512).sense == sense::kBecomingReady) << when;
    sc_core::sc_start(sc_core::sc_time(4, sc_core::SC_SEC));
  }
  EXPECT_EQ(port.run({0x00}).status, kGood) << "after 8 s";
  EXPECT_EQ(port.run(cdb10(0x28, 0, 1), {}, 512).data.size(), 512u);
}

TEST(ScsiStart, TimePassesForAPortThatAsksADriveThatStarts) {
  profile::DriveProfile profile = scsi_profile();
  profile.spin_up_s = 5;
  ScsiRig rig(1, profile);
  SettledPort port(rig, "iqn.2026-01.test:one,i,0x000000000001");
  for (const char* const pacing : {"asap", "lockstep:4"}) {
    struct Asking : serving::PollHandlerIf {
      explicit Asking(Port& asks) : port(asks) {}
      void ready(std::uint32_t /*events*/) override {
        const scsi::Task& task = port.begin({0x00});
        if (task.status == kGood || ++count == 1'000) loop->stop();
        starting += task.sense == sense::kBecomingReady ? 1 : 0;
      }
      Port& port;
      serving::KernelLoop* loop = nullptr;
      int count = 0;
      int starting = 0;
    } asking(port);
    serving::Poller poller;
    serving::KernelLoop loop(serving::Pacing::parse(pacing), poller);
    loop.wait_for([&rig] { return rig.target->awaited(); });
    asking.loop = &loop;
    const serving::FileDescriptor always(eventfd(1, 0));
    poller.add(always.get(), EPOLLIN, asking);
    rig.drives[0]->cut_power();
    rig.drives[0]->restore_power();
    const Picoseconds before = core::now_ps();
    loop.run();
    poller.remove(always.get(), asking);
    EXPECT_GT(asking.starting, 0) << pacing;
    EXPECT_LT(asking.count, 1'000) << pacing;
    EXPECT_GE(core::now_ps() - before, 5'000 * kMs) << pacing;
    EXPECT_LT(core::now_ps() - before, 6'000 * kMs) << pacing << ": and no longer";
  }
}

constexpr std::uint8_t kStart = 0x01;
constexpr std::uint8_t kStop = 0x00;
constexpr std::uint8_t kStandby = 0x30;
Bytes start_stop(std::uint8_t what, bool immediate = false) {
  return {0x1B, static_cast<std::uint8_t>(immediate ? 1 : 0), 0, 0, what};
}

TEST_F(Scsi, AStoppedUnitNeedsAStart) {
  const Bytes data = some_bytes(kScsiSector);
  write_to_cache(3'000, data);
  EXPECT_EQ(port.run(start_stop(kStop)).status, kGood);
  EXPECT_EQ(media(3'000, 1), data) << "a stop flushes first";
  EXPECT_FALSE(turns());
  EXPECT_TRUE(port.run({0x00}).sense == sense::kNeedsStart);
  EXPECT_TRUE(port.run(cdb10(0x28, 0, 1), {}, 512).sense == sense::kNeedsStart);
  EXPECT_FALSE(turns());
  EXPECT_EQ(port.run(start_stop(kStart)).status, kGood);
  EXPECT_TRUE(turns());
  EXPECT_EQ(port.run(cdb10(0x28, 3'000, 1), {}, 512).data, data);
  EXPECT_EQ(port.run(start_stop(kStandby)).status, kGood);
  EXPECT_FALSE(turns());
  EXPECT_EQ(port.run(cdb10(0x28, 9'000, 1), {}, 512).status, kGood) << "in standby an access starts the spindle";
  EXPECT_TRUE(turns());
}

TEST_F(Scsi, AStartTakesBackAStopThatWasAnsweredEarly) {
  for (const std::uint8_t stop : Bytes{kStop, kStandby}) {
    write_to_cache(3'000, some_bytes(kScsiSector, 1u + stop));  // there is something to flush
    EXPECT_EQ(port.begin(start_stop(stop, true)).status, kGood);
    EXPECT_TRUE(turns()) << "the flush is under way";
    EXPECT_TRUE(stop == kStandby || port.begin({0x00}).sense == sense::kNeedsStart) << "stopped from the answer on";
    EXPECT_EQ(port.begin(start_stop(kStart)).status, kGood);
    EXPECT_EQ(port.begin({0x00}).status, kGood);
    sc_core::sc_start(sc_core::sc_time(2, sc_core::SC_SEC));
    EXPECT_TRUE(turns()) << int{stop};
    EXPECT_EQ(port.run({0x00}).status, kGood) << int{stop};
    EXPECT_EQ(port.run(cdb10(0x28, 9'000, 1), {}, 512).status, kGood);
  }
  EXPECT_EQ(port.run(start_stop(kStop, true)).status, kGood);
  sc_core::sc_start(sc_core::sc_time(2, sc_core::SC_SEC));
  EXPECT_FALSE(turns()) << "nothing takes this one back";
  EXPECT_TRUE(port.run({0x00}).sense == sense::kNeedsStart);
}

TEST_F(Scsi, AResetTakesBackAStopThatWasAnsweredEarly) {
  write_to_cache(3'000, some_bytes(kScsiSector));
  EXPECT_EQ(port.begin(start_stop(kStop, true)).status, kGood);
  rig.target->manage(Management::UnitReset, port.nexus, 0);
  port.settle();
  sc_core::sc_start(sc_core::sc_time(2, sc_core::SC_SEC));
  EXPECT_TRUE(turns());
  EXPECT_EQ(port.run({0x00}).status, kGood);
}

TEST_F(Scsi, OneStartStopUnitAtATime) {
  write_to_cache(3'000, some_bytes(kScsiSector));
  const std::uint64_t before = rig.ends;
  const scsi::Task& stop = port.begin(start_stop(kStop));
  EXPECT_EQ(rig.ends, before) << "the flush is under way";
  EXPECT_TRUE(port.begin(start_stop(kStart)).sense == sense::kStopInProgress);
  EXPECT_TRUE(port.begin(start_stop(kStandby)).sense == sense::kStopInProgress);
  const scsi::Task& same = port.begin(start_stop(kStop));
  sc_core::sc_start(sc_core::sc_time(2, sc_core::SC_SEC));
  EXPECT_EQ(rig.ends, before + 4);
  EXPECT_EQ(stop.status, kGood);
  EXPECT_EQ(same.status, kGood);
  EXPECT_FALSE(turns());
  EXPECT_EQ(port.run(start_stop(kStart)).status, kGood);
  EXPECT_EQ(port.run({0x00}).status, kGood);
  write_to_cache(3'000, some_bytes(kScsiSector, 2));
  scsi::Task& aborted = port.begin(start_stop(kStop));
  sc_core::sc_start(sc_core::sc_time(20, sc_core::SC_US));
  rig.target->abort(aborted, 0);
  EXPECT_EQ(port.begin(start_stop(kStart)).status, kGood) << "an aborted one refuses nothing";
  sc_core::sc_start(sc_core::sc_time(2, sc_core::SC_SEC));
  EXPECT_TRUE(turns());
}

TEST_F(Scsi, AnUnreadableBlockIsNamedAndTheDataBeforeItComes) {
  const Bytes written = some_bytes(2 * kScsiSector);
  port.run(cdb10(0x2A, 70, 2, 0x08), written);
  media::Fault fault;
  fault.kind = media::FaultKind::Unreadable;
  fault.first = 72;
  fault.blocks = 1;
  rig.drives[0]->add_fault(fault);
  const scsi::Task& task = port.run(cdb10(0x28, 70, 4), {}, 4 * kScsiSector);
  EXPECT_TRUE(task.sense == (Sense{0x3, 0x11, 0x00}));
  EXPECT_EQ(task.sense.information.value_or(0), 72u);
  EXPECT_EQ(task.data, written);
  for (const std::uint32_t limit : {300u, 1100u}) {
    const scsi::Task& cut = port.run(cdb10(0x28, limit < 512 ? 72 : 70, 4), {}, limit);
    EXPECT_TRUE(cut.sense == (Sense{0x3, 0x11, 0x00})) << limit;
    EXPECT_EQ(cut.data.size(), limit < 512 ? 0u : 2 * kScsiSector) << limit;
  }
  const Bytes fixed = scsi::to_bytes(task.sense, false);
  EXPECT_EQ(fixed[0], 0xF0);
  EXPECT_EQ(get<std::uint32_t>(&fixed[3]), 72u);
  const Bytes described = scsi::to_bytes(task.sense, true);
  EXPECT_EQ(described[0], 0x72);
  EXPECT_EQ(get<std::uint64_t>(&described[12]), 72u);
}

TEST_F(Scsi, AReadOfADriveThatFailsSendsNoData) {
  scsi::Task& task = port.begin(cdb10(0x28, 9'000, 4), {}, 4 * kScsiSector);
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
  EXPECT_EQ(task.data.size(), 4 * kScsiSector) << "it is under way";
  rig.drives[0]->set_alive(false);
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
  EXPECT_EQ(task.status, kCheck);
  EXPECT_TRUE(task.sense == sense::kUnitFailure);
  EXPECT_TRUE(task.data.empty());
}

TEST_F(Scsi, ModeSelectChangesWhatMayChange) {
  SettledPort other(rig, "iqn.2026-01.test:two,i,0x000000000002");
  const Bytes page = port.run({0x1A, 0x08, 0x08, 0, 255}, {}, 255).data;
  ASSERT_EQ(page.size(), 24u);
  EXPECT_EQ(page[4 + 2] & 0x04, 0x04) << "the write cache is on";
  Bytes list = page;
  list[0] = list[1] = list[2] = 0;
  list[4 + 2] &= 0xFB;
  EXPECT_EQ(cache_switches() & drive::reg::kCacheWriteBack, drive::reg::kCacheWriteBack);
  EXPECT_EQ(port.run({0x15, 0x10, 0, 0, 24}, list).status, kGood);
  EXPECT_EQ(cache_switches() & drive::reg::kCacheWriteBack, 0u);
  EXPECT_EQ(port.run({0x1A, 0x08, 0x08, 0, 255}, {}, 255).data[4 + 2] & 0x04, 0);
  EXPECT_TRUE(other.run({0x00}).sense == sense::kModeChanged);
  EXPECT_EQ(port.run({0x15, 0x10, 0, 0, 24}, list).status, kGood);
  EXPECT_EQ(other.run({0x00}).status, kGood) << "nothing has changed";
  list[4 + 3] = 1;
  const scsi::Task& refused = port.run({0x15, 0x10, 0, 0, 24}, list);
  EXPECT_TRUE(refused.sense == sense::kInvalidParameter);
  EXPECT_EQ(refused.sense.field.value_or(scsi::SenseData::Field()).byte, 7u);
  Bytes control = port.run({0x1A, 0x08, 0x0A, 0, 255}, {}, 255).data;
  control[0] = control[1] = control[2] = 0;
  control[4 + 4] |= 0x08;  // SWP
  EXPECT_EQ(port.run({0x15, 0x10, 0, 0, 16}, control).status, kGood);
  EXPECT_TRUE(port.run(cdb10(0x2A, 0, 1), Bytes(512)).sense == sense::kWriteProtected);
  EXPECT_EQ(port.run({0x1A, 0x08, 0x0A, 0, 255}, {}, 255).data[2] & 0x80, 0x80) << "WP";
}

TEST_F(Scsi, TheCacheIsOffOnlyAfterAFlushThatWentWell) {
  SettledPort other(rig, "iqn.2026-01.test:two,i,0x000000000002");
  const auto write_cache = [this] { return (port.run({0x1A, 0x08, 0x08, 0, 255}, {}, 255).data[4 + 2] & 0x04) != 0; };
  Bytes list = port.run({0x1A, 0x08, 0x08, 0, 255}, {}, 255).data;
  ASSERT_EQ(list.size(), 24u);
  list[0] = list[1] = list[2] = 0;
  list[4 + 2] &= 0xFB;
  write_to_cache(3'000, some_bytes(kScsiSector));
  const std::uint64_t before = rig.ends;
  const scsi::Task& failing = port.begin({0x15, 0x10, 0, 0, 24}, list);
  sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_US));
  EXPECT_EQ(rig.ends, before) << "the flush is under way";
  EXPECT_TRUE(write_cache());
  rig.drives[0]->set_alive(false);
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
  rig.drives[0]->set_alive(true);
  EXPECT_TRUE(failing.sense == sense::kUnitFailure);
  port.settle();
  EXPECT_TRUE(write_cache());
  EXPECT_NE(cache_switches() & drive::reg::kCacheWriteBack, 0u);
  EXPECT_TRUE(other.run({0x00}).sense == sense::kInternalReset);
  EXPECT_EQ(other.run({0x00}).status, kGood) << "no changed mode parameters";
  const Bytes data = some_bytes(kScsiSector, 2);
  write_to_cache(3'000, data);
  const std::uint64_t accesses = rig.registers[0]->accesses;
  EXPECT_EQ(port.run({0x15, 0x10, 0, 0, 24}, list).status, kGood);
  EXPECT_LE(rig.registers[0]->accesses - accesses, 5u);
  EXPECT_EQ(media(3'000, 1), data);
  EXPECT_FALSE(write_cache());
  EXPECT_TRUE(other.run({0x00}).sense == sense::kModeChanged);
}

TEST_F(Scsi, NothingIsCachedWhileAModeSelectFlushes) {
  Bytes off = port.run({0x1A, 0x08, 0x08, 0, 255}, {}, 255).data;
  Bytes recovery = port.run({0x1A, 0x08, 0x01, 0, 255}, {}, 255).data;
  off[0] = off[1] = off[2] = recovery[0] = recovery[1] = recovery[2] = 0;
  off[4 + 2] &= 0xFB;       // WCE
  recovery[4 + 2] |= 0x04;  // PER
  write_to_cache(3'000, some_bytes(kScsiSector));
  scsi::Task& aborted = port.begin({0x15, 0x10, 0, 0, 24}, off);
  const scsi::Task& flushing = port.begin({0x15, 0x10, 0, 0, 24}, off);
  EXPECT_EQ(port.run({0x15, 0x10, 0, 0, 16}, recovery).status, kGood) << "it changes a value, and ends at once";
  EXPECT_EQ(cache_switches() & drive::reg::kCacheWriteBack, 0u);
  rig.target->abort(aborted, 0);
  EXPECT_EQ(cache_switches() & drive::reg::kCacheWriteBack, 0u) << "the other one goes on";
  const Bytes data = some_bytes(kScsiSector, 2);
  const scsi::Task& write = port.begin(cdb10(0x2A, 9'000, 1), data);
  for (int turn = 0; turn < 10'000 && rig.last != &write; ++turn) sc_core::sc_start(sc_core::sc_time(20, sc_core::SC_US));
  EXPECT_EQ(write.status, kGood);
  EXPECT_EQ(flushing.status, kGood);
  rig.drives[0]->cut_power();
  EXPECT_EQ(media(9'000, 1), data);
}

class ScsiLostWrite : public ::testing::TestWithParam<profile::LostCache> {};

TEST_P(ScsiLostWrite, ADeferredErrorTellsWhomNoFlushTells) {
  profile::DriveProfile profile = scsi_profile();
  profile.power_loss.cache = GetParam();
  profile.recovery.spares = 0;
  ScsiRig rig(1, profile);
  media::Fault fault;
  fault.kind = media::FaultKind::WriteFault;
  fault.first = 1'000;
  rig.drives[0]->add_fault(fault);
  media::Fault late;  // a flush has its result before the unit hears of it
  late.kind = media::FaultKind::Late;
  late.delay = 1 * kMs;
  rig.drives[0]->add_fault(late);
  SettledPort port(rig, "iqn.2026-01.test:one,i,0x000000000001");
  SettledPort other(rig, "iqn.2026-01.test:two,i,0x000000000002");
  enum How { kImmediate, kStopping, kAborted, kGone, kRequested, kCut };
  for (const How how : {kImmediate, kStopping, kAborted, kGone, kRequested, kCut}) {
    auto passing = std::make_unique<Port>(rig, "iqn.2026-01.test:three,i,0x000000000003");
    passing->settle();
    Port& sender = how == kGone ? *passing : port;
    EXPECT_EQ(sender.run(cdb10(0x2A, 1'000, 1), some_bytes(kScsiSector)).status, kGood);
    scsi::Task& flush =
        sender.begin(how == kStopping ? start_stop(kStop, true) : cdb10(0x35, 0, 0, how == kAborted ? 0 : 0x02));
    const std::uint64_t before = rig.drives[0]->media_errors().lost_destages;
    while (rig.drives[0]->media_errors().lost_destages == before) sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_US));
    if (how == kAborted) rig.target->abort(flush, 0);  // the drive has its result
    if (how == kGone) passing.reset();
    sc_core::sc_start(sc_core::sc_time(2, sc_core::SC_SEC));
    EXPECT_EQ(port.run({0x12, 0, 0, 0, 96}, {}, 96).status, kGood) << "INQUIRY does not report it";
    if (how == kRequested) {
      EXPECT_EQ(port.run({0x03, 0, 0, 0, 18}, {}, 18).data[0], 0x71) << "REQUEST SENSE has it";
    } else if (how == kCut) {
      rig.drives[0]->cut_power();
      rig.drives[0]->restore_power();
      sc_core::sc_start(sc_core::sc_time(60, sc_core::SC_SEC));
      EXPECT_TRUE(other.run({0x00}).sense == sense::kPowerOn);
      EXPECT_TRUE(port.run({0x00}).sense == sense::kPowerOn) << "which tells that writes may be lost";
      EXPECT_EQ(port.run({0x00}).status, GetParam() == profile::LostCache::Saved ? kCheck : kGood)
          << "a saved cache loses none";
    } else {
      EXPECT_EQ(other.run(cdb10(0x35, 0, 0)).status, how == kGone ? kCheck : kGood) << how << ": it is for one port";
      const scsi::Task& told = how == kGone ? *rig.last : port.run(cdb10(0x28, 1'000, 1), {}, 512);
      EXPECT_EQ(told.status, kCheck) << how;
      EXPECT_TRUE(told.sense == (Sense{0x3, 0x0C, 0x02})) << how;
      EXPECT_EQ(scsi::to_bytes(told.sense, false)[0], 0x71) << how;
      EXPECT_EQ(scsi::to_bytes(told.sense, true)[0], 0x73) << how;
      EXPECT_TRUE(told.data.empty()) << how;
    }
    EXPECT_EQ(port.run(cdb10(0x28, 1'000, 1), {}, 512).status, kGood) << how;
  }
}

INSTANTIATE_TEST_SUITE_P(Both, ScsiLostWrite, ::testing::Values(profile::LostCache::Volatile, profile::LostCache::Saved));

Bytes reserve_out(std::uint8_t action, std::uint8_t type) { return {0x5F, action, type, 0, 0, 0, 0, 0, 24}; }
Bytes keys(std::uint64_t key, std::uint64_t action_key) {
  Bytes list(24);
  put(list.data(), key, 8);
  put(&list[8], action_key, 8);
  return list;
}

TEST_F(Scsi, PersistentReservationsKeepOthersOut) {
  SettledPort other(rig, "iqn.2026-01.test:two,i,0x000000000002");
  struct Row {
    std::uint8_t type;
    bool other_reads;
    bool other_writes;
    bool registered_writes;
  };
  for (const Row& row : {Row{1, true, false, false}, Row{3, false, false, false}, Row{5, true, false, true},
                         Row{6, false, false, true}, Row{7, true, false, true}, Row{8, false, false, true}}) {
    EXPECT_EQ(port.run(reserve_out(0, 0), keys(0, 11)).status, kGood);
    EXPECT_EQ(port.run(reserve_out(1, row.type), keys(11, 0)).status, kGood);
    const Status conflict = Status::ReservationConflict;
    const auto status = [&](const Bytes& cdb, const Bytes& out, std::uint32_t limit) {
      return other.run(cdb, out, limit).status;
    };
    EXPECT_EQ(status({0x00}, {}, 0), kGood);
    EXPECT_EQ(status(cdb10(0x28, 0, 1), {}, 512), row.other_reads ? kGood : conflict) << int{row.type};
    EXPECT_EQ(status(cdb10(0x2A, 0, 1), Bytes(512), 0), row.other_writes ? kGood : conflict) << int{row.type};
    EXPECT_EQ(status(reserve_out(0, 0), keys(0, 22), 0), kGood);
    EXPECT_EQ(status(cdb10(0x2A, 0, 1), Bytes(512), 0), row.registered_writes ? kGood : conflict) << int{row.type};
    EXPECT_EQ(status(reserve_out(2, row.type), keys(21, 0), 0), conflict) << "a wrong key";
    EXPECT_EQ(status({0x16}, {}, 0), conflict) << "RESERVE";
    EXPECT_EQ(port.run(reserve_out(3, 0), keys(11, 0)).status, kGood);
    EXPECT_TRUE(other.run({0x00}).sense == sense::kReservationsPreempted);
    EXPECT_EQ(port.run({0x5E, 1, 0, 0, 0, 0, 0, 0, 24}, {}, 24).data.size(), 8u) << "no reservation";
  }
}

TEST_F(Scsi, APreemptedPortLosesItsReservation) {
  SettledPort other(rig, "iqn.2026-01.test:two,i,0x000000000002");
  port.run(reserve_out(0, 0), keys(0, 11));
  port.run(reserve_out(1, 3), keys(11, 0));
  other.run(reserve_out(6, 0), keys(0, 22));
  EXPECT_EQ(other.run(reserve_out(4, 1), keys(22, 11)).status, kGood);
  EXPECT_TRUE(port.run({0x00}).sense == sense::kRegistrationsPreempted);
  EXPECT_EQ(port.run(cdb10(0x2A, 0, 1), Bytes(512)).status, Status::ReservationConflict);
  const Bytes full = other.run({0x5E, 3, 0, 0, 0, 0, 0, 0, 255}, {}, 255).data;
  ASSERT_GT(full.size(), 40u);
  EXPECT_EQ(get<std::uint64_t>(&full[8]), 22u);
  EXPECT_EQ(full[8 + 12] & 1, 1) << "the holder";
}

TEST_F(Scsi, StartStopUnitConflictsAsTheStandardSays) {  // SBC-3, table 13
  SettledPort other(rig, "iqn.2026-01.test:two,i,0x000000000002");
  for (const std::uint8_t type : Bytes{1, 3, 5, 6, 7, 8}) {
    port.run(reserve_out(0, 0), keys(0, 11));
    EXPECT_EQ(port.run(reserve_out(1, type), keys(11, 0)).status, kGood);
    EXPECT_EQ(other.run(start_stop(kStart)).status, kGood) << int{type};
    for (const std::uint8_t what : Bytes{kStop, kStandby, 0x10, 0x20})
      EXPECT_EQ(other.run(start_stop(what)).status, Status::ReservationConflict) << int{type} << '/' << int{what};
    EXPECT_TRUE(turns());
    other.run(reserve_out(0, 0), keys(0, 22));
    EXPECT_EQ(other.run(start_stop(0x10)).status, type < 5 ? Status::ReservationConflict : kGood) << "registered";
    EXPECT_EQ(port.run(start_stop(0x10)).status, kGood) << "the holder";
    port.run(reserve_out(3, 0), keys(11, 0));
    other.settle();
  }
}

TEST_F(Scsi, APreemptThatChangesTheTypeIsToldToThosePortsThatStay) {
  SettledPort other(rig, "iqn.2026-01.test:two,i,0x000000000002");
  SettledPort third(rig, "iqn.2026-01.test:three,i,0x000000000003");
  for (const std::uint8_t type : Bytes{5, 1}) {
    port.run(reserve_out(0, 0), keys(0, 11));
    port.run(reserve_out(1, 5), keys(11, 0));
    other.run(reserve_out(6, 0), keys(0, 22));
    third.run(reserve_out(6, 0), keys(0, 33));
    EXPECT_EQ(other.run(reserve_out(4, type), keys(22, 11)).status, kGood);
    EXPECT_TRUE(port.run({0x00}).sense == sense::kRegistrationsPreempted);
    EXPECT_EQ(port.run({0x00}).status, kGood) << "one condition";
    EXPECT_EQ(other.run({0x00}).status, kGood) << "not the port itself";
    EXPECT_TRUE(type == 5 || third.run({0x00}).sense == sense::kReservationsReleased);
    EXPECT_EQ(third.run({0x00}).status, kGood);
    const Bytes now = other.run({0x5E, 1, 0, 0, 0, 0, 0, 0, 24}, {}, 24).data;
    ASSERT_EQ(now.size(), 24u);
    EXPECT_EQ(now[21], type);
    EXPECT_EQ(other.run(reserve_out(3, 0), keys(22, 0)).status, kGood);
    third.settle();
  }
}

TEST_F(Scsi, ALossOfPowerEndsPersistentReservations) {
  SettledPort other(rig, "iqn.2026-01.test:two,i,0x000000000002");
  port.run(reserve_out(0, 0), keys(0, 11));
  EXPECT_EQ(port.run(reserve_out(1, 3), keys(11, 0)).status, kGood);
  EXPECT_EQ(other.run(cdb10(0x28, 0, 1), {}, 512).status, Status::ReservationConflict);
  rig.target->manage(Management::UnitReset, port.nexus, 0);
  other.settle();
  EXPECT_EQ(other.run(cdb10(0x28, 0, 1), {}, 512).status, Status::ReservationConflict) << "a reset leaves them";
  rig.drives[0]->cut_power();
  rig.drives[0]->restore_power();
  sc_core::sc_start(sc_core::sc_time(60, sc_core::SC_SEC));
  other.settle();
  EXPECT_EQ(other.run(cdb10(0x28, 0, 1), {}, 512).status, kGood);
  EXPECT_EQ(other.run({0x5E, 0, 0, 0, 0, 0, 0, 0, 24}, {}, 24).data, Bytes(8)) << "no key, and PRGENERATION is 0";
  EXPECT_EQ(other.run({0x5E, 1, 0, 0, 0, 0, 0, 0, 24}, {}, 24).data, Bytes(8)) << "no reservation";
  port.settle();
  EXPECT_EQ(port.run(reserve_out(1, 3), keys(11, 0)).status, Status::ReservationConflict) << "the key is forgotten";
}

TEST_F(Scsi, ReservationsOfOnePortEndWithIt) {
  {
    SettledPort other(rig, "iqn.2026-01.test:two,i,0x000000000002");
    EXPECT_EQ(other.run({0x16}).status, kGood);
    EXPECT_EQ(port.run({0x00}).status, Status::ReservationConflict);
    EXPECT_EQ(port.run({0x17}).status, kGood) << "has no effect";
    EXPECT_EQ(port.run(cdb10(0x28, 0, 1), {}, 512).status, Status::ReservationConflict);
  }
  EXPECT_EQ(port.run({0x00}).status, kGood);
}

TEST_F(Scsi, TasksThatWaitAreAbortedAtOnceAndOthersAtTheirEnd) {
  std::vector<scsi::Task*> tasks;
  const std::uint64_t settled = rig.ends;
  const std::uint64_t heard = rig.heard.issues;
  for (std::uint32_t i = 0; i < 100; ++i) tasks.push_back(&port.begin(cdb10(0x28, 128 * i, 1), {}, 512));
  EXPECT_EQ(rig.heard.issues - heard, 100u) << "also those that wait in the unit";
  sc_core::sc_start(sc_core::sc_time(3, sc_core::SC_MS));
  const std::uint64_t before = rig.ends;
  EXPECT_LT(before - settled, 50u);
  rig.target->manage(Management::AbortTaskSet, port.nexus, 0);
  const std::uint32_t depth = rig.target->unit(0).identity().queue_depth;
  EXPECT_GE(rig.ends - settled, 100u - depth) << "those that are not in the drive end at once";
  EXPECT_LT(rig.ends - settled, 100u) << "the access that has begun ends later";
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
  EXPECT_EQ(rig.ends - settled, 100u) << "each ends once";
  EXPECT_EQ(rig.heard.rows.size(), rig.heard.issues);
  std::size_t aborted = 0;
  for (const scsi::Task* task : tasks) aborted += task->aborted ? 1 : 0;
  EXPECT_EQ(aborted, 100 - (before - settled));
  EXPECT_EQ(rig.drives[0]->queue().occupancy(), 0u);
  EXPECT_EQ(port.run({0x00}).status, kGood) << "no unit attention of its own abort";
}

TEST(ScsiTokens, ATaskThatWaitsForThemIsAborted) {
  profile::DriveProfile profile = scsi_profile();
  profile.token_rate_bytes_per_s = profile.token_depth_bytes = 4096;
  ScsiRig rig(1, profile);
  SettledPort port(rig, "iqn.2026-01.test:one,i,0x000000000001");
  for (const std::uint32_t block : {0u, 128u, 256u}) port.begin(cdb10(0x2A, block, 1), Bytes(kScsiSector, 7));
  sc_core::sc_start(sc_core::sc_time(150, sc_core::SC_MS));
  const std::uint64_t before = rig.ends;
  rig.target->manage(Management::AbortTaskSet, port.nexus, 0);
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_US));
  EXPECT_EQ(rig.ends, before + 2) << "at once";
  for (const std::uint32_t block : {128u, 256u})
    EXPECT_EQ(port.run(cdb10(0x28, block, 1), {}, kScsiSector).data, Bytes(kScsiSector, 0));
}

TEST_F(Scsi, AResetIsToldToEveryPort) {
  SettledPort other(rig, "iqn.2026-01.test:two,i,0x000000000002");
  scsi::Task& task = other.begin(cdb10(0x28, 0, 1), {}, 512);
  EXPECT_TRUE(rig.target->manage(Management::UnitReset, port.nexus, 0));
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
  EXPECT_TRUE(task.aborted);
  EXPECT_TRUE(port.run({0x00}).sense == sense::kBusDeviceReset);
  EXPECT_TRUE(other.run({0x00}).sense == sense::kBusDeviceReset);
  EXPECT_FALSE(rig.target->manage(Management::UnitReset, port.nexus, std::uint64_t{7} << 48)) << "no such unit";
}

TEST_F(Scsi, AttributesOrderTheQueue) {
  // By distance alone the order after the first one would be: near, ordered, head.
  std::vector<scsi::Task*> order;
  scsi::Task& first = port.begin(cdb10(0x28, 16'000, 1), {}, 512);
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
  scsi::Task& ordered = port.begin(cdb10(0x28, 8'000, 1), {}, 512, 0, TaskAttribute::Ordered);
  scsi::Task& near = port.begin(cdb10(0x28, 15'000, 1), {}, 512);
  scsi::Task& head = port.begin(cdb10(0x28, 10, 1), {}, 512, 0, TaskAttribute::HeadOfQueue);
  while (order.size() < 4) {
    const std::uint64_t before = rig.ends;
    sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_US));
    if (rig.ends > before) order.push_back(rig.last);
    ASSERT_LT(core::now_ps(), 10 * core::kPicosecondsPerSecond);
  }
  EXPECT_EQ(order, (std::vector<scsi::Task*>{&first, &head, &ordered, &near}));
}

TEST_F(Scsi, AnOrderedCommandOfSeveralAccessesIsNotOvertaken) {
  const Bytes old = some_bytes(kScsiSector, 8);
  const Bytes block = some_bytes(kScsiSector, 9);
  port.run(cdb10(0x2A, 2'699, 1), old);
  const scsi::Task& same = port.begin(cdb10(0x41, 2'000, 700), block, 0, 0, TaskAttribute::Ordered);
  const scsi::Task& younger = port.begin(cdb10(0x28, 2'699, 1), {}, 512);
  const scsi::Task& head = port.begin(cdb10(0x28, 2'699, 1), {}, 512, 0, TaskAttribute::HeadOfQueue);
  sc_core::sc_start(sc_core::sc_time(5, sc_core::SC_SEC));
  EXPECT_EQ(same.status, kGood);
  EXPECT_EQ(younger.data, block);
  EXPECT_EQ(head.data, old) << "HEAD OF QUEUE overtakes it";
}

TEST_F(Scsi, AnOrderedCommandWaitsForAllAccessesOfOlderOnes) {
  const Bytes block = some_bytes(kScsiSector, 9);
  const scsi::Task& same = port.begin(cdb10(0x41, 2'000, 700), block);
  const scsi::Task& ordered = port.begin(cdb10(0x28, 2'699, 1), {}, 512, 0, TaskAttribute::Ordered);
  const scsi::Task& younger = port.begin(cdb10(0x28, 2'698, 1), {}, 512);
  sc_core::sc_start(sc_core::sc_time(5, sc_core::SC_SEC));
  EXPECT_EQ(same.status, kGood);
  EXPECT_EQ(ordered.data, block);
  EXPECT_EQ(younger.data, block) << "it waits for the ordered one";
}

TEST_F(Scsi, NothingComesBetweenTheAccessesOfACommandAtTheHeadOfTheQueue) {
  const Bytes before = some_bytes(kScsiSector, 3);
  const Bytes after = some_bytes(kScsiSector, 4);
  const Bytes between = some_bytes(kScsiSector, 5);
  Bytes both = before;
  both.insert(both.end(), after.begin(), after.end());
  port.run(cdb10(0x2A, 60, 1, 0x08), before);
  // The drive's queue is full, and a write to the same block waits in the unit.
  const std::uint32_t depth = rig.target->unit(0).identity().queue_depth;
  for (std::uint32_t i = 0; i < depth; ++i) port.begin(cdb10(0x28, 1'000 + 128 * i, 1), {}, 512);
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
  const scsi::Task& write = port.begin(cdb10(0x2A, 60, 1), between);
  const scsi::Task& swap = port.begin({0x89, 0, 0, 0, 0, 0, 0, 0, 0, 60, 0, 0, 0, 1}, both, 0, 0, TaskAttribute::HeadOfQueue);
  sc_core::sc_start(sc_core::sc_time(5, sc_core::SC_SEC));
  EXPECT_EQ(swap.status, kGood) << "it goes before the write";
  EXPECT_EQ(write.status, kGood);
  EXPECT_EQ(port.run(cdb10(0x28, 60, 1), {}, 512).data, between);
}

TEST(ScsiUnits, EachDriveIsAUnit) {
  ScsiRig rig(2);
  Port port(rig, "iqn.2026-01.test:one,i,0x000000000001");
  port.settle(0);
  port.settle(1);
  const Bytes data = some_bytes(kScsiSector);
  EXPECT_EQ(port.run(cdb10(0x2A, 3, 1), data, 0, 1).status, Status::Good);
  EXPECT_EQ(port.run(cdb10(0x28, 3, 1), {}, 512, 1).data, data);
  EXPECT_EQ(port.run(cdb10(0x28, 3, 1), {}, 512, 0).data, Bytes(512));
  EXPECT_EQ(port.run({0xA0, 0, 0, 0, 0, 0, 0, 0, 0, 64}, {}, 64, 0).data.size(), 24u);
  EXPECT_EQ(port.run({0x12, 0, 0, 0, 36}, {}, 36, 2).data[0], 0x7F) << "no such unit";
  EXPECT_TRUE(port.run({0x00}, {}, 0, 2).sense == sense::kNoSuchUnit);
  EXPECT_EQ(port.run({0xA0, 0, 0, 0, 0, 0, 0, 0, 0, 64}, {}, 64, 2).data.size(), 24u);
}

/// Random commands of two initiator ports to the only unit. Most have an address and a length that the disk has. Now and then a port undoes what makes
/// the unit refuse nearly everything: a stop, a reservation, write protection, unit attention conditions.
class RandomCommands : public scsi::TaskOwnerIf {
 public:
  RandomCommands(ScsiRig& rig, Port& one, Port& other) : rig_(rig), ports_{&one, &other} {
    for (const scsi::Operation& operation : scsi::operations())
      if (!operation.of_zones) (is_access(operation) ? accesses_ : others_).push_back(&operation);
    // MODE SELECT takes what MODE SENSE gives, without the fields that are reserved in it.
    pages_ = one.run({0x1A, 0x08, 0x3F, 0, 255}, {}, 255).data;
    pages_[0] = pages_[2] = 0;
    for (std::size_t at = 4; at < pages_.size(); at += 2u + pages_[at + 1]) pages_[at] &= 0x3F;
  }

  void send() {
    Bytes cdb(16);
    Bytes out = below(2) == 0 ? Bytes() : filled(below(40) * 64);
    auto limit = static_cast<std::uint32_t>(below(3) == 0 ? 0 : below(70'000));
    if (below(8) == 0) {
      for (std::uint8_t& byte : cdb) byte = static_cast<std::uint8_t>(random_());
    } else {
      const std::vector<const scsi::Operation*>& some = below(3) == 0 ? others_ : accesses_;
      const scsi::Operation& operation = *some[below(some.size())];
      for (std::size_t i = 0; i < cdb.size(); ++i)
        cdb[i] = static_cast<std::uint8_t>(operation.usage[i] & random_() & random_());
      cdb[0] = operation.code;
      if (operation.action != scsi::Operation::kNoAction) cdb[1] = operation.action;
      if (is_access(operation) && below(10) > 0) {
        const std::size_t blocks = place(operation, cdb);
        if (below(4) > 0) out = filled(kScsiSector * of_data(operation.code, blocks));
        if (below(4) > 0) limit = 1 << 20;
      } else if (operation.code == 0x15 && below(4) > 0) {
        select_modes(cdb, out, below(2) == 0);
      } else if (operation.code == 0x5F && below(4) > 0) {
        reserve(cdb, out, 1 + below(2), below(3));
      } else if ((operation.code == 0x1A || operation.code == 0x5A || operation.code == 0x4D) && below(4) > 0) {
        constexpr std::uint8_t kPages[] = {0x00, 0x01, 0x02, 0x03, 0x05, 0x06, 0x08, 0x0A, 0x0D, 0x0E, 0x15, 0x1C, 0x2F, 0x3F};
        cdb[2] = kPages[below(std::size(kPages))] | (operation.code == 0x4D ? 0x40 : 0);
        cdb[3] = 0;
      }
      if (below(12) == 0) cdb[below(16)] = static_cast<std::uint8_t>(random_());
    }
    const std::size_t port = below(2);
    const std::uint64_t lun = below(20) == 0 ? 1 : 0;
    begin(port, cdb, std::move(out), limit, lun, static_cast<TaskAttribute>(below(3)));
  }

  /// Blocks that cannot be read, a loss of power, a restart, or a failure.
  void trouble() {
    drive::Drive& drive = *rig_.drives[0];
    media::Fault fault;
    fault.kind = media::FaultKind::Unreadable;
    fault.first = below(kToyBlocks * 3 / 4);
    fault.blocks = 1 + below(kToyBlocks / 4);
    switch (below(12)) {
      case 0: return drive.cut_power();
      case 1: return drive.restart(static_cast<core::Picoseconds>(below(300)) * core::kPicosecondsPerSecond / 1'000);
      case 2: return drive.set_alive(false);
      default: drive.add_fault(fault);
    }
  }

  /// `reservations`: undoes those in any case, otherwise most times.
  void recover(bool reservations = false) {
    drive::Drive& drive = *rig_.drives[0];
    drive.restore_power();
    drive.set_alive(true);
    if (below(4) == 0) drive.clear_faults();
    for (int turn = 0; turn < 1'000 && !drive.power().ready(); ++turn) sc_core::sc_start(sc_core::sc_time(20, sc_core::SC_MS));
    for (std::size_t port = 0; port < 2; ++port)
      for (int i = 0; i < 3; ++i) begin(port, {0x00}, {}, 0);
    if (reservations || below(4) > 0) {
      for (std::size_t port = 0; port < 2; ++port) begin(port, {0x17}, {}, 0);
      Bytes cdb{0x5F, 6};
      Bytes out;
      reserve(cdb, out, 0, 1);  // REGISTER AND IGNORE EXISTING KEY
      begin(0, cdb, out, 0);
      cdb[1] = 3;  // CLEAR
      reserve(cdb, out, 1, 0);
      begin(0, cdb, out, 0);
    }
    Bytes cdb{0x15};
    Bytes out;
    select_modes(cdb, out, false);
    begin(0, cdb, out, 0);
    begin(0, {0x1B, 0, 0, 0, 1}, {}, 0);
  }

  /// Simulates until all have ended, and forgets them. Returns false if one does not end.
  bool drain() {
    for (int turn = 0; turn < 10'000 && ends < begun; ++turn) sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_MS));
    if (ends != begun) return false;
    tasks_.clear();
    return true;
  }

  void ended(scsi::Task& task) override {
    ++ends;
    if (task.aborted)
      ++aborted;
    else if (task.status == kGood || task.status == Status::ConditionMet)
      ++good;
    else if (task.status == kCheck)
      ++keys[task.sense.key];
    else
      ++conflicts;
  }

  std::size_t below(std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_); }

  std::uint64_t begun = 0, ends = 0, good = 0, aborted = 0, conflicts = 0;
  std::array<std::uint64_t, 16> keys{};  ///< of those that end with CHECK CONDITION

 private:
  Bytes filled(std::size_t bytes) { return Bytes(bytes, below(2) == 0 ? 0 : 0xA5); }

  /// An operation with an address and a length.
  static bool is_access(const scsi::Operation& operation) {
    return operation.next != nullptr && operation.needs == scsi::Operation::kMedium;
  }
  /// Blocks of data that the host gives. COMPARE AND WRITE takes twice its length, and WRITE SAME one.
  static std::size_t of_data(std::uint8_t code, std::size_t blocks) {
    return code == 0x89 ? 2 * blocks : code == 0x41 || code == 0x93 ? 1 : blocks;
  }
  /// Sets the address and the length, and returns the length.
  std::size_t place(const scsi::Operation& operation, Bytes& cdb) {
    struct Fields {
      std::size_t lba, lba_bytes, length, length_bytes;
    };
    constexpr Fields kFields[] = {{1, 3, 4, 1}, {2, 4, 7, 2}, {2, 4, 7, 2}, {}, {2, 8, 10, 4}, {2, 4, 6, 4}};
    const Fields& at = kFields[operation.code >> 5];
    const std::size_t blocks = below(64);
    const std::uint64_t first = below(30) == 0 ? kToyBlocks - below(70) : below(kToyBlocks - 64);
    Bytes placed(16);
    put(&placed[at.lba], first, at.lba_bytes);
    put(&placed[at.length], blocks, at.length_bytes);
    const auto set = [&](std::size_t from, std::size_t count) {
      for (std::size_t i = from; i < from + count; ++i) cdb[i] = placed[i] & operation.usage[i];
    };
    set(at.lba, at.lba_bytes);
    set(at.length, at.length_bytes);
    return blocks;
  }
  void select_modes(Bytes& cdb, Bytes& out, bool changed) {
    out = pages_;
    if (changed) out[below(out.size())] ^= static_cast<std::uint8_t>(1u << below(8));
    cdb = {0x15, 0x10, 0, 0, static_cast<std::uint8_t>(out.size())};
  }
  /// PERSISTENT RESERVE OUT with its two keys.
  static void reserve(Bytes& cdb, Bytes& out, std::uint64_t key, std::uint64_t action_key) {
    cdb.resize(16);
    cdb[2] &= 0x0F;
    put(&cdb[5], 24, 4);
    out.assign(24, 0);
    put(out.data(), key, 8);
    put(&out[8], action_key, 8);
  }
  void begin(std::size_t port, const Bytes& cdb, Bytes out, std::uint32_t limit, std::uint64_t lun = 0,
             TaskAttribute attribute = TaskAttribute::Simple) {
    scsi::Task& task = tasks_.emplace_back();
    task.owner = this;
    task.nexus = &ports_[port]->nexus;
    std::copy(cdb.begin(), cdb.end(), task.cdb.begin());
    task.data = std::move(out);
    task.limit = limit;
    task.attribute = attribute;
    ++begun;
    rig_.target->begin(task, lun << 48);
  }

  ScsiRig& rig_;
  std::array<Port*, 2> ports_;
  std::mt19937 random_{7};
  std::vector<const scsi::Operation*> accesses_, others_;
  Bytes pages_;
  std::list<scsi::Task> tasks_;
};

TEST_F(Scsi, AnyCommandsAreBorne) {
  Port other(rig, "iqn.2026-01.test:two,i,0x000000000002");
  RandomCommands commands(rig, port, other);
  const drive::HostPort& at_drive = rig.drives[0]->host_port();
  const std::uint64_t before = at_drive.completed();
  for (std::uint64_t turn = 0; turn < inputs(); ++turn) {
    commands.send();
    if (turn % 25 == 0) commands.recover();
    if (turn % 25 == 12 && commands.below(2) == 0) commands.trouble();
    if (commands.below(200) == 0)
      rig.target->manage(static_cast<Management>(commands.below(9)), commands.below(2) == 0 ? port.nexus : other.nexus, 0);
    if (turn % 20 == 0) sc_core::sc_start(sc_core::sc_time(200, sc_core::SC_MS));
    ASSERT_TRUE(turn % 500 != 499 || commands.drain()) << "a command does not end, up to turn " << turn;
  }
  ASSERT_TRUE(commands.drain()) << "a command does not end";
  EXPECT_EQ(rig.heard.excess, 0);
  EXPECT_EQ(rig.heard.rows.size(), rig.heard.issues) << "each access has ended once";
  EXPECT_EQ(rig.drives[0]->queue().occupancy(), 0u);
  const auto share = [&](std::uint64_t count) { return static_cast<double>(count) / static_cast<double>(commands.begun); };
  // Without recovery, one in 500 does.
  EXPECT_GT(share(at_drive.completed() - before), 0.12) << "of the commands end well at the drive";
  EXPECT_GT(share(commands.good), 0.4);
  EXPECT_LT(share(commands.keys[2]), 0.05) << "NOT READY";
  for (const std::size_t key : {1u, 2u, 3u, 4u, 5u, 6u, 0xBu, 0xEu}) EXPECT_GT(commands.keys[key], 0u) << "sense key " << key;
  // Both ports are served as before.
  commands.recover(true);
  ASSERT_TRUE(commands.drain());
  rig.drives[0]->clear_faults();
  port.settle();
  const Bytes data = some_bytes(kScsiSector);
  const scsi::Task& write = port.run(cdb10(0x2A, 3, 1), data);
  EXPECT_EQ(write.status, kGood) << int{write.sense.key} << ' ' << int{write.sense.code} << ' ' << int{write.sense.qualifier};
  EXPECT_EQ(port.run(cdb10(0x28, 3, 1), {}, 512).data, data);
}

}  // namespace
}  // namespace platter::testing
