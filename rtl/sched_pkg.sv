// SPDX-License-Identifier: Apache-2.0
//
// Constants, types and derived widths that the modules of the scheduling accelerator share. The
// arithmetic that they serve is described in docs/reference/scheduler_accelerator.md.

package sched_pkg;

  import sched_reg_pkg::*;

  // Stages of the pipeline. Stage 0 addresses the table, and the register after stage n feeds stage
  // n + 1. Before a pass the first row has already passed stage 0. In the cycle that starts the
  // pass this row is in stage 1.
  localparam int unsigned StageDistance = 1;   // distance; whether arm or head move
  localparam int unsigned StageCell = 2;       // leading one of the distance: coarse shift
  localparam int unsigned StageDirectory = 3;  // fine shift: cell and fraction; reads the cell
  localparam int unsigned StageSegment = 4;    // cell: from the memory to the comparisons
  localparam int unsigned StageLookup = 5;     // finds the segment; reads its line
  localparam int unsigned StageLine = 6;       // line: from the memory to the multiplier
  localparam int unsigned StageMultiply = 7;   // slope times fraction; reads the angle
  localparam int unsigned StageSeek = 8;       // seek time; difference of the angles; reads the age
  localparam int unsigned StageArrive = 9;     // positioning; time waited; reads part or debt
  localparam int unsigned StageCost = 10;      // rotational wait; room; reads insertion number
  localparam int unsigned StageKey = 11;       // key and deadline guard, or debt
  localparam int unsigned StageTree = 12;      // best of the lanes, first half
  localparam int unsigned StageTreeEnd = 13;
  localparam int unsigned StageBest = 14;      // best of the rows; result
  localparam int unsigned Stages = StageBest + 1;

  localparam int unsigned HeadW = HeadPosHeadWidth;
  localparam int unsigned TagW = ResultTagWidth;
  localparam int unsigned CountW = StatusOccupancyWidth;
  localparam int unsigned AddrW = AddressWidth;
  localparam int unsigned SlotW = OrdererMaxWidth;  // slots of a cluster, and the head
  localparam int unsigned OrderMost = OrdererMaxMax;
  localparam int unsigned AheadMost = AheadDepthMax;  // most accesses that a look-ahead searches

  function automatic bit has(int unsigned features, int unsigned feature);
    return (features & feature) != 0;
  endfunction

  // Widths of a capped time waited, of its weight, and of the weight's bits below one tick.
  localparam int unsigned CapW = AgeCapUnitsWidth;
  localparam int unsigned ScaleW = AgeScaleWeightWidth;
  localparam int unsigned ScaleFraction = AgeScaleWeightFraction;

  // Response of AXI4-Lite.
  typedef enum logic [1:0] {
    RespOkay   = 2'b00,  // the access was carried out
    RespSlvErr = 2'b10   // the access was refused
  } resp_e;

  // The register that a write's address selects. A bus decodes it together with the address.
  typedef struct packed {
    logic clear;         // CLEAR
    logic insert;        // INSERT
    logic remove;        // REMOVE or SERVE
    logic op;            // OP
    logic known;         // any register that can be written
    logic copied;        // a register that is read back from the copy, see is_copied
    logic config_write;  // a register whose write makes the sweep's sums stale
  } kind_t;

  // A write as a bus brings it to the register file, already decoded (sched_join, sched_native).
  typedef struct packed {
    logic             valid;       // address and data are available, and no response waits
    logic             whole;       // all four bytes are written; any other write is an error
    logic [AddrW-1:0] addr;        // byte address
    kind_t            kind;        // kind_of(addr); zero while no address is available
    logic [31:0]      data;        // data to write
    logic [1:0][15:0] low;         // data[15:0] from both sources: [1] as held, [0] as offered
    logic             offered;     // data are those that are offered, low[0]; otherwise low[1]
    logic             usable;      // whole data are available and no response waits
    logic             good;        // valid and whole
    logic             soft_reset;  // valid and whole, to CLEAR, with SOFT_RESET set
  } write_t;

  // Strobes of the register file. Each is high in the cycle that accepts the write, unless its
  // comment says otherwise.
  typedef struct packed {
    logic touched;       // this cycle or the last has a write that list or lanes may see
    logic clear;         // soft reset
    logic decide;        // OP with CODE 0: DECIDE
    logic cluster;       // OP with CODE 1: CLUSTER
    logic insert;        // INSERT, and its tag is good
    logic remove;        // REMOVE or SERVE, and its tag is good
    logic serve;         // the address is that of SERVE
    logic open_write;    // any write, good or not, while no work is under way
    logic kind_insert;   // the available address is INSERT's, accepted or not
    logic kind_remove;   // the same for REMOVE or SERVE
    logic kind_cluster;  // the same for OP with CODE 1
    logic try_insert;    // INSERT is written whole, whether its tag is good or not
    logic try_remove;    // the same for REMOVE or SERVE
    logic cancel;        // one cycle after a try_ strobe: the tag was refused
    logic config_we;     // the write makes the sweep's sums stale
  } command_t;

  // An operation of the list.
  typedef struct packed {
    logic insert;        // insert the staged entry
    logic remove;        // remove the entry with the tag
    logic cancel;        // one cycle after insert or remove: do not do it
    logic sums;          // work out the sums of the sweep
    logic collect;       // collect a cluster
    logic kind_insert;   // the operation may be insert; known early in the cycle
    logic kind_remove;   // the same for remove
    logic kind_collect;  // the same for collect
  } list_op_t;

  // State of the list: exactly one bit is set.
  typedef struct packed {
    logic matrix_drain;  // waits for the last costs of the matrix
    logic matrix;        // asks for the hops of the cost matrix
    logic collect;       // collects a cluster
    logic sums_drain;    // waits for the last hops of the sums
    logic sums;          // walks along the rows and asks for the sweep's hops
    logic remove;        // moves rows to close a gap
    logic insert;        // moves rows to make a gap
    logic idle;          // no operation is under way
  } list_state_t;

  // Name of the list's state for waves. The value is the number of the bit that is set.
  typedef enum logic [2:0] {
    ListIdle, ListInsert, ListRemove, ListSums, ListSumsDrain, ListCollect, ListMatrix,
    ListMatrixDrain
  } list_state_e;

  // Purpose of a hop of the list.
  typedef enum logic [2:0] {
    HopNone,  // no hop
    HopLone,  // no hop: the last entry of the sweep passes
    HopLast,  // to the last entry of the sweep
    HopNext,  // to the next entry of the sweep
    HopSkip,  // to the entry after the next one
    HopLoad,  // no hop: the first entry of the sweep becomes NEXT
    HopHead,  // matrix: from the head to a slot
    HopPair   // matrix: from one slot to another
  } hop_kind_e;

  // A change of MASK by the list.
  typedef struct packed {
    logic            clear;  // clear all bits
    logic            set;    // set the bit of tag
    logic [TagW-1:0] tag;    // valid with set
  } mask_change_t;

  function automatic kind_t kind_of(logic [AddrW-1:0] addr);
    kind_of = '0;
    kind_of.clear = addr == ClearOffset;
    kind_of.insert = addr == InsertOffset;
    kind_of.remove = addr == RemoveOffset || addr == ServeOffset;
    kind_of.op = addr == OpOffset;
    kind_of.copied = is_copied(addr);
    kind_of.known = is_written(addr);
    kind_of.config_write = changes_hops(addr);
  endfunction

  // Width of a key, signed: a cost (one bit more than a time) less the time waited.
  function automatic int unsigned key_w(int unsigned angle_w);
    return time_w(angle_w) + 2;
  endfunction

  // Width of a total, signed: a key and the shares of the accesses ahead.
  function automatic int unsigned total_w(int unsigned angle_w);
    return key_w(angle_w) + 2;
  endfunction

  // Width of a debt, signed: a sum and two hops.
  function automatic int unsigned debt_w(int unsigned angle_w);
    return sum_w(angle_w) + 2;
  endfunction

  // Width of SWEEP + RESERVE - (DUE - HEAD_TIME) - 1, signed.
  function automatic int unsigned room_w(int unsigned angle_w);
    return sum_w(angle_w) + 3;
  endfunction

  // Number of cells of the seek table.
  function automatic int unsigned cells(int unsigned cyl_w, int unsigned seg_m);
    return (cyl_w - seg_m + 1) << seg_m;
  endfunction

  // Width of a cell: {last place of its third, second and first segment, number of its first
  // segment}.
  function automatic int unsigned cell_w(int unsigned cyl_w, int unsigned seg_m,
                                         int unsigned seg_w);
    return 3 * place_w(cyl_w, seg_m) + seg_w;
  endfunction

  // Width of a segment: {base, delta}.
  function automatic int unsigned segment_w(int unsigned angle_w);
    return base_w(angle_w) + delta_w(angle_w);
  endfunction

  // Width of an index of n things, at least one bit.
  function automatic int unsigned index_w(int unsigned n);
    return (n > 1) ? $clog2(n) : 1;
  endfunction

  // Types whose widths follow from the parameters, used as sched_types #(AngleW, CylW)::cfg_t.
  virtual class sched_types #(
    parameter int unsigned AngleW = 16,
    parameter int unsigned CylW = 18
  );
    localparam int unsigned TimeW = time_w(AngleW);
    localparam int unsigned SumW = sum_w(AngleW);

    // A place on the disk, and whether the access there writes
    typedef struct packed {
      logic [CylW-1:0]  cyl;    // cylinder
      logic [HeadW-1:0] head;   // head
      logic             write;  // the access writes
    } place_t;

    // The staged entry
    typedef struct packed {
      place_t            start;         // place of the first sector
      logic [AngleW-1:0] start_angle;   // angle at which the first sector starts, ticks
      place_t            finish;        // place of the last sector; write is that of start
      logic [AngleW-1:0] finish_angle;  // angle at which the last sector ends, ticks
      logic              continuous;    // the class is continuous
      logic [SumW-1:0]   transfer;      // time from the first sector to the end of the last, ticks
      logic [SumW-1:0]   deadline;      // time of day, ticks
      logic [SumW-1:0]   age;           // weighted time of the arrival
    } entry_t;

    // The staged entry's fields for the optional parts
    typedef struct packed {
      e_pos_limit_e      limit_kind;  // meaning of limit
      logic [SumW-1:0]   limit;       // time of day, ticks
      logic [AngleW-1:0] rest;        // wait of zero latency, ticks; 0: none
    } optional_t;

    // Data of a change of the table: the entry's start, and one cycle later its end
    typedef struct packed {
      place_t            place;       // start or end
      logic [AngleW-1:0] angle;       // ticks; that of an end is inverted
      logic              continuous;  // valid with the start
      logic [SumW-1:0]   age;         // valid with the start
      optional_t         optional;    // valid with the start
    } change_t;

    // Configuration of the hop units
    typedef struct packed {
      logic [AngleW-1:0]     margin;        // MARGIN, ticks
      logic [AngleW-1:0]     risk;          // RISK, ticks
      logic [TimeW-1:0]      head_switch;   // HEAD_SWITCH, ticks
      logic [TimeW-1:0]      write_settle;  // WRITE_SETTLE, ticks, signed
      logic                  switch_early;  // head_switch + write_settle is negative
      logic                  rest_cost;     // an access inside its sectors is charged its rest
      logic [7:0][TimeW-1:0] overhead;      // ticks, by {entry's end, to a write, from a write}
    } hop_cfg_t;

    // Configuration of ageing
    typedef struct packed {
      logic              defer_c;  // continuous entries do not age: defer is added to their key
      logic [TimeW-2:0]  defer;    // DEFER, ticks
      logic              scaled;   // scale is not zero, so cap and scale apply
      logic [CapW-1:0]   cap;      // AGE_CAP, in units of AGE_NOW
      logic [ScaleW-1:0] scale;    // AGE_SCALE, in 1/64 of a tick a unit
    } ageing_t;

    // Configuration of the look-ahead
    typedef struct packed {
      logic              active;         // most and depth are not zero
      logic [CountW-1:0] most;           // AHEAD.MOST, candidates
      logic [AheadDepthWidth-1:0] depth; // AHEAD.DEPTH, accesses; more than 4 count as 4
      logic [AheadMost-1:0][AheadShareFirstWidth-1:0] share;  // AHEAD_SHARE, in 1/256
    } ahead_cfg_t;

    // Configuration from the registers
    typedef struct packed {
      logic              guard_en;     // CTRL.GUARD_EN
      logic              next_c_only;  // CTRL.NEXT_C_ONLY
      logic              sweep_down;   // CTRL.SWEEP_DOWN
      logic              mask_en;      // CTRL.MASK_EN
      place_t            head;         // HEAD_POS
      logic [SumW-1:0]   head_time;    // HEAD_TIME, ticks
      logic [SumW-1:0]   reserve;      // RESERVE, ticks
      logic [SumW-1:0]   age_now;      // AGE_NOW
      logic [AngleW-1:0] risk_charge;  // RISK_CHARGE, ticks
      ageing_t           ageing;       // DEFER, AGE_CAP, AGE_SCALE
      logic [SumW-1:0]   grace;        // GRACE, ticks
      ahead_cfg_t        ahead;        // AHEAD, AHEAD_SHARE
      hop_cfg_t          hop;          // MARGIN to DELAY
    } cfg_t;

    // What CLUSTER collects: the registers CLUSTER, CLUSTER_FROM and CLUSTER_SPAN
    typedef struct packed {
      logic [CountW-1:0] max;        // MAX, entries; 0: no limit
      logic              take_c;     // take continuous entries
      logic              take_d;     // take the other entries
      logic              stop_at_c;  // end before the first continuous entry
      logic              down;       // collect towards lower cylinders
      logic              order;      // find the best order
      logic [CylW-1:0]   from;       // CLUSTER_FROM, cylinder
      logic [CylW-1:0]   span;       // CLUSTER_SPAN, cylinders
    } cluster_cfg_t;

    // Hops that the list asks for. en[n] is high while there is a hop in stage n
    typedef struct packed {
      logic [StageCost:StageDistance] en;  // one bit a stage
      logic              head;             // stage 1: from the head, not from an entry's end
      place_t            from;             // stage 1: the entry's end; not used with head
      place_t            to;               // stage 1: the entry's start
      logic              angle_head;       // stage 8: from the head, not from an entry's end
      logic [AngleW-1:0] from_angle;       // stage 8: ticks; not used with angle_head
      logic [AngleW-1:0] to_angle;         // stage 8: ticks
    } hop_req_t;

    // Answer of a hop unit, in stage 11
    typedef struct packed {
      logic [TimeW-1:0]  reach;  // ticks, with the turn of a late arrival
      logic [TimeW-1:0]  worst;  // ticks, with the turn of a risky arrival, too
      logic              risky;  // the arrival may miss its sector
    } hop_rsp_t;

    // The entry that leaves the list
    typedef struct packed {
      logic              valid;       // high for one cycle of a removal
      logic              continuous;  // its class is continuous
      place_t            place;       // where it ends
    } removed_t;

    // First continuous entry of the sweep
    typedef struct packed {
      logic              valid;  // the sweep has an entry
      logic [TagW-1:0]   tag;    // its tag; zero while valid is low
      place_t            place;  // where it starts
      logic [AngleW-1:0] angle;  // angle of its start, ticks
    } next_t;

    // Results of the sweep's sums
    typedef struct packed {
      next_t             next;   // NEXT
      logic [SumW-1:0]   sweep;  // SWEEP, ticks
      logic [SumW-1:0]   due;    // DUE, ticks
    } sweep_t;

    // Part of an entry in the sweep
    typedef struct packed {
      logic                    we;    // part is written to the table
      logic [TagW-1:0]         tag;   // valid with we
      logic signed [TimeW+1:0] part;  // ticks, valid with we
    } part_t;

    // One cost of the orderer's matrix
    typedef struct packed {
      logic              we;    // the cost is written to the orderer
      logic [SlotW-1:0]  from;  // slot, or OrderM for the head
      logic [SlotW-1:0]  to;    // slot
      logic [TimeW-1:0]  cost;  // ticks
    } matrix_cost_t;

    // Values that are the same for all entries of a pass
    typedef struct packed {
      logic              onward;               // the pass computes debts
      logic              ahead;                // a pass of the look-ahead: only the cost counts
      logic              active;               // the guard applies
      logic              next_c_only;          // CTRL.NEXT_C_ONLY
      place_t            place;                // head, entry's end (ahead) or NEXT (onward)
      logic [AngleW-1:0] angle;                // ticks; that of NEXT is inverted
      logic [TagW-1:0]   next_tag;             // tag of NEXT
      logic [SumW-1:0]   age_now;              // AGE_NOW
      logic [AngleW-1:0] risk_charge;          // RISK_CHARGE, ticks
      ageing_t           ageing;               // configuration of ageing
      logic [SumW-1:0]   head_time;            // HEAD_TIME, ticks
      logic [SumW-1:0]   grace;                // GRACE, ticks
      logic signed [room_w(AngleW)-1:0] room;  // SWEEP + RESERVE - (DUE - HEAD_TIME) - 1; onward: 0
    } pass_t;
  endclass

  // Types of the seek table, used as sched_seek_types #(AngleW, CylW, SegM, SegW)::load_t.
  virtual class sched_seek_types #(
    parameter int unsigned AngleW = 16,
    parameter int unsigned CylW = 18,
    parameter int unsigned SegM = 5,
    parameter int unsigned SegW = 9
  );
    // A write to the seek table
    typedef struct packed {
      logic                                  cell_we;        // write the cell
      logic [index_w(cells(CylW, SegM))-1:0] cell_index;     // number of the cell
      logic [cell_w(CylW, SegM, SegW)-1:0]   cell_data;      // {last places 3, 2, 1; first segment}
      logic                                  segment_we;     // write the segment
      logic [SegW-1:0]                       segment_index;  // number of the segment
      logic [segment_w(AngleW)-1:0]          segment_data;   // {base, delta}
    } load_t;
  endclass

  // Legal values of the parameters. Every module checks its own parameters.
  function automatic bit angle_ok(int unsigned angle_w);
    return angle_w >= 12 && angle_w <= 20;
  endfunction

  function automatic bit cylinder_ok(int unsigned cyl_w);
    return cyl_w >= 8 && cyl_w <= 21;
  endfunction

  function automatic bit seek_ok(int unsigned cyl_w, int unsigned seg_m, int unsigned seg_w);
    return cylinder_ok(cyl_w) && seg_m >= 2 && seg_m <= 5 && seg_w <= 10 &&
        2 ** seg_w >= cells(cyl_w, seg_m);
  endfunction

  function automatic bit lanes_ok(int unsigned lanes);
    return lanes == 1 || lanes == 2 || lanes == 4 || lanes == 8 || lanes == 16;
  endfunction

  function automatic bit entries_ok(int unsigned entries);
    return entries >= 4 && entries <= 256;
  endfunction

  function automatic bit order_ok(int unsigned order_m);
    return order_m != 1 && order_m <= OrderMost;
  endfunction

  function automatic bit features_ok(int unsigned features);
    return features <= FeaturesAll;
  endfunction

  function automatic bit seq_ok(int unsigned seq_w);
    return seq_w >= 2 && seq_w <= 24;
  endfunction

endpackage
