// SPDX-License-Identifier: Apache-2.0
//
// The nearest cylinder: looks at one candidate in each cycle, and keeps the best one.
module nearest (
    input  logic        clk_i,
    input  logic        start_i,      // forget the candidates of the last decision
    input  logic        valid_i,      // a candidate stands at the next two inputs
    input  logic [23:0] cylinder_i,   // of its first block
    input  logic [ 9:0] tag_i,
    input  logic [23:0] head_i,       // cylinder of the arm
    output logic        found_o,      // there was a candidate
    output logic [ 9:0] tag_o         // of the nearest one; the first of equals
);
  logic [23:0] distance, best_q;
  assign distance = cylinder_i > head_i ? cylinder_i - head_i : head_i - cylinder_i;
  always_ff @(posedge clk_i) begin
    if (start_i) found_o <= 1'b0;
    else if (valid_i && (!found_o || distance < best_q)) begin
      found_o <= 1'b1;
      best_q  <= distance;
      tag_o   <= tag_i;
    end
  end
endmodule
