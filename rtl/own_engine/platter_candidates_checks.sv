// SPDX-License-Identifier: Apache-2.0
//
// The checker of the port `platter_candidates`, for simulations only. It only listens. This file is
// the same in every engine; do not change it. A port has the name and the meaning of the engine's
// port. Each assertion has a name a_*, and its text says what is violated.
//
// Parameters: Entries  commands that the table holds; their tags are below it
// Latency:    none; the checks are clocked immediate assertions.
// Handshake:  none.
module platter_candidates_checks
  import platter_candidates::*;
#(
  parameter int unsigned Entries = 32
) (
  input logic    clk_i,
  input logic    rst_ni,
  input logic    update_valid_i,
  input logic    update_ready_o,
  input update_e update_kind_i,
  input tag_t    update_tag_i,
  input logic    decide_valid_i,
  input logic    decide_ready_o,
  input logic    answer_valid_o,
  input logic    answer_ready_i,
  input logic    answer_idle_o,
  input tag_t    answer_tag_o
);
  localparam int unsigned IndexW = Entries > 1 ? $clog2(Entries) : 1;

  logic [Entries-1:0] held_q;
  logic asked_q, given_q, idle_q;
  tag_t tag_q;

  // Is the tag that of a command in the table?
  function automatic logic holds(tag_t tag);
    return 32'(tag) < Entries && held_q[IndexW'(tag)];
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q  <= '0;
      asked_q <= 1'b0;
      given_q <= 1'b0;
      idle_q  <= 1'b0;
      tag_q   <= '0;
    end else begin
      if (update_valid_i && update_ready_o && 32'(update_tag_i) < Entries)
        held_q[IndexW'(update_tag_i)] <= update_kind_i == Enter;
      if (decide_valid_i && decide_ready_o) asked_q <= 1'b1;
      else if (answer_valid_o && answer_ready_i) asked_q <= 1'b0;
      given_q <= answer_valid_o && !answer_ready_i;
      idle_q  <= answer_idle_o;
      tag_q   <= answer_tag_o;

      a_update_fits: assert (!update_valid_i || 32'(update_tag_i) < Entries)
      else $error("An update has a tag that the table does not have.");
      a_update_of_held: assert (!update_valid_i || holds(update_tag_i) == (update_kind_i != Enter))
      else $error("An update enters a tag twice, or takes one out that is not in the table.");
      a_update_or_question: assert (!(update_valid_i && decide_valid_i))
      else $error("An update and a question come in the same cycle.");
      a_one_at_a_time: assert (!asked_q || !(update_valid_i || decide_valid_i))
      else $error("An update or a question comes before the last question is answered.");
      a_answer_after_question: assert (!answer_valid_o || asked_q)
      else $error("The engine answers without a question.");
      a_answer_held: assert (!answer_valid_o || answer_idle_o || holds(answer_tag_o))
      else $error("The engine answers with a tag that is not in the table.");
      a_answer_stays: assert (!given_q || answer_valid_o && idle_q == answer_idle_o &&
                              (idle_q || tag_q == answer_tag_o))
      else $error("The engine changes its answer before it is taken.");
    end
  end
endmodule
