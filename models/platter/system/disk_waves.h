// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "platter/observe/array_waves.h"
#include "platter/observe/wave_probe.h"
#include "platter/system/disks.h"
#include "platter/system/run.h"
#include "platter/system/simulated_drives.h"

namespace platter::system {

/// The wave files of a scenario's drives, of a striped array above them and of the RTL in their engines; does nothing where none is asked for.
class DiskWaves {
 public:
  DiskWaves(const Scenario& scenario, const RunOptions& options, const Disks& disks);

  /// Null without one.
  observe::WaveFile* file() { return file_.get(); }
  /// Closes the files.
  std::vector<observe::OutputFile*> close() { return file_ ? file_->close() : std::vector<observe::OutputFile*>(); }

 private:
  std::unique_ptr<observe::WaveFile> file_;
  std::vector<std::unique_ptr<observe::WaveProbe>> probes_;
  std::optional<observe::ArrayWaves> array_;
};

}  // namespace platter::system
