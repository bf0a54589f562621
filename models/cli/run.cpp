// SPDX-License-Identifier: Apache-2.0
#include "platter/system/run.h"

#include <fmt/format.h>

#include <cstdio>

#include "commands.h"
#include "gtkwave_view.h"
#include "moments.h"
#include "platter/core/error.h"
#include "platter/core/json_text.h"
#include "platter/system/host_meter.h"
#include "platter/system/timeline.h"
#include "run_watch.h"
#include "simulation.h"

namespace platter::cli {

Simulation::Simulation(const RunOptions& options)
    : options_(options), scenario_(load(options)), file_(observe::open_output(options.result)) {}

system::Scenario Simulation::load(const RunOptions& options) {
  std::vector<std::string> overrides = options.overrides;
  if (!options.wave_from_s.empty()) overrides.push_back("observe.wave_from_s=" + options.wave_from_s);
  if (!options.wave_to_s.empty()) overrides.push_back("observe.wave_to_s=" + options.wave_to_s);
  return system::load_scenario(options.scenario, overrides);
}

system::RunOptions Simulation::leaves() const {
  system::RunOptions leaves;
  leaves.requests = options_.requests;
  leaves.block_trace = options_.block_trace;
  leaves.write_logs.assign(options_.write_logs.begin(), options_.write_logs.end());
  leaves.timeline = options_.timeline;
  leaves.waves = options_.waves;
  leaves.mismatch_written = [](const std::filesystem::path& report, const std::filesystem::path& waves) {
    fmt::print(stderr, "report: {}\n", report.string());
    if (!waves.empty()) fmt::print(stderr, "waves of the last accesses: {}\n", waves.string());
  };
  if (file_) leaves.mismatch_folder = std::filesystem::absolute(options_.result).parent_path();
  return leaves;
}

int Simulation::leave(system::RunIf& simulation) {
  const nlohmann::json result = system::result_json(scenario_, simulation, meter_.wall_s(), meter_.cpu_s());
  if (!options_.quiet) fmt::print("{}", system::result_text(scenario_, result));
  if (file_) file_->write(core::json_text(result) + "\n");
  std::vector<observe::OutputFile*> outputs = simulation.outputs();
  outputs.push_back(file_.get());
  observe::commit_all(outputs);
  if (options_.quiet) return kGood;
  if (file_) fmt::print("result:   {}\n", options_.result);
  if (!options_.requests.empty()) fmt::print("requests: {}\n", options_.requests);
  if (!options_.block_trace.empty()) fmt::print("blktrace: {}\n", options_.block_trace);
  for (const std::string& log : options_.write_logs) fmt::print("writes:   {}\n", log);
  if (!options_.timeline.empty()) fmt::print("timeline: {}; open with https://ui.perfetto.dev\n", options_.timeline);
  if (!options_.wave_when.empty())
    fmt::print("waves:    {}\n", options_.waves);
  else if (!options_.waves.empty()) {
    const std::string view = scenario_.host->several_drives ? std::string() : shipped_view("drive.gtkw");
    fmt::print("waves:    {} ({:g} to {:g} s); open with: gtkwave {}{}{}\n", options_.waves, scenario_.waves.from_s,
               scenario_.waves.to_s, options_.waves, view.empty() ? "" : " ", view);
  }
  return kGood;
}

namespace {

/// Windows around the requests that meet the expression, all of one file.
std::vector<observe::WaveWindow> windows_when(const system::Scenario& scenario, const RunOptions& options) {
  if (options.waves.empty())
    throw core::InputError("--wave-when", 0, 0, "expected --waves FILE too: the file to which the waves are written");
  check_expression(options.wave_when);
  observe::WaveFile::require(options.waves);
  // Refused before anything runs.
  {
    const observe::OutputFile file(options.waves, observe::OutputFile::Access::Rewritten);
  }
  MomentQuestion question;
  question.when = options.wave_when;
  question.most = 100;
  if (!options.wave_from_s.empty() || !options.wave_to_s.empty()) {  // not by a window that the scenario has for plain waves
    question.from = system::seconds(scenario.waves.from_s);
    question.to = system::seconds(scenario.waves.to_s);
  }
  const Moments moments = find_moments(scenario, question, options.quiet);
  if (moments.chosen.empty())
    throw core::SimulationError(fmt::format("--wave-when \"{}\": none of {} requests meets it{}, so there are no waves",
                                            options.wave_when, moments.ended,
                                            question.to < core::kNoDeadline ? " in the window" : ""));
  if (!options.quiet)
    fmt::print("waves: around {} of the {} requests that meet \"{}\"\n", moments.chosen.size(), moments.matched,
               options.wave_when);
  std::vector<observe::WaveWindow> windows;
  for (const MomentWindow& window : windows_of(moments, question)) windows.push_back({options.waves, window.from, window.to});
  return windows;
}

}  // namespace

int run(const RunOptions& options) {
  Simulation simulation(options);
  Progress progress(options.quiet);
  system::RunOptions leaves = simulation.leaves();
  leaves.progress = [&progress](double simulated_s, double total_s) { progress.update(simulated_s, total_s); };
  if (!options.wave_when.empty()) leaves.wave_windows = windows_when(simulation.scenario(), options);
  const std::unique_ptr<system::RunIf> made = system::make_run(simulation.scenario(), leaves);
  made->run();
  progress.done();
  return simulation.leave(*made);
}

}  // namespace platter::cli
