// SPDX-License-Identifier: Apache-2.0
//
// The module is the scheduling accelerator behind a native register port. A table holds disk
// commands, and a decision picks the one that is reached soonest and leaves the remaining
// continuous sweep enough time. A list holds the same commands by cylinder. Along it the
// accelerator sweeps, collects clusters and finds their best order. The contract is
// docs/reference/scheduler_accelerator.md: register map, arithmetic and timing.
//
// Parameters:
//   Entries   entries of the command table, 4 to 256, a multiple of Lanes
//   Lanes     entries evaluated in a cycle: 1, 2, 4, 8 or 16
//   OrderM    most commands whose best order is found, 2 to 12, at most Entries; 0: no orderer
//   AngleW    one turn is 2^AngleW ticks, 12 to 20
//   CylW      bits of a cylinder number, 8 to 18
//   SegM      mantissa bits that index the cells of the seek table, 2 to 5
//   SegW      2^SegW segments of the seek table, SegW at most 10, at least one segment a cell
//   SeqW      bits of an insertion number; keep 24. Ages compare wrongly if an entry outlives 2^SeqW
//             insertions, so fewer bits (2 to 23) are for tests only
//   Features  optional parts, a sum: 1 ageing, 2 look-ahead, 4 limits, 8 zero latency; 0: none
// Latency:    A decision keeps busy_o set for Entries / Lanes + sched_pkg::DecisionLatency cycles.
//             It takes longer if sums or debts are stale, or if it looks ahead.
// Handshake:  Both channels use valid and ready, see sched_regs. write_i is a write that is already
//             decoded. sched_join does this for a bus; a design with another bus takes
//             sched_native. busy_o and irq_o are levels.
// Statistics: The registers DECISIONS, BUSY_CYCLES, STALL_CYCLES, REFUSED_COUNT and FORCED_COUNT
//             count; sched_regs holds them.

module sched_core
  import sched_pkg::*;
  import sched_reg_pkg::*;
#(
  parameter int unsigned Entries = 32,
  parameter int unsigned Lanes = 4,
  parameter int unsigned OrderM = 6,
  parameter int unsigned AngleW = 16,
  parameter int unsigned CylW = 18,
  parameter int unsigned SegM = 5,
  parameter int unsigned SegW = 9,
  parameter int unsigned SeqW = 24,
  parameter int unsigned Features = 0
) (
  // Clock, rising edge.
  input  logic             clk_i,
  // Synchronous reset, active low.
  input  logic             rst_ni,
  // Opens the clock gates, for a scan test; low in operation.
  input  logic             scan_en_i,

  // --- Writes
  // The decoded write; write_i.valid offers it.
  input  write_t           write_i,
  // The write is accepted in this cycle if write_i.valid is high.
  output logic             wr_ready_o,
  // The write is an error; valid in the cycle that accepts it.
  output logic             wr_error_o,
  // The write is an error for another reason than its tag; valid in the cycle that accepts it.
  output logic             wr_bad_o,
  // The last accepted write's tag is refused; valid from the cycle after it until the next write.
  output logic             wr_refused_o,

  // --- Reads
  // A read is offered.
  input  logic             rd_valid_i,
  // High while no answer waits: the read is accepted.
  output logic             rd_ready_o,
  // Byte address, valid with rd_valid_i.
  input  logic [AddrW-1:0] rd_addr_i,
  // The answer to a read waits. Rises in the cycle after the one that accepts the read.
  output logic             rsp_valid_o,
  // The master takes the answer in this cycle.
  input  logic             rsp_ready_i,
  // Data of the answer, valid with rsp_valid_o; zero for an error.
  output logic [31:0]      rd_data_o,
  // The read is an error, valid with rsp_valid_o.
  output logic             rd_error_o,

  // --- State
  // Work is under way (STATUS.BUSY), a level.
  output logic             busy_o,
  // Interrupt, a level: STATUS.DONE and CTRL.IRQ_EN.
  output logic             irq_o
);

  localparam int unsigned TimeW = time_w(AngleW);
  localparam int unsigned SumW = sum_w(AngleW);
  localparam int unsigned KeyW = key_w(AngleW);
  localparam int unsigned TotalW = total_w(AngleW);
  localparam int unsigned RoomW = room_w(AngleW);
  localparam bit          Limits = has(Features, FeatureLimits);
  localparam int unsigned TreeKeyW = KeyW + 32'(Limits);
  localparam int unsigned OrderCostW = TimeW + 4;
  localparam int unsigned Rows = Entries / Lanes;
  localparam int unsigned RowW = index_w(Rows);
  localparam int unsigned LaneW = index_w(Lanes);
  localparam int unsigned LaneShift = $clog2(Lanes);
  localparam int unsigned RefusedW = $clog2(Lanes + 1);
  localparam int unsigned EntryW = index_w(Entries);

  if (!entries_ok(Entries) || Entries % Lanes != 0) begin : g_bad_entries
    $error("sched_core: Entries must be 4 to 256 and a multiple of Lanes");
  end
  if (!lanes_ok(Lanes)) begin : g_bad_lanes
    $error("sched_core: Lanes must be 1, 2, 4, 8 or 16");
  end
  if (!order_ok(OrderM) || OrderM > Entries) begin : g_bad_order
    $error("sched_core: OrderM must be 0 or 2 to 12, and at most Entries");
  end
  if (!angle_ok(AngleW)) begin : g_bad_angle_w
    $error("sched_core: AngleW must be 12 to 20");
  end
  if (!seek_ok(CylW, SegM, SegW)) begin : g_bad_seek_table
    $error("sched_core: CylW must be 8 to 18, SegM 2 to 5, SegW at most 10 and enough for a segment a cell");
  end
  if (!seq_ok(SeqW)) begin : g_bad_seq
    $error("sched_core: SeqW must be 2 to 24");
  end
  if (!features_ok(Features)) begin : g_bad_features
    $error("sched_core: Features must be at most 15");
  end
  if (DecisionLatency != Stages - 3) begin : g_bad_latency
    $error("sched_core: decision_latency in registers.toml differs from the depth of the pipeline");
  end

  typedef sched_types#(AngleW, CylW)::place_t place_t;

  // Registers
  command_t          command;
  logic [TagW-1:0]   change_tag;
  logic [Entries-1:0] valid, mask, live_q;
  mask_change_t      mask_change;
  logic [SeqW-1:0]   seq;
  sched_types#(AngleW, CylW)::cfg_t         cfg;
  sched_types#(AngleW, CylW)::cluster_cfg_t cluster_cfg;
  sched_types#(AngleW, CylW)::entry_t       entry;
  sched_types#(AngleW, CylW)::optional_t    optional;
  sched_seek_types#(AngleW, CylW, SegM, SegW)::load_t load;

  // Results
  logic              result_valid, result_forced, forced_now, done, decided, stays;
  logic [TagW-1:0]   result_tag;
  logic signed [TotalW-1:0] result_key;
  logic [CountW-1:0] refused, refused_now, occupancy, collected;
  logic              expired, ahead_done;
  logic [TagW-1:0]   expired_tag;
  logic [31:0]       cycles;
  logic              ordered_q;
  logic [OrderCostW-1:0] order_cost;
  logic [OrderMost-1:0][TagW-1:0] order_tag;
  logic [OrderMost-1:0][EntryW-1:0] slot_tag;

  // List
  sched_types#(AngleW, CylW)::removed_t     removed;
  sched_types#(AngleW, CylW)::sweep_t       sweep;
  sched_types#(AngleW, CylW)::part_t        part;
  sched_types#(AngleW, CylW)::matrix_cost_t cost;
  sched_types#(AngleW, CylW)::hop_req_t     hop_req;
  sched_types#(AngleW, CylW)::hop_rsp_t     hop_rsp;

  logic              serve_q, soft_rst_n;
  logic              list_clk, lanes_clk, list_en, lanes_en, list_late;
  logic              insert_q, insert_end_q, remove_q;

  sched_regs #(
    .Entries(Entries),
    .Lanes  (Lanes),
    .OrderM (OrderM),
    .AngleW (AngleW),
    .CylW   (CylW),
    .SegM   (SegM),
    .SegW   (SegW),
    .SeqW   (SeqW),
    .Features(Features)
  ) u_regs (
    .clk_i,
    .rst_ni,
    .scan_en_i,
    .write_i,
    .wr_ready_o,
    .wr_error_o,
    .wr_bad_o,
    .wr_refused_o,
    .rd_valid_i,
    .rd_ready_o,
    .rd_addr_i,
    .rsp_valid_o,
    .rsp_ready_i,
    .rd_data_o,
    .rd_error_o,
    .irq_o,
    .command_o     (command),
    .change_tag_o  (change_tag),
    .inserted_i    (insert_q),
    .valid_i       (valid),
    .busy_i        (busy_o),
    .stays_i       (stays),
    .done_i        (done),
    .decided_i     (decided),
    .forced_now_i  (ahead_done ? result_forced : forced_now),
    .refused_now_i (ahead_done ? refused : refused_now),
    .occupancy_i   (occupancy),
    .result_valid_i(result_valid),
    .result_forced_i(result_forced),
    .result_tag_i  (result_tag),
    .result_key_i  (result_key),
    .refused_i     (refused),
    .expired_i     (expired),
    .expired_tag_i (expired_tag),
    .cycles_i      (cycles),
    .sweep_i       (sweep),
    .collected_i   (collected),
    .ordered_i     (ordered_q),
    .order_cost_i  (order_cost),
    .order_tag_i   (order_tag),
    .served_i      (removed.valid && serve_q),
    .served_place_i(removed.place),
    .cfg_o         (cfg),
    .cluster_o     (cluster_cfg),
    .entry_o       (entry),
    .optional_o    (optional),
    .seq_o         (seq),
    .mask_i        (mask_change),
    .mask_o        (mask),
    .load_o        (load)
  );

  assign soft_rst_n = rst_ni && !command.clear;

  always_ff @(posedge clk_i) begin
    if (command.try_remove) begin
      serve_q <= command.serve;
    end
  end

  // The lanes follow a change one cycle after the write.
  always_ff @(posedge clk_i) begin
    if (!soft_rst_n) begin
      insert_q <= 1'b0;
      insert_end_q <= 1'b0;
      remove_q <= 1'b0;
    end else begin
      insert_q <= command.insert;
      insert_end_q <= insert_q;
      remove_q <= command.remove;
    end
  end

  // Clocks of the parts

  sched_clock_gate u_list_clock (
    .clk_i, .en_i(list_en || list_late || command.touched), .scan_en_i, .clk_o(list_clk)
  );
  sched_clock_gate u_lanes_clock (
    .clk_i, .en_i(lanes_en || insert_end_q || command.touched), .scan_en_i, .clk_o(lanes_clk)
  );

  // Control
  logic order_en;
  logic ahead_start, ahead_pass_start;
  logic list_done, streamed, swept, sums, control_pass_start, control_may_start, pass_start,
        may_start, pass_done, onward, keep, order_start, order_done;

  sched_control #(.LooksAhead(has(Features, FeatureLookAhead))) u_control (
    .clk_i,
    .rst_ni(soft_rst_n),
    .write_i      (command.open_write),
    .change_i     (command.try_insert || command.try_remove),
    .cancel_i     (command.cancel),
    .inserted_i   (insert_q),
    .decide_i     (command.decide),
    .cluster_i    (command.cluster),
    .continuous_i ((insert_q && entry.continuous) || (removed.valid && removed.continuous)),
    .config_we_i  (command.config_we),
    .guard_en_i   (cfg.guard_en),
    .list_done_i  (list_done),
    .swept_i      (swept),
    .next_valid_i (sweep.next.valid),
    .ordered_i    (streamed),
    .pass_done_i  (pass_done),
    .order_done_i (order_done),
    .ahead_i      (cfg.ahead.active),
    .ahead_done_i (ahead_done),
    .ahead_start_o(ahead_start),
    .list_en_o    (list_en),
    .lanes_en_o   (lanes_en),
    .order_en_o   (order_en),
    .sums_o       (sums),
    .pass_start_o (control_pass_start),
    .may_start_o  (control_may_start),
    .onward_o     (onward),
    .keep_o       (keep),
    .order_start_o(order_start),
    .busy_o,
    .stays_o      (stays),
    .done_o       (done),
    .decided_o    (decided),
    .cycles_o     (cycles)
  );

  assign pass_start = control_pass_start || ahead_pass_start;
  assign may_start = control_may_start || ahead_pass_start;

  // List
  list_op_t list_op;

  assign list_op = '{
    insert: command.try_insert,
    remove: command.try_remove,
    cancel: command.cancel,
    sums: sums,
    collect: command.cluster,
    kind_insert: command.kind_insert,
    kind_remove: command.kind_remove,
    kind_collect: command.kind_cluster
  };

  sched_list #(
    .Entries(Entries),
    .AngleW (AngleW),
    .CylW   (CylW),
    .OrderM (OrderM)
  ) u_list (
    .clk_i        (list_clk),
    .rst_ni       (soft_rst_n),
    .op_i         (list_op),
    .done_o       (list_done),
    .late_o       (list_late),
    .tag_i        (change_tag),
    .entry_i      (entry),
    .count_o      (occupancy),
    .removed_o    (removed),
    .sweep_down_i (cfg.sweep_down),
    .swept_o      (swept),
    .sweep_o      (sweep),
    .part_o       (part),
    .cluster_i    (cluster_cfg),
    .mask_o       (mask_change),
    .collected_o  (collected),
    .streamed_o   (streamed),
    .slot_tag_o   (slot_tag),
    .cost_o       (cost),
    .hop_o        (hop_req),
    .hop_i        (hop_rsp),
    .risk_charge_i(cfg.risk_charge)
  );

  // Orderer
  if (OrderM != 0) begin : g_order
    localparam int unsigned OrderSlotW = $clog2(OrderM + 1);
    logic                              order_busy;
    logic [OrderM-1:0][OrderSlotW-1:0] order;
    logic [OrderCostW-1:0]             total;
    logic                              order_clk;

    sched_clock_gate u_order_clock (.clk_i, .en_i(order_en || !soft_rst_n), .scan_en_i,
                                    .clk_o(order_clk));

    sched_order #(
      .M    (OrderM),
      .CostW(TimeW)
    ) u_order (
      .clk_i      (order_clk),
      .rst_ni     (rst_ni),
      .clear_i    (command.clear),
      .start_i    (order_start),
      .count_i    (OrderSlotW'(collected)),
      .busy_o     (order_busy),
      .done_o     (order_done),
      .cost_we_i  (cost.we),
      .cost_from_i(OrderSlotW'(cost.from)),
      .cost_to_i  (OrderSlotW'(cost.to)),
      .cost_i     (cost.cost),
      .order_o    (order),
      .total_o    (total)
    );

    always_comb begin
      order_tag = '0;
      if (ordered_q) begin
        for (int unsigned i = 0; i < OrderM; i++) begin
          if (CountW'(i) < collected) begin
            order_tag[i] = TagW'(slot_tag[SlotW'(order[i])]);
          end
        end
      end
    end
    assign order_cost = ordered_q ? total : '0;

    logic unused_order;
    assign unused_order = ^{order_busy, cost.from, cost.to, slot_tag};
  end else begin : g_no_order
    logic unused_matrix;
    assign order_done = 1'b0;
    assign order_tag = '0;
    assign order_cost = '0;
    assign unused_matrix = ^{order_en, order_start, cost, slot_tag};
  end

  always_ff @(posedge clk_i) begin
    if (!soft_rst_n || command.cluster) begin
      ordered_q <= 1'b0;
    end else if (order_done) begin
      ordered_q <= 1'b1;
    end
  end

  // Room of the sweep, which the guard compares with: SWEEP + RESERVE - (DUE - HEAD_TIME) - 1. It
  // is constant while it is used.
  logic                    active;
  logic [SumW:0]           sum_q;
  logic signed [SumW-1:0]  spent_q;             // minus the time that is left, less one
  logic signed [RoomW-1:0] room_q;

  assign active = cfg.guard_en && sweep.next.valid;

  always_ff @(posedge clk_i) begin
    sum_q <= {1'b0, sweep.sweep} + {1'b0, cfg.reserve};
    spent_q <= SumW'(({cfg.head_time, 1'b0} - {sweep.due, 1'b1}) >> 1);
    if (onward) begin
      room_q <= '0;
    end else begin
      room_q <= $signed({2'b00, sum_q}) + RoomW'(spent_q);
    end
  end

  // Place and angle from which a pass goes, or to which a pass for debts goes
  logic                  ahead;
  place_t                ahead_place;
  logic [AngleW-1:0]     ahead_angle;
  logic [CylW-1:0]       head_cyl;
  logic [1:0][TimeW-1:0] pass_overhead_q;       // of an entry that reads; of one that writes
  sched_types#(AngleW, CylW)::pass_t    pass;
  sched_types#(AngleW, CylW)::hop_cfg_t hop_cfg;

  assign head_cyl = cfg.head.cyl;

  always_comb begin
    pass.onward = onward;
    pass.ahead = ahead;
    pass.active = active && !ahead;
    pass.next_c_only = cfg.next_c_only;
    pass.place = onward ? sweep.next.place : ahead ? ahead_place : place_t'{cyl: head_cyl,
        head: cfg.head.head, write: cfg.head.write};
    pass.angle = onward ? ~sweep.next.angle : ahead ? ahead_angle : cfg.head_time[AngleW-1:0];
    pass.next_tag = sweep.next.tag;
    pass.age_now = cfg.age_now;
    pass.risk_charge = cfg.risk_charge;
    pass.ageing = cfg.ageing;
    pass.head_time = cfg.head_time;
    pass.grace = cfg.grace;
    pass.room = room_q;
    hop_cfg = cfg.hop;
    hop_cfg.overhead = {cfg.hop.overhead[7:4], {TimeW{1'b0}}, {TimeW{1'b0}}, pass_overhead_q};
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < 2; i++) begin
      pass_overhead_q[i] <= onward ? cfg.hop.overhead[{1'b1, sweep.next.place.write, 1'(i)}] :
          cfg.hop.overhead[{1'b0, 1'(i), pass.place.write}];
    end
  end

  // Data of a change for the lanes
  sched_types#(AngleW, CylW)::change_t change;
  logic signed [SumW:0]                lane_part;

  assign change.place = insert_end_q ? entry.finish : entry.start;
  assign change.angle = insert_end_q ? ~entry.finish_angle : entry.start_angle;
  assign change.continuous = entry.continuous;
  assign change.age = entry.age;
  assign change.optional = optional;
  assign lane_part = part.we ? (SumW + 1)'(part.part) : $signed({1'b0, entry.transfer});

  // Entries in use
  always_ff @(posedge lanes_clk) begin
    if (!soft_rst_n) begin
      valid <= '0;
    end else if (insert_q) begin
      valid[change_tag[EntryW-1:0]] <= 1'b1;
    end else if (remove_q) begin
      valid[change_tag[EntryW-1:0]] <= 1'b0;
    end
  end

  // Lanes
  logic [StageTreeEnd:0]          pass_en;
  logic [StageKey:0][RowW-1:0]    row;
  logic [RowW-1:0]                change_row, part_row;
  logic [LaneW-1:0]               change_lane, part_lane;
  logic [Lanes-1:0]               candidate, entry_refused, entry_due, entry_expired;
  logic [Lanes-1:0][KeyW-1:0]     key, faulty_key;
  logic [Lanes-1:0][TreeKeyW-1:0] tree_key;
  logic [StageSeek:0]             fetch;
  logic [Entries-1:0]             exclude;
  place_t [Lanes-1:0]             fetched_place;
  logic [Lanes-1:0][AngleW-1:0]   fetched_angle;
  logic [Lanes-1:0][SeqW-1:0]     entry_rank;

  // Entries in use that may compete
  always_ff @(posedge lanes_clk) begin
    live_q <= valid & (mask | {Entries{!cfg.mask_en}}) & ~exclude;
  end

  assign change_row = RowW'(change_tag >> LaneShift);
  assign change_lane = (Lanes > 1) ? change_tag[LaneW-1:0] : '0;
  assign part_row = part.we ? RowW'(part.tag >> LaneShift) : change_row;
  assign part_lane = (Lanes <= 1) ? '0 : part.we ? part.tag[LaneW-1:0] : change_lane;

  for (genvar lane = 0; lane < Lanes; lane++) begin : g_lane
    logic                mine;
    logic [StageKey:0]   lane_en;
    sched_types#(AngleW, CylW)::hop_req_t lane_hop;
    sched_types#(AngleW, CylW)::hop_rsp_t lane_rsp;

    assign mine = change_lane == LaneW'(lane);

    // The list's hops go through the first lane, between passes.
    if (lane == 0) begin : g_hops
      assign lane_hop = hop_req;
      assign lane_en = pass_en[StageKey:0] | {1'b0, hop_req.en, 1'b0};
      assign hop_rsp = lane_rsp;
    end else begin : g_no_hops
      logic unused_hop;
      assign lane_hop = '0;
      assign lane_en = pass_en[StageKey:0];
      assign unused_hop = ^lane_rsp;
    end

    sched_lane #(
      .Rows  (Rows),
      .Lanes (Lanes),
      .Lane  (lane),
      .AngleW(AngleW),
      .CylW  (CylW),
      .SegM  (SegM),
      .SegW  (SegW),
      .SeqW  (SeqW),
      .Features(Features)
    ) u_lane (
      .clk_i       (lanes_clk),
      .insert_i    (insert_q && mine),
      .insert_end_i(insert_end_q && mine),
      .change_row_i(change_row),
      .change_i    (change),
      .seq_i       (seq),
      .part_we_i   ((part.we || insert_q) && part_lane == LaneW'(lane)),
      .part_row_i  (part_row),
      .part_i      (lane_part),
      .load_i      (load),
      .live_i      (live_q),
      .pass_i      (pass),
      .hop_cfg_i   (hop_cfg),
      .hop_i       (lane_hop),
      .hop_o       (lane_rsp),
      .en_i        (lane_en),
      .row_i       (row),
      .fetch_i     (fetch),
      .fetched_place_o(fetched_place[lane]),
      .fetched_angle_o(fetched_angle[lane]),
      .candidate_o (candidate[lane]),
      .refused_o   (entry_refused[lane]),
      .due_o       (entry_due[lane]),
      .expired_o   (entry_expired[lane]),
      .key_o       (key[lane]),
      .rank_o      (entry_rank[lane])
    );

  end

  // Seeded fault that checks the tests: the key of lane 0 is wrong by one tick.
`ifdef PLATTER_SCHED_FAULT
  assign faulty_key = key ^ (Lanes * KeyW)'(1);
`else
  assign faulty_key = key;
`endif

  // A due entry goes before all others. Its mark becomes the sign bit of the compared key. The
  // entry's own key counts as unsigned below it, with its sign bit inverted.
  for (genvar lane = 0; lane < Lanes; lane++) begin : g_tree_key
    if (Limits) begin : g_due
      assign tree_key[lane] = {entry_due[lane], !faulty_key[lane][KeyW-1],
                               faulty_key[lane][KeyW-2:0]};
    end else begin : g_key
      logic unused_due;
      assign unused_due = entry_due[lane];
      assign tree_key[lane] = faulty_key[lane];
    end
  end

  logic                best_valid, tree_expired;
  logic signed [TreeKeyW-1:0] best_key;
  logic [SeqW-1:0]     best_rank;
  logic [LaneW-1:0]    best_lane, tree_expired_lane;
  logic [RefusedW-1:0] tree_refused;

  sched_min_tree #(
    .Lanes(Lanes),
    .KeyW (TreeKeyW),
    .RankW(SeqW)
  ) u_min_tree (
    .clk_i       (lanes_clk),
    .en_i        (pass_en[StageTreeEnd:StageTree]),
    .candidate_i (candidate),
    .refused_i   (entry_refused),
    .expired_i   (entry_expired),
    .key_i       (tree_key),
    .rank_i      (entry_rank),
    .best_valid_o(best_valid),
    .best_key_o  (best_key),
    .best_rank_o (best_rank),
    .best_lane_o (best_lane),
    .refused_o   (tree_refused),
    .expired_o   (tree_expired),
    .expired_lane_o(tree_expired_lane)
  );

  // Look-ahead: passes from the end of an entry, which the lanes fetch
  logic                     found, found_due, fetch_start, ahead_valid;
  logic signed [KeyW-1:0]   found_key;
  logic [TagW-1:0]          found_tag, fetch_tag, ahead_tag;
  logic signed [TotalW-1:0] ahead_total;

  if (has(Features, FeatureLookAhead)) begin : g_ahead
    logic [LaneW-1:0]  fetch_lane_q;
    place_t            place_q;
    logic [AngleW-1:0] angle_q;

    sched_ahead #(
      .Entries(Entries),
      .AngleW (AngleW)
    ) u_ahead (
      .clk_i,
      .rst_ni(soft_rst_n),
      .start_i     (ahead_start),
      .most_i      (cfg.ahead.most),
      .depth_i     (cfg.ahead.depth),
      .share_i     (cfg.ahead.share),
      .done_o      (ahead_done),
      .pass_start_o(ahead_pass_start),
      .fetch_o     (fetch_start),
      .fetch_tag_o (fetch_tag),
      .ahead_o     (ahead),
      .exclude_o   (exclude),
      .pass_done_i (pass_done),
      .found_i     (found),
      .found_due_i (found_due),
      .found_key_i (found_key),
      .found_tag_i (found_tag),
      .valid_o     (ahead_valid),
      .tag_o       (ahead_tag),
      .total_o     (ahead_total)
    );

    always_ff @(posedge clk_i) begin
      if (fetch_start) begin
        fetch_lane_q <= (Lanes > 1) ? fetch_tag[LaneW-1:0] : '0;
      end
      if (fetch[StageDistance]) begin
        place_q <= fetched_place[fetch_lane_q];
      end
      if (fetch[StageSeek]) begin
        angle_q <= ~fetched_angle[fetch_lane_q];
      end
    end

    assign ahead_place = place_q;
    assign ahead_angle = angle_q;
  end else begin : g_no_ahead
    logic unused_ahead;
    assign unused_ahead = ^{ahead_start, cfg.ahead, fetch, fetched_place, fetched_angle, found,
                            found_due, found_key, found_tag};
    assign ahead_done = 1'b0;
    assign ahead_pass_start = 1'b0;
    assign fetch_start = 1'b0;
    assign fetch_tag = '0;
    assign ahead = 1'b0;
    assign exclude = '0;
    assign ahead_valid = 1'b0;
    assign ahead_tag = '0;
    assign ahead_total = '0;
    assign ahead_place = '0;
    assign ahead_angle = '0;
  end

  sched_decide #(
    .Rows (Rows),
    .Lanes(Lanes),
    .KeyW (KeyW),
    .TotalW(TotalW),
    .RankW(SeqW),
    .Features(Features)
  ) u_decide (
    .clk_i,
    .rst_ni(soft_rst_n),
    .start_i        (pass_start),
    .may_start_i    (may_start),
    .keep_i         (keep),
    .done_o         (pass_done),
    .active_i       (active),
    .next_tag_i     (sweep.next.tag),
    .fetch_i        (fetch_start),
    .fetch_row_i    (RowW'(fetch_tag >> LaneShift)),
    .fetch_o        (fetch),
    .settle_i       (ahead_done && ahead_valid),
    .settle_tag_i   (ahead_tag),
    .settle_key_i   (ahead_total),
    .found_o        (found),
    .found_due_o    (found_due),
    .found_key_o    (found_key),
    .found_tag_o    (found_tag),
    .en_o           (pass_en),
    .row_o          (row),
    .best_valid_i   (best_valid),
    .best_key_i     (best_key),
    .best_rank_i    (best_rank),
    .best_lane_i    (best_lane),
    .refused_i      (tree_refused),
    .expired_i      (tree_expired),
    .expired_lane_i (tree_expired_lane),
    .result_valid_o (result_valid),
    .result_forced_o(result_forced),
    .result_tag_o   (result_tag),
    .result_key_o   (result_key),
    .refused_o      (refused),
    .expired_o      (expired),
    .expired_tag_o  (expired_tag),
    .forced_now_o   (forced_now),
    .refused_now_o  (refused_now)
  );

endmodule
