// SPDX-License-Identifier: Apache-2.0
//
// The scheduling accelerator's RTL against the golden model. The same tests run on every variant of the design and on the synthesized netlist. The
// bench compares every pin in every cycle; what the tests add are the situations, and numbers worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <utility>
#include <vector>

#include "sched_bench.h"

namespace platter::testing {
namespace {

namespace reg = accelerator::reg;

constexpr unsigned kWrite = 1, kContinuous = 2, kBackground = 4, kLimit = 8;
constexpr std::uint32_t kGuard = 1, kNextOnly = 2, kDown = 4, kMasked = 8, kIrq = 16, kDefer = 32, kRestCost = 64;
constexpr std::uint32_t kTakeC = 1U << 9, kTakeD = 1U << 10, kStopAtC = 1U << 11, kClusterDown = 1U << 12, kOrder = 1U << 13;
constexpr std::uint32_t kClearDone = 1, kClearError = 2, kClearCounters = 4, kSoftReset = 0x100;
constexpr std::uint32_t kDone = 2, kError = 4;

class Sched : public ::testing::Test {
 protected:
  void TearDown() override {
    for (const auto& difference : bench.differences()) ADD_FAILURE() << difference;
  }

  std::uint32_t turn() const { return 1U << bench.parameters().angle_w; }
  std::uint32_t time_limit() const { return static_cast<std::uint32_t>(bench.parameters().time_limit()); }
  std::uint32_t sum_limit() const { return static_cast<std::uint32_t>(bench.parameters().sum_limit()); }
  unsigned entries() const { return bench.parameters().entries; }
  unsigned order_m() const { return bench.parameters().order_m; }

  bool has(unsigned part) const { return bench.parameters().has(part); }

  std::uint32_t read(std::uint32_t address) { return bench.read(address); }
  void write(std::uint32_t address, std::uint32_t data) { bench.write(address, data); }
  std::uint32_t occupancy() { return read(reg::kStatus) >> reg::kStatusOccupancyLsb; }

  void place_head(std::uint32_t cyl, std::uint32_t head, std::uint32_t time, bool after_write = false) {
    write(reg::kHeadPos, cyl | head << 21 | std::uint32_t{after_write} << 27);
    write(reg::kHeadTime, time);
  }

  /// A command that starts and ends on one track. Returns the cycles of BUSY.
  unsigned insert(unsigned tag, std::uint32_t cyl, std::uint32_t head, std::uint32_t angle, std::uint32_t flags = 0,
                  std::uint32_t transfer = 0, std::uint32_t deadline = 0) {
    write(reg::kEPos, cyl | head << 21 | (flags & kWrite) << 27 | (flags >> 1) << 28);
    write(reg::kEAngle, angle);
    write(reg::kEEndPos, cyl | head << 21);
    write(reg::kEEndAngle, angle + transfer);
    write(reg::kETransfer, transfer);
    write(reg::kEDeadline, deadline);
    return bench.work(reg::kInsert, tag);
  }

  void expect_pick(unsigned tag, std::uint32_t key) {
    bench.decide();
    EXPECT_EQ(read(reg::kResult), tag | 1U << reg::kResultValidLsb);
    EXPECT_EQ(read(reg::kResultKey), key);
  }

  void expect_forced(unsigned tag) {
    bench.decide();
    EXPECT_EQ(read(reg::kResult), tag | 3U << reg::kResultValidLsb);
    EXPECT_EQ(read(reg::kResultKey), 0U);
  }

  void expect_nothing() {
    bench.decide();
    EXPECT_EQ(read(reg::kResult), 0U);
    EXPECT_EQ(read(reg::kResultKey), 0U);
  }

  /// Of a CLUSTER: the cycles of BUSY, what the mask is then.
  void expect_cluster(unsigned cycles, std::uint32_t mask) {
    EXPECT_EQ(bench.cluster(), cycles);
    EXPECT_EQ(read(reg::kMask0), mask);
    unsigned count = 0;
    for (std::uint32_t bits = mask; bits; bits &= bits - 1) ++count;
    EXPECT_EQ(read(reg::kClusterCount) & 0x1FF, count);
    EXPECT_EQ(read(reg::kCycles), cycles);
  }

  /// Three continuous commands on cylinders 10, 20 and 30, the tags 5, 3 and 4, and a discrete one before them.
  void insert_sweep() {
    write(reg::kDelay, 5);
    write(reg::kOverheadRr, 2);
    place_head(0, 0, 0);
    insert(4, 30, 0, 300, kContinuous, 40, 950);
    insert(5, 10, 0, 100, kContinuous, 20, 1000);
    insert(3, 20, 0, 150, kContinuous, 30, 900);
    insert(0, 0, 0, 40, 0, 10);
  }

  SchedBench bench{20260101};
};

// ---------------------------------------------------------------------------------------------- registers

TEST_F(Sched, ResetValues) {
  bench.check_all_registers();
  EXPECT_EQ(read(reg::kId), reg::kIdValue);
  EXPECT_EQ(read(reg::kVersion), reg::kVersionMajor << 8 | reg::kVersionMinor);
  EXPECT_EQ(read(reg::kOrderer), order_m());
  EXPECT_EQ(bench.dut().irq_o, 0);
  EXPECT_EQ(bench.dut().busy_o, 0);
  EXPECT_EQ(bench.dut().s_axil_bvalid_o, 0);
  EXPECT_EQ(bench.dut().s_axil_rvalid_o, 0);
}

TEST_F(Sched, RegistersKeepTheirBitsOnly) {
  for (const auto& info : reg::kRegisters) {
    if (info.access != reg::Access::ReadWrite) continue;
    for (unsigned bit = 0; bit < 32; ++bit) {
      write(info.offset, 1U << bit);
      read(info.offset);
    }
    for (const std::uint32_t word : {0xFFFFFFFFU, 0xA5A5A5A5U, 0x5A5A5A5AU}) {
      write(info.offset, word);
      read(info.offset);
    }
  }
  bench.check_all_registers();  // each write changed its own register alone
  write(reg::kClear, kSoftReset);
  bench.check_all_registers();
}

TEST_F(Sched, AReadInTheNextCycleSeesTheWrite) {
  for (const auto& info : reg::kRegisters) {
    if (info.access != reg::Access::ReadWrite) continue;
    for (const std::uint32_t word : {0xFFFFFFFFU, 0x12345678U, 0U}) {
      bench.drive_write(info.offset, word);
      bench.step();
      bench.release_write();
      EXPECT_EQ(bench.write_accepted(), bench.cycle() - 1);
      read(info.offset);
      EXPECT_EQ(bench.read_accepted(), bench.write_accepted() + 1);
    }
  }
}

TEST_F(Sched, FieldsAreAsWideAsTheParametersSay) {
  const auto kept = [this](std::uint32_t address) {
    write(address, 0xFFFFFFFF);
    return read(address);
  };
  const std::uint32_t cyl = (1U << bench.parameters().cyl_w) - 1;
  for (const std::uint32_t address : {reg::kMargin, reg::kRisk, reg::kRiskCharge, reg::kEAngle, reg::kEEndAngle}) {
    EXPECT_EQ(kept(address), turn() - 1) << address;
  }
  for (const std::uint32_t address : {reg::kHeadSwitch, reg::kWriteSettle, reg::kOverheadRr, reg::kOverheadRw, reg::kOverheadWr,
                                      reg::kOverheadWw, reg::kDelay}) {
    EXPECT_EQ(kept(address), time_limit()) << address;
  }
  for (const std::uint32_t address :
       {reg::kHeadTime, reg::kReserve, reg::kAgeNow, reg::kETransfer, reg::kEDeadline, reg::kEAge}) {
    EXPECT_EQ(kept(address), sum_limit()) << address;
  }
  for (const std::uint32_t address : {reg::kClusterFrom, reg::kClusterSpan}) EXPECT_EQ(kept(address), cyl) << address;
  EXPECT_EQ(kept(reg::kHeadPos), cyl | 0x7FU << 21);
  EXPECT_EQ(kept(reg::kEPos), cyl | (has(Parameters::kLimits) ? 0x7FFU : 0x1FFU) << 21);
  EXPECT_EQ(kept(reg::kEEndPos), cyl | 0x3FU << 21);
  EXPECT_EQ(kept(reg::kCtrl), 0x1F | (has(Parameters::kAgeing) ? kDefer : 0) | (has(Parameters::kZeroLatency) ? kRestCost : 0));
  const auto expect_kept = [&](unsigned part, std::uint32_t address, std::uint32_t bits) {
    EXPECT_EQ(kept(address), has(part) ? bits : 0) << address;
  };
  expect_kept(Parameters::kLimits, reg::kELimit, sum_limit());
  expect_kept(Parameters::kLimits, reg::kGrace, sum_limit());
  expect_kept(Parameters::kZeroLatency, reg::kERest, turn() - 1);
  expect_kept(Parameters::kAgeing, reg::kDefer, time_limit() >> 1);
  expect_kept(Parameters::kAgeing, reg::kAgeCap, 0x1FFFF);
  expect_kept(Parameters::kAgeing, reg::kAgeScale, 0x3FFFF);
  expect_kept(Parameters::kLookAhead, reg::kAhead, 0x701FF);
  expect_kept(Parameters::kLookAhead, reg::kAheadShare, 0xFFFFFFFF);
  EXPECT_EQ(kept(reg::kCluster), 0x3FFFU);
  for (unsigned word = 0; word < 8; ++word) {
    const unsigned tags = entries() > 32 * word ? std::min(entries() - 32 * word, 32U) : 0;
    EXPECT_EQ(kept(reg::kMask0 + 4 * word), tags == 32 ? 0xFFFFFFFF : (1U << tags) - 1);
  }
}

TEST_F(Sched, EveryAddressReadsAsDocumented) {
  write(reg::kReserve, 0xFFFFFFFF);
  for (std::uint32_t address = 0; address < 0x1000; ++address) read(address);
}

TEST_F(Sched, WritesToOtherAddressesAreRefusedAndChangeNothing) {
  for (std::uint32_t address = 0; address < 0x1000; ++address) {
    bool writable = false;
    for (const auto& info : reg::kRegisters) {
      writable |= info.offset == address && info.access != reg::Access::ReadOnly;
    }
    if (!writable) {
      EXPECT_FALSE(bench.write(address, 0xFFFFFFFF));
    }
  }
  bench.check_all_registers();
}

TEST_F(Sched, PartialStrobesAreRefusedAndChangeNothing) {
  bench.randomize_configuration();  // so that a soft reset shows
  bench.insert_random(3);
  bench.wait();
  for (const auto& info : reg::kRegisters) {
    for (unsigned strobe = 0; strobe < 15; ++strobe) {
      EXPECT_FALSE(bench.write(info.offset, 0xFFFFFFFF, strobe)) << info.name;
    }
  }
  bench.check_all_registers();
}

TEST_F(Sched, WritesThatLackARightAreRefusedAndChangeNothing) {
  if (!dut_protects()) GTEST_SKIP() << "the top has no AWPROT";
  bench.randomize_configuration();
  bench.insert_random(3);
  bench.wait();
  for (const auto& info : reg::kRegisters) {
    for (unsigned protection = 0; protection < 8; ++protection) {
      if ((protection & 3) == SchedBench::kAllowed) continue;
      EXPECT_FALSE(bench.write(info.offset, 0xFFFFFFFF, 0xF, protection)) << info.name;
    }
  }
  bench.check_all_registers();
  // The right to instructions is not asked for. A refused write waits for work as any other, CLEAR too.
  for (const unsigned protection : {1U, 5U}) EXPECT_TRUE(bench.write(reg::kReserve, 5, 0xF, protection));
  for (const std::uint32_t address : {reg::kReserve, reg::kClear}) {
    write(reg::kOp, 0);
    EXPECT_FALSE(bench.write(address, kSoftReset, 0xF, 2));
    EXPECT_EQ(bench.dut().busy_o, 0);
  }
  EXPECT_EQ(read(reg::kReserve), 5U);
}

TEST_F(Sched, ScanEnableChangesNothing) {
  // The assertions say that it opens the gates.
  auto& dut = bench.dut();
  dut.scan_en_i = 1;
  bench.run_random(20);
  for (unsigned i = 0; i < 40; ++i) {
    dut.scan_en_i = bench.chance(50);
    bench.run_random(1);
  }
  dut.scan_en_i = 0;
  bench.run_random(5);
}

// ---------------------------------------------------------------------------------------------- table and list

TEST_F(Sched, InsertAndRemoveEveryTag) {
  for (unsigned tag = 0; tag < entries(); ++tag) {
    EXPECT_TRUE(bench.write(reg::kInsert, tag));
    bench.wait();
    EXPECT_EQ(occupancy(), tag + 1);
  }
  for (unsigned tag = entries(); tag-- > 0;) {
    EXPECT_TRUE(bench.write(reg::kRemove, tag));
    bench.wait();
    EXPECT_EQ(occupancy(), tag);
  }
}

TEST_F(Sched, CyclesOfInsertRemoveAndServe) {
  EXPECT_EQ(insert(0, 20, 0, 0), 2U);
  EXPECT_EQ(insert(1, 30, 0, 0), 2U);
  EXPECT_EQ(insert(2, 10, 0, 0), 4U);  // both are on higher cylinders
  EXPECT_EQ(insert(3, 20, 0, 0), 3U);  // one is, the one on the same cylinder is not
  EXPECT_EQ(insert(4, 0, 0, 0), 6U);
  EXPECT_EQ(bench.work(reg::kRemove, 0), 6U);
  EXPECT_EQ(bench.work(reg::kServe, 4), 5U);
  EXPECT_EQ(bench.work(reg::kServe, 1), 4U);
  EXPECT_EQ(bench.work(reg::kRemove, 2), 3U);
  EXPECT_EQ(bench.work(reg::kRemove, 3), 2U);
  EXPECT_EQ(bench.work(reg::kRemove, 3), 0U);
  EXPECT_EQ(read(reg::kStatus), kError);  // and no DONE
}

TEST_F(Sched, RefusedCommandsSetErrorAndChangeNothingElse) {
  bench.insert_random(1);
  bench.wait();
  const auto refused = [this](std::uint32_t address, std::uint32_t tag) {
    EXPECT_FALSE(bench.write(address, tag)) << address << " " << tag;
    EXPECT_EQ(read(reg::kStatus) & 7, kError);
    bench.check_all_registers();
    write(reg::kClear, kClearError);
    EXPECT_EQ(read(reg::kStatus) & 7, 0U);
  };
  refused(reg::kInsert, 1);
  refused(reg::kRemove, 0);
  refused(reg::kServe, 0);
  for (const std::uint32_t address : {reg::kInsert, reg::kRemove, reg::kServe}) {
    for (const std::uint32_t tag : {entries(), entries() + 1, 0x100U + 1, 0x1000U + 1, 0xFFFFU}) {
      if (tag >= entries()) refused(address, tag);
    }
  }
  bench.decide();
}

TEST_F(Sched, TagsIgnoreTheUpperHalf) {
  EXPECT_TRUE(bench.write(reg::kInsert, 0xABCD0002));
  EXPECT_TRUE(bench.write(reg::kRemove, 0xFFFF0002));
  EXPECT_TRUE(bench.write(reg::kInsert, 0x12340002));
  EXPECT_TRUE(bench.write(reg::kServe, 0xFFFE0002));
  bench.wait();
  EXPECT_EQ(occupancy(), 0U);
}

TEST_F(Sched, ServeMovesTheHead) {
  write(reg::kEPos, 7 | 3U << 21 | 1U << 27);
  write(reg::kEEndPos, 9 | 5U << 21);
  write(reg::kInsert, 6);
  write(reg::kEPos, 7 | 3U << 21);
  write(reg::kEEndPos, 1 | 2U << 21);
  write(reg::kInsert, 1);
  write(reg::kHeadPos, 100);
  write(reg::kHeadTime, 12345);
  write(reg::kServe, 6);
  bench.wait();
  EXPECT_EQ(read(reg::kHeadPos), 9U | 5U << 21 | 1U << 27);
  EXPECT_EQ(read(reg::kHeadTime), 12345U & sum_limit());
  write(reg::kServe, 1);
  bench.wait();
  EXPECT_EQ(read(reg::kHeadPos), 1U | 2U << 21);
  write(reg::kServe, 1);  // refused
  EXPECT_EQ(read(reg::kHeadPos), 1U | 2U << 21);
}

TEST_F(Sched, SoftResetKeepsTheSeekTable) {
  bench.load_seek_table(SeekTable::Realistic);
  bench.randomize_configuration();
  for (unsigned tag = 0; tag < entries(); ++tag) bench.insert_random(tag);
  bench.randomize_head();
  bench.decide();
  write(reg::kClear, kSoftReset | kClearDone | kClearError);
  bench.check_all_registers();
  expect_nothing();
  bench.insert_random(3);
  bench.decide();  // and the seek table is the same
  bench.check_all_registers();
}

TEST_F(Sched, SeekIndicesRunBeyondTheTable) {
  bench.load_seek_table(SeekTable::Realistic);
  EXPECT_EQ(read(reg::kSeekIndex), bench.parameters().segs() % 1024);
  for (unsigned i = bench.parameters().segs(); i < 1024; ++i) {
    EXPECT_TRUE(bench.write(reg::kSeekDelta, 0x1234));
  }
  EXPECT_EQ(read(reg::kSeekIndex), 0U);
  EXPECT_EQ(read(reg::kSeekCell), bench.parameters().cells());
  write(reg::kSeekLast, 0);
  for (unsigned i = bench.parameters().cells(); i < 1024; ++i) {
    EXPECT_TRUE(bench.write(reg::kSeekGroup, 3));
  }
  EXPECT_EQ(read(reg::kSeekCell), 0U);
  for (unsigned i = 0; i < 50; ++i) {  // neither a segment nor a cell has changed
    if (i < entries()) bench.insert_random(i);
    bench.randomize_head();
    bench.decide();
    read(reg::kResultKey);
  }
}

// ---------------------------------------------------------------------------------------------- the bus

TEST_F(Sched, AddressBeforeData) {
  auto& dut = bench.dut();
  for (unsigned delay = 1; delay < 5; ++delay) {
    bench.drive_write(reg::kReserve, 0x100 + delay);
    dut.s_axil_wvalid_i = 0;
    for (unsigned i = 0; i < delay; ++i) {
      bench.step();
      EXPECT_EQ(dut.s_axil_awready_o, 0);
      EXPECT_EQ(dut.s_axil_wready_o, 1);
    }
    dut.s_axil_wvalid_i = 1;
    bench.step();
    EXPECT_EQ(bench.write_accepted(), bench.cycle() - 1);
    EXPECT_EQ(dut.s_axil_bvalid_o, 1);
    EXPECT_EQ(dut.s_axil_bresp_o, 0);
    bench.step();
    EXPECT_EQ(read(reg::kReserve), 0x100 + delay);
  }
}

TEST_F(Sched, DataBeforeAddress) {
  auto& dut = bench.dut();
  for (unsigned delay = 1; delay < 5; ++delay) {
    bench.drive_write(reg::kReserve, 0x200 + delay);
    dut.s_axil_awvalid_i = 0;
    for (unsigned i = 0; i < delay; ++i) {
      bench.step();
      EXPECT_EQ(dut.s_axil_awready_o, 1);
      EXPECT_EQ(dut.s_axil_wready_o, 0);
    }
    dut.s_axil_awvalid_i = 1;
    bench.step();
    EXPECT_EQ(bench.write_accepted(), bench.cycle() - 1);
    EXPECT_EQ(dut.s_axil_bvalid_o, 1);
    EXPECT_EQ(dut.s_axil_bresp_o, 0);
    bench.step();
    EXPECT_EQ(read(reg::kReserve), 0x200 + delay);
  }
}

TEST_F(Sched, AnotherBeatWaitsWhileOneIsHeld) {
  // Address and data of the next write stand at the channel that runs ahead; first of idle, then behind a response and work.
  auto& dut = bench.dut();
  for (const bool address_ahead : {true, false}) {
    for (unsigned delay = 1; delay < 4; ++delay) {
      bench.drive_write(reg::kReserve, 0x100 + delay);
      (address_ahead ? dut.s_axil_wvalid_i : dut.s_axil_awvalid_i) = 0;
      bench.step();
      if (address_ahead) {
        dut.s_axil_awvalid_i = 1;
        dut.s_axil_awaddr_i = reg::kAgeNow;
      } else {
        dut.s_axil_wvalid_i = 1;
        dut.s_axil_wdata_i = 0x200 + delay;
        dut.s_axil_wstrb_i = 0xF;
      }
      for (unsigned i = 0; i < delay; ++i) {
        bench.step();
        EXPECT_EQ(address_ahead ? dut.s_axil_awready_o : dut.s_axil_wready_o, 0);
      }
      bench.drive_write(address_ahead ? reg::kAgeNow : reg::kReserve, address_ahead ? 0x100 + delay : 0x200 + delay);
      bench.step();
      EXPECT_EQ(bench.write_accepted(), bench.cycle() - 1);
      bench.drive_write(reg::kAgeNow, 0x200 + delay);
      bench.step(2);
      bench.release_write();
      bench.step(2);
      EXPECT_EQ(read(reg::kReserve), 0x100 + delay);
      EXPECT_EQ(read(reg::kAgeNow), 0x200 + delay);
    }
  }
}

TEST_F(Sched, QueuedWritesAreCarriedOutInTheirOrder) {
  const std::vector<BusWrite> writes = {{reg::kEPos, 7},
                                        {reg::kInsert, 2},
                                        {reg::kReserve, 11},
                                        {reg::kReserve, 12, 0x7},
                                        {reg::kId, 1},
                                        {reg::kEPos, 5},
                                        {reg::kInsert, 2},
                                        {reg::kInsert, 3},
                                        {reg::kOp, 0},
                                        {reg::kAgeNow, 13},
                                        {reg::kServe, 3},
                                        {reg::kOp, 1},
                                        {reg::kClear, kClearDone | kClearError, 0xE}};
  const std::vector<bool> okay = {true, true, true, false, false, true, false, true, true, true, true, true, false};
  for (const unsigned pauses : {0U, 20U, 50U, 80U}) {
    write(reg::kClear, kSoftReset);
    EXPECT_EQ(bench.write_queued(writes, pauses), okay) << pauses;
    bench.wait();
    EXPECT_EQ(read(reg::kStatus), kDone | kError | 1U << reg::kStatusOccupancyLsb);
    EXPECT_EQ(read(reg::kReserve), 11U);
    EXPECT_EQ(read(reg::kAgeNow), 13U);
    EXPECT_EQ(read(reg::kHeadPos), 0U);
    bench.check_all_registers();
  }
}

TEST_F(Sched, AnAccessTakesTwoCycles) {
  auto& dut = bench.dut();
  std::uint64_t begin = bench.cycle();
  for (unsigned i = 0; i < 10; ++i) {
    bench.drive_write(reg::kReserve, 5);
    bench.step();
  }
  bench.release_write();
  EXPECT_EQ(bench.write_accepted(), begin + 8);
  begin = bench.cycle();
  unsigned answers = 0;
  bench.drive_read(reg::kReserve);
  for (unsigned i = 0; i < 10; ++i) {
    bench.step();
    answers += dut.s_axil_rvalid_o && dut.s_axil_rdata_o == 5;
  }
  bench.release_read();
  EXPECT_GE(answers, 4U);
  bench.step(2);
}

TEST_F(Sched, WriteResponseWaitsForTheMaster) {
  auto& dut = bench.dut();
  dut.s_axil_bready_i = 0;
  bench.drive_write(reg::kId, 1);  // SLVERR, so that the response has a one in it
  bench.step();
  const std::uint64_t accepted = bench.write_accepted();
  bench.drive_write(reg::kReserve, 7);  // the next write is held meanwhile
  for (unsigned i = 0; i < 5; ++i) {
    bench.step();
    EXPECT_EQ(dut.s_axil_bvalid_o, 1);
    EXPECT_EQ(dut.s_axil_bresp_o, 2);
  }
  dut.s_axil_bready_i = 1;
  bench.step();
  EXPECT_EQ(bench.write_accepted(), accepted);
  bench.step();
  EXPECT_EQ(bench.write_accepted(), accepted + 7);
  bench.release_write();
  bench.step();
  EXPECT_EQ(read(reg::kReserve), 7U);
}

TEST_F(Sched, ReadResponseWaitsForTheMaster) {
  auto& dut = bench.dut();
  write(reg::kReserve, 42);
  dut.s_axil_rready_i = 0;
  bench.drive_read(reg::kReserve);
  bench.step();
  bench.drive_read(reg::kOp);
  for (unsigned i = 0; i < 4; ++i) {
    // The answer holds still although the register changes.
    if (i == 1) bench.drive_write(reg::kReserve, 43);
    if (i == 2) bench.release_write();
    bench.step();
    EXPECT_EQ(dut.s_axil_rvalid_o, 1);
    EXPECT_EQ(dut.s_axil_rdata_o, 42U);
    EXPECT_EQ(dut.s_axil_rresp_o, 0);
  }
  dut.s_axil_rready_i = 1;
  bench.step(2);
  EXPECT_EQ(dut.s_axil_rvalid_o, 1);
  EXPECT_EQ(dut.s_axil_rresp_o, 2);
  bench.release_read();
  bench.step();
  EXPECT_EQ(read(reg::kReserve), 43U);
}

TEST_F(Sched, ReadAndWriteAreIndependent) {
  auto& dut = bench.dut();
  write(reg::kReserve, 5);
  bench.drive_write(reg::kReserve, 6);
  bench.drive_read(reg::kReserve);
  bench.step();
  EXPECT_EQ(dut.s_axil_bvalid_o, 1);
  EXPECT_EQ(dut.s_axil_rvalid_o, 1);
  EXPECT_EQ(dut.s_axil_rdata_o, 5U);  // what the register held in the accepting cycle
  bench.release_write();
  bench.release_read();
  bench.step();
  EXPECT_EQ(read(reg::kReserve), 6U);
}

TEST_F(Sched, ResetTakesBackWhatWaits) {
  // Responses at B and R, and the halves of a write that are held, with each READY high and low.
  auto& dut = bench.dut();
  for (unsigned kind = 0; kind < 64; ++kind) {
    const bool response = kind & 1, answer = kind & 2, address = kind & 4, data = kind & 8;
    const bool bready = kind & 16, rready = kind & 32;
    dut.s_axil_bready_i = dut.s_axil_rready_i = 0;
    if (response) bench.drive_write(reg::kReserve, 0x77);
    bench.step();
    if (answer) bench.drive_read(reg::kParams);
    bench.step();
    bench.release_read();
    bench.drive_write(reg::kAgeNow, 0x55);
    dut.s_axil_awvalid_i = address;
    dut.s_axil_wvalid_i = data;
    bench.step();
    EXPECT_EQ(dut.s_axil_rvalid_o, answer);
    dut.s_axil_bready_i = bready;
    dut.s_axil_rready_i = rready;
    bench.hard_reset();
    EXPECT_EQ(dut.s_axil_bvalid_o, 0) << kind;
    EXPECT_EQ(dut.s_axil_rvalid_o, 0) << kind;
    EXPECT_EQ(dut.s_axil_awready_o, 1) << kind;
    EXPECT_EQ(dut.s_axil_wready_o, 1) << kind;
    dut.s_axil_bready_i = dut.s_axil_rready_i = 1;
    bench.step(2);
    bench.check_all_registers();
    write(reg::kReserve, kind);  // the first halves that come belong together
    EXPECT_EQ(read(reg::kReserve), kind);
    EXPECT_EQ(read(reg::kAgeNow), 0U);
  }
}

TEST_F(Sched, ClearDoesNotWaitAfterAHardReset) {
  // A write is accepted in the cycle before the reset, and one to CLEAR in the first cycle after it.
  bench.drive_write(reg::kReserve, 0x77);
  bench.step();
  bench.hard_reset();
  bench.drive_write(reg::kClear, kClearCounters);
  bench.step();
  EXPECT_EQ(bench.dut().s_axil_bvalid_o, 1);
  bench.release_write();
  bench.step();
}

TEST_F(Sched, ClearInHalves) {
  // Every order of the halves, a read between them or none, at work and at rest, whole and lacking bytes.
  auto& dut = bench.dut();
  enum class Halves { Together, AddressFirst, DataFirst, BothHeld };
  for (const std::uint32_t bits : {kSoftReset, kClearDone, kClearError, kClearCounters}) {
    for (const Halves halves : {Halves::Together, Halves::AddressFirst, Halves::DataFirst, Halves::BothHeld}) {
      for (const bool busy : {false, true}) {
        for (const bool reads : {false, true}) {
          for (const unsigned strobe : {0xFU, 0x7U, 0xEU, 0xDU, 0xBU, 0x1U, 0x2U, 0U}) {
            bench.randomize_configuration();
            if (!(bench.golden().entries()[3].valid)) bench.insert_random(3);
            bench.decide();              // DONE, counters
            write(reg::kServe, 0xFFFF);  // ERROR
            if (busy) write(reg::kOp, 0);
            if (halves == Halves::BothHeld) {  // behind a response
              dut.s_axil_bready_i = 0;
              bench.drive_write(reg::kClear, 0, 0);
              bench.step();
            }
            bench.drive_write(reg::kClear, bits, strobe);
            if (halves == Halves::AddressFirst) dut.s_axil_wvalid_i = 0;
            if (halves == Halves::DataFirst) dut.s_axil_awvalid_i = 0;
            if (halves != Halves::Together) {
              bench.step(2);
              if (reads) read(reg::kReserve);
            }
            dut.s_axil_bready_i = 1;
            if (halves == Halves::BothHeld) bench.step();  // that response is taken
            if (halves == Halves::AddressFirst) dut.s_axil_wvalid_i = 1;
            if (halves == Halves::DataFirst) dut.s_axil_awvalid_i = 1;
            bench.step();
            EXPECT_EQ(bench.write_accepted(), bench.cycle() - 1);
            EXPECT_EQ(dut.s_axil_bresp_o, strobe == 0xF ? 0 : 2);
            bench.release_write();
            bench.step();
            bench.wait();
            EXPECT_EQ(occupancy(), bits == kSoftReset && strobe == 0xF ? 0U : 1U);
            bench.check_all_registers();
            ASSERT_TRUE(bench.differences().empty());
          }
        }
      }
    }
  }
}

TEST_F(Sched, RandomBackPressure) {
  // Both channels with random valid and ready, work among the writes.
  auto& dut = bench.dut();
  constexpr std::uint32_t kTargets[] = {reg::kReserve, reg::kMargin, reg::kId,     reg::kEPos,  0x400,
                                        reg::kOp,      reg::kInsert, reg::kRemove, reg::kServe, reg::kClear};
  constexpr std::size_t kCount = std::size(kTargets);
  std::uint64_t accepted = bench.write_accepted();
  bool write_open = false, address_left = false, data_left = false;
  unsigned writes = 0;
  for (unsigned cycle = 0; cycle < 20000; ++cycle) {
    if (write_open && bench.write_accepted() != accepted) {
      write_open = false;
      ++writes;
      bench.release_write();
    }
    accepted = bench.write_accepted();
    if (!write_open && bench.chance(60)) {
      write_open = true;
      const std::uint32_t address = kTargets[bench.below(kCount)];
      const bool command = address >= reg::kInsert && address <= reg::kServe;
      bench.drive_write(address, command                  ? static_cast<std::uint32_t>(bench.below(entries()))
                                 : address == reg::kClear ? static_cast<std::uint32_t>(bench.below(8))
                                                          : static_cast<std::uint32_t>(bench.random()()));
      dut.s_axil_awvalid_i = dut.s_axil_wvalid_i = 0;
      address_left = data_left = true;
    }
    dut.s_axil_awvalid_i |= address_left && bench.chance(40);
    dut.s_axil_wvalid_i |= data_left && bench.chance(40);
    const bool address_offered = dut.s_axil_awvalid_i, data_offered = dut.s_axil_wvalid_i;
    if (!dut.s_axil_arvalid_i || bench.read_accepted() + 1 == bench.cycle()) {
      bench.release_read();
      if (bench.chance(60)) bench.drive_read(kTargets[bench.below(kCount)]);
    }
    dut.s_axil_bready_i = bench.chance(40);
    dut.s_axil_rready_i = bench.chance(40);
    bench.step();
    if (address_offered && !dut.s_axil_awvalid_i) address_left = false;
    if (data_offered && !dut.s_axil_wvalid_i) data_left = false;
  }
  bench.release_write();
  bench.release_read();
  dut.s_axil_bready_i = dut.s_axil_rready_i = 1;
  bench.step(3);
  EXPECT_GT(writes, 1000U);
}

// ------------------------------------------------------------------------------------------- course of the work

struct Kind {
  const char* name;
  std::uint32_t address, data;
  std::function<void()> prepare;
};

class SchedWork : public Sched {
 protected:
  /// Each kind of work, with what makes it so; every preparation begins with an empty table.
  std::vector<Kind> kinds() {
    const auto table = [this](std::uint32_t ctrl, bool sums, bool debts, bool ahead = false) {
      return [=] {
        write(reg::kClear, kSoftReset);
        insert_sweep();
        insert(1, 15, 1, 77, kWrite | kBackground, 5);
        write(reg::kCtrl, ctrl);
        write(reg::kCluster, kTakeC | kTakeD | kOrder | std::min(4U, std::max(order_m(), 1U)));
        write(reg::kClusterSpan, 0xFFFFFFFF);
        if (!sums) bench.decide();
        if (!sums && debts) insert(2, 25, 1, 1, 0, 3);
        if (ahead) {
          write(reg::kAhead, 2 | 2U << reg::kAheadDepthLsb);
          write(reg::kAheadShare, 0xFFFF);
        }
        // Stage what an INSERT has to move everything for.
        write(reg::kEPos, 0);
        write(reg::kRemove, 0);
        bench.wait();
        write(reg::kClear, kClearDone);
      };
    };
    std::vector<Kind> kinds = {
        {"insert", reg::kInsert, 7, table(0, true, true)},
        {"insert, guard", reg::kInsert, 7, table(kGuard, true, true)},
        {"remove", reg::kRemove, 3, table(0, true, true)},
        {"serve", reg::kServe, 3, table(kIrq, true, true)},
        {"decide without guard", reg::kOp, 0, table(kIrq, true, true)},
        {"decide, nothing stale", reg::kOp, 0, table(kGuard | kIrq, false, false)},
        {"decide, debts stale", reg::kOp, 0, table(kGuard | kIrq, false, true)},
        {"decide, sums stale", reg::kOp, 0, table(kGuard | kIrq, true, true)},
        {"cluster", reg::kOp, 1, [=] { table(kIrq, true, true)(), write(reg::kCluster, kTakeC | kTakeD); }},
        {"cluster, ordered", reg::kOp, 1, table(kIrq, true, true)},
    };
    if (has(Parameters::kLookAhead)) {
      kinds.push_back({"decide, looking ahead", reg::kOp, 0, table(kIrq, true, true, true)});
      kinds.push_back({"decide, looking ahead, sums stale", reg::kOp, 0, table(kGuard | kIrq, true, true, true)});
    }
    return kinds;
  }

  /// A little of everything, to see that nothing is left of what was before.
  void normal_operation() {
    bench.check_all_registers();
    insert_sweep();
    write(reg::kCtrl, kGuard);
    write(reg::kReserve, 560);
    EXPECT_EQ(bench.decide(), 2 * bench.duration() + 2 + 4 + 1 + 13 + 2);
    EXPECT_EQ(read(reg::kResult), 0x100U);
    EXPECT_EQ(read(reg::kResultKey), 40U);
    EXPECT_EQ(read(reg::kSweep), 240U);
    write(reg::kCluster, kTakeC | kTakeD | kOrder);
    write(reg::kClusterSpan, 20);
    bench.cluster();
    EXPECT_EQ(read(reg::kMask0), 0x29U);
    bench.check_all_registers();
  }
};

TEST_F(SchedWork, EveryRegisterInEveryCycle) {
  // ARVALID is held: an answer every second cycle, from both parities.
  for (const Kind& kind : kinds()) {
    for (const auto& info : reg::kRegisters) {
      for (const unsigned parity : {0U, 1U}) {
        kind.prepare();
        bench.step(parity);
        bench.drive_read(info.offset);
        bench.work(kind.address, kind.data);
        bench.step(3);
        bench.release_read();
        bench.step(2);
        ASSERT_TRUE(bench.differences().empty()) << kind.name << ", " << info.name;
      }
    }
  }
}

TEST_F(SchedWork, InterruptFollowsDoneAndEnable) {
  auto& dut = bench.dut();
  const auto irq = [&] {
    bench.step();
    return dut.irq_o;
  };
  bench.decide();
  EXPECT_EQ(irq(), 0);
  write(reg::kCtrl, kIrq);
  EXPECT_EQ(irq(), 1);
  write(reg::kClear, kClearError);
  EXPECT_EQ(irq(), 1);
  write(reg::kClear, kClearDone);
  EXPECT_EQ(irq(), 0);
  insert(0, 0, 0, 0);
  write(reg::kServe, 0);
  bench.wait();
  EXPECT_EQ(irq(), 0);  // only an operation sets DONE
  bench.decide();
  EXPECT_EQ(irq(), 1);
  bench.cluster();  // DONE stays set
  EXPECT_EQ(irq(), 1);
  write(reg::kClear, kClearDone);
  bench.cluster();
  EXPECT_EQ(irq(), 1);
  write(reg::kCtrl, 0);
  EXPECT_EQ(irq(), 0);
}

TEST_F(SchedWork, WritesWaitForItsEnd) {
  for (const Kind& kind : kinds()) {
    kind.prepare();
    const unsigned busy = bench.work(kind.address, kind.data);
    ASSERT_GT(busy, 0U) << kind.name;
    for (unsigned begin = 2; begin <= busy + 2; ++begin) {
      for (const std::uint32_t address : {reg::kReserve, reg::kRemove, reg::kInsert, reg::kOp, reg::kClear + 1}) {
        kind.prepare();
        write(kind.address, kind.data);
        const std::uint64_t start = bench.write_accepted();
        bench.step(begin - 2);
        // Held until the first cycle in which BUSY is clear, then taken at once.
        write(address, 4);
        EXPECT_EQ(bench.write_accepted() - start, std::max(busy + 1, begin)) << kind.name;
        bench.wait();
        read(reg::kStallCycles);
      }
    }
  }
}

TEST_F(SchedWork, BackToBack) {
  unsigned starts = 0;
  for (unsigned cycle = 0; cycle < 5 * (bench.duration() + 1); ++cycle) {
    bench.drive_write(reg::kOp, 0);
    bench.step();
    starts += bench.write_accepted() == bench.cycle() - 1;
    if (cycle % (bench.duration() + 1) == 0) {
      EXPECT_EQ(bench.write_accepted(), bench.cycle() - 1);
    }
  }
  bench.release_write();
  EXPECT_EQ(starts, 5U);
  bench.wait();
  bench.step();  // the one that is held
  bench.wait();
}

TEST_F(SchedWork, Counters) {
  write(reg::kClear, kClearCounters);
  write(reg::kOp, 0);           // accepted in cycle 0, its response stands in cycle 1
  write(reg::kClusterFrom, 1);  // waits in the cycles 2 to D
  bench.wait();
  EXPECT_EQ(read(reg::kDecisions), 1U);
  EXPECT_EQ(read(reg::kBusyCycles), bench.duration());
  EXPECT_EQ(read(reg::kStallCycles), bench.duration() - 1);
  EXPECT_EQ(read(reg::kCycles), bench.duration());
  EXPECT_EQ(bench.cluster(), 2U);  // the empty list
  EXPECT_EQ(read(reg::kDecisions), 1U);
  EXPECT_EQ(read(reg::kBusyCycles), bench.duration() + 2);
  EXPECT_EQ(read(reg::kCycles), 2U);
  insert(0, 1, 0, 0);
  insert(1, 0, 0, 0);
  EXPECT_EQ(read(reg::kBusyCycles), bench.duration() + 2 + 2 + 3);
  EXPECT_EQ(read(reg::kCycles), 2U);
  write(reg::kClear, kClearCounters);
  for (std::uint32_t address = reg::kDecisions; address <= reg::kForcedCount; address += 4) {
    EXPECT_EQ(read(address), 0U);
  }
  EXPECT_EQ(read(reg::kCycles), 2U);
}

TEST_F(SchedWork, ClearDoesNotWait) {
  for (const Kind& kind : kinds()) {
    kind.prepare();
    const unsigned busy = bench.work(kind.address, kind.data);
    const bool operation = kind.address == reg::kOp;
    for (unsigned at = 2; at <= busy + 1; ++at) {
      for (const std::uint32_t bits : {kClearDone, kClearError, kClearCounters, kClearDone | kClearCounters}) {
        kind.prepare();
        bench.write(reg::kInsert, 0xFFFF);  // ERROR
        write(kind.address, kind.data);
        const std::uint64_t start = bench.write_accepted();
        bench.step(at - 2);
        write(reg::kClear, bits);
        EXPECT_EQ(bench.write_accepted() - start, at) << kind.name;
        bench.wait();
        // In the last busy cycle DONE is still set, but the counters are cleared.
        const bool done = operation && !(at > busy && (bits & kClearDone));
        EXPECT_EQ(read(reg::kStatus) & kDone, done ? kDone : 0) << kind.name;
        EXPECT_EQ(read(reg::kStatus) & kError, bits & kClearError ? 0 : kError);
        const std::uint32_t busy_cycles = read(reg::kBusyCycles);
        EXPECT_EQ(busy_cycles, bits & kClearCounters ? busy - std::min(at, busy) : busy_cycles) << kind.name << at;
        read(reg::kDecisions);
        ASSERT_TRUE(bench.differences().empty()) << kind.name << ", cycle " << at;
      }
    }
  }
}

TEST_F(SchedWork, SoftResetInEveryCycle) {
  for (const Kind& kind : kinds()) {
    kind.prepare();
    const unsigned busy = bench.work(kind.address, kind.data);
    for (unsigned at = 2; at <= busy + 1; ++at) {
      kind.prepare();
      write(kind.address, kind.data);
      bench.step(at - 2);
      bench.drive_write(reg::kClear, kSoftReset);
      bench.step();
      bench.release_write();
      bench.step();
      EXPECT_EQ(bench.dut().busy_o, 0);
      normal_operation();
      ASSERT_TRUE(bench.differences().empty()) << kind.name << ", cycle " << at;
    }
  }
}

TEST_F(SchedWork, HardResetInEveryCycle) {
  for (const Kind& kind : kinds()) {
    kind.prepare();
    const unsigned busy = bench.work(kind.address, kind.data);
    for (unsigned at = 1; at <= busy + 1; ++at) {
      kind.prepare();
      // Every second time a response waits in each direction until then.
      auto& dut = bench.dut();
      dut.s_axil_bready_i = dut.s_axil_rready_i = at % 2;
      bench.drive_write(kind.address, kind.data);
      bench.drive_read(reg::kParams);
      bench.step();
      bench.release_write();
      bench.release_read();
      bench.step(at - 1);
      bench.hard_reset();
      dut.s_axil_bready_i = dut.s_axil_rready_i = 1;
      EXPECT_EQ(bench.decide(), bench.duration())
          << kind.name << ", cycle " << at << ": a decision in the first cycle after the reset";
      EXPECT_EQ(read(reg::kResult), 0U) << kind.name << ", cycle " << at << ": the table is empty";
      bench.hard_reset();
      normal_operation();
      ASSERT_TRUE(bench.differences().empty()) << kind.name << ", cycle " << at;
      write(reg::kClear, kSoftReset);
    }
  }
}

// ---------------------------------------------------------------------------------------------- DECIDE

TEST_F(Sched, EmptyTable) {
  EXPECT_EQ(bench.decide(), bench.duration());
  EXPECT_EQ(read(reg::kResult), 0U);
  EXPECT_EQ(read(reg::kResultKey), 0U);
  EXPECT_EQ(read(reg::kCycles), bench.duration());
  EXPECT_EQ(read(reg::kDecisions), 1U);
  EXPECT_EQ(read(reg::kStatus), kDone);
}

TEST_F(Sched, FullTablePicksTheNearestAngle) {
  place_head(10, 0, 0);
  for (unsigned tag = 0; tag < entries(); ++tag) insert(tag, 10, 0, turn() - 1 - tag);
  expect_pick(entries() - 1, turn() - entries());
  EXPECT_EQ(occupancy(), entries());  // nothing is taken out
}

TEST_F(Sched, TiesGoToTheOldest) {
  for (unsigned i = 0; i < entries(); ++i) insert((5 * i + 3) % entries(), 1, 0, 9);
  // The oldest is tag 3; take it out each time. (Five and the number of entries have no common factor.)
  for (unsigned i = 0; i < entries(); ++i) {
    place_head(1, 0, 0);
    expect_pick((5 * i + 3) % entries(), 9);
    write(reg::kServe, (5 * i + 3) % entries());
  }
  expect_nothing();
}

TEST_F(Sched, TiesSurviveTheWrapOfInsertionNumbers) {
  // Two entries of equal key, the higher tag always older, over every insertion number of the variant that has
  // few of them, and over the first ones of the others.
  const unsigned numbers = 1U << std::min(bench.parameters().seq_w, 8U);
  for (unsigned i = 0; i < numbers + 2; ++i) {
    insert(3, 1, 0, 9);
    insert(0, 1, 0, 9);
    expect_pick(3, 9);
    write(reg::kRemove, 3);
    write(reg::kRemove, 0);
    if (i % 2 == 0) {  // shift by an odd number
      insert(1, 1, 0, 9);
      write(reg::kRemove, 1);
    }
  }
}

TEST_F(Sched, TheOldestWinsWhateverItsAge) {
  // Two of equal key in one row and in two, the lower tag older and younger, insertions between them up to the most.
  const unsigned apart = 1U << std::min(bench.parameters().seq_w, 6U);
  const unsigned last = entries() - 1;
  for (unsigned distance = 1; distance < apart; ++distance) {
    for (const auto& [older, younger] : {std::pair{0U, 1U}, {1U, 0U}, {0U, last}, {last, 0U}}) {
      insert(older, 1, 0, 9);
      for (unsigned i = 1; i < distance; ++i) {
        write(reg::kInsert, 2);
        write(reg::kRemove, 2);
      }
      write(reg::kInsert, younger);
      expect_pick(older, 9);
      write(reg::kRemove, older);
      write(reg::kRemove, younger);
    }
  }
}

// Insertion numbers come round: neither of two entries is older than the other, and the lowest tag decides.
void run_ties_of_one_age(SchedBench& bench) {
  const unsigned numbers = 1U << bench.parameters().seq_w;
  for (const auto& [first, second] : {std::pair{5U, 2U}, {2U, 5U}, {7U, 1U}, {1U, 7U}}) {
    bench.write(reg::kClear, kSoftReset);
    bench.write(reg::kInsert, first);
    for (unsigned i = 1; i < numbers; ++i) {
      bench.write(reg::kInsert, 0);
      bench.write(reg::kRemove, 0);
    }
    bench.write(reg::kEEndAngle, 9);
    bench.write(reg::kInsert, second);
    bench.decide();
    EXPECT_EQ(bench.read(reg::kResult), 0x100U + std::min(first, second));
    if (!bench.parameters().has(Parameters::kLookAhead)) continue;
    // The same among the accesses ahead of a third entry: from the end of the first it takes no time to the second, from the second's a turn less 9.
    bench.write(reg::kAgeNow, 1);  // it has waited longer
    bench.write(reg::kEAge, static_cast<std::uint32_t>(-9));
    bench.write(reg::kEEndAngle, 0);
    bench.write(reg::kInsert, 4);
    bench.write(reg::kAhead, 1 | 2U << reg::kAheadDepthLsb);
    bench.write(reg::kAheadShare, 0x8080);
    bench.decide();
    EXPECT_EQ(bench.read(reg::kResult), 0x104U);
    const auto turn = static_cast<std::uint32_t>(bench.parameters().turn());
    const std::uint32_t key = bench.read(reg::kResultKey);
    if (bench.golden().seek(0) == 0) {
      EXPECT_EQ(key, (first < second ? 0 : (turn - 9) / 2) - 10);
    }
  }
}

TEST_F(Sched, TiesOfOneAgeGoToTheLowestTag) {
  if (bench.parameters().seq_w > 8) GTEST_SKIP() << "too many insertion numbers";
  run_ties_of_one_age(bench);
}

// Of two of one key the older one wins, however many commands were refused before and after the younger one came: refused
// ones that took insertion numbers would have it the other way round.
void run_ties_after_refusals(SchedBench& bench) {
  const unsigned half = (1U << bench.parameters().seq_w) / 2 + 2, free = 7, out = bench.parameters().entries;
  for (const auto& [older, younger] : {std::pair{5U, 2U}, {2U, 5U}}) {
    for (const auto& [address, tag] : {std::pair{reg::kInsert, older},
                                       {reg::kInsert, out},
                                       {reg::kInsert, 0xFFFFU},
                                       {reg::kRemove, free},
                                       {reg::kServe, free},
                                       {reg::kServe, out}}) {
      bench.write(reg::kClear, kSoftReset);
      for (const unsigned next : {older, younger}) {
        bench.write(reg::kInsert, next);
        for (unsigned i = 0; i < half; ++i) EXPECT_FALSE(bench.write(address, tag));
      }
      bench.decide();
      EXPECT_EQ(bench.read(reg::kResult), 0x100U + older) << address << " " << tag;
    }
  }
}

TEST_F(Sched, RefusedCommandsTakeNoInsertionNumbers) {
  if (bench.parameters().seq_w > 8) GTEST_SKIP() << "too many insertion numbers";
  run_ties_after_refusals(bench);
}

TEST_F(Sched, AgeIsTakenOff) {
  place_head(0, 0, 0);
  write(reg::kEAge, 1000);
  insert(0, 0, 0, 100);
  write(reg::kEAge, 800);
  insert(1, 0, 0, 200);
  write(reg::kAgeNow, 1000);
  expect_pick(1, 0);
  write(reg::kAgeNow, 1001);
  expect_pick(1, static_cast<std::uint32_t>(-1));
  write(reg::kAgeNow, 999);  // before its arrival: it has waited as long as can be
  expect_pick(0, 100 - time_limit());
  write(reg::kAgeNow, 1000 + time_limit() - 1);
  expect_pick(0, 100 - (time_limit() - 1));  // the other one is at the clamp: 200 - time_limit()
  write(reg::kAgeNow, 1000 + time_limit() + 7);
  expect_pick(0, 100 - time_limit());
  write(reg::kAgeNow, 899);  // 99 and 2^SumW - 101 ticks
  expect_pick(0, 100 - time_limit());
  write(reg::kEAge, sum_limit());
  insert(2, 0, 0, 50);
  write(reg::kRemove, 0);
  write(reg::kRemove, 1);
  write(reg::kAgeNow, 9);
  expect_pick(2, 40);  // modulo 2^SumW
}

TEST_F(Sched, AnglesWrap) {
  place_head(0, 0, turn() - 3);
  insert(0, 0, 0, 2);
  expect_pick(0, 5);
  place_head(0, 0, 2);
  expect_pick(0, 0);
  place_head(0, 0, 3);
  expect_pick(0, turn() - 1);
  place_head(0, 0, 7 * turn() + 1);
  expect_pick(0, 1);
}

TEST_F(Sched, MarginChargesAnotherTurn) {
  place_head(0, 0, 0);
  insert(0, 0, 0, 4);
  write(reg::kMargin, 4);
  expect_pick(0, 4);
  write(reg::kMargin, 5);
  expect_pick(0, turn() + 4);
}

TEST_F(Sched, RiskIsChargedFromMarginOn) {
  place_head(0, 0, 0);
  insert(0, 0, 0, 10);
  write(reg::kRiskCharge, 1000);
  write(reg::kRisk, 10);
  expect_pick(0, 10);
  write(reg::kRisk, 11);
  expect_pick(0, 1010);
  write(reg::kMargin, 10);
  expect_pick(0, 1010);
  write(reg::kMargin, 11);  // late, not risky
  expect_pick(0, turn() + 10);
  write(reg::kRisk, 12);
  expect_pick(0, turn() + 10);
  // The charge comes on top of the clamp.
  write(reg::kMargin, 0);
  write(reg::kRisk, turn() - 1);
  write(reg::kOverheadRr, time_limit());  // it arrives one tick before the index
  expect_pick(0, time_limit() + 1000);
}

TEST_F(Sched, OverheadsOfTheFourKinds) {
  write(reg::kOverheadRr, 11);
  write(reg::kOverheadRw, 22);
  write(reg::kOverheadWr, 33);
  write(reg::kOverheadWw, 44);
  write(reg::kDelay, 1000);  // not from the head
  for (const bool after : {false, true}) {
    for (const bool writes : {false, true}) {
      const std::uint32_t overhead = writes ? (after ? 44 : 33) : (after ? 22 : 11);
      insert(1, 0, 0, overhead, writes ? kWrite : 0);
      place_head(0, 0, 0, after);
      expect_pick(1, overhead);
      place_head(0, 0, 1, after);
      expect_pick(1, turn() + overhead - 1);
      write(reg::kRemove, 1);
    }
  }
}

TEST_F(Sched, HeadSwitchAndWriteSettle) {
  place_head(5, 1, 0);
  insert(0, 5, 2, 0, kWrite);
  write(reg::kHeadSwitch, 10);
  write(reg::kWriteSettle, 5);
  expect_pick(0, turn());  // arrives at 15, the sector starts at 0
  write(reg::kWriteSettle, static_cast<std::uint32_t>(-10));
  expect_pick(0, 0);
  write(reg::kWriteSettle, static_cast<std::uint32_t>(-11));  // never before now
  expect_pick(0, 0);
  write(reg::kWriteSettle, static_cast<std::uint32_t>(-9));
  expect_pick(0, turn());
  write(reg::kOverheadWr, 3);
  write(reg::kWriteSettle, static_cast<std::uint32_t>(-11));
  place_head(5, 1, turn() - 3);
  expect_pick(0, 3);
}

TEST_F(Sched, CostsSaturate) {
  place_head(5, 1, 0);
  insert(1, 5, 2, 1);
  write(reg::kOverheadRr, time_limit());
  expect_pick(1, time_limit());
  write(reg::kHeadSwitch, time_limit());
  expect_pick(1, time_limit());
  insert(2, 5, 1, 2);  // dearer or not, both are at the limit: the older stays
  expect_pick(1, time_limit());
}

TEST_F(Sched, MasksShutOut) {
  place_head(0, 0, 0);
  for (unsigned tag = 0; tag < entries(); ++tag) insert(tag, 0, 0, 10 + tag);
  write(reg::kCtrl, kMasked);
  expect_nothing();
  for (unsigned tag = entries(); tag-- > 0;) {
    write(reg::kMask0 + tag / 32 * 4, 1U << tag % 32);
    expect_pick(tag, 10 + tag);
    write(reg::kMask0 + tag / 32 * 4, 0);
  }
  write(reg::kCtrl, 0);
  expect_pick(0, 10);
}

// ---------------------------------------------------------------------------------------------- sweep and guard

TEST_F(Sched, NoSweep) {
  insert(0, 0, 0, 40);
  write(reg::kCtrl, kGuard | kNextOnly);
  write(reg::kReserve, sum_limit());
  expect_pick(0, 40);
  EXPECT_EQ(read(reg::kRefused), 0U);
  EXPECT_EQ(read(reg::kNext), 0U);
  EXPECT_EQ(read(reg::kSweep), 0U);
  EXPECT_EQ(read(reg::kDue), 0U);
}

TEST_F(Sched, SweepOfOne) {
  place_head(0, 0, 0);
  write(reg::kCtrl, kGuard);
  insert(6, 20, 3, 100, kContinuous, 50, 160);
  bench.decide();
  EXPECT_EQ(read(reg::kNext), 0x106U);
  EXPECT_EQ(read(reg::kSweep), 50U);
  EXPECT_EQ(read(reg::kDue), 160U);
  write(reg::kReserve, 10);  // 150 ticks are left: 100 until it begins, 50 until it has ended
  expect_pick(6, 100);
  write(reg::kReserve, 11);
  expect_forced(6);
  EXPECT_EQ(read(reg::kRefused), 1U);
  EXPECT_EQ(read(reg::kRefusedCount), 1U);
  EXPECT_EQ(read(reg::kForcedCount), 1U);
  write(reg::kHeadTime, 161);  // past the deadline
  expect_forced(6);
}

TEST_F(Sched, SweepOfTwo) {
  place_head(0, 0, 0);
  write(reg::kCtrl, kGuard);
  write(reg::kHeadSwitch, 10);
  write(reg::kOverheadWr, 3);
  write(reg::kDelay, 4);
  insert(0, 20, 0, 100, kContinuous, 50, 1000);
  insert(1, 20, 1, 170, kContinuous | kWrite, 7, 2000);
  // From angle 150 with an overhead of 3 + 4 and a head switch of 10 to 170: no less than 20.
  bench.decide();
  EXPECT_EQ(read(reg::kNext), 0x100U);
  EXPECT_EQ(read(reg::kSweep), 50U + 20 + 7);
  EXPECT_EQ(read(reg::kDue), 1000U);
  write(reg::kMargin, 3);  // it waits 3 ticks
  write(reg::kRisk, 3);
  bench.decide();
  EXPECT_EQ(read(reg::kSweep), 77U);
  write(reg::kRisk, 4);  // the guard reckons with one more turn, whatever the charge
  bench.decide();
  EXPECT_EQ(read(reg::kSweep), 77 + turn());
  write(reg::kMargin, 4);
  bench.decide();
  EXPECT_EQ(read(reg::kSweep), 77 + turn());
  write(reg::kDelay, 7);
  write(reg::kMargin, 0);
  write(reg::kRisk, 0);
  bench.decide();
  EXPECT_EQ(read(reg::kSweep), 77U);
  write(reg::kDelay, 8);
  bench.decide();
  EXPECT_EQ(read(reg::kSweep), 77 + turn());
  // Against the list it is from angle 177, a read after a write, to 100.
  write(reg::kCtrl, kGuard | kDown);
  bench.decide();
  EXPECT_EQ(read(reg::kNext), 0x101U);
  EXPECT_EQ(read(reg::kSweep), 7 + (turn() - 77) + 50);
}

TEST_F(Sched, SweepOfThree) {
  insert_sweep();
  write(reg::kCtrl, kGuard);
  // 10 -> 20: angle 120 to 150, 20 -> 30: 180 to 300.
  write(reg::kReserve, 560);
  EXPECT_EQ(bench.decide(), 2 * (bench.duration() + 2) + 4 + 1 + 13);
  EXPECT_EQ(read(reg::kNext), 0x105U);
  EXPECT_EQ(read(reg::kSweep), 20U + 30 + 30 + 120 + 40);
  EXPECT_EQ(read(reg::kDue), 900U);
  // 340 ticks are left. The discrete one first: 40 to its start, 10 of transfer, 50 to NEXT, 240 for the sweep. NEXT:
  // 100 and 240. The others are served before it and come round to it once more, which takes about a turn.
  EXPECT_EQ(read(reg::kResult), 0x100U);
  EXPECT_EQ(read(reg::kResultKey), 40U);
  EXPECT_EQ(read(reg::kRefused), 2U);
  write(reg::kReserve, 561);
  EXPECT_EQ(bench.decide(), bench.duration());
  EXPECT_EQ(read(reg::kResult), 0x305U);
  EXPECT_EQ(read(reg::kRefused), 4U);
  // Tag 3: 150 to its start, 240, its part 180 - 30 - 120 = 30, and 80 short of a turn to NEXT: turn + 340. Tag 4: 300,
  // 240, -120, and 240 short of a turn: turn + 180. The time runs through zero meanwhile.
  write(reg::kHeadTime, sum_limit() + 1 - turn());
  write(reg::kMask0, 1U << 3 | 1U << 4);
  write(reg::kCtrl, kGuard | kMasked);
  write(reg::kReserve, 560);
  EXPECT_EQ(bench.decide(), 2 * (bench.duration() + 2) + 4 + 1 + 13);
  EXPECT_EQ(read(reg::kResult), 0x103U);
  EXPECT_EQ(read(reg::kResultKey), 150U);
  EXPECT_EQ(read(reg::kRefused), 0U);
  write(reg::kReserve, 561);
  expect_pick(4, 300);
  EXPECT_EQ(read(reg::kRefused), 1U);
  write(reg::kReserve, 720);
  expect_pick(4, 300);
  write(reg::kReserve, 721);
  expect_forced(5);  // whatever its mask
  EXPECT_EQ(read(reg::kRefused), 2U);
  EXPECT_EQ(read(reg::kRefusedCount), 2U + 4 + 1 + 1 + 2);
  EXPECT_EQ(read(reg::kForcedCount), 2U);
  // Of the continuous ones NEXT alone, which the mask shuts out: nothing competes.
  write(reg::kReserve, 0);
  write(reg::kCtrl, kGuard | kMasked | kNextOnly);
  expect_forced(5);
  EXPECT_EQ(read(reg::kRefused), 0U);
  write(reg::kCtrl, kGuard | kNextOnly);
  expect_pick(0, 40);
  write(reg::kRemove, 0);
  expect_pick(5, 100);
}

TEST_F(Sched, SweepDownwards) {
  insert_sweep();
  write(reg::kCtrl, kGuard | kDown);
  bench.decide();
  EXPECT_EQ(read(reg::kNext), 0x104U);
  // 30 -> 20: angle 340 to 150, 20 -> 10: 180 to 100.
  EXPECT_EQ(read(reg::kSweep), 40 + (turn() - 190) + 30 + (turn() - 80) + 20);
  EXPECT_EQ(read(reg::kDue), 900U);
}

TEST_F(Sched, SweepOfEqualCylindersIsInOrderOfInsertion) {
  write(reg::kCtrl, kGuard);
  insert(4, 9, 0, 100, kContinuous, 1);
  insert(6, 9, 0, 200, kContinuous, 2);
  insert(1, 9, 0, 300, kContinuous, 4);
  bench.decide();
  EXPECT_EQ(read(reg::kNext), 0x104U);
  EXPECT_EQ(read(reg::kSweep), 204U);
  write(reg::kCtrl, kGuard | kDown);
  bench.decide();
  EXPECT_EQ(read(reg::kNext), 0x101U);
  EXPECT_EQ(read(reg::kSweep), 4 + (turn() - 104) + 2 + (turn() - 102) + 1);
}

TEST_F(Sched, SweepOfAll) {
  write(reg::kCtrl, kGuard);
  for (unsigned tag = 0; tag < entries(); ++tag) insert(tag, 5 * tag, 0, 4 * tag, kContinuous, 3, 1000);
  EXPECT_EQ(bench.decide(), 2 * (bench.duration() + 2) + entries() + entries() - 2 + 13);
  EXPECT_EQ(read(reg::kSweep), 4 * (entries() - 1) + 3);
  for (unsigned tag = 0; tag < entries(); ++tag) {
    write(reg::kServe, tag);
    bench.decide();
    EXPECT_EQ(read(reg::kNext), tag + 1 < entries() ? tag + 0x101 : 0);
    EXPECT_EQ(read(reg::kSweep), tag + 1 < entries() ? 4 * (entries() - 2 - tag) + 3 : 0);
    EXPECT_EQ(read(reg::kDue), tag + 1 < entries() ? 1000U : 0U);
  }
}

TEST_F(Sched, EarliestDeadlineRoundZero) {
  const auto due_of = [this](std::uint32_t first, std::uint32_t second, std::uint32_t third) {
    write(reg::kClear, kSoftReset);
    write(reg::kCtrl, kGuard);
    insert(0, 0, 0, 0, kContinuous, 0, first);
    insert(1, 1, 0, 0, kContinuous, 0, second);
    insert(2, 2, 0, 0, kContinuous, 0, third);
    bench.decide();
    return read(reg::kDue);
  };
  EXPECT_EQ(due_of(1, 2, 3), 1U);
  EXPECT_EQ(due_of(2, 1, 3), 1U);
  EXPECT_EQ(due_of(3, 2, 1), 1U);
  EXPECT_EQ(due_of(1, sum_limit(), 3), sum_limit());
  EXPECT_EQ(due_of(sum_limit() - 1, sum_limit(), 0), sum_limit() - 1);
  EXPECT_EQ(due_of(sum_limit() / 2 + 1, 0, 7), sum_limit() / 2 + 1);  // half way round counts as earlier
  EXPECT_EQ(due_of(sum_limit() / 2, 0, 7), 0U);
  EXPECT_EQ(due_of(7, 0, sum_limit() / 2 + 1), 0U);
}

TEST_F(Sched, SweepSaturates) {
  write(reg::kCtrl, kGuard);
  insert(0, 0, 0, 0, kContinuous, sum_limit(), 10);
  insert(1, 1, 0, 0, kContinuous, 0, 10);
  bench.decide();
  EXPECT_EQ(read(reg::kSweep), sum_limit());
  write(reg::kReserve, 0);
  expect_forced(0);
  write(reg::kRemove, 1);
  bench.decide();
  EXPECT_EQ(read(reg::kSweep), sum_limit());
}

TEST_F(Sched, AllAreRefused) {
  write(reg::kCtrl, kGuard);
  for (unsigned tag = 0; tag < entries(); ++tag) insert(tag, 5 + tag, 0, 9, tag == 2 ? kContinuous : 0, 1, 100);
  place_head(0, 0, 101);  // the deadline is past
  expect_forced(2);
  EXPECT_EQ(read(reg::kRefused), entries());
  EXPECT_EQ(read(reg::kRefusedCount), entries());
  EXPECT_EQ(read(reg::kForcedCount), 1U);
  place_head(0, 0, 0);
  write(reg::kReserve, 100);  // as much as there is, and the transfer is more
  expect_forced(2);
  EXPECT_EQ(read(reg::kRefused), entries());
  EXPECT_EQ(read(reg::kRefusedCount), 2 * entries());
}

TEST_F(Sched, WhatMakesStale) {
  const unsigned pass = bench.duration();
  insert_sweep();
  write(reg::kCtrl, kGuard);
  const unsigned sums = 2 * (pass + 2) + 4 + 1 + 13, debts = 2 * (pass + 2);
  EXPECT_EQ(bench.decide(), sums);
  EXPECT_EQ(bench.decide(), pass);
  for (const std::uint32_t address :
       {reg::kCtrl, reg::kMargin, reg::kRisk, reg::kHeadSwitch, reg::kWriteSettle, reg::kOverheadRr, reg::kOverheadRw,
        reg::kOverheadWr, reg::kOverheadWw, reg::kDelay, reg::kSeekDelta, reg::kSeekGroup}) {
    write(address, address == reg::kCtrl ? kGuard : 0);
    EXPECT_EQ(bench.decide(), sums) << address;
    EXPECT_EQ(bench.decide(), pass) << address;
  }
  for (const std::uint32_t address :
       {reg::kHeadPos,     reg::kHeadTime,    reg::kReserve, reg::kAgeNow,    reg::kRiskCharge, reg::kCluster,
        reg::kClusterFrom, reg::kClusterSpan, reg::kEPos,    reg::kEAngle,    reg::kEEndPos,    reg::kEEndAngle,
        reg::kETransfer,   reg::kEDeadline,   reg::kEAge,    reg::kSeekIndex, reg::kSeekBase,   reg::kSeekCell,
        reg::kSeekLast,    reg::kMask0,       reg::kMask7,   reg::kDefer,     reg::kGrace,      reg::kAgeCap,
        reg::kAgeScale,    reg::kAhead,       reg::kELimit,  reg::kERest,     reg::kAheadShare}) {
    write(address, 1);
    EXPECT_EQ(bench.decide(), pass) << address;
  }
  bench.cluster();
  EXPECT_EQ(bench.decide(), pass);
  for (const std::uint32_t address : {reg::kInsert, reg::kMargin}) {  // refused
    EXPECT_FALSE(bench.write(address, 3, address == reg::kInsert ? 0xF : 7));
    EXPECT_EQ(bench.decide(), pass);
  }
  insert(1, 3, 0, 0);  // the debt of the new one
  EXPECT_EQ(bench.decide(), debts);
  EXPECT_EQ(bench.decide(), pass);
  write(reg::kRemove, 1);
  EXPECT_EQ(bench.decide(), pass);
  insert(1, 3, 0, 0, kContinuous);
  EXPECT_EQ(bench.decide(), sums + 2);
  write(reg::kServe, 1);
  EXPECT_EQ(bench.decide(), sums);
  // Without guard nothing is worked out, nor forgotten.
  insert(1, 3, 0, 0, kContinuous, 77);
  write(reg::kCtrl, 0);
  EXPECT_EQ(bench.decide(), pass);
  EXPECT_EQ(read(reg::kNext), 0x105U);
  EXPECT_EQ(read(reg::kSweep), 240U);
  write(reg::kCtrl, kGuard);
  EXPECT_EQ(bench.decide(), sums + 2);
  EXPECT_EQ(read(reg::kNext), 0x101U);
  EXPECT_EQ(bench.decide(), pass);
}

TEST_F(Sched, CyclesOfSmallSweeps) {
  const unsigned pass = bench.duration();
  write(reg::kCtrl, kGuard);
  EXPECT_EQ(bench.decide(), pass + 2 + 13);  // of an empty table
  EXPECT_EQ(bench.decide(), pass);           // without a sweep there are no debts
  insert(0, 0, 0, 0);
  EXPECT_EQ(bench.decide(), pass);
  insert(1, 1, 0, 0, kContinuous);
  EXPECT_EQ(bench.decide(), 2 * (pass + 2) + 2 + 13);
  insert(2, 1, 0, 0, kContinuous);
  EXPECT_EQ(bench.decide(), 2 * (pass + 2) + 3 + 13);
  insert(3, 1, 0, 0, kContinuous);
  EXPECT_EQ(bench.decide(), 2 * (pass + 2) + 4 + 1 + 13);
  insert(4, 1, 0, 0, kContinuous);
  EXPECT_EQ(bench.decide(), 2 * (pass + 2) + 5 + 2 + 13);
  for (unsigned tag = 1; tag < 5; ++tag) write(reg::kRemove, tag);
  EXPECT_EQ(bench.decide(), pass + 2 + 1 + 13);
  EXPECT_EQ(read(reg::kNext), 0U);
}

// ---------------------------------------------------------------------------------------------- ageing

class SchedAgeing : public Sched {
 protected:
  void SetUp() override {
    if (!has(Parameters::kAgeing)) GTEST_SKIP() << "without ageing";
    place_head(0, 0, 0);
    write(reg::kEAge, 1000);
    insert(0, 0, 0, 500);
  }

  std::uint32_t key_after(std::uint32_t waited) {
    write(reg::kAgeNow, 1000 + waited);
    bench.decide();
    return read(reg::kResultKey) - 500;
  }
};

TEST_F(SchedAgeing, WeightAndCap) {
  EXPECT_EQ(key_after(50), 0U - 50);  // a weight of 0: without cap
  write(reg::kAgeScale, 64);
  EXPECT_EQ(key_after(50), 0U);  // a cap of 0
  write(reg::kAgeCap, 100);
  for (const std::uint32_t waited : {0U, 1U, 99U, 100U, 101U, 5000U})
    EXPECT_EQ(key_after(waited), 0U - std::min(waited, 100U)) << waited;
  write(reg::kAgeScale, 1);
  EXPECT_EQ(key_after(63), 0U);
  EXPECT_EQ(key_after(64), 0U - 1);
  write(reg::kAgeScale, 63);
  EXPECT_EQ(key_after(1), 0U);
  EXPECT_EQ(key_after(65), 0U - 63);  // 63.98
  write(reg::kAgeScale, 129);
  EXPECT_EQ(key_after(100), 0U - 201);     // 201.56
  EXPECT_EQ(key_after(0U - 1), 0U - 201);  // before its arrival
}

TEST_F(SchedAgeing, WeightIsClamped) {
  // The weight of the cap alone: one tick less than the clamp, the clamp, more, and as much as can be.
  write(reg::kAgeCap, 0x1FFFF);
  write(reg::kAgeScale, 0x3FFFF);
  const std::uint64_t most = std::uint64_t{0x1FFFF} * 0x3FFFF >> 6;
  EXPECT_EQ(key_after(sum_limit()), 0U - static_cast<std::uint32_t>(std::min<std::uint64_t>(most, time_limit())));
  const std::uint32_t scale = 64 * 16;  // sixteen ticks a unit: 2^TimeW is a whole number of them
  write(reg::kAgeScale, scale);
  const std::uint32_t units = (time_limit() + 1) / 16;
  if (units > 0x1FFFF) return;
  write(reg::kAgeCap, units);
  EXPECT_EQ(key_after(units - 1), 0U - (time_limit() + 1 - 16));
  EXPECT_EQ(key_after(units), 0U - time_limit());
  EXPECT_EQ(key_after(units + 1), 0U - time_limit());
}

TEST_F(SchedAgeing, ContinuousEntriesAreDeferred) {
  write(reg::kRemove, 0);
  insert(1, 0, 0, 500, kContinuous);
  insert(2, 0, 0, 580);
  insert(3, 0, 0, 560, kBackground);
  write(reg::kDefer, 70);
  write(reg::kAgeNow, 1010);
  expect_pick(1, 490);
  write(reg::kCtrl, kDefer);
  expect_pick(3, 550);
  write(reg::kDefer, 49);
  expect_pick(1, 549);
  write(reg::kDefer, 50);
  expect_pick(1, 550);  // the older
  write(reg::kDefer, 0);
  expect_pick(1, 500);
  write(reg::kRemove, 2);
  write(reg::kRemove, 3);
  write(reg::kDefer, 0xFFFFFFFF);
  bench.decide();
  EXPECT_EQ(read(reg::kResultKey), 500 + (time_limit() >> 1));
}

// ---------------------------------------------------------------------------------------------- limits

class SchedLimits : public Sched {
 protected:
  void SetUp() override {
    if (!has(Parameters::kLimits)) GTEST_SKIP() << "without limits";
    place_head(0, 0, 0);
  }

  void insert_limited(unsigned tag, std::uint32_t angle, unsigned kind, std::uint32_t limit, std::uint32_t flags = 0,
                      std::uint32_t transfer = 0, std::uint32_t deadline = 0) {
    write(reg::kELimit, limit);
    insert(tag, 0, 0, angle, flags | kind * kLimit, transfer, deadline);
  }

  void expect_expired(std::uint32_t expected) { EXPECT_EQ(read(reg::kExpired), expected); }
};

TEST_F(SchedLimits, MissedGoesFirst) {
  insert_limited(0, 10, 0, 0);
  insert_limited(1, 300, 1, 300);
  insert_limited(2, 200, 1, 300);
  expect_pick(0, 10);  // 300 is in time
  write(reg::kELimit, 0);
  insert_limited(3, 299, 1, 298);
  expect_pick(3, 299);  // late by a tick
  insert_limited(4, 250, 1, 0);
  expect_pick(4, 250);  // of two the lower key
  write(reg::kRemove, 4);
  write(reg::kRemove, 3);
  write(reg::kHeadTime, 2 * turn() - 1);  // the limits are past
  expect_pick(2, 201);
  expect_expired(0);
  write(reg::kHeadTime, 0);
  // What counts is the worst case.
  write(reg::kRisk, 301);
  write(reg::kMargin, 300);
  write(reg::kRemove, 2);
  write(reg::kRemove, 0);
  insert_limited(0, 400, 0, 0);
  expect_pick(1, 300);
}

TEST_F(SchedLimits, ExpiredDoesNotCompete) {
  insert_limited(5, 10, 2, 10);
  insert_limited(3, 20, 0, 0);
  expect_pick(5, 10);
  expect_expired(0);
  insert_limited(4, 12, 2, 11);
  insert_limited(6, 11, 2, 10);
  expect_pick(5, 10);
  expect_expired(0x104);
  write(reg::kHeadTime, 13);  // past all of them
  expect_pick(3, 7);
  expect_expired(0x104);
  write(reg::kMask0, 1U << 5 | 1U << 6);
  write(reg::kCtrl, kMasked);
  expect_nothing();
  expect_expired(0x105);
  EXPECT_EQ(read(reg::kRefused), 0U);
  write(reg::kMask0, 1U << 3);
  expect_pick(3, 7);
  expect_expired(0);
  write(reg::kHeadTime, 0);
  write(reg::kCtrl, 0);
  expect_pick(5, 10);
  expect_expired(0x104);
  write(reg::kRemove, 4);
  write(reg::kRemove, 6);
  expect_expired(0x104);  // as of the last decision
  bench.cluster();
  expect_expired(0x104);
  bench.decide();
  expect_expired(0);
}

TEST_F(SchedLimits, TagZeroExpires) {
  insert_limited(0, 10, 2, 9);
  expect_nothing();
  expect_expired(0x100);
  write(reg::kClear, kSoftReset);
  expect_expired(0);
}

TEST_F(SchedLimits, InTimeGoesFirstWithinGrace) {
  insert_limited(0, 10, 0, 0);
  insert_limited(1, 300, 3, 1000);
  write(reg::kGrace, 1000);
  expect_pick(0, 10);
  write(reg::kGrace, 1001);
  expect_pick(1, 300);
  write(reg::kGrace, 0);
  write(reg::kHeadTime, 1);
  expect_pick(0, 9);
  write(reg::kGrace, sum_limit());
  expect_pick(1, 299);
  write(reg::kRemove, 1);
  insert_limited(1, 300, 3, 300);
  write(reg::kHeadTime, 0);
  expect_pick(1, 300);  // to the tick
  write(reg::kRemove, 1);
  insert_limited(1, 300, 3, 299);
  expect_pick(0, 10);  // it would be late anyway
  expect_expired(0);
  write(reg::kRemove, 0);
  expect_pick(1, 300);
}

TEST_F(SchedLimits, TimesComeRound) {
  insert_limited(0, 40, 0, 0);
  insert_limited(1, 50, 1, 52);
  place_head(0, 0, sum_limit() - 1);  // two ticks before zero, 54 before the limit
  expect_pick(0, 42);
  insert_limited(2, 60, 1, sum_limit());  // a tick from now
  expect_pick(2, 62);
  write(reg::kHeadTime, sum_limit() / 2 + 1 + 52);  // half way round: past
  expect_pick(1, turn() - 2);
}

TEST_F(SchedLimits, TheGuardRefusesWhatGoesFirst) {
  insert_limited(2, 100, 0, 0, kContinuous, 50, 160);
  insert_limited(0, 300, 1, 0, 0, 10);
  insert_limited(1, 20, 0, 0, 0, 10);
  write(reg::kCtrl, kGuard);
  expect_pick(1, 20);
  EXPECT_EQ(read(reg::kRefused), 1U);
  write(reg::kCtrl, 0);
  expect_pick(0, 300);
  // A forced decision picks NEXT even if it has expired.
  write(reg::kClear, kSoftReset);
  insert_limited(3, 100, 2, 99, kContinuous, 50, 1000);
  write(reg::kCtrl, kGuard);
  expect_forced(3);
  expect_expired(0x103);
  EXPECT_EQ(read(reg::kRefused), 0U);
  EXPECT_EQ(read(reg::kForcedCount), 1U);
}

// ---------------------------------------------------------------------------------------------- zero latency

TEST_F(Sched, AccessesThatBeginInTheMiddle) {
  if (!has(Parameters::kZeroLatency)) GTEST_SKIP() << "without zero latency";
  place_head(0, 0, 0);
  write(reg::kERest, 100);
  insert(0, 0, 0, 99, 0, 10);
  expect_pick(0, 99);
  place_head(0, 0, turn() - 1);  // a wait of 100
  expect_pick(0, 0);
  write(reg::kCtrl, kRestCost);
  expect_pick(0, 100);
  write(reg::kHeadTime, 100);
  expect_pick(0, 100);
  write(reg::kHeadTime, 0);
  expect_pick(0, 99);
  // Neither late nor risky.
  write(reg::kCtrl, 0);
  write(reg::kRiskCharge, 1000);
  write(reg::kRisk, turn() - 1);
  expect_pick(0, 99);
  write(reg::kMargin, 100);
  expect_pick(0, 99);
  // t counts, and its clamp.
  write(reg::kOverheadRr, 30);
  expect_pick(0, 99);
  write(reg::kHeadTime, turn() - 31);
  expect_pick(0, 30);
  write(reg::kCtrl, kRestCost);
  expect_pick(0, 130);
  write(reg::kOverheadRr, time_limit());
  expect_pick(0, time_limit());
  write(reg::kOverheadRr, 0);
  // The order of a cluster counts the access in order, and so do the guard and the sweep.
  write(reg::kRisk, 0);
  write(reg::kMargin, 0);
  write(reg::kCtrl, 0);
  place_head(0, 0, 200);
  expect_pick(0, 0);
  if (order_m() > 0) {
    write(reg::kCluster, kTakeD | kOrder);
    bench.cluster();
    EXPECT_EQ(read(reg::kOrderCost), turn() - 101);
  }
  write(reg::kRemove, 0);
  insert(0, 0, 0, 99, kContinuous, 10, 200 + turn() - 101 + 10);
  write(reg::kCtrl, kGuard);
  expect_pick(0, 0);
  write(reg::kReserve, 1);
  expect_forced(0);
}

// ---------------------------------------------------------------------------------------------- look-ahead

class SchedAhead : public Sched {
 protected:
  void SetUp() override {
    if (!has(Parameters::kLookAhead)) GTEST_SKIP() << "without look-ahead";
    place_head(0, 0, 0);
  }

  void look(unsigned most, unsigned depth, std::uint32_t shares = 0x80808080) {
    write(reg::kAhead, most | depth << reg::kAheadDepthLsb);
    write(reg::kAheadShare, shares);
  }

  unsigned pass() const { return bench.duration(); }
};

TEST_F(SchedAhead, WhatComesAfterwardsCounts) {
  // After entry 0 it takes almost a turn to any other one; after 1 it is 20 to 2; after 2 it is 10 to 0, which lies behind the index.
  insert(0, 0, 0, 100, 0, 300);
  insert(1, 0, 0, 130, 0, 50);
  insert(2, 0, 0, 200, 0, turn() - 110);
  expect_pick(0, 100);
  look(3, 1);
  // 0: 100 + (turn - 270) / 2; 1: 130 + 20 / 2; 2: 200 is no less than that.
  EXPECT_EQ(bench.decide(), pass() + 2 + 2 * (2 + pass() + 5) + 2 * (pass() + 1));
  EXPECT_EQ(read(reg::kResult), 0x101U);
  EXPECT_EQ(read(reg::kResultKey), 140U);
  look(1, 1);
  EXPECT_EQ(bench.decide(), pass() + 1 + 2 + pass() + 5);
  EXPECT_EQ(read(reg::kResult), 0x100U);
  EXPECT_EQ(read(reg::kResultKey), 100 + (turn() - 270) / 2);
  look(2, 1);
  EXPECT_EQ(bench.decide(), pass() + 1 + 2 * (2 + pass() + 5) + pass() + 1);
  EXPECT_EQ(read(reg::kResult), 0x101U);
  // With a share of one quarter: 1 with 135; of 0 the first.
  look(511, 1, 0x40);
  bench.decide();
  EXPECT_EQ(read(reg::kResultKey), 135U);
  look(511, 7, 0);
  // The next one's key is no less than the total: one candidate. Each other entry is searched, and then none is found.
  EXPECT_EQ(bench.decide(), pass() + 2 + 2 + 3 * (pass() + 5) + pass() + 1);
  EXPECT_EQ(read(reg::kResult), 0x100U);
  EXPECT_EQ(read(reg::kResultKey), 100U);
  // Two ahead: 1, 2 (20), 0 (10): 130 + 10 + 5.
  look(511, 2);
  bench.decide();
  EXPECT_EQ(read(reg::kResult), 0x101U);
  EXPECT_EQ(read(reg::kResultKey), 145U);
  // DELAY is of the sweep; the overhead counts.
  write(reg::kDelay, 40);
  bench.decide();
  EXPECT_EQ(read(reg::kResultKey), 145U);
  write(reg::kOverheadRr, 21);  // and misses it
  bench.decide();
  EXPECT_NE(read(reg::kResultKey), 145U);
}

TEST_F(SchedAhead, WithoutCandidates) {
  look(3, 2);
  EXPECT_EQ(bench.decide(), pass() + 2);
  EXPECT_EQ(read(reg::kResult), 0U);
  insert(1, 0, 0, 100, kContinuous, 5, 10);
  write(reg::kCtrl, kGuard);
  EXPECT_EQ(bench.decide(), pass() + 2 + 1 + 13 + pass() + 2 + 2);
  EXPECT_EQ(read(reg::kResult), 0x301U);
  EXPECT_EQ(read(reg::kResultKey), 0U);
  EXPECT_EQ(read(reg::kRefused), 1U);
  EXPECT_EQ(read(reg::kRefusedCount), 1U);
  write(reg::kCtrl, 0);
  // One, and no other entry.
  look(1, 2);
  EXPECT_EQ(bench.decide(), pass() + 1 + 2 + pass() + 5);
  look(2, 2);
  EXPECT_EQ(bench.decide(), pass() + 2 + 2 + pass() + 5 + pass() + 1);
  EXPECT_EQ(read(reg::kResultKey), 100U);
  for (const auto& [most, depth] : {std::pair{0U, 4U}, {5U, 0U}}) {
    look(most, depth);
    EXPECT_EQ(bench.decide(), pass());
  }
}

TEST_F(SchedAhead, TheAccessTakenIsTheNearestThenTheOlderThenTheLowerTag) {
  // Of two at equal cost the older one is taken, whose end makes the next access dear.
  look(1, 2, 0x8080);
  insert(0, 0, 0, 100, 0, 0);
  insert(3, 0, 0, 110, 0, 40);
  insert(1, 0, 0, 110, 0, 0);
  insert(2, 0, 0, 120, 0, 0);
  write(reg::kMask0, 0xF);
  write(reg::kCtrl, kMasked);
  bench.decide();  // 0, 3 (10), then a turn less 40 to 1 (less 30 to 2)
  EXPECT_EQ(read(reg::kResult), 0x100U);
  EXPECT_EQ(read(reg::kResultKey), 100 + 5 + (turn() - 40) / 2);
  write(reg::kRemove, 3);
  insert(3, 0, 0, 110, 0, 40);  // now the younger
  bench.decide();               // 0, 1 (10), 3 (0)
  EXPECT_EQ(read(reg::kResultKey), 105U);
  write(reg::kMask0, 0x5);  // 0, 2 (20), none
  bench.decide();
  EXPECT_EQ(read(reg::kResultKey), 110U);
}

TEST_F(SchedAhead, TheFirstOfEqualTotalsIsTaken) {
  // Entry 2 is younger and costs as much; its total is as much.
  insert(1, 0, 0, 100);
  insert(2, 0, 0, 100);
  look(4, 1, 0x80);
  EXPECT_EQ(bench.decide(), pass() + 2 + 2 + pass() + 5 + pass() + 1);  // the second's key is the best total
  EXPECT_EQ(read(reg::kResult), 0x101U);
  insert(3, 0, 0, 99, 0, 9);  // 108 to 100: a turn less 8
  look(4, 1, 2);              // shares of 2/256
  bench.decide();             // 3: 99 + turn / 128, the others have 100
  EXPECT_EQ(read(reg::kResult), 0x101U);
  EXPECT_EQ(read(reg::kResultKey), 100U);
}

TEST_F(SchedAhead, AllAreExamined) {
  // Each has the same key, and a turn less 1 to any other: no key is as much as the best total.
  for (unsigned tag = 0; tag < entries(); ++tag) insert((5 * tag + 3) % entries(), 0, 0, 100, 0, 1);
  look(entries(), 1);
  EXPECT_EQ(bench.decide(), pass() + 1 + entries() * (2 + pass() + 5) + (entries() - 1) * (pass() + 1));
  EXPECT_EQ(read(reg::kResult), 0x103U);  // the oldest
  EXPECT_EQ(read(reg::kResultKey), 100 + (turn() - 1) / 2);
  look(entries() + 1, 1);
  EXPECT_EQ(bench.decide(), pass() + 2 + entries() * (2 + pass() + 5) + entries() * (pass() + 1));
  EXPECT_EQ(read(reg::kResult), 0x103U);
}

TEST_F(SchedAhead, WhoIsRefusedIsTakenAsAnAccess) {
  // NEXT alone passes; entry 1, which is refused, follows it at once.
  insert(0, 0, 0, 100, kContinuous, 50, 151);
  insert(1, 0, 0, 160, 0, 7);
  insert(2, 0, 0, 90, 0, 1000);
  write(reg::kCtrl, kGuard);
  look(5, 1);
  bench.decide();
  EXPECT_EQ(read(reg::kResult), 0x100U);
  EXPECT_EQ(read(reg::kResultKey), 105U);
  EXPECT_EQ(read(reg::kRefused), 2U);
  EXPECT_EQ(read(reg::kRefusedCount), 2U);
}

TEST_F(SchedAhead, WhatGoesFirstIsNotPassedOver) {
  if (!has(Parameters::kLimits)) GTEST_SKIP() << "without limits";
  insert(0, 0, 0, 10, 0, 0);
  insert(1, 0, 0, 20, 0, 0);
  write(reg::kELimit, 0);
  insert(2, 0, 0, 300, kLimit, 5);
  look(7, 1, 0x80);
  // Entry 2 goes first although its total is more; the examination ends there.
  EXPECT_EQ(bench.decide(), pass() + 2 + 2 + pass() + 5 + pass() + 1);
  EXPECT_EQ(read(reg::kResult), 0x102U);
  EXPECT_EQ(read(reg::kResultKey), 300 + (turn() - 295) / 2);
}

// ---------------------------------------------------------------------------------------------- CLUSTER

class SchedCluster : public Sched {
 protected:
  void SetUp() override {
    insert(0, 10, 0, 10);
    insert(1, 20, 0, 20, kContinuous);
    insert(2, 30, 0, 30, kBackground);
    insert(4, 40, 0, 40);
    insert(3, 30, 0, 30, kWrite);
    write(reg::kClusterSpan, 0xFFFFFFFF);
  }
};

TEST_F(SchedCluster, ByNumber) {
  write(reg::kCluster, kTakeD | 2);
  expect_cluster(5, 0x05);  // 0, 1 passed over, 2
  write(reg::kCluster, kTakeD | kTakeC | 2);
  expect_cluster(4, 0x03);
  write(reg::kCluster, kTakeD | kTakeC | 5);
  expect_cluster(7, 0x1F);
  write(reg::kCluster, kTakeD | kTakeC | 6);
  expect_cluster(7, 0x1F);
  write(reg::kCluster, kTakeD | kTakeC | 0x1FF);
  expect_cluster(7, 0x1F);
  write(reg::kCluster, kTakeD | kTakeC);
  expect_cluster(7, 0x1F);
  write(reg::kCluster, 0);
  expect_cluster(7, 0);
  write(reg::kCluster, kTakeC | 1);
  expect_cluster(4, 0x02);
  EXPECT_EQ(read(reg::kOrderCost), 0U);
}

TEST_F(SchedCluster, BySpan) {
  write(reg::kCluster, kTakeD);
  write(reg::kClusterFrom, 20);
  write(reg::kClusterSpan, 10);
  expect_cluster(7, 0x1C);
  write(reg::kClusterSpan, 9);
  expect_cluster(7, 0x0C);
  write(reg::kClusterSpan, 0);
  expect_cluster(7, 0x0C);
  write(reg::kClusterFrom, 0);
  expect_cluster(5, 0x01);
  write(reg::kCluster, kTakeD | kClusterDown);
  write(reg::kClusterFrom, 39);
  write(reg::kClusterSpan, 19);
  expect_cluster(7, 0x0C);  // entry 1 is passed over before its distance counts
  write(reg::kCluster, kTakeC | kTakeD | kClusterDown);
  write(reg::kClusterSpan, 9);
  expect_cluster(6, 0x0C);
}

TEST_F(SchedCluster, UpToTheNextContinuous) {
  write(reg::kCluster, kTakeD | kTakeC | kStopAtC);
  expect_cluster(4, 0x01);
  write(reg::kClusterFrom, 21);  // it lies before
  expect_cluster(7, 0x1C);
  write(reg::kClusterFrom, 20);
  expect_cluster(4, 0);
  write(reg::kCluster, kTakeD | kStopAtC | kClusterDown);
  expect_cluster(6, 0);
  write(reg::kClusterFrom, 40);
  expect_cluster(6, 0x1C);
}

TEST_F(SchedCluster, Direction) {
  // Of one cylinder the later one comes first downward.
  write(reg::kCluster, kTakeD | kClusterDown | 1);
  write(reg::kClusterFrom, 35);
  expect_cluster(4, 0x08);
  write(reg::kCluster, kTakeD | 1);
  write(reg::kClusterFrom, 30);
  expect_cluster(5, 0x04);
  write(reg::kClusterFrom, 41);
  expect_cluster(7, 0);
  write(reg::kCluster, kTakeD | kClusterDown | 1);
  write(reg::kClusterFrom, 9);
  expect_cluster(7, 0);
}

TEST_F(SchedCluster, EmptyTable) {
  write(reg::kClear, kSoftReset);
  write(reg::kCluster, kTakeC | kTakeD | kOrder);
  write(reg::kMask0, 0xFF);
  expect_cluster(2, 0);
  EXPECT_EQ(read(reg::kClusterCount), 0U);
  EXPECT_EQ(read(reg::kStatus), kDone);
}

TEST_F(SchedCluster, DecideWithinIt) {
  place_head(0, 0, 0);
  write(reg::kCtrl, kMasked);
  write(reg::kCluster, kTakeD);
  write(reg::kClusterFrom, 20);
  expect_cluster(7, 0x1C);
  expect_pick(2, 30);
  write(reg::kServe, 2);
  place_head(0, 0, 0);
  expect_pick(3, 30);
  write(reg::kServe, 3);
  place_head(0, 0, 0);
  expect_pick(4, 40);
  write(reg::kServe, 4);
  expect_nothing();
  EXPECT_EQ(read(reg::kMask0), 0x1CU);
  EXPECT_EQ(read(reg::kClusterCount), 3U);
}

TEST_F(SchedCluster, MaskOfEveryTag) {
  write(reg::kClear, kSoftReset);
  for (unsigned tag = 0; tag < entries(); ++tag) insert((tag * 5 + 3) % entries(), tag, 0, tag);
  write(reg::kCluster, kTakeD | 1);
  for (unsigned tag = 0; tag < entries(); ++tag) {
    write(reg::kClusterFrom, tag);
    EXPECT_EQ(bench.cluster(), tag + 3);
    for (unsigned word = 0; word < 8; ++word) {
      const unsigned found = (tag * 5 + 3) % entries();
      EXPECT_EQ(read(reg::kMask0 + 4 * word), found / 32 == word ? 1U << found % 32 : 0);
    }
  }
  write(reg::kCluster, kTakeD);
  write(reg::kClusterFrom, 0);
  write(reg::kClusterSpan, 0xFFFFFFFF);
  EXPECT_EQ(bench.cluster(), entries() + 2);
  EXPECT_EQ(read(reg::kClusterCount), entries());
}

// ---------------------------------------------------------------------------------------------- order

class SchedOrder : public Sched {
 protected:
  void SetUp() override {
    place_head(5, 0, 0);
    write(reg::kClusterSpan, 0xFFFFFFFF);
    write(reg::kCluster, kTakeD | kOrder);
  }

  unsigned cycles(unsigned looked_at, unsigned c) const { return looked_at + 2 + c * c + 13 + order_cycles(c); }
};

TEST_F(SchedOrder, OfOne) {
  insert(7, 5, 0, 123);
  EXPECT_EQ(bench.cluster(), order_m() ? cycles(1, 1) : 3);
  EXPECT_EQ(read(reg::kClusterCount), order_m() ? 0x201U : 1U);
  EXPECT_EQ(read(reg::kOrderTags0), order_m() ? 7U : 0U);
  EXPECT_EQ(read(reg::kOrderCost), order_m() ? 123U : 0U);
}

TEST_F(SchedOrder, OfThree) {
  if (order_m() < 3) GTEST_SKIP() << "no orderer";
  insert(6, 5, 0, 100, 0, 50);
  insert(1, 5, 0, 120, 0, 10);
  insert(3, 5, 0, 160, 0, 0);
  // 6, 3, 1: 100 to the first, 10 on to the second, 40 short of a turn to the third; every other order costs more.
  EXPECT_EQ(bench.cluster(), cycles(3, 3));
  EXPECT_EQ(read(reg::kCycles), cycles(3, 3));
  EXPECT_EQ(read(reg::kClusterCount), 0x203U);
  EXPECT_EQ(read(reg::kOrderTags0), 0x00010306U);
  EXPECT_EQ(read(reg::kOrderTags1), 0U);
  EXPECT_EQ(read(reg::kOrderCost), turn() + 70);
  // One more hop in between: DELAY and the overhead count, from the head the overhead alone.
  write(reg::kOverheadRr, 4);
  write(reg::kDelay, 6);
  bench.cluster();
  EXPECT_EQ(read(reg::kOrderCost), turn() + 70);
  write(reg::kDelay, 7);  // from 6 to 3 it now takes one turn more: 1, 3, 6 costs 120 + 30 + turn - 60
  bench.cluster();
  EXPECT_EQ(read(reg::kOrderTags0), 0x00060301U);
  EXPECT_EQ(read(reg::kOrderCost), turn() + 90);
  // Without ORDER, what there was is gone.
  write(reg::kCluster, kTakeD);
  EXPECT_EQ(bench.cluster(), 5U);
  EXPECT_EQ(read(reg::kClusterCount), 3U);
  EXPECT_EQ(read(reg::kOrderTags0), 0U);
  EXPECT_EQ(read(reg::kOrderCost), 0U);
}

TEST_F(SchedOrder, AmongEqualsTheLastIsTheOneCollectedFirst) {
  for (unsigned c = 1; c <= order_m(); ++c) {
    insert(c - 1, 5, 0, 10);
    EXPECT_EQ(bench.cluster(), cycles(c, c));
    EXPECT_EQ(read(reg::kOrderCost), 10U);
    for (unsigned word = 0; word < 3; ++word) {
      std::uint32_t tags = 0;
      for (unsigned i = 4 * word; i < std::min(4 * word + 4, c); ++i) tags |= (c - 1 - i) << 8 * (i % 4);
      EXPECT_EQ(read(reg::kOrderTags0 + 4 * word), tags);
    }
  }
  if (order_m() < 3) return;
  // Downward, what was collected first is the last tag inserted.
  write(reg::kCluster, kTakeD | kOrder | kClusterDown | 3);
  write(reg::kClusterFrom, 0xFFFFFFFF);
  bench.cluster();
  const std::uint32_t last = order_m() - 1;
  EXPECT_EQ(read(reg::kOrderTags0), last << 16 | (last - 1) << 8 | (last - 2));
}

TEST_F(SchedOrder, OfMoreThanItCan) {
  for (unsigned tag = 0; tag <= order_m(); ++tag) insert(tag, 5, 0, 10 * tag);
  EXPECT_EQ(bench.cluster(), order_m() + 3);
  EXPECT_EQ(read(reg::kClusterCount), order_m() + 1);
  EXPECT_EQ(read(reg::kOrderTags0), 0U);
  EXPECT_EQ(read(reg::kOrderCost), 0U);
  if (order_m() == 0) return;
  write(reg::kCluster, kTakeD | kOrder | order_m());
  EXPECT_EQ(bench.cluster(), cycles(order_m(), order_m()));
  EXPECT_EQ(read(reg::kClusterCount), order_m() | 0x200);
  EXPECT_EQ(read(reg::kOrderCost), 10 * (order_m() - 1));
}

TEST_F(SchedOrder, CostsAreClamped) {
  if (order_m() < 2) GTEST_SKIP() << "no orderer";
  insert(0, 5, 0, 0);
  insert(1, 5, 0, 0);
  write(reg::kOverheadRr, time_limit());
  write(reg::kRisk, turn() - 1);
  write(reg::kRiskCharge, 1000);
  expect_pick(0, time_limit() + 1000);
  bench.cluster();
  EXPECT_EQ(read(reg::kOrderCost), 2 * time_limit());
}

TEST_F(SchedOrder, RandomClustersOfEverySize) {
  for (unsigned i = 0; i < 40 * order_m(); ++i) {
    const unsigned c = 1 + i % order_m();
    write(reg::kClear, kSoftReset);
    bench.randomize_configuration();
    for (unsigned tag = 0; tag < c; ++tag) bench.insert_random(tag);
    bench.randomize_head();
    write(reg::kClusterSpan, 0xFFFFFFFF);
    write(reg::kCluster, kTakeC | kTakeD | kOrder);
    EXPECT_EQ(bench.cluster(), cycles(c, c));
    EXPECT_EQ(read(reg::kClusterCount), c | 0x200);
    for (const std::uint32_t address : {reg::kOrderCost, reg::kOrderTags0, reg::kOrderTags1, reg::kOrderTags2}) {
      read(address);
    }
    if (i % 20 == 0) bench.load_seek_table(SeekTable::Realistic);
  }
}

// ---------------------------------------------------------------------------------------------- all of it

TEST_F(Sched, DistancesOverTheWholeSeekTable) {
  const std::uint32_t cylinders = 1U << bench.parameters().cyl_w;
  const std::uint32_t step = cylinders > 4096 ? 61 : 1;
  insert(0, 0, 0, 0);
  for (const SeekTable kind : {SeekTable::Realistic, SeekTable::Arbitrary}) {
    bench.load_seek_table(kind);
    for (std::uint32_t distance = 0; distance < cylinders; distance += distance < 300 ? 1 : step) {
      // The cost's low bits are the sector's angle; put that just before and just after the arrival.
      write(reg::kHeadPos, distance);
      const std::int64_t arrival = bench.golden().seek(distance);
      for (const std::int64_t angle : {arrival, arrival - 1}) {
        write(reg::kHeadTime, static_cast<std::uint32_t>(-angle));
        bench.decide();
        read(reg::kResultKey);
      }
      if (!bench.differences().empty()) return;
    }
  }
}

// ---------------------------------------------------------------------------------------------- values of every field

/// Each value of each field of the map in an operation that looks at it.
class SchedValues : public Sched {
 protected:
  /// Of a field: its limits, each bit alone, what lies beside the sizes of the instance.
  std::vector<std::uint32_t> values_of(std::uint32_t width) const {
    const std::uint64_t most = (std::uint64_t{1} << width) - 1;
    std::vector<std::uint64_t> values = {0, most, most - 1};
    for (unsigned bit = 0; bit < width; ++bit) values.push_back(std::uint64_t{1} << bit);
    const auto& p = bench.parameters();
    for (const std::uint64_t limit :
         {std::uint64_t{entries()}, std::uint64_t{turn()}, std::uint64_t{p.cells()}, std::uint64_t{p.segs()},
          std::uint64_t{order_m()}, std::uint64_t{time_limit()} + 1, std::uint64_t{sum_limit()} + 1}) {
      for (const std::uint64_t value : {limit - 1, limit, limit + 1}) values.push_back(value);
    }
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    std::vector<std::uint32_t> fit;
    for (const std::uint64_t value : values) {
      if (value <= most) fit.push_back(static_cast<std::uint32_t>(value));
    }
    return fit;
  }

  void stage(std::uint32_t kind = 0) {
    write(reg::kEPos, 17U | 1U << 21 | kind << 28);
    write(reg::kEAngle, turn() / 3);
    write(reg::kEEndPos, 19U | 1U << 21);
    write(reg::kEEndAngle, turn() / 2);
    write(reg::kETransfer, turn() / 6);
    write(reg::kEDeadline, 30 * turn());
    write(reg::kEAge, 3);
    write(reg::kELimit, 2 * turn());
    write(reg::kERest, turn() / 4);
  }

  /// Seven entries of all kinds, every setting other than zero. Tag 7 is free.
  void populate() {
    bench.hard_reset();
    const std::pair<std::uint32_t, std::uint32_t> settings[] = {{reg::kMargin, turn() / 50},
                                                                {reg::kRisk, turn() / 10},
                                                                {reg::kRiskCharge, turn() / 8},
                                                                {reg::kHeadSwitch, turn() / 12},
                                                                {reg::kWriteSettle, turn() / 20},
                                                                {reg::kOverheadRr, turn() / 40},
                                                                {reg::kOverheadRw, turn() / 30},
                                                                {reg::kOverheadWr, turn() / 25},
                                                                {reg::kOverheadWw, turn() / 22},
                                                                {reg::kDelay, turn() / 60},
                                                                {reg::kDefer, 5},
                                                                {reg::kGrace, turn()},
                                                                {reg::kAgeCap, 100},
                                                                {reg::kAgeScale, 70},
                                                                {reg::kAhead, 2U | 2U << 16},
                                                                {reg::kAheadShare, 0x20408010},
                                                                {reg::kHeadPos, 12U | 1U << 21},
                                                                {reg::kHeadTime, 5 * turn() + 9},
                                                                {reg::kReserve, 11},
                                                                {reg::kAgeNow, 90},
                                                                {reg::kClusterFrom, 2},
                                                                {reg::kClusterSpan, 200},
                                                                {reg::kCluster, 3U | kTakeC | kTakeD | kOrder},
                                                                {reg::kCtrl, kGuard | kDefer | kRestCost}};
    for (const auto& [address, value] : settings) write(address, value);
    for (unsigned tag = 0; tag < 7; ++tag) {
      stage((tag == 6 ? 3U << 2 : 0U) | (tag % 3 == 1 ? 1U : 0U));
      write(reg::kEAngle, turn() / 8 * tag);
      write(reg::kEPos,
            (10U + 5 * tag) | (tag & 1) << 21 | (tag & 2) << 26 | (tag % 3 == 1 ? 1U : 0U) << 28 | (tag == 6 ? 3U : 0U) << 30);
      bench.work(reg::kInsert, tag);
    }
    stage();
  }

  void look() {
    for (const std::uint32_t address : {reg::kResult, reg::kResultKey, reg::kExpired, reg::kSweep, reg::kDue, reg::kMask0,
                                        reg::kClusterCount, reg::kOrderCost})
      read(address);
  }

  /// Its own cost and key, then among all.
  void use_alone(unsigned tag) {
    write(reg::kCtrl, kMasked | kDefer | kRestCost);
    write(reg::kMask0, 1U << tag);
    bench.decide();
    look();
    write(reg::kCtrl, kGuard | kDefer | kRestCost);
  }

  void use_all() {
    bench.decide();
    look();
    bench.cluster();
    look();
  }
};

TEST_F(SchedValues, OfEveryField) {
  bench.load_seek_table(SeekTable::Realistic);
  populate();
  for (const auto& field : reg::kFields) {
    const std::uint32_t bits = static_cast<std::uint32_t>((std::uint64_t{1} << field.width) - 1) << field.lsb;
    const bool staged = field.offset >= reg::kEPos && field.offset <= reg::kERest && field.access == reg::Access::ReadWrite;
    const bool segment = field.offset >= reg::kSeekIndex && field.offset <= reg::kSeekGroup;
    const bool tag = field.offset == reg::kInsert || field.offset == reg::kRemove || field.offset == reg::kServe;
    for (const std::uint32_t value : values_of(field.width)) {
      const std::uint32_t word = value << field.lsb;
      if (field.access == reg::Access::ReadOnly) {
        EXPECT_FALSE(bench.write(field.offset, word)) << field.register_name;
      } else if (tag) {
        // Refused or carried out, as the table has it
        const bool taken = field.offset != reg::kInsert;
        const bool known = value < entries() && bench.golden().entries()[value].valid;
        EXPECT_EQ(bench.write(field.offset, word), value < entries() && known == taken) << field.register_name << " " << value;
        bench.wait();
        read(reg::kStatus);
        if (value < entries() && known == taken) bench.work(taken ? reg::kInsert : reg::kRemove, value);
      } else if (field.offset == reg::kClear) {
        bench.decide();
        write(field.offset, word);
        bench.check_all_registers();
        if (value && field.lsb == reg::kClearSoftResetLsb) populate();
      } else if (field.access == reg::Access::WriteOnly && !segment) {
        write(field.offset, word);
        bench.wait();
        look();
      } else if (segment) {
        write(reg::kSeekIndex, 2);
        write(reg::kSeekCell, 2);
        write(field.offset, word);
        write(reg::kSeekDelta, (field.offset == reg::kSeekDelta) ? word : 9);
        write(reg::kSeekGroup, (field.offset == reg::kSeekGroup) ? word : 2);
        read(reg::kSeekIndex);
        read(reg::kSeekCell);
        bench.decide();
        look();
      } else if (staged) {
        // Every meaning that it can have: of a discrete and a continuous command, of each kind of limit
        for (const std::uint32_t kind : {0U, 1U, 1U << 2, 2U << 2, 3U << 2}) {
          if (field.offset != reg::kELimit && kind > 1) continue;
          stage(kind);
          write(field.offset, (read(field.offset) & ~bits) | word);
          read(field.offset);
          if (!bench.golden().entries()[7].valid) bench.work(reg::kInsert, 7);
          use_alone(7);
          use_all();
          bench.work(reg::kRemove, 7);
        }
      } else {
        const std::uint32_t before = read(field.offset);
        write(field.offset, (before & ~bits) | word);
        read(field.offset);
        if (field.offset != reg::kCtrl && field.offset < reg::kMask0) {
          for (const unsigned entry : {0U, 1U, 6U}) use_alone(entry);
        }
        use_all();
        if (field.offset >= reg::kMask0) {
          write(reg::kCtrl, kMasked | kGuard);
          write(field.offset, word);
          bench.decide();
          look();
          write(reg::kCtrl, kGuard | kDefer | kRestCost);
        }
        write(field.offset, before);
      }
    }
  }
  bench.check_all_registers();
}

// ---------------------------------------------------------------------------------------------- the longest work

/// Of the contract's timing rules: the most cycles that a write waits.
class SchedLongest : public Sched {
 protected:
  unsigned pass() const { return bench.duration(); }
  unsigned longest_decide() const {
    const unsigned n = entries();
    return 2 * pass() + 2 * n + 15 + (has(Parameters::kLookAhead) ? 2 + n * (2 + 4 * (pass() + 5)) + n * (pass() + 1) : 0);
  }
  unsigned longest_cluster() const {
    return entries() + 2 + (order_m() ? order_m() * order_m() + 13 + order_cycles(order_m()) : 0);
  }

  /// All at one place, so that no key ends the look-ahead; the first are continuous.
  void fill(unsigned continuous) {
    write(reg::kOverheadRr, 1);
    place_head(0, 0, 0);
    for (unsigned tag = 0; tag < entries(); ++tag)
      insert(tag, 0, 0, turn() / 2, tag < continuous ? kContinuous : 0, 0, 1500 * turn());  // all pass the guard
  }

  /// Of the work that a write to OP starts, with a write behind it at once: cycles of BUSY, and those for which the write waits
  void expect_stall(std::uint32_t code, unsigned cycles) {
    write(reg::kClear, kClearCounters);
    write(reg::kOp, code);
    write(reg::kReserve, 0);
    EXPECT_EQ(read(reg::kCycles), cycles);
    RecordProperty("cycles", static_cast<int>(read(reg::kCycles)));  // longest_wait_test.py compares
    EXPECT_LE(read(reg::kStallCycles), cycles);
    EXPECT_GE(read(reg::kStallCycles) + 2, cycles);
  }
};

TEST_F(SchedLongest, Decide) {
  write(reg::kAhead, 511U | 4U << 16);
  write(reg::kAheadShare, 0xFFFFFFFF);
  fill(entries());
  write(reg::kCtrl, kGuard);  // the sums are stale
  expect_stall(0, longest_decide());
}

TEST_F(SchedLongest, Cluster) {
  fill(order_m());
  write(reg::kCluster, kTakeC | kOrder);
  expect_stall(1, longest_cluster());
}

TEST_F(Sched, CoverPoints) {
  constexpr unsigned kDecisions = 10000;
  const char* number = std::getenv("PLATTER_RTL_DECISIONS");
  const unsigned decisions = number ? static_cast<unsigned>(std::strtoul(number, nullptr, 10)) : kDecisions;
  bench.run_random(decisions);
  if (bench.parameters().seq_w <= 8) {
    run_ties_of_one_age(bench);
    run_ties_after_refusals(bench);
  }
  if (const char* name = std::getenv("PLATTER_RTL_COVER")) {
    std::ofstream file(name);
    file << "point,count\n";
    for (const auto& [point, count] : bench.cover()) file << '"' << point << "\"," << count << '\n';
  }
  if (decisions < kDecisions || !bench.differences().empty()) return;
  for (const auto& [point, count] : bench.cover()) EXPECT_GT(count, 0U) << point;
}

}  // namespace
}  // namespace platter::testing
