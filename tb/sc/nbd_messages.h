// SPDX-License-Identifier: Apache-2.0
//
// What a client of NBD says (doc/proto.md of NetworkBlockDevice/nbd).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "platter/front/nbd/protocol.h"

namespace platter::testing::nbd_says {

namespace wire = nbd::wire;
using Bytes = std::vector<std::uint8_t>;

inline Bytes greeting(std::uint32_t flags = wire::kFixedNewstyle | wire::kNoZeroes) {
  Bytes b;
  wire::Writer(b).put(flags);
  return b;
}
inline Bytes option(std::uint32_t number, const Bytes& data = {}) {
  Bytes b;
  wire::Writer(b)
      .put(wire::kOptionMagic)
      .put(number)
      .put(static_cast<std::uint32_t>(data.size()))
      .put(data.data(), data.size());
  return b;
}
inline Bytes named(std::string_view name, const std::vector<std::uint16_t>& infos = {}) {
  Bytes b;
  wire::Writer w(b);
  w.put(static_cast<std::uint32_t>(name.size())).put(name).put(static_cast<std::uint16_t>(infos.size()));
  for (const std::uint16_t info : infos) w.put(info);
  return b;
}
inline Bytes request(std::uint16_t type, std::uint64_t offset, std::uint32_t length, std::uint64_t cookie = 7,
                     std::uint16_t flags = 0, const Bytes& data = {}) {
  Bytes b;
  wire::Writer(b)
      .put(wire::kRequestMagic)
      .put(flags)
      .put(type)
      .put(cookie)
      .put(offset)
      .put(length)
      .put(data.data(), data.size());
  return b;
}

}  // namespace platter::testing::nbd_says
