// SPDX-License-Identifier: Apache-2.0
//
// What each module of the scheduling accelerator promises, as assertions bound into it in every simulation: a checker a module, in the
// order of files.f. Not part of the synthesized design. docs/reference/rtl has the list.
//
// Parameters: as the module that a checker is bound to.
// Latency:    none; the checks are clocked immediate assertions.
// Handshake:  none; a checker only listens.

// ------------------------------------------------------------------------------- sched_reg
module sched_reg_checks #(
  parameter int unsigned Width = 1
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic [Width-1:0] q_o
);
  logic rst_q;
  initial rst_q = 1'b1;

  always_ff @(posedge clk_i) begin
    rst_q <= rst_ni;
    assert (rst_q || q_o == '0) else $error("a register is not zero after a reset");
  end
endmodule

bind sched_reg sched_reg_checks #(.Width(Width)) u_checks (.*);

// ------------------------------------------------------------------------------- sched_clock_gate
// two edges a cycle: begin
module sched_clock_gate_checks (
  input logic clk_i,
  input logic en_i,
  input logic scan_en_i,
  input logic clk_o
);
  logic started_q;
  initial started_q = 1'b0;
  logic asked_q;   // while the clock was low: a reset may change en_i later
  logic open_q;    // asked_q at the last edge
  logic passed_q;  // changes with every edge that passes
  initial passed_q = 1'b0;
  logic before_q;

  always_latch begin
    if (!clk_i) begin
      asked_q = en_i || scan_en_i;
    end
  end

  always_ff @(posedge clk_o) begin
    passed_q <= !passed_q;
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    open_q <= asked_q;
    before_q <= passed_q;
    if (started_q) begin
      assert ((passed_q != before_q) == open_q) else $error("a clock gate does not pass the edges for which it is enabled, or for which scan_en is high, and those alone");
    end
  end
endmodule

bind sched_clock_gate sched_clock_gate_checks u_checks (.*);
// two edges a cycle: end

// ------------------------------------------------------------------------------- sched_join
module sched_join_checks
  import sched_pkg::*;
(
  input logic   clk_i,
  input logic   rst_ni,
  input write_t write_o,
  input logic   ready_i,
  input logic   hold_i
);
  logic   waits_q;
  initial waits_q = 1'b0;
  write_t write_q;

  always_ff @(posedge clk_i) begin
    waits_q <= rst_ni && write_o.valid && !ready_i;
    write_q <= write_o;
    if (rst_ni) begin
      if (write_o.valid) begin
        assert (write_o.kind == kind_of(write_o.addr) && write_o.low[!write_o.offered] == write_o.data[15:0])
        else $error("address or data of a write are not what they are said to be");
      end
      assert (write_o.soft_reset ==
              (write_o.valid && write_o.whole && write_o.kind.clear && write_o.data[sched_reg_pkg::ClearSoftResetLsb]))
      else $error("a soft reset is not what it is said to be");
      assert (write_o.usable == (write_o.whole && !hold_i) && write_o.good == (write_o.valid && write_o.whole))
      else $error("a write is not as good as it is said to be");
      assert (!(write_o.valid && hold_i)) else $error("a write goes on while a response waits");
      if (waits_q && !hold_i) begin
        assert (write_o.valid && write_o.addr == write_q.addr && write_o.data == write_q.data && write_o.whole == write_q.whole)
        else $error("a write changed before it was taken");
      end
    end
  end
endmodule

bind sched_join sched_join_checks u_checks (.*);

// ------------------------------------------------------------------------------- sched_axil
module sched_axil_checks (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        s_axil_bvalid_o,
  input logic        s_axil_bready_i,
  input logic [1:0]  s_axil_bresp_o,
  input logic        s_axil_rvalid_o,
  input logic        s_axil_rready_i,
  input logic [31:0] s_axil_rdata_o,
  input logic [1:0]  s_axil_rresp_o
);
  logic        b_waits_q, r_waits_q;
  initial {b_waits_q, r_waits_q} = '0;
  logic [1:0]  bresp_q, rresp_q;
  logic [31:0] rdata_q;

  always_ff @(posedge clk_i) begin
    b_waits_q <= rst_ni && s_axil_bvalid_o && !s_axil_bready_i;
    r_waits_q <= rst_ni && s_axil_rvalid_o && !s_axil_rready_i;
    {bresp_q, rresp_q, rdata_q} <= {s_axil_bresp_o, s_axil_rresp_o, s_axil_rdata_o};
    if (rst_ni && b_waits_q) begin
      assert (s_axil_bvalid_o && s_axil_bresp_o == bresp_q) else $error("a write response changed before it was taken");
    end
    if (rst_ni && r_waits_q) begin
      assert (s_axil_rvalid_o && s_axil_rresp_o == rresp_q && s_axil_rdata_o == rdata_q)
      else $error("a read response changed before it was taken");
    end
  end
endmodule

bind sched_axil sched_axil_checks u_checks (.*);

// ------------------------------------------------------------------------------- sched_regs
module sched_regs_checks
  import sched_pkg::*;
#(
  parameter int unsigned Entries = 32
) (
  input logic            clk_i,
  input logic            rst_ni,
  input write_t          write_i,
  input logic            wr_ready_o,
  input logic            wr_error_o,
  input logic            wr_bad_o,
  input logic            wr_refused_o,
  input command_t        command_o,
  input logic [TagW-1:0] change_tag_o,
  input logic            inserted_i,
  input logic            rsp_valid_o,
  input logic            rsp_ready_i,
  input logic [31:0]     rd_data_o,
  input logic            rd_error_o
);
  logic        accept, write_q, refused_q, waits_q, error_q;
  initial {write_q, refused_q, waits_q} = '0;
  logic        told_q, wr_error_q, wr_bad_q;      // what the last write was answered
  initial told_q = 1'b0;
  logic [31:0] data_q;

  assign accept = write_i.valid && wr_ready_o;

  always_ff @(posedge clk_i) begin
    write_q <= rst_ni && accept;
    refused_q <= rst_ni && accept && wr_error_o && (command_o.try_insert || command_o.try_remove);
    waits_q <= rst_ni && rsp_valid_o && !rsp_ready_i;
    {error_q, data_q} <= {rd_error_o, rd_data_o};
    told_q <= rst_ni && (told_q || accept);
    if (accept) {wr_error_q, wr_bad_q} <= {wr_error_o, wr_bad_o};
    if (rst_ni) begin
      assert (!told_q || (wr_bad_q || wr_refused_o) == wr_error_q) else $error("the answer to a write changed after it");
      assert (!(wr_ready_o && write_q)) else $error("a write was accepted in the cycle after a write");
      assert ($onehot0({command_o.decide, command_o.cluster, command_o.try_insert, command_o.try_remove, command_o.clear}))
      else $error("one write gives two commands");
      assert ((command_o.try_insert || !command_o.insert) && (command_o.try_remove || !command_o.remove))
      else $error("a change that nobody tried");
      assert (command_o.cancel == refused_q) else $error("a refused change was not called off, or one that was not refused");
      if (inserted_i) begin
        assert (32'(change_tag_o) < Entries) else $error("the tag of an insertion is not in the table");
      end
      if (waits_q) begin
        assert (rsp_valid_o && rd_error_o == error_q && rd_data_o == data_q)
        else $error("an answer changed before it was taken");
      end
    end
  end
endmodule

bind sched_regs sched_regs_checks #(.Entries(Entries)) u_checks (.*);

// ------------------------------------------------------------------------------- sched_table
module sched_table_checks (
  input logic clk_i,
  input logic part_we_i,
  input logic debt_we_i
);
  logic started_q;     // the first edge is one of the reset, which this module does not see
  initial started_q = 1'b0;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (started_q) begin
      assert (!(part_we_i && debt_we_i)) else $error("a part and a debt are written at once");
    end
  end
endmodule

bind sched_table sched_table_checks u_checks (.*);

// ------------------------------------------------------------------------------- sched_seek
module sched_seek_checks
  import sched_pkg::*;
#(
  parameter int unsigned CylW = 18
) (
  input logic                       clk_i,
  input logic [StageSeek:StageCell] en_i,
  input logic [CylW-1:0]            distance_i,
  input logic                       moves_o
);
  logic [1:0] valid_q = 2'b00;
  logic [1:0] moves_q;

  always_ff @(posedge clk_i) begin
    if (en_i[StageCell]) begin
      {valid_q[0], moves_q[0]} <= {1'b1, distance_i != '0};
    end
    if (en_i[StageDirectory]) begin
      {valid_q[1], moves_q[1]} <= {valid_q[0], moves_q[0]};
    end
    assert (!valid_q[1] || moves_o == moves_q[1]) else $error("a distance of zero moves, or another does not");
  end
endmodule

bind sched_seek sched_seek_checks #(.CylW(CylW)) u_checks (.*);

// ------------------------------------------------------------------------------- sched_hop
module sched_hop_checks
  import sched_pkg::*;
#(
  parameter int unsigned TimeW = 20
) (
  input logic                           clk_i,
  input logic [StageCost:StageDistance] en_i,
  input logic [TimeW-1:0]               reach,
  input logic [TimeW-1:0]               worst,
  input logic                           risky,
  input logic                           rests
);
  // Before the first reset the stages are enabled at random: a hop has been in stage 9 before it is in stage 10.
  logic arrived_q, valid_q, rests_q;
  initial {arrived_q, valid_q, rests_q} = '0;

  always_ff @(posedge clk_i) begin
    arrived_q <= en_i[StageArrive];
    valid_q <= en_i[StageCost] && arrived_q;
    rests_q <= rests;
    if (valid_q) begin
      assert (worst >= reach && (risky || rests_q || worst == reach)) else $error("the worst of a hop is less than what it takes");
    end
  end
endmodule

bind sched_hop sched_hop_checks #(.TimeW(TimeW)) u_checks (
  .reach(hop_o.reach), .worst(hop_o.worst), .risky(hop_o.risky), .*
);

// ------------------------------------------------------------------------------- sched_lane
module sched_lane_checks
  import sched_pkg::*;
(
  input logic                clk_i,
  input logic [StageKey:0]   en_i,
  input logic                candidate_o,
  input logic                refused_o
);
  logic valid_q;
  initial valid_q = 1'b0;

  always_ff @(posedge clk_i) begin
    valid_q <= en_i[StageKey];
    assert (!valid_q || !(candidate_o && refused_o)) else $error("an entry is a candidate and refused");
  end
endmodule

bind sched_lane sched_lane_checks u_checks (.*);

// ------------------------------------------------------------------------------- sched_min_tree
module sched_min_tree_checks
  import sched_pkg::*;
#(
  parameter int unsigned Lanes = 4,
  localparam int unsigned LaneW = index_w(Lanes),
  localparam int unsigned RefusedW = $clog2(Lanes + 1)
) (
  input logic                clk_i,
  input logic [1:0]          en_i,
  input logic [Lanes-1:0]    candidate_i,
  input logic                best_valid_o,
  input logic [LaneW-1:0]    best_lane_o,
  input logic [RefusedW-1:0] refused_o
);
  logic [Lanes-1:0] first_q, second_q;
  logic             first_valid_q, second_valid_q;
  initial {first_valid_q, second_valid_q} = '0;

  always_ff @(posedge clk_i) begin
    if (en_i[0]) begin
      {first_q, first_valid_q} <= {candidate_i, 1'b1};
    end
    if (en_i[1]) begin
      {second_q, second_valid_q} <= {first_q, first_valid_q};
    end
    if (second_valid_q) begin
      assert (best_valid_o == (second_q != '0) && (!best_valid_o || second_q[best_lane_o]))
      else $error("the best of the lanes is none of the candidates");
      assert (32'(refused_o) <= Lanes) else $error("more entries are refused than there are lanes");
    end
  end
endmodule

bind sched_min_tree sched_min_tree_checks #(.Lanes(Lanes)) u_checks (.*);

// ------------------------------------------------------------------------------- sched_decide
module sched_decide_checks
  import sched_pkg::*;
  import sched_reg_pkg::*;
#(
  parameter int unsigned Rows = 8,
  localparam int unsigned Duration = Rows + DecisionLatency
) (
  input logic                  clk_i,
  input logic                  rst_ni,
  input logic                  start_i,
  input logic                  may_start_i,
  input logic                  done_o,
  input logic [StageTreeEnd:0] en_o
);
  logic       pass_q;
  initial pass_q = 1'b0;
  logic [8:0] cycle_q;

  always_ff @(posedge clk_i) begin
    pass_q <= rst_ni && (start_i || (pass_q && !done_o));
    cycle_q <= start_i ? '0 : cycle_q + 9'd1;
    if (rst_ni) begin
      assert (!start_i || (may_start_i && !pass_q)) else $error("a pass starts unannounced, or during another");
      assert (!done_o || (pass_q && 32'(cycle_q) == Duration - 1)) else $error("a pass took %0d cycles", 32'(cycle_q) + 32'd1);
      assert (pass_q || en_o[StageTreeEnd:2] == '0) else $error("a row is in the pipeline and no pass runs");
    end
  end
endmodule

bind sched_decide sched_decide_checks #(.Rows(Rows)) u_checks (.*);

// ------------------------------------------------------------------------------- sched_order
module sched_order_checks #(
  parameter int unsigned M = 6,
  localparam int unsigned SlotW = $clog2(M + 1)
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             clear_i,
  input logic             start_i,
  input logic [SlotW-1:0] count_i,
  input logic             busy_o,
  input logic             done_o,
  input logic             cost_we_i
);
  logic done_q;
  initial done_q = 1'b0;

  always_ff @(posedge clk_i) begin
    done_q <= rst_ni && done_o;
    if (rst_ni && !clear_i) begin
      assert (!start_i || (!busy_o && count_i != '0 && 32'(count_i) <= M)) else $error("an order of no slots, of too many, or beside another");
      assert (!(cost_we_i && busy_o)) else $error("a cost changes while an order is found");
      assert (!done_o || busy_o) else $error("an order is done and was not asked for");
      assert (!done_q || !busy_o) else $error("busy after the end");
    end
  end
endmodule

bind sched_order sched_order_checks #(.M(M)) u_checks (.*);

// ------------------------------------------------------------------------------- sched_rows
module sched_rows_checks
  import sched_pkg::*;
#(
  parameter int unsigned Entries = 32,
  localparam int unsigned EntryW = index_w(Entries)
) (
  input logic              clk_i,
  input logic              rst_ni,
  input list_state_t       state_i,
  input logic              last_o,
  input logic              removed,
  input logic [EntryW:0]   count_o,
  input logic              primed_o,
  input logic [EntryW-1:0] row_o
);
  logic removed_q;
  initial removed_q = 1'b0;

  always_ff @(posedge clk_i) begin
    removed_q <= rst_ni && state_i.remove && (removed || removed_q);
    if (rst_ni) begin
      assert (32'(count_o) <= Entries) else $error("there are more entries than there are");
      if (state_i.insert && primed_o) begin
        assert (32'(count_o) < Entries) else $error("an entry comes into a full list");
      end
      if (state_i.remove) begin
        assert (!(removed && removed_q)) else $error("two entries go at once");
        assert (!(primed_o && last_o) || removed || removed_q) else $error("an entry that goes was not found");
      end
      if (state_i.sums && primed_o) begin
        assert ((EntryW + 1)'(row_o) < count_o) else $error("a walk is beyond the last row");
      end
    end
  end
endmodule

bind sched_rows sched_rows_checks #(.Entries(Entries)) u_checks (.removed(removed_o.valid), .*);

// ------------------------------------------------------------------------------- sched_sums
module sched_sums_checks
  import sched_pkg::*;
#(
  parameter int unsigned SumW = 28
) (
  input logic            clk_i,
  input logic            rst_ni,
  input list_state_t     state_i,
  input logic            hop_o,
  input hop_kind_e       hop_kind_o,
  input logic            next_valid,
  input logic [TagW-1:0] next_tag,
  input logic [SumW-1:0] sweep,
  input logic [SumW-1:0] due,
  input logic            part_we
);
  logic sums, sums_q, we_q;
  initial {sums_q, we_q} = '0;

  assign sums = state_i.sums || state_i.sums_drain;

  always_ff @(posedge clk_i) begin
    sums_q <= rst_ni && sums;
    we_q <= rst_ni && part_we;
    if (rst_ni) begin
      assert (!hop_o || (sums && hop_kind_o != HopNone)) else $error("a hop for sums that nobody works out");
      assert (next_valid || (next_tag == '0) || sums) else $error("there is no next command, but its tag");
      assert (!part_we || sums || sums_q) else $error("a part is written and no sums are worked out");
      if (!sums && !next_valid) begin
        assert (sweep == '0 && due == '0) else $error("an empty sweep takes time");
      end
      assert (!(part_we && we_q) || sums) else $error("parts go on after the sums");
    end
  end
endmodule

bind sched_sums sched_sums_checks #(.SumW(SumW)) u_checks (
  .next_valid(sweep_o.next.valid), .next_tag(sweep_o.next.tag), .sweep(sweep_o.sweep), .due(sweep_o.due), .part_we(part_o.we), .*
);

// ------------------------------------------------------------------------------- sched_collect
module sched_collect_checks
  import sched_pkg::*;
#(
  parameter int unsigned Entries = 32,
  parameter int unsigned OrderM = 6
) (
  input logic              clk_i,
  input logic              rst_ni,
  input list_state_t       state_i,
  input logic [CountW-1:0] most,
  input logic              order,
  input logic              ends_o,
  input logic              order_o,
  input mask_change_t      mask_o,
  input logic [CountW-1:0] collected_o
);
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (32'(collected_o) <= Entries) else $error("more is collected than there is");
      assert (!mask_o.set || (state_i.collect && 32'(mask_o.tag) < Entries)) else $error("a mark that no collection makes");
      if (state_i.collect) begin
        assert (most == '0 || collected_o < most || (ends_o && !mask_o.set)) else $error("more is collected than was asked for");
        assert (!(ends_o && order_o) || (order && 32'(collected_o) + 32'(mask_o.set) <= OrderM))
        else $error("an order that nobody asked for, or of too many");
      end
    end
  end
endmodule

bind sched_collect sched_collect_checks #(.Entries(Entries), .OrderM(OrderM)) u_checks (.most(cfg_i.max), .order(cfg_i.order), .*);

// ------------------------------------------------------------------------------- sched_matrix
module sched_matrix_checks
  import sched_pkg::*;
#(
  parameter int unsigned OrderM = 6
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             we,
  input logic [SlotW-1:0] from,
  input logic [SlotW-1:0] to,
  input logic [SlotW-1:0] slots_i
);
  always_ff @(posedge clk_i) begin
    if (rst_ni && we) begin
      assert (to < slots_i && from != to && (from < slots_i || 32'(from) == OrderM)) else $error("a cost of no pair of slots");
    end
  end
endmodule

bind sched_matrix sched_matrix_checks #(.OrderM(OrderM)) u_checks (.we(cost_o.we), .from(cost_o.from), .to(cost_o.to), .*);

// ------------------------------------------------------------------------------- sched_list
module sched_list_checks
  import sched_pkg::*;
(
  input logic                           clk_i,
  input logic                           rst_ni,
  input list_op_t                       op_i,
  input list_state_t                    state_q,
  input logic                           done_o,
  input logic                           late_o,
  input logic                           streamed_o,
  input logic                           swept_o,
  input logic [StageCost:StageDistance] hop_en
);
  logic start, ended_q;
  initial ended_q = 1'b0;

  assign start = op_i.insert || op_i.remove || op_i.sums || op_i.collect;

  always_ff @(posedge clk_i) begin
    ended_q <= rst_ni && (done_o || ((state_q.insert || state_q.remove) && op_i.cancel));
    if (rst_ni) begin
      assert ($onehot(state_q)) else $error("the list is in no state, or in two");
      assert ($onehot0({op_i.insert, op_i.remove, op_i.sums, op_i.collect})) else $error("two operations at once");
      assert (!start || state_q.idle) else $error("an operation starts during another");
      assert (!op_i.insert || op_i.kind_insert) else $error("an insertion came unannounced");
      assert (!op_i.remove || op_i.kind_remove) else $error("a removal came unannounced");
      assert (!op_i.collect || op_i.kind_collect) else $error("a collection came unannounced");
      assert (!done_o || !state_q.idle) else $error("the list worked and nobody had asked");
      assert (!ended_q || state_q.idle) else $error("the list works on after the end");
      assert (!late_o || state_q.idle) else $error("an entry is written late during an operation");
      assert (!state_q.idle || hop_en == '0) else $error("a hop is under way and nobody waits for it");
      assert (!streamed_o || state_q.matrix_drain) else $error("a matrix was streamed that nobody asked for");
    end
  end

  logic unused_swept;
  assign unused_swept = swept_o;
endmodule

bind sched_list sched_list_checks u_checks (.hop_en(hop_o.en), .*);

// ------------------------------------------------------------------------------- sched_control
module sched_control_checks (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        change_i,
  input logic        cancel_i,
  input logic        decide_i,
  input logic        cluster_i,
  input logic [12:0] state_q,
  input logic        pass_start_o,
  input logic        may_start_o,
  input logic        keep_o,
  input logic        ahead_done_i,
  input logic        onward_o,
  input logic        busy_o,
  input logic        stays_o,
  input logic        done_o,
  input logic        decided_o
);
  logic stays_q, change_q;
  initial {stays_q, change_q} = '0;

  always_ff @(posedge clk_i) begin
    stays_q <= rst_ni && stays_o;
    change_q <= rst_ni && change_i;
    if (rst_ni) begin
      assert ($onehot(state_q)) else $error("the course is in no state, or in two");
      assert (!(change_i || decide_i || cluster_i) || !busy_o) else $error("work started while other work was under way");
      assert (!pass_start_o || may_start_o) else $error("a pass starts unannounced");
      assert (!done_o || busy_o) else $error("an operation ended that was not under way");
      assert (!decided_o || (done_o && (keep_o || ahead_done_i))) else $error("a decision without a pass");
      assert (!ahead_done_i || state_q[12]) else $error("the look-ahead ended and nobody had asked");
      assert (!(keep_o && onward_o)) else $error("a pass for debts is a decision");
      assert (!stays_q || busy_o || cancel_i) else $error("work ended early");
      assert (!cancel_i || change_q) else $error("a change was called off that nobody tried");
    end
  end
endmodule

bind sched_control sched_control_checks u_checks (.*);

// ------------------------------------------------------------------------------- sched_ahead
module sched_ahead_checks
  import sched_pkg::*;
#(
  parameter int unsigned AngleW = 16,
  localparam int unsigned KeyW = key_w(AngleW)
) (
  input logic                    clk_i,
  input logic                    rst_ni,
  input logic                    start_i,
  input logic [CountW-1:0]       most_i,
  input logic [2:0]              depth_i,
  input logic                    done_o,
  input logic                    pass_start_o,
  input logic                    fetch_o,
  input logic                    ahead_o,
  input logic                    pass_done_i,
  input logic                    found_i,
  input logic signed [KeyW-1:0]  found_key_i,
  input logic [CountW-1:0]       count_q,
  input logic                    valid_o,
  input logic                    idle
);
  logic [1:0] fetch_q;
  initial fetch_q = '0;
  logic       accessed_q;      // a pass ahead ended with the cycle before
  initial accessed_q = 1'b0;

  always_ff @(posedge clk_i) begin
    fetch_q <= rst_ni ? {fetch_q[0], fetch_o} : '0;
    accessed_q <= rst_ni && pass_done_i && ahead_o;
    if (rst_ni) begin
      assert (!start_i || (idle && most_i != '0 && depth_i != '0)) else $error("a look-ahead started that nobody set up, or during another");
      assert (!done_o || !idle) else $error("a look-ahead ended that was not under way");
      assert (count_q <= most_i || idle) else $error("more candidates were examined than AHEAD.MOST");
      assert (!fetch_q[1] || pass_start_o) else $error("no pass follows the row that was fetched");
      assert (!(accessed_q && found_i) || found_key_i >= 0) else $error("an access ahead has a negative cost");
      assert (!valid_o || count_q != '0) else $error("a result without a candidate");
    end
  end
endmodule

bind sched_ahead sched_ahead_checks #(.AngleW(AngleW)) u_checks (.idle(state_q == Idle), .*);

// ------------------------------------------------------------------------------- sched_core
module sched_core_checks
  import sched_pkg::*;
#(
  parameter int unsigned Entries = 32,
  parameter int unsigned Lanes = 4,
  parameter int unsigned AngleW = 16,
  parameter int unsigned TreeKeyW = key_w(AngleW),
  localparam int unsigned KeyW = key_w(AngleW),
  localparam int unsigned TotalW = total_w(AngleW),
  localparam int unsigned EntryW = index_w(Entries)
) (
  input logic                        clk_i,
  input logic                        rst_ni,
  input logic                        soft_rst_n,
  input write_t                      write_i,
  input logic                        wr_ready_o,
  input logic                        busy_o,
  input logic                        decided,
  input logic                        list_done,
  input logic                        control_pass_start,
  input logic                        looks_ahead,
  input logic                        pass_done,
  input logic                        keep,
  input logic                        guard_en,
  input logic                        active,
  input logic                        result_valid,
  input logic                        result_forced,
  input logic [TagW-1:0]             result_tag,
  input logic signed [TotalW-1:0]    result_key,
  input logic                        insert_q,
  input logic                        insert_end_q,
  input logic                        remove_q,
  input logic [TagW-1:0]             change_tag,
  input logic [Entries-1:0]          valid,
  input logic                        cell_we,
  input logic                        segment_we,
  input logic [StageCost:StageDistance] hop_en,
  input logic [CountW-1:0]           occupancy,
  input logic [TagW-1:0]             next_tag,
  input logic                        next_valid,
  input logic [StageTreeEnd:0]       pass_en,
  input logic [Lanes-1:0]            candidate,
  input logic [Lanes-1:0][TreeKeyW-1:0] tree_key
);

  logic decided_q, inserted_q;
  initial {decided_q, inserted_q} = '0;

  // Least key of the decision's own pass
  logic                   seen_q, pass_q, seen;
  logic signed [TreeKeyW-1:0] least_q, least_d;
  logic signed [KeyW-1:0]     least;

  always_comb begin
    least_d = least_q;
    seen = seen_q;
    for (int unsigned i = 0; i < Lanes; i++) begin
      if (candidate[i] && (!seen || $signed(tree_key[i]) < least_d)) begin
        least_d = $signed(tree_key[i]);
        seen = 1'b1;
      end
    end
  end

  assign least = (TreeKeyW > KeyW) ? {!least_q[KeyW-1], least_q[KeyW-2:0]} : KeyW'(least_q);

  always_ff @(posedge clk_i) begin
    decided_q <= rst_ni && decided && soft_rst_n;
    inserted_q <= soft_rst_n && insert_q;
    if (!soft_rst_n) begin
      seen_q <= 1'b0;
      pass_q <= 1'b0;
      least_q <= '0;
    end else if (control_pass_start) begin
      seen_q <= 1'b0;
      pass_q <= 1'b1;
      least_q <= '0;
    end else if (pass_q) begin
      pass_q <= !pass_done;
      if (pass_en[StageTree]) begin
        seen_q <= seen;
        least_q <= least_d;
      end
    end
  end

  logic unused_write;
  assign unused_write = ^write_i;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Port
      assert (!wr_ready_o || !busy_o || write_i.addr == sched_reg_pkg::ClearOffset) else $error("a write was accepted during work");

      // Table and list
      if (!busy_o) begin
        assert (32'(occupancy) == 32'($countones(valid)))
        else $error("table and list do not hold the same number of entries");
      end
      assert (!list_done || busy_o) else $error("the list worked and nobody had asked");
      if (active && keep) begin
        assert (guard_en && next_valid && 32'(next_tag) < Entries && valid[next_tag[EntryW-1:0]])
        else $error("the next command of the sweep is not in the table");
      end

      // Table
      assert (!(insert_q && remove_q)) else $error("an entry comes and goes at once");
      assert (insert_end_q == inserted_q) else $error("where an entry ends does not follow where it starts");
      assert (!insert_q || !valid[change_tag[EntryW-1:0]]) else $error("an entry comes where there is one");
      assert (!remove_q || valid[change_tag[EntryW-1:0]]) else $error("an entry goes that is not there");

      // Lanes; stage 1 takes the first row in every cycle.
      assert (pass_en[StageKey:StageCell] == '0 || hop_en == '0) else $error("a row and a hop of the list are in the pipeline");
      assert (!(cell_we && pass_en[StageDirectory]) && !(segment_we && pass_en[StageLookup]))
      else $error("the seek table changes while a distance is looked up");

      // Decision
      if (decided_q) begin
        assert (result_valid || (result_tag == '0 && result_key == '0 && !result_forced))
        else $error("an empty result holds a tag or a key");
        if (result_valid) begin
          assert (32'(result_tag) < Entries && valid[result_tag[EntryW-1:0]])
          else $error("the result names a free entry");
          assert (result_forced != seen_q)
          else $error("forced although there was a candidate, or the other way round");
          if (!result_forced && !looks_ahead) begin
            assert (result_key == TotalW'(least)) else $error("a candidate's key is less than the result's");
          end
        end else begin
          assert (!seen_q) else $error("there was a candidate, but no result");
        end
      end
    end
  end

endmodule

bind sched_core sched_core_checks #(
  .Entries(Entries),
  .Lanes  (Lanes),
  .AngleW (AngleW),
  .TreeKeyW(TreeKeyW)
) u_checks (
  .guard_en(cfg.guard_en), .looks_ahead(cfg.ahead.active), .next_tag(sweep.next.tag), .next_valid(sweep.next.valid), .cell_we(load.cell_we),
  .segment_we(load.segment_we), .hop_en(hop_req.en), .*
);

// ------------------------------------------------------------------------------- sched_top
module sched_top_checks (
  input logic clk_i,
  input logic rst_ni,
  input logic s_axil_bvalid_o,
  input logic s_axil_rvalid_o,
  input logic busy_o,
  input logic irq_o
);
  logic rst_q;
  initial rst_q = 1'b1;

  always_ff @(posedge clk_i) begin
    rst_q <= rst_ni;
    assert (rst_q || !(s_axil_bvalid_o || s_axil_rvalid_o || busy_o || irq_o)) else $error("something is under way after a reset");
  end
endmodule

bind sched_top sched_top_checks u_checks (.*);
