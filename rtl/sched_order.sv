// SPDX-License-Identifier: Apache-2.0
//
// The module finds the exact order of a cluster of requests: the path of least total cost from the
// head's place through all of them, open at its end. The method is Held and Karp's dynamic
// programme, in push form. Each bank belongs to one slot j. It holds a cost and a slot for each set
// of slots that contains j. The cost is the least one of serving the set with j as the last slot.
// The slot is the one before j. The sets are processed by size, one set a cycle. The row of a set
// is read once and gives an entry for every set with one more slot.
//
// Parameters:
//   M      most requests, 2 to 12
//   CostW  bits of a cost, 1 to 24
// Latency:    busy_o is high from the cycle after start_i. It stays high for 2^n + 8n - 8 cycles if
//             n >= 2, and for 9 cycles if n = 1. Neither M nor the costs matter. The result is
//             valid in the cycle after.
// Handshake:  Costs are written while busy_o is low, at the latest together with start_i, and stay.
//             Row cost_from_i < M is for hops from the end of that slot's request, row M for hops
//             from the head's place. The diagonal is not used. start_i is allowed only while busy_o
//             is low. It orders the slots below count_i (n, 1 to M). done_o is high in the last
//             busy cycle. order_o and total_o hold until the next start_i or clear_i, and have no
//             meaning while busy_o is high. clear_i is allowed in any cycle. In the next cycle
//             busy_o is low and the result is zero. A start_i beside clear_i is ignored.
// Limits:     The memories have no reset value.
//
// Several orders may have the least total (ties). The orderer gives the one with the lowest last
// slot, among those the one with the lowest last but one, and so on.

module sched_order #(
  parameter int unsigned M = 6,
  parameter int unsigned CostW = 20,
  localparam int unsigned SlotW = $clog2(M + 1),
  localparam int unsigned TotalW = CostW + 4
) (
  // Clock of the orderer, gated.
  input  logic                      clk_i,
  // Synchronous reset, active low.
  input  logic                      rst_ni,

  // End the run: in the next cycle busy_o is low and the result is zero.
  input  logic                      clear_i,
  // Find an order; only while busy_o is low.
  input  logic                      start_i,
  // Number of requests n, 1 to M, valid with start_i.
  input  logic [SlotW-1:0]          count_i,
  // A run is under way.
  output logic                      busy_o,
  // Last cycle of the run.
  output logic                      done_o,

  // Write a cost; only while busy_o is low.
  input  logic                      cost_we_i,
  // Slot where the hop begins, or M for the head; valid with cost_we_i.
  input  logic [SlotW-1:0]          cost_from_i,
  // Slot where the hop ends, valid with cost_we_i.
  input  logic [SlotW-1:0]          cost_to_i,
  // Cost of the hop, ticks, valid with cost_we_i.
  input  logic [CostW-1:0]          cost_i,

  // Slots in the best order: order_o[0] is served first, and entries from n on are zero.
  output logic [M-1:0][SlotW-1:0]   order_o,
  // Sum of the costs along this order, ticks.
  output logic [TotalW-1:0]         total_o
);

  if (M < 2 || M > 12) begin : g_bad_slots
    $error("sched_order: M must be 2 to 12");
  end
  if (CostW < 1 || CostW > 24) begin : g_bad_width
    $error("sched_order: CostW must be 1 to 24");
  end

  // Stages of a set, counted from the cycle in which it addresses the banks (stage 0). The register
  // after stage n feeds stage n + 1.
  localparam int unsigned StageRead = 1;   // the banks
  localparam int unsigned StageRow = 2;    // the row travels from the memories to the adders
  localparam int unsigned StageSum = 3;    // adds one hop
  localparam int unsigned StagePair = 4;   // least of two
  localparam int unsigned StageFour = 5;   // least of four
  localparam int unsigned StageLeast = 6;  // least of all; written to the banks
  // After them: the results of the last level, from which the best so far is selected.

  localparam int unsigned LevelWait = StageLeast;
  localparam int unsigned LastWait = StageLeast + 1;
  localparam int unsigned WaitW = 3;

  // An entry of a bank and a node of the trees: {cost, slot before}
  localparam int unsigned NodeW = TotalW + SlotW;
  localparam int unsigned AddrW = M - 1;

  // Candidates of a column (every slot but its own), and how many are left after each level
  localparam int unsigned Leaves = (M > 1) ? M - 1 : 1;
  localparam int unsigned Pairs = (Leaves + 1) / 2;
  localparam int unsigned Fours = (Pairs + 1) / 2;

  // Sets of one size in cool-lex order. Take the shortest prefix (from slot 0 up) that ends in 01,
  // and one slot more. This prefix is rotated by one, and its last bit becomes the first. If there
  // is no such prefix, the whole set is rotated. The first set has the lowest slots. The last set
  // has the topmost slot, and otherwise the lowest.
  function automatic logic [M-1:0] next_of(logic [M-1:0] set, logic [M-1:0] full);
    logic [M-1:0] rise, result;
    logic [M:0]   beyond;
    logic         seen, past;
    rise = set & ~((set << 1) | M'(1));
    beyond = {1'b1, set | ~full};
    seen = 1'b0;
    past = 1'b0;
    result = '0;
    for (int unsigned i = 1; i < M; i++) begin
      result[i] = past ? set[i] : set[i-1];
      result[0] = result[0] | (rise[i] & ~seen & beyond[i+1]);
      past = seen;
      seen = seen | rise[i];
    end
    return result & full;
  endfunction

  // The first n slots
  function automatic logic [M-1:0] first_slots(logic [SlotW-1:0] n);
    for (int unsigned i = 0; i < M; i++) begin
      first_slots[i] = SlotW'(i) < n;
    end
  endfunction

  function automatic logic [M-1:0] one_slot(logic [SlotW-1:0] slot);
    for (int unsigned i = 0; i < M; i++) begin
      one_slot[i] = slot == SlotW'(i);
    end
  endfunction

  // A set without the bit of slot j. This is the address in bank j of a set that contains j, and of
  // a set that is about to get j.
  function automatic logic [AddrW-1:0] without(logic [M-1:0] set, int unsigned j);
    logic [M-1:0] low;
    low = (M'(1) << j) - M'(1);
    return AddrW'((set & low) | ((set >> 1) & ~low));
  endfunction

  // The least of two or three nodes; the first of equal ones
  function automatic logic [NodeW-1:0] least2(logic [NodeW-1:0] a, logic [NodeW-1:0] b);
    return (b[NodeW-1:SlotW] < a[NodeW-1:SlotW]) ? b : a;
  endfunction

  function automatic logic [NodeW-1:0] least3(logic [NodeW-1:0] a, logic [NodeW-1:0] b,
                                              logic [NodeW-1:0] c);
    logic b_a, c_a, c_b;
    b_a = b[NodeW-1:SlotW] < a[NodeW-1:SlotW];
    c_a = c[NodeW-1:SlotW] < a[NodeW-1:SlotW];
    c_b = c[NodeW-1:SlotW] < b[NodeW-1:SlotW];
    return (c_a && c_b) ? c : b_a ? b : a;
  endfunction

  // Control. After each level the orderer waits until the level's entries are in the banks. After
  // the last set of slots it reads the rows of the full set, with which it begins to trace the path
  // back.
  logic             issue_q, back_q, odd_q, alone_q;
  logic [M-1:0]     set_q, first_q, first_d, full_q;
  logic [WaitW-1:0] wait_q;
  logic [SlotW-1:0] left_q;
  logic             level_end, last_level, wait_end, push;

  assign first_d = (first_q << 1) | M'(1);
  assign level_end = (set_q & (first_q >> 1)) == (first_q >> 1) &&
                     |(set_q & full_q & ~(full_q >> 1));
  assign last_level = alone_q || first_q == (full_q >> 1);
  assign wait_end = wait_q == WaitW'(1);
  assign push = back_q && !odd_q;
  assign done_o = push && left_q == SlotW'(1);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_o <= 1'b0;
      issue_q <= 1'b0;
      back_q <= 1'b0;
      odd_q <= 1'b0;
      wait_q <= '0;
    end else if (clear_i) begin
      busy_o <= 1'b0;
      issue_q <= 1'b0;
      back_q <= 1'b0;
      odd_q <= 1'b0;
      wait_q <= '0;
    end else if (start_i) begin
      busy_o <= 1'b1;
      issue_q <= 1'b1;
      back_q <= 1'b0;
      odd_q <= 1'b0;
      wait_q <= '0;
    end else if (issue_q) begin
      issue_q <= !level_end;
      wait_q <= last_level ? WaitW'(LastWait) : WaitW'(LevelWait);
    end else if (back_q) begin
      busy_o <= !done_o;
      back_q <= !done_o;
      odd_q <= !odd_q && !done_o;
    end else if (busy_o) begin
      issue_q <= wait_end && !last_level;
      back_q <= wait_end && last_level;
      wait_q <= wait_q - WaitW'(1);
    end
  end

  logic [SlotW-1:0] slot_q;

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      set_q <= M'(1);
      first_q <= M'(1);
      full_q <= first_slots(count_i);
      alone_q <= count_i == SlotW'(1);
      left_q <= count_i;
    end else if (issue_q) begin
      set_q <= !level_end ? next_of(set_q, full_q) : last_level ? full_q : set_q;
    end else if (back_q) begin
      if (push) begin
        set_q <= set_q & ~one_slot(slot_q);
        left_q <= left_q - SlotW'(1);
      end
    end else if (wait_end && !last_level) begin
      set_q <= first_d;
      first_q <= first_d;
    end
  end

  // Which stages hold a set, and which set
  logic [StageLeast:StageRead]        en_q;
  logic [StageLeast:StageRead][M-1:0] set_stage_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      en_q <= '0;
    end else if (clear_i) begin
      en_q <= '0;
    end else begin
      en_q <= {en_q[StageLeast-1:StageRead], issue_q};
    end
  end

  always_ff @(posedge clk_i) begin
    set_stage_q <= {set_stage_q[StageLeast-1:StageRead], set_q};
  end

  // Banks. Address 0 of bank j is the set of j alone: it holds the cost from the head.
  logic [NodeW-1:0] row   [M];
  logic [NodeW-1:0] least [M];

  for (genvar j = 0; j < M; j++) begin : g_bank
    logic [NodeW-1:0] mem [2**AddrW];
    logic [NodeW-1:0] read_q, row_q, write_data;
    logic [AddrW-1:0] write_addr;
    logic             head_we, write;

    assign head_we = cost_we_i && cost_from_i == SlotW'(M) && cost_to_i == SlotW'(j);
    assign write = head_we || (en_q[StageLeast] && !set_stage_q[StageLeast][j]);
    assign write_addr = without(set_stage_q[StageLeast], j) & {AddrW{en_q[StageLeast]}};
    assign write_data = en_q[StageLeast] ? least[j] : {TotalW'(cost_i), SlotW'(0)};

    always_ff @(posedge clk_i) begin
      if (write) begin
        mem[write_addr] <= write_data;
      end
    end

    always_ff @(posedge clk_i) begin
      read_q <= mem[without(set_q, j)];
    end

    always_ff @(posedge clk_i) begin
      row_q <= read_q;
    end

    assign row[j] = row_q;
  end

  // Columns: the least sum of an entry of the row and the hop from its slot to this one. A slot
  // outside the set counts as more than any path.
  for (genvar j = 0; j < M; j++) begin : g_column
    logic [NodeW-1:0] least_q;

    for (genvar l = 0; l < Leaves; l++) begin : g_leaf
      localparam int unsigned From = (l < j) ? l : l + 1;
      logic [CostW-1:0] cost_q;
      logic [NodeW-1:0] sum_q;

      always_ff @(posedge clk_i) begin
        if (cost_we_i && cost_from_i == SlotW'(From) && cost_to_i == SlotW'(j)) begin
          cost_q <= cost_i;
        end
      end

      always_ff @(posedge clk_i) begin
        if (en_q[StageRow]) begin
          if (set_stage_q[StageRow][From]) begin
            sum_q <= {row[From][NodeW-1:SlotW] + TotalW'(cost_q), SlotW'(From)};
          end else begin
            sum_q <= {{TotalW{1'b1}}, SlotW'(From)};
          end
        end
      end
    end

    for (genvar l = 0; l < Pairs; l++) begin : g_pair
      logic [NodeW-1:0] pair_q;

      always_ff @(posedge clk_i) begin
        if (en_q[StageSum]) begin
          pair_q <= (2 * l + 1 < Leaves)
                    ? least2(g_leaf[2*l].sum_q, g_leaf[(2*l+1)%Leaves].sum_q)
                    : g_leaf[2*l].sum_q;
        end
      end
    end

    for (genvar l = 0; l < Fours; l++) begin : g_four
      logic [NodeW-1:0] four_q;

      always_ff @(posedge clk_i) begin
        if (en_q[StagePair]) begin
          four_q <= (2 * l + 1 < Pairs)
                    ? least2(g_pair[2*l].pair_q, g_pair[(2*l+1)%Pairs].pair_q)
                    : g_pair[2*l].pair_q;
        end
      end
    end

    always_ff @(posedge clk_i) begin
      if (en_q[StageFour]) begin
        least_q <= (Fours == 1) ? g_four[0].four_q :
                   (Fours == 2) ? least2(g_four[0].four_q, g_four[Fours-1].four_q) :
                   least3(g_four[0].four_q, g_four[1%Fours].four_q, g_four[Fours-1].four_q);
      end
    end

    assign least[j] = least_q;
  end

  // In the last level each set lacks one slot. The result is the least cost with that slot as the
  // last. For a single slot it is the cost from the head.
  logic              end_en_q;
  logic [TotalW-1:0] end_cost, end_cost_q;
  logic [SlotW-1:0]  end_slot, end_slot_q;
  logic [M-1:0]      end_select;

  assign end_select = full_q & ~set_stage_q[StageLeast];

  always_comb begin
    end_cost = row[0][NodeW-1:SlotW] & {TotalW{alone_q}};
    end_slot = '0;
    for (int unsigned i = 0; i < M; i++) begin
      end_cost = end_cost | (least[i][NodeW-1:SlotW] & {TotalW{end_select[i]}});
      end_slot = end_slot | (SlotW'(i) & {SlotW{end_select[i]}});
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      end_en_q <= 1'b0;
    end else begin
      end_en_q <= en_q[StageLeast] && last_level && !clear_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_q[StageLeast]) begin
      end_cost_q <= end_cost;
      end_slot_q <= end_slot;
    end
  end

  // The best of them, then the path back. In one cycle a slot goes to the front of the order and
  // leaves the set. In the next cycle, the row that was read two steps before gives the slot before
  // it.
  logic [SlotW-1:0] previous;
  logic             better;

  assign better = {end_cost_q, end_slot_q} < {total_o, slot_q};

  always_comb begin
    previous = '0;
    for (int unsigned i = 0; i < M; i++) begin
      previous = previous | (row[i][SlotW-1:0] & {SlotW{slot_q == SlotW'(i)}});
    end
  end

  always_ff @(posedge clk_i) begin
    if (end_en_q && better) begin
      slot_q <= end_slot_q;
    end else if (back_q && odd_q) begin
      slot_q <= previous;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      total_o <= '0;
      order_o <= '0;
    end else if (clear_i) begin
      total_o <= '0;
      order_o <= '0;
    end else if (start_i) begin
      total_o <= '1;
      order_o <= '0;
    end else if (end_en_q && better) begin
      total_o <= end_cost_q;
    end else if (push) begin
      order_o <= {order_o[M-2:0], slot_q};
    end
  end

endmodule
