// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "platter/mapping/eager/block_headers.h"
#include "platter/scheduling/free_space_if.h"

namespace platter::mapping {

using core::Lba;
using core::Picoseconds;
using mechanics::Extent;
using scheduling::Place;

/// The progress of a host's command through a mapping, access by access. Blocks are sectors.
struct Walk {
  std::uint64_t first = 0;  ///< the host's blocks
  std::uint32_t blocks = 0;
  bool write = false;

  // The current access, where the mapping splits the command into several.
  std::uint32_t done = 0;     ///< blocks of the command before this access
  std::uint32_t sectors = 0;  ///< of this access
  std::uint32_t within = 0;   ///< its first sector within the unit that is placed as a whole
  bool fetching = false;      ///< the unit is read before a part of it is written
  eager::Block unit;
  Place place;  ///< of a write whose place has been decided

  std::uint64_t end() const { return first + blocks; }
};

/// Where a write puts its bytes, and which bytes of the host they are.
struct WriteTarget {
  std::uint64_t media_offset = 0;
  std::uint64_t address = 0;  ///< the host's
  std::uint64_t bytes = 0;
};

/// What a mapping stores on the media besides the data, as a power loss leaves it.
struct MapImage {
  std::optional<eager::BlockHeaders> headers;
};

/// Maps the host's blocks to blocks of the media. A command may take several accesses. The policy may decide where a write goes. Waiting
/// reads follow blocks that a write moves.
class MappingIf {
 public:
  using VisitPiece = std::function<void(std::uint64_t media_offset, std::uint64_t done, std::uint64_t length)>;

  virtual ~MappingIf() = default;

  /// The capacity that the host sees.
  virtual std::uint64_t capacity_sectors() const = 0;
  /// Number of sectors that are placed together. Commands that touch the same group overlap.
  virtual std::uint32_t granule() const = 0;
  /// True if every block always stays at the place of its address. Otherwise an extent is known only when the command's turn comes, and all
  /// of a write's data must have arrived before it begins.
  virtual bool fixed() const = 0;

  /// The command's extent at its arrival, without a place if that is not known yet.
  virtual Extent arrived(const Walk& walk) const = 0;
  /// Its first access. Not for a fixed mapping, whose commands have one access, that of `arrived`.
  virtual Extent begin(Walk& walk) = 0;
  /// True if the current access is the command's last one.
  virtual bool last(const Walk& walk) const = 0;
  /// The current access has ended. Returns true and sets `extent` if there is another.
  virtual bool next(Walk& walk, Extent& extent) = 0;
  /// The current write goes to `place`; `hidden`: it delays no read.
  virtual Extent aim(Walk& walk, Place place, bool hidden) = 0;
  /// Where the current write puts its bytes.
  virtual WriteTarget target(const Walk& walk) const = 0;
  /// The current write is on the media. Not for a fixed mapping.
  virtual void written(const Walk& walk) = 0;
  /// True if `written` has moved blocks that the current read of `waiting` needs; `extent` is then their new place.
  virtual bool follow(const Walk& written, const Walk& waiting, Extent& extent) const = 0;

  /// Calls `visit` for each piece of the host's bytes [address, address + length) that lies in one place.
  virtual void locate(std::uint64_t address, std::uint64_t length, const VisitPiece& visit) const = 0;

  /// Null if the policy does not decide where writes go.
  virtual const scheduling::FreeSpaceIf* free_space() const { return nullptr; }

  /// The mapping's image if power were lost now. `sectors` sectors of the current access of `writing` (null: none) have been written.
  virtual MapImage image(const Walk* writing, std::uint32_t sectors) const = 0;
  /// Rebuilds the mapping from such an image. Throws std::runtime_error if a block cannot be found.
  virtual void mount(const MapImage& image) = 0;
};

}  // namespace platter::mapping
