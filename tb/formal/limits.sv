// SPDX-License-Identifier: Apache-2.0
//
// Proof: limits in a lane. An entry is due if and only if its limit makes it go first. An entry
// that has expired is neither a candidate nor refused, and is reported as expired; no other entry
// is. After any insertion the row goes through the lane, for a hop of any length (proofs.toml cuts
// the hop unit's answer). Registers begin with any value. The harness looks at ports and at this
// net only.
//
// Parameters:
//   Rows      as in sched_lane
//   Features  as in sched_lane

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
  // Clock, rising edge.
  input logic             clk_i,

  // --- Any value in each cycle
  // Insert an entry; not while a row is under way.
  input logic             insert_i,
  // Row of the new entry.
  input logic [RowW-1:0]  insert_row_i,
  // Row in stage 0.
  input logic [RowW-1:0]  row_i,
  // A row enters stage 0.
  input logic             row_en_i,
  // Entries that may compete, one bit a row.
  input logic [Rows-1:0]  live_i,
  // Data of the new entry.
  input sched_types#(AngleW, CylW)::change_t change_i,

  // --- A constant of any value
  // Values of the pass.
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
    .Rows(Rows), .Lanes(1), .Lane(0), .AngleW(AngleW), .CylW(CylW), .SegM(2), .SegW(5), .SeqW(SeqW),
    .Features(Features)
  ) u_dut (
    .clk_i, .insert_i, .insert_end_i(1'b0), .change_row_i(insert_row_i), .change_i, .seq_i('0),
    .part_we_i(1'b0), .part_row_i('0), .part_i('0),
    .load_i('0), .live_i, .pass_i, .hop_cfg_i('0), .hop_i('0), .hop_o(), .en_i(en), .row_i(row),
    .fetch_i('0), .fetched_place_o(),
    .fetched_angle_o(), .candidate_o(candidate), .refused_o(refused), .due_o(due),
    .expired_o(expired), .key_o(), .rank_o()
  );

  // The entries that were inserted
  logic [Rows-1:0]            known_q = '0;
  e_pos_limit_e [Rows-1:0]    kind_q;
  logic [Rows-1:0][SumW-1:0]  limit_q;

  always_ff @(posedge clk_i) begin
    if (insert_i) begin
      known_q[insert_row_i] <= 1'b1;
      kind_q[insert_row_i] <= change_i.optional.limit_kind;
      limit_q[insert_row_i] <= change_i.optional.limit;
    end
  end

  // For the row that leaves stage 11, which arrives `worst` after the head's time
  logic                   started_q = 1'b0;
  logic                   check_q, live_q, late, near;
  logic [StageKey:StageCost] live_at_q;
  logic signed [SumW-1:0] left;
  e_pos_limit_e           kind;

  assign left = limit_q[row[StageKey]] - pass_i.head_time;
  assign kind = pass_i.ahead ? EPosLimitNone : kind_q[row[StageKey]];
  assign late = (SumW + 1)'(left) < $signed((SumW + 1)'(u_dut.hop_o.worst));
  assign near = (SumW + 1)'(left) < $signed({1'b0, pass_i.grace});

  logic due_q, expired_q;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    check_q <= en[StageKey] && known_q[row[StageKey]];
    due_q <= (kind == EPosLimitFirst && late) || (kind == EPosLimitKeep && !late && near);
    expired_q <= kind == EPosLimitWithdraw && late;
    live_at_q <= {live_at_q[StageCost], live_i[row[StageArrive]]};
    live_q <= live_at_q[StageKey];
  end

  always_ff @(posedge clk_i) begin
    // No change while a row is under way
    if (row_en_i || en_q != '0) assume (!insert_i);
    if (started_q) assume ($stable(pass_i));
    if (started_q && check_q) begin
      a_due_as_specified: assert (due == due_q);
      a_expired_as_specified: assert (expired == (live_q && expired_q));
      a_only_live_compete: assert (!(candidate || refused) || (live_q && !expired_q));
      a_candidate_or_refused: assert (!(candidate && refused));
      if (!pass_i.active)
        a_all_compete_without_guard: assert (candidate == (live_q && !expired_q) && !refused);
    end
  end

`ifdef FORMAL_COVER
  always_ff @(posedge clk_i) begin
    c_expired: cover (started_q && check_q && expired);
    c_refused: cover (started_q && check_q && refused && !candidate);
    c_kept: cover (started_q && check_q && due && candidate && kind == EPosLimitKeep);
    c_first: cover (started_q && check_q && due && candidate && kind == EPosLimitFirst);
  end
`endif

endmodule
