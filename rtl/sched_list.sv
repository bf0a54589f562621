// SPDX-License-Identifier: Apache-2.0
//
// The module holds the list: all entries in ascending order of the cylinder where they start. Four
// modules carry out its operations. They hold the sorted rows (sched_rows), work out the sums of
// the sweep (sched_sums), collect clusters (sched_collect) and stream the cost matrix
// (sched_matrix). Their hops go through the hop unit of the first lane.
//
// Parameters:
//   Entries  most entries, 4 to 256
//   AngleW   bits of an angle, 12 to 20
//   CylW     bits of a cylinder number, 1 to 21
//   OrderM   most slots of a cluster that is to be ordered, 2 to 12; 0: none
// Latency:    The contract, docs/reference/scheduler_accelerator.md, states the cycles of each
//             operation. A hop that is asked for in one cycle is in stage 1 in the next, and is
//             answered in stage 11.
// Handshake:  Only one operation is under way at a time. To start it, insert, remove, sums or
//             collect of op_i is high for one cycle. done_o is high in its last cycle. A reset ends
//             the operation under way and empties the list. The staged entry and the tag are stable
//             during an operation and, after an insertion, in the cycle of late_o, too.

module sched_list
  import sched_pkg::*;
  import sched_reg_pkg::*;
#(
  parameter int unsigned Entries = 32,
  parameter int unsigned AngleW = 16,
  parameter int unsigned CylW = 18,
  parameter int unsigned OrderM = 6,
  localparam int unsigned SumW = sum_w(AngleW),
  localparam int unsigned EntryW = index_w(Entries)
) (
  // Clock of the list, gated.
  input  logic              clk_i,
  // Reset or soft reset, synchronous, active low: the list is empty.
  input  logic              rst_ni,

  // --- Operations
  // Operation to start; only while none is under way.
  input  list_op_t          op_i,
  // Last cycle of the operation; stays low for one that is cancelled.
  output logic              done_o,
  // The cycle after an insertion, in which the entry is written: the clock must run.
  output logic              late_o,

  // Tag to insert or remove; stable during the operation.
  input  logic [TagW-1:0]   tag_i,
  // The entry to insert; stable during the operation and with late_o.
  input  sched_types#(AngleW, CylW)::entry_t entry_i,

  // Number of entries, 0 to Entries.
  output logic [CountW-1:0] count_o,
  // The entry that leaves; removed_o.valid is high for one cycle of a removal.
  output sched_types#(AngleW, CylW)::removed_t removed_o,

  // --- Sweep
  // CTRL.SWEEP_DOWN: the sweep runs towards lower cylinders.
  input  logic              sweep_down_i,
  // The sweep has an entry; valid with done_o of the sums.
  output logic              swept_o,
  // NEXT, SWEEP and DUE; changes during the sums.
  output sched_types#(AngleW, CylW)::sweep_t sweep_o,
  // Part of an entry, written to the table when part_o.we is high.
  output sched_types#(AngleW, CylW)::part_t  part_o,

  // --- Clusters
  // What to collect; with order the cost matrix is streamed afterwards.
  input  sched_types#(AngleW, CylW)::cluster_cfg_t cluster_i,
  // Changes of MASK.
  output mask_change_t      mask_o,
  // Number of collected entries; holds until the next collection.
  output logic [CountW-1:0] collected_o,
  // The cost matrix was streamed; valid with done_o.
  output logic              streamed_o,
  // Tag of each slot; unused slots have no meaning.
  output logic [OrderMost-1:0][EntryW-1:0] slot_tag_o,
  // One cost for the orderer, written when cost_o.we is high.
  output sched_types#(AngleW, CylW)::matrix_cost_t cost_o,

  // --- Hop unit of the first lane
  // Hops that are asked for, by stage.
  output sched_types#(AngleW, CylW)::hop_req_t hop_o,
  // Answer to the hop in stage 11.
  input  sched_types#(AngleW, CylW)::hop_rsp_t hop_i,
  // RISK_CHARGE, ticks, for the cost matrix.
  input  logic [AngleW-1:0] risk_charge_i
);

  if (Entries < 4 || Entries > 256) begin : g_bad_entries
    $error("sched_list: Entries must be 4 to 256");
  end
  if (!angle_ok(AngleW)) begin : g_bad_angle_w
    $error("sched_list: AngleW must be 12 to 20");
  end
  if (CylW < 1 || CylW > 21) begin : g_bad_cyl_w
    $error("sched_list: CylW must be 1 to 21");
  end
  if (!order_ok(OrderM) || OrderM > Entries) begin : g_bad_order
    $error("sched_list: OrderM must be 0 or 2 to 12, and at most Entries");
  end

  typedef logic [EntryW-1:0] index_t;

  localparam int unsigned DrainCycles = StageBest - 2;

  list_state_t state_q, state_d;
  logic [3:0]  drain_q;
  logic        drain_last, sums_end, empty;

  // Rows
  logic              primed, moved, last_row, row_continuous, walk_up, walk_next;
  logic [EntryW:0]   count;
  index_t            row, row_tag;
  logic [CylW-1:0]   walk;
  sched_types#(AngleW, CylW)::place_t to, from;
  logic [AngleW-1:0] to_angle, from_angle;
  logic [SumW-1:0]   transfer, deadline;
  index_t            work_tag;

  // Go on to the row after the current one, in the direction of the walk
  logic next_row;

  assign walk_up = state_q.collect ? !cluster_i.down :
                   state_q.sums ? sweep_down_i : 1'b1;
  assign walk_next = !state_q.sums || next_row;

  // Hops under way
  logic                     hop, sums_hop;
  hop_kind_e                hop_kind, sums_kind, matrix_kind;
  index_t                   hop_from, hop_to, sums_from, sums_to, matrix_from, matrix_to;
  hop_kind_e [StageKey:1]   kind_q;
  index_t [StageCost:1]     hop_from_q;
  index_t [StageMultiply:1] hop_to_q;

  // Operations
  logic                               collect_ends, order_wanted, matrix_last;
  logic [OrderMost-1:0][EntryW-1:0]   slot_row;

  assign count_o = CountW'(count);

  if (TagW > EntryW) begin : g_unused_tag
    logic unused_tag;
    assign unused_tag = ^tag_i;
  end

  sched_rows #(
    .Entries(Entries),
    .AngleW (AngleW),
    .CylW   (CylW)
  ) u_rows (
    .clk_i,
    .rst_ni,
    .state_i         (state_q),
    .op_i,
    .tag_i           (tag_i[EntryW-1:0]),
    .entry_i,
    .late_o,
    .moved_o         (moved),
    .removed_o,
    .count_o         (count),
    .empty_o         (empty),
    .sweep_down_i,
    .cluster_down_i  (cluster_i.down),
    .up_i            (walk_up),
    .next_i          (walk_next),
    .primed_o        (primed),
    .last_o          (last_row),
    .row_o           (row),
    .tag_o           (row_tag),
    .continuous_o    (row_continuous),
    .walk_o          (walk),
    .to_row_i        (hop_to),
    .from_row_i      (hop_from),
    .to_angle_row_i  (hop_to_q[StageMultiply]),
    .from_angle_row_i(hop_from_q[StageMultiply]),
    .work_row_i      (hop_from_q[StageCost]),
    .to_o            (to),
    .from_o          (from),
    .to_angle_o      (to_angle),
    .from_angle_o    (from_angle),
    .transfer_o      (transfer),
    .deadline_o      (deadline),
    .work_tag_o      (work_tag)
  );

  sched_sums #(
    .Entries(Entries),
    .AngleW (AngleW),
    .CylW   (CylW)
  ) u_sums (
    .clk_i,
    .rst_ni,
    .state_i     (state_q),
    .first_i     (drain_q == '0),
    .primed_i    (primed),
    .empty_i     (empty),
    .row_i       (row),
    .continuous_i(row_continuous),
    .next_o      (next_row),
    .swept_o,
    .hop_o       (sums_hop),
    .hop_kind_o  (sums_kind),
    .hop_from_o  (sums_from),
    .hop_to_o    (sums_to),
    .kind_i      (kind_q[StageKey]),
    .worst_i     (hop_i.worst),
    .transfer_i  (transfer),
    .deadline_i  (deadline),
    .tag_i       (work_tag),
    .load_place_i(kind_q[StageDistance] == HopLoad),
    .place_i     (to),
    .load_angle_i(kind_q[StageSeek] == HopLoad),
    .angle_i     (to_angle),
    .sweep_o,
    .part_o
  );

  sched_collect #(
    .Entries(Entries),
    .AngleW (AngleW),
    .CylW   (CylW),
    .OrderM (OrderM)
  ) u_collect (
    .clk_i,
    .rst_ni,
    .state_i     (state_q),
    .start_i     (op_i.collect),
    .cfg_i       (cluster_i),
    .primed_i    (primed),
    .empty_i     (empty),
    .last_i      (last_row),
    .row_i       (row),
    .tag_i       (row_tag),
    .continuous_i(row_continuous),
    .walk_i      (walk),
    .ends_o      (collect_ends),
    .order_o     (order_wanted),
    .mask_o,
    .collected_o,
    .slot_row_o  (slot_row),
    .slot_tag_o
  );

  sched_matrix #(
    .Entries(Entries),
    .AngleW (AngleW),
    .CylW   (CylW),
    .OrderM (OrderM)
  ) u_matrix (
    .clk_i,
    .rst_ni,
    .state_i      (state_q),
    .start_i      (op_i.collect),
    .slots_i      (SlotW'(collected_o)),
    .slot_row_i   (slot_row),
    .hop_kind_o   (matrix_kind),
    .hop_from_o   (matrix_from),
    .hop_to_o     (matrix_to),
    .last_o       (matrix_last),
    .kind_i       (kind_q[StageKey]),
    .reach_i      (hop_i.reach),
    .risky_i      (hop_i.risky),
    .risk_charge_i,
    .cost_o
  );

  // Hops: those of the matrix or those of the sums
  assign hop = state_q.matrix || sums_hop;
  assign hop_kind = state_q.matrix ? matrix_kind : sums_kind;
  assign hop_from = state_q.matrix ? matrix_from : sums_from;
  assign hop_to = state_q.matrix ? matrix_to : sums_to;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      kind_q <= '0;
    end else begin
      kind_q <= {kind_q[StageCost:1], hop ? hop_kind : HopNone};
    end
  end

  always_ff @(posedge clk_i) begin
    hop_from_q <= {hop_from_q[StageArrive:1], hop_from};
    hop_to_q <= {hop_to_q[StageLine:1], hop_to};
  end

  for (genvar stage = StageDistance; stage <= StageCost; stage++) begin : g_hop_en
    assign hop_o.en[stage] = kind_q[stage] != HopNone;
  end
  assign hop_o.head = kind_q[StageDistance] == HopHead;
  assign hop_o.from = from;
  assign hop_o.to = to;
  assign hop_o.angle_head = kind_q[StageSeek] == HopHead;
  assign hop_o.from_angle = from_angle;
  assign hop_o.to_angle = to_angle;

  // Course of an operation
  assign drain_last = drain_q == 4'(DrainCycles - 1);
  assign sums_end = empty || (primed && next_row && last_row);
  assign streamed_o = state_q.matrix_drain;

  // done_o: the last cycle of the operation.
  logic change_ends, drain_ends, collected;

  assign change_ends = (state_q.insert || state_q.remove) && (op_i.cancel || moved);
  assign drain_ends = (state_q.sums_drain || state_q.matrix_drain) && drain_last;
  assign collected = state_q.collect && collect_ends;
  assign done_o = moved || drain_ends || (collected && !order_wanted);

  // An operation begins only in the state idle, so its strobe alone decides. The strobe comes late
  // in the cycle.
  always_comb begin
    state_d.idle = (state_q.idle && !(op_i.insert || op_i.remove || op_i.sums || op_i.collect)) ||
        change_ends || drain_ends || (collected && !order_wanted);
    state_d.insert = op_i.insert || (state_q.insert && !change_ends);
    state_d.remove = op_i.remove || (state_q.remove && !change_ends);
    state_d.sums = op_i.sums || (state_q.sums && !sums_end);
    state_d.sums_drain = (state_q.sums && sums_end) || (state_q.sums_drain && !drain_last);
    state_d.collect = op_i.collect || (state_q.collect && !collect_ends);
    state_d.matrix = OrderM != 0 &&
        ((collected && order_wanted) || (state_q.matrix && !matrix_last));
    state_d.matrix_drain = OrderM != 0 &&
        ((state_q.matrix && matrix_last) || (state_q.matrix_drain && !drain_last));
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= '{idle: 1'b1, default: 1'b0};
      drain_q <= '0;
    end else begin
      state_q <= state_d;
      if (state_q.idle) begin
        drain_q <= '0;
      end else if (state_q.sums_drain || state_q.matrix_drain) begin
        drain_q <= drain_q + 4'd1;
      end
    end
  end

`ifdef VERILATOR
  // Name of the state, for wave files
  // verilator coverage_off
  list_state_e state_name;

  always_comb begin
    state_name = ListIdle;
    for (int unsigned i = 0; i < $bits(list_state_t); i++) begin
      if (state_q[i]) begin
        state_name = list_state_e'(i[2:0]);
      end
    end
  end
  // verilator coverage_on
`endif

endmodule
