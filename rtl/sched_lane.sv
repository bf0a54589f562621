// SPDX-License-Identifier: Apache-2.0
//
// One lane: its entries, their two hops (from the head to the start, from the end to the next
// continuous command) and the deadline guard. Entry r of lane l has tag r * Lanes + l.
//
// Parameters: Rows (entries of the lane), Lanes, Lane (number of this lane), AngleW, CylW, SegM,
//             SegW, SeqW (see sched_top).
// Latency:    twelve cycles from a row at row_i[0] to its candidate, valid in stage 12; one row a
//             cycle. en_i[n] enables the register after stage n, row_i[n] is the row in stage n.
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
  localparam int unsigned NeedW = SumW + 4,
  localparam int unsigned RowW = index_w(Rows),
  localparam int unsigned CellIndexW = index_w(cells(CylW, SegM)),
  localparam int unsigned CellW = cell_w(CylW, SegM, SegW),
  localparam int unsigned SegmentW = segment_w(AngleW)
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  // Changes of the table
  input  logic              clear_i,
  input  logic              insert_i,
  input  logic              remove_i,
  input  logic              credit_we_i,
  input  logic [RowW-1:0]   change_row_i,
  input  logic [CylW-1:0]   start_cyl_i,
  input  logic [HeadW-1:0]  start_head_i,
  input  logic [AngleW-1:0] start_angle_i,
  input  logic              write_i,
  input  class_e            class_i,
  input  logic [CylW-1:0]   end_cyl_i,
  input  logic [HeadW-1:0]  end_head_i,
  input  logic [AngleW-1:0] end_angle_i,
  input  logic [SumW-1:0]   transfer_i,
  input  logic [SumW-1:0]   credit_i,
  input  logic [SeqW-1:0]   seq_i,
  output logic [Rows-1:0]   valid_o,

  // Seek table
  input  logic              cell_we_i,
  input  logic [CellIndexW-1:0] cell_index_i,
  input  logic [CellW-1:0]  cell_data_i,
  input  logic              segment_we_i,
  input  logic [SegW-1:0]   segment_index_i,
  input  logic [SegmentW-1:0] segment_data_i,

  // Configuration
  input  logic              active_i,          // the guard applies
  input  logic              next_c_only_i,
  input  logic [CylW-1:0]   head_cyl_i,
  input  logic [HeadW-1:0]  head_head_i,
  input  logic [AngleW-1:0] head_angle_i,
  input  logic [CylW-1:0]   next_cyl_i,
  input  logic [HeadW-1:0]  next_head_i,
  input  logic              next_write_i,
  input  logic [AngleW-1:0] next_angle_i,
  input  logic [TagW-1:0]   next_tag_i,
  input  logic [AngleW-1:0] margin_i,
  input  logic [TimeW-1:0]  head_switch_i,
  input  logic [TimeW-1:0]  write_settle_i,
  input  logic [TimeW-1:0]  overhead_read_i,
  input  logic [TimeW-1:0]  overhead_write_i,
  input  logic [TimeW-1:0]  next_overhead_ar_i,
  input  logic [TimeW-1:0]  next_overhead_aw_i,
  input  logic signed [SumW:0] room_i,         // SWEEP - SLACK - 1

  // Pipeline
  input  logic [StageGuard:0] en_i,
  input  logic [StageGuard:0][RowW-1:0] row_i,

  // Stage 12
  output logic              candidate_o,
  output logic              refused_o,
  output logic              is_next_o,         // valid, and its tag is next_tag_i
  output logic [TimeW-1:0]  cost_o,
  output logic [SeqW-1:0]   seq_o
);

  // Entries
  logic [CylW-1:0]   start_cyl, end_cyl;
  logic [HeadW-1:0]  start_head, end_head;
  logic [AngleW-1:0] start_angle, end_angle;
  logic              write, entry_valid, continuous;
  logic [SumW-1:0]   transfer, credit;

  sched_table #(
    .Rows  (Rows),
    .AngleW(AngleW),
    .CylW  (CylW),
    .SeqW  (SeqW)
  ) u_table (
    .clk_i,
    .rst_ni,
    .clear_i,
    .insert_i,
    .remove_i,
    .credit_we_i,
    .row_i        (change_row_i),
    .start_cyl_i,
    .start_head_i,
    .start_angle_i,
    .write_i,
    .class_i,
    .end_cyl_i,
    .end_head_i,
    .end_angle_i,
    .transfer_i,
    .credit_i,
    .seq_i,
    .valid_o,
    .first_en_i   (en_i[0]),
    .first_row_i  (row_i[0]),
    .start_cyl_o  (start_cyl),
    .start_head_o (start_head),
    .write_o      (write),
    .end_cyl_o    (end_cyl),
    .end_head_o   (end_head),
    .second_en_i  (en_i[StageSeek]),
    .second_row_i (row_i[StageSeek]),
    .entry_valid_o(entry_valid),
    .start_angle_o(start_angle),
    .end_angle_o  (end_angle),
    .continuous_o (continuous),
    .transfer_o   (transfer),
    .credit_o     (credit),
    .third_en_i   (en_i[StageGuard]),
    .third_row_i  (row_i[StageGuard]),
    .seq_o
  );

  // Hops
  logic [TimeW-1:0] cost, onward;

  sched_hop #(
    .AngleW(AngleW),
    .CylW  (CylW),
    .SegM  (SegM),
    .SegW  (SegW)
  ) u_cost (
    .clk_i,
    .cell_we_i,
    .cell_index_i,
    .cell_data_i,
    .segment_we_i,
    .segment_index_i,
    .segment_data_i,
    .margin_i,
    .head_switch_i,
    .write_settle_i,
    .overhead_read_i,
    .overhead_write_i,
    .en_i            (en_i[StageCost:StageDistance]),
    .from_cyl_i      (head_cyl_i),
    .from_head_i     (head_head_i),
    .to_cyl_i        (start_cyl),
    .to_head_i       (start_head),
    .to_write_i      (write),
    .overhead_sel_i  (write),
    .from_angle_i    (head_angle_i),
    .to_angle_i      (start_angle),
    .cost_o          (cost)
  );

  // The onward hop stands still while the guard does not apply.
  sched_hop #(
    .AngleW(AngleW),
    .CylW  (CylW),
    .SegM  (SegM),
    .SegW  (SegW)
  ) u_onward (
    .clk_i,
    .cell_we_i,
    .cell_index_i,
    .cell_data_i,
    .segment_we_i,
    .segment_index_i,
    .segment_data_i,
    .margin_i,
    .head_switch_i,
    .write_settle_i,
    .overhead_read_i (next_overhead_ar_i),
    .overhead_write_i(next_overhead_aw_i),
    .en_i            (en_i[StageCost:StageDistance] & {StageCost{active_i}}),
    .from_cyl_i      (end_cyl),
    .from_head_i     (end_head),
    .to_cyl_i        (next_cyl_i),
    .to_head_i       (next_head_i),
    .to_write_i      (next_write_i),
    .overhead_sel_i  (write),
    .from_angle_i    (end_angle),
    .to_angle_i      (next_angle_i),
    .cost_o          (onward)
  );

  // Stage 9: time that serving the entry costs the sweep beyond its hops; is it the next command?
  logic signed [SumW:0] balance_q;
  logic                 next_q, valid_q, continuous_q, unused_row;

  always_ff @(posedge clk_i) begin
    if (en_i[StageArrive]) begin
      balance_q <= $signed({1'b0, transfer}) - $signed({1'b0, credit});
      next_q <= TagW'(row_i[StageArrive]) * TagW'(Lanes) + TagW'(Lane) == next_tag_i;
      valid_q <= entry_valid;
      continuous_q <= continuous;
    end
  end

  // Stage 10: the same, less what the sweep can spare; does the entry compete?
  logic signed [SumW+1:0] debt_q;
  logic                   competes_q, valid_next_q, apart_q;

  always_ff @(posedge clk_i) begin
    if (en_i[StageCost]) begin
      debt_q <= (SumW + 2)'(room_i) + (next_q ? (SumW + 2)'(0) : (SumW + 2)'(balance_q));
      competes_q <= valid_q && !(active_i && next_c_only_i && continuous_q && !next_q);
      valid_next_q <= valid_q && next_q;
      apart_q <= !next_q;
    end
  end

  // Stage 11: the guard. need - SLACK - 1 is negative if the entry passes.
  function automatic logic passes(logic [TimeW-1:0] first, logic [TimeW-1:0] second,
                                  logic signed [NeedW-1:0] debt);
    logic signed [NeedW-1:0] excess;
    excess = $signed({{(NeedW - TimeW) {1'b0}}, first}) +
        $signed({{(NeedW - TimeW) {1'b0}}, second}) + debt;
    return excess[NeedW-1];
  endfunction

  logic passed;

  assign passed = !active_i || passes(cost, onward & {TimeW{apart_q}}, NeedW'(debt_q));

  always_ff @(posedge clk_i) begin
    if (en_i[StageGuard]) begin
      candidate_o <= competes_q && passed;
      refused_o <= competes_q && !passed;
      is_next_o <= valid_next_q;
      cost_o <= cost;
    end
  end

  assign unused_row = ^{row_i[StageCost], row_i[StageMultiply:StageDistance]};

endmodule
