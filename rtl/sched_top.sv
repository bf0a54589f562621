// SPDX-License-Identifier: Apache-2.0
//
// The module is the scheduling accelerator behind AXI4-Lite: sched_core with the bus slave
// sched_axil in front of it.
//
// Parameters:
//   Entries   entries of the command table, 4 to 256, a multiple of Lanes
//   Lanes     entries evaluated in a cycle: 1, 2, 4, 8 or 16
//   OrderM    most commands whose best order is found, 2 to 12, at most Entries; 0: no orderer
//   AngleW    one turn is 2^AngleW ticks, 12 to 20
//   CylW      bits of a cylinder number, 8 to 18
//   SegM      mantissa bits that index the cells of the seek table, 2 to 5
//   SegW      2^SegW segments of the seek table, SegW at most 10, at least one segment a cell
//   SeqW      bits of an insertion number; keep 24 (2 to 23 are for a test, see sched_core)
//   Features  optional parts, a sum: 1 ageing, 2 look-ahead, 4 limits, 8 zero latency; 0: none
// Latency:    An access takes the cycles of sched_axil, and an operation those of sched_core.
// Handshake:  The bus is AXI4-Lite without PROT, see sched_axil. busy_o and irq_o are levels.

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
  // Clock, rising edge.
  input  logic             clk_i,
  // Synchronous reset, active low.
  input  logic             rst_ni,
  // Opens the clock gates, for a scan test; low in operation.
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

  // --- State
  // Work is under way (STATUS.BUSY), a level.
  output logic             busy_o,
  // Interrupt, a level: STATUS.DONE and CTRL.IRQ_EN.
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
