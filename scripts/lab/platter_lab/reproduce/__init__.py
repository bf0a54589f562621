# SPDX-License-Identifier: Apache-2.0
"""`platter-lab reproduce`: the papers' experiments again, and what is left of their claims.

A study is one module and one line in `STUDIES`. Its `STUDY` says which points of the model it needs (`plan`), and makes
claims, figures and tables of their results (`report`). All else is here: intervals (`statistics`), verdicts (`claims`), charts (`figures`), the page
(`page`); running in parallel and keeping what has run is `platter_lab.runs`.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from platter_lab.executable import ROOT, expect_tree

# Name, which is that of its module with dashes, and what it is about.
STUDIES = {
    "mixed-media": "clustered scheduling of mixed-media loads (Balafoutis et al.)",
    "beyond-clusters": "what that paper leaves open: slack stealing, longer exact orders, the accelerator",
    "on-real-drives": "what of that is left on measured drives",
    "eager-writing": "eager-writing schedulers (Zhang et al.)",
    "ew-array": "the same over several drives with copies of the data",
    "replicated-striping": "replicated striping of variable bit-rate streams (Anastasiadis et al.)",
    "autoqos": "AutoQoS: a rate for multimedia streams without asking them (Wu et al.)",
    "integrated-servers": "partitioned and integrated servers (Shenoy et al.)",
}

KEPT = ROOT / "build" / "reproduce"


def run(arguments: argparse.Namespace) -> int:
    expect_tree("reproduce")
    from platter_lab.reproduce import command  # numpy, scipy and matplotlib are loaded when they are needed

    return command.run(arguments)


def _jobs(text: str) -> int:
    try:
        jobs = int(text)
    except ValueError:
        jobs = 0
    if jobs < 1:
        raise argparse.ArgumentTypeError(f"{text!r}; expected a whole number from 1")
    return jobs


def add_command(subparsers: argparse._SubParsersAction) -> None:
    studies = "\n".join(f"  {name:18} {text}" for name, text in STUDIES.items())
    parser = subparsers.add_parser(
        "reproduce", help="a paper's experiments again, with verdicts on its claims",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Run a paper's experiments in parallel, judge its claims, and write a page with figures and data.\n"
                    f"What has run is kept; a second call runs only what changed.\n\nstudies:\n{studies}")
    parser.add_argument("study", nargs="+", choices=STUDIES, metavar="STUDY",
                        help="one or more of the studies above")
    parser.add_argument("--quick", action="store_true", help="fewer points and shorter runs, in a few minutes")
    parser.add_argument("--estimate", action="store_true", help="say what it would cost, run only a small part of each point")
    parser.add_argument("--jobs", type=_jobs, default=os.cpu_count() or 1, metavar="N",
                        help="runs at a time (default: the machine's cores, %(default)s)")
    parser.add_argument("--output", type=Path, metavar="DIR",
                        help="where page, figures and data go (default: docs/papers/STUDY; quick: build/reproduce/STUDY-quick)")
    parser.add_argument("--result", type=Path, metavar="FILE", help="also write claims and figures as JSON, for one study")
    parser.add_argument("--cache", type=Path, default=KEPT / "runs", metavar="DIR",
                        help="where results of runs are kept (default: build/reproduce/runs)")
    parser.add_argument("--platter", type=Path, metavar="PATH",
                        help="the model's executable (default: $PLATTER, build/release/models/platter, or the path's)")
    parser.set_defaults(run=run)
