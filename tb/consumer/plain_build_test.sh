#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A copy of the tree is configured by CMake alone, and built in part: with the system's compiler and libraries, without scripts/setup, without RTL,
# within another project of C++20. It also checks what CMake says of parts and libraries that are missing, and what the command says that has no RTL.
#
#   plain_build_test.sh CMAKE SOURCE_DIR FOLDER COMMAND_WITHOUT_RTL
set -euo pipefail
cmake=$1 source=$2 folder=$3 platter=$4
fail() { echo "plain_build: $1" >&2; exit 1; }
# run NAME COMMAND ...: its output is in NAME.log
run() {
  local name=$1
  shift
  env -i PATH=/usr/local/bin:/usr/bin:/bin HOME="$folder" ${CCACHE_DIR:+CCACHE_DIR="$CCACHE_DIR"} ${launcher:+CMAKE_CXX_COMPILER_LAUNCHER="$launcher"} \
    "$@" >"$folder/$name.log" 2>&1
}
must() { run "$@" || { cat "$folder/$1.log" >&2; fail "$1"; }; }
says() { tr -s '\n ' '  ' <"$folder/$1.log" | grep -qF -- "$2" || { cat "$folder/$1.log" >&2; fail "$1 does not say: $2"; }; }

rm -rf "$folder"
mkdir -p "$folder/tree"
tar -C "$source" --exclude=./build --exclude=./.git --exclude=./docs/papers -cf - . | tar -C "$folder/tree" -xf -
launcher=$(command -v ccache || :)
: "${CCACHE_DIR:=${HOME:-}/.cache/ccache}"

# Messages.
configure=("$cmake" -S "$folder/tree" -DPLATTER_BUILD_RTL=OFF)
must without_command "${configure[@]}" -B "$folder/without_command" -DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON
says without_command "-- Platter: CMAKE_BUILD_TYPE is not set; building Release"
says without_command "-- Platter: without the command platter. On Debian: apt-get install libcli11-dev libmuparser-dev"
! run without_fmt "${configure[@]}" -B "$folder/without_fmt" -DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON -DCMAKE_DISABLE_FIND_PACKAGE_ZLIB=ON || fail "a library is missing, and nobody says so"
says without_fmt "apt-get install libfmt-dev zlib1g-dev"
if ! PATH=/usr/local/bin:/usr/bin:/bin command -v verilator >/dev/null; then
  must no_verilator "$cmake" -S "$folder/tree" -B "$folder/no_verilator"
  says no_verilator "-- Platter: without the RTL: no engines rtl and lockstep, no wave files. On Debian: apt-get install verilator"
fi
within=("$cmake" -S "$folder/tree/tb/consumer" -DCONSUMER_PLATTER="$folder/tree" -DPLATTER_BUILD_RTL=OFF)
! run older_standard "${within[@]}" -B "$folder/older_standard" -DCMAKE_CXX_STANDARD=14 || fail "C++14 was taken"
says older_standard "Platter needs C++17 or later: CMAKE_CXX_STANDARD is 14."

# Alone: the configuration, which leaves the tree as it was. `scripts/fresh-machine --package` builds it as well.
must configure "${configure[@]}" -B "$folder/b" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
[ -e "$folder/b/compile_commands.json" ] || fail "the build folder has no compile_commands.json"
grep -q 'platter_cli.dir/' "$folder/b/compile_commands.json" || fail "the command is not built"
[ ! -e "$folder/tree/compile_commands.json" ] && [ ! -e "$folder/tree/build" ] || fail "the build wrote into the tree"

# Within another project of C++20: its own sources, and one source of each library. The other sources compile in the same way, and the libraries link
# without the RTL in the command below. `CONSUMER_PLATTER=TREE` builds and runs the whole. The command is not built there.
must within "${within[@]}" -G Ninja -B "$folder/within" -DCMAKE_CXX_STANDARD=20 -DCMAKE_EXPORT_COMPILE_COMMANDS=ON \
  -DCONSUMER_VERILATOR="$source/scripts/verilator"
grep -q 'own_rtl.cpp' "$folder/within/compile_commands.json" || fail "the program with RTL of its own is not configured"
! grep -q 'platter_cli.dir/' "$folder/within/compile_commands.json" || fail "the command is built within another project"
object() { echo "platter/models/CMakeFiles/$1.dir/platter/$2.cpp.o"; }
must build_within "$cmake" --build "$folder/within" -j "$(nproc)" --target CMakeFiles/consumer.dir/main.cpp.o CMakeFiles/ahci_system.dir/ahci_system.cpp.o \
  "$(object platter_core core/random)" "$(object platter_text system/drives)" "$(object platter_models drive/drive)" \
  "$(object platter_runs system/hosts)" "$(object platter_rtl accelerator/rtl_absent)"

# The command without RTL, of the build that calls this test.
must version "$platter" --version
says version "platter $(cat "$source/VERSION")"
must engines "$platter" list engines
[ "$(cut -d ' ' -f 1 "$folder/engines.log" | xargs)" = "firmware model" ] || fail "list engines: $(cat "$folder/engines.log")"
scenario=$folder/tree/models/configs/scenarios/mixed_media.toml
must run_model "$platter" run "$scenario" --set engine=model --set sim.measure_s=2 --set sim.warmup_s=0
for engine in rtl lockstep lockstep:sample=5; do
  ! run refused "$platter" run "$scenario" --set "engine=$engine" || fail "engine $engine ran"
  says refused "found \"$engine\", but this build of Platter is without the accelerator's RTL (PLATTER_BUILD_RTL=OFF), expected firmware or model"
done
! run waves "$platter" run "$scenario" --set engine=model --waves "$folder/waves.fst" || fail "waves were written"
says waves "waves.fst: this build of Platter writes no waves"
[ ! -e "$folder/waves.fst" ] || fail "a wave file remains"
must explain "$platter" explain "$scenario" --set engine=model --set sim.measure_s=2 --set sim.warmup_s=0 --slowest 1 -o "$folder/moments"
says explain "no waves: this build of Platter writes none"
rm -rf "$folder/within"
echo "plain_build: configured by CMake alone, and compiled within another project"
