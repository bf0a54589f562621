// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "platter/accelerator/bus_core.h"
#include "platter/observe/decision_log.h"
#include "platter/observe/output_file.h"
#include "platter/observe/wave_file.h"
#include "platter/system/scenario.h"
#include "platter/workload/initiator.h"

namespace platter::system {

/// Outputs of a run besides its result, and the callbacks for its progress.
struct RunOptions {
  std::filesystem::path requests;                       ///< every request as CSV; empty: none
  std::filesystem::path block_trace;                    ///< the same in the form of blktrace; empty: none
  std::vector<std::filesystem::path> write_logs;        ///< the writes in the form of dm-log-writes, of each drive served alone
  std::filesystem::path timeline;                       ///< Chrome's trace events, in the window of the waves; empty: none
  std::filesystem::path waves;                          ///< FST; empty: none
  std::vector<observe::WaveWindow> wave_windows;        ///< if there are any, they replace `waves` and the scenario's window
  std::vector<workload::RequestObserverIf*> observers;  ///< told of every request
  observe::DecisionLog* decisions = nullptr;            ///< told of every decision
  core::Picoseconds until = core::kNoDeadline;          ///< the simulation ends there, if not before
  std::filesystem::path mismatch_folder = ".";          ///< report and waves of a lock-step mismatch
  std::function<void(const std::filesystem::path& report, const std::filesystem::path& waves)> mismatch_written;
  std::function<void(double simulated_s, double total_s)> progress;
  /// With the engine model: told of every access to an accelerator's registers.
  std::function<void(const accelerator::BusRequest&, const accelerator::BusResponse&)> on_access;
};

inline bool writes_waves(const RunOptions& options) { return !options.waves.empty() || !options.wave_windows.empty(); }

/// The simulation of one scenario. A process can run only one, because the SystemC kernel starts once.
class RunIf {
 public:
  virtual ~RunIf() = default;
  RunIf() = default;
  RunIf(const RunIf&) = delete;
  RunIf& operator=(const RunIf&) = delete;

  /// Runs the whole simulation. Throws core::InputError for a load that the drives refuse, core::SimulationError.
  virtual void run() = 0;
  /// The statistics of the host, after the run.
  virtual nlohmann::json result() const = 0;
  /// Simulated time, and the number of decisions.
  virtual double simulated_s() const = 0;
  /// The measured time; nothing: that of the scenario.
  virtual std::optional<double> measured_s() const { return std::nullopt; }
  virtual std::uint64_t decisions() const = 0;
  /// The files written besides the result, closed and not yet committed.
  virtual std::vector<observe::OutputFile*> outputs() { return {}; }
};

/// Builds the simulation of a scenario, which must outlive it. Throws core::ConfigError and core::InputError if it cannot be built.
std::unique_ptr<RunIf> make_run(const Scenario& scenario, const RunOptions& options);

/// The whole result of a run: the part common to all kinds of hosts, and the kind's own.
nlohmann::json result_json(const Scenario& scenario, const RunIf& run, double wall_s, double cpu_s);
/// The same as text for a screen.
std::string result_text(const Scenario& scenario, const nlohmann::json& result);
/// JSON Schema (draft 2020-12) of all results, and the reference page of all statistics.
nlohmann::json result_schema();
std::string result_page();

}  // namespace platter::system
