// SPDX-License-Identifier: Apache-2.0
//
// The scheduling accelerator's RTL against the golden model. The same tests run on every variant of the
// design and on the synthesized netlist.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "sched_bench.h"

namespace platter::testing {
namespace {

namespace reg = accelerator::reg;

class Sched : public ::testing::Test {
 protected:
  void TearDown() override {
    for (const auto& difference : bench.differences()) ADD_FAILURE() << difference;
  }

  std::uint32_t turn() const { return 1U << bench.parameters().angle_w; }
  unsigned entries() const { return bench.parameters().entries; }

  std::uint32_t read(std::uint32_t address) {
    bench.check_read(address);
    return bench.bus().read(address).data;
  }

  void place_head(std::uint32_t cyl, std::uint32_t head, std::uint32_t angle) {
    bench.write(reg::kHeadPos, cyl | head << 18);
    bench.write(reg::kHeadAngle, angle);
  }

  /// A discrete read without transfer that starts and ends in one place.
  void insert(unsigned tag, std::uint32_t cyl, std::uint32_t head, std::uint32_t angle, std::uint32_t flags = 0) {
    bench.write(reg::kEPos, cyl | head << 18 | flags << 24);
    bench.write(reg::kEAngle, angle);
    bench.write(reg::kEEndPos, cyl | head << 18);
    bench.write(reg::kEEndAngle, angle);
    ASSERT_TRUE(bench.write(reg::kInsert, tag));
  }

  void expect_pick(unsigned tag, std::uint32_t cost) {
    bench.decide();
    EXPECT_EQ(read(reg::kResult), tag | 1U << reg::kResultValidLsb);
    EXPECT_EQ(read(reg::kResultCost), cost);
  }

  static constexpr unsigned kWrite = 1, kContinuous = 2;

  SchedBench bench{20260101};
};

// ---------------------------------------------------------------------------------------------- registers

TEST_F(Sched, ResetValues) {
  bench.check_all_registers();
  EXPECT_EQ(read(reg::kId), reg::kIdValue);
  EXPECT_EQ(read(reg::kVersion), reg::kVersionMajor << 8 | reg::kVersionMinor);
  EXPECT_EQ(bench.dut().irq_o, 0);
  EXPECT_EQ(bench.dut().s_axil_bvalid_o, 0);
  EXPECT_EQ(bench.dut().s_axil_rvalid_o, 0);
}

TEST_F(Sched, RegistersKeepTheirBitsOnly) {
  for (const auto& info : reg::kRegisters) {
    if (info.access != reg::Access::ReadWrite) continue;
    for (unsigned bit = 0; bit < 32; ++bit) {
      bench.write(info.offset, 1U << bit);
      bench.check_read(info.offset);
    }
    for (const std::uint32_t word : {0xFFFFFFFFU, 0xA5A5A5A5U, 0x5A5A5A5AU}) {
      bench.write(info.offset, word);
      bench.check_read(info.offset);
    }
  }
  bench.check_all_registers();  // each write changed its own register alone
  bench.write(reg::kClear, 1U << reg::kClearSoftResetLsb);
  bench.check_all_registers();
}

TEST_F(Sched, EveryAddressReadsAsDocumented) {
  bench.write(reg::kSlack, 0xFFFFFFFF);
  for (std::uint32_t address = 0; address < 0x1000; ++address) bench.check_read(address);
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
  for (const auto& info : reg::kRegisters) {
    for (unsigned strobe = 0; strobe < 15; ++strobe) {
      EXPECT_FALSE(bench.write(info.offset, 0xFFFFFFFF, strobe)) << info.name;
    }
  }
  bench.check_all_registers();
}

// ---------------------------------------------------------------------------------------------- the table

TEST_F(Sched, InsertAndRemoveEveryTag) {
  for (unsigned tag = 0; tag < entries(); ++tag) {
    EXPECT_TRUE(bench.write(reg::kInsert, tag));
    bench.check_read(reg::kStatus);
  }
  EXPECT_EQ(read(reg::kStatus) >> reg::kStatusOccupancyLsb, entries());
  for (unsigned tag = entries(); tag-- > 0;) {
    EXPECT_TRUE(bench.write(reg::kRemove, tag));
    bench.check_read(reg::kStatus);
  }
}

TEST_F(Sched, RefusedCommandsSetErrorAndChangeNothingElse) {
  bench.insert_random(1);
  const auto refused = [this](std::uint32_t address, std::uint32_t tag) {
    EXPECT_FALSE(bench.write(address, tag)) << address << " " << tag;
    EXPECT_EQ((read(reg::kStatus) >> reg::kStatusErrorLsb) & 1, 1U);
    bench.check_all_registers();
    bench.write(reg::kClear, 1U << reg::kClearErrorLsb);
    EXPECT_EQ((read(reg::kStatus) >> reg::kStatusErrorLsb) & 1, 0U);
  };
  refused(reg::kInsert, 1);
  refused(reg::kRemove, 0);
  refused(reg::kSetCredit, 0);
  for (const std::uint32_t address : {reg::kInsert, reg::kRemove, reg::kSetCredit}) {
    for (const std::uint32_t tag : {entries(), entries() + 1, 0x100U + 1, 0x1000U + 1, 0xFFFFU}) {
      if (tag >= entries()) refused(address, tag);
    }
  }
  bench.decide();
}

TEST_F(Sched, TagsIgnoreTheUpperHalf) {
  EXPECT_TRUE(bench.write(reg::kInsert, 0xABCD0002));
  EXPECT_TRUE(bench.write(reg::kSetCredit, 0x12340002));
  EXPECT_TRUE(bench.write(reg::kRemove, 0xFFFF0002));
  bench.check_read(reg::kStatus);
}

TEST_F(Sched, SoftResetKeepsTheSeekTable) {
  bench.load_seek_table(SeekTable::Realistic);
  bench.randomize_configuration();
  for (unsigned tag = 0; tag < entries(); ++tag) bench.insert_random(tag);
  bench.randomize_decision();
  bench.decide();
  bench.write(reg::kClear, 0x103);
  bench.check_all_registers();
  bench.decide();  // nothing is left
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
  bench.write(reg::kSeekLast, 0);
  for (unsigned i = bench.parameters().cells(); i < 1024; ++i) {
    EXPECT_TRUE(bench.write(reg::kSeekGroup, 3));
  }
  EXPECT_EQ(read(reg::kSeekCell), 0U);
  bench.run_random(50);  // neither a segment nor a cell has changed
}

// ---------------------------------------------------------------------------------------------- the bus

TEST_F(Sched, AddressBeforeData) {
  auto& dut = bench.dut();
  for (unsigned delay = 1; delay < 5; ++delay) {
    bench.bus().drive_write(reg::kSlack, 0x100 + delay);
    dut.s_axil_wvalid_i = 0;
    for (unsigned i = 0; i < delay; ++i) {
      bench.bus().settle();
      EXPECT_EQ(dut.s_axil_awready_o, 0);
      EXPECT_EQ(dut.s_axil_wready_o, 0);
      bench.bus().edge();
    }
    EXPECT_TRUE(bench.write(reg::kSlack, 0x100 + delay));
    EXPECT_EQ(read(reg::kSlack), 0x100 + delay);
  }
}

TEST_F(Sched, DataBeforeAddress) {
  auto& dut = bench.dut();
  for (unsigned delay = 1; delay < 5; ++delay) {
    bench.bus().drive_write(reg::kSlack, 0x200 + delay);
    dut.s_axil_awvalid_i = 0;
    for (unsigned i = 0; i < delay; ++i) {
      bench.bus().settle();
      EXPECT_EQ(dut.s_axil_awready_o, 0);
      EXPECT_EQ(dut.s_axil_wready_o, 0);
      bench.bus().edge();
    }
    EXPECT_TRUE(bench.write(reg::kSlack, 0x200 + delay));
    EXPECT_EQ(read(reg::kSlack), 0x200 + delay);
  }
}

TEST_F(Sched, WriteResponseWaitsForTheMaster) {
  auto& dut = bench.dut();
  auto& bus = bench.bus();
  dut.s_axil_bready_i = 0;
  bus.drive_write(reg::kId, 1);  // SLVERR, so that the response has a one in it
  bus.settle();
  EXPECT_EQ(dut.s_axil_awready_o, 1);
  EXPECT_EQ(dut.s_axil_wready_o, 1);
  EXPECT_EQ(dut.s_axil_bvalid_o, 0);
  bus.edge();
  bus.drive_write(reg::kSlack, 7);  // the next write is not accepted meanwhile
  for (unsigned i = 0; i < 5; ++i) {
    bus.settle();
    EXPECT_EQ(dut.s_axil_bvalid_o, 1);
    EXPECT_EQ(dut.s_axil_bresp_o, 2);
    EXPECT_EQ(dut.s_axil_awready_o, 0);
    EXPECT_EQ(dut.s_axil_wready_o, 0);
    bus.edge();
  }
  dut.s_axil_bready_i = 1;
  bus.settle();
  EXPECT_EQ(dut.s_axil_bvalid_o, 1);
  EXPECT_EQ(dut.s_axil_awready_o, 0);
  bus.edge();
  bus.settle();
  EXPECT_EQ(dut.s_axil_bvalid_o, 0);
  EXPECT_EQ(dut.s_axil_awready_o, 1);
  bench.write(reg::kSlack, 7);
  bench.check_read(reg::kSlack);
}

TEST_F(Sched, ReadResponseWaitsForTheMaster) {
  auto& dut = bench.dut();
  auto& bus = bench.bus();
  bench.write(reg::kSlack, 42);
  dut.s_axil_rready_i = 0;
  bus.drive_read(reg::kSlack);
  bus.settle();
  EXPECT_EQ(dut.s_axil_arready_o, 1);
  bus.edge();
  bus.drive_read(reg::kStart);
  for (unsigned i = 0; i < 4; ++i) {
    // The answer holds still although the register changes.
    if (i == 1) bus.drive_write(reg::kSlack, 43);
    if (i == 2) bus.release_write();
    bus.settle();
    EXPECT_EQ(dut.s_axil_rvalid_o, 1);
    EXPECT_EQ(dut.s_axil_rdata_o, 42U);
    EXPECT_EQ(dut.s_axil_rresp_o, 0);
    EXPECT_EQ(dut.s_axil_arready_o, 0);
    bus.edge();
  }
  dut.s_axil_rready_i = 1;
  bus.tick();
  bus.settle();
  EXPECT_EQ(dut.s_axil_rvalid_o, 0);
  EXPECT_EQ(dut.s_axil_arready_o, 1);
  bus.edge();
  bus.release_read();
  bus.settle();
  EXPECT_EQ(dut.s_axil_rvalid_o, 1);
  EXPECT_EQ(dut.s_axil_rresp_o, 2);
  bus.edge();
  bench.golden().write(reg::kSlack, 43);
  bench.check_read(reg::kSlack);
}

TEST_F(Sched, ReadAndWriteAreIndependent) {
  auto& dut = bench.dut();
  auto& bus = bench.bus();
  bench.write(reg::kSweep, 5);
  bus.drive_write(reg::kSweep, 6);
  bus.drive_read(reg::kSweep);
  bus.settle();
  EXPECT_EQ(dut.s_axil_awready_o, 1);
  EXPECT_EQ(dut.s_axil_arready_o, 1);
  bus.edge();
  bus.release_write();
  bus.release_read();
  bus.settle();
  EXPECT_EQ(dut.s_axil_bvalid_o, 1);
  EXPECT_EQ(dut.s_axil_rvalid_o, 1);
  EXPECT_EQ(dut.s_axil_rdata_o, 5U);  // what the register held in the accepting cycle
  bus.edge();
  bench.golden().write(reg::kSweep, 6);
  bench.check_read(reg::kSweep);
}

TEST_F(Sched, RandomBackPressure) {
  // Both channels with random valid and ready: every write is answered once, in order, and takes effect.
  auto& dut = bench.dut();
  auto& bus = bench.bus();
  constexpr std::uint32_t kTargets[] = {reg::kSlack, reg::kMargin, reg::kId, reg::kEPos, 0x400};
  unsigned writes = 0, reads = 0;
  bool write_open = false, read_open = false, write_waits = false, read_waits = false;
  std::uint32_t write_address = 0, write_data = 0, read_address = 0;
  bool expect_okay = false;
  std::optional<std::uint32_t> expect_data;
  for (unsigned cycle = 0; cycle < 4000; ++cycle) {
    if (!write_open && !write_waits && bench.chance(60)) {
      write_open = true;
      write_address = kTargets[bench.below(5)];
      write_data = static_cast<std::uint32_t>(bench.random()());
      dut.s_axil_awaddr_i = static_cast<std::uint16_t>(write_address);
      dut.s_axil_wdata_i = write_data;
      dut.s_axil_wstrb_i = 0xF;
    }
    if (write_open) {
      dut.s_axil_awvalid_i |= bench.chance(40);
      dut.s_axil_wvalid_i |= bench.chance(40);
    }
    if (!read_open && !read_waits && bench.chance(60)) {
      read_open = true;
      read_address = kTargets[bench.below(5)];
      bus.drive_read(read_address);
    }
    dut.s_axil_bready_i = bench.chance(40);
    dut.s_axil_rready_i = bench.chance(40);
    bus.settle();
    EXPECT_EQ(dut.s_axil_awready_o, dut.s_axil_wready_o);
    EXPECT_EQ(dut.s_axil_awready_o, dut.s_axil_awvalid_i && dut.s_axil_wvalid_i && !write_waits);
    EXPECT_EQ(dut.s_axil_bvalid_o, write_waits);
    EXPECT_EQ(dut.s_axil_rvalid_o, read_waits);
    if (write_waits) {
      EXPECT_EQ(dut.s_axil_bresp_o, expect_okay ? 0 : 2);
    }
    if (read_waits) {
      EXPECT_EQ(dut.s_axil_rresp_o, expect_data ? 0 : 2);
      if (expect_data) {
        EXPECT_EQ(dut.s_axil_rdata_o, *expect_data);
      }
    }
    const bool write_taken = dut.s_axil_awready_o, b_taken = write_waits && dut.s_axil_bready_i;
    const bool read_taken = read_open && dut.s_axil_arready_o, r_taken = read_waits && dut.s_axil_rready_i;
    if (read_taken) expect_data = bench.golden().read(read_address);
    if (write_taken) expect_okay = bench.golden().write(write_address, write_data);
    bus.edge();
    if (b_taken) write_waits = false;
    if (r_taken) read_waits = false;
    if (write_taken) {
      write_open = false, write_waits = true, ++writes;
      bus.release_write();
    }
    if (read_taken) {
      read_open = false, read_waits = true, ++reads;
      bus.release_read();
    }
  }
  EXPECT_GT(writes, 400U);
  EXPECT_GT(reads, 400U);
}

// ------------------------------------------------------------------------------------- course of a decision

TEST_F(Sched, EveryCycleOfADecisionReadsAsDocumented) {
  bench.load_seek_table(SeekTable::Realistic);
  bench.insert_random(0);
  bench.insert_random(3);
  bench.write(reg::kCtrl, 1U << reg::kCtrlAutoRemoveLsb);
  auto& bus = bench.bus();
  for (const std::uint32_t address : {reg::kStatus, reg::kResult, reg::kResultCost, reg::kCycles, reg::kDecisions}) {
    // A read accepted in cycle n after START; cycle 1 is the first busy one.
    for (unsigned n = 1; n <= bench.duration() + 2; ++n) {
      bench.write(reg::kClear, 1);
      bench.insert_random(1);
      bus.drive_write(reg::kStart, 0);
      bench.golden().write(reg::kStart, 0);
      bus.tick();
      bus.release_write();
      bus.tick(n - 1);
      if (n > bench.duration()) bench.golden().finish(bench.duration());
      bench.check_read(address);
      bus.tick(bench.duration());
      if (n <= bench.duration()) bench.golden().finish(bench.duration());
      bench.write(reg::kRemove, 1);
    }
  }
}

TEST_F(Sched, InterruptFollowsDoneAndEnable) {
  auto& dut = bench.dut();
  const auto irq = [&] {
    bench.bus().settle();
    return dut.irq_o;
  };
  bench.decide();
  EXPECT_EQ(irq(), 0);
  bench.write(reg::kCtrl, 1U << reg::kCtrlIrqEnLsb);
  EXPECT_EQ(irq(), 1);
  bench.write(reg::kClear, 1U << reg::kClearErrorLsb);
  EXPECT_EQ(irq(), 1);
  bench.write(reg::kClear, 1U << reg::kClearDoneLsb);
  EXPECT_EQ(irq(), 0);
  bench.decide();  // compares the interrupt in every cycle
  EXPECT_EQ(irq(), 1);
  bench.decide();  // DONE stays set
  bench.write(reg::kCtrl, 0);
  EXPECT_EQ(irq(), 0);
}

TEST_F(Sched, WritesWaitForTheEndOfADecision) {
  auto& dut = bench.dut();
  auto& bus = bench.bus();
  bench.insert_random(2);
  for (unsigned begin = 2; begin <= bench.duration() + 1; ++begin) {
    bus.drive_write(reg::kStart, 0);
    bench.golden().write(reg::kStart, 0);
    const std::uint64_t start = bus.cycle();
    bus.tick();
    bus.release_write();
    bus.tick(begin - 1);
    bench.golden().finish(bench.duration());
    // Held until the first cycle in which BUSY is clear, then taken at once.
    EXPECT_EQ(bus.write(reg::kRemove, 2).accepted - start, bench.duration() + 1);
    EXPECT_TRUE(bench.golden().write(reg::kRemove, 2));
    bench.check_all_registers();
    bench.insert_random(2);
  }
  // Back to back: START again in the first cycle after.
  bus.drive_write(reg::kStart, 0);
  unsigned starts = 0;
  for (unsigned cycle = 0; cycle < 5 * (bench.duration() + 1); ++cycle) {
    bus.settle();
    EXPECT_EQ(dut.s_axil_awready_o, cycle % (bench.duration() + 1) == 0);
    starts += dut.s_axil_awready_o;
    bus.edge();
  }
  bus.release_write();
  EXPECT_EQ(starts, 5U);
}

TEST_F(Sched, HardResetStopsADecision) {
  bench.insert_random(0);
  bench.bus().drive_write(reg::kStart, 0);
  bench.bus().tick();
  bench.bus().release_write();
  bench.bus().tick(3);
  bench.bus().reset();
  bench.golden().hard_reset();
  bench.check_all_registers();
  bench.insert_random(1);
  bench.decide();
}

// ---------------------------------------------------------------------------------------------- decisions

TEST_F(Sched, EmptyTable) {
  bench.decide();
  EXPECT_EQ(read(reg::kResult), 0U);
  EXPECT_EQ(read(reg::kResultCost), 0U);
  EXPECT_EQ(read(reg::kCycles), bench.duration());
  EXPECT_EQ(read(reg::kDecisions), 1U);
}

TEST_F(Sched, FullTablePicksTheNearestAngle) {
  place_head(10, 0, 0);
  for (unsigned tag = 0; tag < entries(); ++tag) insert(tag, 10, 0, turn() - 1 - tag);
  expect_pick(entries() - 1, turn() - entries());
}

TEST_F(Sched, TiesGoToTheOldest) {
  for (unsigned i = 0; i < entries(); ++i) insert((5 * i + 3) % entries(), 1, 0, 9);
  // The oldest is tag 3; take it out each time. (Five and the number of entries have no common factor.)
  bench.write(reg::kCtrl, 1U << reg::kCtrlAutoRemoveLsb);
  for (unsigned i = 0; i < entries(); ++i) expect_pick((5 * i + 3) % entries(), 9);
  bench.decide();
  EXPECT_EQ(read(reg::kResult), 0U);
}

TEST_F(Sched, TiesSurviveTheWrapOfInsertionNumbers) {
  // Two entries of equal cost, the higher tag always older, over every insertion number of the variant that has
  // few of them, and over the first ones of the others.
  const unsigned numbers = 1U << std::min(bench.parameters().seq_w, 8U);
  for (unsigned i = 0; i < numbers + 2; ++i) {
    insert(3, 1, 0, 9);
    insert(0, 1, 0, 9);
    expect_pick(3, 9);
    bench.write(reg::kRemove, 3);
    bench.write(reg::kRemove, 0);
    if (i % 2 == 0) {  // shift by an odd number
      insert(1, 1, 0, 9);
      bench.write(reg::kRemove, 1);
    }
  }
}

TEST_F(Sched, AnglesWrap) {
  place_head(0, 0, turn() - 3);
  insert(0, 0, 0, 2);
  expect_pick(0, 5);
  place_head(0, 0, 2);
  expect_pick(0, 0);
  place_head(0, 0, 3);
  expect_pick(0, turn() - 1);
}

TEST_F(Sched, MarginChargesAnotherTurn) {
  place_head(0, 0, 0);
  insert(0, 0, 0, 4);
  bench.write(reg::kMargin, 4);
  expect_pick(0, 4);
  bench.write(reg::kMargin, 5);
  expect_pick(0, turn() + 4);
}

TEST_F(Sched, HeadSwitchAndWriteSettle) {
  place_head(5, 1, 0);
  insert(0, 5, 2, 0, kWrite);
  bench.write(reg::kHeadSwitch, 10);
  bench.write(reg::kWriteSettle, 5);
  expect_pick(0, turn());  // arrives at 15, the sector starts at 0
  bench.write(reg::kWriteSettle, static_cast<std::uint32_t>(-10));
  expect_pick(0, 0);
  bench.write(reg::kWriteSettle, static_cast<std::uint32_t>(-11));  // never before now
  expect_pick(0, 0);
  bench.write(reg::kWriteSettle, static_cast<std::uint32_t>(-9));
  expect_pick(0, turn());
  bench.write(reg::kOverheadWrite, 3);
  bench.write(reg::kWriteSettle, static_cast<std::uint32_t>(-11));
  place_head(5, 1, turn() - 3);
  expect_pick(0, 3);
}

TEST_F(Sched, CostsSaturate) {
  const std::uint32_t limit = (1U << bench.parameters().time_w()) - 1;
  place_head(5, 1, 0);
  insert(1, 5, 2, 1);
  bench.write(reg::kOverheadRead, limit);
  expect_pick(1, limit);
  bench.write(reg::kHeadSwitch, limit);
  expect_pick(1, limit);
  insert(2, 5, 1, 2);  // dearer or not, both are at the limit: the older stays
  expect_pick(1, limit);
}

TEST_F(Sched, GuardRefusesForcesAndCounts) {
  place_head(0, 0, 0);
  bench.write(reg::kCtrl, 1U << reg::kCtrlGuardEnLsb);
  bench.write(reg::kNextPos, 0);
  bench.write(reg::kNextAngle, 100);
  bench.write(reg::kNextTag, 1 | 1U << reg::kNextTagValidLsb);
  bench.write(reg::kSweep, 50);
  insert(0, 0, 0, 20);
  insert(1, 0, 0, 100, kContinuous);
  insert(2, 0, 0, 10, kContinuous);
  // Through entry 2: cost 10, then 90 to the next command, then the sweep of 50.
  bench.write(reg::kSlack, 150);
  expect_pick(2, 10);
  EXPECT_EQ(read(reg::kRefused), 0U);
  bench.write(reg::kSlack, 149);
  bench.decide();
  EXPECT_EQ(read(reg::kResult), 1U | 3U << reg::kResultValidLsb);
  EXPECT_EQ(read(reg::kResultCost), 100U);
  EXPECT_EQ(read(reg::kRefused), 3U);
  // Its credit lets entry 2 pass again.
  bench.write(reg::kECredit, 1);
  EXPECT_TRUE(bench.write(reg::kSetCredit, 2));
  expect_pick(2, 10);
  EXPECT_EQ(read(reg::kRefused), 2U);
  // Of the continuous entries only the next one competes.
  bench.write(reg::kCtrl, 1U << reg::kCtrlGuardEnLsb | 1U << reg::kCtrlNextCOnlyLsb);
  bench.write(reg::kSlack, 150);
  expect_pick(0, 20);
  // The next command leaves the table: nobody can be forced.
  bench.write(reg::kSlack, 0);
  bench.write(reg::kRemove, 1);
  bench.decide();
  EXPECT_EQ(read(reg::kResult), 0U);
  EXPECT_EQ(read(reg::kResultCost), 0U);
  // Without NEXT_TAG.VALID the guard is off.
  bench.write(reg::kNextTag, 1);
  expect_pick(2, 10);
}

TEST_F(Sched, ForcedEntryIsRemovedToo) {
  bench.write(reg::kCtrl, 1U << reg::kCtrlGuardEnLsb | 1U << reg::kCtrlAutoRemoveLsb);
  bench.write(reg::kNextTag, 2 | 1U << reg::kNextTagValidLsb);
  bench.write(reg::kSweep, 1);
  insert(2, 0, 0, 5, kContinuous);
  bench.decide();
  EXPECT_EQ(read(reg::kResult), 2U | 3U << reg::kResultValidLsb);
  EXPECT_EQ(read(reg::kStatus) >> reg::kStatusOccupancyLsb, 0U);
}

TEST_F(Sched, DistancesOverTheWholeSeekTable) {
  const std::uint32_t cylinders = 1U << bench.parameters().cyl_w;
  const std::uint32_t step = cylinders > 4096 ? 61 : 1;
  insert(0, 0, 0, 0);
  for (const SeekTable kind : {SeekTable::Realistic, SeekTable::Arbitrary}) {
    bench.load_seek_table(kind);
    for (std::uint32_t distance = 0; distance < cylinders; distance += distance < 300 ? 1 : step) {
      // The cost's low bits are the sector's angle; put that just before and just after the arrival.
      place_head(distance, 0, 0);
      const std::int64_t arrival = bench.golden().seek(distance);
      for (const std::int64_t angle : {arrival, arrival - 1}) {
        bench.write(reg::kHeadAngle, static_cast<std::uint32_t>(-angle));
        bench.write(reg::kStart, 0);
        bench.bus().tick(bench.duration());
        bench.golden().finish(bench.duration());
        bench.check_read(reg::kResultCost);
      }
      if (!bench.differences().empty()) return;
    }
  }
}

TEST_F(Sched, RandomDecisions) {
  const char* number = std::getenv("PLATTER_RTL_DECISIONS");
  bench.run_random(number ? static_cast<unsigned>(std::strtoul(number, nullptr, 10)) : 20000);
}

}  // namespace
}  // namespace platter::testing
