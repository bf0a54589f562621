// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "platter/drive/drive.h"
#include "platter/observe/wave_file.h"

namespace platter::observe {

/// Watches a drive and writes its signals to a wave file; arm and spindle are sampled within the file's window.
class WaveProbe : public sc_core::sc_module, public drive::DriveObserverIf {
 public:
  SC_HAS_PROCESS(WaveProbe);
  WaveProbe(const sc_core::sc_module_name& name, drive::Drive& drive, WaveFile& file, std::uint32_t samples_per_turn);

  void state_changed(drive::ControllerState state) override;
  void occupancy_changed(std::uint32_t occupancy) override;
  void access_started(const drive::Slot& slot) override;
  void preparation_changed(core::Picoseconds from) override;

 private:
  void sample();
  void show_preparation();
  void show_stall();

  drive::Drive& drive_;
  WaveFile& file_;
  core::Picoseconds interval_;
  core::Picoseconds deadline_ = core::kNoDeadline;
  core::Picoseconds prepared_from_ = core::kNoDeadline;
  sc_core::sc_event prepared_event_;
  sc_core::sc_event stall_event_;
};

}  // namespace platter::observe
