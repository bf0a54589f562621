// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platter/core/sc_time.h"
#include "platter/drive/register_client.h"
#include "platter/front/ahci/ata_device.h"

namespace platter::ahci {

/// Controls a device's drive by the drive's registers.
class DriveControl : public drive::RegisterClient, public DriveControlIf {
 public:
  using RegisterClient::RegisterClient;

  void set_write_cache(bool on) override { switch_cache(drive::reg::kCacheWriteBack, on); }
  void set_read_ahead(bool on) override { switch_cache(drive::reg::kCacheReadAhead, on); }

  void set_power(PowerMode mode) override {
    idle_ = mode == PowerMode::Idle;
    write(drive::reg::kSpindle, mode == PowerMode::Standby ? 0 : 1);
  }
  PowerMode power() override {
    if ((read(drive::reg::kSpindle) & drive::reg::kSpindleTurns) == 0) return PowerMode::Standby;
    return idle_ ? PowerMode::Idle : PowerMode::Active;
  }
  /// An access ends the idle mode.
  void busy() { idle_ = false; }

  AtaCounters counters() override {
    AtaCounters c;
    c.reads = sum(drive::reg::kReads);
    c.writes = sum(drive::reg::kWrites);
    c.read_bytes = sum(drive::reg::kReadBytes);
    c.written_bytes = sum(drive::reg::kWrittenBytes);
    c.failed = sum(drive::reg::kFailed);
    c.pending = errors(drive::reg::ErrorCounter::Pending);
    c.reallocated = errors(drive::reg::ErrorCounter::Reallocated);
    c.reallocations = errors(drive::reg::ErrorCounter::Reallocations);
    c.uncorrectable = errors(drive::reg::ErrorCounter::Uncorrectable) + errors(drive::reg::ErrorCounter::WriteErrors);
    c.timeouts = errors(drive::reg::ErrorCounter::Timeouts);
    c.power_on_s = static_cast<std::uint64_t>(core::now_ps() / core::kPicosecondsPerSecond);
    c.power_cycles = read(drive::reg::kFailures) + 1;
    c.spin_ups = read(drive::reg::kStarts);
    return c;
  }

  void set_recovery_limit(bool write, std::uint32_t milliseconds) override {
    RegisterClient::write(write ? drive::reg::kWriteRecovery : drive::reg::kReadRecovery, milliseconds);
  }
  std::uint32_t recovery_limit(bool write) override {
    return read(write ? drive::reg::kWriteRecovery : drive::reg::kReadRecovery);
  }
  drive::DurationStatistics durations() override { return RegisterClient::durations(); }
  void start_test(bool extended) override {
    write(drive::reg::kSelfTest, extended ? drive::reg::kSelfTestLong : drive::reg::kSelfTestShort);
  }
  void stop_test() override { write(drive::reg::kSelfTest, 0); }
  SelfTest test() override {
    const std::uint32_t state = read(drive::reg::kSelfTest);
    SelfTest test;
    test.status = static_cast<std::uint8_t>(state & drive::reg::kSelfTestState);
    test.left = static_cast<std::uint8_t>(state >> drive::reg::kSelfTestLeft & 0xF);
    test.extended = (state & drive::reg::kSelfTestExtended) != 0;
    test.lba = counter(drive::reg::kSelfTestBlock);
    test.extended_s = counter(drive::reg::kSelfTestTime);
    return test;
  }

  const zones::Zones* zones() const override { return zones_; }
  void bind_zones(const zones::Zones* zones) { zones_ = zones; }

 private:
  bool idle_ = false;
  const zones::Zones* zones_ = nullptr;
};

}  // namespace platter::ahci
