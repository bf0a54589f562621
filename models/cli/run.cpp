// SPDX-License-Identifier: Apache-2.0
#include "platter/system/run.h"

#include <fmt/format.h>

#include <cstdio>

#include "commands.h"
#include "platter/core/json_text.h"
#include "platter/system/host_meter.h"
#include "run_watch.h"

namespace platter::cli {

int run(const RunOptions& options) {
  std::vector<std::string> overrides = options.overrides;
  if (!options.wave_from_s.empty()) overrides.push_back("observe.wave_from_s=" + options.wave_from_s);
  if (!options.wave_to_s.empty()) overrides.push_back("observe.wave_to_s=" + options.wave_to_s);
  const system::Scenario s = system::load_scenario(options.scenario, overrides);

  // A result that cannot be written is refused before the run.
  const std::unique_ptr<observe::OutputFile> file = observe::open_output(options.result);
  const system::HostMeter meter;
  Progress progress(options.quiet);
  system::RunOptions leaves;
  leaves.requests = options.requests;
  leaves.waves = options.waves;
  leaves.mismatch_written = [](const std::filesystem::path& report, const std::filesystem::path& waves) {
    fmt::print(stderr, "report: {}\nwaves of the last accesses: {}\n", report.string(), waves.string());
  };
  if (file) leaves.mismatch_folder = std::filesystem::absolute(options.result).parent_path();
  leaves.progress = [&progress](double simulated_s, double total_s) { progress.update(simulated_s, total_s); };
  const std::unique_ptr<system::RunIf> simulation = system::make_run(s, leaves);
  simulation->run();
  progress.done();

  const nlohmann::json result = system::result_json(s, *simulation, meter.wall_s(), meter.cpu_s());
  if (!options.quiet) fmt::print("{}", system::result_text(s, result));
  if (file) file->write(core::json_text(result) + "\n");
  std::vector<observe::OutputFile*> outputs = simulation->outputs();
  outputs.push_back(file.get());
  observe::commit_all(outputs);
  if (options.quiet) return kGood;
  if (file) fmt::print("result:   {}\n", options.result);
  if (!options.requests.empty()) fmt::print("requests: {}\n", options.requests);
  if (!options.waves.empty())
    fmt::print("waves:    {} ({:g} to {:g} s); open with: gtkwave {}{}\n", options.waves, s.waves.from_s, s.waves.to_s,
               options.waves, s.kind == system::HostKind::Drive ? " waves/mixed_media.gtkw" : "");
  return kGood;
}

}  // namespace platter::cli
