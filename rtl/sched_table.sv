// SPDX-License-Identifier: Apache-2.0
//
// Entries of one lane of the command table. An entry's parts are kept in four memories of one write
// and one read port each, read in the stage that needs them, so that no part travels down the
// pipeline.
//
// Parameters: Rows (entries of the lane), AngleW, CylW, SeqW (bits of an angle, a cylinder and an
//             insertion number).
// Latency:    one cycle from a row number and its enable to the data.
// Handshake:  none. insert_i, remove_i and credit_we_i act on row_i; what is read in the same cycle
//             is the state before. Contents are undefined until written; valid_o is
//             cleared by reset and by clear_i.

module sched_table
  import sched_pkg::*;
#(
  parameter int unsigned Rows = 8,
  parameter int unsigned AngleW = 16,
  parameter int unsigned CylW = 18,
  parameter int unsigned SeqW = 24,
  localparam int unsigned SumW = sum_w(AngleW),
  localparam int unsigned RowW = index_w(Rows)
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  // Changes
  input  logic             clear_i,
  input  logic             insert_i,
  input  logic             remove_i,
  input  logic             credit_we_i,
  input  logic [RowW-1:0]  row_i,
  input  logic [CylW-1:0]  start_cyl_i,
  input  logic [HeadW-1:0] start_head_i,
  input  logic [AngleW-1:0] start_angle_i,
  input  logic             write_i,
  input  class_e           class_i,
  input  logic [CylW-1:0]  end_cyl_i,
  input  logic [HeadW-1:0] end_head_i,
  input  logic [AngleW-1:0] end_angle_i,
  input  logic [SumW-1:0]  transfer_i,
  input  logic [SumW-1:0]  credit_i,
  input  logic [SeqW-1:0]  seq_i,
  output logic [Rows-1:0]  valid_o,

  // First read: where the command starts and ends
  input  logic             first_en_i,
  input  logic [RowW-1:0]  first_row_i,
  output logic [CylW-1:0]  start_cyl_o,
  output logic [HeadW-1:0] start_head_o,
  output logic             write_o,
  output logic [CylW-1:0]  end_cyl_o,
  output logic [HeadW-1:0] end_head_o,

  // Second read: angles, times, class
  input  logic             second_en_i,
  input  logic [RowW-1:0]  second_row_i,
  output logic             entry_valid_o,
  output logic [AngleW-1:0] start_angle_o,
  output logic [AngleW-1:0] end_angle_o,
  output logic             continuous_o,
  output logic [SumW-1:0]  transfer_o,
  output logic [SumW-1:0]  credit_o,

  // Third read: age
  input  logic             third_en_i,
  input  logic [RowW-1:0]  third_row_i,
  output logic [SeqW-1:0]  seq_o
);

  localparam int unsigned PlaceW = 2 * (CylW + HeadW) + 1;
  localparam int unsigned WorkW = 2 * AngleW + 1 + SumW;

  logic [PlaceW-1:0] place_mem [Rows];
  logic [WorkW-1:0]  work_mem [Rows];
  logic [SumW-1:0]   credit_mem [Rows];
  logic [SeqW-1:0]   seq_mem [Rows];

  always_ff @(posedge clk_i) begin
    if (insert_i) begin
      place_mem[row_i] <= {start_cyl_i, start_head_i, write_i, end_cyl_i, end_head_i};
      work_mem[row_i] <= {start_angle_i, end_angle_i, class_i == ClassContinuous, transfer_i};
      seq_mem[row_i] <= seq_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (insert_i || credit_we_i) begin
      credit_mem[row_i] <= credit_i;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_o <= '0;
    end else if (clear_i) begin
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
      entry_valid_o <= valid_o[second_row_i];
      {start_angle_o, end_angle_o, continuous_o, transfer_o} <= work_mem[second_row_i];
      credit_o <= credit_mem[second_row_i];
    end
  end

  always_ff @(posedge clk_i) begin
    if (third_en_i) begin
      seq_o <= seq_mem[third_row_i];
    end
  end

endmodule
