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
  localparam int unsigned RowW = index_w(Rows),
  localparam int unsigned CellIndexW = index_w(cells(CylW, SegM)),
  localparam int unsigned CellW = cell_w(CylW, SegM, SegW),
  localparam int unsigned SegmentW = segment_w(AngleW)
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  // Changes of the table
  input  logic              insert_i,
  input  logic              remove_i,
  input  logic [RowW-1:0]   change_row_i,
  input  logic [CylW-1:0]   start_cyl_i,
  input  logic [HeadW-1:0]  start_head_i,
  input  logic [AngleW-1:0] start_angle_i,
  input  logic              write_i,
  input  logic              continuous_i,
  input  logic [CylW-1:0]   end_cyl_i,
  input  logic [HeadW-1:0]  end_head_i,
  input  logic [AngleW-1:0] end_angle_i,
  input  logic [SumW-1:0]   transfer_i,
  input  logic [SumW-1:0]   age_i,
  input  logic [SeqW-1:0]   seq_i,
  output logic [Rows-1:0]   valid_o,
  input  logic              part_we_i,
  input  logic [RowW-1:0]   part_row_i,
  input  logic signed [TimeW+1:0] part_i,

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
  input  logic [CylW-1:0]   head_cyl_i,
  input  logic [HeadW-1:0]  head_head_i,
  input  logic              head_write_i,
  input  logic [AngleW-1:0] head_angle_i,
  input  logic [CylW-1:0]   next_cyl_i,
  input  logic [HeadW-1:0]  next_head_i,
  input  logic              next_write_i,
  input  logic [AngleW-1:0] next_angle_i,
  input  logic [TagW-1:0]   next_tag_i,
  input  logic [SumW-1:0]   age_now_i,
  input  logic [AngleW-1:0] margin_i,
  input  logic [AngleW-1:0] risk_i,
  input  logic [AngleW-1:0] risk_charge_i,
  input  logic [TimeW-1:0]  head_switch_i,
  input  logic [TimeW-1:0]  write_settle_i,
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
  input  logic              hop_angle_i,       // stage 9
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
  output logic [SeqW-1:0]   seq_o
);

  localparam int unsigned PartW = SumW + 1;
  localparam int unsigned DebtW = debt_w(AngleW);
  localparam int unsigned NeedW = RoomW + 1;

  // Entries
  logic [CylW-1:0]   start_cyl, end_cyl;
  logic [HeadW-1:0]  start_head, end_head;
  logic [AngleW-1:0] start_angle, end_angle;
  logic              write, entry_valid, continuous;
  logic [SumW-1:0]   age;
  logic signed [PartW-1:0] part;
  logic signed [DebtW-1:0] debt, new_debt;

  sched_table #(
    .Rows  (Rows),
    .AngleW(AngleW),
    .CylW  (CylW),
    .SeqW  (SeqW)
  ) u_table (
    .clk_i,
    .rst_ni,
    .insert_i,
    .remove_i,
    .row_i        (change_row_i),
    .start_cyl_i,
    .start_head_i,
    .start_angle_i,
    .write_i,
    .continuous_i,
    .end_cyl_i,
    .end_head_i,
    .end_angle_i,
    .transfer_i,
    .age_i,
    .seq_i,
    .valid_o,
    .part_we_i,
    .part_row_i,
    .part_i,
    .debt_we_i    (en_i[StageKey] && onward_i),
    .debt_row_i   (row_i[StageKey]),
    .debt_i       (new_debt),
    .first_en_i   (en_i[0]),
    .first_row_i  (row_i[0]),
    .start_cyl_o  (start_cyl),
    .start_head_o (start_head),
    .write_o      (write),
    .end_cyl_o    (end_cyl),
    .end_head_o   (end_head),
    .second_en_i  (en_i[StageSeek]),
    .second_row_i (row_i[StageSeek]),
    .start_angle_o(start_angle),
    .end_angle_o  (end_angle),
    .third_en_i   (en_i[StageArrive]),
    .third_row_i  (row_i[StageArrive]),
    .entry_valid_o(entry_valid),
    .continuous_o (continuous),
    .part_o       (part),
    .debt_o       (debt),
    .age_o        (age),
    .fourth_en_i  (en_i[StageKey]),
    .fourth_row_i (row_i[StageKey]),
    .seq_o
  );

  // Stage 1: where the hop begins and ends. Stage 9: its angles.
  logic [CylW-1:0]   from_cyl, to_cyl;
  logic [HeadW-1:0]  from_head, to_head;
  logic              from_write, to_write, from_end;
  logic [AngleW-1:0] from_angle, to_angle;

  always_comb begin
    from_end = hop_i ? !hop_head_i : onward_i;
    if (!from_end) begin
      from_cyl = head_cyl_i;
      from_head = head_head_i;
      from_write = head_write_i;
    end else if (hop_i) begin
      from_cyl = hop_from_cyl_i;
      from_head = hop_from_head_i;
      from_write = hop_from_write_i;
    end else begin
      from_cyl = end_cyl;
      from_head = end_head;
      from_write = write;
    end
    if (hop_i) begin
      to_cyl = hop_to_cyl_i;
      to_head = hop_to_head_i;
      to_write = hop_to_write_i;
    end else if (onward_i) begin
      to_cyl = next_cyl_i;
      to_head = next_head_i;
      to_write = next_write_i;
    end else begin
      to_cyl = start_cyl;
      to_head = start_head;
      to_write = write;
    end
  end

  always_comb begin
    if (hop_angle_i) begin
      from_angle = hop_angle_head_i ? head_angle_i : hop_from_angle_i;
      to_angle = hop_to_angle_i;
    end else begin
      from_angle = onward_i ? end_angle : head_angle_i;
      to_angle = onward_i ? next_angle_i : start_angle;
    end
  end

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
    .overhead_i,
    .en_i          (en_i[StageCost:StageDistance]),
    .from_cyl_i    (from_cyl),
    .from_head_i   (from_head),
    .to_cyl_i      (to_cyl),
    .to_head_i     (to_head),
    .to_write_i    (to_write),
    .overhead_sel_i({from_end, to_write, from_write}),
    .from_angle_i  (from_angle),
    .to_angle_i    (to_angle),
    .reach_o,
    .worst_o,
    .risky_o
  );

  // Stage 10: what the sweep has to spare, less what the entry adds; what the entry has waited; does it compete?
  function automatic logic [TimeW-1:0] clamp(logic [SumW-1:0] value);
    return value[TimeW-1:0] | {TimeW{|value[SumW-1:TimeW]}};
  endfunction

  logic                    next;
  logic                    next_q, competes_q, masked_q;
  logic signed [RoomW:0]   room_q;
  logic signed [PartW-1:0] part_q;
  logic [TimeW-1:0]        aged_q;

  assign next = next_q && active_i;

  always_ff @(posedge clk_i) begin
    if (en_i[StageArrive]) begin
      next_q <= TagW'(row_i[StageArrive]) * TagW'(Lanes) + TagW'(Lane) == next_tag_i;
      masked_q <= mask_i[row_i[StageArrive]];
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_i[StageCost]) begin
      room_q <= (RoomW + 1)'(room_i) + (next ? (RoomW + 1)'(0) : (RoomW + 1)'(debt));
      part_q <= part;
      aged_q <= clamp(age_now_i - age);
      competes_q <= entry_valid && masked_q &&
          !(active_i && next_c_only_i && continuous && !next);
    end
  end

  // Stage 11: key and guard (need - left - 1 is negative if the entry passes), or debt
  function automatic logic is_negative(logic signed [NeedW-1:0] value);
    return value[NeedW-1];
  endfunction

  logic passed;

  assign passed = !active_i ||
      is_negative(NeedW'(room_q) + NeedW'($signed({1'b0, worst_o})));
  assign new_debt = DebtW'(part_q) + DebtW'($signed({1'b0, worst_o}));

  always_ff @(posedge clk_i) begin
    if (en_i[StageKey]) begin
      candidate_o <= competes_q && passed;
      refused_o <= competes_q && !passed;
      key_o <= KeyW'({2'b00, reach_o}) - KeyW'({2'b00, aged_q}) +
          (risky_o ? KeyW'(risk_charge_i) : KeyW'(0));
    end
  end

  logic unused_row;
  assign unused_row = ^{row_i[StageCost], row_i[StageMultiply:StageDistance]};

endmodule
