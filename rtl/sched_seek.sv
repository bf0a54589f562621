// SPDX-License-Identifier: Apache-2.0
//
// The module computes the seek time of a cylinder distance, from a table of straight lines that end
// where the drive's curve needs it. The leading one of the distance and the SegM bits below it
// select a cell. The cell's entry in the directory names up to four segments and the places where
// the first three end. The segment holds the line.
//
// Parameters:
//   AngleW  bits of an angle, 12 to 20; a time has AngleW + 4 bits
//   CylW    bits of a distance, 8 to 21
//   SegM    mantissa bits, 2 to 5
//   SegW    2^SegW segments, SegW at most 10, at least one segment a cell
// Latency:    A distance takes seven cycles, and one distance can enter in each cycle. The steps
//             are: coarse shift; fine shift and read of the directory; its data; segment and read
//             of the lines; its data; product; sum. en_i[n] enables the register after stage n of
//             sched_pkg.
// Handshake:  None.
// Limits:     The memories have no reset value. They must not be written while distances are under
//             way.

module sched_seek
  import sched_pkg::*;
  import sched_reg_pkg::*;
#(
  parameter int unsigned AngleW = 16,
  parameter int unsigned CylW = 18,
  parameter int unsigned SegM = 5,
  parameter int unsigned SegW = 9,
  localparam int unsigned TimeW = time_w(AngleW),
  localparam int unsigned FracW = frac_w(CylW, SegM),
  localparam int unsigned Cells = cells(CylW, SegM),
  localparam int unsigned CellIndexW = index_w(Cells),
  localparam int unsigned CellW = cell_w(CylW, SegM, SegW),
  localparam int unsigned SegmentW = segment_w(AngleW)
) (
  // Clock of the lanes, gated.
  input  logic                  clk_i,

  // Writes to the directory and to the segments; only while no distance is under way.
  input  sched_seek_types#(AngleW, CylW, SegM, SegW)::load_t load_i,

  // Enables: en_i[n] for the register after stage n.
  input  logic [StageSeek:StageCell] en_i,
  // Distance in cylinders, in stage 2.
  input  logic [CylW-1:0]       distance_i,
  // The distance is not zero, in stage 4.
  output logic                  moves_o,
  // Seek time, ticks, in stage 9.
  output logic [TimeW-1:0]      seek_o
);

  if (!angle_ok(AngleW)) begin : g_bad_angle_w
    $error("sched_seek: AngleW must be 12 to 20");
  end
  if (!seek_ok(CylW, SegM, SegW)) begin : g_bad_seek_table
    $error("sched_seek: CylW must be 8 to 21, SegM 2 to 5, SegW at most 10, a segment a cell");
  end

  localparam int unsigned PlaceW = place_w(CylW, SegM);
  localparam int unsigned BaseW = base_w(AngleW);
  localparam int unsigned DeltaW = delta_w(AngleW);
  localparam int unsigned ProductW = DeltaW + FracW + 1;
  localparam int unsigned SeekW = BaseW + 1;
  localparam int unsigned ShiftW = $clog2(FracW + 1);
  localparam int unsigned GroupW = CellIndexW - SegM;

  // Cell: shift the leading one to the top, by FracW at most, in steps of 16, 8 and 4 (one stage),
  // then 2 and 1 (the next stage). The bits below the top bit are then the mantissa and the
  // fraction. This also holds for a small distance, whose top bit stays zero.
  typedef struct packed {
    logic [CylW-1:0]   norm;
    logic [ShiftW-1:0] left;     // FracW less the shift so far
  } shifted_t;

  function automatic shifted_t shifted(shifted_t from, int unsigned step);
    shifted = from;
    if (step <= FracW && from.left >= ShiftW'(step) && (from.norm >> (CylW - step)) == '0) begin
      shifted.norm = from.norm << step;
      shifted.left = from.left - ShiftW'(step);
    end
  endfunction

  // Result of the fine shift. The cell's number is last, so that a cast to its width selects it.
  typedef struct packed {
    logic                  moves;
    logic [FracW-1:0]      frac;
    logic [CellIndexW-1:0] index;
  } found_t;

  function automatic found_t found_of(shifted_t coarse);
    shifted_t fine;
    fine = shifted(shifted(coarse, 2), 1);
    found_of.moves = |fine.norm[CylW-1-:SegM+1];
    found_of.frac = fine.norm[FracW-1:0];
    found_of.index = {GroupW'(fine.left) + GroupW'(fine.norm[CylW-1]), fine.norm[CylW-2-:SegM]};
  endfunction

  shifted_t coarse_q;

  always_ff @(posedge clk_i) begin
    if (en_i[StageCell]) begin
      coarse_q <= shifted(shifted(shifted('{norm: distance_i, left: ShiftW'(FracW)}, 16), 8), 4);
    end
  end

  // Directory. A block RAM takes most of a cycle to answer, so its data are used in the next stage.
  logic [CellW-1:0]       cell_mem [Cells];
  logic [CellW-1:0]       cell_q;
  logic [2:0][PlaceW-1:0] last_q;
  logic [SegW-1:0]        group_q;
  logic [FracW-1:0]       frac_cell_q, frac_segment_q;

  always_ff @(posedge clk_i) begin
    if (load_i.cell_we) begin
      cell_mem[load_i.cell_index] <= load_i.cell_data;
    end else if (en_i[StageDirectory]) begin
      cell_q <= cell_mem[CellIndexW'(found_of(coarse_q))];
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_i[StageDirectory]) begin
      {moves_o, frac_cell_q} <= (FracW + 1)'(found_of(coarse_q) >> CellIndexW);
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_i[StageSegment]) begin
      {last_q, group_q} <= cell_q;
      frac_segment_q <= frac_cell_q;
    end
  end

  // Segment: the number of segments that end before this place, put into the group's number
  // The borrow of a subtraction.
  function automatic logic is_beyond(logic [PlaceW-1:0] at, logic [PlaceW-1:0] last);
    logic [PlaceW:0] rest;
    rest = {1'b0, last} - {1'b0, at};
    return rest[PlaceW];
  endfunction

  function automatic logic [1:0] count(logic [2:0] bits);
    return {(bits[0] & bits[1]) | (bits[0] & bits[2]) | (bits[1] & bits[2]), ^bits};
  endfunction

  function automatic logic [SegW-1:0] segment_of(logic [SegW-1:0] group,
                                                 logic [2:0][PlaceW-1:0] last,
                                                 logic [PlaceW-1:0] place);
    return group | SegW'(count({is_beyond(place, last[2]), is_beyond(place, last[1]),
                                is_beyond(place, last[0])}));
  endfunction

  // Line, read like the directory
  logic [SegmentW-1:0] segment_mem [2**SegW];
  logic [SegmentW-1:0] line_q;
  logic [BaseW-1:0]    base_q, base_multiply_q;
  logic [DeltaW-1:0]   delta_q;
  logic [FracW-1:0]    frac_line_q, frac_q;

  always_ff @(posedge clk_i) begin
    if (load_i.segment_we) begin
      segment_mem[load_i.segment_index] <= load_i.segment_data;
    end else if (en_i[StageLookup]) begin
      line_q <= segment_mem[segment_of(group_q, last_q, frac_segment_q[FracW-1-:PlaceW])];
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_i[StageLookup]) begin
      frac_line_q <= frac_segment_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_i[StageLine]) begin
      {base_q, delta_q} <= line_q;
      frac_q <= frac_line_q;
    end
  end

  // Product. Its bits below one tick are dropped (towards minus infinity).
  function automatic logic signed [DeltaW-1:0] rise_of(logic signed [DeltaW-1:0] delta,
                                                       logic signed [FracW:0] frac);
    logic signed [ProductW-1:0] product;
    product = ProductW'(delta) * ProductW'(frac);
    return DeltaW'(product >>> FracW);
  endfunction

  logic signed [DeltaW-1:0] rise_q;

  always_ff @(posedge clk_i) begin
    if (en_i[StageMultiply]) begin
      rise_q <= rise_of($signed(delta_q), $signed({1'b0, frac_q}));
      base_multiply_q <= base_q;
    end
  end

  // Sum, clamped
  function automatic logic [TimeW-1:0] clamped_sum(logic signed [BaseW-1:0] base,
                                                   logic signed [DeltaW-1:0] rise);
    logic signed [SeekW-1:0] sum;
    sum = SeekW'(base) + SeekW'(rise);
    return sum[SeekW-1] ? '0 : sum[TimeW-1:0] | {TimeW{|sum[SeekW-2:TimeW]}};
  endfunction

  always_ff @(posedge clk_i) begin
    if (en_i[StageSeek]) begin
      seek_o <= clamped_sum($signed(base_multiply_q), rise_q);
    end
  end

endmodule
