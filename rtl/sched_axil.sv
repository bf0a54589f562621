// SPDX-License-Identifier: Apache-2.0
//
// AXI4-Lite slave and register file of the scheduling accelerator; checks and passes on the
// changes of the command table and of the seek table. Register map: registers.toml.
//
// Parameters: Entries, Lanes, AngleW, CylW, SegM, SegW, SeqW (see sched_top), CycleW (bits of the
//             number of cycles of a decision).
// Latency:    an access is answered one cycle after it is accepted, and takes two cycles when the
//             master is ready.
// Handshake:  one outstanding access a direction. A write is accepted when address and data are
//             both there, no decision runs and no write response waits; a read when no read
//             response waits. RDATA holds what the register held in that cycle. The strobes to the
//             core (start_o, insert_o, remove_o, ...) are high in the cycle that accepts the write.

module sched_axil
  import sched_pkg::*;
  import sched_reg_pkg::*;
#(
  parameter int unsigned Entries = 32,
  parameter int unsigned Lanes = 4,
  parameter int unsigned AngleW = 16,
  parameter int unsigned CylW = 18,
  parameter int unsigned SegM = 5,
  parameter int unsigned SegW = 9,
  parameter int unsigned SeqW = 24,
  parameter int unsigned CycleW = 5,
  localparam int unsigned TimeW = time_w(AngleW),
  localparam int unsigned SumW = sum_w(AngleW),
  localparam int unsigned CellIndexW = index_w(cells(CylW, SegM)),
  localparam int unsigned CellW = cell_w(CylW, SegM, SegW),
  localparam int unsigned SegmentW = segment_w(AngleW)
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  // AXI4-Lite
  input  logic               s_axil_awvalid_i,
  output logic               s_axil_awready_o,
  input  logic [AddrW-1:0]   s_axil_awaddr_i,
  input  logic               s_axil_wvalid_i,
  output logic               s_axil_wready_o,
  input  logic [31:0]        s_axil_wdata_i,
  input  logic [3:0]         s_axil_wstrb_i,
  output logic               s_axil_bvalid_o,
  input  logic               s_axil_bready_i,
  output logic [1:0]         s_axil_bresp_o,
  input  logic               s_axil_arvalid_i,
  output logic               s_axil_arready_o,
  input  logic [AddrW-1:0]   s_axil_araddr_i,
  output logic               s_axil_rvalid_o,
  input  logic               s_axil_rready_i,
  output logic [31:0]        s_axil_rdata_o,
  output logic [1:0]         s_axil_rresp_o,
  output logic               irq_o,

  // Decision
  output logic               clear_o,
  output logic               start_o,
  input  logic               busy_i,
  input  logic               done_i,
  input  logic               result_valid_i,
  input  logic               result_forced_i,
  input  logic [TagW-1:0]    result_tag_i,
  input  logic [TimeW-1:0]   result_cost_i,
  input  logic [CountW-1:0]  refused_i,
  input  logic [CycleW-1:0]  cycles_i,

  // Configuration
  output logic               guard_en_o,
  output logic               next_c_only_o,
  output logic               auto_remove_o,
  output logic [CylW-1:0]    head_cyl_o,
  output logic [HeadW-1:0]   head_head_o,
  output logic [AngleW-1:0]  head_angle_o,
  output logic [SumW-1:0]    slack_o,
  output logic [CylW-1:0]    next_cyl_o,
  output logic [HeadW-1:0]   next_head_o,
  output logic               next_write_o,
  output logic [AngleW-1:0]  next_angle_o,
  output logic [TagW-1:0]    next_tag_o,
  output logic               next_valid_o,
  output logic [SumW-1:0]    sweep_o,
  output logic [AngleW-1:0]  margin_o,
  output logic [TimeW-1:0]   head_switch_o,
  output logic [TimeW-1:0]   write_settle_o,
  output logic [TimeW-1:0]   overhead_read_o,
  output logic [TimeW-1:0]   overhead_write_o,
  output logic [TimeW-1:0]   next_overhead_ar_o,
  output logic [TimeW-1:0]   next_overhead_aw_o,

  // Changes of the command table; removed_i: the decision takes an entry out
  input  logic [Entries-1:0] valid_i,
  input  logic               removed_i,
  output logic               insert_o,
  output logic               remove_o,
  output logic               credit_we_o,
  output logic [TagW-1:0]    change_tag_o,
  output logic [CylW-1:0]    start_cyl_o,
  output logic [HeadW-1:0]   start_head_o,
  output logic               write_o,
  output class_e             class_o,
  output logic [AngleW-1:0]  start_angle_o,
  output logic [CylW-1:0]    end_cyl_o,
  output logic [HeadW-1:0]   end_head_o,
  output logic [AngleW-1:0]  end_angle_o,
  output logic [SumW-1:0]    transfer_o,
  output logic [SumW-1:0]    credit_o,
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

  // Write channel
  logic              write_accept, write_known, write_good, write_refused, write_en;
  logic [AddrW-1:0]  waddr;
  logic [31:0]       wdata;
  logic [InsertTagWidth-1:0] wtag;
  logic              tag_fits, tag_valid, is_tag_write;
  resp_e             bresp_q;

  assign waddr = s_axil_awaddr_i;
  assign wdata = s_axil_wdata_i;
  assign write_accept = s_axil_awvalid_i && s_axil_wvalid_i && !busy_i && !s_axil_bvalid_o;
  assign s_axil_awready_o = write_accept;
  assign s_axil_wready_o = write_accept;
  assign s_axil_bresp_o = bresp_q;

  always_comb begin
    unique case (waddr)
      CtrlOffset, ClearOffset, HeadPosOffset, HeadAngleOffset, SlackOffset, NextPosOffset,
      NextAngleOffset, NextTagOffset, SweepOffset, MarginOffset, HeadSwitchOffset,
      WriteSettleOffset, OverheadReadOffset, OverheadWriteOffset, NextOverheadArOffset,
      NextOverheadAwOffset, StartOffset, EPosOffset, EAngleOffset, EEndPosOffset, EEndAngleOffset,
      ETransferOffset, ECreditOffset, InsertOffset, RemoveOffset, SetCreditOffset,
      SeekIndexOffset, SeekBaseOffset, SeekDeltaOffset, SeekCellOffset, SeekLastOffset,
      SeekGroupOffset: write_known = 1'b1;
      default: write_known = 1'b0;
    endcase
  end

  // A tag in use is removed or given a credit, a free one inserted.
  assign wtag = wdata[InsertTagWidth-1:0];
  assign tag_fits = wtag < InsertTagWidth'(Entries);
  assign tag_valid = tag_fits && valid_i[wtag[EntryW-1:0]];
  assign is_tag_write = waddr == InsertOffset || waddr == RemoveOffset || waddr == SetCreditOffset;
  assign write_good = write_accept && write_known && s_axil_wstrb_i == 4'b1111;
  assign write_refused = write_good && is_tag_write &&
      ((waddr == InsertOffset) ? (!tag_fits || tag_valid) : !tag_valid);
  assign write_en = write_good && !write_refused;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      s_axil_bvalid_o <= 1'b0;
      bresp_q <= RespOkay;
    end else if (write_accept) begin
      s_axil_bvalid_o <= 1'b1;
      bresp_q <= write_en ? RespOkay : RespSlvErr;
    end else if (s_axil_bready_i) begin
      s_axil_bvalid_o <= 1'b0;
    end
  end

  // Commands
  logic clear_write;

  assign clear_write = write_en && waddr == ClearOffset;
  assign clear_o = clear_write && wdata[ClearSoftResetLsb];
  assign start_o = write_en && waddr == StartOffset;
  assign insert_o = write_en && waddr == InsertOffset;
  assign remove_o = write_en && waddr == RemoveOffset;
  assign credit_we_o = write_en && waddr == SetCreditOffset;
  assign change_tag_o = wtag[TagW-1:0];

  // Registers that the host writes
  logic       irq_en;
  logic [1:0] class_bits;

  sched_reg #(.Width(4)) u_ctrl (
    .clk_i, .rst_ni, .clear_i(clear_o), .we_i(write_en && waddr == CtrlOffset),
    .d_i({wdata[CtrlGuardEnLsb], wdata[CtrlNextCOnlyLsb], wdata[CtrlAutoRemoveLsb],
          wdata[CtrlIrqEnLsb]}),
    .q_o({guard_en_o, next_c_only_o, auto_remove_o, irq_en})
  );
  sched_reg #(.Width(CylW + HeadW)) u_head_pos (
    .clk_i, .rst_ni, .clear_i(clear_o), .we_i(write_en && waddr == HeadPosOffset),
    .d_i({wdata[HeadPosCylLsb+:CylW], wdata[HeadPosHeadLsb+:HeadW]}),
    .q_o({head_cyl_o, head_head_o})
  );
  sched_reg #(.Width(AngleW)) u_head_angle (
    .clk_i, .rst_ni, .clear_i(clear_o), .we_i(write_en && waddr == HeadAngleOffset),
    .d_i(wdata[HeadAngleAngleLsb+:AngleW]), .q_o(head_angle_o)
  );
  sched_reg #(.Width(SumW)) u_slack (
    .clk_i, .rst_ni, .clear_i(clear_o), .we_i(write_en && waddr == SlackOffset),
    .d_i(wdata[SlackTicksLsb+:SumW]), .q_o(slack_o)
  );
  sched_reg #(.Width(CylW + HeadW + 1)) u_next_pos (
    .clk_i, .rst_ni, .clear_i(clear_o), .we_i(write_en && waddr == NextPosOffset),
    .d_i({wdata[NextPosCylLsb+:CylW], wdata[NextPosHeadLsb+:HeadW], wdata[NextPosWriteLsb]}),
    .q_o({next_cyl_o, next_head_o, next_write_o})
  );
  sched_reg #(.Width(AngleW)) u_next_angle (
    .clk_i, .rst_ni, .clear_i(clear_o), .we_i(write_en && waddr == NextAngleOffset),
    .d_i(wdata[NextAngleAngleLsb+:AngleW]), .q_o(next_angle_o)
  );
  sched_reg #(.Width(TagW + 1)) u_next_tag (
    .clk_i, .rst_ni, .clear_i(clear_o), .we_i(write_en && waddr == NextTagOffset),
    .d_i({wdata[NextTagTagLsb+:TagW], wdata[NextTagValidLsb]}),
    .q_o({next_tag_o, next_valid_o})
  );
  sched_reg #(.Width(SumW)) u_sweep (
    .clk_i, .rst_ni, .clear_i(clear_o), .we_i(write_en && waddr == SweepOffset),
    .d_i(wdata[SweepTicksLsb+:SumW]), .q_o(sweep_o)
  );
  sched_reg #(.Width(AngleW)) u_margin (
    .clk_i, .rst_ni, .clear_i(clear_o), .we_i(write_en && waddr == MarginOffset),
    .d_i(wdata[MarginTicksLsb+:AngleW]), .q_o(margin_o)
  );
  sched_reg #(.Width(TimeW)) u_head_switch (
    .clk_i, .rst_ni, .clear_i(clear_o), .we_i(write_en && waddr == HeadSwitchOffset),
    .d_i(wdata[HeadSwitchTicksLsb+:TimeW]), .q_o(head_switch_o)
  );
  sched_reg #(.Width(TimeW)) u_write_settle (
    .clk_i, .rst_ni, .clear_i(clear_o), .we_i(write_en && waddr == WriteSettleOffset),
    .d_i(wdata[WriteSettleTicksLsb+:TimeW]), .q_o(write_settle_o)
  );
  sched_reg #(.Width(TimeW)) u_overhead_read (
    .clk_i, .rst_ni, .clear_i(clear_o), .we_i(write_en && waddr == OverheadReadOffset),
    .d_i(wdata[OverheadReadTicksLsb+:TimeW]), .q_o(overhead_read_o)
  );
  sched_reg #(.Width(TimeW)) u_overhead_write (
    .clk_i, .rst_ni, .clear_i(clear_o), .we_i(write_en && waddr == OverheadWriteOffset),
    .d_i(wdata[OverheadWriteTicksLsb+:TimeW]), .q_o(overhead_write_o)
  );
  sched_reg #(.Width(TimeW)) u_next_overhead_ar (
    .clk_i, .rst_ni, .clear_i(clear_o), .we_i(write_en && waddr == NextOverheadArOffset),
    .d_i(wdata[NextOverheadArTicksLsb+:TimeW]), .q_o(next_overhead_ar_o)
  );
  sched_reg #(.Width(TimeW)) u_next_overhead_aw (
    .clk_i, .rst_ni, .clear_i(clear_o), .we_i(write_en && waddr == NextOverheadAwOffset),
    .d_i(wdata[NextOverheadAwTicksLsb+:TimeW]), .q_o(next_overhead_aw_o)
  );
  sched_reg #(.Width(CylW + HeadW + 3)) u_e_pos (
    .clk_i, .rst_ni, .clear_i(clear_o), .we_i(write_en && waddr == EPosOffset),
    .d_i({wdata[EPosCylLsb+:CylW], wdata[EPosHeadLsb+:HeadW], wdata[EPosWriteLsb],
          wdata[EPosClassLsb+:EPosClassWidth]}),
    .q_o({start_cyl_o, start_head_o, write_o, class_bits})
  );
  sched_reg #(.Width(AngleW)) u_e_angle (
    .clk_i, .rst_ni, .clear_i(clear_o), .we_i(write_en && waddr == EAngleOffset),
    .d_i(wdata[EAngleAngleLsb+:AngleW]), .q_o(start_angle_o)
  );
  sched_reg #(.Width(CylW + HeadW)) u_e_end_pos (
    .clk_i, .rst_ni, .clear_i(clear_o), .we_i(write_en && waddr == EEndPosOffset),
    .d_i({wdata[EEndPosCylLsb+:CylW], wdata[EEndPosHeadLsb+:HeadW]}),
    .q_o({end_cyl_o, end_head_o})
  );
  sched_reg #(.Width(AngleW)) u_e_end_angle (
    .clk_i, .rst_ni, .clear_i(clear_o), .we_i(write_en && waddr == EEndAngleOffset),
    .d_i(wdata[EEndAngleAngleLsb+:AngleW]), .q_o(end_angle_o)
  );
  sched_reg #(.Width(SumW)) u_e_transfer (
    .clk_i, .rst_ni, .clear_i(clear_o), .we_i(write_en && waddr == ETransferOffset),
    .d_i(wdata[ETransferTicksLsb+:SumW]), .q_o(transfer_o)
  );
  sched_reg #(.Width(SumW)) u_e_credit (
    .clk_i, .rst_ni, .clear_i(clear_o), .we_i(write_en && waddr == ECreditOffset),
    .d_i(wdata[ECreditTicksLsb+:SumW]), .q_o(credit_o)
  );

  assign class_o = class_e'(class_bits);

  // Seek table. A segment or a cell beyond the table is dropped; the index advances all the same.
  logic                  delta_write, group_write;
  logic [SeekIndexW-1:0] seek_index_q;
  logic [BaseW-1:0]      seek_base_q;
  logic [SeekCellW-1:0]  seek_cell_q;
  logic [PlaceW-1:0]     seek_first_q, seek_second_q;

  assign delta_write = write_en && waddr == SeekDeltaOffset;
  assign group_write = write_en && waddr == SeekGroupOffset;

  sched_reg #(.Width(SeekIndexW)) u_seek_index (
    .clk_i, .rst_ni, .clear_i(clear_o),
    .we_i(delta_write || (write_en && waddr == SeekIndexOffset)),
    .d_i(delta_write ? seek_index_q + SeekIndexW'(1) : wdata[SeekIndexIndexLsb+:SeekIndexW]),
    .q_o(seek_index_q)
  );
  sched_reg #(.Width(BaseW)) u_seek_base (
    .clk_i, .rst_ni, .clear_i(clear_o), .we_i(write_en && waddr == SeekBaseOffset),
    .d_i(wdata[SeekBaseTicksLsb+:BaseW]), .q_o(seek_base_q)
  );
  sched_reg #(.Width(SeekCellW)) u_seek_cell (
    .clk_i, .rst_ni, .clear_i(clear_o),
    .we_i(group_write || (write_en && waddr == SeekCellOffset)),
    .d_i(group_write ? seek_cell_q + SeekCellW'(1) : wdata[SeekCellIndexLsb+:SeekCellW]),
    .q_o(seek_cell_q)
  );
  sched_reg #(.Width(2 * PlaceW)) u_seek_last (
    .clk_i, .rst_ni, .clear_i(clear_o), .we_i(write_en && waddr == SeekLastOffset),
    .d_i({wdata[SeekLastSecondLsb+:PlaceW], wdata[SeekLastFirstLsb+:PlaceW]}),
    .q_o({seek_second_q, seek_first_q})
  );

  assign segment_we_o = delta_write && 32'(seek_index_q) < 2 ** SegW;
  assign segment_index_o = seek_index_q[SegW-1:0];
  assign segment_data_o = {seek_base_q, wdata[SeekDeltaTicksLsb+:DeltaW]};
  assign cell_we_o = group_write && 32'(seek_cell_q) < Cells;
  assign cell_index_o = seek_cell_q[CellIndexW-1:0];
  assign cell_data_o = {wdata[SeekGroupThirdLsb+:PlaceW], seek_second_q, seek_first_q,
                        wdata[SeekGroupSegmentLsb+:SegW]};

  // State. Commands and the end of a decision never meet: a write waits while busy_i is high.
  logic              done_q, error_q;
  logic [31:0]       decisions_q;
  logic [CountW-1:0] occupancy_q;

  assign irq_o = done_q && irq_en;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      done_q <= 1'b0;
      error_q <= 1'b0;
      decisions_q <= '0;
      occupancy_q <= '0;
      seq_o <= '0;
    end else if (clear_o) begin
      done_q <= 1'b0;
      error_q <= 1'b0;
      decisions_q <= '0;
      occupancy_q <= '0;
      seq_o <= '0;
    end else begin
      if (done_i) begin
        done_q <= 1'b1;
        decisions_q <= decisions_q + 32'd1;
      end else if (clear_write && wdata[ClearDoneLsb]) begin
        done_q <= 1'b0;
      end
      if (write_refused) begin
        error_q <= 1'b1;
      end else if (clear_write && wdata[ClearErrorLsb]) begin
        error_q <= 1'b0;
      end
      if (insert_o) begin
        occupancy_q <= occupancy_q + CountW'(1);
        seq_o <= seq_o + SeqW'(1);
      end else if (remove_o || removed_i) begin
        occupancy_q <= occupancy_q - CountW'(1);
      end
    end
  end

  // Read channel
  logic  read_accept;
  resp_e rresp_q;

  assign s_axil_arready_o = !s_axil_rvalid_o;
  assign read_accept = s_axil_arvalid_i && s_axil_arready_o;
  assign s_axil_rresp_o = rresp_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      s_axil_rvalid_o <= 1'b0;
    end else if (read_accept) begin
      s_axil_rvalid_o <= 1'b1;
    end else if (s_axil_rready_i) begin
      s_axil_rvalid_o <= 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      s_axil_rdata_o <= '0;
      rresp_q <= RespOkay;
    end else if (read_accept) begin
      s_axil_rdata_o <= '0;
      rresp_q <= RespOkay;
      unique case (s_axil_araddr_i)
        IdOffset: s_axil_rdata_o <= IdValue;
        VersionOffset: begin
          s_axil_rdata_o[VersionMinorLsb+:VersionMinorWidth] <= VersionMinor;
          s_axil_rdata_o[VersionMajorLsb+:VersionMajorWidth] <= VersionMajor;
        end
        ParamsOffset: begin
          s_axil_rdata_o[ParamsEntriesLsb+:ParamsEntriesWidth] <= ParamsEntriesWidth'(Entries);
          s_axil_rdata_o[ParamsLanesLsb+:ParamsLanesWidth] <= ParamsLanesWidth'(Lanes);
          s_axil_rdata_o[ParamsAngleWLsb+:ParamsAngleWWidth] <= ParamsAngleWWidth'(AngleW);
          s_axil_rdata_o[ParamsCylWLsb+:ParamsCylWWidth] <= ParamsCylWWidth'(CylW);
          s_axil_rdata_o[ParamsSegMLsb+:ParamsSegMWidth] <= ParamsSegMWidth'(SegM);
          s_axil_rdata_o[ParamsSegWLsb+:ParamsSegWWidth] <= ParamsSegWWidth'(SegW);
        end
        CtrlOffset: begin
          s_axil_rdata_o[CtrlGuardEnLsb] <= guard_en_o;
          s_axil_rdata_o[CtrlNextCOnlyLsb] <= next_c_only_o;
          s_axil_rdata_o[CtrlAutoRemoveLsb] <= auto_remove_o;
          s_axil_rdata_o[CtrlIrqEnLsb] <= irq_en;
        end
        StatusOffset: begin
          s_axil_rdata_o[StatusBusyLsb] <= busy_i;
          s_axil_rdata_o[StatusDoneLsb] <= done_q;
          s_axil_rdata_o[StatusErrorLsb] <= error_q;
          s_axil_rdata_o[StatusOccupancyLsb+:CountW] <= occupancy_q;
        end
        HeadPosOffset: begin
          s_axil_rdata_o[HeadPosCylLsb+:CylW] <= head_cyl_o;
          s_axil_rdata_o[HeadPosHeadLsb+:HeadW] <= head_head_o;
        end
        HeadAngleOffset: s_axil_rdata_o[HeadAngleAngleLsb+:AngleW] <= head_angle_o;
        SlackOffset: s_axil_rdata_o[SlackTicksLsb+:SumW] <= slack_o;
        NextPosOffset: begin
          s_axil_rdata_o[NextPosCylLsb+:CylW] <= next_cyl_o;
          s_axil_rdata_o[NextPosHeadLsb+:HeadW] <= next_head_o;
          s_axil_rdata_o[NextPosWriteLsb] <= next_write_o;
        end
        NextAngleOffset: s_axil_rdata_o[NextAngleAngleLsb+:AngleW] <= next_angle_o;
        NextTagOffset: begin
          s_axil_rdata_o[NextTagTagLsb+:TagW] <= next_tag_o;
          s_axil_rdata_o[NextTagValidLsb] <= next_valid_o;
        end
        SweepOffset: s_axil_rdata_o[SweepTicksLsb+:SumW] <= sweep_o;
        MarginOffset: s_axil_rdata_o[MarginTicksLsb+:AngleW] <= margin_o;
        HeadSwitchOffset: s_axil_rdata_o[HeadSwitchTicksLsb+:TimeW] <= head_switch_o;
        WriteSettleOffset: s_axil_rdata_o[WriteSettleTicksLsb+:TimeW] <= write_settle_o;
        OverheadReadOffset: s_axil_rdata_o[OverheadReadTicksLsb+:TimeW] <= overhead_read_o;
        OverheadWriteOffset: s_axil_rdata_o[OverheadWriteTicksLsb+:TimeW] <= overhead_write_o;
        NextOverheadArOffset: s_axil_rdata_o[NextOverheadArTicksLsb+:TimeW] <= next_overhead_ar_o;
        NextOverheadAwOffset: s_axil_rdata_o[NextOverheadAwTicksLsb+:TimeW] <= next_overhead_aw_o;
        ResultOffset: begin
          s_axil_rdata_o[ResultTagLsb+:TagW] <= result_tag_i;
          s_axil_rdata_o[ResultValidLsb] <= result_valid_i;
          s_axil_rdata_o[ResultForcedLsb] <= result_forced_i;
        end
        ResultCostOffset: s_axil_rdata_o[ResultCostTicksLsb+:TimeW] <= result_cost_i;
        CyclesOffset: s_axil_rdata_o[CycleW-1:0] <= cycles_i;
        DecisionsOffset: s_axil_rdata_o <= decisions_q;
        RefusedOffset: s_axil_rdata_o[RefusedCountLsb+:CountW] <= refused_i;
        EPosOffset: begin
          s_axil_rdata_o[EPosCylLsb+:CylW] <= start_cyl_o;
          s_axil_rdata_o[EPosHeadLsb+:HeadW] <= start_head_o;
          s_axil_rdata_o[EPosWriteLsb] <= write_o;
          s_axil_rdata_o[EPosClassLsb+:EPosClassWidth] <= class_bits;
        end
        EAngleOffset: s_axil_rdata_o[EAngleAngleLsb+:AngleW] <= start_angle_o;
        EEndPosOffset: begin
          s_axil_rdata_o[EEndPosCylLsb+:CylW] <= end_cyl_o;
          s_axil_rdata_o[EEndPosHeadLsb+:HeadW] <= end_head_o;
        end
        EEndAngleOffset: s_axil_rdata_o[EEndAngleAngleLsb+:AngleW] <= end_angle_o;
        ETransferOffset: s_axil_rdata_o[ETransferTicksLsb+:SumW] <= transfer_o;
        ECreditOffset: s_axil_rdata_o[ECreditTicksLsb+:SumW] <= credit_o;
        SeekIndexOffset: s_axil_rdata_o[SeekIndexIndexLsb+:SeekIndexW] <= seek_index_q;
        SeekBaseOffset: s_axil_rdata_o[SeekBaseTicksLsb+:BaseW] <= seek_base_q;
        SeekCellOffset: s_axil_rdata_o[SeekCellIndexLsb+:SeekCellW] <= seek_cell_q;
        SeekLastOffset: begin
          s_axil_rdata_o[SeekLastFirstLsb+:PlaceW] <= seek_first_q;
          s_axil_rdata_o[SeekLastSecondLsb+:PlaceW] <= seek_second_q;
        end
        default: rresp_q <= RespSlvErr;
      endcase
    end
  end

endmodule
