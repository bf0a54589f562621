// SPDX-License-Identifier: Apache-2.0
//
// Joins the address and the data of a write, which come independently of each other, and works out ahead what the register file wants to know
// of them early in the cycle: what is held is decoded when it is taken, not when it is used.
//
// Parameters: none.
// Latency:    none; what cannot be carried out in the cycle in which it comes is held.
// Handshake:  valid and ready on both sides; no ready depends on an input of the same cycle. Address and data are taken one each
//             ahead. write_o.valid is high while both are at hand and hold_i is low; the write is carried out in the cycle in
//             which ready_i is high, too, and what is held is then free again.

module sched_join
  import sched_pkg::*;
(
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             addr_valid_i,
  output logic             addr_ready_o,
  input  logic [AddrW-1:0] addr_i,
  input  logic             data_valid_i,
  output logic             data_ready_o,
  input  logic [31:0]      data_i,
  input  logic [3:0]       strb_i,

  input  logic             hold_i,         // the response to the write before waits
  output write_t           write_o,
  input  logic             ready_i
);

  logic             accept, addr_held_q, data_held_q, whole_q;
  logic [AddrW-1:0] addr_q;
  logic             offered_q;          // data_held_q, inverted: on its own, as much waits for it
  kind_t            kind, kind_q;
  logic             whole, soft_q;      // the data held: a whole write of SOFT_RESET
  logic [31:0]      data_q;

  assign whole = strb_i == 4'b1111;
  assign kind = kind_of(addr_i);

  assign write_o.valid = (addr_held_q || addr_valid_i) && (data_held_q || data_valid_i) && !hold_i;
  assign write_o.whole = data_held_q ? whole_q : whole;
  assign write_o.addr = addr_held_q ? addr_q : addr_i;
  assign write_o.kind = addr_held_q ? kind_q : kind;
  assign write_o.data = data_held_q ? data_q : data_i;
  assign write_o.low = {data_q[15:0], data_i[15:0]};
  assign write_o.offered = offered_q;
  assign write_o.soft_reset = (addr_held_q ? kind_q.clear : addr_valid_i && kind.clear) && !hold_i &&
      (data_held_q ? soft_q : data_valid_i && whole && data_i[sched_reg_pkg::ClearSoftResetLsb]);

  assign accept = write_o.valid && ready_i;
  assign addr_ready_o = !addr_held_q;
  assign data_ready_o = !data_held_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || accept) begin
      addr_held_q <= 1'b0;
      data_held_q <= 1'b0;
      offered_q <= 1'b1;
    end else begin
      addr_held_q <= addr_held_q || addr_valid_i;
      data_held_q <= data_held_q || data_valid_i;
      offered_q <= offered_q && !data_valid_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (addr_valid_i && !addr_held_q) begin
      addr_q <= addr_i;
      kind_q <= kind;
    end
    if (data_valid_i && !data_held_q) begin
      data_q <= data_i;
      whole_q <= whole;
      soft_q <= whole && data_i[sched_reg_pkg::ClearSoftResetLsb];
    end
  end

endmodule
