# SPDX-License-Identifier: Apache-2.0
"""The report of a sweep."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import polars as pl

from platter_lab import LabError
from platter_lab.pareto import front_of
from platter_lab.report import table_charts
from platter_lab.report.inputs import SweepInput, expect_columns
from platter_lab.report.page import Cell, Page, Raw, mean_and_half, number, table, text
from platter_lab.report.table_charts import MOST_COLOURS, Column, Row
from platter_lab.statistics import ABSENT

MOST_ROWS = 5000  # of the table
MOST_METRICS = 8  # with charts of their own
Pair = tuple[str, ...]


def _finite(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


class _Configurations:
    """A row a configuration, with the keys that charts use."""

    def __init__(self, given: SweepInput) -> None:
        frame, about = given.frame, given.about
        self.names: list[str] = list(about["axes"])
        if not self.names:
            raise LabError(
                f"{given.file}: metadata platter.sweep: axes: found none; expected the table of "
                "`platter-lab sweep`"
            )
        units = about.get("units")
        if not isinstance(units, dict) or not units:
            raise LabError(
                f"{given.file}: metadata platter.sweep: found no units; expected those of the "
                "metrics, by name"
            )
        units = {
            name: str(units[name] or "")
            for name in sorted(
                units, key=lambda name: frame.columns.index(name) if name in frame.columns else -1
            )
        }
        self.compare = about.get("compare") or None
        wanted = [
            *self.names,
            "seed",
            "status",
            "message",
            *(f"{name}{end}" for name in units for end in ("", " mean", " low", " high")),
        ]
        if missing := [name for name in wanted if name not in frame.columns]:
            raise LabError(
                f"{given.file}: has no column {missing[0]}; expected the table of `platter-lab "
                "sweep`"
            )
        expect_columns(
            given,
            texts=("status", "message"),
            numbers=(
                "seed",
                *(
                    f"{name}{end}"
                    for name in units
                    for end in (
                        "",
                        " mean",
                        " low",
                        " high",
                        " none",
                        " ratio",
                        " ratio low",
                        " ratio high",
                    )
                ),
            ),
        )
        if frame.is_empty():
            raise LabError(f"{given.file}: has no row; expected a row for each run")
        grouped = frame.group_by(self.names, maintain_order=True).agg(
            pl.exclude("seed", "status").first(),
            pl.len().alias(" runs"),
            (pl.col("status") != "good").sum().alias(" failed"),
        )
        self.rows: list[dict[str, Any]] = []
        for one in grouped.iter_rows(named=True):
            row = {f"a{i}": one[name] for i, name in enumerate(self.names)} | {
                "runs": one[" runs"],
                "failed": one[" failed"],
            }
            for i, name in enumerate(units):
                row[f"n{i}"] = one.get(f"{name} none") or 0
                for key, part in (("", "mean"), ("_low", "low"), ("_high", "high")):
                    row[f"m{i}{key}"] = _finite(one[f"{name} {part}"])
                    if self.compare:
                        row[f"r{i}{key}"] = _finite(
                            one.get(f"{name} ratio{f' {part}' if key else ''}")
                        )
            row["label"] = ", ".join(f"{name} {one[name]}" for name in self.names)
            self.rows.append(row)
        self.axes = [
            table_charts.column(f"a{i}", name, "", [row[f"a{i}"] for row in self.rows])
            for i, name in enumerate(self.names)
        ]
        self.metrics = [
            table_charts.column(f"m{i}", name, units[name], [row[f"m{i}"] for row in self.rows])
            for i, name in enumerate(units)
        ]
        ratios = [
            table_charts.column(
                f"r{i}", f"{name}, ratio", "", [row.get(f"r{i}") for row in self.rows]
            )
            for i, name in enumerate(units)
        ]
        self.ratios = [one for one in ratios if one.values]

    def metric(self, name: str, option: str) -> Column:
        for one in self.metrics:
            if one.name == name:
                return one
        raise LabError(
            f"{option}: found {name}, expected one of the sweep's metrics: "
            f"{', '.join(one.name for one in self.metrics)}"
        )


def _roles(axes: Sequence[Column]) -> tuple[Column, Column | None, list[Column]]:
    """Which axis lies along the chart, which one is the colour, and the others."""
    along = max(axes, key=lambda one: (one.numeric and len(one.values) > 1, len(one.values)))
    rest = [one for one in axes if one is not along and len(one.values) > 1]
    coloured = [one for one in rest if len(one.values) <= MOST_COLOURS]
    colour = max(coloured, key=lambda one: (not one.numeric, len(one.values))) if coloured else None
    return along, colour, [one for one in rest if one is not colour]


def _least(rows: Sequence[Row], metric: Column, maximised: bool) -> str:
    there = [row for row in rows if row[metric.key] is not None]
    if not there:
        return f"{metric.name}: no data"
    values = [row[metric.key] for row in there]
    if min(values) == max(values):
        return f"{metric.name} is {number(values[0], 3)} {metric.unit}".rstrip() + " everywhere"
    best = (max if maximised else min)(there, key=lambda row: row[metric.key])
    return (
        f"{metric.name} is {'highest' if maximised else 'lowest'} at {best['label']}: "
        f"{number(best[metric.key], 3)} {metric.unit}"
    ).rstrip()


def _others_said(others: Sequence[Column]) -> str:
    return f" Choose {' and '.join(one.name for one in others)} below the chart." if others else ""


def _pairs(known: _Configurations, pairs: Sequence[Pair]) -> list[tuple[Column, Column]]:
    if pairs:
        found = [(known.metric(a, "--pareto"), known.metric(b, "--pareto")) for a, b in pairs]
        if same := next((a for a, b in found if a is b), None):
            raise LabError(f"--pareto: found {same.name} twice, expected two metrics")
        return found
    return list(
        itertools.combinations([one for one in known.metrics if len(one.values) > 1][:3], 2)
    )


def _interval(row: Row, key: str) -> Cell:
    if row[key] is None:
        return ABSENT
    low, high = row[f"{key}_low"], row[f"{key}_high"]
    mean = (
        number(row[key])
        if low is None or high is None
        else mean_and_half(row[key], (high - low) / 2)
    )
    none = row.get(key.replace("m", "n"), 0) if key.startswith("m") else 0
    return Raw(text(mean + (f" ({none} none)" if none else "")), row[key])


def _absent(rows: Sequence[Row], metrics: Sequence[Column]) -> list[str]:
    """A line for each metric that some run has no value of."""
    lines = []
    for one in metrics:
        nothing = sum(row[one.key] is None for row in rows)
        some = sum(row[one.key] is not None and row[one.key.replace("m", "n")] > 0 for row in rows)
        if nothing or some:
            lines.append(
                (
                    f"{one.name}: {nothing} of {len(rows)} configurations have no value, since "
                    "nothing was measured in any run or all failed"
                )
                + (f"; {some} have one over some of their seeds, as the table says" if some else "")
                + "."
            )
    return lines


def sweep_page(
    given: SweepInput, pairs: Sequence[Pair] = (), maximised: Sequence[str] = ()
) -> Page:
    known = _Configurations(given)
    up = {known.metric(name, "--maximise").key for name in maximised}
    drawn_pairs = _pairs(known, pairs)
    rows, frame = known.rows, given.frame
    failed = frame.filter(pl.col("status") != "good")
    page = Page(
        f"Sweep {given.file.name}",
        "Platter · sweep",
        f"scenario {given.about.get('scenario', '?')}; axes: " + ", ".join(known.names),
    )
    page.tiles += [
        (
            "configurations",
            number(len(rows)),
            " × ".join(f"{len(one.values)} {one.name}" for one in known.axes),
        ),
        ("runs", number(frame.height), f"{frame['seed'].n_unique()} seeds each"),
        ("failed", number(failed.height), "runs"),
    ]
    page.tiles += [
        (
            f"{'highest' if one.key in up else 'lowest'} {one.name}",
            f"{number((max if one.key in up else min)(one.values), 3)} {one.unit}",
            "mean over seeds",
        )
        for one in known.metrics[:3]
        if one.values
    ]

    along, colour, others = _roles(known.axes)
    intervals = (
        "Points are means over the seeds; bars are 95% confidence intervals (Student's t)."
        if frame["seed"].n_unique() > 1
        else "One seed: no confidence intervals."
    )
    varied = [one for one in known.metrics if len(one.values) > 1]
    shown = varied[:MOST_METRICS]
    page.section("Metrics")
    for line in _absent(rows, known.metrics):
        page.note(line)
    if same := [one for one in known.metrics if one not in varied]:
        page.note(". ".join(_least(rows, one, False) for one in same) + ".")
    if len(varied) > len(shown):
        page.note(
            f"{len(shown)} of {len(varied)} metrics that vary have charts. All are in the table."
        )
    for one in shown:
        page.figure(
            _least(rows, one, one.key in up),
            table_charts.against(rows, along, one, colour, others),
            intervals + _others_said(others),
            half=True,
        )
    if known.compare:
        page.section("Against the baseline")
        for one in known.ratios[:MOST_METRICS]:
            page.figure(
                f"{one.name} to {known.compare['axis']} = {known.compare['baseline']}",
                table_charts.against(rows, along, one, colour, others, level=1.0),
                (
                    "Means of the ratios of runs with the same seed, hence the same load, with 95% "
                    "confidence intervals."
                )
                + _others_said(others),
                half=True,
            )
    several = sorted(
        (one for one in known.axes if len(one.values) > 1), key=lambda one: -len(one.values)
    )
    if len(several) > 1:
        page.section("Heat maps")
        x, y = sorted(several[:2], key=lambda one: not one.numeric)
        for one in shown:
            page.figure(
                f"{one.name} over {x.name} and {y.name}",
                table_charts.heat(rows, x, y, one, several[2:]),
                "Means over the seeds."
                + (
                    " A blank cell has no value."
                    if any(row[one.key] is None for row in rows)
                    else ""
                )
                + _others_said(several[2:]),
                half=True,
            )
    if drawn_pairs:
        page.section("Pareto fronts")
        for a, b in drawn_pairs:
            on = front_of(rows, (a.key, a.key in up), (b.key, b.key in up))
            page.figure(
                f"{sum(on)} of {len(rows)} configurations are on the Pareto front of {a.name} and "
                f"{b.name}",
                table_charts.fronts(rows, a, b, on, on, known.axes, "label"),
                " and ".join(
                    f"{'more' if one.key in up else 'less'} of {one.name}" for one in (a, b)
                ).capitalize()
                + (
                    " is better. No configuration has a better mean in both. Intervals are drawn; "
                    "the front does not take them into account."
                ),
                half=True,
            )
    dimensions = [*several[::-1], *shown]
    if len(dimensions) > 1:
        page.section("Parallel coordinates")
        shade = colour or (along if len(along.values) <= MOST_COLOURS else dimensions[-1])
        chart, lines = table_charts.parallel(rows, dimensions, shade)
        drawn = (
            f"{lines} of {len(rows)} configurations are drawn, in equal steps of the table. "
            if lines < len(rows)
            else ""
        )
        page.figure(
            "Each line is a configuration",
            chart,
            drawn
            + (
                f"Metrics are means over the seeds. The colour is {shade.name}. Point at a line "
                "to see its values."
            ),
        )
    page.section("Table")
    columns = [
        *known.names,
        *(one.title for one in known.metrics),
        *(one.name for one in known.ratios),
        "runs",
        "failed",
    ]
    shown = [*known.metrics, *known.ratios]
    page.markup(
        table(
            columns,
            [
                [
                    *(row[one.key] for one in known.axes),
                    *(_interval(row, one.key) for one in shown),
                    row["runs"],
                    row["failed"],
                ]
                for row in rows[:MOST_ROWS]
            ],
            name="configurations",
        )
    )
    if len(rows) > MOST_ROWS:
        page.note(f"The first {MOST_ROWS} of {len(rows)} configurations.")
    page.section("Failures")
    if failed.is_empty():
        page.note("No run failed.")
    else:
        columns = [*known.names, "seed", "message"]
        page.markup(
            table(
                columns,
                [list(row) for row in failed.select(columns).head(MOST_ROWS).iter_rows()],
                name="failed runs",
            )
        )
    return page
