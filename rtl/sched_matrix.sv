// SPDX-License-Identifier: Apache-2.0
//
// The module streams the cost matrix of a cluster to the orderer. It asks for the hops from the
// head to each slot, then from each slot to each other slot, one a cycle. It writes each cost when
// the answer comes.
//
// Parameters:
//   Entries  most rows of the list, 4 to 256
//   AngleW   bits of an angle, 12 to 20
//   CylW     bits of a cylinder number
//   OrderM   most slots, 2 to 12; 0: there is no orderer, and no hop is ever asked for
// Latency:    c slots take c * c hops, one a cycle. A cost leaves one cycle after the answer in
//             stage 11.
// Handshake:  The module follows state_i of sched_list. last_o is high with the last hop.

module sched_matrix
  import sched_pkg::*;
  import sched_reg_pkg::*;
#(
  parameter int unsigned Entries = 32,
  parameter int unsigned AngleW = 16,
  parameter int unsigned CylW = 18,
  parameter int unsigned OrderM = 6,
  localparam int unsigned TimeW = time_w(AngleW),
  localparam int unsigned EntryW = index_w(Entries)
) (
  // Clock of the list, gated.
  input  logic              clk_i,
  // Reset or soft reset, synchronous, active low.
  input  logic              rst_ni,

  // State of the list.
  input  list_state_t       state_i,
  // A collection begins with the next cycle: start again with the first pair of slots.
  input  logic              start_i,
  // Number of slots, stable while the matrix is streamed.
  input  logic [SlotW-1:0]  slots_i,
  // Row of each slot, stable while the matrix is streamed.
  input  logic [OrderMost-1:0][EntryW-1:0] slot_row_i,

  // --- Hop that is asked for
  // HopHead or HopPair; a hop is asked for in each cycle of the state matrix.
  output hop_kind_e         hop_kind_o,
  // Row from whose end the hop begins; no meaning for HopHead.
  output logic [EntryW-1:0] hop_from_o,
  // Row at whose start the hop ends.
  output logic [EntryW-1:0] hop_to_o,
  // The hop is the last of the matrix.
  output logic              last_o,

  // --- Answer, in stage 11
  // Purpose of the hop; HopHead and HopPair are answers of the matrix.
  input  hop_kind_e         kind_i,
  // Cost of the hop without the charge of a risk, ticks.
  input  logic [TimeW-1:0]  reach_i,
  // The arrival may miss its sector, so the charge applies.
  input  logic              risky_i,
  // RISK_CHARGE, ticks.
  input  logic [AngleW-1:0] risk_charge_i,

  // --- Orderer
  // One cost, written when cost_o.we is high.
  output sched_types#(AngleW, CylW)::matrix_cost_t cost_o
);

  if (Entries < 4 || Entries > 256) begin : g_bad_entries
    $error("sched_matrix: Entries must be 4 to 256");
  end
  if (!angle_ok(AngleW)) begin : g_bad_angle_w
    $error("sched_matrix: AngleW must be 12 to 20");
  end
  if (!order_ok(OrderM) || OrderM > Entries) begin : g_bad_order
    $error("sched_matrix: OrderM must be 0 or 2 to 12, and at most Entries");
  end

  // The next pair of slots: from the head to each slot, then from each slot to each other.
  typedef struct packed {
    logic [SlotW-1:0] from;
    logic [SlotW-1:0] to;
    logic             last;
  } pair_t;

  function automatic pair_t next_pair(logic [SlotW-1:0] from, logic [SlotW-1:0] to,
                                      logic [SlotW-1:0] most);
    pair_t pair;
    logic  row_end;
    row_end = to == most || (to + SlotW'(1) == from && from == most);
    pair.from = from;
    pair.to = to + SlotW'(1);
    if (pair.to == from) begin
      pair.to = pair.to + SlotW'(1);
    end
    if (row_end) begin
      pair.from = (from == SlotW'(OrderM)) ? '0 : from + SlotW'(1);
      pair.to = (pair.from == '0) ? SlotW'(1) : '0;
    end
    // The last slot's pairs end with the last slot but one. A single slot has only the hop from the
    // head.
    pair.last = row_end && (most == '0 || from == most);
    return pair;
  endfunction

  logic [SlotW-1:0] from_slot_q, to_slot_q;            // from_slot_q = OrderM: the head
  logic [SlotW-1:0] last_slot;
  pair_t            pair, tail_pair;
  logic [SlotW-1:0] tail_from_q, tail_to_q;
  logic             comes, unused_last;

  assign last_slot = slots_i - SlotW'(1);
  assign pair = next_pair(from_slot_q, to_slot_q, last_slot);
  assign last_o = pair.last;
  assign hop_kind_o = (from_slot_q == SlotW'(OrderM)) ? HopHead : HopPair;
  assign hop_from_o = slot_row_i[from_slot_q];
  assign hop_to_o = slot_row_i[to_slot_q];

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      from_slot_q <= SlotW'(OrderM);
      to_slot_q <= '0;
    end else if (state_i.matrix) begin
      from_slot_q <= pair.from;
      to_slot_q <= pair.to;
    end
  end

  // The answers come in the order of the requests.
  function automatic logic [TimeW-1:0] clamped_cost(logic [TimeW-1:0] reach,
                                                    logic [AngleW-1:0] charge,
                                                    logic applies);
    logic [TimeW:0] sum;
    sum = {1'b0, reach} + (applies ? (TimeW + 1)'(charge) : '0);
    return sum[TimeW-1:0] | {TimeW{sum[TimeW]}};
  endfunction

  assign comes = kind_i == HopHead || kind_i == HopPair;
  assign tail_pair = next_pair(tail_from_q, tail_to_q, last_slot);
  assign unused_last = tail_pair.last;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      cost_o.we <= 1'b0;
    end else begin
      cost_o.we <= comes;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      tail_from_q <= SlotW'(OrderM);
      tail_to_q <= '0;
    end else if (comes) begin
      tail_from_q <= tail_pair.from;
      tail_to_q <= tail_pair.to;
    end
    cost_o.from <= tail_from_q;
    cost_o.to <= tail_to_q;
    cost_o.cost <= clamped_cost(reach_i, risk_charge_i, risky_i);
  end

endmodule
