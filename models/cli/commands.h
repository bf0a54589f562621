// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace platter::cli {

/// Exit codes: 0 good, 1 the simulation failed, 2 usage or input.
inline constexpr int kGood = 0;
inline constexpr int kFailed = 1;
inline constexpr int kBadInput = 2;

struct RunOptions {
  std::string scenario;
  std::vector<std::string> overrides;
  std::string result;
  std::string requests;
  std::string waves;
  double wave_from_s = -1;  ///< -1: as the scenario says
  double wave_to_s = -1;
  bool quiet = false;
};

/// Errors leave as exceptions: core::ConfigError and core::InputError (bad input), core::SimulationError.
int run(const RunOptions& options);

int list(const std::string& what, bool json);
int drive_show(const std::string& name, bool json);

struct TraceInfoOptions {
  std::string file;
  std::string format = "auto";
  std::string device;
  bool json = false;
};
int trace_info(const TraceInfoOptions& options);

int config_check(const std::string& scenario, const std::vector<std::string>& overrides);
int config_dump(const std::string& scenario, const std::vector<std::string>& overrides, bool json);
int config_schema(const std::string& what);
int config_reference();

}  // namespace platter::cli
