// SPDX-License-Identifier: Apache-2.0
//
// Proof: AXI4-Lite at the slave, between any master that keeps its side of the rules and any native port that does. A request waits
// unchanged until it is taken; so does a response. A write reaches the native port once, as it was sent, and is
// answered once, by what the native port said; a read likewise. One access a direction is under way at most; of a further write
// address and data may be taken, one each, and wait.
// Looks at ports only, and says nothing about which of READY and the native port comes first.

module formal_axil
  import sched_pkg::*;
#(
  localparam int unsigned Most = 4   // cycles that a ready native port and master may take to get a request in, or its answer out
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             awvalid_i,
  input logic [AddrW-1:0] awaddr_i,
  input logic             wvalid_i,
  input logic [31:0]      wdata_i,
  input logic [3:0]       wstrb_i,
  input logic             bready_i,
  input logic             arvalid_i,
  input logic [AddrW-1:0] araddr_i,
  input logic             rready_i,
  input logic             wr_ready_i,
  input logic             wr_error_i,
  input logic             rd_ready_i,
  input logic [31:0]      rd_data_i,
  input logic             rd_error_i
);

  logic             awready, wready, bvalid, arready, rvalid, rd_valid, rsp_ready;
  logic [1:0]       bresp, rresp;
  logic [31:0]      rdata;
  write_t           write;
  logic [AddrW-1:0] rd_addr;

  // The native port's side of reads: it is not ready while an answer waits, and answers in the next cycle.
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
    .s_axil_wvalid_i(wvalid_i), .s_axil_wready_o(wready), .s_axil_wdata_i(wdata_i), .s_axil_wstrb_i(wstrb_i),
    .s_axil_bvalid_o(bvalid), .s_axil_bready_i(bready_i), .s_axil_bresp_o(bresp),
    .s_axil_arvalid_i(arvalid_i), .s_axil_arready_o(arready), .s_axil_araddr_i(araddr_i),
    .s_axil_rvalid_o(rvalid), .s_axil_rready_i(rready_i), .s_axil_rdata_o(rdata), .s_axil_rresp_o(rresp),
    .write_o(write), .wr_ready_i, .wr_bad_i(wr_error_i), .wr_refused_i(1'b0), .rd_valid_o(rd_valid), .rd_ready_i(rd_ready), .rd_addr_o(rd_addr),
    .rsp_valid_i(rsp_valid_q), .rsp_ready_o(rsp_ready), .rd_data_i(rsp_data_q), .rd_error_i(rsp_error_q)
  );

  // aw_q, w_q: taken, and not yet at the native port; native_q: there, and not yet answered; reads: from the first handshake
  // to that of the response
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
      idle_q <= ((aw_q || awvalid_i) && (w_q || wvalid_i) && wr_ready_i && !native && !bvalid) ? idle_q + 3'd1 : '0;
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
      // The master keeps what it offers.
      if ($past(awvalid_i && !awready)) assume (awvalid_i && $stable(awaddr_i));
      if ($past(wvalid_i && !wready)) assume (wvalid_i && $stable({wdata_i, wstrb_i}));
      if ($past(arvalid_i && !arready)) assume (arvalid_i && $stable(araddr_i));
      // So does the slave.
      if ($past(bvalid && !bready_i)) assert (bvalid && $stable(bresp));
      if ($past(rvalid && !rready_i)) assert (rvalid && $stable({rdata, rresp}));
    end
    if (started_q && rst_ni) begin
      // Write
      if (aw) assert (!aw_q);
      if (w) assert (!w_q);
      assert (write.soft_reset == (write.valid && write.whole && write.kind.clear && write.data[sched_reg_pkg::ClearSoftResetLsb]));
      assert (write.good == (write.valid && write.whole) && write.usable == (write.whole && !bvalid));
      if (!aw_q && !awvalid_i) assert (write.kind == '0);
      if (native) begin
        assert (!native_q);
        assert (aw_q || awvalid_i);
        assert (w_q || wvalid_i);
        assert (write.addr == (aw_q ? awaddr_q : awaddr_i));
        assert (write.kind == kind_of(write.addr));
        assert (write.data == (w_q ? wdata_q : wdata_i));
        assert (write.low[write.offered ? 0 : 1] == write.data[15:0]);
        assert (write.whole == (w_q ? whole_q : wstrb_i == 4'b1111));
      end
      if (bvalid) begin
        assert (native_q);
        assert (bresp == (error_q ? RespSlvErr : RespOkay));
      end
      if (b) assert (!native);
      assert (32'(idle_q) < Most && 32'(answer_q) < Most);
      // Read
      if (ar) assert (!ar_q);
      if (rd_accept) begin
        assert (!asked_q);
        assert (ar_q || arvalid_i);
        assert (rd_addr == (ar_q ? araddr_q : araddr_i));
      end
      if (rvalid) begin
        assert (ar_q && asked_q);
        assert (rdata == read_data_q);
        assert (rresp == (read_error_q ? RespSlvErr : RespOkay));
      end
      if (r) assert (!ar && !rd_accept);
      assert (32'(read_idle_q) < Most && 32'(read_answer_q) < Most);
    end
  end

  // Two accesses of each kind, one refused, one whose response had to wait
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
    cover (started_q && rst_ni && writes_q == 2'd2 && bvalid && bresp == RespSlvErr && waited_q);
    cover (started_q && rst_ni && reads_q == 2'd2 && rvalid && rresp == RespSlvErr);
    cover (started_q && rst_ni && writes_q == 2'd1 && reads_q == 2'd1 && bvalid && rvalid);
  end

endmodule
