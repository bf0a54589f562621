# SPDX-License-Identifier: Apache-2.0
"""`platter-lab report`: runs, a sweep or a study as one HTML file to look at."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_command(subparsers: argparse._SubParsersAction) -> None:
    parser = subparsers.add_parser("report", help="one HTML file, which needs no network, of a run, of several runs compared, of a sweep or of a study")
    parser.add_argument("input", type=Path, nargs="+", help="results of runs (JSON, as `platter run --result` writes them; several are compared with the "
                        "first), or the table of one `sweep` or `optimise` (Parquet)")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="REPORT.html")
    parser.add_argument("--requests", type=Path, action="append", default=[], metavar="LOG", help="log of requests (CSV, or Parquet of a sweep) of a run, once a "
                        "result in their order; default: beside RESULT.json, RESULT.csv, and requests.csv beside result.json, where there is one")
    parser.add_argument("--explain", type=Path, metavar="EXPLAIN.json", help="of one run: why its slowest requests were slow, as `platter explain` writes it")
    parser.add_argument("--pareto", nargs=2, action="append", default=[], metavar="METRIC", help="of a sweep: draw the Pareto front of these two metrics; may be "
                        "repeated; default: each pair of the first three")
    parser.add_argument("--maximise", action="append", default=[], metavar="METRIC", help="of a sweep: more of this metric is better; may be repeated")
    parser.add_argument("--platter", type=Path, help="the executable, which knows units and descriptions of statistics")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from platter_lab.report import command   # needs packages that the other commands do not

    return command.run(arguments)
