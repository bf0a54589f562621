// SPDX-License-Identifier: Apache-2.0
//
// One register of the register file: loads on we_i, becomes zero on reset.
//
// Parameters: Width (bits), Present (0: there is no such register, and q_o is zero).
// Latency:    one cycle from we_i to q_o.
// Handshake:  none; reset wins over we_i.

module sched_reg #(
  parameter int unsigned Width = 1,
  parameter bit          Present = 1'b1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             we_i,
  input  logic [Width-1:0] d_i,
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
