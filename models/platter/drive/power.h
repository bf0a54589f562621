// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include "platter/core/sc_time.h"
#include "platter/core/timed_call.h"
#include "platter/drive/controller.h"

namespace platter::drive {

/// Notified when the drive loses its power.
class PowerSinkIf {
 public:
  virtual ~PowerSinkIf() = default;
  /// All activity in the drive has stopped; its commands are still in the queue, and end with `status`.
  virtual void power_lost(command::CommandStatus status) = 0;
  /// The drive accepts commands again.
  virtual void ready() = 0;
};

/// Whether the drive works or has failed. It fails by a register write, by a call, or at a configured time. When it is revived,
/// it is in its power-on state, except for the media, counters, token bucket, cache switches and spindle, which stay as they were.
class Power : public sc_core::sc_module {
 public:
  /// `fails_at`: time of the failure; kNoDeadline: none is scheduled.
  Power(const sc_core::sc_module_name& name, Controller& controller, Picoseconds fails_at)
      : sc_module(name),
        controller_(controller),
        failure_(core::Rank::Failure, [this] { set_alive(false); }),
        ready_(core::Rank::Tokens, [this] { become_ready(); }) {
    if (fails_at != core::kNoDeadline) failure_.at(fails_at);
  }
  void bind_sink(PowerSinkIf& sink) { sink_ = &sink; }
  /// Null: no energy is accounted.
  void set_energy(EnergyAccount* energy) { energy_ = energy; }

  bool alive() const { return alive_; }
  /// Number of failures so far.
  std::uint32_t failures() const { return failures_; }
  /// Must not be called from a probe's callback.
  void set_alive(bool alive) {
    if (alive == alive_) return;
    alive_ = alive;
    if (energy_ != nullptr) energy_->set_on(core::now_ps(), alive);
    if (alive) return;
    ++failures_;
    starting_ = false;
    ready_.cancel();
    controller_.halt();
    sink_->power_lost(command::CommandStatus::DriveFailed);
  }
  /// The firmware restarts: the commands in the drive end with Aborted, what only its buffer holds is lost, and it accepts commands `delay`
  /// later. Must not be called from a probe's callback, nor while the drive handles a command.
  void reset(Picoseconds delay) {
    if (!alive_) return;
    controller_.halt();
    starting_ = true;
    ready_.cancel();
    ready_.in(delay);
    sink_->power_lost(command::CommandStatus::Aborted);
  }
  /// False while the drive starts: commands wait at its port.
  bool ready() const { return !starting_; }

 private:
  void become_ready() {
    starting_ = false;
    sink_->ready();
  }

  Controller& controller_;
  PowerSinkIf* sink_ = nullptr;
  EnergyAccount* energy_ = nullptr;
  core::TimedCall failure_;
  core::TimedCall ready_;
  bool alive_ = true;
  bool starting_ = false;  ///< after a restart of the firmware
  std::uint32_t failures_ = 0;
};

}  // namespace platter::drive
