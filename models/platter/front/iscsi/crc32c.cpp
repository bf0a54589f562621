// SPDX-License-Identifier: Apache-2.0
#include "platter/front/iscsi/crc32c.h"

#include <array>

namespace platter::iscsi {

namespace {

/// tables[k][b]: the remainder of byte b with k zero bytes behind it, bits reversed.
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest & 1) != 0 ? rest >> 1 ^ 0x82F6'3B78u : rest >> 1;
    tables[0][byte] = rest;
  }
  for (std::size_t k = 1; k < tables.size(); ++k)
    for (std::size_t byte = 0; byte < 256; ++byte)
      tables[k][byte] = tables[k - 1][byte] >> 8 ^ tables[0][tables[k - 1][byte] & 0xFF];
  return tables;
}
constexpr Tables kTables = make_tables();

}  // namespace

Crc32c& Crc32c::add(const std::uint8_t* bytes, std::size_t count) {
  std::uint32_t state = state_;
  for (; count >= 8; count -= 8, bytes += 8) {
    const std::uint32_t low =
        state ^ (bytes[0] | std::uint32_t{bytes[1]} << 8 | std::uint32_t{bytes[2]} << 16 | std::uint32_t{bytes[3]} << 24);
    state = kTables[7][low & 0xFF] ^ kTables[6][low >> 8 & 0xFF] ^ kTables[5][low >> 16 & 0xFF] ^ kTables[4][low >> 24] ^
            kTables[3][bytes[4]] ^ kTables[2][bytes[5]] ^ kTables[1][bytes[6]] ^ kTables[0][bytes[7]];
  }
  for (; count > 0; --count, ++bytes) state = state >> 8 ^ kTables[0][(state ^ *bytes) & 0xFF];
  state_ = state;
  return *this;
}

}  // namespace platter::iscsi
