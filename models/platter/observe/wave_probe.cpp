// SPDX-License-Identifier: Apache-2.0
#include "platter/observe/wave_probe.h"

#include <stdexcept>

#include "platter/core/sc_time.h"

namespace platter::observe {

using core::now_ps;

namespace {

/// The signals of the drive itself.
const std::vector<params::Signal<DriveView>>& own_signals(const drive::Drive& drive) {
  static const std::vector<params::Signal<DriveView>> with_power = [] {
    std::vector<params::Signal<DriveView>> all = drive_signals();
    all.insert(all.end(), power_signals().begin(), power_signals().end());
    return all;
  }();
  return drive.energy() != nullptr ? with_power : drive_signals();
}

/// The drive's signals, then with the first actuator those of its tags.
std::vector<params::SignalRow> rows(const drive::Drive& drive, std::uint32_t actuator) {
  std::vector<params::SignalRow> all = params::rows_of(own_signals(drive));
  if (actuator > 0) return all;
  const std::vector<params::SignalRow> tags = tag_signals(drive.queue().depth());
  all.insert(all.end(), tags.begin(), tags.end());
  return all;
}

std::uint32_t at_least_one(std::uint32_t samples_per_turn) {
  if (samples_per_turn == 0) throw std::invalid_argument("a wave probe needs at least one sample in a turn");
  return samples_per_turn;
}

}  // namespace

WaveProbe::WaveProbe(const sc_core::sc_module_name& name, drive::Drive& drive, WaveFile& file, const std::string& scope,
                     std::uint32_t samples_per_turn, const std::string& policy, const std::string& engine,
                     std::uint32_t actuator)
    : sc_module(name),
      drive_(drive),
      file_(file),
      signals_(file.add(scope, rows(drive, actuator))),
      first_tag_(own_signals(drive).size()),
      view_{drive, actuator},
      interval_(drive.spindle().rotation().period() / at_least_one(samples_per_turn)),
      begin_(core::Rank::Watch, [this] { begin_event_.notify(); }) {
  if (drive.loosely_timed())
    throw std::invalid_argument("a loosely timed drive cannot be shown in waves, whose samples are at the kernel's time");
  view_.access.deadline = core::kNoDeadline;
  view_.policy = policy;
  view_.engine = engine;
  if (file_.next_from(-1) <= kLead) attach();
  SC_METHOD(sample);
  sensitive << begin_event_;
  dont_initialize();
  begin_.now();
  SC_METHOD(show_preparation);
  sensitive << prepared_event_;
  dont_initialize();
  SC_METHOD(show_stall);
  sensitive << stall_event_;
  dont_initialize();
}

WaveProbe::~WaveProbe() { detach(); }

void WaveProbe::attach() {
  if (attached_) return;
  attached_ = true;
  drive_.add_probe(*this);
  const drive::ActuatorUnit& unit = drive_.actuator(view_.actuator);
  view_.report = {now_ps(),          unit.number(), unit.doing(), unit.state().cylinder.value, unit.state().head.value,
                  unit.current_tag()};
  view_.occupancy = drive_.queue().occupancy();
  show(kAttached);
  for (const drive::QueueEntry& entry : drive_.queue().entries()) show_tag(entry.tag.value, entry.stage, entry.asked);
}

void WaveProbe::detach() {
  if (attached_) drive_.remove_probe(*this);
  attached_ = false;
}

void WaveProbe::show(std::uint32_t events) {
  view_.now = now_ps();
  file_.set(signals_, own_signals(drive_), view_, events, view_.now);
}

void WaveProbe::entered(const drive::ActuatorReport& report) {
  if (report.actuator != view_.actuator) return;
  view_.report = report;
  const bool stalled = drive_.dispatcher(view_.actuator).stalled();
  if (stalled)
    stall_event_.notify(sc_core::SC_ZERO_TIME);  // a decision that is ready takes no time
  else
    view_.stalled = false;
  show(stalled ? kEntered : kEntered | kStalled);
}

void WaveProbe::started(const drive::AccessReport& report) {
  if (report.actuator != view_.actuator) return;
  view_.access = report;
  show(kStarted);
}

void WaveProbe::staged(const drive::StageReport& report) {
  view_.now = report.time;
  show_tag(report.tag, report.stage, report.command);
}

void WaveProbe::show_tag(std::uint32_t tag, drive::Stage stage, const command::Command& command) {
  if (view_.actuator > 0) return;
  const bool used = stage != drive::Stage::Free;
  file_.set(signals_, first_tag_ + text_row(tag),
            used ? command_text(command, drive_.planner().geometry().sector_bytes()) : std::string(), view_.now);
  file_.set(signals_, first_tag_ + stage_row(tag), static_cast<std::uint64_t>(stage), view_.now);
}

void WaveProbe::occupied(core::Picoseconds /*time*/, std::uint32_t commands) {
  view_.occupancy = commands;
  show(kOccupied);
}

void WaveProbe::prepared(core::Picoseconds /*time*/, std::uint32_t actuator, core::Picoseconds from) {
  if (actuator != view_.actuator) return;
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
    seen_ = now;
    show(kSampled);
    next_trigger(core::to_sc_time(interval_));
    return;
  }
  const core::Picoseconds from = file_.next_from(now);
  if (from != core::kNoDeadline && from - now <= kLead) {
    attach();
    next_trigger(core::to_sc_time(from - now));
  } else if (attached_ && now - seen_ < kLead) {
    next_trigger(core::to_sc_time(kLead));  // the next event writes the last values of the window
  } else {
    detach();
    if (from != core::kNoDeadline) next_trigger(core::to_sc_time(from - now - kLead));
  }
}

}  // namespace platter::observe
