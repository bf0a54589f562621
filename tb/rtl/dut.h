// SPDX-License-Identifier: Apache-2.0
//
// The pins of sched_top without the Verilated class behind them: the tests are compiled once and linked with each variant of the design.
#pragma once

#include <cstdint>
#include <memory>

namespace platter::testing {

class Dut {
 public:
  virtual ~Dut() = default;
  virtual void eval() = 0;

  std::uint8_t clk_i = 0;
  std::uint8_t rst_ni = 0;
  std::uint8_t scan_en_i = 0;  // changes while the clock is low
  std::uint8_t s_axil_awvalid_i = 0;
  std::uint8_t s_axil_awready_o = 0;
  std::uint16_t s_axil_awaddr_i = 0;
  std::uint8_t s_axil_awprot_i = 1;  // privileged and secure; pins of a variant with protection
  std::uint8_t s_axil_wvalid_i = 0;
  std::uint8_t s_axil_wready_o = 0;
  std::uint32_t s_axil_wdata_i = 0;
  std::uint8_t s_axil_wstrb_i = 0;
  std::uint8_t s_axil_bvalid_o = 0;
  std::uint8_t s_axil_bready_i = 0;
  std::uint8_t s_axil_bresp_o = 0;
  std::uint8_t s_axil_arvalid_i = 0;
  std::uint8_t s_axil_arready_o = 0;
  std::uint16_t s_axil_araddr_i = 0;
  std::uint8_t s_axil_rvalid_o = 0;
  std::uint8_t s_axil_rready_i = 0;
  std::uint32_t s_axil_rdata_o = 0;
  std::uint8_t s_axil_rresp_o = 0;
  std::uint8_t irq_o = 0;
  std::uint8_t busy_o = 0;
};

/// The variant that this executable is linked with.
std::unique_ptr<Dut> make_dut();

/// It refuses writes that are not privileged and secure (platter_sched_axi).
bool dut_protects();

/// Bits of its insertion numbers, which no register tells.
unsigned dut_seq_w();

}  // namespace platter::testing
