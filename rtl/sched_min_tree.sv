// SPDX-License-Identifier: Apache-2.0
//
// Best candidate of the lanes: least key, then oldest, then lowest lane; and the number of refused entries.
//
// Parameters: Lanes (a power of two), KeyW (bits of a key, signed), SeqW (bits of an insertion number).
// Latency:    two cycles; en_i[n] enables the register of its nth half.
// Handshake:  none. best_key_o, best_seq_o and best_lane_o mean nothing while best_valid_o is low.

module sched_min_tree
  import sched_pkg::*;
#(
  parameter int unsigned Lanes = 4,
  parameter int unsigned KeyW = 22,
  parameter int unsigned SeqW = 24,
  localparam int unsigned LaneW = index_w(Lanes),
  localparam int unsigned RefusedW = $clog2(Lanes + 1)
) (
  input  logic                        clk_i,

  input  logic [1:0]                  en_i,
  input  logic [Lanes-1:0]            candidate_i,
  input  logic [Lanes-1:0]            refused_i,
  input  logic [Lanes-1:0][KeyW-1:0]  key_i,
  input  logic [Lanes-1:0][SeqW-1:0]  seq_i,

  output logic                        best_valid_o,
  output logic signed [KeyW-1:0]      best_key_o,
  output logic [SeqW-1:0]             best_seq_o,
  output logic [LaneW-1:0]            best_lane_o,
  output logic [RefusedW-1:0]         refused_o
);

  localparam int unsigned Levels = $clog2(Lanes);
  localparam int unsigned FirstLevels = (Levels + 1) / 2;
  localparam int unsigned Middle = Lanes >> FirstLevels;   // nodes between the halves

  typedef struct packed {
    logic             valid;
    logic [KeyW-1:0]  key;
    logic [SeqW-1:0]  seq;
    logic [LaneW-1:0] lane;
  } best_t;

  // The later of two wins if its key is less, or equal and it is older.
  function automatic best_t better_of(best_t first, best_t later);
    logic [SeqW-1:0] age;
    logic            less, equal;
    age = later.seq - first.seq;
    less = $signed(later.key) < $signed(first.key);
    equal = later.key == first.key;
    return (later.valid && (!first.valid || less || (equal && age[SeqW-1]))) ? later : first;
  endfunction

  best_t [Lanes-1:0]  leaf;
  best_t [Middle-1:0] middle_d, middle_q;
  best_t              best_d, best_q;

  for (genvar i = 0; i < Lanes; i++) begin : g_leaf
    assign leaf[i] = '{valid: candidate_i[i], key: key_i[i], seq: seq_i[i], lane: LaneW'(i)};
  end

  always_comb begin
    best_t node [Lanes];
    for (int unsigned i = 0; i < Lanes; i++) begin
      node[i] = leaf[i];
    end
    for (int unsigned stride = 1; stride < Lanes / Middle; stride *= 2) begin
      for (int unsigned i = 0; i < Lanes; i += 2 * stride) begin
        node[i] = better_of(node[i], node[i+stride]);
      end
    end
    for (int unsigned i = 0; i < Middle; i++) begin
      middle_d[i] = node[i*(Lanes/Middle)];
    end
  end

  always_comb begin
    best_t node [Middle];
    for (int unsigned i = 0; i < Middle; i++) begin
      node[i] = middle_q[i];
    end
    for (int unsigned stride = 1; stride < Middle; stride *= 2) begin
      for (int unsigned i = 0; i < Middle; i += 2 * stride) begin
        node[i] = better_of(node[i], node[i+stride]);
      end
    end
    best_d = node[0];
  end

  function automatic logic [RefusedW-1:0] count(logic [Lanes-1:0] refused);
    count = '0;
    for (int unsigned i = 0; i < Lanes; i++) begin
      count = count + RefusedW'(refused[i]);
    end
  endfunction

  logic [RefusedW-1:0] refused_q;

  always_ff @(posedge clk_i) begin
    if (en_i[0]) begin
      middle_q <= middle_d;
      refused_q <= count(refused_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_i[1]) begin
      best_q <= best_d;
      refused_o <= refused_q;
    end
  end

  assign best_valid_o = best_q.valid;
  assign best_key_o = $signed(best_q.key);
  assign best_seq_o = best_q.seq;
  assign best_lane_o = best_q.lane;

endmodule
