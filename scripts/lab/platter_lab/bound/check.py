# SPDX-License-Identifier: Apache-2.0
"""Checks the certificate of a bound. Apart from the costs, which the model's executable prints, it
uses nothing of this package: `python check.py CERTIFICATE.json PLATTER`. All sums are integers.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Times = NDArray[np.int64]  # ps
NEVER = np.int64(1) << 60
LARGEST = 1 << 50  # multiplier, and
MOST_REQUESTS = 2000  # whose costs are a matrix: so no sum leaves 64 bits


class Refused(Exception):
    """The certificate proves less than it claims, or is none."""


def costs_of(drive: str, requests: list[Any], platter: str) -> Times:
    """Row 0: from the start to the end of each request; row 1 + i: from the end of request i. The
    last column: by how much a request may complete before its end. Shape (n + 1, n + 1).
    """
    with tempfile.TemporaryDirectory(prefix="platter-check-") as folder:
        scenario = Path(folder) / "drive.toml"
        scenario.write_text(drive, encoding="utf-8")
        lines = "".join(f"{op},{first},{blocks}\n" for op, first, blocks, _, _ in requests)
        command = [platter, "drive", "costs", str(scenario)]
        done = subprocess.run(command, input=lines, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Refused(f"the executable refuses the drive or the requests: {done.stderr.strip()}")
    table = np.array(done.stdout.replace("\n", ",").split(",")[:-1], np.int64)
    return table.reshape(len(requests) + 1, len(requests) + 1)


def assignment(table: Times, duals: list[int]) -> int:
    """Least time in which all requests are served: each row has one column, and each column one
    row. The last column is the end of the schedule.
    """
    n = len(table) - 1
    rows, columns = np.array(duals[: n + 1], np.int64), np.array(duals[n + 1 :], np.int64)
    costs = table.copy()
    costs[:, n] *= -1
    costs[0, n] = NEVER
    costs[np.arange(1, n + 1), np.arange(n)] = NEVER  # a request does not follow itself
    if len(columns) != n + 1 or (rows[:, None] + columns[None, :] > costs).any():
        raise Refused("two duals add up to more than the cost between their requests")
    return sum(duals)


def walk(table: Times, c: dict[str, Any], prices: Times) -> int:
    """Least time of the first `completions` requests that are served, `depth` known at a time.

    A walk serves one request at each position. It may come back to a request, but not at the next
    position but one. Each time it serves a request it pays its price, and the sum of all prices is
    subtracted, so a walk that serves none twice pays no more than its time. In phase q of a walk
    the next request with a deadline is of round q.
    """
    n, last = len(prices), int(c["completions"])
    order, round_of = np.array([(r[3], r[4]) for r in c["requests"]], np.int64).T
    rounds = max(1, int(round_of.max()) + 1)
    before = [int(((round_of >= 0) & (round_of < q)).sum()) for q in range(rounds + 1)]
    if last < before[rounds] or ((np.diff(before) == 0).any() and before[rounds] > 0):
        raise Refused("a round has no request, or not all requests of rounds are served")
    if (prices[round_of < 0] < 0).any():
        raise Refused("a request that need not be served has a price below 0")
    onward = table[1:, :n].T + prices[:, None]  # [to, from]
    labels: list[Any] = [None] * rounds  # of each phase: best, second best, predecessor of best
    for k in range(last):
        fresh: list[Any] = [None] * rounds
        for q in range(rounds):
            if not before[q] <= k < before[q + 1] + last - before[rounds]:
                continue
            there = (round_of == q) | ((round_of < 0) & (order < c["depth"] + k - before[q]))
            if k == 0:
                best = np.where(there, table[0, :n] + prices, NEVER)
                fresh[q] = best, np.full(n, NEVER), np.full(n, -1)
                continue
            total = np.full((n, n), NEVER)
            for source in (q - 1, q):
                if source < 0 or labels[source] is None:
                    continue
                first, second, behind = (one.copy() for one in labels[source])
                if source < q:  # the phase ends with a request of its round
                    first[round_of != source] = second[round_of != source] = NEVER
                part = onward + first[None, :]
                came = np.flatnonzero(behind >= 0)
                part[behind[came], came] = onward[behind[came], came] + second[came]
                total = np.minimum(total, part)
            np.fill_diagonal(total, NEVER)
            total[~there] = NEVER
            at, behind = np.arange(n), total.argmin(1)
            best = total[at, behind]
            total[at, behind] = NEVER
            fresh[q] = np.minimum(best, NEVER), np.minimum(total.min(1), NEVER), behind
        labels = fresh
    return int((labels[rounds - 1][0] - table[1:, n]).min() - prices.sum())


def check(certificate: dict[str, Any], platter: str) -> int:
    """The proven bound in ps. Refused, if it is below the certificate's, or nothing is proven."""
    try:
        c = certificate
        n = len(c["requests"])
        if n > MOST_REQUESTS or int(c["completions"]) > n:
            raise Refused(f"more than {MOST_REQUESTS} requests, or more completions than requests")
        table = costs_of(c["drive"], c["requests"], platter)
        multipliers = [int(one) for one in c["multipliers_ps"]]
        if max(abs(one) for one in multipliers) > LARGEST:
            raise Refused(f"a multiplier is larger than {LARGEST} ps")
        if c["kind"] == "assignment":
            if c["completions"] != n:
                raise Refused("an assignment is of all requests")
            proven = assignment(table, multipliers)
        else:
            if len(multipliers) != n:
                raise Refused("there is not one multiplier for each request")
            if max(r[4] for r in c["requests"]) >= 0:  # to leave out a request never takes longer
                for via in range(len(table) - 1):
                    direct = table[:, via, None] + table[None, 1 + via, :-1]
                    longer = table[:, :-1] > direct
                    longer[1 + via] = False
                    np.fill_diagonal(longer[1:], False)
                    if longer.any():
                        raise Refused("a detour over a request would be shorter")
            proven = walk(table, c, np.array(multipliers, np.int64))
        claimed = int(c["bound_ps"])
    except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
        raise Refused(f"not a certificate: {type(error).__name__}: {error}") from error
    if proven < claimed:
        raise Refused(f"it claims {claimed} ps, but proves only {proven} ps")
    return proven


if __name__ == "__main__":
    try:
        print(f"proven: {check(json.loads(Path(sys.argv[1]).read_text()), sys.argv[2])} ps")
    except (Refused, OSError, ValueError) as error:
        sys.exit(f"{sys.argv[1]}: {error}")
