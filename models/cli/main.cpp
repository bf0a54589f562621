// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <systemc>

#include "commands.h"
#include "platter/core/error.h"

namespace {

using namespace platter;

/// Declares the commands; `action` is set by the one that was given.
void declare(CLI::App& app, std::function<int()>& action) {
  static cli::RunOptions run;
  auto* run_command = app.add_subcommand("run", "simulate a scenario");
  run_command->add_option("scenario", run.scenario, "scenario file (TOML)")->required();
  run_command->add_option("--set", run.overrides, "override a key: KEY=VALUE");
  run_command->add_option("--result", run.result, "write the result (JSON)");
  run_command->add_option("--requests", run.requests, "write every request (CSV, times in ps)");
  run_command->add_option("--waves", run.waves, "write waves (FST)");
  run_command->add_option("--wave-from", run.wave_from_s, "waves: from this simulated time [s]")
      ->check(CLI::NonNegativeNumber);
  run_command->add_option("--wave-to", run.wave_to_s, "waves: up to this simulated time [s]")
      ->check(CLI::NonNegativeNumber);
  run_command->add_flag("--quiet", run.quiet, "no progress and no table");
  run_command->callback([&action] { action = [] { return cli::run(run); }; });

  static std::string what;
  static bool json = false;
  auto* list_command = app.add_subcommand("list", "list what there is");
  list_command->add_option("what", what, "drives, policies, engines or trace-formats")
      ->required()
      ->check(CLI::IsMember({"drives", "policies", "engines", "trace-formats"}));
  list_command->add_flag("--json", json, "as JSON");
  list_command->callback([&action] { action = [] { return cli::list(what, json); }; });

  auto* drive_command = app.add_subcommand("drive", "drive profiles")->require_subcommand(1);
  static std::string drive;
  auto* show = drive_command->add_subcommand("show", "what a profile amounts to");
  show->add_option("drive", drive, "name or file of a profile")->required();
  show->add_flag("--json", json, "as JSON");
  show->callback([&action] { action = [] { return cli::drive_show(drive, json); }; });

  auto* trace_command = app.add_subcommand("trace", "block traces")->require_subcommand(1);
  static cli::TraceInfoOptions trace;
  auto* info = trace_command->add_subcommand("info", "span, rate, mix, sizes and largest address of a trace");
  info->add_option("file", trace.file, "trace file, plain or gzip")->required();
  info->add_option("--format", trace.format, "one of `platter list trace-formats`, or auto");
  info->add_option("--device", trace.device, "requests of this device only");
  info->add_flag("--json", trace.json, "as JSON");
  info->callback([&action] { action = [] { return cli::trace_info(trace); }; });

  auto* config_command = app.add_subcommand("config", "scenario files")->require_subcommand(1);
  static std::string scenario;
  static std::vector<std::string> overrides;
  auto* check = config_command->add_subcommand("check", "read a scenario and say what is wrong with it");
  check->add_option("scenario", scenario, "scenario file")->required();
  check->add_option("--set", overrides, "override a key: KEY=VALUE");
  check->callback([&action] { action = [] { return cli::config_check(scenario, overrides); }; });
  auto* dump = config_command->add_subcommand("dump", "print the effective configuration");
  dump->add_option("scenario", scenario, "scenario file")->required();
  dump->add_option("--set", overrides, "override a key: KEY=VALUE");
  dump->add_flag("--json", json, "as JSON instead of TOML");
  dump->callback([&action] { action = [] { return cli::config_dump(scenario, overrides, json); }; });
  auto* schema = config_command->add_subcommand("schema", "print a JSON Schema");
  schema->add_option("what", what, "scenario or drive")->required()->check(CLI::IsMember({"scenario", "drive"}));
  schema->callback([&action] { action = [] { return cli::config_schema(what); }; });
  config_command->add_subcommand("reference", "print the reference page of all keys")->callback([&action] {
    action = [] { return cli::config_reference(); };
  });
}

int guarded(const std::function<int()>& action) {
  try {
    return action();
  } catch (const core::ConfigError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return cli::kBadInput;
  } catch (const core::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return cli::kBadInput;
  } catch (const sc_core::sc_report& report) {
    std::fprintf(stderr, "%s: %s\n", report.get_msg_type(), report.get_msg());
    return cli::kFailed;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return cli::kFailed;
  }
}

}  // namespace

int sc_main(int argc, char** argv) {
  CLI::App app("Platter: a hard-disk drive and its controller as a SystemC/TLM-2.0 model", "platter");
  app.set_version_flag("--version", "platter " PLATTER_VERSION);
  app.require_subcommand(1);
  std::function<int()> action;
  declare(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? cli::kGood : cli::kBadInput;
  }
  return guarded(action);
}

// libsystemc's own main prints its banner before sc_main; this keeps it quiet without an environment variable.
namespace {
[[maybe_unused]] const int kQuiet = setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 0);
}
