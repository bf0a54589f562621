// SPDX-License-Identifier: Apache-2.0
#include "platter/config/parameter.h"

namespace platter::config {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kTiny = 1e-9;

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
  static const std::vector<Parameter<Scenario>> table = {
      {"format", "", "version of the file format", at(&S::format), true, 1, 1, {}},
      {"engine", "", "make of the scheduling engine", at(&S::engine), false, -kInfinity, kInfinity,
       {"firmware", "model", "rtl", "lockstep"}},
      {"policy", "", "scheduling policy, one of `platter list policies`", at(&S::policy)},
      {"accelerator.clock_mhz", "MHz", "clock of the scheduling accelerator", at(&S::accelerator_clock_mhz), false, 1,
       10000},
      {"accelerator.margin_ticks", "ticks", "a rotational wait below this (plus 2) is charged one more turn",
       at(&S::accelerator_margin_ticks), false, 0, 32767},
      {"workload.continuous.streams", "", "continuous-media streams; each asks for its next fragment every round",
       at(&S::continuous, &C::streams), false, 0, 10000},
      {"workload.continuous.round_s", "s", "length of a round, which is also the fragment's deadline",
       at(&S::continuous, &C::round_s), false, 1e-3, 3600},
      {"workload.continuous.tables", "", "frame-size tables; stream i plays table i modulo their number",
       at(&S::continuous, &C::tables)},
      {"workload.continuous.placement", "", "random: each fragment lies anywhere; contiguous: a stream's fragments follow each other",
       at(&S::continuous, &C::placement), false, -kInfinity, kInfinity, {"random", "contiguous"}},
      {"workload.discrete.source", "", "where discrete requests come from", at(&S::discrete, &D::source), false,
       -kInfinity, kInfinity, {"none", "poisson", "trace", "closed"}},
      {"workload.discrete.rate_per_s", "1/s", "poisson: mean arrival rate", at(&S::discrete, &D::rate_per_s), false, 0,
       1e9},
      {"workload.discrete.outstanding", "", "closed: requests kept outstanding", at(&S::discrete, &D::outstanding),
       false, 1, 100000},
      {"workload.discrete.max_outstanding", "",
       "most discrete requests in the drive at once, the rest wait in the host; 0: what the queue leaves beside the streams",
       at(&S::discrete, &D::max_outstanding), false, 0, 100000},
      {"workload.discrete.read_fraction", "", "share of reads of a generator", at(&S::discrete, &D::read_fraction),
       false, 0, 1},
      {"workload.discrete.size", "", "request sizes of a generator: all mean_bytes, or normal around it",
       at(&S::discrete, &D::size), false, -kInfinity, kInfinity, {"fixed", "normal"}},
      {"workload.discrete.mean_bytes", "bytes", "mean request size of a generator, rounded to whole sectors",
       at(&S::discrete, &D::mean_bytes), false, 1, 1e9},
      {"workload.discrete.deviation_bytes", "bytes", "standard deviation of the size; sizes are cut below at one sector",
       at(&S::discrete, &D::deviation_bytes), false, 0, 1e9},
      {"workload.discrete.trace", "", "trace: the file", at(&S::discrete, &D::trace)},
      {"workload.discrete.trace_format", "", "one of `platter list trace-formats`, or auto",
       at(&S::discrete, &D::trace_format)},
      {"workload.discrete.trace_device", "", "requests of this device only; empty: the trace must name one only",
       at(&S::discrete, &D::trace_device)},
      {"workload.discrete.past_end", "", "a traced request past the drive's end: stop, wrap its address, or cut it",
       at(&S::discrete, &D::past_end), false, -kInfinity, kInfinity, {"error", "wrap", "clip"}},
      {"workload.discrete.trace_speed", "", "arrival times of the trace are divided by this",
       at(&S::discrete, &D::trace_speed), false, kTiny, 1e9},
      {"sim.seed", "", "seed of every random stream of the run", at(&S::seed), false, 0, 9.2e18},
      {"sim.warmup_s", "s", "simulated time before counting starts", at(&S::warmup_s), false, 0, 1e6},
      {"sim.measure_s", "s", "simulated time that is counted", at(&S::measure_s), false, 1e-6, 1e6},
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
  const auto overhead = [](int write, int last) {
    return [write, last](P& p) -> Field {
      return &p.overhead_us[static_cast<std::size_t>(write)][static_cast<std::size_t>(last)];
    };
  };
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
      {"seek.model", "", "form of the seek curve", seek(&K::model), true, -kInfinity, kInfinity,
       {"table", "sqrt-linear", "three-point"}},
      {"seek.points_us", "cylinders, us", "table: measured points [distance, time], ascending", seek(&K::points_us)},
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
      {"overhead.read_after_read_us", "us", "command overhead of a read after a read", overhead(0, 0), false, 0, 1e6},
      {"overhead.read_after_write_us", "us", "command overhead of a read after a write", overhead(0, 1), false, 0, 1e6},
      {"overhead.write_after_read_us", "us", "command overhead of a write after a read", overhead(1, 0), false, 0, 1e6},
      {"overhead.write_after_write_us", "us", "command overhead of a write after a write", overhead(1, 1), false, 0,
       1e6},
      {"bus.block_time_us", "us", "one sector over the host bus", at(&P::bus_block_time_us), false, 0, 1e5},
      {"controller.clock_mhz", "MHz", "clock of the controller", at(&P::controller_clock_mhz), false, 1, 10000},
      {"controller.firmware_base_cycles", "cycles", "firmware's time for a decision", at(&P::firmware_base_cycles)},
      {"controller.firmware_candidate_cycles", "cycles", "and for each command it looks at",
       at(&P::firmware_candidate_cycles)},
      {"queue.depth", "", "tags of the command queue", at(&P::queue_depth), false, 1, 256},
      {"queue.reject_when_full", "", "answer a command beyond the depth by an error instead of holding it",
       at(&P::reject_when_full)},
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
      {"spare_sectors", "", "spare sectors at the zone's end", at(&Z::spare_sectors)},
      {"slips", "", "physical sectors of the zone, in mapping order, that hold no block", at(&Z::slips)},
  };
  return table;
}

}  // namespace platter::config
