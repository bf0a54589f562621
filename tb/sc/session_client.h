// SPDX-License-Identifier: Apache-2.0
//
// The client's side of a served session (serving::SessionIf), without a socket.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace platter::testing {

/// Gives bytes to the server as far as it takes them, in pieces of at most `chunk`. Returns how many it has taken.
template <typename Session>
std::size_t give(Session& session, const std::vector<std::uint8_t>& bytes, std::size_t chunk) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    const auto room = session.room();
    if (room.bytes == 0) break;
    const std::size_t count = std::min({room.bytes, bytes.size() - at, chunk});
    std::memcpy(room.to, &bytes[at], count);
    session.received(count);
    at += count;
  }
  return at;
}

/// Takes all that the server has to say now. Throws std::logic_error if its output has no next piece.
template <typename Session>
std::vector<std::uint8_t> take(Session& session) {
  std::vector<std::uint8_t> said;
  while (session.unsent_bytes() > 0) {
    const auto piece = session.output();
    if (piece.bytes == 0 || piece.bytes > session.unsent_bytes()) throw std::logic_error("the output has no next piece");
    said.insert(said.end(), piece.from, piece.from + piece.bytes);
    session.sent(piece.bytes);
  }
  return said;
}

}  // namespace platter::testing
