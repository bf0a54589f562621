// SPDX-License-Identifier: Apache-2.0
//
// Proof: the clock gates change nothing that can be seen. Two accelerators with the same inputs from the same reset on: one with clock gates
// (SCHED_CLOCK_GATES), one that is built without them (sched_native_open, which scripts/formal makes from the same sources). Every output is
// the same in every cycle. Registers behind a gate become registers with an enable (formalff -declockgate). What no reset clears begins with
// zeros in both. Looks at ports only.
//
// Program 0: any accesses in any cycle, with scan_en_i any. A bound of so few cycles holds no whole decision.
// Program 1 to 4: a fixed order of writes in fixed cycles, which ends with a whole operation: DECIDE, DECIDE with the guard and a sweep, DECIDE
// that looks ahead, CLUSTER with its order. Tags and the control bits are fixed. Positions, angles, times, weights, every read, and the
// cycles in which a response is taken are any. scan_en_i is low.

// Without parameters: those of the other, with which scripts/formal builds it.
(* blackbox *)
module sched_native_open
  import sched_pkg::*;
(
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             scan_en_i,
  input  logic             wr_valid_i,
  output logic             wr_ready_o,
  input  logic [AddrW-1:0] wr_addr_i,
  input  logic [31:0]      wr_data_i,
  input  logic [3:0]       wr_strb_i,
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
endmodule

module formal_gates
  import sched_pkg::*;
  import sched_reg_pkg::*;
#(
  parameter int unsigned Entries = 4,
  parameter int unsigned Lanes = 1,
  parameter int unsigned OrderM = 0,
  parameter int unsigned AngleW = 12,
  parameter int unsigned CylW = 8,
  parameter int unsigned SegM = 2,
  parameter int unsigned SegW = 5,
  parameter int unsigned Features = 0,
  parameter int unsigned Program = 0
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             scan_en_i,
  input logic             wr_valid_i,
  input logic [3:0]       wr_strb_i,
  input logic [AddrW-1:0] wr_addr_i,
  input logic [31:0]      wr_data_i,
  input logic             rd_valid_i,
  input logic [AddrW-1:0] rd_addr_i,
  input logic             rsp_ready_i
);

  localparam int unsigned Decide = 1, Guarded = 2, Ahead = 3, Cluster = 4;
  localparam logic [31:0] Continuous = 32'd1 << EPosClassLsb;
  localparam logic [31:0] Guard = 32'd1 << CtrlGuardEnLsb;
  localparam logic [31:0] OneAhead = (32'd1 << AheadMostLsb) | (32'd1 << AheadDepthLsb);
  localparam logic [31:0] InOrder = (32'd1 << ClusterTakeCLsb) | (32'd1 << ClusterTakeDLsb) | (32'd1 << ClusterOrderLsb);

  logic             started_q = 1'b0;
  logic [7:0]       cycle_q = '0;
  logic             rst_n, scan_en, wr_valid;
  logic [3:0]       wr_strb;
  logic [AddrW-1:0] wr_addr;
  logic [31:0]      wr_data, known, value;      // bits that a program fixes, and what they are

  always_comb begin
    rst_n = rst_ni;
    scan_en = scan_en_i;
    wr_valid = wr_valid_i;
    wr_strb = wr_strb_i;
    wr_addr = wr_addr_i;
    known = '0;
    value = '0;
    if (Program != 0) begin
      rst_n = started_q;
      scan_en = 1'b0;
      wr_valid = 1'b1;
      wr_strb = 4'b1111;
      // A write every two cycles; an INSERT works for at most s + 2 cycles.
      unique case (cycle_q)
        8'd2: wr_addr = EPosOffset;
        8'd4: wr_addr = EAngleOffset;
        8'd6: wr_addr = ETransferOffset;
        8'd8: wr_addr = EAgeOffset;
        8'd10: {wr_addr, known, value} = {InsertOffset, 32'hFFFFFFFF, 32'd2};
        8'd16: wr_addr = EPosOffset;
        8'd18: wr_addr = EEndPosOffset;
        8'd20: wr_addr = EDeadlineOffset;
        8'd22: {wr_addr, known, value} = {InsertOffset, 32'hFFFFFFFF, 32'd1};
        8'd28: {wr_addr, known, value} = {CtrlOffset, 32'hFFFFFFFF, (Program == Guarded) ? Guard : 32'd0};
        8'd30: {wr_addr, known, value} = (Program == Cluster) ? {ClusterOffset, 32'hFFFFFFFF, InOrder} : {AheadOffset, 32'hFFFFFFFF, (Program == Ahead) ? OneAhead : 32'd0};
        8'd32: {wr_addr, known, value} = (Program == Cluster) ? {ClusterSpanOffset, 32'hFFFFFFFF, 32'hFFFFFFFF} : {HeadPosOffset, 32'd0, 32'd0};
        8'd34: wr_addr = (Program == Cluster) ? DelayOffset : HeadTimeOffset;
        8'd36: {wr_addr, known, value} = {OpOffset, 32'hFFFFFFFF, 32'(Program == Cluster)};
        default: wr_valid = 1'b0;
      endcase
      // No limits; the second entry is the sweep, where there is one.
      if (wr_addr == EPosOffset) {known, value} = {32'd3 << EPosClassLsb | 32'd3 << EPosLimitLsb, (Program == Guarded && cycle_q == 8'd16) ? Continuous : 32'd0};
    end
    wr_data = (wr_data_i & ~known) | value;
  end

  logic [1:0]       wr_ready, wr_error, rd_ready, rsp_valid, rd_error, busy, irq;
  logic [1:0][31:0] rd_data;

  sched_native #(
    .Entries(Entries), .Lanes(Lanes), .OrderM(OrderM), .AngleW(AngleW), .CylW(CylW), .SegM(SegM), .SegW(SegW), .Features(Features)
  ) u_gated (
    .clk_i, .rst_ni(rst_n), .scan_en_i(scan_en), .wr_valid_i(wr_valid), .wr_ready_o(wr_ready[0]), .wr_addr_i(wr_addr), .wr_data_i(wr_data),
    .wr_strb_i(wr_strb), .wr_error_o(wr_error[0]), .rd_valid_i, .rd_ready_o(rd_ready[0]), .rd_addr_i, .rsp_valid_o(rsp_valid[0]), .rsp_ready_i,
    .rd_data_o(rd_data[0]), .rd_error_o(rd_error[0]), .busy_o(busy[0]), .irq_o(irq[0])
  );

  sched_native_open u_open (
    .clk_i, .rst_ni(rst_n), .scan_en_i(scan_en), .wr_valid_i(wr_valid), .wr_ready_o(wr_ready[1]), .wr_addr_i(wr_addr), .wr_data_i(wr_data),
    .wr_strb_i(wr_strb), .wr_error_o(wr_error[1]), .rd_valid_i, .rd_ready_o(rd_ready[1]), .rd_addr_i, .rsp_valid_o(rsp_valid[1]), .rsp_ready_i,
    .rd_data_o(rd_data[1]), .rd_error_o(rd_error[1]), .busy_o(busy[1]), .irq_o(irq[1])
  );

`ifdef FORMAL_REACH
  // The operation's cycles, and whether it has ended
  logic began_q, ended_q;

  always_ff @(posedge clk_i) begin
    began_q <= rst_n && (began_q || (cycle_q > 8'd36 && busy[0]));
    ended_q <= rst_n && (ended_q || (began_q && !busy[0]));
  end
`endif

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    cycle_q <= cycle_q + 8'd1;
    assume (started_q || !rst_n);
    // A step is what is there just before an edge: the clock is low, and the gates' latches let their enables through.
    assume (!clk_i);
    if (started_q) begin
`ifdef FORMAL_REACH
      // An answer that comes after the whole operation
      assert (!(ended_q && rsp_valid[0] && $past(rd_addr_i == ((Program == Cluster) ? ClusterCountOffset : ResultOffset)) && rd_data[0] != '0));
`else
      assert (wr_ready[0] == wr_ready[1]);
      assert (!(wr_valid && wr_ready[0]) || wr_error[0] == wr_error[1]);
      assert (rd_ready[0] == rd_ready[1] && rsp_valid[0] == rsp_valid[1]);
      assert (!rsp_valid[0] || (rd_data[0] == rd_data[1] && rd_error[0] == rd_error[1]));
      assert (busy[0] == busy[1] && irq[0] == irq[1]);
`endif
    end
  end

endmodule
