# SPDX-License-Identifier: Apache-2.0
"""The comparison of `mixed_media` on measured drives, with their zones, caches and controllers: which claims survive."""

from __future__ import annotations

from platter_lab.reproduce import mixed_media
from platter_lab.reproduce.bench import Results
from platter_lab.reproduce.claims import Claim
from platter_lab.reproduce.figures import Chart
from platter_lab.reproduce.mixed_load import POLICIES, RUN_HEADER, SPTF, Load, View, fairness, response_s
from platter_lab.reproduce.readings import DEFAULT, Judged, Reading, judge
from platter_lab.reproduce.study import PAPERS, Plan, Report, Study, Table

FOLDER = PAPERS / "on-real-drives"
TABLE1 = "Table 1's disk"
DRIVES = {"Atlas 10K": "atlas10k", "Cheetah 9LP": "cheetah9lp"}

NEXT_C = next(reading for reading in mixed_media.READINGS if reading.name == "SPTF(next-C)")
UNBURDENED = Reading("no cache, no overhead", "the drive's mechanics alone",
                     (("drive.cache.segments", "0"), ("drive.cache.read_ahead", "none"), ("drive.cache.write_back", "off"),
                      *((f"drive.overhead.{key}_us", "0") for key in (
                          "read_hit_after_read", "read_hit_after_write", "read_miss_after_read", "read_miss_after_write",
                          "write_after_read", "write_after_write"))))
READINGS = (NEXT_C, UNBURDENED)


def _loads(quick: bool) -> dict[str, Load]:
    rates = (5, 35, 65) if quick else (5, 15, 25, 35, 45, 55, 65)
    files = {TABLE1: mixed_media.FOLDER / "scenario.toml"} | {name: FOLDER / f"{file}.toml" for name, file in DRIVES.items()}
    rounds = mixed_media.rounds(quick, False)
    return {name: Load(file, rates, rounds) for name, file in files.items()}


def plan(quick: bool) -> Plan:
    loads = _loads(quick)
    points = loads[TABLE1].points(POLICIES)
    points += [point for name in DRIVES for reading in (DEFAULT, *READINGS) for point in loads[name].points(POLICIES, reading)]
    return Plan(tuple(dict.fromkeys(points)), mixed_media.SEEDS)


def _general(loads: dict[str, Load]) -> list[Judged]:
    """The claims that are not about Table 1's disk or its projection alone."""
    return [one for one in mixed_media.paper_claims(loads[TABLE1].rates)
            if one.name != "c-share" and not one.name.startswith("projected-")]


def report(results: Results, quick: bool) -> Report:
    loads = _loads(quick)

    def views(name: str, reading: Reading = DEFAULT) -> dict[str, View]:
        return {"table1": View(results, loads[name], POLICIES, reading)}

    judged = _general(loads)
    claims: dict[str, list[Claim]] = {TABLE1: [judge(one, views(TABLE1), {}) for one in judged]}
    for name in DRIVES:
        readings = {reading: views(name, reading) for reading in READINGS}
        claims[name] = [judge(one, views(name), readings) for one in judged]
    survival = Table("Which claims survive", ("claim", *claims), tuple(
        (one.text, *(claims[name][i].verdict_text() for name in claims)) for i, one in enumerate(judged)))
    shown = tuple(claim.named(f"{DRIVES[name]}: {claim.name}", f"{name}: {claim.text}") for name in DRIVES for claim in claims[name])

    rate = "arrival rate λ of D-requests (per round)"
    charts = tuple(chart for name, file in DRIVES.items() for view in views(name).values() for chart in (
        Chart(f"{file}_response.svg", f"{name}: mean response time", rate, "mean response time of D (s)",
              view.series(POLICIES, response_s), log_y=True),
        Chart(f"{file}_fairness.svg", f"{name}: fairness", rate, "fairness index", view.series(POLICIES, fairness))))
    tables = [survival, *(view.table(name) for name in DRIVES for view in views(name).values())]
    rows = tuple(row for name in DRIVES for reading in (DEFAULT, *READINGS) for view in views(name, reading).values()
                 for row in view.rows(DRIVES[name]))
    return Report(shown, charts, (*tables, Table("Every run", RUN_HEADER, rows, "runs.csv")),
                  tuple((reading.name, reading.text) for reading in READINGS))


INTRODUCTION = """
The load of [mixed-media](../mixed-media/README.md) with N = 25, on two measured drives: the Quantum Atlas 10K (`atlas10k.toml`) and
the Seagate Cheetah 9LP (`cheetah9lp.toml`) with their zones, skews, spares, caches with read-ahead, and the overheads of their
controllers. The bus is Ultra2 SCSI, 80 MB/s, in the place of the slow one of the rig on which the drives were measured. Requests lie
anywhere on the drive and go on over tracks and cylinders. Each drive's claims are judged by the criteria of that page; the
first table holds them beside Table 1's disk. Runs have 4,000 rounds, five make a point.
"""

STUDY = Study("on-real-drives", "Mixed-media workloads on measured drives", INTRODUCTION, plan, report)
