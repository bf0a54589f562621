// SPDX-License-Identifier: Apache-2.0
//
// The module runs a pass over the table: it sends the rows down the lanes, keeps the best candidate
// so far and holds the result of a decision.
//
// Parameters:
//   Rows      entries a lane; Rows * Lanes is at most 256
//   Lanes     lanes: 1, 2, 4, 8 or 16
//   KeyW      bits of a key, signed, at least 2
//   TotalW    bits of the result's key, at least KeyW
//   RankW     bits of a rank, at least 1; less is older
//   Features  optional parts, see sched_core; with FeatureLimits the compared key is one bit wider,
//             and its top bit is set if the entry is due
// Latency:    A pass ends Rows + DecisionLatency cycles after start_i. done_o is high in its last
//             cycle, and the result is valid in the cycle after.
// Handshake:  start_i is allowed only between passes, and not in the cycle after a change of the
//             table. In the cycle of start_i the first row is already in stage 1. keep_i marks the
//             pass as a decision, whose result is kept. A reset ends a pass. fetch_i, between
//             passes, sends one row ahead of a pass that starts two cycles later. settle_i replaces
//             the kept result.
// Statistics: The module gives the number of refused entries and whether the decision was forced,
//             for the counters of sched_regs.

module sched_decide
  import sched_pkg::*;
  import sched_reg_pkg::*;
#(
  parameter int unsigned Rows = 8,
  parameter int unsigned Lanes = 4,
  parameter int unsigned KeyW = 22,
  parameter int unsigned TotalW = 24,
  parameter int unsigned RankW = 24,
  parameter int unsigned Features = 0,
  localparam int unsigned TreeKeyW = KeyW + 32'(has(Features, FeatureLimits)),
  localparam int unsigned RowW = index_w(Rows),
  localparam int unsigned LaneW = index_w(Lanes),
  localparam int unsigned EntryW = index_w(Rows * Lanes),
  localparam int unsigned RefusedW = $clog2(Lanes + 1),
  localparam int unsigned CycleW = $clog2(Rows + DecisionLatency + 1)
) (
  // Clock, rising edge.
  input  logic                clk_i,
  // Reset or soft reset, synchronous, active low.
  input  logic                rst_ni,

  // --- Course of a pass
  // Start a pass.
  input  logic                start_i,
  // High in every cycle in which start_i is high, but known earlier in the cycle. If start_i is low
  // in a cycle in which this is high, it is low in the next cycle, too.
  input  logic                may_start_i,
  // The pass is a decision: keep its result; valid with done_o.
  input  logic                keep_i,
  // Last cycle of the pass.
  output logic                done_o,

  // The guard applies: without a candidate the decision is NEXT, forced.
  input  logic                active_i,
  // Tag of NEXT, valid with active_i.
  input  logic [TagW-1:0]     next_tag_i,

  // --- Row whose end a look-ahead needs
  // Send fetch_row_i into stage 0; two cycles before start_i.
  input  logic                fetch_i,
  // Row to send, valid with fetch_i.
  input  logic [RowW-1:0]     fetch_row_i,
  // Stages in which that row is, one bit a stage.
  output logic [StageSeek:0]  fetch_o,

  // --- Result of a look-ahead
  // Replace tag and key of the kept result.
  input  logic                settle_i,
  // New tag, valid with settle_i.
  input  logic [TagW-1:0]     settle_tag_i,
  // New key (a total), ticks, signed; valid with settle_i.
  input  logic signed [TotalW-1:0] settle_key_i,

  // --- Outcome of the last pass, with FeatureLookAhead
  // The last pass has found a candidate; valid from the cycle after its end.
  output logic                found_o,
  // That candidate is due, valid with found_o.
  output logic                found_due_o,
  // Its key, ticks, signed; valid with found_o.
  output logic signed [KeyW-1:0] found_key_o,
  // Its tag, valid with found_o.
  output logic [TagW-1:0]     found_tag_o,

  // --- To the lanes and the tree
  // Enables of the stages; bits 0 and 1 are always high.
  output logic [StageTreeEnd:0] en_o,
  // Row in each stage.
  output logic [StageKey:0][RowW-1:0] row_o,

  // --- From the tree, in stage 14
  // A lane's entry is a candidate.
  input  logic                best_valid_i,
  // Key of the best one, with the mark of a due entry as top bit; valid with best_valid_i.
  input  logic signed [TreeKeyW-1:0] best_key_i,
  // Its rank, valid with best_valid_i.
  input  logic [RankW-1:0]    best_rank_i,
  // Its lane, valid with best_valid_i.
  input  logic [LaneW-1:0]    best_lane_i,
  // Entries of the row that the guard refuses.
  input  logic [RefusedW-1:0] refused_i,
  // An entry of the row has expired.
  input  logic                expired_i,
  // Its lane, the lowest of several; valid with expired_i.
  input  logic [LaneW-1:0]    expired_lane_i,

  // --- Result of the last decision
  // RESULT.VALID: an entry was picked.
  output logic                result_valid_o,
  // RESULT.FORCED: no entry was a candidate, so the tag is that of NEXT.
  output logic                result_forced_o,
  // RESULT.TAG; zero without a result.
  output logic [TagW-1:0]     result_tag_o,
  // RESULT_KEY, ticks, signed; zero if forced or without a result.
  output logic signed [TotalW-1:0] result_key_o,
  // REFUSED, entries.
  output logic [CountW-1:0]   refused_o,
  // EXPIRED.VALID.
  output logic                expired_o,
  // EXPIRED.TAG; zero if none has expired.
  output logic [TagW-1:0]     expired_tag_o,

  // --- The same in the pass's last cycle, for the counters
  // The decision that ends is forced, valid with done_o.
  output logic                forced_now_o,
  // Entries that the guard refused in it, valid with done_o.
  output logic [CountW-1:0]   refused_now_o
);

  if (Rows < 1 || Rows > 256 || !lanes_ok(Lanes) || Rows * Lanes > 256) begin : g_bad_entries
    $error("sched_decide: Lanes must be 1, 2, 4, 8 or 16, and Rows * Lanes at most 256");
  end
  if (KeyW < 2 || RankW < 1) begin : g_bad_width
    $error("sched_decide: KeyW must be at least 2, RankW at least 1");
  end
  if (TotalW < KeyW) begin : g_bad_total
    $error("sched_decide: TotalW must be at least KeyW");
  end
  if (!features_ok(Features)) begin : g_bad_features
    $error("sched_decide: Features must be at most 15");
  end

  // Rows. Between passes stages 0 and 1 take the first row in every cycle, so it has passed them
  // when a pass starts. In a cycle that may start a pass, stage 0 takes the second row. The
  // pipeline drains in the last cycles of a pass.
  logic                         busy_q, last_q, more;
  logic [CycleW-1:0]            cycle_q, cycle_d;
  logic [StageBest:2]           en_q;
  logic [StageBest:2][RowW-1:0] row_q;
  logic [RowW-1:0]              row_read, row_next;
  logic [RowW-1:0]              row_distance_q;

  assign cycle_d = cycle_q + CycleW'(1);
  assign more = busy_q && cycle_d < CycleW'(Rows);      // a row other than the first is in stage 1
  assign done_o = busy_q && last_q;

  // The row in stage 0 is one ahead of the row in stage 1.
  assign row_next = row_distance_q + RowW'(1);
  assign row_read = fetch_i ? fetch_row_i : (may_start_i || more) ? row_next : '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      last_q <= 1'b0;
      cycle_q <= '0;
      row_distance_q <= '0;
    end else begin
      row_distance_q <= row_read;
      busy_q <= start_i || (busy_q && !last_q);
      if (busy_q) begin
        cycle_q <= cycle_d;
        last_q <= cycle_d == CycleW'(Rows + DecisionLatency - 1);
      end else begin
        cycle_q <= '0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      en_q <= '0;
    end else begin
      en_q <= {en_q[StageBest-1:2], more || start_i};
    end
  end

  always_ff @(posedge clk_i) begin
    row_q <= {row_q[StageBest-1:2], row_distance_q};
  end

  assign en_o = {en_q[StageTreeEnd:2], 1'b1, 1'b1};
  assign row_o = {row_q[StageKey:2], row_distance_q, row_read};

  if (has(Features, FeatureLookAhead)) begin : g_fetch
    logic [StageSeek:1] fetch_q;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        fetch_q <= '0;
      end else begin
        fetch_q <= {fetch_q[StageSeek-1:1], fetch_i};
      end
    end

    assign fetch_o = {fetch_q, fetch_i};
  end else begin : g_no_fetch
    assign fetch_o = '0;
  end

  // Best of the rows so far. As in the tree, one comparison decides. The value has no meaning if
  // there is no candidate.
  typedef struct packed {
    logic signed [TreeKeyW-1:0] key;
    logic [RankW-1:0]           rank;
    logic [EntryW-1:0]          tag;
  } best_t;

  function automatic best_t best_of(logic best_valid, best_t best, logic row_valid, best_t row);
    best_of = (row_valid && {1'b0, !row.key[TreeKeyW-1], row.key[TreeKeyW-2:0], row.rank} <
               {!best_valid, !best.key[TreeKeyW-1], best.key[TreeKeyW-2:0], best.rank}) ?
              row : best;
  endfunction

  function automatic logic [TagW-1:0] tag_of(logic [RowW-1:0] row, logic [LaneW-1:0] lane);
    return TagW'(row) * TagW'(Lanes) + TagW'(lane);
  endfunction

  // Beside the mark of a due entry, the sign bit of the key is inverted (see sched_core).
  function automatic logic signed [KeyW-1:0] key_of(logic signed [TreeKeyW-1:0] key);
    return (TreeKeyW > KeyW) ? {!key[KeyW-1], key[KeyW-2:0]} : key[KeyW-1:0];
  endfunction

  logic              best_valid_q, found;
  best_t             best_q, row_best;
  logic [CountW-1:0] refused_q;

  assign found = best_valid_q || best_valid_i;
  assign row_best = '{key: best_key_i, rank: best_rank_i,
                      tag: EntryW'(tag_of(row_q[StageBest], best_lane_i))};
  assign refused_now_o = refused_q + CountW'(refused_i);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || !busy_q) begin
      best_valid_q <= 1'b0;
      refused_q <= '0;
    end else if (en_q[StageBest]) begin
      best_valid_q <= found;
      refused_q <= refused_now_o;
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_q[StageBest]) begin
      best_q <= best_of(best_valid_q, best_q, best_valid_i, row_best);
    end
  end

  // Outcome of a pass, for the look-ahead
  if (has(Features, FeatureLookAhead)) begin : g_found
    always_ff @(posedge clk_i) begin
      if (done_o) begin
        automatic best_t best = best_of(best_valid_q, best_q, best_valid_i, row_best);

        found_o <= found;
        found_due_o <= TreeKeyW > KeyW && best.key[TreeKeyW-1];
        found_key_o <= key_of(best.key);
        found_tag_o <= TagW'(best.tag);
      end
    end
  end else begin : g_not_found
    assign found_o = 1'b0;
    assign found_due_o = 1'b0;
    assign found_key_o = '0;
    assign found_tag_o = '0;
  end

  // The lowest tag that has expired
  if (has(Features, FeatureLimits)) begin : g_expired
    logic            expired_q;
    logic [TagW-1:0] expired_tag_q;

    always_ff @(posedge clk_i) begin
      if (!rst_ni || !busy_q) begin
        expired_q <= 1'b0;
        expired_tag_q <= '0;
      end else if (en_q[StageBest] && expired_i && !expired_q) begin
        expired_q <= 1'b1;
        expired_tag_q <= tag_of(row_q[StageBest], expired_lane_i);
      end
    end

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        expired_o <= 1'b0;
        expired_tag_o <= '0;
      end else if (done_o && keep_i) begin
        expired_o <= expired_q || expired_i;
        expired_tag_o <= (expired_i && !expired_q) ? tag_of(row_q[StageBest], expired_lane_i) :
                         expired_tag_q;
      end
    end
  end else begin : g_no_limits
    logic unused_expired;
    assign unused_expired = ^{expired_i, expired_lane_i};
    assign expired_o = 1'b0;
    assign expired_tag_o = '0;
  end

  // Result
  assign forced_now_o = !found && active_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      result_valid_o <= 1'b0;
      result_forced_o <= 1'b0;
      result_tag_o <= '0;
      result_key_o <= '0;
      refused_o <= '0;
    end else if (settle_i) begin
      result_tag_o <= settle_tag_i;
      result_key_o <= settle_key_i;
    end else if (done_o && keep_i) begin
      automatic best_t best = best_of(best_valid_q, best_q, best_valid_i, row_best);

      result_valid_o <= found || active_i;
      result_forced_o <= forced_now_o;
      result_tag_o <= found ? TagW'(best.tag) : next_tag_i & {TagW{active_i}};
      result_key_o <= found ? TotalW'(key_of(best.key)) : '0;
      refused_o <= refused_now_o;
    end
  end

endmodule
