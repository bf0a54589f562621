# SPDX-License-Identifier: Apache-2.0
"""Where a study's runs are carried out, as its options say."""

from __future__ import annotations

import argparse
import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from platter_lab import LabError

if TYPE_CHECKING:
    from platter_lab.runs.executor import ExecutorIf

_DASK = "dask://"


def add_place(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="runs at a time, at most; default: this machine's cores. "
                        "With dask://HOST:PORT the threads of its workers")
    parser.add_argument("--on", default="local", metavar="PLACE", help="where runs are carried out: local (default), dask://HOST:PORT (a scheduler "
                        "that is there), slurm")
    parser.add_argument("--slurm", action="append", default=[], metavar="KEY=VALUE", help="of a job: partition, account, walltime, memory, cores, ... as "
                        "jobqueue.slurm of Dask's configuration has them, over that")
    parser.add_argument("--wait", type=float, metavar="SECONDS", help="for the first worker; default: 60, in the queue of Slurm 600")
    parser.add_argument("--limit", type=float, metavar="SECONDS", help="for a run, which fails if it takes longer")


def expect_place(arguments: argparse.Namespace) -> None:
    """LabError where the options do not fit."""
    if arguments.jobs < 1:
        raise LabError(f"--jobs: found {arguments.jobs}, expected at least 1")
    for option in ("limit", "wait"):
        value = getattr(arguments, option)
        if value is not None and not value > 0:
            raise LabError(f"--{option}: found {value}, expected seconds above 0")
    host, _, port = arguments.on.removeprefix(_DASK).rpartition(":")
    if arguments.on not in ("local", "slurm") and not (arguments.on.startswith(_DASK) and host and port.isdigit()):
        raise LabError(f"--on: found {arguments.on}, expected local, {_DASK}HOST:PORT or slurm")
    if arguments.slurm and arguments.on != "slurm":
        raise LabError(f"--slurm: found {arguments.slurm[0]} with --on {arguments.on}; expected --on slurm")


def executor_of(arguments: argparse.Namespace, platter: Path) -> contextlib.AbstractContextManager[ExecutorIf]:
    """Where `--on` says. What is missing there is a LabError when it is entered."""
    from platter_lab.runs.executor import LocalProcesses   # the command line is read without it

    place = arguments.on
    if place == "local":
        return contextlib.nullcontext(LocalProcesses(arguments.jobs))
    from platter_lab.runs import farm   # Dask is loaded when it is needed

    if place == "slurm":
        return farm.slurm_farm(arguments.slurm, platter, arguments.cache, arguments.jobs, arguments.wait)
    return farm.dask_farm(place.removeprefix(_DASK), platter, arguments.cache, arguments.wait)
