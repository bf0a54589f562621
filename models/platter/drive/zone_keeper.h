// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "platter/buffer/segment_buffer.h"
#include "platter/core/timed_call.h"
#include "platter/drive/hazard_queue.h"
#include "platter/drive/written_blocks.h"
#include "platter/mapping/zones/zones.h"
#include "platter/media/media.h"

namespace platter::drive {

/// The zones of a drive that has them. It tells which commands they permit when the drive accepts them, carries out zone management commands,
/// and keeps the durable state of the zones.
///
/// Invariant: while no write is on its way, the media have only zeros from the write pointer of a zone on, but for what transport_dbg has written.
class ZoneKeeper {
 public:
  /// A loss of what only the drive's electronics hold.
  struct Loss {
    const QueueEntry* writing = nullptr;  ///< the write in progress, of which a part is on the media; null: none is
    WrittenBlocks so_far;                 ///< that part
    bool buffer_saved = false;            ///< the blocks in the buffer are on the media
  };

  ZoneKeeper(const profile::DriveProfile& profile, std::uint64_t blocks, media::Media& media, const HazardQueue& queue);

  /// `segments`: of the buffer; null for a drive without one. `done`: called when a zone management command has been carried out.
  void bind(const buffer::SegmentBuffer* segments, std::function<void(QueueEntry&)> done) {
    segments_ = segments;
    done_ = std::move(done);
  }

  const zones::Zones& zones() const { return zones_; }

  /// The drive is about to accept this command. Returns Good, and the zones change; or why they refuse it. Precondition: it is valid otherwise.
  command::CommandStatus admit(const command::Command& command);
  /// The zone management command that was admitted last has this entry.
  void received(const QueueEntry& entry) { changes_[entry.tag.value] = std::move(admitted_); }
  /// The zone management command has its turn. Returns the time that it takes; 0: it is carried out.
  Picoseconds begin(QueueEntry& entry, Picoseconds now);
  /// Blocks whose data the command has removed.
  const std::vector<zones::BlockRange>& dropped(const QueueEntry& entry) const { return changes_[entry.tag.value].dropped; }

  /// Is the zone of this block written in order?
  bool in_order(std::uint64_t block) const {
    return zones_.descriptor(zones_.zone_of(block)).type == zones::ZoneType::SequentialRequired;
  }
  /// Are both blocks in one zone?
  bool together(std::uint64_t a, std::uint64_t b) const { return zones_.zone_of(a) == zones_.zone_of(b); }
  /// Does a younger command that waits reset or finish the zone of this write? Then the zone no longer depends on it.
  bool superseded(const QueueEntry& write) const;
  /// A write that the drive has accepted has been aborted: the write pointer goes back to it. Returns the blocks from there to the end of the
  /// zone, whose data is lost; none if the pointer stays.
  zones::BlockRange aborted(const QueueEntry& entry);
  /// These blocks are durable now: keeps the state of their zones in the disk file, if there is one. `entry`: their command, if it has not ended yet.
  void durable(std::uint64_t first, std::uint64_t blocks, const QueueEntry* entry) {
    if (media_.file() != nullptr) save(first, blocks, entry);
  }

  /// All commands in the drive and all of its buffer are lost.
  void lose(const Loss& loss);
  /// Nothing is on its way any more.
  void halt() { call_.cancel(); }
  /// The zones after such a loss, and `media`, a copy of the drive's, as their pointers then are.
  zones::Zones after(const Loss& loss, media::Media& media) const;
  void mount(const zones::Zones& zones) { zones_ = zones; }
  void wear_out(std::uint32_t zone, zones::ZoneCondition condition);

  /// Writes the zones to a file that is new.
  static void save(const zones::Zones& zones, media::DiskFile& file);
  /// Restores new zones from the file of `media`, and removes what lies behind their write pointers. Throws core::InputError for a record that
  /// no zone can have.
  static void load(zones::Zones& zones, media::Media& media);

 private:
  void carry_out(QueueEntry& entry);
  void settle(zones::Zones& zones, media::Media& media, const Loss& loss) const;
  /// Blocks from which on a loss of power would lose writes, one of each zone of a write.
  std::vector<std::uint64_t> would_lose(const QueueEntry* but) const;
  /// Adds the first of these blocks of each zone, in which the write pointer goes back to it.
  void add_lost(std::uint64_t first, std::uint64_t end, std::vector<std::uint64_t>& lost) const {
    for (; first < end; first = (zones_.zone_of(first) + 1) * zones_.options().zone_blocks) lost.push_back(first);
  }
  /// Writes the durable state of the zones of these blocks to the file. `entry`: as in `durable`.
  void save(std::uint64_t first, std::uint64_t blocks, const QueueEntry* entry);
  static void drop(media::Media& media, std::uint64_t first, std::uint64_t blocks) {
    media.drop(first * media.sector_bytes(), blocks * media.sector_bytes());
  }

  zones::Zones zones_;
  Picoseconds reset_;
  Picoseconds finish_;
  bool buffer_durable_;
  std::uint64_t sector_bytes_;
  media::Media& media_;
  const HazardQueue& queue_;
  const buffer::SegmentBuffer* segments_ = nullptr;
  std::function<void(QueueEntry&)> done_;
  zones::ZoneChange admitted_;
  std::vector<zones::ZoneChange> changes_;  ///< by tag
  QueueEntry* current_ = nullptr;           ///< the command that is being carried out
  core::TimedCall call_;
};

}  // namespace platter::drive
