// SPDX-License-Identifier: Apache-2.0
//
// Proof: one run of the orderer, from memories of any content. The result is a permutation whose
// costs have the given sum. No other order has a smaller sum, and among orders of equal sum it is
// the one that the tie rule names. The run takes the documented cycles. The harness looks at ports
// only.
//
// Parameters:
//   M      as in sched_order
//   CostW  as in sched_order

module formal_order #(
  parameter int unsigned M = 3,
  parameter int unsigned CostW = 4,
  localparam int unsigned SlotW = $clog2(M + 1),
  localparam int unsigned TotalW = CostW + 4
) (
  // Clock, rising edge.
  input logic                          clk_i,

  // --- Constants of any value
  // Number of requests, 1 to M.
  input logic [SlotW-1:0]              count_i,
  // Cost of each hop, by [slot where it begins, M: the head][slot where it ends].
  input logic [M:0][M-1:0][CostW-1:0]  cost_i,
  // An order to compare with.
  input logic [M-1:0][SlotW-1:0]       other_i
);

  localparam int unsigned Writes = M * (M + 1);
  localparam int unsigned Cycles [5] = '{0, 9, 12, 24, 40};

  logic [7:0]              cycle_q = '0;
  logic                    started_q = 1'b0;
  logic                    start, we, busy, done;
  logic [SlotW-1:0]        from, to;
  logic [M-1:0][SlotW-1:0] order;
  logic [TotalW-1:0]       total;

  // First the reset, then the costs, one a cycle, then the run
  assign we = cycle_q >= 8'd1 && cycle_q < 8'(1 + Writes);
  assign from = SlotW'((cycle_q - 8'd1) / 8'(M));
  assign to = SlotW'((cycle_q - 8'd1) % 8'(M));
  assign start = cycle_q == 8'(Writes);

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    cycle_q <= cycle_q + 8'd1;
  end

  sched_order #(.M(M), .CostW(CostW)) u_dut (
    .clk_i, .rst_ni(cycle_q != '0), .clear_i(1'b0), .start_i(start), .count_i(count_i),
    .busy_o(busy), .done_o(done),
    .cost_we_i(we), .cost_from_i(from), .cost_to_i(to), .cost_i(cost_i[from][to]), .order_o(order),
    .total_o(total)
  );

  function automatic logic permutation(logic [M-1:0][SlotW-1:0] path);
    logic [M-1:0] seen;
    seen = '0;
    permutation = 1'b1;
    for (int unsigned i = 0; i < M; i++) begin
      if (SlotW'(i) < count_i) begin
        permutation = permutation && path[i] < count_i && !seen[path[i]];
        seen[path[i]] = 1'b1;
      end else begin
        permutation = permutation && path[i] == '0;
      end
    end
  endfunction

  function automatic logic [TotalW-1:0] sum(logic [M-1:0][SlotW-1:0] path);
    sum = TotalW'(cost_i[M][path[0]]);
    for (int unsigned i = 1; i < M; i++) begin
      if (SlotW'(i) < count_i) begin
        sum = sum + TotalW'(cost_i[path[i-1]][path[i]]);
      end
    end
  endfunction

  // The slots as one number. Its most significant digit is the last request's slot.
  function automatic logic [M*SlotW-1:0] backwards(logic [M-1:0][SlotW-1:0] path);
    backwards = '0;
    for (int unsigned i = 0; i < M; i++) begin
      if (SlotW'(i) < count_i) begin
        backwards = backwards | ((M * SlotW)'(path[i]) << (i * SlotW));
      end
    end
  endfunction

  logic [7:0] length;
  assign length = 8'(Cycles[count_i]);

  always_ff @(posedge clk_i) begin
    assume (count_i >= SlotW'(1) && count_i <= SlotW'(M));
    assume (permutation(other_i));
    if (started_q) begin
      assume ($stable({count_i, cost_i, other_i}));
    end
    if (cycle_q > 8'(Writes)) begin
      a_busy_cycles: assert (busy == (cycle_q <= 8'(Writes) + length));
      a_done_cycle: assert (done == (cycle_q == 8'(Writes) + length));
    end
    if (cycle_q == 8'(Writes + 1) + length) begin
      a_is_permutation: assert (permutation(order));
      a_total_matches: assert (total == sum(order));
      a_total_least: assert (total <= sum(other_i));
      a_tie_rule: assert (total != sum(other_i) || backwards(order) <= backwards(other_i));
    end
    if (cycle_q == 8'(Writes + 2) + length) begin
      a_result_stable: assert ($stable({order, total}) && !busy);
    end
  end

endmodule
