# SPDX-License-Identifier: Apache-2.0
"""What a sweep runs: a scenario, axes, filters, seeds, metrics. The file's form is in docs/reference/sweep.md."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from platter_lab.settings import flat, text
from platter_lab.toml_file import TomlFile

_FORMAT = 1
_MOST_RUNS = 1_000_000
_LAST_SEED = 9_200_000_000_000_000_000   # as sim.seed takes them
_COLUMNS = ("seed", "status", "message", "requests")   # of every table


@dataclass(frozen=True)
class Step:
    """A place on an axis: what the table shows of it, and the scenario's keys that are set there."""

    label: Any
    settings: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Axis:
    name: str
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Metric:
    """A number of the result. `place` is its way through the JSON; `line` says where in the file it is asked for, as "12: "."""

    name: str
    place: tuple[str, ...]
    line: str = ""

    def columns(self) -> list[str]:
        """Of the table, with a comparison or without."""
        return [self.name, *(f"{self.name} {what}" for what in ("mean", "low", "high", "none", "ratio", "ratio low", "ratio high"))]


@dataclass(frozen=True)
class Comparison:
    """Each configuration is held against the one that differs from it in this axis alone, which is at `baseline` there."""

    axis: str
    baseline: Any


@dataclass(frozen=True)
class Configuration:
    """A point of the grid."""

    labels: tuple[Any, ...]   # one an axis, in the order of the axes
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
    requests: bool   # a log of each run is kept
    source: TomlFile

    def keys(self) -> set[str]:
        """All that are set in some configuration."""
        return {key for configuration in self.configurations for key, _ in configuration.settings}

    def place(self, key: str) -> str:
        """Where the file has a key, for messages."""
        return f"{self.file}:{self.source.line(key) or ' '}"


def _is_number(value: Any) -> bool:
    """Whether it is one that a float can hold."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def expect_end(file: TomlFile, begin: float, end: float, step: float, table: Mapping[str, Any] | None = None) -> None:
    """LabError where steps from one end of a range miss the other. Precondition: the step leads there."""
    steps = (end - begin) / step
    if abs(steps - round(steps)) <= 1e-9 * max(1.0, abs(steps)):
        return
    ends = [f"{begin + step * count:.12g}" for count in (math.floor(steps), math.ceil(steps))]
    fitting = [(end - begin) / count for count in (math.floor(steps), math.ceil(steps)) if count]
    whole = all(isinstance(value, int) for value in (begin, end, step))
    exact = [f"{value:.6g}" for value in fitting if float(f"{value:.6g}") == value and (value.is_integer() or not whole)]
    raise file.wrong("range", f"from {begin} in steps of {step}, which do not reach to = {end}",
                     f"to = {ends[0]} or {ends[1]}" + (f", or step = {' or '.join(exact)}" if exact else "") + ": both ends are included", table)


def _range(file: TomlFile, given: Any, axis: str) -> list[float | int]:
    """The values of {from, to, step} or {from, to, points[, scale = "log"]}; both ends count."""
    if not isinstance(given, dict):
        raise file.wrong("range", repr(given), "{ from, to, step } or { from, to, points, scale }")
    file.only(given, f"axis {axis}, range", ("from", "to", "step", "points", "scale"))
    for key in ("from", "to", "step", "points"):
        if key in given and not _is_number(given[key]):
            raise file.wrong("range", f"{key} = {given[key]!r}", "a number")
    if "from" not in given or "to" not in given or ("step" in given) == ("points" in given):
        raise file.wrong("range", ", ".join(given) or "nothing", "from and to, and either step or points")
    begin, end = given["from"], given["to"]
    if "step" in given:
        step = given["step"]
        if step == 0 or "scale" in given or (end - begin) / step < 0:
            raise file.wrong("range", f"an empty range from {begin} to {end} in steps of {step}", "a step that leads from one to the other, without a scale")
        steps = (end - begin) / step
        if not steps < _MOST_RUNS:
            raise file.wrong("range", f"from {begin} to {end} in steps of {step}", f"at most {_MOST_RUNS} values")
        expect_end(file, begin, end, step)
        values = [begin + step * i for i in range(round(steps) + 1)]
        return values if all(isinstance(given[key], int) for key in ("from", "step")) else [float(f"{value:.12g}") for value in values]
    points = given["points"]
    scale = given.get("scale", "linear")
    if not isinstance(points, int) or points < 2 or points > _MOST_RUNS:
        raise file.wrong("range", f"points = {points!r}", f"2 to {_MOST_RUNS} points")
    if scale not in ("linear", "log") or (scale == "log" and min(begin, end) <= 0):
        raise file.wrong("range", f"scale = {scale!r} from {begin} to {end}", "linear, or log with both ends above 0")
    parts = [i / (points - 1) for i in range(points)]
    values = [begin ** (1 - part) * end ** part if scale == "log" else begin * (1 - part) + end * part for part in parts]
    values = [float(f"{value:.12g}") for value in values]
    whole = isinstance(begin, int) and isinstance(end, int) and all(value.is_integer() for value in values)
    return [int(value) for value in values] if whole else values


def steps_of(file: TomlFile, table: Mapping[str, Any], name: str, what: str) -> tuple[Step, ...]:
    """Of a table with `points`, or with `values` of a `key`, which is an axis or whatever else `what` says."""
    if "points" in table:
        points = table["points"]
        if "key" in table or not isinstance(points, list) or not points or not all(isinstance(point, dict) and "label" in point for point in points):
            raise file.wrong("points", f"points of {what} {name} without a label, or with a key", "tables with a label and the keys that are set together", table)
        steps = [Step(point["label"], tuple(flat({key: value for key, value in point.items() if key != "label"}))) for point in points]
    else:
        key, values = table.get("key"), table["values"]
        if not isinstance(key, str):
            raise file.wrong(name, f"{what} of values without a key", "a key of the scenario", table)
        if not isinstance(values, list) or not values:
            raise file.wrong("values", f"an empty {what} {name}", "a list with at least one value", table)
        steps = [Step(text(value) if isinstance(value, list) else value, ((key, text(value)),)) for value in values]
    labels = [step.label for step in steps]
    if not all(isinstance(label, str | bool) or _is_number(label) for label in labels):
        raise file.wrong(name, "a label that is neither text nor a number", "text or numbers", table)
    if len(set(map(str, labels))) < len(labels):
        raise file.wrong(name, f"the same value twice in {what} {name}", "values that differ", table)
    return tuple(steps)


def _axis(file: TomlFile, table: Any) -> Axis:
    if not isinstance(table, dict):
        raise file.wrong("axis", repr(table), "tables [[axis]]")
    file.only(table, "an axis", ("name", "key", "values", "range", "points"))
    name = table.get("name", table.get("key"))
    if not isinstance(name, str) or not name:
        raise file.wrong("axis", "an axis without a key or name", "key, of the scenario, or name and points")
    if sum(kind in table for kind in ("values", "range", "points")) != 1:
        raise file.wrong(name, f"an axis with {', '.join(table)}", "one of values, range, points")
    if "range" in table:
        return Axis(name, steps_of(file, {"key": table.get("key"), "values": _range(file, table["range"], name)}, name, "axis"))
    return Axis(name, steps_of(file, table, name, "axis"))


def seeds_of(file: TomlFile, given: Any) -> tuple[int, ...]:
    if isinstance(given, int) and not isinstance(given, bool) and given > _MOST_RUNS:
        raise file.wrong("seeds", repr(given), f"at most {_MOST_RUNS}")
    seeds = list(range(1, given + 1)) if isinstance(given, int) and not isinstance(given, bool) else given
    good = isinstance(seeds, list) and seeds and all(isinstance(seed, int) and not isinstance(seed, bool) and 0 <= seed <= _LAST_SEED for seed in seeds)
    if not good or len(set(seeds)) < len(seeds):
        raise file.wrong("seeds", repr(given), f"how many, or a list of different seeds, from 0 up to {_LAST_SEED:.2g}")
    return tuple(seeds)


def _matcher(file: TomlFile, given: Any, axes: Sequence[Axis]) -> dict[int, list[Any]]:
    """The labels, by the number of the axis, that a filter names."""
    if not isinstance(given, dict) or not given:
        raise file.wrong("filter", repr(given), "axes with values: { policy = \"SCAN\", rate = [10, 20] }")
    found = {}
    for name, values in given.items():
        number = next((i for i, axis in enumerate(axes) if axis.name == name), None)
        if number is None:
            raise file.wrong(name, "in a filter an axis that does not exist", "one of " + ", ".join(axis.name for axis in axes))
        listed = values if isinstance(values, list) else [values]
        for value in listed:
            if value not in [step.label for step in axes[number].steps]:
                raise file.wrong(name, f"in a filter {value!r}, which the axis does not have", "one of " + ", ".join(str(step.label) for step in axes[number].steps))
        found[number] = listed
    return found


def _configurations(file: TomlFile, axes: Sequence[Axis], common: Sequence[tuple[str, str]], filters: Any) -> tuple[Configuration, ...]:
    if not isinstance(filters, list):
        raise file.wrong("filter", repr(filters), "tables [[filter]]")
    kept, left_out = [], []
    for table in filters:
        if not isinstance(table, dict) or set(table) not in ({"only"}, {"exclude"}):
            raise file.wrong("filter", ", ".join(table) if isinstance(table, dict) else repr(table), "only or exclude")
        (kept if "only" in table else left_out).append(_matcher(file, next(iter(table.values())), axes))

    def matches(labels: Sequence[Any], matcher: dict[int, list[Any]]) -> bool:
        return all(labels[number] in values for number, values in matcher.items())

    found = []
    for steps in itertools.product(*(axis.steps for axis in axes)):
        labels = tuple(step.label for step in steps)
        if all(matches(labels, matcher) for matcher in kept) and not any(matches(labels, matcher) for matcher in left_out):
            settings: dict[str, str] = dict(common)
            for step in steps:
                settings.update(step.settings)
            found.append(Configuration(labels, tuple(settings.items())))
    if not found:
        raise file.wrong("filter", "filters that remove every configuration", "at least one configuration that is left")
    return tuple(found)


def read_plan(path: Path) -> Plan:
    """Raises LabError with file, line, key, what was found and what was expected."""
    file = TomlFile(path, "a sweep's plan")
    content = file.content
    file.only(content, "the plan", ("format", "scenario", "set", "seeds", "axis", "filter", "metric", "compare", "limit_s", "requests"))
    if content.get("format") != _FORMAT:
        raise file.wrong("format", repr(content.get("format")), str(_FORMAT))
    if not isinstance(content.get("scenario"), str):
        raise file.wrong("scenario", repr(content.get("scenario")), "the file of a scenario, relative to the plan")
    # Its own name stays where it is a link: files that it names count from the folder where the link is, as in `platter run`.
    scenario = path.parent / content["scenario"]
    scenario = scenario.parent.resolve() / scenario.name
    if not scenario.is_file():
        raise file.wrong("scenario", f"{scenario}, which is not a file", "the file of a scenario, relative to the plan")
    common = content.get("set", {})
    if not isinstance(common, dict):
        raise file.wrong("set", repr(common), "a table of the scenario's keys")
    tables = content.get("axis", [])
    if not isinstance(tables, list) or not tables:
        raise file.wrong("axis", repr(tables), "tables [[axis]]")
    axes = tuple(_axis(file, table) for table in tables)
    names = [axis.name for axis in axes]
    keys = [{key for step in axis.steps for key, _ in step.settings} for axis in axes]
    for i, axis in enumerate(axes):
        if axis.name in names[:i] or axis.name in _COLUMNS:
            raise file.wrong(axis.name, "a name that another axis or a column of the table has", "a name of its own")
        for key in keys[i]:
            if key == "sim.seed" or any(key in others for others in keys[:i]):
                raise file.wrong(key, "a key that another axis or `seeds` sets", "each key in one axis")
    if math.prod(len(axis.steps) for axis in axes) > _MOST_RUNS:
        raise file.wrong("axis", "more than a million combinations", "at most a million")
    metrics = []
    for table in content.get("metric", []) if isinstance(content.get("metric", []), list) else []:
        if not isinstance(table, dict) or set(table) - {"name", "path"} or not isinstance(table.get("path"), str):
            raise file.wrong("metric", repr(table), "path, of a number in the result, and name")
        name = table.get("name", table["path"])
        taken = [*names, *_COLUMNS, *(column for metric in metrics for column in metric.columns())]
        if not isinstance(name, str) or not set(taken).isdisjoint(Metric(name, ()).columns()):
            raise file.wrong(str(name), "a metric's name that an axis, another metric or a column of the table has", "a name of its own")
        metrics.append(Metric(name, tuple(table["path"].split(".")), file.line("path", table)))
    if not metrics:
        raise file.wrong("metric", "none", "tables [[metric]]")
    compare = None
    if (given := content.get("compare")) is not None:
        if not isinstance(given, dict) or set(given) != {"axis", "baseline"} or given["axis"] not in names:
            raise file.wrong("compare", repr(given), "axis, one of " + ", ".join(names) + ", and baseline, a value of it")
        _matcher(file, {given["axis"]: given["baseline"]}, axes)
        compare = Comparison(given["axis"], given["baseline"])
    limit_s = content.get("limit_s")
    if limit_s is not None and (isinstance(limit_s, bool) or not isinstance(limit_s, int | float) or not limit_s > 0):
        raise file.wrong("limit_s", repr(limit_s), "seconds above 0")
    requests = content.get("requests", False)
    if not isinstance(requests, bool):
        raise file.wrong("requests", repr(requests), "true or false")
    configurations = _configurations(file, axes, tuple(flat(common)), content.get("filter", []))
    if compare and not any(configuration.labels[names.index(compare.axis)] == compare.baseline for configuration in configurations):
        raise file.wrong("baseline", f"{compare.baseline!r}, whose configurations the filters all remove", "a value that is run")
    seeds = seeds_of(file, content.get("seeds", 1))
    if len(configurations) * len(seeds) > _MOST_RUNS:
        raise file.wrong("seeds", f"more than a million runs of {len(configurations)} configurations", "at most a million")
    return Plan(path, scenario, axes, seeds, tuple(metrics), configurations, compare, limit_s, requests, file)
