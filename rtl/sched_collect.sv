// SPDX-License-Identifier: Apache-2.0
//
// The module collects a cluster. It judges the rows of a walk one after the other and marks those
// that it collects in MASK. For the orderer it keeps row and tag of the first OrderM.
//
// Parameters:
//   Entries  most rows of the list, 4 to 256
//   AngleW   bits of an angle; only the type of cfg_i depends on it
//   CylW     bits of a cylinder number, 1 to 21
//   OrderM   most slots of a cluster that is to be ordered, 2 to 12; 0: none
// Latency:    The judgement of the current row takes two cycles: the row is compared, then judged.
// Handshake:  The module follows state_i of sched_list. The configuration is stable during a
//             collection. ends_o is high in its last cycle, and order_o then says whether an order
//             is to be found.

module sched_collect
  import sched_pkg::*;
#(
  parameter int unsigned Entries = 32,
  parameter int unsigned AngleW = 16,
  parameter int unsigned CylW = 18,
  parameter int unsigned OrderM = 6,
  localparam int unsigned EntryW = index_w(Entries)
) (
  // Clock of the list, gated.
  input  logic              clk_i,
  // Reset or soft reset, synchronous, active low.
  input  logic              rst_ni,

  // State of the list.
  input  list_state_t       state_i,
  // A collection begins with the next cycle; the list is idle.
  input  logic              start_i,
  // What to collect; stable during the collection.
  input  sched_types#(AngleW, CylW)::cluster_cfg_t cfg_i,

  // --- Current row of the walk
  // The current row is valid.
  input  logic              primed_i,
  // The list has no rows.
  input  logic              empty_i,
  // The current row is the last of the walk.
  input  logic              last_i,
  // Number of the current row.
  input  logic [EntryW-1:0] row_i,
  // Tag of its entry.
  input  logic [EntryW-1:0] tag_i,
  // The class of its entry is continuous.
  input  logic              continuous_i,
  // Its cylinder; inverted for a collection downward, so that it rises.
  input  logic [CylW-1:0]   walk_i,

  // --- Outcome
  // Last cycle of the collection.
  output logic              ends_o,
  // An order is to be found, valid with ends_o.
  output logic              order_o,
  // Changes of MASK: cleared at the start, then one bit for each collected entry.
  output mask_change_t      mask_o,
  // Number of collected entries; holds until the next collection.
  output logic [CountW-1:0] collected_o,
  // Row of each slot; unused slots have no meaning.
  output logic [OrderMost-1:0][EntryW-1:0] slot_row_o,
  // Tag of each slot; unused slots have no meaning.
  output logic [OrderMost-1:0][EntryW-1:0] slot_tag_o
);

  if (Entries < 4 || Entries > 256) begin : g_bad_entries
    $error("sched_collect: Entries must be 4 to 256");
  end
  if (CylW < 1 || CylW > 21) begin : g_bad_cyl_w
    $error("sched_collect: CylW must be 1 to 21");
  end
  if (!order_ok(OrderM) || OrderM > Entries) begin : g_bad_order
    $error("sched_collect: OrderM must be 0 or 2 to 12, and at most Entries");
  end

  // Signals about the judged row are zero while there is none.
  // a row is judged in the next cycle; it is skipped
  logic              judges, skips;
  // the row is the last one, or the collection stops at it
  logic              ends_q;
  // it would be collected; it is too far from the first collected row
  logic              takes_q, far_q;
  logic [EntryW-1:0] judged_tag_q, judged_row_q;
  // cylinder where collecting begins; inverted if downward
  logic [CylW-1:0]   from_walk_q;
  logic   stop_row, take, any_q, order_kept, order_taken;
  logic   last_left_q;                                 // one more may be collected
  // farthest cylinder, from the first collected row
  logic [CylW:0]     bound_q;
  logic [CountW-1:0] collected_q, left_q;              // left_q: how many more may be collected

  // Until a row is collected, the bound is that of the row that is judged. The next row is compared
  // with it.
  always_ff @(posedge clk_i) begin
    from_walk_q <= cfg_i.from ^ {CylW{cfg_i.down}};
    far_q <= {1'b0, walk_i} > bound_q && (any_q || take);
    ends_q <= judges && (last_i || (stop_row && !skips));
    takes_q <= judges && !skips && !stop_row && (continuous_i ? cfg_i.take_c : cfg_i.take_d);
    judged_tag_q <= tag_i;
    judged_row_q <= row_i;
    if (!any_q && !take) begin
      bound_q <= {1'b0, walk_i} + {1'b0, cfg_i.span};
    end
  end

  assign judges = state_i.collect && primed_i;
  assign skips = walk_i < from_walk_q;
  assign stop_row = cfg_i.stop_at_c && continuous_i;
  assign take = takes_q && !far_q;

  assign order_kept = OrderM != 0 && cfg_i.order && any_q && collected_q <= CountW'(OrderM);
  assign order_taken = OrderM != 0 && cfg_i.order && collected_q < CountW'(OrderM);

  // A row that would be collected ends the collection, too, if it is too far or the last one
  // allowed. In an empty list no row is judged.
  assign ends_o = (empty_i && primed_i) || ends_q || (takes_q && (far_q || last_left_q));
  assign order_o = take ? order_taken : order_kept;
  assign mask_o.clear = start_i;
  assign mask_o.set = state_i.collect && take;
  assign mask_o.tag = TagW'(judged_tag_q);
  assign collected_o = collected_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      collected_q <= '0;
      any_q <= 1'b0;
    end else begin
      unique case (1'b1)
        state_i.idle: begin
          any_q <= 1'b0;
          if (start_i) begin
            collected_q <= '0;
          end
        end
        state_i.collect: begin
          if (take) begin
            collected_q <= collected_q + CountW'(1);
            any_q <= 1'b1;
          end
        end
        default: ;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_i.idle) begin
      left_q <= cfg_i.max;
      last_left_q <= cfg_i.max == CountW'(1);
    end else if (mask_o.set) begin
      left_q <= left_q - CountW'(1);
      last_left_q <= left_q == CountW'(2);
    end
  end

  // Slots: row and tag of the first OrderM collected entries
  if (OrderM != 0) begin : g_slots
    logic [OrderM-1:0][EntryW-1:0] row_q, tag_q;

    always_ff @(posedge clk_i) begin
      if (mask_o.set && collected_q < CountW'(OrderM)) begin
        row_q[SlotW'(collected_q)] <= judged_row_q;
        tag_q[SlotW'(collected_q)] <= judged_tag_q;
      end
    end

    assign slot_row_o = (OrderMost * EntryW)'(row_q);
    assign slot_tag_o = (OrderMost * EntryW)'(tag_q);
  end else begin : g_no_slots
    assign slot_row_o = '0;
    assign slot_tag_o = '0;
  end

endmodule
