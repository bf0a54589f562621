// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "platter/buffer/segment_buffer.h"
#include "platter/drive/actuator_unit.h"
#include "platter/drive/host_bus.h"

namespace platter::drive {

/// What the buffer did for the host, and what it cost.
struct CacheStatistics {
  std::uint64_t read_hits = 0;      ///< reads served from the buffer
  std::uint64_t partial_hits = 0;   ///< reads whose first blocks were there
  std::uint64_t cached_writes = 0;  ///< writes complete before they were on the media
  std::uint64_t destages = 0;       ///< accesses that wrote them
};

/// The drive's side of its buffer: which reads it serves, which writes it takes, the accesses by which it writes them to the media, and the
/// arm that reads ahead.
class CacheManager {
 public:
  /// `preparation`: of the bus, before data crosses it.
  CacheManager(const mechanics::AccessPlanner& planner, const profile::DriveProfile& profile, HostBus& bus,
               Picoseconds preparation);

  const buffer::SegmentBuffer& segments() const { return buffer_; }
  const CacheStatistics& statistics() const { return statistics_; }
  /// How many accesses of its own may be in the drive at once.
  std::size_t own_accesses() const { return destages_.size(); }
  /// The power is lost: nothing is in the buffer.
  void clear();

  // --- reads ---

  /// Serves a read at `now`; returns when its last block has left. Nothing: it needs the media, for all of its blocks or, with the first ones
  /// on the bus, for the others.
  std::optional<Picoseconds> serve(Slot& slot, Picoseconds now, bool last_was_write);
  /// May an arm that has nothing to do read ahead behind a read that has been served?
  bool may_read_ahead(const Slot& served, Picoseconds now);
  void read_ahead(const Slot& served, const ActuatorUnit& unit, Picoseconds now);
  /// A read from the media has ended; `idle`: its arm has nothing else to do, and may read ahead.
  void read_ended(const Slot& slot, const ActuatorUnit& unit, bool idle);
  /// A command is complete, which the next one may follow.
  void completed(const mechanics::Extent& extent) { previous_end_ = core::Lba(extent.first.value + extent.blocks); }
  /// An arm is wanted: its read-ahead stops. Returns when it is free; now, or later.
  Picoseconds free_arm(ActuatorUnit& unit, Picoseconds now);

  // --- writes ---

  bool write_back() const { return buffer_.write_back(); }
  /// Is it one that the buffer takes, as soon as it has room?
  bool caches(const Slot& slot) const {
    return buffer_.write_back() && !slot.asked.fua && slot.command.extent.blocks <= buffer_.segment_blocks();
  }
  /// Takes it. False if it must wait until blocks have been written to the media.
  bool take(const Slot& slot);
  /// Does a cached write still wait for the media where `slot` reads or writes?
  bool over_dirty(const Slot& slot) const { return buffer_.dirty(slot.command.extent.first, slot.command.extent.blocks); }
  bool any_dirty() const { return buffer_.any_dirty(); }
  /// The blocks go to the media past the buffer.
  void invalidate(const mechanics::Extent& extent) { buffer_.invalidate(extent.first, extent.blocks); }
  /// The next access that writes to the media, for the caller to fill in; null: there is none, or as many as may be are on their way.
  Slot* next_destage();
  /// It has ended, and its bytes are on the media: the blocks are the buffer's to forget.
  void destaged(const Slot& own);

 private:
  /// A write of buffered blocks to the media.
  struct Destage {
    Slot slot;
    buffer::DirtyBlocks blocks{};
  };

  const mechanics::AccessPlanner& planner_;
  HostBus& bus_;
  Picoseconds preparation_;
  buffer::SegmentBuffer buffer_;
  std::vector<Destage> destages_;
  CacheStatistics statistics_;
  core::Lba previous_end_{~std::uint64_t{0}};  ///< where the last completed command ended
  const ActuatorUnit* reading_ = nullptr;      ///< whose arm has read ahead last
};

}  // namespace platter::drive
