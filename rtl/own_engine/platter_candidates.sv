// SPDX-License-Identifier: Apache-2.0
//
// The types of the port `platter_candidates`, by which Platter asks a scheduling engine of your own
// for the next command. docs/reference/own_engine.md has the contract. This file is the same in
// every engine; do not change it.

package platter_candidates;
  localparam int unsigned TagW = 10;
  localparam int unsigned CylinderW = 24;
  localparam int unsigned HeadW = 8;

  typedef logic [TagW-1:0]      tag_t;       // number of a command in the engine
  typedef logic [CylinderW-1:0] cylinder_t;  // cylinder of the drive
  typedef logic [HeadW-1:0]     head_t;      // surface of the drive
  typedef logic [31:0]          angle_t;     // 2^32 is one turn of the spindle
  typedef logic [31:0]          order_t;     // counts arrivals, modulo 2^32
  typedef logic [63:0]          time_t;      // simulated time in picoseconds

  // No deadline. An engine need not use it.
  /* verilator lint_off UNUSEDPARAM */
  localparam time_t NoDeadline = 64'h7FFF_FFFF_FFFF_FFFF;
  /* verilator lint_on UNUSEDPARAM */

  // What happens to a command of the table.
  typedef enum logic [1:0] {
    Enter    = 2'd0,  // It has arrived.
    Serve    = 2'd1,  // It is served, and leaves the table.
    Withdraw = 2'd2   // It will not be served, and leaves the table.
  } update_e;

  // Service class of a command.
  typedef enum logic [1:0] {
    Discrete   = 2'd0,  // best effort
    Continuous = 2'd1,  // of a multimedia stream
    Background = 2'd2   // the drive's own writes, and rebuilds
  } class_e;

  // A command of the table.
  typedef struct packed {
    order_t      order;     // of arrival; less is older
    cylinder_t   cylinder;  // of the first block
    head_t       head;      // surface of the first block
    angle_t      angle;     // at which the first block begins
    logic [31:0] length;    // blocks
    class_e      cls;       // service class
    time_t       deadline;  // or NoDeadline
    logic        write;     // a write
  } candidate_t;

  // The state of the drive when the access can begin.
  typedef struct packed {
    cylinder_t cylinder;  // of the arm
    head_t     head;      // surface whose head is in use
    angle_t    angle;     // under the heads
    time_t     now;       // that time
    logic      write;     // the last access was a write
  } question_t;

  // True if a has arrived before b. The counter wraps.
  function automatic logic older(order_t a, order_t b);
    return order_t'(a - b) >= 32'h8000_0000;
  endfunction
endpackage
