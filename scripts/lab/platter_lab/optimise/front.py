# SPDX-License-Identifier: Apache-2.0
"""Which configurations no other one is better than."""

from __future__ import annotations

from collections.abc import Sequence


def undominated(points: Sequence[Sequence[float]], maximise: Sequence[bool]) -> list[bool]:
    """Of each point, whether no other one is at least as good in every objective and better in one. Equal points do not dominate each other."""
    signed = [[-value if most else value for value, most in zip(point, maximise, strict=True)] for point in points]

    def dominates(one: Sequence[float], other: Sequence[float]) -> bool:
        return one != other and all(a <= b for a, b in zip(one, other, strict=True))

    return [not any(dominates(other, one) for other in signed) for one in signed]
