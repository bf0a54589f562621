# SPDX-License-Identifier: Apache-2.0
"""The power of a drive from its construction: a fit over drives with published currents."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import resources

# As the makers' tables name them, and in their order.
STATES = (
    "idle",
    "idle_a",
    "idle_b",
    "idle_c",
    "standby",
    "random_read",
    "random_write",
    "sequential_read",
    "sequential_write",
    "start",
)

# Viscous loss of the discs: as diameter^4.6 and speed^2.8 (Gurumurthi et al., ISCA 2005). The
# inertia of the arm, its mass times its length squared, grows with the same power of its size.
DIAMETER_EXPONENT = 4.6
SPEED_EXPONENT = 2.8
REFERENCE_DIAMETER_MM = 95.0
REFERENCE_RPM = 7200.0

# Share of the time of a random read in which the coil carries its full current, one command at a
# time: 6.5 ms of a seek of 8.5 ms on average, of which 0.5 ms are settling, in 12.9 ms with half a
# turn and an overhead of 0.2 ms.
CURRENT_SHARE = 0.5


@dataclass(frozen=True)
class Drive:
    """`currents`: amperes at 5 V and at 12 V of each state."""

    name: str
    source: str
    discs: float
    diameter_mm: float
    rpm: float
    currents: dict[str, tuple[float, float]]

    def watts(self, state: str) -> float:
        at_5, at_12 = self.currents[state]
        return 5 * at_5 + 12 * at_12

    @property
    def size(self) -> float:
        return float((self.diameter_mm / REFERENCE_DIAMETER_MM) ** DIAMETER_EXPONENT)

    @property
    def windage(self) -> float:
        """Of all discs, in discs of the reference diameter and speed."""
        return float(self.discs * self.size * (self.rpm / REFERENCE_RPM) ** SPEED_EXPONENT)


def published() -> list[Drive]:
    """The drives of the data file."""
    text = resources.files(__package__).joinpath("data", "drives.toml").read_text(encoding="utf-8")
    return [
        Drive(
            one["name"],
            one["source"],
            one["discs"],
            one["diameter_mm"],
            one["rpm"],
            {state: (one[state][0], one[state][1]) for state in STATES},
        )
        for one in tomllib.loads(text)["drive"]
    ]


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _through_origin(x: Sequence[float], y: Sequence[float]) -> float:
    """The factor of the least squares."""
    return math.fsum(a * b for a, b in zip(x, y, strict=True)) / math.fsum(a * a for a in x)


def _line(x: Sequence[float], y: Sequence[float]) -> tuple[float, float]:
    """Constant and slope of the least squares."""
    mean_x, mean_y = _mean(x), _mean(y)
    slope = math.fsum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / math.fsum(
        (a - mean_x) ** 2 for a in x
    )
    return mean_y - slope * mean_x, slope


@dataclass(frozen=True)
class Model:
    """All in amperes. The 12 V drive what moves, the 5 V the electronics."""

    spindle: tuple[float, float]  # a constant, and what a disc of the reference adds
    unloaded: float  # share of the spindle's current with the heads unloaded (Idle_B)
    slow: float  # the same at reduced speed (Idle_C)
    standby: float
    seek: dict[str, float]  # added by random accesses to a drive of the reference diameter
    transfer: dict[str, float]  # added by sequential accesses
    start: float  # of a drive of the reference diameter
    electronics: dict[str, float]  # of states without accesses, and of the start
    added: dict[str, float]  # to the electronics of idle, by accesses

    @classmethod
    def fitted(cls, drives: Sequence[Drive]) -> Model:
        def at_5(state: str) -> list[float]:
            return [one.currents[state][0] for one in drives]

        def at_12(state: str) -> list[float]:
            return [one.currents[state][1] for one in drives]

        def above_idle(values: Sequence[float], idle: Sequence[float]) -> list[float]:
            return [a - b for a, b in zip(values, idle, strict=True)]

        sizes = [one.size for one in drives]
        return cls(
            spindle=_line([one.windage for one in drives], at_12("idle")),
            unloaded=_through_origin(at_12("idle"), at_12("idle_b")),
            slow=_through_origin(at_12("idle"), at_12("idle_c")),
            standby=_mean(at_12("standby")),
            seek={
                state: _through_origin(sizes, above_idle(at_12(state), at_12("idle")))
                for state in ("random_read", "random_write")
            },
            transfer={
                state: _mean(above_idle(at_12(state), at_12("idle")))
                for state in ("sequential_read", "sequential_write")
            },
            start=_through_origin(sizes, at_12("start")),
            electronics={
                state: _mean(at_5(state))
                for state in ("idle", "idle_a", "idle_b", "idle_c", "standby", "start")
            },
            added={
                state: _mean(above_idle(at_5(state), at_5("idle")))
                for state in STATES
                if state.startswith(("random", "sequential"))
            },
        )

    def predicted(self, drive: Drive, idle: tuple[float, float] | None = None) -> Drive:
        """The drive with the currents that the model gives it.

        `idle`: its own at 5 V and 12 V, where they are known; the other states then build on them.
        """
        constant, per_disc = self.spindle
        at_5, at_12 = idle or (self.electronics["idle"], constant + per_disc * drive.windage)
        currents = {
            "idle": (at_5, at_12),
            "idle_a": (self.electronics["idle_a"] if idle is None else at_5, at_12),
            "idle_b": (self.electronics["idle_b"], self.unloaded * at_12),
            "idle_c": (self.electronics["idle_c"], self.slow * at_12),
            "standby": (self.electronics["standby"], self.standby),
            "start": (self.electronics["start"], self.start * drive.size),
        }
        for state, added in self.added.items():
            moved = self.seek[state] * drive.size if state in self.seek else self.transfer[state]
            currents[state] = (at_5 + added, at_12 + moved)
        return replace(drive, currents=currents)


def section(drive: Drive) -> dict[str, float]:
    """The keys of a profile's [power] from a drive's currents, in watts."""

    def parts(state: str) -> tuple[float, float]:
        at_5, at_12 = drive.currents[state]
        return 5 * at_5, 12 * at_12

    electronics, spindle = parts("idle")
    random_5, random_12 = parts("random_read")
    active = random_5 - electronics
    keys = {
        "spindle_w": spindle,
        "spindle_unloaded_w": parts("idle_b")[1],
        "spindle_slow_w": parts("idle_c")[1],
        "electronics_w": electronics,
        "electronics_idle_a_w": drive.watts("idle_a") - spindle,
        "electronics_idle_b_w": parts("idle_b")[0],
        "electronics_idle_c_w": parts("idle_c")[0],
        "electronics_standby_w": drive.watts("standby"),
        "active_w": active,
        "read_w": drive.watts("sequential_read") - drive.watts("idle") - active,
        "write_w": drive.watts("sequential_write") - drive.watts("idle") - active,
        "coil_w": (random_12 - spindle) / CURRENT_SHARE,
        "start_w": drive.watts("start"),
    }
    return {key: round(max(value, 0.0), 3) for key, value in keys.items()}
