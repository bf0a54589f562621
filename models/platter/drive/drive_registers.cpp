// SPDX-License-Identifier: Apache-2.0
#include "platter/drive/drive_registers.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "platter/core/sc_time.h"
#include "platter/scheduling/class_budgets.h"

namespace platter::drive {

using core::now_ps;

DriveRegisters::DriveRegisters(const sc_core::sc_module_name& name, HostPort& port, Power& power, const HazardQueue& queue,
                               Controller& controller, Spindle& spindle, const engine::EngineIf& engine, core::LocalTime* local)
    : sc_module(name),
      registers_("register_tgt_socket", *this, {reg::kBytes}, command::RegisterTime::Kernel),
      register_tgt_socket(registers_.socket),
      port_(port),
      power_(power),
      queue_(queue),
      controller_(controller),
      spindle_(spindle),
      engine_(engine),
      local_(local) {}

std::optional<std::uint64_t> DriveRegisters::counter(std::uint64_t address) const {
  if (address == reg::kBusyLow) return static_cast<std::uint64_t>(controller_.busy(now_ps()));
  if (address == reg::kSelfTestBlock) return controller_.scrubber().test_block();
  if (address == reg::kSelfTestTime)
    return static_cast<std::uint64_t>(controller_.scrubber().extended_time() / core::kPicosecondsPerSecond);
  if (address >= reg::kDurations) return duration(address);
  if (address >= reg::kErrors) return errors(address);
  if (address < reg::kClasses || address >= reg::kClasses + reg::kClassStride * core::kRequestClasses) return budget(address);
  const std::uint64_t offset = address - reg::kClasses;
  const PortCounters& counters = port_.counters(static_cast<core::RequestClass>(offset / reg::kClassStride));
  switch (offset % reg::kClassStride) {
    case reg::kReads: return counters.reads;
    case reg::kWrites: return counters.writes;
    case reg::kReadBytes: return counters.read_bytes;
    case reg::kWrittenBytes: return counters.written_bytes;
    case reg::kLate: return counters.late;
    case reg::kFailed: return counters.failed;
    default: return std::nullopt;
  }
}

std::optional<std::uint64_t> DriveRegisters::errors(std::uint64_t address) const {
  const std::uint64_t number = (address - reg::kErrors) / 8;
  if (number >= reg::kErrorCounters || address % 8 != 0) return std::nullopt;
  const media::MediaErrors& e = controller_.recovery().errors();
  switch (static_cast<reg::ErrorCounter>(number)) {
    case reg::ErrorCounter::Pending: return e.pending;
    case reg::ErrorCounter::Reallocated: return e.reallocated;
    case reg::ErrorCounter::Reallocations: return e.reallocations;
    case reg::ErrorCounter::Uncorrectable: return e.uncorrectable;
    case reg::ErrorCounter::WriteErrors: return e.write_errors;
    case reg::ErrorCounter::Timeouts: return e.timeouts;
    case reg::ErrorCounter::Retried: return e.retried;
    case reg::ErrorCounter::RetryTurns: return e.retry_turns;
    case reg::ErrorCounter::Recovered: return e.recovered;
    case reg::ErrorCounter::ScrubbedBlocks: return e.scrubbed_blocks;
    case reg::ErrorCounter::ScrubErrors: return e.scrub_errors;
    case reg::ErrorCounter::LinkDrops: return e.link_drops;
    case reg::ErrorCounter::Resets: return e.resets;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> DriveRegisters::duration(std::uint64_t address) const {
  const std::uint64_t place = (address - reg::kDurations) / 8;
  const std::uint64_t block = place / reg::kDurationFields;
  if (address % 8 != 0 || block >= std::uint64_t{2} * reg::kDurationNumbers) return std::nullopt;
  const DurationCounters& c =
      controller_.durations().statistics().of[block / reg::kDurationNumbers][block % reg::kDurationNumbers];
  const std::uint64_t fields[] = {c.commands,    c.inactive_missed, c.active_missed, c.guideline_missed,
                                  c.in_recovery, c.aborted,         c.unavailable};
  const std::uint64_t field = place % reg::kDurationFields;
  return field < std::size(fields) ? std::optional(fields[field]) : std::nullopt;
}

std::optional<std::uint64_t> DriveRegisters::budget(std::uint64_t address) const {
  const scheduling::ClassBudgets* budgets = engine_.class_budgets();
  const auto value = [budgets](auto of) { return budgets != nullptr ? static_cast<std::uint64_t>(of(*budgets)) : 0; };
  using Budgets = scheduling::ClassBudgets;
  switch (address) {
    case reg::kBudgetInterval: return value([](const Budgets& b) { return b.interval(); });
    case reg::kSlack: return value([](const Budgets& b) { return b.slack; });
    case reg::kSweep: return value([](const Budgets& b) { return b.sweep; });
    default: break;
  }
  if (address < reg::kBudgets || address >= reg::kBudgets + reg::kClassStride * core::kRequestClasses) return std::nullopt;
  const std::uint64_t offset = address - reg::kBudgets;
  const auto cls = static_cast<core::RequestClass>(offset / reg::kClassStride);
  switch (offset % reg::kClassStride) {
    case reg::kBudget: return value([cls](const Budgets& b) { return b.budget(cls); });
    case reg::kUsed: return value([cls](const Budgets& b) { return b.used(cls, now_ps()); });
    case reg::kReassigned: return value([cls](const Budgets& b) { return b.reassigned(cls, now_ps()); });
    case reg::kDiskTime: return value([cls](const Budgets& b) { return b.total(cls); });
    default: return std::nullopt;
  }
}

std::uint32_t DriveRegisters::cache_switches() const {
  const CacheManager* const cache = std::as_const(controller_).cache();
  if (cache == nullptr) return 0;
  return (cache->write_back() ? reg::kCacheWriteBack : 0) | (cache->reads_ahead() ? reg::kCacheReadAhead : 0);
}

std::uint32_t DriveRegisters::self_test() const {
  const Scrubber& scrubber = std::as_const(controller_).scrubber();
  return self_test_state() | scrubber.test_left() << reg::kSelfTestLeft | (scrubber.extended() ? reg::kSelfTestExtended : 0);
}

std::uint32_t DriveRegisters::self_test_state() const {
  switch (std::as_const(controller_).scrubber().test()) {
    case Scrubber::Test::None:
    case Scrubber::Test::Good: return reg::kSelfTestGood;
    case Scrubber::Test::Runs: return reg::kSelfTestRuns;
    case Scrubber::Test::Aborted: return reg::kSelfTestAborted;
    case Scrubber::Test::ReadFailed: return reg::kSelfTestReadFailed;
  }
  return reg::kSelfTestGood;
}

bool DriveRegisters::read(std::uint64_t address, std::uint32_t& data) const {
  switch (address) {
    case reg::kId: data = reg::kIdValue; return true;
    case reg::kVersion: data = reg::kVersionValue; return true;
    case reg::kState: data = power_.alive() ? reg::kStateAlive : 0; return true;
    case reg::kDepth: data = queue_.depth(); return true;
    case reg::kOutstanding: data = queue_.occupancy(); return true;
    case reg::kInLine: data = static_cast<std::uint32_t>(port_.admission().token_bucket().waiting()); return true;
    case reg::kFailures: data = power_.failures(); return true;
    case reg::kTokenRate: data = port_.admission().token_bucket().rate(); return true;
    case reg::kTokenDepth: data = port_.admission().token_bucket().depth(); return true;
    case reg::kTokenLevel:
      data = static_cast<std::uint32_t>(std::max<std::int64_t>(port_.admission().token_bucket().bytes(now_ps()), 0));
      return true;
    case reg::kCache: data = cache_switches(); return true;
    case reg::kSpindle: data = spindle_.stopped() ? 0 : reg::kSpindleTurns; return true;
    case reg::kStarts: data = spindle_.starts(); return true;
    case reg::kAbort: data = 0; return true;
    case reg::kSelfTest: data = self_test(); return true;
    case reg::kReadRecovery:
    case reg::kWriteRecovery:
      data = static_cast<std::uint32_t>(controller_.recovery().limit(address == reg::kWriteRecovery) /
                                        core::kPicosecondsPerMillisecond);
      return true;
    case reg::kPower:
      data = (power_.on() ? reg::kPowerOn : 0) | (power_.alive() && power_.ready() ? reg::kPowerReady : 0);
      return true;
    case reg::kPowerLosses: data = power_.losses(); return true;
    default: break;
  }
  const std::uint64_t low = address & ~std::uint64_t{4};
  const std::optional<std::uint64_t> value = counter(low);
  if (!value) return false;
  if (address == low)
    data = static_cast<std::uint32_t>(*value);
  else
    data = held_address_ == address ? held_ : static_cast<std::uint32_t>(*value >> 32);
  return true;
}

tlm::tlm_response_status DriveRegisters::write(std::uint64_t address, std::uint32_t data) {
  if ((address == reg::kSpindle || address == reg::kSelfTest) && !power_.alive()) return tlm::TLM_OK_RESPONSE;
  const TokenBucket& bucket = port_.admission().token_bucket();
  switch (address) {
    case reg::kState: power_.set_alive((data & reg::kStateAlive) != 0); return tlm::TLM_OK_RESPONSE;
    case reg::kTokenRate: port_.admission().set_token_bucket(data, bucket.depth()); return tlm::TLM_OK_RESPONSE;
    case reg::kTokenDepth: port_.admission().set_token_bucket(bucket.rate(), data); return tlm::TLM_OK_RESPONSE;
    case reg::kCache:
      for (std::size_t i = 0; i < controller_.actuators(); ++i)
        if (CacheManager* const cache = controller_.cache(i)) {
          cache->set_write_back((data & reg::kCacheWriteBack) != 0);
          cache->set_reads_ahead((data & reg::kCacheReadAhead) != 0);
        }
      return tlm::TLM_OK_RESPONSE;
    case reg::kSpindle:
      if ((data & reg::kSpindleTurns) != 0)
        spindle_.at_speed(now_ps());
      else
        controller_.stop_spindle();
      return tlm::TLM_OK_RESPONSE;
    case reg::kPower:
      if ((data & reg::kPowerOn) != 0)
        power_.restore();
      else
        power_.cut();
      return tlm::TLM_OK_RESPONSE;
    case reg::kSelfTest:
      if (data == reg::kSelfTestShort || data == reg::kSelfTestLong)
        controller_.scrubber().start_test(data == reg::kSelfTestLong);
      else
        controller_.scrubber().stop_test();
      return tlm::TLM_OK_RESPONSE;
    case reg::kReadRecovery:
    case reg::kWriteRecovery:
      for (std::size_t i = 0; i < controller_.actuators(); ++i)
        controller_.recovery(i).set_limit(address == reg::kWriteRecovery, Picoseconds{data} * core::kPicosecondsPerMillisecond);
      return tlm::TLM_OK_RESPONSE;
    case reg::kAbort:
      return data < queue_.depth() && port_.abort(core::Tag(static_cast<std::uint16_t>(data)))
                 ? tlm::TLM_OK_RESPONSE
                 : tlm::TLM_GENERIC_ERROR_RESPONSE;
    default: break;
  }
  std::uint32_t ignored = 0;
  return read(address, ignored) ? tlm::TLM_COMMAND_ERROR_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE;
}

tlm::tlm_response_status DriveRegisters::access(command::RegisterAccess& access) {
  const core::LocalTime::Scope at(local_);
  std::uint32_t word = 0;
  if (access.write) {
    std::memcpy(&word, access.data, sizeof word);
    return write(access.address, word);
  }
  if (!read(access.address, word)) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (const std::optional<std::uint64_t> value = counter(access.address)) {
    held_address_ = access.address + 4;
    held_ = static_cast<std::uint32_t>(*value >> 32);
  }
  std::memcpy(access.data, &word, sizeof word);
  return tlm::TLM_OK_RESPONSE;
}

}  // namespace platter::drive
