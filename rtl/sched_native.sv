// SPDX-License-Identifier: Apache-2.0
//
// Scheduling accelerator behind a plain register port, for a design that has a bus of its own: sched_core, and the decoding of a write that
// sched_core wants with it. sched_top does the same ahead of the cycle, for AXI4-Lite (sched_join).
//
// Parameters: see sched_core.
// Latency:    none beside sched_core's; the decoding is in the path from wr_addr_i and wr_data_i.
// Handshake:  valid and ready; a write is accepted in the cycle in which both are high, wr_error_o is valid in it. wr_strb_i other
//             than 1111 is an error. What is offered and not accepted may be changed or withdrawn. Ready is high during reset, too, but what
//             is offered then is lost. Addresses have 12 bits. scan_en_i opens all clock gates. See sched_regs for when ready is high.

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
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             scan_en_i,

  input  logic             wr_valid_i,
  output logic             wr_ready_o,
  input  logic [AddrW-1:0] wr_addr_i,
  input  logic [31:0]      wr_data_i,
  input  logic [3:0]       wr_strb_i,
  output logic             wr_error_o,

  input  logic             rd_valid_i,
  output logic             rd_ready_o,
  input  logic [AddrW-1:0] rd_addr_i,
  output logic             rsp_valid_o,
  input  logic             rsp_ready_i,
  output logic [31:0]      rd_data_o,
  output logic             rd_error_o,

  output logic             busy_o,
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
    soft_reset: wr_valid_i && whole && wr_addr_i == sched_reg_pkg::ClearOffset && wr_data_i[sched_reg_pkg::ClearSoftResetLsb]
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
