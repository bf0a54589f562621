# SPDX-License-Identifier: Apache-2.0
"""`platter-lab report`: runs, a sweep or a study as one HTML file to look at."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_command(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "report",
        help=(
            "one HTML file, which needs no network, of a run, of several runs compared, of a "
            "sweep or of a study"
        ),
    )
    parser.add_argument(
        "input",
        type=Path,
        nargs="+",
        help=(
            "results of runs (JSON, as `platter run --result` writes them; several are compared "
            "with the first), or the table of one `sweep` or `optimise` (Parquet)"
        ),
    )
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="REPORT.html")
    parser.add_argument(
        "--requests",
        type=Path,
        action="append",
        default=[],
        metavar="LOG",
        help=(
            "request log of a run (CSV, or Parquet from a sweep); once for each result, in the "
            "same order; default: RESULT.csv beside RESULT.json, or requests.csv beside "
            "result.json, if it exists"
        ),
    )
    parser.add_argument(
        "--explain",
        type=Path,
        metavar="EXPLAIN.json",
        help=(
            "one run: the file explain.json that `platter explain` wrote, which says why the "
            "slowest requests were slow"
        ),
    )
    parser.add_argument(
        "--pareto",
        nargs=2,
        action="append",
        default=[],
        metavar="METRIC",
        help="sweep: draw the Pareto front of these two metrics; may be "
        "repeated; default: each pair of the first three metrics",
    )
    parser.add_argument(
        "--maximise",
        action="append",
        default=[],
        metavar="METRIC",
        help="sweep: larger values of this metric are better; may be repeated",
    )
    parser.add_argument(
        "--platter",
        type=Path,
        help="the model's executable, which gives units and descriptions of statistics",
    )
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from platter_lab.report import command  # needs packages that the other commands do not

    return command.run(arguments)
