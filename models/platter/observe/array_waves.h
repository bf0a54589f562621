// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platter/host/array/array.h"
#include "platter/observe/wave_file.h"
#include "platter/params/signal.h"

namespace platter::observe {

/// One row a signal of each drive of an array, all read after each change.
const std::vector<params::Signal<host::array::ArrayDriveReport>>& array_signals();

/// Watches an array and writes to a wave file, drive by drive, what waits for it in the host and what the array knows of it. The
/// array outlives the probe.
class ArrayWaves : public host::array::ArrayProbeIf {
 public:
  /// `scope`: the array's in the file; its drives are `diskN` below it.
  ArrayWaves(host::array::Array& array, WaveFile& file, const std::string& scope);
  ~ArrayWaves() override;

  void changed(core::Picoseconds time, std::uint32_t drive, const host::array::ArrayDriveReport& report) override;

 private:
  host::array::Array& array_;
  WaveFile& file_;
  std::vector<WaveFile::Signals> drives_;
};

}  // namespace platter::observe
