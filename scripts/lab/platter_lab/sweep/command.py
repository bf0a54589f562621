# SPDX-License-Identifier: Apache-2.0
"""What `platter-lab sweep` does with its arguments."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console

from platter_lab import LabError, StudyFailed
from platter_lab.executable import call_platter, find_platter
from platter_lab.files import expect_writable_file
from platter_lab.runs.executor import ExecutorIf, LocalProcesses
from platter_lab.runs.job import Failure
from platter_lab.runs.point import Point
from platter_lab.runs.runner import Runner
from platter_lab.runs.store import Store
from platter_lab.sweep import default_output
from platter_lab.sweep.metrics import expect_metrics
from platter_lab.sweep.plan import Configuration, Plan, read_plan
from platter_lab.sweep.table import Table

_DASK = "dask://"
_LENGTHS = ("sim.warmup_s", "sim.measure_s")


def _points(platter: Path, plan: Plan) -> dict[Configuration, Point]:
    """With the lengths that the axes, or the scenario, give."""
    sim = tomllib.loads(call_platter(platter, ["config", "dump", str(plan.scenario)]))["sim"]
    points = {}
    for configuration in plan.configurations:
        settings = {"sim.warmup_s": sim["warmup_s"], "sim.measure_s": sim["measure_s"], **dict(configuration.settings)}
        try:
            warmup_s, measure_s = (float(settings.pop(key)) for key in _LENGTHS)
        except ValueError as error:
            raise LabError(f"{plan.file}: sim.warmup_s or sim.measure_s: {error}; expected seconds") from error
        points[configuration] = Point(plan.scenario, tuple(settings.items()), warmup_s, measure_s)
    return points


def _executor(arguments: argparse.Namespace, platter: Path) -> contextlib.AbstractContextManager[ExecutorIf]:
    """Where `--on` says. What is missing there is a LabError when it is entered."""
    place = arguments.on
    if place == "local":
        return contextlib.nullcontext(LocalProcesses(arguments.jobs))
    from platter_lab.runs import farm   # Dask is loaded when it is needed

    if place == "slurm":
        return farm.slurm_farm(arguments.slurm, platter, arguments.cache, arguments.jobs, arguments.wait)
    return farm.dask_farm(place.removeprefix(_DASK), platter, arguments.cache, arguments.wait)


def _expect_options(arguments: argparse.Namespace) -> None:
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


@contextlib.contextmanager
def _places(plan: Plan) -> Iterator[None]:
    """What the model refuses of a key that the plan sets is said with its place there."""
    try:
        yield
    except StudyFailed:
        raise
    except LabError as error:
        refused = re.search(r"--set ([\w.-]+)=.*?: \1: (.*)", str(error))
        if not refused or refused.group(1) not in plan.keys():
            raise
        raise LabError(f"{plan.place(refused.group(1))}{refused.group(1)}: {refused.group(2)}\n{error}") from error


def run(arguments: argparse.Namespace) -> int:
    _expect_options(arguments)
    plan = read_plan(arguments.plan)
    output = arguments.output or default_output(arguments.plan)
    if output.suffix not in (".parquet", ".csv"):
        raise LabError(f"{output}: found {output.suffix or 'no ending'}, expected a table that ends in .parquet or .csv")
    expect_writable_file(output, "the table")
    platter = find_platter(arguments.platter)
    units = expect_metrics(platter, plan.file, plan.metrics)
    points = _points(platter, plan)
    store = Store(arguments.cache)
    batches = [(point, plan.seeds) for point in points.values()]
    with _executor(arguments, platter) as executor:
        runner = Runner(platter, store, executor, LocalProcesses(arguments.jobs if arguments.on == "local" else os.cpu_count() or 1))
        with _places(plan):
            if arguments.estimate:
                print(f"{plan.file}: {runner.estimate(batches).text(executor.jobs)}")
                return 0
            outcomes = runner.outcomes(batches, limit_s=arguments.limit or plan.limit_s, logs=plan.requests,
                                       places=[metric.place for metric in plan.metrics])
    table = Table(plan, {configuration: outcomes[point] for configuration, point in points.items()})
    table.write(output, units)
    Console(width=None if sys.stdout.isatty() else 200).print(table.screen(units))
    failures = [one for runs in outcomes.values() for one in runs if isinstance(one, Failure)]
    print(f"{output}: {len(plan.configurations)} configurations, {len(plan.configurations) * len(plan.seeds)} runs, {len(failures)} failed")
    for one in failures[:10]:
        print(f"failed: {one.message}", file=sys.stderr)
    if failures:
        raise StudyFailed(f"{len(failures)} runs failed, as the table says; a further call tries them again")
    return 0
