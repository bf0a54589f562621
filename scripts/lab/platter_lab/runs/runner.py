# SPDX-License-Identifier: Apache-2.0
"""Runs points with an executable, and keeps what has run."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import subprocess
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from platter_lab import LabError
from platter_lab.executable import ROOT
from platter_lab.runs.executor import ExecutorIf
from platter_lab.runs.point import Point, probes_of
from platter_lab.runs.results import Estimate, Results
from platter_lab.runs.store import Store


class Runner:
    """Runs points with an executable, where the executor says."""

    def __init__(self, platter: Path, store: Store, executor: ExecutorIf) -> None:
        self._platter = platter
        self._program = hashlib.sha256(platter.read_bytes()).hexdigest()
        self._store = store
        self._executor = executor
        self._files: dict[str, str] = {}
        self._contents: dict[Point, str] = {}

    def results(self, batches: Iterable[tuple[Point, tuple[int, ...]]]) -> Results:
        """All points, each with its seeds; only what is not kept is run. Raises LabError at the first run that fails."""
        batches = dict(batches)
        by_run, todo = self._kept(batches)
        by_run.update(self._executor.map(lambda job: ((job[0], job[1]), self._run(*job)), todo, "runs"))
        return Results({point: [by_run[point, seed] for seed in seeds] for point, seeds in batches.items()})

    def estimate(self, batches: Iterable[tuple[Point, tuple[int, ...]]]) -> Estimate:
        """From two short runs of each point that has something to do: what a run costs at once, and by its length."""
        batches = dict(batches)
        done, todo = self._kept(batches)
        cpu_s = 0.0
        missing = Counter(point for point, _, _ in todo)
        probes = {point: probes_of(point) for point in missing}
        results = self.results((probe, batches[point][:1]) for point, both in probes.items() for probe in both)
        for point, count in missing.items():
            short, long = (results[probe][0]["host"]["cpu_s"] for probe in probes[point])
            length, longer = (probe.simulated_s for probe in probes[point])
            cpu_s += count * (short + max(0.0, long - short) * (point.simulated_s - length) / (longer - length))
        return Estimate(len(batches), len(done) + len(todo), len(done), cpu_s)

    def _kept(self, batches: Mapping[Point, tuple[int, ...]]) -> tuple[dict[tuple[Point, int], dict[str, Any]], list[tuple[Point, int, str]]]:
        """What has run before, and the rest with its keys."""
        done, todo = {}, []
        for point, content in self._executor.map(lambda point: (point, self._content(point)), list(batches), "scenarios"):
            for seed in batches[point]:
                key = Store.key(content, seed)
                result = self._store.read(key)
                if result is None:
                    todo.append((point, seed, key))
                else:
                    done[point, seed] = result
        return done, todo

    def _digest(self, file: str) -> str:
        if file not in self._files:
            self._files[file] = hashlib.sha256(Path(file).read_bytes()).hexdigest()
        return self._files[file]

    def _by_content(self, value: Any) -> Any:
        """The effective configuration with the content of the files that it names, by their absolute names, in the place of these."""
        if isinstance(value, dict):
            return {key: self._by_content(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._by_content(item) for item in value]
        return self._digest(value) if isinstance(value, str) and os.path.isabs(value) and os.path.isfile(value) else value

    def _content(self, point: Point) -> str:
        """A digest of all that a run's result depends on, but for the seed."""
        if point not in self._contents:
            configuration = tomllib.loads(self._call(["config", "dump", str(point.scenario), *point.overrides()], point, None))
            summary = inspect.getsource(inspect.getmodule(point.summary)) if point.summary else ""
            self._contents[point] = Store.key(self._program, self._by_content(configuration), summary)
        return self._contents[point]

    def _call(self, arguments: list[str], point: Point, seed: int | None) -> str:
        done = subprocess.run([str(self._platter), *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            said = (done.stderr or done.stdout).strip()[-2000:]
            command = point.command(1 if seed is None else seed)
            raise LabError(f"{command}\nfailed with exit code {done.returncode}: {said}")
        return done.stdout

    def _run(self, point: Point, seed: int, key: str) -> dict[str, Any]:
        with tempfile.TemporaryDirectory(prefix="platter-runs-") as name:
            result_file, log = Path(name) / "result.json", Path(name) / "requests.csv"
            self._call(["run", str(point.scenario), "--quiet", *point.overrides(), "--set", f"sim.seed={seed}", "--result", str(result_file),
                        *(["--requests", str(log)] if point.summary else [])], point, seed)
            result = json.loads(result_file.read_text(encoding="utf-8"))
            result.pop("configuration")  # is in the key
            if point.summary:
                result["summary"] = point.summary(log)
        self._store.write(key, result)
        return result
