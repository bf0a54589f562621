// SPDX-License-Identifier: Apache-2.0
//
// The list's rows: a memory sorted by the cylinder where an entry starts, the walk along it, and how an entry comes in
// and goes out.
//
// Parameters: Entries, AngleW, CylW (see sched_core).
// Latency:    INSERT: one cycle, and one for each row on a higher cylinder and one that is not; REMOVE: one cycle, and one for each row. A
//             walk has its first row two cycles after the operation begins, and one in each cycle in which next_i is high.
//             What *_row_i name is there in the next cycle.
// Handshake:  follows state_i of sched_list. While rows are moved the memories that *_row_i address read what is moved. The staged
//             entry and the tag are stable meanwhile and, as late_o shows, in the cycle after an insertion.

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
  input  logic              clk_i,
  input  logic              rst_ni,

  input  list_state_t       state_i,
  input  list_op_t          op_i,

  // The entry to insert; the tag to insert or remove
  input  logic [EntryW-1:0] tag_i,
  input  sched_types#(AngleW, CylW)::entry_t entry_i,
  output logic              late_o,            // the cycle after an insertion: the entry is written
  output logic              moved_o,           // the last cycle of an insertion or a removal that is not cancelled
  output sched_types#(AngleW, CylW)::removed_t removed_o,

  output logic [EntryW:0]   count_o,
  output logic              empty_o,           // there are no rows

  // Walk
  input  logic              sweep_down_i,
  input  logic              cluster_down_i,
  input  logic              up_i,
  input  logic              next_i,            // go on to the next row
  output logic              primed_o,          // there is a row at hand
  output logic              last_o,            // it ends the walk
  output logic [EntryW-1:0] row_o,             // where it lies,
  output logic [EntryW-1:0] tag_o,             // its tag,
  output logic              continuous_o,      // its class,
  output logic [CylW-1:0]   walk_o,            // and its cylinder; downward inverted, so that they always rise

  // Rows that hops want: place and angle of a start, of an end, and what belongs to an entry
  input  logic [EntryW-1:0] to_row_i,
  input  logic [EntryW-1:0] from_row_i,
  input  logic [EntryW-1:0] to_angle_row_i,
  input  logic [EntryW-1:0] from_angle_row_i,
  input  logic [EntryW-1:0] work_row_i,
  output sched_types#(AngleW, CylW)::place_t to_o,
  output sched_types#(AngleW, CylW)::place_t from_o,
  output logic [AngleW-1:0] to_angle_o,
  output logic [AngleW-1:0] from_angle_o,
  output logic [SumW-1:0]   transfer_o,
  output logic [SumW-1:0]   deadline_o,
  output logic [EntryW-1:0] work_tag_o
);

  if (Entries < 4 || Entries > 256) begin : g_bad_entries
    $error("sched_rows: Entries must be 4 to 256");
  end
  if (!angle_ok(AngleW)) begin : g_bad_angle_w
    $error("sched_rows: AngleW must be 12 to 20");
  end
  if (CylW < 1 || CylW > 18) begin : g_bad_cyl_w
    $error("sched_rows: CylW must be 1 to 18");
  end

  typedef logic [EntryW-1:0] index_t;
  typedef logic [EntryW:0]   place_t;    // 0 to Entries

  logic   primed_q;                      // the row asked for first is there
  place_t count_q, top_q;                // entries, less one
  place_t place_q;                       // row at hand; Insert: the row before
  index_t end_q;                         // where the walk ends
  logic   found_q;

  assign count_o = count_q;
  assign primed_o = primed_q;
  assign row_o = index_t'(place_q);

  // Memories, split by what reads them together
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
  logic                        leaves_q;                // the row at hand has the tag that leaves
  logic                        higher_q;                // there is a row at hand, on a higher cylinder than the new entry
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

  // While rows are moved all memories read the same row; a moved row is written as it was read. A new entry is written
  // in the cycle after that in which its place was found.
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
      higher_q <= read_row_q != '1 && is_higher(key_mem[read_row_q][CylW+EntryW-:CylW], entry_i.start.cyl);
    end
    to_q <= to_mem[shift ? read_row_q : to_row_i];
    from_q <= from_mem[shift ? read_row_q : from_row_i];
    to_angle_q <= to_angle_mem[shift ? read_row_q : to_angle_row_i];
    from_angle_q <= from_angle_mem[shift ? read_row_q : from_angle_row_i];
    work_q <= work_mem[shift ? read_row_q : work_row_i];
  end

  // Inserting: rows move up until one is not on a higher cylinder. The row below the first is the one of the highest number, which no
  // insertion moves: it is the last of a full list, or does not exist.

  // Removing: rows behind the one that leaves move down.
  logic match;
  assign match = !found_q && leaves_q;

  assign removed_o.valid = state_i.remove && primed_q && match;
  assign removed_o.continuous = continuous_o;
  assign removed_o.place = from_q;

  assign late_o = write_new_q;
  assign write_en = write_new_q || (primed_q && (state_i.insert || (state_i.remove && found_q)));
  assign write_row = state_i.remove ? index_t'(place_q - place_t'(1)) : index_t'(place_q);
  assign moved_o = primed_q && ((state_i.insert && !higher_q) || (state_i.remove && last_o));

  // The row to read: the first one of the walk, then the one after the row at hand.
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
