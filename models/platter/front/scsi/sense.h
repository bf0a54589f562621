// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "platter/command/command.h"

namespace platter::scsi {

using command::Sense;

/// Status of a command (SAM-5, 5.3.1).
enum class Status : std::uint8_t {
  Good = 0x00,
  CheckCondition = 0x02,
  ConditionMet = 0x04,
  Busy = 0x08,
  ReservationConflict = 0x18,
  TaskSetFull = 0x28,
};

/// Sense data that the target makes itself (SPC-4, 4.5.6). That of the media is `command::sense_of`.
namespace sense {
inline constexpr Sense kNone{0x0, 0x00, 0x00};
inline constexpr Sense kRecoveredWithRetries{0x1, 0x17, 0x01};
inline constexpr Sense kRecoveredWrite{0x1, 0x0C, 0x00};
inline constexpr Sense kNotReady{0x2, 0x04, 0x00};           // cause not reportable: the drive has no power
inline constexpr Sense kBecomingReady{0x2, 0x04, 0x01};      // in process of becoming ready
inline constexpr Sense kNeedsStart{0x2, 0x04, 0x02};         // initializing command required
inline constexpr Sense kStopInProgress{0x2, 0x04, 0x1A};     // START STOP UNIT command in progress
inline constexpr Sense kUnitFailure{0x4, 0x3E, 0x01};        // logical unit failure
inline constexpr Sense kSelfTestFailed{0x4, 0x3E, 0x03};     // logical unit failed self-test
inline constexpr Sense kInvalidUnit{0x5, 0x0E, 0x03};        // invalid field in command information unit
inline constexpr Sense kListLength{0x5, 0x1A, 0x00};         // parameter list length error
inline constexpr Sense kInvalidOpcode{0x5, 0x20, 0x00};      // invalid command operation code
inline constexpr Sense kOutOfRange{0x5, 0x21, 0x00};         // logical block address out of range
inline constexpr Sense kInvalidField{0x5, 0x24, 0x00};       // invalid field in CDB
inline constexpr Sense kNoSuchUnit{0x5, 0x25, 0x00};         // logical unit not supported
inline constexpr Sense kInvalidParameter{0x5, 0x26, 0x00};   // invalid field in parameter list
inline constexpr Sense kInvalidRelease{0x5, 0x26, 0x04};     // invalid release of persistent reservation
inline constexpr Sense kSavingUnsupported{0x5, 0x39, 0x00};  // saving parameters not supported
inline constexpr Sense kInvalidMessage{0x5, 0x49, 0x00};     // invalid message error: the task attribute ACA
inline constexpr Sense kNoRegistrations{0x5, 0x55, 0x04};    // insufficient registration resources
inline constexpr Sense kPowerOn{0x6, 0x29, 0x00};            // power on, reset, or bus device reset occurred
inline constexpr Sense kBusDeviceReset{0x6, 0x29, 0x03};     // bus device reset function occurred
inline constexpr Sense kInternalReset{0x6, 0x29, 0x04};      // device internal reset
inline constexpr Sense kModeChanged{0x6, 0x2A, 0x01};        // mode parameters changed
inline constexpr Sense kReservationsPreempted{0x6, 0x2A, 0x03};
inline constexpr Sense kReservationsReleased{0x6, 0x2A, 0x04};
inline constexpr Sense kRegistrationsPreempted{0x6, 0x2A, 0x05};
inline constexpr Sense kCommandsCleared{0x6, 0x2F, 0x00};       // commands cleared by another initiator
inline constexpr Sense kWriteProtected{0x7, 0x27, 0x02};        // logical unit software write protected
inline constexpr Sense kNotEnoughUnsolicited{0xB, 0x0C, 0x0D};  // write error, not enough unsolicited data
inline constexpr Sense kDataPhase{0xB, 0x4B, 0x00};             // data phase error
inline constexpr Sense kMiscompare{0xE, 0x1D, 0x00};            // miscompare during verify operation
}  // namespace sense

/// Sense data with what it says beyond its three codes.
struct SenseData : Sense {
  /// Where the field in question is (SPC-4, 4.5.2.4.2).
  struct Field {
    bool in_cdb = true;  ///< otherwise in the parameter list
    std::uint16_t byte = 0;
    std::uint8_t bit = 8;  ///< the field's highest bit; 8: not told
  };

  SenseData() = default;
  SenseData(const Sense& codes) : Sense(codes) {}
  SenseData(const Sense& codes, std::uint64_t value) : Sense(codes), information(value) {}
  SenseData(const Sense& codes, const Field& where) : Sense(codes), field(where) {}

  std::optional<std::uint64_t> information;  ///< such as the first logical block that cannot be read
  std::optional<Field> field;
  bool deferred = false;  ///< of a command that has ended before (SPC-4, 4.5.5)
};

/// The bytes that a host gets: fixed format, or descriptor format (D_SENSE of the control mode page).
std::vector<std::uint8_t> to_bytes(const SenseData& sense, bool descriptors);

}  // namespace platter::scsi
