// SPDX-License-Identifier: Apache-2.0
//
// Properties of the scheduling accelerator, bound into every sched_top of a simulation or a proof:
// the bus answers hold still until taken, the occupancy counts the valid entries, a decision lasts
// as long as it should, and its result is a valid entry that no candidate beats. Not part of the
// synthesized design.
//
// Parameters: as sched_top.
// Latency:    none; the checks are clocked immediate assertions.
// Handshake:  none; the module only listens.

module sched_checks
  import sched_pkg::*;
#(
  parameter int unsigned Entries = 32,
  parameter int unsigned Lanes = 4,
  parameter int unsigned AngleW = 16,
  localparam int unsigned TimeW = time_w(AngleW)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,

  input  logic                        s_axil_awready_o,
  input  logic                        s_axil_wready_o,
  input  logic                        s_axil_awvalid_i,
  input  logic                        s_axil_wvalid_i,
  input  logic                        s_axil_bvalid_o,
  input  logic                        s_axil_bready_i,
  input  logic [1:0]                  s_axil_bresp_o,
  input  logic                        s_axil_rvalid_o,
  input  logic                        s_axil_rready_i,
  input  logic [31:0]                 s_axil_rdata_o,
  input  logic [1:0]                  s_axil_rresp_o,

  input  logic                        start,
  input  logic                        busy,
  input  logic                        done,
  input  logic                        result_valid,
  input  logic                        result_forced,
  input  logic [TagW-1:0]             result_tag,
  input  logic [TimeW-1:0]            result_cost,
  input  logic [Entries-1:0]          valid,
  input  logic                        picked_remove,
  input  logic [TagW-1:0]             picked_tag,
  input  logic [StageTree:0]          en,
  input  logic [Lanes-1:0]            candidate,
  input  logic [Lanes-1:0][TimeW-1:0] tree_cost,
  input  logic [CountW-1:0]           occupancy
);

  localparam int unsigned EntryW = index_w(Entries);
  localparam int unsigned Duration = Entries / Lanes + DecisionLatency;

  // What the cycle before looked like
  logic        b_waits_q, r_waits_q, done_q, removed_q;
  logic [1:0]  bresp_q, rresp_q;
  logic [31:0] rdata_q;
  logic [TagW-1:0] picked_tag_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      b_waits_q <= 1'b0;
      r_waits_q <= 1'b0;
      done_q <= 1'b0;
      removed_q <= 1'b0;
      bresp_q <= '0;
      rresp_q <= '0;
      rdata_q <= '0;
      picked_tag_q <= '0;
    end else begin
      b_waits_q <= s_axil_bvalid_o && !s_axil_bready_i;
      r_waits_q <= s_axil_rvalid_o && !s_axil_rready_i;
      done_q <= done;
      removed_q <= picked_remove;
      bresp_q <= s_axil_bresp_o;
      rresp_q <= s_axil_rresp_o;
      rdata_q <= s_axil_rdata_o;
      picked_tag_q <= picked_tag;
    end
  end

  // Least cost and number of cycles of the decision that runs
  logic             seen_q;
  logic [TimeW-1:0] least_q, least_d;
  logic [7:0]       seen_lanes;
  logic [8:0]       busy_q;

  always_comb begin
    least_d = seen_q ? least_q : '1;
    seen_lanes = '0;
    for (int unsigned i = 0; i < Lanes; i++) begin
      if (candidate[i]) begin
        seen_lanes = seen_lanes + 8'd1;
        if (tree_cost[i] < least_d) begin
          least_d = tree_cost[i];
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      seen_q <= 1'b0;
      least_q <= '0;
      busy_q <= '0;
    end else if (start) begin
      seen_q <= 1'b0;
      least_q <= '0;
      busy_q <= '0;
    end else if (busy) begin
      busy_q <= busy_q + 9'd1;
      if (en[StageTree] && seen_lanes != 8'd0) begin
        seen_q <= 1'b1;
        least_q <= least_d;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      // Bus
      if (b_waits_q) begin
        assert (s_axil_bvalid_o && s_axil_bresp_o == bresp_q)
        else $error("a write response changed before it was taken");
      end
      if (r_waits_q) begin
        assert (s_axil_rvalid_o && s_axil_rresp_o == rresp_q && s_axil_rdata_o == rdata_q)
        else $error("a read response changed before it was taken");
      end
      assert (s_axil_awready_o == s_axil_wready_o)
      else $error("address and data of a write were not accepted together");
      if (s_axil_awready_o) begin
        assert (s_axil_awvalid_i && s_axil_wvalid_i && !busy && !s_axil_bvalid_o)
        else $error("a write was accepted too early");
      end

      // Table
      assert (32'(occupancy) == 32'($countones(valid)))
      else $error("the occupancy does not count the valid entries");

      // Decision
      if (start) begin
        assert (!busy) else $error("a decision started while another one ran");
      end
      if (!busy) begin
        assert (en[StageTree:1] == '0) else $error("a row is in the pipeline and no decision runs");
      end
      if (done) begin
        assert (32'(busy_q) == Duration - 1)
        else $error("a decision took %0d cycles", 32'(busy_q) + 32'd1);
      end
      if (picked_remove) begin
        assert (valid[picked_tag[EntryW-1:0]]) else $error("a free entry was removed");
      end
      if (done_q) begin
        assert (!busy) else $error("BUSY is set after the end of a decision");
        assert (result_valid || (result_tag == '0 && result_cost == '0 && !result_forced))
        else $error("an empty result holds a tag or a cost");
        if (result_valid) begin
          assert (32'(result_tag) < Entries && valid[result_tag[EntryW-1:0]] == !removed_q)
          else $error("the result names a free entry");
          assert (!removed_q || picked_tag_q == result_tag)
          else $error("another entry than the result was removed");
          assert (result_forced != seen_q)
          else $error("forced although there was a candidate, or the other way round");
          if (!result_forced) begin
            assert (result_cost == least_q) else $error("a candidate costs less than the result");
          end
        end else begin
          assert (!seen_q) else $error("there was a candidate, but no result");
        end
      end
    end
  end

endmodule

bind sched_top sched_checks #(
  .Entries(Entries),
  .Lanes  (Lanes),
  .AngleW (AngleW)
) u_checks (
  .occupancy(u_axil.occupancy_q),
  .*
);
