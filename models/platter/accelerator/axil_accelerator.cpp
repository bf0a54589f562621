// SPDX-License-Identifier: Apache-2.0
#include "platter/accelerator/axil_accelerator.h"

#include "platter/core/error.h"

namespace platter::accelerator {

AxilAccelerator::AxilAccelerator(const sc_core::sc_module_name& name)
    : sc_module(name), clk_i("clk_i"), rst_ni("rst_ni"), s_axil("s_axil"), irq_o("irq_o") {
  SC_METHOD(evaluate);
  // The design must see the inputs as they are at the clock edge, so it is evaluated at every change of an input.
  sensitive << clk_i << rst_ni << s_axil.awvalid << s_axil.awaddr << s_axil.wvalid << s_axil.wdata << s_axil.wstrb
            << s_axil.bready << s_axil.arvalid << s_axil.araddr << s_axil.rready;
}

void AxilAccelerator::evaluate() {
  RtlPins::Inputs in;
  in.clk = clk_i.read();
  in.rst_n = rst_ni.read();
  in.awvalid = s_axil.awvalid.read();
  in.awaddr = s_axil.awaddr.read();
  in.wvalid = s_axil.wvalid.read();
  in.wdata = s_axil.wdata.read();
  in.wstrb = s_axil.wstrb.read();
  in.bready = s_axil.bready.read();
  in.arvalid = s_axil.arvalid.read();
  in.araddr = s_axil.araddr.read();
  in.rready = s_axil.rready.read();
  RtlPins::Outputs out;
  try {
    out = pins_.evaluate(in);
  } catch (const core::SimulationError& error) {
    SC_REPORT_ERROR("/platter/accelerator", error.what());
    return;
  }
  s_axil.awready.write(out.awready);
  s_axil.wready.write(out.wready);
  s_axil.bvalid.write(out.bvalid);
  s_axil.bresp.write(out.bresp);
  s_axil.arready.write(out.arready);
  s_axil.rvalid.write(out.rvalid);
  s_axil.rdata.write(out.rdata);
  s_axil.rresp.write(out.rresp);
  irq_o.write(out.irq);
}

}  // namespace platter::accelerator
