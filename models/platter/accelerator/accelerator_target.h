// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <systemc>
#include <tlm>

#include "platter/accelerator/bus_core.h"
#include "platter/command/tlm/register_target.h"
#include "platter/core/timed_call.h"

namespace platter::accelerator {

/// A scheduling accelerator as a TLM-2.0 target: the registers of docs/reference/scheduler_accelerator.md over 32-bit accesses,
/// and an interrupt. It is loosely timed: an access never waits; it adds its cycles to the delay (see command::RegisterTarget;
/// there is no debug transport). The core given to it determines the implementation (reference model, RTL, or both in lock-step).
///
/// An access that reaches the accelerator during its work (INSERT, REMOVE, SERVE, OP) is delayed until the work has ended. (The
/// RTL delays only writes, and not those to CLEAR. A bus master that waits for the interrupt after OP sees no difference.)
class AcceleratorTarget : public sc_core::sc_module {
 public:
  AcceleratorTarget(const sc_core::sc_module_name& name, std::unique_ptr<BusCoreIf> core, core::Picoseconds clock_period);

  using Registers = command::RegisterTarget<AcceleratorTarget>;

 private:
  friend Registers;
  Registers registers_;

 public:
  Registers::Socket& bus_tgt_socket;
  sc_core::sc_out<bool> irq_o;

  BusCoreIf& core() { return *core_; }
  const BusCoreIf& core() const { return *core_; }
  std::uint64_t access_cycles() const { return access_cycles_; }

 private:
  // Callbacks of `registers_`. RegisterTarget::b_transport alone calls it, for each access: the call itself would be a sixth of their time.
  [[gnu::always_inline]] inline tlm::tlm_response_status access(command::RegisterAccess& access);
  static bool look(std::uint32_t /*address*/, std::uint32_t& /*word*/) { return false; }

  void announce_irq(core::Picoseconds when);
  void raise_irq();

  std::unique_ptr<BusCoreIf> core_;
  core::Picoseconds clock_period_;
  core::Picoseconds busy_until_ = 0;
  bool irq_ = false;     ///< level of irq_o
  bool rising_ = false;  ///< rise_ has been asked for
  std::uint64_t access_cycles_ = 0;
  core::TimedCall rise_;
};

}  // namespace platter::accelerator
