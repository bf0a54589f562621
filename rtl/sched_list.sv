// SPDX-License-Identifier: Apache-2.0
//
// The list: all entries in ascending order of the cylinder where they start. Keeps that order, works out the sums of
// the continuous sweep, collects clusters and streams their cost matrix. The hops that it needs go
// through the hop unit of the first lane.
//
// Parameters: Entries, AngleW, CylW (see sched_core), OrderM (slots of a cluster that is to be ordered; 0: none).
// Latency:    by operation, see docs/reference/scheduler_accelerator.md. A hop asked for in one cycle is in stage 1 in
//             the next and answered in stage 11.
// Handshake:  one operation at a time: insert_i, remove_i, sums_i or collect_i for one cycle, then done_o in its last
//             cycle. reset ends whatever runs and empties the list. The staged entry and the
//             tag are stable meanwhile and, as late_o shows, in the cycle after an insertion.

module sched_list
  import sched_pkg::*;
#(
  parameter int unsigned Entries = 32,
  parameter int unsigned AngleW = 16,
  parameter int unsigned CylW = 18,
  parameter int unsigned OrderM = 6,
  localparam int unsigned TimeW = time_w(AngleW),
  localparam int unsigned SumW = sum_w(AngleW),
  localparam int unsigned EntryW = index_w(Entries)
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  // Operations
  input  logic              insert_i,
  input  logic              remove_i,
  input  logic              cancel_i,          // in the cycle after insert_i or remove_i: it is not done
  input  logic              sums_i,
  input  logic              collect_i,
  input  logic              kind_insert_i,     // which one it would be, early in the cycle
  input  logic              kind_remove_i,
  input  logic              kind_collect_i,
  output logic              done_o,
  output logic              late_o,            // the cycle after an insertion: the entry is written

  // The entry to insert; the tag to insert or remove
  input  logic [TagW-1:0]   tag_i,
  input  logic [CylW-1:0]   start_cyl_i,
  input  logic [HeadW-1:0]  start_head_i,
  input  logic [AngleW-1:0] start_angle_i,
  input  logic              write_i,
  input  logic              continuous_i,
  input  logic [CylW-1:0]   end_cyl_i,
  input  logic [HeadW-1:0]  end_head_i,
  input  logic [AngleW-1:0] end_angle_i,
  input  logic [SumW-1:0]   transfer_i,
  input  logic [SumW-1:0]   deadline_i,

  output logic [CountW-1:0] count_o,

  // The entry removed
  output logic              removed_o,
  output logic              removed_continuous_o,
  output logic [CylW-1:0]   removed_cyl_o,
  output logic [HeadW-1:0]  removed_head_o,
  output logic              removed_write_o,

  // Sweep
  input  logic              sweep_down_i,
  output logic              swept_o,           // beside done_o: there is a sweep
  output logic              next_valid_o,
  output logic [TagW-1:0]   next_tag_o,
  output logic [CylW-1:0]   next_cyl_o,
  output logic [HeadW-1:0]  next_head_o,
  output logic              next_write_o,
  output logic [AngleW-1:0] next_angle_o,
  output logic [SumW-1:0]   sweep_o,
  output logic [SumW-1:0]   due_o,
  output logic              part_we_o,
  output logic [TagW-1:0]   part_tag_o,
  output logic signed [TimeW+1:0] part_o,

  // Clusters
  input  logic [CountW-1:0] max_i,
  input  logic              take_continuous_i,
  input  logic              take_other_i,
  input  logic              stop_at_continuous_i,
  input  logic              down_i,
  input  logic [CylW-1:0]   from_i,
  input  logic [CylW-1:0]   span_i,
  output logic              mask_clear_o,
  output logic              mask_set_o,
  output logic [TagW-1:0]   mask_tag_o,
  output logic [CountW-1:0] collected_o,
  input  logic              order_i,           // stream the cost matrix of what was collected
  output logic              streamed_o,        // beside done_o: that was done
  output logic [OrderMost-1:0][TagW-1:0] slot_tag_o,

  // Cost matrix
  output logic              cost_we_o,
  output logic [SlotW-1:0]  cost_from_o,       // OrderM: the head
  output logic [SlotW-1:0]  cost_to_o,
  output logic [TimeW-1:0]  cost_o,

  // Hop unit of the first lane
  output logic [StageCost:StageDistance] hop_en_o,
  output logic              hop_head_o,        // stage 1
  output logic [CylW-1:0]   hop_from_cyl_o,
  output logic [HeadW-1:0]  hop_from_head_o,
  output logic              hop_from_write_o,
  output logic [CylW-1:0]   hop_to_cyl_o,
  output logic [HeadW-1:0]  hop_to_head_o,
  output logic              hop_to_write_o,
  output logic              hop_angle_head_o,  // stage 8
  output logic [AngleW-1:0] hop_from_angle_o,
  output logic [AngleW-1:0] hop_to_angle_o,
  input  logic [AngleW-1:0] risk_charge_i,
  input  logic [TimeW-1:0]  reach_i,           // stage 11
  input  logic [TimeW-1:0]  worst_i,
  input  logic              risky_i
);

  typedef logic [EntryW-1:0] index_t;
  typedef logic [EntryW:0]   place_t;    // 0 to Entries

  typedef enum logic [2:0] {
    Idle, Insert, Remove, Sums, SumsDrain, Collect, Matrix, MatrixDrain
  } state_e;

  // What a hop of the pipeline is for.
  typedef enum logic [2:0] {
    HopNone,
    HopLone,      // the last of the sweep, no hop at all
    HopLast,      // to the last of the sweep
    HopNext,      // to the next of the sweep
    HopSkip,      // to the one after it
    HopLoad,      // no hop: the first of the sweep becomes NEXT
    HopHead,      // matrix: from the head
    HopPair       // matrix: from one slot to another
  } hop_e;

  localparam int unsigned DrainCycles = StageBest - 2;

  state_e state_q;
  logic   primed_q;                      // the row asked for first is there
  logic   last_row;                      // the row at hand ends the walk
  place_t count_q, top_q;                // entries, less one
  place_t place_q;                       // row at hand; Insert: the row before
  index_t end_q;                         // where the walk ends
  logic   found_q;

  assign count_o = CountW'(count_q);

  // ------------------------------------------------------------------------------- memories
  // Split by what reads them together.
  logic [CylW+EntryW:0]        key_mem [Entries];       // {cylinder, continuous, tag}
  logic [CylW+HeadW:0]         to_mem [Entries];        // {cylinder, head, write}
  logic [CylW+HeadW:0]         from_mem [Entries];      // {cylinder, head, write}
  logic [AngleW-1:0]           to_angle_mem [Entries];
  logic [AngleW-1:0]           from_angle_mem [Entries];
  logic [2*SumW+EntryW-1:0]    work_mem [Entries];      // {transfer, deadline, tag}

  logic                        write_en, write_new_q;
  index_t                      write_row, read_row_q;   // read_row_q: the row to read, or to read next
  logic                        shift;
  logic                        key_en;
  logic [CylW+EntryW:0]        key_q, key_d;
  logic [CylW-1:0]             walk_q, from_walk_q;     // for a walk downward inverted, so that they always rise
  logic                        higher_q;                // the row at hand is on a higher cylinder than the new entry
  logic [CylW+HeadW:0]         to_q, to_d, from_q, from_d;
  logic [AngleW-1:0]           to_angle_q, to_angle_d, from_angle_q, from_angle_d;
  logic [2*SumW+EntryW-1:0]    work_q, work_d;
  index_t                      to_row, from_row, to_angle_row, from_angle_row, work_row;

  logic                        row_continuous;
  logic [EntryW-1:0]           row_tag, tag;
  logic                        unused_tag;

  assign tag = tag_i[EntryW-1:0];
  assign unused_tag = ^tag_i;
  assign {row_continuous, row_tag} = key_q[EntryW:0];

  // While rows are moved all memories read the same row; a moved row is written as it was read. A new entry is written
  // in the cycle after that in which its place was found.
  assign shift = state_q == Insert || state_q == Remove;
  assign key_d = write_new_q ? {start_cyl_i, continuous_i, tag} : key_q;
  assign to_d = write_new_q ? {start_cyl_i, start_head_i, write_i} : to_q;
  assign from_d = write_new_q ? {end_cyl_i, end_head_i, write_i} : from_q;
  assign to_angle_d = write_new_q ? start_angle_i : to_angle_q;
  assign from_angle_d = write_new_q ? end_angle_i : from_angle_q;
  assign work_d = write_new_q ? {transfer_i, deadline_i, tag} : work_q;

  always_ff @(posedge clk_i) begin
    if (write_en) begin
      key_mem[write_row] <= key_d;
      to_mem[write_row] <= to_d;
      from_mem[write_row] <= from_d;
      to_angle_mem[write_row] <= to_angle_d;
      from_angle_mem[write_row] <= from_angle_d;
      work_mem[write_row] <= work_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (key_en) begin
      key_q <= key_mem[read_row_q];
      last_row <= read_row_q == end_q;
      walk_q <= key_mem[read_row_q][CylW+EntryW-:CylW] ^ {CylW{down_i}};
      higher_q <= key_mem[read_row_q][CylW+EntryW-:CylW] > start_cyl_i;
    end
    to_q <= to_mem[shift ? read_row_q : to_row];
    from_q <= from_mem[shift ? read_row_q : from_row];
    to_angle_q <= to_angle_mem[shift ? read_row_q : to_angle_row];
    from_angle_q <= from_angle_mem[shift ? read_row_q : from_angle_row];
    work_q <= work_mem[shift ? read_row_q : work_row];
  end

  // ------------------------------------------------------------------------------- hops
  logic                   hop, hop_head;
  hop_e                   hop_kind;
  index_t                 hop_from, hop_to;
  hop_e [StageKey:1]      kind_q;
  index_t [StageCost:1]   hop_from_q;
  index_t [StageMultiply:1] hop_to_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      kind_q <= '0;
    end else begin
      kind_q <= {kind_q[StageCost:1], hop ? hop_kind : HopNone};
    end
  end

  always_ff @(posedge clk_i) begin
    hop_from_q <= {hop_from_q[StageArrive:1], hop_from};
    hop_to_q <= {hop_to_q[StageLine:1], hop_to};
  end

  assign to_row = hop_to;
  assign from_row = hop_from;
  assign to_angle_row = hop_to_q[StageMultiply];
  assign from_angle_row = hop_from_q[StageMultiply];
  assign work_row = hop_from_q[StageCost];

  for (genvar stage = StageDistance; stage <= StageCost; stage++) begin : g_hop_en
    assign hop_en_o[stage] = kind_q[stage] != HopNone;
  end
  assign hop_head_o = kind_q[StageDistance] == HopHead;
  assign {hop_from_cyl_o, hop_from_head_o, hop_from_write_o} = from_q;
  assign {hop_to_cyl_o, hop_to_head_o, hop_to_write_o} = to_q;
  assign hop_angle_head_o = kind_q[StageSeek] == HopHead;
  assign hop_from_angle_o = from_angle_q;
  assign hop_to_angle_o = to_angle_q;

  // ------------------------------------------------------------------------------- course
  logic   walk_up, advance, two_hops, second_q;
  logic   ahead_q, ahead_two_q;          // there is one, there are two continuous entries beyond the row at hand
  index_t ahead_row_q, ahead_two_row_q;
  logic [3:0] drain_q;
  logic   drain_last;

  // Collecting, in two steps: a row at hand is compared, then judged.
  logic              judged_q, skip_q, far_q, judged_last_q, stop_q, take_class_q;
  logic [EntryW-1:0] judged_tag_q;
  index_t            judged_row_q;
  logic   stop_row, take, too_far, any_q, order_kept, order_taken;
  logic   last_left_q;                                 // one more may be collected
  logic [1:0]        if_skipped, if_far, if_near, outcome;
  logic [CylW:0]     bound_q;                          // farthest from the first one collected
  logic [CountW-1:0] collected_q, left_q;              // left_q: until there are as many as there may be
  logic              collect_done, order_wanted;

  // Matrix
  logic [SlotW-1:0]  from_slot_q, to_slot_q;           // from slot OrderM: the head
  logic              matrix_last;
  logic [OrderMost-1:0][EntryW-1:0] slot_row;

  // Row after the one at hand, in the direction of the walk.
  assign walk_up = (state_q == Collect) ? !down_i :
                   (state_q == Sums) ? sweep_down_i : 1'b1;

  assign drain_last = drain_q == 4'(DrainCycles - 1);

  // Inserting: rows move up until one is not on a higher cylinder.
  logic higher;
  assign higher = place_q != '0 && higher_q;

  // Removing: rows behind the one that leaves move down.
  logic              match;
  logic [EntryW-1:0] leaves_q;               // the tag that leaves
  assign match = !found_q && row_tag == leaves_q;

  assign removed_o = state_q == Remove && primed_q && match;
  assign removed_continuous_o = row_continuous;
  assign {removed_cyl_o, removed_head_o, removed_write_o} = from_q;

  assign late_o = write_new_q;
  assign write_en = write_new_q || (primed_q && (state_q == Insert || (state_q == Remove && found_q)));
  assign write_row = (state_q == Remove) ? index_t'(place_q - place_t'(1)) : index_t'(place_q);

  // Sums: a row that is continuous takes a cycle for each of its hops.
  assign two_hops = row_continuous && ahead_two_q;
  assign advance = !(two_hops && !second_q);

  assign hop_from = (state_q == Matrix) ? slot_row[from_slot_q] :
      (state_q == SumsDrain) ? ahead_row_q : index_t'(place_q);
  assign hop_to = (state_q == Matrix) ? slot_row[to_slot_q] :
      second_q ? ahead_two_row_q : ahead_row_q;

  always_comb begin
    hop = 1'b0;
    hop_head = 1'b0;
    hop_kind = HopNone;
    unique case (state_q)
      Sums: if (primed_q) begin
        hop = row_continuous;
        if (second_q) begin
          hop_kind = HopSkip;
        end else begin
          hop_kind = ahead_two_q ? HopNext : ahead_q ? HopLast : HopLone;
        end
      end
      SumsDrain: begin
        hop = drain_q == '0 && ahead_q;
        hop_kind = HopLoad;
      end
      Matrix: begin
        hop = 1'b1;
        hop_head = from_slot_q == SlotW'(OrderM);
        hop_kind = hop_head ? HopHead : HopPair;
      end
      default: ;
    endcase
  end

  // Collecting. Until something has been collected, the bound is that of the row that is judged, with which the next is compared.
  always_ff @(posedge clk_i) begin
    skip_q <= walk_q < from_walk_q;
    far_q <= {1'b0, walk_q} > bound_q;
    judged_last_q <= last_row;
    stop_q <= stop_row;
    take_class_q <= !stop_row && (row_continuous ? take_continuous_i : take_other_i);
    judged_tag_q <= row_tag;
    judged_row_q <= index_t'(place_q);
    if (!any_q && !take) begin
      bound_q <= {1'b0, walk_q} + {1'b0, span_i};
    end
  end

  assign too_far = any_q && far_q;
  assign stop_row = stop_at_continuous_i && row_continuous;
  assign take = judged_q && take_class_q && !skip_q && !too_far;

  assign order_kept = OrderM != 0 && order_i && any_q && collected_q <= CountW'(OrderM);
  assign order_taken = OrderM != 0 && order_i && collected_q < CountW'(OrderM);

  // {ends, with an order to be found} if the row is skipped, too far, or neither
  assign if_skipped = {judged_last_q, order_kept};
  assign if_far = {take_class_q || stop_q || judged_last_q, order_kept};
  assign if_near = take_class_q ? {last_left_q || judged_last_q, order_taken} : {stop_q || judged_last_q, order_kept};

  assign outcome = (count_q == '0) ? {primed_q, 1'b0} : !judged_q ? 2'b00 :
      skip_q ? if_skipped : too_far ? if_far : if_near;
  assign collect_done = outcome[1];
  assign order_wanted = outcome[0];
  assign mask_clear_o = collect_i;
  assign mask_set_o = state_q == Collect && take;
  assign mask_tag_o = TagW'(judged_tag_q);
  assign collected_o = collected_q;

  // The next pair of slots: the head to each, then each to each other.
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
    // From the last slot the pairs end with the last but one; a single slot has the head's alone.
    pair.last = row_end && (most == '0 || from == most);
    return pair;
  endfunction

  logic [SlotW-1:0] last_slot;
  pair_t            pair, tail_pair;
  logic [SlotW-1:0] tail_from_q, tail_to_q;
  logic             unused_last;

  assign last_slot = SlotW'(collected_q) - SlotW'(1);
  assign pair = next_pair(from_slot_q, to_slot_q, last_slot);
  assign matrix_last = pair.last;

  assign swept_o = ahead_q;
  assign streamed_o = state_q == MatrixDrain;

  // done_o: the last cycle of the operation.
  always_comb begin
    unique case (state_q)
      Insert: done_o = primed_q && !higher;
      Remove: done_o = primed_q && last_row;
      SumsDrain, MatrixDrain: done_o = drain_last;
      Collect: done_o = collect_done && !order_wanted;
      default: done_o = 1'b0;
    endcase
  end

  // The row to read: the first one of the walk, then the one after the row at hand.
  assign key_en = state_q != Sums || !primed_q || advance;

  logic from_top;

  assign from_top = !kind_remove_i && (kind_collect_i ? down_i : !sweep_down_i);

  always_ff @(posedge clk_i) begin
    if (!primed_q) begin
      leaves_q <= tag;
    end
    from_walk_q <= from_i ^ {CylW{down_i}};
    if (state_q == Idle) begin
      end_q <= from_top ? '0 : index_t'(top_q);
      read_row_q <= (kind_insert_i || from_top) ? index_t'(top_q) : '0;
    end else if (key_en) begin
      if (state_q == Remove || (state_q != Insert && walk_up)) begin
        read_row_q <= read_row_q + index_t'(1);
      end else begin
        read_row_q <= read_row_q - index_t'(1);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Idle;
      primed_q <= 1'b0;
      judged_q <= 1'b0;
      count_q <= '0;
      top_q <= '1;
      place_q <= '0;
      found_q <= 1'b0;
      second_q <= 1'b0;
      ahead_q <= 1'b0;
      ahead_two_q <= 1'b0;
      drain_q <= '0;
      collected_q <= '0;
      any_q <= 1'b0;
      write_new_q <= 1'b0;
    end else begin
      write_new_q <= state_q == Insert && primed_q && !higher;
      unique case (state_q)
        Idle: begin
          primed_q <= 1'b0;
          judged_q <= 1'b0;
          found_q <= 1'b0;
          second_q <= 1'b0;
          drain_q <= '0;
          place_q <= kind_insert_i ? count_q : from_top ? top_q : '0;
          if (insert_i) begin
            state_q <= Insert;
          end
          if (remove_i) begin
            state_q <= Remove;
          end
          if (sums_i) begin
            state_q <= Sums;
            ahead_q <= 1'b0;
            ahead_two_q <= 1'b0;
          end
          if (collect_i) begin
            state_q <= Collect;
            collected_q <= '0;
            any_q <= 1'b0;
          end
        end
        Insert: begin
          primed_q <= !cancel_i;
          if (cancel_i) begin
            state_q <= Idle;
          end
          if (primed_q) begin
            if (higher) begin
              place_q <= place_q - place_t'(1);
            end else begin
              state_q <= Idle;
              count_q <= count_q + place_t'(1);
              top_q <= count_q;
            end
          end
        end
        Remove: begin
          primed_q <= !cancel_i;
          if (cancel_i) begin
            state_q <= Idle;
          end
          if (primed_q) begin
            found_q <= found_q || match;
            place_q <= place_q + place_t'(1);
            if (last_row) begin
              state_q <= Idle;
              count_q <= top_q;
              top_q <= top_q - place_t'(1);
            end
          end
        end
        Sums: begin
          primed_q <= 1'b1;
          if (count_q == '0) begin
            state_q <= SumsDrain;
          end else if (primed_q) begin
            second_q <= !advance;
            if (advance) begin
              if (row_continuous) begin
                ahead_q <= 1'b1;
                ahead_two_q <= ahead_q;
              end
              place_q <= walk_up ? place_q + place_t'(1) : place_q - place_t'(1);
              if (last_row) begin
                state_q <= SumsDrain;
              end
            end
          end
        end
        SumsDrain, MatrixDrain: begin
          drain_q <= drain_q + 4'd1;
          if (drain_last) begin
            state_q <= Idle;
          end
        end
        Collect: begin
          primed_q <= 1'b1;
          judged_q <= primed_q;
          if (collect_done) begin
            state_q <= order_wanted ? Matrix : Idle;
          end
          if (take) begin
            collected_q <= collected_q + CountW'(1);
            any_q <= 1'b1;
          end
          if (primed_q) begin
            place_q <= walk_up ? place_q + place_t'(1) : place_q - place_t'(1);
          end
        end
        Matrix: begin
          if (matrix_last) begin
            state_q <= MatrixDrain;
          end
        end
        default: state_q <= Idle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Sums && advance && row_continuous && primed_q) begin
      ahead_row_q <= index_t'(place_q);
      ahead_two_row_q <= ahead_row_q;
    end
    if (collect_i) begin
      left_q <= max_i;
      last_left_q <= max_i == CountW'(1);
    end else if (mask_set_o) begin
      left_q <= left_q - CountW'(1);
      last_left_q <= left_q == CountW'(2);
    end
    if (collect_i) begin
      from_slot_q <= SlotW'(OrderM);
      to_slot_q <= '0;
    end else if (state_q == Matrix) begin
      from_slot_q <= pair.from;
      to_slot_q <= pair.to;
    end
  end

  // Slots: row and tag of the first OrderM that were collected.
  for (genvar slot = 0; slot < OrderMost; slot++) begin : g_slot
    if (slot < OrderM) begin : g_used
      index_t row_q;
      logic [EntryW-1:0] tag_q;
      always_ff @(posedge clk_i) begin
        if (mask_set_o && collected_q == CountW'(slot)) begin
          row_q <= judged_row_q;
          tag_q <= judged_tag_q;
        end
      end
      assign slot_row[slot] = row_q;
      assign slot_tag_o[slot] = TagW'(tag_q);
    end else begin : g_unused
      assign slot_row[slot] = '0;
      assign slot_tag_o[slot] = '0;
    end
  end

  // ------------------------------------------------------------------------------- what comes of the hops
  // Stage 11. The sums go through the sweep from its end: tags and hops of the entries seen before wait for the
  // next one's; the last one's hop counts as zero.
  logic [SumW-1:0]         transfer, deadline, later;
  logic [EntryW-1:0]       work_tag;
  hop_e                    kind;
  logic                    step, last_q;
  logic [TimeW-1:0]        hop_q;
  logic [TimeW:0]          hops_q;                   // the last two
  logic [EntryW-1:0]       tag_q, tag_before_q;
  logic [SumW:0]           node_q;
  logic                    node_valid_q;

  assign kind = kind_q[StageKey];
  assign {transfer, deadline, work_tag} = work_q;
  assign step = kind == HopLone || kind == HopLast || kind == HopNext;
  assign later = deadline - due_o;

  always_ff @(posedge clk_i) begin
    if (step) begin
      if (kind == HopLone) begin
        hop_q <= '0;
      end else begin
        hop_q <= worst_i;
      end
      hops_q <= {1'b0, worst_i} + {1'b0, hop_q};
      tag_q <= work_tag;
      tag_before_q <= tag_q;
      node_q <= {1'b0, transfer} + ((kind != HopLone) ? (SumW + 1)'(worst_i) : '0);
    end
  end

  always_ff @(posedge clk_i) begin
    part_o <= ((kind == HopSkip) ? (TimeW + 2)'(worst_i) : '0) - (TimeW + 2)'(hops_q);
    part_tag_o <= TagW'(tag_before_q);
  end

  // Stage 12
  function automatic logic [SumW-1:0] clamped_sum(logic [SumW:0] node, logic [SumW-1:0] rest);
    logic [SumW+1:0] sum;
    sum = {1'b0, node} + {2'b00, rest};
    return sum[SumW-1:0] | {SumW{|sum[SumW+1:SumW]}};
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni || (state_q == Sums && !primed_q)) begin
      node_valid_q <= 1'b0;
      part_we_o <= 1'b0;
      last_q <= 1'b0;
      sweep_o <= '0;
      due_o <= '0;
      next_valid_o <= 1'b0;
      next_tag_o <= '0;
    end else begin
      node_valid_q <= step;
      last_q <= kind == HopLast;
      part_we_o <= last_q || kind == HopSkip;
      if (node_valid_q) begin
        sweep_o <= clamped_sum(node_q, sweep_o);
      end
      if (kind == HopLone || (step && later[SumW-1])) begin
        due_o <= deadline;
      end
      if (kind == HopLoad) begin
        next_valid_o <= 1'b1;
        next_tag_o <= TagW'(work_tag);
      end
    end
  end

  // NEXT's place passes in stage 1, its angle in stage 8.
  always_ff @(posedge clk_i) begin
    if (kind_q[StageDistance] == HopLoad) begin
      {next_cyl_o, next_head_o, next_write_o} <= to_q;
    end
    if (kind_q[StageSeek] == HopLoad) begin
      next_angle_o <= to_angle_q;
    end
  end

  // Matrix: the pairs come out in the order in which they went in.
  function automatic logic [TimeW-1:0] clamped_cost(logic [TimeW-1:0] reach, logic [AngleW-1:0] charge,
                                                    logic applies);
    logic [TimeW:0] sum;
    sum = {1'b0, reach} + (applies ? (TimeW + 1)'(charge) : '0);
    return sum[TimeW-1:0] | {TimeW{sum[TimeW]}};
  endfunction

  assign tail_pair = next_pair(tail_from_q, tail_to_q, last_slot);
  assign unused_last = tail_pair.last;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      cost_we_o <= 1'b0;
    end else begin
      cost_we_o <= (kind == HopHead || kind == HopPair);
    end
  end

  always_ff @(posedge clk_i) begin
    if (collect_i) begin
      tail_from_q <= SlotW'(OrderM);
      tail_to_q <= '0;
    end else if (kind == HopHead || kind == HopPair) begin
      tail_from_q <= tail_pair.from;
      tail_to_q <= tail_pair.to;
    end
    cost_from_o <= tail_from_q;
    cost_to_o <= tail_to_q;
    cost_o <= clamped_cost(reach_i, risk_charge_i, risky_i);
  end

endmodule
