// SPDX-License-Identifier: Apache-2.0
//
// Compiled for each variant: PLATTER_DUT_HEADER and PLATTER_DUT_CLASS name the Verilated class.
#include "dut.h"

#include PLATTER_DUT_HEADER

namespace platter::testing {
namespace {

class VerilatedDut final : public Dut {
 public:
  void eval() override {
    top_.clk_i = clk_i;
    top_.rst_ni = rst_ni;
    top_.s_axil_awvalid_i = s_axil_awvalid_i;
    top_.s_axil_awaddr_i = s_axil_awaddr_i;
    top_.s_axil_wvalid_i = s_axil_wvalid_i;
    top_.s_axil_wdata_i = s_axil_wdata_i;
    top_.s_axil_wstrb_i = s_axil_wstrb_i;
    top_.s_axil_bready_i = s_axil_bready_i;
    top_.s_axil_arvalid_i = s_axil_arvalid_i;
    top_.s_axil_araddr_i = s_axil_araddr_i;
    top_.s_axil_rready_i = s_axil_rready_i;
    top_.eval();
    s_axil_awready_o = top_.s_axil_awready_o;
    s_axil_wready_o = top_.s_axil_wready_o;
    s_axil_bvalid_o = top_.s_axil_bvalid_o;
    s_axil_bresp_o = top_.s_axil_bresp_o;
    s_axil_arready_o = top_.s_axil_arready_o;
    s_axil_rvalid_o = top_.s_axil_rvalid_o;
    s_axil_rdata_o = top_.s_axil_rdata_o;
    s_axil_rresp_o = top_.s_axil_rresp_o;
    irq_o = top_.irq_o;
    busy_o = top_.busy_o;
  }

 private:
  VerilatedContext context_;
  PLATTER_DUT_CLASS top_{&context_};
};

}  // namespace

std::unique_ptr<Dut> make_dut() { return std::make_unique<VerilatedDut>(); }

unsigned dut_seq_w() { return PLATTER_DUT_SEQ_W; }

}  // namespace platter::testing
