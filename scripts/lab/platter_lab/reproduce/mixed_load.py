# SPDX-License-Identifier: Apache-2.0
"""What the studies of mixed loads share: policies, points by policy and rate, and comparisons of
two policies."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from platter_lab.reproduce.claims import Criterion, Part
from platter_lab.reproduce.figures import Series
from platter_lab.reproduce.interpretations import (
    DEFAULT,
    Factor,
    Interpretation,
    Together,
    combinations,
)
from platter_lab.reproduce.kept import kept
from platter_lab.reproduce.study import Table
from platter_lab.runs.point import Point
from platter_lab.runs.results import Results
from platter_lab.statistics import (
    Interval,
    Trend,
    growth,
    interval,
    interval_text,
    paired_ratio,
    slope,
    trend,
)

TPS_SCAN = "TPS:SCAN/SCAN"
TPS_OPT = "TPS:SCAN/(SCAN/CI-OPT(6))"
FAMISH = "OPS:FAMISH"
CI_SPTF = "OPS:SCAN/CI-SPTF"
CI_OPT = "OPS:SCAN/CI-OPT(6)"
CLUST_REQ = "OPS:SCAN/CLUST-REQ(6)"
CLUST_CYL = "OPS:SCAN/CLUST-CYL(6|1000)"
SPTF = "SPTF"
POLICIES = (TPS_SCAN, TPS_OPT, FAMISH, CI_SPTF, CI_OPT, CLUST_REQ, CLUST_CYL, SPTF)

CLUST = (CLUST_REQ, CLUST_CYL)

WARMUP_S = 100.0

# What papers call significant, considerable, clear or drastic is a difference of this share at
# least; "better" alone is any difference.
MARGIN = 0.05

# What the paper on clusters leaves open about SPTF and about its clusters; each first answer is the
# default.
NEXT_C = Interpretation(
    "next-C",
    "SPTF(next-C): only the next C of the sweep competes with the D",
    policies=((SPTF, "SPTF(next-C)"),),
    affects=frozenset({SPTF}),
)


def _of_clusters(name: str, text: str, *settings: tuple[str, str]) -> Interpretation:
    return Interpretation(name, text, settings, affects=frozenset(CLUST))


WHICH_SPTF = Factor(
    "SPTF",
    "which requests compete in SPTF",
    (
        Interpretation("pooled", "SPTF: all remaining C compete with all D", affects=frozenset()),
        NEXT_C,
    ),
)
CLUSTERS = (
    Factor(
        "cluster's front",
        "where the next cluster begins",
        (
            _of_clusters("front", "behind the last request of the cluster that has ended"),
            _of_clusters("arm", "at the place of the arm", ("scheduling.cluster_from", "arm")),
        ),
    ),
    Factor(
        "new round",
        "what a new round does to the sweep over clusters",
        (
            _of_clusters("restart", "the sweep begins anew"),
            _of_clusters("continue", "the sweep goes on", ("scheduling.cluster_round", "continue")),
        ),
    ),
    Factor(
        "cluster holds",
        "which requests a cluster holds",
        (
            _of_clusters("C and D", "both classes"),
            _of_clusters("D", "discrete requests only", ("scheduling.clusters", "discrete")),
        ),
    ),
)
FACTORS = (WHICH_SPTF, *CLUSTERS)
CLUSTER_KINDS = combinations(CLUSTERS)
COMBINATIONS = combinations(FACTORS)

Metric = Callable[[dict[str, Any]], float]
Value = TypeVar("Value")


def number_or_nan(value: float | None) -> float:
    """A statistic of a result; what it has no samples for (null) is not a number, hence no data."""
    return math.nan if value is None else value


def response_s(result: dict[str, Any]) -> float:
    return response_ms(result) / 1000


def response_ms(result: dict[str, Any]) -> float:
    """Mean response time; not a number where no request has been answered."""
    return number_or_nan(result["classes"]["discrete"]["response_ms"]["mean"])


def fairness(result: dict[str, Any]) -> float:
    """Jain's index over the response times; not a number where no request has been answered."""
    return number_or_nan(result["classes"]["discrete"]["fairness_index"])


def backlog(result: dict[str, Any]) -> list[float]:
    """Discrete requests outstanding, means over equal parts of the measured time."""
    parts: list[float] = result["classes"]["discrete"]["backlog"]["parts"]
    return parts


def unserved(result: dict[str, Any]) -> float:
    """Share of the discrete requests that is never served: by which the backlog grows over what
    comes."""
    issued = result["classes"]["discrete"]["issued"]
    return slope(backlog(result)) / issued if issued else math.nan


def waiting(result: dict[str, Any]) -> float:
    """Discrete requests outstanding, the mean over the measured time."""
    return number_or_nan(result["classes"]["discrete"]["backlog"]["mean"])


def busy(result: dict[str, Any]) -> float:
    return float(result["utilisation"])


def hiccups(result: dict[str, Any]) -> float:
    count: int = result["hiccups"]
    return count


@dataclass(frozen=True)
class Load:
    """A scenario with its grid: rates of discrete requests per second and rounds (of one second)
    per run, below the rate `light` only `light_rounds`."""

    scenario: Path
    rates: tuple[int, ...]
    rounds: int
    light: int = 0
    light_rounds: int = 0

    def point(
        self, policy: str | None, rate: int = 0, interpretation: Interpretation | Together = DEFAULT
    ) -> Point:
        """One of the grid; without a policy the continuous requests alone, served by SCAN."""
        source = (
            (("workload.discrete.source", "none"),)
            if policy is None
            else (("workload.discrete.rate_per_s", str(rate)),)
        )
        policy, settings = interpretation.applied(TPS_SCAN if policy is None else policy)
        return Point(
            self.scenario,
            (("policy", policy), *source, *settings),
            WARMUP_S,
            self.light_rounds if rate < self.light else self.rounds,
        )

    def points(
        self,
        policies: Sequence[str],
        interpretation: Interpretation | Together = DEFAULT,
        rates: Sequence[int] | None = None,
    ) -> list[Point]:
        return [
            self.point(policy, rate, interpretation)
            for policy in policies
            for rate in (self.rates if rates is None else rates)
        ]


class View:
    """Results of a load under one interpretation. Only steady points have a mean response and a
    fairness; where one of two is not, there is no ratio."""

    def __init__(
        self,
        results: Results,
        load: Load,
        policies: Sequence[str],
        interpretation: Interpretation | Together = DEFAULT,
    ) -> None:
        self._results = results
        self._load = load
        self._interpretation = interpretation
        self._beside: View | None = None
        self.policies = tuple(policies)
        self.rates = load.rates

    def beside(self, other: View) -> View:
        """The same where the other one can be held against it: its policies at its rates, and
        steady only where the other one is too."""
        load = replace(self._load, rates=tuple(rate for rate in self.rates if rate in other.rates))
        view = View(
            self._results,
            load,
            tuple(policy for policy in self.policies if policy in other.policies),
            self._interpretation,
        )
        view._beside = other
        return view

    @kept
    def point(self, policy: str | None, rate: int) -> Point:
        return self._load.point(policy, rate, self._interpretation)

    def name(self, policy: str) -> str:
        """A policy with what the interpretation changes in it."""
        return (
            f"{policy} ({self._interpretation.name})"
            if self._interpretation.touches(policy)
            else policy
        )

    @kept
    def samples(
        self, policy: str | None, rate: int, metric: Callable[[dict[str, Any]], Value]
    ) -> list[Value]:
        return [metric(result) for result in self._results[self.point(policy, rate)]]

    @kept
    def trend(self, policy: str, rate: int) -> Trend:
        return trend(growth(self.samples(policy, rate, backlog)))

    def is_steady(self, rate: int, *policies: str) -> bool:
        return all(self.trend(policy, rate) is Trend.STEADY for policy in policies) and (
            self._beside is None or self._beside.is_steady(rate, *policies)
        )

    def steady(self, policy: str, rate: int, metric: Metric) -> Interval | None:
        return (
            interval(self.samples(policy, rate, metric)) if self.is_steady(rate, policy) else None
        )

    def heaviest(self, policies: Sequence[str]) -> int | None:
        """The highest rate at which all the policies are steady."""
        return max((rate for rate in self.rates if self.is_steady(rate, *policies)), default=None)

    def busy(self, rate: int) -> float:
        """The load as a share of the drive's time: how busy SPTF keeps it."""
        return interval(self.samples(SPTF, rate, busy)).mean

    @kept
    def ratio(self, one: str, other: str, rate: int, metric: Metric) -> Interval:
        return paired_ratio(self.samples(one, rate, metric), self.samples(other, rate, metric))

    def compare(
        self,
        one: str,
        other: str,
        metric: Metric,
        criterion: Criterion,
        rates: Iterable[int] | None = None,
    ) -> list[Part]:
        """The metric of one policy over the other's, at each rate at which both are steady."""
        return [
            Part(f"{one} / {other}, λ = {rate}", self.ratio(one, other, rate, metric), criterion)
            for rate in (self.rates if rates is None else rates)
            if self.is_steady(rate, one, other)
        ]

    def response(
        self, one: str, other: str, criterion: Criterion, rates: Iterable[int] | None = None
    ) -> list[Part]:
        return self.compare(one, other, response_s, criterion, rates)

    def fairness(
        self, one: str, other: str, criterion: Criterion, rates: Iterable[int] | None = None
    ) -> list[Part]:
        return self.compare(one, other, fairness, criterion, rates)

    def series(self, policies: Sequence[str], metric: Metric) -> tuple[Series, ...]:
        return tuple(
            Series(policy, self.rates, [self.steady(policy, rate, metric) for rate in self.rates])
            for policy in policies
        )

    def cell(self, policy: str, rate: int) -> str:
        """Mean response in ms and fairness; of an unstable point by how much of what comes its
        backlog grows."""
        state = self.trend(policy, rate)
        if state is Trend.UNSTABLE:
            return (
                f"unstable: {100 * interval(self.samples(policy, rate, unserved)).mean:.1f} % "
                "never served"
            )
        if state is Trend.OPEN:
            return str(state)
        return (
            interval_text(interval(self.samples(policy, rate, response_ms)), 4)
            + " ms; "
            + interval_text(interval(self.samples(policy, rate, fairness)))
        )

    def table(self, title: str) -> Table:
        """Mean response in ms and fairness of each policy at each rate, for the page."""
        return Table(
            f"{title}: mean response and fairness of D",
            ("λ", *self.policies),
            tuple(
                (str(rate), *(self.cell(policy, rate) for policy in self.policies))
                for rate in self.rates
            ),
        )

    def rows(self, about: str) -> list[tuple[str, ...]]:
        """One row for each run of a policy that the interpretation touches, for a CSV file
        (`RUN_HEADER`)."""
        rows: list[tuple[str, ...]] = []
        for policy in self.policies:
            for rate in (
                self.rates
                if self._interpretation.touches(policy) or self._interpretation is DEFAULT
                else ()
            ):
                runs = self._results[self.point(policy, rate)]
                rows += [
                    (
                        about,
                        self._interpretation.name,
                        policy,
                        str(rate),
                        str(result["seed"]),
                        f"{response_s(result):.9g}",
                        f"{fairness(result):.9g}",
                        f"{waiting(result):.6g}",
                        f"{unserved(result):.6g}",
                        f"{busy(result):.9g}",
                        f"{hiccups(result):g}",
                        str(self.trend(policy, rate)),
                    )
                    for result in runs
                ]
        return rows


@dataclass(frozen=True)
class Best:
    """The best of some opponents at a rate: its runs, none if it is not shown to be steady."""

    name: str
    samples: list[float]


class Opponents:
    """Policies, each under several interpretations, of which the best one is meant: at each rate
    the one with the best mean of a metric, of those that are not unstable. So nothing is compared
    with a weaker interpretation of an opponent."""

    def __init__(self, candidates: Sequence[tuple[View, str]]) -> None:
        self._candidates = {
            view.point(policy, view.rates[0]): (view, policy) for view, policy in candidates
        }.values()

    def best(self, rate: int, metric: Metric, highest: bool) -> Best | None:
        """None where all of them are unstable."""
        found = [
            (interval(view.samples(policy, rate, metric)).mean, view, policy)
            for view, policy in self._candidates
            if view.trend(policy, rate) is not Trend.UNSTABLE
        ]
        if not found:
            return None
        _, view, policy = (max if highest else min)(found, key=lambda candidate: candidate[0])
        return Best(
            view.name(policy),
            view.samples(policy, rate, metric) if view.is_steady(rate, policy) else [],
        )

    def against(
        self,
        view: View,
        policy: str,
        metric: Metric,
        highest: bool,
        criterion: Criterion,
        rates: Iterable[int],
        over: bool = False,
    ) -> list[Part]:
        """The policy's metric over that of the best of them (`over`: the other way round), at each
        rate at which there is one. No data where one of the two is not steady, so that nothing is
        decided then."""
        parts = []
        for rate in rates:
            best = self.best(rate, metric, highest)
            if best is None:
                continue
            ours = Best(
                view.name(policy),
                view.samples(policy, rate, metric) if view.is_steady(rate, policy) else [],
            )
            one, other = (best, ours) if over else (ours, best)
            value = (
                paired_ratio(one.samples, other.samples)
                if one.samples and other.samples
                else interval([])
            )
            parts.append(Part(f"{one.name} / {other.name}, λ = {rate}", value, criterion))
        return parts


RUN_HEADER = (
    "load",
    "interpretation",
    "policy",
    "rate_per_s",
    "seed",
    "mean_response_s",
    "fairness_index",
    "backlog",
    "never_served_share",
    "utilisation",
    "hiccups",
    "trend",
)
