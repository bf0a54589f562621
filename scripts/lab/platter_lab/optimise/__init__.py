# SPDX-License-Identifier: Apache-2.0
"""`platter-lab optimise`: a search for the best configurations of a scenario, with what they
cost.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from platter_lab.executable import HAS_TREE, kept_folder
from platter_lab.runs.place import add_place


def default_output(space: Path) -> Path:
    """In the tree's build folder; without a tree in the folder of the call."""
    return (kept_folder("optimise") if HAS_TREE else Path()) / f"{space.stem}.parquet"


def add_command(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "optimise",
        help=(
            "search a scenario's keys for the best configurations, with what the accelerator costs"
        ),
    )
    parser.add_argument("space", type=Path, help="space that is searched (TOML)")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        help=(
            "file of the table, which has a row for each trial: .parquet or .csv; default: the "
            "space's name with .parquet, in build/optimise, or in the working folder if there is "
            "no source tree"
        ),
    )
    parser.add_argument(
        "--trials",
        type=int,
        help=(
            "number of configurations to try, in all calls and processes together; overrides the "
            "space's trials"
        ),
    )
    parser.add_argument(
        "--journal",
        type=Path,
        help=(
            "file in which the trials are kept, and which other processes and nodes may share; "
            "default: the space's name with .journal, in build/optimise, or in the working folder "
            "if there is no source tree"
        ),
    )
    parser.add_argument("--front", action="store_true", help="write only the front to the table")
    parser.add_argument(
        "--figure",
        type=Path,
        metavar="FILE",
        help="write a picture of the objectives to this file, .svg or .png",
    )
    parser.add_argument(
        "--estimate",
        action="store_true",
        help="only print the number of runs and what they would cost",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help=(
            "do not search; run the configurations of the journal's front under the space's checks"
        ),
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
        help="folder in which runs are kept, with those of sweeps; "
        "default: build/sweep/runs, or in the user's cache if there is no source tree",
    )
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from platter_lab.optimise import command  # needs packages that the other commands do not

    return command.run(arguments)
