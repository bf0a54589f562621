// SPDX-License-Identifier: Apache-2.0
//
// The register FIS of a command, host to device (SATA 3.x, 10.5.5).
#pragma once

#include <array>
#include <cstdint>

namespace platter::testing {

using Frame = std::array<std::uint8_t, 20>;

inline Frame command_frame(std::uint8_t command, std::uint64_t lba, std::uint32_t count, std::uint16_t features = 0,
                           std::uint8_t device = 0x40) {
  Frame f{};
  f[0] = 0x27;
  f[1] = 0x80;
  f[2] = command;
  f[3] = static_cast<std::uint8_t>(features);
  f[11] = static_cast<std::uint8_t>(features >> 8);
  for (std::size_t i = 0; i < 3; ++i) {
    f[4 + i] = static_cast<std::uint8_t>(lba >> 8 * i);
    f[8 + i] = static_cast<std::uint8_t>(lba >> 8 * (i + 3));
  }
  f[7] = device;
  f[12] = static_cast<std::uint8_t>(count);
  f[13] = static_cast<std::uint8_t>(count >> 8);
  return f;
}

}  // namespace platter::testing
