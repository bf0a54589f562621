# SPDX-License-Identifier: Apache-2.0
"""The runs of a sweep: the grid of a plan's axes without the configurations that its filters
remove. The plan's file is read first, then its parts are checked against each other.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from platter_lab.sweep.plan_file import (
    MOST_RUNS,
    Axis,
    Comparison,
    Metric,
    PlanFile,
    read_file,
    wrong_comparison,
)
from platter_lab.toml_file import TomlFile

_COLUMNS = ("seed", "status", "message", "requests")  # of every table


@dataclass(frozen=True)
class Configuration:
    """A point of the grid."""

    labels: tuple[Any, ...]  # one an axis, in the order of the axes
    settings: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Plan:
    file: Path
    scenario: Path
    axes: tuple[Axis, ...]
    seeds: tuple[int, ...]
    metrics: tuple[Metric, ...]
    configurations: tuple[Configuration, ...]
    compare: Comparison | None
    limit_s: float | None
    requests: bool  # a log of each run is kept
    source: TomlFile

    def all_keys(self) -> set[str]:
        """All that are set in some configuration."""
        return {key for configuration in self.configurations for key, _ in configuration.settings}

    def place(self, key: str) -> str:
        """Where the file has a key, for messages."""
        return f"{self.file}:{self.source.line(key) or ' '}"


def _expect_axes_apart(given: PlanFile) -> None:
    """Checks that each axis has a name of its own, and sets keys that no other axis sets."""
    names: set[str] = set()
    keys: set[str] = set()
    for axis in given.axes:
        if axis.name in names or axis.name in _COLUMNS:
            raise given.source.wrong(
                axis.name,
                "a name that another axis or a column of the table has",
                "a name of its own",
            )
        own = {key for step in axis.steps for key, _ in step.settings}
        for key in own:
            if key == "sim.seed" or key in keys:
                raise given.source.wrong(
                    key, "a key that another axis or `seeds` sets", "each key in one axis"
                )
        names.add(axis.name)
        keys |= own


def _expect_columns_apart(given: PlanFile) -> None:
    taken = {*_COLUMNS, *(axis.name for axis in given.axes)}
    for metric in given.metrics:
        if not taken.isdisjoint(metric.columns()):
            raise given.source.wrong(
                metric.name,
                "a metric's name that an axis, another metric or a column of the table has",
                "a name of its own",
            )
        taken.update(metric.columns())


def _matcher(given: PlanFile, labels: Mapping[str, list[Any]]) -> dict[int, list[Any]]:
    """The labels of a filter, by the number of the axis."""
    found = {}
    for name, values in labels.items():
        number = next((i for i, axis in enumerate(given.axes) if axis.name == name), None)
        if number is None:
            raise given.source.wrong(
                name,
                "in a filter an axis that does not exist",
                "one of " + ", ".join(axis.name for axis in given.axes),
            )
        there = [step.label for step in given.axes[number].steps]
        for value in values:
            if value not in there:
                raise given.source.wrong(
                    name,
                    f"in a filter {value!r}, which the axis does not have",
                    "one of " + ", ".join(map(str, there)),
                )
        found[number] = values
    return found


def _expect_baseline(given: PlanFile) -> None:
    """Checks that the comparison names an axis, and a value that the axis has."""
    if given.compare is None:
        return
    if given.compare.axis not in [axis.name for axis in given.axes]:
        raise wrong_comparison(given.source, given.axes)
    baseline = given.compare.baseline
    _matcher(given, {given.compare.axis: baseline if isinstance(baseline, list) else [baseline]})


def _configurations(given: PlanFile) -> tuple[Configuration, ...]:
    matchers = [(one.keeps, _matcher(given, one.labels)) for one in given.filters]

    def is_run(labels: Sequence[Any]) -> bool:
        return all(
            all(labels[number] in values for number, values in matcher.items()) == keeps
            for keeps, matcher in matchers
        )

    found = []
    for steps in itertools.product(*(axis.steps for axis in given.axes)):
        labels = tuple(step.label for step in steps)
        if is_run(labels):
            settings: dict[str, str] = dict(given.common)
            for step in steps:
                settings.update(step.settings)
            found.append(Configuration(labels, tuple(settings.items())))
    if not found:
        raise given.source.wrong(
            "filter",
            "filters that remove every configuration",
            "at least one configuration that is left",
        )
    return tuple(found)


def _expect_baseline_is_run(given: PlanFile, configurations: Sequence[Configuration]) -> None:
    if given.compare is None:
        return
    number = [axis.name for axis in given.axes].index(given.compare.axis)
    if not any(
        configuration.labels[number] == given.compare.baseline for configuration in configurations
    ):
        raise given.source.wrong(
            "baseline",
            f"{given.compare.baseline!r}, whose configurations the filters all remove",
            "a value that is run",
        )


def checked(given: PlanFile) -> Plan:
    """Raises LabError if parts of the plan contradict each other, or if there are too many runs."""
    _expect_axes_apart(given)
    if math.prod(len(axis.steps) for axis in given.axes) > MOST_RUNS:
        raise given.source.wrong("axis", "more than a million combinations", "at most a million")
    _expect_columns_apart(given)
    _expect_baseline(given)
    configurations = _configurations(given)
    _expect_baseline_is_run(given, configurations)
    if len(configurations) * len(given.seeds) > MOST_RUNS:
        raise given.source.wrong(
            "seeds",
            f"more than a million runs of {len(configurations)} configurations",
            "at most a million",
        )
    return Plan(
        given.source.path,
        given.scenario,
        given.axes,
        given.seeds,
        given.metrics,
        configurations,
        given.compare,
        given.limit_s,
        given.requests,
        given.source,
    )


def read_plan(path: Path) -> Plan:
    """Raises LabError with file, line, key, what was found and what was expected."""
    return checked(read_file(path))
