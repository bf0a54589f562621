// SPDX-License-Identifier: Apache-2.0
//
// A first simulation of platter_sched_axi, for any simulator. It fills the seek table, enters four
// commands over the bus, takes the interrupt, and serves the commands that are picked. It ends with
// "platter_sched_tb: passed", or with $fatal. The costs are simple enough to be stated in the
// comments.
//
// Parameters:
//   Entries           see platter_sched_axi
//   Lanes             see platter_sched_axi
//   OrderM            see platter_sched_axi
//   Features          see platter_sched_axi
//   PrivilegedWrites  see platter_sched_axi
//   SecureWrites      see platter_sched_axi
// Latency:    None.
// Handshake:  None.

module platter_sched_tb #(
  parameter int unsigned Entries = 8,
  parameter int unsigned Lanes = 2,
  parameter int unsigned OrderM = 0,
  parameter int unsigned Features = 0,
  parameter bit          PrivilegedWrites = 1'b1,
  parameter bit          SecureWrites = 1'b0
);

  timeunit 1ns;
  timeprecision 1ps;

  import sched_reg_pkg::*;

  localparam int unsigned CylW = 10;
  localparam int unsigned SegM = 2;
  localparam int unsigned Cells = (CylW - SegM + 1) << SegM;
  localparam int unsigned Turn = 4096;    // ticks
  localparam int unsigned Overhead = 10;  // ticks

  logic        aclk = 1'b0;
  logic        aresetn = 1'b0;
  logic [11:0] s_axi_awaddr = '0, s_axi_araddr = '0;
  logic [2:0]  s_axi_awprot = 3'b001;
  logic        s_axi_awvalid = 1'b0, s_axi_wvalid = 1'b0, s_axi_arvalid = 1'b0, s_axi_bready = 1'b0,
               s_axi_rready = 1'b0;
  logic        s_axi_awready, s_axi_wready, s_axi_arready, s_axi_bvalid, s_axi_rvalid;
  logic [31:0] s_axi_wdata = '0, s_axi_rdata;
  logic [3:0]  s_axi_wstrb = '1;
  logic [1:0]  s_axi_bresp, s_axi_rresp;
  logic        busy, irq;

  platter_sched_axi #(
    .Entries(Entries), .Lanes(Lanes), .OrderM(OrderM), .AngleW(12), .CylW(CylW), .SegM(SegM),
    .SegW(6), .Features(Features), .PrivilegedWrites(PrivilegedWrites), .SecureWrites(SecureWrites)
  ) u_dut (
    .scan_en(1'b0),
    .s_axi_arprot(3'b000),
    .*
  );

  always #5 aclk = !aclk;

  // All inputs change at the falling edge. An access is offered until it is taken.
  task automatic write_raw(input logic [11:0] address, input logic [31:0] data,
                           output logic [1:0] response);
    logic address_taken, data_taken;
    @(negedge aclk);
    s_axi_awaddr = address;
    s_axi_wdata = data;
    s_axi_awvalid = 1'b1;
    s_axi_wvalid = 1'b1;
    s_axi_bready = 1'b1;
    while (s_axi_awvalid || s_axi_wvalid) begin
      address_taken = s_axi_awready;
      data_taken = s_axi_wready;
      @(negedge aclk);
      s_axi_awvalid = s_axi_awvalid && !address_taken;
      s_axi_wvalid = s_axi_wvalid && !data_taken;
    end
    while (!s_axi_bvalid) @(negedge aclk);
    response = s_axi_bresp;
    @(negedge aclk);
    s_axi_bready = 1'b0;
  endtask

  // A write that must be accepted
  task automatic write(input logic [11:0] address, input logic [31:0] data);
    logic [1:0] response;
    write_raw(address, data, response);
    if (response != 2'b00) $fatal(1, "the write to 0x%03x was refused", address);
  endtask

  // A read whose data must be those that are wanted
  task automatic check(input string name, input logic [11:0] address, input logic [31:0] wanted);
    logic taken;
    @(negedge aclk);
    s_axi_araddr = address;
    s_axi_arvalid = 1'b1;
    s_axi_rready = 1'b1;
    do begin
      taken = s_axi_arready;
      @(negedge aclk);
    end while (!taken);
    s_axi_arvalid = 1'b0;
    while (!s_axi_rvalid) @(negedge aclk);
    if (s_axi_rresp != 2'b00) $fatal(1, "the read of %s was refused", name);
    if (s_axi_rdata != wanted)
      $fatal(1, "%s is 0x%08x, expected 0x%08x", name, s_axi_rdata, wanted);
    @(negedge aclk);
    s_axi_rready = 1'b0;
  endtask

  // A read of one block: only its place is given.
  task automatic insert(input logic [15:0] tag, input logic [9:0] cylinder,
                        input logic [11:0] angle);
    write(EPosOffset, 32'(cylinder));
    write(EAngleOffset, 32'(angle));
    write(EEndPosOffset, 32'(cylinder));
    write(EEndAngleOffset, 32'(angle) + 32'd20);
    write(InsertOffset, 32'(tag));
  endtask

  // A decision that must pick this tag with this key
  task automatic decide(input logic [7:0] tag, input logic [31:0] key);
    write(ClearOffset, 32'd1 << ClearDoneLsb);
    if (irq) $fatal(1, "the interrupt stays");
    write(OpOffset, 32'd0);
    while (!irq) @(negedge aclk);
    check("RESULT", ResultOffset, 32'(tag) | 32'd1 << ResultValidLsb);
    check("RESULT_KEY", ResultKeyOffset, key);
    check("CYCLES", CyclesOffset, Entries / Lanes + DecisionLatency);
  endtask

  logic [1:0] response;

  initial begin
    repeat (4) @(negedge aclk);
    aresetn = 1'b1;
    check("ID", IdOffset, IdValue);
    check("PARAMS", ParamsOffset, Entries | Lanes << ParamsLanesLsb | 12 << ParamsAngleWLsb |
          CylW << ParamsCylWLsb | SegM << ParamsSegMLsb | 6 << ParamsSegWLsb);

    // Every cell is one segment. A seek over a distance of cell n takes 100 n ticks, so distance 0
    // takes no time.
    write(SeekIndexOffset, '0);
    write(SeekCellOffset, '0);
    for (int unsigned index = 0; index < Cells; index++) begin
      write(SeekBaseOffset, 100 * index);
      write(SeekDeltaOffset, '0);
      write(SeekLastOffset, 32'h007F_007F);
      write(SeekGroupOffset, index | 32'h007F_0000);
    end
    write(OverheadRrOffset, Overhead);
    write(CtrlOffset, 32'd1 << CtrlIrqEnLsb);

    // The head is at cylinder 0, angle 0. Command 3 passes 500 ticks later, command 0 300 ticks
    // later. Command 1 passes before the overhead is over, so it is reached one turn later.
    // Command 2 is four cylinders away, which takes 400 ticks.
    insert(16'd3, 10'd0, 12'd500);
    insert(16'd0, 10'd0, 12'd300);
    insert(16'd1, 10'd0, 12'd5);
    insert(16'd2, 10'd4, 12'd415);
    decide(8'd0, 32'd300);
    write(ServeOffset, 32'd0);
    // From the end of command 0, at angle 320, command 3 is 180 ticks away. Command 2 is reached
    // one turn later.
    write(HeadTimeOffset, 32'd320);
    decide(8'd3, 32'd180);
    write(ServeOffset, 32'd3);
    write(HeadTimeOffset, 32'd520);
    // From angle 520, command 1 passes first.
    decide(8'd1, 32'(Turn) + 32'd5 - 32'd520);

    // An INSERT of a tag in use is refused, and so is an unprivileged write if privilege counts.
    write_raw(InsertOffset, 32'd1, response);
    if (response != 2'b10) $fatal(1, "a tag in use was accepted");
    s_axi_awprot = 3'b000;
    write_raw(ClearOffset, 32'd1 << ClearSoftResetLsb, response);
    if (response != (PrivilegedWrites ? 2'b10 : 2'b00))
      $fatal(1, "privilege does not count as it should");
    s_axi_awprot = 3'b001;
    check("STATUS", StatusOffset, PrivilegedWrites ? 32'h0000_0206 : 32'h0);
    if (busy) $fatal(1, "busy at the end");
    $display("platter_sched_tb: passed");
    $finish;
  end

  initial begin
    #1ms;
    $fatal(1, "it hangs");
  end

endmodule
