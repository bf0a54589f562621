# SPDX-License-Identifier: Apache-2.0
"""The search: the runs of a trial, and their evaluation."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from platter_lab import LabError, StudyFailed
from platter_lab.cost.prices import COSTS, Engine, NoPriceError, Price
from platter_lab.executable import call_platter
from platter_lab.optimise.space import Assignment, Parameter, Quantity, Space
from platter_lab.optimise.study import NOTHING_MEASURED, Record, Study
from platter_lab.runs.executor import ExecutorIf
from platter_lab.runs.job import Failure
from platter_lab.runs.point import Point, Scenario
from platter_lab.runs.runner import Runner
from platter_lab.sweep.metrics import value_of

_MOST_PRICED = 200_000


class Configurations:
    """The scenario's keys and the costs of what a trial tries."""

    def __init__(self, space: Space, platter: Path) -> None:
        """LabError where the model refuses the scenario."""
        self._space = space
        self._platter = platter
        try:
            self._scenario = Scenario(
                platter,
                space.scenario,
                [(key, value) for key, value in space.common if "{" not in value],
            )
        except LabError as error:
            if isinstance(error, StudyFailed):
                raise
            raise space.source.wrong(
                "set",
                f"keys that the model refuses: {error}",
                "a valid scenario, and only keys of it in [set]",
            ) from error

    def _engine(self, settings: Mapping[str, str]) -> Engine:
        return Engine.configured(self._scenario.with_drive_of(settings), settings)

    def _placed(self, name: str, settings: Mapping[str, str]) -> str | None:
        engine = self._engine(settings)
        if name == "fmax_mhz" and not engine.accelerated:
            return None
        return f"{COSTS[name].of(engine).value:.9g}"

    def settings(self, values: Assignment, over: Sequence[tuple[str, str]] = ()) -> dict[str, str]:
        return self._space.settings(values, self._placed, over)

    def point(self, settings: Mapping[str, str]) -> Point:
        return self._scenario.point(settings.items(), self._space.file)

    def cost(self, name: str, settings: Mapping[str, str]) -> Price:
        return COSTS[name].of(self._engine(settings))

    def objection(self, point: Point) -> str:
        """Why the model refuses a configuration; "" where it does not."""
        try:
            call_platter(
                self._platter,
                ["config", "check", str(point.scenario), *point.overrides()],
                command=point.command(1),
            )
        except LabError as error:
            if isinstance(error, StudyFailed):
                raise
            return str(error)
        return ""

    def _probed(self) -> list[tuple[Parameter, Any, Mapping[str, Any]]]:
        """Each parameter's values, with an assignment in which all others have their first."""
        return [
            (parameter, value, self._space.with_value(parameter.name, value))
            for parameter in self._space.parameters
            for value in parameter.probes()
        ]

    def probes(self) -> Iterator[Point]:
        """The points that `expect_good` tries."""
        return (self.point(self.settings(values)) for _, _, values in self._probed())

    def expect_good(self, executor: ExecutorIf) -> None:
        """LabError, with file and line, for a value that the model refuses where all other
        parameters have their first values, for a check that it refuses there, and where a cost that
        is asked for is not known anywhere in the space.
        """
        self._expect_prices()
        points = list(self.probes())
        said = executor.map(self.objection, points, "checks")
        for (tried, value, values), objection in zip(self._probed(), said, strict=True):
            if objection:
                # Another parameter may be to blame, which counts only with this value.
                active = self._space.active(values)
                said_of = [
                    one
                    for one in self._space.parameters
                    if one.name in active and any(f" {key}:" in objection for key in one.all_keys())
                ]
                parameter = tried if tried in said_of or not said_of else said_of[0]
                value = active[parameter.name]
                raise self._space.source.wrong(
                    parameter.key or parameter.name,
                    f"{value!r}, which the model refuses: {objection.strip()}",
                    "values that are valid with the first values of all other parameters",
                    parameter.table,
                )
        for check in self._space.checks:
            if objection := self.objection(
                self.point(self.settings(self._space.first(), check.settings))
            ):
                raise self._space.source.wrong(
                    "set",
                    f"keys that the model refuses in {check.name!r}: {objection.strip()}",
                    "keys of the scenario",
                    check.table,
                )

    def _expect_prices(self) -> None:
        """Over all combinations of the parameters that bear upon a cost."""
        costs = sorted(self._space.costs())
        if not costs:
            return
        names = self._bearing()
        bearing = [parameter for parameter in self._space.parameters if parameter.name in names]
        for parameter in bearing:
            if parameter.count() is None:
                raise self._space.source.wrong(
                    parameter.name,
                    "a continuous range of a parameter on which costs depend",
                    "whole numbers, or a step",
                    parameter.table,
                )
        if math.prod(parameter.count() or 0 for parameter in bearing) > _MOST_PRICED:
            raise self._space.source.wrong(
                "parameter",
                f"more than {_MOST_PRICED} combinations of {', '.join(sorted(names))}, on which "
                "costs depend",
                f"at most {_MOST_PRICED}",
            )
        domains = [
            parameter.all() if parameter.name in names else parameter.probes()[:1]
            for parameter in self._space.parameters
        ]
        for combination in itertools.product(*domains):
            values = dict(
                zip(
                    [parameter.name for parameter in self._space.parameters],
                    combination,
                    strict=True,
                )
            )
            try:
                settings = self.settings(values)
                for name in costs:
                    if name != "fmax_mhz" or name in {one.cost for one in self._space.quantities}:
                        self.cost(name, settings)
            except NoPriceError as error:
                shown = ", ".join(
                    f"{name} = {value}"
                    for name, value in self._space.active(values).items()
                    if name in names
                )
                raise self._space.source.wrong(
                    "cost",
                    f"{', '.join(costs)} of {shown}, which are not known: {error}",
                    "configurations between those measured",
                ) from error

    def _bearing(self) -> set[str]:
        """The parameters that a cost can depend on."""
        keys, names = set(Engine.KEYS), set[str]()
        while True:
            before = len(names), len(keys)
            for parameter in self._space.parameters:
                if parameter.all_keys() & keys or parameter.name in keys:
                    names.add(parameter.name)
                    keys.update(name for name, _ in parameter.when)
            keys.update(self._space.named_by(keys))
            if before == (len(names), len(keys)):
                return names


class Evaluation:
    """Runs configurations over seeds and takes from their results what the space asks for."""

    def __init__(
        self,
        space: Space,
        configurations: Configurations,
        runner: Runner,
        here: ExecutorIf,
        limit_s: float | None,
    ) -> None:
        self._space = space
        self._configurations = configurations
        self._runner = runner
        self._here = here
        self._limit_s = limit_s

    def records(
        self,
        values: Sequence[Assignment],
        seeds: tuple[int, ...],
        over: Sequence[tuple[str, str]] = (),
    ) -> list[Record]:
        """One for each assignment."""
        settings = [self._configurations.settings(one, over) for one in values]
        known = [self._known(one, its) for one, its in zip(values, settings, strict=True)]
        points = [self._configurations.point(its) for its in settings]
        broken = [self._broken(one) for one in known]
        todo = [number for number, why in enumerate(broken) if not why]
        said = dict(
            zip(
                todo,
                self._here.map(
                    lambda number: self._configurations.objection(points[number]), todo, "checks"
                ),
                strict=True,
            )
        )
        batches = [(points[number], seeds) for number in todo if not said[number]]
        outcomes = self._runner.outcomes(batches, limit_s=self._limit_s) if batches else {}
        records = []
        for number, point in enumerate(points):
            if broken[number]:
                records.append(
                    Record("infeasible", broken[number], *_told(known[number], {}, seeds))
                )
            elif said[number]:
                records.append(Record("refused", said[number], *_told(known[number], {}, seeds)))
            else:
                records.append(self._of_runs(known[number], outcomes[point], seeds))
        return records

    def _known(self, values: Assignment, settings: Mapping[str, str]) -> dict[Quantity, Price]:
        """What is known without a run."""
        found = {}
        for quantity in self._space.quantities:
            if quantity.cost:
                found[quantity] = self._configurations.cost(quantity.cost, settings)
            elif quantity.parameter:
                found[quantity] = Price(float(values[quantity.parameter]), None)
        return found

    def _broken(self, known: Mapping[Quantity, Price]) -> str:
        """The first constraint that is broken whatever the runs give."""
        for constraint in self._space.constraints:
            price = known.get(constraint.quantity)
            if price and constraint.violation([price.value]) > 0:
                return f"{constraint.quantity.name} is {price.value:g}"
        return ""

    def _of_runs(
        self,
        known: Mapping[Quantity, Price],
        runs: Sequence[dict[str, Any] | Failure],
        seeds: Sequence[int],
    ) -> Record:
        failures = [one.message for one in runs if isinstance(one, Failure)]
        measured = {
            quantity: [
                math.nan if isinstance(one, Failure) else value_of(one, quantity.metric)
                for one in runs
            ]
            for quantity in self._space.quantities
            if quantity.metric
        }
        told = _told(known, measured, seeds)
        if failures:
            return Record("failed", failures[0], *told)
        missing = [
            (
                f"{quantity.name} has no value in {len(without)} of {len(seeds)} runs (seed "
                f"{', '.join(map(str, without))})"
            )
            for quantity, values in measured.items()
            if (
                without := [
                    seed
                    for seed, value in zip(seeds, values, strict=True)
                    if not math.isfinite(value)
                ]
            )
        ]
        return (
            Record("infeasible", f"{NOTHING_MEASURED}: {'; '.join(missing)}", *told)
            if missing
            else Record("good", "", *told)
        )


def _told(
    known: Mapping[Quantity, Price],
    measured: Mapping[Quantity, Sequence[float]],
    seeds: Sequence[int],
) -> tuple[dict[str, list[float]], dict[str, str]]:
    """A record's samples and sources. What is no number is left out: a journal is strict JSON."""
    samples = {quantity.name: [price.value] * len(seeds) for quantity, price in known.items()}
    samples |= {
        quantity.name: list(values)
        for quantity, values in measured.items()
        if all(map(math.isfinite, values))
    }
    return samples, {
        quantity.name: str(price.source) for quantity, price in known.items() if price.source
    }


def search(
    study: Study,
    evaluation: Evaluation,
    space: Space,
    goal: int,
    tell: Callable[[Assignment, Record], None],
) -> None:
    """Goes on to `goal` different configurations, of all processes together, or until no new one is
    found. Of trials that are chosen together each is told in turn, so that the same ones come of
    the same seed.
    """
    with study.alive():
        while True:
            study.take_over()
            asked = []
            for _ in range(min(space.sampler.batch, study.left(goal))):
                one = study.ask(goal)
                if one is None:
                    break
                asked.append(one)
            if not asked:
                return
            records = evaluation.records([values for _, values in asked], space.seeds)
            for (trial, values), record in zip(asked, records, strict=True):
                study.tell(trial, record)
                tell(values, record)
