// SPDX-License-Identifier: Apache-2.0
//
// Stand-in for the hop unit in the proof of the guard. It carries the names of both ends (low bits
// of head and angle) to the stage in which the hop unit answers. The answer is free, and the
// harness makes it any function of the two names. The answer is fixed only if place and angle of
// each end belong together.
//
// Parameters:
//   AngleW    as in rtl/sched_hop.sv
//   CylW      as in rtl/sched_hop.sv
//   SegM      not used
//   SegW      not used
//   Features  not used
// Latency:    Ten cycles, as in rtl/sched_hop.sv.

module sched_hop
  import sched_pkg::*;
  import sched_reg_pkg::*;
#(
  parameter int unsigned AngleW = 16,
  parameter int unsigned CylW = 18,
  parameter int unsigned SegM = 5,
  parameter int unsigned SegW = 9,
  parameter int unsigned Features = 0,
  localparam int unsigned TimeW = time_w(AngleW)
) (
  // Clock, rising edge.
  input  logic              clk_i,

  // Not used.
  input  sched_seek_types#(AngleW, CylW, SegM, SegW)::load_t load_i,
  // Not used.
  input  sched_types#(AngleW, CylW)::hop_cfg_t cfg_i,

  // Enables: en_i[n] for the register after stage n.
  input  logic [StageCost:StageDistance] en_i,

  // --- Stage 1
  // Where the hop begins; head holds the name.
  input  sched_types#(AngleW, CylW)::place_t from_i,
  // Where the hop ends; head holds the name.
  input  sched_types#(AngleW, CylW)::place_t to_i,
  // Not used.
  input  logic [2:0]        overhead_sel_i,

  // --- Stage 8
  // Angle at which the hop begins; the low bits hold the name.
  input  logic [AngleW-1:0] from_angle_i,
  // Angle at which the hop ends; the low bits hold the name.
  input  logic [AngleW-1:0] to_angle_i,
  // Not used.
  input  logic [AngleW-1:0] rest_i,

  // --- Stage 11
  // Any value; the harness constrains it.
  output sched_types#(AngleW, CylW)::hop_rsp_t hop_o
);

  // Names, three bits: an entry's tag, or 4 for the head of the disk
  logic [StageCost+1:StageCell][2:0] from_q, to_q;
  logic [StageCost+1:StageArrive]    angles_q, swapped_q;
  logic [2:0]                        from, to;
  logic                              match, swapped;

  always_ff @(posedge clk_i) begin
    if (en_i[StageDistance]) begin
      from_q[StageCell] <= from_i.head[2:0];
      to_q[StageCell] <= to_i.head[2:0];
    end
    // A pass for debts swaps the ends and inverts their angles.
    if (en_i[StageSeek]) begin
      angles_q[StageArrive] <= (from_angle_i[2:0] == from_q[StageSeek] &&
          to_angle_i[2:0] == to_q[StageSeek]) || swapped;
      swapped_q[StageArrive] <= swapped;
    end
  end

  assign swapped = from_angle_i[2:0] == ~from_q[StageSeek] && to_angle_i[2:0] == ~to_q[StageSeek];

  for (genvar stage = StageArrive; stage <= StageCost; stage++) begin : g_angles
    always_ff @(posedge clk_i) begin
      if (en_i[stage]) begin
        angles_q[stage+1] <= angles_q[stage];
        swapped_q[stage+1] <= swapped_q[stage];
      end
    end
  end

  for (genvar stage = StageCell; stage <= StageCost; stage++) begin : g_stage
    always_ff @(posedge clk_i) begin
      if (en_i[stage]) begin
        from_q[stage+1] <= from_q[stage];
        to_q[stage+1] <= to_q[stage];
      end
    end
  end

  assign from = swapped_q[StageCost+1] ? to_q[StageCost+1] : from_q[StageCost+1];
  assign to = swapped_q[StageCost+1] ? from_q[StageCost+1] : to_q[StageCost+1];
  assign match = angles_q[StageCost+1];

endmodule
