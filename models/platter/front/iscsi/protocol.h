// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "platter/core/big_endian.h"

/// Constants of iSCSI (RFC 7143, 11); all numbers on the wire are big-endian.
namespace platter::iscsi {

using core::big_endian::get;
using core::big_endian::put;

inline constexpr std::size_t kHeaderBytes = 48;  ///< of a basic header segment
inline constexpr std::size_t kDigestBytes = 4;
inline constexpr std::uint32_t kNoTag = 0xFFFF'FFFF;

enum Opcode : std::uint8_t {
  kNopOut = 0x00,
  kScsiCommand = 0x01,
  kTaskManagement = 0x02,
  kLogin = 0x03,
  kText = 0x04,
  kDataOut = 0x05,
  kLogout = 0x06,
  kSnack = 0x10,
  kNopIn = 0x20,
  kScsiResponse = 0x21,
  kTaskManagementResponse = 0x22,
  kLoginResponse = 0x23,
  kTextResponse = 0x24,
  kDataIn = 0x25,
  kLogoutResponse = 0x26,
  kReadyToTransfer = 0x31,
  kAsyncMessage = 0x32,
  kReject = 0x3F,
};
inline constexpr std::uint8_t kImmediate = 0x40;  ///< of byte 0: outside of the window of CmdSN
inline constexpr std::uint8_t kFinal = 0x80;      ///< of byte 1
inline constexpr std::uint8_t kContinue = 0x40;   ///< of byte 1 of login and text: more text follows

// Flags of a SCSI command, of Data-In and of a SCSI response.
inline constexpr std::uint8_t kReads = 0x40;
inline constexpr std::uint8_t kWrites = 0x20;
inline constexpr std::uint8_t kOverflow = 0x04;
inline constexpr std::uint8_t kUnderflow = 0x02;
inline constexpr std::uint8_t kHasStatus = 0x01;

/// Reasons of a reject (11.17.1).
enum class RejectReason : std::uint8_t {
  DataDigest = 0x02,
  Snack = 0x03,
  ProtocolError = 0x04,
  NotSupported = 0x05,
  TooManyImmediate = 0x06,
  TaskInProgress = 0x07,
  InvalidField = 0x09,
};

/// Responses to a task management function (11.6.1).
enum class ManagementResponse : std::uint8_t { Complete = 0, NoTask = 1, NoUnit = 2, NoReassign = 4, NotSupported = 5 };

/// Classes and details of a login's status (11.13.5).
enum class LoginStatus : std::uint16_t {
  Success = 0x0000,
  InitiatorError = 0x0200,
  Authentication = 0x0201,
  NotFound = 0x0203,
  Version = 0x0205,
  MissingParameter = 0x0207,
  SessionType = 0x0209,
  NoSession = 0x020A,
  OutOfResources = 0x0302,
};

/// The basic header segment of a PDU that is made here.
class Header {
 public:
  Header(Opcode opcode, std::uint8_t flags) {
    bytes_[0] = opcode;
    bytes_[1] = flags;
  }
  Header& byte(std::size_t at, std::uint8_t value) {
    bytes_[at] = value;
    return *this;
  }
  template <typename Number>
  Header& set(std::size_t at, Number value) {
    put(&bytes_[at], value, sizeof value);
    return *this;
  }
  Header& lun(std::uint64_t value) { return set(8, value); }
  Header& tag(std::uint32_t value) { return set(16, value); }
  Header& transfer_tag(std::uint32_t value) { return set(20, value); }
  const std::uint8_t* data() const { return bytes_.data(); }
  std::uint8_t* data() { return bytes_.data(); }

 private:
  std::array<std::uint8_t, kHeaderBytes> bytes_{};
};

}  // namespace platter::iscsi
