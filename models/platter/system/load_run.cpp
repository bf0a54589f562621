// SPDX-License-Identifier: Apache-2.0
//
// A load on one drive, or on an array of them.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platter/core/error.h"
#include "platter/mapping/eager/block_layout.h"
#include "platter/mapping/eager/parameters.h"
#include "platter/mechanics/geometry.h"
#include "platter/observe/write_log.h"
#include "platter/system/disk_waves.h"
#include "platter/system/hosts.h"
#include "platter/system/load_host.h"
#include "platter/system/load_result.h"
#include "platter/system/refusal_watch.h"
#include "platter/system/request_files.h"
#include "platter/system/simulated_drives.h"
#include "platter/system/timeline.h"

namespace platter::system {

namespace {

class LoadRun : public RunIf {
 public:
  LoadRun(const Scenario& scenario, const RunOptions& options)
      : s_(scenario),
        files_(scenario, options),
        time_(scenario.run, options.progress, options.until),
        disks_(scenario, drive_config(scenario), system::engine_factory(engine_options(scenario, scenario.policy, options))),
        host_(scenario, time_.end()),
        statistics_(time_.warmup(), time_.open() ? core::kNoDeadline : time_.end(), names_of_jobs(scenario)),
        waves_(scenario, options, disks_) {
    workload::Initiator& host = host_.initiator();
    const std::uint32_t sector_bytes = disks_.first().planner().geometry().sector_bytes();
    const bool best_effort = s_.drive.token_rate_bytes_per_s > 0;
    if (options.write_logs.empty()) {
      disks_.bind(host.disk_init_socket);
      if (best_effort) host.best_effort_init_socket.bind(disks_.first().host_tgt_socket);
    } else {
      if (options.write_logs.size() > 1)
        throw core::InputError("--write-log", 0, 0, "found several files, expected one: a run has one host");
      write_log_.emplace(options.write_logs.front(), sector_bytes);
      disks_.bind(tap("write_log", host.disk_init_socket));
      if (best_effort) tap("best_effort_write_log", host.best_effort_init_socket).bind(disks_.first().host_tgt_socket);
    }
    if (disks_.spread()) statistics_.count_misses();
    host_.produce({disks_.capacity_bytes() / sector_bytes, sector_bytes});
    if (host_.trace() != nullptr && host_.trace()->records_responses()) files_.add_recorded();
    files_.add_jobs(names_of_jobs(s_));
    host.add_observer(refusals_);
    host.add_observer(statistics_);
    if (time_.open()) host.set_all_ended([this] { time_.end_here(); });
    files_.observe(host);
    files_.observe_drives(disks_);
  }

  void run() override {
    time_.advance(time_.warmup());
    const DisksAt begin(disks_);
    const workload::ZoneLoadCounts zones_begin =
        host_.zones() != nullptr ? host_.zones()->counts() : workload::ZoneLoadCounts{};
    time_.advance(time_.end());
    host_.initiator().rethrow_failure();
    refusals_.rethrow(s_.file);
    if (s_.run.as_long_as_load() && time_.end() <= time_.warmup())
      s_.refuse("sim.warmup_s",
                fmt::format("found {:g}, expected less than {:g} s, at which the last request of the load has ended",
                            s_.run.warmup_s, time_.simulated_s()));
    host_.initiator().for_each_outstanding(
        [&](const workload::Request& request) { statistics_.outstanding(request, time_.end()); });
    statistics_.check_conservation();
    result_.measure(s_, statistics_, disks_, begin);
    if (!s_.run.as_long_as_load()) result_.measured_s = s_.run.measure_s;
    if (host_.zones() != nullptr) result_.zone_load = host_.zones()->counts().since(zones_begin);
    if (host_.trace() != nullptr) result_.trace = TraceResult::of(*host_.trace());
  }

  nlohmann::json result() const override { return params::to_json(load_rows(), &result_); }
  double simulated_s() const override { return time_.simulated_s(); }
  std::optional<double> measured_s() const override { return result_.measured_s; }
  std::uint64_t decisions() const override { return result_.scheduler.decided.decisions; }
  std::vector<observe::OutputFile*> outputs() override {
    return files_.outputs(waves_.close(), write_log_ ? &*write_log_ : nullptr);
  }

 private:
  /// Puts a tap of the log behind a socket of the host. Returns the socket to be bound instead.
  template <typename Socket>
  tlm_utils::simple_initiator_socket<observe::WriteLogTap>& tap(const char* name, Socket& socket) {
    taps_.push_back(std::make_unique<observe::WriteLogTap>(name, *write_log_));
    socket.bind(taps_.back()->host_tgt_socket);
    return taps_.back()->disk_init_socket;
  }

  const Scenario& s_;
  RequestFiles files_;  // first member: a file that cannot be written is refused before anything is built
  Timeline time_;
  Disks disks_;
  LoadHost host_;
  std::optional<observe::WriteLog> write_log_;
  std::vector<std::unique_ptr<observe::WriteLogTap>> taps_;
  observe::Statistics statistics_;
  RefusalWatch refusals_;
  DiskWaves waves_;  // behind the host, whose first requests are in the first sample
  LoadResult result_;
};

constexpr Section kLoad{
    "Load on a drive or an array",
    "The page [jobs](jobs.md) has the rules of `[[workload.job]]`, and the page [zones](zones.md#loads-on-zones) those of "
    "`workload.zones`.",
    [](Scenario& s, params::Grammar& g) {
      g.add(eager::eager_parameters(), s.eager);
      g.add(workload::continuous_parameters(), s.continuous);
      g.add(workload::discrete_parameters(), s.discrete);
      g.add(workload::zone_load_parameters(), s.zone_load);
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
  if (s.zone_load.on()) {
    if (s.host->several_drives) findings.add("workload.zones.source", "expected host.kind = \"drive\": an array has no zones");
    for (std::size_t i = 0; i < s.jobs.size(); ++i)
      if (s.jobs[i].name == workload::kZoneHost || s.jobs[i].name == workload::kZoneCleaner)
        findings.add(fmt::format("workload.job.{}.name", i),
                     fmt::format("found \"{}\", which is the name of requests of workload.zones in results", s.jobs[i].name));
  }
  workload::check(s.zone_load, s.drive, findings);
  const profile::LimitsProfile& limits = s.drive.limits;
  workload::check_hints(s.jobs, limits.reads.size(), limits.writes.size(), findings);
  const double share = s.discrete.generated.read_fraction;
  const std::size_t descriptors = share == 1   ? limits.reads.size()
                                  : share == 0 ? limits.writes.size()
                                               : std::min(limits.reads.size(), limits.writes.size());
  if (s.discrete.generated.duration_limit > descriptors)
    findings.add("workload.discrete.duration_limit",
                 fmt::format("found {}, expected at most {}: the drive has no more duration descriptors for these requests "
                             "(`drive.duration_limits`)",
                             s.discrete.generated.duration_limit, descriptors));
  if (s.discrete.trace.thinktime_us > 0 && !(s.discrete.source == "trace" && s.discrete.keeps_outstanding() > 0))
    findings.add("workload.thinktime_us",
                 "expected a trace with workload.pace = \"closed\"; otherwise no request waits for another");
  workload::check(s.continuous, sector, findings);
  observe::check(s.waves, findings);
  media::check(s.faults, s.host->several_drives ? s.array.drives : 1, findings);
}

void check_media(const Scenario& s) {
  if (s.plans_faults()) s.fault_plan(mechanics::Geometry(s.drive.geometry));
  if (!s.eager.enabled) return;
  const std::string wrong = eager::BlockLayout::objection(mechanics::Geometry(s.drive.geometry), s.eager.block_bytes);
  if (!wrong.empty()) s.refuse("eager.block_bytes", wrong);
}

HostInfo load_host(std::string_view name, std::string_view description, std::vector<const Section*> sections) {
  HostInfo host;
  host.name = name;
  host.description = description;
  host.keeps_logs = host.logs_writes = true;
  host.takes_clients = true;
  host.sections = std::move(sections);
  host.set_defaults = [](Scenario&) {};
  host.check = check;
  host.check_run = check_media;
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
    check_media(s);
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
