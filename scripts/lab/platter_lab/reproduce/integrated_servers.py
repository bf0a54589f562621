# SPDX-License-Identifier: Apache-2.0
"""Shenoy, Goyal, Vin: "Architectural Considerations for Next Generation File Systems": partitioned and integrated servers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from platter_lab.reproduce.bench import Command, Point, Results
from platter_lab.reproduce.claims import Criterion, Part, Unit, above, below, near
from platter_lab.reproduce.figures import Chart, Series
from platter_lab.reproduce.readings import DEFAULT, Judged, judge
from platter_lab.reproduce.statistics import Interval, exact, interval, interval_text, paired_ratio
from platter_lab.reproduce.study import PAPERS, Plan, Report, Study, Table

FOLDER = PAPERS / "integrated-servers"
SEEDS = (1, 2, 3, 4, 5)
MIXED = Command(("server", "mixed"), ("server", "mixed", "--dump"))

T, V = 200, 102            # the paper's capacities of the partitioned server
LIMIT_MS, LIMIT_SHARE = 100.0, 0.01
BURSTY_LOADS = (1_000_000, 1_500_000, 2_000_000, 2_500_000, 3_000_000)

PARTITIONED = (("server.architecture", "partitioned"),)
INTEGRATED = (("server.architecture", "integrated"),)
FAIR = (*INTEGRATED, ("server.policy", "SFQ(1|1|0)"))
ELEVATOR = (*INTEGRATED, ("server.policy", "LOOK"))
Server = tuple[tuple[str, str], ...]
NAMES = {PARTITIONED: "partitioned", INTEGRATED: "integrated", FAIR: "integrated, SFQ", ELEVATOR: "integrated, LOOK"}
Metric = Callable[[dict[str, Any]], float]


def response(result: dict[str, Any]) -> float:
    """Mean response of a text request, in ms."""
    return result["text"]["response_ms"]["mean"]


def violations(result: dict[str, Any]) -> float:
    """Share of the client-rounds with a late unit."""
    return result["video"]["violation_share"]


def queueing(result: dict[str, Any]) -> float:
    return result["text"]["unit_queue_ms"]


def service(result: dict[str, Any]) -> float:
    return result["text"]["unit_service_ms"]


def crossing(x: Sequence[float], y: Sequence[float], level: float) -> float:
    """Where y first reaches the level, between two x linearly; NaN if it does not."""
    for i, value in enumerate(y):
        if value >= level:
            return x[i] if i == 0 else x[i - 1] + (x[i] - x[i - 1]) * (level - y[i - 1]) / (value - y[i - 1])
    return math.nan


class View:
    """The points of a study, quick or whole, and their results."""

    def __init__(self, quick: bool, results: Results | None = None) -> None:
        self.results = results
        self.measure_s = 100.0 if quick else 300.0
        self.text = (0, 50, 100, 150, 200) if quick else tuple(range(0, 201, 20))
        self.video = (0, 50, 80, 102) if quick else (0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 102)
        self.text_calibration = tuple(range(170, 221, 10))
        self.video_calibration = tuple(range(90, 115, 3))
        self.capacity_text = (0, 100, 150, 200, 250, 300, 350, 375, 400, 425, 450) if quick else tuple(range(0, 451, 25))
        self.capacity_video = (0, 51, 97, 150, 180) if quick else (0, 25, 51, 75, 97, 125, 150, 170, 185)
        self.video_only = tuple(range(170, 211, 5))
        self.all_points: dict[Point, None] = {}

    def point(self, server: Server, text: int, video: int, **settings: Any) -> Point:
        extra = tuple((key.replace("__", "."), str(value)) for key, value in settings.items())
        point = Point(FOLDER / "server.toml", (*server, ("text.clients", str(text)), ("video.clients", str(video)), *extra),
                      10.0, self.measure_s, program=MIXED)
        self.all_points[point] = None
        return point

    def samples(self, metric: Metric, server: Server, text: int, video: int, **settings: Any) -> list[float]:
        point = self.point(server, text, video, **settings)
        if self.results is None:   # only the points are wanted
            return [math.nan]
        return self.results.samples(point, metric)

    def value(self, metric: Metric, server: Server, text: int, video: int, criterion: Criterion, **settings: Any) -> Part:
        return Part(f"{NAMES.get(server, 'integrated')}, {text} text, {video} video",
                    interval(self.samples(metric, server, text, video, **settings)), criterion)

    def ratio(self, metric: Metric, one: Server, other: Server, text: int, video: int, criterion: Criterion, **settings: Any) -> Part:
        return Part(f"{NAMES.get(one, 'integrated')} / {NAMES.get(other, 'partitioned')}, {text} text, {video} video",
                    paired_ratio(self.samples(metric, one, text, video, **settings), self.samples(metric, other, text, video, **settings)),
                    criterion)

    def bursty(self, metric: Metric, server: Server, load: int, video: int) -> list[float]:
        return self.samples(metric, server, 0, video, text__arrivals="bursty", text__load_bytes_per_s=load, text__cache_bytes=0)

    def capacities(self, metric: Metric, level: float, x: Sequence[int], at: Callable[[int], list[float]]) -> list[float]:
        """Of each seed, where the metric reaches the level."""
        by_x = [at(one) for one in x]
        return [crossing(x, column, level) for column in zip(*by_x, strict=True)]

    def text_capacity(self, server: Server, video: int, x: Sequence[int]) -> list[float]:
        return self.capacities(response, LIMIT_MS, x, lambda t: self.samples(response, server, t, video))

    def video_capacity(self, server: Server, text: int, x: Sequence[int]) -> list[float]:
        return self.capacities(violations, LIMIT_SHARE, x, lambda v: self.samples(violations, server, text, v))

    def partition(self, text_disks: int) -> tuple[Server, Server, int, int]:
        """Both servers with so many disks for text of 16, and loads of nine tenths and a half."""
        sizes = (("server.text_disks", str(text_disks)), ("server.video_disks", str(16 - text_disks)))
        policy = ("server.policy", f"CELLO({16 - text_disks}|{text_disks}|0)")
        return (*PARTITIONED, *sizes), (*INTEGRATED, *sizes, policy), 180 * text_disks // 8, 50 * (16 - text_disks) // 8


def claims() -> list[Judged]:
    def claim(name: str, text: str, published: str, unit: Unit, quantity: str, parts: Callable[[View], list[Part]]) -> Judged:
        return Judged(name, text, published, unit, quantity, frozenset(), parts)

    ratio, percent = Unit.RATIO, Unit.PERCENT

    def region(v: View) -> list[Part]:
        """Of the points of the region, those at which the integrated server is comparable or better."""
        good = [interval(v.samples(response, INTEGRATED, t, w)).mean <= 1.25 * interval(v.samples(response, PARTITIONED, t, w)).mean
                for t in v.text if t for w in v.video]
        return [Part(f"{len(good)} points", exact(sum(good) / len(good), len(good)), above(0.5))]

    def difference(v: View, server: Server, text: int, video: int, criterion: Criterion) -> Part:
        pairs = zip(v.samples(violations, server, text, video), v.samples(violations, PARTITIONED, text, video), strict=True)
        return Part(f"{NAMES[server]} less partitioned, {text} text, {video} video", interval([a - b for a, b in pairs]), criterion)

    def over(many: list[float], few: list[float], name: str, criterion: Criterion) -> list[Part]:
        return [Part(name, interval([a / (2 * b) for a, b in zip(many, few, strict=True)]), criterion)]

    return [
        claim("t-calibrated", "The partitioned server supports 200 text clients (set size calibrated)", "T = 200", ratio,
              "capacity / 200", lambda v: [Part("partitioned", interval([c / T for c in v.text_capacity(PARTITIONED, 0, v.text_calibration)]),
                                                near(1, 0.05))]),
        claim("v", "The partitioned server supports 102 video clients", "V = 102", ratio, "capacity / 102",
              lambda v: [Part("partitioned", interval([c / V for c in v.video_capacity(PARTITIONED, 0, v.video_calibration)]),
                              near(1, 0.05))]),
        claim("fair-queue-slower", "Fair queueing in the integrated server makes text slower than in the partitioned one", "figure 2", ratio,
              "mean response, ratio", lambda v: [v.ratio(response, FAIR, PARTITIONED, t, 80, above(1)) for t in (50, 100)]),
        claim("elevator-text", "Under SCAN, video degrades the text response of the integrated server", "figure 3 (a)", ratio,
              "mean response, ratio", lambda v: [v.ratio(response, ELEVATOR, PARTITIONED, t, 80, above(1)) for t in (50, 100)]),
        claim("elevator-video", "Under SCAN, text makes deadlines be missed in the integrated server", "figure 3 (b)", percent,
              "violations, difference", lambda v: [difference(v, ELEVATOR, 200, 80, above(0))]),
        claim("most-of-the-region", "Text responses are comparable or better in most of the region (within a quarter)", "figure 7", percent,
              "share of the operating points", region),
        claim("worse-corner", "At light text and heavy video loads text is slower in the integrated server", "figure 7", ratio,
              "mean response, ratio", lambda v: [v.ratio(response, INTEGRATED, PARTITIONED, 20, V, above(1))]),
        claim("heavy-text", "At heavy text loads it is faster whatever the video load", "figure 10", ratio, "mean response, ratio",
              lambda v: [v.ratio(response, INTEGRATED, PARTITIONED, T, w, below(1)) for w in v.video]),
        claim("grows-with-video", "The text response of the integrated server grows with the video load", "figure 9", ratio,
              "mean response at 102 video clients / at none",
              lambda v: [Part(f"{t} text", paired_ratio(v.samples(response, INTEGRATED, t, V), v.samples(response, INTEGRATED, t, 0)),
                              above(1)) for t in (50, 100, 150, 200)]),
        claim("queueing-governs", "A unit's service time hardly depends on the load (within a quarter); its queueing does", "figure 11", ratio,
              "service time at 200 text clients / at 50, partitioned",
              lambda v: [Part("partitioned", paired_ratio(v.samples(service, PARTITIONED, 200, 0), v.samples(service, PARTITIONED, 50, 0)),
                              near(1, 0.25))]),
        claim("light-no-violations", "At light and moderate video loads both meet all deadlines, whatever the text load", "figure 12", percent,
              "violations", lambda v: [v.value(violations, s, t, 50, below(0.0001)) for s in (PARTITIONED, INTEGRATED) for t in (0, 100, 200)]),
        claim("heavy-both", "At heavy video and text loads the integrated server has slightly more violations", "figure 12", percent,
              "violations, difference", lambda v: [difference(v, INTEGRATED, T, V, above(0))]),
        claim("joint-text", "192 text and 97 video clients together: text within its threshold", "below 100 ms", ratio,
              "mean response / 100 ms",
              lambda v: [Part("integrated", interval([x / LIMIT_MS for x in v.samples(response, INTEGRATED, 192, 97)]), below(1))]),
        claim("joint-video", "192 text and 97 video clients together: video within its threshold", "below 1 %", percent, "violations",
              lambda v: [v.value(violations, INTEGRATED, 192, 97, below(LIMIT_SHARE))]),
        claim("text-near-ideal", "Without video, the text capacity is about 5 % below the ideal 2 T", "about 5 %", ratio,
              "capacity / 2 T", lambda v: over(v.text_capacity(INTEGRATED, 0, v.capacity_text),
                                               v.text_capacity(PARTITIONED, 0, v.text_calibration), "integrated", near(0.95, 0.05))),
        claim("video-near-ideal", "Without text, the video capacity is about 5 % below the ideal 2 V", "about 5 %", ratio,
              "capacity / 2 V", lambda v: over(v.video_capacity(INTEGRATED, 0, v.video_only),
                                               v.video_capacity(PARTITIONED, 0, v.video_calibration), "integrated", near(0.95, 0.05))),
        claim("bursty-faster", "Under bursty text the integrated server is faster (50 video clients)", "figure 15", ratio,
              "mean response, partitioned / integrated",
              lambda v: [Part(f"{load // 1000} KB/s", paired_ratio(v.bursty(response, PARTITIONED, load, 50),
                                                                  v.bursty(response, INTEGRATED, load, 50)), above(1)) for load in BURSTY_LOADS]),
        claim("bursty-factor", "At 3,000 KB/s it is faster by a factor of 6 (within a quarter)", "6", ratio,
              "mean response, partitioned / integrated",
              lambda v: [Part("3000 KB/s", paired_ratio(v.bursty(response, PARTITIONED, 3_000_000, 50),
                                                       v.bursty(response, INTEGRATED, 3_000_000, 50)), near(6, 1.5))]),
        claim("bursty-violations", "With 90 video clients and 2,500 KB/s of bursty text less than 0.3 % of the deadlines are missed", "0.3 %",
              percent, "violations", lambda v: [Part(NAMES[s], interval(v.bursty(violations, s, 2_500_000, 90)), below(0.003))
                                               for s in (PARTITIONED, INTEGRATED)]),
        claim("partition-size", "The integrated server is faster for other partitions too (weights as the disks)", "figure 18", ratio,
              "mean response, ratio", lambda v: [
                  Part(f"{d} of 16 disks for text", paired_ratio(v.samples(response, one, t, w), v.samples(response, other, t, w)), below(1))
                  for d in (4, 8, 12) for other, one, t, w in (v.partition(d),)]),
    ]


def _capacity_curve(v: View) -> list[Interval]:
    """Text capacity beside each video load: where response or violations first reach their limit."""
    curve = []
    for video in v.capacity_video:
        loads = [t for t in v.capacity_text if t / (2 * T) + video / (2 * V) <= 1.13]   # not far beyond the ideal line
        by_response = v.text_capacity(INTEGRATED, video, loads)
        by_violations = v.capacities(violations, LIMIT_SHARE, loads,
                                     lambda t, w=video: v.samples(violations, INTEGRATED, t, w))
        curve.append(interval([min((c for c in pair if not math.isnan(c)), default=math.nan)
                               for pair in zip(by_response, by_violations, strict=True)]))
    return curve


def _charts(v: View) -> tuple[Chart, ...]:
    def line(label: str, x: Sequence[float], at: Callable[[Any], list[float]]) -> Series:
        return Series(label, x, [interval(at(one)) for one in x])

    loads = [t for t in v.text if t]
    heavy = (80, 102)
    return (
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
            line(f"{NAMES[s]}, {t} text", v.video, lambda w, s=s, t=t: [100 * x for x in v.samples(violations, s, t, w)])
            for s, t in ((PARTITIONED, 0), (INTEGRATED, 0), (INTEGRATED, 100), (INTEGRATED, 200)))),
        Chart("figure14.svg", "Figure 14: clients of both classes that the integrated server supports", "video clients", "text clients", (
            Series("integrated", v.capacity_video, _capacity_curve(v)),
            Series("ideal, of the paper's T and V", v.capacity_video, [exact(2 * T * (1 - w / (2 * V)), 1) for w in v.capacity_video]))),
        Chart("figure15.svg", "Figure 15: bursty text, 50 video clients", "text load (KB/s)", "mean response (ms)", tuple(
            Series(NAMES[s], [load / 1000 for load in BURSTY_LOADS], [interval(v.bursty(response, s, load, 50)) for load in BURSTY_LOADS])
            for s in (PARTITIONED, INTEGRATED))),
        Chart("figures2_3.svg", "Figures 2 and 3: text response with 80 video clients", "text clients", "mean response (ms)", tuple(
            line(NAMES[s], (50, 100), lambda t, s=s: v.samples(response, s, t, heavy[0])) for s in NAMES)),
    )


def plan(quick: bool) -> Plan:
    view = View(quick)
    for one in claims():
        one.parts(view)
    _charts(view)
    return Plan(tuple(view.all_points), SEEDS[:3] if quick else SEEDS)


RUN_HEADER = ("server", "policy", "text_disks", "text_clients", "video_clients", "bursty_load", "seed", "response_ms", "unfinished",
              "unit_queue_ms", "unit_service_ms", "violation_share", "mean_utilisation")


def report(results: Results, quick: bool) -> Report:
    view = View(quick, results)
    judged = tuple(judge(one, view, {}) for one in claims())
    charts = _charts(view)
    rows = []
    for point in plan(quick).points:
        s = dict(point.settings)
        for r in results[point]:
            rows.append((s["server.architecture"], s.get("server.policy", ""), s.get("server.text_disks", "8"), s["text.clients"],
                         s["video.clients"], s.get("text.load_bytes_per_s", ""), str(r["seed"]), f"{response(r):.9g}",
                         str(r["text"]["unfinished"]), f"{queueing(r):.9g}", f"{service(r):.9g}", f"{violations(r):.9g}",
                         f"{r['disks']['mean_utilisation']:.9g}"))
    capacities = (
        ("partitioned, text (T)", interval_text(interval(view.text_capacity(PARTITIONED, 0, view.text_calibration)), 4)),
        ("partitioned, video (V)", interval_text(interval(view.video_capacity(PARTITIONED, 0, view.video_calibration)), 4)),
        ("integrated, text without video", interval_text(interval(view.text_capacity(INTEGRATED, 0, view.capacity_text)), 4)),
        ("integrated, video without text", interval_text(interval(view.video_capacity(INTEGRATED, 0, view.video_only)), 4)))
    curve = tuple((str(w), interval_text(c, 4), f"{2 * T * (1 - w / (2 * V)):.0f}")
                  for w, c in zip(view.capacity_video, _capacity_curve(view), strict=True))
    tables = (Table("Clients supported", ("", "clients"), capacities),
              Table("Text clients beside so many video clients", ("video clients", "integrated", "ideal, of the paper's T and V"), curve),
              Table("Every run", RUN_HEADER, tuple(rows), "runs.csv"))
    return Report(judged, charts, tables)


INTRODUCTION = """
P. Shenoy, P. Goyal, H. M. Vin: *Architectural Considerations for Next Generation File Systems*. Sixteen Seagate Elite3 disks (table 1), text
in units of 8 KB with a buffer cache of 64 MB, video in units of 64 KB (`server.toml`; [the server](../../reference/mixed_server.md)). Partitioned: eight disks
under LOOK for text, eight under SCAN-EDF for video. Integrated: all sixteen under CELLO(1|1|0).

The size of the text set is calibrated so that the partitioned server has a mean response of 100 ms with 200 text clients, as the paper's had; nothing
else is. The four video files have the mean rates of table 2; their frames are the encoded clips', scaled. The bursty trace is a multiplicative cascade with the paper's
ratio of peak to mean, its requests of the synthetic size, past the cache. SCAN is read as LOOK: the arm turns at the last request.

Not here: figures 16 and 17, the expected improvement under loads that vary. Beyond its capacity the partitioned server's mean response is that of the run's length.
"""

STUDY = Study("integrated-servers", "Partitioned and integrated servers", INTRODUCTION, plan, report)
