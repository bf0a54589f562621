# SPDX-License-Identifier: Apache-2.0
"""Interpretations of a paper where it is silent, and claims judged under each."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from platter_lab.reproduce.claims import Claim, Grid, Part, Unit


@dataclass(frozen=True)
class Interpretation:
    """Another way to interpret the paper: settings beside the default's, policies in the place of
    others.

    `affects` are the policies it can make a difference to; None: all.
    """

    name: str
    text: str
    settings: tuple[tuple[str, str], ...] = ()
    policies: tuple[tuple[str, str], ...] = ()
    affects: frozenset[str] | None = None

    def touches(self, *policies: str) -> bool:
        """Whether it can make a difference to one of the policies."""
        return self.affects is None or not self.affects.isdisjoint(policies)

    def applied(self, policy: str) -> tuple[str, tuple[tuple[str, str], ...]]:
        """The policy that runs in the place of this one, and the settings it runs with."""
        return (
            (dict(self.policies).get(policy, policy), self.settings)
            if self.touches(policy)
            else (policy, ())
        )


@dataclass(frozen=True)
class Together:
    """Several interpretations at once."""

    interpretations: tuple[Interpretation, ...]

    @property
    def name(self) -> str:
        return ", ".join(interpretation.name for interpretation in self.interpretations)

    def touches(self, *policies: str) -> bool:
        return any(interpretation.touches(*policies) for interpretation in self.interpretations)

    def applied(self, policy: str) -> tuple[str, tuple[tuple[str, str], ...]]:
        runs = policy
        settings: tuple[tuple[str, str], ...] = ()
        for interpretation in self.interpretations:
            other, more = interpretation.applied(policy)
            runs, settings = (runs if other == policy else other), settings + more
        return runs, settings


@dataclass(frozen=True)
class Factor:
    """A question that the paper leaves open, and its answers; the first one is the default."""

    name: str
    text: str
    options: tuple[Interpretation, ...]


def factor_rows(factors: Sequence[Factor]) -> tuple[tuple[str, ...], ...]:
    """What they ask and how it may be answered, for a table (`FACTOR_HEADER`)."""
    return tuple(
        (
            factor.name,
            factor.text,
            *(
                "; ".join(f"*{option.name}*: {option.text}" for option in options)
                for options in (factor.options[:1], factor.options[1:])
            ),
        )
        for factor in factors
    )


FACTOR_HEADER = ("question", "meaning", "default", "other answers")


def combinations(factors: Sequence[Factor]) -> tuple[Together, ...]:
    """Every answer to each question with every answer to the others; all defaults first."""
    return tuple(map(Together, itertools.product(*(factor.options for factor in factors))))


DEFAULT = Interpretation("default", "", affects=frozenset())

# Results as a study's claims look at them, under one interpretation.
View = TypeVar("View")


@dataclass(frozen=True)
class Judged(Generic[View]):
    """A claim before it is judged: what it says, and the comparisons it rests on in the results of
    some policies.

    `alternatives` are other comparisons under the default interpretation, each under a name of its
    own.
    """

    name: str
    text: str
    published: str
    unit: Unit
    quantity: str
    policies: frozenset[str]
    parts: Callable[[View], list[Part]]
    alternatives: tuple[tuple[str, Callable[[View], list[Part]]], ...] = ()


def judge(
    judged: Judged[View],
    default: View,
    others: Mapping[Interpretation, View],
    factors: Sequence[Factor] = (),
    grid: Mapping[Together, View] | None = None,
    bases: Mapping[Interpretation, View] | None = None,
) -> Claim:
    """The claim under the default interpretation, under those that touch one of its policies, and,
    if it depends on one of the factors, under all combinations of them. `bases` are the default at
    the points of each of the others, where these are fewer."""
    touching = {
        interpretation: view
        for interpretation, view in others.items()
        if interpretation.touches(*judged.policies)
    }
    interpretations = {
        interpretation.name: tuple(judged.parts(view)) for interpretation, view in touching.items()
    }
    parts = tuple(judged.parts(default))
    at_same_points = (
        {
            interpretation.name: tuple(judged.parts(bases[interpretation]))
            for interpretation in touching
        }
        if bases
        else {}
    )
    at_same_points = {name: base for name, base in at_same_points.items() if base != parts}
    interpretations |= {name: tuple(other(default)) for name, other in judged.alternatives}
    combined = {}
    if grid and any(together.touches(*judged.policies) for together in grid):
        combined = {
            tuple(interpretation.name for interpretation in together.interpretations): tuple(
                judged.parts(view)
            )
            for together, view in grid.items()
        }
    return Claim(
        judged.name,
        judged.text,
        judged.published,
        judged.unit,
        judged.quantity,
        parts,
        interpretations,
        Grid(tuple(factor.name for factor in factors), combined) if combined else None,
        at_same_points,
    )
