// SPDX-License-Identifier: Apache-2.0
//
// Proof: the outcome of a decision with limits. Of all candidates that the lanes find, a due one
// goes before all others, then the one with the least key, then the oldest, then the one with the
// lowest tag. RESULT, RESULT_KEY, REFUSED and EXPIRED agree with this. sched_core has no guard
// here. proofs.toml cuts the strobes of the register file and what the lanes find (any value;
// `limits` proves that an entry that has expired is no candidate). The harness looks at nets of
// sched_core.
//
// Parameters:
//   Lanes     as in sched_core
//   Features  as in sched_core

module formal_decide
  import sched_pkg::*;
  import sched_reg_pkg::*;
#(
  parameter int unsigned Lanes = 2,
  parameter int unsigned Features = 4,
  localparam int unsigned Entries = 4,
  localparam int unsigned AngleW = 12,
  localparam int unsigned SeqW = 4,
  localparam int unsigned KeyW = key_w(AngleW),
  localparam int unsigned EntryW = index_w(Entries)
) (
  // Clock, rising edge.
  input logic              clk_i,
  // Synchronous reset, active low; low in the first cycle alone.
  input logic              rst_ni,
  // A constant of any value: an entry to compare with.
  input logic [EntryW-1:0] tag_i
);

  logic busy;

  sched_core #(
    .Entries(Entries), .Lanes(Lanes), .OrderM(0), .AngleW(AngleW), .CylW(8), .SegM(2), .SegW(5),
    .SeqW(SeqW), .Features(Features)
  ) u_dut (
    .clk_i, .rst_ni, .scan_en_i(1'b0), .write_i('0), .wr_ready_o(), .wr_error_o(),
    .rd_valid_i(1'b0), .rd_ready_o(), .rd_addr_i('0), .rsp_valid_o(), .rsp_ready_i(1'b1),
    .rd_data_o(), .rd_error_o(),
    .busy_o(busy), .irq_o()
  );

  // What the lanes have found in this decision, by tag
  logic [Entries-1:0]                   candidate_q, refused_q, due_q, expired_q;
  logic signed [Entries-1:0][KeyW-1:0]  key_q;
  logic [Entries-1:0][SeqW-1:0]         rank_q;
  logic [EntryW:0]                      seen_q;
  logic                                 started_q = 1'b0;
  logic                                 decided_q;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    decided_q <= u_dut.decided && rst_ni;
    if (u_dut.command.decide) begin
      seen_q <= '0;
    end else if (u_dut.pass_en[StageTree]) begin
      // Rows come in order.
      seen_q <= seen_q + (EntryW + 1)'(Lanes);
      for (int unsigned lane = 0; lane < Lanes; lane++) begin
        candidate_q[EntryW'(seen_q) + EntryW'(lane)] <= u_dut.candidate[lane];
        refused_q[EntryW'(seen_q) + EntryW'(lane)] <= u_dut.entry_refused[lane];
        due_q[EntryW'(seen_q) + EntryW'(lane)] <= u_dut.entry_due[lane];
        expired_q[EntryW'(seen_q) + EntryW'(lane)] <= u_dut.entry_expired[lane];
        key_q[EntryW'(seen_q) + EntryW'(lane)] <= u_dut.key[lane];
        rank_q[EntryW'(seen_q) + EntryW'(lane)] <= u_dut.entry_rank[lane];
      end
    end
  end

  logic [EntryW-1:0]      pick;
  logic [CountW-1:0]      count;
  logic signed [KeyW-1:0] key_of_pick, key_of_tag;

  assign pick = EntryW'(u_dut.result_tag);
  assign key_of_pick = key_q[pick];
  assign key_of_tag = key_q[tag_i];

  always_comb begin
    count = '0;
    for (int unsigned i = 0; i < Entries; i++) begin
      count = count + CountW'(refused_q[i]);
    end
  end

  always_ff @(posedge clk_i) begin
    assume (rst_ni == started_q);
    if (started_q) assume ($stable(tag_i));
    // Only decisions
    assume (!u_dut.command.insert && !u_dut.command.remove && !u_dut.command.cluster &&
            !u_dut.command.clear && !u_dut.command.config_we);
    assume (!u_dut.command.try_insert && !u_dut.command.try_remove && !u_dut.command.cancel);
    assume (!u_dut.command.kind_insert && !u_dut.command.kind_remove &&
            !u_dut.command.kind_cluster);
    assume (u_dut.command.open_write || !u_dut.command.decide);
    if (busy || !started_q) assume (!u_dut.command.decide && !u_dut.command.open_write);
    // The register file takes no write in the cycle after one.
    if (started_q && $past(u_dut.command.open_write)) assume (!u_dut.command.open_write);

`ifdef FORMAL_COVER
    // A due entry with a higher key wins, after a decision.
    c_due_beats_key: cover (started_q && decided_q && candidate_q == '1 && due_q[pick] &&
                            !due_q[tag_i] && key_of_pick > key_of_tag && expired_q != '0);
`else
    if (started_q && decided_q) begin
      a_all_rows_seen: assert (32'(seen_q) == Entries);
      a_result_if_candidate: assert (u_dut.result_valid == (candidate_q != '0) &&
                                     !u_dut.result_forced);
      a_refused_count: assert (u_dut.refused == count);
      if (u_dut.result_valid) begin
        a_result_is_candidate: assert (32'(u_dut.result_tag) < Entries && candidate_q[pick]);
        a_key_of_result: assert ($signed(u_dut.result_key) == (KeyW + 2)'(key_of_pick));
        if (candidate_q[tag_i]) begin
          a_due_first: assert (due_q[pick] || !due_q[tag_i] || !has(Features, FeatureLimits));
          if (due_q[pick] == due_q[tag_i] || !has(Features, FeatureLimits)) begin
            a_least_key: assert (key_of_pick <= key_of_tag);
            if (key_of_pick == key_of_tag) a_then_oldest: assert (rank_q[pick] <= rank_q[tag_i]);
            if (key_of_pick == key_of_tag && rank_q[pick] == rank_q[tag_i])
              a_then_lowest_tag: assert (pick <= tag_i);
          end
        end
      end
      if (has(Features, FeatureLimits)) begin
        a_expired_if_any: assert (u_dut.expired == (expired_q != '0));
        if (u_dut.expired) begin
          a_expired_has_expired: assert (32'(u_dut.expired_tag) < Entries &&
                                         expired_q[EntryW'(u_dut.expired_tag)]);
          a_expired_is_lowest: assert (!expired_q[tag_i] || u_dut.expired_tag <= TagW'(tag_i));
        end
      end
    end
`endif
  end

endmodule
