# SPDX-License-Identifier: Apache-2.0
"""The results of a search as a table."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
from rich.table import Table as Screen

from platter_lab.cost.prices import COSTS
from platter_lab.files import write_bytes, write_parquet
from platter_lab.optimise.space import Assignment, Quantity, Range, Space
from platter_lab.optimise.study import Record
from platter_lab.pareto import undominated
from platter_lab.statistics import ABSENT, Interval, exact, interval, interval_text


@dataclass(frozen=True)
class Row:
    """A trial."""

    trial: int
    active: Mapping[str, Any]
    record: Record
    values: Mapping[str, Interval]  # of the objectives
    worst: Mapping[str, float]  # of the constraints, over the seeds
    feasible: bool
    front: bool = field(default=False)


def units_of(space: Space, metrics: Mapping[str, str]) -> dict[str, str]:
    """Of each objective and constraint; `metrics` are the result's."""
    return {
        one.name: metrics.get(one.name, COSTS[one.cost].unit if one.cost else "")
        for one in space.quantities
    }


def _interval(quantity: Quantity, record: Record) -> Interval:
    samples = (record.samples or {}).get(quantity.name, [])
    return (
        interval(samples)
        if quantity.metric
        else exact(samples[0], len(samples))
        if samples
        else interval([])
    )


def rows_of(space: Space, trials: Mapping[int, tuple[Assignment, Record]]) -> list[Row]:
    """In the order of the trials.

    The front is of the good ones that keep all constraints; of equal ones the first.
    """
    rows, seen = [], set[Any]()
    for number, (values, record) in sorted(trials.items()):
        worst = {}
        for constraint in space.constraints:
            samples = (record.samples or {}).get(constraint.quantity.name, [])
            worst[constraint.quantity.name] = constraint.worst(samples) if samples else math.nan
        feasible = record.status == "good" and all(
            one.violation([worst[one.quantity.name]]) <= 0 for one in space.constraints
        )
        rows.append(
            Row(
                number,
                space.active(values),
                record,
                {one.quantity.name: _interval(one.quantity, record) for one in space.objectives},
                worst,
                feasible,
            )
        )
    good: list[Row] = []
    points: list[tuple[float, ...]] = []
    for row in (row for row in rows if row.feasible):
        key = tuple(row.active.items())
        point = tuple(one.coarse(row.values[one.quantity.name].mean) for one in space.objectives)
        if key not in seen and point not in points:
            seen.add(key)
            good.append(row)
            points.append(point)
    front = undominated(points, [one.maximise for one in space.objectives])
    best = {row.trial for row, on in zip(good, front, strict=True) if on}
    return [
        Row(
            row.trial,
            row.active,
            row.record,
            row.values,
            row.worst,
            row.feasible,
            row.trial in best,
        )
        for row in rows
    ]


def frame_of(
    space: Space, rows: Sequence[Row], before: Mapping[str, Any] | None = None
) -> pl.DataFrame:
    """A row a trial; `before` are further columns in front."""
    costs = [one.name for one in space.quantities if one.cost]
    lines = []
    for row in rows:
        line: dict[str, Any] = {**(before or {}), "trial": row.trial} | {
            parameter.name: row.active.get(parameter.name) for parameter in space.parameters
        }
        for name, value in row.values.items():
            line |= {
                name: _or_null(value.mean),
                f"{name} low": _or_null(value.low),
                f"{name} high": _or_null(value.high),
            }
        line |= {name: _or_null(value) for name, value in row.worst.items()} | {
            f"{name} source": (row.record.sources or {}).get(name) for name in costs
        }
        lines.append(
            line
            | {
                "status": row.record.status,
                "message": row.record.message,
                "feasible": row.feasible,
                "front": row.front,
            }
        )
    schema: dict[str, Any] = {
        "trial": pl.Int64,
        "message": pl.String,
        "status": pl.String,
        "feasible": pl.Boolean,
        "front": pl.Boolean,
    }
    for parameter in space.parameters:
        if isinstance(parameter.domain, Range):
            schema[parameter.name] = pl.Int64 if parameter.domain.whole else pl.Float64
            continue
        kinds = {type(step.label) for step in parameter.domain}
        schema[parameter.name] = (
            pl.Boolean
            if kinds == {bool}
            else pl.Int64
            if kinds == {int}
            else pl.Float64
            if kinds <= {int, float}
            else pl.String
        )
    for parameter in space.parameters:
        if schema[parameter.name] == pl.String:
            for line in lines:
                line[parameter.name] = (
                    None if line[parameter.name] is None else str(line[parameter.name])
                )
    for one in space.objectives:
        schema |= {f"{one.quantity.name}{end}": pl.Float64 for end in ("", " low", " high")}
    schema |= {one.quantity.name: pl.Float64 for one in space.constraints} | {
        f"{name} source": pl.String for name in costs
    }
    names = [*(before or {}), *schema_order(space, costs)]
    return pl.DataFrame(
        lines, schema={name: schema.get(name, pl.String) for name in names}, strict=False
    )


def _or_null(value: float) -> float | None:
    return None if math.isnan(value) else value


def schema_order(space: Space, costs: Sequence[str]) -> list[str]:
    objectives = [
        f"{one.quantity.name}{end}" for one in space.objectives for end in ("", " low", " high")
    ]
    return [
        "trial",
        *(parameter.name for parameter in space.parameters),
        *objectives,
        *(one.quantity.name for one in space.constraints),
        *(f"{name} source" for name in costs),
        "status",
        "message",
        "feasible",
        "front",
    ]


def about(space: Space, units: Mapping[str, str]) -> dict[str, Any]:
    """What a table's metadata say."""
    return {
        "scenario": space.scenario.name,
        "seeds": list(space.seeds),
        "parameters": [parameter.name for parameter in space.parameters],
        "objectives": [
            {
                "name": one.quantity.name,
                "unit": units[one.quantity.name],
                "direction": one.direction,
            }
            for one in space.objectives
        ],
        "constraints": [
            {
                "name": one.quantity.name,
                "unit": units[one.quantity.name],
                "at_most": one.at_most,
                "at_least": one.at_least,
            }
            for one in space.constraints
        ],
        "costs": [one.name for one in space.quantities if one.cost],
    }


def write(frame: pl.DataFrame, path: Path, space: Space, units: Mapping[str, str]) -> None:
    """Parquet, whose metadata `platter.optimise` is JSON, or CSV by the name's end, with six
    significant digits. Whole or not at all.
    """
    if path.suffix == ".csv":
        write_bytes(
            path, frame.with_columns(pl.col(pl.Float64).round_sig_figs(6)).write_csv().encode()
        )
    else:
        write_parquet(
            frame, path, {"platter.optimise": json.dumps(about(space, units), sort_keys=True)}
        )


def screen(
    space: Space, units: Mapping[str, str], rows: Sequence[Row], *, before: str = ""
) -> Screen:
    """The front, the best of the first objective first.

    A parameter that counts in no row has no column; `~` marks an interpolated cost.
    """
    table = Screen(box=None, pad_edge=False)
    shown = sorted(
        rows,
        key=lambda row: _rank(
            row.values[space.objectives[0].quantity.name].mean, space.objectives[0].maximise
        ),
    )
    parameters = [
        parameter.name
        for parameter in space.parameters
        if any(parameter.name in row.active for row in shown)
    ]
    table.add_column("trial", justify="right")
    for name in parameters:
        table.add_column(name.rsplit(".", 1)[-1], no_wrap=True)
    for one in space.objectives:
        unit = units[one.quantity.name]
        table.add_column(
            f"{one.quantity.name} [{unit}]".replace("[", r"\[") if unit else one.quantity.name,
            justify="right",
            no_wrap=True,
        )
    if before:
        table.add_column(before)
    for row in shown:
        cells = [str(row.trial), *(str(row.active.get(name, "")) for name in parameters)]
        for one in space.objectives:
            name = one.quantity.name
            mark = "~" if (row.record.sources or {}).get(name) == "interpolated" else ""
            cells.append(mark + _cell(row.values[name]))
        if before:
            cells.append("yes" if row.front else "no")
        table.add_row(*cells)
    return table


def _rank(value: float, maximise: bool) -> tuple[bool, float]:
    """The best first, what has no value last."""
    return (True, 0.0) if math.isnan(value) else (False, -value if maximise else value)


def _cell(value: Interval) -> str:
    if math.isnan(value.mean):
        return ABSENT
    if value.low == value.high:
        return f"{value.mean:.6g}"
    return interval_text(value) if math.isfinite(value.high - value.low) else f"{value.mean:.4g}"
