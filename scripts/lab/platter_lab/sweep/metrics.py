# SPDX-License-Identifier: Apache-2.0
"""Numbers of a result, by their path in its JSON."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from platter_lab import LabError
from platter_lab.executable import result_schema
from platter_lab.runs.job import value_at
from platter_lab.sweep.plan_file import Metric


def expect_metrics(platter: Path, plan: Path, metrics: Sequence[Metric]) -> dict[str, str]:
    """The unit of each metric, from the schema of results.

    LabError where there is no such number in any of them.
    """
    schema = result_schema(platter)
    units = {}
    for metric in metrics:
        if now := schema.get("renamed", {}).get(".".join(metric.place)):
            raise LabError(
                f"{plan}:{metric.line or ' '}metric {metric.name}: found "
                f"{'.'.join(metric.place)}; its name is {now} now"
            )
        nodes = [schema]
        for depth, part in enumerate(metric.place):
            below = [node for above in nodes for node in _below(above, part)]
            if not below:
                there = sorted({name for above in nodes for name in _names(above)})
                near = difflib.get_close_matches(part, there, 3) or there[:12]
                above_it = ".".join(metric.place[:depth]) or "a result"
                raise LabError(
                    f"{plan}:{metric.line or ' '}metric {metric.name}: found "
                    f'{".".join(metric.place)}, where {above_it} has no "{part}"; expected '
                    f"{', '.join(near) or 'a number'} (all are listed by `platter config "
                    "statistics`)"
                )
            nodes = below
        if not any({"number", "integer", "boolean"} & set(_types(node)) for node in nodes):
            raise LabError(
                f"{plan}:{metric.line or ' '}metric {metric.name}: found "
                f"{'.'.join(metric.place)}, which is not a number; expected one of those that "
                "`platter config statistics` lists"
            )
        unit = re.search(r"\[([^]]*)\]$", str(nodes[0].get("description", "")))
        units[metric.name] = unit.group(1) if unit else ""
    return units


def _types(node: dict[str, Any]) -> list[str]:
    kind = node.get("type", [])
    return kind if isinstance(kind, list) else [kind]


def _alternatives(node: Any) -> Iterator[dict[str, Any]]:
    """A schema and what its conditions lead to."""
    if isinstance(node, dict):
        yield node
        for key in ("then", "else"):
            yield from _alternatives(node.get(key))


def _below(node: dict[str, Any], part: str) -> Iterator[dict[str, Any]]:
    for one in _alternatives(node):
        if part in one.get("properties", {}):
            yield one["properties"][part]
        elif isinstance(one.get("additionalProperties"), dict):
            yield one["additionalProperties"]
        elif isinstance(one.get("items"), dict) and part.isdigit():
            yield one["items"]


def _names(node: dict[str, Any]) -> Iterator[str]:
    for one in _alternatives(node):
        yield from one.get("properties", {})


def value_of(result: dict[str, Any], metric: Metric) -> float:
    """nan where this result does not have it, or where it is null: nothing was measured."""
    value = value_at(result, metric.place)
    return float(value) if isinstance(value, int | float) else math.nan
