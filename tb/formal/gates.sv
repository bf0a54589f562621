// SPDX-License-Identifier: Apache-2.0
//
// Proof: the clock gates have no visible effect. Two accelerators have the same inputs from the
// same reset on. One has clock gates (SCHED_CLOCK_GATES). The other is built without them
// (sched_native_open, which scripts/formal makes from the same sources). Every output is the same
// in every cycle. Registers behind a gate become registers with an enable (formalff -declockgate).
// Registers that no reset clears begin with zero in both. The harness looks at ports only.
//
// Program 0: any accesses in any cycle, with any scan_en_i. A bound of so few cycles contains no
// whole decision.
//
// Programs 1 to 4: a fixed order of writes in fixed cycles, which ends with a whole operation. The
// operations are DECIDE, DECIDE with the guard and a sweep, DECIDE that looks ahead, and CLUSTER
// with its order. Tags and control bits are fixed. Positions, angles, times and weights are free,
// and so are all reads and the cycles in which a response is taken. scan_en_i is low.
//
// Parameters:
//   Entries   as in sched_native
//   Lanes     as in sched_native
//   OrderM    as in sched_native
//   AngleW    as in sched_native
//   CylW      as in sched_native
//   SegM      as in sched_native
//   SegW      as in sched_native
//   Features  as in sched_native
//   Program   0 to 4, see above

// It has no parameters: scripts/formal builds it with those of the other one.
(* blackbox *)
module sched_native_open
  import sched_pkg::*;
(
  // The ports are those of sched_native: clk_i, rst_ni, scan_en_i and the following.
  input  logic             clk_i,
  // Synchronous reset, active low.
  input  logic             rst_ni,
  // Not used without gates.
  input  logic             scan_en_i,
  // Write: wr_valid_i, wr_ready_o, wr_addr_i, wr_data_i, wr_strb_i, wr_error_o.
  input  logic             wr_valid_i,
  output logic             wr_ready_o,
  input  logic [AddrW-1:0] wr_addr_i,
  input  logic [31:0]      wr_data_i,
  input  logic [3:0]       wr_strb_i,
  output logic             wr_error_o,
  // Read: rd_valid_i, rd_ready_o, rd_addr_i.
  input  logic             rd_valid_i,
  output logic             rd_ready_o,
  input  logic [AddrW-1:0] rd_addr_i,
  // Answer to a read: rsp_valid_o, rsp_ready_i, rd_data_o, rd_error_o.
  output logic             rsp_valid_o,
  input  logic             rsp_ready_i,
  output logic [31:0]      rd_data_o,
  output logic             rd_error_o,
  // Work is under way.
  output logic             busy_o,
  // Interrupt.
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
  // Clock, rising edge.
  input logic             clk_i,
  // Synchronous reset, active low; any value after the first cycle, in program 0.
  input logic             rst_ni,
  // Scan enable of the gates; any value, in program 0.
  input logic             scan_en_i,

  // --- Any value in each cycle; a program fixes some of them
  // A write is offered.
  input logic             wr_valid_i,
  // Its byte strobes.
  input logic [3:0]       wr_strb_i,
  // Its address.
  input logic [AddrW-1:0] wr_addr_i,
  // Its data.
  input logic [31:0]      wr_data_i,
  // A read is offered.
  input logic             rd_valid_i,
  // Its address.
  input logic [AddrW-1:0] rd_addr_i,
  // The answer to a read is taken.
  input logic             rsp_ready_i
);

  localparam int unsigned Decide = 1, Guarded = 2, Ahead = 3, Cluster = 4;
  localparam logic [31:0] Continuous = 32'd1 << EPosClassLsb;
  localparam logic [31:0] Guard = 32'd1 << CtrlGuardEnLsb;
  localparam logic [31:0] OneAhead = (32'd1 << AheadMostLsb) | (32'd1 << AheadDepthLsb);
  // Half of what that access costs: RESULT_KEY then shows it.
  localparam logic [31:0] Half = 32'd128 << AheadShareFirstLsb;
  localparam logic [31:0] InOrder = (32'd1 << ClusterTakeCLsb) | (32'd1 << ClusterTakeDLsb) |
                                    (32'd1 << ClusterOrderLsb);

  logic             started_q = 1'b0;
  logic [7:0]       cycle_q = '0;
  logic             rst_n, scan_en, wr_valid;
  logic [3:0]       wr_strb;
  logic [AddrW-1:0] wr_addr;
  logic [31:0]      wr_data, known, value;      // bits that a program fixes, and their values

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
      // One write every two cycles. An INSERT takes at most s + 2 cycles.
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
        8'd28: {wr_addr, known, value} = (Program == Ahead) ?
                   {AheadShareOffset, 32'hFFFFFFFF, Half} :
                   {CtrlOffset, 32'hFFFFFFFF, (Program == Guarded) ? Guard : 32'd0};
        8'd30: {wr_addr, known, value} = (Program == Cluster) ?
                   {ClusterOffset, 32'hFFFFFFFF, InOrder} :
                   {AheadOffset, 32'hFFFFFFFF, (Program == Ahead) ? OneAhead : 32'd0};
        8'd32: {wr_addr, known, value} = (Program == Cluster) ?
                   {ClusterSpanOffset, 32'hFFFFFFFF, 32'hFFFFFFFF} :
                   {HeadPosOffset, 32'd0, 32'd0};
        8'd34: wr_addr = (Program == Cluster) ? DelayOffset : HeadTimeOffset;
        8'd36: {wr_addr, known, value} = {OpOffset, 32'hFFFFFFFF, 32'(Program == Cluster)};
        default: wr_valid = 1'b0;
      endcase
      // No limits. The second entry is the sweep, if the program has one.
      if (wr_addr == EPosOffset)
        {known, value} = {32'd3 << EPosClassLsb | 32'd3 << EPosLimitLsb,
                          (Program == Guarded && cycle_q == 8'd16) ? Continuous : 32'd0};
    end
    wr_data = (wr_data_i & ~known) | value;
  end

  logic [1:0]       wr_ready, wr_error, rd_ready, rsp_valid, rd_error, busy, irq;
  logic [1:0][31:0] rd_data;

  sched_native #(
    .Entries(Entries), .Lanes(Lanes), .OrderM(OrderM), .AngleW(AngleW), .CylW(CylW), .SegM(SegM),
    .SegW(SegW), .Features(Features)
  ) u_gated (
    .clk_i, .rst_ni(rst_n), .scan_en_i(scan_en), .wr_valid_i(wr_valid), .wr_ready_o(wr_ready[0]),
    .wr_addr_i(wr_addr), .wr_data_i(wr_data),
    .wr_strb_i(wr_strb), .wr_error_o(wr_error[0]), .rd_valid_i, .rd_ready_o(rd_ready[0]),
    .rd_addr_i, .rsp_valid_o(rsp_valid[0]), .rsp_ready_i,
    .rd_data_o(rd_data[0]), .rd_error_o(rd_error[0]), .busy_o(busy[0]), .irq_o(irq[0])
  );

  sched_native_open u_open (
    .clk_i, .rst_ni(rst_n), .scan_en_i(scan_en), .wr_valid_i(wr_valid), .wr_ready_o(wr_ready[1]),
    .wr_addr_i(wr_addr), .wr_data_i(wr_data),
    .wr_strb_i(wr_strb), .wr_error_o(wr_error[1]), .rd_valid_i, .rd_ready_o(rd_ready[1]),
    .rd_addr_i, .rsp_valid_o(rsp_valid[1]), .rsp_ready_i,
    .rd_data_o(rd_data[1]), .rd_error_o(rd_error[1]), .busy_o(busy[1]), .irq_o(irq[1])
  );

`ifdef FORMAL_REACH
  // The operation has begun, and has ended
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
    // A step is the state just before an edge. The clock is then low, and the gates' latches are
    // transparent.
    assume (!clk_i);
    if (started_q) begin
`ifdef FORMAL_REACH
      // Reached: an answer after the whole operation
      a_never_answer_after_operation: assert (!(ended_q && rsp_valid[0] &&
                                              $past(rd_addr_i ==
                                              ((Program == Cluster) ? ClusterCountOffset :
                                              ResultOffset)) && rd_data[0] != '0));
`else
      a_same_write_ready: assert (wr_ready[0] == wr_ready[1]);
      a_same_write_error: assert (!(wr_valid && wr_ready[0]) || wr_error[0] == wr_error[1]);
      a_same_read_handshake: assert (rd_ready[0] == rd_ready[1] && rsp_valid[0] == rsp_valid[1]);
      a_same_answer: assert (!rsp_valid[0] ||
                             (rd_data[0] == rd_data[1] && rd_error[0] == rd_error[1]));
      a_same_state: assert (busy[0] == busy[1] && irq[0] == irq[1]);
`endif
    end
  end

endmodule
