# SPDX-License-Identifier: Apache-2.0
"""Balafoutis, Paterakis, Triantafillou, Nerjes, Muth, Weikum: "Clustered Scheduling Algorithms for Mixed-Media Disk
Workloads in a Multimedia Server"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from platter_lab.executable import ROOT
from platter_lab.files import write_whole
from platter_lab.reproduce import clusters
from platter_lab.reproduce.bench import Point, Results
from platter_lab.reproduce.claims import Claim, Part, Unit, above, below, near
from platter_lab.reproduce.figures import Chart, Series
from platter_lab.reproduce.mixed_load import (
    CI_OPT, CI_SPTF, CLUST_CYL, CLUST_REQ, FAMISH, POLICIES, RUN_HEADER, SPTF, TPS_OPT, TPS_SCAN, Load, View, busy,
    fairness, hiccups, response_s, unserved)
from platter_lab.reproduce.readings import DEFAULT, Judged, Reading, judge
from platter_lab.reproduce.statistics import exact, interval, paired_ratio
from platter_lab.reproduce.study import PAPERS, Plan, Report, Study, Table

FOLDER = PAPERS / "mixed-media"
SEEDS = (1, 2, 3, 4, 5)

FIRST = (TPS_SCAN, TPS_OPT, FAMISH, CI_SPTF, CI_OPT)      # figures 1 and 2
SECOND = (SPTF, CI_SPTF, CI_OPT, CLUST_REQ, CLUST_CYL)    # figures 4 to 7
OPS = (CI_SPTF, CI_OPT)
CLUST = (CLUST_REQ, CLUST_CYL)

INTERVAL_POLICIES = frozenset({CI_SPTF, CI_OPT})
READINGS = (
    Reading("SPTF(next-C)", "only the sweep's next C competes with the D", policies=((SPTF, "SPTF(next-C)"),),
            affects=frozenset({SPTF})),
    Reading("sweep alternating", "the C-sweep starts at the two extremes in turn, not at the nearer one",
            (("scheduling.sweep_start", "alternating"),)),
    Reading("sweep upward", "the C-sweep always starts at the lowest cylinder", (("scheduling.sweep_start", "upward"),)),
    Reading("disk after sweep", "after the last C the whole disk is one interval",
            (("scheduling.after_sweep", "disk"),), affects=INTERVAL_POLICIES),
    Reading("idle after sweep", "after the last C the drive rests until the round ends",
            (("scheduling.after_sweep", "idle"),), affects=INTERVAL_POLICIES),
    Reading("clusters of D", "CLUST-REQ and CLUST-CYL cluster D-requests only", (("scheduling.clusters", "discrete"),),
            affects=frozenset(CLUST)),
    Reading("FAMISH(late)", "FAMISH takes in what arrives within the round and lies ahead",
            policies=((FAMISH, "OPS:FAMISH(late)"),), affects=frozenset({FAMISH})),
    Reading("zero latency", "a drive that reads the sectors of a track in the order in which they come",
            (("drive.mechanics.zero_latency_read", "true"),)),
    Reading("head switch", "0.8 ms for each change of the head, on tracks without skew (and so a turn each)",
            (("drive.mechanics.head_switch_us", "800"),)),
    Reading("decisions in no time", "a decision takes none of the drive's time",
            (("drive.controller.firmware_base_cycles", "0"), ("drive.controller.firmware_candidate_cycles", "0"),
             ("drive.controller.firmware_order_cycles", "0"))),
)

# What runs on which load, by default and under the other readings.
RUN = {"table1": POLICIES, "projected": SECOND}
READ_AGAIN = {"table1": POLICIES, "projected": (SPTF, CLUST_REQ)}

# Figure 3: requests in a cluster, cylinders it reaches over.
REQUESTS = (2, 3, 4, 5, 6)
WIDTHS = (100, 250, 500, 1000, 2000)
EXACT_ORDER, SCAN_ORDER = CLUST_REQ, "LOOK"
TRACES = ROOT / "build" / "reproduce" / "clusters"


def rounds(quick: bool, default: bool) -> int:
    """Rounds of a run, as many as the paper's by default; fewer under the other readings."""
    return 800 if quick else 40_000 if default else 4_000


def _loads(quick: bool, default: bool = True) -> dict[str, Load]:
    rates = (5, 35, 65) if quick else (5, 15, 25, 35, 45, 55, 65)
    heavy = (105,) if quick else (85, 105, 125)
    return {"table1": Load(FOLDER / "scenario.toml", rates, rounds(quick, default)),
            "projected": Load(FOLDER / "projected.toml", rates + heavy, rounds(quick, default))}


def _clusters(quick: bool) -> int:
    return clusters.BATCHES * (200 if quick else 2000)


def _trace(requests: int, width: int, quick: bool) -> Path:
    return TRACES / f"{requests}_requests_{width}_cylinders_{_clusters(quick)}.trace"


def _cluster_point(requests: int, width: int, policy: str, quick: bool) -> Point:
    return Point(FOLDER / "clusters.toml",
                 (("policy", policy), ("workload.discrete.trace", str(_trace(requests, width, quick)))),
                 0.0, _clusters(quick) * clusters.PERIOD_S, clusters.batch_means)


def _cluster_points(quick: bool) -> list[Point]:
    return [_cluster_point(requests, width, policy, quick)
            for requests in REQUESTS for width in WIDTHS for policy in (EXACT_ORDER, SCAN_ORDER)]


def plan(quick: bool) -> Plan:
    profile = ROOT / "models" / "configs" / "drives" / "balafoutis_table1.toml"
    write_whole({_trace(requests, width, quick): clusters.trace(profile, requests, width, _clusters(quick))
                 for requests in REQUESTS for width in WIDTHS})
    loads = _loads(quick)
    points = [load.point(None) for load in loads.values()]
    points += [point for name, policies in RUN.items() for point in loads[name].points(policies)]
    for name, load in _loads(quick, default=False).items():
        for reading in (DEFAULT, *READINGS):
            points += [load.point(None, reading=reading)] if reading.touches(TPS_SCAN) else []
            points += load.points(READ_AGAIN[name], reading)
    return Plan(tuple(dict.fromkeys(points)), SEEDS, tuple(_cluster_points(quick)))


def paper_claims(rates: Sequence[int]) -> list[Judged]:
    """The paper's claims, in its order, on views of the loads "table1" (with these rates) and "projected"."""
    low = [rate for rate in rates if rate <= 35]
    top = rates[-1]

    def table1(compare):
        return lambda views: compare(views["table1"])

    def share(load: str, published: float):
        return lambda views: [Part("without D-requests", interval(views[load].samples(None, 0, busy)), near(published, 0.025))]

    def pairs(view: View, ones, others, criterion, rates=(), fair=False) -> list[Part]:
        compare = view.fairness if fair else view.response
        return [part for one in ones for other in others if one != other for part in compare(one, other, criterion, rates)]

    def growing(view: View) -> list[Part]:
        """CI-OPT over CI-SPTF at the highest rate that both keep up with, and that over the same at the lowest."""
        first, last = view.rates[0], view.heaviest(OPS)
        if last is None or last == first:
            return []
        ratios = [[a / b for a, b in zip(view.samples(CI_OPT, rate, response_s), view.samples(CI_SPTF, rate, response_s),
                                         strict=True)] for rate in (last, first)]
        return [*view.response(CI_OPT, CI_SPTF, below(1), [last]),
                Part(f"the ratio at λ = {last} over that at λ = {first}", paired_ratio(*ratios), below(1))]

    def no_hiccup(views: Mapping[str, View]) -> list[Part]:
        parts = []
        for name, view in views.items():
            for policy in view.policies:
                counts = [count for rate in view.rates for count in view.samples(policy, rate, hiccups)]
                parts.append(Part(f"{policy}, {name}, worst of {len(counts)} runs", exact(max(counts), len(counts)), below(1)))
        return parts

    def projected(compare: str, criterion):
        return lambda views: getattr(views["projected"], compare)(CLUST_REQ, SPTF, criterion, [top])

    def at_heaviest(load: str, compare: str, criterion):
        def parts(views: Mapping[str, View]) -> list[Part]:
            rate = views[load].heaviest((CLUST_REQ, SPTF))
            return [] if rate is None else getattr(views[load], compare)(CLUST_REQ, SPTF, criterion, [rate])
        return (("heaviest rate both keep up with", parts),)

    both = frozenset({SPTF, *CLUST})
    ratio, mean = Unit.RATIO, "mean response, ratio"
    return [
        Judged("c-share", "25 C-requests by SCAN take about 45 % of the round", "45 %", Unit.PERCENT, "share of the time",
               frozenset({TPS_SCAN}), share("table1", 0.45)),
        Judged("ops-beat-tps", "OPS algorithms generally outperform TPS algorithms (FAMISH apart)", "figure 1", ratio, mean,
               frozenset({TPS_SCAN, TPS_OPT, *OPS}),
               table1(lambda v: pairs(v, OPS, (TPS_SCAN, TPS_OPT), below(1)))),
        Judged("famish-slow", "FAMISH buys fairness with response time: it is slower than the other OPS algorithms",
               "figure 1", ratio, mean, frozenset({FAMISH, *OPS}), table1(lambda v: pairs(v, (FAMISH,), OPS, above(1)))),
        Judged("tps-clustered", "TPS with CI-OPT(6) performs significantly better than TPS:SCAN/SCAN", "figure 1", ratio, mean,
               frozenset({TPS_SCAN, TPS_OPT}), table1(lambda v: v.response(TPS_OPT, TPS_SCAN, below(1)))),
        Judged("tps-comparable", "and is comparable to OPS at low and medium rates (within a quarter, up to λ = 35)", "figure 1",
               ratio, mean, frozenset({TPS_OPT, CI_OPT}),
               table1(lambda v: v.response(TPS_OPT, CI_OPT, below(1.25), low))),
        Judged("opt-over-greedy", "CI-OPT(6) beats CI-SPTF as λ grows", "figure 1", ratio, mean, frozenset(OPS), table1(growing)),
        Judged("famish-fairest", "FAMISH is the fairest", "figure 2", ratio, "fairness index, ratio",
               frozenset(FIRST), table1(lambda v: pairs(v, (FAMISH,), FIRST, above(1), fair=True))),
        Judged("famish-unserved", "but under a heavy load leaves a considerable number of D-requests without service",
               "in words", Unit.PERCENT, f"share of the D without service at the end, λ = {top}", frozenset({FAMISH}),
               table1(lambda v: [Part(f"λ = {top}", interval(v.samples(FAMISH, top, unserved)), above(0.01))])),
        Judged("several-hundred-percent", "Hierarchical algorithms improve mean response by up to several hundred percent",
               "several hundred %", ratio, "mean response of TPS:SCAN/SCAN over CI-OPT(6) at the rate where it is largest",
               frozenset({TPS_SCAN, CI_OPT}), table1(lambda v: _largest(v.response(TPS_SCAN, CI_OPT, above(3))))),
        Judged("clusters-alike", "CLUST-REQ(6) and CLUST-CYL(6|1000) have almost identical performance (within 5 %)",
               "figures 4, 5", ratio, "mean response and fairness, ratio", frozenset(CLUST), table1(
                   lambda v: v.response(CLUST_CYL, CLUST_REQ, near(1, 0.05)) + v.fairness(CLUST_CYL, CLUST_REQ, near(1, 0.05)))),
        Judged("clusters-beat-intervals", "The new clusters improve significantly on C-intervals", "figure 4", ratio, mean,
               frozenset({CI_OPT, *CLUST}), table1(lambda v: pairs(v, CLUST, (CI_OPT,), below(1)))),
        Judged("sptf-faster", "SPTF generally has the lower mean response time", "figure 4", ratio, mean, both,
               table1(lambda v: pairs(v, (SPTF,), CLUST, below(1)))),
        Judged("sptf-not-much", "but not significantly so at high rates (within 10 %)", "figure 4", ratio, mean, both,
               table1(lambda v: pairs(v, CLUST, (SPTF,), below(1.1), [top])), at_heaviest("table1", "response", below(1.1))),
        Judged("clusters-fairer", "The clustered algorithms are fairer than SPTF", "figure 5", ratio, "fairness index, ratio", both,
               table1(lambda v: pairs(v, CLUST, (SPTF,), above(1), fair=True))),
        Judged("fairer-by", f"by up to 30 % at λ = {top}", "1.30", ratio, "fairness index of CLUST-REQ(6) over SPTF", both,
               table1(lambda v: v.fairness(CLUST_REQ, SPTF, near(1.30, 0.05), [top])), at_heaviest("table1", "fairness", near(1.30, 0.05))),
        Judged("projected-c-share", "On the projected disk 35 C-requests by SCAN take about 35 % of the round", "35 %",
               Unit.PERCENT, "share of the time", frozenset({TPS_SCAN}), share("projected", 0.35)),
        Judged("projected-faster", f"There, under heavy load (λ = {top}), CLUST-REQ(6) has the lower mean response time than SPTF",
               "15 % lower", ratio, mean, both, projected("response", below(1)), at_heaviest("projected", "response", below(1))),
        Judged("projected-faster-by", f"by 15 % (λ = {top})", "0.85", ratio, mean, both,
               projected("response", near(0.85, 0.05)), at_heaviest("projected", "response", near(0.85, 0.05))),
        Judged("projected-fairer-by", f"and is 30 % fairer (λ = {top})", "1.30", ratio, "fairness index, ratio", both,
               projected("fairness", near(1.30, 0.05)), at_heaviest("projected", "fairness", near(1.30, 0.05))),
        Judged("no-hiccup", "No algorithm has a hiccup", "none", Unit.COUNT, "C-requests late in a run", frozenset(POLICIES), no_hiccup),
    ]


def _largest(parts: list[Part]) -> list[Part]:
    return [max(parts, key=lambda part: part.value.mean)] if parts else []


def _gains(results: Results, quick: bool) -> dict[tuple[int, int], list[float]]:
    """By requests and cylinders: how much shorter the mean response is in the exact order than in SCAN's, as a share,
    for each independent batch of clusters."""
    gains = {}
    for requests in REQUESTS:
        for width in WIDTHS:
            ours, scan = (results[_cluster_point(requests, width, policy, quick)][0]["summary"]["batch_means_ms"]
                          for policy in (EXACT_ORDER, SCAN_ORDER))
            gains[requests, width] = [1 - a / b for a, b in zip(ours, scan, strict=True)]
    return gains


def _step(gains: dict[tuple[int, int], list[float]], to: tuple[int, int], since: tuple[int, int], criterion) -> Part:
    change = [a - b for a, b in zip(gains[to], gains[since], strict=True)]
    return Part(f"{since[0]} requests in {since[1]} cylinders to {to[0]} in {to[1]}", interval(change), criterion)


def _cluster_claims(gains: dict[tuple[int, int], list[float]]) -> list[Claim]:
    more = [_step(gains, (n, w), (n - 1, w), above(0)) for w in WIDTHS for n in REQUESTS[1:]]
    wider = [_step(gains, (n, b), (n, a), below(0)) for n in REQUESTS for a, b in zip(WIDTHS, WIDTHS[1:])]
    return [Claim("opt-requests", "The advantage of OPT over SCAN grows with the requests of a cluster", "figure 3",
                  Unit.PERCENT, "change of the gain from one number to the next", tuple(more)),
            Claim("opt-compactness", "and is larger in compact clusters", "figure 3", Unit.PERCENT,
                  "change of the gain from one width to the next", tuple(wider))]


def report(results: Results, quick: bool) -> Report:
    default = {name: View(results, load, RUN[name]) for name, load in _loads(quick).items()}
    readings = {reading: {name: View(results, load, READ_AGAIN[name], reading)
                          for name, load in _loads(quick, default=False).items()} for reading in READINGS}
    claims = [judge(one, default, readings) for one in paper_claims(default["table1"].rates)]
    gains = _gains(results, quick)
    place = next(i for i, claim in enumerate(claims) if claim.name == "clusters-alike")
    claims[place:place] = _cluster_claims(gains)

    rate, seconds, index = "arrival rate λ of D-requests (per round)", "mean response time of D (s)", "fairness index"
    one, projected = default["table1"], default["projected"]
    charts = [Chart("figure1.svg", "Figure 1: mean response time, N = 25", rate, seconds, one.series(FIRST, response_s), log_y=True),
              Chart("figure2.svg", "Figure 2: fairness, N = 25", rate, index, one.series(FIRST, fairness)),
              Chart("figure3.svg", "Figure 3: exact order against SCAN order", "requests in a cluster",
                    "shorter mean response (%)", tuple(
                        Series(f"{width} cylinders", REQUESTS,
                               [interval([100 * gain for gain in gains[requests, width]]) for requests in REQUESTS])
                        for width in WIDTHS)),
              Chart("figure4.svg", "Figure 4: mean response time, N = 25", rate, seconds, one.series(SECOND, response_s), log_y=True),
              Chart("figure5.svg", "Figure 5: fairness, N = 25", rate, index, one.series(SECOND, fairness)),
              Chart("figure6.svg", "Figure 6: mean response time, projected disk, N = 35", rate, seconds,
                    projected.series(SECOND, response_s), log_y=True),
              Chart("figure7.svg", "Figure 7: fairness, projected disk, N = 35", rate, index, projected.series(SECOND, fairness))]
    rows = [row for name, view in default.items() for row in view.rows(name)]
    rows += [row for other in readings.values() for name, view in other.items()
             for row in view.rows(name)]
    tables = [one.table("Table 1's disk, N = 25"), projected.table("Projected disk, N = 35"),
              Table("Every run", RUN_HEADER, tuple(rows), "runs.csv")]
    return Report(tuple(claims), tuple(charts), tuple(tables), readings=tuple((r.name, r.text) for r in READINGS))


INTRODUCTION = """
E. Balafoutis, M. Paterakis, P. Triantafillou, G. Nerjes, P. Muth, G. Weikum: *Clustered Scheduling Algorithms for Mixed-Media
Disk Workloads in a Multimedia Server*.

A drive serves N continuous requests (C) in every round of one second, all known at its start and due at its end, and discrete
requests (D) that arrive as a Poisson process with λ a round. C are gamma-distributed in size (mean 200,000, standard deviation
100,000 bytes), D normal (70,000, 20,000), both uniform over the disk. The disk is that of the paper's Table 1 with N = 25
(`scenario.toml`) and its projection by four years with N = 35 (`projected.toml`). As in the paper five runs of 40,000 rounds make a point; under the other readings they have 4,000.

Figure 3 is an experiment of its own (`clusters.toml`): one cluster of D at a time on an idle disk, all of it waiting while the
drive serves a single sector at the cluster's lower edge. Its response times, from then on, in the exact order (`CLUST-REQ(6)`)
are held against those in SCAN's order (`LOOK`), for the same clusters.

Where more comes than a policy serves, its queue grows as long as a run goes on (at its end more than 1 % of the D wait): it has
no mean response then, is left out of the figures, and counts as slower than any policy that keeps up.

Near that point the policies with C-intervals are unfair in a way that the paper does not show. Their sweeps go up and down in turn, and the
guard lets no D pass once the slack is used up on the way; D in the middle of the disk, where both sweeps run out of it, starve (the
log of requests shows it: long waits have only those within a fifth of the cylinders around the middle). CI-OPT(6), which takes what
comes for the present interval only with its next list, gets there first. A sweep that always goes upward has no such place.

Two more reasons. λ = 65 is no heavy load for the projected disk, which is busy for four fifths of the time then. What the paper reports of it,
CLUST-REQ(6) faster than SPTF and much fairer, appears where that disk is nearly full *and* SPTF is read as SPTF(next-C): at λ = 125
(`runs.csv`), as on Table 1's disk at 65 with that reading; pooled, SPTF stays ahead in the mean at every rate. And TPS cannot be
near OPS at low rates as long as OPS goes on with D all through the round: a D that comes in the sweep waits for its end under TPS. Only
an OPS that rests after its sweep is as slow.
"""

STUDY = Study("mixed-media", "Mixed-media workloads: clustered scheduling", INTRODUCTION, plan, report)
