// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <systemc>

#include "commands.h"
#include "disks.h"
#include "host_meter.h"
#include "platter/accelerator/engines.h"
#include "platter/config/loader.h"
#include "platter/core/error.h"
#include "platter/core/json_text.h"
#include "platter/core/sc_time.h"
#include "platter/observe/output_file.h"
#include "platter/observe/request_log.h"
#include "platter/observe/statistics.h"
#include "platter/observe/wave_probe.h"
#include "platter/scheduling/gap_statistics.h"
#include "platter/workload/generators.h"
#include "platter/workload/initiator.h"
#include "run_watch.h"

namespace platter::cli {

using core::Picoseconds;
using core::RequestClass;
using nlohmann::json;

namespace {

std::vector<std::unique_ptr<workload::ProducerIf>> make_producers(const config::Scenario& s,
                                                                  const workload::Target& target) {
  std::vector<std::unique_ptr<workload::ProducerIf>> producers;
  const auto seed = static_cast<std::uint64_t>(s.seed);
  if (s.continuous.streams > 0) {
    std::vector<workload::StreamTable> tables;
    if (s.continuous.size == "tables")
      for (const config::FileName& file : s.continuous.tables) tables.push_back(workload::StreamTable::load(file.path));
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
    workload::RandomProducer::Options options;
    options.rate_per_s = s.discrete.rate_per_s;
    options.closed_depth = s.discrete.source == "closed" ? static_cast<std::uint32_t>(s.discrete.outstanding) : 0;
    options.read_fraction = s.discrete.read_fraction;
    options.mean_bytes = static_cast<double>(s.discrete.mean_bytes);
    options.deviation_bytes = s.discrete.size == "normal" ? static_cast<double>(s.discrete.deviation_bytes) : 0;
    if (s.discrete.deadline_ms > 0) options.deadline = core::to_picoseconds(s.discrete.deadline_ms, core::kPicosecondsPerMillisecond);
    options.placement.span_blocks = static_cast<std::uint64_t>(s.discrete.span_bytes) / target.block_bytes;
    options.placement.align_blocks =
        std::max<std::uint64_t>(1, static_cast<std::uint64_t>(s.discrete.align_bytes) / target.block_bytes);
    options.seed = seed;
    producers.push_back(std::make_unique<workload::RandomProducer>(target, options));
  } else if (s.discrete.source == "trace") {
    workload::TraceOptions options;
    options.format = s.discrete.trace_format;
    options.device = s.discrete.trace_device;
    options.past_end = s.discrete.past_end == "wrap"   ? workload::PastEnd::Wrap
                       : s.discrete.past_end == "clip" ? workload::PastEnd::Clip
                                                       : workload::PastEnd::Error;
    options.capacity_bytes = target.blocks * target.block_bytes;
    producers.push_back(
        std::make_unique<workload::TraceProducer>(s.discrete.trace.path, options, target, s.discrete.trace_speed));
  }
  return producers;
}

std::uint32_t discrete_limit(const config::Scenario& s) {
  if (s.discrete.max_outstanding > 0) return static_cast<std::uint32_t>(s.discrete.max_outstanding);
  if (s.discrete.source == "closed" || s.array.striped()) return ~0u;
  const auto left = std::int64_t{s.drive.queue_depth} * s.array.drives - s.continuous.streams;
  return static_cast<std::uint32_t>(std::max<std::int64_t>(left, 1));
}

// --- result ----------------------------------------------------------------------------------------------------------

struct Outcome {
  double measured_s = 0;
  double simulated_s = 0;
  double busy_share = 0;      ///< mean over the drives
  double mean_occupancy = 0;  ///< mean over the drives
  std::vector<double> drive_busy_shares;
  drive::EngineStatistics engine;
  drive::StallStatistics stall;
  eager::EagerStatistics eager;
  scheduling::GapStatistics gaps;
  std::uint64_t tracks_examined = 0;
  std::uint32_t free_blocks = 0;
  double wall_s = 0;
  double cpu_s = 0;
};

json requests_json(const observe::RequestStatistics& c, double measured_s) {
  json parts;
  for (std::size_t i = 0; i < observe::kPartNames.size(); ++i)
    parts[std::string(observe::kPartNames[i])] = c.completed > 0 ? c.parts_ms[i] / static_cast<double>(c.completed) : 0.0;
  return {{"issued", c.issued},
          {"completed", c.completed},
          {"failed", c.failed},
          {"outstanding", c.outstanding},
          {"late", c.late},
          {"bytes", c.bytes},
          {"throughput", {{"requests_per_s", static_cast<double>(c.completed) / measured_s},
                          {"bytes_per_s", static_cast<double>(c.bytes) / measured_s}}},
          {"fairness_index", c.response.fairness_index()},
          {"response_ms", {{"mean", c.response.mean_ms()},
                           {"p50", c.response.percentile_ms(50)},
                           {"p90", c.response.percentile_ms(90)},
                           {"p95", c.response.percentile_ms(95)},
                           {"p99", c.response.percentile_ms(99)},
                           {"p99_9", c.response.percentile_ms(99.9)},
                           {"max", c.response.max_ms()}}},
          {"parts_ms", parts}};
}

json class_json(const observe::ClassStatistics& c, double measured_s) {
  json result = requests_json(c, measured_s);
  result["backlog"] = {{"mean", c.backlog.mean()}, {"parts", c.backlog.means()}};
  if (c.reads.issued > 0) result["reads"] = requests_json(c.reads, measured_s);
  if (c.writes.issued > 0) result["writes"] = requests_json(c.writes, measured_s);
  return result;
}

double per(double value, std::uint64_t count) { return count > 0 ? value / static_cast<double>(count) : 0; }

std::uint64_t all_completed(const observe::Statistics& statistics) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < core::kRequestClasses; ++i) count += statistics.of(static_cast<RequestClass>(i)).completed;
  return count;
}

json result_json(const config::Scenario& s, const observe::Statistics& statistics, const Outcome& o, const Disks& disks) {
  json classes;
  for (std::size_t i = 0; i < core::kRequestClasses; ++i) {
    const auto cls = static_cast<RequestClass>(i);
    if (statistics.of(cls).issued > 0) classes[std::string(core::to_string(cls))] = class_json(statistics.of(cls), o.measured_s);
  }
  if (classes.is_null()) classes = json::object();
  json result = {
      {"schema", 1},
      {"version", PLATTER_VERSION},
      {"seed", s.seed},
      {"configuration", config::effective_configuration(s)},
      {"measured_s", o.measured_s},
      {"classes", classes},
      {"hiccups", statistics.hiccups()},
      {"utilisation", o.busy_share},
      {"queue_depth", {{"mean", o.mean_occupancy}}},
      {"throughput", {{"requests_per_s", static_cast<double>(all_completed(statistics)) / o.measured_s}}},
      {"scheduler",
       {{"engine", s.engine},
        {"policy", s.policy},
        {"decisions", o.engine.decisions},
        {"decisions_compared", o.engine.decisions_compared},
        {"responses_compared", o.engine.compared},
        {"mismatches", o.engine.mismatches},
        {"forced", o.engine.forced},
        {"cycles", o.engine.cycles},
        {"cycles_per_decision", per(static_cast<double>(o.engine.cycles), o.engine.decisions)},
        {"access_cycles_per_decision", per(static_cast<double>(o.engine.access_cycles), o.engine.decisions)},
        {"latency_us", per(static_cast<double>(o.engine.latency) * 1e-6, o.engine.decisions)},
        {"stall_us", per(static_cast<double>(o.stall.stall) * 1e-6, o.engine.decisions)},
        {"stalls", o.stall.stalls},
        {"idle_decisions", o.stall.idle_decisions}}},
      {"host",
       {{"wall_s", o.wall_s},
        {"cpu_s", o.cpu_s},
        {"simulated_s", o.simulated_s},
        {"simulated_s_per_wall_s", o.simulated_s / o.wall_s},
        {"requests_per_cpu_s", static_cast<double>(o.engine.decisions) / o.cpu_s}}}};
  if (s.eager.enabled)
    result["eager"] = {{"writes", o.eager.writes},
                       {"hidden", o.eager.hidden},
                       {"read_first", o.eager.read_first},
                       {"free_blocks", o.free_blocks},
                       {"tracks_examined", o.tracks_examined},
                       {"gaps", {{"reads", o.gaps.gaps},
                                 {"filled", o.gaps.filled},
                                 {"mean_ms", per(core::to_milliseconds(o.gaps.total), o.gaps.gaps)},
                                 {"bin_ms", core::to_milliseconds(scheduling::GapStatistics::kBin)},
                                 {"sizes", o.gaps.sizes},
                                 {"writes", o.gaps.writes}}}};
  if (s.array.present()) {
    result["array"] = disks.result();
    result["array"]["utilisation"] = o.drive_busy_shares;
  }
  return result;
}

void print_table(const config::Scenario& s, const observe::Statistics& statistics, const Outcome& o, const Disks& disks) {
  if (s.array.present()) fmt::print("{} drives, copies of a {}: {}, each ", s.array.drives, s.array.striped() ? "unit" : "block", s.array.copies);
  fmt::print("{}, policy {}, engine {}, queue of {}, {:g} s simulated (seed {})\n\n", s.drive.name, s.policy, s.engine,
             s.drive.queue_depth, o.simulated_s, s.seed);
  fmt::print("{:<12}{:>9}{:>11}{:>6} | {:>9}{:>9}{:>9}{:>9}{:>9} | {:>8}\n", "class", "issued", "completed", "late",
             "mean", "p50", "p95", "p99", "max ms", "fairness");
  const auto row = [](std::string_view name, const observe::RequestStatistics& c) {
    fmt::print("{:<12}{:>9}{:>11}{:>6} | {:>9.2f} {:>8.2f} {:>8.2f} {:>8.2f} {:>8.2f} | {:>8.3f}\n", name, c.issued, c.completed,
               c.late, c.response.mean_ms(), c.response.percentile_ms(50), c.response.percentile_ms(95),
               c.response.percentile_ms(99), c.response.max_ms(), c.response.fairness_index());
  };
  for (std::size_t i = 0; i < core::kRequestClasses; ++i) {
    const auto cls = static_cast<RequestClass>(i);
    const observe::ClassStatistics& c = statistics.of(cls);
    if (c.issued == 0) continue;
    row(core::to_string(cls), c);
    if (c.reads.issued == 0 || c.writes.issued == 0) continue;
    row("  reads", c.reads);
    row("  writes", c.writes);
  }
  fmt::print("\n{:<12}", "parts [ms]");
  for (const std::string_view name : observe::kPartNames) fmt::print(" {:>9}", name);
  fmt::print("\n");
  for (std::size_t i = 0; i < core::kRequestClasses; ++i) {
    const auto cls = static_cast<RequestClass>(i);
    const observe::ClassStatistics& c = statistics.of(cls);
    if (c.completed == 0) continue;
    fmt::print("{:<12}", core::to_string(cls));
    for (const double part : c.parts_ms) fmt::print(" {:>9.3f}", part / static_cast<double>(c.completed));
    fmt::print("\n");
  }
  fmt::print("\nutilisation {:.1f} %, mean queue {:.2f}, hiccups {}\n", o.busy_share * 100, o.mean_occupancy,
             statistics.hiccups());
  fmt::print("scheduler: {} decisions, {:.1f} cycles each, {:.2f} us from question to answer, {} forced by the guard\n",
             o.engine.decisions, per(static_cast<double>(o.engine.cycles), o.engine.decisions),
             per(static_cast<double>(o.engine.latency) * 1e-6, o.engine.decisions), o.engine.forced);
  fmt::print("           the arm waited for {} of them, {:.3f} us a decision; {} on an arm at rest\n", o.stall.stalls,
             per(static_cast<double>(o.stall.stall) * 1e-6, o.engine.decisions), o.stall.idle_decisions);
  fmt::print("{}", disks.text());
  for (std::size_t i = 0; i < core::kRequestClasses; ++i) {
    const auto cls = static_cast<RequestClass>(i);
    if (statistics.of(cls).failed > 0) fmt::print("failed, so neither completed nor late: {} {}\n", statistics.of(cls).failed, core::to_string(cls));
  }
  if (s.dies_at_s >= o.simulated_s)
    fmt::print("no drive died: fault.dies_at_s, {:g} s, lies behind the end\n", s.dies_at_s);
  else if (s.dies_at_s > 0 && !s.array.present())
    fmt::print("the drive died at {:g} s\n", s.dies_at_s);
  if (s.engine == "lockstep")
    fmt::print("lock-step: {} decisions compared ({} responses), {} mismatches\n", o.engine.decisions_compared, o.engine.compared,
               o.engine.mismatches);
  fmt::print("{:.0f} simulated s per wall s, {:.0f} commands per CPU s\n", o.simulated_s / o.wall_s,
             static_cast<double>(o.engine.decisions) / o.cpu_s);
}

/// Report and waves of the accesses before a lock-step mismatch, beside the result.
void write_mismatch(const accelerator::LockstepCore& pair, const std::string& report, const config::Scenario& s,
                    const std::filesystem::path& folder, Picoseconds clock_period) {
  observe::OutputFile text(folder / "lockstep_mismatch.txt");
  text.write(fmt::format("scenario {} seed {}\n{}", s.file, s.seed, report));
  text.commit();
  accelerator::RtlCore again(clock_period, true);
  observe::WaveFile waves(folder / "lockstep_mismatch.fst", 0, core::kNoDeadline, &again);
  waves.arm();
  pair.replay(again);
  waves.commit();
  fmt::print(stderr, "report: {}\nwaves of the last accesses: {}\n", (folder / "lockstep_mismatch.txt").string(),
             (folder / "lockstep_mismatch.fst").string());
}

}  // namespace

int run(const RunOptions& options) {
  std::vector<std::string> overrides = options.overrides;
  if (!options.wave_from_s.empty()) overrides.push_back("observe.wave_from_s=" + options.wave_from_s);
  if (!options.wave_to_s.empty()) overrides.push_back("observe.wave_to_s=" + options.wave_to_s);
  const config::Scenario s = config::load_scenario(options.scenario, overrides);
  const scheduling::PolicySpec policy = *scheduling::find_policy(s.policy);
  const std::string objection = accelerator::engine_objection(s.engine, policy, s.drive.queue_depth, s.readings);
  if (!objection.empty()) s.refuse("engine", objection);

  if (s.array.present() && !options.waves.empty())
    s.refuse(s.array.striped() ? "array.kind" : "array.drives", "found an array, expected none: waves show a single drive");

  // Where the results cannot go is said before the run.
  const std::unique_ptr<observe::OutputFile> result = observe::open_output(options.result);
  std::unique_ptr<observe::RequestLog> log;
  if (!options.requests.empty()) log = std::make_unique<observe::RequestLog>(options.requests);

  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  const auto wall_start = std::chrono::steady_clock::now();
  const double cpu_start = cpu_seconds();

  const std::filesystem::path folder =
      options.result.empty() ? std::filesystem::path(".") : std::filesystem::absolute(options.result).parent_path();
  accelerator::EngineOptions engine(s.drive);
  engine.engine = s.engine;
  engine.policy = policy;
  engine.readings = s.readings;
  engine.accelerator_clock_mhz = s.accelerator_clock_mhz;
  engine.margin_ticks = static_cast<std::uint32_t>(s.accelerator_margin_ticks);
  engine.risk_ticks = static_cast<std::uint32_t>(s.accelerator_risk_ticks);
  engine.risk_probability = s.accelerator_risk_probability;
  engine.traced = !options.waves.empty();
  engine.on_mismatch = [&](const accelerator::LockstepCore& pair, const std::string& report) {
    write_mismatch(pair, report, s, folder,
                   core::to_picoseconds(1.0 / s.accelerator_clock_mhz, core::kPicosecondsPerMicrosecond));
  };

  drive::DriveConfig drive_config;
  drive_config.profile = s.drive;
  drive_config.holds_data = false;  // the generators' payloads carry no bytes
  drive_config.eager = s.eager;
  drive_config.seed = static_cast<std::uint64_t>(s.seed);
  if (s.dies_at_s > 0) drive_config.dies_at = core::to_picoseconds(s.dies_at_s, core::kPicosecondsPerSecond);
  Disks disks(s, drive_config, accelerator::engine_factory(engine));
  drive::Drive& disk = disks.first();
  const std::uint32_t sector_bytes = disk.planner().geometry().sector_bytes();
  const workload::Target target{disks.capacity_bytes() / sector_bytes, sector_bytes};

  const Picoseconds warmup = core::to_picoseconds(s.warmup_s, core::kPicosecondsPerSecond);
  const Picoseconds end = warmup + core::to_picoseconds(s.measure_s, core::kPicosecondsPerSecond);
  workload::Initiator host("host");
  disks.bind(host.disk_init_socket);
  if (s.drive.token_rate_bytes_per_s > 0) host.best_effort_init_socket.bind(disk.host_tgt_socket);
  host.set_limit(RequestClass::Discrete, discrete_limit(s));
  host.set_end(end);
  const auto producers = make_producers(s, target);
  for (const auto& producer : producers) host.add_producer(*producer);

  observe::Statistics statistics(warmup, end);
  RefusalWatch refusals;
  host.add_observer(refusals);
  host.add_observer(statistics);
  if (log) host.add_observer(*log);
  std::unique_ptr<observe::WaveFile> waves;
  std::unique_ptr<observe::WaveProbe> probe;
  if (!options.waves.empty()) {
    waves = std::make_unique<observe::WaveFile>(
        options.waves, core::to_picoseconds(s.wave_from_s, core::kPicosecondsPerSecond),
        core::to_picoseconds(s.wave_to_s, core::kPicosecondsPerSecond), accelerator::rtl_of(disk.engine()));
    probe = std::make_unique<observe::WaveProbe>("probe", disk, *waves,
                                                 static_cast<std::uint32_t>(s.wave_angle_samples));
  }

  Progress progress(options.quiet);
  const auto advance = [&](Picoseconds to) {
    while (core::now_ps() < to && sc_core::sc_get_status() != sc_core::SC_STOPPED) {
      const Picoseconds step = std::min(to - core::now_ps(), std::max<Picoseconds>(end / 200, 1));
      sc_core::sc_start(core::to_sc_time(step));
      progress.update(static_cast<double>(core::now_ps()) / static_cast<double>(end),
                      core::to_milliseconds(core::now_ps()) * 1e-3, core::to_milliseconds(end) * 1e-3);
    }
  };
  advance(warmup);
  std::vector<Picoseconds> busy_before;
  double occupancy_before = 0;
  for (const auto& drive : disks.drives()) {
    busy_before.push_back(drive->actuator().busy(core::now_ps()));
    occupancy_before += drive->queue().occupancy_integral(core::now_ps());
  }
  advance(end);
  progress.done();
  host.rethrow_failure();
  if (refusals.refused()) throw core::InputError(s.file, 0, 0, *refusals.refused());

  host.for_each_outstanding([&](const workload::Request& request) { statistics.outstanding(request, end); });
  statistics.check_conservation();
  const auto measured = static_cast<double>(end - warmup);
  Outcome outcome;
  outcome.measured_s = s.measure_s;
  outcome.simulated_s = core::to_milliseconds(end) * 1e-3;
  const auto drives = static_cast<double>(disks.drives().size());
  double occupancy = -occupancy_before;
  for (std::size_t i = 0; i < disks.drives().size(); ++i) {
    drive::Drive& each = *disks.drives()[i];
    outcome.drive_busy_shares.push_back(static_cast<double>(each.actuator().busy(end) - busy_before[i]) / measured);
    outcome.busy_share += outcome.drive_busy_shares.back() / drives;
    occupancy += each.queue().occupancy_integral(end);
    outcome.engine += each.engine().statistics();
    outcome.stall += each.dispatcher().statistics();
    if (each.eager_mapping() == nullptr) continue;
    outcome.eager += each.eager_mapping()->statistics();
    outcome.free_blocks += each.eager_mapping()->map().free_count();
    outcome.tracks_examined += each.eager_mapping()->search().tracks_examined();
    outcome.gaps += *each.engine().gaps();
  }
  outcome.mean_occupancy = occupancy / measured / drives;
  outcome.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_start).count();
  outcome.cpu_s = cpu_seconds() - cpu_start;

  if (!options.quiet) print_table(s, statistics, outcome, disks);
  if (result) result->write(core::json_text(result_json(s, statistics, outcome, disks)) + "\n");
  observe::commit_all({log ? &log->file() : nullptr, waves ? &waves->close() : nullptr, result.get()});
  if (!options.quiet) {
    if (!options.result.empty()) fmt::print("result:   {}\n", options.result);
    if (!options.requests.empty()) fmt::print("requests: {}\n", options.requests);
    if (!options.waves.empty())
      fmt::print("waves:    {} ({:g} to {:g} s); open with: gtkwave {} waves/mixed_media.gtkw\n", options.waves,
                 s.wave_from_s, s.wave_to_s, options.waves);
  }
  return kGood;
}

}  // namespace platter::cli
