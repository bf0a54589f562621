// SPDX-License-Identifier: Apache-2.0
//
// Proof: the tree gives the least key of the candidates, among equals the oldest, among those the lowest lane, and the
// number of entries refused. Ages may wrap; they lie within half their range of an arbitrary first one.
// Looks at ports only. Registers begin with any value, so a bounded check from step 0 holds at any time.

module formal_min_tree
  import sched_pkg::*;
#(
  parameter int unsigned Lanes = 4,
  parameter int unsigned KeyW = 22,
  parameter int unsigned SeqW = 24,
  localparam int unsigned LaneW = index_w(Lanes),
  localparam int unsigned RefusedW = $clog2(Lanes + 1)
) (
  input logic                       clk_i,
  input logic [1:0]                 en_i,
  input logic [Lanes-1:0]           candidate_i,
  input logic [Lanes-1:0]           refused_i,
  input logic [Lanes-1:0][KeyW-1:0] key_i,
  input logic [Lanes-1:0][SeqW-1:0] seq_i,

  // Constants of any value: where ages begin, and a lane to compare with
  input logic [SeqW-1:0]            first_i,
  input logic [LaneW-1:0]           lane_i
);

  logic                   best_valid;
  logic signed [KeyW-1:0] best_key;
  logic [SeqW-1:0]        best_seq;
  logic [LaneW-1:0]       best_lane;
  logic [RefusedW-1:0]    refused;

  sched_min_tree #(.Lanes(Lanes), .KeyW(KeyW), .SeqW(SeqW)) u_dut (
    .clk_i, .en_i, .candidate_i, .refused_i, .key_i, .seq_i,
    .best_valid_o(best_valid), .best_key_o(best_key), .best_seq_o(best_seq), .best_lane_o(best_lane), .refused_o(refused)
  );

  // What went into each half of the tree last
  typedef struct packed {
    logic [Lanes-1:0]           candidate;
    logic [Lanes-1:0]           refused;
    logic [Lanes-1:0][KeyW-1:0] key;
    logic [Lanes-1:0][SeqW-1:0] seq;
  } rows_t;

  rows_t half_q, all_q;
  logic  half_valid_q = 1'b0;
  logic  all_valid_q = 1'b0;
  logic  started_q = 1'b0;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (en_i[0]) begin
      half_q <= {candidate_i, refused_i, key_i, seq_i};
      half_valid_q <= 1'b1;
    end
    if (en_i[1]) begin
      all_q <= half_q;
      all_valid_q <= half_valid_q;
    end
  end

  function automatic logic [SeqW-1:0] since(logic [SeqW-1:0] seq);
    return seq - first_i;
  endfunction

  logic [RefusedW-1:0] count;

  always_comb begin
    count = '0;
    for (int unsigned i = 0; i < Lanes; i++) begin
      count = count + RefusedW'(all_q.refused[i]);
    end
  end

  always_ff @(posedge clk_i) begin
    if (started_q) begin
      assume ($stable({first_i, lane_i}));
    end
    for (int unsigned i = 0; i < Lanes; i++) begin
      assume (since(seq_i[i]) < {1'b1, {(SeqW - 1){1'b0}}});
    end
    if (started_q && !$past(en_i[1])) begin
      assert ({best_valid, best_key, best_seq, best_lane, refused} == $past({best_valid, best_key, best_seq, best_lane, refused}));
    end
    if (all_valid_q) begin
      assert (best_valid == (all_q.candidate != '0));
      assert (refused == count);
      if (best_valid) begin
        assert (all_q.candidate[best_lane]);
        assert (best_key == all_q.key[best_lane]);
        assert (best_seq == all_q.seq[best_lane]);
        if (all_q.candidate[lane_i]) begin
          assert (best_key <= $signed(all_q.key[lane_i]));
          if (best_key == $signed(all_q.key[lane_i])) begin
            assert (since(best_seq) <= since(all_q.seq[lane_i]));
            if (best_seq == all_q.seq[lane_i]) begin
              assert (best_lane <= lane_i);
            end
          end
        end
      end
    end
  end

endmodule
