// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "platter/buffer/segment_buffer.h"
#include "platter/drive/queue_entry.h"
#include "platter/drive/written_blocks.h"
#include "platter/mapping/mapping_if.h"
#include "platter/mapping/zones/zones.h"
#include "platter/media/faults.h"
#include "platter/media/media.h"

namespace platter::drive {

/// The durable state of a drive, as a loss of power leaves it: the media, and the state that the mapping keeps on them.
struct DurableImage {
  media::Media media;                   ///< the bytes of the sectors, and which of them cannot be read
  mapping::MapImage map;                ///< what the mapping keeps on the media; only the mapping interprets it
  media::Defects defects;               ///< pending sectors, spares and counters of errors
  std::optional<zones::Zones> zones{};  ///< of a drive with zones: their conditions and write pointers
};

/// @cond of the implementation

/// A write that is on its way to the media when the power fails, and how far it is.
struct WriteUnderWay {
  const QueueEntry* entry;
  WrittenBlocks so_far;
};

/// Moves the bytes of commands between their payloads, the media and the buffer, in zero time. Does nothing for a payload without
/// data, nor on a timing-only drive.
class DataPath {
 public:
  /// `segments`: of each actuator; none for a drive without a buffer.
  DataPath(media::Media& media, media::Faults& faults, mapping::MappingIf& mapping,
           std::vector<const buffer::SegmentBuffer*> segments, const profile::PowerLossProfile& power_loss)
      : sector_bytes_(media.sector_bytes()),
        media_(media),
        faults_(faults),
        mapping_(mapping),
        segments_(std::move(segments)),
        power_loss_(power_loss) {}

  /// Copies the data of the current access from the media and from cached writes to the payload of a read, and over it that of `writes`,
  /// older writes in the drive. Returns the first of the host's blocks that is unreadable, if there is one; the blocks of older writes need
  /// not be readable. Only the blocks before it are copied. It is known already if the entry's result says so.
  std::optional<std::uint64_t> read(const QueueEntry& entry, const std::vector<QueueEntry*>& writes) const;
  /// Puts the data of the current write on the media, or of its first `blocks` blocks; an internal write takes it from the buffer.
  void write(const QueueEntry& entry) { write_target(entry, target(entry)); }
  void write(const QueueEntry& entry, std::uint64_t blocks) {
    mapping::WriteTarget to = target(entry);
    to.bytes = bytes(blocks);
    if (blocks > 0) write_target(entry, to);
  }
  /// Keeps the bytes of a write that the buffer has taken, until they go to the media. For a write without data these are
  /// `present`, the bytes before it.
  void buffer(const QueueEntry& entry, const std::vector<std::uint8_t>& present);
  /// These cached blocks are on the media now, or lost: gives the memory of their bytes back.
  void drop(const mechanics::Extent& extent) { buffered_.clear(bytes(extent.first.value), bytes(extent.blocks)); }
  /// The data of these blocks is lost, on the media and in the buffer: they read as zeros. What the buffer still writes of them is zeros.
  void lose(std::uint64_t first, std::uint64_t blocks) {
    media_.drop(bytes(first), bytes(blocks));
    buffered_.clear(bytes(first), bytes(blocks));
  }
  /// The buffer has lost all of its blocks.
  void drop_all() { buffered_.clear(); }
  /// Bytes of the pages in memory: of the media, and of cached blocks that are not yet there.
  std::uint64_t kept() const { return media_.kept() + buffered_.kept(); }
  /// The bytes that a read would now return for the blocks of a write without data; empty for a write with data.
  std::vector<std::uint8_t> present(const QueueEntry& entry) const;
  /// Reads or writes in zero time what the host would find there. Precondition: the payload lies within the drive. Returns false
  /// if there are no bytes.
  bool look(const tlm::tlm_generic_payload& payload, std::uint64_t length);

  /// What would be durable if the power failed now. `writing`: the writes in progress.
  DurableImage image(const std::vector<WriteUnderWay>& writing) const;
  /// The power fails: brings the media into this state. The caller empties the buffer.
  void lose_power(const std::vector<WriteUnderWay>& writing);
  /// The electronics fail, or the firmware restarts: the same without the writes in progress.
  void halt() { save_buffered({media_, faults_}); }
  /// The power has returned: the mapping is read from the media. Precondition: `lose_power` was called, and no command is in the drive.
  void recover();
  /// Replaces the durable state by such an image. Precondition: no command is in the drive.
  void mount(const DurableImage& image);

 private:
  std::uint64_t bytes(std::uint64_t blocks) const { return blocks * sector_bytes_; }
  std::optional<std::uint64_t> unreadable(const QueueEntry& entry, const std::vector<QueueEntry*>& writes) const;
  /// Copies the data of `write` over the data of `read` where the two overlap.
  void overlay(const QueueEntry& read, const QueueEntry& write) const;
  mapping::WriteTarget target(const QueueEntry& entry) const;
  void write_target(const QueueEntry& entry, const mapping::WriteTarget& to);
  /// The bytes that the current write puts at `target`.
  void content(const QueueEntry& entry, const mapping::WriteTarget& target, std::vector<std::uint8_t>& data) const;
  /// The media and what is wrong with them: the drive's, or copies.
  struct Durable {
    media::Media& media;
    media::Faults& faults;
  };
  /// Puts bytes on the media; `data` null: without bytes.
  static void store(const Durable& on, std::uint64_t media_offset, const std::uint8_t* data, std::uint64_t length);
  /// The same with some blocks of a write, and the faults learn of it.
  void put(const Durable& on, const mapping::WriteTarget& to, const std::uint8_t* data, WrittenBlocks::Run run) const;
  /// Counts a read that returns wrong data because of a silent fault.
  void count_silent(const QueueEntry& entry) const;
  /// Reads the media's bytes, without those in the buffer.
  void peek(std::uint64_t address, std::uint8_t* data, std::uint64_t length) const;
  /// Calls `visit(first, end, offset)` for each range of bytes of [address, address + length) that a cached write holds.
  template <typename Visit>
  void for_each_buffered(std::uint64_t address, std::uint64_t length, Visit visit) const;
  void overlay_buffered(std::uint64_t address, std::uint8_t* data, std::uint64_t length) const;
  /// Puts on the media what a loss of power now would leave there; returns the map's part.
  mapping::MapImage apply_loss(const Durable& on, const std::vector<WriteUnderWay>& writing) const;
  /// The part of it that one write leaves.
  mapping::MapImage apply_write(const Durable& on, const QueueEntry& writing, WrittenBlocks so_far) const;
  /// Puts the cached blocks on the media, if the drive saves them.
  void save_buffered(const Durable& on) const;

  std::uint64_t sector_bytes_;
  media::Media& media_;
  media::Faults& faults_;
  mapping::MappingIf& mapping_;
  std::vector<const buffer::SegmentBuffer*> segments_;  ///< tell which bytes of `buffered_` are valid
  profile::PowerLossProfile power_loss_;
  mapping::MapImage lost_map_;         ///< that `recover` finds on the media
  media::Bytes buffered_;              ///< of the blocks that wait in the buffer
  std::vector<std::uint8_t> content_;  ///< scratch space of `write`
};

/// @endcond

}  // namespace platter::drive
