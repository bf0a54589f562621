// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "platter/buffer/segment_buffer.h"
#include "platter/drive/actuator_unit.h"
#include "platter/drive/energy_account.h"
#include "platter/drive/host_bus.h"

namespace platter::drive {

/// What the buffer did for the host, and what it cost.
struct CacheStatistics {
  std::uint64_t read_hits = 0;      ///< reads served from the buffer
  std::uint64_t partial_hits = 0;   ///< reads whose first blocks came from the buffer
  std::uint64_t cached_writes = 0;  ///< writes completed before they were on the media
  std::uint64_t destages = 0;       ///< accesses that wrote cached blocks to the media

  /// Adds the counters of another actuator's segments.
  CacheStatistics& operator+=(const CacheStatistics& other) {
    read_hits += other.read_hits;
    partial_hits += other.partial_hits;
    cached_writes += other.cached_writes;
    destages += other.destages;
    return *this;
  }
};

/// Connects the drive with its buffer. It decides which reads the buffer serves and which writes it takes, creates the accesses
/// that write cached blocks to the media (destages), and controls the read-ahead of an actuator.
class CacheManager : public OpenReadAheadIf {
 public:
  /// `preparation`: bus overhead before a data transfer.
  CacheManager(const mechanics::AccessPlanner& planner, const profile::DriveProfile& profile, HostBus& bus,
               Picoseconds preparation);

  /// Null: no energy is accounted.
  void set_energy(EnergyAccount* energy) {
    energy_ = energy;
    if (energy != nullptr) energy->bind_read_ahead(this);
  }
  std::optional<Interval> open_read_ahead(Picoseconds now) override;
  void read_ahead_entered() override { read_ahead_since_ = core::kNoDeadline; }

  void bind_barrier(buffer::BarrierIf& barrier) { buffer_.bind_barrier(barrier); }
  const buffer::SegmentBuffer& segments() const { return buffer_; }
  const CacheStatistics& statistics() const { return statistics_; }
  /// Maximum number of internal accesses (destages) in the drive at once.
  std::size_t own_accesses() const { return destages_.size(); }
  /// The drive has lost its power: empties the buffer.
  void clear();

  // --- reads ---

  /// Serves a read at `now`; returns when its last block has left the drive. Returns nothing if the read needs the media: for all
  /// of its blocks, or, if the buffer has put the first ones on the bus, for the rest.
  std::optional<Picoseconds> serve(QueueEntry& entry, Picoseconds now, bool last_was_write);
  /// May an idle actuator read ahead after a read that the buffer has served?
  bool may_read_ahead(const QueueEntry& served, Picoseconds now);
  void read_ahead(const QueueEntry& served, const ActuatorUnit& unit, Picoseconds now);
  /// A read from the media has ended. `idle`: its actuator has no other work and may read ahead. `wanted`: it reads on up to this block, for waiting
  /// reads that begin where this one ends; 0: none waits.
  void read_ended(const QueueEntry& entry, ActuatorUnit& unit, Picoseconds now, bool idle, std::uint64_t wanted);
  /// May the drive read on for waiting reads that continue the last one?
  bool reads_on() const { return switches_.read_ahead && buffer_.hits_ahead(); }
  /// True if all blocks of a waiting read are in the buffer, or on their way there.
  bool holds(const QueueEntry& entry, Picoseconds now) {
    return buffer_.find(entry.command.extent.first, entry.command.extent.blocks, now).kind == buffer::Hit::Kind::Whole;
  }
  /// A command is complete. A read that begins where it ends is sequential.
  void completed(const mechanics::Extent& extent) { previous_end_ = core::Lba(extent.first.value + extent.blocks); }
  bool reads_ahead() const { return switches_.read_ahead; }
  /// Whether further reads are followed by a read-ahead. No effect on a drive that never reads ahead.
  void set_reads_ahead(bool on) { switches_.read_ahead = on && buffer_.reads_ahead(); }
  /// An actuator begins an access.
  void access_begins(const ActuatorUnit& unit) {
    if (reading_ == &unit) buffer_.leave();
  }
  /// Stops the read-ahead of an actuator that has other work. Returns when it is free: `now` or later.
  Picoseconds free_arm(ActuatorUnit& unit, Picoseconds now);

  // --- writes ---

  bool write_back() const { return switches_.write_back; }
  /// Whether further writes are cached. No effect on a drive that caches none.
  void set_write_back(bool on) { switches_.write_back = on && buffer_.write_back(); }
  /// May the buffer cache this write, once it has room?
  bool caches(const QueueEntry& entry) const {
    return switches_.write_back && !entry.asked.fua && entry.command.extent.blocks <= buffer_.segment_blocks();
  }
  /// Caches the write. Returns false if it must wait until cached blocks have been written to the media.
  bool take(const QueueEntry& entry);
  /// All data of the write that was cached last is in the buffer at `when`.
  void arrives(Picoseconds when) { buffer_.arrives(when); }
  /// True if blocks of `entry` are cached and not yet on the media.
  bool over_dirty(const QueueEntry& entry) const {
    return buffer_.dirty(entry.command.extent.first, entry.command.extent.blocks);
  }
  bool any_dirty() const { return buffer_.any_dirty(); }
  /// Drops these blocks from the buffer: a write puts them on the media without the buffer.
  void invalidate(const mechanics::Extent& extent);
  /// Drops these blocks, whose data is gone. Precondition: none of them waits to be written.
  void invalidate(std::uint64_t first, std::uint64_t blocks);
  /// The next access that writes cached blocks to the media, for the caller to complete; at its `data_ready` all of their data is there. Null if none
  /// is needed, or if the maximum number is already in the drive.
  QueueEntry* next_destage();
  /// The destage has ended, and its bytes are on the media: the buffer may discard the blocks.
  void destaged(const QueueEntry& own);

 private:
  /// A write of buffered blocks to the media.
  struct Destage {
    QueueEntry entry;
    buffer::DirtyBlocks blocks{};
  };

  /// The read-ahead runs from `from` on, if there is one.
  void read_ahead_goes_on(Picoseconds from) {
    if (energy_ != nullptr && buffer_.streams() && read_ahead_since_ == core::kNoDeadline) read_ahead_since_ = from;
  }
  /// The read-ahead ends at `end`: enters it in the account.
  void read_ahead_ends(Picoseconds now, Picoseconds end);
  /// Makes a change to the segments, which may end the read-ahead.
  template <typename Change>
  void change_segments(Change change);

  const mechanics::AccessPlanner& planner_;
  EnergyAccount* energy_ = nullptr;
  Picoseconds read_ahead_since_ = core::kNoDeadline;  ///< of which the account does not know; kNoDeadline: none
  HostBus& bus_;
  Picoseconds preparation_;
  buffer::SegmentBuffer buffer_;
  std::vector<Destage> destages_;
  struct {
    bool write_back;
    bool read_ahead;
  } switches_;
  CacheStatistics statistics_;
  core::Lba previous_end_{~std::uint64_t{0}};  ///< where the last completed command ended
  const ActuatorUnit* reading_ = nullptr;      ///< the actuator that last read ahead
};

}  // namespace platter::drive
