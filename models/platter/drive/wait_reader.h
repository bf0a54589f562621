// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "platter/drive/recovery.h"

namespace platter::drive {

/// Scrubbing inside rotational waits (Lumb et al. 2000, free-block scheduling): while an access waits for its sector, the head reads what passes
/// under it, on the track of the access, or, before the arm leaves, on the track of the access before. The arm leaves just in time for the
/// sector, so no access is later for it. On a drive whose arrivals have a spread only the track of the access is read, once the head is there.
///
/// A track is read in pieces, of which each is one bit. When all blocks have been read, the next round begins.
class WaitReader {
 public:
  /// `on`: the profile asks for it.
  WaitReader(const mechanics::AccessPlanner& planner, Recovery& recovery, bool on);

  bool on() const { return !read_.empty(); }
  /// An access to `extent` begins: the arm leaves `from` at `leaves`, arrives at `arrives`, and waits for its first sector for `wait`.
  void access(const mechanics::HeadState& from, const mechanics::Extent& extent, Picoseconds leaves, Picoseconds arrives,
              Picoseconds wait);
  /// Rounds that have ended.
  std::uint64_t rounds() const { return rounds_; }

 private:
  static constexpr std::uint32_t kPieces = 64;  ///< of a track

  /// A track, by one of its blocks.
  struct Track {
    std::size_t number = 0;
    mechanics::PhysicalAddress place;  ///< of its first sector
    std::uint32_t sectors = 0;
  };
  Track track_of(core::Lba block) const;
  /// The pieces that pass under the head from `from` on within `time` and have not been read in this round, one bit each.
  std::uint64_t unread(const Track& track, Picoseconds from, Picoseconds time) const;
  static std::uint32_t begin_of(const Track& track, std::uint32_t piece) {
    return static_cast<std::uint32_t>(std::uint64_t{piece} * track.sectors / kPieces);
  }
  static std::uint32_t sectors_of(const Track& track, std::uint64_t pieces);
  void read(const Track& track, std::uint64_t pieces);
  /// A block has passed under the head.
  void look_at(std::uint64_t block);

  const mechanics::AccessPlanner& planner_;
  Recovery& recovery_;
  std::vector<std::uint64_t> read_;  ///< by track; empty: off
  std::optional<core::Lba> last_;    ///< block with which the access before ended
  std::uint64_t blocks_ = 0;         ///< read in this round
  std::uint64_t rounds_ = 0;
};

}  // namespace platter::drive
