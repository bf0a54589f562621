// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <systemc>
#include <thread>

#include "commands.h"
#include "platter/core/error.h"
#include "platter/core/input_files.h"
#include "platter/core/json_text.h"
#include "platter/drive/drive.h"
#include "platter/import/disksim_import.h"
#include "platter/observe/output_file.h"
#include "platter/observe/svg_plot.h"
#include "platter/scheduling/policies.h"
#include "platter/system/drives.h"
#include "platter/system/engines.h"
#include "platter/validation/measured_trace.h"
#include "platter/validation/scores.h"
#include "platter/version.h"
#include "platter/workload/initiator.h"
#include "process_pool.h"

namespace platter::cli {

namespace fs = std::filesystem;
using nlohmann::json;
using validation::GroupScore;
using validation::MeasuredRequest;
using validation::Reading;
using validation::ReplayedRequest;
using validation::ReplayScore;

namespace {

/// A measured drive: its trace, and the profile that should reproduce it.
struct Subject {
  std::string drive;
  fs::path trace;
  std::string profile;  ///< name or file; DiskSim's parameters (.parv) are imported
};

class ReplayWatch : public workload::RequestObserverIf {
 public:
  explicit ReplayWatch(std::size_t requests) { replayed_.reserve(requests); }
  void issued(const workload::Request& /*request*/) override {}
  void finished(const workload::FinishedRequest& finished) override {
    const command::CommandTiming& t = finished.timing;
    replayed_.push_back({t.response(), t.transfer > 0, t.overhead, t.seek + t.settle, t.rotation, t.transfer});
  }
  const std::vector<ReplayedRequest>& replayed() const { return replayed_; }

 private:
  std::vector<ReplayedRequest> replayed_;
};

/// A value that was measured, or null.
json value_if(bool measured, double value) { return measured ? json(value) : json(); }

json to_json(const GroupScore& s) {
  json group = {{"n", s.requests}};
  for (const auto& [name, value] : {std::pair{"measured_mean_ms", s.measured_mean_ms},
                                    {"simulated_mean_ms", s.simulated_mean_ms},
                                    {"demerit_exact_ms", s.demerit_exact_ms},
                                    {"demerit_exact_percent", s.demerit_exact_percent},
                                    {"demerit_binned_ms", s.demerit_binned_ms},
                                    {"within_0_1_ms", s.within_0_1_ms},
                                    {"within_0_5_ms", s.within_0_5_ms},
                                    {"within_1_ms", s.within_1_ms},
                                    {"rms_error_ms", s.rms_error_ms}})
    group[name] = value_if(s.requests > 0, value);
  return group;
}

/// Outputs of a replay besides its scores. The parent process of the replays opens them before the replays and commits them after all of them.
struct Outputs {
  std::unique_ptr<observe::OutputFile> requests;
  std::unique_ptr<observe::OutputFile> plot;
};

std::unique_ptr<observe::OutputFile> open_for_child(const fs::path& file) {
  return std::make_unique<observe::OutputFile>(file, observe::OutputFile::Access::Rewritten);
}

Outputs open_outputs(const Subject& subject, const ValidateOptions& options) {
  Outputs outputs;
  if (!options.requests.empty()) outputs.requests = open_for_child(options.requests);
  if (!options.plots.empty()) outputs.plot = open_for_child(fs::path(options.plots) / (subject.drive + ".svg"));
  return outputs;
}

/// Opens the file by its name, because the stream belongs to the parent.
void write_in_child(const observe::OutputFile& file, const std::string& text) {
  std::ofstream out(file.partial_path(), std::ios::binary);
  out << text << std::flush;
  if (!out) throw core::SimulationError(fmt::format("{}: {}", file.name().string(), std::strerror(errno)));
}

std::string requests_text(const std::vector<MeasuredRequest>& measured, const std::vector<ReplayedRequest>& replayed) {
  std::string text = "line,kind,lba,blocks,measured_us,simulated_us,served,overhead_us,move_us,rotation_us,transfer_us\n";
  const auto us = [](core::Picoseconds time) { return core::to_milliseconds(time) * 1e3; };
  for (std::size_t i = 0; i < measured.size(); ++i)
    text += fmt::format("{},{},{},{},{:.3f},{:.6f},{},{:.6f},{:.6f},{:.6f},{:.6f}\n", i + 1, measured[i].write ? 'W' : 'R',
                        measured[i].first.value, measured[i].blocks, us(measured[i].response), us(replayed[i].response),
                        replayed[i].media ? "media" : "buffer", us(replayed[i].overhead), us(replayed[i].move),
                        us(replayed[i].rotation), us(replayed[i].transfer));
  return text;
}

std::string plot_text(const Subject& subject, const std::vector<MeasuredRequest>& measured,
                      const std::vector<ReplayedRequest>& replayed, std::size_t first, std::size_t last) {
  observe::CdfSeries real{"measured", {}};
  observe::CdfSeries model{"simulated", {}};
  for (std::size_t i = first; i < last; ++i) {
    real.values.push_back(core::to_milliseconds(measured[i].response));
    model.values.push_back(core::to_milliseconds(replayed[i].response));
  }
  return observe::cdf_svg(subject.drive + ": share of requests completed within", "response time [ms]", {real, model});
}

/// Replays one trace through the whole drive. Called once per process, because the kernel elaborates one design.
json replay(const Subject& subject, const ValidateOptions& options, const Outputs& outputs) {
  const profile::DriveProfile profile = fs::path(subject.profile).extension() == ".parv"
                                            ? disksim::import_drive(subject.profile).profile
                                            : system::load_drive(subject.profile);
  const std::vector<MeasuredRequest> measured = validation::read_measured_trace(subject.trace);
  const Reading reading = options.reading == "precedes" ? Reading::Precedes : Reading::Follows;
  const std::size_t n = measured.size();
  const std::size_t first = options.half == "second" ? n / 2 : 0;
  const std::size_t last = options.half == "first" ? n / 2 : n;
  if (first == last)
    throw core::InputError(subject.trace.string(), 0, 0, fmt::format("holds {} request, expected at least 2 for halves", n));
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  drive::DriveConfig drive_config;
  drive_config.profile = profile;
  // A replay is compared request by request: the head always arrives at its mean time.
  drive_config.profile.arrival_spread_us.clear();
  drive_config.profile.arrival_spread_write_us.clear();
  drive_config.holds_data = false;
  system::EngineOptions engine(profile);
  engine.policy = scheduling::find_policy("FCFS");
  drive::Drive disk("disk", drive_config, system::engine_factory(engine));
  const mechanics::Geometry& geometry = disk.planner().geometry();
  validation::ReplayProducer producer(measured, reading, {geometry.block_count(), geometry.sector_bytes()}, subject.trace);
  ReplayWatch watch(measured.size());
  workload::Initiator host("host");
  host.disk_init_socket.bind(disk.host_tgt_socket);
  host.add_producer(producer);
  host.add_observer(watch);
  sc_core::sc_start();
  host.rethrow_failure();
  if (watch.replayed().size() != measured.size())
    throw core::SimulationError(fmt::format("{} of {} requests were completed", watch.replayed().size(), measured.size()));

  const ReplayScore score = validation::score_replay(measured, watch.replayed(), geometry, disk.planner().rotation().period(),
                                                     disk.planner().bus_block_time(false), first, last);
  if (outputs.requests) write_in_child(*outputs.requests, requests_text(measured, watch.replayed()));
  if (outputs.plot) write_in_child(*outputs.plot, plot_text(subject, measured, watch.replayed(), first, last));
  const drive::CacheStatistics& cache = disk.cache_statistics();
  return {{"drive", subject.drive},
          {"product", profile.name},
          {"reading", options.reading},
          {"half", options.half},
          {"all", to_json(score.all)},
          {"reads", to_json(score.reads)},
          {"writes", to_json(score.writes)},
          {"near_reads", to_json(score.near_reads)},
          {"far_reads", to_json(score.far_reads)},
          {"coherence_near", value_if(score.pairs_near > 0, score.coherence_near)},
          {"coherence_far", value_if(score.pairs_far > 0, score.coherence_far)},
          {"pairs_near", score.pairs_near},
          {"pairs_far", score.pairs_far},
          {"read_hits", cache.read_hits},
          {"partial_hits", cache.partial_hits},
          {"cached_writes", cache.cached_writes}};
}

// --- what to validate --------------------------------------------------------------------------------------------------

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// The profile for the drive of a folder: the given one; one from the given folder of profiles; one made from the DiskSim parameters beside
/// the trace; or the shipped one of that name.
std::string profile_for(const fs::path& folder, const std::string& drive, const ValidateOptions& options) {
  if (!options.profile.empty()) return options.profile;
  const std::string suffix = options.calibrated ? "_calibrated" : "";
  if (!options.profiles.empty()) {
    const fs::path file = fs::path(options.profiles) / (drive + suffix + ".toml");
    if (!core::note_input(file).empty()) throw core::InputError(file.string(), 0, 0, "there is no such profile");
    return file.string();
  }
  if (!options.calibrated) {
    std::vector<fs::path> parameters;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
      if (entry.is_regular_file() && entry.path().extension() == ".parv") parameters.push_back(entry.path());
    std::sort(parameters.begin(), parameters.end());
    for (const fs::path& file : parameters)
      if (parameters.size() == 1 || file.stem() == drive) return file.string();
  }
  std::string name = lower(drive) + suffix;
  for (const system::ShippedDrive& shipped : system::shipped_drives())
    if (shipped.name == name) return name;
  return {};
}

std::vector<Subject> find_subjects(const ValidateOptions& options) {
  const fs::path root(options.directory);
  if (std::error_code error; !fs::is_directory(root, error))
    throw core::InputError(root.string(), 0, 0, error ? "there is no such folder: " + error.message() : "is no folder");
  std::vector<fs::path> folders{root};
  for (const fs::directory_entry& entry : fs::directory_iterator(root))
    if (entry.is_directory()) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  std::vector<Subject> subjects;
  std::vector<std::string> names;
  for (const fs::path& folder : folders) {
    const std::string drive = fs::absolute(folder).lexically_normal().filename().empty()
                                  ? fs::absolute(folder).lexically_normal().parent_path().filename().string()
                                  : folder.filename().string();
    std::vector<fs::path> traces;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
      if (entry.is_regular_file() && entry.path().extension() == ".trace") traces.push_back(entry.path());
    if (traces.empty()) continue;
    std::sort(traces.begin(), traces.end());
    names.push_back(drive);
    if (!options.drives.empty() && std::find(options.drives.begin(), options.drives.end(), drive) == options.drives.end())
      continue;
    for (const fs::path& trace : traces) {
      Subject subject{traces.size() == 1 ? drive : drive + "/" + trace.stem().string(), trace,
                      profile_for(folder, drive, options)};
      if (subject.profile.empty())
        throw core::InputError(folder.string(), 0, 0,
                               "no profile is named like this folder; name one with --profile or --profiles, or make one with "
                               "`platter drive import`");
      subjects.push_back(std::move(subject));
    }
  }
  if (names.empty()) throw core::InputError(root.string(), 0, 0, "no folder in it holds a measured trace (*.trace)");
  for (const std::string& drive : options.drives)
    if (std::find(names.begin(), names.end(), drive) == names.end())
      throw core::InputError(root.string(), 0, 0,
                             fmt::format("holds no drive \"{}\"; it has {}", drive, fmt::join(names, ", ")));
  return subjects;
}

void print_table(const json& drives) {
  fmt::print("{:<14}{:<9}{:>6} |{:>9}{:>10} |{:>8}{:>7}{:>8} |{:>7}{:>7}{:>7} |{:>8} |{:>6}{:>6}\n", "drive", "requests", "n",
             "measured", "simulated", "demerit", "%", "binned", "0.1 ms", "0.5 ms", "1 ms", "RMS ms", "near", "far");
  for (const json& drive : drives) {
    for (const char* group : {"all", "reads", "near_reads", "far_reads", "writes"}) {
      const json& s = drive[group];
      if (s["n"] == 0) continue;
      fmt::print("{:<14}{:<9}{:>6} |{:>9.3f}{:>10.3f} |{:>8.4f}{:>7.2f}{:>8.4f} |{:>6.1f}%{:>6.1f}%{:>6.1f}% |{:>8.3f} |",
                 group == std::string("all") ? drive["drive"].get<std::string>() : "",
                 group == std::string("near_reads")  ? "  near"
                 : group == std::string("far_reads") ? "  far"
                                                     : group,
                 s["n"].get<std::size_t>(), s["measured_mean_ms"].get<double>(), s["simulated_mean_ms"].get<double>(),
                 s["demerit_exact_ms"].get<double>(), s["demerit_exact_percent"].get<double>(),
                 s["demerit_binned_ms"].get<double>(), 100 * s["within_0_1_ms"].get<double>(),
                 100 * s["within_0_5_ms"].get<double>(), 100 * s["within_1_ms"].get<double>(), s["rms_error_ms"].get<double>());
      if (group == std::string("all"))
        for (const char* where : {"coherence_near", "coherence_far"})
          fmt::print("{:>6}", drive[where].is_null() ? "–" : fmt::format("{:.2f}", drive[where].get<double>()));
      fmt::print("\n");
    }
  }
  fmt::print(
      "\nmeans and demerit in ms; demerit exact (and in % of the measured mean) and binned; share of requests within so much "
      "of\nthe measured time; RMS error per request; rotational coherence of near and far reads\n");
}

}  // namespace

int validate(const ValidateOptions& options) {
  const std::vector<Subject> subjects = find_subjects(options);
  if (!options.requests.empty() && subjects.size() != 1)
    throw core::InputError("--requests", 0, 0,
                           fmt::format("found {} traces, expected one: choose a drive with --drive", subjects.size()));
  for (const Subject& subject : subjects) {  // so that no output replaces them
    core::note_input(subject.trace);
    core::note_input(subject.profile);
  }
  std::vector<Outputs> outputs;
  outputs.reserve(subjects.size());
  for (const Subject& subject : subjects) outputs.push_back(open_outputs(subject, options));
  const std::unique_ptr<observe::OutputFile> file = observe::open_output(options.result);
  const std::size_t jobs = options.jobs > 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  const std::vector<ProcessAnswer> outcomes = run_processes(
      subjects.size(), jobs, [&](std::size_t i) { return replay(subjects[i], options, outputs[i]); },
      options.quiet ? "" : "drives");
  json drives = json::array();
  int code = kGood;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i].code == kGood) {
      drives.push_back(outcomes[i].result);
      continue;
    }
    fmt::print(stderr, "{}\n", outcomes[i].error);
    code = code == kBadInput ? code : outcomes[i].code;
  }
  if (code != kGood) return code;
  if (!options.quiet) print_table(drives);
  if (file) file->write(core::json_text({{"schema", 1}, {"version", PLATTER_VERSION}, {"drives", drives}}) + "\n");
  std::vector<observe::OutputFile*> files{file.get()};
  for (const Outputs& one : outputs) files.insert(files.end(), {one.requests.get(), one.plot.get()});
  observe::commit_all(files);
  return kGood;
}

}  // namespace platter::cli
