// SPDX-License-Identifier: Apache-2.0
//
// Constants, types and derived widths that the modules of the scheduling accelerator share.
// The arithmetic that they serve is described in docs/reference/scheduler_accelerator.md.

package sched_pkg;

  import sched_reg_pkg::*;

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
  localparam int unsigned AheadMost = 4;       // accesses ahead

  function automatic bit has(int unsigned features, int unsigned feature);
    return (features & feature) != 0;
  endfunction

  // A time waited under a cap, its weight and the bits of the weight below one tick.
  localparam int unsigned CapW = 17;
  localparam int unsigned ScaleW = 18;
  localparam int unsigned ScaleFraction = 6;

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

  // A write as a bus brings it to the register file, with what follows from it worked out ahead (sched_join, sched_native).
  typedef struct packed {
    logic             valid;
    logic             whole;       // all four bytes are written; anything else is an error
    logic [AddrW-1:0] addr;
    kind_t            kind;        // kind_of(addr); zero while there is no address
    logic [31:0]      data;
    logic [1:0][15:0] low;         // data[15:0] is one of these: held, as offered
    logic             offered;     // it is the latter, low[0]
    logic             usable;      // data are at hand, whole, and no response waits: with kind, a write that is good
    logic             good;        // valid and whole
    logic             soft_reset;  // valid, whole, to CLEAR, and SOFT_RESET is set
  } write_t;

  // Strobes of the register file, in the cycle that accepts the write unless it says otherwise.
  typedef struct packed {
    logic touched;       // a write, in this cycle or the one before, of something that list or lanes look at between operations
    logic clear;         // soft reset
    logic decide;
    logic cluster;
    logic insert;
    logic remove;        // REMOVE or SERVE
    logic serve;         // of the two the latter
    logic open_write;    // a write is accepted that is not to CLEAR, good or not
    logic kind_insert;   // what the address at hand stands for, written or not
    logic kind_remove;
    logic kind_cluster;
    logic try_insert;    // INSERT is written whole; REMOVE or SERVE: its tag good or not
    logic try_remove;
    logic cancel;        // in the cycle after: it was not
    logic config_we;     // the sweep's sums no longer hold
  } command_t;

  // What the list is asked for.
  typedef struct packed {
    logic insert;
    logic remove;
    logic cancel;        // in the cycle after insert or remove: it is not done
    logic sums;
    logic collect;
    logic kind_insert;   // which one it would be, early in the cycle
    logic kind_remove;
    logic kind_collect;
  } list_op_t;

  // What the list does: one bit is set.
  typedef struct packed {
    logic matrix_drain;
    logic matrix;
    logic collect;
    logic sums_drain;
    logic sums;
    logic remove;
    logic insert;
    logic idle;
  } list_state_t;

  // Its name in waves: the number of that bit.
  typedef enum logic [2:0] {
    ListIdle, ListInsert, ListRemove, ListSums, ListSumsDrain, ListCollect, ListMatrix, ListMatrixDrain
  } list_state_e;

  // What E_LIMIT means.
  typedef enum logic [1:0] {
    LimitNone     = 2'd0,
    LimitFirst    = 2'd1,      // it goes first while it would miss it
    LimitWithdraw = 2'd2,      // it does not compete while it would miss it
    LimitKeep     = 2'd3       // it goes first to be in time
  } limit_e;

  // What a hop of the list is for.
  typedef enum logic [2:0] {
    HopNone,
    HopLone,      // the last of the sweep, no hop at all
    HopLast,      // to the last of the sweep
    HopNext,      // to the next of the sweep
    HopSkip,      // to the one after it
    HopLoad,      // no hop: the first of the sweep becomes NEXT
    HopHead,      // matrix: from the head
    HopPair       // matrix: from one slot to another
  } hop_kind_e;

  // A change of MASK by the list.
  typedef struct packed {
    logic            clear;
    logic            set;
    logic [TagW-1:0] tag;
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

  // A key: a cost (one bit more than a time) less what was waited, signed.
  function automatic int unsigned key_w(int unsigned angle_w);
    return time_w(angle_w) + 2;
  endfunction

  // A key and the shares of what is ahead, signed.
  function automatic int unsigned total_w(int unsigned angle_w);
    return key_w(angle_w) + 2;
  endfunction

  // What serving an entry first adds to the sweep, signed: a sum and two hops.
  function automatic int unsigned debt_w(int unsigned angle_w);
    return sum_w(angle_w) + 2;
  endfunction

  // SWEEP + RESERVE - (DUE - HEAD_TIME) - 1, signed.
  function automatic int unsigned room_w(int unsigned angle_w);
    return sum_w(angle_w) + 3;
  endfunction

  // Cells of the seek table.
  function automatic int unsigned cells(int unsigned cyl_w, int unsigned seg_m);
    return (cyl_w - seg_m + 1) << seg_m;
  endfunction

  // A cell: {last place of its third, second and first segment, its first segment}.
  function automatic int unsigned cell_w(int unsigned cyl_w, int unsigned seg_m,
                                         int unsigned seg_w);
    return 3 * place_w(cyl_w, seg_m) + seg_w;
  endfunction

  // A segment: {base, delta}.
  function automatic int unsigned segment_w(int unsigned angle_w);
    return base_w(angle_w) + delta_w(angle_w);
  endfunction

  // Bits that index n things, at least one.
  function automatic int unsigned index_w(int unsigned n);
    return (n > 1) ? $clog2(n) : 1;
  endfunction

  // Types whose widths follow from the parameters, as sched_types #(AngleW, CylW)::cfg_t.
  virtual class sched_types #(
    parameter int unsigned AngleW = 16,
    parameter int unsigned CylW = 18
  );
    localparam int unsigned TimeW = time_w(AngleW);
    localparam int unsigned SumW = sum_w(AngleW);

    // A place on the disk, and whether what is done there is a write
    typedef struct packed {
      logic [CylW-1:0]  cyl;
      logic [HeadW-1:0] head;
      logic             write;
    } place_t;

    // An entry as it is staged
    typedef struct packed {
      place_t            start;
      logic [AngleW-1:0] start_angle;
      place_t            finish;            // its write is that of the start
      logic [AngleW-1:0] finish_angle;
      logic              continuous;
      logic [SumW-1:0]   transfer;
      logic [SumW-1:0]   deadline;
      logic [SumW-1:0]   age;
    } entry_t;

    // What the optional parts want of it
    typedef struct packed {
      limit_e            limit_kind;
      logic [SumW-1:0]   limit;
      logic [AngleW-1:0] rest;
    } optional_t;

    // What a change brings to the lanes: where the entry starts, and one cycle later where it ends
    typedef struct packed {
      place_t            place;
      logic [AngleW-1:0] angle;             // of an end: inverted
      logic              continuous;
      logic [SumW-1:0]   age;
      optional_t         optional;
    } change_t;

    // Configuration of the hop units
    typedef struct packed {
      logic [AngleW-1:0]     margin;
      logic [AngleW-1:0]     risk;
      logic [TimeW-1:0]      head_switch;
      logic [TimeW-1:0]      write_settle;
      logic                  switch_early;  // head switch + write settle < 0
      logic                  rest_cost;     // an access from the middle of its sectors is charged its rest
      logic [7:0][TimeW-1:0] overhead;      // {from an entry's end, to a write, from a write}
    } hop_cfg_t;

    // How entries age
    typedef struct packed {
      logic              defer_c;           // continuous ones do not: defer is added to their key
      logic [TimeW-2:0]  defer;
      logic              scaled;            // scale is not zero: cap and scale apply
      logic [CapW-1:0]   cap;
      logic [ScaleW-1:0] scale;
    } ageing_t;

    // How far a decision looks ahead
    typedef struct packed {
      logic              active;            // most and depth are not zero
      logic [CountW-1:0] most;
      logic [2:0]        depth;
      logic [AheadMost-1:0][7:0] share;
    } ahead_cfg_t;

    // Configuration
    typedef struct packed {
      logic              guard_en;
      logic              next_c_only;
      logic              sweep_down;
      logic              mask_en;
      place_t            head;
      logic [SumW-1:0]   head_time;
      logic [SumW-1:0]   reserve;
      logic [SumW-1:0]   age_now;
      logic [AngleW-1:0] risk_charge;
      ageing_t           ageing;
      logic [SumW-1:0]   grace;
      ahead_cfg_t        ahead;
      hop_cfg_t          hop;
    } cfg_t;

    // What CLUSTER collects
    typedef struct packed {
      logic [CountW-1:0] max;
      logic              take_c;
      logic              take_d;
      logic              stop_at_c;
      logic              down;
      logic              order;
      logic [CylW-1:0]   from;
      logic [CylW-1:0]   span;
    } cluster_cfg_t;

    // Hops that the list asks for; en[n] is high while there is one in stage n.
    typedef struct packed {
      logic [StageCost:StageDistance] en;
      logic              head;              // stage 1: from the head, not from an entry's end
      place_t            from;
      place_t            to;
      logic              angle_head;        // stage 8
      logic [AngleW-1:0] from_angle;
      logic [AngleW-1:0] to_angle;
    } hop_req_t;

    // What comes of them, in stage 11
    typedef struct packed {
      logic [TimeW-1:0]  reach;             // a late arrival's turn included
      logic [TimeW-1:0]  worst;             // a risky one's too
      logic              risky;
    } hop_rsp_t;

    // The entry that leaves the list
    typedef struct packed {
      logic              valid;
      logic              continuous;
      place_t            place;             // where it ends
    } removed_t;

    // First continuous entry of the sweep
    typedef struct packed {
      logic              valid;
      logic [TagW-1:0]   tag;
      place_t            place;
      logic [AngleW-1:0] angle;
    } next_t;

    // The sweep's sums
    typedef struct packed {
      next_t             next;
      logic [SumW-1:0]   sweep;
      logic [SumW-1:0]   due;
    } sweep_t;

    // An entry's part in the sweep
    typedef struct packed {
      logic                    we;
      logic [TagW-1:0]         tag;
      logic signed [TimeW+1:0] part;
    } part_t;

    // A cost of the orderer's matrix
    typedef struct packed {
      logic              we;
      logic [SlotW-1:0]  from;              // OrderM: the head
      logic [SlotW-1:0]  to;
      logic [TimeW-1:0]  cost;
    } matrix_cost_t;

    // What is the same for all entries of a pass
    typedef struct packed {
      logic              onward;            // the pass is for debts
      logic              ahead;             // it is from an entry's end: only the cost counts
      logic              active;            // the guard applies
      logic              next_c_only;
      place_t            place;             // of the head, or of NEXT in a pass for debts
      logic [AngleW-1:0] angle;             // of NEXT: inverted
      logic [TagW-1:0]   next_tag;
      logic [SumW-1:0]   age_now;
      logic [AngleW-1:0] risk_charge;
      ageing_t           ageing;
      logic [SumW-1:0]   head_time;
      logic [SumW-1:0]   grace;
      logic signed [room_w(AngleW)-1:0] room;
    } pass_t;
  endclass

  // A change of the seek table
  virtual class sched_seek_types #(
    parameter int unsigned AngleW = 16,
    parameter int unsigned CylW = 18,
    parameter int unsigned SegM = 5,
    parameter int unsigned SegW = 9
  );
    typedef struct packed {
      logic                                  cell_we;
      logic [index_w(cells(CylW, SegM))-1:0] cell_index;
      logic [cell_w(CylW, SegM, SegW)-1:0]   cell_data;
      logic                                  segment_we;
      logic [SegW-1:0]                       segment_index;
      logic [segment_w(AngleW)-1:0]          segment_data;
    } load_t;
  endclass

  // Which parameters are legal; every module checks its own.
  function automatic bit angle_ok(int unsigned angle_w);
    return angle_w >= 12 && angle_w <= 20;
  endfunction

  function automatic bit cylinder_ok(int unsigned cyl_w);
    return cyl_w >= 8 && cyl_w <= 18;
  endfunction

  function automatic bit seek_ok(int unsigned cyl_w, int unsigned seg_m, int unsigned seg_w);
    return cylinder_ok(cyl_w) && seg_m >= 2 && seg_m <= 5 && seg_w <= 10 && 2 ** seg_w >= cells(cyl_w, seg_m);
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
