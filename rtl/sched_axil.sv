// SPDX-License-Identifier: Apache-2.0
//
// AXI4-Lite slave around a native register port.
//
// Parameters: none.
// Latency:    an access is answered one cycle after it is accepted, and takes two cycles when the
//             master is ready.
// Handshake:  no output depends on an input of the same cycle. Address and data of a write are taken independently,
//             one each ahead; the write is carried out in the first cycle in which both are at hand, the native port
//             is ready and no write response waits.

module sched_axil
  import sched_pkg::*;
(
  input  logic             clk_i,
  input  logic             rst_ni,

  // AXI4-Lite
  input  logic             s_axil_awvalid_i,
  output logic             s_axil_awready_o,
  input  logic [AddrW-1:0] s_axil_awaddr_i,
  input  logic             s_axil_wvalid_i,
  output logic             s_axil_wready_o,
  input  logic [31:0]      s_axil_wdata_i,
  input  logic [3:0]       s_axil_wstrb_i,
  output logic             s_axil_bvalid_o,
  input  logic             s_axil_bready_i,
  output logic [1:0]       s_axil_bresp_o,
  input  logic             s_axil_arvalid_i,
  output logic             s_axil_arready_o,
  input  logic [AddrW-1:0] s_axil_araddr_i,
  output logic             s_axil_rvalid_o,
  input  logic             s_axil_rready_i,
  output logic [31:0]      s_axil_rdata_o,
  output logic [1:0]       s_axil_rresp_o,

  // Native port
  output logic             wr_valid_o,
  input  logic             wr_ready_i,
  output logic             wr_whole_o,
  output logic [AddrW-1:0] wr_addr_o,
  output kind_t            wr_kind_o,
  output logic [31:0]      wr_data_o,
  output logic [1:0][15:0] wr_low_o,           // low half of the data: held, as offered
  output logic             wr_offered_o,       // it is the latter
  output logic             wr_soft_reset_o,    // the write is a soft reset
  input  logic             wr_error_i,
  output logic             rd_valid_o,
  input  logic             rd_ready_i,
  output logic [AddrW-1:0] rd_addr_o,
  input  logic             rsp_valid_i,
  output logic             rsp_ready_o,
  input  logic [31:0]      rd_data_i,
  input  logic             rd_error_i
);

  // Write. What cannot be carried out in the cycle in which it comes is held. The native port is not ready in the cycle
  // after a write; a response that waits longer keeps the next one back.
  logic             write_accept, addr_held_q, data_held_q, whole_q;
  logic [AddrW-1:0] addr_q;
  logic             offered_q;          // data_held_q, inverted: on its own, as much waits for it
  kind_t            kind, kind_q;
  logic             whole, soft_q;      // the data held: a whole write of SOFT_RESET
  logic [31:0]      data_q;
  resp_e            bresp_q;

  assign wr_valid_o = (addr_held_q || s_axil_awvalid_i) && (data_held_q || s_axil_wvalid_i) && !s_axil_bvalid_o;
  assign whole = s_axil_wstrb_i == 4'b1111;
  assign wr_whole_o = data_held_q ? whole_q : whole;
  assign kind = kind_of(s_axil_awaddr_i);
  assign wr_addr_o = addr_held_q ? addr_q : s_axil_awaddr_i;
  assign wr_kind_o = addr_held_q ? kind_q : kind;
  assign wr_data_o = data_held_q ? data_q : s_axil_wdata_i;
  assign wr_low_o = {data_q[15:0], s_axil_wdata_i[15:0]};
  assign wr_offered_o = offered_q;
  assign wr_soft_reset_o = (addr_held_q ? kind_q.clear : s_axil_awvalid_i && kind.clear) && !s_axil_bvalid_o &&
      (data_held_q ? soft_q : s_axil_wvalid_i && whole && s_axil_wdata_i[sched_reg_pkg::ClearSoftResetLsb]);
  assign write_accept = wr_valid_o && wr_ready_i;
  assign s_axil_awready_o = !addr_held_q;
  assign s_axil_wready_o = !data_held_q;
  assign s_axil_bresp_o = bresp_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || write_accept) begin
      addr_held_q <= 1'b0;
      data_held_q <= 1'b0;
      offered_q <= 1'b1;
    end else begin
      addr_held_q <= addr_held_q || s_axil_awvalid_i;
      data_held_q <= data_held_q || s_axil_wvalid_i;
      offered_q <= offered_q && !s_axil_wvalid_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (s_axil_awvalid_i && !addr_held_q) begin
      addr_q <= s_axil_awaddr_i;
      kind_q <= kind;
    end
    if (s_axil_wvalid_i && !data_held_q) begin
      data_q <= s_axil_wdata_i;
      whole_q <= whole;
      soft_q <= whole && s_axil_wdata_i[sched_reg_pkg::ClearSoftResetLsb];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      s_axil_bvalid_o <= 1'b0;
      bresp_q <= RespOkay;
    end else if (write_accept) begin
      s_axil_bvalid_o <= 1'b1;
      bresp_q <= wr_error_i ? RespSlvErr : RespOkay;
    end else if (s_axil_bready_i) begin
      s_axil_bvalid_o <= 1'b0;
    end
  end

  // Read
  assign rd_valid_o = s_axil_arvalid_i;
  assign rd_addr_o = s_axil_araddr_i;
  assign s_axil_arready_o = rd_ready_i;
  assign s_axil_rvalid_o = rsp_valid_i;
  assign rsp_ready_o = s_axil_rready_i;
  assign s_axil_rdata_o = rd_data_i;
  assign s_axil_rresp_o = rd_error_i ? RespSlvErr : RespOkay;

endmodule
