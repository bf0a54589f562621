// SPDX-License-Identifier: Apache-2.0
//
// The module holds the list's rows: a memory sorted by the cylinder where an entry starts. It walks
// along the rows, and inserts and removes entries.
//
// Parameters:
//   Entries  most rows, 4 to 256
//   AngleW   bits of an angle, 12 to 20
//   CylW     bits of a cylinder number, 1 to 21
// Latency:    An insertion takes one cycle, one for each row on a higher cylinder, and one for the
//             first row that is not. A removal takes one cycle, and one for each row. A walk has
//             its first row two cycles after the operation begins, and then one row for each cycle
//             in which next_i is high. A row that a *_row_i input names is read in the next cycle.
// Handshake:  The module follows state_i of sched_list. While rows move, the memories that *_row_i
//             address read the moving row instead. The staged entry and the tag are stable during
//             the operation and, after an insertion, in the cycle of late_o, too.

module sched_rows
  import sched_pkg::*;
  import sched_reg_pkg::*;
#(
  parameter int unsigned Entries = 32,
  parameter int unsigned AngleW = 16,
  parameter int unsigned CylW = 18,
  localparam int unsigned SumW = sum_w(AngleW),
  localparam int unsigned EntryW = index_w(Entries)
) (
  // Clock of the list, gated.
  input  logic              clk_i,
  // Reset or soft reset, synchronous, active low: the list is empty.
  input  logic              rst_ni,

  // State of the list.
  input  list_state_t       state_i,
  // Operation: kind_* in the cycle that starts it, cancel in the next.
  input  list_op_t          op_i,

  // --- Change
  // Tag to insert or remove.
  input  logic [EntryW-1:0] tag_i,
  // The entry to insert.
  input  sched_types#(AngleW, CylW)::entry_t entry_i,
  // The cycle after an insertion, in which the entry is written to its row.
  output logic              late_o,
  // Last cycle of an insertion or removal that is not cancelled.
  output logic              moved_o,
  // The entry that leaves; removed_o.valid is high for one cycle of a removal.
  output sched_types#(AngleW, CylW)::removed_t removed_o,

  // Number of rows, 0 to Entries.
  output logic [EntryW:0]   count_o,
  // There are no rows.
  output logic              empty_o,

  // --- Walk
  // CTRL.SWEEP_DOWN: sums walk from the lowest row up, otherwise from the highest down.
  input  logic              sweep_down_i,
  // CLUSTER.DOWN: a collection walks from the highest row down.
  input  logic              cluster_down_i,
  // The walk goes to higher rows.
  input  logic              up_i,
  // Go on to the next row with the end of this cycle.
  input  logic              next_i,
  // The current row is valid.
  output logic              primed_o,
  // The current row is the last of the walk.
  output logic              last_o,
  // Number of the current row.
  output logic [EntryW-1:0] row_o,
  // Tag of the current row's entry.
  output logic [EntryW-1:0] tag_o,
  // The class of the current row's entry is continuous.
  output logic              continuous_o,
  // Cylinder of the current row; inverted if cluster_down_i, so that it rises along a collection.
  output logic [CylW-1:0]   walk_o,

  // --- Rows that hops need
  // Row whose start is needed.
  input  logic [EntryW-1:0] to_row_i,
  // Row whose end is needed.
  input  logic [EntryW-1:0] from_row_i,
  // Row whose start angle is needed.
  input  logic [EntryW-1:0] to_angle_row_i,
  // Row whose end angle is needed.
  input  logic [EntryW-1:0] from_angle_row_i,
  // Row whose transfer, deadline and tag are needed.
  input  logic [EntryW-1:0] work_row_i,
  // Start of to_row_i, one cycle later.
  output sched_types#(AngleW, CylW)::place_t to_o,
  // End of from_row_i, one cycle later.
  output sched_types#(AngleW, CylW)::place_t from_o,
  // Angle of the start of to_angle_row_i, ticks, one cycle later.
  output logic [AngleW-1:0] to_angle_o,
  // Angle of the end of from_angle_row_i, ticks, one cycle later.
  output logic [AngleW-1:0] from_angle_o,
  // Transfer of work_row_i, ticks, one cycle later.
  output logic [SumW-1:0]   transfer_o,
  // Deadline of work_row_i, ticks, one cycle later.
  output logic [SumW-1:0]   deadline_o,
  // Tag of work_row_i, one cycle later.
  output logic [EntryW-1:0] work_tag_o
);

  if (Entries < 4 || Entries > 256) begin : g_bad_entries
    $error("sched_rows: Entries must be 4 to 256");
  end
  if (!angle_ok(AngleW)) begin : g_bad_angle_w
    $error("sched_rows: AngleW must be 12 to 20");
  end
  if (CylW < 1 || CylW > 21) begin : g_bad_cyl_w
    $error("sched_rows: CylW must be 1 to 21");
  end

  typedef logic [EntryW-1:0] index_t;
  typedef logic [EntryW:0]   place_t;    // 0 to Entries

  logic   primed_q;                      // the first row of the walk has been read
  place_t count_q, top_q;                // number of rows; the same less one
  place_t place_q;                       // current row; in an insertion the row to write
  index_t end_q;                         // last row of the walk
  logic   found_q;

  assign count_o = count_q;
  assign primed_o = primed_q;
  assign row_o = index_t'(place_q);

  // Memories, one for each group of data that is read together
  logic [CylW+EntryW:0]        key_mem [Entries];       // {cylinder, continuous, tag}
  logic [CylW+HeadW:0]         to_mem [Entries];        // {cylinder, head, write}
  logic [CylW+HeadW:0]         from_mem [Entries];      // {cylinder, head, write}
  logic [AngleW-1:0]           to_angle_mem [Entries];
  logic [AngleW-1:0]           from_angle_mem [Entries];
  logic [2*SumW+EntryW-1:0]    work_mem [Entries];      // {transfer, deadline, tag}

  logic                        write_en, write_new_q;
  index_t                      write_row, read_row_q;   // read_row_q: the row to read now, or next
  logic                        shift;
  logic                        key_en;
  logic [CylW+EntryW:0]        key_q, key_d;
  logic                        leaves_q;                // the current row has the tag that leaves
  // there is a current row, on a higher cylinder than the new entry
  logic                        higher_q;
  logic [CylW+HeadW:0]         to_q, to_d, from_q, from_d;
  logic [AngleW-1:0]           to_angle_q, to_angle_d, from_angle_q, from_angle_d;
  logic [2*SumW+EntryW-1:0]    work_q, work_d;

  logic unused_inputs;
  assign unused_inputs = ^{entry_i.age, op_i.insert, op_i.remove, op_i.sums, op_i.collect};

  assign {continuous_o, tag_o} = key_q[EntryW:0];
  assign to_o = to_q;
  assign from_o = from_q;
  assign to_angle_o = to_angle_q;
  assign from_angle_o = from_angle_q;
  assign {transfer_o, deadline_o, work_tag_o} = work_q;

  // While rows move, all memories read the same row, and a moved row is written as it was read. A
  // new entry is written in the cycle after the one in which its row was found.
  assign shift = state_i.insert || state_i.remove;
  assign key_d = write_new_q ? {entry_i.start.cyl, entry_i.continuous, tag_i} : key_q;
  assign to_d = write_new_q ? entry_i.start : to_q;
  assign from_d = write_new_q ? entry_i.finish : from_q;
  assign to_angle_d = write_new_q ? entry_i.start_angle : to_angle_q;
  assign from_angle_d = write_new_q ? entry_i.finish_angle : from_angle_q;
  assign work_d = write_new_q ? {entry_i.transfer, entry_i.deadline, tag_i} : work_q;

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

  // The borrow of a subtraction
  function automatic logic is_higher(logic [CylW-1:0] cyl, logic [CylW-1:0] than);
    logic [CylW:0] rest;
    rest = {1'b0, than} - {1'b0, cyl};
    return rest[CylW];
  endfunction

  always_ff @(posedge clk_i) begin
    if (key_en) begin
      key_q <= key_mem[read_row_q];
      last_o <= read_row_q == end_q;
      leaves_q <= key_mem[read_row_q][EntryW-1:0] == tag_i;
      walk_o <= key_mem[read_row_q][CylW+EntryW-:CylW] ^ {CylW{cluster_down_i}};
      higher_q <= read_row_q != '1 &&
          is_higher(key_mem[read_row_q][CylW+EntryW-:CylW], entry_i.start.cyl);
    end
    to_q <= to_mem[shift ? read_row_q : to_row_i];
    from_q <= from_mem[shift ? read_row_q : from_row_i];
    to_angle_q <= to_angle_mem[shift ? read_row_q : to_angle_row_i];
    from_angle_q <= from_angle_mem[shift ? read_row_q : from_angle_row_i];
    work_q <= work_mem[shift ? read_row_q : work_row_i];
  end

  // Insertion: rows move up until one is not on a higher cylinder. Below the first row, the row
  // with the highest number is read. No insertion moves it: it is the last row of a full list, or
  // it does not exist.

  // Removal: rows above the one that leaves move down.
  logic match;
  assign match = !found_q && leaves_q;

  assign removed_o.valid = state_i.remove && primed_q && match;
  assign removed_o.continuous = continuous_o;
  assign removed_o.place = from_q;

  assign late_o = write_new_q;
  assign write_en = write_new_q || (primed_q && (state_i.insert || (state_i.remove && found_q)));
  assign write_row = state_i.remove ? index_t'(place_q - place_t'(1)) : index_t'(place_q);
  assign moved_o = primed_q && ((state_i.insert && !higher_q) || (state_i.remove && last_o));

  // The row to read: the first row of the walk, then the row after the current one.
  assign key_en = !state_i.sums || !primed_q || next_i;

  logic from_top;

  assign from_top = !op_i.kind_remove && (op_i.kind_collect ? cluster_down_i : !sweep_down_i);

  always_ff @(posedge clk_i) begin
    if (state_i.idle) begin
      end_q <= from_top ? '0 : index_t'(top_q);
      read_row_q <= (op_i.kind_insert || from_top) ? index_t'(top_q) : '0;
    end else if (key_en) begin
      if (state_i.remove || (!state_i.insert && up_i)) begin
        read_row_q <= read_row_q + index_t'(1);
      end else begin
        read_row_q <= read_row_q - index_t'(1);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      primed_q <= 1'b0;
      count_q <= '0;
      empty_o <= 1'b1;
      top_q <= '1;
      place_q <= '0;
      found_q <= 1'b0;
      write_new_q <= 1'b0;
    end else begin
      write_new_q <= state_i.insert && primed_q && !higher_q;
      unique case (1'b1)
        state_i.idle: begin
          primed_q <= 1'b0;
          found_q <= 1'b0;
          place_q <= op_i.kind_insert ? count_q : from_top ? top_q : '0;
        end
        state_i.insert: begin
          primed_q <= !op_i.cancel;
          if (primed_q) begin
            if (higher_q) begin
              place_q <= place_q - place_t'(1);
            end else begin
              count_q <= count_q + place_t'(1);
              empty_o <= 1'b0;
              top_q <= count_q;
            end
          end
        end
        state_i.remove: begin
          primed_q <= !op_i.cancel;
          if (primed_q) begin
            found_q <= found_q || match;
            place_q <= place_q + place_t'(1);
            if (last_o) begin
              count_q <= top_q;
              empty_o <= top_q == '0;
              top_q <= top_q - place_t'(1);
            end
          end
        end
        state_i.sums, state_i.collect: begin
          primed_q <= 1'b1;
          if (primed_q && next_i) begin
            place_q <= up_i ? place_q + place_t'(1) : place_q - place_t'(1);
          end
        end
        default: ;
      endcase
    end
  end

endmodule
