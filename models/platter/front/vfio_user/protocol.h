// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

/// The messages of the vfio-user protocol 0.0 (QEMU, docs/interop/vfio-user.rst). Numbers are little-endian like this machine, because both
/// sides of the protocol are on one machine.
namespace platter::vfio_user {

using Bytes = std::vector<std::uint8_t>;

enum Command : std::uint16_t {
  kVersion = 1,
  kDmaMap = 2,
  kDmaUnmap = 3,
  kDeviceGetInfo = 4,
  kGetRegionInfo = 5,
  kGetIrqInfo = 7,
  kSetIrqs = 8,
  kRegionRead = 9,
  kRegionWrite = 10,
  kDmaRead = 11,
  kDmaWrite = 12,
  kDeviceReset = 13,
};

/// The first bytes of a message. `size` counts them too.
struct Header {
  std::uint16_t id = 0;
  std::uint16_t command = 0;
  std::uint32_t size = 0;
  std::uint32_t flags = 0;
  std::uint32_t error = 0;
};
inline constexpr std::size_t kHeaderBytes = 16;
static_assert(sizeof(Header) == kHeaderBytes);

// Flags of a header.
inline constexpr std::uint32_t kTypeMask = 0xF;
inline constexpr std::uint32_t kTypeCommand = 0;
inline constexpr std::uint32_t kTypeReply = 1;
inline constexpr std::uint32_t kNoReply = 0x10;
inline constexpr std::uint32_t kError = 0x20;

/// Most bytes of a DMA message, as the server's VERSION says. The client may ask for fewer.
inline constexpr std::size_t kMaxTransfer = std::size_t{32} << 10;

/// The reply to a message: an error number, or 0 and the body.
struct Reply {
  Reply() = default;
  explicit Reply(Bytes content) : body(std::move(content)) {}
  /// The command is unknown, or cannot be done. The connection stays open.
  static Reply refuse(int error) { return {error, false}; }
  /// The message breaks the protocol. The connection is closed.
  static Reply leave(int error) { return {error, true}; }

  Bytes body;
  int error = 0;  ///< an errno; 0: none
  bool fatal = false;

 private:
  Reply(int number, bool ends) : error(number), fatal(ends) {}
};

/// Returns the number at `at`. Precondition: it lies within the bytes.
template <typename Number>
Number get(const Bytes& from, std::size_t at) {
  Number value{};
  std::memcpy(&value, &from[at], sizeof value);
  return value;
}

template <typename Number>
void put(Bytes& to, Number value) {
  const std::size_t at = to.size();
  to.resize(at + sizeof value);
  std::memcpy(&to[at], &value, sizeof value);
}

/// Returns a body of these numbers, one after the other.
template <typename... Numbers>
Bytes body_of(Numbers... numbers) {
  Bytes body;
  (put(body, numbers), ...);
  return body;
}

}  // namespace platter::vfio_user
