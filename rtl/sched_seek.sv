// SPDX-License-Identifier: Apache-2.0
//
// Seek time of a cylinder distance: straight lines that end where the drive's curve wants them to.
// The distance's leading one and the SegM bits below it select a cell, whose entry in the directory
// names up to four segments and where the first three end; the segment holds the line.
//
// Parameters: AngleW (a time has AngleW + 4 bits), CylW (bits of a distance), SegM (mantissa bits),
//             SegW (2^SegW segments).
// Latency:    seven cycles, one distance a cycle: cell, directory, segment, line (two), product,
//             sum. en_i[n] enables the register after stage n of sched_pkg.
// Handshake:  none. The memories have no reset value; they must not be written while distances are
//             under way.

module sched_seek
  import sched_pkg::*;
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
  input  logic                  clk_i,

  input  logic                  cell_we_i,
  input  logic [CellIndexW-1:0] cell_index_i,
  input  logic [CellW-1:0]      cell_data_i,
  input  logic                  segment_we_i,
  input  logic [SegW-1:0]       segment_index_i,
  input  logic [SegmentW-1:0]   segment_data_i,

  input  logic [StageSeek:StageCell] en_i,
  input  logic [CylW-1:0]       distance_i,
  output logic [TimeW-1:0]      seek_o
);

  localparam int unsigned PosW = $clog2(CylW);
  localparam int unsigned PlaceW = place_w(CylW, SegM);
  localparam int unsigned BaseW = base_w(AngleW);
  localparam int unsigned DeltaW = delta_w(AngleW);
  localparam int unsigned ProductW = DeltaW + FracW + 1;
  localparam int unsigned SeekW = BaseW + 1;

  typedef struct packed {
    logic [CellIndexW-1:0] index;
    logic [FracW-1:0]      frac;
  } cell_t;

  // Cell: shift the leading one to the top in steps of 16, 8, 4, 2, 1.
  function automatic cell_t cell_of(logic [CylW-1:0] distance);
    logic [CylW-1:0] norm;
    logic [PosW-1:0] lead;
    cell_t           result;
    norm = distance;
    lead = PosW'(CylW - 1);
    for (int unsigned step = 16; step >= 1; step /= 2) begin
      if (step < CylW && (norm >> (CylW - step)) == '0) begin
        norm = norm << step;
        lead = lead - PosW'(step);
      end
    end
    if (distance[CylW-1:SegM] == '0) begin
      result.index = CellIndexW'(distance[SegM-1:0]);
      result.frac = '0;
    end else begin
      result.index = (CellIndexW'(lead) - CellIndexW'(SegM - 1)) << SegM;
      result.index[SegM-1:0] = norm[CylW-2-:SegM];
      result.frac = norm[FracW-1:0];
    end
    return result;
  endfunction

  cell_t cell_q;

  always_ff @(posedge clk_i) begin
    if (en_i[StageCell]) begin
      cell_q <= cell_of(distance_i);
    end
  end

  // Directory
  logic [CellW-1:0]       cell_mem [Cells];
  logic [2:0][PlaceW-1:0] last_q;
  logic [SegW-1:0]        group_q;
  logic [FracW-1:0]       frac_segment_q;

  always_ff @(posedge clk_i) begin
    if (cell_we_i) begin
      cell_mem[cell_index_i] <= cell_data_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_i[StageDirectory]) begin
      {last_q, group_q} <= cell_mem[cell_q.index];
      frac_segment_q <= cell_q.frac;
    end
  end

  // Segment: the number of segments that end before this place, put into the group's number
  logic [PlaceW-1:0] place;
  logic [2:0]        beyond;
  logic [SegW-1:0]   index_q;
  logic [FracW-1:0]  frac_lookup_q;

  assign place = frac_segment_q[FracW-1-:PlaceW];

  // The borrow of a subtraction, with what comes late from the memory at the carry itself.
  function automatic logic is_beyond(logic [PlaceW-1:0] at, logic [PlaceW-1:0] last);
    logic [PlaceW:0] rest;
    rest = {1'b0, last} - {1'b0, at};
    return rest[PlaceW];
  endfunction

  for (genvar i = 0; i < 3; i++) begin : g_beyond
    assign beyond[i] = is_beyond(place, last_q[i]);
  end

  function automatic logic [1:0] count(logic [2:0] bits);
    return {(bits[0] & bits[1]) | (bits[0] & bits[2]) | (bits[1] & bits[2]), ^bits};
  endfunction

  always_ff @(posedge clk_i) begin
    if (en_i[StageSegment]) begin
      index_q <= group_q | SegW'(count(beyond));
      frac_lookup_q <= frac_segment_q;
    end
  end

  // Line. A block RAM takes most of a cycle to answer: its data goes to the multiplier in the next.
  logic [SegmentW-1:0] segment_mem [2**SegW];
  logic [SegmentW-1:0] line_q;
  logic [BaseW-1:0]    base_q, base_multiply_q;
  logic [DeltaW-1:0]   delta_q;
  logic [FracW-1:0]    frac_line_q, frac_q;

  always_ff @(posedge clk_i) begin
    if (segment_we_i) begin
      segment_mem[segment_index_i] <= segment_data_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_i[StageLookup]) begin
      line_q <= segment_mem[index_q];
      frac_line_q <= frac_lookup_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_i[StageLine]) begin
      {base_q, delta_q} <= line_q;
      frac_q <= frac_line_q;
    end
  end

  // Product, of which the bits below one tick are dropped (towards minus infinity)
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
