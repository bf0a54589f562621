// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "platter/buffer/segment_buffer.h"
#include "platter/core/sc_time.h"
#include "platter/drive/hazard_queue.h"
#include "platter/media/faults.h"
#include "platter/media/media.h"

namespace platter::drive {

/// What an access does about blocks that cannot be read or written at once: it climbs the ladder of retries, and goes to the spares of
/// reallocated sectors. This part knows the times and the rules; media::Faults has the faults and what the drive knows of its sectors.
///
/// The ladder of a profile has the time that the recovery of a block has taken when each retry has ended. A retry that succeeds ends after
/// whole turns, because the block passes under the head again. A recovery that fails ends with the ladder's last time, or at the limit.
class Recovery : public buffer::BarrierIf {
 public:
  Recovery(const mechanics::AccessPlanner& planner, const profile::RecoveryProfile& profile, const media::Media& media,
           media::Faults& faults, HazardQueue& queue, const buffer::SegmentBuffer* segments, bool placing);

  /// False if no access meets anything: no fault was ever added, and no sector is torn.
  bool on() const { return faults_.on() || !media_.all_readable() || outcome_.any; }
  media::Faults& faults() { return faults_; }
  const media::Faults& faults() const { return faults_; }
  const media::MediaErrors& errors() const { return faults_.errors(); }

  /// What the access in progress meets, as `climb` has found.
  struct Outcome {
    bool any = false;         ///< it meets anything
    Picoseconds begin = 0;    ///< of the recovery, from the begin of the transfer
    Picoseconds time = 0;     ///< of all recovery
    std::uint32_t turns = 0;  ///< of retries
    bool failed = false;      ///< the access ends without the block `bad`
    std::uint64_t bad = 0;    ///< block on the media
    bool fresh = false;       ///< the drive has not known before that `bad` cannot be read
    bool moves = false;       ///< it ends at `end`, and not where its extent ends
    mechanics::HeadState end;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> reallocated;  ///< (block, spare) of sectors that are put on spares
    std::uint32_t attempts = 0;                                        ///< reallocations, the one that found no spare included
    std::uint32_t detours = 0;                                         ///< ways to spares that were in use before
  };

  /// The access of `entry` begins at `effective`: changes its times by what it meets, and `result.timing`.
  const Outcome& climb(QueueEntry& entry, mechanics::CommittedAccess& time, Picoseconds effective);
  /// The access of `entry` has ended at `now`: what it has met becomes known to the drive. The outcome is valid until the next `climb`.
  const Outcome& ended(const QueueEntry& entry, Picoseconds now);
  /// The host's block that the access of a command meets at a block of the media.
  std::uint64_t host_block(const QueueEntry& entry, std::uint64_t block) const {
    const std::uint64_t before = entry.walk.unit.fetching ? entry.walk.unit.within : 0;
    const std::uint64_t first = placing_ ? entry.first() + entry.walk.done - before : entry.command.extent.first.value;
    return first + (block - entry.command.extent.first.value);
  }
  /// A read-ahead ends before a block that needs recovery: nobody waits for it.
  std::uint64_t barrier(std::uint64_t first, std::uint64_t end, bool begins) override {
    if (!on()) return end;
    const std::uint64_t next = next_bad(first, end, core::now_ps());
    if (begins && next < end) ++faults_.errors().read_ahead_stops;
    return next;
  }
  /// The defects that the drive knows of have been replaced: finds the places of its spares. Throws core::InputError if they come from a disk
  /// file and the drive has no such place.
  void find_spares();
  /// What makes this no place of a spare, of the form "found ..., expected ..."; an empty text if nothing does.
  static std::string objection(const mechanics::Geometry& geometry, const media::DiskSpare& spare);
  /// The drive has lost its power.
  void halt() { outcome_.any = false; }

  /// Most time that a command of the host spends on recovery, ps; 0: no limit (the error recovery control of ATA).
  Picoseconds limit(bool write) const { return limit_[write]; }
  void set_limit(bool write, Picoseconds limit) { limit_[write] = limit; }
  Picoseconds profile_limit() const { return profile_limit_; }

  std::uint64_t spares_left() const { return spares_ - std::min<std::uint64_t>(spares_, faults_.spares().size()); }
  /// The first block in [first, end) that a read would fail at or be delayed by; `end` if there is none. For reads that nobody waits for.
  std::uint64_t next_bad(std::uint64_t first, std::uint64_t end, Picoseconds now) const;

 private:
  enum class Step : std::uint8_t {
    Turns,   ///< more turns, and the block is good
    Retry,   ///< a read climbs the ladder
    Write,   ///< a write climbs it, and puts the sector on a spare
    Detour,  ///< the sector lies on a spare
  };
  /// What an access meets at a block.
  struct Trouble {
    std::uint64_t block = 0;
    Step step = Step::Turns;
    std::uint32_t number = 0;  ///< Turns: of them; Retry: the retry that succeeds; 0: none does
    std::uint64_t fault = 0;   ///< its number; 0: none
  };
  /// A place of a reallocated sector.
  struct Spare {
    core::Cylinder cylinder;
    core::Head head;
    Picoseconds start_phase = 0;
    Picoseconds duration = 0;  ///< of the physical sector
  };

  void find_troubles(const QueueEntry& entry, Picoseconds now);
  void add_surfaces(const QueueEntry& entry, Picoseconds now);
  /// Appends what befalls the first of these blocks whose data the read needs from its own place. Returns false if there is none.
  bool add_first(const QueueEntry& entry, std::uint64_t first, std::uint64_t end, Trouble trouble);
  /// Appends what befalls each physical sector of these blocks that is not on a spare.
  void add_each(std::uint64_t first, std::uint64_t end, Trouble trouble);
  /// The data of the block comes from an older write that is in the drive.
  bool covered(const QueueEntry& entry, std::uint64_t block);
  /// From the begin of the transfer until a block has passed.
  Picoseconds passed(const mechanics::Extent& extent, const mechanics::AccessTime& time, std::uint64_t block) const;
  /// Time that the way to a spare and back to the block `next` adds, if the sector before `next` ends at `end`. Without `next` (kNone) the
  /// access ends at the spare.
  Picoseconds detour(const mechanics::Extent& extent, const Spare& spare, std::uint64_t block, std::uint64_t next,
                     Picoseconds end);
  Picoseconds whole_turns(Picoseconds time) const {
    const Picoseconds period = planner_.rotation().period();
    return (time + period - 1) / period * period;
  }
  std::uint32_t begun_turns(Picoseconds time) const {
    return static_cast<std::uint32_t>(whole_turns(time) / planner_.rotation().period());
  }
  mechanics::HeadState place_of(std::uint64_t block) const;
  std::optional<std::uint64_t> new_spare(std::uint64_t block);
  Spare find_spare(std::uint64_t block);
  /// The track of a place in the layout; nothing if it has no block.
  static std::optional<mechanics::TrackRun> track_at(const mechanics::Geometry& geometry, mechanics::PhysicalAddress place);
  /// The layout's place of a spare that is not on the last tracks.
  static mechanics::PhysicalAddress place_of(const mechanics::Geometry& geometry, const media::DiskSpare& spare);
  Spare spare_on(const mechanics::TrackRun& track, const mechanics::PhysicalAddress& place) const;
  /// The spare of this number on the last tracks.
  Spare last_spare(std::uint64_t number) const;

  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  static constexpr std::uint32_t kLastTracks = ~0u;

  const mechanics::AccessPlanner& planner_;
  const media::Media& media_;
  media::Faults& faults_;
  HazardQueue& queue_;
  const buffer::SegmentBuffer* segments_;  ///< null: the drive has no buffer
  bool placing_;
  std::vector<Picoseconds> ladder_[2];  ///< of reads and of writes
  Picoseconds profile_limit_;
  Picoseconds limit_[2];
  std::uint64_t spares_;
  std::vector<Spare> places_;  ///< of the spares in use, and of those that the access in progress takes
  /// (arm's cylinder and head, sector) of sectors in use as spares, by number; kLastTracks: it has no sector
  std::vector<std::pair<std::uint32_t, std::uint32_t>> taken_;
  Outcome outcome_;
  std::vector<media::Faults::Met> met_;
  std::vector<Trouble> troubles_;
};

}  // namespace platter::drive
