// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "platter/mechanics/layout.h"
#include "platter/profile/drive_profile.h"

namespace platter::mechanics {

inline constexpr std::uint32_t kMaxPatternNodes = 65536;    ///< of a layout tree
inline constexpr std::uint32_t kMaxPatternRuns = 1u << 20;  ///< of a layout tree
inline constexpr std::uint32_t kMaxPatternDepth = 16;       ///< of a layout tree

/// A layout as repeated patterns, and what the profile says about it besides.
struct LayoutTree {
  std::vector<profile::PatternNode> nodes;
  std::vector<std::uint32_t> zones;  ///< of each run of the root, ascending; empty: by the sectors of the tracks
  /// (first, count): sectors that hold no block, numbered in the order of the mapping.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> spares;
};

/// The profile's own nodes.
LayoutTree given_tree(const profile::GeometryProfile& profile);

/// A layout of repeated patterns of tracks.
///
/// The sectors of the patterns are numbered in the order of the mapping. Blocks are numbered likewise, without slipped sectors. The track of
/// a sector follows from the root down: at each node, the run that holds the sector's number, and the instance within the run. Cylinders
/// and angles of the instances add up.
class TreeLayout : public Layout {
 public:
  /// Throws LayoutError where patterns overlap or do not fit the drive.
  TreeLayout(const profile::GeometryProfile& profile, const LayoutTree& tree);

  std::uint64_t block_count() const override { return block_count_; }
  std::size_t zone_count() const override { return zones_.size(); }
  ZoneSummary zone(std::size_t index) const override { return zones_[index]; }
  std::size_t zone_of(Lba block) const override;
  PhysicalAddress to_physical(Lba block) const override;
  std::uint32_t order_of(Lba block) const override { return to_physical(block).head.value; }
  std::optional<Lba> to_logical(const PhysicalAddress& place) const override;
  Angle angle_of(const PhysicalAddress& place) const override;
  TrackRun track_run(Lba first, std::uint32_t blocks) const override;
  std::uint64_t most_runs(std::uint64_t blocks) const override;

  /// The number of a sector in the order of the mapping; nothing outside the patterns.
  std::optional<std::uint64_t> number_of(const PhysicalAddress& place) const;
  /// The sector of a number. Precondition: the patterns have it.
  PhysicalAddress place_of(std::uint64_t number) const;

 private:
  static constexpr std::uint32_t kTrack = std::numeric_limits<std::uint32_t>::max();

  struct Run {
    std::uint64_t first;   ///< number of its first sector within the node
    std::uint64_t length;  ///< sectors of one instance
    std::uint64_t angle;   ///< this and the step in 2^-64 of a turn
    std::uint64_t angle_step;
    std::uint32_t count;
    std::int32_t cylinder;
    std::int32_t step;
    std::uint32_t node;  ///< of the pattern; kTrack: it is a track
    std::uint32_t head;
    std::uint32_t track_sectors;
    std::uint32_t first_sector;
    std::int32_t least_cylinder;  ///< of all its tracks, relative to the node
    std::int32_t most_cylinder;
  };
  struct Node {
    std::size_t begin = 0;  ///< of its runs
    std::size_t end = 0;
    std::uint64_t sectors = 0;
    std::size_t guide = 0;    ///< index of its first part in `guides_`
    std::uint32_t shift = 0;  ///< a part has 2^shift sectors
    std::uint64_t heads = 0;  ///< a bit for each
    std::uint32_t depth = 1;
    std::int32_t least_cylinder = 0;
    std::int32_t most_cylinder = 0;
    std::uint32_t least_sectors = 0;  ///< of a track
    std::uint32_t most_sectors = 0;
  };
  /// A part of a track that one instance of a run is.
  struct Part {
    const Run* run = nullptr;
    std::uint32_t cylinder = 0;
    std::uint64_t angle = 0;   ///< of its first sector
    std::uint64_t number = 0;  ///< of its first sector
  };
  struct Slip {
    std::uint64_t first;   ///< number of the first slipped sector
    std::uint64_t passed;  ///< slipped sectors up to its end
  };
  struct Remap {
    std::uint64_t block;
    std::uint32_t count;
    PhysicalAddress spare;
  };

  void add_node(const profile::PatternNode& node, std::size_t index, std::uint32_t surfaces, std::uint32_t whole);
  void add_guides();
  void add_zones(const std::vector<std::uint32_t>& of_root_runs);
  void add_slips(const profile::GeometryProfile& profile, const LayoutTree& tree, std::uint32_t whole);
  void add_remaps(const profile::GeometryProfile& profile, std::uint32_t whole);

  /// The run of a node that holds a sector of this number within the node.
  const Run& run_of(const Node& node, std::uint64_t number) const;
  Part part_at(std::uint64_t number) const;
  /// The part of a track that holds a sector; if none does, another part of the track; nothing off the patterns.
  Part part_of(const PhysicalAddress& place) const;
  bool find_part(const Node& node, std::int64_t cylinder, const PhysicalAddress& place, Part& at, Part& found) const;
  /// Slips before a block.
  std::size_t slips_before(std::uint64_t block) const;
  std::uint64_t number_of_block(std::uint64_t block) const {
    return slips_.empty() ? block : block + passed(slips_before(block));
  }
  std::uint64_t passed(std::size_t slips) const { return slips == 0 ? 0 : slips_[slips - 1].passed; }
  /// The block on a sector, without remaps; nothing on a slip. `after`: on a slip the next block instead.
  std::optional<std::uint64_t> block_at(std::uint64_t number, bool after = false) const;
  /// The remap that holds a block; null if none does.
  const Remap* remap_of(std::uint64_t block) const;
  TrackRun run_on(const Part& part, std::uint32_t within, std::uint32_t blocks, std::uint32_t sectors) const;

  std::vector<Node> nodes_;  ///< the last one is the root
  std::vector<Run> runs_;
  std::vector<std::uint64_t> firsts_;  ///< of the runs, by themselves
  /// For each node, whose sectors are divided into equal parts, at most twice as many as it has runs: the run that holds the first sector of
  /// each part, and behind them its last run.
  std::vector<std::uint32_t> guides_;
  std::vector<std::uint64_t> head_offsets_;
  std::vector<Slip> slips_;
  std::vector<std::uint64_t> slip_keys_;  ///< first block that passes a slip
  std::vector<Remap> remaps_;             ///< by block
  std::vector<Remap> spares_;             ///< by spare place
  std::vector<ZoneSummary> zones_;
  std::vector<std::uint32_t> zone_of_run_;  ///< of the root
  std::uint64_t block_count_ = 0;
};

}  // namespace platter::mechanics
