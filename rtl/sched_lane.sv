// SPDX-License-Identifier: Apache-2.0
//
// The module is one lane: its entries, one hop unit, and what a pass over the table computes for
// each entry. A decision computes the key and the deadline guard of the hop from the head to the
// entry. A pass for debts computes the debt from the entry's end to the next continuous command.
// Between passes the hop unit takes hops of the list. Entry r of lane l has tag r * Lanes + l.
//
// Parameters:
//   Rows      entries of the lane; Rows * Lanes is 4 to 256
//   Lanes     lanes of the accelerator: 1, 2, 4, 8 or 16
//   Lane      number of this lane, below Lanes
//   AngleW    bits of an angle, 12 to 20
//   CylW      bits of a cylinder number, 8 to 21
//   SegM      mantissa bits of the seek table, see sched_seek
//   SegW      segments of the seek table, see sched_seek
//   SeqW      bits of an insertion number, 2 to 24
//   Features  optional parts, see sched_core
// Latency:    A row takes twelve cycles from stage 0 to its candidate, which is valid in stage 12.
//             One row can enter in each cycle. en_i[n] enables the register after stage n for the
//             row there, row_i[n]. In stages 1 to 10 of lane 0 it may instead be for a hop of the
//             list; hop_i.en says which of the two.
// Handshake:  None. The configuration inputs are stable while rows are under way.

module sched_lane
  import sched_pkg::*;
  import sched_reg_pkg::*;
#(
  parameter int unsigned Rows = 8,
  parameter int unsigned Lanes = 4,
  parameter int unsigned Lane = 0,
  parameter int unsigned AngleW = 16,
  parameter int unsigned CylW = 18,
  parameter int unsigned SegM = 5,
  parameter int unsigned SegW = 9,
  parameter int unsigned SeqW = 24,
  parameter int unsigned Features = 0,
  localparam int unsigned TimeW = time_w(AngleW),
  localparam int unsigned SumW = sum_w(AngleW),
  localparam int unsigned KeyW = key_w(AngleW),
  localparam int unsigned RoomW = room_w(AngleW),
  localparam int unsigned PartW = SumW + 1,
  localparam int unsigned RowW = index_w(Rows),
  localparam int unsigned EntryW = index_w(Rows * Lanes)
) (
  // Clock of the lanes, gated.
  input  logic              clk_i,

  // --- Changes of the table
  // Write the start of an entry of this lane; see sched_table.
  input  logic              insert_i,
  // Write its end, in the cycle after insert_i.
  input  logic              insert_end_i,
  // Row that changes, valid with insert_i and insert_end_i.
  input  logic [RowW-1:0]   change_row_i,
  // Data of the change, valid with insert_i and insert_end_i.
  input  sched_types#(AngleW, CylW)::change_t change_i,
  // Insertion number of the next entry; ranks are relative to it.
  input  logic [SeqW-1:0]   seq_i,
  // Write the part of an entry of this lane.
  input  logic              part_we_i,
  // Row of the part, valid with part_we_i.
  input  logic [RowW-1:0]   part_row_i,
  // Part of the entry in the sweep, ticks, signed; valid with part_we_i.
  input  logic signed [PartW-1:0] part_i,

  // --- Seek table and configuration
  // Writes to the seek table; only while no row or hop is under way.
  input  sched_seek_types#(AngleW, CylW, SegM, SegW)::load_t load_i,
  // Entries that may compete, one bit a tag; looked at in stage 9.
  input  logic [Rows*Lanes-1:0] live_i,
  // Values of the pass; stable while rows are under way.
  input  sched_types#(AngleW, CylW)::pass_t pass_i,
  // Configuration of hops. Index of overhead: {1, to a write, from a write} for a hop of the list
  // from an entry's end, {0, 0, the entry writes} for a pass or a hop from the head.
  input  sched_types#(AngleW, CylW)::hop_cfg_t hop_cfg_i,

  // --- Hops of the list
  // Hop from the head or an entry's end to an entry's start; used in lane 0, between passes.
  input  sched_types#(AngleW, CylW)::hop_req_t hop_i,
  // Answer of the hop unit, in stage 11.
  output sched_types#(AngleW, CylW)::hop_rsp_t hop_o,

  // --- Pipeline
  // Enables: en_i[n] for the register after stage n.
  input  logic [StageKey:0] en_i,
  // Row in each stage.
  input  logic [StageKey:0][RowW-1:0] row_i,

  // --- End of an entry, for the look-ahead
  // fetch_i[n] is high while the row to fetch is in stage n.
  input  logic [StageSeek:0] fetch_i,
  // Where the fetched entry ends, in stage 1.
  output sched_types#(AngleW, CylW)::place_t fetched_place_o,
  // Angle of its end, ticks, inverted; in stage 8.
  output logic [AngleW-1:0] fetched_angle_o,

  // --- Stage 12
  // The entry competes and passes the guard.
  output logic              candidate_o,
  // The entry competes, but the guard refuses it.
  output logic              refused_o,
  // The entry goes first because of its limit.
  output logic              due_o,
  // The entry would miss its limit and does not compete.
  output logic              expired_o,
  // Key, ticks, signed; a smaller key is better.
  output logic signed [KeyW-1:0] key_o,
  // Age in insertions: less is older.
  output logic [SeqW-1:0]   rank_o
);

  if (Rows < 1 || Rows > 256 || !lanes_ok(Lanes) ||
      Rows * Lanes < 4 || Rows * Lanes > 256) begin : g_bad_entries
    $error("sched_lane: Lanes must be 1, 2, 4, 8 or 16, and Rows * Lanes 4 to 256");
  end
  if (Lane >= Lanes) begin : g_bad_lane
    $error("sched_lane: Lane must be below Lanes");
  end
  if (!angle_ok(AngleW)) begin : g_bad_angle_w
    $error("sched_lane: AngleW must be 12 to 20");
  end
  if (!seek_ok(CylW, SegM, SegW)) begin : g_bad_seek_table
    $error("sched_lane: CylW must be 8 to 21, SegM 2 to 5, SegW at most 10, a segment a cell");
  end
  if (!seq_ok(SeqW)) begin : g_bad_seq
    $error("sched_lane: SeqW must be 2 to 24");
  end
  if (!features_ok(Features)) begin : g_bad_features
    $error("sched_lane: Features must be at most 15");
  end

  localparam int unsigned DebtW = debt_w(AngleW);
  localparam int unsigned NeedW = RoomW + 1;
  // Ageing with a weight takes three more stages.
  localparam int unsigned StageAge = has(Features, FeatureAgeing) ? StageLookup : StageSeek;

  // Entries
  sched_types#(AngleW, CylW)::place_t place;
  logic [AngleW-1:0] angle;
  logic              continuous, next_q;
  logic [SumW-1:0]   age, limit;
  e_pos_limit_e      limit_kind;
  logic [AngleW-1:0] rest;
  logic [SeqW-1:0]   seq;
  logic signed [DebtW-1:0] extra, new_debt;

  sched_table #(
    .Rows  (Rows),
    .AngleW(AngleW),
    .CylW  (CylW),
    .SeqW  (SeqW),
    .Features(Features)
  ) u_table (
    .clk_i,
    .insert_i,
    .insert_end_i,
    .row_i        (change_row_i),
    .change_i,
    .seq_i,
    .part_we_i,
    .part_row_i,
    .part_i,
    .debt_we_i    (en_i[StageKey] && pass_i.onward),
    .debt_row_i   (row_i[StageKey]),
    .debt_i       (new_debt),
    .onward_i     (pass_i.onward),
    .place_end_i  (pass_i.onward || fetch_i[0]),
    .place_en_i   (en_i[0]),
    .place_row_i  (row_i[0]),
    .place_o      (place),
    .angle_en_i   (en_i[StageMultiply] || fetch_i[StageMultiply]),
    .angle_end_i  (pass_i.onward || fetch_i[StageMultiply]),
    .angle_row_i  (row_i[StageMultiply]),
    .angle_o      (angle),
    .rest_o       (rest),
    .age_en_i     (en_i[StageAge]),
    .age_row_i    (row_i[StageAge]),
    .continuous_o (continuous),
    .age_o        (age),
    .extra_en_i   (en_i[StageArrive]),
    .extra_clear_i(next_q),
    .extra_row_i  (row_i[StageArrive]),
    .extra_o      (extra),
    .limit_en_i   (en_i[StageSeek]),
    .limit_row_i  (row_i[StageSeek]),
    .limit_kind_o (limit_kind),
    .limit_o      (limit),
    .seq_en_i     (en_i[StageCost]),
    .seq_row_i    (row_i[StageCost]),
    .seq_o        (seq)
  );

  // Stage 1: the two places of the hop. A pass for debts swaps them, which changes neither the
  // distance nor the head switch. Stage 8: the angles; (~end) - (~next) = next - end.
  logic                               hop, hop_place, hop_angle;
  sched_types#(AngleW, CylW)::place_t from, to;
  logic [2:0]                         overhead_sel;
  logic [AngleW-1:0]                  from_angle, to_angle, hop_rest;

  assign hop = Lane == 0 && hop_i.en[StageDistance];
  assign hop_place = hop && !hop_i.head;
  assign from = hop_place ? hop_i.from : pass_i.place;
  assign to.cyl = hop ? hop_i.to.cyl : place.cyl;
  assign to.head = hop ? hop_i.to.head : place.head;
  assign to.write = hop ? hop_i.to.write : pass_i.onward ? pass_i.place.write : place.write;
  assign overhead_sel = hop_place ? {1'b1, hop_i.to.write, hop_i.from.write} :
      {2'b00, hop ? hop_i.to.write : place.write};
  assign hop_angle = Lane == 0 && hop_i.en[StageSeek];
  assign from_angle = (hop_angle && !hop_i.angle_head) ? hop_i.from_angle : pass_i.angle;
  assign to_angle = hop_angle ? hop_i.to_angle : angle;
  assign hop_rest = (hop_angle || pass_i.onward || pass_i.ahead) ? '0 : rest;
  assign fetched_place_o = place;
  assign fetched_angle_o = angle;

  sched_hop #(
    .AngleW(AngleW),
    .CylW  (CylW),
    .SegM  (SegM),
    .SegW  (SegW),
    .Features(Features)
  ) u_hop (
    .clk_i,
    .load_i,
    .cfg_i         (hop_cfg_i),
    .en_i          (en_i[StageCost:StageDistance]),
    .from_i        (from),
    .to_i          (to),
    .overhead_sel_i(overhead_sel),
    .from_angle_i  (from_angle),
    .to_angle_i    (to_angle),
    .rest_i        (hop_rest),
    .hop_o
  );

  // Stage 9: the time that the entry has waited, and whether it is NEXT. Stage 10: the room of the
  // sweep plus the debt of the entry (pass for debts: its part), and whether the entry competes.
  logic                    live_q, competes_q, continuous_q, next_cost_q;
  logic signed [RoomW:0]   room_q;
  logic [TimeW-1:0]        aged_cost_q;
  logic signed [KeyW-1:0]  aged, aged_q, aged_risky_q;

  always_ff @(posedge clk_i) begin
    if (en_i[StageSeek]) begin
      next_q <= TagW'(row_i[StageSeek]) * TagW'(Lanes) + TagW'(Lane) == pass_i.next_tag;
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_i[StageArrive]) begin
      next_cost_q <= next_q;
      live_q <= live_i[EntryW'(TagW'(row_i[StageArrive]) * TagW'(Lanes) + TagW'(Lane))];
    end
  end

  function automatic logic [TimeW-1:0] as_time(logic [SumW-1:0] value);
    return value[TimeW-1:0] | {TimeW{|value[SumW-1:TimeW]}};
  endfunction

  if (has(Features, FeatureAgeing)) begin : g_ageing
    localparam int unsigned ProductW = CapW + ScaleW;
    localparam int unsigned WeightedW = ProductW - ScaleFraction;

    logic [SumW-1:0]     waited_q;
    logic [CapW-1:0]     capped_q;
    logic [TimeW-1:0]    plain_q, plain_seek_q;
    logic [ProductW-1:0] product_q;
    logic [WeightedW-1:0] weighted;
    logic [StageArrive:StageMultiply] continuous_age_q;
    logic                continuous_line_q;

    // Stages 6 to 9: the time waited, its cap, its weight
    always_ff @(posedge clk_i) begin
      if (en_i[StageLine]) begin
        waited_q <= pass_i.age_now - age;
        continuous_line_q <= continuous;
      end
      if (en_i[StageMultiply]) begin
        capped_q <= (waited_q > SumW'(pass_i.ageing.cap)) ? pass_i.ageing.cap : waited_q[CapW-1:0];
        plain_q <= as_time(waited_q);
        continuous_age_q[StageMultiply] <= continuous_line_q;
      end
      if (en_i[StageSeek]) begin
        product_q <= ProductW'(capped_q) * ProductW'(pass_i.ageing.scale);
        plain_seek_q <= plain_q;
        continuous_age_q[StageSeek] <= continuous_age_q[StageMultiply];
      end
    end

    assign weighted = product_q[ProductW-1:ScaleFraction];

    always_ff @(posedge clk_i) begin
      if (en_i[StageArrive]) begin
        continuous_age_q[StageArrive] <= continuous_age_q[StageSeek];
        if (!pass_i.ageing.scaled) begin
          aged_cost_q <= plain_seek_q;
        end else if (|(weighted >> TimeW)) begin
          aged_cost_q <= '1;
        end else begin
          aged_cost_q <= TimeW'(weighted);
        end
      end
    end

    assign continuous_q = continuous_age_q[StageArrive];

    // Stage 10: the value that is subtracted from the cost
    always_comb begin
      aged = KeyW'({2'b00, aged_cost_q});
      if (pass_i.ageing.defer_c && continuous_q) begin
        aged = -KeyW'({3'b000, pass_i.ageing.defer});
      end
      if (pass_i.ahead) begin
        aged = '0;
      end
    end

    logic unused_product;
    assign unused_product = ^product_q[ScaleFraction-1:0];
  end else begin : g_plain_ageing
    logic [SumW-1:0] waited;

    assign waited = pass_i.age_now - age;

    always_ff @(posedge clk_i) begin
      if (en_i[StageArrive]) begin
        continuous_q <= continuous;
        aged_cost_q <= as_time(waited);
      end
    end

    assign aged = pass_i.ahead ? '0 : KeyW'({2'b00, aged_cost_q});

    logic unused_ageing;
    assign unused_ageing = ^pass_i.ageing;
  end

  always_ff @(posedge clk_i) begin
    if (en_i[StageCost]) begin
      room_q <= (RoomW + 1)'(pass_i.room) + (RoomW + 1)'(extra);
      aged_q <= aged;
      aged_risky_q <= aged - KeyW'(pass_i.risk_charge);
      competes_q <= live_q &&
          !(pass_i.active && pass_i.next_c_only && continuous_q && !next_cost_q);
    end
  end

  // Stages 9 and 10: the time until the limit
  logic signed [SumW-1:0] left;
  e_pos_limit_e           kind;
  logic                   near;

  if (has(Features, FeatureLimits)) begin : g_limits
    logic signed [SumW-1:0] left_arrive_q, left_q;
    e_pos_limit_e           kind_arrive_q, kind_q;
    logic                   near_q;

    always_ff @(posedge clk_i) begin
      if (en_i[StageArrive]) begin
        left_arrive_q <= limit - pass_i.head_time;
        kind_arrive_q <= pass_i.ahead ? EPosLimitNone : limit_kind;
      end
      if (en_i[StageCost]) begin
        left_q <= left_arrive_q;
        kind_q <= kind_arrive_q;
        near_q <= (SumW + 1)'(left_arrive_q) < $signed({1'b0, pass_i.grace});
      end
    end

    assign left = left_q;
    assign kind = kind_q;
    assign near = near_q;
  end else begin : g_no_limits
    logic unused_limit;
    assign unused_limit = ^{limit, limit_kind, pass_i.head_time, pass_i.grace};
    assign left = '0;
    assign kind = EPosLimitNone;
    assign near = 1'b0;
  end

  // Live, whatever the guard and CTRL.NEXT_C_ONLY say
  logic live_cost_q;

  always_ff @(posedge clk_i) begin
    if (en_i[StageCost]) begin
      live_cost_q <= live_q;
    end
  end

  // Stage 11: key and guard, or debt. An entry passes if need - left - 1 is negative. Insertion
  // numbers count from the next one to be given, so the oldest entry has the smallest.
  function automatic logic signed [NeedW-1:0] need_of(logic signed [RoomW:0] room,
                                                      logic [TimeW-1:0] worst);
    return NeedW'(room) + NeedW'($signed({1'b0, worst}));
  endfunction

  assign new_debt = DebtW'(need_of(room_q, hop_o.worst));

  always_ff @(posedge clk_i) begin
    if (en_i[StageKey]) begin
      automatic logic passed = !pass_i.active || need_of(room_q, hop_o.worst) < 0;
      automatic logic late = (SumW + 1)'(left) < $signed((SumW + 1)'(hop_o.worst));
      automatic logic expired = kind == EPosLimitWithdraw && late;

      candidate_o <= competes_q && passed && !expired;
      refused_o <= competes_q && !passed && !expired;
      due_o <= (kind == EPosLimitFirst && late) || (kind == EPosLimitKeep && near && !late);
      expired_o <= live_cost_q && expired;
      rank_o <= seq - seq_i;
      key_o <= KeyW'({2'b00, hop_o.reach}) - (hop_o.risky ? aged_risky_q : aged_q);
    end
  end

  logic unused_row;
  assign unused_row = ^{row_i[StageLine:StageDistance], fetch_i, hop_i.en};

endmodule
