// SPDX-License-Identifier: Apache-2.0
//
// Proof: scan_en high opens every clock gate, in both tops. With SCHED_CLOCK_GATES and scan_en tied
// high, nothing of the gates is left after simplification: there is no latch, and the clock goes
// only to registers and memories (the selections of proofs.toml). So every register has the clock
// in every cycle, for any inputs and at any time. The proof `clock_gate` shows that a gate then
// passes its clock.
//
// Parameters:
//   OrderM    as in sched_core
//   Features  as in sched_core

module formal_scan
  import sched_pkg::*;
#(
  parameter int unsigned OrderM = 2,
  parameter int unsigned Features = 15
) (
  // Clock, rising edge.
  input  logic             clk_i,
  // Synchronous reset, active low.
  input  logic             rst_ni,

  // --- Inputs that both tops share
  // Every valid input.
  input  logic             valid_i,
  // Every ready input.
  input  logic             ready_i,
  // Every address.
  input  logic [AddrW-1:0] addr_i,
  // Data to write.
  input  logic [31:0]      data_i,
  // Byte strobes.
  input  logic [3:0]       strb_i,
  // Protection.
  input  logic [2:0]       prot_i,

  // --- Outputs, kept so that nothing is optimised away
  // Data read: platter_sched_axi, sched_native.
  output logic [1:0][31:0] data_o,
  // Other outputs of platter_sched_axi.
  output logic [7:0]       axi_o,
  // Other outputs of sched_native.
  output logic [5:0]       native_o,
  // Responses of platter_sched_axi.
  output logic [3:0]       resp_o
);

  platter_sched_axi #(
    .Entries(4), .Lanes(2), .OrderM(OrderM), .AngleW(12), .CylW(8), .SegM(2), .SegW(5),
    .Features(Features), .PrivilegedWrites(1'b1)
  ) u_axi (
    .aclk(clk_i), .aresetn(rst_ni), .scan_en(1'b1),
    .s_axi_awaddr(addr_i), .s_axi_awprot(prot_i), .s_axi_awvalid(valid_i), .s_axi_awready(axi_o[0]),
    .s_axi_wdata(data_i), .s_axi_wstrb(strb_i), .s_axi_wvalid(valid_i), .s_axi_wready(axi_o[1]),
    .s_axi_bresp(resp_o[1:0]), .s_axi_bvalid(axi_o[2]), .s_axi_bready(ready_i),
    .s_axi_araddr(addr_i), .s_axi_arprot(prot_i), .s_axi_arvalid(valid_i), .s_axi_arready(axi_o[3]),
    .s_axi_rdata(data_o[0]), .s_axi_rresp(resp_o[3:2]), .s_axi_rvalid(axi_o[4]),
    .s_axi_rready(ready_i),
    .busy(axi_o[5]), .irq(axi_o[6])
  );
  assign axi_o[7] = 1'b0;

  sched_native #(
    .Entries(4), .Lanes(2), .OrderM(OrderM), .AngleW(12), .CylW(8), .SegM(2), .SegW(5),
    .Features(Features)
  ) u_native (
    .clk_i, .rst_ni, .scan_en_i(1'b1), .wr_valid_i(valid_i), .wr_ready_o(native_o[0]),
    .wr_addr_i(addr_i), .wr_data_i(data_i), .wr_strb_i(strb_i),
    .wr_error_o(native_o[1]), .rd_valid_i(valid_i), .rd_ready_o(native_o[2]), .rd_addr_i(addr_i),
    .rsp_valid_o(native_o[3]), .rsp_ready_i(ready_i),
    .rd_data_o(data_o[1]), .rd_error_o(), .busy_o(native_o[4]), .irq_o(native_o[5])
  );

endmodule
