# SPDX-License-Identifier: Apache-2.0
"""What the studies of mixed loads share: policies, points by policy and rate, and comparisons of two policies."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from platter_lab.reproduce.bench import Point, Results
from platter_lab.reproduce.claims import Criterion, Part
from platter_lab.reproduce.figures import Series
from platter_lab.reproduce.readings import DEFAULT, Reading
from platter_lab.reproduce.statistics import Interval, exact, interval, interval_text, paired_ratio
from platter_lab.reproduce.study import Table

TPS_SCAN = "TPS:SCAN/SCAN"
TPS_OPT = "TPS:SCAN/(SCAN/CI-OPT(6))"
FAMISH = "OPS:FAMISH"
CI_SPTF = "OPS:SCAN/CI-SPTF"
CI_OPT = "OPS:SCAN/CI-OPT(6)"
CLUST_REQ = "OPS:SCAN/CLUST-REQ(6)"
CLUST_CYL = "OPS:SCAN/CLUST-CYL(6|1000)"
SPTF = "SPTF"
POLICIES = (TPS_SCAN, TPS_OPT, FAMISH, CI_SPTF, CI_OPT, CLUST_REQ, CLUST_CYL, SPTF)

# A run leaves this share of its discrete requests unserved only if its queue grows as long as it runs.
SATURATED = 0.01
WARMUP_S = 100.0

Metric = Callable[[dict[str, Any]], float]


def response_s(result: dict[str, Any]) -> float:
    return result["classes"]["discrete"]["response_ms"]["mean"] / 1000


def fairness(result: dict[str, Any]) -> float:
    """Jain's index over the response times."""
    return result["classes"]["discrete"]["fairness_index"]


def unserved(result: dict[str, Any]) -> float:
    """Share of the discrete requests that the end of the run found waiting."""
    discrete = result["classes"]["discrete"]
    return discrete["outstanding"] / discrete["issued"]


def busy(result: dict[str, Any]) -> float:
    return result["utilisation"]


def hiccups(result: dict[str, Any]) -> float:
    return result["hiccups"]


@dataclass(frozen=True)
class Load:
    """A scenario with its grid: rates of discrete requests per second and rounds (of one second) per run."""

    scenario: Path
    rates: tuple[int, ...]
    rounds: int

    def point(self, policy: str | None, rate: int = 0, reading: Reading = DEFAULT) -> Point:
        """One of the grid; without a policy the continuous requests alone, served by SCAN."""
        alone = policy is None
        policy = TPS_SCAN if policy is None else policy
        settings = reading.settings if reading.touches(policy) else ()
        policy = dict(reading.policies).get(policy, policy)
        source = (("workload.discrete.source", "none"),) if alone else (("workload.discrete.rate_per_s", str(rate)),)
        return Point(self.scenario, (("policy", policy), *source, *settings), WARMUP_S, self.rounds)

    def points(self, policies: Sequence[str], reading: Reading = DEFAULT) -> list[Point]:
        return [self.point(policy, rate, reading) for policy in policies for rate in self.rates]


class View:
    """Results of a load under one reading."""

    def __init__(self, results: Results, load: Load, policies: Sequence[str], reading: Reading = DEFAULT) -> None:
        self._results = results
        self._load = load
        self._reading = reading
        self.policies = tuple(policies)
        self.rates = load.rates

    def samples(self, policy: str | None, rate: int, metric: Metric) -> list[float]:
        return self._results.samples(self._load.point(policy, rate, self._reading), metric)

    def saturated(self, policy: str, rate: int) -> bool:
        """Whether the queue grew as long as the runs went on, in one of them at least: there is no mean response then."""
        return max(self.samples(policy, rate, unserved)) > SATURATED

    def steady(self, policy: str, rate: int, metric: Metric) -> Interval | None:
        return None if self.saturated(policy, rate) else interval(self.samples(policy, rate, metric))

    def heaviest(self, policies: Sequence[str]) -> int | None:
        """The highest rate at which all the policies keep up."""
        return max((rate for rate in self.rates if not any(self.saturated(p, rate) for p in policies)), default=None)

    def response(self, one: str, other: str, criterion: Criterion, rates: Sequence[int] = ()) -> list[Part]:
        """Mean response of one policy over the other's, at each rate. A policy whose queue grows without end counts as
        unboundedly slow; where both grow there is nothing to compare."""
        parts = []
        for rate in rates or self.rates:
            ends = self.saturated(one, rate), self.saturated(other, rate)
            a, b = self.samples(one, rate, response_s), self.samples(other, rate, response_s)
            if ends == (True, True):
                continue
            if any(ends):
                value = exact(math.inf if ends[0] else 0.0, len(a))
            else:
                value = paired_ratio(a, b)
            parts.append(Part(f"{one} / {other}, λ = {rate}", value, criterion))
        return parts

    def fairness(self, one: str, other: str, criterion: Criterion, rates: Sequence[int] = ()) -> list[Part]:
        """Fairness index of one policy over the other's, at each rate at which both keep up."""
        return [Part(f"{one} / {other}, λ = {rate}",
                     paired_ratio(self.samples(one, rate, fairness), self.samples(other, rate, fairness)), criterion)
                for rate in rates or self.rates if not self.saturated(one, rate) and not self.saturated(other, rate)]

    def series(self, policies: Sequence[str], metric: Metric) -> tuple[Series, ...]:
        return tuple(Series(policy, self.rates, [self.steady(policy, rate, metric) for rate in self.rates])
                     for policy in policies)

    def table(self, title: str) -> Table:
        """Mean response in ms and fairness of each policy at each rate, for the page."""
        def cell(policy: str, rate: int) -> str:
            if self.saturated(policy, rate):
                return f"grows: {100 * max(self.samples(policy, rate, unserved)):.0f} % unserved"
            return (interval_text(self.steady(policy, rate, lambda result: 1000 * response_s(result)), 4) + " ms; "
                    + interval_text(self.steady(policy, rate, fairness)))
        return Table(f"{title}: mean response and fairness of D", ("λ", *self.policies),
                     tuple((str(rate), *(cell(policy, rate) for policy in self.policies)) for rate in self.rates))

    def rows(self, about: str) -> list[tuple[str, ...]]:
        """One row for each run of a policy that the reading touches, for a CSV file (`RUN_HEADER`)."""
        rows = []
        for policy in self.policies:
            for rate in self.rates if self._reading.touches(policy) or self._reading is DEFAULT else ():
                runs = self._results[self._load.point(policy, rate, self._reading)]
                rows += [(about, self._reading.name, policy, str(rate), str(result["seed"]), f"{response_s(result):.9g}",
                          f"{fairness(result):.9g}", f"{unserved(result):.6g}", f"{busy(result):.9g}", f"{hiccups(result):g}")
                         for result in runs]
        return rows


RUN_HEADER = ("load", "reading", "policy", "rate_per_s", "seed", "mean_response_s", "fairness_index", "unserved_share",
              "utilisation", "hiccups")
