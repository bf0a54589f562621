// SPDX-License-Identifier: Apache-2.0
//
// Proof: a clock gate passes a pulse of the clock whole or not at all. It does so if en_i or scan_en_i was high when the clock was last low.
// So with scan_en_i high every pulse passes, whatever en_i says. The clock is any signal here, and clk_i only counts steps. Looks at ports only.

module formal_clock_gate (
  input logic clk_i,
  input logic gate_clk_i,
  input logic en_i,
  input logic scan_en_i
);

  logic clk;
  logic low_q = 1'b0;   // the clock has been low
  logic open_q, scan_q; // when it was so last

  sched_clock_gate u_dut (.clk_i(gate_clk_i), .en_i, .scan_en_i, .clk_o(clk));

  always_ff @(posedge clk_i) begin
    if (!gate_clk_i) begin
      low_q <= 1'b1;
      open_q <= en_i || scan_en_i;
      scan_q <= scan_en_i;
      assert (!clk);
    end else if (low_q) begin
      assert (clk == open_q);
      assert (clk || !scan_q);
    end
  end

endmodule
