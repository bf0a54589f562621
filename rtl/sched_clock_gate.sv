// SPDX-License-Identifier: Apache-2.0
//
// Clock gate: the clock of a part that stands still most of the time. What leaves the part is the same with and without it; it saves
// power, and time in a simulation. Three targets:
//   simulation                          a latch and an AND
//   synthesis (SYNTHESIS)               none: clk_o is clk_i, as an FPGA wants it
//   synthesis with SCHED_CLOCK_GATES    a latch and an AND, which a library's gate cell replaces
//
// Parameters: none.
// Latency:    none; an edge passes if en_i or scan_en_i was high while the clock was low before it.
// Handshake:  none; en_i and scan_en_i settle while the clock is low.

`ifdef SYNTHESIS
`ifndef SCHED_CLOCK_GATES
`define SCHED_NO_CLOCK_GATES
`endif
`endif

module sched_clock_gate (
  input  logic clk_i,
  input  logic en_i,
  input  logic scan_en_i,   // the clock runs, whatever en_i says
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
