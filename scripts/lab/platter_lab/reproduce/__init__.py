# SPDX-License-Identifier: Apache-2.0
"""`platter-lab reproduce`: repeats the papers' experiments and judges their claims.

A study is one module and one line in `STUDIES`. Its `STUDY` lists the points of the model that it
needs (`plan`), and makes claims, figures and tables from their results (`report`). Everything else
is in this package: intervals (`statistics`), verdicts (`claims`), charts (`figures`) and the page
(`page`). `platter_lab.runs` executes the runs in parallel and keeps their results.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from platter_lab.executable import ROOT, expect_tree

# Name, which is that of its module with dashes, and what it is about.
STUDIES = {
    "mixed-media": "clustered scheduling of mixed-media loads (Balafoutis et al.)",
    "beyond-clusters": (
        "what that paper leaves open: slack stealing, longer exact orders, the accelerator"
    ),
    "on-real-drives": "what of that is left on measured drives",
    "eager-writing": "eager-writing schedulers (Zhang et al.)",
    "ew-array": "the same over several drives with copies of the data",
    "replicated-striping": "replicated striping of variable bit-rate streams (Anastasiadis et al.)",
    "autoqos": "AutoQoS: a rate for multimedia streams without asking them (Wu et al.)",
    "integrated-servers": "partitioned and integrated servers (Shenoy et al.)",
    "drive-that-misses": "which gains survive on a drive whose head does not always hit its sector",
    "faults": "what the guarantee of a stream means on drives with unreadable sectors",
    "starvation": "how long random reads wait beside a sequential stream, and what helps",
}

KEPT = ROOT / "build" / "reproduce"


def run(arguments: argparse.Namespace) -> int:
    expect_tree("reproduce")
    from platter_lab.reproduce import (
        command,  # numpy, scipy and matplotlib are loaded when they are needed
    )

    return command.run(arguments)


def _jobs(text: str) -> int:
    try:
        jobs = int(text)
    except ValueError:
        jobs = 0
    if jobs < 1:
        raise argparse.ArgumentTypeError(f"{text!r}; expected a whole number from 1")
    return jobs


def add_command(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    studies = "\n".join(f"  {name:18} {text}" for name, text in STUDIES.items())
    parser = subparsers.add_parser(
        "reproduce",
        help="repeat a paper's experiments, with verdicts on its claims",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description=(
            "Run a paper's experiments in parallel, judge its claims, and write a page with "
            "figures and data.\n"
            "Finished runs are kept; a second call runs only what has changed.\n\n"
            f"studies:\n{studies}"
        ),
    )
    parser.add_argument(
        "study",
        nargs="+",
        choices=STUDIES,
        metavar="STUDY",
        help="one or more of the studies above",
    )
    parser.add_argument(
        "--quick", action="store_true", help="fewer points and shorter runs, in a few minutes"
    )
    parser.add_argument(
        "--estimate",
        action="store_true",
        help="run only a small part of each point, and print what the whole would cost",
    )
    parser.add_argument(
        "--jobs",
        type=_jobs,
        default=os.cpu_count() or 1,
        metavar="N",
        help="largest number of runs at a time (default: the cores of this machine, %(default)s)",
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="DIR",
        help=(
            "folder of page, figures and data (default: docs/papers/STUDY, or docs/results/STUDY; "
            "with --quick build/reproduce/STUDY-quick)"
        ),
    )
    parser.add_argument(
        "--result",
        type=Path,
        metavar="FILE",
        help="also write the claims and figures of one study to this file (JSON)",
    )
    parser.add_argument(
        "--cache",
        type=Path,
        default=KEPT / "runs",
        metavar="DIR",
        help="folder in which results of runs are kept (default: build/reproduce/runs)",
    )
    parser.add_argument(
        "--platter",
        type=Path,
        metavar="PATH",
        help=(
            "the model's executable (default: $PLATTER, build/release/models/platter, or the one "
            "on the path)"
        ),
    )
    parser.set_defaults(run=run)
