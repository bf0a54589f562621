// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "platter/host/array/request.h"
#include "platter/host/array/stripe_map.h"

namespace platter::host::array {

/// Bytes of a unit that a rebuild copies at a time.
inline constexpr std::uint32_t kRebuildPiece = 256 * 1024;

/// The part of a request inside one stripe unit. For a read through the cache it is the part inside one block, for a flush the part of one drive.
struct Fragment {
  enum class Kind : std::uint8_t { Read, Write, Rebuild, Flush };

  ArrayRequest* request = nullptr;
  const StripeMap::Area* area = nullptr;
  std::uint64_t unit = 0;
  std::uint64_t within = 0;  ///< offset in the unit, in bytes
  std::uint32_t length = 0;
  Kind kind = Kind::Read;
  std::uint8_t on_way = 0;  ///< commands in progress
  // Of a write: copies, one bit each.
  std::uint8_t to = 0;       ///< copies to which it was sent last; of a rebuild: the one that it is writing
  std::uint8_t written = 0;  ///< copies written by drives that have not failed since
  std::uint8_t kept = 0;     ///< copies written by drives that have failed since and were not replaced
  std::uint8_t marked = 0;   ///< copies marked stale because this write, which is in progress, misses them
  bool attempted = false;    ///< a write has been sent to a drive
  command::CommandStatus refused = command::CommandStatus::Good;  ///< of a write: status with which a working drive refused it
  std::uint8_t unreadable = 0;  ///< of a read: copies of which a sector cannot be read, one bit each
  bool spoiled = false;         ///< its unit was written during a rebuild, or by transport_dbg during a read
  bool ahead = false;           ///< it does not wait for a rebuild
  bool writing = false;         ///< of a rebuild: the piece has been read
  std::uint32_t done = 0;       ///< of a rebuild: bytes of the unit already copied
  std::uint32_t stop = 0;       ///< of a rebuild: the piece ends here, before a sector that cannot be read; 0: it does not
  std::uint32_t blockers = 0;
  std::uint64_t order = 0;
  Fragment* older = nullptr;  ///< in its bucket of UnitOrder
  Fragment* younger = nullptr;
  std::array<Fragment*, 2> next{};  ///< in the command for each copy; next[0] also links reads that wait for a fetch

  std::uint64_t end() const { return within + length; }
  bool whole() const { return length == area->unit_bytes; }
  /// True if it goes to the drive as a write.
  bool writes() const { return kind == Kind::Write || (kind == Kind::Rebuild && writing); }
  /// The bytes that the next command reads or writes: offset within the unit, address in the array, length. A rebuild goes by pieces.
  std::uint64_t piece_begin() const { return kind == Kind::Rebuild ? done : within; }
  std::uint64_t address() const { return area->begin + (unit - area->first_unit) * area->unit_bytes + piece_begin(); }
  std::uint32_t piece_length() const {
    return kind == Kind::Rebuild ? std::min((stop > 0 ? stop : length) - done, kRebuildPiece) : length;
  }
};

}  // namespace platter::host::array
