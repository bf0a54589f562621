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

/// A host's command on its way through a mapping, access by access. Blocks are sectors.
struct Walk {
  std::uint64_t first = 0;  ///< the host's blocks
  std::uint32_t blocks = 0;
  bool write = false;

  // The access at hand, where the mapping takes the command in several.
  std::uint32_t done = 0;     ///< blocks of the command before it
  std::uint32_t sectors = 0;  ///< of it
  std::uint32_t within = 0;   ///< its first, of the unit that is placed as a whole
  bool fetching = false;      ///< the unit is read before a part of it is written
  eager::Block unit;
  Place place;  ///< of a write that has been decided on

  std::uint64_t end() const { return first + blocks; }
};

/// Bytes of a write, and what of the host's they are.
struct WriteTarget {
  std::uint64_t media_offset = 0;
  std::uint64_t address = 0;  ///< the host's
  std::uint64_t bytes = 0;
};

/// What a mapping has on the media beside the bytes, as a loss of power leaves it.
struct MapImage {
  std::optional<eager::BlockHeaders> headers;
};

/// Between the host's blocks and the media's. A command may take several accesses; where a write goes may be the policy's decision; what a
/// write moves, waiting reads follow.
class MappingIf {
 public:
  using VisitPiece = std::function<void(std::uint64_t media_offset, std::uint64_t done, std::uint64_t length)>;

  virtual ~MappingIf() = default;

  /// What the host sees.
  virtual std::uint64_t capacity_sectors() const = 0;
  /// Sectors that are placed together: commands that touch the same ones overlap.
  virtual std::uint32_t granule() const = 0;
  /// Is every block always in the place of its address? If not, extents are known when a command's turn comes only, and a write's data must
  /// all have come before it begins.
  virtual bool fixed() const = 0;

  /// The command's extent when it comes: without a place where that is not known yet.
  virtual Extent arrived(const Walk& walk) const = 0;
  /// Its first access. Not for a fixed mapping, whose commands have one access, the one that came.
  virtual Extent begin(Walk& walk) = 0;
  /// Is the access at hand its last one?
  virtual bool last(const Walk& walk) const = 0;
  /// The access at hand has ended. True if there is another: `extent` is its.
  virtual bool next(Walk& walk, Extent& extent) = 0;
  /// The write at hand goes to `place`; `hidden`: it delays no read.
  virtual Extent aim(Walk& walk, Place place, bool hidden) = 0;
  /// Where the write at hand puts what.
  virtual WriteTarget target(const Walk& walk) const = 0;
  /// It is on the media. Not for a fixed mapping.
  virtual void written(const Walk& walk) = 0;
  /// Does what `written` has moved concern the read at hand of `waiting`? Then `extent` is where it is now.
  virtual bool follow(const Walk& written, const Walk& waiting, Extent& extent) const = 0;

  /// Calls `visit` for each piece of the host's bytes [address, address + length) that lies in one place.
  virtual void locate(std::uint64_t address, std::uint64_t length, const VisitPiece& visit) const = 0;

  /// Null where no policy decides where a write goes.
  virtual const scheduling::FreeSpaceIf* free_space() const { return nullptr; }

  /// As a loss of power now would leave it; of the write at hand of `writing` (null: none) `sectors` have been written.
  virtual MapImage image(const Walk* writing, std::uint32_t sectors) const = 0;
  /// Rebuilds itself from such an image. Throws std::runtime_error where a block is nowhere.
  virtual void mount(const MapImage& image) = 0;
};

}  // namespace platter::mapping
