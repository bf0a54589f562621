// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace platter::iscsi {

/// CRC32C (RFC 7143, 13.1; polynomial 1EDC6F41h) of bytes that come in pieces.
class Crc32c {
 public:
  Crc32c& add(const std::uint8_t* bytes, std::size_t count);
  std::uint32_t value() const { return ~state_; }

 private:
  std::uint32_t state_ = ~0u;
};

}  // namespace platter::iscsi
