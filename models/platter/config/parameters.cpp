// SPDX-License-Identifier: Apache-2.0
#include "platter/config/parameter.h"

namespace platter::config {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <typename Object, typename Member>
std::function<Field(Object&)> at(Member Object::*member) {
  return [member](Object& object) -> Field { return &(object.*member); };
}

template <typename Inner, typename Member>
std::function<Field(Scenario&)> at(Inner Scenario::*inner, Member Inner::*member) {
  return [inner, member](Scenario& scenario) -> Field { return &(scenario.*inner.*member); };
}

}  // namespace

const std::vector<Parameter<Scenario>>& scenario_parameters() {
  using S = Scenario;
  using C = ContinuousWorkload;
  using D = DiscreteWorkload;
  using E = eager::EagerOptions;
  using A = ArrayLayout;
  using R = scheduling::Readings;
  static const std::vector<Parameter<Scenario>> table = {
      {"format", "", "version of the file format", at(&S::format), true, 1, 1, {}},
      {"engine", "", "make of the scheduling engine", at(&S::engine), false, -kInfinity, kInfinity,
       {"firmware", "model", "rtl", "lockstep"}},
      {"policy", "", "scheduling policy, one of `platter list policies`", at(&S::policy)},
      {"scheduling.sweep_start", "", "where a round's sweep of continuous requests begins: at the extreme nearer to the arm, "
                                     "at the two in turn, or always at the lowest",
       at(&S::readings, &R::sweep_start), false, -kInfinity, kInfinity, {"nearer", "alternating", "upward"}},
      {"scheduling.after_sweep", "", "CI-SPTF and CI-OPT after a round's last continuous request: on in its intervals, in "
                                     "the whole disk as one, or nothing until the next round",
       at(&S::readings, &R::after_sweep), false, -kInfinity, kInfinity, {"intervals", "disk", "idle"}},
      {"scheduling.clusters", "", "CLUST-REQ and CLUST-CYL: a cluster holds requests of both classes, or discrete ones only",
       at(&S::readings, &R::clusters), false, -kInfinity, kInfinity, {"mixed", "discrete"}},
      {"scheduling.cluster_from", "", "CLUST-REQ and CLUST-CYL: a cluster begins at the front, where the one before it ended, or where the arm stands",
       at(&S::readings, &R::cluster_from), false, -kInfinity, kInfinity, {"front", "arm"}},
      {"scheduling.cluster_round", "", "CLUST-REQ and CLUST-CYL: a new round restarts the elevator at the edge where the sweep of the "
                                       "continuous requests starts, or it continues",
       at(&S::readings, &R::cluster_round), false, -kInfinity, kInfinity, {"restart", "continue"}},
      {"scheduling.postponed", "", "CI-SPTF, CI-OPT, CLUST-REQ and CLUST-CYL: a discrete request that the deadline guard has refused waits until the "
                                   "next round begins, or until a continuous request comes or the round's last one has been served",
       at(&S::readings, &R::postponed), false, -kInfinity, kInfinity, {"round", "last_c"}},
      {"scheduling.budget_interval_s", "s", "CELLO: interval for which each class has its budget of disk time",
       at(&S::readings, &R::budget_interval_s), false, 1e-3, 1e4},
      {"scheduling.cello_elevator", "", "CELLO: elevator of the discrete requests, and of the background ones", at(&S::readings, &R::cello_elevator), false,
       -kInfinity, kInfinity, {"look", "scan", "c-look"}},
      {"accelerator.clock_mhz", "MHz", "clock of the scheduling accelerator", at(&S::accelerator_clock_mhz), false, 1,
       10000},
      {"accelerator.margin_ticks", "ticks", "a rotational wait below this (plus 2) is charged one more turn",
       at(&S::accelerator_margin_ticks), false, 0, 32767},
      {"accelerator.risk_ticks", "ticks", "a rotational wait of less than this beyond the margin may miss its sector",
       at(&S::accelerator_risk_ticks), false, 0, 32767},
      {"accelerator.risk_probability", "", "how probably: it is charged this share of a turn, and a whole one by the guard",
       at(&S::accelerator_risk_probability), false, 0, 1},
      {"eager.enabled", "", "eager writing: a write goes to a free block near the head", at(&S::eager, &E::enabled)},
      {"eager.dilution", "", "physical blocks for each logical one", at(&S::eager, &E::dilution), false, 1.001, 1000},
      {"eager.block_bytes", "bytes", "what is placed as a whole; a multiple of the sector, two sectors at least",
       at(&S::eager, &E::block_bytes), false, 1024, 1048576},
      {"eager.way_cylinders", "", "cylinders between arm and target that are looked at for a free block",
       at(&S::eager, &E::way_cylinders), false, 0, 1000},
      {"eager.bind_reads", "", "the one seek direction of the search for free blocks binds the reads too",
       at(&S::eager, &E::bind_reads)},
      {"eager.ageing_turnovers", "turnovers", "the free space is as after so many times the data's blocks have been written, drawn at random; 0: at random",
       at(&S::eager, &E::ageing_turnovers), false, 0, 100},
      {"array.drives", "", "drives in an array below the host; 1: one drive and, unless striped, no array", at(&S::array, &A::drives), false, 1, 32},
      {"array.kind", "", "ew: EW-Array, in blocks of eager.block_bytes; striped: units on the drives in turn, where each may have a backup, below a "
                         "host queue for each drive, a cache and buffers for streams",
       at(&S::array, &A::kind), false, -kInfinity, kInfinity, {"ew", "striped"}},
      {"array.copies", "", "copies of each block, on as many drives; at most array.drives; striped: 1 or 2", at(&S::array, &A::copies), false, 1, 32},
      {"array.answer", "", "ew: a write is answered when all of its copies are on the media, or the first is", at(&S::array, &A::answer), false,
       -kInfinity, kInfinity, {"all", "first"}},
      {"array.unit_bytes", "bytes", "striped: unit of striping", at(&S::array, &A::unit_bytes), false, 512, 1e9},
      {"array.tags", "", "striped: commands in a drive at once, more wait in the host; 0: as many as drive.queue.depth", at(&S::array, &A::tags), false,
       0, 1024},
      {"array.cache_bytes", "bytes", "striped: LRU cache of reads in the host; 0: none", at(&S::array, &A::cache_bytes), false, 0, 1e12},
      {"array.cache_block_bytes", "bytes", "striped: its blocks, of which a unit is a multiple", at(&S::array, &A::cache_block_bytes), false, 512, 1e9},
      {"array.stream_buffer_units", "", "striped, without a cache: units in each half of the double buffer of a stream that reads on and on; 0: none",
       at(&S::array, &A::stream_buffer_units), false, 0, 16384},
      {"array.rebuild_outstanding", "", "striped: units of a drive that has returned that are rebuilt at once; 0: no rebuild",
       at(&S::array, &A::rebuild_outstanding), false, 0, 1024},
      {"array.rebuild_bytes_per_s", "bytes/s", "striped: the rebuild's rate at most; 0: no limit", at(&S::array, &A::rebuild_bytes_per_s), false, 0, 4e9},
      {"workload.continuous.streams", "", "continuous-media streams; each asks for its next fragment every round",
       at(&S::continuous, &C::streams), false, 0, 10000},
      {"workload.continuous.round_s", "s", "length of a round, which is also the fragment's deadline",
       at(&S::continuous, &C::round_s), false, 1e-3, 3600},
      {"workload.continuous.size", "", "what a stream asks for in a round: the frames of its table, or a gamma-distributed size",
       at(&S::continuous, &C::size), false, -kInfinity, kInfinity, {"tables", "gamma"}},
      {"workload.continuous.tables", "", "frame-size tables; stream i plays table i modulo their number",
       at(&S::continuous, &C::tables)},
      {"workload.continuous.mean_bytes", "bytes", "gamma: mean size, rounded up to whole sectors",
       at(&S::continuous, &C::mean_bytes), false, 1, 1e9},
      {"workload.continuous.deviation_bytes", "bytes", "gamma: its standard deviation, not above the mean",
       at(&S::continuous, &C::deviation_bytes), false, 0, 1e9},
      {"workload.continuous.placement", "", "random: each fragment lies anywhere; contiguous: a stream's fragments follow each other",
       at(&S::continuous, &C::placement), false, -kInfinity, kInfinity, {"random", "contiguous"}},
      {"workload.continuous.span_bytes", "bytes",
       "random: a fragment lies within one span of so many bytes, such as a cylinder; 0: anywhere",
       at(&S::continuous, &C::span_bytes), false, 0, 1e15},
      {"workload.discrete.source", "", "where discrete requests come from", at(&S::discrete, &D::source), false,
       -kInfinity, kInfinity, {"none", "poisson", "trace", "closed"}},
      {"workload.discrete.rate_per_s", "1/s", "poisson: mean arrival rate", at(&S::discrete, &D::rate_per_s), false, 0,
       1e9},
      {"workload.discrete.outstanding", "", "closed: requests kept outstanding", at(&S::discrete, &D::outstanding),
       false, 1, 100000},
      {"workload.discrete.max_outstanding", "",
       "most discrete requests in the drive at once, the rest wait in the host; 0: what the queue leaves beside the streams, before a striped array no limit",
       at(&S::discrete, &D::max_outstanding), false, 0, 100000},
      {"workload.discrete.read_fraction", "", "share of reads of a generator", at(&S::discrete, &D::read_fraction),
       false, 0, 1},
      {"workload.discrete.size", "", "request sizes of a generator: all mean_bytes, or normal around it",
       at(&S::discrete, &D::size), false, -kInfinity, kInfinity, {"fixed", "normal"}},
      {"workload.discrete.mean_bytes", "bytes", "mean request size of a generator, rounded to whole sectors",
       at(&S::discrete, &D::mean_bytes), false, 1, 1e9},
      {"workload.discrete.deviation_bytes", "bytes", "standard deviation of the size; sizes are cut below at one sector",
       at(&S::discrete, &D::deviation_bytes), false, 0, 1e9},
      {"workload.discrete.deadline_ms", "ms", "a generated request is to be answered so long after its issue; 0: it has no deadline",
       at(&S::discrete, &D::deadline_ms), false, 0, 1e9},
      {"workload.discrete.align_bytes", "bytes", "a generator's requests begin at multiples of this; 0: at any sector",
       at(&S::discrete, &D::align_bytes), false, 0, 1e9},
      {"workload.discrete.span_bytes", "bytes",
       "a generated request lies within one span of so many bytes, such as a cylinder; 0: anywhere",
       at(&S::discrete, &D::span_bytes), false, 0, 1e15},
      {"workload.discrete.trace", "", "trace: the file", at(&S::discrete, &D::trace)},
      {"workload.discrete.trace_format", "", "one of `platter list trace-formats`, or auto",
       at(&S::discrete, &D::trace_format)},
      {"workload.discrete.trace_device", "", "requests of this device only; empty: the trace must name one only",
       at(&S::discrete, &D::trace_device)},
      {"workload.discrete.past_end", "", "a traced request past the drive's end: stop, wrap its address, or cut it",
       at(&S::discrete, &D::past_end), false, -kInfinity, kInfinity, {"error", "wrap", "clip"}},
      {"workload.discrete.trace_speed", "", "arrival times of the trace are divided by this",
       at(&S::discrete, &D::trace_speed), false, 1e-6, 1e9},
      {"sim.seed", "", "seed of every random stream of the run", at(&S::seed), false, 0, 9.2e18},
      {"sim.warmup_s", "s", "simulated time before counting starts", at(&S::warmup_s), false, 0, 1e6},
      {"sim.measure_s", "s", "simulated time that is counted", at(&S::measure_s), false, 1e-6, 1e6},
      {"fault.dies_at_s", "s", "the drive dies at this simulated time: what it has and what comes fails; 0: never",
       at(&S::dies_at_s), false, 0, 1e6},
      {"fault.returns_at_s", "s", "in a striped array: the drive that died lives again, and is rebuilt; 0: never", at(&S::returns_at_s), false, 0, 1e6},
      {"fault.drive", "", "in a striped array: which drive dies", at(&S::dying_drive), false, 0, 31},
      {"observe.wave_from_s", "s", "waves: from this simulated time", at(&S::wave_from_s), false, 0, 1e6},
      {"observe.wave_to_s", "s", "waves: up to this simulated time", at(&S::wave_to_s), false, 0, 1e6},
      {"observe.wave_angle_samples", "1/turn", "waves: samples of spindle angle and arm position a turn",
       at(&S::wave_angle_samples), false, 1, 65536},
  };
  return table;
}

const std::vector<Parameter<mechanics::DriveProfile>>& drive_parameters() {
  using P = mechanics::DriveProfile;
  const auto geometry = [](auto member) {
    return [member](P& p) -> Field { return &(p.geometry.*member); };
  };
  const auto seek = [](auto member) { return [member](P& p) -> Field { return &(p.seek.*member); }; };
  using O = mechanics::OverheadProfile;
  const auto overhead = [](std::array<double, 2> O::*pair, std::size_t last) {
    return [pair, last](P& p) -> Field { return &(p.overhead.*pair)[last]; };
  };
  const auto cache = [](auto member) { return [member](P& p) -> Field { return &(p.cache.*member); }; };
  using B = mechanics::CacheProfile;
  using G = mechanics::GeometryProfile;
  using K = mechanics::SeekProfile;
  static const std::vector<Parameter<P>> table = {
      {"name", "", "the drive", at(&P::name), true},
      {"source", "", "where the numbers come from", at(&P::source), true},
      {"geometry.cylinders", "", "cylinders", geometry(&G::cylinders), true, 2, 262144},
      {"geometry.surfaces", "", "data surfaces", geometry(&G::surfaces), true, 1, 64},
      {"geometry.sector_bytes", "bytes", "bytes of a sector", geometry(&G::sector_bytes), false, 512, 4096},
      {"geometry.mapping", "", "order of the heads on odd cylinders", geometry(&G::mapping), false, -kInfinity,
       kInfinity, {"plain", "serpentine", "serpentine-absolute"}},
      {"geometry.spare_unit", "", "what a group of spare sectors belongs to", geometry(&G::spare_unit), false, -kInfinity,
       kInfinity, {"zone", "range", "cylinder", "track"}},
      {"geometry.range_cylinders", "", "cylinders of a range, which spares and skews may count by",
       geometry(&G::range_cylinders), false, 1, 262144},
      {"geometry.spares_at_front", "", "spares stand at the front of their cylinder, not at its end",
       geometry(&G::spares_at_front)},
      {"geometry.slip_to_zone_end", "", "a slip moves all later blocks of the zone and leaves the cylinders' spares alone",
       geometry(&G::slip_to_zone_end)},
      {"geometry.head_offsets_turns", "turns", "angle of each head's tracks beside the layout's; empty: none",
       geometry(&G::head_offsets_turns)},
      {"seek.model", "", "form of the seek curve", seek(&K::model), true, -kInfinity, kInfinity,
       {"table", "sqrt-linear", "three-point"}},
      {"seek.points_us", "cylinders, us",
       "measured points [distance, time], ascending; table: the curve; else distances that do not follow the formula",
       seek(&K::points_us)},
      {"seek.knee_cylinders", "", "sqrt-linear: a + b sqrt(d) up to this distance", seek(&K::knee_cylinders)},
      {"seek.a_us", "us", "sqrt-linear: a", seek(&K::a_us)},
      {"seek.b_us", "us", "sqrt-linear: b", seek(&K::b_us)},
      {"seek.c_us", "us", "sqrt-linear: c of c + d*distance", seek(&K::c_us)},
      {"seek.d_us", "us", "sqrt-linear: d", seek(&K::d_us)},
      {"seek.single_us", "us", "three-point: one cylinder", seek(&K::single_us), false, 0},
      {"seek.average_us", "us", "three-point: a third of the stroke", seek(&K::average_us), false, 0},
      {"seek.full_us", "us", "three-point: the full stroke", seek(&K::full_us), false, 0},
      {"mechanics.rpm", "1/min", "spindle speed", at(&P::rpm), true, 100, 100000},
      {"mechanics.head_switch_us", "us", "time of a head switch", at(&P::head_switch_us), false, 0, 1e5},
      {"mechanics.write_settle_us", "us", "added to the positioning of a write; may be negative",
       at(&P::write_settle_us), false, -1e5, 1e5},
      {"mechanics.zero_latency_read", "", "read the sectors of a track in the order in which they come",
       at(&P::zero_latency_read)},
      {"mechanics.zero_latency_write", "", "write the sectors of a track in the order in which they come",
       at(&P::zero_latency_write)},
      {"mechanics.same_track_us", "us",
       "from the start of an access until a sector of the track under the head can be read", at(&P::same_track_us), false, 0,
       1e5},
      {"mechanics.same_track_write_us", "us", "the same until it can be written", at(&P::same_track_write_us), false, 0, 1e5},
      {"overhead.read_hit_after_read_us", "us", "command overhead of a read from the buffer, after a read",
       overhead(&O::read_hit_us, 0), false, 0, 1e6},
      {"overhead.read_hit_after_write_us", "us", "the same after a write", overhead(&O::read_hit_us, 1), false, 0, 1e6},
      {"overhead.read_miss_after_read_us", "us", "command overhead of a read from the media, after a read",
       overhead(&O::read_miss_us, 0), false, 0, 1e6},
      {"overhead.read_miss_after_write_us", "us", "the same after a write", overhead(&O::read_miss_us, 1), false, 0, 1e6},
      {"overhead.write_after_read_us", "us", "command overhead of a write, after a read", overhead(&O::write_us, 0), false,
       0, 1e6},
      {"overhead.write_after_write_us", "us", "the same after a write", overhead(&O::write_us, 1), false, 0, 1e6},
      {"bus.read_block_us", "us", "one sector to the host", at(&P::bus_read_block_us), false, 0, 1e5},
      {"bus.write_block_us", "us", "one sector from the host", at(&P::bus_write_block_us), false, 0, 1e5},
      {"bus.reselect_us", "us", "getting the bus again after the media access: before a read's data, before a write's status",
       at(&P::bus_reselect_us), false, 0, 1e6},
      {"bus.preparation_us", "us", "before data crosses the bus", at(&P::bus_preparation_us), false, 0, 1e6},
      {"bus.read_completion_us", "us", "after a read's last block", at(&P::bus_read_completion_us), false, 0, 1e6},
      {"bus.write_completion_us", "us", "with a write's status", at(&P::bus_write_completion_us), false, 0, 1e6},
      {"bus.read_watermark", "", "share of a read that must be in the buffer before its transfer begins",
       at(&P::bus_read_watermark), false, 0, 1},
      {"bus.write_watermark_blocks", "", "blocks of a write (or all) in the buffer before the first is written",
       at(&P::bus_write_watermark_blocks), false, 0, 65535},
      {"bus.overlap", "", "the next access may begin while the last one's data is still on the bus", at(&P::bus_overlap)},
      {"bus.hold_read", "",
       "a read from the media keeps the bus while it waits for its next sector; otherwise it leaves and gets it again",
       at(&P::bus_hold_read)},
      {"bus.hold_write", "",
       "a write larger than a segment keeps the bus while the segment is full; otherwise it leaves and gets it again",
       at(&P::bus_hold_write)},
      {"bus.never_disconnect", "", "a read keeps the bus from its command to its status; the queue has one tag then",
       at(&P::bus_never_disconnect)},
      {"bus.read_disconnect_us", "us", "leaving the bus in the middle of a read", at(&P::bus_read_disconnect_us), false, 0, 1e6},
      {"bus.write_disconnect_us", "us", "the same of a write larger than a segment", at(&P::bus_write_disconnect_us), false, 0,
       1e6},
      {"bus.write_low_watermark", "", "share of a segment that is left of such a write when it gets the bus again",
       at(&P::bus_write_low_watermark), false, 0, 1},
      {"cache.segments", "", "buffer segments; 0: no cache", cache(&B::segments), false, 0, 4096},
      {"cache.segment_blocks", "", "sectors of a segment", cache(&B::segment_blocks), false, 0, 1e6},
      {"cache.read_ahead", "", "where a read goes on after its last block", cache(&B::read_ahead), false, -kInfinity,
       kInfinity, {"none", "track", "cylinder", "segment", "next-track", "whole-track", "whole-track-next"}},
      {"cache.read_ahead_blocks", "", "at most so many sectors past the request", cache(&B::read_ahead_blocks), false, 0,
       1e6},
      {"cache.read_ahead_from_request_start", "", "the request's own sectors may be overwritten by the read-ahead",
       cache(&B::read_ahead_from_request_start)},
      {"cache.read_ahead_on_hit", "", "read ahead also after a hit, while the drive is idle",
       cache(&B::read_ahead_on_hit)},
      {"cache.stop_in_sector", "", "a new access stops the read-ahead at once, not at the end of the sector",
       cache(&B::stop_in_sector)},
      {"cache.keep_passing_sectors", "", "keep what passes under the head before the first wanted sector",
       cache(&B::keep_passing_sectors)},
      {"cache.read_hits_on_writes", "", "reads may be served from written data", cache(&B::read_hits_on_writes)},
      {"cache.keep_read_blocks", "", "keep what the host has got; otherwise only what lies past it serves later reads",
       cache(&B::keep_read_blocks)},
      {"cache.read_ahead_sequential", "", "read ahead only after a read that goes on where the request before it ended",
       cache(&B::read_ahead_sequential)},
      {"cache.write_discards_reads", "", "a write empties all segments that hold read data",
       cache(&B::write_discards_reads)},
      {"cache.write_updates_reads", "", "a write over blocks of a segment of read data leaves it valid, otherwise it empties that one",
       cache(&B::write_updates_reads)},
      {"cache.separate_write_segments", "", "write segments are never used for reads",
       cache(&B::separate_write_segments)},
      {"cache.write_segments", "", "at most so many segments hold data to be written", cache(&B::write_segments), false, 0,
       4096},
      {"cache.write_back", "", "which writes are complete once their data is in the buffer", cache(&B::write_back), false,
       -kInfinity, kInfinity, {"off", "append", "interleaved"}},
      {"controller.clock_mhz", "MHz", "clock of the controller", at(&P::controller_clock_mhz), false, 1, 10000},
      {"controller.overhead_overlap", "", "a command's overhead runs from its arrival, beside the accesses of others",
       at(&P::overhead_overlap)},
      {"controller.firmware_base_cycles", "cycles", "firmware's time for a decision", at(&P::firmware_base_cycles), false, 0,
       1e9},
      {"controller.firmware_candidate_cycles", "cycles", "and for each command it looks at",
       at(&P::firmware_candidate_cycles), false, 0, 1e6},
      {"controller.firmware_order_cycles", "cycles", "and for each step of an exact order (n*n*2^n for n commands)",
       at(&P::firmware_order_cycles), false, 0, 1e6},
      {"queue.depth", "", "tags of the command queue; the accelerator has at most 256", at(&P::queue_depth), false, 1,
       mechanics::kMostTags},
      {"queue.reject_when_full", "", "answer a command beyond the depth by an error instead of holding it",
       at(&P::reject_when_full)},
      {"queue.task_attributes", "", "SCSI's ordered and head-of-queue commands; without it they are refused (SATA NCQ)",
       at(&P::task_attributes)},
      {"port.token_rate_bytes_per_s", "bytes/s",
       "discrete and background commands pass a token bucket of this rate before the queue; 0: off",
       at(&P::token_rate_bytes_per_s), false, 0, 4294967295.0},
      {"port.token_depth_bytes", "bytes", "depth of the token bucket, cut to whole tokens of 4096 bytes", at(&P::token_depth_bytes),
       false, 4096, 4294967295.0},
  };
  return table;
}

const std::vector<Parameter<mechanics::ZoneProfile>>& zone_parameters() {
  using Z = mechanics::ZoneProfile;
  static const std::vector<Parameter<Z>> table = {
      {"first_cylinder", "", "first cylinder of the zone", at(&Z::first_cylinder), true},
      {"last_cylinder", "", "last cylinder of the zone", at(&Z::last_cylinder), true},
      {"sectors_per_track", "", "sectors of each track", at(&Z::sectors_per_track), true, 1, 65535},
      {"offset_sectors", "sectors", "angle of the zone's first sector", at(&Z::offset_sectors)},
      {"track_skew_sectors", "sectors", "skew from one track to the next", at(&Z::track_skew_sectors)},
      {"cylinder_skew_sectors", "sectors", "skew from one cylinder to the next", at(&Z::cylinder_skew_sectors)},
      {"range_skew_sectors", "sectors", "skew added at each boundary of geometry.range_cylinders",
       at(&Z::range_skew_sectors)},
      {"front_sectors", "", "sectors at the zone's front that hold no block", at(&Z::front_sectors)},
      {"spare_sectors", "", "spare sectors of each geometry.spare_unit", at(&Z::spare_sectors)},
      {"slips", "", "physical sectors of the zone, in mapping order, that hold no block", at(&Z::slips)},
      {"slipped_tracks", "", "the same for whole tracks", at(&Z::slipped_tracks)},
      {"remaps", "", "[physical sector, physical sector of the zone that holds its block instead]", at(&Z::remaps)},
  };
  return table;
}

}  // namespace platter::config
