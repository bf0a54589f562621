// SPDX-License-Identifier: Apache-2.0
//
// Scheduling accelerator: a table of disk commands of which it picks the one with the least
// positioning cost that leaves the remaining continuous sweep enough time. Contract: register map,
// arithmetic and timing in docs/reference/scheduler_accelerator.md.
//
// Parameters:
//   Entries  entries of the command table, 4 to 256, a multiple of Lanes
//   Lanes    entries evaluated a cycle: 1, 2, 4, 8 or 16
//   AngleW   one turn is 2^AngleW ticks, 12 to 20
//   CylW     bits of a cylinder number, 8 to 18
//   SegM     mantissa bits that index the cells of the seek table, 2 to 5
//   SegW     2^SegW segments of the seek table, up to 10, at least one a cell
//   SeqW     bits of an insertion number; 24 by contract, narrower where a test wants it to wrap
// Latency:    a decision keeps BUSY set for Entries / Lanes + sched_pkg::DecisionLatency cycles.
// Handshake:  AXI4-Lite without PROT, see sched_axil; irq_o is a level.

module sched_top
  import sched_pkg::*;
#(
  parameter int unsigned Entries = 32,
  parameter int unsigned Lanes = 4,
  parameter int unsigned AngleW = 16,
  parameter int unsigned CylW = 18,
  parameter int unsigned SegM = 5,
  parameter int unsigned SegW = 9,
  parameter int unsigned SeqW = 24
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             s_axil_awvalid_i,
  output logic             s_axil_awready_o,
  input  logic [AddrW-1:0] s_axil_awaddr_i,
  input  logic             s_axil_wvalid_i,
  output logic             s_axil_wready_o,
  input  logic [31:0]      s_axil_wdata_i,
  input  logic [3:0]       s_axil_wstrb_i,
  output logic             s_axil_bvalid_o,
  input  logic             s_axil_bready_i,
  output logic [1:0]       s_axil_bresp_o,
  input  logic             s_axil_arvalid_i,
  output logic             s_axil_arready_o,
  input  logic [AddrW-1:0] s_axil_araddr_i,
  output logic             s_axil_rvalid_o,
  input  logic             s_axil_rready_i,
  output logic [31:0]      s_axil_rdata_o,
  output logic [1:0]       s_axil_rresp_o,

  output logic             irq_o
);

  localparam int unsigned TimeW = time_w(AngleW);
  localparam int unsigned SumW = sum_w(AngleW);
  localparam int unsigned Rows = Entries / Lanes;
  localparam int unsigned RowW = index_w(Rows);
  localparam int unsigned LaneW = index_w(Lanes);
  localparam int unsigned LaneShift = $clog2(Lanes);
  localparam int unsigned CellIndexW = index_w(cells(CylW, SegM));
  localparam int unsigned CellW = cell_w(CylW, SegM, SegW);
  localparam int unsigned SegmentW = segment_w(AngleW);
  localparam int unsigned RefusedW = $clog2(Lanes + 1);
  localparam int unsigned CycleW = $clog2(Rows + DecisionLatency + 1);

  if (Entries < 4 || Entries > 256 || Entries % Lanes != 0) begin : g_bad_entries
    $error("Entries must be 4 to 256 and a multiple of Lanes");
  end
  if (Lanes != 1 && Lanes != 2 && Lanes != 4 && Lanes != 8 && Lanes != 16) begin : g_bad_lanes
    $error("Lanes must be 1, 2, 4, 8 or 16");
  end
  if (AngleW < 12 || AngleW > 20) begin : g_bad_angle_w
    $error("AngleW must be 12 to 20");
  end
  if (CylW < 8 || CylW > 18 || SegM < 2 || SegM > 5) begin : g_bad_seek_table
    $error("CylW must be 8 to 18, SegM 2 to 5");
  end
  if (SegW > 10 || 2 ** SegW < cells(CylW, SegM)) begin : g_bad_segments
    $error("SegW must be at most 10, and the seek table must have a segment for each cell");
  end
  if (SeqW < 2 || SeqW > 24) begin : g_bad_seq
    $error("SeqW must be 2 to 24");
  end
  if (DecisionLatency != Stages - 2) begin : g_bad_latency
    $error("decision_latency in registers.toml differs from the depth of the pipeline");
  end

  // Bus and registers
  logic              clear, start, busy, done;
  logic              result_valid, result_forced;
  logic [TagW-1:0]   result_tag;
  logic [TimeW-1:0]  result_cost;
  logic [CountW-1:0] refused;
  logic [CycleW-1:0] cycles;
  logic              guard_en, next_c_only, auto_remove;
  logic [CylW-1:0]   head_cyl, next_cyl, start_cyl, end_cyl;
  logic [HeadW-1:0]  head_head, next_head, start_head, end_head;
  logic [AngleW-1:0] head_angle, next_angle, start_angle, end_angle, margin;
  logic              next_write, next_valid, write;
  logic [TagW-1:0]   next_tag, change_tag;
  logic [SumW-1:0]   slack, sweep, transfer, credit;
  logic [TimeW-1:0]  head_switch, write_settle, overhead_read, overhead_write;
  logic [TimeW-1:0]  next_overhead_ar, next_overhead_aw;
  class_e            entry_class;
  logic              insert, remove, credit_we;
  logic [SeqW-1:0]   seq;
  logic              cell_we, segment_we;
  logic [CellIndexW-1:0] cell_index;
  logic [CellW-1:0]  cell_data;
  logic [SegW-1:0]   segment_index;
  logic [SegmentW-1:0] segment_data;
  logic [Entries-1:0] valid;
  logic              picked_remove;
  logic [TagW-1:0]   picked_tag;

  sched_axil #(
    .Entries(Entries),
    .Lanes  (Lanes),
    .AngleW (AngleW),
    .CylW   (CylW),
    .SegM   (SegM),
    .SegW   (SegW),
    .SeqW   (SeqW),
    .CycleW (CycleW)
  ) u_axil (
    .clk_i,
    .rst_ni,
    .s_axil_awvalid_i,
    .s_axil_awready_o,
    .s_axil_awaddr_i,
    .s_axil_wvalid_i,
    .s_axil_wready_o,
    .s_axil_wdata_i,
    .s_axil_wstrb_i,
    .s_axil_bvalid_o,
    .s_axil_bready_i,
    .s_axil_bresp_o,
    .s_axil_arvalid_i,
    .s_axil_arready_o,
    .s_axil_araddr_i,
    .s_axil_rvalid_o,
    .s_axil_rready_i,
    .s_axil_rdata_o,
    .s_axil_rresp_o,
    .irq_o,
    .clear_o           (clear),
    .start_o           (start),
    .busy_i            (busy),
    .done_i            (done),
    .result_valid_i    (result_valid),
    .result_forced_i   (result_forced),
    .result_tag_i      (result_tag),
    .result_cost_i     (result_cost),
    .refused_i         (refused),
    .cycles_i          (cycles),
    .guard_en_o        (guard_en),
    .next_c_only_o     (next_c_only),
    .auto_remove_o     (auto_remove),
    .head_cyl_o        (head_cyl),
    .head_head_o       (head_head),
    .head_angle_o      (head_angle),
    .slack_o           (slack),
    .next_cyl_o        (next_cyl),
    .next_head_o       (next_head),
    .next_write_o      (next_write),
    .next_angle_o      (next_angle),
    .next_tag_o        (next_tag),
    .next_valid_o      (next_valid),
    .sweep_o           (sweep),
    .margin_o          (margin),
    .head_switch_o     (head_switch),
    .write_settle_o    (write_settle),
    .overhead_read_o   (overhead_read),
    .overhead_write_o  (overhead_write),
    .next_overhead_ar_o(next_overhead_ar),
    .next_overhead_aw_o(next_overhead_aw),
    .valid_i           (valid),
    .removed_i         (picked_remove),
    .insert_o          (insert),
    .remove_o          (remove),
    .credit_we_o       (credit_we),
    .change_tag_o      (change_tag),
    .start_cyl_o       (start_cyl),
    .start_head_o      (start_head),
    .write_o           (write),
    .class_o           (entry_class),
    .start_angle_o     (start_angle),
    .end_cyl_o         (end_cyl),
    .end_head_o        (end_head),
    .end_angle_o       (end_angle),
    .transfer_o        (transfer),
    .credit_o          (credit),
    .seq_o             (seq),
    .cell_we_o         (cell_we),
    .cell_index_o      (cell_index),
    .cell_data_o       (cell_data),
    .segment_we_o      (segment_we),
    .segment_index_o   (segment_index),
    .segment_data_o    (segment_data)
  );

  // What the guard compares with: SWEEP - SLACK - 1, constant during a decision.
  logic                 active;
  logic signed [SumW:0] room_q;

  assign active = guard_en && next_valid;

  always_ff @(posedge clk_i) begin
    if (busy) begin
      room_q <= $signed({1'b0, sweep}) - $signed({1'b0, slack}) - (SumW + 1)'(1);
    end
  end

  // Lanes. Changes come from the bus or, at the end of a decision, from the decision.
  logic [StageTree:0]              en;
  logic [StageGuard:0][RowW-1:0]   row;
  logic [TagW-1:0]                 table_tag;
  logic [RowW-1:0]                 table_row;
  logic [LaneW-1:0]                table_lane;
  logic [Lanes-1:0]                candidate, entry_refused, is_next;
  logic [Lanes-1:0][TimeW-1:0]     cost, tree_cost;
  logic [Lanes-1:0][SeqW-1:0]      entry_seq;

  assign table_tag = picked_remove ? picked_tag : change_tag;
  assign table_row = RowW'(table_tag >> LaneShift);
  assign table_lane = (Lanes > 1) ? table_tag[LaneW-1:0] : '0;

  for (genvar lane = 0; lane < Lanes; lane++) begin : g_lane
    logic            mine;
    logic [Rows-1:0] lane_valid;

    assign mine = table_lane == LaneW'(lane);

    sched_lane #(
      .Rows  (Rows),
      .Lanes (Lanes),
      .Lane  (lane),
      .AngleW(AngleW),
      .CylW  (CylW),
      .SegM  (SegM),
      .SegW  (SegW),
      .SeqW  (SeqW)
    ) u_lane (
      .clk_i,
      .rst_ni,
      .clear_i           (clear),
      .insert_i          (insert && mine),
      .remove_i          ((remove || picked_remove) && mine),
      .credit_we_i       (credit_we && mine),
      .change_row_i      (table_row),
      .start_cyl_i       (start_cyl),
      .start_head_i      (start_head),
      .start_angle_i     (start_angle),
      .write_i           (write),
      .class_i           (entry_class),
      .end_cyl_i         (end_cyl),
      .end_head_i        (end_head),
      .end_angle_i       (end_angle),
      .transfer_i        (transfer),
      .credit_i          (credit),
      .seq_i             (seq),
      .valid_o           (lane_valid),
      .cell_we_i         (cell_we),
      .cell_index_i      (cell_index),
      .cell_data_i       (cell_data),
      .segment_we_i      (segment_we),
      .segment_index_i   (segment_index),
      .segment_data_i    (segment_data),
      .active_i          (active),
      .next_c_only_i     (next_c_only),
      .head_cyl_i        (head_cyl),
      .head_head_i       (head_head),
      .head_angle_i      (head_angle),
      .next_cyl_i        (next_cyl),
      .next_head_i       (next_head),
      .next_write_i      (next_write),
      .next_angle_i      (next_angle),
      .next_tag_i        (next_tag),
      .margin_i          (margin),
      .head_switch_i     (head_switch),
      .write_settle_i    (write_settle),
      .overhead_read_i   (overhead_read),
      .overhead_write_i  (overhead_write),
      .next_overhead_ar_i(next_overhead_ar),
      .next_overhead_aw_i(next_overhead_aw),
      .room_i            (room_q),
      .en_i              (en[StageGuard:0]),
      .row_i             (row),
      .candidate_o       (candidate[lane]),
      .refused_o         (entry_refused[lane]),
      .is_next_o         (is_next[lane]),
      .cost_o            (cost[lane]),
      .seq_o             (entry_seq[lane])
    );

    for (genvar r = 0; r < Rows; r++) begin : g_valid
      assign valid[r*Lanes+lane] = lane_valid[r];
    end
  end

  // Seeded fault for the test of the tests: lane 0's cost is wrong by one tick.
`ifdef PLATTER_SCHED_FAULT
  assign tree_cost = cost ^ (Lanes * TimeW)'(1);
`else
  assign tree_cost = cost;
`endif

  logic                best_valid, tree_next_valid;
  logic [TimeW-1:0]    best_cost, tree_next_cost;
  logic [SeqW-1:0]     best_seq;
  logic [LaneW-1:0]    best_lane;
  logic [RefusedW-1:0] tree_refused;

  sched_min_tree #(
    .Lanes(Lanes),
    .TimeW(TimeW),
    .SeqW (SeqW)
  ) u_min_tree (
    .clk_i,
    .en_i        (en[StageTree]),
    .candidate_i (candidate),
    .refused_i   (entry_refused),
    .is_next_i   (is_next),
    .cost_i      (tree_cost),
    .seq_i       (entry_seq),
    .best_valid_o(best_valid),
    .best_cost_o (best_cost),
    .best_seq_o  (best_seq),
    .best_lane_o (best_lane),
    .refused_o   (tree_refused),
    .next_valid_o(tree_next_valid),
    .next_cost_o (tree_next_cost)
  );

  sched_decide #(
    .Rows (Rows),
    .Lanes(Lanes),
    .TimeW(TimeW),
    .SeqW (SeqW)
  ) u_decide (
    .clk_i,
    .rst_ni,
    .clear_i        (clear),
    .start_i        (start),
    .busy_o         (busy),
    .done_o         (done),
    .auto_remove_i  (auto_remove),
    .active_i       (active),
    .next_tag_i     (next_tag),
    .en_o           (en),
    .row_o          (row),
    .best_valid_i   (best_valid),
    .best_cost_i    (best_cost),
    .best_seq_i     (best_seq),
    .best_lane_i    (best_lane),
    .refused_i      (tree_refused),
    .next_valid_i   (tree_next_valid),
    .next_cost_i    (tree_next_cost),
    .remove_o       (picked_remove),
    .remove_tag_o   (picked_tag),
    .result_valid_o (result_valid),
    .result_forced_o(result_forced),
    .result_tag_o   (result_tag),
    .result_cost_o  (result_cost),
    .refused_o      (refused),
    .cycles_o       (cycles)
  );

endmodule
