// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <systemc>

#include "platter/core/sc_time.h"
#include "platter/core/timed_call.h"
#include "platter/drive/controller.h"
#include "platter/drive/spindle.h"

namespace platter::drive {

/// Notified when the drive stops working, and when it accepts commands again after a loss of power.
class PowerSinkIf {
 public:
  virtual ~PowerSinkIf() = default;
  /// All activity in the drive has stopped; its commands are still in the queue, and end with `status`.
  virtual void power_lost(command::CommandStatus status) = 0;
  /// The drive accepts commands from now on.
  virtual void ready() = 0;
};

/// Whether the drive works: it has power, and it has not failed.
///
/// A *failure* is of the drive's electronics, by a register write, by a call, or at a configured time. The media, counters, token bucket, cache
/// switches and spindle stay as they were. A *loss of power* also interrupts the write in progress, stops the spindle, and loses what is not on the
/// media. After its return the drive spins up, makes its start-up scan, and is then ready.
class Power : public sc_core::sc_module {
 public:
  /// Times of a start.
  struct Start {
    Picoseconds scan = 0;   ///< reading what the mapping keeps on the media, from full speed on
    Picoseconds ready = 0;  ///< of the electronics, at the same time
  };
  /// `fails_at`: time of the failure; kNoDeadline: none is scheduled.
  Power(const sc_core::sc_module_name& name, Controller& controller, Spindle& spindle, const Start& start, Picoseconds fails_at)
      : sc_module(name),
        controller_(controller),
        spindle_(spindle),
        start_(start),
        failure_(core::Rank::Failure, [this] { set_alive(false); }),
        ready_(core::Rank::Tokens, [this] { become_ready(); }) {
    if (fails_at != core::kNoDeadline) failure_.at(fails_at);
  }
  void bind_sink(PowerSinkIf& sink) { sink_ = &sink; }
  /// Null: no energy is accounted.
  void set_energy(EnergyAccount* energy) { energy_ = energy; }

  /// It has power and has not failed: it receives commands, although it may not yet be ready to accept them.
  bool alive() const { return alive_ && on_; }
  bool on() const { return on_; }
  /// False while the drive starts: commands wait at its port.
  bool ready() const { return !starting_; }
  const Start& start() const { return start_; }
  /// Number of failures and losses of power so far.
  std::uint32_t failures() const { return failures_; }
  /// Number of losses of power so far.
  std::uint32_t losses() const { return losses_; }
  /// Must not be called from a probe's callback, and so the next two.
  void set_alive(bool alive) {
    const bool before = this->alive();
    alive_ = alive;
    if (before && !alive) stop();
    if (!before && this->alive()) begin();
  }
  /// The power fails.
  void cut() {
    if (!on_) return;
    controller_.lose_power();
    const bool before = alive();
    on_ = false;
    ++losses_;
    starting_ = false;
    ready_.cancel();
    spindle_.stop();
    if (before) stop();
  }
  /// The power returns.
  void restore() {
    if (on_) return;
    on_ = true;
    controller_.recover();
    starting_ = true;
    if (alive_) begin();
  }

  /// The firmware restarts: the commands in the drive end with Aborted, what only its buffer holds is lost, and it accepts commands `delay`
  /// later. Must not be called from a probe's callback, nor while the drive handles a command.
  void reset(Picoseconds delay) {
    if (!alive()) return;
    if (energy_ != nullptr) energy_->interrupted(core::now_ps());
    controller_.halt();
    if (starting_) delay = std::max(delay, ready_at_ - core::now_ps());
    starting_ = true;
    ready_in(delay);
    sink_->power_lost(command::CommandStatus::Aborted);
  }

 private:
  void stop() {
    if (energy_ != nullptr) energy_->set_on(core::now_ps(), false);
    ++failures_;
    ready_.cancel();  // a start that it interrupts begins again with the revival
    controller_.halt();
    sink_->power_lost(command::CommandStatus::DriveFailed);
  }
  void begin() {
    const Picoseconds now = core::now_ps();
    if (energy_ != nullptr) energy_->set_on(now, true);
    if (starting_)
      ready_in(spindle_.at_speed(now) - now + std::max(start_.scan, start_.ready));
    else
      controller_.scrubber().resume(now);
  }
  void ready_in(Picoseconds delay) {
    ready_.cancel();
    ready_at_ = core::now_ps() + delay;
    ready_.at(ready_at_);
  }
  void become_ready() {
    starting_ = false;
    controller_.scrubber().resume(core::now_ps());
    sink_->ready();
  }

  Controller& controller_;
  Spindle& spindle_;
  Start start_;
  PowerSinkIf* sink_ = nullptr;
  EnergyAccount* energy_ = nullptr;
  core::TimedCall failure_;
  core::TimedCall ready_;
  bool alive_ = true;
  bool on_ = true;
  bool starting_ = false;  ///< after a loss of power, or a restart of the firmware
  Picoseconds ready_at_ = 0;
  std::uint32_t failures_ = 0;
  std::uint32_t losses_ = 0;
};

}  // namespace platter::drive
