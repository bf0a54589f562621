// SPDX-License-Identifier: Apache-2.0
//
// Checkers of the scheduling accelerator: what each module promises, as assertions that are bound
// into it in every simulation. There is one checker for each module, in the order of files.f. The
// file is not part of the synthesized design. docs/reference/rtl lists the assertions.
//
// A port of a checker has the name of the module's port or net that it is connected to, and its
// meaning. Only a port with another name has a comment. Each assertion has a name a_*, and its text
// says what is violated.
//
// Parameters: those of the module that a checker is bound to.
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
    a_zero_after_reset: assert (rst_q || q_o == '0)
    else $error("The register is not zero in the cycle after a reset.");
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
  logic asked_q;   // the enables while the clock was low; a reset may change en_i later
  logic open_q;    // asked_q at the last edge
  logic passed_q;  // toggles with every edge that passes
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
      a_passes_enabled_edges_only: assert ((passed_q != before_q) == open_q)
      else $error("The clock gate blocked an enabled edge or passed another one.");
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
        a_decoding_matches: assert (write_o.kind == kind_of(write_o.addr) &&
                                    write_o.low[!write_o.offered] == write_o.data[15:0])
        else $error("kind differs from that of addr, or the selected part of low from data.");
      end
      a_soft_reset_matches: assert (write_o.soft_reset == (write_o.valid && write_o.whole &&
                                    write_o.kind.clear &&
                                    write_o.data[sched_reg_pkg::ClearSoftResetLsb]))
      else $error("soft_reset differs from a whole, valid write to CLEAR with SOFT_RESET set.");
      a_good_matches: assert (write_o.usable == (write_o.whole && !hold_i) &&
                              write_o.good == (write_o.valid && write_o.whole))
      else $error("usable or good differs from what whole, valid and hold_i imply.");
      a_waits_for_response: assert (!(write_o.valid && hold_i))
      else $error("A write is valid while the response to the previous write waits.");
      if (waits_q && !hold_i) begin
        a_write_stable: assert (write_o.valid && write_o.addr == write_q.addr &&
                                write_o.data == write_q.data && write_o.whole == write_q.whole)
        else $error("A write changed or vanished before the register file took it.");
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
      a_write_response_stable: assert (s_axil_bvalid_o && s_axil_bresp_o == bresp_q)
      else $error("A write response changed or vanished before the master took it.");
    end
    if (rst_ni && r_waits_q) begin
      a_read_response_stable: assert (s_axil_rvalid_o && s_axil_rresp_o == rresp_q &&
                                      s_axil_rdata_o == rdata_q)
      else $error("A read response changed or vanished before the master took it.");
    end
  end
endmodule

bind sched_axil sched_axil_checks u_checks (.*);

// ------------------------------------------------------------------------------- sched_reg_file
module sched_reg_file_checks
  import sched_pkg::*;
  import sched_reg_pkg::*;
(
  input logic             clk_i,
  input logic             rst_ni,
  input logic             soft_rst_ni,
  input logic             write_en_i,
  input logic             copy_en_i,
  input logic [AddrW-1:0] write_addr_i,
  input logic [31:0]      write_data_i,
  input logic             late_en_i,
  input logic [AddrW-1:0] late_addr_i,
  input logic [31:0]      late_data_i,
  input logic [31:0]      data_o,
  input logic             error_o
);
  logic             write_q, rst_q;
  logic [AddrW-1:0] addr_q;
  logic [31:0]      data_q;
  initial {write_q, rst_q} = 2'b01;

  always_ff @(posedge clk_i) begin
    write_q <= rst_ni && write_en_i;
    rst_q <= rst_ni;
    {addr_q, data_q} <= {write_addr_i, write_data_i};
    if (rst_ni) begin
      a_copy_of_copied: assert (!copy_en_i ||
                                (write_en_i && soft_rst_ni && is_copied(write_addr_i)))
      else $error("A copy is written without a good write to a register that is copied.");
      a_late_follows: assert (late_en_i == write_q)
      else $error("A late write does not follow a write, or a write was not followed by one.");
      a_late_is_the_same: assert (!late_en_i || (late_addr_i == addr_q && late_data_i == data_q))
      else $error("A late write differs from the write of the cycle before.");
      a_refused_reads_zero: assert (!error_o || data_o == '0)
      else $error("A read that was refused gave another value than zero.");
    end
    a_quiet_after_reset: assert (rst_q || (!error_o && data_o == '0))
    else $error("After a reset a read seems to have been answered.");
  end
endmodule

bind sched_reg_file sched_reg_file_checks u_checks (.*);

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
  logic        told_q, wr_error_q, wr_bad_q;      // the answer to the last write
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
      a_late_answer_matches: assert (!told_q || (wr_bad_q || wr_refused_o) == wr_error_q)
      else $error("wr_refused_o does not agree with the wr_error_o of the last write.");
      a_gap_after_write: assert (!(wr_ready_o && write_q))
      else $error("The register file is ready for a write in the cycle after it accepted one.");
      a_one_command: assert ($onehot0({command_o.decide, command_o.cluster, command_o.try_insert,
                             command_o.try_remove, command_o.clear}))
      else $error("One write started two commands.");
      a_change_was_tried: assert ((command_o.try_insert || !command_o.insert) &&
                                  (command_o.try_remove || !command_o.remove))
      else $error("insert or remove is high without try_insert or try_remove.");
      a_cancel_if_refused: assert (command_o.cancel == refused_q)
      else $error("A refused change was not cancelled, or a good one was.");
      if (inserted_i) begin
        a_inserted_tag_fits: assert (32'(change_tag_o) < Entries)
        else $error("An entry was inserted under a tag beyond the table.");
      end
      if (waits_q) begin
        a_answer_stable: assert (rsp_valid_o && rd_error_o == error_q && rd_data_o == data_q)
        else $error("The answer to a read changed or vanished before the master took it.");
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
  logic started_q;     // the first edge belongs to the reset, which this module does not see
  initial started_q = 1'b0;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (started_q) begin
      a_part_or_debt: assert (!(part_we_i && debt_we_i))
      else $error("A part and a debt are written in the same cycle.");
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
    a_moves_unless_zero: assert (!valid_q[1] || moves_o == moves_q[1])
    else $error("moves_o is high for a distance of zero, or low for another distance.");
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
  // hop_o.reach of the module.
  input logic [TimeW-1:0]               reach,
  // hop_o.worst of the module.
  input logic [TimeW-1:0]               worst,
  // hop_o.risky of the module.
  input logic                           risky,
  input logic                           rests
);
  // Before the first reset the stages are enabled at random. A valid hop has been in stage 9
  // before it is in stage 10.
  logic arrived_q, valid_q, rests_q;
  initial {arrived_q, valid_q, rests_q} = '0;

  always_ff @(posedge clk_i) begin
    arrived_q <= en_i[StageArrive];
    valid_q <= en_i[StageCost] && arrived_q;
    rests_q <= rests;
    if (valid_q) begin
      a_worst_is_bound: assert (worst >= reach && (risky || rests_q || worst == reach))
      else $error("The worst cost of a hop is less than its cost, or greater without a risk.");
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
    a_candidate_or_refused: assert (!valid_q || !(candidate_o && refused_o))
    else $error("An entry is a candidate and is refused by the guard.");
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
      a_best_is_candidate: assert (best_valid_o == (second_q != '0) &&
                                   (!best_valid_o || second_q[best_lane_o]))
      else $error("The best lane is not a candidate, or a candidate was not found.");
      a_refused_within_lanes: assert (32'(refused_o) <= Lanes)
      else $error("More entries are refused than there are lanes.");
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
      a_start_announced: assert (!start_i || (may_start_i && !pass_q))
      else $error("A pass started without may_start_i, or during another pass.");
      a_pass_duration: assert (!done_o || (pass_q && 32'(cycle_q) == Duration - 1))
      else $error("A pass took %0d cycles, or ended without a start.", 32'(cycle_q) + 32'd1);
      a_idle_pipeline_empty: assert (pass_q || en_o[StageTreeEnd:2] == '0)
      else $error("A row is in the pipeline although no pass is under way.");
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
      a_start_legal: assert (!start_i || (!busy_o && count_i != '0 && 32'(count_i) <= M))
      else $error("An order was started for no slots, for more than M, or during another run.");
      a_costs_stable: assert (!(cost_we_i && busy_o))
      else $error("A cost was written while an order was being found.");
      a_done_while_busy: assert (!done_o || busy_o)
      else $error("done_o is high although no run is under way.");
      a_idle_after_done: assert (!done_q || !busy_o)
      else $error("busy_o is still high in the cycle after done_o.");
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
  // removed_o.valid of the module.
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
      a_count_within_entries: assert (32'(count_o) <= Entries)
      else $error("The list has more rows than the table has entries.");
      if (state_i.insert && primed_o) begin
        a_insert_needs_room: assert (32'(count_o) < Entries)
        else $error("An entry is inserted into a full list.");
      end
      if (state_i.remove) begin
        a_one_removed: assert (!(removed && removed_q))
        else $error("One removal took two entries out.");
        a_removed_found: assert (!(primed_o && last_o) || removed || removed_q)
        else $error("A removal ended without having found its entry.");
      end
      if (state_i.sums && primed_o) begin
        a_walk_within_rows: assert ((EntryW + 1)'(row_o) < count_o)
        else $error("The walk of the sums went beyond the last row.");
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
  // sweep_o.next.valid of the module.
  input logic            next_valid,
  // sweep_o.next.tag of the module.
  input logic [TagW-1:0] next_tag,
  // sweep_o.sweep of the module.
  input logic [SumW-1:0] sweep,
  // sweep_o.due of the module.
  input logic [SumW-1:0] due,
  // part_o.we of the module.
  input logic            part_we
);
  logic sums, sums_q, we_q;
  initial {sums_q, we_q} = '0;

  assign sums = state_i.sums || state_i.sums_drain;

  always_ff @(posedge clk_i) begin
    sums_q <= rst_ni && sums;
    we_q <= rst_ni && part_we;
    if (rst_ni) begin
      a_hop_needs_sums: assert (!hop_o || (sums && hop_kind_o != HopNone))
      else $error("A hop was asked for outside of the sums, or without a purpose.");
      a_no_next_no_tag: assert (next_valid || (next_tag == '0) || sums)
      else $error("NEXT is not valid, but its tag is not zero.");
      a_part_needs_sums: assert (!part_we || sums || sums_q)
      else $error("A part is written although no sums are worked out.");
      if (!sums && !next_valid) begin
        a_empty_sweep_zero: assert (sweep == '0 && due == '0)
        else $error("The sweep is empty, but SWEEP or DUE is not zero.");
      end
      a_parts_end: assert (!(part_we && we_q) || sums)
      else $error("A second part is written after the sums have ended.");
    end
  end
endmodule

bind sched_sums sched_sums_checks #(.SumW(SumW)) u_checks (
  .next_valid(sweep_o.next.valid), .next_tag(sweep_o.next.tag), .sweep(sweep_o.sweep),
  .due(sweep_o.due), .part_we(part_o.we), .*
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
  // cfg_i.max of the module.
  input logic [CountW-1:0] most,
  // cfg_i.order of the module.
  input logic              order,
  input logic              ends_o,
  input logic              order_o,
  input mask_change_t      mask_o,
  input logic [CountW-1:0] collected_o
);
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      a_count_within_entries: assert (32'(collected_o) <= Entries)
      else $error("More entries are collected than the table has.");
      a_mark_needs_collection: assert (!mask_o.set ||
                                       (state_i.collect && 32'(mask_o.tag) < Entries))
      else $error("A bit of MASK is set outside of a collection, or beyond the table.");
      if (state_i.collect) begin
        a_max_kept: assert (most == '0 || collected_o < most || (ends_o && !mask_o.set))
        else $error("More entries are collected than CLUSTER.MAX allows.");
        a_order_legal: assert (!(ends_o && order_o) ||
                               (order && 32'(collected_o) + 32'(mask_o.set) <= OrderM))
        else $error("An order is started without CLUSTER.ORDER, or for more than OrderM entries.");
      end
    end
  end
endmodule

bind sched_collect sched_collect_checks #(.Entries(Entries), .OrderM(OrderM)) u_checks (
  .most(cfg_i.max), .order(cfg_i.order), .*
);

// ------------------------------------------------------------------------------- sched_matrix
module sched_matrix_checks
  import sched_pkg::*;
#(
  parameter int unsigned OrderM = 6
) (
  input logic             clk_i,
  input logic             rst_ni,
  // cost_o.we of the module.
  input logic             we,
  // cost_o.from of the module.
  input logic [SlotW-1:0] from,
  // cost_o.to of the module.
  input logic [SlotW-1:0] to,
  input logic [SlotW-1:0] slots_i
);
  always_ff @(posedge clk_i) begin
    if (rst_ni && we) begin
      a_cost_of_pair: assert (to < slots_i && from != to && (from < slots_i || 32'(from) == OrderM))
      else $error("A cost is written that belongs to no pair of slots and not to the head.");
    end
  end
endmodule

bind sched_matrix sched_matrix_checks #(.OrderM(OrderM)) u_checks (
  .we(cost_o.we), .from(cost_o.from), .to(cost_o.to), .*
);

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
  // hop_o.en of the module.
  input logic [StageCost:StageDistance] hop_en
);
  logic start, ended_q;
  initial ended_q = 1'b0;

  assign start = op_i.insert || op_i.remove || op_i.sums || op_i.collect;

  always_ff @(posedge clk_i) begin
    ended_q <= rst_ni && (done_o || ((state_q.insert || state_q.remove) && op_i.cancel));
    if (rst_ni) begin
      a_state_onehot: assert ($onehot(state_q))
      else $error("The list is in no state, or in several.");
      a_one_operation: assert ($onehot0({op_i.insert, op_i.remove, op_i.sums, op_i.collect}))
      else $error("Two operations of the list start in the same cycle.");
      a_start_while_idle: assert (!start || state_q.idle)
      else $error("An operation of the list starts during another.");
      a_insert_announced: assert (!op_i.insert || op_i.kind_insert)
      else $error("An insertion starts without kind_insert.");
      a_remove_announced: assert (!op_i.remove || op_i.kind_remove)
      else $error("A removal starts without kind_remove.");
      a_collect_announced: assert (!op_i.collect || op_i.kind_collect)
      else $error("A collection starts without kind_collect.");
      a_done_while_busy: assert (!done_o || !state_q.idle)
      else $error("done_o is high although no operation is under way.");
      a_idle_after_end: assert (!ended_q || state_q.idle)
      else $error("An operation of the list goes on after its end.");
      a_late_while_idle: assert (!late_o || state_q.idle)
      else $error("The entry of the last insertion is written during another operation.");
      a_idle_no_hop: assert (!state_q.idle || hop_en == '0)
      else $error("A hop is under way although no operation is.");
      a_streamed_in_drain: assert (!streamed_o || state_q.matrix_drain)
      else $error("streamed_o is high outside of the state matrix_drain.");
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
      a_state_onehot: assert ($onehot(state_q))
      else $error("The control is in no state, or in several.");
      a_start_while_idle: assert (!(change_i || decide_i || cluster_i) || !busy_o)
      else $error("Work was started while other work was under way.");
      a_pass_announced: assert (!pass_start_o || may_start_o)
      else $error("A pass starts without may_start_o.");
      a_done_while_busy: assert (!done_o || busy_o)
      else $error("done_o is high although no work is under way.");
      a_decided_with_pass: assert (!decided_o || (done_o && (keep_o || ahead_done_i)))
      else $error("decided_o is high without the end of an operation's pass or look-ahead.");
      a_ahead_while_asked: assert (!ahead_done_i || state_q[12])
      else $error("The look-ahead ended although no decision waits for it.");
      a_debts_or_decision: assert (!(keep_o && onward_o))
      else $error("A pass for debts counts as a decision.");
      a_stays_kept: assert (!stays_q || busy_o || cancel_i)
      else $error("Work ended although stays_o was high in the cycle before.");
      a_cancel_after_change: assert (!cancel_i || change_q)
      else $error("A change was cancelled that was not tried in the cycle before.");
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
  // State Idle: no look-ahead is under way.
  input logic                    idle
);
  logic [1:0] fetch_q;
  initial fetch_q = '0;
  logic       accessed_q;      // a pass ahead ended in the cycle before
  initial accessed_q = 1'b0;

  always_ff @(posedge clk_i) begin
    fetch_q <= rst_ni ? {fetch_q[0], fetch_o} : '0;
    accessed_q <= rst_ni && pass_done_i && ahead_o;
    if (rst_ni) begin
      a_start_legal: assert (!start_i || (idle && most_i != '0 && depth_i != '0))
      else $error("A look-ahead started with MOST or DEPTH zero, or during another.");
      a_done_while_busy: assert (!done_o || !idle)
      else $error("done_o is high although no look-ahead is under way.");
      a_most_kept: assert (count_q <= most_i || idle)
      else $error("More candidates were examined than AHEAD.MOST allows.");
      a_pass_follows_fetch: assert (!fetch_q[1] || pass_start_o)
      else $error("No pass starts two cycles after a row was fetched.");
      a_cost_not_negative: assert (!(accessed_q && found_i) || found_key_i >= 0)
      else $error("An access ahead has a negative cost.");
      a_result_needs_candidate: assert (!valid_o || count_q != '0)
      else $error("There is a result although no candidate was examined.");
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
  // cfg.ahead.active of the module.
  input logic                        looks_ahead,
  input logic                        pass_done,
  input logic                        keep,
  // cfg.guard_en of the module.
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
  // load.cell_we of the module.
  input logic                        cell_we,
  // load.segment_we of the module.
  input logic                        segment_we,
  // hop_req.en of the module.
  input logic [StageCost:StageDistance] hop_en,
  input logic [CountW-1:0]           occupancy,
  // sweep.next.tag of the module.
  input logic [TagW-1:0]             next_tag,
  // sweep.next.valid of the module.
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
      a_no_write_while_busy: assert (!wr_ready_o || !busy_o ||
                                     write_i.addr == sched_reg_pkg::ClearOffset)
      else $error("The port is ready for a write other than to CLEAR while work is under way.");

      // Table and list
      if (!busy_o) begin
        a_table_and_list_agree: assert (32'(occupancy) == 32'($countones(valid)))
        else $error("The table and the list hold different numbers of entries.");
      end
      a_list_done_while_busy: assert (!list_done || busy_o)
      else $error("An operation of the list ended although no work is under way.");
      if (active && keep) begin
        a_next_in_table: assert (guard_en && next_valid && 32'(next_tag) < Entries &&
                                 valid[next_tag[EntryW-1:0]])
        else $error("The guard applies, but NEXT is not an entry of the table.");
      end

      // Table
      a_insert_or_remove: assert (!(insert_q && remove_q))
      else $error("An entry is inserted and one is removed in the same cycle.");
      a_end_follows_start: assert (insert_end_q == inserted_q)
      else $error("The end of an entry is not written in the cycle after its start.");
      a_insert_into_free: assert (!insert_q || !valid[change_tag[EntryW-1:0]])
      else $error("An entry is inserted under a tag that is in use.");
      a_remove_used: assert (!remove_q || valid[change_tag[EntryW-1:0]])
      else $error("An entry is removed under a tag that is free.");

      // Lanes. Stage 1 takes the first row in every cycle, so its enable says nothing.
      a_row_or_hop: assert (pass_en[StageKey:StageCell] == '0 || hop_en == '0)
      else $error("A row of a pass and a hop of the list are in the pipeline together.");
      a_seek_table_stable: assert (!(cell_we && pass_en[StageDirectory]) &&
                                   !(segment_we && pass_en[StageLookup]))
      else $error("The seek table is written while a distance is looked up.");

      // Decision
      if (decided_q) begin
        a_no_result_zero: assert (result_valid ||
                                  (result_tag == '0 && result_key == '0 && !result_forced))
        else $error("The decision picked no entry, but its tag, key or FORCED is not zero.");
        if (result_valid) begin
          a_result_in_table: assert (32'(result_tag) < Entries && valid[result_tag[EntryW-1:0]])
          else $error("The decision picked a tag that is not in use.");
          a_forced_without_candidate: assert (result_forced != seen_q)
          else $error("A decision with a candidate is forced, or one without is not.");
          if (!result_forced && !looks_ahead) begin
            a_result_is_least: assert (result_key == TotalW'(least))
            else $error("The key of the result is not the least of the candidates.");
          end
        end else begin
          a_candidate_gives_result: assert (!seen_q)
          else $error("There was a candidate, but the decision picked no entry.");
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
  .guard_en(cfg.guard_en), .looks_ahead(cfg.ahead.active), .next_tag(sweep.next.tag),
  .next_valid(sweep.next.valid), .cell_we(load.cell_we), .segment_we(load.segment_we),
  .hop_en(hop_req.en), .*
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
    a_idle_after_reset: assert (rst_q || !(s_axil_bvalid_o || s_axil_rvalid_o || busy_o || irq_o))
    else $error("A response, BUSY or the interrupt is high in the cycle after a reset.");
  end
endmodule

bind sched_top sched_top_checks u_checks (.*);
