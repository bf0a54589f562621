// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <systemc>

#include "commands.h"
#include "host_meter.h"
#include "platter/accelerator/engines.h"
#include "platter/config/loader.h"
#include "platter/core/error.h"
#include "platter/core/json_text.h"
#include "platter/core/sc_time.h"
#include "platter/host/autoqos/autoqos.h"
#include "platter/host/autoqos/rate_stream.h"
#include "platter/host/autoqos/stream_meter.h"
#include "platter/observe/output_file.h"
#include "platter/workload/initiator.h"
#include "run_watch.h"

namespace platter::cli {

namespace qos = host::autoqos;
using core::Picoseconds;
using core::RequestClass;
using nlohmann::json;

namespace {

constexpr Picoseconds kInterval = core::kPicosecondsPerSecond;  // of the series in the result

Picoseconds ps(double seconds) { return core::to_picoseconds(seconds, core::kPicosecondsPerSecond); }

/// Where the streams' files begin, in bytes; whole sectors.
std::vector<std::uint64_t> file_places(const config::QosScenario& s) {
  const std::uint64_t sector = s.drive.geometry.sector_bytes;
  const std::uint64_t disk = mechanics::Geometry(s.drive.geometry).capacity_bytes() / sector;
  const std::uint64_t file = (static_cast<std::uint64_t>(s.file_bytes) + sector - 1) / sector;
  const std::uint64_t gap = static_cast<std::uint64_t>(s.gap_bytes) / sector;
  const bool together = s.placement == "together";
  const std::uint64_t files = together ? s.streams.size() : 1;
  if (disk < files * (file + gap))
    s.refuse("files.bytes", fmt::format("found {}, expected at most {} for files that fit the disk", s.file_bytes,
                                         disk / files > gap ? (disk / files - gap) * sector : 0));
  core::RandomStream random(static_cast<std::uint64_t>(s.seed), "files");
  std::vector<std::uint64_t> places;
  for (std::size_t i = 0; i < s.streams.size(); ++i) {
    if (i > 0 && together)
      places.push_back(places.back() + (file + (gap > 0 ? random.below(gap) : 0)) * sector);
    else
      places.push_back(random.below(disk - files * (file + gap) + 1) * sector);
  }
  return places;
}

std::vector<qos::RateStreamOptions> stream_options(const config::QosScenario& s) {
  const std::vector<std::uint64_t> places = file_places(s);
  core::RandomStream instants(static_cast<std::uint64_t>(s.seed), "entries");
  std::vector<qos::RateStreamOptions> all;
  for (const config::QosStream& stream : s.streams) {
    qos::RateStreamOptions o;
    o.stream = static_cast<std::uint32_t>(all.size());
    o.cls = stream.label == "multimedia" ? RequestClass::Continuous : RequestClass::Discrete;
    o.rates = {{0, static_cast<std::uint64_t>(stream.rate_bytes_per_s)}};
    for (std::size_t i = 0; i < stream.change_at_s.size(); ++i)
      o.rates.push_back({ps(stream.change_at_s[i]), static_cast<std::uint64_t>(stream.change_to_bytes_per_s[i])});
    o.command_bytes = static_cast<std::uint32_t>(s.command_bytes);
    o.commands_per_period = static_cast<std::uint32_t>(s.commands_per_period);
    o.late_periods = static_cast<std::uint32_t>(s.late_periods);
    o.jitter = s.clock_jitter;
    const double period_s =
        stream.rate_bytes_per_s > 0
            ? static_cast<double>(s.command_bytes * s.commands_per_period) / static_cast<double>(stream.rate_bytes_per_s)
            : 0;
    o.enters = ps(stream.enters_s + instants.uniform() * period_s);
    if (stream.leaves_s > 0) o.leaves = ps(stream.leaves_s);
    o.periodic = stream.pace == "periodic";
    o.sequential = stream.access == "sequential";
    o.file_offset = places[o.stream];
    o.file_bytes = static_cast<std::uint64_t>(s.file_bytes);
    o.seed = static_cast<std::uint64_t>(s.seed);
    all.push_back(std::move(o));
  }
  return all;
}

scheduling::PolicySpec policy_of(const config::QosScenario& s) {
  const scheduling::PolicySpec policy = *scheduling::find_policy(s.policy);
  if (const std::string objection = accelerator::engine_objection("firmware", policy, s.drive.queue_depth); !objection.empty())
    s.refuse("policy", objection);
  return policy;
}

qos::QosManagerOptions manager_options(const config::QosScenario& s) {
  qos::QosManagerOptions o;
  o.disk_bytes_per_s = static_cast<std::uint32_t>(s.disk_bytes_per_s);
  o.inference_fraction = s.inference_fraction;
  o.inference_windows = static_cast<std::uint32_t>(s.inference_windows);
  o.tolerance = s.tolerance;
  o.probe_fraction = s.probe_fraction;
  o.probe_windows = static_cast<std::uint32_t>(s.probe_windows);
  o.most_probe_windows = static_cast<std::uint32_t>(s.most_probe_windows);
  o.overload_share = s.overload_share;
  return o;
}

qos::StreamRecogniserOptions recogniser_options(const config::QosScenario& s) {
  qos::StreamRecogniserOptions o;
  o.streams = static_cast<std::uint32_t>(s.recogniser_streams);
  o.periods = static_cast<std::uint32_t>(s.recogniser_periods);
  o.jitter = s.recogniser_jitter;
  o.idle = s.recogniser_idle;
  o.sequence = static_cast<std::uint32_t>(s.recogniser_sequence);
  o.trial = ps(s.recogniser_trial_s);
  o.silence = ps(s.recogniser_silence_s);
  o.handover = ps(s.recogniser_handover_s);
  return o;
}

struct Outcome {
  double busy_share = 0;
  double wall_s = 0;
  double cpu_s = 0;
};

double mb(double bytes_per_s) { return bytes_per_s * 1e-6; }

/// Mean of what a stream wants over the measured time, by its intervals.
double mean_wanted(const qos::RateStream& stream, Picoseconds from, Picoseconds to) {
  constexpr int kSamples = 1000;
  double sum = 0;
  for (int i = 0; i < kSamples; ++i) sum += static_cast<double>(stream.wanted(from + (to - from) / kSamples * i));
  return sum / kSamples;
}

/// `before`: the streams' periods at the end of the warm-up.
json result_json(const config::QosScenario& s, const std::vector<std::unique_ptr<qos::RateStream>>& streams,
                 const std::vector<qos::RateStream::Periods>& before, const qos::StreamMeter& meter, const qos::AutoQos* manager,
                 const qos::RecognisedClasses* recognised, const Outcome& o) {
  const Picoseconds from = ps(s.warmup_s);
  const Picoseconds to = from + ps(s.measure_s);
  json list = json::array();
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const qos::StreamMeter::Stream& got = meter.of(i);
    all += got.counted_bytes;
    const qos::RateStream::Periods periods = streams[i]->periods(to);
    json wanted = json::array();
    for (std::size_t k = 0; k < got.bytes.size(); ++k) wanted.push_back(streams[i]->wanted(static_cast<Picoseconds>(k) * kInterval));
    list.push_back({{"name", s.streams[i].name},
                    {"label", s.streams[i].label},
                    {"bytes_per_s", static_cast<double>(got.counted_bytes) / s.measure_s},
                    {"wanted_bytes_per_s", mean_wanted(*streams[i], from, to)},
                    {"periods", periods.all - before[i].all},
                    {"missed_periods", periods.missed - before[i].missed},
                    {"commands", got.commands},
                    {"multimedia_commands", got.multimedia_commands},
                    {"series_bytes_per_s", got.bytes},
                    {"series_wanted_bytes_per_s", wanted}});
  }
  json result = {{"schema", 1},
                 {"version", PLATTER_VERSION},
                 {"seed", s.seed},
                 {"configuration", config::effective_configuration(s)},
                 {"measured_s", s.measure_s},
                 {"streams", list},
                 {"classes",
                  {{"multimedia_bytes_per_s", static_cast<double>(meter.class_bytes(RequestClass::Continuous)) / s.measure_s},
                   {"best_effort_bytes_per_s", static_cast<double>(meter.class_bytes(RequestClass::Discrete)) / s.measure_s}}},
                 {"aggregate_bytes_per_s", static_cast<double>(all) / s.measure_s},
                 {"utilisation", o.busy_share},
                 {"host", {{"wall_s", o.wall_s}, {"cpu_s", o.cpu_s}}}};
  if (manager != nullptr) {
    json windows = json::array();
    for (const qos::AutoQos::Record& r : manager->records())
      windows.push_back({{"multimedia_bytes", r.window.multimedia_bytes},
                         {"best_effort_bytes", r.window.best_effort_bytes},
                         {"opened", r.window.opened},
                         {"busy_share", static_cast<double>(r.window.busy) / static_cast<double>(r.window.length)},
                         {"state", qos::to_string(r.state)},
                         {"limit_bytes_per_s", r.limit},
                         {"multimedia_rate_bytes_per_s", r.multimedia_rate},
                         {"aggregate_rate_bytes_per_s", r.aggregate_rate}});
    result["autoqos"] = {{"windows", windows}};
  }
  if (recognised != nullptr)
    result["recogniser"] = {{"opened", recognised->recogniser().opened()}, {"recognised", recognised->recogniser().recognised()}};
  return result;
}

void print_table(const config::QosScenario& s, const json& result) {
  fmt::print("{}, policy {}, {}, {:g} s simulated (seed {})\n\n", s.drive.name, s.policy, s.enabled ? "AutoQoS on" : "AutoQoS off",
             s.warmup_s + s.measure_s, s.seed);
  fmt::print("{:<16}{:<13}{:>12}{:>12}{:>11}{:>14}\n", "stream", "label", "wants MB/s", "gets MB/s", "missed %", "multimedia %");
  for (const json& stream : result["streams"]) {
    const auto percent = [&](const char* part, const char* of) {
      const double all = stream[of].get<double>();
      return all > 0 ? 100 * stream[part].get<double>() / all : 0.0;
    };
    fmt::print("{:<16}{:<13}{:>12.2f}{:>12.2f}{:>11.1f}{:>14.1f}\n", stream["name"].get<std::string>(), stream["label"].get<std::string>(),
               mb(stream["wanted_bytes_per_s"].get<double>()), mb(stream["bytes_per_s"].get<double>()), percent("missed_periods", "periods"),
               percent("multimedia_commands", "commands"));
  }
  fmt::print("\nmultimedia {:.2f} MB/s, best effort {:.2f} MB/s, together {:.2f} MB/s; mechanics busy {:.1f} %\n",
             mb(result["classes"]["multimedia_bytes_per_s"].get<double>()), mb(result["classes"]["best_effort_bytes_per_s"].get<double>()),
             mb(result["aggregate_bytes_per_s"].get<double>()), 100 * result["utilisation"].get<double>());
}

}  // namespace

int qos_run(const QosOptions& options) {
  const config::QosScenario s = config::load_qos(options.scenario, options.overrides);
  accelerator::EngineOptions engine(s.drive);
  engine.policy = policy_of(s);
  std::vector<std::unique_ptr<qos::RateStream>> streams;
  for (qos::RateStreamOptions& o : stream_options(s)) streams.push_back(std::make_unique<qos::RateStream>(std::move(o)));

  const std::unique_ptr<observe::OutputFile> result_file = observe::open_output(options.result);
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  const auto wall_start = std::chrono::steady_clock::now();
  const double cpu_start = cpu_seconds();
  drive::DriveConfig drive_config;
  drive_config.profile = s.drive;
  drive_config.holds_data = false;  // payloads carry no bytes
  drive_config.seed = static_cast<std::uint64_t>(s.seed);
  drive::Drive disk("disk", drive_config, accelerator::engine_factory(engine));

  const Picoseconds warmup = ps(s.warmup_s);
  const Picoseconds end = warmup + ps(s.measure_s);
  workload::Initiator host("host");
  host.disk_init_socket.bind(disk.host_tgt_socket);
  host.best_effort_init_socket.bind(disk.host_tgt_socket);
  host.set_end(end);
  for (const auto& stream : streams) host.add_producer(*stream);
  qos::StreamMeter meter(streams.size(), static_cast<std::size_t>(end / kInterval), kInterval, warmup);
  std::unique_ptr<qos::RecognisedClasses> recognised;
  if (s.classes == "recognised") {
    recognised = std::make_unique<qos::RecognisedClasses>(recogniser_options(s));
    host.set_classifier(*recognised);
    host.add_observer(*recognised);
  }
  RefusalWatch refusals;
  host.add_observer(refusals);
  host.add_observer(meter);
  std::unique_ptr<qos::AutoQos> manager;
  if (s.enabled) {
    std::function<std::uint64_t()> opened;
    if (s.knows_opens && recognised)
      opened = [&] { return recognised->recogniser().opened(); };
    else if (s.knows_opens)
      opened = [&] { return meter.opened(); };
    manager = std::make_unique<qos::AutoQos>("autoqos", manager_options(s), ps(s.window_s), std::move(opened));
    manager->register_init_socket.bind(disk.register_tgt_socket);
  }

  Progress progress(options.quiet);
  const auto advance = [&](Picoseconds to) {
    while (core::now_ps() < to && sc_core::sc_get_status() != sc_core::SC_STOPPED) {
      sc_core::sc_start(core::to_sc_time(std::min(to - core::now_ps(), std::max<Picoseconds>(end / 200, 1))));
      progress.update(static_cast<double>(core::now_ps()) / static_cast<double>(end), core::to_milliseconds(core::now_ps()) * 1e-3,
                      core::to_milliseconds(end) * 1e-3);
    }
  };
  advance(warmup);
  const Picoseconds busy_before = disk.actuator().busy(core::now_ps());
  std::vector<qos::RateStream::Periods> periods_before;
  periods_before.reserve(streams.size());
  for (const auto& stream : streams) periods_before.push_back(stream->periods(core::now_ps()));
  advance(end);
  progress.done();
  host.rethrow_failure();
  if (refusals.refused()) throw core::InputError(s.file, 0, 0, *refusals.refused());

  Outcome outcome;
  outcome.busy_share = static_cast<double>(disk.actuator().busy(end) - busy_before) / static_cast<double>(end - warmup);
  outcome.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_start).count();
  outcome.cpu_s = cpu_seconds() - cpu_start;
  const json result = result_json(s, streams, periods_before, meter, manager.get(), recognised.get(), outcome);
  if (!options.quiet) print_table(s, result);
  if (result_file) {
    result_file->write(core::json_text(result) + "\n");
    result_file->commit();
    if (!options.quiet) fmt::print("result:       {}\n", options.result);
  }
  return kGood;
}

int qos_check(const QosOptions& options) {
  const config::QosScenario s = config::load_qos(options.scenario, options.overrides);
  policy_of(s);
  stream_options(s);
  fmt::print("{}: good ({} streams on {}, AutoQoS {})\n", options.scenario, s.streams.size(), s.drive.name, s.enabled ? "on" : "off");
  return kGood;
}

int qos_dump(const QosOptions& options) {
  const config::QosScenario s = config::load_qos(options.scenario, options.overrides);
  fmt::print("{}", options.json ? core::json_text(config::effective_configuration(s)) + "\n" : config::dump_scenario(s));
  return kGood;
}

}  // namespace platter::cli
