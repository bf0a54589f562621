// SPDX-License-Identifier: Apache-2.0
//
// One lane: its entries, one hop unit, and what a pass over the table makes of a hop: the key and the deadline guard
// (from the head to each entry), or the debt (from each entry's end to the next continuous command).
// Between passes the hop unit takes hops of the list's entries. Entry r of lane l has tag
// r * Lanes + l.
//
// Parameters: Rows (entries of the lane), Lanes, Lane (number of this lane), AngleW, CylW, SegM,
//             SegW, SeqW (see sched_core).
// Latency:    eleven cycles from a row in stage 0 to its candidate, valid in stage 12; one row a
//             cycle. en_i[n] enables the register after stage n, row_i[n] is the row in stage n; a
//             hop of the list takes part in stages 1 to 10.
// Handshake:  none. The configuration inputs are stable while rows are under way.

module sched_lane
  import sched_pkg::*;
#(
  parameter int unsigned Rows = 8,
  parameter int unsigned Lanes = 4,
  parameter int unsigned Lane = 0,
  parameter int unsigned AngleW = 16,
  parameter int unsigned CylW = 18,
  parameter int unsigned SegM = 5,
  parameter int unsigned SegW = 9,
  parameter int unsigned SeqW = 24,
  localparam int unsigned TimeW = time_w(AngleW),
  localparam int unsigned SumW = sum_w(AngleW),
  localparam int unsigned KeyW = key_w(AngleW),
  localparam int unsigned RoomW = room_w(AngleW),
  localparam int unsigned PartW = SumW + 1,
  localparam int unsigned RowW = index_w(Rows),
  localparam int unsigned CellIndexW = index_w(cells(CylW, SegM)),
  localparam int unsigned CellW = cell_w(CylW, SegM, SegW),
  localparam int unsigned SegmentW = segment_w(AngleW)
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  // Changes of the table
  input  logic              insert_i,
  input  logic              insert_end_i,
  input  logic              remove_i,
  input  logic [RowW-1:0]   change_row_i,
  input  logic [CylW-1:0]   place_cyl_i,
  input  logic [HeadW-1:0]  place_head_i,
  input  logic [AngleW-1:0] place_angle_i,
  input  logic              write_i,
  input  logic              continuous_i,
  input  logic [SumW-1:0]   age_i,
  input  logic [SeqW-1:0]   seq_i,
  output logic [Rows-1:0]   valid_o,
  input  logic              part_we_i,
  input  logic [RowW-1:0]   part_row_i,
  input  logic signed [PartW-1:0] part_i,

  // Seek table
  input  logic              cell_we_i,
  input  logic [CellIndexW-1:0] cell_index_i,
  input  logic [CellW-1:0]  cell_data_i,
  input  logic              segment_we_i,
  input  logic [SegW-1:0]   segment_index_i,
  input  logic [SegmentW-1:0] segment_data_i,

  // Configuration
  input  logic              onward_i,          // the pass is for debts
  input  logic              active_i,          // the guard applies
  input  logic              next_c_only_i,
  input  logic [Rows-1:0]   mask_i,            // entries that may compete
  input  logic [CylW-1:0]   ref_cyl_i,         // the head, or NEXT in a pass for debts
  input  logic [HeadW-1:0]  ref_head_i,
  input  logic              ref_write_i,
  input  logic [AngleW-1:0] ref_angle_i,       // of NEXT: inverted
  input  logic [TagW-1:0]   next_tag_i,
  input  logic [SumW-1:0]   age_now_i,
  input  logic [AngleW-1:0] margin_i,
  input  logic [AngleW-1:0] risk_i,
  input  logic [AngleW-1:0] risk_charge_i,
  input  logic [TimeW-1:0]  head_switch_i,
  input  logic [TimeW-1:0]  write_settle_i,
  input  logic              switch_early_i,
  // {a hop of the list from an entry's end, to a write, from a write}; in a pass, and from the head: {0, 0, the entry
  // writes}
  input  logic [7:0][TimeW-1:0] overhead_i,
  input  logic signed [RoomW-1:0] room_i,

  // Hops of the list: from the head or an entry's end to an entry's start
  input  logic              hop_i,             // stage 1
  input  logic              hop_head_i,
  input  logic [CylW-1:0]   hop_from_cyl_i,
  input  logic [HeadW-1:0]  hop_from_head_i,
  input  logic              hop_from_write_i,
  input  logic [CylW-1:0]   hop_to_cyl_i,
  input  logic [HeadW-1:0]  hop_to_head_i,
  input  logic              hop_to_write_i,
  input  logic              hop_angle_i,       // stage 8
  input  logic              hop_angle_head_i,
  input  logic [AngleW-1:0] hop_from_angle_i,
  input  logic [AngleW-1:0] hop_to_angle_i,
  output logic [TimeW-1:0]  reach_o,           // stage 11
  output logic [TimeW-1:0]  worst_o,
  output logic              risky_o,

  // Pipeline
  input  logic [StageKey:0] en_i,
  input  logic [StageKey:0][RowW-1:0] row_i,

  // Stage 12
  output logic              candidate_o,
  output logic              refused_o,
  output logic signed [KeyW-1:0] key_o,
  output logic [SeqW-1:0]   rank_o             // less: older
);

  localparam int unsigned DebtW = debt_w(AngleW);
  localparam int unsigned NeedW = RoomW + 1;

  // Entries
  logic [CylW-1:0]   cyl;
  logic [HeadW-1:0]  head;
  logic [AngleW-1:0] angle;
  logic              write, continuous, next_q;
  logic [SumW-1:0]   age;
  logic [SeqW-1:0]   seq;
  logic signed [DebtW-1:0] extra, new_debt;

  sched_table #(
    .Rows  (Rows),
    .AngleW(AngleW),
    .CylW  (CylW),
    .SeqW  (SeqW)
  ) u_table (
    .clk_i,
    .rst_ni,
    .insert_i,
    .insert_end_i,
    .remove_i,
    .row_i        (change_row_i),
    .place_cyl_i,
    .place_head_i,
    .place_angle_i,
    .write_i,
    .continuous_i,
    .age_i,
    .seq_i,
    .valid_o,
    .part_we_i,
    .part_row_i,
    .part_i,
    .debt_we_i    (en_i[StageKey] && onward_i),
    .debt_row_i   (row_i[StageKey]),
    .debt_i       (new_debt),
    .onward_i,
    .place_en_i   (en_i[0]),
    .place_row_i  (row_i[0]),
    .cyl_o        (cyl),
    .head_o       (head),
    .write_o      (write),
    .angle_en_i   (en_i[StageMultiply]),
    .angle_row_i  (row_i[StageMultiply]),
    .angle_o      (angle),
    .age_en_i     (en_i[StageSeek]),
    .age_row_i    (row_i[StageSeek]),
    .continuous_o (continuous),
    .age_o        (age),
    .extra_en_i   (en_i[StageArrive]),
    .extra_clear_i(next_q),
    .extra_row_i  (row_i[StageArrive]),
    .extra_o      (extra),
    .seq_en_i     (en_i[StageCost]),
    .seq_row_i    (row_i[StageCost]),
    .seq_o        (seq)
  );

  // Stage 1: the two places of the hop, of which a pass for debts has swapped the order: neither the distance nor a
  // switch of the head minds. Stage 8: its angles; (~end) - (~next) = next - end.
  logic              hop_place;
  logic [CylW-1:0]   ref_cyl, entry_cyl;
  logic [HeadW-1:0]  ref_head, entry_head;
  logic              to_write;
  logic [2:0]        overhead_sel;
  logic [AngleW-1:0] ref_angle, entry_angle;

  assign hop_place = hop_i && !hop_head_i;
  assign ref_cyl = hop_place ? hop_from_cyl_i : ref_cyl_i;
  assign ref_head = hop_place ? hop_from_head_i : ref_head_i;
  assign entry_cyl = hop_i ? hop_to_cyl_i : cyl;
  assign entry_head = hop_i ? hop_to_head_i : head;
  assign to_write = hop_i ? hop_to_write_i : onward_i ? ref_write_i : write;
  assign overhead_sel = hop_place ? {1'b1, hop_to_write_i, hop_from_write_i} :
      {2'b00, hop_i ? hop_to_write_i : write};
  assign ref_angle = (hop_angle_i && !hop_angle_head_i) ? hop_from_angle_i : ref_angle_i;
  assign entry_angle = hop_angle_i ? hop_to_angle_i : angle;

  sched_hop #(
    .AngleW(AngleW),
    .CylW  (CylW),
    .SegM  (SegM),
    .SegW  (SegW)
  ) u_hop (
    .clk_i,
    .cell_we_i,
    .cell_index_i,
    .cell_data_i,
    .segment_we_i,
    .segment_index_i,
    .segment_data_i,
    .margin_i,
    .risk_i,
    .head_switch_i,
    .write_settle_i,
    .switch_early_i,
    .overhead_i,
    .en_i          (en_i[StageCost:StageDistance]),
    .from_cyl_i    (ref_cyl),
    .from_head_i   (ref_head),
    .to_cyl_i      (entry_cyl),
    .to_head_i     (entry_head),
    .to_write_i    (to_write),
    .overhead_sel_i(overhead_sel),
    .from_angle_i  (ref_angle),
    .to_angle_i    (entry_angle),
    .reach_o,
    .worst_o,
    .risky_o
  );

  // Stage 9: what the entry has waited; is it NEXT? Stage 10: what the sweep has to spare, less what the entry adds
  // (in a pass for debts: its part); does it compete?
  logic                    live_q, competes_q, continuous_q, next_cost_q;
  logic [Rows-1:0]         live_rows_q;
  logic [SumW-1:0]         waited;
  logic signed [RoomW:0]   room_q;
  logic [TimeW-1:0]        aged_cost_q, aged_q;
  logic signed [KeyW-1:0]  aged_risky_q;

  assign waited = age_now_i - age;

  always_ff @(posedge clk_i) begin
    live_rows_q <= valid_o & mask_i;
  end

  always_ff @(posedge clk_i) begin
    if (en_i[StageSeek]) begin
      next_q <= TagW'(row_i[StageSeek]) * TagW'(Lanes) + TagW'(Lane) == next_tag_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_i[StageArrive]) begin
      next_cost_q <= next_q;
      live_q <= live_rows_q[row_i[StageArrive]];
      continuous_q <= continuous;
      if (|waited[SumW-1:TimeW]) begin
        aged_cost_q <= '1;
      end else begin
        aged_cost_q <= waited[TimeW-1:0];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_i[StageCost]) begin
      room_q <= (RoomW + 1)'(room_i) + (RoomW + 1)'(extra);
      aged_q <= aged_cost_q;
      aged_risky_q <= KeyW'({2'b00, aged_cost_q}) - KeyW'(risk_charge_i);
      competes_q <= live_q && !(active_i && next_c_only_i && continuous_q && !next_cost_q);
    end
  end

  // Stage 11: key and guard (need - left - 1 is negative if the entry passes), or debt; insertion numbers counted from
  // the next one to be given, so that the oldest has the least
  logic                    passed;
  logic signed [NeedW-1:0] need;

  assign need = NeedW'(room_q) + NeedW'($signed({1'b0, worst_o}));
  assign passed = !active_i || need[NeedW-1];
  assign new_debt = need[DebtW-1:0];

  always_ff @(posedge clk_i) begin
    if (en_i[StageKey]) begin
      candidate_o <= competes_q && passed;
      refused_o <= competes_q && !passed;
      rank_o <= seq - seq_i;
      key_o <= KeyW'({2'b00, reach_o}) - (risky_o ? aged_risky_q : KeyW'({2'b00, aged_q}));
    end
  end

  logic unused_row;
  assign unused_row = ^row_i[StageLine:StageDistance];

endmodule
