// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

/// Numbers whose first byte is the most significant one, as network protocols and SCSI have them.
namespace platter::core::big_endian {

template <typename Number>
Number get(const std::uint8_t* from) {
  static_assert(std::is_unsigned_v<Number>);
  Number value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i) value = static_cast<Number>(value << 8 | from[i]);
  return value;
}

/// The number of `bytes` bytes, at most 8.
constexpr std::uint64_t get(const std::uint8_t* from, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) value = value << 8 | from[i];
  return value;
}

/// Writes the lowest `bytes` bytes of a number.
constexpr void put(std::uint8_t* to, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = bytes; i-- > 0; value >>= 8) to[i] = static_cast<std::uint8_t>(value);
}

/// Appends numbers and bytes to a list.
class Writer {
 public:
  explicit Writer(std::vector<std::uint8_t>& to) : to_(to) {}
  template <typename Number, typename = std::enable_if_t<std::is_unsigned_v<Number>>>
  Writer& put(Number value) {
    std::uint8_t bytes[sizeof value];
    for (std::size_t i = sizeof value; i-- > 0; value = static_cast<Number>(value >> 7 >> 1))
      bytes[i] = static_cast<std::uint8_t>(value);
    return put(bytes, sizeof bytes);
  }
  Writer& put(const std::uint8_t* bytes, std::size_t count) {
    to_.insert(to_.end(), bytes, bytes + count);
    return *this;
  }
  Writer& put(std::string_view text) { return put(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()); }
  Writer& zeroes(std::size_t count) {
    to_.insert(to_.end(), count, 0);
    return *this;
  }

 private:
  std::vector<std::uint8_t>& to_;
};

}  // namespace platter::core::big_endian
