// SPDX-License-Identifier: Apache-2.0
//
// A load on one drive, or on an array of them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "platter/mapping/eager/parameters.h"
#include "platter/system/disk_waves.h"
#include "platter/system/hosts.h"
#include "platter/system/load_result.h"
#include "platter/system/refusal_watch.h"
#include "platter/system/request_files.h"
#include "platter/system/simulated_drives.h"
#include "platter/system/timeline.h"
#include "platter/workload/generators.h"
#include "platter/workload/initiator.h"

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
    options.closed_depth = s.discrete.source == "closed" ? static_cast<std::uint32_t>(load.outstanding) : 0;
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
    auto trace = std::make_unique<workload::TraceProducer>(s.discrete.trace.file.path, options, target, s.discrete.trace.speed);
    if (trace->records_responses()) files.add_recorded();
    producers.push_back(std::move(trace));
  }
  return producers;
}

std::uint32_t discrete_limit(const Scenario& s) {
  if (s.discrete.max_outstanding > 0) return static_cast<std::uint32_t>(s.discrete.max_outstanding);
  if (s.discrete.source == "closed" || (s.host->several_drives && s.array.striped())) return ~0u;
  const auto left = std::int64_t{s.drive.queue_depth} * (s.host->several_drives ? s.array.drives : 1) - s.continuous.streams;
  return static_cast<std::uint32_t>(std::max<std::int64_t>(left, 1));
}

/// Ends a run when the last request of its trace has ended.
class TraceEnd : public workload::RequestObserverIf {
 public:
  explicit TraceEnd(Timeline& time) : time_(time) {}

  void watch(const workload::TraceProducer& trace) { trace_ = &trace; }
  void issued(const workload::Request& request) override { outstanding_ += request.cls == RequestClass::Discrete ? 1 : 0; }
  void finished(const workload::FinishedRequest& finished) override {
    if (finished.request.cls != RequestClass::Discrete) return;
    --outstanding_;
    if (outstanding_ == 0 && trace_->ended() && time_.open()) time_.end_here();
  }

 private:
  Timeline& time_;
  const workload::TraceProducer* trace_ = nullptr;
  std::uint64_t outstanding_ = 0;
};

class LoadRun : public RunIf {
 public:
  LoadRun(const Scenario& scenario, const RunOptions& options)
      : s_(scenario),
        files_(scenario, options),
        time_(scenario.run, options.progress, options.until),
        disks_(scenario, drive_config(scenario), system::engine_factory(engine_options(scenario, scenario.policy, options))),
        statistics_(time_.warmup(), time_.open() ? core::kNoDeadline : time_.end()),
        waves_(scenario, options, disks_) {
    const std::uint32_t sector_bytes = disks_.first().planner().geometry().sector_bytes();
    disks_.bind(host_.disk_init_socket);
    if (disks_.spread()) statistics_.count_misses();
    if (s_.drive.token_rate_bytes_per_s > 0) host_.best_effort_init_socket.bind(disks_.first().host_tgt_socket);
    host_.set_limit(RequestClass::Discrete, discrete_limit(s_));
    host_.set_end(time_.end());
    producers_ = make_producers(s_, {disks_.capacity_bytes() / sector_bytes, sector_bytes}, files_);
    for (const auto& producer : producers_) host_.add_producer(*producer);
    if (s_.discrete.source == "trace") trace_ = dynamic_cast<workload::TraceProducer*>(producers_.back().get());
    host_.add_observer(refusals_);
    host_.add_observer(statistics_);
    if (time_.open()) {
      trace_end_.watch(*trace_);
      host_.add_observer(trace_end_);
    }
    files_.observe(host_);
    files_.observe_drives(disks_);
  }

  void run() override {
    time_.advance(time_.warmup());
    const DisksAt begin(disks_);
    time_.advance(time_.end());
    host_.rethrow_failure();
    refusals_.rethrow(s_.file);
    if (s_.run.as_long_as_trace() && time_.end() <= time_.warmup())
      s_.refuse("sim.warmup_s",
                fmt::format("found {:g}, expected less than {:g} s, at which the last request of the trace has ended",
                            s_.run.warmup_s, time_.simulated_s()));
    host_.for_each_outstanding([&](const workload::Request& request) { statistics_.outstanding(request, time_.end()); });
    statistics_.check_conservation();
    result_.measure(s_, statistics_, disks_, begin);
    if (!s_.run.as_long_as_trace()) result_.measured_s = s_.run.measure_s;
    if (trace_ != nullptr) result_.trace = TraceResult::of(*trace_, time_.end());
  }

  nlohmann::json result() const override { return params::to_json(load_rows(), &result_); }
  double simulated_s() const override { return time_.simulated_s(); }
  std::optional<double> measured_s() const override { return result_.measured_s; }
  std::uint64_t decisions() const override { return result_.scheduler.decided.decisions; }
  std::vector<observe::OutputFile*> outputs() override { return files_.outputs(waves_.close()); }

 private:
  const Scenario& s_;
  RequestFiles files_;  // first member: a file that cannot be written is refused before anything is built
  Timeline time_;
  Disks disks_;
  workload::Initiator host_{"host"};
  std::vector<std::unique_ptr<workload::ProducerIf>> producers_;
  workload::TraceProducer* trace_ = nullptr;  ///< one of them; null: there is none
  TraceEnd trace_end_{time_};
  observe::Statistics statistics_;
  RefusalWatch refusals_;
  DiskWaves waves_;  // behind the host, whose first requests are in the first sample
  LoadResult result_;
};

const Section kLoad{"Load on a drive or an array", "These keys exist with `host.kind = \"drive\"` and `\"array\"`.",
                    [](Scenario& s, params::Grammar& g) {
                      g.add(eager::eager_parameters(), s.eager);
                      g.add(workload::continuous_parameters(), s.continuous);
                      g.add(workload::discrete_parameters(), s.discrete);
                    }};
const Section kArray{"Array", "These keys exist with `host.kind = \"array\"`. The page [array](array.md) has the rules.",
                     [](Scenario& s, params::Grammar& g) { g.add(host::array::array_parameters(), s.array); }};

void check(const Scenario& s, params::Findings& findings) {
  const std::uint32_t sector = s.drive.geometry.sector_bytes;
  eager::check(s.eager, s.drive, findings);
  if (s.host->several_drives)
    host::array::check(s.array, s.redundancy, s.drive, s.failure.fails_at_s, s.eager.enabled, s.eager.block_bytes, findings);
  workload::check(s.discrete, sector, findings);
  workload::check(s.continuous, sector, findings);
  observe::check(s.waves, findings);
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
  host.check_run = [](const Scenario&) {};
  host.make = [](const Scenario& s, const RunOptions& options) -> std::unique_ptr<RunIf> {
    return std::make_unique<LoadRun>(s, options);
  };
  host.rows = []() -> const params::StatisticTable& { return load_rows(); };
  return host;
}

}  // namespace

HostInfo drive_host() { return load_host("drive", "a load and one drive", {&kLoad, &fault_section()}); }

HostInfo array_host() {
  HostInfo host =
      load_host("array", "a load and an array of drives", {&kLoad, &fault_section(), &kArray, &redundancy_section()});
  host.several_drives = true;
  return host;
}

}  // namespace platter::system
