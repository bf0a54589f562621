# SPDX-License-Identifier: Apache-2.0
"""Which gains of schedulers survive on a drive whose head does not always hit its sector, and which
were an artefact of the perfect drive."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, partial
from pathlib import Path
from typing import Any

from scipy.stats import chi2

from platter_lab.executable import ROOT
from platter_lab.optimise.space import Space, read_space
from platter_lab.pareto import undominated
from platter_lab.reproduce import eager_writing, mixed_media
from platter_lab.reproduce.claims import Claim, Criterion, Part, Unit, above, below
from platter_lab.reproduce.figures import Chart, Series
from platter_lab.reproduce.interpretations import DEFAULT, Interpretation, Judged, judge
from platter_lab.reproduce.mixed_load import (
    CI_OPT,
    CLUST_REQ,
    POLICIES,
    SPTF,
    TPS_SCAN,
    Load,
    Metric,
    View,
    backlog,
    fairness,
    hiccups,
    number_or_nan,
    response_ms,
)
from platter_lab.reproduce.mixed_media import Views
from platter_lab.reproduce.study import PAPERS, RESULTS, Plan, Report, Study, Table
from platter_lab.runs.point import Point
from platter_lab.runs.results import Results
from platter_lab.statistics import Interval, Trend, growth, interval, trend

SEEDS = (1, 2, 3, 4, 5)
FEWER_SEEDS = SEEDS[:3]  # of eager writing's claims
FOLDER = RESULTS / "drive-that-misses"
CONFIGS = ROOT / "models" / "configs"
DRIVES = {"Cheetah 9LP": "cheetah9lp", "Atlas 10K": "atlas10k", "Ultrastar 18ES": "ibm18es"}
SWEPT = "Cheetah 9LP"
PERFECT, MISSES = "_calibrated", "_spread"  # of a profile's name

Settings = tuple[tuple[str, str], ...]

# A gain has survived if more than this share of it is left, and was an artefact of the perfect
# drive if less than the other share is left.
SURVIVES, ARTEFACT = 0.75, 0.25


class Fate(StrEnum):
    """What becomes of a gain on the drive that misses."""

    SURVIVES = "survives"
    SHRINKS = "shrinks"
    ARTEFACT = "artefact"
    APPEARS = "appears"
    NONE = "no gain"
    OPEN = "not decided"
    UNSTEADY = "not steady"


def fate(perfect: Sequence[float], misses: Sequence[float]) -> Fate:
    """Of the gains of runs with the same seeds, on the perfect drive and on the one that misses.

    Each bound is a difference of paired values, misses - share * perfect, whose 95 % interval has
    to lie wholly on one side of zero: a ratio of two gains has no interval where the second one is
    near zero.
    """

    def over(share: float) -> Interval:
        return interval([own - share * its for own, its in zip(misses, perfect, strict=True)])

    gain, left = interval(perfect), interval(misses)
    if math.isnan(gain.mean) or math.isnan(left.mean):
        return Fate.UNSTEADY
    if gain.low <= 0:
        return Fate.APPEARS if left.low > 0 and over(1.0).low > 0 else Fate.NONE
    if over(SURVIVES).low > 0:
        return Fate.SURVIVES
    if over(ARTEFACT).high < 0:
        return Fate.ARTEFACT
    if over(SURVIVES).high < 0 and over(ARTEFACT).low > 0:
        return Fate.SHRINKS
    return Fate.OPEN


def more(one: float, other: float) -> float:
    """By what share there is more of something good."""
    return one / other - 1 if other else math.nan


def less(one: float, other: float) -> float:
    """What share of something bad is saved."""
    return 1 - one / other if other else math.nan


def most_likely(count: int, trials: int) -> float:
    """The upper bound of the 95 % confidence interval of a probability (Clopper and Pearson's,
    one-sided, for rare events) from a count."""
    return float(chi2.ppf(0.95, 2 * (count + 1))) / 2 / trials if trials else math.nan


# --- loads and what runs on them


def per_s(result: dict[str, Any]) -> float:
    return float(result["throughput"]["requests_per_s"])


def p99_ms(result: dict[str, Any]) -> float:
    return number_or_nan(result["classes"]["discrete"]["response_ms"]["p99"])


def late_share(result: dict[str, Any]) -> float:
    """Of the discrete requests, which have a deadline."""
    discrete = result["classes"]["discrete"]
    return discrete["late"] / discrete["completed"] if discrete["completed"] else math.nan


@dataclass(frozen=True)
class Kind:
    """A family of loads: a scenario, and what all its runs have. `loads` are those of a drive."""

    name: str
    scenario: Path
    loads: Callable[[str], Sequence[str]]
    settings: Callable[[str, str], Settings]  # of a drive and a load
    warmup_s: float
    measure_s: float
    quick_s: float
    open: bool = False  # a backlog may grow

    def point(self, drive: str, profile: str, load: str, variant: Settings, quick: bool) -> Point:
        return Point(
            self.scenario,
            (*on_drive(profile), *self.settings(drive, load), *variant),
            self.warmup_s,
            self.quick_s if quick else self.measure_s,
        )


def on_drive(profile: str) -> Settings:
    """The drive with its own interface instead of the slow bus of the rig."""
    return (
        ("drive", profile),
        ("drive.bus.read_block_us", "6.4"),
        ("drive.bus.write_block_us", "6.4"),
        ("drive.bus.overlap", "true"),
    )


# Streams and discrete requests per second: a light load, and one near what the slowest policy can
# do on the drive that misses.
RATES = {"cheetah9lp": ("20", "40"), "atlas10k": ("25", "55"), "ibm18es": ("15", "30")}
DEPTHS = ("8", "32", "128")
DEADLINE_MS = "240"

CLOSED = Kind(
    "random",
    FOLDER / "random.toml",
    lambda drive: DEPTHS,
    lambda drive, load: (
        ("workload.discrete.outstanding", load),
        ("drive.queue.depth", load),
        ("accelerator.entries", str(max(32, int(load)))),
    ),
    10.0,
    120.0,
    20.0,
)
MIXED = Kind(
    "mixed",
    CONFIGS / "scenarios" / "mixed_media.toml",
    lambda drive: RATES[drive],
    lambda drive, load: (
        ("workload.discrete.rate_per_s", load),
        ("drive.queue.depth", "256"),
        ("accelerator.entries", "256"),
    ),
    20.0,
    600.0,
    100.0,
    open=True,
)
EAGER = Kind(
    "eager",
    CONFIGS / "scenarios" / "eager_writing.toml",
    lambda drive: ("8", "64"),
    lambda drive, load: (
        ("workload.discrete.outstanding", load),
        ("drive.cache.segments", "0"),
        ("drive.cache.read_ahead", "none"),
        ("drive.cache.write_back", "off"),
        ("drive.mechanics.zero_latency_write", "false"),
    ),
    5.0,
    30.0,
    5.0,
)


def firmware(policy: str) -> Settings:
    return (("engine", "firmware"), ("policy", policy))


def accelerator(policy: str, *features: str, ahead: int = 0) -> Settings:
    listed = ",".join(f'"{feature}"' for feature in features)
    return (
        ("engine", "model"),
        ("policy", policy),
        ("accelerator.features", f"[{listed}]"),
        ("accelerator.ahead_accesses", str(ahead)),
    )


SLACK, PLAIN_SLACK = "OPS:SLACK(3.4|0.46)", "OPS:SLACK(0|0)"
MARGIN, RISK, AGED = "SPTF(margin)", "SATF-risk", "ASPTF(0.02)"
AGEING = ("ageing", "zero_latency")
AHEAD = ("ageing", "look_ahead", "zero_latency")
NO_AHEAD_OF_SPTF = accelerator(PLAIN_SLACK, *AGEING)
AHEAD_OF_SPTF = accelerator(PLAIN_SLACK, *AHEAD, ahead=4)
DUE = (("workload.discrete.deadline_ms", DEADLINE_MS),)
IN_PLACE = (("eager.enabled", "false"), *firmware("SPTF(unguarded)"))
SHALLOW = (("drive.queue.depth", "32"), ("accelerator.entries", "32"))


def orders(requests: int) -> Settings:
    return (
        *accelerator(f"OPS:SCAN/CLUST-REQ({requests})", *AGEING),
        ("accelerator.order_m", "10"),
    )


@dataclass(frozen=True)
class Gain:
    """What one variant gains over another one, under some of the loads of a kind."""

    name: str
    text: str
    kind: Kind
    one: Settings
    other: Settings
    metric: Metric
    by: Callable[[float, float], float]
    measured: str
    heaviest: int = 0  # only so many of the heaviest loads; 0: all

    def loads(self, drive: str) -> Sequence[str]:
        return self.kind.loads(drive)[-self.heaviest :]


GAINS = (
    *(
        Gain(name, text, CLOSED, one, other, per_s, more, "throughput", heaviest)
        for name, text, one, other, heaviest in (
            ("look-fcfs", "LOOK over FCFS", firmware("LOOK"), firmware("FCFS"), 0),
            ("sptf-look", "SPTF over LOOK", firmware(SPTF), firmware("LOOK"), 0),
            ("risk-look", "SATF-risk over LOOK", firmware(RISK), firmware("LOOK"), 0),
            ("aged-look", "ASPTF(0.02) over LOOK", firmware(AGED), firmware("LOOK"), 0),
            ("margin-sptf", "SPTF(margin) over SPTF", firmware(MARGIN), firmware(SPTF), 0),
            ("risk-sptf", "SATF-risk over SPTF", firmware(RISK), firmware(SPTF), 0),
            (
                "risk-accelerator",
                "SATF-risk over SPTF, both on the accelerator",
                accelerator(RISK),
                accelerator(SPTF),
                0,
            ),
            (
                "ahead-sptf",
                "four accesses of look-ahead over none, accelerator",
                AHEAD_OF_SPTF,
                NO_AHEAD_OF_SPTF,
                0,
            ),
            ("orders-6", "exact orders of 6 over an elevator", orders(6), orders(1), 2),
            ("orders-10", "exact orders of 10 over those of 6", orders(10), orders(6), 2),
        )
    ),
    Gain(
        "aged-p99",
        "ASPTF(0.02) over SPTF",
        CLOSED,
        firmware(AGED),
        firmware(SPTF),
        p99_ms,
        less,
        "99th percentile saved",
        2,
    ),
    *(
        Gain(name, text, MIXED, one, other, metric, by, measured, heaviest)
        for name, text, one, other, metric, by, measured, heaviest in (
            (
                "intervals-phases",
                "CI-OPT(6) over two phases (TPS:SCAN/SCAN)",
                firmware(CI_OPT),
                firmware(TPS_SCAN),
                response_ms,
                less,
                "mean response saved",
                0,
            ),
            (
                "clusters-intervals",
                "CLUST-REQ(6) over CI-OPT(6)",
                firmware(CLUST_REQ),
                firmware(CI_OPT),
                response_ms,
                less,
                "mean response saved",
                0,
            ),
            (
                "sptf-clusters",
                "SPTF over CLUST-REQ(6)",
                firmware(SPTF),
                firmware(CLUST_REQ),
                response_ms,
                less,
                "mean response saved",
                0,
            ),
            (
                "clusters-fair",
                "CLUST-REQ(6) over SPTF",
                firmware(CLUST_REQ),
                firmware(SPTF),
                fairness,
                more,
                "fairness index",
                0,
            ),
            (
                "slack-sptf",
                f"{SLACK} over SPTF",
                firmware(SLACK),
                firmware(SPTF),
                response_ms,
                less,
                "mean response saved",
                0,
            ),
            (
                "slack-fair",
                f"{SLACK} over SPTF",
                firmware(SLACK),
                firmware(SPTF),
                fairness,
                more,
                "fairness index",
                0,
            ),
            (
                "risk-mixed",
                "SATF-risk over SPTF",
                firmware(RISK),
                firmware(SPTF),
                response_ms,
                less,
                "mean response saved",
                0,
            ),
            (
                "part-ageing",
                f"part ageing: {SLACK} over SPTF, accelerator",
                accelerator(SLACK, *AGEING),
                accelerator(SPTF, "zero_latency"),
                response_ms,
                less,
                "mean response saved",
                0,
            ),
            (
                "part-look-ahead",
                f"part look-ahead: {SLACK} with four accesses over none, accelerator",
                accelerator(SLACK, *AHEAD, ahead=4),
                accelerator(SLACK, *AGEING),
                response_ms,
                less,
                "mean response saved",
                0,
            ),
            (
                "part-limits",
                f"part limits: SPTF, discrete requests due in {DEADLINE_MS} ms, accelerator",
                (*accelerator(SPTF, "limits", "zero_latency"), *DUE),
                (*accelerator(SPTF, "zero_latency"), *DUE),
                late_share,
                less,
                "late requests saved",
                0,
            ),
            (
                "entries",
                "256 entries over 32: SPTF, accelerator",
                accelerator(SPTF, "zero_latency"),
                (*accelerator(SPTF, "zero_latency"), *SHALLOW),
                response_ms,
                less,
                "mean response saved",
                1,
            ),
        )
    ),
    *(
        Gain(name, text, EAGER, one, other, per_s, more, "throughput")
        for name, text, one, other in (
            ("eager", "SATF-EW over SATF in place", firmware("SATF-EW"), IN_PLACE),
            (
                "hybrid",
                "FreeBW-Hybrid over SATF-EW",
                firmware("FreeBW-Hybrid"),
                firmware("SATF-EW"),
            ),
            ("credit", "Credit-EW over SATF-EW", firmware("Credit-EW"), firmware("SATF-EW")),
        )
    ),
)
KINDS = {
    CLOSED.name: "Random reads of 4 KB",
    MIXED.name: "Mixed media",
    EAGER.name: "Eager writing",
}
LOAD_OF = {
    CLOSED.name: "depth {}",
    MIXED.name: "{} requests/s",
    EAGER.name: "queue of {}",
}

# --- how much spread

SPREADS_US = (0, 100, 200, 300)
SWEEP_DEPTHS = ("32", "128")
SWEPT_VARIANTS = {
    SPTF: firmware(SPTF),
    MARGIN: firmware(MARGIN),
    RISK: firmware(RISK),
}
BASELINE = firmware("LOOK")


def spread(us: int) -> Settings:
    """The given deviation for seeks, and a third of it on one cylinder."""
    return (("drive.mechanics.arrival_spread_us", f"[[0, {us / 3:.1f}], [1, {us}]]"),)


def _swept(us: int, depth: str, variant: Settings, quick: bool) -> Point:
    drive = DRIVES[SWEPT]
    return CLOSED.point(drive, drive + PERFECT, depth, (*spread(us), *variant), quick)


# --- the guard

GUARDED = (SPTF, RISK, SLACK)
GUARD_RATE = "150"  # more than any of the drives can do, so that all the slack is used
QUANTILE = 0.999999


def _guard_point(drive: str, policy: str, quick: bool) -> Point:
    return Point(
        MIXED.scenario,
        (
            *on_drive(drive + MISSES),
            ("workload.discrete.rate_per_s", GUARD_RATE),
            ("drive.queue.depth", "32"),
            *firmware(policy),
        ),
        20.0,
        100.0 if quick else 3000.0,
    )


# --- claims of the papers' studies

PAPERS_SPREADS = tuple(
    Interpretation(
        f"{us / 1000:g} ms", f"arrivals with a deviation of {us / 1000:g} ms", spread(us)
    )
    for us in SPREADS_US[1:]
)
# Of `mixed_media`: what is neither about the projected disk, nor counted without discrete requests,
# nor asked at a grid of its own.
LEFT_OUT = ("c-share", "several-hundred-percent")
FAST = "OPS:SLACK(4|0.2)"
CELLO = "CELLO(1|4|0)"
BEYOND = (SLACK, FAST)
LIGHT, MIDDLE, HEAVY = 15, 55, 65
ROUNDS, QUICK_ROUNDS = 800, 100
QUEUES, READS = (8, 64), (10, 50, 90, 100)
# The same load on measured drives with the deviations that were fitted.
FITTED = {
    "Atlas 10K": ("atlas10k", "[[0, 90.2], [1, 218.0]]", (35, 55)),
    "Cheetah 9LP": ("cheetah9lp", "[[0, 49.9], [1, 116.7]]", (15, 35)),
}


def _fitted(points: str) -> Interpretation:
    return Interpretation(
        "fitted spread",
        "on the measured drives: arrivals with the deviations that were fitted to the drive",
        (("drive.mechanics.arrival_spread_us", points),),
    )


def _table1(quick: bool) -> Load:
    return Load(
        mixed_media.FOLDER / "scenario.toml",
        (35, HEAVY) if quick else (LIGHT, 35, MIDDLE, HEAVY),
        QUICK_ROUNDS if quick else ROUNDS,
    )


def _light(quick: bool) -> Load:
    return replace(_table1(quick), rates=(LIGHT,))


def _measured(quick: bool, name: str) -> Load:
    file, _, rates = FITTED[name]
    return Load(
        PAPERS / "on-real-drives" / f"{file}.toml",
        rates[-1:] if quick else rates,
        QUICK_ROUNDS if quick else ROUNDS,
    )


def _eager_point(policy: str, queue: int, reads: int, with_spread: Settings, quick: bool) -> Point:
    return Point(
        eager_writing.SCENARIO,
        (
            ("policy", eager_writing.IN_PLACE.get(policy, policy)),
            *((("eager.enabled", "false"),) if policy in eager_writing.IN_PLACE else ()),
            ("workload.discrete.outstanding", str(queue)),
            ("workload.discrete.read_fraction", f"{reads / 100:g}"),
            *with_spread,
        ),
        2.0 if quick else 5.0,
        5.0 if quick else 25.0,
    )


def _eager_grid(quick: bool) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return ((64,), (50, 100)) if quick else (QUEUES, READS)


def _eager_loads(quick: bool) -> list[tuple[int, int]]:
    queues, ratios = _eager_grid(quick)
    return list(
        dict.fromkeys(
            [(queue, eager_writing.HALF) for queue in queues]
            + [(eager_writing.QUEUE, reads) for reads in ratios]
        )
    )


def _papers_spreads(quick: bool) -> tuple[Interpretation, ...]:
    return PAPERS_SPREADS[-1:] if quick else PAPERS_SPREADS


# --- the front of controllers

SEARCH = CONFIGS / "searches" / "controller.toml"
FRONT = ROOT / "docs" / "reference" / "data" / "controller_front.csv"
FRONT_DRIVE = "atlas10k"
CLOCK_MHZ = "100"  # of the accelerator; the search has the clock that each size reaches


@cache
def _space() -> Space:
    return read_space(SEARCH)


@dataclass(frozen=True)
class Controller:
    """A row of the stored front."""

    trial: str
    values: Mapping[str, Any]
    luts: float
    settings: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        settings = dict(self.settings)
        engine = "firmware" if settings["engine"] == "firmware" else "accelerator"
        return f"{engine}, {settings['policy']}"


@cache
def controllers() -> tuple[Controller, ...]:
    """Of the stored front, those with the shortest 99th percentile first."""
    space = _space()
    with FRONT.open(encoding="utf-8", newline="") as file:
        rows = sorted(csv.DictReader(file), key=lambda row: float(row["p99"]))
    found = []
    for row in rows:
        values = {
            parameter.name: _typed(row[parameter.name])
            for parameter in space.parameters
            if row[parameter.name]
        }
        settings = space.settings(values, lambda name, keys: CLOCK_MHZ)
        found.append(Controller(row["trial"], values, float(row["LUTs"]), tuple(settings.items())))
    return tuple(found)


def _typed(cell: str) -> Any:
    for kind in (int, float):
        try:
            return kind(cell)
        except ValueError:
            continue
    return cell


def _front_point(controller: Controller, profile: str, quick: bool) -> Point:
    settings = dict(controller.settings)
    warmup, measure = 5.0, float(settings.pop("sim.measure_s"))
    drive = on_drive(profile)
    return Point(_space().scenario, (*drive, *settings.items()), warmup, 20.0 if quick else measure)


def on_front(
    points: Sequence[tuple[float, float, float, float]], kept: Sequence[bool]
) -> list[bool]:
    """Which of the controllers that keep the constraints no other one of these dominates: 99th
    percentile, fairness, streams and LUTs, in the resolutions of the search."""
    objectives = _space().objectives
    coarse = [
        tuple(one.coarse(value) for one, value in zip(objectives, point, strict=True))
        for point, good in zip(points, kept, strict=True)
        if good
    ]
    best = iter(undominated(coarse, [one.maximise for one in objectives]))
    return [good and next(best) for good in kept]


# --- plan


def _gain_points(quick: bool) -> list[Point]:
    return [
        gain.kind.point(drive, drive + suffix, load, variant, quick)
        for gain in GAINS
        for drive in DRIVES.values()
        for load in gain.loads(drive)
        for suffix in (PERFECT, MISSES)
        for variant in (gain.one, gain.other)
    ]


def plan(quick: bool) -> Plan:
    points = _gain_points(quick)
    points += [
        _swept(us, depth, variant, quick)
        for us in (SPREADS_US[::3] if quick else SPREADS_US)
        for depth in SWEEP_DEPTHS
        for variant in (BASELINE, *SWEPT_VARIANTS.values())
    ]
    points += [
        _guard_point(drive, policy, quick) for drive in DRIVES.values() for policy in GUARDED
    ]
    points += [
        _front_point(controller, FRONT_DRIVE + suffix, quick)
        for controller in controllers()
        for suffix in (PERFECT, MISSES)
    ]
    for interpretation in (DEFAULT, *_papers_spreads(quick)):
        points += _table1(quick).points((*POLICIES, *BEYOND), interpretation)
        points += _light(quick).points((SLACK, CELLO), interpretation)
    for name, (_, fitted, _) in FITTED.items():
        for interpretation in (DEFAULT, _fitted(fitted)):
            points += _measured(quick, name).points(POLICIES, interpretation)
    eager = [
        _eager_point(policy, queue, reads, interpretation.settings, quick)
        for interpretation in (DEFAULT, *_papers_spreads(quick))
        for policy in eager_writing.POLICIES
        for queue, reads in _eager_loads(quick)
    ]
    return Plan(
        tuple(dict.fromkeys(points)),
        SEEDS,
        further=tuple((point, FEWER_SEEDS) for point in dict.fromkeys(eager)),
    )


# --- what was found


@dataclass(frozen=True)
class Found:
    """A gain under one load: of each seed, on both drives."""

    gain: Gain
    drive: str
    load: str
    perfect: list[float]
    misses: list[float]

    @property
    def fate(self) -> Fate:
        return fate(self.perfect, self.misses)

    @property
    def difference(self) -> Interval:
        return interval([own - its for own, its in zip(self.misses, self.perfect, strict=True)])

    @property
    def load_text(self) -> str:
        return LOAD_OF[self.gain.kind.name].format(self.load)


def found(results: Results, gain: Gain, name: str, load: str, quick: bool) -> Found:
    drive = DRIVES[name]

    def samples(suffix: str) -> list[float]:
        runs = [
            results[gain.kind.point(drive, drive + suffix, load, variant, quick)]
            for variant in (gain.one, gain.other)
        ]
        if gain.kind.open and any(
            trend(growth([backlog(result) for result in some])) is not Trend.STEADY for some in runs
        ):
            return [math.nan] * len(runs[0])
        return [
            gain.by(gain.metric(one), gain.metric(other)) for one, other in zip(*runs, strict=True)
        ]

    return Found(gain, name, load, samples(PERFECT), samples(MISSES))


def percent(value: Interval, sign: bool = False) -> str:
    if math.isnan(value.mean):
        return "–"
    half = (value.high - value.low) / 2
    return f"{100 * value.mean:{'+' if sign else ''}.1f} ± {100 * half:.1f} %"


def gain_rows(all_found: Sequence[Found]) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (
            one.gain.text,
            one.gain.measured,
            one.drive,
            one.load_text,
            percent(interval(one.perfect)),
            percent(interval(one.misses)),
            percent(one.difference, sign=True),
            str(one.fate),
        )
        for one in all_found
    )


GAIN_HEADER = (
    "gain",
    "measured",
    "drive",
    "load",
    "on the perfect drive",
    "on the drive that misses",
    "difference",
    "verdict",
)


def summary(all_found: Sequence[Found]) -> Table:
    """A row a gain: from where to where it goes, and its verdicts, by drive and load."""
    rows = []
    for gain in GAINS:
        cells = []
        for name in DRIVES:
            fates = {
                one.load: one.fate for one in all_found if (one.gain, one.drive) == (gain, name)
            }
            cells.append(
                str(next(iter(fates.values())))
                if len(set(fates.values())) == 1
                else ", ".join(f"{load}: {its}" for load, its in fates.items())
            )
        own = [one for one in all_found if one.gain is gain and one.fate is not Fate.UNSTEADY]
        ranges = (
            percent_range([interval(one.perfect).mean for one in own]),
            percent_range([interval(one.misses).mean for one in own]),
        )
        rows.append((gain.text, KINDS[gain.kind.name], gain.measured, *ranges, *cells))
    header = ("gain", "load", "measured", "perfect drives", "drives that miss", *DRIVES)
    return Table("Which gains survive", header, tuple(rows))


def gain_claims(all_found: Sequence[Found]) -> list[Claim]:
    """Whether each gain is still one on the drive that misses, wherever there is one."""
    claims = []
    for gain in GAINS:
        own = [one for one in all_found if one.gain is gain]
        there = [one for one in own if one.fate not in (Fate.NONE, Fate.UNSTEADY)]
        before = [interval(one.perfect).mean for one in there]
        claims.append(
            Claim(
                gain.name,
                f"{KINDS[gain.kind.name]}: {gain.text} is a gain on the drives that miss",
                f"perfect drives: {percent_range(before)}",
                Unit.PERCENT,
                f"{gain.measured}, at each point with a gain on one of the two drives",
                tuple(
                    Part(f"{one.drive}, {one.load_text}", interval(one.misses), above(0))
                    for one in there
                ),
            )
        )
    return claims


def percent_range(values: Sequence[float]) -> str:
    if not values:
        return "none"
    return f"{100 * min(values):.1f} to {100 * max(values):.1f} %"


def beyond_claims() -> list[Judged[Views]]:
    """The claims of `beyond_clusters` on response and fairness, against single opponents."""

    def claim(
        name: str,
        text: str,
        quantity: str,
        policies: Sequence[str],
        parts: Callable[[View], list[Part]],
        load: str = "beyond",
    ) -> Judged[Views]:
        return Judged(
            f"beyond-{name}",
            f"Table 1's disk: {text}",
            "ours",
            Unit.RATIO,
            quantity,
            frozenset(policies),
            lambda views: parts(views[load]),
        )

    def at(view: View, *rates: int) -> list[int]:
        return [rate for rate in rates if rate in view.rates]

    mean = "mean response, ratio"
    under: Criterion = below(1)
    return [
        claim(
            "light",
            f"at λ = {LIGHT} the mean of {SLACK} is below that of {CELLO}",
            mean,
            (SLACK, CELLO),
            lambda v: v.response(SLACK, CELLO, under),
            "light",
        ),
        claim(
            "light-index",
            f"at λ = {LIGHT} its fairness index is above 0.7",
            "fairness index",
            (SLACK,),
            lambda v: [
                Part(f"{SLACK}, λ = {rate}", interval(v.samples(SLACK, rate, fairness)), above(0.7))
                for rate in at(v, LIGHT)
            ],
        ),
        claim(
            "middle",
            f"at λ = 35 and {MIDDLE} its mean is below that of SPTF",
            mean,
            (SLACK, SPTF),
            lambda v: v.response(SLACK, SPTF, under, at(v, 35, MIDDLE)),
        ),
        claim(
            "heavy",
            f"at λ = {HEAVY} the mean of {FAST} is below that of SPTF",
            mean,
            (FAST, SPTF),
            lambda v: v.response(FAST, SPTF, under, at(v, HEAVY)),
        ),
        claim(
            "fair",
            f"{SLACK} is fairer than SPTF",
            "fairness index, ratio",
            (SLACK, SPTF),
            lambda v: v.fairness(SLACK, SPTF, above(1)),
        ),
    ]


def paper_claims(results: Results, quick: bool) -> list[Claim]:
    spreads = _papers_spreads(quick)

    general = [
        replace(one, alternatives=())
        for one in mixed_media.paper_claims()
        if one.name not in LEFT_OUT and not one.name.startswith("projected-")
    ]

    def papers(load: Load, interpretation: Interpretation) -> Views:
        view = View(results, load, POLICIES, interpretation)
        return Views({"table1": view, "table1 heavy": view})

    def beyond(interpretation: Interpretation) -> Views:
        load, light = _table1(quick), _light(quick)
        return Views(
            {
                "beyond": View(results, load, (*POLICIES, *BEYOND), interpretation),
                "light": View(results, light, (SLACK, CELLO), interpretation),
            }
        )

    def judged(
        one: Judged[Views],
        views: Callable[[Interpretation], Views],
        others: Sequence[Interpretation],
        name: str,
    ) -> Claim:
        """With a spread as without, at the points that are steady in both."""
        default, spread_views = views(DEFAULT), {its: views(its) for its in others}
        bases = {its: mixed_media.beside(default, view) for its, view in spread_views.items()}
        return judge(one, default, spread_views, bases=bases).named(name, one.text)

    named = [
        judged(one, partial(papers, _table1(quick)), spreads, f"mixed-media: {one.name}")
        for one in general
    ]
    named += [judged(one, beyond, spreads, one.name) for one in beyond_claims()]
    for name, (file, fitted, _) in FITTED.items():
        load = _measured(quick, name)
        named += [
            judged(
                replace(one, text=f"{name}: {one.text}"),
                partial(papers, load),
                (_fitted(fitted),),
                f"{file}: {one.name}",
            )
            for one in general
        ]

    def eager(interpretation: Interpretation) -> eager_writing.View:
        def point(policy: str, queue: int, reads: int) -> Point:
            return _eager_point(policy, queue, reads, interpretation.settings, quick)

        return eager_writing.View(results, *_eager_grid(quick), point, len(FEWER_SEEDS))

    named += [
        judge(
            replace(one, alternatives=()), eager(DEFAULT), {its: eager(its) for its in spreads}
        ).named(f"eager-writing: {one.name}", one.text)
        for one in eager_writing.paper_claims()
    ]
    return named


def guard_table(results: Results, quick: bool) -> Table:
    rows = []
    totals = [0, 0, 0]
    for name, drive in DRIVES.items():
        for policy in GUARDED:
            runs = results[_guard_point(drive, policy, quick)]
            commands = sum(run["classes"]["continuous"]["completed"] for run in runs)
            late = int(sum(hiccups(run) for run in runs))
            missed = sum(_continuous_misses(run) for run in runs)
            totals = [a + b for a, b in zip(totals, (commands, missed, late), strict=True)]
            rows.append((name, policy, *guard_cells(commands, missed, late)))
    rows.append(("all", "all", *guard_cells(*totals)))
    return Table(
        "The guard",
        (
            "drive",
            "policy",
            "continuous requests",
            "of them missed their sector",
            "hiccups",
            "bound of the quantile (hiccups)",
            "hiccups per request, at most (95 %)",
        ),
        tuple(rows),
    )


def _continuous_misses(result: dict[str, Any]) -> int:
    of = result["arrivals"]["classes"]["continuous"]
    return sum(int(of[kind]["missed"]) for kind in ("reads", "writes"))


def guard_cells(commands: int, missed: int, late: int) -> tuple[str, ...]:
    return (
        f"{commands:,}",
        f"{100 * missed / commands:.2f} %" if commands else "–",
        str(late),
        f"{(1 - QUANTILE) * commands:.2g}",
        f"{most_likely(late, commands):.1e}",
    )


def front_table(results: Results, quick: bool) -> tuple[Table, tuple[tuple[str, ...], ...]]:
    """The stored front on both drives, and its runs."""
    cells: dict[str, list[str]] = {}
    runs_rows: list[tuple[str, ...]] = []
    space = _space()
    p99_limit = next(
        one.at_most or math.inf for one in space.constraints if one.quantity.name == "worst p99"
    )
    for suffix in (PERFECT, MISSES):
        points, kept, shown = [], [], []
        for controller in controllers():
            runs = results[_front_point(controller, FRONT_DRIVE + suffix, quick)]
            worst = max(p99_ms(run) for run in runs)
            late = max(hiccups(run) for run in runs)
            kept.append(late == 0 and worst <= p99_limit)
            p99 = interval([p99_ms(run) for run in runs])
            points.append(
                (
                    p99.mean,
                    interval([fairness(run) for run in runs]).mean,
                    float(controller.values["streams"]),
                    controller.luts,
                )
            )
            why = "hiccups" if late else f"over {p99_limit:.0f} ms" if worst > p99_limit else ""
            shown.append((p99, why))
            runs_rows += [
                _run_row(
                    "front",
                    FRONT_DRIVE,
                    suffix,
                    f"trial {controller.trial}",
                    f"{controller.values['streams']} streams",
                    run,
                )
                for run in runs
            ]
        for controller, (p99, why), best in zip(
            controllers(), shown, on_front(points, kept), strict=True
        ):
            cells.setdefault(controller.trial, []).extend(
                (
                    f"{p99.mean:.0f} ± {(p99.high - p99.low) / 2:.2g} ms",
                    why or ("yes" if best else "dominated"),
                )
            )
    rows = tuple(
        (
            controller.text,
            str(controller.values["streams"]),
            f"{controller.luts:,.0f}",
            *cells[controller.trial],
        )
        for controller in controllers()
    )
    header = (
        "controller",
        "streams",
        "LUTs",
        "p99, perfect",
        "on the front",
        "p99, misses",
        "on the front then",
    )
    return Table("The front of controllers", header, rows), tuple(runs_rows)


def charts(results: Results, all_found: Sequence[Found], quick: bool) -> tuple[Chart, ...]:
    depths = [int(depth) for depth in DEPTHS]
    by_depth = tuple(
        Series(
            f"{name}, {word}",
            depths,
            [
                interval([100 * value for value in (one.misses if missing else one.perfect)])
                for one in all_found
                if one.gain.name == "sptf-look" and one.drive == name
            ],
        )
        for name in DRIVES
        for word, missing in (("perfect", False), ("misses", True))
    )
    spreads = SPREADS_US[::3] if quick else SPREADS_US
    depth = SWEEP_DEPTHS[-1]
    by_spread = tuple(
        Series(
            name,
            [us / 1000 for us in spreads],
            [swept_gain(results, us, depth, variant, quick) for us in spreads],
        )
        for name, variant in SWEPT_VARIANTS.items()
    )
    return (
        Chart(
            "sptf_gain.svg",
            "Gain of SPTF over LOOK, random reads of 4 KB",
            "requests outstanding",
            "more requests per second (%)",
            by_depth,
            log_x=True,
        ),
        Chart(
            "spread_gain.svg",
            f"Gains over LOOK, {SWEPT}, {depth} outstanding",
            "deviation of the arrival (ms)",
            "more requests per second (%)",
            by_spread,
        ),
    )


def swept_gain(results: Results, us: int, depth: str, variant: Settings, quick: bool) -> Interval:
    """Over LOOK with the same spread, in percent."""
    return interval(
        [
            100 * more(per_s(one), per_s(other))
            for one, other in zip(
                results[_swept(us, depth, variant, quick)],
                results[_swept(us, depth, BASELINE, quick)],
                strict=True,
            )
        ]
    )


def swept_table(results: Results, quick: bool) -> Table:
    spreads = SPREADS_US[::3] if quick else SPREADS_US
    return Table(
        f"Gains over LOOK by the deviation of the arrival: {SWEPT}",
        ("deviation (ms)", "depth", *SWEPT_VARIANTS),
        tuple(
            (
                f"{us / 1000:g}",
                depth,
                *(
                    percent(
                        replace(
                            value,
                            mean=value.mean / 100,
                            low=value.low / 100,
                            high=value.high / 100,
                        )
                    )
                    for variant in SWEPT_VARIANTS.values()
                    for value in (swept_gain(results, us, depth, variant, quick),)
                ),
            )
            for depth in SWEEP_DEPTHS
            for us in spreads
        ),
    )


RUN_HEADER = (
    "load",
    "drive",
    "spread",
    "variant",
    "point",
    "seed",
    "requests_per_s",
    "mean_ms",
    "p99_ms",
    "fairness",
    "missed_share",
    "hiccups",
)


def _missed_share(result: dict[str, Any]) -> float:
    arrivals = result.get("arrivals")
    if not arrivals:
        return math.nan
    kinds = [of[kind] for of in arrivals["classes"].values() for kind in ("reads", "writes")]
    accesses = sum(kind["accesses"] for kind in kinds)
    return sum(kind["missed"] for kind in kinds) / accesses if accesses else math.nan


def _run_row(
    load: str, drive: str, suffix: str, variant: str, point: str, result: dict[str, Any]
) -> tuple[str, ...]:
    return (
        load,
        drive,
        {PERFECT: "none", MISSES: "fitted"}.get(suffix, suffix),
        variant,
        point,
        str(result["seed"]),
        *(
            "" if math.isnan(value) else f"{value:.6g}"
            for value in (
                per_s(result),
                response_ms(result),
                p99_ms(result),
                fairness(result),
                _missed_share(result),
                hiccups(result),
            )
        ),
    )


def _variant_text(variant: Settings) -> str:
    keys = dict(variant)
    words = [f"{keys['engine']} {keys['policy']}"]
    words += [
        f"{key.rpartition('.')[2]}={value}"
        for key, value in variant
        if key not in ("engine", "policy")
    ]
    return " ".join(words)


def _runs(results: Results, quick: bool) -> list[tuple[str, ...]]:
    """Every run of a gain, of a swept spread and of the guard."""
    rows: dict[tuple[str, ...], None] = {}
    for gain in GAINS:
        for drive in DRIVES.values():
            for load in gain.loads(drive):
                for suffix in (PERFECT, MISSES):
                    for variant in (gain.one, gain.other):
                        point = gain.kind.point(drive, drive + suffix, load, variant, quick)
                        for result in results[point]:
                            rows[
                                _run_row(
                                    gain.kind.name,
                                    drive,
                                    suffix,
                                    _variant_text(variant),
                                    load,
                                    result,
                                )
                            ] = None
    for us in SPREADS_US[::3] if quick else SPREADS_US:
        for depth in SWEEP_DEPTHS:
            for variant in (BASELINE, *SWEPT_VARIANTS.values()):
                for result in results[_swept(us, depth, variant, quick)]:
                    rows[
                        _run_row(
                            "random",
                            DRIVES[SWEPT],
                            f"{us} us",
                            _variant_text(variant),
                            depth,
                            result,
                        )
                    ] = None
    for drive in DRIVES.values():
        for policy in GUARDED:
            for result in results[_guard_point(drive, policy, quick)]:
                rows[_run_row("guard", drive, MISSES, f"firmware {policy}", GUARD_RATE, result)] = (
                    None
                )
    return list(rows)


def report(results: Results, quick: bool) -> Report:
    all_found = [
        found(results, gain, name, load, quick)
        for gain in GAINS
        for name, drive in DRIVES.items()
        for load in gain.loads(drive)
    ]
    front, front_runs = front_table(results, quick)
    tables = (
        *(
            Table(title, GAIN_HEADER, gain_rows([f for f in all_found if f.gain.kind.name == kind]))
            for kind, title in KINDS.items()
        ),
        swept_table(results, quick),
        guard_table(results, quick),
        front,
    )
    interpretations = {
        its.name: its.text
        for its in (*_papers_spreads(quick), *(_fitted(points) for _, points, _ in FITTED.values()))
    }
    return Report(
        (*gain_claims(all_found), *paper_claims(results, quick)),
        charts(results, all_found, quick),
        tables,
        tuple(interpretations.items()),
        runs=(Table("Every run", RUN_HEADER, (*_runs(results, quick), *front_runs), "runs.csv"),),
        first=(summary(all_found),),
    )


INTRODUCTION = f"""
A drive's head does not always arrive in time for its sector. Then it waits one turn more
([arrival spread](../../reference/positioning.md#arrival-spread)). This page says which gains of
schedulers survive on such a drive, and which were an artefact of the perfect drive. In short:

- **What survives** rests on the order of the arm, on deadlines or on fairness: LOOK over FCFS,
  one phase over two phases, SLACK over SPTF, the fairness of clusters, the optional parts ageing
  and limits, and eager writing over writing in place.
- **What shrinks** rests on the last fraction of a turn: SPTF over LOOK in deep queues,
  look-ahead, longer exact orders, clusters over intervals, and credits in eager writing.
- **Artefacts** are few: clusters over intervals at a light load on two drives, and aged SPTF over
  LOOK in the deepest queue of the Ultrastar 18ES.
- **What appears** takes the spread into account: SATF-risk wins back about half of what SPTF
  loses. So it keeps its gain over LOOK.
- **The guard** keeps all deadlines of the streams on every drive.
- **The papers' claims**: a spread reverses only those verdicts that *depend on* it in the table of
  claims. Under a spread some other claims become undecided, and some undecided ones are decided
  ([verdicts](#interpretations)). Where a spread has runs at fewer points, both verdicts are
  compared at these points.

The perfect drives are the calibrated profiles (`cheetah9lp_calibrated`), and the drives that miss
are the same with the spread that was fitted to the real drive (`cheetah9lp_spread`). Both have an
interface of 80 MB/s. The runs on both have the same seeds, so they have the same
requests.

A gain is the share by which the first variant has more throughput or fairness than the second.
Where less is better, it is the share of the second's response time, or of its late requests, that
the first one saves. The verdict compares the gains of both drives, seed by seed, by 95 % intervals
of paired differences (five seeds, Student's t):

| verdict | rule |
| --- | --- |
| survives | more than {100 * SURVIVES:.0f} % of the gain is left |
| shrinks | more than {100 * ARTEFACT:.0f} %, less than {100 * SURVIVES:.0f} % |
| artefact | less than {100 * ARTEFACT:.0f} %; the first variant may even lose |
| appears | no gain on the perfect drive, a gain on the drive that misses |
| no gain | no gain is shown on the perfect drive, and none appears |
| not decided | an interval contains a bound |
| not steady | a backlog is not shown to be steady, or nothing was counted |

The first table below has the smallest and the largest mean gain of all points, and the verdicts. A
cell such as *8: survives, 128: shrinks* has the verdict of each load. The loads are:

- **Random reads of 4 KB**: a closed loop over the whole drive with 8, 32 and 128 requests
  outstanding (`random.toml`).
- **Mixed media**: `mixed_media.toml` with 25 streams and 256 tags, at a light rate of discrete
  requests and at one near saturation.
- **Eager writing**: `eager_writing.toml`, half reads, queues of 8 and 64, without the buffer.

The Atlas 10K reads with zero latency. On this drive SPTF and SATF-risk underestimate the time of an
access that begins in the middle of its sectors
([why](../../reference/accelerator_features.md#results)). So the gain of SATF-risk is smaller in
firmware than on the accelerator without the part *zero latency*.

In the table of claims, those behind the gains judge the papers' studies again. The papers' own
disks have deviations of up to {SPREADS_US[-1] / 1000:g} ms (a third of it on one cylinder).
Two measured drives have the fitted deviations. These runs are shorter than those of the studies:
{ROUNDS} rounds, and for eager writing 25 s and three seeds. A claim is judged without its other
interpretations. Not run: the projected disk, the claims that need a load without discrete requests
or a finer grid of rates near saturation,
[EW-Array](../../papers/ew-array/README.md), [replicated
striping](../../papers/replicated-striping/README.md), [AutoQoS](../../papers/autoqos/README.md)
and [integrated servers](../../papers/integrated-servers/README.md).

The runs of the guard use the default `guard.quantile`. There are more discrete requests
({GUARD_RATE} a second) than a drive can serve, so they use all of the guard's slack. The front of
controllers is the [stored one](../../reference/optimise.md#which-controller-for-the-mixed-media),
run again on both drives with an accelerator clock of {CLOCK_MHZ} MHz.
"""

STUDY = Study(
    "drive-that-misses",
    "What survives on a drive that misses",
    INTRODUCTION,
    plan,
    report,
    home=RESULTS,
)
