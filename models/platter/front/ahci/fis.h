// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace platter::ahci {

/// Frame information structures (Serial ATA 3.x, section 10.5), as a command table and the received FIS area hold them.
namespace fis {

inline constexpr std::uint8_t kToDevice = 0x27;
inline constexpr std::uint8_t kToHost = 0x34;
inline constexpr std::uint8_t kDmaSetup = 0x41;
inline constexpr std::uint8_t kPioSetup = 0x5F;
inline constexpr std::uint8_t kSetDeviceBits = 0xA1;

inline constexpr std::uint8_t kInterrupt = 1u << 6;  ///< of byte 1
inline constexpr std::uint8_t kIn = 1u << 5;         ///< of byte 1: device to host

/// Places in the received FIS area (AHCI 1.3.1, 4.2.1).
inline constexpr std::uint64_t kDmaSetupAt = 0x00;
inline constexpr std::uint64_t kPioSetupAt = 0x20;
inline constexpr std::uint64_t kToHostAt = 0x40;
inline constexpr std::uint64_t kSetDeviceBitsAt = 0x58;

}  // namespace fis

/// The fields of an ATA command.
struct RegisterFis {
  static constexpr std::size_t kBytes = 20;

  bool is_command = true;  ///< otherwise it carries device control only
  std::uint8_t command = 0;
  std::uint16_t features = 0;
  std::uint64_t lba = 0;  ///< 48 bits
  std::uint8_t device = 0;
  std::uint16_t count = 0;
  std::uint8_t icc = 0;  ///< isochronous command completion
  std::uint8_t control = 0;
  std::uint32_t auxiliary = 0;

  static constexpr std::uint8_t kSoftReset = 1u << 2;  ///< of `control`
  static constexpr std::uint8_t kLba = 1u << 6;        ///< of `device`: the address is an LBA
  static constexpr std::uint8_t kFua = 1u << 7;        ///< of `device`, in a queued command

  /// From the bytes of a FIS of type kToDevice.
  static RegisterFis parse(const std::uint8_t* b) {
    RegisterFis f;
    f.is_command = (b[1] & 0x80) != 0;
    f.command = b[2];
    f.features = static_cast<std::uint16_t>(b[3] | b[11] << 8);
    for (const std::size_t i : {10u, 9u, 8u, 6u, 5u, 4u}) f.lba = f.lba << 8 | b[i];
    f.device = b[7];
    f.count = static_cast<std::uint16_t>(b[12] | b[13] << 8);
    f.icc = b[14];
    f.control = b[15];
    for (const std::size_t i : {19u, 18u, 17u, 16u}) f.auxiliary = f.auxiliary << 8 | b[i];
    return f;
  }

  /// LBA and sectors of a command with 28-bit addresses; a count of 0 stands for 256.
  std::uint64_t lba28() const { return (lba & 0xFF'FFFF) | std::uint64_t{device & 0x0Fu} << 24; }
  std::uint32_t count28() const { return (count & 0xFF) != 0 ? count & 0xFFu : 256; }
  /// Sectors of a command with 48-bit addresses; a count of 0 stands for 65,536.
  std::uint32_t count48() const { return count != 0 ? count : 65536; }
  // A queued command has its count in the features and its tag in the count.
  std::uint32_t queued_count() const { return features != 0 ? features : 65536; }
  std::uint8_t tag() const { return static_cast<std::uint8_t>(count >> 3 & 0x1F); }
  /// Subcommand of RECEIVE FPDMA QUEUED.
  std::uint8_t subcommand() const { return static_cast<std::uint8_t>(count >> 8 & 0x1F); }
  std::uint8_t priority() const { return static_cast<std::uint8_t>(count >> 14); }
};

/// The shadow registers that the device reports at the end of a command.
struct Outcome {
  static constexpr std::uint8_t kErr = 1u << 0;    ///< of `status`
  static constexpr std::uint8_t kSense = 1u << 1;  ///< sense data available
  static constexpr std::uint8_t kDrq = 1u << 3;
  static constexpr std::uint8_t kFault = 1u << 5;
  static constexpr std::uint8_t kReady = 0x50;  ///< DRDY, and the former bit "seek complete"
  static constexpr std::uint8_t kBusy = 1u << 7;
  static constexpr std::uint8_t kAbort = 1u << 2;  ///< of `error`
  static constexpr std::uint8_t kNotFound = 1u << 4;
  static constexpr std::uint8_t kUncorrectable = 1u << 6;

  std::uint8_t status = kReady;
  std::uint8_t error = 0;
  std::uint64_t lba = 0;
  std::uint8_t device = 0;
  std::uint16_t count = 0;

  bool failed() const { return (status & (kErr | kFault)) != 0; }

  /// As a register FIS, or as the beginning of a PIO setup FIS, to which the caller adds the final status and the transfer's size.
  std::array<std::uint8_t, 20> to_fis(std::uint8_t type, std::uint8_t flags) const {
    std::array<std::uint8_t, 20> b{};
    b[0] = type;
    b[1] = flags;
    b[2] = status;
    b[3] = error;
    for (std::size_t i = 0; i < 3; ++i) {
      b[4 + i] = static_cast<std::uint8_t>(lba >> 8 * i);
      b[8 + i] = static_cast<std::uint8_t>(lba >> 8 * (i + 3));
    }
    b[7] = device;
    b[12] = static_cast<std::uint8_t>(count);
    b[13] = static_cast<std::uint8_t>(count >> 8);
    return b;
  }
};

}  // namespace platter::ahci
