// SPDX-License-Identifier: Apache-2.0
//
// What an AHCI host sees of media errors, stuck commands and lost links: error logs, SMART, error recovery control, and the self-test.
#include <numeric>

#include "ahci_rig.h"

namespace platter::testing {
namespace {

using media::Fault;
using media::FaultKind;

constexpr std::uint8_t kReadLogExt = 0x2F;
constexpr std::uint32_t kSmartKey = 0xC2'4F00;

profile::DriveProfile disk_profile() {
  profile::DriveProfile p = cached_toy_profile(profile::WriteBack::Interleaved);
  p.recovery.read_ms = {12.8, 40};
  return p;
}

Fault unreadable(std::uint64_t first) {
  Fault fault;
  fault.first = first;
  return fault;
}

Frame smart(std::uint8_t subcommand, std::uint8_t log = 0, std::uint32_t count = 1) {
  return command_frame(0xB0, kSmartKey | log, count, subcommand);
}

/// Raw value of a SMART attribute; the page is in slot 0.
std::uint64_t attribute(const Computer& pc, std::uint8_t id) {
  const auto page = pc.bytes_of(0, 512);
  for (std::size_t at = 2; at < 2 + 30 * 12; at += 12) {
    if (page[at] != id) continue;
    std::uint64_t raw = 0;
    for (std::size_t i = 6; i-- > 0;) raw = raw << 8 | page[at + 5 + i];
    return raw;
  }
  ADD_FAILURE() << "there is no attribute " << int{id};
  return 0;
}

TEST(AhciFault, AMediumErrorOfAQueuedReadIsInLog10AndTheErrorLogs) {
  StartedComputer pc(disk_profile());
  std::array<std::uint8_t, 4096> before{};
  before.fill(0x5A);
  pc.memory.put(pc.data(0), before);
  ASSERT_TRUE(pc.run(queued_frame(true, 1'000, 8, 0, true), 4096, true));  // by FUA: the buffer does not keep it
  pc.memory.put(pc.data(0), std::array<std::uint8_t, 4096>{});
  pc.drives[0]->add_fault(unreadable(1'003));
  for (const std::uint32_t slot : {0u, 1u, 2u}) pc.prepare(slot, queued_frame(false, 1'000 + 8 * slot, 8, slot), 4096, false);
  pc.issue(7, true);
  ASSERT_TRUE(pc.idle());
  EXPECT_NE(pc.port(hba::kPxIs) & hba::kTfes, 0u);
  EXPECT_NE(pc.port(hba::kSact) & 1, 0u) << "the tag with the error stays";
  const auto data = pc.bytes_of(0, 4096);
  EXPECT_EQ(data[3 * 512 - 1], 0x5A) << "a host takes the sectors before the bad one as good";
  EXPECT_EQ(data[3 * 512], 0u);
  pc.restart();
  ASSERT_TRUE(pc.run(command_frame(kReadLogExt, 0x10, 1), 512));
  const auto log = pc.bytes_of(0, 512);
  EXPECT_EQ(log[0], 0u) << "tag 0";
  EXPECT_EQ(log[3], 0x40) << "uncorrectable";
  EXPECT_EQ(log[4] | log[5] << 8, 1'003);
  EXPECT_EQ(log[14], 0x03);
  EXPECT_EQ(log[15], 0x11);
  EXPECT_TRUE(pc.run(queued_frame(false, 1'008, 8, 0), 4096)) << "the others can be read";
  EXPECT_TRUE(pc.run(queued_frame(false, 1'000, 3, 0), 1536));
  ASSERT_TRUE(pc.run(smart(0xD5, 0x01), 512));
  auto page = pc.bytes_of(0, 512);
  EXPECT_EQ(page[1], 1u) << "one error";
  EXPECT_EQ(page[2 + 48 + 7], 0x60) << "its command";
  EXPECT_EQ(page[2 + 60 + 1], 0x40);
  EXPECT_EQ(page[2 + 60 + 3] | page[2 + 60 + 4] << 8, 1'003);
  EXPECT_EQ(static_cast<std::uint8_t>(std::accumulate(page.begin(), page.end(), 0u)), 0u);
  ASSERT_TRUE(pc.run(command_frame(kReadLogExt, 0x03, 1), 512));
  page = pc.bytes_of(0, 512);
  EXPECT_EQ(page[2], 1u);
  EXPECT_EQ(page[4 + 72 + 12], 0x60);
  EXPECT_EQ(page[4 + 90 + 4] | page[4 + 90 + 6] << 8, 1'003);
  ASSERT_TRUE(pc.run(smart(0xD0), 512));
  EXPECT_EQ(attribute(pc, 187), 1u);
  EXPECT_EQ(attribute(pc, 197), 1u);
  EXPECT_EQ(attribute(pc, 198), 1u);
  EXPECT_EQ(attribute(pc, 5), 0u);
  pc.memory.put(pc.data(0), std::array<std::uint8_t, 4096>{});
  ASSERT_TRUE(pc.run(queued_frame(true, 1'000, 8, 0), 4096, true));
  ASSERT_TRUE(pc.run(command_frame(0xEA, 0, 0)));
  ASSERT_TRUE(pc.run(smart(0xD0), 512));
  EXPECT_EQ(attribute(pc, 197), 0u) << "written";
  EXPECT_TRUE(pc.run(queued_frame(false, 1'000, 8, 0), 4096));
}

TEST(AhciFault, ReallocationIsInSmartAndALostWriteIsToldByTheNextFlushThatIsHeard) {
  profile::DriveProfile profile = disk_profile();
  profile.recovery.spares = 1;
  StartedComputer pc(profile);
  Fault fault = unreadable(500);
  fault.kind = FaultKind::WriteFault;
  pc.drives[0]->add_fault(fault);
  ASSERT_TRUE(pc.run(queued_frame(true, 496, 8, 0), 4096, true));
  ASSERT_TRUE(pc.run(command_frame(0xEA, 0, 0)));
  ASSERT_TRUE(pc.run(smart(0xD0), 512));
  EXPECT_EQ(attribute(pc, 5), 1u);
  EXPECT_EQ(attribute(pc, 196), 1u);
  fault.first = 1'000;
  pc.drives[0]->add_fault(fault);
  Fault late;  // the flush has its result before the adapter hears of it
  late.kind = FaultKind::Late;
  late.delay = 1 * kMs;
  pc.drives[0]->add_fault(late);
  ASSERT_TRUE(pc.run(queued_frame(true, 1'000, 8, 0), 4096, true));
  const Frame flush = command_frame(0xEA, 0, 0);
  pc.prepare(0, flush, 0, false);
  pc.issue(1, false);
  while (pc.drives[0]->media_errors().lost_destages == 0) run_until(core::now_ps() + 1 * kUs);
  pc.reset_link();
  EXPECT_FALSE(pc.run(flush));
  pc.restart();
  EXPECT_TRUE(pc.run(flush)) << "it is told once";
}

TEST(AhciFault, ErrorRecoveryControlLimitsTheLadder) {
  StartedComputer pc(disk_profile());
  const auto erc = [&](std::uint16_t function, std::uint16_t selection, std::uint16_t value) {
    std::array<std::uint16_t, 256> page{};
    page[0] = 3;
    page[1] = function;
    page[2] = selection;
    page[3] = value;
    pc.memory.put(pc.data(0), page);
    return pc.run(smart(0xD6, 0xE0), 512, true);
  };
  const auto count = [&] {  // of the register FIS: the answer
    return pc.memory.get<std::uint8_t>(kReceived + 0x40 + 12) | pc.memory.get<std::uint8_t>(kReceived + 0x40 + 4) << 8;
  };
  ASSERT_TRUE(erc(2, 1, 0));
  EXPECT_EQ(count(), 0) << "no limit";
  ASSERT_TRUE(erc(1, 1, 70));
  ASSERT_TRUE(erc(1, 2, 650));
  ASSERT_TRUE(erc(2, 1, 0));
  EXPECT_EQ(count(), 70);
  ASSERT_TRUE(erc(2, 2, 0));
  EXPECT_EQ(count(), 650);
  EXPECT_FALSE(erc(3, 1, 0)) << "no such function";
  pc.restart();
  ASSERT_TRUE(erc(1, 1, 0));
  pc.drives[0]->add_fault(unreadable(1'000));
  Picoseconds begin = core::now_ps();
  EXPECT_FALSE(pc.run(queued_frame(false, 1'000, 1, 0), 512));
  const Picoseconds whole = core::now_ps() - begin;
  EXPECT_GT(whole, 40 * kMs);
  pc.restart();
  ASSERT_TRUE(pc.run(command_frame(kReadLogExt, 0x10, 1), 512));
  Frame rebuild_assist = queued_frame(false, 1'000, 1, 0);
  rebuild_assist[12] |= 1;
  begin = core::now_ps();
  EXPECT_FALSE(pc.run(rebuild_assist, 512));
  EXPECT_LT(core::now_ps() - begin, 25 * kMs) << "one turn of recovery";
  EXPECT_NE(pc.read(hba::kCap), 0u);
}

TEST(AhciFault, TheShortSelfTestFindsAPendingSector) {
  StartedComputer pc(disk_profile());
  ASSERT_TRUE(pc.run(smart(0xD4, 1, 0)));
  ASSERT_TRUE(pc.run(smart(0xD0), 512));
  EXPECT_EQ(pc.bytes_of(0, 512)[363] >> 4, 15) << "it runs";
  run_until(core::now_ps() + 60'000 * kMs);
  ASSERT_TRUE(pc.run(smart(0xD5, 0x06), 512));
  EXPECT_EQ(pc.bytes_of(0, 512)[2 + 1], 0u) << "good";
  EXPECT_EQ(pc.bytes_of(0, 512)[508], 1u);
  pc.drives[0]->add_fault(unreadable(1'000));
  EXPECT_FALSE(pc.run(command_frame(0x25, 1'000, 1), 512));
  pc.restart();
  ASSERT_TRUE(pc.run(smart(0xD4, 1, 0)));
  run_until(core::now_ps() + 60'000 * kMs);
  ASSERT_TRUE(pc.run(smart(0xD5, 0x06), 512));
  const auto log = pc.bytes_of(0, 512);
  EXPECT_EQ(log[508], 2u);
  EXPECT_EQ(log[2 + 24 + 1] >> 4, 7) << "a sector could not be read";
  EXPECT_EQ(log[2 + 24 + 5] | log[2 + 24 + 6] << 8, 1'000);
  ASSERT_TRUE(pc.run(smart(0xD0), 512));
  EXPECT_EQ(pc.bytes_of(0, 512)[363] >> 4, 7);
}

TEST(AhciFault, TheExtendedSelfTestFindsEveryBadSectorInIdleTime) {
  StartedComputer pc(disk_profile());
  pc.drives[0]->add_fault(unreadable(3'000));
  pc.drives[0]->add_fault(unreadable(12'000));
  ASSERT_TRUE(pc.run(smart(0xD0), 512));
  EXPECT_EQ(pc.bytes_of(0, 512)[373], 1u) << "minutes of an extended test";
  ASSERT_TRUE(pc.run(smart(0xD4, 2, 0)));
  std::uint8_t left = 9;
  std::uint32_t steps = 0;
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(pc.run(smart(0xD0), 512));
    const std::uint8_t status = pc.bytes_of(0, 512)[363];
    if (status >> 4 != 15) break;
    EXPECT_LE(status & 15, left);
    steps += (status & 15) < left ? 1 : 0;
    left = status & 15;
    ASSERT_TRUE(pc.run(smart(0xD5, 0x06), 512));
    EXPECT_EQ(pc.bytes_of(0, 512)[508], 1u) << "the log has it already";
    EXPECT_EQ(pc.bytes_of(0, 512)[2], 2u);
    EXPECT_EQ(pc.bytes_of(0, 512)[2 + 1] >> 4, 15);
    const Picoseconds begin = core::now_ps();
    ASSERT_TRUE(pc.run(command_frame(0x25, 100, 1), 512));
    EXPECT_LT(core::now_ps() - begin, 200 * kMs) << "a host waits at most for a piece";
    run_until(core::now_ps() + 130 * kMs);
  }
  EXPECT_GT(steps, 4u) << "the progress can be seen";
  EXPECT_EQ(pc.bytes_of(0, 512)[363], 0x70);
  ASSERT_TRUE(pc.run(smart(0xD5, 0x06), 512));
  const auto log = pc.bytes_of(0, 512);
  EXPECT_EQ(log[508], 1u);
  EXPECT_EQ(log[2], 2u);
  EXPECT_EQ(log[2 + 1], 0x70);
  EXPECT_EQ(log[2 + 5] | log[2 + 6] << 8, 3'000) << "the first of them";
  ASSERT_TRUE(pc.run(smart(0xD0), 512));
  EXPECT_EQ(attribute(pc, 0xC5), 2u) << "both are pending";
  EXPECT_EQ(pc.drives[0]->media_errors().scrubbed_blocks, kToyBlocks);
  ASSERT_TRUE(pc.run(smart(0xD4, 2, 0)));
  run_until(core::now_ps() + 300 * kMs);
  ASSERT_TRUE(pc.run(smart(0xD4, 0x7F, 0)));
  ASSERT_TRUE(pc.run(smart(0xD5, 0x06), 512));
  EXPECT_EQ(pc.bytes_of(0, 512)[508], 2u);
  EXPECT_EQ(pc.bytes_of(0, 512)[2 + 24 + 1] >> 4, 1) << "aborted by the host";
  run_until(core::now_ps() + 60'000 * kMs);
  EXPECT_LT(pc.drives[0]->media_errors().scrubbed_blocks, 2 * kToyBlocks) << "it has ended";
}

TEST(AhciFault, AStuckCommandIsWithdrawnByAReset) {
  StartedComputer pc(disk_profile());
  Fault stuck;
  stuck.kind = FaultKind::Stuck;
  stuck.count = 1;
  pc.drives[0]->add_fault(stuck);
  pc.prepare(0, queued_frame(false, 100, 8, 0), 4096, false);
  pc.issue(1, true);
  EXPECT_FALSE(pc.idle(30'000 * kMs)) << "it is never answered";
  pc.reset_link();
  EXPECT_TRUE(pc.run(queued_frame(false, 100, 8, 0), 4096)) << "the host tries again";
  ASSERT_TRUE(pc.run(smart(0xD0), 512));
  EXPECT_EQ(attribute(pc, 188), 1u);
}

TEST(AhciFault, ALostLinkStopsThePortUntilTheHostRestartsIt) {
  Computer pc("pc", disk_profile());
  pc.drives[0]->bind_link(&pc.adapter->port(0));
  Computer::settle();
  pc.start();
  Fault drop;
  drop.kind = FaultKind::LinkDrop;
  drop.at_command = 3;
  pc.drives[0]->add_fault(drop);
  for (std::uint32_t slot = 0; slot < 4; ++slot) pc.prepare(slot, queued_frame(false, 4'000 * slot, 8, slot), 4096, false);
  pc.issue(15, true);
  ASSERT_TRUE(pc.idle());
  EXPECT_NE(pc.port(hba::kPxIs) & hba::kIfs, 0u);
  EXPECT_NE(pc.port(hba::kPxIs) & hba::kPcs, 0u);
  EXPECT_NE(pc.port(hba::kSerr) & (1u << 21), 0u) << "CRC error";
  pc.reset_link();
  for (std::uint32_t slot = 0; slot < 4; ++slot) EXPECT_TRUE(pc.run(queued_frame(false, 4'000 * slot, 8, 0), 4096)) << slot;
  EXPECT_EQ(pc.drives[0]->queue().occupancy(), 0u);
}

TEST(AhciFault, ARestartOfTheFirmwareAbortsAndTheHostTriesAgain) {
  StartedComputer pc(disk_profile());
  Fault reset;
  reset.kind = FaultKind::Reset;
  reset.at_command = 2;
  reset.delay = 100 * kMs;
  pc.drives[0]->add_fault(reset);
  for (std::uint32_t slot = 0; slot < 4; ++slot) pc.prepare(slot, queued_frame(false, 4'000 * slot, 8, slot), 4096, false);
  pc.issue(15, true);
  ASSERT_TRUE(pc.idle());
  EXPECT_NE(pc.port(hba::kPxIs) & hba::kTfes, 0u);
  pc.restart();
  ASSERT_TRUE(pc.run(command_frame(kReadLogExt, 0x10, 1), 512));
  EXPECT_EQ(pc.bytes_of(0, 512)[14], 0x0B) << "aborted command";
  for (std::uint32_t slot = 0; slot < 4; ++slot) EXPECT_TRUE(pc.run(queued_frame(false, 4'000 * slot, 8, 0), 4096)) << slot;
}

}  // namespace
}  // namespace platter::testing
