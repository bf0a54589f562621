// SPDX-License-Identifier: Apache-2.0
//
// Proof: the slave keeps the rules of AXI4-Lite, between any master and any native port that keep
// their own. A request waits unchanged until it is taken, and so does a response. A write reaches
// the native port once, as it was sent, and is answered once, by what the native port said. The
// same holds for a read. At most one access a direction is under way. The address and the data of
// one further write may be taken, and wait. The harness looks at ports only. It leaves open which
// of READY and the native port comes first.
//
// Parameters:
//   Most  cycles that a request, or its answer, may take if native port and master are ready

module formal_axil
  import sched_pkg::*;
#(
  localparam int unsigned Most = 4
) (
  // Clock, rising edge.
  input logic             clk_i,
  // Synchronous reset, active low.
  input logic             rst_ni,

  // --- Master: any value that keeps the rules
  // AWVALID.
  input logic             awvalid_i,
  // AWADDR.
  input logic [AddrW-1:0] awaddr_i,
  // WVALID.
  input logic             wvalid_i,
  // WDATA.
  input logic [31:0]      wdata_i,
  // WSTRB.
  input logic [3:0]       wstrb_i,
  // BREADY.
  input logic             bready_i,
  // ARVALID.
  input logic             arvalid_i,
  // ARADDR.
  input logic [AddrW-1:0] araddr_i,
  // RREADY.
  input logic             rready_i,

  // --- Native port: any value
  // The native port takes a write in this cycle.
  input logic             wr_ready_i,
  // The write is an error.
  input logic             wr_error_i,
  // The native port takes a read in this cycle, unless an answer waits.
  input logic             rd_ready_i,
  // Data of the read that is taken.
  input logic [31:0]      rd_data_i,
  // The read that is taken is an error.
  input logic             rd_error_i
);

  logic             awready, wready, bvalid, arready, rvalid, rd_valid, rsp_ready;
  logic [1:0]       bresp, rresp;
  logic [31:0]      rdata;
  write_t           write;
  logic [AddrW-1:0] rd_addr;

  // Reads at the native port: it is not ready while an answer waits, and answers in the next cycle.
  logic        rsp_valid_q, rsp_error_q;
  logic [31:0] rsp_data_q;
  logic        rd_ready, rd_accept;

  assign rd_ready = rd_ready_i && !rsp_valid_q;
  assign rd_accept = rd_valid && rd_ready;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      rsp_valid_q <= 1'b0;
    end else if (rd_accept) begin
      rsp_valid_q <= 1'b1;
      rsp_data_q <= rd_data_i;
      rsp_error_q <= rd_error_i;
    end else if (rsp_ready) begin
      rsp_valid_q <= 1'b0;
    end
  end

  sched_axil u_dut (
    .clk_i, .rst_ni,
    .s_axil_awvalid_i(awvalid_i), .s_axil_awready_o(awready), .s_axil_awaddr_i(awaddr_i),
    .s_axil_wvalid_i(wvalid_i), .s_axil_wready_o(wready), .s_axil_wdata_i(wdata_i),
    .s_axil_wstrb_i(wstrb_i),
    .s_axil_bvalid_o(bvalid), .s_axil_bready_i(bready_i), .s_axil_bresp_o(bresp),
    .s_axil_arvalid_i(arvalid_i), .s_axil_arready_o(arready), .s_axil_araddr_i(araddr_i),
    .s_axil_rvalid_o(rvalid), .s_axil_rready_i(rready_i), .s_axil_rdata_o(rdata),
    .s_axil_rresp_o(rresp),
    .write_o(write), .wr_ready_i, .wr_bad_i(wr_error_i), .wr_refused_i(1'b0), .rd_valid_o(rd_valid),
    .rd_ready_i(rd_ready), .rd_addr_o(rd_addr),
    .rsp_valid_i(rsp_valid_q), .rsp_ready_o(rsp_ready), .rd_data_i(rsp_data_q),
    .rd_error_i(rsp_error_q)
  );

  // aw_q, w_q: taken, and not yet at the native port. native_q: at the native port, and not yet
  // answered. ar_q: the address of a read is taken. asked_q: the native port has taken the read.
  // Both last until the read response is taken.
  logic             started_q = 1'b0;
  logic             aw_q, w_q, native_q, error_q, whole_q;
  logic             ar_q, asked_q, read_error_q;
  logic [AddrW-1:0] awaddr_q, araddr_q;
  logic [31:0]      wdata_q, read_data_q;
  logic             aw, w, b, ar, r, native;
  logic [2:0]       idle_q, answer_q, read_idle_q, read_answer_q;

  assign aw = awvalid_i && awready;
  assign w = wvalid_i && wready;
  assign b = bvalid && bready_i;
  assign ar = arvalid_i && arready;
  assign r = rvalid && rready_i;
  assign native = write.valid && wr_ready_i;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!rst_ni) begin
      {aw_q, w_q, native_q, ar_q, asked_q} <= '0;
      {idle_q, answer_q, read_idle_q, read_answer_q} <= '0;
    end else begin
      aw_q <= !native && (aw_q || aw);
      w_q <= !native && (w_q || w);
      native_q <= native || (native_q && !b);
      ar_q <= !r && (ar_q || ar);
      asked_q <= !r && (asked_q || rd_accept);
      idle_q <= ((aw_q || awvalid_i) && (w_q || wvalid_i) && wr_ready_i && !native &&
          !bvalid) ? idle_q + 3'd1 : '0;
      answer_q <= (native_q && !bvalid) ? answer_q + 3'd1 : '0;
      read_idle_q <= (arvalid_i && rd_ready_i && !ar && !rvalid) ? read_idle_q + 3'd1 : '0;
      read_answer_q <= (asked_q && !rvalid) ? read_answer_q + 3'd1 : '0;
    end
    if (aw) awaddr_q <= awaddr_i;
    if (w) {wdata_q, whole_q} <= {wdata_i, wstrb_i == 4'b1111};
    if (native) error_q <= wr_error_i;
    if (ar) araddr_q <= araddr_i;
    if (rd_accept) {read_data_q, read_error_q} <= {rd_data_i, rd_error_i};
  end

  always_ff @(posedge clk_i) begin
    if (!started_q) begin
      assume (!rst_ni);
    end else if ($past(rst_ni) && rst_ni) begin
      // The master holds what it offers.
      if ($past(awvalid_i && !awready)) assume (awvalid_i && $stable(awaddr_i));
      if ($past(wvalid_i && !wready)) assume (wvalid_i && $stable({wdata_i, wstrb_i}));
      if ($past(arvalid_i && !arready)) assume (arvalid_i && $stable(araddr_i));
      // So does the slave.
      if ($past(bvalid && !bready_i)) a_write_response_stable: assert (bvalid && $stable(bresp));
      if ($past(rvalid && !rready_i))
        a_read_response_stable: assert (rvalid && $stable({rdata, rresp}));
    end
    if (started_q && rst_ni) begin
      // Write
      if (aw) a_one_address_held: assert (!aw_q);
      if (w) a_one_data_held: assert (!w_q);
      a_soft_reset_matches: assert (write.soft_reset == (write.valid && write.whole &&
                                    write.kind.clear &&
                                    write.data[sched_reg_pkg::ClearSoftResetLsb]));
      a_good_matches: assert (write.good == (write.valid && write.whole) &&
                              write.usable == (write.whole && !bvalid));
      if (!aw_q && !awvalid_i) a_no_address_no_kind: assert (write.kind == '0);
      if (native) begin
        a_one_write_answered: assert (!native_q);
        a_write_has_address: assert (aw_q || awvalid_i);
        a_write_has_data: assert (w_q || wvalid_i);
        a_address_as_sent: assert (write.addr == (aw_q ? awaddr_q : awaddr_i));
        a_kind_of_address: assert (write.kind == kind_of(write.addr));
        a_data_as_sent: assert (write.data == (w_q ? wdata_q : wdata_i));
        a_low_matches_data: assert (write.low[write.offered ? 0 : 1] == write.data[15:0]);
        a_whole_as_sent: assert (write.whole == (w_q ? whole_q : wstrb_i == 4'b1111));
      end
      if (bvalid) begin
        a_response_after_write: assert (native_q);
        a_response_as_told: assert (bresp == (error_q ? RespSlvErr : RespOkay));
      end
      if (b) a_no_write_while_response: assert (!native);
      a_write_in_time: assert (32'(idle_q) < Most && 32'(answer_q) < Most);
      // Read
      if (ar) a_one_read_held: assert (!ar_q);
      if (rd_accept) begin
        a_one_read_asked: assert (!asked_q);
        a_read_has_address: assert (ar_q || arvalid_i);
        a_read_address_as_sent: assert (rd_addr == (ar_q ? araddr_q : araddr_i));
      end
      if (rvalid) begin
        a_response_after_read: assert (ar_q && asked_q);
        a_data_as_read: assert (rdata == read_data_q);
        a_read_response_as_told: assert (rresp == (read_error_q ? RespSlvErr : RespOkay));
      end
      if (r) a_no_read_while_response: assert (!ar && !rd_accept);
      a_read_in_time: assert (32'(read_idle_q) < Most && 32'(read_answer_q) < Most);
    end
  end

  // Covers: two accesses of each kind, one of them refused, and one whose response had to wait
  logic [1:0] writes_q, reads_q;
  logic       waited_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {writes_q, reads_q, waited_q} <= '0;
    end else begin
      if (b && writes_q != '1) writes_q <= writes_q + 2'd1;
      if (r && reads_q != '1) reads_q <= reads_q + 2'd1;
      if (bvalid && !bready_i) waited_q <= 1'b1;
    end
    c_refused_write_waits: cover (started_q && rst_ni && writes_q == 2'd2 && bvalid &&
                                  bresp == RespSlvErr && waited_q);
    c_refused_read: cover (started_q && rst_ni && reads_q == 2'd2 && rvalid && rresp == RespSlvErr);
    c_both_responses: cover (started_q && rst_ni && writes_q == 2'd1 && reads_q == 2'd1 && bvalid &&
                             rvalid);
  end

endmodule
