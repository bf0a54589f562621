# SPDX-License-Identifier: Apache-2.0
"""What `platter-lab sweep` does with its arguments."""

from __future__ import annotations

import argparse
import sys
import tomllib
from pathlib import Path

from rich.console import Console

from platter_lab import LabError, StudyFailed
from platter_lab.executable import call_platter, find_platter
from platter_lab.files import expect_writable_file
from platter_lab.runs.executor import LocalProcesses
from platter_lab.runs.job import Failure
from platter_lab.runs.point import Point
from platter_lab.runs.runner import Runner
from platter_lab.runs.store import Store
from platter_lab.sweep import KEPT
from platter_lab.sweep.metrics import expect_metrics
from platter_lab.sweep.plan import Configuration, Plan, read_plan
from platter_lab.sweep.table import Table

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


def run(arguments: argparse.Namespace) -> int:
    if arguments.jobs < 1:
        raise LabError(f"--jobs: found {arguments.jobs}, expected at least 1")
    if arguments.limit is not None and not arguments.limit > 0:
        raise LabError(f"--limit: found {arguments.limit}, expected seconds above 0")
    plan = read_plan(arguments.plan)
    output = arguments.output or KEPT / f"{arguments.plan.stem}.parquet"
    if output.suffix not in (".parquet", ".csv"):
        raise LabError(f"{output}: found {output.suffix or 'no ending'}, expected a table that ends in .parquet or .csv")
    expect_writable_file(output, "the table")
    platter = find_platter(arguments.platter)
    units = expect_metrics(platter, plan.file, plan.metrics)
    points = _points(platter, plan)
    runner = Runner(platter, Store(arguments.cache), LocalProcesses(arguments.jobs))
    batches = [(point, plan.seeds) for point in points.values()]
    if arguments.estimate:
        print(f"{plan.file}: {runner.estimate(batches).text(arguments.jobs)}")
        return 0
    outcomes = runner.outcomes(batches, limit_s=arguments.limit or plan.limit_s, logs=plan.requests)
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
