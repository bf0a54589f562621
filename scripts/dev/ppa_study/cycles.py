# SPDX-License-Identifier: Apache-2.0
"""Cycles of each kind of work, counted in the Verilated design (tb/rtl/cycles_main.cpp)."""

import subprocess

from . import page
from .flows import ROOT, Failure

PRESET = "release"
PROGRAMS = ("cycles", "cycles_8x1", "cycles_64x8", "cycles_256x8", "cycles_32x16")


def measure():
    """Build, run, write the file; 1 if a count differs from its formula."""
    if (
        subprocess.run([ROOT / "scripts" / "build", PRESET, "cycles_all"], check=False).returncode
        != 0
    ):
        raise Failure("the programs that count cycles could not be built")
    lines, status = [], 0
    for program in PROGRAMS:
        result = subprocess.run(
            [ROOT / "build" / PRESET / "tb" / "rtl" / program],
            text=True,
            stdout=subprocess.PIPE,
            check=False,
        )
        rows = result.stdout.splitlines()
        if not rows or result.returncode not in (0, 1):
            raise Failure(f"{program} failed")
        lines += rows if not lines else rows[1:]
        status |= result.returncode
    page.CYCLES.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))
    return status
