# SPDX-License-Identifier: Apache-2.0
"""Balafoutis, Paterakis, Triantafillou, Nerjes, Muth, Weikum: "Clustered Scheduling Algorithms for
Mixed-Media Disk Workloads in a Multimedia Server"."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from platter_lab.executable import ROOT
from platter_lab.files import write_whole
from platter_lab.reproduce import clusters
from platter_lab.reproduce.claims import Claim, Criterion, Part, Unit, Verdict, above, below, near
from platter_lab.reproduce.differences import (
    NO_DATA,
    Difference,
    Differences,
    Means,
    decimals,
    listed,
    percent,
)
from platter_lab.reproduce.figures import Chart, Series
from platter_lab.reproduce.interpretations import (
    DEFAULT,
    FACTOR_HEADER,
    Interpretation,
    Judged,
    Together,
    factor_rows,
    judge,
)
from platter_lab.reproduce.mixed_load import (
    CI_OPT,
    CI_SPTF,
    CLUST,
    CLUST_REQ,
    CLUSTER_KINDS,
    COMBINATIONS,
    FACTORS,
    FAMISH,
    MARGIN,
    NEXT_C,
    POLICIES,
    RUN_HEADER,
    SPTF,
    TPS_OPT,
    TPS_SCAN,
    Load,
    Metric,
    Opponents,
    View,
    busy,
    fairness,
    hiccups,
    response_ms,
    response_s,
    waiting,
)
from platter_lab.reproduce.study import PAPERS, Plan, Report, Study, Table
from platter_lab.reproduce.turning_points import (
    VERDICT_HEADER,
    Turn,
    grid_table,
    verdict_rows,
    verdicts,
    where,
)
from platter_lab.runs.point import Point
from platter_lab.runs.results import Results
from platter_lab.statistics import Interval, Trend, exact, interval, paired_ratio

FOLDER = PAPERS / "mixed-media"
HIERARCHICAL_TEXT = "C-intervals and clusters; in the other reading clusters alone"
SEEDS = (1, 2, 3, 4, 5)

FIRST = (TPS_SCAN, TPS_OPT, FAMISH, CI_SPTF, CI_OPT)  # figures 1 and 2
SECOND = (SPTF, CI_SPTF, CI_OPT, *CLUST)  # figures 4 to 7
OPS = (CI_SPTF, CI_OPT)
HIERARCHICAL = (*OPS, *CLUST)
# Section 1.1's, SCAN also in one direction, and FCFS
FLAT = ("FCFS", "SSTF", "SCAN", "LOOK", "C-LOOK", "V(0.2)", "EDF", "SCAN-EDF", "GSS(5)")
# Of Shenoy et al.: the classes take turns. Here the paper knows round robin as an order of the C
# only.
ROUND_ROBIN = "RR"
LONGER = ("OPS:SCAN/CI-OPT(8)", "OPS:SCAN/CLUST-REQ(8)", "OPS:SCAN/CLUST-REQ(10)")
LONGER_ROUNDS = 5_000  # and more seeds, as five left the claim undecided
LONGER_SEEDS = tuple(range(1, 21))
LONGER_LOADS = ("longer", "longer, free")
CI_SCAN = "OPS:SCAN/CI-OPT(1)"  # parts of one request: SCAN inside the intervals
LONGER_THAN = {one: one.replace("(8)", "(6)").replace("(10)", "(6)") for one in LONGER}

TOP = 65  # the rate that the paper calls high
# And, as we interpret it, the end of "low and medium" on Table 1's disk; on the projected one,
# which does twice as much, TOP.
LOW = 35
C_SHARE = 0.45  # of a round, which 25 C take by SCAN
PAPERS_ROUNDS = 40_000
HEAVY = 0.95  # a heavy load is a share of the disk's capacity,
ALIKE = 0.03  # and loads of two disks are alike whose shares differ by less than this

INTERVAL_POLICIES = frozenset({CI_SPTF, CI_OPT})
FREE_DECISIONS = Interpretation(
    "decisions in no time",
    "a decision takes no time of the drive",
    (
        ("drive.controller.firmware_base_cycles", "0"),
        ("drive.controller.firmware_candidate_cycles", "0"),
        ("drive.controller.firmware_order_cycles", "0"),
    ),
)
INTERPRETATIONS = (
    Interpretation(
        "sweep alternating",
        "the sweep over C starts at the two extremes in turn; by default at the nearer one",
        (("scheduling.sweep_start", "alternating"),),
    ),
    Interpretation(
        "sweep upward",
        "the sweep over C always starts at the lowest cylinder",
        (("scheduling.sweep_start", "upward"),),
    ),
    Interpretation(
        "disk after sweep",
        "after the last C of a round, the whole disk is one interval",
        (("scheduling.after_sweep", "disk"),),
        affects=INTERVAL_POLICIES,
    ),
    Interpretation(
        "idle after sweep",
        "after the last C of a round, the drive rests until the round ends",
        (("scheduling.after_sweep", "idle"),),
        affects=INTERVAL_POLICIES,
    ),
    Interpretation(
        "postponed until the last C",
        "a D that the guard refuses is considered again when the round's last C has been served; "
        "by default in the next round",
        (("scheduling.postponed", "last_c"),),
        affects=frozenset({*INTERVAL_POLICIES, *CLUST}),
    ),
    Interpretation(
        "lists anew",
        "TPS with CI-OPT makes its list anew after each part, of what lies ahead; by default it "
        "serves the whole list first",
        (("scheduling.phase_list", "part"),),
        affects=frozenset({TPS_OPT}),
    ),
    Interpretation(
        "FAMISH(late)",
        "FAMISH also takes requests that arrive within the round and lie ahead",
        policies=((FAMISH, "OPS:FAMISH(late)"),),
        affects=frozenset({FAMISH}),
    ),
    Interpretation(
        "zero latency",
        "the drive reads the sectors of a track in the order in which they pass the head",
        (("drive.mechanics.zero_latency_read", "true"),),
    ),
    Interpretation(
        "head switch",
        "each change of the head takes 0.8 ms; on tracks without skew it costs a turn",
        (("drive.mechanics.head_switch_us", "800"),),
    ),
    FREE_DECISIONS,
)
FEWER_STREAMS = Interpretation(
    "N = 15", "a round has 15 continuous requests", (("workload.continuous.streams", "15"),)
)

DISKS = {"table1": "Table 1's disk, N = 25", "projected": "Projected disk, N = 35"}
RUN = {"table1": POLICIES, "projected": SECOND}
INTERPRETED = {"table1": POLICIES, "projected": (SPTF, CLUST_REQ)}

# Figure 3: requests in a cluster, cylinders it reaches over.
REQUESTS = (2, 3, 4, 5, 6)
WIDTHS = (100, 250, 500, 1000, 2000)
EXACT_ORDER, SCAN_ORDER = CLUST_REQ, "LOOK"
TRACES = ROOT / "build" / "reproduce" / "clusters"


@dataclass(frozen=True)
class Views:
    """Results as the claims look at them, by the name of the load; by disk, the clusters of all
    kinds, and what it can do (λ)."""

    loads: Mapping[str, View]
    clusters: Mapping[str, Opponents] = field(default_factory=dict)
    capacity: Mapping[str, int | None] = field(default_factory=dict)

    def __getitem__(self, load: str) -> View:
        return self.loads[load]


Parts = Callable[[Views], list[Part]]
Alternatives = tuple[tuple[str, Parts], ...]


def rounds(quick: bool) -> int:
    """Rounds of a run, but for the paper's own points and for light loads."""
    return 800 if quick else 4_000


def low_and_medium(streams: int) -> int:
    """The end of low and medium rates beside so many C: as large a part of the time that they leave
    as LOW is beside 25."""
    return int(LOW * (1 - C_SHARE * streams / 25) / (1 - C_SHARE))


def _scenario(disk: str) -> Path:
    return FOLDER / ("scenario.toml" if disk == "table1" else "projected.toml")


def papers_loads(quick: bool) -> dict[str, Load]:
    """As many rounds as in the paper where Table 1's disk is not lightly loaded; a quarter of them
    is more than enough elsewhere."""
    rates, many, few = (
        ((5, 35, 65), 800, 800)
        if quick
        else ((5, 15, 25, 35, 45, 55, 65), PAPERS_ROUNDS, PAPERS_ROUNDS // 4)
    )
    return {
        "table1": Load(_scenario("table1"), rates, many, LOW + 1, few),
        "projected": Load(_scenario("projected"), rates, few),
    }


def heavy_loads(quick: bool) -> dict[str, Load]:
    """Where verdicts turn: few low rates, and many near the disks' capacities."""
    rates = {
        "table1": (35, 59, 65) if quick else (15, 35, 50, 53, 56, 59, 62, 65, 67),
        "projected": (65, 130) if quick else (65, 105, 125, 130, 140, 145),
    }
    light = {"table1": 50, "projected": 125}
    return {
        disk: Load(_scenario(disk), rates[disk], rounds(quick), light[disk], rounds(quick) // 2)
        for disk in DISKS
    }


def _loads_again(quick: bool) -> dict[str, Load]:
    """For other interpretations, one at a time."""
    rates = {
        "table1": (35, 65) if quick else (35, 55, 65),
        "projected": (130,) if quick else (65, 140, 145),
    }
    return {disk: Load(_scenario(disk), rates[disk], rounds(quick)) for disk in DISKS}


def fine_loads(
    quick: bool,
    scenario: Path | None = None,
    rates: tuple[int, ...] = (50, 52, 54, 55, 56, 57, 58, 60),
) -> Load:
    """Up to the rates at which TPS:SCAN/SCAN falls behind: there the improvement over it is
    largest."""
    return Load(scenario or _scenario("table1"), rates[::4] if quick else rates, rounds(quick))


def _once(quick: bool) -> dict[str, tuple[Load, tuple[str, ...], Interpretation]]:
    """Loads that are looked at under one interpretation only: with their policies."""

    def load(
        rates: tuple[int, ...], few: tuple[int, ...] = (35,), length: int = rounds(quick)
    ) -> Load:
        return Load(_scenario("table1"), few if quick else rates, length)

    longer = load((35, 55, 62), length=800 if quick else LONGER_ROUNDS)
    return {
        "n15": (
            load((5, 15, 25, 35, 45, 55, 60, 65, 67, 69, 71, 73, 75, 77, 80, 84, 88), (35, 65)),
            FIRST,
            FEWER_STREAMS,
        ),
        "flat": (load((15, 35, 55)), (SPTF, *FLAT, ROUND_ROBIN), DEFAULT),
        "inside": (load((15, 35, 55)), (CI_SCAN, *OPS), DEFAULT),
        "longer": (longer, (CI_OPT, CLUST_REQ, *LONGER), DEFAULT),
        "longer, free": (longer, (CI_OPT, CLUST_REQ, *LONGER), FREE_DECISIONS),
    }


def _clusters(quick: bool) -> int:
    return clusters.BATCHES * (200 if quick else 2000)


def _trace(requests: int, width: int, quick: bool) -> Path:
    return TRACES / f"{requests}_requests_{width}_cylinders_{_clusters(quick)}.trace"


def _cluster_point(requests: int, width: int, policy: str, quick: bool) -> Point:
    return Point(
        FOLDER / "clusters.toml",
        (("policy", policy), ("workload.discrete.trace", str(_trace(requests, width, quick)))),
        0.0,
        _clusters(quick) * clusters.PERIOD_S,
        clusters.batch_means,
    )


def _cluster_points(quick: bool) -> list[Point]:
    return [
        _cluster_point(requests, width, policy, quick)
        for requests in REQUESTS
        for width in WIDTHS
        for policy in (EXACT_ORDER, SCAN_ORDER)
    ]


def plan(quick: bool) -> Plan:
    profile = ROOT / "models" / "configs" / "drives" / "balafoutis_table1.toml"
    write_whole(
        {
            _trace(requests, width, quick): clusters.trace(
                profile, requests, width, _clusters(quick)
            )
            for requests in REQUESTS
            for width in WIDTHS
        }
    )
    points = []
    for disk, load in papers_loads(quick).items():
        points += [load.point(None), *load.points(RUN[disk])]
    for load in heavy_loads(quick).values():
        points += load.points(OPS)
        points += [
            point for together in COMBINATIONS for point in load.points((SPTF, *CLUST), together)
        ]
    for disk, load in _loads_again(quick).items():
        for interpretation in INTERPRETATIONS:
            points += (
                [load.point(None, interpretation=interpretation)]
                if interpretation.touches(TPS_SCAN)
                else []
            )
            points += load.points(INTERPRETED[disk], interpretation)
    for interpretation in (DEFAULT, *INTERPRETATIONS):
        points += fine_loads(quick).points((TPS_SCAN, CI_OPT), interpretation)
    once = _once(quick).items()
    points += [
        point
        for name, (load, policies, interpretation) in once
        if name not in LONGER_LOADS
        for point in load.points(policies, interpretation)
    ]
    longer = dict.fromkeys(
        point
        for name, (load, policies, interpretation) in once
        if name in LONGER_LOADS
        for point in load.points(policies, interpretation)
    )
    return Plan(
        tuple(dict.fromkeys(points)),
        SEEDS,
        tuple(_cluster_points(quick)),
        further=tuple(
            (point, SEEDS if quick else LONGER_SEEDS) for point in longer if point not in points
        ),
    )


def _by(least: float) -> Criterion:
    """Significantly above 1 or, for a negative number, below."""
    return above(1 + least) if least > 0 else below(1 + least)


def _upto(view: View, rate: int) -> list[int]:
    return [one for one in view.rates if one <= rate]


def _beyond(view: View, rate: int) -> list[int]:
    return [one for one in view.rates if one > rate]


def _pairs(
    view: View,
    ones: Sequence[str],
    others: Sequence[str],
    criterion: Criterion,
    rates: Sequence[int] | None = None,
    fair: bool = False,
) -> list[Part]:
    compare = view.fairness if fair else view.response
    rates = view.rates if rates is None else rates
    return [
        part
        for one in ones
        for other in others
        if one != other
        for rate in rates
        for part in compare(one, other, criterion, [rate])
    ]


def _kept_fair(view: View, ones: Sequence[str], other: str) -> list[Part]:
    """The fairness of policies over another's, at the rates at which their mean response is lower
    than its."""
    improved = [
        (one, rate)
        for one in ones
        for rate in view.rates
        for part in view.response(one, other, below(1), [rate])
        if part.verdict is Verdict.HOLDS
    ]
    return [
        part
        for one, rate in improved
        for part in view.fairness(one, other, above(1 - MARGIN), [rate])
    ]


def _flat(view: View, others: Sequence[str], in_time: bool = False) -> list[Part]:
    """SPTF's mean response over those of other flat policies; `in_time`: where they are late with
    no C."""
    return [
        part
        for other in others
        for rate in view.rates
        if not in_time or max(view.samples(other, rate, hiccups)) == 0
        for part in view.response(SPTF, other, below(1), [rate])
    ]


def _span_over_interval(streams: int, requests: int) -> Metric:
    """Metric: cylinders from a cluster's first request to its last over those of a C-interval, at
    least: as if all C waited all the time.

    Of K requests that lie anywhere on a disk, `requests` that follow each other reach over
    (requests - 1) / (K + 1) of it on average; N C cut it into N + 1 intervals. The mean of
    1 / (K + 1) is no less than 1 over the mean of K + 1."""

    def metric(result: dict[str, Any]) -> float:
        return (requests - 1) * (streams + 1) / (streams + 1 + waiting(result))

    return metric


def _heaviest(view: View, policy: str) -> list[int]:
    rate = view.heaviest((policy,))
    return [] if rate is None else [rate]


def capacities(views: Mapping[str, View]) -> dict[str, int | None]:
    """What each disk can do: the highest rate of the grid at which SPTF and CLUST-REQ are steady,
    both as by default."""
    return {disk: views[f"{disk} heavy"].heaviest((CLUST_REQ, SPTF)) for disk in DISKS}


def _heavy(views: Views, disk: str) -> list[int]:
    """The heavy loads, however the policies are interpreted."""
    capacity = views.capacity[disk]
    return (
        []
        if capacity is None
        else [rate for rate in views[f"{disk} heavy"].rates if rate >= HEAVY * capacity]
    )


def _no_hiccup(views: Views) -> list[Part]:
    parts = []
    for name, view in views.loads.items():
        for policy in view.policies:
            counts = [count for rate in view.rates for count in view.samples(policy, rate, hiccups)]
            if not counts:  # no rate in common with what it is held against
                continue
            parts.append(
                Part(
                    f"{policy}, {name}, worst of {len(counts)} runs",
                    exact(max(counts), len(counts)),
                    below(1),
                )
            )
    return parts


def _trend_to_projected(views: Views) -> list[Part]:
    """CLUST-REQ over SPTF on the projected disk, over the same on Table 1's, where both disks have
    the same share of their capacities (`ALIKE`)."""
    one, other = views["table1 heavy"], views["projected heavy"]
    capacity, its_capacity = views.capacity["table1"], views.capacity["projected"]
    if not capacity or not its_capacity:
        return []
    parts = []
    for rate in one.rates:

        def apart(its: int, share: float = rate / capacity) -> float:
            return abs(its / its_capacity - share)

        alike = min(other.rates, key=apart)
        if (
            apart(alike) > ALIKE
            or not one.is_steady(rate, SPTF, CLUST_REQ)
            or not other.is_steady(alike, SPTF, CLUST_REQ)
        ):
            continue
        for metric, what, criterion in (
            (response_s, "mean response", below(1)),
            (fairness, "fairness", above(1)),
        ):
            ratios = [
                [
                    a / b
                    for a, b in zip(
                        view.samples(CLUST_REQ, at, metric),
                        view.samples(SPTF, at, metric),
                        strict=True,
                    )
                ]
                for view, at in ((other, alike), (one, rate))
            ]
            parts.append(
                Part(f"{what}, λ = {alike} over λ = {rate}", paired_ratio(*ratios), criterion)
            )
    return parts


def paper_claims(low: int = LOW) -> list[Judged[Views]]:
    """The paper's claims that other interpretations can change, in its order. They look at views of
    the paper's own loads ("table1", "projected"), of the grid around the disks' capacities ("table1
    heavy", "projected heavy"), of loads up to that of TPS:SCAN/SCAN ("table1 fine") and, by
    default, at the best of all kinds of clusters. `low` is the end of low and medium rates."""

    def on(load: str, compare: Callable[[View], list[Part]]) -> Parts:
        return lambda views: compare(views[load])

    def share(load: str, published: float) -> Parts:
        return lambda views: [
            Part(
                "without D-requests",
                interval(views[load].samples(None, 0, busy)),
                near(published, 0.025),
            )
        ]

    def best_clusters(
        views: Views,
        disk: str,
        metric: Metric,
        highest: bool,
        criterion: Criterion,
        rates: Sequence[int],
        than: str = SPTF,
    ) -> list[Part]:
        """Of all kinds of clusters, at each rate the one that does best."""
        return views.clusters[disk].against(
            views[f"{disk} heavy"], than, metric, highest, criterion, rates, over=True
        )

    def clusters_at_best(
        metric: Metric,
        highest: bool,
        criterion: Criterion,
        disk: str = "table1",
        rates: Callable[[View], Sequence[int]] = lambda view: view.rates,
        than: str = SPTF,
    ) -> Alternatives:
        return (
            (
                "the fairest clusters" if highest else "the fastest clusters",
                lambda views: best_clusters(
                    views, disk, metric, highest, criterion, rates(views[f"{disk} heavy"]), than
                ),
            ),
        )

    def under_heavier_load(metric: Metric, criterion: Criterion) -> tuple[Parts, Alternatives]:
        """CLUST-REQ over SPTF on the projected disk, somewhere among its heavy loads; and the same
        of the best clusters."""
        highest = metric is fairness
        most = _largest if highest else _least

        def ours(views: Views) -> list[Part]:
            return most(
                views["projected heavy"].compare(
                    CLUST_REQ, SPTF, metric, criterion, _heavy(views, "projected")
                )
            )

        def best(views: Views) -> list[Part]:
            parts = best_clusters(
                views, "projected", metric, highest, criterion, _heavy(views, "projected")
            )
            return most([part for part in parts if part.value.runs])

        return ours, (("the fairest clusters" if highest else "the fastest clusters", best),)

    def hierarchical(
        load: str, compare: Callable[[View, Sequence[str]], list[Part]]
    ) -> tuple[Parts, Alternatives]:
        """`compare` of a view and some policies: all hierarchical ones; the clusters alone."""

        def of(policies: Sequence[str]) -> Parts:
            return on(
                load, lambda v: compare(v, [policy for policy in policies if policy in v.policies])
            )

        return of(HIERARCHICAL), (("clusters alone", of(CLUST)),)

    def at_top(view: View) -> list[int]:
        return [TOP] if TOP in view.rates else []

    both, every = frozenset({SPTF, *CLUST}), frozenset({SPTF, *HIERARCHICAL})

    def also(judged: tuple[Parts, Alternatives], more: Alternatives) -> tuple[Parts, Alternatives]:
        parts, alternatives = judged
        return parts, (*alternatives, *more)

    somewhere = f"at some load of at least {100 * HEAVY:.0f} % of the capacity"
    ratio, mean, index = Unit.RATIO, "mean response, ratio", "fairness index, ratio"
    return [
        Judged(
            "c-share",
            "25 C-requests, served by SCAN, take about 45 % of the round",
            "45 %",
            Unit.PERCENT,
            "share of the time",
            frozenset({TPS_SCAN}),
            share("table1", 0.45),
        ),
        Judged(
            "ops-beat-tps",
            "OPS algorithms generally outperform TPS algorithms (except FAMISH)",
            "figure 1",
            ratio,
            mean,
            frozenset({TPS_SCAN, TPS_OPT, *OPS}),
            on("table1", lambda v: _pairs(v, OPS, (TPS_SCAN, TPS_OPT), below(1))),
        ),
        Judged(
            "famish-slow",
            "FAMISH pays for its fairness with response time: it is slower than the other OPS "
            "algorithms",
            "figure 1",
            ratio,
            mean,
            frozenset({FAMISH, *OPS}),
            on("table1", lambda v: _pairs(v, (FAMISH,), OPS, above(1))),
        ),
        Judged(
            "tps-clustered",
            "TPS with CI-OPT(6) performs significantly better than TPS:SCAN/SCAN",
            "figure 1",
            ratio,
            mean,
            frozenset({TPS_SCAN, TPS_OPT}),
            on("table1", lambda v: v.response(TPS_OPT, TPS_SCAN, _by(-MARGIN))),
            (
                (
                    f"above λ = {low}",
                    on(
                        "table1",
                        lambda v: _pairs(v, (TPS_OPT,), (TPS_SCAN,), _by(-MARGIN), _beyond(v, low)),
                    ),
                ),
            ),
        ),
        Judged(
            "tps-comparable",
            "TPS with CI-OPT(6) is comparable to OPS at low and medium rates (at most a quarter "
            f"slower than CI-OPT(6), up to λ = {low})",
            "figure 1",
            ratio,
            mean,
            frozenset({TPS_OPT, CI_OPT}),
            on("table1", lambda v: _pairs(v, (TPS_OPT,), (CI_OPT,), below(1.25), _upto(v, low))),
        ),
        Judged(
            "opt-over-greedy",
            f"CI-OPT(6) is faster than CI-SPTF as λ grows (above λ = {low})",
            "figure 1",
            ratio,
            mean,
            frozenset(OPS),
            on(
                "table1 heavy",
                lambda v: _pairs(v, (CI_OPT,), (CI_SPTF,), below(1), _beyond(v, low)),
            ),
            (
                (
                    "up to λ = 60",
                    on(
                        "table1 heavy",
                        lambda v: _pairs(
                            v,
                            (CI_OPT,),
                            (CI_SPTF,),
                            below(1),
                            [r for r in _beyond(v, low) if r <= 60],
                        ),
                    ),
                ),
            ),
        ),
        Judged(
            "fairness-kept",
            "Due to the hierarchical nature, an improvement in mean response does not cost "
            "fairness (it falls by less than 5 %; two phases with the hierarchy against two "
            "without)",
            "figure 2",
            ratio,
            "fairness index over that of TPS:SCAN/SCAN, at rates where the mean response is lower "
            "than its",
            frozenset({TPS_SCAN, TPS_OPT, *OPS}),
            on("table1", lambda v: _kept_fair(v, (TPS_OPT,), TPS_SCAN)),
            (("one phase over two", on("table1", lambda v: _kept_fair(v, OPS, TPS_SCAN))),),
        ),
        Judged(
            "famish-fairest",
            "FAMISH is the fairest of the algorithms of figure 2",
            "figure 2",
            ratio,
            index,
            frozenset(FIRST),
            on("table1", lambda v: _pairs(v, (FAMISH,), FIRST, above(1), fair=True)),
        ),
        Judged(
            "famish-unserved",
            "Under a heavy load FAMISH leaves a considerable number of D-requests without service "
            "at the end of a round: more than the other OPS algorithms",
            "in words",
            ratio,
            "mean backlog, ratio, at the highest rate at which FAMISH keeps up",
            frozenset({FAMISH, *OPS}),
            on(
                "table1",
                lambda v: [
                    part
                    for other in OPS
                    for part in v.compare(
                        FAMISH, other, waiting, above(1 + MARGIN), _heaviest(v, FAMISH)
                    )
                ],
            ),
        ),
        Judged(
            "several-hundred-percent",
            "Hierarchical algorithms improve mean response by up to several hundred percent",
            "several hundred %",
            ratio,
            "mean response of TPS:SCAN/SCAN over that of CI-OPT(6), at the rate where this ratio "
            "is largest (at least 200 % more)",
            frozenset({TPS_SCAN, CI_OPT}),
            on("table1 fine", lambda v: _largest(v.response(TPS_SCAN, CI_OPT, above(3)))),
        ),
        Judged(
            "clusters-alike",
            "CLUST-REQ(6) and CLUST-CYL(6|1000) have almost identical performance (within 5 %)",
            "figures 4, 5",
            ratio,
            "mean response and fairness, ratio",
            frozenset(CLUST),
            on(
                "table1",
                lambda v: (
                    _pairs(v, CLUST[1:], CLUST[:1], near(1, 0.05))
                    + _pairs(v, CLUST[1:], CLUST[:1], near(1, 0.05), fair=True)
                ),
            ),
        ),
        Judged(
            "clusters-beat-intervals",
            "The new clusters are significantly faster than C-intervals",
            "figure 4",
            ratio,
            mean,
            frozenset({CI_OPT, *CLUST}),
            on("table1", lambda v: _pairs(v, CLUST, (CI_OPT,), _by(-MARGIN))),
            clusters_at_best(response_s, False, _by(-MARGIN), than=CI_OPT),
        ),
        Judged(
            "intervals-less-fair",
            "The new clusters are also fairer than C-intervals",
            "in words",
            ratio,
            index,
            frozenset({CI_OPT, *CLUST}),
            on("table1", lambda v: _pairs(v, CLUST, (CI_OPT,), above(1), fair=True)),
            clusters_at_best(fairness, True, above(1), than=CI_OPT),
        ),
        Judged(
            "sptf-faster",
            "SPTF generally has a lower mean response time than the clustered algorithms "
            f"({HIERARCHICAL_TEXT})",
            "figure 4",
            ratio,
            mean,
            every,
            *hierarchical("table1", lambda v, policies: _pairs(v, (SPTF,), policies, below(1))),
        ),
        Judged(
            "clusters-comparable",
            "The mean response time of the clustered algorithms is comparable to SPTF's (at most "
            f"a quarter higher; {HIERARCHICAL_TEXT})",
            "figure 4",
            ratio,
            mean,
            every,
            *also(
                hierarchical(
                    "table1", lambda v, policies: _pairs(v, policies, (SPTF,), below(1.25))
                ),
                clusters_at_best(response_s, False, below(1.25)),
            ),
        ),
        Judged(
            "sptf-not-much",
            "At high rates the mean response time of the clustered algorithms is not "
            f"significantly higher than SPTF's (at most 10 % higher at λ = {TOP}; "
            f"{HIERARCHICAL_TEXT})",
            "figure 4",
            ratio,
            mean,
            every,
            *also(
                hierarchical(
                    "table1",
                    lambda v, policies: _pairs(v, policies, (SPTF,), below(1.1), at_top(v)),
                ),
                clusters_at_best(response_s, False, below(1.1), rates=at_top),
            ),
        ),
        Judged(
            "clusters-fairer",
            f"The clustered algorithms are significantly fairer than SPTF ({HIERARCHICAL_TEXT})",
            "figure 5",
            ratio,
            index,
            every,
            *also(
                hierarchical(
                    "table1",
                    lambda v, policies: _pairs(v, policies, (SPTF,), _by(MARGIN), fair=True),
                ),
                clusters_at_best(fairness, True, _by(MARGIN)),
            ),
        ),
        Judged(
            "fairer-by",
            f"At λ = {TOP} the clustered algorithms are up to 30 % fairer than SPTF (at least 25 "
            "%)",
            "1.30",
            ratio,
            "fairness index of CLUST-REQ(6) over SPTF",
            both,
            on(
                "table1",
                lambda v: _pairs(v, (CLUST_REQ,), (SPTF,), above(1.25), at_top(v), fair=True),
            ),
            clusters_at_best(fairness, True, above(1.25), rates=at_top),
        ),
        Judged(
            "projected-c-share",
            "On the projected disk 35 C-requests, served by SCAN, take about 35 % of the round",
            "35 %",
            Unit.PERCENT,
            "share of the time",
            frozenset({TPS_SCAN}),
            share("projected", 0.35),
        ),
        Judged(
            "projected-clusters-gain",
            "On the projected disk the new clusters can be very significantly faster than "
            "C-intervals in heavier loads",
            "figure 6",
            ratio,
            "mean response of CLUST-REQ(6) over that of CI-OPT(6), at the rate where this ratio "
            "is least",
            frozenset({CI_OPT, *CLUST}),
            on(
                "projected heavy",
                lambda v: (
                    _least(v.response(CLUST_REQ, CI_OPT, _by(-MARGIN)))
                    if CI_OPT in v.policies
                    else []
                ),
            ),
        ),
        Judged(
            "projected-similar",
            "On the projected disk mean response is similar to SPTF's for low and medium loads "
            f"(within a quarter, up to λ = {TOP}; {HIERARCHICAL_TEXT})",
            "figure 6",
            ratio,
            mean,
            every,
            *also(
                hierarchical(
                    "projected",
                    lambda v, policies: _pairs(v, policies, (SPTF,), near(1, 0.25), _upto(v, TOP)),
                ),
                clusters_at_best(
                    response_s, False, near(1, 0.25), "projected", lambda v: _upto(v, TOP)
                ),
            ),
        ),
        Judged(
            "projected-considerably-fairer",
            "On the projected disk the hierarchical algorithms are considerably fairer than SPTF "
            f"(up to λ = {TOP}; {HIERARCHICAL_TEXT})",
            "figure 7",
            ratio,
            index,
            every,
            *also(
                hierarchical(
                    "projected",
                    lambda v, policies: _pairs(
                        v, policies, (SPTF,), _by(MARGIN), _upto(v, TOP), fair=True
                    ),
                ),
                clusters_at_best(fairness, True, _by(MARGIN), "projected", lambda v: _upto(v, TOP)),
            ),
        ),
        Judged(
            "projected-faster",
            "On the projected disk CLUST-REQ(6) has a lower mean response time than SPTF under "
            f"heavier load ({somewhere})",
            "15 % lower",
            ratio,
            mean,
            both,
            *under_heavier_load(response_s, below(1)),
        ),
        Judged(
            "projected-faster-by",
            "Under heavier load on the projected disk the mean response time of CLUST-REQ(6) is "
            f"15 % lower than SPTF's (at least 10 %, {somewhere})",
            "0.85",
            ratio,
            mean,
            both,
            *under_heavier_load(response_s, below(0.9)),
        ),
        Judged(
            "projected-fairer-by",
            "Under heavier load on the projected disk CLUST-REQ(6) is 30 % fairer than SPTF (at "
            f"least 25 %, {somewhere})",
            "1.30",
            ratio,
            index,
            both,
            *under_heavier_load(fairness, above(1.25)),
        ),
        Judged(
            "no-hiccup",
            "No algorithm has a hiccup",
            "none",
            Unit.COUNT,
            "late C-requests in a run",
            frozenset(POLICIES),
            _no_hiccup,
        ),
    ]


# Claims of figures 1 and 2, which the paper says are the same with N = 15.
SAME_WITH_15 = (
    "ops-beat-tps",
    "famish-slow",
    "tps-clustered",
    "tps-comparable",
    "opt-over-greedy",
    "fairness-kept",
    "famish-fairest",
    "famish-unserved",
    "several-hundred-percent",
)


def _further_claims(views: Views, claims: Sequence[Claim]) -> list[Claim]:
    """Claims that are judged once."""
    ratio, mean = Unit.RATIO, "mean response, ratio"
    longer = [
        Part(f"{one}, {name}: {part.label}", part.value, part.criterion)
        for name in ("longer", "longer, free")
        for one in LONGER
        for part in views[name].response(one, LONGER_THAN[one], above(1 - MARGIN))
    ]
    found = {claim.name: claim.plain_verdict for claim in claims}
    n15 = Views(dict.fromkeys(("table1", "table1 heavy", "table1 fine"), views["n15"]))
    fewer = {
        one.name: Claim(one.name, "", "", one.unit, "", tuple(one.parts(n15))).plain_verdict
        for one in paper_claims(low_and_medium(15))
        if one.name in SAME_WITH_15
    }

    def same(name: str) -> Interval:
        if Verdict.OPEN in (found[name], fewer[name]):
            return interval([])
        return exact(float(found[name] is not fewer[name]), len(SEEDS))

    def unsteady(*states: Trend) -> tuple[Part, ...]:
        parts = []
        for disk in DISKS:
            names = [
                f"{policy}, λ = {rate}"
                for policy in RUN[disk]
                for rate in views[disk].rates
                if views[disk].trend(policy, rate) in states
            ]
            parts.append(
                Part(
                    f"{disk}: {'; '.join(names) or 'none'}", exact(len(names), len(SEEDS)), below(1)
                )
            )
        return tuple(parts)

    return [
        Claim(
            "steady-state",
            f"{PAPERS_ROUNDS:,} rounds are enough for the algorithms to reach steady state "
            "(judged where the disk is not overloaded, so that there is one)",
            "in words",
            Unit.COUNT,
            "points of figures 1, 2 and 4 to 7 that are neither shown to be steady nor overloaded",
            unsteady(Trend.OPEN),
            {"overloaded points too": unsteady(Trend.OPEN, Trend.UNSTABLE)},
        ),
        Claim(
            "longer-clusters",
            "The benefits of clusters of more than six requests become marginal",
            "in words",
            ratio,
            "mean response over that of clusters of six",
            tuple(longer),
        ),
        Claim(
            "sptf-best-flat",
            "SPTF performs best among all flat scheduling algorithms that the paper knows",
            "in words",
            ratio,
            mean,
            tuple(_flat(views["flat"], FLAT)),
            {
                "no C late": tuple(_flat(views["flat"], FLAT, True)),
                "round robin, too": tuple(_flat(views["flat"], (*FLAT, ROUND_ROBIN))),
            },
        ),
        Claim(
            "scan-in-intervals",
            "Inside C-intervals, an order by seeks alone optimises the wrong component: SPTF and "
            "exact orders are faster",
            "in words",
            ratio,
            "mean response over that of SCAN inside the intervals",
            tuple(_pairs(views["inside"], OPS, (CI_SCAN,), below(1))),
        ),
        Claim(
            "intervals-larger",
            "C-intervals are generally larger than the clusters of the new techniques",
            "in words",
            ratio,
            "cylinders from the first to the last request of a cluster of CLUST-REQ(6), over "
            "those of a C-interval; a lower bound",
            tuple(
                Part(f"λ = {rate}", value, below(1))
                for rate in views["table1"].rates
                if (value := views["table1"].steady(CLUST_REQ, rate, _span_over_interval(25, 6)))
                is not None
            ),
        ),
        Claim(
            "n15",
            "The general behaviour is the same with N = 15",
            "in words",
            Unit.COUNT,
            "1 if a claim of figures 1 and 2 has another verdict",
            tuple(
                Part(f"{name}: {fewer[name]}; N = 25: {found[name]}", same(name), below(1))
                for name in SAME_WITH_15
            ),
        ),
        Claim(
            "projected-better",
            "The clustered algorithms are expected to perform comparatively even better in the "
            "future",
            "in words",
            ratio,
            "ratio of CLUST-REQ(6) to SPTF, on the projected disk over on Table 1's, at the same "
            "share of the capacity",
            tuple(_trend_to_projected(views)),
        ),
    ]


# By claim: where it stands in the paper.
SENTENCES = (
    (
        "no-hiccup",
        "3.3",
        "All algorithms prevent glitches (all C-requests are completed before the end of the "
        "round).",
    ),
    (
        "longer-clusters",
        "2.1",
        "Our studies have shown that the performance benefits for larger clusters become marginal.",
    ),
    (
        "scan-in-intervals",
        "2.1",
        "Applying seek-optimizing algorithms (such as SCAN) in such small intervals (i) does not "
        "result in major savings, and (ii) focuses at the wrong overhead component.",
    ),
    (
        "steady-state",
        "3.1",
        "five independent runs of 40,000 rounds each (which are enough for the algorithms to reach "
        "steady-state).",
    ),
    (
        "c-share",
        "3.3",
        "Serving 25 C-requests per round according to the SCAN algorithm … consumes about 45% of "
        "the total round time.",
    ),
    ("ops-beat-tps", "3.3", "generally OPS algorithms outperform TPS algorithms except OPS:FAMISH"),
    (
        "famish-slow",
        "3.3",
        "OPS:FAMISH which is focused in providing fairness among D-requests at the cost of "
        "response time.",
    ),
    (
        "tps-clustered",
        "3.3",
        "TPS:SCAN/SCAN/CI-OPT(6) performs significantly better than TPS:SCAN/SCAN",
    ),
    (
        "tps-comparable",
        "3.3",
        "and its performance is comparable to OPS algorithms for low and medium D-request arrival "
        "rates.",
    ),
    (
        "opt-over-greedy",
        "3.3",
        "OPS:SCAN/CI-OPT(6) performs better than OPS:SCAN/CI-SPTF as λ increases",
    ),
    (
        "fairness-kept",
        "3.3",
        "Due to the hierarchical nature of the algorithms, improvements in mean response time does "
        "not occur at the cost of fairness.",
    ),
    ("famish-fairest", "3.3", "OPS:FAMISH … is as expected the fairer algorithm"),
    (
        "famish-unserved",
        "3.3",
        "but for heavy workloads it leaves a considerable amount of D-requests without service at "
        "the end of each round.",
    ),
    (
        "n15",
        "3.3",
        "The general behavior of the algorithms remains the same when we consider different "
        "workloads (i.e., for N = 15 C-requests per round)",
    ),
    (
        "opt-requests",
        "4.1",
        "For a specific cluster size in cylinders … performance improves as the number of requests "
        "that it contains increases.",
    ),
    (
        "opt-compactness",
        "4.1",
        "For a specific number of requests in a cluster, performance is better when the cluster "
        "size in cylinders is small.",
    ),
    (
        "sptf-best-flat",
        "4.3",
        "SPTF (which we have found to perform best among all flat scheduling algorithms)",
    ),
    (
        "clusters-alike",
        "4.3",
        "have almost identical performance in both mean response time and fairness.",
    ),
    (
        "clusters-beat-intervals",
        "4.3",
        "the benefits of the application of the new clustering techniques … The reason for the "
        "significant improvement is that C-intervals … are generally larger",
    ),
    (
        "intervals-larger",
        "4.3",
        "C-intervals, as described in section 2, are generally larger than the clusters of the new "
        "simple techniques.",
    ),
    ("sptf-faster", "4.3", "generally SPTF has lower mean response time"),
    (
        "sptf-not-much",
        "4.3",
        "the difference in the mean response time is not significant, especially for high "
        "D-request arrival rates.",
    ),
    ("clusters-fairer", "4.3", "in fairness, the proposed algorithms clearly outperform SPTF"),
    (
        "fairer-by",
        "4.3",
        "and become up to 30% fairer for high arrival rates (i.e., λ = 65 req./round).",
    ),
    (
        "clusters-comparable",
        "4.3",
        "Our algorithms achieve to have mean response time comparable to that of SPTF while they "
        "are significantly fairer.",
    ),
    (
        "projected-c-share",
        "5",
        "N = 35 C-requests per round, which according to the SCAN algorithm corresponds to the 35% "
        "of the total round time.",
    ),
    (
        "projected-clusters-gain",
        "5",
        "Comparing figures 6 and 7 with figures 4 and 5 we observe an improvement in the "
        "performance, attributed to the new clustering techniques, which can be very significant "
        "in heavier loads.",
    ),
    (
        "projected-similar",
        "5",
        "the performance of the algorithms in mean response time is similar for low and medium "
        "workloads,",
    ),
    (
        "projected-considerably-fairer",
        "5",
        "hierarchical algorithms appear to be considerably fairer.",
    ),
    (
        "projected-faster",
        "5",
        "For heavier loads the clustered scheduling algorithm outperforms the flat scheduling "
        "algorithm.",
    ),
    (
        "projected-faster-by",
        "5",
        "CLUST-REQ(6) appears to have 15% lower mean response time than SPTF",
    ),
    ("projected-fairer-by", "5", "while it is 30% fairer."),
    (
        "several-hundred-percent",
        "6",
        "drastic improvements, up to several hundred percent, in the average response times of "
        "D-requests.",
    ),
    (
        "intervals-less-fair",
        "6",
        "simple clustering methods, which improve the response time behavior significantly while "
        "also improving fairness.",
    ),
    (
        "projected-better",
        "6",
        "the proposed clustered scheduling algorithms are expected to perform comparatively even "
        "better in the future, outperforming flat scheduling algorithms in both response times and "
        "fairness.",
    ),
)
NOT_JUDGED = (
    (
        "",
        "2.1",
        'Any seek within the defined 430-cylinder-wide C-intervals will be a "short seek", … '
        "less than four milliseconds. (not judged: this is an example of another drive; Table 1's "
        "takes 4.6 ms for 430 cylinders)",
    ),
    (
        "",
        "2.1",
        "CI-SPTF is a greedy algorithm, which may not produce optimal schedules. (not judged: "
        "this is a property of the rule; opt-over-greedy has its cost)",
    ),
    (
        "",
        "2.1",
        "while the simulation run-times become intolerable. (not judged: this is about the "
        "paper's simulator)",
    ),
    (
        "",
        "2.1",
        "the performance results include this overhead (not judged: every run charges the time of "
        "its decisions)",
    ),
    (
        "",
        "2.3",
        "No D-request D_i will be served in an earlier round than D_j, if D_j is ahead of D_i in "
        "the D-queue. (not judged by figures: this is FAMISH's rule, which is tested with the "
        "policy)",
    ),
    (
        "",
        "2.1",
        "this check can rapidly be performed (not judged: every run charges the time of its "
        "decisions)",
    ),
    (
        "",
        "3.1",
        "a good fraction of the D-requests are smaller than the track size (not judged: this "
        "follows from Tables 1 and 2, 97 %)",
    ),
    (
        "",
        "3.1",
        "For these the rotational delay is a significant cost factor, whereas this effect "
        "dismisses for requests that are larger than a full track. (not judged: the claims are "
        "about D only, which are shorter)",
    ),
    (
        "",
        "3.3",
        "This result was expected since TPS algorithms force D-requests to wait until the end of "
        "the C-period. (not judged: this is a cause; idle after sweep shows its effect)",
    ),
    (
        "",
        "3.3",
        "there is bigger difference between the optimal and the greedy schedule (not judged: this "
        "is a cause of opt-over-greedy)",
    ),
    (
        "",
        "4.1",
        "A good clustering method would … create compact clusters, i.e., small disk intervals "
        "with as many requests as possible. (not judged: this is a conclusion from opt-requests "
        "and opt-compactness)",
    ),
    (
        "",
        "4.3",
        "The reasons given for clusters-alike: what the clusters hold at low and at high rates "
        "(not judged: they name no quantity)",
    ),
    (
        "",
        "4.3",
        "Unfairness is one of the main reasons that SPTF is not practically used by disk drive "
        "manufacturers. (not judged: this is about manufacturers)",
    ),
    (
        "",
        "5",
        "because as the system's load becomes heavier the compactness of the clusters increases "
        "(not judged: this is a cause of projected-faster; intervals-larger has the widths)",
    ),
    (
        "",
        "6",
        "these impressive response times do not occur at the cost of unfair D-request schedules. "
        "(fairness-kept and clusters-fairer again)",
    ),
)


def _at_rate(
    ones: Sequence[str], others: Sequence[str], criterion: Criterion, fair: bool = False
) -> Callable[[View, int], list[Part]]:
    return lambda view, rate: _pairs(view, ones, others, criterion, [rate], fair)


def turns() -> tuple[Turn, ...]:
    """Claims about SPTF, clusters and intervals at one load."""

    return (
        Turn("sptf-faster", "SPTF faster than both clusters", _at_rate((SPTF,), CLUST, below(1))),
        Turn(
            "clusters-comparable",
            "clusters at most 25 % slower than SPTF",
            _at_rate(CLUST, (SPTF,), below(1.25)),
        ),
        Turn(
            "sptf-not-much",
            "clusters at most 10 % slower than SPTF",
            _at_rate(CLUST, (SPTF,), below(1.1)),
        ),
        Turn(
            "projected-faster",
            "CLUST-REQ faster than SPTF",
            _at_rate((CLUST_REQ,), (SPTF,), below(1)),
        ),
        Turn(
            "projected-faster-by",
            "CLUST-REQ faster than SPTF by 10 % or more",
            _at_rate((CLUST_REQ,), (SPTF,), below(0.9)),
        ),
        Turn(
            "clusters-fairer",
            "clusters fairer than SPTF by 5 %",
            _at_rate(CLUST, (SPTF,), _by(MARGIN), fair=True),
        ),
        Turn(
            "fairer-by",
            "CLUST-REQ fairer than SPTF by 25 % or more",
            _at_rate((CLUST_REQ,), (SPTF,), above(1.25), fair=True),
        ),
        Turn(
            "clusters-alike",
            "both clusters alike within 5 %",
            lambda view, rate: (
                _pairs(view, CLUST[1:], CLUST[:1], near(1, 0.05), [rate])
                + _pairs(view, CLUST[1:], CLUST[:1], near(1, 0.05), [rate], True)
            ),
        ),
        Turn(
            "clusters-beat-intervals",
            "clusters 5 % faster than CI-OPT",
            _at_rate(CLUST, (CI_OPT,), _by(-MARGIN)),
        ),
    )


def other_turns() -> tuple[Turn, ...]:
    """Claims that do not depend on how SPTF and the clusters are interpreted."""

    return (
        Turn("ops-beat-tps", "OPS faster than TPS", _at_rate(OPS, (TPS_SCAN, TPS_OPT), below(1))),
        Turn(
            "tps-clustered",
            "TPS with CI-OPT(6) faster than TPS:SCAN/SCAN by 5 %",
            _at_rate((TPS_OPT,), (TPS_SCAN,), _by(-MARGIN)),
        ),
        Turn(
            "tps-comparable",
            "TPS with CI-OPT(6) at most a quarter slower than CI-OPT(6)",
            _at_rate((TPS_OPT,), (CI_OPT,), below(1.25)),
        ),
        Turn(
            "opt-over-greedy",
            "CI-OPT(6) faster than CI-SPTF",
            _at_rate((CI_OPT,), (CI_SPTF,), below(1)),
        ),
        Turn(
            "fairness-kept",
            "TPS with CI-OPT(6) not less fair than TPS:SCAN/SCAN (within 5 %)",
            _at_rate((TPS_OPT,), (TPS_SCAN,), above(1 - MARGIN), fair=True),
        ),
        Turn(
            "fairness-kept",
            "OPS not less fair than TPS:SCAN/SCAN (within 5 %)",
            _at_rate(OPS, (TPS_SCAN,), above(1 - MARGIN), fair=True),
        ),
        Turn(
            "famish-fairest", "FAMISH the fairest", _at_rate((FAMISH,), FIRST, above(1), fair=True)
        ),
    )


def _largest(parts: list[Part]) -> list[Part]:
    return [max(parts, key=lambda part: part.value.mean)] if parts else []


def _least(parts: list[Part]) -> list[Part]:
    return [min(parts, key=lambda part: part.value.mean)] if parts else []


Gains = dict[tuple[int, int], list[float]]


def _gains(results: Results, quick: bool) -> Gains:
    """By requests and cylinders: how much shorter the mean response is in the exact order than in
    SCAN's, as a share, for each independent batch of clusters."""
    gains = {}
    for requests in REQUESTS:
        for width in WIDTHS:
            ours, scan = (
                results[_cluster_point(requests, width, policy, quick)][0]["summary"][
                    "batch_means_ms"
                ]
                for policy in (EXACT_ORDER, SCAN_ORDER)
            )
            gains[requests, width] = [1 - a / b for a, b in zip(ours, scan, strict=True)]
    return gains


def _step(gains: Gains, to: tuple[int, int], since: tuple[int, int], criterion: Criterion) -> Part:
    change = [a - b for a, b in zip(gains[to], gains[since], strict=True)]
    return Part(
        f"{since[0]} requests in {since[1]} cylinders to {to[0]} in {to[1]}",
        interval(change),
        criterion,
    )


def _cluster_claims(gains: Gains) -> list[Claim]:
    more = [_step(gains, (n, w), (n - 1, w), above(0)) for w in WIDTHS for n in REQUESTS[1:]]
    wider = [_step(gains, (n, b), (n, a), below(0)) for n in REQUESTS for a, b in pairwise(WIDTHS)]
    return [
        Claim(
            "opt-requests",
            "The advantage of OPT over SCAN grows with the number of requests in a cluster",
            "figure 3",
            Unit.PERCENT,
            "change of the gain from one number to the next",
            tuple(more),
        ),
        Claim(
            "opt-compactness",
            "The advantage of OPT over SCAN is larger in compact clusters",
            "figure 3",
            Unit.PERCENT,
            "change of the gain from one width to the next",
            tuple(wider),
        ),
    ]


def _views(results: Results, quick: bool) -> Views:
    views = {name: View(results, load, RUN[name]) for name, load in papers_loads(quick).items()}
    clusters_of = {}
    for name, load in heavy_loads(quick).items():
        views[f"{name} heavy"] = View(results, load, SECOND)
        clusters_of[name] = Opponents(
            [
                (View(results, load, CLUST, kind), policy)
                for kind in CLUSTER_KINDS
                for policy in CLUST
            ]
        )
    views["table1 fine"] = View(results, fine_loads(quick), (TPS_SCAN, CI_OPT))
    return Views(views, clusters_of, capacities(views))


def beside(views: Views, others: Views) -> Views:
    """The first ones where the others can be held against them; what is no view of results is the
    others'."""
    return replace(
        others, loads={name: views[name].beside(other) for name, other in others.loads.items()}
    )


def _projected_series(
    results: Results, views: Views, quick: bool, metric: Metric
) -> tuple[Series, ...]:
    """Figures 6 and 7 up to the disk's capacity: the text's 15 and 30 % are beyond the rates of the
    other figures. SPTF both ways, as its other one is what they are seen against."""
    low, high = views["projected"], views["projected heavy"]
    more = [rate for rate in high.rates if rate > low.rates[-1]]

    def joined(name: str, policy: str, lower: View | None, higher: View) -> Series:
        values = (
            []
            if lower is None
            else [(rate, lower.steady(policy, rate, metric)) for rate in lower.rates]
        )
        values += [
            (rate, higher.steady(policy, rate, metric))
            for rate in (higher.rates if lower is None else more)
        ]
        return Series(name, [rate for rate, _ in values], [value for _, value in values])

    next_c = View(results, heavy_loads(quick)["projected"], (SPTF,), NEXT_C)
    return (
        *(joined(policy, policy, low, high) for policy in SECOND),
        joined("SPTF(next-C)", SPTF, None, next_c),
    )


def _flat_table(view: View) -> Table:
    def cell(policy: str, rate: int) -> str:
        late = max(view.samples(policy, rate, hiccups))
        return view.cell(policy, rate) + (f"; {late:.0f} C late" if late else "")

    return Table(
        "Flat policies: mean response and fairness of D, and number of late C-requests in the "
        "worst run",
        ("policy", *(f"λ = {r}" for r in view.rates)),
        tuple((policy, *(cell(policy, rate) for rate in view.rates)) for policy in view.policies),
    )


def _turn_tables(views: Views, grids: Mapping[Together, Views]) -> tuple[list[Table], Table]:
    """For the page, and every verdict behind them."""
    tables, rows = [], []
    for disk in DISKS:
        grid = {together: grids[together][disk] for together in COMBINATIONS}
        tables.append(
            grid_table(
                f"Where each claim turns: {DISKS[disk]}; λ (SPTF's utilisation)",
                turns(),
                FACTORS,
                grid,
            )
        )
        rows += verdict_rows(disk, turns(), grid)
    fine = {"opt-over-greedy": views["table1 heavy"]}  # at more rates

    def holds(turn: Turn) -> str:
        view = fine.get(turn.name, views["table1"])
        return where(
            view.rates, verdicts(view, turn), lambda rate: f"{rate} ({100 * view.busy(rate):.0f} %)"
        )

    tables.append(
        Table(
            "Where the other claims turn, Table 1's disk; λ (SPTF's utilisation)",
            ("claim", "at one load", "holds"),
            tuple((turn.name, turn.text, holds(turn)) for turn in other_turns()),
        )
    )
    return tables, Table("Every verdict of the grid", VERDICT_HEADER, tuple(rows), "turning.csv")


@dataclass(frozen=True)
class _Seen:
    """Results as the claims look at them: by default, under each other interpretation, under all
    combinations, and what is looked at once."""

    views: Views
    interpretations: dict[Interpretation, Views]
    grid: dict[Together, Views]
    once: dict[str, View]


def _seen(results: Results, quick: bool) -> _Seen:
    views = _views(results, quick)
    interpretations = {
        interpretation: Views(
            {
                key: view
                for name, load in _loads_again(quick).items()
                for view in (View(results, load, INTERPRETED[name], interpretation),)
                for key in (name, f"{name} heavy")
            }
            | {"table1 fine": View(results, fine_loads(quick), (TPS_SCAN, CI_OPT), interpretation)},
            capacity=views.capacity,
        )
        for interpretation in INTERPRETATIONS
    }
    grid = {
        together: Views(
            {
                key: view
                for name, load in heavy_loads(quick).items()
                for view in (View(results, load, SECOND, together),)
                for key in (name, f"{name} heavy")
            },
            capacity=views.capacity,
        )
        for together in COMBINATIONS
    }
    once = {
        name: View(results, load, policies, interpretation)
        for name, (load, policies, interpretation) in _once(quick).items()
    }
    return _Seen(views, interpretations, grid, once)


def _claims(seen: _Seen, gains: Gains) -> tuple[Claim, ...]:
    judged = paper_claims()
    bases = {
        interpretation: beside(seen.views, others)
        for interpretation, others in seen.interpretations.items()
    }
    claims = [
        judge(one, seen.views, seen.interpretations, FACTORS, seen.grid, bases) for one in judged
    ]
    claims += [
        *_cluster_claims(gains),
        *_further_claims(replace(seen.views, loads={**seen.views.loads, **seen.once}), claims),
    ]
    order = [name for name, _, _ in SENTENCES]
    return tuple(sorted(claims, key=lambda claim: order.index(claim.name)))


def claims(results: Results, quick: bool) -> tuple[Claim, ...]:
    """Those of the report, without its figures and tables."""
    return _claims(_seen(results, quick), _gains(results, quick))


def differences(means: Means) -> Differences:
    """Where a criterion and the paper's sentence differ."""

    def where(load: str, policy: str) -> dict[str, str]:
        """Near capacity the clusters of the default are one of their kinds."""
        near = load in (one, other) and policy in CLUST
        kind = CLUSTER_KINDS[0].name if near else DEFAULT.name
        return {"load": load, "interpretation": kind, "policy": policy}

    def mean(load: str, policy: str, rate: int, column: str = "mean_response_s") -> float:
        return means.value(column, **where(load, policy), rate_per_s=rate)

    def state(load: str, policy: str, rate: int) -> str:
        found = means.rows(**where(load, policy), rate_per_s=rate)
        return found[0]["trend"] if found else NO_DATA

    def ratio(load: str, one: str, other: str, rate: int, column: str = "mean_response_s") -> float:
        """Not a number where one of them is not steady."""
        if any(state(load, policy, rate) != str(Trend.STEADY) for policy in (one, other)):
            return math.nan
        return mean(load, one, rate, column) / mean(load, other, rate, column)

    def rates(load: str) -> list[int]:
        return sorted(int(row["rate_per_s"]) for row in means.rows(**where(load, CLUST_REQ)))

    def capacity(load: str) -> int:
        return max(
            (rate for rate in rates(load) if math.isfinite(ratio(load, CLUST_REQ, SPTF, rate))),
            default=0,
        )

    def nearest(share: float) -> int:
        """Rate of the projected disk whose share of the capacity is nearest to this one."""
        return min(rates(other), key=lambda rate: abs(rate / capacity(other) - share))

    one, other = "table1 heavy", "projected heavy"
    alike = [
        (rate, its)
        for rate in (rates(one) if capacity(one) and capacity(other) else ())
        for its in (nearest(rate / capacity(one)),)
        if abs(its / capacity(other) - rate / capacity(one)) <= ALIKE
    ]

    def on_both(column: str, against: str) -> str:
        """CLUST-REQ over this policy, from Table 1's disk to the projected one."""
        pairs = (
            (
                ratio(one, CLUST_REQ, against, rate, column),
                ratio(other, CLUST_REQ, against, its, column),
            )
            for rate, its in alike
        )
        return (
            ", ".join(
                f"{decimals(a)} → {decimals(b)}"
                for a, b in pairs
                if math.isfinite(a) and math.isfinite(b)
            )
            or NO_DATA
        )

    def over_sptf(rate: int) -> list[float]:
        found = [ratio("table1", policy, SPTF, rate) for policy in HIERARCHICAL]
        return [value for value in found if math.isfinite(value)] or [math.nan]

    def fairness_over_base(policy: str) -> str:
        return listed(
            decimals(ratio("table1", policy, TPS_SCAN, rate, "fairness_index"))
            for rate in (5, 15, 25, 35, 45)
        )

    def never_served(policy: str) -> str:
        return percent(abs(mean("table1", policy, TOP, "never_served_share")))

    of_figures = (5, 15, 25, 35, 45, 55, TOP)
    heavy = [rate for rate in rates(other) if capacity(other) and rate >= HEAVY * capacity(other)]
    pairs = ", ".join(f"{rate} → {its}" for rate, its in alike) or NO_DATA
    longer, usual = LONGER[0], LONGER_THAN[LONGER[0]]
    inside = (15, 35, 55)
    return Differences(
        (
            Difference(
                "several-hundred-percent; n15",
                "The improvement is *up to several hundred percent* (section 6).",
                f"Only runs of {rounds(False):,} rounds count, at the steady rate with the largest "
                f"ratio. The {PAPERS_ROUNDS:,} rounds of figure 1 are not used. `n15` has this "
                "claim among its nine, although the sentence is not about figures 1 and 2.",
                f"In figure 1 TPS:SCAN/SCAN over CI-OPT(6) is "
                f"{decimals(ratio('table1', TPS_SCAN, CI_OPT, 55), 1)} at λ = 55 (TPS:SCAN/SCAN: "
                f"{state('table1', TPS_SCAN, 55)}).",
            ),
            Difference(
                "famish-unserved",
                "*For heavy workloads* FAMISH leaves a considerable amount without service *at the "
                "end of each round*.",
                "The mean backlog over all time counts, at the highest steady rate. By Little's "
                "law its ratio is that of the responses, so the claim repeats `famish-slow`.",
                "Backlog over CI-SPTF's: "
                + listed(
                    decimals(ratio("table1", FAMISH, CI_SPTF, rate, "backlog"), 1)
                    for rate in (5, 55)
                )
                + f" at λ = 5 and 55. At λ = {TOP} FAMISH never serves {never_served(FAMISH)} %, "
                f"and CI-SPTF {never_served(CI_SPTF)} %.",
            ),
            Difference(
                "projected-better",
                "The algorithms are expected to perform *even better in the future, outperforming "
                "flat scheduling algorithms in both response times and fairness*.",
                "Response and fairness have one verdict together. *Outperforming* is not judged "
                "here, but by `projected-faster` and `projected-considerably-fairer`.",
                f"CLUST-REQ(6) over SPTF, Table 1's disk → projected disk, at λ = {pairs}: "
                f"response {on_both('mean_response_s', SPTF)}; fairness "
                f"{on_both('fairness_index', SPTF)}.",
            ),
            Difference(
                "projected-clusters-gain",
                "*Comparing figures 6 and 7 with figures 4 and 5* there is an improvement, which "
                "can be *very significant*.",
                "The projected disk alone counts, at the rate that is best for the clusters. A "
                "gain of 5 % is enough, as for *significantly* without *very*.",
                "CLUST-REQ(6) over CI-OPT(6), at those of the same λ where both are steady: "
                "response "
                f"{on_both('mean_response_s', CI_OPT)}.",
            ),
            Difference(
                "projected-faster-by; projected-fairer-by",
                "One sentence says both: a response 15 % lower *while* it is 30 % fairer.",
                "Each half is judged at the heavy load that suits it best, and not both at one "
                "load.",
                "; ".join(
                    f"λ = {rate}: response {decimals(ratio(other, CLUST_REQ, SPTF, rate))}, "
                    f"fairness {decimals(ratio(other, CLUST_REQ, SPTF, rate, 'fairness_index'))}"
                    for rate in heavy
                )
                or NO_DATA,
            ),
            Difference(
                "longer-clusters",
                "The benefits for larger clusters become marginal.",
                f"The loads end at λ = 62. The paper names {TOP} as a high rate.",
                "CI-OPT(8) over CI-OPT(6): "
                + listed(decimals(ratio("longer", longer, usual, r), 3) for r in (35, 55, 62))
                + " at λ = 35, 55 and 62.",
            ),
            Difference(
                "sptf-not-much",
                "The difference is not significant, *especially* for high rates.",
                f"At most 10 % counts as not significant, and only at λ = {TOP}. *Significantly* "
                "is 5 % elsewhere, and *especially* is not *only*.",
                "The fastest clustered algorithm over SPTF: "
                + listed(decimals(min(over_sptf(rate))) for rate in of_figures)
                + f" at λ = {listed(map(str, of_figures))}.",
            ),
            Difference(
                "fairness-kept",
                "Improvements do not cost fairness. The sentence follows on all algorithms of "
                "figure 2, and section 6 says it of the proposed ones.",
                "By default only the two policies in two phases count. The others are in *one "
                "phase over two*.",
                f"Fairness over TPS:SCAN/SCAN at λ = 5 to 45: CI-SPTF "
                f"{fairness_over_base(CI_SPTF)}; CI-OPT(6) {fairness_over_base(CI_OPT)}.",
            ),
            Difference(
                "scan-in-intervals",
                "SCAN in small intervals *(i) does not result in major savings*, and (ii) focuses "
                "at the wrong component.",
                "Only (ii) is judged, and any difference is enough. (i) needs FCFS inside the "
                "intervals, which has no runs.",
                "CI-SPTF over SCAN there: "
                + listed(decimals(ratio("inside", CI_SPTF, CI_SCAN, r), 3) for r in inside)
                + f" at λ = {listed(map(str, inside))}.",
            ),
        ),
        (
            f"`longer-clusters` has {len(LONGER_SEEDS)} seeds, because {len(SEEDS)} leave it "
            f"undecided. Every other claim has {len(SEEDS)}, decided or not.",
            "`several-hundred-percent`, `projected-clusters-gain` and the claims on heavier load "
            "choose the rate by its result. The interval is that of the chosen rate. Such a "
            "choice favours the claim.",
            "In `projected-better` one rate of the projected disk may stand beside two rates of "
            "Table 1's. Such comparisons are not independent.",
        ),
    )


def report(results: Results, quick: bool) -> Report:
    seen, gains = _seen(results, quick), _gains(results, quick)
    views, interpretations, grid, once = seen.views, seen.interpretations, seen.grid, seen.once

    rate, milliseconds, index = (
        "arrival rate λ of D-requests (per round)",
        "mean response time of D (ms)",
        "fairness index",
    )
    one = views["table1"]
    charts = [
        Chart(
            "figure1.svg",
            "Figure 1: mean response time, N = 25",
            rate,
            milliseconds,
            one.series(FIRST, response_ms),
            log_y=True,
        ),
        Chart(
            "figure2.svg", "Figure 2: fairness, N = 25", rate, index, one.series(FIRST, fairness)
        ),
        Chart(
            "figure3.svg",
            "Figure 3: exact order against SCAN order",
            "requests in a cluster",
            "shorter mean response (%)",
            tuple(
                Series(
                    f"{width} cylinders",
                    REQUESTS,
                    [
                        interval([100 * gain for gain in gains[requests, width]])
                        for requests in REQUESTS
                    ],
                )
                for width in WIDTHS
            ),
        ),
        Chart(
            "figure4.svg",
            "Figure 4: mean response time, N = 25",
            rate,
            milliseconds,
            one.series(SECOND, response_ms),
            log_y=True,
        ),
        Chart(
            "figure5.svg", "Figure 5: fairness, N = 25", rate, index, one.series(SECOND, fairness)
        ),
        Chart(
            "figure6.svg",
            "Figure 6: mean response time, projected disk, N = 35",
            rate,
            milliseconds,
            _projected_series(results, views, quick, response_ms),
            log_y=True,
        ),
        Chart(
            "figure7.svg",
            "Figure 7: fairness, projected disk, N = 35",
            rate,
            index,
            _projected_series(results, views, quick, fairness),
        ),
    ]
    mixed = [
        together
        for together in CLUSTER_KINDS
        if together.interpretations[-1] is CLUSTER_KINDS[0].interpretations[-1]
    ]
    rows = [row for name in DISKS for row in views[name].rows(name)]
    for name, load in heavy_loads(quick).items():
        kinds = {together: View(results, load, CLUST, together) for together in CLUSTER_KINDS}
        sptf = {
            "SPTF": View(results, load, (SPTF,)),
            "SPTF(next-C)": View(results, load, (SPTF,), NEXT_C),
        }
        for metric, file, label in (
            (response_ms, "response", milliseconds),
            (fairness, "fairness", index),
        ):
            series = [
                Series(key, view.rates, view.series((SPTF,), metric)[0].y)
                for key, view in sptf.items()
            ]
            series += [
                Series(
                    f"CLUST-REQ(6): {', '.join(r.name for r in kind.interpretations[:-1])}",
                    load.rates,
                    kinds[kind].series((CLUST_REQ,), metric)[0].y,
                )
                for kind in mixed
            ]
            charts.append(
                Chart(
                    f"{name}_heavy_{file}.svg",
                    f"Near capacity: {label}, {DISKS[name]}",
                    rate,
                    label,
                    tuple(series),
                    log_y=metric is response_ms,
                )
            )
        for view in (View(results, load, (SPTF, *OPS)), sptf["SPTF(next-C)"], *kinds.values()):
            rows += view.rows(f"{name} heavy")
    rows += [
        row
        for interpretation, other in interpretations.items()
        for name in DISKS
        for row in other[name].rows(name)
    ]
    rows += [
        row
        for interpretation in (DEFAULT, *INTERPRETATIONS)
        for row in View(results, fine_loads(quick), (TPS_SCAN, CI_OPT), interpretation).rows(
            "table1 fine"
        )
    ]
    rows += [row for name, view in once.items() for row in view.rows(name)]
    turn_tables, every_verdict = _turn_tables(views, grid)
    tables = [
        Table(
            "What the paper leaves open about SPTF and clusters",
            FACTOR_HEADER,
            factor_rows(FACTORS),
        ),
        *turn_tables,
        one.table(DISKS["table1"]),
        views["projected"].table(DISKS["projected"]),
        views["table1 heavy"].table(f"{DISKS['table1']}, near capacity"),
        views["projected heavy"].table(f"{DISKS['projected']}, near capacity"),
        once["n15"].table("Table 1's disk, N = 15"),
        views["table1 fine"].table(f"{DISKS['table1']}, up to the capacity of TPS:SCAN/SCAN"),
        _flat_table(once["flat"]),
        once["inside"].table("SCAN inside C-intervals, CI-OPT(1), and other orders there"),
        once["longer"].table("Exact orders of more than six"),
        once["longer, free"].table("The same with decisions in no time"),
        Table(
            "The sentences behind the claims",
            ("claim", "section", "sentence"),
            (*SENTENCES, *NOT_JUDGED),
        ),
    ]
    return Report(
        _claims(seen, gains),
        tuple(charts),
        tuple(tables),
        tuple((r.name, r.text) for r in INTERPRETATIONS),
        (Table("Every run", RUN_HEADER, tuple(rows), "runs.csv"),),
        (every_verdict,),
    )


INTRODUCTION = f"""
E. Balafoutis, M. Paterakis, P. Triantafillou, G. Nerjes, P. Muth, G. Weikum: *Clustered \
Scheduling Algorithms for Mixed-Media Disk Workloads in
a Multimedia Server*.

**Load.** A drive serves N continuous requests (C) in every round of one second. All of them are \
known at the start of the round and due at its
end. Discrete requests (D) arrive as a Poisson process, λ in a round. The sizes of C are \
gamma-distributed, with a mean of 200,000 and a standard
deviation of 100,000 bytes. Those of D are normally distributed, with 70,000 and 20,000 bytes. \
The places of both are uniform over the disk. The
disk is that of the paper's Table 1 with N = 25 (`scenario.toml`), or its projection by four \
years with N = 35 (`projected.toml`).

**Runs.** Five runs make a point, as in the paper. Their length depends on the point:

| points | rounds of a run |
| --- | --- |
| figures 1, 2, 4 and 5 above λ = {LOW}, where Table 1's disk is not lightly loaded | 40,000, as \
in the paper |
| the paper's other points | 10,000 |
| the grid below, other interpretations, N = 15, flat policies | 4,000 |
| light loads of the grid | 2,000 |
| exact orders of more than six | 5,000, in {len(LONGER_SEEDS)} runs, because five leave the \
claim undecided |

**Steady or unstable.** The trend of a policy's backlog, the outstanding discrete requests, \
decides whether the policy keeps up. A run gives the
mean backlog in each of twenty equal parts of the measured time. A line is fitted through these \
means. Its rise from begin to end, divided by the
mean backlog of all runs, is the growth. The growth is 0 for a stable queue, 2 for one that grows \
in proportion to time, and 1.2 for one with
exactly as much work as it can do. The runs are independent, so Student's t gives a 95 % interval \
of the growth.

- A point is *steady* if the whole interval is below 1.
- It is *unstable* if the whole interval is above 1.
- Otherwise it is *not shown to be steady*.

This bound does not depend on the length of a run. Only steady points have a mean response and a \
fairness, and only pairs of steady points have a
ratio. A claim is judged at the loads with a ratio. Another interpretation is compared with the \
default at the loads where both have one.

**Margins.** *Significantly*, *considerably* and *clearly* mean at least {100 * MARGIN:.0f} %, \
which is the room that the paper's "almost
identical" leaves. *Better*, *lower* and *fairer* alone mean any difference. *Comparable* and \
*similar* mean within a quarter.

**What the paper leaves open about SPTF and clusters** decides several verdicts. So these are \
judged under every combination of the answers:

- Either all C compete in SPTF, or only the next one.
- The next cluster begins either behind the one that has ended, or at the arm.
- A new round either begins the sweep anew, or does not.
- A cluster holds either both classes, or only D.

A verdict *depends on* a question if another answer to this question alone reverses it in some \
combination. The tables show at which load.

**Heavy load.** A load is heavy from {100 * HEAVY:.0f} % of a disk's capacity on. The capacity is \
the highest λ of the grid at which SPTF and
CLUST-REQ(6) of the default are steady. It is the same λ for every combination. (Utilisation says \
less, because near capacity it hardly changes
with λ.) The paper names no λ for its 15 and 30 %. So any of the heavy loads may reach them, and \
a gain may exceed the paper's. Loads of the two
disks are alike if their shares of the capacity differ by at most {ALIKE}.

**Loads of single claims.**

- *Up to several hundred percent* is evaluated where the ratio is largest, just below the load at \
which TPS:SCAN/SCAN falls behind. TPS:SCAN/SCAN
  is the base, because it is the only policy of figure 1 that is neither hierarchical nor meant \
for fairness alone.
- With N = 15 the C leave more of a round. Low and medium rates end at λ = {low_and_medium(15)}, \
where the D ask for as large a part of the
  remaining time.
- The sentence on fairness names the hierarchy as the cause. So it is judged in two phases with \
and without hierarchy, at the rates where the
  mean is lower with it. *One phase over two* is the other reading.
- *Enough to reach steady state* is judged where a steady state exists. *Overloaded points too* \
is the other reading.

**TPS's list.** With CI-OPT in the second phase, the whole disk is one interval. The paper does \
not say how long a list lasts. By default it
lasts until all of it has been served. In another interpretation (*lists anew*) it is made anew \
after each part of at most six.

**Flat policies.** These are the policies that section 1.1 of the paper names, SCAN in both \
directions and in one, and FCFS. The paper knows
round robin as an order of the C. Round robin between the classes is from another paper \
([integrated servers](../integrated-servers/README.md)).
It is in the table, and is judged under *round robin, too*.

**Best clusters.** Claims on fairness are also judged with the fairest of all kinds of clusters, \
and claims on response with the fastest. Where
the paper says clustered or hierarchical algorithms, C-intervals count as well. The same is also \
judged for the new clusters alone.

**Refused D.** A D that the guard refuses waits for the next round (section 2.1). In another \
interpretation it is considered again when the last
C has been served. FAMISH stops when its whole plan would end after the round, including D behind \
the last C. So every D that it takes is served
in its round, as the paper promises. Step 3 of section 2.3 alone asks only whether a C would be \
late. It would let D behind the last C run on
into the next round.

**Figure 3** is a separate experiment (`clusters.toml`). One cluster of D at a time is on an idle \
disk. The whole cluster waits while the drive
serves a single sector at the cluster's lower edge. From then on the response times in the exact \
order (`CLUST-REQ(6)`) are compared with those
in SCAN's order (`LOOK`), for the same clusters.

**Unfair C-intervals.** Near capacity the policies with C-intervals are unfair in a way that the \
paper does not show. Their sweeps go up and down
in turn, and the guard lets no D pass when the slack has been used up on the way. D in the middle \
of the disk starve, because both sweeps run out
of slack there. The log of requests confirms it: only D around the middle wait long. CI-OPT(6) \
reaches this state before CI-SPTF does, because it
adds what arrives for the present interval only to its next list. The table *Where the other \
claims turn* shows up to which load it is ahead of
CI-SPTF (`opt-over-greedy`). A sweep that always goes upward has no such place.

**TPS at low rates.** TPS cannot be near OPS at low rates while OPS serves D all through the \
round. Under TPS a D that arrives during the sweep
waits for its end. Only an OPS that rests after its sweep is as slow.
"""

STUDY = Study(
    "mixed-media",
    "Mixed-media workloads: clustered scheduling",
    INTRODUCTION,
    plan,
    report,
    differences=differences,
)
