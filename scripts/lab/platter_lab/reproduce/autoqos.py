# SPDX-License-Identifier: Apache-2.0
"""Wu, Banachowski, Brandt: "Automated QoS Support for Multimedia Disk Access"."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from platter_lab.reproduce.claims import Criterion, Part, Unit, above, below, near
from platter_lab.reproduce.differences import (
    Difference,
    Differences,
    Means,
    decimals,
    listed,
    percent,
)
from platter_lab.reproduce.figures import Chart, Series
from platter_lab.reproduce.interpretations import DEFAULT, Interpretation, Judged, judge
from platter_lab.reproduce.study import PAPERS, Plan, Report, Study, Table
from platter_lab.runs.point import Point
from platter_lab.runs.results import Results
from platter_lab.statistics import interval, interval_text, paired_ratio

FOLDER = PAPERS / "autoqos"
SEEDS = tuple(range(1, 41))
CLOSE_SEEDS = tuple(range(1, 1001))  # of the one point whose claim lies next to its bound

LENGTH_S = {
    "figure3": 160,
    "figure4": 180,
    "figure5": 160,
    "figure6": 180,
    "sequential": 60,
    "recognised": 180,
    "short_files": 180,
}
SCENARIOS = {figure: FOLDER / f"{figure}.toml" for figure in LENGTH_S}
FIGURES = ("figure3", "figure4", "figure5", "figure6")
BIN_S = 4  # of the charts
LIMITS_MB = (0.5, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16)

FAR = (("files.bytes", "1500000000"),)

PAPERS_LOADS, OWN = frozenset({"paper"}), frozenset({"own"})
_BOTH = (
    "fraction 0.1",
    "fraction 0.3",
    "bucket 256 KB",
    "bucket 2 MB",
    "commands 128 KB",
    "commands 512 KB",
    "periods of 32",
    "files apart",
    "FCFS",
    "exact clock",
)
INTERPRETATIONS = tuple(
    Interpretation(
        name, text, settings, affects=PAPERS_LOADS | OWN if name in _BOTH else PAPERS_LOADS
    )
    for name, text, settings in (
        (
            "fraction 0.1",
            "during inference best effort keeps 0.1 of the disk's rate; by default 0.2",
            (("autoqos.inference_fraction", "0.1"),),
        ),
        (
            "fraction 0.3",
            "during inference best effort keeps 0.3 of the disk's rate",
            (("autoqos.inference_fraction", "0.3"),),
        ),
        (
            "six windows",
            "an inference lasts six windows; by default three",
            (("autoqos.inference_windows", "6"),),
        ),
        (
            "bucket 256 KB",
            "the bucket holds one command; by default two",
            (("drive.port.token_depth_bytes", "262144"),),
        ),
        (
            "bucket 2 MB",
            "the bucket holds eight commands",
            (("drive.port.token_depth_bytes", "2097152"),),
        ),
        (
            "commands 128 KB",
            "reads of 128 KB, the most that a 28-bit ATA command carries; by default 256 KB",
            (("application.command_bytes", "131072"),),
        ),
        ("commands 512 KB", "reads of 512 KB", (("application.command_bytes", "524288"),)),
        (
            "periods of 32",
            "a period has 32 reads and is 32 times as long",
            (("application.commands_per_period", "32"),),
        ),
        (
            "files 1.5 GB",
            "each file is as long as the longest run, so that no file is read twice; the files "
            "also lie farther apart",
            FAR,
        ),
        (
            "files apart",
            "the files lie anywhere on the disk; by default one after the other",
            (("files.placement", "apart"),),
        ),
        (
            "FCFS",
            "requests are served in the order of their arrival, without an elevator",
            (("policy", "FCFS"),),
        ),
        (
            "exact clock",
            "the host's clock does not jitter; by default a period begins late by up to 3 % of "
            "its length",
            (("application.clock_jitter", "0"),),
        ),
        (
            "jitter 10 %",
            "the host's clock jitters by up to 10 % of a period",
            (("application.clock_jitter", "0.1"),),
        ),
        (
            "rates only",
            "the manager does not know when a stream opens",
            (("autoqos.knows_opens", "false"),),
        ),
        (
            "no probes",
            "the limit stays at the rate that was left at the inference",
            (("autoqos.probe_windows", "1000000"), ("autoqos.most_probe_windows", "1000000")),
        ),
        (
            "probe 0.01",
            "a probe raises the limit by 0.01 of the disk's rate; by default 0.02",
            (("autoqos.probe_fraction", "0.01"),),
        ),
        (
            "tolerance 0.05",
            (
                "two rates within 0.05 of each other count as the same, by default within 0.1; so "
                "interference is noticed earlier"
            ),
            (("autoqos.tolerance", "0.05"),),
        ),
        (
            "overload",
            "an inference also starts when the disk is busy for 0.95 of a window while best "
            "effort is below its limit",
            (("autoqos.overload_share", "0.95"),),
        ),
        (
            "recognised",
            "streams have no labels; the recogniser decides which are multimedia",
            (("autoqos.classes", "recognised"),),
        ),
    )
) + tuple(
    Interpretation(
        f"periods of {reads}",
        f"only for claims that are not the paper's: a period has {reads} reads and is {reads} "
        "times as long",
        (("application.commands_per_period", str(reads)),),
        affects=OWN,
    )
    for reads in (4, 16)
)

Metric = Callable[[dict[str, Any]], float]
MULTIMEDIA, BEST_EFFORT = "multimedia", "best-effort"


def streams(result: dict[str, Any], label: str = "") -> list[dict[str, Any]]:
    return [stream for stream in result["streams"] if label in ("", stream["label"])]


def _mean(series: Sequence[float], from_s: int, to_s: int) -> float:
    part = series[from_s:to_s]
    return sum(part) / len(part)


def share(label: str, number: int, from_s: int, to_s: int) -> Metric:
    """Of what the stream wants between two times, how much it gets."""

    def metric(result: dict[str, Any]) -> float:
        stream = streams(result, label)[number]
        return _mean(stream["series_bytes_per_s"], from_s, to_s) / _mean(
            stream["series_wanted_bytes_per_s"], from_s, to_s
        )

    return metric


def rate(label: str, from_s: int, to_s: int) -> Metric:
    """Mean rate of the label's streams between two times (MB/s each)."""

    def metric(result: dict[str, Any]) -> float:
        chosen = streams(result, label)
        return (
            sum(_mean(stream["series_bytes_per_s"], from_s, to_s) for stream in chosen)
            / len(chosen)
            / 1e6
        )

    return metric


def aggregate(result: dict[str, Any]) -> float:
    """All streams, the whole run (MB/s)."""
    return float(result["aggregate_bytes_per_s"] / 1e6)


def missed(label: str) -> Metric:
    """Of the periods of the label's streams, the part that was not read by its end; the whole
    run."""

    def metric(result: dict[str, Any]) -> float:
        chosen = streams(result, label)
        periods = sum(stream["periods"] for stream in chosen)
        return sum(stream["missed_periods"] for stream in chosen) / periods if periods else math.nan

    return metric


def limited(from_s: int, to_s: int) -> Metric:
    """Windows, of a second each, between two times in which best effort has a limit."""
    return lambda result: sum(
        1 for window in result["autoqos"]["windows"][from_s:to_s] if window["limit_bytes_per_s"]
    )


def taken_for_multimedia(label: str) -> Metric:
    """Of the reads of the label's streams, the part that went past the bucket."""

    def metric(result: dict[str, Any]) -> float:
        chosen = streams(result, label)
        past = sum(stream["multimedia_commands"] for stream in chosen)
        return float(past / sum(stream["commands"] for stream in chosen))

    return metric


def seconds_to_return(result: dict[str, Any]) -> float:
    """From the time at which figure 6's stream wants 9 MB/s again until it gets 95 % of it for five
    seconds; 60 if never."""
    series = streams(result, MULTIMEDIA)[0]["series_bytes_per_s"]
    return float(
        next(
            (
                second - 120
                for second in range(120, 175)
                if _mean(series, second, second + 5) >= 0.95 * 9e6
            ),
            60,
        )
    )


def _point(figure: str, enabled: bool, *settings: tuple[str, str]) -> Point:
    return Point(
        SCENARIOS[figure],
        (("autoqos.enabled", "true" if enabled else "false"), *settings),
        0.0,
        float(LENGTH_S[figure]),
    )


class View:
    """Results under one interpretation."""

    def __init__(
        self, interpretation: Interpretation = DEFAULT, results: Results | None = None
    ) -> None:
        self.interpretation = interpretation
        self._results = Results({}) if results is None else results

    def point(self, figure: str, enabled: bool = True) -> Point:
        return _point(figure, enabled, *self.interpretation.settings)

    def points(self) -> list[Point]:
        figures = [self.point(figure, enabled) for figure in FIGURES for enabled in (False, True)]
        return [*figures, self.point("sequential", False)] if self._touches("paper") else []

    def own_points(self) -> dict[str, Point]:
        """Those of the claims that are not the paper's, by a name."""
        return (
            {name: self.own(point) for name, point in OWN_POINTS.items()}
            if self._touches("own")
            else {}
        )

    def _touches(self, kind: str) -> bool:
        return self.interpretation is DEFAULT or self.interpretation.touches(kind)

    def own(self, point: Point) -> Point:
        """A point that is not the paper's, under the interpretation."""
        return replace(point, settings=(*point.settings, *self.interpretation.settings))

    def samples(
        self, metric: Metric, figure: str, enabled: bool = True, seeds: tuple[int, ...] = SEEDS
    ) -> list[float]:
        """Of the seeds that all points have, or of more."""
        runs = self._results[self.point(figure, enabled)][: len(seeds)]
        return [metric(result) for result in runs]

    def value(
        self, label: str, metric: Metric, figure: str, criterion: Criterion, enabled: bool = True
    ) -> Part:
        return Part(
            f"{label}, {'AutoQoS' if enabled else 'without'}",
            interval(self.samples(metric, figure, enabled, CLOSE_SEEDS)),
            criterion,
        )

    def shares(
        self,
        figure: str,
        from_s: int,
        to_s: int,
        criterion: Criterion,
        enabled: bool = True,
        label: str = "",
    ) -> list[Part]:
        """Of each stream of the label."""
        names = [
            stream["name"]
            for stream in streams(self._results[self.point(figure, enabled)][0], label)
        ]
        return [
            self.value(
                f"{name}, {from_s} to {to_s} s",
                share(label, number, from_s, to_s),
                figure,
                criterion,
                enabled,
            )
            for number, name in enumerate(names)
        ]

    def of_itself(
        self, label: str, figure: str, one: Metric, other: Metric, criterion: Criterion
    ) -> Part:
        return Part(
            label, paired_ratio(self.samples(one, figure), self.samples(other, figure)), criterion
        )

    def on_over_off(self, figure: str, criterion: Criterion) -> Part:
        return Part(
            "AutoQoS / without",
            paired_ratio(self.samples(aggregate, figure), self.samples(aggregate, figure, False)),
            criterion,
        )


def _limits(quick: bool) -> tuple[float, ...]:
    return LIMITS_MB[::2] if quick else LIMITS_MB


def _limited(limit_mb: float) -> Point:
    return _point(
        "figure3", False, ("drive.port.token_rate_bytes_per_s", str(round(limit_mb * 1e6)))
    )


LABELLED = _point("recognised", True, ("autoqos.classes", "labels"))
RECOGNISED = _point("recognised", True)
FOUND_AGAIN = _point("recognised", True, ("files.bytes", "256000000"))
FORGOTTEN = (("recogniser.handover_s", "0"),)
FOUND_ANEW = _point("recognised", True, ("files.bytes", "256000000"), *FORGOTTEN)
SHORT_FILES = _point("short_files", True)
SHORT_FILES_ANEW = _point("short_files", True, *FORGOTTEN)
OVERLOADED = _point("figure6", True, *FAR, ("autoqos.overload_share", "0.95"))
UNTRIED = _point("recognised", True, ("recogniser.trial_s", "0"))
UNMANAGED = _point("recognised", False)
OWN_POINTS = {
    "limit 4 MB/s": _limited(4),
    "labels": LABELLED,
    "recognised": RECOGNISED,
    "files 256 MB": FOUND_AGAIN,
    "files 256 MB, nothing inherited": FOUND_ANEW,
    "files 100 MB": SHORT_FILES,
    "files 100 MB, nothing inherited": SHORT_FILES_ANEW,
    "no trials": UNTRIED,
    "without": UNMANAGED,
    "files 1.5 GB, overload": OVERLOADED,
}


def plan(quick: bool) -> Plan:
    points = [
        point
        for interpretation in (DEFAULT, *INTERPRETATIONS)
        for view in (View(interpretation),)
        for point in (*view.points(), *view.own_points().values())
    ]
    points += map(_limited, _limits(quick))
    close = _point("figure3", False)
    if quick:
        return Plan(tuple(dict.fromkeys(points)), SEEDS[:5])
    return Plan(
        tuple(point for point in dict.fromkeys(points) if point != close),
        SEEDS,
        further=((close, CLOSE_SEEDS),),
    )


def claims(results: Results) -> list[Judged[View]]:
    percent, ratio = Unit.PERCENT, Unit.RATIO
    wanted, mb, same = "share of what it wants", "MB/s", "aggregate, ratio"
    full = near(1, 0.05)

    def claim(
        name: str,
        text: str,
        published: str,
        unit: Unit,
        quantity: str,
        parts: Callable[[View], list[Part]],
    ) -> Judged[View]:
        return Judged(name, text, published, unit, quantity, PAPERS_LOADS, parts)

    def within(value: float) -> Criterion:
        return near(value, 0.05 * value)

    def own(
        name: str,
        text: str,
        quantity: str,
        label: str,
        point: Point,
        metric: Metric,
        criterion: Criterion,
    ) -> Judged[View]:
        return Judged(
            name,
            text,
            "not in the paper",
            percent,
            quantity,
            OWN,
            lambda v: [Part(label, interval(results.samples(v.own(point), metric)), criterion)],
        )

    there = share(MULTIMEDIA, 0, 40, 150)

    def compared(
        name: str,
        text: str,
        quantity: str,
        label: str,
        one: Point,
        other: Point,
        metric: Metric,
        criterion: Criterion,
    ) -> Judged[View]:
        return Judged(
            name,
            text,
            "not in the paper",
            ratio,
            quantity,
            OWN,
            lambda v: [
                Part(
                    label,
                    paired_ratio(
                        *(results.samples(v.own(point), metric) for point in (one, other))
                    ),
                    criterion,
                )
            ],
        )

    return [
        claim(
            "sequential",
            "One large sequential read gets 27.6 MB/s",
            "27.6 MB/s",
            ratio,
            mb,
            lambda v: [v.value("one stream", aggregate, "sequential", within(27.6), False)],
        ),
        claim(
            "default-inactive",
            "By default no action is taken until a multimedia stream comes",
            "section 3",
            Unit.COUNT,
            "seconds in which best effort has a limit, of the 29 before the stream enters",
            lambda v: [v.value("figure 4", limited(0, 29), "figure4", below(1))],
        ),
        claim(
            "default-unchanged",
            "Until then best effort gets the same rate as without AutoQoS",
            "section 3",
            ratio,
            "rate of best effort, with AutoQoS over without, 1 to 29 s",
            lambda v: [
                Part(
                    "figure 4",
                    paired_ratio(
                        *(
                            v.samples(rate(BEST_EFFORT, 1, 29), "figure4", on)
                            for on in (True, False)
                        )
                    ),
                    full,
                )
            ],
        ),
        claim(
            "half-without",
            "Four streams of 8 MB/s each get about half of it without AutoQoS",
            "about half",
            percent,
            wanted,
            lambda v: v.shares("figure3", 10, 160, near(0.5, 0.05), False),
        ),
        claim(
            "aggregate-without",
            "These four streams get 15.86 MB/s together without AutoQoS",
            "15.86 MB/s",
            ratio,
            mb,
            lambda v: [v.value("figure 3", aggregate, "figure3", within(15.86), False)],
        ),
        claim(
            "aggregate-with",
            "With AutoQoS the four streams get 15.40 MB/s together",
            "15.40 MB/s",
            ratio,
            mb,
            lambda v: [v.value("figure 3", aggregate, "figure3", within(15.40))],
        ),
        claim(
            "aggregate-kept",
            "These two throughputs are approximately the same",
            "0.971",
            ratio,
            same,
            lambda v: [v.on_over_off("figure3", near(15.40 / 15.86, 0.05))],
        ),
        claim(
            "multimedia-8",
            "With AutoQoS the multimedia stream gets its 8 MB/s",
            "8 MB/s",
            percent,
            wanted,
            lambda v: v.shares("figure3", 10, 160, full, label=MULTIMEDIA),
        ),
        claim(
            "best-effort-2.5",
            "With AutoQoS the other three streams get about 2.5 MB/s each",
            "31 %",
            percent,
            wanted,
            lambda v: v.shares("figure3", 10, 160, near(2.5 / 8, 0.05), label=BEST_EFFORT),
        ),
        claim(
            "half-when-third-enters",
            "Three streams of 10 MB/s get 5 MB/s each without AutoQoS",
            "50 %",
            percent,
            wanted,
            lambda v: v.shares("figure4", 40, 150, near(0.5, 0.05), False),
        ),
        claim(
            "multimedia-10",
            "With AutoQoS the multimedia stream gets its 10 MB/s",
            "10 MB/s",
            percent,
            wanted,
            lambda v: v.shares("figure4", 40, 150, full, label=MULTIMEDIA),
        ),
        claim(
            "aggregate-figure-4",
            "The three streams get 15.52 MB/s together, with and without AutoQoS",
            "15.52 MB/s",
            ratio,
            mb,
            lambda v: [
                v.value("figure 4", aggregate, "figure4", within(15.52), enabled)
                for enabled in (False, True)
            ],
        ),
        claim(
            "aggregate-equal",
            "This throughput is the same with and without AutoQoS",
            "1",
            ratio,
            same,
            lambda v: [v.on_over_off("figure4", full)],
        ),
        claim(
            "regain",
            "When the multimedia stream ends, best effort regains its rate",
            "in words",
            ratio,
            "rate of best effort, 155 to 180 s over 5 to 30 s",
            lambda v: [
                v.of_itself(
                    "figure 4",
                    "figure4",
                    rate(BEST_EFFORT, 155, 180),
                    rate(BEST_EFFORT, 5, 30),
                    full,
                )
            ],
        ),
        claim(
            "two-multimedia",
            "Two multimedia streams, of 4 and 5 MB/s, both get the rate that they want",
            "in words",
            percent,
            wanted,
            lambda v: v.shares("figure5", 50, 160, full, label=MULTIMEDIA),
        ),
        claim(
            "changing-rate",
            "A multimedia stream gets its 9 MB/s, and later its 4 MB/s when it wants only these",
            "figure 6",
            percent,
            wanted,
            lambda v: [
                *v.shares("figure6", 10, 60, full, label=MULTIMEDIA),
                *v.shares("figure6", 70, 120, full, label=MULTIMEDIA),
            ],
        ),
        claim(
            "slack",
            "Best effort takes up the slack when the multimedia rate drops",
            "in words",
            ratio,
            "rate of best effort, 70 to 120 s over 10 to 60 s",
            lambda v: [
                v.of_itself(
                    "figure 6",
                    "figure6",
                    rate(BEST_EFFORT, 70, 120),
                    rate(BEST_EFFORT, 10, 60),
                    above(1.05),
                )
            ],
        ),
        claim(
            "rate-again",
            "The multimedia stream gets its 9 MB/s again when it wants them again",
            "in words",
            percent,
            wanted,
            lambda v: v.shares("figure6", 135, 180, full, label=MULTIMEDIA),
        ),
        claim(
            "best-effort-returns",
            "Best effort then returns to its former rate",
            "in words",
            ratio,
            "rate of best effort, 135 to 180 s over 10 to 60 s",
            lambda v: [
                v.of_itself(
                    "figure 6",
                    "figure6",
                    rate(BEST_EFFORT, 135, 180),
                    rate(BEST_EFFORT, 10, 60),
                    near(1, 0.1),
                )
            ],
        ),
        claim(
            "short-adjustment",
            "The multimedia stream regains its rate after a short interval (less than 15 s)",
            "a short interval",
            Unit.COUNT,
            "seconds from the new demand until the rate is back (60: never)",
            lambda v: [v.value("figure 6", seconds_to_return, "figure6", below(15))],
        ),
        claim(
            "periods-met",
            "Multimedia streams miss fewer periods with AutoQoS than without (less than half as "
            "many)",
            "timeliness, in words",
            ratio,
            "share of missed periods of multimedia, AutoQoS over without",
            lambda v: [
                Part(
                    figure,
                    paired_ratio(
                        v.samples(missed(MULTIMEDIA), figure),
                        v.samples(missed(MULTIMEDIA), figure, False),
                    ),
                    below(0.5),
                )
                for figure in FIGURES
            ],
        ),
        own(
            "limit-effective",
            "A fixed limit of 4 MB/s on best effort gives the stream of figure 3 its 8 MB/s",
            wanted,
            "limit 4 MB/s",
            _limited(4),
            share(MULTIMEDIA, 0, 10, 160),
            full,
        ),
        own(
            "overload-seen",
            "A manager that notices a busy disk gives figure 6's stream its 9 MB/s again, even "
            "with files of 1.5 GB",
            wanted,
            "files of 1.5 GB, overload, 135 to 180 s",
            OVERLOADED,
            share(MULTIMEDIA, 0, 135, 180),
            full,
        ),
        own(
            "recognised-rate",
            "Without labels a stream of 8 MB/s among three bulk copies gets its rate",
            wanted,
            "recognised, 40 to 150 s",
            RECOGNISED,
            there,
            full,
        ),
        own(
            "unmanaged-rate",
            "Without AutoQoS this stream does not get its rate",
            wanted,
            "without, 40 to 150 s",
            UNMANAGED,
            there,
            below(0.95),
        ),
        Judged(
            "labels-add-nothing",
            "Labels would not give this stream more (within 5 %)",
            "not in the paper",
            percent,
            wanted,
            OWN,
            lambda v: [
                Part(
                    "recognised / labels",
                    paired_ratio(
                        *(results.samples(v.own(point), there) for point in (RECOGNISED, LABELLED))
                    ),
                    full,
                )
            ],
        ),
        own(
            "found-again",
            "Without labels a stream that returns to the front of its file every 32 s keeps its "
            "rate",
            wanted,
            "files of 256 MB, 40 to 150 s",
            FOUND_AGAIN,
            there,
            full,
        ),
        own(
            "short-files",
            "A stream of 4 MB/s from files of 100 MB, among three copies of such files, also "
            "keeps its rate",
            wanted,
            "files of 100 MB, 40 to 150 s",
            SHORT_FILES,
            there,
            full,
        ),
        compared(
            "inherited-rate",
            "This stream gets more than without inheritance (more than the 5 % within which rates "
            "count as equal)",
            "rate of the stream, ratio",
            "files of 100 MB, inherited / nothing inherited",
            SHORT_FILES,
            SHORT_FILES_ANEW,
            there,
            above(1.05),
        ),
        compared(
            "inherited-copies",
            "Inheritance reduces the reads of the copies that are taken for multimedia (by more "
            "than a quarter)",
            "share of the copies' reads taken for multimedia, ratio",
            "files of 100 MB, inherited / nothing inherited",
            SHORT_FILES,
            SHORT_FILES_ANEW,
            taken_for_multimedia(BEST_EFFORT),
            below(0.75),
        ),
        own(
            "trials-needed",
            "Without trials the stream of 8 MB/s is not recognised, because the disk delays it",
            "share of the stream's reads that are taken for multimedia",
            "no trials",
            UNTRIED,
            taken_for_multimedia(MULTIMEDIA),
            below(0.05),
        ),
    ]


# Each sentence of the paper that says something of results, with the claims that judge it.
SENTENCES = (
    (
        "periods-met",
        "abstract",
        "AutoQoS … improves the timeliness of disk accesses for multimedia applications without "
        "requiring any explicit information",
    ),
    (
        "",
        "abstract",
        "Our system infers from I/O behavior the bandwidth requirement of multimedia streams (not "
        "judged by itself: every rate with AutoQoS rests on it)",
    ),
    (
        "periods-met",
        "2",
        "AutoQoS … ensures that requests meet their constraints by preventing overload from the "
        "non-constrained traffic.",
    ),
    (
        "default-inactive",
        "3",
        "our system runs in its default state of taking no action until it recognizes that a "
        "multimedia application begins to stream data",
    ),
    ("default-unchanged", "3", "the same sentence"),
    (
        "multimedia-8, multimedia-10",
        "3",
        "it adjusts allocations so that the media stream receives a reservation of disk bandwidth "
        "equal to its observed flow rate.",
    ),
    (
        "",
        "3",
        "This algorithm is fully automated (not judged: it describes how the algorithm is built; "
        "the claim recognised-rate is about streams without labels, which the paper does not have)",
    ),
    (
        "limit-effective",
        "3.1",
        "By using a TBF to limit the rate that best-effort processes issue requests, we "
        "effectively provide guaranteed bandwidth to the multimedia processes.",
    ),
    (
        "limit-effective",
        "3.1",
        "Our previous work showed that bandwidth limiting is effective in managing multimedia disk "
        "allocations.",
    ),
    (
        "",
        "3.2",
        "write performance depends less on disk response time due to write buffering. (not judged: "
        "the streams only read)",
    ),
    (
        "",
        "3.2",
        "we temporarily over-provision bandwidth to multimedia streams, so that they may proceed "
        "at full rate. (not judged by itself: a rate inferred too low would fail multimedia-8, "
        "multimedia-10 and two-multimedia)",
    ),
    (
        "best-effort-2.5",
        "3.2",
        "once determined, increase the best-effort bandwidth to take up the portion of disk "
        "bandwidth unused by the multimedia applications",
    ),
    (
        "aggregate-kept",
        "3.3",
        "the limit at the point where best-effort workload does not interfere with multimedia, "
        "while attempting to maximize the total bandwidth utilization.",
    ),
    (
        "",
        "3.3",
        "if the multimedia traffic decreases then the best-effort limit drops, and if the "
        "multimedia traffic saturates its bandwidth, the best-effort limit increases. (not "
        "judged: this is the rule itself, which the model implements)",
    ),
    (
        "rate-again",
        "3.3",
        "This also re-calibrates the system in the case of dynamic changes to workload.",
    ),
    (
        "sequential",
        "4",
        "The bandwidth of the disk averages 27.6 MB/s for a large sequential read.",
    ),
    (
        "half-without",
        "4",
        "All four streams receive only about half of the bandwidth they request,",
    ),
    (
        "aggregate-without",
        "4",
        "The observed aggregate stream rate is approximately 16 MB/s, significantly less than when "
        "only a single sequential file is read;",
    ),
    (
        "",
        "4",
        "this is due to extra seeks between reads from the different streams. (not judged: this "
        "is a cause)",
    ),
    ("multimedia-8", "4", "The multimedia stream receives its desired rate of 8 MB/s bandwidth."),
    (
        "best-effort-2.5",
        "4",
        "The other three competing best-effort streams are limited and each of them receives about "
        "2.5 MB/s.",
    ),
    (
        "aggregate-with, aggregate-kept",
        "4",
        "The aggregate throughput for these two runs are approximately the same: 15.86 MB/s for "
        "normal Linux and 15.40 MB/s with AutoQoS.",
    ),
    (
        "half-when-third-enters",
        "4",
        "when the third stream enters at time 30, the overload reduces the bandwidth of each "
        "stream to 5MB/s.",
    ),
    (
        "multimedia-10",
        "4",
        "the multimedia stream receives its desired rate of 10 MB/s, because the bandwidth of the "
        "two competing streams is limited",
    ),
    (
        "regain",
        "4",
        "When the multimedia stream terminates at time 150, the two competing streams regain their "
        "original bandwidth.",
    ),
    (
        "aggregate-figure-4, aggregate-equal",
        "4",
        "The overall throughput for running with and without AutoQoS are the same (15.52 MB/s).",
    ),
    (
        "two-multimedia",
        "4",
        "a 4 MB/s and a 5 MB/s multimedia stream compete with two 4 MB/s best-effort streams, and "
        "the multimedia streams are able to receive the bandwidth they need.",
    ),
    (
        "changing-rate",
        "4",
        "the ability of AutoQoS to adapt to changes in the rate of the multimedia stream",
    ),
    ("slack", "4", "When the MM rate drops at time 60, the best-effort rates take up the slack,"),
    (
        "best-effort-returns",
        "4",
        "when the MM rate increases at time 120, the best-effort rates return",
    ),
    ("short-adjustment", "4", "after a short interval of adjustments."),
    (
        "",
        "5",
        "a QoS mechanism that supports multimedia streams in a mixed-workload environment (not "
        "judged by itself: this is the sum of the claims above)",
    ),
    (
        "periods-met",
        "5",
        "Legacy applications based on best-effort systems … immediately benefit by receiving "
        "better performance.",
    ),
)


def _series(results: Results, point: Point, length_s: int) -> tuple[Series, ...]:
    """Rates over time, in bins."""
    starts = range(0, length_s, BIN_S)
    centres = [start + BIN_S / 2 for start in starts]
    lines = []
    names = [(stream["label"], stream["name"]) for stream in results[point][0]["streams"]]
    for number, (_, name) in enumerate(names):
        lines.append(
            Series(
                name,
                centres,
                [
                    interval(
                        [
                            _mean(
                                result["streams"][number]["series_bytes_per_s"],
                                start,
                                start + BIN_S,
                            )
                            / 1e6
                            for result in results[point]
                        ]
                    )
                    for start in starts
                ],
            )
        )
    if "autoqos" in results[point][0]:

        def limit(result: dict[str, Any], start: int) -> float:
            windows = result["autoqos"]["windows"][start : start + BIN_S]
            limits = [window["limit_bytes_per_s"] for window in windows]
            return sum(limits) / len(limits) / 1e6 if limits and all(limits) else float("nan")

        values = [[limit(result, start) for result in results[point]] for start in starts]
        lines.append(
            Series(
                "limit of best effort",
                centres,
                [interval(v) if all(x == x for x in v) else None for v in values],
            )
        )
    return tuple(lines)


def differences(means: Means) -> Differences:
    """Where a criterion and the paper's sentence differ."""

    def mean(column: str, figure: str, on: bool) -> float:
        return means.value(
            column,
            interpretation="default",
            load=figure,
            autoqos=str(on).lower(),
            limit_bytes_per_s=0,
        )

    def missed_percent(on: bool) -> str:
        return listed(percent(mean("multimedia_missed", figure, on)) for figure in FIGURES)

    def both(on: bool) -> float:
        return mean("aggregate_mb_per_s", "figure3", on)

    one_of_three = mean("best_effort_mb_per_s", "figure3", True) / 3
    return Differences(
        (
            Difference(
                "periods-met",
                "AutoQoS *improves the timeliness* (abstract) and *ensures that requests meet "
                "their constraints* (section 2).",
                "One criterion stands for both: less than half as many missed periods. For "
                "*improves* any decrease would do. *Ensures* asks for hardly any missed period.",
                f"With AutoQoS {missed_percent(True)} % of the periods are missed in figures 3 "
                f"to 6, and without it {missed_percent(False)} %.",
            ),
            Difference(
                "best-effort-2.5",
                "Each of the other three receives *about 2.5 MB/s*.",
                "The share of the wanted 8 MB/s is within 5 percentage points. This is 16 % of "
                "2.5 MB/s. Rates of all streams together are judged within 5 %.",
                f"A stream gets {decimals(one_of_three)} MB/s. This is "
                f"{percent(one_of_three / 2.5, 0)} % of 2.5 MB/s.",
            ),
            Difference(
                "aggregate-kept",
                "The two throughputs are *approximately the same*.",
                "The ratio is near the paper's own 0.971. For *the same* (`aggregate-equal`) it "
                "is near 1.",
                f"With AutoQoS {decimals(both(True))} MB/s, and without it "
                f"{decimals(both(False))} MB/s: a ratio of "
                f"{decimals(both(True) / both(False), 3)}.",
            ),
            Difference(
                "slack",
                "The best-effort rates *take up the slack*.",
                "Best effort rises by more than 5 %. This is a small part of the 5 MB/s that the "
                "multimedia stream no longer wants.",
                "The means have no rates of parts of a run. The table above has the rise itself.",
            ),
            Difference(
                "short-adjustment",
                "The *best-effort* rates return after a short interval of adjustments.",
                "The time counts until the *multimedia* stream has its rate again. A run in which "
                "it never has it counts as 60 s.",
                "The means have no such time of best effort. `best-effort-returns` judges its "
                "rate from 135 s on, which is 15 s after the new demand.",
            ),
        ),
        (
            f"Without AutoQoS figure 3 has {len(CLOSE_SEEDS):,} seeds, because "
            f"{len(SEEDS)} leave `aggregate-without` undecided. Every other point has "
            f"{len(SEEDS)}. Under the interpretations this claim has {len(SEEDS)}, too. There "
            "*not decided* may come from fewer seeds alone. It does so where the interpretation "
            "cannot change a run without AutoQoS.",
            f"The table of rates has the first {len(SEEDS)} seeds of that point, and the claim "
            "has all of them.",
        ),
    )


RUN_HEADER = (
    "interpretation",
    "load",
    "autoqos",
    "limit_bytes_per_s",
    "seed",
    "multimedia_mb_per_s",
    "best_effort_mb_per_s",
    "aggregate_mb_per_s",
    "multimedia_class_mb_per_s",
    "multimedia_missed",
)


def _rows(results: Results, points: Sequence[tuple[str, Point]]) -> tuple[tuple[str, ...], ...]:
    """One row for each run, for a CSV file: sums over streams by label, means over the whole
    run."""
    rows = []
    for interpretation, point in points:
        settings = dict(point.settings)
        for result in results[point]:
            by_label = (
                sum(stream["bytes_per_s"] for stream in streams(result, label))
                for label in (MULTIMEDIA, BEST_EFFORT)
            )
            late = missed(MULTIMEDIA)(result)
            rates = (
                *by_label,
                result["aggregate_bytes_per_s"],
                result["classes"]["multimedia_bytes_per_s"],
            )
            rows.append(
                (
                    interpretation,
                    point.scenario.stem,
                    settings["autoqos.enabled"],
                    settings.get("drive.port.token_rate_bytes_per_s", "0"),
                    str(result["seed"]),
                    *(f"{value / 1e6:.6g}" for value in rates),
                    f"{late:.4g}",
                )
            )
    return tuple(rows)


def report(results: Results, quick: bool) -> Report:
    default = View(DEFAULT, results)
    others = {interpretation: View(interpretation, results) for interpretation in INTERPRETATIONS}
    judged = tuple(judge(one, default, others) for one in claims(results))

    titles = {
        "figure3": "Figure 3: four streams of 8 MB/s",
        "figure4": "Figure 4: three streams of 10 MB/s",
        "figure5": "Figure 5: multimedia of 4 and 5 MB/s, best effort of 4",
        "figure6": "Figure 6: multimedia of 9, 4 and 9 MB/s, best effort of 6",
    }
    charts = [
        Chart(
            f"{figure}_{'with' if enabled else 'without'}.svg",
            f"{titles[figure]}, {'with' if enabled else 'without'} AutoQoS",
            "s",
            "MB/s",
            _series(results, default.point(figure, enabled), LENGTH_S[figure]),
        )
        for figure in FIGURES
        for enabled in (False, True)
    ]
    charts.append(
        Chart(
            "recognised.svg",
            "No labels: multimedia of 8 MB/s among three bulk copies",
            "s",
            "MB/s",
            _series(results, RECOGNISED, LENGTH_S["recognised"]),
        )
    )
    limits = _limits(quick)
    curve = {
        label: [interval(results.samples(_limited(limit), metric)) for limit in limits]
        for label, metric in (
            ("multimedia", rate(MULTIMEDIA, 10, 160)),
            ("best effort, each", rate(BEST_EFFORT, 10, 160)),
            ("all together", aggregate),
        )
    }
    charts.append(
        Chart(
            "limit.svg",
            "Figure 3's streams under a fixed limit of best effort",
            "limit (MB/s)",
            "MB/s",
            tuple(Series(label, limits, values) for label, values in curve.items()),
        )
    )

    columns: tuple[tuple[str, str, bool, Metric], ...] = (
        ("fig. 3 without: all", "figure3", False, aggregate),
        ("with: all", "figure3", True, aggregate),
        ("multimedia (8)", "figure3", True, rate(MULTIMEDIA, 10, 160)),
        ("best effort", "figure3", True, rate(BEST_EFFORT, 10, 160)),
        ("fig. 4 multimedia (10)", "figure4", True, rate(MULTIMEDIA, 40, 150)),
        ("fig. 5 multimedia (4.5)", "figure5", True, rate(MULTIMEDIA, 50, 160)),
        ("fig. 6 multimedia (9)", "figure6", True, rate(MULTIMEDIA, 10, 60)),
        ("(4)", "figure6", True, rate(MULTIMEDIA, 70, 120)),
        ("(9 again)", "figure6", True, rate(MULTIMEDIA, 135, 180)),
    )
    rates = Table(
        "Rates under each interpretation (MB/s a stream; in brackets the rate that it wants)",
        ("", *(column[0] for column in columns)),
        tuple(
            (
                view.interpretation.name,
                *(
                    interval_text(interval(view.samples(metric, figure, enabled)))
                    for _, figure, enabled, metric in columns
                ),
            )
            for view in (default, *others.values())
            if view.points()
        ),
    )

    def spread(figure: str, enabled: bool) -> str:
        """Least, quartiles and most of the runs: without AutoQoS a run stays in one of a few
        phases."""
        values = sorted(default.samples(aggregate, figure, enabled))
        return " / ".join(
            f"{values[round(part * (len(values) - 1))]:.2f}" for part in (0, 0.25, 0.5, 0.75, 1)
        )

    runs_apart = Table(
        "All streams together, run by run: least, quartiles, most (MB/s)",
        ("", "without AutoQoS", "with"),
        tuple(
            (titles[figure], *(spread(figure, enabled) for enabled in (False, True)))
            for figure in FIGURES
        ),
    )

    def periods_of(name: str, view: View, enabled: bool) -> tuple[str, ...]:
        return (
            name,
            *(
                interval_text(
                    interval([100 * x for x in view.samples(missed(MULTIMEDIA), figure, enabled)])
                )
                for figure in FIGURES
            ),
        )

    periods = Table(
        "Periods of multimedia streams that were missed (%)",
        ("", *(figure.replace("figure", "fig. ") for figure in FIGURES)),
        (
            periods_of("without AutoQoS", default, False),
            *(
                periods_of(view.interpretation.name, view, True)
                for view in (default, *others.values())
                if view.points()
            ),
        ),
    )
    recogniser = Table(
        "Without labels",
        (
            "",
            "multimedia gets (MB/s)",
            "its periods missed (%)",
            "reads of copies taken for multimedia (%)",
        ),
        tuple(
            (
                name,
                *(
                    interval_text(interval(results.samples(default.own(OWN_POINTS[name]), metric)))
                    for metric in (
                        rate(MULTIMEDIA, 40, 150),
                        lambda r: 100 * missed(MULTIMEDIA)(r),
                        lambda r: 100 * taken_for_multimedia(BEST_EFFORT)(r),
                    )
                ),
            )
            for name in (
                "labels",
                "recognised",
                "files 256 MB",
                "files 256 MB, nothing inherited",
                "files 100 MB",
                "files 100 MB, nothing inherited",
                "no trials",
                "without",
            )
        ),
    )
    named = [
        (view.interpretation.name, point)
        for view in (default, *others.values())
        for point in view.points()
    ]
    named += [("fixed limit", _limited(limit)) for limit in limits]
    named += [
        (f"{view.interpretation.name}: {name}", point)
        for view in (default, *others.values())
        for name, point in view.own_points().items()
    ]
    runs = Table("Every run", RUN_HEADER, _rows(results, named), "runs.csv")
    return Report(
        judged,
        tuple(charts),
        (
            rates,
            runs_apart,
            periods,
            recogniser,
            Table("The sentences behind the claims", ("claim", "section", "sentence"), SENTENCES),
        ),
        tuple((interpretation.name, interpretation.text) for interpretation in INTERPRETATIONS),
        (runs,),
    )


INTRODUCTION = """
J. C. Wu, S. Banachowski, S. A. Brandt: *Automated QoS Support for Multimedia Disk Access*. \
[AutoQoS's page](../../reference/autoqos.md)
describes the rules, and which of them are interpretations.

**Drive and streams.** The drive is of the class of the Seagate ST340810A \
(`models/configs/drives/st340810a.toml`). One sequential read gets 27.6
MB/s from it, as in the paper. The streams are those of section 4's test application. Each stream \
reads its own file, 256 KB at a time, with one
read outstanding. Best effort passes one token bucket of 512 KB at the drive's port. The loads \
are those of figures 3 to 6. The paper does not
give the times at which figure 5's multimedia streams enter.

**Files.** The paper does not give the size of the files, which determines how far apart the \
streams read. Here a file has 256 MB, so that three
of them exceed the 512 MB of the paper's machine. The files lie one after the other, and each is \
read again and again. Several verdicts are
reversed with files of 1.5 GB, which lie farther apart (below).

**Seeds.** A seed sets the place of the files, with random gaps between them. It also sets the \
instant within its first period at which each
stream begins. Twenty seeds leave some claims undecided, so every point has forty, whether its \
claims needed them or not. Only figure 3 without
AutoQoS has 1000, because one of its claims lies next to its bound.

**Clock and phases.** The host's clock jitters: a period begins late by up to 3 % of its length. \
Without AutoQoS the streams read in a fixed
rotation, and a run stays in the phase that it falls into. So the page shows the quartiles of the \
runs beside the mean. Jitter does not change
the phase. A stream in overload is late, begins its next period at once, and waits for no clock. \
So the interpretations *exact clock* and *jitter
10 %* say nothing about phases.

**Deviation.** The paper's class *ignores write requests*. Here writes are counted as reads are. \
The streams of this study only read, so it makes
no difference.

**Terms of the claims.** *One large sequential read* is a copy that is alone on the disk. *By \
default* means the 29 s of figure 4 before its
multimedia stream enters. A missed period is one that ended before all its reads did.

**Claims that are not the paper's.** The last claims, marked *not in the paper*, are about three \
additions:

- a fixed limit;
- a manager that notices how busy the disk is;
- streams that are recognised by their reads instead of a label, among bulk copies of long and of \
short files. What was known of one file's
  stream is [inherited](../../reference/autoqos.md#recognising-streams-without-labels) by the \
stream of the next file.

**Missed periods.** A stream that gets its rate still misses some periods. A probe that raises \
the limit too far makes the stream late first. The
stream becomes slower only when it is four periods late. The table of missed periods shows what \
the probes (*no probes*) and the tolerance
contribute.
"""

STUDY = Study(
    "autoqos",
    "AutoQoS: multimedia streams beside best effort",
    INTRODUCTION,
    plan,
    report,
    differences=differences,
)
