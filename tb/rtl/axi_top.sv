// SPDX-License-Identifier: Apache-2.0
//
// platter_sched_axi with the pin names of sched_top and AWPROT, so that the bench can drive it.
// Both rights are required. It has no SeqW; insertion numbers have 24 bits.
//
// Parameters:
//   Entries   entries of the command table, see platter_sched_axi
//   Lanes     entries evaluated in a cycle
//   OrderM    most commands whose best order is found
//   AngleW    bits of an angle
//   CylW      bits of a cylinder number
//   SegM      mantissa bits of the seek table
//   SegW      2^SegW segments of the seek table
//   Features  optional parts
// Latency:    That of platter_sched_axi.
// Handshake:  That of platter_sched_axi.

module axi_top
  import sched_pkg::*;
#(
  parameter int unsigned Entries = 32,
  parameter int unsigned Lanes = 4,
  parameter int unsigned OrderM = 6,
  parameter int unsigned AngleW = 16,
  parameter int unsigned CylW = 18,
  parameter int unsigned SegM = 5,
  parameter int unsigned SegW = 9,
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
  // Protection of the write, valid with s_axil_awvalid_i: bit 0 privileged, bit 1 non-secure.
  input  logic [2:0]       s_axil_awprot_i,
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

  platter_sched_axi #(
    .Entries(Entries), .Lanes(Lanes), .OrderM(OrderM), .AngleW(AngleW), .CylW(CylW), .SegM(SegM),
    .SegW(SegW), .Features(Features), .PrivilegedWrites(1'b1), .SecureWrites(1'b1)
  ) u_axi (
    .aclk(clk_i), .aresetn(rst_ni), .scan_en(scan_en_i),
    .s_axi_awaddr(s_axil_awaddr_i), .s_axi_awprot(s_axil_awprot_i),
    .s_axi_awvalid(s_axil_awvalid_i), .s_axi_awready(s_axil_awready_o),
    .s_axi_wdata(s_axil_wdata_i), .s_axi_wstrb(s_axil_wstrb_i),
    .s_axi_wvalid(s_axil_wvalid_i), .s_axi_wready(s_axil_wready_o),
    .s_axi_bresp(s_axil_bresp_o), .s_axi_bvalid(s_axil_bvalid_o), .s_axi_bready(s_axil_bready_i),
    .s_axi_araddr(s_axil_araddr_i), .s_axi_arprot(3'b000),
    .s_axi_arvalid(s_axil_arvalid_i), .s_axi_arready(s_axil_arready_o),
    .s_axi_rdata(s_axil_rdata_o), .s_axi_rresp(s_axil_rresp_o),
    .s_axi_rvalid(s_axil_rvalid_o), .s_axi_rready(s_axil_rready_i),
    .busy(busy_o), .irq(irq_o)
  );

endmodule
