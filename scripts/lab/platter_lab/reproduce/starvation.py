# SPDX-License-Identifier: Apache-2.0
"""How long random reads wait beside a sequential stream: by drive, depth and rules of the firmware,
and what policies, deadlines, classes, limits and a host's queue change."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from platter_lab.reproduce.claims import Claim, Criterion, Part, Unit, above, below
from platter_lab.reproduce.figures import Chart, Series
from platter_lab.reproduce.random_reads import BINS, WARMUP_S, histogram
from platter_lab.reproduce.study import RESULTS, Plan, Report, Study, Table
from platter_lab.runs.point import Point
from platter_lab.runs.results import Results
from platter_lab.statistics import ABSENT, Interval, interval, paired_ratio

FOLDER = RESULTS / "starvation"
SEEDS = (1, 2, 3, 4)
QUICK_SEEDS = SEEDS[:2]
MEASURE_S, QUICK_MEASURE_S = 60.0, 10.0

Settings = dict[str, str]
Value = Callable[[dict[str, Any]], float]


@dataclass(frozen=True)
class Drive:
    """A shipped profile, with keys that the scenario sets besides."""

    name: str
    profile: str
    keys: tuple[tuple[str, str], ...] = ()


TODAY = Drive("WD 22 TB", "wd22tb")
ATLAS = Drive(
    "Atlas 10K",
    "atlas10k_calibrated",
    (
        ("drive.bus.read_block_us", "6.4"),  # its own interface, as in mixed_media.toml
        ("drive.bus.write_block_us", "6.4"),
        ("drive.bus.overlap", "true"),
    ),
)
RECENT = (TODAY, Drive("Exos X18 18 TB", "exos_x18_18tb"), Drive("P300 3 TB", "p300_3tb"))
DRIVES = (*RECENT, ATLAS)
DEPTHS = ("1", "2", "4", "32")
QUICK_DEPTHS = ("1", "4")
SIZES = {"128k": "128 KiB", "1m": "1 MiB"}
LARGE_DEPTHS = ("1", "4")  # of reads of 1 MiB


@dataclass(frozen=True)
class Rules:
    """Of the firmware: the age limit in seconds, and whether a stream goes first."""

    age: str
    first: bool

    @property
    def name(self) -> str:
        if self.age == "0":
            return "none"
        return f"age limit {self.age} s{', stream first' if self.first else ''}"

    @property
    def keys(self) -> Settings:
        return {
            "drive.controller.age_limit_s": self.age,
            "drive.controller.stream_first": "true" if self.first else "false",
        }


NONE, AGE, FIRST = Rules("0", False), Rules("1", False), Rules("1", True)
LONGEST = Rules("4", True)  # the longest limit of the reports
AGES = ("1", "2", "4")
KINDS = (NONE, AGE, FIRST)
RATES = ("1", "5", "20")  # of random reads a second
POLICIES = ("FCFS", "LOOK", "SPTF", "ASPTF(0.01)", "ASPTF(0.1)", "ASPTF(1)")


@dataclass(frozen=True)
class Measure:
    """What is done against long waits. `family` joins points of a figure."""

    family: str
    name: str
    rules: Rules
    keys: tuple[tuple[str, str], ...]

    @property
    def id(self) -> str:
        return f"{self.family}: {self.name}"


def _classes(policy: str, rules: Rules) -> Measure:
    return Measure(
        "classes in the drive",
        policy,
        rules,
        (("policy", policy), ("workload.job.0.class", "background")),
    )


DEADLINES = tuple(
    Measure(
        "deadline of the random reads", f"{ms} ms", LONGEST, (("workload.job.1.deadline_ms", ms),)
    )
    for ms in ("50", "100", "200", "500")
)
HUNDRED_MS = DEADLINES[1]
AGEING = tuple(
    Measure("ageing in the policy", policy, NONE, (("policy", policy),))
    for policy in POLICIES
    if policy.startswith("ASPTF")
)
WEIGHTS = tuple(
    _classes(policy, NONE)
    for policy in ("SFQ(1|1|1)", "SFQ(1|1|9)", "CELLO(1|1|1)", "CELLO(1|1|9)")
)
RULED_CLASSES = tuple(_classes(policy, LONGEST) for policy in ("SFQ(1|1|1)", "CELLO(1|1|1)"))
PRIORITY = Measure(
    "strict priority in the drive",
    "EDF",
    LONGEST,
    (
        ("policy", "EDF"),
        ("workload.job.1.class", "continuous"),
        ("workload.job.1.deadline_ms", "100000"),
    ),
)
BUCKETS = tuple(
    Measure(
        "token bucket in the drive",
        f"{rate} MB/s",
        LONGEST,
        (
            ("policy", "SPTF(unguarded)"),
            ("drive.port.token_rate_bytes_per_s", f"{rate}000000"),
            ("workload.job.1.class", "continuous"),
            ("workload.job.1.deadline_ms", "100000"),
        ),
    )
    for rate in ("50", "100", "200")
)
LIMITS = tuple(
    Measure(
        "rate of the stream in the host",
        f"{rate} reads/s ({float(rate) * 131_072 / 1e6:.0f} MB/s)",
        LONGEST,
        (("workload.job.0.rate_iops", rate),),
    )
    for rate in ("400", "800", "1600", "2000")
)
THREE_QUARTERS = LIMITS[2]
SHALLOW = tuple(
    Measure(
        "one read of the stream at a time in the host",
        name,
        LONGEST,
        (("workload.job.0.bs", size), ("workload.job.0.iodepth", "1")),
    )
    for size, name in SIZES.items()
)
TAGS = tuple(
    Measure("tags of the drive's queue", tags, LONGEST, (("drive.queue.depth", tags),))
    for tags in ("1", "2")
)
ALONE_AGES = tuple(
    Measure("age limit without stream first", f"{age} s", Rules(age, False), ()) for age in AGES
)
SHORTER = tuple(
    Measure("age limit with stream first", f"{age} s", Rules(age, True), ()) for age in AGES
)
MEASURES = (
    *SHORTER,
    *ALONE_AGES,
    *AGEING,
    *WEIGHTS,
    *RULED_CLASSES,
    PRIORITY,
    *DEADLINES,
    *BUCKETS,
    *LIMITS,
    *SHALLOW,
    *TAGS,
)
LATER = "100000"  # a start after the end of the run


# --- points


def _point(scenario: str, keys: Settings, quick: bool) -> Point:
    return Point(
        FOLDER / f"{scenario}.toml",
        tuple(keys.items()),
        WARMUP_S,
        QUICK_MEASURE_S if quick else MEASURE_S,
        histogram,
    )


def closed(
    drive: Drive, depth: str, rules: Rules, quick: bool, size: str = "128k", **more: str
) -> Point:
    """One random read at a time. Keys of `more` have __ for a dot."""
    keys = {
        "drive": drive.profile,
        **dict(drive.keys),
        "workload.job.0.bs": size,
        "workload.job.0.iodepth": depth,
        **rules.keys,
        **{key.replace("__", "."): value for key, value in more.items()},
    }
    return _point("closed", keys, quick)


def opened(rate: str, rules: Rules, quick: bool, tags: str = "32") -> Point:
    """Random reads that arrive at a rate. `tags`: of the drive's queue."""
    keys = {"workload.job.1.rate_iops": rate, "drive.queue.depth": tags, **rules.keys}
    return _point("open", keys, quick)


def many_tags(quick: bool) -> Point:
    """So many tags that waiting random reads never hold all of them."""
    return opened(_rates(quick)[-1], LONGEST, quick, "256")


def with_policy(policy: str, rules: Rules, quick: bool) -> Point:
    return closed(TODAY, "4", rules, quick, policy=policy)


def measured(measure: Measure, quick: bool) -> Point:
    return closed(
        TODAY,
        "4",
        measure.rules,
        quick,
        **{key.replace(".", "__"): value for key, value in measure.keys},
    )


def unoverlapped(drive: Drive, rules: Rules, quick: bool) -> Point:
    """A stream of depth 1, where the next access waits until the data has crossed the bus."""
    return closed(drive, "1", rules, quick, drive__bus__overlap="false")


def stream_alone(drive: Drive, size: str, quick: bool) -> Point:
    return closed(drive, "4", NONE, quick, size, workload__job__1__startdelay=LATER)


def random_alone(drive: Drive, quick: bool) -> Point:
    return closed(drive, "4", NONE, quick, workload__job__0__startdelay=LATER)


def _drives(quick: bool) -> tuple[Drive, ...]:
    return (TODAY, ATLAS) if quick else DRIVES


def _recent(quick: bool) -> tuple[Drive, ...]:
    return (TODAY,) if quick else RECENT


def _depths(quick: bool, size: str = "128k") -> tuple[str, ...]:
    return QUICK_DEPTHS if quick else DEPTHS if size == "128k" else LARGE_DEPTHS


def _ages(quick: bool) -> tuple[str, ...]:
    return ("1", "4") if quick else AGES


def _rates(quick: bool) -> tuple[str, ...]:
    return ("5",) if quick else RATES


def _waiting(quick: bool) -> Iterable[tuple[Drive, str, str]]:
    """Drive, size and depth of the streams that have several reads in the drive."""
    return (
        (drive, size, depth)
        for drive in _drives(quick)
        for size in SIZES
        for depth in _depths(quick, size)
        if depth != "1"
    )


def plan(quick: bool) -> Plan:
    points = [
        closed(drive, depth, rules, quick, size)
        for drive in _drives(quick)
        for size in SIZES
        for depth in _depths(quick, size)
        for rules in KINDS
    ]
    points += [stream_alone(drive, size, quick) for drive in _drives(quick) for size in SIZES]
    points += [random_alone(drive, quick) for drive in _drives(quick)]
    points += [
        unoverlapped(drive, rules, quick) for drive in _recent(quick) for rules in (NONE, FIRST)
    ]
    points += [
        opened(rate, rules, quick)
        for rate in _rates(quick)
        for rules in (NONE, *(Rules(age, first) for age in _ages(quick) for first in (False, True)))
    ]
    points.append(many_tags(quick))
    points += [
        with_policy(policy, rules, quick) for policy in POLICIES for rules in (NONE, LONGEST)
    ]
    points += [measured(measure, quick) for measure in MEASURES]
    return Plan(tuple(dict.fromkeys(points)), QUICK_SEEDS if quick else SEEDS)


# --- values of a run


def _random(result: dict[str, Any]) -> dict[str, Any]:
    job: dict[str, Any] = result["jobs"]["random"]
    return job


def _known(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _response(which: str) -> Value:
    """In ms, of the random reads; nan if none has ended."""
    return lambda result: _known(_random(result)["response_ms"][which])


def longest_s(result: dict[str, Any]) -> float:
    """The longest response of a random read, or the age of the oldest one that waits at the end."""
    waits = _random(result)["waiting"]["oldest_ms"] or 0.0
    return max(_random(result)["response_ms"]["max"] or 0.0, waits) / 1000


def slow_share(result: dict[str, Any]) -> float:
    """The share of the random reads that took longer than 1 s, of those that have ended."""
    found = result["summary"]
    return found["slow"] / found["ended"] if found["ended"] else math.nan


def per_s(result: dict[str, Any]) -> float:
    return float(_random(result)["throughput"]["requests_per_s"])


def late(result: dict[str, Any]) -> float:
    return float(_random(result)["late"])


def stream_mb_per_s(result: dict[str, Any]) -> float:
    return float(result["jobs"]["stream"]["throughput"]["bytes_per_s"]) / 1e6


mean, p50, p99 = map(_response, ("mean", "p50", "p99"))
VALUES: dict[str, Value] = {
    "random_per_s": per_s,
    "mean_ms": mean,
    "p50_ms": p50,
    "p99_ms": p99,
    "longest_s": longest_s,
    "slow_share": slow_share,
    "late": late,
    "stream_mb_per_s": stream_mb_per_s,
}


def over_runs(results: Results, point: Point, value: Value) -> Interval:
    return interval([value(run) for run in results[point]])


def bin_shares(results: Results, point: Point) -> list[float]:
    """Of the random reads of all runs that have ended, by the bins of the histogram; empty if none
    has ended."""
    found = [run["summary"]["bins"] for run in results[point]]
    counts = [sum(column) for column in zip(*found, strict=True)]
    whole = sum(counts)
    return [count / whole for count in counts] if whole else []


def stream_left(results: Results, point: Point, drive: Drive, size: str, quick: bool) -> Interval:
    """The stream's rate over that of the stream alone."""
    return paired_ratio(
        [stream_mb_per_s(run) for run in results[point]],
        [stream_mb_per_s(run) for run in results[stream_alone(drive, size, quick)]],
    )


# --- tables


def _number(value: Interval, digits: int = 3) -> str:
    """A mean, as a table of many has it. The intervals are in the data."""
    if math.isnan(value.mean):
        return ABSENT
    return f"{float(f'{value.mean:.{digits}g}'):,.10g}"


def _cells(results: Results, point: Point) -> tuple[str, ...]:
    """Of a point: random reads a second, mean, p50, p99, longest, share above 1 s; the stream."""
    slow = over_runs(results, point, slow_share)
    return (
        _number(over_runs(results, point, per_s)),
        *(_number(over_runs(results, point, value)) for value in (mean, p50, p99)),
        _number(over_runs(results, point, longest_s)),
        ABSENT if math.isnan(slow.mean) else f"{100 * slow.mean:.3g} %",
        _number(over_runs(results, point, stream_mb_per_s)),
    )


COLUMNS = (
    "random reads/s",
    "mean (ms)",
    "p50 (ms)",
    "p99 (ms)",
    "longest (s)",
    "above 1 s",
    "stream (MB/s)",
)


def when_table(results: Results, quick: bool) -> Table:
    depths = _depths(quick)
    rows = [
        (
            drive.name,
            rules.name,
            *(
                _number(over_runs(results, closed(drive, depth, rules, quick), longest_s))
                for depth in depths
            ),
            *(
                _number(over_runs(results, closed(drive, depth, rules, quick), stream_mb_per_s))
                for depth in depths
            ),
        )
        for drive in _drives(quick)
        for rules in KINDS
    ]
    return Table(
        "When it happens: reads of 128 KiB, SPTF",
        (
            "drive",
            "rules of the firmware",
            *(f"longest wait (s), depth {depth}" for depth in depths),
            *(f"stream (MB/s), depth {depth}" for depth in depths),
        ),
        tuple(rows),
    )


def measures_table(results: Results, quick: bool) -> Table:
    rows = [("nothing", "", LONGEST.name, *_cells(results, measured(SHORTER[-1], quick)))]
    rows += [
        (
            measure.family,
            measure.name,
            measure.rules.name,
            *_cells(results, measured(measure, quick)),
        )
        for measure in MEASURES
        if measure is not SHORTER[-1]
    ]
    return Table(
        "What helps: WD 22 TB, depth 4",
        ("measure", "value", "rules of the firmware", *COLUMNS),
        tuple(rows),
    )


def policies_table(results: Results, quick: bool) -> Table:
    return Table(
        "Policies in the drive: WD 22 TB, depth 4",
        ("policy", "rules of the firmware", *COLUMNS),
        tuple(
            (policy, rules.name, *_cells(results, with_policy(policy, rules, quick)))
            for policy in POLICIES
            for rules in (NONE, LONGEST)
        ),
    )


def rates_table(results: Results, quick: bool) -> Table:
    rows = [
        (rate, rules.name, *_cells(results, opened(rate, rules, quick)))
        for rate in _rates(quick)
        for rules in (NONE, *(Rules(age, first) for first in (False, True) for age in _ages(quick)))
    ]
    rows.append(
        (_rates(quick)[-1], f"{LONGEST.name}, 256 tags", *_cells(results, many_tags(quick)))
    )
    return Table(
        "Random reads that arrive at a rate: WD 22 TB, depth 4",
        ("arrivals/s", "rules of the firmware", *COLUMNS),
        tuple(rows),
    )


def drives_table(results: Results, quick: bool) -> Table:
    rows = []
    for drive in _drives(quick):
        rows.append(
            (drive.name, "no stream", "", NONE.name, *_cells(results, random_alone(drive, quick)))
        )
        for size, size_name in SIZES.items():
            for depth in _depths(quick, size):
                for rules in KINDS:
                    point = closed(drive, depth, rules, quick, size)
                    rows.append((drive.name, size_name, depth, rules.name, *_cells(results, point)))
            point = stream_alone(drive, size, quick)
            rows.append((drive.name, size_name, "4, alone", NONE.name, *_cells(results, point)))
    return Table(
        "Every drive, size and depth, SPTF",
        ("drive", "stream's reads", "depth", "rules of the firmware", *COLUMNS),
        tuple(rows),
    )


def interface_table(results: Results, quick: bool) -> Table:
    rows = []
    for drive in _recent(quick):
        for rules in (NONE, FIRST):
            for overlap, point in (
                ("true", closed(drive, "1", rules, quick)),
                ("false", unoverlapped(drive, rules, quick)),
            ):
                rows.append((drive.name, overlap, rules.name, *_cells(results, point)))
    return Table(
        "One read of the stream at a time: 128 KiB",
        ("drive", "`bus.overlap`", "rules of the firmware", *COLUMNS),
        tuple(rows),
    )


# --- charts


def _ms(value: Interval) -> Interval | None:
    return None if math.isnan(value.mean) else value


def histogram_chart(results: Results, quick: bool) -> Chart:
    shown: tuple[tuple[str, Point], ...] = (
        ("no stream", random_alone(TODAY, quick)),
        (AGE.name, closed(TODAY, "4", AGE, quick)),
        *((SHORTER[i].rules.name, measured(SHORTER[i], quick)) for i in (0, 2)),
        (f"the same, deadline of {HUNDRED_MS.name}", measured(HUNDRED_MS, quick)),
        (f"the same, stream of {THREE_QUARTERS.name}", measured(THREE_QUARTERS, quick)),
    )
    edges = [2**number for number in range(BINS)]
    lines = []
    for label, point in shown:
        shares = bin_shares(results, point)
        if shares:
            runs = len(results[point])
            lines.append(
                Series(label, edges, [Interval(share, share, share, runs) for share in shares])
            )
    return Chart(
        "histogram.svg",
        "Response times of the random reads: WD 22 TB, depth 4",
        "shorter than (ms)",
        "share of the random reads",
        tuple(lines),
        log_x=True,
    )


def price_chart(results: Results, quick: bool) -> Chart:
    families: dict[str, list[Measure]] = {}
    for measure in MEASURES:
        if measure not in (*RULED_CLASSES, *BUCKETS):
            families.setdefault(measure.family, []).append(measure)
    lines = []
    for family, members in families.items():
        points = [measured(measure, quick) for measure in members]
        placed = sorted(
            (over_runs(results, point, stream_mb_per_s).mean, order, _ms(seen))
            for order, point in enumerate(points)
            for seen in (over_runs(results, point, p99),)
        )
        lines.append(Series(family, [x for x, _, _ in placed], [y for _, _, y in placed]))
    return Chart(
        "price.svg",
        "What a short wait costs: WD 22 TB, depth 4",
        "rate of the stream (MB/s)",
        "p99 of the random reads (ms)",
        tuple(lines),
        log_y=any(y for line in lines for y in line.y),
    )


def ages_chart(results: Results, quick: bool) -> Chart:
    ages = _ages(quick)

    def line(label: str, value: Value, points: Sequence[Point]) -> Series:
        return Series(
            label,
            [float(age) for age in ages],
            [_ms(over_runs(results, point, value)) for point in points],
        )

    rate = _rates(quick)[-1]
    lines = []
    for first in (False, True):
        rules = [Rules(age, first) for age in ages]
        name = "stream first" if first else "age limit only"
        one = [closed(TODAY, "4", each, quick) for each in rules]
        several = [opened(rate, each, quick) for each in rules]
        lines.append(line(f"one read at a time, {name}: mean", mean, one))
        lines.append(line(f"{rate} reads/s, {name}: mean", mean, several))
        lines.append(line(f"{rate} reads/s, {name}: p99", p99, several))
    return Chart(
        "ages.svg",
        "Random reads by the age limit: WD 22 TB, depth 4",
        "age limit (s)",
        "response time of the random reads (ms)",
        tuple(lines),
    )


# --- claims


def _part(label: str, value: Interval, criterion: Criterion) -> Part:
    return Part(label, value, criterion)


def _over_limit(results: Results, point: Point, value: Value, age: str) -> Interval:
    """A time in ms over the age limit."""
    return interval([value(run) / (1000 * float(age)) for run in results[point]])


def _longest_ms(result: dict[str, Any]) -> float:
    return 1000 * longest_s(result)


def claims(results: Results, quick: bool) -> tuple[Claim, ...]:
    def label(drive: Drive, size: str, depth: str) -> str:
        return f"{drive.name}, {SIZES[size]}, depth {depth}"

    waiting = tuple(_waiting(quick))
    aged = tuple(age for age in _ages(quick) if age != FIRST.age)

    def by_limit(first: bool, value: Value, criterion: Criterion) -> tuple[Part, ...]:
        """At every drive, size and depth from 2 on, and at other limits on today's drive."""
        rules = Rules("1", first)
        return (
            *(
                _part(
                    label(drive, size, depth),
                    _over_limit(
                        results, closed(drive, depth, rules, quick, size), value, rules.age
                    ),
                    criterion,
                )
                for drive, size, depth in waiting
            ),
            *(
                _part(
                    f"{TODAY.name}, depth 4, limit {age} s",
                    _over_limit(results, closed(TODAY, "4", Rules(age, first), quick), value, age),
                    criterion,
                )
                for age in aged
            ),
        )

    def of_measure(measure: Measure, value: Value, criterion: Criterion) -> Part:
        return _part(measure.id, over_runs(results, measured(measure, quick), value), criterion)

    ruled = [(policy, with_policy(policy, LONGEST, quick)) for policy in POLICIES] + [
        (measure.name, measured(measure, quick)) for measure in RULED_CLASSES
    ]
    return (
        Claim(
            "no-rule",
            "Without a rule, SPTF leaves a random read waiting for more than 10 s beside a stream "
            "with two or more reads in the drive.",
            "nothing",
            Unit.RATIO,
            "longest wait in s",
            tuple(
                _part(
                    label(drive, size, depth),
                    over_runs(results, closed(drive, depth, NONE, quick, size), longest_s),
                    above(10),
                )
                for drive, size, depth in waiting
            ),
        ),
        Claim(
            "half-wait-for-the-limit",
            "If a stream goes first, at least half of the random reads wait for the age limit.",
            "limits of 1 to 4 s, by the model of the drive (15270); single reads of up to 4 s "
            "(11166)",
            Unit.RATIO,
            "p50 over the age limit",
            by_limit(True, p50, above(1)),
        ),
        Claim(
            "limit-bounds",
            "No random read waits for more than one and a half age limits.",
            "a hard deadline (15270)",
            Unit.RATIO,
            "longest wait over the age limit",
            (*by_limit(True, _longest_ms, below(1.5)), *by_limit(False, _longest_ms, below(1.5))),
        ),
        Claim(
            "limit-alone",
            "An age limit alone, without a rule for streams, does not shorten the tail: p99 is "
            "still beyond the limit.",
            "nothing",
            Unit.RATIO,
            "p99 over the age limit",
            by_limit(False, p99, above(1)),
        ),
        Claim(
            "depth-one",
            "A stream of depth 1 starves random reads as well.",
            "prioritised even at a queue depth of 1 (11166)",
            Unit.RATIO,
            "p50 over the age limit",
            tuple(
                _part(
                    label(drive, size, "1"),
                    _over_limit(results, closed(drive, "1", FIRST, quick, size), p50, FIRST.age),
                    above(1),
                )
                for drive in _drives(quick)
                for size in SIZES
            ),
        ),
        Claim(
            "depth-one-without-overlap",
            "A stream of depth 1 starves random reads if the next access waits until the data has "
            "crossed the bus.",
            "as above",
            Unit.RATIO,
            "p50 over the age limit",
            tuple(
                _part(
                    drive.name,
                    _over_limit(results, unoverlapped(drive, FIRST, quick), p50, FIRST.age),
                    above(1),
                )
                for drive in _recent(quick)
            ),
        ),
        Claim(
            "fewer-reads",
            "Where a stream goes first, one of its reads at a time instead of four raises the rate "
            "of the random reads.",
            "from 22 to 73 a second on one drive, by fewer background reads (11166)",
            Unit.RATIO,
            "rate of the random reads over that at depth 4",
            tuple(
                _part(
                    f"{drive.name}, {SIZES[size]}",
                    paired_ratio(
                        *(
                            [per_s(run) for run in results[closed(drive, n, FIRST, quick, size)]]
                            for n in ("1", "4")
                        )
                    ),
                    above(1),
                )
                for drive in _drives(quick)
                for size in SIZES
            ),
        ),
        Claim(
            "one-tag",
            "With one tag in the drive's queue no random read waits for 1 s.",
            "a queue depth of 1 ended the stalls (10253)",
            Unit.RATIO,
            "longest wait in s",
            (of_measure(TAGS[0], longest_s, below(1)),),
        ),
        Claim(
            "two-tags",
            "With two tags in the drive's queue random reads wait for more than 1 s.",
            "a queue depth of 2 gave the same stalls (10253)",
            Unit.RATIO,
            "longest wait in s",
            (of_measure(TAGS[1], longest_s, above(1)),),
        ),
        Claim(
            "rule-before-policy",
            "If a stream goes first, no policy without deadlines helps: half of the random reads "
            "wait for the age limit under each.",
            "nothing",
            Unit.RATIO,
            "p50 over the age limit",
            tuple(
                _part(policy, _over_limit(results, point, p50, LONGEST.age), above(1))
                for policy, point in ruled
            ),
        ),
        Claim(
            "deadline-kept",
            "A deadline that the policy knows is kept, although a stream goes first.",
            "nothing",
            Unit.COUNT,
            "late random reads of a run",
            tuple(of_measure(measure, late, below(1)) for measure in DEADLINES),
        ),
        Claim(
            "deadline-price",
            "Random reads due in 100 ms leave the stream more than two thirds of its rate alone.",
            "nothing",
            Unit.PERCENT,
            "rate of the stream over its rate alone",
            (
                _part(
                    HUNDRED_MS.id,
                    stream_left(results, measured(HUNDRED_MS, quick), TODAY, "128k", quick),
                    above(2 / 3),
                ),
            ),
        ),
        Claim(
            "slower-stream",
            "A stream at about three quarters of its rate alone leaves no random read waiting for "
            "1 s, although it goes first.",
            "nothing",
            Unit.RATIO,
            "longest wait in s",
            (of_measure(THREE_QUARTERS, longest_s, below(1)),),
        ),
        Claim(
            "depth-one-price",
            "One read of the stream at a time costs the stream more than half of its rate alone.",
            "nothing",
            Unit.PERCENT,
            "rate of the stream over its rate alone",
            tuple(
                _part(
                    label(drive, size, "1"),
                    stream_left(
                        results, closed(drive, "1", FIRST, quick, size), drive, size, quick
                    ),
                    below(0.5),
                )
                for drive in _drives(quick)
                for size in SIZES
            ),
        ),
    )


# --- words


def _said(values: Iterable[Interval], unit: str) -> str:
    known = sorted(value.mean for value in values if not math.isnan(value.mean))
    if not known:
        return "no data"
    low, high = (f"{float(f'{value:.3g}'):,g}" for value in (known[0], known[-1]))
    return f"{low} {unit}" if low == high else f"{low} to {high} {unit}"


def starved_runs(results: Results, quick: bool) -> tuple[int, int]:
    """Without a rule, beside a stream of depth 2 or more: the runs in which no random read has
    ended, and all."""
    runs = [
        run["summary"]["ended"]
        for drive, size, depth in _waiting(quick)
        for run in results[closed(drive, depth, NONE, quick, size)]
    ]
    return runs.count(0), len(runs)


def _listed(words: Sequence[str]) -> str:
    return " and ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else words[0]


def _tail(results: Results, point: Point) -> str:
    tail = over_runs(results, point, p99)
    return "no read ends" if math.isnan(tail.mean) else f"{_number(tail)} ms"


def findings(results: Results, quick: bool) -> tuple[str, ...]:
    starved, whole = starved_runs(results, quick)
    unruled = [closed(drive, depth, NONE, quick, size) for drive, size, depth in _waiting(quick)]
    words = [
        "**Without a rule, SPTF**: beside a stream of depth 2 or more the longest wait is "
        f"{_said((over_runs(results, point, longest_s) for point in unruled), 's')}. In {starved} "
        f"of {whole} runs no random read ends."
    ]
    first = [closed(drive, depth, FIRST, quick, size) for drive, size, depth in _waiting(quick)]
    deep = [over_runs(results, point, p50) for point in first]
    words.append(
        "**A stream goes first, age limit of 1 s**: beside a stream of depth 2 or more the median "
        f"random read takes {_said(deep, 'ms')}, and the longest one "
        f"{_said((over_runs(results, point, longest_s) for point in first), 's')}."
    )
    for size, name in SIZES.items():
        ones = [closed(drive, "1", FIRST, quick, size) for drive in _recent(quick)]
        words.append(
            f"**One read of {name} at a time, {_listed([d.name for d in _recent(quick)])}**: the "
            f"p99 of the random reads is {_said((over_runs(results, p, p99) for p in ones), 'ms')}"
            ". The stream has "
            + _said((over_runs(results, point, stream_mb_per_s) for point in ones), "MB/s")
            + " instead of "
            + _said(
                (
                    over_runs(results, stream_alone(drive, size, quick), stream_mb_per_s)
                    for drive in _recent(quick)
                ),
                "MB/s",
            )
            + " alone."
        )
    said = []
    for policy in POLICIES:
        point = with_policy(policy, NONE, quick)
        said.append(
            f"{policy} {_tail(results, point)}, "
            f"{_number(over_runs(results, point, stream_mb_per_s))} MB/s"
        )
    words.append(
        f"**Policies without a rule, {TODAY.name}, depth 4**, p99 of the random reads and the "
        f"stream's rate: {'; '.join(said)}."
    )
    said = []
    for bound, measure in fastest_stream(results, quick).items():
        if measure is None:
            said.append(f"P99 below {bound:,} ms: none of the measures")
            continue
        point = measured(measure, quick)
        said.append(
            f"P99 below {bound:,} ms: {measure.family} ({measure.name}; rules: "
            f"{measure.rules.name}), "
            f"{_number(over_runs(results, point, stream_mb_per_s))} MB/s"
        )
    words.append(
        f"**The fastest stream for a bound of the random reads, {TODAY.name}, depth 4**. "
        f"{'. '.join(said)}."
    )
    rate = _rates(quick)[-1]
    shapes = [
        f"{100 * max(shares):.0f} % {name}"
        for name, point in (
            ("with one read at a time", closed(TODAY, "4", LONGEST, quick)),
            (f"with {rate} reads/s", opened(rate, LONGEST, quick)),
        )
        if (shares := bin_shares(results, point))
    ]
    words.append(
        f"**The shape of the response times, {TODAY.name}, {LONGEST.name}**: a histogram has bins "
        f"by powers of two. Of all random reads its highest bin has {' and '.join(shapes) or '–'}. "
        "The histogram of the first drives in 11166 has 21 of its 136 reads there."
    )
    tags = [
        f"{_number(over_runs(results, point, stream_mb_per_s))} MB/s with {count} tags"
        for count, point in (("32", opened(rate, LONGEST, quick)), ("256", many_tags(quick)))
    ]
    words.append(
        f"**Tags, {rate} random reads/s, {LONGEST.name}**: the stream has {' and '.join(tags)}."
    )
    return tuple(words)


BOUNDS_MS = (50, 100, 200, 500, 1000)


def fastest_stream(results: Results, quick: bool) -> dict[int, Measure | None]:
    """By a bound of the p99 of the random reads in ms: the measure that keeps it with the fastest
    stream."""
    by_rate = sorted(
        MEASURES, key=lambda one: -over_runs(results, measured(one, quick), stream_mb_per_s).mean
    )
    return {
        bound: next(
            (one for one in by_rate if over_runs(results, measured(one, quick), p99).mean < bound),
            None,
        )
        for bound in BOUNDS_MS
    }


# What the reports say, and the claim that says the same of the model.
REPORTS = (
    (
        "15270",
        "on all tested drives the firmware breaks a linear pattern after a hard deadline of 1 to "
        "4 s, by the model",
        "limit-bounds",
    ),
    ("11166", "on some drives a single read of 4 KiB takes up to 4 s", "half-wait-for-the-limit"),
    ("11166", "sequential reads are preferred even at a queue depth of 1", "depth-one"),
    (
        "10253",
        "a WD Gold of 2 TB: two fio jobs, of which the random one mostly stalls",
        "half-wait-for-the-limit",
    ),
    ("10253", "the same drive: no stall with a queue depth of 1", "one-tag"),
    ("10253", "the same drive: the same stalls with a queue depth of 2", "two-tags"),
    (
        "11166",
        "with fewer background reads in the drive while others wait, the random reads during a "
        "scrub rise from 22 to 73 a second on one drive; without a scrub there are 166",
        "fewer-reads",
    ),
)


def reports_table(judged: Sequence[Claim]) -> Table:
    by_name = {claim.name: claim for claim in judged}
    return Table(
        "Beside the public reports",
        ("OpenZFS", "what it says", "claim below", "of the model"),
        tuple(
            (issue, said, f"`{name}`", by_name[name].verdict_text())
            for issue, said, name in REPORTS
        ),
    )


def _runs(results: Results, quick: bool) -> tuple[tuple[str, ...], ...]:
    def of(
        point: Point, drive: Drive, size: str, depth: str, rules: Rules, what: str
    ) -> Iterable[tuple[str, ...]]:
        for run in results[point]:
            yield (
                drive.name,
                SIZES[size],
                depth,
                rules.age,
                "true" if rules.first else "false",
                what,
                str(run["seed"]),
                *(_cell(value(run)) for value in VALUES.values()),
            )

    def _cell(value: float) -> str:
        return "" if math.isnan(value) else f"{value:.6g}"

    rows: list[tuple[str, ...]] = []
    for drive in _drives(quick):
        rows += of(random_alone(drive, quick), drive, "128k", "0", NONE, "no stream")
        for size in SIZES:
            for depth in _depths(quick, size):
                for rules in KINDS:
                    point = closed(drive, depth, rules, quick, size)
                    rows += of(point, drive, size, depth, rules, "")
            rows += of(stream_alone(drive, size, quick), drive, size, "4", NONE, "stream alone")
    for drive in _recent(quick):
        for rules in (NONE, FIRST):
            point = unoverlapped(drive, rules, quick)
            rows += of(point, drive, "128k", "1", rules, "bus.overlap = false")
    for rate in _rates(quick):
        for rules in (
            NONE,
            *(Rules(age, first) for age in _ages(quick) for first in (False, True)),
        ):
            point = opened(rate, rules, quick)
            rows += of(point, TODAY, "128k", "4", rules, f"random reads at {rate}/s")
    rows += of(
        many_tags(quick),
        TODAY,
        "128k",
        "4",
        LONGEST,
        f"random reads at {_rates(quick)[-1]}/s, 256 tags",
    )
    for policy in POLICIES:
        for rules in (NONE, LONGEST):
            point = with_policy(policy, rules, quick)
            rows += of(point, TODAY, "128k", "4", rules, f"policy {policy}")
    for measure in MEASURES:
        rows += of(measured(measure, quick), TODAY, "128k", "4", measure.rules, measure.id)
    return tuple(rows)


def histogram_table(results: Results, quick: bool) -> Table:
    """Shares of the random reads by response time, as the reports have them."""
    points = (
        ("no stream", random_alone(TODAY, quick)),
        *(
            (f"{rules.name}, one read at a time", closed(TODAY, "4", rules, quick))
            for rules in (AGE, *(Rules(age, True) for age in _ages(quick)))
        ),
        *(
            (f"{rules.name}, {_rates(quick)[-1]} reads/s", opened(_rates(quick)[-1], rules, quick))
            for rules in (Rules(age, True) for age in _ages(quick))
        ),
        (HUNDRED_MS.id, measured(HUNDRED_MS, quick)),
    )
    low = 3  # shorter ones are together
    header = (f"below {2**low} ms", *(f"{2 ** (number - 1):,}" for number in range(low + 1, BINS)))
    rows = []
    for name, point in points:
        shares = bin_shares(results, point)
        cells = (
            (sum(shares[: low + 1]), *shares[low + 1 :]) if shares else (math.nan,) * len(header)
        )
        rows.append(
            (name, *(ABSENT if math.isnan(x) else f"{100 * x:.1f}" if x else "" for x in cells))
        )
    return Table(
        "Histogram of the random reads: WD 22 TB, depth 4",
        ("% of the random reads that take at least ... ms", *header),
        tuple(rows),
    )


def report(results: Results, quick: bool) -> Report:
    judged = claims(results, quick)
    return Report(
        judged,
        (price_chart(results, quick), ages_chart(results, quick), histogram_chart(results, quick)),
        (
            policies_table(results, quick),
            rates_table(results, quick),
            histogram_table(results, quick),
            interface_table(results, quick),
            drives_table(results, quick),
        ),
        runs=(
            Table(
                "Every run",
                ("drive", "size", "depth", "age_limit_s", "stream_first", "what", "seed", *VALUES),
                _runs(results, quick),
                "runs.csv",
            ),
        ),
        first=(when_table(results, quick), measures_table(results, quick), reports_table(judged)),
        summary=findings(results, quick),
    )


INTRODUCTION = """
Users of hard disks report that single reads take seconds while a backup, a copy or a scrub reads
the same drive in order. This page shows when that happens on a drive of the model, which rule makes
it happen, and what helps against it. [In short](#in-short) has the results in words, which are
computed from the tables below it.

## The reports

The reports are issues and pull requests of [OpenZFS](https://github.com/openzfs/zfs). Their numbers
are in the [table](#beside-the-public-reports) beside the claims that say the same of the model.
Nothing in the model was fitted to them.

- [10253](https://github.com/openzfs/zfs/issues/10253): scrubs that read in order stall virtual
  machines. A test with fio on one drive alone, without ZFS, shows the same.
- [11166](https://github.com/openzfs/zfs/pull/11166): the change of ZFS's scheduler after that. It
  leaves fewer background reads in the drive while an interactive read waits. It has histograms of
  the response times before and after the change.
- [15270](https://github.com/openzfs/zfs/issues/15270): its author says what he saw on the drives
  that he tested.
- [6921](https://github.com/openzfs/zfs/issues/6921): an earlier report of a scrub. There the
  drives answer in 0.2 s, while reads wait 8 s in the queue of ZFS. So not every stall is one of the
  drive. This page has the drive's part only.

## Why a drive does it

A policy such as SPTF serves the nearest request next. A stream's next read begins where the last
one has ended, so it is the nearest one whenever it is in the drive in time. A random read waits
until it happens to be nearer. It may be so just after another random read, while the arm is away
from the stream. The firmware of drives therefore has an
[age limit](../../reference/policies.md#rules-of-the-firmware) (`controller.age_limit_s`): a request
that has waited this long goes first. The firmware may also prefer a stream whatever the policy says
(`controller.stream_first`). The shipped profiles have neither, because no data sheet has them. This
page sets them.

At a depth of 1 the stream has no read in the drive when its last one ends. Its next read comes only
when the host has the data. If the next access may begin while data is still on the bus
(`bus.overlap`), the arm leaves for the random read meanwhile.

A read that waits holds a tag of the drive's queue. When random reads hold all tags, the stream
waits in the host.

## What can be done

| where | measure |
| --- | --- |
| drive | `controller.age_limit_s`: a shorter age limit, and no preference for a stream |
| drive | `policy = "ASPTF(w)"`: the wait of a request counts |
| drive | `policy = "SFQ(C\\|D\\|B)"` or `"CELLO(C\\|D\\|B)"`: disk time by class |
| drive | `policy = "EDF"`: the random reads first, as continuous requests |
| drive | `deadline_ms` of the random reads, which the guard of SPTF keeps |
| drive | `port.token_rate_bytes_per_s`: a token bucket for the stream |
| host | `rate_iops` of the stream: a rate, as of a throttle in the host |
| host | `iodepth` of the stream: fewer of its reads in the drive at once |
| host | `queue.depth = 1`: no queue in the drive (NCQ off) |

With disk time by class the stream is of the class background, and the random reads are discrete.
The last three are what a host can do to the drive's queue: a throttle, fewer background reads as
after the change of ZFS, and a drive without a queue.

Linux's own schedulers are no measures of the table. They were run in a guest, on a drive with the
same rules: [Linux's schedulers beside a
stream](../../how_to/real_software.md#random-reads-beside-a-stream). Two facts on them:

- The limit `read_expire` of mq-deadline is
  [the time until a read is submitted](https://tangled.org/tjh.dev/kernel/blob/v5.7/block/mq-deadline.c)
  to the drive, 0.5 s by default. It does not bound the time in the drive.
- The authors of BFQ say that a drive with NCQ
  [may postpone requests](https://git.zx2c4.com/linux-dev/commit/?id=bcd5642607ab9195e22a1617d92fb82698d44448)
  as long as others give more throughput. Where BFQ guarantees a latency, it therefore waits until
  the drive is empty before it serves another process.

## The runs

`closed.toml` has a stream that reads the outer fifth of the drive in order. The stream has 1 to 32
reads of 128 KiB or 1 MiB in the drive at once. Beside it there is one random read of 4 KiB at a
time over the whole drive. In `open.toml` random reads arrive as a Poisson process, however many of
them wait. The policy is SPTF in firmware, unless a row says otherwise.

| drive | profile |
| --- | --- |
| WD 22 TB | `wd22tb`, from a data sheet |
| Exos X18 18 TB | `exos_x18_18tb`, from a data sheet |
| P300 3 TB | `p300_3tb`, from a data sheet and published measurements |
| Atlas 10K | `atlas10k_calibrated`, fitted to a measured trace, with an interface of 80 MB/s |

*What helps* begins with a stream that goes first and the longest age limit of the reports, 4 s,
unless the row has other rules. The token bucket holds back discrete and background requests. So the
random reads are continuous there, with a deadline of 100 s under a policy that ignores it. Under
EDF they have the same deadline. Beside a deadline the drive does not
[read on](../../reference/buffer.md#streams-in-the-queue) for a stream, which costs the stream some
of its rate.

*Longest* is the longest response time of a random read, or the time that a read has waited at the
end of the run. A run measures 60 s after 5 s, so a read that is never served has waited 65 s at the
end. The other columns have the reads that have ended, and a dash where none has. *Above 1 s* is the
share of these reads that took longer. Tables have means over the seeds. The file of means has the
intervals.

## Limits

- The rules of the firmware follow two sentences of the reports. How a firmware recognises a stream,
  and how many requests it serves before it returns, are
  [assumptions](../../reference/policies.md#rules-of-the-firmware).
- A drive of the model does not wait for the next read of a stream. A firmware that does would
  starve random reads at a depth of 1 too.
- The host issues the stream's next read in the instant in which it gets the data.
- There are no writes, and no file system.
- The histograms of 11166 are of pools of several drives, so they are compared in words only.
"""

STUDY = Study(
    "starvation",
    "How long random reads wait beside a stream",
    INTRODUCTION,
    plan,
    report,
    home=RESULTS,
)
