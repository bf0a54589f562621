// SPDX-License-Identifier: Apache-2.0
//
// The scheduling accelerator with the standard names of an AXI4-Lite slave, protection included.
// This is the module that an integrator instantiates.
//
// Parameters:
//   Entries           entries of the command table, 4 to 256, a multiple of Lanes
//   Lanes             entries evaluated in a cycle: 1, 2, 4, 8 or 16
//   OrderM            most commands whose best order is found, 2 to 12, at most Entries; 0: no
//                     orderer
//   AngleW            one turn is 2^AngleW ticks, 12 to 20
//   CylW              bits of a cylinder number, 8 to 21
//   SegM              mantissa bits that index the cells of the seek table, 2 to 5
//   SegW              2^SegW segments of the seek table, SegW at most 10, and 2^SegW at least the
//                     number of cells, (CylW - SegM + 1) * 2^SegM
//   Features          optional parts, a sum: 1 ageing, 2 look-ahead, 4 limits, 8 zero latency; 0:
//                     none
//   PrivilegedWrites  1: a write with AWPROT[0] = 0 (unprivileged) receives SLVERR and changes
//                     nothing but the counter STALL_CYCLES, if it waited
//   SecureWrites      1: the same for a write with AWPROT[1] = 1 (non-secure)
// Latency:    That of sched_top; the wrapper adds no cycle.
// Handshake:  AXI4-Lite. A write that lacks a right is answered like one to an address without a
//             register, so it waits while the accelerator is busy. Reads change nothing and are
//             never refused. AWPROT[2] and ARPROT are ignored. busy and irq are levels, high when
//             active. aresetn is sampled at the rising edge of aclk.

module platter_sched_axi #(
  parameter int unsigned Entries = 32,
  parameter int unsigned Lanes = 4,
  parameter int unsigned OrderM = 6,
  parameter int unsigned AngleW = 16,
  parameter int unsigned CylW = 18,
  parameter int unsigned SegM = 5,
  parameter int unsigned SegW = 9,
  parameter int unsigned Features = 0,
  parameter bit          PrivilegedWrites = 1'b0,
  parameter bit          SecureWrites = 1'b0
) (
  // Clock, rising edge.
  (* X_INTERFACE_INFO = "xilinx.com:signal:clock:1.0 aclk CLK" *)
  (* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF s_axi, ASSOCIATED_RESET aresetn" *)
  input  logic        aclk,
  // Synchronous reset, active low.
  (* X_INTERFACE_INFO = "xilinx.com:signal:reset:1.0 aresetn RST" *)
  (* X_INTERFACE_PARAMETER = "POLARITY ACTIVE_LOW" *)
  input  logic        aresetn,
  // Opens the clock gates, for a scan test; low in operation.
  input  logic        scan_en,

  // --- Write address
  // Byte address, valid with s_axi_awvalid.
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi AWADDR" *)
  input  logic [11:0] s_axi_awaddr,
  // Protection, valid with s_axi_awvalid: bit 0 privileged, bit 1 non-secure; bit 2 is ignored.
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi AWPROT" *)
  input  logic [2:0]  s_axi_awprot,
  // The master offers a write address.
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi AWVALID" *)
  input  logic        s_axi_awvalid,
  // High while no write address is held.
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi AWREADY" *)
  output logic        s_axi_awready,

  // --- Write data
  // Data, valid with s_axi_wvalid.
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi WDATA" *)
  input  logic [31:0] s_axi_wdata,
  // Byte strobes, valid with s_axi_wvalid; other than 1111 is an error.
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi WSTRB" *)
  input  logic [3:0]  s_axi_wstrb,
  // The master offers write data.
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi WVALID" *)
  input  logic        s_axi_wvalid,
  // High while no write data are held.
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi WREADY" *)
  output logic        s_axi_wready,

  // --- Write response
  // OKAY (00) or SLVERR (10), valid with s_axi_bvalid.
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi BRESP" *)
  output logic [1:0]  s_axi_bresp,
  // A write response waits. Rises in the cycle after the one that carries out the write.
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi BVALID" *)
  output logic        s_axi_bvalid,
  // The master takes the write response.
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi BREADY" *)
  input  logic        s_axi_bready,

  // --- Read address
  // Byte address, valid with s_axi_arvalid.
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi ARADDR" *)
  input  logic [11:0] s_axi_araddr,
  // Protection of a read; ignored.
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi ARPROT" *)
  input  logic [2:0]  s_axi_arprot,
  // The master offers a read address.
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi ARVALID" *)
  input  logic        s_axi_arvalid,
  // High while no read response waits.
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi ARREADY" *)
  output logic        s_axi_arready,

  // --- Read data
  // The register's value in the cycle that accepted the read, valid with s_axi_rvalid.
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi RDATA" *)
  output logic [31:0] s_axi_rdata,
  // OKAY (00) or SLVERR (10), valid with s_axi_rvalid.
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi RRESP" *)
  output logic [1:0]  s_axi_rresp,
  // A read response waits. Rises in the cycle after the one that accepts the read.
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi RVALID" *)
  output logic        s_axi_rvalid,
  // The master takes the read response.
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi RREADY" *)
  input  logic        s_axi_rready,

  // --- State
  // Work is under way (STATUS.BUSY), a level.
  output logic        busy,
  // Interrupt, a level: STATUS.DONE and CTRL.IRQ_EN.
  (* X_INTERFACE_INFO = "xilinx.com:signal:interrupt:1.0 irq INTERRUPT" *)
  (* X_INTERFACE_PARAMETER = "SENSITIVITY LEVEL_HIGH" *)
  output logic        irq
);

  // An address without a register: it is not a multiple of four.
  localparam logic [11:0] Nowhere = '1;

  logic        refused, unused_prot;
  logic [11:0] awaddr;

  assign refused = (PrivilegedWrites && !s_axi_awprot[0]) || (SecureWrites && s_axi_awprot[1]);
  assign awaddr = refused ? Nowhere : s_axi_awaddr;
  assign unused_prot = ^{s_axi_awprot, s_axi_arprot};

  sched_top #(
    .Entries(Entries),
    .Lanes  (Lanes),
    .OrderM (OrderM),
    .AngleW (AngleW),
    .CylW   (CylW),
    .SegM   (SegM),
    .SegW   (SegW),
    .Features(Features)
  ) u_sched (
    .clk_i           (aclk),
    .rst_ni          (aresetn),
    .scan_en_i       (scan_en),
    .s_axil_awvalid_i(s_axi_awvalid),
    .s_axil_awready_o(s_axi_awready),
    .s_axil_awaddr_i (awaddr),
    .s_axil_wvalid_i (s_axi_wvalid),
    .s_axil_wready_o (s_axi_wready),
    .s_axil_wdata_i  (s_axi_wdata),
    .s_axil_wstrb_i  (s_axi_wstrb),
    .s_axil_bvalid_o (s_axi_bvalid),
    .s_axil_bready_i (s_axi_bready),
    .s_axil_bresp_o  (s_axi_bresp),
    .s_axil_arvalid_i(s_axi_arvalid),
    .s_axil_arready_o(s_axi_arready),
    .s_axil_araddr_i (s_axi_araddr),
    .s_axil_rvalid_o (s_axi_rvalid),
    .s_axil_rready_i (s_axi_rready),
    .s_axil_rdata_o  (s_axi_rdata),
    .s_axil_rresp_o  (s_axi_rresp),
    .busy_o          (busy),
    .irq_o           (irq)
  );

endmodule
