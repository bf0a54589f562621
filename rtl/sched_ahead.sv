// SPDX-License-Identifier: Apache-2.0
//
// Look-ahead of a decision: for the candidates of least key, one after another, what the next accesses would cost after it, and of these
// candidates the one with the least total. It stops where no candidate left can have a lower total: its key alone is as high.
//
// Parameters: Entries, AngleW.
// Latency:    from start_i to done_o: 1 + for each candidate examined 2 + (Rows + DecisionLatency + 5) for each access ahead, and
//             Rows + DecisionLatency + 1 for each further search, and 1 if a search ends it.
// Handshake:  start_i in the last cycle of the decision's own pass; the unit then starts passes (pass_start_o), which end with pass_done_i. What
//             a pass has found (found_*) is there in the cycle after its last one and stays until the next pass ends. done_o is high
//             in the last cycle of the look-ahead. The configuration is stable meanwhile. reset ends it.

module sched_ahead
  import sched_pkg::*;
#(
  parameter int unsigned Entries = 32,
  parameter int unsigned AngleW = 16,
  localparam int unsigned KeyW = key_w(AngleW),
  localparam int unsigned TotalW = total_w(AngleW)
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic               start_i,
  input  logic [CountW-1:0]  most_i,
  input  logic [2:0]         depth_i,
  input  logic [AheadMost-1:0][7:0] share_i,
  output logic               done_o,

  // Passes, and what the last one that has ended has found
  output logic               pass_start_o,
  output logic               fetch_o,           // the row of fetch_tag_o enters stage 0, two cycles before a pass from its end
  output logic [TagW-1:0]    fetch_tag_o,
  output logic               ahead_o,           // the pass is from an entry's end
  output logic [Entries-1:0] exclude_o,         // entries that do not take part
  input  logic               pass_done_i,
  input  logic               found_i,
  input  logic               found_due_i,
  input  logic signed [KeyW-1:0] found_key_i,
  input  logic [TagW-1:0]    found_tag_i,

  // Result, with done_o
  output logic               valid_o,
  output logic [TagW-1:0]    tag_o,
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
    Idle, Weigh, FetchPlace, FetchWait, AheadStart, Ahead, Multiply, Add, Settle, SearchStart, Search, End
  } state_e;

  state_e                   state_q;
  logic                     best_due_q;
  logic [TagW-1:0]          candidate_q;
  logic signed [TotalW-1:0] sum_q;
  logic [7:0]               share_q;
  logic [LowW+7:0]          product_low_q;
  logic [HighW+7:0]         product_high_q;
  logic [CountW-1:0]        count_q;
  logic [1:0]               level_q;
  logic [Entries-1:0]       examined_q, chain_q;

  // An entry that the last pass has found cannot be better than the best so far.
  function automatic logic is_worse(logic valid, logic due, logic best_due, logic signed [KeyW-1:0] key, logic signed [TotalW-1:0] total);
    return valid && (due != best_due || TotalW'(key) >= total);
  endfunction

  function automatic logic [KeyW-1:0] weighted_of(logic [LowW+7:0] low, logic [HighW+7:0] high);
    logic [KeyW+7:0] product;
    product = {high, LowW'(0)} + (KeyW + 8)'(low);
    return KeyW'(product >> 8);
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
        Weigh: state_q <= (found_i && !is_worse(valid_o, found_due_i, best_due_q, found_key_i, total_o)) ? FetchPlace : End;
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

  // From the cycle before a pass ahead starts to the one after its last: the lanes look at it from stage 1 on.
  always_ff @(posedge clk_i) begin
    ahead_o <= state_q == FetchPlace || state_q == FetchWait || state_q == AheadStart || state_q == Ahead;
  end

  assign exclude_o = ahead_o ? chain_q : examined_q;
  assign done_o = state_q == End;

  // The candidate that is examined, the accesses after it and its total
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

  // An access's cost is not negative. Its product with the share comes in two halves.
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

  // The best so far
  always_ff @(posedge clk_i) begin
    if (!rst_ni || state_q == Idle) begin
      valid_o <= 1'b0;
    end else if (state_q == Settle) begin
      valid_o <= 1'b1;
    end
  end

  // Of one decision all candidates that are examined are due, or none is.
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
