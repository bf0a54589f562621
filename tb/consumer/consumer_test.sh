#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs the build, builds the consumer against the installed package and runs it with every engine; also as a program of C++20. Its other programs
# have a policy of their own, and RTL of their own.
#
#   consumer_test.sh CMAKE BUILD_DIR CONSUMER_DIR SANITIZE(ON|OFF)
#
# Environment: CONSUMER_VERILATOR (that of the own RTL), PYTHON (with pywellen), CXX
set -euo pipefail
cmake=$1 build=$2 source=$3 sanitize=$4
launcher=$(command -v ccache || :)
fail() { echo "consumer_test: $1" >&2; exit 1; }
prefix=$build/consumer/prefix
rm -rf "$build/consumer"
"$cmake" --install "$build" --prefix "$prefix" >/dev/null
"$cmake" -G Ninja -S "$source" -B "$build/consumer/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release \
  -DCONSUMER_SANITIZE="$sanitize" -DCONSUMER_VERILATOR="$CONSUMER_VERILATOR" ${launcher:+-DCMAKE_CXX_COMPILER_LAUNCHER="$launcher"}
"$cmake" --build "$build/consumer/build"
# The installed command, and the program that was built against the package, take the profiles of the prefix, not those of the source tree.
unset PLATTER_CONFIG_DIR
configs=$prefix/share/platter/configs
cp "$configs/drives/atlas10k.toml" "$configs/drives/only_here.toml"
"$prefix/bin/platter" drive show only_here >/dev/null
mv "$configs/drives/atlas10k.toml" "$configs/drives/moved.toml"
if "$build/consumer/build/consumer" firmware 2>/dev/null; then
  echo "consumer_test: the consumer read a profile from outside of $prefix" >&2
  exit 1
fi
mv "$configs/drives/moved.toml" "$configs/drives/atlas10k.toml"
"$prefix/bin/platter" run "$configs/scenarios/random_4k.toml" --set sim.measure_s=1 --waves "$build/consumer/waves.fst" |
  grep -q "gtkwave $build/consumer/waves.fst $prefix/share/platter/waves/drive.gtkw\$"
# The installed command has the library for programs in simulated time.
[ "$("$prefix/bin/platter" exec "$configs/scenarios/random_4k.toml" --quiet -- head -c 4096 /dev/pl0 | wc -c)" = 4096 ]
# The installed command has the finished designs beside it, where the build has them.
if find "$prefix" -name '32x4-*-features0-checked.so' | grep -q .; then
  PLATTER_RTL_CACHE=/dev/null/none "$prefix/bin/platter" run "$configs/scenarios/mixed_media.toml" --quiet --set sim.measure_s=1 --set 'accelerator.features=[]'
fi
test -s "$prefix/share/platter/rtl_sources/plain/files.f"
for file in LICENSE copyright; do test -s "$prefix/share/doc/platter/$file"; done
grep -q "Artistic-2.0" "$prefix/share/doc/platter/copyright"
"$cmake" -G Ninja -S "$source" -B "$build/consumer/build20" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_STANDARD=20 \
  -DCONSUMER_SANITIZE="$sanitize"
"$cmake" --build "$build/consumer/build20" --target consumer
"$build/consumer/build20/consumer" firmware
for program in consumer ahci_system; do
  code=0
  said=$("$build/consumer/build/$program" firmwear 2>&1) || code=$?
  [ $code = 2 ] && [[ $said == *"\"firmwear\""*"firmware"* ]] || { echo "consumer_test: $program: exit code $code: $said" >&2; exit 1; }
done
for engine in firmware model rtl lockstep; do
  "$build/consumer/build/consumer" $engine
  "$build/consumer/build/ahci_system" $engine
done
# The driver refuses a disk whose sectors do not have 512 bytes.
sed 's/^sector_bytes.*/sector_bytes = 4096/' "$configs/drives/atlas10k.toml" >"$configs/drives/only_here.toml"
code=0
said=$("$build/consumer/build/ahci_system" firmware only_here 2>&1) || code=$?
[ $code = 1 ] && [[ $said != *"a disk of"* ]] || fail "ahci_system: sectors of 4,096 bytes: exit code $code: $said"

# A policy and RTL of the program's own. The page shows what these programs print.
made=$build/consumer/build
"$made/own_policy" >"$made/own_policy.txt"
"$made/own_rtl" "$made/own.fst" "$made/platter.fst" >"$made/own_rtl.txt"
while IFS= read -r line; do
  grep -qxF -- "$line" "$source/../../docs/how_to/own_policy_own_rtl.md" || fail "the page has not this line: $line"
done < <(cat "$made/own_policy.txt" "$made/own_rtl.txt")
"$PYTHON" - "$made/own.fst" "$made/platter.fst" <<'END'
import sys, pywellen
for file, name in zip(sys.argv[1:], ("nearest.tag_o", "disk.mech.cylinder")):
    signals = {v.full_name: v for v in pywellen.Waveform(file).all_vars()}
    found = [v for full, v in signals.items() if full.endswith(name)]
    if len(found) != 1 or len({value for _, value in found[0].tv}) < 10:
        sys.exit(f"consumer_test: {file}: no changes of {name} among {sorted(signals)}")
    if file.endswith("platter.fst") and not any(".sched" in full or "core" in full for full in signals):
        sys.exit(f"consumer_test: {file}: no signals of the RTL")
END
# Nothing of Verilator's run-time in the library has the name that it has in a program.
nm -C --defined-only "$prefix"/lib*/libplatter_rtl.a >"$made/names.txt"
grep -q ' T platter_VerilatedContext::' "$made/names.txt" || fail "libplatter_rtl.a has not Verilator's run-time"
! grep -E '^[0-9a-f]+ [A-Zuv] ([a-z ]* for )?(Verilated|Vl[A-Z]|VL_|_?vl_|fst)' "$made/names.txt" || fail "libplatter_rtl.a has names of Verilator's run-time"
# All public headers.
grep '^| ' "$source/../../docs/reference/api.md" | grep -o '`platter/[^`]*\.h`' | sort -u | sed 's/`\(.*\)`/#include "\1"/' >"$made/headers.cpp"
[ "$(wc -l <"$made/headers.cpp")" -gt 50 ] || fail "api.md has few headers"
# shellcheck disable=SC2046  # several words
${CXX:-c++} -std=c++17 -Wall -Wextra -Werror -fsyntax-only "$made/headers.cpp" \
  $(PKG_CONFIG_PATH=$(echo "$prefix"/lib*/pkgconfig) pkg-config --cflags platter-systemc)
# A project of C alone.
mkdir "$made/c"
printf 'cmake_minimum_required(VERSION 3.25)\nproject(of_c LANGUAGES C)\nfind_package(platter REQUIRED COMPONENTS c)\n%s\n' \
  'add_executable(q q.c)' 'target_link_libraries(q PRIVATE platter::platter_c m)' >"$made/c/CMakeLists.txt"
cp "$source/../libplatter/queueing.c" "$made/c/q.c"
"$cmake" -G Ninja -S "$made/c" -B "$made/c/build" -DCMAKE_PREFIX_PATH="$prefix" && "$cmake" --build "$made/c/build"
# Without CMake.
if [ "$sanitize" = OFF ]; then
  # shellcheck disable=SC2046  # several words
  ${launcher:-} "${CXX:-c++}" -std=c++17 -o "$made/by_pkg_config" "$source/own_policy.cpp" \
    $(PKG_CONFIG_PATH=$(echo "$prefix"/lib*/pkgconfig) pkg-config --cflags --libs platter-systemc)
  "$made/by_pkg_config" | cmp - "$made/own_policy.txt"
fi
