// SPDX-License-Identifier: Apache-2.0
//
// The module holds one register of the register file. It loads d_i on we_i and becomes zero on a
// reset.
//
// Parameters:
//   Width    bits, at least 1
//   Present  0: the register does not exist, and q_o is zero
// Latency:    q_o follows we_i after one cycle.
// Handshake:  None. A reset has priority over we_i.

module sched_reg #(
  parameter int unsigned Width = 1,
  parameter bit          Present = 1'b1
) (
  // Clock, rising edge.
  input  logic             clk_i,
  // Synchronous reset, active low: q_o becomes zero.
  input  logic             rst_ni,
  // Write enable: q_o takes d_i at the end of the cycle.
  input  logic             we_i,
  // Value to load, valid with we_i.
  input  logic [Width-1:0] d_i,
  // Value of the register.
  output logic [Width-1:0] q_o
);

  if (Width < 1) begin : g_bad_width
    $error("sched_reg: Width must be at least 1");
  end

  if (Present) begin : g_present
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        q_o <= '0;
      end else if (we_i) begin
        q_o <= d_i;
      end
    end
  end else begin : g_absent
    logic unused;
    assign unused = ^{clk_i, rst_ni, we_i, d_i};
    assign q_o = '0;
  end

endmodule
