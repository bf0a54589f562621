// SPDX-License-Identifier: Apache-2.0
//
// Seek time of a cylinder distance: a piecewise-linear table whose segment is found from the
// distance's leading one and the SegM bits below it.
//
// Parameters: AngleW (a time has AngleW + 4 bits), CylW (bits of a distance), SegM (mantissa bits).
// Latency:    four cycles, one distance a cycle: segment, table, product, sum. en_i[n] enables the
//             register after stage n of sched_pkg.
// Handshake:  none. The table has no reset value; it must not be written while distances are
//             under way.

module sched_seek
  import sched_pkg::*;
#(
  parameter int unsigned AngleW = 16,
  parameter int unsigned CylW = 18,
  parameter int unsigned SegM = 4,
  localparam int unsigned TimeW = time_w(AngleW),
  localparam int unsigned FracW = frac_w(CylW, SegM),
  localparam int unsigned Segs = segs(CylW, SegM),
  localparam int unsigned IndexW = index_w(Segs)
) (
  input  logic              clk_i,

  input  logic              table_we_i,
  input  logic [IndexW-1:0] table_index_i,
  input  logic [TimeW-1:0]  table_base_i,
  input  logic [TimeW-1:0]  table_delta_i,

  input  logic [StageSeek:StageSegment] en_i,
  input  logic [CylW-1:0]   distance_i,
  output logic [TimeW-1:0]  seek_o
);

  localparam int unsigned PosW = $clog2(CylW);
  localparam int unsigned ProductW = TimeW + FracW;
  localparam int unsigned SeekW = TimeW + 2;

  typedef struct packed {
    logic [IndexW-1:0] index;
    logic [FracW-1:0]  frac;
  } segment_t;

  // Segment: shift the leading one to the top in steps of 16, 8, 4, 2, 1.
  function automatic segment_t segment(logic [CylW-1:0] distance);
    logic [CylW-1:0] norm;
    logic [PosW-1:0] lead;
    segment_t        result;
    norm = distance;
    lead = PosW'(CylW - 1);
    for (int unsigned step = 16; step >= 1; step /= 2) begin
      if (step < CylW && (norm >> (CylW - step)) == '0) begin
        norm = norm << step;
        lead = lead - PosW'(step);
      end
    end
    if (distance[CylW-1:SegM] == '0) begin
      result.index = IndexW'(distance[SegM-1:0]);
      result.frac = '0;
    end else begin
      result.index = (IndexW'(lead) - IndexW'(SegM - 1)) << SegM;
      result.index[SegM-1:0] = norm[CylW-2-:SegM];
      result.frac = norm[FracW-1:0];
    end
    return result;
  endfunction

  segment_t segment_q;

  always_ff @(posedge clk_i) begin
    if (en_i[StageSegment]) begin
      segment_q <= segment(distance_i);
    end
  end

  // Table
  logic [2*TimeW-1:0] table_mem [Segs];
  logic [TimeW-1:0]   base_q, base_multiply_q, delta_q;
  logic [FracW-1:0]   frac_q;

  always_ff @(posedge clk_i) begin
    if (table_we_i) begin
      table_mem[table_index_i] <= {table_base_i, table_delta_i};
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_i[StageLookup]) begin
      {base_q, delta_q} <= table_mem[segment_q.index];
      frac_q <= segment_q.frac;
    end
  end

  // Product, of which the bits below one tick are dropped (towards minus infinity)
  function automatic logic signed [TimeW-1:0] rise_of(logic [TimeW-1:0] delta,
                                                      logic [FracW-1:0] frac);
    logic signed [ProductW-1:0] product;
    product = $signed({{FracW{delta[TimeW-1]}}, delta}) * $signed({{TimeW{1'b0}}, frac});
    return TimeW'(product >>> FracW);
  endfunction

  logic signed [TimeW-1:0] rise_q;

  always_ff @(posedge clk_i) begin
    if (en_i[StageMultiply]) begin
      rise_q <= rise_of(delta_q, frac_q);
      base_multiply_q <= base_q;
    end
  end

  // Sum, clamped
  function automatic logic [TimeW-1:0] clamped_sum(logic [TimeW-1:0] base,
                                                   logic signed [TimeW-1:0] rise);
    logic signed [SeekW-1:0] sum;
    sum = $signed({2'b00, base}) + SeekW'(rise);
    return sum[SeekW-1] ? '0 : sum[TimeW-1:0] | {TimeW{sum[SeekW-2]}};
  endfunction

  always_ff @(posedge clk_i) begin
    if (en_i[StageSeek]) begin
      seek_o <= clamped_sum(base_multiply_q, rise_q);
    end
  end

endmodule
