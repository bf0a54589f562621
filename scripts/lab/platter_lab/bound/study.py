# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/results/bound: what policies leave to gain, and where."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from platter_lab import LabError
from platter_lab.bound.load import Load
from platter_lab.bound.outcome import POLICIES, Outcome, of_batch, of_closed_load, of_rounds
from platter_lab.executable import ROOT, expect_tree
from platter_lab.files import write_whole

_SCENARIOS = ROOT / "models/configs/scenarios"
# Drives whose costs are static: no buffer, no spread.
_STATIC = ("drive.cache.segments=0", "drive.cache.write_back=off")
_NO_SPREAD = ("drive.mechanics.arrival_spread_us=[]",)
DRIVES: dict[str, tuple[str, ...]] = {
    "cheetah9lp": _STATIC,
    "savvio_10k4": (*_STATIC, *_NO_SPREAD),
    "wd22tb": (*_STATIC, *_NO_SPREAD, "drive.cache.write_segments=0"),
}
DEPTH = 32  # of all policies
DEPTHS = (8, 16, 64, 128, 256)  # of the best ones
_OF_DEPTHS = 5  # best policies
_SEEDS = 20
_ROUNDS, _MIXED_SEEDS = 3, 2
_ANNEALING = 5_000_000
_BATCHES = (8, 32, 128, 256)
_BEGIN, _END = "<!-- bound:begin -->", "<!-- bound:end -->"
_COLUMNS = (
    "table",
    "drive",
    "depth",
    "seed",
    "completions",
    "rounds",
    "bound_ms",
    "best_ms",
    "most",
    "policy",
    "value",
    "distance_percent",
    "late",
)


def closed(platter: Path, drive: str, depth: int, seed: int) -> Load:
    """Random reads of 4 KiB."""
    settings = [
        f"drive={drive}",
        *DRIVES[drive],
        f"drive.queue.depth={depth}",
        f"workload.discrete.outstanding={depth}",
        f"sim.seed={seed}",
    ]
    return Load(platter, _SCENARIOS / "random_4k.toml", settings)


def mixed(platter: Path, seed: int) -> Load:
    """The mixed-media load of the tutorials, but its discrete requests are a closed load of 7, and
    the drive has no zero latency, so that its costs are exact.
    """
    settings = [
        *_STATIC,
        "drive.mechanics.zero_latency_read=false",
        "drive.mechanics.zero_latency_write=false",
        "workload.discrete.source=closed",
        "workload.discrete.rate_per_s=0.0",
        "workload.discrete.outstanding=7",
        f"sim.seed={seed}",
    ]
    return Load(platter, _SCENARIOS / "mixed_media.toml", settings)


def rows_of(table: str, seed: int, drive: str, outcome: Outcome) -> Iterable[dict[str, Any]]:
    for one in outcome.policies:
        yield {
            "table": table,
            "drive": drive,
            "depth": outcome.depth,
            "seed": seed,
            "completions": outcome.completions,
            "rounds": outcome.rounds or "",
            "bound_ms": f"{outcome.bound_ps * 1e-9:.3f}",
            "best_ms": "" if outcome.best_ps is None else f"{outcome.best_ps * 1e-9:.3f}",
            "most": "" if outcome.most is None else outcome.most,
            "policy": one.policy,
            "value": f"{one.value:.3f}" if outcome.most is None else int(one.value),
            "distance_percent": f"{one.distance:.2f}",
            "late": one.late,
        }


def _best_of(rows: Sequence[dict[str, Any]], count: int) -> list[str]:
    """Policies by their mean distance; of equal ones only the first."""
    of: dict[str, list[float]] = {}
    for row in rows:
        of.setdefault(row["policy"], []).append(float(row["distance_percent"]))
    ranked = sorted(of, key=lambda policy: sum(of[policy]) / len(of[policy]))
    kept: list[str] = []
    for policy in ranked:
        if all(of[policy] != of[other] for other in kept):
            kept.append(policy)
    return kept[:count]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    cells = [[cell.replace("|", "\\|") for cell in line] for line in lines]
    return [*("| " + " | ".join(line) + " |" for line in cells), ""]


def _grouped(policies: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """A row for all policies with the same cells."""
    of: dict[tuple[str, ...], list[str]] = {}
    for policy, cells in policies.items():
        of.setdefault(tuple(cells), []).append(f"`{policy}`")
    return [[", ".join(names), *cells] for cells, names in of.items()]


def tables(rows: Sequence[Mapping[str, str]]) -> str:
    """Markdown of the rows of results.csv.gz."""

    def percent(one: Mapping[str, str]) -> str:
        return f"{float(one['distance_percent']):.1f}"

    def best(one: Mapping[str, str]) -> str:
        return f"{100 * (float(one['best_ms']) / float(one['bound_ms']) - 1):.1f}"

    of: dict[str, list[Mapping[str, str]]] = {}
    for row in rows:
        of.setdefault(row["table"], []).append(row)
    drives = list(DRIVES)
    lines = ["### Every policy at depth 32", ""]
    first = {drive: next(r for r in of["policies"] if r["drive"] == drive) for drive in drives}
    cells = {(r["policy"], r["drive"]): percent(r) for r in of["policies"]}
    policies = list(dict.fromkeys(r["policy"] for r in of["policies"]))
    policies.sort(key=lambda policy: float(cells.get((policy, drives[0]), "inf")))
    lines += _table(
        ["time above the bound (%)", *drives],
        [
            ["*best schedule found*", *(best(first[drive]) for drive in drives)],
            *_grouped({p: [cells.get((p, drive), "") for drive in drives] for p in policies}),
        ],
    )
    lines += ["### The best policies at other depths", ""]
    compared = {r["policy"] for r in of["depths"]}
    together = of["depths"] + [r for r in of["policies"] if r["policy"] in compared]
    depths = sorted({r["depth"] for r in together}, key=int)
    for drive in drives:
        mine = [r for r in together if r["drive"] == drive]
        at = {(r["policy"], r["depth"]): r for r in mine}
        some = {depth: next(r for r in mine if r["depth"] == depth) for depth in depths}
        each = [float(some[d]["bound_ms"]) / float(some[d]["completions"]) for d in depths]
        lines += _table(
            [f"{drive}, depth", *depths],
            [
                ["bound (ms a request)", *(f"{one:.3f}" for one in each)],
                ["*best schedule found* (% above)", *(best(some[depth]) for depth in depths)],
                *(
                    [f"`{policy}` (% above)", *(percent(at[policy, depth]) for depth in depths)]
                    for policy in dict.fromkeys(r["policy"] for r in mine)
                ),
            ],
        )
    lines += ["### Beside streams with deadlines", ""]
    seeds = list(dict.fromkeys(r["seed"] for r in of["mixed"]))
    most = {r["seed"]: r["most"] for r in of["mixed"]}
    served = {
        (r["policy"], r["seed"]): r["value"] + (f" ({r['late']} late)" if r["late"] != "0" else "")
        for r in of["mixed"]
    }
    lines += _table(
        ["requests beside the streams", *(f"seed {seed}" for seed in seeds)],
        [
            ["**at most**", *(most[seed] for seed in seeds)],
            *_grouped(
                {
                    policy: [served.get((policy, seed), "") for seed in seeds]
                    for policy in dict.fromkeys(r["policy"] for r in of["mixed"])
                }
            ),
        ],
    )
    lines += ["### All requests known from the start", ""]
    batch = {(r["drive"], r["depth"]): r for r in of["batch"]}
    counts = list(dict.fromkeys(r["depth"] for r in of["batch"]))
    for drive in drives:
        mine = [batch[drive, count] for count in counts]
        lines += _table(
            [f"{drive}, requests", *counts],
            [
                ["bound (ms)", *(one["bound_ms"] for one in mine)],
                ["*best schedule found* (% above)", *(best(one) for one in mine)],
                ["`SPTF` (% above)", *(percent(one) for one in mine)],
            ],
        )
    lines += ["### Twenty seeds", ""]
    distances: dict[str, list[float]] = {}
    for row in of["seeds"]:
        distances.setdefault(row["policy"], []).append(float(row["distance_percent"]))
    nearest = sorted(distances, key=lambda policy: sum(distances[policy]))
    lines += _table(
        ["time above the bound (%)", "least", "mean", "most"],
        _grouped(
            {
                p: [f"{one:.1f}" for one in (min(d), sum(d) / len(d), max(d))]
                for p, d in ((p, distances[p]) for p in nearest)
            }
        )[:_OF_DEPTHS],
    )
    count = sum(len(one) for one in distances.values())
    below = sum(one < 0 for some in distances.values() for one in some)
    lines.append(f"Of {count} runs of {len(distances)} policies, {below} beat the bound.")
    return "\n".join(lines)


def write_page(folder: Path) -> None:
    """Puts the tables of results.csv.gz into the page of the folder, if there is one."""
    page = folder / "README.md"
    if not page.exists():
        return
    with gzip.open(folder / "results.csv.gz", "rt", encoding="utf-8", newline="") as file:
        text = tables(list(csv.DictReader(file)))
    old = page.read_text(encoding="utf-8")
    if _BEGIN not in old or _END not in old:
        raise LabError(f"{page}: found no place for the tables, expected {_BEGIN} and {_END}")
    front, behind = old.split(_BEGIN)[0], old.split(_END)[1]
    write_whole({page: f"{front}{_BEGIN}\n\n{text}\n\n{_END}{behind}"})


def run(folder: Path, platter: Path) -> int:
    """Writes results.csv.gz after each part, and the tables of the page at the end."""
    expect_tree("bound --study")
    rows: list[dict[str, Any]] = []

    def add(table: str, seed: int, drive: str, outcome: Outcome) -> None:
        rows.extend(rows_of(table, seed, drive, outcome))
        text = io.StringIO()
        writer = csv.DictWriter(text, _COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        content = gzip.compress(text.getvalue().encode(), mtime=0)
        write_whole({folder / "results.csv.gz": content})
        print(f"{table}: {drive}, depth {outcome.depth}, seed {seed}", flush=True)

    for drive in DRIVES:
        add(
            "policies",
            1,
            drive,
            of_closed_load(closed(platter, drive, DEPTH, 1), 300, POLICIES, 150, _ANNEALING),
        )
    best = _best_of(rows, _OF_DEPTHS)
    for drive in DRIVES:
        for depth in DEPTHS:
            load = closed(platter, drive, depth, 1)
            add("depths", 1, drive, of_closed_load(load, 300, best, 100, _ANNEALING))
    for seed in range(1, _MIXED_SEEDS + 1):
        outcome = of_rounds(mixed(platter, seed), _ROUNDS, POLICIES, 60)
        add("mixed", seed, "atlas10k", outcome)
    for seed in range(1, _SEEDS + 1):
        load = closed(platter, "cheetah9lp", DEPTH, seed)
        add("seeds", seed, "cheetah9lp", of_closed_load(load, 150, POLICIES, 0, 0))
    for drive in DRIVES:
        for count in _BATCHES:
            outcome = of_batch(closed(platter, drive, DEPTH, 1), count, _ANNEALING)
            add("batch", 1, drive, outcome)
    write_page(folder)
    return 0
