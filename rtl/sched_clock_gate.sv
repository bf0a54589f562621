// SPDX-License-Identifier: Apache-2.0
//
// Clock gate: the clock of a part that stands still most of the time. All registers behind it would hold their values
// without it, too; it saves power, and time in a simulation. An FPGA's synthesis (SYNTHESIS) does without.
//
// Parameters: none.
// Latency:    none; an edge passes if en_i was high while the clock was low before it.
// Handshake:  none; en_i settles while the clock is low.

module sched_clock_gate (
  input  logic clk_i,
  input  logic en_i,
  output logic clk_o
);

`ifdef SYNTHESIS
  logic unused_en;
  assign unused_en = en_i;
  assign clk_o = clk_i;
`else
  logic en_q;

  always_latch begin
    if (!clk_i) begin
      en_q = en_i;
    end
  end

  assign clk_o = clk_i & en_q;
`endif

endmodule
