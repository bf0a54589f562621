# SPDX-License-Identifier: Apache-2.0
"""The load from which on, or up to which, a claim holds, for each combination of
interpretations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from platter_lab.reproduce.claims import Part, Verdict, combined
from platter_lab.reproduce.interpretations import Factor, Together
from platter_lab.reproduce.mixed_load import View
from platter_lab.reproduce.study import Table


@dataclass(frozen=True)
class Turn:
    """A claim at one load: its comparisons there, none where a policy is not steady."""

    name: str
    text: str
    parts: Callable[[View, int], list[Part]]


def verdicts(view: View, turn: Turn) -> list[Verdict | None]:
    """At each of the view's rates; None where there is nothing to compare."""
    return [combined(parts) if (parts := turn.parts(view, rate)) else None for rate in view.rates]


def where(rates: Sequence[int], found: Sequence[Verdict | None], load: Callable[[int], str]) -> str:
    """In words: the rates at which a claim holds, from the verdicts at each."""
    decided = [
        (rate, verdict is Verdict.HOLDS)
        for rate, verdict in zip(rates, found, strict=True)
        if verdict in (Verdict.HOLDS, Verdict.FAILS)
    ]
    if not decided:
        return "not decided"
    holding = [rate for rate, holds in decided if holds]
    changes = sum(a[1] is not b[1] for a, b in pairwise(decided))
    first, last = decided[0][0], decided[-1][0]
    if not holding:
        return f"at none up to {load(last)}"
    if changes == 0:
        return f"at all from {load(first)} to {load(last)}"
    if changes == 1:
        return f"from {load(holding[0])}" if decided[-1][1] else f"up to {load(holding[-1])}"
    return "at " + ", ".join(load(rate) for rate in holding)


def grid_table(
    title: str, turns: Sequence[Turn], factors: Sequence[Factor], grid: Mapping[Together, View]
) -> Table:
    """One row for each combination, one column for each claim; the load as λ and as SPTF's
    utilisation at it."""
    rows = []
    for together, view in grid.items():

        def load(rate: int, view: View = view) -> str:
            return f"{rate} ({100 * view.busy(rate):.0f} %)"

        rows.append(
            (
                *(interpretation.name for interpretation in together.interpretations),
                *(where(view.rates, verdicts(view, turn), load) for turn in turns),
            )
        )
    return Table(
        title, (*(factor.name for factor in factors), *(turn.text for turn in turns)), tuple(rows)
    )


def verdict_rows(
    about: str, turns: Sequence[Turn], grid: Mapping[Together, View]
) -> list[tuple[str, ...]]:
    """Every verdict behind such a table (`VERDICT_HEADER`), for a CSV file."""
    return [
        (
            about,
            together.name,
            turn.name,
            str(rate),
            f"{view.busy(rate):.4f}",
            "nothing steady" if verdict is None else str(verdict),
        )
        for together, view in grid.items()
        for turn in turns
        for rate, verdict in zip(view.rates, verdicts(view, turn), strict=True)
    ]


VERDICT_HEADER = ("load", "combination", "claim", "rate_per_s", "utilisation", "verdict")
