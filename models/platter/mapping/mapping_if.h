// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <any>
#include <cstdint>
#include <functional>

#include "platter/mechanics/access_planner.h"
#include "platter/scheduling/free_space_if.h"

namespace platter::mapping {

using core::Lba;
using core::Picoseconds;
using mechanics::Extent;
using scheduling::Place;

/// The unit of a current access, if the policy decides where writes go. Units are placed as a whole.
struct PlacedUnit {
  std::uint64_t number = 0;
  std::uint32_t within = 0;  ///< the access's first sector in the unit
  bool fetching = false;     ///< the unit is read before a part of it is written
  Place place;               ///< of a write whose place has been decided
};

/// A command's progress through its accesses to the media. Blocks are sectors.
struct Walk {
  std::uint64_t first = 0;  ///< the host's blocks
  std::uint32_t blocks = 0;
  bool write = false;

  // The current access:
  std::uint32_t done = 0;     ///< blocks of the command before it
  std::uint32_t sectors = 0;  ///< blocks of the command in it; 0: the first access is not known yet
  PlacedUnit unit;

  std::uint64_t end() const { return first + blocks; }
  bool begun() const { return sectors > 0; }
  /// The current access is the command's last one.
  bool last() const { return !unit.fetching && done + sectors == blocks; }
};

/// Where a write puts its bytes, and which bytes of the host they are.
struct WriteTarget {
  std::uint64_t media_offset = 0;
  std::uint64_t address = 0;  ///< the host's
  std::uint64_t bytes = 0;
};

/// What a mapping stores on the media besides the data, as a power loss leaves it; only the mapping interprets it.
using MapImage = std::any;

/// A mapping in which the policy decides where writes go. A command has several accesses, of which the drive asks for one after the other.
/// It asks for the extent at the place that was decided, and after each write for the reads that follow the blocks.
class PlacingIf {
 public:
  virtual ~PlacingIf() = default;

  /// The policy decides the place of a write from these blocks, when the write's turn comes.
  virtual const scheduling::FreeSpaceIf& free_space() const = 0;
  /// Advances the walk to the next access, or to the first one if it has not begun. Precondition: the current access is not the last.
  virtual Extent next(Walk& walk) = 0;
  /// The current write goes to `place`; `hidden`: it delays no read.
  virtual Extent aim(Walk& walk, Place place, bool hidden) = 0;
  /// The current write is on the media, and has moved blocks.
  virtual void written(const Walk& walk) = 0;
  /// True if `written` has moved blocks that the current read of `waiting` needs; `extent` is then their new place.
  virtual bool follow(const Walk& written, const Walk& waiting, Extent& extent) const = 0;

  /// The map's image if power were lost now. `sectors` sectors of the current access of `writing` (null: none) have been written.
  virtual MapImage image(const Walk* writing, std::uint32_t sectors) const = 0;
  /// Rebuilds the map from such an image. Throws std::runtime_error if a block cannot be found.
  virtual void mount(const MapImage& image) = 0;
};

/// Maps the host's blocks to blocks of the media.
class MappingIf {
 public:
  using VisitPiece = std::function<void(std::uint64_t media_offset, std::uint64_t done, std::uint64_t length)>;

  virtual ~MappingIf() = default;

  /// The capacity that the host sees.
  virtual std::uint64_t capacity_sectors() const = 0;
  /// Number of sectors that are placed together. Commands that touch the same group overlap.
  virtual std::uint32_t granule() const = 0;

  /// Null if the place of a write is known at its arrival: a command then has one access.
  PlacingIf* placing() const { return placing_; }
  /// The command's extent at its arrival. If it has one access, the walk begins with it; otherwise the extent has no place.
  virtual Extent arrived(Walk& walk) const = 0;
  /// Advances a command that spans two actuators to its part on the next one. Only without a PlacingIf, and if the walk's current access is
  /// not the last.
  virtual Extent continued(Walk& /*walk*/) const { return {}; }
  /// Where the current write puts its bytes.
  virtual WriteTarget target(const Walk& walk) const = 0;

  /// Calls `visit` for each piece of the host's bytes [address, address + length) that lies in one place.
  virtual void locate(std::uint64_t address, std::uint64_t length, const VisitPiece& visit) const = 0;

 protected:
  explicit MappingIf(PlacingIf* placing) : placing_(placing) {}

 private:
  PlacingIf* placing_;
};

}  // namespace platter::mapping
