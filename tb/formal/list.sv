// SPDX-License-Identifier: Apache-2.0
//
// Proof: the list under any legal use, resets in the middle included. A collection of everything names each entry that is in once, in
// ascending order of cylinders and, on one cylinder, of insertion; the number of entries is right; work ends in the cycle that the
// contract names. Looks at ports only.

module formal_list
  import sched_pkg::*;
#(
  parameter int unsigned Entries = 4,
  parameter int unsigned CylW = 8,
  localparam int unsigned AngleW = 12,
  localparam int unsigned EntryW = index_w(Entries)
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic [1:0]        work_i,            // what is asked for when there is nothing to do
  input logic              start_i,
  input logic [TagW-1:0]   tag_i,
  input logic [CylW-1:0]   cyl_i,
  input logic              continuous_i,
  input logic              sweep_down_i,
  input logic [4:0]        choice_i,          // of a collection
  input logic [CylW-1:0]   from_i,
  input logic [CylW-1:0]   span_i,
  input logic [CountW-1:0] max_i,

  // Constants of any value: two entries
  input logic [EntryW-1:0] one_i,
  input logic [EntryW-1:0] two_i
);

  typedef enum logic [2:0] { None, Insert, Remove, Sums, Collect } work_e;

  logic              started_q = 1'b0;
  logic              insert, remove, sums, collect, done, late, removed, mask_set, mask_clear;
  logic [TagW-1:0]   mask_tag, tag_q;
  logic [CountW-1:0] count, collected;
  logic [CylW-1:0]   removed_cyl, cyl_q;
  logic              continuous_q, removed_continuous;
  work_e             work_q;

  // What is in, by the model
  logic [Entries-1:0]           in_q;
  logic [Entries-1:0][CylW-1:0] at_q;
  logic [CountW-1:0]            in_count;
  logic                         before_q;       // one_i was inserted before two_i
  logic [4:0]                   cycle_q;        // of the work
  logic [CountW-1:0]            higher;         // entries on higher cylinders than the one that comes

  assign insert = rst_ni && start_i && work_q == None && work_i == 2'd0;
  assign remove = rst_ni && start_i && work_q == None && work_i == 2'd1;
  assign sums = rst_ni && start_i && work_q == None && work_i == 2'd2;
  assign collect = rst_ni && start_i && work_q == None && work_i == 2'd3;

  sched_list #(.Entries(Entries), .AngleW(AngleW), .CylW(CylW), .OrderM(0)) u_dut (
    .clk_i, .rst_ni, .insert_i(insert), .remove_i(remove), .cancel_i(1'b0), .sums_i(sums), .collect_i(collect),
    .kind_insert_i(work_i == 2'd0), .kind_remove_i(work_i == 2'd1), .kind_collect_i(work_i == 2'd3), .done_o(done), .late_o(late),
    .tag_i(tag_q), .start_cyl_i(cyl_q), .start_head_i('0), .start_angle_i('0), .write_i(1'b0), .continuous_i(continuous_q),
    .end_cyl_i(cyl_q), .end_head_i('0), .end_angle_i('0), .transfer_i('0), .deadline_i('0), .count_o(count),
    .removed_o(removed), .removed_continuous_o(removed_continuous), .removed_cyl_o(removed_cyl), .removed_head_o(), .removed_write_o(),
    .sweep_down_i, .swept_o(), .next_valid_o(), .next_tag_o(), .next_cyl_o(), .next_head_o(), .next_write_o(),
    .next_angle_o(), .sweep_o(), .due_o(), .part_we_o(), .part_tag_o(), .part_o(),
    .max_i, .take_continuous_i(choice_i[0]), .take_other_i(choice_i[1]), .stop_at_continuous_i(choice_i[2]),
    .down_i(choice_i[3]), .from_i, .span_i, .mask_clear_o(mask_clear), .mask_set_o(mask_set), .mask_tag_o(mask_tag),
    .collected_o(collected), .order_i(1'b0), .streamed_o(), .slot_tag_o(), .cost_we_o(), .cost_from_o(), .cost_to_o(), .cost_o(),
    .hop_en_o(), .hop_head_o(), .hop_from_cyl_o(), .hop_from_head_o(), .hop_from_write_o(), .hop_to_cyl_o(), .hop_to_head_o(),
    .hop_to_write_o(), .hop_angle_head_o(), .hop_from_angle_o(), .hop_to_angle_o(), .risk_charge_i('0), .reach_i('0),
    .worst_i('0), .risky_i(1'b0)
  );

  always_comb begin
    in_count = '0;
    higher = '0;
    for (int unsigned i = 0; i < Entries; i++) begin
      in_count = in_count + CountW'(in_q[i]);
      higher = higher + CountW'(in_q[i] && at_q[i] > cyl_q);
    end
  end

  // A collection of everything, upward or downward
  logic all, seen_one_q, seen_two_q;
  assign all = choice_i[2:0] == 3'b011 && max_i == '0 && span_i == '1 && from_i == (choice_i[3] ? '1 : '0);

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!rst_ni) begin
      work_q <= None;
      in_q <= '0;
    end else begin
      cycle_q <= cycle_q + 5'd1;
      if (work_q == None) begin
        cycle_q <= 5'd1;
        if (start_i) begin
          work_q <= insert ? Insert : remove ? Remove : sums ? Sums : Collect;
        end
      end else if (done) begin
        work_q <= None;
        if (work_q == Insert) begin
          in_q[tag_q[EntryW-1:0]] <= 1'b1;
          at_q[tag_q[EntryW-1:0]] <= cyl_q;
          if (tag_q[EntryW-1:0] == one_i) before_q <= 1'b0;
          if (tag_q[EntryW-1:0] == two_i) before_q <= 1'b1;
        end
        if (work_q == Remove) begin
          in_q[tag_q[EntryW-1:0]] <= 1'b0;
        end
      end
    end
    if (insert || remove) tag_q <= tag_i;
    if (insert) {cyl_q, continuous_q} <= {cyl_i, continuous_i};
    if (collect) begin
      seen_one_q <= 1'b0;
      seen_two_q <= 1'b0;
    end else if (mask_set) begin
      seen_one_q <= seen_one_q || mask_tag == TagW'(one_i);
      seen_two_q <= seen_two_q || mask_tag == TagW'(two_i);
    end
  end

  logic ones_turn, twos_turn, ones_first, saw_one, saw_two;
  assign ones_turn = mask_set && mask_tag == TagW'(one_i);
  assign twos_turn = mask_set && mask_tag == TagW'(two_i);
  assign ones_first = (at_q[one_i] == at_q[two_i]) ? before_q : at_q[one_i] < at_q[two_i];
  assign saw_one = seen_one_q || ones_turn;
  assign saw_two = seen_two_q || twos_turn;

  always_ff @(posedge clk_i) begin
    if (!started_q) begin
      assume (!rst_ni);
    end else begin
      assume ($stable({one_i, two_i}));
      if (work_q != None) begin
        assume ($stable({choice_i, from_i, span_i, max_i, sweep_down_i}));
      end
    end
    assume (one_i != two_i);
    if (insert) assume (32'(tag_i) < Entries && !in_q[tag_i[EntryW-1:0]]);
    if (remove) assume (32'(tag_i) < Entries && in_q[tag_i[EntryW-1:0]]);

    if (started_q && rst_ni) begin
      if (work_q == None) begin
        assert (count == in_count);
        assert (!done && !removed && !mask_set);
      end
      if (work_q == Insert) assert (done == (CountW'(cycle_q) == higher + CountW'(2)));
      if (work_q == Remove) assert (done == (CountW'(cycle_q) == in_count + CountW'(1)));
      if (work_q == Collect) assert (CountW'(cycle_q) <= in_count + CountW'(2));
      if (removed) assert (work_q == Remove && removed_cyl == at_q[tag_q[EntryW-1:0]]);
      // Helps the induction: no work lasts longer than it should.
      if (work_q != None && work_q != Sums) assert (cycle_q != '0);
      assert (work_q <= Collect);
      if (work_q == Insert) assert (CountW'(cycle_q) <= higher + CountW'(2));
      if (work_q == Remove) assert (CountW'(cycle_q) <= in_count + CountW'(1));
      if (work_q == Insert) assert (32'(tag_q) < Entries && !in_q[tag_q[EntryW-1:0]]);
      if (work_q == Remove) assert (32'(tag_q) < Entries && in_q[tag_q[EntryW-1:0]]);
      // What is collected is in, once, in order.
      if (ones_turn) begin
        assert (work_q == Collect && in_q[one_i] && !seen_one_q);
        assert (!in_q[two_i] || !all || seen_two_q == (ones_first == choice_i[3]));
      end
      if (work_q == Collect && done && all) begin
        assert (saw_one == in_q[one_i] && saw_two == in_q[two_i]);
      end
      if ($past(work_q == Collect && done && all && rst_ni)) begin
        assert (collected == in_count);
      end
    end
  end

`ifdef FORMAL_INSIDE
  // The induction begins in any state in which this holds, and looks at internals for it: key_mem, from_mem, count_q, state_q,
  // primed_q, place_q, read_row_q, key_q and higher_q of sched_list. The rows hold what is in, each once, in order, but while an entry
  // leaves.
  typedef struct packed {
    logic [CylW-1:0]   cyl;
    logic              continuous;
    logic [EntryW-1:0] tag;
  } row_t;
  row_t [Entries-1:0]           row;
  logic [Entries-1:0][CylW-1:0] ends;

  for (genvar i = 0; i < Entries; i++) begin : g_row
    assign row[i] = u_dut.key_mem[i];
    assign ends[i] = u_dut.from_mem[i][CylW+HeadW-:CylW];
  end

  // While an entry is on its way in, one row is to be its own, or holds a second copy of the next.
  logic               holed;
  logic [Entries-1:0] holds;

  assign holed = work_q == Insert || late;
  for (genvar i = 0; i < Entries; i++) begin : g_holds
    assign holds[i] = CountW'(i) < count + CountW'(work_q == Insert) && !(holed && CountW'(u_dut.place_q) == CountW'(i));
  end

  always_ff @(posedge clk_i) begin
    if (started_q && rst_ni) begin
      assert ((work_q == None) == (u_dut.state_q == 3'd0));
      assert ((work_q == Insert) == (u_dut.state_q == 3'd1));
      assert ((work_q == Remove) == (u_dut.state_q == 3'd2));
      assert ((work_q == Sums) == (u_dut.state_q inside {3'd3, 3'd4}));
      assert ((work_q == Collect) == (u_dut.state_q == 3'd5));
      assert (count == in_count && 32'(count) <= Entries);
      assert (u_dut.top_q == u_dut.count_q - 1'b1);
      assert (!late || work_q == None);
      if (work_q == Insert) begin
        assert (u_dut.primed_q == (cycle_q != 5'd1));
        assert (u_dut.place_q == u_dut.count_q - (EntryW + 1)'((cycle_q > 5'd2) ? cycle_q - 5'd2 : 5'd0));
        assert (u_dut.read_row_q == EntryW'(u_dut.top_q) - EntryW'(cycle_q - 5'd1));
        if (u_dut.primed_q && u_dut.place_q != '0) begin
          assert (u_dut.key_q == u_dut.key_mem[EntryW'(u_dut.place_q - 1'b1)]);
        end
        if (u_dut.primed_q) begin
          assert (u_dut.higher_q == (u_dut.key_q[CylW+EntryW-:CylW] > cyl_q));
        end
      end
      if (work_q != Remove) begin
        for (int unsigned i = 0; i < Entries; i++) begin
          if (holds[i]) begin
            assert (in_q[row[i].tag] && at_q[row[i].tag] == row[i].cyl && ends[i] == row[i].cyl);
            if (holed) assert (row[i].tag != tag_q[EntryW-1:0]);
            if (work_q == Insert) assert (CountW'(i) < CountW'(u_dut.place_q) || row[i].cyl > cyl_q);
            if (late) begin
              assert ((CountW'(i) < CountW'(u_dut.place_q)) == (row[i].cyl <= cyl_q));
              if (row[i].tag == one_i && tag_q[EntryW-1:0] == two_i) assert (ones_first == (CountW'(i) < CountW'(u_dut.place_q)));
              if (row[i].tag == two_i && tag_q[EntryW-1:0] == one_i) assert (ones_first == (CountW'(i) > CountW'(u_dut.place_q)));
            end
          end
          for (int unsigned j = i + 1; j < Entries; j++) begin
            if (holds[i] && holds[j]) begin
              assert (row[i].tag != row[j].tag && row[i].cyl <= row[j].cyl);
              if (row[i].tag == one_i && row[j].tag == two_i) assert (ones_first);
              if (row[i].tag == two_i && row[j].tag == one_i) assert (!ones_first);
            end
          end
        end
      end
    end
  end
`endif

  // Full, and everything collected
  always_ff @(posedge clk_i) begin
    cover (started_q && rst_ni && work_q == Collect && done && all && in_q == '1);
  end

endmodule
