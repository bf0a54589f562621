# SPDX-License-Identifier: Apache-2.0
#
# cmake -D FROM=<file> -D TO=<file> -P both_edges.cmake: a copy of a source in which both edges of each clock count. A source with
# another kind of edge, or with a latch, is refused: it would not do the same.

file(READ "${FROM}" text)
string(REGEX REPLACE "@\\(posedge (clk_[io]|[a-z_]+_clk)\\)" "@(edge \\1)" text "${text}")
if(text MATCHES "posedge|negedge|always_latch")
  message(FATAL_ERROR "${FROM}: expected no other edge than \"@(posedge clk_i)\" and that of a gated clock, \"@(posedge name_clk)\", and no latch")
endif()
file(WRITE "${TO}" "${text}")
