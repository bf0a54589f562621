// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "platter/drive/hazard_queue.h"
#include "platter/drive/media.h"
#include "platter/eager/block_headers.h"
#include "platter/eager/free_search.h"
#include "platter/eager/options.h"

namespace platter::drive {

/// What is on the disks of an eager-writing drive: the bytes, and the header of every sector.
struct MediaImage {
  Media::Bytes bytes;
  eager::BlockHeaders headers;
};

struct EagerStatistics {
  std::uint64_t writes = 0;       ///< blocks written
  std::uint64_t hidden = 0;       ///< of them, in a gap before a read that came no later for it
  std::uint64_t read_first = 0;   ///< writes of a part of a block, which was read before

  EagerStatistics& operator+=(const EagerStatistics& other) {
    writes += other.writes;
    hidden += other.hidden;
    read_first += other.read_first;
    return *this;
  }
};

/// The host's blocks and the media's under eager writing. A command is carried out part by part, a part being what it has of one
/// block, and each part an access of its own: a read where its block is then, a write where the policy says. A write of a part of
/// a block reads the block first. The map changes when a block is on the media; its old place is then free.
class BlockTranslation {
 public:
  /// `media` may be null: a timing-only drive, which keeps no headers. Throws std::invalid_argument for options that do not fit
  /// the drive.
  BlockTranslation(const mechanics::AccessPlanner& planner, const eager::EagerOptions& options, std::uint64_t seed,
                   Media* media);

  const eager::BlockMap& map() const { return map_; }
  const eager::FreeSearch& search() const { return search_; }
  const EagerStatistics& statistics() const { return statistics_; }
  std::uint32_t block_sectors() const { return layout_.sectors_per_block(); }
  /// What the host sees.
  std::uint64_t capacity_sectors() const { return std::uint64_t{map_.blocks()} * block_sectors(); }

  /// The command's first part.
  void begin(Slot& slot) { set_part(slot, 0); }
  /// Is the current part the command's last one?
  static bool last(const Slot& slot) { return slot.first() + slot.part.done + slot.part.sectors == slot.end(); }
  /// The current part's access has ended. True if there is another one, to be asked for.
  bool advance(Slot& slot);
  /// The write of the current part goes to `place`.
  void aim(Slot& slot, eager::Place place, bool hidden);
  /// The write of the current part is on the media. Reads of `queue` that wait for its block follow it.
  void commit(const Slot& slot, HazardQueue& queue);

  /// The bytes of the current part of a read, to the payload.
  void read_bytes(const Slot& slot) const;
  /// The bytes from `address` on, by the map as it is now: without time.
  void peek(std::uint64_t address, std::uint8_t* data, std::uint64_t length) const;
  void poke(std::uint64_t address, const std::uint8_t* data, std::uint64_t length);

  /// The disks as a power loss now would leave them; of the write under way (null: none) `sectors` have been written, and the one
  /// after them is cut off. Precondition: the drive holds data.
  MediaImage image(const Slot* writing, std::uint32_t sectors) const;
  /// Takes these disks and rebuilds the map from them; precondition: no command is in the drive. Throws std::runtime_error where
  /// a block is on them nowhere.
  void mount(const MediaImage& image);

 private:
  void set_part(Slot& slot, std::uint32_t done);
  std::uint64_t bytes(std::uint64_t sectors) const { return sectors * sector_bytes_; }
  /// Calls `visit(offset on the media, offset in the data, length)` for the piece of each block of [address, address + length).
  template <typename Visit>
  void for_each_piece(std::uint64_t address, std::uint64_t length, Visit visit) const;
  /// The whole block as the current part's write leaves it.
  void merge(const Slot& slot, std::vector<std::uint8_t>& block) const;

  const mechanics::AccessPlanner& planner_;
  std::uint64_t sector_bytes_;
  eager::BlockLayout layout_;
  eager::BlockMap map_;
  eager::FreeSearch search_;
  Media* media_;
  std::optional<eager::BlockHeaders> headers_;
  std::uint64_t next_sequence_ = 1;
  std::vector<std::uint8_t> block_;  ///< one block on its way to the media
  EagerStatistics statistics_;
};

}  // namespace platter::drive
