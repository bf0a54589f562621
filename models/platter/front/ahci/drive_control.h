// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <cstdint>
#include <systemc>
#include <tlm>

#include "platter/core/sc_time.h"
#include "platter/drive/register_map.h"
#include "platter/front/ahci/ata_device.h"

namespace platter::ahci {

/// Controls a device's drive by the drive's registers.
class DriveControl : public sc_core::sc_module, public DriveControlIf {
 public:
  using Socket = tlm_utils::simple_initiator_socket<DriveControl>;
  explicit DriveControl(const sc_core::sc_module_name& name) : sc_module(name), register_init_socket("register_init_socket") {}

  Socket register_init_socket;

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
    for (std::size_t i = 0; i < core::kRequestClasses; ++i) {
      const auto of = [&](std::uint32_t offset) {
        return counter(drive::reg::counter(static_cast<core::RequestClass>(i), offset));
      };
      c.reads += of(drive::reg::kReads);
      c.writes += of(drive::reg::kWrites);
      c.read_bytes += of(drive::reg::kReadBytes);
      c.written_bytes += of(drive::reg::kWrittenBytes);
      c.failed += of(drive::reg::kFailed);
    }
    const auto errors = [&](drive::reg::ErrorCounter of) { return counter(drive::reg::counter(of)); };
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
    DriveControl::write(write ? drive::reg::kWriteRecovery : drive::reg::kReadRecovery, milliseconds);
  }
  std::uint32_t recovery_limit(bool write) override {
    return read(write ? drive::reg::kWriteRecovery : drive::reg::kReadRecovery);
  }
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

  /// Aborts a command. Returns false if there is no such command, or if it is too late.
  bool abort(std::uint32_t tag) { return write(drive::reg::kAbort, tag); }

 private:
  std::uint32_t read(std::uint32_t address) {
    std::uint32_t value = 0;
    drive::access_register(register_init_socket, tlm::TLM_READ_COMMAND, address, value);
    return value;
  }
  bool write(std::uint32_t address, std::uint32_t value) {
    return drive::access_register(register_init_socket, tlm::TLM_WRITE_COMMAND, address, value) == tlm::TLM_OK_RESPONSE;
  }
  std::uint64_t counter(std::uint32_t address) {
    const std::uint32_t low = read(address);
    return std::uint64_t{read(address + 4)} << 32 | low;
  }
  void switch_cache(std::uint32_t bit, bool on) {
    const std::uint32_t now = read(drive::reg::kCache);
    write(drive::reg::kCache, on ? now | bit : now & ~bit);
  }

  bool idle_ = false;
};

}  // namespace platter::ahci
