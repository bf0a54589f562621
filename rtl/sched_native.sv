// SPDX-License-Identifier: Apache-2.0
//
// The module is the scheduling accelerator behind a plain register port, for a design with a bus of
// its own. It contains sched_core and the decoding of a write that sched_core needs. sched_top does
// this decoding earlier, for AXI4-Lite (sched_join).
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
// Latency:    It adds no cycle to those of sched_core. The decoding is in the path from wr_addr_i
//             and wr_data_i.
// Handshake:  Both channels use valid and ready. A write is accepted in the cycle in which both are
//             high, and wr_error_o is valid in this cycle. wr_strb_i other than 1111 is an error.
//             An offer that is not accepted may be changed or withdrawn. wr_ready_o and rd_ready_o
//             are high during a reset, from its first clock edge on, but an offer is then lost.
//             Addresses have 12 bits. sched_regs says when ready is high.

module sched_native
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
  // Opens all clock gates, for a scan test; low in operation.
  input  logic             scan_en_i,

  // --- Writes
  // A write is offered.
  input  logic             wr_valid_i,
  // The write is accepted in this cycle if wr_valid_i is high.
  output logic             wr_ready_o,
  // Byte address, valid with wr_valid_i.
  input  logic [AddrW-1:0] wr_addr_i,
  // Data, valid with wr_valid_i.
  input  logic [31:0]      wr_data_i,
  // Byte strobes, valid with wr_valid_i; other than 1111 is an error.
  input  logic [3:0]       wr_strb_i,
  // The write is an error; valid in the cycle that accepts it.
  output logic             wr_error_o,

  // --- Reads
  // A read is offered.
  input  logic             rd_valid_i,
  // High while no answer waits: the read is accepted.
  output logic             rd_ready_o,
  // Byte address, valid with rd_valid_i.
  input  logic [AddrW-1:0] rd_addr_i,
  // The answer to a read waits. Rises in the cycle after the one that accepts the read.
  output logic             rsp_valid_o,
  // The master takes the answer in this cycle.
  input  logic             rsp_ready_i,
  // Data of the answer, valid with rsp_valid_o; zero for an error.
  output logic [31:0]      rd_data_o,
  // The read is an error, valid with rsp_valid_o.
  output logic             rd_error_o,

  // --- State
  // Work is under way (STATUS.BUSY), a level.
  output logic             busy_o,
  // Interrupt, a level: STATUS.DONE and CTRL.IRQ_EN.
  output logic             irq_o
);

  write_t write;
  logic   whole, unused_bad, unused_refused;

  assign whole = wr_strb_i == 4'b1111;
  assign write = '{
    valid: wr_valid_i,
    whole: whole,
    addr: wr_addr_i,
    kind: kind_of(wr_addr_i) & {$bits(kind_t){wr_valid_i}},
    data: wr_data_i,
    low: {2{wr_data_i[15:0]}},
    offered: 1'b1,
    usable: wr_valid_i && whole,
    good: wr_valid_i && whole,
    soft_reset: wr_valid_i && whole && wr_addr_i == sched_reg_pkg::ClearOffset &&
                wr_data_i[sched_reg_pkg::ClearSoftResetLsb]
  };

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
    .write_i(write),
    .wr_ready_o,
    .wr_error_o,
    .wr_bad_o      (unused_bad),
    .wr_refused_o  (unused_refused),
    .rd_valid_i,
    .rd_ready_o,
    .rd_addr_i,
    .rsp_valid_o,
    .rsp_ready_i,
    .rd_data_o,
    .rd_error_o,
    .busy_o,
    .irq_o
  );

endmodule
