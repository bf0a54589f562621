# SPDX-License-Identifier: Apache-2.0
"""What a search looks through: parameters of a scenario, objectives, constraints.

The file's form is in docs/reference/optimise.md.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from platter_lab.cost.prices import COSTS
from platter_lab.settings import text
from platter_lab.sweep.plan_file import (
    Metric,
    Step,
    expect_end,
    scenario_of,
    seeds_of,
    set_of,
    steps_of,
)
from platter_lab.toml_file import TomlFile

_FORMAT = 1
_COLUMNS = ("trial", "status", "message", "feasible", "front")  # of every table
_SAMPLERS = ("NSGA-II", "TPE")
_DIRECTIONS = ("minimise", "maximise")
_PLACEHOLDER = re.compile(r"\{([^{}]+)\}")
_COST = "cost."
_MOST_LISTED = 50_000  # configurations

Value = str | int | float
Assignment = Mapping[str, Value]  # the values of all parameters, by name


@dataclass(frozen=True)
class Range:
    """Both ends count."""

    low: float
    high: float
    step: float | None
    log: bool
    whole: bool

    def ends(self) -> tuple[Value, ...]:
        return (int(self.low), int(self.high)) if self.whole else (self.low, self.high)

    def count(self) -> int | None:
        """None where they are not whole numbers, or in steps."""
        return (
            None
            if self.step is None and not self.whole
            else math.floor((self.high - self.low) / (self.step or 1) + 1e-9) + 1
        )

    def all(self) -> Sequence[Value]:
        """Precondition: they can be counted."""
        return [self.tidy(self.low + (self.step or 1) * i) for i in range(self.count() or 0)]

    def tidy(self, value: float) -> Value:
        if self.whole or self.step is not None:
            return int(value) if self.whole else float(f"{value:.12g}")
        return min(max(float(f"{value:.4g}"), self.low), self.high)


@dataclass(frozen=True)
class Parameter:
    """`key` is set to the parameter's value; without one only placeholders name it.

    It counts where each parameter in `when` counts and has one of the values there.
    """

    name: str
    key: str | None
    domain: tuple[Step, ...] | Range
    when: tuple[tuple[str, tuple[Value, ...]], ...]
    table: Mapping[str, Any] = field(compare=False, repr=False)  # where it stands in the file

    def probes(self) -> tuple[Value, ...]:
        """The values that are tried before a search begins."""
        return (
            self.domain.ends()
            if isinstance(self.domain, Range)
            else tuple(step.label for step in self.domain)
        )

    def count(self) -> int | None:
        """How many values there are; None in a continuous range."""
        return self.domain.count() if isinstance(self.domain, Range) else len(self.domain)

    def all(self) -> Sequence[Value]:
        """Precondition: they can be counted."""
        return self.domain.all() if isinstance(self.domain, Range) else self.probes()

    def all_keys(self) -> set[str]:
        own = {self.key} if self.key else set()
        return (
            own
            if isinstance(self.domain, Range)
            else own | {key for step in self.domain for key, _ in step.settings}
        )

    def settings(self, value: Value) -> tuple[tuple[str, str], ...]:
        if isinstance(self.domain, Range):
            return ((self.key, text(value)),) if self.key else ()
        return next(step.settings for step in self.domain if step.label == value)


@dataclass(frozen=True)
class Quantity:
    """One of: a number of the result, a cost, a parameter's value."""

    name: str
    metric: Metric | None = None
    cost: str = ""
    parameter: str = ""

    def what(self) -> tuple[str, ...]:
        """Wherever in the file it is asked for."""
        return self.name, *(self.metric.place if self.metric else ()), self.cost, self.parameter


@dataclass(frozen=True)
class Objective:
    """Differences below `resolution` are none."""

    quantity: Quantity
    maximise: bool
    resolution: float | None = None

    def coarse(self, value: float) -> float:
        return (
            value if self.resolution is None else round(value / self.resolution) * self.resolution
        )

    @property
    def direction(self) -> str:
        return "maximise" if self.maximise else "minimise"


@dataclass(frozen=True)
class Constraint:
    """Every run has to keep it."""

    quantity: Quantity
    at_most: float | None
    at_least: float | None

    def violation(self, values: Sequence[float]) -> float:
        """By how much it is broken, at the worst; 0 or less where it is kept."""
        return max(
            max(
                value - self.at_most if self.at_most is not None else -math.inf,
                self.at_least - value if self.at_least is not None else -math.inf,
            )
            for value in values
        )

    def worst(self, values: Sequence[float]) -> float:
        return max(values, key=lambda value: self.violation([value]))


@dataclass(frozen=True)
class Sampler:
    """`population` is of NSGA-II, `startup` of TPE: trials at random before it learns.

    `batch` trials are chosen before the first of them is known.
    """

    name: str
    seed: int
    population: int
    startup: int
    batch: int


@dataclass(frozen=True)
class Check:
    """Other seeds and settings, on which what was found is tried."""

    name: str
    seeds: tuple[int, ...]
    settings: tuple[tuple[str, str], ...]
    table: Mapping[str, Any] = field(compare=False, repr=False)


@dataclass(frozen=True)
class Space:
    source: TomlFile
    scenario: Path
    seeds: tuple[int, ...]
    trials: int
    sampler: Sampler
    common: tuple[tuple[str, str], ...]
    parameters: tuple[Parameter, ...]
    objectives: tuple[Objective, ...]
    constraints: tuple[Constraint, ...]
    checks: tuple[Check, ...]
    limit_s: float | None

    @functools.cached_property
    def listed(self) -> list[dict[str, Value]] | None:
        """All different configurations, each with the values of all parameters; those that do not
        count there have their first. None where there are more than can be listed.
        """
        if (
            any(parameter.count() is None for parameter in self.parameters)
            or math.prod(parameter.count() or 0 for parameter in self.parameters) > _MOST_LISTED
        ):
            return None
        found: list[dict[str, Value]] = [{}]
        for parameter in self.parameters:  # a condition names earlier ones
            every = parameter.all()
            found = [
                {**one, parameter.name: value}
                for one in found
                for value in (every if self._counts(parameter, one) else every[:1])
            ]
        return found

    def _counts(self, parameter: Parameter, values: Assignment) -> bool:
        active = self.active(values)
        return all(name in active and active[name] in allowed for name, allowed in parameter.when)

    @property
    def file(self) -> Path:
        return self.source.path

    @property
    def quantities(self) -> list[Quantity]:
        return [
            *(one.quantity for one in self.objectives),
            *(one.quantity for one in self.constraints),
        ]

    def parameter(self, name: str) -> Parameter:
        return next(one for one in self.parameters if one.name == name)

    def active(self, values: Assignment) -> dict[str, Value]:
        """The parameters that count, with their values."""
        found: dict[str, Value] = {}
        for parameter in self.parameters:  # a condition names earlier ones
            if parameter.name in values and all(
                name in found and found[name] in allowed for name, allowed in parameter.when
            ):
                found[parameter.name] = values[parameter.name]
        return found

    def first(self) -> dict[str, Value]:
        """All parameters at their first value."""
        return {parameter.name: parameter.probes()[0] for parameter in self.parameters}

    def with_value(self, name: str, value: Value) -> dict[str, Value]:
        """A parameter at a value where it counts, all others that its conditions do not name at
        their first value.
        """
        values = self.first()

        def meet(parameter: Parameter) -> None:
            for other, allowed in parameter.when:
                values[other] = allowed[0]
                meet(self.parameter(other))

        meet(self.parameter(name))
        values[name] = value
        return values

    def settings(
        self,
        values: Assignment,
        cost: Callable[[str, Mapping[str, str]], str | None],
        over: Sequence[tuple[str, str]] = (),
    ) -> dict[str, str]:
        """The scenario's keys, placeholders replaced.

        `cost` is asked for a cost under the other keys; where it gives None the key is not set.
        `over` comes last. LabError for a placeholder that has no value here.
        """
        active = self.active(values)
        raw = dict(self.common)
        for name, value in active.items():
            raw.update(self.parameter(name).settings(value))
        raw.update(over)

        def resolved(key: str, above: tuple[str, ...]) -> str:
            def value_of(found: re.Match[str]) -> str:
                name = found[1]
                if name in active:
                    return text(active[name])
                if name in raw and name not in above:
                    return resolved(name, (*above, name))
                raise self.source.wrong(
                    key,
                    f"{raw[key]!r}, whose {{{name}}} has no value with {_listed(active)}",
                    f"a parameter that counts there, a key that is set there, or {_COST}NAME",
                )

            return _PLACEHOLDER.sub(value_of, raw[key])

        priced = {
            key: found[1]
            for key, value in raw.items()
            if (found := _PLACEHOLDER.fullmatch(value)) and found[1].startswith(_COST)
        }
        settled = {key: resolved(key, (key,)) for key in raw if key not in priced}
        for key, name in priced.items():
            price = cost(name.removeprefix(_COST), settled)
            if price is not None:
                settled[key] = price
        return settled

    def costs(self) -> set[str]:
        """All that are asked for."""
        placed = {
            name.removeprefix(_COST)
            for value in self._texts()
            for name in _PLACEHOLDER.findall(value)
            if name.startswith(_COST)
        }
        return placed | {one.cost for one in self.quantities if one.cost}

    def _texts(self) -> list[str]:
        domains = [
            parameter.domain
            for parameter in self.parameters
            if not isinstance(parameter.domain, Range)
        ]
        return [value for _, value in self.common] + [
            value for domain in domains for step in domain for _, value in step.settings
        ]

    def named(self) -> set[str]:
        """What placeholders name."""
        return {name for value in self._texts() for name in _PLACEHOLDER.findall(value)}

    def named_by(self, keys: Container[str]) -> set[str]:
        """What the placeholders in the values of these keys name."""
        steps = [
            step
            for one in self.parameters
            if not isinstance(one.domain, Range)
            for step in one.domain
        ]
        pairs = [*self.common, *(pair for step in steps for pair in step.settings)]
        return {name for key, value in pairs if key in keys for name in _PLACEHOLDER.findall(value)}


def _listed(active: Assignment) -> str:
    return ", ".join(f"{name} = {value}" for name, value in active.items())


class _Reader:
    def __init__(self, file: TomlFile) -> None:
        self._file = file
        self._names: list[str] = list(_COLUMNS)

    def tables(self, name: str) -> list[dict[str, Any]]:
        tables = self._file.content.get(name, [])
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            raise self._file.wrong(name, repr(tables), f"tables [[{name}]]")
        return tables

    def name(self, table: Mapping[str, Any], default: Any, what: str) -> str:
        name = table.get("name", default)
        if not isinstance(name, str) or not name or "{" in name:
            raise self._file.wrong("name", f"{what} {name!r}", "a text", table)
        if name in self._names or name.startswith(_COST):
            raise self._file.wrong(
                "name" if "name" in table else name,
                f"{what} {name}, a name that another entry or a column of the table has",
                "a name of its own",
                table,
            )
        self._names.append(name)
        return name

    def number(
        self,
        table: Mapping[str, Any],
        key: str,
        *,
        whole: bool = False,
        least: float = -math.inf,
        default: float | None = None,
    ) -> Any:
        value = table.get(key, default)
        if value is None:
            return None
        kinds = int if whole else (int, float)
        if (
            isinstance(value, bool)
            or not isinstance(value, kinds)
            or not math.isfinite(value)
            or value < least
        ):
            raise self._file.wrong(
                key,
                repr(value),
                ("a whole number" if whole else "a number")
                + (f", at least {least:g}" if least > -math.inf else ""),
                table,
            )
        return value

    def range(self, table: Mapping[str, Any], name: str) -> Range:
        given = table["range"]
        if not isinstance(given, dict):
            raise self._file.wrong(
                "range", repr(given), '{ from, to } with step, or scale = "log"', table
            )
        for key in given:
            if key not in ("from", "to", "step", "scale"):
                raise self._file.wrong(
                    key,
                    f"in the range of {name} a key that does not exist",
                    "one of from, to, step, scale",
                    table,
                )
        for key in ("from", "to", *(["step"] if "step" in given else [])):
            value = given.get(key)
            if (
                isinstance(value, bool)
                or not isinstance(value, int | float)
                or not math.isfinite(value)
            ):
                raise self._file.wrong(
                    "range", repr(value), "numbers from and to, and perhaps step", table
                )
        low: float = given["from"]
        high: float = given["to"]
        step: float | None = given.get("step")
        scale = given.get("scale", "linear")
        if low >= high:
            raise self._file.wrong(
                "range", f"an empty range from {low} to {high}", "from below to", table
            )
        if step is not None and not 0 < step <= high - low:
            raise self._file.wrong(
                "range",
                f"step = {step} from {low} to {high}",
                "a step above 0 that is not longer than the range",
                table,
            )
        if scale not in ("linear", "log") or (scale == "log" and (low <= 0 or step is not None)):
            raise self._file.wrong(
                "range",
                f"scale = {scale!r} from {low} to {high}",
                "linear, or log with both ends above 0 and no step",
                table,
            )
        whole = all(
            isinstance(value, int) for value in (low, high, *([] if step is None else [step]))
        )
        if step is not None:
            expect_end(self._file, low, high, step, table)
            high = low + step * round((high - low) / step)
        return Range(low, high, step, scale == "log", whole)

    def parameter(self, table: Mapping[str, Any], earlier: Sequence[Parameter]) -> Parameter:
        self._file.only(table, "a parameter", ("name", "key", "values", "range", "points", "when"))
        name = self.name(table, table.get("key"), "parameter")
        if sum(kind in table for kind in ("values", "range", "points")) != 1:
            raise self._file.wrong(
                name, f"a parameter with {', '.join(table)}", "one of values, range, points", table
            )
        key = table.get("key")
        if key is not None and (not isinstance(key, str) or not key):
            raise self._file.wrong("key", repr(key), "a key of the scenario", table)
        if "range" in table:
            domain: tuple[Step, ...] | Range = self.range(table, name)
        elif "values" in table and key is None:  # only placeholders name it
            domain = tuple(
                Step(step.label, ())
                for step in steps_of(
                    self._file, {"key": name, "values": table["values"]}, name, "parameter"
                )
            )
        else:
            domain = steps_of(self._file, table, name, "parameter")
        return Parameter(name, key, domain, self._when(table, earlier), table)

    def _when(
        self, table: Mapping[str, Any], earlier: Sequence[Parameter]
    ) -> tuple[tuple[str, tuple[Value, ...]], ...]:
        given = table.get("when", {})
        if not isinstance(given, dict):
            raise self._file.wrong(
                "when",
                repr(given),
                'earlier parameters with their values: { engine = "model" }',
                table,
            )
        found = []
        for name, values in given.items():
            other = next((one for one in earlier if one.name == name), None)
            if other is None or isinstance(other.domain, Range):
                choices = [one.name for one in earlier if not isinstance(one.domain, Range)]
                raise self._file.wrong(
                    "when",
                    f"in a condition {name}",
                    "an earlier parameter with values or points: "
                    f"{', '.join(choices) or 'there is none'}",
                    table,
                )
            listed = tuple(values) if isinstance(values, list) else (values,)
            for value in listed:
                if value not in other.probes():
                    raise self._file.wrong(
                        "when",
                        f"{name} = {value!r}, which the parameter does not have",
                        "one of " + ", ".join(map(str, other.probes())),
                        table,
                    )
            if not listed:
                raise self._file.wrong("when", f"no value of {name}", "at least one", table)
            found.append((name, listed))
        return tuple(found)

    def quantity(
        self, table: Mapping[str, Any], parameters: Sequence[Parameter], what: str
    ) -> Quantity:
        kinds = [kind for kind in ("path", "cost", "parameter") if kind in table]
        if len(kinds) != 1 or not isinstance(table[kinds[0]], str):
            raise self._file.wrong(
                what,
                ", ".join(table) or "nothing",
                f"{what} with one of path (of a number in the result), cost, parameter",
                table,
            )
        given = table[kinds[0]]
        if kinds[0] == "parameter" and "name" not in table:
            raise self._file.wrong(
                "parameter",
                f"{what} {given} without a name",
                "a name of its own, for its column",
                table,
            )
        name = self.name(table, given, what)
        self._names += [f"{name} low", f"{name} high", f"{name} source"]
        if kinds[0] == "path":
            return Quantity(
                name, Metric(name, tuple(given.split(".")), self._file.line("path", table))
            )
        if kinds[0] == "cost":
            if given not in COSTS:
                raise self._file.wrong("cost", given, "one of " + ", ".join(COSTS), table)
            return Quantity(name, cost=given)
        parameter = next((one for one in parameters if one.name == given), None)
        if (
            parameter is None
            or any(isinstance(value, str) for value in parameter.probes())
            or parameter.when
        ):
            raise self._file.wrong(
                "parameter", f"{what} {given}", "a parameter of numbers, without a condition", table
            )
        return Quantity(name, parameter=given)

    def objective(self, table: Mapping[str, Any], parameters: Sequence[Parameter]) -> Objective:
        self._file.only(
            table, "an objective", ("name", "path", "cost", "parameter", "direction", "resolution")
        )
        direction = table.get("direction", "minimise")
        if direction not in _DIRECTIONS:
            raise self._file.wrong("direction", repr(direction), " or ".join(_DIRECTIONS), table)
        resolution = self.number(table, "resolution")
        if resolution is not None and not resolution > 0:
            raise self._file.wrong("resolution", repr(resolution), "a number above 0", table)
        return Objective(
            self.quantity(table, parameters, "objective"), direction == "maximise", resolution
        )

    def constraint(self, table: Mapping[str, Any], parameters: Sequence[Parameter]) -> Constraint:
        self._file.only(
            table, "a constraint", ("name", "path", "cost", "parameter", "at_most", "at_least")
        )
        at_most, at_least = self.number(table, "at_most"), self.number(table, "at_least")
        if at_most is None and at_least is None:
            raise self._file.wrong(
                "constraint", "neither at_most nor at_least", "one of them", table
            )
        return Constraint(self.quantity(table, parameters, "constraint"), at_most, at_least)

    def sampler(self) -> Sampler:
        table = self._file.content.get("search", {})
        if not isinstance(table, dict):
            raise self._file.wrong("search", repr(table), "a table")
        self._file.only(table, "search", ("sampler", "seed", "population", "startup", "batch"))
        name = table.get("sampler", _SAMPLERS[0])
        if name not in _SAMPLERS:
            raise self._file.wrong("sampler", repr(name), " or ".join(_SAMPLERS))
        for key, of in (("population", "NSGA-II"), ("startup", "TPE")):
            if key in table and name != of:
                raise self._file.wrong(key, f"with sampler {name}", f"sampler {of}")
        return Sampler(
            name,
            self.number(table, "seed", whole=True, least=0, default=1),
            self.number(table, "population", whole=True, least=2, default=50),
            self.number(table, "startup", whole=True, least=1, default=20),
            self.number(table, "batch", whole=True, least=1, default=1),
        )

    def check(self, table: Mapping[str, Any], seeds: tuple[int, ...]) -> Check:
        self._file.only(table, "a check", ("name", "seeds", "set"))
        name = table.get("name")
        if not isinstance(name, str) or not name:
            raise self._file.wrong("name", repr(name), "what is different in this check", table)
        return Check(
            name,
            seeds_of(self._file, table["seeds"]) if "seeds" in table else seeds,
            set_of(self._file, table, table),
            table,
        )


def _expect_apart(file: TomlFile, parameters: Sequence[Parameter]) -> None:
    """No key is set by two parameters that can count at once, nor the seed by any."""
    where: dict[str, dict[str, set[Value]]] = {}  # with the conditions of those that it names
    for number, one in enumerate(parameters):
        own = where[one.name] = {}
        for name, values in one.when:
            for named, allowed in ((name, set(values)), *where[name].items()):
                own[named] = own.get(named, allowed) & allowed
        for other in parameters[:number]:
            apart = any(not own[name] & where[other.name].get(name, own[name]) for name in own)
            if (both := one.all_keys() & other.all_keys()) and not apart:
                raise file.wrong(
                    min(both),
                    f"a key that {other.name} sets too",
                    "each key in one parameter, or conditions that never hold together",
                    one.table,
                )
        if "sim.seed" in one.all_keys():
            raise file.wrong("sim.seed", "a key that `seeds` sets", "another key", one.table)


def read_space(path: Path) -> Space:
    """Raises LabError with file, line, key, what was found and what was expected."""
    file = TomlFile(path, "a space to search")
    content, read = file.content, _Reader(file)
    keys = "format scenario seeds trials limit_s search set parameter objective constraint check"
    file.only(content, "the space", keys.split())
    if content.get("format") != _FORMAT:
        raise file.wrong("format", repr(content.get("format")), str(_FORMAT))
    scenario, common = scenario_of(file), set_of(file, content)
    parameters: list[Parameter] = []
    for table in read.tables("parameter"):
        parameters.append(read.parameter(table, parameters))
    if not parameters:
        raise file.wrong("parameter", "none", "tables [[parameter]]")
    _expect_apart(file, parameters)
    objectives = tuple(read.objective(table, parameters) for table in read.tables("objective"))
    if not objectives:
        raise file.wrong("objective", "none", "tables [[objective]]")
    constraints = tuple(read.constraint(table, parameters) for table in read.tables("constraint"))
    seeds = seeds_of(file, content.get("seeds", 1))
    checks = tuple(read.check(table, seeds) for table in read.tables("check"))
    trials = read.number(content, "trials", whole=True, least=1)
    if trials is None:
        raise file.wrong("trials", "nothing", "how many configurations are tried")
    limit_s = read.number(content, "limit_s")
    if limit_s is not None and not limit_s > 0:
        raise file.wrong("limit_s", repr(limit_s), "seconds above 0")
    space = Space(
        file,
        scenario,
        seeds,
        trials,
        read.sampler(),
        common,
        tuple(parameters),
        objectives,
        constraints,
        checks,
        limit_s,
    )
    for parameter in parameters:
        if (
            parameter.key is None
            and isinstance(parameter.domain, Range)
            and parameter.name not in space.named()
        ):
            raise file.wrong(
                parameter.name,
                "a parameter without a key that no placeholder names",
                f"key, or {{{parameter.name}}} in another value",
                parameter.table,
            )
    for name in sorted(space.named()):
        if name.startswith(_COST) and name.removeprefix(_COST) not in COSTS:
            raise file.wrong(name, f"a placeholder {{{name}}}", "one of " + ", ".join(COSTS))
    return space
