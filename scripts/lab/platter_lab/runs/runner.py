# SPDX-License-Identifier: Apache-2.0
"""Runs points with an executable, and keeps what has run."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from platter_lab import LabError, StudyFailed
from platter_lab.executable import ROOT, call_platter
from platter_lab.files import write_parquet
from platter_lab.model import read_requests
from platter_lab.runs.executor import ExecutorIf
from platter_lab.runs.point import Point, probes_of
from platter_lab.runs.results import Estimate, Results
from platter_lab.runs.store import Store

Run = tuple[Point, int]   # a point and a seed


@dataclass(frozen=True)
class _Content:
    """All that a run's result depends on, but for the seed. `files` are the digests of those that the configuration names, by absolute name."""

    program: str
    configuration: dict[str, Any]
    files: Mapping[str, str]
    summary: tuple[str, ...]

    def digest(self) -> str:
        return Store.key(self.program, self._by_content(self.configuration), *self.summary)

    def _by_content(self, value: Any) -> Any:
        """The effective configuration with the content of files in the place of their names."""
        if isinstance(value, dict):
            return {key: self._by_content(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._by_content(item) for item in value]
        return self.files.get(value, value) if isinstance(value, str) else value


@dataclass(frozen=True)
class _Seen:
    """A file as it was: where and when it was written, and its digest."""

    stamp: tuple[int, ...]
    digest: str


@dataclass(frozen=True)
class Failure:
    """A run that has no result."""

    message: str


class Runner:
    """Runs points with an executable, where the executor says."""

    def __init__(self, platter: Path, store: Store, executor: ExecutorIf) -> None:
        self._platter = platter
        self._program = _look(platter)
        self._store = store
        self._executor = executor
        self._files: dict[str, _Seen] = {}
        self._contents: dict[Point, _Content] = {}

    def results(self, batches: Iterable[tuple[Point, tuple[int, ...]]]) -> Results:
        """All points, each with its seeds; only what is not kept is run, and points of one content only once. Raises LabError at the first run
        that fails, and where the executable or a run's input has changed since this Runner has seen it first."""
        wanted = dict(batches)
        keys, found = self._kept(wanted)
        todo = _once(keys, found)
        found.update(self._executor.map(lambda job: (job[0], self._run(*job)), [(key, *run) for key, run in todo.items()], "runs"))
        return Results({point: [found[keys[point, seed]] for seed in seeds] for point, seeds in wanted.items()})

    def outcomes(self, batches: Iterable[tuple[Point, tuple[int, ...]]], *, limit_s: float | None = None,
                 tries: int = 2, logs: bool = False) -> dict[Point, list[dict[str, Any] | Failure]]:
        """As `results`, but a run that fails, or takes longer than `limit_s`, is tried again, then is a Failure, and the others go on. Bad input and
        what changed meanwhile still raise LabError, and so does a result that cannot be kept. With `logs` each
        result has `requests`, the file of its log of requests (Parquet)."""
        wanted = dict(batches)
        keys, found = self._kept(wanted)
        if logs:
            found = {key: result for key, result in found.items() if self._store.log(key).is_file()}
        outcomes: dict[str, dict[str, Any] | Failure] = dict(found)

        def attempt(job: tuple[str, Point, int]) -> _Attempt:
            key, point, seed = job
            for left in reversed(range(tries)):
                try:
                    result, changed = self._result(point, seed, limit_s, self._store.log(key) if logs else None)
                    break
                except LabError as error:
                    if not left or not isinstance(error, StudyFailed):
                        return _Attempt(key, Failure(str(error)))
            self._keep(key, point, seed, result, changed)
            return _Attempt(key, result)

        jobs = [(key, *run) for key, run in _once(keys, found).items()]
        self._executor.map(self._check, list(dict.fromkeys(point for _, point, _ in jobs)), "checks")
        outcomes.update((one.key, one.outcome) for one in self._executor.map(attempt, jobs, "runs"))
        if logs:
            outcomes = {key: one if isinstance(one, Failure) else {**one, "requests": str(self._store.log(key))} for key, one in outcomes.items()}
        return {point: [outcomes[keys[point, seed]] for seed in seeds] for point, seeds in wanted.items()}

    def _check(self, point: Point) -> None:
        """LabError where it cannot run: a configuration may be good and its engine not know the policy."""
        self._call(["config", "check", str(point.scenario), *point.overrides()], point.command(1))

    def estimate(self, batches: Iterable[tuple[Point, tuple[int, ...]]]) -> Estimate:
        """From two short runs of each point that has something to do: what a run costs at once, and by its length."""
        wanted = dict(batches)
        keys, found = self._kept(wanted)
        todo = _once(keys, found)
        cpu_s = 0.0
        missing = Counter(point for point, _ in todo.values())
        probes = {point: probes_of(point) for point in missing}
        results = self.results((probe, wanted[point][:1]) for point, both in probes.items() for probe in both)
        for point, count in missing.items():
            short, long = (results[probe][0]["host"]["cpu_s"] for probe in probes[point])
            length, longer = (probe.simulated_s for probe in probes[point])
            cpu_s += count * (short + max(0.0, long - short) * (point.simulated_s - length) / (longer - length))
        return Estimate(len(wanted), len(keys), len(keys) - len(todo), cpu_s)

    def _kept(self, batches: Mapping[Point, tuple[int, ...]]) -> tuple[dict[Run, str], dict[str, dict[str, Any]]]:
        """Each run's key, in the order of the runs, and what has run before by its key."""
        digests = self._executor.map(self._content_digest, list(batches), "scenarios")
        keys = {(point, seed): Store.key(digest, seed) for (point, seeds), digest in zip(batches.items(), digests, strict=True) for seed in seeds}
        return keys, {key: result for key in dict.fromkeys(keys.values()) if (result := self._store.read(key)) is not None}

    def _content_digest(self, point: Point) -> str:
        if point not in self._contents:
            configuration = self._configuration(point)
            files = {}
            for name in _file_names(configuration):
                if name not in self._files:
                    self._files[name] = _look(Path(name))
                files[name] = self._files[name].digest
            self._contents[point] = _Content(self._program.digest, configuration, files, _summary_source(point))
        return self._contents[point].digest()

    def _configuration(self, point: Point) -> dict[str, Any]:
        """The effective one, as it is now."""
        command = point.command(1)
        try:
            configuration = tomllib.loads(self._call(["config", "dump", str(point.scenario), *point.overrides()], command))
        except ValueError as error:
            raise self._no_model(command, "a configuration") from error
        if not configuration:
            raise self._no_model(command, "a configuration")
        return configuration

    def _changed(self, point: Point, ran_with: dict[str, Any]) -> list[str]:
        """What is not as it was when the point's key was made, by name. `ran_with` is the configuration in its result."""
        then = self._contents[point]
        changed = [str(self._platter)] if _look(self._platter, self._program).digest != then.program else []
        # What the result says tells that nothing has changed; where it has another form than the dump, a second dump tells.
        if _but_seed(ran_with) != _but_seed(then.configuration) and Store.key(self._configuration(point)) != Store.key(then.configuration):
            changed.append(f"the configuration of {point.scenario}")
        return changed + [name for name, digest in then.files.items()
                          if not os.path.isfile(name) or _look(Path(name), self._files[name]).digest != digest]

    def _call(self, arguments: list[str], command: str, limit_s: float | None = None) -> str:
        return call_platter(self._platter, arguments, folder=ROOT, command=command, limit_s=limit_s)

    def _no_model(self, command: str, what: str) -> LabError:
        return LabError(f"{command}\n{self._platter}: gave no such thing as {what}; expected the model's executable")

    def _run(self, key: str, point: Point, seed: int) -> dict[str, Any]:
        result, changed = self._result(point, seed)
        self._keep(key, point, seed, result, changed)
        return result

    def _result(self, point: Point, seed: int, limit_s: float | None = None, keeps_log: Path | None = None) -> tuple[dict[str, Any], list[str]]:
        """Of a run, and what has changed since its key was made."""
        command = point.command(seed)
        with tempfile.TemporaryDirectory(prefix="platter-runs-") as name:
            result_file, log = Path(name) / "result.json", Path(name) / "requests.csv"
            self._call(["run", str(point.scenario), "--quiet", *point.overrides(), "--set", f"sim.seed={seed}", "--result", str(result_file),
                        *(["--requests", str(log)] if point.summary or keeps_log else [])], command, limit_s)
            try:
                result = json.loads(result_file.read_text(encoding="utf-8"))
                ran_with = result.pop("configuration")  # is in the key
            except (FileNotFoundError, ValueError, KeyError, AttributeError) as error:
                raise self._no_model(command, "a result") from error
            if point.summary:
                result["summary"] = point.summary(log)
            if keeps_log:
                write_parquet(read_requests(log), keeps_log)
        return result, self._changed(point, ran_with)

    def _keep(self, key: str, point: Point, seed: int, result: dict[str, Any], changed: list[str]) -> None:
        if changed:
            raise StudyFailed(f"{point.command(seed)}\n{', '.join(changed)}: changed while the study ran, so the result is not kept; "
                              "expected no change, begin again")
        self._store.write(key, result)


@dataclass(frozen=True)
class _Attempt:
    key: str
    outcome: dict[str, Any] | Failure

    @property
    def failed(self) -> bool:
        return isinstance(self.outcome, Failure)


def _once(keys: Mapping[Run, str], found: Mapping[str, Any]) -> dict[str, Run]:
    """The first run of each key that is not found, in the order of the runs."""
    todo: dict[str, Run] = {}
    for run, key in keys.items():
        if key not in found:
            todo.setdefault(key, run)
    return todo


def _look(file: Path, before: _Seen | None = None) -> _Seen:
    """The file as it is; read only if it was written since it was seen before. LabError where it cannot be read."""
    try:
        status = file.stat()
        stamp = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        return before if before and before.stamp == stamp else _Seen(stamp, hashlib.sha256(file.read_bytes()).hexdigest())
    except OSError as error:
        raise LabError(f"{file}: {error.strerror}; expected a file that can be read") from error


def _but_seed(configuration: dict[str, Any]) -> dict[str, Any]:
    """A run has its own."""
    return {**configuration, "sim": {key: value for key, value in configuration.get("sim", {}).items() if key != "seed"}}


def _file_names(value: Any) -> Iterator[str]:
    """The absolute names of files in a configuration."""
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _file_names(item)
    elif isinstance(value, str) and os.path.isabs(value) and os.path.isfile(value):
        yield value


def _summary_source(point: Point) -> tuple[str, ...]:
    """Of the module, since the function may call others, and which function of it."""
    if point.summary is None:
        return ("",)
    module = inspect.getmodule(point.summary)
    assert module, "a summary is a function of a study's module"
    return inspect.getsource(module), point.summary.__qualname__
