// SPDX-License-Identifier: Apache-2.0
//
// The module joins the address and the data of a write, which arrive independently of each other,
// and decodes both for the register file. It decodes each half when the half arrives, so the result
// is available early in the cycle that carries out the write.
//
// Parameters: none.
// Latency:    A write that can be carried out in the cycle in which it arrives has no latency.
//             Otherwise its address and data are held.
// Handshake:  Both sides use valid and ready. No ready depends on an input of the same cycle. One
//             address and one set of data are taken ahead. write_o.valid is high while both are
//             available and hold_i is low. The register file carries out the write in the cycle in
//             which ready_i is high, too. Both halves are then free again.
// Limits:     It holds one address and one set of data, not a queue of writes.

module sched_join
  import sched_pkg::*;
(
  // Clock, rising edge.
  input  logic             clk_i,
  // Synchronous reset, active low: nothing is held.
  input  logic             rst_ni,

  // The master offers addr_i.
  input  logic             addr_valid_i,
  // High while no address is held: the offered address is taken at the end of the cycle.
  output logic             addr_ready_o,
  // Byte address, valid with addr_valid_i.
  input  logic [AddrW-1:0] addr_i,
  // The master offers data_i and strb_i.
  input  logic             data_valid_i,
  // High while no data are held: the offered data are taken at the end of the cycle.
  output logic             data_ready_o,
  // Data, valid with data_valid_i.
  input  logic [31:0]      data_i,
  // Byte strobes, valid with data_valid_i; only 1111 makes a whole write.
  input  logic [3:0]       strb_i,

  // The response to the previous write waits, so write_o.valid stays low.
  input  logic             hold_i,
  // The joined and decoded write, for the register file.
  output write_t           write_o,
  // The register file takes the write in this cycle if write_o.valid is high.
  input  logic             ready_i
);

  logic             accept, addr_held_q, data_held_q;
  logic [AddrW-1:0] addr_q;
  // data_held_q, inverted: a flip-flop of its own, since many paths begin here
  logic             offered_q;
  kind_t            kind_q;             // zero while no address is held
  // Decoding that depends on pins alone keeps nodes of its own in synthesis. Otherwise the mapper
  // merges it with a flip-flop at its beginning, and all its paths become two lookup tables longer.
  (* keep *) kind_t kind;
  (* keep *) logic  whole, resets;
  // the held data are a whole write; and a write of SOFT_RESET
  logic             whole_q, soft_q;
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
