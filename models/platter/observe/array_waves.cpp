// SPDX-License-Identifier: Apache-2.0
#include "platter/observe/array_waves.h"

namespace platter::observe {

const std::vector<params::Signal<ArrayDriveView>>& array_signals() {
  using V = ArrayDriveView;
  using params::SignalValue;
  static const std::vector<params::Signal<V>> signals = {
      {{"", "queued", "commands in the drive's queue in the host", 32},
       1,
       [](const V& v) { return SignalValue{std::uint64_t{v.array.queued(v.drive)}}; }},
      {{"", "in_drive", "commands in the drive", 11},
       1,
       [](const V& v) { return SignalValue{std::uint64_t{v.array.in_drive(v.drive)}}; }},
      {{"", "alive", "the drive is in use", 1},
       1,
       [](const V& v) { return SignalValue{std::uint64_t{v.array.alive(v.drive)}}; }},
      {{"", "stale_units", "units of the drive that do not hold what was written last", 32},
       1,
       [](const V& v) { return SignalValue{v.array.stale_units(v.drive)}; }},
      {{"", "rebuilt_units", "units that the rebuild has copied to the drive", 32},
       1,
       [](const V& v) { return SignalValue{v.array.rebuilt_units(v.drive)}; }},
  };
  return signals;
}

ArrayWaves::ArrayWaves(host::array::Array& array, WaveFile& file, const std::string& scope) : array_(array), file_(file) {
  for (std::uint32_t drive = 0; drive < array.drives(); ++drive) {
    drives_.push_back(file.add(scope + ".disk" + std::to_string(drive), params::rows_of(array_signals())));
    for (std::size_t i = 0; i < array_signals().size(); ++i)
      file.set(drives_.back(), i, array_signals()[i].value({array, drive}), 0);
  }
  array.add_probe(*this);
}

ArrayWaves::~ArrayWaves() { array_.remove_probe(*this); }

void ArrayWaves::worked(core::Picoseconds now) {
  if (!file_.wants(now)) return;
  for (std::uint32_t drive = 0; drive < drives_.size(); ++drive)
    for (std::size_t i = 0; i < array_signals().size(); ++i)
      file_.set(drives_[drive], i, array_signals()[i].value({array_, drive}), now);
}

}  // namespace platter::observe
