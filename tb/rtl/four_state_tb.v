// SPDX-License-Identifier: Apache-2.0
//
// Replays the vectors of vectors.cpp on the synthesized design in a simulator with four states: registers and memories are
// unknown at first. After the reset no output may be unknown, and what the vectors compare must be as they say.

`timescale 1ns / 1ps

module four_state_tb;

  reg         clk = 1'b0;
  reg         rst_n = 1'b0;
  reg         awvalid = 1'b0, wvalid = 1'b0, bready = 1'b0, arvalid = 1'b0, rready = 1'b0;
  reg  [3:0]  wstrb = 4'd0;
  reg  [11:0] awaddr = 12'd0, araddr = 12'd0;
  reg  [31:0] wdata = 32'd0;
  wire        awready, wready, bvalid, arready, rvalid, irq, busy;
  wire [1:0]  bresp, rresp;
  wire [31:0] rdata;

  sched_top dut (
    .clk_i           (clk),
    .rst_ni          (rst_n),
    .s_axil_awvalid_i(awvalid),
    .s_axil_awready_o(awready),
    .s_axil_awaddr_i (awaddr),
    .s_axil_wvalid_i (wvalid),
    .s_axil_wready_o (wready),
    .s_axil_wdata_i  (wdata),
    .s_axil_wstrb_i  (wstrb),
    .s_axil_bvalid_o (bvalid),
    .s_axil_bready_i (bready),
    .s_axil_bresp_o  (bresp),
    .s_axil_arvalid_i(arvalid),
    .s_axil_arready_o(arready),
    .s_axil_araddr_i (araddr),
    .s_axil_rvalid_o (rvalid),
    .s_axil_rready_i (rready),
    .s_axil_rdata_o  (rdata),
    .s_axil_rresp_o  (rresp),
    .irq_o           (irq),
    .busy_o          (busy)
  );

  wire [43:0] seen = {awready, wready, bvalid, arready, rvalid, irq, busy, 1'b0, bresp, rresp, rdata};
  reg  [67:0] inputs;
  reg  [43:0] expected, compared;
  reg  [1023:0] name;
  integer     file, count, cycle, resets, errors;

  initial begin
    if (!$value$plusargs("vectors=%s", name)) begin
      $display("four_state_tb: +vectors=FILE is missing");
      $finish;
    end
    file = $fopen(name, "r");
    cycle = 0;
    resets = 0;
    errors = 0;
    while (!$feof(file) && errors < 20) begin
      count = $fscanf(file, "%h %h %h\n", inputs, expected, compared);
      if (count == 3) begin
        {rst_n, awvalid, wvalid, bready, arvalid, rready} = inputs[65:60];
        wstrb = inputs[59:56];
        awaddr = inputs[55:44];
        araddr = inputs[43:32];
        wdata = inputs[31:0];
        #5;
        if (!rst_n) begin
          resets = resets + 1;
        end else begin
          if (resets == 0) begin
            $display("four_state_tb: no reset at the beginning");
            errors = errors + 1;
          end
          if ((^seen) === 1'bx) begin
            $display("cycle %0d: an output is unknown: %b", cycle, seen);
            errors = errors + 1;
          end
          if (((seen ^ expected) & compared) !== 44'd0) begin
            $display("cycle %0d: outputs %h, expected %h in the bits %h", cycle, seen, expected, compared);
            errors = errors + 1;
          end
        end
        clk = 1'b1;
        #5;
        clk = 1'b0;
        cycle = cycle + 1;
      end
    end
    $display("%0d cycles, %0d of them reset, %0d errors", cycle, resets, errors);
    if (errors == 0 && cycle > 1000) $display("PASSED");
    $finish;
  end

endmodule
