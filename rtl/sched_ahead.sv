// SPDX-License-Identifier: Apache-2.0
//
// The module looks ahead for a decision. For the candidates of least key, one after another, it
// works out the cost of the next accesses after the candidate. It gives the candidate with the
// least total. It stops as soon as no remaining candidate can have a lower total, because its key
// alone is as high.
//
// Parameters:
//   Entries  entries of the table, 4 to 256
//   AngleW   bits of an angle, 12 to 20
// Latency:    From start_i to done_o it takes ahead_begin cycles. Each examined candidate adds
//             ahead_candidate, and each of its accesses ahead adds ahead_access. Each further
//             search adds ahead_search, and ahead_end too if it ends the look-ahead. These names
//             are those of the cycle table in docs/reference/scheduler_accelerator.md.
// Handshake:  start_i comes in the last cycle of the decision's own pass. The unit then starts
//             passes with pass_start_o, which end with pass_done_i. The outcome of a pass (found_*)
//             is valid from the cycle after its last one until the next pass ends. done_o is high
//             in the last cycle of the look-ahead. The configuration is stable meanwhile. A reset
//             ends the look-ahead.

module sched_ahead
  import sched_pkg::*;
  import sched_reg_pkg::*;
#(
  parameter int unsigned Entries = 32,
  parameter int unsigned AngleW = 16,
  localparam int unsigned KeyW = key_w(AngleW),
  localparam int unsigned TotalW = total_w(AngleW)
) (
  // Clock, rising edge.
  input  logic               clk_i,
  // Reset or soft reset, synchronous, active low.
  input  logic               rst_ni,

  // Start a look-ahead, in the last cycle of the decision's own pass.
  input  logic               start_i,
  // AHEAD.MOST: most candidates to examine, at least 1.
  input  logic [CountW-1:0]  most_i,
  // AHEAD.DEPTH: accesses ahead of each, at least 1; more than 4 count as 4.
  input  logic [AheadDepthWidth-1:0] depth_i,
  // AHEAD_SHARE: weight of each access ahead in the total, in 1/256.
  input  logic [AheadMost-1:0][AheadShareFirstWidth-1:0] share_i,
  // Last cycle of the look-ahead.
  output logic               done_o,

  // --- Passes
  // Start a pass.
  output logic               pass_start_o,
  // Send the row of fetch_tag_o into stage 0, two cycles before a pass from its end.
  output logic               fetch_o,
  // Entry whose end is needed, valid with fetch_o.
  output logic [TagW-1:0]    fetch_tag_o,
  // The pass goes from an entry's end; from the cycle before pass_start_o to the cycle after
  // pass_done_i.
  output logic               ahead_o,
  // Entries that do not take part in the pass, one bit a tag.
  output logic [Entries-1:0] exclude_o,
  // The pass ends with this cycle.
  input  logic               pass_done_i,
  // The last pass has found an entry.
  input  logic               found_i,
  // That entry is due, valid with found_i.
  input  logic               found_due_i,
  // Its key, ticks, signed; valid with found_i.
  input  logic signed [KeyW-1:0] found_key_i,
  // Its tag, valid with found_i.
  input  logic [TagW-1:0]    found_tag_i,

  // --- Result
  // A candidate was examined; valid with done_o.
  output logic               valid_o,
  // Candidate with the least total, valid with valid_o.
  output logic [TagW-1:0]    tag_o,
  // Its total, ticks, signed; valid with valid_o.
  output logic signed [TotalW-1:0] total_o
);

  if (!entries_ok(Entries)) begin : g_bad_entries
    $error("sched_ahead: Entries must be 4 to 256");
  end
  if (!angle_ok(AngleW)) begin : g_bad_angle_w
    $error("sched_ahead: AngleW must be 12 to 20");
  end

  localparam int unsigned EntryW = index_w(Entries);
  localparam int unsigned LowW = KeyW / 2;
  localparam int unsigned HighW = KeyW - LowW;

  typedef enum logic [3:0] {
    Idle, Weigh, FetchPlace, FetchWait, AheadStart, Ahead, Multiply, Add, Settle, SearchStart,
    Search, End
  } state_e;

  state_e                   state_q;
  logic                     best_due_q;
  logic [TagW-1:0]          candidate_q;
  logic signed [TotalW-1:0] sum_q;
  logic [AheadShareFirstWidth-1:0] share_q;
  logic [LowW+7:0]          product_low_q;
  logic [HighW+7:0]         product_high_q;
  logic [CountW-1:0]        count_q;
  logic [1:0]               level_q;
  logic [Entries-1:0]       examined_q, chain_q;

  // An entry that the last pass has found cannot be better than the best so far.
  function automatic logic is_worse(logic valid, logic due, logic best_due,
                                    logic signed [KeyW-1:0] key,
                                    logic signed [TotalW-1:0] total);
    return valid && (due != best_due || TotalW'(key) >= total);
  endfunction

  function automatic logic [KeyW-1:0] weighted_of(logic [LowW+7:0] low, logic [HighW+7:0] high);
    logic [KeyW+7:0] product;
    product = {high, LowW'(0)} + (KeyW + 8)'(low);
    return KeyW'(product >> AheadShareFirstFraction);
  endfunction

  function automatic logic goes_further(logic found, logic [1:0] level, logic [2:0] depth);
    return found && {1'b0, level} + 3'd1 < depth && level != 2'd3;
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Idle;
    end else begin
      unique case (state_q)
        Idle: if (start_i) state_q <= Weigh;
        Weigh: state_q <= (found_i && !is_worse(valid_o, found_due_i, best_due_q, found_key_i,
                                                total_o)) ? FetchPlace : End;
        FetchPlace: state_q <= FetchWait;
        FetchWait: state_q <= AheadStart;
        AheadStart: state_q <= Ahead;
        Ahead: if (pass_done_i) state_q <= Multiply;
        Multiply: state_q <= Add;
        Add: state_q <= goes_further(found_i, level_q, depth_i) ? FetchPlace : Settle;
        Settle: state_q <= (count_q == most_i) ? End : SearchStart;
        SearchStart: state_q <= Search;
        Search: if (pass_done_i) state_q <= Weigh;
        default: state_q <= Idle;                // End
      endcase
    end
  end

  assign pass_start_o = state_q == AheadStart || state_q == SearchStart;
  assign fetch_o = state_q == FetchPlace;
  assign fetch_tag_o = found_tag_i;

  // High from the cycle before a pass ahead starts to the cycle after its last one. The lanes look
  // at it from stage 1 on.
  always_ff @(posedge clk_i) begin
    ahead_o <= state_q == FetchPlace || state_q == FetchWait ||
               state_q == AheadStart || state_q == Ahead;
  end

  assign exclude_o = ahead_o ? chain_q : examined_q;
  assign done_o = state_q == End;

  // The candidate that is examined, its accesses ahead and its total
  always_ff @(posedge clk_i) begin
    if (state_q == Weigh) begin
      candidate_q <= found_tag_i;
      sum_q <= TotalW'(found_key_i);
      level_q <= '0;
    end else if (state_q == Add) begin
      if (found_i) begin
        sum_q <= sum_q + $signed(TotalW'(weighted_of(product_low_q, product_high_q)));
      end
      level_q <= level_q + 2'd1;
    end
  end

  // The cost of an access is not negative. Its product with the share is computed in two halves.
  always_ff @(posedge clk_i) begin
    share_q <= share_i[level_q];
    if (state_q == Multiply) begin
      product_low_q <= (LowW + 8)'(found_key_i[LowW-1:0]) * (LowW + 8)'(share_q);
      product_high_q <= (HighW + 8)'(found_key_i[KeyW-1:LowW]) * (HighW + 8)'(share_q);
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Weigh) begin
      chain_q <= Entries'(1) << found_tag_i[EntryW-1:0];
    end else if (state_q == Add && found_i) begin
      chain_q <= chain_q | (Entries'(1) << found_tag_i[EntryW-1:0]);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || state_q == Idle) begin
      examined_q <= '0;
      count_q <= '0;
    end else if (state_q == FetchPlace && level_q == '0) begin
      examined_q <= examined_q | (Entries'(1) << candidate_q[EntryW-1:0]);
      count_q <= count_q + CountW'(1);
    end
  end

  // The best candidate so far
  always_ff @(posedge clk_i) begin
    if (!rst_ni || state_q == Idle) begin
      valid_o <= 1'b0;
    end else if (state_q == Settle) begin
      valid_o <= 1'b1;
    end
  end

  // In one decision either all examined candidates are due, or none is.
  always_ff @(posedge clk_i) begin
    if (state_q == Weigh && !valid_o) begin
      best_due_q <= found_due_i;
    end
    if (state_q == Settle) begin
      if (!valid_o || sum_q < total_o) begin
        tag_o <= candidate_q;
        total_o <= sum_q;
      end
    end
  end

endmodule
