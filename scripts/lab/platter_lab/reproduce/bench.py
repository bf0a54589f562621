# SPDX-License-Identifier: Apache-2.0
"""Runs of the model in parallel, each kept under a key of all that it depends on."""

from __future__ import annotations

import hashlib
import inspect
import json
import math
import os
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tqdm import tqdm

from platter_lab import LabError
from platter_lab.executable import ROOT
from platter_lab.files import write_whole

_FORMAT = 1              # of a kept result
PROBES = (0.005, 0.02)   # an estimate runs each point for these parts of its time


def beside_root(path: Path) -> str:
    """A path as a command in the project's folder names it."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


@dataclass(frozen=True)
class Command:
    """A command of the model that takes a scenario, `--set`, `--result` and `--quiet`; `dump` prints what it makes of them."""

    run: tuple[str, ...]
    dump: tuple[str, ...]


SIMULATE = Command(("run",), ("config", "dump"))
ADMIT = Command(("server", "admit"), ("server", "dump"))
SIMULATE_ADMITTED = Command(("server", "simulate"), ("server", "dump"))
QOS = Command(("qos", "run"), ("qos", "dump"))


@dataclass(frozen=True)
class Point:
    """A scenario with some keys overridden, without its seed, and the command that runs it.

    `halfway` is a key that is set to the middle of the measured time, in whole seconds. `summary` makes further values of
    the log of all requests (a CSV file); they stand under `summary` in the result. A scenario may refuse to measure less than `least_s`.
    """

    scenario: Path
    settings: tuple[tuple[str, str], ...]
    warmup_s: float
    measure_s: float
    summary: Callable[[Path], dict[str, Any]] | None = None
    program: Command = SIMULATE
    halfway: str = ""
    least_s: float = 0.0

    @property
    def simulated_s(self) -> float:
        return self.warmup_s + self.measure_s

    def overrides(self) -> list[str]:
        halfway = [(self.halfway, f"{self.measure_s // 2:g}")] if self.halfway else []
        settings = [*self.settings, *halfway, ("sim.warmup_s", f"{self.warmup_s:g}"), ("sim.measure_s", f"{self.measure_s:g}")]
        return [word for key, value in settings for word in ("--set", f"{key}={value}")]

    def command(self, seed: int) -> str:
        """What repeats one run by hand, in the project's folder."""
        return shlex.join(["scripts/platter", *self.program.run, beside_root(self.scenario), *self.overrides(),
                           "--set", f"sim.seed={seed}"])


class Results:
    """Results by point, in the order of the seeds."""

    def __init__(self, by_point: Mapping[Point, Sequence[dict[str, Any]]]) -> None:
        self._by_point = dict(by_point)

    def __contains__(self, point: Point) -> bool:
        return point in self._by_point

    @property
    def points(self) -> tuple[Point, ...]:
        return tuple(self._by_point)

    def has(self, batches: Iterable[tuple[Point, Sequence[int]]]) -> bool:
        """Whether each point has run with so many seeds."""
        return all(len(self._by_point.get(point, ())) >= len(seeds) for point, seeds in batches)

    def __getitem__(self, point: Point) -> Sequence[dict[str, Any]]:
        return self._by_point[point]

    def samples(self, point: Point, metric: Callable[[dict[str, Any]], float]) -> list[float]:
        """The metric of each run, shape (seeds,)."""
        return [metric(result) for result in self._by_point[point]]


def probes_of(point: Point) -> list[Point]:
    """Two short runs of a point, of whole seconds, since some programs count rounds."""
    warmup, measure = ([math.ceil(whole * share) for share in PROBES] for whole in (point.warmup_s, point.measure_s))
    measure[0] = max(measure[0], point.least_s)
    measure[1] = max(measure[1], measure[0] + 1)
    return [replace(point, warmup_s=w, measure_s=m) for w, m in zip(warmup, measure, strict=True)]


@dataclass(frozen=True)
class Estimate:
    """What the runs that are not kept yet would take."""

    points: int
    runs: int
    kept: int
    cpu_s: float

    def text(self, jobs: int) -> str:
        todo = self.runs - self.kept
        each = self.cpu_s / todo if todo else 0.0
        return (f"{self.points} points, {self.runs} runs, {self.kept} of them kept; {todo} to do at {each:.2f} CPU-seconds: "
                f"{self.cpu_s:.0f} CPU-seconds, about {self.cpu_s / jobs / 60:.1f} min with {jobs} jobs")


class Bench:
    """Runs points with an executable. `folder` keeps results: one file a run, whole or not there."""

    def __init__(self, platter: Path, folder: Path, jobs: int) -> None:
        self._platter = platter
        self._program = hashlib.sha256(platter.read_bytes()).hexdigest()
        self._folder = folder
        self.jobs = jobs
        self._files: dict[str, str] = {}
        self._contents: dict[Point, str] = {}

    def results(self, batches: Iterable[tuple[Point, Sequence[int]]]) -> Results:
        """All points, each with its seeds; only what is not kept is run. Raises LabError at the first run that fails."""
        batches = dict(batches)
        by_run, todo = self._kept(batches)
        by_run.update(self._parallel(lambda job: ((job[0], job[1]), self._run(*job)), todo, "runs"))
        return Results({point: [by_run[point, seed] for seed in seeds] for point, seeds in batches.items()})

    def estimate(self, batches: Iterable[tuple[Point, Sequence[int]]]) -> Estimate:
        """From two short runs of each point that has something to do: what a run costs at once, and by its length."""
        batches = dict(batches)
        done, todo = self._kept(batches)
        cpu_s = 0.0
        missing = Counter(point for point, _, _ in todo)
        probes = {point: probes_of(point) for point in missing}
        results = self.results((probe, batches[point][:1]) for point, both in probes.items() for probe in both)
        for point, count in missing.items():
            short, long = (results[probe][0]["host"]["cpu_s"] for probe in probes[point])
            length, longer = (probe.warmup_s + probe.measure_s for probe in probes[point])
            whole = point.warmup_s + point.measure_s
            cpu_s += count * (short + max(0.0, long - short) * (whole - length) / (longer - length))
        return Estimate(len(batches), len(done) + len(todo), len(done), cpu_s)

    def _kept(self, batches: Mapping[Point, Sequence[int]]) -> tuple[
            dict[tuple[Point, int], dict[str, Any]], list[tuple[Point, int, str]]]:
        """What has run before, and the rest with its keys."""
        done, todo = {}, []
        for point, content in self._parallel(lambda point: (point, self._content(point)), list(batches), "scenarios"):
            for seed in batches[point]:
                key = hashlib.sha256(f"{content} {seed}".encode()).hexdigest()
                result = self._read(key)
                if result is None:
                    todo.append((point, seed, key))
                else:
                    done[point, seed] = result
        return done, todo

    def _parallel(self, work: Callable[[Any], Any], items: Sequence[Any], what: str) -> list[Any]:
        """The work's results in the order of the items, whatever order they finish in."""
        bar = tqdm(total=len(items), unit=" " + what, disable=True if not items else None, file=sys.stderr, leave=False)
        with bar, ThreadPoolExecutor(self.jobs) as pool:
            futures = [pool.submit(work, item) for item in items]
            for future in futures:
                future.add_done_callback(lambda _: bar.update())
            try:
                wait(futures, return_when=FIRST_EXCEPTION)
                failed = next((future for future in futures if future.done() and future.exception()), None)
                if failed:
                    raise failed.exception()
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
            return [future.result() for future in futures]

    def _digest(self, file: str) -> str:
        if file not in self._files:
            self._files[file] = hashlib.sha256(Path(file).read_bytes()).hexdigest()
        return self._files[file]

    def _by_content(self, value: Any) -> Any:
        """The effective configuration with the content of the files it names in the place of their names."""
        if isinstance(value, dict):
            return {key: self._by_content(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._by_content(item) for item in value]
        if isinstance(value, str) and os.sep in value and (ROOT / value).is_file():
            return self._digest(str(ROOT / value))
        return value

    def _content(self, point: Point) -> str:
        """A digest of all that a run's result depends on, but for the seed."""
        if point not in self._contents:
            self._contents[point] = self._find_content(point)
        return self._contents[point]

    def _find_content(self, point: Point) -> str:
        text = self._call([*point.program.dump, "--json", str(point.scenario), *point.overrides()], point, None)
        summary = inspect.getsource(inspect.getmodule(point.summary)) if point.summary else ""
        whole = [_FORMAT, self._program, *point.program.run, self._by_content(json.loads(text)), summary]
        return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()

    def _file(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key[2:]}.json"

    def _read(self, key: str) -> dict[str, Any] | None:
        try:
            return json.loads(self._file(key).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    def _call(self, arguments: list[str], point: Point, seed: int | None) -> str:
        done = subprocess.run([str(self._platter), *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            said = (done.stderr or done.stdout).strip()[-2000:]
            command = point.command(1 if seed is None else seed)
            raise LabError(f"{command}\nfailed with exit code {done.returncode}: {said}")
        return done.stdout

    def _run(self, point: Point, seed: int, key: str) -> dict[str, Any]:
        with tempfile.TemporaryDirectory(prefix="platter-reproduce-") as name:
            result_file, log = Path(name) / "result.json", Path(name) / "requests.csv"
            self._call([*point.program.run, str(point.scenario), "--quiet", *point.overrides(), "--set", f"sim.seed={seed}",
                        "--result", str(result_file), *(["--requests", str(log)] if point.summary else [])], point, seed)
            result = json.loads(result_file.read_text(encoding="utf-8"))
            result.pop("configuration")  # is in the key
            if point.summary:
                result["summary"] = point.summary(log)
        write_whole({self._file(key): json.dumps(result, sort_keys=True)})
        return result
