// SPDX-License-Identifier: Apache-2.0
//
// AXI4-Lite slave around the register file's port.
//
// Parameters: none.
// Latency:    an access is answered one cycle after it is accepted, and takes two cycles when the
//             master is ready.
// Handshake:  no output depends on an input of the same cycle. Address and data of a write are taken independently,
//             one each ahead (sched_join); the write is carried out in the first cycle in which both are at hand, the register file
//             is ready and no write response waits.

module sched_axil
  import sched_pkg::*;
(
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             scan_en_i,          // opens the clock gate

  // AXI4-Lite
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

  // Register file
  output write_t           write_o,
  input  logic             wr_ready_i,
  input  logic             wr_bad_i,          // with the write
  input  logic             wr_refused_i,      // after the write, until the next
  output logic             rd_valid_o,
  input  logic             rd_ready_i,
  output logic [AddrW-1:0] rd_addr_o,
  input  logic             rsp_valid_i,
  output logic             rsp_ready_o,
  input  logic [31:0]      rd_data_i,
  input  logic             rd_error_i
);

  // The clock stands still while no write is offered, held or answered. A read passes through.
  logic bus_clk;

  sched_clock_gate u_bus_clock (
    .clk_i,
    .en_i (s_axil_awvalid_i || s_axil_wvalid_i || !s_axil_awready_o || !s_axil_wready_o || s_axil_bvalid_o || !rst_ni),
    .scan_en_i,
    .clk_o(bus_clk)
  );

  // Write. The register file is not ready in the cycle after a write; a response that waits longer keeps the next one back.
  logic bad_q;

  sched_join u_join (
    .clk_i       (bus_clk),
    .rst_ni,
    .addr_valid_i(s_axil_awvalid_i),
    .addr_ready_o(s_axil_awready_o),
    .addr_i      (s_axil_awaddr_i),
    .data_valid_i(s_axil_wvalid_i),
    .data_ready_o(s_axil_wready_o),
    .data_i      (s_axil_wdata_i),
    .strb_i      (s_axil_wstrb_i),
    .hold_i      (s_axil_bvalid_o),
    .write_o,
    .ready_i     (wr_ready_i)
  );

  assign s_axil_bresp_o = (bad_q || wr_refused_i) ? RespSlvErr : RespOkay;

  always_ff @(posedge bus_clk) begin
    if (!rst_ni) begin
      s_axil_bvalid_o <= 1'b0;
      bad_q <= 1'b0;
    end else if (write_o.valid && wr_ready_i) begin
      s_axil_bvalid_o <= 1'b1;
      bad_q <= wr_bad_i;
    end else if (s_axil_bready_i) begin
      s_axil_bvalid_o <= 1'b0;
    end
  end

  // Read
  assign rd_valid_o = s_axil_arvalid_i;
  assign rd_addr_o = s_axil_araddr_i;
  assign s_axil_arready_o = rd_ready_i;
  assign s_axil_rvalid_o = rsp_valid_i;
  assign rsp_ready_o = s_axil_rready_i;
  assign s_axil_rdata_o = rd_data_i;
  assign s_axil_rresp_o = rd_error_i ? RespSlvErr : RespOkay;

endmodule
