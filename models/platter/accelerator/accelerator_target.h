// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>
#include <memory>
#include <systemc>
#include <tlm>

#include "platter/accelerator/bus_core.h"

namespace platter::accelerator {

/// A scheduling accelerator as a TLM-2.0 target: the registers of docs/reference/scheduler_accelerator.md over 32-bit
/// accesses, and an interrupt. Loosely timed: an access never waits, it adds its cycles to the delay. The make (reference model,
/// RTL, both in lock-step) is the core that it is given.
///
/// An access that reaches the accelerator while work is under way (INSERT, REMOVE, SERVE, OP) is held until the work
/// has ended. (The RTL holds writes only, and not those to CLEAR; a bus master that waits for the interrupt after OP
/// sees no difference.)
class AcceleratorTarget : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(AcceleratorTarget);
  AcceleratorTarget(const sc_core::sc_module_name& name, std::unique_ptr<BusCoreIf> core, core::Picoseconds clock_period);

  tlm_utils::simple_target_socket<AcceleratorTarget> bus_tgt_socket;
  sc_core::sc_out<bool> irq_o;

  BusCoreIf& core() { return *core_; }
  const BusCoreIf& core() const { return *core_; }
  std::uint64_t access_cycles() const { return access_cycles_; }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void announce_irq(core::Picoseconds in);
  void raise_irq();

  std::unique_ptr<BusCoreIf> core_;
  core::Picoseconds clock_period_;
  core::Picoseconds busy_until_ = 0;
  bool irq_ = false;     ///< level of irq_o
  bool rising_ = false;  ///< irq_event_ is under way
  std::uint64_t access_cycles_ = 0;
  sc_core::sc_event irq_event_;
};

}  // namespace platter::accelerator
