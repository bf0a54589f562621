# SPDX-License-Identifier: Apache-2.0
"""The file of a sweep's plan, each of its tables alone. Its form is in docs/reference/sweep.md."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from platter_lab import LabError
from platter_lab.cost.prices import COSTS
from platter_lab.settings import flat, text
from platter_lab.toml_file import TomlFile

MOST_RUNS = 1_000_000
_FORMAT = 1
_LAST_SEED = 9_200_000_000_000_000_000  # as sim.seed takes them


@dataclass(frozen=True)
class Step:
    """A place on an axis: what the table shows of it, and the scenario's keys that it sets."""

    label: Any
    settings: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Axis:
    name: str
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Metric:
    """A number of the result, or a cost of the scheduling engine.

    `place` is its way through the JSON; `line` says where in the file it is asked for, as "12: ".
    """

    name: str
    place: tuple[str, ...]
    line: str = ""
    cost: str = ""

    def columns(self) -> list[str]:
        """Of the table, with a comparison or without."""
        return [
            self.name,
            *(
                f"{self.name} {what}"
                for what in ("mean", "low", "high", "none", "ratio", "ratio low", "ratio high")
            ),
        ]


@dataclass(frozen=True)
class Filter:
    """Keeps or removes the configurations that have one of these labels on each of these axes."""

    keeps: bool
    labels: Mapping[str, list[Any]]


@dataclass(frozen=True)
class Comparison:
    """Each configuration is held against the one that differs from it in this axis alone, which is
    at `baseline` there.
    """

    axis: str
    baseline: Any


@dataclass(frozen=True)
class PlanFile:
    """The file as data. Its parts have not been checked against each other."""

    source: TomlFile
    scenario: Path
    common: tuple[tuple[str, str], ...]  # set in all configurations
    axes: tuple[Axis, ...]
    filters: tuple[Filter, ...]
    seeds: tuple[int, ...]
    metrics: tuple[Metric, ...]
    compare: Comparison | None
    limit_s: float | None
    requests: bool  # a log of each run is kept


def _is_number(value: Any) -> bool:
    """Whether it is one that a float can hold."""
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and abs(value) <= sys.float_info.max
    )


def expect_end(
    file: TomlFile, begin: float, end: float, step: float, table: Mapping[str, Any] | None = None
) -> None:
    """LabError where steps from one end of a range miss the other.

    Precondition: the step leads there.
    """
    steps = (end - begin) / step
    if abs(steps - round(steps)) <= 1e-9 * max(1.0, abs(steps)):
        return
    ends = [f"{begin + step * count:.12g}" for count in (math.floor(steps), math.ceil(steps))]
    fitting = [(end - begin) / count for count in (math.floor(steps), math.ceil(steps)) if count]
    whole = all(isinstance(value, int) for value in (begin, end, step))
    exact = [
        f"{value:.6g}"
        for value in fitting
        if float(f"{value:.6g}") == value and (value.is_integer() or not whole)
    ]
    raise file.wrong(
        "range",
        f"from {begin} in steps of {step}, which do not reach to = {end}",
        f"to = {ends[0]} or {ends[1]}"
        + (f", or step = {' or '.join(exact)}" if exact else "")
        + ": both ends are included",
        table,
    )


def _range(file: TomlFile, given: Any, axis: str) -> list[float | int]:
    """The values of {from, to, step} or {from, to, points[, scale = "log"]}; both ends count."""
    if not isinstance(given, dict):
        raise file.wrong("range", repr(given), "{ from, to, step } or { from, to, points, scale }")
    file.only(given, f"axis {axis}, range", ("from", "to", "step", "points", "scale"))
    for key in ("from", "to", "step", "points"):
        if key in given and not _is_number(given[key]):
            raise file.wrong("range", f"{key} = {given[key]!r}", "a number")
    if "from" not in given or "to" not in given or ("step" in given) == ("points" in given):
        raise file.wrong(
            "range", ", ".join(given) or "nothing", "from and to, and either step or points"
        )
    begin, end = given["from"], given["to"]
    if "step" in given:
        step = given["step"]
        if step == 0 or "scale" in given or (end - begin) / step < 0:
            raise file.wrong(
                "range",
                f"an empty range from {begin} to {end} in steps of {step}",
                "a step that leads from one to the other, without a scale",
            )
        steps = (end - begin) / step
        if not steps < MOST_RUNS:
            raise file.wrong(
                "range", f"from {begin} to {end} in steps of {step}", f"at most {MOST_RUNS} values"
            )
        expect_end(file, begin, end, step)
        values = [begin + step * i for i in range(round(steps) + 1)]
        return (
            values
            if all(isinstance(given[key], int) for key in ("from", "step"))
            else [float(f"{value:.12g}") for value in values]
        )
    points = given["points"]
    scale = given.get("scale", "linear")
    if not isinstance(points, int) or points < 2 or points > MOST_RUNS:
        raise file.wrong("range", f"points = {points!r}", f"2 to {MOST_RUNS} points")
    if scale not in ("linear", "log") or (scale == "log" and min(begin, end) <= 0):
        raise file.wrong(
            "range",
            f"scale = {scale!r} from {begin} to {end}",
            "linear, or log with both ends above 0",
        )
    parts = [i / (points - 1) for i in range(points)]
    values = [
        begin ** (1 - part) * end**part if scale == "log" else begin * (1 - part) + end * part
        for part in parts
    ]
    values = [float(f"{value:.12g}") for value in values]
    whole = (
        isinstance(begin, int)
        and isinstance(end, int)
        and all(value.is_integer() for value in values)
    )
    return [int(value) for value in values] if whole else values


def steps_of(file: TomlFile, table: Mapping[str, Any], name: str, what: str) -> tuple[Step, ...]:
    """Of a table with `points`, or with `values` of a `key`, which is an axis or whatever else
    `what` says.
    """
    if "points" in table:
        points = table["points"]
        if (
            "key" in table
            or not isinstance(points, list)
            or not points
            or not all(isinstance(point, dict) and "label" in point for point in points)
        ):
            raise file.wrong(
                "points",
                f"points of {what} {name} without a label, or with a key",
                "tables with a label and the keys that are set together",
                table,
            )
        steps = [
            Step(
                point["label"],
                tuple(flat({key: value for key, value in point.items() if key != "label"})),
            )
            for point in points
        ]
    else:
        key, values = table.get("key"), table["values"]
        if not isinstance(key, str):
            raise file.wrong(
                name, f"{what} of values without a key", "a key of the scenario", table
            )
        if not isinstance(values, list) or not values:
            raise file.wrong(
                "values", f"an empty {what} {name}", "a list with at least one value", table
            )
        steps = [
            Step(text(value) if isinstance(value, list) else value, ((key, text(value)),))
            for value in values
        ]
    labels = [step.label for step in steps]
    if not all(isinstance(label, str | bool) or _is_number(label) for label in labels):
        raise file.wrong(
            name, "a label that is neither text nor a number", "text or numbers", table
        )
    if len(set(map(str, labels))) < len(labels):
        raise file.wrong(
            name, f"the same value twice in {what} {name}", "values that differ", table
        )
    return tuple(steps)


def _axis(file: TomlFile, table: Any) -> Axis:
    if not isinstance(table, dict):
        raise file.wrong("axis", repr(table), "tables [[axis]]")
    file.only(table, "an axis", ("name", "key", "values", "range", "points"))
    name = table.get("name", table.get("key"))
    if not isinstance(name, str) or not name:
        raise file.wrong(
            "axis", "an axis without a key or name", "key, of the scenario, or name and points"
        )
    if sum(kind in table for kind in ("values", "range", "points")) != 1:
        raise file.wrong(name, f"an axis with {', '.join(table)}", "one of values, range, points")
    if "range" in table:
        return Axis(
            name,
            steps_of(
                file,
                {"key": table.get("key"), "values": _range(file, table["range"], name)},
                name,
                "axis",
            ),
        )
    return Axis(name, steps_of(file, table, name, "axis"))


def seeds_of(file: TomlFile, given: Any) -> tuple[int, ...]:
    if isinstance(given, int) and not isinstance(given, bool) and given > MOST_RUNS:
        raise file.wrong("seeds", repr(given), f"at most {MOST_RUNS}")
    seeds = (
        list(range(1, given + 1))
        if isinstance(given, int) and not isinstance(given, bool)
        else given
    )
    good = (
        isinstance(seeds, list)
        and seeds
        and all(
            isinstance(seed, int) and not isinstance(seed, bool) and 0 <= seed <= _LAST_SEED
            for seed in seeds
        )
    )
    if not good or len(set(seeds)) < len(seeds):
        raise file.wrong(
            "seeds",
            repr(given),
            f"how many, or a list of different seeds, from 0 up to {_LAST_SEED:.2g}",
        )
    return tuple(seeds)


def _axes(file: TomlFile) -> tuple[Axis, ...]:
    tables = file.content.get("axis", [])
    if not isinstance(tables, list) or not tables:
        raise file.wrong("axis", repr(tables), "tables [[axis]]")
    return tuple(_axis(file, table) for table in tables)


def _filter(file: TomlFile, table: Any) -> Filter:
    if not isinstance(table, dict) or set(table) not in ({"only"}, {"exclude"}):
        raise file.wrong(
            "filter",
            ", ".join(table) if isinstance(table, dict) else repr(table),
            "only or exclude",
        )
    given = next(iter(table.values()))
    if not isinstance(given, dict) or not given:
        raise file.wrong(
            "filter", repr(given), 'axes with values: { policy = "SCAN", rate = [10, 20] }'
        )
    return Filter(
        "only" in table,
        {name: values if isinstance(values, list) else [values] for name, values in given.items()},
    )


def _filters(file: TomlFile) -> tuple[Filter, ...]:
    tables = file.content.get("filter", [])
    if not isinstance(tables, list):
        raise file.wrong("filter", repr(tables), "tables [[filter]]")
    return tuple(_filter(file, table) for table in tables)


def _metric(file: TomlFile, table: Any) -> Metric:
    kinds = [kind for kind in ("path", "cost") if isinstance(table, dict) and kind in table]
    if (
        len(kinds) != 1
        or set(table) - {"name", *kinds}
        or not all(isinstance(value, str) for value in table.values())
    ):
        raise file.wrong(
            "metric",
            repr(table),
            "path, of a number in the result, or cost, of the scheduling engine; and name",
        )
    given: str = table[kinds[0]]
    name: str = table.get("name", given)
    if kinds[0] == "cost":
        if given not in COSTS:
            raise file.wrong("cost", given, "one of " + ", ".join(COSTS), table)
        return Metric(name, ("cost", given), file.line("cost", table), given)
    return Metric(name, tuple(given.split(".")), file.line("path", table))


def _metrics(file: TomlFile) -> tuple[Metric, ...]:
    tables = file.content.get("metric", [])
    if not isinstance(tables, list) or not tables:
        raise file.wrong("metric", "none", "tables [[metric]]")
    return tuple(_metric(file, table) for table in tables)


def wrong_comparison(file: TomlFile, axes: Sequence[Axis]) -> LabError:
    return file.wrong(
        "compare",
        repr(file.content["compare"]),
        "axis, one of " + ", ".join(axis.name for axis in axes) + ", and baseline, a value of it",
    )


def _compare(file: TomlFile, axes: Sequence[Axis]) -> Comparison | None:
    given = file.content.get("compare")
    if given is None:
        return None
    if not isinstance(given, dict) or set(given) != {"axis", "baseline"}:
        raise wrong_comparison(file, axes)
    return Comparison(given["axis"], given["baseline"])


def scenario_of(file: TomlFile) -> Path:
    given = file.content.get("scenario")
    expected = "the file of a scenario, relative to this file"
    if not isinstance(given, str):
        raise file.wrong("scenario", repr(given), expected)
    # Its own name stays where it is a link: files that it names count from the folder where the
    # link is, as in `platter run`.
    scenario = file.path.parent / given
    scenario = scenario.parent.resolve() / scenario.name
    if not scenario.is_file():
        raise file.wrong("scenario", f"{scenario}, which is not a file", expected)
    return scenario


def set_of(
    file: TomlFile, above: Mapping[str, Any], table: Mapping[str, Any] | None = None
) -> tuple[tuple[str, str], ...]:
    """The keys in the table `set` of the file or of a table in it (`wrong`)."""
    given = above.get("set", {})
    if not isinstance(given, dict):
        raise file.wrong("set", repr(given), "a table of the scenario's keys", table)
    keys = tuple(flat(given))
    if "sim.seed" in dict(keys):
        raise file.wrong("sim.seed", "a key that `seeds` sets", "another key", table)
    return keys


def read_file(path: Path) -> PlanFile:
    """Raises LabError with file, line, key, what was found and what was expected."""
    file = TomlFile(path, "a sweep's plan")
    content = file.content
    keys = "format scenario set seeds axis filter metric compare limit_s requests"
    file.only(content, "the plan", keys.split())
    if content.get("format") != _FORMAT:
        raise file.wrong("format", repr(content.get("format")), str(_FORMAT))
    scenario, common = scenario_of(file), set_of(file, content)
    axes, metrics = _axes(file), _metrics(file)
    compare = _compare(file, axes)
    limit_s = content.get("limit_s")
    if limit_s is not None and (
        isinstance(limit_s, bool) or not isinstance(limit_s, int | float) or not limit_s > 0
    ):
        raise file.wrong("limit_s", repr(limit_s), "seconds above 0")
    requests = content.get("requests", False)
    if not isinstance(requests, bool):
        raise file.wrong("requests", repr(requests), "true or false")
    filters = _filters(file)
    return PlanFile(
        file,
        scenario,
        common,
        axes,
        filters,
        seeds_of(file, content.get("seeds", 1)),
        metrics,
        compare,
        limit_s,
        requests,
    )
