#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The main scenario in two builds: result (without its host section) and request log must be the same to the byte.
#
#   two_builds_test.sh SOURCE_DIR PLATTER_A PLATTER_B
set -euo pipefail
for build in "$2" "$3"; do
  [ -x "$build" ] || { echo "two_builds: $build is not built" >&2; exit 1; }
done
diff <("$1/scripts/dev/digests" --platter "$2" mixed_media) <("$1/scripts/dev/digests" --platter "$3" mixed_media)
echo "same result and same request log"
