# SPDX-License-Identifier: Apache-2.0
"""Which gains of schedulers survive on a drive whose head does not always hit its sector, and which
were an artefact of the perfect drive."""

from __future__ import annotations

import csv
import json
import math
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from scipy.stats import chi2

from platter_lab.executable import ROOT
from platter_lab.optimise.space import Space, read_space
from platter_lab.pareto import undominated
from platter_lab.reproduce import spread_claims
from platter_lab.reproduce.claims import Claim, Part, Unit, Verdict, above
from platter_lab.reproduce.figures import Chart, Series
from platter_lab.reproduce.mixed_load import (
    CI_OPT,
    CLUST_REQ,
    SPTF,
    TPS_SCAN,
    Metric,
    backlog,
    fairness,
    hiccups,
    number_or_nan,
    response_ms,
)
from platter_lab.reproduce.spread_claims import SEEDS, SLACK, SPREADS_US, Settings, spread
from platter_lab.reproduce.study import RESULTS, Plan, Report, Study, Table
from platter_lab.runs.point import Point
from platter_lab.runs.results import Results
from platter_lab.statistics import Interval, Trend, growth, interval, trend

FOLDER = RESULTS / "drive-that-misses"
CONFIGS = ROOT / "models" / "configs"
DRIVES = {"Cheetah 9LP": "cheetah9lp", "Atlas 10K": "atlas10k", "Ultrastar 18ES": "ibm18es"}
SWEPT = "Cheetah 9LP"
PERFECT, MISSES = "_calibrated", "_spread"  # of a profile's name

# A gain has survived if more than this share of it is left, and was an artefact of the perfect
# drive if less than the other share is left.
SURVIVES, ARTEFACT = 0.75, 0.25


class Fate(StrEnum):
    """What becomes of a gain on the drive that misses."""

    SURVIVES = "survives"
    SHRINKS = "shrinks"
    ARTEFACT = "artefact"
    APPEARS = "appears"
    LOSES = "loses"
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
        if left.high < 0:
            return Fate.LOSES
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
    return discrete["late"] / discrete["issued"] if discrete["issued"] else math.nan


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


PLAIN_SLACK = "OPS:SLACK(0|0)"
MARGIN, RISK, AGED = "SPTF(margin)", "SATF-risk", "ASPTF(0.02)"
AGEING = ("ageing", "zero_latency")
AHEAD = ("ageing", "look_ahead", "zero_latency")
NO_AHEAD_OF_SPTF = accelerator(PLAIN_SLACK, *AGEING)
AHEAD_OF_SPTF = accelerator(PLAIN_SLACK, *AHEAD, ahead=4)
DUE = (("workload.discrete.deadline_ms", DEADLINE_MS),)
IN_PLACE = (("eager.enabled", "false"), *firmware("SPTF(unguarded)"))
SHALLOW = (("drive.queue.depth", "32"), ("accelerator.entries", "32"))


def orders(requests: int) -> Settings:
    return (*accelerator(f"OPS:SCAN/CLUST-REQ({requests})", *AGEING), ("accelerator.order_m", "10"))


class Basis(StrEnum):
    """What a gain rests on, by how its two variants decide."""

    ORDER = "order of the arm"
    WAITING = "waiting times, deadlines"
    POSITION = "angle of the sectors"
    SPREAD = "spread in the cost"


# Whether the first variant alone looks at the angle under the head, at waiting times and deadlines,
# or at the spread, or whether the two differ in none of these but in the order of the arm.
RESTS_ON = {
    Basis.ORDER: ("look-fcfs", "intervals-phases"),
    Basis.WAITING: (
        "aged-p99",
        "clusters-fair",
        "slack-sptf",
        "slack-fair",
        "part-ageing",
        "part-limits",
    ),
    Basis.POSITION: (
        "sptf-look",
        "aged-look",
        "ahead-sptf",
        "orders-6",
        "orders-10",
        "zero-latency",
        "clusters-intervals",
        "sptf-clusters",
        "part-look-ahead",
        "part-zero-latency",
        "entries",
        "eager",
        "hybrid",
        "credit",
    ),
    Basis.SPREAD: ("risk-look", "margin-sptf", "risk-sptf", "risk-accelerator", "risk-mixed"),
}


def _reads_with_zero_latency(profile: str) -> bool:
    text = (CONFIGS / "drives" / f"{profile}.toml").read_text(encoding="utf-8")
    return bool(tomllib.loads(text)["mechanics"]["zero_latency_read"])


# The only ones on which the accelerator's part can make a difference.
ZERO_LATENCY_DRIVES = tuple(
    name for name, profile in DRIVES.items() if _reads_with_zero_latency(profile)
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
    drives: tuple[str, ...] = tuple(DRIVES)

    @property
    def rests_on(self) -> Basis:
        return next(basis for basis, names in RESTS_ON.items() if self.name in names)

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
        "zero-latency",
        "part zero latency: SPTF with it over without, accelerator",
        CLOSED,
        accelerator(SPTF, "zero_latency"),
        accelerator(SPTF),
        per_s,
        more,
        "throughput",
        drives=ZERO_LATENCY_DRIVES,
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
    Gain(
        "part-zero-latency",
        "part zero latency: SPTF with it over without, accelerator",
        MIXED,
        accelerator(SPTF, "zero_latency"),
        accelerator(SPTF),
        response_ms,
        less,
        "mean response saved",
        drives=ZERO_LATENCY_DRIVES,
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
LOAD_OF = {CLOSED.name: "depth {}", MIXED.name: "{} requests/s", EAGER.name: "queue of {}"}

# --- how much spread

SWEEP_DEPTHS = ("32", "128")
SWEPT_VARIANTS = {SPTF: firmware(SPTF), MARGIN: firmware(MARGIN), RISK: firmware(RISK)}
BASELINE = firmware("LOOK")


def _swept(us: int, depth: str, variant: Settings, quick: bool) -> Point:
    drive = DRIVES[SWEPT]
    return CLOSED.point(drive, drive + PERFECT, depth, (*spread(us), *variant), quick)


# --- the guard

GUARDED = (SPTF, RISK, SLACK)
GUARD_RATE = "150"  # more than any of the drives can do, so that all the slack is used


@cache
def default_quantile() -> float:
    """Of the program's guard."""
    schema = json.loads((CONFIGS / "schema" / "scenario.schema.json").read_text(encoding="utf-8"))
    _, section = schema["$defs"]["guard"]["oneOf"]
    return float(section["properties"]["quantile"]["default"])


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


def _gain_loads() -> list[tuple[Gain, str, str]]:
    """Each gain under each of its loads: with the drive's name and the load."""
    return [
        (gain, name, load)
        for gain in GAINS
        for name in gain.drives
        for load in gain.loads(DRIVES[name])
    ]


def _gain_points(quick: bool) -> list[Point]:
    return [
        gain.kind.point(DRIVES[name], DRIVES[name] + suffix, load, variant, quick)
        for gain, name, load in _gain_loads()
        for suffix in (PERFECT, MISSES)
        for variant in (gain.one, gain.other)
    ]


def _plan(quick: bool, results: Results | None) -> Plan:
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
    points += spread_claims.points(quick)
    return Plan(
        tuple(dict.fromkeys(points)), SEEDS, further=tuple(spread_claims.batches(quick, results))
    )


def plan(quick: bool) -> Plan:
    """As if the servers of text and video supported the paper's numbers of clients."""
    return _plan(quick, None)


def follow(results: Results, quick: bool) -> Plan:
    """First what these numbers are with each spread, then everything."""
    return _plan(quick, results)


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
            if not fates:
                cells.append("–")
                continue
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


def bases_table(all_found: Sequence[Found]) -> Table:
    """How many points of the gains of each basis have each verdict."""
    fates = {
        basis: [one.fate for one in all_found if one.gain.rests_on is basis] for basis in Basis
    }
    return Table(
        "What a gain rests on",
        ("the gain rests on", "gains", "points", *Fate),
        tuple(
            (
                str(basis),
                str(len(RESTS_ON[basis])),
                str(len(own)),
                *(str(own.count(fate)) for fate in Fate),
            )
            for basis, own in fates.items()
        ),
    )


def _part(one: Found) -> Part:
    return Part(f"{one.drive}, {one.load_text}", interval(one.misses), above(0))


def is_steady(one: Found) -> bool:
    """On the drive that misses, whatever it is on the perfect one."""
    return not math.isnan(interval(one.misses).mean)


def lost(all_found: Sequence[Found]) -> Table:
    """The steady points at which a gain is not shown on the drives that miss."""
    words = {Verdict.FAILS: "loses", Verdict.OPEN: "not decided"}
    return Table(
        "Points without a gain on the drives that miss",
        ("gain", "load", "measured", "drive", "point", "perfect", "misses", "first variant"),
        tuple(
            (
                one.gain.text,
                KINDS[one.gain.kind.name],
                one.gain.measured,
                one.drive,
                one.load_text,
                percent(interval(one.perfect)),
                percent(interval(one.misses)),
                words[_part(one).verdict],
            )
            for one in all_found
            if is_steady(one) and _part(one).verdict is not Verdict.HOLDS
        ),
    )


def gain_claims(all_found: Sequence[Found]) -> list[Claim]:
    """Whether the first variant is better at every point of the grid, whatever it gains on the
    perfect drive: only a point without a steady backlog is no comparison."""
    claims = []
    for gain in GAINS:
        own = [one for one in all_found if one.gain is gain]
        steady = [one for one in own if is_steady(one)]
        before = [interval(one.perfect).mean for one in steady if one.fate is not Fate.UNSTEADY]
        claims.append(
            Claim(
                gain.name,
                f"{KINDS[gain.kind.name]}: {gain.text} is a gain at every steady point on the "
                "drives that miss",
                f"perfect drives: {percent_range(before)}",
                Unit.PERCENT,
                f"{gain.measured}, at {len(steady)} steady points of {len(own)}",
                tuple(map(_part, steady)),
            )
        )
    return claims


# --- the results in words


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words[:-1]) + " and " + words[-1] if len(words) > 1 else "".join(words)


def _where(gain: Gain, own: Sequence[Found], all_found: Sequence[Found]) -> str:
    """A gain with the points that are meant, unless these are all of it."""
    every = sum(one.gain is gain for one in all_found)
    text = f"{gain.text} ({gain.measured})"
    return text if len(own) == every else f"{text} at {len(own)} of {every} points"


def _with_fate(all_found: Sequence[Found], fate: Fate) -> str:
    words = []
    for gain in GAINS:
        own = [one for one in all_found if one.gain is gain and one.fate is fate]
        if own:
            words.append(_where(gain, own, all_found))
    return "; ".join(words) or "none"


def regained(results: Results, quick: bool) -> list[tuple[str, str, float]]:
    """Drive and depth of random reads at which the spread takes throughput from SPTF, and the share
    of this that SATF-risk has more than SPTF."""
    found = []
    for name, drive in DRIVES.items():
        for load in CLOSED.loads(drive):

            def rates(
                policy: str, suffix: str, drive: str = drive, load: str = load
            ) -> list[float]:
                point = CLOSED.point(drive, drive + suffix, load, firmware(policy), quick)
                return [per_s(result) for result in results[point]]

            before, after, risk = rates(SPTF, PERFECT), rates(SPTF, MISSES), rates(RISK, MISSES)
            taken = interval([a - b for a, b in zip(before, after, strict=True)])
            given = interval([a - b for a, b in zip(risk, after, strict=True)])
            if taken.low > 0:
                found.append((name, load, given.mean / taken.mean))
    return found


def _regained_text(results: Results, quick: bool) -> str:
    found = regained(results, quick)
    if not found:
        return "The spread takes no throughput from SPTF (random reads)."
    shares = [share for _, _, share in found]
    at = {
        depth: [share for _, load, share in found if load == depth]
        for depth in DEPTHS
        if any(load == depth for _, load, _ in found)
    }
    by_depth = "; ".join(f"{depth} outstanding: {percent_range(own)}" for depth, own in at.items())
    return (
        f"The spread takes throughput from SPTF at {len(found)} of "
        f"{sum(len(CLOSED.loads(drive)) for drive in DRIVES.values())} points of random reads. "
        f"SATF-risk regains {100 * sum(shares) / len(shares):.0f} % of it on average ({by_depth})."
    )


def _guard_text(results: Results, quick: bool) -> str:
    commands, _, late = _guard_counts(results, quick)
    bound = f"The bound of the quantile is {(1 - default_quantile()) * commands:.2g}."
    return (
        f"The guard keeps every deadline of {commands:,} requests of the streams. {bound}"
        if not late
        else f"Of {commands:,} requests of the streams {late} are late. {bound}"
    )


def _papers_text(claims: Sequence[Claim]) -> str:
    changes = {claim.name: spread_claims.change(claim) for claim in claims}
    turned = [
        f"{name} ({', '.join(its.reversed_by)})" for name, its in changes.items() if its.reversed_by
    ]
    same = sum(its.none for its in changes.values())
    undecided = sum(
        changes[claim.name].none and claim.plain_verdict is Verdict.OPEN for claim in claims
    )
    return (
        f"{same} of {len(changes)} claims of the studies have the same verdict with every spread; "
        f"{undecided} of these are undecided with and without. "
        f"A spread reverses {len(turned)}: {'; '.join(turned) or 'none'}. It leaves "
        f"{sum(its.opened for its in changes.values())} undecided that were decided, and decides "
        f"{sum(its.decided for its in changes.values())} others. Where a spread has fewer steady "
        "points, both verdicts are those at these points."
    )


def findings(
    all_found: Sequence[Found], papers: Sequence[Claim], results: Results, quick: bool
) -> tuple[str, ...]:
    """What the tables say, in words: computed, so that no sentence can contradict its table."""
    losing = [one for one in all_found if is_steady(one) and _part(one).verdict is Verdict.FAILS]
    by_gain: dict[Gain, list[Found]] = {}
    for one in losing:
        by_gain.setdefault(one.gain, []).append(one)
    losses = "; ".join(
        f"{gain.text} ({gain.measured}; "
        + _listed(
            [f"{one.drive} at {one.load_text}: {percent(interval(one.misses))}" for one in own]
        )
        + ")"
        for gain, own in by_gain.items()
    )
    every = [
        gain
        for gain in GAINS
        if {one.fate for one in all_found if one.gain is gain} == {Fate.SURVIVES}
    ]
    survivors = "; ".join(f"{gain.text} ({gain.measured})" for gain in every)
    by_basis = []
    for basis in Basis:
        fates = [one.fate for one in all_found if one.gain.rests_on is basis]
        by_basis.append(f"{basis}: {fates.count(Fate.SURVIVES)} of {len(fates)}")
    return (
        f"**Points at which a gain survives**, by what it rests on: {'; '.join(by_basis)}.",
        f"**Survive at every point**: {survivors or 'none'}.",
        f"**Shrink**: {_with_fate(all_found, Fate.SHRINKS)}.",
        f"**Artefacts of the perfect drive**: {_with_fate(all_found, Fate.ARTEFACT)}.",
        f"**Appear only on the drives that miss**: {_with_fate(all_found, Fate.APPEARS)}.",
        f"**Losses on the drives that miss**, {len(losing)} points: {losses or 'none'}.",
        f"**SATF-risk**: {_regained_text(results, quick)}",
        f"**The guard**: {_guard_text(results, quick)}",
        f"**The studies' claims**: {_papers_text(papers)}",
    )


def percent_range(values: Sequence[float]) -> str:
    if not values:
        return "none"
    return f"{100 * min(values):.1f} to {100 * max(values):.1f} %"


def _guard_counts(
    results: Results, quick: bool, drives: Sequence[str] = (), policies: Sequence[str] = GUARDED
) -> tuple[int, int, int]:
    """Continuous requests, those of them that missed their sector, and hiccups."""
    runs = [
        run
        for drive in drives or DRIVES.values()
        for policy in policies
        for run in results[_guard_point(drive, policy, quick)]
    ]
    return (
        sum(run["classes"]["continuous"]["completed"] for run in runs),
        sum(_continuous_misses(run) for run in runs),
        int(sum(hiccups(run) for run in runs)),
    )


def guard_table(results: Results, quick: bool) -> Table:
    rows = [
        (name, policy, *guard_cells(*_guard_counts(results, quick, (drive,), (policy,))))
        for name, drive in DRIVES.items()
        for policy in GUARDED
    ]
    rows.append(("all", "all", *guard_cells(*_guard_counts(results, quick))))
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
        f"{(1 - default_quantile()) * commands:.2g}",
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
                            value, mean=value.mean / 100, low=value.low / 100, high=value.high / 100
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
    for gain, name, load in _gain_loads():
        drive = DRIVES[name]
        for suffix in (PERFECT, MISSES):
            for variant in (gain.one, gain.other):
                point = gain.kind.point(drive, drive + suffix, load, variant, quick)
                for result in results[point]:
                    rows[
                        _run_row(
                            gain.kind.name, drive, suffix, _variant_text(variant), load, result
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
    all_found = [found(results, *one, quick) for one in _gain_loads()]
    papers = spread_claims.paper_claims(results, quick)
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
    return Report(
        (*gain_claims(all_found), *papers),
        charts(results, all_found, quick),
        tables,
        spread_claims.interpretations(quick),
        runs=(Table("Every run", RUN_HEADER, (*_runs(results, quick), *front_runs), "runs.csv"),),
        first=(
            summary(all_found),
            bases_table(all_found),
            lost(all_found),
            spread_claims.changes_table(papers),
        ),
        summary=findings(all_found, papers, results, quick),
    )


def _depths() -> str:
    return ", ".join(DEPTHS[:-1]) + f" and {DEPTHS[-1]}"


def _judged_rows() -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in spread_claims.scope())


INTRODUCTION = f"""
A drive's head does not always arrive in time for its sector. Then it waits one turn more
([arrival spread](../../reference/positioning.md#arrival-spread)). This page says which gains of
schedulers survive on such a drive, and which were an artefact of the perfect drive.
[In short](#in-short) has the results in words, which are computed from the tables below it.

The perfect drives are the calibrated profiles (`cheetah9lp_calibrated`), and the drives that miss
are the same with the spread that was fitted to the real drive (`cheetah9lp_spread`). Both have an
interface of 80 MB/s. The runs on both have the same seeds, so they have the same
requests.

A gain is the share by which the first variant has more throughput or fairness than the second.
Where less is better, it is the share of the second's response time, or of its late requests, that
the first one saves. The verdict compares the gains of both drives, seed by seed, by 95 % intervals
of paired differences ({len(SEEDS)} seeds, Student's t):

| verdict | rule |
| --- | --- |
| survives | more than {100 * SURVIVES:.0f} % of the gain is left |
| shrinks | more than {100 * ARTEFACT:.0f} %, less than {100 * SURVIVES:.0f} % |
| artefact | less than {100 * ARTEFACT:.0f} %; the first variant may even lose |
| appears | no gain on the perfect drive, a gain on the drive that misses |
| loses | no gain on the perfect drive, a loss on the drive that misses |
| no gain | neither a gain on the perfect drive, nor a gain or loss on the one that misses |
| not decided | an interval contains a bound |
| not steady | a backlog is not shown to be steady, or nothing was counted |

The table of gains has the smallest and the largest mean gain of all points, and the verdicts. A
cell such as *8: survives, 128: shrinks* has the verdict of each load. The loads are:

- **Random reads of 4 KB**: a closed loop over the whole drive with {_depths()} requests
  outstanding (`random.toml`).
- **Mixed media**: `mixed_media.toml` with 25 streams and 256 tags, at a light rate of discrete
  requests and at one near saturation.
- **Eager writing**: `eager_writing.toml`, half reads, queues of 8 and 64, without the buffer.

In the table of claims, a gain *holds* if the first variant is better at every steady point of the
grid on the drives that miss. The criterion is the same whatever the gain on the perfect drive is.
So it also judges variants that are the same on the perfect drive, such as SATF-risk and SPTF. Only
a point at which a backlog is not shown to be steady is no comparison. The claim states how many
points are steady.

The part *zero latency* of the accelerator is judged on the {" and the ".join(ZERO_LATENCY_DRIVES)}
only. The other two drives do not read with zero latency, so the part changes nothing there. SPTF
and SATF-risk in firmware also have it, and
[underestimate](../../reference/accelerator_features.md#results) the time of an access that begins
in the middle of its sectors.

The other claims are those of the papers' studies, judged again. They are chosen by this rule, which
does not look at outcomes: *a claim is judged if a time of the disks enters its comparisons, and if
the study's shorter runs can show it*. A time of the disks is one that accesses take or that a
server reserves for them. The rule leaves out claims of four kinds:

- The claim `{spread_claims.NEAR_SATURATION}` of
  [mixed-media](../../papers/mixed-media/README.md) needs long runs just below the capacity of one
  policy. Claims that this study judges without other interpretations
  are also left out.
- Of [beyond-clusters](../../papers/beyond-clusters/README.md) the projected disk, the engines and
  the search for the best opponent are left out. Here each opponent is one policy.
- Of [integrated-servers](../../papers/integrated-servers/README.md) only the claims of the paper's
  abstract are judged, and the capacities in which the loads are stated. Each run has sixteen disks
  and takes long.
- The studies that this page adds to mixed media and eager writing have claims that are not the
  paper's. These are left out.

Each study runs on the paper's own disk, with its own scenarios, criteria and points:

| study | disk | deviations (ms) | points | seeds |
| --- | --- | --- | --- | --- |
{_judged_rows()}

A deviation is that of a seek; on one cylinder it is a third of it. The points of a quick study are
those of `--quick`. The measured drives are those of the gains, at rates of
[on-real-drives](../../papers/on-real-drives/README.md). That study has no scenario of the Ultrastar
18ES, so here it has that of the Cheetah 9LP. The array and the servers have the largest deviation
only, because their runs are dear. The array is not aged before a run, because that takes the time
of several runs. This is the interpretation *{spread_claims.UNAGED.name}* of
[eager-writing](../../papers/eager-writing/README.md). A claim is judged without its other
interpretations. These runs are shorter than those of the studies: {spread_claims.ROUNDS} rounds of
mixed media, and 25 s of eager writing on one drive.

Admission takes part in the spread: what a
[media server](../../reference/media_server.md) reserves for an access holds the lateness at
`guard.quantile`. The loads of text and video are stated in clients that the partitioned server
supports with the same spread.

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
    follow,
    home=RESULTS,
)
