// SPDX-License-Identifier: Apache-2.0
//
// Scheduling accelerator behind AXI4-Lite: sched_core with a bus slave around it.
//
// Parameters: see sched_core.
// Latency:    see sched_core.
// Handshake:  AXI4-Lite without PROT, see sched_axil; busy_o and irq_o are levels.

module sched_top
  import sched_pkg::*;
#(
  parameter int unsigned Entries = 32,
  parameter int unsigned Lanes = 4,
  parameter int unsigned OrderM = 6,
  parameter int unsigned AngleW = 16,
  parameter int unsigned CylW = 18,
  parameter int unsigned SegM = 5,
  parameter int unsigned SegW = 9,
  parameter int unsigned SeqW = 24,
  parameter int unsigned Features = 0
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             scan_en_i,          // opens the clock gates; low in operation

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

  output logic             busy_o,
  output logic             irq_o
);

  write_t           write;
  logic             wr_ready, wr_bad, wr_refused, unused_error;
  logic             rd_valid, rd_ready, rsp_valid, rsp_ready, rd_error;
  logic [AddrW-1:0] rd_addr;
  logic [31:0]      rd_data;

  sched_axil u_axil (
    .clk_i,
    .rst_ni,
    .scan_en_i,
    .s_axil_awvalid_i,
    .s_axil_awready_o,
    .s_axil_awaddr_i,
    .s_axil_wvalid_i,
    .s_axil_wready_o,
    .s_axil_wdata_i,
    .s_axil_wstrb_i,
    .s_axil_bvalid_o,
    .s_axil_bready_i,
    .s_axil_bresp_o,
    .s_axil_arvalid_i,
    .s_axil_arready_o,
    .s_axil_araddr_i,
    .s_axil_rvalid_o,
    .s_axil_rready_i,
    .s_axil_rdata_o,
    .s_axil_rresp_o,
    .write_o    (write),
    .wr_ready_i (wr_ready),
    .wr_bad_i   (wr_bad),
    .wr_refused_i(wr_refused),
    .rd_valid_o (rd_valid),
    .rd_ready_i (rd_ready),
    .rd_addr_o  (rd_addr),
    .rsp_valid_i(rsp_valid),
    .rsp_ready_o(rsp_ready),
    .rd_data_i  (rd_data),
    .rd_error_i (rd_error)
  );

  sched_core #(
    .Entries(Entries),
    .Lanes  (Lanes),
    .OrderM (OrderM),
    .AngleW (AngleW),
    .CylW   (CylW),
    .SegM   (SegM),
    .SegW   (SegW),
    .SeqW   (SeqW),
    .Features(Features)
  ) u_core (
    .clk_i,
    .rst_ni,
    .scan_en_i,
    .write_i    (write),
    .wr_ready_o (wr_ready),
    .wr_error_o (unused_error),
    .wr_bad_o   (wr_bad),
    .wr_refused_o(wr_refused),
    .rd_valid_i (rd_valid),
    .rd_ready_o (rd_ready),
    .rd_addr_i  (rd_addr),
    .rsp_valid_o(rsp_valid),
    .rsp_ready_i(rsp_ready),
    .rd_data_o  (rd_data),
    .rd_error_o (rd_error),
    .busy_o,
    .irq_o
  );

endmodule
