// SPDX-License-Identifier: Apache-2.0
//
// Proof: the bus's clock gate changes nothing that can be seen. As `gates`, for two AXI4-Lite slaves between the same master and the
// same register file, of which neither must keep any rule: one with its clock gate and any scan_en_i, one built without gate
// (sched_axil_open). Looks at ports only.

(* blackbox *)
module sched_axil_open
  import sched_pkg::*;
(
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             scan_en_i,
  input  logic             s_axil_awvalid_i,
  output logic             s_axil_awready_o,
  input  logic [AddrW-1:0] s_axil_awaddr_i,
  input  logic             s_axil_wvalid_i,
  output logic             s_axil_wready_o,
  input  logic [31:0]      s_axil_wdata_i,
  input  logic [3:0]       s_axil_wstrb_i,
  output logic             s_axil_bvalid_o,
  input  logic             s_axil_bready_i,
  output logic [1:0]       s_axil_bresp_o,
  input  logic             s_axil_arvalid_i,
  output logic             s_axil_arready_o,
  input  logic [AddrW-1:0] s_axil_araddr_i,
  output logic             s_axil_rvalid_o,
  input  logic             s_axil_rready_i,
  output logic [31:0]      s_axil_rdata_o,
  output logic [1:0]       s_axil_rresp_o,
  output write_t           write_o,
  input  logic             wr_ready_i,
  input  logic             wr_bad_i,
  input  logic             wr_refused_i,
  output logic             rd_valid_o,
  input  logic             rd_ready_i,
  output logic [AddrW-1:0] rd_addr_o,
  input  logic             rsp_valid_i,
  output logic             rsp_ready_o,
  input  logic [31:0]      rd_data_i,
  input  logic             rd_error_i
);
endmodule

module formal_gates_bus
  import sched_pkg::*;
(
  input logic             clk_i,
  input logic             rst_ni,
  input logic             scan_en_i,
  input logic             awvalid_i,
  input logic [AddrW-1:0] awaddr_i,
  input logic             wvalid_i,
  input logic [31:0]      wdata_i,
  input logic [3:0]       wstrb_i,
  input logic             bready_i,
  input logic             arvalid_i,
  input logic [AddrW-1:0] araddr_i,
  input logic             rready_i,
  input logic             wr_ready_i,
  input logic             wr_bad_i,
  input logic             wr_refused_i,
  input logic             rd_ready_i,
  input logic             rsp_valid_i,
  input logic [31:0]      rd_data_i,
  input logic             rd_error_i
);

  logic [1:0]            awready, wready, bvalid, arready, rvalid, rd_valid, rsp_ready;
  logic [1:0][1:0]       bresp, rresp;
  logic [1:0][31:0]      rdata;
  logic [1:0][AddrW-1:0] rd_addr;
  write_t [1:0]          write;
  logic                  started_q = 1'b0;

  sched_axil u_gated (
    .clk_i, .rst_ni, .scan_en_i,
    .s_axil_awvalid_i(awvalid_i), .s_axil_awready_o(awready[0]), .s_axil_awaddr_i(awaddr_i),
    .s_axil_wvalid_i(wvalid_i), .s_axil_wready_o(wready[0]), .s_axil_wdata_i(wdata_i), .s_axil_wstrb_i(wstrb_i),
    .s_axil_bvalid_o(bvalid[0]), .s_axil_bready_i(bready_i), .s_axil_bresp_o(bresp[0]),
    .s_axil_arvalid_i(arvalid_i), .s_axil_arready_o(arready[0]), .s_axil_araddr_i(araddr_i),
    .s_axil_rvalid_o(rvalid[0]), .s_axil_rready_i(rready_i), .s_axil_rdata_o(rdata[0]), .s_axil_rresp_o(rresp[0]),
    .write_o(write[0]), .wr_ready_i, .wr_bad_i, .wr_refused_i, .rd_valid_o(rd_valid[0]), .rd_ready_i, .rd_addr_o(rd_addr[0]),
    .rsp_valid_i, .rsp_ready_o(rsp_ready[0]), .rd_data_i, .rd_error_i
  );

  sched_axil_open u_open (
    .clk_i, .rst_ni, .scan_en_i,
    .s_axil_awvalid_i(awvalid_i), .s_axil_awready_o(awready[1]), .s_axil_awaddr_i(awaddr_i),
    .s_axil_wvalid_i(wvalid_i), .s_axil_wready_o(wready[1]), .s_axil_wdata_i(wdata_i), .s_axil_wstrb_i(wstrb_i),
    .s_axil_bvalid_o(bvalid[1]), .s_axil_bready_i(bready_i), .s_axil_bresp_o(bresp[1]),
    .s_axil_arvalid_i(arvalid_i), .s_axil_arready_o(arready[1]), .s_axil_araddr_i(araddr_i),
    .s_axil_rvalid_o(rvalid[1]), .s_axil_rready_i(rready_i), .s_axil_rdata_o(rdata[1]), .s_axil_rresp_o(rresp[1]),
    .write_o(write[1]), .wr_ready_i, .wr_bad_i, .wr_refused_i, .rd_valid_o(rd_valid[1]), .rd_ready_i, .rd_addr_o(rd_addr[1]),
    .rsp_valid_i, .rsp_ready_o(rsp_ready[1]), .rd_data_i, .rd_error_i
  );

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    assume (started_q || !rst_ni);
    // A step is what is there just before an edge: the clock is low, and the gates' latches let their enables through.
    assume (!clk_i);
    if (started_q) begin
      assert (awready[0] == awready[1] && wready[0] == wready[1] && arready[0] == arready[1]);
      assert (bvalid[0] == bvalid[1] && (!bvalid[0] || bresp[0] == bresp[1]));
      assert (rvalid[0] == rvalid[1] && rdata[0] == rdata[1] && rresp[0] == rresp[1]);
      assert (write[0].valid == write[1].valid && (!write[0].valid || write[0] == write[1]));
      assert (write[0].kind == write[1].kind);
      assert (rd_valid[0] == rd_valid[1] && rd_addr[0] == rd_addr[1] && rsp_ready[0] == rsp_ready[1]);
    end
  end

endmodule
