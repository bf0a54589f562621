// SPDX-License-Identifier: Apache-2.0
//
// Best candidate of the lanes: least cost, then oldest, then lowest lane. Beside it the number of
// refused entries and the cost of the entry that is the next continuous command.
//
// Parameters: Lanes (a power of two), TimeW (bits of a cost), SeqW (bits of an insertion number).
// Latency:    one cycle; en_i enables the output register.
// Handshake:  none. best_cost_o, best_seq_o and best_lane_o mean nothing while best_valid_o is low.

module sched_min_tree
  import sched_pkg::*;
#(
  parameter int unsigned Lanes = 4,
  parameter int unsigned TimeW = 20,
  parameter int unsigned SeqW = 24,
  localparam int unsigned LaneW = index_w(Lanes),
  localparam int unsigned RefusedW = $clog2(Lanes + 1)
) (
  input  logic                        clk_i,

  input  logic                        en_i,
  input  logic [Lanes-1:0]            candidate_i,
  input  logic [Lanes-1:0]            refused_i,
  input  logic [Lanes-1:0]            is_next_i,
  input  logic [Lanes-1:0][TimeW-1:0] cost_i,
  input  logic [Lanes-1:0][SeqW-1:0]  seq_i,

  output logic                        best_valid_o,
  output logic [TimeW-1:0]            best_cost_o,
  output logic [SeqW-1:0]             best_seq_o,
  output logic [LaneW-1:0]            best_lane_o,
  output logic [RefusedW-1:0]         refused_o,
  output logic                        next_valid_o,
  output logic [TimeW-1:0]            next_cost_o
);

  typedef struct packed {
    logic             valid;
    logic [TimeW-1:0] cost;
    logic [SeqW-1:0]  seq;
    logic [LaneW-1:0] lane;
  } best_t;

  // The later of two lanes wins if it costs less, or as much and is older.
  function automatic best_t best_of(logic [Lanes-1:0] candidate,
                                    logic [Lanes-1:0][TimeW-1:0] cost,
                                    logic [Lanes-1:0][SeqW-1:0] seq);
    best_t           node [Lanes];
    logic [SeqW-1:0] age;
    age = '0;
    for (int unsigned i = 0; i < Lanes; i++) begin
      node[i] = '{valid: candidate[i], cost: cost[i], seq: seq[i], lane: LaneW'(i)};
    end
    for (int unsigned stride = 1; stride < Lanes; stride *= 2) begin
      for (int unsigned i = 0; i < Lanes; i += 2 * stride) begin
        age = node[i+stride].seq - node[i].seq;
        if (node[i+stride].valid &&
            (!node[i].valid || node[i+stride].cost < node[i].cost ||
             (node[i+stride].cost == node[i].cost && age[SeqW-1]))) begin
          node[i] = node[i+stride];
        end
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

  function automatic logic [TimeW-1:0] cost_of(logic [Lanes-1:0] is_next,
                                               logic [Lanes-1:0][TimeW-1:0] cost);
    cost_of = '0;
    for (int unsigned i = 0; i < Lanes; i++) begin
      cost_of = cost_of | (cost[i] & {TimeW{is_next[i]}});
    end
  endfunction

  best_t best_q;

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      best_q <= best_of(candidate_i, cost_i, seq_i);
      refused_o <= count(refused_i);
      next_valid_o <= |is_next_i;
      next_cost_o <= cost_of(is_next_i, cost_i);
    end
  end

  assign best_valid_o = best_q.valid;
  assign best_cost_o = best_q.cost;
  assign best_seq_o = best_q.seq;
  assign best_lane_o = best_q.lane;

endmodule
