// SPDX-License-Identifier: Apache-2.0
//
// The module holds the entries of one lane of the command table. Each part of an entry is in a
// memory of its own, with one write port and one read port. It is read in the stage that needs it,
// so no part travels down the pipeline.
//
// Parameters:
//   Rows      entries of the lane, 1 to 256
//   AngleW    bits of an angle, 12 to 20
//   CylW      bits of a cylinder number, 8 to 21
//   SeqW      bits of an insertion number, 2 to 24
//   Features  optional parts, see sched_core
// Latency:    The data follow a row number and its enable after one cycle.
// Handshake:  None. insert_i and insert_end_i write the row row_i. A read in the same cycle gives
//             the old state.
// Limits:     The contents are undefined until they are written. sched_core knows which entries are
//             in use.

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
  // Clock of the lanes, gated.
  input  logic             clk_i,

  // --- Changes
  // Write where and when the entry starts, its age and limit; not together with insert_end_i.
  input  logic             insert_i,
  // Write where and when the entry ends, in the cycle after insert_i.
  input  logic             insert_end_i,
  // Row that changes, valid with insert_i and insert_end_i.
  input  logic [RowW-1:0]  row_i,
  // Data of the change, valid with insert_i and insert_end_i.
  input  sched_types#(AngleW, CylW)::change_t change_i,
  // Insertion number, valid with insert_i.
  input  logic [SeqW-1:0]  seq_i,

  // Write part_i, on an insertion or from the sums; not together with debt_we_i.
  input  logic             part_we_i,
  // Row of the part, valid with part_we_i.
  input  logic [RowW-1:0]  part_row_i,
  // Part of the entry in the sweep, ticks, signed; valid with part_we_i.
  input  logic signed [PartW-1:0] part_i,
  // Write debt_i, from a pass for debts.
  input  logic             debt_we_i,
  // Row of the debt, valid with debt_we_i.
  input  logic [RowW-1:0]  debt_row_i,
  // Debt of the entry, ticks, signed; valid with debt_we_i.
  input  logic signed [DebtW-1:0] debt_i,

  // --- Reads
  // extra_o is the part (pass for debts), not the debt.
  input  logic             onward_i,

  // place_o is where the entry ends, not where it starts; valid with place_en_i.
  input  logic             place_end_i,
  // Read place_o.
  input  logic             place_en_i,
  // Row to read, valid with place_en_i.
  input  logic [RowW-1:0]  place_row_i,
  // Start or end of the entry; valid from the cycle after place_en_i.
  output sched_types#(AngleW, CylW)::place_t place_o,

  // Read angle_o and rest_o.
  input  logic             angle_en_i,
  // angle_o is that of the end, not that of the start; valid with angle_en_i.
  input  logic             angle_end_i,
  // Row to read, valid with angle_en_i.
  input  logic [RowW-1:0]  angle_row_i,
  // Angle, ticks; that of an end is inverted. Valid from the cycle after angle_en_i.
  output logic [AngleW-1:0] angle_o,
  // Rest of the entry, ticks; zero: none. Valid from the cycle after angle_en_i.
  output logic [AngleW-1:0] rest_o,

  // Read continuous_o and age_o.
  input  logic             age_en_i,
  // Row to read, valid with age_en_i.
  input  logic [RowW-1:0]  age_row_i,
  // The entry's class is continuous; valid from the cycle after age_en_i.
  output logic             continuous_o,
  // Weighted time of the arrival; valid from the cycle after age_en_i.
  output logic [SumW-1:0]  age_o,

  // Read extra_o.
  input  logic             extra_en_i,
  // extra_o becomes zero instead; valid with extra_en_i.
  input  logic             extra_clear_i,
  // Row to read, valid with extra_en_i.
  input  logic [RowW-1:0]  extra_row_i,
  // Part or debt, ticks, signed; valid from the cycle after extra_en_i.
  output logic signed [DebtW-1:0] extra_o,

  // Read limit_kind_o and limit_o.
  input  logic             limit_en_i,
  // Row to read, valid with limit_en_i.
  input  logic [RowW-1:0]  limit_row_i,
  // Meaning of the limit; valid from the cycle after limit_en_i.
  output e_pos_limit_e     limit_kind_o,
  // Limit, time of day in ticks; valid from the cycle after limit_en_i.
  output logic [SumW-1:0]  limit_o,

  // Read seq_o.
  input  logic             seq_en_i,
  // Row to read, valid with seq_en_i.
  input  logic [RowW-1:0]  seq_row_i,
  // Insertion number; valid from the cycle after seq_en_i.
  output logic [SeqW-1:0]  seq_o
);

  if (Rows < 1 || Rows > 256) begin : g_bad_rows
    $error("sched_table: Rows must be 1 to 256");
  end
  if (!angle_ok(AngleW)) begin : g_bad_angle_w
    $error("sched_table: AngleW must be 12 to 20");
  end
  if (!cylinder_ok(CylW)) begin : g_bad_cyl_w
    $error("sched_table: CylW must be 8 to 21");
  end
  if (!seq_ok(SeqW)) begin : g_bad_seq
    $error("sched_table: SeqW must be 2 to 24");
  end
  if (!features_ok(Features)) begin : g_bad_features
    $error("sched_table: Features must be at most 15");
  end

  localparam int unsigned Pairs = 2 << RowW;

  logic [CylW+HeadW:0] place_mem [Pairs];      // address: {end, row}
  logic [AngleW-1:0]   angle_mem [Pairs];
  logic [DebtW-1:0]    extra_mem [Pairs];      // address: {part, row}
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

  // A part and a debt never come together: neither sums nor changes run during a pass.
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

    assign limit_kind_o = e_pos_limit_e'(limit_q[SumW+:2]);
    assign limit_o = limit_q[SumW-1:0];
  end else begin : g_no_limit
    logic unused_limit;
    assign unused_limit = ^{change_i.optional.limit_kind, change_i.optional.limit, limit_en_i,
                            limit_row_i};
    assign limit_kind_o = EPosLimitNone;
    assign limit_o = '0;
  end

  always_ff @(posedge clk_i) begin
    if (seq_en_i) begin
      seq_o <= seq_mem[seq_row_i];
    end
  end

endmodule
