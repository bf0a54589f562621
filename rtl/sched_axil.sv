// SPDX-License-Identifier: Apache-2.0
//
// The module connects the register file's port to AXI4-Lite, as a slave. sched_top puts it in front
// of sched_core.
//
// Parameters: none.
// Latency:    An access is answered one cycle after it is accepted. It takes two cycles if the
//             master is ready.
// Handshake:  The bus is AXI4-Lite without PROT. No output depends on an input of the same cycle.
//             Address and data of a write are taken independently, one of each ahead (sched_join).
//             The write is carried out in the first cycle in which both are available, the register
//             file is ready and no write response waits.
// Limits:     One access a direction is under way at a time. While a write response waits, the
//             address and the data of one more write can be held.

module sched_axil
  import sched_pkg::*;
(
  // Clock, rising edge.
  input  logic             clk_i,
  // Synchronous reset, active low.
  input  logic             rst_ni,
  // Opens the clock gate, for a scan test; low in operation.
  input  logic             scan_en_i,

  // --- AXI4-Lite
  // AWVALID: the master offers a write address.
  input  logic             s_axil_awvalid_i,
  // AWREADY: high while no write address is held.
  output logic             s_axil_awready_o,
  // AWADDR: byte address, valid with AWVALID.
  input  logic [AddrW-1:0] s_axil_awaddr_i,
  // WVALID: the master offers write data.
  input  logic             s_axil_wvalid_i,
  // WREADY: high while no write data are held.
  output logic             s_axil_wready_o,
  // WDATA: data, valid with WVALID.
  input  logic [31:0]      s_axil_wdata_i,
  // WSTRB: byte strobes, valid with WVALID; other than 1111 is an error.
  input  logic [3:0]       s_axil_wstrb_i,
  // BVALID: a write response waits. Rises in the cycle after the one that carries out the write.
  output logic             s_axil_bvalid_o,
  // BREADY: the master takes the write response.
  input  logic             s_axil_bready_i,
  // BRESP: OKAY (00) or SLVERR (10), valid with BVALID.
  output logic [1:0]       s_axil_bresp_o,
  // ARVALID: the master offers a read address.
  input  logic             s_axil_arvalid_i,
  // ARREADY: high while no read response waits.
  output logic             s_axil_arready_o,
  // ARADDR: byte address, valid with ARVALID.
  input  logic [AddrW-1:0] s_axil_araddr_i,
  // RVALID: a read response waits. Rises in the cycle after the one that accepts the read.
  output logic             s_axil_rvalid_o,
  // RREADY: the master takes the read response.
  input  logic             s_axil_rready_i,
  // RDATA: the register's value in the cycle that accepted the read, valid with RVALID.
  output logic [31:0]      s_axil_rdata_o,
  // RRESP: OKAY (00) or SLVERR (10), valid with RVALID.
  output logic [1:0]       s_axil_rresp_o,

  // --- Register file
  // The joined and decoded write.
  output write_t           write_o,
  // The register file takes the write in this cycle if write_o.valid is high.
  input  logic             wr_ready_i,
  // The write is an error for another reason than its tag; valid in the cycle that accepts it.
  input  logic             wr_bad_i,
  // The write's tag is refused; valid from the cycle after the write until the next one.
  input  logic             wr_refused_i,
  // A read is offered.
  output logic             rd_valid_o,
  // The register file accepts a read in this cycle.
  input  logic             rd_ready_i,
  // Byte address, valid with rd_valid_o.
  output logic [AddrW-1:0] rd_addr_o,
  // The answer to a read waits.
  input  logic             rsp_valid_i,
  // The master takes the answer in this cycle.
  output logic             rsp_ready_o,
  // Data of the answer, valid with rsp_valid_i.
  input  logic [31:0]      rd_data_i,
  // The answer is an error (SLVERR), valid with rsp_valid_i.
  input  logic             rd_error_i
);

  // The clock of the write side stops while no write is offered, held or answered. Reads have no
  // register here.
  logic bus_clk;

  sched_clock_gate u_bus_clock (
    .clk_i,
    .en_i (s_axil_awvalid_i || s_axil_wvalid_i ||
           !s_axil_awready_o || !s_axil_wready_o || s_axil_bvalid_o || !rst_ni),
    .scan_en_i,
    .clk_o(bus_clk)
  );

  // Write. The register file is not ready in the cycle after a write. A response that waits longer
  // keeps the next write waiting.
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
