// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <string_view>
#include <systemc>
#include <utility>
#include <vector>

#include "commands.h"
#include "platter/core/error.h"
#include "platter/observe/output_file.h"
#include "platter/scheduling/own_policies.h"
#include "platter/sheet/sheet.h"
#include "platter/system/engine_table.h"
#include "platter/version.h"
#include "platter/workload/trace_record.h"
#include "signals.h"

namespace {

using namespace platter;

/// The options of a simulation.
void declare_run(CLI::App& command, cli::RunOptions& run) {
  command.add_option("scenario", run.scenario, "scenario file (TOML)")->required();
  command.add_option("--set", run.overrides, "override a key of the scenario: KEY=VALUE; may be repeated");
  command.add_option("--result", run.result, "write the result to this file (JSON)");
  command.add_option("--requests", run.requests, "write a log of all requests to this file (CSV, times in ps)");
  command.add_option(
      "--blktrace", run.block_trace,
      "write every request to this file in the format of blktrace (NAME.blktrace.0, for blkparse, btt, iowatcher, fio)");
  command.add_option(
      "--write-log", run.write_logs,
      "write every write, flush and FUA to this file in the format of Linux's dm-log-writes; of several drives that are "
      "served: may be repeated");
  command.add_option("--timeline", run.timeline,
                     "write a timeline of host, engine, arm, channel and bus to this file (JSON, for ui.perfetto.dev), in the "
                     "window of the waves");
  command.add_option("--waves", run.waves, "write waves to this file (FST)");
  command.add_option("--wave-from", run.wave_from_s, "simulated time at which the waves begin [s]; sets observe.wave_from_s");
  command.add_option("--wave-to", run.wave_to_s, "simulated time at which the waves end [s]; sets observe.wave_to_s");
  command.add_flag("--quiet", run.quiet, "print no progress and no table");
}

/// CLI11 would take -1 as the highest number.
std::string number_of_request(const std::string& text) {
  const bool digits = text.find_first_not_of("0123456789") == std::string::npos;
  return digits ? "" : "found \"" + text + "\", expected the number of a request, 0 or more";
}

void declare_explain(CLI::App& app, std::function<int()>& action) {
  static cli::ExplainOptions options;
  auto* command =
      app.add_subcommand("explain", "explain why requests were slow, decision by decision, and write waves around them");
  command->add_option("scenario", options.scenario, "scenario file (TOML)")->required();
  command->add_option("--set", options.overrides, "override a key of the scenario: KEY=VALUE; may be repeated");
  command->add_option("--slowest", options.slowest, "number of requests, the slowest first; default: 3, or all of --request")
      ->check(CLI::Range(1, 26));
  command->add_flag("--late", options.late, "only requests that missed their deadline");
  command->add_option("--when", options.when, "only requests that meet an expression, such as 'discrete && response_ms > 400'");
  command->add_option("--request", options.numbers, "only this request, by its number in the request log; may be repeated")
      ->check(number_of_request);
  command->add_option("--before", options.before_ms, "the waves begin this long before the request is issued [ms]")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  command->add_option("--after", options.after_ms, "the waves end this long after the request has ended [ms]")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  command
      ->add_option("-o,--output", options.folder, "output folder for explain.json, and for each wave file and its GTKWave view")
      ->capture_default_str();
  command->add_flag("!--no-waves", options.waves, "write no waves");
  command->add_flag("--all", options.all, "print every decision, not only the first and the last ones");
  command->add_flag("--quiet", options.quiet, "print no progress and no text");
  command->callback([&action] { action = [] { return cli::explain(options); }; });
}

void declare_drive_new(CLI::App& app, std::function<int()>& action) {
  static cli::DriveNewOptions options;
  auto* command = app.add_subcommand("new", "make a profile from the numbers of a data sheet; rules make those that it lacks");
  command->add_option("name", options.name, "name of the drive");
  command->add_option("--sheet", options.sheet, "data sheet (TOML) with the same keys; options replace its numbers");
  const auto add = [command](std::string_view key, std::string_view unit, std::string_view meaning) {
    const std::string name(key);
    command->add_option(cli::option_of(name), options.numbers[name],
                        unit.empty() ? std::string(meaning) : fmt::format("{} [{}]", meaning, unit));
  };
  for (const sheet::SheetRow& row : sheet::sheet_rows()) add(row.key, sheet::unit_of(row.measure), row.meaning);
  for (const sheet::SheetWord& row : sheet::sheet_words())
    if (row.key != "name")
      add(row.key, "",
          row.words.empty() ? std::string(row.meaning) : fmt::format("{}: {}", row.meaning, fmt::join(row.words, " or ")));
  command->add_option("-o,--output", options.output, "write the profile to this file instead of the standard output");
  command->callback([&action] { action = [] { return cli::drive_new(options); }; });
}

/// The options of a trace that is read.
void declare_trace(CLI::App& command, cli::TraceInputOptions& trace) {
  command
      .add_option("file", trace.file,
                  "trace file, plain or compressed (gzip, xz, zstd, bzip2); NAME for the files NAME.blktrace.0, "
                  "NAME.blktrace.1, ...; or - for the standard input")
      ->required();
  command.add_option("--format", trace.format, "format of the trace: one of `platter list trace-formats`, or auto");
  command.add_option("--device", trace.device, "read only the requests of this device; *: of all devices");
  command
      .add_option("--action", trace.action,
                  "blktrace, blkparse, ftrace: event that counts as a request: queued (Q), issued (D) or completed (C)")
      ->check(CLI::IsMember({"Q", "D", "C"}))
      ->capture_default_str();
  command.add_option("--time-unit", trace.time_unit, "unit of the times, instead of the format's usual one")
      ->check(CLI::IsMember({"s", "ms", "us", "100ns", "ns", "ps"}));
  command
      .add_option("--lba-unit", trace.lba_bytes,
                  "unit of the addresses in bytes, instead of the format's usual one; also of the sizes if the format uses one "
                  "unit for both")
      ->check(CLI::Range(1, 1'000'000'000));
  command
      .add_option("--sort-window", trace.sort_window,
                  "number of requests that are held back to sort them by time, instead of the format's usual number; 0: none")
      ->check(CLI::Range(0u, workload::TraceOptions::kMaxSorted));
  command
      .add_option("--spread", trace.spread_s,
                  "spread requests with equal times evenly over this time [s], but not beyond the next later time")
      ->check(CLI::Range(0.0, 1e6));
  command
      .add_option("--last-line", trace.last_line,
                  "last line of a text without an end of line, which may be cut short: stop with an error, read it as it is, "
                  "or leave it out")
      ->check(CLI::IsMember({"error", "keep", "drop"}))
      ->capture_default_str();
  command.add_flag("--skip-empty", trace.skip_empty, "leave out requests of size 0; otherwise they are an error");
}

void declare_exec(CLI::App& app, std::vector<std::string> program, std::function<int()>& action) {
  static cli::ExecOptions options;
  options.program = std::move(program);
  auto* command =
      app.add_subcommand("exec", "run a program with a single thread in simulated time, on the drive of a scenario");
  declare_run(*command, options);
  command->add_option("--device", options.device, "path by which the program opens the drive")->capture_default_str();
  command->add_option("--clock-cost", options.clock_cost_ns, "simulated time that each read of a clock takes [ns]")
      ->check(CLI::Range(1, 1'000'000'000))
      ->capture_default_str();
  command->add_option("--epoch", options.epoch_s, "time of day at which the program begins [s since 1970]")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 33))
      ->capture_default_str();
  command->add_option("--disk", options.disk,
                      "file that has the sectors of the drive, also after the end; made if it is absent");
  command->add_option("--image", options.image, "file with the initial contents of the drive");
  command->footer(
      "Behind the options follow -- and the program with its arguments: platter exec disk.toml -- ioping -c 10 /dev/pl0. The "
      "exit code is that of the program, or 128 + signal. Platter's own lines go to the standard error.");
  command->callback([&action] { action = [] { return cli::exec(options); }; });
}

/// Takes the program of `platter exec` and its arguments off the command line, so that they stay as they are.
std::vector<std::string> program_of(int& argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != "exec") return {};
  char** const end = argv + argc;
  char** const mark = std::find_if(argv + 2, end, [](const char* word) { return std::string_view(word) == "--"; });
  if (mark == end) return {};
  argc = static_cast<int>(mark - argv);
  return {mark + 1, end};
}

/// Declares the commands; `action` is set by the command that was given.
void declare(CLI::App& app, std::vector<std::string> program, std::function<int()>& action) {
  static cli::RunOptions run;
  auto* run_command = app.add_subcommand("run", "simulate a scenario");
  declare_run(*run_command, run);
  run_command->add_option("--wave-when", run.wave_when,
                          "write waves only around the slowest requests that meet an expression, such as 'late || response_ms "
                          "> 400'; the simulation runs twice");
  run_command->callback([&action] { action = [] { return cli::run(run); }; });

  declare_explain(app, action);

  static cli::ServeOptions serving;
  auto* serve_command = app.add_subcommand("serve", "offer a scenario's drives to clients, until SIGTERM or SIGINT");
  declare_run(*serve_command, serving);
  auto* nbd = serve_command->add_option("--nbd", serving.nbd,
                                        "offer network block devices (NBD) at HOST:PORT, or at the path of a Unix socket");
  serve_command
      ->add_option("--nbd-memory", serving.nbd_memory,
                   "memory for the data of all NBD clients' requests, such as 256MiB; at least 64MiB")
      ->transform(CLI::AsSizeValue(false))
      ->needs(nbd)
      ->default_str("256MiB");
  auto* iscsi = serve_command->add_option("--iscsi", serving.iscsi,
                                          "offer the drives as logical units of an iSCSI target at HOST:PORT of the loopback");
  serve_command
      ->add_flag("--iscsi-remote", serving.iscsi_remote,
                 "let --iscsi listen at an address that other machines reach; there is no authentication")
      ->needs(iscsi);
  serve_command->add_option("--vfio-user", serving.vfio_user,
                            "offer an AHCI adapter to a virtual machine (QEMU's vfio-user-pci) at the path of a Unix socket");
  serve_command
      ->add_option("--pacing", serving.pacing,
                   "how simulated time follows the clients: realtime[:SCALE], lockstep:DEPTH or asap")
      ->capture_default_str();
  serve_command->add_option(
      "--disk", serving.disks,
      "file that has the sectors of a drive, also after the end of the server; made if it is absent; may be "
      "repeated, for the further drives");
  serve_command->add_option(
      "--control", serving.control,
      "take commands at the path of a Unix socket: one JSON object a line, and one as the answer to each");
  serve_command->add_option("--image", serving.images,
                            "file with the initial contents of a drive; may be repeated, for the further drives");
  serve_command->callback([&action] { action = [] { return cli::serve(serving); }; });

  declare_exec(app, std::move(program), action);

  static cli::CrashOptions crashing;
  auto* crash_command =
      app.add_subcommand("crash", "cut the power at many instants of a scenario's load, restart, and check all promises");
  crash_command->add_option("scenario", crashing.scenario, "scenario file")->required();
  crash_command->add_option("--set", crashing.overrides, "override a key of the scenario: KEY=VALUE; may be repeated");
  crash_command->add_option("--cuts", crashing.cuts, "number of cuts")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  crash_command->add_option("--seed", crashing.seed, "seed of the cuts")->check(CLI::Range(0.0, 9.2e18))->capture_default_str();
  crash_command->add_option("--flush-every", crashing.flush_every, "flush after this many writes of the load; 0: never")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  crash_command->add_option("--fua-share", crashing.fua_share, "share of the writes that carry FUA")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  crash_command
      ->add_option("--method", crashing.method,
                   "fork: a copy of the running simulation for each cut; restart: the load from time 0 for each cut")
      ->check(CLI::IsMember({"fork", "restart"}))
      ->capture_default_str();
  crash_command->add_option("--jobs", crashing.jobs, "number of processes that run at a time; 0: one for each processor")
      ->check(CLI::Range(0, 1024));
  crash_command->add_option("--replay", crashing.replay, "make the cut of this number only");
  crash_command->add_option("--waves", crashing.waves, "write the waves of the replayed cut to this file (FST)");
  crash_command->add_option("--result", crashing.result, "write the outcome to this file (JSON)");
  crash_command->add_flag("--quiet", crashing.quiet, "print violations only");
  crash_command->callback([&action] { action = [] { return cli::crash(crashing); }; });

  static cli::ValidateOptions validation;
  auto* validate = app.add_subcommand("validate", "replay measured traces and compare response times");
  validate->add_option("directory", validation.directory, "folder with a subfolder for each drive, or the folder of one drive")
      ->required();
  validate->add_option("--drive", validation.drives, "validate only this drive; may be repeated");
  auto* profile = validate->add_option("--profile", validation.profile, "name or file of the profile, if there is one drive");
  validate->add_option("--profiles", validation.profiles, "folder of profiles that are named like the drives' folders")
      ->excludes(profile);
  validate->add_flag("--calibrated", validation.calibrated, "use the profiles NAME_calibrated");
  validate
      ->add_option("--reading", validation.reading, "whether the pause on a line of the trace follows or precedes its request")
      ->check(CLI::IsMember({"follows", "precedes"}));
  validate->add_option("--half", validation.half, "half of each trace that is scored; the whole trace is replayed")
      ->check(CLI::IsMember({"first", "second", "all"}));
  validate->add_option("--result", validation.result, "write the scores to this file (JSON)");
  validate->add_option("--requests", validation.requests, "write a log of all requests to this file (CSV, times in us)");
  validate->add_option("--plots", validation.plots,
                       "write the cumulative distributions of response times to this folder (SVG)");
  validate->add_option("--jobs", validation.jobs, "number of processes that run at a time; 0: one for each processor")
      ->check(CLI::Range(0, 1024));
  validate->add_flag("--quiet", validation.quiet, "print no progress and no table");
  validate->callback([&action] { action = [] { return cli::validate(validation); }; });

  static cli::BenchOptions benchmark;
  auto* bench = app.add_subcommand("bench", "measure the speed of the simulator with random 4 KB reads in a closed loop");
  bench->add_option("--drive", benchmark.drive, "name or file of a profile")->capture_default_str();
  bench->add_option("--engine", benchmark.engine, "scheduling engine")
      ->check(
          CLI::Validator([](std::string& name) { return system::engine_notation_objection(name); }, system::engine_usage("|")))
      ->capture_default_str();
  bench->add_option("--depth", benchmark.depths, "number of requests kept outstanding; may be repeated")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  bench->add_option("--policy", benchmark.policies, "scheduling policy; may be repeated")->capture_default_str();
  bench
      ->add_option("--transport", benchmark.transports,
                   "transport interface: nb (nb_transport), b (b_transport) or lt (b_transport of a loosely timed drive); may "
                   "be repeated")
      ->check(CLI::IsMember({"nb", "b", "lt"}))
      ->capture_default_str();
  bench->add_option("--requests", benchmark.requests, "number of requests of each run")
      ->check(CLI::Range(1, 1'000'000'000))
      ->capture_default_str();
  bench->add_option("--seed", benchmark.seed, "seed of the addresses")->check(CLI::Range(0.0, 9.2e18))->capture_default_str();
  bench->add_option("--result", benchmark.result, "write the measurements to this file (JSON)");
  bench->add_flag("--quiet", benchmark.quiet, "print no progress and no table");
  bench->callback([&action] { action = [] { return cli::bench(benchmark); }; });

  static std::string what;
  static bool json = false;
  auto* list_command = app.add_subcommand("list", "list the available drives, policies, engines, hosts or trace formats");
  list_command->add_option("what", what, "what is listed: drives, policies, engines, hosts or trace-formats")
      ->required()
      ->check(CLI::IsMember({"drives", "policies", "engines", "hosts", "trace-formats"}));
  auto* list_json = list_command->add_flag("--json", json, "print JSON");
  static std::string own;
  list_command->add_option("--own", own, "of policies: the shared object of a policy of your own, with its parameters")
      ->excludes(list_json);
  list_command->callback([&action] {
    if (!own.empty() && what != "policies") throw CLI::ValidationError("--own", "found what = " + what + ", expected policies");
    action = [] { return own.empty() ? cli::list(what, json) : cli::list_own(own); };
  });

  auto* policy_command = app.add_subcommand("policy", "build and check a policy of your own")->require_subcommand(1);
  static cli::PolicyBuildOptions building;
  auto* build =
      policy_command->add_subcommand("build", "make a shared object of a C++ file, and print the notation of its policy");
  build->add_option("file", building.file, "C++ file with a SchedulerIf and the line PLATTER_OWN_POLICY")->required();
  build->add_option("-o,--output", building.output, "shared object that is written; default: the file with the ending .so");
  build->add_option("--compiler", building.compiler, "C++ compiler; default: the one that made this program");
  build->add_option("--option", building.compiler_options,
                    "further option of the compiler, such as --option=-g; may be repeated");
  build->callback([&action] { action = [] { return cli::policy_build(building); }; });
  static cli::PolicyCheckOptions checking;
  auto* check_policy =
      policy_command->add_subcommand("check", "put a policy into random situations, and hold its promises against it");
  check_policy
      ->add_option("policy", checking.policy,
                   "notation of a policy: own:FILE.so, own:FILE.py, or one of `platter list policies`")
      ->required();
  check_policy->add_option("--drive", checking.drive, "name or file of a profile")->capture_default_str();
  check_policy->add_option("--situations", checking.situations, "least number of decisions")
      ->check(CLI::Range(1, 1'000'000'000))
      ->capture_default_str();
  check_policy->add_option("--seed", checking.seed, "seed of the situations")
      ->check(CLI::Range(0.0, 9.2e18))
      ->capture_default_str();
  check_policy->callback([&action] { action = [] { return cli::policy_check(checking); }; });

  auto* engine_command = app.add_subcommand("engine", "begin and build a scheduling engine of your own")->require_subcommand(1);
  static cli::EngineNewOptions engine;
  auto* new_engine = engine_command->add_subcommand(
      "new", "write the folder of an engine: SystemVerilog with the port platter_candidates, and its adapter");
  new_engine->add_option("name", engine.folder, "folder that is made; its name becomes that of the module")->required();
  new_engine->callback([&action] { action = [] { return cli::engine_new(engine); }; });
  static cli::EngineBuildOptions built_engine;
  auto* build_engine =
      engine_command->add_subcommand("build", "compile an engine, and print its notation, module and number of entries");
  build_engine->add_option("folder", built_engine.folder, "folder of the engine")->required();
  build_engine->add_flag("--strict", built_engine.strict, "warnings about its SystemVerilog are errors");
  build_engine->callback([&action] { action = [] { return cli::engine_build(built_engine); }; });

  auto* drive_command = app.add_subcommand("drive", "show, make, import and query drive profiles")->require_subcommand(1);
  static cli::DriveShowOptions shown;
  auto* show = drive_command->add_subcommand(
      "show", "print the main facts of a profile, and what the drive does in simulation; warns where that contradicts them");
  show->add_option("drive", shown.drive, "name or file of a profile")->required();
  auto* as_json = show->add_flag("--json", shown.json, "print the keys of the profile as JSON, and simulate nothing");
  show->add_option("--sheet", shown.sheet, "data sheet (TOML) with which the drive is compared")->excludes(as_json);
  show->add_option("--result", shown.result, "write what the drive does in simulation to this file (JSON)")->excludes(as_json);
  show->callback([&action] { action = [] { return cli::drive_show(shown); }; });

  declare_drive_new(*drive_command, action);

  static std::string drive;
  auto* locate = drive_command->add_subcommand(
      "locate", "print the places of blocks as CSV; the block numbers come from the standard input");
  locate->add_option("drive", drive, "name or file of a profile")->required();
  static bool map = false;
  locate->add_flag("--map", map, "print the whole map instead: a line for each row of blocks on a track");
  locate->callback([&action] { action = [] { return cli::drive_locate(drive, map); }; });

  static std::string costs_scenario;
  static std::vector<std::string> costs_overrides;
  auto* costs = drive_command->add_subcommand(
      "costs",
      "print the least times between the accesses of requests, in ps, as CSV; the requests come from the standard input");
  costs->add_option("scenario", costs_scenario, "scenario with the drive (TOML)")->required();
  costs->add_option("--set", costs_overrides, "set one key: KEY=VALUE; may be repeated");
  costs->callback([&action] { action = [] { return cli::drive_costs(costs_scenario, costs_overrides); }; });

  static cli::DriveImportOptions import;
  auto* import_command = drive_command->add_subcommand("import", "make a profile from DiskSim 4.0 parameter files");
  import_command->add_option("file", import.file, "parameter file (.parv, .diskspecs or .model)")->required();
  import_command->add_option("--disk", import.disk, "name of the disk to import, if the file has several");
  import_command->add_option("--name", import.name, "name of the drive in the profile, instead of the disk's name");
  import_command->add_option("-o,--output", import.output, "write the profile to this file instead of the standard output");
  import_command->add_flag("--json", import.json, "print what was not carried over as JSON, on the standard error");
  import_command->callback([&action] { action = [] { return cli::drive_import(import); }; });

  auto* trace_command = app.add_subcommand("trace", "summarise and convert block traces")->require_subcommand(1);
  static cli::TraceInfoOptions trace;
  auto* info =
      trace_command->add_subcommand("info", "print span, rate, mix, sizes, response times and largest address of a trace");
  declare_trace(*info, trace);
  info->add_flag("--json", trace.json, "print JSON");
  info->callback([&action] { action = [] { return cli::trace_info(trace); }; });

  static cli::TraceConvertOptions conversion;
  auto* convert = trace_command->add_subcommand("convert", "write a trace in another format");
  declare_trace(*convert, conversion);
  convert->add_option("-o,--output", conversion.output, "file that is written")->required();
  convert->add_option("--to", conversion.to, "format of the output: fio-iolog, disksim-ascii, blktrace or msr")->required();
  convert->add_option("--name", conversion.name, "fio-iolog: name of the file that the requests access; msr: name of the host")
      ->capture_default_str();
  auto* capacity = convert
                       ->add_option("--capacity", conversion.capacity_bytes,
                                    "capacity of the drive in bytes; without it, addresses do not change")
                       ->check(CLI::Range(1.0, 9.2e18));
  convert
      ->add_option("--past-end", conversion.past_end,
                   "requests past the capacity: stop with an error, wrap or clip them; or scale all addresses to the capacity")
      ->check(CLI::IsMember({"error", "wrap", "clip", "scale"}))
      ->needs(capacity)
      ->capture_default_str();
  convert
      ->add_option("--span", conversion.span_bytes,
                   "scale: bytes of the trace that become the capacity; without it, the trace is read twice to find them")
      ->check(CLI::Range(1.0, 9.2e18))
      ->needs(capacity);
  convert->callback([&action] { action = [] { return cli::trace_convert(conversion); }; });

  auto* config_command =
      app.add_subcommand("config", "check and print scenarios, and print schemas and reference pages")->require_subcommand(1);
  static std::string scenario;
  static std::vector<std::string> overrides;
  auto* check = config_command->add_subcommand("check", "check a scenario and report what is wrong with it");
  check->add_option("scenario", scenario, "scenario file")->required();
  check->add_option("--set", overrides, "override a key of the scenario: KEY=VALUE; may be repeated");
  check->callback([&action] { action = [] { return cli::config_check(scenario, overrides); }; });
  auto* dump = config_command->add_subcommand("dump", "print the effective configuration");
  dump->add_option("scenario", scenario, "scenario file")->required();
  dump->add_option("--set", overrides, "override a key of the scenario: KEY=VALUE; may be repeated");
  dump->add_flag("--json", json, "print JSON instead of TOML");
  static bool checked = false;
  dump->add_flag("--check", checked, "check the scenario first, as `config check` does");
  dump->callback([&action] { action = [] { return cli::config_dump(scenario, overrides, json, checked); }; });
  static std::string job_file;
  static std::string drive_of_jobs = "cheetah9lp";
  static std::string made_scenario;
  auto* from_fio = config_command->add_subcommand("from-fio", "make a scenario of a fio job file");
  from_fio->add_option("file", job_file, "fio job file")->required();
  from_fio->add_option("--drive", drive_of_jobs, "name or file of the drive's profile")->capture_default_str();
  from_fio->add_option("-o,--output", made_scenario, "output file; default: the standard output");
  from_fio->callback([&action] { action = [] { return cli::config_from_fio(job_file, drive_of_jobs, made_scenario); }; });
  auto* schema = config_command->add_subcommand("schema", "print a JSON Schema");
  schema->add_option("what", what, "scenario, drive or result")
      ->required()
      ->check(CLI::IsMember({"scenario", "drive", "result"}));
  schema->callback([&action] { action = [] { return cli::config_schema(what); }; });
  config_command->add_subcommand("reference", "print the reference page of all keys")->callback([&action] {
    action = [] { return cli::config_reference(); };
  });
  config_command->add_subcommand("statistics", "print the reference page of all statistics of a result")->callback([&action] {
    action = [] { return cli::config_statistics(); };
  });
}

/// Opens the null device for each standard stream that the caller has closed, so that no file of this process gets its number. The null
/// device is opened for the opposite direction, so that the stream still transfers nothing.
void hold_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) std::abort();
}

/// Flushes the standard output; the exit code says whether all was written.
int written_out() {
  std::cout.flush();
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good()) return cli::kGood;
  std::fprintf(stderr, "standard output: %s\n", errno != 0 ? std::strerror(errno) : "not all could be written");
  return cli::kFailed;
}

/// Whether the command line is nothing but the name of a command that stands for several others, or nothing at all.
bool is_bare(const CLI::App& app, int argc) {
  const CLI::App* command = &app;
  int words = 1;
  for (; !command->get_subcommands().empty(); ++words) command = command->get_subcommands().front();
  return words == argc && !command->get_subcommands([](const CLI::App*) { return true; }).empty();
}

/// Prints help, the version, or the error in the command line.
int usage(const CLI::App& app, const CLI::ParseError& error) { return app.exit(error) == 0 ? written_out() : cli::kBadInput; }

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
    // The kernel wraps an exception of a process, for example about a file that cannot be written.
    if (std::strcmp(report.get_msg_type(), sc_core::SC_ID_SIMULATION_UNCAUGHT_EXCEPTION_) != 0)
      std::fprintf(stderr, "%s: ", report.get_msg_type());
    std::fprintf(stderr, "%s\n", report.get_msg());
    return cli::kFailed;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return cli::kFailed;
  }
}

}  // namespace

int sc_main(int argc, char** argv) {
  hold_standard_streams();
  CLI::App app("Platter: a hard-disk drive and its controller as a SystemC/TLM-2.0 model", "platter");
  app.set_version_flag("--version", "platter " PLATTER_VERSION);
  app.require_subcommand(1);
  app.footer(
      "More commands are in the Python package's command `platter-lab`, and in the source tree also in scripts/platter: "
      "`sweep PLAN` runs a scenario over axes of keys, `optimise SPACE` searches for the best configurations, `report` "
      "makes a page of figures from runs and sweeps, and `bound` proves what no scheduler can beat. The source tree also has "
      "`reproduce STUDY`, which repeats a paper's experiments, and `drive calibrate`.");
  std::function<int()> action;
  declare(app, program_of(argc, argv), action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::RequiredError& error) {
    if (argc > 1 && argv[1][0] != '-' && app.get_subcommands().empty()) {
      constexpr std::array<std::string_view, 7> kOfTheLab{"sweep",     "optimise", "report",       "bound",
                                                          "reproduce", "guest",    "stream-tables"};
      if (std::find(kOfTheLab.begin(), kOfTheLab.end(), argv[1]) != kOfTheLab.end())
        fmt::print(stderr, "platter: {0} is a command of the Python package: platter-lab {0}\n", argv[1]);
      else
        fmt::print(stderr, "platter: there is no command {}; `platter --help` lists the commands\n", argv[1]);
      return cli::kBadInput;
    }
    if (is_bare(app, argc)) {
      fmt::print("{}", app.help());  // of the command that was named
      return written_out();
    }
    return usage(app, error);
  } catch (const CLI::ParseError& error) {
    return usage(app, error);
  }
  cli::end_cleanly_on_signals();
  scheduling::before_own_policy_ends(observe::OutputFile::discard_all);
  const int code = guarded(action);
  return std::max(code, written_out());
}

// libsystemc's own main prints its banner before sc_main; this keeps it quiet without an environment variable.
namespace {
[[maybe_unused]] const int kQuiet = setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 0);
}
