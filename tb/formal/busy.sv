// SPDX-License-Identifier: Apache-2.0
//
// Proof: work ends within the cycles that the contract names, from any reachable state. INSERT,
// REMOVE, DECIDE and CLUSTER take at most these cycles, and a DECIDE without guard takes them
// exactly. In sched_core proofs.toml cuts the strobes of the register file and the row that the
// list reads (key_q of sched_rows: any row). So any legal work may come at any time. An entry comes
// only while there is room, and leaves only while there is one; `list` and `table` prove this. The
// harness looks at nets of sched_core.
//
// With FORMAL_AHEAD: decisions without guard that look up to Depth accesses ahead for up to Most
// candidates. Then proofs.toml also cuts the outcome of a pass (best_valid, best_key: any value).
//
// Parameters:
//   Entries   as in sched_core
//   Lanes     as in sched_core
//   OrderM    as in sched_core, at most 4
//   Features  as in sched_core
//   Most      most candidates with FORMAL_AHEAD
//   Depth     most accesses ahead with FORMAL_AHEAD

module formal_busy
  import sched_pkg::*;
  import sched_reg_pkg::*;
#(
  parameter int unsigned Entries = 4,
  parameter int unsigned Lanes = 2,
  parameter int unsigned OrderM = 2,
  parameter int unsigned Features = 0,
  parameter int unsigned Most = 1,
  parameter int unsigned Depth = 1,
  localparam int unsigned Rows = Entries / Lanes
) (
  // Clock, rising edge.
  input logic clk_i,
  // Synchronous reset, active low; low in the first cycle alone.
  input logic rst_ni
);

  localparam int unsigned Cycles [5] = '{0, 9, 12, 24, 40};   // cycles of the orderer
  localparam int unsigned Pass = Rows + DecisionLatency;
  localparam int unsigned DecideMost = Pass + 2 + Entries + (Entries - 2) + 13 + Pass + 2;
  localparam int unsigned AheadMost = 1 + Most * (2 + Depth * (Pass + 5)) + (Most - 1) * (Pass + 1);
  localparam int unsigned ClusterMost = Entries + 2 + OrderM * OrderM + 13 + Cycles[OrderM];

  typedef enum logic [1:0] { Insert, Remove, Decide, Cluster } work_e;

  logic              busy, start, strobe, ended;
  logic              started_q = 1'b0;
  logic              guard_q, strobe_q;
  logic              refused_q = 1'b0;
  logic              ahead_q;
  logic [7:0]        cycle_q, most;
  work_e             work_q;
  logic [CountW-1:0] count_q;

  sched_core #(
    .Entries(Entries), .Lanes(Lanes), .OrderM(OrderM), .AngleW(12), .CylW(8), .SegM(2), .SegW(5),
    .Features(Features)
  ) u_dut (
    .clk_i, .rst_ni, .scan_en_i(1'b0), .write_i('0), .wr_ready_o(), .wr_error_o(),
    .rd_valid_i(1'b0), .rd_ready_o(), .rd_addr_i('0), .rsp_valid_o(), .rsp_ready_i(1'b1),
    .rd_data_o(), .rd_error_o(),
    .busy_o(busy), .irq_o()
  );

  assign start = u_dut.command.insert || u_dut.command.remove || u_dut.command.decide ||
      u_dut.command.cluster;
  assign strobe = start || u_dut.command.try_insert || u_dut.command.try_remove ||
      u_dut.command.config_we || u_dut.command.clear;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    strobe_q <= strobe && rst_ni;
    refused_q <= rst_ni &&
        ((u_dut.command.try_insert && !u_dut.command.insert) ||
        (u_dut.command.try_remove && !u_dut.command.remove));
    cycle_q <= busy ? cycle_q + 8'd1 : 8'd1;
    if (start) begin
      work_q <= u_dut.command.insert ? Insert : u_dut.command.remove ? Remove :
          u_dut.command.decide ? Decide : Cluster;
      guard_q <= u_dut.cfg.guard_en;
      count_q <= u_dut.occupancy;
      ahead_q <= u_dut.cfg.ahead.active;
    end
  end

  always_comb begin
    unique case (work_q)
      Insert: most = 8'(count_q) + 7'd2;
      Remove: most = 8'(count_q) + 7'd1;
      Decide: most = (guard_q ? 8'(DecideMost) : 8'(Pass)) + (ahead_q ? 8'(AheadMost) : 8'd0);
      default: most = 8'(ClusterMost);
    endcase
  end

  always_ff @(posedge clk_i) begin
    // Legal work
    assume (rst_ni == started_q);
    assume (3'(u_dut.command.try_insert) + 3'(u_dut.command.try_remove) + 3'(u_dut.command.decide) +
            3'(u_dut.command.cluster) + 3'(u_dut.command.config_we) +
            3'(u_dut.command.clear) <= 3'd1);
    // A tag may be refused.
    assume (u_dut.command.try_insert || !u_dut.command.insert);
    assume (u_dut.command.try_remove || !u_dut.command.remove);
    assume (u_dut.command.cancel == refused_q);
    // The signs of an address come with a write, but may also come without one.
    assume (u_dut.command.open_write ||
            !(u_dut.command.try_insert || u_dut.command.try_remove || u_dut.command.decide ||
            u_dut.command.cluster));
    assume (u_dut.command.kind_insert || !u_dut.command.try_insert);
    assume (u_dut.command.kind_remove || !u_dut.command.try_remove);
    assume (u_dut.command.kind_cluster || !u_dut.command.cluster);
    assume (2'(u_dut.command.kind_insert) + 2'(u_dut.command.kind_remove) +
            2'(u_dut.command.kind_cluster) <= 2'd1);
    assume (!(u_dut.command.decide &&
            (u_dut.command.kind_insert || u_dut.command.kind_remove ||
            u_dut.command.kind_cluster)));
    if (busy)
      assume (!start && !u_dut.command.try_insert && !u_dut.command.try_remove &&
              !u_dut.command.config_we);
    if (strobe_q || !started_q) assume (!strobe);
    if (start) assume ($stable(u_dut.cfg.guard_en));
    if (u_dut.command.insert) assume (32'(u_dut.occupancy) < Entries);
    if (u_dut.command.remove) assume (u_dut.occupancy != '0);
    // No row is higher than the new entry where there is no row. sched_rows also reads the row
    // below the first.
    if (started_q && $past(u_dut.u_list.u_rows.key_en && (&u_dut.u_list.u_rows.read_row_q)))
      assume (!u_dut.u_list.u_rows.higher_q);
`ifdef FORMAL_AHEAD
    assume (!u_dut.command.try_insert && !u_dut.command.try_remove && !u_dut.command.cluster &&
            !u_dut.cfg.guard_en);
    assume (32'(u_dut.cfg.ahead.most) <= Most && 32'(u_dut.cfg.ahead.depth) <= Depth);
    // Constants of any value
    if (started_q) assume ($stable({u_dut.cfg.ahead.most, u_dut.cfg.ahead.depth}));
`endif
    // Registers hold their values from the write that starts work to its end.
    if (started_q && busy) begin
      assume ($stable({u_dut.cfg.guard_en, u_dut.cfg.sweep_down, u_dut.cluster_cfg.down,
              u_dut.cluster_cfg.max, u_dut.cluster_cfg.order}));
      assume ($stable({u_dut.cluster_cfg.from, u_dut.cluster_cfg.span, u_dut.cluster_cfg.take_c,
              u_dut.cluster_cfg.take_d, u_dut.cluster_cfg.stop_at_c}));
      assume ($stable({u_dut.change_tag, u_dut.entry.start.cyl}));
    end

`ifdef FORMAL_REACH_DECIDE
    // Reached: a guarded decision that works out sums and debts
    a_never_guarded_decision: assert (!(started_q && busy && work_q == Decide &&
                                      32'(cycle_q) > 2 * Pass));
`elsif FORMAL_REACH_AHEAD
    // Reached: the longest decision
    a_never_longest_ahead: assert (!(started_q && busy && work_q == Decide && ahead_q &&
                                   32'(cycle_q) == Pass + AheadMost));
`elsif FORMAL_REACH_CLUSTER
    // Reached: the longest CLUSTER
    a_never_longest_cluster: assert (!(started_q && busy && work_q == Cluster &&
                                     32'(cycle_q) == ClusterMost));
`else
    if (started_q) begin
      a_ends_in_time: assert (!busy || cycle_q <= most);
      a_occupancy_within_entries: assert (32'(u_dut.occupancy) <= Entries);
      if ($past(started_q && busy && work_q == Decide && !guard_q && !ahead_q &&
          !u_dut.command.clear) && !busy) begin
        a_plain_decision_exact: assert (32'($past(cycle_q)) == Pass);
      end
      if ($past(u_dut.command.clear)) a_soft_reset_ends: assert (!busy);
    end
`endif
  end

endmodule
