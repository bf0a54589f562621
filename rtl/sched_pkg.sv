// SPDX-License-Identifier: Apache-2.0
//
// Constants, types and derived widths that the modules of the scheduling accelerator share.
// The arithmetic that they serve is described in docs/reference/scheduler_accelerator.md.

package sched_pkg;

  // BUSY is set for Entries / Lanes + DecisionLatency cycles. The value is declared in the register
  // map's source, from which the C++ model takes it too.
  localparam int unsigned DecisionLatency = sched_reg_pkg::DecisionLatency;

  // Stages of the pipeline, counted from the one that addresses the table (stage 0). The first row has passed stage 0
  // before a pass begins and is in stage 1 in the cycle that starts it. The register after stage n
  // feeds stage n + 1.
  localparam int unsigned StageDistance = 1;   // distance, what moves
  localparam int unsigned StageCell = 2;       // leading one: coarse shift
  localparam int unsigned StageDirectory = 3;  // fine shift: cell of the seek table, fraction; read the cell
  localparam int unsigned StageSegment = 4;    // on its way from the memory to the comparisons
  localparam int unsigned StageLookup = 5;     // segment; read its line
  localparam int unsigned StageLine = 6;       // on its way from the memory to the multiplier
  localparam int unsigned StageMultiply = 7;   // slope times fraction; read the angle
  localparam int unsigned StageSeek = 8;       // seek time; difference of the angles; read the age
  localparam int unsigned StageArrive = 9;     // overhead and positioning; what was waited; read part or debt
  localparam int unsigned StageCost = 10;      // rotational wait; add what the sweep has to spare; read the insertion number
  localparam int unsigned StageKey = 11;       // key and deadline guard, or debt
  localparam int unsigned StageTree = 12;      // best of the lanes (two)
  localparam int unsigned StageTreeEnd = 13;
  localparam int unsigned StageBest = 14;      // best of the rows, result
  localparam int unsigned Stages = StageBest + 1;

  localparam int unsigned HeadW = 6;
  localparam int unsigned TagW = 8;
  localparam int unsigned CountW = 9;          // 0 to 256 entries
  localparam int unsigned AddrW = 12;
  localparam int unsigned SlotW = 4;           // 0 to 11 of a cluster, and the head
  localparam int unsigned OrderMost = 12;

  typedef enum logic [1:0] {
    ClassDiscrete   = 2'd0,
    ClassContinuous = 2'd1,
    ClassBackground = 2'd2,
    ClassReserved   = 2'd3
  } class_e;

  typedef enum logic [1:0] {
    RespOkay   = 2'b00,
    RespSlvErr = 2'b10
  } resp_e;

  // What follows from the address of a write: a bus decodes it with the address.
  typedef struct packed {
    logic clear;
    logic insert;
    logic remove;        // REMOVE or SERVE
    logic op;
    logic known;         // there is such a register, and it is written
    logic copied;        // see is_copied
    logic config_write;  // the sweep's sums no longer hold
  } kind_t;

  // What the host writes and nothing else changes is read back from a copy in a memory.
  function automatic logic is_copied(logic [AddrW-1:0] addr);
    import sched_reg_pkg::*;
    unique case (addr)
      CtrlOffset, HeadTimeOffset, ReserveOffset, AgeNowOffset, MarginOffset, RiskOffset,
      RiskChargeOffset, HeadSwitchOffset, WriteSettleOffset, OverheadRrOffset, OverheadRwOffset,
      OverheadWrOffset, OverheadWwOffset, DelayOffset, ClusterOffset, ClusterFromOffset,
      ClusterSpanOffset, EPosOffset, EAngleOffset, EEndPosOffset, EEndAngleOffset, ETransferOffset,
      EDeadlineOffset, EAgeOffset: return 1'b1;
      default: return 1'b0;
    endcase
  endfunction

  function automatic kind_t kind_of(logic [AddrW-1:0] addr);
    import sched_reg_pkg::*;
    kind_of = '0;
    kind_of.clear = addr == ClearOffset;
    kind_of.insert = addr == InsertOffset;
    kind_of.remove = addr == RemoveOffset || addr == ServeOffset;
    kind_of.op = addr == OpOffset;
    kind_of.copied = is_copied(addr);
    unique case (addr)
      CtrlOffset, ClearOffset, HeadPosOffset, HeadTimeOffset, ReserveOffset, AgeNowOffset,
      MarginOffset, RiskOffset, RiskChargeOffset, HeadSwitchOffset, WriteSettleOffset,
      OverheadRrOffset, OverheadRwOffset, OverheadWrOffset, OverheadWwOffset, DelayOffset, OpOffset,
      ClusterOffset, ClusterFromOffset, ClusterSpanOffset, EPosOffset, EAngleOffset, EEndPosOffset,
      EEndAngleOffset, ETransferOffset, EDeadlineOffset, EAgeOffset, InsertOffset, RemoveOffset,
      ServeOffset, SeekIndexOffset, SeekBaseOffset, SeekDeltaOffset, SeekCellOffset, SeekLastOffset,
      SeekGroupOffset, Mask0Offset, Mask1Offset, Mask2Offset, Mask3Offset, Mask4Offset, Mask5Offset,
      Mask6Offset, Mask7Offset: kind_of.known = 1'b1;
      default: ;
    endcase
    unique case (addr)
      CtrlOffset, MarginOffset, RiskOffset, HeadSwitchOffset, WriteSettleOffset, OverheadRrOffset,
      OverheadRwOffset, OverheadWrOffset, OverheadWwOffset, DelayOffset, SeekDeltaOffset,
      SeekGroupOffset: kind_of.config_write = 1'b1;
      default: ;
    endcase
  endfunction

  // A time: up to 16 turns.
  function automatic int unsigned time_w(int unsigned angle_w);
    return angle_w + 4;
  endfunction

  // A sum of times: up to 4,096 turns.
  function automatic int unsigned sum_w(int unsigned angle_w);
    return angle_w + 12;
  endfunction

  // A key: a cost (one bit more than a time) less what was waited, signed.
  function automatic int unsigned key_w(int unsigned angle_w);
    return time_w(angle_w) + 2;
  endfunction

  // What serving an entry first adds to the sweep, signed: a sum and two hops.
  function automatic int unsigned debt_w(int unsigned angle_w);
    return sum_w(angle_w) + 2;
  endfunction

  // SWEEP + RESERVE - (DUE - HEAD_TIME) - 1, signed.
  function automatic int unsigned room_w(int unsigned angle_w);
    return sum_w(angle_w) + 3;
  endfunction

  // Bits below the mantissa of the widest distance.
  function automatic int unsigned frac_w(int unsigned cyl_w, int unsigned seg_m);
    return cyl_w - 1 - seg_m;
  endfunction

  // Cells of the seek table.
  function automatic int unsigned cells(int unsigned cyl_w, int unsigned seg_m);
    return (cyl_w - seg_m + 1) << seg_m;
  endfunction

  // Bits of a place within a cell, by which its segments end.
  function automatic int unsigned place_w(int unsigned cyl_w, int unsigned seg_m);
    return (frac_w(cyl_w, seg_m) < 9) ? frac_w(cyl_w, seg_m) : 9;
  endfunction

  // A cell: {last place of its third, second and first segment, its first segment}.
  function automatic int unsigned cell_w(int unsigned cyl_w, int unsigned seg_m,
                                         int unsigned seg_w);
    return 3 * place_w(cyl_w, seg_m) + seg_w;
  endfunction

  // A line's value where its cell begins, signed: two bits more than a time.
  function automatic int unsigned base_w(int unsigned angle_w);
    return time_w(angle_w) + 2;
  endfunction

  // Its rise over the whole cell, signed: up to two turns.
  function automatic int unsigned delta_w(int unsigned angle_w);
    return time_w(angle_w) - 2;
  endfunction

  // A segment: {base, delta}.
  function automatic int unsigned segment_w(int unsigned angle_w);
    return base_w(angle_w) + delta_w(angle_w);
  endfunction

  // Bits that index n things, at least one.
  function automatic int unsigned index_w(int unsigned n);
    return (n > 1) ? $clog2(n) : 1;
  endfunction

endpackage
