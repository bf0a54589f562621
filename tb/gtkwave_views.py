# SPDX-License-Identifier: Apache-2.0
"""Views for GTKWave (save files) held against wave files."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "scripts"))
import wave_view

CHARACTER = 8  # pixels
HEXADECIMAL, DECIMAL, SIGNED, ASCII, ENUMERATION = (
    0x2,
    0x4,
    0x400,
    0x800,
    0x100000000,
)  # of a line's format; otherwise binary
SIGNAL = re.compile(r"(?:\+\{(?P<alias>[^}]*)\} )?(?P<name>[a-z].*?)(?:\[(?P<highest>\d+):0\])?")


class Shown:
    """A line of a view: a signal with its format, or a heading."""

    def __init__(self, line, flags):
        self.flags = flags
        self.heading = line[1:] if line.startswith("-") else None
        match = None if self.heading is not None else SIGNAL.fullmatch(line)
        assert self.heading is not None or match, line
        self.name = match and match["name"]
        self.highest = match and match["highest"] and int(match["highest"])
        last = match and (match["alias"] or line.rpartition(".")[2])
        self.label = self.heading if match is None else last.rpartition(".")[2]


def shown(view):
    lines, flags = [], 0
    for line in view.splitlines():
        if line.startswith("@"):
            flags = int(line[1:], 16)
        elif line[:1] not in ("", "[", "*") and line != "-":  # "-" alone: room for the curve above
            lines.append(Shown(line, flags))
    return lines


def named(view):
    """The signals that a view names: (name, highest bit or None for a signal without a range)."""
    return [(line.name, line.highest) for line in shown(view) if line.name]


def _signals(waves):
    """By the names that GTKWave gives them: an element of a packed array has the array's name once
    more."""
    return {re.sub(r"(\w+)\.(\[\d+\])$", r"\1.\1\2", v.full_name): v for v in waves.all_vars()}


def misfits(view, waves):
    """What a view names and the waves (a pywellen.Waveform) do not have with this range of bits: by
    both GTKWave finds a signal."""
    signals = _signals(waves)
    return [
        f"{name}[{highest}:0]"
        for name, highest in named(view)
        if name not in signals
        or (signals[name].bitwidth or 1) != (1 if highest is None else highest + 1)
    ]


def flat_groups(view, waves):
    """Headings below which no signal changes in the part that is seen first."""
    signals, (begin, end) = _signals(waves), wave_view.window(view)
    changes, heading = {}, ""
    for line in shown(view):
        if line.heading is not None:
            heading = line.heading
            changes.setdefault(heading, False)
        elif line.name in signals:
            changes[heading] = changes.get(heading, False) or any(
                begin < time < end for time, _ in signals[line.name].tv
            )
    return [heading for heading, changed in changes.items() if not changed]


def _text(value, signal, flags):
    bits = signal.bitwidth
    if bits is None or isinstance(value, float):
        return f"{float(value):.16g}"
    value = int(value)
    if flags & ASCII:
        return value.to_bytes(bits // 8, "big").lstrip(b"\0").decode()
    if flags & ENUMERATION and signal.enum_type:
        return next((name for digits, name in signal.enum_type[1] if int(digits, 2) == value), "")
    if flags & HEXADECIMAL:
        return "0" * -(-bits // 4)
    if flags & SIGNED:
        return str(value - (value >> bits - 1 << bits))
    return str(value) if flags & DECIMAL else "0" * bits


def cut_values(view, waves):
    """Signals whose values, at any time, do not fit beside the names."""
    signals, lines = _signals(waves), shown(view)
    room = int(re.search(r"^\[signals_width\] (\d+)", view, re.M)[1]) // CHARACTER - 1
    names = max(len(line.label) for line in lines) + 1
    return [
        line.label
        for line in lines
        if line.name in signals
        and names
        + max(
            (
                len(_text(value, signals[line.name], line.flags))
                for _, value in signals[line.name].tv
            ),
            default=0,
        )
        > room
    ]
