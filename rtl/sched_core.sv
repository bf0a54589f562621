// SPDX-License-Identifier: Apache-2.0
//
// Scheduling accelerator behind a native register port: a table of disk commands of which it picks the one that is
// reached soonest and leaves the remaining continuous sweep enough time, and a list of the same commands along
// which it sweeps, collects clusters and finds their best order. Contract: register map,
// arithmetic and timing in docs/reference/scheduler_accelerator.md.
//
// Parameters:
//   Entries  entries of the command table, 4 to 256, a multiple of Lanes
//   Lanes    entries evaluated a cycle: 1, 2, 4, 8 or 16
//   OrderM   most commands whose best order is found, 2 to 12; 0: no orderer
//   AngleW   one turn is 2^AngleW ticks, 12 to 20
//   CylW     bits of a cylinder number, 8 to 18
//   SegM     mantissa bits that index the cells of the seek table, 2 to 5
//   SegW     2^SegW segments of the seek table, up to 10, at least one a cell
//   SeqW     bits of an insertion number; 24 by contract, narrower where a test wants it to wrap
// Latency:    a decision keeps busy_o set for Entries / Lanes + sched_pkg::DecisionLatency cycles.
// Handshake:  valid and ready on both channels, see sched_regs; busy_o and irq_o are levels.

module sched_core
  import sched_pkg::*;
#(
  parameter int unsigned Entries = 32,
  parameter int unsigned Lanes = 4,
  parameter int unsigned OrderM = 6,
  parameter int unsigned AngleW = 16,
  parameter int unsigned CylW = 18,
  parameter int unsigned SegM = 5,
  parameter int unsigned SegW = 9,
  parameter int unsigned SeqW = 24
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             wr_valid_i,
  output logic             wr_ready_o,
  input  logic             wr_whole_i,   // all four bytes are written; anything else is an error
  input  logic [AddrW-1:0] wr_addr_i,
  input  kind_t            wr_kind_i,    // kind_of(wr_addr_i)
  input  logic [31:0]      wr_data_i,
  input  logic [1:0][15:0] wr_low_i,     // low half of the data, of the one or the other source
  input  logic             wr_offered_i, // of wr_low_i[0]
  input  logic             wr_soft_reset_i,    // the write is whole, to CLEAR, and has SOFT_RESET set
  output logic             wr_error_o,

  input  logic             rd_valid_i,
  output logic             rd_ready_o,
  input  logic [AddrW-1:0] rd_addr_i,
  output logic             rsp_valid_o,
  input  logic             rsp_ready_i,
  output logic [31:0]      rd_data_o,
  output logic             rd_error_o,

  output logic             busy_o,
  output logic             irq_o
);

  localparam int unsigned TimeW = time_w(AngleW);
  localparam int unsigned SumW = sum_w(AngleW);
  localparam int unsigned KeyW = key_w(AngleW);
  localparam int unsigned RoomW = room_w(AngleW);
  localparam int unsigned OrderCostW = TimeW + 4;
  localparam int unsigned Rows = Entries / Lanes;
  localparam int unsigned RowW = index_w(Rows);
  localparam int unsigned LaneW = index_w(Lanes);
  localparam int unsigned LaneShift = $clog2(Lanes);
  localparam int unsigned CellIndexW = index_w(cells(CylW, SegM));
  localparam int unsigned CellW = cell_w(CylW, SegM, SegW);
  localparam int unsigned SegmentW = segment_w(AngleW);
  localparam int unsigned RefusedW = $clog2(Lanes + 1);

  if (Entries < 4 || Entries > 256 || Entries % Lanes != 0) begin : g_bad_entries
    $error("Entries must be 4 to 256 and a multiple of Lanes");
  end
  if (Lanes != 1 && Lanes != 2 && Lanes != 4 && Lanes != 8 && Lanes != 16) begin : g_bad_lanes
    $error("Lanes must be 1, 2, 4, 8 or 16");
  end
  if (OrderM == 1 || OrderM > OrderMost || OrderM > Entries) begin : g_bad_order
    $error("OrderM must be 0 or 2 to 12, and at most Entries");
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
  if (DecisionLatency != Stages - 3) begin : g_bad_latency
    $error("decision_latency in registers.toml differs from the depth of the pipeline");
  end

  // Registers
  logic              clear, decide, cluster, insert, remove, serve, config_we, done, decided;
  logic [TagW-1:0]   change_tag;
  logic [Entries-1:0] valid, mask, lane_mask;
  logic              result_valid, result_forced, forced_now;
  logic [TagW-1:0]   result_tag;
  logic signed [KeyW-1:0] result_key;
  logic [CountW-1:0] refused, refused_now, occupancy, collected, cluster_max;
  logic [31:0]       cycles;
  logic              guard_en, next_c_only, sweep_down, mask_en;
  logic [CylW-1:0]   head_cyl, next_cyl, start_cyl, end_cyl, removed_cyl, cluster_from, cluster_span;
  logic [HeadW-1:0]  head_head, next_head, start_head, end_head, removed_head;
  logic              head_write, next_write, write, removed_write;
  logic [AngleW-1:0] next_angle, start_angle, end_angle, margin, risk, risk_charge;
  logic [SumW-1:0]   head_time, reserve, age_now, sweep, due, transfer, deadline, age;
  logic [TimeW-1:0]  head_switch, write_settle;
  logic              switch_early;
  logic [7:0][TimeW-1:0] overhead;
  logic              next_valid, swept, continuous;
  logic [TagW-1:0]   next_tag;
  logic              take_c, take_d, stop_at_c, cluster_down, cluster_order, ordered_q;
  logic              mask_clear, mask_set;
  logic [TagW-1:0]   mask_tag;
  logic [OrderCostW-1:0] order_cost;
  logic [OrderMost-1:0][TagW-1:0] order_tag, slot_tag;
  logic [SeqW-1:0]   seq;
  logic              cell_we, segment_we;
  logic [CellIndexW-1:0] cell_index;
  logic [CellW-1:0]  cell_data;
  logic [SegW-1:0]   segment_index;
  logic [SegmentW-1:0] segment_data;
  logic              removed, removed_continuous, serve_q, soft_rst_n;
  logic              list_clk, lanes_clk, list_en, lanes_en, list_late, touched, stays;
  logic              insert_q, insert_end_q, remove_q, try_insert, try_remove, cancel;
  logic              open_write, kind_insert, kind_remove, kind_cluster;

  sched_regs #(
    .Entries(Entries),
    .Lanes  (Lanes),
    .OrderM (OrderM),
    .AngleW (AngleW),
    .CylW   (CylW),
    .SegM   (SegM),
    .SegW   (SegW),
    .SeqW   (SeqW)
  ) u_regs (
    .clk_i,
    .rst_ni,
    .wr_valid_i,
    .wr_ready_o,
    .wr_whole_i,
    .wr_addr_i,
    .wr_kind_i,
    .wr_data_i,
    .wr_low_i,
    .wr_offered_i,
    .wr_soft_reset_i,
    .wr_error_o,
    .rd_valid_i,
    .rd_ready_o,
    .rd_addr_i,
    .rsp_valid_o,
    .rsp_ready_i,
    .rd_data_o,
    .rd_error_o,
    .irq_o,
    .touched_o      (touched),
    .clear_o        (clear),
    .decide_o       (decide),
    .cluster_o      (cluster),
    .insert_o       (insert),
    .remove_o       (remove),
    .serve_o        (serve),
    .open_write_o   (open_write),
    .kind_insert_o  (kind_insert),
    .kind_remove_o  (kind_remove),
    .kind_cluster_o (kind_cluster),
    .try_insert_o   (try_insert),
    .try_remove_o   (try_remove),
    .cancel_o       (cancel),
    .inserted_i     (insert_q),
    .change_tag_o   (change_tag),
    .config_we_o    (config_we),
    .valid_i        (valid),
    .busy_i         (busy_o),
    .stays_i        (stays),
    .done_i         (done),
    .decided_i      (decided),
    .refused_now_i  (refused_now),
    .forced_now_i   (forced_now),
    .occupancy_i    (occupancy),
    .result_valid_i (result_valid),
    .result_forced_i(result_forced),
    .result_tag_i   (result_tag),
    .result_key_i   (result_key),
    .refused_i      (refused),
    .cycles_i       (cycles),
    .next_valid_i   (next_valid),
    .next_tag_i     (next_tag),
    .sweep_i        (sweep),
    .due_i          (due),
    .collected_i    (collected),
    .ordered_i      (ordered_q),
    .order_cost_i   (order_cost),
    .order_tag_i    (order_tag),
    .serve_done_i   (removed && serve_q),
    .removed_cyl_i  (removed_cyl),
    .removed_head_i (removed_head),
    .removed_write_i(removed_write),
    .guard_en_o     (guard_en),
    .next_c_only_o  (next_c_only),
    .sweep_down_o   (sweep_down),
    .mask_en_o      (mask_en),
    .head_cyl_o     (head_cyl),
    .head_head_o    (head_head),
    .head_write_o   (head_write),
    .head_time_o    (head_time),
    .reserve_o      (reserve),
    .age_now_o      (age_now),
    .margin_o       (margin),
    .risk_o         (risk),
    .risk_charge_o  (risk_charge),
    .head_switch_o  (head_switch),
    .write_settle_o (write_settle),
    .switch_early_o (switch_early),
    .overhead_o     (overhead),
    .cluster_max_o  (cluster_max),
    .take_c_o       (take_c),
    .take_d_o       (take_d),
    .stop_at_c_o    (stop_at_c),
    .cluster_down_o (cluster_down),
    .cluster_order_o(cluster_order),
    .cluster_from_o (cluster_from),
    .cluster_span_o (cluster_span),
    .mask_clear_i   (mask_clear),
    .mask_set_i     (mask_set),
    .mask_tag_i     (mask_tag),
    .mask_o         (mask),
    .start_cyl_o    (start_cyl),
    .start_head_o   (start_head),
    .write_o        (write),
    .continuous_o   (continuous),
    .start_angle_o  (start_angle),
    .end_cyl_o      (end_cyl),
    .end_head_o     (end_head),
    .end_angle_o    (end_angle),
    .transfer_o     (transfer),
    .deadline_o     (deadline),
    .age_o          (age),
    .seq_o          (seq),
    .cell_we_o      (cell_we),
    .cell_index_o   (cell_index),
    .cell_data_o    (cell_data),
    .segment_we_o   (segment_we),
    .segment_index_o(segment_index),
    .segment_data_o (segment_data)
  );

  assign soft_rst_n = rst_ni && !clear;

  always_ff @(posedge clk_i) begin
    if (try_remove) begin
      serve_q <= serve;
    end
  end

  // Lanes follow a change one cycle after the write.
  always_ff @(posedge clk_i) begin
    if (!soft_rst_n) begin
      insert_q <= 1'b0;
      insert_end_q <= 1'b0;
      remove_q <= 1'b0;
    end else begin
      insert_q <= insert;
      insert_end_q <= insert_q;
      remove_q <= remove;
    end
  end

  // Clocks of the parts

  sched_clock_gate u_list_clock (.clk_i, .en_i(list_en || list_late || touched), .clk_o(list_clk));
  sched_clock_gate u_lanes_clock (.clk_i, .en_i(lanes_en || insert_end_q || touched), .clk_o(lanes_clk));

  // Course
  logic order_en;
  logic list_done, streamed, sums, pass_start, may_start, pass_done, onward, keep, order_start, order_done;

  sched_control u_control (
    .clk_i,
    .rst_ni(soft_rst_n),
    .write_i      (open_write),
    .change_i     (try_insert || try_remove),
    .cancel_i     (cancel),
    .inserted_i   (insert_q),
    .decide_i     (decide),
    .cluster_i    (cluster),
    .continuous_i ((insert_q && continuous) || (removed && removed_continuous)),
    .config_we_i  (config_we),
    .guard_en_i   (guard_en),
    .list_done_i  (list_done),
    .swept_i      (swept),
    .next_valid_i (next_valid),
    .ordered_i    (streamed),
    .pass_done_i  (pass_done),
    .order_done_i (order_done),
    .list_en_o    (list_en),
    .lanes_en_o   (lanes_en),
    .order_en_o   (order_en),
    .sums_o       (sums),
    .pass_start_o (pass_start),
    .may_start_o  (may_start),
    .onward_o     (onward),
    .keep_o       (keep),
    .order_start_o(order_start),
    .busy_o,
    .stays_o      (stays),
    .done_o       (done),
    .decided_o    (decided),
    .cycles_o     (cycles)
  );

  // List
  logic              part_we;
  logic [TagW-1:0]   part_tag;
  logic signed [TimeW+1:0] part;
  logic [StageCost:StageDistance] hop_en;
  logic              hop_head, hop_angle_head, hop_from_write, hop_to_write;
  logic [CylW-1:0]   hop_from_cyl, hop_to_cyl;
  logic [HeadW-1:0]  hop_from_head, hop_to_head;
  logic [AngleW-1:0] hop_from_angle, hop_to_angle;
  logic [TimeW-1:0]  reach, worst;
  logic              risky;
  logic              cost_we;
  logic [SlotW-1:0]  cost_from, cost_to;
  logic [TimeW-1:0]  matrix_cost;

  sched_list #(
    .Entries(Entries),
    .AngleW (AngleW),
    .CylW   (CylW),
    .OrderM (OrderM)
  ) u_list (
    .clk_i               (list_clk),
    .rst_ni(soft_rst_n),
    .insert_i            (try_insert),
    .remove_i            (try_remove),
    .cancel_i            (cancel),
    .sums_i              (sums),
    .collect_i           (cluster),
    .kind_insert_i       (kind_insert),
    .kind_remove_i       (kind_remove),
    .kind_collect_i      (kind_cluster),
    .done_o              (list_done),
    .late_o              (list_late),
    .tag_i               (change_tag),
    .start_cyl_i         (start_cyl),
    .start_head_i        (start_head),
    .start_angle_i       (start_angle),
    .write_i             (write),
    .continuous_i        (continuous),
    .end_cyl_i           (end_cyl),
    .end_head_i          (end_head),
    .end_angle_i         (end_angle),
    .transfer_i          (transfer),
    .deadline_i          (deadline),
    .count_o             (occupancy),
    .removed_o           (removed),
    .removed_continuous_o(removed_continuous),
    .removed_cyl_o       (removed_cyl),
    .removed_head_o      (removed_head),
    .removed_write_o     (removed_write),
    .sweep_down_i        (sweep_down),
    .swept_o             (swept),
    .next_valid_o        (next_valid),
    .next_tag_o          (next_tag),
    .next_cyl_o          (next_cyl),
    .next_head_o         (next_head),
    .next_write_o        (next_write),
    .next_angle_o        (next_angle),
    .sweep_o             (sweep),
    .due_o               (due),
    .part_we_o           (part_we),
    .part_tag_o          (part_tag),
    .part_o              (part),
    .max_i               (cluster_max),
    .take_continuous_i   (take_c),
    .take_other_i        (take_d),
    .stop_at_continuous_i(stop_at_c),
    .down_i              (cluster_down),
    .from_i              (cluster_from),
    .span_i              (cluster_span),
    .order_i             (cluster_order),
    .streamed_o          (streamed),
    .mask_clear_o        (mask_clear),
    .mask_set_o          (mask_set),
    .mask_tag_o          (mask_tag),
    .collected_o         (collected),
    .slot_tag_o          (slot_tag),
    .cost_we_o           (cost_we),
    .cost_from_o         (cost_from),
    .cost_to_o           (cost_to),
    .cost_o              (matrix_cost),
    .hop_en_o            (hop_en),
    .hop_head_o          (hop_head),
    .hop_from_cyl_o      (hop_from_cyl),
    .hop_from_head_o     (hop_from_head),
    .hop_from_write_o    (hop_from_write),
    .hop_to_cyl_o        (hop_to_cyl),
    .hop_to_head_o       (hop_to_head),
    .hop_to_write_o      (hop_to_write),
    .hop_angle_head_o    (hop_angle_head),
    .hop_from_angle_o    (hop_from_angle),
    .hop_to_angle_o      (hop_to_angle),
    .risk_charge_i       (risk_charge),
    .reach_i             (reach),
    .worst_i             (worst),
    .risky_i             (risky)
  );

  // Orderer
  if (OrderM != 0) begin : g_order
    localparam int unsigned OrderSlotW = $clog2(OrderM + 1);
    logic                              order_busy;
    logic [OrderM-1:0][OrderSlotW-1:0] order;
    logic [OrderCostW-1:0]             total;
    logic                              order_clk;

    sched_clock_gate u_order_clock (.clk_i, .en_i(order_en || !soft_rst_n), .clk_o(order_clk));

    sched_order #(
      .M    (OrderM),
      .CostW(TimeW)
    ) u_order (
      .clk_i      (order_clk),
      .rst_ni     (rst_ni),
      .clear_i    (clear),
      .start_i    (order_start),
      .count_i    (OrderSlotW'(collected)),
      .busy_o     (order_busy),
      .done_o     (order_done),
      .cost_we_i  (cost_we),
      .cost_from_i(OrderSlotW'(cost_from)),
      .cost_to_i  (OrderSlotW'(cost_to)),
      .cost_i     (matrix_cost),
      .order_o    (order),
      .total_o    (total)
    );

    for (genvar i = 0; i < OrderMost; i++) begin : g_tag
      if (i < OrderM) begin : g_used
        assign order_tag[i] = (ordered_q && CountW'(i) < collected) ?
            slot_tag[SlotW'(order[i])] : '0;
      end else begin : g_unused
        assign order_tag[i] = '0;
      end
    end
    assign order_cost = ordered_q ? total : '0;

    logic unused_order;
    assign unused_order = ^{order_busy, cost_from, cost_to, slot_tag};
  end else begin : g_no_order
    logic unused_matrix;
    assign order_done = 1'b0;
    assign order_tag = '0;
    assign order_cost = '0;
    assign unused_matrix =
        ^{order_en, order_start, cost_we, cost_from, cost_to, matrix_cost, slot_tag};
  end

  always_ff @(posedge clk_i) begin
    if (!soft_rst_n || cluster) begin
      ordered_q <= 1'b0;
    end else if (order_done) begin
      ordered_q <= 1'b1;
    end
  end

  // What the guard compares with: SWEEP + RESERVE - (DUE - HEAD_TIME) - 1, constant while it is used.
  logic                    active;
  logic [SumW:0]           sum_q;
  logic signed [SumW-1:0]  spent_q;             // minus the time that is left, less one
  logic signed [RoomW-1:0] room_q;

  assign active = guard_en && next_valid;

  always_ff @(posedge clk_i) begin
    sum_q <= {1'b0, sweep} + {1'b0, reserve};
    spent_q <= SumW'(({head_time, 1'b0} - {due, 1'b1}) >> 1);
    if (onward) begin
      room_q <= '0;
    end else begin
      room_q <= $signed({2'b00, sum_q}) + RoomW'(spent_q);
    end
  end

  // From where, or to where, a pass goes
  logic [CylW-1:0]   ref_cyl;
  logic [HeadW-1:0]  ref_head;
  logic              ref_write;
  logic [AngleW-1:0] ref_angle;
  logic [1:0][TimeW-1:0] pass_overhead_q;       // of an entry that reads, that writes

  assign ref_cyl = onward ? next_cyl : head_cyl;
  assign ref_head = onward ? next_head : head_head;
  assign ref_write = onward ? next_write : head_write;
  assign ref_angle = onward ? ~next_angle : head_time[AngleW-1:0];

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < 2; i++) begin
      pass_overhead_q[i] <= onward ? overhead[{1'b1, next_write, 1'(i)}] :
          overhead[{1'b0, 1'(i), head_write}];
    end
  end

  // What a change brings to the lanes
  logic [CylW-1:0]       place_cyl;
  logic [HeadW-1:0]      place_head;
  logic [AngleW-1:0]     place_angle;
  logic signed [SumW:0]  lane_part;

  assign place_cyl = insert_end_q ? end_cyl : start_cyl;
  assign place_head = insert_end_q ? end_head : start_head;
  assign place_angle = insert_end_q ? ~end_angle : start_angle;
  assign lane_part = part_we ? (SumW + 1)'(part) : $signed({1'b0, transfer});

  // Lanes
  logic [StageTreeEnd:0]          pass_en;
  logic [StageKey:0][RowW-1:0]    row;
  logic [RowW-1:0]                change_row, part_row;
  logic [LaneW-1:0]               change_lane, part_lane;
  logic [Lanes-1:0]               candidate, entry_refused;
  logic [Lanes-1:0][KeyW-1:0]     key, tree_key;
  logic [Lanes-1:0][SeqW-1:0]     entry_rank;

  assign lane_mask = mask | {Entries{!mask_en}};
  assign change_row = RowW'(change_tag >> LaneShift);
  assign change_lane = (Lanes > 1) ? change_tag[LaneW-1:0] : '0;
  assign part_row = part_we ? RowW'(part_tag >> LaneShift) : change_row;
  assign part_lane = (Lanes <= 1) ? '0 : part_we ? part_tag[LaneW-1:0] : change_lane;

  for (genvar lane = 0; lane < Lanes; lane++) begin : g_lane
    logic                mine;
    logic [Rows-1:0]     lane_valid, row_mask;
    logic [StageKey:0]   en;
    logic [TimeW-1:0]    lane_reach, lane_worst;
    logic                lane_risky;

    assign mine = change_lane == LaneW'(lane);

    // The list's hops go through the first lane, between passes.
    if (lane == 0) begin : g_hops
      assign en = pass_en[StageKey:0] | {1'b0, hop_en, 1'b0};
      assign reach = lane_reach;
      assign worst = lane_worst;
      assign risky = lane_risky;
    end else begin : g_no_hops
      logic unused_hop;
      assign en = pass_en[StageKey:0];
      assign unused_hop = ^{lane_reach, lane_worst, lane_risky};
    end

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
      .clk_i           (lanes_clk),
      .rst_ni(soft_rst_n),
      .insert_i        (insert_q && mine),
      .insert_end_i    (insert_end_q && mine),
      .remove_i        (remove_q && mine),
      .change_row_i    (change_row),
      .place_cyl_i     (place_cyl),
      .place_head_i    (place_head),
      .place_angle_i   (place_angle),
      .write_i         (write),
      .continuous_i    (continuous),
      .age_i           (age),
      .seq_i           (seq),
      .valid_o         (lane_valid),
      .part_we_i       ((part_we || insert_q) && part_lane == LaneW'(lane)),
      .part_row_i      (part_row),
      .part_i          (lane_part),
      .cell_we_i       (cell_we),
      .cell_index_i    (cell_index),
      .cell_data_i     (cell_data),
      .segment_we_i    (segment_we),
      .segment_index_i (segment_index),
      .segment_data_i  (segment_data),
      .onward_i        (onward),
      .active_i        (active),
      .next_c_only_i   (next_c_only),
      .mask_i          (row_mask),
      .ref_cyl_i       (ref_cyl),
      .ref_head_i      (ref_head),
      .ref_write_i     (ref_write),
      .ref_angle_i     (ref_angle),
      .next_tag_i      (next_tag),
      .age_now_i       (age_now),
      .margin_i        (margin),
      .risk_i          (risk),
      .risk_charge_i   (risk_charge),
      .head_switch_i   (head_switch),
      .write_settle_i  (write_settle),
      .switch_early_i  (switch_early),
      .overhead_i      ({overhead[7:4], {TimeW{1'b0}}, {TimeW{1'b0}}, pass_overhead_q}),
      .room_i          (room_q),
      .hop_i           (lane == 0 && hop_en[StageDistance]),
      .hop_head_i      (hop_head),
      .hop_from_cyl_i  (hop_from_cyl),
      .hop_from_head_i (hop_from_head),
      .hop_from_write_i(hop_from_write),
      .hop_to_cyl_i    (hop_to_cyl),
      .hop_to_head_i   (hop_to_head),
      .hop_to_write_i  (hop_to_write),
      .hop_angle_i     (lane == 0 && hop_en[StageSeek]),
      .hop_angle_head_i(hop_angle_head),
      .hop_from_angle_i(hop_from_angle),
      .hop_to_angle_i  (hop_to_angle),
      .reach_o         (lane_reach),
      .worst_o         (lane_worst),
      .risky_o         (lane_risky),
      .en_i            (en),
      .row_i           (row),
      .candidate_o     (candidate[lane]),
      .refused_o       (entry_refused[lane]),
      .key_o           (key[lane]),
      .rank_o          (entry_rank[lane])
    );

    for (genvar r = 0; r < Rows; r++) begin : g_entry
      assign valid[r*Lanes+lane] = lane_valid[r];
      assign row_mask[r] = lane_mask[r*Lanes+lane];
    end
  end

  // Seeded fault for the test of the tests: lane 0's key is wrong by one tick.
`ifdef PLATTER_SCHED_FAULT
  assign tree_key = key ^ (Lanes * KeyW)'(1);
`else
  assign tree_key = key;
`endif

  logic                best_valid;
  logic signed [KeyW-1:0] best_key;
  logic [SeqW-1:0]     best_rank;
  logic [LaneW-1:0]    best_lane;
  logic [RefusedW-1:0] tree_refused;

  sched_min_tree #(
    .Lanes(Lanes),
    .KeyW (KeyW),
    .RankW(SeqW)
  ) u_min_tree (
    .clk_i       (lanes_clk),
    .en_i        (pass_en[StageTreeEnd:StageTree]),
    .candidate_i (candidate),
    .refused_i   (entry_refused),
    .key_i       (tree_key),
    .rank_i      (entry_rank),
    .best_valid_o(best_valid),
    .best_key_o  (best_key),
    .best_rank_o (best_rank),
    .best_lane_o (best_lane),
    .refused_o   (tree_refused)
  );

  sched_decide #(
    .Rows (Rows),
    .Lanes(Lanes),
    .KeyW (KeyW),
    .RankW(SeqW)
  ) u_decide (
    .clk_i,
    .rst_ni(soft_rst_n),
    .start_i        (pass_start),
    .may_start_i    (may_start),
    .keep_i         (keep),
    .done_o         (pass_done),
    .active_i       (active),
    .next_tag_i     (next_tag),
    .en_o           (pass_en),
    .row_o          (row),
    .best_valid_i   (best_valid),
    .best_key_i     (best_key),
    .best_rank_i    (best_rank),
    .best_lane_i    (best_lane),
    .refused_i      (tree_refused),
    .result_valid_o (result_valid),
    .result_forced_o(result_forced),
    .result_tag_o   (result_tag),
    .result_key_o   (result_key),
    .refused_o      (refused),
    .forced_now_o   (forced_now),
    .refused_now_o  (refused_now)
  );

endmodule
