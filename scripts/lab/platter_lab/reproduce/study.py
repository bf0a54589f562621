# SPDX-License-Identifier: Apache-2.0
"""The parts of a study."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from platter_lab.executable import ROOT
from platter_lab.reproduce.claims import Claim
from platter_lab.reproduce.differences import Differing
from platter_lab.reproduce.figures import Chart, Map
from platter_lab.runs.point import Point
from platter_lab.runs.results import Results

PAPERS = ROOT / "docs" / "papers"
RESULTS = ROOT / "docs" / "results"


@dataclass(frozen=True)
class Plan:
    """The points of a study: those that run with every seed, those that run once, with the first,
    and further ones with seeds of their own."""

    points: tuple[Point, ...]
    seeds: tuple[int, ...]
    once: tuple[Point, ...] = ()
    further: tuple[tuple[Point, tuple[int, ...]], ...] = ()

    @property
    def batches(self) -> tuple[tuple[Point, tuple[int, ...]], ...]:
        """Each point with its seeds."""
        return (
            *((point, self.seeds) for point in self.points),
            *((point, self.seeds[:1]) for point in self.once),
            *self.further,
        )

    @property
    def runs(self) -> int:
        return sum(len(seeds) for _, seeds in self.batches)


@dataclass(frozen=True)
class Table:
    """Rows for the page, or for a CSV file."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    file: str = ""


@dataclass(frozen=True)
class Report:
    """What a study found. The page begins with the sentences of `summary` (Markdown, computed from
    the results) and with `first`, and has `tables` behind the claims. A row of `runs` is a run: its
    configuration, its `seed`, and its values. The study's folder has their means
    (`means.csv.gz` of `runs.csv`); the runs themselves and `details` go to a folder of their own,
    with every comparison."""

    claims: tuple[Claim, ...]
    charts: tuple[Chart | Map, ...] = ()
    tables: tuple[Table, ...] = ()
    interpretations: tuple[tuple[str, str], ...] = ()  # name and meaning
    runs: tuple[Table, ...] = ()
    details: tuple[Table, ...] = ()
    first: tuple[Table, ...] = ()
    summary: tuple[str, ...] = ()


@dataclass(frozen=True)
class Study:
    """A paper's experiments.

    `introduction` is the page's fixed text, in Markdown: the load, the drive, the interpretations;
    no measured number. `differences` says where a criterion and the paper's sentence differ.

    A study in stages has `follow`: the plan that follows from what has run, at first nothing; the
    study is complete when its plan has run. Its `plan` is the least to be expected of it, `most`
    the most, for an estimate.
    """

    name: str
    title: str
    introduction: str
    plan: Callable[[bool], Plan]
    report: Callable[[Results, bool], Report]
    follow: Callable[[Results, bool], Plan] | None = None
    most: Callable[[bool], Plan] | None = None
    home: Path = PAPERS  # of its folder
    differences: Differing | None = None

    @property
    def folder(self) -> Path:
        """Of its page."""
        return self.home / self.name
