// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platter/front/ahci/ahci_target.h"
#include "platter/observe/wave_file.h"
#include "platter/params/signal.h"

namespace platter::observe {

/// One row a signal of an AHCI port, and of the host's accesses to the adapter's registers; all of a table are read after each change.
const std::vector<params::Signal<ahci::PortReport>>& ahci_port_signals();

/// What the host has accessed, and how often.
struct AccessView {
  ahci::RegisterReport last;
  std::uint64_t accesses = 0;
};
const std::vector<params::Signal<AccessView>>& ahci_access_signals();

/// Watches an AHCI adapter and writes its ports and the host's accesses to a wave file. The adapter outlives the probe.
class AhciWaves : public ahci::AhciProbeIf {
 public:
  /// `scope`: the adapter's in the file; its ports are `portN` below it.
  AhciWaves(ahci::AhciTarget& adapter, WaveFile& file, const std::string& scope);
  ~AhciWaves() override;
  AhciWaves(const AhciWaves&) = delete;
  AhciWaves& operator=(const AhciWaves&) = delete;

  void changed(const ahci::PortReport& report) override;
  void accessed(const ahci::RegisterReport& report) override;

 private:
  ahci::AhciTarget& adapter_;
  WaveFile& file_;
  WaveFile::Signals host_;
  std::vector<WaveFile::Signals> ports_;
  AccessView access_;
};

}  // namespace platter::observe
