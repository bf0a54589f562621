// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include "platter/core/sc_time.h"
#include "platter/drive/controller.h"

namespace platter::drive {

/// Told when the drive loses its power.
class PowerSinkIf {
 public:
  virtual ~PowerSinkIf() = default;
  /// Nothing is under way in the drive any more; its commands are still in the queue.
  virtual void power_lost() = 0;
};

/// Is the drive alive? It dies by a register, by a call, or at a time that was set, and comes back as when it was switched on, with its media
/// as they were.
class Power : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Power);
  /// `dies_at`: kNoDeadline: never of itself.
  Power(const sc_core::sc_module_name& name, Controller& controller, Picoseconds dies_at)
      : sc_module(name), controller_(controller) {
    if (dies_at == core::kNoDeadline) return;
    SC_METHOD(die);
    sensitive << death_;
    dont_initialize();
    death_.notify(core::to_sc_time(dies_at));
  }
  void bind_sink(PowerSinkIf& sink) { sink_ = &sink; }

  bool alive() const { return alive_; }
  /// How often it has died.
  std::uint32_t deaths() const { return deaths_; }
  /// Not from within a callback of the drive's probes.
  void set_alive(bool alive) {
    if (alive == alive_) return;
    alive_ = alive;
    if (alive) return;
    ++deaths_;
    controller_.halt();
    sink_->power_lost();
  }

 private:
  void die() { set_alive(false); }

  Controller& controller_;
  PowerSinkIf* sink_ = nullptr;
  sc_core::sc_event death_;
  bool alive_ = true;
  std::uint32_t deaths_ = 0;
};

}  // namespace platter::drive
