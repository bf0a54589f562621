// SPDX-License-Identifier: Apache-2.0
//
// The module finds the best candidate of the lanes: the one with the least key, among equals the
// oldest, then the one of the lowest lane. It also counts the refused entries and finds the lowest
// lane whose entry has expired.
//
// Parameters:
//   Lanes  lanes: 1, 2, 4, 8 or 16
//   KeyW   bits of a key, signed, at least 2
//   RankW  bits of a rank, at least 1; less is older
// Latency:    A result takes two cycles. en_i[n] enables the register after half n of the tree.
// Handshake:  None. best_key_o, best_rank_o and best_lane_o have no meaning while best_valid_o is
//             low.

module sched_min_tree
  import sched_pkg::*;
#(
  parameter int unsigned Lanes = 4,
  parameter int unsigned KeyW = 22,
  parameter int unsigned RankW = 24,
  localparam int unsigned LaneW = index_w(Lanes),
  localparam int unsigned RefusedW = $clog2(Lanes + 1)
) (
  // Clock of the lanes, gated.
  input  logic                        clk_i,

  // Enables: en_i[0] takes the inputs, en_i[1] gives the outputs.
  input  logic [1:0]                  en_i,
  // The lane's entry is a candidate, one bit a lane.
  input  logic [Lanes-1:0]            candidate_i,
  // The guard refuses the lane's entry, one bit a lane.
  input  logic [Lanes-1:0]            refused_i,
  // The lane's entry has expired, one bit a lane.
  input  logic [Lanes-1:0]            expired_i,
  // Key of each lane's entry, signed.
  input  logic [Lanes-1:0][KeyW-1:0]  key_i,
  // Rank of each lane's entry: less is older.
  input  logic [Lanes-1:0][RankW-1:0] rank_i,

  // There is a candidate.
  output logic                        best_valid_o,
  // Key of the best candidate, valid with best_valid_o.
  output logic signed [KeyW-1:0]      best_key_o,
  // Rank of the best candidate, valid with best_valid_o.
  output logic [RankW-1:0]            best_rank_o,
  // Lane of the best candidate, valid with best_valid_o.
  output logic [LaneW-1:0]            best_lane_o,
  // Number of refused entries.
  output logic [RefusedW-1:0]         refused_o,
  // An entry has expired.
  output logic                        expired_o,
  // Lowest lane whose entry has expired, valid with expired_o.
  output logic [LaneW-1:0]            expired_lane_o
);

  if (!lanes_ok(Lanes)) begin : g_bad_lanes
    $error("sched_min_tree: Lanes must be 1, 2, 4, 8 or 16");
  end
  if (KeyW < 2 || RankW < 1) begin : g_bad_width
    $error("sched_min_tree: KeyW must be at least 2, RankW at least 1");
  end

  localparam int unsigned Levels = $clog2(Lanes);
  localparam int unsigned FirstLevels = (Levels + 1) / 2;
  localparam int unsigned Middle = Lanes >> FirstLevels;   // nodes between the two halves

  typedef struct packed {
    logic             valid;
    logic [KeyW-1:0]  key;
    logic [RankW-1:0] rank;
    logic [LaneW-1:0] lane;
  } best_t;

  // The later of two wins if its key is less, or if the keys are equal and it is older. One
  // comparison decides this. Any candidate wins against none.
  function automatic best_t better_of(best_t first, best_t later);
    return ({!later.valid, !later.key[KeyW-1], later.key[KeyW-2:0], later.rank} <
            {!first.valid, !first.key[KeyW-1], first.key[KeyW-2:0], first.rank}) ? later : first;
  endfunction

  best_t [Middle-1:0] middle_q;
  best_t              best_q;

  // The two halves of the tree's levels. Each is computed only when its register takes the result.
  function automatic best_t [Middle-1:0] first_half(logic [Lanes-1:0] candidate,
                                                    logic [Lanes-1:0][KeyW-1:0] key,
                                                    logic [Lanes-1:0][RankW-1:0] rank);
    best_t node [Lanes];
    for (int unsigned i = 0; i < Lanes; i++) begin
      node[i] = '{valid: candidate[i], key: key[i], rank: rank[i], lane: LaneW'(i)};
    end
    for (int unsigned stride = 1; stride < Lanes / Middle; stride *= 2) begin
      for (int unsigned i = 0; i < Lanes; i += 2 * stride) begin
        node[i] = better_of(node[i], node[i+stride]);
      end
    end
    for (int unsigned i = 0; i < Middle; i++) begin
      first_half[i] = node[i*(Lanes/Middle)];
    end
  endfunction

  function automatic best_t second_half(best_t [Middle-1:0] middle);
    best_t node [Middle];
    for (int unsigned i = 0; i < Middle; i++) begin
      node[i] = middle[i];
    end
    for (int unsigned stride = 1; stride < Middle; stride *= 2) begin
      for (int unsigned i = 0; i < Middle; i += 2 * stride) begin
        node[i] = better_of(node[i], node[i+stride]);
      end
    end
    return node[0];
  endfunction

  function automatic logic [RefusedW-1:0] count(logic [Lanes-1:0] refused);
    count = '0;
    for (int unsigned i = 0; i < Lanes; i++) begin
      count = count + RefusedW'(refused[i]);
    end
  endfunction

  function automatic logic [LaneW-1:0] lowest(logic [Lanes-1:0] lanes);
    lowest = '0;
    for (int unsigned i = Lanes; i > 0; i--) begin
      if (lanes[i-1]) begin
        lowest = LaneW'(i - 1);
      end
    end
  endfunction

  logic [RefusedW-1:0] refused_q;
  logic                expired_q;
  logic [LaneW-1:0]    expired_lane_q;

  always_ff @(posedge clk_i) begin
    if (en_i[0]) begin
      middle_q <= first_half(candidate_i, key_i, rank_i);
      refused_q <= count(refused_i);
      expired_q <= |expired_i;
      expired_lane_q <= lowest(expired_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_i[1]) begin
      best_q <= second_half(middle_q);
      refused_o <= refused_q;
      expired_o <= expired_q;
      expired_lane_o <= expired_lane_q;
    end
  end

  assign best_valid_o = best_q.valid;
  assign best_key_o = $signed(best_q.key);
  assign best_rank_o = best_q.rank;
  assign best_lane_o = best_q.lane;

endmodule
