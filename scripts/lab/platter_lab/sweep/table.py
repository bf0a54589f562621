# SPDX-License-Identifier: Apache-2.0
"""The results of a sweep as a table."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from rich.table import Table as Screen

from platter_lab.files import write_bytes, write_parquet
from platter_lab.runs.job import Failure
from platter_lab.statistics import (
    ABSENT,
    Interval,
    interval,
    interval_of_known,
    interval_text,
    paired_ratio,
)
from platter_lab.sweep.metrics import value_of
from platter_lab.sweep.plan import Configuration, Plan

# By configuration, in the order of the seeds.
Outcomes = Mapping[Configuration, Sequence[dict[str, Any] | Failure]]


class Table:
    """A row a run.

    Of each metric M: `M`, and of its configuration `M mean`, `M low`, `M high` over the seeds whose
    runs have a value (95 %), and `M none`, the number of runs that ended well without one; with a
    comparison `M ratio`, `M ratio low`, `M ratio high`, the mean of the ratios to the baseline's
    run with the same seed, over the seeds where both have a value; none where the baseline is 0 in
    one of these. What has no value is null.
    """

    def __init__(self, plan: Plan, outcomes: Outcomes) -> None:
        self._plan = plan
        self._values = {
            configuration: {
                metric.name: [
                    math.nan if isinstance(one, Failure) else value_of(one, metric) for one in runs
                ]
                for metric in plan.metrics
            }
            for configuration, runs in outcomes.items()
        }
        self._outcomes = outcomes
        self.zeros = dict.fromkeys((metric.name for metric in plan.metrics), 0)  # no ratio for them
        self.means = {
            configuration: {name: interval_of_known(values) for name, values in metrics.items()}
            for configuration, metrics in self._values.items()
        }
        self.none = {
            configuration: {
                name: sum(
                    math.isnan(one) and not isinstance(run, Failure)
                    for one, run in zip(values, outcomes[configuration], strict=True)
                )
                for name, values in metrics.items()
            }
            for configuration, metrics in self._values.items()
        }
        self.ratios = {
            configuration: ratios
            for configuration in outcomes
            if (ratios := self._ratio(configuration))
        }

    def _ratio(self, configuration: Configuration) -> dict[str, Interval]:
        compare = self._plan.compare
        if compare is None:
            return {}
        number = [axis.name for axis in self._plan.axes].index(compare.axis)
        wanted = (
            *configuration.labels[:number],
            compare.baseline,
            *configuration.labels[number + 1 :],
        )
        base = next((one for one in self._outcomes if one.labels == wanted), None)
        if base is None:
            return {}

        ratios = {}
        for name, values in self._values[configuration].items():
            both = [
                (above, below)
                for above, below in zip(values, self._values[base][name], strict=True)
                if not math.isnan(above) and not math.isnan(below)
            ]
            self.zeros[name] += any(below == 0 for _, below in both)
            ratios[name] = paired_ratio([above for above, _ in both], [below for _, below in both])
        return ratios

    def frame(self) -> pl.DataFrame:
        rows = []
        for configuration, runs in self._outcomes.items():
            for number, (seed, one) in enumerate(zip(self._plan.seeds, runs, strict=True)):
                failed = isinstance(one, Failure)
                row = {
                    axis.name: label
                    for axis, label in zip(self._plan.axes, configuration.labels, strict=True)
                }
                row |= {
                    "seed": seed,
                    "status": "failed" if failed else "good",
                    "message": one.message if isinstance(one, Failure) else "",
                }
                if self._plan.requests:
                    row["requests"] = "" if isinstance(one, Failure) else one["requests"]
                for name, values in self._values[configuration].items():
                    row |= {
                        name: _or_null(values[number]),
                        **_columns(name, "mean", self.means[configuration][name]),
                        f"{name} none": self.none[configuration][name],
                    }
                    if self._plan.compare:
                        nothing = interval([])
                        row |= _columns(
                            f"{name} ratio",
                            "",
                            self.ratios.get(configuration, {}).get(name, nothing),
                        )
                rows.append(row)
        mixed = {
            axis.name: pl.String
            for axis in self._plan.axes
            if len({_kind(step.label) for step in axis.steps}) > 1
        }
        rows = [
            {key: str(value) if key in mixed else value for key, value in row.items()}
            for row in rows
        ]
        floats = {
            axis.name: pl.Float64
            for axis in self._plan.axes
            if {type(step.label) for step in axis.steps} == {int, float}
        }
        numbers = {
            name: pl.Float64
            for metric in self._plan.metrics
            for name in metric.columns()
            if name in rows[0]
        }
        counts = {f"{metric.name} none": pl.Int64 for metric in self._plan.metrics}
        return pl.DataFrame(
            rows,
            schema_overrides={**mixed, **floats, **numbers, **counts, "seed": pl.UInt64},
            infer_schema_length=None,
        )

    def write(self, path: Path, units: Mapping[str, str]) -> None:
        """Parquet, whose metadata `platter.sweep` is JSON with the axes and the metrics' units, or
        CSV by the name's end. Whole or not at all.
        """
        if path.suffix == ".csv":
            write_bytes(path, self.frame().write_csv().encode())
        else:
            about = {
                "scenario": self._plan.scenario.name,
                "axes": [axis.name for axis in self._plan.axes],
                "units": dict(units),
                "compare": vars(self._plan.compare) if self._plan.compare else None,
            }
            write_parquet(self.frame(), path, {"platter.sweep": json.dumps(about, sort_keys=True)})

    def screen(self, units: Mapping[str, str]) -> Screen:
        """A row a configuration.

        A mean that not every run has a value for says how many have none.
        """
        table = Screen(box=None, pad_edge=False)
        for axis in self._plan.axes:
            table.add_column(axis.name, no_wrap=True)
        for name, unit in units.items():
            table.add_column(
                f"{name} [{unit}]".replace("[", r"\[") if unit else name,
                justify="right",
                no_wrap=True,
            )
            if self._plan.compare:
                table.add_column("ratio", justify="right", no_wrap=True)
        if any(isinstance(one, Failure) for runs in self._outcomes.values() for one in runs):
            table.add_column("failed", justify="right")
        for configuration, runs in self._outcomes.items():
            cells = [str(label) for label in configuration.labels]
            for name in units:
                cells.append(_cell(self.means[configuration][name], self.none[configuration][name]))
                if self._plan.compare:
                    cells.append(_cell(self.ratios.get(configuration, {}).get(name)))
            cells.append(str(sum(isinstance(one, Failure) for one in runs) or ""))
            table.add_row(*cells[: len(table.columns)])
        return table


def _kind(label: object) -> str:
    return "text" if isinstance(label, str) else "number"


def _or_null(value: float) -> float | None:
    return None if math.isnan(value) else value


def _columns(name: str, mean: str, value: Interval) -> dict[str, float | None]:
    return {
        f"{name} {mean}".strip(): _or_null(value.mean),
        f"{name} low": _or_null(value.low),
        f"{name} high": _or_null(value.high),
    }


def _cell(value: Interval | None, none: int = 0) -> str:
    if value is None or math.isnan(value.mean):
        return ABSENT
    known = interval_text(value) if math.isfinite(value.high - value.low) else f"{value.mean:.4g}"
    return f"{known} ({none} none)" if none else known
