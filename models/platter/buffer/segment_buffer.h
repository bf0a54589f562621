// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "platter/buffer/use_order.h"
#include "platter/mechanics/access_planner.h"

namespace platter::buffer {

using core::Lba;
using core::Picoseconds;
using mechanics::AccessPlanner;
using mechanics::Extent;
using mechanics::HeadState;

/// What a read finds in the buffer.
struct Hit {
  enum class Kind : std::uint8_t {
    Miss,
    Partial,  ///< its first blocks
    Whole,    ///< all of it, possibly still on its way from the media
  };
  Kind kind = Kind::Miss;
  std::uint32_t blocks = 0;  ///< number of blocks, from the first one, that are there or on their way
  std::size_t segment = 0;
};

/// Neighbouring blocks that wait to be written.
struct DirtyBlocks {
  std::size_t segment;
  Lba first;
  std::uint32_t blocks;
  Picoseconds data_end;  ///< when all of their data is in the buffer
};

/// Knows which blocks of the media a read-ahead must not read.
class BarrierIf {
 public:
  virtual ~BarrierIf() = default;
  /// The first such block in [first, end); `end` if there is none. `begins`: a read-ahead begins, and ends there.
  virtual std::uint64_t barrier(std::uint64_t first, std::uint64_t end, bool begins) = 0;
};

/// The drive's buffer: circular segments of neighbouring blocks, reused in the order of their last use; the read-ahead that fills one of
/// them; and the blocks of cached writes on their way to the media. It models times only; the caller keeps the bytes.
///
/// The read-ahead needs no events. It is a walk along the tracks, whose state at any time follows from its start time. Each query advances
/// it to the time of the query.
class SegmentBuffer {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};

  /// Why a profile's buffer cannot work; "" if it can.
  static std::string objection(const profile::CacheProfile& profile);

  /// Precondition: the profile has segments. Throws std::invalid_argument where there is an objection.
  SegmentBuffer(const AccessPlanner& planner, const profile::CacheProfile& profile);

  /// `barrier` is asked before blocks get into the buffer that no host has asked for.
  void bind_barrier(BarrierIf& barrier) { barrier_ = &barrier; }

  bool write_back() const { return profile_.write_back != profile::WriteBack::Off; }
  std::uint32_t segment_blocks() const { return profile_.segment_blocks; }

  // --- reads ---

  /// What a read of these blocks at `now` finds. Blocks that the running read-ahead will fetch count as present, and a read that begins
  /// where it will end continues it. Only the progress of the read-ahead changes.
  Hit find(Lba first, std::uint32_t blocks, Picoseconds now);
  /// A read is served from the segment that `find` named; a read-ahead into that segment continues to this read's limit.
  void use(const Hit& hit, Lba first, std::uint32_t blocks);
  /// When a read that was found may begin to cross the bus, `earliest` or later, so that none of its blocks, sent one every `block_time`,
  /// leaves before it has come from the media.
  Picoseconds bus_start(const Hit& hit, Lba first, std::uint32_t blocks, Picoseconds block_time, Picoseconds earliest);
  /// A read from the media has ended: its blocks, and `passed` blocks before them, are in a segment now. `continues` is the partial hit
  /// whose segment the read continues, or null. Returns the segment; kNone if writes occupy all of them.
  std::size_t read_done(Lba first, std::uint32_t blocks, std::uint32_t passed, const Hit* continues);
  /// Number of blocks that passed under the head before `extent` and are kept, if the access waited `rotation` for its first sector.
  std::uint32_t passing(const Extent& extent, Picoseconds rotation) const;

  // --- read-ahead ---

  /// The drive continues to read into `segment` after a read whose last block was under the head until `now`. `wanted`: end of the waiting reads that
  /// continue that read, which are read in any case; 0: none waits.
  void start_read_ahead(std::size_t segment, Lba first, std::uint32_t blocks, const HeadState& place, Picoseconds now,
                        bool after_hit = false, std::uint64_t wanted = 0);
  bool reading_ahead(Picoseconds now) {
    if (stream_.active) advance(now);
    return stream_.active;
  }
  /// A read-ahead runs, as far as is known since the last query.
  bool streams() const { return stream_.active; }
  /// `now` while the read-ahead runs, or when the last one reached its limit. Nothing changes.
  Picoseconds read_ahead_until(Picoseconds now);
  /// Until then the drive reads for reads that have been served.
  Picoseconds held_until() const { return arm_held_; }
  /// Ends the read-ahead because an access is wanted at `now`. It still fetches what reads that have been served rely on, and no read
  /// moves its limit any more. Returns when the actuator is free, and sets `place` to the head position then.
  Picoseconds stop(Picoseconds now, HeadState& place);
  /// The actuator has not moved since the read-ahead was stopped, and a read that begins at `first` has its turn: goes on as if it had not been
  /// stopped, if that read continues it.
  void resume(Lba first);
  /// An access begins: the read-ahead that was stopped for it cannot go on.
  void leave() { stopped_.active = stream_.moves_arm = false; }
  /// True if a read hits on blocks that the read-ahead has yet to fetch.
  bool hits_ahead() const { return profile_.almost_read_hits; }
  /// False if the buffer never reads ahead.
  bool reads_ahead() const { return profile_.read_ahead != profile::ReadAhead::None; }
  /// True if a read-ahead may follow a read that begins at `first`, after a request that ended at `previous_end`.
  bool reads_ahead(Lba first, Lba previous_end) const { return !profile_.read_ahead_sequential || first == previous_end; }
  bool read_ahead_on_hit() const { return profile_.read_ahead_on_hit; }
  /// The segment's end, where a read-ahead after a hit would continue.
  Lba end_of(std::size_t segment) const { return Lba(segments_[segment].end); }

  // --- writes ---

  /// Stores a write of these blocks in a segment. False if it must wait until blocks have been written to the media.
  bool accept_write(Lba first, std::uint32_t blocks);
  /// All data of the write that was stored last, and of those before it, is there at `when`.
  void arrives(Picoseconds when) {
    Picoseconds& data_end = segments_[uses_.newest()].data_end;
    data_end = std::max(data_end, when);
  }
  /// True if blocks of a cached write that wait for the media overlap these.
  bool dirty(Lba first, std::uint32_t blocks) const;
  bool any_dirty() const { return dirty_segments_ > 0; }
  /// Calls `visit(first, end)` for each range of these blocks that waits to be written.
  template <typename Visitor>
  void for_each_dirty(Lba first, std::uint32_t blocks, Visitor visit) const {
    if (dirty_segments_ == 0) return;
    for (const Segment& segment : segments_) {
      const std::uint64_t from = std::max(first.value, segment.dirty_first);
      const std::uint64_t to = std::min(first.value + blocks, segment.dirty_end);
      if (from < to) visit(Lba(from), Lba(to));
    }
  }
  /// The same for all blocks of the drive.
  template <typename Visitor>
  void for_each_dirty(Visitor visit) const {
    for (const Segment& segment : segments_)
      if (segment.dirty()) visit(Lba(segment.dirty_first), Lba(segment.dirty_end));
  }
  /// Selects the next blocks to write to the media: those of the least recently used segment. False if none wait, or all are already on their way.
  bool next_destage(DirtyBlocks& blocks);
  /// These blocks have been written to the media.
  void destaged(const DirtyBlocks& blocks);
  /// Blocks have been written to the media without passing through the buffer. The buffer's copies of them become invalid.
  void invalidate(Lba first, std::uint32_t blocks);
  /// The data of these blocks is gone: empties the segments that have them, except those with blocks to be written.
  void forget(Lba first, std::uint32_t blocks);

  /// The drive has lost power: the buffer becomes empty, and nothing is on its way.
  void clear();

 private:
  struct Segment {
    std::uint64_t first = 0;
    std::uint64_t end = 0;  ///< empty: first == end
    bool written = false;   ///< holds data of a write
    bool reserved = false;  ///< used for writes only
    // Blocks to be written: [destaging_end, dirty_end) wait, [dirty_first, destaging_end) are on their way.
    std::uint64_t dirty_first = 0;
    std::uint64_t destaging_end = 0;
    std::uint64_t dirty_end = 0;
    Picoseconds data_end = 0;  ///< when all of their data is there

    bool empty() const { return first == end; }
    bool dirty() const { return dirty_first != dirty_end; }
    bool overlaps(std::uint64_t from, std::uint64_t to) const { return first < to && from < end; }
  };
  /// The state of the read-ahead along its track.
  struct Stream {
    bool active = false;
    bool moves_arm = false;  ///< it has run since the last `stop`
    bool ends = false;       ///< an access waits for the actuator: `limit` stays where it is
    Picoseconds began = 0;   ///< before that the arm has not moved
    std::size_t segment = 0;
    std::uint64_t limit = 0;      ///< first block that it does not read
    std::uint64_t next = 0;       ///< first block that it has not read
    std::uint64_t promised = 0;   ///< end of the blocks that reads already served rely on
    std::uint64_t run_first = 0;  ///< first block of the run under way
    std::uint32_t run_blocks = 0;
    Picoseconds moved = 0;  ///< when the arm reached the run's track
    Picoseconds start = 0;  ///< when the run's first sector came under the head
    Picoseconds duration = 0;
    HeadState place;
    // If `wraps`, the front of the track is read too. It comes under the head after the track's end.
    bool wraps = false;
    std::uint64_t front = 0;   ///< first block of the track
    Picoseconds front_in = 0;  ///< when all of the track is in the buffer
  };

  std::size_t reusable(bool for_write);
  /// As BarrierIf::barrier.
  std::uint64_t barrier(std::uint64_t first, std::uint64_t end, bool begins = false) const {
    return barrier_ != nullptr && first < end ? barrier_->barrier(first, end, begins) : end;
  }
  bool whole_track() const {
    return profile_.read_ahead == profile::ReadAhead::WholeTrack || profile_.read_ahead == profile::ReadAhead::WholeTrackNext;
  }
  bool keeps() const { return profile_.keep_read_blocks || whole_track(); }
  std::uint64_t track_first(std::uint64_t block) const;
  /// The run from a block to the end of its track.
  struct TrackRest {
    std::uint64_t from = 0;
    mechanics::TrackRun run{};
    std::uint64_t end() const { return from + run.blocks; }
  };
  TrackRest rest_of_track(std::uint64_t block) const;
  std::uint64_t track_end(std::uint64_t block) const { return rest_of_track(block).end(); }
  /// `next`: from the first block that the read-ahead would read on; {}: not known.
  std::uint64_t read_ahead_limit(const Segment& segment, std::uint64_t first, std::uint32_t blocks,
                                 const TrackRest& next) const;
  void begin_run(const TrackRest& rest, Picoseconds from);
  void advance(Picoseconds now);
  /// Stops waiting for the front of the track.
  void leave_track();
  /// Advances the read-ahead to `promised`; returns when it has read that far.
  Picoseconds run_to_promise();
  /// Ends the read-ahead because its segment is reused.
  void cancel();
  /// The same, if it is this segment's.
  void cancel(std::size_t segment);
  void extend(Segment& segment, std::uint64_t end);
  /// Blocks of a segment from here on are looked for.
  void mark(std::uint64_t from, std::uint64_t end);
  /// Takes back the marks of blocks that have been replaced.
  void renew_marks();
  /// False if no segment has this block.
  bool may_have(std::uint64_t block) const {
    const std::uint64_t part = block / part_blocks_ % kParts;
    return (marks_[part / 64] >> (part % 64) & 1) != 0;
  }
  void drop(Segment& segment, std::uint64_t end);
  void make_empty(Segment& segment) {
    segment.first = segment.end;
    some_empty_ = true;
  }

  const AccessPlanner& planner_;
  BarrierIf* barrier_ = nullptr;  ///< null: none
  profile::CacheProfile profile_;
  std::vector<Segment> segments_;
  UseOrder uses_;           ///< of the segments
  bool some_empty_ = true;  ///< false: no segment is empty; true: perhaps one is
  /// Most reads hit nothing. The drive's blocks in parts of a segment's size, numbered modulo kParts: those that a segment has, and perhaps others.
  static constexpr std::uint64_t kParts = 16384;
  static constexpr std::uint64_t kMarksToRenew = kParts / 32;
  std::array<std::uint64_t, kParts / 64> marks_{};
  std::uint64_t part_blocks_;
  std::uint64_t marked_ = 0;
  std::uint64_t most_marked_ = kMarksToRenew;
  std::uint32_t dirty_segments_ = 0;
  Stream stream_;
  Stream stopped_;            ///< the read-ahead that an access has stopped, until the access begins
  Picoseconds ended_ = 0;     ///< when the last read-ahead reached its limit
  Picoseconds looked_ = 0;    ///< time of the last query
  Picoseconds arm_held_ = 0;  ///< until then the drive continues to read for reads that have been served
};

}  // namespace platter::buffer
