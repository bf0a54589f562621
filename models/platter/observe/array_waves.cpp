// SPDX-License-Identifier: Apache-2.0
#include "platter/observe/array_waves.h"

namespace platter::observe {

using host::array::ArrayDriveReport;

const std::vector<params::Signal<ArrayDriveReport>>& array_signals() {
  using R = ArrayDriveReport;
  using params::SignalValue;
  static const std::vector<params::Signal<R>> signals = {
      {{"", "queued", "commands in the drive's queue in the host", 32}, 1, [](const R& r) { return SignalValue{r.queued}; }},
      {{"", "in_drive", "commands in the drive", 11}, 1, [](const R& r) { return SignalValue{std::uint64_t{r.in_drive}}; }},
      {{"", "alive", "the drive is in use", 1}, 1, [](const R& r) { return SignalValue{std::uint64_t{r.alive}}; }},
      {{"", "stale_units", "units of the drive that do not hold what was written last", 32},
       1,
       [](const R& r) { return SignalValue{r.stale_units}; }},
      {{"", "rebuilt_units", "units that the rebuild has copied to the drive", 32},
       1,
       [](const R& r) { return SignalValue{r.rebuilt_units}; }},
  };
  return signals;
}

ArrayWaves::ArrayWaves(host::array::Array& array, WaveFile& file, const std::string& scope) : array_(array), file_(file) {
  for (std::uint32_t drive = 0; drive < array.drives(); ++drive) {
    drives_.push_back(file.add(scope + ".disk" + std::to_string(drive), params::rows_of(array_signals())));
    changed(0, drive, array.report_of(drive));
  }
  array.add_probe(*this);
}

ArrayWaves::~ArrayWaves() { array_.remove_probe(*this); }

void ArrayWaves::changed(core::Picoseconds time, std::uint32_t drive, const ArrayDriveReport& report) {
  file_.set(drives_[drive], array_signals(), report, 1, time);
}

}  // namespace platter::observe
