// SPDX-License-Identifier: Apache-2.0
#include "platter/system/simulated_drives.h"

#include <fmt/format.h>

#include <vector>

#include "platter/observe/wave_file.h"
#include "platter/system/timeline.h"

namespace platter::system {

using core::Picoseconds;

namespace {

std::vector<scheduling::PolicySpec> policies_of(const Scenario& s) {
  if (s.host->policies == nullptr) return {s.policy};
  return s.host->policies(s);
}

/// Writes report and waves of the accesses before a lock-step mismatch to the mismatch folder.
void write_mismatch(const accelerator::LockstepCore& pair, const std::string& report, const std::string& drive,
                    const Scenario& s, const RunOptions& options, Picoseconds clock_period) {
  const std::filesystem::path text_file = options.mismatch_folder / "lockstep_mismatch.txt";
  std::filesystem::path wave_file;  // none in a build without waves
  observe::OutputFile text(text_file);
  text.write(fmt::format("scenario {} seed {} drive {}\n{}", s.file, s.run.seed, drive, report));
  text.commit();
  if (observe::WaveFile::is_built()) {
    wave_file = options.mismatch_folder / "lockstep_mismatch.fst";
    accelerator::RtlCore again(clock_period, accelerator::RtlCore::traced(), "sched", accelerator::RtlCore::Copy::Waves,
                               pair.parameters());
    observe::WaveFile waves(wave_file, 0, core::kNoDeadline);
    waves.add(again);
    waves.arm();
    pair.replay(again);
    waves.commit();
  }
  if (options.mismatch_written) options.mismatch_written(text_file, wave_file);
}

/// The same for RTL of a user's own.
void write_fault(const accelerator::OwnRtl& rtl, const std::string& report, const std::string& drive, const Scenario& s,
                 const RunOptions& options) {
  constexpr std::size_t kShown = 200;  // exchanges
  const std::filesystem::path text_file = options.mismatch_folder / "engine_fault.txt";
  std::filesystem::path wave_file;
  observe::OutputFile text(text_file);
  text.write(fmt::format("scenario {} seed {} drive {}\n{}", s.file, s.run.seed, drive, report));
  text.commit();
  if (observe::WaveFile::is_built() && rtl.can_replay()) {
    wave_file = options.mismatch_folder / "engine_fault.fst";
    accelerator::OwnRtl again(rtl.folder(), rtl.clock_period(), accelerator::RtlCore::traced());
    observe::WaveFile waves(wave_file, rtl.begin_of_last(kShown), core::kNoDeadline);
    waves.add(again);
    waves.arm();
    rtl.replay(again);
    waves.commit();
  }
  if (options.mismatch_written) options.mismatch_written(text_file, wave_file);
}

}  // namespace

std::string policy_text(const Scenario& s) {
  std::vector<std::string> policies;
  for (const scheduling::PolicySpec& policy : policies_of(s)) policies.push_back(policy.notation);
  return fmt::format("{} {}", policies.size() == 1 ? "policy" : "policies", fmt::join(policies, " and "));
}

void check_engine(const Scenario& s) {
  const auto refuse = [&s](const Objection& objection) {
    if (objection.empty()) return;
    const bool given = s.positions.count(objection.key) != 0;
    throw core::ConfigError({s.problem(objection.key, objection.text, given ? "" : "engine")});
  };
  refuse(rules_objection(s.engine, scheduling::FirmwareRules::of(s.drive), s.eager.enabled));
  if (!s.engine.row->is_firmware() && s.drive.cache.destage_entries > 0)
    refuse({"drive.cache.destage_entries", fmt::format("found {}, expected 0 with engine {}: only the engine firmware has this",
                                                       s.drive.cache.destage_entries, s.engine.notation)});
  for (const scheduling::PolicySpec& policy : policies_of(s))
    refuse(engine_objection(s.engine, policy, s.drive.queue_depth, s.interpretations, s.accelerator));
  if (s.engine.row->drive_objection != nullptr)
    refuse(drive_objection(s.engine, mechanics::AccessPlanner(s.drive), s.accelerator));
}

system::EngineOptions engine_options(const Scenario& s, const scheduling::PolicySpec& policy, const RunOptions& run) {
  system::EngineOptions options(s.drive);
  options.engine = s.engine;
  options.seed = static_cast<std::uint64_t>(s.run.seed);
  options.policy = policy;
  options.interpretations = s.interpretations;
  options.arrivals = s.arrivals;
  options.accelerator = s.accelerator;
  const auto given = [&s](const char* key) { return s.positions.count(key) != 0; };
  options.margins = {given("accelerator.margin_ticks"), given("accelerator.risk_ticks"), given("accelerator.risk_probability")};
  if (writes_waves(run)) options.tracing = accelerator::RtlCore::traced();
  options.on_access = run.on_access;
  options.on_mismatch = [&s, run](const accelerator::LockstepCore& pair, const std::string& report, const std::string& drive) {
    write_mismatch(pair, report, drive, s, run,
                   core::to_picoseconds(1.0 / s.accelerator.clock_mhz, core::kPicosecondsPerMicrosecond));
  };
  options.on_own_fault = [&s, run](const accelerator::OwnRtl& rtl, const std::string& report, const std::string& drive) {
    write_fault(rtl, report, drive, s, run);
  };
  return options;
}

drive::DriveConfig drive_config(const Scenario& s) {
  drive::DriveConfig config;
  config.profile = s.drive;
  config.holds_data = false;  // the generators' payloads carry no bytes
  config.eager = s.eager;
  config.seed = static_cast<std::uint64_t>(s.run.seed);
  config.guard_quantile = s.arrivals.guard_quantile;
  if (s.failure.fails_at_s > 0) config.fails_at = seconds(s.failure.fails_at_s);
  return config;
}

}  // namespace platter::system
