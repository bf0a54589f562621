// SPDX-License-Identifier: Apache-2.0
//
// Proof: the list under any legal use, with resets at any time. A collection of everything names
// each entry that is in the list once. The entries come in ascending order of cylinders and, on one
// cylinder, in the order of insertion. The number of entries is right. Work ends in the cycle that
// the contract names. Without FORMAL_INSIDE the harness looks at ports only.
//
// Parameters:
//   Entries  as in sched_list
//   CylW     as in sched_list

module formal_list
  import sched_pkg::*;
#(
  parameter int unsigned Entries = 4,
  parameter int unsigned CylW = 8,
  localparam int unsigned AngleW = 12,
  localparam int unsigned EntryW = index_w(Entries)
) (
  // Clock, rising edge.
  input logic              clk_i,
  // Synchronous reset, active low; any value after the first cycle.
  input logic              rst_ni,

  // --- Any value in each cycle
  // Work to start: 0 insertion, 1 removal, 2 sums, 3 collection.
  input logic [1:0]        work_i,
  // Start the work if the list is idle.
  input logic              start_i,
  // Tag of an insertion or removal, valid with its start.
  input logic [TagW-1:0]   tag_i,
  // Cylinder of an insertion, valid with its start.
  input logic [CylW-1:0]   cyl_i,
  // Class of an insertion, valid with its start.
  input logic              continuous_i,

  // --- Any value, stable during work
  // Direction of the sweep.
  input logic              sweep_down_i,
  // Collection: {not used, down, stop_at_c, take_d, take_c}.
  input logic [4:0]        choice_i,
  // Cylinder where a collection begins.
  input logic [CylW-1:0]   from_i,
  // Span of a collection, cylinders.
  input logic [CylW-1:0]   span_i,
  // Most entries of a collection; 0: no limit.
  input logic [CountW-1:0] max_i,

  // --- Constants of any value: two different entries
  // First entry that is watched.
  input logic [EntryW-1:0] one_i,
  // Second entry that is watched.
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

  // The entries that are in the list, according to the model
  logic [Entries-1:0]           in_q;
  logic [Entries-1:0][CylW-1:0] at_q;
  logic [CountW-1:0]            in_count;
  logic                         before_q;       // one_i was inserted before two_i
  logic [4:0]                   cycle_q;        // cycle of the work
  logic [CountW-1:0]            higher;         // entries on higher cylinders than the new one

  assign insert = rst_ni && start_i && work_q == None && work_i == 2'd0;
  assign remove = rst_ni && start_i && work_q == None && work_i == 2'd1;
  assign sums = rst_ni && start_i && work_q == None && work_i == 2'd2;
  assign collect = rst_ni && start_i && work_q == None && work_i == 2'd3;

  sched_types#(AngleW, CylW)::entry_t       entry;
  sched_types#(AngleW, CylW)::removed_t     removed_entry;
  sched_types#(AngleW, CylW)::cluster_cfg_t cluster;
  mask_change_t                             mask;

  always_comb begin
    entry = '0;
    entry.start.cyl = cyl_q;
    entry.finish.cyl = cyl_q;
    entry.continuous = continuous_q;
    cluster = '0;
    cluster.max = max_i;
    {cluster.down, cluster.stop_at_c, cluster.take_d, cluster.take_c} = choice_i[3:0];
    cluster.from = from_i;
    cluster.span = span_i;
  end

  assign {mask_clear, mask_set, mask_tag} = mask;
  assign removed = removed_entry.valid;
  assign removed_continuous = removed_entry.continuous;
  assign removed_cyl = removed_entry.place.cyl;

  sched_list #(.Entries(Entries), .AngleW(AngleW), .CylW(CylW), .OrderM(0)) u_dut (
    .clk_i, .rst_ni,
    .op_i('{insert: insert, remove: remove, cancel: 1'b0, sums: sums, collect: collect,
            kind_insert: work_i == 2'd0, kind_remove: work_i == 2'd1,
                kind_collect: work_i == 2'd3}),
    .done_o(done), .late_o(late), .tag_i(tag_q), .entry_i(entry), .count_o(count),
    .removed_o(removed_entry),
    .sweep_down_i, .swept_o(), .sweep_o(), .part_o(), .cluster_i(cluster), .mask_o(mask),
    .collected_o(collected), .streamed_o(),
    .slot_tag_o(), .cost_o(), .hop_o(), .hop_i('0), .risk_charge_i('0)
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
  assign all = choice_i[2:0] == 3'b011 && max_i == '0 && span_i == '1 &&
      from_i == (choice_i[3] ? '1 : '0);

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
        a_count_when_idle: assert (count == in_count);
        a_idle_gives_nothing: assert (!done && !removed && !mask_set);
      end
      if (work_q == Insert)
        a_insert_cycles: assert (done == (CountW'(cycle_q) == higher + CountW'(2)));
      if (work_q == Remove)
        a_remove_cycles: assert (done == (CountW'(cycle_q) == in_count + CountW'(1)));
      if (work_q == Collect) a_collect_cycles: assert (CountW'(cycle_q) <= in_count + CountW'(2));
      if (removed)
        a_removed_cylinder: assert (work_q == Remove && removed_cyl == at_q[tag_q[EntryW-1:0]]);
      // For the induction: no work lasts longer than it should.
      if (work_q != None && work_q != Sums) a_work_has_begun: assert (cycle_q != '0);
      a_work_legal: assert (work_q <= Collect);
      if (work_q == Insert) a_insert_in_time: assert (CountW'(cycle_q) <= higher + CountW'(2));
      if (work_q == Remove) a_remove_in_time: assert (CountW'(cycle_q) <= in_count + CountW'(1));
      if (work_q == Insert)
        a_insert_is_new: assert (32'(tag_q) < Entries && !in_q[tag_q[EntryW-1:0]]);
      if (work_q == Remove)
        a_remove_is_in: assert (32'(tag_q) < Entries && in_q[tag_q[EntryW-1:0]]);
      // A collected entry is in the list. It is collected once, in order.
      if (ones_turn) begin
        a_collected_once: assert (work_q == Collect && in_q[one_i] && !seen_one_q);
        a_collected_in_order: assert (!in_q[two_i] || !all ||
                                      seen_two_q == (ones_first == choice_i[3]));
      end
      if (work_q == Collect && done && all) begin
        a_collected_all: assert (saw_one == in_q[one_i] && saw_two == in_q[two_i]);
      end
      if ($past(work_q == Collect && done && all && rst_ni)) begin
        a_collected_count: assert (collected == in_count);
      end
    end
  end

`ifdef FORMAL_INSIDE
  // The induction begins in any state in which these properties hold. For them it looks at
  // internals: state_q of sched_list, and key_mem, from_mem, count_q, empty_o, primed_q, place_q,
  // read_row_q, key_q and higher_q of sched_rows. The rows hold the entries, each once, in order,
  // except while an entry leaves. Assertions in a loop have no name, since read_slang takes a name
  // only once.
  typedef struct packed {
    logic [CylW-1:0]   cyl;
    logic              continuous;
    logic [EntryW-1:0] tag;
  } row_t;
  row_t [Entries-1:0]           row;
  logic [Entries-1:0][CylW-1:0] ends;

  for (genvar i = 0; i < Entries; i++) begin : g_row
    assign row[i] = u_dut.u_rows.key_mem[i];
    assign ends[i] = u_dut.u_rows.from_mem[i][CylW+HeadW-:CylW];
  end

  // While an entry is being inserted, one row is reserved for it, or holds a second copy of the
  // next row.
  logic               holed;
  logic [Entries-1:0] holds;

  assign holed = work_q == Insert || late;
  for (genvar i = 0; i < Entries; i++) begin : g_holds
    assign holds[i] = CountW'(i) < count + CountW'(work_q == Insert) &&
        !(holed && CountW'(u_dut.u_rows.place_q) == CountW'(i));
  end

  always_ff @(posedge clk_i) begin
    if (started_q && rst_ni) begin
      a_state_onehot: assert ($onehot(u_dut.state_q));
      a_state_idle: assert ((work_q == None) == u_dut.state_q.idle);
      a_state_insert: assert ((work_q == Insert) == u_dut.state_q.insert);
      a_state_remove: assert ((work_q == Remove) == u_dut.state_q.remove);
      a_state_sums: assert ((work_q == Sums) == (u_dut.state_q.sums || u_dut.state_q.sums_drain));
      a_state_collect: assert ((work_q == Collect) == u_dut.state_q.collect);
      a_count_matches: assert (count == in_count && 32'(count) <= Entries);
      a_top_matches: assert (u_dut.u_rows.top_q == u_dut.u_rows.count_q - 1'b1);
      a_empty_matches: assert (u_dut.u_rows.empty_o == (u_dut.u_rows.count_q == '0));
      a_late_when_idle: assert (!late || work_q == None);
      if (work_q == Insert) begin
        a_insert_primed: assert (u_dut.u_rows.primed_q == (cycle_q != 5'd1));
        a_insert_place: assert (u_dut.u_rows.place_q ==
                                u_dut.u_rows.count_q - (EntryW + 1)'((cycle_q > 5'd2) ?
                                cycle_q - 5'd2 : 5'd0));
        a_insert_row: assert (u_dut.u_rows.read_row_q ==
                              EntryW'(u_dut.u_rows.top_q) - EntryW'(cycle_q - 5'd1));
        if (u_dut.u_rows.primed_q && u_dut.u_rows.place_q != '0) begin
          a_insert_key: assert (u_dut.u_rows.key_q ==
                                u_dut.u_rows.key_mem[EntryW'(u_dut.u_rows.place_q - 1'b1)]);
        end
        if (u_dut.u_rows.primed_q) begin
          a_insert_higher: assert (u_dut.u_rows.higher_q == (u_dut.u_rows.place_q != '0 &&
                                   u_dut.u_rows.key_q[CylW+EntryW-:CylW] > cyl_q));
        end
      end
      if (work_q != Remove) begin
        for (int unsigned i = 0; i < Entries; i++) begin
          if (holds[i]) begin
            assert (in_q[row[i].tag] && at_q[row[i].tag] == row[i].cyl && ends[i] == row[i].cyl);
            if (holed) assert (row[i].tag != tag_q[EntryW-1:0]);
            if (work_q == Insert)
              assert (CountW'(i) < CountW'(u_dut.u_rows.place_q) || row[i].cyl > cyl_q);
            if (late) begin
              assert ((CountW'(i) < CountW'(u_dut.u_rows.place_q)) == (row[i].cyl <= cyl_q));
              if (row[i].tag == one_i && tag_q[EntryW-1:0] == two_i)
                assert (ones_first == (CountW'(i) < CountW'(u_dut.u_rows.place_q)));
              if (row[i].tag == two_i && tag_q[EntryW-1:0] == one_i)
                assert (ones_first == (CountW'(i) > CountW'(u_dut.u_rows.place_q)));
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

  // Cover: a full list, and everything collected
  always_ff @(posedge clk_i) begin
    c_full_and_collected: cover (started_q && rst_ni && work_q == Collect && done && all &&
                                 in_q == '1);
  end

endmodule
