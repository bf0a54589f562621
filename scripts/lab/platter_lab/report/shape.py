# SPDX-License-Identifier: Apache-2.0
"""What a page takes from a result, with the form that it must have there.

All else in a result is shown as it is.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeGuard

from platter_lab import LabError

PARTS = ("queue", "overhead", "seek", "settle", "rotation", "transfer", "bus")
_LARGEST = 1e300  # what a figure can still add up


@dataclass(frozen=True)
class Number:
    """None, where allowed, is a statistic of which there is no sample."""

    null: bool = True
    whole: bool = False
    least: float = -_LARGEST

    def text(self) -> str:
        return (
            ("a whole number" if self.whole else "a number")
            + (" from 0" if self.least == 0 else "")
            + (" or null" if self.null else "")
        )

    def fits(self, value: Any) -> bool:
        if value is None:
            return self.null
        return (
            isinstance(value, int if self.whole else int | float)
            and not isinstance(value, bool)
            and self.least <= value <= _LARGEST
        )


@dataclass(frozen=True)
class Text:
    def text(self) -> str:
        return "a text"

    def fits(self, value: Any) -> bool:
        return isinstance(value, str)


@dataclass(frozen=True)
class Table:
    """With keys that must be there, keys that may, and the form of all others (None: any)."""

    keys: Mapping[str, Any] = field(default_factory=dict)
    optional: Mapping[str, Any] = field(default_factory=dict)
    others: Any = None
    null: bool = False

    def text(self) -> str:
        return "an object" + (" or null" if self.null else "")

    def fits(self, value: Any) -> bool:
        return isinstance(value, dict) or (self.null and value is None)


@dataclass(frozen=True)
class List:
    of: Any

    def text(self) -> str:
        return "an array"

    def fits(self, value: Any) -> bool:
        return isinstance(value, list)


@dataclass(frozen=True)
class Optional:
    """A form, or null."""

    of: Any

    def text(self) -> str:
        return f"{self.of.text()} or null"

    def fits(self, value: Any) -> bool:
        return value is None or self.of.fits(value)


@dataclass(frozen=True)
class Named:
    """A name, or an object that has one."""

    def text(self) -> str:
        return "a name, or an object with one and a unit"

    def fits(self, value: Any) -> bool:
        return isinstance(value, str) or (
            isinstance(value, dict)
            and isinstance(value.get("name"), str)
            and isinstance(value.get("unit", ""), str | None)
        )


@dataclass(frozen=True)
class Anything:
    """Of a value alone: a text, a number, true or false."""

    def text(self) -> str:
        return "a value"

    def fits(self, value: Any) -> bool:
        return isinstance(value, str | bool) or finite(value)


_COUNT = Number(null=False, whole=True, least=0)
_TIMES = Table(
    {key: Number() for key in ("mean", "p50", "p99", "max")},
    {key: Number() for key in ("p90", "p95", "p99_9")},
)
_OPERATIONS = Table(
    optional={
        "completed": _COUNT,
        "completions": _COUNT,
        "response_ms": _TIMES,
        "parts_ms": Table({part: Number() for part in PARTS}, null=True),
    }
)
_CLASS = Table(
    {"completed": _COUNT},
    {
        **_OPERATIONS.optional,
        "issued": _COUNT,
        "outstanding": _COUNT,
        "reads": _OPERATIONS,
        "writes": _OPERATIONS,
        "backlog": Table({"mean": Number()}, null=True),
        "waiting": Table({"requests": _COUNT, "oldest_ms": Number()}, null=True),
    },
)
_CLASSES = Table(others=_CLASS)
_STREAM = Table({"name": Text(), "series_bytes_per_s": List(Number(null=False))})
_BY_STATE = Table(others=Number(null=False, least=0))
_ENERGY = Table(
    {
        "j": Number(null=False, least=0),
        "mean_w": Number(least=0),
        "per_request_j": Number(),
        "joules": _BY_STATE,
        "seconds": _BY_STATE,
        "watts": _BY_STATE,
    }
)
_COUNTS = Table(others=_COUNT)
_OF_LOADS = {
    "energy": _ENERGY,
    "errors": _COUNTS,
    "array": Table(optional={"errors": _COUNTS}),
    "classes": _CLASSES,
    "throughput": Table({"requests_per_s": Number()}),
    "utilisation": Number(),
    "queue_depth": Table({"mean": Number()}),
    "hiccups": Number(),
    "jobs": _CLASSES,
}


@dataclass(frozen=True)
class OfHost:
    """What pages read in the results of a host.

    `form`: the members that they read. `classes`: path of the account by class; empty for a host
    that keeps no log of its requests. `measured`: this account covers the measured time;
    otherwise it covers the whole run.
    """

    form: Mapping[str, Any]
    classes: tuple[str, ...] = ()
    measured: bool = True


# By host.kind, since the same name can mean different things for different hosts. The page of any
# other host has its statistics and no figures.
OF_HOSTS: Mapping[str, OfHost] = {
    "drive": OfHost(_OF_LOADS, ("classes",)),
    "array": OfHost(_OF_LOADS, ("classes",)),
    "mixed_server": OfHost(
        {"array": Table(optional={"classes": _CLASSES}), "energy": _ENERGY},
        ("array", "classes"),
        measured=False,
    ),
    "autoqos": OfHost({"streams": List(_STREAM)}),
}


def of_host(result: Mapping[str, Any]) -> OfHost:
    return OF_HOSTS.get(result["configuration"]["host"]["kind"], OfHost({}))


_EVERY = {"measured_s": Number(null=False, least=0), "seed": _COUNT}
_CONFIGURATION = Table(
    {"host": Table({"kind": Text()})},
    {"sim": Table(optional={"warmup_s": Number(null=False, least=0)})},
)


def expect_result(file: Path, result: Mapping[str, Any], expected: str) -> None:
    """LabError, with the way through the JSON, where a result does not have the form that a page
    takes it to have.
    """
    _expect_numbers(file, result, "", expected)
    top = Table({**_EVERY, "configuration": _CONFIGURATION})
    expect(file, result, top, expected)
    expect(file, result, Table(optional=of_host(result).form), expected)


def _expect_numbers(file: Path, value: Any, where: str, expected: str) -> None:
    """LabError for a whole number that is too large to be shown, wherever it stands."""
    if isinstance(value, dict | list):
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            _expect_numbers(file, one, f"{where}.{key}" if where else str(key), expected)
    elif isinstance(value, int) and abs(value) > _LARGEST:
        raise LabError(
            f"{file}: {where}: found a whole number of {value.bit_length()} bits, expected one of "
            f"at most {_LARGEST:g} in {expected}"
        )


def expect(file: Path, value: Any, form: Any, expected: str, where: str = "") -> None:
    """LabError where a value has another form; `expected` is the whole file."""
    if not form.fits(value):
        raise LabError(
            f"{file}: {where or 'the whole'}: found {shown(value)}, expected {form.text()} in "
            f"{expected}"
        )
    if value is None:
        return

    def at(key: object) -> str:
        return f"{where}.{key}" if where else str(key)

    if isinstance(form, List):
        for number, one in enumerate(value):
            expect(file, one, form.of, expected, at(number))
    if isinstance(form, Table):
        for key, inner in form.keys.items():
            if key not in value:
                raise LabError(
                    f"{file}: {at(key)}: is missing; expected {inner.text()} in {expected}"
                )
        for key, one in value.items():
            inner = form.keys.get(key, form.optional.get(key, form.others))
            if inner is not None:
                expect(file, one, inner, expected, at(key))


def shown(value: Any) -> str:
    """In a message: short."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "an array"
    text = (
        {True: "true", False: "false", None: "null"}[value]
        if value is None or isinstance(value, bool)
        else repr(value)
    )
    return text if len(text) <= 60 else f"{text[:57]}..."


def finite(value: Any) -> TypeGuard[float]:
    """Whether it is a number that can be drawn."""
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and -sys.float_info.max <= value <= sys.float_info.max
    )


def classes_in(result: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Of a result of a drive or an array; of others nothing."""
    classes = result.get("classes")
    return (
        {name: one for name, one in classes.items() if isinstance(one, Mapping)}
        if isinstance(classes, Mapping)
        else {}
    )


def jobs_in(result: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The accounts of the load's jobs, in the order of the scenario; of other loads nothing."""
    jobs = result.get("jobs")
    if not isinstance(jobs, Mapping):
        return {}
    given = result["configuration"].get("workload", {}).get("job", [])
    order = [one.get("name") for one in given if isinstance(one, Mapping)]
    return {
        name: jobs[name]
        for name in [
            *(name for name in order if name in jobs),
            *(name for name in jobs if name not in order),
        ]
    }


def completions(one: Mapping[str, Any]) -> int:
    """How many requests the response times of a class are of."""
    count: int = one.get("completions", one.get("completed", 0))
    return count


def has_responses(one: Any) -> TypeGuard[Mapping[str, Any]]:
    """Whether a class, or its reads or writes, has response times: something completed."""
    return (
        isinstance(one, Mapping)
        and bool(completions(one))
        and finite((one.get("response_ms") or {}).get("mean"))
    )


def has_parts(one: Any) -> TypeGuard[Mapping[str, Any]]:
    return has_responses(one) and all(
        finite((one.get("parts_ms") or {}).get(part)) for part in PARTS
    )
