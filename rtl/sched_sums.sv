// SPDX-License-Identifier: Apache-2.0
//
// Sums of the continuous sweep: asks for the hops between its entries and works out, from its end to its first, how long it takes,
// the earliest deadline, the next command, and what each entry's leaving saves.
//
// Parameters: Entries, AngleW, CylW (see sched_core).
// Latency:    a row takes a cycle, a continuous one with two continuous ones ahead of it two; a hop's answer comes in stage 11, what
//             follows from it in the two cycles after.
// Handshake:  follows state_i of sched_list. next_o is high in the last cycle of a row.

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
  input  logic              clk_i,
  input  logic              rst_ni,

  input  list_state_t       state_i,
  input  logic              first_i,           // first cycle of the drain

  // Row at hand
  input  logic              primed_i,
  input  logic              empty_i,           // the list has no rows
  input  logic [EntryW-1:0] row_i,
  input  logic              continuous_i,
  output logic              next_o,
  output logic              swept_o,           // there is a sweep

  // Hop that is asked for
  output logic              hop_o,
  output hop_kind_e         hop_kind_o,
  output logic [EntryW-1:0] hop_from_o,
  output logic [EntryW-1:0] hop_to_o,

  // What comes of it: kind, answer and entry in stage 11; NEXT's place in stage 1, its angle in stage 8
  input  hop_kind_e         kind_i,
  input  logic [TimeW-1:0]  worst_i,
  input  logic [SumW-1:0]   transfer_i,
  input  logic [SumW-1:0]   deadline_i,
  input  logic [EntryW-1:0] tag_i,
  input  logic              load_place_i,
  input  sched_types#(AngleW, CylW)::place_t place_i,
  input  logic              load_angle_i,
  input  logic [AngleW-1:0] angle_i,

  output sched_types#(AngleW, CylW)::sweep_t sweep_o,
  output sched_types#(AngleW, CylW)::part_t  part_o
);

  if (Entries < 4 || Entries > 256) begin : g_bad_entries
    $error("sched_sums: Entries must be 4 to 256");
  end
  if (!angle_ok(AngleW)) begin : g_bad_angle_w
    $error("sched_sums: AngleW must be 12 to 20");
  end
  if (CylW < 1 || CylW > 18) begin : g_bad_cyl_w
    $error("sched_sums: CylW must be 1 to 18");
  end

  typedef logic [EntryW-1:0] index_t;

  // A row that is continuous takes a cycle for each of its hops.
  logic   two_hops, second_q;
  logic   ahead_q, ahead_two_q;          // there is one, there are two continuous entries beyond the row at hand
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

  // Stage 11. The sums go through the sweep from its end: tags and hops of the entries seen before wait for the
  // next one's; the last one's hop counts as zero.
  logic [SumW-1:0]         later;
  logic                    step, last_q;
  logic [TimeW-1:0]        hop_q;
  logic [TimeW:0]          hops_q;                   // the last two
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
