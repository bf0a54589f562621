// SPDX-License-Identifier: Apache-2.0
#include "platter/system/disk_waves.h"

#include <string>

#include "platter/system/timeline.h"

namespace platter::system {

DiskWaves::DiskWaves(const Scenario& s, const RunOptions& options, const Disks& disks) {
  if (!writes_waves(options)) return;
  std::vector<observe::WaveWindow> windows = options.wave_windows;
  if (windows.empty()) windows = {{options.waves, seconds(s.waves.from_s), seconds(s.waves.to_s)}};
  file_ = std::make_unique<observe::WaveFile>(std::move(windows));
  for (const auto& drive : disks.drives())
    for (std::uint32_t i = 0; i < drive->actuators(); ++i) {
      const std::string scope = drive::numbered(drive->basename(), i);
      probes_.push_back(std::make_unique<observe::WaveProbe>((scope + "_waves").c_str(), *drive, *file_, scope,
                                                             static_cast<std::uint32_t>(s.waves.angle_samples),
                                                             s.policy.notation, s.engine.notation, i));
    }
  if (disks.striped() != nullptr) array_.emplace(*disks.striped(), *file_, disks.striped()->basename());
  for (const auto& drive : disks.drives())
    for (std::size_t i = 0; i < drive->actuators(); ++i)
      if (accelerator::TracedDesignIf* design = traced_design_of(drive->engine(i))) file_->add(*design);
}

}  // namespace platter::system
