// SPDX-License-Identifier: Apache-2.0
//
// Checker of the bus of platter_sched_axi, bound into each instance in a simulation. A write that
// lacks a right must be answered by SLVERR. Responses must come only to accesses and hold still.
// The master must hold what it offers. The file is not part of the synthesized design.
//
// A port has the name and the meaning of the module's port. Each assertion has a name a_*, and its
// text says what is violated.
//
// Parameters:
//   PrivilegedWrites  as in platter_sched_axi
//   SecureWrites      as in platter_sched_axi
// Latency:    none; the checks are clocked immediate assertions.
// Handshake:  none; the module only listens.

module platter_sched_axi_checks #(
  parameter bit PrivilegedWrites = 1'b0,
  parameter bit SecureWrites = 1'b0
) (
  input logic        aclk,
  input logic        aresetn,
  input logic [11:0] s_axi_awaddr,
  input logic [2:0]  s_axi_awprot,
  input logic        s_axi_awvalid,
  input logic        s_axi_awready,
  input logic [31:0] s_axi_wdata,
  input logic [3:0]  s_axi_wstrb,
  input logic        s_axi_wvalid,
  input logic        s_axi_wready,
  input logic [1:0]  s_axi_bresp,
  input logic        s_axi_bvalid,
  input logic        s_axi_bready,
  input logic [11:0] s_axi_araddr,
  input logic [2:0]  s_axi_arprot,
  input logic        s_axi_arvalid,
  input logic        s_axi_arready,
  input logic [31:0] s_axi_rdata,
  input logic [1:0]  s_axi_rresp,
  input logic        s_axi_rvalid,
  input logic        s_axi_rready
);

  // Write addresses, write data and reads that were taken and not answered yet. lacks_q has a bit
  // for each of these addresses: the write lacks a right.
  logic [1:0] addresses_q, data_q, reads_q;
  logic [2:0] lacks_q;
  logic       lacks, address_taken, data_taken, write_answered, read_taken, read_answered;

  assign lacks = (PrivilegedWrites && !s_axi_awprot[0]) || (SecureWrites && s_axi_awprot[1]);
  assign address_taken = s_axi_awvalid && s_axi_awready;
  assign data_taken = s_axi_wvalid && s_axi_wready;
  assign write_answered = s_axi_bvalid && s_axi_bready;
  assign read_taken = s_axi_arvalid && s_axi_arready;
  assign read_answered = s_axi_rvalid && s_axi_rready;

  always_ff @(posedge aclk) begin
    if (!aresetn) begin
      addresses_q <= '0;
      data_q <= '0;
      reads_q <= '0;
      lacks_q <= '0;
    end else begin
      addresses_q <= addresses_q + 2'(address_taken) - 2'(write_answered);
      data_q <= data_q + 2'(data_taken) - 2'(write_answered);
      reads_q <= reads_q + 2'(read_taken) - 2'(read_answered);
      // The oldest is in bit 0.
      lacks_q <= (write_answered ? lacks_q >> 1 : lacks_q) |
                 (3'(address_taken && lacks) << (addresses_q - 2'(write_answered)));
    end
  end

  // What waited in the cycle before
  logic         ran_q, aw_waits_q, w_waits_q, ar_waits_q, b_waits_q, r_waits_q;
  logic [14:0]  aw_q, ar_q;
  logic [35:0]  w_q;
  logic [33:0]  r_q;
  logic [1:0]   b_q;

  always_ff @(posedge aclk) begin
    ran_q <= aresetn;
    aw_waits_q <= s_axi_awvalid && !s_axi_awready;
    w_waits_q <= s_axi_wvalid && !s_axi_wready;
    ar_waits_q <= s_axi_arvalid && !s_axi_arready;
    b_waits_q <= s_axi_bvalid && !s_axi_bready;
    r_waits_q <= s_axi_rvalid && !s_axi_rready;
    aw_q <= {s_axi_awaddr, s_axi_awprot};
    ar_q <= {s_axi_araddr, s_axi_arprot};
    w_q <= {s_axi_wdata, s_axi_wstrb};
    r_q <= {s_axi_rdata, s_axi_rresp};
    b_q <= s_axi_bresp;
  end

  always_ff @(posedge aclk) begin
    if (aresetn) begin
      // The slave
      if (s_axi_bvalid) begin
        a_b_needs_write: assert (addresses_q != '0 && data_q != '0)
        else $error("A write response is given although no write waits for one.");
        a_right_required: assert (!lacks_q[0] || s_axi_bresp == 2'b10)
        else $error("A write that lacks a right was not answered by SLVERR.");
        a_b_resp_legal: assert (s_axi_bresp == 2'b00 || s_axi_bresp == 2'b10)
        else $error("A write response is neither OKAY nor SLVERR.");
      end
      if (s_axi_rvalid) begin
        a_r_needs_read: assert (reads_q != '0)
        else $error("Read data are given although no read waits for them.");
        a_r_resp_legal: assert (s_axi_rresp == 2'b00 || s_axi_rresp == 2'b10)
        else $error("A read response is neither OKAY nor SLVERR.");
      end
    end
    if (aresetn && ran_q) begin
      a_b_stable: assert (!b_waits_q || (s_axi_bvalid && s_axi_bresp == b_q))
      else $error("A write response changed or vanished before the master took it.");
      a_r_stable: assert (!r_waits_q || (s_axi_rvalid && {s_axi_rdata, s_axi_rresp} == r_q))
      else $error("Read data changed or vanished before the master took them.");
      // The master
      a_aw_stable: assert (!aw_waits_q || (s_axi_awvalid && {s_axi_awaddr, s_axi_awprot} == aw_q))
      else $error("The master changed or withdrew a write address before the slave took it.");
      a_w_stable: assert (!w_waits_q || (s_axi_wvalid && {s_axi_wdata, s_axi_wstrb} == w_q))
      else $error("The master changed or withdrew write data before the slave took them.");
      a_ar_stable: assert (!ar_waits_q || (s_axi_arvalid && {s_axi_araddr, s_axi_arprot} == ar_q))
      else $error("The master changed or withdrew a read address before the slave took it.");
    end
  end

endmodule

bind platter_sched_axi platter_sched_axi_checks #(
  .PrivilegedWrites(PrivilegedWrites),
  .SecureWrites    (SecureWrites)
) u_bus_checks (.*);
