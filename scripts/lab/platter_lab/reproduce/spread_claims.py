# SPDX-License-Identifier: Apache-2.0
"""The claims of the papers' studies on disks whose head does not always hit its sector: which of
them are judged, at which points, and how."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TypeVar

from platter_lab.executable import ROOT
from platter_lab.reproduce import (
    autoqos,
    eager_writing,
    ew_array,
    integrated_servers,
    mixed_media,
    replicated_striping,
    text_and_video,
)
from platter_lab.reproduce.claims import (
    Claim,
    Criterion,
    Part,
    Unit,
    Verdict,
    above,
    below,
    combined,
)
from platter_lab.reproduce.interpretations import DEFAULT, Interpretation, Judged, judge
from platter_lab.reproduce.mixed_load import CLUST_REQ, POLICIES, SPTF, Load, View, fairness
from platter_lab.reproduce.mixed_media import Views
from platter_lab.reproduce.study import PAPERS, Table
from platter_lab.runs.point import Point
from platter_lab.runs.results import Results
from platter_lab.statistics import interval

PROFILES = ROOT / "models" / "configs" / "drives"
SEEDS = (1, 2, 3, 4, 5)
FEWER_SEEDS = SEEDS[:3]

Settings = tuple[tuple[str, str], ...]
Batch = tuple[Point, tuple[int, ...]]
AnyView = TypeVar("AnyView")

SPREADS_US = (0, 100, 200, 300)


def spread(us: int) -> Settings:
    """The given deviation for seeks, and a third of it on one cylinder."""
    return (("drive.mechanics.arrival_spread_us", f"[[0, {us / 3:.1f}], [1, {us}]]"),)


@cache
def fitted_points(profile: str) -> str:
    """The deviations that were fitted to a measured drive, as a setting has them."""
    text = (PROFILES / f"{profile}_spread.toml").read_text(encoding="utf-8")
    return json.dumps(tomllib.loads(text)["mechanics"]["arrival_spread_us"])


PAPERS_SPREADS = tuple(
    Interpretation(
        f"{us / 1000:g} ms", f"arrivals with a deviation of {us / 1000:g} ms", spread(us)
    )
    for us in SPREADS_US[1:]
)
LARGEST = PAPERS_SPREADS[-1]  # the only one of many drives at once, whose runs are dear
FITTED = "fitted spread"

# --- mixed media, and what is beyond clusters

# It asks for the rates just below the capacity of one policy, and so for longer runs.
NEAR_SATURATION = "several-hundred-percent"
# Of Table 1's disk, which no measured drive has.
OF_THE_DISK = "c-share"
PROJECTED = "projected-"
SLACK, FAST = "OPS:SLACK(3.4|0.46)", "OPS:SLACK(4|0.2)"
CELLO = "CELLO(1|4|0)"
BEYOND = (SLACK, FAST)
LIGHT, MIDDLE, HEAVY = 15, 55, 65
PROJECTED_RATES = (5, 35, mixed_media.TOP)
PROJECTED_HEAVY_RATES = (mixed_media.TOP, 105, 125, 140)
ROUNDS, QUICK_ROUNDS = 800, 100
QUEUES, READS = (8, 64), (10, 50, 90, 100)


@dataclass(frozen=True)
class Measured:
    """A measured drive under the load of `on_real_drives`, at rates of that study."""

    profile: str
    rates: tuple[int, ...]
    scenario: str
    settings: Settings = ()

    def load(self, quick: bool) -> Load:
        return Load(
            PAPERS / "on-real-drives" / f"{self.scenario}.toml",
            self.rates[-1:] if quick else self.rates,
            QUICK_ROUNDS if quick else ROUNDS,
        )

    def perfect(self) -> Interpretation:
        return Interpretation(self.profile, "", self.settings) if self.settings else DEFAULT

    def misses(self) -> Interpretation:
        points = ("drive.mechanics.arrival_spread_us", fitted_points(self.profile))
        return Interpretation(
            FITTED,
            "on the measured drives: arrivals with the deviations that were fitted to the drive",
            (*self.settings, points),
        )


MEASURED = {
    "Atlas 10K": Measured("atlas10k", (15, 25, 35, 45, 55, 65), "atlas10k"),
    "Cheetah 9LP": Measured("cheetah9lp", (15, 25, 35), "cheetah9lp"),
    # The study has no scenario of it: the same load on a drive with the same interface.
    "Ultrastar 18ES": Measured(
        "ibm18es",
        (15, 25, 35),
        "cheetah9lp",
        (
            ("drive", "ibm18es"),
            ("drive.bus.read_block_us", "6.4"),
            ("drive.bus.write_block_us", "6.4"),
            ("drive.bus.overlap", "true"),
            ("drive.queue.depth", "1024"),
        ),
    ),
}


def spreads(quick: bool) -> tuple[Interpretation, ...]:
    return PAPERS_SPREADS[-1:] if quick else PAPERS_SPREADS


def with_default(quick: bool) -> tuple[Interpretation, ...]:
    return (DEFAULT, *spreads(quick))


def _table1(quick: bool) -> Load:
    return Load(
        mixed_media.FOLDER / "scenario.toml",
        (35, HEAVY) if quick else (LIGHT, 35, MIDDLE, HEAVY),
        QUICK_ROUNDS if quick else ROUNDS,
    )


def _light(quick: bool) -> Load:
    return replace(_table1(quick), rates=(LIGHT,))


def _projected(quick: bool) -> tuple[Load, Load]:
    """With light and with heavy loads."""
    light, heavy = (
        Load(mixed_media.FOLDER / "projected.toml", rates, QUICK_ROUNDS if quick else ROUNDS)
        for rates in (
            PROJECTED_RATES[-1:] if quick else PROJECTED_RATES,
            PROJECTED_HEAVY_RATES[::3] if quick else PROJECTED_HEAVY_RATES,
        )
    )
    return light, heavy


def mixed_points(quick: bool) -> list[Point]:
    points: list[Point] = []
    for interpretation in with_default(quick):
        points += _table1(quick).points((*POLICIES, *BEYOND), interpretation)
        points += _light(quick).points((SLACK, CELLO), interpretation)
        points.append(_table1(quick).point(None, interpretation=interpretation))
        for load in _projected(quick):
            points += load.points(mixed_media.SECOND, interpretation)
        points.append(_projected(quick)[0].point(None, interpretation=interpretation))
    for drive in MEASURED.values():
        for interpretation in (drive.perfect(), drive.misses()):
            points += drive.load(quick).points(POLICIES, interpretation)
    return list(dict.fromkeys(points))


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


def _judged(
    one: Judged[Views], default: Views, others: dict[Interpretation, Views], name: str
) -> Claim:
    """With a spread as without, at the points that are steady in both."""
    bases = {its: mixed_media.beside(default, view) for its, view in others.items()}
    return judge(one, default, others, bases=bases).named(name, one.text)


def mixed_claims(results: Results, quick: bool) -> list[Claim]:
    def papers(load: Load, interpretation: Interpretation) -> Views:
        view = View(results, load, POLICIES, interpretation)
        return Views({"table1": view, "table1 heavy": view})

    def projected(interpretation: Interpretation) -> Views:
        """The capacity is that of the disk with this spread."""
        light, heavy = (
            View(results, load, mixed_media.SECOND, interpretation) for load in _projected(quick)
        )
        return Views(
            {"projected": light, "projected heavy": heavy},
            capacity={"projected": heavy.heaviest((CLUST_REQ, SPTF))},
        )

    def beyond(interpretation: Interpretation) -> Views:
        load, light = _table1(quick), _light(quick)
        return Views(
            {
                "beyond": View(results, load, (*POLICIES, *BEYOND), interpretation),
                "light": View(results, light, (SLACK, CELLO), interpretation),
            }
        )

    def under_spreads(
        claims: Iterable[Judged[Views]], views: Callable[[Interpretation], Views], study: str
    ) -> list[Claim]:
        default, others = views(DEFAULT), {its: views(its) for its in spreads(quick)}
        return [_judged(one, default, others, f"{study}{one.name}") for one in claims]

    every = [
        replace(one, alternatives=())
        for one in mixed_media.paper_claims()
        if one.name != NEAR_SATURATION
    ]
    of_projected = [one for one in every if one.name.startswith(PROJECTED)]
    of_table1 = [one for one in every if one not in of_projected]
    named = under_spreads(of_table1, partial(papers, _table1(quick)), "mixed-media: ")
    named += under_spreads(of_projected, projected, "mixed-media: ")
    named += under_spreads(beyond_claims(), beyond, "")
    for name, drive in MEASURED.items():
        load = drive.load(quick)
        default = papers(load, drive.perfect())
        others = {drive.misses(): papers(load, drive.misses())}
        named += [
            _judged(
                replace(one, text=f"{name}: {one.text}"),
                default,
                others,
                f"{drive.profile}: {one.name}",
            )
            for one in of_table1
            if one.name != OF_THE_DISK
        ]
    return named


# --- eager writing, on one drive and on several


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


def _loads(grid: tuple[Sequence[int], Sequence[int]]) -> list[tuple[int, int]]:
    """Queue length and percentage of reads of every point of a grid, each once."""
    queues, ratios = grid
    return list(
        dict.fromkeys(
            [(queue, eager_writing.HALF) for queue in queues]
            + [(eager_writing.QUEUE, reads) for reads in ratios]
        )
    )


ARRAY = ew_array.TWO_COPIES
# To age the drives of an array takes the time of several runs.
(UNAGED,) = (its for its in eager_writing.INTERPRETATIONS if its.name == "random free space")
ARRAY_POLICIES = tuple(one for one in eager_writing.POLICIES if one != eager_writing.CREDIT)


def _array_point(
    policy: str, queue: int, reads: int, interpretation: Interpretation = DEFAULT
) -> Point:
    point = ew_array.point(policy, queue, reads, ARRAY)
    aged = UNAGED.settings if UNAGED.touches(policy) else ()
    return replace(point, settings=(*point.settings, *aged, *interpretation.settings))


def eager_batches(quick: bool) -> list[Batch]:
    one_drive = [
        _eager_point(policy, queue, reads, interpretation.settings, quick)
        for interpretation in with_default(quick)
        for policy in eager_writing.POLICIES
        for queue, reads in _loads(_eager_grid(quick))
    ]
    array = [
        _array_point(policy, queue, reads, interpretation)
        for interpretation in (DEFAULT, LARGEST)
        for policy in ARRAY_POLICIES
        for queue, reads in _loads(ew_array.grid(True))
    ]
    return [(point, FEWER_SEEDS) for point in dict.fromkeys((*one_drive, *array))]


def eager_claims(results: Results, quick: bool) -> list[Claim]:
    def one_drive(interpretation: Interpretation) -> eager_writing.View:
        def point(policy: str, queue: int, reads: int) -> Point:
            return _eager_point(policy, queue, reads, interpretation.settings, quick)

        return eager_writing.View(results, *_eager_grid(quick), point, len(FEWER_SEEDS))

    def array(interpretation: Interpretation) -> eager_writing.View:
        return eager_writing.View(
            results,
            *ew_array.grid(True),
            partial(_array_point, interpretation=interpretation),
            len(FEWER_SEEDS),
        )

    judged = [replace(one, alternatives=()) for one in eager_writing.paper_claims()]
    return [
        *_under(
            "eager-writing", judged, one_drive(DEFAULT), {s: one_drive(s) for s in spreads(quick)}
        ),
        *_under(
            "ew-array",
            [one for one in judged if eager_writing.CREDIT not in one.policies],
            array(DEFAULT),
            {LARGEST: array(LARGEST)},
        ),
    ]


def _under(
    study: str,
    judged: Iterable[Judged[AnyView]],
    default: AnyView,
    others: dict[Interpretation, AnyView],
) -> list[Claim]:
    return [
        judge(replace(one, alternatives=()), default, others).named(
            f"{study}: {one.name}", one.text
        )
        for one in judged
    ]


# --- replicated striping


def _striping_points(view: replicated_striping.View) -> list[Point]:
    """Those of the quick study; the interpretations of that study have none of single contents."""
    single = [
        view.point(scheme, disks, content=content)
        for scheme in (replicated_striping.MINIMUM, replicated_striping.MINIMUM_RANDOM)
        for disks in replicated_striping.CONTENT_DISKS
        for content in replicated_striping.CONTENT
    ]
    return list(dict.fromkeys((*view.points(), *view.simulated_points(), *single)))


def striping_batches(quick: bool) -> list[Batch]:
    seeds = FEWER_SEEDS if quick else SEEDS
    return [
        (point, seeds)
        for interpretation in with_default(quick)
        for point in _striping_points(replicated_striping.View(True, interpretation))
    ]


def striping_claims(results: Results, quick: bool) -> list[Claim]:
    default, *others = (
        replicated_striping.View(True, interpretation, results)
        for interpretation in with_default(quick)
    )
    return _under(
        "replicated-striping",
        replicated_striping.paper_claims(),
        default,
        {view.interpretation: view for view in others},
    )


# --- AutoQoS


def _quality_seeds(quick: bool) -> tuple[int, ...]:
    return autoqos.SEEDS[:5] if quick else autoqos.SEEDS


def quality_batches(quick: bool) -> list[Batch]:
    return [
        (point, _quality_seeds(quick))
        for interpretation in with_default(quick)
        for point in autoqos.View(interpretation).points()
    ]


def _quality_judged(results: Results) -> list[Judged[autoqos.View]]:
    return [one for one in autoqos.claims(results) if one.policies == autoqos.PAPERS_LOADS]


def quality_claims(results: Results, quick: bool) -> list[Claim]:
    default, *others = (autoqos.View(its, results) for its in with_default(quick))
    return _under(
        "autoqos", _quality_judged(results), default, {view.interpretation: view for view in others}
    )


# --- partitioned and integrated servers

CAPACITIES = ("t-calibrated", "v")  # in which the loads are stated


def _server_judged() -> list[Judged[text_and_video.View]]:
    """Those of the paper's abstract, as each run has sixteen disks."""
    abstract = {
        name
        for names, section, _ in integrated_servers.SENTENCES
        if section == "abstract"
        for name in names.split("; ")
    }
    return [one for one in integrated_servers.claims() if one.name in {*CAPACITIES, *abstract}]


def _server_views(results: Results | None) -> list[text_and_video.View]:
    """The loads are stated in clients that the partitioned server supports with the spread."""
    return [text_and_video.View(True, results, its) for its in (DEFAULT, LARGEST)]


def server_batches(results: Results | None) -> list[Batch]:
    """Without results as if T and V were the paper's; else those that can be asked for so far."""
    seeds: dict[Point, tuple[int, ...]] = {}
    for view in _server_views(results):
        for one in _server_judged():
            one.parts(view)
        for point, own in view.points.items():
            seeds[point] = max(seeds.get(point, ()), own[: len(view.seeds.most)], key=len)
    return list(seeds.items())


def server_claims(results: Results) -> list[Claim]:
    default, *others = _server_views(results)
    return _under(
        "integrated-servers",
        _server_judged(),
        default,
        {view.interpretation: view for view in others},
    )


# --- all of them


def points(quick: bool) -> list[Point]:
    """Those that run with every seed."""
    return mixed_points(quick)


def batches(quick: bool, results: Results | None) -> list[Batch]:
    """Those with seeds of their own."""
    return [
        *eager_batches(quick),
        *striping_batches(quick),
        *quality_batches(quick),
        *server_batches(results),
    ]


def paper_claims(results: Results, quick: bool) -> list[Claim]:
    return [
        *mixed_claims(results, quick),
        *eager_claims(results, quick),
        *striping_claims(results, quick),
        *quality_claims(results, quick),
        *server_claims(results),
    ]


# --- what becomes of the verdicts

BEYOND_CLUSTERS = "beyond-clusters"
DECIDED = (Verdict.HOLDS, Verdict.FAILS)


def study_of(claim: Claim) -> str:
    """The study that a claim is of; of a measured drive that of the drives."""
    study, colon, _ = claim.name.partition(": ")
    if not colon:
        return BEYOND_CLUSTERS
    return "on-real-drives" if study in {one.profile for one in MEASURED.values()} else study


@dataclass(frozen=True)
class Change:
    """What spreads do to a claim's verdict, at the points that are judged with and without."""

    reversed_by: tuple[str, ...]
    opened: bool  # a spread leaves it undecided
    decided: bool  # a spread decides it

    @property
    def none(self) -> bool:
        return not (self.reversed_by or self.opened or self.decided)


def change(claim: Claim) -> Change:
    verdicts = [
        (claim.base_verdict(name), combined(parts)) for name, parts in claim.interpretations.items()
    ]
    return Change(
        tuple(claim.contrary()),
        any(before in DECIDED and after is Verdict.OPEN for before, after in verdicts),
        any(before is Verdict.OPEN and after in DECIDED for before, after in verdicts),
    )


def by_study(claims: Sequence[Claim]) -> dict[str, list[Claim]]:
    found: dict[str, list[Claim]] = {}
    for claim in claims:
        found.setdefault(study_of(claim), []).append(claim)
    return found


def changes_table(claims: Sequence[Claim]) -> Table:
    rows = []
    for study, own in by_study(claims).items():
        changes = [change(claim) for claim in own]
        rows.append(
            (
                study,
                str(len(own)),
                str(sum(one.none for one in changes)),
                str(sum(bool(one.reversed_by) for one in changes)),
                str(sum(one.opened for one in changes)),
                str(sum(one.decided for one in changes)),
            )
        )
    return Table(
        "What becomes of the studies' claims",
        (
            "study",
            "claims",
            "same verdict with every spread",
            "reversed by a spread",
            "left undecided by a spread",
            "decided by a spread",
        ),
        tuple(rows),
    )


def scope() -> tuple[tuple[str, str, str, str, str], ...]:
    """Study, disk, deviations, points and seeds of what is judged."""
    every = ", ".join(f"{us / 1000:g}" for us in SPREADS_US[1:])
    largest = LARGEST.name.removesuffix(" ms")
    queues, reads = ew_array.grid(True)

    def rates(some: Sequence[int]) -> str:
        return ", ".join(map(str, some))

    def link(study: str) -> str:
        return f"[{study}](../../papers/{study}/README.md)"

    mixed, seeds, few = link("mixed-media"), str(len(SEEDS)), str(len(FEWER_SEEDS))
    return (
        (mixed, "Table 1's", every, f"λ = {rates(_table1(False).rates)}", seeds),
        (
            mixed,
            "projected",
            every,
            f"λ = {rates(sorted({*PROJECTED_RATES, *PROJECTED_HEAVY_RATES}))}",
            seeds,
        ),
        (link("beyond-clusters"), "Table 1's", every, f"λ = {rates(_table1(False).rates)}", seeds),
        *(
            (link("on-real-drives"), name, "as fitted", f"λ = {rates(drive.rates)}", seeds)
            for name, drive in MEASURED.items()
        ),
        (
            link("eager-writing"),
            "ST39133LWV",
            every,
            f"queues of {rates(QUEUES)}, {rates(READS)} % reads",
            few,
        ),
        (
            link("ew-array"),
            f"ST39133LWV, {ARRAY}",
            largest,
            f"queues of {rates(queues)}, {rates(reads)} % reads",
            few,
        ),
        (link("replicated-striping"), "Cheetah ST34501N", every, "quick study", seeds),
        (link("autoqos"), "ST340810A", every, "the study", str(len(autoqos.SEEDS))),
        (
            link("integrated-servers"),
            "Elite3",
            largest,
            "quick study",
            f"{len(text_and_video.QUICK.first)}; T and V: {len(text_and_video.QUICK.most)}",
        ),
    )


def interpretations(quick: bool) -> tuple[tuple[str, str], ...]:
    measured = next(iter(MEASURED.values())).misses()
    return tuple((its.name, its.text) for its in (*spreads(quick), measured))
