// SPDX-License-Identifier: Apache-2.0
//
// Properties of the scheduling accelerator, bound into every sched_core of a simulation or a proof:
// an answer holds still until taken, table, list and mask agree, work lasts
// as long as it should, and a decision is a valid entry that no candidate beats. Not part of the
// synthesized design.
//
// Parameters: as sched_core.
// Latency:    none; the checks are clocked immediate assertions.
// Handshake:  none; the module only listens.

module sched_checks
  import sched_pkg::*;
#(
  parameter int unsigned Entries = 32,
  parameter int unsigned Lanes = 4,
  parameter int unsigned AngleW = 16,
  localparam int unsigned KeyW = key_w(AngleW),
  localparam int unsigned EntryW = index_w(Entries)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        soft_rst_n,

  input  logic                        wr_valid_i,
  input  logic                        wr_ready_o,
  input  logic [AddrW-1:0]            wr_addr_i,
  input  kind_t                       wr_kind_i,
  input  logic [31:0]                 wr_data_i,
  input  logic [1:0][15:0]            wr_low_i,
  input  logic                        wr_offered_i,
  input  logic                        wr_whole_i,
  input  logic                        wr_soft_reset_i,
  input  logic                        rsp_valid_o,
  input  logic                        rsp_ready_i,
  input  logic [31:0]                 rd_data_o,
  input  logic                        rd_error_o,

  input  logic                        busy_o,
  input  logic                        insert,
  input  logic                        remove,
  input  logic                        decide,
  input  logic                        cluster,
  input  logic                        decided,
  input  logic                        list_done,
  input  logic                        pass_start,
  input  logic                        pass_done,
  input  logic                        keep,
  input  logic                        guard_en,
  input  logic                        active,
  input  logic                        result_valid,
  input  logic                        result_forced,
  input  logic [TagW-1:0]             result_tag,
  input  logic signed [KeyW-1:0]      result_key,
  input  logic [Entries-1:0]          valid,
  input  logic [CountW-1:0]           occupancy,
  input  logic [CountW-1:0]           collected,
  input  logic [TagW-1:0]             next_tag,
  input  logic                        next_valid,
  input  logic [StageTreeEnd:0]       pass_en,
  input  logic [Lanes-1:0]            candidate,
  input  logic [Lanes-1:0][KeyW-1:0]  tree_key,
  input  logic [StageCost:StageDistance] hop_en
);

  localparam int unsigned Duration = Entries / Lanes + DecisionLatency;

  // What the cycle before looked like
  logic        rsp_waits_q, rd_error_q, decided_q, write_q;
  logic [31:0] rd_data_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      rsp_waits_q <= 1'b0;
      decided_q <= 1'b0;
      write_q <= 1'b0;
      rd_error_q <= 1'b0;
      rd_data_q <= '0;
    end else begin
      rsp_waits_q <= rsp_valid_o && !rsp_ready_i;
      decided_q <= decided && soft_rst_n;
      write_q <= wr_valid_i && wr_ready_o;
      rd_error_q <= rd_error_o;
      rd_data_q <= rd_data_o;
    end
  end

  // Least key and number of cycles of the pass that runs
  logic                   seen_q, pass_q, seen;
  logic signed [KeyW-1:0] least_q, least_d;
  logic [8:0]             pass_cycle_q;

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

  always_ff @(posedge clk_i) begin
    if (!soft_rst_n) begin
      seen_q <= 1'b0;
      pass_q <= 1'b0;
      least_q <= '0;
      pass_cycle_q <= '0;
    end else if (pass_start) begin
      seen_q <= 1'b0;
      pass_q <= 1'b1;
      least_q <= '0;
      pass_cycle_q <= '0;
    end else if (pass_q) begin
      pass_q <= !pass_done;
      pass_cycle_q <= pass_cycle_q + 9'd1;
      if (pass_en[StageTree]) begin
        seen_q <= seen;
        least_q <= least_d;
      end
    end
  end

  logic unused_data;
  assign unused_data = ^wr_data_i;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Port
      if (rsp_waits_q) begin
        assert (rsp_valid_o && rd_error_o == rd_error_q && rd_data_o == rd_data_q)
        else $error("an answer changed before it was taken");
      end
      if (wr_valid_i) begin
        assert (wr_kind_i == kind_of(wr_addr_i) && wr_low_i[!wr_offered_i] == wr_data_i[15:0])
        else $error("address or data of a write are not what they are said to be");
      end
      assert (wr_soft_reset_i == (wr_valid_i && wr_whole_i && wr_kind_i.clear && wr_data_i[sched_reg_pkg::ClearSoftResetLsb]))
      else $error("a soft reset is not what it is said to be");
      if (wr_ready_o) begin
        assert ((!busy_o || wr_addr_i == sched_reg_pkg::ClearOffset) && !write_q)
        else $error("a write was accepted too early");
      end

      // Table and list
      if (!busy_o) begin
        assert (32'(occupancy) == 32'($countones(valid)))
        else $error("table and list do not hold the same number of entries");
      end
      assert (32'(occupancy) <= Entries && 32'(collected) <= Entries)
      else $error("there are more entries than there are");

      // Course
      if (insert || remove || decide || cluster || pass_start) begin
        assert (!busy_o || pass_start) else $error("work started while other work was under way");
      end
      if (list_done) begin
        assert (busy_o) else $error("the list worked and nobody had asked");
      end
      if (pass_en[StageTreeEnd:2] != '0) begin
        assert (pass_q) else $error("a row is in the pipeline and no pass runs");
        assert (hop_en == '0) else $error("a row and a hop of the list are in the pipeline");
      end
      if (pass_done) begin
        assert (32'(pass_cycle_q) == Duration - 1)
        else $error("a pass took %0d cycles", 32'(pass_cycle_q) + 32'd1);
      end
      if (active && keep) begin
        assert (guard_en && next_valid && 32'(next_tag) < Entries && valid[next_tag[EntryW-1:0]])
        else $error("the next command of the sweep is not in the table");
      end

      // Decision
      if (decided_q) begin
        assert (result_valid || (result_tag == '0 && result_key == '0 && !result_forced))
        else $error("an empty result holds a tag or a key");
        if (result_valid) begin
          assert (32'(result_tag) < Entries && valid[result_tag[EntryW-1:0]])
          else $error("the result names a free entry");
          assert (result_forced != seen_q)
          else $error("forced although there was a candidate, or the other way round");
          if (!result_forced) begin
            assert (result_key == least_q) else $error("a candidate's key is less than the result's");
          end
        end else begin
          assert (!seen_q) else $error("there was a candidate, but no result");
        end
      end
    end
  end

endmodule

bind sched_core sched_checks #(
  .Entries(Entries),
  .Lanes  (Lanes),
  .AngleW (AngleW)
) u_checks (.*);
