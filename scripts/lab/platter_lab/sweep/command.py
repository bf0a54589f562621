# SPDX-License-Identifier: Apache-2.0
"""What `platter-lab sweep` does with its arguments."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from rich.console import Console

from platter_lab import LabError, StudyFailed
from platter_lab.cost.prices import COSTS, Engine, NoPriceError
from platter_lab.executable import find_platter, result_schema
from platter_lab.files import expect_writable_file
from platter_lab.model import log_keepers
from platter_lab.runs.executor import LocalProcesses
from platter_lab.runs.job import Failure
from platter_lab.runs.place import executor_of, expect_place
from platter_lab.runs.point import Point, Scenario
from platter_lab.runs.runner import Runner
from platter_lab.runs.store import Store
from platter_lab.sweep import default_output
from platter_lab.sweep.metrics import expect_measured, expect_metrics
from platter_lab.sweep.plan import Configuration, Plan, read_plan
from platter_lab.sweep.table import Table


def _points(scenario: Scenario, plan: Plan) -> dict[Configuration, Point]:
    """With the lengths that the axes, or the scenario, give."""
    return {
        configuration: scenario.point(configuration.settings, plan.file)
        for configuration in plan.configurations
    }


def _varied(plan: Plan, points: Mapping[Configuration, Point]) -> list[Point]:
    """All, first those that differ from the first in few axes."""

    def moved(configuration: Configuration) -> int:
        return sum(
            label != axis.steps[0].label
            for label, axis in zip(configuration.labels, plan.axes, strict=True)
        )

    return [points[configuration] for configuration in sorted(points, key=moved)]


def _costs(scenario: Scenario, plan: Plan) -> dict[Configuration, dict[str, float]]:
    """What the metrics ask for. LabError where a cost of a configuration is not known."""
    costs: dict[Configuration, dict[str, float]] = {}
    for configuration in plan.configurations:
        costs[configuration] = {}
        for metric in plan.metrics:
            if not metric.cost:
                continue
            try:
                settings = dict(configuration.settings)
                engine = Engine.configured(scenario.with_drive_of(settings), settings)
                costs[configuration][metric.cost] = COSTS[metric.cost].of(engine).value
            except NoPriceError as error:
                raise LabError(
                    f"{plan.file}:{metric.line or ' '}cost {metric.cost}: {error}"
                ) from (error)
    return costs


def _expect_logs(platter: Path, scenario: Scenario, plan: Plan) -> None:
    """LabError where logs are asked for of a host that keeps none."""
    keepers = log_keepers(platter)
    for configuration in plan.configurations:
        kind = dict(configuration.settings).get("host.kind", scenario.configuration["host"]["kind"])
        if not keepers.get(kind, True):
            hosts = ", ".join(name for name, keeps in keepers.items() if keeps)
            raise plan.source.wrong(
                "requests",
                f'true with host.kind = "{kind}", which keeps no log of requests',
                f"false, or one of the hosts {hosts}",
            )


@contextlib.contextmanager
def _places(plan: Plan) -> Iterator[None]:
    """What the model refuses of a key that the plan sets is said with its place there."""
    try:
        yield
    except StudyFailed:
        raise
    except LabError as error:
        refused = re.search(r"--set ([\w.-]+)=.*?: \1: (.*)", str(error))
        if not refused or refused.group(1) not in plan.all_keys():
            raise
        raise LabError(
            f"{plan.place(refused.group(1))}{refused.group(1)}: {refused.group(2)}\n{error}"
        ) from error


def run(arguments: argparse.Namespace) -> int:
    expect_place(arguments)
    plan = read_plan(arguments.plan)
    output = arguments.output or default_output(arguments.plan)
    if output.suffix not in (".parquet", ".csv"):
        raise LabError(
            f"{output}: found {output.suffix or 'no ending'}, expected a table that ends in "
            ".parquet or .csv"
        )
    expect_writable_file(output, "the table")
    platter = find_platter(arguments.platter)
    measured = [metric for metric in plan.metrics if not metric.cost]
    schema = result_schema(platter)
    known = expect_metrics(schema, plan.file, measured)
    units = {
        metric.name: COSTS[metric.cost].unit if metric.cost else known[metric.name]
        for metric in plan.metrics
    }
    scenario = Scenario(platter, plan.scenario)
    if plan.requests:
        _expect_logs(platter, scenario, plan)
    points, costs = _points(scenario, plan), _costs(scenario, plan)
    store = Store(arguments.cache)
    batches = [(point, plan.seeds) for point in points.values()]
    with executor_of(arguments, platter) as executor:
        runner = Runner(
            platter,
            store,
            executor,
            LocalProcesses(arguments.jobs if arguments.on == "local" else os.cpu_count() or 1),
        )
        with _places(plan):
            read = map(runner.configuration, _varied(plan, points))
            expect_measured(schema, plan.file, measured, read)
            if arguments.estimate:
                estimate = runner.estimate(batches, logs=plan.requests)
                print(f"{plan.file}: {estimate.text(executor.jobs)}")
                return 0
            outcomes = runner.outcomes(
                batches,
                limit_s=arguments.limit or plan.limit_s,
                logs=plan.requests,
                places=[metric.place for metric in measured],
            )
    results = {
        configuration: [
            one if isinstance(one, Failure) else one | {"cost": costs[configuration]}
            for one in outcomes[point]
        ]
        for configuration, point in points.items()
    }
    table = Table(plan, results)
    table.write(output, units)
    Console(width=None if sys.stdout.isatty() else 200).print(table.screen(units))
    for metric in plan.metrics:
        if none := sum(counts[metric.name] for counts in table.none.values()):
            print(
                f"{metric.name}: {none} runs have no value, because nothing was measured or the "
                "result does not have it; intervals are over the other seeds"
            )
        if zeros := table.zeros[metric.name]:
            print(
                f"{metric.name}: {zeros} of {len(results)} configurations have no ratio, because "
                "the baseline is 0 in a run"
            )
    failures = [one for runs in outcomes.values() for one in runs if isinstance(one, Failure)]
    print(
        f"{output}: {len(plan.configurations)} configurations, "
        f"{len(plan.configurations) * len(plan.seeds)} runs, {len(failures)} failed"
    )
    for one in failures[:10]:
        print(f"failed: {one.message}", file=sys.stderr)
    if failures:
        raise StudyFailed(
            f"{len(failures)} runs failed; the table names them, and a further call tries them "
            "again"
        )
    return 0
