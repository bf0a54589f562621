// SPDX-License-Identifier: Apache-2.0
#include "platter/observe/wave_probe.h"

#include "platter/core/sc_time.h"

namespace platter::observe {

using core::now_ps;

WaveProbe::WaveProbe(const sc_core::sc_module_name& name, drive::Drive& drive, WaveFile& file,
                     std::uint32_t samples_per_turn)
    : sc_module(name),
      drive_(drive),
      file_(file),
      interval_(drive.spindle().rotation().period() / samples_per_turn) {
  drive.set_observer(this);
  SC_METHOD(sample);
  SC_METHOD(show_preparation);
  sensitive << prepared_event_;
  dont_initialize();
  SC_METHOD(show_stall);
  sensitive << stall_event_;
  dont_initialize();
}

void WaveProbe::state_changed(drive::ControllerState state) {
  const core::Picoseconds now = now_ps();
  file_.set(WaveSignal::State, static_cast<std::uint64_t>(state), now);
  const int tag = drive_.actuator().current_tag();
  file_.set(WaveSignal::Busy, std::uint64_t{tag >= 0}, now);
  if (drive_.dispatcher().stalled())
    stall_event_.notify(sc_core::SC_ZERO_TIME);  // a decision that is there takes no time
  else
    file_.set(WaveSignal::Stall, std::uint64_t{0}, now);
  file_.set(WaveSignal::Cylinder, std::uint64_t{drive_.actuator().arm().cylinder_at(now)}, now);
  file_.set(WaveSignal::Head, std::uint64_t{drive_.actuator().state().head.value}, now);
  file_.set(WaveSignal::SlackMs, deadline_ == core::kNoDeadline ? 0.0 : core::to_milliseconds(deadline_ - now), now);
}

void WaveProbe::occupancy_changed(std::uint32_t occupancy) {
  file_.set(WaveSignal::Occupancy, std::uint64_t{occupancy}, now_ps());
}

void WaveProbe::access_started(const drive::Slot& slot) {
  const core::Picoseconds now = now_ps();
  file_.set(WaveSignal::Tag, std::uint64_t{slot.command.tag.value}, now);
  file_.set(WaveSignal::Class, static_cast<std::uint64_t>(slot.command.cls), now);
  deadline_ = slot.command.deadline;
}

void WaveProbe::preparation_changed(core::Picoseconds from) {
  prepared_from_ = from;
  prepared_event_.cancel();
  show_preparation();
}

void WaveProbe::show_preparation() {
  const core::Picoseconds now = now_ps();
  file_.set(WaveSignal::Prepared, std::uint64_t{prepared_from_ <= now}, now);
  if (prepared_from_ > now && prepared_from_ != core::kNoDeadline)
    prepared_event_.notify(core::to_sc_time(prepared_from_ - now));
}

void WaveProbe::show_stall() { file_.set(WaveSignal::Stall, std::uint64_t{drive_.dispatcher().stalled()}, now_ps()); }

void WaveProbe::sample() {
  const core::Picoseconds now = now_ps();
  file_.arm();
  if (file_.wants(now)) {
    file_.set(WaveSignal::Angle, static_cast<double>(drive_.spindle().angle_at(now)) * 0x1p-32, now);
    file_.set(WaveSignal::Cylinder, std::uint64_t{drive_.actuator().arm().cylinder_at(now)}, now);
    next_trigger(core::to_sc_time(interval_));
  } else if (now < file_.from()) {
    next_trigger(core::to_sc_time(file_.from() - now));
  }
}

}  // namespace platter::observe
