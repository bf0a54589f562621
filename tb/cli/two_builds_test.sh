#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The main scenario in two builds: result (without its host section) and request log must be the same to the byte.
#
#   two_builds_test.sh SOURCE_DIR PLATTER_A PLATTER_B
set -euo pipefail
source=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for build in "$2" "$3"; do
  [ -x "$build" ] || { echo "two_builds: $build is not built" >&2; exit 1; }
  name=$([ "$build" = "$2" ] && echo a || echo b)
  ASAN_OPTIONS=detect_leaks=0 "$build" run "$source/models/configs/scenarios/mixed_media.toml" --set sim.measure_s=600 --quiet \
    --result "$folder/$name.json" --requests "$folder/$name.csv"
  "$source/build/venv/bin/python" - "$folder/$name.json" <<'PY'
import json, sys
text = open(sys.argv[1]).read()
result = json.loads(text)
# Cut the host section out of the text itself, so that the bytes of all the rest are compared.
start = text.index('  "host": {')
end = text.index("  },", start) + len("  },\n")
open(sys.argv[1], "w").write(text[:start] + text[end:])
assert result["scheduler"]["mismatches"] == 0
PY
done
cmp "$folder/a.json" "$folder/b.json"
cmp "$folder/a.csv" "$folder/b.csv"
echo "same result and same request log, $(wc -l <"$folder/a.csv") lines"
