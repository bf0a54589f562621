# SPDX-License-Identifier: Apache-2.0
"""Where the model's executable is."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from platter_lab import LabError

# From here up to the project's root: platter_lab, lab, scripts.
ROOT = Path(__file__).resolve().parents[3]


def find_platter(given: Path | None) -> Path:
    """The model's executable: as given, as the variable PLATTER says, the project's release build, or the path's."""
    candidates = [given] if given else [Path(os.environ["PLATTER"])] if os.environ.get("PLATTER") else [
        ROOT / "build" / "release" / "models" / "platter", Path(shutil.which("platter") or "platter")]
    for candidate in candidates:
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return candidate.resolve()
    raise LabError(f"{candidates[0]}: no such executable; build it with scripts/build release platter, or name it "
                   "with --platter")
