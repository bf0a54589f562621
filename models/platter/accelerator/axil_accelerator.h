// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "platter/accelerator/rtl_pins.h"
#include "platter/axi/axil_signals.h"

namespace platter::accelerator {

/// The Verilated accelerator as a module with its pins: clock, reset, AXI4-Lite slave, interrupt. Cycle-accurate; the clock must
/// run all the time. For a system that talks TLM, put an `axi::AxilBridge` before it, or take `AcceleratorTarget`, which is
/// much faster.
class AxilAccelerator : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(AxilAccelerator);
  explicit AxilAccelerator(const sc_core::sc_module_name& name);

  sc_core::sc_in<bool> clk_i;
  sc_core::sc_in<bool> rst_ni;
  axi::AxilSlavePorts s_axil;
  sc_core::sc_out<bool> irq_o;

 private:
  void evaluate();

  RtlPins pins_;
};

}  // namespace platter::accelerator
