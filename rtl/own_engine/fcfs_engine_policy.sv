// SPDX-License-Identifier: Apache-2.0
//
// The policy of fcfs_engine: is a command better than the best one so far? First come, first
// served.
//
// Latency:    none; the module is combinational.
// Handshake:  none.

module fcfs_engine_policy
  import platter_candidates::*;
(
  // A command of the table.
  input  candidate_t row_i,
  // The best one of those before it.
  input  candidate_t best_i,
  // The state of the drive.
  input  question_t  question_i,
  // The command is better.
  output logic       better_o
);

  assign better_o = older(row_i.order, best_i.order);

  // What this policy does not use.
  wire unused = ^{row_i, best_i, question_i};

endmodule
