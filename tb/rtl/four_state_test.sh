#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The synthesized design of a small configuration in a simulator with four states (Icarus Verilog): nothing unknown may come
# out after a reset.
# Usage: four_state_test.sh WORK_DIRECTORY [VECTORS_PROGRAM]
#
# Without VECTORS_PROGRAM it is compiled from vectors.cpp. PLATTER_NETLIST: the folder where the design is synthesized already.

set -eu
work=$1
vectors=${2:-}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

mkdir -p "$work"
netlist=${PLATTER_NETLIST:-$work}
[ -n "${PLATTER_NETLIST:-}" ] || "$root/scripts/synth" --quick --output "$netlist" --set Entries=8 --set Lanes=2 --set OrderM=4 --set AngleW=12 \
  --set CylW=10 --set SegM=2 --set SegW=6 --set SeqW=6 --set Features=15
if [ -z "$vectors" ]; then
  vectors=$work/vectors
  # shellcheck disable=SC2086  # CXX may be several words
  ${CXX:-c++} -std=c++17 -O1 -I"$root/models" -I"$here" "$here/vectors.cpp" "$here/golden.cpp" "$here/sched_bench.cpp" \
    -o "$vectors"
fi
"$vectors" "$work/vectors.txt" 8 2 4 12 10 2 6 6 15
iverilog -g2005 -s four_state_tb -o "$work/four_state" "$here/four_state_tb.v" "$netlist/sched_top_netlist.v"
vvp -n "$work/four_state" "+vectors=$work/vectors.txt" > "$work/four_state.log" || { cat "$work/four_state.log"; exit 1; }
tail -n 25 "$work/four_state.log"
grep -q '^PASSED$' "$work/four_state.log"
