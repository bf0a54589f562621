// SPDX-License-Identifier: Apache-2.0
//
// Proof: a decision that is not forced leaves the sweep its time. After up to Inserts insertions in
// any order (proofs.toml has one), DECIDE works out the sums and the debts and picks an entry. Then
// worst(entry) + SWEEP + (entry is NEXT ? 0 : debt(entry)) <= (DUE - HEAD_TIME) - RESERVE, with
// everything worked out again here from the entries. Hops are any function of the two ends
// (sched_hop.sv, a stand-in). Staged entry and configuration are free (nets of sched_core that
// proofs.toml cuts), with times below 2^TimeBits.
//
// Parameters:
//   Inserts   most insertions before the decision
//   TimeBits  bits of a time

module formal_guard
  import sched_pkg::*;
  import sched_reg_pkg::*;
#(
  parameter int unsigned Inserts = 3,
  parameter int unsigned TimeBits = 6,
  localparam int unsigned Entries = 4,
  localparam int unsigned AngleW = 12,
  localparam int unsigned CylW = 8,
  localparam int unsigned TimeW = time_w(AngleW),
  localparam int unsigned SumW = sum_w(AngleW)
) (
  // Clock, rising edge.
  input logic clk_i,
  // Any value in each cycle: make no insertion in this step.
  input logic skip_i,

  // --- Constants of any value
  // Worst cost of the hop from an entry's end ([4]: from the head) to an entry's start.
  input logic [4:0][3:0][TimeBits-1:0] hop_i,
  // CTRL.SWEEP_DOWN.
  input logic                          down_i,
  // HEAD_TIME.
  input logic [SumW-1:0]               head_time_i,
  // RESERVE.
  input logic [SumW-1:0]               reserve_i
);

  logic       started_q = 1'b0;
  logic       busy, busy_q, strobe, strobe_q;
  logic [2:0] phase_q;

  sched_core #(
    .Entries(Entries), .Lanes(1), .OrderM(0), .AngleW(AngleW), .CylW(CylW), .SegM(2), .SegW(5)
  ) u_dut (
    .clk_i, .rst_ni(started_q), .scan_en_i(1'b0), .write_i('0), .wr_ready_o(), .wr_error_o(),
    .rd_valid_i(1'b0), .rd_ready_o(), .rd_addr_i('0), .rsp_valid_o(), .rsp_ready_i(1'b1),
    .rd_data_o(), .rd_error_o(),
    .busy_o(busy), .irq_o()
  );

  // Entries in the order of the list
  typedef struct packed {
    logic                valid;
    logic [1:0]          tag;
    logic [CylW-1:0]     cyl;
    logic                continuous;
    logic [TimeBits-1:0] transfer;
    logic [SumW-1:0]     deadline;
  } entry_t;
  entry_t [Inserts-1:0] list_q, list_d;
  entry_t               new_entry;

  assign new_entry = '{valid: 1'b1, tag: u_dut.change_tag[1:0], cyl: u_dut.entry.start.cyl,
                       continuous: u_dut.entry.continuous,
                       transfer: u_dut.entry.transfer[TimeBits-1:0],
                       deadline: u_dut.entry.deadline};

  always_comb begin
    logic placed;
    placed = 1'b0;
    list_d = list_q;
    for (int i = Inserts - 1; i >= 0; i--) begin
      if (!placed) begin
        if (i == 0 || (list_q[i-1].valid && list_q[i-1].cyl <= new_entry.cyl)) begin
          list_d[i] = new_entry;
          placed = 1'b1;
        end else begin
          list_d[i] = list_q[i-1];
        end
      end
    end
  end

  // The list writes a new entry in the cycle after BUSY. The next entry takes longer to be staged.
  assign strobe = started_q && !busy && !busy_q && !strobe_q && phase_q <= 3'(Inserts);

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    strobe_q <= u_dut.command.insert || u_dut.command.decide;
    busy_q <= busy && started_q;
    if (!started_q) begin
      phase_q <= '0;
      list_q <= '0;
    end else begin
      if (strobe) phase_q <= phase_q + 3'd1;
      if (u_dut.command.insert) list_q <= list_d;
    end
  end

  // Reference: along the sweep, from its last entry to its first
  typedef logic signed [23:0] ticks_t;
  ticks_t         sweep, need, left, part_of_pick;
  logic [SumW-1:0] due;
  logic           pending;                  // an entry of the sweep has been seen
  logic [1:0]     after, second, pick, next_tag;
  logic           pick_in, pick_continuous, has_second;

  function automatic ticks_t hop(logic [2:0] from, logic [1:0] to);
    return ticks_t'({1'b0, hop_i[from][to]});
  endfunction

  assign pick = u_dut.result_tag[1:0];

  always_comb begin
    entry_t entry;
    logic [SumW-1:0] later;
    sweep = '0;
    due = '0;
    pending = 1'b0;
    has_second = 1'b0;
    after = '0;
    second = '0;
    pick_in = 1'b0;
    pick_continuous = 1'b0;
    part_of_pick = '0;
    for (int unsigned i = 0; i < Inserts; i++) begin
      entry = down_i ? list_q[i] : list_q[Inserts-1-i];
      if (entry.valid && !entry.continuous && entry.tag == pick) begin
        pick_in = 1'b1;
        part_of_pick = ticks_t'({1'b0, entry.transfer});
      end
      if (entry.valid && entry.continuous) begin
        // The entry seen before is now in the middle of the sweep if there was one beyond it.
        // Otherwise it is at the end of the sweep.
        if (pending && after == pick) begin
          part_of_pick = (has_second ? hop({1'b0, entry.tag}, second) - hop({1'b0, after}, second) :
                          ticks_t'(0)) - hop({1'b0, entry.tag}, after);
        end
        if (entry.tag == pick) begin
          pick_in = 1'b1;
          pick_continuous = 1'b1;
        end
        sweep = sweep + ticks_t'({1'b0, entry.transfer}) +
                (pending ? hop({1'b0, entry.tag}, after) : ticks_t'(0));
        later = entry.deadline - due;
        due = (!pending || later[SumW-1]) ? entry.deadline : due;
        has_second = pending;
        second = after;
        after = entry.tag;
        pending = 1'b1;
      end
    end
    next_tag = after;
    left = ticks_t'(due - head_time_i) - ticks_t'(reserve_i);
    need = hop(3'd4, pick) + sweep +
           ((pick == next_tag) ? ticks_t'(0) : part_of_pick + hop({1'b0, pick}, next_tag));
  end

  logic decided_q;
  always_ff @(posedge clk_i) begin
    decided_q <= u_dut.decided && started_q;

    // Course of the test
    assume (u_dut.command.insert == (strobe && phase_q < 3'(Inserts) && !skip_i));
    assume (u_dut.command.decide == (strobe && phase_q == 3'(Inserts)));
    assume (u_dut.command.try_insert == u_dut.command.insert &&
            u_dut.command.try_remove == u_dut.command.remove && !u_dut.command.cancel);
    // The signs of an address come with a write, but may also come without one.
    assume (u_dut.command.open_write ||
            !(u_dut.command.insert || u_dut.command.remove || u_dut.command.decide ||
            u_dut.command.cluster));
    assume (u_dut.command.kind_insert || !u_dut.command.insert);
    assume (u_dut.command.kind_remove || !u_dut.command.remove);
    assume (u_dut.command.kind_cluster || !u_dut.command.cluster);
    assume (2'(u_dut.command.kind_insert) + 2'(u_dut.command.kind_remove) +
            2'(u_dut.command.kind_cluster) <= 2'd1);
    assume (!(u_dut.command.decide &&
            (u_dut.command.kind_insert || u_dut.command.kind_remove ||
            u_dut.command.kind_cluster)));
    assume (!u_dut.command.remove && !u_dut.command.cluster && !u_dut.command.clear &&
            !u_dut.command.config_we);
    assume (u_dut.cfg.guard_en && !u_dut.cfg.mask_en);
    if (u_dut.command.insert)
      assume (u_dut.change_tag < TagW'(Entries) && !u_dut.valid[u_dut.change_tag[1:0]]);
    if (started_q) begin
      assume ($stable({hop_i, down_i, head_time_i, reserve_i, u_dut.cfg.next_c_only}));
      if (busy || busy_q)
        assume ($stable({u_dut.entry.start.cyl, u_dut.entry.continuous, u_dut.entry.transfer,
                u_dut.entry.deadline, u_dut.change_tag}));
    end
    // Names of places
    assume (u_dut.cfg.sweep_down == down_i && u_dut.cfg.head_time == head_time_i &&
            u_dut.cfg.reserve == reserve_i);
    assume (u_dut.entry.start.head == HeadW'(u_dut.change_tag) &&
            u_dut.entry.finish.head == HeadW'(u_dut.change_tag));
    assume (u_dut.entry.start_angle == AngleW'(u_dut.change_tag) &&
            u_dut.entry.finish_angle == AngleW'(u_dut.change_tag));
    assume (u_dut.cfg.head.head == HeadW'(4) && head_time_i[2:0] == 3'd4);
    // Fields that have no effect here
    assume (u_dut.entry.start.write == 1'b0 && u_dut.entry.finish.cyl == '0 &&
            u_dut.cfg.head.cyl == '0 && !u_dut.cfg.head.write);
    // Ranges: times of day around zero, so that they wrap
    assume (u_dut.entry.transfer[SumW-1:TimeBits] == '0 && reserve_i[SumW-1:TimeBits] == '0);
    assume (head_time_i[SumW-1:TimeBits] == {(SumW - TimeBits){head_time_i[TimeBits-1]}});
    assume (u_dut.entry.deadline[SumW-1:TimeBits+2] ==
            {(SumW - TimeBits - 2){u_dut.entry.deadline[TimeBits+1]}});
    // Hops
    if (u_dut.g_lane[0].u_lane.u_hop.match) begin
      assume (u_dut.g_lane[0].u_lane.u_hop.hop_o.worst == TimeW'(
        hop_i[u_dut.g_lane[0].u_lane.u_hop.from][u_dut.g_lane[0].u_lane.u_hop.to[1:0]]));
    end

`ifdef FORMAL_REACH_PASSED
    // Reached: an entry passes with nothing to spare
    a_never_passed_exactly: assert (!(started_q && decided_q && pending && u_dut.result_valid &&
                                    !u_dut.result_forced && need == left));
`elsif FORMAL_REACH_FORCED
    a_never_forced: assert (!(started_q && decided_q && pending && u_dut.result_valid &&
                            u_dut.result_forced));
`else
    if (started_q && decided_q) begin
      if (u_dut.result_valid && pending) begin
        a_pick_in_list: assert (pick_in || u_dut.result_forced);
        if (!u_dut.result_forced) a_sweep_has_time: assert (need <= left);
        if (u_dut.result_forced) a_forced_is_next: assert (pick == next_tag && need > left);
      end
    end
`endif
  end

endmodule
