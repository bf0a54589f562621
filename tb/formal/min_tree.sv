// SPDX-License-Identifier: Apache-2.0
//
// Proof: the tree gives the candidate with the least key, among equals the oldest, then the one of
// the lowest lane. It also gives the number of refused entries and the lowest lane whose entry has
// expired. The harness looks at ports only. Registers begin with any value, so a bounded check from
// step 0 holds at any time.
//
// Parameters:
//   Lanes  as in sched_min_tree
//   KeyW   as in sched_min_tree
//   RankW  as in sched_min_tree

module formal_min_tree
  import sched_pkg::*;
#(
  parameter int unsigned Lanes = 4,
  parameter int unsigned KeyW = 22,
  parameter int unsigned RankW = 24,
  localparam int unsigned LaneW = index_w(Lanes),
  localparam int unsigned RefusedW = $clog2(Lanes + 1)
) (
  // Clock, rising edge.
  input logic                       clk_i,

  // --- Any value in each cycle: the inputs of sched_min_tree
  // Enables of the two halves.
  input logic [1:0]                 en_i,
  // The lane's entry is a candidate, one bit a lane.
  input logic [Lanes-1:0]           candidate_i,
  // The guard refuses the lane's entry, one bit a lane.
  input logic [Lanes-1:0]           refused_i,
  // The lane's entry has expired, one bit a lane.
  input logic [Lanes-1:0]           expired_i,
  // Key of each lane's entry.
  input logic [Lanes-1:0][KeyW-1:0] key_i,
  // Rank of each lane's entry.
  input logic [Lanes-1:0][RankW-1:0] rank_i,

  // --- A constant of any value
  // Lane to compare with.
  input logic [LaneW-1:0]           lane_i
);

  logic                   best_valid;
  logic signed [KeyW-1:0] best_key;
  logic [RankW-1:0]        best_rank;
  logic [LaneW-1:0]       best_lane;
  logic [RefusedW-1:0]    refused;
  logic                   expired;
  logic [LaneW-1:0]       expired_lane;

  sched_min_tree #(.Lanes(Lanes), .KeyW(KeyW), .RankW(RankW)) u_dut (
    .clk_i, .en_i, .candidate_i, .refused_i, .expired_i, .key_i, .rank_i,
    .best_valid_o(best_valid), .best_key_o(best_key), .best_rank_o(best_rank),
    .best_lane_o(best_lane), .refused_o(refused),
    .expired_o(expired), .expired_lane_o(expired_lane)
  );

  // The inputs that each half of the tree took last
  typedef struct packed {
    logic [Lanes-1:0]           candidate;
    logic [Lanes-1:0]           refused;
    logic [Lanes-1:0]           expired;
    logic [Lanes-1:0][KeyW-1:0] key;
    logic [Lanes-1:0][RankW-1:0] rank;
  } rows_t;

  rows_t half_q, all_q;
  logic  half_valid_q = 1'b0;
  logic  all_valid_q = 1'b0;
  logic  started_q = 1'b0;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (en_i[0]) begin
      half_q <= {candidate_i, refused_i, expired_i, key_i, rank_i};
      half_valid_q <= 1'b1;
    end
    if (en_i[1]) begin
      all_q <= half_q;
      all_valid_q <= half_valid_q;
    end
  end

  logic [RefusedW-1:0] count;

  always_comb begin
    count = '0;
    for (int unsigned i = 0; i < Lanes; i++) begin
      count = count + RefusedW'(all_q.refused[i]);
    end
  end

  always_ff @(posedge clk_i) begin
    if (started_q) begin
      assume ($stable(lane_i));
    end
    if (started_q && !$past(en_i[1])) begin
      a_outputs_hold: assert ({best_valid, best_key, best_rank, best_lane, refused, expired,
                              expired_lane} ==
                              $past({best_valid, best_key, best_rank, best_lane, refused, expired,
                              expired_lane}));
    end
    if (all_valid_q) begin
      a_valid_if_candidate: assert (best_valid == (all_q.candidate != '0));
      a_refused_count: assert (refused == count);
      a_expired_if_any: assert (expired == (all_q.expired != '0));
      if (expired) begin
        a_expired_has_expired: assert (all_q.expired[expired_lane]);
        a_expired_is_lowest: assert (!all_q.expired[lane_i] || expired_lane <= lane_i);
      end
      if (best_valid) begin
        a_best_is_candidate: assert (all_q.candidate[best_lane]);
        a_best_key: assert (best_key == all_q.key[best_lane]);
        a_best_rank: assert (best_rank == all_q.rank[best_lane]);
        if (all_q.candidate[lane_i]) begin
          a_least_key: assert (best_key <= $signed(all_q.key[lane_i]));
          if (best_key == $signed(all_q.key[lane_i])) begin
            a_then_oldest: assert (best_rank <= all_q.rank[lane_i]);
            if (best_rank == all_q.rank[lane_i]) begin
              a_then_lowest_lane: assert (best_lane <= lane_i);
            end
          end
        end
      end
    end
  end

endmodule
