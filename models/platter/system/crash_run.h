// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platter/crash/checked_port.h"
#include "platter/system/disk_waves.h"
#include "platter/system/disks.h"
#include "platter/system/load_host.h"
#include "platter/system/run.h"
#include "platter/system/scenario.h"

namespace platter::system {

/// What a loss of power and the restart after it have shown.
struct CrashOutcome {
  std::optional<std::string> violation;  ///< of a promise; nothing: all were kept
  std::uint64_t open_writes = 0;         ///< writes that were not durable when the power failed
  std::uint64_t lost = 0;                ///< answered writes of a block that were lost, as the drive may
  std::uint64_t torn = 0;                ///< blocks found torn
  std::uint64_t blocks = 0;              ///< blocks that were checked
  bool second = false;                   ///< the power failed once more during the recovery
};

/// A load whose every write is known, and losses of power at any time of it. A process can make only one, because the SystemC kernel starts once.
class CrashSimulation {
 public:
  /// `options`: waves only. Throws core::ConfigError for a scenario that is not a load on a drive or a striped array.
  CrashSimulation(const Scenario& scenario, const crash::PortOptions& port, const RunOptions& options);

  /// Simulates the whole load. Returns the instants at which something happened, from the end of the warm-up on; ascending.
  std::vector<core::Picoseconds> instants();
  /// Simulates the load up to this time, and everything that is due at it.
  void run_to(core::Picoseconds time);
  /// The power fails now. Restarts the drives and checks all promises. `seed`: of what follows the loss. A promise that the load itself has
  /// found broken is reported without a loss.
  CrashOutcome crash(std::uint64_t seed);
  /// The wave files, closed.
  std::vector<observe::OutputFile*> outputs() { return waves_.close(); }

 private:
  void advance(core::Picoseconds time);
  void lose_power();
  void restore_power();
  /// Simulates until all written blocks have been read.
  void read_back();
  /// A copy of the block, on a unit that is not stale, can be read.
  bool copy_readable(std::uint64_t block) const;
  /// Simulates until the copies of an array are equal, and compares them.
  void compare_copies();
  /// From the return of the power until a drive is ready.
  core::Picoseconds start_time() const;

  const Scenario& s_;
  core::Picoseconds begin_;
  core::Picoseconds end_;
  Disks disks_;
  LoadHost host_;
  crash::CheckedPort port_;
  DiskWaves waves_;
};

}  // namespace platter::system
