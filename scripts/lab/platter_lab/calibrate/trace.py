# SPDX-License-Identifier: Apache-2.0
"""A measured trace: one request a line, with the response time that the real drive took.

Six fields, blank-separated (DiskSim 4.0's "validate" format): R or W, what the drive did, first
block, blocks, response time, pause; times in microseconds. One request was outstanding at a time.
Whether the pause stands before or after its request is not written down: `Reading` says which.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path

import numpy as np

from platter_lab import LabError
from platter_lab.arrays import Bools, Floats, Ints

_LONGEST_US = 4.6e12  # as `platter validate` has it
FIELDS = "R or W, kind, first block, blocks, response us, pause us"


class Reading(StrEnum):
    """What the pause of a line means."""

    # The pause after the request: the next issue is completion + this line's pause.
    FOLLOWS = "follows"
    # The pause before it: the next issue is completion + the next line's pause.
    PRECEDES = "precedes"


@dataclass(frozen=True)
class Trace:
    """Requests in order; arrays of shape (n,)."""

    is_read: Bools
    lba: Ints  # first block
    blocks: Ints
    response_us: Floats
    pause_us: Floats

    def __len__(self) -> int:
        return len(self.lba)

    def first_half(self) -> Trace:
        """The lines that may be fitted.

        The second half is cut off here and reaches no estimator.
        """
        return self.head(len(self) // 2)

    def head(self, count: int) -> Trace:
        return Trace(*(getattr(self, one.name)[:count] for one in fields(self)))

    def completions_us(self, reading: Reading) -> Floats:
        """Completion of each request on the trace's own clock, which begins with the first issue,
        shape (n,).
        """
        pauses = self.pause_us[:-1] if reading is Reading.FOLLOWS else self.pause_us[1:]
        return np.cumsum(self.response_us) + np.concatenate(([0.0], np.cumsum(pauses)))


def trace_text(trace: Trace) -> str:
    """A trace's lines as a file; what the drive is said to have done (field 2) is not kept."""
    rows = zip(
        trace.is_read, trace.lba, trace.blocks, trace.response_us, trace.pause_us, strict=True
    )
    return "".join(
        f"{'R' if read else 'W'} Hit {lba} {blocks} {response:.6f} {pause:.6f}\n"
        for read, lba, blocks, response, pause in rows
    )


def _fail(path: Path, line: int, text: str) -> None:
    raise LabError(f"{path}:{line}: {text}")


def read_trace(path: Path) -> Trace:
    """All lines of a trace. Empty lines and lines that begin with # are passed over."""
    try:
        text = path.read_text(encoding="ascii")
    except OSError as error:
        raise LabError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise LabError(
            f"{path}: byte {error.start} is not text; expected lines of six fields ({FIELDS})"
        ) from error
    rows: list[tuple[bool, int, int, float, float]] = []
    total = 0.0
    for number, line in enumerate(text.splitlines(), 1):
        fields = line.split()
        if not fields or fields[0].startswith("#"):
            continue
        if len(fields) != 6:
            _fail(path, number, f"found {len(fields)} fields, expected 6: {FIELDS}")
        if fields[0] not in ("R", "W"):
            _fail(path, number, f'found "{fields[0]}", expected R or W')
        try:
            lba, blocks = int(fields[2]), int(fields[3])
        except ValueError:
            _fail(
                path,
                number,
                f'found "{fields[2]} {fields[3]}", expected two whole numbers: first block and '
                "blocks",
            )
        try:
            response, pause = float(fields[4]), float(fields[5])
        except ValueError:
            _fail(
                path,
                number,
                f'found "{fields[4]} {fields[5]}", expected two numbers: response and pause in us',
            )
        if not (0 <= lba < 1 << 63 and 1 <= blocks <= 65535):
            _fail(
                path,
                number,
                f"found first block {lba} and {blocks} blocks, expected a first block from 0 up to "
                "2^63 - 1 and 1 to 65535 blocks",
            )
        if not (1e-6 <= response < 1e9 and 0 <= pause < 1e12):
            _fail(
                path,
                number,
                f"found a response of {response:g} us and a pause of {pause:g} us, expected above "
                "0 us for the response and 0 us or more for the pause",
            )
        total += response + pause
        if total > _LONGEST_US:
            _fail(path, number, "the times up to here add up to more than 53 days")
        rows.append((fields[0] == "R", lba, blocks, response, pause))
    if len(rows) < 200:
        raise LabError(
            f"{path}: found {len(rows)} requests, expected at least 200, because half of them are "
            "fitted"
        )
    reads, lbas, lengths, responses, pauses = zip(*rows, strict=True)
    return Trace(
        np.array(reads),
        np.array(lbas, dtype=np.int64),
        np.array(lengths, dtype=np.int64),
        np.array(responses),
        np.array(pauses),
    )
