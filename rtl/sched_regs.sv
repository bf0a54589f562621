// SPDX-License-Identifier: Apache-2.0
//
// The module holds the registers of the scheduling accelerator, behind a native port. It checks
// commands, changes of the command table and of the seek table, and passes them on. It holds the
// configuration, the mask, the counters and the interrupt. rtl/registers.toml is the register map.
//
// Parameters:
//   Entries   entries of the command table, 4 to 256
//   Lanes     number of lanes, for the register PARAMS
//   OrderM    most commands whose best order is found, for the register ORDERER
//   AngleW    bits of an angle, 12 to 20
//   CylW      bits of a cylinder number, 8 to 21
//   SegM      mantissa bits of the seek table, 2 to 5
//   SegW      2^SegW segments of the seek table
//   SeqW      bits of an insertion number, 2 to 24
//   Features  optional parts, see sched_core
// Latency:    A write changes its register at the end of the cycle that accepts it, as the bus sees
//             it. A read is answered in the next cycle.
// Handshake:  Both channels use valid and ready. A write is accepted if no work is under way
//             (CLEAR: always) and none was accepted in the cycle before. wr_error_o is valid in
//             that cycle: it is wr_bad_o, or the tag is refused. wr_refused_o gives the second part
//             from registers in the cycles after it, for a bus that answers then. A read is
//             accepted when no answer waits. The answer is the register's value in the accepting
//             cycle. command_t in sched_pkg describes the strobes of command_o.
// Statistics: The module holds the counters DECISIONS, BUSY_CYCLES, STALL_CYCLES, REFUSED_COUNT and
//             FORCED_COUNT.
// Limits:     At most one write is accepted in two cycles.

module sched_regs
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
  parameter int unsigned Features = 0,
  localparam int unsigned TimeW = time_w(AngleW),
  localparam int unsigned TotalW = total_w(AngleW),
  localparam int unsigned OrderCostW = TimeW + 4
) (
  // Clock, rising edge.
  input  logic               clk_i,
  // Synchronous reset, active low.
  input  logic               rst_ni,
  // Opens the clock gate, for a scan test; low in operation.
  input  logic               scan_en_i,

  // --- Port
  // The decoded write; write_i.valid offers it.
  input  write_t             write_i,
  // The write is accepted in this cycle if write_i.valid is high.
  output logic               wr_ready_o,
  // The write is an error; valid in the cycle that accepts it.
  output logic               wr_error_o,
  // The write is an error for another reason than its tag; valid in the cycle that accepts it.
  output logic               wr_bad_o,
  // The last accepted write's tag is refused; valid from the cycle after it until the next write.
  output logic               wr_refused_o,
  // A read is offered.
  input  logic               rd_valid_i,
  // High while no answer waits: the read is accepted.
  output logic               rd_ready_o,
  // Byte address, valid with rd_valid_i.
  input  logic [AddrW-1:0]   rd_addr_i,
  // The answer to a read waits. Rises in the cycle after the one that accepts the read.
  output logic               rsp_valid_o,
  // The master takes the answer in this cycle.
  input  logic               rsp_ready_i,
  // Data of the answer, valid with rsp_valid_o; zero for an error.
  output logic [31:0]        rd_data_o,
  // The read is an error, valid with rsp_valid_o.
  output logic               rd_error_o,
  // Interrupt, a level: STATUS.DONE and CTRL.IRQ_EN.
  output logic               irq_o,

  // --- Commands
  // Strobes and early signs of commands.
  output command_t           command_o,
  // Tag of an INSERT, REMOVE or SERVE, from the cycle after it until list and lanes have followed.
  output logic [TagW-1:0]    change_tag_o,
  // High in the cycle after an INSERT whose tag is good.
  input  logic               inserted_i,
  // Entries in use, one bit a tag.
  input  logic [Entries-1:0] valid_i,

  // --- State
  // Work is under way (STATUS.BUSY).
  input  logic               busy_i,
  // Work is under way in the next cycle, too.
  input  logic               stays_i,
  // A DECIDE or CLUSTER ends with this cycle.
  input  logic               done_i,
  // A DECIDE ends with this cycle.
  input  logic               decided_i,
  // The decision that ends is forced, valid with decided_i.
  input  logic               forced_now_i,
  // Entries that the guard refused in it, valid with decided_i.
  input  logic [CountW-1:0]  refused_now_i,

  // --- Results that only the host reads
  // Entries in use, 0 to Entries (STATUS.OCCUPANCY).
  input  logic [CountW-1:0]  occupancy_i,
  // RESULT.VALID.
  input  logic               result_valid_i,
  // RESULT.FORCED.
  input  logic               result_forced_i,
  // RESULT.TAG.
  input  logic [TagW-1:0]    result_tag_i,
  // RESULT_KEY, ticks, signed.
  input  logic signed [TotalW-1:0] result_key_i,
  // REFUSED, entries.
  input  logic [CountW-1:0]  refused_i,
  // EXPIRED.VALID.
  input  logic               expired_i,
  // EXPIRED.TAG.
  input  logic [TagW-1:0]    expired_tag_i,
  // CYCLES of the last operation.
  input  logic [31:0]        cycles_i,
  // NEXT, SWEEP and DUE.
  input  sched_types#(AngleW, CylW)::sweep_t sweep_i,
  // CLUSTER_COUNT.COUNT, entries.
  input  logic [CountW-1:0]  collected_i,
  // CLUSTER_COUNT.ORDERED.
  input  logic               ordered_i,
  // ORDER_COST, ticks; zero without an order.
  input  logic [OrderCostW-1:0] order_cost_i,
  // ORDER_TAGS, the first command in [0]; zero beyond the last.
  input  logic [OrderMost-1:0][TagW-1:0] order_tag_i,

  // --- End of the command that is served
  // A SERVE has found its entry: HEAD_POS takes served_place_i at the end of the cycle.
  input  logic               served_i,
  // Where the served command ends, valid with served_i.
  input  sched_types#(AngleW, CylW)::place_t served_place_i,

  // --- Configuration and staged entry
  // Configuration; stable while work is under way.
  output sched_types#(AngleW, CylW)::cfg_t cfg_o,
  // What CLUSTER collects; stable while work is under way.
  output sched_types#(AngleW, CylW)::cluster_cfg_t cluster_o,
  // The staged entry, as last written.
  output sched_types#(AngleW, CylW)::entry_t entry_o,
  // Limit and rest of the staged entry, as last written.
  output sched_types#(AngleW, CylW)::optional_t optional_o,
  // Insertion number of the next entry; counts on after each insertion and wraps.
  output logic [SeqW-1:0]    seq_o,

  // --- Mask
  // Changes of MASK by CLUSTER.
  input  mask_change_t       mask_i,
  // MASK, one bit a tag.
  output logic [Entries-1:0] mask_o,

  // --- Seek table
  // Writes to the seek table, one cycle after SEEK_DELTA or SEEK_GROUP.
  output sched_seek_types#(AngleW, CylW, SegM, SegW)::load_t load_o
);

  if (!entries_ok(Entries)) begin : g_bad_entries
    $error("sched_regs: Entries must be 4 to 256");
  end
  if (!lanes_ok(Lanes)) begin : g_bad_lanes
    $error("sched_regs: Lanes must be 1, 2, 4, 8 or 16");
  end
  if (!order_ok(OrderM)) begin : g_bad_order
    $error("sched_regs: OrderM must be 0 or 2 to 12");
  end
  if (!angle_ok(AngleW)) begin : g_bad_angle_w
    $error("sched_regs: AngleW must be 12 to 20");
  end
  if (!seek_ok(CylW, SegM, SegW)) begin : g_bad_seek_table
    $error("sched_regs: CylW must be 8 to 21, SegM 2 to 5, SegW at most 10, a segment a cell");
  end
  if (!seq_ok(SeqW)) begin : g_bad_seq
    $error("sched_regs: SeqW must be 2 to 24");
  end

  if (!features_ok(Features)) begin : g_bad_features
    $error("sched_regs: Features must be at most 15");
  end

  localparam int unsigned EntryW = index_w(Entries);
  localparam int unsigned Cells = cells(CylW, SegM);
  localparam int unsigned PlaceW = seek_group_third_w(CylW, SegM);
  localparam int unsigned DeltaW = seek_delta_ticks_w(AngleW);
  localparam int unsigned CellIndexW = index_w(Cells);
  localparam int unsigned SeekIndexW = SeekIndexIndexWidth;
  localparam int unsigned SeekCellW = SeekCellIndexWidth;

  // Writes
  logic              write_accept, write_known, write_refused, write_en, kind_en, write_gap_q,
                     open_q;
  logic              is_clear, is_insert, is_remove, tag_refused;
  logic              tag_fits, tag_valid, op_code;

  assign is_clear = write_i.kind.clear;
  assign wr_ready_o = is_clear ? !write_gap_q : open_q;
  assign write_accept = write_i.valid && wr_ready_o;
  assign wr_bad_o = !(write_known && write_i.whole);
  assign wr_error_o = wr_bad_o || tag_refused;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_gap_q <= 1'b0;
      open_q <= 1'b1;
    end else begin
      write_gap_q <= write_accept;
      open_q <= !write_accept && !stays_i;
    end
  end

  assign write_known = write_i.kind.known;

  function automatic logic is_refused(logic to_insert, logic to_remove, logic tag_fit,
                                      logic tag_in_use);
    return (to_insert && (!tag_fit || tag_in_use)) || (to_remove && !tag_in_use);
  endfunction

  // REMOVE and SERVE need a tag in use, INSERT a free one. No other write depends on this. The tag
  // is looked up for both sources of the data at once, since the choice between them comes late in
  // the cycle.
  logic [1:0] fits, found;

  for (genvar i = 0; i < 2; i++) begin : g_tag
    logic [InsertTagWidth-1:0] tag;

    assign tag = write_i.low[i];
    assign
      fits[i] = (tag >> EntryW) == '0 && (2 ** EntryW == Entries || 32'(tag[EntryW-1:0]) < Entries);
    assign found[i] = fits[i] && valid_i[tag[EntryW-1:0]];
  end

  assign tag_fits = write_i.offered ? fits[0] : fits[1];
  assign tag_valid = write_i.offered ? found[0] : found[1];
  assign op_code = write_i.offered ? write_i.low[0][OpCodeLsb] : write_i.low[1][OpCodeLsb];
  assign is_insert = write_i.kind.insert;
  assign is_remove = write_i.kind.remove;
  assign tag_refused = is_refused(is_insert, is_remove, tag_fits, tag_valid);
  assign write_en = write_i.good && open_q;
  // like write_en, for a kind: a set kind implies that an address is available
  assign kind_en = write_i.usable && open_q;
  assign write_refused = kind_en && tag_refused;

  // Registers that only an operation reads, and the flags that CLEAR clears, do not concern list
  // and lanes. The effect of a write is visible in the cycle after it.
  logic aside, touched_q;

  assign aside = is_aside(write_i.addr) || (is_clear && !write_i.soft_reset);
  assign command_o.touched = (write_i.valid && !aside) || touched_q || !rst_ni;

  always_ff @(posedge clk_i) begin
    touched_q <= write_accept && !aside;
  end

  // Commands
  assign command_o.open_write = write_i.valid && open_q;
  assign command_o.kind_insert = is_insert;
  assign command_o.kind_remove = is_remove;
  assign command_o.kind_cluster = write_i.kind.op && op_code;

  logic clear_write, soft_rst_n;

  assign clear_write = write_i.usable && is_clear && !write_gap_q;
  assign command_o.clear = write_i.soft_reset && !write_gap_q;
  assign soft_rst_n = rst_ni && !command_o.clear;
  assign command_o.decide = kind_en && write_i.kind.op && !op_code;
  assign command_o.cluster = kind_en && write_i.kind.op && op_code;
  assign command_o.insert = kind_en && is_insert && tag_fits && !tag_valid;
  assign command_o.serve = write_i.addr == ServeOffset;
  assign command_o.remove = kind_en && is_remove && tag_valid;

  // Whether a tag is good is known late in the cycle. List and control begin without this, and are
  // told in the next cycle.
  assign command_o.try_insert = kind_en && is_insert;
  assign command_o.try_remove = kind_en && is_remove;

  logic cancel_q;

  always_ff @(posedge clk_i) begin
    cancel_q <= rst_ni && write_refused;
  end

  assign command_o.cancel = cancel_q;

  assign command_o.config_we = kind_en && write_i.kind.config_write;

  // Registers that only operations and reads look at follow one cycle after the write. An operation
  // begins two cycles after it at the earliest, and reads are answered from the copy below. The
  // data stay until lanes and list have followed a change.
  logic             late_en_q, later_q;
  logic [AddrW-1:0] late_addr_q;
  logic [31:0]      late_data_q;

  // Clock of everything that an access changes: registers, their copy and the answer. A SERVE that
  // ends clocks it, too, for HEAD_POS. Values that are derived from a register follow two cycles
  // after a write. The clock runs for them as well, so that they are right at rest and in waves.
  logic access_clk;

  sched_clock_gate u_access_clock (
    .clk_i,
    .en_i (write_i.valid || touched_q || late_en_q || later_q ||
           rd_valid_i || rsp_valid_o || served_i || !rst_ni),
    .scan_en_i,
    .clk_o(access_clk)
  );

  always_ff @(posedge access_clk) begin
    if (!rst_ni) begin
      late_en_q <= 1'b0;
      later_q <= 1'b0;
    end else begin
      late_en_q <= write_en;
      later_q <= late_en_q;
    end
  end

  always_ff @(posedge access_clk) begin
    if (open_q) begin
      late_addr_q <= write_i.addr;
      late_data_q <= write_i.data;
    end
  end

  assign change_tag_o = late_data_q[TagW-1:0];

  logic late_insert_q, late_remove_q, late_fits_q, late_valid_q;

  always_ff @(posedge access_clk) begin
    if (!rst_ni) begin
      late_insert_q <= 1'b0;
      late_remove_q <= 1'b0;
    end else if (write_accept) begin
      late_insert_q <= is_insert;
      late_remove_q <= is_remove;
      late_fits_q <= tag_fits;
      late_valid_q <= tag_valid;
    end
  end

  assign wr_refused_o = is_refused(late_insert_q, late_remove_q, late_fits_q, late_valid_q);

  logic read_accept;

  // Registers that the host alone writes, and what a read answers; generated from the contract
  logic                  irq_en;
  logic [EPosClassWidth-1:0] class_bits;
  logic [EPosLimitWidth-1:0] limit_kind;
  logic [3:0][TimeW-1:0] overheads;  // of a hop, by {to a write, from a write}
  logic [TimeW-1:0]      delay;
  logic [7:0][31:0]      mask_words;
  logic [SeekIndexW-1:0] seek_index_q;
  logic [SeekCellW-1:0]  seek_cell_q;
  logic [base_w(AngleW)-1:0] seek_base;
  logic [PlaceW-1:0]     seek_first, seek_second;
  logic                  done_q, error_q;
  logic [31:0]           decisions_q, busy_cycles_q, stall_cycles_q, refused_count_q;
  logic [31:0]           forced_count_q;

  sched_reg_file #(
    .Entries(Entries), .Lanes(Lanes), .OrderM(OrderM), .AngleW(AngleW), .CylW(CylW),
    .SegM(SegM), .SegW(SegW), .Features(Features)
  ) u_file (
    .clk_i(access_clk),
    .rst_ni,
    .soft_rst_ni(soft_rst_n),
    .write_en_i(write_en),
    .copy_en_i(kind_en && write_i.kind.copied),
    .write_addr_i(write_i.addr),
    .write_data_i(write_i.data),
    .late_en_i(late_en_q),
    .late_addr_i(late_addr_q),
    .late_data_i(late_data_q),
    .read_i(read_accept),
    .read_addr_i(rd_addr_i),
    .data_o(rd_data_o),
    .error_o(rd_error_o),
    .ctrl_guard_en_o(cfg_o.guard_en),
    .ctrl_next_c_only_o(cfg_o.next_c_only),
    .ctrl_sweep_down_o(cfg_o.sweep_down),
    .ctrl_mask_en_o(cfg_o.mask_en),
    .ctrl_irq_en_o(irq_en),
    .ctrl_defer_c_o(cfg_o.ageing.defer_c),
    .ctrl_rest_cost_o(cfg_o.hop.rest_cost),
    .head_time_ticks_o(cfg_o.head_time),
    .reserve_ticks_o(cfg_o.reserve),
    .age_now_ticks_o(cfg_o.age_now),
    .margin_ticks_o(cfg_o.hop.margin),
    .risk_ticks_o(cfg_o.hop.risk),
    .risk_charge_ticks_o(cfg_o.risk_charge),
    .head_switch_ticks_o(cfg_o.hop.head_switch),
    .write_settle_ticks_o(cfg_o.hop.write_settle),
    .overhead_rr_ticks_o(overheads[0]),
    .overhead_rw_ticks_o(overheads[1]),
    .overhead_wr_ticks_o(overheads[2]),
    .overhead_ww_ticks_o(overheads[3]),
    .delay_ticks_o(delay),
    .defer_ticks_o(cfg_o.ageing.defer),
    .grace_ticks_o(cfg_o.grace),
    .cluster_max_o(cluster_o.max),
    .cluster_take_c_o(cluster_o.take_c),
    .cluster_take_d_o(cluster_o.take_d),
    .cluster_stop_at_c_o(cluster_o.stop_at_c),
    .cluster_down_o(cluster_o.down),
    .cluster_order_o(cluster_o.order),
    .cluster_from_cyl_o(cluster_o.from),
    .cluster_span_cyl_o(cluster_o.span),
    .age_cap_units_o(cfg_o.ageing.cap),
    .age_scale_weight_o(cfg_o.ageing.scale),
    .ahead_most_o(cfg_o.ahead.most),
    .ahead_depth_o(cfg_o.ahead.depth),
    .e_pos_cyl_o(entry_o.start.cyl),
    .e_pos_head_o(entry_o.start.head),
    .e_pos_write_o(entry_o.start.write),
    .e_pos_class_o(class_bits),
    .e_pos_limit_o(limit_kind),
    .e_angle_ticks_o(entry_o.start_angle),
    .e_end_pos_cyl_o(entry_o.finish.cyl),
    .e_end_pos_head_o(entry_o.finish.head),
    .e_end_angle_ticks_o(entry_o.finish_angle),
    .e_transfer_ticks_o(entry_o.transfer),
    .e_deadline_ticks_o(entry_o.deadline),
    .e_age_ticks_o(entry_o.age),
    .e_limit_ticks_o(optional_o.limit),
    .e_rest_ticks_o(optional_o.rest),
    .seek_base_ticks_o(seek_base),
    .seek_last_first_o(seek_first),
    .seek_last_second_o(seek_second),
    .ahead_share_first_o(cfg_o.ahead.share[0]),
    .ahead_share_second_o(cfg_o.ahead.share[1]),
    .ahead_share_third_o(cfg_o.ahead.share[2]),
    .ahead_share_fourth_o(cfg_o.ahead.share[3]),
    .status_busy_i(busy_i),
    .status_done_i(done_q),
    .status_error_i(error_q || cancel_q),
    .status_occupancy_i(occupancy_i),
    .head_pos_cyl_i(cfg_o.head.cyl),
    .head_pos_head_i(cfg_o.head.head),
    .head_pos_write_i(cfg_o.head.write),
    .result_tag_i(result_tag_i),
    .result_valid_i(result_valid_i),
    .result_forced_i(result_forced_i),
    .result_key_value_i(32'(result_key_i)),
    .refused_count_i(refused_i),
    .cycles_value_i(cycles_i),
    .next_tag_i(sweep_i.next.tag),
    .next_valid_i(sweep_i.next.valid),
    .sweep_ticks_i(sweep_i.sweep),
    .due_ticks_i(sweep_i.due),
    .expired_tag_i(expired_tag_i),
    .expired_valid_i(expired_i),
    .cluster_count_count_i(collected_i),
    .cluster_count_ordered_i(ordered_i),
    .order_cost_ticks_i(order_cost_i),
    .order_tags0_first_i(order_tag_i[0]),
    .order_tags0_second_i(order_tag_i[1]),
    .order_tags0_third_i(order_tag_i[2]),
    .order_tags0_fourth_i(order_tag_i[3]),
    .order_tags1_first_i(order_tag_i[4]),
    .order_tags1_second_i(order_tag_i[5]),
    .order_tags1_third_i(order_tag_i[6]),
    .order_tags1_fourth_i(order_tag_i[7]),
    .order_tags2_first_i(order_tag_i[8]),
    .order_tags2_second_i(order_tag_i[9]),
    .order_tags2_third_i(order_tag_i[10]),
    .order_tags2_fourth_i(order_tag_i[11]),
    .seek_index_index_i(seek_index_q),
    .seek_cell_index_i(seek_cell_q),
    .mask0_value_i(mask_words[0]),
    .mask1_value_i(mask_words[1]),
    .mask2_value_i(mask_words[2]),
    .mask3_value_i(mask_words[3]),
    .mask4_value_i(mask_words[4]),
    .mask5_value_i(mask_words[5]),
    .mask6_value_i(mask_words[6]),
    .mask7_value_i(mask_words[7]),
    .decisions_value_i(decisions_q),
    .busy_cycles_value_i(busy_cycles_q),
    .stall_cycles_value_i(stall_cycles_q),
    .refused_count_value_i(refused_count_q),
    .forced_count_value_i(forced_count_q)
  );

  assign entry_o.finish.write = entry_o.start.write;
  assign entry_o.continuous = e_pos_class_e'(class_bits) == EPosClassContinuous;
  assign optional_o.limit_kind = e_pos_limit_e'(limit_kind);

  // HEAD_POS: written by the host, or set to the end of the command served
  sched_reg #(.Width(head_pos_cyl_w(CylW) + HeadPosHeadWidth + 1)) u_head_pos (
    .clk_i(access_clk), .rst_ni(soft_rst_n),
    .we_i(served_i || (write_en && write_i.addr == HeadPosOffset)),
    .d_i(served_i ? served_place_i :
         {write_i.data[HeadPosCylLsb+:head_pos_cyl_w(CylW)],
          write_i.data[HeadPosHeadLsb+:HeadPosHeadWidth],
          write_i.data[HeadPosWriteLsb]}),
    .q_o(cfg_o.head)
  );

  logic scaled_q, ahead_q;

  // An operation begins two cycles after a write at the earliest, and reads these much later.
  always_ff @(posedge access_clk) begin
    scaled_q <= |cfg_o.ageing.scale;
    ahead_q <= cfg_o.ahead.most != '0 && cfg_o.ahead.depth != '0;
  end

  assign cfg_o.ageing.scaled = scaled_q;
  assign cfg_o.ahead.active = ahead_q;

  // Overheads of a hop from an entry's end, worked out once
  logic [3:0][TimeW-1:0] delayed_q;
  logic [TimeW+1:0]      switch_settled;

  assign switch_settled = {2'b00, cfg_o.hop.head_switch} + {{2{cfg_o.hop.write_settle[TimeW-1]}},
                                                            cfg_o.hop.write_settle};

  logic switch_early_q;

  always_ff @(posedge access_clk) begin
    switch_early_q <= switch_settled[TimeW+1];
  end

  assign cfg_o.hop.switch_early = switch_early_q;

  assign cfg_o.hop.overhead = {delayed_q, overheads};

  for (genvar i = 0; i < 4; i++) begin : g_delayed
    logic [TimeW:0] sum;

    assign sum = {1'b0, overheads[i]} + {1'b0, delay};

    always_ff @(posedge access_clk) begin
      if (sum[TimeW]) begin
        delayed_q[i] <= '1;
      end else begin
        delayed_q[i] <= sum[TimeW-1:0];
      end
    end
  end

  // MASK
  for (genvar word = 0; word < 8; word++) begin : g_mask
    if (32 * word < Entries) begin : g_used
      localparam int unsigned Bits = mask_w(Mask0Offset + AddrW'(4 * word), Entries);
      logic [Bits-1:0] mask_q;
      logic            set, we;

      assign set = mask_i.set && 32'(mask_i.tag[TagW-1:5]) == word;
      assign we = write_en && write_i.addr == Mask0Offset + AddrW'(4 * word);

      always_ff @(posedge clk_i) begin
        if (!soft_rst_n || mask_i.clear) begin
          mask_q <= '0;
        end else if (set) begin
          mask_q <= mask_q | (Bits'(1) << mask_i.tag[4:0]);
        end else if (we) begin
          mask_q <= write_i.data[Bits-1:0];
        end
      end

      assign mask_words[word] = 32'(mask_q);
      assign mask_o[32*word+:Bits] = mask_q;
    end else begin : g_unused
      assign mask_words[word] = '0;
    end
  end

  // Seek table. A write to a segment or cell beyond the table is dropped, but the index advances.
  logic delta_write, group_write;

  assign delta_write = write_en && write_i.addr == SeekDeltaOffset;
  assign group_write = write_en && write_i.addr == SeekGroupOffset;

  sched_reg #(.Width(SeekIndexW)) u_seek_index (
    .clk_i(access_clk), .rst_ni(soft_rst_n),
    .we_i(delta_write || (write_en && write_i.addr == SeekIndexOffset)),
    .d_i((write_i.addr == SeekDeltaOffset) ? seek_index_q + SeekIndexW'(1) :
         write_i.data[SeekIndexIndexLsb+:SeekIndexW]),
    .q_o(seek_index_q)
  );
  sched_reg #(.Width(SeekCellW)) u_seek_cell (
    .clk_i(access_clk), .rst_ni(soft_rst_n),
    .we_i(group_write || (write_en && write_i.addr == SeekCellOffset)),
    .d_i((write_i.addr == SeekGroupOffset) ? seek_cell_q + SeekCellW'(1) :
         write_i.data[SeekCellIndexLsb+:SeekCellW]),
    .q_o(seek_cell_q)
  );
  // The table follows one cycle after the write.
  always_ff @(posedge access_clk) begin
    if (!rst_ni) begin
      load_o.segment_we <= 1'b0;
      load_o.cell_we <= 1'b0;
    end else begin
      load_o.segment_we <= delta_write && 32'(seek_index_q) < 2 ** SegW;
      load_o.cell_we <= group_write && 32'(seek_cell_q) < Cells;
    end
  end

  always_ff @(posedge access_clk) begin
    load_o.segment_index <= seek_index_q[SegW-1:0];
    load_o.cell_index <= seek_cell_q[CellIndexW-1:0];
  end

  assign load_o.segment_data = {seek_base, late_data_q[SeekDeltaTicksLsb+:DeltaW]};
  assign load_o.cell_data = {late_data_q[SeekGroupThirdLsb+:PlaceW], seek_second, seek_first,
                             late_data_q[SeekGroupSegmentLsb+:seek_group_segment_w(SegW)]};

  // State
  assign irq_o = done_q && irq_en;

  always_ff @(posedge clk_i) begin
    if (!soft_rst_n) begin
      done_q <= 1'b0;
      error_q <= 1'b0;
      seq_o <= '0;
    end else begin
      done_q <= done_i || (done_q && !(clear_write && write_i.data[ClearDoneLsb]));
      if (cancel_q) begin
        error_q <= 1'b1;
      end else if (clear_write && write_i.data[ClearErrorLsb]) begin
        error_q <= 1'b0;
      end
      if (inserted_i) begin
        seq_o <= seq_o + SeqW'(1);
      end
    end
  end

  // Counters
  logic counters_clear;

  // A soft reset clears them, too, but over this shorter path instead of the net that resets all
  // other registers.
  assign counters_clear = clear_write && (write_i.data[ClearCountersLsb] ||
                                          write_i.data[ClearSoftResetLsb]);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || counters_clear) begin
      decisions_q <= '0;
      busy_cycles_q <= '0;
      stall_cycles_q <= '0;
      refused_count_q <= '0;
      forced_count_q <= '0;
    end else begin
      busy_cycles_q <= busy_cycles_q + 32'(busy_i);
      stall_cycles_q <= stall_cycles_q + 32'(busy_i && write_i.valid && !is_clear);
      if (decided_i) begin
        decisions_q <= decisions_q + 32'd1;
        refused_count_q <= refused_count_q + 32'(refused_now_i);
        forced_count_q <= forced_count_q + 32'(forced_now_i);
      end
    end
  end

  // Reads
  assign rd_ready_o = !rsp_valid_o;
  assign read_accept = rd_valid_i && rd_ready_o;

  always_ff @(posedge access_clk) begin
    if (!rst_ni) begin
      rsp_valid_o <= 1'b0;
    end else if (read_accept) begin
      rsp_valid_o <= 1'b1;
    end else if (rsp_ready_i) begin
      rsp_valid_o <= 1'b0;
    end
  end

endmodule
