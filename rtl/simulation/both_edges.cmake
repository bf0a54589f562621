# SPDX-License-Identifier: Apache-2.0
#
# cmake -D FROM=<file> -D TO=<file> -P both_edges.cmake
#
# Writes a copy of a source in which both edges of each clock count. A source with another kind of edge, or with a latch, is refused, because its copy
# would behave differently. The copy lacks the lines between "// two edges a cycle: begin" and "// two edges a cycle: end", which check signals that it
# does not have.

file(READ "${FROM}" text)
set(mark "// two edges a cycle: ")
string(FIND "${text}" "${mark}begin" begin)
string(FIND "${text}" "${mark}end" end)
if(end GREATER begin AND begin GREATER -1)
  string(SUBSTRING "${text}" 0 ${begin} before)
  string(SUBSTRING "${text}" ${end} -1 behind)
  set(text "${before}${behind}")
endif()
string(REGEX REPLACE "@\\(posedge (clk_[io]|[a-z_]+_clk)\\)" "@(edge \\1)" text "${text}")
if(text MATCHES "posedge|negedge|always_latch")
  message(FATAL_ERROR "${FROM}: expected no other edge than \"@(posedge clk_i)\" and that of a gated clock, \"@(posedge name_clk)\", and no latch")
endif()
file(WRITE "${TO}" "${text}")
