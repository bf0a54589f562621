// SPDX-License-Identifier: Apache-2.0
#include "platter/system/load_result.h"

#include <algorithm>
#include <string>
#include <utility>

#include "platter/core/sc_time.h"
#include "platter/media/fault_statistics.h"

namespace platter::system {

using core::Picoseconds;
using core::RequestClass;

namespace {

/// Time that each actuator has spent on accesses so far, summed over the drives.
std::vector<Picoseconds> busy_actuators(const Disks& disks) {
  std::vector<Picoseconds> busy(disks.first().actuators(), 0);
  for (const auto& drive : disks.drives())
    for (std::size_t i = 0; i < busy.size(); ++i) busy[i] += drive->actuator(i).busy(core::now_ps());
  return busy;
}

ActuatorResult actuators_of(const Disks& disks, const std::vector<Picoseconds>& before, Picoseconds measured) {
  ActuatorResult result;
  const std::vector<Picoseconds> busy = busy_actuators(disks);
  const auto drives = static_cast<double>(disks.drives().size());
  for (std::size_t i = 0; i < busy.size(); ++i) {
    if (measured > 0)
      result.utilisation.push_back(static_cast<double>(busy[i] - before[i]) / static_cast<double>(measured) / drives);
    result.accesses.push_back(0);
    for (const auto& drive : disks.drives()) result.accesses.back() += drive->actuator(i).accesses();
  }
  return result;
}

const params::Statistics<ActuatorResult>& actuator_rows() {
  using R = ActuatorResult;
  static const auto rows =
      params::Statistics<R>()
          .value("utilisation", "",
                 "share of the measured time in which an access ran (no read-ahead), for each actuator; for several drives the "
                 "mean",
                 "time-weighted mean", [](const R& r) { return r.utilisation; }, {"utilisation of each actuator", 3})
          .value("accesses", "", "accesses that each actuator has begun in the whole run; for several drives the sum", "count",
                 [](const R& r) { return r.accesses; }, {"accesses of each actuator"});
  return rows;
}

}  // namespace

DisksAt::DisksAt(const Disks& disks)
    : time(core::now_ps()), busy(disks.busy()), actuators(busy_actuators(disks)), power(disks.power_times()) {
  for (const auto& drive : disks.drives()) occupancy += drive->queue().occupancy_integral(time);
}

TraceResult TraceResult::of(workload::TraceProducer& trace) {
  constexpr std::uint64_t kMaxCounted = 10'000'000;
  const workload::TraceCounts counts = trace.counts();
  TraceResult result;
  result.requests = trace.issued();
  result.rest = trace.rest(kMaxCounted);
  result.left_out = counts.dropped + counts.flushes + counts.discards + counts.empty + counts.ignored + counts.cut_short;
  result.out_of_order = counts.out_of_order;
  return result;
}

std::uint64_t LoadResult::completions() const {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < core::kRequestClasses; ++i) count += requests->of(static_cast<RequestClass>(i)).response.count();
  return count;
}

void LoadResult::measure(const Scenario& s, const observe::Statistics& statistics, const Disks& disks, const DisksAt& begin) {
  const Picoseconds end = core::now_ps();
  const Picoseconds measured = end - begin.time;
  const auto drives = static_cast<double>(disks.drives().size());
  requests = &statistics;
  measured_s = core::to_milliseconds(measured) * 1e-3;
  scheduler.engine = s.engine.notation;
  scheduler.policy = s.policy.notation;
  if (s.eager.enabled) eager.emplace();
  if (s.drive.zones.model != profile::ZoneModel::None) zones.emplace();
  if (disks.spread()) arrivals.emplace();
  std::vector<double> shares = disks.utilisation(begin.busy, measured);
  if (measured > 0) {
    utilisation = 0;
    for (const double share : shares) *utilisation += share / drives;
  }
  bool faulty = s.plans_faults();
  media::MediaErrors sum;
  double occupancy = -begin.occupancy;
  for (const auto& drive : disks.drives()) {
    drive::Drive& each = *drive;
    sum += each.media_errors();
    const media::MediaErrors& counts = each.media_errors();
    faulty = faulty || each.faults().on() || counts.wait_blocks > 0 || counts.scrubbed_blocks > 0;
    occupancy += each.queue().occupancy_integral(end);
    for (std::size_t i = 0; i < each.actuators(); ++i) {
      scheduler.decided += each.engine(i).statistics();
      scheduler.stalled += each.dispatcher(i).statistics();
      if (arrivals) *arrivals += *each.actuator(i).arrivals();
    }
    if (zones) zones->add(*each.zones());
    durations += each.duration_statistics();
    if (each.eager_mapping() == nullptr) continue;
    eager->blocks += each.eager_mapping()->statistics();
    eager->free_blocks += each.eager_mapping()->map().free_count();
    eager->tracks_examined += each.eager_mapping()->search().tracks_examined();
    eager->gaps += *each.engine().gaps();
  }
  if (faulty) errors = sum;
  if (measured > 0) queue_depth = occupancy / static_cast<double>(measured) / drives;
  energy = disks.energy(begin.power, measured, completions());
  array = disks.array_result(std::move(shares));
  if (disks.first().actuators() > 1) actuators = actuators_of(disks, begin.actuators, measured);
}

const params::Statistics<LoadResult>& load_rows() {
  using R = LoadResult;
  static const auto depth = params::Statistics<R>().value("mean", "", "tags in use", "time-weighted mean",
                                                          [](const R& r) { return r.queue_depth; }, {"mean queue", 2});
  static const auto throughput = params::Statistics<R>().value(
      "requests_per_s", "1/s", "requests that completed in the measured time", "rate",
      [](const R& r) { return params::per_time(r.completions(), r.measured_s); }, {"throughput", 1});
  static const auto trace =
      params::Statistics<TraceResult>()
          .value("requests", "", "requests of the trace that were issued before the end of the run", "count",
                 [](const TraceResult& t) { return t.requests; })
          .value("left_out", "",
                 "lines without a read or write, or left out by an option: flushes, discards, requests of size 0, past the "
                 "drive's end, cut short, or to be ignored",
                 "count", [](const TraceResult& t) { return t.left_out; })
          .value("out_of_order", "", "requests that were out of order and were sorted by time", "count",
                 [](const TraceResult& t) { return t.out_of_order; })
          .value("remaining", "",
                 "requests that were not issued; at most 10 million are counted, of a pipe only those that were already read",
                 "count", [](const TraceResult& t) { return t.rest.requests; })
          .value("remaining_all", "", "whether all requests that were not issued are counted", "",
                 [](const TraceResult& t) { return t.rest.all; });
  static const auto rows =
      params::Statistics<R>()
          .by_name("classes", "requests of a class; a class is left out if none was issued, completed or waits",
                   observe::class_rows(), [](const R& r) { return observe::measured_classes(*r.requests, r.measured_s); })
          .by_name("jobs", "requests of a job, by the job's name, in the form of a class; left out without jobs",
                   observe::class_rows(),
                   [](const R& r) {
                     auto jobs = observe::measured_jobs(*r.requests, r.measured_s);
                     return jobs.empty() ? std::nullopt : std::optional(std::move(jobs));
                   })
          .value("hiccups", "",
                 "continuous requests that missed their deadline; failed ones count in `failed` of their class instead",
                 "count", [](const R& r) { return r.requests->hiccups(); }, {"hiccups"})
          .value("utilisation", "",
                 "share of the measured time in which an access ran (no read-ahead); for several drives the mean",
                 "time-weighted mean", [](const R& r) { return r.utilisation; }, {"utilisation", 3})
          .section("queue_depth", "use of the drive's queue; for several drives the mean", depth)
          .section("throughput", "requests of all classes together", throughput)
          .group("energy", "energy of the drives; left out for a profile without power", drive::energy_rows(),
                 [](const R& r) { return r.energy; })
          .group("scheduler", "decisions of the whole run, warm-up included; for several drives the sum",
                 drive::scheduler_rows(), [](const R& r) -> const drive::SchedulerStatistics& { return r.scheduler; })
          .group(
              "arrivals",
              "arrivals of the heads in the whole run, warm-up included; for several drives the sum; left out if they have no "
              "spread",
              drive::arrival_rows(), [](const R& r) { return r.arrivals; })
          .group("eager",
                 "eager writing in the whole run, warm-up included; for several drives the sum; left out without eager writing",
                 eager::eager_rows(), [](const R& r) { return r.eager; })
          .group("zones",
                 "zones in the whole run, warm-up included; for several drives the sum; left out for a drive without zones",
                 zones::zone_rows(), [](const R& r) { return r.zones; })
          .group("zone_load", "load on zones in the measured time; left out without `workload.zones`",
                 workload::zone_load_rows(), [](const R& r) { return r.zone_load; })
          .by_name("duration_limits",
                   "commands with duration limits in the whole run, by direction and number of the descriptor; number 0 are "
                   "commands that expire at their deadline; for several drives the sum; left out without such commands",
                   drive::duration_rows(),
                   [](const R& r) { return r.durations.any() ? std::optional(r.durations.by_name()) : std::nullopt; })
          .group("array",
                 "the array; all values but `utilisation` count from the start of the run, warm-up included; left out for one "
                 "drive",
                 host::array::array_rows(), [](const R& r) { return r.array; })
          .group("actuators", "the actuators, by number; left out for drives with one", actuator_rows(),
                 [](const R& r) { return r.actuators; })
          .group("errors",
                 "media errors, retries and restarts in the whole run, warm-up included; for several drives the sum; left out "
                 "without faults, unless a drive has scrubbed",
                 media::error_rows(), [](const R& r) { return r.errors; })
          .group("trace", "the trace that was read; left out without one", trace, [](const R& r) { return r.trace; })
          .group("serving",
                 "clients of `platter serve`; the values depend on the serving machine and differ from run to run; left out "
                 "for other commands",
                 serving::serving_rows(), [](const R& r) { return r.serving; });
  return rows;
}

}  // namespace platter::system
