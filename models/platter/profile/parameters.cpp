// SPDX-License-Identifier: Apache-2.0
#include "platter/profile/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "platter/params/describe.h"

namespace platter::profile {

using params::at;
using params::from;
using params::OneOf;
using params::Range;
using params::required;

namespace {

constexpr double kMinLimit_ms = 1e-3;     ///< the unit of ATA
constexpr double kMaxLimit_ms = 4294967;  ///< what 32 bits of this unit hold

/// Converts rows of numbers to objects. `read` takes one row and returns what is wrong with it.
template <typename Object>
params::Field rows_of(std::vector<Object>& objects, std::vector<double> (*show)(const Object&),
                      std::string (*read)(const std::vector<double>& row, Object& object)) {
  return params::NumberRows{[&objects, show] {
                              std::vector<std::vector<double>> rows;
                              rows.reserve(objects.size());
                              for (const Object& object : objects) rows.push_back(show(object));
                              return rows;
                            },
                            [&objects, read](const std::vector<std::vector<double>>& rows) -> std::string {
                              objects.clear();
                              objects.reserve(rows.size());
                              for (std::size_t i = 0; i < rows.size(); ++i)
                                if (const std::string problem = read(rows[i], objects.emplace_back()); !problem.empty())
                                  return fmt::format("row {}: {}", i, problem);
                              return {};
                            }};
}

/// Reads whole numbers from a row, one after the other.
class RowReader {
 public:
  explicit RowReader(const std::vector<double>& row) : row_(row) {}

  template <typename Number>
  RowReader& whole(const char* name, Number& to, double least, double most) {
    const double value = row_[at_++];
    if (problem_.empty() && !(value >= least && value <= most && value == std::trunc(value)))
      problem_ = fmt::format("found {:g} as the {}, expected a whole number from {:g} to {:g}", value, name, least, most);
    if (problem_.empty()) to = static_cast<Number>(value);
    return *this;
  }
  RowReader& turns(double& to) {
    const double value = row_[at_++];
    if (problem_.empty() && !(std::abs(value) <= kMaxTurns))
      problem_ = fmt::format("found an angle of {:g} turns, expected {:g} to {:g}", value, -kMaxTurns, kMaxTurns);
    to = value;
    return *this;
  }
  RowReader& place(SectorPlace& to) {
    return whole("cylinder", to.cylinder, 0, kMaxCylinders - 1)
        .whole("head", to.head, 0, kMaxSurfaces - 1)
        .whole("sector", to.sector, 0, kMaxTrackSectors - 1);
  }
  const std::string& problem() const { return problem_; }

 private:
  static constexpr double kMaxTurns = 1e6;
  const std::vector<double>& row_;
  std::size_t at_ = 0;
  std::string problem_;
};

std::string wrong_length(const std::vector<double>& row, const char* expected) {
  return fmt::format("found {} numbers, expected {}", row.size(), expected);
}

std::vector<double> show_slip(const PlacedSlip& s) {
  return {double(s.place.cylinder), double(s.place.head), double(s.place.sector), double(s.count)};
}
std::string read_slip(const std::vector<double>& row, PlacedSlip& slip) {
  if (row.size() != 4) return wrong_length(row, "cylinder, head, sector, count");
  return RowReader(row).place(slip.place).whole("count", slip.count, 1, 0xFFFF'FFFFu).problem();
}

std::vector<double> show_remap(const PlacedRemap& r) {
  return {double(r.bad.cylinder),   double(r.bad.head),   double(r.bad.sector),  double(r.count),
          double(r.spare.cylinder), double(r.spare.head), double(r.spare.sector)};
}
std::string read_remap(const std::vector<double>& row, PlacedRemap& remap) {
  if (row.size() != 7) return wrong_length(row, "cylinder, head, sector, count, and the cylinder, head, sector instead");
  return RowReader(row).place(remap.bad).whole("count", remap.count, 1, kMaxTrackSectors).place(remap.spare).problem();
}

std::vector<double> show_run(const PatternRun& r) {
  std::vector<double> row{double(r.count), double(r.cylinder), double(r.step), r.angle, r.angle_step};
  if (!r.track) {
    row.push_back(r.node);
    return row;
  }
  row.insert(row.end(), {double(r.head), double(r.sectors_per_track)});
  if (r.first_sector != 0 || r.sectors != r.sectors_per_track)
    row.insert(row.end(), {double(r.first_sector), double(r.sectors)});
  return row;
}
std::string read_run(const std::vector<double>& row, PatternRun& run) {
  if (row.size() != 6 && row.size() != 7 && row.size() != 9)
    return wrong_length(
        row,
        "count, cylinder, step, angle, angle step, and a node (6), or head and sectors per track (7), perhaps with "
        "first sector and sectors (9)");
  constexpr double kFar = kMaxCylinders - 1;
  RowReader reader(row);
  reader.whole("count", run.count, 1, 0xFFFF'FFFFu)
      .whole("cylinder", run.cylinder, -kFar, kFar)
      .whole("step", run.step, -kFar, kFar);
  reader.turns(run.angle).turns(run.angle_step);
  run.track = row.size() > 6;
  if (!run.track) return reader.whole("node", run.node, 0, 0xFFFF'FFFFu).problem();
  reader.whole("head", run.head, 0, kMaxSurfaces - 1)
      .whole("number of sectors per track", run.sectors_per_track, 1, kMaxTrackSectors);
  run.first_sector = 0;
  run.sectors = run.sectors_per_track;
  if (row.size() == 9)
    reader.whole("first sector", run.first_sector, 0, kMaxTrackSectors - 1)
        .whole("number of sectors", run.sectors, 1, kMaxTrackSectors);
  return reader.problem();
}

}  // namespace

const params::Table<DriveProfile>& drive_parameters() {
  using P = DriveProfile;
  using G = GeometryProfile;
  using K = SeekProfile;
  using B = CacheProfile;
  using O = OverheadProfile;
  using W = PowerProfile;
  using L = PowerLossProfile;
  using R = RecoveryProfile;
  using Z = ZonesProfile;
  using D = LimitsProfile;
  const auto overhead = [](std::array<double, 2> O::* pair, std::size_t last) {
    return [pair, last](P& p) { return params::field(&(p.overhead.*pair)[last]); };
  };
  static const params::Table<P> table = {
      required<P>({"format", "", "version of the file format", at(&P::format), Range{1, 1}}),
      required<P>({"name", "", "name of the drive", at(&P::name)}),
      required<P>({"source", "", "where the numbers come from", at(&P::source)}),
      required<P>({"geometry.cylinders", "", "number of cylinders", at(&P::geometry, &G::cylinders), Range{2, kMaxCylinders}}),
      required<P>({"geometry.surfaces", "", "number of data surfaces", at(&P::geometry, &G::surfaces), Range{1, kMaxSurfaces}}),
      {"geometry.sector_bytes", "bytes", "size of a sector", at(&P::geometry, &G::sector_bytes), Range{512, 4096}},
      {"geometry.physical_sector_bytes", "bytes",
       "size of a physical sector, which is written as a whole: a write of a part of one reads it first, which takes a turn; "
       "0: "
       "geometry.sector_bytes",
       at(&P::geometry, &G::physical_sector_bytes), Range{0, 65536}},
      {"geometry.blocks", "", "blocks of the drive; the other blocks of its tracks are spares; 0: all blocks of the tracks",
       at(&P::geometry, &G::blocks), Range{0, 0x1p48}},
      {"geometry.layout", "",
       "cylinders: track by track, cylinder by cylinder; bands: bands of tracks on one surface after the other; tree: "
       "`geometry.node`",
       at(&P::geometry, &G::layout), OneOf{{"cylinders", "bands", "tree"}}},
      {"geometry.mapping", "", "order of the heads on odd cylinders, or in odd groups of bands", at(&P::geometry, &G::mapping),
       OneOf{{"plain", "serpentine", "serpentine-absolute"}}},
      {"geometry.spare_unit", "", "part of the drive to which a group of spare sectors belongs",
       at(&P::geometry, &G::spare_unit), OneOf{{"zone", "range", "cylinder", "track"}}},
      {"geometry.range_cylinders", "", "cylinders of a range, which is a unit for spares and skews",
       at(&P::geometry, &G::range_cylinders), Range{1, kMaxCylinders}},
      {"geometry.spares_at_front", "", "the spare sectors lie at the front of their cylinder, not at its end",
       at(&P::geometry, &G::spares_at_front)},
      {"geometry.slip_to_zone_end", "",
       "a slip moves all later blocks of the zone and does not use the spares of the cylinders",
       at(&P::geometry, &G::slip_to_zone_end)},
      {"geometry.head_offsets_turns", "turns", "angle of each head's tracks relative to the layout; empty: none",
       at(&P::geometry, &G::head_offsets_turns)},
      {"geometry.surface_shifts_tracks", "tracks",
       "position of the arm on each surface, relative to the cylinder: a head switch is then a seek over the difference; "
       "empty: none",
       at(&P::geometry, &G::surface_shifts_tracks)},
      {"geometry.band_tracks", "", "bands: tracks of a band", at(&P::geometry, &G::band_tracks), Range{0, kMaxCylinders}},
      {"geometry.band_direction", "",
       "bands: alternating: the first band of a group inward, the next one outward, and so on; inward: all bands inward",
       at(&P::geometry, &G::band_direction), OneOf{{"alternating", "inward"}}},
      {"geometry.surface_densities", "",
       "bands: factor of the sectors of a track on each surface, rounded to whole physical sectors; empty: 1",
       at(&P::geometry, &G::surface_densities)},
      {"geometry.track_skew_turns", "turns", "bands: angle from the start of a track to that of the next one in its band",
       at(&P::geometry, &G::track_skew_turns), Range{-1, 1}},
      {"geometry.head_skew_turns", "turns",
       "bands: angle from the start of a band's last track to that of the first one of the next band in the group",
       at(&P::geometry, &G::head_skew_turns), Range{-1, 1}},
      {"geometry.band_skew_turns", "turns",
       "bands: angle from the start of a group's last track to that of the first one of the next group",
       at(&P::geometry, &G::band_skew_turns), Range{-1, 1}},
      {"geometry.zone_skew_turns", "turns",
       "bands: angle from the start of a zone's last track to that of the first one of the next zone",
       at(&P::geometry, &G::zone_skew_turns), Range{-1, 1}},
      {"geometry.slips", "",
       "rows of a cylinder, head, sector and count: these many sectors, from this one on in the order of the mapping, hold no "
       "block",
       [](P& p) { return rows_of(p.geometry.slips, show_slip, read_slip); }},
      {"geometry.remaps", "",
       "rows of a cylinder, head, sector, count, and a cylinder, head, sector: the blocks of the first sectors are on the "
       "others",
       [](P& p) { return rows_of(p.geometry.remaps, show_remap, read_remap); }},
      required<P>({"seek.model", "", "form of the seek curve", at(&P::seek, &K::model),
                   OneOf{{"table", "sqrt-linear", "three-point"}}}),
      {"seek.points_us", "cylinders, us",
       "measured points [distance, time], ascending. table: they are the curve; otherwise: distances that do not follow the "
       "formula",
       at(&P::seek, &K::points_us)},
      {"seek.knee_cylinders", "",
       "sqrt-linear: the time is a + b*sqrt(distance) up to this distance, and c + d*distance beyond",
       at(&P::seek, &K::knee_cylinders)},
      {"seek.a_us", "us", "sqrt-linear: constant a of the short distances", at(&P::seek, &K::a_us)},
      {"seek.b_us", "us", "sqrt-linear: factor b of the short distances", at(&P::seek, &K::b_us)},
      {"seek.c_us", "us", "sqrt-linear: constant c of the long distances", at(&P::seek, &K::c_us)},
      {"seek.d_us", "us", "sqrt-linear: factor d of the long distances", at(&P::seek, &K::d_us)},
      {"seek.single_us", "us", "three-point: seek over one cylinder", at(&P::seek, &K::single_us), from(0)},
      {"seek.average_us", "us", "three-point: seek over a third of the stroke", at(&P::seek, &K::average_us), from(0)},
      {"seek.full_us", "us", "three-point: seek over the full stroke", at(&P::seek, &K::full_us), from(0)},
      {"seek.write_points_us", "cylinders, us",
       "measured points [distance, time] of seeks before writes, settle included, ascending; empty: those of reads and "
       "`mechanics.write_settle_us`",
       at(&P::seek, &K::write_points_us)},
      required<P>({"mechanics.rpm", "1/min", "spindle speed", at(&P::rpm), Range{100, 100000}}),
      {"mechanics.spin_up_s", "s", "time of the spindle from rest to full speed, after a standby or a loss of power",
       at(&P::spin_up_s), Range{0, 600}},
      {"mechanics.head_switch_us", "us", "time of a head switch", at(&P::head_switch_us), Range{0, 1e5}},
      {"mechanics.write_settle_us", "us",
       "time added to the move of a write to another track; a negative value shortens the move, at most to 0",
       at(&P::write_settle_us), Range{-1e5, 1e5}},
      {"mechanics.zero_latency_read", "",
       "a read that lies on one track begins with the first of its sectors that passes under the head",
       at(&P::zero_latency_read)},
      {"mechanics.zero_latency_write", "",
       "a write that lies on one track begins with the first of its sectors that passes under the head",
       at(&P::zero_latency_write)},
      {"mechanics.same_track_us", "us",
       "time after the overhead until a sector of the track under the head can be read, because the heads settle again",
       at(&P::same_track_us), Range{0, 1e5}},
      {"mechanics.same_track_write_us", "us",
       "time after the overhead until a sector of the track under the head can be written, because the heads settle again",
       at(&P::same_track_write_us), Range{0, 1e5}},
      {"mechanics.arrival_spread_us", "cylinders, us",
       "standard deviation of the head's arrival at its target: points [distance, deviation], with ascending distances and "
       "straight lines between them; empty: every arrival is at its time",
       at(&P::arrival_spread_us)},
      {"mechanics.arrival_spread_write_us", "cylinders, us", "the same for writes; empty: as for reads",
       at(&P::arrival_spread_write_us)},
      {"overhead.read_hit_after_read_us", "us", "command overhead of a read from the buffer after a read",
       overhead(&O::read_hit_us, 0), Range{0, 1e6}},
      {"overhead.read_hit_after_write_us", "us", "command overhead of a read from the buffer after a write",
       overhead(&O::read_hit_us, 1), Range{0, 1e6}},
      {"overhead.read_miss_after_read_us", "us", "command overhead of a read from the media after a read",
       overhead(&O::read_miss_us, 0), Range{0, 1e6}},
      {"overhead.read_miss_after_write_us", "us", "command overhead of a read from the media after a write",
       overhead(&O::read_miss_us, 1), Range{0, 1e6}},
      {"overhead.write_after_read_us", "us", "command overhead of a write after a read", overhead(&O::write_us, 0),
       Range{0, 1e6}},
      {"overhead.write_after_write_us", "us", "command overhead of a write after a write", overhead(&O::write_us, 1),
       Range{0, 1e6}},
      {"bus.read_block_us", "us", "bus time of one sector to the host", at(&P::bus_read_block_us), Range{0, 1e5}},
      {"bus.write_block_us", "us", "bus time of one sector from the host", at(&P::bus_write_block_us), Range{0, 1e5}},
      {"bus.reselect_us", "us", "time to get the bus again after the media access, before a read's data or a write's status",
       at(&P::bus_reselect_us), Range{0, 1e6}},
      {"bus.preparation_us", "us", "time before data cross the bus", at(&P::bus_preparation_us), Range{0, 1e6}},
      {"bus.read_completion_us", "us", "time after a read's last block", at(&P::bus_read_completion_us), Range{0, 1e6}},
      {"bus.write_completion_us", "us", "time with a write's status", at(&P::bus_write_completion_us), Range{0, 1e6}},
      {"bus.read_watermark", "", "share of a read that must be in the buffer before its transfer to the host begins",
       at(&P::bus_read_watermark), Range{0, 1}},
      {"bus.write_watermark_blocks", "",
       "blocks of a write that must be in the buffer before the first one is written, or all blocks of a shorter write",
       at(&P::bus_write_watermark_blocks), Range{0, 65535}},
      {"bus.overlap", "", "the next access may begin while data of the last one are still on the bus", at(&P::bus_overlap)},
      {"bus.hold_read", "",
       "true: a read from the media keeps the bus while it waits for its next sector; false: it releases the bus and gets it "
       "again",
       at(&P::bus_hold_read)},
      {"bus.hold_write", "",
       "true: a write larger than a segment keeps the bus while the segment is full; false: it releases the bus and gets it "
       "again",
       at(&P::bus_hold_write)},
      {"bus.never_disconnect", "",
       "a read keeps the bus from its command to its status, and a write as with `bus.hold_write`; needs `queue.depth` = 1",
       at(&P::bus_never_disconnect)},
      {"bus.read_disconnect_us", "us", "time to release the bus in the middle of a read", at(&P::bus_read_disconnect_us),
       Range{0, 1e6}},
      {"bus.write_disconnect_us", "us", "time to release the bus in the middle of a write larger than a segment",
       at(&P::bus_write_disconnect_us), Range{0, 1e6}},
      {"bus.write_low_watermark", "",
       "share of the full segment that is left when a write that has released the bus gets it again",
       at(&P::bus_write_low_watermark), Range{0, 1}},
      {"cache.segments", "", "number of buffer segments; 0: no cache", at(&P::cache, &B::segments), Range{0, 4096}},
      {"cache.segment_blocks", "", "sectors of a segment", at(&P::cache, &B::segment_blocks), Range{0, 1e6}},
      {"cache.read_ahead", "", "how far the drive reads ahead after the last block of a read", at(&P::cache, &B::read_ahead),
       OneOf{{"none", "track", "cylinder", "segment", "next-track", "whole-track", "whole-track-next"}}},
      {"cache.read_ahead_blocks", "",
       "most sectors that the drive reads ahead past the request, with `track`, `cylinder` and `segment`",
       at(&P::cache, &B::read_ahead_blocks), Range{0, 1e6}},
      {"cache.read_ahead_from_request_start", "",
       "with `cache.read_ahead_blocks` = 0: the size of the segment is counted from the request's end, so the read-ahead may "
       "overwrite the request's own sectors",
       at(&P::cache, &B::read_ahead_from_request_start)},
      {"cache.read_ahead_on_hit", "", "the drive also reads ahead after a hit, while it is idle",
       at(&P::cache, &B::read_ahead_on_hit)},
      {"cache.almost_read_hits", "",
       "a read waits for blocks that the running read-ahead has yet to fetch, and the drive reads on for a queued stream",
       at(&P::cache, &B::almost_read_hits)},
      {"cache.stop_in_sector", "", "a new access stops the read-ahead at once, not at the end of the sector",
       at(&P::cache, &B::stop_in_sector)},
      {"cache.keep_passing_sectors", "", "sectors that pass under the head before the first wanted sector are kept",
       at(&P::cache, &B::keep_passing_sectors)},
      {"cache.read_hits_on_writes", "", "reads may be served from written data", at(&P::cache, &B::read_hits_on_writes)},
      {"cache.keep_read_blocks", "",
       "true: blocks that the host has received are kept; false: only the blocks after them serve later reads",
       at(&P::cache, &B::keep_read_blocks)},
      {"cache.read_ahead_sequential", "", "the drive reads ahead only after a read that continues the request before it",
       at(&P::cache, &B::read_ahead_sequential)},
      {"cache.write_discards_reads", "", "a write empties all segments that hold read data",
       at(&P::cache, &B::write_discards_reads)},
      {"cache.write_updates_reads", "",
       "true: a write over blocks of a read segment leaves the segment valid; false: it empties the segment",
       at(&P::cache, &B::write_updates_reads)},
      {"cache.separate_write_segments", "", "write segments are never used for reads",
       at(&P::cache, &B::separate_write_segments)},
      {"cache.write_segments", "", "most segments that may hold data to be written", at(&P::cache, &B::write_segments),
       Range{0, 4096}},
      {"cache.write_back", "", "writes that complete when their data are in the buffer", at(&P::cache, &B::write_back),
       OneOf{{"off", "append", "interleaved"}}},
      {"cache.destage_entries", "",
       "engine firmware: entries for cached blocks on their way to the media, besides those of the queue",
       at(&P::cache, &B::destage_entries), Range{0, 4096}},
      {"controller.clock_mhz", "MHz", "clock of the controller", at(&P::controller_clock_mhz), Range{1, 10000}},
      {"controller.overhead_overlap", "",
       "a command's overhead runs from its arrival, in parallel with accesses of other commands", at(&P::overhead_overlap)},
      {"controller.firmware_base_cycles", "cycles", "firmware: cycles of each decision", at(&P::firmware_base_cycles),
       Range{0, 1e9}},
      {"controller.firmware_candidate_cycles", "cycles", "firmware: cycles for each command that it examines",
       at(&P::firmware_candidate_cycles), Range{0, 1e6}},
      {"controller.firmware_order_cycles", "cycles",
       "firmware: cycles for each step of an exact order, which has n*n*2^n steps for n commands",
       at(&P::firmware_order_cycles), Range{0, 1e6}},
      {"controller.age_limit_s", "s",
       "firmware: a command that has waited this long goes first; 1 to 4 s on drives of today; 0: no such rule",
       at(&P::age_limit_s), Range{0, 3600}},
      {"controller.stream_first", "",
       "firmware: a sequential stream goes first until another command reaches `controller.age_limit_s`; then the others that "
       "wait have a turn",
       at(&P::stream_first)},
      {"queue.depth", "", "tags of the command queue; at most 256 with the engines model, rtl and lockstep",
       at(&P::queue_depth), Range{1, kMaxTags}},
      {"queue.reject_when_full", "", "true: a command beyond the depth is answered with an error; false: it waits",
       at(&P::reject_when_full)},
      {"queue.task_attributes", "",
       "true: SCSI's ordered and head-of-queue commands are accepted; false: they are refused, as in SATA NCQ",
       at(&P::task_attributes)},
      {"actuators.count", "",
       "actuators, each with its share of the surfaces, of the segments and of the blocks, which are in the order of the "
       "actuators",
       at(&P::geometry, &G::actuators), Range{1, kMaxActuators}},
      {"actuators.by", "", "how the host sees the blocks of the actuators: in one device, or as a SCSI logical unit for each",
       at(&P::actuators_by), OneOf{{"address", "lun"}}},
      {"port.token_rate_bytes_per_s", "bytes/s",
       "rate of the token bucket that discrete and background commands pass before the queue; 0: no token bucket",
       at(&P::token_rate_bytes_per_s), Range{0, 4294967295.0}},
      {"port.token_depth_bytes", "bytes", "depth of the token bucket, cut to whole tokens of 4096 bytes",
       at(&P::token_depth_bytes), Range{4096, 4294967295.0}},
      {"power.spindle_w", "W",
       "power of the spindle at full speed; 0 here and in `power.electronics_w`: no energy is accounted",
       at(&P::power, &W::spindle_w), Range{0, 1000}},
      {"power.spindle_unloaded_w", "W", "power of the spindle with the heads unloaded (Idle_B); 0: as `power.spindle_w`",
       at(&P::power, &W::spindle_unloaded_w), Range{0, 1000}},
      {"power.spindle_slow_w", "W", "power of the spindle at reduced speed (Idle_C); 0: as with the heads unloaded",
       at(&P::power, &W::spindle_slow_w), Range{0, 1000}},
      {"power.electronics_w", "W", "power of the electronics of a drive that is ready (idle)", at(&P::power, &W::electronics_w),
       Range{0, 1000}},
      {"power.electronics_idle_a_w", "W", "power of the electronics in Idle_A; 0: as `power.electronics_w`",
       at(&P::power, &W::electronics_idle_a_w), Range{0, 1000}},
      {"power.electronics_idle_b_w", "W", "power of the electronics in Idle_B; 0: as in Idle_A",
       at(&P::power, &W::electronics_idle_b_w), Range{0, 1000}},
      {"power.electronics_idle_c_w", "W", "power of the electronics in Idle_C; 0: as in Idle_B",
       at(&P::power, &W::electronics_idle_c_w), Range{0, 1000}},
      {"power.electronics_standby_w", "W", "power of the electronics while the spindle is stopped; 0: as in Idle_C",
       at(&P::power, &W::electronics_standby_w), Range{0, 1000}},
      {"power.active_w", "W", "added to the electronics while an access runs", at(&P::power, &W::active_w), Range{0, 1000}},
      {"power.read_w", "W", "added while an access or a read-ahead reads", at(&P::power, &W::read_w), Range{0, 1000}},
      {"power.write_w", "W", "added while an access writes", at(&P::power, &W::write_w), Range{0, 1000}},
      {"power.coil_w", "W", "added while the arm accelerates or brakes, when the coil carries its full current",
       at(&P::power, &W::coil_w), Range{0, 1000}},
      {"power.coast_share", "",
       "share of the cylinders up to which a seek accelerates and then brakes; a longer seek coasts in between",
       at(&P::power, &W::coast_share), Range{0.001, 1}},
      {"power.start_w", "W",
       "power of the whole drive while the spindle gains speed; 0: as while an access waits for its sector",
       at(&P::power, &W::start_w), Range{0, 1000}},
      {"power.idle_a_s", "s", "time without an access after which the drive enters Idle_A (reduced electronics); 0: never",
       at(&P::power, &W::idle_a_s), Range{0, 1e5}},
      {"power.idle_b_s", "s", "time without an access after which the drive enters Idle_B (heads unloaded); 0: never",
       at(&P::power, &W::idle_b_s), Range{0, 1e5}},
      {"power.idle_c_s", "s", "time without an access after which the drive enters Idle_C (reduced speed); 0: never",
       at(&P::power, &W::idle_c_s), Range{0, 1e5}},
      {"power.standby_s", "s", "time without an access after which the drive stops its spindle; 0: never",
       at(&P::power, &W::standby_s), Range{0, 1e5}},
      {"power.idle_b_recovery_s", "s", "time from Idle_B until an access may begin", at(&P::power, &W::idle_b_recovery_s),
       Range{0, 600}},
      {"power.idle_c_recovery_s", "s", "time from Idle_C until an access may begin", at(&P::power, &W::idle_c_recovery_s),
       Range{0, 600}},
      {"power_loss.cache", "", "data that only the buffer holds when the power fails: it is lost, or the drive saves it",
       at(&P::power_loss, &L::cache), OneOf{{"volatile", "saved"}}},
      {"power_loss.torn_sector", "",
       "physical sector whose write a loss of power interrupts: it cannot be read until it is written again, or its front has "
       "the new bytes and the rest the old ones",
       at(&P::power_loss, &L::torn_sector), OneOf{{"unreadable", "mixed"}}},
      {"power_loss.ready_s", "s",
       "time from the full speed of the spindle, after the return of the power, until the drive accepts commands",
       at(&P::power_loss, &L::ready_s), Range{0, 600}},
      {"recovery.read_ms", "ms",
       "time that the recovery of a block has taken when each retry of a read has ended, ascending; empty: the steps of the "
       "Cheetah 15K.5's manual, in turns of this drive",
       at(&P::recovery, &R::read_ms), Range{0, 1e6}},
      {"recovery.write_ms", "ms", "the same of a block that cannot be written", at(&P::recovery, &R::write_ms), Range{0, 1e6}},
      {"recovery.limit_ms", "ms", "most time that a command spends on recovery; 0: no limit", at(&P::recovery, &R::limit_ms),
       Range{0, 1e6}},
      {"recovery.spares", "", "physical sectors that the drive can reallocate", at(&P::recovery, &R::spares), Range{0, 1e6}},
      {"recovery.scrub_after_ms", "ms",
       "time without a command after which the drive reads its media in the background, to find unreadable blocks; 0: never",
       at(&P::recovery, &R::scrub_after_ms), Range{0, 1e6}},
      {"recovery.scrub_blocks", "", "sectors of one access of this kind", at(&P::recovery, &R::scrub_blocks), Range{1, 65535}},
      {"recovery.scrub_limit_turns", "turns",
       "most turns that such an access spends on recovery before it notes the sector as pending and goes on; 0: no limit",
       at(&P::recovery, &R::scrub_limit_turns), Range{0, 1e6}},
      {"recovery.scrub_in_waits", "",
       "the drive reads its media also while an access waits for its sector: what passes under the head; no access is later "
       "for it",
       at(&P::recovery, &R::scrub_in_waits)},
      {"zones.model", "", "zones that are written in order: none, host-managed or host-aware", at(&P::zones, &Z::model),
       OneOf{{"none", "managed", "aware"}}},
      {"zones.zone_mib", "MiB", "size of a zone; the last zone may be smaller", at(&P::zones, &Z::zone_mib),
       Range{0x1p-11, 0x1p20}},
      {"zones.conventional", "",
       "conventional zones, the first ones of the drive: below 1 a share of all zones, otherwise their number",
       at(&P::zones, &Z::conventional), Range{0, 1e7}},
      {"zones.max_open", "", "zones that can be open at once; of a host-aware drive the number that it recommends",
       at(&P::zones, &Z::max_open), Range{1, 1e6}},
      {"zones.unrestricted_reads", "",
       "a read may pass the write pointer, and the end of a zone (URSWRZ); Linux refuses a drive on which it may not",
       at(&P::zones, &Z::unrestricted_reads)},
      {"zones.reset_ms", "ms", "time of a reset, for each zone that changes", at(&P::zones, &Z::reset_ms), Range{0, 1e6}},
      {"zones.finish_ms", "ms", "time of a finish, for each zone that changes", at(&P::zones, &Z::finish_ms), Range{0, 1e6}},
      {"duration_limits.supported", "",
       "hosts may use and change the duration descriptors of the drive; the workloads of a scenario may use them in any case",
       at(&P::limits, &D::supported)},
      {"duration_limits.cost_percent", "%",
       "most throughput that guidelines may cost: the policy LSPTF puts no command first that would cost more",
       at(&P::limits, &D::cost_percent), Range{0, 20}},
  };
  return table;
}

std::pair<const char*, std::string> actuators_objection(const DriveProfile& drive) {
  const std::uint32_t count = drive.geometry.actuators;
  if (count == 1) {
    if (drive.actuators_by == ActuatorsBy::Lun)
      return {"actuators.by", "found lun, expected address for a drive with one actuator"};
    return {};
  }
  const auto divided = [count](const char* key, std::uint32_t value) -> std::pair<const char*, std::string> {
    if (value % count == 0) return {};
    return {key, fmt::format("found {}, expected a multiple of the {} actuators, which have a share each", value, count)};
  };
  if (auto objection = divided("cache.segments", drive.cache.segments); !objection.second.empty()) return objection;
  if (auto objection = divided("cache.write_segments", drive.cache.write_segments); !objection.second.empty()) return objection;
  if (drive.power.given())
    return {"power.spindle_w", "is given, expected no power for a drive with several actuators: no energy is accounted"};
  if (drive.zones.model != ZoneModel::None) return {"zones.model", "expected none for a drive with several actuators"};
  if (drive.recovery.scrub_in_waits)
    return {"recovery.scrub_in_waits", "found true, expected false for a drive with several actuators"};
  if (drive.bus_never_disconnect)
    return {"bus.never_disconnect", "found true, expected false for a drive with several actuators: they share the bus"};
  return {};
}

std::pair<const char*, std::string> power_objection(const PowerProfile& p) {
  const auto given = [](const char* key, double value) -> std::pair<const char*, std::string> {
    return {key, fmt::format("found {:g}, expected 0: without `power.spindle_w` and `power.electronics_w` there is no energy",
                             value)};
  };
  if (!p.given()) {
    for (const auto& [key, value] : {std::pair{"power.spindle_unloaded_w", p.spindle_unloaded_w},
                                     {"power.spindle_slow_w", p.spindle_slow_w},
                                     {"power.electronics_idle_a_w", p.electronics_idle_a_w},
                                     {"power.electronics_idle_b_w", p.electronics_idle_b_w},
                                     {"power.electronics_idle_c_w", p.electronics_idle_c_w},
                                     {"power.electronics_standby_w", p.electronics_standby_w},
                                     {"power.active_w", p.active_w},
                                     {"power.read_w", p.read_w},
                                     {"power.write_w", p.write_w},
                                     {"power.coil_w", p.coil_w},
                                     {"power.start_w", p.start_w},
                                     {"power.idle_a_s", p.idle_a_s},
                                     {"power.idle_b_s", p.idle_b_s},
                                     {"power.idle_c_s", p.idle_c_s},
                                     {"power.standby_s", p.standby_s}})
      if (value > 0) return given(key, value);
    return {"power", ""};
  }
  const auto at_most = [](const char* key, double value, const char* than, double most) -> std::pair<const char*, std::string> {
    return {key, fmt::format("found {:g}, expected at most {:g}, which is `{}`", value, most, than)};
  };
  const double unloaded = p.spindle_unloaded_w > 0 ? p.spindle_unloaded_w : p.spindle_w;
  if (unloaded > p.spindle_w) return at_most("power.spindle_unloaded_w", unloaded, "power.spindle_w", p.spindle_w);
  if (p.spindle_slow_w > unloaded)
    return at_most("power.spindle_slow_w", p.spindle_slow_w, "power.spindle_unloaded_w", unloaded);
  double before = 0;
  const char* last = "";
  for (const auto& [key, value] : {std::pair{"power.idle_a_s", p.idle_a_s},
                                   {"power.idle_b_s", p.idle_b_s},
                                   {"power.idle_c_s", p.idle_c_s},
                                   {"power.standby_s", p.standby_s}}) {
    if (value <= 0) continue;
    if (value < before)
      return {key, fmt::format("found {:g}, expected at least {:g}, which is `{}`: a rest only deepens", value, before, last)};
    before = value;
    last = key;
  }
  return {"power", ""};
}

std::pair<const char*, std::string> recovery_objection(const RecoveryProfile& recovery) {
  for (const auto& [key, steps] : {std::pair{"recovery.read_ms", &recovery.read_ms}, {"recovery.write_ms", &recovery.write_ms}})
    for (std::size_t i = 0; i < steps->size(); ++i) {
      const double step = (*steps)[i];
      const double before = i > 0 ? (*steps)[i - 1] : 0;
      if (step > before && step <= 1e6) continue;
      if (step > before) return {key, fmt::format("found {:g}, expected at most 1000000 ms", step)};
      if (i == 0) return {key, fmt::format("found {:g}, expected more than 0: a retry takes time", step)};
      return {key, fmt::format("found {:g} after {:g}, expected ascending times, because each counts from the first retry on",
                               step, before)};
    }
  return {"recovery", ""};
}

const params::Table<ZoneProfile>& zone_parameters() {
  using Z = ZoneProfile;
  static const params::Table<Z> table = {
      required<Z>({"first_cylinder", "", "first cylinder of the zone", at(&Z::first_cylinder)}),
      required<Z>({"last_cylinder", "", "last cylinder of the zone", at(&Z::last_cylinder)}),
      required<Z>({"sectors_per_track", "", "sectors of each track", at(&Z::sectors_per_track), Range{1, kMaxTrackSectors}}),
      {"offset_sectors", "sectors", "angle of the zone's first sector", at(&Z::offset_sectors)},
      {"track_skew_sectors", "sectors", "skew from one track to the next", at(&Z::track_skew_sectors)},
      {"cylinder_skew_sectors", "sectors", "skew from one cylinder to the next", at(&Z::cylinder_skew_sectors)},
      {"range_skew_sectors", "sectors", "skew added at each boundary of `geometry.range_cylinders`",
       at(&Z::range_skew_sectors)},
      {"front_sectors", "", "sectors at the zone's front that hold no block", at(&Z::front_sectors)},
      {"spare_sectors", "", "spare sectors in each `geometry.spare_unit`", at(&Z::spare_sectors)},
      {"slips", "", "physical sectors of the zone, in mapping order, that hold no block", at(&Z::slips)},
      {"slipped_tracks", "", "tracks of the zone, in mapping order, that hold no block", at(&Z::slipped_tracks)},
      {"remaps", "", "pairs of a physical sector and the physical sector of the zone that holds its block instead",
       at(&Z::remaps)},
      {"surfaces", "", "bands: the surfaces that have this zone; empty: all", at(&Z::surfaces)},
  };
  return table;
}

const params::Table<PatternNode>& node_parameters() {
  static const params::Table<PatternNode> table = {
      required<PatternNode>(
          {"runs", "",
           "rows in the order of the blocks: count, cylinder, step, angle, angle step of a pattern's instances, and "
           "the pattern: an earlier node, or head and sectors per track, perhaps with first sector and sectors",
           [](PatternNode& node) { return rows_of(node.runs, show_run, read_run); }}),
  };
  return table;
}

const params::Table<DurationProfile>& duration_parameters() {
  using D = DurationProfile;
  static const std::vector<std::string_view> policies = {"complete-earliest",    "continue-next-limit", "continue-no-limit",
                                                         "complete-unavailable", "abort-recovery",      "abort"};
  static const params::Table<D> table = {
      {"inactive_ms", "ms", "limit of the time from the arrival of a command until its first access; 0: none",
       at(&D::inactive_ms), Range{0, kMaxLimit_ms}},
      {"inactive_policy", "", "when it has passed; complete-earliest, complete-unavailable or abort", at(&D::inactive_policy),
       OneOf{policies}},
      {"active_ms", "ms", "limit of the time from the first access until the completion; 0: none", at(&D::active_ms),
       Range{0, kMaxLimit_ms}},
      {"active_policy", "", "when it has passed; complete-earliest, complete-unavailable, abort-recovery or abort",
       at(&D::active_policy), OneOf{policies}},
      {"guideline_ms", "ms", "limit of the time from the arrival until the completion; 0: none", at(&D::guideline_ms),
       Range{0, kMaxLimit_ms}},
      {"guideline_policy", "", "when it has passed; all but abort-recovery", at(&D::guideline_policy), OneOf{policies}},
  };
  return table;
}

namespace {

constexpr std::array<command::LimitPolicy, 6> kPolicies = {
    command::LimitPolicy::CompleteEarliest,    command::LimitPolicy::ContinueNextLimit, command::LimitPolicy::ContinueNoLimit,
    command::LimitPolicy::CompleteUnavailable, command::LimitPolicy::AbortRecovery,     command::LimitPolicy::Abort};

command::DurationLimit limit(double time_ms, LimitAction action) {
  return {core::to_picoseconds(time_ms, core::kPicosecondsPerMillisecond), kPolicies[static_cast<std::size_t>(action)]};
}

}  // namespace

command::DurationTable duration_table(const LimitsProfile& limits) {
  command::DurationTable table;
  for (const auto& [way, descriptors] : {std::pair{0u, &limits.reads}, {1u, &limits.writes}})
    for (std::size_t i = 0; i < std::min<std::size_t>(descriptors->size(), command::DurationTable::kDescriptors); ++i) {
      const DurationProfile& d = (*descriptors)[i];
      table.descriptors[way][i] = {limit(d.inactive_ms, d.inactive_policy), limit(d.active_ms, d.active_policy),
                                   limit(d.guideline_ms, d.guideline_policy)};
    }
  table.cost_permille = static_cast<std::uint32_t>(limits.cost_percent * 10 + 0.5);
  return table;
}

std::pair<std::string, std::string> limits_objection(const LimitsProfile& limits) {
  using command::LimitKind;
  using Found = std::pair<std::string, std::string>;
  const double permille = limits.cost_percent * 10;
  if (std::none_of(command::kGuidelineCosts.begin(), command::kGuidelineCosts.end(),
                   [&](std::uint32_t code) { return std::abs(permille - code) < 1e-9; }))
    return Found("duration_limits.cost_percent",
                 fmt::format("found {:g}, expected 0, 0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 8, 10, 15 or 20: the standards have codes "
                             "for these only",
                             limits.cost_percent));
  for (const auto& [name, descriptors] : {std::pair{"read", &limits.reads}, {"write", &limits.writes}}) {
    if (descriptors->size() > command::DurationTable::kDescriptors)
      return Found(
          fmt::format("duration_limits.{}.{}", name, command::DurationTable::kDescriptors),
          fmt::format("found {} descriptors, expected at most {}", descriptors->size(), command::DurationTable::kDescriptors));
    for (std::size_t i = 0; i < descriptors->size(); ++i) {
      const DurationProfile& d = (*descriptors)[i];
      const auto object = [&, direction = name](const char* key, std::string text) {
        return Found(fmt::format("duration_limits.{}.{}.{}", direction, i, key), std::move(text));
      };
      for (const auto& [kind, word, time_ms, action] :
           {std::tuple{LimitKind::Inactive, "inactive", d.inactive_ms, d.inactive_policy},
            {LimitKind::Active, "active", d.active_ms, d.active_policy},
            {LimitKind::Guideline, "guideline", d.guideline_ms, d.guideline_policy}}) {
        const std::string policy = fmt::format("{}_policy", word);
        if (!command::permitted(kind, kPolicies[static_cast<std::size_t>(action)]))
          return object(policy.c_str(), fmt::format("found a policy that the standards do not have for this limit, expected {}",
                                                    kind == LimitKind::Guideline ? "any but abort-recovery"
                                                    : kind == LimitKind::Active
                                                        ? "complete-earliest, complete-unavailable, abort-recovery or abort"
                                                        : "complete-earliest, complete-unavailable or abort"));
        if (time_ms == 0 && action != LimitAction::CompleteEarliest)
          return object(policy.c_str(), fmt::format("found a policy without a limit, expected {}_ms above 0", word));
        if (time_ms > 0 && time_ms < kMinLimit_ms)
          return object(
              fmt::format("{}_ms", word).c_str(),
              fmt::format("found {:g}, expected 0 or at least {:g} ms, the unit of the standards", time_ms, kMinLimit_ms));
      }
      if (d.guideline_ms > 0 && d.inactive_ms >= d.guideline_ms)
        return object("inactive_ms", fmt::format("found {:g}, expected less than guideline_ms, which is {:g}: the guideline "
                                                 "counts from the same arrival to a later end",
                                                 d.inactive_ms, d.guideline_ms));
      if (d.guideline_ms > 0 && d.active_ms > d.guideline_ms)
        return object("active_ms", fmt::format("found {:g}, expected at most guideline_ms, which is {:g}: the guideline "
                                               "counts the same work and the wait before it",
                                               d.active_ms, d.guideline_ms));
    }
  }
  return {};
}

void add_to(params::Grammar& grammar, DriveProfile& profile, const std::string& prefix) {
  grammar.allow_base(
      prefix, "profile that this file starts from, a shipped one or a file; the keys of this file are those that differ");
  grammar.add(drive_parameters(), profile, prefix);
  grammar.add_array(prefix.empty() ? "geometry.zone" : prefix + ".geometry.zone", "zone", zone_parameters(),
                    profile.geometry.zones, false);
  grammar.add_array(prefix.empty() ? "geometry.node" : prefix + ".geometry.node", "node", node_parameters(),
                    profile.geometry.nodes, false);
  const std::string limits = (prefix.empty() ? "" : prefix + ".") + "duration_limits.";
  grammar.add_array(limits + "read", "descriptor", duration_parameters(), profile.limits.reads, false);
  grammar.add_array(limits + "write", "descriptor", duration_parameters(), profile.limits.writes, false);
}

namespace {

/// Calls `show` with a grammar that is bound to a copy of the profile.
template <typename Show>
auto shown(const DriveProfile& profile, Show show) {
  DriveProfile copy = profile;
  params::Grammar grammar;
  add_to(grammar, copy);
  return show(grammar);
}

}  // namespace

nlohmann::json configuration(const DriveProfile& profile) { return shown(profile, params::to_json); }
std::string to_toml(const DriveProfile& profile) {
  return shown(profile, [](const params::Grammar& grammar) { return params::to_toml(grammar, true); });
}

}  // namespace platter::profile
