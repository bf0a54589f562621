// SPDX-License-Identifier: Apache-2.0
//
// Proof: limits in a lane. An entry whose limit makes it go first is due, and no other; one that has expired is no candidate and is not
// refused, but said to have expired, and no other is. After an insertion of any entry the row goes through the lane, for a hop of any length
// (proofs.toml cuts the hop unit's answer). Registers begin with any value. Looks at ports and that net only.

module formal_limits
  import sched_pkg::*;
  import sched_reg_pkg::*;
#(
  parameter int unsigned Rows = 4,
  parameter int unsigned Features = 4,
  localparam int unsigned AngleW = 12,
  localparam int unsigned CylW = 8,
  localparam int unsigned SumW = sum_w(AngleW),
  localparam int unsigned SeqW = 4,
  localparam int unsigned RowW = index_w(Rows)
) (
  input logic             clk_i,
  input logic             insert_i,
  input logic [RowW-1:0]  insert_row_i,
  input logic [RowW-1:0]  row_i,             // in stage 0
  input logic             row_en_i,
  input logic [Rows-1:0]  live_i,
  input sched_types#(AngleW, CylW)::change_t change_i,
  input sched_types#(AngleW, CylW)::pass_t pass_i
);

  logic candidate, refused, due, expired;
  logic [StageKey:0]           en;
  logic [StageKey:0][RowW-1:0] row;
  logic [StageKey:1]           en_q;
  logic [StageKey:1][RowW-1:0] row_q;

  assign en = {en_q, row_en_i};
  assign row = {row_q, row_i};

  always_ff @(posedge clk_i) begin
    en_q <= en[StageKey-1:0];
    row_q <= row[StageKey-1:0];
  end

  sched_lane #(
    .Rows(Rows), .Lanes(1), .Lane(0), .AngleW(AngleW), .CylW(CylW), .SegM(2), .SegW(5), .SeqW(SeqW), .Features(Features)
  ) u_dut (
    .clk_i, .insert_i, .insert_end_i(1'b0), .change_row_i(insert_row_i), .change_i, .seq_i('0), .part_we_i(1'b0), .part_row_i('0), .part_i('0),
    .load_i('0), .live_i, .pass_i, .hop_cfg_i('0), .hop_i('0), .hop_o(), .en_i(en), .row_i(row), .fetch_i('0), .fetched_place_o(),
    .fetched_angle_o(), .candidate_o(candidate), .refused_o(refused), .due_o(due), .expired_o(expired), .key_o(), .rank_o()
  );

  // What was inserted
  logic [Rows-1:0]            known_q = '0;
  limit_e [Rows-1:0]          kind_q;
  logic [Rows-1:0][SumW-1:0]  limit_q;

  always_ff @(posedge clk_i) begin
    if (insert_i) begin
      known_q[insert_row_i] <= 1'b1;
      kind_q[insert_row_i] <= change_i.optional.limit_kind;
      limit_q[insert_row_i] <= change_i.optional.limit;
    end
  end

  // Of the row that leaves stage 11: it arrives `worst` after the head's time.
  logic                   started_q = 1'b0;
  logic                   check_q, live_q, late, near;
  logic [StageKey:StageCost] live_at_q;
  logic signed [SumW-1:0] left;
  limit_e                 kind;

  assign left = limit_q[row[StageKey]] - pass_i.head_time;
  assign kind = pass_i.ahead ? LimitNone : kind_q[row[StageKey]];
  assign late = (SumW + 1)'(left) < $signed((SumW + 1)'(u_dut.hop_o.worst));
  assign near = (SumW + 1)'(left) < $signed({1'b0, pass_i.grace});

  logic due_q, expired_q;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    check_q <= en[StageKey] && known_q[row[StageKey]];
    due_q <= (kind == LimitFirst && late) || (kind == LimitKeep && !late && near);
    expired_q <= kind == LimitWithdraw && late;
    live_at_q <= {live_at_q[StageCost], live_i[row[StageArrive]]};
    live_q <= live_at_q[StageKey];
  end

  always_ff @(posedge clk_i) begin
    // No change while a row is under way
    if (row_en_i || en_q != '0) assume (!insert_i);
    if (started_q) assume ($stable(pass_i));
    if (started_q && check_q) begin
      assert (due == due_q);
      assert (expired == (live_q && expired_q));
      assert (!(candidate || refused) || (live_q && !expired_q));
      assert (!(candidate && refused));
      if (!pass_i.active) assert (candidate == (live_q && !expired_q) && !refused);
    end
  end

`ifdef FORMAL_COVER
  always_ff @(posedge clk_i) begin
    cover (started_q && check_q && expired);
    cover (started_q && check_q && refused && !candidate);
    cover (started_q && check_q && due && candidate && kind == LimitKeep);
    cover (started_q && check_q && due && candidate && kind == LimitFirst);
  end
`endif

endmodule
