// SPDX-License-Identifier: Apache-2.0
//
// The module works out the sums of the continuous sweep. It asks for the hops between the sweep's
// entries, from the end of the sweep to its first entry. The results are the time that the sweep
// takes, its earliest deadline, the next command, and the part of each entry.
//
// Parameters:
//   Entries  most rows of the list, 4 to 256
//   AngleW   bits of an angle, 12 to 20
//   CylW     bits of a cylinder number, 1 to 21
// Latency:    A row takes one cycle. A continuous row takes two if the walk has passed two
//             continuous rows already. The answer to a hop comes in stage 11, and the results
//             follow in the two cycles after it.
// Handshake:  The module follows state_i of sched_list. next_o is high in the last cycle of a row.

module sched_sums
  import sched_pkg::*;
  import sched_reg_pkg::*;
#(
  parameter int unsigned Entries = 32,
  parameter int unsigned AngleW = 16,
  parameter int unsigned CylW = 18,
  localparam int unsigned TimeW = time_w(AngleW),
  localparam int unsigned SumW = sum_w(AngleW),
  localparam int unsigned EntryW = index_w(Entries)
) (
  // Clock of the list, gated.
  input  logic              clk_i,
  // Reset or soft reset, synchronous, active low.
  input  logic              rst_ni,

  // State of the list.
  input  list_state_t       state_i,
  // First cycle of the state sums_drain.
  input  logic              first_i,

  // --- Current row of the walk
  // The current row is valid.
  input  logic              primed_i,
  // The list has no rows.
  input  logic              empty_i,
  // Number of the current row.
  input  logic [EntryW-1:0] row_i,
  // The class of its entry is continuous.
  input  logic              continuous_i,
  // Last cycle of the current row: the walk goes on.
  output logic              next_o,
  // The walk has passed a continuous row, so there is a sweep.
  output logic              swept_o,

  // --- Hop that is asked for
  // A hop is asked for.
  output logic              hop_o,
  // Purpose of the hop, valid with hop_o.
  output hop_kind_e         hop_kind_o,
  // Row from whose end the hop begins, valid with hop_o.
  output logic [EntryW-1:0] hop_from_o,
  // Row at whose start the hop ends, valid with hop_o.
  output logic [EntryW-1:0] hop_to_o,

  // --- Answers, in stage 11 unless stated otherwise
  // Purpose of the hop in this stage; HopNone: no answer.
  input  hop_kind_e         kind_i,
  // Worst cost of the hop, ticks.
  input  logic [TimeW-1:0]  worst_i,
  // Transfer of the entry from whose end the hop begins, ticks.
  input  logic [SumW-1:0]   transfer_i,
  // Deadline of this entry, ticks.
  input  logic [SumW-1:0]   deadline_i,
  // Tag of this entry.
  input  logic [EntryW-1:0] tag_i,
  // The hop in stage 1 is for NEXT: take place_i.
  input  logic              load_place_i,
  // Start of the entry at which the hop in stage 1 ends.
  input  sched_types#(AngleW, CylW)::place_t place_i,
  // The hop in stage 8 is for NEXT: take angle_i.
  input  logic              load_angle_i,
  // Angle of the start at which the hop in stage 8 ends, ticks.
  input  logic [AngleW-1:0] angle_i,

  // --- Results
  // NEXT, SWEEP and DUE; changes during the sums.
  output sched_types#(AngleW, CylW)::sweep_t sweep_o,
  // Part of an entry, written to the table when part_o.we is high.
  output sched_types#(AngleW, CylW)::part_t  part_o
);

  if (Entries < 4 || Entries > 256) begin : g_bad_entries
    $error("sched_sums: Entries must be 4 to 256");
  end
  if (!angle_ok(AngleW)) begin : g_bad_angle_w
    $error("sched_sums: AngleW must be 12 to 20");
  end
  if (CylW < 1 || CylW > 21) begin : g_bad_cyl_w
    $error("sched_sums: CylW must be 1 to 21");
  end

  typedef logic [EntryW-1:0] index_t;

  // A continuous row takes one cycle for each of its hops.
  logic   two_hops, second_q;
  // the walk has passed one continuous row; it has passed two
  logic   ahead_q, ahead_two_q;
  index_t ahead_row_q, ahead_two_row_q;

  assign two_hops = continuous_i && ahead_two_q;
  assign next_o = !(two_hops && !second_q);
  assign swept_o = ahead_q;

  assign hop_from_o = state_i.sums_drain ? ahead_row_q : row_i;
  assign hop_to_o = second_q ? ahead_two_row_q : ahead_row_q;

  always_comb begin
    hop_o = 1'b0;
    hop_kind_o = HopNone;
    if (state_i.sums && primed_i) begin
      hop_o = continuous_i;
      if (second_q) begin
        hop_kind_o = HopSkip;
      end else begin
        hop_kind_o = ahead_two_q ? HopNext : ahead_q ? HopLast : HopLone;
      end
    end else if (state_i.sums_drain) begin
      hop_o = first_i && ahead_q;
      hop_kind_o = HopLoad;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      second_q <= 1'b0;
      ahead_q <= 1'b0;
      ahead_two_q <= 1'b0;
    end else begin
      unique case (1'b1)
        state_i.idle: begin
          second_q <= 1'b0;
          ahead_q <= 1'b0;
          ahead_two_q <= 1'b0;
        end
        state_i.sums: if (!empty_i && primed_i) begin
          second_q <= !next_o;
          if (next_o && continuous_i) begin
            ahead_q <= 1'b1;
            ahead_two_q <= ahead_q;
          end
        end
        default: ;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_i.sums && next_o && continuous_i && primed_i) begin
      ahead_row_q <= row_i;
      ahead_two_row_q <= ahead_row_q;
    end
  end

  // Stage 11. The sums run through the sweep from its end. Tags and hops of the entries that were
  // seen before wait for the hop of the next entry. The hop of the last entry counts as zero.
  logic [SumW-1:0]         later;
  logic                    step, last_q;
  logic [TimeW-1:0]        hop_q;
  logic [TimeW:0]          hops_q;                   // sum of the last two hops
  logic [EntryW-1:0]       tag_q, tag_before_q;
  logic [SumW:0]           node_q;
  logic                    node_valid_q;

  assign step = kind_i == HopLone || kind_i == HopLast || kind_i == HopNext;
  assign later = deadline_i - sweep_o.due;

  always_ff @(posedge clk_i) begin
    if (step) begin
      if (kind_i == HopLone) begin
        hop_q <= '0;
      end else begin
        hop_q <= worst_i;
      end
      hops_q <= {1'b0, worst_i} + {1'b0, hop_q};
      tag_q <= tag_i;
      tag_before_q <= tag_q;
      node_q <= {1'b0, transfer_i} + ((kind_i != HopLone) ? (SumW + 1)'(worst_i) : '0);
    end
  end

  always_ff @(posedge clk_i) begin
    part_o.part <= ((kind_i == HopSkip) ? (TimeW + 2)'(worst_i) : '0) - (TimeW + 2)'(hops_q);
    part_o.tag <= TagW'(tag_before_q);
  end

  // Stage 12
  function automatic logic [SumW-1:0] clamped_sum(logic [SumW:0] node, logic [SumW-1:0] rest);
    logic [SumW+1:0] sum;
    sum = {1'b0, node} + {2'b00, rest};
    return sum[SumW-1:0] | {SumW{|sum[SumW+1:SumW]}};
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni || (state_i.sums && !primed_i)) begin
      node_valid_q <= 1'b0;
      part_o.we <= 1'b0;
      last_q <= 1'b0;
      sweep_o.sweep <= '0;
      sweep_o.due <= '0;
      sweep_o.next.valid <= 1'b0;
      sweep_o.next.tag <= '0;
    end else begin
      node_valid_q <= step;
      last_q <= kind_i == HopLast;
      part_o.we <= last_q || kind_i == HopSkip;
      if (node_valid_q) begin
        sweep_o.sweep <= clamped_sum(node_q, sweep_o.sweep);
      end
      if (kind_i == HopLone || (step && later[SumW-1])) begin
        sweep_o.due <= deadline_i;
      end
      if (kind_i == HopLoad) begin
        sweep_o.next.valid <= 1'b1;
        sweep_o.next.tag <= TagW'(tag_i);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (load_place_i) begin
      sweep_o.next.place <= place_i;
    end
    if (load_angle_i) begin
      sweep_o.next.angle <= angle_i;
    end
  end

endmodule
