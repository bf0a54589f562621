// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <thread>

#include "commands.h"
#include "moments.h"
#include "platter/core/error.h"
#include "platter/core/json_text.h"
#include "platter/core/random.h"
#include "platter/system/crash_run.h"
#include "platter/system/host_meter.h"
#include "process_pool.h"
#include "run_watch.h"
#include "signals.h"

namespace platter::cli {

using core::Picoseconds;
using nlohmann::json;

namespace {

/// A worker ends after this many violations.
constexpr std::size_t kMaxViolations = 10;

/// One loss of power: when, and the seed of what follows.
struct Cut {
  std::uint64_t number = 0;
  Picoseconds at = 0;
  std::uint64_t seed = 0;
};

/// The cut of this number. With fewer cuts than instants each cut has its part of them; with more, each instant has a cut. A cut is at an instant, or
/// between it and the next one.
Cut make_cut(std::uint64_t number, const CrashOptions& options, const std::vector<Picoseconds>& instants) {
  core::RandomStream random(options.seed, fmt::format("cut {}", number));
  const std::uint64_t count = instants.size();
  Cut cut;
  cut.number = number;
  std::uint64_t index = 0;
  bool between = random.below(2) == 0;
  if (options.cuts < count) {
    index = static_cast<std::uint64_t>((static_cast<double>(number) + random.uniform()) * static_cast<double>(count) /
                                       static_cast<double>(options.cuts));
    index = std::min(index, count - 1);
  } else {
    index = number % count;
    between = number >= count;
  }
  cut.at = instants[index];
  if (between && index + 1 < count)
    cut.at += static_cast<Picoseconds>(random.below(static_cast<std::uint64_t>(instants[index + 1] - instants[index])));
  cut.seed = random.bits();
  return cut;
}

crash::PortOptions port_options(const CrashOptions& options) { return {options.seed, options.flush_every, options.fua_share}; }

/// In a process of its own: simulates the whole load once.
std::vector<Picoseconds> find_instants(const system::Scenario& scenario, const CrashOptions& options) {
  const auto scout = [&](std::size_t) -> json {
    system::CrashSimulation simulation(scenario, port_options(options), {});
    return simulation.instants();
  };
  check_repeatable(scenario);
  const std::vector<ProcessAnswer> answers = run_processes(1, 1, scout, "");
  const ProcessAnswer& answer = answers.front();
  rethrow(answer);
  auto instants = answer.result.get<std::vector<Picoseconds>>();
  if (instants.empty())
    throw core::InputError(options.scenario, 0, 0, "expected a load: nothing happens in the measured time (sim.measure_s)");
  return instants;
}

json to_json(const Cut& cut, const system::CrashOutcome& outcome) {
  json of = {{"cut", cut.number},       {"at_ps", cut.at},      {"open_writes", outcome.open_writes},
             {"lost", outcome.lost},    {"torn", outcome.torn}, {"blocks", outcome.blocks},
             {"second", outcome.second}};
  if (outcome.violation) of["violation"] = *outcome.violation;
  return of;
}

/// Does the rest of a process in a copy of it, and returns what that has found.
json in_copy(const std::function<json()>& rest) {
  int ends[2];
  if (pipe(ends) != 0) throw core::SimulationError("cannot make a pipe to a child process");
  const pid_t pid = fork_child();
  if (pid < 0) throw core::SimulationError("cannot start a child process");
  if (pid == 0) {
    close(ends[0]);
    const std::string text = rest().dump();
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t n = write(ends[1], text.data() + at, text.size() - at);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;
      at += static_cast<std::size_t>(n);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char piece[4096];
  for (ssize_t n = 1; n > 0 || (n < 0 && errno == EINTR);) {
    n = read(ends[0], piece, sizeof piece);
    if (n > 0) text.append(piece, static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  forget_child(pid);
  json found = json::parse(text, nullptr, false);
  if (found.is_discarded()) found = {{"violation", fmt::format("the restart ended the process (wait status {})", status)}};
  return found;
}

/// What a worker adds up.
struct Sum {
  json violations = json::array();
  std::uint64_t cuts = 0;
  std::uint64_t seconds = 0;
  std::uint64_t lost = 0;
  std::uint64_t torn = 0;
  std::uint64_t with_open_writes = 0;
  std::uint64_t blocks = 0;

  void add(const Cut& cut, json found) {
    ++cuts;
    if (found.value("second", false)) ++seconds;
    lost += found.value("lost", std::uint64_t{0});
    torn += found.value("torn", std::uint64_t{0});
    blocks += found.value("blocks", std::uint64_t{0});
    if (found.value("open_writes", std::uint64_t{0}) > 0) ++with_open_writes;
    if (!found.contains("violation")) return;
    found["cut"] = cut.number;
    found["at_ps"] = cut.at;
    violations.push_back(std::move(found));
  }
  void add(const json& sum) {
    cuts += sum.at("cuts").get<std::uint64_t>();
    seconds += sum.at("second_cuts").get<std::uint64_t>();
    lost += sum.at("lost").get<std::uint64_t>();
    torn += sum.at("torn").get<std::uint64_t>();
    blocks += sum.at("blocks").get<std::uint64_t>();
    with_open_writes += sum.at("with_open_writes").get<std::uint64_t>();
    for (const json& each : sum.at("violations")) violations.push_back(each);
  }
  json to_json() const {
    return {{"cuts", cuts},
            {"second_cuts", seconds},
            {"lost", lost},
            {"torn", torn},
            {"blocks", blocks},
            {"with_open_writes", with_open_writes},
            {"violations", violations}};
  }
};

/// The cuts of one worker, ascending in time.
json explore(const system::Scenario& scenario, const CrashOptions& options, const std::vector<Cut>& cuts) {
  Sum sum;
  if (options.method == "restart") {
    for (const Cut& cut : cuts) {
      sum.add(cut, in_copy([&] {
                system::CrashSimulation simulation(scenario, port_options(options), {});
                simulation.run_to(cut.at);
                return to_json(cut, simulation.crash(cut.seed));
              }));
      if (sum.violations.size() >= kMaxViolations) break;
    }
    return sum.to_json();
  }
  system::CrashSimulation simulation(scenario, port_options(options), {});
  for (const Cut& cut : cuts) {
    simulation.run_to(cut.at);
    sum.add(cut, in_copy([&] { return to_json(cut, simulation.crash(cut.seed)); }));
    if (sum.violations.size() >= kMaxViolations) break;
  }
  return sum.to_json();
}

/// The command line that makes one cut again.
std::string replay_command(const CrashOptions& options, std::uint64_t number) {
  std::string command = fmt::format("platter crash {}", options.scenario);
  for (const std::string& each : options.overrides) command += fmt::format(" --set '{}'", each);
  const CrashOptions usual;
  command += fmt::format(" --cuts {} --seed {}", options.cuts, options.seed);
  if (options.flush_every != usual.flush_every) command += fmt::format(" --flush-every {}", options.flush_every);
  if (options.fua_share != usual.fua_share) command += fmt::format(" --fua-share {}", options.fua_share);
  return command + fmt::format(" --replay {} --waves crash.fst", number);
}

double to_seconds(Picoseconds time) { return static_cast<double>(time) / static_cast<double>(core::kPicosecondsPerSecond); }

int replay(const system::Scenario& scenario, const CrashOptions& options, const Cut& cut) {
  system::RunOptions leaves;
  if (!options.waves.empty()) {
    const bool given = scenario.positions.count("observe.wave_from_s") + scenario.positions.count("observe.wave_to_s") > 0;
    leaves.waves = options.waves;
    if (!given) {
      const Picoseconds around = core::kPicosecondsPerSecond / 2;
      const Picoseconds start =
          core::to_picoseconds(scenario.drive.spin_up_s + scenario.drive.power_loss.ready_s, core::kPicosecondsPerSecond);
      leaves.wave_windows = {{options.waves, std::max<Picoseconds>(cut.at - around, 0), cut.at + start + 2 * around}};
    }
  }
  if (system::writes_waves(leaves)) observe::WaveFile::require(options.waves);
  system::CrashSimulation simulation(scenario, port_options(options), leaves);
  simulation.run_to(cut.at);
  const system::CrashOutcome outcome = simulation.crash(cut.seed);
  observe::commit_all(simulation.outputs());
  if (!options.quiet) {
    fmt::print("cut {} at {:.12f} s: {} writes not durable, {} blocks checked, {} torn, {} answered writes lost{}\n",
               cut.number, to_seconds(cut.at), outcome.open_writes, outcome.blocks, outcome.torn, outcome.lost,
               outcome.second ? ", a second cut during the recovery" : "");
    if (!options.waves.empty()) fmt::print("waves: {}\n", options.waves);
  }
  if (!outcome.violation) return kGood;
  fmt::print(stderr, "violation: {}\n", *outcome.violation);
  return kFailed;
}

}  // namespace

int crash(const CrashOptions& options) {
  if (!options.waves.empty() && !options.replay)
    throw core::InputError("--waves", 0, 0, "expected --replay CUT too: the cut whose waves are written");
  if (options.replay && *options.replay >= options.cuts)
    throw core::InputError("--replay", 0, 0,
                           fmt::format("found {}, expected a cut below {} (--cuts)", *options.replay, options.cuts));
  const system::Scenario scenario = system::load_scenario(options.scenario, options.overrides);
  const std::unique_ptr<observe::OutputFile> file = observe::open_output(options.result);
  const system::HostMeter meter;
  const std::vector<Picoseconds> instants = find_instants(scenario, options);
  if (options.replay) return replay(scenario, options, make_cut(*options.replay, options, instants));

  std::vector<Cut> cuts;
  cuts.reserve(options.cuts);
  for (std::uint64_t k = 0; k < options.cuts; ++k) cuts.push_back(make_cut(k, options, instants));
  std::stable_sort(cuts.begin(), cuts.end(), [](const Cut& a, const Cut& b) { return a.at < b.at; });
  const std::size_t jobs =
      std::min<std::size_t>(options.jobs > 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency()), cuts.size());
  const auto job = [&](std::size_t worker) {
    std::vector<Cut> own;
    for (std::size_t i = worker; i < cuts.size(); i += jobs) own.push_back(cuts[i]);
    return explore(scenario, options, own);
  };
  Sum sum;
  for (const ProcessAnswer& answer : run_processes(jobs, jobs, job, "")) {
    rethrow(answer);
    sum.add(answer.result);
  }
  std::sort(sum.violations.begin(), sum.violations.end(),
            [](const json& a, const json& b) { return a.at("cut").get<std::uint64_t>() < b.at("cut").get<std::uint64_t>(); });
  const double wall_s = meter.wall_s();
  if (!options.quiet) {
    fmt::print("{} cuts of {} instants (seed {}), {} of them with a second cut during the recovery\n", sum.cuts,
               instants.size(), options.seed, sum.seconds);
    fmt::print("writes not yet durable at {} cuts; {} answered writes lost as the drive may; {} torn blocks found\n",
               sum.with_open_writes, sum.lost, sum.torn);
    fmt::print("{} violations\n", sum.violations.size());
    fmt::print("{:.1f} s, {:.0f} cuts a second in {} processes\n", wall_s, static_cast<double>(sum.cuts) / wall_s, jobs);
  }
  if (file) {
    json result = sum.to_json();
    result["seed"] = options.seed;
    result["instants"] = instants.size();
    result["host"] = {{"wall_s", wall_s}, {"processes", jobs}, {"cuts_per_wall_s", static_cast<double>(sum.cuts) / wall_s}};
    file->write(core::json_text(result) + "\n");
    observe::commit_all({file.get()});
  }
  for (const json& each : sum.violations) {
    const auto number = each.at("cut").get<std::uint64_t>();
    fmt::print(stderr, "violation: cut {} at {:.12f} s, seed {}: {}\n  {}\n", number,
               to_seconds(each.at("at_ps").get<Picoseconds>()), options.seed, each.at("violation").get<std::string>(),
               replay_command(options, number));
  }
  return sum.violations.empty() ? kGood : kFailed;
}

}  // namespace platter::cli
