# SPDX-License-Identifier: Apache-2.0
"""The report of several runs: each beside the first one."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import polars as pl

from platter_lab import LabError
from platter_lab.model import Run
from platter_lab.report import charts, look
from platter_lab.report.inputs import RunInput
from platter_lab.report.page import Cell, Page, mean_and_half, number, table
from platter_lab.report.run_page import (
    energy_section,
    errors_section,
    no_schema,
    nothing_completed,
    what_ran,
)
from platter_lab.report.shape import classes_in, finite, has_responses
from platter_lab.report.statistics_table import Schema, settings, statistics
from platter_lab.statistics import ABSENT, Interval, interval

MOST_RUNS = len(look.SERIES)
BATCHES = 30


def _labels(given: Sequence[RunInput]) -> list[str]:
    """The shortest that tell the runs apart: their policies, else their files."""
    for labels in (
        [str(one.configuration.get("policy", "")) for one in given],
        [one.file.stem for one in given],
        [str(one.file) for one in given],
    ):
        if len(set(labels)) == len(labels):
            return labels
    return [f"run {i}" for i in range(1, len(given) + 1)]


def mean_difference(differences: pl.DataFrame) -> Interval:
    """Of one class.

    Response times that follow each other hang together, so the interval is that of the means over
    batches of requests in the order of issue; without at least ten requests a batch there is none.
    """
    values = differences.sort("issued_s", "number")["difference_ms"].to_numpy()
    batches = min(BATCHES, len(values) // 10)
    if not len(values):
        return interval([])
    known = interval(
        [float(batch.mean()) for batch in np.array_split(values, batches)] if batches else []
    )
    mean = float(values.mean())
    half = (known.high - known.low) / 2 if batches > 1 else math.inf
    return Interval(mean, mean - half, mean + half, len(values))


def _said(name: str, baseline: str, cls: str, mean: Interval) -> str:
    if mean.low <= 0 <= mean.high:
        return (
            f"{name}: no difference shown for {cls} requests, "
            f"{'+' * (mean.mean > 0)}{number(mean.mean, 3)} ms"
        )
    by = (
        mean_and_half(abs(mean.mean), (mean.high - mean.low) / 2)
        if math.isfinite(mean.high)
        else number(abs(mean.mean), 3)
    )
    return (
        f"{name} answers {cls} requests {by} ms {'faster' if mean.mean < 0 else 'slower'} than "
        f"{baseline} in the mean"
    )


def _mean(values: pl.Series) -> float | None:
    mean = values.mean()
    return mean if isinstance(mean, float) else None


def _paired(page: Page, runs: dict[str, Run], baseline: str) -> None:
    page.section("Paired differences")
    frames: dict[str, pl.DataFrame] = {}
    rows: list[list[Cell]] = []
    told: list[str] = []
    for name, run in runs.items():
        if name == baseline:
            continue
        try:
            frames[name] = charts.differences(runs[baseline], run)
        except LabError as error:
            page.note(f"{name} and {baseline}: there is no paired difference: {error}.")
            continue
        for cls in charts.classes_of(frames[name]):
            of = frames[name].filter(pl.col("class") == cls)
            mean = mean_difference(of)
            told.append(_said(name, baseline, cls, mean))
            values = of["difference_ms"]
            rows.append(
                [
                    name,
                    cls,
                    of.height,
                    _mean(of["response_ms"]),
                    _mean(of["response_ms_other"]),
                    mean.mean,
                    f"{number(mean.low)} … {number(mean.high)}" if math.isfinite(mean.low) else "–",
                    *(values.quantile(q, "nearest") for q in (0.05, 0.5, 0.95)),
                    f"{_mean(values < 0):.0%}",
                    f"{_mean(values == 0):.0%}",
                ]
            )
    if not frames:
        return
    page.figure(
        "; ".join(told[:4]),
        charts.paired(frames, list(runs)),
        f"The same request in both runs: response time minus that under {baseline}, left of 0 "
        "faster; the scale is linear to 1 ms, logarithmic beyond. Requests that both completed "
        "in the measured time. The interval (95%) is Student's t over the means of at most "
        f"{BATCHES} batches of requests in the order of issue.",
    )
    page.markup(
        table(
            [
                "run",
                "class",
                "requests",
                f"{baseline} [ms]",
                "mean [ms]",
                "difference [ms]",
                "95% interval [ms]",
                "p5 [ms]",
                "p50 [ms]",
                "p95 [ms]",
                "faster",
                "equal",
            ],
            rows,
            name="differences",
            searched=False,
        )
    )


def compare_page(given: Sequence[RunInput], schema: Schema | None) -> Page:
    """LabError where the runs have different kinds of host, or there are too many of them."""
    kinds = Counter(one.configuration["host"]["kind"] for one in given)
    if len(kinds) > 1:
        other = next(
            one
            for one in given
            if one.configuration["host"]["kind"] != given[0].configuration["host"]["kind"]
        )
        raise LabError(
            f"{other.file}: host.kind: found {other.configuration['host']['kind']}, expected "
            f"{given[0].configuration['host']['kind']}, as in {given[0].file}"
        )
    if len(given) > MOST_RUNS:
        raise LabError(f"found {len(given)} results, expected at most {MOST_RUNS}")
    names = _labels(given)
    baseline = names[0]
    runs = {name: one.run for name, one in zip(names, given, strict=True)}
    page = Page(
        " against ".join(reversed(names))
        if len(names) == 2
        else f"{len(names)} runs, the first of them {baseline}",
        "Platter · comparison",
        f"the baseline is {baseline}: {what_ran(given[0].configuration)}",
    )
    for name, run in runs.items():
        for cls in look.CLASSES:
            if has_responses(one := classes_in(run.result).get(cls)):
                page.tiles.append(
                    (
                        f"{name}: {cls}",
                        f"{number(one['response_ms']['p99'], 3)} ms",
                        f"p99; mean {number(one['response_ms']['mean'], 3)} ms",
                    )
                )

        page.tiles += [
            (f"{name}: {line.partition(': ')[0]}", ABSENT, line.partition(": ")[2].rstrip("."))
            for line in nothing_completed(run.result)
        ]

    configurations = [settings(one.configuration) for one in given]
    keys = [
        key
        for key in dict.fromkeys(key for one in configurations for key in one)
        if len({one.get(key, "") for one in configurations}) > 1
    ]
    page.section("What differs")
    differing = [
        ["file", *(one.file.name for one in given)],
        *([key, *(one.get(key, "") for one in configurations)] for key in keys),
    ]
    page.markup(table(["key", *names], differing, name="keys", searched=False))

    logged = {
        name: run
        for name, run in runs.items()
        if run.requests is not None and not charts.served(run).is_empty()
    }
    if len(logged) > 1:
        page.section("Response times")
        page.figure(
            "Distributions of the response times, by class",
            charts.responses(logged),
            f"Requests that completed in the measured time. At most {charts.CDF_POINTS} exact "
            "points of each line are drawn.",
        )
        if any("parts_ms" in one for one in classes_in(runs[baseline].result).values()):
            page.figure(
                "Where the time of the mean request went",
                charts.parts(runs),
                "The parts sum to the mean response time.",
            )
        if baseline in logged:
            _paired(page, logged, baseline)
    lines = [
        f"{name}, {line}" for name, run in runs.items() for line in nothing_completed(run.result)
    ]
    if lines and len(logged) <= 1:
        page.section("Response times")
    for line in lines:
        page.note(line)
    missing = [name for name in names if name not in logged]
    if missing:
        page.note(
            "These runs have no log of requests, so there are no distributions and paired "
            f"differences of them: {', '.join(missing)}."
        )

    energy_section(page, runs)
    errors_section(page, runs)
    page.section("Statistics")
    no_schema(page, schema)
    found = [statistics(one.run.result, schema) for one in given]
    rows: list[list[Cell]] = []
    for name in dict.fromkeys(name for one in found for name in one):
        there = [one.get(name) for one in found]
        values = [one.value if one else None for one in there]
        if name.startswith("host.") or any(
            isinstance(value, str) and ", " in value for value in values
        ):  # of the machine; lists
            continue
        first = next(one for one in there if one)
        row: list[Cell] = [
            name,
            *(
                ABSENT if one and one.value is None else value
                for one, value in zip(there, values, strict=True)
            ),
        ]
        for value in values[1:]:
            base = values[0]
            if finite(value) and finite(base):
                row += [value - base, f"{value / base - 1:+.1%}" if base else ""]
            else:
                row += [None, None]
        rows.append([*row, first.unit, first.meaning])
    headings = [heading for name in names[1:] for heading in (f"{name} − {baseline}", "%")]
    page.markup(table(["statistic", *names, *headings, "unit", "meaning"], rows, name="statistics"))
    return page
