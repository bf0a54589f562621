// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "commands.h"
#include "platter/observe/output_file.h"
#include "platter/system/host_meter.h"
#include "platter/system/run.h"

namespace platter::cli {

/// What the commands that simulate a scenario have in common: the scenario, and what a run leaves.
class Simulation {
 public:
  /// Throws core::ConfigError for a bad scenario, and core::InputError for a result that cannot be written: before the run.
  explicit Simulation(const RunOptions& options);

  const system::Scenario& scenario() const { return scenario_; }
  /// What the run writes besides its result.
  system::RunOptions leaves() const;
  /// Shows and writes the result of the run and commits all files. Returns the exit code.
  int leave(system::RunIf& simulation);

 private:
  static system::Scenario load(const RunOptions& options);

  const RunOptions& options_;
  system::Scenario scenario_;
  std::unique_ptr<observe::OutputFile> file_;
  system::HostMeter meter_;
};

}  // namespace platter::cli
