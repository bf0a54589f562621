# SPDX-License-Identifier: Apache-2.0
"""Shenoy, Goyal, Vin: "Architectural Considerations for Next Generation File Systems": partitioned and integrated servers."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from platter_lab.reproduce.bench import Point, Results
from platter_lab.reproduce.claims import Criterion, Part, Unit, above, below, near
from platter_lab.reproduce.figures import Chart, Map, Series
from platter_lab.reproduce.readings import DEFAULT, Judged, Reading, judge
from platter_lab.reproduce.statistics import Interval, exact, interval, interval_text
from platter_lab.reproduce.study import Plan, Report, Study, Table
from platter_lab.reproduce.text_and_video import (
    BY_DEADLINE, ELEVATOR, FAIR, FEW_SEEDS, INTEGRATED, LATE_UNITS, LIMIT_MS, LIMIT_SHARE, NAMES, PARTITIONED, ROUND_ROBIN, SEEDS, SERVER, TPS, Metric, Server,
    T, V, View, late_rounds, late_units, near_ideal, queueing, ratio_of, response, service)
from platter_lab.reproduce.varying_loads import Gain, Spread, cascade, exponential

BURSTY_LOADS = (1_000_000, 1_500_000, 2_000_000, 2_500_000, 3_000_000)
PARTITIONS = (4, 8, 12)    # disks for text, of 16
NONE_SHARE = 0.0001        # of the deadlines: fewer are none
LOADS = (0.3, 0.6, 0.9)    # of the text that such a partition supports
SERVED = tomllib.loads(SERVER.read_text(encoding="utf-8"))
SET_BYTES, CACHE_BYTES = SERVED["text"]["set_bytes"], SERVED["text"]["cache_bytes"]
AS_FULL = {"text__set_bytes": 2 * SET_BYTES, "text__cache_bytes": 2 * CACHE_BYTES}   # 16 disks, each as full of text as 8

# Section 3.3.2: probability of overload, and mean and peak of the text clients that the paper gives for it.
PRINTED = {0.01: (48.4, 244), 0.03: (64.7, 333), 0.05: (76.9, 401)}
PEAK_TO_MEAN, LEVELS = 12.51, 11   # table 3; its trace is 2,000 s long

READINGS = (
    Reading("SCAN to the edge", "SCAN's arm runs on to the last cylinder before it turns (text set of 226 MB, calibrated anew)",
            (("server.text_policy", "SCAN"), ("text.set_bytes", str(226 << 20))), (("LOOK", "SCAN"),), frozenset({"elevator"})),
    Reading("C-LOOK", "SCAN serves in increasing order only, and then flies back", (("server.text_policy", "C-LOOK"),),
            (("LOOK", "C-LOOK"),), frozenset({"elevator"})),
    LATE_UNITS,
    Reading("no budgets", "Cello without its coarse grain: intervals of 10,000 s", (("scheduling.budget_interval_s", "10000"),),
            affects=frozenset({"cello"})),
    Reading("long files", "video files of an hour, so that it lies on twelve times as many cylinders", (("video.file_s", "3600"),),
            affects=frozenset({"video"})),
    Reading("no cache", "the bound of a cache that does not begin full: there is none",
            (("text.cache_bytes", "0"),), affects=frozenset({"cache"})),
    Reading("burst peak 5.1", "the bursty load's peak is 5.1 times its mean, as that of figure 16's distributions, not table 3's 12.51",
            (("text.peak_to_mean", "5.1"),), affects=frozenset({"bursty"})),
    Reading("burst of units", "a request of the bursty load is one unit", (("text.mean_bytes", "8192"), ("text.deviation_bytes", "0")),
            affects=frozenset({"bursty"})),
    Reading("burst through cache", "the bursty load is what comes to the cache, not what leaves it",
            (("text.cache_bytes", str(CACHE_BYTES)),), affects=frozenset({"bursty"})),
)

Gains = Callable[[View, float], list[Gain]]   # of each seed, for a probability of overload


def printed(over: float) -> Spread:
    return exponential(*PRINTED[over], over, T)


def _cascade(over: float) -> Spread:
    return cascade(PEAK_TO_MEAN, LEVELS, over, T)


VARYING: dict[str, tuple[str, Gains]] = {
    "overload 30 s": ("figure 17: an overload begins with nothing to do and lasts 30 s, not as long as a run",
                      lambda v, over: v.gains(printed(over), 30)),
    "cascade, 30 s": ("as overload 30 s, but the text clients are distributed as the rates of the bursty load's cascade",
                      lambda v, over: v.gains(_cascade(over), 30)),
    "no overload": ("figure 17: no more text clients than capacity are admitted; the others' share of the time is spent there",
                    lambda v, over: v.gains(printed(over).cut())),
}


def _by_default(v: View, over: float) -> list[Gain]:
    return v.gains(printed(over))


def _all_gains() -> dict[str, Gains]:
    return {"default": _by_default, **{name: gains for name, (_, gains) in VARYING.items()}}


def claims() -> list[Judged]:
    def claim(name: str, text: str, published: str, unit: Unit, quantity: str, touched: str, parts: Callable[[View], list[Part]],
              alternatives: Sequence[tuple[str, Callable[[View], list[Part]]]] = ()) -> Judged:
        return Judged(name, text, published, unit, quantity, frozenset(touched.split()), parts, tuple(alternatives))

    def varying(name: str, text: str, published: str, unit: Unit, quantity: str, parts: Callable[[View, Gains], list[Part]],
                *more: tuple[str, Callable[[View], list[Part]]]) -> Judged:
        others = [(other, lambda v, gains=gains: parts(v, gains)) for other, (_, gains) in VARYING.items()]
        return claim(name, text, published, unit, quantity, "", lambda v: parts(v, _by_default), [*others, *more])

    ratio, percent = Unit.RATIO, Unit.PERCENT

    def region(v: View) -> list[Part]:
        """Of the points of the region, those at which the integrated server is comparable or better."""
        good = [interval(v.samples(response, INTEGRATED, t, w)).mean <= 1.25 * interval(v.samples(response, PARTITIONED, t, w)).mean
                for t in v.text if t for w in v.video]
        return [Part(f"{len(good)} points", exact(sum(good) / len(good), len(good)), above(0.5))]

    def capacity(v: View, server: Server = PARTITIONED, **settings: Any) -> list[float]:
        return v.text_capacity(server, 0, v.text_calibration if server is PARTITIONED else v.capacity_text, **settings)

    def of_ideal(label: str, many: Sequence[float], few: Sequence[float], criterion: Criterion) -> list[Part]:
        return [Part(label, _half(ratio_of(many, few)), criterion)]

    def bursts(v: View, loads: Sequence[int], criterion: Criterion) -> list[Part]:
        return [Part(f"{load // 1000} KB/s", ratio_of(v.bursty(response, PARTITIONED, load, 50), v.bursty(response, INTEGRATED, load, 50)),
                     criterion) for load in loads]

    def gained(v: View, gains: Gains, what: Callable[[Gain], float], criterion: Criterion) -> list[Part]:
        return [Part(f"δ₁ = {over:g}", interval([what(gain) for gain in gains(v, over)]), criterion) for over in PRINTED]

    def busier(v: View, metric: Metric, criterion: Criterion) -> list[Part]:
        return [Part(NAMES[s], ratio_of(v.samples(metric, s, 200, 50), v.samples(metric, s, 50, 50)), criterion) for s in (PARTITIONED, INTEGRATED)]

    def over_loads(v: View, disks: int) -> Part:
        """Of the mean over loads, run by run."""
        points = [v.partition(disks, load) for load in LOADS]
        partitioned, integrated = ([sum(run) / len(run) for run in zip(*(v.samples(response, point[which], *point[2:]) for point in points), strict=True)]
                                   for which in (0, 1))
        return Part(f"{disks} of 16 disks for text", ratio_of(integrated, partitioned), below(1))

    def growing(v: View, gains: Gains) -> list[Part]:
        each = {over: [gain.ms for gain in gains(v, over)] for over in PRINTED}
        return [Part(f"δ₁ = {more:g} over {less:g}", ratio_of(each[more], each[less]), above(1))
                for less, more in zip(list(PRINTED), list(PRINTED)[1:], strict=False)]

    near_5 = Criterion(0.35, 0.85)
    return [
        claim("t-calibrated", "The partitioned server supports 200 text clients (set size calibrated)", "T = 200", ratio,
              "capacity / 200", "", lambda v: [Part("partitioned", interval([c / T for c in capacity(v)]), near(1, 0.05))]),
        claim("v", "The partitioned server supports 102 video clients", "V = 102", ratio, "capacity / 102", "deadlines video",
              lambda v: [Part("partitioned", interval([c / V for c in v.video_capacity(PARTITIONED, v.video_calibration)]), near(1, 0.05))]),
        claim("fair-queue-slower", "Fair queueing in the integrated server makes text slower than in the partitioned one", "figure 2", ratio,
              "mean response, ratio", "elevator video cache", lambda v: [v.ratio(response, FAIR, PARTITIONED, t, 80, above(1)) for t in (50, 100)]),
        claim("round-robin-slower", "Round-robin in the integrated server makes text slower than in the partitioned one", "figure 2", ratio,
              "mean response, ratio", "elevator video cache",
              lambda v: [v.ratio(response, ROUND_ROBIN, PARTITIONED, t, 80, above(1)) for t in (50, 100)]),
        claim("elevator-text", "Under SCAN, video degrades the text response of the integrated server", "figure 3 (a)", ratio,
              "mean response, ratio", "elevator video cache",
              lambda v: [v.ratio(response, ELEVATOR, PARTITIONED, t, 80, above(1)) for t in (50, 100)]),
        claim("elevator-video", "Under SCAN, text makes deadlines be missed in the integrated server", "figure 3 (b)", percent,
              "violations, difference", "elevator deadlines video cache", lambda v: [v.more_violations(ELEVATOR, 200, 80, above(NONE_SHARE))]),
        claim("most-of-the-region", "Text responses are comparable or better in most of the region (within a quarter)", "figure 7", percent,
              "share of the operating points", "elevator cello video cache", region),
        claim("worse-corner", "At light text and heavy video loads text is slower in the integrated server", "figure 7", ratio,
              "mean response, ratio", "elevator cello video cache", lambda v: [v.ratio(response, INTEGRATED, PARTITIONED, 20, V, above(1))]),
        claim("heavy-text", "At heavy text loads it is faster whatever the video load", "figure 10", ratio, "mean response, ratio",
              "elevator cello video cache", lambda v: [v.ratio(response, INTEGRATED, PARTITIONED, T, w, below(1)) for w in v.video]),
        claim("grows-with-video", "The text response of the integrated server grows with the video load", "figure 9", ratio,
              "mean response at 102 video clients / at none", "cello video cache",
              lambda v: [Part(f"{t} text", ratio_of(v.samples(response, INTEGRATED, t, V), v.samples(response, INTEGRATED, t, 0)), above(1))
                         for t in (50, 100, 150, 200)]),
        claim("service-independent", "A text unit's service time hardly depends on the load (within a quarter; 50 video clients)", "figure 11 (a)", ratio,
              "service time at 200 text clients / at 50", "elevator cello video cache", lambda v: busier(v, service, near(1, 0.25))),
        claim("queueing-governs", "The load governs its queueing (twice as long at least)", "figure 11 (b)", ratio,
              "queueing at 200 text clients / at 50", "elevator cello video cache", lambda v: busier(v, queueing, above(2))),
        claim("light-no-violations", "At light and moderate video loads both meet all deadlines, whatever the text load", "figure 12", percent,
              "violations", "deadlines cello video cache",
              lambda v: [v.value(v.violations, s, t, 50, below(NONE_SHARE)) for s in (PARTITIONED, INTEGRATED) for t in (0, 100, 200)]),
        claim("heavy-both", "At heavy video and text loads the integrated server has slightly more violations", "figure 12", percent,
              "violations, difference", "deadlines cello video cache", lambda v: [v.more_violations(INTEGRATED, T, V, above(0))]),
        claim("joint-text", "192 text and 97 video clients together: text within its threshold", "below 100 ms", ratio,
              "mean response / 100 ms", "cello video cache",
              lambda v: [Part("integrated", interval([x / LIMIT_MS for x in v.samples(response, INTEGRATED, 192, 97)]), below(1))]),
        claim("joint-video", "192 text and 97 video clients together: video within its threshold", "below 1 %", percent, "violations",
              "deadlines cello video cache", lambda v: [v.value(v.violations, INTEGRATED, 192, 97, below(LIMIT_SHARE), True)]),
        claim("text-near-ideal", "Without video, the text capacity is about 5 % below the ideal 2 T", "about 5 %", ratio, "capacity / 2 T",
              "elevator cello cache", lambda v: of_ideal("integrated", capacity(v, INTEGRATED), capacity(v), near(0.95, 0.05))),
        claim("video-near-ideal", "Without text, the video capacity is about 5 % below the ideal 2 V", "about 5 %", ratio, "capacity / 2 V",
              "deadlines cello video", lambda v: of_ideal("integrated", v.video_capacity(INTEGRATED, v.video_only),
                                                          v.video_capacity(PARTITIONED, v.video_calibration), near(0.95, 0.05))),
        claim("bursty-faster", "Under bursty text the integrated server is faster (50 video clients)", "figure 15", ratio,
              "mean response, partitioned / integrated", "bursty", lambda v: bursts(v, BURSTY_LOADS, above(1))),
        claim("bursty-factor", "At 3,000 KB/s it is faster by a factor of 6 (within a quarter)", "6", ratio,
              "mean response, partitioned / integrated", "bursty", lambda v: bursts(v, BURSTY_LOADS[-1:], near(6, 1.5))),
        *(claim(f"bursty-violations-{NAMES[s]}", f"With 90 video clients and 2,500 KB/s of bursty text the {NAMES[s]} server misses less than 0.3 % of the "
                "deadlines", "0.3 %", percent, "violations", "deadlines bursty",
                lambda v, s=s: [Part(NAMES[s], interval(v.bursty(v.violations, s, 2_500_000, 90)), below(0.003))]) for s in (INTEGRATED, PARTITIONED)),
        varying("expected-gain", "Under loads that vary the expected improvement is positive", "figure 17 (a)", ratio,
                "expected improvement (ms)", lambda v, gains: gained(v, gains, lambda gain: gain.ms, above(0))),
        varying("expected-share", "It is 40 to 80 % of the response time", "40 to 80 %", percent, "expected improvement / mean response, partitioned",
                lambda v, gains: gained(v, gains, lambda gain: gain.share, near_5),
                ("mean of shares", lambda v: gained(v, _by_default, lambda gain: gain.mean_share, near_5))),
        varying("expected-grows", "It grows with the average load", "figure 17", ratio, "expected improvement, ratio", growing),
        claim("partition-size", "The integrated server's expected response is smaller for other partitions too (three loads, equally likely; weights as the disks)",
              "figure 18", ratio, "mean response over the loads, ratio", "elevator cello video cache", lambda v: [over_loads(v, d) for d in PARTITIONS]),
        claim("own-scheduler", "Without video, LOOK in Cello's place has the same text capacity (within 0.5 %)", "not the paper's", ratio,
              "capacity under LOOK / under Cello", "", lambda v: [Part("integrated", ratio_of(capacity(v.short, ELEVATOR), capacity(v.short, INTEGRATED)),
                                                                       near(1, 0.005))]),
        claim("own-by-deadline", "Under SCAN-EDF, which knows the deadlines of the video, text in the integrated server is slower than under Cello",
              "not the paper's", ratio, "mean response, ratio", "",
              lambda v: [v.short.ratio(response, BY_DEADLINE, INTEGRATED, t, 80, above(1)) for t in (50, 100)]),
        claim("own-as-full", "With twice the text and cache, so that a disk holds as much text as a partitioned one, it is 2 T (within 2 %)",
              "not the paper's", ratio, "capacity / 2 T", "",
              lambda v: of_ideal("integrated", capacity(v.short, INTEGRATED, **AS_FULL), capacity(v.short), near(1, 0.02))),
        claim("own-slack", "Text's place in the slack keeps it fast: where it comes after the video of its round (TPS:SCAN/SCAN) it is slower",
              "not the paper's", ratio, "mean response, ratio", "", lambda v: [v.short.ratio(response, TPS, INTEGRATED, t, 80, above(1)) for t in (100, 200)]),
    ]


def video_rates(table: str, bits_per_s: float, from_share: float, seconds: int) -> np.ndarray:
    """Bytes per second of a frame-size table, named as in the server, that is played round and round from a part of it on, scaled to a mean rate."""
    with (SERVER.parent / table).open(encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    at_us = np.array([int(row["pts_us"]) for row in rows])
    order = np.argsort(at_us)
    at_us, sizes = at_us[order], np.array([int(row["bytes"]) for row in rows], dtype=float)[order]
    length = len(rows) * (at_us[1] - at_us[0])
    scale = bits_per_s / 8 / (sizes.sum() / length * 1e6)
    played = np.concatenate([[0.0], np.cumsum(sizes)])

    def before(us: np.ndarray) -> np.ndarray:
        return us // length * played[-1] + played[np.searchsorted(at_us, us % length)]
    bounds = int(from_share * length) + np.arange(seconds + 1) * 1_000_000
    return scale * np.diff(before(bounds))


VIDEO = tuple(zip(SERVED["video"]["tables"], SERVED["video"]["bits_per_s"], strict=True))


def _curve(v: View) -> list[Interval]:
    """Text capacity beside each video load."""
    return [interval(v.both_capacity(INTEGRATED, video)) for video in v.capacity_video]


def _ideal(video: float) -> float:
    return 2 * T * (1 - video / (2 * V))


def _distribution_charts() -> tuple[Chart | Map, ...]:
    def share(spread: Spread, label: str, step: int = 10) -> Series:
        at = range(0, spread.peak + 1, step)
        return Series(label, at, [exact(float(spread.share[t]), 1) for t in at])

    def below_load(spread: Spread, label: str) -> Series:
        at = [round(i * spread.peak / 20) for i in range(21)]
        return Series(label, [i / 20 for i in range(21)], [exact(float(spread.share[:t + 1].sum()), 1) for t in at])

    first = printed(0.01)
    text = range(5, first.peak, 10)
    video = range(5, V, 10)
    by_text = [float(first.share[t - 5:t + 5].sum()) for t in text]
    ends = [round((v + half) * first.peak / V) for v in video for half in (-5, 5)]
    by_video = [float(first.share[a:b].sum()) for a, b in zip(ends[::2], ends[1::2], strict=True)]
    aggregate = [video_rates(*VIDEO[client % len(VIDEO)], client / 10, 60) for client in range(10)]
    return (
        Chart("figure5.svg", "Figure 5: bit rate of a video client, and of ten", "s", "Mbit/s", (
            Series("one client", range(60), [exact(8e-6 * float(x), 1) for x in video_rates(*VIDEO[0], 0, 60)]),
            Series("ten clients", range(60), [exact(8e-6 * float(x), 1) for x in sum(aggregate)]))),
        Chart("figure6.svg", "Figure 6 (b): distribution of the load over its peak", "load / peak", "share of the time at or below", (
            below_load(_cascade(0.01), "the bursty load's cascade"),
            *(below_load(printed(over), f"of the paper's mean and peak, δ₁ = {over:g}") for over in PRINTED))),
        Chart("figure16a.svg", "Figure 16 (a): probability of a text load", "text clients", "p(t)",
              tuple(share(printed(over), f"δ₁ = {over:g}") for over in PRINTED), log_y=True),
        Map("figure16b.svg", "Figure 16 (b): probability of both loads, δ₁ = 0.01", "text clients (middle of ten)", "video clients (middle of ten)",
            "share of the time", text, video, [[t * w for t in by_text] for w in by_video]))


def _charts(v: View) -> tuple[Chart | Map, ...]:
    def line(label: str, x: Sequence[float], at: Callable[[Any], list[float]]) -> Series:
        return Series(label, x, [interval(at(one)) for one in x])

    def region(value: Callable[[float, float], float], metric: Metric, loads: Sequence[int]) -> list[list[float]]:
        def mean(server: Server, t: int, w: int) -> float:
            return interval(v.samples(metric, server, t, w)).mean
        return [[value(mean(PARTITIONED, t, w), mean(INTEGRATED, t, w)) for t in loads] for w in v.video]

    loads = [t for t in v.text if t]
    beyond = sorted({*v.video, *v.capacity_video})
    capacity = [interval(c).mean for c in (v.text_capacity(PARTITIONED, 0, v.text_calibration), v.video_capacity(PARTITIONED, v.video_calibration))]
    corners = ((0, capacity[0]), (capacity[1], capacity[0]), (capacity[1], 0))

    def by_overload(file: str, title: str, y: str, what: Callable[[Gain], float], **scale: bool) -> Chart:
        return Chart(file, title, "δ₁, probability of overload", y, tuple(
            Series(name, tuple(PRINTED), [interval([what(g) for g in gain(v, over)]) for over in PRINTED]) for name, gain in _all_gains().items()), **scale)
    return (
        *_distribution_charts()[:2],
        Map("figure7.svg", "Figure 7: text response, integrated over partitioned", "text clients", "video clients", "ratio", loads, v.video,
            region(lambda p, i: i / p, response, loads), 1.0),
        Map("figure8a.svg", "Figure 8 (a): text response, partitioned less integrated", "text clients", "video clients", "ms", loads, v.video,
            region(lambda p, i: p - i, response, loads), 0.0),
        Map("figure8b.svg", "Figure 8 (b): violations, integrated less partitioned", "text clients", "video clients", "% of client-rounds",
            v.text, v.video, region(lambda p, i: 100 * (i - p), late_rounds, v.text), 0.0),
        Chart("figure9.svg", "Figure 9: text response, fixed text load", "video clients", "mean response (ms)", tuple(
            line(f"{NAMES[s]}, {t} text", v.video, lambda w, s=s, t=t: v.samples(response, s, t, w)) for t in (100, 200)
            for s in (PARTITIONED, INTEGRATED))),
        Chart("figure10.svg", "Figure 10: text response, fixed video load", "text clients", "mean response (ms)", (
            line("partitioned", loads, lambda t: v.samples(response, PARTITIONED, t, 0)),
            *(line(f"integrated, {w} video", loads, lambda t, w=w: v.samples(response, INTEGRATED, t, w)) for w in (0, 50, 102)))),
        Chart("figure11.svg", "Figure 11: service and queueing of a text unit", "text clients", "ms", tuple(
            line(f"{what}, {NAMES[s]}, 50 video", loads, lambda t, s=s, m=m: v.samples(m, s, t, 50))
            for what, m in (("service", service), ("queueing", queueing)) for s in (PARTITIONED, INTEGRATED))),
        Chart("figure12.svg", "Figure 12: deadline violations", "video clients", "% of client-rounds", tuple(
            line(f"{NAMES[s]}, {t} text", v.video, lambda w, s=s, t=t: [100 * x for x in v.samples(late_rounds, s, t, w)])
            for s, t in ((PARTITIONED, 0), (INTEGRATED, 0), (INTEGRATED, 100), (INTEGRATED, 200)))),
        Chart("figure13a.svg", "Figure 13 (a): text response of the integrated server", "text clients", "mean response (ms)", tuple(
            line(f"{w} video", [t for t in v.capacity_text if t and near_ideal(t, w)], lambda t, w=w: v.samples(response, INTEGRATED, t, w))
            for w in v.capacity_video if w < 150), log_y=True),
        Chart("figure13b.svg", "Figure 13 (b): deadline violations of the integrated server", "video clients", "% of client-rounds", tuple(
            line(f"{t} text", [w for w in (sorted({*beyond, *v.video_only}) if t == 0 else beyond) if near_ideal(t, w)],
                 lambda w, t=t: [100 * x for x in v.samples(late_rounds, INTEGRATED, t, w)]) for t in (0, 100, 200))),
        Chart("figure14.svg", "Figures 4 and 14: clients of both classes that a server supports", "video clients", "text clients", (
            Series("integrated", v.capacity_video, _curve(v)),
            Series("ideal, of the paper's T and V", v.capacity_video, [exact(_ideal(w), 1) for w in v.capacity_video]),
            Series("partitioned", [x for x, _ in corners], [exact(y, 1) for _, y in corners]))),
        Chart("figure15.svg", "Figure 15: bursty text, 50 video clients", "text load (KB/s)", "mean response (ms)", tuple(
            Series(NAMES[s], [load / 1000 for load in BURSTY_LOADS], [interval(v.bursty(response, s, load, 50)) for load in BURSTY_LOADS])
            for s in (PARTITIONED, INTEGRATED))),
        *_distribution_charts()[2:],
        by_overload("figure17a.svg", "Figure 17 (a): expected improvement", "ms", lambda gain: gain.ms, log_y=True),
        by_overload("figure17b.svg", "Figure 17 (b): expected improvement over the mean response", "%", lambda gain: 100 * gain.share),
        Chart("figure18.svg", "Figure 18: text response with other partitions", "text clients", "mean response (ms)", tuple(
            Series(f"{name}, {d} of 16 disks for text", [point[2] for point in points],
                   [interval(v.samples(response, point[which], *point[2:])) for point in points])
            for d in PARTITIONS for points in ([v.partition(d, load) for load in LOADS],)
            for which, name in ((0, "partitioned"), (1, "integrated"))), log_y=True),
        Chart("figure3b.svg", "Figure 3 (b): deadline violations with 200 text clients", "video clients", "% of client-rounds", tuple(
            line(NAMES[s], (0, 50, 80, 102), lambda w, s=s: [100 * x for x in v.samples(late_rounds, s, 200, w)]) for s in (PARTITIONED, ELEVATOR))),
        Chart("figures2_3.svg", "Figures 2 and 3 (a): text response with 80 video clients", "text clients", "mean response (ms)", tuple(
            line(NAMES[s], (50, 100, 150, 200), lambda t, s=s: v.samples(response, s, t, 80)) for s in (PARTITIONED, INTEGRATED, FAIR, ROUND_ROBIN, ELEVATOR, BY_DEADLINE))),
    )


def _tables(v: View) -> tuple[Table, ...]:
    def text(samples: Sequence[float], digits: int = 4) -> str:
        return _text(interval(samples), digits)

    calibrated = v.text_capacity(PARTITIONED, 0, v.text_calibration)
    capacities = (
        ("partitioned, text (T)", text(calibrated)),
        ("partitioned, video (V)", text(v.video_capacity(PARTITIONED, v.video_calibration))),
        ("integrated, text without video", text(v.text_capacity(INTEGRATED, 0, v.capacity_text))),
        ("integrated, video without text", text(v.video_capacity(INTEGRATED, v.video_only))))
    short, curve = v.short, dict(zip(v.capacity_video, _curve(v), strict=True))
    few = short.text_capacity(PARTITIONED, 0, short.text_calibration)
    kinds = {"integrated": (INTEGRATED, {}), "under LOOK": (ELEVATOR, {}), "twice the text and cache": (INTEGRATED, AS_FULL),
             "video first": (TPS, {})}
    whole = {name: short.text_capacity(kinds[name][0], 0, short.capacity_text, **kinds[name][1]) for name in list(kinds)[:3]}
    reason = (("partitioned", text(short.samples(service, PARTITIONED, T, 0)), text(few), ""), *(
        (name, text(short.samples(service, kinds[name][0], 2 * T, 0, **kinds[name][1])), text(many),
         _text(_half(ratio_of(many, few)), 4)) for name, many in whole.items()))
    held = tuple((str(w), *(text(short.both_capacity(server, w, **settings)) for name, (server, settings) in kinds.items() if name != "under LOOK"),
                  f"{_ideal(w):.0f}") for w in (0, 51, 97))
    beside = tuple((str(w), _text(c, 4), f"{_ideal(w):.0f}") for w, c in curve.items())
    varying = []
    for name, gains in _all_gains().items():
        spread = _cascade if name.startswith("cascade") else printed
        for over in PRINTED:
            found = gains(v, over)
            law = spread(over).cut() if name == "no overload" else spread(over)
            varying.append((name, f"{over:g}", f"{law.mean:.1f}", str(T if name == "no overload" else law.peak),
                            text([g.ms for g in found], 3), text([100 * g.share for g in found], 3), text([100 * g.mean_share for g in found], 3)))
    return (
        Table("Clients supported", ("", "clients"), capacities),
        Table("Text clients beside so many video clients", ("video clients", "integrated", "ideal, of the paper's T and V"), beside),
        Table("Why the text capacity is above 2 T: text alone (runs of 100 s)",
              ("", "service of a unit with 200 (integrated: 400) clients, ms", "text clients", "over 2 T"), reason),
        Table("The same beside video (runs of 100 s)", ("video clients", "integrated", "twice the text and cache", "video first", "ideal"), held),
        Table("Loads that vary: expected improvement of the text response",
              ("reading", "δ₁", "mean text clients", "peak", "ms", "% of the mean response", "mean of the % at each load"), tuple(varying)))


def _text(value: Interval, digits: int) -> str:
    return interval_text(value, digits) if value.mean == value.mean else "not found"


def _half(value: Interval) -> Interval:
    return Interval(value.mean / 2, value.low / 2, value.high / 2, value.runs)


def _touched(view: View) -> None:
    """All points that the claims look at under the view's reading."""
    for one in claims():
        if view.reading is DEFAULT or view.reading.touches(*one.policies):
            one.parts(view)


def plan(quick: bool) -> Plan:
    views = [View(quick, None, reading) for reading in (DEFAULT, *READINGS)]
    for view in views:
        _touched(view)
    for one in claims():
        for _, parts in one.alternatives:
            parts(views[0])
    _charts(views[0])
    _tables(views[0])
    usual = FEW_SEEDS if quick else SEEDS
    seeds: dict[Point, tuple[int, ...]] = {}
    for view in views:
        for point, own in view.all_points().items():
            seeds[point] = max(seeds.get(point, ()), own, key=len)
    return Plan(tuple(point for point, own in seeds.items() if own == usual), usual,
                further=tuple((point, own) for point, own in seeds.items() if own != usual))


RUN_HEADER = ("server", "policy", "text_disks", "text_clients", "video_clients", "bursty_load", "others", "measured_s", "seed", "response_ms",
              "unfinished", "unit_queue_ms", "unit_service_ms", "violation_share", "late_unit_share", "mean_utilisation")
IN_COLUMNS = frozenset({"server.architecture", "server.policy", "server.text_disks", "server.video_disks", "text.clients", "video.clients",
                        "text.arrivals", "text.load_bytes_per_s"})


def _rows(results: Results, quick: bool) -> tuple[tuple[str, ...], ...]:
    rows = []
    for point, _ in plan(quick).batches:
        s = dict(point.settings)
        others = " ".join(f"{key}={value}" for key, value in s.items() if key not in IN_COLUMNS)
        for r in results[point]:
            rows.append((s["server.architecture"], s.get("server.policy", ""), s.get("server.text_disks", "8"), s["text.clients"],
                         s["video.clients"], s.get("text.load_bytes_per_s", ""), others, f"{point.measure_s:g}", str(r["seed"]),
                         f"{response(r):.9g}", str(r["text"]["unfinished"]), f"{queueing(r):.9g}", f"{service(r):.9g}",
                         f"{late_rounds(r):.9g}", f"{late_units(r):.9g}", f"{r['disks']['mean_utilisation']:.9g}"))
    return tuple(rows)


def report(results: Results, quick: bool) -> Report:
    default = View(quick, results)
    others = {reading: View(quick, results, reading) for reading in READINGS}
    judged = tuple(judge(one, default, others) for one in claims())
    readings = [(reading.name, reading.text) for reading in READINGS]
    readings += [(name, text) for name, (text, _) in VARYING.items()]
    readings.append(("mean of shares", "figure 17 (b): the mean of the improvements at each load, not the improvement of the mean"))
    tables = (*_tables(default), Table("Every run", RUN_HEADER, _rows(results, quick), "runs.csv"))
    return Report(judged, _charts(default), tables, tuple(readings))


INTRODUCTION = """
P. Shenoy, P. Goyal, H. M. Vin: *Architectural Considerations for Next Generation File Systems*. Sixteen Seagate Elite3 disks (table 1), text in units
of 8 KB with a buffer cache of 64 MB, video in units of 64 KB (`server.toml`; [the server](../../reference/mixed_server.md)). Partitioned: eight disks
under LOOK for text, eight under SCAN-EDF for video. Integrated: all sixteen under CELLO(1|1|0).

The size of the text set is calibrated so that the partitioned server has a mean response of 100 ms with 200 text clients, as the paper's had; nothing
else is. Under other readings runs are of 100 s with three seeds. Others have ten, video capacities, bursty loads and
what heavy loads of both miss forty: as five and ten had left some of these undecided, all were given more, once, decided or not. The four video files have the mean rates of table 2;
their frames are the encoded clips', scaled, 5 to 10 s played round and round. The bursty trace is a multiplicative cascade with the paper's ratio of
peak to mean, its requests of the synthetic size, past the cache. SCAN is read as LOOK: the arm turns at the last request.

Loads that vary (figures 16 and 17): of p(t) the paper prints mean, peak and the share of the time above T, for three of them. Here it is the
exponential with these three, without further assumption; p(v) is the same law between none and V. Responses between the points that have run are
interpolated (beyond T they are of 250, 300 and 400 text clients), which tells most in the first distribution, of which all beyond T lies below 250.
Above T the partitioned server's queues grow as long as a run goes on (300 s), so what is to be expected hangs on how long an overload lasts, which is
not printed.

Why the integrated server's text capacity lies above 2 T: the same text on twice the disks lies on half as many cylinders of each, so the arm has less
far to go and a unit's service is shorter. Without video no scheduler comes into it: under LOOK the capacity is the same. With twice the text and
twice the cache, where each disk holds what a partitioned one does, it is 2 T, and beside video near the ideal line. That Cello lets text go first in
the slack is worth more than that beside video (video first, in the table), but is not the reason.

Why heavy video and text loads do not make the integrated server miss more deadlines: with 102 video clients the partitioned one is past its own
capacity of 96, and misses 3.1 % of the client-rounds whatever the text does. A round's units lie on eight disks by chance, and the fullest disk is the
one that is late; on sixteen disks the same clients have the slack of both classes, and 200 text clients beside them cost 2.0 %. Below the capacity
neither misses any to speak of. Why SCAN misses none: a deadline is a round of 1 s away, and even with 200 text and 102 video clients (disks busy for 88 %
of the time) LOOK's sweeps over the common queue leave a text unit, which they treat as one of video, waiting for 0.2 s on average. Its price is the text's
response, as in figure 3 (a).

With few clients the integrated server is slower for any partition (figure 18: at 30 % of the load that a partition supports, by a tenth to a fifth), as it
is for the equal one (figure 7); with many it is faster by more than that.
"""

STUDY = Study("integrated-servers", "Partitioned and integrated servers", INTRODUCTION, plan, report)
