// SPDX-License-Identifier: Apache-2.0
//
// The module gates a clock: it stops the clock of a part that is idle most of the time. The part's
// outputs are the same with and without the gate. The gate saves power, and time in a simulation.
// In simulation it is a latch and an AND gate. In synthesis (SYNTHESIS is defined) it is a wire
// from clk_i to clk_o, which suits an FPGA. In synthesis with SCHED_CLOCK_GATES it is a latch and
// an AND gate, which a library's gate cell replaces.
//
// Parameters: none.
// Latency:    None. An edge passes if en_i or scan_en_i was high while the clock was low before it.
// Handshake:  None. en_i and scan_en_i settle while the clock is low.

`ifdef SYNTHESIS
`ifndef SCHED_CLOCK_GATES
`define SCHED_NO_CLOCK_GATES
`endif
`endif

module sched_clock_gate (
  // Clock to gate.
  input  logic clk_i,
  // Clock enable: high while clk_i is low lets the next pulse pass.
  input  logic en_i,
  // Scan enable, sampled like en_i: every pulse passes, whatever en_i is. Low in operation.
  input  logic scan_en_i,
  // Gated clock.
  output logic clk_o
);

`ifdef SCHED_NO_CLOCK_GATES
  logic unused_en;
  assign unused_en = en_i ^ scan_en_i;
  assign clk_o = clk_i;
`else
  logic en_q;

  always_latch begin
    if (!clk_i) begin
      en_q = en_i || scan_en_i;
    end
  end

  assign clk_o = clk_i & en_q;
`endif

endmodule
