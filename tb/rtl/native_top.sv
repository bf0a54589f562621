// SPDX-License-Identifier: Apache-2.0
//
// sched_native behind AXI4-Lite. From sched_axil only the plain write reaches it, without the
// decoding, and with the strobes as the master gave them. It has the pins of sched_top and must do
// the same in every cycle.
//
// Parameters:
//   Entries   entries of the command table, see sched_core
//   Lanes     entries evaluated in a cycle
//   OrderM    most commands whose best order is found
//   AngleW    bits of an angle
//   CylW      bits of a cylinder number
//   SegM      mantissa bits of the seek table
//   SegW      2^SegW segments of the seek table
//   SeqW      bits of an insertion number
//   Features  optional parts
// Latency:    That of sched_top.
// Handshake:  That of sched_top.

module native_top
  import sched_pkg::*;
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
  // Opens the clock gates; low in operation.
  input  logic             scan_en_i,
  // Write address: s_axil_awvalid_i, s_axil_awready_o, s_axil_awaddr_i.
  input  logic             s_axil_awvalid_i,
  output logic             s_axil_awready_o,
  input  logic [AddrW-1:0] s_axil_awaddr_i,
  // Write data: s_axil_wvalid_i, s_axil_wready_o, s_axil_wdata_i with the byte strobes
  // s_axil_wstrb_i.
  input  logic             s_axil_wvalid_i,
  output logic             s_axil_wready_o,
  input  logic [31:0]      s_axil_wdata_i,
  input  logic [3:0]       s_axil_wstrb_i,
  // Write response: s_axil_bvalid_o, s_axil_bready_i, s_axil_bresp_o (OKAY 00, SLVERR 10).
  output logic             s_axil_bvalid_o,
  input  logic             s_axil_bready_i,
  output logic [1:0]       s_axil_bresp_o,
  // Read address: s_axil_arvalid_i, s_axil_arready_o, s_axil_araddr_i.
  input  logic             s_axil_arvalid_i,
  output logic             s_axil_arready_o,
  input  logic [AddrW-1:0] s_axil_araddr_i,
  // Read response: s_axil_rvalid_o, s_axil_rready_i, s_axil_rdata_o, s_axil_rresp_o (OKAY 00,
  // SLVERR 10).
  output logic             s_axil_rvalid_o,
  input  logic             s_axil_rready_i,
  output logic [31:0]      s_axil_rdata_o,
  output logic [1:0]       s_axil_rresp_o,
  // Work is under way, a level.
  output logic             busy_o,
  // Interrupt, a level.
  output logic             irq_o
);

  write_t           write;
  logic             wr_ready, wr_error, rd_valid, rd_ready, rsp_valid, rsp_ready, rd_error;
  logic [AddrW-1:0] rd_addr;
  logic [31:0]      rd_data;
  logic [3:0]       strb_q;

  // Strobes of the data that are held, while WREADY is low
  always_ff @(posedge clk_i) begin
    if (s_axil_wvalid_i && s_axil_wready_o) begin
      strb_q <= s_axil_wstrb_i;
    end
  end

  sched_axil u_axil (
    .clk_i, .rst_ni,
    .s_axil_awvalid_i, .s_axil_awready_o, .s_axil_awaddr_i,
    .s_axil_wvalid_i, .s_axil_wready_o, .s_axil_wdata_i, .s_axil_wstrb_i,
    .s_axil_bvalid_o, .s_axil_bready_i, .s_axil_bresp_o,
    .s_axil_arvalid_i, .s_axil_arready_o, .s_axil_araddr_i,
    .s_axil_rvalid_o, .s_axil_rready_i, .s_axil_rdata_o, .s_axil_rresp_o,
    .write_o(write), .wr_ready_i(wr_ready), .wr_bad_i(wr_error), .wr_refused_i(1'b0),
    .rd_valid_o(rd_valid), .rd_ready_i(rd_ready), .rd_addr_o(rd_addr),
    .rsp_valid_i(rsp_valid), .rsp_ready_o(rsp_ready), .rd_data_i(rd_data), .rd_error_i(rd_error)
  );

  sched_native #(
    .Entries(Entries), .Lanes(Lanes), .OrderM(OrderM), .AngleW(AngleW), .CylW(CylW), .SegM(SegM),
    .SegW(SegW), .SeqW(SeqW), .Features(Features)
  ) u_native (
    .clk_i, .rst_ni, .scan_en_i,
    .wr_valid_i(write.valid), .wr_ready_o(wr_ready), .wr_addr_i(write.addr),
    .wr_data_i(write.data), .wr_strb_i(s_axil_wready_o ? s_axil_wstrb_i : strb_q),
    .wr_error_o(wr_error), .rd_valid_i(rd_valid), .rd_ready_o(rd_ready), .rd_addr_i(rd_addr),
    .rsp_valid_o(rsp_valid), .rsp_ready_i(rsp_ready), .rd_data_o(rd_data), .rd_error_o(rd_error),
    .busy_o, .irq_o
  );

endmodule
