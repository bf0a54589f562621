// SPDX-License-Identifier: Apache-2.0
#include "platter/observe/wave_probe.h"

#include "platter/core/sc_time.h"

namespace platter::observe {

using core::now_ps;

WaveProbe::WaveProbe(const sc_core::sc_module_name& name, drive::Drive& drive, WaveFile& file, const std::string& scope,
                     std::uint32_t samples_per_turn)
    : sc_module(name),
      drive_(drive),
      file_(file),
      signals_(file.add(scope, params::rows_of(drive_signals()))),
      view_{drive},
      interval_(drive.spindle().rotation().period() / samples_per_turn) {
  view_.access.deadline = core::kNoDeadline;
  drive_.add_probe(*this);
  SC_METHOD(sample);
  SC_METHOD(show_preparation);
  sensitive << prepared_event_;
  dont_initialize();
  SC_METHOD(show_stall);
  sensitive << stall_event_;
  dont_initialize();
}

WaveProbe::~WaveProbe() { drive_.remove_probe(*this); }

void WaveProbe::show(std::uint32_t events) {
  view_.now = now_ps();
  file_.set(signals_, drive_signals(), view_, events, view_.now);
}

void WaveProbe::entered(const drive::ActuatorReport& report) {
  view_.report = report;
  const bool stalled = drive_.dispatcher().stalled();
  if (stalled) stall_event_.notify(sc_core::SC_ZERO_TIME);  // a decision that is ready takes no time
  show(stalled ? kEntered : kEntered | kStalled);
}

void WaveProbe::started(const drive::AccessReport& report) {
  view_.access = report;
  show(kStarted);
}

void WaveProbe::occupied(core::Picoseconds /*time*/, std::uint32_t commands) {
  view_.occupancy = commands;
  show(kOccupied);
}

void WaveProbe::prepared(core::Picoseconds /*time*/, std::uint32_t /*actuator*/, core::Picoseconds from) {
  view_.prepared_from = from;
  prepared_event_.cancel();
  show_preparation();
}

void WaveProbe::show_preparation() {
  show(kPrepared);
  if (view_.prepared_from > view_.now && view_.prepared_from != core::kNoDeadline)
    prepared_event_.notify(core::to_sc_time(view_.prepared_from - view_.now));
}

void WaveProbe::sample() {
  const core::Picoseconds now = now_ps();
  file_.arm();
  if (file_.wants(now)) {
    show(kSampled);
    next_trigger(core::to_sc_time(interval_));
  } else if (now < file_.from()) {
    next_trigger(core::to_sc_time(file_.from() - now));
  }
}

}  // namespace platter::observe
