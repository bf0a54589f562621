// SPDX-License-Identifier: Apache-2.0
//
// Proof: a clock gate passes a pulse of the clock whole or not at all. It passes the pulse if en_i
// or scan_en_i was high when the clock was last low. So with scan_en_i high every pulse passes,
// whatever en_i is. The clock is any signal here, and clk_i only counts steps. The harness looks at
// ports only.

module formal_clock_gate (
  // Counts the steps of the proof.
  input logic clk_i,

  // --- Any value in each step
  // Clock to gate.
  input logic gate_clk_i,
  // Clock enable.
  input logic en_i,
  // Scan enable.
  input logic scan_en_i
);

  logic clk;
  logic low_q = 1'b0;   // the clock has been low
  logic open_q, scan_q; // the enables when the clock was last low

  sched_clock_gate u_dut (.clk_i(gate_clk_i), .en_i, .scan_en_i, .clk_o(clk));

  always_ff @(posedge clk_i) begin
    if (!gate_clk_i) begin
      low_q <= 1'b1;
      open_q <= en_i || scan_en_i;
      scan_q <= scan_en_i;
      a_low_while_clock_low: assert (!clk);
    end else if (low_q) begin
      a_whole_pulse_or_none: assert (clk == open_q);
      a_scan_passes: assert (clk || !scan_q);
    end
  end

endmodule
