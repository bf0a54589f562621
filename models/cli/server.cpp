// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "commands.h"
#include "host_meter.h"
#include "platter/accelerator/engines.h"
#include "platter/config/loader.h"
#include "platter/core/error.h"
#include "platter/core/json_text.h"
#include "platter/host/media_server/admission_run.h"
#include "platter/host/media_server/simulated_disks.h"
#include "platter/mechanics/geometry.h"
#include "platter/observe/output_file.h"
#include "run_watch.h"

namespace platter::cli {

namespace server = host::media_server;
using nlohmann::json;

namespace {

server::AdmissionRunOptions run_options(const config::ServerScenario& s) {
  server::AdmissionRunOptions options;
  for (const server::ContentType& type : server::content_table())
    if (s.content == "mixed" || s.content == type.name) options.content.push_back(&type);
  options.seed = static_cast<std::uint64_t>(s.seed);
  options.generator.rounds = static_cast<std::uint32_t>(s.rounds);
  options.generator.scene_rounds = static_cast<std::uint32_t>(s.scene_rounds);
  options.generator.correlation = s.correlation;
  options.generator.seed = options.seed;
  options.disks = static_cast<std::uint32_t>(s.disks);
  options.block_bytes = static_cast<std::uint32_t>(s.block_bytes);
  options.stride_bytes = static_cast<std::uint32_t>(s.stride_bytes);
  options.disk_bytes = mechanics::Geometry(s.drive.geometry).capacity_bytes();
  options.fill_disks = s.fill_disks;
  options.times = server::DiskTimes::of(s.drive, s.rate_bytes_per_s);
  options.placement = server::find_replica_placement(s.placement);
  options.reservation = server::find_reservation(s.reservation);
  options.decluster_bytes = static_cast<std::uint32_t>(s.decluster_bytes);
  options.load = s.load;
  options.warmup = static_cast<server::Round>(s.warmup_s);
  options.measure = static_cast<server::Round>(s.measure_s);
  if (s.failed_disk >= 0)
    options.failure = server::DiskFailure{static_cast<std::uint32_t>(s.failed_disk), static_cast<server::Round>(s.warmup_s + s.failure_s)};
  if (options.times.budget(server::kRoundTime) <= 0)
    s.refuse("drive", "two seeks over all cylinders take longer than a round");
  return options;
}

json result_json(const config::ServerScenario& s, const server::AdmissionRunOptions& o, const server::AdmissionRunResult& r) {
  json out = {
      {"schema", 1},
      {"version", PLATTER_VERSION},
      {"seed", s.seed},
      {"configuration", config::effective_configuration(s)},
      {"rounds", o.measure},
      {"requests",
       {{"per_round", r.arrivals_per_round},
        {"tries", r.tries},
        {"arrived", r.requests},
        {"accepted", r.accepted},
        {"rejected", r.requests - r.accepted},
        {"mean_start_delay_rounds", r.mean_start_delay}}},
      {"streams", {{"mean_active", r.mean_active}, {"most_active", r.most_active}}},
      {"disk_time",
       {{"access_ns", o.times.access(o.block_bytes)},
        {"budget_ns", o.times.budget(server::kRoundTime)},
        {"reserved_share", r.reserved_share},
        {"reserved_for_failure_share", r.reserved_for_failure_share},
        {"most_loaded_share", r.most_loaded_share},
        {"least_loaded_share", r.least_loaded_share}}},
      {"strides_used", r.strides_used},
  };
  if (r.failure) {
    const server::FailureResult& f = *r.failure;
    out["failure"] = {{"disk", o.failure->disk},
                      {"streams_hit", f.streams_hit},
                      {"rounds_after", f.rounds},
                      {"stream_rounds", f.stream_rounds},
                      {"lost", f.lost},
                      {"late", f.late},
                      {"streams_missing", f.streams_missing},
                      {"used_share", f.used_share},
                      {"reserved_share", f.reserved_share}};
  }
  return out;
}

void print_table(const config::ServerScenario& s, const server::AdmissionRunOptions& o, const server::AdmissionRunResult& r) {
  fmt::print("{} disks {}, placement {}, reservation {}, {} rounds of 1 s (seed {})\n\n", o.disks, s.drive.name, o.placement->name,
             o.reservation->name, o.measure, s.seed);
  fmt::print("requests      {} ({:.4f} a round), {} accepted, {} rejected; started after {:.2f} of at most {} rounds\n", r.requests,
             r.arrivals_per_round, r.accepted, r.requests - r.accepted, r.mean_start_delay, r.tries);
  fmt::print("playing       {:.2f} streams on average, {} at most\n", r.mean_active, r.most_active);
  fmt::print("disk time     {:.2f} % of a round reserved, {:.2f} % for a failure; most loaded disk {:.2f} %, least {:.2f} %\n",
             r.reserved_share * 100, r.reserved_for_failure_share * 100, r.most_loaded_share * 100, r.least_loaded_share * 100);
  if (!r.failure) return;
  const server::FailureResult& f = *r.failure;
  fmt::print("disk {} fails  {} streams lose a round; then {} of {} stream-rounds lost, {} late, of {} streams\n", o.failure->disk,
             f.streams_hit, f.lost, f.stream_rounds, f.late, f.streams_missing);
  fmt::print("              other disks {:.2f} % of a round in use, {:.2f} % reserved\n", f.used_share * 100, f.reserved_share * 100);
}

constexpr std::array<const char*, 3> kPhases = {"before", "failing_round", "after"};

json simulated_json(const std::array<server::SimulatedRounds, 3>& phases) {
  json out;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const server::SimulatedRounds& p = phases[i];
    if (p.rounds == 0) continue;
    out[kPhases[i]] = {{"rounds", p.rounds},
                       {"stream_rounds", p.stream_rounds},
                       {"reads", p.reads},
                       {"lost", p.lost},
                       {"late", p.late},
                       {"late_rounds", p.late_rounds},
                       {"busy_share", p.busy_share},
                       {"accounted_share", p.accounted_share},
                       {"reserved_share", p.reserved_share}};
  }
  return out;
}

void print_simulated(const config::ServerScenario& s, const std::array<server::SimulatedRounds, 3>& phases) {
  fmt::print("\nsimulated disks, {}\n", s.policy);
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const server::SimulatedRounds& p = phases[i];
    if (p.rounds == 0) continue;
    fmt::print("{:<14}{} rounds, {} stream-rounds: {} lost, {} late in {} rounds; {:.2f} % of a round busy, {:.2f} % by the formula, "
               "{:.2f} % reserved\n",
               i == 0 ? "" : i == 1 ? "disk fails" : "without it", p.rounds, p.stream_rounds, p.lost, p.late, p.late_rounds,
               p.busy_share * 100, p.accounted_share * 100, p.reserved_share * 100);
  }
}

/// Admission-only mode, or with simulated disks.
int run_server(const ServerOptions& options, bool simulate) {
  const config::ServerScenario s = config::load_server(options.scenario, options.overrides);
  const server::AdmissionRunOptions run = run_options(s);
  std::unique_ptr<server::SimulatedDisks> disks;
  if (simulate) {
    if (run.disks > host::array::kMostDrives)
      s.refuse("server.disks", fmt::format("found {}, expected at most {} simulated disks", run.disks, host::array::kMostDrives));
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    accelerator::EngineOptions engine(s.drive);
    engine.policy = scheduling::find_policy(s.policy);
    disks = std::make_unique<server::SimulatedDisks>(run, s.drive, accelerator::engine_factory(engine));
  }
  const std::unique_ptr<observe::OutputFile> result_file = observe::open_output(options.result);
  const auto wall_start = std::chrono::steady_clock::now();
  const double cpu_start = cpu_seconds();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_start).count(); };
  const server::Round end = run.warmup + run.measure;
  Progress shown(options.quiet);
  const auto progress = [&](server::Round done) {
    const auto rounds = static_cast<double>(end);
    if (done % 500 == 0) shown.update(static_cast<double>(done) / rounds, static_cast<double>(done), rounds);
    if (done == end) shown.done();
  };
  server::AdmissionRunResult result;
  try {
    result = server::run_admission(run, progress, disks.get());
  } catch (const std::length_error&) {
    s.refuse("server.disks", fmt::format("the streams do not fit: {} disks of {} strides", run.disks, run.disk_bytes / run.stride_bytes));
  } catch (const std::invalid_argument& error) {
    s.refuse("streams", error.what());
  }
  const double wall_s = elapsed();
  if (!options.quiet) {
    print_table(s, run, result);
    if (disks) print_simulated(s, disks->result());
  }
  if (result_file) {
    json out = result_json(s, run, result);
    if (disks) out["simulated"] = simulated_json(disks->result());
    out["host"] = {{"wall_s", wall_s}, {"cpu_s", cpu_seconds() - cpu_start}, {"rounds_per_wall_s", static_cast<double>(end) / wall_s}};
    result_file->write(core::json_text(out) + "\n");
    result_file->commit();
    if (!options.quiet) fmt::print("result:       {}\n", options.result);
  }
  return kGood;
}

}  // namespace

int server_admit(const ServerOptions& options) { return run_server(options, false); }
int server_simulate(const ServerOptions& options) { return run_server(options, true); }

int server_check(const ServerOptions& options) {
  const config::ServerScenario s = config::load_server(options.scenario, options.overrides);
  run_options(s);
  fmt::print("{}: good ({} disks {}, placement {}, reservation {})\n", options.scenario, s.disks, s.drive.name, s.placement, s.reservation);
  return kGood;
}

int server_dump(const ServerOptions& options) {
  const config::ServerScenario s = config::load_server(options.scenario, options.overrides);
  fmt::print("{}", options.json ? core::json_text(config::effective_configuration(s)) + "\n" : config::dump_scenario(s));
  return kGood;
}

}  // namespace platter::cli
