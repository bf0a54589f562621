// SPDX-License-Identifier: Apache-2.0
//
// Like rtl_core.cpp, this file includes the Verilated class but not SystemC.
#include "platter/accelerator/rtl_pins.h"

#include <verilated.h>

#ifndef PLATTER_VSCHED
#define PLATTER_VSCHED Vplatter_sched
#define PLATTER_VSCHED_HEADER "Vplatter_sched.h"
#endif
#include PLATTER_VSCHED_HEADER

#include "platter/core/error.h"

namespace platter::accelerator {

struct RtlPins::Design {
  Design() {
    VerilatedContext* const other = Verilated::threadContextp();
    Verilated::threadContextp(&context);
    context.fatalOnError(false);
    context.errorLimit(1);
    top = std::make_unique<PLATTER_VSCHED>(&context, "sched");
    Verilated::threadContextp(other);
  }
  ~Design() {
    // A model removes its scopes from the thread's current context, which may belong to another model.
    Verilated::threadContextp(&context);
    top->final();
    top.reset();
    Verilated::threadContextp(Verilated::defaultContextp());
  }

  VerilatedContext context;
  std::unique_ptr<PLATTER_VSCHED> top;
};

RtlPins::RtlPins() : design_(std::make_unique<Design>()) {}

RtlPins::~RtlPins() = default;

RtlPins::Outputs RtlPins::evaluate(const Inputs& inputs) {
  PLATTER_VSCHED& top = *design_->top;
  constexpr std::uint32_t kAddressMask = (1u << kAddressBits) - 1;
  top.clk_i = inputs.clk;
  top.rst_ni = inputs.rst_n;
  top.s_axil_awvalid_i = inputs.awvalid;
  top.s_axil_awaddr_i = static_cast<std::uint16_t>(inputs.awaddr & kAddressMask);
  top.s_axil_wvalid_i = inputs.wvalid;
  top.s_axil_wdata_i = inputs.wdata;
  top.s_axil_wstrb_i = static_cast<std::uint8_t>(inputs.wstrb & 0xF);
  top.s_axil_bready_i = inputs.bready;
  top.s_axil_arvalid_i = inputs.arvalid;
  top.s_axil_araddr_i = static_cast<std::uint16_t>(inputs.araddr & kAddressMask);
  top.s_axil_rready_i = inputs.rready;
  // A failed assertion is recorded in the thread's context, which another design may be using.
  VerilatedContext* const other = Verilated::threadContextp();
  Verilated::threadContextp(&design_->context);
  top.eval();
  Verilated::threadContextp(other);
  if (design_->context.gotError()) throw core::SimulationError("an assertion of the RTL failed, see the message above");
  Outputs outputs;
  outputs.awready = top.s_axil_awready_o != 0;
  outputs.wready = top.s_axil_wready_o != 0;
  outputs.bvalid = top.s_axil_bvalid_o != 0;
  outputs.bresp = top.s_axil_bresp_o;
  outputs.arready = top.s_axil_arready_o != 0;
  outputs.rvalid = top.s_axil_rvalid_o != 0;
  outputs.rdata = top.s_axil_rdata_o;
  outputs.rresp = top.s_axil_rresp_o;
  outputs.irq = top.irq_o != 0;
  return outputs;
}

}  // namespace platter::accelerator
