// SPDX-License-Identifier: Apache-2.0
//
// Proof: the clock gates change nothing that can be seen. Two accelerators with the same inputs from the same reset on, one whose gates
// work (scan_en_i low), one whose gates are open (scan_en_i high): every output is the same in every cycle. Both are synthesized with
// SCHED_CLOCK_GATES; registers behind a gate become registers with an enable (formalff -declockgate). What no reset clears begins with
// zeros in both. Looks at ports only.

module formal_gates
  import sched_pkg::*;
#(
  parameter int unsigned Entries = 4,
  parameter int unsigned Lanes = 1,
  parameter int unsigned OrderM = 0
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             wr_valid_i,
  input logic             wr_whole_i,
  input logic [AddrW-1:0] wr_addr_i,
  input logic [31:0]      wr_data_i,
  input logic             rd_valid_i,
  input logic [AddrW-1:0] rd_addr_i,
  input logic             rsp_ready_i
);

  logic [1:0]       wr_ready, wr_error, rd_ready, rsp_valid, rd_error, busy, irq;
  logic [1:0][31:0] rd_data;
  logic             started_q = 1'b0;

  sched_native #(
    .Entries(Entries), .Lanes(Lanes), .OrderM(OrderM), .AngleW(12), .CylW(8), .SegM(2), .SegW(5)
  ) u_gated (
    .clk_i, .rst_ni, .scan_en_i(1'b0), .wr_valid_i, .wr_ready_o(wr_ready[0]), .wr_addr_i, .wr_data_i, .wr_strb_i({wr_whole_i, 3'b111}),
    .wr_error_o(wr_error[0]), .rd_valid_i, .rd_ready_o(rd_ready[0]), .rd_addr_i, .rsp_valid_o(rsp_valid[0]), .rsp_ready_i,
    .rd_data_o(rd_data[0]), .rd_error_o(rd_error[0]), .busy_o(busy[0]), .irq_o(irq[0])
  );

  sched_native #(
    .Entries(Entries), .Lanes(Lanes), .OrderM(OrderM), .AngleW(12), .CylW(8), .SegM(2), .SegW(5)
  ) u_open (
    .clk_i, .rst_ni, .scan_en_i(1'b1), .wr_valid_i, .wr_ready_o(wr_ready[1]), .wr_addr_i, .wr_data_i, .wr_strb_i({wr_whole_i, 3'b111}),
    .wr_error_o(wr_error[1]), .rd_valid_i, .rd_ready_o(rd_ready[1]), .rd_addr_i, .rsp_valid_o(rsp_valid[1]), .rsp_ready_i,
    .rd_data_o(rd_data[1]), .rd_error_o(rd_error[1]), .busy_o(busy[1]), .irq_o(irq[1])
  );

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    assume (started_q || !rst_ni);
    // A step is what is there just before an edge: the clock is low, and the gates' latches let their enables through.
    assume (!clk_i);
    if (started_q) begin
      assert (wr_ready[0] == wr_ready[1]);
      assert (!(wr_valid_i && wr_ready[0]) || wr_error[0] == wr_error[1]);
      assert (rd_ready[0] == rd_ready[1] && rsp_valid[0] == rsp_valid[1]);
      assert (!rsp_valid[0] || (rd_data[0] == rd_data[1] && rd_error[0] == rd_error[1]));
      assert (busy[0] == busy[1] && irq[0] == irq[1]);
    end
  end

endmodule
