// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>
#include <tlm>

#include "platter/core/types.h"

namespace platter::drive {

/// Offsets of a drive's registers, in bytes; docs/reference/drive_registers.md has the meanings.
namespace reg {

/// @{
/// Offset of a register in bytes, or a value or a bit of it; docs/reference/drive_registers.md has the meanings.
inline constexpr std::uint32_t kBytes = 0x1000;
inline constexpr std::uint32_t kId = 0x000;
inline constexpr std::uint32_t kIdValue = 0x504C4452;  // "PLDR"
inline constexpr std::uint32_t kVersion = 0x004;
inline constexpr std::uint32_t kVersionValue = 0x0001'0005;
inline constexpr std::uint32_t kState = 0x008;
inline constexpr std::uint32_t kStateAlive = 1;
inline constexpr std::uint32_t kDepth = 0x00C;
inline constexpr std::uint32_t kOutstanding = 0x010;
inline constexpr std::uint32_t kInLine = 0x014;
inline constexpr std::uint32_t kFailures = 0x018;
inline constexpr std::uint32_t kTokenRate = 0x020;
inline constexpr std::uint32_t kTokenDepth = 0x024;
inline constexpr std::uint32_t kTokenLevel = 0x028;
inline constexpr std::uint32_t kBusyLow = 0x030;  // 64 bits, as the following: the upper half comes next
inline constexpr std::uint32_t kBudgetInterval = 0x040;
inline constexpr std::uint32_t kSlack = 0x048;
inline constexpr std::uint32_t kSweep = 0x050;
inline constexpr std::uint32_t kCache = 0x060;
inline constexpr std::uint32_t kCacheWriteBack = 1;
inline constexpr std::uint32_t kCacheReadAhead = 2;
inline constexpr std::uint32_t kSpindle = 0x064;
inline constexpr std::uint32_t kSpindleTurns = 1;
inline constexpr std::uint32_t kStarts = 0x068;
inline constexpr std::uint32_t kAbort = 0x06C;
/// Most time of a command's recovery in ms; 0: no limit. Of reads and of writes.
inline constexpr std::uint32_t kReadRecovery = 0x074;
inline constexpr std::uint32_t kWriteRecovery = 0x078;
/// Written: 1 starts the short self-test, 2 the extended one, 0 ends it. Read: state, tenths that are left, and which of them; the block of its
/// first error, and the time of an extended one in seconds, are further registers.
inline constexpr std::uint32_t kSelfTest = 0x07C;
inline constexpr std::uint32_t kSelfTestGood = 0;
inline constexpr std::uint32_t kSelfTestAborted = 1;
inline constexpr std::uint32_t kSelfTestReadFailed = 7;
inline constexpr std::uint32_t kSelfTestRuns = 15;
inline constexpr std::uint32_t kSelfTestState = 0xFF;  // of the bits
inline constexpr std::uint32_t kSelfTestLeft = 8;      // first bit of the tenths
inline constexpr std::uint32_t kSelfTestExtended = 1u << 16;
inline constexpr std::uint32_t kSelfTestShort = 1;  // written
inline constexpr std::uint32_t kSelfTestLong = 2;
inline constexpr std::uint32_t kSelfTestBlock = 0x2F0;  // 64 bits
inline constexpr std::uint32_t kSelfTestTime = 0x2F8;   // 64 bits
inline constexpr std::uint32_t kPower = 0x080;
inline constexpr std::uint32_t kPowerOn = 1;
inline constexpr std::uint32_t kPowerReady = 2;
inline constexpr std::uint32_t kPowerLosses = 0x084;
/// One block of 64-bit counters for each class, in the order of core::RequestClass.
inline constexpr std::uint32_t kClasses = 0x100;
inline constexpr std::uint32_t kClassStride = 0x040;
inline constexpr std::uint32_t kReads = 0x00;
inline constexpr std::uint32_t kWrites = 0x08;
inline constexpr std::uint32_t kReadBytes = 0x10;
inline constexpr std::uint32_t kWrittenBytes = 0x18;
inline constexpr std::uint32_t kLate = 0x20;
inline constexpr std::uint32_t kFailed = 0x28;

/// One block of 64-bit disk-time registers for each class.
inline constexpr std::uint32_t kBudgets = 0x200;
inline constexpr std::uint32_t kBudget = 0x00;
inline constexpr std::uint32_t kUsed = 0x08;
inline constexpr std::uint32_t kReassigned = 0x10;
inline constexpr std::uint32_t kDiskTime = 0x18;

/// 64-bit counters of errors, in the order of ErrorCounter.
inline constexpr std::uint32_t kErrors = 0x300;
/// @}

/// The counters of errors; docs/reference/reliability.md has the meanings.
enum class ErrorCounter : std::uint8_t {
  Pending,         ///< physical sectors that could not be read, and have not been written since
  Reallocated,     ///< physical sectors that are on a spare now
  Reallocations,   ///< attempts to reallocate one
  Uncorrectable,   ///< commands and internal reads that ended with an unreadable block
  WriteErrors,     ///< writes that could not be put on the media
  Timeouts,        ///< commands that were never answered and have been aborted or reset
  Retried,         ///< accesses that needed recovery
  RetryTurns,      ///< turns that recovery took, begun ones included
  Recovered,       ///< accesses that recovery saved
  ScrubbedBlocks,  ///< blocks that scrubbing and self-tests have read
  ScrubErrors,     ///< of the physical sectors pending, those that scrubbing or a self-test found
  LinkDrops,       ///< losses of the link
  Resets,          ///< restarts of the firmware
};
inline constexpr std::uint32_t kErrorCounters = 13;  ///< how many there are
/// Offset of a counter of errors.
constexpr std::uint32_t counter(ErrorCounter of) { return kErrors + 8 * static_cast<std::uint32_t>(of); }

/// 64-bit counters of duration limits: blocks by direction (reads first) and number of the descriptor, each with the fields of DurationCounters.
inline constexpr std::uint32_t kDurations = 0x400;
inline constexpr std::uint32_t kDurationFields = 8;   ///< counters of a descriptor
inline constexpr std::uint32_t kDurationNumbers = 8;  ///< descriptors of a direction, number 0 included
/// Offset of a counter of duration limits; `field`: its place in DurationCounters.
constexpr std::uint32_t duration_counter(bool write, std::uint32_t number, std::uint32_t field) {
  return kDurations + 8 * (((write ? kDurationNumbers : 0) + number) * kDurationFields + field);
}

/// Offset of a counter of `cls`.
constexpr std::uint32_t counter(core::RequestClass cls, std::uint32_t offset) {
  return kClasses + kClassStride * static_cast<std::uint32_t>(cls) + offset;
}
/// Offset of a disk-time register of `cls`.
constexpr std::uint32_t disk_time(core::RequestClass cls, std::uint32_t offset) {
  return kBudgets + kClassStride * static_cast<std::uint32_t>(cls) + offset;
}

}  // namespace reg

/// Makes one register access over TLM: writes `data`, or reads into it. Returns the response status of the transaction.
template <typename Socket>
tlm::tlm_response_status access_register(Socket& socket, tlm::tlm_command command, std::uint32_t address, std::uint32_t& data) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&data));
  payload.set_data_length(sizeof data);
  payload.set_streaming_width(sizeof data);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  socket->b_transport(payload, delay);
  return payload.get_response_status();
}

}  // namespace platter::drive
