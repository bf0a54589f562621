// SPDX-License-Identifier: Apache-2.0
//
// Proof: the clock gate of the bus has no visible effect. As in `gates`, two AXI4-Lite slaves are
// compared, here between the same master and the same register file, neither of which must keep any
// rule. One slave has its clock gate, with any scan_en_i. The other is built without a gate
// (sched_axil_open). The harness looks at ports only.

(* blackbox *)
module sched_axil_open
  import sched_pkg::*;
(
  // The ports are those of sched_axil: clk_i, rst_ni, scan_en_i and the following.
  input  logic             clk_i,
  // Synchronous reset, active low.
  input  logic             rst_ni,
  // Not used without a gate.
  input  logic             scan_en_i,
  // Write address: s_axil_awvalid_i, s_axil_awready_o, s_axil_awaddr_i.
  input  logic             s_axil_awvalid_i,
  output logic             s_axil_awready_o,
  input  logic [AddrW-1:0] s_axil_awaddr_i,
  // Write data: s_axil_wvalid_i, s_axil_wready_o, s_axil_wdata_i, s_axil_wstrb_i.
  input  logic             s_axil_wvalid_i,
  output logic             s_axil_wready_o,
  input  logic [31:0]      s_axil_wdata_i,
  input  logic [3:0]       s_axil_wstrb_i,
  // Write response: s_axil_bvalid_o, s_axil_bready_i, s_axil_bresp_o.
  output logic             s_axil_bvalid_o,
  input  logic             s_axil_bready_i,
  output logic [1:0]       s_axil_bresp_o,
  // Read address: s_axil_arvalid_i, s_axil_arready_o, s_axil_araddr_i.
  input  logic             s_axil_arvalid_i,
  output logic             s_axil_arready_o,
  input  logic [AddrW-1:0] s_axil_araddr_i,
  // Read response: s_axil_rvalid_o, s_axil_rready_i, s_axil_rdata_o, s_axil_rresp_o.
  output logic             s_axil_rvalid_o,
  input  logic             s_axil_rready_i,
  output logic [31:0]      s_axil_rdata_o,
  output logic [1:0]       s_axil_rresp_o,
  // Write at the register file: write_o, wr_ready_i, wr_bad_i, wr_refused_i.
  output write_t           write_o,
  input  logic             wr_ready_i,
  input  logic             wr_bad_i,
  input  logic             wr_refused_i,
  // Read at the register file: rd_valid_o, rd_ready_i, rd_addr_o.
  output logic             rd_valid_o,
  input  logic             rd_ready_i,
  output logic [AddrW-1:0] rd_addr_o,
  // Answer to a read: rsp_valid_i, rsp_ready_o, rd_data_i, rd_error_i.
  input  logic             rsp_valid_i,
  output logic             rsp_ready_o,
  input  logic [31:0]      rd_data_i,
  input  logic             rd_error_i
);
endmodule

module formal_gates_bus
  import sched_pkg::*;
(
  // Clock, rising edge.
  input logic             clk_i,
  // Synchronous reset, active low; any value after the first cycle.
  input logic             rst_ni,
  // Scan enable of the gate; any value.
  input logic             scan_en_i,

  // --- Master: any value in each cycle
  // AWVALID.
  input logic             awvalid_i,
  // AWADDR.
  input logic [AddrW-1:0] awaddr_i,
  // WVALID.
  input logic             wvalid_i,
  // WDATA.
  input logic [31:0]      wdata_i,
  // WSTRB.
  input logic [3:0]       wstrb_i,
  // BREADY.
  input logic             bready_i,
  // ARVALID.
  input logic             arvalid_i,
  // ARADDR.
  input logic [AddrW-1:0] araddr_i,
  // RREADY.
  input logic             rready_i,

  // --- Register file: any value in each cycle
  // It takes a write.
  input logic             wr_ready_i,
  // The write is an error, its tag aside.
  input logic             wr_bad_i,
  // The tag of the last write is refused.
  input logic             wr_refused_i,
  // It takes a read.
  input logic             rd_ready_i,
  // The answer to a read waits.
  input logic             rsp_valid_i,
  // Data of the answer.
  input logic [31:0]      rd_data_i,
  // The answer is an error.
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
    .s_axil_wvalid_i(wvalid_i), .s_axil_wready_o(wready[0]), .s_axil_wdata_i(wdata_i),
    .s_axil_wstrb_i(wstrb_i),
    .s_axil_bvalid_o(bvalid[0]), .s_axil_bready_i(bready_i), .s_axil_bresp_o(bresp[0]),
    .s_axil_arvalid_i(arvalid_i), .s_axil_arready_o(arready[0]), .s_axil_araddr_i(araddr_i),
    .s_axil_rvalid_o(rvalid[0]), .s_axil_rready_i(rready_i), .s_axil_rdata_o(rdata[0]),
    .s_axil_rresp_o(rresp[0]),
    .write_o(write[0]), .wr_ready_i, .wr_bad_i, .wr_refused_i, .rd_valid_o(rd_valid[0]),
    .rd_ready_i, .rd_addr_o(rd_addr[0]),
    .rsp_valid_i, .rsp_ready_o(rsp_ready[0]), .rd_data_i, .rd_error_i
  );

  sched_axil_open u_open (
    .clk_i, .rst_ni, .scan_en_i,
    .s_axil_awvalid_i(awvalid_i), .s_axil_awready_o(awready[1]), .s_axil_awaddr_i(awaddr_i),
    .s_axil_wvalid_i(wvalid_i), .s_axil_wready_o(wready[1]), .s_axil_wdata_i(wdata_i),
    .s_axil_wstrb_i(wstrb_i),
    .s_axil_bvalid_o(bvalid[1]), .s_axil_bready_i(bready_i), .s_axil_bresp_o(bresp[1]),
    .s_axil_arvalid_i(arvalid_i), .s_axil_arready_o(arready[1]), .s_axil_araddr_i(araddr_i),
    .s_axil_rvalid_o(rvalid[1]), .s_axil_rready_i(rready_i), .s_axil_rdata_o(rdata[1]),
    .s_axil_rresp_o(rresp[1]),
    .write_o(write[1]), .wr_ready_i, .wr_bad_i, .wr_refused_i, .rd_valid_o(rd_valid[1]),
    .rd_ready_i, .rd_addr_o(rd_addr[1]),
    .rsp_valid_i, .rsp_ready_o(rsp_ready[1]), .rd_data_i, .rd_error_i
  );

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    assume (started_q || !rst_ni);
    // A step is the state just before an edge. The clock is then low, and the gates' latches are
    // transparent.
    assume (!clk_i);
    if (started_q) begin
      a_same_ready: assert (awready[0] == awready[1] && wready[0] == wready[1] &&
                            arready[0] == arready[1]);
      a_same_write_response: assert (bvalid[0] == bvalid[1] &&
                                     (!bvalid[0] || bresp[0] == bresp[1]));
      a_same_read_response: assert (rvalid[0] == rvalid[1] && rdata[0] == rdata[1] &&
                                    rresp[0] == rresp[1]);
      a_same_write: assert (write[0].valid == write[1].valid &&
                            (!write[0].valid || write[0] == write[1]));
      a_same_kind: assert (write[0].kind == write[1].kind);
      a_same_read_port: assert (rd_valid[0] == rd_valid[1] && rd_addr[0] == rd_addr[1] &&
                                rsp_ready[0] == rsp_ready[1]);
    end
  end

endmodule
