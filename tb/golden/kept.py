# SPDX-License-Identifier: Apache-2.0
"""The expected results of the golden runs as files:
JSON, one file for each group of runs, one line for each table of values.

    "sstf": {
     "result/classes/discrete/": {"bytes": 22965760, "completed": 549, ...},
     "result/configuration/": {"engine": "firmware", "policy": "SSTF", ...},
     ...

A line's name is what the paths of its values begin with; a value's path is that and its own name.
Of the group's other runs, the lines of the configuration that are equal to those of the group's
first run are left out; null: a run does not have the first run's line. A line of the
configuration that is a text is the line of the first run of the group that it names. A line whose
values have the same names as those of the file's first line of the same name, but for numbers in
it, is a list of the values, in the order of their names. Digests are one text, with their names or
without. "=" is the line of reads or writes that is equal to the line of all requests.
"""

from __future__ import annotations

import functools
import json
import pathlib
import re
from collections.abc import Callable, Iterator
from typing import Any

DIGESTS = ("waves/", "requests/columns/")  # lines of digests
SHARED = "result/configuration/"  # lines that begin so are left out where they are the first run's
DIGEST = re.compile(r"[0-9a-f]{6,12}")
NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")

Lines = dict[str, dict[str, Any]]


def leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Every value that has no further ones in it, with its path."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list) and value:
        for i, inner in enumerate(value):
            yield from leaves(inner, (*path, str(i)))
    else:
        yield "/".join(path), value


def tables(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """As `leaves`, but a list of plain values stays whole."""
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    nested = isinstance(value, dict) or any(isinstance(one, (dict, list)) for _, one in inner)
    if value and nested:
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from tables(one, (*path, str(key)))
    else:
        yield "/".join(path), value


def lines_of(outputs: dict[str, Any]) -> Lines:
    """What a run gave, by the first part of the paths:
    up to the last "/", or the last "." of a signal's name."""
    lines: Lines = {}
    for path, value in tables(outputs):
        end = max(path.rfind("/"), path.rfind(".")) + 1
        lines.setdefault(path[:end], {})[path[end:]] = value
    return lines


def outputs_of(lines: Lines) -> dict[str, Any]:
    """What a run gave, by its kind and the rest of the path."""
    outputs: dict[str, Any] = {}
    for start, table in lines.items():
        kind, _, rest = start.partition("/")
        outputs.setdefault(kind, {}).update({rest + key: value for key, value in table.items()})
    return outputs


def text_of(value: Any) -> str:
    """As JSON in one line. A number is a string in Python, which has all its digits;
    it is written as a number."""
    if isinstance(value, dict):
        return (
            "{"
            + ", ".join(f"{json.dumps(key)}: {text_of(one)}" for key, one in sorted(value.items()))
            + "}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(text_of, value)) + "]"
    return value if isinstance(value, str) and NUMBER.fullmatch(value) else json.dumps(value)


def of_all(start: str) -> str:
    """The line of all requests, of one of reads or writes."""
    return re.sub(r"/(reads|writes)/", "/", start)


def kind(start: str) -> str:
    """A line's name without its numbers."""
    return re.sub(r"[0-9]+", "#", start)


def group_text(runs: dict[str, Lines], elsewhere: dict[str, str]) -> str:
    """A file: the runs of a group by their names. `elsewhere`: the groups that have the same line
    of the first run, by its name."""
    names: dict[str, list[str]] = {}

    def short(start: str, table: Any, lines: Lines) -> Any:
        if table is None:
            return None
        if of_all(start) != start and lines.get(of_all(start)) == table:
            return "="
        own = sorted(table)
        known = names.get(kind(start)) == own
        names.setdefault(kind(start), own)
        if start.startswith(DIGESTS) and all(DIGEST.fullmatch(table[name]) for name in own):
            return " ".join(table[name] if known else f"{name}={table[name]}" for name in own)
        return [table[name] for name in own] if known else table

    first = next(iter(runs.values()))
    texts = []
    for lines in runs.values():
        shown: dict[str, Any] = lines
        if lines is not first:
            shared = {start: table for start, table in first.items() if start.startswith(SHARED)}
            shown = {
                start: table for start, table in lines.items() if shared.get(start) != table
            } | {start: None for start in shared if start not in lines}
        written = []
        for start, table in sorted(shown.items()):
            if lines is first and start in elsewhere:
                written.append(f" {json.dumps(start)}: {json.dumps(elsewhere[start])}")
                continue
            written.append(f" {json.dumps(start)}: {text_of(short(start, table, lines))}")
        texts.append(",\n".join(written))
    named = zip(runs, texts, strict=True)
    return (
        "{\n" + ",\n".join(f"{json.dumps(name)}: {{\n{text}\n}}" for name, text in named) + "\n}\n"
    )


def group_of(text: str, first_of: Callable[[str], Lines]) -> dict[str, Lines]:
    """The runs of a file, with all their lines. `first_of`: the first run of another group."""
    runs = json.loads(text, parse_int=str, parse_float=str)
    names: dict[str, list[str]] = {}
    for lines in runs.values():
        for start, table in lines.items():
            if table == "=":
                continue
            if isinstance(table, str) and start.startswith(SHARED):
                lines[start] = first_of(table)[start]
                continue
            if isinstance(table, str):
                table = table.split()
                if "=" in table[0]:
                    table = dict(one.split("=") for one in table)
            if isinstance(table, list):
                table = dict(zip(names[kind(start)], table, strict=True))
            elif table is not None:
                names.setdefault(kind(start), sorted(table))
            lines[start] = table
        for start, table in lines.items():
            if table == "=":
                lines[start] = lines[of_all(start)]
    first = next(iter(runs.values()))
    shared = {start: table for start, table in first.items() if start.startswith(SHARED)}
    return {
        name: {start: table for start, table in {**shared, **lines}.items() if table is not None}
        for name, lines in runs.items()
    }


class Expected:
    """The folder of these files. A run is named by its group and its own name,
    with a dot between them."""

    def __init__(self, folder: pathlib.Path) -> None:
        self._folder = folder
        self._group = functools.cache(self._read)

    def _read(self, group: str) -> dict[str, Lines]:
        file = self._folder / f"{group}.json"
        return group_of(file.read_text(), self._first) if file.exists() else {}

    def _first(self, group: str) -> Lines:
        return next(iter(self._group(group).values()))

    def run(self, name: str) -> dict[str, Any] | None:
        """What a run is expected to give, by its kind and the rest of the path;
        None: there is no such run."""
        group, _, own = name.partition(".")
        lines = self._group(group).get(own)
        return None if lines is None else outputs_of(lines)

    def keep(self, given: dict[str, dict[str, Any]], every: list[str]) -> None:
        """Writes what runs gave, in the order of `every` and beside what is kept of the others;
        what is none of `every` goes."""
        groups: dict[str, dict[str, Lines]] = {}
        for name in every:
            group, _, own = name.partition(".")
            lines = lines_of(given[name]) if name in given else self._group(group).get(own)
            if lines:
                groups.setdefault(group, {})[own] = lines
        self._folder.mkdir(exist_ok=True)
        where: dict[tuple[str, str], str] = {}  # the first group that has a line
        for group, runs in sorted(groups.items()):
            first = next(iter(runs.values()))
            elsewhere = {
                start: where[start, text_of(table)]
                for start, table in first.items()
                if start.startswith(SHARED) and (start, text_of(table)) in where
            }
            for start, table in first.items():
                where.setdefault((start, text_of(table)), group)
            (self._folder / f"{group}.json").write_text(group_text(runs, elsewhere))
        for file in self._folder.iterdir():
            if file.stem not in groups:
                file.unlink()
        self._group.cache_clear()
