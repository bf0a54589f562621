# SPDX-License-Identifier: Apache-2.0
"""Zhang, Yu, Krishnamurthy, Wang: "Configuring and Scheduling an Eager-Writing Disk Array for a
Transaction Processing Workload", the comparison of eager-writing scheduling algorithms."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

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
)
from platter_lab.reproduce.figures import Chart, Series
from platter_lab.reproduce.interpretations import DEFAULT, Interpretation, Judged, judge
from platter_lab.reproduce.mixed_load import number_or_nan
from platter_lab.reproduce.study import PAPERS, Plan, Report, Study, Table
from platter_lab.runs.point import Point
from platter_lab.runs.results import Results
from platter_lab.statistics import interval, interval_text, paired_ratio

FOLDER = PAPERS / "eager-writing"
SCENARIO = FOLDER / "scenario.toml"
SEEDS = (1, 2, 3, 4, 5)

SATF_EW, FREEBW_SATF, FREEBW_SCAN, HYBRID = "SATF-EW", "FreeBW-SATF", "FreeBW-SCAN", "FreeBW-Hybrid"
FOUR = (SATF_EW, FREEBW_SATF, FREEBW_SCAN, HYBRID)
READ_FIRST = "Read-First"
CREDIT = "Credit-EW"  # ours
SATF, SCAN = "SATF", "SCAN"  # in place, on a disk without eager writing
IN_PLACE = {SATF: "SPTF(unguarded)", SCAN: "LOOK"}
POLICIES = (*FOUR, READ_FIRST, CREDIT, SATF, SCAN)

QUEUES = (1, 2, 4, 8, 16, 32, 64, 128)
QUEUE = 64  # of figure 5
HALF = 50  # percent of reads of figure 4

DEFAULT_OVERHEAD_MS = 0.8
OVERHEADS_MS = (0.0, 0.4, 0.6, DEFAULT_OVERHEAD_MS, 1.0, 1.2, 1.5)
_OVERHEAD_KEYS = (
    "read_miss_after_read_us",
    "read_miss_after_write_us",
    "write_after_read_us",
    "write_after_write_us",
)
_BUS = "6.4"  # us a sector, of the drive's own profile

FREEBW = (FREEBW_SATF, FREEBW_SCAN, HYBRID)
EAGER = frozenset({*FOUR, READ_FIRST, CREDIT})
INTERPRETATIONS = (
    *(
        Interpretation(
            f"overhead {ms} ms",
            f"a command costs {ms} ms of the drive's time, while the disk turns and the arm rests",
            tuple((f"drive.overhead.{key}", f"{1000 * ms:g}") for key in _OVERHEAD_KEYS),
        )
        for ms in OVERHEADS_MS
        if ms != DEFAULT_OVERHEAD_MS
    ),
    Interpretation(
        "reads bound",
        "the search for free blocks goes in one direction, and this direction binds the reads, too",
        (("eager.bind_reads", "true"),),
        affects=EAGER,
    ),
    Interpretation(
        "random free space",
        "the free blocks lie at random places when a run begins, without ageing",
        (("eager.ageing_turnovers", "0"),),
        affects=EAGER,
    ),
    Interpretation(
        "bus",
        "data crosses a bus of 80 MB/s; a read is answered 6.4 us after its access, too late for "
        "its replacement to take part in the next decision",
        (("drive.bus.read_block_us", _BUS), ("drive.bus.write_block_us", _BUS)),
    ),
    Interpretation(
        "decisions take time",
        "a decision takes 120 cycles of the controller's firmware and 60 for each candidate, at "
        "200 MHz; the arm waits for it if a replacement came as the access ended",
        (
            ("drive.controller.firmware_base_cycles", "120"),
            ("drive.controller.firmware_candidate_cycles", "60"),
        ),
    ),
)


def _grid(
    quick: bool, interpretation: Interpretation = DEFAULT
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Queue lengths of figure 4 and percentages of reads of figure 5; fewer under other
    interpretations than the default."""
    if quick:
        return (1, 8, 64, 128), (10, 50, 90, 100)
    if interpretation is DEFAULT:
        return QUEUES, tuple(range(0, 101, 10))
    return (4, 8, 16, 32, QUEUE, 128), (10, 20, 30, 40, 50, 60, 70, 90, 100)


def _seeds(interpretation: Interpretation) -> tuple[int, ...]:
    return SEEDS if interpretation is DEFAULT else SEEDS[:3]


def _interpretations(quick: bool) -> tuple[Interpretation, ...]:
    """The other interpretations, beside the default's overhead."""
    return tuple(
        interpretation
        for interpretation in INTERPRETATIONS
        if not quick
        or interpretation.name
        not in ("overhead 0.4 ms", "overhead 0.6 ms", "overhead 1.0 ms", "overhead 1.2 ms")
    )


def _overheads(quick: bool) -> tuple[float, ...]:
    names = {interpretation.name for interpretation in _interpretations(quick)}
    return tuple(
        ms for ms in OVERHEADS_MS if ms == DEFAULT_OVERHEAD_MS or f"overhead {ms} ms" in names
    )


def _point(
    policy: str, queue: int, reads: int, quick: bool, interpretation: Interpretation = DEFAULT
) -> Point:
    settings = (
        ("policy", IN_PLACE.get(policy, policy)),
        *((("eager.enabled", "false"),) if policy in IN_PLACE else ()),
        ("workload.discrete.outstanding", str(queue)),
        ("workload.discrete.read_fraction", f"{reads / 100:g}"),
        *(interpretation.settings if interpretation.touches(policy) else ()),
    )
    return Point(SCENARIO, settings, 5.0 if quick else 20.0, 25.0 if quick else 100.0)


def _loads(quick: bool, interpretation: Interpretation = DEFAULT) -> list[tuple[int, int]]:
    """Queue length and percentage of reads of every point of the two figures, each once."""
    queues, ratios = _grid(quick, interpretation)
    return list(
        dict.fromkeys([(queue, HALF) for queue in queues] + [(QUEUE, reads) for reads in ratios])
    )


def plan(quick: bool) -> Plan:
    def points(interpretation: Interpretation) -> list[Point]:
        return [
            _point(policy, queue, reads, quick, interpretation)
            for policy in POLICIES
            for queue, reads in _loads(quick, interpretation)
        ]

    default = tuple(points(DEFAULT))
    further = dict.fromkeys(
        point
        for interpretation in _interpretations(quick)
        for point in points(interpretation)
        if point not in default
    )
    return Plan(default, SEEDS, further=tuple((point, SEEDS[:3]) for point in further))


Metric = Callable[[dict[str, Any]], float]


def throughput(result: dict[str, Any]) -> float:
    """Requests per second."""
    return float(result["throughput"]["requests_per_s"])


def reads_ms(result: dict[str, Any]) -> float:
    """Mean response time of the reads; not a number where there is none."""
    return _mean_ms(result, "reads")


def writes_ms(result: dict[str, Any]) -> float:
    """Mean response time of the writes; not a number where there is none."""
    return _mean_ms(result, "writes")


def _mean_ms(result: dict[str, Any], operation: str) -> float:
    load = result["classes"]["discrete"].get(operation)
    return number_or_nan(load["response_ms"]["mean"]) if load else math.nan


def penalty(result: dict[str, Any]) -> float:
    """How much longer a write takes than a read."""
    return writes_ms(result) / reads_ms(result)


def imbalance(result: dict[str, Any]) -> float:
    """The longer mean response, of reads or of writes, over the shorter one."""
    ratio = penalty(result)
    return max(ratio, 1 / ratio)


def gap_ms(result: dict[str, Any]) -> float:
    """The rotational wait of a read that writes may go into, on average."""
    return number_or_nan(result["eager"]["gaps"]["mean_ms"])


def hidden_share(result: dict[str, Any]) -> float:
    """Of the writes, those in a gap."""
    eager = result["eager"]
    return eager["hidden"] / eager["writes"] if eager["writes"] else math.nan


def writes_a_gap(result: dict[str, Any]) -> float:
    eager = result["eager"]
    return eager["hidden"] / eager["gaps"]["reads"] if eager["gaps"]["reads"] else math.nan


class View:
    """What is measured along the two figures, at the points that `point` makes of policy, queue
    length and percentage of reads; of the first `seeds` seeds."""

    def __init__(
        self,
        results: Results,
        queues: Sequence[int],
        ratios: Sequence[int],
        point: Callable[[str, int, int], Point],
        seeds: int = len(SEEDS),
    ) -> None:
        self._results = results
        self._point = point
        self._seeds = seeds
        self.queues, self.ratios = queues, ratios

    def samples(
        self, policy: str, queue: int, reads: int, metric: Metric = throughput
    ) -> list[float]:
        runs = self._results[self._point(policy, queue, reads)][: self._seeds]
        return [metric(result) for result in runs]

    def charts(
        self, file: str, title: str, policies: Sequence[str], unit: str = ""
    ) -> tuple[Chart, Chart]:
        """Figures 4 and 5; `file` and `title` tell them from others' figures."""
        ordinate = "requests per second"
        return (
            Chart(
                f"{file}figure4.svg",
                f"Figure 4{title}: throughput and queue length, {HALF} % reads",
                f"queued requests{unit}",
                ordinate,
                tuple(
                    Series(
                        policy,
                        self.queues,
                        [interval(self.samples(policy, queue, HALF)) for queue in self.queues],
                    )
                    for policy in policies
                ),
                log_x=True,
            ),
            Chart(
                f"{file}figure5.svg",
                f"Figure 5{title}: throughput and reads, queue of {QUEUE}{unit}",
                "reads (%)",
                ordinate,
                tuple(
                    Series(
                        policy,
                        self.ratios,
                        [interval(self.samples(policy, QUEUE, reads)) for reads in self.ratios],
                    )
                    for policy in policies
                ),
            ),
        )

    def ratio(
        self,
        one: str,
        other: str,
        queue: int,
        reads: int,
        criterion: Criterion,
        metric: Metric = throughput,
    ) -> Part:
        return Part(
            f"{one} / {other}, queue {queue}, {reads} % reads",
            paired_ratio(
                self.samples(one, queue, reads, metric), self.samples(other, queue, reads, metric)
            ),
            criterion,
        )

    def against(
        self,
        one: str,
        others: Iterable[str],
        criterion: Criterion,
        queues: Sequence[int] = (),
        ratios: Sequence[int] = (),
        metric: Metric = throughput,
    ) -> list[Part]:
        """One policy's throughput over each other's: along figure 4 at the queue lengths, along
        figure 5 at the ratios."""
        loads = [(queue, HALF) for queue in queues] + [(QUEUE, reads) for reads in ratios]
        return [
            self.ratio(one, other, queue, reads, criterion, metric)
            for other in others
            if other != one
            for queue, reads in loads
        ]

    def over_best(self, one: str, others: Iterable[str], queue: int, reads: int) -> Part:
        """One policy's throughput over that of the best of the others."""
        best = max(
            (other for other in others if other != one),
            key=lambda other: interval(self.samples(other, queue, reads)).mean,
        )
        return self.ratio(one, best, queue, reads, above(1))


def paper_claims() -> list[Judged[View]]:
    ratio, rate = Unit.RATIO, "throughput, ratio"

    def claim(
        name: str,
        text: str,
        published: str,
        policies: Iterable[str],
        parts: Callable[[View], list[Part]],
        quantity: str = rate,
        unit: Unit = ratio,
        alternatives: tuple[tuple[str, Callable[[View], list[Part]]], ...] = (),
    ) -> Judged[View]:
        return Judged(
            name, text, published, unit, quantity, frozenset(policies), parts, alternatives
        )

    def nearer(view: View, queue: int) -> Part:
        """How far FreeBW-SATF is on the way from FreeBW-SCAN (0) to Read-First (1) in a write's
        response over a read's, on a logarithmic scale."""
        satf, scan, first = (
            [math.log(value) for value in view.samples(policy, queue, HALF, penalty)]
            for policy in (FREEBW_SATF, FREEBW_SCAN, READ_FIRST)
        )
        way = interval(
            [
                (a - b) / (c - b) if c != b else math.nan
                for a, b, c in zip(satf, scan, first, strict=True)
            ]
        )
        return Part(
            f"{FREEBW_SATF} from {FREEBW_SCAN} to {READ_FIRST}, queue {queue}, {HALF} % reads",
            way,
            above(0.5),
        )

    def per_write(result: dict[str, Any]) -> float:
        """Rotational time before reads, for each write."""
        eager = result["eager"]
        return (
            gap_ms(result) * eager["gaps"]["reads"] / eager["writes"]
            if eager["writes"]
            else math.nan
        )

    def few_over_half(view: View, metric: Metric) -> list[Part]:
        return [
            Part(
                f"{policy}, {reads} % over {HALF} % reads",
                paired_ratio(
                    *(view.samples(policy, QUEUE, share, metric) for share in (reads, HALF))
                ),
                below(1),
            )
            for policy in FREEBW
            for reads in between(view, 1, 10)
        ]

    def queued(view: View, least: int) -> list[int]:
        return [queue for queue in view.queues if queue >= least]

    def between(view: View, low: int, high: int) -> list[int]:
        return [reads for reads in view.ratios if low <= reads <= high]

    def most_apparent(view: View) -> list[Part]:
        """The worst disadvantage at high read ratios beside that at each lower one."""

        def behind(reads: int) -> list[float]:
            best = max(
                (policy for policy in FOUR if policy != FREEBW_SCAN),
                key=lambda policy: interval(view.samples(policy, QUEUE, reads)).mean,
            )
            return [
                scan / other
                for scan, other in zip(
                    view.samples(FREEBW_SCAN, QUEUE, reads),
                    view.samples(best, QUEUE, reads),
                    strict=True,
                )
            ]

        high = min(between(view, 90, 100), key=lambda reads: interval(behind(reads)).mean)
        return [
            Part(
                f"{FREEBW_SCAN} / the best other one, {high} % over {reads} % reads",
                paired_ratio(behind(high), behind(reads)),
                below(1),
            )
            for reads in between(view, 10, 80)
        ]

    def falls_behind(view: View) -> list[Part]:
        """FreeBW-SATF over FreeBW-SCAN in the longest queue, beside each short one that the view
        has."""

        def ratio(queue: int) -> list[float]:
            return [
                one / other
                for one, other in zip(
                    view.samples(FREEBW_SATF, queue, HALF),
                    view.samples(FREEBW_SCAN, queue, HALF),
                    strict=True,
                )
            ]

        longest = max(view.queues)
        return [
            Part(
                f"{FREEBW_SATF} / {FREEBW_SCAN}, queue {longest} over queue {queue}",
                paired_ratio(ratio(longest), ratio(queue)),
                below(1),
            )
            for queue in view.queues
            if 4 <= queue <= 16
        ]

    def leads_somewhere(view: View) -> list[Part]:
        parts = [view.over_best(HYBRID, FOUR, QUEUE, reads) for reads in between(view, 20, 70)]
        return [max(parts, key=lambda part: part.value.mean)]

    return [
        claim(
            "satf-ew-queues",
            "SATF-EW works well for all queue lengths (within 10 % of each of the others)",
            "figure 4",
            FOUR,
            lambda v: v.against(SATF_EW, FOUR, above(0.9), queues=v.queues),
        ),
        claim(
            "satf-beats-scan",
            "SATF outperforms SCAN in a traditional storage system (in place, queues of 8 and "
            "more)",
            "cited",
            (SATF, SCAN),
            lambda v: v.against(SATF, (SCAN,), above(1), queues=queued(v, 8)),
        ),
        claim(
            "freebw-satf-worse",
            "FreeBW-SATF performs worse than FreeBW-SCAN (queues of 4 and more)",
            "figure 4",
            (FREEBW_SATF, FREEBW_SCAN),
            lambda v: v.against(FREEBW_SATF, (FREEBW_SCAN,), below(1), queues=queued(v, 4)),
        ),
        claim(
            "freebw-satf-worse-long",
            "FreeBW-SATF is worse than FreeBW-SCAN especially when the queue is large (in the "
            "longest queue it is further behind than at 4 to 16)",
            "figure 4",
            (FREEBW_SATF, FREEBW_SCAN),
            falls_behind,
            "throughput over FreeBW-SCAN's, longest queue over shorter queue",
        ),
        claim(
            "freebw-satf-read-first",
            "FreeBW-SATF becomes similar to read-first (throughput within a quarter, queues of 32 "
            "and more)",
            "in words",
            (FREEBW_SATF, READ_FIRST, FREEBW_SCAN),
            lambda v: v.against(FREEBW_SATF, (READ_FIRST,), near(1, 0.25), queues=queued(v, 32)),
            alternatives=(
                (
                    "by what reads and writes get",
                    lambda v: [nearer(v, queue) for queue in queued(v, 32)],
                ),
            ),
        ),
        claim(
            "penalizes-writes",
            "FreeBW-SATF penalizes writes: the ratio of a write's response time to a read's is "
            "higher than under FreeBW-SCAN and SATF-EW (queues of 32 and more)",
            "in words",
            (FREEBW_SATF, FREEBW_SCAN, SATF_EW),
            lambda v: v.against(
                FREEBW_SATF, (FREEBW_SCAN, SATF_EW), above(1), queues=queued(v, 32), metric=penalty
            ),
            "write's over read's response time, ratio",
        ),
        claim(
            "little-free-bandwidth",
            "The aggressive scheduling of reads by SATF leaves little free bandwidth: the gap "
            "before a read is shorter than under FreeBW-SCAN (queues of 32 and more)",
            "in words",
            (FREEBW_SATF, FREEBW_SCAN),
            lambda v: v.against(
                FREEBW_SATF, (FREEBW_SCAN,), below(1), queues=queued(v, 32), metric=gap_ms
            ),
            "mean gap, ratio",
        ),
        claim(
            "more-in-a-gap",
            "Under FreeBW-SCAN more free bandwidth becomes available for eager writes: a gap "
            "takes more writes than under FreeBW-SATF (queues of 32 and more)",
            "in words",
            (FREEBW_SATF, FREEBW_SCAN),
            lambda v: v.against(
                FREEBW_SCAN, (FREEBW_SATF,), above(1), queues=queued(v, 32), metric=writes_a_gap
            ),
            "writes in a gap, ratio",
        ),
        claim(
            "better-balanced",
            "Reads and writes are better balanced under FreeBW-SCAN: their response times are "
            "closer to each other (queues of 32 and more)",
            "in words",
            (FREEBW_SATF, FREEBW_SCAN),
            lambda v: v.against(
                FREEBW_SCAN, (FREEBW_SATF,), below(1), queues=queued(v, 32), metric=imbalance
            ),
            "longer response time over the shorter one, ratio of FreeBW-SCAN's to FreeBW-SATF's",
        ),
        claim(
            "hybrid-best",
            "FreeBW-Hybrid performs the best (50 % reads, queues of 8 and more)",
            "figure 4",
            FOUR,
            lambda v: v.against(HYBRID, FOUR, above(1), queues=queued(v, 8)),
        ),
        claim(
            "hybrid-slightly",
            "FreeBW-Hybrid slightly outperforms SATF-EW (by up to 10 %)",
            "figure 4",
            (HYBRID, SATF_EW),
            lambda v: v.against(HYBRID, (SATF_EW,), near(1.05, 0.05), queues=queued(v, 8)),
        ),
        claim(
            "hybrid-masks",
            "FreeBW-Hybrid masks the eager writes in the gaps of reads (at least 90 % of them, "
            "queues of 8 and more)",
            "in words",
            (HYBRID,),
            lambda v: [
                Part(
                    f"{HYBRID}, queue {queue}, {HALF} % reads",
                    interval(v.samples(HYBRID, queue, HALF, hidden_share)),
                    above(0.9),
                )
                for queue in queued(v, 8)
            ],
            "share of writes in gaps",
            Unit.PERCENT,
        ),
        claim(
            "satf-ew-ratios",
            "SATF-EW works well for all read ratios (within 10 % of each of the others)",
            "figure 5",
            FOUR,
            lambda v: v.against(SATF_EW, FOUR, above(0.9), ratios=v.ratios),
        ),
        claim(
            "freebw-scan-reads",
            "FreeBW-SCAN is at a disadvantage when the read ratio is high (90 % and more)",
            "figure 5",
            FOUR,
            lambda v: v.against(FREEBW_SCAN, FOUR, below(1), ratios=between(v, 90, 100)),
        ),
        claim(
            "freebw-scan-most",
            "This disadvantage is most apparent at high read ratios (FreeBW-SCAN is further "
            "behind the best other algorithm than at 10 to 80 %)",
            "figure 5",
            FOUR,
            most_apparent,
            "throughput over the best other algorithm's, high read ratio over lower one",
        ),
        claim(
            "approach-satf",
            "All algorithms except FreeBW-SCAN approach SATF when the read ratio approaches 100 % "
            "(within 2 % at 100 %)",
            "figure 5",
            (SATF_EW, FREEBW_SATF, HYBRID, SATF),
            lambda v: [
                v.ratio(policy, SATF, QUEUE, 100, near(1, 0.02))
                for policy in (SATF_EW, FREEBW_SATF, HYBRID)
            ],
        ),
        claim(
            "few-reads",
            "With few reads (10 %) the FreeBW algorithms are worse than SATF-EW",
            "figure 5",
            FOUR,
            lambda v: [
                part
                for policy in (FREEBW_SATF, FREEBW_SCAN, HYBRID)
                for part in v.against(policy, (SATF_EW,), below(1), ratios=between(v, 1, 10))
            ],
        ),
        claim(
            "little-rotational-time",
            "With few reads, little rotational time is left for eager writes: the gap before a "
            "read is shorter than with 50 % reads",
            "in words",
            FREEBW,
            lambda v: few_over_half(v, gap_ms),
            "mean gap, ratio",
            alternatives=(("for each write", lambda v: few_over_half(v, per_write)),),
        ),
        claim(
            "modest-reads",
            "With a modest number of reads FreeBW-Hybrid is the best (at that point from 20 to 70 "
            "% where its advantage is largest)",
            "figure 5",
            FOUR,
            leads_somewhere,
        ),
        claim(
            "modest-reads-throughout",
            "With a modest number of reads FreeBW-Hybrid is the best at every point (from 30 to "
            "60 %)",
            "figure 5",
            FOUR,
            lambda v: v.against(HYBRID, FOUR, above(1), ratios=between(v, 30, 60)),
        ),
        claim(
            "credit-long",
            f"Not in the paper: {CREDIT} is at least 8 % above each of the four (queues of 64 and "
            "128, 50 % reads)",
            "1.08",
            (*FOUR, CREDIT),
            lambda v: v.against(CREDIT, FOUR, above(1.08), queues=queued(v, 64)),
        ),
        claim(
            "credit-everywhere",
            f"Not in the paper: {CREDIT} is nowhere more than 2 % below one of the four",
            "0.98",
            (*FOUR, CREDIT),
            lambda v: v.against(CREDIT, FOUR, above(0.98), queues=v.queues, ratios=v.ratios),
        ),
    ]


# Each sentence of the paper that says something of results, with the claim that judges it.
SENTENCES = (
    ("satf-ew-queues", "figure 4", "SATF-EW works well for all queue lengths."),
    (
        "satf-beats-scan",
        "figure 4",
        "it is known that SATF generally outperforms SCAN in a traditional storage system",
    ),
    ("freebw-satf-worse", "figure 4", "FreeBW-SATF performs worse than FreeBW-SCAN,"),
    ("freebw-satf-worse-long", "figure 4", "especially when the queue is large."),
    (
        "little-free-bandwidth",
        "figure 4",
        'the aggressive scheduling of reads by SATF under high load leaves little "free bandwidth" '
        "for scheduling the eager-writes;",
    ),
    (
        "freebw-satf-read-first",
        "figure 4",
        "consequently, FreeBW-SATF becomes similar to the read-first algorithm",
    ),
    ("penalizes-writes", "figure 4", "and unnecessarily penalizes writes."),
    (
        "more-in-a-gap",
        "figure 4",
        'FreeBW-SCAN causes the reads to be spaced further apart so more "free bandwidth" becomes '
        "available for eager-writes;",
    ),
    (
        "better-balanced",
        "figure 4",
        "consequently, the scheduling of reads and writes are better balanced",
    ),
    ("freebw-satf-worse", "figure 4", "and the overall performance of FreeBW-SCAN is better."),
    (
        "freebw-scan-reads",
        "figure 4",
        "When there are a large number of reads but few writes, however, the performance of "
        "FreeBW-SCAN is not the best",
    ),
    (
        "",
        "figure 4",
        "due to its failure to take rotational delay of reads into consideration. (not judged: "
        "this is a cause; the table of reads and writes has the gaps)",
    ),
    ("hybrid-best", "figure 4", "this hybrid algorithm performs the best for this workload"),
    ("hybrid-slightly", "figure 4", "it even slightly outperforms SATF-EW"),
    (
        "hybrid-masks",
        "figure 4",
        "due to its successful masking the eager-writes in the gaps of reads.",
    ),
    ("satf-ew-ratios", "figure 5", "SATF-EW works well for all read ratios."),
    (
        "freebw-scan-most",
        "figure 5",
        "When the read ratio is high, the disadvantage of FreeBW-SCAN is most apparent.",
    ),
    (
        "approach-satf",
        "figure 5",
        "all other algorithms approach the performance of SATF when the read ratio approaches "
        "100%.",
    ),
    (
        "few-reads",
        "figure 5",
        "when the number of reads is small (but nonzero), the free bandwidth-based approaches also "
        "perform worse than SATF-EW.",
    ),
    (
        "",
        "figure 5",
        "This is because the seek time among those small number of reads dominates (not judged: "
        "this is a cause; the results have no seek times of reads alone)",
    ),
    (
        "little-rotational-time",
        "figure 5",
        "and there is little rotational time left for scheduling the eager-writes.",
    ),
    (
        "modest-reads",
        "figure 5",
        "When there are a modest number of reads, … FreeBW-Hybrid is the best.",
    ),
    ("modest-reads-throughout", "figure 5", "the same sentence, at every point"),
    (
        "",
        "figure 5",
        "due to both of its ability of successfully exploiting free bandwidth and its intelligent "
        "scheduling of reads (not judged: these are causes; hybrid-masks judges the first one)",
    ),
)


def differences(means: Means) -> Differences:
    """Where a criterion and the paper's sentence differ."""

    def rate(policy: str, queue: int, reads: int = HALF, column: str = "requests_per_s") -> float:
        return means.value(
            column, interpretation="default", policy=policy, queue=queue, reads_percent=reads
        )

    def gap(policy: str) -> str:
        return decimals(rate(policy, QUEUE, column="gap_ms"))

    others = [policy for policy in FOUR if policy != HYBRID]
    queues = QUEUES[1:]
    at = f"with {listed(map(str, queues))} queued"
    high = (80, 90, 100)
    over_satf = "; ".join(
        f"{policy} " + listed(decimals(rate(policy, QUEUE, r) / rate(SATF, QUEUE, r)) for r in high)
        for policy in (SATF_EW, FREEBW_SATF, HYBRID)
    )
    return Differences(
        (
            Difference(
                "hybrid-best; hybrid-slightly",
                "FreeBW-Hybrid is the best *for this workload*, and slightly outperforms SATF-EW. "
                "The section names no queue length of figure 4. Figure 5 has 64.",
                f"Every queue from 8 to {QUEUES[-1]} counts. Both ends are ours.",
                "FreeBW-Hybrid over SATF-EW: "
                + listed(decimals(rate(HYBRID, q) / rate(SATF_EW, q), 3) for q in queues)
                + f" {at}. Over the best of the other three: "
                + listed(
                    decimals(rate(HYBRID, q) / max(rate(other, q) for other in others), 3)
                    for q in queues
                )
                + ".",
            ),
            Difference(
                "freebw-satf-worse",
                "FreeBW-SATF performs worse than FreeBW-SCAN, *especially when the queue is "
                "large*.",
                "Every queue from 4 on counts. This end is ours, too.",
                "FreeBW-SATF over FreeBW-SCAN: "
                + listed(decimals(rate(FREEBW_SATF, q) / rate(FREEBW_SCAN, q), 3) for q in queues)
                + f" {at}.",
            ),
            Difference(
                "more-in-a-gap",
                'More "free bandwidth" becomes *available* for eager writes.',
                "The criterion counts the writes that a gap takes. With as many writes as reads "
                "this number is near 1 under both policies.",
                f"With {QUEUE} queued and {HALF} % reads a gap lasts {gap(FREEBW_SCAN)} ms under "
                f"FreeBW-SCAN and {gap(FREEBW_SATF)} ms under FreeBW-SATF.",
            ),
            Difference(
                "approach-satf",
                "All other algorithms *approach* the performance of SATF.",
                "At 100 % reads they are within 2 % of it. There the three policies do the same, "
                "and nothing is asked of lower ratios.",
                f"Over SATF at {listed(map(str, high))} % reads: {over_satf}.",
            ),
        ),
        (
            "The other lower ends of the queues (8, and 32 and more) are ours as well. Their "
            "sentences name no queue, or say *under high load*.",
            "The section of the paper names neither the size of a request nor its place. Requests "
            "of 4 KB, uniform over the disk, are ours.",
            "`modest-reads` is judged at the point where the advantage of FreeBW-Hybrid is "
            "largest. Its interval is that of this point. Such a choice favours the claim.",
            f"Every point of the default has {len(SEEDS)} seeds, and every point of an "
            f"interpretation has {len(_seeds(INTERPRETATIONS[0]))}. No claim has seeds of its own.",
        ),
    )


def advantage(views: dict[float, View]) -> Table:
    """FreeBW-Hybrid's throughput over the best of the other three's, by overhead and ratio of
    reads, and where it leads."""
    ratios = [reads for reads in next(iter(views.values())).ratios if 20 <= reads <= 70]
    rows = []
    for ms, view in views.items():
        parts = [view.over_best(HYBRID, FOUR, QUEUE, reads) for reads in ratios]
        leads = [
            f"{reads} %"
            for reads, part in zip(ratios, parts, strict=True)
            if part.verdict is Verdict.HOLDS
        ]
        rows.append(
            (
                f"{ms} ms",
                *(interval_text(part.value) for part in parts),
                ", ".join(leads) or "nowhere",
            )
        )
    return Table(
        f"FreeBW-Hybrid over the best of the other three, queue of {QUEUE}, by overhead and reads",
        ("overhead", *(f"{reads} %" for reads in ratios), "it leads at"),
        tuple(rows),
    )


def mechanism(view: View) -> Table:
    """What reads and writes got apart, and where the writes went, along figure 5."""

    def text(policy: str, reads: int, metric: Metric, digits: int = 3) -> str:
        value = interval(view.samples(policy, QUEUE, reads, metric))
        return "" if math.isnan(value.mean) else f"{value.mean:.{digits}g}"

    rows = [
        (
            str(reads),
            policy,
            text(policy, reads, reads_ms),
            text(policy, reads, writes_ms),
            *(
                (
                    text(policy, reads, gap_ms),
                    text(policy, reads, writes_a_gap),
                    text(policy, reads, hidden_share),
                )
                if policy in EAGER
                else ("", "", "")
            ),
        )
        for reads in view.ratios
        if reads in (10, 30, 50, 70, 90)
        for policy in (*FOUR, READ_FIRST, CREDIT, SATF)
    ]
    return Table(
        f"Reads and writes apart, queue of {QUEUE}",
        (
            "reads %",
            "policy",
            "read ms",
            "write ms",
            "gap ms",
            "writes in a gap",
            "share of writes in gaps",
        ),
        tuple(rows),
    )


def turning(claims: Sequence[Claim], overheads_ms: Sequence[float]) -> Table:
    """Each claim's verdict along the overhead, and where it changes."""

    def verdicts(claim: Claim) -> list[Verdict]:
        return [
            claim.plain_verdict
            if ms == DEFAULT_OVERHEAD_MS
            else combined(claim.interpretations[f"overhead {ms} ms"])
            for ms in overheads_ms
        ]

    def turns(along: Sequence[Verdict]) -> str:
        decided = [
            (ms, verdict)
            for ms, verdict in zip(overheads_ms, along, strict=True)
            if verdict is not Verdict.OPEN
        ]
        changes = [
            f"between {a} and {b} ms"
            for (a, one), (b, other) in pairwise(decided)
            if one is not other
        ]
        return ", ".join(changes) or ("nowhere" if decided else "not decided")

    return Table(
        "Where the claims turn",
        ("claim", *(f"{ms} ms" for ms in overheads_ms), "turns"),
        tuple((claim.name, *map(str, verdicts(claim)), turns(verdicts(claim))) for claim in claims),
    )


RUN_HEADER = (
    "interpretation",
    "policy",
    "queue",
    "reads_percent",
    "seed",
    "requests_per_s",
    "read_ms",
    "write_ms",
    "gap_ms",
    "hidden_share",
)


def report(results: Results, quick: bool) -> Report:
    views = {
        interpretation: View(
            results,
            *_grid(quick, interpretation),
            partial(_point, quick=quick, interpretation=interpretation),
            len(_seeds(interpretation)),
        )
        for interpretation in (DEFAULT, *_interpretations(quick))
    }
    default = views[DEFAULT]
    others = {interpretation: view for interpretation, view in views.items() if view is not default}
    bases = {
        interpretation: View(results, view.queues, view.ratios, partial(_point, quick=quick))
        for interpretation, view in others.items()
    }
    claims = tuple(judge(one, default, others, bases=bases) for one in paper_claims())
    charts = default.charts("", "", POLICIES)
    by_name = {interpretation.name: view for interpretation, view in views.items()}
    by_overhead = {
        ms: default if ms == DEFAULT_OVERHEAD_MS else by_name[f"overhead {ms} ms"]
        for ms in _overheads(quick)
    }

    def table(
        title: str, label: str, loads: Sequence[tuple[int, int]], values: Sequence[int]
    ) -> Table:
        return Table(
            title,
            (label, *POLICIES),
            tuple(
                (
                    str(value),
                    *(
                        interval_text(interval(default.samples(policy, *load)), 4)
                        for policy in POLICIES
                    ),
                )
                for value, load in zip(values, loads, strict=True)
            ),
        )

    def run_rows(
        interpretation: Interpretation, view: View, policy: str, queue: int, reads: int
    ) -> Iterable[tuple[str, ...]]:
        metrics = (
            throughput,
            reads_ms,
            writes_ms,
            *((gap_ms, hidden_share) if policy in EAGER else ()),
        )
        columns = [view.samples(policy, queue, reads, metric) for metric in metrics]
        for seed, *values in zip(_seeds(interpretation), *columns, strict=True):
            cells = ["" if math.isnan(value) else f"{value:.9g}" for value in values]
            yield (
                interpretation.name,
                policy,
                str(queue),
                str(reads),
                str(seed),
                *cells,
                *[""] * (len(RUN_HEADER) - 5 - len(cells)),
            )

    rows = tuple(
        row
        for interpretation, view in views.items()
        for policy in POLICIES
        if view is default or interpretation.touches(policy)
        for queue, reads in _loads(quick, interpretation)
        for row in run_rows(interpretation, view, policy, queue, reads)
    )
    tables = (
        table(
            "Requests per second, 50 % reads",
            "queue",
            [(queue, HALF) for queue in default.queues],
            default.queues,
        ),
        table(
            f"Requests per second, queue of {QUEUE}",
            "reads %",
            [(QUEUE, reads) for reads in default.ratios],
            default.ratios,
        ),
        advantage(by_overhead),
        turning(claims, _overheads(quick)),
        mechanism(default),
        Table("The sentences behind the claims", ("claim", "about", "sentence"), SENTENCES),
    )
    return Report(
        claims,
        charts,
        tables,
        tuple((interpretation.name, interpretation.text) for interpretation in others),
        runs=(Table("Every run", RUN_HEADER, rows, "runs.csv"),),
    )


INTRODUCTION = """
C. Zhang, X. Yu, A. Krishnamurthy, R. Y. Wang: *Configuring and Scheduling an Eager-Writing Disk \
Array for a Transaction Processing Workload*.
This study repeats the paper's comparison of eager-writing scheduling algorithms.

**Load.** The queue is closed: a finished request is replaced at once, and its replacement takes \
part in the next decision. Requests are 4 KB,
aligned, and uniform over the disk. The disk has twice the space of its data (dilution 2), so \
half of its blocks are free. An eager write goes to
a free block near the head (`scenario.toml`). Before a run the free space is \
[aged](../../reference/eager_writing.md#ageing): as many blocks as
the data have are written, drawn at random.

**Drive.** The drive is of the class of the paper's 10,000 rpm Seagate. A command costs 0.8 ms, \
while the disk turns and the arm rests. The paper
does not give this value, so the study varies it from 0 to 1.5 ms. The paper's simulator has no \
bus and no time to decide. By default both are
left out. Two interpretations include them.

**Policies.** `Credit-EW` is ours ([rule](../../reference/eager_writing.md)), and its two claims \
are its aims. `SATF` and `SCAN` run the same
load on a disk without eager writing, where a write goes to the place of its block. `SCAN` turns \
at the last request (`LOOK`).

**Replacements.** A replacement is a read with a probability that is the share of reads, whatever \
it replaces. So the mix of queued requests is a
result. The caption of figure 5 speaks of *the fraction of queued operations that are reads*. If \
a read always replaced a read, a write would
always be queued. FreeBW-Hybrid would then equal FreeBW-SCAN at every mixed ratio, which the \
figure does not show. Batches that are drained are
not judged.

**Gaps and response times.** A *gap* is the rotational wait that a read would have if the arm \
went there at once. An eager write can use it
without delaying the read. In a closed queue the mean response time of all requests is the \
queue's length divided by the throughput. A policy
determines how it is divided between reads and writes.

**Command overhead.** The command overhead decides which of the four algorithms is best (tables \
below). With a longer overhead the arm rests
longer before each access. A write in a gap then saves more, because otherwise it would be a \
separate access. But a gap takes fewer writes.
FreeBW-SATF and Read-First both let the queue fill up with writes. Read-First then has one read \
at a time, and every write is a separate access,
as with a queue of one. FreeBW-SATF still hides writes before that read.

**Criteria.** *Similar to read-first* is judged in two ways. Figure 4 is about throughput, but \
the sentence is about the division of the drive's
time. The ratio of a write's response time to a read's shows which of them goes first. *By what \
reads and writes get* asks whether FreeBW-SATF is
nearer to Read-First than to FreeBW-SCAN in this ratio. *Little rotational time left* with few \
reads is judged by the gap before a read, as the
sentence says. It is also judged *for each write*.
"""

STUDY = Study(
    "eager-writing",
    "Eager writing: scheduling algorithms compared",
    INTRODUCTION,
    plan,
    report,
    differences=differences,
)
