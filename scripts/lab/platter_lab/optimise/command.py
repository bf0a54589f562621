# SPDX-License-Identifier: Apache-2.0
"""What `platter-lab optimise` does with its arguments."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import Console
from rich.measure import Measurement
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table as Screen

from platter_lab import LabError, StudyFailed
from platter_lab.executable import find_platter, result_schema
from platter_lab.files import expect_writable_file
from platter_lab.optimise import default_output, figure, table
from platter_lab.optimise.search import Configurations, Evaluation, search
from platter_lab.optimise.space import Assignment, Space, read_space
from platter_lab.optimise.study import NOTHING_MEASURED, Record, Study
from platter_lab.runs.executor import ExecutorIf, LocalProcesses, without_bars
from platter_lab.runs.place import executor_of, expect_place
from platter_lab.runs.runner import Runner
from platter_lab.runs.store import Store
from platter_lab.sweep.metrics import expect_measured, expect_metrics

_MOST_PROBED = 8  # trials that an estimate makes short runs of


@contextmanager
def _bar(space: Space, study: Study, goal: int) -> Iterator[Any]:
    """On a terminal: how far the search is, the best of the first objective, failures.

    Call it with what each trial has given.
    """
    console = Console(stderr=True)
    bar = Progress(
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("trials{task.fields[best]}{task.fields[failed]}"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    first = space.objectives[0]
    best: list[float] = []
    failures = 0
    with bar:
        task = bar.add_task(
            "", total=goal, completed=goal - max(0, study.left(goal)), best="", failed=""
        )

        def tell(values: Assignment, record: Record) -> None:
            nonlocal failures
            row = table.rows_of(space, {0: (values, record)})[0]
            if row.feasible:
                best.append(row.values[first.quantity.name].mean)
            failures += record.status == "failed"
            bar.update(
                task,
                completed=goal - max(0, study.left(goal)),
                best=f", {first.quantity.name} at best {(max if first.maximise else min)(best):.4g}"
                if best
                else "",
                failed=f", {failures} failed" if failures else "",
            )

        yield tell


def _expect_files(arguments: argparse.Namespace) -> tuple[Path, Path]:
    """The table and the journal."""
    output = arguments.output or default_output(arguments.space)
    for option in ("figure", "front") if arguments.check else ():
        if getattr(arguments, option):
            raise LabError(f"--{option}: found with --check; expected a search with this option")
    if arguments.check and not arguments.output:
        output = output.with_suffix(".check.parquet")
    if output.suffix not in (".parquet", ".csv"):
        raise LabError(
            f"{output}: found {output.suffix or 'no ending'}, expected a table that ends in "
            ".parquet or .csv"
        )
    if arguments.figure and arguments.figure.suffix not in (".svg", ".png"):
        raise LabError(
            f"{arguments.figure}: found {arguments.figure.suffix or 'no ending'}, expected a "
            "picture that ends in .svg or .png"
        )
    journal = arguments.journal or default_output(arguments.space).with_suffix(".journal")
    if not arguments.estimate:
        expect_writable_file(output, "the table")
        if arguments.figure:
            expect_writable_file(arguments.figure, "the picture")
    if len(
        {
            os.path.realpath(path)
            for path in (output, journal, *([arguments.figure] if arguments.figure else []))
        }
    ) < 2 + bool(arguments.figure):
        raise LabError(f"{journal}: is also another file of this command; expected a separate file")
    return output, journal


def run(arguments: argparse.Namespace) -> int:
    expect_place(arguments)
    if arguments.trials is not None and arguments.trials < 1:
        raise LabError(f"--trials: found {arguments.trials}, expected at least 1")
    space = read_space(arguments.space)
    output, journal = _expect_files(arguments)
    if arguments.check and not space.checks:
        raise space.source.wrong("check", "none", "tables [[check]], which --check needs")
    platter = find_platter(arguments.platter)
    metrics = [one.metric for one in space.quantities if one.metric]
    schema = result_schema(platter)
    units = table.units_of(space, expect_metrics(schema, space.file, metrics))
    configurations = Configurations(space, platter)
    here = LocalProcesses(arguments.jobs if arguments.on == "local" else os.cpu_count() or 1)
    with without_bars():
        configurations.expect_good(here)
    store = Store(arguments.cache)
    goal = arguments.trials or space.trials
    if arguments.check and not journal.exists():
        raise LabError(
            f"{journal}: there is no such file; expected the journal of a search, which a call "
            "without --check writes"
        )
    with executor_of(arguments, platter) as executor:
        runner = Runner(platter, store, executor, here)
        read = map(runner.configuration, configurations.probes())
        expect_measured(schema, space.file, metrics, read)
        with without_bars():
            identity = _identity(space, configurations, runner, here)
        evaluation = Evaluation(
            space, configurations, runner, here, arguments.limit or space.limit_s
        )
        if arguments.estimate:
            begun = Study(space, journal if journal.exists() else None, identity)
            cost = _estimate(space, begun, configurations, runner, executor, goal)
            print(f"{space.file}: {cost}")
            return 0
        study = Study(space, journal, identity)
        if arguments.check:
            return _check(space, study, evaluation, units, output)
        try:
            with _bar(space, study, goal) as tell, without_bars():
                search(study, evaluation, space, goal, tell)
        except OSError as error:
            raise StudyFailed(f"{journal}: {error.strerror}; a further call continues") from error
    rows = table.rows_of(space, study.records())
    front = [row for row in rows if row.front]
    table.write(table.frame_of(space, front if arguments.front else rows), output, space, units)
    if arguments.figure:
        figure.draw(space, units, rows, arguments.figure)
    _print(table.screen(space, units, front))
    if running := study.under_way():
        print(
            f"{journal}: {running} trials still run in other processes; a further call writes "
            "their rows"
        )
    if study.left(goal) > 0:
        tried = goal - study.left(goal)
        print(
            (
                f"{space.file}: all {tried} configurations of the space were tried, fewer than "
                f"{goal} trials"
            )
            if study.exhausted()
            else (
                f"{space.file}: the search found no new configuration after {tried}, which are "
                f"fewer than {goal} trials"
            )
        )
    counts = {
        status: sum(row.record.status == status for row in rows)
        for status in ("failed", "refused", "infeasible")
    }
    said = "".join(f", {count} {status}" for status, count in counts.items() if count)
    print(
        f"{output}: {len(rows)} trials, {sum(row.feasible for row in rows)} keep all constraints, "
        f"{len(front)} on the front{said}"
    )
    for row in [row for row in rows if row.record.message.startswith(NOTHING_MEASURED)][:10]:
        print(f"trial {row.trial} is infeasible: {row.record.message}", file=sys.stderr)
    failed = [row for row in rows if row.record.status == "failed"]
    for row in failed[:10]:
        print(f"trial {row.trial} failed: {row.record.message}", file=sys.stderr)
    if failed:
        raise StudyFailed(f"{len(failed)} trials failed; the table names them")
    return 0


def _print(what: Screen) -> None:
    """As wide as it needs: a terminal breaks lines that are too long, where a narrower table would
    lose its cells.
    """
    console = Console()
    needed = Measurement.get(console, console.options.update(max_width=1000), what).maximum
    Console(width=max(console.width, needed)).print(what)


def _identity(
    space: Space, configurations: Configurations, runner: Runner, here: ExecutorIf
) -> dict[str, str]:
    """What makes trials of one search.

    A change of anything else (trials, checks, the limit of a run) leaves it the same search.
    """
    probes = list(dict.fromkeys(configurations.probes()))
    return {
        "executable, scenario or files that it or a value names": Store.key(
            here.map(runner.digest, probes, "scenarios")
        ),
        "keys in [set]": Store.key(space.common),
        "parameters": Store.key(
            [[one.name, one.key, repr(one.domain), one.when] for one in space.parameters]
        ),
        "objectives": Store.key(
            [[one.quantity.what(), one.maximise, one.resolution] for one in space.objectives]
        ),
        "constraints": Store.key(
            [[one.quantity.what(), one.at_most, one.at_least] for one in space.constraints]
        ),
        "seeds": Store.key(space.seeds),
        "sampler": Store.key(repr(space.sampler)),
    }


def _estimate(
    space: Space,
    study: Study,
    configurations: Configurations,
    runner: Runner,
    executor: ExecutorIf,
    goal: int,
) -> str:
    """From short runs of some configurations that a search might try."""
    goal = goal if space.listed is None else min(goal, len(space.listed))
    left = max(0, study.left(goal))
    trials = Study(space, None, {})
    asked = [one for _ in range(min(left, _MOST_PROBED)) if (one := trials.ask(left))]
    points = [configurations.point(configurations.settings(values)) for _, values in asked]
    points = [point for point in points if not configurations.objection(point)]
    with without_bars():
        cpu_s = runner.estimate((point, space.seeds) for point in points).cpu_s if points else 0.0
    cpu_s *= left / len(points) if points else 0.0
    return (
        f"{goal} trials of {len(space.seeds)} runs, {goal - left} of them done; {left} to do, "
        f"{left * len(space.seeds)} runs: {cpu_s:.0f} CPU-seconds, about "
        f"{cpu_s / min(executor.jobs, len(space.seeds) * space.sampler.batch) / 60:.1f} min with "
        f"{executor.jobs} jobs"
    )


def _check(
    space: Space, study: Study, evaluation: Evaluation, units: dict[str, str], output: Path
) -> int:
    """The front again, under each check: which of it stays undominated among itself, with all
    constraints kept.
    """
    found = study.records()
    front = [row.trial for row in table.rows_of(space, found) if row.front]
    if not front:
        raise LabError(
            f"{space.file}: the search has no front yet; expected a call without --check first"
        )
    frames, failures = [], 0
    for check in space.checks:
        with without_bars():
            records = evaluation.records(
                [found[number][0] for number in front], check.seeds, check.settings
            )
        rows = table.rows_of(
            space,
            {
                number: (found[number][0], record)
                for number, record in zip(front, records, strict=True)
            },
        )
        failures += sum(row.record.status == "failed" for row in rows)
        frames.append(table.frame_of(space, rows, {"check": check.name}))
        _print(table.screen(space, units, rows, before="undominated"))
        for row in [row for row in rows if row.record.message.startswith(NOTHING_MEASURED)][:10]:
            print(
                f"{check.name}: trial {row.trial} is infeasible: {row.record.message}",
                file=sys.stderr,
            )
        print(
            f"{check.name}: {sum(row.feasible for row in rows)} of the {len(rows)} configurations "
            f"on the front keep all constraints, and {sum(row.front for row in rows)} of them "
            "stay undominated"
        )
    table.write(pl.concat(frames), output, space, units)
    print(f"{output}: {len(front)} configurations under {len(space.checks)} checks")
    if failures:
        raise StudyFailed(f"{failures} configurations failed; the table names them")
    return 0
