# SPDX-License-Identifier: Apache-2.0
"""The Pareto front: the points that no other point dominates."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any


def undominated(points: Sequence[Sequence[float]], maximise: Sequence[bool]) -> list[bool]:
    """Of each point, whether no other one is at least as good in every objective and better in one.

    Equal points do not dominate each other; one without data (nan) is never on the front.
    """
    signed = [
        tuple(-value if most else value for value, most in zip(point, maximise, strict=True))
        for point in points
    ]
    on = [False] * len(signed)
    front: dict[tuple[float, ...], None] = {}
    # What dominates a point comes before it in this order, and if it is dominated itself, by a
    # point of the front.
    for i in sorted(
        (i for i, point in enumerate(signed) if not any(map(math.isnan, point))),
        key=signed.__getitem__,
    ):
        point = signed[i]
        on[i] = point in front or not any(
            all(a <= b for a, b in zip(other, point, strict=True)) for other in reversed(front)
        )
        if on[i]:
            front[point] = None
    return on


def front_of(rows: Sequence[Mapping[str, Any]], *columns: tuple[str, bool]) -> list[bool]:
    """Of rows, by columns, each with whether more of it is better. None is no data."""
    points = [[math.nan if row[name] is None else row[name] for name, _ in columns] for row in rows]
    return undominated(points, [more for _, more in columns])
