// SPDX-License-Identifier: Apache-2.0
//
// The module computes the cost of a hop: overhead, positioning and rotational wait from one place
// on the disk to another.
//
// Parameters:
//   AngleW    bits of an angle, 12 to 20
//   CylW      bits of a cylinder number, 8 to 18
//   SegM      mantissa bits of the seek table, see sched_seek
//   SegW      segments of the seek table, see sched_seek
//   Features  optional parts, see sched_core
// Latency:    A hop takes ten cycles, and one hop can enter in each cycle. Places are taken in
//             stage 1, angles in stage 8. The cost is valid in stage 11.
// Handshake:  None. The configuration inputs are stable while hops are under way.
//
// The positioning is clamped before the overhead is added. An overhead is not negative, so sat(ov +
// sat(x + settle)) = (x + settle < 0) ? ov : sat(x + (ov + settle)). Stage 9 therefore needs only
// one addition after the seek time. As t + ((a - t) mod 2^AngleW) is congruent to a, the low bits
// of the cost are the difference of the angles. Only its top bits need an addition.
//
// With FeatureZeroLatency a hop has a rest (zero: none). If it would wait for the rest or longer,
// it ends on arrival, in the middle of the sectors. If rest_cost is set, it ends the rest later.

module sched_hop
  import sched_pkg::*;
  import sched_reg_pkg::*;
#(
  parameter int unsigned AngleW = 16,
  parameter int unsigned CylW = 18,
  parameter int unsigned SegM = 5,
  parameter int unsigned SegW = 9,
  parameter int unsigned Features = 0,
  localparam int unsigned TimeW = time_w(AngleW)
) (
  // Clock of the lanes, gated.
  input  logic              clk_i,

  // Writes to the seek table; only while no hop is under way.
  input  sched_seek_types#(AngleW, CylW, SegM, SegW)::load_t load_i,
  // Configuration; stable while hops are under way.
  input  sched_types#(AngleW, CylW)::hop_cfg_t cfg_i,

  // Enables: en_i[n] for the register after stage n.
  input  logic [StageCost:StageDistance] en_i,

  // --- Stage 1
  // Where the hop begins; its field write is not used.
  input  sched_types#(AngleW, CylW)::place_t from_i,
  // Where the hop ends; write: the access there writes.
  input  sched_types#(AngleW, CylW)::place_t to_i,
  // Index of the overhead: {from an entry's end, to a write, from a write}.
  input  logic [2:0]        overhead_sel_i,

  // --- Stage 8
  // Angle at which the hop begins, ticks.
  input  logic [AngleW-1:0] from_angle_i,
  // Angle at which the hop must end, ticks.
  input  logic [AngleW-1:0] to_angle_i,
  // Rest of the access, ticks; zero: none.
  input  logic [AngleW-1:0] rest_i,

  // --- Stage 11
  // Cost and worst cost of the hop.
  output sched_types#(AngleW, CylW)::hop_rsp_t hop_o
);

  if (!angle_ok(AngleW)) begin : g_bad_angle_w
    $error("sched_hop: AngleW must be 12 to 20");
  end
  if (!seek_ok(CylW, SegM, SegW)) begin : g_bad_seek_table
    $error("sched_hop: CylW must be 8 to 18, SegM 2 to 5, SegW at most 10 and enough for a segment a cell");
  end
  if (!features_ok(Features)) begin : g_bad_features
    $error("sched_hop: Features must be at most 15");
  end

  localparam int unsigned WideW = TimeW + 3;   // signed sums of three times
  localparam int unsigned TurnW = TimeW - AngleW;

  typedef logic signed [WideW-1:0] wide_t;

  function automatic wide_t plain(logic [TimeW-1:0] value);
    return {3'b000, value};
  endfunction

  function automatic wide_t signed_time(logic [TimeW-1:0] value);
    return {{3{value[TimeW-1]}}, value};
  endfunction

  function automatic logic is_negative(wide_t value);
    return value < 0;
  endfunction

  // Clamps a sum that is not negative.
  function automatic logic [TimeW-1:0] clamp(wide_t value);
    return value[TimeW-1:0] | {TimeW{|value[WideW-1:TimeW]}};
  endfunction

  // Stage 1: the distance, and which of the configured times apply. The latter travel to the stage
  // that needs them.
  logic [CylW-1:0] distance_q;
  logic            moves;
  logic [StageArrive:StageCell] switch_q;
  logic [StageSegment:StageCell] to_write_q;
  logic [StageArrive:StageLookup] settle_q;
  logic [StageLine:StageCell][2:0] overhead_sel_q;

  always_ff @(posedge clk_i) begin
    if (en_i[StageDistance]) begin
      distance_q <= (to_i.cyl > from_i.cyl) ? to_i.cyl - from_i.cyl : from_i.cyl - to_i.cyl;
      switch_q[StageCell] <= from_i.head != to_i.head;
      to_write_q[StageCell] <= to_i.write;
      overhead_sel_q[StageCell] <= overhead_sel_i;
    end
    if (en_i[StageSegment]) begin
      settle_q[StageLookup] <= to_write_q[StageSegment] && (moves || switch_q[StageSegment]);
    end
  end

  for (genvar stage = StageCell; stage < StageArrive; stage++) begin : g_apply
    always_ff @(posedge clk_i) begin
      if (en_i[stage]) begin
        switch_q[stage+1] <= switch_q[stage];
      end
    end
    if (stage < StageSegment) begin : g_to_write
      always_ff @(posedge clk_i) begin
        if (en_i[stage]) begin
          to_write_q[stage+1] <= to_write_q[stage];
        end
      end
    end else if (stage >= StageLookup) begin : g_settle
      always_ff @(posedge clk_i) begin
        if (en_i[stage]) begin
          settle_q[stage+1] <= settle_q[stage];
        end
      end
    end
  end

  for (genvar stage = StageCell; stage < StageLine; stage++) begin : g_overhead
    always_ff @(posedge clk_i) begin
      if (en_i[stage]) begin
        overhead_sel_q[stage+1] <= overhead_sel_q[stage];
      end
    end
  end

  logic unused_from;
  assign unused_from = from_i.write;

  // Stages 2 to 8: seek time
  logic [TimeW-1:0] seek;

  sched_seek #(
    .AngleW(AngleW),
    .CylW  (CylW),
    .SegM  (SegM),
    .SegW  (SegW)
  ) u_seek (
    .clk_i,
    .load_i,
    .en_i      (en_i[StageSeek:StageCell]),
    .distance_i(distance_q),
    .moves_o   (moves),
    .seek_o    (seek)
  );

  // Stages 6 to 8: the overhead; the overhead with settle; and the arrival for the case that the
  // sum in stage 9 does not count. That is the overhead alone, or with a head switch that takes
  // longer than the seek.
  logic [TimeW-1:0]        overhead_q, overhead_seek_q, other_q;
  logic [TimeW-1:0]        settle_time_q;               // zero if no settle applies
  logic signed [TimeW+1:0] fixed_multiply_q, fixed_q;   // overhead + settle
  // a head switch, and head switch + settle >= 0
  logic                    switches_q;

  always_ff @(posedge clk_i) begin
    if (en_i[StageLine]) begin
      overhead_q <= cfg_i.overhead[overhead_sel_q[StageLine]];
      if (!settle_q[StageLine]) begin
        settle_time_q <= '0;
      end else begin
        settle_time_q <= cfg_i.write_settle;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_i[StageMultiply]) begin
      overhead_seek_q <= overhead_q;
      fixed_multiply_q <= (TimeW + 2)'(signed_time(settle_time_q) + plain(overhead_q));
      switches_q <= switch_q[StageMultiply] && !(settle_q[StageMultiply] && cfg_i.switch_early);
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_i[StageSeek]) begin
      fixed_q <= fixed_multiply_q;
      other_q <= switches_q ? clamp(wide_t'(fixed_multiply_q) + plain(cfg_i.head_switch)) :
          overhead_seek_q;
    end
  end

  // Stage 8: difference of the angles. Stage 9: arrival; the difference less each of the two limits
  // of a wait
  logic [TimeW-1:0]  arrival_q;
  logic [AngleW-1:0] turn_arrive_q, turn_q;
  logic [AngleW:0]   past_margin_q, past_risk_q;
  logic              other;

  assign other = (switch_q[StageArrive] && seek < cfg_i.head_switch) ||
      (settle_q[StageArrive] && is_negative(plain(seek) + signed_time(cfg_i.write_settle)));

  always_ff @(posedge clk_i) begin
    if (en_i[StageSeek]) begin
      turn_arrive_q <= to_angle_i - from_angle_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_i[StageArrive]) begin
      arrival_q <= other ? other_q : clamp(plain(seek) + wide_t'(fixed_q));
      turn_q <= turn_arrive_q;
      past_margin_q <= {1'b0, turn_arrive_q} - {1'b0, cfg_i.margin};
      past_risk_q <= {1'b0, turn_arrive_q} - {1'b0, cfg_i.risk};
    end
  end

  // Stage 10: rotational wait and cost. The wait is (turn - at) mod 2^AngleW. While turn >= at, it
  // is less than a limit if turn - limit < at. Otherwise it is less if turn + 2^AngleW - limit <
  // at. The three comparisons run in parallel.
  function automatic logic is_within(logic borrow, logic [AngleW:0] past, logic [AngleW-1:0] at);
    logic less;
    less = past[AngleW-1:0] < at;
    return borrow ? past[AngleW] && less : past[AngleW] || less;
  endfunction

  // Turns of the arrival + borrow + more; one of the two enters as a carry.
  function automatic logic [TurnW-1:0] turns_of(logic [TurnW-1:0] turns, logic borrow, logic more);
    logic [TurnW:0] sum;
    sum = {turns, 1'b1} + {{(TurnW - 1){1'b0}}, borrow, more};
    return TurnW'(sum >> 1);
  endfunction

  // High if that sum overflows.
  function automatic logic too_many(logic most, logic most_but_one, logic borrow, logic more);
    return (most && (borrow || more)) || (most_but_one && borrow && more);
  endfunction

  logic              rests;
  logic [AngleW:0]   past_rest;
  logic [AngleW-1:0] charge;

  if (has(Features, FeatureZeroLatency)) begin : g_zero_latency
    logic [AngleW-1:0] rest_q, charge_q;
    logic [AngleW:0]   past_rest_q;
    logic              rests_q;

    always_ff @(posedge clk_i) begin
      if (en_i[StageSeek]) begin
        rest_q <= rest_i;
      end
    end

    always_ff @(posedge clk_i) begin
      if (en_i[StageArrive]) begin
        past_rest_q <= {1'b0, turn_arrive_q} - {1'b0, rest_q};
        rests_q <= |rest_q;
        charge_q <= rest_q & {AngleW{cfg_i.rest_cost}};
      end
    end

    assign rests = rests_q;
    assign past_rest = past_rest_q;
    assign charge = charge_q;
  end else begin : g_in_order
    logic unused_rest;
    assign unused_rest = ^{rest_i, cfg_i.rest_cost};
    assign rests = 1'b0;
    assign past_rest = '0;
    assign charge = '0;
  end

  // A hop with a rest does not wait a turn for a late arrival. It ends on arrival, and the access
  // begins in the middle of its sectors, if the wait is not within the rest.
  always_ff @(posedge clk_i) begin
    if (en_i[StageCost]) begin
      automatic logic [AngleW-1:0] arrives = arrival_q[AngleW-1:0];
      automatic logic [TurnW-1:0]  turns = arrival_q[TimeW-1:AngleW];
      automatic logic              most = turns == '1;
      automatic logic              most_but_one = turns == TurnW'(-2);
      automatic logic              borrow = turn_q < arrives;
      automatic logic              late = is_within(borrow, past_margin_q, arrives);
      automatic logic              within_risk = is_within(borrow, past_risk_q, arrives);
      automatic logic [TimeW:0]    over_time = {1'b0, arrival_q} + (TimeW + 1)'(charge);

      hop_o.risky <= within_risk && !late && !rests;
      if (rests && !is_within(borrow, past_rest, arrives)) begin
        hop_o.reach <= over_time[TimeW-1:0] | {TimeW{over_time[TimeW]}};
      end else if (too_many(most, most_but_one, borrow, late && !rests)) begin
        hop_o.reach <= '1;
      end else begin
        hop_o.reach <= {turns_of(turns, borrow, late && !rests), turn_q};
      end
      if (too_many(most, most_but_one, borrow, late || within_risk)) begin
        hop_o.worst <= '1;
      end else begin
        hop_o.worst <= {turns_of(turns, borrow, late || within_risk), turn_q};
      end
    end
  end

endmodule
