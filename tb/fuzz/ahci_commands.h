// SPDX-License-Identifier: Apache-2.0
//
// ATA commands that may be wrong, for the fuzzers of the adapter.
#pragma once

#include <array>

#include "ahci_frame.h"
#include "protocol.h"

namespace platter::fuzz {

struct AnyCommand {
  testing::Frame frame{};   ///< register FIS, host to device
  std::uint32_t bytes = 0;  ///< of its data, if it is what it seems
  bool write = false;
  bool queued = false;
};

/// A command of the device, or any, for a disk of `sectors`.
inline AnyCommand any_command(Random& random, std::uint64_t sectors) {
  constexpr std::array<std::uint8_t, 39> kCommands = {
      0x60, 0x61, 0x25, 0x35, 0x3D, 0x20, 0x24, 0x29, 0x30, 0x34, 0x39, 0x40, 0x42, 0xC4, 0xC5, 0xC6, 0xC8, 0xCA, 0x2F, 0x47,
      0x3F, 0x57, 0xB0, 0x0B, 0x90, 0xE0, 0xE1, 0xE2, 0xE3, 0xE5, 0xE6, 0xE7, 0xEA, 0xEC, 0xEF, 0x60, 0x61, 0x60, 0x61};
  AnyCommand any;
  const std::uint8_t command =
      one_in(random, 16) ? static_cast<std::uint8_t>(random()) : kCommands[below(random, kCommands.size())];
  any.queued = command == 0x60 || command == 0x61;
  any.write =
      command == 0x61 || command == 0x35 || command == 0x3D || (command & 0xF0) == 0x30 || command == 0xCA || command == 0xC5;
  std::uint64_t lba = one_in(random, 12) ? hostile(random) : below(random, sectors);
  auto count = static_cast<std::uint16_t>(one_in(random, 40) ? hostile(random) : 1 + below(random, 64));
  auto features = static_cast<std::uint16_t>(random() & 0xFF);
  any.bytes = count * 512u;
  std::uint8_t device = one_in(random, 8) ? static_cast<std::uint8_t>(random()) : 0x40;
  if (any.queued) {
    features = count;
    count = static_cast<std::uint16_t>(below(random, 32) << 3 | (one_in(random, 4) ? 1 : 0));
    if (one_in(random, 4)) device |= 0x80;
  } else if (command == 0xB0) {  // SMART
    if (!one_in(random, 8)) features = static_cast<std::uint16_t>(0xD0 + below(random, 11));
    if (!one_in(random, 8)) lba = 0xC2'4F00 | pick<std::uint64_t>(random, {0, 1, 2, 3, 6, 9, 0x7F, 0xE0});
    count = static_cast<std::uint16_t>(below(random, 3));
    any.bytes = 512;
  } else if (command == 0x2F || command == 0x47 || command == 0x3F || command == 0x57) {  // logs
    lba = pick<std::uint64_t>(random, {0, 3, 4, 7, 0x10, 0x30, 0xE0, lba & 0xFF}) |
          (one_in(random, 3) ? below(random, 10) << 8 : 0);
    count = static_cast<std::uint16_t>(one_in(random, 8) ? hostile(random) : 1);
    any.bytes = count * 512u;
    any.write = command == 0x3F || command == 0x57;
  } else if (command == 0xEF && !one_in(random, 4)) {  // SET FEATURES
    features = pick<std::uint16_t>(random, {0x03, 0x02, 0x82, 0xAA, 0x55, 0xC3, 0x10, 0x90});
    count = pick<std::uint16_t>(random, {0, 1, 6, 8, 0x0C, 0x20, 0x45});
  }
  testing::Frame& f = any.frame;
  f = testing::command_frame(command, lba, count, features, device);
  if (one_in(random, 8)) {  // a soft reset, or a frame of no kind
    f[1] = one_in(random, 2) ? 0 : static_cast<std::uint8_t>(random());
    f[15] = static_cast<std::uint8_t>(below(random, 8));
  }
  for (std::uint64_t n = one_in(random, 4) ? 1 + below(random, 4) : 0; n > 0; --n)
    f[below(random, f.size())] = static_cast<std::uint8_t>(random());
  return any;
}

}  // namespace platter::fuzz
