# SPDX-License-Identifier: Apache-2.0
"""The comparison of `mixed_media` on measured drives, with their zones, caches and controllers:
which claims survive."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from platter_lab.reproduce import mixed_media
from platter_lab.reproduce.claims import Claim
from platter_lab.reproduce.figures import Chart
from platter_lab.reproduce.interpretations import DEFAULT, Interpretation, Judged, Together, judge
from platter_lab.reproduce.mixed_load import (
    CI_OPT,
    CLUST,
    CLUSTER_KINDS,
    COMBINATIONS,
    FACTORS,
    NEXT_C,
    POLICIES,
    RUN_HEADER,
    SPTF,
    TPS_SCAN,
    Load,
    Opponents,
    View,
    fairness,
    response_ms,
)
from platter_lab.reproduce.mixed_media import Views
from platter_lab.reproduce.study import PAPERS, Plan, Report, Study, Table
from platter_lab.reproduce.turning_points import grid_table
from platter_lab.runs.results import Results

FOLDER = PAPERS / "on-real-drives"
TABLE1 = "Table 1's disk"
DRIVES = {"Atlas 10K": "atlas10k", "Cheetah 9LP": "cheetah9lp"}
FINE = {
    TABLE1: (50, 52, 54, 55, 56, 57, 58, 60),
    "Atlas 10K": (65, 68, 70, 72, 74, 76, 78, 80),
    "Cheetah 9LP": (35, 37, 38, 39, 40, 41, 42, 43),
}

UNBURDENED = Interpretation(
    "no cache, no overhead",
    "only the drive's mechanics take time: there is no cache and no overhead of the controller",
    (
        ("drive.cache.segments", "0"),
        ("drive.cache.read_ahead", "none"),
        ("drive.cache.write_back", "off"),
        *(
            (f"drive.overhead.{key}_us", "0")
            for key in (
                "read_hit_after_read",
                "read_hit_after_write",
                "read_miss_after_read",
                "read_miss_after_write",
                "write_after_read",
                "write_after_write",
            )
        ),
    ),
)
INTERPRETATIONS = (UNBURDENED,)


def _loads(quick: bool, rates: tuple[int, ...]) -> dict[str, Load]:
    files = {TABLE1: mixed_media.FOLDER / "scenario.toml"} | {
        name: FOLDER / f"{file}.toml" for name, file in DRIVES.items()
    }
    return {name: Load(file, rates, mixed_media.rounds(quick)) for name, file in files.items()}


def _all(quick: bool) -> dict[str, Load]:
    return _loads(quick, (5, 35, 65) if quick else (5, 15, 25, 35, 45, 55, 65))


def _heavy(quick: bool) -> dict[str, Load]:
    """Those of all combinations of what the paper leaves open about SPTF and clusters."""
    return _loads(quick, (35, 65) if quick else (35, 45, 55, 65))


def _again(quick: bool) -> dict[str, Load]:
    return _loads(quick, (35, 65) if quick else (5, 35, 55, 65))


def _fine(quick: bool, name: str) -> Load:
    """Up to the rates at which TPS:SCAN/SCAN falls behind."""
    return mixed_media.fine_loads(quick, _all(quick)[name].scenario, FINE[name])


def plan(quick: bool) -> Plan:
    points = [point for load in _all(quick).values() for point in load.points(POLICIES)]
    points += [
        point
        for name in FINE
        for interpretation in (DEFAULT, *(INTERPRETATIONS if name in DRIVES else ()))
        for point in _fine(quick, name).points((TPS_SCAN, CI_OPT), interpretation)
    ]
    for name in DRIVES:
        points += [
            point
            for together in COMBINATIONS
            for point in _heavy(quick)[name].points((SPTF, *CLUST), together)
        ]
        points += [
            point
            for interpretation in INTERPRETATIONS
            for point in _again(quick)[name].points(POLICIES, interpretation)
        ]
    return Plan(tuple(dict.fromkeys(points)), mixed_media.SEEDS)


def _general() -> list[Judged[Views]]:
    """The claims that are not about Table 1's disk or its projection alone."""
    return [
        one
        for one in mixed_media.paper_claims()
        if one.name != "c-share" and not one.name.startswith("projected-")
    ]


def report(results: Results, quick: bool) -> Report:
    def views(name: str, interpretation: Interpretation = DEFAULT) -> Views:
        loads, heavy = (_all, _heavy) if interpretation is DEFAULT else (_again, _again)
        return Views(
            {
                "table1": View(results, loads(quick)[name], POLICIES, interpretation),
                "table1 heavy": View(results, heavy(quick)[name], POLICIES, interpretation),
                "table1 fine": View(
                    results, _fine(quick, name), (TPS_SCAN, CI_OPT), interpretation
                ),
            }
        )

    def at_best(name: str) -> Views:
        """With the best of all kinds of clusters."""
        kinds = [
            (View(results, _heavy(quick)[name], CLUST, kind), policy)
            for kind in CLUSTER_KINDS
            for policy in CLUST
        ]
        return replace(views(name), clusters={"table1": Opponents(kinds)})

    @cache
    def grid(name: str) -> dict[Together, View]:
        return {
            together: View(results, _heavy(quick)[name], mixed_media.SECOND, together)
            for together in COMBINATIONS
        }

    judged = _general()
    claims: dict[str, list[Claim]] = {
        TABLE1: [judge(replace(one, alternatives=()), views(TABLE1), {}) for one in judged]
    }
    for name in DRIVES:
        interpretations = {
            interpretation: views(name, interpretation) for interpretation in INTERPRETATIONS
        }
        combined = {
            together: Views({"table1": view, "table1 heavy": view})
            for together, view in grid(name).items()
        }
        bases = {
            interpretation: mixed_media.beside(views(name), others)
            for interpretation, others in interpretations.items()
        }
        claims[name] = [
            judge(one, at_best(name), interpretations, FACTORS, combined, bases) for one in judged
        ]
    survival = Table(
        "Which claims survive",
        ("claim", *claims),
        tuple(
            (one.text, *(claims[name][i].verdict_text() for name in claims))
            for i, one in enumerate(judged)
        ),
    )
    shown = tuple(
        claim.named(f"{DRIVES[name]}: {claim.name}", f"{name}: {claim.text}")
        for name in DRIVES
        for claim in claims[name]
    )

    rate = "arrival rate λ of D-requests (per round)"
    whole = {name: views(name)["table1"] for name in DRIVES}
    charts = tuple(
        chart
        for name, file in DRIVES.items()
        for chart in (
            Chart(
                f"{file}_response.svg",
                f"{name}: mean response time",
                rate,
                "mean response time of D (ms)",
                whole[name].series(POLICIES, response_ms),
                log_y=True,
            ),
            Chart(
                f"{file}_fairness.svg",
                f"{name}: fairness",
                rate,
                "fairness index",
                whole[name].series(POLICIES, fairness),
            ),
        )
    )
    fine = {name: View(results, _fine(quick, name), (TPS_SCAN, CI_OPT)) for name in DRIVES}
    tables = [
        survival,
        *(view.table(name) for name, view in whole.items()),
        *(
            view.table(f"{name}, up to the capacity of TPS:SCAN/SCAN")
            for name, view in fine.items()
        ),
        *(
            grid_table(
                f"Where each claim turns: {name}; λ (SPTF's utilisation)",
                mixed_media.turns(),
                FACTORS,
                grid(name),
            )
            for name in DRIVES
        ),
    ]
    rows = tuple(
        row
        for name in DRIVES
        for view in (
            whole[name],
            fine[name],
            *(
                View(results, _again(quick)[name], POLICIES, interpretation)
                for interpretation in INTERPRETATIONS
            ),
            *(View(results, _heavy(quick)[name], CLUST, kind) for kind in CLUSTER_KINDS),
            View(results, _heavy(quick)[name], (SPTF,), NEXT_C),
        )
        for row in view.rows(DRIVES[name])
    )
    return Report(
        shown,
        charts,
        tuple(tables),
        tuple((interpretation.name, interpretation.text) for interpretation in INTERPRETATIONS),
        runs=(Table("Every run", RUN_HEADER, rows, "runs.csv"),),
    )


INTRODUCTION = """
This study runs the load of [mixed-media](../mixed-media/README.md) with N = 25 on two measured \
drives. They are the Quantum Atlas 10K
(`atlas10k.toml`) and the Seagate Cheetah 9LP (`cheetah9lp.toml`). Both have their zones, skews, \
spares, caches with read-ahead, and the
overheads of their controllers. The bus is Ultra2 SCSI with 80 MB/s. The rig on which the drives \
were measured had a slower bus. Requests lie
anywhere on the drive and continue across tracks and cylinders.

The criteria are those of the mixed-media page. From λ = 35 on, each drive's claims are judged \
under every combination of what the paper leaves
open about SPTF and clusters. They are also judged with the best of all kinds of clusters. The \
first table compares the verdicts with those of
Table 1's disk. Runs have 4,000 rounds, and five runs make a point. *Up to several hundred \
percent* is evaluated just below the load at which
TPS:SCAN/SCAN falls behind. This load differs between the drives.
"""

STUDY = Study(
    "on-real-drives", "Mixed-media workloads on measured drives", INTRODUCTION, plan, report
)
