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


def add_command(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "sweep",
        help="run a scenario over axes of keys, and tabulate metrics with confidence intervals",
    )
    parser.add_argument("plan", type=Path, help="plan of the sweep (TOML)")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        help=(
            "file of the table, which has a row for each run: .parquet or .csv; default: the "
            "plan's name with .parquet, in build/sweep, or in the working folder if there is no "
            "source tree"
        ),
    )
    parser.add_argument(
        "--estimate",
        action="store_true",
        help="only print the number of runs and what they would cost",
    )
    add_place(parser)
    parser.add_argument(
        "--platter",
        type=Path,
        help="the model's executable; default: $PLATTER, the release build, or the one on the path",
    )
    parser.add_argument(
        "--cache",
        type=Path,
        default=kept_folder("sweep") / "runs",
        help="folder in which runs are kept; default: build/sweep/runs, or in "
        "the user's cache if there is no source tree",
    )
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from platter_lab.sweep import command  # needs packages that the other commands do not

    return command.run(arguments)
