// SPDX-License-Identifier: Apache-2.0
//
// A pass over the table: sends its rows down the lanes, keeps the best candidate so far and holds the
// result.
//
// Parameters: Rows (entries a lane), Lanes, KeyW (bits of a key, signed), RankW (bits of a rank: less is older).
// Latency:    the pass ends Rows + DecisionLatency cycles after start_i, with done_o in its last
//             cycle; the result is valid in the cycle after.
// Handshake:  start_i only between passes, and not in the cycle after a change of the table; the
//             first row is in stage 1 in the cycle of start_i. keep_i: the pass is a decision, whose
//             result is kept. reset ends a pass.

module sched_decide
  import sched_pkg::*;
#(
  parameter int unsigned Rows = 8,
  parameter int unsigned Lanes = 4,
  parameter int unsigned KeyW = 22,
  parameter int unsigned RankW = 24,
  localparam int unsigned RowW = index_w(Rows),
  localparam int unsigned LaneW = index_w(Lanes),
  localparam int unsigned EntryW = index_w(Rows * Lanes),
  localparam int unsigned RefusedW = $clog2(Lanes + 1),
  localparam int unsigned CycleW = $clog2(Rows + DecisionLatency + 1)
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                start_i,
  input  logic                may_start_i,   // start_i may be high; it is not in the next cycle if it is not in this
  input  logic                keep_i,
  output logic                done_o,

  input  logic                active_i,
  input  logic [TagW-1:0]     next_tag_i,

  // To the lanes and the tree
  output logic [StageTreeEnd:0] en_o,
  output logic [StageKey:0][RowW-1:0] row_o,

  // From the tree, stage 14
  input  logic                best_valid_i,
  input  logic signed [KeyW-1:0] best_key_i,
  input  logic [RankW-1:0]    best_rank_i,
  input  logic [LaneW-1:0]    best_lane_i,
  input  logic [RefusedW-1:0] refused_i,

  // Result
  output logic                result_valid_o,
  output logic                result_forced_o,
  output logic [TagW-1:0]     result_tag_o,
  output logic signed [KeyW-1:0] result_key_o,
  output logic [CountW-1:0]   refused_o,

  // The same in the last cycle, for the counters
  output logic                forced_now_o,
  output logic [CountW-1:0]   refused_now_o
);

  if (Rows < 1 || Rows > 256 || !lanes_ok(Lanes) || Rows * Lanes > 256) begin : g_bad_entries
    $error("sched_decide: Lanes must be 1, 2, 4, 8 or 16, and Rows * Lanes at most 256");
  end
  if (KeyW < 2 || RankW < 1) begin : g_bad_width
    $error("sched_decide: KeyW must be at least 2, RankW at least 1");
  end

  // Rows. Between passes stages 0 and 1 take the first row in every cycle, so that it has passed them
  // when a pass starts. In a cycle that may start one, stage 0 takes the second. The pipeline drains in the last
  // cycles of a pass.
  logic                         busy_q, last, more;
  logic [CycleW-1:0]            cycle_q, cycle_d;
  logic [StageBest:2]           en_q;
  logic [StageBest:2][RowW-1:0] row_q;
  logic [RowW-1:0]              row_read, row_next;
  logic [RowW-1:0]              row_distance_q;

  assign last = cycle_q == CycleW'(Rows + DecisionLatency - 1);
  assign cycle_d = cycle_q + CycleW'(1);
  assign more = busy_q && cycle_d < CycleW'(Rows);      // a row other than the first is in stage 1
  assign done_o = busy_q && last;

  // The row in stage 0 is one ahead of the row in stage 1.
  assign row_next = row_distance_q + RowW'(1);
  assign row_read = (may_start_i || more) ? row_next : '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      cycle_q <= '0;
      row_distance_q <= '0;
    end else begin
      row_distance_q <= row_read;
      busy_q <= start_i || (busy_q && !last);
      if (busy_q) begin
        cycle_q <= cycle_d;
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

  // Best of the rows so far. As in the tree one comparison decides; it means nothing if there is no candidate.
  logic                    best_valid_q, best_valid_d;
  logic signed [KeyW-1:0]  best_key_q;
  logic [RankW-1:0]        best_rank_q;
  logic [EntryW-1:0]       best_tag_q;
  logic [CountW-1:0]       refused_q;

  function automatic logic is_better(logic signed [KeyW-1:0] key, logic [RankW-1:0] rank,
                                     logic valid, logic signed [KeyW-1:0] best_key, logic [RankW-1:0] best_rank);
    return {1'b0, !key[KeyW-1], key[KeyW-2:0], rank} < {!valid, !best_key[KeyW-1], best_key[KeyW-2:0], best_rank};
  endfunction

  function automatic logic [EntryW-1:0] tag_of(logic [RowW-1:0] row, logic [LaneW-1:0] lane);
    return EntryW'(TagW'(row) * TagW'(Lanes) + TagW'(lane));
  endfunction

  assign best_valid_d = best_valid_q || best_valid_i;
  assign refused_now_o = refused_q + CountW'(refused_i);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || !busy_q) begin
      best_valid_q <= 1'b0;
      refused_q <= '0;
    end else if (en_q[StageBest]) begin
      best_valid_q <= best_valid_d;
      refused_q <= refused_now_o;
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_q[StageBest] && best_valid_i) begin
      if (is_better(best_key_i, best_rank_i, best_valid_q, best_key_q, best_rank_q)) begin
        best_key_q <= best_key_i;
        best_rank_q <= best_rank_i;
        best_tag_q <= tag_of(row_q[StageBest], best_lane_i);
      end
    end
  end

  // Result
  assign forced_now_o = !best_valid_d && active_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      result_valid_o <= 1'b0;
      result_forced_o <= 1'b0;
      result_tag_o <= '0;
      result_key_o <= '0;
      refused_o <= '0;
    end else if (done_o && keep_i) begin
      result_valid_o <= best_valid_d || active_i;
      result_forced_o <= forced_now_o;
      if (best_valid_i && is_better(best_key_i, best_rank_i, best_valid_q, best_key_q, best_rank_q)) begin
        result_tag_o <= TagW'(tag_of(row_q[StageBest], best_lane_i));
        result_key_o <= best_key_i;
      end else if (best_valid_q) begin
        result_tag_o <= TagW'(best_tag_q);
        result_key_o <= best_key_q;
      end else begin
        result_tag_o <= next_tag_i & {TagW{active_i}};
        result_key_o <= '0;
      end
      refused_o <= refused_now_o;
    end
  end

endmodule
