# SPDX-License-Identifier: Apache-2.0
"""Runs of the drive model: where a profile puts blocks, and how it answers a trace."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from platter_lab import LabError
from platter_lab.arrays import Bools, Floats, Ints
from platter_lab.calibrate.phase import Places
from platter_lab.calibrate.trace import Reading, Trace, trace_text
from platter_lab.executable import call_platter, no_model

# Columns of `platter drive locate`.
PLACES = {"zone", "cylinder", "head", "order", "sector", "sectors_per_track", "angle_turns"}


@dataclass(frozen=True)
class Answers:
    """What the model answered; arrays of shape (n,), in the order of the trace."""

    is_read: Bools
    measured_us: Floats
    simulated_us: Floats
    from_media: Bools
    overhead_us: Floats
    move_us: Floats  # seek and settle of the model's access
    rotation_us: Floats  # its wait for the first sector
    transfer_us: Floats

    def __getitem__(self, index: Ints | Bools | slice) -> Answers:
        return Answers(*(getattr(self, one.name)[index] for one in fields(self)))


class Model:
    """The executable, with a folder for its files. Trial runs see the trace's first half only."""

    def __init__(
        self, platter: Path, folder: Path, trace: Path, requests: Trace, fitted: int
    ) -> None:
        """`trace`: the file that the requests are of, of which the first `fitted` are fitted."""
        self._platter = platter
        self._folder = folder
        self._trace = trace
        self.runs = 0
        for name, part in (("whole", requests), ("first", requests.head(fitted))):
            file = folder / name / "drive" / "drive.trace"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(trace_text(part), encoding="ascii")

    def _run(self, arguments: list[str], stdin: str | None = None) -> str:
        return call_platter(self._platter, arguments, stdin=stdin)

    def _no_model(self, arguments: list[str], what: str) -> LabError:
        return no_model(self._platter, shlex.join([str(self._platter), *arguments]), what)

    def locate(self, profile: Path, lba: Ints) -> Places:
        """Places of blocks, shape (n,)."""
        command = ["drive", "locate", str(profile)]
        try:
            text = self._run(command, "\n".join(str(block) for block in lba) + "\n")
        except LabError as error:
            at = re.search(r"standard input:(\d+): (.*)", str(error))
            if at is None:
                raise
            raise LabError(
                f"{self._trace}: request {at.group(1)}: {at.group(2)} (by {profile})"
            ) from error
        rows = list(csv.reader(io.StringIO(text)))
        names = {name: column for column, name in enumerate(rows[0])} if rows else {}
        if len(rows) != len(lba) + 1 or not names.keys() >= PLACES:
            raise self._no_model(command, f"the places of {len(lba)} blocks")
        table = np.array(rows[1:])

        def whole(name: str) -> Ints:
            return table[:, names[name]].astype(np.int64)

        return Places(
            whole("zone"),
            whole("cylinder"),
            whole("head"),
            whole("order"),
            whole("sector"),
            whole("sectors_per_track"),
            table[:, names["angle_turns"]].astype(float),
        )

    def _validate(
        self, text: str, reading: Reading, part: str, half: str
    ) -> tuple[Answers, dict[str, Any]]:
        profile, requests, result = (
            self._folder / name for name in ("trial.toml", "requests.csv", "result.json")
        )
        profile.write_text(text, encoding="utf-8")
        command = ["validate", str(self._folder / part), "--drive", "drive", "--quiet"]
        command += ["--profile", str(profile), "--reading", reading.value, "--half", half]
        command += ["--requests", str(requests), "--result", str(result)]
        self._run(command)
        if not requests.is_file() or not result.is_file():
            raise self._no_model(command, "answers to a trace")
        self.runs += 1
        rows = requests.read_text(encoding="ascii").splitlines()
        names = rows[0].split(",")
        columns = list(zip(*(row.split(",") for row in rows[1:]), strict=True))
        by_name = dict(zip(names, columns, strict=True))

        def times(name: str) -> Floats:
            return np.array(by_name[f"{name}_us"], dtype=float)

        answers = Answers(
            np.array(by_name["kind"]) == "R",
            times("measured"),
            times("simulated"),
            np.array(by_name["served"]) == "media",
            times("overhead"),
            times("move"),
            times("rotation"),
            times("transfer"),
        )
        return answers, json.loads(result.read_text(encoding="utf-8"))

    def first_half(self, text: str, reading: Reading) -> Answers:
        """The first half on a trial profile. The file it runs on ends there."""
        return self._validate(text, reading, "first", "all")[0]

    def whole(self, text: str, reading: Reading) -> Answers:
        """All of the trace on a trial profile."""
        return self._validate(text, reading, "whole", "all")[0]

    def second_half(self, text: str, reading: Reading) -> tuple[Answers, dict[str, Any]]:
        """The answers of a replay of the whole, and the second half's scores as
        `platter validate` gives them.
        """
        answers, result = self._validate(text, reading, "whole", "second")
        scores: dict[str, Any] = result["drives"][0]
        return answers, scores


def demerit_percent(measured: Floats, simulated: Floats) -> float:
    """Exact demerit of two samples of one size, in percent of the measured mean."""
    distance = np.sort(measured) - np.sort(simulated)
    return float(100 * np.sqrt((distance**2).mean()) / measured.mean())
