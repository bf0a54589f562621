// SPDX-License-Identifier: Apache-2.0
//
// The module controls the work that a write starts. This work is a change of the list, a decision
// or a cluster. A decision is preceded by the sums and debts if they are stale, and a cluster may
// be followed by its best order.
//
// Parameters:
//   LooksAhead  0: no decision looks ahead
// Latency:    busy_o is high from the cycle after a write that starts work until the work ends. A
//             refused change is no work, so busy_o stays low.
// Handshake:  The strobes of the register file come only while busy_o is low. done_o is high in the
//             last cycle of an operation. A reset ends everything.
// Statistics: cycles_o counts the cycles of the last operation.

module sched_control
  import sched_pkg::*;
#(
  parameter bit LooksAhead = 1'b1
) (
  // Clock, rising edge.
  input  logic        clk_i,
  // Reset or soft reset, synchronous, active low.
  input  logic        rst_ni,

  // --- Writes that start work or make sums stale
  // Any write while no work is under way.
  input  logic        write_i,
  // INSERT, REMOVE or SERVE, whether its tag is good or not.
  input  logic        change_i,
  // In the cycle after change_i: the tag is refused, and nothing changes.
  input  logic        cancel_i,
  // In the cycle after change_i: an INSERT whose tag is good.
  input  logic        inserted_i,
  // OP DECIDE.
  input  logic        decide_i,
  // OP CLUSTER.
  input  logic        cluster_i,
  // A continuous entry comes or goes, so the sums become stale.
  input  logic        continuous_i,
  // A write makes the sums stale.
  input  logic        config_we_i,
  // CTRL.GUARD_EN.
  input  logic        guard_en_i,

  // --- Parts
  // The list's operation ends with this cycle.
  input  logic        list_done_i,
  // The sweep has an entry; valid with list_done_i of the sums.
  input  logic        swept_i,
  // NEXT.VALID, as of the last sums.
  input  logic        next_valid_i,
  // The cost matrix was streamed; valid with list_done_i.
  input  logic        ordered_i,
  // The pass ends with this cycle.
  input  logic        pass_done_i,
  // The orderer ends with this cycle.
  input  logic        order_done_i,
  // Decisions look ahead (AHEAD).
  input  logic        ahead_i,
  // The look-ahead ends with this cycle.
  input  logic        ahead_done_i,
  // Start the look-ahead, in the last cycle of the decision's own pass.
  output logic        ahead_start_o,
  // Start the sums of the sweep.
  output logic        sums_o,
  // Start a pass, for debts or for the decision.
  output logic        pass_start_o,
  // pass_start_o may be high in this cycle; known early in the cycle.
  output logic        may_start_o,
  // The pass is for debts; from the cycle before pass_start_o to the pass's end.
  output logic        onward_o,
  // The pass is the decision's own.
  output logic        keep_o,
  // Start the orderer.
  output logic        order_start_o,

  // --- Clock enables of the parts
  // The list works.
  output logic        list_en_o,
  // The lanes work.
  output logic        lanes_en_o,
  // The orderer works.
  output logic        order_en_o,

  // --- State
  // Work is under way (STATUS.BUSY).
  output logic        busy_o,
  // The work does not end with this cycle.
  output logic        stays_o,
  // A DECIDE or CLUSTER ends with this cycle.
  output logic        done_o,
  // A DECIDE ends with this cycle.
  output logic        decided_o,
  // CYCLES of the last operation.
  output logic [31:0] cycles_o
);

  // One flip-flop for each state, since the next state is needed early.
  typedef enum logic [3:0] {
    Idle, Change, Sums, DebtsWait, DebtsStart, Debts, DecideWait, DecideStart, Decide, Collect,
    OrderStart, Order, Ahead
  } state_e;

  localparam int unsigned States = 13;

  logic [States-1:0] state_q, state_d;
  logic              sums_stale_q, sums_stale_d, debts_stale_q, debts_stale_d, need_sums_q,
                     need_debts_q, keep_cycles;
  logic              collect_ends, order_ends;
  logic [31:0]       cycle_q, cycle_d;

  assign sums_o = decide_i && need_sums_q;
  assign pass_start_o = (decide_i && !need_sums_q && !need_debts_q) ||
      state_q[DebtsStart] || state_q[DecideStart];
  assign may_start_o = write_i || state_q[DebtsStart] || state_q[DecideStart];
  assign keep_o = state_q[Decide];
  assign order_start_o = state_q[OrderStart];

  assign list_en_o = state_q[Change] || state_q[Sums] || state_q[DebtsWait] || state_q[Collect];
  assign lanes_en_o = state_q[Sums] || state_q[DebtsWait] || state_q[DebtsStart] ||
      state_q[Debts] || state_q[DecideWait] || state_q[DecideStart] || state_q[Decide] ||
      state_q[Collect] || state_q[Ahead];
  assign order_en_o = state_q[Collect] || state_q[OrderStart] || state_q[Order];

  assign collect_ends = state_q[Collect] && list_done_i && !ordered_i;
  assign order_ends = state_q[Order] && order_done_i;
  assign ahead_start_o = state_q[Decide] && pass_done_i && ahead_i;
  assign decided_o = (state_q[Decide] && pass_done_i && !ahead_i) ||
      (state_q[Ahead] && ahead_done_i);
  assign done_o = decided_o || collect_ends || order_ends;
  // The end of the list's operation comes late in the cycle. All other ends are combined before it.
  assign stays_o = (((state_q[Change] && !cancel_i) || state_q[Collect]) && !list_done_i) ||
      (state_q[Collect] && ordered_i) || (state_q[Decide] && (!pass_done_i || ahead_i)) ||
      (state_q[Ahead] && !ahead_done_i) || (state_q[Order] && !order_done_i) ||
      state_q[Sums] || state_q[DebtsWait] || state_q[DebtsStart] || state_q[Debts] ||
      state_q[DecideWait] || state_q[DecideStart] || state_q[OrderStart];
  assign busy_o = !state_q[Idle] && !cancel_i;

  always_comb begin
    state_d[Idle] = !stays_o && !change_i && !decide_i && !cluster_i;
    state_d[Change] = (state_q[Idle] && change_i) || (state_q[Change] && !list_done_i && !cancel_i);
    state_d[Sums] = (state_q[Idle] && sums_o) || (state_q[Sums] && !list_done_i);
    state_d[DebtsWait] = (state_q[Idle] && decide_i && !need_sums_q && need_debts_q) ||
        (state_q[Sums] && list_done_i && swept_i);
    state_d[DebtsStart] = state_q[DebtsWait];
    state_d[Debts] = state_q[DebtsStart] || (state_q[Debts] && !pass_done_i);
    state_d[DecideWait] = (state_q[Sums] && list_done_i && !swept_i) ||
        (state_q[Debts] && pass_done_i);
    state_d[DecideStart] = state_q[DecideWait];
    state_d[Decide] = (state_q[Idle] && decide_i && !need_sums_q && !need_debts_q) ||
        state_q[DecideStart] || (state_q[Decide] && !pass_done_i);
    state_d[Ahead] = LooksAhead && (ahead_start_o || (state_q[Ahead] && !ahead_done_i));
    state_d[Collect] = (state_q[Idle] && cluster_i) || (state_q[Collect] && !list_done_i);
    state_d[OrderStart] = state_q[Collect] && list_done_i && ordered_i;
    state_d[Order] = state_q[OrderStart] || (state_q[Order] && !order_done_i);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= States'(1) << Idle;
      onward_o <= 1'b0;
    end else begin
      state_q <= state_d;
      onward_o <= state_d[DebtsWait] || state_d[DebtsStart] || state_d[Debts];
    end
  end

  // Stale sums and debts. The needs of a decision are known in the cycle before. After a write of
  // CTRL comes a cycle that accepts no write, and NEXT changes only with sums.
  assign sums_stale_d = config_we_i || continuous_i || (sums_stale_q && !sums_o);
  assign debts_stale_d = inserted_i || sums_o || (debts_stale_q && !state_q[DebtsStart]);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      sums_stale_q <= 1'b1;
      debts_stale_q <= 1'b1;
      need_sums_q <= 1'b0;
      need_debts_q <= 1'b0;
    end else begin
      sums_stale_q <= sums_stale_d;
      debts_stale_q <= debts_stale_d;
      need_sums_q <= guard_en_i && sums_stale_d;
      need_debts_q <= guard_en_i && debts_stale_d && next_valid_i;
    end
  end

  // Cycles of an operation
  assign cycle_d = cycle_q + 32'd1;
  assign keep_cycles = decide_i || cluster_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      cycle_q <= '0;
      cycles_o <= '0;
    end else begin
      cycle_q <= keep_cycles ? '0 : cycle_d;
      if (done_o) begin
        cycles_o <= cycle_d;
      end
    end
  end

`ifdef VERILATOR
  // Name of the state, for wave files
  // verilator coverage_off
  state_e state_name;

  always_comb begin
    state_name = Idle;
    for (int unsigned i = 0; i < States; i++) begin
      if (state_q[i]) begin
        state_name = state_e'(i[3:0]);
      end
    end
  end
  // verilator coverage_on
`endif

endmodule
