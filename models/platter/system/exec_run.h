// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "platter/front/exec/channel.h"
#include "platter/system/run.h"

namespace platter::system {

/// How a scenario's drive is given to a program in simulated time.
struct ExecOptions {
  RunOptions run;
  std::string device = "/dev/pl0";        ///< the path by which the program opens the drive
  core::Picoseconds clock_cost = 50'000;  ///< simulated time that each read of a clock takes
  std::int64_t epoch_s = 0;               ///< what CLOCK_REALTIME shows at the simulated time 0: seconds since 1970
  std::filesystem::path image;            ///< first contents of the drive; empty: zeros
  std::filesystem::path disk;             ///< file that has the drive's sectors; made if absent; empty: none
  /// Starts the program. `channel` is the path for the variable exec::kChannelVariable.
  std::function<void(exec::Channel& channel, const std::string& path)> start;
  std::function<bool()> over;  ///< whether the program has ended; asked again after each ring of the channel's bell
  std::function<void()> wait;  ///< waits until it has ended; called only after an error of the simulation
};

/// The drive of a scenario, for a program that runs in its simulated time. `run` serves it until it has ended. The load of the scenario has no effect,
/// and neither have the keys `sim.*`.
///
/// Throws core::ConfigError for a scenario that has not one drive, core::InputError for an image or a disk that cannot be used.
std::unique_ptr<RunIf> make_exec_run(const Scenario& scenario, const ExecOptions& options);

}  // namespace platter::system
