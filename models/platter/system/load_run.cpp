// SPDX-License-Identifier: Apache-2.0
//
// A load on one drive, or on an array of them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "platter/mapping/eager/parameters.h"
#include "platter/mechanics/geometry.h"
#include "platter/system/disk_waves.h"
#include "platter/system/hosts.h"
#include "platter/system/load_result.h"
#include "platter/system/refusal_watch.h"
#include "platter/system/request_files.h"
#include "platter/system/simulated_drives.h"
#include "platter/system/timeline.h"
#include "platter/workload/generators.h"
#include "platter/workload/initiator.h"
#include "platter/workload/job.h"

namespace platter::system {

using core::RequestClass;

namespace {

std::vector<std::unique_ptr<workload::ProducerIf>> make_producers(const Scenario& s, const workload::Target& target,
                                                                  RequestFiles& files) {
  std::vector<std::unique_ptr<workload::ProducerIf>> producers;
  const auto seed = static_cast<std::uint64_t>(s.run.seed);
  if (s.continuous.streams > 0) {
    std::vector<workload::StreamTable> tables;
    if (s.continuous.size == "tables")
      for (const params::FileName& file : s.continuous.tables) tables.push_back(workload::StreamTable::load(file.path));
    workload::RoundsProducer::Options options;
    options.streams = static_cast<std::uint32_t>(s.continuous.streams);
    options.round = core::to_picoseconds(s.continuous.round_s, core::kPicosecondsPerSecond);
    options.contiguous = s.continuous.placement == "contiguous";
    options.placement.span_blocks = static_cast<std::uint64_t>(s.continuous.span_bytes) / target.block_bytes;
    options.mean_bytes = static_cast<double>(s.continuous.mean_bytes);
    options.deviation_bytes = static_cast<double>(s.continuous.deviation_bytes);
    options.seed = seed;
    producers.push_back(std::make_unique<workload::RoundsProducer>(target, options, std::move(tables)));
  }
  if (s.discrete.source == "poisson" || s.discrete.source == "closed") {
    const workload::GeneratedLoad& load = s.discrete.generated;
    workload::RandomProducer::Options options;
    options.rate_per_s = load.rate_per_s;
    options.closed_depth = s.discrete.keeps_outstanding();
    options.read_fraction = load.read_fraction;
    options.mean_bytes = static_cast<double>(load.mean_bytes);
    options.deviation_bytes = load.size == "normal" ? static_cast<double>(load.deviation_bytes) : 0;
    if (load.deadline_ms > 0) options.deadline = core::to_picoseconds(load.deadline_ms, core::kPicosecondsPerMillisecond);
    options.placement.span_blocks = static_cast<std::uint64_t>(load.span_bytes) / target.block_bytes;
    options.placement.align_blocks =
        std::max<std::uint64_t>(1, static_cast<std::uint64_t>(load.align_bytes) / target.block_bytes);
    options.seed = seed;
    producers.push_back(std::make_unique<workload::RandomProducer>(target, options));
  } else if (s.discrete.source == "trace") {
    workload::TraceOptions options = workload::trace_options(s.discrete.trace);
    options.capacity_bytes = target.blocks * target.block_bytes;
    options.sector_bytes = target.block_bytes;
    workload::TraceProducer::Pace pace;
    pace.speed = s.discrete.trace.speed;
    pace.closed_depth = s.discrete.keeps_outstanding();
    pace.think = core::to_picoseconds(s.discrete.trace.thinktime_us, core::kPicosecondsPerMicrosecond);
    auto trace = std::make_unique<workload::TraceProducer>(s.discrete.trace.file.path, options, target, pace);
    if (trace->records_responses()) files.add_recorded();
    producers.push_back(std::move(trace));
  }
  return producers;
}

std::uint32_t discrete_limit(const Scenario& s) {
  if (s.discrete.max_outstanding > 0) return static_cast<std::uint32_t>(s.discrete.max_outstanding);
  if (s.discrete.keeps_outstanding() > 0 || (s.host->several_drives && s.array.striped())) return ~0u;
  std::int64_t left = std::int64_t{s.drive.queue_depth} * (s.host->several_drives ? s.array.drives : 1) - s.continuous.streams;
  for (const workload::JobParameters& job : s.jobs)
    if (job.usual_class() == RequestClass::Continuous) left -= job.depth();
  return static_cast<std::uint32_t>(std::max<std::int64_t>(left, 1));
}

std::vector<std::string> names_of_jobs(const Scenario& s) {
  std::vector<std::string> names;
  names.reserve(s.jobs.size());
  for (const workload::JobParameters& job : s.jobs) names.push_back(job.name);
  return names;
}

/// Refuses a job whose region does not fit the drives.
void check_regions(const Scenario& s, const workload::Target& target) {
  for (std::size_t i = 0; i < s.jobs.size(); ++i)
    if (const auto objection = workload::region_objection(s.jobs[i], target)) {
      const std::string table = fmt::format("workload.job.{}", i);
      const std::string key = table + "." + objection->first;
      throw core::ConfigError({s.problem(key, objection->second, s.positions.count(key) != 0 ? "" : table)});
    }
}

class LoadRun : public RunIf {
 public:
  LoadRun(const Scenario& scenario, const RunOptions& options)
      : s_(scenario),
        files_(scenario, options),
        time_(scenario.run, options.progress, options.until),
        disks_(scenario, drive_config(scenario), system::engine_factory(engine_options(scenario, scenario.policy, options))),
        statistics_(time_.warmup(), time_.open() ? core::kNoDeadline : time_.end(), names_of_jobs(scenario)),
        waves_(scenario, options, disks_) {
    const std::uint32_t sector_bytes = disks_.first().planner().geometry().sector_bytes();
    disks_.bind(host_.disk_init_socket);
    if (disks_.spread()) statistics_.count_misses();
    if (s_.drive.token_rate_bytes_per_s > 0) host_.best_effort_init_socket.bind(disks_.first().host_tgt_socket);
    host_.set_limit(RequestClass::Discrete, discrete_limit(s_));
    if (!s_.jobs.empty()) host_.set_limit(RequestClass::Background, discrete_limit(s_));
    host_.set_end(time_.end());
    add_producers({disks_.capacity_bytes() / sector_bytes, sector_bytes});
    host_.add_observer(refusals_);
    host_.add_observer(statistics_);
    if (time_.open()) host_.set_all_ended([this] { time_.end_here(); });
    files_.observe(host_);
    files_.observe_drives(disks_);
  }

  void run() override {
    time_.advance(time_.warmup());
    const DisksAt begin(disks_);
    time_.advance(time_.end());
    host_.rethrow_failure();
    refusals_.rethrow(s_.file);
    if (s_.run.as_long_as_load() && time_.end() <= time_.warmup())
      s_.refuse("sim.warmup_s",
                fmt::format("found {:g}, expected less than {:g} s, at which the last request of the load has ended",
                            s_.run.warmup_s, time_.simulated_s()));
    host_.for_each_outstanding([&](const workload::Request& request) { statistics_.outstanding(request, time_.end()); });
    statistics_.check_conservation();
    result_.measure(s_, statistics_, disks_, begin);
    if (!s_.run.as_long_as_load()) result_.measured_s = s_.run.measure_s;
    if (trace_ != nullptr) result_.trace = TraceResult::of(*trace_, time_.end());
  }

  nlohmann::json result() const override { return params::to_json(load_rows(), &result_); }
  double simulated_s() const override { return time_.simulated_s(); }
  std::optional<double> measured_s() const override { return result_.measured_s; }
  std::uint64_t decisions() const override { return result_.scheduler.decided.decisions; }
  std::vector<observe::OutputFile*> outputs() override { return files_.outputs(waves_.close()); }

 private:
  void add_producers(const workload::Target& target) {
    check_regions(s_, target);
    producers_ = make_producers(s_, target, files_);
    if (s_.discrete.source == "trace") trace_ = dynamic_cast<workload::TraceProducer*>(producers_.back().get());
    for (const auto& producer : producers_) host_.add_producer(*producer, producer.get() == trace_);
    files_.add_jobs(names_of_jobs(s_));
    const auto streams = static_cast<std::uint32_t>(s_.continuous.streams);
    for (std::size_t i = 0; i < s_.jobs.size(); ++i) {
      producers_.push_back(std::make_unique<workload::JobProducer>(s_.jobs[i], static_cast<std::int32_t>(i),
                                                                   streams + static_cast<std::uint32_t>(i), target,
                                                                   static_cast<std::uint64_t>(s_.run.seed)));
      host_.add_producer(*producers_.back(), s_.jobs[i].ends());
    }
  }

  const Scenario& s_;
  RequestFiles files_;  // first member: a file that cannot be written is refused before anything is built
  Timeline time_;
  Disks disks_;
  workload::Initiator host_{"host"};
  std::vector<std::unique_ptr<workload::ProducerIf>> producers_;
  workload::TraceProducer* trace_ = nullptr;  ///< one of them; null: there is none
  observe::Statistics statistics_;
  RefusalWatch refusals_;
  DiskWaves waves_;  // behind the host, whose first requests are in the first sample
  LoadResult result_;
};

constexpr Section kLoad{"Load on a drive or an array", "The page [jobs](jobs.md) has the rules of `[[workload.job]]`.",
                        [](Scenario& s, params::Grammar& g) {
                          g.add(eager::eager_parameters(), s.eager);
                          g.add(workload::continuous_parameters(), s.continuous);
                          g.add(workload::discrete_parameters(), s.discrete);
                          g.add_array("workload.job", "job", workload::job_parameters(), s.jobs, false);
                        }};
constexpr Section kFaults{"Faults", "The page [reliability](reliability.md) has the rules of `[[fault]]`.",
                          [](Scenario& s, params::Grammar& g) {
                            g.add_array("fault", "fault", media::fault_parameters(), s.faults, false);
                            g.add(media::fault_process_parameters(), s.fault_process);
                          }};
constexpr Section kArray{"Array", "The page [array](array.md) has the rules.",
                         [](Scenario& s, params::Grammar& g) { g.add(host::array::array_parameters(), s.array); }};

void check(const Scenario& s, params::Findings& findings) {
  const std::uint32_t sector = s.drive.geometry.sector_bytes;
  eager::check(s.eager, s.drive, findings);
  if (s.host->several_drives)
    host::array::check(s.array, s.redundancy, s.drive, s.failure.fails_at_s, s.eager.enabled, s.eager.block_bytes, findings);
  workload::check(s.discrete, sector, findings);
  workload::check(s.jobs, sector, findings);
  if (s.discrete.trace.thinktime_us > 0 && !(s.discrete.source == "trace" && s.discrete.keeps_outstanding() > 0))
    findings.add("workload.thinktime_us",
                 "expected a trace with workload.pace = \"closed\"; otherwise no request waits for another");
  workload::check(s.continuous, sector, findings);
  observe::check(s.waves, findings);
  media::check(s.faults, s.host->several_drives ? s.array.drives : 1, findings);
}

HostInfo load_host(std::string_view name, std::string_view description, std::vector<const Section*> sections) {
  HostInfo host;
  host.name = name;
  host.description = description;
  host.keeps_logs = true;
  host.takes_clients = true;
  host.sections = std::move(sections);
  host.set_defaults = [](Scenario&) {};
  host.check = check;
  host.check_run = [](const Scenario& s) {
    if (s.plans_faults()) s.fault_plan(mechanics::Geometry(s.drive.geometry));
  };
  host.make = [](const Scenario& s, const RunOptions& options) -> std::unique_ptr<RunIf> {
    return std::make_unique<LoadRun>(s, options);
  };
  host.rows = []() -> const params::StatisticTable& { return load_rows(); };
  return host;
}

}  // namespace

HostInfo drive_host() {
  HostInfo host = load_host("drive", "a load and one drive", {&kLoad, &failure_section(), &kFaults});
  host.check_run = [](const Scenario& s) {
    if (s.plans_faults()) s.fault_plan(mechanics::Geometry(s.drive.geometry));
    if (s.eager.enabled) return;  // the drive has less capacity then
    const mechanics::Geometry geometry(s.drive.geometry);
    check_regions(s, {geometry.block_count(), geometry.sector_bytes()});
  };
  return host;
}

HostInfo array_host() {
  HostInfo host = load_host("array", "a load and an array of drives",
                            {&kLoad, &failure_section(), &kFaults, &kArray, &redundancy_section()});
  host.several_drives = true;
  return host;
}

}  // namespace platter::system
