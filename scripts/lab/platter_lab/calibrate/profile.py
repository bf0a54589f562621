# SPDX-License-Identifier: Apache-2.0
"""Reads drive profiles, and writes a profile with some values changed: whole, or only the changes
with the first profile as its base.
"""

from __future__ import annotations

import copy
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from platter_lab import LabError
from platter_lab.arrays import Floats, Ints
from platter_lab.calibrate.layout import Layout
from platter_lab.calibrate.phase import Bus

_HEADER = re.compile(r"^\s*(\[\[?)\s*([A-Za-z0-9_.\-]+)\s*\]\]?\s*(#.*)?$")
_KEY = re.compile(r"^\s*([A-Za-z0-9_\-]+)\s*=")
ZONE = "geometry.zone"


@dataclass(frozen=True)
class Change:
    """A new value of a key; `remark` goes behind or above it as a comment."""

    value: Any
    remark: str = ""


# A key's place: (section, number of the section among those of its name, key).
Place = tuple[str, int, str]


def place(key: str, zone: int | None = None) -> Place:
    if zone is not None:
        return ZONE, zone, key
    section, _, name = key.rpartition(".")
    return section, 0, name


class Profile:
    """A profile as text and as values. Keys are dotted, those of a zone go by `zone`."""

    def __init__(self, text: str, path: Path) -> None:
        try:
            self.data: dict[str, Any] = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise LabError(f"{path}: not valid TOML: {error}") from error
        self.text = text
        self.path = path
        self._require()

    @classmethod
    def read(cls, path: Path, whole: Callable[[], dict[str, Any]]) -> Profile:
        """`whole` gives every value of a profile that has a base."""
        try:
            text = path.read_text(encoding="utf-8")
            return cls(_written_out(whole()) if _has_base(text) else _with_zone_tables(text), path)
        except OSError as error:
            raise LabError(f"{path}: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise LabError(f"{path}: byte {error.start} is not UTF-8") from error

    def _require(self) -> None:
        for key, kinds, expected in (
            ("name", str, "a text"),
            ("geometry.surfaces", int, "a whole number"),
            ("geometry.cylinders", int, "a whole number"),
            ("mechanics.rpm", (int, float), "a number"),
            ("seek.model", str, "a text"),
        ):
            value = self.get(key)
            if not isinstance(value, kinds) or isinstance(value, bool):
                raise LabError(
                    f"{self.path}:{self.line_of(key)}: {key} is "
                    f"{'missing' if value is None else repr(value)}, expected {expected}"
                )
        if self.is_tree:
            return
        if not self.zones or not all(isinstance(zone, dict) for zone in self.zones):
            raise LabError(f"{self.path}: found no [[geometry.zone]], expected one for each zone")
        for number, zone in enumerate(self.zones):
            for key in ("first_cylinder", "last_cylinder", "sectors_per_track"):
                if not isinstance(zone.get(key), int):
                    raise LabError(
                        f"{self.path}: {key} of zone {number} is missing, expected a whole number"
                    )

    def get(self, key: str, default: Any = None) -> Any:
        value: Any = self.data
        for name in key.split("."):
            if not isinstance(value, dict) or name not in value:
                return default
            value = value[name]
        return value

    def number(self, key: str, default: float = 0.0) -> float:
        return float(self.get(key, default))

    @property
    def is_tree(self) -> bool:
        """Whether the layout is a tree of patterns, which has no zones."""
        return bool(self.get("geometry.layout", "cylinders") == "tree")

    @property
    def zones(self) -> list[dict[str, Any]]:
        zones: list[dict[str, Any]] = self.get("geometry.zone", [])
        return zones

    def zone_values(self, key: str) -> Floats:
        """One value per zone, shape (z,)."""
        return np.array([float(zone.get(key, 0.0)) for zone in self.zones])

    def line_of(self, key: str) -> int:
        """Line at which a key stands; where it does not, the last line."""
        spans, _ = _scan(self.text.splitlines())
        span = spans.get(place(key))
        return span[0] + 1 if span else max(1, len(self.text.splitlines()))

    @property
    def period_us(self) -> float:
        return 60e6 / self.number("mechanics.rpm")

    @property
    def writes_are_cached(self) -> bool:
        return self.get("cache.write_back", "off") != "off" and self.number("cache.segments") > 0

    def bus(self) -> Bus:
        reselect = self.number("bus.reselect_us")
        connected = self.get("bus.never_disconnect", False)
        return Bus(
            self.number("bus.read_block_us"),
            0.0 if connected else self.number("bus.read_watermark"),
            0.0 if connected else reselect + self.number("bus.preparation_us"),
            self.number("bus.read_completion_us"),
            reselect + self.number("bus.write_completion_us"),
            self.number("cache.segments") > 0,
        )

    def layout(self) -> Layout:
        """The profile's own layout, in turns."""
        sectors = self.zone_values("sectors_per_track")
        surfaces = int(self.get("geometry.surfaces"))
        track = self.zone_values("track_skew_sectors") / sectors
        first = self.zone_values("first_cylinder").astype(int)
        heads = np.array(self.get("geometry.head_offsets_turns", []), dtype=float)
        return Layout(
            offset=self.zone_values("offset_sectors") / sectors,
            track=track,
            cylinder=((surfaces - 1) * track + self.zone_values("cylinder_skew_sectors") / sectors)
            % 1.0,
            range=self.zone_values("range_skew_sectors") / sectors,
            heads=heads if len(heads) else np.zeros(surfaces),
            first_cylinder=first,
            cylinders=self.zone_values("last_cylinder").astype(int) - first + 1,
            range_cylinders=int(self.get("geometry.range_cylinders", 1)),
        )

    def seek_us(self, distance: Ints) -> Floats:
        """Seek time by the profile's curve; 0 at distance 0. Shape as `distance`."""
        where = np.asarray(distance, dtype=float)
        moved = np.maximum(where, 1.0)
        points = np.array(self.get("seek.points_us", []), dtype=float).reshape(-1, 2)
        model = self.get("seek.model")
        if model == "table":
            if len(points) < 2:
                raise LabError(
                    f"{self.path}:{self.line_of('seek.points_us')}: found {len(points)} seek "
                    "points, expected two or more"
                )
            slope = (points[-1, 1] - points[-2, 1]) / (points[-1, 0] - points[-2, 0])
            time = np.interp(moved, points[:, 0], points[:, 1])
            time = time + np.maximum(moved - points[-1, 0], 0) * slope
        elif model == "sqrt-linear":
            near = self.number("seek.a_us") + self.number("seek.b_us") * np.sqrt(moved)
            far = self.number("seek.c_us") + self.number("seek.d_us") * moved
            time = np.where(moved <= self.number("seek.knee_cylinders"), near, far)
        elif model == "three-point":
            cylinders = int(self.get("geometry.cylinders"))
            x = np.array([1.0, (cylinders - 1) / 3.0, cylinders - 1.0]) - 1
            y = np.array([self.number(f"seek.{name}_us") for name in ("single", "average", "full")])
            a, b, c = np.linalg.solve(np.stack([np.ones(3), np.sqrt(x), x], axis=1), y)
            time = a + b * np.sqrt(moved - 1) + c * (moved - 1)
        else:
            raise LabError(
                f"{self.path}:{self.line_of('seek.model')}: {model!r}, "
                "expected table, sqrt-linear or three-point"
            )
        if model != "table":
            for cylinders, value in points:
                time = np.where(moved == cylinders, value, time)
        return np.where(where > 0, time, 0.0)

    def changed(self, changes: dict[Place, Change], header: str = "") -> str:
        """The text with the changes made; checked by reading it again."""
        wanted = copy.deepcopy(self.data)
        for (section, number, key), change in changes.items():
            target: Any = wanted
            for name in section.split(".") if section else ():
                target = target.setdefault(name, {})
            (target[number] if isinstance(target, list) else target)[key] = change.value
        text = _edit(self.text, changes)
        try:
            same = tomllib.loads(text) == wanted
        except tomllib.TOMLDecodeError:
            same = False
        if not same:  # dotted keys, inline tables: written out afresh, without the base's comments
            text = _edit(_written_out(self.data), changes)
            if tomllib.loads(text) != wanted:
                raise LabError(
                    f"{self.path}: cannot be rewritten; expected sections as `platter config "
                    "dump` writes them"
                )
        return header + text

    def derived(self, base: str, changes: dict[Place, Change], header: str = "") -> str:
        """A profile that starts from this one, named `base`, and has the changes alone; checked by
        reading it again.
        """
        sections: dict[str, dict[str, Change]] = {}
        zones: list[dict[str, Change]] = [{} for _ in self.zones]
        for (section, number, key), change in changes.items():
            (zones[number] if section == ZONE else sections.setdefault(section, {}))[key] = change
        own = {
            "format": Change(self.get("format", 1)),
            "base": Change(base),
            **sections.pop("", {}),
        }
        lines = [line for key, change in own.items() for line in _key_lines(key, change)]
        wanted: dict[str, Any] = {key: change.value for key, change in own.items()}
        for section in dict.fromkeys([*self.data, *sections]):
            if section not in sections and not (section == "geometry" and any(zones)):
                continue
            keys = sections.get(section, {})
            wanted[section] = {key: change.value for key, change in keys.items()}
            if keys:
                lines += [
                    "",
                    f"[{section}]",
                    *(line for key, change in keys.items() for line in _key_lines(key, change)),
                ]
            if section == "geometry" and any(zones):
                wanted[section]["zone"] = [
                    {key: change.value for key, change in zone.items()} for zone in zones
                ]
                for zone, of_base in zip(zones, self.zones, strict=True):
                    lines += [
                        "",
                        f"[[{ZONE}]]  # cylinders {of_base['first_cylinder']} to "
                        f"{of_base['last_cylinder']}",
                    ]
                    lines += [
                        line for key, change in zone.items() for line in _key_lines(key, change)
                    ]
        text = "\n".join(lines) + "\n"
        if tomllib.loads(text) != wanted:
            raise LabError(
                f"{self.path}: its changes cannot be written; expected keys of a profile"
            )
        return header + text


def _has_base(text: str) -> bool:
    try:
        return "base" in tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False


def _value_end(lines: list[str], line: int) -> int:
    """Last line of the value that begins on `line`: brackets and strings are followed, comments
    passed over.
    """
    depth, quote = 0, ""
    start = lines[line].index("=") + 1
    for at in range(line, len(lines)):
        text = lines[at][start:] if at == line else lines[at]
        position = 0
        while position < len(text):
            letter = text[position]
            if quote:
                if letter == "\\" and quote[0] == '"':
                    position += 1
                elif text.startswith(quote, position):
                    position += len(quote) - 1
                    quote = ""
            elif letter in "\"'":
                quote = letter * 3 if text.startswith(letter * 3, position) else letter
                position += len(quote) - 1
            elif letter == "#":
                break
            elif letter in "[{":
                depth += 1
            elif letter in "]}":
                depth -= 1
            position += 1
        if depth <= 0 and len(quote) < 3:
            return at
    return len(lines) - 1


def _scan(lines: list[str]) -> tuple[dict[Place, tuple[int, int]], dict[tuple[str, int], int]]:
    """Where each key's value stands (first line, last line), and where each section's last key
    ends.
    """
    spans: dict[Place, tuple[int, int]] = {}
    ends: dict[tuple[str, int], int] = {("", 0): -1}
    section = ("", 0)
    counts: dict[str, int] = {}
    line = 0
    while line < len(lines):
        header, key = _HEADER.match(lines[line]), _KEY.match(lines[line])
        if header:
            name = header.group(2)
            number = counts.get(name, -1) + 1 if header.group(1) == "[[" else 0
            counts[name] = number
            section = (name, number)
            ends[section] = line
        elif key:
            last = _value_end(lines, line)
            spans[(*section, key.group(1))] = (line, last)
            ends[section] = last
            line = last
        line += 1
    return spans, ends


def format_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, float):
        text = repr(value)
        return text if any(mark in text for mark in ".en") else text + ".0"
    if isinstance(value, list):
        return "[" + ", ".join(format_value(item) for item in value) + "]"
    return str(value)


def _key_lines(key: str, change: Change) -> list[str]:
    plain = f"{key} = {format_value(change.value)}"
    if not isinstance(change.value, list):
        return [plain + (f"  # {change.remark}" if change.remark else "")]
    remark = [f"# {change.remark}"] if change.remark else []
    if len(plain) <= 116:
        return [*remark, plain]
    lines, row = [], " "
    for item in change.value:
        text = f" {format_value(item)},"
        if len(row) + len(text) > 116:
            lines.append(row)
            row = " "
        row += text
    return [*remark, f"{key} = [", *lines, row, "]"]


def _edit(text: str, changes: dict[Place, Change]) -> str:
    lines = text.splitlines()
    spans, ends = _scan(lines)
    replaced: dict[int, tuple[int, list[str]]] = {}
    added: dict[int, list[str]] = {}
    appended: dict[str, list[str]] = {}
    for at, change in changes.items():
        section, number, key = at
        new = _key_lines(key, change)
        if at in spans:
            replaced[spans[at][0]] = (spans[at][1], new)
        elif (section, number) in ends:
            added.setdefault(ends[section, number], []).extend(new)
        else:
            appended.setdefault(section, []).extend(new)
    out = list(added.get(-1, []))
    line = 0
    while line < len(lines):
        if line in replaced:
            last, new = replaced[line]
            out.extend(new)
        else:
            last = line
            out.append(lines[line])
        for passed in range(line, last + 1):
            out.extend(added.get(passed, []))
        line = last + 1
    for section, new in appended.items():
        out.extend(["", f"[{section}]", *new])
    return "\n".join(out) + "\n"


def _with_zone_tables(text: str) -> str:
    """Zones with a line each become tables, whose keys can be changed one by one."""
    lines = text.splitlines()
    span = _scan(lines)[0].get(("geometry", 0, "zone"))
    if span is None:
        return text
    del lines[span[0] : span[1] + 1]
    for zone in tomllib.loads(text)["geometry"]["zone"]:
        lines += ["", f"[[{ZONE}]]", *(f"{key} = {format_value(v)}" for key, v in zone.items())]
    return "\n".join(lines) + "\n"


def _written_out(data: dict[str, Any]) -> str:
    """A profile's values as plain sections."""
    lines = [
        f"{key} = {format_value(value)}"
        for key, value in data.items()
        if not isinstance(value, dict)
    ]
    for section, values in data.items():
        if not isinstance(values, dict):
            continue
        lines += ["", f"[{section}]"]
        lines += [
            f"{key} = {format_value(value)}"
            for key, value in values.items()
            if not (isinstance(value, list) and value and isinstance(value[0], dict))
        ]
        for key, value in values.items():
            if isinstance(value, list) and value and isinstance(value[0], dict):
                for entry in value:
                    lines += ["", f"[[{section}.{key}]]"]
                    lines += [f"{name} = {format_value(item)}" for name, item in entry.items()]
    return "\n".join(lines) + "\n"


def rounded(value: float, error: float) -> float:
    """To two digits beyond the error's first one; values without an error to six decimals."""
    if not (np.isfinite(error) and error > 0):
        return round(float(value), 6)
    return round(float(value), int(np.clip(1 - np.floor(np.log10(error)), 0, 9)))
