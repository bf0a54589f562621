# SPDX-License-Identifier: Apache-2.0
"""Traces that have one cluster of requests at a time, and the order in which each cluster was
served.

A single request at the lower edge precedes each cluster. The whole cluster arrives while the drive
serves this request, so that the policy sees all of the cluster when the arm becomes free at a known
place.
"""

from __future__ import annotations

import csv
import random
import tomllib
from pathlib import Path
from statistics import NormalDist, fmean
from typing import Any

from platter_lab import LabError

PERIOD_S = 1.0  # between clusters: enough for six of the longest requests
LEAD_S = 0.000_1  # of the request at the edge
SECTOR = 512
BATCHES = 5  # independent parts of a run


def _uniform_disk(profile: Path) -> tuple[int, int]:
    """Cylinders and sectors of a cylinder of a profile with one zone, no spares and no slips."""
    try:
        geometry = tomllib.loads(profile.read_text(encoding="utf-8"))["geometry"]
        zones = geometry["zone"]
        if len(zones) == 1 and not zones[0].get("spare_sectors") and not zones[0].get("slips"):
            return geometry["cylinders"], geometry["surfaces"] * zones[0]["sectors_per_track"]
    except (OSError, KeyError, tomllib.TOMLDecodeError) as error:
        raise LabError(f"{profile}: {error}") from error
    raise LabError(f"{profile}: expected a drive with one zone, without spares and slips")


def trace(
    profile: Path,
    requests: int,
    width: int,
    clusters: int,
    mean_bytes: int = 70_000,
    deviation_bytes: int = 20_000,
) -> str:
    """DiskSim's ASCII trace of clusters of `requests` within `width` cylinders, uniform over the
    disk. Reads of normal size (Balafoutis et al., table 2), each within its cylinder."""
    cylinders, per_cylinder = _uniform_disk(profile)
    if not 1 <= width <= cylinders:
        raise LabError(
            f"found clusters of {width} cylinders, expected at most the {cylinders} cylinders of "
            "the disk"
        )
    source = random.Random(f"{requests} requests in {width} cylinders")
    size = NormalDist(mean_bytes / SECTOR, deviation_bytes / SECTOR)
    lines = []

    def read(at_s: float, cylinder: int, sectors: int) -> None:
        start = int(source.random() * (per_cylinder - sectors + 1))
        lines.append(f"{1000 * at_s:.4f} 0 {cylinder * per_cylinder + start} {sectors} 1")

    for number in range(clusters):
        first = int(source.random() * (cylinders - width + 1))
        read(number * PERIOD_S, first, 1)
        for _ in range(requests):
            sectors = min(max(1, round(size.inv_cdf(max(source.random(), 1e-12)))), per_cylinder)
            read(number * PERIOD_S + LEAD_S, first + int(source.random() * width), sectors)
    return "\n".join(lines) + "\n"


def batch_means(log: Path) -> dict[str, Any]:
    """Mean time from the end of the request at the edge to those of a cluster's requests, in ms,
    for each of `BATCHES` equal parts of the clusters."""
    by_cluster: dict[int, list[tuple[int, int]]] = {}
    with log.open(encoding="ascii", newline="") as file:
        for row in csv.DictReader(file):
            if row["status"] != "good":
                raise LabError(f"{log}: request {row['number']} failed ({row['status']})")
            issued = int(row["issued_ps"])
            by_cluster.setdefault(int(issued // (PERIOD_S * 1e12)), []).append(
                (issued, int(row["completed_ps"]))
            )
    batches: list[list[float]] = [[] for _ in range(BATCHES)]
    for number, rows in by_cluster.items():
        rows.sort()
        edge_issued, edge_end = rows[0]
        if any(issued - edge_issued > 2e12 * LEAD_S or end < edge_end for issued, end in rows[1:]):
            raise LabError(f"{log}: a cluster was not served after the request before it")
        batches[number * BATCHES // len(by_cluster)] += [
            (end - edge_end) / 1e9 for _, end in rows[1:]
        ]
    return {"clusters": len(by_cluster), "batch_means_ms": [fmean(batch) for batch in batches]}
