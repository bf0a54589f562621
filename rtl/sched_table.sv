// SPDX-License-Identifier: Apache-2.0
//
// Entries of one lane of the command table. An entry's parts are kept in memories of one write
// and one read port each, read in the stage that needs them, so that no part travels down the
// pipeline.
//
// Parameters: Rows (entries of the lane), AngleW, CylW, SeqW (bits of an angle, a cylinder and an
//             insertion number).
// Latency:    one cycle from a row number and its enable to the data.
// Handshake:  none. insert_i and insert_end_i act on row_i; what is read in the same cycle
//             is the state before. Contents are undefined until written; which entries are in use is known outside.

module sched_table
  import sched_pkg::*;
  import sched_reg_pkg::*;
#(
  parameter int unsigned Rows = 8,
  parameter int unsigned AngleW = 16,
  parameter int unsigned CylW = 18,
  parameter int unsigned SeqW = 24,
  parameter int unsigned Features = 0,
  localparam int unsigned SumW = sum_w(AngleW),
  localparam int unsigned PartW = SumW + 1,
  localparam int unsigned DebtW = debt_w(AngleW),
  localparam int unsigned RowW = index_w(Rows)
) (
  input  logic             clk_i,

  // Changes: where and when it starts with insert_i, where and when it ends with insert_end_i in the next cycle.
  input  logic             insert_i,
  input  logic             insert_end_i,
  input  logic [RowW-1:0]  row_i,
  input  sched_types#(AngleW, CylW)::change_t change_i,
  input  logic [SeqW-1:0]  seq_i,

  // Its part in the sweep, from an insertion or the sums; what serving it first adds, from a pass over the table
  input  logic             part_we_i,
  input  logic [RowW-1:0]  part_row_i,
  input  logic signed [PartW-1:0] part_i,
  input  logic             debt_we_i,
  input  logic [RowW-1:0]  debt_row_i,
  input  logic signed [DebtW-1:0] debt_i,

  // Reads: of its ends and parts, or of its starts and debts
  input  logic             onward_i,

  // Where it starts or ends
  input  logic             place_end_i,
  input  logic             place_en_i,
  input  logic [RowW-1:0]  place_row_i,
  output sched_types#(AngleW, CylW)::place_t place_o,

  // Angle, of an end: inverted; and its rest
  input  logic             angle_en_i,
  input  logic             angle_end_i,
  input  logic [RowW-1:0]  angle_row_i,
  output logic [AngleW-1:0] angle_o,
  output logic [AngleW-1:0] rest_o,

  // Age, class
  input  logic             age_en_i,
  input  logic [RowW-1:0]  age_row_i,
  output logic             continuous_o,
  output logic [SumW-1:0]  age_o,

  // Part or debt, or zero
  input  logic             extra_en_i,
  input  logic             extra_clear_i,
  input  logic [RowW-1:0]  extra_row_i,
  output logic signed [DebtW-1:0] extra_o,

  // Limit
  input  logic             limit_en_i,
  input  logic [RowW-1:0]  limit_row_i,
  output limit_e           limit_kind_o,
  output logic [SumW-1:0]  limit_o,

  // Insertion number
  input  logic             seq_en_i,
  input  logic [RowW-1:0]  seq_row_i,
  output logic [SeqW-1:0]  seq_o
);

  if (Rows < 1 || Rows > 256) begin : g_bad_rows
    $error("sched_table: Rows must be 1 to 256");
  end
  if (!angle_ok(AngleW)) begin : g_bad_angle_w
    $error("sched_table: AngleW must be 12 to 20");
  end
  if (!cylinder_ok(CylW)) begin : g_bad_cyl_w
    $error("sched_table: CylW must be 8 to 18");
  end
  if (!seq_ok(SeqW)) begin : g_bad_seq
    $error("sched_table: SeqW must be 2 to 24");
  end
  if (!features_ok(Features)) begin : g_bad_features
    $error("sched_table: Features must be at most 15");
  end

  localparam int unsigned Pairs = 2 << RowW;

  logic [CylW+HeadW:0] place_mem [Pairs];      // {end, row}
  logic [AngleW-1:0]   angle_mem [Pairs];
  logic [DebtW-1:0]    extra_mem [Pairs];      // {part, row}
  logic [SumW:0]       age_mem [Rows];
  logic [SeqW-1:0]     seq_mem [Rows];

  always_ff @(posedge clk_i) begin
    if (insert_i || insert_end_i) begin
      place_mem[{insert_end_i, row_i}] <= change_i.place;
      angle_mem[{insert_end_i, row_i}] <= change_i.angle;
    end
  end

  always_ff @(posedge clk_i) begin
    if (insert_i) begin
      age_mem[row_i] <= {change_i.continuous, change_i.age};
      seq_mem[row_i] <= seq_i;
    end
  end

  // The two never come together: neither sums nor changes go on during a pass.
  logic [RowW:0]    extra_row;
  logic [DebtW-1:0] extra;

  assign extra_row = debt_we_i ? {1'b0, debt_row_i} : {1'b1, part_row_i};
  assign extra = debt_we_i ? debt_i : DebtW'(part_i);

  always_ff @(posedge clk_i) begin
    if (part_we_i || debt_we_i) begin
      extra_mem[extra_row] <= extra;
    end
  end

  always_ff @(posedge clk_i) begin
    if (place_en_i) begin
      place_o <= place_mem[{place_end_i, place_row_i}];
    end
  end

  always_ff @(posedge clk_i) begin
    if (angle_en_i) begin
      angle_o <= angle_mem[{angle_end_i, angle_row_i}];
    end
  end

  always_ff @(posedge clk_i) begin
    if (age_en_i) begin
      {continuous_o, age_o} <= age_mem[age_row_i];
    end
  end

  always_ff @(posedge clk_i) begin
    if (extra_en_i) begin
      if (extra_clear_i) begin
        extra_o <= '0;
      end else begin
        extra_o <= extra_mem[{onward_i, extra_row_i}];
      end
    end
  end

  if (has(Features, FeatureZeroLatency)) begin : g_rest
    logic [AngleW-1:0] rest_mem [Rows];

    always_ff @(posedge clk_i) begin
      if (insert_i) begin
        rest_mem[row_i] <= change_i.optional.rest;
      end
    end

    always_ff @(posedge clk_i) begin
      if (angle_en_i) begin
        rest_o <= rest_mem[angle_row_i];
      end
    end
  end else begin : g_no_rest
    logic unused_rest;
    assign unused_rest = ^change_i.optional.rest;
    assign rest_o = '0;
  end

  if (has(Features, FeatureLimits)) begin : g_limit
    logic [SumW+1:0] limit_mem [Rows];
    logic [SumW+1:0] limit_q;

    always_ff @(posedge clk_i) begin
      if (insert_i) begin
        limit_mem[row_i] <= {change_i.optional.limit_kind, change_i.optional.limit};
      end
    end

    always_ff @(posedge clk_i) begin
      if (limit_en_i) begin
        limit_q <= limit_mem[limit_row_i];
      end
    end

    assign limit_kind_o = limit_e'(limit_q[SumW+:2]);
    assign limit_o = limit_q[SumW-1:0];
  end else begin : g_no_limit
    logic unused_limit;
    assign unused_limit = ^{change_i.optional.limit_kind, change_i.optional.limit, limit_en_i, limit_row_i};
    assign limit_kind_o = LimitNone;
    assign limit_o = '0;
  end

  always_ff @(posedge clk_i) begin
    if (seq_en_i) begin
      seq_o <= seq_mem[seq_row_i];
    end
  end

endmodule
