#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs the build, builds the consumer against the installed package and runs it with every engine; also as a program of C++20.
#
#   consumer_test.sh CMAKE BUILD_DIR CONSUMER_DIR SANITIZE(ON|OFF)
set -euo pipefail
cmake=$1 build=$2 source=$3 sanitize=$4
prefix=$build/consumer/prefix
rm -rf "$build/consumer"
"$cmake" --install "$build" --prefix "$prefix" >/dev/null
"$cmake" -G Ninja -S "$source" -B "$build/consumer/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release \
  -DCONSUMER_SANITIZE="$sanitize"
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
