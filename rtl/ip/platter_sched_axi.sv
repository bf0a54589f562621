// SPDX-License-Identifier: Apache-2.0
//
// The scheduling accelerator with the standard names of an AXI4-Lite slave, protection included: what an integrator instantiates.
//
// Parameters: PrivilegedWrites  1: a write with AWPROT[0] = 0 (unprivileged) receives SLVERR and changes nothing
//             SecureWrites      1: so does a write with AWPROT[1] = 1 (non-secure)
//             the others        see sched_core
// Latency:    that of sched_top; the wrapper adds no cycle.
// Handshake:  AXI4-Lite. A write that is refused is answered like one to an address without a register, so it waits while the accelerator is
//             busy. Reads change nothing and are never refused; AWPROT[2] and ARPROT are ignored. busy and irq are levels, high when active.
//             aresetn is sampled at the rising edge of aclk.

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
  (* X_INTERFACE_INFO = "xilinx.com:signal:clock:1.0 aclk CLK" *)
  (* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF s_axi, ASSOCIATED_RESET aresetn" *)
  input  logic        aclk,
  (* X_INTERFACE_INFO = "xilinx.com:signal:reset:1.0 aresetn RST" *)
  (* X_INTERFACE_PARAMETER = "POLARITY ACTIVE_LOW" *)
  input  logic        aresetn,
  input  logic        scan_en,   // opens the clock gates; low in operation

  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi AWADDR" *)
  input  logic [11:0] s_axi_awaddr,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi AWPROT" *)
  input  logic [2:0]  s_axi_awprot,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi AWVALID" *)
  input  logic        s_axi_awvalid,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi AWREADY" *)
  output logic        s_axi_awready,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi WDATA" *)
  input  logic [31:0] s_axi_wdata,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi WSTRB" *)
  input  logic [3:0]  s_axi_wstrb,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi WVALID" *)
  input  logic        s_axi_wvalid,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi WREADY" *)
  output logic        s_axi_wready,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi BRESP" *)
  output logic [1:0]  s_axi_bresp,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi BVALID" *)
  output logic        s_axi_bvalid,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi BREADY" *)
  input  logic        s_axi_bready,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi ARADDR" *)
  input  logic [11:0] s_axi_araddr,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi ARPROT" *)
  input  logic [2:0]  s_axi_arprot,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi ARVALID" *)
  input  logic        s_axi_arvalid,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi ARREADY" *)
  output logic        s_axi_arready,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi RDATA" *)
  output logic [31:0] s_axi_rdata,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi RRESP" *)
  output logic [1:0]  s_axi_rresp,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi RVALID" *)
  output logic        s_axi_rvalid,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi RREADY" *)
  input  logic        s_axi_rready,

  output logic        busy,
  (* X_INTERFACE_INFO = "xilinx.com:signal:interrupt:1.0 irq INTERRUPT" *)
  (* X_INTERFACE_PARAMETER = "SENSITIVITY LEVEL_HIGH" *)
  output logic        irq
);

  // No register has this address, which is not a multiple of four.
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
