# SPDX-License-Identifier: Apache-2.0
"""Readings of a paper where it is silent, and claims judged under each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from platter_lab.reproduce.claims import Claim, Part, Unit


@dataclass(frozen=True)
class Reading:
    """Another way to read the paper: settings beside the default's, policies in the place of others.

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


DEFAULT = Reading("default", "", affects=frozenset())

# Results as a study's claims look at them, under one reading.
View = Any


@dataclass(frozen=True)
class Judged:
    """A claim before it is judged: what it says, and the comparisons it rests on in the results of some policies.

    `alternatives` are other comparisons under the default reading, each under a name of its own.
    """

    name: str
    text: str
    published: str
    unit: Unit
    quantity: str
    policies: frozenset[str]
    parts: Callable[[View], list[Part]]
    alternatives: tuple[tuple[str, Callable[[View], list[Part]]], ...] = ()


def judge(judged: Judged, default: View, others: Mapping[Reading, View]) -> Claim:
    """The claim under the default reading, and under those that touch one of its policies."""
    readings = {reading.name: tuple(judged.parts(view)) for reading, view in others.items()
                if reading.touches(*judged.policies)}
    readings |= {name: tuple(parts(default)) for name, parts in judged.alternatives}
    return Claim(judged.name, judged.text, judged.published, judged.unit, judged.quantity, tuple(judged.parts(default)),
                 readings)
