// SPDX-License-Identifier: Apache-2.0
//
// Course of the work that a write starts: changes of the list, decisions with what must be worked out
// before, clusters with their best order.
//
// Parameters: LooksAhead (0: no decision does).
// Latency:    busy_o is high from the cycle after a write that starts work until the work has ended; a change that is
//             refused is none, and busy_o stays low.
// Handshake:  the strobes of the register file come only while busy_o is low. done_o is high in the last cycle of
//             an operation. reset ends everything.

module sched_control
  import sched_pkg::*;
#(
  parameter bit LooksAhead = 1'b1
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  // Writes that start work or make sums stale
  input  logic        write_i,           // any write that is accepted while nothing is under way
  input  logic        change_i,          // INSERT, REMOVE or SERVE
  input  logic        cancel_i,          // in the cycle after change_i: its tag is refused, nothing changes
  input  logic        inserted_i,        // in the cycle after change_i: an insertion that is not refused
  input  logic        decide_i,
  input  logic        cluster_i,
  input  logic        continuous_i,      // a continuous entry comes or goes
  input  logic        config_we_i,
  input  logic        guard_en_i,

  // Parts
  input  logic        list_done_i,
  input  logic        swept_i,           // there is a sweep, as of the sums that end
  input  logic        next_valid_i,
  input  logic        ordered_i,         // a cost matrix was streamed
  input  logic        pass_done_i,
  input  logic        order_done_i,
  input  logic        ahead_i,           // a decision looks ahead
  input  logic        ahead_done_i,
  output logic        ahead_start_o,     // with the end of the decision's own pass
  output logic        sums_o,
  output logic        pass_start_o,
  output logic        may_start_o,       // what pass_start_o may be, early in the cycle
  output logic        onward_o,          // the pass is for debts; from the cycle before on
  output logic        keep_o,            // the pass is a decision
  output logic        order_start_o,

  // Parts that work in this cycle
  output logic        list_en_o,
  output logic        lanes_en_o,
  output logic        order_en_o,

  output logic        busy_o,
  output logic        stays_o,           // the work that is under way has not ended with this cycle
  output logic        done_o,
  output logic        decided_o,         // done_o of a DECIDE
  output logic [31:0] cycles_o           // of the last operation
);

  // One flip-flop a state: what comes next is wanted early.
  typedef enum logic [3:0] {
    Idle, Change, Sums, DebtsWait, DebtsStart, Debts, DecideWait, DecideStart, Decide, Collect,
    OrderStart, Order, Ahead
  } state_e;

  localparam int unsigned States = 13;

  logic [States-1:0] state_q, state_d;
  logic              sums_stale_q, sums_stale_d, debts_stale_q, debts_stale_d, need_sums_q, need_debts_q, keep_cycles;
  logic              collect_ends, order_ends;
  logic [31:0]       cycle_q, cycle_d;

  assign sums_o = decide_i && need_sums_q;
  assign pass_start_o = (decide_i && !need_sums_q && !need_debts_q) || state_q[DebtsStart] || state_q[DecideStart];
  assign may_start_o = write_i || state_q[DebtsStart] || state_q[DecideStart];
  assign keep_o = state_q[Decide];
  assign order_start_o = state_q[OrderStart];

  assign list_en_o = state_q[Change] || state_q[Sums] || state_q[DebtsWait] || state_q[Collect];
  assign lanes_en_o = state_q[Sums] || state_q[DebtsWait] || state_q[DebtsStart] || state_q[Debts] ||
      state_q[DecideWait] || state_q[DecideStart] || state_q[Decide] || state_q[Collect] || state_q[Ahead];
  assign order_en_o = state_q[Collect] || state_q[OrderStart] || state_q[Order];

  assign collect_ends = state_q[Collect] && list_done_i && !ordered_i;
  assign order_ends = state_q[Order] && order_done_i;
  assign ahead_start_o = state_q[Decide] && pass_done_i && ahead_i;
  assign decided_o = (state_q[Decide] && pass_done_i && !ahead_i) || (state_q[Ahead] && ahead_done_i);
  assign done_o = decided_o || collect_ends || order_ends;
  // Of the ends the list's comes last in a cycle, and all others are put together before it.
  assign stays_o = (((state_q[Change] && !cancel_i) || state_q[Collect]) && !list_done_i) || (state_q[Collect] && ordered_i) ||
      (state_q[Decide] && (!pass_done_i || ahead_i)) || (state_q[Ahead] && !ahead_done_i) || (state_q[Order] && !order_done_i) ||
      state_q[Sums] || state_q[DebtsWait] || state_q[DebtsStart] || state_q[Debts] || state_q[DecideWait] || state_q[DecideStart] || state_q[OrderStart];
  assign busy_o = !state_q[Idle] && !cancel_i;

  always_comb begin
    state_d[Idle] = !stays_o && !change_i && !decide_i && !cluster_i;
    state_d[Change] = (state_q[Idle] && change_i) || (state_q[Change] && !list_done_i && !cancel_i);
    state_d[Sums] = (state_q[Idle] && sums_o) || (state_q[Sums] && !list_done_i);
    state_d[DebtsWait] = (state_q[Idle] && decide_i && !need_sums_q && need_debts_q) ||
        (state_q[Sums] && list_done_i && swept_i);
    state_d[DebtsStart] = state_q[DebtsWait];
    state_d[Debts] = state_q[DebtsStart] || (state_q[Debts] && !pass_done_i);
    state_d[DecideWait] = (state_q[Sums] && list_done_i && !swept_i) || (state_q[Debts] && pass_done_i);
    state_d[DecideStart] = state_q[DecideWait];
    state_d[Decide] = (state_q[Idle] && decide_i && !need_sums_q && !need_debts_q) || state_q[DecideStart] ||
        (state_q[Decide] && !pass_done_i);
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

  // Stale. What a decision needs is known in the cycle before: a write of CTRL has one after it in which none is accepted, and there
  // is another next command only after sums.
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
  // The state with its name, for wave files.
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
