// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "platter/core/types.h"

namespace platter::profile {

/// Largest number of tags of a queue.
inline constexpr std::uint32_t kMaxTags = 1024;

inline constexpr std::uint32_t kMaxCylinders = 1u << 21;  ///< of a drive
inline constexpr std::uint32_t kMaxActuators = 2;         ///< of a drive
inline constexpr std::uint32_t kMaxSurfaces = 64;         ///< of a drive
inline constexpr std::uint32_t kMaxTrackSectors = 65535;  ///< of a track

/// The order in which logical blocks use the heads of a cylinder.
enum class Mapping {
  Plain,               ///< heads in ascending order on every cylinder
  Serpentine,          ///< descending on the odd cylinders of each zone (DiskSim 4.0 mapping scheme 1)
  SerpentineAbsolute,  ///< descending on the odd cylinders of the drive (DiskSim 4.0 mapping scheme 2)
};

/// Which rule gives the place of a block.
enum class LayoutKind {
  Cylinders,  ///< sectors of a track, tracks of a cylinder, cylinders of a zone (DiskSim's "G1")
  Bands,      ///< bands of tracks on one surface after the other
  Tree,       ///< the repeated patterns of `GeometryProfile::nodes` (DiskSim's "G4")
};

/// How blocks ascend within the bands.
enum class BandDirection {
  Alternating,  ///< the first band of a group inward, the next one outward, and so on
  Inward,       ///< every band from its outer edge to its inner one
};

/// What a group of spare sectors belongs to.
enum class SpareUnit {
  Zone,      ///< the zone
  Range,     ///< `GeometryProfile::range_cylinders` cylinders
  Cylinder,  ///< a cylinder
  Track,     ///< a track
};

/// Neighbouring cylinders with the same number of sectors on every track.
struct ZoneProfile {
  std::uint32_t first_cylinder = 0;           ///< first cylinder of the zone
  std::uint32_t last_cylinder = 0;            ///< last cylinder of the zone
  std::uint32_t sectors_per_track = 0;        ///< sectors of each track
  double offset_sectors = 0;                  ///< angle of the zone's first sector, in its sectors, from spindle angle 0
  double track_skew_sectors = 0;              ///< skew from one track to the next
  double cylinder_skew_sectors = 0;           ///< skew from one cylinder to the next
  double range_skew_sectors = 0;              ///< added at each boundary of `GeometryProfile::range_cylinders`
  std::uint32_t front_sectors = 0;            ///< sectors at the zone's front that hold no block
  std::uint32_t spare_sectors = 0;            ///< reserved in each unit (`GeometryProfile::spare_unit`); slips use them up
  std::vector<std::uint32_t> slips;           ///< physical sectors of the zone, in mapping order, that hold no block
  std::vector<std::uint32_t> slipped_tracks;  ///< the same for whole tracks of the zone, in mapping order
  /// (physical sector, physical sector of the zone that holds its block instead)
  std::vector<std::pair<std::uint32_t, std::uint32_t>> remaps;
  std::vector<std::uint32_t> surfaces;  ///< bands: the surfaces that have this zone; empty: all
};

/// A sector of a track.
struct SectorPlace {
  std::uint32_t cylinder = 0;  ///< of the layout
  std::uint32_t head = 0;      ///< surface
  std::uint32_t sector = 0;    ///< on its track
};

/// Sectors, in the order of the mapping, that hold no block.
struct PlacedSlip {
  SectorPlace place;        ///< the first one
  std::uint32_t count = 1;  ///< how many
};

/// Neighbouring sectors of a track whose blocks are on others.
struct PlacedRemap {
  SectorPlace bad;          ///< the first one that holds no block
  std::uint32_t count = 1;  ///< how many
  SectorPlace spare;        ///< the first one that holds the blocks instead
};

/// Neighbouring blocks of a node of a layout tree: a pattern that is repeated at equal distances.
struct PatternRun {
  std::uint32_t count = 1;              ///< instances
  std::int64_t cylinder = 0;            ///< of the first instance, relative to the node
  std::int64_t step = 1;                ///< cylinders from one instance to the next
  double angle = 0;                     ///< of the first instance, relative to the node; in turns
  double angle_step = 0;                ///< from one instance to the next; in turns
  bool track = true;                    ///< the pattern is a track, or a part of it; otherwise an earlier node
  std::uint32_t node = 0;               ///< the earlier node
  std::uint32_t head = 0;               ///< of the track
  std::uint32_t sectors_per_track = 0;  ///< of the whole track
  std::uint32_t first_sector = 0;       ///< the first one with a block, which is at the instance's angle
  std::uint32_t sectors = 0;            ///< those with blocks
};

/// A node of a layout tree.
struct PatternNode {
  std::vector<PatternRun> runs;  ///< in the order of the blocks
};

/// Cylinders, heads, zones, and where the blocks are.
struct GeometryProfile {
  std::uint32_t cylinders = 0;                ///< number of cylinders
  std::uint32_t surfaces = 0;                 ///< data surfaces
  std::uint32_t actuators = 1;                ///< each has its share of the surfaces, and its own range of blocks
  std::uint32_t sector_bytes = 512;           ///< bytes of a sector, which is a block of the host
  std::uint32_t physical_sector_bytes = 0;    ///< bytes that are written as a whole; 0: `sector_bytes`
  std::int64_t blocks = 0;                    ///< blocks of the host; the tracks' other blocks are spares; 0: all
  LayoutKind layout = LayoutKind::Cylinders;  ///< which rule gives the place of a block
  Mapping mapping = Mapping::Plain;           ///< order of the heads
  SpareUnit spare_unit = SpareUnit::Zone;     ///< what a group of spare sectors belongs to
  std::uint32_t range_cylinders = 1;          ///< cylinders of a range, which spares and skews may count by
  bool spares_at_front = false;               ///< true: spare sectors are at the front of their unit; false: at its end
  bool slip_to_zone_end = false;              ///< a slip moves all later blocks of the zone and does not use the units' spares
  std::vector<double> head_offsets_turns;     ///< each head's angle relative to the layout; empty: none
  std::vector<double> surface_shifts_tracks;  ///< arm's position on each surface relative to the cylinder; empty: none
  std::uint32_t band_tracks = 0;              ///< bands: tracks of a band; the bands of all surfaces side by side are a group
  BandDirection band_direction = BandDirection::Alternating;  ///< bands: how blocks ascend within them
  std::vector<double> surface_densities;                      ///< bands: factor of each surface's sectors per track; empty: 1
  double track_skew_turns = 0;      ///< bands: from the start of a track to that of the next one in its band
  double head_skew_turns = 0;       ///< bands: from the last track of a band to the first of the next one of its group
  double band_skew_turns = 0;       ///< bands: from the last track of a group to the first of the next one
  double zone_skew_turns = 0;       ///< bands: from the last track of a zone to the first of the next one
  std::vector<PlacedSlip> slips;    ///< sectors without a block, by place
  std::vector<PlacedRemap> remaps;  ///< blocks on other sectors, by place
  std::vector<ZoneProfile> zones;   ///< from the outer edge on
  std::vector<PatternNode> nodes;   ///< tree: each one after those that it repeats; the last one is the drive

  /// Blocks of the host that are written together.
  std::uint32_t blocks_per_physical_sector() const {
    return physical_sector_bytes > sector_bytes ? physical_sector_bytes / sector_bytes : 1;
  }
};

/// The form of a seek curve.
enum class SeekModel {
  Table,       ///< measured points, straight lines between them
  SqrtLinear,  ///< for x cylinders a + b sqrt(x), beyond the knee c + d x
  ThreePoint,  ///< a curve through one cylinder, a third of the stroke, the full stroke
};

/// Seek time over the distance in cylinders; microseconds.
struct SeekProfile {
  SeekModel model = SeekModel::Table;  ///< form of the curve
  /// (cylinders, time). Table: the curve. Formulas: measured distances, whose time replaces that of the formula.
  std::vector<std::pair<std::uint32_t, double>> points_us;
  std::uint32_t knee_cylinders = 0;  ///< SqrtLinear: for x cylinders a + b sqrt(x) up to here, c + d x beyond
  double a_us = 0;                   ///< SqrtLinear: a
  double b_us = 0;                   ///< SqrtLinear: b
  double c_us = 0;                   ///< SqrtLinear: c
  double d_us = 0;                   ///< SqrtLinear: d
  double single_us = 0;              ///< ThreePoint: one cylinder
  double average_us = 0;             ///< ThreePoint: a third of the stroke
  double full_us = 0;                ///< ThreePoint: the full stroke
  /// (cylinders, time) of a seek before a write, settle included; straight lines between the points; empty: the seek of a read and the write settle.
  std::vector<std::pair<std::uint32_t, double>> write_points_us;
};

/// How far the drive reads ahead into the buffer after a read, while it has nothing else to do.
enum class ReadAhead {
  None,      ///< not at all
  Track,     ///< to the end of the track
  Cylinder,  ///< to the end of the cylinder
  Segment,   ///< until the segment is full
  /// To the end of the track of the block after the request; one track more if the segment began on an earlier track.
  NextTrack,
  WholeTrack,      ///< round past the track's end, until all of the track is in the buffer
  WholeTrackNext,  ///< the same, then the next track
};

/// Which writes are complete when their data is in the buffer.
enum class WriteBack {
  Off,          ///< none: a write is complete when it is on the media
  Append,       ///< one segment holds data to be written: it takes writes that continue it, and any write if no data waits
  Interleaved,  ///< all that get a segment
};

/// The drive's buffer: segments of neighbouring blocks.
struct CacheProfile {
  std::uint32_t segments = 0;              ///< 0: no cache; a read passes through the buffer and stays in no segment
  std::uint32_t segment_blocks = 0;        ///< sectors of a segment
  ReadAhead read_ahead = ReadAhead::None;  ///< how far
  /// At most this many past the request; 0: until the segment is full. Not used by NextTrack, WholeTrack and WholeTrackNext.
  std::uint32_t read_ahead_blocks = 0;
  /// With `read_ahead_blocks` 0. False: the size of the segment counts from the request's first block. True: it counts from the block after
  /// the request, so that the read-ahead may overwrite the request's own blocks.
  bool read_ahead_from_request_start = false;
  bool read_ahead_on_hit = false;     ///< also after a read served from the buffer, while the drive is idle
  bool almost_read_hits = true;       ///< blocks that the running read-ahead has yet to fetch count as present
  bool stop_in_sector = false;        ///< a new access stops the read-ahead at once, not at the end of the sector
  bool keep_passing_sectors = false;  ///< keep sectors that pass under the head before the first wanted sector
  bool read_hits_on_writes = true;    ///< reads may be served from written data
  bool keep_read_blocks = false;      ///< keep blocks that the host has received; otherwise only later blocks serve later reads
  bool read_ahead_sequential = false;     ///< read ahead only after a read that continues the request before it
  bool write_discards_reads = false;      ///< a write empties all segments that hold read data
  bool write_updates_reads = false;       ///< a write over read data leaves its segment valid; otherwise it empties it
  bool separate_write_segments = false;   ///< the write segments are never used for reads
  std::uint32_t write_segments = 0;       ///< at most this many hold data to be written; Interleaved needs one at least
  std::uint32_t destage_entries = 0;      ///< entries of the engine for destages, besides those of the queue
  WriteBack write_back = WriteBack::Off;  ///< which writes wait in the buffer
};

/// Command overheads; microseconds. The index of each pair says whether the actuator's last read or write was a write; 0 before the first.
struct OverheadProfile {
  std::array<double, 2> read_hit_us{};   ///< read served from the buffer
  std::array<double, 2> read_miss_us{};  ///< read that needs the media
  std::array<double, 2> write_us{};      ///< write
};

/// Power that a drive takes, by part and state; watts. 0 means 0 W, or what the comment of the field says.
struct PowerProfile {
  double spindle_w = 0;              ///< spindle at full speed over loaded heads
  double spindle_unloaded_w = 0;     ///< the same with the heads unloaded (Idle_B); 0: as `spindle_w`
  double spindle_slow_w = 0;         ///< at reduced speed (Idle_C); 0: as `spindle_unloaded_w`
  double electronics_w = 0;          ///< ready for a command; 0 together with `spindle_w`: no energy is accounted
  double electronics_idle_a_w = 0;   ///< 0: as `electronics_w`
  double electronics_idle_b_w = 0;   ///< 0: as in Idle_A
  double electronics_idle_c_w = 0;   ///< 0: as in Idle_B
  double electronics_standby_w = 0;  ///< spindle stopped; 0: as in Idle_C
  double active_w = 0;               ///< added while an access runs
  double read_w = 0;                 ///< added while data is read
  double write_w = 0;                ///< added while data is written
  double coil_w = 0;                 ///< added while the arm accelerates or brakes
  double coast_share = 0.32;         ///< a seek over more than this share of the cylinders coasts before it brakes
  double start_w = 0;                ///< the whole drive while the spindle gains speed; 0: as while an access waits
  double idle_a_s = 0;               ///< without an access for this long, the drive enters Idle_A; 0: never
  double idle_b_s = 0;               ///< the same of Idle_B
  double idle_c_s = 0;               ///< the same of Idle_C
  double standby_s = 0;              ///< the same of standby
  double idle_b_recovery_s = 0;      ///< from Idle_B until an access may begin
  double idle_c_recovery_s = 0;      ///< from Idle_C

  /// Energy is accounted.
  bool given() const { return spindle_w > 0 || electronics_w > 0; }
};

/// What becomes of the data that only the buffer holds when the power fails.
enum class LostCache {
  Volatile,  ///< it is lost
  Saved,     ///< the drive saves it, and finishes the sector that it is writing
};

/// How a physical sector whose write was interrupted reads.
enum class TornSector {
  Unreadable,  ///< it cannot be read until it is written again
  Mixed,       ///< it can be read: its front has the new bytes, the rest the old ones
};

/// A loss of power, and the return of the power.
struct PowerLossProfile {
  LostCache cache = LostCache::Volatile;            ///< the data that only the buffer holds
  TornSector torn_sector = TornSector::Unreadable;  ///< the sector whose write was interrupted
  double ready_s = 0;                               ///< from full speed of the spindle until the first command is accepted
};

/// Whether a drive has zones that are written in order (ZBC, ZAC).
enum class ZoneModel {
  None,     ///< no
  Managed,  ///< host-managed: a write anywhere but at a zone's write pointer is refused
  Aware,    ///< host-aware: such a write is accepted
};

/// Zones of a drive. docs/reference/zones.md has the rules.
struct ZonesProfile {
  ZoneModel model = ZoneModel::None;  ///< whether it has zones
  double zone_mib = 256;              ///< size of a zone in MiB; the last zone may be smaller
  double conventional = 0;            ///< conventional zones at the front: below 1 a share of all, otherwise their number
  std::uint32_t max_open = 128;       ///< zones that can be open at once
  bool unrestricted_reads = true;     ///< reads may pass the write pointer and the end of a zone (URSWRZ)
  double reset_ms = 0;                ///< time of a reset, for each zone that changes
  double finish_ms = 0;               ///< the same of a finish
};

/// How a drive recovers blocks that it cannot read or write at once. docs/reference/reliability.md has the rules.
struct RecoveryProfile {
  /// Time that the recovery of a block has taken after each retry, ms, ascending; empty: the steps of the Cheetah 15K.5's manual, in turns.
  std::vector<double> read_ms;
  std::vector<double> write_ms;         ///< the same of a block that cannot be written
  double limit_ms = 0;                  ///< most time that a command spends on recovery; 0: no limit
  std::uint32_t spares = 1024;          ///< physical sectors that can be reallocated
  double scrub_after_ms = 0;            ///< idle time after which the drive reads its media in the background; 0: never
  std::uint32_t scrub_blocks = 1024;    ///< of an access of this kind
  std::uint32_t scrub_limit_turns = 3;  ///< most turns that such an access spends on recovery; 0: no limit
  bool scrub_in_waits = false;          ///< the drive reads its media also while accesses wait for their sectors
};

/// How the host sees the ranges of blocks of a drive with several actuators.
enum class ActuatorsBy {
  Address,  ///< one device: its blocks are those of the first actuator, then those of the second
  Lun,      ///< a logical unit for each actuator
};

/// What follows when a duration limit has passed.
enum class LimitAction {
  CompleteEarliest,     ///< the command goes on; the policy LSPTF serves it first
  ContinueNextLimit,    ///< the guideline of the next descriptor holds, also counted from the arrival
  ContinueNoLimit,      ///< no guideline holds any more; the active limit still does
  CompleteUnavailable,  ///< the command completes without data
  AbortRecovery,        ///< as Abort; only the active limit may have it
  Abort,                ///< it is aborted
};

/// A descriptor of duration limits; ms, 0: no limit. docs/reference/duration_limits.md has the rules.
struct DurationProfile {
  double inactive_ms = 0;                                        ///< from the arrival to the first access
  LimitAction inactive_policy = LimitAction::CompleteEarliest;   ///< when it has passed
  double active_ms = 0;                                          ///< from the first access to the completion
  LimitAction active_policy = LimitAction::CompleteEarliest;     ///< when it has passed
  double guideline_ms = 0;                                       ///< from the arrival to the completion
  LimitAction guideline_policy = LimitAction::CompleteEarliest;  ///< when it has passed
};

/// Duration limits of a drive.
struct LimitsProfile {
  bool supported = false;               ///< hosts may use and change the descriptors
  double cost_percent = 20;             ///< most throughput that guidelines may cost
  std::vector<DurationProfile> reads;   ///< descriptors of reads, from number 1 on
  std::vector<DurationProfile> writes;  ///< descriptors of writes
};

/// A drive as its profile describes it. Plain numbers in the units of the file; `Geometry`, `SeekCurve`, `Rotation` and `AccessPlanner`
/// convert them to integers once. docs/reference/configuration.md has the range of each value (keys `drive.*`). load_drive() checks the
/// ranges; the constructor of Drive only refuses what it cannot run.
struct DriveProfile {
  std::int64_t format = 1;          ///< version of the file format
  std::string name;                 ///< the drive
  std::string source;               ///< where the numbers come from
  GeometryProfile geometry;         ///< layout
  SeekProfile seek;                 ///< seek curve
  double rpm = 0;                   ///< spindle speed
  double spin_up_s = 0;             ///< from rest to full speed
  double head_switch_us = 0;        ///< time of a head switch
  double write_settle_us = 0;       ///< added to the positioning of a write; may be negative
  bool zero_latency_read = false;   ///< take the sectors in the order in which they pass under the head
  bool zero_latency_write = false;  ///< the same for writes
  /// From the start of an access until the head can take a sector of the track that it is on (the heads have to settle again).
  double same_track_us = 0;
  double same_track_write_us = 0;  ///< the same until it can be written
  /// (cylinders, standard deviation) of the head's arrival; straight lines between the points; empty: none.
  std::vector<std::pair<std::uint32_t, double>> arrival_spread_us;
  std::vector<std::pair<std::uint32_t, double>> arrival_spread_write_us;  ///< the same of writes; empty: that of reads
  OverheadProfile overhead;                                               ///< command overheads
  double bus_read_block_us = 0;                                           ///< one sector over the host bus
  double bus_write_block_us = 0;                                          ///< one sector from the host
  double bus_reselect_us = 0;  ///< to get the bus again after the media access: before a read's data, before a write's status
  double bus_preparation_us = 0;       ///< before data crosses the bus
  double bus_read_completion_us = 0;   ///< after a read's last block
  double bus_write_completion_us = 0;  ///< with a write's status
  double bus_read_watermark = 0;       ///< share of a read that must be in the buffer before its transfer to the host begins
  std::uint32_t bus_write_watermark_blocks = 0;  ///< blocks of a write that must be in the buffer before the first is written
  bool bus_overlap = true;                       ///< the next access may begin while data of the last one is still on the bus
  // Which commands keep the bus while they have no data to transfer. Getting the bus again takes the reselect and the preparation time.
  bool bus_hold_read = true;   ///< a read that waits for its next sector keeps it
  bool bus_hold_write = true;  ///< a write larger than a segment keeps it while the segment is full
  /// A read keeps it from its command to its end, and a command waits for the previous one. Needs `queue_depth` 1.
  bool bus_never_disconnect = false;
  double bus_read_disconnect_us = 0;   ///< to release it in the middle of a read
  double bus_write_disconnect_us = 0;  ///< the same of a write larger than a segment
  double bus_write_low_watermark = 0;  ///< share of the full segment at which a write that has released the bus gets it again
  CacheProfile cache;                  ///< buffer
  double controller_clock_mhz = 200;   ///< clock of the controller
  bool overhead_overlap = false;  ///< a command's overhead runs from its arrival, in parallel with accesses of other commands
  /// The firmware's decision time: base cycles, plus cycles for each command that it examines and for each step of an exact order.
  std::uint32_t firmware_base_cycles = 120;
  std::uint32_t firmware_candidate_cycles = 60;  ///< for each command that it examines
  std::uint32_t firmware_order_cycles = 12;      ///< for each step of an exact order
  double age_limit_s = 0;                        ///< the firmware serves a command first that has waited this long; 0: no rule
  /// A sequential stream goes first until another command has waited `age_limit_s`; without that limit no rule holds.
  bool stream_first = false;
  std::uint32_t queue_depth = 32;            ///< tags of the command queue
  bool reject_when_full = false;             ///< complete a command beyond the depth with an error instead of making it wait
  std::uint32_t token_rate_bytes_per_s = 0;  ///< of the port's token bucket; 0: off
  std::uint32_t token_depth_bytes = 512 * 1024;     ///< of the token bucket
  PowerProfile power;                               ///< energy
  PowerLossProfile power_loss;                      ///< a loss of power
  RecoveryProfile recovery;                         ///< what follows when a block cannot be read or written
  ZonesProfile zones;                               ///< zones that are written in order
  LimitsProfile limits;                             ///< duration limits
  ActuatorsBy actuators_by = ActuatorsBy::Address;  ///< of a drive with several actuators
  bool task_attributes = false;  ///< accept SCSI's ordered and head-of-queue commands; without it they are refused (SATA)
};

}  // namespace platter::profile
