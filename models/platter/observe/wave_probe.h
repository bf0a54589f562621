// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <systemc>

#include "platter/core/timed_call.h"
#include "platter/observe/drive_signals.h"
#include "platter/observe/tag_signals.h"
#include "platter/observe/wave_file.h"

namespace platter::observe {

/// Watches an actuator of a drive and writes its signals to a wave file, with the first actuator also those of the queue's tags. Arm position
/// and spindle angle are sampled within the file's window.
class WaveProbe : public sc_core::sc_module, public drive::ProbeIf {
 public:
  SC_HAS_PROCESS(WaveProbe);
  /// To be constructed before the simulation starts. Drive and file must outlive the probe. After the run call `file.commit()`: without it no
  /// file remains. `scope`: name of the drive's scope in the file; the views in the folder `waves` expect "disk". `samples_per_turn`: samples of
  /// arm and spindle in a revolution. `policy` and `engine`: names to be shown. `actuator`: number below Drive::actuators(). Throws
  /// std::invalid_argument for 0 samples and for a loosely timed drive, and std::logic_error if the file is open.
  WaveProbe(const sc_core::sc_module_name& name, drive::Drive& drive, WaveFile& file, const std::string& scope,
            std::uint32_t samples_per_turn, const std::string& policy = "", const std::string& engine = "",
            std::uint32_t actuator = 0);
  ~WaveProbe() override;

  /// @cond of drive::ProbeIf
  void entered(const drive::ActuatorReport& report) override;
  void started(const drive::AccessReport& report) override;
  void staged(const drive::StageReport& report) override;
  void occupied(core::Picoseconds time, std::uint32_t commands) override;
  void prepared(core::Picoseconds time, std::uint32_t actuator, core::Picoseconds from) override;
  /// @endcond

 private:
  /// The drive is watched from this time before a window on: a watched drive takes more events of the kernel.
  static constexpr core::Picoseconds kLead = core::kPicosecondsPerSecond;

  void attach();
  void detach();
  void sample();
  void show_preparation();
  void show_stall() {
    view_.stalled = drive_.dispatcher(view_.actuator).stalled();
    show(kStalled);
  }
  void show(std::uint32_t events);
  void show_tag(std::uint32_t tag, drive::Stage stage, const command::Command& command);

  drive::Drive& drive_;
  bool attached_ = false;
  core::Picoseconds seen_ = 0;  ///< the last time in a window
  WaveFile& file_;
  WaveFile::Signals signals_;
  std::size_t first_tag_;  ///< row of the first tag
  DriveView view_;
  core::Picoseconds interval_;
  core::TimedCall begin_;
  sc_core::sc_event begin_event_;
  sc_core::sc_event prepared_event_;
  sc_core::sc_event stall_event_;
};

}  // namespace platter::observe
