# SPDX-License-Identifier: Apache-2.0
"""The points of a study, which are the configurations that are run."""

from __future__ import annotations

import math
import shlex
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from platter_lab import LabError, StudyFailed
from platter_lab.executable import HAS_TREE, ROOT, call_platter

PROBES = (0.005, 0.02)  # an estimate runs each point for these parts of its time


def beside_root(path: Path) -> str:
    """A path as a command in the project's folder names it."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def _exact(value: float) -> str:
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


@dataclass(frozen=True)
class Point:
    """A scenario with some keys overridden, without its seed.

    `halfway` is a key that is set to the middle of the measured time, in whole seconds. `summary`
    makes further values of the log of all requests (a CSV file); they stand under `summary` in the
    result. A scenario may refuse to measure less than `least_s`.
    """

    scenario: Path
    settings: tuple[tuple[str, str], ...]
    warmup_s: float
    measure_s: float
    summary: Callable[[Path], dict[str, Any]] | None = None
    halfway: str = ""
    least_s: float = 0.0

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Points are looked up again and again."""
        return hash((self.scenario, self.settings, self.warmup_s, self.measure_s))

    @property
    def simulated_s(self) -> float:
        return self.warmup_s + self.measure_s

    def overrides(self) -> list[str]:
        halfway = [(self.halfway, _exact(self.measure_s // 2))] if self.halfway else []
        settings = [
            *self.settings,
            *halfway,
            ("sim.warmup_s", _exact(self.warmup_s)),
            ("sim.measure_s", _exact(self.measure_s)),
        ]
        return [word for key, value in settings for word in ("--set", f"{key}={value}")]

    def command(self, seed: int) -> str:
        """What repeats one run by hand, in the project's folder."""
        return shlex.join(
            [
                "scripts/platter" if HAS_TREE else "platter",
                "run",
                beside_root(self.scenario),
                *self.overrides(),
                "--set",
                f"sim.seed={seed}",
            ]
        )


def probes_of(point: Point) -> list[Point]:
    """Two short runs of a point, of whole seconds, since some hosts count rounds."""
    warmup = [math.ceil(point.warmup_s * share) for share in PROBES]
    measure: list[float] = [math.ceil(point.measure_s * share) for share in PROBES]
    measure[0] = max(measure[0], point.least_s)
    measure[1] = max(measure[1], measure[0] + 1)
    return [replace(point, warmup_s=w, measure_s=m) for w, m in zip(warmup, measure, strict=True)]


class Scenario:
    """A scenario's file, of which points are made, with lengths that it or their settings say."""

    _LENGTHS = ("sim.warmup_s", "sim.measure_s")

    def __init__(
        self, platter: Path, file: Path, overrides: Iterable[tuple[str, str]] = ()
    ) -> None:
        """`overrides` apply to what `configuration` says only.

        LabError where the model refuses the scenario.
        """
        self._file = file
        self._platter = platter
        self._overrides = tuple(overrides)
        self._on_drive: dict[str, dict[str, Any]] = {}
        self.configuration = self._dumped()

    def _dumped(self, *more: tuple[str, str]) -> dict[str, Any]:
        words = [
            word for key, value in (*self._overrides, *more) for word in ("--set", f"{key}={value}")
        ]
        return tomllib.loads(
            call_platter(self._platter, ["config", "dump", str(self._file), *words])
        )

    def with_drive_of(self, settings: Mapping[str, str]) -> dict[str, Any]:
        """`configuration` with the drive that the settings name. Of a drive that the model refuses
        it is `configuration`: whoever runs the settings is told.
        """
        named = [(key, settings[key]) for key in ("drive", "drive.file") if key in settings]
        if not named:
            return self.configuration
        name = named[-1][1]
        if name not in self._on_drive:
            try:
                self._on_drive[name] = self._dumped(named[-1])
            except StudyFailed:
                raise
            except LabError:
                self._on_drive[name] = self.configuration
        return self._on_drive[name]

    def point(self, settings: Iterable[tuple[str, str]], asked_by: Path) -> Point:
        """LabError, with the file that asks for it, where a length is no number."""
        sim = self.configuration["sim"]
        keys = {
            "sim.warmup_s": sim["warmup_s"],
            "sim.measure_s": sim["measure_s"],
            **dict(settings),
        }
        try:
            warmup_s, measure_s = (float(keys.pop(key)) for key in self._LENGTHS)
        except ValueError as error:
            raise LabError(
                f"{asked_by}: sim.warmup_s or sim.measure_s: {error}; expected seconds"
            ) from error
        return Point(self._file, tuple(keys.items()), warmup_s, measure_s)
