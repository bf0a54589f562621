# SPDX-License-Identifier: Apache-2.0
"""Shenoy, Goyal, Vin: "Architectural Considerations for Next Generation File Systems": partitioned
and integrated servers."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import pairwise
from typing import Any

import numpy as np

from platter_lab.reproduce.claims import (
    Claim,
    Criterion,
    Part,
    Unit,
    Verdict,
    above,
    below,
    combined,
    near,
)
from platter_lab.reproduce.differences import (
    Difference,
    Differences,
    Means,
    decimals,
    listed,
    percent,
)
from platter_lab.reproduce.figures import Chart, Map, Series
from platter_lab.reproduce.interpretations import (
    DEFAULT,
    FACTOR_HEADER,
    Factor,
    Interpretation,
    Judged,
    Together,
    combinations,
    factor_rows,
    judge,
)
from platter_lab.reproduce.study import Plan, Report, Study, Table
from platter_lab.reproduce.text_and_video import (
    BURSTY_LOADS,
    BY_DEADLINE,
    CLIENT_ROUNDS,
    ELEVATOR,
    FAIR,
    INTEGRATED,
    KB,
    LIMIT_MS,
    LIMIT_SHARE,
    NAMES,
    PARTITIONED,
    QUICK,
    ROUND_ROBIN,
    SATF,
    SCALINGS,
    SERVED,
    SERVER,
    TPS,
    TRACE_BYTES_PER_S,
    TRACE_INTERVALS,
    WHOLE,
    Metric,
    Server,
    T,
    V,
    View,
    difference_of,
    late_rounds,
    late_units,
    mean_of,
    near_ideal,
    paired,
    queueing,
    queueing_share,
    ratio_of,
    response,
    service,
    share_of,
    somewhere,
    text_disks_busy,
)
from platter_lab.reproduce.varying_loads import Gain, Spread, cascade, exponential
from platter_lab.runs.point import Point
from platter_lab.runs.results import Results
from platter_lab.statistics import Interval, exact, interval, interval_text, widened

PARTITIONS = (4, 8, 12)  # disks for text, of 16
NONE_SHARE = 0.0001  # of the deadlines: fewer are none
# Deadlines that both servers miss at most under bursts at very high utilisation (section 3.3.1)
LATE_OF_TRACE = 50 / 14_000
# Video clients at which figure 14's curve is compared with the ideal line
CURVE = (25, 51, 75, 97, 125, 150)
# Other video loads beside the bursts of which the paper prints a factor, but not the load
FACTOR_VIDEO = (20, 80)
LOADS = (0.3, 0.6, 0.9)  # of the text that such a partition supports
SET_BYTES, CACHE_BYTES = SERVED["text"]["set_bytes"], SERVED["text"]["cache_bytes"]
STOP = 0.99  # a comparison has seeds enough when this interval decides it

# Section 3.3.2: probability of overload, and mean and peak of the text clients that the paper gives
# for it.
PRINTED = {0.01: (48.4, 244), 0.03: (64.7, 333), 0.05: (76.9, 401)}
PEAK_TO_MEAN, LEVELS = 12.51, 11  # table 3; its trace is 2,000 s long
OVERLOAD_S = 300

MARGIN = 0.01  # less apart than this is no more and no less
OWN = "not the paper's"  # where a claim is published


def _interpretation(
    name: str,
    text: str,
    settings: tuple[tuple[str, str], ...],
    policies: tuple[tuple[str, str], ...] = (),
) -> Interpretation:
    return Interpretation(name, text, settings, policies, frozenset({name}))


def _elevator(kind: str, more: tuple[tuple[str, str], ...] = ()) -> dict[str, Any]:
    """Of text in both servers: the partitioned one's, Cello's for text, and of the integrated
    server that has nothing but an elevator."""
    return {
        "settings": (
            ("server.text_policy", kind),
            ("scheduling.cello_elevator", kind.lower()),
            *more,
        ),
        "policies": (("LOOK", kind),),
    }


INTERPRETATIONS = (
    CLIENT_ROUNDS,
    _interpretation(
        "SCAN to the edge",
        "SCAN, and Cello's order for text, runs on to the last cylinder before it turns (text set "
        "of 226 MB, calibrated anew)",
        **_elevator("SCAN", (("text.set_bytes", str(226 << 20)),)),
    ),
    _interpretation(
        "C-LOOK",
        "SCAN, and Cello's order for text, serves in increasing order only and then returns",
        **_elevator("C-LOOK"),
    ),
    _interpretation(
        "no budgets",
        "Cello has intervals of 10,000 s, so its coarse grain has no effect",
        (("scheduling.budget_interval_s", "10000"),),
    ),
    _interpretation(
        "interval 0.5 s",
        "Cello's budgets are for intervals of 0.5 s; by default 2 s",
        (("scheduling.budget_interval_s", "0.5"),),
    ),
    _interpretation(
        "interval 1 s",
        "Cello's budgets are for intervals of 1 s",
        (("scheduling.budget_interval_s", "1"),),
    ),
    _interpretation(
        "half a turn",
        "Cello's slack assumes half a turn for each rotational wait; by default the actual wait",
        (("scheduling.cello_rotation", "half-turn"),),
    ),
    _interpretation(
        "areas apart",
        "text lies at the outer edge of the disks and video at the inner one; by default side by "
        "side",
        (("server.areas", "apart"),),
    ),
    _interpretation(
        "areas spread",
        "text and video are spread over the whole disk, in both servers (T and V anew)",
        (("server.areas", "spread"),),
    ),
    _interpretation(
        "staggered rounds",
        "the video clients' rounds begin at equal distances over a second; by default together (V "
        "anew)",
        (("video.rounds", "staggered"),),
    ),
    _interpretation(
        "long files",
        "video files last an hour, so video lies on twelve times as many cylinders",
        (("video.file_s", "3600"),),
    ),
    _interpretation(
        "no cache",
        "there is no cache, which is the limit of a cache that does not begin full",
        (("text.cache_bytes", "0"),),
    ),
    _interpretation(
        "burst intensity",
        "a bursty load above the trace's has higher bursts of 1 s; by default its time stamps are "
        "scaled (512 s, 512 intervals)",
        (("text.burst_scaling", "intensity"),),
    ),
    _interpretation(
        "burst peak 5.1",
        "the bursty load's peak is 5.1 times its mean, as in figure 16's distributions; by "
        "default 12.51 times, as in table 3",
        (("text.peak_to_mean", "5.1"),),
    ),
    _interpretation(
        "burst of units",
        "a request of the bursty load is one unit",
        (("text.mean_bytes", "8192"), ("text.deviation_bytes", "0")),
    ),
    _interpretation(
        "burst through cache",
        "the bursty load is what arrives at the cache; by default it is what leaves the cache",
        (("text.cache_bytes", str(CACHE_BYTES)),),
    ),
)

_BY_NAME = {interpretation.name: interpretation for interpretation in INTERPRETATIONS}


def _factor(name: str, text: str, default: tuple[str, str], *others: str) -> Factor:
    return Factor(name, text, (Interpretation(*default), *(_BY_NAME[other] for other in others)))


# What the paper leaves open and what moves the violations at heavy video loads: those claims are
# judged under every combination.
FACTORS = (
    _factor(
        "interval",
        "the length of the interval of Cello's budgets",
        ("interval 2 s", "2 s"),
        "interval 0.5 s",
        "interval 1 s",
    ),
    _factor(
        "rotation",
        "what Cello's slack assumes for a rotational wait",
        ("known", "the actual wait"),
        "half a turn",
    ),
    _factor(
        "areas",
        "where text and video lie on a disk",
        ("adjacent", "text at the outer edge, video behind it"),
        "areas apart",
        "areas spread",
    ),
    _factor(
        "rounds",
        "when the video clients' rounds begin",
        ("common", "together, every second"),
        "staggered rounds",
    ),
)
TOGETHER = ("heavy-video", "heavy-both", "marginal", "text-gains-more", "joint-loss")


def merged(together: Together) -> Interpretation:
    """As one interpretation."""
    return Interpretation(
        together.name,
        "",
        tuple(setting for one in together.interpretations for setting in one.settings),
    )


def _combinations(quick: bool) -> tuple[Together, ...]:
    """The default first; a quick study has those of the first two factors' first two answers."""
    every = combinations(FACTORS)
    if not quick:
        return every
    few = [
        {option.name for option in factor.options[: 2 if number < 2 else 1]}
        for number, factor in enumerate(FACTORS)
    ]
    return tuple(
        together
        for together in every
        if all(one.name in names for one, names in zip(together.interpretations, few, strict=True))
    )


def _grid(quick: bool, results: Results | None) -> dict[Together, View]:
    return {
        together: View(quick, results, merged(together) if number else DEFAULT, coarse=True)
        for number, together in enumerate(_combinations(quick))
    }


Gains = Callable[[View, float], list[Gain]]  # of each seed, for a probability of overload


@cache
def printed(over: float) -> Spread:
    return exponential(*PRINTED[over], over, T)


@cache
def _cascade(over: float) -> Spread:
    return cascade(PEAK_TO_MEAN, LEVELS, over, T)


VARYING: dict[str, tuple[str, Gains]] = {
    "overload 30 s": (
        "figure 17: an overload lasts 30 s; by default 300 s",
        lambda v, over: v.gains(printed(over), 30),
    ),
    "cascade, 30 s": (
        (
            "as overload 30 s, but the text clients are distributed like the rates of the bursty "
            "load's cascade"
        ),
        lambda v, over: v.gains(_cascade(over), 30),
    ),
    "no overload": (
        (
            "figure 17: no more text clients than the capacity are admitted; the time share of "
            "larger numbers is spent at the capacity"
        ),
        lambda v, over: v.gains(printed(over).cut(), OVERLOAD_S),
    ),
}


def as_full(v: View) -> dict[str, int]:
    """16 disks, each as full of text as 8, with a cache as large a part of it."""
    own = dict(v.interpretation.settings)
    return {
        "text__set_bytes": 2 * int(own.get("text.set_bytes", SET_BYTES)),
        "text__cache_bytes": 2 * int(own.get("text.cache_bytes", CACHE_BYTES)),
    }


def _by_default(v: View, over: float) -> list[Gain]:
    return v.gains(printed(over), OVERLOAD_S)


def _all_gains() -> dict[str, Gains]:
    return {"default": _by_default, **{name: gains for name, (_, gains) in VARYING.items()}}


@cache
def claims() -> tuple[Judged[View], ...]:
    """Each with the interpretations that touch it: under which its comparisons look at other runs,
    at something else of them, or at loads of another T or V."""
    sentences = _sentences()
    views = {
        interpretation: View(True, None, interpretation)
        for interpretation in (DEFAULT, *INTERPRETATIONS)
    }

    def touching(one: Judged[View]) -> frozenset[str]:
        looked = views[DEFAULT].depends_on(one.parts)
        return frozenset(
            interpretation.name
            for interpretation in INTERPRETATIONS
            if views[interpretation].depends_on(one.parts) != looked
        )

    return tuple(replace(one, policies=touching(one)) for one in sentences)


def _sentences() -> list[Judged[View]]:
    def claim(
        name: str,
        text: str,
        published: str,
        unit: Unit,
        quantity: str,
        parts: Callable[[View], list[Part]],
        alternatives: Sequence[tuple[str, Callable[[View], list[Part]]]] = (),
    ) -> Judged[View]:
        return Judged(
            name, text, published, unit, quantity, frozenset(), parts, tuple(alternatives)
        )

    def varying(
        name: str,
        text: str,
        published: str,
        unit: Unit,
        quantity: str,
        parts: Callable[[View, Gains], list[Part]],
        *more: tuple[str, Callable[[View], list[Part]]],
    ) -> Judged[View]:
        def by(gains: Gains) -> Callable[[View], list[Part]]:
            return lambda v: parts(v, gains)

        others = [(other, by(gains)) for other, (_, gains) in VARYING.items()]
        return claim(name, text, published, unit, quantity, by(_by_default), [*others, *more])

    ratio, percent = Unit.RATIO, Unit.PERCENT

    def share_of_region(v: View, factor: float) -> list[Part]:
        """Of the points of the region, those at which the integrated server's mean response is
        below `factor` times the other's: more than half."""

        def faster(t: float, w: float) -> Part:
            return v.part(
                f"{t} text, {w} video", lambda: interval(v.less(response, t, w, factor)), below(0)
            )

        at = [faster(t, w) for t, w in v.region()]
        return [share_of(at, f"{len(at)} points", above(0.5))]

    def losses(v: View) -> list[Part]:
        """At each point of the region."""

        def loss(t: float, w: float) -> Part:
            return v.part(
                f"integrated less partitioned, {t} text, {w} video",
                lambda: interval(v.less(response, t, w)),
                below(LIMIT_MS / 10),
            )

        return [loss(t, w) for t, w in v.region()]

    def more_throughout(v: View, criterion: Criterion) -> list[Part]:
        """Violations, at each point of the region and without text."""
        return [
            v.more_violations(INTEGRATED, t, w, criterion) for t in v.text for w in v.video if w
        ]

    def comparable_violations(v: View, text: float, video: float) -> list[Part]:
        """Within a quarter of the partitioned server's. Differences, as a run may have none."""

        def apart(factor: float, criterion: Criterion) -> Part:
            return v.part(
                f"integrated less {factor:g} times partitioned, {text} text, {video} video",
                lambda: interval(v.less(v.violations, text, video, factor)),
                criterion,
            )

        return [apart(1.25, below(0)), apart(0.75, above(0))]

    def text_over_video(
        v: View,
        text_gain: Callable[[float, float], float],
        video_gain: Callable[[float, float], float],
    ) -> list[Part]:
        """Mean over the region of the gain of text less that of video, each of what the partitioned
        and the integrated server have."""
        points = [(t, w) for t, w in v.region() if w]

        def gained(metric: Metric, gain: Callable[[float, float], float]) -> list[float]:
            return mean_of(
                [
                    [
                        gain(p, i)
                        for p, i in paired(
                            *(v.samples(metric, s, t, w) for s in (PARTITIONED, INTEGRATED))
                        )
                    ]
                    for t, w in points
                ]
            )

        return [
            v.part(
                f"mean over {len(points)} points",
                lambda: difference_of(
                    gained(response, text_gain), gained(v.violations, video_gain)
                ),
                above(0),
            )
        ]

    def differences(v: View, text: float) -> list[float]:
        """Of the responses of both servers, mean over the video loads."""
        return mean_of([[-less for less in v.less(response, text, w)] for w in v.video])

    def larger_differences(v: View) -> list[Part]:
        def larger(few: int, more: int) -> Part:
            return v.part(
                f"at {more} text less at {few}",
                lambda: difference_of(differences(v, more), differences(v, few)),
                above(0),
            )

        return [larger(few, more) for few, more in pairwise((50, 100, 150, 200))]

    def by_bursts(v: View, server: Server, criterion: Criterion) -> list[Part]:
        """What bursts of any of the loads, made in either way, add to the violations beside 80
        video clients."""

        def added(scaling: str, load: int) -> Part:
            return v.part(
                f"{NAMES[server]}, {load // KB} KB/s by {scaling}, 80 video, less without text",
                lambda: difference_of(
                    v.bursty(v.violations, server, load, 80, scaling),
                    v.samples(v.violations, server, 0, 80),
                ),
                criterion,
            )

        return [added(scaling, load) for scaling in SCALINGS for load in v.burst_loads]

    def of_ideal(
        v: View,
        label: str,
        many: Callable[[], list[float]],
        few: Callable[[], list[float]],
        criterion: Criterion,
    ) -> Part:
        return v.part(label, lambda: _half(ratio_of(many(), few())), criterion)

    def text_of_ideal(v: View, criterion: Criterion, **settings: Any) -> Part:
        """Of our own T, seed by seed."""
        return of_ideal(
            v,
            "text",
            lambda: v.text_capacity(INTEGRATED, 0, **settings),
            lambda: [c / v.text_unit for c in v.own_text()],
            criterion,
        )

    def video_of_ideal(v: View, criterion: Criterion) -> Part:
        return of_ideal(
            v,
            "video",
            lambda: v.video_capacity(INTEGRATED),
            lambda: [c / v.video_unit for c in v.own_video()],
            criterion,
        )

    def curve(v: View) -> list[Part]:
        def both(w: int) -> Part:
            return v.part(
                f"{w} video",
                lambda: interval(
                    [t / (2 * T) + w / (2 * V) for t in v.both_capacity(INTEGRATED, w)]
                ),
                near(0.95, 0.05),
            )

        return [both(w) for w in CURVE if w in v.capacity_video]

    def bursts(v: View, loads: Sequence[int], criterion: Criterion, video: int = 50) -> list[Part]:
        def faster(load: int) -> Part:
            return v.part(
                f"{load // KB} KB/s, {video} video",
                lambda: ratio_of(
                    v.bursty(response, PARTITIONED, load, video),
                    v.bursty(response, INTEGRATED, load, video),
                ),
                criterion,
            )

        return [faster(load) for load in loads]

    def burst_violations(
        v: View, server: Server, load: int, video: int, criterion: Criterion
    ) -> Part:
        return v.part(
            f"{NAMES[server]}, {load // KB} KB/s, {video} video",
            lambda: interval(v.bursty(v.violations, server, load, video)),
            criterion,
        )

    def burst_effect(v: View, load: int, video: int) -> Part:
        return v.part(
            f"integrated, {load // KB} KB/s, {video} video less without text",
            lambda: difference_of(
                v.bursty(v.violations, INTEGRATED, load, video),
                v.samples(v.violations, INTEGRATED, 0, video),
            ),
            below(LATE_OF_TRACE),
        )

    def gained(
        v: View, gains: Gains, what: Callable[[Gain], float], criterion: Criterion
    ) -> list[Part]:
        def expected(over: float) -> Part:
            return v.part(
                f"δ₁ = {over:g}",
                lambda: interval([what(gain) for gain in gains(v, over)]),
                criterion,
            )

        return [expected(over) for over in PRINTED]

    def busier(v: View, metric: Metric, criterion: Criterion) -> list[Part]:
        def of(s: Server) -> Part:
            return v.part(
                NAMES[s],
                lambda: ratio_of(v.samples(metric, s, 200, 50), v.samples(metric, s, 50, 50)),
                criterion,
            )

        return [of(PARTITIONED), of(INTEGRATED)]

    def increase(v: View, server: Server, video: int) -> list[float]:
        return [
            heavy - light
            for heavy, light in zip(
                v.samples(response, server, 200, video),
                v.samples(response, server, 50, video),
                strict=False,
            )
        ]

    def over_loads(v: View, disks: int) -> Part:
        """Of the mean over loads, run by run."""

        def ratio_over_loads() -> Interval:
            points = [v.partition(disks, load) for load in LOADS]
            partitioned, integrated = (
                mean_of([v.samples(response, servers[which], t, w) for servers, t, w in points])
                for which in (0, 1)
            )
            return ratio_of(integrated, partitioned)

        return v.part(f"{disks} of 16 disks for text", ratio_over_loads, below(1))

    def growing(v: View, gains: Gains) -> list[Part]:
        def grows(less: float, more: float) -> Part:
            return v.part(
                f"δ₁ = {more:g} over {less:g}",
                lambda: ratio_of(*([gain.ms for gain in gains(v, over)] for over in (more, less))),
                above(1 + MARGIN),
            )

        return [grows(less, more) for less, more in pairwise(PRINTED)]

    def by_video(v: View, t: int) -> Part:
        return v.part(
            f"{t} text",
            lambda: ratio_of(
                v.samples(response, INTEGRATED, t, V), v.samples(response, INTEGRATED, t, 0)
            ),
            above(1),
        )

    def by_text(v: View, w: int) -> Part:
        return v.part(
            f"{w} video",
            lambda: ratio_of(increase(v, INTEGRATED, w), increase(v, PARTITIONED, w)),
            Criterion(0, 1 - MARGIN),
        )

    def within_trace(server: Server) -> Callable[[View], list[Part]]:
        return lambda v: [burst_violations(v, server, 2500 * KB, 90, below(LATE_OF_TRACE))]

    near_5 = Criterion(0.35, 0.85)
    return [
        claim(
            "t-calibrated",
            "The partitioned server supports 200 text clients (the set size is calibrated for "
            "this)",
            "T = 200",
            ratio,
            "capacity / 200",
            lambda v: [
                v.part(
                    "partitioned", lambda: interval([c / T for c in v.own_text()]), near(1, 0.05)
                )
            ],
        ),
        claim(
            "v",
            "The partitioned server supports 102 video clients",
            "V = 102",
            ratio,
            "capacity / 102",
            lambda v: [
                v.part(
                    "partitioned", lambda: interval([c / V for c in v.own_video()]), near(1, 0.05)
                )
            ],
        ),
        claim(
            "fair-queue-slower",
            "Fair queueing in the integrated server makes text slower than in the partitioned "
            "server",
            "figure 2",
            ratio,
            "mean response, ratio",
            lambda v: [v.ratio(response, FAIR, PARTITIONED, t, 80, above(1)) for t in (50, 100)],
        ),
        claim(
            "round-robin-slower",
            "Round-robin in the integrated server makes text slower than in the partitioned server",
            "figure 2",
            ratio,
            "mean response, ratio",
            lambda v: [
                v.ratio(response, ROUND_ROBIN, PARTITIONED, t, 80, above(1)) for t in (50, 100)
            ],
        ),
        claim(
            "elevator-text",
            "Under SCAN, video degrades the text response of the integrated server",
            "figure 3 (a)",
            ratio,
            "mean response, ratio",
            lambda v: [
                v.ratio(response, ELEVATOR, PARTITIONED, t, 80, above(1)) for t in (50, 100)
            ],
        ),
        claim(
            "elevator-video",
            "Under SCAN, bursts of text may cause missed deadlines in the integrated server (at "
            "one load at least, with bursts made in either way)",
            "section 1.2",
            percent,
            "violations, difference",
            lambda v: [somewhere(by_bursts(v, ELEVATOR, above(NONE_SHARE)))],
            [
                (
                    "steady text",
                    lambda v: [v.value(v.violations, ELEVATOR, 200, 80, above(NONE_SHARE))],
                ),
                (
                    "overload by text",
                    lambda v: [v.value(v.violations, ELEVATOR, 402, 58, above(NONE_SHARE))],
                ),
            ],
        ),
        claim(
            "satf-text",
            "Under SATF, as under SCAN, video degrades the text response of the integrated server",
            "section 1.2",
            ratio,
            "mean response, ratio",
            lambda v: [v.ratio(response, SATF, PARTITIONED, t, 80, above(1)) for t in (50, 100)],
        ),
        claim(
            "satf-video",
            "Under SATF, as under SCAN, bursts of text may cause missed deadlines",
            "section 1.2",
            percent,
            "violations, difference",
            lambda v: [somewhere(by_bursts(v, SATF, above(NONE_SHARE)))],
        ),
        claim(
            "cello-isolates",
            "Cello protects the video from the same bursts",
            "section 1.2",
            percent,
            "violations, difference",
            lambda v: by_bursts(v, INTEGRATED, below(NONE_SHARE)),
            [
                (
                    "overload by text",
                    lambda v: [v.value(v.violations, INTEGRATED, 402, 58, below(NONE_SHARE))],
                )
            ],
        ),
        claim(
            "most-of-the-region",
            "Text responses are comparable or better in most of the region (within a quarter)",
            "figure 7",
            percent,
            "share of the operating points",
            lambda v: share_of_region(v, 1.25),
        ),
        claim(
            "significantly-better",
            "Text responses are better by a significant amount in a majority of the region (by at "
            "least 5 %)",
            "section 1.3",
            percent,
            "share of the operating points",
            lambda v: share_of_region(v, 0.95),
        ),
        claim(
            "slightly-worse",
            "Where the integrated server is slower, it is so by a small amount (a tenth of the "
            "threshold)",
            "figure 8 (a)",
            ratio,
            "additional mean response (ms)",
            losses,
        ),
        claim(
            "worse-corner",
            "At light text and heavy video loads text is slower in the integrated server",
            "figure 7",
            ratio,
            "mean response, ratio",
            lambda v: [v.ratio(response, INTEGRATED, PARTITIONED, 20, V, above(1))],
        ),
        claim(
            "heavy-text",
            "At heavy text loads text is faster in the integrated server, whatever the video load",
            "figure 10",
            ratio,
            "mean response, ratio",
            lambda v: [v.ratio(response, INTEGRATED, PARTITIONED, T, w, below(1)) for w in v.video],
        ),
        claim(
            "grows-with-video",
            "The text response of the integrated server grows with the video load",
            "figure 9",
            ratio,
            "mean response at 102 video clients / at none",
            lambda v: [by_video(v, t) for t in (50, 100, 150, 200)],
        ),
        claim(
            "smaller-increase",
            "The response of both servers increases with the text load, and that of the "
            "partitioned server increases more (by at least 1 %)",
            "figure 10",
            ratio,
            "increase from 50 to 200 text clients, integrated / partitioned",
            lambda v: [by_text(v, w) for w in (0, 50, V)],
        ),
        claim(
            "service-independent",
            "A text unit's service time hardly depends on the load (within a quarter; 50 video "
            "clients)",
            "figure 11 (a)",
            ratio,
            "service time at 200 text clients / at 50",
            lambda v: busier(v, service, near(1, 0.25)),
        ),
        claim(
            "queueing-governs",
            "The load governs the queueing of a text unit (at least twice as long)",
            "figure 11 (b)",
            ratio,
            "queueing time at 200 text clients / at 50",
            lambda v: busier(v, queueing, above(2)),
        ),
        claim(
            "shorter-queues",
            "On twice the disks a text unit queues for less time",
            "section 3.1.1",
            ratio,
            "queueing time, integrated / partitioned",
            lambda v: [
                v.ratio(queueing, INTEGRATED, PARTITIONED, t, 50, below(1)) for t in (100, 150, 200)
            ],
        ),
        claim(
            "queueing-dominates",
            "At heavy text loads queueing dominates the response time, whatever the video load "
            "(more than half of a text unit's time)",
            "figure 11 (b)",
            percent,
            "queueing, share of the time",
            lambda v: [
                v.value(queueing_share, s, T, w, above(0.5))
                for s, w in ((PARTITIONED, 0), (INTEGRATED, 0), (INTEGRATED, 50), (INTEGRATED, V))
            ],
        ),
        claim(
            "light-no-violations",
            "At light and moderate video loads both servers meet all deadlines, whatever the text "
            "load",
            "figure 12",
            percent,
            "violations",
            lambda v: [
                v.value(v.violations, PARTITIONED, 0, 50, below(NONE_SHARE)),
                *(
                    v.value(v.violations, INTEGRATED, t, 50, below(NONE_SHARE))
                    for t in (0, 100, 200)
                ),
            ],
        ),
        claim(
            "heavy-video",
            "At heavy video and light text loads the violations are comparable (within a quarter)",
            "figure 12",
            percent,
            "violations, difference",
            lambda v: comparable_violations(v, 20, V),
        ),
        claim(
            "heavy-both",
            "At heavy video and text loads the integrated server has slightly more violations (by "
            "less than the threshold)",
            "figure 12",
            percent,
            "violations, difference",
            lambda v: [v.more_violations(INTEGRATED, T, V, Criterion(0, LIMIT_SHARE))],
        ),
        claim(
            "marginal",
            "In the whole region the difference in violations is marginal (less than half a "
            "percentage point, so that it is 0 when rounded to whole points)",
            "section 3.1.2",
            percent,
            "violations, difference",
            lambda v: more_throughout(v, near(0, 0.005)),
        ),
        claim(
            "text-gains-more",
            "In the region text gains more than video (text: mean part of the response that is "
            "saved; video: mean part of the units that come in time instead of late)",
            "section 3.1.2",
            percent,
            "gain of text less gain of video",
            lambda v: text_over_video(v, lambda p, i: 1 - i / p, lambda p, i: p - i),
            [
                (
                    "gains of the thresholds",
                    lambda v: text_over_video(
                        v, lambda p, i: (p - i) / LIMIT_MS, lambda p, i: (p - i) / LIMIT_SHARE
                    ),
                )
            ],
        ),
        claim(
            "larger-differences",
            "The difference of the two servers' responses is larger at higher text loads (mean "
            "over the video loads)",
            "section 3.3.2",
            ratio,
            "difference, increase (ms)",
            larger_differences,
        ),
        claim(
            "joint-text",
            "With 192 text and 97 video clients together, text stays within its threshold",
            "below 100 ms",
            ratio,
            "mean response / 100 ms",
            lambda v: [
                v.part(
                    "integrated",
                    lambda: interval(
                        [x / LIMIT_MS for x in v.samples(response, INTEGRATED, 192, 97)]
                    ),
                    below(1),
                )
            ],
        ),
        claim(
            "joint-video",
            "With 192 text and 97 video clients together, video stays within its threshold",
            "below 1 %",
            percent,
            "violations",
            lambda v: [v.value(v.violations, INTEGRATED, 192, 97, below(LIMIT_SHARE))],
        ),
        claim(
            "joint-loss",
            "Of T text and V video clients together, the integrated server supports about 4.3 % "
            "less (less, and by at most 9.3 %)",
            "4.3 %",
            ratio,
            "part of both that is supported",
            lambda v: [
                v.part(
                    "integrated",
                    lambda: interval(v.joint_capacity(INTEGRATED)),
                    Criterion(0.957 - 0.05, 1),
                )
            ],
        ),
        claim(
            "text-near-ideal",
            "Without video, the text capacity of the integrated server is about 5 % below the "
            "ideal 2 T",
            "about 5 %",
            ratio,
            "capacity / 2 T",
            lambda v: [text_of_ideal(v, near(0.95, 0.05))],
        ),
        claim(
            "video-near-ideal",
            "Without text, the video capacity of the integrated server is about 5 % below the "
            "ideal 2 V",
            "about 5 %",
            ratio,
            "capacity / 2 V",
            lambda v: [video_of_ideal(v, near(0.95, 0.05))],
        ),
        claim(
            "curve-near-ideal",
            "With both classes, the capacity of the integrated server is about 5 % below the "
            "ideal line between these two",
            "figure 14",
            ratio,
            "text / 2 T + video / 2 V",
            curve,
        ),
        claim(
            "twice",
            "The integrated server supports about twice as many clients of one class without the "
            "other (within a tenth)",
            "section 3.2",
            ratio,
            "capacity / twice that of the partitioned server",
            lambda v: [text_of_ideal(v, near(1, 0.1)), video_of_ideal(v, near(1, 0.1))],
        ),
        claim(
            "bursty-faster",
            "Under bursty text the integrated server is faster (50 video clients)",
            "figure 15 (a)",
            ratio,
            "mean response, partitioned / integrated",
            lambda v: bursts(v, BURSTY_LOADS, above(1)),
        ),
        claim(
            "bursty-factor",
            "At 3,000 KB/s the integrated server is faster by a factor of 6 (within a quarter)",
            "6",
            ratio,
            "mean response, partitioned / integrated",
            lambda v: bursts(v, BURSTY_LOADS[-1:], near(6, 1.5)),
            [
                (
                    f"{w} video clients",
                    partial(bursts, loads=BURSTY_LOADS[-1:], criterion=near(6, 1.5), video=w),
                )
                for w in FACTOR_VIDEO
            ],
        ),
        claim(
            "bursty-utilisation",
            "3,000 KB/s is a utilisation of 50 % (of the partitioned server's disks of text, "
            "within 5 percentage points)",
            "50 %",
            percent,
            "utilisation",
            lambda v: [
                v.part(
                    f"partitioned, {BURSTY_LOADS[-1] // KB} KB/s",
                    lambda: interval(v.bursty(text_disks_busy, PARTITIONED, BURSTY_LOADS[-1], 0)),
                    near(0.5, 0.05),
                )
            ],
        ),
        claim(
            "bursty-none",
            "At low to moderate utilisation both servers meet all deadlines during bursts",
            "section 3.3.1",
            percent,
            "violations",
            lambda v: [
                burst_violations(v, s, load, 50, below(NONE_SHARE))
                for load, s in (
                    (1000 * KB, PARTITIONED),
                    (1000 * KB, INTEGRATED),
                    (2000 * KB, INTEGRATED),
                    (3000 * KB, INTEGRATED),
                )
            ],
        ),
        *(
            claim(
                f"bursty-violations-{NAMES[s]}",
                f"With 90 video clients and 2,500 KB/s of bursty text, the {NAMES[s]} server "
                "misses less than 50 of 14,000 deadlines",
                "0.3 %",
                percent,
                "violations",
                within_trace(s),
            )
            for s in (INTEGRATED, PARTITIONED)
        ),
        claim(
            "bursty-no-effect",
            "Bursts of text have little or no effect on the video of the integrated server",
            "section 4",
            percent,
            "violations, difference",
            lambda v: [burst_effect(v, 2500 * KB, 90), burst_effect(v, 3000 * KB, 50)],
        ),
        varying(
            "expected-gain",
            "Under varying loads the expected improvement is positive",
            "figure 17 (a)",
            ratio,
            "expected improvement (ms)",
            lambda v, gains: gained(v, gains, lambda gain: gain.ms, above(0)),
        ),
        varying(
            "expected-share",
            "The expected improvement is 40 to 80 % of the response time (within 5 percentage "
            "points)",
            "40 to 80 %",
            percent,
            "expected improvement / mean response, partitioned",
            lambda v, gains: gained(v, gains, lambda gain: gain.share, near_5),
            (
                "mean of shares",
                lambda v: gained(v, _by_default, lambda gain: gain.mean_share, near_5),
            ),
        ),
        varying(
            "expected-grows",
            "The expected improvement grows with the average load (by at least 1 %)",
            "figure 17",
            ratio,
            "expected improvement, ratio",
            growing,
        ),
        claim(
            "trace-mean",
            "The unscaled bursty load is 83.91 KB/s (within 5 %)",
            "table 3",
            ratio,
            "mean load / 83.91 KB/s",
            lambda v: [
                v.part(
                    "the trace",
                    lambda: interval(
                        [sum(run) / len(run) / TRACE_BYTES_PER_S for run in v.offered_runs()]
                    ),
                    near(1, 0.05),
                )
            ],
        ),
        claim(
            "trace-peak",
            "The peak of the unscaled bursty load over 1 s is 12.51 times its mean (within 5 %)",
            "table 3",
            ratio,
            "peak / mean / 12.51",
            lambda v: [
                v.part(
                    "the trace",
                    lambda: interval(
                        [max(run) * len(run) / sum(run) / PEAK_TO_MEAN for run in v.offered_runs()]
                    ),
                    near(1, 0.05),
                )
            ],
        ),
        claim(
            "partition-size",
            "The integrated server's expected response is smaller for other partitions, too "
            "(three equally likely loads; the weights are the numbers of disks)",
            "figure 18",
            ratio,
            "mean response over the loads, ratio",
            lambda v: [over_loads(v, d) for d in PARTITIONS],
        ),
        claim(
            "own-scheduler",
            "Without video, LOOK instead of Cello has the same text capacity (within 0.5 %)",
            OWN,
            ratio,
            "capacity under LOOK / under Cello",
            lambda v: [
                v.part(
                    "integrated",
                    lambda: ratio_of(v.text_capacity(ELEVATOR, 0), v.text_capacity(INTEGRATED, 0)),
                    near(1, 0.005),
                )
            ],
        ),
        claim(
            "own-by-deadline",
            "Under SCAN-EDF, which knows the deadlines of the video, text in the integrated server "
            "is slower than under Cello",
            OWN,
            ratio,
            "mean response, ratio",
            lambda v: [
                v.ratio(response, BY_DEADLINE, INTEGRATED, t, 80, above(1)) for t in (50, 100)
            ],
        ),
        claim(
            "own-as-full",
            "With twice the text and cache, so that a disk holds as much text as in the "
            "partitioned server, the text capacity is 2 T (within 2 %)",
            OWN,
            ratio,
            "capacity / 2 T",
            lambda v: [text_of_ideal(v, near(1, 0.02), **as_full(v))],
        ),
        claim(
            "own-slack",
            "Cello keeps text fast because text uses the slack: after the video of its round "
            "(TPS:SCAN/SCAN) text is slower",
            OWN,
            ratio,
            "mean response, ratio",
            lambda v: [v.ratio(response, TPS, INTEGRATED, t, 80, above(1)) for t in (100, 200)],
        ),
    ]


# By claim, in the paper's order: where it stands there.
SENTENCES = (
    (
        "heavy-text; worse-corner",
        "abstract",
        "an integrated server outperforms the partitioned server in a large operating region and "
        "has slightly worse performance in the remaining region",
    ),
    (
        "twice",
        "abstract",
        "the capacity of an integrated server is larger than that of the partitioned server",
    ),
    (
        "bursty-faster; bursty-factor",
        "abstract",
        "an integrated server outperforms the partitioned server by up to a factor of 6 in the "
        "presence of bursty workloads.",
    ),
    (
        "round-robin-slower; fair-queue-slower",
        "1.2, figure 2",
        "the overhead incurred by such algorithms may more than offset the statistical "
        "multiplexing gains … Hence, the response time is significantly worse than a partitioned "
        "system",
    ),
    (
        "elevator-text; elevator-video",
        "1.2",
        "Conventional disk scheduling algorithms such as SCAN and SATF … do not provide any "
        "isolation across classes",
    ),
    (
        "elevator-video",
        "1.2",
        "a burst of request arrival for best-effort application may violate the deadlines of "
        "requests from real-time applications",
    ),
    (
        "elevator-text",
        "1.2, figure 3",
        "the presence of video requests interferes with text requests in the integrated server and "
        "degrades text response time.",
    ),
    (
        "satf-text",
        "1.2",
        "Conventional disk scheduling algorithms such as SCAN and SATF … do not provide any "
        "isolation across classes: … the arrival of a large number of real-time requests can cause "
        "response times for best-effort applications to degrade",
    ),
    (
        "satf-video",
        "1.2",
        "Conventional disk scheduling algorithms such as SCAN and SATF … do not provide any "
        "isolation across classes: a burst of request arrival for best-effort application may "
        "violate the deadlines",
    ),
    (
        "significantly-better",
        "1.3",
        "the integrated server outperforms the partitioned server by a significant amount in a "
        "majority of this region.",
    ),
    (
        "worse-corner",
        "1.3",
        "text requests see a worse response time at low text and heavy video loads (upper left "
        "hand corner of the region)",
    ),
    (
        "heavy-both",
        "1.3",
        "whereas video request see a larger number of deadline violations at heavy text and video "
        "loads (upper right hand corner of the region).",
    ),
    (
        "marginal",
        "1.3",
        "the integrated server is able to provide matching performance to video requests (by "
        "meeting a comparable number of request deadlines).",
    ),
    (
        "cello-isolates",
        "2.1",
        "this enables it to provide low average response times to the interactive best-effort "
        "applications without violating the deadlines of the real-time applications.",
    ),
    ("trace-mean", "2.3, table 3", "Average bit rate (with 64MB cache): 83.91 KB/s"),
    ("trace-peak", "2.3, table 3", "Peak to average bit rate (1s intervals): 12.51"),
    ("t-calibrated", "3.1", "For τ_t = 100ms, we obtained T = 200."),
    ("v", "3.1", "For τ_v = 1%, we obtained V = 102."),
    (
        "most-of-the-region",
        "3.1",
        "sharing of disk bandwidth enables the integrated server to provide comparable or better "
        "performance over a large operating region.",
    ),
    (
        "slightly-worse",
        "figure 8",
        "the integrated server outperforms the partitioned server by a significant amount in many "
        "regions, while it under-performs its counterpart in other regions by only a small amount.",
    ),
    (
        "grows-with-video",
        "3.1.1",
        "Hence, the response time of text requests increases slowly with increase in video load.",
    ),
    (
        "smaller-increase",
        "3.1.1",
        "increasing the text load causes the response time of text requests to increase in both "
        "servers, albeit the increase is larger in the partitioned server.",
    ),
    (
        "service-independent",
        "3.1.1",
        "the service time of a request is largely independent of the load (see Figure 11(a)).",
    ),
    (
        "queueing-governs",
        "3.1.1",
        "In contrast, the queuing delay incurred by a request is completely governed by the load "
        "(see Figure 11(b)).",
    ),
    (
        "shorter-queues",
        "3.1.1",
        "This results in a smaller number of text requests per disk, and hence, shorter queues at "
        "each disk.",
    ),
    (
        "queueing-dominates",
        "3.1.1",
        "In fact, at heavy text loads, the queuing delay dominates the response time,",
    ),
    (
        "heavy-text",
        "3.1.1",
        "causing the integrated server to outperform its counterpart regardless of the video load "
        "(see Figure 10 and 11(b)).",
    ),
    (
        "light-no-violations",
        "3.1.2",
        "at light and moderate video loads, both servers meet deadlines of all real-time requests "
        "regardless of the text load.",
    ),
    (
        "heavy-video",
        "3.1.2",
        "At heavy video load and light text load, the percentage of deadline violations is "
        "comparable in both the servers.",
    ),
    (
        "heavy-both",
        "3.1.2",
        "However, at heavy video and text load, the integrated server has slightly higher deadline "
        "violations than the partitioned server.",
    ),
    (
        "text-gains-more",
        "3.1.2",
        "in the shaded region … the integrated server yields higher performance improvement for "
        "text clients than video clients … since the value of V is chosen such that the percentage "
        "of deadlines violations in the partitioned server does not exceed 1%, there is little "
        "room for achieving significant reduction in the percentage of deadline violations.",
    ),
    (
        "marginal",
        "3.1.2",
        "Hence, for the entire operating region, the difference in the percentage of deadline "
        "violations in the integrated and partitioned architecture is marginal.",
    ),
    (
        "twice",
        "3.2",
        "an integrated server can support approximately twice the number of clients from an "
        "application class when the other class does not use its fair share.",
    ),
    (
        "text-near-ideal; video-near-ideal",
        "3.2",
        "However, there is a small degradation (about 5%) in capacity as compared to the ideal "
        "scenario.",
    ),
    (
        "curve-near-ideal",
        "3.2",
        "The capacity curve of the integrated server is indeed similar to that of the the ideal "
        "integrated server",
    ),
    (
        "joint-text; joint-video",
        "3.2",
        "the integrated server can support 192 text and 97 video clients simultaneously.",
    ),
    (
        "joint-loss",
        "3.2",
        "The partitioned server can support 200 text and 102 video clients simultaneously, whereas "
        "the integrated server can support 192 text and 97 video clients simultaneously. Thus, "
        "there is about 4.3% percentage degradation in the capacity",
    ),
    (
        "bursty-faster",
        "3.3.1",
        "transient overloads cause the average response time yielded by the partitioned system to "
        "be much higher than the integrated server.",
    ),
    (
        "bursty-utilisation",
        "3.3.1",
        "at a load of 3000KB/s, which corresponds to a utilization level of 50%,",
    ),
    (
        "bursty-factor",
        "3.3.1",
        "For instance, at a load of 3000KB/s, which corresponds to a utilization level of 50%, the "
        "response time is smaller by a factor of 6.",
    ),
    (
        "bursty-none",
        "3.3.1",
        "both servers are able to meet all request deadlines at low to moderate levels of "
        "utilization.",
    ),
    (
        "bursty-violations-integrated; bursty-violations-partitioned",
        "3.3.1",
        "at 90 video clients and a text load of 2500KB/s, less than 50 requests deadlines out of "
        "14000 requests were violated in both servers (i.e., 0.3% violation)",
    ),
    (
        "bursty-no-effect",
        "3.3.1",
        "Cello … is able to isolate video requests from bursty text loads, and thereby provide "
        "performance that is comparable to the partitioned server.",
    ),
    ("expected-gain", "3.3.2", "the expected gain is always positive,"),
    (
        "expected-share",
        "3.3.2",
        "and for the distributions considered the percentage improvement ranges from 40%–80%.",
    ),
    ("expected-grows", "3.3.2", "Moreover, the gain increases with increasing average load"),
    (
        "larger-differences",
        "3.3.2",
        "since the difference in response times d(t, v) is larger at higher loads (see Figure 8).",
    ),
    (
        "partition-size",
        "3.4",
        "regardless of the partition size, the expected response time of the integrated server "
        "continues to be smaller than that of its counterpart. Hence, the expected improvement "
        "E(I) is always positive.",
    ),
    (
        "bursty-no-effect",
        "4",
        "Moreover, such bursty loads have little or no effect on the performance of video clients.",
    ),
)
NOT_JUDGED = (
    (
        "",
        "1.2",
        "it has been argued that the least efficient network design is the one that uses separate "
        "networks (not judged: this is about networks)",
    ),
    (
        "",
        "1.2",
        "they ignore the seek time and rotational latency incurred … (not judged alone: this is "
        "the reason given for round-robin-slower)",
    ),
    (
        "",
        "2.1",
        "Cello delays real-time requests until their deadlines and uses the available slack to "
        "service interactive best-effort requests (not judged: this is a rule; own-slack shows "
        "its effect)",
    ),
    (
        "",
        "2.1",
        "The disk model in our simulator was validated using a real disk (not judged: this is "
        "about another simulator)",
    ),
    (
        "",
        "2.3",
        "Table 3: number of operations, sizes and distances in time (not judged: 218,724 "
        "operations at 9.14 ms are the 2,000 s of the cascade, and its requests have the "
        "synthetic size)",
    ),
    (
        "",
        "3.1.1",
        "the response time of text requests in the partitioned server is independent of the video "
        "load (not judged: this holds by construction)",
    ),
    (
        "",
        "3.1.1",
        "This increase can be attributed to two factors … (not judged: this is an explanation; "
        "own-slack and own-by-deadline are related to it)",
    ),
    (
        "",
        "3.1.1",
        "increases slowly (grows-with-video judges that it increases; slowly has no bound)",
    ),
    (
        "",
        "3.1.2",
        "Switching between application classes causes … a higher seek and rotational latency "
        "overhead than the SCAN-EDF algorithm (not judged: this is an explanation, and heavy-both "
        "is its effect)",
    ),
    (
        "",
        "3.1.2",
        "increasing the number of disks in the server increases the load imbalance across the "
        "disks (not judged: this is from another paper)",
    ),
    (
        "",
        "3.2",
        "Effect of video clients on text requests; increased load imbalance; idiosyncrasies of "
        "the scheduling algorithm (not judged: these explain the 5 %, and the capacities are "
        "their effect)",
    ),
    (
        "",
        "3.3.1",
        "the peak load causes the server to temporarily saturate during periods of intense bursts "
        "(not judged: this follows from table 3's ratio; a peak of 12.5 times half of the "
        "capacity)",
    ),
    (
        "",
        "3.3.2",
        "the distributions have average loads of 48.4, 64.7, and 76.9 clients … and peak loads of "
        "244, 333, and 401 (not judged: our distributions are made from these numbers)",
    ),
    (
        "",
        "3.4",
        "the behavior of the response time graphs yielded by the two architectures remains "
        "similar (not judged: it names no quantity; partition-size is its consequence)",
    ),
    (
        "",
        "4",
        "partitioned file systems are easy to design and implement … (not judged: it names no "
        "quantity)",
    ),
)


@cache
def video_rates(table: str, bits_per_s: float, from_share: float, seconds: int) -> np.ndarray:
    """Bytes per second of a frame-size table, named as in the server, that is played round and
    round from a part of it on, scaled to a mean rate."""
    with (SERVER.parent / table).open(encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    at_us = np.array([int(row["pts_us"]) for row in rows])
    order = np.argsort(at_us)
    at_us, sizes = at_us[order], np.array([int(row["bytes"]) for row in rows], dtype=float)[order]
    length = len(rows) * (at_us[1] - at_us[0])
    scale = bits_per_s / 8 / (sizes.sum() / length * 1e6)
    played = np.concatenate([[0.0], np.cumsum(sizes)])

    def before(us: np.ndarray) -> np.ndarray:
        sent: np.ndarray = us // length * played[-1] + played[np.searchsorted(at_us, us % length)]
        return sent

    bounds = int(from_share * length) + np.arange(seconds + 1) * 1_000_000
    rates: np.ndarray = scale * np.diff(before(bounds))
    rates.setflags(write=False)
    return rates


VIDEO = tuple(zip(SERVED["video"]["tables"], SERVED["video"]["bits_per_s"], strict=True))


def _curve(v: View) -> list[Interval]:
    """Text capacity beside each video load."""
    return [interval(v.both_capacity(INTEGRATED, video)) for video in v.capacity_video]


def _ideal(video: float) -> float:
    return 2 * T * (1 - video / (2 * V))


def _distribution_charts(v: View) -> tuple[Chart | Map, ...]:
    def share(spread: Spread, label: str, step: int = 10) -> Series:
        at = range(0, spread.peak + 1, step)
        return Series(label, at, [exact(float(spread.share[t]), 1) for t in at])

    def below_load(spread: Spread, label: str) -> Series:
        at = [round(i * spread.peak / 20) for i in range(21)]
        return Series(
            label,
            [i / 20 for i in range(21)],
            [exact(float(spread.share[: t + 1].sum()), 1) for t in at],
        )

    def below_share(seconds: Sequence[float], label: str) -> Series:
        peak = max(seconds)
        at = np.array(seconds)
        return Series(
            label,
            [i / 20 for i in range(21)],
            [exact(int((at <= peak * i / 20).sum()) / len(seconds), 1) for i in range(21)],
        )

    offered = v.offered()
    first = printed(0.01)
    text = range(5, first.peak, 10)
    video = range(5, V, 10)
    by_text = [float(first.share[t - 5 : t + 5].sum()) for t in text]
    ends = [round((v + half) * first.peak / V) for v in video for half in (-5, 5)]
    by_video = [float(first.share[a:b].sum()) for a, b in zip(ends[::2], ends[1::2], strict=True)]
    aggregate = sum(
        (video_rates(*VIDEO[client % len(VIDEO)], client / 10, 60) for client in range(10)),
        start=np.zeros(60),
    )
    return (
        Chart(
            "figure5.svg",
            "Figure 5: bit rate of a video client, and of ten",
            "s",
            "Mbit/s",
            (
                Series(
                    "one client",
                    range(60),
                    [exact(8e-6 * float(x), 1) for x in video_rates(*VIDEO[0], 0, 60)],
                ),
                Series("ten clients", range(60), [exact(8e-6 * float(x), 1) for x in aggregate]),
            ),
        ),
        Chart(
            "figure6a.svg",
            "Figure 6 (a): bit rate of the bursty trace",
            "s",
            "KB/s",
            (
                Series(
                    "over one second",
                    range(TRACE_INTERVALS),
                    [exact(value, 1) for value in offered],
                ),
            ),
            marks=False,
        ),
        Chart(
            "figure6b.svg",
            "Figure 6 (b): distribution of the load over its peak",
            "load / peak",
            "share of the time at or below",
            (
                below_share(offered, "the trace of figure 6 (a)"),
                below_load(_cascade(0.01), "the bursty load's cascade"),
                *(
                    below_load(printed(over), f"of the paper's mean and peak, δ₁ = {over:g}")
                    for over in PRINTED
                ),
            ),
        ),
        Chart(
            "figure16a.svg",
            "Figure 16 (a): probability of a text load",
            "text clients",
            "p(t)",
            tuple(share(printed(over), f"δ₁ = {over:g}") for over in PRINTED),
            log_y=True,
        ),
        Map(
            "figure16b.svg",
            "Figure 16 (b): probability of both loads, δ₁ = 0.01",
            "text clients (middle of ten)",
            "video clients (middle of ten)",
            "share of the time",
            text,
            video,
            [[t * w for t in by_text] for w in by_video],
        ),
    )


def _charts(v: View) -> tuple[Chart | Map, ...]:
    def line(label: str, x: Sequence[float], at: Callable[[Any], list[float]]) -> Series:
        return Series(label, x, [interval(at(one)) for one in x])

    def violations(label: str, x: Sequence[float], at: Callable[[Any], list[float]]) -> Series:
        return line(label, x, lambda one: [100 * share for share in at(one)])

    def region(
        value: Callable[[float, float], float],
        metric: Metric,
        loads: Sequence[int],
        video: Sequence[int] = v.video,
    ) -> list[list[float]]:
        return [[value(*both) for both in v.means(metric, [(t, w) for t in loads])] for w in video]

    loads = [t for t in v.text if t]
    beyond = sorted({*v.video, *v.capacity_video})
    kilobytes = [load / KB for load in BURSTY_LOADS]
    corners = ((0, T), (V, T), (V, 0))
    text, video, late = "text clients (of T = 200)", "video clients (of V = 102)", "% of the units"

    def by_overload(
        file: str, title: str, y: str, what: Callable[[Gain], float], **scale: bool
    ) -> Chart:
        return Chart(
            file,
            title,
            "δ₁, probability of overload",
            y,
            tuple(
                Series(
                    name,
                    tuple(PRINTED),
                    [interval([what(g) for g in gain(v, over)]) for over in PRINTED],
                )
                for name, gain in _all_gains().items()
            ),
            **scale,
        )

    return (
        *_distribution_charts(v),
        Map(
            "figure7.svg",
            "Figure 7: text response, integrated over partitioned",
            text,
            video,
            "ratio",
            loads,
            v.video,
            region(lambda p, i: i / p, response, loads),
            1.0,
        ),
        Map(
            "figure8a.svg",
            "Figure 8 (a): text response, partitioned less integrated",
            text,
            video,
            "ms",
            loads,
            v.video,
            region(lambda p, i: p - i, response, loads),
            0.0,
        ),
        Map(
            "figure8b.svg",
            "Figure 8 (b): violations, integrated less partitioned",
            text,
            video,
            late,
            v.text,
            [w for w in v.video if w],
            region(lambda p, i: 100 * (i - p), late_units, v.text, [w for w in v.video if w]),
            0.0,
        ),
        *(
            Chart(
                f"figure9{panel}.svg",
                f"Figure 9 ({panel}): text response with {t} text clients",
                video,
                "mean response (ms)",
                tuple(
                    line(NAMES[s], v.video, partial(v.samples, response, s, t))
                    for s in (PARTITIONED, INTEGRATED)
                ),
            )
            for panel, t in zip("abcd", (50, 100, 150, 200), strict=True)
        ),
        Chart(
            "figure10.svg",
            "Figure 10: text response, fixed video load",
            text,
            "mean response (ms)",
            (
                line("partitioned", loads, lambda t: v.samples(response, PARTITIONED, t, 0)),
                *(
                    line(
                        f"integrated, {w} video",
                        loads,
                        partial(v.samples, response, INTEGRATED, video=w),
                    )
                    for w in (0, 50, 102)
                ),
            ),
        ),
        Chart(
            "figure11.svg",
            "Figure 11: service and queueing of a text unit",
            text,
            "ms",
            tuple(
                line(f"{what}, {NAMES[s]}, 50 video", loads, partial(v.samples, m, s, video=50))
                for what, m in (("service", service), ("queueing", queueing))
                for s in (PARTITIONED, INTEGRATED)
            ),
        ),
        Chart(
            "figure12.svg",
            "Figure 12: deadline violations",
            video,
            late,
            tuple(
                violations(f"{NAMES[s]}, {t} text", v.video, partial(v.samples, late_units, s, t))
                for s, t in (
                    (PARTITIONED, 0),
                    (INTEGRATED, 0),
                    (INTEGRATED, 100),
                    (INTEGRATED, 200),
                )
            ),
        ),
        Chart(
            "figure13a.svg",
            "Figure 13 (a): text response of the integrated server",
            text,
            "mean response (ms)",
            tuple(
                line(
                    f"{w} video",
                    [t for t in v.capacity_text if t and near_ideal(t, w)],
                    partial(v.samples, response, INTEGRATED, video=w),
                )
                for w in v.capacity_video
                if w < 150
            ),
            log_y=True,
        ),
        Chart(
            "figure13b.svg",
            "Figure 13 (b): deadline violations of the integrated server",
            video,
            late,
            tuple(
                violations(
                    f"{t} text",
                    [
                        w
                        for w in (sorted({*beyond, *v.video_only}) if t == 0 else beyond)
                        if near_ideal(t, w)
                    ],
                    partial(v.samples, late_units, INTEGRATED, t),
                )
                for t in (0, 100, 200)
            ),
        ),
        Chart(
            "figure14.svg",
            "Figures 4 and 14: clients of both classes that a server supports",
            video,
            text,
            (
                Series("integrated", v.capacity_video, _curve(v)),
                Series("ideal", v.capacity_video, [exact(_ideal(w), 1) for w in v.capacity_video]),
                Series("partitioned", [x for x, _ in corners], [exact(y, 1) for _, y in corners]),
            ),
        ),
        Chart(
            "figure15a.svg",
            "Figure 15 (a): bursty text, 50 video clients",
            "text load (KB/s)",
            "mean response (ms)",
            tuple(
                Series(
                    NAMES[s],
                    kilobytes,
                    [interval(v.bursty(response, s, load, 50)) for load in BURSTY_LOADS],
                )
                for s in (PARTITIONED, INTEGRATED)
            ),
        ),
        Chart(
            "figure15b.svg",
            "Figure 15 (b): deadline violations beside bursty text",
            "text load (KB/s)",
            late,
            tuple(
                Series(
                    f"{NAMES[s]}, {w} video",
                    kilobytes,
                    [
                        interval([100 * share for share in v.bursty(late_units, s, load, w)])
                        for load in BURSTY_LOADS
                    ],
                )
                for s in (PARTITIONED, INTEGRATED)
                for w in (50, 80, 90)
            ),
        ),
        by_overload(
            "figure17a.svg",
            "Figure 17 (a): expected improvement",
            "ms",
            lambda gain: gain.ms,
            log_y=True,
        ),
        by_overload(
            "figure17b.svg",
            "Figure 17 (b): expected improvement over the mean response",
            "%",
            lambda gain: 100 * gain.share,
        ),
        Chart(
            "figure18.svg",
            "Figure 18: text response with other partitions",
            text,
            "mean response (ms)",
            tuple(
                Series(
                    f"{name}, {d} of 16 disks for text",
                    [t for _, t, _ in points],
                    [
                        interval(v.samples(response, servers[which], t, w))
                        for servers, t, w in points
                    ],
                )
                for d in PARTITIONS
                for points in ([v.partition(d, load) for load in LOADS],)
                for which, name in ((0, "partitioned"), (1, "integrated"))
            ),
            log_y=True,
        ),
        Chart(
            "figure3b.svg",
            "Figure 3 (b): deadline violations beside bursts of text, 80 video clients",
            "text load (KB/s)",
            late,
            tuple(
                Series(
                    f"{NAMES[s]}, bursts by {scaling}",
                    [load / KB for load in v.burst_loads],
                    [
                        interval(
                            [100 * share for share in v.bursty(late_units, s, load, 80, scaling)]
                        )
                        for load in v.burst_loads
                    ],
                )
                for scaling in SCALINGS
                for s in (PARTITIONED, INTEGRATED, ELEVATOR, SATF)
                if s != PARTITIONED or scaling == SCALINGS[0]
            ),
        ),
        Chart(
            "figures2_3.svg",
            "Figures 2 and 3 (a): text response with 80 video clients",
            text,
            "mean response (ms)",
            tuple(
                line(NAMES[s], (50, 100, 150, 200), partial(v.samples, response, s, video=80))
                for s in (PARTITIONED, INTEGRATED, FAIR, ROUND_ROBIN, ELEVATOR, BY_DEADLINE)
            ),
            log_y=True,
        ),
    )


def _tables(views: Sequence[View]) -> tuple[Table, ...]:
    v = views[0]

    def text(samples: Sequence[float], digits: int = 4) -> str:
        return _text(interval(samples), digits)

    units = tuple(
        (view.interpretation.name, text(view.own_text()), text(view.own_video()))
        for view in (v, *views[2:])
    )
    whole_text, whole_video = v.text_capacity(INTEGRATED, 0), v.video_capacity(INTEGRATED)
    capacities = (
        ("partitioned, text (T)", text(v.own_text())),
        ("partitioned, video (V)", text(v.own_video())),
        ("integrated, text without video", text([c * v.text_unit for c in whole_text])),
        ("integrated, video without text", text([c * v.video_unit for c in whole_video])),
        ("integrated, both: part of T and V", text(v.joint_capacity(INTEGRATED))),
    )
    kinds: dict[str, tuple[Server, dict[str, Any]]] = {
        "integrated": (INTEGRATED, {}),
        "under LOOK": (ELEVATOR, {}),
        "twice the text and cache": (INTEGRATED, as_full(v)),
        "video first": (TPS, {}),
    }
    few = [c / v.text_unit for c in v.own_text()]
    whole = {name: v.text_capacity(kinds[name][0], 0, **kinds[name][1]) for name in list(kinds)[:3]}
    reason = (
        ("partitioned", text(v.samples(service, PARTITIONED, T, 0)), text(few), ""),
        *(
            (
                name,
                text(v.samples(service, kinds[name][0], 2 * T, 0, **kinds[name][1])),
                text(many),
                _text(_half(ratio_of(many, few)), 4),
            )
            for name, many in whole.items()
        ),
    )
    held = tuple(
        (
            str(w),
            *(
                text(v.both_capacity(server, w, **settings))
                for name, (server, settings) in kinds.items()
                if name != "under LOOK"
            ),
            f"{_ideal(w):.0f}",
        )
        for w in (0, 51, 97)
    )
    beside = tuple(
        (str(w), _text(c, 4), f"{_ideal(w):.0f}")
        for w, c in zip(v.capacity_video, _curve(v), strict=True)
    )
    varying = []
    for name, gains in _all_gains().items():
        spread = _cascade if name.startswith("cascade") else printed
        for over in PRINTED:
            found = gains(v, over)
            law = spread(over).cut() if name == "no overload" else spread(over)
            varying.append(
                (
                    name,
                    f"{over:g}",
                    f"{law.mean:.1f}",
                    str(T if name == "no overload" else law.peak),
                    text([g.ms for g in found], 3),
                    text([100 * g.share for g in found], 3),
                    text([100 * g.mean_share for g in found], 3),
                )
            )
    return (
        Table("Our T and V, in clients", ("interpretation", "T", "V"), units),
        Table("Clients supported", ("", "clients"), capacities),
        Table(
            "Text clients that the server supports beside video clients",
            ("video clients", "integrated", "ideal"),
            beside,
        ),
        Table(
            "Why the text capacity is not 5 % below 2 T: text alone",
            (
                "",
                "service of a unit with 200 (integrated: 400) clients, ms",
                "text clients",
                "over 2 T",
            ),
            reason,
        ),
        Table(
            "The same beside video",
            ("video clients", "integrated", "twice the text and cache", "video first", "ideal"),
            held,
        ),
        Table(
            "Loads that vary: expected improvement of the text response",
            (
                "interpretation",
                "δ₁",
                "mean text clients",
                "peak",
                "ms",
                "% of the mean response",
                "mean of the % at each load",
            ),
            tuple(varying),
        ),
    )


def _turning(judged: Sequence[Claim]) -> Table:
    """The verdicts under every combination."""
    grids = {claim.name: claim.grid for claim in judged if claim.grid}
    combined_answers = list(
        dict.fromkeys(answers for grid in grids.values() for answers in grid.parts)
    )
    rows = [
        (*answers, *(str(grid.verdicts()[answers]) for grid in grids.values()))
        for answers in combined_answers
    ]
    return Table(
        "Where these verdicts turn", (*(factor.name for factor in FACTORS), *grids), tuple(rows)
    )


def _text(value: Interval, digits: int) -> str:
    return interval_text(value, digits) if value.mean == value.mean else "not found"


def _half(value: Interval) -> Interval:
    return Interval(value.mean / 2, value.low / 2, value.high / 2, value.runs)


def _views(quick: bool, results: Results | None) -> list[View]:
    """The default's first, then the default at the points of the interpretations, then these."""
    return [
        View(quick, results),
        *(
            View(quick, results, interpretation, coarse=True)
            for interpretation in (DEFAULT, *INTERPRETATIONS)
        ),
    ]


def _cells(views: Sequence[View], grid: Sequence[View]) -> Iterator[list[Part]]:
    """The comparisons behind each verdict: of a claim under the default, under each interpretation
    that touches it, and, of some, under all combinations."""
    for one in claims():
        for view in views:
            if view.interpretation == DEFAULT or view.interpretation.touches(*one.policies):
                yield one.parts(view)
        for view in grid if one.name in TOGETHER else ():
            yield one.parts(view)
        for _, parts in one.alternatives:
            yield parts(views[0])


def _needs_seeds(parts: Sequence[Part]) -> list[Part]:
    """The comparisons of a verdict that would be decided by more seeds: none if what is decided
    decides the verdict, or if there are no data."""
    strict = [
        Part(part.label, widened(part.value, STOP), part.criterion, part.points) for part in parts
    ]
    if combined(strict) is not Verdict.OPEN:
        return []
    return [
        part
        for part in strict
        if part.verdict is Verdict.OPEN and part.value.mean == part.value.mean
    ]


def _plan(
    quick: bool,
    results: Results | None,
    seeds_of: Callable[[Sequence[Part]], dict[Point, tuple[int, ...]]],
) -> Plan:
    """All points that claims, figures and tables look at, some with more seeds because of their
    comparisons."""
    views, grid = _views(quick, results), list(_grid(quick, results).values())
    more: dict[Point, tuple[int, ...]] = {}
    for parts in _cells(views, grid):
        for point, own in seeds_of(parts).items():
            more[point] = max(more.get(point, ()), own, key=len)
    _charts(views[0])
    _tables(views)
    first = views[0].seeds.first
    seeds: dict[Point, tuple[int, ...]] = {}
    for view in (*views, *grid):
        for point, own in view.points.items():
            seeds[point] = max(seeds.get(point, ()), own, more.get(point, ()), key=len)
    return Plan(
        tuple(point for point, own in seeds.items() if own == first),
        first,
        further=tuple((point, own) for point, own in seeds.items() if own != first),
    )


def plan(quick: bool) -> Plan:
    """With the first seeds, as if our T and V were the paper's."""
    return _plan(quick, None, lambda _: {})


def most(quick: bool) -> Plan:
    """As if nothing were ever decided."""
    seeds = QUICK if quick else WHOLE
    return _plan(
        quick,
        None,
        lambda parts: {point: seeds.most_of(point) for part in parts for point in part.points},
    )


def follow(results: Results, quick: bool) -> Plan:
    """First what T and V are made of, then everything, then as many seeds again for what is not
    decided."""
    seeds = QUICK if quick else WHOLE

    def grown(parts: Sequence[Part]) -> dict[Point, tuple[int, ...]]:
        return {
            point: seeds.after(point, len(results[point]))
            for part in _needs_seeds(parts)
            for point in part.points
        }

    return _plan(quick, results, grown)


RUN_HEADER = (
    "server",
    "policy",
    "text_disks",
    "text_clients",
    "video_clients",
    "bursty_load",
    "others",
    "measured_s",
    "seed",
    "response_ms",
    "unfinished",
    "unit_queue_ms",
    "unit_service_ms",
    "violation_share",
    "late_unit_share",
    "mean_utilisation",
)
IN_COLUMNS = frozenset(
    {
        "server.architecture",
        "policy",
        "server.text_disks",
        "server.video_disks",
        "text.clients",
        "video.clients",
        "text.arrivals",
        "text.load_bytes_per_s",
    }
)


def _cell(value: float | None) -> str:
    """Of a CSV file; empty where there is none."""
    return "" if value is None else f"{value:.9g}"


def _rows(results: Results) -> tuple[tuple[str, ...], ...]:
    rows = []
    for point in results.points:
        s = dict(point.settings)
        others = " ".join(  # the last parts of the keys differ
            f"{key.split('.')[-1]}={value}" for key, value in s.items() if key not in IN_COLUMNS
        )
        rows += [
            (
                s["server.architecture"],
                s.get("policy", ""),
                s.get("server.text_disks", "8"),
                s["text.clients"],
                s["video.clients"],
                s.get("text.load_bytes_per_s", ""),
                others,
                f"{point.measure_s:g}",
                str(r["seed"]),
                _cell(response(r)),
                str(r["text"]["unfinished"]),
                *(_cell(metric(r)) for metric in (queueing, service, late_rounds, late_units)),
                _cell(r["disks"]["mean_utilisation"]),
            )
            for r in results[point]
        ]
    return tuple(rows)


def differences(means: Means) -> Differences:
    """Where a criterion and the paper's sentence differ."""

    def mean(
        column: str,
        server: Server,
        text: int,
        video: int,
        policy: str = "",
        load: int | None = None,
        others: str = "",
    ) -> float:
        """With the page's length of a run of clients; of bursty text there is one length only."""
        length = {} if load else {"measured_s": "100"}
        return means.value(
            column,
            server=NAMES[server],
            policy=policy,
            text_disks=8,
            text_clients=text,
            video_clients=video,
            bursty_load=load or "",
            others=others,
            **length,
        )

    def response_ratio(text: int, video: int, policy: str = "") -> float:
        """The partitioned server's text does not depend on the video."""
        return mean("response_ms", INTEGRATED, text, video, policy) / mean(
            "response_ms", PARTITIONED, text, 0
        )

    def waiting_ratio(text: int) -> str:
        """Of text units on a disk: by Little's law the ratio of their waits, on twice the disks."""
        return decimals(
            mean("unit_queue_ms", INTEGRATED, text, 50)
            / mean("unit_queue_ms", PARTITIONED, text, 0)
            / 2
        )

    def queueing(server: Server, video: int) -> str:
        queue, unit = (mean(f"unit_{part}_ms", server, T, video) for part in ("queue", "service"))
        return percent(queue / (queue + unit), 0)

    def worst_burst(policy: str, others: str) -> str:
        shares = [
            mean("late_unit_share", INTEGRATED, 0, 80, policy, load, others)
            for load in BURSTY_LOADS
        ]
        return percent(max(shares), 2)

    def late(server: Server, text: int, video: int) -> float:
        return mean("late_unit_share", server, text, video)

    def bursty_ratio(load: int) -> float:
        partitioned, integrated = (
            mean("response_ms", server, 0, video, load=load, others=by_stamps)
            for server, video in ((PARTITIONED, 0), (INTEGRATED, 50))
        )
        return partitioned / integrated

    region = [(t, w) for t in range(0, T + 1, 20) for w in (*range(10, 91, 10), V)]
    later = [late(INTEGRATED, t, w) - late(PARTITIONED, 0, w) for t, w in region]
    known = [less for less in later if math.isfinite(less)]
    by_stamps, by_intensity = "cache_bytes=0", "cache_bytes=0 burst_scaling=intensity"
    elevators = (("SCAN", "LOOK"), ("SATF", "SPTF(unguarded)"))
    light, loads = (20, 50), (100, 150, 200)
    return Differences(
        (
            Difference(
                "elevator-video; satf-video; cello-isolates",
                "A burst *may violate the deadlines*. The paper scales the time stamps of its "
                "trace (section 3.3.1).",
                "One of ten comparisons is enough: five loads, with bursts by scaled time stamps "
                "and by intensity. Intensity is otherwise an interpretation. Where no unit is "
                "late, Cello has nothing to protect.",
                "Late units beside 80 video clients, worst load: "
                + "; ".join(
                    f"{name} {worst_burst(policy, by_stamps)} % by time stamps and "
                    f"{worst_burst(policy, by_intensity)} % by intensity"
                    for name, policy in elevators
                )
                + ".",
            ),
            Difference(
                "shorter-queues",
                "There is *a smaller number of text requests per disk, and hence, shorter queues "
                "at each disk*.",
                "The criterion compares the time that a text unit waits, at 100 text clients and "
                "more. The sentence is about the number on a disk, and names no load.",
                "Waiting text units per disk, integrated over partitioned, beside 50 video: "
                f"{listed(map(waiting_ratio, loads))} with {listed(map(str, loads))} text "
                f"clients, and {listed(map(waiting_ratio, light))} with "
                f"{listed(map(str, light))}.",
            ),
            Difference(
                "curve-near-ideal",
                "The capacity curve is *indeed similar* to the ideal one. The degradation of "
                "*about 5%* is in the next sentence.",
                "The criterion is the 5 %: 0.9 to 1 of the ideal line. So a curve above the line "
                "fails. *Approximately twice* is judged within a tenth to both sides, which "
                "*similar* could have as well.",
                "The table *Text clients that the server supports beside video clients* has both "
                "lines.",
            ),
            Difference(
                "queueing-dominates",
                "At heavy text loads the queuing delay dominates, *causing* the integrated server "
                "to outperform its counterpart *regardless of the video load*.",
                "Queueing is more than half in both servers, also without video. In the sentence "
                "*regardless* belongs to the second half (`heavy-text`), which rests on the queues "
                "of the partitioned server.",
                f"With {T} text clients: {queueing(PARTITIONED, 0)} % in the partitioned server, "
                + listed(queueing(INTEGRATED, w) for w in (0, 50, 80, V))
                + f" % in the integrated one beside 0, 50, 80 and {V} video clients.",
            ),
            Difference(
                "heavy-video",
                "The percentage of violations is *comparable*. Section 3.1 says *comparable or "
                "better*.",
                "The criterion is a quarter to both sides. A server without any violation fails "
                "it.",
                f"With 20 text and {V} video clients {percent(late(INTEGRATED, 20, V), 2)} % are "
                f"late in the integrated server, and {percent(late(PARTITIONED, 0, V), 2)} % in "
                "the partitioned one.",
            ),
            Difference(
                "most-of-the-region; significantly-better",
                "The regions of figure 7 are of text *and* video.",
                "Only the response of text counts.",
                "More units are late in the integrated server than in the partitioned one at "
                f"{sum(less > 0 for less in known)} of {len(known)} points with video.",
            ),
            Difference(
                "slightly-worse",
                "The integrated server is worse *by only a small amount*.",
                "The bound is 10 ms at every point. It says nothing of the ratio, and "
                "*comparable* is a quarter.",
                f"With 20 text and {V} video clients the response of the integrated server over "
                f"that of the partitioned one is {decimals(response_ratio(20, V))}.",
            ),
            Difference(
                "bursty-faster; fair-queue-slower; round-robin-slower",
                "Responses are *much higher* or *significantly worse*.",
                "Any difference is enough.",
                f"Under bursts of {BURSTY_LOADS[0] // KB:,} KB/s the partitioned server is slower "
                f"by a factor of {decimals(bursty_ratio(BURSTY_LOADS[0]))}. With 50 and 100 text "
                "clients fair queueing is slower by factors of "
                + listed(decimals(response_ratio(t, 80, "SFQ(1|1|0)")) for t in (50, 100))
                + ", and round robin by "
                + listed(decimals(response_ratio(t, 80, "RR")) for t in (50, 100))
                + ".",
            ),
        ),
        (
            "The region has text in steps of 20 clients, and video in steps of 10. In the paper "
            "both have steps of 10, which makes 231 points.",
            "What *may* happen is judged at the comparison that shows it best. Its interval does "
            "not allow for this choice among several comparisons.",
            "The rule for seeds (above) is the same for all claims. It allows for its four looks, "
            "but not for the number of comparisons.",
        ),
    )


def report(results: Results, quick: bool) -> Report:
    views = _views(quick, results)
    others = {view.interpretation: view for view in views[2:]}
    grid = _grid(quick, results)
    judged = tuple(
        judge(
            one,
            views[0],
            others,
            FACTORS,
            grid if one.name in TOGETHER else None,
            dict.fromkeys(others, views[1]),
        )
        for one in claims()
    )
    interpretations = [
        (interpretation.name, interpretation.text) for interpretation in INTERPRETATIONS
    ]
    interpretations += [
        ("steady text", "figure 3 (b): the text comes from 200 clients and not in bursts"),
        (
            "overload by text",
            "figure 3 (b): the text comes from 402 clients, beside 58 video clients",
        ),
    ]
    interpretations.append(
        (
            "gains of the thresholds",
            "section 3.1.2: both gains are parts of the thresholds of the classes, 100 ms and 1 %",
        )
    )
    interpretations += [
        (
            f"{w} video clients",
            f"section 3.3.1: {w} video clients run beside the bursts; by default 50",
        )
        for w in FACTOR_VIDEO
    ]
    interpretations += [(name, text) for name, (text, _) in VARYING.items()]
    interpretations.append(
        (
            "mean of shares",
            "figure 17 (b): the mean of the improvements at each load; by default the improvement "
            "of the mean",
        )
    )
    tables = (
        Table(
            "What the paper leaves open about heavy video loads",
            FACTOR_HEADER,
            factor_rows(FACTORS),
        ),
        _turning(judged),
        *_tables(views),
        Table(
            "The sentences behind the claims",
            ("claim", "section", "sentence"),
            (*SENTENCES, *NOT_JUDGED),
        ),
    )
    return Report(
        judged,
        _charts(views[0]),
        tables,
        tuple(interpretations),
        runs=(Table("Every run", RUN_HEADER, _rows(results), "runs.csv"),),
    )


INTRODUCTION = """
P. Shenoy, P. Goyal, H. M. Vin: *Architectural Considerations for Next Generation File Systems*.

**Servers.** There are sixteen Seagate Elite3 disks (table 1). Text has units of 8 KB and a \
buffer cache of 64 MB, and video has units of 64 KB
(`server.toml`; [the server](../../reference/mixed_server.md)). The partitioned server has eight \
disks under LOOK for text, and eight under
SCAN-EDF for video. The integrated server has all sixteen under CELLO(1|1|0). Round robin (figure \
2) serves one request of each class in turn.
SATF is `SPTF(unguarded)`, the shortest access time first without regard to deadlines.

**Units of load.** Loads are stated in the paper's clients, of which its partitioned server \
supports T = 200 of text and V = 102 of video. A run
has the same part of what *our* partitioned server supports under the same interpretation (table \
*Our T and V*), in whole clients. Our T and V
are from the runs with all forty seeds. T and V are means over the seeds, rounded down to whole \
clients. So the mean of the violations at V may
be just above 1 %. Capacities are compared with our T and V. The size of the text set is \
calibrated so that our T is 200. Nothing else is
calibrated.

**Violations.** A violation is a video unit that is late, and V is the number of clients with 1 % \
of them. This meaning gives the paper's V (the
same table). A unit that is due but has not come when the run ends is late, too. The 14,000 \
requests that the paper counts in a run of its trace
(section 3.3.1) do not decide the meaning. Our run has more units than that, and fewer \
client-rounds. The share of client-rounds with a late unit
is an interpretation.

**Seeds.** Runs count 100 s. The points that determine T and V have forty seeds, and every other \
point starts with five. A verdict may be
undecided by the 99 % intervals of its comparisons, under any interpretation. The number of seeds \
of its open comparisons is then doubled, up to
forty, or up to 160 where a run counts less than a minute. After that the 95 % intervals of all \
runs decide. This rule was fixed before the runs.
Four looks make a wrong decision likelier than one interval's 5 %. They add less than 3 %, \
because the looks before the last ask for 99 %.

**The region.** A claim about the whole region is judged at each of its points. A share of the \
points counts those at which the mean meets the
criterion. The lower end of its interval counts only the points at which the comparison holds. \
The upper end also counts the undecided ones. A
mean over the region is taken run by run.

- *Comparable* means within a quarter.
- *Slightly more* means more, but by less than the threshold of 1 %.
- *Marginal* means less than half a percentage point, so that it is 0 when rounded to whole \
points. That the difference stays below 1 % would
  follow from V, since the partitioned server has 1 % there.
- What *may* happen is judged at its worst: at one of the bursty loads at least, with bursts made \
in either way.
- The gain of text is the part of the response that is saved. The gain of video is the part of \
the units that come in time instead of late. As
  the paper says, there is little of it.

**Video.** The four video files have the mean rates of table 2 and are 300 s long (Frasier's has \
199 s there). Their frames are those of the
encoded clips, scaled. Each clip lasts 5 to 10 s and is played again and again.

**Bursty trace.** The trace is a multiplicative cascade of 2,048 intervals. It has the load past \
the cache and the ratio of peak to mean of table
3. Its requests have the synthetic size. A higher load is the same trace with scaled time stamps, \
as in the paper: the same bursts in less time.
A run is the whole trace, which lasts 57 s at 3,000 KB/s. A KB has 1,024 bytes, as table 3's \
requests and their rate imply.

**Elevators.** SCAN is interpreted as LOOK, which turns at the last request. An interpretation \
that changes SCAN also changes Cello's order for
text. SCAN-EDF's ties go in both directions, too, in the order of LOOK. The paper's SCAN serves \
*in the increasing order of cylinder numbers*. No
interpretation changes these ties. Fair queueing, round robin and TPS:SCAN/SCAN always keep their \
own orders.

**Which interpretations affect a claim** follows from the runs. A claim is judged again if it \
uses runs with another setting, other values of the
runs, or loads that depend on another T or V. Interpretations run at fewer points of the region, \
of the capacities and of an overload than the
default. A verdict depends on one if the default has the opposite verdict at the same points.

**Varying loads** (figures 16 and 17). The paper gives mean, peak and the share of the time above \
T for three distributions p(t). Here each one
is the exponential distribution with these three values, without further assumption. p(v) is the \
same law between none and V. Responses between
the points that have run are interpolated. Beyond T the runs have 250, 300 and 400 text clients, \
and under other interpretations 250 and 400.
Interpolation matters most in the first distribution, because all of it beyond T lies below 250. \
Above T the queues of the partitioned server
grow as long as an overload lasts. The paper does not give this time. Here it is 300 s.

**Violations at heavy video loads.** Four questions affect them and are judged together:

- how long Cello's budgets last;
- whether Cello's slack knows the rotation, or estimates it as half a turn;
- where text and video lie on a disk;
- whether the clients' rounds begin together.

Five claims rest on these violations. They are judged under all 36 combinations of the answers \
(tables below). Every other claim is judged under
one of these answers at a time.
"""

STUDY = Study(
    "integrated-servers",
    "Partitioned and integrated servers",
    INTRODUCTION,
    plan,
    report,
    follow,
    most,
    differences=differences,
)
