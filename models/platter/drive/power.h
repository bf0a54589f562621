// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include "platter/core/timed_call.h"
#include "platter/drive/controller.h"

namespace platter::drive {

/// Notified when the drive loses its power.
class PowerSinkIf {
 public:
  virtual ~PowerSinkIf() = default;
  /// All activity in the drive has stopped; its commands are still in the queue.
  virtual void power_lost() = 0;
};

/// Whether the drive works or has failed. It fails by a register write, by a call, or at a configured time. When it is revived,
/// it is in its power-on state, except for the media, counters, token bucket, cache switches and spindle, which stay as they were.
class Power : public sc_core::sc_module {
 public:
  /// `fails_at`: time of the failure; kNoDeadline: none is scheduled.
  Power(const sc_core::sc_module_name& name, Controller& controller, Picoseconds fails_at)
      : sc_module(name), controller_(controller), failure_(core::Rank::Failure, [this] { set_alive(false); }) {
    if (fails_at != core::kNoDeadline) failure_.at(fails_at);
  }
  void bind_sink(PowerSinkIf& sink) { sink_ = &sink; }

  bool alive() const { return alive_; }
  /// Number of failures so far.
  std::uint32_t failures() const { return failures_; }
  /// Must not be called from a probe's callback.
  void set_alive(bool alive) {
    if (alive == alive_) return;
    alive_ = alive;
    if (alive) return;
    ++failures_;
    controller_.halt();
    sink_->power_lost();
  }

 private:
  Controller& controller_;
  PowerSinkIf* sink_ = nullptr;
  core::TimedCall failure_;
  bool alive_ = true;
  std::uint32_t failures_ = 0;
};

}  // namespace platter::drive
