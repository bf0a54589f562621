// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "platter/core/types.h"
#include "platter/mechanics/arrival_spread.h"
#include "platter/mechanics/geometry.h"
#include "platter/mechanics/rotation.h"
#include "platter/mechanics/seek_curve.h"
#include "platter/profile/drive_profile.h"

namespace platter::mechanics {

/// The drive's state between two accesses: where arm and heads are, what they did last, and what the host bus still carries.
struct HeadState {
  Cylinder cylinder;            ///< of the arm
  Head head;                    ///< the head in use
  bool last_was_write = false;  ///< the last command; the overhead of the next one depends on it
  Picoseconds bus_free = 0;     ///< absolute time at which the last block read so far has left the bus; the planner ignores it

  /// All are equal.
  friend bool operator==(const HeadState& a, const HeadState& b) {
    return a.cylinder == b.cylinder && a.head == b.head && a.last_was_write == b.last_was_write && a.bus_free == b.bus_free;
  }
};

/// A request as the mechanics see it: everything that does not depend on when it is served, computed once. Times are in ps.
struct Extent {
  Lba first;                    ///< first block on the media
  std::uint32_t blocks = 0;     ///< number of blocks
  bool write = false;           ///< a write
  Cylinder cylinder;            ///< of the first sector
  Head head;                    ///< of the first sector
  Cylinder end_cylinder;        ///< of the last sector
  Head end_head;                ///< of the last sector
  Angle start_angle = 0;        ///< where the first sector starts
  Angle end_angle = 0;          ///< where the last sector ends, or further where a read waits for the bus
  Picoseconds start_phase = 0;  ///< `start_angle` as a phase
  Picoseconds end_phase = 0;    ///< phase at which the next access may begin
  Picoseconds media = 0;        ///< from the first sector's start to the last one's end, crossings included
  Picoseconds transfer =
      0;  ///< from the first sector's start until the next access may begin: `media`; without bus overlap, of a read, the later of `media` and `bus_finish`
  Picoseconds bus_finish = 0;  ///< from the first sector's start until the last block has left over a free bus (reads)
  Picoseconds data_lead = 0;   ///< writes: data must begin to arrive this long before the first sector, so that none waits
  std::uint32_t tracks = 0;    ///< passes over a track; a track of which a part of a physical sector is written is passed twice
  std::uint32_t start_sector = 0;  ///< number of the first sector on its track
  std::uint32_t sectors = 0;       ///< physical ones, slipped ones between the blocks included
  bool inside = false;             ///< its blocks stay in the drive (reads)
  bool connected = false;          ///< the command already holds the bus before its first sector comes (reads)
};

/// Parts of one access in ps, in the order in which they pass.
struct AccessTime {
  Picoseconds overhead = 0;   ///< of the controller
  Picoseconds seek = 0;       ///< arm movement, or head switch where that takes longer
  Picoseconds settle = 0;     ///< of the heads, before a write; may be negative
  Picoseconds data_wait = 0;  ///< write data still on the bus
  Picoseconds rotation = 0;   ///< wait until the access begins
  Picoseconds transfer = 0;   ///< until the next access may begin
  // These run from the transfer's start, in parallel with it.
  Picoseconds media = 0;       ///< until the last sector has passed
  Picoseconds bus_finish = 0;  ///< until the last block has left over a free bus (reads)
  Picoseconds early = 0;       ///< until the first sector comes, if the access begins in the middle of its sectors
  Picoseconds deviation =
      0;  ///< standard deviation of the head's arrival, whose mean is `overhead + seek + settle`; 0: no spread

  /// Time until the access begins, which may be in the middle of its sectors (zero latency).
  Picoseconds positioning() const { return overhead + seek + settle + data_wait + rotation; }
  /// Time until the first sector comes. From there an access in order takes `Extent::transfer`; no access takes longer.
  Picoseconds to_first() const { return positioning() + early; }
  /// Time until the next access may begin.
  Picoseconds total() const { return positioning() + transfer; }
  /// Time by which the head may arrive later than it does here and still be there when the first sector comes.
  Picoseconds leeway() const { return data_wait + rotation + early; }
};

/// An access that has been carried out: its times with the arrival that it had.
struct CommittedAccess : AccessTime {
  /// Turns by which its first sector came later than at the mean arrival, because the head arrived behind it; negative: turns by which it
  /// came earlier.
  std::int32_t missed = 0;
  Picoseconds behind = 0;  ///< if it missed a turn: time from the sector's start to the head's arrival
};

/// Default of `guard.quantile`: at most one command in a million is later than the guard has charged.
inline constexpr double kGuardQuantile = 0.999999;

/// The single source of access times: scheduler, guard, controller, admission and tests all use it. Transfers run in order at constant
/// speed, so the end of an access, and with it the cost from there to the next access, does not depend on when the access ran. A
/// zero-latency access that begins in the middle of its sectors ends earlier. `plan` gives that earlier end, `Extent` keeps the geometric
/// one. All bounds hold nevertheless, because reaching a sector earlier never means reaching the next one later.
///
/// On a drive whose arrivals have a spread, every estimate is of the mean arrival and has its deviation. Only `commit` draws an arrival. It
/// moves an access by whole turns, so the end of an access stays the same angle.
class AccessPlanner {
 public:
  /// Throws std::invalid_argument for a profile that describes no drive. `guard_quantile`: of the arrival that the deadline guard counts on.
  explicit AccessPlanner(const profile::DriveProfile& profile, double guard_quantile = kGuardQuantile);

  const Geometry& geometry() const { return geometry_; }           ///< cylinders, heads, blocks
  const SeekCurve& seek_curve() const { return seek_curve_; }      ///< seek time over distance
  const Rotation& rotation() const { return rotation_; }           ///< period and angle of the spindle
  const ArrivalSpread& arrival_spread() const { return spread_; }  ///< of the head's arrivals
  Picoseconds head_switch() const { return head_switch_; }         ///< time of a head switch
  Picoseconds write_settle() const { return write_settle_; }       ///< added to the positioning of a write
  /// The write settle after a seek over `distance` > 0 cylinders: longer or shorter where the drive has a seek curve of its own for writes.
  Picoseconds write_settle(std::uint32_t distance) const {
    return write_settles_.empty() ? write_settle_ : Picoseconds{write_settles_[distance]} * core::kPicosecondsPerNanosecond;
  }
  Picoseconds most_write_settle() const { return most_write_settle_; }             ///< the longest after a seek or head switch
  Picoseconds bus_block_time(bool write) const { return bus_block_time_[write]; }  ///< of one block on the host bus
  /// Overhead of a command that needs the media.
  Picoseconds command_overhead(bool write, bool last_was_write) const { return command_overhead_[write][last_was_write]; }
  /// The part of it that delays an access which follows another one at once.
  Picoseconds overhead(bool write, bool last_was_write) const {
    return overhead_overlap_ ? 0 : command_overhead_[write][last_was_write];
  }
  bool overhead_overlap() const { return overhead_overlap_; }  ///< overheads run from a command's arrival
  /// Overhead of a read that the buffer serves.
  Picoseconds read_hit_overhead(bool last_was_write) const { return read_hit_overhead_[last_was_write]; }

  /// Geometry of a request. Precondition: it lies on the drive and has at least one block. A write of a part of a physical sector begins
  /// with that physical sector, and takes a turn more on its track: the sector is read, and written when it comes again.
  /// `continues`: a read whose first blocks the host has received from the buffer.
  Extent resolve(Lba first, std::uint32_t blocks, bool write, bool continues = false) const {
    return resolve_part(first, blocks, blocks, write, continues);
  }

  /// The same of a read whose blocks do not cross the bus.
  Extent resolve_inside(Lba first, std::uint32_t blocks) const {
    Extent extent = resolve(first, blocks, false);
    extent.inside = true;
    extent.transfer = extent.bus_finish = extent.media;
    extent.end_phase = rotation_.phase(extent.start_phase + extent.media);
    extent.end_angle = rotation_.angle_at(extent.end_phase);
    return extent;
  }

  /// For a write whose access begins with block `from` of the extent: time from the start of this block's sector until `blocks` blocks are on the media.
  Picoseconds written_after(const Extent& extent, std::uint32_t from, std::uint32_t blocks) const;

  /// How long the access would take if it began at `now` (>= 0); write data is in the buffer from `data_ready` on.
  /// Where overheads run from the arrival (`overhead_overlap`), this command's overhead ends at `overhead_end`.
  // A decision calls it for each command: the call itself would be a quarter of its time.
  [[gnu::always_inline]] AccessTime estimate(const HeadState& head, const Extent& extent, Picoseconds now,
                                             Picoseconds data_ready = 0, Picoseconds overhead_end = 0) const {
    return plan(head, extent, rotation_.phase(now), data_ready - now, overhead_end - now);
  }

  /// The same without the deviation of the arrival, for a caller that needs it for few of its commands.
  [[gnu::always_inline]] AccessTime estimate_without_deviation(const HeadState& head, const Extent& extent, Picoseconds now,
                                                               Picoseconds data_ready = 0, Picoseconds overhead_end = 0) const {
    return plan_without_deviation(head, extent, rotation_.phase(now), data_ready - now, overhead_end - now);
  }
  /// Fills in the deviation that `estimate_without_deviation` has left out.
  void add_deviation(const HeadState& head, const Extent& extent, AccessTime& time) const {
    if (__builtin_expect(spread_.any(), 0)) time.deviation = deviation(head, extent, time);
  }

  /// The same from a phase instead of a time; `data_wait` is the time from then until write data is in the buffer,
  /// `overhead_left` until the overhead is over.
  [[gnu::always_inline]] AccessTime plan(const HeadState& head, const Extent& extent, Picoseconds phase, Picoseconds data_wait,
                                         Picoseconds overhead_left = 0) const {
    AccessTime time = plan_without_deviation(head, extent, phase, data_wait, overhead_left);
    add_deviation(head, extent, time);
    return time;
  }

  /// Carries the access out, and leaves `head` where the access ends. The head arrives as `draws` says; without, at the mean time.
  CommittedAccess commit(HeadState& head, const Extent& extent, Picoseconds now, Picoseconds data_ready = 0,
                         Picoseconds overhead_end = 0, ArrivalDraws* draws = nullptr) const;

  /// Mean time until the access begins: `positioning` + turn * P(the head comes too late for the first sector) - turn * P(it comes early enough
  /// to take it one turn sooner), and so on for further turns.
  Picoseconds expected(const AccessTime& access) const;
  /// `positioning`, and one more turn if the head arrives less than so many deviations before the first sector (in units of 1 / 65,536).
  Picoseconds with_margin(const AccessTime& access, Picoseconds deviations) const {
    const Picoseconds margin = access.deviation * deviations >> 16;
    return access.positioning() + (access.leeway() < margin ? rotation_.period() : 0);
  }
  /// What the deadline guard charges for the time until the first sector comes: `to_first`, if the head arrives at the guard's quantile.
  Picoseconds guarded(const AccessTime& access) const {
    if (access.deviation == 0) return access.to_first();
    return access.to_first() + turns_behind(spread_.guarded(access.deviation) - access.leeway()) * rotation_.period();
  }

  /// What guard and sweep charge for an access after its first sector has come: `transfer`, or the bus if that ends more than one block later.
  Picoseconds hold(const Extent& extent) const { return std::max(extent.transfer, extent.bus_finish - bus_block_time_[false]); }

  /// The state after an access.
  static HeadState end_of(const Extent& extent) { return {extent.end_cylinder, extent.end_head, extent.write, 0}; }

  /// Upper bound of the time from the end of an access until the first sector of the next one comes.
  Picoseconds longest_hop() const;

  /// May accesses begin in the middle of their sectors?
  bool zero_latency() const { return zero_latency_[0] || zero_latency_[1]; }
  /// Least rotational wait at which an access begins in the middle of its sectors instead (zero latency); 0 if it never does.
  Picoseconds least_wait_replaced(const Extent& extent) const {
    if (!zero_latency_[extent.write] || extent.tracks != 1 || extent.sectors < 2) return 0;
    return rotation_.period() - (extent.media - extent.media / extent.sectors);
  }

  /// Time from the end of `from` until the first sector of `to` comes when `to` begins `delay` after that end. It does not depend on when `from` ran.
  Picoseconds onward(const Extent& from, const Extent& to, Picoseconds delay) const {
    return delay + plan_without_deviation(end_of(from), to, rotation_.phase(from.end_phase + delay), 0, 0).to_first();
  }

  /// Upper bound of `onward` for a drive with a buffer. Between the two accesses the buffer may serve commands and the drive may run
  /// internal accesses. These change what the host did last, and with it the overhead of `to`.
  /// On a drive whose arrivals have a spread it counts on the guard's quantile.
  // The guard calls it for each hop of the sweep.
  [[gnu::always_inline]] Picoseconds most_onward(const Extent& from, const Extent& to, Picoseconds delay) const {
    const Picoseconds most = delay + more_overhead_[to.write][from.write];
    AccessTime access = plan_without_deviation(end_of(from), to, rotation_.phase(from.end_phase + most), 0, 0);
    if (spread_.any()) access.deviation = spread_.deviation(distance(from.end_cylinder, to.cylinder), to.write);
    return most + guarded(access);
  }

  /// Positioning without the rotational wait: the longer of seek and head switch, and the write settle if anything moved. On the same track
  /// it is the time that the heads take to settle again.
  void move(Cylinder cylinder, Head head, Cylinder to_cylinder, Head to_head, bool write, Picoseconds& seek,
            Picoseconds& settle) const {
    const std::uint32_t cylinders = distance(cylinder, to_cylinder);
    settle = 0;
    if (cylinders == 0 && head == to_head) {
      seek = same_track_[write];
      return;
    }
    seek = cylinders == 0 ? 0 : seek_curve_(cylinders);
    if (head != to_head && seek < head_switch_) seek = head_switch_;
    if (!write) return;
    settle = cylinders == 0 ? write_settle_ : write_settle(cylinders);
    if (settle < -seek) settle = -seek;
  }

 private:
  static std::uint32_t distance(Cylinder from, Cylinder to) {
    return from > to ? from.value - to.value : to.value - from.value;
  }
  /// A write settle below 0 shortens the seek, which takes this time at least.
  static Picoseconds shortest_seek(const AccessTime& time) { return -std::min<Picoseconds>(time.settle, 0); }
  /// Of the arrival of an access that has its parts up to the settle.
  Picoseconds deviation(const HeadState& head, const Extent& extent, const AccessTime& time) const;
  [[gnu::always_inline]] AccessTime plan_without_deviation(const HeadState& head, const Extent& extent, Picoseconds phase,
                                                           Picoseconds data_wait, Picoseconds overhead_left) const {
    AccessTime time;
    time.overhead = !overhead_overlap_  ? command_overhead_[extent.write][head.last_was_write]
                    : overhead_left > 0 ? overhead_left
                                        : 0;
    move(head.cylinder, head.head, extent.cylinder, extent.head, extent.write, time.seek, time.settle);
    plan_arrived(extent, phase, data_wait, time);
    return time;
  }
  /// The parts of an access behind the head's arrival.
  [[gnu::always_inline]] void plan_arrived(const Extent& extent, Picoseconds phase, Picoseconds data_wait,
                                           AccessTime& time) const {
    const Picoseconds before = time.overhead + time.seek + time.settle;
    if (extent.write && data_wait > before) time.data_wait = data_wait - before;
    const Picoseconds arrival = rotation_.phase(phase + before + time.data_wait);
    time.rotation = rotation_.wait(arrival, extent.start_phase);
    time.transfer = extent.transfer;
    time.media = extent.media;
    time.bus_finish = extent.bus_finish;
    if (zero_latency_[extent.write] && extent.tracks == 1) take_as_they_come(extent, arrival, time);
  }
  /// Turns until a sector comes again, once the head has arrived `late` after its start; 0 if it was there in time.
  Picoseconds turns_behind(Picoseconds late) const { return late <= 0 ? 0 : (late - 1) / rotation_.period() + 1; }
  /// `resolve` for the first blocks of a request whose blocks from there on are `rest`. They alone may be a part of a physical sector that
  /// the request writes as a whole.
  Extent resolve_part(Lba first, std::uint32_t blocks, std::uint32_t rest, bool write, bool continues) const;
  /// True if a write of `rest` blocks from `first` on, of which `run` is the begin, has a part of a physical sector on the run's track.
  bool reads_first_on(TrackRun run, std::uint64_t first, std::uint32_t rest) const;
  /// The run with all of the physical sectors of which it has a part.
  TrackRun whole_physical_sectors(TrackRun run) const;
  void take_as_they_come(const Extent& extent, Picoseconds arrival, AccessTime& time) const;
  /// Blocks of a read that are in the buffer when its transfer to the host begins.
  std::uint32_t watermark(std::uint32_t blocks) const {
    return std::max<std::uint32_t>(1, static_cast<std::uint32_t>(bus_read_watermark_ * static_cast<double>(blocks)));
  }

  Geometry geometry_;
  SeekCurve seek_curve_;
  Rotation rotation_;
  ArrivalSpread spread_;
  Picoseconds head_switch_;
  Picoseconds write_settle_;
  Picoseconds most_write_settle_;
  std::vector<std::int32_t> write_settles_;  ///< nanoseconds, by distance; empty: `write_settle_`
  std::array<Picoseconds, 2> bus_block_time_;
  std::array<Picoseconds, 2> same_track_;
  std::array<std::array<Picoseconds, 2>, 2> command_overhead_;
  bool overhead_overlap_;
  std::array<std::array<Picoseconds, 2>, 2> more_overhead_{};  ///< by which an overhead may exceed that after the last access
  std::array<Picoseconds, 2> read_hit_overhead_;
  std::array<bool, 2> zero_latency_;
  double bus_read_watermark_;
  Picoseconds bus_begin_;  ///< time on the bus before the data of a read from the media
  std::array<Picoseconds, 2> bus_leave_;
  bool bus_hold_read_;
  bool bus_never_disconnect_;
  bool read_leaves_bus_;                ///< a read that has no data to send loses time by leaving the bus
  std::uint32_t write_segment_blocks_;  ///< a larger write leaves the bus
  std::uint32_t write_low_blocks_;      ///< blocks left in the segment when the write gets the bus again
  bool bus_overlap_;
};

}  // namespace platter::mechanics
