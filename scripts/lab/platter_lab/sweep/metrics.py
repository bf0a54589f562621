# SPDX-License-Identifier: Apache-2.0
"""Numbers of a result, by their path in its JSON."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from platter_lab import LabError
from platter_lab.executable import schema_of_kind
from platter_lab.runs.job import value_at
from platter_lab.sweep.plan_file import Metric

# The names that `NAME` stands for in docs/reference/statistics.md, but those of jobs.
_NAMES = {
    "classes": ("continuous", "discrete", "background"),
    "simulated": ("before", "failing_round", "after"),
}
# The parts that a result has only where one of these keys is set.
_NEEDS = {
    "jobs": ("workload.job",),
    "energy": ("drive.power.spindle_w", "drive.power.electronics_w"),
    "arrivals": ("drive.mechanics.arrival_spread_us", "drive.mechanics.arrival_spread_write_us"),
    "eager": ("eager.enabled",),
    "autoqos": ("autoqos.enabled",),
}


def expect_metrics(schema: dict[str, Any], plan: Path, metrics: Sequence[Metric]) -> dict[str, str]:
    """The unit of each metric, from the schema of results (`result_schema`).

    LabError where there is no such number in any of them.
    """
    units = {}
    for metric in metrics:
        if now := schema.get("renamed", {}).get(".".join(metric.place)):
            raise _wrong(plan, metric, f"; its name is {now} now")
        nodes, objection = _look_up(schema, metric.place)
        if objection:
            raise _wrong(plan, metric, objection)
        if not any({"number", "integer", "boolean"} & set(_types(node)) for node in nodes):
            raise _wrong(
                plan,
                metric,
                ", which is not a number; expected one of those that `platter config statistics` "
                "lists",
            )
        unit = re.search(r"\[([^]]*)\]$", str(nodes[0].get("description", "")))
        units[metric.name] = unit.group(1) if unit else ""
    return units


def expect_measured(
    schema: dict[str, Any],
    plan: Path,
    metrics: Sequence[Metric],
    configurations: Iterable[dict[str, Any]],
) -> None:
    """LabError for a metric that the results of none of these effective configurations can have.
    They are taken until each metric is found.
    """
    missing = dict.fromkeys(metrics, "")
    for configuration in configurations:
        for metric in list(missing):
            missing[metric] = _look_up(schema, metric.place, configuration)[1]
            if not missing[metric]:
                del missing[metric]
        if not missing:
            return
    for metric, objection in missing.items():
        raise _wrong(plan, metric, objection)


def _wrong(plan: Path, metric: Metric, what: str) -> LabError:
    return LabError(
        f"{plan}:{metric.line or ' '}metric {metric.name}: found {'.'.join(metric.place)}{what}"
    )


def _look_up(
    schema: dict[str, Any], place: Sequence[str], configuration: dict[str, Any] | None = None
) -> tuple[list[dict[str, Any]], str]:
    """What a result of this configuration (None: of any) may have at a place, or why it has nothing
    there.
    """
    keys = _NEEDS.get(place[0], ())
    if configuration and keys and not any(value_at(configuration, key.split(".")) for key in keys):
        return [], (
            f", which a result has only with {' or '.join(keys)}; expected one of these keys in "
            "the scenario or set here, or another metric"
        )
    nodes = [schema_of_kind(schema, configuration["host"]["kind"]) if configuration else schema]
    for depth, part in enumerate(place):
        names = _names_below(place[:depth], configuration)
        below = [node for above in nodes for node in _below(above, part, names)]
        if not below:
            there = sorted({name for above in nodes for name in _names(above, names)})
            near = difflib.get_close_matches(part, there, 3) or there[:12]
            above_it = ".".join(place[:depth]) or "a result"
            return [], (
                f', where {above_it} has no "{part}"; expected {", ".join(near) or "a number"} '
                "(all are listed by `platter config statistics`)"
            )
        nodes = below
    return nodes, ""


def _types(node: dict[str, Any]) -> list[str]:
    kind = node.get("type", [])
    return kind if isinstance(kind, list) else [kind]


def _names_below(
    place: Sequence[str], configuration: dict[str, Any] | None
) -> Sequence[str] | None:
    """Those that the schema leaves open there; None: not known."""
    if place == ("jobs",):
        jobs = value_at(configuration or {}, ("workload", "job"))
        return None if configuration is None else [job["name"] for job in jobs]
    return _NAMES.get(place[-1]) if place else None


def _alternatives(node: Any) -> Iterator[dict[str, Any]]:
    """A schema and what its conditions lead to."""
    if isinstance(node, dict):
        yield node
        for key in ("then", "else"):
            yield from _alternatives(node.get(key))


def _below(
    node: dict[str, Any], part: str, names: Sequence[str] | None
) -> Iterator[dict[str, Any]]:
    for one in _alternatives(node):
        if part in one.get("properties", {}):
            yield one["properties"][part]
        elif isinstance(one.get("additionalProperties"), dict) and (names is None or part in names):
            yield one["additionalProperties"]
        elif isinstance(one.get("items"), dict) and part.isdigit():
            yield one["items"]


def _names(node: dict[str, Any], names: Sequence[str] | None) -> Iterator[str]:
    for one in _alternatives(node):
        yield from one.get("properties", {})
        if isinstance(one.get("additionalProperties"), dict):
            yield from names or ()


def value_of(result: dict[str, Any], metric: Metric) -> float:
    """nan where this result does not have it, or where it is null: nothing was measured."""
    value = value_at(result, metric.place)
    return float(value) if isinstance(value, int | float) else math.nan
