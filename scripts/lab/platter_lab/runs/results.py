# SPDX-License-Identifier: Apache-2.0
"""The results of runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from platter_lab.runs.point import Point


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

    def samples(
        self, point: Point, metric: Callable[[dict[str, Any]], float | None]
    ) -> list[float | None]:
        """The metric of each run, shape (seeds,).

        None, as a result has it, where nothing was measured: an interval over it has no data.
        """
        return [metric(result) for result in self._by_point[point]]


@dataclass(frozen=True)
class Estimate:
    """What the runs that are not kept yet would take."""

    points: int
    runs: int
    kept: int
    cpu_s: float
    probed: int  # of the points

    def text(self, jobs: int) -> str:
        todo = self.runs - self.kept
        each = self.cpu_s / todo if todo else 0.0
        about = f"about, from {self.probed} of the points: " if self.probed < self.points else ""
        return (
            f"{about}{self.points} points, {self.runs} runs, {self.kept} of them kept; {todo} to "
            f"do at {each:.2f} CPU-seconds: {self.cpu_s:.0f} CPU-seconds, about "
            f"{self.cpu_s / jobs / 60:.1f} min with {jobs} jobs"
        )
