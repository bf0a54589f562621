// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "platter/core/types.h"

namespace platter::mechanics {

using core::Angle;
using core::Cylinder;
using core::Head;
using core::Lba;
using core::SectorIndex;

inline constexpr std::uint64_t kMaxBlocks = std::uint64_t{1} << 48;  ///< of a drive

/// The physical place of a sector.
struct PhysicalAddress {
  Cylinder cylinder;
  Head head;
  SectorIndex sector;

  friend bool operator==(const PhysicalAddress& a, const PhysicalAddress& b) {
    return a.cylinder == b.cylinder && a.head == b.head && a.sector == b.sector;
  }
};

/// Sectors that follow each other on one track without a gap.
struct TrackRun {
  Cylinder cylinder;
  Head head;
  std::uint32_t sector;         ///< the first one, on its track
  std::uint32_t blocks;         ///< logical blocks covered
  std::uint32_t sectors;        ///< physical sectors passed: the blocks and the slipped ones between them
  std::uint32_t track_sectors;  ///< sectors of the whole track
  Angle start_angle;            ///< where the first sector starts
  Angle end_angle;              ///< where the last sector ends
  bool full_turn;               ///< the run is a whole track: start and end angle are equal
};

/// Neighbouring cylinders with the same number of sectors on each track of a surface.
struct ZoneSummary {
  std::uint64_t first_block = 0;
  std::uint64_t blocks = 0;
  std::uint32_t first_cylinder = 0;
  std::uint32_t last_cylinder = 0;
  std::uint32_t least_sectors = 0;  ///< sectors of a track on the surface with the fewest
  std::uint32_t most_sectors = 0;   ///< sectors of a track on the surface with the most
};

/// A layout that cannot be: which key of the profile says so, and the rule that fails.
class LayoutError : public std::invalid_argument {
 public:
  explicit LayoutError(const std::string& message, std::string key = {}) : invalid_argument(message), key_(std::move(key)) {}
  /// The key, such as `geometry.node.2.runs`; empty: the layout as a whole.
  const std::string& key() const { return key_; }

 private:
  std::string key_;
};

/// The mapping of blocks to places and angles. The mapping from block to place and the mapping back are exact inverses over the whole
/// drive. All functions that take a block require that it is below block_count().
class Layout {
 public:
  virtual ~Layout() = default;

  virtual std::uint64_t block_count() const = 0;
  virtual std::size_t zone_count() const = 0;
  virtual ZoneSummary zone(std::size_t index) const = 0;
  /// Index of the zone that holds a block.
  virtual std::size_t zone_of(Lba block) const = 0;
  virtual PhysicalAddress to_physical(Lba block) const = 0;
  /// By cylinders: which track of its cylinder holds a block, in the order of the mapping. Other layouts: its head.
  virtual std::uint32_t order_of(Lba block) const = 0;
  /// Nothing for a place that holds no logical block (a spare or slipped sector, or outside the tracks).
  virtual std::optional<Lba> to_logical(const PhysicalAddress& place) const = 0;
  /// Angle at which a sector starts. Precondition: the layout has its track.
  virtual Angle angle_of(const PhysicalAddress& place) const = 0;
  /// The longest run from `first` on one track, of at most `blocks` blocks.
  virtual TrackRun track_run(Lba first, std::uint32_t blocks) const = 0;
  /// Upper bound of the runs that a number of neighbouring blocks have.
  virtual std::uint64_t most_runs(std::uint64_t blocks) const = 0;
};

/// An angle as a fraction of a turn, in units of 2^-64, so that thousands of skews add up without a visible error.
std::uint64_t to_fraction(double turns);
/// The nearest angle.
inline Angle to_angle(std::uint64_t fraction) { return static_cast<Angle>((fraction + 0x8000'0000u) >> 32); }
/// Where a sector of a track starts, from the track's start.
inline Angle sector_offset(std::uint32_t sector, std::uint32_t track_sectors) {
  return static_cast<Angle>((std::uint64_t{sector} << 32) / track_sectors);
}

}  // namespace platter::mechanics
