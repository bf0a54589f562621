// SPDX-License-Identifier: Apache-2.0
// Synthesizable sources in order of compilation; paths are relative to this file.
sched_reg_pkg.sv
sched_pkg.sv
sched_reg.sv
sched_clock_gate.sv
sched_join.sv
sched_axil.sv
sched_reg_file.sv
sched_regs.sv
sched_table.sv
sched_seek.sv
sched_hop.sv
sched_lane.sv
sched_min_tree.sv
sched_decide.sv
sched_order.sv
sched_rows.sv
sched_sums.sv
sched_collect.sv
sched_matrix.sv
sched_list.sv
sched_control.sv
sched_ahead.sv
sched_core.sv
sched_top.sv
