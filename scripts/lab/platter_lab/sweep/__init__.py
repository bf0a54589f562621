# SPDX-License-Identifier: Apache-2.0
"""`platter-lab sweep`: a scenario over all combinations of its keys' values."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from platter_lab.executable import HAS_TREE, kept_folder


def default_output(plan: Path) -> Path:
    """In the tree's build folder; without a tree in the folder of the call."""
    return (kept_folder("sweep") if HAS_TREE else Path()) / f"{plan.stem}.parquet"


def add_command(subparsers: argparse._SubParsersAction) -> None:
    parser = subparsers.add_parser("sweep", help="run a scenario over axes of keys, and tabulate metrics with confidence intervals")
    parser.add_argument("plan", type=Path, help="what is run (TOML)")
    parser.add_argument("-o", "--output", type=Path, help="the table, a row a run: .parquet or .csv; default: as the plan, ending in .parquet, in build/sweep; "
                        "without a source tree, here")
    parser.add_argument("--estimate", action="store_true", help="only say how many runs there are and what they would take")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="runs at a time, at most; default: this machine's cores. "
                        "With dask://HOST:PORT the threads of its workers")
    parser.add_argument("--on", default="local", metavar="PLACE", help="where runs are carried out: local (default), dask://HOST:PORT (a scheduler "
                        "that is there), slurm")
    parser.add_argument("--slurm", action="append", default=[], metavar="KEY=VALUE", help="of a job: partition, account, walltime, memory, cores, ... as "
                        "jobqueue.slurm of Dask's configuration has them, over that")
    parser.add_argument("--wait", type=float, metavar="SECONDS", help="for the first worker; default: 60, in the queue of Slurm 600")
    parser.add_argument("--limit", type=float, metavar="SECONDS", help="for a run, which fails if it takes longer; over the plan's limit_s")
    parser.add_argument("--platter", type=Path, help="the executable")
    parser.add_argument("--cache", type=Path, default=kept_folder("sweep") / "runs", help="runs are kept here; default: build/sweep/runs; without a source "
                        "tree in the user's cache")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from platter_lab.sweep import command   # needs packages that the other commands do not

    return command.run(arguments)
