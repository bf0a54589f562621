// SPDX-License-Identifier: Apache-2.0
//
// Proof: the look-ahead of a decision. It examines MOST candidates at most and none twice, searches min(DEPTH, 4) accesses ahead of each at
// most, keeps what it has examined (or what is before it in the row of accesses) out of the next pass, is never without a pass for longer than
// a few cycles, and has a result if it has examined any; with FORMAL_BOUNDED: that is one of the candidates that it has examined.
// Passes take any time and find any entry that takes part. Looks at ports only. The total is left to the simulations of tb/rtl.

module formal_ahead
  import sched_pkg::*;
#(
  parameter int unsigned Entries = 4,
  parameter int unsigned AngleW = 12,
  parameter int unsigned Most = 256,
  localparam int unsigned Idle = 6,          // cycles without a pass under way, at most
  localparam int unsigned EntryW = index_w(Entries),
  localparam int unsigned KeyW = key_w(AngleW),
  localparam int unsigned TotalW = total_w(AngleW)
) (
  input logic                       clk_i,
  input logic                       rst_ni,
  input logic                       start_i,
  input logic [CountW-1:0]          most_i,
  input logic [2:0]                 depth_i,
  input logic [AheadMost-1:0][7:0]  share_i,
  input logic                       pass_done_i,
  input logic                       found_i,
  input logic                       found_due_i,
  input logic signed [KeyW-1:0]     found_key_i,
  input logic [EntryW-1:0]          found_tag_i
);

  logic                     done, pass_start, fetch, ahead, valid;
  logic [TagW-1:0]          fetch_tag, tag;
  logic [Entries-1:0]       exclude;
  logic signed [TotalW-1:0] total;

  sched_ahead #(.Entries(Entries), .AngleW(AngleW)) u_dut (
    .clk_i, .rst_ni, .start_i, .most_i, .depth_i, .share_i, .done_o(done),
    .pass_start_o(pass_start), .fetch_o(fetch), .fetch_tag_o(fetch_tag), .ahead_o(ahead), .exclude_o(exclude),
    .pass_done_i, .found_i, .found_due_i, .found_key_i, .found_tag_i(TagW'(found_tag_i)),
    .valid_o(valid), .tag_o(tag), .total_o(total)
  );

  logic                     started_q = 1'b0;
  logic                     active_q, pass_q, ahead_pass_q, ended_q;   // ended_q: found_i is new
  logic                     new_q;                                     // what was found last is a candidate, or none
  logic [CountW-1:0]        examined_q;
  logic [2:0]               level_q, idle_q;
  logic [Entries-1:0]       seen_q, chain_q, excluded_q;

  logic                     open_q;                                    // a candidate is examined

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!rst_ni) begin
      {active_q, pass_q, ended_q, new_q, open_q} <= '0;
    end else begin
      active_q <= start_i || (active_q && !done);
      pass_q <= pass_start || (pass_q && !pass_done_i);
      ended_q <= start_i || pass_done_i;
      idle_q <= (pass_q || pass_start || !active_q) ? '0 : idle_q + 3'd1;
      if (pass_start) ahead_pass_q <= ahead;
      excluded_q <= start_i ? '0 : exclude;
      if (start_i) begin
        new_q <= 1'b1;
        examined_q <= '0;
        seen_q <= '0;
        open_q <= 1'b0;
      end else if (pass_done_i && !ahead_pass_q) begin
        new_q <= 1'b1;
      end else if (fetch) begin
        new_q <= 1'b0;
        level_q <= new_q ? 3'd1 : level_q + 3'd1;
        chain_q <= (new_q ? '0 : chain_q) | (Entries'(1) << found_tag_i);
        if (new_q) begin
          examined_q <= examined_q + CountW'(1);
          seen_q <= seen_q | (Entries'(1) << found_tag_i);
          open_q <= 1'b1;
        end
      end
      // A search for a further candidate ends the one at hand.
      if (pass_start && !ahead) open_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    assume (rst_ni || !started_q || !start_i);
    if (!started_q) assume (!rst_ni);
    assume (!start_i || !active_q);
    assume (!pass_done_i || pass_q);
    if (started_q) begin
      assume ($stable({share_i}));
      if (active_q) assume ($stable({most_i, depth_i}));
      // What a pass has found stays until the next one ends.
      if (!$past(pass_done_i || start_i)) assume ($stable({found_i, found_due_i, found_key_i, found_tag_i}));
    end
    assume (most_i != '0 && 32'(most_i) <= Most && depth_i != '0);
    // An entry that was kept out is not found; of an access ahead only its cost counts.
    if (ended_q && found_i && !new_q) assume (found_key_i >= 0 && !found_due_i);
    if (ended_q && found_i) assume (!excluded_q[found_tag_i]);

    if (started_q && rst_ni) begin
      if (active_q) begin
        assert (examined_q <= most_i);
        assert (examined_q <= CountW'(Entries));
        assert (!open_q || level_q <= 3'd4);
        assert (!open_q || level_q <= depth_i);
        assert (32'(idle_q) < Idle);
      end else begin
        assert (!pass_start && !fetch && !done);
      end
      if (pass_start) assert (!pass_q && !$past(pass_start));
      if (fetch) begin
        assert (!pass_q && found_i && fetch_tag == TagW'(found_tag_i));
        assert (new_q ? !seen_q[found_tag_i] : !chain_q[found_tag_i]);
      end
      if (pass_q) assert (exclude == (ahead_pass_q ? chain_q : seen_q) && ahead == ahead_pass_q);
      if (done) begin
        assert (!pass_q && !pass_start);
        assert (valid == (examined_q != '0));
`ifdef FORMAL_BOUNDED
        if (valid) assert (32'(tag) < Entries && seen_q[EntryW'(tag)]);
`endif
      end
    end
  end

`ifdef FORMAL_COVER
  // Two candidates, the second better; three accesses ahead; a candidate left that cannot be better
  always_ff @(posedge clk_i) begin
    cover (started_q && rst_ni && done && valid && examined_q == CountW'(2) && chain_q[EntryW'(tag)] && open_q);
    cover (started_q && rst_ni && open_q && level_q == 3'd3 && ahead_pass_q && pass_q);
    cover (started_q && rst_ni && done && valid && examined_q < most_i && new_q && found_i);
  end
`endif

endmodule
