// SPDX-License-Identifier: Apache-2.0
//
// Entries of one lane of the command table. An entry's parts are kept in memories of one write
// and one read port each, read in the stage that needs them, so that no part travels down the
// pipeline.
//
// Parameters: Rows (entries of the lane), AngleW, CylW, SeqW (bits of an angle, a cylinder and an
//             insertion number).
// Latency:    one cycle from a row number and its enable to the data.
// Handshake:  none. insert_i and remove_i act on row_i; what is read in the same cycle
//             is the state before. Contents are undefined until written; valid_o is
//             cleared by reset.

module sched_table
  import sched_pkg::*;
#(
  parameter int unsigned Rows = 8,
  parameter int unsigned AngleW = 16,
  parameter int unsigned CylW = 18,
  parameter int unsigned SeqW = 24,
  localparam int unsigned TimeW = time_w(AngleW),
  localparam int unsigned SumW = sum_w(AngleW),
  localparam int unsigned PartW = SumW + 1,
  localparam int unsigned DebtW = debt_w(AngleW),
  localparam int unsigned RowW = index_w(Rows)
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  // Changes
  input  logic             insert_i,
  input  logic             remove_i,
  input  logic [RowW-1:0]  row_i,
  input  logic [CylW-1:0]  start_cyl_i,
  input  logic [HeadW-1:0] start_head_i,
  input  logic [AngleW-1:0] start_angle_i,
  input  logic             write_i,
  input  logic             continuous_i,
  input  logic [CylW-1:0]  end_cyl_i,
  input  logic [HeadW-1:0] end_head_i,
  input  logic [AngleW-1:0] end_angle_i,
  input  logic [SumW-1:0]  transfer_i,
  input  logic [SumW-1:0]  age_i,
  input  logic [SeqW-1:0]  seq_i,
  output logic [Rows-1:0]  valid_o,

  // Its part in the sweep, from the sums; what serving it first adds, from a pass over the table
  input  logic             part_we_i,
  input  logic [RowW-1:0]  part_row_i,
  input  logic signed [TimeW+1:0] part_i,
  input  logic             debt_we_i,
  input  logic [RowW-1:0]  debt_row_i,
  input  logic signed [DebtW-1:0] debt_i,

  // First read: where it starts and ends
  input  logic             first_en_i,
  input  logic [RowW-1:0]  first_row_i,
  output logic [CylW-1:0]  start_cyl_o,
  output logic [HeadW-1:0] start_head_o,
  output logic             write_o,
  output logic [CylW-1:0]  end_cyl_o,
  output logic [HeadW-1:0] end_head_o,

  // Second read: angles
  input  logic             second_en_i,
  input  logic [RowW-1:0]  second_row_i,
  output logic [AngleW-1:0] start_angle_o,
  output logic [AngleW-1:0] end_angle_o,

  // Third read: sums
  input  logic             third_en_i,
  input  logic [RowW-1:0]  third_row_i,
  output logic             entry_valid_o,
  output logic             continuous_o,
  output logic signed [PartW-1:0] part_o,
  output logic signed [DebtW-1:0] debt_o,
  output logic [SumW-1:0]  age_o,

  // Fourth read: insertion number
  input  logic             fourth_en_i,
  input  logic [RowW-1:0]  fourth_row_i,
  output logic [SeqW-1:0]  seq_o
);

  localparam int unsigned PlaceW = 2 * (CylW + HeadW) + 1;

  logic [PlaceW-1:0]   place_mem [Rows];
  logic [2*AngleW-1:0] angle_mem [Rows];
  logic [SumW:0]       age_mem [Rows];
  logic [PartW-1:0]    part_mem [Rows];
  logic [DebtW-1:0]    debt_mem [Rows];
  logic [SeqW-1:0]     seq_mem [Rows];

  always_ff @(posedge clk_i) begin
    if (insert_i) begin
      place_mem[row_i] <= {start_cyl_i, start_head_i, write_i, end_cyl_i, end_head_i};
      angle_mem[row_i] <= {start_angle_i, end_angle_i};
      age_mem[row_i] <= {continuous_i, age_i};
      seq_mem[row_i] <= seq_i;
    end
  end

  // The two never come together: an insertion waits while sums are worked out.
  logic             part_we;
  logic [RowW-1:0]  part_row;
  logic [PartW-1:0] part;

  assign part_we = insert_i || part_we_i;
  assign part_row = part_we_i ? part_row_i : row_i;
  assign part = part_we_i ? PartW'(part_i) : {1'b0, transfer_i};

  always_ff @(posedge clk_i) begin
    if (part_we) begin
      part_mem[part_row] <= part;
    end
  end

  always_ff @(posedge clk_i) begin
    if (debt_we_i) begin
      debt_mem[debt_row_i] <= debt_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_o <= '0;
    end else if (insert_i) begin
      valid_o[row_i] <= 1'b1;
    end else if (remove_i) begin
      valid_o[row_i] <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (first_en_i) begin
      {start_cyl_o, start_head_o, write_o, end_cyl_o, end_head_o} <= place_mem[first_row_i];
    end
  end

  always_ff @(posedge clk_i) begin
    if (second_en_i) begin
      {start_angle_o, end_angle_o} <= angle_mem[second_row_i];
    end
  end

  always_ff @(posedge clk_i) begin
    if (third_en_i) begin
      entry_valid_o <= valid_o[third_row_i];
      {continuous_o, age_o} <= age_mem[third_row_i];
      part_o <= part_mem[third_row_i];
      debt_o <= debt_mem[third_row_i];
    end
  end

  always_ff @(posedge clk_i) begin
    if (fourth_en_i) begin
      seq_o <= seq_mem[fourth_row_i];
    end
  end

endmodule
