# SPDX-License-Identifier: Apache-2.0
"""`platter-lab bound`: a provable lower bound of the time that any scheduler needs, clairvoyant
ones included, with a certificate.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from platter_lab.executable import add_platter


def add_command(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "bound", help="prove a lower bound of the time that any scheduler needs for a load"
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "load",
        type=Path,
        nargs="?",
        help="scenario with a closed load (TOML), or log of requests (CSV) with --scenario",
    )
    what.add_argument(
        "--check", type=Path, metavar="CERTIFICATE", help="only check the certificate of a bound"
    )
    what.add_argument(
        "--study",
        type=Path,
        metavar="FOLDER",
        help="make the tables of the page of results again, in this folder",
    )
    parser.add_argument(
        "--scenario", type=Path, help="scenario (TOML) whose drive a log of requests is for"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="set one key of the scenario; may be repeated",
    )
    parser.add_argument(
        "--completions",
        type=int,
        default=300,
        help="requests of the closed load that are served; default: 300",
    )
    parser.add_argument(
        "--rounds",
        type=int,
        default=4,
        help="of a scenario with streams: rounds that are served; default: 4",
    )
    parser.add_argument(
        "--depth",
        help="of a log: requests known at a time, or `all`; default: as many as in the log",
    )
    parser.add_argument(
        "--policies",
        default="SPTF",
        help="policies that are compared with the bound, separated by commas, or `all`; default: "
        "SPTF",
    )
    parser.add_argument(
        "--iterations",
        type=int,
        default=150,
        help="steps of the last search for multipliers; default: 150",
    )
    parser.add_argument(
        "--annealing",
        type=int,
        default=5_000_000,
        help="steps of the search for a good schedule; 0: none; default: 5000000",
    )
    parser.add_argument("-o", "--output", type=Path, help="write the certificate to this file")
    parser.add_argument("--result", type=Path, help="write the numbers to this file (JSON)")
    add_platter(parser)
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # products too small for several threads

    from platter_lab.bound import command  # NumPy and SciPy take a while to load

    return command.run(arguments)
