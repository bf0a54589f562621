# SPDX-License-Identifier: Apache-2.0
"""What a scheduling engine costs, from the project's own measurements
(docs/reference/accelerator_ppa.md).
"""

from __future__ import annotations

import csv
import functools
import itertools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib import resources
from typing import Any

from platter_lab import LabError
from platter_lab.cost.contract import DECISION_LATENCY, FEATURES, SEQ_W

SEG_M = 5  # of every accelerator that a scenario can have
BUILT_ENTRIES, BUILT_CYLINDER_BITS, BUILT_SEG_W = 32, 18, 9
_MEASURED_ANGLE_BITS = 16


class Source(StrEnum):
    """Where a cost comes from."""

    MEASURED = "measured"
    INTERPOLATED = "interpolated"  # between measured points
    FORMULA = "formula"  # exact; a test of the RTL holds it
    FIRMWARE = "firmware"  # there is no accelerator


class NoPriceError(LabError):
    """A cost that the measurements do not tell."""


@dataclass(frozen=True)
class Engine:
    """What the cost of a scheduling engine depends on.

    With `accelerated` False only the controller's processor, `clock_mhz` and `firmware_*` count.
    """

    accelerated: bool
    depth: int
    entries: int
    lanes: int
    order_m: int
    angle_bits: int
    features: int  # optional parts, a sum
    clock_mhz: float
    firmware_base_cycles: float
    firmware_candidate_cycles: float
    cylinder_bits: int = BUILT_CYLINDER_BITS

    KEYS = (
        "engine",
        "drive.queue.depth",
        "accelerator.entries",
        "accelerator.lanes",
        "accelerator.order_m",
        "accelerator.angle_bits",
        "accelerator.cylinder_bits",
        "drive.geometry.cylinders",
        "accelerator.features",
        "accelerator.clock_mhz",
        "drive.controller.clock_mhz",
        "drive.controller.firmware_base_cycles",
        "drive.controller.firmware_candidate_cycles",
    )

    @classmethod
    def configured(cls, configuration: Mapping[str, Any], settings: Mapping[str, str]) -> Engine:
        """Of a scenario's effective configuration, and what is set over it.

        NoPriceError where a value is no number.
        """
        try:
            return cls.of({key: settings.get(key, _at(configuration, key)) for key in cls.KEYS})
        except ValueError as error:
            raise NoPriceError(f"{error}: expected numbers") from error

    @classmethod
    def of(cls, values: Mapping[str, str]) -> Engine:
        """From the values of `KEYS`. ValueError where one is no number.

        NoPriceError for an engine of a user's own.
        """
        if re.match(r"(lockstep:)?own:", values["engine"]):
            raise NoPriceError(
                f"engine {values['engine']}: its costs were not measured (scripts/synth --rtl does)"
            )
        accelerated = values["engine"] != "firmware"
        depth, entries, lanes = (
            int(values[key])
            for key in ("drive.queue.depth", "accelerator.entries", "accelerator.lanes")
        )
        if lanes < 1:
            raise ValueError(f"accelerator.lanes = {lanes}")
        if entries == 0:  # as the model makes it
            entries = max(BUILT_ENTRIES, -(-depth // lanes) * lanes)
        cylinder_bits = int(values["accelerator.cylinder_bits"])
        if cylinder_bits == 0:  # as the model makes it
            cylinders = int(values["drive.geometry.cylinders"])
            cylinder_bits = max(BUILT_CYLINDER_BITS, _log2(cylinders))
        return cls(
            accelerated,
            depth,
            entries,
            lanes,
            int(values["accelerator.order_m"]),
            int(values["accelerator.angle_bits"]),
            sum(FEATURES[name] for name in re.findall(r"\w+", str(values["accelerator.features"]))),
            float(values["accelerator.clock_mhz" if accelerated else "drive.controller.clock_mhz"]),
            float(values["drive.controller.firmware_base_cycles"]),
            float(values["drive.controller.firmware_candidate_cycles"]),
            cylinder_bits,
        )

    @property
    def cells(self) -> int:
        """Of the seek table."""
        return (self.cylinder_bits - SEG_M + 1) << SEG_M

    @property
    def seg_w(self) -> int:
        """2^seg_w segments of the seek table: at least one a cell, as the model makes it."""
        return max(BUILT_SEG_W, _log2(self.cells))

    def text(self) -> str:
        return (
            f"{self.entries} x {self.lanes}, orderer {self.order_m or 'none'}, angles of "
            f"{self.angle_bits} bits, cylinders of {self.cylinder_bits} bits, optional parts "
            f"{self.features or 'none'}"
        )


def _at(configuration: Mapping[str, Any], key: str) -> str:
    value: Any = configuration
    for part in key.split("."):
        value = value.get(part, "") if isinstance(value, Mapping) else ""
    return str(value)


@dataclass(frozen=True)
class Price:
    """`source` is None of what is no cost."""

    value: float
    source: Source | None


_Place = tuple[int, int, int]  # entries, lanes, order_m


def _rows(name: str) -> list[dict[str, str]]:
    with resources.files(__package__).joinpath("data", name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


# Of several rows of a configuration the last one counts.
_FPGA = ("accelerator_cylinders.csv", "accelerator_parts.csv", "accelerator_ppa.csv")
_ASIC = ("accelerator_ppa_asic.csv",)


@functools.cache
def _measured(
    files: tuple[str, ...], column: str, features: int, cylinder_bits: int, seg_w: int
) -> dict[_Place, float]:
    """The column's values, with these optional parts, cylinder numbers and segments."""
    found = {}
    for row in itertools.chain.from_iterable(map(_rows, files)):
        if (
            row[column]
            and (int(row["seg_m"]), int(row["seg_w"]), int(row["features"] or 0))
            == (SEG_M, seg_w, features)
            and int(row.get("cyl_w", BUILT_CYLINDER_BITS)) == cylinder_bits
            and row.get("device", "ecp5").startswith("ecp5")
        ):
            found[int(row["entries"]), int(row["lanes"]), int(row["order_m"])] = float(row[column])
    return found


def _bracket(
    value: int, measured: Sequence[int], scale: Callable[[float], float]
) -> list[tuple[int, float]] | None:
    """The neighbours of a value among those measured, with their weights; None outside."""
    if value in measured:
        return [(value, 1.0)]
    below, above = (
        [one for one in measured if one < value],
        [one for one in measured if one > value],
    )
    if not below or not above:
        return None
    low, high = max(below), min(above)
    share = (scale(value) - scale(low)) / (scale(high) - scale(low))
    return [(low, 1 - share), (high, share)]


def interpolated(table: Mapping[_Place, float], place: _Place) -> Price | None:
    """At a measured point its value.

    Between measured points linear in the logarithm of entries and lanes and in the size of the
    orderer; every corner must have been measured, and no orderer is not a size. None elsewhere.
    """
    if place in table:
        return Price(table[place], Source.MEASURED)
    entries, lanes, order_m = place
    orders = sorted({order for _, _, order in table if order})
    sides = (
        _bracket(entries, sorted({one for one, _, _ in table}), math.log2),
        _bracket(lanes, sorted({one for _, one, _ in table}), math.log2),
        [(0, 1.0)] if order_m == 0 else _bracket(order_m, orders, float),
    )
    value = 0.0
    for corner in itertools.product(*(side or [] for side in sides)):
        at = (corner[0][0], corner[1][0], corner[2][0])
        if at not in table:
            return None
        value += table[at] * corner[0][1] * corner[1][1] * corner[2][1]
    return Price(value, Source.INTERPOLATED) if all(sides) else None


def _area(engine: Engine, files: tuple[str, ...], *columns: tuple[str, float]) -> Price:
    """The sum of columns, each with its weight."""
    if not engine.accelerated:
        return Price(0.0, Source.FIRMWARE)
    if engine.angle_bits != _MEASURED_ANGLE_BITS:
        raise NoPriceError(
            f"{engine.text()}: only angles of {_MEASURED_ANGLE_BITS} bits were measured"
        )
    parts = []
    for column, weight in columns:
        table = _measured(files, column, engine.features, engine.cylinder_bits, engine.seg_w)
        part = interpolated(table, (engine.entries, engine.lanes, engine.order_m))
        if part is None:
            more = (
                "; without optional parts, accelerator.features = [], there are more"
                if engine.features
                else ""
            )
            raise NoPriceError(
                f"{engine.text()}: outside the measured points ({_extent(table) or 'none'}{more})"
            )
        parts.append((weight * part.value, part.source))
    return Price(math.fsum(value for value, _ in parts), parts[0][1])


def _extent(table: Mapping[_Place, float]) -> str:
    """The entries and lanes measured, for each orderer."""
    by_order: dict[str, list[str]] = {}
    for order in sorted({order for _, _, order in table}):
        places = sorted((entries, lanes) for entries, lanes, one in table if one == order)
        each = [sorted(set(values)) for values in zip(*places, strict=True)]
        whole = len(places) == len(each[0]) * len(each[1])
        text = (
            " x ".join("|".join(map(str, values)) for values in each)
            if whole
            else ", ".join(f"{entries} x {lanes}" for entries, lanes in places)
        )
        by_order.setdefault(text, []).append(str(order or "none"))
    return "; ".join(
        f"orderer {', '.join(orders)}: {places}" for places, orders in by_order.items()
    )


def _memory_bits(engine: Engine) -> Price:
    """docs/reference/scheduler_accelerator.md, Size.

    `scripts/synth` compares it with the netlist.
    """
    if not engine.accelerated:
        return Price(0.0, Source.FIRMWARE)
    lanes, order, rows = engine.lanes, engine.order_m, engine.entries // engine.lanes
    time_w, sum_w = engine.angle_bits + 4, engine.angle_bits + 12
    cyl_w, seg_w = engine.cylinder_bits, engine.seg_w
    place_w, cells = min(cyl_w - 1 - SEG_M, 9), engine.cells
    tables = lanes * (
        2 * (1 << max(1, _log2(rows))) * (cyl_w + engine.angle_bits + sum_w + 9)
        + rows * (sum_w + 1 + SEQ_W)
    )
    listed = engine.entries * (
        3 * cyl_w + 2 * engine.angle_bits + 2 * sum_w + 2 * _log2(engine.entries) + 15
    )
    seek = lanes * (cells * (3 * place_w + seg_w) + (1 << seg_w) * 2 * time_w)
    orderer = order * (1 << (order - 1)) * (time_w + 4 + _log2(order + 1)) if order else 0
    limits = engine.entries * (sum_w + 2) if engine.features & FEATURES["limits"] else 0
    rests = engine.entries * engine.angle_bits if engine.features & FEATURES["zero_latency"] else 0
    return Price(tables + listed + seek + orderer + limits + rests + 1024, Source.FORMULA)


def _log2(number: int) -> int:
    return (number - 1).bit_length()


def _decision_cycles(engine: Engine) -> Price:
    """Of a decision over a full queue with nothing stale, without accesses to registers."""
    if not engine.accelerated:
        return Price(
            engine.firmware_base_cycles + engine.firmware_candidate_cycles * engine.depth,
            Source.FIRMWARE,
        )
    return Price(engine.entries / engine.lanes + DECISION_LATENCY, Source.FORMULA)


def _decision_ns(engine: Engine) -> Price:
    cycles = _decision_cycles(engine)
    return Price(cycles.value * 1000 / engine.clock_mhz, cycles.source)


def _order_cycles(engine: Engine) -> Price:
    """Of the exact order of as many commands as the orderer takes."""
    if not engine.accelerated or engine.order_m == 0:
        return Price(0.0, Source.FORMULA if engine.accelerated else Source.FIRMWARE)
    cycles = next(
        (
            float(row["cycles"])
            for row in _rows("accelerator_cycles.csv")
            if row["work"] == "cluster; ordered" and int(row["c"]) == engine.order_m
        ),
        None,
    )
    if cycles is None:
        raise NoPriceError(f"an orderer of {engine.order_m} commands was not measured")
    return Price(cycles, Source.MEASURED)


# Of a small core's cycle: the middle of 52 and 73 pJ (docs/reference/accelerator_ppa.md, Energy
# against firmware).
_CORE_CYCLE_NJ = 0.0625


def _power(engine: Engine, column: str) -> float:
    """Of the accelerator with clock gates, at 100 MHz: the mean of the measured windows."""
    place = (engine.entries, engine.lanes, engine.order_m, engine.features)
    found = [
        float(row[column])
        for row in _rows("accelerator_power.csv")
        if row["gates"] == "1"
        and (int(row["seg_m"]), int(row["seg_w"])) == (SEG_M, engine.seg_w)
        and tuple(int(row[key]) for key in ("entries", "lanes", "order_m", "features")) == place
    ]
    if (
        not found
        or engine.angle_bits != _MEASURED_ANGLE_BITS
        or engine.cylinder_bits != BUILT_CYLINDER_BITS
    ):
        raise NoPriceError(
            f"{engine.text()}: the energy of this accelerator was not measured (32 x 4 was, "
            "without an orderer, with no optional part and with all four)"
        )
    return math.fsum(found) / len(found)


def _decision_nj(engine: Engine) -> Price:
    """With the clock's energy while the accelerator works, and none while it rests."""
    if not engine.accelerated:
        return Price(_decision_cycles(engine).value * _CORE_CYCLE_NJ, Source.FIRMWARE)
    return Price(_power(engine, "nj_with_clock"), Source.MEASURED)


def _rest_mw(engine: Engine) -> Price:
    if not engine.accelerated:
        return Price(0.0, Source.FIRMWARE)
    return Price(_power(engine, "idle_mw"), Source.MEASURED)


def _fmax(engine: Engine) -> Price:
    if not engine.accelerated:
        raise NoPriceError("firmware has no clock of an accelerator")
    return _area(engine, _FPGA, ("fmax_mhz", 1))


@dataclass(frozen=True)
class Cost:
    unit: str
    meaning: str
    of: Callable[[Engine], Price]


def _ecp5(*columns: tuple[str, float]) -> Callable[[Engine], Price]:
    return lambda engine: _area(engine, _FPGA, *columns)


COSTS: dict[str, Cost] = {
    "luts": Cost(
        "LUT",
        "LUT4, and two for each carry cell, of an ECP5 after synthesis; without distributed RAM",
        _ecp5(("lut4", 1), ("carry", 2)),
    ),
    "lut4": Cost("LUT", "LUT4 after synthesis", _ecp5(("lut4", 1))),
    "carry": Cost("CCU2C", "carry cells after synthesis", _ecp5(("carry", 1))),
    "ff": Cost("FF", "flip-flops after synthesis", _ecp5(("ff", 1))),
    "ram_lut": Cost("DPR16X4", "distributed RAMs after synthesis", _ecp5(("ram_lut", 1))),
    "ram_block": Cost("DP16KD", "block RAMs after synthesis", _ecp5(("ram_block", 1))),
    "mult": Cost("MULT18", "multipliers after synthesis", _ecp5(("mult", 1))),
    "cells": Cost(
        "TRELLIS_COMB",
        "all LUT sites, distributed RAM included, after place and route",
        _ecp5(("cells", 1)),
    ),
    "fmax_mhz": Cost("MHz", "highest clock after place and route", _fmax),
    "kge": Cost(
        "kGE",
        "logic in standard cells of 0.18 um, without memories",
        lambda engine: _area(engine, _ASIC, ("kge", 1)),
    ),
    "memory_bits": Cost("bit", "bits of all memories", _memory_bits),
    "decision_cycles": Cost(
        "cycles", "a decision over the full queue that does not look ahead", _decision_cycles
    ),
    "decision_ns": Cost(
        "ns", "the same at the clock of the accelerator, or of the controller", _decision_ns
    ),
    "decision_nj": Cost(
        "nJ",
        "energy of a decision in the main job, with a clock that stops between decisions; of "
        "firmware: cycles at 62.5 pJ",
        _decision_nj,
    ),
    "rest_mw": Cost(
        "mW", "power of the accelerator at rest, where its clock of 100 MHz runs on", _rest_mw
    ),
    "order_cycles": Cost(
        "cycles", "the exact order of as many commands as the orderer takes", _order_cycles
    ),
}
