// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace platter::vfio_user {

/// The PCI configuration space of the adapter (PCI Local Bus 3.0, chapter 6): an ICH9 with BAR 5, INTA and the MSI capability. Only bits that
/// software may write by the standard can be written.
class PciConfig {
 public:
  static constexpr std::uint32_t kBytes = 256;

  PciConfig() { reset(); }
  void reset();

  /// Precondition of both: the bytes lie within the space.
  const std::uint8_t* at(std::uint32_t offset) const { return bytes_.data() + offset; }
  void write(std::uint32_t offset, const std::uint8_t* data, std::uint32_t bytes);

  /// True if the device may access memory.
  bool bus_master() const;

 private:
  std::array<std::uint8_t, kBytes> bytes_{};
};

}  // namespace platter::vfio_user
