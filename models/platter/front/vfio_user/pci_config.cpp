// SPDX-License-Identifier: Apache-2.0
#include "platter/front/vfio_user/pci_config.h"

#include <cstddef>

namespace platter::vfio_user {

namespace {

constexpr std::uint32_t kPciCommand = 0x04;
constexpr std::uint8_t kBusMaster = 1u << 2;  // of the command register
constexpr std::uint32_t kPciBar5 = 0x24;
constexpr std::uint32_t kPciInterruptLine = 0x3C;
constexpr std::uint32_t kMsiCapability = 0x80;

/// The bits of a byte that can be written.
std::uint8_t writable(std::uint32_t at) {
  if (at == kPciCommand) return 0x47;      // I/O, memory, master, parity
  if (at == kPciCommand + 1) return 0x05;  // SERR, INTx disable
  if (at == kPciBar5 + 1) return 0xF0;     // 4 KiB
  if (at == kPciBar5 + 2 || at == kPciBar5 + 3 || at == kPciInterruptLine) return 0xFF;
  if (at == kMsiCapability + 2) return 0x01;
  if (at == kMsiCapability + 4) return 0xFC;
  return at > kMsiCapability + 4 && at < kMsiCapability + 14 ? 0xFF : 0;
}

}  // namespace

void PciConfig::reset() {
  bytes_ = {};
  const auto put = [this](std::size_t at, std::uint32_t value, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) bytes_[at + i] = static_cast<std::uint8_t>(value >> 8 * i);
  };
  put(0x00, 0x2922'8086, 4);  // an ICH9, which every driver of AHCI knows
  put(0x06, 0x0010, 2);       // it has capabilities
  put(0x08, 0x0106'0102, 4);  // mass storage, SATA, AHCI
  put(0x2C, 0x2922'8086, 4);
  put(0x34, kMsiCapability, 1);
  put(0x3D, 1, 1);                      // INTA
  put(kMsiCapability, 0x0080'0005, 4);  // MSI: one message, an address of 64 bits
}

void PciConfig::write(std::uint32_t offset, const std::uint8_t* data, std::uint32_t bytes) {
  for (std::uint32_t i = 0; i < bytes; ++i) {
    const std::uint8_t mask = writable(offset + i);
    std::uint8_t& byte = bytes_[offset + i];
    byte = static_cast<std::uint8_t>((byte & ~mask) | (data[i] & mask));
  }
}

bool PciConfig::bus_master() const { return (bytes_[kPciCommand] & kBusMaster) != 0; }

}  // namespace platter::vfio_user
