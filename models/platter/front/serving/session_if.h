// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace platter::serving {

/// One connection of a protocol, without the socket: bytes in, bytes out.
class SessionIf {
 public:
  virtual ~SessionIf() = default;

  /// The client has reached the server at this address (Listener::address_for).
  virtual void connected(const std::string& /*address*/) {}

  /// Where the client's next bytes go, and how many at most. There is no room while the client has too much in progress, does not take its answers,
  /// or waits for memory.
  struct Room {
    std::uint8_t* to;
    std::size_t bytes;
  };
  virtual Room room() = 0;
  /// `bytes` bytes have arrived in the room.
  virtual void received(std::size_t bytes) = 0;
  /// Continues with input that has arrived, as far as possible.
  virtual void resume() = 0;
  /// True if `room` would give room. This call takes no memory.
  virtual bool takes_input() const = 0;

  /// The next bytes to be sent to the client; none if there is nothing to send.
  struct Piece {
    const std::uint8_t* from = nullptr;
    std::size_t bytes = 0;
  };
  virtual Piece output() const = 0;
  /// `bytes` bytes of the output have been sent.
  virtual void sent(std::size_t bytes) = 0;
  virtual std::uint64_t unsent_bytes() const = 0;
  /// True if nothing more comes from the client and nothing remains to be answered: the connection may be closed when the output has been sent.
  virtual bool over() const = 0;

  /// True if the session holds shared memory that only its client can free: by taking answers, or by sending the rest of a write.
  virtual bool client_holds_memory() const = 0;
  virtual std::uint64_t held_bytes() const = 0;
};

}  // namespace platter::serving
