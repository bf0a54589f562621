# SPDX-License-Identifier: Apache-2.0
"""Runs points with an executable, and keeps their results."""

from __future__ import annotations

import inspect
import os
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from platter_lab.executable import HAS_TREE, ROOT
from platter_lab.runs.executor import ExecutorIf
from platter_lab.runs.job import (
    Failure,
    Inputs,
    Job,
    Places,
    but_seed,
    carry_out,
    carry_out_or_raise,
    configuration_of,
    content_of,
    digest_of,
    parts_of,
)
from platter_lab.runs.point import Point, probes_of
from platter_lab.runs.results import Estimate, Results
from platter_lab.runs.store import Store

Run = tuple[Point, int]  # a point and a seed

_MOST_PROBED = 200  # points, by an estimate


@dataclass(frozen=True)
class _Content:
    """All that a point's results depend on, but for the seed: its digest, and the inputs that must
    still be the same when a run ends.
    """

    digest: str
    inputs: Inputs


class Runner:
    """Runs points with an executable, where the executor says.

    Scenarios are read and checked `here` (default: by the executor).
    """

    def __init__(
        self, platter: Path, store: Store, executor: ExecutorIf, here: ExecutorIf | None = None
    ) -> None:
        self._platter = platter
        self._program = digest_of(platter)
        self._store = store
        self._executor = executor
        self._here = here or executor
        # Commands that repeat a run are said for it.
        self._folder = ROOT if HAS_TREE else Path.cwd()
        self._files: dict[str, str] = {}
        self._contents: dict[Point, _Content] = {}
        self._read: dict[Point, dict[str, Any]] = {}  # configurations whose digest is not made yet

    def results(self, batches: Iterable[tuple[Point, tuple[int, ...]]]) -> Results:
        """All points, each with its seeds; only what is not kept is run, and points of one content
        only once. Raises LabError at the first run that fails, and where the executable or a run's
        input has changed since this Runner has seen it first.
        """
        wanted = dict(batches)
        keys, found = self._kept(wanted)
        jobs = [self._job(key, *run) for key, run in _once(keys, found).items()]
        for one in self._executor.map(carry_out_or_raise, jobs, "runs"):
            assert not isinstance(one.result, Failure)
            found[one.key] = one.result
        return Results(
            {point: [found[keys[point, seed]] for seed in seeds] for point, seeds in wanted.items()}
        )

    def outcomes(
        self,
        batches: Iterable[tuple[Point, tuple[int, ...]]],
        *,
        limit_s: float | None = None,
        tries: int = 2,
        logs: bool = False,
        places: Places = (),
    ) -> dict[Point, list[dict[str, Any] | Failure]]:
        """As `results`, but a run that fails, or takes longer than `limit_s`, is tried again, then
        is a Failure, and the others go on. Bad input and what changed meanwhile still raise
        LabError, and so does a result that cannot be kept. With `logs` each result has `requests`,
        the file of its log of requests (Parquet). With `places` results have no more than what
        stands there: many can be held.
        """
        wanted = dict(batches)
        keys, found = self._kept(wanted, places, logs)
        outcomes: dict[str, dict[str, Any] | Failure] = dict(found)
        todo = _once(keys, found)
        jobs = [
            self._job(key, point, seed, limit_s, tries, logs, places)
            for key, (point, seed) in todo.items()
        ]
        outcomes.update(
            (one.key, one.result) for one in self._executor.map(carry_out, jobs, "runs", Job.lost)
        )
        if logs:
            outcomes = {
                key: one
                if isinstance(one, Failure)
                else {**one, "requests": str(self._store.log(key))}
                for key, one in outcomes.items()
            }
        return {
            point: [outcomes[keys[point, seed]] for seed in seeds]
            for point, seeds in wanted.items()
        }

    def _job(
        self,
        key: str,
        point: Point,
        seed: int,
        limit_s: float | None = None,
        tries: int = 1,
        logs: bool = False,
        places: Places = (),
    ) -> Job:
        return Job(
            key,
            self._platter,
            self._folder,
            (str(point.scenario), *point.overrides()),
            seed,
            point.command(seed),
            self._contents[point].inputs,
            self._store,
            point.summary,
            limit_s,
            tries,
            logs,
            places,
        )

    def configuration(self, point: Point) -> dict[str, Any]:
        """The effective one. LabError where it cannot run."""
        if point not in self._read:
            self._read[point] = configuration_of(
                self._platter,
                (str(point.scenario), *point.overrides()),
                self._folder,
                point.command(1),
            )
        return self._read[point]

    def digest(self, point: Point) -> str:
        """Of all that the point's results depend on, but for the seed."""
        return self._content_digest(point)

    def estimate(
        self, batches: Iterable[tuple[Point, tuple[int, ...]]], *, logs: bool = False
    ) -> Estimate:
        """From two short runs of each point that has something to do: what a run costs at once, and
        by its length. Of many points some are looked at. With `logs` a run is kept with its log.
        """
        every = dict(batches)
        wanted = every
        if len(every) > _MOST_PROBED:
            wanted = {
                point: every[point] for point in random.Random(1).sample(list(every), _MOST_PROBED)
            }
        keys, found = self._kept(wanted, logs=logs)
        todo = _once(keys, found)
        missing = Counter(point for point, _ in todo.values())
        probes = {point: probes_of(point) for point in missing}
        begin = _cpu_s()
        results = self.results(
            (probe, wanted[point][:1]) for point, both in probes.items() for probe in both
        )
        # What a run costs around it here: to read its scenario, to start it, to keep its result.
        around_s = (
            _cpu_s()
            - begin
            - sum(result["host"]["cpu_s"] for point in results.points for result in results[point])
        ) / max(1, 2 * len(probes))
        cpu_s = len(todo) * max(0.0, around_s)
        for point, count in missing.items():
            short, long = (results[probe][0]["host"]["cpu_s"] for probe in probes[point])
            length, longer = (probe.simulated_s for probe in probes[point])
            cpu_s += count * (
                short + max(0.0, long - short) * (point.simulated_s - length) / (longer - length)
            )
        runs = sum(map(len, every.values()))
        share = runs / len(keys)
        return Estimate(
            len(every), runs, round((len(keys) - len(todo)) * share), cpu_s * share, len(wanted)
        )

    def _kept(
        self, batches: Mapping[Point, tuple[int, ...]], places: Places = (), logs: bool = False
    ) -> tuple[dict[Run, str], dict[str, dict[str, Any]]]:
        """Each run's key, in the order of the runs, and what has run before by its key, with `logs`
        only what has its log.
        """
        digests = self._here.map(self._content_digest, list(batches), "scenarios")
        keys = {
            (point, seed): Store.key(digest, seed)
            for (point, seeds), digest in zip(batches.items(), digests, strict=True)
            for seed in seeds
        }
        return keys, {
            key: parts_of(result, places)
            for key in dict.fromkeys(keys.values())
            if (not logs or self._store.log(key).is_file())
            and (result := self._store.read(key)) is not None
        }

    def _content_digest(self, point: Point) -> str:
        if point not in self._contents:
            configuration = self.configuration(point)
            self._read.pop(point, None)
            files = {}
            for name in _texts(configuration):
                if name not in self._files:
                    self._files[name] = content_of(name, self._folder)
                if self._files[name]:
                    files[name] = self._files[name]
            digest = Store.key(
                self._program, _by_content(configuration, files), *_summary_source(point)
            )
            self._contents[point] = _Content(
                digest,
                Inputs(
                    self._program, but_seed(configuration, self._folder / point.scenario), files
                ),
            )
        return self._contents[point].digest


def _cpu_s() -> float:
    """Of this process and of those that it has waited for."""
    return sum(os.times()[:4])


def _once(keys: Mapping[Run, str], found: Mapping[str, Any]) -> dict[str, Run]:
    """The first run of each key that is not found, in the order of the runs."""
    todo: dict[str, Run] = {}
    for run, key in keys.items():
        if key not in found:
            todo.setdefault(key, run)
    return todo


def _by_content(value: Any, files: Mapping[str, str]) -> Any:
    """An effective configuration with the digests of files instead of their names."""
    if isinstance(value, dict):
        return {key: _by_content(item, files) for key, item in value.items()}
    if isinstance(value, list):
        return [_by_content(item, files) for item in value]
    return files.get(value, value) if isinstance(value, str) else value


def _texts(value: Any) -> Iterator[str]:
    """The texts in a configuration, some of which name files."""
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)
    elif isinstance(value, str):
        yield value


def _summary_source(point: Point) -> tuple[str, ...]:
    """Of the module, since the function may call others, and which function of it."""
    if point.summary is None:
        return ("",)
    module = inspect.getmodule(point.summary)
    assert module, "a summary is a function of a study's module"
    return inspect.getsource(module), point.summary.__qualname__
