// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "platter/mapping/eager/block_headers.h"
#include "platter/mapping/eager/free_search.h"
#include "platter/mapping/eager/options.h"
#include "platter/mapping/mapping_if.h"
#include "platter/media/disk_file.h"

namespace platter::eager {

using mapping::MapImage;
using mapping::Walk;

struct EagerStatistics {
  std::uint64_t writes = 0;      ///< blocks written
  std::uint64_t hidden = 0;      ///< of them, in a gap before a read that came no later for it
  std::uint64_t read_first = 0;  ///< writes of a part of a block, which was read before

  EagerStatistics& operator+=(const EagerStatistics& other) {
    writes += other.writes;
    hidden += other.hidden;
    read_first += other.read_first;
    return *this;
  }
};

/// Eager writing (Zhang et al. 2002): a command is carried out part by part, a part being what it has of one block, and each part an access of
/// its own: a read where its block is then, a write where the policy says. A write of a part of a block reads the block first. The map changes
/// when a block is on the media; its old place is then free.
class EagerMapping : public mapping::MappingIf, public mapping::PlacingIf {
 public:
  /// `keeps_headers`: those of the sectors, for a drive that can lose its power. `file`: it has them after the end of the process, and the map
  /// is rebuilt from them; null: none. Throws std::invalid_argument for options that do not fit the drive, std::runtime_error for headers
  /// without a copy of each block.
  EagerMapping(const mechanics::AccessPlanner& planner, const EagerOptions& options, std::uint64_t seed, bool keeps_headers,
               media::DiskFile* file = nullptr);

  const BlockMap& map() const { return map_; }
  const FreeSearch& search() const { return search_; }
  const EagerStatistics& statistics() const { return statistics_; }

  std::uint64_t capacity_sectors() const override { return std::uint64_t{map_.blocks()} * granule(); }
  std::uint32_t granule() const override { return layout_.sectors_per_block(); }
  mechanics::Extent arrived(Walk& walk) const override { return unplaced(walk.blocks, walk.write); }
  mechanics::Extent next(Walk& walk) override;
  const scheduling::FreeSpaceIf& free_space() const override { return search_; }
  mechanics::Extent aim(Walk& walk, Place place, bool hidden) override;
  mapping::WriteTarget target(const Walk& walk) const override;
  void written(const Walk& walk) override;
  bool follow(const Walk& written, const Walk& waiting, mechanics::Extent& extent) const override;
  void locate(std::uint64_t address, std::uint64_t length, const VisitPiece& visit) const override;
  MapImage image(const Walk* writing, std::uint32_t sectors) const override;
  void mount(const MapImage& image) override;
  /// The sector headers in an image. Throws std::runtime_error if it has none.
  static const BlockHeaders& headers_in(const MapImage& image);

 private:
  static mechanics::Extent unplaced(std::uint32_t blocks, bool write) {
    mechanics::Extent extent;
    extent.blocks = blocks;
    extent.write = write;
    return extent;
  }
  static Block block_of(const Walk& walk) { return Block(static_cast<std::uint32_t>(walk.unit.number)); }
  mechanics::Extent read_of(const Walk& walk) const;
  /// Puts the headers of a place in the file, if there is one.
  void keep(Place place) const;
  std::uint64_t bytes(std::uint64_t sectors) const { return sectors * sector_bytes_; }

  const mechanics::AccessPlanner& planner_;
  std::uint64_t sector_bytes_;
  BlockLayout layout_;
  BlockMap map_;
  FreeSearch search_;
  std::optional<BlockHeaders> headers_;
  media::DiskFile* file_;
  std::uint64_t next_sequence_ = 1;
  EagerStatistics statistics_;
};

}  // namespace platter::eager
