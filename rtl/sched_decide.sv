// SPDX-License-Identifier: Apache-2.0
//
// Course of a decision: sends the rows of the table down the lanes, keeps the best candidate so far
// and holds the result.
//
// Parameters: Rows (entries a lane), Lanes, TimeW (bits of a cost), SeqW (bits of an insertion
//             number).
// Latency:    busy_o is high for Rows + DecisionLatency cycles from the cycle after start_i; the
//             result is valid in the cycle after.
// Handshake:  start_i only while busy_o is low. done_o and, if asked for, remove_o are high in the
//             last busy cycle. clear_i only while busy_o is low.

module sched_decide
  import sched_pkg::*;
#(
  parameter int unsigned Rows = 8,
  parameter int unsigned Lanes = 4,
  parameter int unsigned TimeW = 20,
  parameter int unsigned SeqW = 24,
  localparam int unsigned RowW = index_w(Rows),
  localparam int unsigned LaneW = index_w(Lanes),
  localparam int unsigned EntryW = index_w(Rows * Lanes),
  localparam int unsigned RefusedW = $clog2(Lanes + 1),
  localparam int unsigned CycleW = $clog2(Rows + DecisionLatency + 1)
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                clear_i,
  input  logic                start_i,
  output logic                busy_o,
  output logic                done_o,

  input  logic                auto_remove_i,
  input  logic                active_i,
  input  logic [TagW-1:0]     next_tag_i,

  // To the lanes and the tree
  output logic [StageTree:0]  en_o,
  output logic [StageGuard:0][RowW-1:0] row_o,

  // From the tree, stage 13
  input  logic                best_valid_i,
  input  logic [TimeW-1:0]    best_cost_i,
  input  logic [SeqW-1:0]     best_seq_i,
  input  logic [LaneW-1:0]    best_lane_i,
  input  logic [RefusedW-1:0] refused_i,
  input  logic                next_valid_i,
  input  logic [TimeW-1:0]    next_cost_i,

  // Entry to take out of the table
  output logic                remove_o,
  output logic [TagW-1:0]     remove_tag_o,

  // Result
  output logic                result_valid_o,
  output logic                result_forced_o,
  output logic [TagW-1:0]     result_tag_o,
  output logic [TimeW-1:0]    result_cost_o,
  output logic [CountW-1:0]   refused_o,
  output logic [CycleW-1:0]   cycles_o
);

  // Rows. Between decisions stage 0 reads the first row in every cycle, so that it is there when a
  // decision starts. The pipeline drains in the last cycles of one.
  logic [CycleW-1:0]            cycle_q, cycle_d;
  logic                         last;
  logic [StageBest:1]           en_q;
  logic [StageBest:1][RowW-1:0] row_q;
  logic                         more, first_en;
  logic [RowW-1:0]              first_row;

  assign last = cycle_q == CycleW'(Rows + DecisionLatency - 1);
  assign cycle_d = cycle_q + CycleW'(1);
  assign more = busy_o && cycle_d < CycleW'(Rows);
  assign first_en = more || !busy_o;
  assign first_row = more ? cycle_d[RowW-1:0] : '0;
  assign done_o = busy_o && last;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_o <= 1'b0;
      cycle_q <= '0;
    end else if (start_i) begin
      busy_o <= 1'b1;
      cycle_q <= '0;
    end else if (busy_o) begin
      busy_o <= !last;
      cycle_q <= cycle_d;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      en_q <= '0;
    end else begin
      en_q <= {en_q[StageBest-1:1], more || start_i};
    end
  end

  always_ff @(posedge clk_i) begin
    row_q <= {row_q[StageBest-1:1], first_row};
  end

  assign en_o = {en_q[StageTree:1], first_en};
  assign row_o = {row_q[StageGuard:1], first_row};

  // Best of the rows so far
  logic              best_valid_q, best_valid_d, next_valid_q, next_valid_d, better;
  logic [TimeW-1:0]  best_cost_q, best_cost_d, next_cost_q, next_cost_d;
  logic [SeqW-1:0]   best_seq_q, age;
  logic [EntryW-1:0] best_tag_q, best_tag_d, tree_tag;
  logic [CountW-1:0] refused_q, refused_d;

  assign tree_tag = EntryW'(TagW'(row_q[StageBest]) * TagW'(Lanes) + TagW'(best_lane_i));
  assign age = best_seq_i - best_seq_q;
  assign better = best_valid_i && (!best_valid_q || best_cost_i < best_cost_q ||
                                   (best_cost_i == best_cost_q && age[SeqW-1]));
  assign best_valid_d = best_valid_q || best_valid_i;
  assign best_cost_d = better ? best_cost_i : best_cost_q;
  assign best_tag_d = better ? tree_tag : best_tag_q;
  assign next_valid_d = next_valid_q || next_valid_i;
  assign next_cost_d = next_valid_i ? next_cost_i : next_cost_q;
  assign refused_d = refused_q + CountW'(refused_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      best_valid_q <= 1'b0;
      next_valid_q <= 1'b0;
      refused_q <= '0;
    end else if (start_i) begin
      best_valid_q <= 1'b0;
      next_valid_q <= 1'b0;
      refused_q <= '0;
    end else if (en_q[StageBest]) begin
      best_valid_q <= best_valid_d;
      next_valid_q <= next_valid_d;
      refused_q <= refused_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_q[StageBest]) begin
      next_cost_q <= next_cost_d;
      if (better) begin
        best_cost_q <= best_cost_i;
        best_seq_q <= best_seq_i;
        best_tag_q <= tree_tag;
      end
    end
  end

  // Result
  logic             forced, picked;
  logic [TagW-1:0]  picked_tag;
  logic [TimeW-1:0] picked_cost;

  assign forced = !best_valid_d && active_i && next_valid_d;
  assign picked = best_valid_d || forced;
  assign picked_tag = best_valid_d ? TagW'(best_tag_d) : next_tag_i & {TagW{forced}};
  assign picked_cost = best_valid_d ? best_cost_d : next_cost_d & {TimeW{forced}};

  assign remove_o = done_o && auto_remove_i && picked;
  assign remove_tag_o = picked_tag;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      result_valid_o <= 1'b0;
      result_forced_o <= 1'b0;
      result_tag_o <= '0;
      result_cost_o <= '0;
      refused_o <= '0;
      cycles_o <= '0;
    end else if (clear_i) begin
      result_valid_o <= 1'b0;
      result_forced_o <= 1'b0;
      result_tag_o <= '0;
      result_cost_o <= '0;
      refused_o <= '0;
      cycles_o <= '0;
    end else if (done_o) begin
      result_valid_o <= picked;
      result_forced_o <= forced;
      result_tag_o <= picked_tag;
      result_cost_o <= picked_cost;
      refused_o <= refused_d;
      cycles_o <= cycle_d;
    end
  end

endmodule
