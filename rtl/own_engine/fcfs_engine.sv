// SPDX-License-Identifier: Apache-2.0
//
// fcfs_engine: a scheduling engine behind the port platter_candidates. It holds the commands in a
// table and looks at one row in each cycle. fcfs_engine_policy says which of two commands is
// better.
//
// Parameters:
//   Entries  commands that the table holds, 2 to 1024; their tags are below it
// Latency:    An update takes one cycle. An answer comes Entries + 1 cycles after its question. The
//             simulator counts two more: the cycle of the question, and the one in which it takes
//             the answer.
// Handshake:  An update or a question is taken when valid and ready are high. They never come
//             together. The answer stays until it is taken.

module fcfs_engine
  import platter_candidates::*;
#(
  parameter int unsigned Entries = 32,
  localparam int unsigned IndexW = Entries > 1 ? $clog2(Entries) : 1
) (
  // Clock.
  input  logic      clk_i,
  // Asynchronous reset, active low: the table is empty afterwards.
  input  logic      rst_ni,
  // Commands that the table holds: a constant.
  output logic [TagW:0] depth_o,

  // A change of the table is offered.
  input  logic      update_valid_i,
  // It is taken.
  output logic      update_ready_o,
  // What happens to the command.
  input  update_e   update_kind_i,
  // Number of the command.
  input  tag_t      update_tag_i,
  // Of Enter: order of arrival; less is older.
  input  order_t    update_order_i,
  // Of Enter: cylinder of the first block.
  input  cylinder_t update_cylinder_i,
  // Of Enter: surface of the first block.
  input  head_t     update_head_i,
  // Of Enter: angle at which the first block begins.
  input  angle_t    update_angle_i,
  // Of Enter: blocks.
  input  logic [31:0] update_length_i,
  // Of Enter: service class.
  input  class_e    update_class_i,
  // Of Enter: deadline, or NoDeadline.
  input  time_t     update_deadline_i,
  // Of Enter: a write.
  input  logic      update_write_i,

  // A question is asked: which command is served next?
  input  logic      decide_valid_i,
  // It is taken.
  output logic      decide_ready_o,
  // Cylinder of the arm when the access can begin.
  input  cylinder_t decide_cylinder_i,
  // Surface whose head is in use.
  input  head_t     decide_head_i,
  // Angle under the heads at that time.
  input  angle_t    decide_angle_i,
  // That time.
  input  time_t     decide_time_i,
  // The last access was a write.
  input  logic      decide_write_i,

  // The question is answered.
  output logic      answer_valid_o,
  // The answer is taken.
  input  logic      answer_ready_i,
  // No command is served now.
  output logic      answer_idle_o,
  // Otherwise the command that is served.
  output tag_t      answer_tag_o
);

  typedef enum logic [1:0] {
    Rest,   // Updates and questions are taken.
    Scan,   // A row is looked at in each cycle.
    Answer  // The answer waits to be taken.
  } state_e;

  state_e            state_q;
  logic [IndexW-1:0] index_q;  // the row

  // The table: a row for each tag. Synthesis leaves out the columns that the policy does not read.
  logic [Entries-1:0] held_q;
  order_t             order_q    [Entries];
  cylinder_t          cylinder_q [Entries];
  head_t              head_q     [Entries];
  angle_t             angle_q    [Entries];
  logic [31:0]        length_q   [Entries];
  class_e             class_q    [Entries];
  time_t              deadline_q [Entries];
  logic [Entries-1:0] write_q;

  wire [IndexW-1:0] updated = IndexW'(update_tag_i);

  always_ff @(posedge clk_i) begin
    if (update_valid_i && update_ready_o && update_kind_i == Enter) begin
      order_q[updated]    <= update_order_i;
      cylinder_q[updated] <= update_cylinder_i;
      head_q[updated]     <= update_head_i;
      angle_q[updated]    <= update_angle_i;
      length_q[updated]   <= update_length_i;
      class_q[updated]    <= update_class_i;
      deadline_q[updated] <= update_deadline_i;
      write_q[updated]    <= update_write_i;
    end
  end

  // The question under way, the row that is looked at, and the best one so far.
  question_t         question_q;
  logic              found_q;
  logic [IndexW-1:0] best_index_q;
  candidate_t        best_q;
  logic              better;

  wire candidate_t row = '{
    order: order_q[index_q],
    cylinder: cylinder_q[index_q],
    head: head_q[index_q],
    angle: angle_q[index_q],
    length: length_q[index_q],
    cls: class_q[index_q],
    deadline: deadline_q[index_q],
    write: write_q[index_q]
  };

  fcfs_engine_policy u_policy (
    .row_i(row),
    .best_i(best_q),
    .question_i(question_q),
    .better_o(better)
  );

  assign depth_o        = (TagW + 1)'(Entries);
  assign update_ready_o = state_q == Rest;
  assign decide_ready_o = state_q == Rest;
  assign answer_valid_o = state_q == Answer;
  assign answer_idle_o  = !found_q;
  assign answer_tag_o   = TagW'(best_index_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q      <= Rest;
      index_q      <= '0;
      held_q       <= '0;
      found_q      <= 1'b0;
      best_index_q <= '0;
    end else begin
      if (update_valid_i && update_ready_o) held_q[updated] <= update_kind_i == Enter;
      unique case (state_q)
        Rest: begin
          if (decide_valid_i) state_q <= Scan;
          index_q <= '0;
          found_q <= 1'b0;
        end
        Scan: begin
          if (held_q[index_q] && (!found_q || better)) begin
            found_q      <= 1'b1;
            best_index_q <= index_q;
          end
          index_q <= index_q + 1'b1;
          if (index_q == IndexW'(Entries - 1)) state_q <= Answer;
        end
        Answer:  if (answer_ready_i) state_q <= Rest;
        default: state_q <= Rest;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Rest)
      question_q <= '{
        cylinder: decide_cylinder_i,
        head: decide_head_i,
        angle: decide_angle_i,
        now: decide_time_i,
        write: decide_write_i
      };
    if (state_q == Scan && held_q[index_q] && (!found_q || better)) best_q <= row;
  end

`ifndef SYNTHESIS
  platter_candidates_checks #(.Entries(Entries)) u_checks (.*);
`endif

endmodule
