# SPDX-License-Identifier: Apache-2.0
"""What no other point is better than."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any


def front_of(rows: Sequence[Mapping[str, Any]], first: tuple[str, bool], second: tuple[str, bool]) -> list[bool]:
    """Of rows, by two columns, each with whether more of it is better. None is no data."""

    def cost(row: Mapping[str, Any], column: tuple[str, bool]) -> float:
        name, more = column
        return math.nan if row[name] is None else -row[name] if more else row[name]

    return front([(cost(row, first), cost(row, second)) for row in rows])


def front(points: Sequence[tuple[float, float]]) -> list[bool]:
    """Of each point, whether none is at least as good in both and better in one; less is better. Equal points are on it together; one without
    data (nan) never is."""
    on = [False] * len(points)
    best = math.inf   # second of all points with a smaller first
    order = sorted((i for i, point in enumerate(points) if not any(map(math.isnan, point))), key=lambda i: points[i])
    at = 0
    while at < len(order):
        first, second = points[order[at]]
        end = at
        while end < len(order) and points[order[end]] == (first, second):
            on[order[end]] = second < best
            end += 1
        best = min(best, second)
        at = end
    return on
