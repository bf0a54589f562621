# SPDX-License-Identifier: Apache-2.0
"""A bound of a load, what proves it, and what policies and schedules reach of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from platter_lab import LabError, StudyFailed
from platter_lab.arrays import Ints
from platter_lab.bound.check import MOST_REQUESTS, Refused, check
from platter_lab.bound.dual import Walks, assignment_duals, walk_prices
from platter_lab.bound.instance import Instance
from platter_lab.bound.load import Load, of_log, read_log, rounds_of
from platter_lab.bound.schedule import anneal, beam, shortest_first

# Every policy of `platter list policies` that needs no eager writing, with the parameters of the
# shipped scenarios and studies.
POLICIES = (
    "FCFS",
    "SSTF",
    "SCAN",
    "LOOK",
    "C-LOOK",
    "V(0.2)",
    "EDF",
    "SCAN-EDF",
    "RR",
    "GSS(5)",
    "SPTF",
    "SPTF(next-C)",
    "SPTF(unguarded)",
    "SPTF(margin)",
    "SATF-risk",
    "ASPTF(0.05)",
    "TPS:SCAN/SCAN",
    "TPS:SCAN/(SCAN/CI-OPT(6))",
    "OPS:FAMISH",
    "OPS:FAMISH(late)",
    "OPS:SCAN/CI-SPTF",
    "OPS:SCAN/CI-OPT(6)",
    "OPS:SCAN/CLUST-REQ(6)",
    "OPS:SCAN/CLUST-CYL(6|100)",
    "OPS:SLACK(4|0.5)",
    "CELLO(1|1|0)",
    "SFQ(1|1|0)",
)
_FIRST = 1.5  # times as many as the best policy completes: the first number that is tried
_NUMBERS = 3  # that are tried
_ABOVE = 1.1  # a time that some schedule reaches, in times of the end of the rounds, is about this
_SLACK = 2.0  # how much more requests beside streams are looked at than the best policy completes


@dataclass
class Compared:
    """A policy beside the bound. `value`: ms, or requests; `distance`: how far it is from the
    bound, in percent of it.
    """

    policy: str
    value: float
    distance: float
    late: int = 0


@dataclass
class Outcome:
    """A bound, what proves it, and what reaches how much of it."""

    drive: str
    requests: int
    depth: int
    completions: int
    bound_ps: int
    certificate: dict[str, Any] = field(repr=False)
    best_ps: int | None = None
    rounds: int = 0
    most: int | None = None  # requests beside streams that can be completed at most
    policies: list[Compared] = field(default_factory=list)
    unmet: list[str] = field(default_factory=list)  # policies that this load cannot be run with

    def numbers(self) -> dict[str, Any]:
        whole = asdict(self)
        del whole["certificate"]
        return whole


def certified(instance: Instance, multipliers: Ints, kind: str, platter: Path) -> dict[str, Any]:
    """A certificate with the bound that its check proves."""
    certificate: dict[str, Any] = {
        "format": 1,
        "kind": kind,
        "drive": instance.drive,
        "depth": instance.depth,
        "completions": instance.completions,
        "requests": [[r.op, r.first, r.blocks, r.order, r.round] for r in instance.requests],
        "multipliers_ps": [int(one) for one in multipliers],
        "bound_ps": -(1 << 62),
    }
    try:
        certificate["bound_ps"] = check(certificate, str(platter))
    except Refused as error:
        raise StudyFailed(f"no bound has been proven: {error}") from error
    return certificate


def _best(instance: Instance, prices: Ints, steps: int, others: Sequence[list[int]]) -> list[int]:
    """The best schedule that is found. `others`: schedules that are known."""
    found = [shortest_first(instance), beam(instance, prices), *others]
    if steps:
        best = min(found, key=instance.time_of)
        found.append(anneal(instance, best, steps, 1))
    return min(found, key=instance.time_of)


def of_closed_load(
    load: Load, completions: int, policies: Sequence[str], iterations: int, steps: int
) -> Outcome:
    """Of a load without deadlines."""
    depth = load.depth
    instance = load.instance(load.discrete(depth + completions - 1), depth, completions)
    greedy = instance.time_of(shortest_first(instance))
    compared, schedules, unmet = [], [], []
    for policy in policies:
        try:
            time, order = load.times(policy, completions, greedy)
        except LabError as error:
            if isinstance(error, StudyFailed):
                raise
            unmet.append(policy)
            continue
        compared.append((policy, time))
        schedules.append(order)
    above = min([greedy, *(time for _, time in compared)]) * 1e-9
    first = walk_prices(instance, above, 0)
    prices = walk_prices(instance, above, iterations, first)
    certificate = certified(instance, prices, "walk", load.platter)
    bound = int(certificate["bound_ps"])
    best = _best(instance, first, steps, schedules)
    return Outcome(
        load.keys["drive"]["name"],
        instance.n,
        depth,
        completions,
        bound,
        certificate,
        instance.time_of(best),
        policies=[Compared(p, t * 1e-9, 100 * (t / bound - 1)) for p, t in compared],
        unmet=unmet,
    )


def of_rounds(load: Load, rounds: int, policies: Sequence[str], iterations: int) -> Outcome:
    """Of a closed load beside streams: the most requests outside of rounds that can be completed in
    the first rounds, if no request of a stream is late.
    """
    served, unmet = [], []
    for policy in policies:
        try:
            served.append((policy, *load.served(policy, rounds)))
        except LabError as error:
            if isinstance(error, StudyFailed):
                raise
            unmet.append(policy)
    in_time = [done for _, done, late in served if late == 0]
    if not in_time:
        raise StudyFailed(
            f"{load.scenario}: each of the policies {', '.join(policies)} is late for a stream; "
            "expected one that is not"
        )
    instance = rounds_of(load, rounds, int(max(in_time) * _SLACK) + 10)
    streams, end = instance.before[-1], rounds * load.round_ps
    # Multipliers that are good for one number bound the others as well.
    whole = Walks(instance)
    top = instance.completions - streams
    target, proven = min(top, int(max(in_time) * _FIRST)), top + 1
    kept: Ints = np.zeros(0, np.int64)
    for _ in range(_NUMBERS):
        part = instance.of(streams + target)
        first = walk_prices(part, 0, 0)
        prices = walk_prices(part, end * _ABOVE * 1e-9, iterations, first)
        curve = whole.curve(prices)
        reached = next((n for n in range(top) if curve[streams + n] > end), top)
        if reached + 1 < proven:
            proven, kept = reached + 1, prices
        elif kept.size:
            break
        target = min(top, reached + 1)
    if not kept.size or proven > top:
        raise StudyFailed(
            f"{load.scenario}: no bound of at most {top} requests beside the streams was found"
        )
    part = instance.of(streams + proven)
    certificate = certified(part, kept, "walk", load.platter)
    if int(certificate["bound_ps"]) <= end:
        raise StudyFailed("the check proves less than the search")
    most = proven - 1
    return Outcome(
        load.keys["drive"]["name"],
        part.n,
        instance.depth,
        part.completions,
        int(certificate["bound_ps"]),
        certificate,
        rounds=rounds,
        most=most,
        policies=[Compared(p, done, 100 * (1 - done / most), late) for p, done, late in served],
        unmet=unmet,
    )


def of_batch(load: Load, count: int, steps: int) -> Outcome:
    """Of requests that are all known from the start, beside the order of SPTF."""
    instance = load.instance(load.discrete(count), count, count)
    certificate = certified(instance, assignment_duals(instance), "assignment", load.platter)
    bound = int(certificate["bound_ps"])
    greedy = instance.time_of(shortest_first(instance))
    best = _best(instance, np.zeros(count, np.int64), steps, [])
    return Outcome(
        load.keys["drive"]["name"],
        count,
        count,
        count,
        bound,
        certificate,
        instance.time_of(best),
        policies=[Compared("SPTF", greedy * 1e-9, 100 * (greedy / bound - 1))],
    )


def of_recorded(load: Load, log: Path, depth: int | None, iterations: int, steps: int) -> Outcome:
    """Of the requests of a log, all of which are served."""
    rows = read_log(log)
    if len(rows) > MOST_REQUESTS:
        raise LabError(f"{log}: found {len(rows)} requests, expected at most {MOST_REQUESTS}")
    if depth is not None:  # a request that has not ended is no row, and takes no place
        rows = [replace(r, number=n) for n, r in enumerate(sorted(rows, key=lambda r: r.number))]
    instance = of_log(rows, load, depth)
    if instance.depth > int(instance.order.max()):
        certificate = certified(instance, assignment_duals(instance), "assignment", load.platter)
        first: Ints = np.zeros(instance.n, np.int64)
    else:
        above = instance.time_of(shortest_first(instance)) * 1e-9
        first = walk_prices(instance, above, 0)
        prices = walk_prices(instance, above, iterations, first)
        certificate = certified(instance, prices, "walk", load.platter)
    place = {int(order): i for i, order in enumerate(instance.order)}
    recorded = [place[row.number] for row in sorted(rows, key=lambda row: row.completed_ps)]
    bound, took = int(certificate["bound_ps"]), max(row.completed_ps for row in rows)
    best = _best(instance, first, steps, [recorded] if depth is None else [])
    return Outcome(
        load.keys["drive"]["name"],
        instance.n,
        min(instance.depth, int(instance.order.max()) + 1),
        instance.completions,
        bound,
        certificate,
        instance.time_of(best),
        policies=[Compared("recorded", took * 1e-9, 100 * (took / bound - 1))],
    )
