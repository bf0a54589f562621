# SPDX-License-Identifier: Apache-2.0
"""What a stream's guarantee means on drives with unreadable sectors: hiccups against the rate of
errors, with and without a limit of the recovery, on one drive and on a mirror."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from platter_lab.reproduce.claims import Claim, Criterion, Part, Unit, above, below
from platter_lab.reproduce.figures import Chart, Series
from platter_lab.reproduce.mixed_load import Metric, busy, hiccups
from platter_lab.reproduce.study import RESULTS, Plan, Report, Study, Table
from platter_lab.runs.point import Point
from platter_lab.runs.results import Results
from platter_lab.statistics import (
    ABSENT,
    Interval,
    exact,
    interval,
    interval_of_known,
    interval_text,
    jackknife,
)

FOLDER = RESULTS / "faults"
SEEDS = tuple(range(1, 17))
QUICK_SEEDS = SEEDS[:5]
FACTORS = (10, 100, 1000, 10_000)  # of the published rate
QUICK_FACTORS = (100, 1000)
RARE = (10, 100)  # the errors are so rare that one seldom meets the work that another has left
LIMITS = {"0": "none", "1000": "1,000 ms", "250": "250 ms", "100": "100 ms", "50": "50 ms"}
LIMITS["1"] = "one turn"  # less than a turn: one is spent in any case
MILLION = 1e6


@dataclass(frozen=True)
class System:
    """A drive, or several of them, with its light and its heavy rate of discrete requests."""

    name: str
    file: str
    rates: tuple[str, str]


DRIVE = System("one drive", "one_drive", ("25", "55"))
MIRROR = System("mirror of two drives", "mirror", ("40", "85"))
READABLE = System("readable after retries", "readable", DRIVE.rates)
SYSTEMS = (DRIVE, MIRROR)
LOADS = ("light", "heavy")


def _point(system: System, load: str, limit: str, factor: int | None, quick: bool) -> Point:
    """Without a factor the sectors are those that the scenario says."""
    drawn = () if factor is None else (("fault_process.rate_factor", str(factor)),)
    return Point(
        FOLDER / f"{system.file}.toml",
        (
            ("workload.discrete.rate_per_s", system.rates[LOADS.index(load)]),
            *(drawn if factor else (("fault_process.population", "none"),)),
            ("drive.recovery.limit_ms", limit),
        ),
        0.0,  # so that the counters, which hold the warm-up too, are those of the measured time
        60.0 if quick else 600.0,
    )


def _factors(quick: bool) -> tuple[int, ...]:
    return QUICK_FACTORS if quick else FACTORS


def plan(quick: bool) -> Plan:
    points = [
        _point(system, load, limit, factor, quick)
        for system in SYSTEMS
        for load in LOADS
        for factor in _factors(quick)
        for limit in LIMITS
    ]
    points += [_point(system, load, "0", 0, quick) for system in SYSTEMS for load in LOADS]
    points += [_point(READABLE, load, limit, None, quick) for load in LOADS for limit in LIMITS]
    return Plan(tuple(points), QUICK_SEEDS if quick else SEEDS)


# --- values of a run


def requests(result: dict[str, Any]) -> float:
    return float(result["classes"]["continuous"]["issued"])


def failed(result: dict[str, Any]) -> float:
    return float(result["classes"]["continuous"]["failed"])


def lost(result: dict[str, Any]) -> float:
    return hiccups(result) + failed(result)


def errors(result: dict[str, Any]) -> float:
    """Accesses that met a bad sector, of all classes."""
    return float(result.get("errors", {}).get("retried", 0))


def recovered(result: dict[str, Any]) -> float:
    return float(result.get("errors", {}).get("recovered", 0))


VALUES: dict[str, Metric] = {
    "requests": requests,
    "hiccups": hiccups,
    "failed": failed,
    "errors": errors,
    "recovered": recovered,
    "utilisation": busy,
}


def per_million(results: Results, point: Point, metric: Metric) -> Interval:
    return interval([MILLION * metric(run) / requests(run) for run in results[point]])


def per_error(results: Results, points: Iterable[Point], metric: Metric) -> Interval:
    """The sum of a metric over that of the errors, over all points, with the runs of a seed kept
    together; no data without errors."""
    together = list(zip(*(results[point] for point in points), strict=True))
    above, under = (
        [math.fsum(one(run) for run in runs) for runs in together] for one in (metric, errors)
    )
    if math.fsum(under) - max(under, default=0.0) <= 0:
        return interval([math.nan])
    return jackknife([above, under], lambda means: means[0] / means[1])


def _rare(quick: bool) -> tuple[int, ...]:
    return tuple(factor for factor in _factors(quick) if factor in RARE)


def cost(results: Results, system: System, load: str, limit: str, quick: bool) -> Interval:
    """Hiccups that an error costs where errors are rare."""
    points = [_point(system, load, limit, factor, quick) for factor in _rare(quick)]
    return per_error(results, points, hiccups)


def _rare_errors(results: Results, system: System, load: str, limit: str, quick: bool) -> float:
    return math.fsum(
        errors(run)
        for factor in _rare(quick)
        for run in results[_point(system, load, limit, factor, quick)]
    )


def bounded_cost(results: Results, system: System, load: str, limit: str, quick: bool) -> Interval:
    """The same for a claim: none seen in n errors means fewer than 3 in n, with 95 % confidence."""
    value = cost(results, system, load, limit, quick)
    if value.mean != 0 or value.high != 0:
        return value
    return replace(value, high=3 / _rare_errors(results, system, load, limit, quick))


def utilisation(results: Results, system: System, load: str, quick: bool) -> float:
    return interval(results.samples(_point(system, load, "0", 0, quick), busy)).mean


# --- tables


def _cell(value: Interval, digits: int = 3) -> str:
    return "0" if value.mean == value.low == value.high == 0 else interval_text(value, digits)


def cost_table(results: Results, quick: bool) -> Table:
    rows = [
        (
            system.name,
            f"{load}: {100 * utilisation(results, system, load, quick):.0f} %",
            f"{min(_rare_errors(results, system, load, limit, quick) for limit in LIMITS):.0f}",
            *(_cell(cost(results, system, load, limit, quick), 2) for limit in LIMITS),
        )
        for system in SYSTEMS
        for load in LOADS
    ]
    return Table(
        "Hiccups that an error costs, by the limit of the recovery",
        ("system", "load: utilisation without errors", "errors", *LIMITS.values()),
        tuple(rows),
    )


def readable_table(results: Results, quick: bool) -> Table:
    rows = []
    for load in LOADS:
        for limit, name in LIMITS.items():
            points = [_point(READABLE, load, limit, None, quick)]
            met, read = (
                math.fsum(metric(run) for run in results[points[0]])
                for metric in (errors, recovered)
            )
            rows.append(
                (
                    load,
                    name,
                    f"{met:.0f}",
                    f"{100 * read / met:.0f} %" if met else ABSENT,
                    *(
                        _cell(per_error(results, points, metric), 2)
                        for metric in (hiccups, failed, lost)
                    ),
                )
            )
    return Table(
        "Sectors that a retry can read: one drive",
        (
            "load",
            "limit",
            "errors",
            "read after retries",
            "hiccups per error",
            "failed per error",
            "hiccups and failed per error",
        ),
        tuple(rows),
    )


def rate_table(results: Results, system: System, quick: bool) -> Table:
    rows = []
    for load in LOADS:
        for factor in _factors(quick):
            for limit, name in LIMITS.items():
                point = _point(system, load, limit, factor, quick)
                rows.append(
                    (
                        load,
                        f"{factor:,}",
                        name,
                        *(
                            _cell(per_million(results, point, metric))
                            for metric in (errors, hiccups, failed)
                        ),
                        _cell(per_error(results, [point], hiccups), 2),
                    )
                )
    return Table(
        f"By the rate of errors: {system.name}",
        (
            "load",
            "factor of the rate",
            "limit",
            "errors per 10^6",
            "hiccups per 10^6",
            "failed per 10^6",
            "hiccups per error",
        ),
        tuple(rows),
    )


def charts(results: Results, quick: bool) -> tuple[Chart, ...]:
    def seen(system: System, load: str, limit: str, factor: int) -> Interval | None:
        value = per_million(results, _point(system, load, limit, factor, quick), lost)
        return value if value.mean > 0 else None

    def chart(system: System, load: str) -> Chart:
        lines = tuple(
            Series(
                f"limit: {name}", factors, [seen(system, load, limit, factor) for factor in factors]
            )
            for limit, name in LIMITS.items()
        )
        return Chart(
            f"{system.file}_{load}.svg",
            f"Hiccups and failed requests: {system.name}, {load} load",
            "factor of the published rate of errors",
            "per 10^6 continuous requests",
            lines,
            log_x=True,
            log_y=any(value for line in lines for value in line.y),
        )

    factors = _factors(quick)
    return tuple(chart(system, load) for system in SYSTEMS for load in LOADS)


# --- claims


def _each(values: Sequence[tuple[str, Interval]], criterion: Criterion) -> tuple[Part, ...]:
    return tuple(Part(label, value, criterion) for label, value in values)


def claims(results: Results, quick: bool) -> tuple[Claim, ...]:
    places = [(system, load) for system in SYSTEMS for load in LOADS]

    def costs(limit: str) -> list[tuple[str, Interval]]:
        return [
            (f"{system.name}, {load} load", bounded_cost(results, system, load, limit, quick))
            for system, load in places
        ]

    def count(point: Point, metric: Metric) -> Interval:
        runs = results[point]
        return exact(math.fsum(metric(run) for run in runs), len(runs))

    whole = [
        (f"{system.name}, {load} load", count(_point(system, load, "0", 0, quick), hiccups))
        for system, load in places
    ]
    mirrored = [
        (
            f"limit {name}, {load} load, factor {factor:,}",
            count(_point(MIRROR, load, limit, factor, quick), failed),
        )
        for load in LOADS
        for factor in _factors(quick)
        if factor <= 1000
        for limit, name in LIMITS.items()
    ]
    saved = [
        (
            f"{system.name}, {load} load",
            interval_of_known(
                [
                    hiccups(short) / late if (late := hiccups(long)) else math.nan
                    for short, long in zip(
                        results[_point(system, load, "250", 1000, quick)],
                        results[_point(system, load, "0", 1000, quick)],
                        strict=True,
                    )
                ]
            ),
        )
        for system, load in places
    ]
    return (
        Claim(
            "no-errors",
            "Without errors the guard keeps every deadline.",
            "nothing",
            Unit.COUNT,
            "hiccups of all runs",
            _each(whole, below(1)),
        ),
        Claim(
            "no-limit",
            "Without a limit, an error makes more than one continuous request late.",
            "nothing",
            Unit.RATIO,
            "hiccups per error",
            _each(costs("0"), above(1)),
        ),
        Claim(
            "short-limit",
            "A limit of 250 ms saves most of these hiccups, at 1,000 times the published rate.",
            "nothing",
            Unit.RATIO,
            "hiccups over those without a limit",
            _each(saved, below(0.5)),
        ),
        Claim(
            "one-turn",
            "With a limit of one turn fewer than one error in a hundred costs a hiccup.",
            "nothing",
            Unit.RATIO,
            "hiccups per error",
            _each(costs("1"), below(0.01)),
        ),
        Claim(
            "mirror-reads",
            "On the mirror no continuous request fails at up to 1,000 times the published rate.",
            "nothing",
            Unit.COUNT,
            "failed requests of all runs",
            _each(mirrored, below(1)),
        ),
    )


# --- words


def _about(value: Interval) -> str:
    return f"{float(f'{value.mean:.2g}'):,g}"


def _range(values: Iterable[Interval]) -> str:
    known = sorted((one for one in values if not math.isnan(one.mean)), key=lambda one: one.mean)
    if not known:
        return "no data"
    low, high = _about(known[0]), _about(known[-1])
    return low if low == high else f"{low} to {high}"


def _fewest(results: Results, load: str, quick: bool) -> tuple[list[str], Interval] | None:
    """The limit with the fewest hiccups and failed requests of sectors that a retry can read, and
    those whose intervals overlap with its own."""
    found = {
        name: value
        for limit, name in LIMITS.items()
        for value in (per_error(results, [_point(READABLE, load, limit, None, quick)], lost),)
        if not math.isnan(value.mean)
    }
    if not found:
        return None
    best = min(found.values(), key=lambda value: value.mean)
    return [name for name, value in found.items() if value.low <= best.high], best


def findings(results: Results, quick: bool) -> tuple[str, ...]:
    runs = [
        run
        for system in SYSTEMS
        for load in LOADS
        for run in results[_point(system, load, "0", 0, quick)]
    ]
    words = [
        "**What the guard promises**: the guard reserves the time of accesses that need no retry, "
        "so its promise holds in rounds without errors. In the runs without errors "
        f"{sum(map(hiccups, runs)):.0f} of {sum(map(requests, runs)):,.0f} continuous requests "
        "are late."
    ]
    for system in SYSTEMS:
        said = "; ".join(
            f"{name}: {_range(cost(results, system, load, limit, quick) for load in LOADS)}"
            for limit, name in LIMITS.items()
        )
        words.append(f"**Hiccups that an error costs, {system.name}**, by the limit: {said}.")
    often = _rare(quick)[-1]
    for system in SYSTEMS:
        without, with_one = (
            _range(
                per_million(results, _point(system, load, limit, often, quick), lost)
                for load in LOADS
            )
            for limit in ("0", "1")
        )
        words.append(
            f"**At {often} times the published rate, {system.name}**: without a limit {without} of "
            f"10^6 continuous requests are late or fail. With a limit of one turn it is {with_one}."
        )
    words += [
        f"**Sectors that a retry can read, one drive, {load} load**: the limit with the fewest "
        f"hiccups and failed requests is {' or '.join(found[0])}, with {_about(found[1])} per "
        "error."
        for load in LOADS
        if (found := _fewest(results, load, quick))
    ]
    return tuple(words)


def _runs(results: Results, quick: bool) -> tuple[tuple[str, ...], ...]:
    places: list[tuple[System, str, str, int | None]] = [
        (system, load, limit, factor)
        for system in SYSTEMS
        for load in LOADS
        for factor in (0, *_factors(quick))
        for limit in (LIMITS if factor else ("0",))
    ]
    places += [(READABLE, load, limit, None) for load in LOADS for limit in LIMITS]
    return tuple(
        (
            system.name,
            load,
            "" if factor is None else str(factor),
            limit,
            str(run["seed"]),
            *(f"{metric(run):.6g}" for metric in VALUES.values()),
        )
        for system, load, limit, factor in places
        for run in results[_point(system, load, limit, factor, quick)]
    )


def report(results: Results, quick: bool) -> Report:
    return Report(
        claims(results, quick),
        charts(results, quick),
        tuple(rate_table(results, system, quick) for system in SYSTEMS),
        runs=(
            Table(
                "Every run",
                ("system", "load", "rate_factor", "limit_ms", "seed", *VALUES),
                _runs(results, quick),
                "runs.csv",
            ),
        ),
        first=(cost_table(results, quick), readable_table(results, quick)),
        summary=findings(results, quick),
    )


_SYSTEM_ROWS = "\n".join(
    f"| {system.name} | `{system.file}.toml` | {' | '.join(system.rates)} |"
    for system in (*SYSTEMS, READABLE)
)

INTRODUCTION = f"""
A drive that cannot read a sector at once tries again, turn after turn. Every other request waits
meanwhile. This page says what that does to the streams whose deadlines the
[guard](../../reference/glossary.md#guard) keeps, and what a limit of the
[recovery](../../reference/reliability.md#recovery) changes. [In short](#in-short) has the results
in words, which are computed from the tables below it.

## What the guard promises

The guard lets a discrete request go first only if the continuous requests of the round still meet
their deadlines. It computes with the time of accesses that need no retry. No key makes it set time
aside for recovery, and the reservation of the [media server](../../reference/media_server.md) has
none either. The guarantee therefore reads: *no continuous request is late in a round in which no
access meets a bad sector, and to which no work of an earlier recovery is left*.

With errors, a deadline is met if the round has enough time left when the recovery ends. The time
that is left depends on the load:

    time left = round - accesses of the streams - accesses of discrete requests that went first

A recovery that lasts longer than that makes the rest of the sweep late. It may also delay the next
round, which then begins with work that is left over.

## Which limit to choose

`recovery.limit_ms` bounds the time that one command spends on recovery. The host can set the same
limit by SCT error recovery control.

- **With a second copy, choose a short limit**, down to one turn. The array reads the other copy,
  and then writes the bad sector again. Retries gain nothing that the copy does not have.
- **With one copy, choose a limit below the time left.** A read that ends at the limit fails, and
  its fragment is lost. A longer limit saves the fragments that the retries in between can read.
  Beyond the time left, it makes fragments of other streams late. The table of
  [readable sectors](#sectors-that-a-retry-can-read-one-drive) has both numbers. End the limit just
  behind a step of the ladder, because the time up to the next step reads nothing.
- **Without a limit there is no guarantee for the rounds after an error.** The whole ladder takes
  longer than a round.
- **To keep the deadlines with one error a round, leave time for it.** The limit and one more access
  have to fit into each round. So admit fewer streams, and bound the discrete requests. The guard
  does not check this.

## The runs

The drive is the calibrated Atlas 10K with an interface of 80 MB/s, a queue of 256 and guarded SPTF
in firmware. A round lasts one second. One drive has 25 streams, the mirror has 50. A discrete
request is a read with probability 0.8, and has 70 KB on average. The light and the heavy load
differ in the rate of discrete requests:

| system | scenario | light (requests/s) | heavy (requests/s) |
| --- | --- | --- | --- |
{_SYSTEM_ROWS}

`fault_process` [draws](../../reference/reliability.md#drawn-faults) unreadable sectors for nearline
drives of 32 months. At the published rate (factor 1) a drive has 0.089 clusters of errors. A factor
multiplies this number. No retry can read these sectors. In `readable.toml` each of the twelve steps
of the ladder is the one that reads 2,000 blocks, at places that are spread over the drive.

The ladder is that of the [default profile](../../reference/reliability.md#recovery). On this drive
its first step takes 78 ms, the second 90 ms, the third 305 ms, and all steps 1.9 s.

An *error* is an access of any class that meets a bad sector. A *failed* request is a continuous
request that ends without its data. It is no [hiccup](../../reference/glossary.md#hiccup). Rates are
per 10^6 continuous requests. Hiccups per error are sums over sums of all seeds, with an interval by
the jackknife. In the table of what an error costs they are those at factors of 10 and 100, at which
errors seldom come together. That table also has the number of errors with each limit, which is the
smallest of the six. A 0 without an interval is a count of none in all runs. With 95 % confidence
fewer than 3 in n of such errors cost a hiccup, where n is their number. A figure has no point where
nothing was late and nothing failed.
"""

STUDY = Study(
    "faults", "What a guarantee means with errors", INTRODUCTION, plan, report, home=RESULTS
)
