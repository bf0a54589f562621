// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platter/host/array/array.h"
#include "platter/observe/wave_file.h"
#include "platter/params/signal.h"

namespace platter::observe {

/// A drive of an array, as the array sees it.
struct ArrayDriveView {
  const host::array::Array& array;
  std::uint32_t drive;
};

/// One row a signal of each drive.
const std::vector<params::Signal<ArrayDriveView>>& array_signals();

/// Watches an array and writes to a wave file, drive by drive, what waits for it in the host and what the array knows of it. The
/// array outlives the probe.
class ArrayWaves : public host::array::ArrayProbeIf {
 public:
  /// `scope`: the array's in the file; its drives are `diskN` below it.
  ArrayWaves(host::array::Array& array, WaveFile& file, const std::string& scope);
  ~ArrayWaves() override;

  void worked(core::Picoseconds now) override;

 private:
  host::array::Array& array_;
  WaveFile& file_;
  std::vector<WaveFile::Signals> drives_;
};

}  // namespace platter::observe
