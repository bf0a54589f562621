// SPDX-License-Identifier: Apache-2.0
//
// Register file of the scheduling accelerator behind a native port; checks and passes on the commands and the
// changes of the command table and of the seek table. Register map: registers.toml.
//
// Parameters: Entries, Lanes, AngleW, CylW, SegM, SegW, SeqW, OrderM (see sched_core).
// Latency:    a write changes its register at the end of the cycle that accepts it; a read is answered in the next.
// Handshake:  a write is accepted when no work is under way (CLEAR: always) and none was accepted in the cycle
//             before; wr_error_o is valid in that cycle. A read is accepted when no answer waits; the answer holds
//             what the register held in that cycle. The strobes to the core (insert_o, decide_o, ...) are high in the
//             cycle that accepts the write.

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
  localparam int unsigned TimeW = time_w(AngleW),
  localparam int unsigned SumW = sum_w(AngleW),
  localparam int unsigned KeyW = key_w(AngleW),
  localparam int unsigned OrderCostW = TimeW + 4,
  localparam int unsigned CellIndexW = index_w(cells(CylW, SegM)),
  localparam int unsigned CellW = cell_w(CylW, SegM, SegW),
  localparam int unsigned SegmentW = segment_w(AngleW)
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  // Native port
  input  logic               wr_valid_i,
  output logic               wr_ready_o,
  input  logic               wr_whole_i,        // all bytes are written
  input  logic [AddrW-1:0]   wr_addr_i,
  input  kind_t              wr_kind_i,         // kind_of(wr_addr_i)
  input  logic [31:0]        wr_data_i,
  input  logic [1:0][15:0]   wr_low_i,          // wr_data_i[15:0] is one of these,
  input  logic               wr_offered_i,      // the first
  input  logic               wr_soft_reset_i,   // the write is whole, to CLEAR, and has SOFT_RESET set
  output logic               wr_error_o,
  input  logic               rd_valid_i,
  output logic               rd_ready_o,
  input  logic [AddrW-1:0]   rd_addr_i,
  output logic               rsp_valid_o,
  input  logic               rsp_ready_i,
  output logic [31:0]        rd_data_o,
  output logic               rd_error_o,
  output logic               irq_o,

  // Something but the staged entry may have changed, or changes in this cycle
  output logic               touched_o,

  // Commands
  output logic               clear_o,
  output logic               decide_o,
  output logic               cluster_o,
  output logic               insert_o,
  output logic               remove_o,          // REMOVE or SERVE
  output logic               serve_o,           // of REMOVE and SERVE the latter
  output logic               open_write_o,      // a write is accepted that is not to CLEAR, good or not
  output logic               kind_insert_o,     // what the address at hand stands for, written or not
  output logic               kind_remove_o,
  output logic               kind_cluster_o,
  output logic               try_insert_o,      // INSERT is written whole, REMOVE or SERVE: its tag good or not
  output logic               try_remove_o,
  output logic               cancel_o,          // in the cycle after: it was not
  input  logic               inserted_i,        // in the cycle after insert_o
  output logic [TagW-1:0]    change_tag_o,
  output logic               config_we_o,       // the sweep's sums no longer hold
  input  logic [Entries-1:0] valid_i,

  // State
  input  logic               busy_i,
  input  logic               stays_i,           // busy in the next cycle too
  input  logic               done_i,
  input  logic               decided_i,
  input  logic [CountW-1:0]  refused_now_i,
  input  logic               forced_now_i,
  input  logic [CountW-1:0]  occupancy_i,
  input  logic               result_valid_i,
  input  logic               result_forced_i,
  input  logic [TagW-1:0]    result_tag_i,
  input  logic signed [KeyW-1:0] result_key_i,
  input  logic [CountW-1:0]  refused_i,
  input  logic [31:0]        cycles_i,
  input  logic               next_valid_i,
  input  logic [TagW-1:0]    next_tag_i,
  input  logic [SumW-1:0]    sweep_i,
  input  logic [SumW-1:0]    due_i,
  input  logic [CountW-1:0]  collected_i,
  input  logic               ordered_i,
  input  logic [OrderCostW-1:0] order_cost_i,
  input  logic [OrderMost-1:0][TagW-1:0] order_tag_i,

  // Where the command served ends
  input  logic               serve_done_i,
  input  logic [CylW-1:0]    removed_cyl_i,
  input  logic [HeadW-1:0]   removed_head_i,
  input  logic               removed_write_i,

  // Configuration
  output logic               guard_en_o,
  output logic               next_c_only_o,
  output logic               sweep_down_o,
  output logic               mask_en_o,
  output logic [CylW-1:0]    head_cyl_o,
  output logic [HeadW-1:0]   head_head_o,
  output logic               head_write_o,
  output logic [SumW-1:0]  head_time_o,
  output logic [SumW-1:0]  reserve_o,
  output logic [SumW-1:0]  age_now_o,
  output logic [AngleW-1:0]  margin_o,
  output logic [AngleW-1:0]  risk_o,
  output logic [AngleW-1:0]  risk_charge_o,
  output logic [TimeW-1:0]  head_switch_o,
  output logic [TimeW-1:0]  write_settle_o,
  output logic               switch_early_o,    // head switch + write settle < 0
  // {from an entry's end, to a write, from a write}
  output logic [7:0][TimeW-1:0] overhead_o,
  output logic [CountW-1:0]  cluster_max_o,
  output logic               take_c_o,
  output logic               take_d_o,
  output logic               stop_at_c_o,
  output logic               cluster_down_o,
  output logic               cluster_order_o,
  output logic [CylW-1:0]    cluster_from_o,
  output logic [CylW-1:0]    cluster_span_o,

  // Mask
  input  logic               mask_clear_i,
  input  logic               mask_set_i,
  input  logic [TagW-1:0]    mask_tag_i,
  output logic [Entries-1:0] mask_o,

  // Staged entry
  output logic [CylW-1:0]    start_cyl_o,
  output logic [HeadW-1:0]   start_head_o,
  output logic               write_o,
  output logic               continuous_o,
  output logic [AngleW-1:0]  start_angle_o,
  output logic [CylW-1:0]    end_cyl_o,
  output logic [HeadW-1:0]   end_head_o,
  output logic [AngleW-1:0]  end_angle_o,
  output logic [SumW-1:0]    transfer_o,
  output logic [SumW-1:0]    deadline_o,
  output logic [SumW-1:0]    age_o,
  output logic [SeqW-1:0]    seq_o,

  // Changes of the seek table
  output logic               cell_we_o,
  output logic [CellIndexW-1:0] cell_index_o,
  output logic [CellW-1:0]   cell_data_o,
  output logic               segment_we_o,
  output logic [SegW-1:0]    segment_index_o,
  output logic [SegmentW-1:0] segment_data_o
);

  localparam int unsigned EntryW = index_w(Entries);
  localparam int unsigned Cells = cells(CylW, SegM);
  localparam int unsigned PlaceW = place_w(CylW, SegM);
  localparam int unsigned BaseW = base_w(AngleW);
  localparam int unsigned DeltaW = delta_w(AngleW);
  localparam int unsigned SeekIndexW = SeekIndexIndexWidth;
  localparam int unsigned SeekCellW = SeekCellIndexWidth;

  // Writes
  logic              write_accept, write_known, write_refused, write_en, write_gap_q, open_q;
  logic              is_clear, is_insert, is_remove, tag_refused;
  logic              tag_fits, tag_valid, op_code;

  assign is_clear = wr_kind_i.clear;
  assign wr_ready_o = is_clear ? !write_gap_q : open_q;
  assign write_accept = wr_valid_i && wr_ready_o;
  assign wr_error_o = !(write_known && wr_whole_i) || tag_refused;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_gap_q <= 1'b0;
      open_q <= 1'b1;
    end else begin
      write_gap_q <= write_accept;
      open_q <= !write_accept && !stays_i;
    end
  end

  assign write_known = wr_kind_i.known;

  // A tag in use is removed or served, a free one inserted. No other write waits for this.
  // Looked up for both sources of the data at once: which one it is comes late.
  logic [1:0] fits, found;

  for (genvar i = 0; i < 2; i++) begin : g_tag
    logic [InsertTagWidth-1:0] tag;

    assign tag = wr_low_i[i];
    assign fits[i] = (tag >> EntryW) == '0 && (2 ** EntryW == Entries || 32'(tag[EntryW-1:0]) < Entries);
    assign found[i] = fits[i] && valid_i[tag[EntryW-1:0]];
  end

  assign tag_fits = wr_offered_i ? fits[0] : fits[1];
  assign tag_valid = wr_offered_i ? found[0] : found[1];
  assign op_code = wr_offered_i ? wr_low_i[0][OpCodeLsb] : wr_low_i[1][OpCodeLsb];
  assign is_insert = wr_kind_i.insert;
  assign is_remove = wr_kind_i.remove;
  assign tag_refused = (is_insert && (!tag_fits || tag_valid)) || (is_remove && !tag_valid);
  assign write_en = wr_valid_i && wr_whole_i && open_q;
  assign write_refused = write_en && tag_refused;

  // Staging touches nothing. A write shows in the cycle after it.
  logic staging, touched_q;

  assign staging = wr_addr_i >= EPosOffset && wr_addr_i <= EAgeOffset;
  assign touched_o = (wr_valid_i && !staging) || touched_q || !rst_ni;

  always_ff @(posedge clk_i) begin
    touched_q <= write_accept && !staging;
  end

  // Commands
  assign open_write_o = wr_valid_i && open_q;
  assign kind_insert_o = is_insert;
  assign kind_remove_o = is_remove;
  assign kind_cluster_o = wr_kind_i.op && op_code;

  logic clear_write, soft_rst_n;

  assign clear_write = wr_valid_i && wr_whole_i && is_clear && !write_gap_q;
  assign clear_o = wr_soft_reset_i && !write_gap_q;
  assign soft_rst_n = rst_ni && !clear_o;
  assign decide_o = write_en && wr_kind_i.op && !op_code;
  assign cluster_o = write_en && wr_kind_i.op && op_code;
  assign insert_o = write_en && is_insert && tag_fits && !tag_valid;
  assign serve_o = wr_addr_i == ServeOffset;
  assign remove_o = write_en && is_remove && tag_valid;

  // Whether a tag is good comes late in the cycle; list and course begin without it and are told in the next.
  assign try_insert_o = write_en && is_insert;
  assign try_remove_o = write_en && is_remove;

  always_ff @(posedge clk_i) begin
    cancel_o <= rst_ni && write_refused;
  end

  assign config_we_o = write_en && wr_kind_i.config_write;

  // What only operations and reads look at follows one cycle after the write: an operation begins two cycles after it at the
  // earliest, and reads are answered from the copy below. The data stay until lanes and list have followed a change.
  logic             late_en_q;
  logic [AddrW-1:0] late_addr_q;
  logic [31:0]      late_data_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      late_en_q <= 1'b0;
    end else begin
      late_en_q <= write_en;
    end
  end

  always_ff @(posedge clk_i) begin
    if (open_q) begin
      late_addr_q <= wr_addr_i;
      late_data_q <= wr_data_i;
    end
  end

  assign change_tag_o = late_data_q[TagW-1:0];

  // Registers that the host writes
  logic             irq_en;
  logic [1:0]       class_bits;
  logic [TimeW-1:0] overhead_rr, overhead_rw, overhead_wr, overhead_ww, delay;

  sched_reg #(.Width(5)) u_ctrl (
    .clk_i, .rst_ni(soft_rst_n), .we_i(write_en && wr_addr_i == CtrlOffset),
    .d_i({wr_data_i[CtrlGuardEnLsb], wr_data_i[CtrlNextCOnlyLsb], wr_data_i[CtrlSweepDownLsb],
          wr_data_i[CtrlMaskEnLsb], wr_data_i[CtrlIrqEnLsb]}), .q_o({guard_en_o, next_c_only_o, sweep_down_o, mask_en_o, irq_en})
  );
  // The head: written by the host, or where the command served ends.
  sched_reg #(.Width(CylW + HeadW + 1)) u_head_pos (
    .clk_i, .rst_ni(soft_rst_n), .we_i(serve_done_i || (write_en && wr_addr_i == HeadPosOffset)),
    .d_i(serve_done_i ? {removed_cyl_i, removed_head_i, removed_write_i} :
         {wr_data_i[HeadPosCylLsb+:CylW], wr_data_i[HeadPosHeadLsb+:HeadW], wr_data_i[HeadPosWriteLsb]}), .q_o({head_cyl_o, head_head_o, head_write_o})
  );
  sched_reg #(.Width(SumW)) u_head_time (
    .clk_i, .rst_ni(soft_rst_n), .we_i(late_en_q && late_addr_q == HeadTimeOffset),
    .d_i(late_data_q[HeadTimeTicksLsb+:SumW]), .q_o(head_time_o)
  );
  sched_reg #(.Width(SumW)) u_reserve (
    .clk_i, .rst_ni(soft_rst_n), .we_i(late_en_q && late_addr_q == ReserveOffset),
    .d_i(late_data_q[ReserveTicksLsb+:SumW]), .q_o(reserve_o)
  );
  sched_reg #(.Width(SumW)) u_age_now (
    .clk_i, .rst_ni(soft_rst_n), .we_i(late_en_q && late_addr_q == AgeNowOffset),
    .d_i(late_data_q[AgeNowTicksLsb+:SumW]), .q_o(age_now_o)
  );
  sched_reg #(.Width(AngleW)) u_margin (
    .clk_i, .rst_ni(soft_rst_n), .we_i(late_en_q && late_addr_q == MarginOffset),
    .d_i(late_data_q[MarginTicksLsb+:AngleW]), .q_o(margin_o)
  );
  sched_reg #(.Width(AngleW)) u_risk (
    .clk_i, .rst_ni(soft_rst_n), .we_i(late_en_q && late_addr_q == RiskOffset),
    .d_i(late_data_q[RiskTicksLsb+:AngleW]), .q_o(risk_o)
  );
  sched_reg #(.Width(AngleW)) u_risk_charge (
    .clk_i, .rst_ni(soft_rst_n), .we_i(late_en_q && late_addr_q == RiskChargeOffset),
    .d_i(late_data_q[RiskChargeTicksLsb+:AngleW]), .q_o(risk_charge_o)
  );
  sched_reg #(.Width(TimeW)) u_head_switch (
    .clk_i, .rst_ni(soft_rst_n), .we_i(late_en_q && late_addr_q == HeadSwitchOffset),
    .d_i(late_data_q[HeadSwitchTicksLsb+:TimeW]), .q_o(head_switch_o)
  );
  sched_reg #(.Width(TimeW)) u_write_settle (
    .clk_i, .rst_ni(soft_rst_n), .we_i(late_en_q && late_addr_q == WriteSettleOffset),
    .d_i(late_data_q[WriteSettleTicksLsb+:TimeW]), .q_o(write_settle_o)
  );
  sched_reg #(.Width(TimeW)) u_overhead_rr (
    .clk_i, .rst_ni(soft_rst_n), .we_i(late_en_q && late_addr_q == OverheadRrOffset),
    .d_i(late_data_q[OverheadRrTicksLsb+:TimeW]), .q_o(overhead_rr)
  );
  sched_reg #(.Width(TimeW)) u_overhead_rw (
    .clk_i, .rst_ni(soft_rst_n), .we_i(late_en_q && late_addr_q == OverheadRwOffset),
    .d_i(late_data_q[OverheadRwTicksLsb+:TimeW]), .q_o(overhead_rw)
  );
  sched_reg #(.Width(TimeW)) u_overhead_wr (
    .clk_i, .rst_ni(soft_rst_n), .we_i(late_en_q && late_addr_q == OverheadWrOffset),
    .d_i(late_data_q[OverheadWrTicksLsb+:TimeW]), .q_o(overhead_wr)
  );
  sched_reg #(.Width(TimeW)) u_overhead_ww (
    .clk_i, .rst_ni(soft_rst_n), .we_i(late_en_q && late_addr_q == OverheadWwOffset),
    .d_i(late_data_q[OverheadWwTicksLsb+:TimeW]), .q_o(overhead_ww)
  );
  sched_reg #(.Width(TimeW)) u_delay (
    .clk_i, .rst_ni(soft_rst_n), .we_i(late_en_q && late_addr_q == DelayOffset),
    .d_i(late_data_q[DelayTicksLsb+:TimeW]), .q_o(delay)
  );
  sched_reg #(.Width(CountW + 5)) u_cluster (
    .clk_i, .rst_ni(soft_rst_n), .we_i(late_en_q && late_addr_q == ClusterOffset),
    .d_i({late_data_q[ClusterMaxLsb+:CountW], late_data_q[ClusterTakeCLsb], late_data_q[ClusterTakeDLsb],
          late_data_q[ClusterStopAtCLsb], late_data_q[ClusterDownLsb], late_data_q[ClusterOrderLsb]}), .q_o({cluster_max_o, take_c_o, take_d_o, stop_at_c_o, cluster_down_o, cluster_order_o})
  );
  sched_reg #(.Width(CylW)) u_cluster_from (
    .clk_i, .rst_ni(soft_rst_n), .we_i(late_en_q && late_addr_q == ClusterFromOffset),
    .d_i(late_data_q[ClusterFromCylLsb+:CylW]), .q_o(cluster_from_o)
  );
  sched_reg #(.Width(CylW)) u_cluster_span (
    .clk_i, .rst_ni(soft_rst_n), .we_i(late_en_q && late_addr_q == ClusterSpanOffset),
    .d_i(late_data_q[ClusterSpanCylLsb+:CylW]), .q_o(cluster_span_o)
  );
  sched_reg #(.Width(CylW + HeadW + 3)) u_e_pos (
    .clk_i, .rst_ni(soft_rst_n), .we_i(late_en_q && late_addr_q == EPosOffset),
    .d_i({late_data_q[EPosCylLsb+:CylW], late_data_q[EPosHeadLsb+:HeadW], late_data_q[EPosWriteLsb],
          late_data_q[EPosClassLsb+:EPosClassWidth]}), .q_o({start_cyl_o, start_head_o, write_o, class_bits})
  );
  sched_reg #(.Width(CylW + HeadW)) u_e_end_pos (
    .clk_i, .rst_ni(soft_rst_n), .we_i(late_en_q && late_addr_q == EEndPosOffset),
    .d_i({late_data_q[EEndPosCylLsb+:CylW], late_data_q[EEndPosHeadLsb+:HeadW]}), .q_o({end_cyl_o, end_head_o})
  );
  sched_reg #(.Width(AngleW)) u_e_start_angle (
    .clk_i, .rst_ni(soft_rst_n), .we_i(late_en_q && late_addr_q == EAngleOffset),
    .d_i(late_data_q[EAngleTicksLsb+:AngleW]), .q_o(start_angle_o)
  );
  sched_reg #(.Width(AngleW)) u_e_end_angle (
    .clk_i, .rst_ni(soft_rst_n), .we_i(late_en_q && late_addr_q == EEndAngleOffset),
    .d_i(late_data_q[EEndAngleTicksLsb+:AngleW]), .q_o(end_angle_o)
  );
  sched_reg #(.Width(SumW)) u_e_transfer (
    .clk_i, .rst_ni(soft_rst_n), .we_i(late_en_q && late_addr_q == ETransferOffset),
    .d_i(late_data_q[ETransferTicksLsb+:SumW]), .q_o(transfer_o)
  );
  sched_reg #(.Width(SumW)) u_e_deadline (
    .clk_i, .rst_ni(soft_rst_n), .we_i(late_en_q && late_addr_q == EDeadlineOffset),
    .d_i(late_data_q[EDeadlineTicksLsb+:SumW]), .q_o(deadline_o)
  );
  sched_reg #(.Width(SumW)) u_e_age (
    .clk_i, .rst_ni(soft_rst_n), .we_i(late_en_q && late_addr_q == EAgeOffset),
    .d_i(late_data_q[EAgeTicksLsb+:SumW]), .q_o(age_o)
  );

  assign continuous_o = class_e'(class_bits) == ClassContinuous;

  // Overheads of a hop from an entry's end, worked out once
  logic [3:0][TimeW-1:0] overheads, delayed_q;
  logic [TimeW+1:0]      switch_settled;

  assign switch_settled = {2'b00, head_switch_o} + {{2{write_settle_o[TimeW-1]}}, write_settle_o};

  always_ff @(posedge clk_i) begin
    switch_early_o <= switch_settled[TimeW+1];
  end

  assign overheads = {overhead_ww, overhead_wr, overhead_rw, overhead_rr};
  assign overhead_o = {delayed_q, overheads};

  for (genvar i = 0; i < 4; i++) begin : g_delayed
    logic [TimeW:0] sum;

    assign sum = {1'b0, overheads[i]} + {1'b0, delay};

    always_ff @(posedge clk_i) begin
      if (sum[TimeW]) begin
        delayed_q[i] <= '1;
      end else begin
        delayed_q[i] <= sum[TimeW-1:0];
      end
    end
  end

  // Mask
  logic [7:0][31:0] mask_words;

  for (genvar word = 0; word < 8; word++) begin : g_mask
    if (32 * word < Entries) begin : g_used
      localparam int unsigned Bits = (Entries - 32 * word < 32) ? Entries - 32 * word : 32;
      logic [Bits-1:0] mask_q;
      logic            set, we;

      assign set = mask_set_i && 32'(mask_tag_i[TagW-1:5]) == word;
      assign we = write_en && wr_addr_i == Mask0Offset + AddrW'(4 * word);

      always_ff @(posedge clk_i) begin
        if (!soft_rst_n || mask_clear_i) begin
          mask_q <= '0;
        end else if (set) begin
          mask_q <= mask_q | (Bits'(1) << mask_tag_i[4:0]);
        end else if (we) begin
          mask_q <= wr_data_i[Bits-1:0];
        end
      end

      assign mask_words[word] = 32'(mask_q);
      assign mask_o[32*word+:Bits] = mask_q;
    end else begin : g_unused
      assign mask_words[word] = '0;
    end
  end

  // Seek table. A segment or a cell beyond the table is dropped; the index advances all the same.
  logic                  delta_write, group_write;
  logic [SeekIndexW-1:0] seek_index_q;
  logic [BaseW-1:0]      seek_base_q;
  logic [SeekCellW-1:0]  seek_cell_q;
  logic [PlaceW-1:0]     seek_first_q, seek_second_q;

  assign delta_write = write_en && wr_addr_i == SeekDeltaOffset;
  assign group_write = write_en && wr_addr_i == SeekGroupOffset;

  sched_reg #(.Width(SeekIndexW)) u_seek_index (
    .clk_i, .rst_ni(soft_rst_n),
    .we_i(delta_write || (write_en && wr_addr_i == SeekIndexOffset)),
    .d_i(delta_write ? seek_index_q + SeekIndexW'(1) : wr_data_i[SeekIndexIndexLsb+:SeekIndexW]),
    .q_o(seek_index_q)
  );
  sched_reg #(.Width(BaseW)) u_seek_base (
    .clk_i, .rst_ni(soft_rst_n), .we_i(write_en && wr_addr_i == SeekBaseOffset),
    .d_i(wr_data_i[SeekBaseTicksLsb+:BaseW]), .q_o(seek_base_q)
  );
  sched_reg #(.Width(SeekCellW)) u_seek_cell (
    .clk_i, .rst_ni(soft_rst_n),
    .we_i(group_write || (write_en && wr_addr_i == SeekCellOffset)),
    .d_i(group_write ? seek_cell_q + SeekCellW'(1) : wr_data_i[SeekCellIndexLsb+:SeekCellW]),
    .q_o(seek_cell_q)
  );
  sched_reg #(.Width(2 * PlaceW)) u_seek_last (
    .clk_i, .rst_ni(soft_rst_n), .we_i(write_en && wr_addr_i == SeekLastOffset),
    .d_i({wr_data_i[SeekLastSecondLsb+:PlaceW], wr_data_i[SeekLastFirstLsb+:PlaceW]}),
    .q_o({seek_second_q, seek_first_q})
  );

  // The table follows one cycle after the write.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      segment_we_o <= 1'b0;
      cell_we_o <= 1'b0;
    end else begin
      segment_we_o <= delta_write && 32'(seek_index_q) < 2 ** SegW;
      cell_we_o <= group_write && 32'(seek_cell_q) < Cells;
    end
  end

  always_ff @(posedge clk_i) begin
    if (delta_write || group_write) begin
      segment_index_o <= seek_index_q[SegW-1:0];
      cell_index_o <= seek_cell_q[CellIndexW-1:0];
    end
  end

  assign segment_data_o = {seek_base_q, late_data_q[SeekDeltaTicksLsb+:DeltaW]};
  assign cell_data_o = {late_data_q[SeekGroupThirdLsb+:PlaceW], seek_second_q, seek_first_q,
                        late_data_q[SeekGroupSegmentLsb+:SegW]};

  // State
  logic done_q, error_q;

  assign irq_o = done_q && irq_en;

  always_ff @(posedge clk_i) begin
    if (!soft_rst_n) begin
      done_q <= 1'b0;
      error_q <= 1'b0;
      seq_o <= '0;
    end else begin
      done_q <= done_i || (done_q && !(clear_write && wr_data_i[ClearDoneLsb]));
      if (cancel_o) begin
        error_q <= 1'b1;
      end else if (clear_write && wr_data_i[ClearErrorLsb]) begin
        error_q <= 1'b0;
      end
      if (inserted_i) begin
        seq_o <= seq_o + SeqW'(1);
      end
    end
  end

  // Counters
  logic        counters_clear;
  logic [31:0] decisions_q, busy_cycles_q, stall_cycles_q, refused_count_q, forced_count_q;

  assign counters_clear = clear_write && (wr_data_i[ClearCountersLsb]);

  always_ff @(posedge clk_i) begin
    if (!soft_rst_n) begin
      decisions_q <= '0;
      busy_cycles_q <= '0;
      stall_cycles_q <= '0;
      refused_count_q <= '0;
      forced_count_q <= '0;
    end else if (counters_clear) begin
      decisions_q <= '0;
      busy_cycles_q <= '0;
      stall_cycles_q <= '0;
      refused_count_q <= '0;
      forced_count_q <= '0;
    end else begin
      busy_cycles_q <= busy_cycles_q + 32'(busy_i);
      stall_cycles_q <= stall_cycles_q + 32'(busy_i && wr_valid_i && !is_clear);
      if (decided_i) begin
        decisions_q <= decisions_q + 32'd1;
        refused_count_q <= refused_count_q + 32'(refused_now_i);
        forced_count_q <= forced_count_q + 32'(forced_now_i);
      end
    end
  end

  // Reads
  logic read_accept;

  assign rd_ready_o = !rsp_valid_o;
  assign read_accept = rd_valid_i && rd_ready_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      rsp_valid_o <= 1'b0;
    end else if (read_accept) begin
      rsp_valid_o <= 1'b1;
    end else if (rsp_ready_i) begin
      rsp_valid_o <= 1'b0;
    end
  end

  // What the host writes and nothing else changes is read back from a copy in a memory, zero until it is written for the
  // first time. All the rest comes from the registers.
  // The bits that a register holds
  function automatic logic [31:0] bits_of(logic [AddrW-1:0] addr);
    bits_of = '0;
    unique case (addr)
      CtrlOffset: begin
        bits_of[CtrlGuardEnLsb] = 1'b1;
        bits_of[CtrlNextCOnlyLsb] = 1'b1;
        bits_of[CtrlSweepDownLsb] = 1'b1;
        bits_of[CtrlMaskEnLsb] = 1'b1;
        bits_of[CtrlIrqEnLsb] = 1'b1;
      end
      HeadTimeOffset, ReserveOffset, AgeNowOffset, ETransferOffset, EDeadlineOffset, EAgeOffset:
        bits_of[SumW-1:0] = '1;
      MarginOffset, RiskOffset, RiskChargeOffset, EAngleOffset, EEndAngleOffset:
        bits_of[AngleW-1:0] = '1;
      ClusterOffset: begin
        bits_of[ClusterMaxLsb+:CountW] = '1;
        bits_of[ClusterTakeCLsb] = 1'b1;
        bits_of[ClusterTakeDLsb] = 1'b1;
        bits_of[ClusterStopAtCLsb] = 1'b1;
        bits_of[ClusterDownLsb] = 1'b1;
        bits_of[ClusterOrderLsb] = 1'b1;
      end
      ClusterFromOffset, ClusterSpanOffset: bits_of[CylW-1:0] = '1;
      EPosOffset: begin
        bits_of[EPosCylLsb+:CylW] = '1;
        bits_of[EPosHeadLsb+:HeadW] = '1;
        bits_of[EPosWriteLsb] = 1'b1;
        bits_of[EPosClassLsb+:EPosClassWidth] = '1;
      end
      EEndPosOffset: begin
        bits_of[EEndPosCylLsb+:CylW] = '1;
        bits_of[EEndPosHeadLsb+:HeadW] = '1;
      end
      default: bits_of[TimeW-1:0] = '1;          // times
    endcase
  endfunction

  // Their words lie at 4 to 27 and at 44 to 50: the latter go to places that the former leave.
  function automatic logic [4:0] copy_index(logic [5:0] word);
    return word[4:0] ^ {1'b0, {2{word[5]}}, 2'b00};
  endfunction

  logic [31:0] copy_mem [32];
  logic [31:0] written_q, copied;
  logic [4:0]  write_index, read_index;
  logic        copy_we;

  assign copy_we = write_en && wr_kind_i.copied;
  assign write_index = copy_index(wr_addr_i[7:2]);
  assign read_index = copy_index(rd_addr_i[7:2]);
  assign copied = copy_mem[read_index] & bits_of(rd_addr_i) &
      {32{is_copied(rd_addr_i) && written_q[read_index]}};

  always_ff @(posedge clk_i) begin
    if (copy_we) begin
      copy_mem[write_index] <= wr_data_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!soft_rst_n) begin
      written_q <= '0;
    end else if (copy_we) begin
      written_q[write_index] <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      rd_data_o <= '0;
      rd_error_o <= 1'b0;
    end else if (read_accept) begin
      rd_data_o <= '0;
      rd_error_o <= 1'b0;
      unique case (rd_addr_i)
        IdOffset: rd_data_o <= IdValue;
        VersionOffset: begin
          rd_data_o[VersionMinorLsb+:VersionMinorWidth] <= VersionMinor;
          rd_data_o[VersionMajorLsb+:VersionMajorWidth] <= VersionMajor;
        end
        ParamsOffset: begin
          rd_data_o[ParamsEntriesLsb+:ParamsEntriesWidth] <= ParamsEntriesWidth'(Entries);
          rd_data_o[ParamsLanesLsb+:ParamsLanesWidth] <= ParamsLanesWidth'(Lanes);
          rd_data_o[ParamsAngleWLsb+:ParamsAngleWWidth] <= ParamsAngleWWidth'(AngleW);
          rd_data_o[ParamsCylWLsb+:ParamsCylWWidth] <= ParamsCylWWidth'(CylW);
          rd_data_o[ParamsSegMLsb+:ParamsSegMWidth] <= ParamsSegMWidth'(SegM);
          rd_data_o[ParamsSegWLsb+:ParamsSegWWidth] <= ParamsSegWWidth'(SegW);
        end
        OrdererOffset: rd_data_o[OrdererMaxLsb+:OrdererMaxWidth] <= OrdererMaxWidth'(OrderM);
        StatusOffset: begin
          rd_data_o[StatusBusyLsb] <= busy_i;
          rd_data_o[StatusDoneLsb] <= done_q;
          rd_data_o[StatusErrorLsb] <= error_q || cancel_o;
          rd_data_o[StatusOccupancyLsb+:CountW] <= occupancy_i;
        end
        HeadPosOffset: begin
          rd_data_o[HeadPosCylLsb+:CylW] <= head_cyl_o;
          rd_data_o[HeadPosHeadLsb+:HeadW] <= head_head_o;
          rd_data_o[HeadPosWriteLsb] <= head_write_o;
        end
        ResultOffset: begin
          rd_data_o[ResultTagLsb+:TagW] <= result_tag_i;
          rd_data_o[ResultValidLsb] <= result_valid_i;
          rd_data_o[ResultForcedLsb] <= result_forced_i;
        end
        ResultKeyOffset: rd_data_o <= 32'(result_key_i);
        RefusedOffset: rd_data_o[RefusedCountLsb+:CountW] <= refused_i;
        CyclesOffset: rd_data_o <= cycles_i;
        NextOffset: begin
          rd_data_o[NextTagLsb+:TagW] <= next_tag_i;
          rd_data_o[NextValidLsb] <= next_valid_i;
        end
        SweepOffset: rd_data_o[SweepTicksLsb+:SumW] <= sweep_i;
        DueOffset: rd_data_o[DueTicksLsb+:SumW] <= due_i;
        ClusterCountOffset: begin
          rd_data_o[ClusterCountCountLsb+:CountW] <= collected_i;
          rd_data_o[ClusterCountOrderedLsb] <= ordered_i;
        end
        OrderCostOffset: rd_data_o[OrderCostTicksLsb+:OrderCostW] <= order_cost_i;
        OrderTags0Offset: rd_data_o <= order_tag_i[3:0];
        OrderTags1Offset: rd_data_o <= order_tag_i[7:4];
        OrderTags2Offset: rd_data_o <= order_tag_i[11:8];
        SeekIndexOffset: rd_data_o[SeekIndexIndexLsb+:SeekIndexW] <= seek_index_q;
        SeekBaseOffset: rd_data_o[SeekBaseTicksLsb+:BaseW] <= seek_base_q;
        SeekCellOffset: rd_data_o[SeekCellIndexLsb+:SeekCellW] <= seek_cell_q;
        SeekLastOffset: begin
          rd_data_o[SeekLastFirstLsb+:PlaceW] <= seek_first_q;
          rd_data_o[SeekLastSecondLsb+:PlaceW] <= seek_second_q;
        end
        Mask0Offset, Mask1Offset, Mask2Offset, Mask3Offset, Mask4Offset, Mask5Offset, Mask6Offset,
        Mask7Offset: rd_data_o <= mask_words[rd_addr_i[4:2]];
        DecisionsOffset: rd_data_o <= decisions_q;
        BusyCyclesOffset: rd_data_o <= busy_cycles_q;
        StallCyclesOffset: rd_data_o <= stall_cycles_q;
        RefusedCountOffset: rd_data_o <= refused_count_q;
        ForcedCountOffset: rd_data_o <= forced_count_q;
        default: begin
          rd_data_o <= copied;
          rd_error_o <= !is_copied(rd_addr_i);
        end
      endcase
    end
  end

endmodule
