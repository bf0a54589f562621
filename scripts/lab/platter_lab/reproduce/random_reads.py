# SPDX-License-Identifier: Apache-2.0
"""The response times of a job of random reads, from the log of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

JOB = "random"
WARMUP_S = 5.0  # reads that were issued before do not count
BINS = 14  # the last one holds all that is longer, from 4,096 ms on

PS_PER_MS = 1_000_000_000


def histogram(log: Path) -> dict[str, Any]:
    """Of the reads issued after the warm-up that have ended: `ended`, how many they are, `slow`,
    how many took longer than 1 s, and `bins`. Bin 0 counts those below 1 ms, bin n those from
    2^(n-1) ms up to 2^n ms.
    """
    bins = [0] * BINS
    slow = 0
    with log.open(encoding="utf-8") as file:
        header = file.readline().rstrip("\n").split(",")
        issued, completed, job = map(header.index, ("issued_ps", "completed_ps", "job"))
        for line in file:
            if JOB not in line:  # most rows are the stream's
                continue
            row = line.rstrip("\n").split(",")
            if row[job] != JOB or int(row[issued]) < WARMUP_S * 1000 * PS_PER_MS:
                continue
            took = int(row[completed]) - int(row[issued])
            bins[min((took // PS_PER_MS).bit_length(), BINS - 1)] += 1
            slow += took > 1000 * PS_PER_MS
    return {"ended": sum(bins), "slow": slow, "bins": bins}
