# SPDX-License-Identifier: Apache-2.0
"""The requests of a scenario or of a log, and what policies do with them."""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from platter_lab import LabError
from platter_lab.bound.check import MOST_REQUESTS, Refused, costs_of
from platter_lab.bound.instance import Instance, Request
from platter_lab.executable import call_platter, no_model

_PS = 10**12
_TRIES = 12  # doublings of a run that was too short
_WHOLE = ("number", "offset_bytes", "length_bytes", "issued_ps", "completed_ps")


@dataclass(frozen=True)
class Row:
    """A row of a request log, in whole numbers."""

    number: int
    kind: str
    op: str
    offset_bytes: int
    length_bytes: int
    issued_ps: int
    completed_ps: int
    late: bool


def read_log(path: Path) -> list[Row]:
    """LabError, with file, line and column, where it is no log of requests that all ended well."""
    what = "a log of requests (CSV) of `platter run --requests`"
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise LabError(f"{path}: {error}; expected {what}") from error
    needed = (*_WHOLE, "class", "op", "late", "status")
    for column in needed:
        if not rows or column not in rows[0]:
            raise LabError(f"{path}:1: {column}: found no such column, or no rows; expected {what}")
    found = []
    for line, row in enumerate(rows, 2):
        for column in needed:
            value = row[column]
            if value is None or (column in _WHOLE and not value.isdecimal()):
                raise LabError(
                    f'{path}:{line}: {column}: found "{value or ""}", expected a whole number'
                    if column in _WHOLE
                    else f"{path}:{line}: {column}: found nothing; expected {what}"
                )
        if row["status"] != "good":
            raise LabError(
                f'{path}:{line}: status: found "{row["status"]}", expected good for every request'
            )
        if row["op"] not in ("R", "W"):
            raise LabError(f'{path}:{line}: op: found "{row["op"]}", expected R or W')
        numbers = [int(row[column]) for column in _WHOLE]
        late = row["late"] == "1"
        number, offset, length, issued, completed = numbers
        found.append(Row(number, row["class"], row["op"], offset, length, issued, completed, late))
    return found


@dataclass
class Load:
    """A scenario with settings: a closed load of a drive whose costs are static."""

    platter: Path
    scenario: Path
    settings: list[str]  # KEY=VALUE
    keys: dict[str, Any] = field(init=False)
    drive: str = field(init=False)

    def __post_init__(self) -> None:
        sets = [word for one in ("engine=firmware", *self.settings) for word in ("--set", one)]
        self._base = [str(self.scenario), *sets]
        dump = call_platter(self.platter, ["config", "dump", *self._base, "--json"])
        text = call_platter(self.platter, ["config", "dump", *self._base])
        try:
            self.keys = json.loads(dump)
            self.drive = "format = 1\n" + text[text.index("[drive]\n") :]
            self.block_bytes = int(self.keys["drive"]["geometry"]["sector_bytes"])
        except (ValueError, KeyError, TypeError) as error:
            raise no_model(self.platter, "config dump", "a configuration") from error
        call_platter(self.platter, ["drive", "costs", *self._base], stdin="")  # or it refuses

    def refuse(self, key: str, found: object, expected: str) -> LabError:
        return LabError(f"{self.scenario}: {key}: found {found}, expected {expected}")

    def expect_closed(self) -> None:
        """LabError where the requests, or their order, depend on when others end."""
        work = self.keys["workload"]
        closed = work["discrete"]["source"] == "closed" or work.get("pace") == "closed"
        if not closed:
            source = work["discrete"]["source"]
            raise self.refuse("workload.discrete.source", f'"{source}"', '"closed"')
        if work.get("job"):
            raise self.refuse("workload.job", "jobs", "a closed load without jobs")

    def expect_policy(self, policy: str) -> None:
        """LabError, with the model's message, where the load cannot be run with it."""
        call_platter(self.platter, ["config", "check", *self._base, "--set", f"policy={policy}"])

    @property
    def depth(self) -> int:
        """Requests without a deadline that the drive knows at a time, at most."""
        discrete = self.keys["workload"]["discrete"]
        depth = min(int(discrete["outstanding"]), int(self.keys["drive"]["queue"]["depth"]))
        return min(depth, int(discrete["max_outstanding"]) or depth)

    @property
    def streams(self) -> int:
        return int(self.keys["workload"]["continuous"]["streams"])

    @property
    def round_ps(self) -> int:
        return round(float(self.keys["workload"]["continuous"]["round_s"]) * _PS)

    def log(self, policy: str, measure_s: float) -> list[Row]:
        """Of a run from time 0 on."""
        changes = {"policy": policy, "sim.warmup_s": 0.0, "sim.measure_s": measure_s}
        sets = [word for key, one in changes.items() for word in ("--set", f"{key}={one}")]
        with tempfile.TemporaryDirectory(prefix="platter-bound-") as folder:
            path = Path(folder) / "requests.csv"
            arguments = ["run", *self._base, *sets, "--quiet", "--requests", str(path)]
            call_platter(self.platter, arguments)
            return read_log(path)

    def request(self, row: Row, order: int, round_number: int = -1) -> Request:
        first, rest = divmod(row.offset_bytes, self.block_bytes)
        blocks, more = divmod(row.length_bytes, self.block_bytes)
        if rest or more:
            raise self.refuse(
                "drive.geometry.sector_bytes", self.block_bytes, f"one that fits request {order}"
            )
        return Request(row.op, first, blocks, order, round_number)

    def discrete(self, count: int) -> list[Request]:
        """The first requests that the load issues outside of rounds, whatever serves them."""
        measure = max(0.1, 0.01 * count)
        for _ in range(_TRIES):
            rows = [row for row in self.log("FCFS", measure) if row.kind == "discrete"]
            if len(rows) >= count + self.depth:  # those under way at the end have no row
                rows.sort(key=lambda row: row.number)
                return [self.request(row, i) for i, row in enumerate(rows[:count])]
            measure *= 2
        raise self.refuse("workload.discrete", "a load that ends", f"at least {count} requests")

    def rounds(self, count: int) -> list[Request]:
        """The requests of the first rounds of the streams."""
        span = self.round_ps
        for waiting in (2, 8, 32):
            rows = self.log("EDF", (count + waiting) * span / _PS)
            found = [
                row for row in rows if row.kind == "continuous" and row.issued_ps < count * span
            ]
            if len(found) == self.streams * count:
                found.sort(key=lambda row: row.number)
                return [self.request(row, i, row.issued_ps // span) for i, row in enumerate(found)]
        raise self.refuse(
            "workload.continuous.streams", self.streams, "streams that request data in each round"
        )

    def times(self, policy: str, completions: int, guess_ps: int) -> tuple[int, list[int]]:
        """When the policy has completed so many requests (ps), and their places among those of the
        load, in the order of completion.
        """
        measure = 1.5 * guess_ps / _PS
        for _ in range(_TRIES):
            rows = self.log(policy, measure)
            if len(rows) >= completions:
                rows = rows[:completions]
                return rows[-1].completed_ps, [row.number for row in rows]
            measure *= 2
        raise self.refuse("policy", policy, f"one that completes {completions} requests")

    def served(self, policy: str, rounds: int) -> tuple[int, int]:
        """Requests outside of rounds that a policy completes in so many rounds, and requests of
        these rounds that it completes too late, or not by the end of the next round.
        """
        end = rounds * self.round_ps
        rows = self.log(policy, (end + self.round_ps) / _PS)
        done = sum(row.kind == "discrete" and row.completed_ps <= end for row in rows)
        good = sum(
            row.kind == "continuous" and row.issued_ps < end and not row.late for row in rows
        )
        return done, self.streams * rounds - good

    def instance(self, requests: Sequence[Request], depth: int, completions: int) -> Instance:
        """With the costs of this drive."""
        listed = [[one.op, one.first, one.blocks, one.order, one.round] for one in requests]
        try:
            table = costs_of(self.drive, listed, str(self.platter))
        except Refused as error:
            raise LabError(str(error)) from error
        return Instance(list(requests), table, depth, completions, self.drive)


def of_log(rows: Sequence[Row], load: Load, depth: int | None) -> Instance:
    """The requests of a log, on the drive of a scenario. `depth`: None: as deep as in the log; 0:
    all are known from the start.
    """
    rows = sorted(rows, key=lambda row: row.number)
    if depth is None:
        events = sorted(
            [(row.completed_ps, 0, 0) for row in rows]
            + [(row.issued_ps, 1, row.number) for row in rows]
        )
        completed = depth = 0
        for _, issue, number in events:
            if issue:
                depth = max(depth, number + 1 - completed)
            else:
                completed += 1
    requests = [load.request(row, row.number) for row in rows]
    known = depth or rows[-1].number + 1
    return load.instance(requests, known, len(requests))


def rounds_of(load: Load, rounds: int, extra: int) -> Instance:
    """The requests of so many rounds, and `extra` others beyond those that are known first."""
    count = load.streams * rounds + load.depth + extra
    if count > MOST_REQUESTS:
        raise LabError(
            f"--rounds: found {rounds}, which with others beside the streams are {count} requests; "
            f"expected at most {MOST_REQUESTS}"
        )
    together = [*load.rounds(rounds), *load.discrete(load.depth + extra)]
    return load.instance(together, load.depth, load.streams * rounds + extra)
