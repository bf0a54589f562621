// SPDX-License-Identifier: Apache-2.0
//
// Losses of power of a drive that runs: what it loses, what it keeps, and when it accepts commands again.
#include <functional>
#include <optional>
#include <vector>

#include "platter/drive/power_supply.h"
#include "testing.h"

namespace platter::testing {
namespace {

using profile::DriveProfile;
using profile::WriteBack;

DriveProfile power_profile(WriteBack write_back) {
  DriveProfile profile = write_back == WriteBack::Off ? toy_profile() : cached_toy_profile(write_back);
  profile.spin_up_s = 3;
  profile.power_loss.ready_s = 0.25;
  return profile;
}

constexpr Picoseconds kStart = 3'250 * kMs;

class PowerLossOfACache : public ::testing::TestWithParam<profile::LostCache> {};

/// Writes are answered from the buffer. Before they are on the media the power fails.
TEST_P(PowerLossOfACache, LosesOrSavesWhatOnlyTheBufferHas) {
  DriveProfile profile = power_profile(WriteBack::Interleaved);
  profile.power_loss.cache = GetParam();
  const auto disk = make_drive("disk", "FCFS", "firmware", profile);
  const bool saved = GetParam() == profile::LostCache::Saved;
  Script script("script", *disk, [&](Script& s) {
    Transaction t(nullptr);
    s.access(t, true, 64, 8, 0x11);
    t.set_flush();
    s.transport(t);
    t.extension.flush = false;
    s.access(t, true, 64, 8, 0x22);
    ASSERT_TRUE(disk->segments()->any_dirty());
    disk->cut_power();
    s.pause(10 * kMs);
    t.set(false, 64, 8);
    s.transport(t);
    EXPECT_EQ(t.extension.status, CommandStatus::DriveFailed);
    disk->restore_power();
    const Picoseconds back = core::now_ps();
    s.access(t, false, 64, 8);
    EXPECT_GE(core::now_ps(), back + kStart);
    EXPECT_EQ(t.data[0], saved ? 0x22 : 0x11);
    EXPECT_EQ(t.data[8 * 512 - 1], saved ? 0x22 : 0x11);
    EXPECT_FALSE(disk->segments()->any_dirty());
    EXPECT_EQ(disk->power().losses(), 1u);
    for (const bool fails : {false, true}) {  // a restart of the firmware, and a failure of the electronics
      const std::uint8_t fill = fails ? 0x44 : 0x33;
      const std::uint8_t before = t.data[0];
      s.access(t, true, 64, 8, fill);
      ASSERT_TRUE(disk->segments()->any_dirty());
      if (!fails) disk->restart(0);
      disk->set_alive(!fails);
      disk->set_alive(true);
      s.access(t, false, 64, 8);
      EXPECT_EQ(t.data[0], saved ? fill : before);
    }
  });
  script.run_to_end(10'000 * kMs);
}

INSTANTIATE_TEST_SUITE_P(Both, PowerLossOfACache, ::testing::Values(profile::LostCache::Volatile, profile::LostCache::Saved),
                         [](const auto& test) {
                           return std::string(test.param == profile::LostCache::Saved ? "saved" : "volatile");
                         });

/// What a loss of power puts on the media heals bad blocks and goes through silent faults, as any write.
TEST(PowerLossAndFaults, WhatItPutsOnTheMediaIsWritten) {
  DriveProfile profile = power_profile(WriteBack::Interleaved);
  profile.power_loss.cache = profile::LostCache::Saved;
  const auto cached = make_drive("cached", "FCFS", "firmware", profile);
  const auto plain = make_drive("plain", "FCFS", "firmware", power_profile(WriteBack::Off));
  media::Fault fault;
  fault.first = 10;
  fault.blocks = 30;
  media::Fault stale;
  stale.kind = media::FaultKind::SilentStale;
  stale.first = 11;
  stale.count = 1;
  for (drive::Drive* disk : {cached.get(), plain.get()})
    for (const media::Fault& each : {fault, stale}) disk->add_fault(each);
  const auto body = [](drive::Drive& disk, Script& s, const std::function<void(Transaction&)>& write, bool whole) {
    Transaction t(nullptr);
    t.set(false, 10, 1);
    s.transport(t);
    EXPECT_EQ(disk.media_errors().pending, 1u);
    write(t);
    while (!disk.power_loss_image().defects.pending.empty()) s.pause(50 * kUs);
    EXPECT_EQ(disk.media_errors().pending, 1u) << "an image changes nothing";
    s.pause(whole ? 0 : 500 * kUs);
    disk.cut_power();
    EXPECT_EQ(disk.media_errors().pending, 0u);
    disk.restore_power();
    s.access(t, false, 10, 2);
    EXPECT_EQ(t.data[0], 0x22);
    EXPECT_EQ(t.data[512], 0x00) << "this block's write was lost";
    EXPECT_EQ(disk.media_errors().silent_writes, 1u);
    t.set(false, 39, 1);
    s.transport(t);
    EXPECT_EQ(t.extension.status, whole ? CommandStatus::Good : CommandStatus::Unreadable);
  };
  AtHost host("host", *plain);
  Script one("one", *cached,
             [&](Script& s) { body(*cached, s, [&s](Transaction& t) { s.access(t, true, 10, 30, 0x22); }, true); });
  Script two("two", *plain, [&](Script& s) { body(*plain, s, [&](Transaction&) { host.submit(true, 10, 30, 0x22); }, false); });
  run_until(50'000 * kMs);
  EXPECT_TRUE(one.done() && two.done());
}

class PowerLossInAWrite : public ::testing::TestWithParam<const char*> {};

/// The power fails in the middle of a write of 40 blocks, at one instant after another.
TEST_P(PowerLossInAWrite, CutsItWithinASector) {
  const std::string rule = GetParam();
  DriveProfile profile = power_profile(WriteBack::Off);
  if (rule == "mixed") profile.power_loss.torn_sector = profile::TornSector::Mixed;
  if (rule == "saved") profile.power_loss.cache = profile::LostCache::Saved;
  const auto disk = make_drive("disk", "FCFS", "firmware", profile);
  AtHost host("host", *disk);
  std::uint64_t torn = 0, mixed = 0, whole = 0;
  bool go_on = true;
  Script script("script", *disk, [&](Script& s) {
    Transaction t(nullptr);
    for (std::uint32_t i = 0; i < 60; ++i) {
      s.access(t, true, 10, 40, 0x11);
      host.submit(true, 10, 40, 0x22);
      s.pause((5 + 13 * i % 120) * 100 * kUs + i * 7 * kUs);
      disk->cut_power();
      s.pause(1 * kMs);
      disk->restore_power();
      std::uint64_t fresh = 0, bad = 0, both = 0;
      for (std::uint64_t b = 10; b < 50; ++b) {
        t.set(false, b, 1);
        s.transport(t);
        if (t.extension.status == CommandStatus::Unreadable) {
          EXPECT_EQ(fresh, b - 10);
          EXPECT_EQ(t.extension.first_bad, b);
          ++bad;
          continue;
        }
        ASSERT_EQ(t.extension.status, CommandStatus::Good);
        if (t.data.front() == t.data.back()) {
          ASSERT_TRUE(t.data[0] == 0x22 || t.data[0] == 0x11);
          if (t.data[0] == 0x22) {
            EXPECT_EQ(fresh + bad, b - 10) << "a write goes from the front to the back";
            ++fresh;
          }
          continue;
        }
        EXPECT_EQ(t.data.front(), 0x22);
        EXPECT_EQ(t.data.back(), 0x11);
        EXPECT_EQ(fresh, b - 10);
        ++both;
      }
      EXPECT_LE(bad + both, 1u);
      EXPECT_EQ(rule == "unreadable" ? both : rule == "mixed" ? bad : bad + both, 0u);
      torn += bad;
      mixed += both;
      if (fresh > 0 && fresh < 40) ++whole;
    }
    go_on = false;
  });
  while (go_on && !script.done()) run_until(core::now_ps() + 10'000 * kMs);
  EXPECT_EQ(torn > 3, rule == "unreadable") << torn;
  EXPECT_EQ(mixed > 3, rule == "mixed") << mixed;
  EXPECT_TRUE(rule == "unreadable" || torn == 0) << torn;
  EXPECT_TRUE(rule == "mixed" || mixed == 0) << mixed;
  EXPECT_GT(whole, 3u);
}

INSTANTIATE_TEST_SUITE_P(Rules, PowerLossInAWrite, ::testing::Values("unreadable", "mixed", "saved"),
                         [](const auto& test) { return std::string(test.param); });

/// The register cuts the power and gives it back. A command that comes meanwhile waits for the drive to be ready.
TEST(PowerRegister, CutsAndRestores) {
  const auto disk = make_drive("disk", "FCFS", "firmware", power_profile(WriteBack::Off));
  AtHost host("host", *disk);
  Registers registers("registers", *disk);
  Script script("script", [&](Script& s) {
    EXPECT_EQ(registers.read(drive::reg::kPower), drive::reg::kPowerOn | drive::reg::kPowerReady);
    registers.write(drive::reg::kPower, 0);
    EXPECT_EQ(registers.read(drive::reg::kPower), 0u);
    EXPECT_EQ(registers.read(drive::reg::kState), 0u);
    s.pause(1 * kMs);
    registers.write(drive::reg::kPower, 1);
    EXPECT_EQ(registers.read(drive::reg::kPower), drive::reg::kPowerOn);
    EXPECT_EQ(registers.read(drive::reg::kState), drive::reg::kStateAlive);
    host.submit(false, 0, 1);
    const Picoseconds back = core::now_ps();
    s.pause_until(back + kStart - 1);
    EXPECT_TRUE(host.requesting()) << "its request phase is held";
    s.pause(2);
    EXPECT_FALSE(host.requesting());
    EXPECT_EQ(registers.read(drive::reg::kPower), drive::reg::kPowerOn | drive::reg::kPowerReady);
    EXPECT_EQ(registers.read(drive::reg::kPowerLosses), 1u);
    EXPECT_EQ(registers.read(drive::reg::kFailures), 1u);
    EXPECT_EQ(registers.read(drive::reg::kStarts), 2u);
    // Cut again while it starts.
    registers.write(drive::reg::kPower, 0);
    registers.write(drive::reg::kPower, 1);
    s.pause(1'000 * kMs);
    registers.write(drive::reg::kPower, 0);
    s.pause(5'000 * kMs);
    EXPECT_EQ(registers.read(drive::reg::kPower), 0u);
    registers.write(drive::reg::kPower, 1);
    s.pause(kStart - 1);
    EXPECT_EQ(registers.read(drive::reg::kPower), drive::reg::kPowerOn);
    s.pause(2);
    EXPECT_EQ(registers.read(drive::reg::kPower), drive::reg::kPowerOn | drive::reg::kPowerReady);
  });
  script.run_to_end(20'000 * kMs);
  EXPECT_EQ(host.finished(), 1u);
}

/// Registers do nothing on a drive that does not work. A self-test that is asked for while it starts begins when it is ready.
TEST(PowerRegister, ADriveThatDoesNotWorkStartsNothing) {
  const auto disk = make_drive("disk", "FCFS", "firmware", power_profile(WriteBack::Off));
  Registers registers("registers", *disk);
  Script script("script", *disk, [&](Script& s) {
    for (int i = 0; i < 3; ++i) registers.write(drive::reg::kSpindle, 0);
    for (const std::uint32_t working : {drive::reg::kState, drive::reg::kPower}) {
      registers.write(working, 0);
      registers.write(drive::reg::kSpindle, drive::reg::kSpindleTurns);
      registers.write(drive::reg::kSelfTest, drive::reg::kSelfTestShort);
      s.pause(5'000 * kMs);
      EXPECT_EQ(registers.read(drive::reg::kSpindle), 0u);
      EXPECT_EQ(registers.read(drive::reg::kStarts), 1u);
      EXPECT_EQ(registers.read(drive::reg::kSelfTest), drive::reg::kSelfTestGood) << "none was started";
      registers.write(working, 1);
    }
    registers.write(drive::reg::kSelfTest, drive::reg::kSelfTestShort);
    s.pause(kStart - 1);
    EXPECT_EQ(disk->actuator().accesses(), 0u);
    EXPECT_EQ(registers.read(drive::reg::kSelfTest) & drive::reg::kSelfTestState, drive::reg::kSelfTestRuns);
    s.pause(5'000 * kMs);
    EXPECT_EQ(disk->actuator().accesses(), 16u);
    EXPECT_EQ(registers.read(drive::reg::kSelfTest), drive::reg::kSelfTestGood);
    EXPECT_EQ(registers.read(drive::reg::kStarts), 2u);
  });
  script.run_to_end(60'000 * kMs);
}

/// A drive that fails while it starts begins its start again when it is revived.
TEST(PowerRegister, AFailureInterruptsAStart) {
  const auto disk = make_drive("disk", "FCFS", "firmware", power_profile(WriteBack::Off));
  AtHost host("host", *disk);
  run_until(1 * kMs);
  disk->cut_power();
  disk->restore_power();
  run_until(core::now_ps() + kStart / 2);
  disk->set_alive(false);
  run_until(core::now_ps() + kStart);
  disk->set_alive(true);
  EXPECT_FALSE(disk->power().ready());
  host.submit(false, 0, 1);
  run_until(core::now_ps() + 1);
  EXPECT_TRUE(host.requesting()) << "its request phase is held";
  run_until(core::now_ps() + kStart);
  EXPECT_TRUE(disk->power().ready());
  EXPECT_FALSE(host.requesting());
}

/// What a supply counts: writes or flushes that have ended, over all drives; and the time without power.
TEST(PowerSupplyTriggers, CutsAtTheNthWriteAndTheNthFlush) {
  drive::PowerSupply::Plan at_write;
  at_write.at_write = 5;
  at_write.off = 50 * kMs;
  drive::PowerSupply writes(at_write);
  drive::PowerSupply::Plan at_flush;
  at_flush.at_flush = 2;
  drive::PowerSupply flushes(at_flush);
  drive::PowerSupply::Plan at_time;
  at_time.at = 7'000 * kMs;
  at_time.off = 1 * kMs;
  drive::PowerSupply times(at_time);
  const auto first = make_drive("first", "FCFS", "firmware", power_profile(WriteBack::Off));
  const auto second = make_drive("second", "FCFS", "firmware", power_profile(WriteBack::Off));
  const auto third = make_drive("third", "FCFS", "firmware", power_profile(WriteBack::Off));
  first->connect(writes);
  second->connect(writes);
  third->connect(flushes);
  AtHost idle("idle");
  const auto fourth = make_drive("fourth", "FCFS", "firmware", power_profile(WriteBack::Off));
  fourth->connect(times);
  idle.disk_init_socket.bind(fourth->host_tgt_socket);
  Script one("one", *first, [&](Script& s) {
    Transaction t(nullptr);
    for (int i = 0; i < 4; ++i) s.access(t, true, 0, 1, 1);
    s.access(t, false, 0, 1);
    EXPECT_TRUE(first->power().alive());
  });
  Script two("two", *second, [&](Script& s) {
    s.pause(500 * kMs);
    Transaction t(nullptr);
    s.access(t, true, 0, 1, 1);
    s.pause(1);
    EXPECT_FALSE(first->power().on());
    EXPECT_FALSE(second->power().on());
    s.pause(50 * kMs);
    EXPECT_TRUE(first->power().on());
    EXPECT_TRUE(second->power().on());
    s.access(t, false, 0, 1);
    EXPECT_EQ(t.data[0], 1) << "it was answered, and there is no write cache";
  });
  Script three("three", *third, [&](Script& s) {
    Transaction t(nullptr);
    t.set_flush();
    s.transport(t);
    EXPECT_TRUE(third->power().on());
    s.transport(t);
    EXPECT_EQ(t.extension.status, CommandStatus::Good) << "the flush that counts has its answer";
    s.pause(1);
    EXPECT_FALSE(third->power().on());
  });
  run_until(6'999 * kMs);
  EXPECT_TRUE(one.done() && two.done() && three.done());
  EXPECT_TRUE(fourth->power().on());
  run_until(7'000 * kMs + 1);
  EXPECT_FALSE(fourth->power().on());
  run_until(7'002 * kMs);
  EXPECT_TRUE(fourth->power().on());
  EXPECT_EQ(times.losses(), 1u);
}

}  // namespace
}  // namespace platter::testing
