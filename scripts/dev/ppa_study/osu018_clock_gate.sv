// SPDX-License-Identifier: Apache-2.0
//
// rtl/sched_clock_gate.sv in cells of the OSU library, which has no cell for a clock gate. It is a
// latch that is open while the clock is low, and an AND. scripts/ppa power reads it instead of the
// module of the RTL.

module sched_clock_gate (
  input  logic clk_i,
  input  logic en_i,
  input  logic scan_en_i,
  output logic clk_o
);
  logic clk_n, en_q;
  INVX1  u_inverter (.A(clk_i), .Y(clk_n));
  LATCH  u_latch (.CLK(clk_n), .D(en_i | scan_en_i), .Q(en_q));
  AND2X2 u_and (.A(clk_i), .B(en_q), .Y(clk_o));
endmodule

(* blackbox *) module INVX1 (input A, output Y); endmodule
(* blackbox *) module LATCH (input CLK, input D, output Q); endmodule
(* blackbox *) module AND2X2 (input A, input B, output Y); endmodule
