# SPDX-License-Identifier: Apache-2.0
"""Loads of text and video clients on partitioned and integrated servers, and results as claims look
at them."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from platter_lab.reproduce.claims import Criterion, Part, Verdict
from platter_lab.reproduce.interpretations import DEFAULT, Interpretation
from platter_lab.reproduce.kept import kept
from platter_lab.reproduce.study import PAPERS
from platter_lab.reproduce.varying_loads import Gain, Spread, expected_gain
from platter_lab.runs.point import Point
from platter_lab.runs.results import Results
from platter_lab.statistics import Interval, exact, interval, paired_ratio

SERVER = PAPERS / "integrated-servers" / "server.toml"
SERVED = tomllib.loads(SERVER.read_text(encoding="utf-8"))

T, V = 200, 102  # the paper's capacities of the partitioned server: loads are stated in them
LIMIT_MS, LIMIT_SHARE = 100.0, 0.01
NEAR_IDEAL = 1.13  # loads for the capacity are no farther beyond the ideal line
MEASURE_S, WARMUP_S = 100.0, 10.0

KB = 1024  # table 3: requests of 2,048.22 bytes every 9.14 ms are its 218.64 KB/s
# The trace of table 3 in intervals of 1 s: their number, and its load past the cache, 83.91 KB/s.
TRACE_INTERVALS, TRACE_BYTES_PER_S = 2048, round(83.91 * KB)
BURSTS_BY_INTENSITY_S = 512.0
BURSTY_LOADS = tuple(kb * KB for kb in (1000, 1500, 2000, 2500, 3000))
# How a trace becomes a higher load: shorter bursts, or higher ones
SCALINGS = ("time-stamps", "intensity")
LEAST_INTERVALS = 16  # in which there is room for a peak of 12.51 times the mean

Server = tuple[tuple[str, str], ...]
PARTITIONED: Server = (("server.architecture", "partitioned"),)
INTEGRATED: Server = (("server.architecture", "integrated"),)
FAIR: Server = (*INTEGRATED, ("policy", "SFQ(1|1|0)"))
ELEVATOR: Server = (*INTEGRATED, ("policy", "LOOK"))
ROUND_ROBIN: Server = (*INTEGRATED, ("policy", "RR"))
BY_DEADLINE: Server = (*INTEGRATED, ("policy", "SCAN-EDF"))
TPS: Server = (*INTEGRATED, ("policy", "TPS:SCAN/SCAN"))
# Shortest access time first, which knows no deadlines
SATF: Server = (*INTEGRATED, ("policy", "SPTF(unguarded)"))
NAMES = {
    PARTITIONED: "partitioned",
    INTEGRATED: "integrated",
    FAIR: "integrated, SFQ",
    ELEVATOR: "integrated, LOOK",
    ROUND_ROBIN: "integrated, RR",
    BY_DEADLINE: "integrated, SCAN-EDF",
    TPS: "integrated, TPS:SCAN/SCAN",
    SATF: "integrated, SATF",
}
Metric = Callable[[dict[str, Any]], float | None]
Load = TypeVar("Load", int, float)

CLIENT_ROUNDS = Interpretation(
    "client-rounds",
    "a violation is a client-round with a late unit instead of a late unit, in V and in all claims",
    affects=frozenset({"client-rounds"}),
)


def _measured(of: dict[str, Any], key: str) -> float | None:
    """A number in a part of a result; None where there was nothing to measure."""
    value: float | None = of[key]
    return value


def response(result: dict[str, Any]) -> float | None:
    """Mean response of a text request, in ms; None, as in all that follows, where there was
    none."""
    return _measured(result["text"]["response_ms"], "mean")


def queueing(result: dict[str, Any]) -> float | None:
    return _measured(result["text"], "unit_queue_ms")


def service(result: dict[str, Any]) -> float | None:
    return _measured(result["text"], "unit_service_ms")


def queueing_share(result: dict[str, Any]) -> float | None:
    """Of the time that a unit of text takes."""
    queued, served = queueing(result), service(result)
    return (
        None
        if queued is None or served is None or queued + served == 0
        else queued / (queued + served)
    )


def text_disks_busy(result: dict[str, Any]) -> float:
    """Share of the time for which the partitioned server's disks of text are busy."""
    disks: list[float] = result["disks"]["utilisation"][: SERVED["server"]["text_disks"]]
    return sum(disks) / len(disks)


def late_rounds(result: dict[str, Any]) -> float | None:
    """Share of the client-rounds with a late unit."""
    return _measured(result["video"], "violation_share")


def late_units(result: dict[str, Any]) -> float | None:
    """Share of the units."""
    return _measured(result["video"], "late_unit_share")


OF_VIDEO = (late_rounds, late_units)


def crossing(x: Sequence[float], y: Sequence[float], level: float) -> float:
    """Where y first reaches the level, between two x linearly; NaN if it does not. Minus infinity
    if it has at the first x already, unless that is 0."""
    for i, value in enumerate(y):
        if value >= level:
            return (
                (-math.inf if x[0] else x[0])
                if i == 0
                else x[i - 1] + (x[i] - x[i - 1]) * (level - y[i - 1]) / (value - y[i - 1])
            )
    return math.nan


def supported(capacities: Sequence[float]) -> float:
    """Clients that a server supports, a whole number: the largest that is not above the mean over
    the seeds."""
    mean = float(np.mean(capacities))
    return float(math.floor(mean)) if math.isfinite(mean) else mean


def paired(one: Sequence[float], other: Sequence[float]) -> list[tuple[float, float]]:
    """Runs with the same seed; one point may have more of them."""
    return list(zip(one, other, strict=False))


def ratio_of(one: Sequence[float], other: Sequence[float]) -> Interval:
    n = min(len(one), len(other))
    return paired_ratio(one[:n], other[:n])


def difference_of(one: Sequence[float], other: Sequence[float]) -> Interval:
    return interval([a - b for a, b in paired(one, other)])


SHORT_S = 60.0  # a run that measures less is short


class Seeds:
    """How many seeds a point runs with: the first few, and more where a comparison needs them; of
    short runs up to `most_short`."""

    def __init__(self, first: int, most: int, most_short: int) -> None:
        self.first, self.most, self.most_short = (
            tuple(range(1, seeds + 1)) for seeds in (first, most, most_short)
        )

    def most_of(self, point: Point) -> tuple[int, ...]:
        return self.most_short if point.measure_s < SHORT_S else self.most

    def after(self, point: Point, have: int) -> tuple[int, ...]:
        """As many again, or the most."""
        return self.most_of(point)[: max(2 * have, len(self.first))]


WHOLE, QUICK = Seeds(5, 40, 160), Seeds(3, 6, 6)


class View:
    """The points of a study, quick or whole, under one interpretation, and their results.

    Loads are stated in the paper's clients, of which the partitioned server supports T text and V
    video. A point has as many of ours: the same parts of what our partitioned server supports under
    this interpretation, in whole clients, in its runs with all seeds (`text_unit`, `video_unit`).
    As long as that is not known, nothing else is asked for; without `results` it is taken to be the
    paper's.

    Points come to be by being asked for: without their results, samples are NaN. Interpretations,
    and the default that they are compared with, run at fewer points (`coarse`).
    """

    def __init__(
        self,
        quick: bool,
        results: Results | None = None,
        interpretation: Interpretation = DEFAULT,
        coarse: bool = False,
    ) -> None:
        self._results = results
        self.quick, self.interpretation = quick, interpretation
        self.seeds = QUICK if quick else WHOLE
        self.violations = late_rounds if interpretation is CLIENT_ROUNDS else late_units
        coarse = coarse or quick or interpretation != DEFAULT
        self.text = (0, 50, 100, 150, 200) if coarse else tuple(range(0, 201, 20))
        self.video = (0, 50, 80, 102) if coarse else (0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 102)
        # Text clients beyond the partitioned server's capacity, far beyond it, and video clients
        # beside them.
        self.overload, self.far_overload = (250, 400) if coarse else (250, 300, 400), (875,)
        self.beside_overload = (0, 97) if coarse else (0, 51, 97)
        # Where an interpretation changes the partitioned server its capacities lie elsewhere.
        self.text_calibration = (
            range(60, 261, 10) if self._own(PARTITIONED, 1, 0) else range(170, 231, 10)
        )
        self.video_calibration = (
            range(50, 136, 5) if self._own(PARTITIONED, 0, 1) else range(87, 124, 3)
        )
        self.video_only = (170, 180, 190, 195, 200, 205, 210, 215, 225)
        self.capacity_text = (
            (0, 100, 150, 200, 250, 300, 350, 375, 400, 425, 450)
            if coarse
            else tuple(range(0, 451, 25))
        )
        self.capacity_video = (
            (0, 51, 97, 150, 185) if coarse else (0, 25, 51, 75, 97, 125, 150, 170, 185)
        )
        # At which bursts may do harm
        self.burst_loads = BURSTY_LOADS[-1:] if coarse else BURSTY_LOADS
        # Of T and V together; where long ways between the classes take much of both, less.
        far = (
            tuple(0.3 + 0.1 * i for i in range(5))
            if "server.areas" in dict(interpretation.settings)
            else ()
        )
        self.joint = (*far, *(0.8 + 0.05 * i for i in range(8)))
        self.points: dict[Point, tuple[int, ...]] = {}
        self._asked: set[Point] = set()
        self._looked: set[tuple[Point, Metric]] = set()
        self._in_units: set[Callable[[View], list[float]]] = set()
        self.text_unit = self.video_unit = 1.0
        if results is not None:
            self.text_unit, self.video_unit = (
                supported(capacity) / paper
                for capacity, paper in ((self.own_text(), T), (self.own_video(), V))
            )

    # --- points -----------------------------------------------------------------------------------

    def clients(self, text: float, video: float) -> tuple[int, int]:
        """Our clients for the paper's."""
        return round(text * self.text_unit), round(video * self.video_unit)

    def depends_on(self, parts: Callable[[View], Any]) -> frozenset[tuple[Point, Metric]]:
        """What comparisons look at: runs, and what is taken from each; among them those that T and
        V are made of, if a load is stated in these."""
        self._looked, self._in_units = set(), set()
        parts(self)
        for unit in tuple(self._in_units):
            unit(self)
        return frozenset(self._looked)

    @property
    def has_units(self) -> bool:
        return math.isfinite(self.text_unit) and math.isfinite(self.video_unit)

    def point(
        self, server: Server, text: float, video: float, lasting_s: float = 0, **settings: Any
    ) -> Point:
        """With `lasting_s` the load begins with the run and lasts so long."""
        return self._point(server, *self.clients(text, video), lasting_s, **settings)

    def _point(
        self,
        server: Server,
        text: int,
        video: int,
        lasting_s: float = 0,
        measure_s: float = MEASURE_S,
        least_s: float = 0,
        **settings: Any,
    ) -> Point:
        """With so many of our clients."""
        point = self._made(
            server, text, video, lasting_s, measure_s, least_s, tuple(settings.items())
        )
        self._ask(point)
        return point

    @kept
    def _made(
        self,
        server: Server,
        text: int,
        video: int,
        lasting_s: float,
        measure_s: float,
        least_s: float,
        settings: tuple[tuple[str, Any], ...],
    ) -> Point:
        """What a setting of the interpretation cannot touch is the default's point."""
        again = self._interpreted(server)
        extra = tuple((key.replace("__", "."), str(value)) for key, value in settings)
        own = tuple(
            pair
            for pair in self._own(again, text, video, "text.arrivals" in dict(extra))
            if pair[0] not in dict(extra)
        )
        loads = (("text.clients", str(text)), ("video.clients", str(video)))
        return Point(
            SERVER,
            (*own, *again, *loads, *extra),
            0.0 if lasting_s else WARMUP_S,
            lasting_s or measure_s,
            least_s=least_s,
        )

    def _own(self, server: Server, text: int, video: int, bursty: bool = False) -> Server:
        """The interpretation's settings that can change what such a load gets: others than the
        scenario has."""
        return tuple(
            (key, value)
            for key, value in self.interpretation.settings
            if _touches(key, value, server, text, video, bursty) and value != str(_served(key))
        )

    def _ask(self, point: Point, seeds: Sequence[int] = ()) -> None:
        runs = (
            0 if self._results is None or point not in self._results else len(self._results[point])
        )
        self.points[point] = max(
            self.points.get(point, ()),
            tuple(seeds or self.seeds.first),
            self.seeds.most_of(point)[:runs],
            key=len,
        )
        self._asked.add(point)

    def _interpreted(self, server: Server) -> Server:
        """The server, with the interpretation's policy if it replaces the server's."""
        policy = dict(server).get("policy", "CELLO(1|1|0)")
        for kind, other in self.interpretation.policies:
            if policy.startswith(kind) and server[:1] == INTEGRATED:
                return (*(pair for pair in server if pair[0] != "policy"), ("policy", other))
        return server

    def trace(self) -> Point:
        """The bursty load as the trace was recorded."""
        point = Point(
            SERVER,
            (
                *INTEGRATED,
                ("text.clients", "0"),
                ("video.clients", "0"),
                *_bursts(TRACE_BYTES_PER_S),
                ("text.cache_bytes", "0"),
            ),
            0.0,
            float(TRACE_INTERVALS),
            least_s=LEAST_INTERVALS,
        )
        self._ask(point)
        return point

    def offered_runs(self) -> list[list[float]]:
        """The trace's load second by second, of each run, in bytes per second."""
        point = self.trace()
        if self._results is None or point not in self._results:
            return [[math.nan] * TRACE_INTERVALS]
        return [result["text"]["bursts"]["offered_bytes_per_s"] for result in self._results[point]]

    def offered(self) -> list[float]:
        """The first run's, in KB/s."""
        return [value / KB for value in self.offered_runs()[0]]

    # --- samples ----------------------------------------------------------------------------------

    def _of(self, point: Point, metric: Metric) -> list[float]:
        self._looked.add((point, metric))
        return self._sampled(point, metric)

    @kept
    def _sampled(self, point: Point, metric: Metric) -> list[float]:
        if self._results is None or point not in self._results:
            return [math.nan]
        return [
            math.nan if value is None else value for value in self._results.samples(point, metric)
        ]

    def samples(
        self,
        metric: Metric,
        server: Server,
        text: float,
        video: float,
        lasting_s: float = 0,
        **settings: Any,
    ) -> list[float]:
        """One for each seed. Of the partitioned server each class alone: it knows nothing of the
        other."""
        if not self.has_units:
            return [math.nan]
        if server[:1] == PARTITIONED:
            text, video = (0, video) if metric in OF_VIDEO else (text, 0)
        self._in_units |= {
            unit for unit, load in ((View.own_text, text), (View.own_video, video)) if load
        }
        return self._of(self.point(server, text, video, lasting_s, **settings), metric)

    def bursty(
        self, metric: Metric, server: Server, load: float, video: float, scaling: str = ""
    ) -> list[float]:
        """Bursty text past the cache, unless the interpretation has one; its load, too, is the same
        part of our T. A run is the whole trace, scaled as the interpretation says or, if given, in
        one of `SCALINGS`."""
        if not self.has_units:
            return [math.nan]
        if server[:1] == PARTITIONED:
            if metric in OF_VIDEO:
                return self.samples(metric, server, 0, video)
            video = 0
        self._in_units |= {View.own_text, *([View.own_video] if video else [])}
        own = dict(self.interpretation.settings)
        ours = KB * round(load / KB * self.text_unit)
        scaled = scaling or own.get("text.burst_scaling", SCALINGS[0])
        if scaled == "intensity":
            lasting, interval_s = BURSTS_BY_INTENSITY_S, 1.0
        else:
            interval_s = TRACE_BYTES_PER_S / ours
            lasting = float(round(TRACE_INTERVALS * interval_s))
        settings: dict[str, Any] = {
            key.replace(".", "__"): value
            for key, value in (*_bursts(ours), ("text.cache_bytes", "0"))
            if key not in own
        }
        if scaled != own.get("text.burst_scaling", SCALINGS[0]):
            settings["text__burst_scaling"] = scaled
        return self._of(
            self._point(
                server,
                0,
                self.clients(0, video)[1],
                measure_s=lasting,
                least_s=math.ceil(LEAST_INTERVALS * interval_s),
                **settings,
            ),
            metric,
        )

    # --- parts of claims --------------------------------------------------------------------------

    def part(self, label: str, value: Callable[[], Interval], criterion: Criterion) -> Part:
        """Of a value that keeps the points that it is of."""
        before, self._asked = self._asked, set()
        found = value()
        points = frozenset(self._asked)
        self._asked |= before
        return Part(label, found, criterion, points)

    def value(
        self, metric: Metric, server: Server, text: float, video: float, criterion: Criterion
    ) -> Part:
        return self.part(
            f"{NAMES[server]}, {text} text, {video} video",
            lambda: interval(self.samples(metric, server, text, video)),
            criterion,
        )

    def ratio(
        self,
        metric: Metric,
        one: Server,
        other: Server,
        text: float,
        video: float,
        criterion: Criterion,
    ) -> Part:
        return self.part(
            f"{NAMES[one]} / {NAMES[other]}, {text} text, {video} video",
            lambda: ratio_of(
                self.samples(metric, one, text, video), self.samples(metric, other, text, video)
            ),
            criterion,
        )

    def more_violations(
        self, server: Server, text: float, video: float, criterion: Criterion
    ) -> Part:
        """Than the partitioned server has, a difference."""
        return self.part(
            f"{NAMES[server]} less partitioned, {text} text, {video} video",
            lambda: difference_of(
                *(self.samples(self.violations, s, text, video) for s in (server, PARTITIONED))
            ),
            criterion,
        )

    def less(self, metric: Metric, text: float, video: float, factor: float = 1.0) -> list[float]:
        """Of the integrated server, less `factor` times that of the partitioned one, run by run."""
        return [
            one - factor * other
            for one, other in paired(
                *(self.samples(metric, s, text, video) for s in (INTEGRATED, PARTITIONED))
            )
        ]

    def region(self) -> list[tuple[float, float]]:
        """The operating points with text and video."""
        return [(t, w) for t in self.text if t for w in self.video]

    def means(
        self, metric: Metric, points: Sequence[tuple[float, float]]
    ) -> list[tuple[float, float]]:
        """Of the partitioned and of the integrated server."""
        both = [
            [interval(self.samples(metric, s, t, w)).mean for s in (PARTITIONED, INTEGRATED)]
            for t, w in points
        ]
        return [(partitioned, integrated) for partitioned, integrated in both]

    # --- capacities -------------------------------------------------------------------------------

    def capacities(
        self, level: float, x: Sequence[Load], at: Callable[[Load], list[float]]
    ) -> list[float]:
        """Of each seed, where what is `at` a load reaches the level."""
        by_x = [at(one) for one in x]
        seeds = min(map(len, by_x))
        return [
            crossing(x, column, level)
            for column in zip(*(samples[:seeds] for samples in by_x), strict=True)
        ]

    def own_text(self) -> list[float]:
        """Our T, in clients."""
        return self.capacities(
            LIMIT_MS,
            self.text_calibration,
            lambda t: self._of(self._with_all_seeds(PARTITIONED, t, 0), response),
        )

    def own_video(self) -> list[float]:
        """Our V, in clients."""
        return self.capacities(
            LIMIT_SHARE,
            self.video_calibration,
            lambda v: self._of(self._with_all_seeds(PARTITIONED, 0, v), self.violations),
        )

    def _with_all_seeds(self, server: Server, text: int, video: int) -> Point:
        point = self._point(server, text, video)
        self._ask(point, self.seeds.most)
        return point

    def text_capacity(
        self, server: Server, video: float, x: Sequence[float] = (), **settings: Any
    ) -> list[float]:
        """In the paper's text clients. No client waits for nothing."""

        def responses(text: float) -> list[float]:
            found = self.samples(response, server, text, video, **settings)
            return found if text else [0.0] * len(found)

        return self.capacities(LIMIT_MS, x or self.capacity_text, responses)

    def video_capacity(self, server: Server) -> list[float]:
        """Without text, in the paper's video clients."""
        return self.capacities(
            LIMIT_SHARE, self.video_only, lambda v: self.samples(self.violations, server, 0, v)
        )

    def both_capacity(self, server: Server, video: float, **settings: Any) -> list[float]:
        """Text clients beside so many video clients: where response or violations first reach their
        limit."""
        loads = [t for t in self.capacity_text if near_ideal(t, video)]
        by_violations = self.capacities(
            LIMIT_SHARE,
            loads,
            lambda t: self.samples(self.violations, server, t, video, **settings),
        )
        return first_of(self.text_capacity(server, video, loads, **settings), by_violations)

    def joint_capacity(self, server: Server) -> list[float]:
        """The largest part of T and V that the server supports together."""
        return first_of(
            self.capacities(
                LIMIT_MS, self.joint, lambda s: self.samples(response, server, s * T, s * V)
            ),
            self.capacities(
                LIMIT_SHARE,
                self.joint,
                lambda s: self.samples(self.violations, server, s * T, s * V),
            ),
        )

    def partition(
        self, text_disks: int, load: float = 0.9
    ) -> tuple[tuple[Server, Server], int, int]:
        """Both servers, the partitioned one first, with so many disks for text of 16, text clients
        for a part of their capacity, and video clients for a half."""
        sizes = (
            ("server.text_disks", str(text_disks)),
            ("server.video_disks", str(16 - text_disks)),
        )
        policy = ("policy", f"CELLO({16 - text_disks}|{text_disks}|0)")
        return (
            ((*PARTITIONED, *sizes), (*INTEGRATED, *sizes, policy)),
            round(load * T * text_disks / 8),
            50 * (16 - text_disks) // 8,
        )

    def gains(self, spread: Spread, overload_s: float) -> list[Gain]:
        """What is to be expected of loads that vary, of each seed. An overload begins with nothing
        to do and lasts so long."""
        text = [t for t in self.text if t]
        text += (
            self.overload
            if spread.peak < 1.1 * self.overload[-1]
            else (*self.overload, *self.far_overload)
        )
        lasting = {t: overload_s if t > T else 0 for t in text}
        beside = {t: self.video if t <= T else self.beside_overload for t in text}
        alone = [self.samples(response, PARTITIONED, t, 0, lasting_s=lasting[t]) for t in text]
        both = [
            [self.samples(response, INTEGRATED, t, v, lasting_s=lasting[t]) for v in beside[t]]
            for t in text
        ]
        seeds = min(
            len(samples) for samples in (*alone, *(samples for row in both for samples in row))
        )
        return [
            expected_gain(
                spread,
                V,
                tuple(text),
                tuple(samples[seed] for samples in alone),
                tuple(
                    (beside[t], tuple(samples[seed] for samples in row))
                    for t, row in zip(text, both, strict=True)
                ),
            )
            for seed in range(seeds)
        ]


def _served(key: str) -> Any:
    """What the scenario says; None: nothing."""
    table, _, name = key.partition(".")
    return SERVED.get(table, {}).get(name)


def _bursts(bytes_per_s: float) -> Server:
    return ("text.arrivals", "bursty"), ("text.load_bytes_per_s", str(bytes_per_s))


def _touches(key: str, value: str, server: Server, text: int, video: int, bursty: bool) -> bool:
    """Whether a setting can change what such a load gets."""
    integrated = server[:1] == INTEGRATED
    if key.startswith("drive."):
        return True
    if key == "server.text_policy":
        return not integrated and (text > 0 or bursty)
    if key == "scheduling.cello_elevator":
        return (
            integrated
            and dict(server).get("policy", "CELLO").startswith("CELLO")
            and (text > 0 or bursty)
        )
    if key == "server.areas" and value == "apart":  # the text is where it was
        return integrated and video > 0
    if key == "server.areas":
        return text > 0 or bursty or video > 0
    if key in (
        "scheduling.budget_interval_s",
        "scheduling.cello_rotation",
    ):  # of one class alone all budgets are the same, and no slack is used
        return (
            integrated
            and dict(server).get("policy", "CELLO").startswith("CELLO")
            and video > 0
            and (text > 0 or bursty)
        )
    if key in ("video.file_s", "video.rounds"):
        return video > 0
    if key == "text.cache_bytes":
        return text > 0 or bursty
    if key == "text.set_bytes":  # the integrated server's video lies behind the text
        return text > 0 or bursty or (integrated and video > 0)
    return bursty  # the others describe the bursts


def first_of(one: Sequence[float], other: Sequence[float]) -> list[float]:
    """The lesser of two capacities, seed by seed; the other where one was not reached."""
    return [
        min((c for c in pair if not math.isnan(c)), default=math.nan) for pair in paired(one, other)
    ]


def mean_of(points: Sequence[Sequence[float]]) -> list[float]:
    """Of many points, run by run."""
    return [sum(run) / len(run) for run in zip(*points, strict=False)]


def share_of(parts: Sequence[Part], label: str, criterion: Criterion) -> Part:
    """The share of the comparisons that hold. Its interval is without those that are not decided,
    and with all of these, whose runs it is estimated from."""
    runs = min(part.value.runs for part in parts)
    if any(math.isnan(part.value.mean) for part in parts):
        return Part(
            label,
            exact(math.nan, runs),
            criterion,
            frozenset().union(*(part.points for part in parts)),
        )
    verdicts = [part.verdict for part in parts]
    holding, failing = (
        verdicts.count(verdict) / len(parts) for verdict in (Verdict.HOLDS, Verdict.FAILS)
    )
    mean = sum(part.criterion.margin(part.value.mean) > 0 for part in parts) / len(parts)
    undecided = frozenset().union(*(part.points for part in parts if part.verdict is Verdict.OPEN))
    return Part(label, Interval(mean, holding, 1 - failing, runs), criterion, undecided)


def somewhere(parts: Sequence[Part]) -> Part:
    """What a sentence says may be: it holds if one of the comparisons does. The one that shows it
    best, or comes nearest to it."""
    for verdict in (Verdict.HOLDS, Verdict.OPEN, Verdict.FAILS):
        found = [part for part in parts if part.verdict is verdict]
        if found:
            best = max(found, key=lambda part: part.criterion.margin(part.value.mean))
            return replace(
                best,
                label=f"{best.label}; of {len(parts)} such comparisons",
                points=frozenset().union(*(part.points for part in found)),
            )
    raise ValueError("no comparison")


def near_ideal(text: float, video: float) -> bool:
    return text / (2 * T) + video / (2 * V) <= NEAR_IDEAL
