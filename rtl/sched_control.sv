// SPDX-License-Identifier: Apache-2.0
//
// Course of the work that a write starts: changes of the list, decisions with what must be worked out
// before, clusters with their best order.
//
// Parameters: none.
// Latency:    busy_o is high from the cycle after a write that starts work until the work has ended.
// Handshake:  the strobes of the register file come only while busy_o is low. done_o is high in the last cycle of
//             an operation. reset ends everything.

module sched_control
  import sched_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,

  // Writes that start work or make sums stale
  input  logic        write_i,           // any write that is accepted while nothing is under way
  input  logic        insert_i,
  input  logic        remove_i,          // REMOVE or SERVE
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

  typedef enum logic [3:0] {
    Idle, Change, Sums, DebtsWait, DebtsStart, Debts, DecideWait, DecideStart, Decide, Collect,
    OrderStart, Order
  } state_e;

  state_e      state_q, state_d;
  logic        sums_stale_q, debts_stale_q, need_sums, need_debts, keep_cycles;
  logic [31:0] cycle_q, cycle_d;

  assign need_sums = guard_en_i && sums_stale_q;
  assign need_debts = guard_en_i && debts_stale_q && next_valid_i;

  assign sums_o = decide_i && need_sums;
  assign pass_start_o = (decide_i && !need_sums && !need_debts) || state_q == DebtsStart ||
      state_q == DecideStart;
  assign may_start_o = write_i || state_q == DebtsStart || state_q == DecideStart;
  assign keep_o = state_q == Decide;
  assign order_start_o = state_q == OrderStart;

  assign stays_o = busy_o && state_d != Idle;
  assign list_en_o = state_q inside {Change, Sums, DebtsWait, Collect};
  assign lanes_en_o = state_q inside {Sums, DebtsWait, DebtsStart, Debts, DecideWait, DecideStart,
                                      Decide, Collect};
  assign order_en_o = state_q inside {Collect, OrderStart, Order};

  assign decided_o = state_q == Decide && pass_done_i;
  assign done_o = decided_o || (state_q == Collect && list_done_i && !ordered_i) ||
      (state_q == Order && order_done_i);

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle: begin
        if (insert_i || remove_i) begin
          state_d = Change;
        end else if (decide_i) begin
          state_d = need_sums ? Sums : need_debts ? DebtsWait : Decide;
        end else if (cluster_i) begin
          state_d = Collect;
        end
      end
      Change: if (list_done_i) state_d = Idle;
      Sums: if (list_done_i) state_d = swept_i ? DebtsWait : DecideWait;
      DebtsWait: state_d = DebtsStart;
      DebtsStart: state_d = Debts;
      Debts: if (pass_done_i) state_d = DecideWait;
      DecideWait: state_d = DecideStart;
      DecideStart: state_d = Decide;
      Decide: if (pass_done_i) state_d = Idle;
      Collect: if (list_done_i) state_d = ordered_i ? OrderStart : Idle;
      OrderStart: state_d = Order;
      Order: if (order_done_i) state_d = Idle;
      default: state_d = Idle;
    endcase
  end

  // What many wait for has registers of its own.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Idle;
      busy_o <= 1'b0;
      onward_o <= 1'b0;
    end else begin
      state_q <= state_d;
      busy_o <= state_d != Idle;
      onward_o <= state_d inside {DebtsWait, DebtsStart, Debts};
    end
  end

  // Stale
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      sums_stale_q <= 1'b1;
      debts_stale_q <= 1'b1;
    end else begin
      if (config_we_i || continuous_i) begin
        sums_stale_q <= 1'b1;
      end else if (sums_o) begin
        sums_stale_q <= 1'b0;
      end
      if (insert_i || sums_o) begin
        debts_stale_q <= 1'b1;
      end else if (state_q == DebtsStart) begin
        debts_stale_q <= 1'b0;
      end
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

endmodule
