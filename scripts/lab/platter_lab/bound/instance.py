# SPDX-License-Identifier: Apache-2.0
"""What a bound is of: requests, times between their accesses, and how many are known at once."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from platter_lab.arrays import Bools, Ints


@dataclass(frozen=True)
class Request:
    """A request on the drive.

    `order`: its number among those of its host, in the order of issue. `round`: the round by whose
    end it is due, or -1.
    """

    op: str
    first: int  # block
    blocks: int
    order: int
    round: int = -1


class Instance:
    """`completions` requests are served, of which all with a round, and at most `depth` of the
    others are known at a time. Times are ps.

    `onward`: from the end of one access to the end of the next, shape (n, n); `start`: from time 0,
    shape (n,); `lead`: by how much a request may complete before its access ends, shape (n,).
    """

    def __init__(
        self, requests: list[Request], table: Ints, depth: int, completions: int, drive: str
    ) -> None:
        """`table` as `check.costs_of` gives it; `drive`: a scenario of it alone, as TOML."""
        self.requests = requests
        self.table = table
        self.depth = depth
        self.completions = completions
        self.drive = drive
        self.onward = table[1:, :-1]
        self.start = table[0, :-1]
        self.lead = table[1:, -1]
        self.order = np.array([one.order for one in requests])
        self.round_of = np.array([one.round for one in requests])
        self.rounds = max(1, int(self.round_of.max()) + 1)
        # Requests with a round before that of each phase, and all of them.
        self.before = [
            int(((self.round_of >= 0) & (self.round_of < q)).sum()) for q in range(self.rounds + 1)
        ]

    @property
    def n(self) -> int:
        return len(self.requests)

    def of(self, completions: int) -> Instance:
        """The same with another number of requests that are served."""
        return Instance(self.requests, self.table, self.depth, completions, self.drive)

    def phases(self, position: int) -> list[int]:
        """Phases in which the position (from 0) may be. In phase q the next request with a round is
        of round q.
        """
        free = self.completions - self.before[-1]  # requests without a round that are served
        return [
            q for q in range(self.rounds) if self.before[q] <= position < self.before[q + 1] + free
        ]

    def may_serve(self, position: int, phase: int) -> Bools:
        """Requests that may be served there. Shape (n,)."""
        known: Bools = self.order < self.depth + position - self.before[phase]
        may: Bools = (self.round_of == phase) | ((self.round_of < 0) & known)
        return may

    def time_of(self, schedule: list[int]) -> int:
        """When the last of these requests has been completed."""
        onward = sum(int(self.onward[one, other]) for one, other in pairwise(schedule))
        return int(self.start[schedule[0]]) + onward - int(self.lead[schedule[-1]])
