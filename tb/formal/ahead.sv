// SPDX-License-Identifier: Apache-2.0
//
// Proof: the look-ahead of a decision. It examines MOST candidates at most, and none twice. It
// searches at most min(DEPTH, 4) accesses ahead of each. It keeps examined candidates (or the
// earlier accesses of the same chain) out of the next pass. It is never without a pass for longer
// than a few cycles. It has a result if it has examined any candidate. With FORMAL_BOUNDED this
// result is one of the examined candidates. Passes take any time and find any entry that takes
// part. The harness looks at ports only. The simulations of tb/rtl check the total.
//
// Parameters:
//   Entries  as in sched_ahead
//   AngleW   as in sched_ahead
//   Most     greatest value of AHEAD.MOST

module formal_ahead
  import sched_pkg::*;
#(
  parameter int unsigned Entries = 4,
  parameter int unsigned AngleW = 12,
  parameter int unsigned Most = 256,
  localparam int unsigned Idle = 6,          // most cycles without a pass under way
  localparam int unsigned EntryW = index_w(Entries),
  localparam int unsigned KeyW = key_w(AngleW),
  localparam int unsigned TotalW = total_w(AngleW)
) (
  // Clock, rising edge.
  input logic                       clk_i,
  // Synchronous reset, active low; low in the first cycle.
  input logic                       rst_ni,
  // Start a look-ahead; any value while none is under way.
  input logic                       start_i,

  // --- Configuration: any value, stable during a look-ahead
  // AHEAD.MOST, 1 to Most.
  input logic [CountW-1:0]          most_i,
  // AHEAD.DEPTH, at least 1.
  input logic [2:0]                 depth_i,
  // AHEAD_SHARE, a constant.
  input logic [AheadMost-1:0][7:0]  share_i,

  // --- Passes: any value
  // The pass ends.
  input logic                       pass_done_i,
  // It has found an entry.
  input logic                       found_i,
  // That entry is due.
  input logic                       found_due_i,
  // Its key.
  input logic signed [KeyW-1:0]     found_key_i,
  // Its tag.
  input logic [EntryW-1:0]          found_tag_i
);

  logic                     done, pass_start, fetch, ahead, valid;
  logic [TagW-1:0]          fetch_tag, tag;
  logic [Entries-1:0]       exclude;
  logic signed [TotalW-1:0] total;

  sched_ahead #(.Entries(Entries), .AngleW(AngleW)) u_dut (
    .clk_i, .rst_ni, .start_i, .most_i, .depth_i, .share_i, .done_o(done),
    .pass_start_o(pass_start), .fetch_o(fetch), .fetch_tag_o(fetch_tag), .ahead_o(ahead),
    .exclude_o(exclude),
    .pass_done_i, .found_i, .found_due_i, .found_key_i, .found_tag_i(TagW'(found_tag_i)),
    .valid_o(valid), .tag_o(tag), .total_o(total)
  );

  logic                     started_q = 1'b0;
  logic                     active_q, pass_q, ahead_pass_q, ended_q;   // ended_q: found_i is new
  // the last outcome is a candidate, or none
  logic                     new_q;
  logic [CountW-1:0]        examined_q;
  logic [2:0]               level_q, idle_q;
  logic [Entries-1:0]       seen_q, chain_q, excluded_q;

  // a candidate is being examined
  logic                     open_q;

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
      // A search for a further candidate ends the current one.
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
      // The outcome of a pass stays until the next one ends.
      if (!$past(pass_done_i || start_i))
        assume ($stable({found_i, found_due_i, found_key_i, found_tag_i}));
    end
    assume (most_i != '0 && 32'(most_i) <= Most && depth_i != '0);
    // An excluded entry is not found. For an access ahead only the cost counts.
    if (ended_q && found_i && !new_q) assume (found_key_i >= 0 && !found_due_i);
    if (ended_q && found_i) assume (!excluded_q[found_tag_i]);

    if (started_q && rst_ni) begin
      if (active_q) begin
        a_most_kept: assert (examined_q <= most_i);
        a_no_more_than_entries: assert (examined_q <= CountW'(Entries));
        a_depth_at_most_four: assert (!open_q || level_q <= 3'd4);
        a_depth_kept: assert (!open_q || level_q <= depth_i);
        a_never_long_without_pass: assert (32'(idle_q) < Idle);
      end else begin
        a_idle_gives_nothing: assert (!pass_start && !fetch && !done);
      end
      if (pass_start) a_one_pass_at_a_time: assert (!pass_q && !$past(pass_start));
      if (fetch) begin
        a_fetch_what_was_found: assert (!pass_q && found_i && fetch_tag == TagW'(found_tag_i));
        a_none_twice: assert (new_q ? !seen_q[found_tag_i] : !chain_q[found_tag_i]);
      end
      if (pass_q)
        a_exclusion_matches: assert (exclude == (ahead_pass_q ? chain_q : seen_q) &&
                                     ahead == ahead_pass_q);
      if (done) begin
        a_done_without_pass: assert (!pass_q && !pass_start);
        a_result_if_examined: assert (valid == (examined_q != '0));
`ifdef FORMAL_BOUNDED
        if (valid) a_result_was_examined: assert (32'(tag) < Entries && seen_q[EntryW'(tag)]);
`endif
      end
    end
  end

`ifdef FORMAL_COVER
  // Covers: two candidates, the second better; three accesses ahead; a candidate left that cannot
  // be better
  always_ff @(posedge clk_i) begin
    c_second_better: cover (started_q && rst_ni && done && valid && examined_q == CountW'(2) &&
                            chain_q[EntryW'(tag)] && open_q);
    c_three_ahead: cover (started_q && rst_ni && open_q && level_q == 3'd3 && ahead_pass_q &&
                          pass_q);
    c_none_left_better: cover (started_q && rst_ni && done && valid && examined_q < most_i &&
                               new_q && found_i);
  end
`endif

endmodule
