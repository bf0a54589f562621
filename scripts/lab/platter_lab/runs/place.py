# SPDX-License-Identifier: Apache-2.0
"""The options that decide where a study's runs are executed."""

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
    parser.add_argument(
        "--jobs",
        type=int,
        help="largest number of runs at a time; default: the cores of this machine; not with "
        "dask://HOST:PORT, where the workers have as many as they have threads",
    )
    parser.add_argument(
        "--on",
        default="local",
        metavar="PLACE",
        help="where runs are executed: local (default), dask://HOST:PORT (a running "
        "scheduler) or slurm",
    )
    parser.add_argument(
        "--slurm",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help=(
            "setting of the Slurm jobs: partition, account, walltime, memory, cores or another "
            "key of jobqueue.slurm in Dask's configuration, which it overrides; may be repeated"
        ),
    )
    parser.add_argument(
        "--wait",
        type=float,
        metavar="SECONDS",
        help="longest wait for the first worker; default: 60, with Slurm 600",
    )
    parser.add_argument(
        "--limit",
        type=float,
        metavar="SECONDS",
        help="longest time of a run, which fails if it takes longer",
    )


def expect_place(arguments: argparse.Namespace) -> None:
    """Sets what is not given. LabError where the options do not fit."""
    if arguments.jobs is None:
        arguments.jobs = os.cpu_count() or 1
    elif arguments.jobs < 1 or arguments.on.startswith(_DASK):
        raise LabError(
            f"--jobs: found {arguments.jobs} with --on {arguments.on}, expected at least 1, and "
            f"none with {_DASK}HOST:PORT"
        )
    for option in ("limit", "wait"):
        value = getattr(arguments, option)
        if value is not None and not value > 0:
            raise LabError(f"--{option}: found {value}, expected seconds above 0")
    host, _, port = arguments.on.removeprefix(_DASK).rpartition(":")
    if arguments.on not in ("local", "slurm") and not (
        arguments.on.startswith(_DASK) and host and port.isdigit()
    ):
        raise LabError(f"--on: found {arguments.on}, expected local, {_DASK}HOST:PORT or slurm")
    if arguments.slurm and arguments.on != "slurm":
        raise LabError(
            f"--slurm: found {arguments.slurm[0]} with --on {arguments.on}; expected --on slurm"
        )


def executor_of(
    arguments: argparse.Namespace, platter: Path
) -> contextlib.AbstractContextManager[ExecutorIf]:
    """Where `--on` says. What is missing there is a LabError when it is entered."""
    from platter_lab.runs.executor import LocalProcesses  # the command line is read without it

    place = arguments.on
    if place == "local":
        return contextlib.nullcontext(LocalProcesses(arguments.jobs))
    from platter_lab.runs import farm  # Dask is loaded when it is needed

    if place == "slurm":
        return farm.slurm_farm(
            arguments.slurm, platter, arguments.cache, arguments.jobs, arguments.wait
        )
    return farm.dask_farm(place.removeprefix(_DASK), platter, arguments.cache, arguments.wait)
