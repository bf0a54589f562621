// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "platter/accelerator/rtl_pins.h"
#include "platter/axi/axil_signals.h"

namespace platter::accelerator {

/// The Verilated accelerator as a module with its pins: clock, reset, AXI4-Lite slave, interrupt. It has 32 entries, 4 lanes, an
/// OrderM of 12 and all optional parts (Features 15). It is cycle-accurate. In a TLM system connect an axi::AxilBridge to it.
///
/// The clock may stop only while no access is under way and the accelerator is not busy; there is no pin that says so. If an
/// assertion of the RTL fails, the module reports an SC_ERROR of type "/platter/accelerator".
class AxilAccelerator : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(AxilAccelerator);
  /// Every port must be bound. Throws core::SimulationError in a build without RTL.
  explicit AxilAccelerator(const sc_core::sc_module_name& name);

  sc_core::sc_in<bool> clk_i;   ///< the rising edge counts
  sc_core::sc_in<bool> rst_ni;  ///< active low
  axi::AxilSlavePorts s_axil;   ///< the registers
  sc_core::sc_out<bool> irq_o;  ///< active high

 private:
  void evaluate();

  RtlPins pins_;
};

}  // namespace platter::accelerator
