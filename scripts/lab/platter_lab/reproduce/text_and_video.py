# SPDX-License-Identifier: Apache-2.0
"""Loads of text and video clients on partitioned and integrated servers, and results as claims look at them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from platter_lab.reproduce.bench import Command, Point, Results
from platter_lab.reproduce.claims import Criterion, Part
from platter_lab.reproduce.readings import DEFAULT, Reading
from platter_lab.reproduce.statistics import Interval, interval, paired_ratio
from platter_lab.reproduce.study import PAPERS
from platter_lab.reproduce.varying_loads import Gain, Spread, expected_gain

SERVER = PAPERS / "integrated-servers" / "server.toml"
MIXED = Command(("server", "mixed"), ("server", "mixed", "--dump"))

FEW_SEEDS, SEEDS, MANY_SEEDS = (tuple(range(1, last + 1)) for last in (3, 10, 40))

T, V = 200, 102            # the paper's capacities of the partitioned server
LIMIT_MS, LIMIT_SHARE = 100.0, 0.01
NEAR_IDEAL = 1.13          # loads for the capacity are no farther beyond the ideal line

Server = tuple[tuple[str, str], ...]
PARTITIONED: Server = (("server.architecture", "partitioned"),)
INTEGRATED: Server = (("server.architecture", "integrated"),)
FAIR: Server = (*INTEGRATED, ("server.policy", "SFQ(1|1|0)"))
ELEVATOR: Server = (*INTEGRATED, ("server.policy", "LOOK"))
ROUND_ROBIN: Server = (*INTEGRATED, ("server.policy", "RR"))
BY_DEADLINE: Server = (*INTEGRATED, ("server.policy", "SCAN-EDF"))
TPS: Server = (*INTEGRATED, ("server.policy", "TPS:SCAN/SCAN"))
NAMES = {PARTITIONED: "partitioned", INTEGRATED: "integrated", FAIR: "integrated, SFQ", ELEVATOR: "integrated, LOOK",
         ROUND_ROBIN: "integrated, RR", BY_DEADLINE: "integrated, SCAN-EDF", TPS: "integrated, TPS:SCAN/SCAN"}
Metric = Callable[[dict[str, Any]], float]

LATE_UNITS = Reading("late units", "the share of the units that are late, not of the client-rounds with one", affects=frozenset({"deadlines"}))


def response(result: dict[str, Any]) -> float:
    """Mean response of a text request, in ms."""
    return result["text"]["response_ms"]["mean"]


def queueing(result: dict[str, Any]) -> float:
    return result["text"]["unit_queue_ms"]


def service(result: dict[str, Any]) -> float:
    return result["text"]["unit_service_ms"]


def late_rounds(result: dict[str, Any]) -> float:
    """Share of the client-rounds with a late unit."""
    return result["video"]["violation_share"]


def late_units(result: dict[str, Any]) -> float:
    """Share of the units."""
    return result["video"]["late_units"] / max(1, result["video"]["units"])


def crossing(x: Sequence[float], y: Sequence[float], level: float) -> float:
    """Where y first reaches the level, between two x linearly; NaN if it does not."""
    for i, value in enumerate(y):
        if value >= level:
            return x[i] if i == 0 else x[i - 1] + (x[i] - x[i - 1]) * (level - y[i - 1]) / (value - y[i - 1])
    return math.nan


def paired(one: Sequence[float], other: Sequence[float]) -> list[tuple[float, float]]:
    """Runs with the same seed; one point may have more of them."""
    return list(zip(one, other))


def ratio_of(one: Sequence[float], other: Sequence[float]) -> Interval:
    n = min(len(one), len(other))
    return paired_ratio(one[:n], other[:n])


class View:
    """The points of a study, quick or whole, under one reading, and their results.

    Points come to be by being asked for: without results, all samples are NaN. A point asked for with `often` runs with more seeds, points of other readings
    for a shorter time, with fewer.
    """

    def __init__(self, quick: bool, results: Results | None = None, reading: Reading = DEFAULT) -> None:
        self._results = results
        self.quick, self.reading = quick, reading
        self.violations = late_units if reading is LATE_UNITS else late_rounds
        other = bool(reading.settings or reading.policies)
        coarse = quick or other
        self.measure_s = 100.0 if coarse else 300.0
        self._seeds = FEW_SEEDS if coarse else SEEDS
        self._many_seeds = FEW_SEEDS if other else SEEDS if quick else MANY_SEEDS
        self.text = (0, 50, 100, 150, 200) if coarse else tuple(range(0, 201, 20))
        self.video = (0, 50, 80, 102) if coarse else (0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 102)
        # Text clients beyond the partitioned server's capacity, far beyond it, and video clients beside them.
        self.overload, self.far_overload, self.beside_overload = (250, 300, 400), (875,), (0, 51, 97)
        self.text_calibration, self.video_calibration, self.video_only = range(170, 221, 10), range(90, 115, 3), range(170, 211, 5)
        if other:   # capacities lie elsewhere
            self.text_calibration, self.video_calibration, self.video_only = range(100, 241, 20), range(60, 131, 5), range(120, 241, 10)
        elif reading is LATE_UNITS:
            self.video_calibration, self.video_only = range(90, 133, 3), range(170, 241, 5)
        self.capacity_text = (0, 100, 150, 200, 250, 300, 350, 375, 400, 425, 450) if coarse else tuple(range(0, 451, 25))
        self.capacity_video = (0, 51, 97, 150, 180) if coarse else (0, 25, 51, 75, 97, 125, 150, 170, 185)
        self.points: dict[Point, tuple[int, ...]] = {}
        self.short = self if coarse else View(True, results, reading)   # the same in shorter and fewer runs

    def point(self, server: Server, text: int, video: int, often: bool = False, lasting_s: float = 0, **settings: Any) -> Point:
        """With `lasting_s` the load begins with the run and lasts so long."""
        extra = tuple((key.replace("__", "."), str(value)) for key, value in settings.items())
        loads = (("text.clients", str(text)), ("video.clients", str(video)))
        point = Point(SERVER, (*self.reading.settings, *self._read_again(server), *loads, *extra), 0.0 if lasting_s else 10.0,
                      lasting_s or self.measure_s, program=MIXED)
        self.points[point] = max(self.points.get(point, ()), self._many_seeds if often else self._seeds, key=len)
        return point

    def _read_again(self, server: Server) -> Server:
        """The server with its policy in the place of which the reading has another one."""
        policy = dict(server).get("server.policy", "CELLO(1|1|0)")
        for kind, other in self.reading.policies:
            if policy.startswith(kind) and server[:1] == INTEGRATED:
                return (*(pair for pair in server if pair[0] != "server.policy"), ("server.policy", other))
        return server

    def samples(self, metric: Metric, server: Server, text: int, video: int, often: bool = False, **settings: Any) -> list[float]:
        point = self.point(server, text, video, often, **settings)
        return [math.nan] if self._results is None else self._results.samples(point, metric)

    def bursty(self, metric: Metric, server: Server, load: int, video: int) -> list[float]:
        """Bursty text past the cache, unless the reading has one."""
        cache = {} if "text.cache_bytes" in dict(self.reading.settings) else {"text__cache_bytes": 0}
        return self.samples(metric, server, 0, video, True, text__arrivals="bursty", text__load_bytes_per_s=load, **cache)

    def value(self, metric: Metric, server: Server, text: int, video: int, criterion: Criterion, often: bool = False) -> Part:
        return Part(f"{NAMES[server]}, {text} text, {video} video", interval(self.samples(metric, server, text, video, often)), criterion)

    def ratio(self, metric: Metric, one: Server, other: Server, text: int, video: int, criterion: Criterion) -> Part:
        return Part(f"{NAMES[one]} / {NAMES[other]}, {text} text, {video} video",
                    ratio_of(self.samples(metric, one, text, video), self.samples(metric, other, text, video)), criterion)

    def more_violations(self, server: Server, text: int, video: int, criterion: Criterion) -> Part:
        """Than the partitioned server has, a difference."""
        pairs = paired(*(self.samples(self.violations, s, text, video, often=True) for s in (server, PARTITIONED)))
        return Part(f"{NAMES[server]} less partitioned, {text} text, {video} video", interval([a - b for a, b in pairs]), criterion)

    def capacities(self, level: float, x: Sequence[int], at: Callable[[int], list[float]]) -> list[float]:
        """Of each seed, where what is `at` a load reaches the level."""
        by_x = [at(one) for one in x]
        seeds = min(map(len, by_x))
        return [crossing(x, column, level) for column in zip(*(samples[:seeds] for samples in by_x), strict=True)]

    def text_capacity(self, server: Server, video: int, x: Sequence[int], **settings: Any) -> list[float]:
        return self.capacities(LIMIT_MS, x, lambda t: self.samples(response, server, t, video, **settings))

    def video_capacity(self, server: Server, x: Sequence[int]) -> list[float]:
        """Without text."""
        return self.capacities(LIMIT_SHARE, x, lambda v: self.samples(self.violations, server, 0, v, often=True))

    def both_capacity(self, server: Server, video: int, **settings: Any) -> list[float]:
        """Text clients beside so many video clients: where response or violations first reach their limit."""
        loads = [t for t in self.capacity_text if near_ideal(t, video)]
        by_violations = self.capacities(LIMIT_SHARE, loads, lambda t: self.samples(self.violations, server, t, video, **settings))
        return [min((c for c in pair if not math.isnan(c)), default=math.nan)
                for pair in paired(self.text_capacity(server, video, loads, **settings), by_violations)]

    def partition(self, text_disks: int, load: float = 0.9) -> tuple[Server, Server, int, int]:
        """Both servers with so many disks for text of 16, text clients for a part of their capacity, and video clients for a half."""
        sizes = (("server.text_disks", str(text_disks)), ("server.video_disks", str(16 - text_disks)))
        policy = ("server.policy", f"CELLO({16 - text_disks}|{text_disks}|0)")
        return ((*PARTITIONED, *sizes), (*INTEGRATED, *sizes, policy), round(load * T * text_disks / 8), 50 * (16 - text_disks) // 8)

    def all_points(self) -> dict[Point, tuple[int, ...]]:
        return self.points if self.short is self else {**self.short.points, **self.points}

    def gains(self, spread: Spread, overload_s: float = 0) -> list[Gain]:
        """What is to be expected of loads that vary, of each seed. An overload is a run like any other, or lasts so long."""
        text = [t for t in self.text if t]
        text += self.overload if spread.peak < 1.1 * self.overload[-1] else (*self.overload, *self.far_overload)
        lasting = {t: overload_s if t > T else 0 for t in text}
        beside = {t: self.video if t <= T else self.beside_overload for t in text}
        alone = [self.samples(response, PARTITIONED, t, 0, lasting_s=lasting[t]) for t in text]
        both = [[self.samples(response, INTEGRATED, t, v, lasting_s=lasting[t]) for v in beside[t]] for t in text]
        seeds = min(len(samples) for samples in (*alone, *(samples for row in both for samples in row)))
        return [expected_gain(spread, V, text, [samples[seed] for samples in alone],
                              [(beside[t], [samples[seed] for samples in row]) for t, row in zip(text, both, strict=True)])
                for seed in range(seeds)]


def near_ideal(text: int, video: int) -> bool:
    return text / (2 * T) + video / (2 * V) <= NEAR_IDEAL
