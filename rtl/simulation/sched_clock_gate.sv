// SPDX-License-Identifier: Apache-2.0
//
// Clock gate of the fast simulation, in which both edges of a clock count. The output toggles with
// the input while the gate is open. It toggles at once (a blocking assignment), so the registers
// behind it are clocked together with those of clk_i.
//
// Parameters: none.
// Latency:    None.
// Handshake:  None. en_i and scan_en_i are sampled before the edge.

module sched_clock_gate (
  // Clock to gate; both edges count.
  input  logic clk_i,
  // Clock enable: the next edge passes.
  input  logic en_i,
  // Scan enable: every edge passes, whatever en_i is.
  input  logic scan_en_i,
  // Gated clock.
  output logic clk_o
);

  initial clk_o = 1'b0;

  /* verilator lint_off BLKSEQ */
  always @(edge clk_i) begin
    if (en_i || scan_en_i) begin
      clk_o = !clk_o;
    end
  end
  /* verilator lint_on BLKSEQ */

endmodule
