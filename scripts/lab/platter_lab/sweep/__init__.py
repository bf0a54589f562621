# SPDX-License-Identifier: Apache-2.0
"""`platter-lab sweep`: a scenario over all combinations of its keys' values."""

from __future__ import annotations

import argparse
from pathlib import Path

from platter_lab.executable import HAS_TREE, kept_folder
from platter_lab.runs.place import add_place


def default_output(plan: Path) -> Path:
    """In the tree's build folder; without a tree in the folder of the call."""
    return (kept_folder("sweep") if HAS_TREE else Path()) / f"{plan.stem}.parquet"


def add_command(subparsers: argparse._SubParsersAction) -> None:
    parser = subparsers.add_parser("sweep", help="run a scenario over axes of keys, and tabulate metrics with confidence intervals")
    parser.add_argument("plan", type=Path, help="what is run (TOML)")
    parser.add_argument("-o", "--output", type=Path, help="the table, a row a run: .parquet or .csv; default: as the plan, ending in .parquet, in build/sweep; "
                        "without a source tree, here")
    parser.add_argument("--estimate", action="store_true", help="only say how many runs there are and what they would take")
    add_place(parser)
    parser.add_argument("--platter", type=Path, help="the executable")
    parser.add_argument("--cache", type=Path, default=kept_folder("sweep") / "runs", help="runs are kept here; default: build/sweep/runs; without a source "
                        "tree in the user's cache")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from platter_lab.sweep import command   # needs packages that the other commands do not

    return command.run(arguments)
