// SPDX-License-Identifier: Apache-2.0
#include "platter/system/run.h"

#include <fmt/format.h>

#include <set>
#include <systemc>

#include "platter/system/host_meter.h"
#include "platter/system/renamed_keys.h"
#include "platter/system/simulated_drives.h"
#include "platter/version.h"

namespace platter::system {

using nlohmann::json;

std::unique_ptr<RunIf> make_run(const Scenario& scenario, const RunOptions& options) {
  const auto refuse = [&](bool asked, const char* what, bool HostInfo::* able = & HostInfo::keeps_logs) {
    if (asked && !(scenario.host->*able))
      scenario.refuse("host.kind", fmt::format("found {}, expected {} for {}", scenario.host->name, hosts_that(able), what));
  };
  refuse(!options.requests.empty() || !options.observers.empty(), "a log of requests");
  refuse(!options.block_trace.empty(), "a block trace");
  refuse(!options.write_logs.empty(), "a log of writes", &HostInfo::logs_writes);
  refuse(!options.timeline.empty(), "a timeline");
  refuse(writes_waves(options), "waves");
  if (writes_waves(options))
    observe::WaveFile::require(options.waves.empty() ? options.wave_windows.front().file : options.waves);
  check_engine(scenario);
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  return scenario.host->make(scenario, options);
}

namespace {

/// A result without the statistics of its host.
struct Frame {
  const Scenario& scenario;
  const RunIf& run;
  double wall_s;
  double cpu_s;
};

const params::Statistics<Frame>& frame_rows() {
  using F = Frame;
  static const auto host =
      params::Statistics<F>()
          .value("wall_s", "s", "real time of set-up and simulation", "", [](const F& f) { return f.wall_s; })
          .value("cpu_s", "s", "processor time of set-up and simulation", "", [](const F& f) { return f.cpu_s; })
          .value("simulated_s", "s", "simulated time, warm-up included", "", [](const F& f) { return f.run.simulated_s(); })
          .value("simulated_s_per_wall_s", "", "simulated time per real time", "rate",
                 [](const F& f) { return f.run.simulated_s() / f.wall_s; }, {"simulated s per wall s", 0})
          .value("peak_memory_mib", "MiB", "largest resident memory of the process up to the end of the run", "maximum",
                 [](const F&) { return peak_memory_mib(); })
          .value("decisions_per_cpu_s", "1/s", "decisions of all drives per second of processor time", "rate",
                 [](const F& f) { return static_cast<double>(f.run.decisions()) / f.cpu_s; }, {"decisions per CPU second", 0});
  static const auto rows =
      params::Statistics<F>()
          .value("schema", "", "version of the result's format", "", [](const F&) { return 2; })
          .value("version", "", "version of Platter", "", [](const F&) { return std::string(PLATTER_VERSION); })
          .value("seed", "", "seed of the run", "", [](const F& f) { return f.scenario.run.seed; })
          .value("configuration", "", "the effective configuration: every key of the scenario and of the drive", "",
                 [](const F& f) { return std::make_shared<const json>(configuration(f.scenario)); })
          .value("measured_s", "s", "length of the measured time, which follows the warm-up", "",
                 [](const F& f) { return f.run.measured_s().value_or(f.scenario.run.measure_s); })
          .section("host", "the machine that ran the simulation; the values differ from run to run", host);
  return rows;
}

}  // namespace

json result_json(const Scenario& scenario, const RunIf& run, double wall_s, double cpu_s) {
  const Frame frame{scenario, run, wall_s, cpu_s};
  json result = params::to_json(frame_rows(), &frame);
  result.update(run.result());
  return result;
}

namespace {

std::string failure_text(const Scenario& s, double simulated_s) {
  const double at = s.failure.fails_at_s;
  if (at <= 0) return "";
  const std::string who = s.host->several_drives ? fmt::format("drive {}", s.redundancy.failing_drive) : "the drive";
  if (at >= simulated_s)
    return fmt::format("\nno drive failed: failure.fails_at_s is {:g} s, which is after the end of the run\n", at);
  return fmt::format("\n{} failed at {:g} s\n", who, at);
}

std::string trace_text(const Scenario& s, const json& result) {
  if (!result.contains("trace")) return "";
  const json& trace = result.at("trace");
  const std::uint64_t remaining = trace.at("remaining");
  const bool all = trace.at("remaining_all");
  if (remaining == 0 && all) return "";
  if (remaining == 0) return "\nthe trace may go on: what follows on a pipe is not read\n";
  const bool starved = s.run.as_long_as_load() && s.discrete.keeps_outstanding() > 0;
  return fmt::format("\nthe trace goes on: {}{} requests {}\n", all ? "" : "at least ", remaining,
                     starved ? "were not issued, because one that fails at once or with its drive is not replaced"
                             : "come after the end of the run (sim.measure_s)");
}

}  // namespace

std::string result_text(const Scenario& s, const json& result) {
  const double simulated_s = result.at("host").at("simulated_s");
  return fmt::format("{}, {}, {}, engine {}, queue of {}, {:g} s simulated (seed {})\n\n", s.host->name, s.drive.name,
                     policy_text(s), s.engine.notation, s.drive.queue_depth, simulated_s, s.run.seed) +
         params::screen_table(s.host->rows(), result) + params::screen_table(frame_rows(), result) + trace_text(s, result) +
         failure_text(s, simulated_s);
}

json result_schema() {
  json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"title", "Result of platter run"},
                 {"description", "Everything but `host` is the same for the same scenario and seed, on every machine."}};
  const json frame = params::schema(frame_rows());
  const auto whole = [&frame](const HostInfo& host) {
    json of = params::schema(host.rows());
    of["properties"].update(frame["properties"]);
    for (const json& name : frame["required"]) of["required"].push_back(name);
    return of;
  };
  json by_host;
  for (auto host = host_table().rbegin(); host != host_table().rend(); ++host) {
    const json said = {
        {"properties",
         {{"configuration", {{"properties", {{"host", {{"properties", {{"kind", {{"const", host->name}}}}}}}}}}}}}};
    json one = {{"if", said}, {"then", whole(*host)}};
    one["else"] = by_host.is_null() ? json(false) : by_host;
    by_host = one;
  }
  for (auto& [key, value] : by_host.items()) schema[key] = value;
  for (const RenamedKey& renamed : kRenamedStatistics) schema["renamed"][std::string(renamed.old_name)] = renamed.name;
  return schema;
}

namespace {

constexpr const char* kResultHead = R"(# Results

## Purpose

This page lists every value of a run's result, which `platter run --result FILE` writes as JSON. Programs that read results and
people who compare runs need it. `platter config statistics` makes the page from the rows that fill the result itself. The same
rows give the schema `models/configs/schema/result.schema.json` and the tables on the screen. Terms are explained in the
[glossary](glossary.md).

## Interface

A dotted name is the path of a value in the JSON. `NAME` stands for a class of requests (`continuous`, `discrete` or
`background`), for a [job](jobs.md), or for a phase of the run in `simulated`. `[]` stands for each element of a list.
*Reduction* says how the samples become one value. A value without a unit is a number, a text or a truth value.

A value that was not measured is null in the JSON, and `–` on the screen. Examples are a response time without a completion, and
a mean over no decisions. A rate is 0 if nothing completed in a time that was measured.

## Parameters

A result has no keys of its own. `sim.warmup_s` and `sim.measure_s` ([configuration](configuration.md#every-scenario)) set the
time that is measured.

## The measured time

The measured time begins after the warm-up. A class has two accounts of it.

- By completion: throughput, response times and their parts belong to the requests that complete in the measured time, whenever
  they were issued. These requests are the `completions`. Requests that still wait at the end appear in `waiting`, with their
  number and the age of the oldest one.
- By issue: of the requests `issued` in the measured time, some have `completed`, some have `failed`, and the rest is
  `outstanding`. These three add up to `issued`. Deadlines are judged in this account (`late`, `hiccups`).

A request that completes in the last picosecond of the warm-up belongs to the warm-up. `reads` and `writes` of a class have its
reads and its writes alone. Flushes and zone management commands count in the class only.

## Timing

The values are computed once, when the run has ended. They do not change the simulated times.

In a closed load in which all requests end, throughput times mean response time is the number of outstanding requests (Little's law). A request that
a policy starves is in no mean; see `waiting`.

## Statistics

### Every run

)";

constexpr const char* kResultTail = R"(
## Limits

- Everything but `host` is the same for the same scenario and seed, on every machine. Runs of `platter serve` also depend on
  their clients.
- Percentiles are exact up to 4,194,304 samples. Further samples are only counted in ranges, each at most 0.1 % of its values
  wide. A percentile is then the lower end of its range.
- In a short measured time the requests at its two ends have weight: at a depth of 256 up to 2 % in 10 s.

## How verified

- `tb/cli/cli_test.py` compares this page and the schema with the program's output, and checks results against the schema.
- `tb/sc/statistics_test.cpp` compares the values with those of known requests.
- Every run with a load checks that the account by issue adds up, and that the parts of each response time add up to the whole.
- `tb/golden` compares results of more than a hundred runs with stored ones.
)";

}  // namespace

std::string result_page() {
  std::string text = kResultHead;
  text += params::page_table(frame_rows());
  std::set<const params::StatisticTable*> shown;
  for (const HostInfo& host : host_table()) {
    if (!shown.insert(&host.rows()).second) continue;
    text += fmt::format("\n### {}\n\n", host.name);
    for (const HostInfo& same : host_table())
      if (&same.rows() == &host.rows()) text += fmt::format("`host.kind = \"{}\"`: {}.\n", same.name, same.description);
    text += '\n';
    text += params::page_table(host.rows());
  }
  text +=
      "\n### Renamed values\n\nA sweep or a search that names an old one is refused. The message tells the new one.\n\n"
      "| old name | name |\n| --- | --- |\n";
  for (const RenamedKey& renamed : kRenamedStatistics) text += fmt::format("| `{}` | `{}` |\n", renamed.old_name, renamed.name);
  return text + kResultTail;
}

}  // namespace platter::system
