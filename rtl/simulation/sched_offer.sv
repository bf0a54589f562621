// SPDX-License-Identifier: Apache-2.0
//
// Top of the fast simulation: sched_top behind registers that hold the bus master's offers. So an
// evaluation in which only the clock changes computes no logic of the pins. Both edges of the clock
// count, for which rtl/CMakeLists.txt copies the sources.
//
// Parameters: those of sched_top but SeqW
// Latency:    That of sched_top, without a further cycle.
// Handshake:  A change of offer_i while the clock does not change loads the reset and the offers.
//             Each offer ends with the edge that takes it. The master is always ready for a
//             response.

module sched_offer
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
  // Clock; both edges count.
  input  logic             clk_i,
  // Each change loads rst_ni, the offers, addr_i and data_i.
  input  logic             offer_i,
  // Synchronous reset of sched_top, active low; loaded by offer_i.
  input  logic             rst_ni,
  // Offer a write of data_i to addr_i; loaded by offer_i.
  input  logic             write_i,
  // Offer a read of addr_i; loaded by offer_i.
  input  logic             read_i,
  // Byte address; loaded by offer_i.
  input  logic [AddrW-1:0] addr_i,
  // Data to write; loaded by offer_i.
  input  logic [31:0]      data_i,

  // --- Outputs
  // An offer has not been taken yet.
  output logic             offers_o,
  // A write response is given in this cycle.
  output logic             bvalid_o,
  // OKAY (00) or SLVERR (10), valid with bvalid_o.
  output logic [1:0]       bresp_o,
  // A read response is given in this cycle.
  output logic             rvalid_o,
  // Data read, valid with rvalid_o.
  output logic [31:0]      rdata_o,
  // OKAY (00) or SLVERR (10), valid with rvalid_o.
  output logic [1:0]       rresp_o,
  // Work is under way (STATUS.BUSY), a level.
  output logic             busy_o,
  // Interrupt, a level.
  output logic             irq_o
);

  logic             offer_q, rst_nq, awvalid_q, wvalid_q, arvalid_q, awready, wready, arready;
  logic [AddrW-1:0] addr_q;
  logic [31:0]      data_q;

  initial begin
    offer_q = 1'b0;
    rst_nq = 1'b0;
    awvalid_q = 1'b0;
    wvalid_q = 1'b0;
    arvalid_q = 1'b0;
  end

  assign offers_o = awvalid_q || wvalid_q || arvalid_q;

  // This clock runs until every offer is taken.
  logic taking_clk;

  sched_clock_gate u_taking_clock (.clk_i, .en_i(offers_o), .scan_en_i(1'b0), .clk_o(taking_clk));

  always @(edge taking_clk or edge offer_i) begin
    if (offer_i != offer_q) begin
      offer_q <= offer_i;
      rst_nq <= rst_ni;
      awvalid_q <= write_i;
      wvalid_q <= write_i;
      arvalid_q <= read_i;
      addr_q <= addr_i;
      data_q <= data_i;
    end else begin
      awvalid_q <= awvalid_q && !awready;
      wvalid_q <= wvalid_q && !wready;
      arvalid_q <= arvalid_q && !arready;
    end
  end

  sched_top #(
    .Entries(Entries), .Lanes(Lanes), .OrderM(OrderM), .AngleW(AngleW), .CylW(CylW), .SegM(SegM), .SegW(SegW),
    .Features(Features)
  ) u_top (
    .clk_i,
    .rst_ni          (rst_nq),
    .scan_en_i       (1'b0),
    .s_axil_awvalid_i(awvalid_q),
    .s_axil_awready_o(awready),
    .s_axil_awaddr_i (addr_q),
    .s_axil_wvalid_i (wvalid_q),
    .s_axil_wready_o (wready),
    .s_axil_wdata_i  (data_q),
    .s_axil_wstrb_i  (4'b1111),
    .s_axil_bvalid_o (bvalid_o),
    .s_axil_bready_i (1'b1),
    .s_axil_bresp_o  (bresp_o),
    .s_axil_arvalid_i(arvalid_q),
    .s_axil_arready_o(arready),
    .s_axil_araddr_i (addr_q),
    .s_axil_rvalid_o (rvalid_o),
    .s_axil_rready_i (1'b1),
    .s_axil_rdata_o  (rdata_o),
    .s_axil_rresp_o  (rresp_o),
    .busy_o,
    .irq_o
  );

endmodule
