# SPDX-License-Identifier: Apache-2.0
"""`platter-lab optimise`: a search for the best configurations of a scenario, with what they cost."""

from __future__ import annotations

import argparse
from pathlib import Path

from platter_lab.executable import HAS_TREE, kept_folder
from platter_lab.runs.place import add_place


def default_output(space: Path) -> Path:
    """In the tree's build folder; without a tree in the folder of the call."""
    return (kept_folder("optimise") if HAS_TREE else Path()) / f"{space.stem}.parquet"


def add_command(subparsers: argparse._SubParsersAction) -> None:
    parser = subparsers.add_parser("optimise", help="search a scenario's keys for the best configurations, with what the accelerator costs")
    parser.add_argument("space", type=Path, help="what is searched (TOML)")
    parser.add_argument("-o", "--output", type=Path, help="the table, a row a trial: .parquet or .csv; default: as the space, ending in .parquet, in "
                        "build/optimise; without a source tree, here")
    parser.add_argument("--trials", type=int, help="configurations tried in all calls and processes together; over the space's trials")
    parser.add_argument("--journal", type=Path, help="where the trials are kept; other processes and nodes may search with the same one; default: as the "
                        "space, ending in .journal, in build/optimise; without a source tree, here")
    parser.add_argument("--front", action="store_true", help="the table holds the front only")
    parser.add_argument("--figure", type=Path, metavar="FILE", help="a picture of the objectives, .svg or .png")
    parser.add_argument("--estimate", action="store_true", help="only say how many runs there are and what they would take")
    parser.add_argument("--check", action="store_true", help="try the front that the journal holds under the space's checks instead of searching on")
    add_place(parser)
    parser.add_argument("--platter", type=Path, help="the executable")
    parser.add_argument("--cache", type=Path, default=kept_folder("sweep") / "runs", help="runs are kept here, with those of sweeps; default: "
                        "build/sweep/runs; without a source tree in the user's cache")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from platter_lab.optimise import command   # needs packages that the other commands do not

    return command.run(arguments)
