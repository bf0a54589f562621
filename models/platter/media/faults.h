// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "platter/media/disk_file.h"
#include "platter/media/fault.h"

namespace platter::media {

class Media;

/// What a drive has counted of its errors. SMART attributes and results are made from them.
struct MediaErrors {
  std::uint64_t retried = 0;           ///< accesses that needed recovery
  std::uint64_t retry_turns = 0;       ///< turns that recovery took, begun ones included
  std::uint64_t recovered = 0;         ///< accesses that recovery saved
  std::uint64_t uncorrectable = 0;     ///< commands that ended with an unreadable block, and internal reads that did
  std::uint64_t write_errors = 0;      ///< writes that could not be put on the media: no spare was left
  std::uint64_t lost_destages = 0;     ///< of them, writes that had been answered from the buffer
  std::uint64_t pending = 0;           ///< physical sectors that could not be read, and have not been written since
  std::uint64_t reallocated = 0;       ///< physical sectors that are on a spare now
  std::uint64_t reallocations = 0;     ///< attempts to reallocate one
  std::uint64_t detours = 0;           ///< accesses to spares
  std::uint64_t read_ahead_stops = 0;  ///< read-aheads that ended before a block that cannot be read
  std::uint64_t timeouts = 0;          ///< commands that were never answered and have been aborted or reset
  std::uint64_t resets = 0;            ///< restarts of the firmware
  std::uint64_t link_drops = 0;        ///< losses of the link
  std::uint64_t late = 0;              ///< answers that came later
  std::uint64_t silent_writes = 0;     ///< silent: sectors whose write was lost or went elsewhere
  std::uint64_t silent_reads = 0;      ///< silent: reads that returned wrong data
  std::uint64_t scrubbed_blocks = 0;   ///< blocks that scrubbing and self-tests have read
  std::uint64_t wait_blocks = 0;       ///< blocks that were read in rotational waits
  std::uint64_t scrub_errors = 0;      ///< of the physical sectors pending, those that scrubbing or a self-test found

  MediaErrors& operator+=(const MediaErrors& other);
  static constexpr std::size_t kCounters = 20;  ///< how many there are
  /// All counters, in the order of the disk file.
  static const std::array<std::uint64_t MediaErrors::*, kCounters>& all();
  /// Their values, in this order.
  std::array<std::uint64_t, kCounters> values() const;
};

/// What a drive knows of its bad sectors, and what it has counted. It keeps this without power.
struct Defects {
  std::vector<std::uint64_t> pending;  ///< physical sectors
  std::vector<DiskSpare> spares;       ///< by number
  MediaErrors errors;

  /// Puts it in a file that is new.
  void save(DiskFile& file) const;
};

/// The faults of one drive: those that have been added and have not ended, what the drive knows of bad sectors, and its counters. Without
/// time of its own and without mechanics; the drive asks.
///
/// A fault begins and ends when it is asked for, so it takes no event. Precondition of all times: they do not descend.
class Faults {
 public:
  /// `together`: blocks of a physical sector, which is read and written as a whole. `file`: it has the defects, and must live as long;
  /// null: they are in memory.
  Faults(std::uint32_t sector_bytes, std::uint32_t together, DiskFile* file = nullptr);

  /// False if there is nothing to ask for: no fault, no bad sector known, no spare in use.
  bool on() const { return on_; }
  /// A number by which the fault can be cleared. `objection` must have found nothing.
  std::uint64_t add(const Fault& fault) {
    add(std::vector<Fault>{fault});
    return next_id_ - 1;
  }
  /// Adds many at once.
  void add(const std::vector<Fault>& faults);
  /// Ends a fault. False if there is none of this number.
  bool clear(std::uint64_t id);
  /// Ends all faults. What the drive knows of bad sectors, and its counters, stay.
  void clear_all();

  struct Live {
    std::uint64_t id = 0;
    Fault fault;
    std::uint64_t commands_before = 0;  ///< of the drive, when it was added
    std::uint64_t accesses = 0;         ///< to its blocks, since it was added
    std::uint64_t used = 0;             ///< times that it took effect
    Picoseconds begun = -1;             ///< -1: it has not begun
  };
  /// In the order of their numbers.
  const std::vector<Live>& live() const { return live_; }

  // --- commands ---

  enum class Effect : std::uint8_t { None, Stuck, LinkDrop, Reset };
  /// A command of a host over these blocks (0 of them: a flush or a zone management command) has its turn. Counts it, and tells what befalls
  /// it; `delay`: of Reset. `may_stick`: false for a command that is never stuck.
  Effect command(std::uint64_t first, std::uint64_t blocks, Picoseconds now, Picoseconds& delay, bool may_stick = true);
  /// The earliest time at which a fault of the kinds LinkDrop and Reset is due by time alone; kNoDeadline: none.
  Picoseconds next_event() const;
  /// Takes such a fault that is due. `delay`: of Reset.
  Effect take_event(Picoseconds now, Picoseconds& delay);
  /// By how much an answer that is due now comes later.
  Picoseconds late(Picoseconds now);

  // --- accesses ---

  /// An access to these blocks begins.
  void access(std::uint64_t first, std::uint64_t blocks, Picoseconds now);
  /// What an access meets.
  struct Met {
    std::uint64_t block = 0;  ///< the first block in question
    FaultKind kind = FaultKind::Unreadable;
    std::uint32_t tries = 0;
    std::uint32_t turns = 0;
    std::size_t index = 0;  ///< of the fault in `live`
  };
  /// Appends, by ascending block, what an access to blocks [first, first + blocks) meets at `now`, without surfaces. To be called after `access`.
  void meets(std::uint64_t first, std::uint64_t blocks, bool write, Picoseconds now, std::vector<Met>& met) const;
  /// A fault has taken effect; nothing happens if it has been cleared meanwhile.
  void use_id(std::uint64_t id) {
    for (Live& live : live_)
      if (live.id == id) ++live.used;
  }
  /// The surfaces whose head has failed, one bit each.
  std::uint64_t failed_surfaces(Picoseconds now) const;
  /// The number of the fault by which the head of this surface has failed; 0: it works.
  std::uint64_t failed_head(std::uint32_t surface, Picoseconds now) const;
  /// The first block in [first, end) that a read would fail at or be delayed by; `end` if there is none. For reads that nobody waits for.
  std::uint64_t next_bad(std::uint64_t first, std::uint64_t end, Picoseconds now) const;

  /// A read of a block has failed, and the drive knows of it. Returns false if it has known that before.
  bool found(std::uint64_t block);
  /// These blocks have been written: those that were unreadable until then can be read.
  void written(std::uint64_t first, std::uint64_t blocks, Picoseconds now);
  bool is_pending(std::uint64_t block) const { return any_pending(block, block + 1); }
  /// A physical sector with one of the blocks [first, end) is pending.
  bool any_pending(std::uint64_t first, std::uint64_t end) const {
    const auto sector = pending_.lower_bound(first / together_);
    return sector != pending_.end() && *sector * together_ < end;
  }
  /// The pending physical sectors, by number.
  const std::set<std::uint64_t>& pending() const { return pending_; }
  /// The sector of a block from now on lies on the next spare, whose place is `track` and `place`: no fault of the old place concerns it.
  /// Precondition: it has none yet.
  void reallocate(std::uint64_t block, std::uint32_t track, std::uint32_t place);
  /// The spare of a block's physical sector; nothing if it has none.
  std::optional<std::uint64_t> spare_of(std::uint64_t block) const;
  /// Spares in use, by the physical sector.
  const std::map<std::uint64_t, std::uint64_t>& spares() const { return spares_; }
  /// The same by number.
  const std::vector<DiskSpare>& spare_places() const { return places_; }
  std::uint32_t together() const { return together_; }

  // --- without power ---

  /// A copy in memory.
  Faults copy() const {
    Faults copy = *this;
    copy.file_ = nullptr;
    return copy;
  }
  Defects defects() const { return {{pending_.begin(), pending_.end()}, places_, errors_}; }
  void set_defects(const Defects& defects);
  /// Puts the counters in the file, if there is one and they have changed.
  void keep_counters() {
    if (file_ != nullptr) put_counters();
  }

  // --- silent faults ---

  /// A silent fault has been added, or wrong data lies on the media.
  bool silent() const { return silent_ > 0 || !wrong_.empty(); }
  /// Does what Media::write does, with the silent faults; `data` null: on media that keep no bytes.
  void store(Media& media, std::uint64_t offset, const std::uint8_t* data, std::uint64_t bytes, Picoseconds now);
  /// Changes what a read of these bytes has got from the media; `data` null: only counts.
  void spoil(std::uint64_t offset, std::uint8_t* data, std::uint64_t bytes, Picoseconds now);
  /// A read returns these bytes to a host.
  void count_silent_read(std::uint64_t offset, std::uint64_t bytes, Picoseconds now);

  MediaErrors& errors() { return errors_; }
  const MediaErrors& errors() const { return errors_; }

 private:
  bool active(const Live& live, Picoseconds now) const;
  /// Calls `use(live)` with each fault that has blocks and overlaps [first, end).
  template <typename Use>
  void for_each(std::uint64_t first, std::uint64_t end, Use use) const;
  /// Takes blocks out of the faults of the kinds for which `of` is true.
  template <typename Of>
  void carve(std::uint64_t first, std::uint64_t end, Of of);
  /// Makes all that follows from `live_`.
  void renew();
  /// The active silent fault that a write of the block meets; null: none.
  Live* silent_write(std::uint64_t block, Picoseconds now);

  void set_pending(std::uint64_t sector, bool pending);
  void put_counters();

  std::uint32_t sector_bytes_;
  std::uint32_t together_;
  std::vector<Live> live_;
  /// Indices of the faults with blocks, by first block; `longest_`: blocks of the longest of them.
  std::vector<std::size_t> by_block_;
  std::vector<std::size_t> everywhere_;  ///< indices of the others
  std::vector<std::size_t> by_command_;  ///< indices of those that begin with a command
  std::vector<std::size_t> found_;       ///< scratch space of `carve`
  std::uint64_t commands_ = 0;           ///< of hosts
  std::uint64_t longest_ = 0;
  std::uint64_t silent_ = 0;  ///< number of silent faults
  std::uint64_t next_id_ = 1;
  bool on_ = false;
  std::set<std::uint64_t> pending_;                ///< physical sectors
  std::vector<DiskSpare> places_;                  ///< of the spares, by number
  std::map<std::uint64_t, std::uint64_t> spares_;  ///< by physical sector
  std::set<std::uint64_t> wrong_;                  ///< blocks that a lost or misdirected write has left with wrong data
  MediaErrors errors_;
  DiskFile* file_;
  std::array<std::uint64_t, MediaErrors::kCounters> kept_{};  ///< the counters in it
};

}  // namespace platter::media
