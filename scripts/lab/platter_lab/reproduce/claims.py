# SPDX-License-Identifier: Apache-2.0
"""Claims of a paper and verdicts on them, computed from intervals by a stated criterion."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from platter_lab.statistics import Interval


class Verdict(StrEnum):
    HOLDS = "holds"
    FAILS = "does not hold"
    OPEN = "not decided"
    DEPENDS = "depends on"


@dataclass(frozen=True)
class Criterion:
    """The quantity lies strictly between `low` and `high`."""

    low: float = -math.inf
    high: float = math.inf

    def judge(self, value: Interval) -> Verdict:
        """The whole interval on one side of the bounds decides; one that straddles a bound does
        not."""
        if any(math.isnan(x) for x in (value.mean, value.low, value.high)):
            return Verdict.OPEN
        above = self.low == -math.inf or value.low > self.low
        below = self.high == math.inf or value.high < self.high
        if above and below:
            return Verdict.HOLDS
        if value.high <= self.low or value.low >= self.high:
            return Verdict.FAILS
        return Verdict.OPEN

    def margin(self, value: float) -> float:
        """How far inside the bounds a value lies, negative outside."""
        return min(value - self.low, self.high - value)

    def text(self, unit: Unit) -> str:
        if self.low == -math.inf:
            return f"below {unit.text(self.high)}"
        if self.high == math.inf:
            return f"above {unit.text(self.low)}"
        return f"{unit.text(self.low)} to {unit.text(self.high)}"


def below(bound: float) -> Criterion:
    return Criterion(high=bound)


def above(bound: float) -> Criterion:
    return Criterion(low=bound)


def near(value: float, distance: float) -> Criterion:
    return Criterion(value - distance, value + distance)


class Unit(StrEnum):
    """How a quantity is written."""

    RATIO = "ratio"
    PERCENT = "percent"  # the quantity is a share
    COUNT = "count"

    def text(self, value: float) -> str:
        if math.isinf(value):
            return "unbounded" if value > 0 else "-unbounded"
        if self is Unit.PERCENT:
            return f"{100 * value:.4g} %" if abs(value) < 1e-3 else f"{100 * value:.1f} %"
        return f"{value:.0f}" if self is Unit.COUNT else f"{value:.3f}"

    def interval(self, value: Interval) -> str:
        if math.isnan(value.mean):
            return "no data"
        if value.low == value.high:
            return self.text(value.mean)
        if value.runs < 2:
            return f"{self.text(value.mean)} (one run)"
        return f"{self.text(value.mean)} [{self.text(value.low)}, {self.text(value.high)}]"


@dataclass(frozen=True)
class Part:
    """One quantity a claim rests on: at one load, of one pair of policies. `points` are those whose
    runs it is estimated from, if a study keeps track of them."""

    label: str
    value: Interval
    criterion: Criterion
    points: frozenset[Any] = field(default=frozenset(), compare=False)

    @property
    def verdict(self) -> Verdict:
        return self.criterion.judge(self.value)


def combined(parts: Sequence[Part]) -> Verdict:
    """A claim holds if all its parts do, does not hold if one does not, else it is not decided."""
    verdicts = {part.verdict for part in parts}
    if Verdict.FAILS in verdicts:
        return Verdict.FAILS
    return Verdict.HOLDS if verdicts == {Verdict.HOLDS} else Verdict.OPEN


def deciding(parts: Sequence[Part]) -> Part | None:
    """The part that makes the verdict: of those with the claim's own verdict one without data, else
    the one least inside its bounds."""
    verdict = combined(parts)
    own = [part for part in parts if part.verdict is verdict]

    def margin(part: Part) -> float:
        return -math.inf if math.isnan(part.value.mean) else part.criterion.margin(part.value.mean)

    return min(own, key=margin, default=None)


@dataclass(frozen=True)
class Grid:
    """The same comparisons under every combination of the answers to some questions: `parts` by one
    answer to each of `factors`."""

    factors: tuple[str, ...]
    parts: Mapping[tuple[str, ...], tuple[Part, ...]]

    def verdicts(self) -> dict[tuple[str, ...], Verdict]:
        return {answers: combined(parts) for answers, parts in self.parts.items()}

    def turning(self) -> list[str]:
        """The factors of which another answer alone, all others being equal, somewhere turns the
        verdict round."""
        verdicts = self.verdicts()
        holds, fails = (
            [answers for answers, verdict in verdicts.items() if verdict is wanted]
            for wanted in (Verdict.HOLDS, Verdict.FAILS)
        )
        turns = {
            next(i for i, (x, y) in enumerate(zip(a, b, strict=True)) if x != y)
            for a in holds
            for b in fails
            if sum(x != y for x, y in zip(a, b, strict=True)) == 1
        }
        return [factor for i, factor in enumerate(self.factors) if i in turns]

    def text(self) -> str:
        verdicts = list(self.verdicts().values())
        counts = [
            f"{verdict} in {verdicts.count(verdict)}"
            for verdict in (Verdict.HOLDS, Verdict.FAILS, Verdict.OPEN)
            if verdict in verdicts
        ]
        return f"{', '.join(counts)} of {len(verdicts)} combinations"


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper. `parts` are judged under the default interpretations,
    `interpretations` the same under another one, `grid` under combinations.

    `bases` are what an interpretation is compared with where it is judged at fewer points than the
    default: the default at these, by the interpretation's name.
    """

    name: str
    text: str
    published: str
    unit: Unit
    quantity: str
    parts: tuple[Part, ...]
    interpretations: Mapping[str, tuple[Part, ...]] = field(default_factory=dict)
    grid: Grid | None = None
    bases: Mapping[str, tuple[Part, ...]] = field(default_factory=dict)

    def named(self, name: str, text: str) -> Claim:
        """The same under another name and text."""
        return replace(self, name=name, text=text)

    @property
    def plain_verdict(self) -> Verdict:
        return combined(self.parts)

    def base_verdict(self, interpretation: str) -> Verdict:
        """The default's at the points of the interpretation."""
        return combined(self.bases.get(interpretation, self.parts))

    def contrary(self) -> list[str]:
        """The interpretations under which the opposite comes out, at the same points."""
        opposite = {Verdict.HOLDS: Verdict.FAILS, Verdict.FAILS: Verdict.HOLDS}
        return [
            name
            for name, parts in self.interpretations.items()
            if opposite.get(self.base_verdict(name)) is combined(parts)
        ]

    def turning(self) -> list[str]:
        return self.grid.turning() if self.grid else []

    @property
    def verdict(self) -> Verdict:
        return Verdict.DEPENDS if self.contrary() or self.turning() else self.plain_verdict

    def verdict_text(self) -> str:
        contrary, turning = self.contrary(), self.turning()
        said = []
        for verdict, base in dict.fromkeys(
            (combined(self.interpretations[name]), self.base_verdict(name)) for name in contrary
        ):
            names = [name for name in contrary if combined(self.interpretations[name]) is verdict]
            whole = self.plain_verdict
            default = (
                f"by default {whole}"
                if base is whole
                else f"by default, at the same points, {base}, at all {whole}"
            )
            said.append(f"{'; '.join(names)} ({verdict}; {default})")
        if turning and self.grid is not None:
            default = "" if contrary else f"; by default {self.plain_verdict}"
            said.append(f"{'; '.join(turning)} ({self.grid.text()}{default})")
        return f"{Verdict.DEPENDS}: {'; '.join(said)}" if said else str(self.plain_verdict)

    def criterion_text(self) -> str:
        bounds = list(dict.fromkeys(part.criterion.text(self.unit) for part in self.parts))
        return f"{self.quantity}: {' and '.join(bounds)}" if bounds else self.quantity

    def ours(self) -> str:
        """The deciding part, how many parts there are, and which ones fail or are open."""
        part = deciding(self.parts)
        if part is None:
            return "no data"
        text = f"{self.unit.interval(part.value)} ({part.label})"
        if len(self.parts) == 1:
            return text
        holding = sum(p.verdict is Verdict.HOLDS for p in self.parts)
        return f"{text}; {holding} of {len(self.parts)} comparisons hold"
