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

  logic             accept, addr_held_q, data_held_q;
  logic [AddrW-1:0] addr_q;
  logic             offered_q;          // data_held_q, inverted: on its own, as much waits for it
  kind_t            kind_q;             // zero while no address is held
  // What follows from pins alone keeps nodes of its own in synthesis. Otherwise the mapper begins this logic with a flip-flop, and all paths
  // from it become longer by two lookup tables.
  (* keep *) kind_t kind;
  (* keep *) logic  whole, resets;
  logic             whole_q, soft_q;    // data are held, and are a whole write, one of SOFT_RESET
  logic [31:0]      data_q;

  assign whole = data_valid_i && strb_i == 4'b1111;
  assign resets = whole && data_i[sched_reg_pkg::ClearSoftResetLsb];
  assign kind = kind_of(addr_i) & {$bits(kind_t){addr_valid_i}};

  assign write_o.valid = (addr_held_q || addr_valid_i) && (data_held_q || data_valid_i) && !hold_i;
  assign write_o.whole = whole_q || (offered_q && whole);
  assign write_o.usable = write_o.whole && !hold_i;
  assign write_o.good = (addr_held_q || addr_valid_i) && write_o.usable;
  assign write_o.addr = addr_held_q ? addr_q : addr_i;
  assign write_o.kind = kind_q | (kind & {$bits(kind_t){!addr_held_q}});
  assign write_o.data = data_held_q ? data_q : data_i;
  assign write_o.low = {data_q[15:0], data_i[15:0]};
  assign write_o.offered = offered_q;
  assign write_o.soft_reset = write_o.kind.clear && !hold_i &&
      (soft_q || (offered_q && resets));

  assign accept = write_o.valid && ready_i;
  assign addr_ready_o = !addr_held_q;
  assign data_ready_o = !data_held_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || accept) begin
      addr_held_q <= 1'b0;
      kind_q <= '0;
      data_held_q <= 1'b0;
      offered_q <= 1'b1;
      whole_q <= 1'b0;
      soft_q <= 1'b0;
    end else begin
      addr_held_q <= addr_held_q || addr_valid_i;
      kind_q <= write_o.kind;
      data_held_q <= data_held_q || data_valid_i;
      offered_q <= offered_q && !data_valid_i;
      whole_q <= write_o.whole;
      soft_q <= soft_q || (offered_q && resets);
    end
  end

  always_ff @(posedge clk_i) begin
    if (addr_valid_i && !addr_held_q) begin
      addr_q <= addr_i;
    end
    if (data_valid_i && !data_held_q) begin
      data_q <= data_i;
    end
  end

endmodule
