// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "platter/host/media_server/replica_placement.h"

namespace platter::host::media_server {

/// Round of a stream's playback or of the server's operation, counted from 0.
using Round = std::int64_t;

/// Which of the two copies of a round's data.
enum class Copy : std::uint8_t { Primary, Backup };

/// Logical blocks to be read in each round, shape (rounds,): the number of blocks that hold the first i + 1 rounds' bytes less the
/// number that hold the first i rounds'. A block that holds bytes of two rounds is read with the first of them.
std::vector<std::uint32_t> blocks_per_round(const std::vector<std::uint32_t>& bytes, std::uint32_t block_bytes);

/// Variable-grain striping (section 2.4): a round's data lies on one disk, the next round's on the next disk.
constexpr std::uint32_t disk_of_round(Round round, std::uint32_t first_disk, std::uint32_t disks) {
  return static_cast<std::uint32_t>((first_disk + static_cast<std::uint64_t>(round)) % disks);
}

/// The part of a round on one disk: one contiguous run of the stream's blocks of that copy there.
struct Fragment {
  std::uint32_t disk = 0;
  std::uint32_t blocks = 0;
  std::uint64_t first_block = 0;  ///< counted over the stream's blocks of this copy on this disk
};

/// A view of neighbouring elements.
template <typename T>
struct Range {
  const T* first = nullptr;
  const T* last = nullptr;

  const T* begin() const { return first; }
  const T* end() const { return last; }
  bool empty() const { return first == last; }
  std::size_t size() const { return static_cast<std::size_t>(last - first); }
};

struct StripingOptions {
  std::uint32_t disks = 1;
  std::uint32_t first_disk = 0;        ///< disk of round 0
  std::uint32_t decluster_blocks = 0;  ///< size of a backup's blocks (section 5); the last may be smaller; 0: undivided
};

/// Location of a stored stream's data: the disk striping sequence of its primary copy and the map of its replicas.
class StoredStream {
 public:
  /// `placement` is null for a stream without replicas. It counts the stream's units, so it must not be shared with another stream.
  StoredStream(const std::vector<std::uint32_t>& blocks, const StripingOptions& options, ReplicaPlacementIf* placement);

  Round rounds() const { return static_cast<Round>(primary_.size()); }
  std::uint32_t disks() const { return static_cast<std::uint32_t>(area_blocks_[0].size()); }
  const Fragment& primary(Round round) const { return primary_[static_cast<std::size_t>(round)]; }
  /// One fragment for each disk; none without replicas, or if the round has no data.
  Range<Fragment> backups(Round round) const {
    const auto i = static_cast<std::size_t>(round);
    return {backups_.data() + backup_begin_[i], backups_.data() + backup_begin_[i + 1]};
  }
  Range<Fragment> fragments(Copy copy, Round round) const {
    return copy == Copy::Primary ? Range<Fragment>{&primary(round), &primary(round) + 1} : backups(round);
  }
  /// Blocks of the copy on the disk.
  std::uint64_t area_blocks(Copy copy, std::uint32_t disk) const { return area_blocks_[static_cast<std::size_t>(copy)][disk]; }

 private:
  std::vector<Fragment> primary_;
  std::vector<Fragment> backups_;
  std::vector<std::size_t> backup_begin_;  ///< index of each round's first fragment in `backups_`, and the end
  std::array<std::vector<std::uint64_t>, 2> area_blocks_;
};

}  // namespace platter::host::media_server
