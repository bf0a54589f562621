# SPDX-License-Identifier: Apache-2.0
"""The comparison of `eager_writing` over several drives with the data's copies: which claims carry
over to an array."""

from __future__ import annotations

from functools import partial

from platter_lab.reproduce import eager_writing
from platter_lab.reproduce.claims import Claim
from platter_lab.reproduce.eager_writing import HALF, POLICIES, QUEUE, View
from platter_lab.reproduce.interpretations import judge
from platter_lab.reproduce.study import PAPERS, Plan, Report, Study, Table
from platter_lab.runs.point import Point
from platter_lab.runs.results import Results
from platter_lab.statistics import interval, interval_text

FOLDER = PAPERS / "ew-array"
SEEDS = (1, 2, 3)
ONE = "one drive"
TWO_COPIES = "four drives, two copies"

# Drives, copies, and the answer to a write.
LAYOUTS = {
    ONE: (1, 1, "all"),
    "four drives": (4, 1, "all"),
    TWO_COPIES: (4, 2, "all"),
    "four drives, two copies, first answers": (4, 2, "first"),
}


def _layouts(quick: bool) -> tuple[str, ...]:
    return (ONE, TWO_COPIES) if quick else tuple(LAYOUTS)


def grid(quick: bool) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Queue lengths a drive of figure 4, and percentages of reads of figure 5."""
    return (
        ((8, QUEUE), (10, HALF, 100))
        if quick
        else ((4, 8, QUEUE, 128), (10, 30, 40, HALF, 60, 90, 100))
    )


def point(policy: str, queue: int, reads: int, layout: str) -> Point:
    """`queue` is for each drive, as if nothing were copied."""
    drives, copies, answer = LAYOUTS[layout]
    array = (
        (
            ("host.kind", "array"),
            ("array.drives", str(drives)),
            ("array.copies", str(copies)),
            ("array.answer", answer),
        )
        if drives > 1
        else ()
    )
    settings = (
        ("policy", eager_writing.IN_PLACE.get(policy, policy)),
        *((("eager.enabled", "false"),) if policy in eager_writing.IN_PLACE else ()),
        *array,
        ("workload.discrete.outstanding", str(drives * queue)),
        ("workload.discrete.read_fraction", f"{reads / 100:g}"),
    )
    return Point(FOLDER / "scenario.toml", settings, 10.0, 30.0)


def _loads(quick: bool) -> list[tuple[int, int]]:
    queues, ratios = grid(quick)
    return list(
        dict.fromkeys([(queue, HALF) for queue in queues] + [(QUEUE, reads) for reads in ratios])
    )


def plan(quick: bool) -> Plan:
    return Plan(
        tuple(
            point(policy, queue, reads, layout)
            for layout in _layouts(quick)
            for policy in POLICIES
            for queue, reads in _loads(quick)
        ),
        SEEDS,
    )


RUN_HEADER = ("layout", "policy", "queue_a_drive", "reads_percent", "seed", "requests_per_s")


def report(results: Results, quick: bool) -> Report:
    views = {
        layout: View(results, *grid(quick), partial(point, layout=layout), len(SEEDS))
        for layout in _layouts(quick)
    }
    judged = eager_writing.paper_claims()
    claims: dict[str, list[Claim]] = {
        layout: [judge(one, view, {}) for one in judged] for layout, view in views.items()
    }
    carried = Table(
        "Which claims carry over",
        ("claim", *claims),
        tuple(
            (one.text, *(claims[layout][i].verdict_text() for layout in claims))
            for i, one in enumerate(judged)
        ),
    )
    shown = tuple(
        claim.named(f"{layout}: {claim.name}", f"{layout}: {claim.text}")
        for layout in views
        if layout != ONE
        for claim in claims[layout]
    )
    tables = [
        carried,
        *(
            Table(
                f"Requests per second, {HALF} % reads, queue of {QUEUE} a drive",
                ("layout", *POLICIES),
                tuple(
                    (
                        layout,
                        *(
                            interval_text(interval(view.samples(policy, QUEUE, HALF)), 4)
                            for policy in POLICIES
                        ),
                    )
                    for layout, view in views.items()
                ),
            ),
        ),
    ]
    rows = tuple(
        (layout, policy, str(queue), str(reads), str(seed), f"{value:.9g}")
        for layout, view in views.items()
        for policy in POLICIES
        for queue, reads in _loads(quick)
        for seed, value in zip(SEEDS, view.samples(policy, queue, reads), strict=True)
    )
    return Report(
        shown,
        views[TWO_COPIES].charts("", f", {TWO_COPIES}", POLICIES, " a drive"),
        tuple(tables),
        runs=(Table("Every run", RUN_HEADER, rows, "runs.csv"),),
    )


INTRODUCTION = """
This study runs the load of [eager-writing](../eager-writing/README.md) on an \
[EW-Array](../../reference/eager_writing.md#ew-array). The array
has four of the same drives, in blocks of 4 KB. Each block is on one drive or on two. The length \
of the queue is stated *for each drive*, as if
nothing were copied. A read goes to the copy with the shorter queue. A write goes to all copies, \
and either the last or the first of them answers
it.

The criteria are those of the page of eager writing, whose claims are about one drive. The first \
table compares each array's verdicts with those
of one drive, in runs of the same, shorter length. `SATF` and `SCAN` are the same array without \
eager writing.
"""

STUDY = Study("ew-array", "Eager writing over several drives", INTRODUCTION, plan, report)
