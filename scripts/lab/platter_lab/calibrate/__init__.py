# SPDX-License-Identifier: Apache-2.0
"""`platter-lab calibrate`: a drive profile's unknowns, fitted to the first half of a measured
trace, scored on the second.

`trace` reads the measurements, `phase` and `layout` find the spindle's speed and the angles,
`timing` overheads and positioning times, `profile` reads and writes profiles, `replay` runs the
drive model, `fit` puts them together. `pattern_tree` and `pattern_fit` do it for layouts of
patterns. Method and limits: docs/reference/calibration.md.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from platter_lab.executable import add_platter


def run(arguments: argparse.Namespace) -> int:
    from platter_lab.calibrate import command  # numpy and scipy are loaded when they are needed

    return command.run(arguments)


def add_command(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "calibrate",
        help="fit a drive profile to a measured trace",
        description=(
            "Fit what a drive profile does not know exactly (speed, skews and offsets as real "
            "numbers, overheads, shortest positioning times) to the first half of a measured "
            "trace, and score it on the second."
        ),
    )
    parser.add_argument("--trace", type=Path, required=True, metavar="FILE", help="measured trace")
    parser.add_argument(
        "--profile", type=Path, required=True, metavar="BASE", help="profile to start from"
    )
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="file of the calibrated profile"
    )
    parser.add_argument(
        "--report",
        type=Path,
        metavar="FILE",
        help="write fitted values, choices and scores to this file (JSON)",
    )
    parser.add_argument(
        "--reading",
        choices=["auto", "follows", "precedes"],
        default="auto",
        help="whether a line's pause follows or precedes its request (default: as the phase shows)",
    )
    parser.add_argument(
        "--name", metavar="NAME", help="name of the calibrated drive (default: the base's)"
    )
    add_platter(parser)
    parser.set_defaults(run=run)
